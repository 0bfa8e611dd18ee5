package manifest

import (
	"context"
	"encoding/json"
	"maps"
	"regexp"
	"slices"
	"strings"

	"google.golang.org/protobuf/types/known/structpb"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/crossplane/function-sdk-go/errors"
	fnv1 "github.com/crossplane/function-sdk-go/proto/v1"

	"github.com/plexsphere/function-cloud-tags/input/v1beta1"
	"github.com/plexsphere/function-cloud-tags/tags/object"
	"github.com/plexsphere/function-cloud-tags/tags/require"
	"github.com/plexsphere/function-cloud-tags/tags/resolve"
	"github.com/plexsphere/function-cloud-tags/tags/words"
)

// A Step is a pipeline step that runs the function.
type Step struct {
	Name  string
	Input *v1beta1.CloudTags

	// Written is the input as the Composition has it, which may extend a standard.
	Written *structpb.Struct

	// Composition is the name of the step's Composition.
	Composition string

	// Composite is the kind of the Composition's composite resources.
	Composite v1beta1.ResourceKind

	// Bases are the kinds of the objects in the inputs of all steps, as far as they are there to be read.
	Bases []schema.GroupKind
}

// A composition has the fields of a Composition that are read.
type composition struct {
	Metadata struct {
		Name string `json:"name"`
	} `json:"metadata"`

	Spec struct {
		CompositeTypeRef v1beta1.ResourceKind `json:"compositeTypeRef"`
		Pipeline         []struct {
			Step  string         `json:"step"`
			Input map[string]any `json:"input"`
		} `json:"pipeline"`
	} `json:"spec"`
}

// Step returns the step that runs the function in the Compositions of the file: the one of the name, or
// the only one if the name is empty. The standard that its input extends is among the required objects.
func (r *Reader) Step(file, name string, required ...*structpb.Struct) (*Step, error) {
	objects, err := r.Objects(file)
	if err != nil {
		return nil, err
	}

	s, err := stepOf(objects, name, required)

	return s, errors.Wrapf(OneLine(err), "cannot read %s", file)
}

func stepOf(objects []*structpb.Struct, name string, required []*structpb.Struct) (*Step, error) {
	var found []*Step

	for _, o := range objects {
		c, err := compositionOf(o)
		if err != nil {
			return nil, err
		}

		for _, s := range c.Spec.Pipeline {
			if name != "" && s.Step != name || s.Input["apiVersion"] != v1beta1.APIVersion || s.Input["kind"] != v1beta1.Kind {
				continue
			}

			in, written, err := inputOf(s.Step, s.Input, required)
			if err != nil {
				return nil, err
			}

			found = append(found, &Step{Name: s.Step, Input: in, Written: written, Composition: c.Metadata.Name, Composite: c.Spec.CompositeTypeRef, Bases: c.bases()})
		}
	}

	called := ""
	if name != "" {
		called = " called " + name
	}

	switch {
	case len(found) == 0:
		return nil, errors.Errorf("no step of a Composition%s has an input of apiVersion %s and kind %s", called, v1beta1.APIVersion, v1beta1.Kind)
	case len(found) == 1:
		return found[0], nil
	case name != "":
		compositions := words.Map(found, func(s *Step) string { return s.Composition })
		return nil, errors.Errorf("several Compositions have a step%s with an input of kind %s: give a file with one of them: %s", called, v1beta1.Kind, strings.Join(compositions, ", "))
	default:
		names := words.Map(found, func(s *Step) string { return s.Name })
		return nil, errors.Errorf("several steps have an input of kind %s: choose one with --step: %s", v1beta1.Kind, strings.Join(names, ", "))
	}
}

// bases are the kinds of the objects in the inputs of all steps.
func (c *composition) bases() (out []schema.GroupKind) {
	for _, s := range c.Spec.Pipeline {
		out = append(out, basesOf(s.Input)...)
	}

	return out
}

// templated matches an apiVersion in a template, which is text of YAML.
var templated = regexp.MustCompile(`(?m)^[ \t-]*["']?apiVersion["']?:[ \t]*["']?([a-z0-9.-]+)/[a-z0-9]+\b`)

// basesOf returns the kinds of all objects in the value, which is the input of a step, in their order: those are of
// resources that the step makes. Of objects in templates it returns the API group alone.
func basesOf(v any) (out []schema.GroupKind) {
	switch v := v.(type) {
	case map[string]any:
		apiVersion, _ := v["apiVersion"].(string)
		if kind, _ := v["kind"].(string); apiVersion != "" && kind != "" {
			out = append(out, schema.FromAPIVersionAndKind(apiVersion, kind).GroupKind())
		}

		for _, name := range slices.Sorted(maps.Keys(v)) {
			out = append(out, basesOf(v[name])...)
		}
	case []any:
		for _, item := range v {
			out = append(out, basesOf(item)...)
		}
	case string:
		for _, found := range templated.FindAllStringSubmatch(v, -1) {
			out = append(out, schema.GroupKind{Group: found[1]})
		}
	}

	return out
}

// inputOf returns the input of the step with this name, joined with its standard if it extends one, which is among
// the required objects, and the input as it is written.
func inputOf(step string, input map[string]any, required []*structpb.Struct) (in *v1beta1.CloudTags, written *structpb.Struct, err error) {
	written, err = v1beta1.Struct(input)
	if err == nil {
		in, err = v1beta1.Decode(written)
	}

	if err != nil {
		return nil, nil, errors.Wrapf(err, "invalid input of step %s", step)
	}

	req := &fnv1.RunFunctionRequest{Meta: &fnv1.RequestMeta{Capabilities: []fnv1.Capability{fnv1.Capability_CAPABILITY_CAPABILITIES}}}
	asked, standards := require.New(req), &v1beta1.Decoder{}

	// The first call asks for the standard, which the second one gets.
	if in, err = resolve.Extend(context.Background(), standards, in, written, asked); err == nil {
		asked.Answer(required)
		in, err = resolve.Extend(context.Background(), standards, in, written, require.New(req))
	}

	switch {
	case errors.As(err, new(*v1beta1.StandardError)) && len(required) == 0:
		return nil, nil, errors.Wrapf(err, "step %s: no --required-resources say what the standard is", step)
	case err != nil:
		return nil, nil, errors.Wrapf(err, "step %s", step)
	default:
		return in, written, errors.Wrapf(in.CheckComposition(), "invalid input of step %s", step)
	}
}

// Context reads the pipeline's context, if there is a file of it.
func (r *Reader) Context(file string) (*structpb.Struct, error) {
	if file == "" {
		return nil, nil //nolint:nilnil // Pipelines begin without one.
	}

	contexts, err := r.Objects(file)
	if err != nil {
		return nil, err
	}

	if len(contexts) != 1 {
		return nil, errors.Errorf("cannot read %s: the context is one map of context key to value, not %d objects", file, len(contexts))
	}

	return contexts[0], nil
}

// Request of a step for the composite resource, as Crossplane makes it. The values are those of the pipeline's context.
func Request(xr, values *structpb.Struct) *fnv1.RunFunctionRequest {
	return &fnv1.RunFunctionRequest{
		Meta:     &fnv1.RequestMeta{Capabilities: []fnv1.Capability{fnv1.Capability_CAPABILITY_CAPABILITIES, fnv1.Capability_CAPABILITY_REQUIRED_RESOURCES}},
		Observed: &fnv1.State{Composite: &fnv1.Resource{Resource: xr}},
		Context:  values,
	}
}

// compositionOf reads a Composition. Any other object has no steps.
func compositionOf(o *structpb.Struct) (c composition, err error) {
	if object.GVK(object.Tree(o)).GroupKind() != (schema.GroupKind{Group: "apiextensions.crossplane.io", Kind: "Composition"}) {
		return c, nil
	}

	j, _ := o.MarshalJSON() // What was decoded can be encoded.
	err = json.Unmarshal(j, &c)

	if te := (&json.UnmarshalTypeError{}); errors.As(err, &te) {
		err = errors.Errorf("a Composition can't have %s at %s", te.Value, te.Field)
	}

	return c, err
}
