package serve

import (
	"os"
	"runtime"
	"runtime/debug"
	"runtime/metrics"
	"sync"
)

// heapFloor is the size of the heap, in bytes, below which garbage isn't collected. What lives
// between calls is some 5 MB, so that Go would collect the garbage of each call of a hundred
// resources on its own: a tenth of all the time.
const heapFloor = 64 << 20

// minPercent is how much of what lives may come as garbage before it is collected: Go's default.
const minPercent = 100

// pace the collection of garbage so that a heap smaller than the floor grows to it first.
// Larger heaps aren't any larger for it. It does so until the returned function is called, unless
// GOGC says how to.
func pace(floor uint64) (stop func()) {
	if os.Getenv("GOGC") != "" {
		return func() {}
	}

	var (
		mutex   sync.Mutex
		stopped bool
		adjust  func(struct{})
		percent = minPercent
	)

	// What nobody refers to is found by the next collection, after which this is called again.
	adjust = func(struct{}) {
		mutex.Lock()
		defer mutex.Unlock()

		if stopped {
			return
		}

		heap := []metrics.Sample{{Name: "/gc/heap/live:bytes"}, {Name: "/gc/scan/stack:bytes"}, {Name: "/gc/scan/globals:bytes"}}
		metrics.Read(heap)

		if p := percentOf(heap[0].Value.Uint64(), heap[1].Value.Uint64()+heap[2].Value.Uint64(), floor); p != percent {
			percent = p
			debug.SetGCPercent(p)
		}

		runtime.AddCleanup(new([16]byte), adjust, struct{}{})
	}
	adjust(struct{}{})

	return func() {
		mutex.Lock()
		defer mutex.Unlock()

		stopped = true

		debug.SetGCPercent(minPercent)
	}
}

// percentOf what lives, and of stacks and globals beside it, may come as garbage if the heap may
// grow to the floor: the rule of GOGC, the other way round. All are bytes.
func percentOf(live, roots, floor uint64) int {
	if live >= floor {
		return minPercent
	}

	// A heap of less than 4 MB, times the percentage, is never collected.
	const smallest = 4 << 20

	percent := min(100*(floor-live)/max(1, live+roots), 100*floor/smallest)

	return max(minPercent, int(percent)) //nolint:gosec // It is at most 100 times the floor.
}
