package profile

import (
	"cmp"
	"slices"
)

// A Refuser is an API that is known to refuse some of what the contract's rules admit.
type Refuser struct {
	// Service of the cloud that the API is of, or empty if all of the cloud's services refuse it.
	Service string

	// Profile has what the API admits.
	Profile *Profile
}

// RefuserOf returns the tag profile of what the API of the cloud admits, for a resource of the
// provider, API group and kind, if it is known to refuse some of what the rules admit. It returns nil
// otherwise. What is only unwise in a cloud, its API does not refuse.
func (r Rules) RefuserOf(provider, group, kind string) *Profile {
	c := cloudOf(provider)
	p, services := r.refusals(c)

	if p = profileFor(group, kind, p, services, c.always); p == Contract.ProfileOf(provider, group, kind) {
		return nil
	}

	return p
}

// RefusersOf returns the APIs of the provider's cloud that are known to refuse some of what the
// rules admit: for who knows no kinds of resources.
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

// refusals returns what the cloud's API admits, if it is known to refuse some of what the rules admit:
// the cloud's own rules, unless these also refuse what is only unwise. The Cloud rules admit nothing
// that the API refuses.
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

// profileFor returns the tag profile of the first service that has the kind, or else the one that
// is p.
func profileFor(group, kind string, p *Profile, services ...[]service) *Profile {
	of := group + "/" + kind

	for _, services := range services {
		for i := range services {
			if s := &services[i]; slices.ContainsFunc(s.kinds, func(p Pattern) bool { return p.Matches(of) }) {
				return s.profile
			}
		}
	}

	return p
}
