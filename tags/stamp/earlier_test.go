package stamp

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"google.golang.org/protobuf/types/known/structpb"

	fnv1 "github.com/crossplane/function-sdk-go/proto/v1"

	"github.com/plexsphere/function-cloud-tags/input/v1beta1"
	"github.com/plexsphere/function-cloud-tags/tags"
	"github.com/plexsphere/function-cloud-tags/tags/field"
	"github.com/plexsphere/function-cloud-tags/tags/object"
	"github.com/plexsphere/function-cloud-tags/tags/profile"
	"github.com/plexsphere/function-cloud-tags/tags/tagstest"
	"github.com/plexsphere/function-cloud-tags/tags/target"
)

// TestStampEarlier tests what becomes of the tags of earlier steps that have reserved keys.
func TestStampEarlier(t *testing.T) {
	list := stringsOf("=")
	pairs := shapes["KeyValueList"].field

	cases := map[string]situation{
		"Nobody":         {reason: "A reserved key that no trusted source claims is taken away in any case, also if there is no label at all.", field: shapes["Map"].field, reserved: []string{"entigo:*"}, spec: `{"tags": {"entigo:zone": "forged", "ENTIGO:Zone": "forged", "ours:Entigo:x": "forged", "Name": "x"}}`},
		"LastOnes":       {reason: "Where nothing else is left, the field goes too.", field: pairs, reserved: []string{"entigo:*"}, spec: `{"tags": [{"k": "entigo:zone", "v": "forged"}, {"k": "entigo:zone", "v": "again"}]}`},
		"Strings":        {reason: "A string is one of any key that a separator follows. Others are opaque, and so is one that is a key only.", field: list, reserved: []string{"zone", "entigo=zone"}, spec: `{"tags": ["zone=a=b", "entigo=zone=x", "Zone=c", "ours:zone=d", "zone", "entigo=zone", "x=zone=y"]}`},
		"Earlier":        {reason: "What an earlier step of the function has of a trusted source stays, as it is and only so.", field: shapes["Map"].field, reserved: []string{"zone", "team"}, earlier: map[string]string{"ours:zone": "a", "ours:team": "b"}, spec: `{"tags": {"ours:zone": "a", "ours:Zone": "a", "ours:team": "forged"}}`},
		"EarlierStrings": {reason: "So it is in lists of strings.", field: list, reserved: []string{"zone"}, earlier: map[string]string{"ours:zone": "a=b"}, spec: `{"tags": ["ours:zone=a=b", "ours:zone=a"]}`},
		"Replaced": {
			reason:   "A trusted label replaces every spelling of its key, whoever set it.",
			field:    pairs,
			reserved: []string{"zone"},
			labels:   []tags.Label{trusted(label("zone", "a"))},
			earlier:  map[string]string{"ours:ZONE": "b"},
			spec:     `{"tags": [{"k": "ours:ZONE", "v": "b"}, {"k": "x", "v": "y"}, {"k": "Ours:Zone", "v": "c"}]}`,
		},
		"ReplacedSpelling": {reason: "On a provider that compares keys without case, too, the label's spelling is written.", provider: "azure", field: shapes["Map"].field, reserved: []string{"zone"}, labels: []tags.Label{trusted(label("zone", "a"))}, spec: `{"tags": {"OURS:zone": "a", "Ours:Zone": "b", "ours:ZONE": "c"}}`},
		"Skipped": {
			reason:   "What a trusted label would have replaced goes, also if the provider refuses the label, and whoever set it.",
			field:    shapes["Map"].field,
			reserved: []string{"zone"},
			labels:   []tags.Label{trusted(label("zone", strings.Repeat("a", 257)))},
			earlier:  map[string]string{"ours:zone": "old"},
			spec:     `{"tags": {"ours:zone": "old", "x": "y"}}`,
		},
		"HiddenInTrusted": {reason: "A string of a trusted label's key that is not reserved can be one of a reserved key. It is replaced.", field: list, reserved: []string{"ours:zone"}, labels: []tags.Label{trusted(label("zone", "a")), trusted(label("zone=x", "b"))}, spec: `{"tags": ["ours:zone=x=forged"]}`},
		"Providers":       {reason: "What belongs to providers is theirs, reserved or not.", field: shapes["Map"].field, reserved: []string{"*"}, spec: `{"tags": {"crossplane-kind": "k", "Crossplane-Name": "n", "x": "y"}}`},
		"OddEntries":      {reason: "What has no key is nobody's.", field: pairs, reserved: []string{"*"}, spec: `{"tags": [{"v": "x"}, {"k": null}, {"k": 1, "v": "y"}]}`},
	}

	runPlain(t, cases)
}

// TestStampTwice tests that a second step with the same reserved keys and sources of its own
// changes nothing that the first one had of trusted sources.
func TestStampTwice(t *testing.T) {
	for kind, s := range shapes {
		t.Run(kind, func(t *testing.T) {
			step := func(earlier map[string]map[string]string, r *structpb.Struct, set ...tags.Label) *Outcome {
				stamper := &Stamper{
					Finder: target.Finder{
						Input:    &v1beta1.CloudTags{Sources: []v1beta1.Source{{OnConflict: tags.Retain}}},
						Provider: "aws",
						Fields:   everywhere(s.field),
					},
					Transformer: reserving([]string{"zone"}, set...),
					Earlier:     earlier,
				}

				out, err := stampAll(stamper, map[string]*fnv1.Resource{"r": {Resource: r}})
				if err != nil {
					t.Fatal(err)
				}

				return out
			}

			first := step(nil, thing(s.spec("ours:zone", "forged")), trusted(label("zone", "a")), label("x", "y"))
			trusted := first.Results[0].Trusted
			second := step(map[string]map[string]string{"r": trusted}, first.Changed["r"].Struct())

			if diff := cmp.Diff([]string{fmt.Sprintf("r trusts: %q", keysAndValues(trusted))}, lines(second, nil)); diff != "" {
				t.Errorf("Stamp(...) of the second step: -want, +got:\n%s", diff)
			}
		})
	}
}

// TestStampProviderTags tests the slots of the tags that providers add.
func TestStampProviderTags(t *testing.T) {
	with := shapes["Map"].field
	with.ProviderTags = tags.ProvidersKeys()

	slots := map[string]v1beta1.TagCount{"aws": 46}
	three := []tags.Label{label("a", "1"), label("b", "2"), label("c", "3")}

	cases := map[string]situation{
		"Reserve": {reason: "The provider's tags have slots before they are there.", field: with, in: v1beta1.CloudTags{ReservedTags: slots}, labels: three},
		"There":   {reason: "Those that are there already have their slots.", field: with, in: v1beta1.CloudTags{ReservedTags: slots}, labels: three, spec: `{"tags": {"crossplane-kind": "k", "crossplane-name": "n"}}`},
		"None":    {reason: "A provider that adds none needs no slots.", field: with, in: v1beta1.CloudTags{ReservedTags: slots, ProviderTags: v1beta1.ProviderTagsNone}, labels: three},
		"Trusted": {reason: "A trusted label without a slot is told with what takes them.", field: with, in: v1beta1.CloudTags{ReservedTags: slots}, labels: []tags.Label{label("a", "1"), trusted(label("y", "2")), trusted(label("z", "3"))}},
		"EarlierExceed": {
			reason:       "Where earlier steps set more than there are slots, nothing is added, but values are replaced.",
			field:        with,
			in:           v1beta1.CloudTags{ReservedTags: map[string]v1beta1.TagCount{"aws": 49}, Sources: []v1beta1.Source{{OnConflict: tags.Replace}}},
			labels:       three[:2],
			ignore:       keys("cloud"),
			spec:         `{"tags": {"x": "1", "y": "2", "ours:b": "9"}}`,
			observedSpec: `{}`,
		},
	}

	runPlain(t, cases)
}

// TestStampErrorOfCloud tests sources that accept no other value of a tag, also not the
// cloud's.
func TestStampErrorOfCloud(t *testing.T) {
	f := reporting(shapes["Map"].field)
	refuse := v1beta1.CloudTags{Sources: []v1beta1.Source{{Name: "registry", OnConflict: tags.Refuse}}}
	a := []tags.Label{label("a", "1")}

	cases := map[string]situation{
		"Foreign":   {reason: "A value of the cloud that no step has set is not overwritten.", observedSpec: `{}`, status: `{"tags": {"ours:a": "9"}}`},
		"Ours":      {reason: "What the observed resource asks for has been set by a step, and may change.", observedSpec: `{"tags": {"ours:a": "9"}}`, status: `{"tags": {"ours:a": "9"}}`},
		"SameValue": {reason: "A tag that has the value already is in nobody's way.", observedSpec: `{}`, status: `{"tags": {"ours:a": "1"}}`},
		"OtherTag":  {reason: "Other tags are.", observedSpec: `{}`, status: `{"tags": {"ours:b": "9"}}`},
		"NotThere":  {reason: "Before there is a resource, there is nothing to overwrite."},
	}

	runAll(t, cases, func(t *testing.T, g *tagstest.Golden, tc situation) {
		t.Helper()

		tc.field, tc.in, tc.labels = f, refuse, a
		tc.run(t, g)
	})
}

// TestStampFormattedKeys tests that one key to remove or to ignore holds on every cloud.
func TestStampFormattedKeys(t *testing.T) {
	f := reporting(shapes["Map"].field)

	cases := map[string]situation{
		"Label":          {reason: "The key of a label before its format names its tag.", provider: "gcp", field: f, labels: []tags.Label{label("platform/env", "a"), label("platform/x", "b")}, remove: keys("ours:platform/env")},
		"Beginning":      {reason: "So does the beginning of keys, at a value too.", provider: "azure", field: f, remove: append(atValue("ours:platform/*", "a"), fromField("ours:team/*")...), spec: `{"tags": {"ours:platform.env": "a", "ours:platform.x": "b", "OURS:Team.y": "c"}}`},
		"PrefixOfFormat": {reason: "A format with a prefix of its own takes the place of the prefix.", provider: "aws", field: f, formats: map[string]profile.Format{"aws": profile.NewFormat(new("p_"), map[string]string{"/": "."}, false)}, remove: keys("ours:a/b", "ours:c/*"), spec: `{"tags": {"p_a.b": "1", "p_c.d": "2", "p_e": "3"}}`},
		"Ignored":        {reason: "What other systems own is named so, too.", provider: "gcp", field: f, ignore: keys("backup:*"), observedSpec: `{}`, status: `{"tags": {"backup_plan": "daily", "backups": "x"}}`},
		"Trusted":        {reason: "A key from a field touches no key of a trusted label, reserved or not.", field: f, labels: []tags.Label{trusted(label("team", "a")), label("x", "b")}, remove: fromField("ours:*")},
	}

	runPlain(t, cases)
}

// TestStampLastTag tests fields that come out empty, and whose provider would fill a field
// that isn't there.
func TestStampLastTag(t *testing.T) {
	f := shapes["Map"].field
	f.LateInit = true

	atomic, list, other := f, shapes["KeyValueList"].field, f
	atomic.Atomic, list.LateInit, other.LateInit = true, true, false

	cases := map[string]situation{
		"Removed":       {reason: "The last tag that goes leaves an empty map.", field: f, remove: keys("x"), spec: `{"tags": {"x": "1"}}`, observedSpec: `{"tags": {"x": "1"}}`},
		"NoLabels":      {reason: "Also in later runs, without any label or tag.", field: f, observedSpec: `{"tags": {"x": "1"}}`},
		"BesideOwn":     {reason: "Whatever the provider has beside it.", field: f, observedSpec: `{"tags": {"x": "1", "crossplane-kind": "k"}}`},
		"Empty":         {reason: "An empty map stays one.", field: f, observedSpec: `{"tags": {}}`},
		"EmptyThere":    {reason: "One that an earlier step set is none to set again.", field: f, spec: `{"tags": {}}`, observedSpec: `{"tags": {"x": "1"}}`},
		"Gone":          {reason: "Once the provider has dropped it, it is not made.", field: f, observedSpec: `{}`},
		"OnlyOwn":       {reason: "What only the provider's own tags are in is in no way.", field: f, observedSpec: `{"tags": {"crossplane-kind": "k", "crossplane-name": "n"}}`},
		"RemovedGone":   {reason: "A field that nothing would fill goes.", field: f, remove: keys("x"), spec: `{"tags": {"x": "1"}}`, observedSpec: `{}`},
		"NotCreatedYet": {reason: "A resource that isn't there has no field to empty.", field: f, remove: keys("x"), spec: `{"tags": {"x": "1"}}`},
		"NotLateInit":   {reason: "Where no provider fills it, an empty field is no field.", field: other, remove: keys("x"), spec: `{"tags": {"x": "1"}}`, observedSpec: `{"tags": {"x": "1"}}`},
		"Atomic":        {reason: "An atomic map is written empty at once.", field: atomic, remove: keys("x"), spec: `{"tags": {"x": "1"}}`, observedSpec: `{"tags": {"x": "1"}}`},
		"List":          {reason: "So is a list if nobody says whose tags are whose.", field: list, remove: keys("x"), spec: `{"tags": [{"k": "x", "v": "1"}]}`, observedSpec: `{"tags": [{"k": "x", "v": "1"}]}`},
		"OddSpec":       {reason: "What can't be read is not there.", field: f, observedSpec: `{"tags": ["x"]}`},
	}

	runPlain(t, cases)
}

// TestStampLastTagSettles plays the provider, which drops an empty map when it updates the
// object: nothing is written or said any more then.
func TestStampLastTagSettles(t *testing.T) {
	f := shapes["Map"].field
	f.LateInit = true

	stamper := mapStamper()
	stamper.Fields = everywhere(f)

	changes := []int{}

	for _, spec := range []string{`{"tags": {"ours:a": "1"}}`, `{"tags": {}}`, `{"tags": {}}`, `{}`, `{}`} {
		stamper.Observed = map[string]*fnv1.Resource{"r": {Resource: observed(spec, `{}`)}}
		desired := map[string]*fnv1.Resource{"r": {Resource: thing(`{}`)}}

		out, err := stampAll(stamper, desired)
		if err != nil {
			t.Fatal(err)
		}

		wants := spec != `{}`
		if _, written := out.Changed["r"]; written != wants {
			t.Errorf("want an empty map written %t where the observed spec is %s", wants, spec)
		}

		changes = append(changes, len(audited(stamper, targetsOf(stamper, desired), out.Changed)))
	}

	if diff := cmp.Diff([]int{1, 0, 0, 0, 0}, changes); diff != "" {
		t.Errorf("Only the tag that goes is a change: -want, +got:\n%s", diff)
	}
}

// TestStampListOfOne tests fields in the only item of a list.
func TestStampListOfOne(t *testing.T) {
	f := field.Field{Path: object.MustParsePath("spec.settings[0].userLabels"), Shape: field.Map}
	a := []tags.Label{label("a", "1")}

	cases := map[string]situation{
		"There":    {reason: "The only item has the tags.", labels: a, spec: `{"settings": [{"tier": "x"}]}`},
		"Absent":   {reason: "An item is not made: other fields of it may be required.", labels: a},
		"Empty":    {reason: "Nor is one of an empty list.", labels: a, spec: `{"settings": []}`},
		"Null":     {reason: "Nor of null.", labels: a, spec: `{"settings": null}`},
		"NoList":   {reason: "What is no list is named.", labels: a, spec: `{"settings": {}}`},
		"NoLabels": {reason: "Without labels nothing is missing.", remove: keys("x")},
		"Last":     {reason: "An item that loses its last tag stays.", remove: keys("x"), spec: `{"settings": [{"userLabels": {"x": "y"}}]}`},
	}

	runAll(t, cases, func(t *testing.T, g *tagstest.Golden, tc situation) {
		t.Helper()

		tc.field = f
		tc.run(t, g)
	})
}
