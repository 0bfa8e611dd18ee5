package coverage

import (
	"bufio"
	"bytes"
	"encoding/csv"
	"encoding/json"
	"fmt"
	"io"
	"strconv"

	"sigs.k8s.io/yaml"

	"github.com/plexsphere/function-cloud-tags/tags/words"
)

// WriteJSON writes the report as JSON.
func (r *Report) WriteJSON(out io.Writer) error {
	b, _ := json.MarshalIndent(r, "", "  ") //nolint:errchkjson // Nothing in it can fail.
	b = bytes.TrimSuffix(b, []byte("\n}"))

	for _, l := range r.Lists {
		list, _ := json.MarshalIndent(append([]*Resource{}, l.Resources...), "  ", "  ") //nolint:errchkjson // As above.
		b = fmt.Appendf(b, ",\n  %q: %s", l.Name, list)
	}

	_, err := out.Write(append(b, "\n}\n"...))

	return err
}

// WriteYAML writes the report as YAML, one resource after the other: a tree of all would take much memory.
func (r *Report) WriteYAML(out io.Writer) error {
	w := bufio.NewWriter(out)

	head, _ := yaml.Marshal(r) // Nothing in it can fail.
	_, _ = w.Write(head)

	for _, l := range r.Lists {
		empty := ""
		if len(l.Resources) == 0 {
			empty = " []"
		}

		_, _ = w.WriteString(l.Name + ":" + empty + "\n")

		for _, resource := range l.Resources {
			y, _ := yaml.Marshal([]*Resource{resource}) // As above.
			_, _ = w.Write(y)
		}
	}

	return w.Flush()
}

// columns of CSV. A record is total, group or key with counts, or the name of a list. A list has a record for each reason of
// each resource.
var columns = []string{
	"record", "group", "key", "tagged", "of", "share",
	"provider", "apiVersion", "kind", "namespace", "name", "composite", "desired", "cloud", "why",
}

// A table of CSV.
type table struct{ *csv.Writer }

// write writes a row. Columns after the last cell are empty. Flush returns the error.
func (t *table) write(cells ...string) {
	row := make([]string, len(columns))
	copy(row, words.Map(cells, words.CSV))
	_ = t.Write(row)
}

// WriteCSV writes the report as comma-separated values, under a header: a row for the total, for each group, for each key in these, and for
// each reason of a listed resource.
func (r *Report) WriteCSV(out io.Writer) error {
	w := &table{csv.NewWriter(out)}
	w.write(columns...)

	w.group("total", r.Total)

	for _, g := range r.Groups {
		w.group("group", g)
	}

	for _, l := range r.Lists {
		for _, resource := range l.Resources {
			for _, why := range resource.Reasons(l.Name) {
				w.write(l.Name, "", why.Key, "", "", "", resource.Provider, resource.APIVersion, resource.Kind, resource.Namespace, resource.Name, resource.Composite,
					why.Desired, why.Cloud, why.Text)
			}
		}
	}

	w.Flush()

	return w.Error()
}

// group writes the counts of the group, and of its keys.
func (t *table) group(record string, g *Group) {
	t.count(record, g.Name, "", g.Tagged, g.Taggable)

	for _, n := range g.Keys {
		t.count("key", g.Name, n.Key, n.Tagged, n.Resources)
	}
}

// count writes the number of resources in the group with the key.
func (t *table) count(record, group, key string, tagged, taggable int) {
	share := ""
	if taggable > 0 {
		share = strconv.FormatFloat(Share(tagged, taggable), 'f', -1, 64)
	}

	t.write(record, group, key, strconv.Itoa(tagged), strconv.Itoa(taggable), share)
}
