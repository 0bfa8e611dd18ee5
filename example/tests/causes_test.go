package tests

import (
	"fmt"
	"maps"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/plexsphere/function-cloud-tags/example/internal/functions"
	"github.com/plexsphere/function-cloud-tags/example/internal/scenario"
	"github.com/plexsphere/function-cloud-tags/input/v1beta1"
	"github.com/plexsphere/function-cloud-tags/tags/locate"
	"github.com/plexsphere/function-cloud-tags/tags/manifest"
	tagobject "github.com/plexsphere/function-cloud-tags/tags/object"
	"github.com/plexsphere/function-cloud-tags/tags/tagstest"
)

// otherWords are the causes of some rows in other words: the condition counts what causes name, and a cause names a tag or a resource where an
// event names its reason.
var otherWords = map[string]string{
	"the field manager …":                                                                      "another field manager",
	"AllPropagated: … left alone":                                                              "archive: is only observed: …",
	"AllPropagated: … also TagsKept (1)":                                                       "web-1: tag … has …(ignoreTags: …)",
	"AllPropagated: … nothing found by …":                                                      "SourceEmpty: …",
	"NotTagged: not tagged: … has no tag field":                                                "policy: has no tag field",
	"InvalidInput: invalid input: …":                                                           "invalid input of step …",
	"UnknownKinds: unknown whether these have a tag field …":                                   "UnknownKinds: unknown whether … have a tag field: …",
	"TagFieldMismatch: … left the tag field alone: …":                                          "replica: spec.forProvider.settings has no item to hold tags",
	"TagsWithheld: … (an earlier step set another value)":                                      "tag … has … an earlier step set another value",
	"TagsWithheld: … (removeTags names it)":                                                    "label … removed (removeTags: …)",
	"TagsKept: newly kept because of ignoreTags …":                                             "tag owner: label owner has … it was rendered with another value …", // The list is in the context of the pipeline.
	"CloudRefuses: … its API refuses …":                                                        "CloudRefuses: the API of openstack refuses …",
	"MetadataNotCopied: … not copied: …":                                                       "SomeSkipped: metadata not copied; also MetadataNotCopied (1) …",
	"NoResources: the step receives no composed resource …":                                    "the step … receives no composed resource …",
	"NoResources: the composite resource has composed resources, but the step receives none …": "the step … receives no composed resource …",
}

// notCauses are rows that are no cause of a missing tag in a cluster as it is, each with the reason.
var notCauses = map[string]string{
	"Responsive: … WatchCircuitOpen":                                              "only Crossplane says it",
	"… leaves it alone only if the Composition sets it, too":                      "the cluster says what Crossplane has applied, so that nobody has to be reminded of the Composition",
	"instanceMetadataTags isn't set, and …":                                       "it is a note on a tag that the cloud may refuse",
	"LastTagStays: the last tag stays in the cloud …":                             "no tag is missing, and what has been taken away before isn't known",
	"LastTagStays: the last tag stays, since the API server refuses the object …": "the same",
	"StatusFieldMismatch: cannot write …":                                         "no tag is missing, and what steps have desired of the status isn't known",
	"Synced: … field not declared in schema":                                      "only an API server says it",
}

// TestCauses puts the scenario of each row of the page of symptoms into a cluster, and asks explain for its composite resource and for its composed
// resources. The row must be among the causes, which come first in an answer.
func TestCauses(t *testing.T) { //nolint:paralleltest // Each cluster sets PATH.
	root, _ := all(t)
	running := start(t, root)
	rows := symptoms(t, root)

	for _, name := range slices.Sorted(maps.Keys(rows)) {
		t.Run(name, func(t *testing.T) {
			causes := strings.Join(causesOf(t, find(t, root, name), running), "\n")

			for _, symptom := range rows[name] {
				_, withoutReason, hasReason := strings.Cut(symptom, ": ")
				isCause := says(symptom, causes) || hasReason && says(withoutReason, causes) || otherWords[symptom] != "" && says(otherWords[symptom], causes)

				if notCauses[symptom] != "" {
					isCause = !isCause
				}

				if !isCause {
					t.Errorf("%q: is it a cause? %t. explain says:\n%s", symptom, notCauses[symptom] == "", causes)
				}
			}
		})
	}
}

// says reports whether the text has the symptom, whatever stands in the place of its ellipses.
func says(symptom, text string) bool {
	return regexp.MustCompile(leftOut.ReplaceAllString(regexp.QuoteMeta(symptom), ".*")).MatchString(text)
}

// causesOf returns the causes in explain's answers about the composite resource of the scenario and each of its composed resources, for each
// step of the function.
func causesOf(t *testing.T, s scenario.Scenario, running *functions.Running) (out []string) {
	t.Helper()

	cluster, asked := clusterOf(t, s, running)
	cluster.Serve(t)

	steps := slices.DeleteFunc(pipelineOf(decode(t, read(t, filepath.Join(s.Dir, "composition.yaml")))[0]), func(step object) bool {
		input, _ := step["input"].(object)
		return input["kind"] != v1beta1.Kind
	})

	for _, step := range steps {
		for _, typeAndName := range asked {
			said, err := running.Explain(t.Context(), nil, "--step", fmt.Sprint(step["step"]), typeAndName)
			if err != nil && said == "" {
				t.Fatal(err)
			}

			causes, _, _ := strings.Cut(said, "\n\n") // A table follows.
			out = append(out, causes)
		}
	}

	return out
}

func pipelineOf(composition object) (out []object) {
	spec, _ := composition["spec"].(object)
	steps, _ := spec["pipeline"].(array)

	for _, s := range steps {
		step, _ := s.(object)
		out = append(out, step)
	}

	return out
}

// clusterOf returns a cluster with the objects of the scenario, after Crossplane has applied what it renders, and its composite resource and
// composed resources as explain is asked for them.
func clusterOf(t *testing.T, s scenario.Scenario, running *functions.Running) (cluster *tagstest.Cluster, asked []string) {
	t.Helper()

	files := func(name string) (out []object) {
		found, _ := new(manifest.Reader).Objects(filepath.Join(s.Dir, name)) // A scenario has only some of these files.
		for _, o := range found {
			out = append(out, o.AsMap())
		}

		return out
	}

	xr, composed := files("xr.yaml")[0], files("observed.yaml")

	if rendered := render(t, scenario.BuiltIn{}, s, running.Functions); !rendered.Failed {
		printed := decode(t, rendered.Text)
		xr["status"] = printed[0]["status"] // It is printed without its spec.
		composed = slices.DeleteFunc(printed[1:], func(o object) bool { return o["apiVersion"] == "render.crossplane.io/v1beta1" })
	} else {
		xr["status"] = object{"conditions": array{object{"type": "Synced", "status": "False", "reason": "ReconcileError", "message": rendered.Text}}}
	}

	metadataOf(xr)["uid"] = "1"

	revision := files("composition.yaml")[0]
	revision["kind"] = "CompositionRevision"

	var refs array

	for i, r := range composed {
		settle(r, xr, i, files("observed.yaml"))
		refs = append(refs, object{"apiVersion": r["apiVersion"], "kind": r["kind"], "name": metadataOf(r)["name"]})
	}

	spec, _ := xr["spec"].(object)
	if spec == nil {
		spec = make(object)
		xr["spec"] = spec
	}

	spec["crossplane"] = object{"compositionRevisionRef": object{"name": metadataOf(revision)["name"]}, "resourceRefs": refs}

	cluster = &tagstest.Cluster{
		Objects:    slices.Concat([]object{xr, revision}, composed, files("required.yaml"), files("required")),
		Categories: map[string][]string{"composite": {fmt.Sprint(xr["kind"])}},
	}
	cluster.Namespace, _ = metadataOf(xr)["namespace"].(string)

	for _, o := range append([]object{xr}, composed...) {
		group, _, _ := strings.Cut(fmt.Sprint(o["apiVersion"]), "/")
		if !strings.Contains(fmt.Sprint(o["apiVersion"]), "/") {
			group = ""
		}

		asked = append(asked, strings.TrimSuffix(strings.ToLower(fmt.Sprint(o["kind"]))+"s."+group, ".")+"/"+fmt.Sprint(metadataOf(o)["name"]))
	}

	return cluster, asked
}

// settle makes the composed resource one that Crossplane has applied for the composite resource, with the status and the field managers of the
// observed one.
func settle(r, xr object, i int, observed []object) {
	owner := locate.ComposedOwner(tagobject.FromStruct(tagstest.Struct(xr)))
	metadata := metadataOf(r)

	managers := array{object{
		"manager": owner, "operation": "Apply", "apiVersion": r["apiVersion"],
		"fieldsV1": object{"f:spec": object{}, "f:metadata": object{"f:annotations": object{}, "f:labels": object{}}},
	}}

	for _, o := range observed {
		if metadataOf(o)["name"] != metadata["name"] {
			continue
		}

		r["status"] = o["status"]

		if has, ok := metadataOf(o)["managedFields"].(array); ok {
			managers = has
			r["spec"] = o["spec"]
		}
	}

	if metadata["name"] == nil {
		metadata["name"] = fmt.Sprintf("composed-%d", i)
	}

	metadata["uid"], metadata["managedFields"] = strconv.Itoa(i+2), managers
	metadata["ownerReferences"] = array{object{"apiVersion": xr["apiVersion"], "kind": xr["kind"], "name": metadataOf(xr)["name"], "uid": "1", "controller": true}}
}

func metadataOf(o object) object {
	metadata, _ := o["metadata"].(object)
	return metadata
}
