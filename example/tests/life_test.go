package tests

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"google.golang.org/protobuf/types/known/structpb"

	fnv1 "github.com/crossplane/function-sdk-go/proto/v1"

	"github.com/plexsphere/function-cloud-tags/tags"
	"github.com/plexsphere/function-cloud-tags/tags/manifest"
	kube "github.com/plexsphere/function-cloud-tags/tags/object"
	"github.com/plexsphere/function-cloud-tags/tags/require"
	"github.com/plexsphere/function-cloud-tags/tags/resolve"
	"github.com/plexsphere/function-cloud-tags/tags/stamp"
	"github.com/plexsphere/function-cloud-tags/tags/tagstest"
)

// TestLife writes the table of tags/README.md: one label of the first example, from stage to stage. The values come
// from a run, and each type has to be in its file.
func TestLife(t *testing.T) {
	const folder, page = "../clouds/aws-s3-bucket/", "../../tags/"

	reader := &manifest.Reader{}
	read := func(file string) []*structpb.Struct {
		read, err := reader.Objects(folder + file)
		if err != nil {
			t.Fatal(err)
		}

		return read
	}

	step, err := reader.Step(folder+"composition.yaml", "")
	if err != nil {
		t.Fatal(err)
	}

	bucket := exampleValue(t, read("composition.yaml")[0], "spec.pipeline[0].input.resources[0].base").GetStructValue()
	req := manifest.Request(read("xr.yaml")[0], nil)
	req.Desired = &fnv1.State{Resources: map[string]*fnv1.Resource{"bucket": {Resource: bucket}}}
	required := require.New(req)

	set, err := resolve.Resolve(t.Context(), step.Input, req, required, nil)
	if err != nil {
		t.Fatal(err)
	}

	trace := &stamp.Trace{}
	stamper := stamp.New(&stamp.Request{Input: step.Input, Set: &set, Observed: req.GetObserved(), Required: required, Options: stamp.Options{Trace: trace}})

	targets, err := stamper.Targets(t.Context(), req.GetDesired().GetResources())
	if err != nil {
		t.Fatal(err)
	}

	out, err := stamper.Stamp(t.Context(), targets)
	if err != nil {
		t.Fatal(err)
	}

	target := targets.All[0]
	plan := trace.Plans(target)[0]
	label := set.Labels[len(set.Labels)-1]
	record := plan.LabelRecords()[len(set.Labels)-1]
	limit, free := plan.Slots()

	after, err := out.Changed["bucket"].At(target.Field.Path)
	if err != nil {
		t.Fatal(err)
	}

	rows := []struct{ word, file, typ, here string }{
		{"request", "", "RunFunctionRequest", fmt.Sprintf("the field `spec.labels` of the XR has `%s: %s`", label.QualifiedKey, exampleValue(t, read("xr.yaml")[0], "spec.labels["+label.QualifiedKey+"]").GetStringValue())},
		{"label", "tags.go", "Label", fmt.Sprintf("qualified key %#q, value %#q, source %#q", label.QualifiedKey, label.Value, label.Source.Name)},
		{"tag", "tags.go", "Tag", fmt.Sprintf("key %#q, value %#q, by the tag profile %#q", record.Key, record.Value, target.Profile.Name)},
		{"target", "locate/locate.go", "Target", fmt.Sprintf("the resource %#q, whose tag field %#q has the shape %s", target.Name, target.Field.Path, target.Field.Shape)},
		{"state", "stamp/state.go", "State", fmt.Sprintf("no tags yet, and %d free slots: %s", free, limit)},
		{"decision", "stamp/decide.go", "Decision", fmt.Sprintf("the tag field is to have %d tags", after.Len())},
		{"entry", "tagset/entry.go", "Entry", fmt.Sprintf("`%s: %s`, one of them", record.Key, after.Field(record.Key).Text())},
		{"record", "judged.go", "Judged", "fate " + map[tags.Fate]string{tags.Tagged: "`Tagged`"}[record.Fate]},
		{"finding", "report/findings.go", "findings", fmt.Sprintf("%#q is a resource with %d tags of labels", out.Results[0].Resource, len(out.Results[0].Keys(tags.Tagged)))},
		{"result", "report/results.go", "topic", fmt.Sprintf("none, since no label is skipped; the condition says %#q", conditionMessage(t, read("expected.yaml")[0]))},
	}

	text := &strings.Builder{}
	text.WriteString("| Word | Type | Here |\n|---|---|---|\n")

	for _, r := range rows {
		typ := "`" + r.typ + "` of the SDK"

		if r.file != "" {
			typ = fmt.Sprintf("[%s](%s)", r.typ, r.file)

			source, err := os.ReadFile(filepath.FromSlash(page + r.file))
			if err != nil || !regexp.MustCompile(`(?m)^type `+r.typ+` `).Match(source) {
				t.Errorf("%s: want the type %s in %s: %v", r.word, r.typ, r.file, err)
			}
		}

		fmt.Fprintf(text, "| %s | %s | %s |\n", r.word, typ, r.here)
	}

	tagstest.Section(t, page+"README.md", "life", text.String())
}

// exampleValue returns the value of the object at the path.
func exampleValue(t *testing.T, o *structpb.Struct, path string) *structpb.Value {
	t.Helper()

	v, err := kube.Get(kube.FromStruct(o), kube.MustParsePath(path))
	if err != nil || v == nil {
		t.Fatalf("want a value at %s: %v", path, err)
	}

	return v
}

// conditionMessage of the function's condition on the composite resource, without the digest.
func conditionMessage(t *testing.T, xr *structpb.Struct) string {
	t.Helper()

	for _, c := range exampleValue(t, xr, "status.conditions").GetListValue().GetValues() {
		if f := c.GetStructValue().GetFields(); f["type"].GetStringValue() == "CloudTagsPropagated" {
			message, _, _ := strings.Cut(f["message"].GetStringValue(), " [")
			return message
		}
	}

	t.Fatal("want a condition CloudTagsPropagated")

	return ""
}
