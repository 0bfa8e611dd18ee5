package policy

import (
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/plexsphere/function-cloud-tags/input/v1beta1"
	"github.com/plexsphere/function-cloud-tags/tags/command/manifest"
	"github.com/plexsphere/function-cloud-tags/tags/resolve"
)

// A reading is how labels and annotations of some kinds are read.
type reading struct {
	prefix  string
	form    v1beta1.KeyForm
	json    bool
	include []string // Patterns of qualified keys. All if it is nil.
	except  []string // Patterns of qualified keys that are not read.

	// kinds that are read so, and whether all sources that do are trusted.
	kinds map[string]bool
}

// readingOf is how the supplied source reads, if it reads labels and annotations.
func readingOf(s *v1beta1.Source) *reading {
	r := &reading{prefix: s.Prefix, form: s.KeyForm, json: s.Encoding == v1beta1.EncodingJSON, kinds: make(map[string]bool)}

	if s.Include != nil {
		r.include, r.except = s.Include.Keys, s.Include.Except // Nil if only the composite resource says.
	}

	return r
}

// like is true if both read the same.
func (r *reading) like(o *reading) bool {
	return r.prefix == o.prefix && r.form == o.form && r.json == o.json &&
		(r.include == nil) == (o.include == nil) && slices.Equal(r.include, o.include) && slices.Equal(r.except, o.except)
}

// readingsOf returns how the sources of the supplied step read objects of the
// supplied kinds, or of all kinds that they read if there are none. A kind that no
// source reads is read as all do: its labels may go on to one that is.
func readingsOf(s *manifest.Step, kinds []kind) ([]kind, []*reading) {
	sources := s.Input.Sources
	of := make([][]kind, len(sources))
	all := []kind{}

	for i := range sources {
		of[i] = kindsOf(s, &sources[i])
		all = add(all, of[i]...)
	}

	if len(kinds) == 0 {
		kinds = all
	}

	out := []*reading{}

	for _, k := range kinds {
		for i := range sources {
			if sources[i].Prefix == "" || has(all, k) && !has(of[i], k) {
				continue
			}

			r := readingOf(&sources[i])
			if like := slices.IndexFunc(out, r.like); like >= 0 {
				r = out[like]
			} else {
				out = append(out, r)
			}

			others, known := r.kinds[k.String()]
			r.kinds[k.String()] = sources[i].Trusted && (others || !known)
		}
	}

	return kinds, out
}

// kindsOf returns the kinds whose labels and annotations the supplied source reads. It is
// none if there is no Composition to say.
func kindsOf(s *manifest.Step, source *v1beta1.Source) (out []kind) {
	for _, k := range resolve.Kinds(source, s.Composite) {
		// Crossplane refuses the requirement of what is no kind.
		if k, err := newKind(k.APIVersion, k.Kind); err == nil {
			out = append(out, k)
		}
	}

	return out
}

// trusted are the kinds for which all sources that read so are trusted.
func (r *reading) trusted() (out []string) {
	for k, trusted := range r.kinds {
		if trusted {
			out = append(out, k)
		}
	}

	slices.Sort(out)

	return out
}

// trust is 'yes' or 'no', or the expression of which it is.
func (r *reading) trust() string {
	switch trusted := r.trusted(); len(trusted) {
	case 0:
		return "'no'"
	case len(r.kinds):
		return "'yes'"
	default:
		return fmt.Sprintf("(variables.kind in %s ? 'yes' : 'no')", quoteAll(trusted))
	}
}

// key is the qualified key of the label or annotation k, or the key of a tag.
func (r *reading) key() string {
	return fmt.Sprintf("k.substring(%d)", utf8.RuneCountInString(r.prefix))
}

// reads is the condition that the label or annotation k is read, by objects of so many
// kinds.
func (r *reading) reads(kinds int) string {
	out := []string{}

	if len(r.kinds) < kinds {
		out = append(out, fmt.Sprintf("variables.kind in %s", quoteAll(sortedKeys(r.kinds))))
	}

	out = append(out, fmt.Sprintf("k.startsWith(%s)", quote(r.prefix)))

	if r.include != nil {
		out = append(out, anyOf(append(matchesAny(r.key(), r.include), "false")...))
	}

	if len(r.except) > 0 {
		out = append(out, "!("+anyOf(matchesAny(r.key(), r.except)...)+")")
	}

	return strings.Join(out, " && ")
}
