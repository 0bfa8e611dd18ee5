package example

import (
	"bytes"
	"fmt"
	"os/exec"
	"slices"
	"strings"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/yaml"

	"github.com/plexsphere/function-cloud-tags/example/internal/live"
)

// A report is what the function says of resources.
type report struct {
	Total  *count
	Groups []count

	Untagged, Incomplete, Drifted, Untaggable, Unknown []listed
}

// A count is what it says of some of them.
type count struct {
	Name string

	Resources, Taggable, Untaggable, Unknown int
	Tagged, Incomplete                       int
	Reported, InCloud, Drifted               int

	Keys []keyCount
}

// A listed resource is named.
type listed struct{ Kind, Composite string }

// A keyCount is what it has of a key.
type keyCount struct {
	Key                           string
	Tagged, Of, InCloud, Reported int
}

// countable makes resources of labels, in a namespace of the supplied name if they have any. What
// is counted of them follows from what is written here.
func countable(c live.Test, namespace string) {
	c.T.Helper()

	if err := c.Apply(c.T.Context(), "test", live.Parse(c.T, "{apiVersion: v1, kind: Namespace, metadata: {name: "+namespace+"}}")); err != nil {
		c.T.Fatal(err)
	}

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

	// One resource has none but those of its provider.
	empty := stack("empty", vpc, nil)
	empty.Want("vpc", ofSpec, object{"forProvider": object{}})
	empty.Write("vpc", object{"forProvider": object{"tags": object{"crossplane-name": "empty"}}})
	empty.Want("vpc", ofTags, object{"crossplane-name": "empty"})
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

	keys := func(costCenter, env keyCount) []keyCount {
		costCenter.Key, env.Key = "plexsphere:cost-center", "plexsphere:platform/env"
		return []keyCount{costCenter, env}
	}

	want := report{
		Groups: []count{
			{
				Name: "counted-blog", Resources: 2, Taggable: 1, Unknown: 1, Tagged: 1, Incomplete: 1, Reported: 1, InCloud: 1, Drifted: 1,
				Keys: keys(keyCount{Of: 1, Reported: 1}, keyCount{Tagged: 1, Of: 1, InCloud: 1, Reported: 1}),
			},
			{Name: "counted-empty", Resources: 1, Taggable: 1, Incomplete: 1, Keys: keys(keyCount{Of: 1}, keyCount{Of: 1})},
			{
				Name: "counted-shop", Resources: 3, Taggable: 3, Tagged: 3, Reported: 1, InCloud: 1,
				Keys: keys(keyCount{Tagged: 3, Of: 3, InCloud: 1, Reported: 1}, keyCount{Tagged: 3, Of: 3, InCloud: 1, Reported: 1}),
			},
		},
		Untagged:   []listed{{Kind: "VPC", Composite: "counted-empty"}},
		Incomplete: []listed{{Kind: "Bucket", Composite: "counted-blog"}},
		Drifted:    []listed{{Kind: "Bucket", Composite: "counted-blog"}},
		Unknown:    []listed{{Kind: "Record", Composite: "counted-blog"}},
	}
	if diff := cmp.Diff(want, got, cmpopts.EquateEmpty()); diff != "" {
		c.T.Errorf("coverage: -applied, +counted:\n%s", diff)
	}
}

// operation counts what its step requires of a namespace, after a step that desires something
// else.
const operation = `
mode: Pipeline
retryLimit: 1
pipeline:
- step: others
  functionRef: {name: function-test-resources}
  input:
    apiVersion: testfunction.example.org/v1
    kind: Resources
    resources:
    - name: note
      base: {apiVersion: v1, kind: ConfigMap, metadata: {name: note, namespace: operated}, data: {a: b}}
- step: coverage
  functionRef: {name: function-cloud-tags}
  requirements:
    requiredResources:
    - {requirementName: buckets, apiVersion: s3.aws.m.upbound.io/v1beta1, kind: Bucket, namespace: operated}
    - {requirementName: groups, apiVersion: autoscaling.aws.m.upbound.io/v1beta1, kind: AutoscalingGroup, namespace: operated}
    - {requirementName: vpcs, apiVersion: ec2.aws.m.upbound.io/v1beta1, kind: VPC, namespace: operated}
    - {requirementName: networks, apiVersion: networking.openstack.m.crossplane.io/v1alpha1, kind: NetworkV2, namespace: operated}
    - {requirementName: records, apiVersion: dns.cloud.example.org/v1, kind: Record, namespace: operated}
    - {requirementName: shop, apiVersion: s3.aws.m.upbound.io/v1beta1, kind: Bucket, matchLabels: {crossplane.io/composite: operated-shop}}
  input:
    apiVersion: cloudtags.fn.plexsphere.com/v1beta1
    kind: CloudTags
    coverage:
      keys: [cost-center, platform/env]
      configMap: {name: tag-coverage, namespace: operated}
`

// An Operation counts the same, and puts it where people find it.
func testOperation(c live.Test) {
	countable(c, "operated")

	spec := live.Parse(c.T, operation).Object
	configMap := live.Parse(c.T, "{apiVersion: v1, kind: ConfigMap, metadata: {name: tag-coverage, namespace: operated}, data: {mine: kept, coverage.yaml: old}}")

	if err := c.Apply(c.T.Context(), "test", configMap); err != nil {
		c.T.Fatal(err)
	}

	// Every minute, one comes of this. It goes on until the cluster has gone.
	cron := &unstructured.Unstructured{Object: object{
		"apiVersion": "ops.crossplane.io/v1alpha1", "kind": "CronOperation", "metadata": object{"name": "tag-coverage"},
		"spec": object{"schedule": "* * * * *", "operationTemplate": object{"spec": spec}},
	}}
	if err := c.Apply(c.T.Context(), "test", cron); err != nil {
		c.T.Fatal(err)
	}

	done := operate(c, "tag-coverage", spec, "True")

	output, err := yaml.Marshal(live.Field[array](done, "status", "pipeline"))
	if err != nil {
		c.T.Fatal(err)
	}

	steps := []struct {
		Step   string
		Output report
	}{}
	if err := yaml.Unmarshal(output, &steps); err != nil {
		c.T.Fatal(err)
	}

	want := report{
		Total: &count{
			Resources: 6, Taggable: 5, Untaggable: 1, Tagged: 4, Incomplete: 2, Reported: 2, InCloud: 2, Drifted: 1,
			Keys: []keyCount{
				{Key: "cost-center", Tagged: 3, Of: 5, InCloud: 1, Reported: 2},
				{Key: "platform/env", Tagged: 4, Of: 5, InCloud: 2, Reported: 2},
			},
		},
		Groups: []count{
			{
				Name: "aws", Resources: 4, Taggable: 4, Tagged: 3, Incomplete: 2, Reported: 2, InCloud: 2, Drifted: 1,
				Keys: []keyCount{{Key: "cost-center", Tagged: 2, Of: 4, InCloud: 1, Reported: 2}, {Key: "platform/env", Tagged: 3, Of: 4, InCloud: 2, Reported: 2}},
			},
			{Name: "generic", Resources: 1, Untaggable: 1, Keys: []keyCount{{Key: "cost-center"}, {Key: "platform/env"}}},
			{Name: "openstack", Resources: 1, Taggable: 1, Tagged: 1, Keys: []keyCount{{Key: "cost-center", Tagged: 1, Of: 1}, {Key: "platform/env", Tagged: 1, Of: 1}}},
		},
	}
	if diff := cmp.Diff(want, steps[len(steps)-1].Output); diff != "" {
		c.T.Errorf("output of the Operation: -applied, +counted:\n%s", diff)
	}

	// The report has lists, too.
	want.Untagged = []listed{{Kind: "VPC", Composite: "operated-empty"}}
	want.Incomplete = []listed{{Kind: "Bucket", Composite: "operated-blog"}}
	want.Drifted = want.Incomplete
	want.Untaggable = []listed{{Kind: "Record", Composite: "operated-blog"}}
	reported(c, configMap, want)

	note := configMap.DeepCopy()
	note.SetName("note")

	if note, err = c.Of(note).Get(c.T.Context(), "note", metav1.GetOptions{}); err != nil || live.Field[string](note, "data", "a") != "b" {
		c.T.Errorf("what an earlier step desires isn't applied: %v, %v", note, err)
	}

	// One that is refused changes nothing.
	pipeline, _ := spec["pipeline"].(array)
	step, _ := pipeline[1].(object)
	input, _ := step["input"].(object)
	input["sources"] = array{object{"type": "Value", "values": object{"a": "b"}}}

	operate(c, "tag-sources", spec, "False")

	live.Eventually(c.T, func() error {
		event := live.Parse(c.T, "{apiVersion: v1, kind: Event, metadata: {namespace: default}}")

		events, err := c.Of(event).List(c.T.Context(), metav1.ListOptions{FieldSelector: "involvedObject.kind=Operation,involvedObject.name=tag-sources"})
		if err != nil {
			return err
		}

		if text := fmt.Sprint(events.Items); !strings.Contains(text, "sources: forbidden in an Operation") {
			return fmt.Errorf("no event says what is refused: %s", text)
		}

		return nil
	})

	live.Eventually(c.T, func() error {
		got, err := c.Of(cron).Get(c.T.Context(), "tag-coverage", metav1.GetOptions{})
		if err == nil && live.Field[string](got, "status", "lastSuccessfulTime") == "" {
			err = fmt.Errorf("no Operation of the CronOperation has succeeded: %v", got.Object["status"])
		}

		return err
	})
	reported(c, configMap, want)
}

// operate runs an Operation until it succeeds or not, as is wanted, and returns it.
func operate(c live.Test, name string, spec object, succeeds string) *unstructured.Unstructured {
	c.T.Helper()

	o := &unstructured.Unstructured{Object: object{"apiVersion": "ops.crossplane.io/v1alpha1", "kind": "Operation", "metadata": object{"name": name}, "spec": spec}}
	if err := c.Apply(c.T.Context(), "test", o); err != nil {
		c.T.Fatal(err)
	}

	live.Eventually(c.T, func() (err error) {
		if o, err = c.Of(o).Get(c.T.Context(), name, metav1.GetOptions{}); err != nil {
			return err
		}

		for _, condition := range live.Field[array](o, "status", "conditions") {
			if condition, _ := condition.(object); condition["type"] == "Succeeded" && condition["status"] == succeeds {
				return nil
			}
		}

		return fmt.Errorf("Operation %s: %v", name, o.Object["status"])
	})

	return o
}

// reported is in the ConfigMap, beside what others have there.
func reported(c live.Test, configMap *unstructured.Unstructured, want report) {
	c.T.Helper()

	got, err := c.Of(configMap).Get(c.T.Context(), configMap.GetName(), metav1.GetOptions{})
	if err != nil {
		c.T.Fatal(err)
	}

	data := live.Field[object](got, "data")
	text, _ := data["coverage.yaml"].(string)
	delete(data, "coverage.yaml")

	if diff := cmp.Diff(object{"mine": "kept"}, data); diff != "" {
		c.T.Errorf("data of others: -want, +got:\n%s", diff)
	}

	of := report{}
	if err := yaml.Unmarshal([]byte(text), &of); err != nil {
		c.T.Fatal(err)
	}

	if diff := cmp.Diff(want, of, cmpopts.EquateEmpty()); diff != "" {
		c.T.Errorf("report in the ConfigMap: -applied, +counted:\n%s", diff)
	}
}
