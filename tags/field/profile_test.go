package field

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	"google.golang.org/protobuf/testing/protocmp"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/plexsphere/function-cloud-tags/tags/object"
)

func TestByProfileLocate(t *testing.T) {
	gvk := schema.GroupVersionKind{Group: "example.org", Version: "v1", Kind: "Thing"}

	// in returns a kind, which the index doesn't have, in the supplied group.
	in := func(group string) schema.GroupVersionKind {
		return schema.GroupVersionKind{Group: group, Version: "v1beta1", Kind: "NotInTheIndex"}
	}

	// at returns a map at the supplied path below spec.forProvider, which the provider
	// reports at the observed ones below status.atProvider.
	at := func(path string, observed ...string) Field {
		f := Field{Path: object.MustParsePath("spec.forProvider." + path), Shape: Map}
		for _, o := range observed {
			f.Observed = append(f.Observed, object.MustParsePath("status.atProvider."+o))
		}

		return f
	}

	type want struct {
		field Field
		ok    bool
	}

	cases := map[string]struct {
		reason string
		kind   Kind
		want   want
	}{
		"AWS": {
			reason: "The managed resources of AWS keep their tags in tags. The cloud's tags are most complete in tagsAll.",
			kind:   Kind{GroupVersionKind: gvk, Profile: "aws", Managed: true},
			want:   want{field: at("tags", "tagsAll", "tags"), ok: true},
		},
		"Hetzner": {
			reason: "The managed resources of Hetzner keep their tags in labels.",
			kind:   Kind{GroupVersionKind: gvk, Profile: "hetzner", Managed: true},
			want:   want{field: at("labels", "labels"), ok: true},
		},
		"OpenStack": {
			reason: "The managed resources of OpenStack keep their tags in metadata. The cloud's are most complete in allMetadata.",
			kind:   Kind{GroupVersionKind: gvk, Profile: "openstack", Managed: true},
			want:   want{field: at("metadata", "allMetadata", "metadata"), ok: true},
		},
		"Azure": {
			reason: "The managed resources of Azure keep their tags in tags.",
			kind:   Kind{GroupVersionKind: gvk, Profile: "azure", Managed: true},
			want:   want{field: at("tags", "tags"), ok: true},
		},
		"GCP": {
			reason: "The managed resources of Google Cloud keep their tags in labels. What they call tags is for networks. The cloud's labels are most complete in effectiveLabels.",
			kind:   Kind{GroupVersionKind: gvk, Profile: "gcp", Managed: true},
			want:   want{field: at("labels", "effectiveLabels", "terraformLabels", "labels"), ok: true},
		},
		"GroupOfIndex": {
			reason: "The index would have a kind of a group that it has, if the kind had a tag field.",
			kind:   Kind{GroupVersionKind: in("ec2.aws.upbound.io"), Profile: "aws", Managed: true},
		},
		"NamespacedGroupOfIndex": {
			reason: "The index has the namespaced twins of groups too.",
			kind:   Kind{GroupVersionKind: in("storage.gcp.m.upbound.io"), Profile: "gcp", Managed: true},
		},
		"GroupOfIndexOtherProfile": {
			reason: "What the index knows of a group holds whatever provider the input names.",
			kind:   Kind{GroupVersionKind: in("storage.azure.upbound.io"), Profile: "generic", Managed: true},
		},
		"GroupBesideIndex": {
			reason: "A group that the index doesn't have may be a new one of a provider that it knows.",
			kind:   Kind{GroupVersionKind: in("quantum.aws.upbound.io"), Profile: "aws", Managed: true},
			want: want{field: Field{
				Path: object.MustParsePath("spec.forProvider.tags"), Shape: Map, Observed: []object.Path{object.MustParsePath("status.atProvider.tagsAll"), object.MustParsePath("status.atProvider.tags")},
				ProviderTags: []string{"crossplane-kind", "crossplane-name", "crossplane-providerconfig"}, LateInit: true,
			}, ok: true},
		},
		"CoreGroup": {
			reason: "The core group is none of the index.",
			kind:   Kind{GroupVersionKind: in(""), Profile: "aws", Managed: true},
			want:   want{field: at("tags", "tagsAll", "tags"), ok: true},
		},
		"DigitalOcean": {
			reason: "The managed resources of DigitalOcean keep their tags in no field that is usual.",
			kind:   Kind{GroupVersionKind: gvk, Profile: "digitalocean", Managed: true},
		},
		"Generic": {
			reason: "The managed resources of other providers that were asked for are taken to keep their tags in tags.",
			kind:   Kind{GroupVersionKind: gvk, Profile: "generic", Managed: true},
			want:   want{field: at("tags", "tagsAll", "tags"), ok: true},
		},
		"NoProfile": {
			reason: "Nothing is known about the kinds of a provider that nobody named.",
			kind:   Kind{GroupVersionKind: gvk, Managed: true},
		},
		"UnknownProfile": {
			reason: "Nothing is known about the kinds of a profile that has no field.",
			kind:   Kind{GroupVersionKind: gvk, Profile: "example", Managed: true},
		},
		"NotManaged": {
			reason: "A resource that no provider manages has no tags.",
			kind:   Kind{GroupVersionKind: gvk, Profile: "aws"},
		},
		"Nothing": {
			reason: "Nothing is known about nothing.",
		},
	}

	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			// What a locator answers beside false says nothing.
			f, ok := ByProfile{}.Locate(tc.kind)
			if !ok {
				f = Field{}
			}

			if diff := cmp.Diff(tc.want, want{field: f, ok: ok}, cmp.AllowUnexported(want{}), protocmp.Transform()); diff != "" {
				t.Errorf("\n%s\nLocate(...): -want, +got:\n%s", tc.reason, diff)
			}
		})
	}
}
