package coverage

import (
	"bufio"
	"bytes"
	"encoding/csv"
	"encoding/json"
	"io"
	"strconv"

	"github.com/plexsphere/function-cloud-tags/tags/coverage"
)

// writeJSON writes the supplied report as JSON, one resource after the other.
func writeJSON(out io.Writer, r *coverage.Report) error {
	w := bufio.NewWriter(out)

	head, _ := json.MarshalIndent(r, "", "  ") //nolint:errchkjson // Nothing in it can fail.
	_, _ = w.Write(bytes.TrimSuffix(head, []byte("\n}")))

	for _, l := range r.Lists {
		_, _ = w.WriteString(",\n  " + strconv.Quote(l.Name) + ": [")

		for i, of := range l.Resources {
			if i > 0 {
				_ = w.WriteByte(',')
			}

			j, _ := json.MarshalIndent(of, "    ", "  ") //nolint:errchkjson // Nothing in it can fail.
			_, _ = w.WriteString("\n    ")
			_, _ = w.Write(j)
		}

		if len(l.Resources) > 0 {
			_, _ = w.WriteString("\n  ")
		}

		_ = w.WriteByte(']')
	}

	_, _ = w.WriteString("\n}\n")

	return w.Flush()
}

// columns of CSV. A record is total, group or key, which count, or is in the list of its name:
// once for each key that says why.
var columns = []string{
	"record", "group", "key", "tagged", "of", "share",
	"provider", "apiVersion", "kind", "namespace", "name", "composite", "desired", "cloud", "why",
}

// writeCSV writes the supplied report as comma-separated values.
func writeCSV(out io.Writer, r *coverage.Report) error {
	w := csv.NewWriter(out)
	_ = w.Write(columns)

	writeGroup(w, "total", r.Total)

	for _, g := range r.Groups {
		writeGroup(w, "group", g)
	}

	for _, l := range r.Lists {
		for _, of := range l.Resources {
			// What is only drifted is in the list of these.
			rows := reasons(of)
			if l.Name == coverage.ListDrifted {
				rows = drifts(of)
			}

			for _, row := range rows {
				_ = w.Write(append([]string{
					l.Name, "", row[0], "", "", "",
					of.Provider, of.APIVersion, of.Kind, of.Namespace, of.Name, of.Composite,
				}, row[1:]...))
			}
		}
	}

	w.Flush()

	return w.Error()
}

// writeGroup writes what the supplied group has.
func writeGroup(w *csv.Writer, record string, g *coverage.Group) {
	row := func(record, key string, tagged, of int) {
		share := ""
		if of > 0 {
			share = strconv.FormatFloat(coverage.Share(tagged, of), 'f', -1, 64)
		}

		_ = w.Write([]string{record, g.Name, key, strconv.Itoa(tagged), strconv.Itoa(of), share, "", "", "", "", "", "", "", "", ""})
	}

	row(record, "", g.Tagged, g.Taggable)

	for _, n := range g.Keys {
		row("key", n.Key, n.Tagged, n.Of)
	}
}

// reasons are the columns key, desired, cloud and why of what is wrong with the resource.
func reasons(r *coverage.Resource) [][]string {
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
func drifts(r *coverage.Resource) [][]string {
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
