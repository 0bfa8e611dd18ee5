package stamp

import (
	"fmt"
	"maps"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	fnv1 "github.com/crossplane/function-sdk-go/proto/v1"

	"github.com/plexsphere/function-cloud-tags/input/v1beta1"
	"github.com/plexsphere/function-cloud-tags/tags"
	"github.com/plexsphere/function-cloud-tags/tags/field"
	"github.com/plexsphere/function-cloud-tags/tags/locate"
	"github.com/plexsphere/function-cloud-tags/tags/profile"
	"github.com/plexsphere/function-cloud-tags/tags/resolve"
	"github.com/plexsphere/function-cloud-tags/tags/tagstest"
)

// asked is a locator that remembers the kinds that it was asked for. It knows all kinds
// but Unknown, and that None has no field.
type asked struct {
	field field.Field
	kinds map[string]bool
}

func (a *asked) Locate(k field.Kind) (field.Field, bool) {
	a.kinds[k.Kind] = true

	if k.Kind == "None" {
		return field.Field{Shape: field.None}, true
	}

	return a.field, k.Kind != "Unknown"
}

func TestStampSelect(t *testing.T) {
	g := tagstest.NewGolden(t)

	const (
		nothing = `{"apiVersion": "example.org/v1"}`
		bucket  = `{"apiVersion": "s3.example.org/v1beta1", "kind": "Bucket", "metadata": {"labels": {"tier": "gold", "empty": ""}}, "spec": {}}`
		object  = `{"apiVersion": "s3.example.org/v1", "kind": "Object", "metadata": {"labels": {"tier": "silver", "number": 1, "null": null}}, "spec": {}}`
		queue   = `{"apiVersion": "sqs.example.org/v1beta1", "kind": "Queue", "metadata": {"labels": ["tier"]}, "spec": {"tags": {"Name": "x", "team": "a", "empty": "", "odd": 1}}}`
		tagged  = `{"apiVersion": "s3.example.org/v1beta1", "kind": "Tagged", "metadata": {"labels": {"tier": "gold"}}, "spec": {"tags": {"Name": "y", "team": "a"}}}`
		unknown = `{"apiVersion": "example.org/v1", "kind": "Unknown", "spec": {"tags": {"team": "a"}}}`
		none    = `{"apiVersion": "example.org/v1", "kind": "None", "spec": {"tags": {"team": "a"}}}`
		odd     = `{"apiVersion": "example.org/v1", "kind": "Odd", "spec": {"tags": ["team"]}}`
		skipped = `{"apiVersion": "example.org/v1", "kind": "Skipped", "metadata": {"annotations": {"` + locate.IgnoreAnnotation + `": "true"}}, "spec": {"tags": {"team": "a"}}}`
		adopted = `{"apiVersion": "example.org/v1", "kind": "Adopted", "spec": {"managementPolicies": ["Observe"], "tags": {"team": "a"}}}`
	)

	all := map[string]string{
		"bucket": bucket, "object": object, "queue": queue, "tagged": tagged, "unknown": unknown, "none": none, "odd": odd,
		"skipped": skipped, "adopted": adopted, "nothing": nothing,
	}

	cases := map[string]struct {
		reason  string
		entries []v1beta1.ResourceSelector
	}{
		"NoEntries":          {reason: "Without entries all resources are managed."},
		"Name":               {reason: "A name selects one resource. Nobody asks for the fields of others.", entries: []v1beta1.ResourceSelector{{Name: profile.NewPattern("bucket")}}},
		"NamePattern":        {reason: "A star in a name matches any run of characters.", entries: []v1beta1.ResourceSelector{{Name: profile.NewPattern("*u*e*")}}},
		"NameInCase":         {reason: "Names are told apart by case.", entries: []v1beta1.ResourceSelector{{Name: profile.NewPattern("Bucket")}}},
		"APIVersion":         {reason: "An API version is one of all that the resource has.", entries: []v1beta1.ResourceSelector{{APIVersion: profile.NewPattern("s3.example.org/v1")}}},
		"APIVersionPattern":  {reason: "A star in an API version matches any run of characters.", entries: []v1beta1.ResourceSelector{{APIVersion: profile.NewPattern("s3.*/v1beta*")}}},
		"Kind":               {reason: "A kind may be given with any API version.", entries: []v1beta1.ResourceSelector{{Kind: profile.NewPattern("Queue")}}},
		"KindPattern":        {reason: "A star in a kind matches any run of characters.", entries: []v1beta1.ResourceSelector{{Kind: profile.NewPattern("*b*ct")}}},
		"MatchLabels":        {reason: "Labels of Kubernetes select resources that have all of them.", entries: []v1beta1.ResourceSelector{{MatchLabels: map[string]string{"tier": "gold"}}}},
		"MatchAllLabels":     {reason: "An empty label is one.", entries: []v1beta1.ResourceSelector{{MatchLabels: map[string]string{"tier": "gold", "empty": ""}}}},
		"MatchLabelsExactly": {reason: "Labels have no patterns, and a value that is no string is none of theirs.", entries: []v1beta1.ResourceSelector{{MatchLabels: map[string]string{"tier": "*"}}, {MatchLabels: map[string]string{"number": "1"}}, {MatchLabels: map[string]string{"null": ""}}}},
		"MatchTags":          {reason: "Tags that earlier steps set select resources that have all of them. What has no such field isn't selected.", entries: []v1beta1.ResourceSelector{{MatchTags: map[string]string{"team": "a"}}}},
		"MatchAllTags":       {reason: "An empty tag is one.", entries: []v1beta1.ResourceSelector{{Kind: profile.NewPattern("Queue"), MatchTags: map[string]string{"team": "a", "empty": ""}}, {Kind: profile.NewPattern("Tagged"), MatchTags: map[string]string{"team": "a", "empty": ""}}}},
		"MatchTagsExactly": {
			reason: "Tags have no patterns, and a value that is no string is none of theirs.",
			entries: []v1beta1.ResourceSelector{
				{Kind: profile.NewPattern("Queue"), MatchTags: map[string]string{"team": "*"}},
				{Kind: profile.NewPattern("Queue"), MatchTags: map[string]string{"te*": "a"}},
				{Kind: profile.NewPattern("Queue"), MatchTags: map[string]string{"odd": "1"}},
				{Kind: profile.NewPattern("Queue"), MatchTags: map[string]string{"Team": "a"}},
			},
		},
		"MatchTagsNotOurs": {reason: "A tag that a label becomes selects nothing: it is not there before.", entries: []v1beta1.ResourceSelector{{Kind: profile.NewPattern("Queue"), MatchTags: map[string]string{"ours:a": "1"}}}},
		"All":              {reason: "Within an entry everything must hold.", entries: []v1beta1.ResourceSelector{{Name: profile.NewPattern("t*"), APIVersion: profile.NewPattern("s3.*"), Kind: profile.NewPattern("*"), MatchLabels: map[string]string{"tier": "gold"}, MatchTags: map[string]string{"Name": "y"}}}},
		"AllButOne": {
			reason: "Within an entry everything must hold.",
			entries: []v1beta1.ResourceSelector{
				{Name: profile.NewPattern("x*"), APIVersion: profile.NewPattern("s3.*"), Kind: profile.NewPattern("*"), MatchLabels: map[string]string{"tier": "gold"}, MatchTags: map[string]string{"Name": "y"}},
				{Name: profile.NewPattern("t*"), APIVersion: profile.NewPattern("s4.*"), Kind: profile.NewPattern("*"), MatchLabels: map[string]string{"tier": "gold"}, MatchTags: map[string]string{"Name": "y"}},
				{Name: profile.NewPattern("t*"), APIVersion: profile.NewPattern("s3.*"), Kind: profile.NewPattern("x"), MatchLabels: map[string]string{"tier": "gold"}, MatchTags: map[string]string{"Name": "y"}},
				{Name: profile.NewPattern("t*"), APIVersion: profile.NewPattern("s3.*"), Kind: profile.NewPattern("*"), MatchLabels: map[string]string{"tier": "iron"}, MatchTags: map[string]string{"Name": "y"}},
				{Name: profile.NewPattern("t*"), APIVersion: profile.NewPattern("s3.*"), Kind: profile.NewPattern("*"), MatchLabels: map[string]string{"tier": "gold"}, MatchTags: map[string]string{"Name": "x"}},
			},
		},
		"AnyEntry": {reason: "Any entry selects.", entries: []v1beta1.ResourceSelector{{Name: profile.NewPattern("queue")}, {Kind: profile.NewPattern("Nothing")}, {MatchLabels: map[string]string{"tier": "silver"}}}},
		"LeftAlone": {
			reason:  "A resource that is selected is left alone if it must be, and nobody asks for the fields of one that asks for it itself.",
			entries: []v1beta1.ResourceSelector{{Name: profile.NewPattern("adopted")}, {Name: profile.NewPattern("skipped")}, {Name: profile.NewPattern("none")}, {Name: profile.NewPattern("unknown")}, {Name: profile.NewPattern("nothing")}},
		},
	}

	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			locator := &asked{field: shapes["Map"].field, kinds: make(map[string]bool)}
			stamper := &Stamper{
				Finder: locate.Finder{
					Input:    &v1beta1.CloudTags{Sources: []v1beta1.Source{{OnConflict: tags.Retain}}, Resources: tc.entries},
					Provider: "aws",
					Fields:   fixed(locator),
				},
				Transformer: transformer(label("a", "1")),
			}

			desired := make(map[string]*fnv1.Resource, len(all))
			for name, r := range all {
				desired[name] = &fnv1.Resource{Resource: tagstest.MustStructJSON(r)}
			}

			out, err := stampAll(stamper, desired)
			g.Check(t, tc.reason, append(lines(out, err), fmt.Sprintf("asked: %q", slices.Sorted(maps.Keys(locator.kinds)))))
		})
	}
}

// TestUnmatched is about selectors that select nothing.
func TestUnmatched(t *testing.T) {
	selectors := func(names ...string) (out []v1beta1.ResourceSelector) {
		for _, name := range names {
			out = append(out, v1beta1.ResourceSelector{Name: profile.NewPattern(name)})
		}

		return out
	}

	in := &v1beta1.CloudTags{
		Resources: append(selectors("buckt", "bucket"), v1beta1.ResourceSelector{MatchTags: map[string]string{"team": "b"}}, v1beta1.ResourceSelector{MatchTags: map[string]string{"team": "a"}}),
		TagPolicy: &v1beta1.TagPolicy{Rules: []v1beta1.TagRule{
			{Key: "a"}, {Key: "b", Resources: selectors("*", "other")}, {Key: "c", Resources: selectors("queu")},
		}},
		Sources:            []v1beta1.Source{{}, {Resources: selectors("bucket", "buckets")}},
		KubernetesMetadata: []v1beta1.MetadataRule{{Resources: selectors("bucket")}, {Resources: selectors("bucket", "Bucket")}},
		TagFields: []v1beta1.TagField{
			{APIVersion: profile.NewPattern("s3.example.org/*"), Kind: profile.NewPattern("Bucket")},
			{APIVersion: profile.NewPattern("s3.example.org/v1"), Kind: profile.NewPattern("*")},
			{APIVersion: profile.NewPattern("v1"), Kind: profile.NewPattern("Name*")},
		},
	}

	cases := map[string]struct {
		reason  string
		desired map[string]string
		want    []string
	}{
		"Some": {
			reason: "Each entry that selects nothing should be told, beside those that select something, by name or by tags.",
			desired: map[string]string{
				"bucket": `{"apiVersion": "s3.example.org/v1beta1", "kind": "Bucket", "spec": {"tags": {"team": "a"}}}`,
				// What is left alone is selected all the same.
				"other": `{"apiVersion": "s3.example.org/v1beta1", "kind": "Bucket", "metadata": {"annotations": {"` + locate.IgnoreAnnotation + `": "true"}}}`,
			},
			want: []string{"resources[0]", "resources[2]", "sources[1].resources[1]", "tagPolicy.rules[2].resources[0]", "kubernetesMetadata[1].resources[1]", "tagFields[1]", "tagFields[2]"},
		},
		"Manifest": {
			reason: "An entry of tagFields may be for a manifest that a resource wraps.",
			desired: map[string]string{
				"bucket": `{"apiVersion": "kubernetes.crossplane.io/v1alpha2", "kind": "Object", "spec": {"forProvider": {"manifest": {"apiVersion": "v1", "kind": "Namespace"}}}}`,
			},
			want: []string{
				"resources[0]", "resources[2]", "resources[3]", "sources[1].resources[1]", "tagPolicy.rules[1].resources[1]", "tagPolicy.rules[2].resources[0]",
				"kubernetesMetadata[1].resources[1]", "tagFields[0]", "tagFields[1]",
			},
		},
		"NoResources": {reason: "Where there is nothing, nothing is misspelled."},
	}

	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			stamper := &Stamper{Finder: locate.Finder{Input: in, Provider: "aws", Fields: fixed(&asked{field: shapes["Map"].field, kinds: make(map[string]bool)})}, Transformer: transformer(label("a", "1"))}

			desired := make(map[string]*fnv1.Resource)
			for name, r := range tc.desired {
				desired[name] = &fnv1.Resource{Resource: tagstest.MustStructJSON(r)}
			}

			targets, err := stamper.Targets(t.Context(), desired)
			if err != nil {
				t.Fatal(err)
			}

			if diff := cmp.Diff(tc.want, targets.Unmatched()); diff != "" {
				t.Errorf("\n%s\nUnmatched(): -want, +got:\n%s", tc.reason, diff)
			}
		})
	}
}

// TestStampNothingToDo tests what is said of resources, and asked for them, by what there
// is to do about tags.
func TestStampNothingToDo(t *testing.T) {
	g := tagstest.NewGolden(t)

	cases := map[string]struct {
		reason         string
		labels         []tags.Label
		remove, ignore []resolve.TagKey
		sources        int
	}{
		"Nothing":  {reason: "Without sources, and tags to remove or ignore, resources are not looked at."},
		"NoLabels": {reason: "Without labels, resources may have some that were there before, but those without a tag field are no matter.", sources: 1},
		"Labels":   {reason: "Labels are something to do.", labels: []tags.Label{label("a", "1")}, sources: 1},
		"Remove":   {reason: "Tags to remove are something to do without any source.", remove: keys("a")},
		"Ignore":   {reason: "Tags to ignore are something to do without any source.", ignore: keys("a")},
	}

	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			locator := &asked{field: shapes["Map"].field, kinds: make(map[string]bool)}
			stamper := &Stamper{
				Finder: locate.Finder{
					Input:    &v1beta1.CloudTags{Sources: make([]v1beta1.Source, tc.sources)},
					Provider: "aws",
					Fields:   fixed(locator),
				},
				Transformer: transformer(tc.labels...),
				Remove:      tc.remove,
				Ignore:      tc.ignore,
			}

			out, err := stampAll(stamper, tagstest.Resources(map[string]string{"none": `{"apiVersion": "v1", "kind": "None"}`, "unknown": `{"apiVersion": "v1", "kind": "Unknown"}`}))
			g.Check(t, tc.reason, append(lines(out, err), fmt.Sprintf("located: %t", len(locator.kinds) > 0)))
		})
	}
}
