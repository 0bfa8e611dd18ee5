package tests

import (
	"errors"
	"fmt"
	"maps"

	"github.com/plexsphere/function-cloud-tags/example/internal/live"
)

// A provider refuses changes of a resource's first tags, so they stay: of a resource from before the step, a stuck
// one, an imported one, and one that can't be made at first.
func testImmutable(c live.Test) {
	template := func(name, tags string) string {
		return fmt.Sprintf(`
- name: %s
  base:
    apiVersion: fis.aws.m.upbound.io/v1beta1
    kind: ExperimentTemplate
    spec:
      forProvider: {region: eu-central-1%s}
`, name, tags)
	}

	// Before the step does anything, somebody has patched a tag into one that has another.
	s := c.NewStack("immutable", template("before", "")+template("own", ", tags: {Name: own}")+template("stuck", `, tags: {"plexsphere:env": prod}`), fieldLabels+"resources: [{name: nothing}]\n")
	before := &live.ImmutableProvider{Stack: s, Name: "before"}
	tagging := &live.ImmutableProvider{Stack: s, Name: "own", Adds: object{"crossplane-name": "own"}}
	stuck := &live.ImmutableProvider{Stack: s, Name: "stuck", Made: true, Cloud: object{"Name": "old"}}
	bare := &live.ImmutableProvider{Stack: s, Name: "bare", Made: true}
	imported := &live.ImmutableProvider{Stack: s, Name: "imported", Made: true, Cloud: object{"owner": "others"}}
	never := &live.ImmutableProvider{Stack: s, Name: "never", Fails: true}
	late := &live.ImmutableProvider{Stack: s, Name: "late"}

	s.Label(object{"env": "prod"})
	reconcile(c, nil, before, tagging)
	reconcile(c, live.ErrRefused, stuck)

	*s = *c.NewStack("immutable", template("before", "")+template("own", ", tags: {Name: own}")+template("stuck", "")+
		template("bare", "")+template("imported", "")+template("never", "")+template("late", ""), fieldLabels)

	s.Label(object{"env": "prod", "owner": "team-a"})
	all := object{"plexsphere:env": "prod", "plexsphere:owner": "team-a"}
	s.Want("never", ofTags, all)
	s.Want("late", ofTags, all)

	// Updates of imported resources, with tags or without, are refused until the provider has reported the tags.
	reconcile(c, live.ErrRefused, bare, imported)
	reconcile(c, nil, late)

	// Nothing is made yet, so labels still become tags.
	reconcile(c, nil, never)
	s.Label(object{"env": "test"})
	s.Want("never", ofTags, object{"plexsphere:env": "test"})

	never.Fails = false
	reconcile(c, nil, never)

	settled := map[*live.ImmutableProvider]object{
		before: nil, tagging: {"Name": "own"}, stuck: {"Name": "old"}, bare: nil, imported: {"owner": "others"},
		never: {"plexsphere:env": "test"}, late: all,
	}

	// want wants the cloud's tags on all resources, and no refusal of a provider.
	want := func() {
		c.T.Helper()

		for p, tags := range settled {
			var want any
			if tags != nil || p.Adds != nil {
				merged := maps.Clone(tags)
				maps.Copy(merged, p.Adds)
				want = merged
			}

			s.WantSoon(p.Name, ofTags, want)
			reconcile(c, nil, p)
		}
	}

	want()
	s.WantEvent("Normal", "can't change once the resource is made", "before: plexsphere:env")

	s.Label(object{"env": "prod", "cost-center": "1"})
	want()
	s.Label(nil)
	want()
	s.Settled()
}

// reconcile calls each provider until it ends as wanted. Writes of others may come between.
func reconcile(c live.Test, want error, providers ...*live.ImmutableProvider) {
	c.T.Helper()

	for _, p := range providers {
		live.Eventually(c.T, func() error {
			if err := p.Reconcile(); !errors.Is(err, want) {
				return fmt.Errorf("%s: want %s, got %w", p.Name, fmt.Sprint(want), err)
			}

			return nil
		})
	}
}
