package stamp

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	gocmp "github.com/google/go-cmp/cmp"
	"google.golang.org/protobuf/types/known/structpb"
	"pgregory.net/rapid"

	"github.com/crossplane/function-sdk-go/errors"
	fnv1 "github.com/crossplane/function-sdk-go/proto/v1"

	"github.com/plexsphere/function-cloud-tags/input/v1beta1"
	"github.com/plexsphere/function-cloud-tags/tags"
	"github.com/plexsphere/function-cloud-tags/tags/budget"
	"github.com/plexsphere/function-cloud-tags/tags/field"
	"github.com/plexsphere/function-cloud-tags/tags/locate"
	"github.com/plexsphere/function-cloud-tags/tags/object"
)

// labelsField is one that labels are handed on to.
var labelsField = field.Field{Layout: field.Layout{Shape: field.Labels}, Path: object.MustParsePath("spec.labels")}

// handingOn returns what hands the labels on.
func handingOn(labels ...tags.Label) *Stamper {
	slices.SortFunc(labels, tags.Label.Compare)

	return &Stamper{Finder: locate.Finder{Input: &v1beta1.CloudTags{Sources: []v1beta1.Source{{}}}, NewLocator: everywhere(labelsField)}, Transformer: tags.NewTransformer(labels, nil)}
}

// handedOn are labels that are there, and those that are handed on to them.
type handedOn struct {
	there    map[string]string
	labels   []tags.Label
	reserved []string
}

// drawHandedOn draws labels of which several can have one key. Keys are few, so that they often do.
func drawHandedOn(t *rapid.T) *handedOn {
	keys := rapid.SampledFrom([]string{"a", "A", "b", "ab", "ours:a", "ours:b", "crossplane-name", "aws:x"})
	values := rapid.SampledFrom([]string{"", "1", "2", strings.Repeat("x", 300), "é\n"})
	h := &handedOn{
		there:    rapid.MapOfN(keys, values, 0, 4).Draw(t, "there"),
		reserved: rapid.SliceOfNDistinct(rapid.SampledFrom([]string{"a", "B", "ab*", "ours:A", "crossplane-*"}), 0, 2, rapid.ID).Draw(t, "reserved"),
	}
	sources := []*tags.Source{}

	for i := range rapid.IntRange(1, 3).Draw(t, "sources") {
		sources = append(sources, &tags.Source{Name: fmt.Sprintf("sources[%d]", i), Position: i, OnConflict: rapid.SampledFrom([]tags.Conflict{tags.Retain, tags.Replace}).Draw(t, "onConflict")})
	}

	for _, key := range rapid.SliceOfNDistinct(keys, 0, 5, rapid.ID).Draw(t, "labels") {
		l := tags.Label{
			QualifiedKey: key, TagKey: "ours:" + key, Value: values.Draw(t, "value"),
			Source: rapid.SampledFrom(sources).Draw(t, "source"), Trusted: rapid.Bool().Draw(t, "trusted"),
		}
		if rapid.Bool().Draw(t, "Tag") {
			l.QualifiedKey, l.TagKey, l.GivesTagKey = strings.TrimPrefix(key, "ours:"), key, true
		}

		// No two labels have one tag key.
		if !slices.ContainsFunc(h.labels, func(o tags.Label) bool { return o.TagKey == l.TagKey }) {
			h.labels = append(h.labels, l)
		}
	}

	return h
}

// want is what is there in the end: what was there merged with the labels by onConflict of their sources, without
// labels that have reserved keys.
func (h *handedOn) want() map[string]string {
	winners := make(map[string]tags.Label)

	for _, l := range slices.SortedFunc(slices.Values(h.labels), tags.Label.Compare) {
		if slices.ContainsFunc(h.reserved, func(pattern string) bool { return reserves(pattern, l.QualifiedKey) || reserves(pattern, l.TagKey) }) {
			continue
		}

		other, ok := winners[l.QualifiedKey]
		if !ok || l.Trusted && !other.Trusted || l.Trusted == other.Trusted && l.Source.Position > other.Source.Position {
			winners[l.QualifiedKey] = l
		}
	}

	out := maps.Clone(h.there)

	for key, l := range winners {
		if _, ok := h.there[key]; !ok && key != "" || ok && l.Source.OnConflict == tags.Replace {
			out[key] = l.Value
		}
	}

	return out
}

// reserves reports whether the pattern of reserved keys matches the key, ignoring case.
func reserves(pattern, key string) bool {
	pattern, key = strings.ToLower(pattern), strings.ToLower(key)
	if begin, ok := strings.CutSuffix(pattern, "*"); ok {
		return strings.HasPrefix(key, begin)
	}

	return key == pattern
}

// run hands the labels on to a resource that is observed, and returns its spec.labels.
func (h *handedOn) run(t *rapid.T, observed map[string]string) map[string]string {
	s := handingOn(h.labels...)
	s.Transformer.Reserve(h.reserved, "ours:", nil)
	s.RemoveTags, s.IgnoreTags = keys("*"), keys("*")
	s.Input.RemoveTags, s.Input.LimitPolicy = []v1beta1.RemoveTag{{}}, v1beta1.LimitPolicyApplyStrict
	s.Observed = map[string]*fnv1.Resource{"r": {Resource: withLabels(observed)}}

	desired := map[string]*fnv1.Resource{"r": {Resource: withLabels(h.there)}}

	out, err := stampAll(s, desired)
	if err != nil {
		t.Fatal(err)
	}

	labels, err := object.Of(Apply(&fnv1.State{Resources: desired}, out.Changed).GetResources()["r"]).At(labelsField.Path)
	if err != nil {
		t.Fatal(err)
	}

	got := make(map[string]string)
	for key, v := range labels.Fields() {
		got[string(key)] = v.Text()
	}

	return got
}

// withLabels returns a thing with the labels.
func withLabels(labels map[string]string) *structpb.Struct {
	fields := make(map[string]*structpb.Value)
	for key, value := range labels {
		fields[key] = structpb.NewStringValue(value)
	}

	r := thing(`{}`)
	r.GetFields()["spec"].GetStructValue().Fields = map[string]*structpb.Value{"labels": structpb.NewStructValue(&structpb.Struct{Fields: fields})}

	return r
}

// TestHandsOn tests that labels are merged with a field of labels, whatever the input says of tags, and that a second
// run changes nothing.
func TestHandsOn(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		h := drawHandedOn(t)
		first := h.run(t, nil)

		if diff := gocmp.Diff(h.want(), first); diff != "" {
			t.Fatalf("%+v: -want, +got:\n%s", h, diff)
		}

		if diff := gocmp.Diff(first, h.run(t, first)); diff != "" {
			t.Fatalf("%+v: -first run, +second run:\n%s", h, diff)
		}
	})
}

// TestHandsOnToMany tests the limit on long labels that are handed on to many resources: nobody could take the
// response.
func TestHandsOnToMany(t *testing.T) {
	for n, want := range map[int]bool{3: false, 40: true} {
		desired := make(map[string]*fnv1.Resource)
		for i := range n {
			desired[fmt.Sprintf("r%02d", i)] = &fnv1.Resource{Resource: thing(`{}`)}
		}

		s := handingOn(under(tags.Retain, label("long", strings.Repeat("x", 1<<20)))...)
		s.Budget = budget.New(budget.MaxResponse)

		_, err := stampAll(s, desired)
		if got := errors.As(err, new(*budget.ExceededError)); got != want {
			t.Errorf("labels of 1 MiB on %d resources: want too much %t, got %v", n, want, err)
		}
	}
}

// TestHandsOnThousand tests that there is no cap: a set has a thousand labels at most.
func TestHandsOnThousand(t *testing.T) {
	all := make([]tags.Label, 1000)
	for i := range all {
		all[i] = label(fmt.Sprintf("k%03d", i), "v")
	}

	out, err := stampAll(handingOn(under(tags.Retain, all...)...), desiring(`{"labels": {"there": "x"}}`))
	if err != nil {
		t.Fatal(err)
	}

	labels, _ := out.Results[0].Stamped.At(labelsField.Path)
	if labels.Len() != len(all)+1 || len(out.Skips) > 0 {
		t.Errorf("want all of %d labels beside the one that is there, got %d, skipped %v", len(all), labels.Len(), out.Skips)
	}
}

// TestHandsOnAnnotations tests that annotations are left alone rather than made too large for Kubernetes.
func TestHandsOnAnnotations(t *testing.T) {
	for n, want := range map[int]bool{2: false, 3: true} {
		var all []tags.Label
		for i := range n {
			all = append(all, label(fmt.Sprint("k", i), strings.Repeat("x", 100_000)))
		}

		s := handingOn(under(tags.Retain, all...)...)
		s.NewLocator = everywhere(field.Field{Layout: field.Layout{Shape: field.Labels}, Path: object.MustParsePath("metadata.annotations")})

		out, err := stampAll(s, desiring(`{}`))
		if err != nil {
			t.Fatal(err)
		}

		if r := &out.Results[0]; (r.Mismatch != "") != want || r.Stamped.IsZero() != want {
			t.Errorf("%d annotations of 100,000 bytes: want too large %t, got %q", n, want, r.Mismatch)
		}
	}
}
