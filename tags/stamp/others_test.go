package stamp

import (
	"cmp"
	"fmt"
	"testing"

	"google.golang.org/protobuf/types/known/structpb"

	fnv1 "github.com/crossplane/function-sdk-go/proto/v1"
	"github.com/crossplane/function-sdk-go/resource"

	"github.com/plexsphere/function-cloud-tags/input/v1beta1"
	"github.com/plexsphere/function-cloud-tags/tags"
	"github.com/plexsphere/function-cloud-tags/tags/field"
	"github.com/plexsphere/function-cloud-tags/tags/object"
	"github.com/plexsphere/function-cloud-tags/tags/profile"
	"github.com/plexsphere/function-cloud-tags/tags/resolve"
	"github.com/plexsphere/function-cloud-tags/tags/tagstest"
	"github.com/plexsphere/function-cloud-tags/tags/target"
)

func TestComposedOwner(t *testing.T) {
	// By ComposedFieldOwnerName of Crossplane v1.20.0 and v2.4.0, which hash the name, the kind and
	// the group: assetsStorage.platform.example.org.
	cases := map[string]struct {
		reason, xr, want string
	}{
		"Namespaced": {
			reason: "The namespace and the version should not count.",
			xr:     `{"apiVersion": "platform.example.org/v1alpha1", "kind": "Storage", "metadata": {"namespace": "team-a", "name": "assets"}}`,
			want:   "apiextensions.crossplane.io/composed/133438eaafad7fbff53991ac4acf1cadbb1aced6647d6703a4778eb7f5c9537e",
		},
		"ClusterScoped": {
			reason: "That of a claim is cluster-scoped.",
			xr:     `{"apiVersion": "platform.example.org/v1", "kind": "Storage", "metadata": {"name": "assets"}}`,
			want:   "apiextensions.crossplane.io/composed/133438eaafad7fbff53991ac4acf1cadbb1aced6647d6703a4778eb7f5c9537e",
		},
		"NoGroup": {
			reason: "A kind without a group has no dot.",
			xr:     `{"apiVersion": "v1", "kind": "Storage", "metadata": {"name": "assets"}}`,
			want:   "apiextensions.crossplane.io/composed/a3b71ebaf406a2bc3996548c177f961bf8e200adf7a9a30cfe9548f9a7d634bf",
		},
	}

	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			if got := target.ComposedOwner(object.Tree(resource.MustStructJSON(tc.xr))); got != tc.want {
				t.Errorf("\n%s\nComposedOwner(%s): want %s, got %s", tc.reason, tc.xr, tc.want, got)
			}
		})
	}
}

// TestOthers is about what other field managers have in the tag field.
func TestOthers(t *testing.T) {
	const (
		applied = "apiextensions.crossplane.io/composed/ffff"
		upjet   = "s3.aws.upbound.io/v1beta1"
	)

	at := func(f field.Field, path string) field.Field {
		f.Path = object.MustParsePath(path)
		f.Observed = []object.Path{object.MustParsePath("status.atProvider.tags")}

		return f
	}

	tagMap := at(shapes["Map"].field, "spec.tags")
	pairs := at(shapes["KeyValueList"].field, "spec.tags")
	entries := at(shapes["StringList"].field, "spec.tags")
	joined := at(shapes["Joined"].field, "spec.tags")

	atomic := pairs
	atomic.Atomic = true

	// owner returns the entry of a manager that owns the elements of the tags.
	owner := func(name, elements string) string {
		return fmt.Sprintf(`{"manager": %q, "operation": "Update", "apiVersion": "example.org/v1", "fieldsV1": {"f:spec": {"f:tags": {%s}}}}`, name, elements)
	}
	desires := func(name, elements string) string {
		return fmt.Sprintf(`{"manager": %q, "operation": "Apply", "apiVersion": "example.org/v1", "fieldsV1": {"f:spec": {"f:tags": {%s}}}}`, name, elements)
	}

	theirs := owner("provider", `"f:x": {}, "f:y": {}`)

	cases := map[string]struct {
		reason   string
		field    field.Field
		provider string

		// managers of the observed field there, and status. There are so many slots.
		managers, there, status string
		slots                   int

		// kind is Thing of example.org unless it's an apiVersion.
		apiVersion string

		before         string
		policy         tags.Conflict
		limitPolicy    v1beta1.LimitPolicy
		labels         []tags.Label
		reserved       []string
		remove, ignore []resolve.TagKey
		noProviderTags bool
	}{
		// Slots.
		"TakesSlots":       {reason: "What the provider has filled in takes slots like what earlier steps set.", field: tagMap, managers: theirs, there: `{"x": "1", "y": "2"}`, slots: 3, labels: []tags.Label{label("a", "1"), label("b", "1")}},
		"NoManagers":       {reason: "If nobody says whose it is, it is Crossplane's, and goes.", field: tagMap, there: `{"x": "1", "y": "2"}`, slots: 2, labels: []tags.Label{label("a", "1"), label("b", "1")}},
		"Ours":             {reason: "What Crossplane has applied goes, and so does what it takes over.", field: tagMap, managers: owner(ours, `"f:x": {}`) + "," + owner("crossplane", `"f:y": {}`) + "," + owner("before-first-apply", `"f:z": {}`), there: `{"x": "1", "y": "2", "z": "3"}`, slots: 2, labels: []tags.Label{label("a", "1"), label("b", "1")}},
		"OtherComposite":   {reason: "What another composite resource has applied is another's.", field: tagMap, managers: desires(applied, `"f:x": {}, "f:ours:z": {}`), there: `{"x": "1", "ours:z": "1"}`, slots: 3, labels: []tags.Label{label("a", "1"), label("b", "1")}},
		"Nobodys":          {reason: "What nobody owns stays, too.", field: tagMap, managers: owner("provider", `"f:y": {}`), there: `{"x": "1", "y": "2"}`, slots: 2, labels: []tags.Label{label("a", "1")}},
		"Replaced":         {reason: "A label replaces the tag, and takes no further slot, though labels with lower keys have none.", field: tagMap, managers: owner("provider", `"f:ours:b": {}, "f:y": {}`), there: `{"ours:b": "0", "y": "2"}`, slots: 2, labels: []tags.Label{label("a", "1"), label("b", "1")}},
		"SpelledOtherwise": {reason: "On Azure, names that differ in case are one: a label is spelled as the tag that it replaces.", field: tagMap, provider: "azure", managers: owner("provider", `"f:OURS:a": {}`), there: `{"OURS:a": "0"}`, slots: 1, labels: []tags.Label{label("a", "1")}},
		"EarlierStep":      {reason: "What an earlier step desires counts once.", field: tagMap, managers: theirs, there: `{"x": "1", "y": "2"}`, before: `{"x": "3", "y": "4"}`, slots: 3, labels: []tags.Label{label("a", "1"), label("b", "1")}},
		"OverTheCap":       {reason: "If they alone exceed the cap, nothing is added.", field: tagMap, managers: theirs, there: `{"x": "1", "y": "2"}`, before: `{"z": "1"}`, slots: 2, labels: []tags.Label{label("a", "1")}},
		"Trusted":          {reason: "A platform's label without a slot is a failure, which says whose the slots are.", field: tagMap, managers: theirs, there: `{"x": "1", "y": "2"}`, slots: 2, labels: []tags.Label{trusted(label("a", "1"))}},
		"Strict":           {reason: "ApplyStrict counts them, too.", field: tagMap, managers: theirs, there: `{"x": "1", "y": "2"}`, slots: 2, limitPolicy: v1beta1.LimitPolicyApplyStrict, labels: []tags.Label{label("a", "1")}},
		"Ignored":          {reason: "What ignoreTags keeps takes no further slot.", field: tagMap, managers: theirs, there: `{"x": "1", "y": "2"}`, status: `{"x": "5", "y": "2"}`, slots: 2, ignore: []resolve.TagKey{{Pattern: "x"}, {Pattern: "y"}}, labels: []tags.Label{label("a", "1")}},
		"List":             {reason: "Objects of a list are owned by their key.", field: pairs, managers: owner("provider", `"k:{\"k\":\"x\"}": {".": {}, "f:k": {}, "f:v": {}}`), there: `[{"k": "x", "v": "1"}, {"k": "z", "v": "1"}]`, slots: 2, labels: []tags.Label{label("a", "1"), label("b", "1")}},
		"ListValue": {
			reason: "What others have stays, so that its value has to be desired where nobody else owns it.", field: pairs,
			managers: owner("provider", `"k:{\"k\":\"ours:b\"}": {".": {}, "f:k": {}}, "k:{\"k\":\"ours:c\"}": {".": {}, "f:k": {}, "f:v": {}}`) + "," + desires(ours, `"k:{\"k\":\"ours:b\"}": {".": {}, "f:k": {}, "f:v": {}}, "k:{\"k\":\"ours:c\"}": {".": {}, "f:k": {}, "f:v": {}}`),
			there:    `[{"k": "ours:b", "v": "1"}, {"k": "ours:c", "v": "1"}]`, slots: 2, labels: []tags.Label{label("a", "1")},
		},
		"ListValueAlone": {
			reason: "That is so without any label, too.", field: pairs,
			managers: owner("provider", `"k:{\"k\":\"ours:b\"}": {".": {}, "f:k": {}}`) + "," + desires(ours, `"k:{\"k\":\"ours:b\"}": {".": {}, "f:k": {}, "f:v": {}}`),
			there:    `[{"k": "ours:b", "v": "1"}]`, slots: 2,
		},
		"Strings":     {reason: "A string of another value is another entry of a set: both stay.", field: entries, managers: owner("provider", `"v:\"ours:a=0\"": {}, "v:\"opaque\"": {}`), there: `["ours:a=0", "opaque"]`, slots: 3, labels: []tags.Label{label("a", "1"), label("b", "1")}},
		"StringsSame": {reason: "The same string is one.", field: entries, managers: owner("provider", `"v:\"ours:a=1\"": {}, "v:\"opaque\"": {}`), there: `["ours:a=1", "opaque"]`, slots: 3, labels: []tags.Label{label("a", "1"), label("b", "1")}},
		"Atomic":      {reason: "Nothing stays in an atomic list.", field: atomic, managers: owner("provider", ``), there: `[{"k": "x", "v": "1"}]`, slots: 1, labels: []tags.Label{label("a", "1")}},
		"Joined":      {reason: "A joined string has one owner.", field: joined, managers: owner("provider", ``), there: `"x=1, y=2"`, slots: 1, labels: []tags.Label{label("a", "1")}},

		// Error.
		"ErrorOther":      {reason: "Error should refuse what another manager has at another value, whatever the cloud has.", field: tagMap, managers: owner("provider", `"f:ours:a": {}`), there: `{"ours:a": "0"}`, slots: 9, policy: tags.Refuse, labels: []tags.Label{label("a", "1")}},
		"ErrorSame":       {reason: "At the same value it is no conflict.", field: tagMap, managers: owner("provider", `"f:ours:a": {}`), there: `{"ours:a": "1"}`, status: `{"ours:a": "0"}`, slots: 9, policy: tags.Refuse, labels: []tags.Label{label("a", "1")}},
		"ErrorOurs":       {reason: "What Crossplane has applied may change.", field: tagMap, managers: owner(ours, `"f:ours:a": {}`) + "," + owner("provider", `"f:ours:a": {}`), there: `{"ours:a": "0"}`, status: `{"ours:a": "0"}`, slots: 9, policy: tags.Refuse, labels: []tags.Label{label("a", "1")}},
		"ErrorAtomic":     {reason: "So it is in a list that another manager owns.", field: atomic, managers: owner("provider", ``), there: `[{"k": "ours:a", "v": "0"}]`, slots: 9, policy: tags.Refuse, labels: []tags.Label{label("a", "1")}},
		"ErrorIgnored":    {reason: "What ignoreTags keeps is no conflict, wherever it is.", field: tagMap, managers: owner("provider", `"f:ours:a": {}`), there: `{"ours:a": "0"}`, status: `{"ours:a": "0"}`, slots: 9, ignore: []resolve.TagKey{{Pattern: "ours:a"}}, policy: tags.Refuse, labels: []tags.Label{label("a", "1")}},
		"ErrorCloud":      {reason: "What only the cloud has is refused at another value.", field: tagMap, managers: owner(ours, `"f:ours:b": {}`), there: `{"ours:b": "1"}`, status: `{"ours:a": "0"}`, slots: 9, policy: tags.Refuse, labels: []tags.Label{label("a", "1")}},
		"ErrorGhost":      {reason: "Of upjet's kinds, what only the status has may be long gone: it never loses a key.", apiVersion: upjet, field: tagMap, managers: owner(ours, `"f:ours:b": {}`), there: `{"ours:b": "1"}`, status: `{"ours:a": "0"}`, slots: 9, policy: tags.Refuse, labels: []tags.Label{label("a", "1")}},
		"ErrorUpjetField": {reason: "What the provider has copied into the field counts.", apiVersion: upjet, field: tagMap, managers: owner("provider", `"f:ours:a": {}`), there: `{"ours:a": "0"}`, status: `{"ours:a": "0"}`, slots: 9, policy: tags.Refuse, labels: []tags.Label{label("a", "1")}},

		// What can't go.
		"RemovedByRule":      {reason: "removeTags can't take away what another manager owns.", field: tagMap, managers: theirs + "," + owner("kubectl-edit", `"f:z": {}`), there: `{"x": "1", "y": "2", "z": "3"}`, slots: 9, remove: []resolve.TagKey{{Pattern: "x"}, {Pattern: "y", Value: new("other")}, {Pattern: "z"}}, labels: []tags.Label{label("a", "1")}},
		"RemovedShared":      {reason: "What an earlier step desires stays, too, if another manager has it.", field: tagMap, managers: theirs, there: `{"x": "1", "y": "2"}`, before: `{"x": "1"}`, slots: 3, remove: []resolve.TagKey{{Pattern: "x"}}, labels: []tags.Label{label("a", "1"), label("b", "1")}},
		"RemovedAtomic":      {reason: "An atomic list that nobody desires stays as a whole.", field: atomic, managers: owner("provider", ``), there: `[{"k": "x", "v": "1"}]`, slots: 9, remove: []resolve.TagKey{{Pattern: "x"}}},
		"RemovedByAField":    {reason: "A rule of a field doesn't name reserved keys.", field: tagMap, managers: theirs, there: `{"x": "1", "y": "2"}`, slots: 9, reserved: []string{"x"}, remove: []resolve.TagKey{{Pattern: "*", Untrusted: true}}},
		"Reserved":           {reason: "A reserved key that no trusted source claims can't be taken away.", field: tagMap, managers: theirs, there: `{"x": "1", "y": "2"}`, slots: 9, reserved: []string{"x"}, labels: []tags.Label{label("a", "1")}},
		"ReservedClaimed":    {reason: "The value of a trusted source replaces it.", field: tagMap, managers: owner("kubectl-edit", `"f:ours:a": {}`), there: `{"ours:a": "0"}`, slots: 9, reserved: []string{"a"}, labels: []tags.Label{trusted(label("a", "1"))}},
		"Leftover":           {reason: "A tag with the prefix that nobody desires should be told of.", field: tagMap, managers: owner("provider", `"f:ours:b": {}, "f:x": {}`), there: `{"ours:b": "1", "x": "1"}`, slots: 9, labels: []tags.Label{label("a", "1")}},
		"LeftoverAlone":      {reason: "It should be, though there are no labels any more.", field: tagMap, managers: owner("provider", `"f:ours:b": {}, "f:x": {}`), there: `{"ours:b": "1", "x": "1"}`, slots: 9},
		"LeftoverDesired":    {reason: "Somebody desires what is applied.", field: tagMap, managers: desires("backup", `"f:ours:b": {}`), there: `{"ours:b": "1"}`, slots: 9, labels: []tags.Label{label("a", "1")}},
		"LeftoverOfProvider": {reason: "The provider's own tags are nobody's business.", field: tagMap, managers: owner("provider", `"f:crossplane-kind": {}`), there: `{"crossplane-kind": "x"}`, slots: 9, reserved: []string{"crossplane-*"}, labels: []tags.Label{label("a", "1")}},
	}

	g := tagstest.NewGolden(t)

	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			provider := cmp.Or(tc.provider, "aws")
			s := &Stamper{
				Finder: target.Finder{
					Input: &v1beta1.CloudTags{
						LimitPolicy:  tc.limitPolicy,
						Sources:      []v1beta1.Source{{OnConflict: cmp.Or(tc.policy, tags.Retain)}},
						ReservedTags: map[string]v1beta1.TagCount{provider: v1beta1.TagCount(profile.Of(provider).MaxTags - tc.slots)}, //nolint:gosec // At most 50.
					},
					Provider: provider,
					Fields:   everywhere(tc.field),
					Owner:    ours,
				},
				Transformer: reserving(tc.reserved, under(cmp.Or(tc.policy, tags.Retain), tc.labels...)...),
				Remove:      tc.remove,
				Ignore:      tc.ignore,
			}

			apiVersion := cmp.Or(tc.apiVersion, "example.org/v1")
			metadata := `{}`

			if tc.managers != "" {
				metadata = `{"managedFields": [` + tc.managers + `]}`
			}

			of := func(metadata, spec, status string) *structpb.Struct {
				return resource.MustStructJSON(fmt.Sprintf(`{"apiVersion": %q, "kind": "Thing", "metadata": %s, "spec": %s, "status": {"atProvider": %s}}`, apiVersion, metadata, spec, status))
			}

			tagged := func(value string) string {
				if value == "" {
					return `{}`
				}

				return `{"tags": ` + value + `}`
			}

			s.Observed = map[string]*fnv1.Resource{"r": {Resource: of(metadata, tagged(tc.there), tagged(tc.status))}}

			desired := of(`{}`, tagged(tc.before), `{}`)
			delete(desired.GetFields(), "status")

			check(t, g, tc.reason, s, map[string]*fnv1.Resource{"r": {Resource: desired}})
		})
	}
}
