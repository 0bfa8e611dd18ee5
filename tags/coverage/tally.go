// Package coverage counts tagged resources, resources with missing tags, and resources whose tags in the cloud
// differ from the desired ones: for the command of this name, and for Operations.
package coverage

import (
	"cmp"
	"context"
	"iter"
	"maps"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"k8s.io/apimachinery/pkg/runtime/schema"

	fnv1 "github.com/crossplane/function-sdk-go/proto/v1"

	"github.com/plexsphere/function-cloud-tags/input/v1beta1"
	"github.com/plexsphere/function-cloud-tags/tags"
	"github.com/plexsphere/function-cloud-tags/tags/field"
	"github.com/plexsphere/function-cloud-tags/tags/locate"
	"github.com/plexsphere/function-cloud-tags/tags/object"
	"github.com/plexsphere/function-cloud-tags/tags/resolve"
	"github.com/plexsphere/function-cloud-tags/tags/tagpolicy"
	"github.com/plexsphere/function-cloud-tags/tags/tagset"
	"github.com/plexsphere/function-cloud-tags/tags/words"
)

// none is the name of the group of resources without a provider, namespace or composite.
const none = "-"

// compositeLabel is the label in which Crossplane names a resource's composite resource.
const compositeLabel = "crossplane.io/composite"

// Options say which resources and keys a Tally counts.
type Options struct {
	// By has the divisions of resources: provider, kind, namespace or composite, or several of these.
	By []string

	// Input of the pipeline step. Its tagFields, key formats and tag policy count, such as `tagPolicy.rules` with the key
	// cost-center.
	Input *v1beta1.CloudTags

	// Keys that each resource must have, such as cost-center. If there are none, these keys are counted:
	//  - the keys of the tag policy, if there is a policy
	//  - or else the keys named by sources
	//  - or else all keys that a resource has
	Keys []string

	// CompositeGroup is the API group of composite resources, if that is known. Objects of this group never count as resources of a cloud.
	CompositeGroup string

	// Schemas of kinds, if there are any.
	Schemas field.Schemas
}

// A Tally counts resources, one after the other. It keeps each resource with something wrong, and each distinct text once.
type Tally struct {
	input       *v1beta1.CloudTags
	transformer *tags.Transformer
	targets     *locate.Targets

	// readers of tags, one for each place of tags.
	readers map[*locate.Place]*tagpolicy.TagReader

	// keys are the counted keys. Without any, all keys count. required says that each resource must have these keys: see --key. policed
	// says that a resource must have the keys of the tag policy's rules for it.
	keys              []string
	required, policed bool

	total     *Group
	divisions []Division
	others    int

	broken tagpolicy.ViolationsByRule
	lists  map[string][]*Resource

	// seen has the titles and UIDs of the objects that were added.
	seen map[string]bool

	// owners has the kinds of owners of resources. They are composite resources.
	owners map[schema.GroupKind]bool

	// texts has each text of resources once, so that 10,000 resources of a namespace share its name in memory.
	texts map[string]string
}

// New returns a Tally that has counted nothing.
func New(o Options) *Tally {
	t := &Tally{
		input: o.Input, transformer: (&resolve.LabelSet{}).Transformer(o.Input),
		readers: make(map[*locate.Place]*tagpolicy.TagReader),
		total:   newGroup(""), lists: make(map[string][]*Resource), seen: make(map[string]bool),
		owners: make(map[schema.GroupKind]bool), texts: make(map[string]string),
	}

	t.divisions = words.Map(o.By, func(by string) Division { return Division{By: by, byName: make(map[string]*Group)} })

	if o.Input.TagPolicy != nil {
		t.policed, t.broken = true, make(tagpolicy.ViolationsByRule, len(o.Input.TagPolicy.Rules))
	}

	switch {
	case len(o.Keys) > 0:
		t.required, t.policed, t.keys = true, false, words.Distinct(o.Keys)
	case t.policed:
		t.keys = words.Distinct(words.Map(o.Input.TagPolicy.Rules, func(r v1beta1.TagRule) string { return r.Key }))
	default:
		t.keys = namedKeys(o.Input)
	}

	t.targets = (&locate.Finder{Input: o.Input, CompositeGroup: o.CompositeGroup, Schemas: o.Schemas, NewLocator: func(schemas field.Schemas) field.Locator {
		rules := field.NewOverrides(o.Input.TagFields)
		rules.Schemas = &schemas

		if o.Input.FieldDiscovery == v1beta1.FieldDiscoverySchema {
			return field.Chain{rules, read{schemas}, known{}, field.ByProfile{}}
		}

		return field.Chain{rules, known{}, read{schemas}, field.ByProfile{}}
	}}).NewTargets()

	return t
}

// CanBeIncomplete reports whether a resource can be incomplete. A wrong value breaks even a rule that requires no tag.
func (t *Tally) CanBeIncomplete() bool { return t.required || len(t.broken) > 0 }

// Schemas returns the kinds of the counted objects whose tag fields only a schema shows, even if Options.Schemas lacks it.
func (t *Tally) Schemas() iter.Seq[schema.GroupVersionKind] { return t.targets.Schemas() }

// known locates the tag fields of the built-in index, also if a rule has to ask for them.
type known struct{}

// unwrapped locates the tag fields of manifests in other objects. A rule has to ask for these.
var unwrapped = field.NewOverrides([]v1beta1.TagField{{APIVersion: "*", Kind: "*"}})

// Locate returns the tag field of the kind.
func (known) Locate(k field.Kind) (field.Field, bool) {
	if !k.Wraps.Empty() {
		return unwrapped.Locate(k)
	}

	if f, ok := field.BuiltIn().Known(k.GroupVersionKind); ok {
		return f, true
	}

	return field.BuiltIn().Locate(k)
}

// read locates the tag fields in schemas, also if a rule has to ask for them.
type read struct{ field.Schemas }

// Locate returns the tag field of the kind.
func (r read) Locate(k field.Kind) (field.Field, bool) {
	f, ok := r.Schemas.Locate(k)
	if f.OnRequest {
		f = field.Read(k.GroupVersionKind, r.Of(k.GroupVersionKind))
	}

	return f, ok
}

// namedKeys returns the keys of labels that sources name. All other keys are in composite resources alone.
func namedKeys(in *v1beta1.CloudTags) []string {
	var keys []string

	for i := range in.Sources {
		s := &in.Sources[i]
		for _, key := range resolve.NamedKeys(s) {
			if _, ok := resolve.LabelOf(in, s, key); ok {
				keys = append(keys, key)
			}
		}
	}

	return slices.Compact(slices.Sorted(slices.Values(keys)))
}

// AddRequired adds the objects that Crossplane has fetched, sorted by requirement, kind and name: Crossplane answers in any
// order. An object counts once, also if several requirements select it. If ctx ends, AddRequired returns its error.
func (t *Tally) AddRequired(ctx context.Context, required map[string]*fnv1.Resources) error {
	for _, requirement := range slices.Sorted(maps.Keys(required)) {
		all := words.Map(required[requirement].GetItems(), object.Of)
		found := slices.DeleteFunc(all, func(o object.Object) bool { return !o.Node().IsObject() })

		slices.SortStableFunc(found, func(a, b object.Object) int {
			kind, other := object.GVK(a), object.GVK(b)
			return cmp.Or(strings.Compare(kind.Group, other.Group), strings.Compare(kind.Kind, other.Kind), object.Compare(a, b))
		})

		for _, o := range found {
			if err := ctx.Err(); err != nil {
				return err
			}

			t.Add(o)
		}
	}

	return nil
}

// Add counts the object. It counts an object once, also if several files have it.
func (t *Tally) Add(o object.Object) {
	node := o.Node()
	metadata := node.Field("metadata")

	if t.sees(o) {
		return
	}

	for ref := range metadata.Field("ownerReferences").Items() {
		t.owners[schema.FromAPIVersionAndKind(ref.Field("apiVersion").Text(), ref.Field("kind").Text()).GroupKind()] = true
	}

	name := metadata.Field("name").Text()
	composite := metadata.Field("labels").Field(compositeLabel).Text()
	inComposition := metadata.Field("annotations").Field(object.ResourceNameAnnotation).Text()

	target := t.targets.Read(cmp.Or(inComposition, name), o)
	standing, provider, why := standingOf(t.targets, target)

	if standing == other {
		t.others++
		return
	}

	gv, kind := target.Kind.ToAPIVersionAndKind()
	r := &Resource{
		Provider: t.text(provider), APIVersion: t.text(gv), Kind: t.text(kind), Composite: t.text(composite), Why: t.text(why),
		Namespace: t.text(metadata.Field("namespace").Text()), Name: strings.Clone(cmp.Or(name, inComposition, metadata.Field("generateName").Text())),
		isManaged: node.Field("spec").Field("forProvider").IsObject(),
	}

	if standing == taggable {
		r.counted = target.Kind.Tagged().GroupKind()

		if err := t.count(r, target); err != nil {
			standing, r.Why = unknown, t.text("has a tag field that can't be read: "+err.Error())
		}
	}

	switch {
	case standing == unknown && composite == name && name != "" && !r.isManaged:
		t.others++ // Without a spec, composite resources look like managed ones, which can own others, too.
	case standing == unknown:
		t.list(unknown, r) // Counted once all owners are known.
	case standing == untaggable:
		t.list(untaggable, r)

		for _, g := range t.groupsOf(r) {
			g.Untaggable++
		}
	}
}

// sees reports whether the same object was added before. Two clusters can have objects with the same name. So an object is also told
// from others by its UID, or without one by a hash of its content. Objects without a name are never the same.
func (t *Tally) sees(o object.Object) bool {
	id := o.Node().Field("metadata").Field("uid").Text()
	if id == "" {
		hash := v1beta1.HashOf(o.Struct())
		id = string(hash[:])
	}

	id = object.Title(o) + " " + id
	before := object.Name(o) != "" && t.seen[id]
	t.seen[id] = true

	return before
}

// list adds the resource to the list with the name.
func (t *Tally) list(name string, r *Resource) { t.lists[name] = append(t.lists[name], r) }

// text returns s. Equal texts share their memory.
func (t *Tally) text(s string) string { return object.TextNode(s).Interned(t.texts) }

// groupsOf returns the group of all resources, and the group of the resource in each division. It counts the resource in these.
func (t *Tally) groupsOf(r *Resource) []*Group {
	composite := r.Composite
	if composite != "" && r.Namespace != "" {
		composite = r.Namespace + "/" + composite
	}

	names := map[string]string{"provider": r.Provider, "kind": cmp.Or(r.counted, r.groupKind()).String(), "namespace": r.Namespace, "composite": composite}
	out := []*Group{t.total}

	for _, d := range t.divisions {
		name := cmp.Or(names[d.By], none)
		if d.byName[name] == nil {
			d.byName[name] = newGroup(name)
		}

		out = append(out, d.byName[name])
	}

	for _, g := range out {
		g.Resources++
	}

	return out
}

// count counts r, a resource that can have tags, and notes what is wrong with these. It returns an error if the tags can't be
// read.
func (t *Tally) count(r *Resource, target *locate.Target) error {
	reader := t.reader(target)

	desired, err := target.EffectiveTags(&reader.Keys)
	if err := cmp.Or(target.DesiredErr, err); err != nil {
		return err
	}

	cloud, isReported := cloudOf(target, reader)
	dropUntextual(target, desired)
	dropUntextual(target, cloud)

	tagKeys, hasKeys := keysOf(target, desired, reader.KeySets)
	cloudKeys, inCloud := keysOf(target, cloud, reader.KeySets)
	expected := t.judge(r, target, reader, desired, hasKeys)

	if isReported {
		r.Drift = driftOf(desired, cloud)
	}

	isIncomplete := len(r.Missing)+len(r.Wrong) > 0

	switch {
	case len(tagKeys) == 0:
		t.list(untagged, r)
	case isIncomplete:
		t.list(incomplete, r)
	}

	if len(r.Drift) > 0 {
		t.list(ListDrifted, r)
	}

	t.notePrefixed(tagKeys)

	for _, g := range t.groupsOf(r) {
		g.Taggable++
		g.Tagged += one(len(tagKeys) > 0)
		g.Incomplete += one(isIncomplete)
		g.Reported += one(isReported)
		g.InCloud += one(len(cloudKeys) > 0)
		g.Drifted += one(len(r.Drift) > 0)

		if len(t.keys) == 0 {
			t.countFound(g, tagKeys, cloudKeys)
		}

		for i, key := range t.keys {
			if !expected[i] {
				continue
			}

			n := g.key(tagID{key: key}, key)
			n.Resources++
			n.Tagged += one(hasKeys[i])
			n.InCloud += one(inCloud[i])
			n.Reported += one(isReported)
		}
	}

	return nil
}

// reader returns the reader for the tags of the target. Targets with their tags at one place share it.
func (t *Tally) reader(target *locate.Target) *tagpolicy.TagReader {
	if t.readers[target.Place] == nil {
		t.readers[target.Place] = tagpolicy.NewTagReader(t.input, t.transformer, target, t.keys)
	}

	return t.readers[target.Place]
}

// countFound counts the keys of a resource, and its keys in the cloud.
func (t *Tally) countFound(g *Group, keys, inCloud map[tagID]string) {
	for id, key := range keys {
		g.key(tagID{id.profile, t.text(id.key)}, t.text(key)).Tagged++
	}

	for id, key := range inCloud {
		g.key(tagID{id.profile, t.text(id.key)}, t.text(key)).InCloud++
	}
}

// notePrefixed notes keys that end with a counted key after a prefix, such as acme:env for env.
func (t *Tally) notePrefixed(keys map[tagID]string) {
	for _, key := range keys {
		for _, counted := range t.keys {
			prefix, ok := strings.CutSuffix(key, counted)
			if last, _ := utf8.DecodeLastRuneInString(prefix); ok && prefix != "" && !unicode.IsLetter(last) && !unicode.IsDigit(last) {
				t.total.key(tagID{key: counted}, counted).prefixed[t.text(key)]++
			}
		}
	}
}

// one returns 1 for true, and 0 for false.
func one(counts bool) int { //nolint:revive // The flag is the result.
	if counts {
		return 1
	}

	return 0
}

// judge notes the required tags that r lacks, and the tags that break the policy. It returns, for each counted key, whether the
// resource should have it.
func (t *Tally) judge(r *Resource, target *locate.Target, reader *tagpolicy.TagReader, desired *tagset.Set, hasKeys []bool) (expected []bool) {
	expected = make([]bool, len(t.keys))

	for i, key := range t.keys {
		expected[i] = !t.policed

		if t.required && !hasKeys[i] {
			r.Missing = append(r.Missing, key)
		}
	}

	for i := range reader.Rules {
		rule := &reader.Rules[i]
		if !t.targets.Selects(t.input.Resources, target) || !t.targets.Selects(rule.Resources, target) {
			continue
		}

		if j := slices.Index(t.keys, rule.Key); j >= 0 {
			expected[j] = true
		}

		breach := rule.Breach(desired.Texts())

		switch {
		case breach.Kind == tagpolicy.NoBreach:
			continue
		case breach.Kind != tagpolicy.Missing:
			r.Wrong = append(r.Wrong, Wrong{Key: rule.Key, Breach: t.text(breach.String())})
		case !slices.Contains(r.Missing, rule.Key):
			r.Missing = append(r.Missing, rule.Key)
		}

		t.broken.Add(i, breach, r.Title(), r.Provider)
	}

	return expected
}

// Report returns the counts. After that, nothing can be added.
func (t *Tally) Report() *Report {
	isOwner := func(r *Resource) bool {
		_, isKnown := field.FamilyOf(r.groupKind())

		return t.owners[r.groupKind()] && !isKnown && !r.isManaged
	}

	n := len(t.lists[unknown])
	t.lists[unknown] = slices.DeleteFunc(t.lists[unknown], isOwner)
	t.others += n - len(t.lists[unknown])

	for _, r := range t.lists[unknown] {
		for _, g := range t.groupsOf(r) {
			g.Unknown++
		}
	}

	out := &Report{Total: t.order(t.total), Others: t.others, Required: t.CanBeIncomplete(), Violations: slices.Concat(t.broken...)}

	out.Lists = words.Map([]string{untagged, incomplete, ListDrifted, untaggable, unknown}, func(name string) List {
		return List{Name: name, Resources: t.lists[name]}
	})

	out.Divisions = words.Map(t.divisions, func(d Division) Division {
		d.Groups = words.Map(slices.Sorted(maps.Keys(d.byName)), func(name string) *Group { return t.order(d.byName[name]) })
		return d
	})

	out.By, out.Groups = out.Divisions[0].By, out.Divisions[0].Groups

	out.Keys = words.Map(t.total.Keys, func(n *KeyCount) string { return n.Key })

	// A Hint is for a counted key that no resource has, if a resource has the key with a prefix.
	out.Hints = words.MapIf(t.total.Keys, func(n *KeyCount) (Hint, bool) {
		key := mostFrequent(n.prefixed)
		return Hint{Key: n.Key, Other: key, Resources: n.prefixed[key]}, n.Tagged == 0 && key != ""
	})

	return out
}

// order sorts the keys of the group: as they were given, or the most frequent one first. It returns the group.
func (t *Tally) order(g *Group) *Group {
	g.Keys = words.Map(t.keys, func(key string) *KeyCount { return g.key(tagID{key: key}, key) })

	if len(t.keys) == 0 {
		// Keys of several providers may have the same spelling.
		found := newGroup("")

		for id, n := range g.byKey {
			key := mostFrequent(t.total.byKey[id].spelled)
			total := found.key(tagID{key: key}, key)
			total.Tagged += n.Tagged
			total.InCloud += n.InCloud
			total.Key, total.Resources, total.Reported = key, g.Taggable, g.Reported
		}

		g.Keys = slices.AppendSeq(g.Keys, maps.Values(found.byKey))
		slices.SortFunc(g.Keys, func(a, b *KeyCount) int { return cmp.Or(b.Tagged-a.Tagged, strings.Compare(a.Key, b.Key)) })
	}

	for _, n := range g.Keys {
		n.Key = mostFrequent(n.spelled)
		n.Share = Share(n.Tagged, n.Resources)
	}

	return g
}
