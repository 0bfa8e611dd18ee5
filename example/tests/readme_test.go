package tests

import (
	"io/fs"
	"maps"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"google.golang.org/protobuf/types/known/structpb"
	"sigs.k8s.io/yaml"

	"github.com/plexsphere/function-cloud-tags/input/v1beta1"
)

// TestREADMEs proves that all inputs in READMEs are valid.
func TestREADMEs(t *testing.T) {
	root, _ := all(t)
	shows := make(map[string]bool)

	for _, pattern := range []string{"README.md", "*/README.md", "*/*/README.md", "*/*/*/README.md"} {
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

// TestInstalledVersion proves that README installs a released version, or else says that there is no release.
func TestInstalledVersion(t *testing.T) {
	const unpublished = "No release is published yet."

	root, _ := all(t)
	text := read(t, filepath.Join(root, "README.md"))

	versions := regexp.MustCompile(`package: \S+/function-cloud-tags:(\S+)`).FindStringSubmatch(text)
	if versions == nil {
		t.Fatal("README.md installs no version")
	}

	tags, err := exec.CommandContext(t.Context(), "git", "-C", root, "tag", "--list", versions[1]).Output()
	if err != nil {
		t.Fatal(err)
	}

	if published := len(tags) > 0; published == strings.Contains(text, unpublished) {
		t.Errorf("README.md installs %s. Is there such a tag? %t. So should README.md say %q? %t", versions[1], published, unpublished, !published)
	}
}

// TestRulesOfInputs proves that every whole input in a document chooses the rules of its tags: by profileRules, by the standard that it
// extends, or by a comment that names profileRules.
func TestRulesOfInputs(t *testing.T) {
	root, _ := all(t)
	found := make(map[string]int)

	err := filepath.WalkDir(root, func(name string, d fs.DirEntry, err error) error {
		path, _ := filepath.Rel(root, name)

		switch {
		case err != nil:
			return err
		case d.IsDir() && (path == ".cache" || path == ".git" || d.Name() == "testdata"):
			return filepath.SkipDir
		case d.IsDir() || filepath.Ext(name) != ".md" && !strings.HasPrefix(path, "package"+string(filepath.Separator)):
			return nil
		}

		text := read(t, name)
		inputs := wholeInputs(text)
		found[filepath.ToSlash(path)] = len(inputs)

		if n := strings.Count(text, "apiVersion: "+v1beta1.APIVersion); n != len(inputs) {
			t.Errorf("%s: %d of %d inputs begin with a line for apiVersion and a line for kind, as they should", path, len(inputs), n)
		}

		for _, in := range inputs {
			var fields object
			if err := yaml.UnmarshalStrict([]byte(in), &fields); err != nil {
				t.Errorf("%s: %v in\n%s", path, err, in)
			}

			comment := slices.ContainsFunc(strings.Split(in, "\n"), func(line string) bool {
				_, comment, _ := strings.Cut(line, "# ")
				return strings.Contains(comment, "profileRules")
			})

			if fields["profileRules"] == nil && fields["extends"] == nil && !comment {
				t.Errorf("%s: write profileRules, extends, or a comment that says why there are no profileRules:\n%s", path, in)
			}
		}

		return nil
	})
	if err != nil {
		t.Fatal(err)
	}

	for name, n := range map[string]int{
		"README.md": 3, "package/crossplane.yaml": 1, "package/marketplace/readme/readme.md": 1, "package/deploy/coverage/operation.yaml": 1,
		"input/v1beta1/README.md": 2, "tags/coverage/README.md": 1, "tags/resolve/README.md": 1,
	} {
		if found[name] < n {
			t.Errorf("%s should have %d whole inputs, but has %d", name, n, found[name])
		}
	}
}

// whole matches the first two lines of an input in block style, also in a text within YAML or Markdown. A line may have a comment.
var whole = regexp.MustCompile(`(?m)^( *)apiVersion: ` + regexp.QuoteMeta(v1beta1.APIVersion) + ` *(#.*)?\n *kind: ` + v1beta1.Kind + ` *(#.*)?\n`)

// wholeInputs returns the inputs in the text, each without its indentation. One ends at a line that is indented less, or at a line of Markdown or YAML
// that ends a block.
func wholeInputs(text string) (inputs []string) {
	for _, m := range whole.FindAllStringSubmatchIndex(text, -1) {
		indent := text[m[2]:m[3]]

		var in strings.Builder

		for line := range strings.Lines(text[m[0]:]) {
			rest, inside := strings.CutPrefix(line, indent)
			if strings.TrimSpace(line) != "" && (!inside || strings.HasPrefix(rest, "```") || strings.HasPrefix(rest, "---")) {
				break
			}

			in.WriteString(strings.TrimPrefix(line, indent))
		}

		inputs = append(inputs, in.String())
	}

	return inputs
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

// TestFirstInput proves that the first inputs for a reader begin with labels in the input itself: such labels need
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
