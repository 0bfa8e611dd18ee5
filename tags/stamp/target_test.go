package stamp

import (
	"testing"

	"google.golang.org/protobuf/types/known/structpb"

	fnv1 "github.com/crossplane/function-sdk-go/proto/v1"

	"github.com/plexsphere/function-cloud-tags/input/v1beta1"
	"github.com/plexsphere/function-cloud-tags/tags/field"
	"github.com/plexsphere/function-cloud-tags/tags/locate"
	"github.com/plexsphere/function-cloud-tags/tags/object"
	"github.com/plexsphere/function-cloud-tags/tags/tagstest"
)

func TestManaged(t *testing.T) {
	cases := map[string]struct {
		reason     string
		apiVersion string
		rest       string
		want       bool
	}{
		"ForProvider":      {reason: "What a provider gets makes a managed resource.", rest: `, "spec": {"forProvider": {"a": 1}, "other": true}`, want: true},
		"Bare":             {reason: "A resource of only an apiVersion and a kind may be one.", want: true},
		"EmptySpec":        {reason: "An empty spec counts as none.", rest: `, "spec": {}`, want: true},
		"NullSpec":         {reason: "Null counts as none.", rest: `, "spec": null, "data": null`, want: true},
		"NullFields":       {reason: "Null counts as none.", rest: `, "spec": {"forProvider": null, "other": null}`, want: true},
		"MetadataOnly":     {reason: "All objects have metadata, and many a status.", rest: `, "metadata": {"labels": {"a": "b"}}, "status": {"x": 1}`, want: true},
		"CommonFieldsOnly": {reason: "All managed resources have these.", rest: `, "spec": {"providerConfigRef": {"name": "a"}, "managementPolicies": ["*"], "deletionPolicy": "Orphan", "writeConnectionSecretToRef": {"name": "s"}, "publishConnectionDetailsTo": {"name": "s"}, "initProvider": {"a": 1}}`, want: true},
		"OtherFields":      {reason: "Most nested XRs have fields of their own.", rest: `, "spec": {"providerConfigRef": {"name": "a"}, "size": "large"}`},
		"SpecIsList":       {reason: "A spec that is no object says nothing of a provider.", rest: `, "spec": []`},
		"ForProviderList":  {reason: "A provider gets an object.", rest: `, "spec": {"forProvider": []}`},
		"TopLevelField":    {reason: "Managed resources have nothing beside spec and status.", rest: `, "spec": {"forProvider": {}}, "data": {}`},
		"CoreGroup":        {reason: "Kubernetes' own kinds are not managed.", apiVersion: "v1"},
		"NoDot":            {reason: "Kubernetes' own groups have no dot.", apiVersion: "apps/v1", rest: `, "spec": {"forProvider": {}}`},
		"KubernetesGroup":  {reason: "Nor are its newer ones managed.", apiVersion: "gateway.networking.k8s.io/v1"},
		"KubernetesItself": {reason: "Nor are its newer ones managed.", apiVersion: "k8s.io/v1"},
		"LooksLikeIt":      {reason: "A group that only ends in the same letters is another.", apiVersion: "notk8s.io/v1", want: true},
		"OwnGroup":         {reason: "The XR's own group has XRs.", apiVersion: "platform.example.org/v1", rest: `, "spec": {"forProvider": {}}`},
	}

	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			apiVersion := tc.apiVersion
			if apiVersion == "" {
				apiVersion = "vm.generic.plexsphere.com/v1alpha1"
			}

			s := &Stamper{Finder: locate.Finder{Input: &v1beta1.CloudTags{}, CompositeGroup: "platform.example.org", NewLocator: everywhere(field.Field{})}}
			r := tagstest.MustStructJSON(`{"apiVersion": "` + apiVersion + `", "kind": "VirtualMachine"` + tc.rest + `}`)

			if got := kindOf(s, r).Managed; got != tc.want {
				t.Errorf("\n%s\nwant managed %t, got %t", tc.reason, tc.want, got)
			}
		})
	}
}

// TestProfile tests whose word on the tag profile counts.
func TestProfile(t *testing.T) {
	const bucket = "s3.aws.upbound.io/v1beta1"

	cases := map[string]struct {
		reason string

		// rule, input and other are the providers that the tagFields rule, the input and
		// a field of the XR or a class name.
		rule, input, other string

		apiVersion string
		want       string

		// usual is the profile whose usual field the kind has.
		usual string
	}{
		"Rule":      {reason: "The rule for the kind comes first.", rule: "gcp", input: "hetzner", other: "azure", apiVersion: bucket, want: "gcp", usual: "aws"},
		"Input":     {reason: "Then comes the input. It does not move the field of a known provider's kind.", input: "hetzner", other: "azure", apiVersion: bucket, want: "hetzner", usual: "aws"},
		"Family":    {reason: "An XR's author can't make another provider of a kind.", other: "gcp", apiVersion: bucket, want: "aws", usual: "aws"},
		"NoFamily":  {reason: "Of a kind of an unknown provider, the XR's author or a class can.", other: "Hetzner", apiVersion: "example.org/v1", want: "hetzner"},
		"Unknown":   {reason: "A provider without a profile is generic.", input: "amazon", apiVersion: "example.org/v1", want: "generic", usual: "generic"},
		"Nobody":    {reason: "Else the generic profile applies.", apiVersion: "example.org/v1", want: "generic"},
		"InputOnly": {reason: "The input makes the field of an unknown provider's kind known.", input: "AWS", apiVersion: "example.org/v1", want: "aws", usual: "aws"},
		"NotClouds": {reason: "A provider of no cloud has no profile of its own.", other: "aws", apiVersion: "helm.crossplane.io/v1beta1", want: "aws"},
	}

	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			in := &v1beta1.CloudTags{Sources: []v1beta1.Source{{}}}
			if tc.input != "" {
				in.Provider = &v1beta1.StringSource{Value: tc.input}
			}

			f := shapes["Map"].field
			f.EntryProvider = tc.rule

			s := &Stamper{Finder: locate.Finder{Input: in, Provider: tc.other, NewLocator: everywhere(f)}, Transformer: transformer(label("a", "1"))}
			r := tagstest.MustStructJSON(`{"apiVersion": "` + tc.apiVersion + `", "kind": "Bucket", "spec": {"forProvider": {}}}`)

			if got := kindOf(s, r).Profile; got != tc.usual {
				t.Errorf("\n%s\nwant the usual field of %q, got that of %q", tc.reason, tc.usual, got)
			}

			out, err := stampAll(s, map[string]*fnv1.Resource{"r": {Resource: r}})
			if err != nil || len(out.Results) != 1 || !out.Results[0].IsTagged() {
				t.Fatalf("\n%s\nStamp(...): want one resource with tags, got %+v, %v", tc.reason, out, err)
			}

			if got := out.Results[0].Provider; got != tc.want {
				t.Errorf("\n%s\nStamp(...): want the profile %q, got %q", tc.reason, tc.want, got)
			}
		})
	}
}

// kindOf r, as the Stamper s sees it.
func kindOf(s *Stamper, r *structpb.Struct) *locate.TargetKind {
	return s.NewTargets().Read("r", object.FromStruct(r)).Kind
}
