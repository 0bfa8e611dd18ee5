package process

import (
	"os"
	"runtime"
	"testing"
)

// TestUsage reads what Linux says of a process: of this one.
func TestUsage(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("needs Linux")
	}

	// Some megabytes, and some ticks, whatever the machine.
	work := make([]byte, 64<<20)
	for {
		for i := range work {
			work[i]++
		}

		if u, err := UsageOf(os.Getpid()); err != nil || u.CPU > 2*tick {
			if err != nil {
				t.Error(err)
			}

			break
		}
	}

	u, err := UsageOf(os.Getpid())
	if err != nil {
		t.Fatal(err)
	}

	if u.Resident < len(work) || u.Peak < u.Resident {
		t.Errorf("UsageOf(): want at least %d bytes, and a peak that is no less, got %d and %d", len(work), u.Resident, u.Peak)
	}

	runtime.KeepAlive(work)
}
