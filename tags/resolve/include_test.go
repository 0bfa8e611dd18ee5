package resolve_test

import (
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"google.golang.org/protobuf/types/known/structpb"
	"pgregory.net/rapid"
	"sigs.k8s.io/yaml"

	"github.com/plexsphere/function-cloud-tags/input/v1beta1"
	"github.com/plexsphere/function-cloud-tags/tags/resolve"
	"github.com/plexsphere/function-cloud-tags/tags/tagstest"
)

// drawRegistry draws patterns, with true for keys to include. It also draws an object: its field registry has the patterns in some
// form.
func drawRegistry(t *rapid.T) (patterns map[string]bool, object string) {
	pattern := rapid.SampledFrom([]string{"a", "b", "a/b", "a/*", "a*", "b*", "*", "acme:a/b", "a b"})
	patterns = make(map[string]bool)

	var form any

	switch rapid.SampledFrom([]string{"absent", "null", "pattern", "list", "map"}).Draw(t, "form") {
	case "absent":
		return patterns, `{}`
	case "null":
		return patterns, `{"registry": null}`
	case "pattern":
		p := pattern.Draw(t, "pattern")
		return map[string]bool{p: true}, fmt.Sprintf(`{"registry": %q}`, p+rapid.SampledFrom([]string{"", "\n", " "}).Draw(t, "end"))
	case "list":
		list := rapid.SliceOfN(pattern, 0, 4).Draw(t, "list")
		for _, p := range list {
			patterns[p] = true
		}

		form = list
	default:
		fields := make(map[string]any)

		for p, included := range rapid.MapOfN(pattern, rapid.Bool(), 0, 4).Draw(t, "map") {
			patterns[p] = included
			fields[p] = rapid.SampledFrom([]any{included, strconv.FormatBool(included)}).Draw(t, "boolean")
		}

		form = fields
	}

	if rapid.Bool().Draw(t, "text") {
		text, err := rapid.SampledFrom([]func(any) ([]byte, error){json.Marshal, yaml.Marshal}).Draw(t, "format")(form)
		if err != nil {
			t.Fatal(err)
		}

		form = string(text)
	}

	text, err := json.Marshal(map[string]any{"registry": form})
	if err != nil {
		t.Fatal(err)
	}

	return patterns, string(text)
}

// TestInclude compares what sources include with the simplest way to tell it: a key is included if any pattern of any object
// that is true matches it, and none that is false does.
func TestInclude(t *testing.T) {
	keys := []string{"a", "b", "c", "a/b", "a/c", "acme:a/b", "a b", "*"}
	matches := func(pattern, key string) bool {
		start, isStart := strings.CutSuffix(pattern, "*")
		return pattern == key || isStart && strings.HasPrefix(key, start)
	}

	test := t
	rapid.Check(t, func(t *rapid.T) {
		include := rapid.SampledFrom([]string{
			`{"fromFieldPath": "spec.registry"}`, `{"contextKey": "k", "fromFieldPath": "spec.registry"}`, `{"source": "definitions", "fromFieldPath": "spec.registry"}`,
			`{"expression": "xr.spec.?registry"}`, `{"expression": "context.k.spec.?registry"}`, `{"expression": "required.definitions[0].spec.?registry"}`,
		}).Draw(t, "include")
		in := decode(test, fmt.Sprintf(`"keyPrefix": "", "sources": [
			{"type": "RequiredResource", "name": "definitions", "policy": {"fromFieldPath": "Optional"}, "resource": {"apiVersion": "a/v1", "kind": "A", "matchLabels": {"all": true}}},
			{"type": "Value", "values": {"%s": ""}, "include": %s}]`, strings.Join(keys, `": "", "`), include))

		var (
			objects []*structpb.Struct
			all     []map[string]bool
		)

		n := 1
		if strings.Contains(include, "source") {
			n = rapid.IntRange(0, 4).Draw(t, "objects")
		}

		for i := range n {
			patterns, form := drawRegistry(t)
			all = append(all, patterns)

			objects = append(objects, tagstest.MustStructJSON(fmt.Sprintf(`{"apiVersion": "a/v1", "kind": "A", "metadata": {"name": "%d"}, "spec": %s}`, i, form)))
		}

		req := observe(`{"metadata": {"name": "x"}}`)

		switch {
		case strings.Contains(include, "context"):
			req.Context = &structpb.Struct{Fields: map[string]*structpb.Value{"k": structpb.NewStructValue(objects[0])}}
		case !strings.Contains(include, "definitions"):
			req.Observed.Composite.Resource = objects[0]
		}

		want := []string{}

		for _, key := range slices.Sorted(slices.Values(keys)) {
			included, excluded := false, false

			for _, patterns := range all {
				for p, includes := range patterns {
					included, excluded = included || includes && matches(p, key), excluded || !includes && matches(p, key)
				}
			}

			if included && !excluded {
				want = append(want, key)
			}
		}

		for range 2 {
			set, _, err := cluster{objects: objects}.reconcile(in, req)
			if err != nil {
				t.Fatalf("Resolve(...): %v", err)
			}

			got := []string{}
			for _, l := range set.Labels {
				got = append(got, l.QualifiedKey)
			}

			if diff := cmp.Diff(want, got); diff != "" {
				t.Fatalf("\nThe source should include what any object includes and none excludes, in whatever order they arrive.\nResolve(...): -want, +got:\n%s", diff)
			}

			slices.Reverse(objects)
		}
	})
}

// drawKey draws the key of a label.
func drawKey(t *rapid.T) string {
	return rapid.SampledFrom([]string{"k0", "k1", "k2"}).Draw(t, "key")
}

// drawPattern draws the CEL of a pattern that somebody writes, who may not be trusted. No error tells whether there is one.
func drawPattern(t *rapid.T) string {
	return rapid.SampledFrom([]string{
		`'k1'`, `xr.metadata.namespace`, `xr['metadata']['namespace']`, `required.hop[?0].?spec.?pattern.orValue('')`, `required['hop'].map(h, h.spec.pattern)[?0].orValue('')`,
		`xr.spec.pattern`, `[xr][0].spec.pattern`, `{'xr': xr}.xr.spec.pattern`, `xr.map(k, xr[k]).size() > 2 ? 'k1' : 'k2'`, `xr.metadata.name`, `[xr.metadata].map(xr, xr.name)[0]`,
		`context.k.spec.pattern`, `required.?class.?spec.?pattern.orValue('')`, `required[xr.metadata.namespace == 'n0' ? 'class' : 'hop'].spec.pattern`, `required.map(k, k)[?1].orValue('')`,
	}).Draw(t, "pattern")
}

// TestIncludeTrust lets hostile people write the composite resource, the context and objects that aren't trusted. If an input
// is admitted, none of that should decide on trusted labels.
func TestIncludeTrust(t *testing.T) {
	admitted, refused := 0, 0

	rapid.Check(t, func(t *rapid.T) {
		trusted := rapid.Bool().Draw(t, "trusted hop")
		include := rapid.SampledFrom([]string{
			`{"keys": ["a*"]}`, `{"fromFieldPath": "spec.include"}`, `{"contextKey": "k", "fromFieldPath": "spec.include"}`, `{"source": "hop", "fromFieldPath": "spec.include"}`, `{"source": "class", "fromFieldPath": "spec.include"}`,
			`{"expression": "` + drawPattern(t) + `"}`, fmt.Sprintf(`{"expression": "[?optional.ofNonZeroValue(%s), ?optional.ofNonZeroValue(%s)]"}`, drawPattern(t), drawPattern(t)),
		}).Draw(t, "include")

		in, err := v1beta1.Decode(tagstest.MustStructJSON(fmt.Sprintf(`{"apiVersion": %q, "kind": %q, "keyPrefix": "", "reservedKeys": ["*"], "sources": [
			{"type": "RequiredResource", "name": "hop", "trusted": %t, "policy": {"fromFieldPath": "Optional"}, "resource": {"apiVersion": "a/v1", "kind": "A", "matchLabels": {"value": {"k0": "k0"}}}},
			{"type": "RequiredResource", "name": "class", "pick": "One", "policy": {"fromFieldPath": "Optional"}, "resource": {"apiVersion": "a/v1", "kind": "A", "name": {"fromFieldPath": "spec.class"}, "namespace": {"value": %q}}},
			{"type": "Value", "trusted": true, "values": {"k0": "1", "k1": "2", "k2": "3"}, "include": %s}]}`, v1beta1.APIVersion, v1beta1.Kind, trusted, evil, include)))
		if err != nil {
			refused++
			return
		}

		admitted++

		var sets []resolve.LabelSet

		object := func(name, namespace string) *structpb.Struct {
			return tagstest.MustStructJSON(fmt.Sprintf(`{"apiVersion": "a/v1", "kind": "A", "metadata": {"name": %q, "namespace": %q, "labels": {"k0": "k0"}}, "spec": {"include": %s, "pattern": %q}}`, name, namespace, drawPatterns(t), drawKey(t)))
		}
		ours := object("ours", "")

		for range 2 {
			req := observe(fmt.Sprintf(`{"metadata": {"name": %q, "namespace": "n0"}, "spec": {"class": "theirs", "include": %s, "pattern": %q}}`, drawKey(t), drawPatterns(t), drawKey(t)))
			req.Context = tagstest.MustStructJSON(fmt.Sprintf(`{"k": {"spec": {"include": %s, "pattern": %q}}}`, drawPatterns(t), drawKey(t)))

			set, _, err := cluster{objects: []*structpb.Struct{ours, object("theirs", evil)}}.reconcile(in, req)
			if err != nil {
				t.Fatalf("Resolve(...): %v", err)
			}

			sets = append(sets, set)
		}

		if diff := cmp.Diff(sets[0].Labels, sets[1].Labels, asideFrom); diff != "" {
			t.Fatalf("\nNobody who isn't trusted should decide which trusted labels are included.\nResolve(...): -first, +second:\n%s", diff)
		}
	})

	if admitted == 0 || refused == 0 {
		t.Errorf("\nSome inputs should be admitted, and others refused.\nDecode(...): %d admitted, %d refused", admitted, refused)
	}
}
