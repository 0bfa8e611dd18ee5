package stamp

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"reflect"
	"runtime/debug"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/testing/protocmp"
	"google.golang.org/protobuf/types/known/structpb"

	fnv1 "github.com/crossplane/function-sdk-go/proto/v1"

	"github.com/plexsphere/function-cloud-tags/input/v1beta1"
	"github.com/plexsphere/function-cloud-tags/tags"
	"github.com/plexsphere/function-cloud-tags/tags/field"
	"github.com/plexsphere/function-cloud-tags/tags/locate"
	"github.com/plexsphere/function-cloud-tags/tags/tagstest"
)

// from returns the labels with the source whose position they have, or the first.
func from(sources []v1beta1.Source, labels ...tags.Label) []tags.Label {
	in, out := &v1beta1.CloudTags{Sources: sources}, slices.Clone(labels)

	for i := range out {
		s := tags.Source{}
		if out[i].Source != nil {
			s = *out[i].Source
		}

		s.Name, s.OnConflict = in.SourceName(s.Position), sources[s.Position].OnConflict
		out[i].Source = &s
	}

	return out
}

// under returns the labels with a source that has the policy.
func under(policy tags.Conflict, labels ...tags.Label) []tags.Label {
	return from([]v1beta1.Source{{OnConflict: policy}}, labels...)
}

// stampAll stamps the resources.
func stampAll(s *Stamper, desired map[string]*fnv1.Resource) (*Outcome, error) {
	return s.Stamp(context.Background(), targetsOf(s, desired))
}

// targetsOf returns the desired resources as targets.
func targetsOf(s *Stamper, desired map[string]*fnv1.Resource) *locate.Targets {
	targets, err := s.Targets(context.Background(), desired)
	if err != nil {
		panic(err) // Nothing ends the context.
	}

	return targets
}

// lines are all that the outcome of a Stamper says, or its error.
func lines(o *Outcome, err error) []string {
	if err != nil {
		return []string{"error: " + err.Error()}
	}

	out := []string{}
	add := func(format string, args ...any) { out = append(out, fmt.Sprintf(format, args...)) }

	for _, r := range o.Results {
		if !r.Stamped.IsZero() {
			add("%s: %s", r.Resource, specJSON(r.Stamped.Struct()))
		}

		out = append(out, told(&r)...)
	}

	for _, s := range o.CloudRefuses {
		add("the API refuses %s -> %s on %s%v: %s (%s)", s.QualifiedKey, s.TagKey, s.Provider, s.Resources, s.Reason, s.Limit)
	}

	out = append(out, changed(o)...)

	for _, r := range o.Results {
		if len(r.Final) > 0 {
			add("%s has in the end by %s: %q", r.Resource, r.Provider, keysAndValues(r.Final))
		}
	}

	for _, s := range o.Skips {
		add("skipped %s -> %s on %s%v: %s (%s)", s.QualifiedKey, s.TagKey, s.Provider, s.Resources, s.Reason, s.Limit)
	}

	return out
}

// told is what the result says of a resource, but for what it becomes.
func told(r *Result) []string {
	out := []string{}
	add := func(format string, args ...any) { out = append(out, fmt.Sprintf(format, args...)) }

	if tagged := r.taggedBy(); len(tagged) > 0 {
		add("%s is tagged by %s: %q", r.Resource, r.Provider, keysAndValues(tagged))
	}

	protected, _ := r.Notes.Keys(NoteProtected)
	unkept, _ := r.Notes.Keys(NoteUnkept)

	for i, keys := range [][]string{r.Keys(tags.Retained), r.Keys(tags.Ignored), r.Keys(tags.Removed), protected, unkept} {
		if len(keys) > 0 {
			add("%s %s: %q", r.Resource, []string{"retained", "ignored", "removed", "protected", "unkept"}[i], keys)
		}
	}

	for _, n := range r.Notes {
		if n.Kind != NoteProtected && n.Kind != NoteUnkept {
			add("%s note %d: %q %s", r.Resource, n.Kind, n.Keys, n.Manager)
		}
	}

	if r.LeftAlone != "" {
		add("%s (%s %s, %s) %s", r.Resource, r.APIVersion, r.Kind, r.Provider, r.LeftAlone)
	}

	if r.Mismatch != "" {
		add("%s mismatches: %s", r.Resource, r.Mismatch)
	}

	if r.Trusted != nil {
		add("%s trusts: %q", r.Resource, keysAndValues(r.Trusted))
	}

	return out
}

// taggedBy returns the tags that labels have become.
func (r *Result) taggedBy() map[string]string {
	out := make(map[string]string)

	for _, j := range r.Records {
		if j.Fate == tags.Tagged {
			out[j.Key] = j.Value
		}
	}

	return out
}

// specJSON is r as JSON, without what all things have.
func specJSON(r *structpb.Struct) []byte {
	fields := r.AsMap()
	delete(fields, "apiVersion")
	delete(fields, "kind")

	if reflect.DeepEqual(map[string]any{"labels": map[string]any{"app": "x"}}, fields["metadata"]) {
		delete(fields, "metadata")
	}

	j, err := json.Marshal(fields)
	if err != nil {
		panic(err) // It was JSON.
	}

	return j
}

// stampUnchanged stamps the desired resources, and fails the test if that changes the arguments.
func stampUnchanged(t *testing.T, s *Stamper, desired map[string]*fnv1.Resource) (*Outcome, error) {
	t.Helper()

	all := func() *fnv1.RunFunctionRequest {
		return &fnv1.RunFunctionRequest{Desired: &fnv1.State{Resources: desired}, Observed: &fnv1.State{Resources: s.Observed}}
	}

	before := proto.CloneOf(all())
	out, err := stampAll(s, desired)

	// To find a difference takes long, and there is hardly ever one.
	if !proto.Equal(before, all()) {
		t.Errorf("\nStamp(...) changed what it was given: -before, +after:\n%s", cmp.Diff(before, all(), protocmp.Transform()))
	}

	return out, err
}

// desiring returns one desired resource with the spec.
func desiring(spec string) map[string]*fnv1.Resource {
	return map[string]*fnv1.Resource{"r": {Resource: thing(spec)}}
}

// trusted returns l as a label of a trusted source.
func trusted(l tags.Label) tags.Label {
	l.Trusted = true
	return l
}

// reserving returns a transformer of the labels that has the reserved keys.
func reserving(reserved []string, labels ...tags.Label) *tags.Transformer {
	t := transformer(labels...)
	t.Reserve(reserved, "ours:", nil)

	return t
}

// changed are the changes of all resources, line by line.
func changed(o *Outcome) []string {
	out := []string{}

	for _, r := range o.Results {
		for i, values := range []map[string]Values{r.Changes.Added, r.Changes.Changed, r.Changes.Removed} {
			for _, key := range slices.Sorted(maps.Keys(values)) {
				out = append(out, fmt.Sprintf("%s (%s %s) %s %s: %q -> %q", r.Resource, r.APIVersion, r.Kind, []string{"adds", "changes", "removes"}[i], key, values[key].Before, values[key].After))
			}
		}
	}

	return out
}

// everywhere locates one field on all kinds.
func everywhere(f field.Field) func(field.Schemas) field.Locator {
	return fixed(somewhere(f))
}

type somewhere field.Field

func (s somewhere) Locate(field.Kind) (field.Field, bool) { return field.Field(s), true }

// fixed returns l, which needs no schemas.
func fixed(l field.Locator) func(field.Schemas) field.Locator {
	return func(field.Schemas) field.Locator { return l }
}

// label of the first source, that should become the tag ours:<key>.
func label(key, value string) tags.Label {
	return tags.Label{QualifiedKey: key, TagKey: "ours:" + key, Value: value}
}

// labels with the keys k00 to k<n-1>.
func labels(n int) []tags.Label {
	out := make([]tags.Label, n)
	for i := range out {
		out[i] = label(fmt.Sprintf("k%02d", i), "v")
	}

	return out
}

func transformer(labels ...tags.Label) *tags.Transformer {
	slices.SortFunc(labels, tags.Label.Compare)
	return tags.NewTransformer(labels, nil)
}

// thing returns a resource with the spec.
func thing(spec string) *structpb.Struct {
	return tagstest.MustStructJSON(`{"apiVersion": "example.org/v1", "kind": "Thing", "metadata": {"labels": {"app": "x"}}, "spec": ` + spec + `}`)
}

// TestMain lets Go collect garbage less often, which takes a sixth of the time otherwise.
func TestMain(m *testing.M) {
	debug.SetGCPercent(400)
	m.Run()
}
