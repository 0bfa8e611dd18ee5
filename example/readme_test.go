package example

import (
	"maps"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"google.golang.org/protobuf/types/known/structpb"
	"sigs.k8s.io/yaml"

	"github.com/plexsphere/function-cloud-tags/input/v1beta1"
)

// TestREADMEs proves that the inputs that the READMEs show are valid.
func TestREADMEs(t *testing.T) {
	root, _ := all(t)
	shows := make(map[string]bool)

	for _, pattern := range []string{"README.md", "*/README.md", "*/*/README.md"} {
		names, err := filepath.Glob(filepath.Join(root, pattern))
		if err != nil {
			t.Fatal(err)
		}

		for _, name := range names {
			for _, block := range strings.Split(read(t, name), "```yaml\n")[1:] {
				block, _, _ = strings.Cut(block, "```")

				for document := range strings.SplitSeq(block, "\n---\n") {
					var o map[string]any
					if err := yaml.UnmarshalStrict([]byte(document), &o); err != nil {
						t.Fatalf("%s: %v in\n%s", name, err, document)
					}

					for _, in := range inputsIn(o) {
						shows[name] = true

						in, err := structpb.NewStruct(in)
						if err == nil {
							// An input that shows more than extends should be one without its standard, too.
							if in.GetFields()["sources"] != nil {
								delete(in.GetFields(), "extends")
							}

							_, err = v1beta1.Decode(in)
						}

						if err != nil {
							t.Errorf("%s: Decode(...): %v in\n%s", name, err, document)
						}
					}
				}
			}
		}
	}

	for _, name := range []string{"README.md", "input/v1beta1/README.md", "tags/coverage/README.md", "tags/metadata/README.md", "tags/resolve/README.md", "tags/stamp/README.md"} {
		if !shows[filepath.Join(root, name)] {
			t.Errorf("%s shows no input", name)
		}
	}
}

// inputsIn an object: it is one, a part of one, a Composition with steps of the function, or an Operation.
func inputsIn(o object) (inputs []object) {
	if o["kind"] == v1beta1.Kind {
		return []object{o}
	}

	for _, field := range []string{"sources", "resources", "removeTags", "kubernetesMetadata"} {
		if o[field] != nil && o["kind"] == nil {
			in := object{"apiVersion": v1beta1.APIVersion, "kind": v1beta1.Kind, "sources": array{object{"type": "Value", "values": object{}}}}
			maps.Copy(in, o)

			return []object{in}
		}
	}

	spec, _ := o["spec"].(object)
	if template, ok := spec["operationTemplate"].(object); ok {
		return inputsIn(template)
	}

	pipeline, _ := spec["pipeline"].(array)
	for _, step := range pipeline {
		step, _ := step.(object)
		if in, _ := step["input"].(object); in["kind"] == v1beta1.Kind {
			inputs = append(inputs, in)
		}
	}

	return inputs
}

// TestFirstInput proves that what people read first begins with labels in the input itself, which need
// nothing of an XR.
func TestFirstInput(t *testing.T) {
	root, _ := all(t)

	for _, name := range []string{"README.md", "package/marketplace/readme/readme.md", "package/crossplane.yaml"} {
		_, sources, _ := strings.Cut(read(t, filepath.Join(root, name)), " sources:\n")
		if first, _, _ := strings.Cut(strings.TrimSpace(sources), "\n"); first != "- type: Value" {
			t.Errorf("%s: want the first source to be labels in the input, - type: Value, got %s", name, first)
		}
	}
}

// read a file.
func read(t *testing.T, name string) string {
	t.Helper()

	text, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}

	return string(text)
}
