package main

import (
	"fmt"
	"strings"
)

func (m *mutant) result() string {
	switch {
	case m.by != "":
		return "killed"
	case m.reached:
		return "survived"
	default:
		return "unreached"
	}
}

// summary is a table of what was killed per package.
func summary(mutants []*mutant) string {
	var out strings.Builder

	out.WriteString("| package | mutants | killed | by its own tests | survived | unreached | killed, % |\n|---|---:|---:|---:|---:|---:|---:|\n")

	row := func(name string, ms []*mutant) {
		count := map[string]int{}
		near := 0

		for _, m := range ms {
			count[m.result()]++

			if m.near {
				near++
			}
		}

		fmt.Fprintf(&out, "| %s | %d | %d | %d | %d | %d | %.1f |\n", name, len(ms), count["killed"], near,
			count["survived"], count["unreached"], 100*float64(count["killed"])/float64(len(ms)))
	}

	for start := 0; start < len(mutants); {
		end := start
		for end < len(mutants) && mutants[end].file.pkg == mutants[start].file.pkg {
			end++
		}

		row(mutants[start].file.pkg.path, mutants[start:end])
		start = end
	}

	row("all", mutants)

	return out.String()
}

// table returns the table of all mutants. Results come first and lines late: the tables of two
// commits can then be compared even if code has moved.
func table(mutants []*mutant) string {
	var out strings.Builder

	out.WriteString("result\tpackage\tfunction\tkind\tfrom\tto\tplace\tby\n")

	for _, m := range mutants {
		fields := []string{
			m.result(), m.file.pkg.path, m.function, m.kind, short(m.from()), short(m.to), fmt.Sprintf("%s:%d", m.file.name, m.line()), m.by,
		}
		out.WriteString(strings.Join(fields, "\t") + "\n")
	}

	return out.String()
}

// short text on one line.
func short(text string) string {
	text = strings.Join(strings.Fields(text), " ")
	if r := []rune(text); len(r) > 100 {
		return string(r[:100]) + "…"
	}

	return text
}
