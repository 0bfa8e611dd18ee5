package tests

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"google.golang.org/protobuf/encoding/protojson"
	"google.golang.org/protobuf/proto"

	fnv1 "github.com/crossplane/function-sdk-go/proto/v1"

	"github.com/plexsphere/function-cloud-tags/example/internal/functions"
	"github.com/plexsphere/function-cloud-tags/example/internal/scenario"
	"github.com/plexsphere/function-cloud-tags/tags/profile"
	"github.com/plexsphere/function-cloud-tags/tags/words"
)

// symptomRow matches a row of the page of symptoms: a symptom, and the scenario that shows it.
var symptomRow = regexp.MustCompile("(?m)^\\| `(.+?)` \\|.*\\| \\[([a-z0-9-]+)\\]\\(.*\\) \\|$")

// leftOut matches the ellipsis in a symptom.
var leftOut = regexp.MustCompile(" ?… ?")

// symptoms returns the symptoms on the page, by the scenario that shows them.
func symptoms(t *testing.T, root string) map[string][]string {
	t.Helper()

	page := read(t, filepath.Join(root, "tags", "command", "explain", "README.md"))

	out := make(map[string][]string)
	rows := symptomRow.FindAllStringSubmatch(page, -1)

	for _, row := range rows {
		out[row[2]] = append(out[row[2]], row[1])
	}

	if want := strings.Count(page, "\n| `"); len(rows) != want {
		t.Errorf("the page has %d rows, of which %d name what is seen and a scenario", want, len(rows))
	}

	return out
}

// TestSymptoms finds each symptom of the page in its scenario: explain must print it for a run there. Only the conditions
// Synced and Responsive are Crossplane's.
func TestSymptoms(t *testing.T) {
	t.Parallel()

	root, _ := all(t)
	running := start(t, root)

	for name, seen := range symptoms(t, root) {
		t.Run(name, func(t *testing.T) {
			t.Parallel()

			s := find(t, root, name)
			said := explainedRuns(t, s, running) + explainedLive(t, s, running)

			for _, symptom := range seen {
				if strings.HasPrefix(symptom, "Synced:") || strings.HasPrefix(symptom, "Responsive:") {
					continue
				}

				pattern := leftOut.ReplaceAllString(regexp.QuoteMeta(symptom), ".*")
				if !regexp.MustCompile(pattern).MatchString(said) {
					t.Errorf("%q isn't what is said of %s:\n%s", symptom, name, said)
				}
			}
		})
	}
}

// TestReasonsListed proves that the READMEs have a row for each skip reason, and for each reason of the condition.
func TestReasonsListed(t *testing.T) {
	t.Parallel()

	root, _ := all(t)
	rows := map[string][]string{filepath.Join("tags", "README.md"): words.Map(profile.SkipReasons(), func(r profile.SkipReason) string { return string(r) })}

	for _, s := range samples(t, start(t, root)) {
		if _, reason, ok := strings.Cut(s.series, `runs_total{reason="`); ok {
			page := filepath.Join("tags", "report", "README.md")
			rows[page] = append(rows[page], strings.TrimSuffix(reason, `"}`))
		}
	}

	for page, reasons := range rows {
		text := read(t, filepath.Join(root, page))
		for _, reason := range reasons {
			if !strings.Contains(text, "| `"+reason+"` |") {
				t.Errorf("%s has no row for %s", page, reason)
			}
		}
	}

	if len(rows) != 2 {
		t.Error("the function has no metric of runs by their reasons")
	}
}

// TestSymptomsComplete proves that the page has each reason of an event in any scenario.
func TestSymptomsComplete(t *testing.T) {
	t.Parallel()

	root, scenarios := all(t)

	var reasons []string

	for _, s := range scenarios {
		want := expected(t, s)

		if want.Failed || strings.HasPrefix(s.Name, "coverage") {
			continue
		}

		for _, o := range decode(t, want.Text) {
			if message := fmt.Sprint(o["message"]); strings.HasPrefix(message, "Pipeline step ") {
				reasons = append(reasons, fmt.Sprint(o["reason"]))
			}
		}
	}

	slices.Sort(reasons)

	var page []string
	for _, seen := range symptoms(t, root) {
		page = append(page, seen...)
	}

	for _, reason := range slices.Compact(reasons) {
		if !slices.ContainsFunc(page, func(symptom string) bool { return strings.HasPrefix(symptom, reason+":") }) {
			t.Errorf("the page of symptoms has no row that begins with %s", reason)
		}
	}
}

// explainedRuns renders the scenario, and returns what explain says of the last call of each step of the function.
func explainedRuns(t *testing.T, s scenario.Scenario, running *functions.Running) string {
	t.Helper()

	last := make(map[string]*fnv1.RunFunctionRequest)
	recorded := make(map[string]functions.Function)

	for name, f := range running.Functions {
		recorded[name] = functions.Func(func(ctx context.Context, req *fnv1.RunFunctionRequest) (*fnv1.RunFunctionResponse, error) {
			if name == functions.CloudTags {
				last[req.GetInput().String()] = proto.CloneOf(req)
			}

			return f.RunFunction(ctx, req)
		})
	}

	engine := scenario.BuiltIn{}
	if _, err := engine.Render(t.Context(), s, recorded); err != nil {
		t.Fatal(err)
	}

	out := &strings.Builder{}

	for _, req := range last {
		text, err := protojson.Marshal(req)
		if err != nil {
			t.Fatal(err)
		}

		said, err := running.Explain(t.Context(), bytes.NewReader(text), "--request", "-")
		if err != nil {
			t.Fatal(err, said)
		}

		out.WriteString(said)
	}

	return out.String()
}

// explainedLive returns what explain says of the resources of the scenario as they are in a cluster, if there are any.
func explainedLive(t *testing.T, s scenario.Scenario, running *functions.Running) string {
	t.Helper()

	observed := filepath.Join(s.Dir, "observed.yaml")
	if _, err := os.Stat(observed); err != nil {
		return ""
	}

	said, err := running.Explain(t.Context(), nil, "--composition", filepath.Join(s.Dir, "composition.yaml"), "--xr", filepath.Join(s.Dir, "xr.yaml"), "--rendered", observed)
	if err != nil {
		t.Fatal(err, said)
	}

	return said
}
