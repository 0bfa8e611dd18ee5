package tests

import (
	"fmt"
	"maps"
	"strings"

	"github.com/google/go-cmp/cmp"

	"github.com/plexsphere/function-cloud-tags/example/internal/live"
)

// filled returns a stack of one resource. Its provider has filled in the cloud's tags before the function's step
// tagged it.
func filled(c live.Test, name, resource, composed, input string, labels, cloud object) (*live.Stack, *live.Provider) {
	c.T.Helper()

	s := c.NewStack(name, resource, input+"resources: [{name: nothing}]\n")
	p := &live.Provider{Stack: s, Name: composed, Cloud: cloud}

	s.Label(labels)
	live.Eventually(c.T, p.Reconcile)
	s.Want(composed, ofTags, cloud)

	*s = *c.NewStack(name, resource, input)

	return s, p
}

// tagged returns n tags with a prefix, and the others.
func tagged(prefix string, n int, others object) object {
	out := maps.Clone(others)
	if out == nil {
		out = make(object)
	}

	for i := range n {
		out[fmt.Sprintf("%s%02d", prefix, i)] = "x"
	}

	return out
}

// Tags that the provider has filled in are its own, and stay: they count for the cap, onConflict
// Error refuses to change them, and an event names tags that removeTags can't remove.
func testFilled(c live.Test) {
	testFilledCap(c)
	testFilledConflict(c)
	testCopied(c)
	testFilledRemove(c)
}

func testFilledCap(c live.Test) {
	const input = `
limitPolicy: %s
sources:
- type: CompositeField
  fromFieldPath: spec.labels
`
	cloud, resources := tagged("cloud-", 45, nil), bases("resourceGroup")

	s, provider := filled(c, "filled-cap", resources, "resources", fmt.Sprintf(input, "ApplyStrict"), tagged("label-", 10, nil), cloud)
	provided := func(want object) {
		c.T.Helper()
		s.WantSoon("resources", ofTags, want)
		provider.WantCloud(want)
	}

	s.WantConditionSoon("CloudTagsPropagated", "False", "LimitExceeded")
	s.WantEvent("Warning", `too many labels: 5 on composed resource "resources"`, "45 of other field managers")
	s.WantKept("resources", func() {})
	provided(cloud)

	s.Label(tagged("label-", 5, nil))
	provided(tagged("plexsphere:label-", 5, cloud))
	s.WantCondition("CloudTagsPropagated", "True", "AllPropagated")
	s.Settled()

	*s = *c.NewStack("filled-cap", resources, fmt.Sprintf(input, "ApplyPartial"))

	s.Label(tagged("label-", 6, nil))
	s.WantConditionSoon("CloudTagsPropagated", "True", "SomeSkipped")
	s.WantEvent("Warning", "count-cap", "label-05 → plexsphere:label-05")
	provided(tagged("plexsphere:label-", 5, cloud))
	s.Settled()
}

func testFilledConflict(c live.Test) {
	cloud := object{"owner": "finance"}
	s, provider := filled(c, "filled-conflict", vpc, "vpc", `
sources:
- type: CompositeField
  fromFieldPath: spec.labels
  keyForm: Tag
  onConflict: Error
`, object{"owner": "team-a"}, cloud)

	s.WantConditionSoon("CloudTagsPropagated", "False", "TagConflict")
	s.WantEvent("Warning", `the field manager provider has set the tag "owner" to "finance"`)
	s.WantKept("vpc", func() {})

	for range 2 {
		live.Eventually(c.T, provider.Reconcile)
		s.Reconcile()
		s.WantCondition("CloudTagsPropagated", "False", "TagConflict")
		s.Want("vpc", ofTags, cloud)
	}

	// At the same value, there is nothing to refuse.
	s.Label(object{"owner": "finance"})
	s.WantOwners("vpc", ofTags, live.Owners{crossplane: {".owner"}, "provider": {"", ".owner"}})
	s.WantCondition("CloudTagsPropagated", "True", "AllPropagated")
	s.Settled()
}

// onConflict Error refuses a tag that the cloud has, and still refuses it once the provider has copied the tag
// to the spec.
func testCopied(c live.Test) {
	s := c.NewStack("copied", network, `
sources:
- type: CompositeField
  fromFieldPath: spec.labels
  keyForm: Tag
  onConflict: Error
`)
	s.Label(nil)
	s.WantNetwork("internal", "legacy=yes")
	s.Observe("network", object{"allTags": array{"internal", "legacy=yes", "owner=finance"}})

	// A run that has begun before doesn't know of it.
	s.Reconcile()

	s.WantKept("network", func() {
		s.Label(object{"owner": "team-a"})
		s.WantCondition("CloudTagsPropagated", "False", "TagConflict")
		s.WantEvent("Warning", `the cloud has the tag "owner" at "finance"`)
	})

	s.Write("network", object{"forProvider": object{"tags": array{"internal", "legacy=yes", "owner=finance"}}})
	s.WantKept("network", func() {
		s.WantEvent("Warning", `the field manager provider has set the tag "owner" to "finance"`)
		s.WantCondition("CloudTagsPropagated", "False", "TagConflict")
	})
}

func testFilledRemove(c live.Test) {
	s, provider := filled(c, "filled-remove", vpc, "vpc", fieldLabels+`
removeTags:
- key: legacy
`, object{"env": "prod"}, object{"legacy": "yes", "plexsphere:old": "x"})

	s.WantSoon("vpc", ofTags, object{"legacy": "yes", "plexsphere:old": "x", "plexsphere:env": "prod"})
	s.WantEvent("Normal", "another field manager owns them", "vpc: legacy (provider)")
	s.WantEvent("Warning", "another field manager keeps them", "vpc: plexsphere:old (provider)")
	s.Settled()

	// Somebody follows the event, and edits the resource.
	s.Write("vpc", object{"forProvider": object{"tags": object{"legacy": nil, "plexsphere:old": nil}}})
	live.Eventually(c.T, provider.Reconcile)

	want := object{"plexsphere:env": "prod"}
	s.Want("vpc", ofTags, want)
	s.Settled()
	s.Want("vpc", ofTags, want)

	if diff := cmp.Diff(want, provider.Cloud); diff != "" {
		c.T.Errorf("tags in the cloud: -want, +got:\n%s", diff)
	}
}

// A resource with the annotation to leave it alone keeps its tags, and so does a resource of a kind that nobody
// knows any longer. A resource that isn't selected any longer loses them.
func testLeftAlone(c live.Test) {
	const (
		input = fieldLabels + `
fieldDiscovery: Index
`
		known = `
tagFields:
- {apiVersion: storage.cloud.example.org/*, kind: Volume, fieldPath: spec.forProvider.tags, shape: Map}
`
	)

	left := bucket + group + network
	ignored := strings.ReplaceAll(left, "    spec:\n", "    metadata: {annotations: {cloudtags.fn.plexsphere.com/ignore: \"true\"}}\n    spec:\n")

	s := c.NewStack("left-alone", left+volume+vpc, input+known)
	s.Label(object{"env": "prod"})

	item := func(key, value string, launched bool) object {
		return object{"key": key, "value": value, "propagateAtLaunch": launched}
	}

	// want wants resources that are left alone to have their own tags, and the tags of labels.
	want := func(labels ...string) {
		c.T.Helper()

		tags, tag, list := object{"Name": "reports", "legacy": "yes"}, array{item("Name", "workers", false), item("legacy", "yes", false)}, []string{"internal", "legacy=yes"}
		owners := []string{".Name", ".legacy"}

		for _, key := range labels {
			tags["plexsphere:"+key] = "prod"
			tag = append(tag, item("plexsphere:"+key, "prod", true))
			list = append(list, "plexsphere:"+key+"=prod")
			owners = append(owners, ".plexsphere:"+key)
		}

		s.WantSoon("bucket", ofTags, tags)
		s.WantSoon("group", ofTag, tag)
		s.WantNetwork(list...)
		s.WantOwners("bucket", ofTags, live.Owners{crossplane: owners})
		s.Settled()
	}

	want("env")
	s.Want("volume", ofTags, object{"plexsphere:env": "prod"})

	*s = *c.NewStack("left-alone", ignored+volume+vpc, input)

	s.WantSoon("bucket", []string{"metadata", "annotations", "cloudtags.fn.plexsphere.com/ignore"}, "true")
	s.Label(object{"env": "test", "owner": "team-a"})
	s.Want("vpc", ofTags, object{"plexsphere:env": "test", "plexsphere:owner": "team-a"})
	want("env")
	s.Want("volume", ofTags, object{"plexsphere:env": "prod"})
	s.WantOwners("volume", ofTags, live.Owners{crossplane: {".plexsphere:env"}})
	s.WantCondition("CloudTagsPropagated", "False", "UnknownKinds")

	*s = *c.NewStack("left-alone", left+volume+vpc, input+known+"resources: [{name: vpc}, {name: volume}]\n")

	want()
	s.Want("volume", ofTags, object{"plexsphere:env": "test", "plexsphere:owner": "team-a"})
	s.Want("vpc", ofTags, object{"plexsphere:env": "test", "plexsphere:owner": "team-a"})
	s.WantChanges("bucket",
		live.Change{Added: []string{"Name", "legacy", "plexsphere:env"}},
		live.Change{Removed: []string{"plexsphere:env"}},
	)
}

// People are told when something has changed, and only then.
func testTransitions(c live.Test) {
	s := c.NewStack("transitions", vpc+`
- name: route
  base:
    apiVersion: ec2.aws.m.upbound.io/v1beta1
    kind: Route
    spec: {forProvider: {}}
`, fieldLabels)
	s.Label(object{"env": "prod", "owner#1": "team-a"})
	s.WantEvent("Warning", "key-character-class", "owner#1")
	s.WantEvent("Normal", "not tagged: ", "route")
	s.Reconcile()

	// All of it is said again after a change of anything that there is to say.
	for _, label := range []string{"owner#2", "owner#3"} {
		before := s.Said()

		s.Reconcile()

		if diff := cmp.Diff(before, s.Said()); diff != "" {
			c.T.Errorf("events of runs that are the same: -before, +after:\n%s", diff)
		}

		s.Label(object{"env": "prod", "owner#1": "team-a", label: "x"})
		s.WantEvent("Warning", "key-character-class", "owner#1", label)
		live.Eventually(c.T, func() error {
			for message, times := range s.Said() {
				if strings.Contains(message, "not tagged: ") && times > before[message] {
					return nil
				}
			}

			return fmt.Errorf("nobody says what has no tags once more: %v", s.Said())
		})
		s.Reconcile()
	}
}
