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

// lifePage is the folder of the page Life of a tag.
const lifePage = "../../tags/"

// TestLife writes the table of tags/README.md: one label of the first example, from stage to stage. The values come
// from a run, and each type has to be in its file.
func TestLife(t *testing.T) {
	const folder = "../clouds/aws-s3-bucket/"

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
			typ = typeLink(t, r.file, r.typ)
		}

		fmt.Fprintf(text, "| %s | %s | %s |\n", r.word, typ, r.here)
	}

	tagstest.Section(t, lifePage+"README.md", "life", text.String())
}

// TestForms writes the second table of tags/README.md: the types that hold a label.
func TestForms(t *testing.T) {
	text := &strings.Builder{}
	text.WriteString("| Type | What it adds |\n|---|---|\n")

	for _, form := range []struct{ file, typ, adds string }{
		{"tags.go", "Label", "qualified key, value and source"},
		{"resolve/perresource.go", "scopedLabel", "the resources that get the label, or the expression that computes its value for each of them"},
		{"tags.go", "Tag", "key and value on one cloud"},
		{"judged.go", "Judged", "fate, reason and limit: on a cloud, in a kind of tag field, or on one resource"},
		{"stamp/outcome.go", "Skip", "the resources that skip the label. Messages have it, with the " + typeLink(t, "tags.go", "SkippedLabel") + " of the contract"},
		{"command/explain/rendered.go", "LostLabel", "the reason in words, for `explain`. A label that is there is a " + typeLink(t, "command/explain/rendered.go", "RenderedTag")},
	} {
		fmt.Fprintf(text, "| %s | %s |\n", typeLink(t, form.file, form.typ), form.adds)
	}

	tagstest.Section(t, lifePage+"README.md", "forms", text.String())
}

// typeLink returns a link of the page to the file of the type. The type has to be in the file.
func typeLink(t *testing.T, file, typ string) string {
	t.Helper()

	source, err := os.ReadFile(filepath.FromSlash(lifePage + file))
	if err != nil || !regexp.MustCompile(`(?m)^type `+typ+` `).Match(source) {
		t.Errorf("want the type %s in %s: %v", typ, file, err)
	}

	return fmt.Sprintf("[%s](%s)", typ, file)
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
