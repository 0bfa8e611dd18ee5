package load

import (
	"fmt"
	"slices"
	"strings"

	"google.golang.org/protobuf/types/known/structpb"

	fnv1 "github.com/crossplane/function-sdk-go/proto/v1"
)

// A Hostile request is one in which the author of a composite resource has made something as
// long as a request can be, or as long as the function accepts.
type Hostile struct {
	Name    string
	Request *fnv1.RunFunctionRequest
}

// Sizes of hostile requests: what the function accepts of labels, patterns and items, and as many
// resources as large composite resources have.
const (
	accepted  = 1000
	resources = 500
)

// HostileRequests returns requests with much of one thing each: first with more than the function
// accepts, then with as much as it does.
func HostileRequests() []Hostile {
	name := `{"type": "Expression", "expressions": {"Name": "xr.metadata.name + '-' + name"}}`
	labels := `{"type": "CompositeField", "fromFieldPath": "spec.labels"}`
	removes := `"removeTags": [{"key": "legacy"}]`
	clouds := []string{"s3.aws.upbound.io/v1beta1 Bucket", "storage.azure.upbound.io/v1beta1 Account", "storage.gcp.upbound.io/v1beta1 Bucket", "server.hetzner.m.crossplane.io/v1alpha1 Server"}

	var expressions, more []string
	for i := range 12 {
		expressions = append(expressions, fmt.Sprintf(`"e%d": "name + '/%d'"`, i, i))
	}

	for i := range accepted / 2 {
		more = append(more, fmt.Sprintf(`"e%d": "name + '/%d'"`, i, i))
	}

	twelve := `{"type": "Expression", "expressions": {` + strings.Join(expressions, ", ") + `}}`
	half := `{"type": "Expression", "expressions": {` + strings.Join(more, ", ") + `}}`
	copies := `"kubernetesMetadata": [{"source": {"type": "CompositeMetadata"}, "select": {"all": true}, "copy": ["Annotations"], "toFieldPaths": {"annotations": ["spec.pools[*].annotations"]}}]`
	patterns := `"removeTags": [{"fromFieldPath": "spec.remove"}], "ignoreTags": [{"fromFieldPath": "spec.remove"}]`

	return []Hostile{
		{"30,000 labels and one of a name, 100 resources", hostile(`"sources": [`+name+`, `+labels+`], `+removes, xr{labels: 30_000}, 100, clouds[:1])},
		{"14,000 labels and 12 of names, 500 resources", hostile(`"sources": [`+twelve+`, `+labels+`]`, xr{labels: 14_000}, resources, clouds[:1])},
		{"409 kB of annotations to 1,000 items", hostile(copies, xr{annotations: 40, annotation: 10_000, items: accepted}, 1, clouds[:1])},
		{"9,000 short labels on four clouds", hostile(`"sources": [`+labels+`]`, xr{labels: 9000}, 4, clouds)},
		{"100,000 patterns", hostile(`"sources": [`+labels+`], `+patterns, xr{labels: 10, patterns: 100_000}, 100, clouds)},

		{"1,000 labels with one of a name, 500 resources", hostile(`"sources": [`+name+`, `+labels+`], `+removes, xr{labels: accepted - 1}, resources, clouds[:1])},
		{"1,000 labels with 12 of names, 500 resources", hostile(`"sources": [`+twelve+`, `+labels+`]`, xr{labels: accepted - 12}, resources, clouds)},
		{"1,000 labels with 500 of names, 500 resources", hostile(`"sources": [`+half+`, `+labels+`]`, xr{labels: accepted / 2}, resources, clouds[:1])},
		{"1,000 labels on four clouds, 500 resources", hostile(`"sources": [`+labels+`]`, xr{labels: accepted}, resources, clouds)},
		{"1,000 labels, 500 patterns to remove and to ignore, 500 resources", hostile(`"sources": [`+labels+`], `+patterns, xr{labels: accepted, patterns: accepted / 2}, resources, clouds)},
		{"4 kB of annotations to 1,000 items", hostile(copies, xr{annotations: 40, annotation: 90, items: accepted}, 1, clouds[:1])},
		{"8 kB of annotations to 500 resources", hostile(strings.ReplaceAll(copies, "spec.pools[*]", "metadata"), xr{annotations: 40, annotation: 190}, resources, clouds)},
	}
}

// xr is how much a composite resource has of each thing.
type xr struct{ labels, patterns, annotations, annotation, items int }

// hostile returns a request with the input and with so many resources of the kinds in turn.
func hostile(input string, of xr, resources int, kinds []string) *fnv1.RunFunctionRequest {
	labels, annotations := &structpb.Struct{Fields: map[string]*structpb.Value{}}, &structpb.Struct{Fields: map[string]*structpb.Value{}}
	for i := range of.labels {
		labels.Fields[fmt.Sprintf("label-%05d", i)] = structpb.NewStringValue("v")
	}

	for i := range of.annotations {
		annotations.Fields[fmt.Sprintf("note-%05d", i)] = structpb.NewStringValue(strings.Repeat("x", of.annotation))
	}

	patterns := &structpb.ListValue{}
	for i := range of.patterns {
		patterns.Values = append(patterns.Values, structpb.NewStringValue(fmt.Sprintf("pattern-%06d-*", i)))
	}

	req := &fnv1.RunFunctionRequest{
		Input:    object([]byte(`{"apiVersion": "cloudtags.fn.plexsphere.com/v1beta1", "kind": "CloudTags", `+input+`}`), ""),
		Observed: &fnv1.State{Composite: &fnv1.Resource{Resource: object([]byte(`{"apiVersion": "example.org/v1", "kind": "XR", "metadata": {"name": "xr"}, "spec": {}}`), "")}},
		Desired:  &fnv1.State{Resources: make(map[string]*fnv1.Resource, resources)},
	}

	composite := req.GetObserved().GetComposite().GetResource().GetFields()
	composite["metadata"].GetStructValue().GetFields()["annotations"] = structpb.NewStructValue(annotations)

	spec := composite["spec"].GetStructValue()
	spec.Fields = map[string]*structpb.Value{"labels": structpb.NewStructValue(labels), "remove": structpb.NewListValue(patterns)}

	items := strings.Join(slices.Repeat([]string{`{}`}, of.items), ", ")

	for i := range resources {
		apiVersion, kind, _ := strings.Cut(kinds[i%len(kinds)], " ")
		text := fmt.Sprintf(`{"apiVersion": %q, "kind": %q, "metadata": {"labels": {"app": "x"}}, "spec": {"pools": [%s], "forProvider": {"region": "eu"}}}`, apiVersion, kind, items)
		req.Desired.Resources[fmt.Sprintf("resource-%04d", i)] = &fnv1.Resource{Resource: object([]byte(text), "")}
	}

	return req
}
