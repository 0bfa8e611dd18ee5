package policy

import (
	"cmp"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"k8s.io/apimachinery/pkg/api/validate/content"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/crossplane/function-sdk-go/errors"

	"github.com/plexsphere/function-cloud-tags/input/v1beta1"
	"github.com/plexsphere/function-cloud-tags/tags"
	"github.com/plexsphere/function-cloud-tags/tags/field"
	"github.com/plexsphere/function-cloud-tags/tags/locate"
	"github.com/plexsphere/function-cloud-tags/tags/manifest"
	"github.com/plexsphere/function-cloud-tags/tags/object"
	"github.com/plexsphere/function-cloud-tags/tags/profile"
	"github.com/plexsphere/function-cloud-tags/tags/words"
)

// A tagField is a tag field with the kinds of managed resources that have it, such as spec.forProvider.tags of kinds of Upbound's
// provider for AWS. The command writes an admission policy for each tagField.
type tagField struct {
	*field.Field

	policyName string

	// Checker has the tag profile of the kinds.
	Checker *profileChecker

	// kinds are the kinds that have the field, sorted by group, kind and version.
	kinds []schema.GroupVersionKind

	// InputSelector selects objects of these kinds as "resources" of the input does.
	InputSelector selector

	// Rules are the rules of the tagPolicy for these kinds.
	Rules []tagFieldRule
}

// A tagFieldRule is a rule of the tagPolicy that is for kinds of a tagField.
type tagFieldRule struct {
	*v1beta1.TagRule

	Number int // The index of the rule in tagPolicy.rules.

	// selector selects the objects of these kinds that the rule is for.
	selector selector
}

// resourcePolicies returns the policies on managed resources and their bindings as YAML. There is one policy for each tagField. It refuses
// resources whose tags break the input's tagPolicy.
func (p *policy) resourcePolicies(s *manifest.Step, profiles []*profile.Profile) (string, error) {
	if p.TagPolicy == nil {
		return "", errors.New("--resources: the input has no tagPolicy: write one with the rules to judge by")
	}

	fields, err := p.tagFields(s, profiles)
	if err != nil {
		return "", err
	}

	fields = slices.DeleteFunc(fields, func(f *tagField) bool { return len(f.Rules) == 0 })
	if len(fields) == 0 {
		return "", errors.New("--resources: no rule of tagPolicy is for a kind that has a tag field: change resources of the rules, or --match, --provider and --crds")
	}

	return p.toYAML("", slices.Concat(words.Map(fields, p.resourcePolicy)...)), nil
}

// tagFields returns the tagFields of the kinds in resourceKinds. Kinds share a tagField if the policies on them would say the same. A kind
// for which no policy is possible is among Unchecked, with the reason. tagFields leaves out, without a text in Unchecked:
//
//   - with --match, kinds that it doesn't name
//   - with --provider, kinds with other profiles than the given ones
func (p *policy) tagFields(s *manifest.Step, profiles []*profile.Profile) ([]*tagField, error) {
	targets := p.newTargets(s)

	var fields []*tagField // One for each kind with a policy. They are grouped at the end.

	kindsByReason := make(map[string][]schema.GroupVersionKind) // The kinds without a policy, by a reason such as "has its tags in one string".
	reasonByKind := make(map[string]string)                     // The reason of a kind's first version.

	for _, gvk := range p.resourceKinds() {
		kind := kindOf(gvk)
		if len(p.Kinds) > 0 && !slices.Contains(p.Kinds, kind) {
			continue
		}

		// An object with apiVersion and kind alone stands for all objects of the kind.
		empty := object.MapNode(map[string]object.Node{"apiVersion": object.TextNode(gvk.GroupVersion().String()), "kind": object.TextNode(gvk.Kind)})
		t := targets.Read("", empty.Object())
		targets.Locate(t)

		if len(profiles) > 0 && !slices.ContainsFunc(profiles, func(prof *profile.Profile) bool { return prof.Name == t.Profile.Name }) {
			continue
		}

		f, reason := p.tagFieldOf(t)
		if reason == "" {
			fields = append(fields, f)
			continue
		}

		kindsByReason[reason] = append(kindsByReason[reason], gvk)
		reasonByKind[kind] = cmp.Or(reasonByKind[kind], reason)
	}

	if p.Provider != nil && !p.Provider.FromFieldPath.IsZero() {
		p.Unchecked = append(p.Unchecked, fmt.Sprintf("the provider at %s of the composite resource: kinds of unknown providers have the limits of %s", p.Provider.FromFieldPath, profile.Generic))
	}

	p.addUnchecked(kindsByReason)

	whyUnknown := "is neither a kind of the built-in index nor one that tagFields name"
	if p.schemas != nil {
		whyUnknown = "isn't in --crds, or has an API group that neither the built-in index nor tagFields have"
	}

	for _, kind := range p.Kinds {
		if !slices.ContainsFunc(fields, func(f *tagField) bool { return kindOf(f.kinds[0]) == kind }) { // So far, each field has one kind.
			return nil, errors.Errorf("--match: there can be no policy for %s, which %s", kindTitle(kind), cmp.Or(reasonByKind[kind], whyUnknown))
		}
	}

	// Fields with the same content become one field with the kinds of all.
	out := words.Map(words.Grouped(fields, (*tagField).content), func(same []*tagField) *tagField {
		same[0].kinds = words.Map(same, func(f *tagField) schema.GroupVersionKind { return f.kinds[0] })
		return same[0]
	})

	return out, p.setNames(out)
}

// kindOf returns the kind without its version, as parseKind does, such as s3.aws.upbound.io/Bucket.
func kindOf(gvk schema.GroupVersionKind) string { return gvk.Group + "/" + gvk.Kind }

// newTargets returns targets that locate tag fields as the function does in the step. With --crds, the targets use the cluster's schemas.
func (p *policy) newTargets(s *manifest.Step) *locate.Targets {
	composite, _ := schema.ParseGroupVersion(s.Composite.APIVersion) // Command.step has checked it.

	return (&locate.Finder{
		Input: p.CloudTags, CompositeGroup: composite.Group,
		NewLocator: func(schemas field.Schemas) field.Locator { return field.ForInput(p.CloudTags, schemas) },
		Schemas:    field.Schemas{Of: func(k schema.GroupVersionKind) object.Node { return p.schemas[k] }},
	}).NewTargets()
}

// content returns all that the policy of the field says, without the kinds. Fields with the same content share a policy.
func (f *tagField) content() string {
	parts := append(words.Map(f.Rules, f.BreachMessages), f.Tags("object"), f.Checker.Name, f.InputSelector.Selects("object"), f.ChangesCloud("object"))

	return strings.Join(parts, "\x00")
}

// readSchemas sets p.schemas to the schemas of kinds that the definitions define. These are in the files at the paths, or in the cluster. It
// keeps a kind if the function knows the kind's API group, or if an entry of tagFields is for the kind.
func (p *policy) readSchemas(paths []string, definitions func(func(manifest.Definition)) error) error {
	p.schemas = make(map[schema.GroupVersionKind]object.Node)
	defined := 0

	err := definitions(func(d manifest.Definition) {
		defined++

		hasEntry := slices.ContainsFunc(p.TagFields, func(entry v1beta1.TagField) bool {
			return entry.APIVersion.Matches(d.GroupVersion().String()) && entry.Kind.Matches(d.Kind)
		})
		if !hasEntry && !field.BuiltIn().HasGroup(d.Group) {
			return
		}

		p.schemas[d.GroupVersionKind] = object.Node{} // With fieldDiscovery Index, the kind counts, but its schema doesn't.
		if p.FieldDiscovery != v1beta1.FieldDiscoveryIndex {
			p.schemas[d.GroupVersionKind] = object.FromStruct(d.Schema).Node()
		}
	})
	if err == nil && defined == 0 {
		err = errors.Errorf("--crds: no served kinds of custom resource definitions in %s: give the output of kubectl get crds -o json", cmp.Or(strings.Join(paths, ", "), "the cluster"))
	}

	return err
}

// resourceKinds returns the sorted kinds in --crds. Without --crds, it returns all kinds of the built-in index and of tagFields.
func (p *policy) resourceKinds() []schema.GroupVersionKind {
	if p.schemas != nil {
		return slices.SortedFunc(maps.Keys(p.schemas), field.Compare)
	}

	var out []schema.GroupVersionKind
	for kind := range field.BuiltIn().All() {
		out = append(out, kind)
	}

	for i := range p.TagFields {
		entry := &p.TagFields[i]
		if strings.Contains(entry.APIVersion.String()+entry.Kind.String(), "*") { // The entry has a pattern, and doesn't name the kinds.
			p.Unchecked = append(p.Unchecked, p.Where("tagFields[%d]", i)+": kinds that the built-in index doesn't have, and that the entry doesn't name")
			continue
		}

		out = append(out, schema.FromAPIVersionAndKind(entry.APIVersion.String(), entry.Kind.String()))
	}

	return slices.Compact(slices.SortedFunc(slices.Values(out), field.Compare))
}

// tagFieldOf returns the tagField of the target, or the reason why the target has no policy.
func (p *policy) tagFieldOf(t *locate.Target) (_ *tagField, reason string) {
	switch {
	case t.NoFieldReason != locate.None:
		return nil, t.WhyLeftAlone(t.NoFieldReason)
	case t.Profile.HandsLabelsOn:
		return nil, "gets labels, which are no tags" // It is a composite resource. The Composition of it makes the tags.
	case t.Field.Shape == field.Joined:
		return nil, "has its tags in one string"
	case t.Field.Path.Segments()[0].Field == "metadata" && !t.Field.KubernetesLabels: // Not in metadata.labels, but in annotations, for example.
		return nil, "has its tags in Kubernetes metadata"
	}

	inputSelector, isForKind := p.selectorOf(p.Resources, t.Kind, "resources")
	if !isForKind {
		return nil, t.WhyLeftAlone(locate.NotSelected)
	}

	f := &tagField{Field: t.Field, Checker: p.newChecker(t.Profile), kinds: []schema.GroupVersionKind{t.Kind.GroupVersionKind}, InputSelector: inputSelector}

	if t.ForInstanceMetadata != nil {
		p.Unchecked = appendUnique(p.Unchecked, "instances and launch templates of EC2: the policies don't look at instanceMetadataTags, with which EC2 admits fewer keys")
	}

	for i := range p.TagPolicy.Rules {
		rule := &p.TagPolicy.Rules[i]
		if ruleSelector, isForKind := p.selectorOf(rule.Resources, t.Kind, fmt.Sprintf("tagPolicy.rules[%d].resources", i)); isForKind {
			f.Rules = append(f.Rules, tagFieldRule{TagRule: rule, Number: i, selector: ruleSelector})
		}
	}

	return f, ""
}

// A selector selects the objects that any of its entries selects. Without entries, it selects all objects.
type selector []selectorEntry

// A selectorEntry selects the objects that have all of the Kubernetes labels, and not all of any set in except.
type selectorEntry struct {
	labels map[string]string
	except []map[string]string
}

// Selects returns the condition that the selector selects the object, such as object.metadata.?labels[?'tier'] == optional.of('gold'). The
// condition is empty if the selector selects all objects.
func (s selector) Selects(obj celText) celCondition {
	hasLabels := func(labels map[string]string) celCondition {
		return strings.Join(words.Map(sortedKeys(labels), func(key string) celCondition {
			return fmt.Sprintf("%s.metadata.?labels[?%s] == optional.of(%s)", obj, quote(key), quote(labels[key]))
		}), " && ")
	}

	return anyOf(words.Distinct(words.Map(s, func(e selectorEntry) celCondition {
		return allOf(hasLabels(e.labels), not(anyOfInParens(words.Map(e.except, hasLabels)...)))
	}))...)
}

// selectorOf returns the selector of the kind's objects that at least one of the entries selects, or false if the entries select none.
// Without entries, the selector selects all objects. path is where the input has the entries, such as tagPolicy.rules[0].resources.
// selectorOf adds to Unchecked the entries that only a pipeline can follow, such as {name: bucket}.
func (p *policy) selectorOf(entries []v1beta1.ResourceSelector, k *locate.TargetKind, path string) (out selector, isForKind bool) {
	for i := range entries {
		entry := &entries[i]
		matchesKind := entry.APIVersion.Matches(k.APIVersion) && entry.Kind.Matches(k.GroupVersionKind.Kind)

		except, isExcepted := p.exceptOf(entry.Except, k, p.Where(path+"[%d]", i))

		switch {
		case !matchesKind, isExcepted: // The entry is for other kinds.
		case entry.Name != "" || len(entry.MatchTags)+len(entry.MatchCloudTags) > 0:
			p.Unchecked = appendUnique(p.Unchecked, p.Where(path+"[%d]", i)+" selects nothing here, since only a pipeline knows name, matchTags and matchCloudTags")
		case len(entry.MatchLabels)+len(except) == 0:
			return nil, true // The entry selects all objects of the kind, and so does an empty selector.
		default:
			out = append(out, selectorEntry{entry.MatchLabels, except})
		}
	}

	return out, len(entries) == 0 || len(out) > 0
}

// exceptOf returns the labels that each of the list wants of the kind's objects, or true if one of them matches all. path is where the
// input has the entry of the list.
func (p *policy) exceptOf(list []v1beta1.ResourceMatch, k *locate.TargetKind, path string) (labels []map[string]string, isAll bool) {
	for i := range list {
		m := &list[i]

		switch {
		case !m.APIVersion.Matches(k.APIVersion) || !m.Kind.Matches(k.GroupVersionKind.Kind):
		case m.Name != "" || len(m.MatchTags)+len(m.MatchCloudTags) > 0:
			p.Unchecked = appendUnique(p.Unchecked, fmt.Sprintf("%s.except[%d] matches nothing here, since only a pipeline knows name, matchTags and matchCloudTags", path, i))
		case len(m.MatchLabels) == 0:
			return nil, true
		default:
			labels = append(labels, m.MatchLabels)
		}
	}

	return labels, false
}

// addUnchecked adds to Unchecked the kinds without a policy, by reason: "2 kinds, each of which has its tags in one string". The text
// has the names of the kinds, unless they have no tag field or the input doesn't select them.
func (p *policy) addUnchecked(kindsByReason map[string][]schema.GroupVersionKind) {
	// Reasons are compared by their texts, which are the same for nearly all targets.
	anyTarget := &locate.Target{Kind: &locate.TargetKind{}}
	reasonsWithoutNames := []string{anyTarget.WhyLeftAlone(locate.NoField), anyTarget.WhyLeftAlone(locate.NotSelected)}

	for _, reason := range sortedKeys(kindsByReason) {
		kinds, names := kindsByReason[reason], ""

		if !slices.Contains(reasonsWithoutNames, reason) {
			names = ":\n#   " + strings.Join(words.Map(kinds, func(k schema.GroupVersionKind) string { return k.GroupVersion().String() + "/" + k.Kind }), "\n#   ")
		}

		p.Unchecked = append(p.Unchecked, fmt.Sprintf("%s, each of which %s%s", words.Count(len(kinds), "kind", "kinds"), reason, names))
	}
}

// setNames gives the policy of each field a name, such as cloud-tags-aws-tags-map: p.Name, the profile, the field's path and its shape. A
// second policy with this name is cloud-tags-aws-tags-map-2. setNames sorts the fields by the names of their policies.
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

		f.policyName = name
	}

	slices.SortFunc(fields, func(a, b *tagField) int { return strings.Compare(a.policyName, b.policyName) })

	return nil
}

// notInNames matches characters that the names of policies may not have, such as the brackets of a path.
var notInNames = regexp.MustCompile("[^a-z0-9]+")

// resourcePolicy returns the policy that judges the tags in the field, and its binding. An object that broke a rule before an update may
// still break it in the same way, if the policy judged the object before.
func (p *policy) resourcePolicy(f *tagField) []dict {
	// The policy didn't judge the old object if one of these conditions is true: the old object was only observed, or the input's field
	// resources doesn't select it (InputSelector), or --selector doesn't (p.Selector). anyOf leaves out empty conditions.
	oldWasNotJudged := anyOf("oldObject == null", not(f.ChangesCloud("oldObject")), not(f.InputSelector.Selects("oldObject")), not(selector{{labels: p.Selector}}.Selects("oldObject")))

	// The variable judged is a list of objects with their tags: first the new object, then the old one if the policy judged it. In CEL, dyn
	// lets a map have values of different types.
	judged := fmt.Sprintf("(%s ? [object] : [object, oldObject]).map(o, {'object': dyn(o), 'tags': dyn(\n  %s)})", oldWasNotJudged, indented(f.Tags("o")))
	variables := []dict{namedExpression("judged", judged)}

	var validations []dict

	for _, r := range f.Rules {
		// The variable rule0 has the messages on tags that break tagPolicy.rules[0]: rule0[0] on the new object, and rule0[1] on the old one.
		name := fmt.Sprintf("rule%d", r.Number)
		variables = append(variables, namedExpression(name, "variables.judged.map(o, "+let("t", "o.tags", "\n  "+indented(f.BreachMessages(r)))+")"))

		// The policy refuses the new object if one of its messages isn't among those on the old object.
		validations = append(validations, dict{
			"expression":        fmt.Sprintf("variables.%[1]s[0].all(m, variables.%[1]s.size() > 1 && m in variables.%[1]s[1])", name),
			"message":           fmt.Sprintf("Tags break the rule of tagPolicy on %q", r.Key),
			"messageExpression": fmt.Sprintf("variables.%s[0].join('; ')", name),
		})
	}

	// The constraints select all resources in the API groups of the field's kinds, since the plurals of the kinds are unknown. The match
	// policy is Exact, since versions of a kind can have different fields.
	groups := words.Distinct(words.Map(f.kinds, func(k schema.GroupVersionKind) string { return k.Group }))
	constraints := dict{"matchPolicy": "Exact", "resourceRules": []dict{resourceRule(groups, "*")}}

	// The conditions leave out resources of other kinds, resources that are only observed, and those that the input doesn't select.
	conditions := slices.DeleteFunc([]dict{
		namedExpression("kinds", f.IsOfKinds()),
		namedExpression("changes", f.ChangesCloud("object")),
		namedExpression("selected", f.InputSelector.Selects("object")),
	}, func(d dict) bool { return d["expression"] == "" })

	return p.policyAndBinding(f.policyName, constraints, conditions, variables, validations)
}

// indented returns the expression with two more spaces at the beginning of each line but the first.
func indented(expression celText) celText { return strings.ReplaceAll(expression, "\n", "\n  ") }

// BreachMessages returns the expression of a list of messages, one for each breach of the rule. In the expression, o.object is the object,
// t is the list of its tags, and e is a tag. For a rule on owner, there is a message:
//
//   - for each tag with the key owner and a value that the rule doesn't allow
//   - if no tag has the key owner, for each key that differs in case only, such as Owner
//   - if there is neither, and the rule requires the tag
func (f *tagField) BreachMessages(r tagFieldRule) celText {
	c, tagKeys := f.Checker, f.Checker.tagger.TagKeys(r.Key)
	// foldCase and Fold ignore case only if the cloud does.
	hasKey := c.foldCase("e.key", tagKeys...) + " in " + sortedCELList(words.Distinct(words.Map(tagKeys, c.Fold)))

	valueMessages := ""
	if len(r.Allowed()) > 0 {
		isAllowed := matches("e.value", allowedPattern(r.TagRule))
		valueMessages = fmt.Sprintf("t.filter(e, %s && !%s)\n  .map(e, 'the tag ' + strings.quote(e.key) + ' has the value ' + %s + %s) +\n",
			hasKey, isAllowed, quotedInMessage("e.value"), quote(", which tagPolicy doesn't allow: "+strings.Join(r.Allowed(), ", ")))
	}

	// For a rule on owner, the tag may have the key as the function writes it, acme:owner, or the rule's own key, owner.
	tag, _ := c.tagger.Judge(tags.Label{QualifiedKey: r.Key, TagKey: c.policy.KeyPrefix + r.Key})
	keys := strings.Join(words.Map(words.Distinct([]string{tag.Key, r.Key}), strconv.Quote), " or ")

	keyMessages := fmt.Sprintf("t.filter(e, %s)\n  .map(e, 'the tag ' + strings.quote(e.key) + %s)",
		matchesIgnoringCase("e.key", tagKeys), quote(" must be spelled exactly "+keys+", as tagPolicy has it"))
	if r.IsRequired() {
		// In CEL, m stands for x in [x].map(m, …)[0]. Here, x is the list of messages on spelling. If it is empty, the tag is missing.
		keyMessages = fmt.Sprintf("[%s]\n  .map(m, m.size() > 0 ? m : [%s])[0]",
			keyMessages, quote(fmt.Sprintf("tagPolicy requires the tag %s in %s", keys, f.Path)))
	}

	// Empty if the rule is for all objects.
	noneUnlessSelected := surround("", not(r.selector.Selects("o.object")), " ? [] :\n")

	return fmt.Sprintf("%s%s(t.exists(e, %s) ? [] : %s)", noneUnlessSelected, valueMessages, hasKey, keyMessages)
}

// Tags returns the expression of the list of tags that the function reads in the object's field, such as [{'key': 'owner', 'value': 'a'}].
// In the expression, f is the value of the field, g is its value in spec.initProvider, k is a key in a map, and e is an item of a list.
// A value of a wrong type has no tags: the API server refuses the object by its schema.
func (f *tagField) Tags(obj celText) celText {
	switch f.Shape {
	case field.Map:
		return f.tagsInMap(obj, asText)
	case field.MapOfLists:
		return f.tagsInMap(obj, func(v celText) celText {
			return fmt.Sprintf("(type(%[1]s) == list ? %[1]s.map(v, %[2]s).join(', ') : '')", v, asText("v"))
		})
	case field.KeyValueList:
		member := func(name string) celText { return asText(fmt.Sprintf("e[?%s].orValue(dyn(''))", quote(name))) }
		return f.tagsInList(obj, "map", fmt.Sprintf("{'key': %s, 'value': %s}", member(f.Key), member(f.Value)))
	case field.StringList:
		// The value begins after the key k and the separator, as me in acme:owner=me. A string without separator is a key with an empty value.
		// In CEL, k stands for x in [x].map(k, …)[0]. Here, x is the key.
		tag := fmt.Sprintf("{'key': k, 'value': e.size() > k.size() ? e.substring(k.size() + %d) : ''}", utf8.RuneCountInString(f.Separator))
		return f.tagsInList(obj, "string", fmt.Sprintf("[%s]\n    .map(k, %s)[0]", f.itemKey(), tag))
	case field.Joined, field.Labels, field.None: // There are no policies for these: see tagFieldOf.
	}

	return ""
}

// tagsInMap returns the expression of the list of tags in the field of the object, a map. text returns the expression of a value as text.
// Providers merge the map in spec.initProvider below this one, as tagset.ReadWithInitial says: an empty value doesn't count beside another one.
func (f *tagField) tagsInMap(obj celText, text func(value celText) celText) celText {
	mapAt := func(path object.Path) celText { return let("m", valueAt(obj, path), "type(m) == map ? m : {}") }
	tagsOf := func(name string, isTag celCondition) celText {
		return fmt.Sprintf("\n  %s%s.map(k, {'key': string(k), 'value': %s})", name, surround(".filter(k, ", isTag, ")"), text(name+"[k]"))
	}

	initial := field.InitialPath(f.Path)

	switch {
	case !initial.IsZero():
		const isEmpty = "f[k] in [dyn(''), dyn(null)]"
		desired, initially := tagsOf("f", "!(k in g && "+isEmpty+")"), tagsOf("g", "!(k in f) || "+isEmpty)

		return let("f", mapAt(f.Path), let("g", mapAt(initial), desired+" +"+initially))
	case f.KubernetesLabels:
		return let("f", mapAt(f.Path), tagsOf("f", "!k.contains('/')")) // Labels with a slash in the key become no tags, such as app.kubernetes.io/name.
	default:
		return let("f", mapAt(f.Path), tagsOf("f", ""))
	}
}

// tagsInList returns the expression of the list of tags in the field of the object, a list. Without items in it, providers take the list in
// spec.initProvider. In the expressions, f is the list. itemType is the CEL type of its items, such as string. tag is the expression of the
// tag in the item e.
func (f *tagField) tagsInList(obj celText, itemType string, tag celText) celText {
	list := valueAt(obj, f.Path)
	if initial := field.InitialPath(f.Path); !initial.IsZero() {
		list = let("f", list, fmt.Sprintf("type(f) == list && f.size() > 0 ? f : %s", valueAt(obj, initial)))
	}

	return let("f", list, fmt.Sprintf("type(f) != list || f.exists(e, type(e) != %s) ? [] :\n  f.map(e, %s)", itemType, tag))
}

// asText returns the expression of the value as text: '1' for 1. The text of null, lists and maps is empty.
func asText(value celText) celText {
	return fmt.Sprintf("(type(%[1]s) in [dyn(null_type), dyn(list), dyn(map)] ? '' : string(%[1]s))", value)
}

// itemKey returns the expression of the tag key in the string e. A key may contain the separator, as acme:owner in acme:owner:me. So the
// key is the first of these that e begins with:
//
//   - the longest key of a rule, if a separator follows: acme:owner for a rule on owner
//   - the key prefix and the text up to a separator: acme:zone
//   - the text up to a separator: zone
func (f *tagField) itemKey() celText {
	c, separator := f.Checker, quote(f.Separator)
	ruleKeys := slices.Concat(words.Map(f.Rules, func(r tagFieldRule) []string { return c.tagger.TagKeys(r.Key) })...)
	foldedKeys := longestFirst(words.Map(ruleKeys, c.Fold))

	// The first list has each key of a rule with which e begins, spelled as in e. Each other list is for a prefix: if e begins
	// with it, the list has the text up to the next separator. Otherwise, it is empty.
	lists := []celText{fmt.Sprintf("%s.filter(k, %s.startsWith(k + %s)).map(k, e.substring(0, k.size()))", celList(foldedKeys), c.foldCase("e", ruleKeys...), separator)}

	// Patterns returns the spellings of a pattern that begins with the key prefix: acme:* and, as the key format writes it, acme_*.
	patterns := c.keyFormat.Patterns(c.policy.KeyPrefix+"*", c.policy.KeyPrefix)
	prefixes := words.Map(patterns, func(pattern string) string { return strings.TrimSuffix(pattern, "*") })

	for _, prefix := range longestFirst(prefixes) {
		if prefix != "" {
			lists = append(lists, fmt.Sprintf("(e.startsWith(%[1]s) ? [%[1]s + e.substring(%[2]d).split(%[3]s)[0]] : [])", quote(prefix), utf8.RuneCountInString(prefix), separator))
		}
	}

	// The first item of all lists together is the key.
	return fmt.Sprintf("(%s + [e.split(%s)[0]])[0]", strings.Join(lists, " + "), separator)
}

// IsOfKinds returns the condition that the request is for an object of one of the kinds.
func (f *tagField) IsOfKinds() celCondition {
	byVersion := words.Grouped(f.kinds, schema.GroupVersionKind.GroupVersion)
	lines := words.Map(byVersion, func(kinds []schema.GroupVersionKind) celText {
		names := words.Map(kinds, func(k schema.GroupVersionKind) string { return k.Kind })
		return "  " + quote(kinds[0].GroupVersion().String()) + ": " + celList(names)
	})

	return "request.kind.kind in {\n" + strings.Join(lines, ",\n") + "\n}[?request.kind.group + '/' + request.kind.version].orValue([])"
}

// ChangesCloud returns the condition that the object's controller makes or changes the resource in the cloud, instead of only observing it.
// The condition is empty if the controller always changes the resource.
func (f *tagField) ChangesCloud(obj celText) celCondition {
	family, _ := field.FamilyOf(f.kinds[0].GroupKind())
	if !family.Native {
		// A Crossplane provider changes a resource if its managementPolicies have *, Create or Update, or if it has none. In CEL, p stands for m,
		// the managementPolicies, in [m].all(p, …).
		return "[" + obj + ".?spec.?managementPolicies.orValue(dyn(null))].all(p, type(p) != list || p.exists(x, x in ['*', 'Create', 'Update']))"
	}

	// Some other controllers only observe a resource if the field at a path has a value, such as managementPolicy: unmanaged.
	controller, ok := field.ControllerOf(f.kinds[0].Group)
	if !ok {
		return ""
	}

	return fmt.Sprintf("%s != %s", valueAt(obj, controller.Path), quote(controller.Value))
}
