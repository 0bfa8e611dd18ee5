package serve

import (
	"os"
	"runtime"
	"runtime/debug"
	"runtime/metrics"
	"sync"
)

// heapFloor is the least size of the heap, in bytes, at which Go collects garbage. Between calls, some 5 MB are in use. Without
// a floor, Go would collect garbage in each call with a hundred resources, which takes a tenth of its time.
const heapFloor = 64 << 20

// minPercent is the least GOGC: Go's default. By it, Go collects garbage when the heap has twice the size of the memory in use.
const minPercent = 100

// pace sets GOGC so that a heap below the floor grows to the floor before Go collects garbage. Larger heaps grow as usual. It
// goes on until stop is called. If the environment has GOGC, it does nothing.
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

		// The next collection drops this object, and so calls adjust again.
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

// percentOf returns the GOGC by which a heap with live bytes grows to floor bytes. roots are the bytes of stacks and globals,
// for which GOGC admits garbage, too.
func percentOf(live, roots, floor uint64) int {
	// A heap of less than 4 MB, times the percentage, is never collected.
	const smallest = 4 << 20

	room := floor - min(live, floor)
	percent := min(100*room/max(1, live+roots), 100*floor/smallest)

	return max(minPercent, int(percent)) //nolint:gosec // It is at most 100 times the floor.
}
