package policy

import (
	"cmp"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"
	"unicode/utf8"

	"google.golang.org/protobuf/types/known/structpb"
	"k8s.io/apimachinery/pkg/api/validate/content"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/crossplane/function-sdk-go/errors"

	"github.com/plexsphere/function-cloud-tags/input/v1beta1"
	"github.com/plexsphere/function-cloud-tags/tags/field"
	"github.com/plexsphere/function-cloud-tags/tags/locate"
	"github.com/plexsphere/function-cloud-tags/tags/manifest"
	"github.com/plexsphere/function-cloud-tags/tags/object"
	"github.com/plexsphere/function-cloud-tags/tags/profile"
	"github.com/plexsphere/function-cloud-tags/tags/words"
)

// A tagField is one that managed resources of several kinds have alike. It has a policy of its own.
type tagField struct {
	*field.Field
	settings

	// Guard has the tag profile of the kinds.
	Guard *guard

	// kinds that have the field, sorted by group, kind and version.
	kinds []schema.GroupVersionKind

	// Selected are the objects of the kinds that the input selects.
	Selected selector

	// Rules of the tag policy that are for the kinds.
	Rules []resourceRule

	native bool
	kind   *locate.Kind // The first of them.
}

// tagFields returns the tag fields of the resourceKinds, as the function would find them. Kinds that the policies say the same of have one, and kinds of other profiles than these, if there are any,
// have none. It adds notes on kinds that have none.
func (p *policy) tagFields(s *manifest.Step, profiles []*profile.Profile) ([]*tagField, error) {
	composite, _ := schema.ParseGroupVersion(s.Composite.APIVersion) // The caller has parsed it.
	targets := (&locate.Finder{
		Input: p.CloudTags, CompositeGroup: composite.Group,
		Fields:  func(schemas field.Schemas) field.Locator { return field.ForInput(p.CloudTags, schemas) },
		Schemas: field.Schemas{Of: func(k schema.GroupVersionKind) object.Node { return p.schemas[k] }},
	}).None()

	var (
		out   []*tagField
		known = make(map[string]*tagField)
		left  = make(map[string][]schema.GroupVersionKind)
		whys  = make(map[string]string) // Of kinds, whichever their versions are.
	)

	for _, gvk := range p.resourceKinds() {
		kind := gvk.Group + "/" + gvk.Kind
		if len(p.Kinds) > 0 && !slices.Contains(p.Kinds, kind) {
			continue
		}

		t := targets.Read("", object.Tree(&structpb.Struct{Fields: map[string]*structpb.Value{
			"apiVersion": structpb.NewStringValue(gvk.GroupVersion().String()), "kind": structpb.NewStringValue(gvk.Kind),
		}}))
		located := targets.Locate(t)

		if len(profiles) > 0 && !slices.ContainsFunc(profiles, func(of *profile.Profile) bool { return of.Name == t.Profile.Name }) {
			continue
		}

		f, why := p.tagFieldOf(t, located)
		if why != "" {
			left[why], whys[kind] = append(left[why], gvk), cmp.Or(whys[kind], why)
			continue
		}

		id := strings.Join(append(words.Map(f.Rules, resourceRule.Breach), f.Tags("object"), t.Profile.Name, f.Selected.Of("object"), f.Changes("object")), "\x00")
		if known[id] == nil {
			known[id], out = f, append(out, f)
		}

		known[id].kinds = append(known[id].kinds, gvk)
		whys[kind] = hasPolicy
	}

	if p.Provider != nil && !p.Provider.FromFieldPath.IsZero() {
		p.Notes = append(p.Notes, fmt.Sprintf("the provider at %s of the composite resource: kinds of unknown providers have the limits of %s", p.Provider.FromFieldPath, profile.Generic))
	}

	p.noteLeft(left)

	for _, kind := range p.Kinds {
		if why := cmp.Or(whys[kind], "is neither a kind of the built-in index nor one that tagFields name, or isn't in --crds"); why != hasPolicy {
			return nil, errors.Errorf("--match: there can be no policy for %s, which %s", strings.TrimPrefix(kind, "/"), why)
		}
	}

	return out, p.name(out)
}

// hasPolicy is the note on kinds with a policy.
const hasPolicy = "has a policy"

// readDefinitions keeps the schemas of kinds that the cluster has, as far as the function knows their API group or tagFields match them. With
// fieldDiscovery Index, the schemas are empty.
func (p *policy) readDefinitions(r *manifest.Reader, paths []string) error {
	if len(paths) == 0 {
		return nil
	}

	p.schemas = make(map[schema.GroupVersionKind]object.Node)
	defined := 0

	err := r.Definitions(paths, func(d manifest.Definition) {
		defined++

		if !field.BuiltIn().HasGroup(d.Group) && !slices.ContainsFunc(p.TagFields, func(tf v1beta1.TagField) bool {
			return tf.APIVersion.Matches(d.GroupVersion().String()) && tf.Kind.Matches(d.Kind)
		}) {
			return
		}

		p.schemas[d.GroupVersionKind] = object.Node{}

		if p.FieldDiscovery != v1beta1.FieldDiscoveryIndex {
			p.schemas[d.GroupVersionKind] = object.Tree(d.Schema).Node()
		}
	})
	if err == nil && defined == 0 {
		err = errors.Errorf("--crds: no served kinds of custom resource definitions in %s", strings.Join(paths, ", "))
	}

	return err
}

// resourceKinds returns, sorted, the kinds that the cluster has. If nobody says which these are, it returns the kinds that the index has and
// those that entries of tagFields name.
func (p *policy) resourceKinds() []schema.GroupVersionKind {
	if p.schemas != nil {
		return slices.SortedFunc(maps.Keys(p.schemas), field.Compare)
	}

	var out []schema.GroupVersionKind

	for gvk := range field.BuiltIn().All() {
		out = append(out, gvk)
	}

	for i := range p.TagFields {
		tf := &p.TagFields[i]
		if strings.Contains(tf.APIVersion.String()+tf.Kind.String(), "*") {
			p.Notes = append(p.Notes, p.CloudTags.Where("tagFields[%d]", i)+": kinds that the built-in index doesn't have, and that the entry doesn't name")
			continue
		}

		out = append(out, schema.FromAPIVersionAndKind(tf.APIVersion.String(), tf.Kind.String()))
	}

	slices.SortFunc(out, field.Compare)

	return slices.Compact(out)
}

// tagFieldOf returns the tag field of the target, or why no policy is for it.
func (p *policy) tagFieldOf(t *locate.Target, located bool) (_ *tagField, why string) {
	switch {
	case !located:
		return nil, t.Why(t.Lacks)
	case t.Profile.HandsOn:
		return nil, "gets labels, which are no tags"
	case t.Field.Shape == field.Joined:
		return nil, "has its tags in one string"
	case isMetadata(t.Field) && !t.Field.KubernetesLabels:
		return nil, "has its tags in Kubernetes metadata"
	}

	family, _ := field.FamilyOf(t.Kind.GroupKind())
	f := &tagField{Field: t.Field, settings: p.settings, Guard: p.guardFor(t.Profile), native: family.Native, kind: t.Kind}

	selected, ok := p.selects(p.CloudTags.Resources, t.Kind, "resources")
	if !ok {
		return nil, t.Why(locate.NotSelected)
	}

	f.Selected = selected

	for i := range p.TagPolicy.Rules {
		rule := &p.TagPolicy.Rules[i]
		if selected, ok := p.selects(rule.Resources, t.Kind, fmt.Sprintf("tagPolicy.rules[%d].resources", i)); ok {
			f.Rules = append(f.Rules, resourceRule{TagRule: rule, Number: i, selected: selected, field: f})
		}
	}

	return f, ""
}

func isMetadata(f *field.Field) bool { return f.Path.Segments()[0].Field == "metadata" }

// guardFor is the one guard of the profile.
func (p *policy) guardFor(of *profile.Profile) *guard {
	if i := slices.IndexFunc(p.Profiles, func(g *guard) bool { return g.Profile == of }); i >= 0 {
		return p.Profiles[i]
	}

	g := p.guardOf(of)
	p.Profiles = append(p.Profiles, g)

	return g
}

// A selector has the labels of the objects that it selects: all of any entry. Without entries it selects all objects.
type selector []map[string]string

// Of is the condition that it selects the object. It is empty if it selects all.
func (s selector) Of(obj string) string {
	return or(words.Distinct(words.Map(s, func(of map[string]string) string {
		return strings.Join(words.Map(sortedKeys(of), func(key string) string {
			return fmt.Sprintf("%s.metadata.?labels[?%s] == optional.of(%s)", obj, quote(key), quote(of[key]))
		}), " && ")
	}))...)
}

// selects returns the objects of the kind that any of the entries selects, or false if they select none.
func (p *policy) selects(entries []v1beta1.ResourceSelector, k *locate.Kind, where string) (out selector, some bool) {
	for i := range entries {
		e := &entries[i]

		switch {
		case !e.APIVersion.Matches(k.APIVersion) || !e.Kind.Matches(k.Kind.Kind):
		case !e.Name.IsZero() || len(e.MatchTags) > 0:
			p.Notes = add(p.Notes, p.CloudTags.Where(where+"[%d]", i)+" selects by what only a pipeline tells (name, matchTags), so that it selects nothing here")
		case len(e.MatchLabels) == 0:
			return nil, true
		default:
			out = append(out, e.MatchLabels)
		}
	}

	return out, len(entries) == 0 || len(out) > 0
}

// noteLeft adds notes on the kinds without a policy, by the reason. Those that have no tag field, or that the input doesn't want
// tagged, are only counted.
func (p *policy) noteLeft(left map[string][]schema.GroupVersionKind) {
	none := &locate.Target{}

	for _, why := range sortedKeys(left) {
		kinds, names := left[why], ""

		if why != none.Why(locate.NoField) && why != none.Why(locate.NotSelected) {
			names = ":\n#   " + strings.Join(words.Map(kinds, func(k schema.GroupVersionKind) string { return k.GroupVersion().String() + "/" + k.Kind }), "\n#   ")
		}

		p.left = append(p.left, fmt.Sprintf("%s, each of which %s%s", words.Count(len(kinds), "kind", "kinds"), why, names))
	}
}

// name the policies by profile, field and shape. Those for which that isn't enough get numbers.
func (p *policy) name(fields []*tagField) error {
	times := make(map[string]int)

	for _, f := range fields {
		path := strings.TrimPrefix(f.Path.String(), "spec.forProvider.")
		name := strings.ToLower(strings.Join([]string{p.Name, f.Guard.Name, path, string(f.Shape)}, "-"))
		name = strings.Trim(notInNames.ReplaceAllString(name, "-"), "-")

		times[name]++
		if times[name] > 1 {
			name += fmt.Sprintf("-%d", times[name])
		}

		if why := content.IsDNS1123Subdomain(name); len(why) > 0 {
			return errors.Errorf("the name %q of a policy %s: give a shorter --name", name, why[0])
		}

		f.Name = name
	}

	slices.SortFunc(fields, func(a, b *tagField) int { return strings.Compare(a.Name, b.Name) })

	return nil
}

// notInNames matches what paths have and names of objects may not have.
var notInNames = regexp.MustCompile("[^a-z0-9]+")

// Tags is the expression of the tags in the object's field: the key and the value of each, as the function reads them. A field of
// another type has none, and neither has a list with items of another type: an API server that knows them refuses these.
func (f *tagField) Tags(of string) string {
	switch f.Shape {
	case field.Map:
		return f.inMap(of, text("f[k]"))
	case field.MapOfLists:
		return f.inMap(of, "type(f[k]) == list ? f[k].map(v, "+text("v")+").join(', ') : ''")
	case field.KeyValueList:
		return f.inList(of, "map", fmt.Sprintf("{'key': %s, 'value': %s}", text(fmt.Sprintf("e[?%s].orValue(dyn(''))", quote(f.Key))), text(fmt.Sprintf("e[?%s].orValue(dyn(''))", quote(f.Value)))))
	case field.StringList:
		return f.inList(of, "string", fmt.Sprintf("[%s]\n    .map(k, {'key': k, 'value': e.size() > k.size() ? e.substring(k.size() + %d) : ''})[0]", f.itemKey(), utf8.RuneCountInString(f.Separator)))
	case field.Joined, field.Labels, field.None: // tagFieldOf has no policy for these.
	}

	return ""
}

// inMap is the expression of the tags in a map. The value of the key k is that expression.
func (f *tagField) inMap(of, value string) string {
	keys := "f"
	if f.KubernetesLabels {
		keys += ".filter(k, !k.contains('/'))" // Others are no tags.
	}

	return fmt.Sprintf("[%s].map(f, type(f) != map ? [] :\n  %s.map(k, {'key': string(k), 'value': %s}))[0]", at(of, f.Path), keys, value)
}

// inList is the expression of the tags in a list of items of the CEL type. That of the item e is tag.
func (f *tagField) inList(of, item, tag string) string {
	return fmt.Sprintf("[%s].map(f, type(f) != list || f.exists(e, type(e) != %s) ? [] :\n  f.map(e, %s))[0]", at(of, f.Path), item, tag)
}

// text is the expression of a value as text. Null, lists and maps have none.
func text(of string) string {
	return fmt.Sprintf("(type(%[1]s) in [dyn(null_type), dyn(list), dyn(map)] ? '' : string(%[1]s))", of)
}

// itemKey is the expression of the key of the string e: the longest key of a rule that it begins with, or else what is before the first
// separator, or before the first one behind the key prefix if it begins with that.
func (f *tagField) itemKey() string {
	var known, prefixes []string
	for _, r := range f.Rules {
		known = append(known, r.keys()...)
	}

	for _, prefix := range f.Guard.keys.Patterns(f.Guard.policy.KeyPrefix+"*", f.Guard.policy.KeyPrefix) {
		prefixes = append(prefixes, strings.TrimSuffix(prefix, "*"))
	}

	longestFirst := func(of []string) []string {
		slices.SortFunc(of, func(a, b string) int { return cmp.Or(cmp.Compare(len(b), len(a)), strings.Compare(a, b)) })
		return slices.Compact(of)
	}

	separator, item := quote(f.Separator), "e"
	if f.Guard.IgnoresCase() {
		item = f.Guard.folds(item, known...)
		known = words.Map(known, strings.ToLower)
	}

	out := []string{fmt.Sprintf("%s.filter(k, %s.startsWith(k + %s)).map(k, e.substring(0, k.size()))", list(longestFirst(known)), item, separator)}
	for _, prefix := range longestFirst(prefixes) {
		if prefix != "" {
			out = append(out, fmt.Sprintf("(e.startsWith(%[1]s) ? [%[1]s + e.substring(%[2]d).split(%[3]s)[0]] : [])", quote(prefix), utf8.RuneCountInString(prefix), separator))
		}
	}

	return fmt.Sprintf("(%s + [e.split(%s)[0]])[0]", strings.Join(out, " + "), separator)
}

// list returns the strings as a CEL list.
func list(of []string) string { return "[" + strings.Join(words.Map(of, quote), ", ") + "]" }

// KindsIn is the condition, in lines, that the request is for an object of one of the kinds.
func (f *tagField) KindsIn() string {
	var versions []string

	kinds := make(map[string][]string)

	for _, k := range f.kinds {
		v := k.GroupVersion().String()
		versions, kinds[v] = add(versions, v), append(kinds[v], k.Kind)
	}

	lines := words.Map(versions, func(v string) string { return "  " + quote(v) + ": " + list(kinds[v]) })
	return "request.kind.kind in {\n" + strings.Join(lines, ",\n") + "\n}[?request.kind.group + '/' + request.kind.version].orValue([])"
}

// Changes is the condition that the object's controller changes the resource in the cloud: see locate.Adopted and
// locate.ReadOnly. It is empty if all controllers do.
func (f *tagField) Changes(of string) string {
	if !f.native {
		return "[" + of + ".?spec.?managementPolicies.orValue(dyn(null))].all(p, type(p) != list || p.exists(x, x in ['*', 'Create', 'Update']))"
	}

	c, ok := locate.ControllerOf(f.kind.Group)
	if !ok {
		return ""
	}

	return fmt.Sprintf("%s != %s", at(of, c.Path), quote(c.Value))
}
