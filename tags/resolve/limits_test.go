package resolve_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"google.golang.org/protobuf/types/known/structpb"

	"github.com/plexsphere/function-cloud-tags/input/v1beta1"
	"github.com/plexsphere/function-cloud-tags/tags/object"
	"github.com/plexsphere/function-cloud-tags/tags/resolve"
	"github.com/plexsphere/function-cloud-tags/tags/tagstest"
)

// TestLimits is about what the author of a composite resource may make long.
func TestLimits(t *testing.T) {
	objectOf := func(start string, from, n int) string {
		out := make([]string, n)
		for i := range out {
			out[i] = fmt.Sprintf("%q: \"x\"", fmt.Sprintf("%s%05d", start, from+i))
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
		// surplus is how many labels are skipped without a name, at most.
		surplus int
		err     string
	}{
		"Most":     {reason: "A thousand labels have room.", input: oneField, xr: xr(`"a": ` + objectOf("a", 0, 1000)), labels: 1000},
		"One more": {reason: "One more is skipped, and stops nothing.", input: oneField, xr: xr(`"a": ` + objectOf("a", 0, 1001)), labels: 1000, surplus: 1},
		"Huge":     {reason: "However many there are.", input: oneField, xr: xr(`"a": ` + objectOf("a", 0, 3000)), labels: 1000, surplus: 2000},
		"Trusted": {
			reason: "Labels of trusted sources stay, whatever their keys are.",
			input:  strings.Replace(twoFields, `"name": "more"`, `"name": "more", "trusted": true`, 1),
			xr:     xr(`"a": ` + objectOf("a", 0, 1000) + `, "b": ` + objectOf("b", 0, 300)), labels: 1000, surplus: 300,
		},
		"TooManyTrusted": {
			reason: "No label of a trusted source is left out in silence.",
			input:  strings.Replace(twoFields, `"name": "more"`, `"name": "more", "trusted": true`, 1),
			xr:     xr(`"a": ` + objectOf("a", 0, 10) + `, "b": ` + objectOf("b", 0, 1001)),
			err:    `there are 1001 labels of trusted sources, and at most 1000 are allowed: sources[1] "more" has the most, 1001: narrow its include`,
		},
		"SameKeys": {reason: "Keys are counted once, after merging.", input: twoFields, xr: xr(`"a": ` + objectOf("a", 0, 1000) + `, "b": ` + objectOf("a", 500, 500)), labels: 1000},
		"SameKeysBeyond": {
			reason: "Nobody keeps the keys that each source has beyond its bound, so that they count twice.",
			input:  twoFields,
			xr:     xr(`"a": ` + objectOf("a", 0, 3000) + `, "b": ` + objectOf("a", 0, 3000)), labels: 1000, surplus: 3999,
		},
		"Together": {
			reason: "All sources are counted together.",
			input:  twoFields,
			xr:     xr(`"a": ` + objectOf("a", 0, 100) + `, "b": ` + objectOf("b", 0, 901)), labels: 1000, surplus: 1,
		},
		"Include": {reason: "What isn't included is not counted.", input: `"sources": [{"type": "CompositeField", "fromFieldPath": "spec.a", "include": {"keys": ["a0000*"]}}]`, xr: xr(`"a": ` + objectOf("a", 0, 3000)), labels: 10},
		"Denied": {
			reason: "Labels that may not have their reserved keys leave all places to the others, and have no more places themselves.",
			input:  `"reservedKeys": ["a*"], ` + twoFields, xr: xr(`"a": ` + objectOf("a", 0, 1002) + `, "b": ` + objectOf("b", 0, 1000)), labels: 1000, surplus: 2,
		},
		"Patterns": {reason: "A thousand patterns are no failure, and those of the input don't count.", input: fields, xr: xr(`"a": ` + list(500) + `, "b": ` + objectOf("b", 0, 500))},
		"MorePattern": {
			reason: "One more is, and the largest list is named.",
			input:  fields,
			xr:     xr(`"a": ` + list(500) + `, "b": ` + objectOf("b", 0, 501)),
			err:    "there are 1001 patterns of keys in fields and expressions, and at most 1000 are allowed: removeTags[0] has the most, 501: shorten the list that it reads",
		},
		"LongText": {
			reason: "A text takes longer to read than a list.",
			input:  `"sources": [{"type": "CompositeField", "fromFieldPath": "spec.a", "include": {"fromFieldPath": "spec.b"}}]`,
			xr:     xr(`"a": {}, "b": "` + strings.Repeat(`- k\n`, 20_000) + `"`),
			err:    "cannot resolve sources[0]: cannot tell which labels to include: spec.b is a text of 79999 bytes, and patterns in YAML may have at most 65536: write a list or map without quotes around it",
		},
		"Aliases": {
			reason: "A short text of aliases may stand for gigabytes.",
			input:  `"sources": [{"type": "CompositeField", "fromFieldPath": "spec.a", "include": {"fromFieldPath": "spec.b"}}]`,
			xr:     xr(`"a": {}, "b": "a: &a ` + strings.Repeat("x", 40<<10) + `\nb: &b [` + strings.Repeat("*a, ", 100) + `]\nc: [` + strings.Repeat("*b, ", 100) + `]\n"`),
			err:    `cannot resolve sources[0]: cannot tell which labels to include: spec.b: line 1 has an anchor of YAML, and neither anchors nor aliases are allowed: write the value out each time, or quote what begins with & or *, such as the pattern "*"`,
		},
		"Star": {
			reason: "A pattern of * alone is an alias without a name, and what to write is said.",
			input:  `"sources": [{"type": "CompositeField", "fromFieldPath": "spec.a", "include": {"fromFieldPath": "spec.b"}}]`,
			xr:     xr(`"a": {}, "b": "- a/*\n- *\n"`),
			err:    `cannot resolve sources[0]: cannot tell which labels to include: spec.b: it is no YAML: yaml: line 2: did not find expected alphabetic or numeric character: quote what begins with & or *, such as the pattern "*"`,
		},
		"TextOfMost": {
			reason: "What a text holds counts as what a list does.",
			input:  `"sources": [{"type": "CompositeField", "fromFieldPath": "spec.a", "include": {"fromFieldPath": "spec.b"}}]`,
			xr:     xr(`"a": {}, "b": "` + strings.Repeat(`- k\n`, 1001) + `"`),
			err:    "there are 1001 patterns of keys in fields and expressions, and at most 1000 are allowed: include of sources[0] has the most, 1001: shorten the list that it reads",
		},
		"Includes": {
			reason: "The patterns of an include are patterns from a field, too.",
			input:  `"sources": [{"type": "CompositeField", "fromFieldPath": "spec.a", "include": {"fromFieldPath": "spec.b"}}]`,
			xr:     xr(`"a": {}, "b": ` + list(1001)),
			err:    "there are 1001 patterns of keys in fields and expressions, and at most 1000 are allowed: include of sources[0] has the most, 1001: shorten the list that it reads",
		},
		"Expressions": {
			reason: "So are patterns that an expression computes, and each source that computes the same counts once.",
			input: `"sources": [{"type": "CompositeField", "fromFieldPath": "spec.a", "include": {"expression": "xr.spec.b.map(p, p)"}},
				{"type": "CompositeField", "fromFieldPath": "spec.a", "include": {"expression": "xr.spec.b.map(p, p)"}}, {"type": "CompositeField", "fromFieldPath": "spec.a", "include": {"expression": "xr.spec.b"}}]`,
			xr:  xr(`"a": {}, "b": ` + list(501)),
			err: "there are 1002 patterns of keys in fields and expressions, and at most 1000 are allowed: include of sources[0] has the most, 501: shorten the list that it reads",
		},
	}

	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			set, _, err := cluster{}.reconcile(decode(t, tc.input), observe(tc.xr))
			if diff := cmp.Diff(tc.err, tagstest.Error(err)); diff != "" {
				t.Errorf("\n%s\nResolve(...): -want error, +got error:\n%s", tc.reason, diff)
			}

			if got := [2]int{len(set.Labels), set.Surplus()}; got != [2]int{tc.labels, tc.surplus} {
				t.Errorf("\n%s\nResolve(...): want %d labels and a surplus of %d, got %v", tc.reason, tc.labels, tc.surplus, got)
			}
		})
	}
}

// TestLimitOfTrustedKeys tests that no number of labels leaves out the key of a trusted label, even if a later label has won over the label.
func TestLimitOfTrustedKeys(t *testing.T) {
	labels := make([]string, 1000)
	for i := range labels {
		labels[i] = fmt.Sprintf("%q: \"x\"", fmt.Sprintf("a%04d", i))
	}

	const input = `"sources": [{"type": "Value", "trusted": true, "values": {"owner": "platform"}}, {"type": "CompositeField", "fromFieldPath": "spec.labels"}]`

	set, _, err := cluster{}.reconcile(decode(t, input), observe(`{"spec": {"labels": {"owner": "tenant", `+strings.Join(labels, ", ")+`}}}`))
	if err != nil {
		t.Fatal(err)
	}

	if last := set.Labels[len(set.Labels)-1]; len(set.Labels) != 1000 || last.QualifiedKey != "owner" || last.Value != "tenant" {
		t.Errorf("Resolve(...): want 1000 labels with owner: tenant, got %d labels, of which %s: %s is the last one", len(set.Labels), last.QualifiedKey, last.Value)
	}
}

// TestStandardLimits is about what the author of a standard may make long.
func TestStandardLimits(t *testing.T) {
	const limit = 256 << 10

	// written is a standard of so many bytes, as JSON, which is YAML.
	written := func(size int) string {
		head, tail := `{"apiVersion":"`+v1beta1.APIVersion+`","keyPrefix":"`, `","kind":"`+v1beta1.Kind+`"}`
		return head + strings.Repeat("x", size-len(head)-len(tail)) + tail
	}
	asObject := func(text string) *structpb.Value { return structpb.NewStructValue(tagstest.MustStructJSON(text)) }

	cases := map[string]struct {
		reason   string
		standard *structpb.Value
		err      string
	}{
		"Text":       {reason: "A text may have 256 KiB.", standard: structpb.NewStringValue(written(limit))},
		"LongText":   {reason: "A text may not have more.", standard: structpb.NewStringValue(written(limit + 1)), err: "spec of A standard has more than 262144 bytes, as text or as the JSON of an object"},
		"Object":     {reason: "The JSON of an object may have 256 KiB.", standard: asObject(written(limit))},
		"LongObject": {reason: "The JSON of an object may not have more.", standard: asObject(written(limit + 1)), err: "spec of A standard has more than 262144 bytes, as text or as the JSON of an object"},
		"Aliases": {
			reason:   "Aliases of aliases should never be expanded.",
			standard: structpb.NewStringValue("a: &a \"" + strings.Repeat("x", 40<<10) + "\"\nb: &b [" + strings.Repeat("*a, ", 100) + "]\nc: [" + strings.Repeat("*b, ", 100) + "]\n"),
			err:      `spec of A standard: line 1 has an anchor of YAML, and neither anchors nor aliases are allowed: write the value out each time, or quote what begins with & or *, such as the pattern "*"`,
		},
	}

	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			c := cluster{
				extending: inputOf(`"ignoreTags": [{"key": "a"}], "extends": {"apiVersion": "a/v1", "kind": "A", "name": "standard", "fromFieldPath": "spec"}, `, nil),
				objects:   []*structpb.Struct{tagstest.MustStructJSON(`{"apiVersion": "a/v1", "kind": "A", "metadata": {"name": "standard"}}`)},
			}
			c.objects[0].Fields["spec"] = tc.standard

			in, err := v1beta1.Decode(c.extending)
			if err != nil {
				t.Fatal(err)
			}

			_, _, err = c.reconcile(in, observe(`{}`))

			got := strings.TrimPrefix(tagstest.Error(err), "cannot resolve extends: ")
			if diff := cmp.Diff(tc.err, got); diff != "" {
				t.Errorf("\n%s\nExtend(...): -want error, +got error:\n%s", tc.reason, diff)
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

	set, _, err := cluster{}.reconcile(in, observe(`{"spec": {"a": {`+strings.Join(labels, ", ")+`}}}`))
	if err != nil {
		t.Fatal(err)
	}

	for _, tc := range []struct {
		name    string
		surplus int
	}{{"b", 0}, {"a", 1}} {
		resourceSet, err := set.PerResource.LabelSetOf(&resolve.ComposedResource{Name: tc.name, Desired: object.FromStruct(nil)})
		if got := [2]int{len(resourceSet.Labels), resourceSet.Surplus()}; err != nil || got != [2]int{1000, tc.surplus} {
			t.Errorf("\nA label more than a thousand is skipped on the resource %s.\nSet(...): want a surplus of %d, got %v (%v)", tc.name, tc.surplus, got, err)
		}
	}

	if set.Surplus() != 1 {
		t.Errorf("\nThe most of any resource should count.\nSurplus(): want 1, got %d", set.Surplus())
	}
}

// TestLimitOfResources is about labels of sources that are for some resources only.
func TestLimitOfResources(t *testing.T) {
	in := decode(t, `"sources": [{"type": "CompositeField", "fromFieldPath": "spec.a"}, {"type": "CompositeField", "fromFieldPath": "spec.b", "resources": [{"kind": "B"}]}]`)
	labels := func(start string) string {
		out := make([]string, 600)
		for i := range out {
			out[i] = fmt.Sprintf("%q: \"x\"", fmt.Sprintf("%s%03d", start, i))
		}

		return "{" + strings.Join(out, ", ") + "}"
	}

	set, _, err := cluster{}.reconcile(in, observe(fmt.Sprintf(`{"spec": {"a": %s, "b": %s}}`, labels("a"), labels("b"))))
	if err != nil {
		t.Fatalf("\nNo resource may have the labels of both.\nResolve(...): %v", err)
	}

	for selects, want := range map[bool][2]int{false: {600, 0}, true: {1000, 200}} {
		resourceSet, err := set.PerResource.LabelSetOf(&resolve.ComposedResource{Name: "r", Selects: func([]v1beta1.ResourceSelector) bool { return selects }})
		if got := [2]int{len(resourceSet.Labels), resourceSet.Surplus()}; err != nil || got != want {
			t.Errorf("\nA resource should have too many labels only if both sources are for it (%t).\nSet(...): want %v, got %v (%v)", selects, want, got, err)
		}
	}
}

// TestLimitOfSource is about a source for some resources only that has more labels than any set may have.
func TestLimitOfSource(t *testing.T) {
	labels := make([]string, 3000)
	for i := range labels {
		labels[i] = fmt.Sprintf("%q: \"x\"", fmt.Sprintf("b%04d", i))
	}

	input := `"reservedKeys": ["b0*"], "sources": [{"type": "CompositeField", "fromFieldPath": "spec.a"}, {"type": "CompositeField", "fromFieldPath": "spec.b", "resources": [{"kind": "B"}]%s}]`

	for trusted, want := range map[string]string{
		"": "", `, "trusted": true`: `cannot resolve the labels of composed resource "r": there are 1001 labels of trusted sources, and at most 1000 are allowed: sources[1] has the most, 1001: narrow its include`,
	} {
		set, _, err := cluster{}.reconcile(decode(t, fmt.Sprintf(input, trusted)), observe(`{"spec": {"a": {"a": "x"}, "b": {`+strings.Join(labels, ", ")+`}}}`))
		if err != nil {
			t.Fatal(err)
		}

		resourceSet, err := set.PerResource.LabelSetOf(&resolve.ComposedResource{Name: "r", Selects: func([]v1beta1.ResourceSelector) bool { return true }})
		if diff := cmp.Diff(want, tagstest.Error(err)); diff != "" {
			t.Errorf("\nLabels of trusted sources should not be left out in silence.\nSet(...): -want error, +got error:\n%s", diff)
		}

		// 1,000 labels begin with b0, which only trusted sources may set.
		if err == nil && (len(resourceSet.Labels) != 1000 || resourceSet.Labels[0].QualifiedKey != "a" || resourceSet.Labels[999].QualifiedKey != "b1998" || set.Surplus() != 1001) {
			t.Errorf("\nThe lowest keys should stay.\nSet(...): got %d labels up to %s and a surplus of %d", len(resourceSet.Labels), resourceSet.Labels[len(resourceSet.Labels)-1].QualifiedKey, set.Surplus())
		}
	}
}

// TestLimitOfRefusedLabels is about labels that no tag profile admits, such as values of 300 characters. If there are too many labels, these
// are left out first.
func TestLimitOfRefusedLabels(t *testing.T) {
	type labels struct {
		count         int
		prefix, value string
	}

	long := strings.Repeat("x", 300)
	const field, labelsOn = `"sources": [{"type": "CompositeField", "fromFieldPath": "spec.a"}]`, `"tagFields": [{"apiVersion": "*", "kind": "*", "fieldPath": "spec.labels", "shape": "Labels"}], `

	cases := map[string]struct {
		reason string
		input  string
		a, b   []labels
		want   string // The counts of labels by the first letters of their keys, and the surplus.
	}{
		"FirstKeys": {
			reason: "Labels that can be tags stay, although others have lower keys.",
			input:  field, a: []labels{{700, "a", long}, {700, "b", "x"}}, want: "300 a, 700 b, 400 left out",
		},
		"ManyOfOneObject": {
			reason: "However many others come before them in an object.",
			input:  field, a: []labels{{2500, "a", long}, {1200, "b", "x"}, {10, "c", long}}, want: "0 a, 1000 b, 2710 left out",
		},
		"NoOthers": {reason: "If there are no others, the lowest keys stay.", input: field, a: []labels{{1100, "a", long}}, want: "1000 a, 0 b, 100 left out"},
		"Room":     {reason: "All stay where there is room for all.", input: field, a: []labels{{500, "a", long}, {500, "b", "x"}}, want: "500 a, 500 b, 0 left out"},
		"Character": {
			reason: "No cloud admits a control character in a key.",
			input:  field, a: []labels{{700, "a\t", "x"}, {700, "b", "x"}}, want: "300 a, 700 b, 400 left out",
		},
		"OneCloud": {
			reason: "A label that a single cloud admits counts as all others: Azure admits keys of 512 characters.",
			input:  field, a: []labels{{700, "a" + long, "x"}, {700, "b", "x"}}, want: "700 a, 300 b, 400 left out",
		},
		"Format": {
			reason: "A key counts in the format that it has on a cloud.",
			input:  `"keyFormats": [{"provider": "aws", "replace": {"\t": "_"}}], ` + field, a: []labels{{700, "a\t", "x"}, {700, "b", "x"}}, want: "700 a, 300 b, 400 left out",
		},
		"Rules": {
			reason: "EC2 admits a % in keys by the cloud's own rules, and no cloud does by the contract's.",
			input:  `"profileRules": "Cloud", ` + field, a: []labels{{700, "a%", "x"}, {700, "b", "x"}}, want: "700 a, 300 b, 400 left out",
		},
		"Classifier": {
			reason: "A classifier is for labels of trusted sources only, on each cloud.",
			input:  `"keyPrefix": "", "resources": [{"matchCloudTags": {"a00000": "y"}}], ` + field, a: []labels{{1001, "a", "x"}}, want: "1000 a, 0 b, 1 left out",
		},
		"HandedOn": {
			reason: "A composed composite resource takes labels as they are, so none is left out first.",
			input:  labelsOn + field, a: []labels{{700, "a", long}, {700, "b", "x"}}, want: "700 a, 300 b, 400 left out",
		},
		"Trusted": {
			reason: "A trusted label stays, whether a cloud admits it or not: that it is skipped is told.",
			input:  `"sources": [{"type": "CompositeField", "fromFieldPath": "spec.a", "trusted": true}, {"type": "CompositeField", "fromFieldPath": "spec.b"}]`,
			a:      []labels{{700, "a", long}}, b: []labels{{700, "b", "x"}}, want: "700 a, 300 b, 400 left out",
		},
		"Resources": {
			reason: "So do labels for some resources only.",
			input:  `"sources": [{"type": "CompositeField", "fromFieldPath": "spec.a"}, {"type": "CompositeField", "fromFieldPath": "spec.b", "resources": [{"kind": "B"}]}]`,
			a:      []labels{{700, "a", long}}, b: []labels{{1500, "a1", long}, {700, "b", "x"}}, want: "300 a, 700 b, 1900 left out",
		},
		"Bound": {
			reason: "To judge a million labels would take minutes. The first thousands of labels that no cloud admits are left out, and the others count as all labels.",
			input:  field, a: []labels{{20_000, "a", long}, {700, "b", "x"}}, want: "1000 a, 0 b, 19700 left out",
		},
	}

	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			mapOf := func(all []labels) string {
				made := make(map[string]string)

				for _, l := range all {
					for i := range l.count {
						made[fmt.Sprintf("%s%05d", l.prefix, i)] = l.value
					}
				}

				text, err := json.Marshal(made)
				if err != nil {
					t.Fatal(err)
				}

				return string(text)
			}

			set, _, err := cluster{}.reconcile(decode(t, tc.input), observe(`{"spec": {"a": `+mapOf(tc.a)+`, "b": `+mapOf(tc.b)+`}}`))
			if err != nil {
				t.Fatal(err)
			}

			made := &set
			if set.PerResource != nil {
				if made, err = set.PerResource.LabelSetOf(&resolve.ComposedResource{Name: "r", Selects: func([]v1beta1.ResourceSelector) bool { return true }}); err != nil {
					t.Fatal(err)
				}
			}

			counts := make(map[byte]int)
			for _, l := range made.Labels {
				counts[l.QualifiedKey[0]]++
			}

			if got := fmt.Sprintf("%d a, %d b, %d left out", counts['a'], counts['b'], set.Surplus()); got != tc.want {
				t.Errorf("\n%s\nResolve(...): want %s, got %s", tc.reason, tc.want, got)
			}
		})
	}
}
