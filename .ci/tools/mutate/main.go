// Command mutate tells what the tests hold: it changes the code in small ways, one at
// a time, and lists the changes that no test notices. Run it in a checkout, by
//
//	go run -C .ci/tools/mutate . -o /tmp/mutants.tsv
//
// or with -dir on another one. It prints a table of what was killed per package, and
// writes every mutant to the file, sorted by where it is.
//
// A sample of -n mutants is compiled into the packages at once, each behind a switch.
// A test that doesn't reach a mutant can't notice it: each test is run once to see
// which mutants it reaches. Then each mutant is run with the tests that reach it, beginning
// with the tests of its package. A test that takes far more CPU time than unmutated has noticed, too.
// The same code, -n and -seed give the same mutants. Packages that the function doesn't
// import, because they generate code or help tests, have none.
package main

import (
	"flag"
	"fmt"
	"log"
	"math/rand/v2"
	"os"
	"slices"
	"strings"
	"sync"
)

var (
	dir      = flag.String("dir", "../../..", "checkout to mutate")
	packages = flag.String("packages", "./tags/...", "packages to mutate")
	tests    = flag.String("tests", "./tags/... ./input/... .", "packages whose tests are run")
	n        = flag.Int("n", 1000, "mutants")
	seed     = flag.Uint64("seed", 1, "of the sample")
	parallel = flag.Int("p", 1, "mutants to run at a time")
	out      = flag.String("o", os.DevNull, "file for the list of mutants, tab-separated")
)

func main() {
	flag.Parse()

	scratch := must(os.MkdirTemp("", "mutate-"))
	defer os.RemoveAll(scratch)

	pkgs := load(strings.Fields(*packages))
	mutants := sample(pkgs)
	binaries := build(scratch, overlay(scratch, pkgs), strings.Fields(*tests))

	try(mutants, binaries)
	fmt.Print(summary(mutants))
	check(os.WriteFile(*out, []byte(table(mutants)), 0o644))
}

// sample mutants that compile, of each package in proportion to how many it has.
func sample(pkgs []*pkg) []*mutant {
	total := 0

	for _, p := range pkgs {
		for _, f := range p.files {
			p.mutants = append(p.mutants, find(f)...)
		}

		total += len(p.mutants)
	}

	var sampled []*mutant

	seen := 0

	for _, p := range pkgs {
		rand.New(rand.NewPCG(*seed, 0)).Shuffle(len(p.mutants), func(i, j int) {
			p.mutants[i], p.mutants[j] = p.mutants[j], p.mutants[i]
		})

		quota := min(*n, total)*(seen+len(p.mutants))/total - min(*n, total)*seen/total
		seen += len(p.mutants)

		p.mutants = slices.DeleteFunc(p.mutants, func(m *mutant) bool {
			if quota > 0 && p.compiles(m) {
				quota--
				return false
			}

			return true
		})
		slices.SortFunc(p.mutants, compare)
		sampled = append(sampled, p.mutants...)
	}

	for i, m := range sampled {
		m.id = i + 1
	}

	log.Printf("%d of %d mutants", len(sampled), total)

	return sampled
}

// try each mutant.
func try(mutants []*mutant, binaries []*binary) {
	var group sync.WaitGroup

	todo := make(chan *mutant)
	for range *parallel {
		group.Go(func() {
			for m := range todo {
				m.try(binaries)
			}
		})
	}

	for i, m := range mutants {
		if i%50 == 0 {
			log.Printf("%d of %d tried", i, len(mutants))
		}

		todo <- m
	}

	close(todo)
	group.Wait()
}

func check(err error) {
	if err != nil {
		log.Panic(err)
	}
}

func must[T any](v T, err error) T {
	check(err)

	return v
}
