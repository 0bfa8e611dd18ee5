package coverage

import (
	"bufio"
	"bytes"
	"encoding/csv"
	"encoding/json"
	"io"
	"strconv"

	"sigs.k8s.io/yaml"
)

// A named list of resources.
type named struct {
	name      string
	resources []*resource
}

// all lists, in the order in which they are written.
func (l *lists) all() []named {
	return []named{
		{"untagged", l.untagged},
		{"incomplete", l.incomplete},
		{"drifted", l.drifted},
		{"untaggable", l.untaggable},
		{"unknown", l.unknown},
	}
}

// writeJSON writes the supplied report as JSON, one resource after the other.
func writeJSON(out io.Writer, r *report) error {
	w := bufio.NewWriter(out)

	head, _ := json.MarshalIndent(r, "", "  ") //nolint:errchkjson // Nothing in it can fail.
	_, _ = w.Write(bytes.TrimSuffix(head, []byte("\n}")))

	for _, l := range r.lists.all() {
		_, _ = w.WriteString(",\n  " + strconv.Quote(l.name) + ": [")

		for i, of := range l.resources {
			if i > 0 {
				_ = w.WriteByte(',')
			}

			j, _ := json.MarshalIndent(of, "    ", "  ") //nolint:errchkjson // Nothing in it can fail.
			_, _ = w.WriteString("\n    ")
			_, _ = w.Write(j)
		}

		if len(l.resources) > 0 {
			_, _ = w.WriteString("\n  ")
		}

		_ = w.WriteByte(']')
	}

	_, _ = w.WriteString("\n}\n")

	return w.Flush()
}

// writeYAML writes the supplied report as YAML, one resource after the other.
func writeYAML(out io.Writer, r *report) error {
	w := bufio.NewWriter(out)

	head, _ := yaml.Marshal(r) // Nothing in it can fail.
	_, _ = w.Write(head)

	for _, l := range r.lists.all() {
		_, _ = w.WriteString(l.name + ":")

		if len(l.resources) == 0 {
			_, _ = w.WriteString(" []")
		}

		_ = w.WriteByte('\n')

		for _, of := range l.resources {
			y, _ := yaml.Marshal([]*resource{of}) // Nothing in it can fail.
			_, _ = w.Write(y)
		}
	}

	return w.Flush()
}

// columns of CSV. A record is total, group or key, which count, or is in the list of its name:
// once for each key that says why.
var columns = []string{
	"record", "group", "key", "tagged", "of", "share",
	"provider", "apiVersion", "kind", "namespace", "name", "composite", "desired", "cloud", "why",
}

// writeCSV writes the supplied report as comma-separated values.
func writeCSV(out io.Writer, r *report) error {
	w := csv.NewWriter(out)
	_ = w.Write(columns)

	writeGroup(w, "total", r.Total)

	for _, g := range r.Groups {
		writeGroup(w, "group", g)
	}

	for _, l := range r.lists.all() {
		for _, of := range l.resources {
			// What is only drifted is in the list of these.
			rows := of.reasons()
			if l.name == "drifted" {
				rows = of.drifts()
			}

			for _, row := range rows {
				_ = w.Write(append([]string{
					l.name, "", row[0], "", "", "",
					of.Provider, of.APIVersion, of.Kind, of.Namespace, of.Name, of.Composite,
				}, row[1:]...))
			}
		}
	}

	w.Flush()

	return w.Error()
}

// writeGroup writes what the supplied group has.
func writeGroup(w *csv.Writer, record string, g *group) {
	row := func(record, key string, tagged, of int) {
		share := ""
		if of > 0 {
			share = strconv.FormatFloat(float64(tagged*10_000/of)/10_000, 'f', -1, 64)
		}

		_ = w.Write([]string{record, g.Name, key, strconv.Itoa(tagged), strconv.Itoa(of), share, "", "", "", "", "", "", "", "", ""})
	}

	row(record, "", g.Tagged, g.Taggable)

	for _, n := range g.Keys {
		row("key", n.Key, n.Tagged, n.Of)
	}
}

// reasons are the columns key, desired, cloud and why of what is wrong with the resource.
func (r *resource) reasons() [][]string {
	out := [][]string{}

	for _, key := range r.Missing {
		out = append(out, []string{key, "", "", "missing"})
	}

	for _, w := range r.Wrong {
		out = append(out, []string{w.Key, "", "", w.What})
	}

	if len(out) == 0 {
		out = append(out, []string{"", "", "", r.Why})
	}

	return out
}

// drifts are the columns key, desired, cloud and why of what is other in the cloud.
func (r *resource) drifts() [][]string {
	out := [][]string{}

	for _, d := range r.Drift {
		row := []string{d.Key, d.Desired, "", "not in the cloud"}
		if d.Cloud != nil {
			row[2], row[3] = *d.Cloud, "another value"
		}

		out = append(out, row)
	}

	return out
}
