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
	manifestSettings

	// Checker writes conditions by the tag profile of the kinds.
	Checker *profileChecker

	// kinds that have the field, sorted by group, kind and version.
	kinds []schema.GroupVersionKind

	// InputSelector selects the objects that the input's resources select.
	InputSelector selector

	// Rules of the tagPolicy that are for the kinds.
	Rules []tagFieldRule

	native    bool               // Other controllers than Crossplane's providers reconcile the kinds.
	firstKind *locate.TargetKind // The first of kinds.
}

// tagFields returns one tagField per policy. Together they have the kinds of resourceKinds, but for these:
//
//   - With --match or --provider, other kinds are left out.
//   - A kind without a policy gets a note with the reason.
//
// Kinds share a tagField if the policies on them would say the same.
func (p *policy) tagFields(s *manifest.Step, profiles []*profile.Profile) ([]*tagField, error) {
	targets := p.newTargets(s)
	profileNames := words.Map(profiles, func(prof *profile.Profile) string { return prof.Name })

	var (
		out           []*tagField
		byContent     = make(map[string]*tagField)
		withoutPolicy = make(map[string][]schema.GroupVersionKind) // Kinds without a policy, by reason.
		hasPolicy     = make(map[string]bool)                      // By kind, for all of its versions.
		reasons       = make(map[string]string)                    // The first reason against a policy, by kind.
	)

	for _, gvk := range p.resourceKinds() {
		kind := gvk.Group + "/" + gvk.Kind
		if len(p.Kinds) > 0 && !slices.Contains(p.Kinds, kind) {
			continue
		}

		t := targets.Read("", emptyObject(gvk))
		isLocated := targets.Locate(t)

		if len(profiles) > 0 && !slices.Contains(profileNames, t.Profile.Name) {
			continue
		}

		f, reason := p.tagFieldOf(t, isLocated)
		if reason != "" {
			withoutPolicy[reason], reasons[kind] = append(withoutPolicy[reason], gvk), cmp.Or(reasons[kind], reason)
			continue
		}

		policyContent := f.content()
		if byContent[policyContent] == nil {
			byContent[policyContent], out = f, append(out, f)
		}

		byContent[policyContent].kinds = append(byContent[policyContent].kinds, gvk)
		hasPolicy[kind] = true
	}

	if p.Provider != nil && !p.Provider.FromFieldPath.IsZero() {
		p.Notes = append(p.Notes, fmt.Sprintf("the provider at %s of the composite resource: kinds of unknown providers have the limits of %s", p.Provider.FromFieldPath, profile.Generic))
	}

	p.noteKinds(withoutPolicy)

	unknown := "is neither a kind of the built-in index nor one that tagFields name"
	if p.schemas != nil {
		unknown = "isn't in --crds, or has an API group that neither the built-in index nor tagFields have"
	}

	for _, kind := range p.Kinds {
		if !hasPolicy[kind] {
			reason := cmp.Or(reasons[kind], unknown)
			return nil, errors.Errorf("--match: there can be no policy for %s, which %s", strings.TrimPrefix(kind, "/"), reason)
		}
	}

	return out, p.setNames(out)
}

// newTargets returns targets that locate tag fields as the function does for the step. With --crds, they use the schemas of the cluster.
func (p *policy) newTargets(s *manifest.Step) *locate.Targets {
	composite, _ := schema.ParseGroupVersion(s.Composite.APIVersion) // Command.step has checked it.
	finder := &locate.Finder{
		Input: p.CloudTags, CompositeGroup: composite.Group,
		Fields:  func(schemas field.Schemas) field.Locator { return field.ForInput(p.CloudTags, schemas) },
		Schemas: field.Schemas{Of: func(k schema.GroupVersionKind) object.Node { return p.schemas[k] }},
	}

	return finder.NewTargets()
}

// emptyObject returns an object of the kind without other fields.
func emptyObject(gvk schema.GroupVersionKind) object.Object {
	return object.Tree(&structpb.Struct{Fields: map[string]*structpb.Value{
		"apiVersion": structpb.NewStringValue(gvk.GroupVersion().String()), "kind": structpb.NewStringValue(gvk.Kind),
	}})
}

// content returns what the policy of the field says, but for its kinds. Fields with the same content share a policy.
func (f *tagField) content() string {
	parts := words.Map(f.Rules, tagFieldRule.BreachMessages)
	parts = append(parts, f.Tags("object"), f.Checker.Name, f.InputSelector.Selects("object"), f.ChangesCloud("object"))

	return strings.Join(parts, "\x00")
}

// readSchemas keeps the schemas of the kinds that the files at the paths define. It leaves out kinds whose API group the function doesn't
// know, unless an entry of tagFields matches them. With fieldDiscovery Index, the schemas are empty.
func (p *policy) readSchemas(r *manifest.Reader, paths []string) error {
	if len(paths) == 0 {
		return nil
	}

	p.schemas = make(map[schema.GroupVersionKind]object.Node)
	defined := 0

	err := r.Definitions(paths, func(d manifest.Definition) {
		defined++

		inTagFields := slices.ContainsFunc(p.TagFields, func(entry v1beta1.TagField) bool {
			return entry.APIVersion.Matches(d.GroupVersion().String()) && entry.Kind.Matches(d.Kind)
		})
		if !inTagFields && !field.BuiltIn().HasGroup(d.Group) {
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

// resourceKinds returns the kinds in --crds, sorted. Without --crds, it returns the kinds of the built-in index and of the input's tagFields.
func (p *policy) resourceKinds() []schema.GroupVersionKind {
	if p.schemas != nil {
		return slices.SortedFunc(maps.Keys(p.schemas), field.Compare)
	}

	var out []schema.GroupVersionKind

	for gvk := range field.BuiltIn().All() {
		out = append(out, gvk)
	}

	for i := range p.TagFields {
		entry := &p.TagFields[i]
		if strings.Contains(entry.APIVersion.String()+entry.Kind.String(), "*") {
			p.Notes = append(p.Notes, p.Where("tagFields[%d]", i)+": kinds that the built-in index doesn't have, and that the entry doesn't name")
			continue
		}

		out = append(out, schema.FromAPIVersionAndKind(entry.APIVersion.String(), entry.Kind.String()))
	}

	slices.SortFunc(out, field.Compare)

	return slices.Compact(out)
}

// tagFieldOf returns the tag field of the target, or the reason why the target has no policy. isLocated says whether the target has a tag
// field.
func (p *policy) tagFieldOf(t *locate.Target, isLocated bool) (_ *tagField, reason string) {
	switch {
	case !isLocated:
		return nil, t.WhyLeftAlone(t.NoFieldReason)
	case t.Profile.PassesLabelsOn:
		return nil, "gets labels, which are no tags"
	case t.Field.Shape == field.Joined:
		return nil, "has its tags in one string"
	case isMetadata(t.Field) && !t.Field.KubernetesLabels:
		return nil, "has its tags in Kubernetes metadata"
	}

	inputSelector, selectsAny := p.selectorOf(p.Resources, t.Kind, "resources")
	if !selectsAny {
		return nil, t.WhyLeftAlone(locate.NotSelected)
	}

	family, _ := field.FamilyOf(t.Kind.GroupKind())
	f := &tagField{
		Field: t.Field, manifestSettings: p.manifestSettings, Checker: p.checkerFor(t.Profile), InputSelector: inputSelector,
		native: family.Native, firstKind: t.Kind,
	}

	if t.ForInstanceMetadata != nil {
		p.Notes = appendUnique(p.Notes, "instances and launch templates of EC2: the policies don't look at instanceMetadataTags, with which EC2 admits fewer keys")
	}

	for i := range p.TagPolicy.Rules {
		rule := &p.TagPolicy.Rules[i]
		if ruleSelector, selectsAny := p.selectorOf(rule.Resources, t.Kind, fmt.Sprintf("tagPolicy.rules[%d].resources", i)); selectsAny {
			f.Rules = append(f.Rules, tagFieldRule{TagRule: rule, Number: i, selector: ruleSelector, field: f})
		}
	}

	return f, ""
}

// isMetadata reports whether the field is in Kubernetes metadata, such as metadata.labels.
func isMetadata(f *field.Field) bool { return f.Path.Segments()[0].Field == "metadata" }

// checkerFor returns the checker of the profile. All tag fields of the profile share it.
func (p *policy) checkerFor(prof *profile.Profile) *profileChecker {
	if i := slices.IndexFunc(p.Checkers, func(c *profileChecker) bool { return c.Profile == prof }); i >= 0 {
		return p.Checkers[i]
	}

	c := p.newChecker(prof)
	p.Checkers = append(p.Checkers, c)

	return c
}

// A selector selects the objects that have all labels of one of its entries. Without entries, it selects all objects.
type selector []map[string]string

// Selects returns the condition that the selector selects the object. It is empty if the selector selects all objects.
func (s selector) Selects(obj string) string {
	return anyOf(words.Distinct(words.Map(s, func(labels map[string]string) string {
		return strings.Join(words.Map(sortedKeys(labels), func(key string) string {
			return fmt.Sprintf("%s.metadata.?labels[?%s] == optional.of(%s)", obj, quote(key), quote(labels[key]))
		}), " && ")
	}))...)
}

// selectorOf returns the selector for objects of the kind. An object is selected if one of the entries selects it. selectsAny is false if no
// entry selects objects of the kind. path is the path of the entries in the input. selectorOf adds notes on entries that only a
// pipeline can follow, such as {name: bucket}.
func (p *policy) selectorOf(entries []v1beta1.ResourceSelector, k *locate.TargetKind, path string) (out selector, selectsAny bool) {
	for i := range entries {
		entry := &entries[i]

		switch {
		case !entry.APIVersion.Matches(k.APIVersion) || !entry.Kind.Matches(k.Kind.Kind): // The entry is for other kinds.
		case !entry.Name.IsZero() || len(entry.MatchTags)+len(entry.MatchCloudTags) > 0:
			p.Notes = appendUnique(p.Notes, p.Where(path+"[%d]", i)+" selects nothing here, since only a pipeline knows name, matchTags and matchCloudTags")
		case len(entry.MatchLabels) == 0:
			return nil, true
		default:
			out = append(out, entry.MatchLabels)
		}
	}

	return out, len(entries) == 0 || len(out) > 0
}

// noteKinds adds notes on the kinds without a policy, by reason, e.g. "2 kinds, each of which has its tags in one string". A note has the
// names of its kinds, unless they have no tag field or the input doesn't select them.
func (p *policy) noteKinds(kindsByReason map[string][]schema.GroupVersionKind) {
	target := &locate.Target{Kind: &locate.TargetKind{}}
	unnamed := []string{target.WhyLeftAlone(locate.NoField), target.WhyLeftAlone(locate.NotSelected)}

	for _, reason := range sortedKeys(kindsByReason) {
		kinds, names := kindsByReason[reason], ""

		if !slices.Contains(unnamed, reason) {
			names = ":\n#   " + strings.Join(words.Map(kinds, func(k schema.GroupVersionKind) string { return k.GroupVersion().String() + "/" + k.Kind }), "\n#   ")
		}

		p.kindNotes = append(p.kindNotes, fmt.Sprintf("%s, each of which %s%s", words.Count(len(kinds), "kind", "kinds"), reason, names))
	}
}

// setNames gives each policy a name of profile, field and shape, such as cloud-tags-aws-tags-map. If several have the same name, all but
// the first get a number. setNames sorts the fields by the names of their policies.
func (p *policy) setNames(fields []*tagField) error {
	counts := make(map[string]int)

	for _, f := range fields {
		path := strings.TrimPrefix(f.Path.String(), "spec.forProvider.")
		name := strings.ToLower(strings.Join([]string{p.Name, f.Checker.Name, path, string(f.Shape)}, "-"))
		name = strings.Trim(notInNames.ReplaceAllString(name, "-"), "-")

		counts[name]++
		if counts[name] > 1 {
			name += fmt.Sprintf("-%d", counts[name])
		}

		if faults := content.IsDNS1123Subdomain(name); len(faults) > 0 {
			return errors.Errorf("the name %q of a policy %s: give a shorter --name", name, faults[0])
		}

		f.Name = name
	}

	slices.SortFunc(fields, func(a, b *tagField) int { return strings.Compare(a.Name, b.Name) })

	return nil
}

// notInNames matches characters that the names of policies may not have, such as the brackets of a path.
var notInNames = regexp.MustCompile("[^a-z0-9]+")

// Tags returns the expression of the tags in the object's field, such as [{'key': 'owner', 'value': 'a'}]. They are the tags that the
// function reads there. If the field or an item of it has a wrong type, there are no tags. The API server refuses such objects by their schema.
func (f *tagField) Tags(obj string) string {
	switch f.Shape {
	case field.Map:
		return f.tagsInMap(obj, asText("f[k]"))
	case field.MapOfLists:
		return f.tagsInMap(obj, "type(f[k]) == list ? f[k].map(v, "+asText("v")+").join(', ') : ''")
	case field.KeyValueList:
		member := func(name string) string { return asText(fmt.Sprintf("e[?%s].orValue(dyn(''))", quote(name))) }
		return f.tagsInList(obj, "map", fmt.Sprintf("{'key': %s, 'value': %s}", member(f.Key), member(f.Value)))
	case field.StringList:
		// The value begins after the key and the separator.
		tag := fmt.Sprintf("{'key': k, 'value': e.size() > k.size() ? e.substring(k.size() + %d) : ''}", utf8.RuneCountInString(f.Separator))
		return f.tagsInList(obj, "string", fmt.Sprintf("[%s]\n    .map(k, %s)[0]", f.itemKey(), tag))
	case field.Joined, field.Labels, field.None: // There are no policies for these: see tagFieldOf.
	}

	return ""
}

// tagsInMap returns the expression of the tags in a map, which is f in the expression. value is the expression of the value of the key k.
func (f *tagField) tagsInMap(obj, value string) string {
	keys := "f"
	if f.KubernetesLabels {
		keys += ".filter(k, !k.contains('/'))" // Labels with a slash in the key are Kubernetes' own, and become no tags.
	}

	return let("f", valueAt(obj, f.Path), fmt.Sprintf("type(f) != map ? [] :\n  %s.map(k, {'key': string(k), 'value': %s})", keys, value))
}

// tagsInList returns the expression of the tags in a list, which is f in the expression. itemType is the CEL type of the list's items. tag is
// the expression of the tag of the item e.
func (f *tagField) tagsInList(obj, itemType, tag string) string {
	return let("f", valueAt(obj, f.Path), fmt.Sprintf("type(f) != list || f.exists(e, type(e) != %s) ? [] :\n  f.map(e, %s)", itemType, tag))
}

// asText returns the expression of a value as text, such as '1' of 1. The text of null, lists and maps is empty.
func asText(expression string) string {
	return fmt.Sprintf("(type(%[1]s) in [dyn(null_type), dyn(list), dyn(map)] ? '' : string(%[1]s))", expression)
}

// itemKey returns the expression of the tag key in the string e, such as acme:owner in acme:owner:me. The key is the first of these that e
// begins with:
//
//   - the longest key of a rule that stands before a separator
//   - the key prefix and the text after it, up to a separator
//   - the text up to a separator
func (f *tagField) itemKey() string {
	ruleKeys := slices.Concat(words.Map(f.Rules, tagFieldRule.tagKeys)...)
	patterns := f.Checker.keyFormat.Patterns(f.Checker.policy.KeyPrefix+"*", f.Checker.policy.KeyPrefix)
	prefixes := words.Map(patterns, func(pattern string) string { return strings.TrimSuffix(pattern, "*") })

	longestFirst := func(texts []string) []string {
		slices.SortFunc(texts, func(a, b string) int { return cmp.Or(cmp.Compare(len(b), len(a)), strings.Compare(a, b)) })
		return slices.Compact(texts)
	}

	separator, item := quote(f.Separator), "e"
	if f.Checker.IgnoresCase() {
		item = f.Checker.foldCase(item, ruleKeys...)
		ruleKeys = words.Map(ruleKeys, strings.ToLower)
	}

	lists := []string{fmt.Sprintf("%s.filter(k, %s.startsWith(k + %s)).map(k, e.substring(0, k.size()))", celList(longestFirst(ruleKeys)), item, separator)}
	for _, prefix := range longestFirst(prefixes) {
		if prefix != "" {
			lists = append(lists, fmt.Sprintf("(e.startsWith(%[1]s) ? [%[1]s + e.substring(%[2]d).split(%[3]s)[0]] : [])", quote(prefix), utf8.RuneCountInString(prefix), separator))
		}
	}

	return fmt.Sprintf("(%s + [e.split(%s)[0]])[0]", strings.Join(lists, " + "), separator)
}

// IsOfKinds returns the condition that the request is for an object of one of the kinds.
func (f *tagField) IsOfKinds() string {
	var versions []string

	namesByVersion := make(map[string][]string)

	for _, k := range f.kinds {
		v := k.GroupVersion().String()
		versions, namesByVersion[v] = appendUnique(versions, v), append(namesByVersion[v], k.Kind)
	}

	lines := words.Map(versions, func(v string) string { return "  " + quote(v) + ": " + celList(namesByVersion[v]) })
	return "request.kind.kind in {\n" + strings.Join(lines, ",\n") + "\n}[?request.kind.group + '/' + request.kind.version].orValue([])"
}

// ChangesCloud returns the condition that the object's controller makes or changes the resource in the cloud, instead of only observing it.
// The condition is empty if the controller always does.
func (f *tagField) ChangesCloud(obj string) string {
	if !f.native {
		return "[" + obj + ".?spec.?managementPolicies.orValue(dyn(null))].all(p, type(p) != list || p.exists(x, x in ['*', 'Create', 'Update']))"
	}

	readOnly, ok := locate.ControllerOf(f.firstKind.Group)
	if !ok {
		return ""
	}

	return fmt.Sprintf("%s != %s", valueAt(obj, readOnly.Path), quote(readOnly.Value))
}
