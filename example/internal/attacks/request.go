// Package attacks makes requests that cost as much as the author of a composite resource can make them cost.
package attacks

import (
	"fmt"
	"maps"
	"strings"

	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/types/known/structpb"

	fnv1 "github.com/crossplane/function-sdk-go/proto/v1"
)

// An Attack is a request with one very long thing, such as labels or patterns: as long as a request can be, or as long
// as the function accepts. The author of a composite resource wrote it, or of an object that the resource names.
type Attack struct {
	Name string

	// Setting is the path of the setting that reads the long thing, such as
	// sources[].include.fromFieldPath. It is empty if the function reads it without a setting.
	Setting string

	// input is the input without apiVersion and kind, as JSON.
	input string

	// long has the long things by their places in the ordinary parts, such as xr.spec.long.
	long map[string]thing

	// resources is how many resources there are besides, or 0 for a few. With half, the long things have at most one half of the request,
	// and small resources fill the rest.
	resources int
}

// Names of pairs end with these.
const (
	timesResources = ", times resources"
	timesLabels    = ", times labels"
)

// onResources returns the attack on as many small resources as one half of the request has room for.
func onResources(a Attack) Attack {
	a.Name += timesResources
	a.resources = half

	return a
}

// withLabels returns the attack with a thousand labels more, which all resources get.
func withLabels(a Attack) Attack {
	a.Name += timesLabels
	a.long = maps.Clone(a.long)
	a.long["xr.spec.more"] = atMost(thousand, mapOf("more-NAME", `"v"`))

	return a
}

// A thing returns a value of about size bytes.
type thing func(size int) *structpb.Value

// ordinary has all parts of an attack before any of them is long.
const ordinary = `{
	"xr": {"apiVersion": "example.org/v1", "kind": "XR", "metadata": {"name": "xr"}, "spec": {"labels": {"team": "a"}}},
	"context": {"k": {"labels": {"team": "a"}}},
	"object": {"apiVersion": "a/v1", "kind": "A", "metadata": {"name": "a", "labels": {"a": "b"}}, "spec": {"labels": {"team": "a"}}},
	"desired": {"resource": {"apiVersion": "ec2.aws.upbound.io/v1beta1", "kind": "Instance", "metadata": {"labels": {"app": "x"}}, "spec": {"providerConfigRef": {"name": "a"}, "forProvider": {"region": "eu"}}}},
	"observed": {"resource": {"apiVersion": "ec2.aws.upbound.io/v1beta1", "kind": "Instance", "metadata": {"name": "xr-1"}, "spec": {"forProvider": {"region": "eu"}}, "status": {"atProvider": {"tags": {}}}}}
}`

// Clouds are the kinds of the resources of an attack, in turn.
var clouds = []string{"s3.aws.upbound.io/v1beta1 Bucket", "storage.azure.upbound.io/v1beta1 Account", "storage.gcp.upbound.io/v1beta1 Bucket", "server.hetzner.m.crossplane.io/v1alpha1 Server"}

// few and many are numbers of resources: in most requests, and in large composite resources. Beside half, there are a few more.
const (
	few  = 20
	many = 500
	half = -1
)

// small are resources of a few bytes. smallSize is about the bytes of each in a request.
var small = []*structpb.Value{
	value(`{"apiVersion": "s3.aws.upbound.io/v1beta1", "kind": "Bucket"}`, 0),
	value(`{"apiVersion": "storage.gcp.upbound.io/v1beta1", "kind": "Bucket"}`, 0),
}

const smallSize = 100

// Request returns the request, and the objects that the function may require for it. The long thing has about size
// bytes, or fewer if the function accepts no more.
func (a *Attack) Request(size int) (*fnv1.RunFunctionRequest, []*structpb.Struct) {
	parts := value(ordinary, 0).GetStructValue()

	for i := range max(a.resources, few) {
		put(parts, fmt.Sprintf("desired.resource-%04d", i), resource(clouds[i%len(clouds)]))
	}

	longSize := size
	if a.resources == half {
		longSize /= 2
	}

	for place, long := range a.long {
		v := long(longSize / len(a.long))
		size -= proto.Size(v)

		put(parts, place, v)
	}

	if a.resources == half {
		resources := parts.GetFields()["desired"].GetStructValue().GetFields()
		for i := range max(0, size/smallSize) {
			resources[fmt.Sprintf("small-%05d", i)] = small[i%len(small)]
		}
	}

	input := value(`{"apiVersion": "cloudtags.fn.plexsphere.com/v1beta1", "kind": "CloudTags", `+a.input+`}`, 0)
	if more := parts.GetFields()["xr"].GetStructValue().GetFields()["spec"].GetStructValue().GetFields()["more"]; more != nil {
		addSource(input.GetStructValue(), value(`{"type": "CompositeField", "fromFieldPath": "spec.more"}`, 0))
	}

	state := func(name string) map[string]*fnv1.Resource {
		out := make(map[string]*fnv1.Resource)
		for name, v := range parts.GetFields()[name].GetStructValue().GetFields() {
			out[name] = &fnv1.Resource{Resource: v.GetStructValue()}
		}

		return out
	}

	return &fnv1.RunFunctionRequest{
		Input:    input.GetStructValue(),
		Observed: &fnv1.State{Composite: &fnv1.Resource{Resource: parts.GetFields()["xr"].GetStructValue()}, Resources: state("observed")},
		Desired:  &fnv1.State{Resources: state("desired")},
		Context:  parts.GetFields()["context"].GetStructValue(),
	}, []*structpb.Struct{parts.GetFields()["object"].GetStructValue()}
}

// addSource adds a source to the input.
func addSource(input *structpb.Struct, source *structpb.Value) {
	sources := input.GetFields()["sources"].GetListValue().GetValues()
	input.Fields["sources"] = structpb.NewListValue(&structpb.ListValue{Values: append(sources, source)})
}

// put puts the value at a place: names of fields with dots between them.
func put(parts *structpb.Struct, place string, v *structpb.Value) {
	name, rest, deeper := strings.Cut(place, ".")
	if !deeper {
		parts.Fields[name] = v
		return
	}

	if parts.GetFields()[name].GetStructValue() == nil {
		parts.Fields[name] = structpb.NewStructValue(&structpb.Struct{Fields: make(map[string]*structpb.Value)})
	}

	put(parts.GetFields()[name].GetStructValue(), rest, v)
}

// resource returns a resource of the kind, e.g. v1 ConfigMap.
func resource(kind string) *structpb.Value {
	apiVersion, kind, _ := strings.Cut(kind, " ")

	return value(fmt.Sprintf(`{"apiVersion": %q, "kind": %q, "metadata": {"labels": {"app": "x"}}, "spec": {"forProvider": {"region": "eu"}}}`, apiVersion, kind), 0)
}

// atMost returns the long thing with at most limit bytes: the function accepts no more.
func atMost(limit int, long thing) thing {
	return func(size int) *structpb.Value { return long(min(size, limit)) }
}

// always returns a thing that is always the same.
func always(text string) thing {
	return func(int) *structpb.Value { return structpb.NewStringValue(text) }
}

// text returns a text of one word.
func text(size int) *structpb.Value { return structpb.NewStringValue(strings.Repeat("x", size)) }

// texts repeats a text.
func texts(unit string) thing {
	return func(size int) *structpb.Value { return structpb.NewStringValue(strings.Repeat(unit, size/len(unit))) }
}

// list is a list of values of the JSON unit. Each has its number in the place of NAME.
func list(unit string) thing {
	return func(size int) *structpb.Value {
		one := &structpb.ListValue{}
		each := 2 + proto.Size(value(unit, 0))
		for i := range (size + each - 1) / each {
			one.Values = append(one.Values, value(unit, i))
		}

		return structpb.NewListValue(one)
	}
}

// mapOf is a map of keys to values of the JSON unit. Each key and value has its number in the place of NAME.
func mapOf(key, unit string) thing {
	return func(size int) *structpb.Value {
		out := &structpb.Struct{Fields: make(map[string]*structpb.Value)}

		each := len(key) + 9 + proto.Size(value(unit, 0))
		for n := range (size + each - 1) / each {
			out.Fields[strings.ReplaceAll(key, "NAME", number(n))] = value(unit, n)
		}

		return structpb.NewStructValue(out)
	}
}

// joined is a text that repeats the unit, each with its number in the place of NAME.
func joined(unit string) thing {
	return func(size int) *structpb.Value {
		b := strings.Builder{}
		for n := 0; b.Len() < size; n++ {
			b.WriteString(strings.ReplaceAll(unit, "NAME", number(n)))
		}

		return structpb.NewStringValue(b.String())
	}
}

// longKey is a map of one long key to the value of the JSON.
func longKey(unit string) thing {
	return func(size int) *structpb.Value {
		return structpb.NewStructValue(&structpb.Struct{Fields: map[string]*structpb.Value{strings.Repeat("x", size): value(unit, 0)}})
	}
}

// under is a map of one key to the thing.
func under(key string, long thing) thing {
	return func(size int) *structpb.Value {
		return structpb.NewStructValue(&structpb.Struct{Fields: map[string]*structpb.Value{key: long(size)}})
	}
}

// managed is a list of one manager that isn't Crossplane, and owns the fields below the path.
func managed(a, b, c string, fields thing) thing {
	return func(size int) *structpb.Value {
		out := list(`{"manager": "kubectl-edit", "operation": "Update", "apiVersion": "ec2.aws.upbound.io/v1beta1", "fieldsType": "FieldsV1"}`)(1)
		out.GetListValue().GetValues()[0].GetStructValue().Fields["fieldsV1"] = under(a, under(b, under(c, fields)))(size)

		return out
	}
}

func number(n int) string { return fmt.Sprintf("%07d", n) }

// value returns the value of the JSON unit with a number in the place of NAME.
func value(unit string, n int) *structpb.Value {
	v := &structpb.Value{}
	if err := v.UnmarshalJSON([]byte(strings.ReplaceAll(unit, "NAME", number(n)))); err != nil {
		panic(err)
	}

	return v
}

// levels returns a list of deep maps: each has as many levels as a request can have, and the list has size bytes.
func levels(size int) *structpb.Value {
	const deep = 3000

	out := &structpb.ListValue{}

	for used := 0; used < size; used += 14 * deep {
		v := structpb.NewStringValue("x")
		for range deep {
			v = structpb.NewStructValue(&structpb.Struct{Fields: map[string]*structpb.Value{"a": v}})
		}

		out.Values = append(out.Values, v)
	}

	return structpb.NewListValue(out)
}

// aliases returns a text of YAML that stands for 10,000 times the text of size bytes: a list of 100 aliases to a list
// of 100 aliases.
func aliases(size int) *structpb.Value {
	ten := func(alias string) string { return "[" + strings.Repeat("*"+alias+", ", 100) + "]" }

	return structpb.NewStringValue("a: &a \"" + strings.Repeat("x", size) + "\"\nb: &b " + ten("a") + "\nc: " + ten("b") + "\n")
}

// standard is an input with a list in the field, each item as the JSON unit.
func standard(field, unit string) thing {
	return func(size int) *structpb.Value {
		input := value(`{"apiVersion": "cloudtags.fn.plexsphere.com/v1beta1", "kind": "CloudTags"}`, 0)
		input.GetStructValue().Fields[field] = list(unit)(size)

		return input
	}
}

// written is the JSON of a thing as a text.
func written(long thing) thing {
	return func(size int) *structpb.Value {
		j, err := long(size).MarshalJSON()
		if err != nil {
			panic(err)
		}

		return structpb.NewStringValue(string(j))
	}
}
