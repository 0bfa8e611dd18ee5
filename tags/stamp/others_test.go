package stamp

import (
	"testing"

	"github.com/crossplane/function-sdk-go/resource"

	"github.com/plexsphere/function-cloud-tags/tags/object"
	"github.com/plexsphere/function-cloud-tags/tags/target"
)

func TestComposedOwner(t *testing.T) {
	// By ComposedFieldOwnerName of Crossplane v1.20.0 and v2.4.0, which hash the name, the kind and
	// the group: assetsStorage.platform.example.org.
	cases := map[string]struct {
		reason, xr, want string
	}{
		"Namespaced": {
			reason: "The namespace and the version should not count.",
			xr:     `{"apiVersion": "platform.example.org/v1alpha1", "kind": "Storage", "metadata": {"namespace": "team-a", "name": "assets"}}`,
			want:   "apiextensions.crossplane.io/composed/133438eaafad7fbff53991ac4acf1cadbb1aced6647d6703a4778eb7f5c9537e",
		},
		"ClusterScoped": {
			reason: "That of a claim is cluster-scoped.",
			xr:     `{"apiVersion": "platform.example.org/v1", "kind": "Storage", "metadata": {"name": "assets"}}`,
			want:   "apiextensions.crossplane.io/composed/133438eaafad7fbff53991ac4acf1cadbb1aced6647d6703a4778eb7f5c9537e",
		},
		"NoGroup": {
			reason: "A kind without a group has no dot.",
			xr:     `{"apiVersion": "v1", "kind": "Storage", "metadata": {"name": "assets"}}`,
			want:   "apiextensions.crossplane.io/composed/a3b71ebaf406a2bc3996548c177f961bf8e200adf7a9a30cfe9548f9a7d634bf",
		},
	}

	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			if got := target.ComposedOwner(object.Tree(resource.MustStructJSON(tc.xr))); got != tc.want {
				t.Errorf("\n%s\nComposedOwner(%s): want %s, got %s", tc.reason, tc.xr, tc.want, got)
			}
		})
	}
}
