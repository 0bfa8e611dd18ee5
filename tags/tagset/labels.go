package tagset

import (
	"github.com/crossplane/function-sdk-go/errors"

	"github.com/plexsphere/function-cloud-tags/tags/object"
)

// labels is the shape of a map of labels that are handed on to another Composition, which makes tags of them. All values
// must be strings.
type labels struct{ tagMap }

func (m *labels) read(n object.Node) ([]Entry, error) {
	entries, err := m.tagMap.read(n)

	for i := range entries {
		if !entries[i].Value.IsString() {
			return nil, errors.Errorf("%s is no map of labels: the value of %q is %s, not a string", m.field.Path, entries[i].Key, entries[i].Value.Kind())
		}
	}

	return entries, err
}
