package expression

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"sync"
	_ "time/tzdata" // Zones are the same wherever the function runs.

	"github.com/google/cel-go/cel"
	"github.com/google/cel-go/common/functions"
	"github.com/google/cel-go/common/types"
	"github.com/google/cel-go/common/types/ref"
	"github.com/google/cel-go/common/types/traits"
	"github.com/google/cel-go/ext"
	"google.golang.org/protobuf/types/known/structpb"

	"github.com/plexsphere/function-cloud-tags/tags/object"
)

// Versions of the extensions. They are fixed, so that no function without a price comes in with a
// release of cel-go.
const (
	stringsVersion  = 4
	listsVersion    = 3
	regexVersion    = 0
	optionalVersion = 2
)

// environment compiles expressions. It takes time and memory, so it is made with the first
// expression.
var environment = sync.OnceValue(func() *cel.Env {
	options := []cel.EnvOption{
		cel.CustomTypeAdapter(adapter{}),
		cel.OptionalTypes(cel.OptionalTypesVersion(optionalVersion)),
		ext.Strings(ext.StringsVersion(stringsVersion)),
		ext.Lists(ext.ListsVersion(listsVersion)),
		ext.Regex(ext.RegexVersion(regexVersion)),
		cel.CrossTypeNumericComparisons(true),
		cel.DefaultUTCTimeZone(true),
		cel.ParserExpressionSizeLimit(maxLength),
		cel.ParserRecursionLimit(maxDepth),
	}
	for _, v := range variables {
		options = append(options, cel.Variable(string(v.Variable), v.kind))
	}

	env, err := cel.NewEnv(options...)
	if err != nil {
		panic(err) // The binary has what its tests had.
	}

	return env
})

// bindings returns the implementations of functions, by the name of the function or its overload.
var bindings = sync.OnceValue(func() map[string]*functions.Overload {
	out := make(map[string]*functions.Overload)

	for _, f := range environment().Functions() {
		of, err := f.Bindings()
		if err != nil {
			panic(err) // See above.
		}

		for _, o := range of {
			out[o.Operator] = o
		}
	}

	return out
})

// An adapter turns trees into values. A number without a fraction becomes an integer, if it is exact as
// a 64-bit floating point number. Call is the call that reads the trees, or nil.
type adapter struct{ *Call }

// maxInteger is the least integer that may not be exact: 2⁵³+1 becomes 2⁵³.
const maxInteger = 1 << 53

// NativeToValue implements types.Adapter.
func (a adapter) NativeToValue(native any) ref.Val {
	switch v := native.(type) {
	case ref.Val:
		return v
	case *structpb.Value:
		return a.value(v)
	case *structpb.Struct:
		return sorted{types.NewJSONStruct(a, a.withoutSecrets(v)), a.Call}
	case *structpb.ListValue:
		return types.NewJSONList(a, v)
	case map[ref.Val]ref.Val:
		return sorted{types.NewRefValMap(a, v), a.Call}
	default:
		return types.DefaultTypeAdapter.NativeToValue(native)
	}
}

func (a adapter) value(v *structpb.Value) ref.Val {
	switch k := v.GetKind().(type) {
	case *structpb.Value_StringValue:
		return types.String(k.StringValue)
	case *structpb.Value_BoolValue:
		return types.Bool(k.BoolValue)
	case *structpb.Value_NumberValue:
		if f := k.NumberValue; math.Abs(f) < maxInteger && f == math.Trunc(f) {
			return types.Int(f)
		}

		return types.Double(k.NumberValue)
	case *structpb.Value_StructValue:
		return a.NativeToValue(k.StructValue)
	case *structpb.Value_ListValue:
		return a.NativeToValue(k.ListValue)
	default:
		return types.NullValue
	}
}

// sorted is an object whose keys come in one order, so that an expression always has the same value. The
// call, if there is one, is charged for the keys that are looked up.
type sorted struct {
	traits.Mapper

	call *Call
}

// Find implements traits.Mapper.
func (s sorted) Find(key ref.Val) (ref.Val, bool) {
	if s.call != nil {
		s.call.weigh(key)
	}

	return s.Mapper.Find(key)
}

// Iterator implements traits.Iterable.
func (s sorted) Iterator() traits.Iterator {
	keys := make([]ref.Val, 0, length(s.Mapper))
	for it := s.Mapper.Iterator(); it.HasNext() == types.True; {
		keys = append(keys, it.Next())
	}

	slices.SortFunc(keys, compareKeys)

	return types.NewRefValList(types.DefaultTypeAdapter, keys).Iterator()
}

// compareKeys orders keys of objects by their type, then by their value.
func compareKeys(a, b ref.Val) int {
	s, isText := a.(types.String)
	t, areTexts := b.(types.String)

	if isText && areTexts {
		return strings.Compare(string(s), string(t))
	}

	if c := strings.Compare(a.Type().TypeName(), b.Type().TypeName()); c != 0 {
		return c
	}

	return strings.Compare(fmt.Sprint(a.Value()), fmt.Sprint(b.Value()))
}

// lastApplied is an annotation that holds the whole object.
const lastApplied = "kubectl.kubernetes.io/last-applied-configuration"

// withoutSecrets returns s. If it is a Secret, its secret fields are left out. A call does that once per
// Secret.
func (a adapter) withoutSecrets(s *structpb.Struct) *structpb.Struct {
	fields := s.GetFields()
	if fields["kind"].GetStringValue() != "Secret" || fields["apiVersion"].GetStringValue() != "v1" {
		return s
	}

	if a.Call == nil {
		return public(s)
	}

	out, ok := a.public[s]
	if !ok {
		out = public(s)
		a.public[s] = out
	}

	return out
}

// public returns the Secret s without its secret fields.
func public(s *structpb.Struct) *structpb.Struct {
	out := object.Tree(s)

	for _, path := range secret {
		// An error means that there is no such field.
		if o, err := object.Set(out, path, object.Node{}); err == nil {
			out = o
		}
	}

	return out.Struct()
}

var secret = []object.Path{
	object.MustParsePath("data"), object.MustParsePath("stringData"),
	object.MustParsePath("metadata.annotations['" + lastApplied + "']"),
}
