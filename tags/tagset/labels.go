package tagset

import (
	"github.com/crossplane/function-sdk-go/errors"

	"github.com/plexsphere/function-cloud-tags/tags/object"
)

// labels is a map of labels that are handed on. Readers want strings: a map with another value is no such map.
type labels struct{ tagMap }

func (m *labels) read(n object.Node) ([]Entry, error) {
	out, err := m.tagMap.read(n)

	for i := range out {
		if !out[i].Value.IsString() {
			return nil, errors.Errorf("%s is no map of labels: the value of %q is %s, not a string", m.field.Path, out[i].Key, out[i].Value.Kind())
		}
	}

	return out, err
}
