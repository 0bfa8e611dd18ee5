package tests

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"google.golang.org/protobuf/types/known/structpb"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/yaml"

	fnv1 "github.com/crossplane/function-sdk-go/proto/v1"

	"github.com/plexsphere/function-cloud-tags/example/internal/functions"
	"github.com/plexsphere/function-cloud-tags/example/internal/live"
	"github.com/plexsphere/function-cloud-tags/input/v1beta1"
	"github.com/plexsphere/function-cloud-tags/tags/tagstest"
)

// An alertRule is a rule of package/deploy.
type alertRule struct {
	Alert       string            `json:"alert"`
	Expr        string            `json:"expr"`
	For         string            `json:"for,omitempty"`
	Labels      map[string]string `json:"labels,omitempty"`
	Annotations map[string]string `json:"annotations,omitempty"`
}

type ruleGroup struct {
	Name  string      `json:"name"`
	Rules []alertRule `json:"rules"`
}

// alertRules of package/deploy.
func alertRules(t *testing.T, root string) []alertRule {
	t.Helper()

	var file struct {
		Spec struct {
			Groups []ruleGroup `json:"groups"`
		} `json:"spec"`
	}

	if err := yaml.Unmarshal([]byte(read(t, filepath.Join(root, "package", "deploy", "monitoring", "rules.yaml"))), &file); err != nil {
		t.Fatal(err)
	}

	var rules []alertRule
	for _, g := range file.Spec.Groups {
		rules = append(rules, g.Rules...)
	}

	if len(rules) == 0 {
		t.Fatal("package/deploy has no rules")
	}

	return rules
}

// queries of the dashboard of package/deploy, as Grafana asks for them.
func queries(t *testing.T, root string) []string {
	t.Helper()

	var dashboard struct {
		Panels []struct {
			Targets []struct {
				Expr string `json:"expr"`
			} `json:"targets"`
		} `json:"panels"`
	}

	if err := json.Unmarshal([]byte(read(t, filepath.Join(root, "package", "deploy", "monitoring", "dashboard.json"))), &dashboard); err != nil {
		t.Fatal(err)
	}

	var all []string

	for _, p := range dashboard.Panels {
		for _, target := range p.Targets {
			all = append(all, strings.ReplaceAll(target.Expr, "$__rate_interval", "5m"))
		}
	}

	if len(all) == 0 {
		t.Fatal("the dashboard has no queries")
	}

	return all
}

// A sample is what a series of the function has counted.
type sample struct {
	series  string // Without labels of the target.
	value   float64
	counter bool
}

// target is what Prometheus adds to the labels of each series, by the PodMonitor of package/deploy.
const target = `job="crossplane-system/function-cloud-tags",namespace="crossplane-system",pod="function-cloud-tags-0"`

func (s sample) name() string {
	name, _, _ := strings.Cut(s.series, "{")
	return name
}

// scraped is the series with the labels of its target.
func (s sample) scraped() string {
	name, labels, _ := strings.Cut(strings.TrimSuffix(s.series, "}"), "{")
	return name + "{" + strings.TrimPrefix(labels+","+target, ",") + "}"
}

// samples that the function serves, in their order.
func samples(t *testing.T, running *functions.Running) []sample {
	t.Helper()

	text, err := running.Metrics(t.Context())
	if err != nil {
		t.Fatal(err)
	}

	var (
		out     []sample
		counter bool
	)

	for line := range strings.Lines(text) {
		line = strings.TrimSpace(line)

		if typ, ok := strings.CutPrefix(line, "# TYPE "); ok {
			counter = !strings.HasSuffix(typ, " gauge")
			continue
		}

		at := strings.LastIndex(line, " ")
		if strings.HasPrefix(line, "#") || at < 0 {
			continue
		}

		value, err := strconv.ParseFloat(line[at+1:], 64)
		if err != nil {
			t.Fatal(err)
		}

		out = append(out, sample{line[:at], value, counter})
	}

	return out
}

// Parts of queries.
var (
	quoted    = regexp.MustCompile(`"[^"]*"`)
	selector  = regexp.MustCompile(`([a-z_:]+)?\{([^}]*)\}`)
	matcher   = regexp.MustCompile(`([a-z_]+)(=~|!~|!=|=)"([^"]*)"`)
	grouping  = regexp.MustCompile(`\b(?:by|on|without|ignoring) \(([^)]*)\)`)
	duration  = regexp.MustCompile(`\[[^\]]*\]`)
	word      = regexp.MustCompile(`[a-z_][a-z_0-9:]*`)
	operators = []string{"and", "or", "unless", "bool"}
)

// succeeds are the reasons of runs that don't fail. PolicyViolated has an alert of its own.
var succeeds = []string{"AllPropagated", "SomeSkipped", "CloudRefuses", "UnknownKinds", "NoResources", "PolicyViolated"}

// TestMonitoringNames proves that the function has each metric, label and value that the rules and the dashboard
// of package/deploy name.
func TestMonitoringNames(t *testing.T) {
	t.Parallel()

	root, _ := all(t)
	running := start(t, root)
	faults := alertFaults(t)

	for _, f := range faults {
		f.run(t, running)
	}

	values := make(map[string]map[string][]string) // By metric and label.
	counted := make(map[string]bool)

	for _, s := range samples(t, running) {
		counted[s.series] = s.value > 0

		if values[s.name()] == nil {
			values[s.name()] = make(map[string][]string)
		}

		for _, m := range matcher.FindAllStringSubmatch(s.scraped(), -1) {
			values[s.name()][m[1]] = append(values[s.name()][m[1]], m[3])
		}
	}

	// The function counts a fault at once. Alerts wait.
	for _, f := range faults {
		for _, labels := range f.Alerts {
			if reason := labels["reason"]; reason != "" && !counted["function_cloud_tags_runs_total{reason=\""+reason+"\"}"] {
				t.Errorf("%s: the function has counted no run with the reason %s", f.Name, reason)
			}
		}
	}

	all := queries(t, root)
	rules := alertRules(t, root)
	fails := rules[slices.IndexFunc(rules, func(r alertRule) bool { return r.Alert == "CloudTagsRunsFail" })].Expr

	for _, reason := range values["function_cloud_tags_runs_total"]["reason"] {
		if !slices.Contains(succeeds, reason) && !strings.Contains(fails, reason) {
			t.Errorf("the alert CloudTagsRunsFail has no reason %s. If runs with the reason don't fail, list it in this test", reason)
		}
	}

	for _, r := range rules {
		all = append(all, r.Expr)

		if !slices.ContainsFunc(faults, func(f alertFault) bool { return f.Alerts[r.Alert] != nil }) && r.Alert != alertNoRuns {
			t.Errorf("no fault makes the alert %s fire", r.Alert)
		}
	}

	for _, query := range all {
		for _, m := range selector.FindAllStringSubmatch(query, -1) {
			for _, label := range matcher.FindAllStringSubmatch(m[2], -1) {
				for value := range strings.SplitSeq(label[3], "|") {
					if !slices.Contains(values[m[1]][label[1]], value) {
						t.Errorf("%s\n%s has no series with %s=%q", query, m[1], label[1], value)
					}
				}
			}
		}

		metrics, labels := named(query)

		for _, metric := range metrics {
			if values[metric] == nil {
				t.Errorf("%s\nthe function has no metric %s", query, metric)
			}
		}

		for _, label := range labels {
			if !slices.ContainsFunc(metrics, func(metric string) bool { return values[metric][label] != nil }) {
				t.Errorf("%s\nno metric of the query has a label %s", query, label)
			}
		}

		if len(metrics) == 0 {
			t.Errorf("%s\nwant a metric", query)
		}
	}
}

// named are the metrics of a query, and the labels that it groups by.
func named(query string) (metrics, labels []string) {
	query = quoted.ReplaceAllString(query, `""`)

	for _, m := range grouping.FindAllStringSubmatch(query, -1) {
		labels = append(labels, word.FindAllString(m[1], -1)...)
	}

	for _, pattern := range []*regexp.Regexp{grouping, duration} {
		query = pattern.ReplaceAllString(query, "")
	}

	query = regexp.MustCompile(`\{[^}]*\}`).ReplaceAllString(query, "")

	for _, at := range word.FindAllStringIndex(query, -1) {
		name, rest := query[at[0]:at[1]], strings.TrimSpace(query[at[1]:])
		if !strings.HasPrefix(rest, "(") && !slices.Contains(operators, name) {
			metrics = append(metrics, name)
		}
	}

	slices.Sort(metrics)

	return slices.Compact(metrics), labels
}

// An alertFault is a run after which alerts should fire, or none.
type alertFault struct {
	Name     string           `json:"name"`
	Input    *structpb.Struct `json:"input"`    // Its fields.
	Resource *structpb.Struct `json:"resource"` // An earlier step desires it.
	TooLarge bool             `json:"tooLarge"`

	// Operation says that an Operation counts the resource.
	Operation bool `json:"operation"`

	// Alerts by their names, with the labels that they have beside namespace.
	Alerts map[string]map[string]string `json:"alerts"`
}

// alertFaults returns all faults. The first one is none.
func alertFaults(t *testing.T) []alertFault {
	t.Helper()

	var file struct {
		Resources []*structpb.Struct `json:"resources"`
		Faults    []alertFault       `json:"faults"`
	}

	tagstest.ReadYAML(t, filepath.Join("testdata", "monitoring", "faults.yaml"), &file)

	return file.Faults
}

// alertNoRuns fires when nobody calls the function any more.
const alertNoRuns = "CloudTagsNoRuns"

// run calls the function once with the fault.
func (f alertFault) run(t *testing.T, running *functions.Running) {
	t.Helper()

	f.Input.Fields["apiVersion"], f.Input.Fields["kind"] = structpb.NewStringValue(v1beta1.APIVersion), structpb.NewStringValue(v1beta1.Kind)
	xr := object{"apiVersion": "example.org/v1", "kind": "XR", "metadata": object{"name": "xr"}, "spec": object{}}

	if f.TooLarge {
		xr["spec"] = object{"a": strings.Repeat("a", 5<<20)}
	}

	req := &fnv1.RunFunctionRequest{
		Input:    f.Input,
		Observed: &fnv1.State{Composite: &fnv1.Resource{Resource: tagstest.Struct(xr)}},
		Desired:  &fnv1.State{Resources: map[string]*fnv1.Resource{"resource": {Resource: f.Resource}}},
	}
	if f.Operation {
		req.Observed, req.Desired = nil, nil
		req.RequiredResources = map[string]*fnv1.Resources{"resources": {Items: []*fnv1.Resource{{Resource: f.Resource}}}}
	}

	_, err := running.Functions[functions.CloudTags].RunFunction(t.Context(), req)
	if (err != nil) != f.TooLarge {
		t.Fatalf("%s: RunFunction(...): %v", f.Name, err)
	}

	if !f.TooLarge {
		return
	}

	// gRPC answers the client before it tells the server.
	live.Eventually(t, func() error {
		text, err := running.Metrics(t.Context())
		if err == nil && !strings.Contains(text, "function_cloud_tags_requests_too_large_total 1") {
			err = errors.New("no refused request is counted")
		}

		return err
	})
}

// The parts of a file with tests of rules that promtool reads.
type (
	ruleTests struct {
		RuleFiles []string   `json:"rule_files"`          //nolint:tagliatelle // promtool's name.
		Interval  string     `json:"evaluation_interval"` //nolint:tagliatelle // promtool's name.
		Tests     []ruleTest `json:"tests"`
	}

	ruleTest struct {
		Name     string        `json:"name"`
		Interval string        `json:"interval"`
		Series   []inputSeries `json:"input_series"`    //nolint:tagliatelle // promtool's name.
		Alerts   []alertTest   `json:"alert_rule_test"` //nolint:tagliatelle // promtool's name.
	}

	inputSeries struct {
		Series string `json:"series"`
		Values string `json:"values"`
	}

	alertTest struct {
		At     string          `json:"eval_time"` //nolint:tagliatelle // promtool's name.
		Name   string          `json:"alertname"`
		Alerts []expectedAlert `json:"exp_alerts"` //nolint:tagliatelle // promtool's name.
	}

	expectedAlert struct {
		Labels      map[string]string `json:"exp_labels"`                //nolint:tagliatelle // promtool's name.
		Annotations map[string]string `json:"exp_annotations,omitempty"` //nolint:tagliatelle // promtool's name.
	}
)

// TestAlerts proves by promtool that each alert of package/deploy fires on the function's metrics after its fault, and
// no other alert does. Each query of the dashboard must find something.
func TestAlerts(t *testing.T) {
	t.Parallel()
	asked(t)

	root, _ := all(t)

	promtool := built(t, root, "promtool")

	running := start(t, root)
	rules := alertRules(t, root)
	file := ruleTests{RuleFiles: []string{"rules.yaml"}, Interval: "1m"}
	before := samples(t, running)

	faults := alertFaults(t)
	counts := make(map[string][]inputSeries) // By fault.

	for _, f := range faults {
		f.run(t, running)

		after := samples(t, running)

		if f.Operation {
			counts[f.Name] = repeated(nil, after, always)
		}

		test := ruleTest{Name: f.Name, Interval: "1m", Series: repeated(before, after, always)}

		for _, r := range rules {
			test.Alerts = append(test.Alerts, alertTest{At: "25m", Name: r.Alert, Alerts: r.expected(f.Alerts)})
		}

		file.Tests = append(file.Tests, test)
		before = after
	}

	// Nobody calls the function any more, after half an hour in which all was well.
	file.Tests = append(file.Tests, ended(t, running, faults[0], rules))

	// Another pod has an older count, in which a resource lacks a tag.
	restarted := slices.Clone(counts["Complete"])
	for _, s := range counts["Incomplete"] {
		if strings.HasPrefix(s.Series, "function_cloud_tags_coverage_") {
			restarted = append(restarted, inputSeries{strings.Replace(s.Series, "tags-0", "tags-1", 1), s.Values})
		}
	}

	file.Tests = append(file.Tests, ruleTest{Name: "OlderCount", Interval: "1m", Series: restarted, Alerts: []alertTest{{At: "25m", Name: "CloudTagsRequiredMissing", Alerts: []expectedAlert{}}}})

	// All faults at once, on the dashboard.
	all := ruleTest{Name: "Dashboard", Interval: "1m", Series: repeated(nil, before, always)}

	for i, query := range queries(t, root) {
		r := alertRule{Alert: fmt.Sprintf("Query%d", i), Expr: "count(" + query + ") > 0"}
		rules = append(rules, r)
		all.Alerts = append(all.Alerts, alertTest{At: "30m", Name: r.Alert, Alerts: []expectedAlert{{Labels: map[string]string{}}}})
	}

	file.Tests = append(file.Tests, all)

	dir := t.TempDir()
	tagstest.WriteFiles(t, map[string]string{
		filepath.Join(dir, "rules.yaml"): marshal(t, map[string]any{"groups": []ruleGroup{{"rules", rules}}}), filepath.Join(dir, "tests.yaml"): marshal(t, file),
	})

	for _, args := range [][]string{{"check", "rules", "rules.yaml"}, {"test", "rules", "tests.yaml"}} {
		cmd := exec.CommandContext(t.Context(), promtool, args...)
		cmd.Dir = dir

		if out, err := cmd.CombinedOutput(); err != nil {
			t.Errorf("promtool %s: %v\n%s", strings.Join(args, " "), err, out)
		}
	}
}

// repeated are series of what was counted between before and after, each minute again, for three hours or as values
// says of the first value and the step.
func repeated(before, after []sample, values func(first, step float64) string) []inputSeries {
	counted := make(map[string]float64, len(before))
	for _, s := range before {
		counted[s.series] = s.value
	}

	out := make([]inputSeries, 0, len(after))

	for _, s := range after {
		step := s.value - counted[s.series]
		if !s.counter {
			step = 0
		}

		out = append(out, inputSeries{s.scraped(), values(s.value, step)})
	}

	return out
}

// always goes on for three hours.
func always(first, step float64) string { return fmt.Sprintf("%g+%gx180", first, step) }

// forHalfAnHour goes on for that time, and then stays for three hours.
func forHalfAnHour(first, step float64) string {
	return fmt.Sprintf("%g+%gx30 %g+0x180", first, step, first+30*step)
}

// ended is a test of half an hour in which the function is called and is well, and hours in which nobody calls it.
func ended(t *testing.T, running *functions.Running, healthy alertFault, rules []alertRule) ruleTest {
	t.Helper()

	before := samples(t, running)
	healthy.run(t, running)

	test := ruleTest{Name: "NoRuns", Interval: "1m", Series: repeated(before, samples(t, running), forHalfAnHour)}

	for _, r := range rules {
		test.Alerts = append(test.Alerts,
			alertTest{At: "80m", Name: r.Alert, Alerts: r.expected(nil)},
			alertTest{At: "100m", Name: r.Alert, Alerts: r.expected(map[string]map[string]string{alertNoRuns: {}})})
	}

	return test
}

// expected are the alerts of the rule, if it is among those that fire, with its labels and annotations.
func (r alertRule) expected(fires map[string]map[string]string) []expectedAlert {
	labels, ok := fires[r.Alert]
	if !ok {
		return []expectedAlert{}
	}

	out := expectedAlert{Labels: map[string]string{"namespace": "crossplane-system"}, Annotations: make(map[string]string)}
	maps.Copy(out.Labels, r.Labels)
	maps.Copy(out.Labels, labels)

	for name, text := range r.Annotations {
		for label, value := range out.Labels {
			text = strings.ReplaceAll(text, "{{ $labels."+label+" }}", value)
		}

		out.Annotations[name] = text
	}

	return []expectedAlert{out}
}

// TestDeploy proves that an API server with the kinds of package/deploy accepts all objects, and knows each field.
func TestDeploy(t *testing.T) {
	t.Parallel()
	asked(t)

	root, _ := all(t)

	objects := deployed(t, root)

	cluster, err := live.StartKinds(t.Context(), root)
	if err != nil {
		t.Fatal(err)
	}

	t.Cleanup(cluster.Stop)

	for _, crd := range documents(t, read(t, filepath.Join("testdata", "monitoring", "crds.yaml"))) {
		if err := cluster.Apply(t.Context(), "test", crd); err != nil {
			t.Fatal(err)
		}
	}

	var kinds []string

	for _, o := range objects {
		kinds = append(kinds, o.GetKind())

		live.Eventually(t, func() error { // The kinds are served a moment after they are defined.
			_, err := cluster.ClientFor(o).Create(t.Context(), o, metav1.CreateOptions{FieldValidation: metav1.FieldValidationStrict})
			return err
		})
	}

	slices.Sort(kinds)

	if want := []string{
		"ClusterRole", "ConfigMap", "CronOperation", "DeploymentRuntimeConfig", "Function", "ImageConfig",
		"NetworkPolicy", "PodDisruptionBudget", "PodMonitor", "PrometheusRule",
	}; !slices.Equal(kinds, want) {
		t.Errorf("kustomize build package/deploy: want the kinds %q, got %q", want, kinds)
	}
}

// deployed are the objects of package/deploy.
func deployed(t *testing.T, root string) []*unstructured.Unstructured {
	t.Helper()

	out, err := exec.CommandContext(t.Context(), built(t, root, "kustomize"), "build", filepath.Join(root, "package", "deploy")).Output()
	if err != nil {
		t.Fatal(err)
	}

	return documents(t, string(out))
}

// TestPodSecurity proves that the restricted Pod Security Standard admits Crossplane's pods of package/deploy. The NetworkPolicy there
// must select them.
func TestPodSecurity(t *testing.T) {
	t.Parallel()
	asked(t)

	root, _ := all(t)

	cluster, err := live.StartPackages(t.Context(), root)
	if err != nil {
		t.Fatal(err)
	}

	t.Cleanup(func() {
		if t.Failed() {
			t.Log(cluster.Tails())
		}

		cluster.Stop()
	})

	c := live.Test{Cluster: cluster, T: t}
	c.Applied(
		live.Parse(t, "{apiVersion: v1, kind: Namespace, metadata: {name: restricted, labels: {pod-security.kubernetes.io/enforce: restricted}}}"),
		live.Parse(t, "{apiVersion: v1, kind: ServiceAccount, metadata: {namespace: crossplane-system, name: crossplane}}"), // Its image pull secrets are a package's, too.
	)

	image, err := cluster.Push(t.Context(), "v0.1.0")
	if err != nil {
		t.Fatal(err)
	}

	objects := make(map[string]*unstructured.Unstructured)
	for _, o := range deployed(t, root) {
		objects[o.GetKind()] = o
	}

	config, function := objects["DeploymentRuntimeConfig"], objects["Function"]
	if err := unstructured.SetNestedField(function.Object, image, "spec", "package"); err != nil {
		t.Fatal(err)
	}

	c.Applied(config, function)

	wanted := podOf(t, c, function.GetName())

	cases := map[string]struct {
		reason, without, want string
	}{
		"Deployed": {reason: "A pod of package/deploy should need no exception."},
		"Half":     {reason: "Without a part of the context, a pod should be refused.", without: "seccompProfile", want: `violates PodSecurity "restricted:latest": seccompProfile`},
	}

	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			t.Parallel()

			pod := wanted.DeepCopy()
			unstructured.RemoveNestedField(pod.Object, "spec", "securityContext", tc.without)

			_, err := cluster.ClientFor(pod).Create(t.Context(), pod, metav1.CreateOptions{DryRun: []string{metav1.DryRunAll}})
			if got := fmt.Sprint(err); (err == nil) != (tc.want == "") || !strings.Contains(got, tc.want) {
				t.Errorf("\n%s\nCreate(...): want %q, got %v", tc.reason, tc.want, err)
			}
		})
	}

	selected := live.Field[object](objects["NetworkPolicy"], "spec", "podSelector", "matchLabels")
	if len(selected) == 0 {
		t.Error("NetworkPolicy: want it to select the pods of the function, and no others")
	}

	for key, value := range selected {
		if wanted.GetLabels()[key] != value {
			t.Errorf("NetworkPolicy: want it to select the pods of the function, which have the labels %v", wanted.GetLabels())
		}
	}
}

// podOf returns a pod as the Deployment wants it that Crossplane has made, or makes soon, of a function. Its namespace admits only what is
// restricted.
func podOf(t *testing.T, c live.Test, function string) *unstructured.Unstructured {
	t.Helper()

	pod := live.Parse(t, "{apiVersion: v1, kind: Pod, metadata: {namespace: restricted, name: pod}}")

	live.Eventually(t, func() error {
		deployments, err := c.ClientFor(live.Parse(t, "{apiVersion: apps/v1, kind: Deployment, metadata: {namespace: crossplane-system}}")).List(t.Context(), metav1.ListOptions{})
		if err != nil {
			return err
		}

		for _, d := range deployments.Items {
			template := live.Field[object](&d, "spec", "template")

			labels, _, err := unstructured.NestedStringMap(template, "metadata", "labels")
			if err == nil && labels["pkg.crossplane.io/function"] == function {
				pod.SetLabels(labels)
				pod.Object["spec"] = template["spec"]

				return nil
			}
		}

		return fmt.Errorf("there is no Deployment of %s", function)
	})

	return pod
}

// documents are the objects in a stream of YAML.
func documents(t *testing.T, text string) []*unstructured.Unstructured {
	t.Helper()

	var out []*unstructured.Unstructured
	for document := range strings.SplitSeq(strings.TrimPrefix(text, "---\n"), "\n---\n") {
		out = append(out, live.Parse(t, document))
	}

	return out
}
