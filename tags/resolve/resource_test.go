package resolve_test

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/testing/protocmp"
	"google.golang.org/protobuf/types/known/structpb"
	"pgregory.net/rapid"

	fnv1 "github.com/crossplane/function-sdk-go/proto/v1"
	"github.com/crossplane/function-sdk-go/resource"

	"github.com/plexsphere/function-cloud-tags/input/v1beta1"
	"github.com/plexsphere/function-cloud-tags/tags"
	"github.com/plexsphere/function-cloud-tags/tags/require"
	"github.com/plexsphere/function-cloud-tags/tags/resolve"
)

// A cluster is the objects that Crossplane can fetch.
type cluster []*structpb.Struct

func clusterOf(objects ...string) cluster {
	c := make(cluster, len(objects))
	for i, o := range objects {
		c[i] = resource.MustStructJSON(o)
	}

	return c
}

// fetch what the supplied selector selects, in no order, as Crossplane does.
func (c cluster) fetch(s *fnv1.ResourceSelector) *fnv1.Resources {
	out := &fnv1.Resources{}

	for _, o := range c {
		if require.Selects(s, o) {
			out.Items = append(out.Items, &fnv1.Resource{Resource: o})
		}
	}

	return out
}

// observe returns a request of a Crossplane that says what it can do, with nothing
// but the supplied composite resource.
func observe(xr string) *fnv1.RunFunctionRequest {
	return &fnv1.RunFunctionRequest{
		Meta: &fnv1.RequestMeta{Capabilities: []fnv1.Capability{
			fnv1.Capability_CAPABILITY_CAPABILITIES,
			fnv1.Capability_CAPABILITY_REQUIRED_RESOURCES,
			fnv1.Capability_CAPABILITY_REQUIRED_SCHEMAS,
		}},
		Observed: &fnv1.State{Composite: &fnv1.Resource{Resource: resource.MustStructJSON(xr)}},
	}
}

// reconcile calls Resolve as often as Crossplane calls the function: until two calls
// in a row require the same. It returns what the last call returned, and what each
// has required.
func (c cluster) reconcile(in *v1beta1.CloudTags, req *fnv1.RunFunctionRequest) (resolve.Set, []*fnv1.Requirements, error) {
	const maxCalls = 6

	req = proto.CloneOf(req)
	calls := []*fnv1.Requirements{}

	var before *fnv1.Requirements

	for range maxCalls {
		required := require.New(req)
		rsp := &fnv1.RunFunctionResponse{}

		set, err := resolve.Resolve(context.Background(), in, req, required)
		if err != nil {
			return set, calls, err
		}

		required.AddTo(rsp)
		calls = append(calls, rsp.GetRequirements())

		if proto.Equal(before, rsp.GetRequirements()) {
			if required.Waiting() {
				return set, calls, fmt.Errorf("still waiting after %d calls", len(calls))
			}

			return set, calls, nil
		}

		before = rsp.GetRequirements()
		req.RequiredResources = make(map[string]*fnv1.Resources)
		req.ExtraResources = make(map[string]*fnv1.Resources) //nolint:staticcheck // What Crossplane before v2.2 answers.

		for name, s := range before.GetResources() {
			req.RequiredResources[name] = c.fetch(s)
		}

		for name, s := range before.GetExtraResources() { //nolint:staticcheck // See above.
			req.ExtraResources[name] = c.fetch(s) //nolint:staticcheck // See above.
		}
	}

	return resolve.Set{}, calls, fmt.Errorf("not settled after %d calls", maxCalls)
}

// selectors of the supplied requirements, sorted.
func selectors(r *fnv1.Requirements) []*fnv1.ResourceSelector {
	return slices.SortedFunc(maps.Values(r.GetResources()), func(a, b *fnv1.ResourceSelector) int {
		return strings.Compare(a.GetApiVersion()+a.GetKind()+a.GetMatchName(), b.GetApiVersion()+b.GetKind()+b.GetMatchName())
	})
}

// app is the composite resource of most cases about required resources.
const app = `{
	"apiVersion": "platform.example.org/v1",
	"kind": "App",
	"metadata": {"namespace": "team-a", "name": "shop"},
	"spec": {
		"organization": "acme",
		"other": "other",
		"empty": "",
		"null": null,
		"number": 1,
		"text": "text",
		"classRef": {"name": "silver"},
		"classSelector": {"matchLabels": {"grade": "gold", "region": "eu"}},
		"nothing": {},
		"badLabels": {"a": "b", "grade": 1},
		"classProvider": "hetzner"
	}
}`

// Objects that Crossplane can fetch. There are more of some kind than most cases
// match.
const (
	acme = `{
		"apiVersion": "platform.example.org/v1", "kind": "Organization",
		"metadata": {
			"name": "acme",
			"labels": {"tags.example.org/company": "acme-corp", "tags.example.org/team": "label", "tags.example.com/no": "x", "other": "y"},
			"annotations": {"tags.example.org/team": "an annotation", "tags.example.org/note": "a b", "example.org/no": "z"}
		},
		"spec": {"tags": {"from": "field"}, "numbers": {"a": "b", "n": 1}, "text": "t", "empty": {}, "json": {"a": "\"x\""}}
	}`
	bare = `{"apiVersion": "platform.example.org/v1", "kind": "Organization", "metadata": {"name": "bare"}}`

	namespaceTeamA = `{"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": "team-a", "labels": {"tags.example.org/zone": "a"}}}`
	namespaceTeamB = `{"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": "team-b", "labels": {"tags.example.org/zone": "b"}}}`

	configInPlatform = `{"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"namespace": "platform", "name": "tags", "labels": {"tags": "yes"}}, "data": {"who": "platform", "platform": "1"}}`
	configInTeamA    = `{"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"namespace": "team-a", "name": "tags", "labels": {"tags": "yes"}}, "data": {"who": "team-a", "team": "1"}}`
	configMore       = `{"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"namespace": "platform", "name": "more", "labels": {"tags": "yes"}}, "data": {"who": "more", "more": "1"}}`
	configOther      = `{"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"namespace": "platform", "name": "other", "labels": {"tags": "no"}}, "data": {"who": "other"}}`
)

// everything is all objects of the cases about required resources.
func everything() cluster {
	return clusterOf(namespaceTeamB, configInTeamA, configOther, configInPlatform, acme, bare, namespaceTeamA, configMore)
}

// byName returns a selector by name.
func byName(apiVersion, kind, name string, namespace ...string) *fnv1.ResourceSelector {
	s := &fnv1.ResourceSelector{ApiVersion: apiVersion, Kind: kind, Match: &fnv1.ResourceSelector_MatchName{MatchName: name}}
	if len(namespace) > 0 {
		s.Namespace = &namespace[0]
	}

	return s
}

// byLabels returns a selector by labels.
func byLabels(apiVersion, kind string, labels map[string]string, namespace ...string) *fnv1.ResourceSelector {
	s := &fnv1.ResourceSelector{ApiVersion: apiVersion, Kind: kind, Match: &fnv1.ResourceSelector_MatchLabels{MatchLabels: &fnv1.MatchLabels{Labels: labels}}}
	if len(namespace) > 0 {
		s.Namespace = &namespace[0]
	}

	return s
}

// plain returns a label whose tag key is its qualified key, which is what it is
// without a key prefix.
func plain(key, value string, source int) tags.Label {
	return tags.Label{QualifiedKey: key, TagKey: key, Value: value, Source: from(source)}
}

func TestRequiredResource(t *testing.T) {
	type want struct {
		set      resolve.Set
		required []*fnv1.ResourceSelector
		err      string
	}

	labels := func(l ...tags.Label) resolve.Set { return resolve.Set{Labels: l} }

	// organization returns a source that takes an organization by the supplied
	// fields.
	organization := func(fields string) string {
		return `"sources": [{"type": "RequiredResource", ` + fields + `}]`
	}

	const kind = `"apiVersion": "platform.example.org/v1", "kind": "Organization"`

	acmeByName := []*fnv1.ResourceSelector{byName("platform.example.org/v1", "Organization", "acme")}

	cases := map[string]struct {
		reason string
		input  string
		want   want
	}{
		// By name.
		"NameAndPrefix": {
			reason: "Labels and annotations with the prefix should be taken, without the prefix, and the annotation of a key that both have.",
			input:  organization(`"prefix": "tags.example.org/", "resource": {` + kind + `, "name": {"value": "acme"}}`),
			want: want{
				set:      labels(plain("company", "acme-corp", 0), plain("note", "a b", 0), plain("team", "an annotation", 0)),
				required: acmeByName,
			},
		},
		"NameFromField": {
			reason: "The name should be read from a field of the composite resource.",
			input:  organization(`"prefix": "tags.example.org/company", "resource": {` + kind + `, "name": {"fromFieldPath": "spec.organization"}}`),
			want:   want{set: labels(plain("", "acme-corp", 0)), required: acmeByName},
		},
		"MapField": {
			reason: "A map of the object should be taken, and no label or annotation.",
			input:  organization(`"fromFieldPath": "spec.tags", "resource": {` + kind + `, "name": {"value": "acme"}}`),
			want:   want{set: labels(plain("from", "field", 0)), required: acmeByName},
		},
		"EmptyMapField": {
			reason: "A map that is there and empty is a set without labels, though the field is required.",
			input:  organization(`"fromFieldPath": "spec.empty", "resource": {` + kind + `, "name": {"value": "acme"}}`),
			want:   want{required: acmeByName},
		},
		"NoPrefixedMetadata": {
			reason: "An object without labels and annotations is there, so it's a set without labels, though it is required.",
			input:  organization(`"prefix": "tags.example.org/", "resource": {` + kind + `, "name": {"value": "bare"}}`),
			want:   want{required: []*fnv1.ResourceSelector{byName("platform.example.org/v1", "Organization", "bare")}},
		},
		"Namespace": {
			reason: "A namespaced object should be looked for in its namespace only.",
			input:  organization(`"fromFieldPath": "data", "resource": {"apiVersion": "v1", "kind": "ConfigMap", "namespace": {"value": "platform"}, "name": {"value": "tags"}}`),
			want: want{
				set:      labels(plain("platform", "1", 0), plain("who", "platform", 0)),
				required: []*fnv1.ResourceSelector{byName("v1", "ConfigMap", "tags", "platform")},
			},
		},
		"NamespaceFromField": {
			reason: "The namespace should be read from a field of the composite resource.",
			input:  organization(`"fromFieldPath": "data", "resource": {"apiVersion": "v1", "kind": "ConfigMap", "namespace": {"fromFieldPath": "metadata.namespace"}, "name": {"value": "tags"}}`),
			want: want{
				set:      labels(plain("team", "1", 0), plain("who", "team-a", 0)),
				required: []*fnv1.ResourceSelector{byName("v1", "ConfigMap", "tags", "team-a")},
			},
		},
		"TheNamespaceItself": {
			reason: "A Namespace has a name and no namespace.",
			input:  organization(`"prefix": "tags.example.org/", "resource": {"apiVersion": "v1", "kind": "Namespace", "name": {"fromFieldPath": "metadata.namespace"}}`),
			want:   want{set: labels(plain("zone", "a", 0)), required: []*fnv1.ResourceSelector{byName("v1", "Namespace", "team-a")}},
		},
		"JSON": {
			reason: "Values of objects may be JSON, too.",
			input:  organization(`"fromFieldPath": "spec.json", "encoding": "JSON", "resource": {` + kind + `, "name": {"value": "acme"}}`),
			want:   want{set: labels(plain("a", "x", 0)), required: acmeByName},
		},
		"NoJSON": {
			reason: "A value that is not JSON should be named with its object.",
			input:  organization(`"prefix": "tags.example.org/", "encoding": "JSON", "resource": {` + kind + `, "name": {"value": "acme"}}`),
			want:   want{err: `cannot resolve sources[0]: cannot decode Organization acme metadata.labels[tags.example.org/company]: "acme-corp" is not JSON`},
		},
		"Include": {
			reason: "Patterns should match keys without the prefix of the source.",
			input:  organization(`"prefix": "tags.example.org/", "include": {"keys": ["comp*", "tags.example.org/*"]}, "resource": {` + kind + `, "name": {"value": "acme"}}`),
			want:   want{set: labels(plain("company", "acme-corp", 0)), required: acmeByName},
		},
		"TagKeys": {
			reason: "The keys of an object may be tag keys.",
			input:  organization(`"fromFieldPath": "spec.tags", "keyForm": "Tag", "resource": {` + kind + `, "name": {"value": "acme"}}`),
			want: want{
				set:      labels(tags.Label{QualifiedKey: "from", TagKey: "from", Value: "field", Unprefixed: true}),
				required: acmeByName,
			},
		},

		// By labels.
		"AllByLabels": {
			reason: "All objects that match should be merged in the order of namespace and name, a later one over an earlier one, and each override should be told.",
			input:  organization(`"fromFieldPath": "data", "resource": {"apiVersion": "v1", "kind": "ConfigMap", "matchLabels": {"value": {"tags": "yes"}}}`),
			want: want{
				set: resolve.Set{
					Labels: []tags.Label{plain("more", "1", 0), plain("platform", "1", 0), plain("team", "1", 0), plain("who", "team-a", 0)},
					Overridden: []resolve.Override{
						{Label: plain("who", "more", 0), By: from(0)},
						{Label: plain("who", "platform", 0), By: from(0)},
					},
				},
				required: []*fnv1.ResourceSelector{byLabels("v1", "ConfigMap", map[string]string{"tags": "yes"})},
			},
		},
		"AllByLabelsInNamespace": {
			reason: "Only the objects of the namespace should match.",
			input:  organization(`"fromFieldPath": "data", "pick": "All", "resource": {"apiVersion": "v1", "kind": "ConfigMap", "namespace": {"value": "platform"}, "matchLabels": {"value": {"tags": "yes"}}}`),
			want: want{
				set: resolve.Set{
					Labels:     []tags.Label{plain("more", "1", 0), plain("platform", "1", 0), plain("who", "platform", 0)},
					Overridden: []resolve.Override{{Label: plain("who", "more", 0), By: from(0)}},
				},
				required: []*fnv1.ResourceSelector{byLabels("v1", "ConfigMap", map[string]string{"tags": "yes"}, "platform")},
			},
		},
		"NoneByLabels": {
			reason: "If none matches, the failure should say what was looked for: kind, labels and namespace.",
			input:  organization(`"fromFieldPath": "data", "resource": {"apiVersion": "v1", "kind": "ConfigMap", "namespace": {"value": "team-b"}, "matchLabels": {"fromFieldPath": "spec.classSelector.matchLabels"}}`),
			want:   want{err: `cannot resolve sources[0]: there is no ConfigMap (v1) with the labels grade=gold,region=eu in the namespace "team-b"`},
		},

		// Wrong values.
		"NameNumber": {
			reason: "A number names nothing.",
			input:  organization(`"prefix": "p/", "policy": {"fromFieldPath": "Optional"}, "resource": {` + kind + `, "name": {"fromFieldPath": "spec.number"}}`),
			want:   want{err: "cannot resolve sources[0]: cannot tell the name: spec.number is a number, not a string"},
		},
		"NameThroughString": {
			reason: "A path through a string is a mistake, not an absent name.",
			input:  organization(`"prefix": "p/", "policy": {"fromFieldPath": "Optional"}, "resource": {` + kind + `, "name": {"fromFieldPath": "spec.text.name"}}`),
			want:   want{err: "cannot resolve sources[0]: cannot tell the name: spec.text is a string, not an object"},
		},
		"NamespaceNumber": {
			reason: "A number is no namespace.",
			input:  organization(`"prefix": "p/", "policy": {"fromFieldPath": "Optional"}, "resource": {` + kind + `, "namespace": {"fromFieldPath": "spec.number"}, "name": {"value": "acme"}}`),
			want:   want{err: "cannot resolve sources[0]: cannot tell the namespace: spec.number is a number, not a string"},
		},
		"LabelsString": {
			reason: "A string is no map of labels to match.",
			input:  organization(`"prefix": "p/", "policy": {"fromFieldPath": "Optional"}, "resource": {` + kind + `, "matchLabels": {"fromFieldPath": "spec.text"}}`),
			want:   want{err: "cannot resolve sources[0]: cannot tell the labels to match: spec.text is a string, not a map of strings"},
		},
		"LabelNumber": {
			reason: "A number is no value of a label to match.",
			input:  organization(`"prefix": "p/", "policy": {"fromFieldPath": "Optional"}, "resource": {` + kind + `, "matchLabels": {"fromFieldPath": "spec.badLabels"}}`),
			want:   want{err: "cannot resolve sources[0]: cannot tell the labels to match: spec.badLabels[grade] is a number, not a string"},
		},
		"LabelsThroughString": {
			reason: "A path through a string is a mistake, not absent labels.",
			input:  organization(`"prefix": "p/", "policy": {"fromFieldPath": "Optional"}, "resource": {` + kind + `, "matchLabels": {"fromFieldPath": "spec.text.labels"}}`),
			want:   want{err: "cannot resolve sources[0]: cannot tell the labels to match: spec.text is a string, not an object"},
		},
		"MapFieldNumber": {
			reason: "A value of the object that is no string should be named with the object, optional or not.",
			input:  organization(`"fromFieldPath": "spec.numbers", "policy": {"fromFieldPath": "Optional"}, "resource": {` + kind + `, "name": {"value": "acme"}}`),
			want:   want{err: "cannot resolve sources[0]: Organization acme spec.numbers[n] is a number, not a string"},
		},
		"MapFieldString": {
			reason: "A string is no map, optional or not.",
			input:  organization(`"fromFieldPath": "spec.text", "policy": {"fromFieldPath": "Optional"}, "resource": {` + kind + `, "name": {"value": "acme"}}`),
			want:   want{err: "cannot resolve sources[0]: Organization acme spec.text is a string, not a map of strings"},
		},
		"MapFieldThroughString": {
			reason: "A path through a string is a mistake, not an absent map, and the object should be named with its namespace.",
			input:  organization(`"fromFieldPath": "data.who.labels", "policy": {"fromFieldPath": "Optional"}, "resource": {"apiVersion": "v1", "kind": "ConfigMap", "namespace": {"value": "platform"}, "name": {"value": "tags"}}`),
			want:   want{err: "cannot resolve sources[0]: ConfigMap platform/tags data.who is a string, not an object"},
		},

		// Several sources.
		"SameObjectTwice": {
			reason: "Two sources that select the same should require it once.",
			input: `"sources": [
				{"type": "RequiredResource", "fromFieldPath": "spec.tags", "resource": {` + kind + `, "name": {"value": "acme"}}},
				{"type": "RequiredResource", "prefix": "tags.example.org/", "include": {"keys": ["company"]}, "resource": {` + kind + `, "name": {"fromFieldPath": "spec.organization"}}}
			]`,
			want: want{set: labels(plain("company", "acme-corp", 1), plain("from", "field", 0)), required: acmeByName},
		},
		"OrderOfSources": {
			reason: "Only the order of the sources should decide which overrides which, not that one has to be fetched.",
			input: `"sources": [
				{"type": "RequiredResource", "prefix": "tags.example.org/", "include": {"keys": ["company"]}, "resource": {` + kind + `, "name": {"value": "acme"}}},
				{"type": "Value", "values": {"company": "fixed"}},
				{"type": "RequiredResource", "prefix": "tags.example.org/", "resource": {"apiVersion": "v1", "kind": "Namespace", "name": {"value": "team-b"}}}
			]`,
			want: want{
				set: resolve.Set{
					Labels:     []tags.Label{plain("company", "fixed", 1), plain("zone", "b", 2)},
					Overridden: []resolve.Override{{Label: plain("company", "acme-corp", 0), By: from(1)}},
				},
				required: []*fnv1.ResourceSelector{byName("platform.example.org/v1", "Organization", "acme"), byName("v1", "Namespace", "team-b")},
			},
		},
	}

	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			in := decode(t, `"keyPrefix": "", `+tc.input)
			req := observe(app)
			before := proto.CloneOf(req)

			got, calls, err := everything().reconcile(in, req)

			if diff := cmp.Diff(tc.want.err, text(err)); diff != "" {
				t.Fatalf("\n%s\nResolve(...): -want error, +got error:\n%s", tc.reason, diff)
			}

			if diff := cmp.Diff(tc.want.set, got, asideFrom); diff != "" {
				t.Errorf("\n%s\nResolve(...): -want, +got:\n%s", tc.reason, diff)
			}

			if diff := cmp.Diff(before, req, protocmp.Transform()); diff != "" {
				t.Errorf("\n%s\nResolve(...): -request before, +request after:\n%s", tc.reason, diff)
			}

			if tc.want.err != "" {
				return
			}

			// Crossplane must not have to call a third time.
			if diff := cmp.Diff(2, len(calls)); diff != "" {
				t.Errorf("\n%s\nResolve(...): -want calls, +got calls:\n%s", tc.reason, diff)
			}

			for i, c := range calls {
				if diff := cmp.Diff(tc.want.required, selectors(c), protocmp.Transform()); diff != "" {
					t.Errorf("\n%s\nResolve(...): call %d: -want requirements, +got requirements:\n%s", tc.reason, i, diff)
				}
			}
		})
	}
}

// TestRequiredResourcePolicy is about everything of a required resource that can be
// absent, under every policy.
func TestRequiredResourcePolicy(t *testing.T) {
	const (
		kind     = `"apiVersion": "platform.example.org/v1", "kind": "Organization"`
		config   = `"apiVersion": "v1", "kind": "ConfigMap"`
		prefix   = `"prefix": "tags.example.org/", `
		required = `, but the composite resource doesn't have it`
	)

	cases := map[string]struct {
		reason string
		source string

		// required is the error if it's required.
		required string

		// asks is what Crossplane is asked for all the same if it's optional.
		asks []*fnv1.ResourceSelector
	}{
		"AbsentName": {
			reason:   "Without a name there is nothing to ask for.",
			source:   prefix + `"resource": {` + kind + `, "name": {"fromFieldPath": "spec.nowhere.name"}}`,
			required: "cannot tell the name: spec.nowhere.name is required" + required,
		},
		"NullName": {
			reason:   "A name that is null is absent.",
			source:   prefix + `"resource": {` + kind + `, "name": {"fromFieldPath": "spec.null"}}`,
			required: "cannot tell the name: spec.null is required" + required,
		},
		"EmptyName": {
			reason:   "An empty name names nothing.",
			source:   prefix + `"resource": {` + kind + `, "name": {"fromFieldPath": "spec.empty"}}`,
			required: "cannot tell the name: spec.empty is empty",
		},
		"AbsentNamespace": {
			reason:   "Without its namespace an object can't be asked for, or one of another namespace could be taken.",
			source:   `"fromFieldPath": "data", "resource": {` + config + `, "namespace": {"fromFieldPath": "spec.nowhere"}, "name": {"value": "tags"}}`,
			required: "cannot tell the namespace: spec.nowhere is required" + required,
		},
		"EmptyNamespace": {
			reason:   "An empty namespace is not all namespaces.",
			source:   `"fromFieldPath": "data", "resource": {` + config + `, "namespace": {"fromFieldPath": "spec.empty"}, "matchLabels": {"value": {"tags": "yes"}}}`,
			required: "cannot tell the namespace: spec.empty is empty",
		},
		"AbsentNamespaceAndName": {
			reason:   "The namespace should be told of first.",
			source:   `"fromFieldPath": "data", "resource": {` + config + `, "namespace": {"fromFieldPath": "spec.nowhere"}, "name": {"fromFieldPath": "spec.null"}}`,
			required: "cannot tell the namespace: spec.nowhere is required" + required,
		},
		"AbsentLabels": {
			reason:   "Without labels to match there is nothing to ask for, and never everything.",
			source:   prefix + `"resource": {` + kind + `, "matchLabels": {"fromFieldPath": "spec.nowhere"}}`,
			required: "cannot tell the labels to match: spec.nowhere is required" + required,
		},
		"NullLabels": {
			reason:   "Labels to match that are null are absent.",
			source:   prefix + `"resource": {` + kind + `, "matchLabels": {"fromFieldPath": "spec.null"}}`,
			required: "cannot tell the labels to match: spec.null is required" + required,
		},
		"EmptyLabels": {
			reason:   "No labels to match match nothing, and never everything.",
			source:   prefix + `"resource": {` + kind + `, "matchLabels": {"fromFieldPath": "spec.nothing"}}`,
			required: "the composite resource gives neither a name nor labels to match",
		},
		"AbsentObject": {
			reason:   "An object that there is none of should be named.",
			source:   prefix + `"resource": {` + kind + `, "name": {"fromFieldPath": "spec.other"}}`,
			required: `there is no Organization (platform.example.org/v1) named "other"`,
			asks:     []*fnv1.ResourceSelector{byName("platform.example.org/v1", "Organization", "other")},
		},
		"AbsentObjectOfNamespace": {
			reason:   "An object that there is none of in its namespace should be named with it.",
			source:   `"fromFieldPath": "data", "resource": {` + config + `, "namespace": {"value": "team-a"}, "name": {"value": "more"}}`,
			required: `there is no ConfigMap (v1) named "more" in the namespace "team-a"`,
			asks:     []*fnv1.ResourceSelector{byName("v1", "ConfigMap", "more", "team-a")},
		},
		"NoneMatches": {
			reason:   "The labels that none has should be told, sorted.",
			source:   `"fromFieldPath": "data", "resource": {` + config + `, "matchLabels": {"value": {"z": "1", "tags": "yes", "a": ""}}}`,
			required: `there is no ConfigMap (v1) with the labels a=,tags=yes,z=1`,
			asks:     []*fnv1.ResourceSelector{byLabels("v1", "ConfigMap", map[string]string{"z": "1", "tags": "yes", "a": ""})},
		},
		"AbsentMapField": {
			reason:   "An object without the map should be named, and its field.",
			source:   `"fromFieldPath": "spec.nowhere.tags", "resource": {` + kind + `, "name": {"value": "acme"}}`,
			required: "spec.nowhere.tags is required, but Organization acme doesn't have it",
			asks:     []*fnv1.ResourceSelector{byName("platform.example.org/v1", "Organization", "acme")},
		},
		"AbsentMapFieldOfNamespaced": {
			reason:   "An object without the map should be named with its namespace.",
			source:   `"fromFieldPath": "binaryData", "resource": {` + config + `, "namespace": {"value": "platform"}, "name": {"value": "tags"}}`,
			required: "binaryData is required, but ConfigMap platform/tags doesn't have it",
			asks:     []*fnv1.ResourceSelector{byName("v1", "ConfigMap", "tags", "platform")},
		},
		"AbsentNameOfOne": {
			reason:   "Who picks one needs a name or labels, and the failure should not name one of many fields.",
			source:   prefix + `"name": "class", "pick": "One", "resource": {` + kind + `, "name": {"fromFieldPath": "spec.nowhere"}, "matchLabels": {"fromFieldPath": "spec.nothing"}}`,
			required: "the composite resource gives neither a name nor labels to match",
		},
		"AbsentObjectOfOne": {
			reason:   "A class that the composite resource names should be the one, though another one has the labels.",
			source:   `"fromFieldPath": "data", "name": "class", "pick": "One", "resource": {` + config + `, "namespace": {"value": "platform"}, "name": {"value": "none"}, "matchLabels": {"value": {"tags": "yes"}}}`,
			required: `there is no ConfigMap (v1) named "none" in the namespace "platform"`,
			asks:     []*fnv1.ResourceSelector{byName("v1", "ConfigMap", "none", "platform")},
		},
		"NoDefault": {
			reason:   "If no default class is there, the failure should say by which labels it was looked for.",
			source:   `"fromFieldPath": "data", "name": "class", "pick": "One", "resource": {` + config + `, "matchLabels": {"fromFieldPath": "spec.nowhere"}, "defaultMatchLabels": {"default": "true"}}`,
			required: `there is no ConfigMap (v1) with the labels default=true`,
			asks:     []*fnv1.ResourceSelector{byLabels("v1", "ConfigMap", map[string]string{"default": "true"})},
		},
		"NoneOfSeveralKinds": {
			reason:   "All kinds that were looked for should be named.",
			source:   prefix + `"name": "class", "pick": "One", "resource": {"kinds": [{` + config + `}, {` + kind + `}], "matchLabels": {"value": {"grade": "gold"}}}`,
			required: `there is no ConfigMap (v1) or Organization (platform.example.org/v1) with the labels grade=gold`,
			asks: []*fnv1.ResourceSelector{
				byLabels("platform.example.org/v1", "Organization", map[string]string{"grade": "gold"}),
				byLabels("v1", "ConfigMap", map[string]string{"grade": "gold"}),
			},
		},
	}

	policies := map[string]struct {
		policy   string
		required bool
	}{
		"Default":     {required: true},
		"EmptyPolicy": {policy: `, "policy": {}`, required: true},
		"Required":    {policy: `, "policy": {"fromFieldPath": "Required"}`, required: true},
		"Optional":    {policy: `, "policy": {"fromFieldPath": "Optional"}`},
	}

	for name, tc := range cases {
		for policy, p := range policies {
			t.Run(name+"/"+policy, func(t *testing.T) {
				source := tc.source
				if !strings.Contains(source, `"pick"`) {
					source = `"name": "source", ` + source
				}

				in := decode(t, `"keyPrefix": "", "sources": [{"type": "Value", "values": {"a": "b"}}, {"type": "RequiredResource", `+source+p.policy+`}]`)
				got, calls, err := everything().reconcile(in, observe(app))

				wantErr, want := "", resolve.Set{Labels: []tags.Label{plain("a", "b", 0)}}
				if p.required {
					wantErr, want = fmt.Sprintf("cannot resolve sources[1] %q: %s", in.Sources[1].Name, tc.required), resolve.Set{}
				}

				if diff := cmp.Diff(wantErr, text(err)); diff != "" {
					t.Fatalf("\n%s\nResolve(...): -want error, +got error:\n%s", tc.reason, diff)
				}

				if diff := cmp.Diff(want, got, asideFrom); diff != "" {
					t.Errorf("\n%s\nResolve(...): -want, +got:\n%s", tc.reason, diff)
				}

				// Whoever asks for nothing must be called once only, with no
				// requirements at all.
				wantCalls := [][]*fnv1.ResourceSelector{tc.asks}
				if p.required && len(tc.asks) == 0 {
					wantCalls = nil
				}

				if !p.required && len(tc.asks) > 0 {
					wantCalls = append(wantCalls, tc.asks)
				}

				gotCalls := [][]*fnv1.ResourceSelector(nil)

				for _, c := range calls {
					if (c == nil) != (len(tc.asks) == 0) {
						t.Errorf("\n%s\nResolve(...): requirements should be nil if nothing is asked, and only then, got %v", tc.reason, c)
					}

					gotCalls = append(gotCalls, selectors(c))
				}

				if diff := cmp.Diff(wantCalls, gotCalls, protocmp.Transform()); diff != "" {
					t.Errorf("\n%s\nResolve(...): -want requirements of each call, +got requirements of each call:\n%s", tc.reason, diff)
				}
			})
		}
	}
}

// class returns an object of the supplied kind and name, with labels that are JSON.
func class(kind, name, labels string) string {
	return fmt.Sprintf(`{
		"apiVersion": "classes.example.org/v1", "kind": %q, "metadata": {"name": %q, "labels": %s},
		"spec": {"provider": %[4]q, "tags": {"class": %[2]q}, "number": 1, "emptyProvider": ""}
	}`, kind, name, labels, strings.ToLower(strings.TrimSuffix(kind, "Class")))
}

// classes that most cases pick from. Two have the labels that the composite resource
// selects by.
func classes() cluster {
	return clusterOf(
		class("AWSClass", "silver", `{"grade": "silver"}`),
		class("AWSClass", "zinc", `{"default": "true"}`),
		class("AWSClass", "oro", `{"grade": "gold", "region": "eu"}`),
		class("AWSClass", "gold", `{"grade": "gold", "region": "eu", "more": "yes"}`),
		class("AWSClass", "argent", `{"grade": "gold", "region": "us"}`),
		class("GCPClass", "gold", `{"grade": "gold", "region": "eu"}`),
		class("GCPClass", "argentum", `{"grade": "gold", "region": "eu"}`),
		class("GCPClass", "tin", `{"default": "true"}`),
	)
}

// picked returns what Resolve should if it picks the supplied class, whose labels are
// its name only.
func picked(kind, name, provider string) resolve.Set {
	return resolve.Set{
		Provider: provider,
		Labels:   []tags.Label{plain("class", name, 0)},
		Classes:  map[string]resolve.Class{"class": {APIVersion: "classes.example.org/v1", Kind: kind, Name: name}},
	}
}

func TestPickOne(t *testing.T) {
	const (
		aws  = `"apiVersion": "classes.example.org/v1", "kind": "AWSClass"`
		gcp  = `"apiVersion": "classes.example.org/v1", "kind": "GCPClass"`
		both = `"kinds": [{` + aws + `}, {` + gcp + `}]`

		selected  = `, "matchLabels": {"fromFieldPath": "spec.classSelector.matchLabels"}`
		byDefault = `, "defaultMatchLabels": {"default": "true"}`
		referred  = `, "name": {"fromFieldPath": "spec.classRef.name"}`
	)

	// one returns an input that picks one of what the supplied fields select.
	one := func(resource, fields string) string {
		return `"keyPrefix": "", "sources": [{"type": "RequiredResource", "name": "class", "pick": "One", "fromFieldPath": "spec.tags", "resource": {` + resource + `}` + fields + `}]`
	}

	// xr returns a composite resource with the supplied spec and status.
	xr := func(spec, status string) string {
		return `{"apiVersion": "platform.example.org/v1", "kind": "App", "metadata": {"namespace": "team-a", "name": "shop"}, "spec": {` + spec + `}, "status": {` + status + `}}`
	}

	const (
		selects = `"classSelector": {"matchLabels": {"grade": "gold", "region": "eu"}}`
		refers  = `"classRef": {"name": "silver"}`
	)

	// chosen returns a status that says that the supplied class was picked.
	chosen := func(kind, name string) string {
		return `"cloudTags": {"classes": {"class": {"apiVersion": "classes.example.org/v1", "kind": "` + kind + `", "name": "` + name + `"}}}`
	}

	const sticky = `"statusFieldPath": "status.cloudTags", `

	type want struct {
		set resolve.Set
		err string
	}

	cases := map[string]struct {
		reason string
		input  string
		xr     string
		want   want
	}{
		// Which one.
		"LowestName": {
			reason: "Of two classes that match, the one with the lowest name should be picked, and one that matches in part should not.",
			input:  one(aws+selected, ""),
			xr:     xr(selects, ""),
			want:   want{set: picked("AWSClass", "gold", "")},
		},
		"LowestNameOfSeveralKinds": {
			reason: "The lowest name of all kinds should be picked, whatever the order of the kinds is.",
			input:  one(both+selected, ""),
			xr:     xr(selects, ""),
			want:   want{set: picked("GCPClass", "argentum", "")},
		},
		"SameNameOfSeveralKinds": {
			reason: "Of two kinds with the same name the earlier kind should be picked.",
			input:  one(both+`, "name": {"value": "gold"}`, ""),
			xr:     xr("", ""),
			want:   want{set: picked("AWSClass", "gold", "")},
		},
		"SameNameOfSeveralKindsTurned": {
			reason: "Of two kinds with the same name the earlier kind should be picked.",
			input:  one(`"kinds": [{`+gcp+`}, {`+aws+`}], "name": {"value": "gold"}`, ""),
			xr:     xr("", ""),
			want:   want{set: picked("GCPClass", "gold", "")},
		},
		"OnlyOneKindMatches": {
			reason: "A kind that nothing is of should be no obstacle.",
			input:  one(`"kinds": [{"apiVersion": "classes.example.org/v1", "kind": "AzureClass"}, {`+gcp+`}]`+selected, ""),
			xr:     xr(selects, ""),
			want:   want{set: picked("GCPClass", "argentum", "")},
		},
		"ExplicitNameFirst": {
			reason: "The class that the composite resource names should be picked, though others match its selector and the default.",
			input:  one(aws+referred+selected+byDefault, ""),
			xr:     xr(refers+`, `+selects, ""),
			want:   want{set: picked("AWSClass", "silver", "")},
		},
		"NoNameSoLabels": {
			reason: "If the composite resource names no class, its selector should decide, and not the default.",
			input:  one(aws+referred+selected+byDefault, ""),
			xr:     xr(selects, ""),
			want:   want{set: picked("AWSClass", "gold", "")},
		},
		"EmptyNameSoLabels": {
			reason: "An empty name is none.",
			input:  one(aws+referred+selected+byDefault, ""),
			xr:     xr(`"classRef": {"name": ""}, `+selects, ""),
			want:   want{set: picked("AWSClass", "gold", "")},
		},
		"NothingSoDefault": {
			reason: "If the composite resource neither names nor selects a class, the default one should be picked.",
			input:  one(aws+referred+selected+byDefault, ""),
			xr:     xr("", ""),
			want:   want{set: picked("AWSClass", "zinc", "")},
		},
		"EmptySelectorSoDefault": {
			reason: "An empty selector selects nothing, and never everything.",
			input:  one(aws+referred+selected+byDefault, ""),
			xr:     xr(`"classSelector": {"matchLabels": {}}`, ""),
			want:   want{set: picked("AWSClass", "zinc", "")},
		},
		"DefaultOfSeveralKinds": {
			reason: "The default class should be looked for in all kinds.",
			input:  one(both+byDefault, ""),
			xr:     xr("", ""),
			want:   want{set: picked("GCPClass", "tin", "")},
		},
		"SelectedNoneAndDefault": {
			reason: "A selector that matches nothing is a failure, not a reason for the default class.",
			input:  one(aws+selected+byDefault, ""),
			xr:     xr(`"classSelector": {"matchLabels": {"grade": "none", "a": "b"}}`, ""),
			want:   want{err: `cannot resolve sources[0] "class": there is no AWSClass (classes.example.org/v1) with the labels a=b,grade=none`},
		},
		"NamedNone": {
			reason: "A class that is named and isn't there is a failure, not a reason for another class.",
			input:  one(both+referred+selected+byDefault, ""),
			xr:     xr(`"classRef": {"name": "copper"}, `+selects, ""),
			want:   want{err: `cannot resolve sources[0] "class": there is no AWSClass (classes.example.org/v1) or GCPClass (classes.example.org/v1) named "copper"`},
		},
		"Nothing": {
			reason: "Without a name, a selector and a default there is nothing to look for.",
			input:  one(aws+referred+selected, ""),
			xr:     xr("", ""),
			want:   want{err: `cannot resolve sources[0] "class": the composite resource gives neither a name nor labels to match`},
		},
		"NothingOptional": {
			reason: "Without a name, a selector and a default an optional class is none.",
			input:  one(aws+referred+selected, `, "policy": {"fromFieldPath": "Optional"}`),
			xr:     xr("", ""),
		},
		"NameNumber": {
			reason: "A name that is no string is a mistake, not a reason to look at labels.",
			input:  one(aws+referred+selected, ""),
			xr:     xr(`"classRef": {"name": 1}, `+selects, ""),
			want:   want{err: `cannot resolve sources[0] "class": cannot tell the name: spec.classRef.name is a number, not a string`},
		},

		// The choice before.
		"ChoiceStays": {
			reason: "The class that was picked before should stay while it matches, though another one has a lower name.",
			input:  sticky + one(both+selected, ""),
			xr:     xr(selects, chosen("AWSClass", "oro")),
			want:   want{set: picked("AWSClass", "oro", "")},
		},
		"ChoiceOfDefaultStays": {
			reason: "A default class that was picked before should stay, too.",
			input:  sticky + one(both+selected+byDefault, ""),
			xr:     xr("", chosen("AWSClass", "zinc")),
			want:   want{set: picked("AWSClass", "zinc", "")},
		},
		"ChoiceOfSameNameStays": {
			reason: "Of two kinds with the same name the one that was picked before should stay.",
			input:  sticky + one(both+`, "name": {"value": "gold"}`, ""),
			xr:     xr("", chosen("GCPClass", "gold")),
			want:   want{set: picked("GCPClass", "gold", "")},
		},
		"ChoiceIsGone": {
			reason: "If the class that was picked before is gone, the lowest name should be picked.",
			input:  sticky + one(aws+selected, ""),
			xr:     xr(selects, chosen("AWSClass", "platinum")),
			want:   want{set: picked("AWSClass", "gold", "")},
		},
		"ChoiceDoesNotMatch": {
			reason: "If the class that was picked before doesn't match any more, the lowest name should be picked.",
			input:  sticky + one(aws+selected, ""),
			xr:     xr(selects, chosen("AWSClass", "argent")),
			want:   want{set: picked("AWSClass", "gold", "")},
		},
		"ChoiceOfOtherKind": {
			reason: "A class of another kind is another one, though it has the same name.",
			input:  sticky + one(aws+selected, ""),
			xr:     xr(selects, chosen("GCPClass", "oro")),
			want:   want{set: picked("AWSClass", "gold", "")},
		},
		"ChoiceOfNamespace": {
			reason: "A class of a namespace is another one, though it has the same name.",
			input:  sticky + one(aws+selected, ""),
			xr:     xr(selects, `"cloudTags": {"classes": {"class": {"apiVersion": "classes.example.org/v1", "kind": "AWSClass", "namespace": "a", "name": "oro"}}}`),
			want:   want{set: picked("AWSClass", "gold", "")},
		},
		"ChoiceOfOtherSource": {
			reason: "What another source picked is no choice of this one.",
			input:  sticky + one(aws+selected, ""),
			xr:     xr(selects, `"cloudTags": {"classes": {"other": {"apiVersion": "classes.example.org/v1", "kind": "AWSClass", "name": "oro"}}}`),
			want:   want{set: picked("AWSClass", "gold", "")},
		},
		"NameOverChoice": {
			reason: "A class that the composite resource names should be picked, whatever was picked before.",
			input:  sticky + one(aws+referred+selected, ""),
			xr:     xr(refers+`, `+selects, chosen("AWSClass", "oro")),
			want:   want{set: picked("AWSClass", "silver", "")},
		},
		"ChoiceNotRecorded": {
			reason: "Without a path in the status no choice is known, whatever is there.",
			input:  one(aws+selected, ""),
			xr:     xr(selects, chosen("AWSClass", "oro")),
			want:   want{set: picked("AWSClass", "gold", "")},
		},
		"ChoiceElsewhere": {
			reason: "The choice should be read at the path of the input.",
			input:  `"statusFieldPath": "status.tagging.report", ` + one(aws+selected, ""),
			xr:     xr(selects, chosen("AWSClass", "gold")+`, "tagging": {"report": {"classes": {"class": {"apiVersion": "classes.example.org/v1", "kind": "AWSClass", "name": "oro"}}}}`),
			want:   want{set: picked("AWSClass", "oro", "")},
		},
		"ChoiceMalformed": {
			reason: "What is no choice should be none, and no failure: the function writes it anew.",
			input:  sticky + one(aws+selected, ""),
			xr:     xr(selects, `"cloudTags": {"classes": {"class": "oro"}}`),
			want:   want{set: picked("AWSClass", "gold", "")},
		},
		"ChoiceThroughString": {
			reason: "A path through a string leads to no choice, which is no failure.",
			input:  `"statusFieldPath": "status.text.cloudTags", ` + one(aws+selected, ""),
			xr:     xr(selects, `"text": "t"`),
			want:   want{set: picked("AWSClass", "gold", "")},
		},

		// What the class says.
		"Provider": {
			reason: "The class should name the provider.",
			input:  one(both+selected, `, "providerFieldPath": "spec.provider"`),
			xr:     xr(selects, ""),
			want:   want{set: picked("GCPClass", "argentum", "gcp")},
		},
		"ProviderOfInput": {
			reason: "The provider of the input should not hide the class's: what they decide is not the same.",
			input:  `"provider": {"value": "hetzner"}, ` + one(both+selected, `, "providerFieldPath": "spec.provider"`),
			xr:     xr(selects, ""),
			want:   want{set: picked("GCPClass", "argentum", "gcp")},
		},
		"ProviderOfFieldFirst": {
			reason: "The provider that a field of the composite resource names should be first.",
			input:  `"provider": {"fromFieldPath": "spec.cloud"}, ` + one(both+selected, `, "providerFieldPath": "spec.provider"`),
			xr:     xr(selects+`, "cloud": "azure"`, ""),
			want:   want{set: picked("GCPClass", "argentum", "azure")},
		},
		"NoProvider": {
			reason: "A class may name no provider.",
			input:  one(aws+selected, `, "providerFieldPath": "spec.nowhere.provider"`),
			xr:     xr(selects, ""),
			want:   want{set: picked("AWSClass", "gold", "")},
		},
		"EmptyProvider": {
			reason: "An empty string names no provider.",
			input:  one(aws+selected, `, "providerFieldPath": "spec.emptyProvider"`),
			xr:     xr(selects, ""),
			want:   want{set: picked("AWSClass", "gold", "")},
		},
		"ProviderNumber": {
			reason: "A number names no provider, and the class should be named.",
			input:  one(aws+selected, `, "providerFieldPath": "spec.number"`),
			xr:     xr(selects, ""),
			want:   want{err: `cannot resolve sources[0] "class": spec.number of AWSClass gold is a number, not a string`},
		},
		"ProviderThroughString": {
			reason: "A path through a string leads to no provider, so it is a mistake, and the class should be named.",
			input:  one(aws+selected, `, "providerFieldPath": "spec.provider.name"`),
			xr:     xr(selects, ""),
			want:   want{err: `cannot resolve sources[0] "class": cannot read the provider of AWSClass gold: spec.provider is a string, not an object`},
		},
		"TagsThroughString": {
			reason: "The labels of a class should be read as those of any object.",
			input:  `"sources": [{"type": "RequiredResource", "name": "class", "pick": "One", "fromFieldPath": "spec.provider", "resource": {` + aws + selected + `}}]`,
			xr:     xr(selects, ""),
			want:   want{err: `cannot resolve sources[0] "class": AWSClass gold spec.provider is a string, not a map of strings`},
		},
	}

	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			got, _, err := classes().reconcile(decode(t, tc.input), observe(tc.xr))

			if diff := cmp.Diff(tc.want.err, text(err)); diff != "" {
				t.Errorf("\n%s\nResolve(...): -want error, +got error:\n%s", tc.reason, diff)
			}

			if diff := cmp.Diff(tc.want.set, got, asideFrom); diff != "" {
				t.Errorf("\n%s\nResolve(...): -want, +got:\n%s", tc.reason, diff)
			}
		})
	}
}

func TestPickOneOfNamespaces(t *testing.T) {
	in := decode(t, `"keyPrefix": "", "statusFieldPath": "status.cloudTags", "sources": [{
		"type": "RequiredResource", "name": "class", "pick": "One", "fromFieldPath": "data",
		"include": {"keys": ["who"]}, "resource": {"apiVersion": "v1", "kind": "ConfigMap", "matchLabels": {"value": {"tags": "yes"}}}
	}]`)

	set := func(namespace, name, who string) resolve.Set {
		return resolve.Set{
			Labels:  []tags.Label{plain("who", who, 0)},
			Classes: map[string]resolve.Class{"class": {APIVersion: "v1", Kind: "ConfigMap", Namespace: namespace, Name: name}},
		}
	}

	got, _, err := everything().reconcile(in, observe(app))
	if diff := cmp.Diff(set("platform", "more", "more"), got, asideFrom); err != nil || diff != "" {
		t.Errorf("\nThe lowest namespace and name should be picked.\nResolve(...): %v: -want, +got:\n%s", err, diff)
	}

	got, _, err = everything().reconcile(in, observe(`{"status": {"cloudTags": {"classes": {"class": {"apiVersion": "v1", "kind": "ConfigMap", "namespace": "team-a", "name": "tags"}}}}}`))
	if diff := cmp.Diff(set("team-a", "tags", "team-a"), got, asideFrom); err != nil || diff != "" {
		t.Errorf("\nThe choice before should stay, which is the one of its namespace.\nResolve(...): %v: -want, +got:\n%s", err, diff)
	}
}

func TestSeveralClasses(t *testing.T) {
	in := decode(t, `"keyPrefix": "", "sources": [
		{"type": "RequiredResource", "name": "first", "pick": "One", "fromFieldPath": "spec.tags", "providerFieldPath": "spec.provider", "resource": {"apiVersion": "classes.example.org/v1", "kind": "AWSClass", "name": {"value": "oro"}}},
		{"type": "RequiredResource", "name": "second", "pick": "One", "fromFieldPath": "spec.tags", "providerFieldPath": "spec.provider", "resource": {"apiVersion": "classes.example.org/v1", "kind": "GCPClass", "name": {"value": "tin"}}},
		{"type": "RequiredResource", "name": "third", "pick": "One", "fromFieldPath": "spec.tags", "providerFieldPath": "spec.nowhere", "resource": {"apiVersion": "classes.example.org/v1", "kind": "AWSClass", "name": {"value": "zinc"}}},
		{"type": "RequiredResource", "name": "fourth", "pick": "One", "fromFieldPath": "spec.tags", "providerFieldPath": "spec.emptyProvider", "resource": {"apiVersion": "classes.example.org/v1", "kind": "AWSClass", "name": {"value": "silver"}}}
	]`)

	want := resolve.Set{
		Provider: "gcp",
		Labels:   []tags.Label{plain("class", "silver", 3)},
		Overridden: []resolve.Override{
			{Label: plain("class", "oro", 0), By: from(1)},
			{Label: plain("class", "tin", 1), By: from(2)},
			{Label: plain("class", "zinc", 2), By: from(3)},
		},
		Classes: map[string]resolve.Class{
			"first":  {APIVersion: "classes.example.org/v1", Kind: "AWSClass", Name: "oro"},
			"second": {APIVersion: "classes.example.org/v1", Kind: "GCPClass", Name: "tin"},
			"third":  {APIVersion: "classes.example.org/v1", Kind: "AWSClass", Name: "zinc"},
			"fourth": {APIVersion: "classes.example.org/v1", Kind: "AWSClass", Name: "silver"},
		},
	}

	got, _, err := classes().reconcile(in, observe(app))
	if diff := cmp.Diff(want, got, asideFrom); err != nil || diff != "" {
		t.Errorf("\nEach class should be picked for its source, and the last that names a provider should name it.\nResolve(...): %v: -want, +got:\n%s", err, diff)
	}
}

// TestClassInTime is about one composite resource while classes come, go and change
// their labels.
func TestClassInTime(t *testing.T) {
	const matches, not = `{"grade": "gold"}`, `{"grade": "silver"}`

	steps := []struct {
		reason  string
		classes cluster

		// want is the class picked if the choice is recorded, and fresh if not. Empty
		// is none.
		want, fresh string
	}{
		{
			reason:  "Of two that match, the lowest name should be picked.",
			classes: clusterOf(class("AWSClass", "m", matches), class("AWSClass", "z", matches), class("AWSClass", "a", not)),
			want:    "m", fresh: "m",
		},
		{
			reason:  "The same should be picked again.",
			classes: clusterOf(class("AWSClass", "z", matches), class("AWSClass", "a", not), class("AWSClass", "m", matches)),
			want:    "m", fresh: "m",
		},
		{
			reason:  "A new class with a lower name should not take the place of the one picked.",
			classes: clusterOf(class("AWSClass", "a", matches), class("AWSClass", "m", matches), class("AWSClass", "z", matches)),
			want:    "m", fresh: "a",
		},
		{
			reason:  "If the one picked gets other labels, the lowest name that is left should be picked.",
			classes: clusterOf(class("AWSClass", "z", matches), class("AWSClass", "m", not), class("AWSClass", "k", matches)),
			want:    "k", fresh: "k",
		},
		{
			reason:  "If the first one gets its labels back, the one picked meanwhile should stay.",
			classes: clusterOf(class("AWSClass", "z", matches), class("AWSClass", "m", matches), class("AWSClass", "k", matches)),
			want:    "k", fresh: "k",
		},
		{
			reason:  "If the one picked is deleted, the next lowest should be picked.",
			classes: clusterOf(class("AWSClass", "z", matches), class("AWSClass", "m", matches)),
			want:    "m", fresh: "m",
		},
		{
			reason:  "If it is deleted, too, the next lowest should be picked.",
			classes: clusterOf(class("AWSClass", "z", matches)),
			want:    "z", fresh: "z",
		},
		{
			reason:  "If none is left, that should be a failure.",
			classes: clusterOf(class("AWSClass", "z", not)),
		},
		{
			reason:  "If one is relabelled, it should be picked again.",
			classes: clusterOf(class("AWSClass", "z", matches)),
			want:    "z", fresh: "z",
		},
		{
			reason:  "If all are back, the one picked last should stay.",
			classes: clusterOf(class("AWSClass", "a", matches), class("AWSClass", "m", matches), class("AWSClass", "z", matches)),
			want:    "z", fresh: "a",
		},
	}

	const source = `"keyPrefix": "", "sources": [{
		"type": "RequiredResource", "name": "class", "pick": "One", "fromFieldPath": "spec.tags",
		"resource": {"apiVersion": "classes.example.org/v1", "kind": "AWSClass", "matchLabels": {"value": {"grade": "gold"}}}
	}]`

	check := func(t *testing.T, reason, want string, got resolve.Set, err error) {
		t.Helper()

		wantErr, wantSet := "", resolve.Set{}

		if want == "" {
			wantErr = `cannot resolve sources[0] "class": there is no AWSClass (classes.example.org/v1) with the labels grade=gold`
		} else {
			wantSet = picked("AWSClass", want, "")
		}

		if diff := cmp.Diff(wantErr, text(err)); diff != "" {
			t.Errorf("\n%s\nResolve(...): -want error, +got error:\n%s", reason, diff)
		}

		if diff := cmp.Diff(wantSet, got, asideFrom); diff != "" {
			t.Errorf("\n%s\nResolve(...): -want, +got:\n%s", reason, diff)
		}
	}

	status := `{}`

	for i, s := range steps {
		t.Run(strconv.Itoa(i), func(t *testing.T) {
			got, _, err := s.classes.reconcile(decode(t, `"statusFieldPath": "status.cloudTags", `+source), observe(`{"status": `+status+`}`))
			check(t, s.reason, s.want, got, err)

			// A failure leaves the status as it was.
			if c, ok := got.Classes["class"]; ok {
				status = fmt.Sprintf(`{"cloudTags": {"classes": {"class": {"apiVersion": %q, "kind": %q, "name": %q}}}}`, c.APIVersion, c.Kind, c.Name)
			}

			got, _, err = s.classes.reconcile(decode(t, source), observe(`{}`))
			check(t, "Without a recorded choice, the lowest name should be picked.", s.fresh, got, err)
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

	merged := resolve.Set{
		Labels:     []tags.Label{plain("class", "oro", 0)},
		Overridden: []resolve.Override{{Label: plain("class", "argent", 0)}, {Label: plain("class", "gold", 0)}},
	}

	objects := classes()

	rapid.Check(t, func(t *rapid.T) {
		shuffled := rapid.Permutation(objects).Draw(t, "objects")

		got, _, err := shuffled.reconcile(one, observe(`{}`))
		if diff := cmp.Diff(picked("AWSClass", "argent", ""), got, asideFrom); err != nil || diff != "" {
			t.Errorf("\nThe order of objects should not decide which one is picked.\nResolve(...): %v: -want, +got:\n%s", err, diff)
		}

		got, _, err = shuffled.reconcile(named, observe(`{}`))
		if diff := cmp.Diff(picked("AWSClass", "gold", ""), got, asideFrom); err != nil || diff != "" {
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

	// call resolves for a request with the supplied answers, and returns what it
	// requires, too.
	call := func(answers map[string]*fnv1.Resources) (resolve.Set, bool, map[string]*fnv1.ResourceSelector) {
		req := observe(app)
		req.RequiredResources = answers
		required := require.New(req)
		rsp := &fnv1.RunFunctionResponse{}

		set, err := resolve.Resolve(t.Context(), in, req, required)
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

	objects := slices.Concat(everything(), classes())
	names := slices.Sorted(maps.Keys(want))

	// Crossplane may answer any of them, and what it was asked for before.
	for answered := range 1 << len(names) {
		answers := map[string]*fnv1.Resources{
			"resource-0000000000000000": {Items: []*fnv1.Resource{{Resource: resource.MustStructJSON(bare)}}},
			"organization":              {Items: []*fnv1.Resource{{Resource: resource.MustStructJSON(bare)}}},
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

		wantSet := resolve.Set{
			Provider: "gcp",
			Labels:   []tags.Label{plain("class", "argentum", 2), plain("company", "acme-corp", 1), plain("fixed", "f", 0)},
			Classes:  map[string]resolve.Class{"class": {APIVersion: "classes.example.org/v1", Kind: "GCPClass", Name: "argentum"}},
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
		req := observe(app)
		req.RequiredResources = answers

		_, err := resolve.Resolve(t.Context(), in, req, require.New(req))
		if want[name].GetKind() == "Organization" {
			if diff := cmp.Diff(`cannot resolve sources[1]: there is no Organization (platform.example.org/v1) named "acme"`, text(err)); diff != "" {
				t.Errorf("\nAn empty answer says that there is no such object.\nResolve(...): -want error, +got error:\n%s", diff)
			}
		} else if err != nil {
			t.Errorf("\nAn empty answer says that a class is of another kind.\nResolve(...): %v", err)
		}
	}
}

// TestOldCrossplane is about Crossplane before v2.2, which doesn't say what it can do.
func TestOldCrossplane(t *testing.T) {
	in := decode(t, `"keyPrefix": "", "sources": [{"type": "RequiredResource", "prefix": "tags.example.org/", "resource": {"apiVersion": "v1", "kind": "Namespace", "name": {"fromFieldPath": "metadata.namespace"}}}]`)

	req := observe(app)
	req.Meta = nil

	got, calls, err := everything().reconcile(in, req)
	if diff := cmp.Diff(resolve.Set{Labels: []tags.Label{plain("zone", "a", 0)}}, got, asideFrom); err != nil || diff != "" {
		t.Errorf("\nCrossplane before v2.2 should be asked in the field that it knows.\nResolve(...): %v: -want, +got:\n%s", err, diff)
	}

	for i, c := range calls {
		if len(c.GetResources()) != 0 || len(c.GetExtraResources()) != 1 { //nolint:staticcheck // That is the field.
			t.Errorf("\nEach object should be asked for in one field only.\nResolve(...): call %d requires %v", i, c)
		}
	}
}

// TestMatchAll is about sources that take all objects of a kind.
func TestMatchAll(t *testing.T) {
	objects := clusterOf(
		`{"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"namespace": "b", "name": "b"}, "data": {"zone": "b", "b": "b"}}`,
		`{"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"namespace": "b", "name": "a", "labels": {"x": "y"}}, "data": {"zone": "a"}}`,
		`{"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"namespace": "a", "name": "c"}, "data": {"zone": "c"}}`,
		`{"apiVersion": "v1", "kind": "Secret", "metadata": {"namespace": "a", "name": "c"}, "data": {"zone": "secret"}}`,
	)

	type want struct {
		selector *fnv1.ResourceSelector
		labels   []tags.Label
		class    string
		err      string
	}

	cases := map[string]struct {
		reason string
		source string
		want   want
	}{
		"All": {
			reason: "All objects of the kind should be merged.",
			source: `"resource": {"apiVersion": "v1", "kind": "ConfigMap", "matchLabels": {"all": true}}`,
			want: want{
				selector: byLabels("v1", "ConfigMap", nil),
				labels:   []tags.Label{plain("b", "b", 0), plain("zone", "b", 0)},
			},
		},
		"OfNamespace": {
			reason: "All objects of the kind in the namespace should be merged.",
			source: `"resource": {"apiVersion": "v1", "kind": "ConfigMap", "namespace": {"value": "a"}, "matchLabels": {"all": true}}`,
			want:   want{selector: byLabels("v1", "ConfigMap", nil, "a"), labels: []tags.Label{plain("zone", "c", 0)}},
		},
		"One": {
			reason: "Any class will do, so it should be the first.",
			source: `"pick": "One", "resource": {"apiVersion": "v1", "kind": "ConfigMap", "namespace": {"value": "b"}, "matchLabels": {"all": true}}`,
			want:   want{selector: byLabels("v1", "ConfigMap", nil, "b"), labels: []tags.Label{plain("zone", "a", 0)}, class: "a"},
		},
		"OneByName": {
			reason: "A name should be before all labels.",
			source: `"pick": "One", "resource": {"apiVersion": "v1", "kind": "ConfigMap", "name": {"fromFieldPath": "metadata.name"}, "namespace": {"value": "b"}, "matchLabels": {"all": true}}`,
			want:   want{err: `cannot resolve sources[0] "s": there is no ConfigMap (v1) named "shop" in the namespace "b"`},
		},
		"None": {
			reason: "If there is no object of the kind, that should be told.",
			source: `"resource": {"apiVersion": "v2", "kind": "ConfigMap", "matchLabels": {"all": true}}`,
			want:   want{err: `cannot resolve sources[0] "s": there is no ConfigMap (v2) with any labels`},
		},
	}

	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			in := decode(t, `"keyPrefix": "", "sources": [{"type": "RequiredResource", "name": "s", "fromFieldPath": "data", `+tc.source+`}]`)
			set, calls, err := objects.reconcile(in, observe(`{"metadata": {"name": "shop"}}`))

			got := want{labels: set.Labels, class: set.Classes["s"].Name, err: text(err)}
			if err == nil {
				got.selector = selectors(calls[0])[0]
			}

			if diff := cmp.Diff(tc.want, got, cmp.AllowUnexported(want{}), byPosition, protocmp.Transform()); diff != "" {
				t.Errorf("\n%s\nResolve(...): -want, +got:\n%s", tc.reason, diff)
			}
		})
	}
}

// TestAnswersAreNotBelieved gives a source that is trusted the answers of a Crossplane
// before v2, which knows no namespace of a selector.
func TestAnswersAreNotBelieved(t *testing.T) {
	source := `"keyPrefix": "", "reservedKeys": ["zone"], "sources": [{"type": "RequiredResource", "fromFieldPath": "data", "trusted": true, "resource": {
		"apiVersion": "v1", "kind": "ConfigMap", "namespace": {"value": "platform"}, %s
	}}]`

	// answer every selector with all objects.
	answer := func(in *v1beta1.CloudTags, objects ...string) (resolve.Set, error) {
		req := observe(app)
		req.Meta = nil

		required := require.New(req)
		rsp := &fnv1.RunFunctionResponse{}

		if _, err := resolve.Resolve(t.Context(), in, req, required); err != nil {
			return resolve.Set{}, err
		}

		required.AddTo(rsp)

		req.ExtraResources = make(map[string]*fnv1.Resources) //nolint:staticcheck // What such a Crossplane answers.

		for name := range rsp.GetRequirements().GetExtraResources() { //nolint:staticcheck // See above.
			items := &fnv1.Resources{}
			for _, o := range clusterOf(objects...) {
				items.Items = append(items.Items, &fnv1.Resource{Resource: o})
			}

			req.ExtraResources[name] = items //nolint:staticcheck // See above.
		}

		return resolve.Resolve(t.Context(), in, req, require.New(req))
	}

	platform := `{"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"namespace": "platform", "name": "tags", "labels": {"tags": "yes"}}, "data": {"zone": "public"}}`
	tenant := `{"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"namespace": "tenant", "name": "tags", "labels": {"tags": "yes"}}, "data": {"zone": "secret"}}`

	type want struct {
		set resolve.Set
		err string
	}

	trusted := func(value string) resolve.Set {
		l := plain("zone", value, 0)
		l.Trusted = true

		return resolve.Set{Labels: []tags.Label{l}}
	}

	cases := map[string]struct {
		reason   string
		selector string
		objects  []string
		want     want
	}{
		"Labels": {
			reason:   "An object of another namespace that has the labels should not answer for the platform's.",
			selector: `"matchLabels": {"value": {"tags": "yes"}}`,
			objects:  []string{tenant, platform},
			want:     want{set: trusted("public")},
		},
		"LabelsOfNone": {
			reason:   "Without an object in the namespace that was asked for there is none.",
			selector: `"matchLabels": {"value": {"tags": "yes"}}`,
			objects:  []string{tenant},
			want:     want{err: `cannot resolve sources[0]: there is no ConfigMap (v1) with the labels tags=yes in the namespace "platform"`},
		},
		"Name": {
			reason:   "An object of the name in another namespace should not be believed, and the message should say what Crossplane can't do.",
			selector: `"name": {"value": "tags"}`,
			objects:  []string{tenant},
			want:     want{err: `cannot resolve sources[0]: there is no ConfigMap (v1) named "tags" in the namespace "platform": Crossplane before v2 can't fetch an object in a namespace by name, only by labels`},
		},
	}

	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			set, err := answer(decode(t, fmt.Sprintf(source, tc.selector)), tc.objects...)
			got := want{set: set}

			if err != nil {
				got.err = err.Error()
			}

			if diff := cmp.Diff(tc.want, got, cmp.AllowUnexported(want{}), asideFrom); diff != "" {
				t.Errorf("\n%s\nResolve(...): -want, +got:\n%s", tc.reason, diff)
			}
		})
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

		in, err := v1beta1.Decode(resource.MustStructJSON(j))
		if err != nil {
			t.Skip("not a valid input")
		}

		req := observe(fmt.Sprintf(`{"spec": {"name": %s, "labels": %s, "namespace": %s}}`, values.Draw(t, "spec.name"), values.Draw(t, "spec.labels"), values.Draw(t, "spec.namespace")))
		required := require.New(req)
		rsp := &fnv1.RunFunctionResponse{}

		_, err = resolve.Resolve(t.Context(), in, req, required)
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
