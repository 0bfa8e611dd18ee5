package bench

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestRatio(t *testing.T) {
	if got := []float64{Ratio(1, 2), Ratio(1, 0), Ratio(0, 0)}; !cmp.Equal(got, []float64{0.5, 0, 0}) {
		t.Errorf("\nWhat is not a number can't be written as JSON.\nRatio(...): got %v", got)
	}
}

func TestMedian(t *testing.T) {
	cases := map[string]struct {
		reason string
		values []float64
		want   float64
	}{
		"One":  {reason: "One value is the median.", values: []float64{3}, want: 3},
		"Odd":  {reason: "The one in the middle is the median.", values: []float64{9, 1, 2}, want: 2},
		"Even": {reason: "Of two in the middle it is the mean.", values: []float64{9, 1, 4, 2}, want: 3},
	}

	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			if diff := cmp.Diff(tc.want, median(tc.values)); diff != "" {
				t.Errorf("\n%s\nmedian(...): -want, +got:\n%s", tc.reason, diff)
			}
		})
	}
}
