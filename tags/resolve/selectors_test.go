package resolve_test

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/types/known/structpb"
	"pgregory.net/rapid"

	fnv1 "github.com/crossplane/function-sdk-go/proto/v1"

	"github.com/plexsphere/function-cloud-tags/input/v1beta1"
	"github.com/plexsphere/function-cloud-tags/tags/require"
	"github.com/plexsphere/function-cloud-tags/tags/resolve"
	"github.com/plexsphere/function-cloud-tags/tags/tagstest"
)

// evil is the namespace of objects that nobody may trust.
const evil = "evil"

// A node is a source of a graph.
type node struct {
	level   int
	trusted bool
	list    bool
}

// read returns an expression of a string that reads the source s<i>, or nothing.
func (n node) read(i int) string {
	if n.list {
		return fmt.Sprintf("required.s%d[?0].?spec.?next", i)
	}

	return fmt.Sprintf("required.?s%d.?spec.?next", i)
}

// drawInput draws an input of sources that lead to one another, at most five levels deep. All are optional. A standard may
// have the first ones, and the fields. The standard is the only object of the cluster, and the first level.
func drawInput(t *rapid.T, fields string) (*v1beta1.CloudTags, cluster) {
	var (
		nodes   []node
		sources []string
	)

	extends := rapid.Bool().Draw(t, "extends")
	first := 1

	if extends {
		first = 2
	}

	for i := range rapid.IntRange(1, 9).Draw(t, "sources") {
		n := node{level: first, trusted: rapid.Bool().Draw(t, "trusted"), list: rapid.Bool().Draw(t, "list")}

		// text is the expression of a string that the source may read.
		text := func() string {
			may := []string{"'n0'", "'n1'", "xr.metadata.namespace"}
			if !n.trusted {
				may = append(may, "context.next", "xr.spec.next", "'"+evil+"'")
			}

			levels := map[string]int{}

			for j, before := range nodes {
				if before.level < v1beta1.MaxHops && (before.trusted || !n.trusted) {
					e := before.read(j)
					may, levels[e] = append(may, e, e), before.level
				}
			}

			e := rapid.SampledFrom(may).Draw(t, "expression")
			n.level = max(n.level, levels[e]+1)

			return e
		}

		var selects []string

		if n.list {
			maybe, e := "", text()
			if strings.HasPrefix(e, "required") {
				maybe = "?"
			}

			selects = append(selects, fmt.Sprintf(`"matchLabels": {"expression": %q}`, "{"+maybe+"'l': "+e+"}"))
		} else {
			selects = append(selects, fmt.Sprintf(`"name": {"expression": %q}`, text()))
		}

		if rapid.Bool().Draw(t, "namespaced") {
			selects = append(selects, fmt.Sprintf(`"namespace": {"expression": %q}`, text()))
		}

		from := ""
		if rapid.Bool().Draw(t, "labelled") {
			from = `"prefix": "p/", ` + drawInclude(t, n, nodes)
		}

		sources = append(sources, fmt.Sprintf(`{"type": "RequiredResource", "name": "s%d", "trusted": %t, %s"policy": {"fromFieldPath": "Optional"}, "resource": {"apiVersion": "a/v1", "kind": "K%d", %s}}`,
			i, n.trusted, from, rapid.IntRange(0, 2).Draw(t, "kind"), strings.Join(selects, ", ")))
		nodes = append(nodes, n)
	}

	c := cluster{}
	written := inputOf(fields, sources)

	if extends {
		standards := rapid.IntRange(0, len(sources)).Draw(t, "sources of the standard")
		c.objects = []*structpb.Struct{{Fields: map[string]*structpb.Value{
			"apiVersion": structpb.NewStringValue("a/v1"), "kind": structpb.NewStringValue("Standard"),
			"metadata": structpb.NewStructValue(tagstest.MustStructJSON(`{"name": "standard"}`)),
			"spec":     structpb.NewStructValue(inputOf(fields, sources[:standards])),
		}}}
		c.extending = inputOf(`"extends": {"apiVersion": "a/v1", "kind": "Standard", "name": "standard", "fromFieldPath": "spec"}, `, sources[standards:])
		written = c.extending
	}

	in, err := v1beta1.Decode(written)
	if err != nil {
		t.Fatalf("Decode(...): %v", err)
	}

	return in, c
}

// inputOf the fields and sources, if there are any.
func inputOf(fields string, sources []string) *structpb.Struct {
	if len(sources) > 0 {
		fields += fmt.Sprintf(`"sources": [%s], `, strings.Join(sources, ", "))
	}

	return tagstest.MustStructJSON(fmt.Sprintf(`{"apiVersion": %q, "kind": %q, %s"keyPrefix": ""}`, v1beta1.APIVersion, v1beta1.Kind, fields))
}

// drawInclude draws the include of n, which comes after the nodes before, with a comma. There may be none. Only trusted objects
// have the include of a trusted source.
func drawInclude(t *rapid.T, n node, before []node) string {
	may := []string{"", `"include": {"except": ["k1"]}, `}
	if !n.trusted {
		may = append(may, `"include": {"fromFieldPath": "spec.include"}, `, `"include": {"contextKey": "registry", "fromFieldPath": "include"}, `,
			`"include": {"expression": "xr.spec.include"}, `, `"include": {"expression": "context.registry.?include"}, `)
	}

	for j, other := range before {
		if other.trusted || !n.trusted {
			e := fmt.Sprintf(`"include": {"source": "s%d", "fromFieldPath": "spec.include"}, `, j)
			may = append(may, e, e, fmt.Sprintf(`"include": {"expression": %q}, `, strings.ReplaceAll(other.read(j), "next", "include")))
		}
	}

	return rapid.SampledFrom(may).Draw(t, "include")
}

// drawPatterns draws the field of an include, which may be null.
func drawPatterns(t *rapid.T) string {
	return rapid.SampledFrom([]string{`null`, `"*"`, `"k0"`, `["k1", "k2"]`, `{"k*": true, "k0": false}`, `{"k1": "false"}`, `"- k1\n- k0"`}).Draw(t, "patterns")
}

// drawObjects draws objects of the namespaces. Each has a label of its own.
func drawObjects(t *rapid.T, label string, namespaces, next []string) (out []*structpb.Struct) {
	for _, kind := range []string{"K0", "K1", "K2"} {
		for _, namespace := range namespaces {
			for _, name := range []string{"n0", "n1", "n2", evil} {
				if rapid.IntRange(0, 3).Draw(t, label) == 0 {
					continue
				}

				o := tagstest.MustStructJSON(fmt.Sprintf(`{"apiVersion": "a/v1", "kind": %q, "metadata": {"name": %q, "labels": {"l": %q, "p/%s": "%s/%s/%s"}}, "spec": {"next": %q, "include": %s}}`,
					kind, name, rapid.SampledFrom([]string{"n0", "n1", "n2"}).Draw(t, "l"), strings.ToLower(kind), namespace, name, label, rapid.SampledFrom(next).Draw(t, "next"), drawPatterns(t)))
				if namespace != "" {
					o.GetFields()["metadata"].GetStructValue().GetFields()["namespace"] = structpb.NewStringValue(namespace)
				}

				out = append(out, o)
			}
		}
	}

	return out
}

// drawRequest draws what the author of a composite resource, and the steps before, can write.
func drawRequest(t *rapid.T) *fnv1.RunFunctionRequest {
	next := rapid.SampledFrom([]string{"n0", "n1", "n2", evil})
	req := observe(fmt.Sprintf(`{"metadata": {"name": "x", "namespace": "n0"}, "spec": {"next": %q, "include": %s}}`, next.Draw(t, "spec.next"), drawPatterns(t)))
	req.Context = tagstest.MustStructJSON(fmt.Sprintf(`{"next": %q, "registry": {"include": %s}}`, next.Draw(t, "context.next"), drawPatterns(t)))

	return req
}

// TestSelectors draws sources that lead to one another while objects come and go.
func TestSelectors(t *testing.T) {
	everywhere := []string{"n0", "n1", "n2", evil}

	rapid.Check(t, func(t *rapid.T) {
		in, drawn := drawInput(t, "")
		req := drawRequest(t)

		for range 2 {
			c := cluster{extending: drawn.extending, objects: slices.Concat(drawn.objects, drawObjects(t, "objects", []string{"", "n0", "n1", evil}, everywhere))}

			fresh := proto.CloneOf(req)
			fresh.RequiredResources = nil

			want, calls, err := c.reconcile(in, fresh)
			if err != nil {
				t.Fatalf("\nWhat leads from one to the next should settle within six calls.\nResolve(...): %v", err)
			}

			for i := range calls[1:] {
				if isSuperset(calls[i+1].GetResources(), calls[i].GetResources()) {
					continue
				}

				t.Fatalf("\nA call should require what the one before did.\n-call %d, +call %d:\n%s", i, i+1, cmp.Diff(slices.Sorted(maps.Keys(calls[i].GetResources())), slices.Sorted(maps.Keys(calls[i+1].GetResources()))))
			}

			// The answers of the last reconcile may come first.
			got, stale, err := c.reconcile(in, req)
			if diff := cmp.Diff(want, got, asideFrom); err != nil || diff != "" {
				t.Fatalf("\nStale answers should not last.\nResolve(...): %v: -want, +got:\n%s", err, diff)
			}

			if diff := cmp.Diff(slices.Sorted(maps.Keys(calls[len(calls)-1].GetResources())), slices.Sorted(maps.Keys(stale[len(stale)-1].GetResources()))); diff != "" {
				t.Fatalf("\nThe last call should require the same, whatever was answered before.\nResolve(...): -want, +got:\n%s", diff)
			}

			if diff := cmp.Diff(want, arriving(t, in, fresh, c), asideFrom); diff != "" {
				t.Fatalf("\nThe order in which answers arrive should change nothing.\nResolve(...): -want, +got:\n%s", diff)
			}

			require.Answer(req, calls[len(calls)-1], c.objects)
		}
	})
}

// isSuperset reports whether all has every selector of part.
func isSuperset(all, part map[string]*fnv1.ResourceSelector) bool {
	for name, selector := range part {
		if !proto.Equal(selector, all[name]) {
			return false
		}
	}

	return true
}

// arriving resolves in while answers arrive one by one, in random order.
func arriving(t *rapid.T, in *v1beta1.CloudTags, req *fnv1.RunFunctionRequest, c cluster) resolve.LabelSet {
	req = proto.CloneOf(req)
	req.RequiredResources = make(map[string]*fnv1.Resources)

	for {
		required, rsp := require.New(req), &fnv1.RunFunctionResponse{}

		set, err := c.resolve(in, req, required)
		if err != nil {
			t.Fatalf("\nWaiting should be no failure.\nResolve(...): %v", err)
		}

		required.AddTo(rsp)

		var missing []string

		for _, name := range slices.Sorted(maps.Keys(rsp.GetRequirements().GetResources())) {
			if req.GetRequiredResources()[name] == nil {
				missing = append(missing, name)
			}
		}

		if required.Waiting() != (len(missing) > 0) {
			t.Fatalf("\nThe function should wait while an answer is missing.\nWaiting(): %t without %q", required.Waiting(), missing)
		}

		if len(missing) == 0 {
			return set
		}

		name := rapid.SampledFrom(missing).Draw(t, "arrives")
		req.RequiredResources[name] = c.fetch(rsp.GetRequirements().GetResources()[name])
	}
}

// TestSelectorsTrust changes everything that untrusted people may write: the composite resource but for its namespace, the context,
// and all objects of a namespace that no trusted source names. No trusted label should change.
func TestSelectorsTrust(t *testing.T) {
	good := []string{"n0", "n1", "n2"}

	rapid.Check(t, func(t *rapid.T) {
		in, drawn := drawInput(t, `"reservedKeys": ["*"], `)
		trusted := drawObjects(t, "trusted", []string{"", "n0", "n1"}, good)

		var sets []resolve.LabelSet

		for range 2 {
			c := cluster{extending: drawn.extending, objects: slices.Concat(drawn.objects, drawObjects(t, "untrusted", []string{evil}, append(good, evil)), trusted)}

			set, _, err := c.reconcile(in, drawRequest(t))
			if err != nil {
				t.Fatalf("Resolve(...): %v", err)
			}

			sets = append(sets, set)
		}

		if diff := cmp.Diff(sets[0].Labels, sets[1].Labels, asideFrom); diff != "" {
			t.Fatalf("\nNobody who isn't trusted should decide on trusted labels.\nResolve(...): -first, +second:\n%s", diff)
		}

		for _, l := range sets[0].Labels {
			if !l.Trusted || !strings.HasSuffix(l.Value, "/trusted") {
				t.Fatalf("\nOnly objects of trusted people should give reserved labels.\nResolve(...): %v", l)
			}
		}
	})
}
