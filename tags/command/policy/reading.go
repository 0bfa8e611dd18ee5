package policy

import (
	"fmt"
	"slices"
	"unicode/utf8"

	"github.com/plexsphere/function-cloud-tags/input/v1beta1"
	"github.com/plexsphere/function-cloud-tags/tags/command/manifest"
	"github.com/plexsphere/function-cloud-tags/tags/resolve"
)

// how is a way to read labels and annotations: the settings of a source that decide on it.
type how struct {
	Prefix string
	Form   v1beta1.KeyForm
	JSON   bool

	// included is the condition that one with the prefix is included, behind an &&.
	included string
}

// howOf returns how the source reads labels and annotations.
func howOf(s *v1beta1.Source) how {
	h := how{Prefix: s.Prefix, Form: s.KeyForm, JSON: s.Encoding == v1beta1.EncodingJSON}

	// If only the composite resource says which keys are included, all are checked.
	if s.Include != nil && s.Include.Keys != nil {
		h.included = " && " + anyOf(append(matchesAny(h.Key(), s.Include.Keys), "false")...)
	}

	if s.Include != nil && len(s.Include.Except) > 0 {
		h.included += " && !(" + anyOf(matchesAny(h.Key(), s.Include.Except)...) + ")"
	}

	return h
}

// Key returns the expression of the qualified key of the label or annotation k, or of its tag key with keyForm Tag.
func (h how) Key() string { return fmt.Sprintf("k.substring(%d)", utf8.RuneCountInString(h.Prefix)) }

// A reading is one way to read labels and annotations, and the kinds that are read so.
type reading struct {
	how

	// Reads is the condition that the label or annotation k is read.
	Reads string

	// kinds that are read so. The value is true if all sources that do so are trusted.
	kinds map[string]bool
}

// Trusted returns the kinds whose labels and annotations are trusted if they are read so.
func (r *reading) Trusted() []string {
	return slices.DeleteFunc(sortedKeys(r.kinds), func(k string) bool { return !r.kinds[k] })
}

// read takes the input of the step, and finds out how its sources read objects of the policy's kinds. If the policy has
// no kinds, it gets all that sources read. A kind that no source reads is read in every source's way: its labels
// may be copied to a kind that is read.
func (p *policy) read(s *manifest.Step) {
	p.CloudTags = s.Input
	of := make([][]string, len(p.Sources))
	all := []string{}

	for i := range p.Sources {
		for _, k := range resolve.Kinds(&p.Sources[i], s.Composite) {
			// Crossplane refuses requirements of an invalid kind.
			if kind, err := kindOf(k.APIVersion, k.Kind); err == nil {
				of[i], all = append(of[i], kind), add(all, kind)
			}
		}
	}

	if len(p.Kinds) == 0 {
		p.Kinds = all
	}

	for _, kind := range p.Kinds {
		for i := range p.Sources {
			source := &p.Sources[i]
			if source.Prefix == "" || slices.Contains(all, kind) && !slices.Contains(of[i], kind) {
				continue
			}

			r := p.reading(howOf(source))
			others, known := r.kinds[kind]
			r.kinds[kind] = source.Trusted && (others || !known)
		}
	}

	for _, r := range p.Readings {
		r.Reads = fmt.Sprintf("variables.kind in %s && k.startsWith(%s)", quoteAll(sortedKeys(r.kinds)), quote(r.Prefix)) + r.included
	}
}

// reading returns the policy's reading in that way, which it adds if there is none.
func (p *policy) reading(h how) *reading {
	i := slices.IndexFunc(p.Readings, func(r *reading) bool { return r.how == h })
	if i < 0 {
		i, p.Readings = len(p.Readings), append(p.Readings, &reading{how: h, kinds: make(map[string]bool)})
		p.Prefixes = add(p.Prefixes, h.Prefix)
	}

	return p.Readings[i]
}
