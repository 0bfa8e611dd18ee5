package explain

import (
	"bufio"
	"bytes"
	"cmp"
	"context"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"

	"google.golang.org/protobuf/encoding/protojson"
	"google.golang.org/protobuf/types/known/structpb"
	kyaml "k8s.io/apimachinery/pkg/util/yaml"
	"sigs.k8s.io/yaml"

	"github.com/crossplane/function-sdk-go/errors"
	fnv1 "github.com/crossplane/function-sdk-go/proto/v1"

	"github.com/plexsphere/function-cloud-tags/input/composition"
	"github.com/plexsphere/function-cloud-tags/input/v1beta1"
	"github.com/plexsphere/function-cloud-tags/tags"
	"github.com/plexsphere/function-cloud-tags/tags/require"
	"github.com/plexsphere/function-cloud-tags/tags/resolve"
)

// maxCalls is how often Crossplane calls a function until it has all it requires.
const maxCalls = 5

// hierarchy explains what the labels of a composite resource come to.
func (c *Command) hierarchy() (*explained, error) {
	in, err := c.input()
	if err != nil {
		return nil, err
	}

	xrs, err := readObjects(c.XR)
	if err != nil {
		return nil, err
	}

	if len(xrs) != 1 {
		return nil, errors.Errorf("cannot explain %s: it must have one composite resource, not %d objects", c.XR, len(xrs))
	}

	objects := []*structpb.Struct{}

	for _, path := range c.RequiredResources {
		more, err := readObjects(path)
		if err != nil {
			return nil, err
		}

		objects = append(objects, more...)
	}

	set, err := resolveWith(in, xrs[0], objects)
	if err != nil {
		return nil, err
	}

	providers := c.Provider
	if p := cmp.Or(in.ProviderValue(), set.Provider); len(providers) == 0 && p != "" {
		providers = []string{p}
	}

	e := c.explain(set.Transformer(in), tags.Rules(in.ProfileRules), providers)
	e.origins(in, &set)

	return e, nil
}

// input of the step of the composition that calls this function.
func (c *Command) input() (*v1beta1.CloudTags, error) {
	f, err := os.Open(c.Composition)
	if err != nil {
		return nil, errors.Wrapf(cause(err), "cannot read %s", c.Composition)
	}
	defer f.Close() //nolint:errcheck // It is only read.

	s, err := composition.ReadStep(f, c.Step)
	if err != nil {
		return nil, errors.Wrapf(err, "cannot read %s", c.Composition)
	}

	return s.Input, nil
}

// resolveWith resolves the supplied input with the supplied objects to be fetched.
func resolveWith(in *v1beta1.CloudTags, xr *structpb.Struct, objects []*structpb.Struct) (resolve.Set, error) {
	req := &fnv1.RunFunctionRequest{
		Meta:              &fnv1.RequestMeta{Capabilities: []fnv1.Capability{fnv1.Capability_CAPABILITY_CAPABILITIES, fnv1.Capability_CAPABILITY_REQUIRED_RESOURCES}},
		Observed:          &fnv1.State{Composite: &fnv1.Resource{Resource: xr}},
		RequiredResources: make(map[string]*fnv1.Resources),
	}

	for range maxCalls {
		required := require.New(req)

		set, err := resolve.Resolve(context.Background(), in, req, required)
		if err != nil || !required.Waiting() {
			return set, err
		}

		rsp := &fnv1.RunFunctionResponse{}
		required.AddTo(rsp)

		for name, selector := range rsp.GetRequirements().GetResources() {
			answer := &fnv1.Resources{}

			for _, o := range objects {
				if selects(selector, o) {
					answer.Items = append(answer.Items, &fnv1.Resource{Resource: o})
				}
			}

			req.RequiredResources[name] = answer
		}
	}

	return resolve.Set{}, errors.Errorf("what is required didn't settle after %d calls", maxCalls)
}

// selects is true if the supplied selector selects the supplied object.
func selects(s *fnv1.ResourceSelector, o *structpb.Struct) bool {
	meta := o.GetFields()["metadata"].GetStructValue().GetFields()

	if o.GetFields()["apiVersion"].GetStringValue() != s.GetApiVersion() || o.GetFields()["kind"].GetStringValue() != s.GetKind() {
		return false
	}

	if s.Namespace != nil && meta["namespace"].GetStringValue() != s.GetNamespace() {
		return false
	}

	if s.GetMatchName() != "" {
		return meta["name"].GetStringValue() == s.GetMatchName()
	}

	for key, value := range s.GetMatchLabels().GetLabels() {
		if v, ok := meta["labels"].GetStructValue().GetFields()[key]; !ok || v.GetStringValue() != value {
			return false
		}
	}

	return true
}

// readObjects reads the objects of a file, or of all YAML and JSON files in a folder.
func readObjects(path string) ([]*structpb.Struct, error) {
	out := []*structpb.Struct{}

	err := filepath.WalkDir(path, func(file string, d fs.DirEntry, err error) error {
		if err != nil {
			return errors.Wrapf(cause(err), "cannot read %s", file)
		}

		if d.IsDir() || file != path && !slices.Contains([]string{".yaml", ".yml", ".json"}, filepath.Ext(file)) {
			return nil
		}

		text, err := os.ReadFile(file) //nolint:gosec // The user names it.
		if err != nil {
			return errors.Wrapf(cause(err), "cannot read %s", file)
		}

		objects, err := decodeObjects(text)
		if err != nil {
			return errors.Wrapf(errors.New(oneLine(err)), "cannot read %s", file)
		}

		out = append(out, objects...)

		return nil
	})

	return out, err
}

func decodeObjects(text []byte) ([]*structpb.Struct, error) {
	out := []*structpb.Struct{}

	for r := kyaml.NewYAMLReader(bufio.NewReader(bytes.NewReader(text))); ; {
		doc, err := r.Read()
		if errors.Is(err, io.EOF) {
			return out, nil
		}

		if err != nil {
			return nil, err
		}

		j, err := yaml.YAMLToJSONStrict(doc)
		if err != nil {
			return nil, err
		}

		if string(j) == "null" {
			continue
		}

		o := &structpb.Struct{}
		if err := protojson.Unmarshal(j, o); err != nil {
			return nil, err
		}

		out = append(out, o)
	}
}

// An Origin is the source that a label came from, and what it overrode there.
type Origin struct {
	Source    string   `json:"source"`
	Overrides []Origin `json:"overrides,omitempty"`

	// Value that was overridden.
	Value string `json:"value,omitempty"`
}

// origins adds to the explanation where the labels of the supplied set came from.
func (e *explained) origins(in *v1beta1.CloudTags, set *resolve.Set) {
	name := func(i int) string { return cmp.Or(in.Sources[i].Name, in.SourceName(i)) }
	overrides := make(map[string][]Origin)

	for _, o := range slices.Backward(set.Overridden) {
		overrides[o.TagKey] = append(overrides[o.TagKey], Origin{Source: name(o.Source), Value: o.Value})
	}

	e.hierarchy = true

	for _, l := range set.Labels {
		o := Origin{Source: name(l.Source), Overrides: overrides[l.TagKey]}
		e.rows = append(e.rows, row{label: l, origin: o})

		for i := range e.providers {
			if key, ok := e.providers[i].keys[l.QualifiedKey]; ok {
				if e.providers[i].Sources == nil {
					e.providers[i].Sources = make(map[string]Origin)
				}

				e.providers[i].Sources[key] = o
			}
		}
	}

	for _, l := range set.Claims {
		e.rows = append(e.rows, row{label: l, origin: Origin{Source: name(l.Source)}, claim: true})
	}
}
