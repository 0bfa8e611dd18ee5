package tests

import (
	"maps"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/yaml"

	"github.com/plexsphere/function-cloud-tags/example/internal/live"
	"github.com/plexsphere/function-cloud-tags/tags/tagstest"
)

// stories is the folder of the live tests that are lists of steps, and of the resources that they compose.
var stories = filepath.Join("testdata", "live")

// A liveStep has actions and the values that are wanted then. Each action is done, and each value is wanted, in the order of
// these fields.
type liveStep struct {
	// Apply objects, as somebody else who has nothing to do with Crossplane.
	Apply []object `json:"apply"`

	// Stack is the name of a new stack, to which the following steps belong. Its XR is cluster-scoped
	// if it is Legacy. Input has the labels of the field spec.labels, unless it has sources.
	Stack     string   `json:"stack"`
	Legacy    bool     `json:"legacy"`
	Resources []string `json:"resources"`
	Input     object   `json:"input"`

	// Keeps is the name of a resource that stays as it is throughout the step.
	Keeps string `json:"keeps"`

	// Metadata has labels of the XR itself. Label has the labels in its field.
	Metadata *map[string]string `json:"metadata"`
	Label    *object            `json:"label"`

	// Tag resources as another system does, Write their specs and Observe their cloud as their
	// providers do. Repeat repeats these until the wanted values are there: a run that has begun
	// before doesn't know of them.
	Tag     map[string]object `json:"tag"`
	Write   map[string]object `json:"write"`
	Observe map[string]object `json:"observe"`
	Repeat  bool              `json:"repeat"`

	// Want values of resources, by path. With Soon, they follow a change of another object.
	Want map[string]map[string]any `json:"want"`
	Soon bool                      `json:"soon"`

	// Network has the tags of the resource of this name, in any order.
	Network []string `json:"network"`

	// Owners of fields of resources, by path.
	Owners map[string]map[string]live.Owners `json:"owners"`

	// Condition has a status and a reason each. Event has a type, and texts that one event says.
	Condition map[string]string `json:"condition"`
	Event     []string          `json:"event"`

	// Status is the field status.cloudTags of the XR.
	Status object `json:"status"`

	// Changes that the function has logged.
	Changes map[string][]live.Change `json:"changes"`

	// Settled says that nothing changes any more.
	Settled bool `json:"settled"`

	// Counted are series that aren't 0.
	Counted []string `json:"counted"`
}

// story of the name, whose steps are in a file.
func story(tb testing.TB, name string) (steps []liveStep) {
	tb.Helper()
	tagstest.ReadYAML(tb, filepath.Join(stories, name+".yaml"), &steps)

	return steps
}

// TestStories tests the files of live tests with steps: each can be read, names known resources, and is a row of
// the table.
func TestStories(t *testing.T) {
	t.Parallel()

	want := []string{"resources"}

	for _, test := range liveTests {
		if test.run != nil {
			continue
		}

		want = append(want, test.name)

		for _, s := range story(t, test.name) {
			s.compose(t)
		}
	}

	files, err := filepath.Glob(filepath.Join(stories, "*.yaml"))
	if err != nil {
		t.Fatal(err)
	}

	for i, file := range files {
		files[i] = strings.TrimSuffix(filepath.Base(file), ".yaml")
	}

	if diff := cmp.Diff(want, files, cmpopts.SortSlices(strings.Compare)); diff != "" {
		t.Errorf("%s: -want, +got:\n%s", stories, diff)
	}
}

// play a live test whose steps are in a file.
func play(c live.Test, name string) {
	var s *live.Stack

	for _, step := range story(c.T, name) {
		for _, o := range step.Apply {
			c.Applied(&unstructured.Unstructured{Object: o})
		}

		if step.Stack != "" {
			newStack := c.NewStack
			if step.Legacy {
				newStack = c.NewLegacyStack
			}

			resources, input := step.compose(c.T)
			s = newStack(step.Stack, resources, input)
		}

		switch {
		case step.Keeps != "":
			s.WantKept(step.Keeps, func() { step.play(s) })
		case s != nil:
			step.play(s)
		}
	}
}

// compose returns the resources and the input of the step's stack, in YAML.
func (step *liveStep) compose(tb testing.TB) (resources, input string) {
	tb.Helper()

	in := object{"sources": array{object{"type": "CompositeField", "fromFieldPath": "spec.labels"}}}
	maps.Copy(in, step.Input)

	text := marshal(tb, in)

	return bases(step.Resources...), text
}

// bases of resources that tests compose, by what these call them: a list in YAML.
func bases(names ...string) string {
	var (
		all map[string][]object
		out []object
	)

	if err := yaml.Unmarshal(resourcesFile, &all); err != nil {
		panic(err)
	}

	for _, name := range names {
		if all[name] == nil {
			panic("there are no resources " + name)
		}

		out = append(out, all[name]...)
	}

	text, err := yaml.Marshal(out)
	if err != nil {
		panic(err)
	}

	return string(text)
}

// play the step on its stack.
func (step *liveStep) play(s *live.Stack) {
	if step.Metadata != nil {
		s.XR.SetLabels(*step.Metadata)
	}

	if step.Label != nil {
		s.Label(*step.Label)
	}

	if step.Repeat {
		live.Eventually(s.T, func() error {
			step.change(s)
			s.Reconcile()

			return step.objection(s)
		})
	} else {
		step.change(s)
	}

	for name, fields := range step.Want {
		for path, want := range fields {
			if step.Soon {
				s.WantSoon(name, pathOf(path), want)
			} else {
				s.Want(name, pathOf(path), want)
			}
		}
	}

	if step.Network != nil {
		s.WantNetwork(step.Network...)
	}

	for name, fields := range step.Owners {
		for path, want := range fields {
			s.WantOwners(name, pathOf(path), want)
		}
	}

	step.wantSaid(s)
}

// change the resources of the stack, as others do.
func (step *liveStep) change(s *live.Stack) {
	for _, others := range []struct {
		by      func(string, object)
		changes map[string]object
	}{{s.Tag, step.Tag}, {s.Write, step.Write}, {s.Observe, step.Observe}} {
		for name, change := range others.changes {
			others.by(name, change)
		}
	}
}

// objection returns an error if the resources haven't the wanted values.
func (step *liveStep) objection(s *live.Stack) error {
	for name, fields := range step.Want {
		for path, want := range fields {
			if err := s.Objection(name, pathOf(path), want); err != nil {
				return err
			}
		}
	}

	return nil
}

// wantSaid wants the step's condition, event, status, log lines and metrics.
func (step *liveStep) wantSaid(s *live.Stack) {
	for condition, want := range step.Condition {
		status, reason, _ := strings.Cut(want, " ")
		s.WantCondition(condition, status, reason)
	}

	if step.Event != nil {
		s.WantEvent(step.Event[0], step.Event[1:]...)
	}

	if step.Status != nil {
		if err := live.Differs(step.Status, live.Field[object](s.Get(), "status", "cloudTags")); err != nil {
			s.T.Errorf("status: %v", err)
		}
	}

	for name, changes := range step.Changes {
		s.WantChanges(name, changes...)
	}

	if step.Settled {
		s.Settled()
	}

	for _, series := range step.Counted {
		metrics, err := s.Metrics(s.T.Context())
		if err != nil {
			s.T.Fatal(err)
		}

		_, rest, _ := strings.Cut(metrics, "\n"+series+" ")
		if value, _, _ := strings.Cut(rest, "\n"); value == "" || value == "0" {
			s.T.Errorf("the metric %s is %q", series, value)
		}
	}
}

// pathOf fields that are separated by dots. The last one may be in brackets.
func pathOf(path string) []string {
	path, last, keyed := strings.Cut(path, "[")

	fields := strings.Split(path, ".")
	if keyed {
		fields = append(fields, strings.TrimSuffix(last, "]"))
	}

	return fields
}
