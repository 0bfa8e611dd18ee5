package profile

import (
	"cmp"
	"slices"
	"strings"
)

// A cloud has the limits of a provider: see clouds in table.go.
type cloud struct {
	// contract is the provider's profile in the contract, or else our own.
	contract *Profile

	// api has the limits of the cloud's own API, if they are not the contract's.
	api *Profile

	// services have limits of their own in the cloud's API. The first one that matches a kind counts.
	services []service

	// always are services whose limits hold by the contract's rules, too: the clouds' own are not in
	// the contract, or the API server itself refuses the kinds.
	always []service

	// refuses are services with APIs that are known to refuse the contract's tags. It is set only if
	// api and services also skip tags that are merely unwise: see APIProfileOf.
	refuses []service

	// table has more services with limits of their own, and refusesTable more services that refuse the contract's tags.
	// Only AWS has them.
	table, refusesTable awsTable
}

// limits are a cloud's limits by some rules: a profile, and services with limits of their own.
type limits struct {
	profile *Profile

	// services count before always, and table has more services.
	services, always []service
	table            awsTable
}

// all returns all services with limits of their own.
func (l limits) all() []service {
	return slices.Concat(l.services, l.always, l.table.services)
}

// profileOf returns the tag profile of the first service that has the kind, or else the cloud's.
func (l limits) profileOf(group, kind string) *Profile {
	if i, ok := awsRowOf(group, kind); ok && l.table.profiles != nil {
		return l.table.profiles[i]
	}

	name := group + "/" + withoutField(kind)

	for _, services := range [...][]service{l.services, l.always} {
		for i := range services {
			if s := &services[i]; slices.ContainsFunc(s.kinds, func(p Pattern) bool { return p.Matches(name) }) {
				return s.profile
			}
		}
	}

	return l.profile
}

// A service is a part of a cloud with limits of its own, such as S3 of AWS.
type service struct {
	// name is the name for people: "storage", or "neptune, rds" for kinds of two API groups.
	name string

	// kinds match API group, slash and kind of the service's resources: s3.aws.*/BucketObject.
	kinds []Pattern

	profile *Profile
}

// narrow returns a service of the name with these kinds. Its profile is a copy of p after the change: objects of S3 have
// the limits of AWS with MaxTags 10.
func narrow(p Profile, name string, change func(p *Profile), kinds ...Pattern) service {
	p.Narrow, p.Source, p.Guess = true, "", ""
	return service{name: name, profile: changed(p, change), kinds: kinds}
}

// service adds a service with limits of its own to always. It has the limits of the contract after the change.
func (c cloud) service(name string, change func(p *Profile), kinds ...Pattern) cloud {
	c.always = append(c.always, narrow(*c.contract, name, change, kinds...))
	return c
}

// apiService is service for limits that only the cloud's API has.
func (c cloud) apiService(name string, change func(p *Profile), kinds ...Pattern) cloud {
	c.services = append(c.services, narrow(*c.contract, name, change, kinds...))
	return c
}

// changed returns a copy of p after the change.
func changed(p Profile, change func(p *Profile)) *Profile {
	change(&p)
	return &p
}

// Names returns the names of all tag profiles of providers, sorted. SecondSystems returns the others.
func Names() []string {
	names := make([]string, len(clouds))
	for i, c := range clouds {
		names[i] = c.contract.Name
	}

	return names
}

// Of returns the tag profile of the provider: AWS and aws have the profile aws, and an unknown provider has
// the profile generic. The contract sets its limits. Rules has the others.
func Of(provider string) *Profile { return cloudOf(provider).contract }

// Has reports whether the provider has a tag profile of its own. Names compare without case.
func Has(provider string) bool { return namedCloud(provider) != nil }

func cloudOf(provider string) *cloud { return cmp.Or(namedCloud(provider), &generic) }

// namedCloud returns the cloud, or the second tag system, with the provider's name, or nil. Names compare without case.
func namedCloud(provider string) *cloud {
	for _, all := range [...][]cloud{clouds, seconds} {
		for i := range all {
			if strings.EqualFold(all[i].contract.Name, provider) {
				return &all[i]
			}
		}
	}

	return nil
}

// Rules choose between the contract's limits and the cloud's own, if a cloud has both. The zero Rules choose
// the contract's.
type Rules string

const (
	// Contract rules have limits that Plexsphere's services agreed on, or else our own. The clouds' APIs
	// refuse some tags that these rules admit: see APIProfileOf. An input that names Contract accepts
	// this, so such tags are reported without a warning.
	Contract Rules = "Contract"

	// Cloud rules have the limits of the clouds' own APIs, if they differ from the contract.
	Cloud Rules = "Cloud"
)

// choose returns the cloud's limits by the rules.
func (r Rules) choose(c *cloud) limits {
	if r == Cloud {
		return limits{profile: cmp.Or(c.api, c.contract), services: c.services, always: c.always, table: c.table}
	}

	return limits{profile: c.contract, always: c.always}
}

// Profiles returns the tag profiles of all providers, sorted by name. The profiles of a provider's
// services stand after the provider's.
func (r Rules) Profiles() []*Profile {
	var all []*Profile

	for i := range clouds {
		l := r.choose(&clouds[i])
		all = append(all, l.profile)

		for _, s := range l.all() {
			all = append(all, s.profile)
		}
	}

	return all
}

// ProfileOf returns the tag profile of the provider, for a resource of the API group and kind. It is the
// service's profile if the service has limits of its own: 10 tags for an Object of s3.aws.m.upbound.io. The kind may have the
// name of a launched field after a dot: 30 tags for InfrastructureConfiguration.resourceTags of imagebuilder.aws.upbound.io.
func (r Rules) ProfileOf(provider, group, kind string) *Profile {
	return r.choose(cloudOf(provider)).profileOf(group, kind)
}
