package stamp

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"testing"

	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/testing/protocmp"
	"google.golang.org/protobuf/types/known/structpb"

	fnv1 "github.com/crossplane/function-sdk-go/proto/v1"
	"github.com/crossplane/function-sdk-go/resource"

	"github.com/google/go-cmp/cmp"

	"github.com/plexsphere/function-cloud-tags/input/v1beta1"
	"github.com/plexsphere/function-cloud-tags/tags"

	"github.com/plexsphere/function-cloud-tags/tags/tagstest"
)

// An outcome is that of a Stamper as tests write it: of resources it has what there is to
// say of them.
type outcome struct {
	Stamped    map[string]*structpb.Struct
	Active     []active
	Skips      []Skip
	Withheld   []withheldOn
	LeftAlone  []leftAlone
	Mismatches []mismatch
	Trusted    map[string]map[string]string
}

type active struct {
	Resource, Provider string
	Tags               map[string]string
}

type withheldOn struct {
	Resource                                      string
	Retained, Ignored, Removed, Protected, Unkept []string
}

type leftAlone struct {
	Resource, Provider, APIVersion, Kind, Why string
	NoField, Unknown                          bool
}

type mismatch struct{ Resource, Why string }

// outcomeOf returns what the supplied outcome says.
func outcomeOf(o *Outcome) *outcome {
	out := &outcome{Stamped: o.Stamped(), Skips: o.Skips, Trusted: make(map[string]map[string]string)}

	for _, r := range o.Results {
		if len(r.Active) > 0 {
			out.Active = append(out.Active, active{Resource: r.Resource, Provider: r.Provider, Tags: r.Active})
		}

		if w := r.Withheld; len(w.Retained)+len(w.Ignored)+len(w.Removed)+len(w.Protected)+len(w.Unkept) > 0 {
			out.Withheld = append(out.Withheld, withheldOn{r.Resource, w.Retained, w.Ignored, w.Removed, w.Protected, w.Unkept})
		}

		if r.LeftAlone != "" {
			out.LeftAlone = append(out.LeftAlone, leftAlone{r.Resource, r.Provider, r.APIVersion, r.Kind, r.LeftAlone, r.NoField, r.Unknown})
		}

		if r.Mismatch != "" {
			out.Mismatches = append(out.Mismatches, mismatch{r.Resource, r.Mismatch})
		}

		if len(r.Trusted) > 0 {
			out.Trusted[r.Resource] = r.Trusted
		}
	}

	return out
}

// from returns the supplied labels with the source of the supplied ones whose position they
// have, or the first.
func from(sources []v1beta1.Source, labels ...tags.Label) []tags.Label {
	in, out := &v1beta1.CloudTags{Sources: sources}, slices.Clone(labels)

	for i := range out {
		s := tags.Source{}
		if out[i].Source != nil {
			s = *out[i].Source
		}

		s.Name, s.OnConflict = in.SourceName(s.Position), tags.Conflict(sources[s.Position].OnConflict)
		out[i].Source = &s
	}

	return out
}

// under returns the supplied labels with a source that has the supplied policy.
func under(policy v1beta1.ConflictPolicy, labels ...tags.Label) []tags.Label {
	return from([]v1beta1.Source{{OnConflict: policy}}, labels...)
}

// stampAll stamps the supplied resources.
func stampAll(s *Stamper, desired map[string]*fnv1.Resource) (*outcome, error) {
	targets, err := s.Targets(context.Background(), desired)
	if err != nil {
		return nil, err
	}

	o, err := s.Stamp(context.Background(), targets)
	if err != nil {
		return nil, err
	}

	return outcomeOf(o), nil
}

// targetsOf returns the supplied resources as targets.
func targetsOf(s *Stamper, desired map[string]*fnv1.Resource) *Targets {
	targets, err := s.Targets(context.Background(), desired)
	if err != nil {
		panic(err) // Nothing ends the context.
	}

	return targets
}

// jsonResources returns resources by name.
func jsonResources(jsons map[string]string) map[string]*fnv1.Resource {
	out := make(map[string]*fnv1.Resource, len(jsons))
	for name, j := range jsons {
		out[name] = &fnv1.Resource{Resource: resource.MustStructJSON(j)}
	}

	return out
}

// jsonThing returns the JSON of a resource with the supplied fields beside its kind.
func jsonThing(fields string) string {
	if fields != "" {
		fields = ", " + fields
	}

	return `{"apiVersion": "example.org/v1", "kind": "Thing"` + fields + `}`
}

// lines are all that the outcome of a Stamper says, or its error.
func lines(o *outcome, err error) []string {
	if err != nil {
		return []string{"error: " + err.Error()}
	}

	out := []string{}
	add := func(format string, args ...any) { out = append(out, fmt.Sprintf(format, args...)) }

	for _, name := range slices.Sorted(maps.Keys(o.Stamped)) {
		fields := o.Stamped[name].AsMap()
		delete(fields, "apiVersion")
		delete(fields, "kind")

		if diff := cmp.Diff(map[string]any{"labels": map[string]any{"app": "x"}}, fields["metadata"]); diff == "" {
			delete(fields, "metadata")
		}

		j, err := json.Marshal(fields)
		if err != nil {
			panic(err) // It was JSON.
		}

		add("%s: %s", name, j)
	}

	for _, a := range o.Active {
		add("%s is tagged by %s: %q", a.Resource, a.Provider, keysAndValues(a.Tags))
	}

	for _, w := range o.Withheld {
		for i, keys := range [][]string{w.Retained, w.Ignored, w.Removed, w.Protected, w.Unkept} {
			if len(keys) > 0 {
				add("%s %s: %q", w.Resource, []string{"retained", "ignored", "removed", "protected", "unkept"}[i], keys)
			}
		}
	}

	for _, s := range o.Skips {
		add("skipped %s -> %s on %s%v: %s (%s)", s.QualifiedKey, s.TagKey, s.Provider, s.Resources, s.Reason, s.Limit)
	}

	for _, l := range o.LeftAlone {
		add("%s (%s %s, %s) %s, no field %t, unknown %t", l.Resource, l.APIVersion, l.Kind, l.Provider, l.Why, l.NoField, l.Unknown)
	}

	for _, m := range o.Mismatches {
		add("%s mismatches: %s", m.Resource, m.Why)
	}

	for _, name := range slices.Sorted(maps.Keys(o.Trusted)) {
		add("%s trusts: %q", name, keysAndValues(o.Trusted[name]))
	}

	return out
}

// check that the supplied stamper makes of the supplied resources what the golden file says,
// and doesn't change these.
func check(t *testing.T, g *tagstest.Golden, reason string, s *Stamper, desired map[string]*fnv1.Resource) {
	t.Helper()

	clone := func(of map[string]*fnv1.Resource) map[string]*fnv1.Resource {
		out := maps.Clone(of)
		for name, r := range out {
			out[name] = proto.CloneOf(r)
		}

		return out
	}

	before, observed := clone(desired), clone(s.Observed)

	out, err := stampAll(s, desired)
	g.Check(t, reason, lines(out, err))

	if diff := cmp.Diff([]any{before, observed}, []any{desired, s.Observed}, protocmp.Transform()); diff != "" {
		t.Errorf("\n%s\nStamp(...) changed what it was given: -before, +after:\n%s", reason, diff)
	}
}

// one desired resource with the supplied spec.
func desiring(spec string) map[string]*fnv1.Resource {
	return map[string]*fnv1.Resource{"r": {Resource: thing(spec)}}
}
