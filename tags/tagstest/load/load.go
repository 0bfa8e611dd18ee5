// Package load makes requests as Crossplane sends them, of as many resources and labels as
// a measurement wants.
package load

import (
	_ "embed"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"strings"

	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/types/known/structpb"
	"sigs.k8s.io/yaml"

	fnv1 "github.com/crossplane/function-sdk-go/proto/v1"
)

// A State says which resources of a request have the function's tags.
type State string

// The states of requests.
const (
	// Changed is the state after labels have changed: neither desired nor observed resources have them.
	Changed State = "changed"

	// Settled is the state of an answer that comes back: desired and observed resources have them.
	Settled State = "settled"

	// Stable is what nearly every reconcile comes with: only observed resources have them,
	// since the steps before make the desired ones anew.
	Stable State = "stable"
)

// A Source says where the labels of a request come from.
type Source string

// The sources of labels.
const (
	// Field is a map of the composite resource, as of each request that Request returns.
	Field Source = "field"

	// Kind is the same, and one label more that only resources of one kind have.
	Kind Source = "kind"

	// Name, Desired and Observed are expressions of the same map. Every other one mentions
	// what it is called of the composed resource, too, so that its labels differ.
	Name     Source = "name"
	Desired  Source = "desired"
	Observed Source = "observed"
)

// additions are added to the label in every other expression. They read the composed resource.
var additions = map[Source]string{
	Name: "name", Desired: "desired.spec.forProvider.region + '/' + desired.metadata.name", Observed: "observed.?status.?atProvider.?id.orValue('none')",
}

// Input returns the function's input for so many labels of a source.
func Input(source Source, labels int) *structpb.Struct {
	in := object(template.Input, "")
	if source == Kind {
		sources := in.GetFields()["sources"].GetListValue()
		sources.Values = append(sources.Values, structpb.NewStructValue(object([]byte(`{"type": "Value", "values": {"platform/kind": "instance"}, "resources": [{"kind": "Instance"}]}`), "")))
	}

	if source == Field || source == Kind {
		return in
	}

	expressions := &structpb.Struct{Fields: make(map[string]*structpb.Value, labels)}

	for i := range labels {
		text := "xr.spec.labels['" + key(i) + "']"
		if i%2 == 1 {
			text += " + '/' + " + additions[source]
		}

		expressions.Fields[key(i)] = structpb.NewStringValue(text)
	}

	first := in.GetFields()["sources"].GetListValue().GetValues()[0].GetStructValue()
	first.Fields = map[string]*structpb.Value{"type": structpb.NewStringValue("Expression"), "expressions": structpb.NewStructValue(expressions)}

	return in
}

// key of a label.
func key(i int) string { return fmt.Sprintf("platform/label-%04d", i) }

//go:embed request.yaml
var file []byte

// template is what requests are made of, as JSON. NAME is the name of a resource.
var template = parse()

type parts struct {
	Input     json.RawMessage   `json:"input"`
	Composite json.RawMessage   `json:"composite"`
	Kinds     []json.RawMessage `json:"kinds"`
	Observed  json.RawMessage   `json:"observed"`
}

func parse() parts {
	p := parts{}
	if err := yaml.UnmarshalStrict(file, &p); err != nil {
		panic(err)
	}

	return p
}

// A Function tags resources. It may keep and change the request.
type Function func(*fnv1.RunFunctionRequest) (*fnv1.RunFunctionResponse, error)

// Request returns a request with so many resources, of a few kinds in turn, and with so many labels of the
// composite resource. It calls the function to tag the resources, and returns an error if the function doesn't
// tag them.
func Request(state State, resources, labels int, function Function) (*fnv1.RunFunctionRequest, error) {
	return tagged(request(resources, labels), state, labels, function)
}

// tagged returns the request in the state, which the function tags resources for.
func tagged(req *fnv1.RunFunctionRequest, state State, labels int, function Function) (*fnv1.RunFunctionRequest, error) {
	rsp, err := function(proto.CloneOf(req))

	switch {
	case err != nil:
		return nil, fmt.Errorf("cannot tag resources: %w", err)
	case rsp.GetRequirements() != nil:
		return nil, errors.New("cannot tag resources: the function asks for more than the request has")
	}

	for _, r := range rsp.GetResults() {
		if r.GetSeverity() == fnv1.Severity_SEVERITY_FATAL {
			return nil, fmt.Errorf("cannot tag resources: %s", r.GetMessage())
		}
	}

	for name, r := range req.GetDesired().GetResources() {
		tagged := rsp.GetDesired().GetResources()[name]
		if labels > 0 && proto.Equal(r, tagged) || tagged == nil {
			return nil, fmt.Errorf("cannot tag resources: the function has left %s as it was, or dropped it", name)
		}

		if state != Changed {
			req.Observed.Resources[name] = observe(name, tagged.GetResource())
		}
	}

	if state == Settled {
		req.Desired = rsp.GetDesired()
	}

	return req, nil
}

// request returns a request of resources that have no tags yet.
func request(resources, labels int) *fnv1.RunFunctionRequest {
	req := &fnv1.RunFunctionRequest{
		Meta:  &fnv1.RequestMeta{Tag: "tag"},
		Input: Input(Field, labels),
		Observed: &fnv1.State{
			Composite: &fnv1.Resource{Resource: object(template.Composite, "")},
			Resources: make(map[string]*fnv1.Resource, resources),
		},
		Desired: &fnv1.State{Resources: make(map[string]*fnv1.Resource, resources)},
	}

	set := make(map[string]*structpb.Value, labels)
	for i := range labels {
		set[key(i)] = structpb.NewStringValue(fmt.Sprintf("value-%04d", i))
	}

	fields(req.GetObserved().GetComposite().GetResource(), "spec")["labels"] = structpb.NewStructValue(&structpb.Struct{Fields: set})

	for i := range resources {
		name := fmt.Sprintf("resource-%05d", i)
		r := object(template.Kinds[i%len(template.Kinds)], name)
		req.Desired.Resources[name] = &fnv1.Resource{Resource: r, Ready: fnv1.Ready_READY_TRUE}
		req.Observed.Resources[name] = observe(name, r)
	}

	return req
}

// observe returns a desired resource as the provider has left it.
func observe(name string, desired *structpb.Struct) *fnv1.Resource {
	r := proto.CloneOf(desired)
	more := object(template.Observed, name)

	maps.Copy(fields(r, "metadata"), fields(more, "metadata"))
	r.Fields["status"] = more.GetFields()["status"]

	// These tags it adds itself.
	spec := fields(r, "spec")["forProvider"].GetStructValue().GetFields()
	added := map[string]*structpb.Value{
		"crossplane-kind":           structpb.NewStringValue(strings.ToLower(r.GetFields()["kind"].GetStringValue())),
		"crossplane-name":           structpb.NewStringValue(name),
		"crossplane-providerconfig": structpb.NewStringValue("aws-eu-central-1"),
	}
	applied := spec["tags"].GetStructValue().GetFields()
	all := maps.Clone(added)
	maps.Copy(all, applied)
	spec["tags"] = structpb.NewStructValue(&structpb.Struct{Fields: all})

	managers := fields(r, "metadata")["managedFields"].GetListValue().GetValues()
	addOwned(managers[0], applied)
	addOwned(managers[1], added)

	fields(r, "status")["atProvider"].GetStructValue().Fields["tagsAll"] = proto.CloneOf(spec["tags"])

	return &fnv1.Resource{Resource: r, ConnectionDetails: map[string][]byte{"endpoint": []byte(name + ".eu-central-1.amazonaws.com:5432")}}
}

// addOwned adds the tags to the fields that a field manager owns.
func addOwned(manager *structpb.Value, tags map[string]*structpb.Value) {
	owned := make(map[string]*structpb.Value, len(tags))
	for key := range tags {
		owned["f:"+key] = structpb.NewStructValue(&structpb.Struct{})
	}

	provider := fields(fields(manager.GetStructValue(), "fieldsV1")["f:spec"].GetStructValue(), "f:forProvider")
	provider["f:tags"] = structpb.NewStructValue(&structpb.Struct{Fields: owned})
}

// fields of a field of an object.
func fields(o *structpb.Struct, name string) map[string]*structpb.Value {
	return o.GetFields()[name].GetStructValue().GetFields()
}

// object with a name, of a template in JSON.
func object(text json.RawMessage, name string) *structpb.Struct {
	o := &structpb.Struct{}
	if err := o.UnmarshalJSON([]byte(strings.ReplaceAll(string(text), "NAME", name))); err != nil {
		panic(err)
	}

	return o
}
