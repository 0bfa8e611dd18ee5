package stamp

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	gocmp "github.com/google/go-cmp/cmp"
	"google.golang.org/protobuf/testing/protocmp"

	fnv1 "github.com/crossplane/function-sdk-go/proto/v1"
	"github.com/crossplane/function-sdk-go/resource"

	"github.com/plexsphere/function-cloud-tags/input/v1beta1"
	"github.com/plexsphere/function-cloud-tags/tags"
	"github.com/plexsphere/function-cloud-tags/tags/field"
	"github.com/plexsphere/function-cloud-tags/tags/object"
	"github.com/plexsphere/function-cloud-tags/tags/resolve"
	"github.com/plexsphere/function-cloud-tags/tags/tagstest"
	"github.com/plexsphere/function-cloud-tags/tags/target"
)

// changed are the supplied changes, line by line.
func changed(of []Change) []string {
	out := []string{}

	for _, c := range of {
		for i, values := range []map[string]Values{c.Added, c.Changed, c.Removed} {
			for _, key := range slices.Sorted(maps.Keys(values)) {
				out = append(out, fmt.Sprintf("%s (%s %s) %s %s: %q -> %q", c.Resource, c.APIVersion, c.Kind, []string{"adds", "changes", "removes"}[i], key, values[key].Before, values[key].After))
			}
		}
	}

	return out
}

// audit the supplied resource, which has the supplied field. An observed resource that is
// empty is none.
func audit(t *testing.T, g *tagstest.Golden, reason string, s *Stamper, observed, desired string) {
	t.Helper()

	s.Input = &v1beta1.CloudTags{}
	s.Remove = []resolve.TagKey{{Pattern: "never"}} // Tags are only audited if there is something to do about them.
	s.Provider = cmp.Or(s.Provider, "aws")

	if s.Transformer == nil {
		s.Transformer = transformer()
	}

	both := func() [2]map[string]*fnv1.Resource {
		out := [2]map[string]*fnv1.Resource{nil, tagstest.Resources(map[string]string{"r": desired})}
		if observed != "" {
			out[0] = tagstest.Resources(map[string]string{"r": observed})
		}

		return out
	}

	// Most of it is in maps, so once is not enough.
	for range 5 {
		given := both()
		s.Observed = given[0]

		g.Check(t, reason, changed(audited(s, targetsOf(s, given[1]), nil)))

		if diff := gocmp.Diff(both(), given, protocmp.Transform()); diff != "" {
			t.Fatalf("\n%s\nAudit(...) changed what it was given: -before, +after:\n%s", reason, diff)
		}
	}
}

// TestAudit is about what changes of tags are in every shape.
func TestAudit(t *testing.T) {
	cases := map[string]struct {
		reason string

		// observed and desired tags, each a key and its value, or nil if there is no
		// field.
		observed, desired []string

		// unobserved is true if there is no observed resource.
		unobserved bool
	}{
		"Unobserved":             {reason: "All tags of a resource that isn't there yet are added.", unobserved: true, desired: []string{"a", "1", "b", ""}},
		"UnobservedWithoutField": {reason: "A resource that gets no tags has no changes.", unobserved: true},
		"UnobservedWithoutTags":  {reason: "An empty field has no tags.", unobserved: true, desired: []string{}},
		"NoObservedField":        {reason: "All tags of a resource that has no field yet are added.", desired: []string{"a", "1"}},
		"EmptyObservedField":     {reason: "All tags of a resource whose field is empty are added.", observed: []string{}, desired: []string{"a", "1"}},
		"Neither":                {reason: "A resource without the field, before and after, has no changes."},
		"EmptyToNone":            {reason: "No field is an empty field.", observed: []string{}},
		"Equal":                  {reason: "A resource that has all tags has no changes.", observed: []string{"a", "1", "b", "2"}, desired: []string{"a", "1", "b", "2"}},
		"Order":                  {reason: "The order of tags is no change.", observed: []string{"c", "3", "a", "1", "b", "2"}, desired: []string{"a", "1", "b", "2", "c", "3"}},
		"Added":                  {reason: "A tag that wasn't there is added, and has no value before.", observed: []string{"b", "2"}, desired: []string{"a", "1", "b", "2"}},
		"Changed":                {reason: "A tag with another value is changed, from the one to the other.", observed: []string{"a", "1", "b", "2"}, desired: []string{"a", "2", "b", "2"}},
		"ChangedToEmpty":         {reason: "An empty value is a value.", observed: []string{"a", "1", "b", ""}, desired: []string{"a", "", "b", "2"}},
		"Removed":                {reason: "A tag that is there no longer is removed, and has no value after. If nobody says who owns it, it counts.", observed: []string{"a", "1", "b", "2", "c", ""}, desired: []string{"b", "2"}},
		"AllRemoved":             {reason: "All tags of a field that is there no longer are removed.", observed: []string{"a", "1", "b", "2"}},
		"Emptied":                {reason: "All tags of a field that is empty now are removed.", observed: []string{"a", "1"}, desired: []string{}},
		"All":                    {reason: "Everything may happen to one resource, in another order too.", observed: []string{"removed", "r", "same", "s", "changed", "1"}, desired: []string{"same", "s", "added", "x", "changed", "2"}},
		"Renamed":                {reason: "A tag with another key is another tag, whatever its value is.", observed: []string{"a", "1"}, desired: []string{"A", "1"}},
		"Providers":              {reason: "What the provider sets itself is not removed, since it sets it again.", observed: []string{"crossplane-kind", "bucket.s3", "crossplane-name", "x", "crossplane-providerconfig", "default", "a", "1"}, desired: []string{"a", "1"}},
		"ProvidersOnly":          {reason: "If all that goes is the provider's, nothing changes.", observed: []string{"crossplane-name", "x"}},
		"BesideProviders":        {reason: "What only looks like the provider's is removed, and so is what is beside it.", observed: []string{"crossplane-kind", "bucket.s3", "crossplane-kinds", "x", "crossplane-", "y", "a", "1"}},
		"ProvidersDesired":       {reason: "What an earlier step desires in place of the provider is added or changed, as it is written.", observed: []string{"crossplane-kind", "bucket.s3"}, desired: []string{"crossplane-kind", "forged", "crossplane-name", "x"}},
	}

	g := tagstest.NewGolden(t)

	for name, tc := range cases {
		for of, shape := range shapes {
			t.Run(name+"/"+of, func(t *testing.T) {
				of := func(keysAndValues []string) string {
					if keysAndValues == nil {
						return tagstest.Thing(`"spec": {"other": true}`)
					}

					return tagstest.Thing(`"spec": ` + shape.spec(keysAndValues...))
				}

				observed := of(tc.observed)
				if tc.unobserved {
					observed = ""
				}

				audit(t, g, tc.reason, &Stamper{Finder: target.Finder{Fields: everywhere(shape.field)}}, observed, of(tc.desired))

				// All tags of an atomic list are replaced at once, which is the same as
				// long as nobody says who owns them.
				atomic := shape.field
				atomic.Atomic = true
				audit(t, g, tc.reason, &Stamper{Finder: target.Finder{Fields: everywhere(atomic)}}, observed, of(tc.desired))
			})
		}
	}
}

// TestAuditEntries is about what only fields of one shape can have.
func TestAuditEntries(t *testing.T) {
	tagMap, pairs, entries := shapes["Map"].field, shapes["KeyValueList"].field, shapes["StringList"].field

	separated := func(by string) field.Field {
		f := entries
		f.Separator = by

		return f
	}

	cases := map[string]struct {
		reason            string
		field             field.Field
		provider          string
		observed, desired string
	}{
		// Maps.
		"OtherValues": {reason: "A value that is no string is put as JSON. It is not the string that it looks like.", field: tagMap, observed: `{"tags": {"a": 1, "b": true, "c": {"x": [1, "y"]}, "d": "x"}}`, desired: `{"tags": {"a": "1", "b": false, "d": [], "e": null}}`},
		"Null":        {reason: "A field that is null is absent.", field: tagMap, observed: `{"tags": null}`, desired: `{"tags": {"a": "1"}}`},
		"Case":        {reason: "Where keys compare without case, a key in another case is the same tag. It is told as it is desired.", field: tagMap, provider: "azure", observed: `{"tags": {"Env": "1", "Same": "x", "Gone": "y"}}`, desired: `{"tags": {"env": "2", "same": "x"}}`},

		// Lists of objects.
		"NoValue": {reason: "An object without a value, or with null, has a tag without one.", field: pairs, observed: `{"tags": [{"k": "a"}, {"k": "b", "v": null}, {"k": "c", "v": "3"}, {"k": "d"}]}`, desired: `{"tags": [{"k": "a", "v": null}, {"k": "b"}, {"k": "c"}, {"k": "d", "v": "4"}, {"k": "e"}]}`},
		"Extra":   {reason: "What else an object has is no tag, and neither is an object without a key.", field: pairs, observed: `{"tags": [{"k": "a", "v": "1", "x": true}, {"v": "2"}]}`, desired: `{"tags": [{"k": "a", "v": "1", "x": false}, {"k": 3, "v": "3"}]}`},
		"Twice":   {reason: "Of a key that is there more than once the first counts.", field: pairs, observed: `{"tags": [{"k": "a", "v": "1"}, {"k": "a", "v": "2"}, {"k": "b", "v": "3"}, {"k": "b", "v": "4"}]}`, desired: `{"tags": [{"k": "a", "v": "1"}]}`},

		// Lists of strings.
		"Opaque":                    {reason: "A string without a separator is a tag without a value.", field: entries, observed: `{"tags": ["gone", "same", "a=1"]}`, desired: `{"tags": ["a=1", "new", "same"]}`},
		"OpaqueToValue":             {reason: "A string that gets a value, even an empty one, is another string.", field: entries, observed: `{"tags": ["a", "b="]}`, desired: `{"tags": ["a=", "b=2"]}`},
		"NoSeparator":               {reason: "Without a separator there are only keys.", field: separated(""), observed: `{"tags": ["a=1"]}`, desired: `{"tags": ["a=2"]}`},
		"KnownKey":                  {reason: "A string with the key of a label has this key, though the separator is in it.", field: separated(":"), observed: `{"tags": ["ours:a:1", "theirs:a:1"]}`, desired: `{"tags": ["ours:a:2", "theirs:a:2"]}`},
		"ProvidersKeyWithSeparator": {reason: "A string of the provider's is known, though the separator is in its key.", field: separated("-"), observed: `{"tags": ["crossplane-kind-bucket", "crossplane-name-x", "crossplane-1"]}`, desired: `{"tags": []}`},
		"SameKey":                   {reason: "Of two strings that have one key, with a value and without, the last is told.", field: entries, observed: `{"tags": ["a", "a=1", "b=1", "b"]}`, desired: `{}`},
		"NoKey":                     {reason: "A string that starts with the separator has an empty key.", field: entries, observed: `{"tags": [""]}`, desired: `{"tags": ["=x"]}`},

		// What can't be read was left alone.
		"ObservedMismatch": {reason: "A field of another shape than we know has no tags that we know.", field: tagMap, observed: `{"tags": ["a=1"]}`, desired: `{"tags": {"a": "1"}}`},
		"DesiredMismatch":  {reason: "A field of another shape than we know gets no tags of ours.", field: pairs, observed: `{"tags": [{"k": "a", "v": "1"}]}`, desired: `{"tags": {"a": "2"}}`},
		"ObservedItem":     {reason: "One item of another shape is enough.", field: entries, observed: `{"tags": ["a=1", 2]}`, desired: `{"tags": ["b=1"]}`},
		"DesiredItem":      {reason: "One item of another shape is enough.", field: pairs, observed: `{"tags": []}`, desired: `{"tags": [{"k": "a", "v": "1"}, "b"]}`},
		"ThroughObserved":  {reason: "A path that leads through a string leads nowhere.", field: tagMap, observed: `"x"`, desired: `{"tags": {"a": "1"}}`},
		"ThroughDesired":   {reason: "A path that leads through a list leads nowhere.", field: tagMap, observed: `{"tags": {"a": "1"}}`, desired: `[]`},
	}

	g := tagstest.NewGolden(t)

	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			s := &Stamper{Finder: target.Finder{Fields: everywhere(tc.field), Provider: tc.provider}, Transformer: transformer(label("a", "1"))}
			audit(t, g, tc.reason, s, tagstest.Thing(`"spec": `+tc.observed), tagstest.Thing(`"spec": `+tc.desired))
		})
	}
}

// TestAuditOwned is about who owns the tags that are there no longer. Server-side apply
// removes only what Crossplane has applied.
func TestAuditOwned(t *testing.T) {
	const (
		composed = "apiextensions.crossplane.io/composed/0a1b"
		provider = "crossplane-aws-provider"
	)

	// manager returns the entry of a manager that owns the supplied fields.
	manager := func(name, fields string) string {
		return fmt.Sprintf(`{"manager": %q, "operation": "Apply", "apiVersion": "example.org/v1", "fieldsType": "FieldsV1", "fieldsV1": %s}`, name, fields)
	}

	// owner returns the entry of a manager that owns the supplied fields of the tags.
	owner := func(name, fields string) string {
		return manager(name, `{"f:metadata": {"f:labels": {"f:z": {}}}, "f:spec": {"f:forProvider": {"f:region": {}, "f:tags": {`+fields+`}}}}`)
	}

	at := func(f field.Field, path string) field.Field {
		f.Path = object.MustParsePath(path)
		return f
	}

	atomic := func(f field.Field) field.Field {
		f.Atomic = true
		return f
	}

	const path = "spec.forProvider.tags"

	tagMap := at(shapes["Map"].field, path)
	pairs := at(shapes["KeyValueList"].field, path)
	entries := at(shapes["StringList"].field, path)

	// forProvider of most cases, by shape.
	const (
		mapABC     = `{"tags": {"a": "1", "b": "2", "c": "3"}}`
		pairsABC   = `{"tags": [{"k": "a", "v": "1"}, {"k": "b", "v": "2"}, {"k": "c", "v": "3"}]}`
		entriesABC = `{"tags": ["a=1", "b=2", "c"]}`
	)

	cases := map[string]struct {
		reason   string
		field    field.Field
		managers []string

		// observed and desired spec.forProvider.
		observed, desired string
	}{
		// Maps.
		"Map":             {reason: "Only what Crossplane has applied is removed. What others own stays, and so does what nobody owns.", field: tagMap, managers: []string{owner(provider, `".": {}, "f:b": {}`), owner(composed, `".": {}, "f:a": {}`)}, observed: mapABC, desired: `{}`},
		"MapOfOthers":     {reason: "What was late-initialised by the provider is not removed, so nothing changes.", field: tagMap, managers: []string{owner(provider, `"f:a": {}, "f:b": {}, "f:c": {}`)}, observed: mapABC, desired: `{"tags": {"c": "3"}}`},
		"AddedAndChanged": {reason: "Crossplane takes what others own, so all that is added or changed counts.", field: tagMap, managers: []string{owner(provider, `"f:a": {}, "f:b": {}, "f:c": {}`)}, observed: mapABC, desired: `{"tags": {"a": "2", "d": "4"}}`},
		"Shared":          {reason: "What others have applied too stays.", field: tagMap, managers: []string{owner(composed, `"f:a": {}, "f:b": {}`), owner("kubectl", `"f:b": {}`)}, observed: mapABC, desired: `{}`},
		"OtherComposed":   {reason: "What another composite resource has stays.", field: tagMap, managers: []string{owner(composed, `"f:a": {}, "f:b": {}`), owner("apiextensions.crossplane.io/composed", `"f:b": {}`), owner(composed+"c", `"f:c": {}`)}, observed: mapABC, desired: `{}`},
		"BeforeApply":     {reason: "Crossplane soon takes over from what managed resources before server-side apply.", field: tagMap, managers: []string{owner(composed, `"f:a": {}, "f:b": {}, "f:c": {}`), owner("before-first-apply", `"f:a": {}`), owner("crossplane", `"f:b": {}`), owner("crossplane-x", `"f:c": {}`)}, observed: mapABC, desired: `{}`},
		"NotComposed":     {reason: "Whoever manages composite resources, or only ends alike, doesn't compose.", field: tagMap, managers: []string{owner("apiextensions.crossplane.io/composite", `"f:a": {}`), owner("x-"+composed, `"f:b": {}`), owner("", `"f:c": {}`)}, observed: mapABC, desired: `{}`},
		"OddKeys": {
			reason:   "A key may have dots and slashes in it, be of another script or be a dot.",
			field:    tagMap,
			managers: []string{owner(composed, `"f:example.org/a.b": {}, "f:ключ": {}, "f:.": {}, "f:": {}`)},
			observed: `{"tags": {"example.org/a.b": "1", "ключ": "2", ".": "3", "": "4", "example": "5"}}`,
			desired:  `{}`,
		},
		"Providers":  {reason: "What the provider sets itself is not removed, though Crossplane has applied it.", field: tagMap, managers: []string{owner(composed, `"f:crossplane-kind": {}, "f:a": {}`)}, observed: `{"tags": {"crossplane-kind": "x", "a": "1"}}`, desired: `{}`},
		"OtherField": {reason: "What Crossplane owns elsewhere says nothing of tags.", field: tagMap, managers: []string{manager(composed, `{"f:spec": {"f:initProvider": {"f:tags": {"f:a": {}}}, "f:forProvider": {"f:labels": {"f:b": {}}}}, "f:tags": {"f:c": {}}}`)}, observed: mapABC, desired: `{}`},
		"Brackets": {
			reason: "A path may have names with dots in it.",
			field:  at(tagMap, "spec.forProvider.manifest.annotations[example.org/tags]"),
			managers: []string{
				manager(composed, `{"f:spec": {"f:forProvider": {"f:manifest": {"f:annotations": {"f:example.org/tags": {"f:a": {}}}}}}}`),
				manager(provider, `{"f:spec": {"f:forProvider": {"f:manifest": {"f:annotations": {"f:example.org/tags": {"f:b": {}}}}}}}`),
			},
			observed: `{"manifest": {"annotations": {"example.org/tags": {"a": "1", "b": "2"}}}}`,
			desired:  `{}`,
		},

		// Lists of objects.
		"KeyValueList": {reason: "Objects are owned by their key.", field: pairs, managers: []string{owner(composed, `"k:{\"k\":\"a\"}": {".": {}, "f:k": {}, "f:v": {}}`), owner(provider, `"k:{\"k\":\"b\"}": {".": {}, "f:k": {}, "f:v": {}}`)}, observed: pairsABC, desired: `{"tags": []}`},
		"SeveralKeys":  {reason: "Objects may be owned by more than the key of the tag.", field: pairs, managers: []string{owner(composed, `"k:{\"id\":1,\"k\":\"a\",\"x\":\"b\"}": {".": {}}, "k:{\"k\":2}": {".": {}}, "k:{\"other\":\"c\"}": {".": {}}`)}, observed: pairsABC, desired: `{}`},
		"ValueOnly":    {reason: "Whoever owns the value of an object only owns the tag.", field: pairs, managers: []string{owner(composed, `"k:{\"k\":\"b\"}": {"f:v": {}}`)}, observed: pairsABC, desired: `{"tags": [{"k": "a", "v": "1"}]}`},

		// Lists of strings.
		"StringList":           {reason: "Strings are owned as a whole, whether they have a value or not.", field: entries, managers: []string{owner(composed, `"v:\"a=1\"": {}, "v:\"c\"": {}`), owner(provider, `"v:\"b=2\"": {}`)}, observed: entriesABC, desired: `{"tags": []}`},
		"StringListTwice":      {reason: "Of a key that another manager has at another value, that one isn't removed, be it the first.", field: entries, managers: []string{owner(composed, `"v:\"a=2\"": {}`), owner(provider, `"v:\"a=1\"": {}`)}, observed: `{"tags": ["a=1", "a=2"]}`, desired: `{}`},
		"StringListTwiceSame":  {reason: "A key that another manager has at another value hasn't changed.", field: entries, managers: []string{owner(composed, `"v:\"a=2\"": {}`), owner(provider, `"v:\"a=1\"": {}`)}, observed: `{"tags": ["a=1", "a=2"]}`, desired: `{"tags": ["a=2"]}`},
		"StringListOtherValue": {reason: "Whoever owns a key with another value, or without one, doesn't own the string.", field: entries, managers: []string{owner(composed, `"v:\"a=2\"": {}, "v:\"b\"": {}, "v:\"c=\"": {}, "v:1": {}`)}, observed: entriesABC, desired: `{}`},

		// Atomic fields.
		"Atomic": {
			reason:   "Server-side apply replaces the whole of an atomic list, whoever owns it, but the provider's own tags come back.",
			field:    atomic(pairs),
			managers: []string{owner(provider, `"k:{\"k\":\"a\"}": {".": {}}`)},
			observed: `{"tags": [{"k": "a", "v": "1"}, {"k": "crossplane-name", "v": "x"}]}`,
			desired:  `{"tags": [{"k": "b", "v": "2"}]}`,
		},
		"AtomicStrings": {reason: "Server-side apply replaces opaque strings of an atomic list too.", field: atomic(entries), managers: []string{owner(composed, ``)}, observed: entriesABC, desired: `{"tags": ["b=2"]}`},
		"NotKnownAtomic": {
			reason:   "A list that Crossplane owns, while nobody owns anything in it, is atomic, as the lists may be that rules of the input name.",
			field:    entries,
			managers: []string{owner(composed, ``), manager(provider, `{"f:status": {"f:atProvider": {"f:tags": {}}}}`)},
			observed: entriesABC,
			desired:  `{"tags": ["b=2"]}`,
		},
		"NotKnownAtomicMap":  {reason: "A map may be atomic.", field: tagMap, managers: []string{owner(composed, ``)}, observed: mapABC, desired: `{"tags": {"b": "2", "c": "3"}}`},
		"InAtomicList":       {reason: "What is in an item of an atomic list is replaced with it.", field: at(tagMap, "spec.forProvider.settings[0].tags"), managers: []string{manager(composed, `{"f:spec": {"f:forProvider": {"f:settings": {}}}}`)}, observed: `{"settings": [` + mapABC + `]}`, desired: `{"settings": [{"tags": {"b": "2"}}]}`},
		"AtomicOfOther":      {reason: "An atomic list that others own is theirs, as long as it isn't desired.", field: entries, managers: []string{owner(provider, ``)}, observed: entriesABC, desired: `{}`},
		"AppliedEmpty":       {reason: "A map that is applied without tags isn't atomic if others own tags in it.", field: tagMap, managers: []string{owner(composed, ``), owner(provider, `"f:a": {}, "f:b": {}`)}, observed: mapABC, desired: `{"tags": {}}`},
		"AppliedEmptyParent": {reason: "An object that is applied without fields isn't atomic if others own fields in it.", field: entries, managers: []string{manager(composed, `{"f:spec": {"f:forProvider": {}}}`), owner(provider, ``)}, observed: entriesABC, desired: `{}`},
		"ParentWithFields":   {reason: "An object of which other fields were applied isn't atomic, though it is owned itself.", field: tagMap, managers: []string{manager(composed, `{"f:spec": {"f:forProvider": {".": {}, "f:region": {}}}}`)}, observed: mapABC, desired: `{}`},

		// What managers may lack.
		"NoManagers": {reason: "An empty list of managers says that nobody owns anything.", field: tagMap, managers: []string{}, observed: mapABC, desired: `{}`},
		"Malformed": {
			reason: "What can't be read of a manager's fields is not owned, and all others own what they do.",
			field:  tagMap,
			managers: []string{
				`"x"`, `null`, `{}`, `{"manager": "` + composed + `"}`, manager(composed, `null`), manager(composed, `"f:spec"`), manager(composed, `[]`),
				owner(composed, `"v:not JSON": {}, "k:[]": {}, "k:null": {}, "f": {}, "x:b": {}, "": {}`), owner(composed, `"f:a": {}`),
			},
			observed: mapABC,
			desired:  `{}`,
		},
	}

	g := tagstest.NewGolden(t)

	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			managed := `"metadata": {"managedFields": [` + strings.Join(tc.managers, ", ") + `]}, `

			audit(t, g, tc.reason, &Stamper{Finder: target.Finder{Fields: everywhere(tc.field), Owner: composed}},
				tagstest.Thing(managed+`"spec": {"forProvider": `+tc.observed+`}`), tagstest.Thing(`"spec": {"forProvider": `+tc.desired+`}`))
		})
	}

	for name, managers := range map[string]string{"Null": `null`, "NotAList": `{}`} {
		t.Run(name, func(t *testing.T) {
			audit(t, g, "If nobody says who owns tags, all count.", &Stamper{Finder: target.Finder{Fields: everywhere(tagMap)}},
				tagstest.Thing(`"metadata": {"managedFields": `+managers+`}, "spec": {"forProvider": `+mapABC+`}`), tagstest.Thing(`"spec": {"forProvider": {"tags": {"b": "2"}}}`))
		})
	}
}

// TestAuditAfterStamp is about resources as all earlier steps of a run leave them.
func TestAuditAfterStamp(t *testing.T) {
	g := tagstest.NewGolden(t)

	in, err := v1beta1.Decode(resource.MustStructJSON(`{
		"apiVersion": "cloudtags.fn.plexsphere.com/v1beta1", "kind": "CloudTags", "keyPrefix": "ours:",
		"sources": [{"type": "Value", "values": {"a": "1"}}],
		"removeTags": [{"key": "secret"}],
		"ignoreTags": [{"key": "backup:*"}],
		"resources": [{"kind": "Thing"}]
	}`))
	if err != nil {
		t.Fatal(err)
	}

	spec := func(fields string) string { return tagstest.Thing(`"spec": {` + fields + `}`) }

	observed := map[string]string{
		"changed":  spec(`"tags": {"ours:a": "0", "Name": "x", "secret": "s", "old": "o"}`),
		"equal":    spec(`"tags": {"ours:a": "1", "Name": "x"}`),
		"external": tagstest.Thing(`"spec": {"tags": {"ours:a": "1", "backup:id": "0"}}, "status": {"tags": {"ours:a": "1", "backup:id": "7", "backup:at": "noon"}}`),
		"metadata": spec(`"tags": {"ours:a": "1"}`),
		"retained": spec(`"tags": {"ours:a": "1"}`),

		"adopted":   spec(`"tags": {"ours:a": "0"}`),
		"ignored":   spec(`"tags": {"ours:a": "0"}`),
		"mismatch":  spec(`"tags": {"ours:a": "0"}`),
		"other":     `{"apiVersion": "example.org/v1", "kind": "Other", "spec": {"tags": {"ours:a": "0"}}}`,
		"undesired": spec(`"tags": {"ours:a": "0"}`),
	}

	desired := map[string]string{
		"changed":    spec(`"tags": {"Name": "x", "secret": "s"}`),
		"equal":      spec(`"tags": {"Name": "x"}`),
		"external":   spec(`"tags": {}`),
		"metadata":   spec(``),
		"retained":   spec(`"tags": {"ours:a": "2"}`),
		"unobserved": spec(`"tags": {"Name": "x", "secret": "s"}`),

		"adopted":  spec(`"managementPolicies": ["Observe"], "tags": {"Name": "x"}`),
		"ignored":  tagstest.Thing(`"metadata": {"annotations": {"` + target.IgnoreAnnotation + `": "true"}}, "spec": {"tags": {"Name": "x"}}`),
		"mismatch": spec(`"tags": ["x"]`),
		"other":    `{"apiVersion": "example.org/v1", "kind": "Other", "spec": {"tags": {"Name": "x"}}}`,
	}

	s := &Stamper{
		Finder: target.Finder{
			Input:    in,
			Provider: "aws",
			Fields:   everywhere(field.Field{Path: object.MustParsePath("spec.tags"), Shape: field.Map, Observed: []object.Path{object.MustParsePath("status.tags")}}),
			Observed: tagstest.Resources(observed),
		},
		Transformer: transformer(label("a", "1")),
		Remove:      []resolve.TagKey{{Pattern: "secret"}},
		Ignore:      []resolve.TagKey{{Pattern: "backup:*"}},
	}

	targets := targetsOf(s, tagstest.Resources(desired))

	out, err := s.Stamp(context.Background(), targets)
	if err != nil {
		t.Fatalf("Stamp(...): %v", err)
	}

	// What else becomes of a resource may be in its tag field.
	becomes := out.Changed
	becomes["metadata"] = object.Tree(resource.MustStructJSON(spec(`"tags": {"ours:a": "1", "app": "shop"}`)))

	g.Check(t, "Changes of resources that are tagged should be told by name, and of no others.", changed(audited(s, targets, becomes)))
}

// TestAuditAtomic is about lists in which the provider's own tags, and its order, are
// kept.
func TestAuditAtomic(t *testing.T) {
	const observed = `{"tags": ["crossplane-name=r", "ours:a=1", "Name=x"]}`

	cases := map[string]struct {
		reason  string
		desired string
	}{
		"Settled": {reason: "A list that comes to what is there doesn't change.", desired: `{"tags": ["Name=x"]}`},
		"Changed": {reason: "A list that changes keeps the provider's own tags, so these are not changed.", desired: `{"tags": ["Name=y"]}`},
	}

	g := tagstest.NewGolden(t)

	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			f := shapes["StringList"].field
			f.Atomic = true

			s := &Stamper{
				Finder: target.Finder{
					Input:    &v1beta1.CloudTags{Sources: []v1beta1.Source{{OnConflict: tags.Retain}}},
					Provider: "aws",
					Fields:   everywhere(f),
					Observed: map[string]*fnv1.Resource{"r": {Resource: thing(observed)}},
				},
				Transformer: transformer(label("a", "1")),
				Audits:      true,
			}

			targets := targetsOf(s, map[string]*fnv1.Resource{"r": {Resource: thing(tc.desired)}})

			out, err := s.Stamp(context.Background(), targets)
			if err != nil {
				t.Fatalf("\n%s\nStamp(...): %v", tc.reason, err)
			}

			g.Check(t, tc.reason, changed(out.Changes))
		})
	}
}

// TestAuditNothingToDo is about inputs that only copy metadata.
func TestAuditNothingToDo(t *testing.T) {
	s := &Stamper{
		Finder: target.Finder{
			Input:    &v1beta1.CloudTags{},
			Provider: "aws",
			Fields:   everywhere(shapes["Map"].field),
			Observed: map[string]*fnv1.Resource{"r": {Resource: thing(`{"tags": {"a": "1"}}`)}},
		},
		Transformer: transformer(),
	}

	targets := targetsOf(s, map[string]*fnv1.Resource{"r": {Resource: thing(`{"tags": {"a": "2"}}`)}})

	if got := audited(s, targets, map[string]object.Object{"r": object.Tree(thing(`{"tags": {"a": "3"}}`))}); got != nil {
		t.Errorf("\nWithout anything to do about tags, they are nobody's business.\nAudit(...): got %v", got)
	}
}

// audited returns what changes in the tags of the targets if the changed resources are what they
// become.
func audited(s *Stamper, targets *target.Targets, changed map[string]object.Object) []Change {
	out := &Outcome{Changed: make(map[string]object.Object)}

	for _, t := range targets.All {
		if !t.Managed || t.Leave != target.None || t.Lacks != target.None {
			continue
		}

		l, err := s.labelsOf(t)
		if err != nil {
			panic(err) // No labels are computed.
		}

		p := &plan{Result: result(t), wishes: l.wishesFor(t), target: t}
		p.Stamped = changed[t.Name]
		s.Audits = true
		s.record(out, p)
	}

	return out.Changes
}
