package example

import (
	"errors"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/google/go-cmp/cmp"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/plexsphere/function-cloud-tags/example/internal/live"
	"github.com/plexsphere/function-cloud-tags/example/internal/scenario"
	"github.com/plexsphere/function-cloud-tags/example/internal/tool"
	"github.com/plexsphere/function-cloud-tags/tags/tagstest"
)

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
	ackVPC = `
- name: vpc
  base:
    apiVersion: ec2.services.k8s.aws/v1alpha1
    kind: VPC
    spec:
      cidrBlocks: [10.0.0.0/16]
      tags: [{key: Name, value: main}]
`
	vnet = `
- name: vnet
  base:
    apiVersion: network.azure.com/v1api20240301
    kind: VirtualNetwork
    spec: {location: westeurope}
`
	topic = `
- name: topic
  base:
    apiVersion: pubsub.cnrm.cloud.google.com/v1beta1
    kind: PubSubTopic
    metadata: {labels: {team: a}}
    spec: {messageRetentionDuration: 86600s}
`
	machine = `
- name: machine
  base:
    apiVersion: infrastructure.cluster.x-k8s.io/v1beta2
    kind: AWSMachine
    spec: {instanceType: m7i.large}
`
	cluster = `
- name: cluster
  base:
    apiVersion: infrastructure.cluster.x-k8s.io/v1beta2
    kind: AWSCluster
    spec: {region: eu-central-1}
`
	template = `
- name: template
  base:
    apiVersion: infrastructure.cluster.x-k8s.io/v1beta2
    kind: AWSMachineTemplate
    spec: {template: {spec: {instanceType: m7i.large}}}
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

	ofSpecTags       = []string{"spec", "tags"}
	ofMetadataLabels = []string{"metadata", "labels"}
)

type (
	object = map[string]any
	array  = []any
)

// A liveTest runs in clusters of all releases of Crossplane, and is a row of README's table.
type liveTest struct {
	name string
	run  func(live.Test)

	// shows is what README says that it shows.
	shows string

	// alone is a test that others may not run beside.
	alone bool

	// lacks says of the releases that don't run it why they can't.
	lacks map[live.Release]string

	// says is what README has of a release that passes, if not yes.
	says map[live.Release]string
}

var liveTests = []liveTest{
	{name: "Tags", run: testTags, shows: "labels become tags of every shape; condition, events, status and metrics say so"},
	{name: "Labels", run: testLabels, shows: "labels are changed and removed; tags of others stay"},
	{name: "Owners", run: testOwners, shows: "field managers say whose tags are whose: ours are exactly what we have set"},
	{name: "Cap", run: testCap, shows: "labels beyond a cloud's cap are skipped, and come back when there is room"},
	{name: "Classes", run: testClasses, shows: "classes come and go; without any, all stays as it is"},
	{name: "LastLabel", run: testLastLabel, shows: "the last label leaves the cloud, too"},
	{name: "LateInit", run: testLateInit, shows: "the last label stays away, whether the provider acts before or after Crossplane's second run"},
	{name: "Immutable", run: testImmutable, shows: "tags that a provider refuses to change stay, and nothing is stuck"},
	{name: "Filled", run: testFilled, shows: "tags that a provider has filled in are its own: they count, and nothing takes their place unasked"},
	{name: "LeftAlone", run: testLeftAlone, shows: "resources that are left alone stay as they are"},
	{name: "Transitions", run: testTransitions, shows: "what events say is said once, until there is more to say"},
	{name: "Fatal", run: testFatal, shows: "a run that fails changes nothing"},
	{name: "RemoveAndIgnore", run: testRemoveAndIgnore, shows: "`removeTags` and `ignoreTags`"},
	{name: "TagPolicy", run: testTagPolicy, shows: "`tagPolicy` warns, and stops"},
	{name: "Metadata", run: testMetadata, shows: "`kubernetesMetadata` copies labels"},
	{name: "Unknown", run: testUnknown, shows: "kinds that nobody knows are left alone, and named"},
	{
		name: "Schema", run: testSchema, shows: "schemas say where kinds that aren't built in have tags",
		lacks: map[live.Release]string{live.V1: "gives no schemas"},
	},
	{
		name: "Bare", run: testBare, shows: "schemas say where resources have tags that are no more than a kind",
		lacks: map[live.Release]string{live.V1: "gives no schemas"},
	},
	{
		name: "Native", run: testNative, shows: "kinds of other controllers than Crossplane's",
		lacks: map[live.Release]string{live.V1: "composes nothing in namespaces"},
	},
	{
		name: "Account", run: testAccount, shows: "tags of a `ProviderConfig` of the cluster",
	},
	{
		name: "Accounts", run: testAccounts, shows: "tags of a `ProviderConfig` in a namespace, and of a `ClusterProviderConfig`",
		lacks: map[live.Release]string{live.V1: "has no such kinds"},
	},
	{name: "Claim", run: testClaim, shows: "cluster-scoped XRs, and claims"},
	{name: "Namespace", run: testNamespace, shows: "objects in a namespace, by labels"},
	{
		name: "RequiredResource", run: testRequiredResource, shows: "objects in a namespace, by name",
		lacks: map[live.Release]string{live.V1: "finds them by labels only"},
	},
	{
		name: "TTL", run: testTTL, shows: "an edit of a source's object reaches tags",
		says: map[live.Release]string{live.V1: "after `ttl`", live.V22: "after `ttl`", live.V2: "at once"},
	},
	{name: "Coverage", run: testCoverage, shows: "`coverage` counts what was applied"},
	{
		name: "Operation", run: testOperation, shows: "an Operation counts the same, and reports it",
		lacks: map[live.Release]string{live.V1: "has none"},
	},
	{name: "Input", run: testInput, shows: "the API server takes all fields of the input"},
	{name: "Policy", run: testPolicy, shows: "the API server enforces what `policy` writes"},
	{name: "Upgrade", run: testUpgrade, alone: true, shows: "the package is installed from a registry, and upgraded while XRs reconcile"},
}

func TestLive(t *testing.T) { //nolint:tparallel // One release after the other, and some tests alone.
	t.Parallel()

	asked(t)

	root, _ := all(t)
	readFolders(t, root)

	var passed atomic.Int32

	// One after the other: each is more than a machine with two cores has to do.
	for _, release := range live.Releases {
		t.Run(string(release), func(t *testing.T) {
			c := startCluster(t, root, release)

			for _, test := range liveTests {
				if _, lacks := test.lacks[release]; lacks {
					continue
				}

				t.Run(test.name, func(t *testing.T) {
					if !test.alone {
						t.Parallel()
					}

					test.run(live.Test{Cluster: c, T: t})

					if !t.Failed() {
						passed.Add(1)
					}
				})
			}
		})
	}

	want := 0
	for _, test := range liveTests {
		want += len(live.Releases) - len(test.lacks)
	}

	// A run of only some tests says nothing of others.
	if int(passed.Load()) == want {
		tagstest.Section(t, filepath.Join(root, "README.md"), "releases", releasesTable(t, root))
	}
}

// startCluster of the supplied release, with what tests need in it. It stops when the test ends.
func startCluster(t *testing.T, root string, release live.Release) *live.Cluster {
	t.Helper()

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

	if err := c.Install(t.Context()); err != nil {
		t.Fatal(err)
	}

	return c
}

// releasesTable is what README says that releases of Crossplane have shown, in Markdown.
func releasesTable(t *testing.T, root string) string {
	t.Helper()

	version := func(name string) string {
		v, err := tool.Version(t.Context(), root, name)
		if err != nil {
			t.Fatal(err)
		}

		return v
	}

	out := &strings.Builder{}
	fmt.Fprintf(out, "| With kube-apiserver %s and Crossplane |", version("kube-apiserver"))

	for _, r := range live.Releases {
		fmt.Fprintf(out, " %s |", version(string(r)))
	}

	out.WriteString("\n|---|" + strings.Repeat("---|", len(live.Releases)) + "\n")

	for _, test := range liveTests {
		out.WriteString("| " + test.shows + " |")

		for _, r := range live.Releases {
			cell := "yes"
			for _, other := range []string{test.lacks[r], test.says[r]} {
				if other != "" {
					cell = other
				}
			}

			out.WriteString(" " + cell + " |")
		}

		out.WriteString("\n")
	}

	return out.String()
}

// Labels become tags of every shape, and people are told what became of them.
func testTags(c live.Test) {
	s := c.NewStack("tags", bucket+vpc+group+network, `
sources:
- type: CompositeField
  fromFieldPath: spec.labels
statusFieldPath: status.cloudTags
`)
	s.Label(object{"platform/env": "prod", "platform/owner#1": "team-a"})

	// AWS has no keys with a #, but OpenStack has.
	s.Want("bucket", ofTags, object{"Name": "reports", "legacy": "yes", "plexsphere:platform/env": "prod"})
	s.Want("vpc", ofTags, object{"plexsphere:platform/env": "prod"})
	s.Want("group", ofTag, array{
		object{"key": "Name", "value": "workers", "propagateAtLaunch": false},
		object{"key": "legacy", "value": "yes", "propagateAtLaunch": false},
		object{"key": "plexsphere:platform/env", "value": "prod", "propagateAtLaunch": true},
	})
	s.Want("network", ofTags, array{"internal", "legacy=yes", "plexsphere:platform/env=prod", "plexsphere:platform/owner#1=team-a"})

	s.WantCondition("Synced", "True", "ReconcileSuccess")
	s.WantCondition("CloudTagsPropagated", "True", "SomeSkipped")
	s.WantEvent("Warning", "platform/owner#1", "key-character-class")

	xr := s.Get()
	if diff := cmp.Diff(object{
		"providers": object{
			"aws":       array{"Name", "legacy", "plexsphere:platform/env"},
			"openstack": array{"internal", "legacy", "plexsphere:platform/env", "plexsphere:platform/owner#1"},
		},
		"resources": object{
			"bucket":  object{"Name": "reports", "legacy": "yes", "plexsphere:platform/env": "prod"},
			"group":   object{"Name": "workers", "legacy": "yes", "plexsphere:platform/env": "prod"},
			"vpc":     object{"plexsphere:platform/env": "prod"},
			"network": object{"internal": "", "legacy": "yes", "plexsphere:platform/env": "prod", "plexsphere:platform/owner#1": "team-a"},
		},
	}, live.Field[object](xr, "status", "cloudTags")); diff != "" {
		c.T.Errorf("status: -want, +got:\n%s", diff)
	}

	s.Settled()

	metrics, err := c.Metrics(c.T.Context())
	if err != nil {
		c.T.Fatal(err)
	}

	for _, want := range []string{
		"\nfunction_cloud_tags_resources_tagged_total{provider=\"aws\"} ",
		"\nfunction_cloud_tags_labels_skipped_total{provider=\"aws\",reason=\"key-character-class\"} ",
	} {
		_, rest, _ := strings.Cut(metrics, want)
		if value, _, _ := strings.Cut(rest, "\n"); value == "" || value == "0" {
			c.T.Errorf("metric%s is %q", want, value)
		}
	}
}

// What a label was is not a tag any more. What others have tagged still is.
func testLabels(c live.Test) {
	s := c.NewStack("labels", bucket+group+network, `
sources:
- type: CompositeField
  fromFieldPath: spec.labels
`)
	s.Label(object{"env": "prod", "owner": "team-a"})
	s.Want("bucket", ofTags, object{"Name": "reports", "legacy": "yes", "plexsphere:env": "prod", "plexsphere:owner": "team-a"})
	s.Want("network", ofTags, array{"internal", "legacy=yes", "plexsphere:env=prod", "plexsphere:owner=team-a"})

	s.Tag("bucket", object{"tags": object{"backup": "daily"}})
	s.Tag("network", object{"tags": array{"backup=daily"}})

	// Server-side apply replaces this list as a whole, and providers write to it.
	name := object{"key": "Name", "value": "workers", "propagateAtLaunch": false}
	legacy := object{"key": "legacy", "value": "yes", "propagateAtLaunch": false}
	kind := object{"key": "crossplane-kind", "value": "autoscalinggroup.autoscaling.aws.m.upbound.io", "propagateAtLaunch": true}
	env := func(value string) object {
		return object{"key": "plexsphere:env", "value": value, "propagateAtLaunch": true}
	}

	owner := object{"key": "plexsphere:owner", "value": "team-a", "propagateAtLaunch": true}

	// A run that has begun before doesn't know of it. Providers write again, too.
	live.Eventually(c.T, func() error {
		s.Write("group", object{"forProvider": object{"tag": array{name, legacy, kind, env("prod")}}})
		s.Reconcile()

		return s.Objection("group", ofTag, array{name, legacy, kind, env("prod"), owner})
	})
	s.Settled()

	s.Label(object{"env": "test"})
	s.Want("bucket", ofTags, object{"Name": "reports", "legacy": "yes", "backup": "daily", "plexsphere:env": "test"})
	s.Want("group", ofTag, array{name, legacy, kind, env("test")})
	s.WantNetwork("internal", "legacy=yes", "backup=daily", "plexsphere:env=test")
	s.Settled()

	s.Label(nil)
	s.Want("bucket", ofTags, object{"Name": "reports", "legacy": "yes", "backup": "daily"})
	s.Want("group", ofTag, array{name, legacy, kind})
	s.WantNetwork("internal", "legacy=yes", "backup=daily")
	s.Settled()

	added := []string{"plexsphere:env", "plexsphere:owner"}
	s.WantChanges("bucket",
		live.Change{Added: append([]string{"Name", "legacy"}, added...)},
		live.Change{Changed: []string{"plexsphere:env"}, Removed: []string{"plexsphere:owner"}},
		live.Change{Removed: []string{"plexsphere:env"}},
	)
	s.WantChanges("network",
		live.Change{Added: append([]string{"internal", "legacy"}, added...)},
		live.Change{Changed: []string{"plexsphere:env"}, Removed: []string{"plexsphere:owner"}},
		live.Change{Removed: []string{"plexsphere:env"}},
	)
}

// The last label leaves the cloud, too. A provider that is built with upjet would bring it
// back if the field weren't there.
func testLastLabel(c live.Test) {
	s := c.NewStack("last", `
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
	providers := []*live.Provider{{Stack: s, Name: "vpc"}, {Stack: s, Name: "tagged", Adds: own}}

	// provided checks what the tags in the cloud become.
	provided := func(want object) {
		c.T.Helper()

		for _, p := range providers {
			want := maps.Clone(want)
			maps.Copy(want, p.Adds)

			live.Eventually(c.T, func() error {
				if err := p.Reconcile(); err != nil {
					return err
				}

				return live.Differs(want, p.Cloud)
			})
		}
	}

	s.Label(object{"env": "prod", "owner": "team-a"})
	provided(object{"plexsphere:env": "prod", "plexsphere:owner": "team-a"})
	s.WantOwners("vpc", ofTags, live.Owners{crossplane: {".plexsphere:env", ".plexsphere:owner"}})
	s.Settled()

	// An empty map stays until the provider has seen it, however long that takes. While
	// Crossplane has only removed the tags, the provider still looks at the cloud, and
	// may not write what it read before.
	s.Label(nil)
	s.Want("vpc", ofTags, object{})
	s.Want("tagged", ofTags, own)
	s.Settled()
	s.Want("vpc", ofTags, object{})
	s.WantOwners("vpc", ofTags, live.Owners{crossplane: {""}})

	// Crossplane may not know yet that the provider has dropped the empty map, and make it
	// again. Then the provider drops it again.
	live.Eventually(c.T, func() error {
		provided(object{})
		s.Reconcile()

		return s.Objection("vpc", ofTags, nil)
	})

	for range 2 {
		s.Settled()
		s.Want("vpc", ofTags, nil)
		s.WantOwners("vpc", ofTags, live.Owners{})
		s.Want("tagged", ofTags, own)
		s.WantOwners("tagged", ofTags, live.Owners{"provider": {".crossplane-kind", ".crossplane-name"}})
		provided(object{})
	}

	s.Label(object{"env": "test"})
	provided(object{"plexsphere:env": "test"})
	s.Settled()
}

// Each resource has the tags of the provider config that it names, and those change with it.
func testAccounts(c live.Test) {
	config := live.Parse(c.T, `
apiVersion: aws.m.upbound.io/v1beta1
kind: ClusterProviderConfig
metadata:
  name: default
  labels: {tags.example.org/cost-center: "100"}
`)
	own := live.Parse(c.T, `
apiVersion: aws.m.upbound.io/v1beta1
kind: ProviderConfig
metadata:
  namespace: default
  name: own
  labels: {tags.example.org/cost-center: "200"}
`)

	if err := c.Apply(c.T.Context(), "test", config, own); err != nil {
		c.T.Fatal(err)
	}

	s := c.NewStack("accounts", vpc+`
- name: bucket
  base:
    apiVersion: s3.aws.m.upbound.io/v1beta1
    kind: Bucket
    spec:
      providerConfigRef: {kind: ProviderConfig, name: own}
      forProvider: {}
- name: other
  base:
    apiVersion: s3.aws.m.upbound.io/v1beta1
    kind: Bucket
    spec:
      providerConfigRef: {kind: ProviderConfig, name: none}
      forProvider: {}
`, `
sources:
- type: ProviderConfig
  prefix: tags.example.org/
- type: CompositeField
  fromFieldPath: spec.labels
`)
	s.Label(object{"owner": "team-a"})
	s.Want("vpc", ofTags, object{"plexsphere:owner": "team-a", "plexsphere:cost-center": "100"})
	s.Want("bucket", ofTags, object{"plexsphere:owner": "team-a", "plexsphere:cost-center": "200"})
	s.Want("other", ofTags, object{"plexsphere:owner": "team-a"})
	s.WantCondition("CloudTagsPropagated", "True", "AllPropagated")
	s.Settled()

	own.SetLabels(map[string]string{"tags.example.org/cost-center": "201"})

	if err := c.Apply(c.T.Context(), "test", own); err != nil {
		c.T.Fatal(err)
	}

	s.WantSoon("bucket", ofTags, object{"plexsphere:owner": "team-a", "plexsphere:cost-center": "201"})
	s.Want("vpc", ofTags, object{"plexsphere:owner": "team-a", "plexsphere:cost-center": "100"})
	s.Settled()
}

// The providers for Crossplane v1 have their configs in the cluster.
func testAccount(c live.Test) {
	config := live.Parse(c.T, `
apiVersion: aws.upbound.io/v1beta1
kind: ProviderConfig
metadata:
  name: default
  annotations: {tags.example.org/cost-center: "100"}
`)
	if err := c.Apply(c.T.Context(), "test", config); err != nil {
		c.T.Fatal(err)
	}

	s := c.NewLegacyStack("account", instance, `
sources:
- type: ProviderConfig
  prefix: tags.example.org/
`)
	s.Label(nil)
	s.Want("instance", ofTags, object{"Name": "worker", "plexsphere:cost-center": "100"})
}

// A policy is told of what is missing, and stops what breaks it.
func testTagPolicy(c live.Test) {
	const input = `
sources:
- type: CompositeField
  fromFieldPath: spec.labels
tagPolicy:
  enforcement: %s
  rules:
  - {key: owner, values: [team-*]}
`

	s := c.NewStack("tag-policy-warn", vpc, fmt.Sprintf(input, "Warn"))
	s.Label(object{"env": "prod"})
	s.Want("vpc", ofTags, object{"plexsphere:env": "prod"})
	s.WantCondition("CloudTagsPropagated", "False", "PolicyViolated")
	s.WantCondition("Synced", "True", "ReconcileSuccess")
	s.WantEvent("Warning", "tagPolicy.rules[0]", "missing on vpc")

	s.Label(object{"env": "prod", "owner": "team-a"})
	s.WantCondition("CloudTagsPropagated", "True", "AllPropagated")
	s.Settled()

	s = c.NewStack("tag-policy-error", vpc, fmt.Sprintf(input, "Error"))
	s.Label(object{"env": "prod", "owner": "team-a"})
	s.Want("vpc", ofTags, object{"plexsphere:env": "prod", "plexsphere:owner": "team-a"})
	s.Settled()

	s.WantKept("vpc", func() {
		s.Label(object{"env": "test", "owner": "nobody"})
		s.WantCondition("CloudTagsPropagated", "False", "PolicyViolated")
		s.WantCondition("Synced", "False", "ReconcileError")
	})
}

// What other controllers than Crossplane's make has tags, too, and is left alone where a change
// would be refused, or do harm.
func testNative(c live.Test) {
	const input = `
sources:
- type: CompositeField
  fromFieldPath: spec.labels
`

	s := c.NewStack("native", ackVPC+vnet+topic+machine+cluster, input)
	s.Label(object{"env": "prod", "owner": "team-a"})

	name := object{"key": "Name", "value": "main"}
	version := object{"key": "services.k8s.aws/controller-version", "value": "ec2-v1.9.0"}
	namespace := object{"key": "services.k8s.aws/namespace", "value": "default"}
	tag := func(key, value string) object { return object{"key": "plexsphere:" + key, "value": value} }

	s.Want("vpc", ofSpecTags, array{name, tag("env", "prod"), tag("owner", "team-a")})
	s.Want("vnet", ofSpecTags, object{"plexsphere:env": "prod", "plexsphere:owner": "team-a"})
	s.Want("machine", []string{"spec", "additionalTags"}, object{"plexsphere:env": "prod", "plexsphere:owner": "team-a"})
	s.Want("topic", ofMetadataLabels, object{"crossplane.io/composite": "native", "team": "a", "plexsphere_env": "prod", "plexsphere_owner": "team-a"})

	// The tags that the controller adds at AWS get into the list whenever it patches the spec.
	patched := array{name, tag("env", "prod"), tag("owner", "team-a"), version, namespace}

	live.Eventually(c.T, func() error {
		s.Write("vpc", object{"tags": patched})
		s.Reconcile()

		return s.Objection("vpc", ofSpecTags, patched)
	})
	s.Settled()

	s.Label(object{"env": "test"})
	s.Want("vpc", ofSpecTags, array{name, tag("env", "test"), version, namespace})
	s.Want("vnet", ofSpecTags, object{"plexsphere:env": "test"})
	s.Want("machine", []string{"spec", "additionalTags"}, object{"plexsphere:env": "test"})
	s.Want("topic", ofMetadataLabels, object{"crossplane.io/composite": "native", "team": "a", "plexsphere_env": "test"})
	s.Settled()

	s.Label(nil)
	s.Want("vpc", ofSpecTags, array{name, version, namespace})
	s.Want("vnet", ofSpecTags, nil)
	s.Want("machine", []string{"spec", "additionalTags"}, nil)
	s.Want("topic", ofMetadataLabels, object{"crossplane.io/composite": "native", "team": "a"})
	s.Want("cluster", ofSpec, object{"region": "eu-central-1"})
	s.Settled()

	// The API server of a real cluster would refuse any change of a template's tags.
	s = c.NewStack("native-asked", template+cluster, input+`
tagFields:
- {apiVersion: infrastructure.cluster.x-k8s.io/*, kind: AWS*}
`)
	s.Label(object{"env": "prod"})

	ofTemplate := []string{"spec", "template", "spec", "additionalTags"}

	s.Want("template", ofTemplate, object{"plexsphere:env": "prod"})
	s.Want("cluster", []string{"spec", "additionalTags"}, object{"plexsphere:env": "prod"})

	s.Label(object{"env": "test"})
	s.Want("cluster", []string{"spec", "additionalTags"}, object{"plexsphere:env": "test"})
	s.Want("template", ofTemplate, object{"plexsphere:env": "prod"})
	s.Settled()
}

// Tags are removed, whoever sets them, and those of the cloud stay.
func testRemoveAndIgnore(c live.Test) {
	s := c.NewStack("ignore", bucket+group+network, `
sources:
- type: CompositeField
  fromFieldPath: spec.labels
removeTags:
- key: legacy
ignoreTags:
- key: "backup*"
`)
	s.Label(object{"env": "prod"})
	s.Want("bucket", ofTags, object{"Name": "reports", "plexsphere:env": "prod"})
	s.Want("network", ofTags, array{"internal", "plexsphere:env=prod"})

	for _, value := range []string{"daily", "weekly"} {
		s.Observe("bucket", object{"tagsAll": object{"Name": "reports", "backup-plan": value, "other": "x"}})
		s.Observe("group", object{"tag": array{
			object{"key": "backup-plan", "value": value, "propagateAtLaunch": false},
			object{"key": "other", "value": "x", "propagateAtLaunch": false},
		}})
		s.Observe("network", object{"allTags": array{"internal", "backup-plan=" + value, "other=x"}})

		s.Want("bucket", ofTags, object{"Name": "reports", "plexsphere:env": "prod", "backup-plan": value})
		s.Want("group", ofTag, array{
			object{"key": "Name", "value": "workers", "propagateAtLaunch": false},
			object{"key": "backup-plan", "value": value, "propagateAtLaunch": false},
			object{"key": "plexsphere:env", "value": "prod", "propagateAtLaunch": true},
		})
		s.WantNetwork("internal", "plexsphere:env=prod", "backup-plan="+value)

		s.Settled()
		s.Want("bucket", ofTags, object{"Name": "reports", "plexsphere:env": "prod", "backup-plan": value})
		s.WantNetwork("internal", "plexsphere:env=prod", "backup-plan="+value)
	}
}

// What Crossplane fetches is read again.
func testRequiredResource(c live.Test) {
	registry := live.Parse(c.T, `
apiVersion: v1
kind: ConfigMap
metadata:
  namespace: default
  name: registry
  labels: {tags.example.org/cost-center: "4711", other: "no"}
`)
	if err := c.Apply(c.T.Context(), "test", registry); err != nil {
		c.T.Fatal(err)
	}

	s := c.NewStack("required", bucket, `
sources:
- type: RequiredResource
  name: registry
  resource: {apiVersion: v1, kind: ConfigMap, name: {value: registry}, namespace: {value: default}}
  prefix: tags.example.org/
`)
	s.Label(nil)
	s.Want("bucket", ofTags, object{"Name": "reports", "legacy": "yes", "plexsphere:cost-center": "4711"})

	registry.SetLabels(map[string]string{"tags.example.org/cost-center": "0815"})

	if err := c.Apply(c.T.Context(), "test", registry); err != nil {
		c.T.Fatal(err)
	}

	s.WantSoon("bucket", ofTags, object{"Name": "reports", "legacy": "yes", "plexsphere:cost-center": "0815"})
	s.Settled()

	registry.SetLabels(map[string]string{"tags.example.org/owner": "team-a"})

	if err := c.Apply(c.T.Context(), "test", registry); err != nil {
		c.T.Fatal(err)
	}

	s.WantSoon("bucket", ofTags, object{"Name": "reports", "legacy": "yes", "plexsphere:owner": "team-a"})
	s.WantOwners("bucket", ofTags, live.Owners{crossplane: {".Name", ".legacy", ".plexsphere:owner"}})
	s.Settled()
}

// An edit of a source's object reaches XRs that nobody touches: at once if Crossplane watches the
// object, or else when the answer that it has isn't to be used any longer.
func testTTL(c live.Test) {
	edit := func(center string) {
		if err := c.Apply(c.T.Context(), "test", live.Parse(c.T, fmt.Sprintf(`
apiVersion: v1
kind: Namespace
metadata:
  name: edited
  labels: {tags.example.org/cost-center: %q}
`, center))); err != nil {
			c.T.Fatal(err)
		}
	}

	want := func(center string) object { return object{"plexsphere:cost-center": center} }

	stack := func(ttl string) *live.Stack {
		s := c.NewStack("ttl-"+ttl, vpc, fmt.Sprintf(`
ttl: %s
sources:
- type: RequiredResource
  name: tenant
  resource: {apiVersion: v1, kind: Namespace, name: {value: edited}}
  prefix: tags.example.org/
`, ttl))
		s.Label(nil)
		s.Want("vpc", ofTags, want("0"))
		s.Settled()

		return s
	}

	edit("0")

	short, long := stack("2s"), stack("1h")

	if c.Release == live.V2 {
		edit("1")
		short.Want("vpc", ofTags, want("1"))
		long.Want("vpc", ofTags, want("1"))

		return
	}

	// A run that has begun before may still see the first edit.
	edits := 0

	live.Eventually(c.T, func() error {
		edits++
		edit(strconv.Itoa(edits))
		short.Want("vpc", ofTags, want(strconv.Itoa(edits)))

		if long.Objection("vpc", ofTags, want(strconv.Itoa(edits))) == nil {
			return errors.New("an edit reaches an XR before the ttl ends")
		}

		return nil
	})

	long.WantSoon("vpc", ofTags, want(strconv.Itoa(edits)))
}

// The condition is that of the claim, too. Events are of the XR alone.
func testClaim(c live.Test) {
	s := c.NewLegacyStack("claimed", instance, `
sources:
- type: CompositeField
  fromFieldPath: spec.labels
- type: CompositeMetadata
  prefix: tags.example.org/
`)
	claim := &live.Stack{Test: c, XR: live.Parse(c.T, `
apiVersion: platform.example.org/v1alpha1
kind: LegacyClaim
metadata:
  namespace: default
  name: claim
  labels: {tags.example.org/team: a}
spec: {compositionRef: {name: claimed}}
`)}

	claim.Label(object{"env": "prod", "owner#1": "team-a"})
	live.Eventually(c.T, func() error {
		name := live.Field[string](claim.Get(), "spec", "resourceRef", "name")
		if name == "" {
			return errors.New("the claim has no XR")
		}

		s.XR.SetName(name)

		return nil
	})

	s.Want("instance", ofTags, object{"Name": "worker", "plexsphere:env": "prod", "plexsphere:team": "a"})
	claim.WantCondition("CloudTagsPropagated", "True", "SomeSkipped")
	s.WantEvent("Warning", "owner#1", "key-character-class")

	claim.Label(object{"env": "test"})
	s.Want("instance", ofTags, object{"Name": "worker", "plexsphere:env": "test", "plexsphere:team": "a"})
	claim.WantCondition("CloudTagsPropagated", "True", "AllPropagated")
}

// Labels that are no cloud tags are copied.
func testMetadata(c live.Test) {
	s := c.NewStack("metadata", bucket, `
sources:
- type: CompositeMetadata
  prefix: tags.example.org/
kubernetesMetadata:
- source: {type: CompositeMetadata}
  copy: [Labels]
  select: {domains: [topology.example.org]}
`)
	s.XR.SetLabels(map[string]string{"tags.example.org/env": "prod", "topology.example.org/zone": "a", "other": "x"})
	s.Label(nil)

	label := func(key string) []string { return append(slices.Clone(ofMetadataLabels), key) }

	s.Want("bucket", ofTags, object{"Name": "reports", "legacy": "yes", "plexsphere:env": "prod"})
	s.Want("bucket", label("topology.example.org/zone"), "a")
	s.Want("bucket", label("other"), nil)

	s.XR.SetLabels(nil)
	s.Label(nil)

	s.Want("bucket", ofTags, object{"Name": "reports", "legacy": "yes"})
	s.Want("bucket", label("topology.example.org/zone"), nil)
	s.Settled()
}

// A run that fails leaves everything as it was.
func testFatal(c live.Test) {
	s := c.NewStack("fatal", bucket+network, `
sources:
- type: CompositeField
  fromFieldPath: spec.labels
  keyForm: Tag
  onConflict: Error
`)
	s.Label(object{"env": "prod"})

	tags := object{"Name": "reports", "legacy": "yes", "env": "prod"}

	s.Want("bucket", ofTags, tags)
	s.Want("network", ofTags, array{"internal", "legacy=yes", "env=prod"})
	s.Settled()

	s.WantKept("bucket", func() {
		s.Label(object{"env": "test", "Name": "mine"})
		s.WantCondition("Synced", "False", "ReconcileError")
		s.WantCondition("CloudTagsPropagated", "False", "TagConflict")
	})

	tags["env"] = "test"

	s.Label(object{"env": "test"})
	s.Want("bucket", ofTags, tags)
	s.WantCondition("Synced", "True", "ReconcileSuccess")
	s.WantCondition("CloudTagsPropagated", "True", "AllPropagated")
}

// The tag field of a kind that isn't built in is found in its schema.
func testSchema(c live.Test) {
	s := c.NewStack("schema", volume, `
sources:
- type: CompositeField
  fromFieldPath: spec.labels
`)
	s.Label(object{"env": "prod"})
	s.Want("volume", ofTags, object{"plexsphere:env": "prod"})
	s.Settled()
}

// Resources that are no more than a kind get tags where their schema says so.
func testBare(c live.Test) {
	s := c.NewStack("bare", bare, `
sources:
- type: CompositeField
  fromFieldPath: spec.labels
`)
	s.Label(object{"env": "prod"})
	s.Want("server", ofLabels, object{"plexsphere:env": "prod"})
	s.Want("vm", ofTags, object{"plexsphere:env": "prod"})
	s.Want("record", ofSpec, nil)
	s.WantCondition("CloudTagsPropagated", "True", "CloudRefuses") // By the contract, whose : Hetzner Cloud refuses.
	s.Settled()

	s.Label(nil)
	s.Want("vm", ofSpec, nil)
	s.Want("server", ofLabels, object{})
	s.WantCondition("Synced", "True", "ReconcileSuccess")
	s.Settled()
}

// Nothing is made up about kinds that nobody knows, and nobody is told that all is well.
func testUnknown(c live.Test) {
	s := c.NewStack("unknown", bare+volume, `
sources:
- type: CompositeField
  fromFieldPath: spec.labels
fieldDiscovery: Index
`)
	s.Label(object{"env": "prod"})
	s.Want("server", ofLabels, object{"plexsphere:env": "prod"})
	s.Want("volume", ofTags, nil)
	s.Want("record", ofSpec, nil)
	s.WantCondition("Synced", "True", "ReconcileSuccess")
	s.WantCondition("CloudTagsPropagated", "False", "UnknownKinds")
	s.WantEvent("Warning", "storage.cloud.example.org/v1 Volume", "dns.cloud.example.org/v1 Record")
	s.Settled()
}

// Selectors of Crossplane before v2 have no namespace. What has the right labels in the wrong
// one doesn't answer for a source.
func testNamespace(c live.Test) {
	registry := func(namespace, name, center string) []*unstructured.Unstructured {
		return []*unstructured.Unstructured{
			live.Parse(c.T, fmt.Sprintf("{apiVersion: v1, kind: Namespace, metadata: {name: %s}}", namespace)),
			live.Parse(c.T, fmt.Sprintf(`
apiVersion: v1
kind: ConfigMap
metadata:
  namespace: %s
  name: %s
  labels: {registry: tags, tags.example.org/cost-center: %q}
`, namespace, name, center)),
		}
	}

	if err := c.Apply(c.T.Context(), "test", registry("tenant", "registry-of-tenant", "forged")...); err != nil {
		c.T.Fatal(err)
	}

	s := c.NewStack("namespace", bucket, `
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
	s.Label(object{"env": "prod"})
	s.Want("bucket", ofTags, object{"Name": "reports", "legacy": "yes", "plexsphere:env": "prod"})

	if err := c.Apply(c.T.Context(), "test", registry("platform", "registry", "4711")...); err != nil {
		c.T.Fatal(err)
	}

	// Crossplane may not have seen it yet.
	live.Eventually(c.T, func() error {
		s.Touch()
		return s.Objection("bucket", ofTags, object{"Name": "reports", "legacy": "yes", "plexsphere:env": "prod", "plexsphere:cost-center": "4711"})
	})
}

// The API server takes every field of the input, and would not take one called metadata
// that isn't an object's.
func testInput(c live.Test) {
	root, err := scenario.Root()
	if err != nil {
		c.T.Fatal(err)
	}

	text, err := os.ReadFile(filepath.Join(root, "input", "v1beta1", "README.md"))
	if err != nil {
		c.T.Fatal(err)
	}

	_, readme, _ := strings.Cut(string(text), "## The input by example\n")
	_, readme, _ = strings.Cut(readme, "```yaml\n")
	readme, _, _ = strings.Cut(readme, "```")

	input := live.Parse(c.T, readme).Object
	accepted := live.Composition("input", array{}, input)

	if err := c.Apply(c.T.Context(), "test", accepted); err != nil {
		c.T.Fatal(err)
	}

	got, err := c.Of(accepted).Get(c.T.Context(), accepted.GetName(), metav1.GetOptions{})
	if err != nil {
		c.T.Fatal(err)
	}

	if diff := cmp.Diff(live.Field[array](accepted, "spec", "pipeline"), live.Field[array](got, "spec", "pipeline")); diff != "" {
		c.T.Errorf("-applied, +stored:\n%s", diff)
	}

	input["metadata"] = input["kubernetesMetadata"]
	delete(input, "kubernetesMetadata")

	err = c.Apply(c.T.Context(), "test", live.Composition("refused", array{}, input))
	if err == nil || !strings.Contains(err.Error(), "metadata") {
		c.T.Errorf("Apply() = %v, want an error about metadata", err)
	}
}

// The API server refuses what the policy that is made for it refuses.
func testPolicy(c live.Test) {
	out, err := exec.CommandContext(c.T.Context(), c.Function, "policy",
		"--prefix", "policy.example.org/", "--provider", "aws", "--match", "v1/ConfigMap").Output()
	if err != nil {
		c.T.Fatal(err)
	}

	for text := range strings.SplitSeq(string(out), "\n---\n") {
		if err := c.Apply(c.T.Context(), "test", live.Parse(c.T, text)); err != nil {
			c.T.Fatal(err)
		}
	}

	owner := func(length int) error {
		o := live.Parse(c.T, "{apiVersion: v1, kind: ConfigMap, metadata: {namespace: default, name: judged}}")
		o.SetAnnotations(map[string]string{"policy.example.org/owner": strings.Repeat("x", length)})

		return c.Apply(c.T.Context(), "test", o)
	}

	// It takes a moment until the policy is in force. What was there before may stay.
	length := 257

	live.Eventually(c.T, func() error {
		length++

		err := owner(length)
		if err == nil {
			return errors.New("an owner that is too long is accepted")
		}

		if !strings.Contains(err.Error(), "value-too-long") {
			c.T.Fatal(err)
		}

		return nil
	})

	if err := owner(256); err != nil {
		c.T.Error(err)
	}
}
