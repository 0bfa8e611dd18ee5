package process

import (
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"
)

// A Usage is what a process has used.
type Usage struct {
	// CPU is the time that it has run on CPUs.
	CPU time.Duration

	// Resident is the memory that it has now, in bytes, and Peak the most that it ever had.
	Resident, Peak int
}

// tick is the unit of times of processes. It is the same on all architectures of Linux.
const tick = 10 * time.Millisecond

// UsageOf a process that runs, of Linux: there is an error elsewhere.
func UsageOf(pid int) (Usage, error) {
	dir := filepath.Join(string(filepath.Separator), "proc", strconv.Itoa(pid))

	stat, err := os.ReadFile(filepath.Join(dir, "stat"))
	if err != nil {
		return Usage{}, fmt.Errorf("cannot measure CPU time, which needs Linux: %w", err)
	}

	status, err := os.ReadFile(filepath.Join(dir, "status"))
	if err != nil {
		return Usage{}, fmt.Errorf("cannot measure memory, which needs Linux: %w", err)
	}

	var out Usage

	// The name of the program comes second, in brackets, and may have spaces. The times in
	// user and kernel mode come 14th and 15th.
	_, rest, _ := strings.Cut(string(stat), ") ")
	for _, f := range strings.Fields(rest)[11:13] {
		n, err := strconv.Atoi(f)
		if err != nil {
			return out, fmt.Errorf("cannot read the CPU time of process %d: %w", pid, err)
		}

		out.CPU += time.Duration(n) * tick
	}

	for line := range strings.Lines(string(status)) {
		var kB int

		if n, _ := fmt.Sscanf(line, "VmRSS: %d kB", &kB); n == 1 {
			out.Resident = kB * 1024
		} else if n, _ := fmt.Sscanf(line, "VmHWM: %d kB", &kB); n == 1 {
			out.Peak = kB * 1024
		}
	}

	return out, nil
}
