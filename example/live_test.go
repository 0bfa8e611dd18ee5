package example

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/types"
	utiljson "k8s.io/apimachinery/pkg/util/json"
	"sigs.k8s.io/yaml"

	"github.com/plexsphere/function-cloud-tags/example/internal/live"
	"github.com/plexsphere/function-cloud-tags/example/internal/process"
	"github.com/plexsphere/function-cloud-tags/example/internal/scenario"
)

// definition of the composite resources of all tests. Its status has what README says.
const definition = `
apiVersion: apiextensions.crossplane.io/v2
kind: CompositeResourceDefinition
metadata:
  name: stacks.platform.example.org
spec:
  scope: Namespaced
  group: platform.example.org
  names: {kind: Stack, plural: stacks}
  versions:
  - name: v1alpha1
    served: true
    referenceable: true
    schema:
      openAPIV3Schema:
        type: object
        properties:
          spec:
            type: object
            properties:
              labels: {type: object, additionalProperties: {type: string}}
              reconciled: {type: integer}
          status:
            type: object
            properties:
              cloudTags:
                type: object
                properties:
                  providers:
                    type: object
                    additionalProperties: {type: array, items: {type: string}}
                  resources:
                    type: object
                    additionalProperties: {type: object, additionalProperties: {type: string}}
                  classes:
                    type: object
                    additionalProperties: {type: object, additionalProperties: {type: string}}
`

// managed is a kind that is not built in: its group, plural, kind, version and a field.
const managed = `
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata:
  name: %[2]s.%[1]s
spec:
  group: %[1]s
  names: {kind: %[3]s, plural: %[2]s}
  scope: Namespaced
  versions:
  - name: %[4]s
    served: true
    storage: true
    schema:
      openAPIV3Schema:
        type: object
        properties:
          spec:
            type: object
            required: [forProvider]
            properties:
              forProvider:
                type: object
                properties:
                  %[5]s: {type: object, additionalProperties: {type: string}}
`

// Resources that tests compose.
const (
	bucket = `
- name: bucket
  base:
    apiVersion: s3.aws.m.upbound.io/v1beta1
    kind: Bucket
    spec:
      forProvider:
        tags: {Name: reports, legacy: "yes"}
`
	group = `
- name: group
  base:
    apiVersion: autoscaling.aws.m.upbound.io/v1beta1
    kind: AutoscalingGroup
    spec:
      forProvider:
        tag:
        - {key: Name, value: workers, propagateAtLaunch: false}
        - {key: legacy, value: "yes", propagateAtLaunch: false}
`
	network = `
- name: network
  base:
    apiVersion: networking.openstack.m.crossplane.io/v1alpha1
    kind: NetworkV2
    spec:
      forProvider:
        tags: [internal, legacy=yes]
`
	bare = `
- name: server
  base: {apiVersion: hcloud.crossplane.io/v1alpha1, kind: Server}
- name: vm
  base: {apiVersion: vm.generic.plexsphere.com/v1alpha1, kind: VirtualMachine}
- name: record
  base: {apiVersion: dns.cloud.example.org/v1, kind: Record}
`
	instance = `
- name: instance
  base:
    apiVersion: ec2.aws.upbound.io/v1beta2
    kind: Instance
    spec:
      forProvider:
        tags: {Name: worker}
`
	volume = `
- name: volume
  base:
    apiVersion: storage.cloud.example.org/v1
    kind: Volume
    spec:
      forProvider: {}
`
	vpc = `
- name: vpc
  base:
    apiVersion: ec2.aws.m.upbound.io/v1beta1
    kind: VPC
    spec:
      forProvider: {}
`
)

// Paths of what tests ask for.
var (
	ofSpec   = []string{"spec"}
	ofTags   = []string{"spec", "forProvider", "tags"}
	ofTag    = []string{"spec", "forProvider", "tag"}
	ofLabels = []string{"spec", "forProvider", "labels"}
)

type (
	object = map[string]any
	array  = []any
)

func TestLive(t *testing.T) {
	t.Parallel()

	asked(t)

	root, _ := all(t)
	readFolders(t, root)

	for release, tests := range map[live.Release]map[string]func(cluster){
		live.V2: {
			"Tags":             testTags,
			"Labels":           testLabels,
			"LastLabel":        testLastLabel,
			"RemoveAndIgnore":  testRemoveAndIgnore,
			"RequiredResource": testRequiredResource,
			"Metadata":         testMetadata,
			"Fatal":            testFatal,
			"Schema":           testSchema,
			"Bare":             testBare,
			"Unknown":          testUnknown,
			"Input":            testInput,
			"Policy":           testPolicy,
		},
		live.V1: {
			"Namespace": testNamespace,
		},
	} {
		t.Run(string(release), func(t *testing.T) {
			t.Parallel()

			c, err := live.Start(t.Context(), root, release)
			if err != nil {
				t.Fatal(err)
			}

			t.Cleanup(func() {
				if t.Failed() {
					t.Log(c.Tails())
				}

				c.Stop()
			})

			install(t, c, root)

			for name, test := range tests {
				t.Run(name, func(t *testing.T) {
					t.Parallel()
					test(cluster{Cluster: c, t: t})
				})
			}
		})
	}
}

// A cluster that a test runs in.
type cluster struct {
	*live.Cluster

	t *testing.T
}

// install what all tests need.
func install(t *testing.T, c *live.Cluster, root string) {
	t.Helper()

	xrd := parse(t, definition)
	if c.Release == live.V1 { // All composite resources are cluster-scoped there.
		xrd.SetAPIVersion("apiextensions.crossplane.io/v1")
		unstructured.RemoveNestedField(xrd.Object, "spec", "scope")
	}

	objects := []*unstructured.Unstructured{
		xrd,
		parse(t, fmt.Sprintf(managed, "storage.cloud.example.org", "volumes", "Volume", "v1", "tags")),
		parse(t, fmt.Sprintf(managed, "dns.cloud.example.org", "records", "Record", "v1", "comments")),
		parse(t, fmt.Sprintf(managed, "hcloud.crossplane.io", "servers", "Server", "v1alpha1", "labels")),
		parse(t, fmt.Sprintf(managed, "vm.generic.plexsphere.com", "virtualmachines", "VirtualMachine", "v1alpha1", "tags")),
	}

	files, err := filepath.Glob(filepath.Join(root, "tags", "field", "testdata", "crds", "*.yaml"))
	if err != nil {
		t.Fatal(err)
	}

	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}

		objects = append(objects, parse(t, string(text)))
	}

	for _, o := range objects {
		// Providers write the status of their kinds as a subresource.
		for _, v := range field[array](o, "spec", "versions") {
			if version, ok := v.(object); ok && o.GetKind() == "CustomResourceDefinition" {
				version["subresources"] = object{"status": object{}}
			}
		}
	}

	if err := c.Apply(t.Context(), "test", objects...); err != nil {
		t.Fatal(err)
	}

	for _, o := range objects {
		eventually(t, func() error {
			got, err := c.Of(o).Get(t.Context(), o.GetName(), metav1.GetOptions{})
			if err != nil {
				return err
			}

			return differs("True", condition(got, "Established").Status)
		})
	}
}

// Labels become tags of every shape, and people are told what became of them.
func testTags(c cluster) {
	s := c.newStack("tags", bucket+vpc+group+network, `
sources:
- type: CompositeField
  fromFieldPath: spec.labels
statusFieldPath: status.cloudTags
`)
	s.label(object{"platform/env": "prod", "platform/owner#1": "team-a"})

	// AWS has no keys with a #, but OpenStack has.
	s.want("bucket", ofTags, object{"Name": "reports", "legacy": "yes", "plexsphere:platform/env": "prod"})
	s.want("vpc", ofTags, object{"plexsphere:platform/env": "prod"})
	s.want("group", ofTag, array{
		object{"key": "Name", "value": "workers", "propagateAtLaunch": false},
		object{"key": "legacy", "value": "yes", "propagateAtLaunch": false},
		object{"key": "plexsphere:platform/env", "value": "prod", "propagateAtLaunch": true},
	})
	s.want("network", ofTags, array{"internal", "legacy=yes", "plexsphere:platform/env=prod", "plexsphere:platform/owner#1=team-a"})

	s.wantCondition("Synced", "True", "ReconcileSuccess")
	s.wantCondition("CloudTagsPropagated", "True", "SomeSkipped")
	s.wantEvent("Warning", "platform/owner#1", "key-character-class")

	xr := s.get()
	if diff := cmp.Diff(object{
		"providers": object{
			"aws":       array{"plexsphere:platform/env"},
			"openstack": array{"plexsphere:platform/env", "plexsphere:platform/owner#1"},
		},
		"resources": object{
			"bucket":  object{"plexsphere:platform/env": "prod"},
			"group":   object{"plexsphere:platform/env": "prod"},
			"vpc":     object{"plexsphere:platform/env": "prod"},
			"network": object{"plexsphere:platform/env": "prod", "plexsphere:platform/owner#1": "team-a"},
		},
	}, field[object](xr, "status", "cloudTags")); diff != "" {
		c.t.Errorf("status: -want, +got:\n%s", diff)
	}

	s.settled()

	metrics, err := c.Metrics(c.t.Context())
	if err != nil {
		c.t.Fatal(err)
	}

	for _, want := range []string{
		"\nfunction_cloud_tags_resources_tagged_total{provider=\"aws\"} ",
		"\nfunction_cloud_tags_labels_skipped_total{provider=\"aws\",reason=\"key-character-class\"} ",
	} {
		_, rest, _ := strings.Cut(metrics, want)
		if value, _, _ := strings.Cut(rest, "\n"); value == "" || value == "0" {
			c.t.Errorf("metric%s is %q", want, value)
		}
	}
}

// What a label was is not a tag any more. What others have tagged still is.
func testLabels(c cluster) {
	s := c.newStack("labels", bucket+group+network, `
sources:
- type: CompositeField
  fromFieldPath: spec.labels
`)
	s.label(object{"env": "prod", "owner": "team-a"})
	s.want("bucket", ofTags, object{"Name": "reports", "legacy": "yes", "plexsphere:env": "prod", "plexsphere:owner": "team-a"})
	s.want("network", ofTags, array{"internal", "legacy=yes", "plexsphere:env=prod", "plexsphere:owner=team-a"})

	s.tag("bucket", object{"tags": object{"backup": "daily"}})
	s.tag("network", object{"tags": array{"backup=daily"}})

	// Server-side apply replaces this list as a whole, and providers write to it.
	name := object{"key": "Name", "value": "workers", "propagateAtLaunch": false}
	legacy := object{"key": "legacy", "value": "yes", "propagateAtLaunch": false}
	kind := object{"key": "crossplane-kind", "value": "autoscalinggroup.autoscaling.aws.m.upbound.io", "propagateAtLaunch": true}
	env := func(value string) object {
		return object{"key": "plexsphere:env", "value": value, "propagateAtLaunch": true}
	}

	owner := object{"key": "plexsphere:owner", "value": "team-a", "propagateAtLaunch": true}

	// A run that has begun before doesn't know of it. Providers write again, too.
	eventually(c.t, func() error {
		s.write("group", object{"tag": array{name, legacy, kind, env("prod")}})
		s.reconcile()

		return s.objection("group", ofTag, array{name, legacy, kind, env("prod"), owner})
	})
	s.settled()

	s.label(object{"env": "test"})
	s.want("bucket", ofTags, object{"Name": "reports", "legacy": "yes", "backup": "daily", "plexsphere:env": "test"})
	s.want("group", ofTag, array{name, legacy, kind, env("test")})
	s.wantNetwork("internal", "legacy=yes", "backup=daily", "plexsphere:env=test")
	s.settled()

	s.label(nil)
	s.want("bucket", ofTags, object{"Name": "reports", "legacy": "yes", "backup": "daily"})
	s.want("group", ofTag, array{name, legacy, kind})
	s.wantNetwork("internal", "legacy=yes", "backup=daily")
	s.settled()

	added := []string{"plexsphere:env", "plexsphere:owner"}
	s.wantChanges("bucket",
		change{Added: append([]string{"Name", "legacy"}, added...)},
		change{Changed: []string{"plexsphere:env"}, Removed: []string{"plexsphere:owner"}},
		change{Removed: []string{"plexsphere:env"}},
	)
	s.wantChanges("network",
		change{Added: append([]string{"internal", "legacy"}, added...)},
		change{Changed: []string{"plexsphere:env"}, Removed: []string{"plexsphere:owner"}},
		change{Removed: []string{"plexsphere:env"}},
	)
}

// The last label leaves the cloud, too. A provider that is built with upjet would bring it
// back if the field weren't there.
func testLastLabel(c cluster) {
	s := c.newStack("last", `
- name: vpc
  base:
    apiVersion: ec2.aws.m.upbound.io/v1beta1
    kind: VPC
    spec:
      forProvider: {cidrBlock: 10.0.0.0/16}
- name: tagged
  base: {apiVersion: s3.aws.m.upbound.io/v1beta1, kind: Bucket}
`, `
sources:
- type: CompositeField
  fromFieldPath: spec.labels
`)
	// This provider adds tags of its own, so that its field is never empty.
	own := object{"crossplane-kind": "bucket.s3.aws.m.upbound.io", "crossplane-name": "tagged"}
	providers := []*provider{{stack: s, name: "vpc"}, {stack: s, name: "tagged", adds: own}}

	// provided checks what the tags in the cloud become.
	provided := func(want object) {
		c.t.Helper()

		for _, p := range providers {
			want := maps.Clone(want)
			maps.Copy(want, p.adds)

			eventually(c.t, func() error {
				if err := p.reconcile(); err != nil {
					return err
				}

				return differs(want, p.cloud)
			})
		}
	}

	s.label(object{"env": "prod", "owner": "team-a"})
	provided(object{"plexsphere:env": "prod", "plexsphere:owner": "team-a"})
	s.settled()

	// An empty map stays until the provider has seen it, however long that takes. While
	// Crossplane has only removed the tags, the provider still looks at the cloud, and
	// may not write what it read before.
	s.label(nil)
	s.want("vpc", ofTags, object{})
	s.want("tagged", ofTags, own)
	s.settled()
	s.want("vpc", ofTags, object{})

	// Crossplane may not know yet that the provider has dropped the empty map, and make it
	// again. Then the provider drops it again.
	eventually(c.t, func() error {
		provided(object{})
		s.reconcile()

		return s.objection("vpc", ofTags, nil)
	})

	for range 2 {
		s.settled()
		s.want("vpc", ofTags, nil)
		s.want("tagged", ofTags, own)
		provided(object{})
	}

	s.label(object{"env": "test"})
	provided(object{"plexsphere:env": "test"})
	s.settled()
}

// A provider of one resource, as those are that are built with upjet.
type provider struct {
	*stack

	// name of the resource.
	name string

	// adds are the tags that it sets before it does anything.
	adds object

	// cloud is what the resource's tags are in the cloud.
	cloud object
}

// reconcile the resource once. A map that isn't there is filled with what the cloud has. One
// that is there is what the cloud gets, though it be empty. When the resource is
// written, an empty map is not in its JSON.
func (p *provider) reconcile() error {
	r, err := p.find(p.name)
	if err != nil {
		return err
	}

	tags := maps.Clone(field[object](r, ofTags...))
	if len(p.adds) > 0 && tags == nil {
		tags = make(object)
	}

	maps.Copy(tags, p.adds)

	if tags == nil {
		tags = p.cloud
	}

	unstructured.RemoveNestedField(r.Object, ofTags...)

	if len(tags) > 0 {
		if err := unstructured.SetNestedMap(r.Object, tags, ofTags...); err != nil {
			return err
		}
	}

	r, err = p.Of(r).Update(p.t.Context(), r, metav1.UpdateOptions{FieldManager: "provider"})
	if err != nil {
		return err // It has changed meanwhile.
	}

	p.cloud = tags

	if err := unstructured.SetNestedMap(r.Object, maps.Clone(tags), "status", "atProvider", "tags"); err != nil {
		return err
	}

	_, err = p.Of(r).UpdateStatus(p.t.Context(), r, metav1.UpdateOptions{FieldManager: "provider"})

	return err
}

// Tags are removed, whoever sets them, and those of the cloud stay.
func testRemoveAndIgnore(c cluster) {
	s := c.newStack("ignore", bucket+group+network, `
sources:
- type: CompositeField
  fromFieldPath: spec.labels
removeTags:
- key: legacy
ignoreTags:
- key: "backup*"
`)
	s.label(object{"env": "prod"})
	s.want("bucket", ofTags, object{"Name": "reports", "plexsphere:env": "prod"})
	s.want("network", ofTags, array{"internal", "plexsphere:env=prod"})

	for _, value := range []string{"daily", "weekly"} {
		s.observe("bucket", object{"tagsAll": object{"Name": "reports", "backup-plan": value, "other": "x"}})
		s.observe("group", object{"tag": array{
			object{"key": "backup-plan", "value": value, "propagateAtLaunch": false},
			object{"key": "other", "value": "x", "propagateAtLaunch": false},
		}})
		s.observe("network", object{"allTags": array{"internal", "backup-plan=" + value, "other=x"}})

		s.want("bucket", ofTags, object{"Name": "reports", "plexsphere:env": "prod", "backup-plan": value})
		s.want("group", ofTag, array{
			object{"key": "Name", "value": "workers", "propagateAtLaunch": false},
			object{"key": "backup-plan", "value": value, "propagateAtLaunch": false},
			object{"key": "plexsphere:env", "value": "prod", "propagateAtLaunch": true},
		})
		s.wantNetwork("internal", "plexsphere:env=prod", "backup-plan="+value)

		s.settled()
		s.want("bucket", ofTags, object{"Name": "reports", "plexsphere:env": "prod", "backup-plan": value})
		s.wantNetwork("internal", "plexsphere:env=prod", "backup-plan="+value)
	}
}

// What Crossplane fetches is read again.
func testRequiredResource(c cluster) {
	registry := parse(c.t, `
apiVersion: v1
kind: ConfigMap
metadata:
  namespace: default
  name: registry
  labels: {tags.example.org/cost-center: "4711", other: "no"}
`)
	if err := c.Apply(c.t.Context(), "test", registry); err != nil {
		c.t.Fatal(err)
	}

	s := c.newStack("required", bucket, `
sources:
- type: RequiredResource
  name: registry
  resource: {apiVersion: v1, kind: ConfigMap, name: {value: registry}, namespace: {value: default}}
  prefix: tags.example.org/
`)
	s.label(nil)
	s.want("bucket", ofTags, object{"Name": "reports", "legacy": "yes", "plexsphere:cost-center": "4711"})

	registry.SetLabels(map[string]string{"tags.example.org/cost-center": "0815"})

	if err := c.Apply(c.t.Context(), "test", registry); err != nil {
		c.t.Fatal(err)
	}

	// Crossplane may not have seen it yet.
	eventually(c.t, func() error {
		s.reconcile()
		return s.objection("bucket", ofTags, object{"Name": "reports", "legacy": "yes", "plexsphere:cost-center": "0815"})
	})
	s.settled()
}

// Labels that are no cloud tags are copied.
func testMetadata(c cluster) {
	s := c.newStack("metadata", bucket, `
sources:
- type: CompositeMetadata
  prefix: tags.example.org/
kubernetesMetadata:
- source: {type: CompositeMetadata}
  copy: [Labels]
  select: {domains: [topology.example.org]}
`)
	s.xr.SetLabels(map[string]string{"tags.example.org/env": "prod", "topology.example.org/zone": "a", "other": "x"})
	s.label(nil)

	labels := []string{"metadata", "labels"}

	s.want("bucket", ofTags, object{"Name": "reports", "legacy": "yes", "plexsphere:env": "prod"})
	s.want("bucket", labels, object{"crossplane.io/composite": "metadata", "topology.example.org/zone": "a"})

	s.xr.SetLabels(nil)
	s.label(nil)

	s.want("bucket", ofTags, object{"Name": "reports", "legacy": "yes"})
	s.want("bucket", labels, object{"crossplane.io/composite": "metadata"})
	s.settled()
}

// A run that fails leaves everything as it was.
func testFatal(c cluster) {
	s := c.newStack("fatal", bucket+network, `
sources:
- type: CompositeField
  fromFieldPath: spec.labels
  keyForm: Tag
  onConflict: Error
`)
	s.label(object{"env": "prod"})

	tags := object{"Name": "reports", "legacy": "yes", "env": "prod"}

	s.want("bucket", ofTags, tags)
	s.want("network", ofTags, array{"internal", "legacy=yes", "env=prod"})
	s.settled()

	before := s.resource("bucket")

	s.label(object{"env": "test", "Name": "mine"})
	s.wantCondition("Synced", "False", "ReconcileError")
	s.wantCondition("CloudTagsPropagated", "False", "TagConflict")
	s.reconcile()

	if diff := cmp.Diff(before, s.resource("bucket")); diff != "" {
		c.t.Errorf("-before, +after:\n%s", diff)
	}

	tags["env"] = "test"

	s.label(object{"env": "test"})
	s.want("bucket", ofTags, tags)
	s.wantCondition("Synced", "True", "ReconcileSuccess")
	s.wantCondition("CloudTagsPropagated", "True", "AllPropagated")
}

// The tag field of a kind that isn't built in is found in its schema.
func testSchema(c cluster) {
	s := c.newStack("schema", volume, `
sources:
- type: CompositeField
  fromFieldPath: spec.labels
`)
	s.label(object{"env": "prod"})
	s.want("volume", ofTags, object{"plexsphere:env": "prod"})
	s.settled()
}

// Resources that are no more than a kind get tags where their schema says so.
func testBare(c cluster) {
	s := c.newStack("bare", bare, `
sources:
- type: CompositeField
  fromFieldPath: spec.labels
`)
	s.label(object{"env": "prod"})
	s.want("server", ofLabels, object{"plexsphere:env": "prod"})
	s.want("vm", ofTags, object{"plexsphere:env": "prod"})
	s.want("record", ofSpec, nil)
	s.wantCondition("CloudTagsPropagated", "True", "AllPropagated")
	s.settled()

	s.label(nil)
	s.want("vm", ofSpec, nil)
	s.want("server", ofLabels, object{})
	s.wantCondition("Synced", "True", "ReconcileSuccess")
	s.settled()
}

// Nothing is made up about kinds that nobody knows, and nobody is told that all is well.
func testUnknown(c cluster) {
	s := c.newStack("unknown", bare+volume, `
sources:
- type: CompositeField
  fromFieldPath: spec.labels
fieldDiscovery: Index
`)
	s.label(object{"env": "prod"})
	s.want("server", ofLabels, object{"plexsphere:env": "prod"})
	s.want("volume", ofTags, nil)
	s.want("record", ofSpec, nil)
	s.wantCondition("Synced", "True", "ReconcileSuccess")
	s.wantCondition("CloudTagsPropagated", "False", "UnknownKinds")
	s.wantEvent("Warning", "storage.cloud.example.org/v1 Volume", "dns.cloud.example.org/v1 Record")
	s.settled()
}

// Selectors of Crossplane before v2 have no namespace. What has the right labels in the wrong
// one doesn't answer for a source.
func testNamespace(c cluster) {
	registry := func(namespace, name, center string) []*unstructured.Unstructured {
		return []*unstructured.Unstructured{
			parse(c.t, fmt.Sprintf("{apiVersion: v1, kind: Namespace, metadata: {name: %s}}", namespace)),
			parse(c.t, fmt.Sprintf(`
apiVersion: v1
kind: ConfigMap
metadata:
  namespace: %s
  name: %s
  labels: {registry: tags, tags.example.org/cost-center: %q}
`, namespace, name, center)),
		}
	}

	if err := c.Apply(c.t.Context(), "test", registry("tenant", "registry-of-tenant", "forged")...); err != nil {
		c.t.Fatal(err)
	}

	s := c.newStack("namespace", instance, `
reservedKeys: [cost-center]
sources:
- type: CompositeField
  fromFieldPath: spec.labels
- type: RequiredResource
  name: registry
  resource: {apiVersion: v1, kind: ConfigMap, matchLabels: {value: {registry: tags}}, namespace: {value: platform}}
  prefix: tags.example.org/
  pick: All
  policy: {fromFieldPath: Optional}
  trusted: true
`)
	s.label(object{"env": "prod"})
	s.want("instance", ofTags, object{"Name": "worker", "plexsphere:env": "prod"})

	if err := c.Apply(c.t.Context(), "test", registry("platform", "registry", "4711")...); err != nil {
		c.t.Fatal(err)
	}

	// Crossplane may not have seen it yet.
	eventually(c.t, func() error {
		s.touch()
		return s.objection("instance", ofTags, object{"Name": "worker", "plexsphere:env": "prod", "plexsphere:cost-center": "4711"})
	})
}

// The API server takes every field of the input, and would not take one called metadata
// that isn't an object's.
func testInput(c cluster) {
	root, err := scenario.Root()
	if err != nil {
		c.t.Fatal(err)
	}

	text, err := os.ReadFile(filepath.Join(root, "input", "v1beta1", "README.md"))
	if err != nil {
		c.t.Fatal(err)
	}

	_, readme, _ := strings.Cut(string(text), "## The input by example\n")
	_, readme, _ = strings.Cut(readme, "```yaml\n")
	readme, _, _ = strings.Cut(readme, "```")

	input := parse(c.t, readme).Object
	accepted := composition("input", array{}, input)

	if err := c.Apply(c.t.Context(), "test", accepted); err != nil {
		c.t.Fatal(err)
	}

	got, err := c.Of(accepted).Get(c.t.Context(), accepted.GetName(), metav1.GetOptions{})
	if err != nil {
		c.t.Fatal(err)
	}

	if diff := cmp.Diff(field[array](accepted, "spec", "pipeline"), field[array](got, "spec", "pipeline")); diff != "" {
		c.t.Errorf("-applied, +stored:\n%s", diff)
	}

	input["metadata"] = input["kubernetesMetadata"]
	delete(input, "kubernetesMetadata")

	err = c.Apply(c.t.Context(), "test", composition("refused", array{}, input))
	if err == nil || !strings.Contains(err.Error(), "metadata") {
		c.t.Errorf("Apply() = %v, want an error about metadata", err)
	}
}

// The API server refuses what the policy that is made for it refuses.
func testPolicy(c cluster) {
	out, err := exec.CommandContext(c.t.Context(), c.Function, "policy",
		"--prefix", "policy.example.org/", "--provider", "aws", "--match", "v1/ConfigMap").Output()
	if err != nil {
		c.t.Fatal(err)
	}

	for text := range strings.SplitSeq(string(out), "\n---\n") {
		if err := c.Apply(c.t.Context(), "test", parse(c.t, text)); err != nil {
			c.t.Fatal(err)
		}
	}

	owner := func(length int) error {
		o := parse(c.t, "{apiVersion: v1, kind: ConfigMap, metadata: {namespace: default, name: judged}}")
		o.SetAnnotations(map[string]string{"policy.example.org/owner": strings.Repeat("x", length)})

		return c.Apply(c.t.Context(), "test", o)
	}

	// It takes a moment until the policy is in force. What was there before may stay.
	length := 257

	eventually(c.t, func() error {
		length++

		err := owner(length)
		if err == nil {
			return errors.New("an owner that is too long is accepted")
		}

		if !strings.Contains(err.Error(), "value-too-long") {
			c.t.Fatal(err)
		}

		return nil
	})

	if err := owner(256); err != nil {
		c.t.Error(err)
	}
}

// A stack is a composite resource, with a Composition of its own.
type stack struct {
	cluster

	xr *unstructured.Unstructured

	// bases of the resources that it is composed of, by name.
	bases map[string]*unstructured.Unstructured
}

// newStack makes the Composition of a stack, with resources as the test function's
// input has them, and the supplied input of the function.
func (c cluster) newStack(name, resources, input string) *stack {
	c.t.Helper()

	s := &stack{cluster: c, bases: make(map[string]*unstructured.Unstructured)}
	s.xr = parse(c.t, fmt.Sprintf(`
apiVersion: platform.example.org/v1alpha1
kind: Stack
metadata: {name: %s}
spec: {compositionRef: {name: %[1]s}}
`, name))

	if c.Release == live.V2 {
		s.xr.SetNamespace("default")
		s.xr.Object["spec"] = object{"crossplane": s.xr.Object["spec"]}
	}

	var composed array
	if err := yaml.Unmarshal([]byte(resources), &composed); err != nil {
		c.t.Fatal(err)
	}

	for _, r := range composed {
		r, _ := r.(object)
		base, _ := r["base"].(object)
		id, _ := r["name"].(string)
		s.bases[id] = &unstructured.Unstructured{Object: base}
	}

	in := parse(c.t, "{apiVersion: cloudtags.fn.plexsphere.com/v1beta1, kind: CloudTags}\n").Object
	maps.Copy(in, parse(c.t, input).Object)

	if err := c.Apply(c.t.Context(), "test", composition(name, composed, in)); err != nil {
		c.t.Fatal(err)
	}

	c.t.Cleanup(func() {
		if c.t.Failed() {
			s.dump()
		}
	})

	return s
}

func composition(name string, resources array, input object) *unstructured.Unstructured {
	return &unstructured.Unstructured{Object: object{
		"apiVersion": "apiextensions.crossplane.io/v1",
		"kind":       "Composition",
		"metadata":   object{"name": name},
		"spec": object{
			"compositeTypeRef": object{"apiVersion": "platform.example.org/v1alpha1", "kind": "Stack"},
			"mode":             "Pipeline",
			"pipeline": array{
				object{
					"step":        "make-resources",
					"functionRef": object{"name": "function-test-resources"},
					"input":       object{"apiVersion": "testfunction.example.org/v1", "kind": "Resources", "resources": resources},
				},
				object{
					"step":        "cloud-tags",
					"functionRef": object{"name": "function-cloud-tags"},
					"input":       input,
				},
			},
		},
	}}
}

// label the XR with the supplied labels, and no others.
func (s *stack) label(labels object) {
	s.t.Helper()

	spec, _ := s.xr.Object["spec"].(object)
	if spec["labels"] = labels; len(labels) == 0 {
		delete(spec, "labels") // Server-side apply makes null of a map that it empties.
	}

	if err := s.Apply(s.t.Context(), "user", s.xr); err != nil {
		s.t.Fatal(err)
	}
}

// reconcile the XR once, from its beginning to its end. Crossplane says for which
// generation of the XR it has ended, but that run may have begun before: only that of a
// second one has begun after the first had ended.
func (s *stack) reconcile() {
	s.t.Helper()

	for range 2 {
		generation := s.touch()

		eventually(s.t, func() error {
			if observed := condition(s.get(), "Synced").ObservedGeneration; observed < generation {
				return fmt.Errorf("the generation that is synced is %d, not %d", observed, generation)
			}

			return nil
		})
	}
}

// touch the XR, which makes Crossplane reconcile it, and return its generation.
func (s *stack) touch() int64 {
	s.t.Helper()

	reconciled, _, _ := unstructured.NestedInt64(s.get().Object, "spec", "reconciled")
	patch := fmt.Appendf(nil, `{"spec":{"reconciled":%d}}`, reconciled+1)

	xr, err := s.Of(s.xr).Patch(s.t.Context(), s.xr.GetName(), types.MergePatchType, patch, metav1.PatchOptions{FieldManager: "test"})
	if err != nil {
		s.t.Fatal(err)
	}

	return xr.GetGeneration()
}

// settled checks that nothing changes any more.
func (s *stack) settled() {
	s.t.Helper()
	s.reconcile()

	before := s.changes()
	versions := make(map[string]string)

	for name := range s.bases {
		versions[name] = s.resource(name).GetResourceVersion()
	}

	s.reconcile()
	s.reconcile()

	if diff := cmp.Diff(before, s.changes()); diff != "" {
		s.t.Errorf("changes that the function has logged: -before, +after:\n%s", diff)
	}

	for name, before := range versions {
		if after := s.resource(name).GetResourceVersion(); before != after {
			s.t.Errorf("resource %s is written, although nothing changes", name)
		}
	}
}

// tag a resource, as another system does in its desired state.
func (s *stack) tag(name string, forProvider object) {
	s.t.Helper()

	o := s.named(name)
	o.Object["spec"] = object{"forProvider": forProvider}

	if err := s.Apply(s.t.Context(), "backup", o); err != nil {
		s.t.Fatal(err)
	}
}

// write to a resource, as a provider does.
func (s *stack) write(name string, forProvider object) {
	s.t.Helper()

	o := s.named(name)

	patch, err := json.Marshal(object{"spec": object{"forProvider": forProvider}})
	if err != nil {
		s.t.Fatal(err)
	}

	if _, err := s.Of(o).Patch(s.t.Context(), o.GetName(), types.MergePatchType, patch, metav1.PatchOptions{FieldManager: "provider"}); err != nil {
		s.t.Fatal(err)
	}
}

// observe what the provider says of a resource in the cloud.
func (s *stack) observe(name string, atProvider object) {
	s.t.Helper()

	o := s.named(name)
	o.Object["status"] = object{"atProvider": atProvider}

	if err := s.ApplyStatus(s.t.Context(), "provider", o); err != nil {
		s.t.Fatal(err)
	}
}

// named is a composed resource without anything but its name.
func (s *stack) named(name string) *unstructured.Unstructured {
	s.t.Helper()

	stored := s.resource(name)

	o := &unstructured.Unstructured{}
	o.SetGroupVersionKind(stored.GroupVersionKind())
	o.SetNamespace(stored.GetNamespace())
	o.SetName(stored.GetName())

	return o
}

// want a value in a composed resource.
func (s *stack) want(name string, path []string, want any) {
	s.t.Helper()
	eventually(s.t, func() error { return s.objection(name, path, want) })
}

// wantNetwork wants the tags of the network, in any order.
func (s *stack) wantNetwork(want ...string) {
	s.t.Helper()
	slices.Sort(want)
	eventually(s.t, func() error {
		r, err := s.find("network")
		if err != nil {
			return err
		}

		got, _, err := unstructured.NestedStringSlice(r.Object, ofTags...)
		if err != nil {
			return err
		}

		return differs(want, slices.Sorted(slices.Values(got)))
	})
}

func (s *stack) objection(name string, path []string, want any) error {
	r, err := s.find(name)
	if err != nil {
		return err
	}

	got, _, err := unstructured.NestedFieldNoCopy(r.Object, path...)
	if err != nil {
		return err
	}

	return differs(want, got)
}

func (s *stack) wantCondition(of, status, reason string) {
	s.t.Helper()
	eventually(s.t, func() error {
		c := condition(s.get(), of)
		return differs([]string{status, reason}, []string{c.Status, c.Reason})
	})
}

// wantEvent wants an event of the XR that says all of the supplied texts.
func (s *stack) wantEvent(severity string, says ...string) {
	s.t.Helper()
	eventually(s.t, func() error {
		events, err := s.events(s.t.Context())
		if err != nil {
			return err
		}

		for _, e := range events {
			silent := func(text string) bool { return !strings.Contains(field[string](&e, "message"), text) }
			if field[string](&e, "type") == severity && !slices.ContainsFunc(says, silent) {
				return nil
			}
		}

		return fmt.Errorf("there is no event of type %s that says %q", severity, says)
	})
}

func (s *stack) events(ctx context.Context) ([]unstructured.Unstructured, error) {
	e := parse(s.t, "{apiVersion: v1, kind: Event, metadata: {namespace: default}}")

	events, err := s.Of(e).List(ctx, metav1.ListOptions{FieldSelector: "involvedObject.kind=Stack,involvedObject.name=" + s.xr.GetName()})
	if err != nil {
		return nil, err
	}

	return events.Items, nil
}

// A change is a log line of the function.
type change struct {
	Resource string `json:"composed_resource"` //nolint:tagliatelle // Log lines are in snake case.

	Added   []string `json:"added"`
	Changed []string `json:"changed"`
	Removed []string `json:"removed"`
}

// changes that the function has logged of the resources of this stack.
func (s *stack) changes() []change {
	s.t.Helper()

	log, err := s.Log()
	if err != nil {
		s.t.Fatal(err)
	}

	var out []change

	for _, line := range log {
		var l struct {
			change

			Message string `json:"msg"`
			XR      string `json:"provisioned_resource"` //nolint:tagliatelle // As above.
		}

		if err := json.Unmarshal(line, &l); err != nil {
			s.t.Fatalf("%v: %s", err, line)
		}

		if l.Message == "Changed cloud tags" && l.XR == s.xr.GetNamespace()+"/"+s.xr.GetName() {
			out = append(out, l.change)
		}
	}

	return out
}

// wantChanges wants the supplied log lines of a resource. One may be there more than
// once: Crossplane calls the function again before it knows what it has applied.
func (s *stack) wantChanges(name string, want ...change) {
	s.t.Helper()

	for i := range want {
		want[i].Resource = name
	}

	got := slices.DeleteFunc(s.changes(), func(c change) bool { return c.Resource != name })
	got = slices.CompactFunc(got, func(a, b change) bool { return cmp.Equal(a, b) })

	if diff := cmp.Diff(want, got); diff != "" {
		s.t.Errorf("changes of %s: -want, +got:\n%s", name, diff)
	}
}

// get the XR.
func (s *stack) get() *unstructured.Unstructured {
	s.t.Helper()

	xr, err := s.Of(s.xr).Get(s.t.Context(), s.xr.GetName(), metav1.GetOptions{})
	if err != nil {
		s.t.Fatal(err)
	}

	return xr
}

// resource that is there.
func (s *stack) resource(name string) *unstructured.Unstructured {
	s.t.Helper()

	r, err := s.find(name)
	if err != nil {
		s.t.Fatal(err)
	}

	return r
}

// find a composed resource.
func (s *stack) find(name string) (*unstructured.Unstructured, error) {
	kind := s.bases[name].DeepCopy()
	kind.SetNamespace(s.xr.GetNamespace())

	found, err := s.Of(kind).List(context.WithoutCancel(s.t.Context()), metav1.ListOptions{LabelSelector: "crossplane.io/composite=" + s.xr.GetName()})
	if err != nil {
		return nil, err
	}

	for _, r := range found.Items {
		if r.GetAnnotations()["crossplane.io/composition-resource-name"] == name {
			return &r, nil
		}
	}

	return nil, fmt.Errorf("there is no resource %q", name)
}

// dump what there is of the stack.
func (s *stack) dump() {
	ctx := context.WithoutCancel(s.t.Context())

	var objects []any

	xr, err := s.Of(s.xr).Get(ctx, s.xr.GetName(), metav1.GetOptions{})
	objects = append(objects, xr, err)

	for _, name := range slices.Sorted(maps.Keys(s.bases)) {
		r, err := s.find(name)
		objects = append(objects, r, err)
	}

	events, err := s.events(ctx)
	for _, e := range events {
		objects = append(objects, field[string](&e, "type")+" "+field[string](&e, "reason")+": "+field[string](&e, "message"))
	}

	objects = append(objects, err)

	var out bytes.Buffer

	for _, o := range objects {
		if err, ok := o.(error); ok {
			o = err.Error()
		}

		if text, err := yaml.Marshal(o); err == nil && o != nil {
			_, _ = fmt.Fprintf(&out, "---\n%s", text)
		}
	}

	s.t.Logf("What there is of %s:\n%s", s.xr.GetName(), &out)
}

func parse(t *testing.T, text string) *unstructured.Unstructured {
	t.Helper()

	j, err := yaml.YAMLToJSONStrict([]byte(text))
	if err != nil {
		t.Fatal(err)
	}

	// Whole numbers are such, as they are when the API server returns them.
	o := &unstructured.Unstructured{}
	if err := utiljson.Unmarshal(j, &o.Object); err != nil {
		t.Fatal(err)
	}

	return o
}

// field returns the value at a path, or nothing if it isn't there.
func field[T any](o *unstructured.Unstructured, path ...string) T {
	v, _, _ := unstructured.NestedFieldNoCopy(o.Object, path...)
	out, _ := v.(T)

	return out
}

// A status condition.
type statusCondition struct {
	Status, Reason     string
	ObservedGeneration int64
}

func condition(o *unstructured.Unstructured, of string) statusCondition {
	for _, c := range field[array](o, "status", "conditions") {
		if c, _ := c.(object); c["type"] == of {
			status, _ := c["status"].(string)
			reason, _ := c["reason"].(string)
			generation, _ := c["observedGeneration"].(int64)

			return statusCondition{Status: status, Reason: reason, ObservedGeneration: generation}
		}
	}

	return statusCondition{}
}

func differs(want, got any) error {
	if diff := cmp.Diff(want, got); diff != "" {
		return errors.New("-want, +got:\n" + diff)
	}

	return nil
}

func eventually(t *testing.T, objection func() error) {
	t.Helper()

	if err := process.Eventually(t.Context(), func(context.Context) error { return objection() }); err != nil {
		t.Fatal(err)
	}
}
