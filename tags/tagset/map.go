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

// tagMap is the shape of a map of tag keys to values, such as {env: prod}.
type tagMap struct {
	base

	// nonTags are fields of metadata.labels and metadata.annotations that are no tags.
	nonTags map[string]object.Node
}

// isNoTag reports whether a field of the map is no tag. metadata is "labels" or "annotations" if the map is metadata, and otherwise empty. There,
// these fields are no tags:
//   - keys of Crossplane, kubectl and this function, such as crossplane.io/external-name
//   - keys that steer a controller, such as services.k8s.aws/region
//   - labels that only Kubernetes uses, such as app.kubernetes.io/name
func isNoTag(f *field.Field, metadata, key string) bool {
	return metadata != "" && (object.IsPrivate(key) || field.SteersController(key)) || f.IsOnlyForKubernetes([]byte(key))
}

// NonTags returns the labels or annotations in the value n of the field f that are no tags, such as services.k8s.aws/region. It returns none for
// fields that aren't metadata.
func NonTags(n object.Node, f *field.Field) map[string]object.Node {
	out := n.FieldMap()
	metadata := metadataOf(f.Path.Segments())
	maps.DeleteFunc(out, func(key string, _ object.Node) bool { return !isNoTag(f, metadata, key) })

	return out
}

// read returns an entry for each key of the map, sorted by key. It puts labels and annotations that are no tags into nonTags.
func (m *tagMap) read(n object.Node) ([]Entry, error) {
	if n.IsThere() && !n.IsObject() {
		return nil, errors.Errorf("%s is %s, not a map of %ss", m.field.Path, n.Kind(), m.keys.Profile.Noun())
	}

	entries := make([]Entry, 0, max(n.Len(), m.keys.tagCount))

	for name, value := range n.Fields() {
		key := m.keys.keyText(name)

		if isNoTag(m.field, m.keys.Metadata, key) {
			if m.nonTags == nil {
				m.nonTags = make(map[string]object.Node)
			}

			m.nonTags[key] = value

			continue
		}

		entries = append(entries, Entry{ID: m.keys.ID(key), Key: key, Value: value, Item: value})
	}

	slices.SortFunc(entries, func(a, b Entry) int { return strings.Compare(a.Key, b.Key) })

	return entries, nil
}

func (m *tagMap) write(entries iter.Seq[*Entry], n int) object.Node {
	fields := make(map[string]object.Node, n+len(m.nonTags))
	maps.Copy(fields, m.nonTags)

	for e := range entries {
		fields[e.Key] = e.Item
	}

	return object.MapNode(fields)
}

// adapt returns e as the field of a map. The key stays as old spells it, unless e.KeepsSpelling.
func (m *tagMap) adapt(old *Entry, e Entry) Entry {
	e.Value = e.valueOrEmpty()
	e.Item = e.Value

	if old != nil && !e.KeepsSpelling {
		e.Key = old.Key
	}

	return e
}
