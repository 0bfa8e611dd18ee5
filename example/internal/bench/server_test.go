package bench

import (
	"os"
	"runtime"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// TestProcess reads what Linux says of a process: of this one.
func TestProcess(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("needs Linux")
	}

	s := &Server{pid: os.Getpid()}

	// Some megabytes, and some ticks, whatever the machine.
	work := make([]byte, 64<<20)
	for {
		for i := range work {
			work[i]++
		}

		if cpu, err := s.cpu(); err != nil || cpu > 2*tick {
			if err != nil {
				t.Error(err)
			}

			break
		}
	}

	resident, peak, err := s.memory()
	if err != nil {
		t.Fatal(err)
	}

	if resident < len(work) || peak < resident {
		t.Errorf("memory(): want at least %d bytes, and a peak that is no less, got %d and %d", len(work), resident, peak)
	}

	runtime.KeepAlive(work)
}

func TestRatio(t *testing.T) {
	if got := []float64{Ratio(1, 2), Ratio(1, 0), Ratio(0, 0)}; !cmp.Equal(got, []float64{0.5, 0, 0}) {
		t.Errorf("\nWhat is not a number can't be written as JSON.\nRatio(...): got %v", got)
	}
}

func TestMedian(t *testing.T) {
	cases := map[string]struct {
		reason string
		of     []float64
		want   float64
	}{
		"One":  {reason: "One value is the median.", of: []float64{3}, want: 3},
		"Odd":  {reason: "The one in the middle is the median.", of: []float64{9, 1, 2}, want: 2},
		"Even": {reason: "Of two in the middle it is the mean.", of: []float64{9, 1, 4, 2}, want: 3},
	}

	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			if diff := cmp.Diff(tc.want, median(tc.of)); diff != "" {
				t.Errorf("\n%s\nmedian(...): -want, +got:\n%s", tc.reason, diff)
			}
		})
	}
}
