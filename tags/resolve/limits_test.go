package resolve_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/plexsphere/function-cloud-tags/input/v1beta1"
	"github.com/plexsphere/function-cloud-tags/tags/object"
	"github.com/plexsphere/function-cloud-tags/tags/resolve"
	"github.com/plexsphere/function-cloud-tags/tags/tagstest"
)

// TestLimits is about what the author of a composite resource may make long.
func TestLimits(t *testing.T) {
	objectOf := func(of string, from, n int) string {
		out := make([]string, n)
		for i := range out {
			out[i] = fmt.Sprintf("%q: \"x\"", fmt.Sprintf("%s%05d", of, from+i))
		}

		return "{" + strings.Join(out, ", ") + "}"
	}
	list := func(n int) string { return "[" + strings.TrimSuffix(strings.Repeat(`"a",`, n), ",") + "]" }
	xr := func(spec string) string { return `{"spec": {` + spec + `}}` }

	const (
		oneField  = `"sources": [{"type": "CompositeField", "fromFieldPath": "spec.a"}]`
		twoFields = `"sources": [{"type": "CompositeField", "fromFieldPath": "spec.a"}, {"type": "CompositeField", "name": "more", "fromFieldPath": "spec.b"}]`
		fields    = `"ignoreTags": [{"key": "a"}, {"fromFieldPath": "spec.a"}], "removeTags": [{"fromFieldPath": "spec.b"}]`
	)

	cases := map[string]struct {
		reason string
		input  string
		xr     string
		labels int
		err    string
	}{
		"Most":     {reason: "A thousand labels are no failure.", input: oneField, xr: xr(`"a": ` + objectOf("a", 0, 1000)), labels: 1000},
		"One more": {reason: "One more is, and its source is named.", input: oneField, xr: xr(`"a": ` + objectOf("a", 0, 1001)), err: "there are 1001 labels, and at most 1000 are allowed: sources[0] has the most, 1001: narrow its include"},
		"Huge":     {reason: "However many there are.", input: oneField, xr: xr(`"a": ` + objectOf("a", 0, 3000)), err: "there are 3000 labels, and at most 1000 are allowed: sources[0] has the most, 3000: narrow its include"},
		"SameKeys": {reason: "Keys are counted once, after merging.", input: twoFields, xr: xr(`"a": ` + objectOf("a", 0, 1000) + `, "b": ` + objectOf("a", 500, 500)), labels: 1000},
		"Together": {
			reason: "All sources are counted together, and the largest one is named.",
			input:  twoFields,
			xr:     xr(`"a": ` + objectOf("a", 0, 100) + `, "b": ` + objectOf("b", 0, 901)),
			err:    `there are 1001 labels, and at most 1000 are allowed: sources[1] "more" has the most, 901: narrow its include`,
		},
		"Include":  {reason: "What isn't included is not counted.", input: `"sources": [{"type": "CompositeField", "fromFieldPath": "spec.a", "include": {"keys": ["a0000*"]}}]`, xr: xr(`"a": ` + objectOf("a", 0, 3000)), labels: 10},
		"Claims":   {reason: "Labels that claim what they may not are counted, since each is skipped.", input: `"reservedKeys": ["a*"], ` + oneField, xr: xr(`"a": ` + objectOf("a", 0, 1001)), err: "there are 1001 labels, and at most 1000 are allowed: sources[0] has the most, 1001: narrow its include"},
		"Patterns": {reason: "A thousand patterns are no failure, and those of the input don't count.", input: fields, xr: xr(`"a": ` + list(500) + `, "b": ` + objectOf("b", 0, 500))},
		"MorePattern": {
			reason: "One more is, and the largest list is named.",
			input:  fields,
			xr:     xr(`"a": ` + list(500) + `, "b": ` + objectOf("b", 0, 501)),
			err:    "there are 1001 patterns of keys in fields, and at most 1000 are allowed: removeTags[0] has the most, 501: shorten the list that it reads",
		},
		"LongText": {
			reason: "A text takes longer to read than a list.",
			input:  `"sources": [{"type": "CompositeField", "fromFieldPath": "spec.a", "include": {"fromFieldPath": "spec.b"}}]`,
			xr:     xr(`"a": {}, "b": "` + strings.Repeat(`- k\n`, 20_000) + `"`),
			err:    "cannot resolve sources[0]: cannot tell which labels to include: spec.b is a text of 79999 bytes, and patterns in YAML may have at most 65536: write a list or map without quotes around it",
		},
		"TextOfMost": {
			reason: "What a text holds counts as what a list does.",
			input:  `"sources": [{"type": "CompositeField", "fromFieldPath": "spec.a", "include": {"fromFieldPath": "spec.b"}}]`,
			xr:     xr(`"a": {}, "b": "` + strings.Repeat(`- k\n`, 1001) + `"`),
			err:    "there are 1001 patterns of keys in fields, and at most 1000 are allowed: include of sources[0] has the most, 1001: shorten the list that it reads",
		},
		"Includes": {
			reason: "The patterns of an include are patterns from a field, too.",
			input:  `"sources": [{"type": "CompositeField", "fromFieldPath": "spec.a", "include": {"fromFieldPath": "spec.b"}}]`,
			xr:     xr(`"a": {}, "b": ` + list(1001)),
			err:    "there are 1001 patterns of keys in fields, and at most 1000 are allowed: include of sources[0] has the most, 1001: shorten the list that it reads",
		},
	}

	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			set, _, err := clusterOf().reconcile(decode(t, tc.input), observe(tc.xr))
			if diff := cmp.Diff(tc.err, tagstest.Error(err)); diff != "" {
				t.Errorf("\n%s\nResolve(...): -want error, +got error:\n%s", tc.reason, diff)
			}

			if len(set.Labels) != tc.labels {
				t.Errorf("\n%s\nResolve(...): want %d labels, got %d", tc.reason, tc.labels, len(set.Labels))
			}
		})
	}
}

// TestLimitPerResource is about labels of which only a composed resource tells.
func TestLimitPerResource(t *testing.T) {
	labels := make([]string, 1000)
	for i := range labels {
		labels[i] = fmt.Sprintf("%q: \"x\"", fmt.Sprintf("a%04d", i))
	}

	in := decode(t, `"sources": [{"type": "CompositeField", "fromFieldPath": "spec.a"}, {"type": "Expression", "expressions": {"a0000": "name", "b": "name == 'a' ? optional.of(name) : optional.none()"}}]`)

	set, _, err := clusterOf().reconcile(in, observe(`{"spec": {"a": {`+strings.Join(labels, ", ")+`}}}`))
	if err != nil {
		t.Fatal(err)
	}

	if _, err := set.PerResource.Set(&resolve.Composed{Name: "b", Desired: object.Tree(nil)}); err != nil {
		t.Errorf("\nA resource with a thousand labels is no failure.\nSet(...): %v", err)
	}

	want := `cannot resolve the labels of composed resource "a": there are 1001 labels, and at most 1000 are allowed: sources[0] has the most, 999: narrow its include`

	_, err = set.PerResource.Set(&resolve.Composed{Name: "a", Desired: object.Tree(nil)})
	if diff := cmp.Diff(want, tagstest.Error(err)); diff != "" {
		t.Errorf("\nA resource with one label more should be named.\nSet(...): -want error, +got error:\n%s", diff)
	}
}

// TestLimitOfResources is about labels of sources that are for some resources only.
func TestLimitOfResources(t *testing.T) {
	in := decode(t, `"sources": [{"type": "CompositeField", "fromFieldPath": "spec.a"}, {"type": "CompositeField", "fromFieldPath": "spec.b", "resources": [{"kind": "B"}]}]`)
	labels := func(of string) string {
		out := make([]string, 600)
		for i := range out {
			out[i] = fmt.Sprintf("%q: \"x\"", fmt.Sprintf("%s%03d", of, i))
		}

		return "{" + strings.Join(out, ", ") + "}"
	}

	set, _, err := clusterOf().reconcile(in, observe(fmt.Sprintf(`{"spec": {"a": %s, "b": %s}}`, labels("a"), labels("b"))))
	if err != nil {
		t.Fatalf("\nNo resource may have the labels of both.\nResolve(...): %v", err)
	}

	for selects, want := range map[bool]string{
		false: "",
		true:  `cannot resolve the labels of composed resource "r": there are 1200 labels, and at most 1000 are allowed: sources[0] has the most, 600: narrow its include`,
	} {
		_, err := set.PerResource.Set(&resolve.Composed{Name: "r", Selects: func([]v1beta1.ResourceSelector) bool { return selects }})
		if diff := cmp.Diff(want, tagstest.Error(err)); diff != "" {
			t.Errorf("\nA resource should have too many labels only if both sources are for it (%t).\nSet(...): -want error, +got error:\n%s", selects, diff)
		}
	}
}
