package tests

import (
	"errors"
	"fmt"
	"maps"
	"net/http/httptest"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"sigs.k8s.io/yaml"

	"github.com/plexsphere/function-cloud-tags/example/internal/cloud"
	"github.com/plexsphere/function-cloud-tags/example/internal/functions"
	"github.com/plexsphere/function-cloud-tags/example/internal/live"
	"github.com/plexsphere/function-cloud-tags/example/internal/tool"
)

// Time runs faster than by default: Crossplane looks at XRs each minute, and providers at clouds every ten
// minutes. At rest, hours go by.
const (
	faster = 24

	pollXRs    = time.Minute / faster
	pollClouds = 10 * time.Minute / faster
	atRest     = 2 * time.Hour / faster

	// looks is how long a controller takes to look at a cloud twice.
	looks = 2 * pollClouds
)

// controllerFiles is the folder of the controllers.
var controllerFiles = filepath.Join("testdata", "controllers")

// clouds of the controllers, by the names of their files.
var clouds = map[string]func() *cloud.Cloud{
	"hcloud":      cloud.Hetzner,
	"ionos":       cloud.IONOS,
	"ack":         cloud.DynamoDB,
	"aws-classic": cloud.SQS,
}

// A controller is one that others wrote, and what it makes in a cloud.
type controller struct {
	Controller live.Controller `json:"controller"`

	// Tools and Files that the controller needs beside itself, by their paths in a folder.
	Tools map[string]string `json:"tools"`
	Files map[string]string `json:"files"`

	// Configs are objects that it reads.
	Configs []object `json:"configs"`

	// Resources have the names that they get in the cloud.
	Resources     []object `json:"resources"`
	ClusterScoped bool     `json:"clusterScoped"`

	// Input of the function, what separates the parts of keys, and how many tags of ours a resource may have.
	Input     object `json:"input"`
	Separator string `json:"separator"`
	Cap       int    `json:"cap"`

	// Adds are the tags that the controller adds by itself.
	Adds cloud.Tags `json:"adds"`

	// Ignores reports whether tags of others stay if ignoreTags names them: the controller reports the cloud's tags.
	Ignores bool `json:"ignores"`

	// Known faults of the controller: the last tag of some resources stays, and it writes the status of its own
	// resources while nothing happens.
	LastStays []string `json:"lastStays"`
	Restless  bool     `json:"restless"`
}

// phases of the labels of an XR, in their order.
var phases = []struct {
	name, reason string

	// before all controllers go through the phase, the cluster changes.
	before func(*testing.T, *live.Cluster)
	run    func(*controlled)
}{
	{name: "Made", reason: "Labels become tags.", run: func(c *controlled) { c.labeled(given) }},
	{name: "Changed", reason: "A value changes.", run: func(c *controlled) { c.labeled(with("platform/env", "test")) }},
	{name: "Removed", reason: "A label that goes stays away.", run: removed},
	{name: "Last", reason: "The last label leaves the cloud, and stays away.", run: lastRemoved},
	{name: "Cap", reason: "A resource gets as many tags as it may have.", run: capped},
	{name: "Others", reason: "What others do in the cloud stays only if it is ignored.", run: edited},
	{name: "FunctionGone", reason: "Tags stay while the function is away.", before: stopFunction, run: abandoned},
	{name: "FunctionBack", reason: "Labels that changed meanwhile become tags.", before: startFunction, run: found},
	{name: "AtRest", reason: "In two hours nobody writes anything.", run: rests},
	{name: "Deleted", reason: "All goes.", run: deleted},
}

// TestControllers leads labels through their lives with controllers that others wrote. Each time, the cloud has what the
// status of the XR says.
func TestControllers(t *testing.T) { //nolint:paralleltest // What one phase leaves, the next one needs.
	asked := strings.Fields(os.Getenv("CONTROLLERS"))
	if len(asked) == 0 {
		t.Skip("CONTROLLERS=1 go test -run TestControllers ./example/tests runs controllers that others wrote, CONTROLLERS=ack only this one.")
	}

	root, _ := all(t)
	cluster := startCluster(t, root, live.Platform{Release: live.V2, Kubernetes: live.Newest})

	crossplane := cluster.Part(live.Crossplane)
	crossplane.Args = append(crossplane.Args, "--poll-interval="+pollXRs.String())

	if err := crossplane.Restart(t.Context(), syscall.SIGTERM); err != nil {
		t.Fatal(err)
	}

	var running []*controlled
	for name := range clouds {
		if asked[0] != "1" && !slices.Contains(asked, name) {
			continue
		}

		c := readController(t, name)
		if err := c.build(t, root); err != nil {
			t.Run(name, func(t *testing.T) { t.Skip(err) })
			continue
		}

		c.control(t, cluster)
		running = append(running, c)
	}

	if len(running) == 0 {
		t.Fatalf("CONTROLLERS=%q names no controller that can be built", strings.Join(asked, " "))
	}

	for _, p := range phases {
		t.Run(p.name, func(t *testing.T) {
			if p.before != nil {
				p.before(t, cluster)
			}

			for _, c := range running {
				t.Run(c.name, func(t *testing.T) {
					t.Parallel()
					c.phase(t, p.reason, p.run)
				})
			}
		})
	}
}

// TestControllerFiles tests that the files of controllers can be read, and that each has a cloud, whose resources have names.
func TestControllerFiles(t *testing.T) {
	t.Parallel()

	files, err := filepath.Glob(filepath.Join(controllerFiles, "*.yaml"))
	if err != nil {
		t.Fatal(err)
	}

	var names []string

	for _, file := range files {
		name := strings.TrimSuffix(filepath.Base(file), ".yaml")
		names = append(names, name)

		if clouds[name] == nil {
			t.Errorf("%s has no cloud", file)
		} else if c := readController(t, name); len(c.names) == 0 || slices.Contains(c.names, "") || c.Cap == 0 {
			t.Errorf("%s lacks resources, their names or how many tags they may have", file)
		}
	}

	if diff := cmp.Diff(slices.Sorted(maps.Keys(clouds)), names); diff != "" {
		t.Errorf("files of controllers: -want, +got:\n%s", diff)
	}
}

// controlled is an XR whose resources a controller makes in a cloud.
type controlled struct {
	controller
	*live.Stack

	name, dir string
	cloud     *cloud.Cloud
	server    *httptest.Server

	// names of the resources, and who has written them and the XR.
	names   []string
	watcher *live.Watcher

	// beside are tags of others, stuck those that only the cloud has, by resource.
	beside cloud.Tags
	stuck  map[string]cloud.Tags

	failed bool
}

// readController reads the file of a controller, whose cloud is served from now on.
func readController(t *testing.T, name string) *controlled {
	t.Helper()

	c := &controlled{name: name, dir: t.TempDir(), cloud: clouds[name]()}
	c.server = httptest.NewServer(c.cloud)
	t.Cleanup(c.server.Close)

	text := os.Expand(read(t, filepath.Join(controllerFiles, name+".yaml")), func(variable string) string {
		return map[string]string{
			"CLOUD": c.server.URL, "DIR": c.dir, "PLATFORM": runtime.GOOS + "_" + runtime.GOARCH,
			"POLL": pollClouds.String(), "SECONDS": fmt.Sprint(pollClouds.Seconds()),
		}[variable]
	})

	if err := yaml.UnmarshalStrict([]byte(text), &c.controller); err != nil {
		t.Fatalf("%s: %v", name, err)
	}

	for _, r := range c.Resources {
		name, _ := r["name"].(string)
		c.names = append(c.names, name)
	}

	return c
}

// build the controller, and what it needs beside itself.
func (c *controlled) build(t *testing.T, root string) error {
	t.Helper()

	if _, err := tool.Build(t.Context(), root, c.Controller.Tool); err != nil {
		return err
	}

	for path, name := range c.Tools {
		binary, err := tool.Build(t.Context(), root, name)
		if err != nil {
			return err
		}

		path = filepath.Join(c.dir, path)
		if err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o700), os.Symlink(binary, path)); err != nil {
			return err
		}
	}

	for path, text := range c.Files {
		if err := os.WriteFile(filepath.Join(c.dir, path), []byte(text), 0o600); err != nil {
			return err
		}
	}

	return nil
}

// control an XR in a cluster: start the controller, and make the Composition.
func (c *controlled) control(t *testing.T, cluster *live.Cluster) {
	t.Helper()

	configs := make([]*unstructured.Unstructured, len(c.Configs))
	for i, config := range c.Configs {
		configs[i] = &unstructured.Unstructured{Object: config}
	}

	if err := cluster.StartController(t.Context(), c.Controller, configs...); err != nil {
		t.Fatal(err)
	}

	input := object{
		"sources":         array{object{"type": "CompositeField", "fromFieldPath": "spec.labels"}},
		"ignoreTags":      array{object{"key": "backup*"}},
		"statusFieldPath": "status.cloudTags",
		"ttl":             pollXRs.String(), // Crossplane calls again then.
	}
	maps.Copy(input, c.Input)

	resources := marshal(t, c.Resources)

	in := marshal(t, input)

	newStack := live.Test{Cluster: cluster, T: t}.NewStack
	if c.ClusterScoped {
		newStack = live.Test{Cluster: cluster, T: t}.NewLegacyStack
	}

	c.Stack = newStack(c.name, resources, in)

	kinds := map[schema.GroupVersionKind]*unstructured.Unstructured{c.XR.GroupVersionKind(): c.XR}

	for _, r := range c.Resources {
		base, _ := r["base"].(object)
		kind := (&unstructured.Unstructured{Object: base}).DeepCopy()
		kind.SetNamespace(c.XR.GetNamespace())
		kinds[kind.GroupVersionKind()] = kind
	}

	admit := func(_, _ *unstructured.Unstructured) error { return nil } // Writes are only counted.

	watcher, err := cluster.Watch(t.Context(), admit, slices.Collect(maps.Values(kinds))...)
	if err != nil {
		t.Fatal(err)
	}

	c.watcher = watcher

	t.Cleanup(c.watcher.Stop)
}

// written is how often field managers have written the XR and its resources.
func (c *controlled) written() map[string]int {
	c.T.Helper()

	if err := c.watcher.Err(c.T.Context()); err != nil {
		c.T.Error(err)
	}

	out := make(map[string]int)

	for key, history := range c.watcher.Histories() {
		if strings.Contains(key, "stacks/") && !strings.HasSuffix(key, "/"+c.name) {
			continue // It is another XR of the same kind.
		}

		for _, write := range history.Writes {
			out[strings.Join(write.Managers, " and ")]++
		}
	}

	return out
}

// phase of the XR, unless an earlier one has failed.
func (c *controlled) phase(t *testing.T, reason string, run func(*controlled)) {
	t.Helper()

	if c.failed {
		t.Skip("An earlier phase has failed.")
	}

	c.T = t
	began, cloudWrites, written := time.Now(), len(c.cloud.Writes()), c.written()

	defer func() {
		if c.failed = t.Failed(); c.failed {
			c.Dump()
		}

		took, writes := time.Since(began).Round(time.Second), c.cloud.Writes()[cloudWrites:]
		t.Logf("%s %s. %d calls to change the cloud:\n%s", reason, took, len(writes), strings.Join(writes, "\n"))
		t.Logf("Objects were written by: %v", since(written, c.written()))
	}()

	run(c)
}

// since returns the counts that have grown, and by how much.
func since(before, now map[string]int) map[string]int {
	out := make(map[string]int)

	for change, n := range now {
		if n -= before[change]; n > 0 {
			out[change] = n
		}
	}

	return out
}

// given are the labels that a phase leaves.
var given = object{"platform/env": "prod", "acme:checkout/owner": "team-a", "platform/cost-center": "4711"}

// with a label beside those that are given, or at another value.
func with(label, value string) object {
	out := maps.Clone(given)
	out[label] = value

	return out
}

// meanwhile are the labels that an XR gets while the function is away.
var meanwhile = with("platform/env", "meanwhile")

// labeled gives the XR these labels, and wants them to arrive.
func (c *controlled) labeled(labels object) {
	c.T.Helper()
	c.Label(labels)
	c.arrived(labels)
}

// arrived wants all resources to have the tags of these labels in the cloud, as the status says.
func (c *controlled) arrived(labels object) {
	c.T.Helper()
	live.Eventually(c.T, func() error { return c.objection(c.tags(labels)) })
}

// tags that labels are.
func (c *controlled) tags(labels object) cloud.Tags {
	out := cloud.Tags{}
	for label, value := range labels {
		out["plexsphere"+c.Separator+strings.ReplaceAll(label, ":", c.Separator)], _ = value.(string)
	}

	return out
}

// objection to what the status says, or to the cloud if that has something else.
func (c *controlled) objection(want cloud.Tags) error {
	says := live.Field[object](c.Get(), "status", "cloudTags", "resources")

	var errs []error

	for _, name := range c.names {
		said := cloud.Tags{}

		tags, _ := says[name].(object)
		for key, value := range tags {
			said[key], _ = value.(string)
		}

		// The provider may have copied the last tag into the tag field.
		if err := live.Differs(union(want, c.beside, c.stuck[name]), union(said, c.stuck[name])); err != nil {
			errs = append(errs, fmt.Errorf("the status says of %s: %w", name, err))
		}

		if err := live.Differs(union(said, c.Adds, c.stuck[name]), c.cloud.Tags(name)); err != nil {
			errs = append(errs, fmt.Errorf("the cloud has not of %s what the status says: %w", name, err))
		}
	}

	return errors.Join(errs...)
}

// union returns the tags of all sets.
func union(sets ...cloud.Tags) cloud.Tags {
	out := cloud.Tags{}
	for _, tags := range sets {
		maps.Copy(out, tags)
	}

	return out
}

// stays wants the tags of these labels to stay in the cloud for so long.
func (c *controlled) stays(labels object, long time.Duration) {
	c.T.Helper()

	for end := time.Now().Add(long); time.Now().Before(end); time.Sleep(time.Second) {
		if err := c.objection(c.tags(labels)); err != nil {
			c.T.Fatalf("%s before the end: %v", time.Until(end).Round(time.Second), err)
		}
	}
}

func removed(c *controlled) {
	less := maps.Clone(given)
	delete(less, "platform/env")

	c.labeled(less)
	c.stays(less, looks)
	c.labeled(given)
}

func lastRemoved(c *controlled) {
	only := object{"platform/only": "one"}
	c.labeled(only)

	c.stuck = map[string]cloud.Tags{}
	for _, name := range c.LastStays {
		c.stuck[name] = c.tags(only)
	}

	c.labeled(nil)
	c.stays(nil, looks)

	if len(c.LastStays) > 0 {
		c.WantEvent("Warning", append(c.LastStays, "the last tag stays in the cloud")...)
	}

	c.stuck = nil
	c.labeled(given)
}

// edited sets tags in the cloud as another owner does, and ignoreTags names one of them. A provider that mends
// differences may remove this tag before it has ever reported it, and once more by a change that is under way. So
// the owner sets the tag again until it is in the desired state and the provider has looked at the cloud.
func edited(c *controlled) {
	c.cloud.Edit(func(tags cloud.Tags) { maps.Copy(tags, cloud.Tags{"backup": "daily", "stranger": "yes"}) })

	if c.Ignores {
		c.beside = cloud.Tags{"backup": "daily"}
	}

	wants := func() error {
		if c.Ignores {
			c.cloud.Edit(func(tags cloud.Tags) { tags["backup"] = "daily" })
		}

		return c.objection(c.tags(given))
	}

	live.Eventually(c.T, wants)

	for end := time.Now().Add(pollClouds); c.Ignores && time.Now().Before(end); time.Sleep(time.Second) {
		if err := wants(); err != nil {
			c.T.Fatal(err)
		}
	}

	c.stays(given, looks)
}

func capped(c *controlled) {
	labels := maps.Clone(given)
	for i := range c.Cap + 10 {
		labels[fmt.Sprintf("platform/n%03d", i)] = "yes"
	}

	c.Label(labels)
	c.WantCondition("CloudTagsPropagated", "True", "SomeSkipped")

	fits := maps.Clone(given)
	for i := range c.Cap - len(given) {
		fits[fmt.Sprintf("platform/n%03d", i)] = "yes"
	}

	c.arrived(fits)
	c.labeled(given)
	c.WantCondition("CloudTagsPropagated", "True", "AllPropagated")
}

func stopFunction(t *testing.T, cluster *live.Cluster) {
	t.Helper()

	if err := cluster.Part(functions.CloudTags).Stop(t.Context(), syscall.SIGTERM); err != nil {
		t.Fatal(err)
	}
}

func startFunction(t *testing.T, cluster *live.Cluster) {
	t.Helper()

	if err := cluster.Part(functions.CloudTags).Start(); err != nil {
		t.Fatal(err)
	}
}

func abandoned(c *controlled) {
	c.Label(meanwhile)
	c.stays(given, looks)
}

func found(c *controlled) {
	c.arrived(meanwhile)
	c.labeled(given)
}

// rests while nothing happens: the controller and Crossplane look many times, and write nothing.
func rests(c *controlled) {
	c.stays(given, looks) // A controller still writes how the last change went.

	reads, runs, calls, written := c.cloud.Reads(), c.runs(), len(c.cloud.Writes()), c.written()

	c.stays(given, atRest)

	for _, call := range c.cloud.Writes()[calls:] {
		c.T.Errorf("at rest there was a call to change the cloud: %s", call)
	}

	for managers, n := range since(written, c.written()) {
		if !c.Restless || !strings.HasPrefix(managers, c.Controller.Tool) || !strings.HasSuffix(managers, "/status") {
			c.T.Errorf("at rest, objects were written %d times by %s", n, managers)
		}
	}

	// That nobody looks would be no rest.
	if got, want := c.cloud.Reads()-reads, int(atRest/pollClouds)*len(c.names)/2; got < want {
		c.T.Errorf("the cloud was read %d times, want %d at least", got, want)
	}

	if got, want := c.runs()-runs, int(atRest/pollXRs)/2; got < want {
		c.T.Errorf("the function was called %d times, want %d at least", got, want)
	}
}

// runs of the function.
func (c *controlled) runs() int {
	metrics, err := c.Metrics(c.T.Context())
	if err != nil {
		c.T.Fatal(err)
	}

	sum := 0

	for line := range strings.Lines(metrics) {
		if rest, ok := strings.CutPrefix(line, "function_cloud_tags_runs_total{"); ok {
			_, value, _ := strings.Cut(strings.TrimSpace(rest), "} ")
			n, _ := strconv.Atoi(value)
			sum += n
		}
	}

	return sum
}

func deleted(c *controlled) {
	for _, name := range append([]string{""}, c.names...) {
		o := c.XR
		if name != "" {
			o = c.Resource(name) // Nobody collects garbage in this cluster.
		}

		if err := c.ClientFor(o).Delete(c.T.Context(), o.GetName(), metav1.DeleteOptions{}); err != nil {
			c.T.Fatal(err)
		}
	}

	live.Eventually(c.T, func() error { return live.Differs([]string(nil), c.cloud.Names()) })
}
