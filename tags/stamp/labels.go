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

// Labels has the tags of labels in one kind of tag field, and the entries of removeTags and ignoreTags for tags there. It
// doesn't depend on the tags of any resource, so thousands of resources share it.
type Labels struct {
	// Keys finds the tags of labels when a field is read.
	tagset.Keys

	transformed *tags.Transformed

	// all has the labels that can be tags, in the order in which they take tag slots: labels of trusted sources first. A
	// position is an index in all.
	all []fieldLabel

	// byID has the position of each label by the ID of its tag.
	byID map[string]int

	// byFold has the positions of labels whose keys differ in case alone, by the key in lower case. For example, ours:env
	// has the positions of ours:Env and ours:env.
	byFold map[string][]int

	// assigned has the reserved keys of labels that can be tags. assignedTo has the position of the first label with each
	// of these keys, by the key in lower case.
	assigned   profile.KeySet
	assignedTo map[string]int

	// forfeited has the reserved keys of trusted labels that are skipped or unfit. Nobody else may set these keys.
	forfeited profile.KeySet

	// removeMatchers match the tags that removeTags names, and ignoreMatchers the tags that ignoreTags names.
	removeMatchers, ignoreMatchers []matcher

	// providerKeys finds tags that the provider sets itself, such as crossplane-kind, when a field is read.
	providerKeys tagset.Keys

	// skipped has the records of labels that the tag profile skips. unfit has the records of labels that fields of this
	// kind can't hold.
	skipped, unfit []Judged
}

// A fieldLabel is a label that fields of one kind can hold.
type fieldLabel struct {
	tags.Tag

	// entry is the tag as the field has it.
	entry tagset.Entry

	// removed says that removeTags removes the tag.
	removed bool

	// protected is the tag's key if removeTags names it in vain, or empty: see protectedKey.
	protected string
}

// newLabels returns the tags of the transformed labels in tag fields of the kind k, without matchers. A label becomes
// unfit if such a field can't hold it. An example is a key of 100 characters in a list of strings of at most 60.
func newLabels(k tagset.FieldKind, transformed *tags.Transformed) *Labels {
	n := len(transformed.Tags)
	l := &Labels{
		Keys: tagset.NewKeys(k, transformed.Tags), transformed: transformed, all: make([]fieldLabel, 0, n),
		byID: make(map[string]int, n), assignedTo: make(map[string]int), byFold: make(map[string][]int),
		providerKeys: tagset.Keys{FieldKind: k, Known: k.Profile.KeySet(tags.ProvidersKeys()...)},
	}

	// Even if a label is skipped or unfit, nobody else may set its reserved key.
	var assigned, forfeited []string

	for i := range transformed.Skipped {
		skipped := &transformed.Skipped[i]
		l.skipped = append(l.skipped, skippedByProfile(skipped, k.Profile))

		if skipped.Trusted && skipped.Reserved {
			forfeited = append(forfeited, skipped.Key)
		}
	}

	for _, t := range transformed.Tags {
		added := l.add(t)

		switch {
		case !t.Reserved:
		case added:
			assigned = append(assigned, t.Key)
		default:
			forfeited = append(forfeited, t.Key)
		}
	}

	l.assigned, l.forfeited = profile.NewFoldedKeySet().With(assigned...), profile.NewFoldedKeySet().With(forfeited...)

	return l
}

// withMatchers adds the entries of removeTags and ignoreTags to the labels, and returns the labels. With removeTags
// [team/*], it marks the label team/a as removed.
func (l *Labels) withMatchers(remove, ignore []resolve.TagPattern) *Labels {
	l.removeMatchers, l.ignoreMatchers = newMatchers(l.transformed, remove), newMatchers(l.transformed, ignore)

	if l.Shape.Form().HasStrings {
		l.setKnownKeys(slices.Concat(remove, ignore))
	}

	if len(l.removeMatchers) > 0 {
		for i := range l.all {
			label := &l.all[i]

			found, protected := l.firstMatch(l.removeMatchers, &label.entry)
			if found != nil {
				label.removed = true
			} else {
				label.protected = protected
			}
		}
	}

	return l
}

// add adds the tag t, and reports whether fields of this kind can hold it. If they can't, add records t as unfit. An
// example is the key a,b in one string of tags with commas between them.
func (l *Labels) add(t tags.Tag) bool {
	if reason, limit := l.unfitReason(&t); reason != "" {
		l.unfit = append(l.unfit, Judged{Tag: &t, Fate: Skipped, Reason: reason, Limit: limit, namesResource: true})
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

// unfitReason returns why fields of this kind can't hold the tag t, and the limit that t breaks. It returns empty texts if
// they can hold t. For example, a list of strings can't hold the tag zone: a=b if the key zone=a is reserved: the string
// zone=a=b is also the tag zone=a: b.
func (l *Labels) unfitReason(t *tags.Tag) (reason profile.SkipReason, limit string) {
	if l.transformed.ReadsAsReserved(*t, l.Separator) {
		return profile.ReservedKey, l.Profile.Limit(profile.ReservedKey)
	}

	return l.Refuses(t.Key, t.Value)
}

// setKnownKeys sets the keys that make a string of a list a tag: keys of labels, keys that providers set, and keys that
// removeTags or ignoreTags names. If env is such a key, the string env=prod is the tag env: prod. Otherwise the string is
// opaque: it isn't known to be a tag.
func (l *Labels) setKnownKeys(named []resolve.TagPattern) {
	keys := tags.ProvidersKeys()
	for i := range l.all {
		keys = append(keys, l.all[i].Key)
	}

	var exact, patterns []string

	for _, k := range named {
		patterns = append(patterns, k.Key)

		// A pattern from a field of the XR is no known key, since its author could hide a label's tag with it.
		if !k.Untrusted && !strings.HasSuffix(k.Key, "*") {
			exact = append(exact, k.Key)
		}
	}

	l.Known, l.Patterns = l.transformed.KeySet(exact...).With(keys...), l.transformed.KeySet(patterns...)
}

// allKeys returns keys that make all strings of a list tags. A string that starts with a label's key is the label's tag.
func (l *Labels) allKeys() *tagset.Keys {
	keys := l.Keys
	keys.Patterns = profile.NewKeySet("*")

	return &keys
}

// countTrusted returns the number of labels of trusted sources. These labels are the first ones.
func (l *Labels) countTrusted() int {
	if i := slices.IndexFunc(l.all, func(label fieldLabel) bool { return !label.Trusted }); i >= 0 {
		return i
	}

	return len(l.all)
}

// positionOf returns the position of the label that the entry e is the tag of. ok is false if there is no such label.
func (l *Labels) positionOf(e *tagset.Entry) (position int, ok bool) {
	if e.Opaque {
		return 0, false
	}

	position, ok = l.byID[e.ID]

	return position, ok
}

// positionsOf returns the positions of the labels with the key of the entry e. There can be two on DigitalOcean, which
// ignores case. If ours:Env and ours:env are labels, an entry with either key has the positions of both.
func (l *Labels) positionsOf(e *tagset.Entry) []int {
	if positions := l.byFold[l.Profile.Fold(e.Key)]; len(positions) > 0 {
		return positions
	}

	if i, ok := l.byID[e.ID]; ok {
		return []int{i}
	}

	return nil
}

// setByProvider reports whether the entry e may be a tag that the provider sets itself, such as crossplane-kind. In a list
// of strings, one string can have several keys, and a string without a separator is a key.
func (l *Labels) setByProvider(e *tagset.Entry) bool {
	_, found := e.FirstKey(tags.ProvidersKeySet())
	return found || e.String() != "" && tags.ProvidersKeySet().Has(e.Key)
}

// reservedKey returns the first reserved key that the entry e may have, and whether there is one. In a list of strings, one
// string can have several keys: owner=a=b may be the tag owner: a=b, or the tag owner=a: b.
func (l *Labels) reservedKey(e *tagset.Entry) (key string, found bool) {
	return e.FirstKey(l.transformed.Reserved())
}

// protectedKey returns the key of the entry e if untrusted entries of removeTags and ignoreTags may not touch the tag. Such
// entries come from a field of the XR. Otherwise protectedKey returns an empty string. These keys are protected:
//   - a reserved key
//   - the key of a label of a trusted source
//   - in metadata.labels and metadata.annotations, a key without keyPrefix that no label has
func (l *Labels) protectedKey(e *tagset.Entry) string {
	if key, found := l.reservedKey(e); found {
		return key
	}

	// In a list of strings, a string without a separator is a tag without a value. Its key can be reserved, too.
	positions := l.positionsOf(e)
	isReserved := l.transformed.Reserved().Has(e.Key)
	isTrusted := slices.ContainsFunc(positions, func(i int) bool { return l.all[i].Trusted })
	isForeignMetadata := l.Metadata != "" && len(positions) == 0 && !l.transformed.HasPrefix(e.Key)

	if isReserved || isTrusted || isForeignMetadata {
		return e.Key
	}

	return ""
}

// belongsToCloud reports whether only the cloud may set the key of the entry e. Examples on AWS are aws:createdBy and
// eks:eks-cluster-name. In a list of strings, a reserved prefix may include the separator after the key.
func (l *Labels) belongsToCloud(e *tagset.Entry) bool {
	p := l.Profile
	if p.Takes(e.Key) || p.Reserves(e.Key) {
		return true
	}

	return !slices.Contains(p.Unreserved, e.Key) && p.Reserves(e.String())
}

// hasKeyPrefix reports whether the key of the entry e begins with keyPrefix. It returns false if keyPrefix is empty.
func (l *Labels) hasKeyPrefix(e *tagset.Entry) bool {
	return l.transformed.HasPrefix(cmp.Or(e.String(), e.Key))
}

// belongsToFunction reports whether the entry e may be a tag of this function: a label has its key, or its key begins with
// keyPrefix.
func (l *Labels) belongsToFunction(e *tagset.Entry) bool {
	_, isLabel := l.positionOf(e)
	return isLabel || l.hasKeyPrefix(e)
}
