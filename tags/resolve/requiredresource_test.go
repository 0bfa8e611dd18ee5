package resolve_test

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"google.golang.org/protobuf/testing/protocmp"
	"pgregory.net/rapid"

	fnv1 "github.com/crossplane/function-sdk-go/proto/v1"

	"github.com/plexsphere/function-cloud-tags/input/v1beta1"
	"github.com/plexsphere/function-cloud-tags/tags"
	"github.com/plexsphere/function-cloud-tags/tags/object"
	"github.com/plexsphere/function-cloud-tags/tags/require"
	"github.com/plexsphere/function-cloud-tags/tags/resolve"
	"github.com/plexsphere/function-cloud-tags/tags/tagstest"
)

func observe(xr string) *fnv1.RunFunctionRequest { return request(tagstest.MustStructJSON(xr)) }

// fetch returns the objects that a selector selects.
func (c cluster) fetch(s *fnv1.ResourceSelector) *fnv1.Resources {
	out := &fnv1.Resources{}

	for _, o := range c.objects {
		if require.Selects(s, object.FromStruct(o)) {
			out.Items = append(out.Items, &fnv1.Resource{Resource: o})
		}
	}

	return out
}

// worldOf returns what the cases of a file in testdata read.
func worldOf(tb testing.TB, name string) world {
	tb.Helper()

	var f resolveFile

	tagstest.ReadYAML(tb, "testdata/"+name+".yaml", &f)

	return f.world
}

// plain returns a label without a key prefix.
func plain(key, value string, source int) tags.Label {
	return tags.Label{QualifiedKey: key, TagKey: key, Value: value, Source: from(source)}
}

// class returns an object with this kind and name. labels are JSON.
func class(kind, name, labels string) string {
	return fmt.Sprintf(`{
		"apiVersion": "classes.example.org/v1", "kind": %q, "metadata": {"name": %q, "labels": %s},
		"spec": {"provider": %[4]q, "tags": {"class": %[2]q}, "number": 1, "emptyProvider": ""}
	}`, kind, name, labels, strings.ToLower(strings.TrimSuffix(kind, "Class")))
}

// picked returns what Resolve should return if it picks the class, whose only label is its name.
func picked(kind, name, provider string) resolve.LabelSet {
	return resolve.LabelSet{
		Provider: provider,
		Labels:   []tags.Label{plain("class", name, 0)},
		Classes:  map[string]object.Object{"class": object.FromStruct(tagstest.MustStructJSON(class(kind, name, "{}")))},
	}
}

// TestClassInTime is about one composite resource while classes come, go and change
// their labels.
func TestClassInTime(t *testing.T) {
	steps := []struct {
		reason string

		// classes by their names. A - stands before classes with other labels.
		classes string

		// want is the class picked if the choice is recorded, and fresh if not. Empty
		// is none.
		want, fresh string

		// previous is the recorded class, if want takes its place.
		previous string
	}{
		{"Of two that match, the lowest name should be picked.", "m z -a", "m", "m", ""},
		{"The same should be picked again.", "z -a m", "m", "m", ""},
		{"A new class with a lower name should not take the place of the one picked.", "a m z", "m", "a", ""},
		{"If the one picked gets other labels, the lowest name that is left should be picked.", "z -m k", "k", "k", "m"},
		{"If the first one gets its labels back, the one picked meanwhile should stay.", "z m k", "k", "k", ""},
		{"If the one picked is deleted, the next lowest should be picked.", "z m", "m", "m", "k"},
		{"If it is deleted, too, the next lowest should be picked.", "z", "z", "z", "m"},
		{"If none is left, that should be a failure.", "-z", "", "", ""},
		{"If one is relabelled, it should be picked again.", "z", "z", "z", ""},
		{"If all are back, the one picked last should stay.", "a m z", "z", "a", ""},
	}

	const source = `"keyPrefix": "", "sources": [{
		"type": "RequiredResource", "name": "class", "pick": "One", "fromFieldPath": "spec.tags",
		"resource": {"apiVersion": "classes.example.org/v1", "kind": "AWSClass", "matchLabels": {"value": {"grade": "gold"}}}
	}]`

	check := func(t *testing.T, reason, want, previous string, got resolve.LabelSet, err error) {
		t.Helper()

		wantErr, wantSet := "", resolve.LabelSet{}

		if want == "" {
			wantErr = `cannot resolve sources[0] "class": there is no AWSClass (classes.example.org/v1) with the labels grade=gold`
		} else {
			wantSet = picked("AWSClass", want, "")
		}

		if previous != "" {
			wantSet.ClassChanges = []resolve.ClassChange{{
				Source: `sources[0] "class"`,
				From:   resolve.ClassRef{APIVersion: "classes.example.org/v1", Kind: "AWSClass", Name: previous},
				To:     resolve.ClassRef{APIVersion: "classes.example.org/v1", Kind: "AWSClass", Name: want},
			}}
		}

		if diff := cmp.Diff(wantErr, tagstest.Error(err)); diff != "" {
			t.Errorf("\n%s\nResolve(...): -want error, +got error:\n%s", reason, diff)
		}

		if diff := cmp.Diff(wantSet, got, asideFrom); diff != "" {
			t.Errorf("\n%s\nResolve(...): -want, +got:\n%s", reason, diff)
		}
	}

	status := `{}`

	for i, s := range steps {
		t.Run(strconv.Itoa(i), func(t *testing.T) {
			var classes cluster

			for name := range strings.FieldsSeq(s.classes) {
				labels := `{"grade": "gold"}`
				if strings.HasPrefix(name, "-") {
					labels = `{"grade": "silver"}`
				}

				classes.objects = append(classes.objects, tagstest.MustStructJSON(class("AWSClass", strings.TrimPrefix(name, "-"), labels)))
			}

			got, _, err := classes.reconcile(decode(t, `"statusFieldPath": "status.cloudTags", `+source), observe(`{"status": `+status+`}`))
			check(t, s.reason, s.want, s.previous, got, err)

			// A failure leaves the status as it was.
			if c, ok := got.Classes["class"]; ok {
				status = fmt.Sprintf(`{"cloudTags": {"classes": {"class": {"apiVersion": %q, "kind": %q, "name": %q}}}}`, object.APIVersion(c), object.Kind(c), object.Name(c))
			}

			got, _, err = classes.reconcile(decode(t, source), observe(`{}`))
			check(t, "Without a recorded choice, the lowest name should be picked.", s.fresh, "", got, err)
		})
	}
}

// TestPickIsNotRandom shuffles the objects, the kinds' answers and all maps a hundred
// times.
func TestPickIsNotRandom(t *testing.T) {
	const kinds = `"kinds": [{"apiVersion": "classes.example.org/v1", "kind": "AWSClass"}, {"apiVersion": "classes.example.org/v1", "kind": "GCPClass"}]`

	one := decode(t, `"keyPrefix": "", "sources": [{"type": "RequiredResource", "name": "class", "pick": "One", "fromFieldPath": "spec.tags", "resource": {`+kinds+`, "matchLabels": {"value": {"grade": "gold"}}}}]`)
	named := decode(t, `"keyPrefix": "", "sources": [{"type": "RequiredResource", "name": "class", "pick": "One", "fromFieldPath": "spec.tags", "resource": {`+kinds+`, "name": {"value": "gold"}}}]`)
	all := decode(t, `"keyPrefix": "", "sources": [{"type": "RequiredResource", "name": "class", "pick": "All", "fromFieldPath": "spec.tags", "resource": {"apiVersion": "classes.example.org/v1", "kind": "AWSClass", "matchLabels": {"value": {"grade": "gold"}}}}]`)

	merged := resolve.LabelSet{
		Labels:     []tags.Label{plain("class", "oro", 0)},
		Overridden: []tags.Label{plain("class", "argent", 0), plain("class", "gold", 0)},
	}

	ofName := picked("AWSClass", "gold", "")
	ofName.AmbiguousSources = []resolve.SourceNote{{Source: `sources[0] "class"`, Why: "AWSClass gold, GCPClass gold have the same name, and AWSClass gold is picked: with kindFieldPath, the composite resource can name the kind"}}

	objects := worldOf(t, "class").Objects

	rapid.Check(t, func(t *rapid.T) {
		shuffled := cluster{objects: rapid.Permutation(objects).Draw(t, "objects")}

		got, _, err := shuffled.reconcile(one, observe(`{}`))
		if diff := cmp.Diff(picked("AWSClass", "argent", ""), got, asideFrom); err != nil || diff != "" {
			t.Errorf("\nThe order of objects should not decide which one is picked.\nResolve(...): %v: -want, +got:\n%s", err, diff)
		}

		got, _, err = shuffled.reconcile(named, observe(`{}`))
		if diff := cmp.Diff(ofName, got, asideFrom); err != nil || diff != "" {
			t.Errorf("\nThe order of objects should not decide which kind is picked.\nResolve(...): %v: -want, +got:\n%s", err, diff)
		}

		got, _, err = shuffled.reconcile(all, observe(`{}`))
		if diff := cmp.Diff(merged, got, asideFrom); err != nil || diff != "" {
			t.Errorf("\nThe order of objects should not decide how they are merged.\nResolve(...): %v: -want, +got:\n%s", err, diff)
		}
	})
}

func TestWaiting(t *testing.T) {
	in := decode(t, `"keyPrefix": "", "statusFieldPath": "status.cloudTags", "sources": [
		{"type": "Value", "values": {"fixed": "f"}},
		{"type": "RequiredResource", "prefix": "tags.example.org/", "include": {"keys": ["company"]}, "resource": {"apiVersion": "platform.example.org/v1", "kind": "Organization", "name": {"fromFieldPath": "spec.organization"}}},
		{"type": "RequiredResource", "name": "class", "pick": "One", "fromFieldPath": "spec.tags", "providerFieldPath": "spec.provider", "resource": {
			"kinds": [{"apiVersion": "classes.example.org/v1", "kind": "AWSClass"}, {"apiVersion": "classes.example.org/v1", "kind": "GCPClass"}],
			"matchLabels": {"fromFieldPath": "spec.classSelector.matchLabels"}
		}}
	]`)

	w, bare := worldOf(t, "requiredresource"), tagstest.MustStructJSON(`{"apiVersion": "platform.example.org/v1", "kind": "Organization", "metadata": {"name": "bare"}}`)

	// call resolves for a request with these answers, and returns what it
	// requires, too.
	call := func(answers map[string]*fnv1.Resources) (resolve.LabelSet, bool, map[string]*fnv1.ResourceSelector) {
		req := request(w.Composite)
		req.RequiredResources = answers
		required := require.New(req)
		rsp := &fnv1.RunFunctionResponse{}

		set, err := resolve.Resolve(t.Context(), in, req, required, nil)
		if err != nil {
			t.Fatalf("\nWaiting is no failure.\nResolve(...): %v", err)
		}

		required.AddTo(rsp)

		return set, required.Waiting(), rsp.GetRequirements().GetResources()
	}

	_, waiting, want := call(nil)
	if !waiting || len(want) != 3 {
		t.Fatalf("\nThe first call should require an object and two kinds, and wait.\nResolve(...): waiting %t, requires %v", waiting, want)
	}

	objects := cluster{objects: slices.Concat(w.Objects, worldOf(t, "class").Objects)}
	names := slices.Sorted(maps.Keys(want))

	// Crossplane may answer any of them, and what it was asked for before.
	for answered := range 1 << len(names) {
		answers := map[string]*fnv1.Resources{
			"resource-0000000000000000": {Items: []*fnv1.Resource{{Resource: bare}}},
			"organization":              {Items: []*fnv1.Resource{{Resource: bare}}},
		}

		for i, n := range names {
			if answered&(1<<i) != 0 {
				answers[n] = objects.fetch(want[n])
			}
		}

		complete := len(answers) == 2+len(names)
		set, waiting, required := call(answers)

		if diff := cmp.Diff(want, required, protocmp.Transform()); diff != "" {
			t.Errorf("\nEvery call should require the same full set.\nResolve(...) with %d of %d answers: -want, +got:\n%s", len(answers)-2, len(names), diff)
		}

		if diff := cmp.Diff(!complete, waiting); diff != "" {
			t.Errorf("\nThe function should wait until all answers are here.\nResolve(...) with %d of %d answers: -want waiting, +got waiting:\n%s", len(answers)-2, len(names), diff)
		}

		if !complete {
			continue
		}

		wantSet := resolve.LabelSet{
			Provider: "gcp",
			Labels:   []tags.Label{plain("class", "argentum", 2), plain("company", "acme-corp", 1), plain("fixed", "f", 0)},
			Classes:  map[string]object.Object{"class": object.FromStruct(tagstest.MustStructJSON(class("GCPClass", "argentum", "{}")))},
		}
		if diff := cmp.Diff(wantSet, set, asideFrom); diff != "" {
			t.Errorf("\nWith all answers the set should be complete.\nResolve(...): -want, +got:\n%s", diff)
		}
	}

	// Absent and empty answers are not the same.
	for name := range want {
		answers := map[string]*fnv1.Resources{}
		for _, n := range names {
			answers[n] = objects.fetch(want[n])
		}

		answers[name] = nil
		req := request(w.Composite)
		req.RequiredResources = answers

		_, err := resolve.Resolve(t.Context(), in, req, require.New(req), nil)
		if want[name].GetKind() == "Organization" {
			if diff := cmp.Diff(`cannot resolve sources[1]: there is no Organization (platform.example.org/v1) named "acme"`, tagstest.Error(err)); diff != "" {
				t.Errorf("\nAn empty answer says that there is no such object.\nResolve(...): -want error, +got error:\n%s", diff)
			}
		} else if err != nil {
			t.Errorf("\nAn empty answer says that a class is of another kind.\nResolve(...): %v", err)
		}
	}
}

// TestNeverEverything draws selectors of all sorts. None but those for all objects may be
// without a name and without labels, since that would select everything.
func TestNeverEverything(t *testing.T) {
	values := rapid.SampledFrom([]string{`null`, `""`, `"x"`, `1`, `{}`, `{"a": "b"}`, `{"a": ""}`, `[]`})
	names := rapid.SampledFrom([]string{``, `, "name": {"value": "n"}`, `, "name": {"fromFieldPath": "spec.name"}`})
	matches := rapid.SampledFrom([]string{``, `, "matchLabels": {"value": {"a": "b"}}`, `, "matchLabels": {"fromFieldPath": "spec.labels"}`})
	defaults := rapid.SampledFrom([]string{``, `, "defaultMatchLabels": {"default": "true"}`})
	namespaces := rapid.SampledFrom([]string{``, `, "namespace": {"value": "n"}`, `, "namespace": {"fromFieldPath": "spec.namespace"}`})
	picks := rapid.SampledFrom([]string{"All", "One"})
	policies := rapid.SampledFrom([]string{"Optional", "Required"})

	rapid.Check(t, func(t *rapid.T) {
		j := fmt.Sprintf(`{"apiVersion": "cloudtags.fn.plexsphere.com/v1beta1", "kind": "CloudTags", "sources": [{
			"type": "RequiredResource", "name": "s", "prefix": "p/", "pick": %q, "policy": {"fromFieldPath": %q},
			"resource": {"apiVersion": "v1", "kind": "A"%s%s%s%s}
		}]}`, picks.Draw(t, "pick"), policies.Draw(t, "policy"), names.Draw(t, "name"), matches.Draw(t, "labels"), defaults.Draw(t, "default"), namespaces.Draw(t, "namespace"))

		in, err := v1beta1.Decode(tagstest.MustStructJSON(j))
		if err != nil {
			t.Skip("not a valid input")
		}

		req := observe(fmt.Sprintf(`{"spec": {"name": %s, "labels": %s, "namespace": %s}}`, values.Draw(t, "spec.name"), values.Draw(t, "spec.labels"), values.Draw(t, "spec.namespace")))
		required := require.New(req)
		rsp := &fnv1.RunFunctionResponse{}

		_, err = resolve.Resolve(t.Context(), in, req, required, nil)
		required.AddTo(rsp)

		if err != nil && required.Waiting() {
			t.Errorf("\nA selector that can't be told should not be asked for.\nResolve(...) of %s: %v", j, err)
		}

		if rsp.GetRequirements() != nil && len(rsp.GetRequirements().GetResources()) == 0 {
			t.Errorf("\nRequirements without anything required should be nil.\nResolve(...) of %s", j)
		}

		for _, s := range rsp.GetRequirements().GetResources() {
			if s.GetMatchName() == "" && len(s.GetMatchLabels().GetLabels()) == 0 {
				t.Errorf("\nA selector should have a name or labels.\nResolve(...) of %s: %v", j, s)
			}

			if s.Namespace != nil && s.GetNamespace() == "" {
				t.Errorf("\nA namespace that is empty should not be asked for.\nResolve(...) of %s: %v", j, s)
			}
		}
	})
}
