package expression

import (
	"maps"
	"slices"
	"testing"
)

// TestPrices proves that each price is for a function.
func TestPrices(t *testing.T) {
	functions := environment().Functions()

	for _, name := range slices.Concat(slices.Collect(maps.Keys(prices)), slices.Collect(maps.Keys(regularPrices))) {
		if functions[name] == nil {
			t.Errorf("there is no function %s", name)
		}
	}
}
