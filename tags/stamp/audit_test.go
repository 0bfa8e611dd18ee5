package stamp

import (
	"fmt"
	"maps"
	"slices"
)

// changed are the supplied changes, line by line.
func changed(of []Change) []string {
	out := []string{}

	for _, c := range of {
		for i, values := range []map[string]Values{c.Added, c.Changed, c.Removed} {
			for _, key := range slices.Sorted(maps.Keys(values)) {
				out = append(out, fmt.Sprintf("%s (%s %s) %s %s: %q -> %q", c.Resource, c.APIVersion, c.Kind, []string{"adds", "changes", "removes"}[i], key, values[key].Before, values[key].After))
			}
		}
	}

	return out
}
