package manifest

import (
	"cmp"
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

	// Written is the input in the Composition. It may extend a standard.
	Written *structpb.Struct

	// Composition is the name of the step's Composition.
	Composition string

	// Composite is the kind of the Composition's composite resources.
	Composite v1beta1.ResourceKind

	// Bases are the kinds of all objects in the inputs of the Composition's steps, such as Bucket of s3.aws.upbound.io. An object in
	// a template has only its API group, and an empty kind.
	Bases []schema.GroupKind

	// Early reports whether the step receives no composed resource, since only later steps can make any.
	Early bool

	// Required are the objects that the step may require.
	Required []*structpb.Struct

	// Composites are the objects in the file with composite resources.
	Composites []*structpb.Struct

	// definers are the objects in the file with definitions, which is read if there is no file with composite resources.
	definers []*structpb.Struct
}

// A composition has those fields of a Composition that commands need.
type composition struct {
	Metadata struct {
		Name string `json:"name"`
	} `json:"metadata"`

	Spec struct {
		CompositeTypeRef v1beta1.ResourceKind `json:"compositeTypeRef"`
		Pipeline         []pipelineStep       `json:"pipeline"`
	} `json:"spec"`
}

type pipelineStep struct {
	Step  string         `json:"step"`
	Input map[string]any `json:"input"`
}

// resourceless are the API groups of inputs of functions that make no composed resources.
var resourceless = []string{schema.FromAPIVersionAndKind(v1beta1.APIVersion, v1beta1.Kind).Group, "environmentconfigs.fn.crossplane.io", "extra-resources.fn.crossplane.io", "tag-manager.fn.crossplane.io", "sequencer.fn.crossplane.io"}

// mayMakeResources reports whether the step may make composed resources, as a step of a function that nobody knows here may.
func (s pipelineStep) mayMakeResources() bool {
	apiVersion, _ := s.Input["apiVersion"].(string)

	return !slices.Contains(resourceless, schema.FromAPIVersionAndKind(apiVersion, "").Group)
}

// Step returns the step of the file's Compositions that runs the function and has the name. If the name is empty, there must be
// one step. The input may extend a standard among the objects in the files and folders at the paths.
func (r *Reader) Step(file, name string, paths ...string) (*Step, error) {
	return r.StepFor("", "", file, name, paths...)
}

// StepFor is Step for the composite resources in the file xrs. They choose among several Compositions, as in a cluster. If xrs is empty, the
// definitions of kinds in the file definitions do, unless that is empty, too.
func (r *Reader) StepFor(xrs, definitions, file, name string, paths ...string) (*Step, error) {
	required, err := r.Required(paths...)
	if err != nil {
		return nil, err
	}

	objects, err := r.Objects(file)
	if err != nil {
		return nil, err
	}

	var composites, definers []*structpb.Struct

	switch {
	case xrs != "":
		composites, err = r.Objects(xrs)
	case definitions != "":
		definers, err = r.Objects(definitions)
	}

	if err != nil {
		return nil, err
	}

	for _, d := range definitionsOf(definers) { // They choose by kind alone.
		composites = append(composites, withKind(&structpb.Struct{Fields: make(map[string]*structpb.Value)}, d.GroupVersionKind))
	}

	chosen := words.MapIf(objects, func(o *structpb.Struct) (*structpb.Struct, bool) { return o, isChosen(o, composites) })
	if len(chosen) > 0 {
		objects = chosen
	}

	s, err := StepOf(context.Background(), objects, name, require.In(required)) // Nobody waits for objects in memory.

	switch {
	case err != nil && len(chosen) == 0 && len(composites) > 0 && len(objects) > 1:
		return nil, errors.Wrapf(OneLine(err), "cannot read %s: kind, compositionRef and compositionSelector in %s choose none of its Compositions", file, cmp.Or(xrs, definitions))
	case err != nil:
		return nil, errors.Wrapf(OneLine(err), "cannot read %s", file)
	}

	s.Required, s.Composites, s.definers = required, composites, definers

	return s, nil
}

// Composite resources name their Composition, or select it by labels: below spec.crossplane, or in Crossplane v1 below spec.
var (
	compositionRefs = []object.Path{object.MustParsePath("spec.crossplane.compositionRef.name"), object.MustParsePath("spec.compositionRef.name")}
	selectorLabels  = []object.Path{object.MustParsePath("spec.crossplane.compositionSelector.matchLabels"), object.MustParsePath("spec.compositionSelector.matchLabels")}
)

// isChosen reports whether one of the composite resources is of the Composition's kind, and names no other Composition.
func isChosen(composition *structpb.Struct, xrs []*structpb.Struct) bool {
	c, err := compositionOf(composition)
	labels := object.Labels(object.FromStruct(composition))

	return err == nil && slices.ContainsFunc(xrs, func(s *structpb.Struct) bool {
		xr := object.FromStruct(s)
		names := func(p object.Path) bool { v, _ := xr.At(p); return !v.IsNull() && !v.IsText(c.Metadata.Name) } // An error means that there is no such field.
		excludes := func(p object.Path) bool {
			selector, _ := xr.At(p) // As above.
			for key, v := range selector.Fields() {
				if !labels.Field(string(key)).Equal(v) {
					return true
				}
			}

			return false
		}

		return c.Spec.CompositeTypeRef == v1beta1.ResourceKind{APIVersion: object.APIVersion(xr), Kind: object.Kind(xr)} &&
			!slices.ContainsFunc(compositionRefs, names) && !slices.ContainsFunc(selectorLabels, excludes)
	})
}

// StepOf is Step for Compositions that are in memory. The source has the standard that the input may extend.
func StepOf(ctx context.Context, compositions []*structpb.Struct, name string, source require.Source) (*Step, error) {
	var found []*Step

	for _, o := range compositions {
		c, err := compositionOf(o)
		if err != nil {
			return nil, err
		}

		var bases []schema.GroupKind
		for _, s := range c.Spec.Pipeline {
			bases = append(bases, basesOf(s.Input)...)
		}

		for i, s := range c.Spec.Pipeline {
			if name != "" && s.Step != name || s.Input["apiVersion"] != v1beta1.APIVersion || s.Input["kind"] != v1beta1.Kind {
				continue
			}

			in, written, err := inputOf(ctx, s.Step, s.Input, source)
			if err != nil {
				return nil, err
			}

			found = append(found, &Step{Name: s.Step, Input: in, Written: written, Composition: c.Metadata.Name, Composite: c.Spec.CompositeTypeRef, Bases: bases, Early: isEarly(c.Spec.Pipeline, i)})
		}
	}

	called := ""
	if name != "" {
		called = " called " + name
	}

	switch {
	case len(found) == 0:
		return nil, errors.Errorf("no step of a Composition%s has an input of apiVersion %s and kind %s: give a file with such a step", called, v1beta1.APIVersion, v1beta1.Kind)
	case len(found) == 1:
		return found[0], nil
	case name != "" || slices.ContainsFunc(found[1:], func(s *Step) bool { return s.Name == found[0].Name }):
		compositions := words.Map(found, func(s *Step) string { return s.Composition })
		return nil, errors.Errorf("several Compositions have a step%s with an input of kind %s: give a file with one of them, or a composite resource whose compositionRef names one: %s",
			called, v1beta1.Kind, strings.Join(words.Distinct(compositions), ", "))
	default:
		names := words.Map(found, func(s *Step) string { return s.Name })
		return nil, errors.Errorf("several steps have an input of kind %s: choose one with --step: %s", v1beta1.Kind, strings.Join(names, ", "))
	}
}

// isEarly reports whether the step at the position stands before all steps that may make resources.
func isEarly(pipeline []pipelineStep, position int) bool {
	return position < slices.IndexFunc(pipeline, pipelineStep.mayMakeResources)
}

// templated matches an apiVersion in a template of YAML, and in programs of KCL, Python and CUE: apiVersion: a/v1, apiVersion = "a/v1",
// {"apiVersion": "a/v1"}.
var templated = regexp.MustCompile(`(?m)^[^#\n]*?\bapiVersion["']?[ \t]*[:=][ \t]*["']?([a-z0-9.-]+)/[a-z0-9]+\b`)

// TemplatedGroups returns the API groups of the objects that a template makes, in order.
func TemplatedGroups(text string) []string {
	return words.Map(templated.FindAllStringSubmatch(text, -1), func(found []string) string { return found[1] })
}

// basesOf returns the kinds of all objects in the input of a step, in order. The step makes resources of these kinds. It
// returns only the API group of an object in a template.
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
		for _, group := range TemplatedGroups(v) {
			out = append(out, schema.GroupKind{Group: group})
		}
	}

	return out
}

// inputOf returns the input of the step, joined with its standard if it extends one that the source has. It also returns
// the input as it is written.
func inputOf(ctx context.Context, step string, input map[string]any, source require.Source) (in *v1beta1.CloudTags, written *structpb.Struct, err error) {
	decoder := &v1beta1.Decoder{}

	written, err = v1beta1.ToStruct(input)
	if err == nil {
		in, err = decoder.Decode(ctx, written, v1beta1.HashOf(written))
	}

	if err != nil {
		return nil, nil, errors.Wrapf(err, "invalid input of step %s", step)
	}

	req := &fnv1.RunFunctionRequest{Meta: &fnv1.RequestMeta{Capabilities: []fnv1.Capability{fnv1.Capability_CAPABILITY_CAPABILITIES}}}
	asked := require.New(req)

	// The first call asks for the standard, and the second one joins it.
	if in, err = resolve.Extend(ctx, decoder, in, written, asked); err == nil {
		err = asked.AnswerFrom(ctx, source)
	}

	if err == nil {
		in, err = resolve.Extend(ctx, decoder, in, written, require.New(req))
	}

	switch {
	case errors.As(err, new(*v1beta1.StandardError)) && source.Empty:
		return nil, nil, errors.Wrapf(err, "step %s: no --required-resources say what the standard is", step)
	case err != nil:
		return nil, nil, errors.Wrapf(err, "step %s", step)
	default:
		return in, written, errors.Wrapf(in.CheckComposition(), "invalid input of step %s", step)
	}
}

// Context returns the pipeline's context in the file, or nil if no file is named.
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

// Request returns the request that Crossplane makes for the composite resource. The values are the pipeline's context.
func Request(xr, values *structpb.Struct) *fnv1.RunFunctionRequest {
	return &fnv1.RunFunctionRequest{
		Meta:     &fnv1.RequestMeta{Capabilities: []fnv1.Capability{fnv1.Capability_CAPABILITY_CAPABILITIES, fnv1.Capability_CAPABILITY_REQUIRED_RESOURCES}},
		Observed: &fnv1.State{Composite: &fnv1.Resource{Resource: xr}},
		Context:  values,
	}
}

// compositionOf returns the Composition. It has no steps if the object is no Composition.
func compositionOf(o *structpb.Struct) (c composition, err error) {
	if object.GVK(object.FromStruct(o)).GroupKind() != (schema.GroupKind{Group: "apiextensions.crossplane.io", Kind: "Composition"}) {
		return c, nil
	}

	j, _ := o.MarshalJSON() // A decoded object can be encoded.
	err = json.Unmarshal(j, &c)

	if te := (&json.UnmarshalTypeError{}); errors.As(err, &te) {
		err = errors.Errorf("a Composition can't have %s at %s", te.Value, te.Field)
	}

	return c, err
}
