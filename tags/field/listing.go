package field

import (
	"maps"
	"reflect"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/plexsphere/function-cloud-tags/input/v1beta1"
	"github.com/plexsphere/function-cloud-tags/tags/object"
	"github.com/plexsphere/function-cloud-tags/tags/profile"
	"github.com/plexsphere/function-cloud-tags/tags/words"
)

// A Listing is all that an Index knows, as data. The releases in it are single ones, such as v0.5.0, and ranges, with
// commas between them, such as v1.4.0..v1.21.1,v2.1.0... The last range is open if it has the newest surveyed release. A
// release with a date, such as v2.6.0-2026-08-05, is the default branch after the release v2.6.0.
//
// Paths are names of fields with dots between them. After the name of a list, [0] is its first item.
type Listing struct {
	// Surveys that the index is made of.
	Surveys []ListedSurvey `json:"surveys"`

	// Groups are the API groups of the kinds, by name.
	Groups []ListedGroup `json:"groups"`

	// Services have the limits of tags in services of clouds, by the rules of profileRules: Cloud, as far as they have a source.
	Services []profile.Service `json:"services"`
}

// A ListedSurvey is a provider or controller whose releases were surveyed.
type ListedSurvey struct {
	// Source is the repository, e.g. crossplane-contrib/provider-upjet-aws.
	Source string `json:"source"`

	// Oldest release that was surveyed.
	Oldest string `json:"oldest"`

	// Newest release that was surveyed.
	Newest string `json:"newest"`
}

// A ListedGroup is an API group.
type ListedGroup struct {
	// Name of the group, e.g. ec2.aws.m.upbound.io.
	Name string `json:"name"`

	// Releases that serve the group. Not there if all do that were surveyed.
	Releases string `json:"releases,omitempty"`

	// Kinds of the group, by name. A kind whose versions have different fields is there several times.
	Kinds []ListedKind `json:"kinds"`
}

// A ListedKind is a kind in one or several versions.
type ListedKind struct {
	// Kind of the resources.
	Kind string `json:"kind"`

	// Versions of the kind that have the fields.
	Versions []string `json:"versions"`

	// Family of the provider or controller, e.g. aws-classic.
	Family string `json:"family,omitempty"`

	// Provider is the name of the tag profile that the tags obey, e.g. aws.
	Provider string `json:"provider,omitempty"`

	// TagFields of the resource itself: one, or several if releases don't agree, the newest last.
	TagFields []ListedField `json:"tagFields"`

	// SecondProvider is the name of the second tag system that the kind has, e.g. gcp-tags, and SecondTagFields are its field: one, or
	// several if releases don't agree, the newest last. An entry of the input's tagFields asks for it.
	SecondProvider  string        `json:"secondProvider,omitempty"`
	SecondTagFields []ListedField `json:"secondTagFields,omitempty"`

	// Launched are fields with tags of resources that the resource launches. launchedResources: Tag stamps them.
	Launched []ListedLaunch `json:"launched,omitempty"`
}

// A ListedField is a tag field. Its fields have the names of the fields of tagFields in the input, if there are such.
type ListedField struct {
	// FieldPath of the field, e.g. spec.forProvider.settings[0].userLabels. Not there if the shape is None. If it is
	// metadata.labels, those with a slash in the key are no tags.
	FieldPath object.Path `json:"fieldPath,omitzero"`

	// Shape of the field: a Map of keys to values, a MapOfLists of keys to lists of one value, a KeyValueList or a
	// StringList. A kind without a tag field has the shape None. A Switch, for which there is no
	// constant, has no tags, but hands on the tags of the resource.
	Shape Shape `json:"shape"`

	// KeyValueList says what the entries of a KeyValueList look like.
	KeyValueList *v1beta1.KeyValueList `json:"keyValueList,omitempty"`

	// StringList says what the entries of a StringList look like.
	StringList *v1beta1.StringList `json:"stringList,omitempty"`

	// Reported are the paths at which the provider reports the cloud's tags, the most complete one first.
	Reported []object.Path `json:"reported,omitempty"`

	// Atomic says whether server-side apply replaces the whole list.
	Atomic bool `json:"atomic,omitempty"`

	// OnRequest says whether the field is used only if an entry of the input's tagFields names the kind.
	OnRequest bool `json:"onRequest,omitempty"`

	// Fixed says whether the field can't change once the resource is there.
	Fixed bool `json:"fixed,omitempty"`

	// Immutable says whether a provider of Crossplane refuses every update of a resource whose tags have changed.
	Immutable bool `json:"immutable,omitempty"`

	// Why the field is on request, fixed or immutable.
	Why string `json:"why,omitempty"`

	// Within says whether the object around the field says something by being there, so that it is not made for tags.
	Within bool `json:"within,omitempty"`

	// Sorted says whether the provider keeps a StringList in order.
	Sorted bool `json:"sorted,omitempty"`

	// Releases in which the kind has the field. Not there if these are all that serve the group.
	Releases string `json:"releases,omitempty"`
}

// A ListedLaunch is a field with tags of resources that the resource launches.
type ListedLaunch struct {
	// TagsOf names the launched resources, e.g. nodes of the pool.
	TagsOf string `json:"tagsOf"`

	// Change says when a change takes effect: in place, or with the next launch.
	Change string `json:"change"`

	// ItemKey is the field that tells the items of a list on the path apart, such as resourceType in tagSpecifications. The [0] in the
	// path then stands for each item. ItemKey is missing if the field is in no list, or in its only item.
	ItemKey string `json:"itemKey,omitempty"`

	// Items has the value of ItemKey of each item that gets tags, such as volume. Missing items are added. Without Items, each
	// item that is there gets tags.
	Items []string `json:"items,omitempty"`

	// Value that a field of shape Switch gets.
	Value string `json:"value,omitempty"`

	// If has the paths of fields, such as spec.forProvider.tags. The field is left alone unless at least one of them is there.
	If []string `json:"if,omitempty"`

	// Unless has the paths of fields. The field is left alone if any of them is there.
	Unless []string `json:"unless,omitempty"`

	// TagFields are the field: one, or several if releases don't agree, the newest last.
	TagFields []ListedField `json:"tagFields"`
}

// List returns all that the index has. The same index gives the same Listing.
func (i *Index) List() Listing {
	out := Listing{Surveys: words.MapIf(strings.Split(i.text, "\n"), surveyed), Services: profile.Services()}
	all := maps.Collect(i.All())

	for _, gvk := range slices.SortedFunc(maps.Keys(all), Compare) {
		if n := len(out.Groups); n == 0 || out.Groups[n-1].Name != gvk.Group {
			out.Groups = append(out.Groups, ListedGroup{Name: gvk.Group, Releases: i.block(gvk.Group).releases()})
		}

		gk := gvk.GroupKind()
		fam, _ := familyOf(gk)

		kind := ListedKind{Kind: gvk.Kind, Family: fam.Name, Provider: fam.Profile, TagFields: all[gvk].list(gk), Launched: listLaunched(i.Launched(gvk), gk)}
		if second := i.Second(gvk); second != nil {
			kind.SecondProvider, kind.SecondTagFields = SecondSystemOf(gk), second.list(gk)
		}

		out.Groups[len(out.Groups)-1].add(gvk.Version, kind)
	}

	return out
}

// surveyed returns the survey of a comment of the index, if it is about one.
func surveyed(line string) (ListedSurvey, bool) {
	w := strings.Fields(line)
	if len(w) != 3 || w[0] != "#" {
		return ListedSurvey{}, false
	}

	oldest, newest, ok := strings.Cut(w[2], "..")

	return ListedSurvey{Source: w[1], Oldest: oldest, Newest: newest}, ok
}

// add a version of the kind to the group.
func (g *ListedGroup) add(version string, k ListedKind) {
	i := slices.IndexFunc(g.Kinds, func(other ListedKind) bool {
		other.Versions = nil
		return reflect.DeepEqual(other, k)
	})

	if i < 0 {
		i, g.Kinds = len(g.Kinds), append(g.Kinds, k)
	}

	g.Kinds[i].Versions = append(g.Kinds[i].Versions, version)
}

// list returns the fields of the entry of a kind.
func (e Variants) list(gk schema.GroupKind) []ListedField {
	return words.Map(e, func(h Variant) ListedField {
		tf, _ := ToTagField(schema.GroupVersionKind{}, h.Field)

		return ListedField{
			FieldPath: tf.FieldPath, Shape: h.Field.Shape, KeyValueList: tf.KeyValueList, StringList: tf.StringList, Reported: h.Field.Observed,
			Atomic: h.Field.Atomic, OnRequest: h.Field.OnRequest, Fixed: h.Field.Fixed, Immutable: h.Field.Immutable, Why: why(gk, h.Field),
			Within: h.Field.Within, Sorted: h.Field.Sorted, Releases: h.Releases,
		}
	})
}

// listLaunched returns the launched fields of a kind with the entries.
func listLaunched(entries []Variants, gk schema.GroupKind) []ListedLaunch {
	var out []ListedLaunch

	_, used, _ := launchesOf(gk)

	for _, e := range entries {
		for _, l := range used {
			if slices.ContainsFunc(e, func(h Variant) bool { return slices.ContainsFunc(l.paths, h.Field.Path.Equal) }) {
				l.If, l.Unless, l.TagFields = words.Map(l.with, condition.String), words.Map(l.without, condition.String), e.list(gk)
				out = append(out, l.ListedLaunch)
			}
		}
	}

	return out
}

// why returns why the field of the kind is on request, fixed or immutable. It is empty if the field is neither.
func why(gk schema.GroupKind, f Field) string {
	fam, service := familyOf(gk)

	out := words.MapIf(fam.candidates(service, gk.Kind), func(c *candidate) (string, bool) {
		return c.why, c.why != "" && c.onRequest == f.OnRequest && c.fixed == f.Fixed && slices.ContainsFunc(c.paths, f.Path.Equal)
	})

	if second := fam.whySecond(f.Path); second != "" {
		return "a change would replace the resource: " + second
	}

	if f.Immutable {
		r, _ := immutables.lookUp(fam, service, gk.Kind)
		out = append(out, "a change would replace the resource: "+r.source)
	}

	return strings.Join(out, "; ")
}
