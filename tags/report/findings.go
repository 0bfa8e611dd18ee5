package report

import (
	"maps"
	"slices"
	"strconv"

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

	// empty sources find nothing.
	empty []resolve.SourceNote

	// early says where the step has to stand, if it receives no composed resource. A step that only writes to the
	// pipeline's context may stand anywhere. lacksResources reports whether the composite resource has composed resources then.
	early          []string
	lacksResources bool

	// unprofiled are the providers and API groups without a tag profile of their own. misspelled are the providers whose names probably mean a
	// known one.
	unprofiled, misspelled []string

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
		Facts: out, statusLacks: statusLacks,
		tagged: make([]*stamp.Result, 0, len(out.Results)), notes: make(map[stamp.NoteKind][]notedResource),
		empty: slices.Concat(out.Set.EmptySources, out.Set.PerResource.EmptySources()), surplus: out.Set.Surplus(),
		severalSources: len(r.Input.Sources) > 1,
	}

	if len(r.Request.GetDesired().GetResources()) == 0 && r.Input.ToContextKey == "" {
		f.early = []string{"the step receives no composed resource: it must stand after the steps that make them"}

		if f.lacksResources = len(r.Request.GetObserved().GetResources()) > 0; f.lacksResources {
			f.early = []string{"the composite resource has composed resources, but the step receives none: it must stand after the steps that make them, unless all of them go"}
		}
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

	for _, name := range slices.Sorted(maps.Keys(providers)) {
		title := "provider " + words.Name(strconv.Quote(name))

		if meant := profile.Meant(name); meant != "" {
			f.misspelled = append(f.misspelled, title+" (did you mean "+meant+"?)")
		} else {
			f.unprofiled = append(f.unprofiled, title)
		}
	}

	for _, name := range slices.Sorted(maps.Keys(groups)) {
		f.unprofiled = append(f.unprofiled, "API group "+words.Name(name))
	}

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
		if _, all := f.withheldTags(s); all > 0 {
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
