package stamp_test

import (
	"cmp"
	"fmt"
	"strings"
	"testing"

	gocmp "github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"google.golang.org/protobuf/types/known/structpb"

	fnv1 "github.com/crossplane/function-sdk-go/proto/v1"

	"github.com/plexsphere/function-cloud-tags/input/v1beta1"
	"github.com/plexsphere/function-cloud-tags/tags"
	"github.com/plexsphere/function-cloud-tags/tags/field"
	"github.com/plexsphere/function-cloud-tags/tags/locate"
	"github.com/plexsphere/function-cloud-tags/tags/require"
	"github.com/plexsphere/function-cloud-tags/tags/resolve"
	"github.com/plexsphere/function-cloud-tags/tags/stamp"
	"github.com/plexsphere/function-cloud-tags/tags/tagstest"
)

// stamped returns the tags of the resource, a map, once it is stamped with what the sources of the input
// have, and what came of stamping it.
func stamped(t *testing.T, in *v1beta1.CloudTags, r *structpb.Struct) (map[string]string, *stamp.Outcome) {
	t.Helper()

	out := stampedAll(t, in, map[string]*fnv1.Resource{"bucket": {Resource: r}})

	return tagsOf(out, "bucket"), out
}

// tagsOf returns the tags that the resource has come to have.
func tagsOf(out *stamp.Outcome, name string) map[string]string {
	after := make(map[string]string)
	for key, v := range tagstest.ForProvider(&fnv1.Resource{Resource: out.Changed[name].Struct()})["tags"].GetStructValue().GetFields() {
		after[key] = v.GetStringValue()
	}

	return after
}

// stampedAll returns the outcome of stamping the resources with the labels of the input's sources.
func stampedAll(t *testing.T, in *v1beta1.CloudTags, desired map[string]*fnv1.Resource) *stamp.Outcome {
	t.Helper()

	req := &fnv1.RunFunctionRequest{Observed: &fnv1.State{Composite: &fnv1.Resource{Resource: &structpb.Struct{}}}}

	set, err := resolve.Resolve(t.Context(), in, req, require.New(req), nil)
	if err != nil {
		t.Fatal(err)
	}

	stamper := &stamp.Stamper{
		Finder: locate.Finder{
			Input:      in,
			Provider:   set.Provider,
			NewLocator: func(schemas field.Schemas) field.Locator { return field.ForInput(in, schemas) },
		},
		Transformer: set.Transformer(in), PerResource: set.PerResource,
	}

	targets, err := stamper.Targets(t.Context(), desired)
	if err != nil {
		t.Fatal(err)
	}

	out, err := stamper.Stamp(t.Context(), targets)
	if err != nil {
		t.Fatal(err)
	}

	return out
}

// decode returns the input with the fields beside its apiVersion and kind.
func decode(t *testing.T, fields string) *v1beta1.CloudTags {
	t.Helper()

	in, err := v1beta1.Decode(tagstest.MustStructJSON(`{"apiVersion": "cloudtags.fn.plexsphere.com/v1beta1", "kind": "CloudTags", ` + fields + `}`))
	if err != nil {
		t.Fatalf("Decode(...): %v", err)
	}

	return in
}

// TestTrustedValueStands is about labels that look like a reserved key once they are
// formatted only, so that they are not refused before sources are merged.
func TestTrustedValueStands(t *testing.T) {
	cases := map[string]struct {
		reason   string
		provider string
		reserved string
		fields   string

		// forged are the fields of the source that sets the key.
		forged  string
		want    map[string]string
		skipped []tags.SkippedLabel
	}{
		"CaseOfEntry": {
			reason:   "Where keys compare without case, the case of an entry should not matter.",
			provider: "azure",
			reserved: "Workspace",
			want:     map[string]string{"plexsphere:workspace": "platform"},
			skipped:  []tags.SkippedLabel{{QualifiedKey: "workspace", TagKey: "plexsphere:workspace", Provider: "azure", Reason: "reserved-key"}},
		},
		"FormattedEntry": {
			reason:   "An entry may be the tag key that the provider's format makes.",
			provider: "openstack",
			reserved: "plexsphere_workspace",
			fields:   `"keyFormats": [{"provider": "openstack", "replace": {":": "_"}}], `,
			want:     map[string]string{"plexsphere_workspace": "platform"},
			skipped:  []tags.SkippedLabel{{QualifiedKey: "workspace", TagKey: "plexsphere_workspace", Provider: "openstack", Reason: "reserved-key"}},
		},
		"PrefixOfFormat": {
			reason:   "An entry may be the tag key that a prefix of the input makes.",
			provider: "aws",
			reserved: "acme-*",
			fields:   `"keyFormats": [{"provider": "aws", "prefix": "acme-"}], `,
			want:     map[string]string{"acme-workspace": "platform"},
			skipped:  []tags.SkippedLabel{{QualifiedKey: "workspace", TagKey: "acme-workspace", Provider: "aws", Reason: "reserved-key"}},
		},
		"FormOfKeys": {
			reason:   "A label that has the tag key of a trusted one only before both are formatted should not take its place.",
			provider: "aws",
			reserved: "acme-*",
			fields:   `"keyFormats": [{"provider": "aws", "prefix": "acme-"}], `,
			forged:   `"keyForm": "Tag", "values": {"plexsphere:workspace": "forged"}`,
			want:     map[string]string{"acme-workspace": "platform", "plexsphere:workspace": "forged"},
		},
		"TooLong": {
			reason:   "A label that is skipped should not hide the trusted one that it has won over, for whatever reason.",
			provider: "aws",
			reserved: "other",
			forged:   `"values": {"workspace": "` + strings.Repeat("x", 300) + `"}`,
			want:     map[string]string{"plexsphere:workspace": "platform"},
			skipped:  []tags.SkippedLabel{{QualifiedKey: "workspace", TagKey: "plexsphere:workspace", Provider: "aws", Reason: "value-too-long"}},
		},
		"Collision": {
			reason:   "One that loses to another label on the cloud should not hide it, either. The trusted label wins over that label, too.",
			provider: "azure",
			reserved: "other",
			forged:   `"values": {"workspace": "forged", "Workspace": "forged"}`,
			want:     map[string]string{"plexsphere:workspace": "platform"},
			skipped: []tags.SkippedLabel{
				{QualifiedKey: "workspace", TagKey: "plexsphere:workspace", Provider: "azure", Reason: "key-collision"},
				{QualifiedKey: "Workspace", TagKey: "plexsphere:Workspace", Provider: "azure", Reason: "key-collision"},
			},
		},
		"OfOtherProvider": {reason: "Where the tag key isn't reserved, the later source should win.", provider: "hetzner", reserved: "acme-*", fields: `"keyFormats": [{"provider": "aws", "prefix": "acme-"}], `, want: map[string]string{"plexsphere:workspace": "forged"}},
	}

	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			forged := cmp.Or(tc.forged, `"values": {"workspace": "forged"}`)

			in := decode(t, fmt.Sprintf(`%s"provider": {"value": %q}, "reservedKeys": [%q], "sources": [
				{"type": "Value", "name": "platform", "trusted": true, "values": {"workspace": "platform"}},
				{"type": "Value", "name": "user", "onConflict": "Replace", %s}
			], "tagFields": [{"apiVersion": "*", "kind": "*", "fieldPath": "spec.forProvider.tags", "shape": "Map"}]`, tc.fields, tc.provider, tc.reserved, forged))

			got, out := stamped(t, in, tagstest.MustStructJSON(`{"apiVersion": "s3.example.org/v1", "kind": "Bucket", "spec": {"forProvider": {"tags": {}}}}`))
			if diff := gocmp.Diff(tc.want, got); diff != "" {
				t.Errorf("\n%s\nStamp(...): -want, +got:\n%s", tc.reason, diff)
			}

			var skipped []tags.SkippedLabel
			for _, s := range out.Skips {
				skipped = append(skipped, s.SkippedLabel)
			}

			if diff := gocmp.Diff(tc.skipped, skipped); diff != "" {
				t.Errorf("\n%s\nStamp(...): -want skipped, +got skipped:\n%s", tc.reason, diff)
			}
		})
	}
}

// TestSkippedOnce is about a label that is refused for two reasons, or from two
// sources.
func TestSkippedOnce(t *testing.T) {
	const input = `"sources": [
		{"type": "Value", "name": "platform", "trusted": true, "values": {"crossplane-kind": "a"}},
		{"type": "Value", "name": "user", "values": {"crossplane-kind": "b"}},
		{"type": "Value", "name": "other", "values": {"crossplane-kind": "c"}}
	]`

	// The kind has a narrow profile, so its resources are named.
	object := tagstest.MustStructJSON(`{"apiVersion": "s3.aws.upbound.io/v1beta1", "kind": "Object", "spec": {"forProvider": {}}}`)

	want := stamp.Skip{
		SkippedLabel: tags.SkippedLabel{QualifiedKey: "crossplane-kind", TagKey: "crossplane-kind", Provider: "aws", Reason: "reserved-key"},
		Limit:        "only the provider sets it",
		Trusted:      true,
		Resources:    []string{"bucket"},
	}

	// The sources of the key, by the reserved keys.
	for reserved, sources := range map[string][]string{
		`[]`:               {`sources[0] "platform"`, `sources[2] "other"`},
		`["crossplane-*"]`: {`sources[0] "platform"`, `sources[1] "user"`},
	} {
		want.Sources = sources
		in := decode(t, `"profileRules": "Cloud", "keyPrefix": "", "reservedKeys": `+reserved+`, "tagFields": [{"apiVersion": "*", "kind": "*", "fieldPath": "spec.forProvider.tags", "shape": "Map"}], `+input)

		_, out := stamped(t, in, object)
		if diff := gocmp.Diff([]stamp.Skip{want}, out.Skips, cmpopts.IgnoreFields(stamp.Skip{}, "Value", "Field")); diff != "" {
			t.Errorf("\nA label should be skipped once, and each resource be named once.\nStamp(...) with %s reserved: -want, +got:\n%s", reserved, diff)
		}
	}
}

// TestSkipSources proves that a skipped label has its sources, whatever the reason, and each source once.
func TestSkipSources(t *testing.T) {
	cases := map[string]struct {
		reason, sources string
		want            map[string][]string
	}{
		"LaterSource": {
			reason: "A later source overrides the label of an earlier one, so that only the later source should count.",
			sources: `{"type": "Value", "name": "zone", "values": {"a!": "1", "b!": "1"}},
				{"type": "Value", "name": "team", "values": {"a!": "2", "ok": "2"}}`,
			want: map[string][]string{"a!": {`sources[1] "team"`}, "b!": {`sources[0] "zone"`}},
		},
		"SourcePerResource": {
			reason: "A label of another source on each resource should have both sources, in their order.",
			sources: `{"type": "Value", "name": "zone", "values": {"a!": "1"}},
				{"type": "Value", "name": "logs", "values": {"a!": "2"}, "resources": [{"name": "logs*"}]}`,
			want: map[string][]string{"a!": {`sources[0] "zone"`, `sources[1] "logs"`}},
		},
		"CountCap": {
			reason:  "A label without a slot should have its source, too.",
			sources: `{"type": "Value", "values": {"a": "1"}}, {"type": "Value", "name": "team", "values": {"b": "2"}}`,
			want:    map[string][]string{"b": {`sources[1] "team"`}},
		},
	}

	bucket := &fnv1.Resource{Resource: tagstest.MustStructJSON(`{"apiVersion": "s3.aws.m.upbound.io/v1beta1", "kind": "Bucket", "spec": {"forProvider": {}}}`)}

	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			in := decode(t, `"providerTags": "None", "reservedTags": {"aws": 49}, "sources": [`+tc.sources+`]`)
			out := stampedAll(t, in, map[string]*fnv1.Resource{"bucket": bucket, "logs-a": bucket, "logs-b": bucket})

			got := make(map[string][]string)
			for _, s := range out.Skips {
				got[s.QualifiedKey] = s.Sources
			}

			if diff := gocmp.Diff(tc.want, got); diff != "" {
				t.Errorf("\n%s\nStamp(...): -want sources, +got sources:\n%s", tc.reason, diff)
			}
		})
	}
}
