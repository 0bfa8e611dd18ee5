// Package load makes requests as Crossplane sends them, of as many resources and labels as
// a measurement wants.
package load

import (
	_ "embed"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"

	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/types/known/structpb"
	"sigs.k8s.io/yaml"

	"github.com/crossplane/function-sdk-go/errors"
	fnv1 "github.com/crossplane/function-sdk-go/proto/v1"

	"github.com/plexsphere/function-cloud-tags/tags/command"
	"github.com/plexsphere/function-cloud-tags/tags/profile"
	"github.com/plexsphere/function-cloud-tags/tags/require"
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
	// Field is a map of the composite resource.
	Field Source = "field"

	// Kind is the same, and one label more that only resources of one kind have.
	Kind Source = "kind"

	// Name, Desired and Observed are expressions of the same map. Every other one mentions
	// what it is called of the composed resource, too, so that its labels differ.
	Name     Source = "name"
	Desired  Source = "desired"
	Observed Source = "observed"

	// Names and Chain are the same map, and a label of each of three objects. Names of the objects are written out, or the
	// composite resource leads to the first object, and each object to the next.
	Names Source = "names"
	Chain Source = "chain"

	// Written is the same map, in an input of 200 lines of YAML. Text and Object are standards with this input, as
	// strings of YAML and as objects. The input of the pipeline step only extends them.
	Written Source = "written"
	Text    Source = "text"
	Object  Source = "object"
)

// additions are added to the label in every other expression. They read the composed resource.
var additions = map[Source]string{
	Name: "name", Desired: "desired.spec.forProvider.region + '/' + desired.metadata.name", Observed: "observed.?status.?atProvider.?id.orValue('none')",
}

// lines is how many values a long input has of which nothing is included, so that they give no labels.
const lines = 190

// input returns the function's input for so many labels of a source, and the objects that it requires.
func input(source Source, labels int) (in *structpb.Struct, objects []*structpb.Struct) {
	in = object(template.Input, "")
	sources := in.GetFields()["sources"].GetListValue()
	sources.Values = append(sources.Values, proto.CloneOf(template.More[source].Sources).GetValues()...)

	if addition, ok := additions[source]; ok {
		expressions := many(labels, "platform/label-%04d", func(i int, key string) string {
			return "xr.spec.labels['" + key + "']" + strings.Repeat(" + '/' + "+addition, i%2)
		})
		sources.Values = []*structpb.Value{value(map[string]any{"type": "Expression", "expressions": expressions})}
	}

	if source == Written || source == Text || source == Object {
		values := many(lines, "platform/line-%03d", func(int, string) string { return "value" })
		sources.Values = append(sources.Values, value(map[string]any{"type": "Value", "values": values, "include": map[string]any{"keys": []any{}}}))
	}

	if source != Text && source != Object {
		return in, template.More[source].Objects
	}

	standard := object(template.Standard, "")
	standard.Fields["spec"] = structpb.NewStructValue(in)

	if source == Text {
		text, err := yaml.Marshal(in.AsMap())
		if err != nil {
			panic(err)
		}

		standard.Fields["spec"] = structpb.NewStringValue(string(text))
	}

	return object(template.Extending, ""), []*structpb.Struct{standard}
}

// many returns a map of n keys of the format.
func many(n int, format string, text func(i int, key string) string) map[string]any {
	out := make(map[string]any, n)

	for i := range n {
		key := fmt.Sprintf(format, i)
		out[key] = text(i, key)
	}

	return out
}

//go:embed request.yaml
var file []byte

// template is what requests are made of. NAME is the name of a resource in JSON.
var template = parse()

type parts struct {
	Input json.RawMessage `json:"input"`
	More  map[Source]struct {
		Sources *structpb.ListValue `json:"sources"`
		Objects []*structpb.Struct  `json:"objects"`
	} `json:"more"`
	Extending json.RawMessage   `json:"extending"`
	Standard  json.RawMessage   `json:"standard"`
	Services  map[string]string `json:"services"`
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
// source. It calls the function to tag the resources, and returns an error if the function doesn't
// tag them.
func Request(state State, source Source, resources, labels int, function Function) (*fnv1.RunFunctionRequest, error) {
	req, objects := request(source, resources, labels)
	return tagged(req, objects, state, labels, function)
}

// Services returns a settled request with so many resources of 20 services of AWS in turn, and with so many labels of the
// composite resource, by the rules.
func Services(rules profile.Rules, resources, labels int, function Function) (*fnv1.RunFunctionRequest, error) {
	req, _ := request(Field, resources, labels)
	req.Input.Fields["profileRules"] = structpb.NewStringValue(string(rules))

	words := slices.Sorted(maps.Keys(template.Services))

	for i, name := range slices.Sorted(maps.Keys(req.GetDesired().GetResources())) {
		word := words[i%len(words)]

		for _, r := range []*fnv1.Resource{req.GetDesired().GetResources()[name], req.GetObserved().GetResources()[name]} {
			r.Resource.Fields["apiVersion"] = structpb.NewStringValue(word + ".aws.upbound.io/v1beta1")
			r.Resource.Fields["kind"] = structpb.NewStringValue(template.Services[word])
		}
	}

	return tagged(req, nil, Settled, labels, function)
}

// tagged returns the request in the state, which the function tags resources for. The request has the objects that
// the function requires.
func tagged(req *fnv1.RunFunctionRequest, objects []*structpb.Struct, state State, labels int, function Function) (*fnv1.RunFunctionRequest, error) {
	var rsp *fnv1.RunFunctionResponse

	// Each object may lead to another one, and the last call has all of them.
	for range len(objects) + 1 {
		var err error
		if rsp, err = function(proto.CloneOf(req)); err == nil {
			err = command.Fatal(rsp)
		}

		if err != nil {
			return nil, errors.Wrap(err, "cannot tag resources")
		}

		if objects != nil {
			require.Answer(req, rsp.GetRequirements(), objects)
		} else if rsp.GetRequirements() != nil {
			return nil, errors.New("cannot tag resources: the function asks for more than the request has")
		}
	}

	for name, r := range req.GetDesired().GetResources() {
		tagged := rsp.GetDesired().GetResources()[name]
		if labels > 0 && proto.Equal(r, tagged) || tagged == nil {
			return nil, errors.Errorf("cannot tag resources: the function has left %s as it was, or dropped it", name)
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

// request returns a request of resources that have no tags yet, and the objects that its input requires.
func request(source Source, resources, labels int) (req *fnv1.RunFunctionRequest, objects []*structpb.Struct) {
	req = &fnv1.RunFunctionRequest{
		Meta: &fnv1.RequestMeta{Tag: "tag"},
		Observed: &fnv1.State{
			Composite: &fnv1.Resource{Resource: object(template.Composite, "")},
			Resources: make(map[string]*fnv1.Resource, resources),
		},
		Desired: &fnv1.State{Resources: make(map[string]*fnv1.Resource, resources)},
	}
	req.Input, objects = input(source, labels)
	fields(req.GetObserved().GetComposite().GetResource(), "spec")["labels"] = value(many(labels, "platform/label-%04d", func(i int, _ string) string {
		return fmt.Sprintf("value-%04d", i)
	}))

	for i := range resources {
		name := fmt.Sprintf("resource-%05d", i)
		r := object(template.Kinds[i%len(template.Kinds)], name)
		req.Desired.Resources[name] = &fnv1.Resource{Resource: r, Ready: fnv1.Ready_READY_TRUE}
		req.Observed.Resources[name] = observe(name, r)
	}

	return req, objects
}

// observe returns a desired resource as the provider has left it.
func observe(name string, desired *structpb.Struct) *fnv1.Resource {
	r, more := proto.CloneOf(desired), object(template.Observed, name)

	maps.Copy(fields(r, "metadata"), fields(more, "metadata"))
	r.Fields["status"] = more.GetFields()["status"]

	applied, added := fields(r, "spec", "forProvider", "tags"), fields(more, "spec", "forProvider", "tags")
	added["crossplane-kind"] = structpb.NewStringValue(strings.ToLower(r.GetFields()["kind"].GetStringValue()))

	for i, tags := range []map[string]*structpb.Value{applied, added} {
		owned := make(map[string]any, len(tags))
		for key := range tags {
			owned["f:"+key] = map[string]any{}
		}

		manager := fields(r, "metadata")["managedFields"].GetListValue().GetValues()[i].GetStructValue()
		fields(manager, "fieldsV1", "f:spec", "f:forProvider")["f:tags"] = value(owned)
	}

	maps.Copy(added, applied)
	fields(r, "spec", "forProvider")["tags"] = fields(more, "spec", "forProvider")["tags"]
	fields(r, "status", "atProvider")["tagsAll"] = proto.CloneOf(fields(more, "spec", "forProvider")["tags"])

	return &fnv1.Resource{Resource: r, ConnectionDetails: map[string][]byte{"endpoint": []byte(name + ".eu-central-1.amazonaws.com:5432")}}
}

// fields of an object at the path.
func fields(o *structpb.Struct, path ...string) map[string]*structpb.Value {
	for _, name := range path {
		o = o.GetFields()[name].GetStructValue()
	}

	return o.GetFields()
}

// value of a tree of maps, lists and strings.
func value(tree map[string]any) *structpb.Value {
	v, err := structpb.NewValue(tree)
	if err != nil {
		panic(err)
	}

	return v
}

// object with a name, of a template in JSON.
func object(text json.RawMessage, name string) *structpb.Struct {
	o := &structpb.Struct{}
	if err := o.UnmarshalJSON([]byte(strings.ReplaceAll(string(text), "NAME", name))); err != nil {
		panic(err)
	}

	return o
}
