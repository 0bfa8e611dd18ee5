package tests

import (
	_ "embed"
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

//go:embed testdata/live/resources.yaml
var resourcesFile []byte

// Resources that tests compose, in YAML.
var (
	bucket   = bases("bucket")
	group    = bases("group")
	network  = bases("network")
	instance = bases("instance")
	volume   = bases("volume")
	topic    = bases("topic")
	vpc      = bases("vpc")
)

// fieldLabels is an input with labels from a field.
const fieldLabels = "sources: [{type: CompositeField, fromFieldPath: spec.labels}]\n"

// Paths of what tests ask for.
var (
	ofSpec = []string{"spec"}
	ofTags = []string{"spec", "forProvider", "tags"}
	ofTag  = []string{"spec", "forProvider", "tag"}

	ofSpecTags       = []string{"spec", "tags"}
	ofMetadataLabels = []string{"metadata", "labels"}
)

type (
	object = map[string]any
	array  = []any
)

// A liveTest runs in clusters of all platforms, and is a row of the table in CONTRIBUTING.md.
type liveTest struct {
	name string

	// run is nil if the test is a story: its steps are in a file of testdata/live.
	run func(live.Test)

	// shows is the first cell of the row.
	shows string

	// alone reports whether no other test may run beside it.
	alone bool

	// lacks has the reason for each release that can't run it.
	lacks map[live.Release]string

	// says has the cells of releases that pass, if not yes.
	says map[live.Release]string

	// everyKubernetes reports whether the test depends on the API server, so that it runs on older ones, too.
	everyKubernetes bool
}

// notRun returns the reason for which a platform doesn't run the test, and otherwise nothing.
func (t liveTest) notRun(p live.Platform) string {
	if p.Kubernetes != live.Newest && !t.everyKubernetes {
		return "newest only"
	}

	return t.lacks[p.Release]
}

// cell returns what the row of the test says about a platform.
func (t liveTest) cell(p live.Platform) string {
	for _, said := range []string{t.notRun(p), t.says[p.Release]} {
		if said != "" {
			return said
		}
	}

	return "yes"
}

var liveTests = []liveTest{
	{name: "Tags", shows: "labels become tags of every shape; condition, events, status and metrics say so"},
	{name: "Labels", shows: "labels are changed and removed; tags of others stay"},
	{name: "Owners", run: testOwners, everyKubernetes: true, shows: "field managers tell our tags from the tags of others"},
	{name: "Cap", shows: "labels beyond a cloud's cap are skipped, and come back when there is room"},
	{name: "Classes", run: testClasses, shows: "classes come and go; without any, all stays as it is"},
	{name: "AnyClass", shows: "without labels to select by, any class is picked if the input says so"},
	{name: "ClassKinds", shows: "an XR names the kind of its class; without it, an event says which class is picked"},
	{name: "Bound", run: testBound, shows: "an XR that is bound picks no class, and keeps the one that it has"},
	{name: "LastLabel", run: testLastLabel, everyKubernetes: true, shows: "the last label leaves the cloud, too"},
	{name: "LateInit", run: testLateInit, everyKubernetes: true, shows: "the last label stays away, even if the provider acts before Crossplane's second run"},
	{name: "Immutable", run: testImmutable, everyKubernetes: true, shows: "tags that a provider refuses to change stay, and nothing is stuck"},
	{name: "Filled", run: testFilled, everyKubernetes: true, shows: "tags that a provider has filled in stay: they count for the cap, and `onConflict: Error` refuses to change them"},
	{name: "LeftAlone", run: testLeftAlone, shows: "resources that are left alone stay as they are"},
	{name: "Transitions", run: testTransitions, shows: "an event comes once, until its message changes"},
	{name: "Fatal", shows: "a run that fails changes nothing"},
	{name: "RemoveAndIgnore", shows: "`removeTags` and `ignoreTags`"},
	{name: "TagPolicy", shows: "`tagPolicy` warns, and stops"},
	{name: "Metadata", shows: "`kubernetesMetadata` copies labels"},
	{name: "Unknown", shows: "unknown kinds are left alone, and named"},
	{
		name: "Schema", shows: "schemas show the tag fields of kinds that aren't built in",
		lacks: map[live.Release]string{live.V1: "gives no schemas"},
	},
	{
		name: "Bare", shows: "schemas show the tag fields of resources without any field",
		lacks: map[live.Release]string{live.V1: "gives no schemas"},
	},
	{
		name: "StatusField", shows: "a `statusFieldPath` that the XRD doesn't declare is left out, and named",
		lacks: map[live.Release]string{live.V1: "gives no schemas"},
	},
	{
		name: "Native", shows: "kinds of other controllers than Crossplane's",
		lacks: map[live.Release]string{live.V1: "composes nothing in namespaces"},
	},
	{
		name: "Account", shows: "tags of a `ProviderConfig` of the cluster",
	},
	{
		name: "Accounts", shows: "tags of a `ProviderConfig` in a namespace, and of a `ClusterProviderConfig`",
		lacks: map[live.Release]string{live.V1: "has no such kinds"},
	},
	{name: "Claim", run: testClaim, shows: "cluster-scoped XRs, and claims"},
	{name: "Namespace", shows: "objects in a namespace, by labels"},
	{
		name: "RequiredResource", shows: "objects in a namespace, by name",
		lacks: map[live.Release]string{live.V1: "finds them by labels only"},
	},
	{
		name: "TTL", run: testTTL, shows: "an edit of a source's object reaches tags",
		says: map[live.Release]string{live.V1: "after `ttl`", live.V22: "after `ttl`", live.V23: "after `ttl`", live.V2: "at once"},
	},
	{
		name: "Standard", run: testStandard, shows: "an edit of a standard reaches the XRs of two Compositions",
		lacks: map[live.Release]string{live.V1: "finds objects in a namespace by labels only"},
		says:  map[live.Release]string{live.V22: "after `ttl`", live.V23: "after `ttl`", live.V2: "at once"},
	},
	{name: "Hops", run: testHops, shows: "an edit of an object reaches the tags of an XR two objects away"},
	{name: "Registry", run: testRegistry, shows: "an edit of an object changes which labels become tags"},
	{name: "CloudClassifier", run: testCloudClassifier, shows: "a tag in the cloud selects a resource, and its loss in the status opts the resource out"},
	{name: "Definitions", shows: "definitions with a key and a flag say which labels become tags"},
	{name: "Tree", run: testTree, shows: "labels reach the composed resources of the third of three nested XRs, and leave them"},
	{name: "Explain", run: testExplain, shows: "`explain` says which tags the cluster has, and who took tags away"},
	{name: "Ask", run: testAsk, shows: "`explain TYPE NAME` names the cause of a missing tag in its first line, by reads alone"},
	{name: "Coverage", run: testCoverage, shows: "`coverage` counts applied tags"},
	{
		name: "Operation", run: testOperation, shows: "an Operation counts the same, and reports it, also if its input is a standard",
		lacks: map[live.Release]string{live.V1: "has none"},
	},
	{name: "Input", run: testInput, shows: "the API server takes all fields of the input"},
	{name: "Policy", run: testPolicy, everyKubernetes: true, shows: "the API server enforces the policies of `policy`"},
	{name: "PolicyAgrees", run: testPolicyAgrees, everyKubernetes: true, shows: "the policies refuse an object exactly if the function can't make tags of it: random objects of each scope"},
	{
		name: "Breaker", run: testBreaker, alone: true, shows: "edits that come too often open Crossplane's circuit breaker, and the last one waits for `ttl`",
		lacks: map[live.Release]string{live.V1: "has none"},
	},
	{name: "Upgrade", run: testUpgrade, alone: true, shows: "the package is installed from a registry, and upgraded while XRs reconcile"},
}

func TestLive(t *testing.T) { //nolint:tparallel // One release after the other, and some tests alone.
	t.Parallel()

	asked(t)

	root, _ := all(t)
	readFolders(t, root)

	platforms := live.Platforms
	if os.Getenv("CROSSPLANE") != "all" {
		platforms = slices.DeleteFunc(slices.Clone(platforms), func(p live.Platform) bool { return p.Weekly })
	}

	var passed atomic.Int32

	// One after the other: each is more than a machine with two cores has to do.
	for _, platform := range platforms {
		t.Run(platform.String(), func(t *testing.T) {
			c := startCluster(t, root, platform)

			for _, test := range liveTests {
				if test.notRun(platform) != "" {
					continue
				}

				t.Run(test.name, func(t *testing.T) {
					if !test.alone {
						t.Parallel()
					}

					if in := (live.Test{Cluster: c, T: t}); test.run != nil {
						test.run(in)
					} else {
						play(in, test.name)
					}

					if !t.Failed() {
						passed.Add(1)
					}
				})
			}
		})
	}

	want := 0
	for _, test := range liveTests {
		for _, p := range platforms {
			if test.notRun(p) == "" {
				want++
			}
		}
	}

	// A run of only some tests or platforms says nothing of others.
	if len(platforms) == len(live.Platforms) && int(passed.Load()) == want {
		tagstest.Section(t, filepath.Join(root, ".github", "CONTRIBUTING.md"), "releases", releasesTable(t, root))
	}
}

// startCluster on a platform, with what tests need in it. It stops when the test ends.
func startCluster(t *testing.T, root string, platform live.Platform) *live.Cluster {
	t.Helper()

	c, err := live.Start(t.Context(), root, platform)
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

// releasesTable returns the table of CONTRIBUTING.md, with a row per test and a column per platform.
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
	out.WriteString("| Crossplane on Kubernetes |")

	for _, p := range live.Platforms {
		fmt.Fprintf(out, " %s on %s |", version(string(p.Release)), version(string(p.Kubernetes)))
	}

	out.WriteString("\n|---|" + strings.Repeat("---|", len(live.Platforms)) + "\n")

	for _, test := range liveTests {
		out.WriteString("| " + test.shows + " |")

		for _, p := range live.Platforms {
			out.WriteString(" " + test.cell(p) + " |")
		}

		out.WriteString("\n")
	}

	return out.String()
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
`, fieldLabels)
	// This provider adds tags of its own, so that its field is never empty.
	added := object{"crossplane-kind": "bucket.s3.aws.m.upbound.io", "crossplane-name": "tagged"}
	providers := []*live.Provider{{Stack: s, Name: "vpc"}, {Stack: s, Name: "tagged", Adds: added}}

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
	s.Want("tagged", ofTags, added)
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
		s.Want("tagged", ofTags, added)
		s.WantOwners("tagged", ofTags, live.Owners{"provider": {".crossplane-kind", ".crossplane-name"}})
		provided(object{})
	}

	s.Label(object{"env": "test"})
	provided(object{"plexsphere:env": "test"})
	s.Settled()
}

// An edit of a source's object reaches XRs that nobody touches: at once if Crossplane watches the
// object, or else when the answer that it has isn't to be used any longer.
func testTTL(c live.Test) {
	edit := func(center string) {
		c.Applied(live.Parse(c.T, fmt.Sprintf(`
apiVersion: v1
kind: Namespace
metadata:
  name: edited
  labels: {tags.example.org/cost-center: %q}
`, center)))
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

// The claim has the XR's condition, too. Only the XR has events.
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

// The API server accepts every field of the input. It would refuse a field called metadata with other content
// than an object's metadata.
func testInput(c live.Test) {
	root, err := scenario.Root()
	if err != nil {
		c.T.Fatal(err)
	}

	text := read(c.T, filepath.Join(root, "input", "v1beta1", "README.md"))

	_, readme, _ := strings.Cut(text, "## The input by example\n")
	_, readme, _ = strings.Cut(readme, "```yaml\n")
	readme, _, _ = strings.Cut(readme, "```")

	input := live.Parse(c.T, readme).Object
	accepted := live.Composition("input", array{}, input)

	c.Applied(accepted)

	got, err := c.ClientFor(accepted).Get(c.T.Context(), accepted.GetName(), metav1.GetOptions{})
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

// The API server enforces the command's policy.
func testPolicy(c live.Test) {
	applyPolicy(c, "--prefix", "policy.example.org/", "--provider", "aws", "--match", "v1/ConfigMap")

	owner := func(length int) error {
		o := live.Parse(c.T, "{apiVersion: v1, kind: ConfigMap, metadata: {namespace: default, name: judged}}")
		o.SetAnnotations(map[string]string{"policy.example.org/owner": strings.Repeat("x", length)})

		return c.Apply(c.T.Context(), "test", o)
	}

	// It takes a moment until the policy is in force. An object from before may stay.
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

	policyOfComposition(c)
}

// applyPolicy applies the policies that the command prints with the arguments.
func applyPolicy(c live.Test, args ...string) {
	c.T.Helper()
	applyPrinted(c, exec.CommandContext(c.T.Context(), c.Function, append([]string{"policy"}, args...)...))
}

// applyPrinted applies the objects that the command prints, and returns them as text.
func applyPrinted(c live.Test, cmd *exec.Cmd) string {
	c.T.Helper()

	cmd.Stderr = os.Stderr

	out, err := cmd.Output()
	if err != nil {
		c.T.Fatal(err)
	}

	for text := range strings.SplitSeq(string(out), "\n---\n") {
		c.Applied(live.Parse(c.T, text))
	}

	return string(out)
}

// policyOfComposition proves that the API server judges maps, spellings, what is left of the cap, and provider configs
// as the function does.
func policyOfComposition(c live.Test) {
	var cases struct {
		Input  object `json:"input"`
		Stacks []struct {
			Reason string `json:"reason"`
			Other  bool   `json:"other"` // The policy doesn't select the object.
			Labels object `json:"labels"`
			Want   string `json:"want"`
		} `json:"stacks"`
		Configs []struct {
			Reason    string `json:"reason"`
			Kind      string `json:"kind"`
			Namespace string `json:"namespace"`
			Want      string `json:"want"`
		} `json:"configs"`
	}

	tagstest.ReadYAML(c.T, filepath.Join("testdata", "cases", "policy.yaml"), &cases)

	file := filepath.Join(c.T.TempDir(), "composition.yaml")

	tagstest.WriteFiles(c.T, map[string]string{file: marshal(c.T, live.Composition("judged", array{}, cases.Input).Object)})

	// Other tests have objects of these kinds.
	applyPolicy(c, "--composition", file, "--provider", "aws", "--required", "--selector", "judged=yes", "--match", "platform.example.org/v1alpha1/Stack",
		"--match", "aws.m.upbound.io/v1beta1/ProviderConfig", "--match", "aws.m.upbound.io/v1beta1/ClusterProviderConfig")

	create := func(o *unstructured.Unstructured) error {
		_, err := c.ClientFor(o).Create(c.T.Context(), o, metav1.CreateOptions{DryRun: []string{metav1.DryRunAll}})
		return err
	}

	stack := func(other bool, labels object) *unstructured.Unstructured {
		o := live.Parse(c.T, "{apiVersion: platform.example.org/v1alpha1, kind: Stack, metadata: {name: judged}}")
		o.SetLabels(map[string]string{"judged": map[bool]string{true: "no", false: "yes"}[other]})
		o.Object["spec"] = object{"labels": labels}

		if c.Release != live.V1 {
			o.SetNamespace("default")
		}

		return o
	}

	config := func(kind, namespace string) *unstructured.Unstructured {
		o := live.Parse(c.T, "{apiVersion: aws.m.upbound.io/v1beta1, kind: "+kind+", metadata: {name: judged}}")
		o.SetNamespace(namespace)
		o.SetLabels(map[string]string{"judged": "yes", "policy.example.org/cost-center": "4711"})

		return o
	}

	// It takes a moment until the policy is in force.
	live.Eventually(c.T, func() error {
		if create(stack(false, object{})) == nil {
			return errors.New("an object without a required label is accepted")
		}

		return nil
	})

	check := func(reason string, o *unstructured.Unstructured, want string) {
		c.T.Helper()

		if err := create(o); (err == nil) != (want == "") || err != nil && !strings.Contains(err.Error(), want) {
			c.T.Errorf("%s\nIt should be %q, but is: %v", reason, want, err)
		}
	}

	for _, q := range cases.Stacks {
		check(q.Reason, stack(q.Other, q.Labels), q.Want)
	}

	for _, q := range cases.Configs {
		if c.Release != live.V1 {
			check(q.Reason, config(q.Kind, q.Namespace), q.Want)
		}
	}
}
