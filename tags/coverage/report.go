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

// A Report has the numbers of resources with tags.
type Report struct {
	// By and Groups describe the first of the Divisions.
	By string `json:"by"`

	// Keys that are counted, in order.
	Keys []string `json:"keys"`

	Total  *Group   `json:"total"`
	Groups []*Group `json:"groups"`

	// Divisions of all resources: by provider, and on request by others.
	Divisions []Division `json:"-"`

	// Others is the number of objects that are no resources of a cloud.
	Others int `json:"others"`

	// Hints name keys that people may have meant instead of a counted key.
	Hints []Hint `json:"hints,omitempty"`

	// More is the number of resources that a list leaves out, by the name of the list.
	More map[string]int `json:"more,omitempty"`

	// Lists are written after all else, by their names.
	Lists []List `json:"-"`

	// Required says whether resources must have the Keys.
	Required bool `json:"-"`

	// Violations of the tag policy, by rule.
	Violations []tagpolicy.Violation `json:"-"`
}

// A Division puts each resource into one of its groups.
type Division struct {
	// By names the division: provider, kind, namespace or composite.
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

// A List has resources, in the order in which they were added:
//   - untagged resources have no tag, except tags that their provider adds
//   - incomplete resources lack required tags, or break the tag policy
//   - drifted resources have other tags in the cloud
//   - untaggable resources can have no tags
//   - unknown resources may have tags, but nobody knows where
type List struct {
	Name      string
	Resources []*Resource
}

// A Group has the counts of some resources, such as all resources of the provider aws.
type Group struct {
	Name string `json:"name,omitempty"`

	// Resources is the number of resources of clouds. Taggable resources can have tags, and Untaggable ones can't. Nobody knows
	// about Unknown ones.
	Resources  int `json:"resources"`
	Taggable   int `json:"taggable"`
	Untaggable int `json:"untaggable"`
	Unknown    int `json:"unknown"`

	// Tagged resources have a tag that their provider doesn't add. Incomplete ones lack a required tag, or break the tag
	// policy.
	Tagged     int `json:"tagged"`
	Incomplete int `json:"incomplete"`

	// Reported is the number of resources whose provider reports the tags in the cloud. Among these, InCloud ones have a tag in
	// the cloud, and Drifted ones have other tags there than desired.
	Reported int `json:"reported"`
	InCloud  int `json:"inCloud"`
	Drifted  int `json:"drifted"`

	// Keys are counted. MoreKeys is the number of keys that are left out.
	Keys     []*KeyCount `json:"keys"`
	MoreKeys int         `json:"moreKeys,omitempty"`

	byKey map[tagID]*KeyCount
}

func newGroup(name string) *Group { return &Group{Name: name, byKey: make(map[tagID]*KeyCount)} }

// key returns the count of the key, after it has counted the spelling once more.
func (g *Group) key(id tagID, spelling string) *KeyCount {
	n := g.byKey[id]
	if n == nil {
		n = &KeyCount{spelled: make(map[string]int), prefixed: make(map[string]int)}
		g.byKey[id] = n
	}

	n.spelled[spelling]++

	return n
}

// A KeyCount is the number of resources that have a key.
type KeyCount struct {
	// Key as most resources spell it.
	Key string `json:"key"`

	// Tagged is the number of resources that have the key, Resources is the number that should have it, and Share is the quotient.
	Tagged    int     `json:"tagged"`
	Resources int     `json:"of"`
	Share     float64 `json:"share"`

	// InCloud is the number of resources with the key in the cloud. Reported is the number of resources whose tags in the cloud
	// are known.
	InCloud  int `json:"inCloud"`
	Reported int `json:"reported"`

	// spelled has the number of resources for each spelling of the key. prefixed has the number of all resources with keys such as
	// acme:env, if env is the counted key. Hints come from it.
	spelled, prefixed map[string]int
}

// mostFrequent returns the text with the highest count, or an empty text if there are none. The first in order wins over others with this
// count.
func mostFrequent(counts map[string]int) string {
	texts := slices.Concat([]string{""}, slices.Sorted(maps.Keys(counts)))
	return slices.MaxFunc(texts, func(a, b string) int { return counts[a] - counts[b] })
}

// A Hint says that no resource has Key, but that some have Other, which is Key after a prefix. For env, that may be acme:env.
type Hint struct {
	Key string `json:"key"`

	// Other is the longer key. Resources is the number of resources that have it.
	Other     string `json:"other"`
	Resources int    `json:"resources"`
}

// String returns the hint for messages: that no resource has env, but some have acme:env.
func (h Hint) String() string {
	return fmt.Sprintf("no resource has %s, but %s %s", words.Name(h.Key), words.Count(h.Resources, "resource has", "resources have"), words.Name(h.Other))
}

// Share returns tagged / all, rounded down to a hundredth of a percent. So it is 1 only if all are tagged. If all is 0, it is
// 0.
func Share(tagged, all int) float64 {
	if all == 0 {
		return 0
	}

	return float64(tagged*10_000/all) / 10_000
}

// A Resource is an item of a list. A render may print it without a name. Then Name is its name in the Composition, or else its
// generateName.
type Resource struct {
	Provider   string `json:"provider"`
	APIVersion string `json:"apiVersion"`
	Kind       string `json:"kind"`
	Namespace  string `json:"namespace,omitempty"`
	Name       string `json:"name"`
	Composite  string `json:"composite,omitempty"` // The value of the label crossplane.io/composite.

	// Missing has required keys, and Wrong has tags that break the policy.
	Missing []string `json:"missing,omitempty"`
	Wrong   []Wrong  `json:"wrong,omitempty"`

	// Why is the reason why the resource has no tag field, or why nobody knows it.
	Why string `json:"why,omitempty"`

	Drift []Drift `json:"drift,omitempty"`

	// More is the number of missing, wrong and drifted tags that are left out.
	More int `json:"more,omitempty"`

	// counted is the resource's kind in the division by kind. An object that wraps a manifest has the kind of the manifest.
	counted schema.GroupKind

	// isManaged says whether the resource has a spec.forProvider. Then a provider makes it, even if it owns other resources.
	isManaged bool
}

// A Wrong tag breaks a rule of the policy.
type Wrong struct {
	Key    string `json:"key"`
	Breach string `json:"what"`
}

// A Drift is a tag with another value in the cloud. If the cloud lacks the tag, Cloud is null.
type Drift struct {
	Key     string  `json:"key"`
	Desired string  `json:"desired"`
	Cloud   *string `json:"cloud"`
}

func (r *Resource) groupKind() schema.GroupKind {
	return schema.FromAPIVersionAndKind(r.APIVersion, r.Kind).GroupKind()
}

// Title returns the kind, namespace and name for messages.
func (r *Resource) Title() string {
	return r.Kind + " " + strings.TrimPrefix(r.Namespace+"/"+r.Name, "/")
}

// A Reason says why a resource is in a list. Text is the reason, such as "missing", and Key is the key of the tag. A tag with another
// value in the cloud has the Desired value and the value in the Cloud.
type Reason struct{ Key, Desired, Cloud, Text string }

// Missing, NotInCloud and OtherValue are texts of reasons. Others come from a policy, or from the resource.
const (
	Missing    = "missing"
	NotInCloud = "not in the cloud"
	OtherValue = "another value"
)

// Reasons returns why the resource is in the list: at least one reason.
func (r *Resource) Reasons(list string) (out []Reason) {
	if list == ListDrifted {
		return words.Map(r.Drift, func(d Drift) Reason {
			if d.Cloud == nil {
				return Reason{Key: d.Key, Desired: d.Desired, Text: NotInCloud}
			}

			return Reason{Key: d.Key, Desired: d.Desired, Cloud: *d.Cloud, Text: OtherValue}
		})
	}

	out = append(words.Map(r.Missing, func(key string) Reason { return Reason{Key: key, Text: Missing} }),
		words.Map(r.Wrong, func(w Wrong) Reason { return Reason{Key: w.Key, Text: w.Breach} })...)

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
