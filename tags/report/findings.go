package report

import (
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/plexsphere/function-cloud-tags/tags/locate"
	"github.com/plexsphere/function-cloud-tags/tags/profile"
	"github.com/plexsphere/function-cloud-tags/tags/resolve"
	"github.com/plexsphere/function-cloud-tags/tags/stamp"
	"github.com/plexsphere/function-cloud-tags/tags/words"
)

// findings are an outcome, sorted by message. The condition, results, log lines and metrics are made of findings alone.
type findings struct {
	*Facts

	// tagged resources have tags of labels. withheld ones have labels whose tags are as somebody else wants them.
	// protected ones have tags that entries of removeTags or ignoreTags name, but may not touch. handedOn is how many
	// composite resources get labels.
	tagged, withheld, protected []*stamp.Result
	handedOn                    int

	// mismatched resources have a tag field that was left alone.
	mismatched []*stamp.Result

	// Nobody knows whether unknown resources have a tag field. notTagged resources are left alone for other reasons:
	// noField of them have no tag field, unlisted of them aren't known to have one, and composite of them are composite
	// resources.
	unknown, notTagged           []*stamp.Result
	noField, unlisted, composite int

	// notes about the tags of resources, by their kind.
	notes map[stamp.NoteKind][]notedResource

	// empty sources find nothing. valueless are expressions of other sources without a value. ambiguous sources have picked one of
	// several objects with a name.
	empty, valueless, ambiguous []resolve.SourceNote

	// classChanges are the sources that pick another class than the status records.
	classChanges []resolve.ClassChange

	// early says where the step has to stand, if it receives no composed resource. A step that only writes to the
	// pipeline's context may stand anywhere.
	early []string

	// unprofiled are the providers and API groups without a tag profile of their own.
	unprofiled []string

	// severalSources says that messages name the sources of labels, since the step has several.
	severalSources bool

	// surplus is how many labels a set has at most beyond its limit. Nobody names them.
	surplus int

	// statusLacks say which parts of the composite resource's status could not be written.
	statusLacks []string
}

// A notedResource is a resource and a note about it.
type notedResource struct {
	name string
	note *stamp.Note
}

// find returns the findings of the outcome, and of the parts that the status lacks.
func (r *Run) find(out *Facts, statusLacks []string) *findings {
	f := &findings{
		Facts: out, statusLacks: append([]string{}, statusLacks...), // Digests have it, and tell none from nil.
		tagged: make([]*stamp.Result, 0, len(out.Results)), notes: make(map[stamp.NoteKind][]notedResource),
		empty: slices.Concat(out.Set.EmptySources, out.Set.PerResource.EmptySources()), valueless: out.Set.Valueless(), ambiguous: out.Set.AmbiguousSources, surplus: out.Set.Surplus(),
		classChanges: out.Set.ClassChanges, severalSources: len(r.Input.Sources) > 1,
	}

	if len(r.Request.GetDesired().GetResources()) == 0 && r.Input.ToContextKey == "" {
		f.early = []string{"the step receives no composed resource: it must stand after the steps that make them"}
	}

	providers, groups := make(map[string]bool), make(map[string]bool)

	// A provider that the input names is most likely a mistake, whatever the resources.
	if name := r.Input.ProviderValue(); name != "" && !profile.Has(name) {
		providers[name] = true
	}

	for i := range out.Results {
		s := &out.Results[i]
		f.add(s)

		for j := range s.Notes {
			n := &s.Notes[j]
			f.notes[n.Kind] = append(f.notes[n.Kind], notedResource{s.Resource, n})
		}

		switch u := &s.Unprofiled; {
		case u.Provider != "":
			providers[u.Provider] = true
		case u.Group != "":
			groups[u.Group] = true
		}
	}

	f.unprofiled = slices.Concat(
		words.Map(slices.Sorted(maps.Keys(providers)), func(name string) string {
			title := "provider " + words.Name(strconv.Quote(name))
			if ask := words.DidYouMean(name, profile.Names()); ask != "" {
				title += " (" + strings.TrimSpace(ask) + ")"
			}

			return title
		}),
		words.Map(slices.Sorted(maps.Keys(groups)), func(name string) string { return "API group " + words.Name(name) }),
	)

	return f
}

// add the result to the results with the same message. A result without a message is added nowhere.
func (f *findings) add(s *stamp.Result) {
	// A resource can have tags even if one of its fields for launched resources is left alone.
	switch {
	case !s.IsTagged():
	case s.HandsLabelsOn:
		f.handedOn++
	default:
		f.tagged = append(f.tagged, s)
	}

	switch {
	case s.Mismatch != "":
		f.mismatched = append(f.mismatched, s)
	case s.NoFieldReason.IsUnknown():
		f.unknown = append(f.unknown, s)
	case s.LeftAlone != "":
		f.notTagged = append(f.notTagged, s)

		switch s.NoFieldReason {
		case locate.NoField, locate.NoFieldDespiteEntry, locate.OnRequest:
			f.noField++
		case locate.Unlisted, locate.PossibleField:
			f.unlisted++
		case locate.Composite, locate.Undeclared:
			f.composite++
		case locate.None, locate.NoObject, locate.Ignored, locate.ObservedOnly, locate.Paused, locate.ReadOnly, locate.NotSelected, locate.NotInCloud, locate.Unknown, locate.UnknownDespiteEntry, locate.Fixed:
		}
	default:
		if _, all := withheldTags(s); all > 0 {
			f.withheld = append(f.withheld, s)
		}

		if keys, _ := s.Notes.Keys(stamp.NoteProtected); len(keys) > 0 {
			f.protected = append(f.protected, s)
		}
	}
}

// sourcesOf returns the sources of a skipped label for messages. The only source of a step goes without saying, unless it
// had to be trusted.
func (f *findings) sourcesOf(s *stamp.Skip) []string {
	if f.severalSources || s.Reason == profile.ReservedKey {
		return s.Sources
	}

	return nil
}

// digest returns a digest of the step with the id, the verdict and the findings, whether results have room for them or
// not.
func (f *findings) digest(id string, v verdict) string {
	facts := []any{
		id, v.reason, v.message, len(f.Skips), len(f.CloudRefuses),
		f.NotCopied, f.Violations, f.Unmatched, f.statusLacks, f.empty, append(f.valueless, f.ambiguous...), slices.Concat(f.unprofiled, f.early),
	}

	for _, s := range slices.Concat(f.Skips, f.CloudRefuses) {
		s.Sources = f.sourcesOf(&s)
		if len(s.Resources) > 0 {
			s.Resources = words.Map(s.Resources, short) // As messages name them: a thousand labels may name the same megabyte.
		}

		facts = append(facts, s)
	}

	for _, c := range f.classChanges {
		facts = append(facts, c)
	}

	said := make([]news, 0, len(f.Results))

	for i := range f.Results {
		if s := &f.Results[i]; s.HasMoreThanSkips() {
			said = append(said, newsOf(s))
			facts = append(facts, &said[len(said)-1])
		}
	}

	return digest(facts...)
}

// news are all facts about a result that are told, in the form that digests are made of: in another form, an upgrade of
// the function would return all results once more.
type news struct {
	Resource, APIVersion, Kind, Provider string

	Unprofiled                  locate.WhyGeneric `json:"unprofiled,omitzero"`
	LeftAlone                   string
	NoField, Unknown, Composite bool
	Mismatch                    string
	Stamped                     struct{}
	HandsLabelsOn               bool `json:"handsOn,omitzero"`
	Active                      any
	Withheld                    withheld
	Notes                       []stamp.Note
	Trusted                     any
}

// withheld are the keys of tags that are not as labels or the input say.
type withheld struct {
	Retained, Ignored, Removed, Protected, Unkept []string

	More          int `json:"more,omitzero"`
	MoreProtected int `json:"moreProtected,omitzero"`
}

// newsOf returns the facts about the result that are told.
func newsOf(s *stamp.Result) news {
	n := news{
		Resource: s.Resource, APIVersion: s.APIVersion, Kind: s.Kind, Provider: s.Provider, Unprofiled: s.Unprofiled,
		LeftAlone: s.LeftAlone, Mismatch: s.Mismatch, HandsLabelsOn: s.HandsLabelsOn,
		NoField:   slices.Contains([]locate.Reason{locate.NoField, locate.NoFieldDespiteEntry, locate.OnRequest, locate.Undeclared, locate.PossibleField, locate.Composite}, s.NoFieldReason),
		Unknown:   s.NoFieldReason.IsUnknown(),
		Composite: s.NoFieldReason == locate.Undeclared || s.NoFieldReason == locate.Composite,
		Withheld:  withheld{Retained: s.Keys(stamp.Retained), Ignored: s.Keys(stamp.Ignored), Removed: s.Keys(stamp.Removed)},
	}

	w := &n.Withheld
	w.Protected, w.MoreProtected = s.Notes.Keys(stamp.NoteProtected)
	w.Unkept, w.More = s.Notes.Keys(stamp.NoteUnkept)
	w.More += s.More

	for _, note := range s.Notes {
		if note.Kind != stamp.NoteProtected && note.Kind != stamp.NoteUnkept {
			n.Notes = append(n.Notes, note)
		}
	}

	return n
}
