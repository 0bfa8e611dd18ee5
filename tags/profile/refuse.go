package profile

import "cmp"

// A RefusingAPI is an API that is known to refuse some of the contract's tags.
type RefusingAPI struct {
	// Service is the API's service, or empty if all services of the cloud refuse such tags.
	Service string

	// Profile has the API's limits.
	Profile *Profile
}

// APIProfileOf returns the limits of the API of a resource, if the API is known to refuse tags that the rules
// admit, and nil otherwise. Under the contract, the API of a Server on hetzner refuses
// plexsphere:platform/env. A tag that is only unwise is not refused: a slash in the tags of a network.
func (r Rules) APIProfileOf(provider, group, kind string) *Profile {
	c := cloudOf(provider)

	l := r.refusals(c)
	l.always = c.always

	p := l.profileOf(group, kind)
	if p == Contract.ProfileOf(provider, group, kind) {
		return nil
	}

	return p
}

// RefusingAPIs returns the APIs of the provider's cloud that are known to refuse tags of the rules, for
// callers without a kind of resource.
func (r Rules) RefusingAPIs(provider string) []RefusingAPI {
	var out []RefusingAPI

	c := cloudOf(provider)
	l := r.refusals(c)

	if l.profile != c.contract {
		out = append(out, RefusingAPI{Profile: l.profile})
	}

	for _, s := range l.all() {
		out = append(out, RefusingAPI{Service: s.name, Profile: s.profile})
	}

	return out
}

// refusals returns the limits of the cloud's APIs and their services, as far as an API is known to refuse
// tags that the rules admit. Without such limits, it returns the contract. The limits are the Cloud rules,
// unless these skip unwise tags, too. Under the Cloud rules, no API refuses a tag.
func (r Rules) refusals(c *cloud) limits {
	switch {
	case r == Cloud:
		return limits{profile: c.contract}
	case c.refuses != nil:
		return limits{profile: c.contract, services: c.refuses, table: c.refusesTable}
	default:
		return limits{profile: cmp.Or(c.api, c.contract), services: c.services}
	}
}
