package tagset

import (
	"iter"
	"maps"
	"slices"
	"strings"

	"github.com/crossplane/function-sdk-go/errors"

	"github.com/plexsphere/function-cloud-tags/tags/field"
	"github.com/plexsphere/function-cloud-tags/tags/object"
)

// tagMap is a map of tag keys to values: {env: prod}.
type tagMap struct {
	field *field.Field
	keys  *Keys

	// others are the labels and annotations of Kubernetes that are no tags.
	others map[string]object.Node
}

// read returns an entry for each key of the map, sorted. Labels of Kubernetes, such as app.kubernetes.io/name, become
// others.
func (m *tagMap) read(n object.Node) ([]Entry, error) {
	if n.IsThere() && !n.IsObject() {
		return nil, errors.Errorf("%s is %s, not a map of %ss", m.field.Path, n.Kind(), m.keys.Profile.Noun())
	}

	out := make([]Entry, 0, max(n.Len(), m.keys.tags))

	for name, value := range n.Fields() {
		key := m.keys.text(name)

		if m.field.OnlyKubernetes(name) || m.keys.Metadata != "" && object.IsPrivate(key) {
			if m.others == nil {
				m.others = make(map[string]object.Node)
			}

			m.others[key] = value

			continue
		}

		out = append(out, Entry{ID: m.keys.ID(key), Key: key, Value: value, Item: value})
	}

	slices.SortFunc(out, func(a, b Entry) int { return strings.Compare(a.Key, b.Key) })

	return out, nil
}

func (m *tagMap) write(entries iter.Seq[*Entry], n int) object.Node {
	fields := make(map[string]object.Node, n+len(m.others))
	maps.Copy(fields, m.others)

	for e := range entries {
		fields[e.Key] = e.Item
	}

	return object.MapNode(fields)
}

// take the value of e. The key keeps its spelling in the field, unless e is exact.
func (m *tagMap) take(old *Entry, e Entry) Entry {
	e.Value = e.valueOrEmpty()
	e.Item = e.Value

	if old != nil && !e.KeepsSpelling {
		e.Key = old.Key
	}

	return e
}
