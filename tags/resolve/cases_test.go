package resolve_test

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/testing/protocmp"
	"google.golang.org/protobuf/types/known/structpb"

	fnv1 "github.com/crossplane/function-sdk-go/proto/v1"

	"github.com/plexsphere/function-cloud-tags/input/v1beta1"
	"github.com/plexsphere/function-cloud-tags/tags"
	"github.com/plexsphere/function-cloud-tags/tags/field"
	"github.com/plexsphere/function-cloud-tags/tags/object"
	"github.com/plexsphere/function-cloud-tags/tags/require"
	"github.com/plexsphere/function-cloud-tags/tags/resolve"
	"github.com/plexsphere/function-cloud-tags/tags/tagstest"
	"github.com/plexsphere/function-cloud-tags/tags/words"
)

// A world is what sources read.
type world struct {
	Composite *structpb.Struct   `json:"composite"`
	Context   *structpb.Struct   `json:"context"`
	Objects   []*structpb.Struct `json:"objects"`

	// Resources whose labels differ.
	Resources map[string]pair `json:"resources"`

	// Input but for its apiVersion and kind.
	Input json.RawMessage `json:"input"`
}

// A pair is a composed resource.
type pair struct {
	Desired  *structpb.Struct `json:"desired"`
	Observed *structpb.Struct `json:"observed"`
}

// configOf returns the provider config of a resource, which may be none.
func configOf(set *resolve.LabelSet, desired object.Object) resolve.Config {
	ref := desired.Node().Field("spec").Field("providerConfigRef")
	config, _ := field.ConfigOf(object.GVK(desired).GroupKind(), set.PerResource.NamespaceOf(desired), ref.Field("kind").Text(), ref.Field("name").Text())

	return resolve.Config(config)
}

// composed returns the resource in the form in which a set is asked about it.
func (p pair) composed(name string, set *resolve.LabelSet) *resolve.ComposedResource {
	desired := object.FromStruct(p.Desired)
	selects := func(e v1beta1.ResourceSelector) bool {
		return e.Name.Matches(name) && e.Kind.Matches(object.Kind(desired))
	}

	return &resolve.ComposedResource{
		Name: name, Config: configOf(set, desired), Desired: desired, Observed: object.FromStruct(p.Observed),
		Selects: func(entries []v1beta1.ResourceSelector) bool { return slices.ContainsFunc(entries, selects) },
	}
}

// A resolveCase is an input, and a world in the place of the file's.
type resolveCase struct {
	world

	Name   string `json:"name"`
	Reason string `json:"reason"`

	// Old is for a Crossplane before v2.2, which names no capabilities. AnswersAll is for one that answers every selector with
	// all objects.
	Old        bool `json:"old"`
	AnswersAll bool `json:"answersAll"`
}

// A resolveFile is cases, and the world of those that don't have their own.
type resolveFile struct {
	world

	Cases []resolveCase `json:"cases"`
}

// TestCases resolves the cases of each file in testdata.
func TestCases(t *testing.T) {
	tagstest.EachFile(t, "testdata/*.yaml", func(t *testing.T, file *resolveFile, g *tagstest.Golden) {
		t.Helper()

		for _, tc := range file.Cases {
			t.Run(tc.Name, func(t *testing.T) { g.Check(t, tc.Reason, tc.run(t, file.world)) })
		}
	})
}

// TestOptions proves that some case has each option of sources and of include.
func TestOptions(t *testing.T) {
	files, err := filepath.Glob("testdata/*.yaml")
	if err != nil {
		t.Fatal(err)
	}

	seen := make(map[string]json.RawMessage)

	for _, file := range files {
		var f resolveFile

		tagstest.ReadYAML(t, file, &f)

		for _, input := range append(words.Map(f.Cases, func(tc resolveCase) json.RawMessage { return tc.Input }), f.Input) {
			var in struct {
				Sources []map[string]json.RawMessage `json:"sources"`
			}

			if err := json.Unmarshal(input, &in); input != nil && err != nil {
				t.Fatalf("%s: %v", file, err)
			}

			for _, s := range in.Sources {
				maps.Copy(seen, s)

				if err := json.Unmarshal(s["include"], &seen); s["include"] != nil && err != nil {
					t.Fatalf("%s: %v", file, err)
				}
			}
		}
	}

	for _, option := range append(tagstest.Options[v1beta1.Source](), tagstest.Options[v1beta1.Include]()...) {
		if seen[option] == nil {
			t.Errorf("no case in testdata has the option %s of sources", option)
		}
	}
}

// run resolves the case twice in its own world, or else in the file's, and tells the result.
func (tc *resolveCase) run(t *testing.T, w world) []string {
	t.Helper()

	if tc.Composite != nil {
		w.Composite = tc.Composite
	}

	if tc.Context != nil {
		w.Context = tc.Context
	}

	if tc.Objects != nil {
		w.Objects = tc.Objects
	}

	req := request(w.Composite)
	req.Context = w.Context

	if tc.Resources != nil {
		w.Resources = tc.Resources
	}

	if tc.Old {
		req.Meta = nil
	}

	if tc.Input != nil {
		w.Input = tc.Input
	}

	req.Desired = &fnv1.State{Resources: make(map[string]*fnv1.Resource)}
	for name, r := range w.Resources {
		req.Desired.Resources[name] = &fnv1.Resource{Resource: r.Desired}
	}

	in := decode(t, strings.TrimSuffix(strings.TrimPrefix(string(w.Input), "{"), "}"))
	before, inBefore := proto.CloneOf(req), in.DeepCopy()

	run := func() []string {
		set, calls, err := cluster{objects: w.Objects, answersAll: tc.AnswersAll}.reconcile(in, req)
		told := append(append(tell(&set, calls, err), w.tellResources(&set)...), w.tellMetadata(&set)...)

		if in.ToContextKey != "" {
			told = append(told, fmt.Sprintf("context %v", set.ForContext().AsMap()))
		}

		return told
	}

	told := run()

	// The same every time, whatever the order of maps is.
	if diff := cmp.Diff(told, run()); diff != "" {
		t.Errorf("\n%s: Resolve(...) of the same: -first, +second:\n%s", tc.Name, diff)
	}

	if !proto.Equal(before, req) {
		t.Errorf("\n%s: Resolve(...) changed the request: -before, +after:\n%s", tc.Name, cmp.Diff(before, req, protocmp.Transform()))
	}

	if !reflect.DeepEqual(inBefore, in) {
		t.Errorf("\n%s: Resolve(...) changed the input: -before, +after:\n%s", tc.Name, cmp.Diff(inBefore, in))
	}

	return told
}

// tell says what is in a set, and what each call required for it.
func tell(s *resolve.LabelSet, calls []*fnv1.Requirements, err error) []string {
	out := []string{}
	say := func(format string, args ...any) { out = append(out, fmt.Sprintf(format, args...)) }

	for i, c := range calls {
		if i > 0 && proto.Equal(c, calls[0]) {
			say("requires the same again")
			continue
		}

		for _, selectors := range []map[string]*fnv1.ResourceSelector{c.GetResources(), c.GetExtraResources()} { //nolint:staticcheck // What Crossplane before v2.2 is asked.
			for _, name := range slices.Sorted(maps.Keys(selectors)) {
				say("requires %s", selector(selectors[name]))
			}
		}

		if c != nil && len(c.GetResources())+len(c.GetExtraResources()) == 0 { //nolint:staticcheck // See above.
			say("requires nothing, but not nil")
		}

		if len(c.GetExtraResources()) > 0 { //nolint:staticcheck // See above.
			say("requires extra resources")
		}
	}

	if err != nil {
		say("error: %v", err)
	}

	if s.Provider != "" {
		say("provider %s", s.Provider)
	}

	out = append(out, tellLabels(s)...)

	for _, name := range slices.Sorted(maps.Keys(s.Classes)) {
		c := s.Classes[name]
		say("class %s: %s (%s)", name, object.Title(c), object.APIVersion(c))
	}

	for _, k := range s.Remove {
		say("remove %s", tagKey(k))
	}

	for _, k := range s.Ignore {
		say("ignore %s", tagKey(k))
	}

	for i, m := range s.Metadata {
		say("metadata[%d] labels %q annotations %q", i, m.Labels[""], m.Annotations[""])

		for _, name := range m.Items() {
			if name != "" {
				say("metadata[%d] of %s: labels %q annotations %q", i, name, m.Labels[name], m.Annotations[name])
			}
		}
	}

	for _, h := range s.Hops {
		say("hop: %s", h)
	}

	for _, a := range s.CommonValueless {
		say("absent: %s", a)
	}

	for _, n := range s.Nulls() {
		say("null: %s", n)
	}

	for _, e := range s.EmptySources {
		say("empty: %s", e)
	}

	for _, a := range s.AmbiguousSources {
		say("ambiguous: %s", a)
	}

	for _, c := range s.ClassChanges {
		say("class changed: %s: from %v to %v", c.Source, c.From, c.To)
	}

	return out
}

// tellLabels tells the labels of a set.
func tellLabels(s *resolve.LabelSet) []string {
	var out []string

	for _, l := range s.Labels {
		out = append(out, "label "+label(l))
	}

	for _, o := range s.Overridden {
		out = append(out, "overridden: "+label(o))
	}

	for _, l := range s.Denied {
		out = append(out, "denied "+label(l))
	}

	return out
}

// tellMetadata tells the metadata that expressions compute for each resource.
func (w *world) tellMetadata(s *resolve.LabelSet) (out []string) {
	for i, m := range s.Metadata {
		if m.PerResource == nil {
			continue
		}

		for _, name := range slices.Sorted(maps.Keys(w.Resources)) {
			r := w.Resources[name]

			m, err := m.PerResource(&resolve.ComposedResource{Name: name, Desired: object.FromStruct(r.Desired), Observed: object.FromStruct(r.Observed)})
			if err != nil {
				out = append(out, fmt.Sprintf("metadata[%d] error: %v", i, err))
				continue
			}

			out = append(out, fmt.Sprintf("metadata[%d] for %s: labels %q annotations %q", i, name, m.Labels[""], m.Annotations[""]))
		}
	}

	return out
}

// tellResources tells the labels of each resource, if they differ.
func (w *world) tellResources(s *resolve.LabelSet) []string {
	if s.PerResource == nil {
		return nil
	}

	out := words.Map(s.PerResource.Differences(), func(d resolve.Difference) string { return d.Why })

	for _, name := range slices.Sorted(maps.Keys(w.Resources)) {
		r := w.Resources[name]

		set, err := s.PerResource.LabelSetOf(r.composed(name, s))
		if err != nil {
			out = append(out, name+": error: "+err.Error())
			continue
		}

		for _, told := range tellLabels(set) {
			out = append(out, name+": "+told)
		}
	}

	for _, e := range s.PerResource.EmptySources() {
		out = append(out, "empty: "+e.String())
	}

	return out
}

func label(l tags.Label) string {
	out := fmt.Sprintf("%q → %q = %q of %s", l.QualifiedKey, l.TagKey, l.Value, l.Source.Name)
	if l.Source.OnConflict != tags.Retain {
		out += ", onConflict " + string(l.Source.OnConflict)
	}

	if l.GivesTagKey {
		out += ", unprefixed"
	}

	if l.Trusted {
		out += ", trusted"
	}

	return out
}

func tagKey(k resolve.TagPattern) string {
	out := fmt.Sprintf("%q", k.Key)
	if k.Value != nil {
		out += fmt.Sprintf(" at %q", *k.Value)
	}

	if k.Retain {
		out += ", retain"
	}

	if k.Untrusted {
		out += ", untrusted"
	}

	return out
}

func selector(s *fnv1.ResourceSelector) string {
	out := fmt.Sprintf("%s (%s) named %q with %q", s.GetKind(), s.GetApiVersion(), s.GetMatchName(), s.GetMatchLabels().GetLabels())
	if s.Namespace != nil {
		out += fmt.Sprintf(" in %q", s.GetNamespace())
	}

	return out
}

// decode returns the input with these fields beside its apiVersion and kind.
func decode(tb testing.TB, fields string) *v1beta1.CloudTags {
	tb.Helper()

	s := &structpb.Struct{}
	if err := s.UnmarshalJSON([]byte(`{"apiVersion": "cloudtags.fn.plexsphere.com/v1beta1", "kind": "CloudTags", ` + fields + `}`)); err != nil {
		tb.Fatalf("the test's input is no JSON: %v", err)
	}

	in, err := v1beta1.Decode(s)
	if err != nil {
		tb.Fatalf("Decode(...): %v", err)
	}

	return in
}

// request returns the request of a Crossplane with all capabilities. It has nothing but the composite resource.
func request(xr *structpb.Struct) *fnv1.RunFunctionRequest {
	return &fnv1.RunFunctionRequest{
		Meta: &fnv1.RequestMeta{Capabilities: []fnv1.Capability{
			fnv1.Capability_CAPABILITY_CAPABILITIES,
			fnv1.Capability_CAPABILITY_REQUIRED_RESOURCES,
			fnv1.Capability_CAPABILITY_REQUIRED_SCHEMAS,
		}},
		Observed: &fnv1.State{Composite: &fnv1.Resource{Resource: xr}},
	}
}

// A cluster is the objects that Crossplane can fetch.
type cluster struct {
	objects []*structpb.Struct

	// answersAll reports whether Crossplane answers every selector with all objects.
	answersAll bool

	// extending is the input as it is written, if it extends a standard.
	extending *structpb.Struct
}

// joined are the inputs that tests have joined with their standards.
var joined v1beta1.Decoder

// resolve calls Resolve on the input, joined with its standard if it extends one.
func (c cluster) resolve(in *v1beta1.CloudTags, req *fnv1.RunFunctionRequest, required *require.Requirements) (resolve.LabelSet, error) {
	in, err := resolve.Extend(context.Background(), &joined, in, c.extending, required)
	if err != nil || required.Waiting() {
		return resolve.LabelSet{}, err
	}

	return resolve.Resolve(context.Background(), in, req, required, nil)
}

// reconcile calls Resolve as often as Crossplane calls the function: until two calls
// in a row require the same. It returns what the last call returned, and what each
// has required.
func (c cluster) reconcile(in *v1beta1.CloudTags, req *fnv1.RunFunctionRequest) (resolve.LabelSet, []*fnv1.Requirements, error) {
	const maxCalls = 6

	req = proto.CloneOf(req)
	calls := []*fnv1.Requirements{}

	for range maxCalls {
		required := require.New(req)
		rsp := &fnv1.RunFunctionResponse{}

		set, err := c.resolve(in, req, required)
		if err != nil {
			return set, calls, err
		}

		for name, r := range req.GetDesired().GetResources() {
			if set.PerResource != nil {
				set.PerResource.RequireConfig(pair{Desired: object.Of(r).Struct()}.composed(name, &set))
			}
		}

		required.AddTo(rsp)
		calls = append(calls, rsp.GetRequirements())

		if n := len(calls); n > 1 && proto.Equal(calls[n-2], calls[n-1]) || calls[n-1] == nil {
			if required.Waiting() {
				return set, calls, fmt.Errorf("still waiting after %d calls", len(calls))
			}

			return set, calls, nil
		}

		required.Answer(c.objects)

		for name := range req.GetExtraResources() { //nolint:staticcheck // What Crossplane before v2.2 answers.
			if c.answersAll {
				req.ExtraResources[name] = tagstest.Items(c.objects...) //nolint:staticcheck // See above.
			}
		}
	}

	return resolve.LabelSet{}, calls, fmt.Errorf("not settled after %d calls", maxCalls)
}
