package resolve_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/testing/protocmp"

	fnv1 "github.com/crossplane/function-sdk-go/proto/v1"
	"github.com/crossplane/function-sdk-go/resource"

	"github.com/plexsphere/function-cloud-tags/tags"
	"github.com/plexsphere/function-cloud-tags/tags/require"
	"github.com/plexsphere/function-cloud-tags/tags/resolve"
)

// environment is the key of the context that EnvironmentConfigs land under.
const environment = "apiextensions.crossplane.io/environment"

func TestContextField(t *testing.T) {
	const context = `{
		"apiextensions.crossplane.io/environment": {
			"tags": {"platform/env": "prod", "team": "a"},
			"nested": {"list": [{"tags": {"x": "y"}}]},
			"json": {"n": "1.0"},
			"empty": {},
			"null": null,
			"text": "t",
			"numbers": {"a": "b", "n": 1}
		},
		"example.org/text": "t",
		"example.org/list": [{"tags": {"a": "b"}}],
		"example.org/null": null
	}`

	type want struct {
		set resolve.Set
		err string
	}

	labels := func(l ...tags.Label) want { return want{set: resolve.Set{Labels: l}} }

	// in returns an input with a source that reads the supplied path below the
	// supplied key.
	in := func(key, path, fields string) string {
		return `"keyPrefix": "", "sources": [{"type": "ContextField", "contextKey": "` + key + `", "fromFieldPath": "` + path + `"` + fields + `}]`
	}

	const (
		required = `, "policy": {"fromFieldPath": "Required"}`
		optional = `, "policy": {"fromFieldPath": "Optional"}`
	)

	cases := map[string]struct {
		reason string
		input  string
		want   want
	}{
		"Map": {
			reason: "A map below a key of the context should become labels.",
			input:  in(environment, "tags", ""),
			want:   labels(plain("platform/env", "prod", 0), plain("team", "a", 0)),
		},
		"RequiredMap": {
			reason: "A map that is required and there should become labels.",
			input:  in(environment, "tags", required),
			want:   labels(plain("platform/env", "prod", 0), plain("team", "a", 0)),
		},
		"NestedMap": {
			reason: "The map may be in lists and objects.",
			input:  in(environment, "nested.list[0].tags", ""),
			want:   labels(plain("x", "y", 0)),
		},
		"Include": {
			reason: "Some labels of the context may be taken.",
			input:  in(environment, "tags", `, "include": {"keys": ["platform/*"]}`),
			want:   labels(plain("platform/env", "prod", 0)),
		},
		"TagKeys": {
			reason: "The keys of the context may be tag keys.",
			input:  in(environment, "tags", `, "keyForm": "Tag", "include": {"keys": ["team"]}`),
			want:   labels(tags.Label{QualifiedKey: "team", TagKey: "team", Value: "a", Unprefixed: true}),
		},
		"JSON": {
			reason: "The values of the context may be JSON.",
			input:  in(environment, "json", `, "encoding": "JSON"`),
			want:   labels(plain("n", "1", 0)),
		},
		"NoJSON": {
			reason: "A value that is not JSON should be named with the key of the context.",
			input:  in(environment, "tags", `, "encoding": "JSON"`),
			want:   want{err: `cannot resolve sources[0]: cannot decode context[apiextensions.crossplane.io/environment].tags[platform/env]: "prod" is not JSON`},
		},
		"EmptyMap": {
			reason: "An empty map is a set without labels, though it is required.",
			input:  in(environment, "empty", required),
			want:   labels(),
		},
		"AbsentKey": {
			reason: "A key that the context doesn't have is a set without labels by default.",
			input:  in("example.org/nowhere", "tags", ""),
			want:   labels(),
		},
		"AbsentOptionalKey": {
			reason: "A key that the context doesn't have is a set without labels if it is optional.",
			input:  in("example.org/nowhere", "tags", optional),
			want:   labels(),
		},
		"AbsentRequiredKey": {
			reason: "A key that the context doesn't have is a failure if it is required.",
			input:  in("example.org/nowhere", "tags", required),
			want:   want{err: "cannot resolve sources[0]: context[example.org/nowhere] is required, but there is none"},
		},
		"NullKey": {
			reason: "A key of the context that is null is absent, as any field is.",
			input:  in("example.org/null", "tags", ""),
			want:   labels(),
		},
		"NullRequiredKey": {
			reason: "A key of the context that is null is absent, as any field is.",
			input:  in("example.org/null", "tags", required),
			want:   want{err: "cannot resolve sources[0]: context[example.org/null] is required, but there is none"},
		},
		"StringKey": {
			reason: "Below a string there is no map, optional or not.",
			input:  in("example.org/text", "tags", ""),
			want:   want{err: "cannot resolve sources[0]: context[example.org/text] is a string, not an object"},
		},
		"ListKey": {
			reason: "Below a list there is no map with a name, optional or not.",
			input:  in("example.org/list", "tags", ""),
			want:   want{err: "cannot resolve sources[0]: context[example.org/list] is a list, not an object"},
		},
		"AbsentMap": {
			reason: "A map that is absent is a set without labels by default.",
			input:  in(environment, "nowhere.tags", ""),
			want:   labels(),
		},
		"NullMap": {
			reason: "A map that is null is absent.",
			input:  in(environment, "null", optional),
			want:   labels(),
		},
		"AbsentRequiredMap": {
			reason: "A map that is absent is a failure if it is required, and not the composite resource lacks it.",
			input:  in(environment, "nowhere.tags", required),
			want:   want{err: "cannot resolve sources[0]: nowhere.tags is required, but context[apiextensions.crossplane.io/environment] doesn't have it"},
		},
		"String": {
			reason: "A string is no map, optional or not.",
			input:  in(environment, "text", ""),
			want:   want{err: "cannot resolve sources[0]: context[apiextensions.crossplane.io/environment].text is a string, not a map of strings"},
		},
		"ThroughString": {
			reason: "A path through a string is a mistake, not an absent map.",
			input:  in(environment, "text.tags", ""),
			want:   want{err: "cannot resolve sources[0]: context[apiextensions.crossplane.io/environment].text is a string, not an object"},
		},
		"NumberValue": {
			reason: "A value that is no string is a failure.",
			input:  in(environment, "numbers", ""),
			want:   want{err: "cannot resolve sources[0]: context[apiextensions.crossplane.io/environment].numbers[n] is a number, not a string"},
		},
		"NotTheComposite": {
			reason: "The map is not looked for in the composite resource.",
			input:  in(environment, "spec.labels", ""),
			want:   labels(),
		},
	}

	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			req := observe(composite)
			req.Context = resource.MustStructJSON(context)
			before := proto.CloneOf(req)

			got, calls, err := cluster{}.reconcile(decode(t, tc.input), req)

			if diff := cmp.Diff(tc.want.err, text(err)); diff != "" {
				t.Errorf("\n%s\nResolve(...): -want error, +got error:\n%s", tc.reason, diff)
			}

			if diff := cmp.Diff(tc.want.set, got, asideFrom); diff != "" {
				t.Errorf("\n%s\nResolve(...): -want, +got:\n%s", tc.reason, diff)
			}

			if diff := cmp.Diff(before, req, protocmp.Transform()); diff != "" {
				t.Errorf("\n%s\nResolve(...): -request before, +request after:\n%s", tc.reason, diff)
			}

			if tc.want.err == "" && (len(calls) != 1 || calls[0] != nil) {
				t.Errorf("\n%s\nResolve(...): the context is here, so nothing should be required, got %v", tc.reason, calls)
			}
		})
	}
}

func TestCompositeMetadata(t *testing.T) {
	const xr = `{
		"metadata": {
			"name": "shop",
			"labels": {"tags.example.org/team": "label", "tags.example.org/tier": "web", "tags.example.com/no": "x", "no-tags.example.org/no": "y", "crossplane.io/composite": "shop"},
			"annotations": {"tags.example.org/team": "The annotation: wins", "tags.example.org/note": "a/b", "TAGS.example.org/no": "z", "kubectl.kubernetes.io/last-applied-configuration": "{}"}
		},
		"spec": {"propagate": ["t*"]}
	}`

	type want struct {
		set resolve.Set
		err string
	}

	labels := func(l ...tags.Label) want { return want{set: resolve.Set{Labels: l}} }

	const prefixed = `"sources": [{"type": "CompositeMetadata", "prefix": "tags.example.org/"`

	cases := map[string]struct {
		reason string
		input  string
		xr     string
		want   want
	}{
		"LabelsAndAnnotations": {
			reason: "Labels and annotations that start with the prefix should become labels without it, and the annotation of a key that both have.",
			input:  prefixed + `}]`,
			xr:     xr,
			want:   labels(plain("note", "a/b", 0), plain("team", "The annotation: wins", 0), plain("tier", "web", 0)),
		},
		"OtherPrefix": {
			reason: "The prefix may be any, and is matched with case.",
			input:  `"sources": [{"type": "CompositeMetadata", "prefix": "TAGS."}]`,
			xr:     xr,
			want:   labels(plain("example.org/no", "z", 0)),
		},
		"NothingWithPrefix": {
			reason: "If nothing starts with the prefix, there are no labels.",
			input:  `"sources": [{"type": "CompositeMetadata", "prefix": "none.example.org/"}]`,
			xr:     xr,
			want:   labels(),
		},
		"TwoPrefixes": {
			reason: "Two sources should each take their prefix, and the order should decide, not what is a label and what is an annotation.",
			input: `"sources": [
				{"type": "CompositeMetadata", "name": "annotated", "prefix": "a/"},
				{"type": "CompositeMetadata", "name": "labelled", "prefix": "l/"}
			]`,
			xr: `{"metadata": {"labels": {"l/k": "label", "a/x": "1"}, "annotations": {"a/k": "annotation", "l/y": "2"}}}`,
			want: want{set: resolve.Set{
				Labels:     []tags.Label{plain("k", "label", 1), plain("x", "1", 0), plain("y", "2", 1)},
				Overridden: []resolve.Override{{Label: plain("k", "annotation", 0), By: from(1)}},
			}},
		},
		"OnlyLabels": {
			reason: "There may be no annotations.",
			input:  prefixed + `}]`,
			xr:     `{"metadata": {"labels": {"tags.example.org/a": "b"}}}`,
			want:   labels(plain("a", "b", 0)),
		},
		"OnlyAnnotations": {
			reason: "There may be no labels.",
			input:  prefixed + `}]`,
			xr:     `{"metadata": {"labels": null, "annotations": {"tags.example.org/a": "b"}}}`,
			want:   labels(plain("a", "b", 0)),
		},
		"EmptyAnnotation": {
			reason: "An annotation that is empty is there, so it wins.",
			input:  prefixed + `}]`,
			xr:     `{"metadata": {"labels": {"tags.example.org/a": "b"}, "annotations": {"tags.example.org/a": ""}}}`,
			want:   labels(plain("a", "", 0)),
		},
		"NoMetadata": {
			reason: "Without metadata there are no labels.",
			input:  prefixed + `}]`,
			xr:     `{}`,
			want:   labels(),
		},
		"Include": {
			reason: "Patterns should match keys without the prefix, and may come from a field.",
			input:  prefixed + `, "include": {"fromFieldPath": "spec.propagate"}}]`,
			xr:     xr,
			want:   labels(plain("team", "The annotation: wins", 0), plain("tier", "web", 0)),
		},
		"JSON": {
			reason: "An annotation may be JSON.",
			input:  prefixed + `, "encoding": "JSON"}]`,
			xr:     `{"metadata": {"annotations": {"tags.example.org/a": "true"}}}`,
			want:   labels(plain("a", "true", 0)),
		},
		"NoJSON": {
			reason: "A value that is not JSON should be named by its key.",
			input:  prefixed + `, "encoding": "JSON"}]`,
			xr:     `{"metadata": {"annotations": {"tags.example.org/a": "b"}}}`,
			want:   want{err: `cannot resolve sources[0]: cannot decode metadata.annotations[tags.example.org/a]: "b" is not JSON`},
		},
		"LabelsList": {
			reason: "What is no map of labels is a failure.",
			input:  prefixed + `}]`,
			xr:     `{"metadata": {"labels": []}}`,
			want:   want{err: `cannot resolve sources[0]: metadata.labels is a list, not a map of strings`},
		},
		"AnnotationNumber": {
			reason: "What is no annotation is a failure if its key has the prefix.",
			input:  prefixed + `}]`,
			xr:     `{"metadata": {"annotations": {"a": 1, "tags.example.org/a": 1}}}`,
			want:   want{err: `cannot resolve sources[0]: metadata.annotations[tags.example.org/a] is a number, not a string`},
		},
		"MetadataString": {
			reason: "What is no metadata is a failure.",
			input:  prefixed + `}]`,
			xr:     `{"metadata": "shop"}`,
			want:   want{err: `cannot resolve sources[0]: metadata is a string, not an object`},
		},
	}

	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			got, calls, err := cluster{}.reconcile(decode(t, `"keyPrefix": "", `+tc.input), observe(tc.xr))

			if diff := cmp.Diff(tc.want.err, text(err)); diff != "" {
				t.Errorf("\n%s\nResolve(...): -want error, +got error:\n%s", tc.reason, diff)
			}

			if diff := cmp.Diff(tc.want.set, got, asideFrom); diff != "" {
				t.Errorf("\n%s\nResolve(...): -want, +got:\n%s", tc.reason, diff)
			}

			if tc.want.err == "" && (len(calls) != 1 || calls[0] != nil) {
				t.Errorf("\n%s\nResolve(...): the metadata is here, so nothing should be required, got %v", tc.reason, calls)
			}
		})
	}
}

// Objects and sources of the passthrough document: an organization, a workspace and a
// zone, which is a namespace, each with the tags that it declares.
const (
	organizationOfZone = `{
		"apiVersion": "platform.entigo.com/v1", "kind": "Organization",
		"metadata": {"name": "acme", "labels": {"tags.entigo.com/company": "acme-corp", "tags.entigo.com/cost-center": "CC-DEFAULT"}}
	}`
	workspaceOfZone = `{
		"apiVersion": "platform.entigo.com/v1", "kind": "Workspace",
		"metadata": {"name": "prod", "labels": {"tags.entigo.com/environment": "production", "tags.entigo.com/cost-center": "CC-PROD"}}
	}`
	zone = `{
		"apiVersion": "v1", "kind": "Namespace",
		"metadata": {"name": "analytics", "labels": {"tags.entigo.com/cost-center": "CC-TEAM-A", "tags.entigo.com/team": "analytics", "kubernetes.io/metadata.name": "analytics"}}
	}`

	levels = `
		{"type": "RequiredResource", "name": "organization", "prefix": "tags.entigo.com/", "resource": {"apiVersion": "platform.entigo.com/v1", "kind": "Organization", "name": {"fromFieldPath": "spec.organization"}}},
		{"type": "RequiredResource", "name": "workspace", "prefix": "tags.entigo.com/", "resource": {"apiVersion": "platform.entigo.com/v1", "kind": "Workspace", "name": {"fromFieldPath": "spec.workspace"}}},
		{"type": "RequiredResource", "name": "zone", "prefix": "tags.entigo.com/", "resource": {"apiVersion": "v1", "kind": "Namespace", "name": {"fromFieldPath": "metadata.namespace"}}}`

	inZone = `{
		"apiVersion": "platform.entigo.com/v1", "kind": "Bucket",
		"metadata": {"namespace": "analytics", "name": "reports"},
		"spec": {"organization": "acme", "workspace": "prod"}
	}`
)

// TestHierarchy renders the example of the passthrough document, level by level.
func TestHierarchy(t *testing.T) {
	organizationOnly := []tags.Label{plain("company", "acme-corp", 0), plain("cost-center", "CC-DEFAULT", 0)}

	cases := map[string]struct {
		reason  string
		sources string
		objects cluster
		want    resolve.Set
		tags    map[string]string
	}{
		"Organization": {
			reason:  "A workspace without tags should inherit those of its organization.",
			sources: levels,
			objects: clusterOf(
				organizationOfZone,
				`{"apiVersion": "platform.entigo.com/v1", "kind": "Workspace", "metadata": {"name": "prod"}}`,
				`{"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": "analytics", "labels": {"kubernetes.io/metadata.name": "analytics"}}}`,
			),
			want: resolve.Set{Labels: organizationOnly},
			tags: map[string]string{"company": "acme-corp", "cost-center": "CC-DEFAULT"},
		},
		"Workspace": {
			reason:  "A workspace should add to the tags of its organization and override them.",
			sources: levels,
			objects: clusterOf(
				organizationOfZone, workspaceOfZone,
				`{"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": "analytics"}}`,
			),
			want: resolve.Set{
				Labels:     []tags.Label{plain("company", "acme-corp", 0), plain("cost-center", "CC-PROD", 1), plain("environment", "production", 1)},
				Overridden: []resolve.Override{{Label: plain("cost-center", "CC-DEFAULT", 0), By: from(1)}},
			},
			tags: map[string]string{"company": "acme-corp", "cost-center": "CC-PROD", "environment": "production"},
		},
		"Zone": {
			reason:  "The example of the document should give exactly its effective tags, and where each is from.",
			sources: levels,
			objects: clusterOf(zone, workspaceOfZone, organizationOfZone),
			want: resolve.Set{
				Labels: []tags.Label{plain("company", "acme-corp", 0), plain("cost-center", "CC-TEAM-A", 2), plain("environment", "production", 1), plain("team", "analytics", 2)},
				Overridden: []resolve.Override{
					{Label: plain("cost-center", "CC-DEFAULT", 0), By: from(1)},
					{Label: plain("cost-center", "CC-PROD", 1), By: from(2)},
				},
			},
			tags: map[string]string{"company": "acme-corp", "environment": "production", "cost-center": "CC-TEAM-A", "team": "analytics"},
		},
		"ZoneWithoutWorkspaceTag": {
			reason:  "A zone should override what it inherits across a level that says nothing of it.",
			sources: levels,
			objects: clusterOf(zone, organizationOfZone, `{"apiVersion": "platform.entigo.com/v1", "kind": "Workspace", "metadata": {"name": "prod"}}`),
			want: resolve.Set{
				Labels:     []tags.Label{plain("company", "acme-corp", 0), plain("cost-center", "CC-TEAM-A", 2), plain("team", "analytics", 2)},
				Overridden: []resolve.Override{{Label: plain("cost-center", "CC-DEFAULT", 0), By: from(2)}},
			},
			tags: map[string]string{"company": "acme-corp", "cost-center": "CC-TEAM-A", "team": "analytics"},
		},
		"LevelOverAnnotation": {
			reason:  "That the annotation wins should hold within a level: the label of a child is over the annotation of its parent.",
			sources: levels,
			objects: clusterOf(
				`{"apiVersion": "platform.entigo.com/v1", "kind": "Organization", "metadata": {"name": "acme", "annotations": {"tags.entigo.com/team": "organization's annotation"}}}`,
				`{"apiVersion": "platform.entigo.com/v1", "kind": "Workspace", "metadata": {"name": "prod", "labels": {"tags.entigo.com/team": "label"}, "annotations": {"tags.entigo.com/team": "workspace's annotation"}}}`,
				`{"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": "analytics", "labels": {"tags.entigo.com/team": "zones-label"}}}`,
			),
			want: resolve.Set{
				Labels: []tags.Label{plain("team", "zones-label", 2)},
				Overridden: []resolve.Override{
					{Label: plain("team", "organization's annotation", 0), By: from(1)},
					{Label: plain("team", "workspace's annotation", 1), By: from(2)},
				},
			},
			tags: map[string]string{"team": "zones-label"},
		},
		"OrderOfSources": {
			reason:  "Not the kind of object but the order of the sources should say which level is which.",
			sources: `{"type": "RequiredResource", "prefix": "tags.entigo.com/", "resource": {"apiVersion": "v1", "kind": "Namespace", "name": {"fromFieldPath": "metadata.namespace"}}}, {"type": "RequiredResource", "prefix": "tags.entigo.com/", "resource": {"apiVersion": "platform.entigo.com/v1", "kind": "Organization", "name": {"fromFieldPath": "spec.organization"}}}`,
			objects: clusterOf(zone, workspaceOfZone, organizationOfZone),
			want: resolve.Set{
				Labels:     []tags.Label{plain("company", "acme-corp", 1), plain("cost-center", "CC-DEFAULT", 1), plain("team", "analytics", 0)},
				Overridden: []resolve.Override{{Label: plain("cost-center", "CC-TEAM-A", 0), By: from(1)}},
			},
			tags: map[string]string{"company": "acme-corp", "cost-center": "CC-DEFAULT", "team": "analytics"},
		},
		"LabelsAndAnnotations": {
			reason:  "The document's tags of labels and of annotations should be exactly its tags, with all characters.",
			sources: levels,
			objects: clusterOf(
				`{"apiVersion": "platform.entigo.com/v1", "kind": "Organization", "metadata": {"name": "acme"}}`,
				`{"apiVersion": "platform.entigo.com/v1", "kind": "Workspace", "metadata": {"name": "prod"}}`,
				`{"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": "analytics", "labels": {
					"tags.entigo.com/cost-center": "CC-12345", "tags.entigo.com/map-migrated": "MAP-d1234567890abcdef"
				}, "annotations": {
					"tags.entigo.com/project-description": "Project Phoenix - Q2 2026 cloud migration initiative", "tags.entigo.com/compliance-framework": "SOC2/HIPAA"
				}}}`,
			),
			want: resolve.Set{Labels: []tags.Label{
				plain("compliance-framework", "SOC2/HIPAA", 2),
				plain("cost-center", "CC-12345", 2),
				plain("map-migrated", "MAP-d1234567890abcdef", 2),
				plain("project-description", "Project Phoenix - Q2 2026 cloud migration initiative", 2),
			}},
			tags: map[string]string{
				"compliance-framework": "SOC2/HIPAA",
				"cost-center":          "CC-12345",
				"map-migrated":         "MAP-d1234567890abcdef",
				"project-description":  "Project Phoenix - Q2 2026 cloud migration initiative",
			},
		},
	}

	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			got, calls, err := tc.objects.reconcile(decode(t, `"keyPrefix": "", "sources": [`+tc.sources+`]`), observe(inZone))
			if err != nil {
				t.Fatalf("\n%s\nResolve(...): %v", tc.reason, err)
			}

			if diff := cmp.Diff(tc.want, got, asideFrom); diff != "" {
				t.Errorf("\n%s\nResolve(...): -want, +got:\n%s", tc.reason, diff)
			}

			if diff := cmp.Diff(2, len(calls)); diff != "" {
				t.Errorf("\n%s\nResolve(...): -want calls, +got calls:\n%s", tc.reason, diff)
			}

			effective := map[string]string{}

			admitted, skipped := tags.NewTransformer(got.Labels, nil).Single(tags.ProfileOf("aws"))
			for _, tag := range admitted {
				effective[tag.Key] = tag.Value
			}

			if diff := cmp.Diff(tc.tags, effective); diff != "" {
				t.Errorf("\n%s\nSingle(aws): -want, +got:\n%s", tc.reason, diff)
			}

			if diff := cmp.Diff([]tags.SkippedLabel{}, skipped); diff != "" {
				t.Errorf("\n%s\nSingle(aws): -want skipped, +got skipped:\n%s", tc.reason, diff)
			}
		})
	}
}

// TestReservedInHierarchy is about claims of reserved keys at every level.
func TestReservedInHierarchy(t *testing.T) {
	objects := clusterOf(
		`{"apiVersion": "platform.entigo.com/v1", "kind": "Organization", "metadata": {"name": "acme", "annotations": {"tags.entigo.com/workspace": "forged", "tags.entigo.com/company": "acme-corp"}}}`,
		`{"apiVersion": "platform.entigo.com/v1", "kind": "Workspace", "metadata": {"name": "prod", "labels": {"tags.entigo.com/workspace": "forged", "tags.entigo.com/zone": "forged"}}}`,
		`{"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": "analytics", "labels": {"tags.entigo.com/zone": "forged", "tags.entigo.com/workspaces": "many"}}}`,
	)

	claim := func(key string, source int) tags.Label { return plain(key, "forged", source) }

	trusted := func(key, value string, source int) tags.Label {
		l := plain(key, value, source)
		l.Trusted = true

		return l
	}

	const (
		reserved = `"keyPrefix": "", "reservedKeys": ["workspace", "zone", "entigo:*"], "sources": [`
		platform = `{"type": "Value", "name": "platform", "trusted": true, "values": {"workspace": "ws-prod-001", "entigo:zone": "zone-1"}}`
		forging  = `{"type": "CompositeField", "name": "user", "fromFieldPath": "spec.tags", "keyForm": "Tag"}`
	)

	xr := `{"metadata": {"namespace": "analytics"}, "spec": {"organization": "acme", "workspace": "prod", "tags": {"entigo:zone": "forged", "entigo:": "forged", "entigo": "fine"}}}`

	user := func(key string) tags.Label {
		return tags.Label{QualifiedKey: key, TagKey: key, Value: "forged", Source: from(4), Unprefixed: true}
	}

	fine := tags.Label{QualifiedKey: "entigo", TagKey: "entigo", Value: "fine", Source: from(4), Unprefixed: true}

	cases := map[string]struct {
		reason string
		input  string
		want   resolve.Set
	}{
		"PlatformFirst": {
			reason: "Claims should be refused though their sources come after the trusted one, and each once, whoever repeats it.",
			input:  reserved + platform + `,` + levels + `,` + forging + `]`,
			want: resolve.Set{
				Labels: []tags.Label{plain("company", "acme-corp", 1), fine, trusted("entigo:zone", "zone-1", 0), trusted("workspace", "ws-prod-001", 0), plain("workspaces", "many", 3)},
				Claims: []tags.Label{user("entigo:"), user("entigo:zone"), claim("workspace", 1), claim("zone", 2)},
			},
		},
		"NobodyTrusted": {
			reason: "Claims should be refused though there is no trusted value to stand.",
			input:  reserved + `{"type": "Value", "values": {}}, ` + levels + `,` + forging + `]`,
			want: resolve.Set{
				Labels: []tags.Label{plain("company", "acme-corp", 1), fine, plain("workspaces", "many", 3)},
				Claims: []tags.Label{user("entigo:"), user("entigo:zone"), claim("workspace", 1), claim("zone", 2)},
			},
		},
	}

	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			got, _, err := objects.reconcile(decode(t, tc.input), observe(xr))
			if err != nil {
				t.Fatalf("\n%s\nResolve(...): %v", tc.reason, err)
			}

			if diff := cmp.Diff(tc.want, got, asideFrom); diff != "" {
				t.Errorf("\n%s\nResolve(...): -want, +got:\n%s", tc.reason, diff)
			}
		})
	}
}

// TestTrust is about who may claim which key when sources are resolved.
func TestTrust(t *testing.T) {
	cases := map[string]struct {
		reason string
		input  string
		want   resolve.Set
	}{
		"NothingReserved": {
			reason: "If nothing is reserved, trust should not change which source wins.",
			input:  `"sources": [{"type": "Value", "trusted": true, "values": {"a": "trusted"}}, {"type": "Value", "values": {"a": "later"}}]`,
			want: resolve.Set{
				Labels:     []tags.Label{plain("a", "later", 1)},
				Overridden: []resolve.Override{{Label: tags.Label{QualifiedKey: "a", TagKey: "a", Value: "trusted", Trusted: true}, By: from(1)}},
			},
		},
		"TrustedOverTrusted": {
			reason: "Of two trusted sources the later one should win a reserved key.",
			input:  `"reservedKeys": ["a"], "sources": [{"type": "Value", "trusted": true, "values": {"a": "1"}}, {"type": "Value", "values": {"a": "2"}}, {"type": "Value", "trusted": true, "values": {"a": "3"}}]`,
			want: resolve.Set{
				Labels:     []tags.Label{{QualifiedKey: "a", TagKey: "a", Value: "3", Source: from(2), Trusted: true}},
				Claims:     []tags.Label{plain("a", "2", 1)},
				Overridden: []resolve.Override{{Label: tags.Label{QualifiedKey: "a", TagKey: "a", Value: "1", Trusted: true}, By: from(2)}},
			},
		},
		"ReservedByTagKey": {
			reason: "An entry should match the tag key, with the prefix, as well as the qualified key.",
			input:  `"keyPrefix": "acme-", "reservedKeys": ["acme-a", "b"], "sources": [{"type": "Value", "values": {"a": "1", "b": "2", "acme-a": "3", "c": "4"}}]`,
			want: resolve.Set{
				Labels: []tags.Label{{QualifiedKey: "c", TagKey: "acme-c", Value: "4"}},
				Claims: []tags.Label{
					{QualifiedKey: "a", TagKey: "acme-a", Value: "1"},
					{QualifiedKey: "acme-a", TagKey: "acme-acme-a", Value: "3"},
					{QualifiedKey: "b", TagKey: "acme-b", Value: "2"},
				},
			},
		},
		"ReservedTagForms": {
			reason: "A tag key should be refused with the prefix and without, if what it is without is reserved.",
			input:  `"keyPrefix": "acme-", "reservedKeys": ["a"], "sources": [{"type": "Value", "keyForm": "Tag", "values": {"a": "1", "acme-a": "2", "acme-acme-a": "3"}}]`,
			want: resolve.Set{
				Labels: []tags.Label{{QualifiedKey: "acme-a", TagKey: "acme-acme-a", Value: "3", Unprefixed: true}},
				Claims: []tags.Label{
					{QualifiedKey: "a", TagKey: "a", Value: "1", Unprefixed: true},
					{QualifiedKey: "a", TagKey: "acme-a", Value: "2", Unprefixed: true},
				},
			},
		},
		"EverythingReserved": {
			reason: "A star alone should reserve every key.",
			input:  `"reservedKeys": ["*"], "sources": [{"type": "Value", "trusted": true, "values": {"a": "1"}}, {"type": "Value", "values": {"a": "2", "": "3"}}]`,
			want: resolve.Set{
				Labels: []tags.Label{{QualifiedKey: "a", TagKey: "a", Value: "1", Trusted: true}},
				Claims: []tags.Label{plain("", "3", 1), plain("a", "2", 1)},
			},
		},
		"NotIncluded": {
			reason: "A label that is not included claims nothing.",
			input:  `"reservedKeys": ["a"], "sources": [{"type": "Value", "values": {"a": "1", "b": "2"}, "include": {"keys": ["b"]}}]`,
			want:   resolve.Set{Labels: []tags.Label{plain("b", "2", 0)}},
		},
	}

	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			input := tc.input
			if len(input) < 12 || input[:12] != `"keyPrefix":` {
				input = `"keyPrefix": "", ` + input
			}

			req := &fnv1.RunFunctionRequest{}

			got, err := resolve.Resolve(t.Context(), decode(t, input), req, require.New(req))
			if err != nil {
				t.Fatalf("\n%s\nResolve(...): %v", tc.reason, err)
			}

			if diff := cmp.Diff(tc.want, got, asideFrom); diff != "" {
				t.Errorf("\n%s\nResolve(...): -want, +got:\n%s", tc.reason, diff)
			}
		})
	}
}
