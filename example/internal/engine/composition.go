package engine

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"

	"google.golang.org/protobuf/types/known/structpb"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	fnv1 "github.com/crossplane/function-sdk-go/proto/v1"
)

// A composition is what is read of a Composition.
type composition struct {
	Metadata struct {
		Name string `json:"name"`
	} `json:"metadata"`

	Spec struct {
		CompositeTypeRef metav1.TypeMeta `json:"compositeTypeRef"`
		Mode             string          `json:"mode"`
		Pipeline         []step          `json:"pipeline"`
	} `json:"spec"`
}

// A step of the pipeline.
type step struct {
	Step        string `json:"step"`
	FunctionRef struct {
		Name string `json:"name"`
	} `json:"functionRef"`

	Input       *structpb.Struct `json:"input"`
	Credentials []any            `json:"credentials"`

	// Requirements that are answered before the function asks.
	Requirements struct {
		Resources []struct {
			RequirementName string            `json:"requirementName"`
			APIVersion      string            `json:"apiVersion"`
			Kind            string            `json:"kind"`
			Namespace       *string           `json:"namespace"`
			Name            string            `json:"name"`
			MatchLabels     map[string]string `json:"matchLabels"`
		} `json:"requiredResources"`

		Schemas []struct {
			RequirementName string `json:"requirementName"`
			APIVersion      string `json:"apiVersion"`
			Kind            string `json:"kind"`
		} `json:"requiredSchemas"`
	} `json:"requirements"`
}

// Called returns the names of the functions that the steps of a Composition or an Operation call, each once,
// in the order of the steps.
func Called(in Input) ([]string, error) {
	source := in.Composition

	if in.Operation != nil {
		var err error
		if source, err = structpb.NewStruct(operationOf(in.Operation).Object); err != nil {
			return nil, err
		}
	}

	c, err := readComposition(source)
	if err != nil {
		return nil, err
	}

	var names []string

	for _, s := range c.Spec.Pipeline {
		if !slices.Contains(names, s.FunctionRef.Name) {
			names = append(names, s.FunctionRef.Name)
		}
	}

	return names, nil
}

func readComposition(s *structpb.Struct) (*composition, error) {
	text, err := s.MarshalJSON()
	if err != nil {
		return nil, err
	}

	c := &composition{}

	return c, json.Unmarshal(text, c)
}

func decodeComposition(s *structpb.Struct) (*composition, error) {
	c, err := readComposition(s)
	if err != nil {
		return nil, err
	}

	if c.Spec.Mode != "Pipeline" {
		return nil, errors.New("it must use spec.mode: Pipeline")
	}

	for _, s := range c.Spec.Pipeline {
		if len(s.Credentials) > 0 {
			return nil, fmt.Errorf("step %s has credentials: render with --engine crossplane, which builds the real Crossplane first", s.Step)
		}
	}

	return c, nil
}

// required by the step itself.
func (s step) required() *fnv1.Requirements {
	out := &fnv1.Requirements{Resources: make(map[string]*fnv1.ResourceSelector), Schemas: make(map[string]*fnv1.SchemaSelector)}

	for _, r := range s.Requirements.Resources {
		selector := &fnv1.ResourceSelector{ApiVersion: r.APIVersion, Kind: r.Kind, Namespace: r.Namespace}
		if r.Name != "" {
			selector.Match = &fnv1.ResourceSelector_MatchName{MatchName: r.Name}
		} else {
			selector.Match = &fnv1.ResourceSelector_MatchLabels{MatchLabels: &fnv1.MatchLabels{Labels: r.MatchLabels}}
		}

		out.Resources[r.RequirementName] = selector
	}

	for _, r := range s.Requirements.Schemas {
		out.Schemas[r.RequirementName] = &fnv1.SchemaSelector{ApiVersion: r.APIVersion, Kind: r.Kind}
	}

	return out
}

// checkDefinition refuses an XRD that does more than to list the fields of an XR.
func checkDefinition(xrd *structpb.Struct) error {
	spec := xrd.GetFields()["spec"].GetStructValue()

	scope, ok := spec.GetFields()["scope"]
	if legacy := xrd.GetFields()["apiVersion"].GetStringValue() == "apiextensions.crossplane.io/v1" && !ok; legacy || scope.GetStringValue() == "LegacyCluster" {
		return errors.New("the XRD is of a kind from before Crossplane v2: render with --engine crossplane, which builds the real Crossplane first")
	}

	if hasDefault(structpb.NewStructValue(spec)) {
		return errors.New("the XRD has defaults: render with --engine crossplane, which builds the real Crossplane first, or move xrd.yaml elsewhere")
	}

	return nil
}

// hasDefault reports whether a schema has a default. It also reports true for a field called default: the real
// Crossplane renders such an XR, which only takes more time.
func hasDefault(v *structpb.Value) bool {
	fields := v.GetStructValue().GetFields()
	_, ok := fields["default"]

	return ok || slices.ContainsFunc(slices.Collect(maps.Values(fields)), hasDefault) || slices.ContainsFunc(v.GetListValue().GetValues(), hasDefault)
}
