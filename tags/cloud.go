package tags

// A cloud is what a provider admits. A file per cloud says it, and where it is from.
type cloud struct {
	// contract is the profile that the contract has of the provider, or else our own.
	contract *Profile

	// api is what the cloud's own API admits, if that is not the contract.
	api *Profile

	// services of the cloud that have limits of their own in its API, the first that
	// matches a kind.
	services []service
}

// A service of a cloud.
type service struct {
	// kinds of the service's resources: API group, slash and kind.
	kinds []Pattern

	profile *Profile
}

func kinds(patterns ...string) []Pattern {
	out := make([]Pattern, len(patterns))
	for i, p := range patterns {
		out[i] = NewPattern(p)
	}

	return out
}
