package load

import (
	"fmt"

	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/types/known/structpb"
	"sigs.k8s.io/yaml"

	fnv1 "github.com/crossplane/function-sdk-go/proto/v1"

	"github.com/plexsphere/function-cloud-tags/tags/require"
)

// A Form says where an input is.
type Form string

// The forms of inputs.
const (
	// Written is an input of a pipeline step.
	Written Form = "written"

	// Text and Object are standards, as strings of YAML and as objects. The input of the pipeline step only
	// extends them.
	Text   Form = "text"
	Object Form = "object"
)

// lines is how many values the input has of which nothing is included, so that it is long and gives no labels.
const lines = 190

// Extending returns a settled request with so many resources and labels, and with an input of 200 lines of YAML in this
// form.
func Extending(form Form, resources, labels int, function Function) (*fnv1.RunFunctionRequest, error) {
	in := Input(Field, labels)

	values := &structpb.Struct{Fields: make(map[string]*structpb.Value, lines)}
	for i := range lines {
		values.Fields[fmt.Sprintf("platform/line-%03d", i)] = structpb.NewStringValue("value")
	}

	sources := in.GetFields()["sources"].GetListValue()
	sources.Values = append(sources.Values, structpb.NewStructValue(&structpb.Struct{Fields: map[string]*structpb.Value{
		"type":    structpb.NewStringValue("Value"),
		"values":  structpb.NewStructValue(values),
		"include": structpb.NewStructValue(object([]byte(`{"keys": []}`), "")),
	}}))

	req, err := Request(Settled, resources, labels, function)
	if err != nil {
		return nil, err
	}

	if form == Written {
		req.Input = in
		return req, nil
	}

	standard := object([]byte(`{"apiVersion": "a/v1", "kind": "Standard", "metadata": {"name": "NAME"}}`), "tags")
	standard.Fields["spec"] = structpb.NewStructValue(in)

	if form == Text {
		text, err := yaml.Marshal(in.AsMap())
		if err != nil {
			return nil, err
		}

		standard.Fields["spec"] = structpb.NewStringValue(string(text))
	}

	req.Input = object([]byte(`{"apiVersion": "cloudtags.fn.plexsphere.com/v1beta1", "kind": "CloudTags",
		"extends": {"apiVersion": "a/v1", "kind": "Standard", "name": "NAME", "fromFieldPath": "spec"}}`), "tags")

	rsp, err := function(proto.CloneOf(req))
	if err == nil {
		require.Answer(req, rsp.GetRequirements(), []*structpb.Struct{standard})
	}

	return req, err
}
