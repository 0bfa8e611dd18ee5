package scenario

import (
	"context"
	"fmt"
	"os"
	"path/filepath"

	"google.golang.org/protobuf/types/known/structpb"

	"github.com/plexsphere/function-cloud-tags/example/internal/engine"
	"github.com/plexsphere/function-cloud-tags/example/internal/functions"
	"github.com/plexsphere/function-cloud-tags/tags/manifest"
)

// An Engine renders scenarios with functions by name. That a pipeline fails is not an error:
// some scenarios show how.
type Engine interface {
	Render(ctx context.Context, s Scenario, all map[string]functions.Function) (Rendering, error)
}

// A Rendering is the text that crossplane composition render printed, or the error with which it failed.
type Rendering struct {
	Text   string
	Failed bool
}

// BuiltIn is the model of Crossplane that this repository has.
type BuiltIn struct{}

// Render a scenario.
func (BuiltIn) Render(ctx context.Context, s Scenario, all map[string]functions.Function) (Rendering, error) {
	in, err := s.input()
	if err != nil {
		return Rendering{}, fmt.Errorf("cannot render scenario %s: %w", s.Name, err)
	}

	called := make(map[string]engine.Function, len(all))
	for name, f := range all {
		called[name] = f
	}

	out, err := engine.Render(ctx, in, called)
	if text, ok := engine.PrintError(err); ok {
		return Rendering{Text: text, Failed: true}, nil
	}

	if err != nil {
		return Rendering{}, fmt.Errorf("cannot render scenario %s: %w", s.Name, err)
	}

	text, err := out.Print()

	return Rendering{Text: text}, err
}

// annotationEngine of a Composition names the engine that renders it, if the model can't:
// crossplane.
const annotationEngine = "example.plexsphere.com/engine"

// NeedsCrossplane is true for a scenario that only the real Crossplane can render.
func (s Scenario) NeedsCrossplane() (bool, error) {
	in, err := s.input()
	metadata := in.Composition.GetFields()["metadata"].GetStructValue().GetFields()

	return metadata["annotations"].GetStructValue().GetFields()[annotationEngine].GetStringValue() == "crossplane", err
}

// Called are the names of the functions that the pipeline of a scenario calls.
func (s Scenario) Called() ([]string, error) {
	in, err := s.input()
	if err != nil {
		return nil, fmt.Errorf("cannot read scenario %s: %w", s.Name, err)
	}

	return engine.Called(in)
}

// Functions returns the path of the folder's file with the addresses of functions.
func (s Scenario) Functions() string { return filepath.Join(s.Dir, fileFunctions) }

// input of the model.
func (s Scenario) input() (engine.Input, error) {
	var in engine.Input

	for _, file := range []struct {
		name string
		to   *[]*structpb.Struct
	}{
		{name: "observed", to: &in.Observed},
		{name: "observed.yaml", to: &in.Observed},
		{name: "required", to: &in.Required},
		{name: "required.yaml", to: &in.Required},
		{name: "schemas", to: &in.Schemas},
	} {
		if err := s.read(file.name, file.to); err != nil {
			return in, err
		}
	}

	for _, file := range []struct {
		name string
		to   **structpb.Struct
	}{
		{name: fileXR, to: &in.Composite},
		{name: fileComposition, to: &in.Composition},
		{name: fileOperation, to: &in.Operation},
		{name: fileXRD, to: &in.Definition},
		{name: fileContext, to: &in.Context},
	} {
		var objects []*structpb.Struct
		if err := s.read(file.name, &objects); err != nil {
			return in, err
		}

		if len(objects) > 1 {
			return in, fmt.Errorf("%s has %d objects, but there must be one", file.name, len(objects))
		}

		for _, o := range objects {
			*file.to = o
		}
	}

	return in, nil
}

// read the objects of a file or folder of the scenario, if it has it.
func (s Scenario) read(name string, to *[]*structpb.Struct) error {
	if !s.has(name) {
		return nil
	}

	objects, err := new(manifest.Reader).Objects(filepath.Join(s.Dir, name))
	*to = append(*to, objects...)

	return err
}

func (s Scenario) has(name string) bool {
	_, err := os.Stat(filepath.Join(s.Dir, name))
	return err == nil
}
