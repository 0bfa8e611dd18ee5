package main

import (
	"context"
	"fmt"
	"log"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"time"
)

// A binary has the tests of a package.
type binary struct {
	pkg, dir, path string
	flags          []string
	tests          []test
}

// A test, the CPU time that it takes, and the mutants that it reaches.
type test struct {
	name string
	cpu  time.Duration
	seen []string
}

// build and measure the tests of the packages that match the patterns.
func build(scratch, overlay string, patterns []string) []*binary {
	var binaries []*binary

	for i, l := range list(patterns...) {
		if len(l.TestGoFiles)+len(l.XTestGoFiles) == 0 {
			continue
		}

		b := &binary{pkg: l.ImportPath, dir: l.Dir, path: filepath.Join(scratch, fmt.Sprintf("%d.test", i))}
		output(*dir, "go", "test", "-c", "-vet=off", "-overlay", overlay, "-o", b.path, b.pkg)
		b.measure(filepath.Join(scratch, "seen"))
		log.Printf("%d tests of %s", len(b.tests), b.pkg)

		binaries = append(binaries, b)
	}

	return binaries
}

// measure each test alone.
func (b *binary) measure(seen string) {
	// Where tests use rapid, they draw the same values again, and stop at the first
	// that fails.
	if help, _ := exec.Command(b.path, "-help").CombinedOutput(); strings.Contains(string(help), "-rapid.seed") {
		b.flags = []string{"-rapid.seed=1", "-rapid.nofailfile", "-rapid.shrinktime=1ms"}
	}

	for name := range strings.FieldsSeq(string(output(b.dir, b.path, "-test.list=^(Test|Fuzz|Example)"))) {
		check(os.WriteFile(seen, nil, 0o644))

		out, cpu, err := b.run([]string{name}, 10*time.Minute, "MUTATE_SEEN="+seen)
		if err != nil {
			log.Printf("left out: %s of %s fails unmutated: %s\n%s", name, b.pkg, err, out)
			continue
		}

		b.tests = append(b.tests, test{name: name, cpu: cpu, seen: strings.Fields(string(must(os.ReadFile(seen))))})
	}
}

// run the named tests, with a limit of CPU time, and of memory.
func (b *binary) run(names []string, limit time.Duration, env string) (string, time.Duration, error) {
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute+10*limit)
	defer cancel()

	args := []string{
		"-c", `ulimit -v 8388608 && ulimit -t "$1" && shift && exec "$@"`, "sh", fmt.Sprint(int(limit.Seconds())),
		b.path, "-test.failfast", "-test.timeout=0", "-test.run=^(" + strings.Join(names, "|") + ")$",
	}
	cmd := exec.CommandContext(ctx, "sh", append(args, b.flags...)...)
	cmd.Dir = b.dir
	cmd.Env = append(os.Environ(), env)
	out, err := cmd.CombinedOutput()

	return string(out), cmd.ProcessState.UserTime() + cmd.ProcessState.SystemTime(), err
}

var failed = regexp.MustCompile(`--- FAIL: (\w+)`)

// try runs the tests that reach the mutant until a test notices. Tests of the mutant's package come first.
func (m *mutant) try(binaries []*binary) {
	near := slices.DeleteFunc(slices.Clone(binaries), func(b *binary) bool { return b.pkg != m.file.pkg.path })
	others := slices.DeleteFunc(slices.Clone(binaries), func(b *binary) bool { return b.pkg == m.file.pkg.path })
	id := fmt.Sprint(m.id)

	for _, b := range append(near, others...) {
		var names []string

		limit := 5 * time.Second
		for _, t := range b.tests {
			if slices.Contains(t.seen, id) {
				names = append(names, t.name)
				limit += 4 * t.cpu
			}
		}

		if len(names) == 0 {
			continue
		}

		m.reached = true

		if out, _, err := b.run(names, limit, "MUTATE_ID="+id); err != nil {
			m.near = b.pkg == m.file.pkg.path
			m.by = b.pkg + ": time or memory"

			if f := failed.FindStringSubmatch(out); f != nil {
				m.by = b.pkg + "." + f[1]
			}

			return
		}
	}
}
