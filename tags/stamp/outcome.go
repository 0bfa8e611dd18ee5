package stamp

import (
	"cmp"
	"maps"
	"slices"
	"strings"

	fnv1 "github.com/crossplane/function-sdk-go/proto/v1"

	"github.com/plexsphere/function-cloud-tags/tags"
	"github.com/plexsphere/function-cloud-tags/tags/locate"
	"github.com/plexsphere/function-cloud-tags/tags/object"
	"github.com/plexsphere/function-cloud-tags/tags/profile"
	"github.com/plexsphere/function-cloud-tags/tags/tagset"
	"github.com/plexsphere/function-cloud-tags/tags/words"
)

// An Outcome says what stamping changes on all resources, and which labels are skipped, or refused by the cloud.
type Outcome struct {
	// Results has a result for each selected resource, even if the resource is left alone. A resource that isn't selected has one if its
	// LeftAlone or its Changes are set. Results are sorted by the resource's name.
	Results []Result

	// Skips has the skipped labels, sorted by provider, reason and qualified key.
	Skips []Skip

	// CloudRefuses has labels that are written as tags, since the tag profile admits them, but that the cloud's own API refuses. Their Limit
	// is the limit of this API. They are sorted like Skips.
	CloudRefuses []Skip

	// Changed has the changed resources by name, with their tags and with copied metadata.
	Changed map[string]object.Object

	// trust has what TrustedKeys and IsUntrusted return, by the name of the resource. It is nil unless the input has a tagPolicy.
	trust map[string]trust
}

// trust says which tags of one resource trusted sources give.
type trust struct {
	// keys has the tag keys of trusted labels.
	keys profile.KeySet

	// untrusted has the entries with reserved keys that no trusted source gives, by entryText.
	untrusted map[string]bool
}

// TrustedKeys returns the tag keys of the resource's trusted labels, even if these are skipped. It returns none without a tagPolicy.
func (o *Outcome) TrustedKeys(resource string) profile.KeySet {
	if o == nil {
		return profile.KeySet{}
	}

	return o.trust[resource].keys
}

// IsUntrusted reports whether the entry e of the resource's tag field has a reserved key, and no trusted source gives e. An example is owner: me
// of kubectl edit. It returns false without a tagPolicy.
func (o *Outcome) IsUntrusted(resource string, e *tagset.Entry) bool {
	return o != nil && len(o.trust[resource].untrusted) > 0 && o.trust[resource].untrusted[entryText(e)]
}

// entryText returns a text for the entry e of a tag field. Other entries of the field have other texts.
func entryText(e *tagset.Entry) string {
	return cmp.Or(e.String(), e.Key+"\x00"+tagset.Encoded(e.Value)) // String is env=prod in a list of strings, and empty elsewhere.
}

// Apply returns a copy of the desired state with the changed resources. The copy shares all other resources with the desired state. If no
// resource has changed, Apply returns the desired state itself.
func Apply(desired *fnv1.State, changed map[string]object.Object) *fnv1.State {
	if len(changed) == 0 {
		return desired
	}

	desired = object.Copy(desired)
	desired.Resources = maps.Clone(desired.GetResources())

	for name, o := range changed {
		desired.Resources[name] = o.PutInto(desired.GetResources()[name])
	}

	return desired
}

// A Result says which tags one resource gets, and why it doesn't get other tags.
type Result struct {
	// Resource is the name of the composed resource.
	Resource   string
	APIVersion string
	Kind       string

	// Provider is the name of the tag profile.
	Provider string

	// Unprofiled says why the tag profile is the generic one. It is set only if there are labels for the resource, and the resource has a
	// tag field.
	Unprofiled locate.WhyGeneric

	// LeftAlone says why the resource is left alone. It is empty if the resource is not left alone.
	LeftAlone string

	// NoFieldReason says why the resource has no tag field, and LeftAlone says the same in words. If the resource has a tag field,
	// NoFieldReason is empty.
	NoFieldReason locate.Reason

	// Mismatch says why the tag field is left alone, or why it gets no copied metadata: the field has a list where the kind wants a map, for
	// example. Without such a reason, Mismatch is empty.
	Mismatch string

	// Stamped is the resource with its tags, or the zero Object if nothing changes. It shares unchanged parts with the desired resource.
	Stamped object.Object

	// HandsLabelsOn reports whether the resource is a composite resource that gets labels instead of tags, to hand them on: its own
	// Composition makes tags of them. Then all fields of the Result are about these labels.
	HandsLabelsOn bool

	// Records has the first records of Tagged labels and withheld labels, sorted by fate and key. A label is withheld if it is Retained,
	// Ignored or Removed. More is the number of withheld labels without a record. Skipped labels are in Skips of the Outcome instead.
	Records []tags.Judged
	More    int

	// Notes have all other facts about the resource's tags.
	Notes Notes

	// Trusted has the tags that trusted sources give, key to value: see trustedTags.
	Trusted map[string]string

	// Final has the tags in the tag field after Crossplane has applied the resource, key to value. They come from labels, earlier steps,
	// other systems and other field managers. Final is nil unless the input wants the tags in the status.
	Final map[string]string

	// Changes has the changes of tags when Crossplane applies the resource. It is set only if the Stamper audits.
	Changes Changes
}

// IsTagged reports whether any label is a tag of the resource.
func (r *Result) IsTagged() bool {
	return slices.ContainsFunc(r.Records, func(record tags.Judged) bool { return record.Fate == tags.Tagged })
}

// Keys returns the tag keys of the Records with the fate: Tagged, Retained, Ignored or Removed.
func (r *Result) Keys(fate tags.Fate) []string {
	return words.MapIf(r.Records, func(record tags.Judged) (string, bool) { return record.Key, record.Fate == fate })
}

// trim sorts the records, and drops most of them, since there can be thousands of labels on thousands of resources:
//   - Of records with the same fate and key, one stays.
//   - The first words.MaxNameCount records of Tagged and withheld labels stay for each fate. If removeTags names 1,000 labels,
//     words.MaxNameCount of their records stay. More counts the other withheld labels.
//   - All other records go.
//
// trim also sorts the notes, and drops most of the Changes.
func (r *Result) trim() {
	r.Notes.sort()
	r.Changes.trim()

	slices.SortStableFunc(r.Records, func(a, b tags.Judged) int { return cmp.Or(cmp.Compare(a.Fate, b.Fate), strings.Compare(a.Key, b.Key)) })
	records := slices.CompactFunc(r.Records, func(a, b tags.Judged) bool { return a.Fate == b.Fate && a.Key == b.Key })
	countByFate := [tags.TakenAway + 1]int{} // TakenAway is the last Fate.
	kept := records[:0]

	for _, record := range records {
		countByFate[record.Fate]++

		switch isTold := record.Fate == tags.Tagged || record.Withheld(); {
		case isTold && countByFate[record.Fate] <= words.MaxNameCount:
			kept = append(kept, record)
		case record.Withheld():
			r.More++
		}
	}

	r.Records = slices.Clone(kept)
}

// copyTags gives the records copies of their tags. With a pointer into the list of all tags of the resource, the result would keep the
// whole list.
func (r *Result) copyTags() {
	copies := make([]tags.Tag, len(r.Records))
	for i := range r.Records {
		copies[i] = *r.Records[i].Tag
		r.Records[i].Tag = &copies[i]
	}
}

// Changes has the tags that change once Crossplane applies a resource, by key. Added tags have no Before, and Removed tags have no
// After. The Changes of a Result name the first words.MaxNameCount tags of each kind, and count the others: a run of thousands of resources
// can change millions of tags.
type Changes struct {
	Added, Changed, Removed             map[string]Values
	MoreAdded, MoreChanged, MoreRemoved int
}

// Values has the values of a tag before and after Crossplane applies the resource.
type Values struct {
	Before, After string
}

// IsEmpty reports whether nothing changes.
func (c *Changes) IsEmpty() bool { return len(c.Added)+len(c.Changed)+len(c.Removed) == 0 }

// trim keeps the first words.MaxNameCount tags of each kind.
func (c *Changes) trim() {
	c.Added, c.MoreAdded = firstOf(c.Added)
	c.Changed, c.MoreChanged = firstOf(c.Changed)
	c.Removed, c.MoreRemoved = firstOf(c.Removed)
}

// firstOf returns the first words.MaxNameCount of values, by key, and how many more there are.
func firstOf(values map[string]Values) (first map[string]Values, more int) {
	more = len(values) - words.MaxNameCount
	if more <= 0 {
		return values, 0
	}

	first = make(map[string]Values, words.MaxNameCount)
	for _, key := range slices.Sorted(maps.Keys(values))[:words.MaxNameCount] {
		first[key] = values[key]
	}

	return first, more
}

// A Note is a fact about the tags of one resource. Facts about a single label are in the label's record instead. tags/report has the words
// and the severity of each NoteKind.
type Note struct {
	Kind NoteKind

	// Keys has the keys of the tags, sorted. It is empty if the note is about the tag field. More is the number of keys that Keys leaves
	// out.
	Keys []string
	More int

	// Manager is the field manager that owns the tags, such as kubectl-edit. It is empty if the kind of note is not about owners.
	Manager string

	// Field is set only for NoteReservedLaunched and NoteAttached. It is the path of the field with the tags, such as spec.forProvider.ebsBlockDevice.tags.
	Field string
}

// A NoteKind says what a Note is about.
type NoteKind int

const (
	// NoteImmutable says that labels are missing among the tags, or that their tags have old values, since the tag field can't change once
	// the resource exists.
	NoteImmutable NoteKind = iota

	// NoteOtherValue says that tags stay because removeTags names them with another value: it names env: dev, and the tag is env: prod.
	NoteOtherValue

	// NoteOwned says that tags stay although removeTags names them, since the Manager owns them.
	NoteOwned

	// NoteKept says that tags of other systems are desired because of ignoreTags for the first time.
	NoteKept

	// NoteUnreported says that ignoreTags has no effect, since the provider reports no tags, even after it has looked at the cloud.
	NoteUnreported

	// NoteLastStays says that the tag field loses its last tag, but that the tag stays in the cloud. The provider fills an empty tag field
	// with the cloud's tags, or leaves these tags alone.
	NoteLastStays

	// NoteLeftover says that tags stay in the tag field although no step desires them, in one of two cases:
	//   - The tags have the keyPrefix, and the Manager owns them.
	//   - The last tag can't be removed from the field, since the Manager owns the field itself: see keepLastTag.
	NoteLeftover

	// NoteCopyReserved says that copied metadata has reserved keys, so it is not copied to the tag field.
	NoteCopyReserved

	// NoteCopyCapped says that metadata is not copied to the tag field because no tag slot is left.
	NoteCopyCapped

	// NoteReserved says that tags with reserved keys stay although they have no trusted source, since the Manager owns them.
	NoteReserved

	// NoteReservedLaunched says that tags with reserved keys stay although they have no trusted source, since they are in a Field for launched
	// resources that the function never writes, such as ebsBlockDevice.tags.
	NoteReservedLaunched

	// NoteProtected says that ignoreTags or removeTags names tags in vain, in one of two cases:
	//   - A field of the XR names tags with reserved keys, tags of trusted labels, or Kubernetes metadata without keyPrefix. Only the input
	//     itself may name these.
	//   - ignoreTags of the input itself names tags with reserved keys.
	NoteProtected

	// NoteUnkept says that ignoreTags can't keep tags of other systems because no tag slot is left.
	NoteUnkept

	// NoteRemoved says that tags are removed although ignoreTags names them, since removeTags names them, too.
	NoteRemoved

	// NoteStaysSelected says that matchCloudTags may still select the resource after its tags have left the cloud, since the status may keep
	// them.
	NoteStaysSelected

	// NoteLastKept says that the function keeps the last tag in the tag field, although nobody else owns it. Without this tag, the parent of
	// the field would be empty, such as spec.forProvider, and API servers refuse that.
	NoteLastKept

	// NoteInitialMoved says that tags of a list in spec.initProvider go to the list in spec.forProvider, since providers drop one list if there
	// are two. So the tags are no longer initial only.
	NoteInitialMoved

	// NoteInitialKept says that the tags of a list in spec.initProvider stay initial, and that labels are withheld for them: see
	// retainInitialList.
	NoteInitialKept

	// NoteAttached says that the Field for launched resources gets no labels, since another resource attaches a volume, which may have tags of
	// its own. Keys has the name of that resource.
	NoteAttached

	// NoteNeverUpdated is NoteImmutable for a resource whose managementPolicies lack Update.
	NoteNeverUpdated

	// NoteValueless says that earlier steps desire items of a list with a key and without a value, which API servers refuse.
	NoteValueless
)

// Notes has the notes on one resource.
type Notes []Note

// add adds the keys to the note of the kind. Notes about the whole tag field have no keys, and are appended without add.
func (n *Notes) add(kind NoteKind, keys ...string) { n.addOwned(kind, "", keys...) }

// addOwned adds the keys to the note of the kind and the manager. If NoteOwned gets env and then zone with the manager kubectl-edit, one
// note has both keys.
func (n *Notes) addOwned(kind NoteKind, manager string, keys ...string) {
	if len(keys) == 0 {
		return
	}

	i := slices.IndexFunc(*n, func(note Note) bool { return note.Kind == kind && note.Manager == manager })
	if i < 0 {
		i = len(*n)
		*n = append(*n, Note{Kind: kind, Manager: manager})
	}

	(*n)[i].Keys = append((*n)[i].Keys, keys...)
}

// append appends other notes, sorted by kind and manager.
func (n *Notes) append(others Notes) {
	slices.SortFunc(others, func(a, b Note) int { return cmp.Or(cmp.Compare(a.Kind, b.Kind), strings.Compare(a.Manager, b.Manager)) })
	*n = append(*n, others...)
}

// sort sorts the keys of each note, and drops duplicates. Notes of some kinds can have thousands of keys on each of thousands of resources.
// Such notes keep only the first keys.
func (n *Notes) sort() {
	for i := range *n {
		note := &(*n)[i]
		slices.Sort(note.Keys)
		note.Keys = slices.Compact(note.Keys)

		mayHaveMany := note.Kind == NoteProtected || note.Kind == NoteUnkept || note.Kind == NoteRemoved || note.Kind == NoteInitialMoved || note.Kind == NoteInitialKept || note.Kind == NoteValueless
		if surplus := len(note.Keys) - words.MaxNameCount; mayHaveMany && surplus > 0 {
			note.Keys, note.More = slices.Clone(note.Keys[:words.MaxNameCount]), surplus
		}
	}
}

// Keys returns the keys of all notes of the kind, sorted and without duplicates, and how many keys the notes leave out. A key can be in
// several notes, such as one for each of two managers, or one for tags and one for volumeTags (see addNotesOf).
func (n *Notes) Keys(kind NoteKind) (keys []string, more int) { //nolint:unparam // Package report reads the second result.
	for _, note := range *n {
		if note.Kind == kind {
			keys, more = append(keys, note.Keys...), more+note.More
		}
	}

	slices.Sort(keys)

	return slices.Compact(keys), more
}

// A Skip names a label, and the resources on which it becomes no tag in the cloud. There are two lists of them:
//   - Skips of the Outcome: the function has skipped the label.
//   - CloudRefuses of the Outcome: the tag is in the tag field, but the cloud's own API refuses it.
type Skip struct {
	tags.SkippedLabel

	// Limit is the limit that the label breaks, such as "at most 128 characters".
	Limit string

	// Value is the value that the tag would have on the first of the resources, and Field is the kind of its field there. Fault needs both.
	Value string
	Field *tagset.FieldKind

	// Sources has the names that messages give to the label's sources, such as sources[0].
	Sources []string

	// Trusted reports whether any source of the label is a trusted source.
	Trusted bool

	// Resources has the names of the first resources that skip the label, and More is the number of the others. Resources is nil if all
	// resources with the tag profile skip the label for a reason that they share, such as key-too-long.
	Resources []string
	More      int
}

// Fault returns the part of the tag that breaks the limit, such as "72 characters", or nothing: see FieldKind.Fault.
func (s *Skip) Fault() string {
	if s.Field == nil {
		return ""
	}

	return s.Field.Fault(s.Reason, s.QualifiedKey, s.TagKey, s.Value)
}

// compareSkips orders skips by provider, reason, limit and keys.
func compareSkips(a, b Skip) int {
	reasons := profile.SkipReasons()

	return cmp.Or(
		strings.Compare(a.Provider, b.Provider),
		cmp.Compare(slices.Index(reasons, a.Reason), slices.Index(reasons, b.Reason)),
		strings.Compare(a.Limit, b.Limit),
		strings.Compare(a.QualifiedKey, b.QualifiedKey),
		strings.Compare(a.TagKey, b.TagKey),
	)
}

// A countedSkip is a Skip while its resources are counted.
type countedSkip struct {
	Skip

	// count is the number of resources. If count is above 0, last is the name of the resource that was added last.
	count int
	last  string

	// isShared reports whether the reason holds for all resources with the tag profile: no resource on aws may have a key of 200 characters.
	// It is false for count-cap, since another resource may have a free slot.
	isShared bool

	// labelSources has the sources of the label.
	labelSources []*tags.Source
}

// A skipKey identifies a Skip. The label env has two Skips if the resource a admits 50 tags, and b admits 10: the limits differ.
type skipKey struct {
	label tags.SkippedLabel
	limit string
}

// skipsByKey has one Skip for each skipKey.
type skipsByKey map[skipKey]*countedSkip

// add adds the resource of r to the Skip of the record's label, and returns the Skip. If the resources a and b have no slot for env, one Skip of env has
// both names. field is the kind of the tag field of r. last points to the Skip that a record of the same label was added to before, or to nil.
func (s skipsByKey) add(record *tags.Judged, r *Result, field *tagset.FieldKind, last **countedSkip) *countedSkip {
	if skip := *last; skip == nil || skip.Reason != record.Reason || skip.Limit != record.Limit {
		*last = s.find(record, r.Provider, field)
	}

	skip := *last

	if skip.count > 0 && skip.last == r.Resource {
		return skip // An Instance counts once, even if both tags and volumeTags skip the label.
	}

	skip.last = r.Resource
	skip.count++

	if skip.count <= words.MaxNameCount {
		skip.Resources = append(skip.Resources, r.Resource)
	}

	return skip
}

// find returns the Skip of the record's label on a tag profile, such as aws, and makes it first if there is none.
func (s skipsByKey) find(record *tags.Judged, provider string, field *tagset.FieldKind) *countedSkip {
	key := skipKey{label: record.SkippedLabel(provider, record.Reason), limit: record.Limit}

	skip, ok := s[key]
	if !ok {
		kind := *field // A pointer into Labels would keep all of them in memory.
		skip = &countedSkip{Skip: Skip{SkippedLabel: key.label, Limit: key.limit, Value: record.Value, Field: &kind}}
		s[key] = skip
	}

	skip.Trusted = skip.Trusted || record.Trusted

	if record.Source != nil && !slices.Contains(skip.labelSources, record.Source) {
		skip.labelSources = append(skip.labelSources, record.Source)
	}

	return skip
}

// sorted returns the Skips in the order of compareSkips. resourceCounts has the number of resources by Provider.
func (s skipsByKey) sorted(resourceCounts map[string]int) (out []Skip) {
	for _, skip := range s {
		slices.SortFunc(skip.labelSources, func(a, b *tags.Source) int { return cmp.Compare(a.Position, b.Position) })

		for _, source := range skip.labelSources {
			skip.Sources = append(skip.Sources, source.Name)
		}

		skip.More = skip.count - len(skip.Resources)

		// If all resources with the tag profile skip the label for a shared reason, none of them is named.
		if skip.isShared && skip.count == resourceCounts[skip.Provider] {
			skip.Resources, skip.More = nil, 0
		}

		out = append(out, skip.Skip)
	}

	slices.SortFunc(out, compareSkips)

	return out
}

// A LimitError says that labels exceed a limit, so that the run fails. For example, a label of a trusted source has no tag slot on a
// resource. With limitPolicy ApplyStrict, the run fails if any label has none.
type LimitError struct {
	// head begins the message, such as "limitPolicy ApplyStrict: too many labels: ".
	head string

	// resources has a text for each resource without slots: see shortages.
	resources []string
}

// Error returns a message with the labels and resources. It leaves out resources beyond words.MaxError bytes.
func (e *LimitError) Error() string {
	return words.Items(e.head, e.resources, len(e.resources), words.MaxError)
}
