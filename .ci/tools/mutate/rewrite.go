package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
)

// around is the code before and after what the mutant takes the place of.
func (m *mutant) around() (before, after string) {
	if m.typ == "" {
		return fmt.Sprintf("if mutateOn(%d) { %s } else { ", m.id, m.to), " }"
	}

	return fmt.Sprintf("func() %s { if mutateOn(%d) { return %s }; return ", m.typ, m.id, m.to), " }()"
}

// rewrite a file's text with mutants, sorted by where they are, outer ones first.
func rewrite(text []byte, mutants []*mutant) []byte {
	var (
		out  bytes.Buffer
		open []*mutant
		done int
	)

	copyTo := func(end int) {
		out.Write(text[done:end])
		done = end
	}
	upTo := func(at int) {
		for i := len(open) - 1; i >= 0 && open[i].end <= at; i-- {
			_, after := open[i].around()

			copyTo(open[i].end)
			out.WriteString(after)

			open = open[:i]
		}

		copyTo(at)
	}

	for _, m := range mutants {
		before, _ := m.around()

		upTo(m.start)
		out.WriteString(before)

		open = append(open, m)
	}

	upTo(len(text))

	return out.Bytes()
}

// switchCode returns a file for the package, with the number of the mutant that is on. The file records
// the mutants that a test reaches.
func (p *pkg) switchCode() []byte {
	return fmt.Appendf(nil, `package %s

import (
	"os"
	"strconv"
	"sync"
)

var (
	mutateID, _   = strconv.Atoi(os.Getenv("MUTATE_ID"))
	mutateFile, _ = os.OpenFile(os.Getenv("MUTATE_SEEN"), os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o644)
	mutateSeen    sync.Map
)

func mutateOn(id int) bool {
	if mutateFile == nil {
		return id == mutateID
	}

	if _, seen := mutateSeen.LoadOrStore(id, true); !seen {
		mutateFile.WriteString(strconv.Itoa(id) + "\n")
	}

	return false
}
`, p.name)
}

// overlay for go build that has all mutants of the packages.
func overlay(scratch string, pkgs []*pkg) string {
	replace := map[string]string{}
	write := func(path string, text []byte) {
		replace[path] = filepath.Join(scratch, fmt.Sprintf("%d.go", len(replace)))
		check(os.WriteFile(replace[path], text, 0o644))
	}

	for _, p := range pkgs {
		write(filepath.Join(p.dir, "mutate.go"), p.switchCode())

		byFile := map[*file][]*mutant{}
		for _, m := range p.mutants {
			byFile[m.file] = append(byFile[m.file], m)
		}

		for f, mutants := range byFile {
			write(f.path, rewrite(f.text, mutants))
		}
	}

	path := filepath.Join(scratch, "overlay.json")
	check(os.WriteFile(path, must(json.Marshal(map[string]any{"Replace": replace})), 0o644))

	return path
}
