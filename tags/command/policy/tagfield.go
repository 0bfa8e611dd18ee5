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

// A tagField is a tag field of managed resources of several kinds. It has a policy of its own.
type tagField struct {
	*field.Field
	settings

	// Guard has the tag profile of the kinds.
	Guard *guard

	// kinds that have the field, sorted by group, kind and version.
	kinds []schema.GroupVersionKind

	// Selected selects the objects that the input selects.
	Selected selector

	// Rules of the tag policy that are for the kinds.
	Rules []tagFieldRule

	native bool
	kind   *locate.TargetKind // The first of kinds.
}

// tagFields returns one tagField per policy, for all resourceKinds:
//
//   - Kinds share a tagField if the policies on them would say the same.
//   - If profiles are given, kinds of other profiles have none.
//   - A kind without a policy gets a note, with the reason.
func (p *policy) tagFields(s *manifest.Step, profiles []*profile.Profile) ([]*tagField, error) {
	composite, _ := schema.ParseGroupVersion(s.Composite.APIVersion) // The caller has parsed it.
	targets := (&locate.Finder{
		Input: p.CloudTags, CompositeGroup: composite.Group,
		Fields:  func(schemas field.Schemas) field.Locator { return field.ForInput(p.CloudTags, schemas) },
		Schemas: field.Schemas{Of: func(k schema.GroupVersionKind) object.Node { return p.schemas[k] }},
	}).NewTargets()

	var (
		out   []*tagField
		known = make(map[string]*tagField)
		left  = make(map[string][]schema.GroupVersionKind)
		whys  = make(map[string]string) // By kind, for all of its versions.
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

		if len(profiles) > 0 && !slices.ContainsFunc(profiles, func(prof *profile.Profile) bool { return prof.Name == t.Profile.Name }) {
			continue
		}

		f, why := p.tagFieldOf(t, located)
		if why != "" {
			left[why], whys[kind] = append(left[why], gvk), cmp.Or(whys[kind], why)
			continue
		}

		// Kinds with the same id share a policy.
		id := strings.Join(append(words.Map(f.Rules, tagFieldRule.Breach), f.Tags("object"), t.Profile.Name, f.Selected.Selects("object"), f.Managed("object")), "\x00")
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

// hasPolicy stands for the reason of a kind that has a policy.
const hasPolicy = "has a policy"

// readDefinitions keeps the schemas of the cluster's kinds. It leaves out a kind if the function doesn't know its API group, unless an
// entry of tagFields matches it. With fieldDiscovery Index, the schemas are empty.
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
		err = errors.Errorf("--crds: no served kinds of custom resource definitions in %s: give the output of kubectl get crds -o json", strings.Join(paths, ", "))
	}

	return err
}

// resourceKinds returns the kinds of the cluster, sorted. Without --crds, it returns the kinds of the index and of the input's tagFields.
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

// tagFieldOf returns the tag field of the target, or why the target has no policy.
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

	selected, ok := p.selectorOf(p.Resources, t.Kind, "resources")
	if !ok {
		return nil, t.Why(locate.NotSelected)
	}

	f.Selected = selected

	if t.Shown != nil {
		p.Notes = add(p.Notes, "instances and launch templates of EC2: the policies don't look at instanceMetadataTags, with which EC2 admits fewer keys")
	}

	for i := range p.TagPolicy.Rules {
		rule := &p.TagPolicy.Rules[i]
		if selected, ok := p.selectorOf(rule.Resources, t.Kind, fmt.Sprintf("tagPolicy.rules[%d].resources", i)); ok {
			f.Rules = append(f.Rules, tagFieldRule{TagRule: rule, Number: i, selected: selected, field: f})
		}
	}

	return f, ""
}

// isMetadata reports whether the tags are Kubernetes metadata, such as metadata.labels.
func isMetadata(f *field.Field) bool { return f.Path.Segments()[0].Field == "metadata" }

// guardFor returns the guard of the profile. All tag fields of a profile share it.
func (p *policy) guardFor(prof *profile.Profile) *guard {
	if i := slices.IndexFunc(p.Profiles, func(g *guard) bool { return g.Profile == prof }); i >= 0 {
		return p.Profiles[i]
	}

	g := p.newGuard(prof)
	p.Profiles = append(p.Profiles, g)

	return g
}

// A selector selects objects that have all labels of any of its entries. Without entries, it selects all objects.
type selector []map[string]string

// Selects returns the condition that the selector selects the object. It is empty if the selector selects all objects.
func (s selector) Selects(obj string) string {
	return or(words.Distinct(words.Map(s, func(labels map[string]string) string {
		return strings.Join(words.Map(sortedKeys(labels), func(key string) string {
			return fmt.Sprintf("%s.metadata.?labels[?%s] == optional.of(%s)", obj, quote(key), quote(labels[key]))
		}), " && ")
	}))...)
}

// selectorOf returns a selector of the kind's objects that any of the entries selects. It returns false if the entries select none. It
// notes entries that need a pipeline, such as {name: bucket}.
func (p *policy) selectorOf(entries []v1beta1.ResourceSelector, k *locate.TargetKind, where string) (out selector, some bool) {
	for i := range entries {
		e := &entries[i]

		switch {
		case !e.APIVersion.Matches(k.APIVersion) || !e.Kind.Matches(k.Kind.Kind):
		case !e.Name.IsZero() || len(e.MatchTags)+len(e.MatchCloudTags) > 0:
			p.Notes = add(p.Notes, p.CloudTags.Where(where+"[%d]", i)+" selects by what only a pipeline tells (name, matchTags, matchCloudTags), so that it selects nothing here")
		case len(e.MatchLabels) == 0:
			return nil, true
		default:
			out = append(out, e.MatchLabels)
		}
	}

	return out, len(entries) == 0 || len(out) > 0
}

// noteLeft adds notes on the kinds without a policy, by reason, e.g. "2 kinds, each of which has its tags in one string". It doesn't name
// kinds without a tag field, and kinds that the input doesn't select.
func (p *policy) noteLeft(left map[string][]schema.GroupVersionKind) {
	none := &locate.Target{Kind: &locate.TargetKind{}}

	for _, why := range sortedKeys(left) {
		kinds, names := left[why], ""

		if why != none.Why(locate.NoField) && why != none.Why(locate.NotSelected) {
			names = ":\n#   " + strings.Join(words.Map(kinds, func(k schema.GroupVersionKind) string { return k.GroupVersion().String() + "/" + k.Kind }), "\n#   ")
		}

		p.left = append(p.left, fmt.Sprintf("%s, each of which %s%s", words.Count(len(kinds), "kind", "kinds"), why, names))
	}
}

// name gives the policies names by profile, field and shape. Policies with the same of all three get numbers.
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

// notInNames matches characters of paths that names of objects may not have.
var notInNames = regexp.MustCompile("[^a-z0-9]+")

// Tags returns the expression of the tags in the object's field, such as [{'key': 'owner', 'value': 'a'}], as the function reads them. A
// field of another type has no tags, and neither has a list with items of another type: the API server refuses these by their schema.
func (f *tagField) Tags(obj string) string {
	switch f.Shape {
	case field.Map:
		return f.inMap(obj, text("f[k]"))
	case field.MapOfLists:
		return f.inMap(obj, "type(f[k]) == list ? f[k].map(v, "+text("v")+").join(', ') : ''")
	case field.KeyValueList:
		return f.inList(obj, "map", fmt.Sprintf("{'key': %s, 'value': %s}", text(fmt.Sprintf("e[?%s].orValue(dyn(''))", quote(f.Key))), text(fmt.Sprintf("e[?%s].orValue(dyn(''))", quote(f.Value)))))
	case field.StringList:
		return f.inList(obj, "string", fmt.Sprintf("[%s]\n    .map(k, {'key': k, 'value': e.size() > k.size() ? e.substring(k.size() + %d) : ''})[0]", f.itemKey(), utf8.RuneCountInString(f.Separator)))
	case field.Joined, field.Labels, field.None: // tagFieldOf has no policy for these.
	}

	return ""
}

// inMap returns the expression of the tags in a map. value is the expression of the value of the key k.
func (f *tagField) inMap(obj, value string) string {
	keys := "f"
	if f.KubernetesLabels {
		keys += ".filter(k, !k.contains('/'))" // Others are no tags.
	}

	return fmt.Sprintf("[%s].map(f, type(f) != map ? [] :\n  %s.map(k, {'key': string(k), 'value': %s}))[0]", at(obj, f.Path), keys, value)
}

// inList returns the expression of the tags in a list of items of the CEL type. tag is the expression of the tag of the item e.
func (f *tagField) inList(obj, item, tag string) string {
	return fmt.Sprintf("[%s].map(f, type(f) != list || f.exists(e, type(e) != %s) ? [] :\n  f.map(e, %s))[0]", at(obj, f.Path), item, tag)
}

// text returns the expression of a value as text. Null, lists and maps have no text.
func text(expression string) string {
	return fmt.Sprintf("(type(%[1]s) in [dyn(null_type), dyn(list), dyn(map)] ? '' : string(%[1]s))", expression)
}

// itemKey returns the expression of the key of the string e. The key is, in this order:
//
//   - the longest key of a rule, with a separator after it, at the beginning of the string;
//   - the text before the first separator after the key prefix, if the string begins with the prefix;
//   - the text before the first separator.
func (f *tagField) itemKey() string {
	known := slices.Concat(words.Map(f.Rules, tagFieldRule.keys)...)
	patterns := f.Guard.keys.Patterns(f.Guard.policy.KeyPrefix+"*", f.Guard.policy.KeyPrefix)
	prefixes := words.Map(patterns, func(pattern string) string { return strings.TrimSuffix(pattern, "*") })

	longestFirst := func(keys []string) []string {
		slices.SortFunc(keys, func(a, b string) int { return cmp.Or(cmp.Compare(len(b), len(a)), strings.Compare(a, b)) })
		return slices.Compact(keys)
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

// list returns the texts as a CEL list.
func list(texts []string) string { return "[" + strings.Join(words.Map(texts, quote), ", ") + "]" }

// KindsIn returns the condition, in lines, that the request is for an object of one of the kinds.
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

// Managed returns the condition that the object's controller changes the resource in the cloud: see locate.ObservedOnly and locate.ReadOnly.
// It is empty if the controller always does.
func (f *tagField) Managed(obj string) string {
	if !f.native {
		return "[" + obj + ".?spec.?managementPolicies.orValue(dyn(null))].all(p, type(p) != list || p.exists(x, x in ['*', 'Create', 'Update']))"
	}

	c, ok := locate.ControllerOf(f.kind.Group)
	if !ok {
		return ""
	}

	return fmt.Sprintf("%s != %s", at(obj, c.Path), quote(c.Value))
}
