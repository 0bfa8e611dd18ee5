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

	"k8s.io/apimachinery/pkg/runtime/schema"

	fnv1 "github.com/crossplane/function-sdk-go/proto/v1"

	"github.com/plexsphere/function-cloud-tags/input/v1beta1"
	"github.com/plexsphere/function-cloud-tags/tags/field"
	"github.com/plexsphere/function-cloud-tags/tags/object"
	"github.com/plexsphere/function-cloud-tags/tags/resolve"
	"github.com/plexsphere/function-cloud-tags/tags/tagpolicy"
	"github.com/plexsphere/function-cloud-tags/tags/target"
)

// none is the name of the group of resources without a provider, namespace or composite.
const none = "-"

// The label and the annotation by which Crossplane says what a composed resource is.
const (
	compositeLabel = "crossplane.io/composite"
	nameAnnotation = "crossplane.io/composition-resource-name"
)

// maxBroken is the most resources that are named for breaking a rule.
const maxBroken = 3

// Options of a Tally.
type Options struct {
	// By is what to count by: provider, kind, namespace or composite.
	By string

	// Input that says where tags are, how their keys are formatted, and what the tag policy is.
	Input *v1beta1.CloudTags

	// Keys that count, and that resources must have. Without any, those of the tag policy
	// count, or else those that the sources name, or else all that any resource has.
	Keys []string

	// CompositeGroup is the API group of composite resources, if that is known.
	CompositeGroup string

	// Schemas of kinds, if there are any.
	Schemas field.Schemas
}

// A Tally counts resources, one after the other. It keeps those that something is wrong with, and each distinct
// text of them once.
type Tally struct {
	by     string
	census *census

	// keys that are counted, or none for all keys. If they are required, each resource must have them. If they
	// are policed, a resource must have those whose rule is for it.
	keys              []string
	required, policed bool

	// rules of the policy, in their order: the key of each.
	rules []string

	total  *Group
	groups map[string]*Group
	others int
	broken []Broken

	untagged, incomplete, drifted, untaggable, unknown []*Resource

	// owners are kinds that own resources: composite resources.
	owners map[schema.GroupKind]bool

	// texts that resources have, each once.
	texts map[string]string
}

// New returns a Tally that has counted nothing.
func New(o Options) *Tally {
	t := &Tally{
		by: o.By, total: newGroup(""), groups: make(map[string]*Group),
		owners: make(map[schema.GroupKind]bool), texts: make(map[string]string),
	}

	if o.Input.TagPolicy != nil {
		for i := range o.Input.TagPolicy.Rules {
			r := &o.Input.TagPolicy.Rules[i]
			t.rules = append(t.rules, r.Key)
			t.broken = append(t.broken, Broken{Rule: i})
		}
	}

	switch {
	case len(o.Keys) > 0:
		t.required, t.keys = true, unique(o.Keys)
	case o.Input.TagPolicy != nil:
		t.policed, t.keys = true, unique(t.rules)
	default:
		t.keys = namedKeys(o.Input.Sources)
	}

	if o.Schemas.Of == nil {
		o.Schemas.Of = func(schema.GroupVersionKind) object.Node { return object.Node{} }
	}

	t.census = newCensus(&target.Finder{
		Input:          o.Input,
		CompositeGroup: o.CompositeGroup,
		Schemas:        o.Schemas,
		Fields: func(schemas field.Schemas) field.Locator {
			rules := field.NewRules(o.Input.TagFields)
			rules.Schemas = &schemas

			if o.Input.FieldDiscovery == v1beta1.FieldDiscoverySchema {
				return field.Chain{rules, read{schemas}, known{}, field.ByProfile{}}
			}

			return field.Chain{rules, known{}, read{schemas}, field.ByProfile{}}
		},
	}, (&resolve.Set{}).Transformer(o.Input), t.keys)

	return t
}

// Requires is true if a resource can be incomplete. A rule can be broken by a value or a spelling, too,
// where it requires no tag.
func (t *Tally) Requires() bool { return t.required || len(t.rules) > 0 }

// Schemas are the kinds whose schemas say where their tags are, or would if they were here.
func (t *Tally) Schemas() iter.Seq[schema.GroupVersionKind] { return t.census.targets.Schemas() }

// known locates the tag fields that the built-in index has, whether they have to be asked for or
// not.
type known struct{}

// Locate returns the tag field of the kind.
func (known) Locate(k field.Kind) (field.Field, bool) {
	if f, ok := field.BuiltIn().Known(k.GroupVersionKind); ok {
		return f, true
	}

	return field.BuiltIn().Locate(k)
}

// read locates the tag fields that schemas say, whether they have to be asked for or not.
type read struct{ field.Schemas }

// Locate returns the tag field of the kind.
func (r read) Locate(k field.Kind) (field.Field, bool) {
	f, ok := r.Schemas.Locate(k)
	if f.OnRequest {
		f = field.Read(k.GroupVersionKind, r.Of(k.GroupVersionKind))
	}

	return f, ok
}

// namedKeys returns the keys of labels that the sources name. Which others they have, only composite
// resources say.
func namedKeys(sources []v1beta1.Source) []string {
	var keys []string

	for i := range sources {
		s := &sources[i]
		keys = slices.AppendSeq(keys, maps.Keys(s.Values))
		keys = slices.AppendSeq(keys, maps.Keys(s.Expressions))

		if s.Include != nil {
			keys = append(keys, s.Include.Keys...)
		}
	}

	keys = slices.DeleteFunc(keys, func(key string) bool { return strings.Contains(key, "*") })
	slices.Sort(keys)

	return slices.Compact(keys)
}

// unique returns the keys without those that came before.
func unique(keys []string) []string {
	var out []string

	for _, key := range keys {
		if !slices.Contains(out, key) {
			out = append(out, key)
		}
	}

	return out
}

func newGroup(name string) *Group { return &Group{Name: name, byKey: make(map[tagID]*KeyCount)} }

// AddRequired adds the objects that Crossplane has fetched, by the name of the requirement, in an order
// that doesn't depend on that of the answer. An object that several requirements select counts once. It
// returns the error of ctx once that has one.
func (t *Tally) AddRequired(ctx context.Context, required map[string]*fnv1.Resources) error {
	seen := make(map[[4]string]bool)

	for _, requirement := range slices.Sorted(maps.Keys(required)) {
		var found []identified

		for _, item := range required[requirement].GetItems() {
			if o := object.Of(item); o.Node().IsObject() {
				gk := object.GVK(o).GroupKind()
				found = append(found, identified{Object: o, id: [4]string{gk.Group, gk.Kind, object.Namespace(o), object.Name(o)}})
			}
		}

		slices.SortStableFunc(found, func(a, b identified) int { return slices.Compare(a.id[:], b.id[:]) })

		for _, o := range found {
			if err := ctx.Err(); err != nil {
				return err
			}

			if o.id[3] == "" || !seen[o.id] {
				t.Add(o.Object)
			}

			seen[o.id] = true
		}
	}

	return nil
}

// An identified object has what tells it from others: API group, kind, namespace and name.
type identified struct {
	object.Object

	id [4]string
}

// Add counts the object.
func (t *Tally) Add(o object.Object) {
	node := o.Node()
	metadata := node.Field("metadata")

	for ref := range metadata.Field("ownerReferences").Items() {
		t.owners[schema.FromAPIVersionAndKind(ref.Field("apiVersion").Text(), ref.Field("kind").Text()).GroupKind()] = true
	}

	name := metadata.Field("name").Text()
	inComposition := metadata.Field("annotations").Field(nameAnnotation).Text()
	counted := t.census.count(cmp.Or(inComposition, name), o)

	// Without a spec, composite resources look like managed ones, which can own others, too.
	composite := metadata.Field("labels").Field(compositeLabel).Text()
	isManaged := node.Field("spec").Field("forProvider").IsObject()
	isComposite := composite == name && name != "" && !isManaged

	if !counted.IsResource || counted.Unknown && isComposite {
		t.others++
		return
	}

	r := &Resource{
		Provider: t.text(counted.Provider), APIVersion: t.text(counted.GroupVersion().String()), Kind: t.text(counted.Kind.Kind),
		Namespace: t.text(metadata.Field("namespace").Text()), Name: strings.Clone(cmp.Or(name, inComposition, metadata.Field("generateName").Text())), Composite: t.text(composite), Why: t.text(counted.Lacks),
		isManaged: isManaged,
	}

	if counted.NoCloud {
		r.Provider = none
	}

	switch {
	case counted.Unknown:
		t.unknown = append(t.unknown, r) // Counted once all owners are known.
	case counted.Lacks != "":
		t.untaggable = append(t.untaggable, r)
		t.each(r, func(g *Group) { g.Resources++; g.Untaggable++ })
	default:
		t.count(r, &counted)
	}
}

// text returns s, as the same string for all that are equal.
func (t *Tally) text(s string) string {
	known, ok := t.texts[s]
	if !ok {
		known = strings.Clone(s)
		t.texts[known] = known
	}

	return known
}

// each calls f for the groups that the resource is in, of which all is one.
func (t *Tally) each(r *Resource, f func(g *Group)) {
	name := ""

	switch t.by {
	case "provider":
		name = r.Provider
	case "kind":
		name = strings.TrimSuffix(r.Kind+"."+groupOf(r.APIVersion), ".")
	case "namespace":
		name = r.Namespace
	case "composite":
		name = r.Composite
		if name != "" && r.Namespace != "" {
			name = r.Namespace + "/" + name
		}
	}

	name = cmp.Or(name, none)

	g := t.groups[name]
	if g == nil {
		g = newGroup(name)
		t.groups[name] = g
	}

	f(t.total)
	f(g)
}

// groupOf returns the API group of an apiVersion. It is empty for that of Kubernetes' core.
func groupOf(apiVersion string) string {
	group, _, ok := strings.Cut(apiVersion, "/")
	if !ok {
		return ""
	}

	return group
}

// count a resource that can have tags.
func (t *Tally) count(r *Resource, of *counted) {
	t.judge(r, of)

	for _, key := range slices.Sorted(maps.Keys(of.Drift)) {
		d := of.Drift[key]
		r.Drift = append(r.Drift, Drift{Key: t.text(key), Desired: d.Desired, Cloud: d.Cloud})
	}

	isIncomplete := len(r.Missing)+len(r.Wrong) > 0

	switch {
	case len(of.Tags) == 0:
		t.untagged = append(t.untagged, r)
	case isIncomplete:
		t.incomplete = append(t.incomplete, r)
	}

	if len(r.Drift) > 0 {
		t.drifted = append(t.drifted, r)
	}

	t.each(r, func(g *Group) {
		g.Resources++
		g.Taggable++
		g.Tagged += one(len(of.Tags) > 0)
		g.Incomplete += one(isIncomplete)
		g.Reported += one(of.Reported)
		g.Drifted += one(len(r.Drift) > 0)
		g.InCloud += one(len(of.Cloud) > 0)

		if len(t.keys) > 0 {
			t.countKeys(g, of)
		} else {
			t.countFound(g, of)
		}
	})
}

// one is 1 if it is so, and otherwise 0.
func one(is bool) int { //nolint:revive // It is what is counted.
	if is {
		return 1
	}

	return 0
}

// judge which tags the resource lacks, and which break the policy.
func (t *Tally) judge(r *Resource, of *counted) {
	if t.required {
		for i, key := range t.keys {
			if !of.Has[i] {
				r.Missing = append(r.Missing, key)
			}
		}
	}

	for i, breach := range of.Breaches {
		switch key := t.rules[i]; {
		case breach.Kind == tagpolicy.Kept:
			continue
		case breach.Kind != tagpolicy.Missing:
			r.Wrong = append(r.Wrong, Wrong{Key: key, What: t.text(breach.String())})
		case !slices.Contains(r.Missing, key):
			r.Missing = append(r.Missing, key)
		}

		b := &t.broken[i]
		b.Count++

		if len(b.First) < maxBroken {
			b.First = append(b.First, tagpolicy.Violation{Rule: i, Breach: breach, Resource: r.Title(), Provider: r.Provider})
		}
	}
}

// countKeys counts the keys that count.
func (t *Tally) countKeys(g *Group, of *counted) {
	for i, key := range t.keys {
		n := t.key(g, tagID{key: key}, key)

		isFor := !t.policed
		for j, r := range t.rules {
			isFor = isFor || r == key && of.For[j]
		}

		if !isFor {
			continue
		}

		n.Of++
		n.Tagged += one(of.Has[i])

		if of.Reported {
			n.Reported++
			n.InCloud += one(of.CloudHas[i])
		}
	}
}

// countFound counts all keys that there are. Some are in the cloud alone.
func (t *Tally) countFound(g *Group, of *counted) {
	for id, key := range of.Tags {
		t.key(g, id, key).Tagged++
	}

	for id, key := range of.Cloud {
		t.key(g, id, key).InCloud++
	}
}

// key returns the count of the key in the group. Of all spellings it has the first in order.
func (t *Tally) key(g *Group, id tagID, key string) *KeyCount {
	n := g.byKey[id]

	switch {
	case n == nil:
		n = &KeyCount{Key: t.text(key)}
		g.byKey[tagID{id.profile, t.text(id.key)}] = n
	case key < n.Key:
		n.Key = t.text(key)
	}

	return n
}

// Report what has been counted. Nothing can be added any more.
func (t *Tally) Report() *Report {
	isOwner := func(r *Resource) bool {
		gk := schema.GroupKind{Group: groupOf(r.APIVersion), Kind: r.Kind}
		_, isKnown := field.FamilyOf(gk)

		return t.owners[gk] && !isKnown && !r.isManaged
	}

	n := len(t.unknown)
	t.unknown = slices.DeleteFunc(t.unknown, isOwner)
	t.others += n - len(t.unknown)

	for _, r := range t.unknown {
		t.each(r, func(g *Group) { g.Resources++; g.Unknown++ })
	}

	out := &Report{By: t.by, Keys: []string{}, Total: t.total, Groups: []*Group{}, Others: t.others, Broken: t.broken, Lists: []List{
		{Name: "untagged", Resources: t.untagged},
		{Name: "incomplete", Resources: t.incomplete},
		{Name: ListDrifted, Resources: t.drifted},
		{Name: "untaggable", Resources: t.untaggable},
		{Name: "unknown", Resources: t.unknown},
	}}

	t.order(t.total)

	for _, name := range slices.Sorted(maps.Keys(t.groups)) {
		t.order(t.groups[name])
		out.Groups = append(out.Groups, t.groups[name])
	}

	for _, n := range t.total.Keys {
		out.Keys = append(out.Keys, n.Key)
	}

	return out
}

// order the keys of the group: as they were given, or the most frequent first.
func (t *Tally) order(g *Group) {
	g.Keys = []*KeyCount{}

	for _, key := range t.keys {
		g.Keys = append(g.Keys, t.key(g, tagID{key: key}, key))
	}

	if len(t.keys) == 0 {
		// Keys of several providers can be spelled in one way.
		found := newGroup("")

		for id, n := range g.byKey {
			key := t.total.byKey[id].Key
			of := t.key(found, tagID{key: key}, key)
			of.Tagged += n.Tagged
			of.InCloud += n.InCloud
		}

		g.Keys = slices.AppendSeq(g.Keys, maps.Values(found.byKey))
		slices.SortFunc(g.Keys, func(a, b *KeyCount) int { return cmp.Or(b.Tagged-a.Tagged, strings.Compare(a.Key, b.Key)) })

		for _, n := range g.Keys {
			n.Of, n.Reported = g.Taggable, g.Reported
		}
	}

	for _, n := range g.Keys {
		n.Share = Share(n.Tagged, n.Of)
	}
}
