package coverage

import (
	"fmt"
	"strings"

	"github.com/plexsphere/function-cloud-tags/tags/tagpolicy"
)

// A Report is how many resources have which tags.
type Report struct {
	// By is what groups are of.
	By string `json:"by"`

	// Keys that count, in order.
	Keys []string `json:"keys"`

	Total  *Group   `json:"total"`
	Groups []*Group `json:"groups"`

	// Others are objects that are no resources of a cloud.
	Others int `json:"others"`

	// More is how many resources are left out of each list, by its name.
	More map[string]int `json:"more,omitempty"`

	// Lists are written behind all else, by their names.
	Lists []List `json:"-"`

	// Broken rules of the tag policy, in their order.
	Broken []Broken `json:"-"`
}

// ListDrifted is the name of the list of drifted resources.
const ListDrifted = "drifted"

// A List of resources, as they came. They are untagged, without any tag but those that
// their provider adds, incomplete, without all tags that are required, drifted, untaggable, or
// unknown.
type List struct {
	Name      string
	Resources []*Resource
}

// A Broken rule of the tag policy.
type Broken struct {
	// Rule is the position of the rule in the policy, Count how many resources break it.
	Rule, Count int

	// First of these: maxBroken at most.
	First []tagpolicy.Violation
}

// A Group of resources.
type Group struct {
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

	// Keys that count, and how many are left out.
	Keys     []*KeyCount `json:"keys"`
	MoreKeys int         `json:"moreKeys,omitempty"`

	byKey map[tagID]*KeyCount
}

// A KeyCount is how many resources have a key.
type KeyCount struct {
	Key string `json:"key"`

	// Tagged are how many have it, of so many that should, and the share of these.
	Tagged int     `json:"tagged"`
	Of     int     `json:"of"`
	Share  float64 `json:"share"`

	// InCloud is how many have it in the cloud, of so many of which that is reported.
	InCloud  int `json:"inCloud"`
	Reported int `json:"reported"`
}

// Share of so many that are tagged, rounded down to a hundredth of a percent: not all is never all. It
// is 0 of none.
func Share(tagged, of int) float64 {
	if of == 0 {
		return 0
	}

	return float64(tagged*10_000/of) / 10_000
}

// A Resource in a list. Its name is that in the Composition, or else what the name begins with, if a
// render prints it without one.
type Resource struct {
	Provider   string `json:"provider"`
	APIVersion string `json:"apiVersion"`
	Kind       string `json:"kind"`
	Namespace  string `json:"namespace,omitempty"`
	Name       string `json:"name"`
	Composite  string `json:"composite,omitempty"`

	// Missing are keys that the resource lacks, and Wrong those whose tags break the policy.
	Missing []string `json:"missing,omitempty"`
	Wrong   []Wrong  `json:"wrong,omitempty"`

	// Why it has no tags.
	Why string `json:"why,omitempty"`

	Drift []Drift `json:"drift,omitempty"`

	// More of all these are left out.
	More int `json:"more,omitempty"`

	// isManaged is true if a provider makes it, whatever it owns.
	isManaged bool
}

// A Wrong tag is one that breaks a rule of the policy.
type Wrong struct {
	Key  string `json:"key"`
	What string `json:"what"`
}

// A Drift is a tag that the cloud lacks, if its value there is null, or that has another value there.
type Drift struct {
	Key     string  `json:"key"`
	Desired string  `json:"desired"`
	Cloud   *string `json:"cloud"`
}

// Title of the resource, for messages.
func (r *Resource) Title() string {
	return r.Kind + " " + strings.TrimPrefix(r.Namespace+"/"+r.Name, "/")
}

// Summary says how many resources there are of each sort.
func (r *Report) Summary() string {
	t := r.Total
	parts := []string{
		fmt.Sprintf("%d of %d resources can have tags", t.Taggable, t.Resources),
		fmt.Sprintf("%d untagged", t.Taggable-t.Tagged),
	}

	for _, p := range []struct {
		n    int
		what string
	}{
		{t.Incomplete, "without all that is required"},
		{t.Drifted, "drifted"},
		{t.Untaggable, "untaggable"},
		{t.Unknown, "unknown"},
	} {
		if p.n > 0 {
			parts = append(parts, fmt.Sprintf("%d %s", p.n, p.what))
		}
	}

	return strings.Join(parts, ", ")
}
