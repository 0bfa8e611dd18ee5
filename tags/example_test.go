package tags_test

import (
	"fmt"
	"maps"
	"slices"

	"github.com/plexsphere/function-cloud-tags/tags"
)

func ExampleCloudTags() {
	set := tags.PropagatingLabelSet{
		"platform/env":        "prod",
		"acme:checkout/owner": "team-a",
		"acme:checkout/größe": "XL",
	}

	admitted, skipped := tags.CloudTags("hetzner", set)

	for _, key := range slices.Sorted(maps.Keys(admitted)) {
		fmt.Println(key, "=", admitted[key])
	}

	for _, s := range skipped {
		fmt.Println("skipped", s.QualifiedKey, "on", s.Provider+":", s.Reason)
	}

	// Output:
	// plexsphere:acme:checkout/owner = team-a
	// plexsphere:platform/env = prod
	// skipped acme:checkout/größe on hetzner: key-character-class
}
