package example

import (
	"github.com/plexsphere/function-cloud-tags/example/internal/live"
)

var ofPolicies = []string{"spec", "managementPolicies"}

// The last label leaves the cloud and stays away, although the provider fills tags in that aren't
// there: Crossplane takes them away in one run, and makes the empty field in the next.
func testLateInit(c live.Test) {
	testLastLeaves(c, "provider-before", func(s *live.Stack, provided func(object)) {
		s.Write("queue", object{"held": true})
		s.Label(nil)
		s.Want("queue", ofPolicies, array{"Observe", "Create", "Update", "Delete"})

		for range 3 {
			provided(object{})
			s.Want("queue", ofTags, nil)
		}

		s.Write("queue", object{"held": nil})
	})
	testLastLeaves(c, "provider-after", func(s *live.Stack, _ func(object)) { s.Label(nil) })
}

// testLastLeaves has the last label of a stack taken away by unlabel, which ends before Crossplane's
// second run has to. It gets a function that reconciles the provider, and wants tags in the cloud.
func testLastLeaves(c live.Test, name string, unlabel func(s *live.Stack, provided func(object))) {
	s := c.NewStack(name, `
- name: queue
  base:
    apiVersion: sqs.aws.m.upbound.io/v1beta1
    kind: Queue
    spec: {forProvider: {region: eu-central-1}}
`, `
sources:
- type: CompositeField
  fromFieldPath: spec.labels
`)
	provider := &live.Provider{Stack: s, Name: "queue"}

	// provided reconciles once, and checks what the tags in the cloud become.
	provided := func(want object) {
		c.T.Helper()
		live.Eventually(c.T, provider.Reconcile)

		if err := live.Differs(want, provider.Cloud); err != nil {
			c.T.Errorf("tags in the cloud: %v", err)
		}
	}

	tags := object{"plexsphere:env": "prod"}

	s.Label(object{"env": "prod"})
	s.Want("queue", ofTags, tags)
	provided(tags)
	s.Settled()

	unlabel(s, provided)

	s.WantSoon("queue", ofTags, object{})
	s.Want("queue", ofPolicies, array{"*"})

	// Crossplane may not know yet that the provider has dropped the empty map, and make it
	// again. Then the provider drops it again.
	live.Eventually(c.T, func() error {
		provided(object{})
		s.Reconcile()

		return s.Objection("queue", ofTags, nil)
	})

	for range 2 {
		s.Settled()
		s.Want("queue", ofTags, nil)
		s.WantOwners("queue", ofTags, live.Owners{})
		provided(object{})
	}
}
