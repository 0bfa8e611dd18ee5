package coverage

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/plexsphere/function-cloud-tags/tags/tagpolicy"
	"github.com/plexsphere/function-cloud-tags/tags/words"
)

// A Report is how many resources have which tags.
type Report struct {
	// By and Groups are those of the first of the Divisions.
	By string `json:"by"`

	// Keys that are counted, in order.
	Keys []string `json:"keys"`

	Total  *Group   `json:"total"`
	Groups []*Group `json:"groups"`

	// Divisions of all resources.
	Divisions []Division `json:"-"`

	// Others is the number of objects that are no resources of a cloud.
	Others int `json:"others"`

	// Hints name keys that may be some that are counted.
	Hints []Hint `json:"hints,omitempty"`

	// More is the number of resources that each list leaves out, by its name.
	More map[string]int `json:"more,omitempty"`

	// Lists are written behind all else, by their names.
	Lists []List `json:"-"`

	// Violations of the tag policy, by rule.
	Violations []tagpolicy.Violation `json:"-"`
}

// A Division is groups of all resources.
type Division struct {
	// By is what resources are grouped by: provider, kind, namespace or composite.
	By string

	Groups []*Group

	byName map[string]*Group
}

// ListDrifted is the name of the list of drifted resources.
const ListDrifted = "drifted"

// Names of the other lists.
const (
	untagged   = "untagged"
	incomplete = "incomplete"
	untaggable = "untaggable"
	unknown    = "unknown"
)

// A List of resources, in the order in which they came. Untagged resources have no tag but those that their
// provider adds, incomplete ones lack required tags, drifted ones have other tags in the cloud, untaggable ones
// can have none, and of unknown ones nobody knows where tags are.
type List struct {
	Name      string
	Resources []*Resource
}

// A Group of resources.
type Group struct {
	Name string `json:"name,omitempty"`

	// Resources is the number of resources of clouds: Taggable ones, which can have tags, Untaggable ones,
	// which can't, and those of which it is Unknown.
	Resources  int `json:"resources"`
	Taggable   int `json:"taggable"`
	Untaggable int `json:"untaggable"`
	Unknown    int `json:"unknown"`

	// Tagged resources have a tag that their provider doesn't add. Incomplete ones lack a required tag, or
	// break the tag policy.
	Tagged     int `json:"tagged"`
	Incomplete int `json:"incomplete"`

	// Reported is the number of resources whose tags in the cloud the provider reports. InCloud of these have
	// a tag there, and Drifted ones have other tags there than the desired ones.
	Reported int `json:"reported"`
	InCloud  int `json:"inCloud"`
	Drifted  int `json:"drifted"`

	// Keys that are counted, and the number of those that are left out.
	Keys     []*KeyCount `json:"keys"`
	MoreKeys int         `json:"moreKeys,omitempty"`

	byKey map[tagID]*KeyCount
}

func newGroup(name string) *Group { return &Group{Name: name, byKey: make(map[tagID]*KeyCount)} }

// key returns the count of the key, which has one more resource with the spelling.
func (g *Group) key(id tagID, spelling string) *KeyCount {
	n := g.byKey[id]
	if n == nil {
		n = &KeyCount{spelled: make(map[string]int)}
		g.byKey[id] = n
	}

	n.spelled[spelling]++

	return n
}

// A KeyCount is the number of resources that have a key.
type KeyCount struct {
	// Key as most resources spell it.
	Key string `json:"key"`

	// Tagged resources have the key, Of is the number of those that should, and Share the share of these.
	Tagged int     `json:"tagged"`
	Of     int     `json:"of"`
	Share  float64 `json:"share"`

	// InCloud is the number of resources that have the key in the cloud, and Reported of those whose tags there
	// are reported.
	InCloud  int `json:"inCloud"`
	Reported int `json:"reported"`

	// spelled says how often the key has each of its spellings.
	spelled map[string]int
}

// count a resource that should have the key.
func (n *KeyCount) count(isTagged, isInCloud, isReported bool) {
	n.Of++
	n.Tagged += one(isTagged)
	n.InCloud += one(isInCloud)
	n.Reported += one(isReported)
}

// mostFrequent returns the text with the highest count, the first in order of several.
func mostFrequent(counts map[string]int) (out string) {
	for _, text := range slices.Sorted(maps.Keys(counts)) {
		if counts[text] > counts[out] {
			out = text
		}
	}

	return out
}

// A Hint names a key that may be one that is counted behind a prefix, if no resource has the key that is counted.
type Hint struct {
	Key string `json:"key"`

	// Other is the key that so many Resources have.
	Other     string `json:"other"`
	Resources int    `json:"resources"`
}

func (h Hint) String() string {
	return fmt.Sprintf("no resource has %s, but %s %s", words.Name(h.Key), words.Count(h.Resources, "resource has", "resources have"), words.Name(h.Other))
}

// Share returns tagged / of, rounded down to a hundredth of a percent, so that it is 1 only if all are tagged.
// Without any it is 0.
func Share(tagged, all int) float64 {
	if all == 0 {
		return 0
	}

	return float64(tagged*10_000/all) / 10_000
}

// A Resource in a list. If a render prints it without a name, it has that in the Composition, or else its
// generateName.
type Resource struct {
	Provider   string `json:"provider"`
	APIVersion string `json:"apiVersion"`
	Kind       string `json:"kind"`
	Namespace  string `json:"namespace,omitempty"`
	Name       string `json:"name"`
	Composite  string `json:"composite,omitempty"`

	// Missing keys are required, and Wrong tags break the policy.
	Missing []string `json:"missing,omitempty"`
	Wrong   []Wrong  `json:"wrong,omitempty"`

	// Why it can have no tags.
	Why string `json:"why,omitempty"`

	Drift []Drift `json:"drift,omitempty"`

	// More is the number of missing, wrong and drifted tags that are left out.
	More int `json:"more,omitempty"`

	// counted is the kind that it counts as: that of its manifest, if its tags are there.
	counted schema.GroupKind

	// isManaged is true if it has a spec.forProvider: a provider makes it, whatever it owns.
	isManaged bool
}

// A Wrong tag is one that breaks a rule of the policy.
type Wrong struct {
	Key  string `json:"key"`
	What string `json:"what"`
}

// A Drift is a tag that has another value in the cloud, or that the cloud lacks: then Cloud is null.
type Drift struct {
	Key     string  `json:"key"`
	Desired string  `json:"desired"`
	Cloud   *string `json:"cloud"`
}

func (r *Resource) groupKind() schema.GroupKind {
	return schema.FromAPIVersionAndKind(r.APIVersion, r.Kind).GroupKind()
}

// Title of the resource, for messages.
func (r *Resource) Title() string {
	return r.Kind + " " + strings.TrimPrefix(r.Namespace+"/"+r.Name, "/")
}

// A Reason says why a resource is in a list: what is wrong with the key, and the tag's values if they differ.
type Reason struct{ Key, Desired, Cloud, Text string }

// Texts of reasons that aren't those of a policy, or of a resource.
const (
	Missing    = "missing"
	NotInCloud = "not in the cloud"
	OtherValue = "another value"
)

// Reasons why the resource is in the list of that name, one at least.
func (r *Resource) Reasons(list string) (out []Reason) {
	if list == ListDrifted {
		return words.Map(r.Drift, func(d Drift) Reason {
			if d.Cloud == nil {
				return Reason{Key: d.Key, Desired: d.Desired, Text: NotInCloud}
			}

			return Reason{Key: d.Key, Desired: d.Desired, Cloud: *d.Cloud, Text: OtherValue}
		})
	}

	for _, key := range r.Missing {
		out = append(out, Reason{Key: key, Text: Missing})
	}

	for _, w := range r.Wrong {
		out = append(out, Reason{Key: w.Key, Text: w.What})
	}

	if len(out) == 0 {
		out = append(out, Reason{Text: r.Why})
	}

	return out
}

// Summary returns the totals as a text.
func (r *Report) Summary() string {
	t := r.Total
	parts := []string{fmt.Sprintf("%d of %d resources can have tags, %d untagged", t.Taggable, t.Resources, t.Taggable-t.Tagged)}
	sorts := []string{"without all that is required", ListDrifted, untaggable, unknown}

	for i, n := range []int{t.Incomplete, t.Drifted, t.Untaggable, t.Unknown} {
		if n > 0 {
			parts = append(parts, fmt.Sprintf("%d %s", n, sorts[i]))
		}
	}

	return strings.Join(parts, ", ")
}
