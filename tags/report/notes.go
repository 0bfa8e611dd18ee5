package report

import (
	fnv1 "github.com/crossplane/function-sdk-go/proto/v1"

	"github.com/plexsphere/function-cloud-tags/tags/stamp"
	"github.com/plexsphere/function-cloud-tags/tags/words"
)

// noteWords are how the results about notes begin, with their reasons and severities, in the
// order in which they are told.
var noteWords = []struct {
	kind     stamp.NoteKind
	severity fnv1.Severity
	reason   string
	head     string
}{
	{
		stamp.NoteReserved, warning, "ReservedTagsStay",
		"these tags have reserved keys, but can't be taken away, since another field manager owns them (edit the managed resource): ",
	},
	{
		stamp.NoteLeftover, warning, "TagsLeftOver",
		"nobody desires these tags, but the provider keeps them (to remove them, edit the managed resource, or give it managementPolicies without LateInitialize): ",
	},
	{
		stamp.NoteLastStays, warning, "LastTagStays",
		"the last tag stays in the cloud, since the provider fills a tag field that is empty with the cloud's tags: ",
	},
	{stamp.NoteCopyReserved, warning, "MetadataNotCopied", "not copied to the tag field, since the keys are reserved: "},
	{stamp.NoteCopyCapped, warning, "MetadataNotCopied", "not copied to the tag field, which has no tag slot left or doesn't admit it by its schema: "},
	{
		stamp.NoteImmutable, normal, "TagsImmutable",
		"labels that are not tags, or at other values, since the tag field can't change once the resource is made: ",
	},
	{stamp.NoteKept, normal, "TagsKept", "kept from now on because of ignoreTags, until removeTags names them: "},
	{stamp.NoteUnreported, normal, "TagsUnreported", "ignoreTags can't keep any tags, since the provider reports none: "},
	{stamp.NoteOtherValue, normal, "TagsNotRemoved", "removeTags names these tags, but at another value: "},
	{stamp.NoteOwned, normal, "TagsNotRemoved", "removeTags names these tags, but they stay, since another field manager owns them: "},
}

// A notedResource is a resource and a note about it.
type notedResource struct {
	name string
	note *stamp.Note
}

// noteTopics are topics of the severity about the results: one for each kind of
// notes, which names the resources.
func noteTopics(severity fnv1.Severity, results []stamp.Result) []topic {
	by := make(map[stamp.NoteKind][]notedResource)

	for i := range results {
		for j := range results[i].Notes {
			n := &results[i].Notes[j]
			by[n.Kind] = append(by[n.Kind], notedResource{results[i].Resource, n})
		}
	}

	var out []topic

	for _, w := range noteWords {
		if w.severity == severity {
			out = append(out, about(topic{severity: severity, reason: w.reason, head: w.head, one: "resource", several: "resources"}, by[w.kind], notedResource.String))
		}
	}

	return out
}

// String is how messages put the note.
func (n notedResource) String() string {
	out := words.Name(n.name)
	if len(n.note.Keys) > 0 {
		out += ": " + words.Names(n.note.Keys, 0)
	}

	if n.note.Manager != "" {
		out += " (" + words.Name(n.note.Manager) + ")"
	}

	return out
}
