package profile

import (
	"cmp"
	"slices"
)

// A Refuser is an API that is known to refuse some of the contract's tags.
type Refuser struct {
	// Service is the API's service, or empty if all services of the cloud refuse such tags.
	Service string

	// Profile has the API's limits.
	Profile *Profile
}

// RefuserOf returns the limits of the API of a resource, if the API is known to refuse tags that the rules
// admit, and nil otherwise. Under the contract, the API of a Server on hetzner refuses
// plexsphere:platform/env. A tag that is only unwise is not refused: a slash in the tags of a network.
func (r Rules) RefuserOf(provider, group, kind string) *Profile {
	c := cloudOf(provider)
	p, services := r.refusals(c)

	if p = profileFor(group, kind, p, services, c.always); p == Contract.ProfileOf(provider, group, kind) {
		return nil
	}

	return p
}

// RefusersOf returns the APIs of the provider's cloud that are known to refuse tags of the rules, for
// callers without a kind of resource.
func (r Rules) RefusersOf(provider string) []Refuser {
	var out []Refuser

	c := cloudOf(provider)
	p, services := r.refusals(c)

	if p != c.contract {
		out = append(out, Refuser{Profile: p})
	}

	for _, s := range services {
		out = append(out, Refuser{Service: s.title(), Profile: s.profile})
	}

	return out
}

// refusals returns the limits of the cloud's APIs and their services, as far as an API is known to refuse
// tags that the rules admit. Without such limits, it returns the contract. The limits are the Cloud rules,
// unless these skip unwise tags, too. Under the Cloud rules, no API refuses a tag.
func (r Rules) refusals(c *cloud) (*Profile, []service) {
	switch {
	case r == Cloud:
		return c.contract, nil
	case c.refuses != nil:
		return c.contract, c.refuses
	default:
		return cmp.Or(c.api, c.contract), c.services
	}
}

// profileFor returns the tag profile of the first service that has the kind, or else p.
func profileFor(group, kind string, p *Profile, services ...[]service) *Profile {
	name := group + "/" + kind

	for _, services := range services {
		for i := range services {
			if s := &services[i]; slices.ContainsFunc(s.kinds, func(p Pattern) bool { return p.Matches(name) }) {
				return s.profile
			}
		}
	}

	return p
}
