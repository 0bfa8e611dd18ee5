package tests

import (
	"bytes"
	"fmt"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/yaml"

	"github.com/plexsphere/function-cloud-tags/example/internal/live"
	"github.com/plexsphere/function-cloud-tags/tags/tagstest"
)

// A report is the function's report on resources.
type report struct {
	Total  *count
	Groups []count

	Untagged, Incomplete, Drifted, Untaggable, Unknown []listed
}

// A count counts a group of them.
type count struct {
	Name string

	Resources, Taggable, Untaggable, Unknown int
	Tagged, Incomplete                       int
	Reported, InCloud, Drifted               int

	Keys []keyCount
}

// A listed resource is named.
type listed struct{ Kind, Composite string }

// A keyCount counts the resources with a key.
type keyCount struct {
	Key                           string
	Tagged, Of, InCloud, Reported int
}

// countable makes resources with labels, in a namespace of this name if they have any. The wanted
// counts follow from these resources.
func countable(c live.Test, namespace string) {
	c.T.Helper()

	c.Applied(live.Parse(c.T, "{apiVersion: v1, kind: Namespace, metadata: {name: "+namespace+"}}"))

	stack := func(name, resources string, labels object) *live.Stack {
		s := c.NewStack(namespace+"-"+name, resources, fieldLabels)
		if s.XR.GetNamespace() != "" {
			s.XR.SetNamespace(namespace)
		}

		s.Label(labels)

		return s
	}

	// Three resources with both keys. The cloud has them of one.
	shop := stack("shop", bucket+group+network, object{"cost-center": "4711", "platform/env": "prod"})
	tags := object{"Name": "reports", "legacy": "yes", "plexsphere:cost-center": "4711", "plexsphere:platform/env": "prod"}
	shop.Want("bucket", ofTags, tags)
	shop.WantNetwork("internal", "legacy=yes", "plexsphere:cost-center=4711", "plexsphere:platform/env=prod")
	shop.WantSoon("group", ofTag, array{
		object{"key": "Name", "value": "workers", "propagateAtLaunch": false},
		object{"key": "legacy", "value": "yes", "propagateAtLaunch": false},
		object{"key": "plexsphere:cost-center", "value": "4711", "propagateAtLaunch": true},
		object{"key": "plexsphere:platform/env", "value": "prod", "propagateAtLaunch": true},
	})
	shop.Observe("bucket", object{"tagsAll": tags})

	// One resource lacks a key, and the cloud has another value of the other. Another has no
	// tag field.
	blog := stack("blog", bucket+bases("dnsRecord"), object{"platform/env": "test"})
	tags = object{"Name": "reports", "legacy": "yes", "plexsphere:platform/env": "test"}
	blog.Want("bucket", ofTags, tags)
	blog.Want("record", ofSpec, object{"forProvider": object{}})
	blog.Observe("bucket", object{"tagsAll": object{"Name": "reports", "legacy": "yes", "plexsphere:platform/env": "prod"}})

	// A resource has only tags of its provider.
	empty := stack("empty", vpc, nil)
	empty.Want("vpc", ofSpec, object{"forProvider": object{}})
	empty.Write("vpc", object{"forProvider": object{"tags": object{"crossplane-name": "empty"}}})
	empty.Want("vpc", ofTags, object{"crossplane-name": "empty"})
}

// reports returns the wanted reports on the resources of countable, by tests.
func reports(c live.Test) (wanted struct{ Coverage, Operation report }) {
	tagstest.ReadYAML(c.T, filepath.Join("testdata", "operation", "reports.yaml"), &wanted)
	return wanted
}

// The command counts what was applied.
func testCoverage(c live.Test) {
	countable(c, "counted")

	managed, err := c.Managed(c.T.Context())
	if err != nil {
		c.T.Fatal(err)
	}

	cmd := exec.CommandContext(c.T.Context(), c.Function, "coverage", "-", "--by", "composite", "--key", "plexsphere:cost-center", "--key", "plexsphere:platform/env", "--output", "json")
	cmd.Stdin = bytes.NewReader(managed)

	out, err := cmd.Output()
	if err != nil {
		c.T.Fatal(err)
	}

	got := report{}
	if err := yaml.Unmarshal(out, &got); err != nil {
		c.T.Fatal(err)
	}

	// Other tests have resources, too.
	isOther := func(composite string) bool { return !strings.HasPrefix(composite, "counted-") }

	for i := range got.Groups {
		got.Groups[i].Name = strings.TrimPrefix(got.Groups[i].Name, "counted/")
	}

	got.Total = nil
	got.Groups = slices.DeleteFunc(got.Groups, func(g count) bool { return isOther(g.Name) })

	for _, list := range []*[]listed{&got.Untagged, &got.Incomplete, &got.Drifted, &got.Untaggable, &got.Unknown} {
		*list = slices.DeleteFunc(*list, func(l listed) bool { return isOther(l.Composite) })
	}

	want := reports(c).Coverage
	if diff := cmp.Diff(want, got, cmpopts.EquateEmpty()); diff != "" {
		c.T.Errorf("coverage: -applied, +counted:\n%s", diff)
	}
}

// An Operation counts the same, and puts it where people find it.
func testOperation(c live.Test) {
	countable(c, "operated")

	operation := read(c.T, filepath.Join("testdata", "operation", "operation.yaml"))

	spec := live.Parse(c.T, operation).Object
	configMap := live.Parse(c.T, "{apiVersion: v1, kind: ConfigMap, metadata: {name: tag-coverage, namespace: operated}, data: {mine: kept, coverage.yaml: old}}")

	c.Applied(configMap)

	// Every minute, one comes of this. It goes on until the cluster has gone.
	cron := &unstructured.Unstructured{Object: object{
		"apiVersion": "ops.crossplane.io/v1alpha1", "kind": "CronOperation", "metadata": object{"name": "tag-coverage"},
		"spec": object{"schedule": "* * * * *", "operationTemplate": object{"spec": spec}},
	}}
	c.Applied(cron)

	done := operate(c, "tag-coverage", spec, "True")

	steps := []struct {
		Step   string
		Output report
	}{}
	if err := yaml.Unmarshal([]byte(marshal(c.T, live.Field[array](done, "status", "pipeline"))), &steps); err != nil {
		c.T.Fatal(err)
	}

	// The lists are in the ConfigMap alone.
	want := reports(c).Operation
	output := report{Total: want.Total, Groups: want.Groups}
	if diff := cmp.Diff(output, steps[len(steps)-1].Output, cmpopts.EquateEmpty()); diff != "" {
		c.T.Errorf("output of the Operation: -applied, +counted:\n%s", diff)
	}

	reported(c, configMap, want)

	// Its totals are in the metrics, too.
	metrics, err := c.Metrics(c.T.Context())
	if err != nil {
		c.T.Fatal(err)
	}

	for _, g := range want.Groups {
		for name, n := range map[string]int{"resources": g.Taggable, "complete": g.Taggable - g.Incomplete} {
			if series := fmt.Sprintf("function_cloud_tags_coverage_%s{configmap=%q,provider=%q} %d\n", name, "operated/tag-coverage", g.Name, n); !strings.Contains(metrics, series) {
				c.T.Errorf("the metrics lack %s", series)
			}
		}
	}

	note := configMap.DeepCopy()
	note.SetName("note")

	if note, err := c.ClientFor(note).Get(c.T.Context(), "note", metav1.GetOptions{}); err != nil || live.Field[string](note, "data", "a") != "b" {
		c.T.Errorf("what an earlier step desires isn't applied: %v, %v", note, err)
	}

	pipeline, _ := spec["pipeline"].(array)
	step, _ := pipeline[1].(object)
	input, _ := step["input"].(object)

	operateByStandard(c, spec, step, want)

	// A refused Operation changes nothing.
	step["input"] = input
	input["sources"] = array{object{"type": "Value", "values": object{"a": "b"}}}

	operate(c, "tag-sources", spec, "False")

	live.Eventually(c.T, func() error {
		event := live.Parse(c.T, "{apiVersion: v1, kind: Event, metadata: {namespace: default}}")

		events, err := c.ClientFor(event).List(c.T.Context(), metav1.ListOptions{FieldSelector: "involvedObject.kind=Operation,involvedObject.name=tag-sources"})
		if err != nil {
			return err
		}

		if text := fmt.Sprint(events.Items); !strings.Contains(text, "sources: forbidden in an Operation") {
			return fmt.Errorf("no event says what is refused: %s", text)
		}

		return nil
	})

	live.Eventually(c.T, func() error {
		got, err := c.ClientFor(cron).Get(c.T.Context(), "tag-coverage", metav1.GetOptions{})
		if err == nil && live.Field[string](got, "status", "lastSuccessfulTime") == "" {
			err = fmt.Errorf("no Operation of the CronOperation has succeeded: %v", got.Object["status"])
		}

		return err
	})
	reported(c, configMap, want)
}

// operateByStandard runs an Operation with a step that only names its standard. Sources of the standard are for
// Compositions.
func operateByStandard(c live.Test, spec, step object, want report) {
	c.T.Helper()

	configMap := live.Parse(c.T, "{apiVersion: v1, kind: ConfigMap, metadata: {name: by-standard, namespace: operated}, data: {mine: kept}}")
	standard := live.Parse(c.T, `
apiVersion: v1
kind: ConfigMap
metadata: {name: standard, namespace: operated}
data:
  input: |
    apiVersion: cloudtags.fn.plexsphere.com/v1beta1
    kind: CloudTags
    sources: [{type: Value, values: {a: b}}]
    coverage: {keys: [cost-center, platform/env], configMap: {name: by-standard, namespace: operated}}
`)
	c.Applied(configMap, standard)

	step["input"] = object{
		"apiVersion": "cloudtags.fn.plexsphere.com/v1beta1", "kind": "CloudTags",
		"extends": object{"apiVersion": "v1", "kind": "ConfigMap", "namespace": "operated", "name": "standard", "fromFieldPath": "data.input"},
	}

	operate(c, "tag-standard", spec, "True")
	reported(c, configMap, want)
}

// operate runs an Operation until it succeeds or not, as is wanted, and returns it.
func operate(c live.Test, name string, spec object, succeeds string) *unstructured.Unstructured {
	c.T.Helper()

	o := &unstructured.Unstructured{Object: object{"apiVersion": "ops.crossplane.io/v1alpha1", "kind": "Operation", "metadata": object{"name": name}, "spec": spec}}
	c.Applied(o)

	live.Eventually(c.T, func() (err error) {
		if o, err = c.ClientFor(o).Get(c.T.Context(), name, metav1.GetOptions{}); err != nil {
			return err
		}

		for _, condition := range live.Field[array](o, "status", "conditions") {
			if condition, _ := condition.(object); condition["type"] == "Succeeded" && condition["status"] == succeeds {
				return nil
			}
		}

		event := live.Parse(c.T, "{apiVersion: v1, kind: Event, metadata: {namespace: default}}")

		events, err := c.ClientFor(event).List(c.T.Context(), metav1.ListOptions{FieldSelector: "involvedObject.kind=Operation,involvedObject.name=" + name})
		if err != nil {
			return err
		}

		return fmt.Errorf("Operation %s: %v, %v", name, o.Object["status"], events.Items)
	})

	return o
}

// reported is in the ConfigMap, beside what others have there.
func reported(c live.Test, configMap *unstructured.Unstructured, want report) {
	c.T.Helper()

	got, err := c.ClientFor(configMap).Get(c.T.Context(), configMap.GetName(), metav1.GetOptions{})
	if err != nil {
		c.T.Fatal(err)
	}

	data := live.Field[object](got, "data")
	text, _ := data["coverage.yaml"].(string)
	delete(data, "coverage.yaml")

	if diff := cmp.Diff(object{"mine": "kept"}, data); diff != "" {
		c.T.Errorf("data of others: -want, +got:\n%s", diff)
	}

	stored := report{}
	if err := yaml.Unmarshal([]byte(text), &stored); err != nil {
		c.T.Fatal(err)
	}

	if diff := cmp.Diff(want, stored, cmpopts.EquateEmpty()); diff != "" {
		c.T.Errorf("report in the ConfigMap: -applied, +counted:\n%s", diff)
	}
}
