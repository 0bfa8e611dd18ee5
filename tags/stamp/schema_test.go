package stamp_test

import (
	"cmp"
	"fmt"
	"os"
	"path/filepath"
	"testing"

	gocmp "github.com/google/go-cmp/cmp"
	ext "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions"
	extv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	structuralschema "k8s.io/apiextensions-apiserver/pkg/apiserver/schema"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/schema/pruning"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/validation"
	"sigs.k8s.io/yaml"

	fnv1 "github.com/crossplane/function-sdk-go/proto/v1"

	"github.com/plexsphere/function-cloud-tags/input/v1beta1"
	"github.com/plexsphere/function-cloud-tags/tags"
	"github.com/plexsphere/function-cloud-tags/tags/field"
	"github.com/plexsphere/function-cloud-tags/tags/locate"
	"github.com/plexsphere/function-cloud-tags/tags/stamp"
	"github.com/plexsphere/function-cloud-tags/tags/tagstest"
)

// noTagField are the kinds, among those that this test knows, of things that have no
// tags at their clouds, or that are tagged only if a rule names them.
var noTagField = map[string]bool{"Route": true, "RouterInterfaceV2": true, "AWSCluster": true, "AWSMachineTemplate": true}

// TestStampedResourcesAreValid proves that stamped resources are valid against the schema of their kind, and that the
// API server would prune nothing of them. The environment variable CRDS names another folder of CRDs to prove it for.
func TestStampedResourcesAreValid(t *testing.T) {
	files, err := filepath.Glob(filepath.Join(cmp.Or(os.Getenv("CRDS"), "../field/testdata/crds"), "*.yaml"))
	if err != nil || len(files) == 0 {
		t.Fatalf("cannot find CRDs: %v", err)
	}

	for _, file := range files {
		t.Run(filepath.Base(file), func(t *testing.T) {
			b := tagstest.ReadFile(t, file)

			crd := &extv1.CustomResourceDefinition{}
			if err := yaml.Unmarshal(b, crd); err != nil {
				t.Fatalf("cannot decode CRD: %v", err)
			}

			for _, v := range crd.Spec.Versions {
				checkStamped(t, crd.Spec.Group, crd.Spec.Names.Kind, &v)
			}
		})
	}
}

func checkStamped(t *testing.T, group, kind string, v *extv1.CustomResourceDefinitionVersion) {
	t.Helper()

	props := &ext.JSONSchemaProps{}
	if err := extv1.Convert_v1_JSONSchemaProps_To_apiextensions_JSONSchemaProps(v.Schema.OpenAPIV3Schema, props, nil); err != nil {
		t.Fatalf("cannot convert schema: %v", err)
	}

	structural, err := structuralschema.NewStructural(props)
	if err != nil {
		t.Fatalf("cannot make a structural schema: %v", err)
	}

	validator, _, err := validation.NewSchemaValidator(props)
	if err != nil {
		t.Fatalf("cannot make a validator: %v", err)
	}

	// Kinds that aren't Crossplane's have no spec.forProvider.
	spec := "{}"
	if _, ok := props.Properties["spec"].Properties["forProvider"]; ok {
		spec = `{"forProvider": {}}`
	}

	r := tagstest.MustStructJSON(fmt.Sprintf(`{"apiVersion": "%s/%s", "kind": %q, "spec": %s}`, group, v.Name, kind, spec))
	stamper := &stamp.Stamper{
		Finder: locate.Finder{
			Input:      &v1beta1.CloudTags{Sources: make([]v1beta1.Source, 1), LaunchedResources: v1beta1.LaunchedResourcesTag},
			NewLocator: func(field.Schemas) field.Locator { return field.BuiltIn() },
		},
		Transformer: tags.NewTransformer(tags.PropagatingLabelSet{"platform/env": "prod", "acme:checkout/owner": "team-a"}.Labels(tags.CloudTagPrefix), nil),
	}

	// Other missing fields have nothing to do with tags.
	before := validation.ValidateCustomResource(nil, r.AsMap(), validator).ToAggregate()

	targets, err := stamper.Targets(t.Context(), map[string]*fnv1.Resource{"r": {Resource: r}})
	if err != nil {
		t.Fatal(err)
	}

	o, err := stamper.Stamp(t.Context(), targets)
	if err != nil {
		t.Fatalf("Stamp(...): unexpected error: %v", err)
	}

	if noTagField[kind] {
		if len(o.Changed) > 0 {
			t.Errorf("%s %s: stamped a resource that has no tag field: %v", v.Name, kind, o)
		}

		return
	}

	stamped := o.Changed["r"].Struct().AsMap()
	if len(stamped) == 0 {
		t.Fatalf("%s %s: the resource was not stamped: %v", v.Name, kind, o)
	}

	after := validation.ValidateCustomResource(nil, stamped, validator).ToAggregate()

	if diff := gocmp.Diff(fmt.Sprint(before), fmt.Sprint(after)); diff != "" {
		t.Errorf("%s %s: stamping the resource made it invalid: -before, +after:\n%s", v.Name, kind, diff)
	}

	if pruned := pruning.PruneWithOptions(stamped, structural, true, structuralschema.UnknownFieldPathOptions{TrackUnknownFieldPaths: true}); len(pruned) > 0 {
		t.Errorf("%s %s: the API server would prune %v", v.Name, kind, pruned)
	}
}
