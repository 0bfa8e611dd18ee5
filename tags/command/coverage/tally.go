package coverage

import (
	"cmp"
	"maps"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/plexsphere/function-cloud-tags/input/v1beta1"
	"github.com/plexsphere/function-cloud-tags/tags/field"
	"github.com/plexsphere/function-cloud-tags/tags/object"
	"github.com/plexsphere/function-cloud-tags/tags/stamp"
)

// none is the group of resources that are of no provider, namespace or composite.
const none = "-"

// Labels and annotations by which Crossplane says what a composed resource is.
const (
	compositeLabel = "crossplane.io/composite"
	nameAnnotation = "crossplane.io/composition-resource-name"
)

// A report is how many resources have which tags.
type report struct {
	// By is what groups are of.
	By string `json:"by"`

	// Keys that count, in order.
	Keys []string `json:"keys"`

	Total  *group   `json:"total"`
	Groups []*group `json:"groups"`

	// Others are objects that are no resources of a cloud.
	Others int `json:"others"`

	lists lists
}

// lists of resources, by name and kind as they came.
type lists struct {
	// untagged resources have no tag at all, but those that their provider adds.
	untagged []*resource

	// incomplete resources have tags, but not all that are required.
	incomplete []*resource

	untaggable, unknown, drifted []*resource
}

// A group of resources.
type group struct {
	Name string `json:"name,omitempty"`

	// Resources of clouds, of which so many can have tags, or can't have any, or nobody knows.
	Resources  int `json:"resources"`
	Taggable   int `json:"taggable"`
	Untaggable int `json:"untaggable"`
	Unknown    int `json:"unknown"`

	// Tagged resources have any tag but those that their provider adds. Incomplete ones lack
	// any that is required.
	Tagged     int `json:"tagged"`
	Incomplete int `json:"incomplete"`

	// Reported are the resources of which the provider reports the tags that the cloud has. Of
	// these so many have any tag in the cloud, and of so many the cloud has others.
	Reported int `json:"reported"`
	InCloud  int `json:"inCloud"`
	Drifted  int `json:"drifted"`

	Keys []*keyCount `json:"keys"`

	byKey map[string]*keyCount
}

// A keyCount is how many resources have a key.
type keyCount struct {
	Key string `json:"key"`

	// Tagged are how many have it, of so many that should, and the share of these.
	Tagged int     `json:"tagged"`
	Of     int     `json:"of"`
	Share  float64 `json:"share"`

	// InCloud is how many have it in the cloud, of so many of which that is reported.
	InCloud  int `json:"inCloud"`
	Reported int `json:"reported"`
}

// A resource in a list.
type resource struct {
	Provider   string `json:"provider"`
	APIVersion string `json:"apiVersion"`
	Kind       string `json:"kind"`
	Namespace  string `json:"namespace,omitempty"`
	Name       string `json:"name"`
	Composite  string `json:"composite,omitempty"`

	// Missing are keys that the resource lacks, and Wrong those whose tags break the policy.
	Missing []string `json:"missing,omitempty"`
	Wrong   []wrong  `json:"wrong,omitempty"`

	// Why it has no tags.
	Why string `json:"why,omitempty"`

	Drift []drift `json:"drift,omitempty"`
}

// wrong is a tag that breaks a rule of the policy.
type wrong struct {
	Key  string `json:"key"`
	What string `json:"what"`
}

// drift is a tag that the cloud lacks, if its value there is null, or that has another value there.
type drift struct {
	Key     string  `json:"key"`
	Desired string  `json:"desired"`
	Cloud   *string `json:"cloud"`
}

// A rule of the policy.
type rule struct {
	key      string
	required bool
}

// A tally counts resources, one after the other.
type tally struct {
	by     string
	census *stamp.Census

	// keys that count, or none if all do. If they are required, each resource must have them,
	// and if they are policed, those that a rule is for.
	keys              []string
	required, policed bool
	rules             []rule

	total  *group
	groups map[string]*group
	others int
	lists  lists

	// owners are kinds that own resources: composite resources.
	owners map[schema.GroupKind]bool

	// texts that many resources have.
	texts map[string]string
}

func newTally(by string) *tally {
	return &tally{by: by, total: newGroup(""), groups: make(map[string]*group), owners: make(map[schema.GroupKind]bool), texts: make(map[string]string)}
}

func newGroup(name string) *group { return &group{Name: name, byKey: make(map[string]*keyCount)} }

// addPolicy adds the rules of the supplied policy.
func (t *tally) addPolicy(p *v1beta1.TagPolicy) {
	if p == nil {
		return
	}

	for i := range p.Rules {
		t.rules = append(t.rules, rule{key: p.Rules[i].Key, required: p.Rules[i].Required == nil || *p.Rules[i].Required})
	}
}

func (t *tally) ruleKeys() []string {
	var keys []string
	for _, r := range t.rules {
		keys = append(keys, r.key)
	}

	return keys
}

// add the supplied object.
func (t *tally) add(o object.Object) {
	node := o.Node()
	metadata := node.Field("metadata")

	for ref := range metadata.Field("ownerReferences").Items() {
		t.owners[schema.FromAPIVersionAndKind(ref.Field("apiVersion").Text(), ref.Field("kind").Text()).GroupKind()] = true
	}

	name := metadata.Field("name").Text()
	counted := t.census.Count(cmp.Or(metadata.Field("annotations").Field(nameAnnotation).Text(), name), o)

	// Without a spec, composite resources look like managed ones.
	composite := metadata.Field("labels").Field(compositeLabel).Text()
	isComposite := composite == name && name != "" && !node.Field("spec").Field("forProvider").IsObject()

	if !counted.IsResource || counted.Unknown && isComposite {
		t.others++
		return
	}

	r := &resource{
		Provider: t.text(counted.Provider), APIVersion: t.text(counted.GroupVersion().String()), Kind: t.text(counted.Kind.Kind),
		Namespace: t.text(metadata.Field("namespace").Text()), Name: strings.Clone(name), Composite: t.text(composite), Why: t.text(counted.Lacks),
	}

	if counted.NoCloud {
		r.Provider = none
	}

	switch {
	case counted.Unknown:
		t.lists.unknown = append(t.lists.unknown, r) // Counted once all owners are known.
	case counted.Lacks != "":
		t.lists.untaggable = append(t.lists.untaggable, r)
		t.each(r, func(g *group) { g.Resources++; g.Untaggable++ })
	default:
		t.count(r, &counted)
	}
}

// text returns the supplied text, as the same string as all that are equal.
func (t *tally) text(s string) string {
	known, ok := t.texts[s]
	if !ok {
		known = strings.Clone(s)
		t.texts[known] = known
	}

	return known
}

// each calls the supplied function for the groups that the supplied resource is in.
func (t *tally) each(r *resource, f func(g *group)) {
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

// groupOf the supplied apiVersion, which is empty for that of Kubernetes' core.
func groupOf(apiVersion string) string {
	group, _, ok := strings.Cut(apiVersion, "/")
	if !ok {
		return ""
	}

	return group
}

// count the supplied resource, which can have tags.
func (t *tally) count(r *resource, of *stamp.Counted) {
	t.judge(r, of)

	for _, key := range slices.Sorted(maps.Keys(of.Drift)) {
		d := of.Drift[key]
		r.Drift = append(r.Drift, drift{Key: t.text(key), Desired: d.Desired, Cloud: d.Cloud})
	}

	isIncomplete := len(r.Missing)+len(r.Wrong) > 0

	switch {
	case len(of.Tags) == 0:
		t.lists.untagged = append(t.lists.untagged, r)
	case isIncomplete:
		t.lists.incomplete = append(t.lists.incomplete, r)
	}

	if len(r.Drift) > 0 {
		t.lists.drifted = append(t.lists.drifted, r)
	}

	t.each(r, func(g *group) {
		g.Resources++
		g.Taggable++
		g.Tagged += one(len(of.Tags) > 0)
		g.Incomplete += one(isIncomplete)
		g.Reported += one(of.Reported)
		g.Drifted += one(len(r.Drift) > 0)
		g.InCloud += one(of.HasCloudTags)

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

// judge what the supplied resource lacks.
func (t *tally) judge(r *resource, of *stamp.Counted) {
	if t.required {
		for i, key := range t.keys {
			if !of.Has[i] {
				r.Missing = append(r.Missing, key)
			}
		}
	}

	for i, what := range of.Breaks {
		switch key := t.rules[i].key; {
		case what == "":
		case what != stamp.Missing:
			r.Wrong = append(r.Wrong, wrong{Key: key, What: t.text(what)})
		case !slices.Contains(r.Missing, key):
			r.Missing = append(r.Missing, key)
		}
	}
}

// countKeys counts the keys that count.
func (t *tally) countKeys(g *group, of *stamp.Counted) {
	for i, key := range t.keys {
		n := g.key(key)

		isFor := !t.policed
		for j, r := range t.rules {
			isFor = isFor || r.key == key && of.For[j]
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

// countFound counts all keys that there are.
func (t *tally) countFound(g *group, of *stamp.Counted) {
	for key := range of.Tags {
		n := g.key(t.text(key))
		n.Tagged++

		d, drifted := of.Drift[key]
		n.InCloud += one(of.Reported && (!drifted || d.Cloud != nil))
	}
}

// key of the group.
func (g *group) key(key string) *keyCount {
	n := g.byKey[key]
	if n == nil {
		n = &keyCount{Key: key}
		g.byKey[key] = n
	}

	return n
}

// report what has been counted. Nothing can be added any more.
func (t *tally) report() *report {
	isOwner := func(r *resource) bool {
		gk := schema.GroupKind{Group: groupOf(r.APIVersion), Kind: r.Kind}
		_, isKnown := field.FamilyOf(gk)

		return t.owners[gk] && !isKnown
	}

	n := len(t.lists.unknown)
	t.lists.unknown = slices.DeleteFunc(t.lists.unknown, isOwner)
	t.others += n - len(t.lists.unknown)

	for _, r := range t.lists.unknown {
		t.each(r, func(g *group) { g.Resources++; g.Unknown++ })
	}

	out := &report{By: t.by, Keys: []string{}, Total: t.total, Groups: []*group{}, Others: t.others, lists: t.lists}

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

// order the keys of the supplied group: as they were given, or the most frequent first.
func (t *tally) order(g *group) {
	g.Keys = []*keyCount{}

	for _, key := range t.keys {
		g.Keys = append(g.Keys, g.key(key))
	}

	if len(t.keys) == 0 {
		g.Keys = slices.AppendSeq(g.Keys, maps.Values(g.byKey))
		slices.SortFunc(g.Keys, func(a, b *keyCount) int { return cmp.Or(b.Tagged-a.Tagged, strings.Compare(a.Key, b.Key)) })

		for _, n := range g.Keys {
			n.Of, n.Reported = g.Taggable, g.Reported
		}
	}

	for _, n := range g.Keys {
		if n.Of > 0 {
			n.Share = float64(n.Tagged*10_000/n.Of) / 10_000
		}
	}
}
