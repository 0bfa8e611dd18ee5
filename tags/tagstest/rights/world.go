package rights

import (
	"context"
	_ "embed"
	"encoding/json"
	"maps"
	"slices"
	"strings"

	"github.com/google/go-cmp/cmp"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/testing/protocmp"
	"google.golang.org/protobuf/types/known/structpb"
	"pgregory.net/rapid"
	"sigs.k8s.io/yaml"

	fnv1 "github.com/crossplane/function-sdk-go/proto/v1"

	"github.com/plexsphere/function-cloud-tags/tags/command"
	"github.com/plexsphere/function-cloud-tags/tags/locate"
	"github.com/plexsphere/function-cloud-tags/tags/object"
	"github.com/plexsphere/function-cloud-tags/tags/require"
	"github.com/plexsphere/function-cloud-tags/tags/tagstest"
	"github.com/plexsphere/function-cloud-tags/tags/tagstest/calls"
)

// A world is all that a run reads: what the platform has made, and the texts of people.
type world struct {
	// input has all settings. The step's input may extend a standard that has some of them.
	input, step, standard map[string]any

	resources []resource
	texts     map[person]text
}

// platform is what the platform has made, for each world.
type platform struct {
	Composite map[string]any   `json:"composite"`
	Context   map[string]any   `json:"context"`
	Objects   []map[string]any `json:"objects"`
}

//go:embed platform.yaml
var platformText []byte

var constant = func() (out platform) {
	if err := yaml.UnmarshalStrict(platformText, &out); err != nil {
		panic(err)
	}

	return out
}()

func drawWorld(t *rapid.T) *world {
	w := &world{input: drawInput(t), resources: drawResources(t), texts: make(map[person]text)}
	w.step, w.standard = split(t, w.input)

	for _, p := range []person{author, neighbor, stranger, editor, tagger} {
		w.texts[p] = p.draw(penFor(t, w.input), w.resources, string(p))
	}

	return w
}

// with returns the world in which the person has written other text.
func (w *world) with(t *rapid.T, p person) *world {
	other := *w
	other.texts = maps.Clone(w.texts)
	other.texts[p] = p.redraw(penFor(t, w.input), w.texts[p], w.resources)

	return &other
}

// composite returns the composite resource, with the text of its author.
func (w *world) composite() map[string]any {
	out := clone(constant.Composite)

	for _, place := range slices.Sorted(maps.Keys(w.texts[author])) {
		v := w.texts[author][place]
		if v == nil {
			continue
		}

		path := object.MustParsePath(place)
		if there := at(out, path.Segments()); len(there) > 0 {
			v = union(v, there[0])
		}

		put(out, path, v)
	}

	return out
}

// objects returns all objects that Crossplane may find.
func (w *world) objects() []*structpb.Struct {
	out := []*structpb.Struct{}
	for _, o := range constant.Objects {
		out = append(out, tagstest.Struct(o))
	}

	if w.standard != nil {
		j, err := json.Marshal(w.standard)
		if err != nil {
			panic(err)
		}

		out = append(out, tagstest.Struct(map[string]any{"apiVersion": "v1", "kind": "ConfigMap", "metadata": map[string]any{"namespace": "platform", "name": "standard"}, "data": map[string]any{"standard": string(j)}}))
	}

	for _, p := range []person{neighbor, stranger} {
		for _, place := range slices.Sorted(maps.Keys(w.texts[p])) {
			o, ok := clone(w.texts[p][place]).(map[string]any)
			if !ok {
				continue
			}

			namespace, name, _ := strings.Cut(place, "/")
			metadata := child(o, "metadata")
			metadata["namespace"], metadata["name"] = namespace, name

			kind, ok := objectKinds[name]
			if !ok {
				kind = objectKinds[string(p)]
			}

			o["apiVersion"], o["kind"] = kind[0], kind[1]
			out = append(out, tagstest.Struct(o))
		}
	}

	return out
}

// request returns the first request for the world.
func (w *world) request() *fnv1.RunFunctionRequest {
	xr := tagstest.Struct(w.composite())
	observed, desired := make(map[string]*fnv1.Resource), make(map[string]*fnv1.Resource)
	manager := locate.ComposedOwner(object.FromStruct(xr))

	for i := range w.resources {
		r := &w.resources[i]
		desired[r.name] = &fnv1.Resource{Resource: tagstest.Struct(r.desired())}
		observed[r.name] = &fnv1.Resource{Resource: tagstest.Struct(r.observed(w.texts, manager))}
	}

	return &fnv1.RunFunctionRequest{
		Meta:     &fnv1.RequestMeta{Capabilities: []fnv1.Capability{fnv1.Capability_CAPABILITY_CAPABILITIES, fnv1.Capability_CAPABILITY_REQUIRED_RESOURCES}},
		Input:    tagstest.Struct(w.step),
		Observed: &fnv1.State{Composite: &fnv1.Resource{Resource: xr}, Resources: observed},
		Desired:  &fnv1.State{Resources: desired},
		Context:  tagstest.Struct(constant.Context),
	}
}

// settle calls the function as Crossplane does, until it requires nothing new, and returns its last response.
func (w *world) settle(t *rapid.T, function calls.Function) *fnv1.RunFunctionResponse {
	req, objects := w.request(), w.objects()

	for required := (*fnv1.Requirements)(nil); ; {
		rsp, err := function(context.Background(), proto.CloneOf(req))
		if err != nil {
			t.Fatal(err)
		}

		if fatal := command.Fatal(rsp); fatal != nil && !proto.Equal(req.GetDesired(), rsp.GetDesired()) {
			t.Fatalf("%v changed what was desired: -before, +after:\n%s", fatal, cmp.Diff(req.GetDesired(), rsp.GetDesired(), protocmp.Transform()))
		} else if fatal != nil || proto.Equal(required, rsp.GetRequirements()) {
			return rsp
		}

		required, req.Context = rsp.GetRequirements(), rsp.GetContext()
		require.Answer(req, required, objects)
	}
}
