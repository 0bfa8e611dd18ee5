package locate_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"google.golang.org/protobuf/testing/protocmp"

	"github.com/plexsphere/function-cloud-tags/tags/locate"
	"github.com/plexsphere/function-cloud-tags/tags/object"
	"github.com/plexsphere/function-cloud-tags/tags/tagstest"
)

func TestApplied(t *testing.T) {
	xr := object.FromStruct(tagstest.MustStructJSON(`{"apiVersion": "example.org/v1", "kind": "XR", "metadata": {"name": "a"}}`))
	ours := locate.ComposedOwner(xr)

	// resource returns a resource with the spec, and with the fieldsV1 of field managers if there are any.
	resource := func(spec string, owned ...string) object.Object {
		var managers []string
		for i := 0; i < len(owned); i += 2 {
			managers = append(managers, fmt.Sprintf(`{"manager": %q, "fieldsV1": %s}`, owned[i], owned[i+1]))
		}

		list := ""
		if len(managers) > 0 {
			list = `, "managedFields": [` + strings.Join(managers, ", ") + "]"
		}

		return object.FromStruct(tagstest.MustStructJSON(`{"apiVersion": "v1", "kind": "K", "metadata": {"name": "r", "namespace": "ns", "uid": "u"` + list + `}, "spec": ` + spec + "}"))
	}

	const tags = `{"tags": {"env": "prod", "owner": "me"}, "region": "eu"}`

	cases := map[string]struct {
		reason   string
		observed object.Object
		want     string
	}{
		"Map": {
			reason:   "Only the entries that Crossplane owns should be applied.",
			observed: resource(tags, ours, `{"f:spec": {"f:tags": {"f:env": {}}}}`, "kubectl-edit", `{"f:spec": {"f:tags": {"f:owner": {}}, "f:region": {}}}`),
			want:     `{"tags": {"env": "prod"}}`,
		},
		"Both": {
			reason:   "What another field manager owns, too, is applied nevertheless.",
			observed: resource(tags, ours, `{"f:spec": {"f:tags": {".": {}, "f:env": {}}}}`, "kubectl-edit", `{"f:spec": {"f:tags": {"f:env": {}}}}`),
			want:     `{"tags": {"env": "prod"}}`,
		},
		"SeveralOfOurs": {
			reason:   "Crossplane has had other names.",
			observed: resource(tags, ours, `{"f:spec": {"f:tags": {"f:env": {}}}}`, "crossplane", `{"f:spec": {"f:tags": {"f:owner": {}}}}`),
			want:     `{"tags": {"env": "prod", "owner": "me"}}`,
		},
		"Atomic": {
			reason:   "A field that is owned as a whole is applied as a whole.",
			observed: resource(tags, ours, `{"f:spec": {"f:tags": {}}}`),
			want:     `{"tags": {"env": "prod", "owner": "me"}}`,
		},
		"Items": {
			reason:   "An item of a list is known by its keys.",
			observed: resource(`{"tags": [{"key": "env", "value": "prod"}, {"key": "owner", "value": "me"}]}`, ours, `{"f:spec": {"f:tags": {"k:{\"key\":\"owner\"}": {".": {}, "f:key": {}, "f:value": {}}}}}`),
			want:     `{"tags": [{"key": "owner", "value": "me"}]}`,
		},
		"Strings": {
			reason:   "A string of a set is known by itself.",
			observed: resource(`{"tags": ["env=prod", "owner=me"]}`, ours, `{"f:spec": {"f:tags": {"v:\"env=prod\"": {}}}}`),
			want:     `{"tags": ["env=prod"]}`,
		},
		"Positions": {
			reason:   "An item can be known by its position.",
			observed: resource(`{"disks": [{"size": 1}, {"size": 2}]}`, ours, `{"f:spec": {"f:disks": {"i:1": {"f:size": {}}}}}`),
			want:     `{"disks": [{"size": 2}]}`,
		},
		"Broken": {
			reason:   "Elements that nobody knows own nothing.",
			observed: resource(`{"tags": ["env=prod"]}`, ours, `{"f:spec": {"f:tags": {"v:env": {}, "x:1": {}}}}`),
			want:     `{"tags": []}`,
		},
		"NothingOfOurs": {
			reason:   "Crossplane may have applied nothing yet.",
			observed: resource(tags, "kubectl-edit", `{"f:spec": {"f:tags": {"f:owner": {}}}}`),
		},
		"Unknown": {
			reason:   "Without managedFields, nobody knows better than that all is Crossplane's.",
			observed: resource(tags),
			want:     tags,
		},
	}

	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			want := tagstest.MustStructJSON(`{"apiVersion": "v1", "kind": "K", "metadata": {"name": "r", "namespace": "ns"}}`)
			if tc.want != "" {
				want.Fields["spec"] = tagstest.MustStructJSON(`{"spec": ` + tc.want + "}").GetFields()["spec"]
			}

			got := locate.Applied(tc.observed, xr)
			delete(got.GetFields()["metadata"].GetStructValue().GetFields(), "uid") // Unknown has all of the resource.

			if diff := cmp.Diff(want, got, protocmp.Transform()); diff != "" {
				t.Errorf("\n%s\nApplied(...): -want, +got:\n%s", tc.reason, diff)
			}
		})
	}
}
