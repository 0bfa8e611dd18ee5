package expression

import "testing"

// TestPrices proves that each function that has a price is one.
func TestPrices(t *testing.T) {
	functions := environment().Functions()

	for name := range prices {
		if functions[name] == nil {
			t.Errorf("there is no function %s", name)
		}
	}
}
