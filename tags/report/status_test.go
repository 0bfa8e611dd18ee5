package report

import (
	"testing"

	fnv1 "github.com/crossplane/function-sdk-go/proto/v1"

	"github.com/plexsphere/function-cloud-tags/input/v1beta1"
	"github.com/plexsphere/function-cloud-tags/tags/object"
	"github.com/plexsphere/function-cloud-tags/tags/stamp"
)

// statusAt is a run whose status is written to the path.
func statusAt(path string) Run {
	return Run{Input: &v1beta1.CloudTags{StatusFieldPath: object.MustParsePath(path)}}
}

// final returns what the tag field of resource a on AWS has.
func final() stamp.Final {
	return stamp.Final{Resource: "a", Provider: "aws", Tags: map[string]string{"k": "v"}}
}

func TestStatus(t *testing.T) {
	gold := class("v1", "ConfigMap", "platform", "gold")
	classes := statusAt("status.cloudTags")
	classes.Set.Classes = map[string]object.Object{"grade": gold, "machine": class("example.org/v1beta1", "AWSMachineClass", "", "large")}

	scenes := map[string]scene{
		"NotAsked": {
			reason:  "The status is written only if the input asks for it: classes and active tags need none.",
			run:     Run{Set: classes.Set},
			outcome: Outcome{Finals: []stamp.Final{final()}},
		},
		"Active": {
			reason: "The status has the keys of each provider once, sorted, and the tags of each resource.",
			run:    statusAt("status.cloudTags"),
			outcome: Outcome{Finals: []stamp.Final{
				{Resource: "a", Provider: "aws", Tags: map[string]string{"z": "1", "b": "2", "ä": ""}},
				{Resource: "b", Provider: "gcp", Tags: map[string]string{"k": "v"}},
				{Resource: "c.d/e", Provider: "aws", Tags: map[string]string{"b": "3", "Z": "4"}},
			}},
		},
		"NothingActive": {
			reason:  "Without tags the status says that there are none, since it's told on every run that succeeds.",
			run:     statusAt("status.cloudTags"),
			outcome: Outcome{Results: []stamp.Result{withholding("a", stamp.Withheld{Retained: []string{"k"}})}},
		},
		"Emptied": {
			reason: "API servers refuse what server-side apply makes of an object that is emptied, so that it goes first.",
			xr:     `{"status": {"cloudTags": {"providers": {"aws": ["k"]}, "resources": {"a": {"k": "v"}}}}}`,
			run:    statusAt("status.cloudTags"),
		},
		"EmptyStays": {
			reason: "Once it has gone it comes back without anything, and stays.",
			xr:     `{"status": {"cloudTags": {"providers": {}, "resources": {}}}}`,
			run:    statusAt("status.cloudTags"),
		},
		"EmptiedBesideClasses": {
			reason: "What isn't emptied stays.",
			xr:     `{"status": {"cloudTags": {"providers": {"aws": ["k"]}, "resources": {}, "classes": {"grade": {"kind": "ConfigMap"}}}}}`,
			run:    classes,
		},
		"NothingDesired": {
			reason: "A request that has nothing gets a status.",
			edit:   func(req *fnv1.RunFunctionRequest) { req.Reset() },
			run:    statusAt("status.cloudTags"),
		},
		"Classes": {
			reason:  "The status has the classes that were picked, with a namespace if they have one.",
			run:     classes,
			outcome: Outcome{Finals: []stamp.Final{final()}},
		},
		"SeveralSteps": {
			reason: "What earlier steps of this function wrote there is merged: Crossplane keeps what the last step desires, and the choice of a class is recorded nowhere else.",
			composite: `{"status": {"cloudTags": {"providers": {"aws": ["z", "a"], "gcp": ["g"]}, "resources": {"a": {"a": "b", "k": "old"}, "b": {"g": "1"}},
				"classes": {"grade": {"apiVersion": "v1", "name": "silver"}, "size": {"name": "large"}}}}}`,
			run:     classes,
			outcome: Outcome{Finals: []stamp.Final{final()}},
		},
		"EmptyComposite": {
			reason: "A desired composite resource that has no fields gets a status, and nothing else.",
			edit: func(req *fnv1.RunFunctionRequest) {
				req.Desired.Composite = &fnv1.Resource{Ready: fnv1.Ready_READY_FALSE}
			},
			run:     statusAt("status.cloudTags"),
			outcome: Outcome{Finals: []stamp.Final{final()}},
		},
		"NoComposite": {
			reason:  "If no earlier step desires anything of the composite resource, its status is all that is desired.",
			edit:    func(req *fnv1.RunFunctionRequest) { req.Desired.Composite = nil },
			run:     statusAt("status.cloudTags"),
			outcome: Outcome{Finals: []stamp.Final{final()}},
		},
	}

	for name, of := range map[string]struct{ reason, path, composite string }{
		"Siblings": {
			"What earlier steps desire beside the field, and beside what is ours within it, is kept.", "status.cloudTags",
			`{"apiVersion": "example.org/v1", "kind": "XBucket", "metadata": {"labels": {"a": "b"}}, "spec": {"a": [1, null, {"b": true}]},
				"status": {"conditions": [{"type": "X"}], "cloudTag": 1, "cloudTags": {"note": ["x"], "classes": {"other": {"name": "x"}}, "nothing": null}, "null": null}}`,
		},
		"Odd":                {"What an earlier step has made something else stays, and is told, and the rest is written.", "status.cloudTags", `{"status": {"cloudTags": {"providers": ["x"], "resources": {"a": "x"}}}}`},
		"OddProviders":       {"A text stays where providers would be.", "status.cloudTags", `{"status": {"cloudTags": {"providers": "x", "other": 1}}}`},
		"OddList":            {"So does an object where a list of keys would be, and what is null is absent.", "status.cloudTags", `{"status": {"cloudTags": {"providers": {"aws": {}}, "resources": null}}}`},
		"OddItems":           {"So does a list of anything but strings.", "status.cloudTags", `{"status": {"cloudTags": {"providers": {"aws": ["x", 1]}}}}`},
		"OddTag":             {"So does what is no text where a tag's value would be.", "status.cloudTags", `{"status": {"cloudTags": {"resources": {"a": {"k": 1, "l": true}}}}}`},
		"OddRoot":            {"So does all of the field.", "status.cloudTags", `{"status": {"cloudTags": [1]}}`},
		"Empty":              {"An object that is empty is filled.", "status.cloudTags", `{"status": {"cloudTags": {}}}`},
		"Null":               {"A field that is null is absent.", "status.cloudTags", `{"status": {"cloudTags": null, "a": null}}`},
		"NullStatus":         {"A status that is null is absent.", "status.cloudTags", `{"status": null}`},
		"Nested":             {"Objects that are missing on the way to the field are made, and those that are there are kept.", "status.a.b.c", `{"status": {"a": {"x": "y"}, "z": 1}}`},
		"QuotedField":        {"A path may name fields with dots in them.", "status.tags[example.org/cloud]", `{"status": {"tags": {"example.org": 1}}}`},
		"ItemOfList":         {"A path may lead through an item of a list.", "status.steps[1].tags", `{"status": {"steps": ["x", {"name": "y"}]}}`},
		"FieldIsString":      {"A value that isn't an object is left alone, and all else is as without it.", "status.cloudTags", `{"status": {"cloudTags": "x", "a": "b"}}`},
		"FieldIsEmptyString": {"Even an empty string is left alone.", "status.cloudTags", `{"status": {"cloudTags": ""}}`},
		"FieldIsList":        {"A list is left alone.", "status.cloudTags", `{"status": {"cloudTags": [{"a": "b"}]}}`},
		"FieldIsFalse":       {"A boolean is left alone.", "status.cloudTags", `{"status": {"cloudTags": false}}`},
		"ParentIsString":     {"What has no fields is left alone.", "status.a.cloudTags", `{"status": {"a": "b"}}`},
		"StatusIsList":       {"A list has no field.", "status.cloudTags", `{"status": [{"cloudTags": {}}]}`},
		"NoSuchItem":         {"Items of lists are not made. The message says what could not be written, as all others do.", "status.steps[1].tags", `{"status": {"steps": [{}]}}`},
	} {
		scenes[name] = scene{reason: of.reason, composite: of.composite, run: statusAt(of.path), outcome: Outcome{Finals: []stamp.Final{final()}}}
	}

	play(t, scenes)
}
