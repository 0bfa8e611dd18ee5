package expression

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"
	"sync"
	_ "time/tzdata" // Zones are the same wherever the function runs.

	"cel.dev/cel-go/cel"
	"cel.dev/cel-go/common/types"
	"cel.dev/cel-go/common/types/ref"
	"cel.dev/cel-go/common/types/traits"
	"cel.dev/cel-go/ext"
	"google.golang.org/protobuf/types/known/structpb"

	"github.com/plexsphere/function-cloud-tags/tags/object"
	"github.com/plexsphere/function-cloud-tags/tags/words"
)

// maxDigits is the most digits of a number that format writes.
const maxDigits = 100

// environment compiles expressions. It takes time and memory, so it is made with the first
// expression. The versions of extensions are fixed, so that no function without a price comes in with a
// release of cel-go.
var environment = sync.OnceValue(func() *cel.Env {
	shareErrors()

	objectType := cel.MapType(cel.StringType, cel.DynType)

	env, err := cel.NewEnv(
		cel.CustomTypeAdapter(adapter{}),
		cel.OptionalTypes(cel.OptionalTypesVersion(2)),
		ext.Strings(ext.StringsVersion(4), ext.StringsMaxPrecision(maxDigits)),
		ext.Lists(ext.ListsVersion(3)),
		ext.Regex(ext.RegexVersion(0)),
		cel.CrossTypeNumericComparisons(true),
		cel.DefaultUTCTimeZone(true),
		cel.ParserExpressionSizeLimit(maxLength),
		cel.ParserRecursionLimit(maxDepth),
		cel.Variable(string(XR), objectType),
		cel.Variable(string(Context), objectType),
		cel.Variable(string(Required), objectType),
		cel.Variable(string(Name), cel.StringType),
		cel.Variable(string(Desired), objectType),
		cel.Variable(string(Observed), cel.OptionalType(cel.DynType)),
	)
	if err != nil {
		panic(err) // The binary has what its tests had.
	}

	return env
})

// An adapter turns what is read of objects into values.
type adapter struct{}

// NativeToValue implements types.Adapter.
func (a adapter) NativeToValue(native any) ref.Val {
	switch v := native.(type) {
	case *lazy:
		return v.get()
	case map[ref.Val]ref.Val:
		return sorted{types.NewRefValMap(a, v)}
	default:
		return types.DefaultTypeAdapter.NativeToValue(native)
	}
}

// lazy is a value of an object, which becomes one of CEL when it is first read. So do the fields and items
// in it: most expressions read one field of an object.
type lazy struct {
	node  object.Node
	value ref.Val
}

func (l *lazy) get() ref.Val {
	if l.value == nil {
		l.value = l.read()
	}

	return l.value
}

// maxInteger is the least integer that may not be exact: 2⁵³+1 becomes 2⁵³.
const maxInteger = 1 << 53

// read the value. A number without a fraction becomes an integer, if it is exact as a 64-bit floating point
// number. An object that isn't there has no fields.
func (l *lazy) read() ref.Val {
	switch {
	case l.node.IsObject() || !l.node.IsThere():
		return objectOf(l.node)
	case l.node.IsList():
		return listOf(slices.Collect(l.node.Items()))
	}

	switch k := l.node.Value().GetKind().(type) {
	case *structpb.Value_StringValue:
		return types.String(k.StringValue)
	case *structpb.Value_BoolValue:
		return types.Bool(k.BoolValue)
	case *structpb.Value_NumberValue:
		if f := k.NumberValue; math.Abs(f) < maxInteger && f == math.Trunc(f) {
			return types.Int(f)
		}

		return types.Double(k.NumberValue)
	default:
		return types.NullValue
	}
}

// objectOf is the value of the object n.
func objectOf(n object.Node) ref.Val {
	n = withoutSecrets(n)
	values, fields := make([]lazy, 0, n.Len()), make(map[string]any, n.Len())

	for name, field := range n.Fields() {
		values = append(values, lazy{node: field})
		fields[string(name)] = &values[len(values)-1]
	}

	return sorted{types.NewStringInterfaceMap(adapter{}, fields)}
}

// listOf is the value of the list of items.
func listOf(items []object.Node) ref.Val {
	return types.NewDynamicList(adapter{}, words.Map(items, func(n object.Node) *lazy { return &lazy{node: n} }))
}

// sorted is an object whose keys come in one order, so that an expression always has the same value.
type sorted struct{ traits.Mapper }

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

	return cmp.Or(strings.Compare(a.Type().TypeName(), b.Type().TypeName()), strings.Compare(fmt.Sprint(a.Value()), fmt.Sprint(b.Value())))
}

// withoutSecrets returns the object n. If it is a Secret, its secret fields are left out.
func withoutSecrets(n object.Node) object.Node {
	if !n.Field("kind").IsText("Secret") || !n.Field("apiVersion").IsText("v1") {
		return n
	}

	out := n.Object()

	for _, path := range secret {
		// An error means that there is no such field.
		if o, err := object.Set(out, path, object.Node{}); err == nil {
			out = o
		}
	}

	return out.Node()
}

// secret are the secret fields of a Secret. The annotation holds the whole object.
var secret = []object.Path{
	object.MustParsePath("data"), object.MustParsePath("stringData"),
	object.MustParsePath("metadata.annotations['kubectl.kubernetes.io/last-applied-configuration']"),
}
