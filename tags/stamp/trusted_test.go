package stamp

import (
	"github.com/plexsphere/function-cloud-tags/tags"
)

// trusted returns the supplied label as one of a trusted source.
func trusted(l tags.Label) tags.Label {
	l.Trusted = true
	return l
}

// reserving returns a transformer of the supplied labels that reserves the supplied
// keys.
func reserving(reserved []string, labels ...tags.Label) *tags.Transformer {
	t := transformer(labels...)
	t.Reserve(reserved, "ours:", nil)

	return t
}
