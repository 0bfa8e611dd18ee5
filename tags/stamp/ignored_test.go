package stamp

import (
	"fmt"
	"strings"
	"testing"

	"google.golang.org/protobuf/types/known/structpb"

	fnv1 "github.com/crossplane/function-sdk-go/proto/v1"
	"github.com/crossplane/function-sdk-go/resource"

	"github.com/plexsphere/function-cloud-tags/input/v1beta1"
	"github.com/plexsphere/function-cloud-tags/tags"
	"github.com/plexsphere/function-cloud-tags/tags/resolve"
	"github.com/plexsphere/function-cloud-tags/tags/stamp/tagset"
	"github.com/plexsphere/function-cloud-tags/tags/tagstest"
	"github.com/plexsphere/function-cloud-tags/tags/target"
)

// TestStampFollowed tests the value of another system's tag that changes.
func TestStampFollowed(t *testing.T) {
	g := tagstest.NewGolden(t)

	// remembering is the annotation of a change from daily.
	remembering := func(name, more string) string {
		return fmt.Sprintf(`"annotations": {"cloudtags.fn.plexsphere.com/ignored": %q}`,
			fmt.Sprintf(`{%q: {"from": %q%s}}`, name, digestOf(entriesOf("daily")), more))
	}

	owners := func(keys ...string) string {
		fields := make([]string, len(keys))
		for i, key := range keys {
			fields[i] = fmt.Sprintf(`"f:%s": {}`, key)
		}

		return `"managedFields": [{"manager": "apiextensions.crossplane.io/composed/0a1b", "operation": "Apply", "apiVersion": "example.org/v1", "fieldsV1": {"f:spec": {"f:tags": {` + strings.Join(fields, ", ") + `}}}}]`
	}

	of := func(metadata, spec, status string) *structpb.Struct {
		return resource.MustStructJSON(tagstest.Thing(`"metadata": {` + metadata + `}, "spec": {"tags": ` + spec + `}, "status": {"tags": ` + status + `}`))
	}

	long := strings.Repeat("k", maxName+1)

	cases := map[string]struct {
		reason   string
		ignore   []resolve.TagKey
		remove   []resolve.TagKey
		labels   []tags.Label
		observed *structpb.Struct
		desired  *structpb.Struct
	}{
		"Changed":         {reason: "A value that changes is followed, and what it was before is remembered.", observed: of(``, `{"backup": "daily"}`, `{"backup": "weekly"}`)},
		"Immediately":     {reason: "The next run may see the same. It still has to come that the provider writes the old value back.", observed: of(remembering("backup", ``), `{"backup": "weekly"}`, `{"backup": "weekly"}`)},
		"Back":            {reason: "The value that the provider has written back is not followed, and that it was reported is remembered.", observed: of(remembering("backup", ``), `{"backup": "weekly"}`, `{"backup": "daily"}`)},
		"StillBack":       {reason: "However often it is reported.", observed: of(remembering("backup", `, "reported": true`), `{"backup": "weekly"}`, `{"backup": "daily"}`)},
		"Settled":         {reason: "Once the new value is reported after it, nothing is remembered: the owner may go back to what was.", observed: of(remembering("backup", `, "reported": true`), `{"backup": "weekly"}`, `{"backup": "weekly"}`)},
		"SettledBack":     {reason: "Which is followed then.", observed: of(``, `{"backup": "weekly"}`, `{"backup": "daily"}`)},
		"AnotherValue":    {reason: "A third value is followed, too.", observed: of(remembering("backup", ``), `{"backup": "weekly"}`, `{"backup": "monthly"}`)},
		"Two":             {reason: "Each tag is remembered on its own.", observed: of(remembering("backup", ``), `{"backup": "weekly", "backup2": "a"}`, `{"backup": "daily", "backup2": "b"}`)},
		"Forged":          {reason: "What others have written into the annotation is nothing.", observed: of(`"annotations": {"cloudtags.fn.plexsphere.com/ignored": "[1]"}`, `{"backup": "weekly"}`, `{"backup": "daily"}`)},
		"LongKey":         {reason: "A long key is remembered by its digest.", ignore: keys("k*"), observed: of(``, `{"`+long+`": "daily"}`, `{"`+long+`": "weekly"}`)},
		"NewlyKept":       {reason: "A tag that is kept from now on is told of, and nothing is remembered of it.", observed: of(``, `{"x": "1"}`, `{"backup": "daily"}`)},
		"Kept":            {reason: "What is kept is told of once.", observed: of(``, `{"backup": "daily"}`, `{"backup": "daily"}`)},
		"NotReportedNow":  {reason: "What is kept stays if the provider doesn't report it, or not yet.", observed: of(owners("backup"), `{"backup": "daily"}`, `{}`)},
		"RemovedBySome":   {reason: "It stays until removeTags takes it away.", remove: keys("backup"), observed: of(owners("backup"), `{"backup": "daily"}`, `{}`)},
		"OfNobody":        {reason: "What Crossplane doesn't own stays by itself.", observed: of(owners("other"), `{"backup": "daily"}`, `{}`)},
		"Label":           {reason: "So is a label that another system owns now.", ignore: keys("ours:a"), labels: []tags.Label{label("a", "1")}, observed: of(``, `{"ours:a": "1"}`, `{"ours:a": "2"}`)},
		"EarlierStep":     {reason: "What an earlier step has followed is remembered, too.", observed: of(``, `{"backup": "daily"}`, `{"backup": "weekly"}`), desired: resource.MustStructJSON(tagstest.Thing(`"metadata": {` + remembering("other", ``) + `}, "spec": {}`))},
		"ReservedForGood": {reason: "A tag with a prefix that the cloud keeps to itself is never kept.", ignore: keys("*"), observed: of(owners("aws:x"), `{"aws:x": "1"}`, `{"aws:x": "2"}`)},
		"Unreported":      {reason: "Where the provider has reported no tags though there are some, it is told that nothing can be kept.", observed: resource.MustStructJSON(tagstest.Thing(`"spec": {"tags": {"x": "1"}}, "status": {}`))},
		"NoneYet":         {reason: "It may have none to report.", observed: resource.MustStructJSON(tagstest.Thing(`"spec": {}, "status": {}`))},
	}

	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			if tc.ignore == nil {
				tc.ignore = keys("backup*")
			}

			if tc.desired == nil {
				tc.desired = thing(`{}`)
			}

			s := &Stamper{
				Finder: target.Finder{
					Input:    &v1beta1.CloudTags{Sources: []v1beta1.Source{{OnConflict: tags.Retain}}},
					Provider: "aws",
					Fields:   everywhere(reporting(shapes["Map"].field)),
					Owner:    "apiextensions.crossplane.io/composed/0a1b",
					Observed: map[string]*fnv1.Resource{"r": {Resource: tc.observed}},
				},
				Transformer: transformer(tc.labels...),
				Ignore:      tc.ignore,
				Remove:      tc.remove,
			}

			check(t, g, tc.reason, s, map[string]*fnv1.Resource{"r": {Resource: tc.desired}})
		})
	}
}

// entriesOf one tag with the values.
func entriesOf(values ...string) []tagset.Entry {
	out := make([]tagset.Entry, len(values))
	for i, v := range values {
		out[i].Value = structpb.NewStringValue(v)
	}

	return out
}
