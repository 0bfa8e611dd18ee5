package expression

import (
	"maps"
	"slices"
	"testing"
)

// TestPrices proves that each price is for a function.
func TestPrices(t *testing.T) {
	functions := environment().Functions()

	for _, name := range slices.Concat(
		slices.Collect(maps.Keys(readings)), slices.Collect(maps.Keys(depths)), slices.Collect(maps.Keys(handsOn)),
		slices.Collect(maps.Keys(multiplied)), slices.Collect(maps.Keys(findsAll)),
	) {
		if functions[name] == nil {
			t.Errorf("there is no function %s", name)
		}
	}
}
