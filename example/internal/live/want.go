package live

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	utiljson "k8s.io/apimachinery/pkg/util/json"
	"sigs.k8s.io/yaml"

	"github.com/plexsphere/function-cloud-tags/example/internal/process"
)

// Settled checks that nothing changes any more.
func (s *Stack) Settled() {
	s.T.Helper()
	s.Reconcile()

	before := s.Changes()
	versions := make(map[string]string)

	for name := range s.bases {
		versions[name] = s.Resource(name).GetResourceVersion()
	}

	s.Reconcile()
	s.Reconcile()

	if diff := cmp.Diff(before, s.Changes()); diff != "" {
		s.T.Errorf("changes that the function has logged: -before, +after:\n%s", diff)
	}

	for name, before := range versions {
		if after := s.Resource(name).GetResourceVersion(); before != after {
			s.T.Errorf("resource %s is written, although nothing changes", name)
		}
	}
}

// WantKept wants a composed resource to be as it was when the change has been made, and the
// XR has been reconciled since.
func (s *Stack) WantKept(name string, change func()) {
	s.T.Helper()

	before := s.Resource(name)

	change()
	s.Reconcile()

	if diff := cmp.Diff(before, s.Resource(name)); diff != "" {
		s.T.Errorf("-before, +after:\n%s", diff)
	}
}

// Want a value in a composed resource.
func (s *Stack) Want(name string, path []string, want any) {
	s.T.Helper()
	Eventually(s.T, func() error { return s.Objection(name, path, want) })
}

// WantNetwork wants the tags of the network, in any order.
func (s *Stack) WantNetwork(want ...string) {
	s.T.Helper()
	slices.Sort(want)
	Eventually(s.T, func() error {
		r, err := s.find("network")
		if err != nil {
			return err
		}

		got, _, err := unstructured.NestedStringSlice(r.Object, ofTags...)
		if err != nil {
			return err
		}

		return Differs(want, slices.Sorted(slices.Values(got)))
	})
}

// WantSoon wants a value in a composed resource that follows a change of another object: Crossplane
// may not have seen the change yet, and doesn't reconcile the XR for it.
func (s *Stack) WantSoon(name string, path []string, want any) {
	s.T.Helper()
	Eventually(s.T, func() error {
		s.Reconcile()
		return s.Objection(name, path, want)
	})
}

// WantConditionSoon is to WantCondition as WantSoon is to Want.
func (s *Stack) WantConditionSoon(condition, status, reason string) {
	s.T.Helper()
	Eventually(s.T, func() error {
		s.Reconcile()

		c := ConditionOf(s.Get(), condition)

		return Differs([]string{status, reason}, []string{c.Status, c.Reason})
	})
}

// Objection to a value in a composed resource, if it is another one.
func (s *Stack) Objection(name string, path []string, want any) error {
	r, err := s.find(name)
	if err != nil {
		return err
	}

	got, _, err := unstructured.NestedFieldNoCopy(r.Object, path...)
	if err != nil {
		return err
	}

	return Differs(want, got)
}

// WantCondition wants a status and a reason of a condition of the XR.
func (s *Stack) WantCondition(condition, status, reason string) {
	s.T.Helper()
	Eventually(s.T, func() error {
		c := ConditionOf(s.Get(), condition)
		return Differs([]string{status, reason}, []string{c.Status, c.Reason})
	})
}

// WantEvent wants an event of the XR that says all of these texts. It is to be asked for
// before the XR is reconciled many times: after 25 events of one object, client-go's recorder lets
// one through every five minutes, and loses the others.
func (s *Stack) WantEvent(severity string, says ...string) {
	s.T.Helper()
	Eventually(s.T, func() error {
		events, err := s.events(s.T.Context())
		if err != nil {
			return err
		}

		for _, e := range events {
			silent := func(text string) bool { return !strings.Contains(Field[string](&e, "message"), text) }
			if Field[string](&e, "type") == severity && !slices.ContainsFunc(says, silent) {
				return nil
			}
		}

		return fmt.Errorf("there is no event of type %s that says %q", severity, says)
	})
}

// WantChanges wants these log lines of a resource. One may be there more than
// once: Crossplane calls the function again before it knows what it has applied.
func (s *Stack) WantChanges(name string, want ...Change) {
	s.T.Helper()

	for i := range want {
		want[i].Resource = name
	}

	got := slices.DeleteFunc(s.Changes(), func(c Change) bool { return c.Resource != name })
	got = slices.CompactFunc(got, func(a, b Change) bool { return cmp.Equal(a, b) })

	if diff := cmp.Diff(want, got); diff != "" {
		s.T.Errorf("changes of %s: -want, +got:\n%s", name, diff)
	}
}

// Parse an object.
func Parse(t *testing.T, text string) *unstructured.Unstructured {
	t.Helper()

	o, err := parse(text)
	if err != nil {
		t.Fatal(err)
	}

	return o
}

func parse(text string) (*unstructured.Unstructured, error) {
	j, err := yaml.YAMLToJSONStrict([]byte(text))
	if err != nil {
		return nil, fmt.Errorf("cannot parse an object: %w", err)
	}

	// Whole numbers are such, as they are when the API server returns them.
	o := &unstructured.Unstructured{}
	if err := utiljson.Unmarshal(j, &o.Object); err != nil {
		return nil, fmt.Errorf("cannot parse an object: %w", err)
	}

	return o, nil
}

// Field returns the value at a path, or nothing if it isn't there.
func Field[T any](o *unstructured.Unstructured, path ...string) T {
	v, _, _ := unstructured.NestedFieldNoCopy(o.Object, path...)
	out, _ := v.(T)

	return out
}

// A Condition of an object's status.
type Condition struct {
	Status, Reason, Message string
	ObservedGeneration      int64
}

// ConditionOf returns an object's condition of a type, or nothing if it has none.
func ConditionOf(o *unstructured.Unstructured, typ string) Condition {
	for _, c := range Field[array](o, "status", "conditions") {
		c, _ := c.(object)
		if c["type"] != typ {
			continue
		}

		var out Condition

		out.Status, _ = c["status"].(string)
		out.Reason, _ = c["reason"].(string)
		out.Message, _ = c["message"].(string)
		out.ObservedGeneration, _ = c["observedGeneration"].(int64)

		return out
	}

	return Condition{}
}

// Differs is nil if two values are the same.
func Differs(want, got any) error {
	if diff := cmp.Diff(want, got); diff != "" {
		return errors.New("-want, +got:\n" + diff)
	}

	return nil
}

// Eventually waits until objection returns nil.
func Eventually(t *testing.T, objection func() error) {
	t.Helper()

	if err := process.Eventually(t.Context(), func(context.Context) error { return objection() }); err != nil {
		t.Fatal(err)
	}
}

type (
	object = map[string]any
	array  = []any
)
