package stamp

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/plexsphere/function-cloud-tags/tags"
	"github.com/plexsphere/function-cloud-tags/tags/field"
	"github.com/plexsphere/function-cloud-tags/tags/profile"
	"github.com/plexsphere/function-cloud-tags/tags/resolve"
	"github.com/plexsphere/function-cloud-tags/tags/tagset"
	"github.com/plexsphere/function-cloud-tags/tags/words"
)

// Labels has labels as tags for tag fields of one tagset.FieldKind, such as all maps on aws. It also has the entries of removeTags and
// ignoreTags. Thousands of resources share one Labels, since it has nothing of a single resource.
type Labels struct {
	// Keys finds the tags of labels when a field is read.
	tagset.Keys

	// origin has the labels before they were tags.
	origin resourceLabels

	// transformed has the labels as tags of the profile, and the profile's rules for keys.
	transformed *tags.Transformed

	// all has the labels that such fields can hold, in the order in which they take tag slots: keys of trusted sources come first. The
	// position of a label is its index in all. The Fate is Removed if removeTags names the tag, and otherwise Undecided.
	all []tags.Judged

	// mayConflict reports whether any of them has onConflict Error, which is tags.Fail.
	mayConflict bool

	// entries has the tag of each label in the form of the field, such as the string env=prod, by the label's position.
	entries []tagset.Entry

	// protected has the keys of tags that untrusted entries of removeTags name, but may not touch, by the label's position: see protectedKey.
	protected map[int]string

	// positionByID has the position of each label by the ID of its entry.
	positionByID map[string]int

	// positionsByFold has the positions of labels whose keys differ in case alone, by the key in lower case. With the keys Env and env, it has
	// two positions for env.
	positionsByFold map[string][]int

	// firstWithReservedKey has the position of the first label with each reserved key, by the key in lower case. reservedByLabels has these
	// keys.
	firstWithReservedKey map[string]int
	reservedByLabels     profile.KeySet

	// reservedBySkipped has the reserved keys of trusted labels that are skipped or unfit. Such a label becomes no tag. If an earlier step of
	// the pipeline has set a tag with its key, decideReserved takes the tag away: the key stays reserved.
	reservedBySkipped profile.KeySet

	// removeMatchers match the tags that removeTags names, and ignoreMatchers the tags that ignoreTags names.
	removeMatchers, ignoreMatchers []matcher

	// providerKeys finds tags that the provider sets itself, such as crossplane-kind, when a field is read.
	providerKeys tagset.Keys

	// skipped has the records of labels that the tag profile skips. unfit has the records of labels that the profile admits, but that
	// fields of the FieldKind can't hold.
	skipped, unfit []tags.Judged

	// refusals has what refusalsBy returned for each API: many resources have the same labels, and the same API.
	refusals map[*profile.Profile][]profile.SkipReason

	// skips has the Skip that each label was added to last: the labels in skipped, and then those in all. To find it once more takes as
	// long as all decisions.
	skips []*countedSkip
}

// resourceLabels has the labels of one resource, of a group of resources, or of all resources.
type resourceLabels struct {
	*tags.Transformer // It has the labels.

	// key has all that the labels depend on, and no kind.
	key labelsKey

	// valueless has the labels whose expressions have no value for the resource.
	valueless []resolve.ValuelessLabel
}

// A labelsKey has all that Labels depend on.
type labelsKey struct {
	// areCommon reports whether all resources have the labels. Otherwise, the resources of the group have them, or only the resource with the
	// name, if an expression computes one of its labels.
	areCommon bool
	group     resolve.LabelGroup
	resource  string

	kind tagset.FieldKind
}

// with returns the key with the kind of the field f, on a resource with the tag profile p.
func (k labelsKey) with(f *field.Field, p *profile.Profile) labelsKey {
	k.kind = tagset.FieldKindOf(f, p)

	return k
}

// newLabels returns the transformed labels as tags for fields of the kind k, without matchers. Labels that such fields can't hold are
// unfit. An example is a key of 100 characters, for a list of strings of at most 60 characters.
func newLabels(k tagset.FieldKind, transformed *tags.Transformed) *Labels {
	n := len(transformed.Tags)
	l := &Labels{
		Keys: tagset.Keys{FieldKind: k}, transformed: transformed, all: make([]tags.Judged, 0, n), entries: make([]tagset.Entry, 0, n), protected: make(map[int]string),
		positionByID: make(map[string]int, n), firstWithReservedKey: make(map[string]int), positionsByFold: make(map[string][]int),
		providerKeys: tagset.Keys{FieldKind: k, Known: k.Profile.KeySet(tags.ProvidersKeys()...)},
	}

	var reservedBySkipped []string

	for i := range transformed.Skipped {
		skipped := transformed.Skipped[i]
		skipped.Limit = limitOf(&skipped, transformed, k.Profile)
		l.skipped = append(l.skipped, skipped)

		if skipped.Trusted && skipped.Reserved {
			reservedBySkipped = append(reservedBySkipped, skipped.Key)
		}
	}

	fitting := make([]tags.Tag, 0, n)
	for i := range transformed.Tags {
		fitting = l.appendFitting(fitting, &transformed.Tags[i])
	}

	for i := range l.unfit {
		if l.unfit[i].Reserved { // It is trusted: Transform skips untrusted labels with reserved keys.
			reservedBySkipped = append(reservedBySkipped, l.unfit[i].Key)
		}
	}

	l.Keys = tagset.NewKeys(k, fitting) // Keys of unfit labels don't count: the field has no tags of theirs.
	for i := range fitting {
		l.add(&fitting[i])
	}

	// A label's key may be team/*. The method With takes the star literally, and NewFoldedKeySet wouldn't.
	l.reservedByLabels = profile.NewFoldedKeySet().With(slices.Collect(maps.Keys(l.firstWithReservedKey))...)
	l.reservedBySkipped = profile.NewFoldedKeySet().With(reservedBySkipped...)

	return l
}

// limitOf returns the limit of the profile p that the label breaks, in a few words, such as "at most 128 characters". The label is skipped
// among the transformed labels of p.
func limitOf(skipped *tags.Judged, transformed *tags.Transformed, p *profile.Profile) string {
	switch {
	case skipped.Winner != "":
		return words.Name(skipped.Winner) + " has the same tag key"
	case skipped.Reason == profile.ReservedKey && !p.HandsLabelsOn && tags.ProvidersKeySet().Has(skipped.Key):
		return "only the provider sets it" // The key is crossplane-kind, for example. It means nothing to a nested composite resource.
	case skipped.Reason == profile.ReservedKey && !skipped.Reserved && transformed.Classifiers().Has(skipped.Key):
		return p.Limit(skipped.Reason) + ", since matchCloudTags names it"
	default:
		return p.Limit(skipped.Reason)
	}
}

// withMatchers adds matchers for the entries of removeTags and ignoreTags to l, and returns l. With removeTags [team/*], it marks the
// label team/a as removed.
func (l *Labels) withMatchers(remove, ignore []resolve.TagPattern) *Labels {
	l.removeMatchers, l.ignoreMatchers = newMatchers(l.transformed, remove), newMatchers(l.transformed, ignore)

	if l.Form().HasStrings {
		l.setKnownKeys(slices.Concat(remove, ignore))
	}

	for i := range l.all {
		switch found, protected := l.firstMatch(l.removeMatchers, &l.entries[i]); {
		case found != nil:
			l.all[i].Fate = tags.Removed
		case protected != "":
			l.protected[i] = protected
		}
	}

	return l
}

// appendFitting appends the tag t of a label to fitting. If fields of the FieldKind can't hold t, it adds the label to unfit instead, and appends
// the tag that the label has Overridden, if there is one. An example is the key a,b for one string of tags with commas between them.
func (l *Labels) appendFitting(fitting []tags.Tag, t *tags.Tag) []tags.Tag {
	reason, limit := l.unfitReason(t)
	if reason == "" {
		return append(fitting, *t)
	}

	l.unfit = append(l.unfit, tags.Judged{Tag: t, Fate: tags.Skipped, Reason: reason, Limit: limit})

	if t.Overridden != nil {
		return l.appendFitting(fitting, t.Overridden)
	}

	return fitting
}

// add adds the label of the tag t to all.
func (l *Labels) add(t *tags.Tag) {
	i := len(l.all)
	l.all, l.entries = append(l.all, tags.Judged{Tag: t}), append(l.entries, l.Entry(t))
	l.positionByID[l.entries[i].ID] = i
	l.mayConflict = l.mayConflict || t.OnConflict() == tags.Fail

	// Spellings has the folded keys that several labels share, on a cloud that ignores case.
	if folded := l.Profile.Fold(t.Key); l.Spellings[folded] {
		l.positionsByFold[folded] = append(l.positionsByFold[folded], i)
	}

	if t.Reserved {
		key := profile.FoldKey(t.Key) // Reserved keys ignore case on every cloud.
		if _, hasFirst := l.firstWithReservedKey[key]; !hasFirst {
			l.firstWithReservedKey[key] = i
		}
	}
}

// unfitReason returns why fields of the FieldKind can't hold the tag t, and the limit that t breaks. It returns empty texts if fields can
// hold t. For example, the tag zone: a=b is the string zone=a=b in a list of strings, which could also be the tag zone=a: b. If the key
// zone=a is reserved, a list of strings can't hold the tag.
func (l *Labels) unfitReason(t *tags.Tag) (reason profile.SkipReason, limit string) {
	if key, isForbidden := l.transformed.ReadsAsReserved(*t, l.Separator); isForbidden {
		return profile.ReservedKey, fmt.Sprintf("could be read as %s: %s", words.Name(key), l.Profile.Limit(profile.ReservedKey))
	}

	return l.Refuses(t.Key, t.Value)
}

// setKnownKeys sets the keys by which a string in a list is read as a tag:
//   - Known has the keys of labels, keys that providers set, and whole keys in trusted entries of removeTags and ignoreTags.
//   - Patterns has the keys of all entries of removeTags and ignoreTags, such as team/*, even of untrusted entries.
//
// The key of a string is the longest Known key that it begins with. If there is none, and the text before the first separator matches a
// pattern, this text is the key. Otherwise the string is opaque: it isn't known to be a tag.
func (l *Labels) setKnownKeys(named []resolve.TagPattern) {
	keys := tags.ProvidersKeys()
	for i := range l.all {
		keys = append(keys, l.all[i].Key)
	}

	var wholeKeys, patterns []string

	for _, k := range named {
		patterns = append(patterns, k.Key) // A whole key is a pattern, too.

		// An untrusted entry, from a field of the XR, makes no key Known. If it made zone=a Known, it would turn the string zone=a=b of the label
		// {zone: a=b} into the tag {zone=a: b}, by the longest Known key.
		if !k.Untrusted && !strings.HasSuffix(k.Key, "*") {
			wholeKeys = append(wholeKeys, k.Key)
		}
	}

	// KeySet makes tag keys of wholeKeys. With takes keys as they are, since they are tag keys.
	l.Known, l.Patterns = l.transformed.KeySet(wholeKeys...).With(keys...), l.transformed.KeySet(patterns...)
}

// allKeys returns Keys that read every string in a list as a tag. The key of a string without a Known key ends before the first separator:
// x=y=z is the tag x: y=z.
func (l *Labels) allKeys() *tagset.Keys {
	keys := l.Keys
	keys.Patterns = profile.NewKeySet("*")

	return &keys
}

// refusalsBy returns why a cloud's own API refuses the label at each position. The reason is empty if the API admits the label.
func (l *Labels) refusalsBy(api *profile.Profile) []profile.SkipReason {
	if refusals, ok := l.refusals[api]; ok {
		return refusals
	}

	refusals := make([]profile.SkipReason, len(l.all))
	for i := range l.all {
		refusals[i] = api.Check(l.all[i].Key, l.all[i].Key, l.all[i].Value) // The API knows no qualified key, only the tag key.
	}

	if l.refusals == nil {
		l.refusals = make(map[*profile.Profile][]profile.SkipReason)
	}

	l.refusals[api] = refusals

	return refusals
}

// newRecords returns Undecided records of the labels in all, at the labels' positions.
func (l *Labels) newRecords() []tags.Judged {
	out := make([]tags.Judged, len(l.all), len(l.all)+len(l.unfit))
	for i := range out {
		out[i] = tags.Judged{Tag: l.all[i].Tag}
	}

	return out
}

// maxMemoryBytes is the most bytes of labels in all items of all lists. It limits the memory of a run before its items are made. A label counts once for each item, even if it isn't written there: its key, its value, and entrySize for all the rest.
const (
	entrySize      = 64
	maxMemoryBytes = 64 << 20
)

// sizeInItem returns the bytes of the labels in one item of a list, for maxMemoryBytes.
func (l *Labels) sizeInItem() (size int) {
	for i := range l.all {
		size += entrySize + len(l.all[i].Key) + len(l.all[i].Value)
	}

	return size
}

// tooManyMemoryBytes returns a LimitError for so many labels in each of so many items. The caller counts the bytes, for maxMemoryBytes.
func tooManyMemoryBytes(items, labels int) error {
	return &LimitError{head: fmt.Sprintf("%d labels in each of %d items are too much: in all items of lists together, labels may take %d bytes, "+
		"and each takes its key, its value and %d more: include fewer labels, or make fewer items", labels, items, maxMemoryBytes, entrySize)}
}

// positionOf returns the position of the label with the key of the tag e: for the tag env: dev, the position of the label env: prod. ok is
// false if there is no such label.
func (l *Labels) positionOf(e *tagset.Entry) (position int, ok bool) {
	position, ok = l.positionByID[e.ID] // The ID stands for the key. An opaque entry has no ID, and so no label.

	return position, ok
}

// positionsOf returns the positions of all labels with the key of the entry e, and ignores case if the cloud does. On DigitalOcean, with
// the labels ours:Env and ours:env, an entry with either key has the positions of both.
func (l *Labels) positionsOf(e *tagset.Entry) []int {
	// positionsByFold has only keys that several labels share.
	if positions := l.positionsByFold[l.Profile.Fold(e.Key)]; len(positions) > 0 {
		return positions
	}

	if i, ok := l.positionOf(e); ok {
		return []int{i}
	}

	return nil
}

// setByProvider reports whether the entry e may be a tag that the provider sets itself, such as crossplane-kind.
func (l *Labels) setByProvider(e *tagset.Entry) bool {
	_, found := e.KeyIn(tags.ProvidersKeySet())
	return found || tags.ProvidersKeySet().Has(e.Key) // Has finds the string crossplane-kind, which KeyIn passes over: it has no separator.
}

// reservedKey returns the first reserved key that the entry e may have, and whether there is one. In a list of strings, one string can
// have several keys: owner=a=b may be the tag owner: a=b, or the tag owner=a: b.
func (l *Labels) reservedKey(e *tagset.Entry) (key string, found bool) {
	return e.KeyIn(l.transformed.Reserved())
}

// keyForTrusted returns the first key of the entry e that only trusted labels may have, and whether there is one: a reserved key, or a key that
// matchCloudTags names.
func (l *Labels) keyForTrusted(e *tagset.Entry) (key string, found bool) {
	if key, found = l.reservedKey(e); found {
		return key, true
	}

	return e.KeyIn(l.transformed.Classifiers())
}

// trustedPositionOf returns the position of the trusted label that gives the entry e, whether the label's key is reserved or not. For the
// trusted label owner: team-a, it finds owner: team-a, and not owner: me. The string owner=a=b, which can be read as owner: a=b or as owner=a:
// b, is the tag of a trusted label with the key owner=a and the value b. ok is false if no trusted label gives e.
func (l *Labels) trustedPositionOf(e *tagset.Entry) (position int, ok bool) {
	if !l.Form().HasStrings {
		position, ok = l.positionOf(e)
		ok = ok && l.all[position].Trusted && tagset.IsText(e.Value, l.all[position].Value)

		return position, ok
	}

	for key := range l.transformed.TrustedKeys().Of(e.String(), l.Separator) {
		position, ok = l.positionByID[l.ID(key)]
		if ok && l.all[position].Trusted && e.IsTag(key, l.all[position].Value) {
			return position, true
		}
	}

	return 0, false
}

// decidesOnReserved reports whether this step has a trusted label with the reserved key of the entry e, ignoring case. The label decides on e,
// even if the label was skipped.
func (l *Labels) decidesOnReserved(e *tagset.Entry) bool {
	_, hasLabel := e.KeyIn(l.reservedByLabels)
	_, hasSkipped := e.KeyIn(l.reservedBySkipped)

	return hasLabel || hasSkipped
}

// protectedKey returns the key of the entry e if untrusted entries of removeTags and ignoreTags may not touch the tag, or an empty
// string. Untrusted entries come from a field of the XR. These keys are protected:
//   - a reserved key, or a classifier: a key of matchCloudTags
//   - a key that a trusted source gives, even if a later label has won over the trusted one
//   - in metadata.labels and metadata.annotations, a key without keyPrefix that no label has
func (l *Labels) protectedKey(e *tagset.Entry) string {
	if key, found := l.keyForTrusted(e); found {
		return key
	}

	positions := l.positionsOf(e)
	// In a list, keyForTrusted passes over the string owner, which has no separator.
	isReserved := l.transformed.Reserved().Has(e.Key) || l.transformed.Classifiers().Has(e.Key)
	isTrusted := slices.ContainsFunc(positions, func(i int) bool { return l.all[i].KeyIsTrusted() })
	isForeignMetadata := l.Metadata != "" && len(positions) == 0 && !l.transformed.HasPrefix(e.Key)

	if isReserved || isTrusted || isForeignMetadata {
		return e.Key
	}

	return ""
}

// belongsToCloud reports whether only the cloud may set the key of the entry e. Examples on AWS are aws:createdBy, which has a reserved
// prefix, and eks:eks-cluster-name, which is among the profile's Taken keys.
func (l *Labels) belongsToCloud(e *tagset.Entry) bool {
	p := l.Profile
	isUnreserved := slices.Contains(p.Unreserved, e.Key) // Such as goog-partner-solution, although the prefix goog is reserved.

	// In a list of strings, the separator may be part of the prefix. If it is the colon, the string aws:prod begins with the reserved prefix
	// aws:, and its key aws doesn't.
	hasReservedPrefix := p.Reserves(e.Key) || p.Reserves(e.String())

	return p.Takes(e.Key) || hasReservedPrefix && !isUnreserved
}

// hasKeyPrefix reports whether the key of the entry e begins with keyPrefix. It returns false if keyPrefix is empty.
func (l *Labels) hasKeyPrefix(e *tagset.Entry) bool {
	// transformed has keyPrefix in the key format of the cloud. String is empty unless the field is a list of strings. There, the separator
	// may be a part of keyPrefix.
	return l.transformed.HasPrefix(cmp.Or(e.String(), e.Key))
}

// belongsToFunction reports whether the entry e may be a tag of this function: a label has its key, or its key begins with
// keyPrefix.
func (l *Labels) belongsToFunction(e *tagset.Entry) bool {
	_, isLabel := l.positionOf(e)
	return isLabel || l.hasKeyPrefix(e)
}

// keyBelongsToFunction is belongsToFunction for a tag with the key.
func (l *Labels) keyBelongsToFunction(key string) bool {
	return l.belongsToFunction(&tagset.Entry{ID: l.ID(key), Key: key})
}

// A matcher stands for consecutive entries of removeTags or ignoreTags that differ only in key and value. It matches the tags that any of
// these entries names.
type matcher struct {
	// entries are these entries, of which there is at least one. They are alike in Retain and Untrusted.
	entries []resolve.TagPattern

	// keys has the keys that match with any value.
	keys profile.KeySet

	// keysByValue has the keys that match with one value only, by this value. For {key: env, value: test}, test has the key env.
	keysByValue map[string]profile.KeySet
}

// newMatchers returns the matchers for entries of removeTags or ignoreTags. They match keys as the cloud of the labels does: on Azure, the
// entry env matches the tag Env. If several matchers match a tag, the first one counts. For the entries
// owner, team and env, of which env is from a field of the XR, newMatchers returns a matcher with owner and team, and a matcher with env.
func newMatchers(transformed *tags.Transformed, entries []resolve.TagPattern) []matcher {
	out := []matcher{}

	for len(entries) > 0 {
		first := entries[0]

		// The matcher gets entries up to the first one that isn't like the first entry.
		count := slices.IndexFunc(entries, func(e resolve.TagPattern) bool { return e.Retain != first.Retain || e.Untrusted != first.Untrusted })
		if count < 0 {
			count = len(entries)
		}

		patterns, patternsByValue := []string{}, make(map[string][]string)

		for _, entry := range entries[:count] {
			if entry.Value == nil {
				patterns = append(patterns, entry.Key)
			} else {
				patternsByValue[*entry.Value] = append(patternsByValue[*entry.Value], entry.Key)
			}
		}

		m := matcher{entries: entries[:count], keys: transformed.KeySet(patterns...), keysByValue: make(map[string]profile.KeySet)}
		for value, patterns := range patternsByValue {
			m.keysByValue[value] = transformed.KeySet(patterns...)
		}

		out = append(out, m)
		entries = entries[count:]
	}

	return out
}

// matches reports whether the matcher has the key of the tag e, with any value or with the value of e.
func (m *matcher) matches(e *tagset.Entry) bool {
	if m.keys.Has(e.Key) {
		return true
	}

	text, ok := e.Text()

	return ok && m.keysByValue[text].Has(e.Key)
}

// firstMatch returns the first matcher that matches the tag e and may touch it, or nil. An untrusted matcher may not touch a tag with a
// protected key. If only such matchers match e, firstMatch returns nil and this key. For example, owner is a reserved key, and removeTags
// has owner from a field of the XR. For the tag owner: me, firstMatch returns nil and owner. If the input itself has owner in removeTags,
// too, it returns the matcher of the input.
func (l *Labels) firstMatch(matchers []matcher, e *tagset.Entry) (found *matcher, protected string) {
	for i := range matchers {
		m := &matchers[i]

		switch {
		case !m.matches(e):
			continue
		case l.setByProvider(e): // No matcher touches a provider's own tags.
			return nil, ""
		case !m.entries[0].Untrusted:
			return m, ""
		}

		if protected = l.protectedKey(e); protected == "" {
			return m, ""
		}
	}

	return nil, protected
}

// namesKey reports whether any of the matchers has the key of e, whatever the value, and may touch the tag.
func (l *Labels) namesKey(matchers []matcher, e *tagset.Entry) bool {
	return slices.ContainsFunc(matchers, func(m matcher) bool {
		isNamed := m.keys.Has(e.Key)
		for _, keys := range m.keysByValue {
			isNamed = isNamed || keys.Has(e.Key)
		}

		return isNamed && (!m.entries[0].Untrusted || l.protectedKey(e) == "")
	})
}

// firstNaming returns the first entry of the matchers that names the tag, or nil. For the tag team/a and the entries owner, team/* and team/a,
// it returns team/*.
func (l *Labels) firstNaming(matchers []matcher, t *tags.Tag) *resolve.TagPattern {
	e := l.Entry(t)

	m, _ := l.firstMatch(matchers, &e)
	if m == nil {
		return nil
	}

	// One by one, since a matcher of several entries doesn't tell which entry matches.
	i := slices.IndexFunc(m.entries, func(entry resolve.TagPattern) bool {
		return newMatchers(l.transformed, []resolve.TagPattern{entry})[0].matches(&e)
	})

	return &m.entries[i]
}
