package serve

import (
	"runtime"
	"testing"
	"time"
)

func TestPercentOf(t *testing.T) {
	cases := map[string]struct {
		reason             string
		live, roots, floor uint64
		want               int
	}{
		"Nothing":  {reason: "Go multiplies 4 MB, below which it collects nothing, by the percentage.", floor: 64 << 20, want: 1600},
		"Small":    {reason: "8 MB that live should be collected at 64 MB.", live: 8 << 20, floor: 64 << 20, want: 700},
		"Roots":    {reason: "Stacks and globals count as Go counts them.", live: 8 << 20, roots: 6 << 20, floor: 64 << 20, want: 400},
		"Half":     {reason: "From half the floor on, Go's default reaches it.", live: 32 << 20, floor: 64 << 20, want: 100},
		"Below":    {reason: "Below that it doesn't.", live: 30 << 20, floor: 63 << 20, want: 110},
		"AllRoots": {reason: "What Go collects later by default should not be collected sooner.", live: 8 << 20, roots: 1 << 30, floor: 64 << 20, want: 100},
		"Large":    {reason: "A large heap shouldn't be any larger for it.", live: 1 << 30, floor: 64 << 20, want: 100},
	}

	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			if got := percentOf(tc.live, tc.roots, tc.floor); got != tc.want {
				t.Errorf("\n%s\npercentOf(%d, %d, %d): want %d, got %d", tc.reason, tc.live, tc.roots, tc.floor, tc.want, got)
			}
		})
	}
}

func TestPace(t *testing.T) {
	const each, pieces = 1 << 20, 400

	cases := map[string]struct {
		reason, gogc string

		// atLeast and atMost collections for garbage of 400 MB.
		atLeast, atMost uint32
	}{
		"Paced":  {reason: "Garbage should be collected a hundred MB at a time.", atLeast: 2, atMost: 12},
		"AsTold": {reason: "Who sets GOGC should get it: the small heap of a test is collected far more often.", gogc: "100", atLeast: 13, atMost: pieces},
	}

	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			t.Setenv("GOGC", tc.gogc)

			defer pace(100 << 20)()

			// A collection is heard of soon after it, but nobody knows how soon on a busy machine.
			var got uint32
			for range 50 {
				if got = collectionsOf(pieces, each); got >= tc.atLeast && got <= tc.atMost {
					return
				}

				time.Sleep(20 * time.Millisecond)
			}

			t.Errorf("\n%s\nwant %d to %d collections, got %d", tc.reason, tc.atLeast, tc.atMost, got)
		})
	}
}

// garbage keeps what is made in a test from being left out.
var garbage []byte

// collectionsOf returns how often garbage of so many pieces is collected.
func collectionsOf(pieces, size int) uint32 {
	before := collections()

	for range pieces {
		garbage = make([]byte, size)
	}

	return collections() - before
}

func collections() uint32 {
	var m runtime.MemStats

	runtime.ReadMemStats(&m)

	return m.NumGC
}
