package resolve

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"sigs.k8s.io/yaml"

	fnv1 "github.com/crossplane/function-sdk-go/proto/v1"

	"github.com/plexsphere/function-cloud-tags/input/v1beta1"
	"github.com/plexsphere/function-cloud-tags/tags/require"
	"github.com/plexsphere/function-cloud-tags/tags/tagstest"
)

// TestSourceTypes proves that Resolve and Title know each type of the input's schema, and that other types are refused.
func TestSourceTypes(t *testing.T) {
	text := tagstest.ReadFile(t, "../../package/input/cloudtags.fn.plexsphere.com_cloudtags.yaml")

	crd := apiextensionsv1.CustomResourceDefinition{}
	if err := yaml.Unmarshal(text, &crd); err != nil {
		t.Fatal(err)
	}

	types := crd.Spec.Versions[0].Schema.OpenAPIV3Schema.Properties["sources"].Items.Schema.Properties["type"].Enum
	req := &fnv1.RunFunctionRequest{}

	for _, j := range types {
		var typ v1beta1.SourceType
		if err := yaml.Unmarshal(j.Raw, &typ); err != nil {
			t.Fatal(err)
		}

		in := &v1beta1.CloudTags{Sources: []v1beta1.Source{{Type: typ, Resource: &v1beta1.RequiredResource{}}}}
		_, err := Resolve(context.Background(), in, req, require.New(req), nil)
		if strings.Contains(fmt.Sprint(err), "there is no type") || Title(&in.Sources[0], nil) == string(typ) {
			t.Errorf("sources of the type %s can't be resolved, or have no title", typ)
		}

		if kinds := KindsRead(&in.Sources[0], v1beta1.ResourceKind{}); kinds != nil {
			t.Errorf("a source of the type %s without a prefix reads labels and annotations of %v", typ, kinds)
		}
	}

	in := &v1beta1.CloudTags{Sources: []v1beta1.Source{{Type: "Other"}}}

	set, err := Resolve(context.Background(), in, req, require.New(req), nil)
	if diff := cmp.Diff(`cannot resolve sources[0]: there is no type "Other" of sources`, fmt.Sprint(err)); diff != "" || len(set.Labels) > 0 {
		t.Errorf("Resolve(...): -want error, +got error:\n%s", diff)
	}

	if got := Title(&in.Sources[0], nil); got != "Other" {
		t.Errorf("Title(...): want Other, got %s", got)
	}
}
