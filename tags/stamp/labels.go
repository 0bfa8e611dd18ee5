package stamp

import (
	"cmp"
	"slices"
	"strings"

	"github.com/plexsphere/function-cloud-tags/tags"
	"github.com/plexsphere/function-cloud-tags/tags/field"
	"github.com/plexsphere/function-cloud-tags/tags/profile"
	"github.com/plexsphere/function-cloud-tags/tags/resolve"
	"github.com/plexsphere/function-cloud-tags/tags/tagset"
)

// Labels are what labels come to in one kind of tag field, and the rules for tags there: all that is asked
// for, as far as it doesn't depend on what a resource has. Labels and resources can both be thousands.
type Labels struct {
	tagset.Keys

	transformed *tags.Transformed

	// all labels that can be tags, in the order in which they take tag slots: those of trusted sources
	// first.
	all []fieldLabel

	// byID are the positions of labels by the ID of their tags. spellings are those of labels whose keys
	// differ in case alone, by the key in lower case.
	byID      map[string]int
	spellings map[string][]int

	// claimed are the reserved keys that labels have, and byClaim the first positions of these labels by
	// the key in lower case. Forfeited are those of labels of trusted sources that were skipped.
	claimed, forfeited profile.KeySet
	byClaim            map[string]int

	// remove and ignore tags of these keys.
	remove, ignore []keyRule

	// providers are the keys of tags that the provider sets itself.
	providers tagset.Keys

	// refused are the labels that the profile refuses, and unfit those that no such tag field can have.
	refused, unfit []Judged
}

// A fieldLabel is a label that can be a tag of such a field.
type fieldLabel struct {
	tags.Tag

	// entry of the tag in the field.
	entry tagset.Entry

	// removed is true if removeTags names the tag. protected is the key that keeps it from that, if there
	// is one.
	removed   bool
	protected string
}

// newLabels returns what labels come to in tag fields of the kind k. There are no rules yet.
func newLabels(k tagset.Kind, d *tags.Transformed) *Labels {
	n := len(d.Tags)
	l := &Labels{
		Keys: tagset.NewKeys(k, d.Tags), transformed: d, all: make([]fieldLabel, 0, n),
		byID: make(map[string]int, n), byClaim: make(map[string]int), spellings: make(map[string][]int),
		providers: tagset.Keys{Kind: k, Known: k.Profile.KeySet(tags.ProvidersKeys()...)},
	}

	// A label that is skipped still keeps others from its reserved key.
	var claimed, forfeited []string

	for i := range d.Refused {
		r := &d.Refused[i]
		l.refused = append(l.refused, refused(r, k.Profile))

		if r.Trusted && r.Reserved {
			forfeited = append(forfeited, r.Key)
		}
	}

	for _, t := range d.Tags {
		switch {
		case !l.add(t) && t.Reserved:
			forfeited = append(forfeited, t.Key)
		case t.Reserved:
			claimed = append(claimed, t.Key)
		}
	}

	l.claimed, l.forfeited = profile.NewFoldedKeySet().With(claimed...), profile.NewFoldedKeySet().With(forfeited...)

	return l
}

// withRules adds the keys of tags to remove and to ignore.
func (l *Labels) withRules(remove, ignore []resolve.TagKey) *Labels {
	l.remove, l.ignore = keyRules(l.transformed, remove), keyRules(l.transformed, ignore)

	if l.Shape == field.StringList {
		l.know(slices.Concat(remove, ignore))
	}

	if len(l.remove) > 0 {
		for i := range l.all {
			rule, protected := l.match(l.remove, &l.all[i].entry)
			if l.all[i].removed = rule != nil; !l.all[i].removed {
				l.all[i].protected = protected
			}
		}
	}

	return l
}

// add the tag t, unless no such tag field can have it.
func (l *Labels) add(t tags.Tag) bool {
	if r, limit := l.refuses(&t); r != "" {
		l.unfit = append(l.unfit, Judged{Tag: &t, Fate: Skipped, Reason: r, Limit: limit, single: true})
		return false
	}

	i := len(l.all)
	l.all = append(l.all, fieldLabel{Tag: t, entry: l.Entry(&t)})
	l.byID[l.all[i].entry.ID] = i

	if folded := l.Profile.Fold(t.Key); l.Spellings[folded] {
		l.spellings[folded] = append(l.spellings[folded], i)
	}

	if key := profile.FoldKey(t.Key); t.Reserved {
		if _, claimed := l.byClaim[key]; !claimed {
			l.byClaim[key] = i
		}
	}

	return true
}

// refuses returns why no such tag field can have the tag t, and the limit that it breaks, or nothing.
func (l *Labels) refuses(t *tags.Tag) (reason profile.SkipReason, limit string) {
	if l.transformed.Forges(*t, l.Separator) {
		return profile.ReservedKey, l.Profile.Limit(profile.ReservedKey)
	}

	return l.Refuses(t.Key, t.Value)
}

// know the keys that make a string a tag: those of labels, of providers, and others.
func (l *Labels) know(others []resolve.TagKey) {
	keys := tags.ProvidersKeys()
	for i := range l.all {
		keys = append(keys, l.all[i].Key)
	}

	var exact, patterns []string

	for _, k := range others {
		patterns = append(patterns, k.Pattern)

		// What comes from a field must not hide a tag of a label.
		if !k.Untrusted && !strings.HasSuffix(k.Pattern, "*") {
			exact = append(exact, k.Pattern)
		}
	}

	l.Known, l.Patterns = l.transformed.KeySet(exact...).With(keys...), l.transformed.KeySet(patterns...)
}

// allKeys are the keys for fields in which all strings are tags. The keys of labels find the tags of labels.
func (l *Labels) allKeys() *tagset.Keys {
	keys := l.Keys
	keys.Patterns = profile.NewKeySet("*")

	return &keys
}

// trusted is how many labels are of trusted sources.
func (l *Labels) trusted() int {
	if i := slices.IndexFunc(l.all, func(l fieldLabel) bool { return !l.Trusted }); i >= 0 {
		return i
	}

	return len(l.all)
}

// labelOf returns the position of the label whose tag the entry e is. It is false if there is none.
func (l *Labels) labelOf(e *tagset.Entry) (position int, ok bool) {
	if e.Opaque {
		return 0, false
	}

	position, ok = l.byID[e.ID]

	return position, ok
}

// labelsOf returns the positions of the labels that have the key of the entry e, in any case if the
// provider ignores it.
func (l *Labels) labelsOf(e *tagset.Entry) []int {
	if spellings := l.spellings[l.Profile.Fold(e.Key)]; len(spellings) > 0 {
		return spellings
	}

	if i, ok := l.byID[e.ID]; ok {
		return []int{i}
	}

	return nil
}

// isProviders is true if the entry e may be taken for a tag that providers set.
func (l *Labels) isProviders(e *tagset.Entry) bool {
	_, ok := e.First(tags.ProvidersKeySet())
	return ok || tags.ProvidersKeySet().Has(e.Key)
}

// reserved returns the reserved key that the entry e may be taken for a tag of, if there is one.
func (l *Labels) reserved(e *tagset.Entry) (string, bool) { return e.First(l.transformed.Reserved()) }

// protects returns the key that keeps rules of fields from the tag e: a reserved one, that of a
// label of a trusted source, or, among labels and annotations of Kubernetes, one that is no
// label's. It is empty if there is none.
func (l *Labels) protects(e *tagset.Entry) string {
	if key, ok := l.reserved(e); ok {
		return key
	}

	labels := l.labelsOf(e)

	// What else is in the metadata of an object is no cloud tag.
	isObjects := l.Metadata != "" && len(labels) == 0 && !l.transformed.HasPrefix(e.Key)

	if isObjects || l.transformed.Reserved().Has(e.Key) || slices.ContainsFunc(labels, func(i int) bool { return l.all[i].Trusted }) {
		return e.Key
	}

	return ""
}

// isClouds is true if the key of the entry e is taken, or starts with a prefix that the provider keeps to
// itself. A separator may be part of that.
func (l *Labels) isClouds(e *tagset.Entry) bool {
	p := l.Profile
	return p.Takes(e.Key) || p.Reserves(e.Key) || !slices.Contains(p.Unreserved, e.Key) && p.Reserves(e.String())
}

// isPrefixed is true if the entry e has a key that begins as those of labels do, if they begin with
// anything.
func (l *Labels) isPrefixed(e *tagset.Entry) bool {
	return l.transformed.HasPrefix(cmp.Or(e.String(), e.Key))
}

// isOurs is true if the entry e may be one of this function, by its key: that of a label, or one
// with the prefix of these.
func (l *Labels) isOurs(e *tagset.Entry) bool {
	_, ok := l.labelOf(e)
	return ok || l.isPrefixed(e)
}
