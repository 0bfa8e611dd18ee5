package profile

import (
	"cmp"
	"slices"
	"strings"
)

// A cloud is what a provider admits. A file per cloud says it, and where it is from.
type cloud struct {
	// contract is the profile that the contract has of the provider, or else our own.
	contract *Profile

	// api is what the cloud's own API admits, if that is not the contract.
	api *Profile

	// services of the cloud that have limits of their own in its API, the first that
	// matches a kind.
	services []service

	// always are services whose limits hold by the contract's rules, too: those of clouds
	// that the contract doesn't have, and kinds that the API server itself refuses.
	always []service

	// refuses are services whose API is known to refuse some of what the contract admits. It is set
	// if api and services refuse more than that, namely what is only unwise.
	refuses []service
}

// A service of a cloud.
type service struct {
	// name of the service for people, if it is not what the API groups of its kinds start
	// with.
	name string

	// kinds of the service's resources: API group, slash and kind.
	kinds []Pattern

	profile *Profile
}

// narrow returns the service whose resources are of these kinds. It admits what p does, but for what
// change changes. A kind is a pattern of an API group, a slash and a kind.
func narrow(p Profile, change func(p *Profile), kinds ...string) service {
	p.Narrow = true
	s := service{profile: changed(p, change)}

	for _, k := range kinds {
		s.kinds = append(s.kinds, NewPattern(k))
	}

	return s
}

// title is the name of the service.
func (s service) title() string {
	if s.name != "" {
		return s.name
	}

	names := make([]string, len(s.kinds))
	for i, k := range s.kinds {
		names[i], _, _ = strings.Cut(k.String(), ".")
	}

	slices.Sort(names)

	return strings.Join(slices.Compact(names), ", ")
}

// named gives the service a name.
func (s service) named(name string) service {
	s.name = name
	return s
}

// changed returns a copy of p that change has changed.
func changed(p Profile, change func(p *Profile)) *Profile {
	change(&p)
	return &p
}

// clouds that have a tag profile, by name.
var clouds = []*cloud{
	&alibaba, &aruba, &aws, &azure, &btp, &cloudflare, &cloudfoundry, &cloudstack, &databricks, &digitalocean, &flexibleengine, &gcp, &generic, &grafana,
	&hetzner, &huawei, &ibm, &launchdarkly, &linode, &mongodbatlas, &oci, &openstack, &opentelekom, &outscale, &ovh, &proxmox, &scaleway, &stackit, &tencent, &upcloud, &yandex,
}

// Names returns the names of all tag profiles, sorted.
func Names() []string {
	names := make([]string, len(clouds))
	for i, c := range clouds {
		names[i] = c.contract.Name
	}

	return names
}

// Of returns the tag profile of the provider, which matches without case. A provider that
// has none gets the generic profile.
func Of(provider string) *Profile { return cloudOf(provider).contract }

// Has is true if the provider, which matches without case, has a tag profile of its own.
func Has(provider string) bool { return namedCloud(provider) != nil }

func cloudOf(provider string) *cloud { return cmp.Or(namedCloud(provider), &generic) }

// namedCloud returns the cloud that the provider, which matches without case, is, or nil.
func namedCloud(provider string) *cloud {
	for _, c := range clouds {
		if strings.EqualFold(c.contract.Name, provider) {
			return c
		}
	}

	return nil
}

// Rules are a choice between tag profiles where there is more than one. If nobody chooses, the
// zero Rules are the contract's.
type Rules string

const (
	// Contract rules are those that the clouds' users agreed on, or else our own. Whoever writes
	// them knows that the clouds' APIs refuse some of what they admit: see RefuserOf. That is
	// told, but warns nobody.
	Contract Rules = "Contract"

	// Cloud rules are those of the clouds' own APIs, where these admit less or
	// more than the contract.
	Cloud Rules = "Cloud"
)

// of returns what the rules say of the cloud.
func (r Rules) of(c *cloud) (*Profile, []service) {
	if r == Cloud {
		return cmp.Or(c.api, c.contract), slices.Concat(c.services, c.always)
	}

	return c.contract, c.always
}

// Profiles returns all tag profiles: those of providers, and behind each those of its
// services. They are sorted by name.
func (r Rules) Profiles() []*Profile {
	var all []*Profile

	for _, c := range clouds {
		p, services := r.of(c)
		all = append(all, p)

		for _, s := range services {
			all = append(all, s.profile)
		}
	}

	return all
}

// ProfileOf returns the tag profile of the provider, for a resource of the API group and kind. Some
// services of clouds admit less than the others do.
func (r Rules) ProfileOf(provider, group, kind string) *Profile {
	p, services := r.of(cloudOf(provider))
	return profileFor(group, kind, p, services)
}
