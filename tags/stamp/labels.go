package stamp

import (
	"cmp"
	"slices"
	"strings"

	"github.com/plexsphere/function-cloud-tags/tags"
	"github.com/plexsphere/function-cloud-tags/tags/profile"
	"github.com/plexsphere/function-cloud-tags/tags/resolve"
	"github.com/plexsphere/function-cloud-tags/tags/tagset"
)

// Labels are the tags of labels in one kind of tag field, and the entries of removeTags and ignoreTags for tags there.
// They don't depend on the tags of any resource, so that thousands of resources share them.
type Labels struct {
	tagset.Keys

	transformed *tags.Transformed

	// all labels that can be tags, in the order in which they take tag slots: labels of trusted sources first.
	all []fieldLabel

	// byID has the position of each label by the ID of its tag. byFold has the positions of labels whose keys differ in
	// case alone, by the key in lower case: ours:env → the positions of ours:Env and ours:env.
	byID   map[string]int
	byFold map[string][]int

	// assigned are the reserved keys of labels, and assignedTo has the first position of these labels by the key in
	// lower case. forfeited are the reserved keys of labels of trusted sources that were skipped.
	assigned, forfeited profile.KeySet
	assignedTo          map[string]int

	// remove matches the tags of removeTags, and ignore the tags of ignoreTags.
	remove, ignore []matcher

	// providers are the keys of tags that the provider sets itself.
	providers tagset.Keys

	// skipped are the records of labels that the profile skips, and unfit of labels that fields of this kind can't hold.
	skipped, unfit []Judged
}

// A fieldLabel is a label that fields of one kind can hold.
type fieldLabel struct {
	tags.Tag

	// entry of the tag in the field.
	entry tagset.Entry

	// removed reports that removeTags names the tag. protected is the key that keeps an entry of removeTags from a field
	// from doing so, if there is one: see protects.
	removed   bool
	protected string
}

// newLabels returns the tags d of labels in tag fields of the kind k, without matchers. A label that a string list
// can't hold, such as a key of 100 characters where entries have 60, becomes unfit. Its reserved key still keeps others
// from this key.
func newLabels(k tagset.FieldKind, d *tags.Transformed) *Labels {
	n := len(d.Tags)
	l := &Labels{
		Keys: tagset.NewKeys(k, d.Tags), transformed: d, all: make([]fieldLabel, 0, n),
		byID: make(map[string]int, n), assignedTo: make(map[string]int), byFold: make(map[string][]int),
		providers: tagset.Keys{FieldKind: k, Known: k.Profile.KeySet(tags.ProvidersKeys()...)},
	}

	// A skipped label still keeps others from its reserved key.
	var assigned, forfeited []string

	for i := range d.Skipped {
		r := &d.Skipped[i]
		l.skipped = append(l.skipped, skippedByProfile(r, k.Profile))

		if r.Trusted && r.Reserved {
			forfeited = append(forfeited, r.Key)
		}
	}

	for _, t := range d.Tags {
		switch {
		case !l.add(t) && t.Reserved:
			forfeited = append(forfeited, t.Key)
		case t.Reserved:
			assigned = append(assigned, t.Key)
		}
	}

	l.assigned, l.forfeited = profile.NewFoldedKeySet().With(assigned...), profile.NewFoldedKeySet().With(forfeited...)

	return l
}

// withMatchers adds the entries of removeTags and ignoreTags. With removeTags [team/*], the label team/a is marked as
// removed.
func (l *Labels) withMatchers(remove, ignore []resolve.TagKey) *Labels {
	l.remove, l.ignore = matchersOf(l.transformed, remove), matchersOf(l.transformed, ignore)

	if l.Shape.Form().HasTexts {
		l.know(slices.Concat(remove, ignore))
	}

	if len(l.remove) > 0 {
		for i := range l.all {
			found, protected := l.match(l.remove, &l.all[i].entry)
			if l.all[i].removed = found != nil; !l.all[i].removed {
				l.all[i].protected = protected
			}
		}
	}

	return l
}

// add adds the tag t, or records it as unfit if fields of this kind can't hold it, such as a,b in a joined string with
// commas.
func (l *Labels) add(t tags.Tag) bool {
	if r, limit := l.unfitFor(&t); r != "" {
		l.unfit = append(l.unfit, Judged{Tag: &t, Fate: Skipped, Reason: r, Limit: limit, single: true})
		return false
	}

	i := len(l.all)
	l.all = append(l.all, fieldLabel{Tag: t, entry: l.Entry(&t)})
	l.byID[l.all[i].entry.ID] = i

	if folded := l.Profile.Fold(t.Key); l.Spellings[folded] {
		l.byFold[folded] = append(l.byFold[folded], i)
	}

	if key := profile.FoldKey(t.Key); t.Reserved {
		if _, ok := l.assignedTo[key]; !ok {
			l.assignedTo[key] = i
		}
	}

	return true
}

// unfitFor returns why fields of this kind can't hold the tag t, and the limit that t breaks, or nothing. A list of strings
// with the separator = can't hold platform/x with the value y=z if platform/x=y is reserved: it would have that key, too.
func (l *Labels) unfitFor(t *tags.Tag) (reason profile.SkipReason, limit string) {
	if l.transformed.Forges(*t, l.Separator) {
		return profile.ReservedKey, l.Profile.Limit(profile.ReservedKey)
	}

	return l.Refuses(t.Key, t.Value)
}

// know sets the keys that make a string a tag: the keys of labels, the providers' own, and others. With the label key
// env, the string env=prod is a tag. Without it, and without entries of removeTags and ignoreTags for env, it is
// opaque.
func (l *Labels) know(others []resolve.TagKey) {
	keys := tags.ProvidersKeys()
	for i := range l.all {
		keys = append(keys, l.all[i].Key)
	}

	var exact, patterns []string

	for _, k := range others {
		patterns = append(patterns, k.Pattern)

		// A pattern from a field of the XR doesn't count: its author could hide a label's tag.
		if !k.Untrusted && !strings.HasSuffix(k.Pattern, "*") {
			exact = append(exact, k.Pattern)
		}
	}

	l.Known, l.Patterns = l.transformed.KeySet(exact...).With(keys...), l.transformed.KeySet(patterns...)
}

// allKeys returns the keys for fields in which all strings are tags. A string that starts with a label's key is the
// label's tag.
func (l *Labels) allKeys() *tagset.Keys {
	keys := l.Keys
	keys.Patterns = profile.NewKeySet("*")

	return &keys
}

// trusted returns how many labels trusted sources give: the position of the first other label.
func (l *Labels) trusted() int {
	if i := slices.IndexFunc(l.all, func(l fieldLabel) bool { return !l.Trusted }); i >= 0 {
		return i
	}

	return len(l.all)
}

// labelOf returns the position of the label whose tag the entry e is, and whether there is one.
func (l *Labels) labelOf(e *tagset.Entry) (position int, ok bool) {
	if e.Opaque {
		return 0, false
	}

	position, ok = l.byID[e.ID]

	return position, ok
}

// labelsOf returns the positions of the labels with the key of the entry e. On DigitalOcean, which ignores case, ours:Env
// and ours:env can be two labels, and an entry with either key has both.
func (l *Labels) labelsOf(e *tagset.Entry) []int {
	if positions := l.byFold[l.Profile.Fold(e.Key)]; len(positions) > 0 {
		return positions
	}

	if i, ok := l.byID[e.ID]; ok {
		return []int{i}
	}

	return nil
}

// setByProvider reports whether somebody may take the entry e for a tag that the provider sets itself, such as
// crossplane-kind.
func (l *Labels) setByProvider(e *tagset.Entry) bool {
	_, ok := e.First(tags.ProvidersKeySet())
	return ok || tags.ProvidersKeySet().Has(e.Key)
}

// reserved returns a reserved key if somebody may take the entry e for a tag with this key. In a list of strings,
// "owner=a=b" may be the tag owner with the value a=b, or owner=a with the value b.
func (l *Labels) reserved(e *tagset.Entry) (string, bool) { return e.First(l.transformed.Reserved()) }

// protects returns the key of the entry e if removeTags and ignoreTags of a field may not touch the tag, or else nothing.
// Such a key is one of these:
//   - a reserved key,
//   - the key of a label of a trusted source,
//   - among labels and annotations of Kubernetes, a key without keyPrefix that no label has.
func (l *Labels) protects(e *tagset.Entry) string {
	if key, ok := l.reserved(e); ok {
		return key
	}

	labels := l.labelsOf(e)

	onlyMetadata := l.Metadata != "" && len(labels) == 0 && !l.transformed.HasPrefix(e.Key)

	if onlyMetadata || l.transformed.Reserved().Has(e.Key) || slices.ContainsFunc(labels, func(i int) bool { return l.all[i].Trusted }) {
		return e.Key
	}

	return ""
}

// keptByCloud reports whether the cloud keeps the key of the entry e to itself, such as aws:createdBy, or
// eks:eks-cluster-name, to which AWS gives a meaning. In a list of strings, the prefix may reach into the separator.
func (l *Labels) keptByCloud(e *tagset.Entry) bool {
	p := l.Profile
	return p.Takes(e.Key) || p.Reserves(e.Key) || !slices.Contains(p.Unreserved, e.Key) && p.Reserves(e.String())
}

// hasKeyPrefix reports whether the key of the entry e begins with keyPrefix, if that isn't empty.
func (l *Labels) hasKeyPrefix(e *tagset.Entry) bool {
	return l.transformed.HasPrefix(cmp.Or(e.String(), e.Key))
}

// belongsToFunction reports whether the entry e may be a tag of this function: it has the key of a label, or begins with
// keyPrefix.
func (l *Labels) belongsToFunction(e *tagset.Entry) bool {
	_, ok := l.labelOf(e)
	return ok || l.hasKeyPrefix(e)
}
