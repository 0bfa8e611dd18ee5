package tests

import (
	"github.com/plexsphere/function-cloud-tags/example/internal/live"
)

var ofPolicies = []string{"spec", "managementPolicies"}

// The last label leaves the cloud and stays away, although the provider fills tags in that aren't
// there: Crossplane takes them away in one run, and makes the empty field in the next.
func testLateInit(c live.Test) {
	testLastLeaves(c, "provider-before", func(p *live.Provider) {
		p.Write("queue", object{"held": true})
		p.Label(nil)
		p.Want("queue", ofPolicies, array{"Observe", "Create", "Update", "Delete"})

		for range 3 {
			p.WantCloud(object{})
			p.Want("queue", ofTags, nil)
		}

		p.Write("queue", object{"held": nil})
	})
	testLastLeaves(c, "provider-after", func(p *live.Provider) { p.Label(nil) })
}

// testLastLeaves has the last label of a stack taken away by unlabel, which ends before Crossplane's
// second run has to.
func testLastLeaves(c live.Test, name string, unlabel func(*live.Provider)) {
	s := c.NewStack(name, `
- name: queue
  base:
    apiVersion: sqs.aws.m.upbound.io/v1beta1
    kind: Queue
    spec: {forProvider: {region: eu-central-1}}
`, fieldLabels)
	provider := &live.Provider{Stack: s, Name: "queue"}
	tags := object{"plexsphere:env": "prod"}

	s.Label(object{"env": "prod"})
	s.Want("queue", ofTags, tags)
	provider.WantCloud(tags)
	s.Settled()

	unlabel(provider)

	s.WantSoon("queue", ofTags, object{})
	s.Want("queue", ofPolicies, array{"*"})

	// Crossplane may not know yet that the provider has dropped the empty map, and make it
	// again. Then the provider drops it again.
	live.Eventually(c.T, func() error {
		provider.WantCloud(object{})
		s.Reconcile()

		return s.Objection("queue", ofTags, nil)
	})

	for range 2 {
		s.Settled()
		s.Want("queue", ofTags, nil)
		s.WantOwners("queue", ofTags, live.Owners{})
		provider.WantCloud(object{})
	}
}
