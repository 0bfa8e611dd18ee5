package expression

import (
	"context"
	"fmt"
	"math"
	"strings"
	"sync"

	"cel.dev/cel-go/common/types"
	"cel.dev/cel-go/common/types/ref"
	"cel.dev/cel-go/common/types/traits"
	"google.golang.org/protobuf/types/known/structpb"

	"github.com/crossplane/function-sdk-go/errors"

	"github.com/plexsphere/function-cloud-tags/tags/budget"
	"github.com/plexsphere/function-cloud-tags/tags/object"
	"github.com/plexsphere/function-cloud-tags/tags/words"
)

// A Call evaluates the expressions of one call of the function, one after the other. It has the values of their variables. Each
// evaluation has a limit of cost, and all evaluations of a run have one together: see package budget.
type Call struct {
	ctx context.Context //nolint:containedctx // A call of the function lives as long as its context.

	// vars has the values of the variables by their names, and the Call itself by callName. A value is read of its object once an
	// expression mentions it.
	vars map[string]any

	// required objects, or lists of them, by the names of their sources.
	required map[string]any

	// budget of the run has the cost of all evaluations. An evaluation has left as many units, and the context is checked when left falls
	// below next.
	budget     *budget.Budget
	left, next int64

	// first has the first arguments of calls, by their ids in the syntax tree, until a later argument is read.
	first map[int64]ref.Val

	// nodes is how many nodes the expression has that is evaluated.
	nodes int64

	// failure is the error that has ended the evaluation.
	failure error
}

// NewCall returns a Call with the composite resource xr and the pipeline's context, whose evaluations the budget is charged for. Once ctx
// has ended, evaluations fail with its error.
func NewCall(ctx context.Context, b *budget.Budget, xr object.Object, pipeline *structpb.Struct) *Call {
	c := &Call{ctx: ctx, budget: b, required: make(map[string]any), first: make(map[int64]ref.Val)}
	c.vars = map[string]any{
		callName:         c,
		string(XR):       lazyOf(xr),
		string(Context):  sync.OnceValue(func() any { return lazyOf(object.FromStruct(pipeline)) }),
		string(Required): func() ref.Val { return sorted{types.NewStringInterfaceMap(adapter{}, c.required)} },
	}

	return c
}

// lazyOf is the value of the object o, once it is read.
func lazyOf(o object.Object) *lazy { return &lazy{node: o.Node()} }

// SetRequired sets required[source] to the object o for the next evaluations.
func (c *Call) SetRequired(source string, o object.Object) {
	c.required[source] = lazyOf(o)
}

// SetRequiredList sets required[source] to the list of objects for the next evaluations.
func (c *Call) SetRequiredList(source string, objects []object.Object) {
	c.required[source] = listOf(words.Map(objects, object.Object.Node))
}

// For sets the variables name, desired and observed for the next evaluations. The parameter observed is zero before the composed
// resource exists.
func (c *Call) For(name string, desired, observed object.Object) {
	c.vars[string(Name)], c.vars[string(Desired)], c.vars[string(Observed)] = types.String(name), lazyOf(desired), types.OptionalNone

	if l := lazyOf(observed); l.node.IsThere() {
		c.vars[string(Observed)] = func() ref.Val { return types.OptionalOf(l.get()) }
	}
}

// An AbsentError says that an expression has no value.
type AbsentError struct{ why string }

// Error returns the reason.
func (e *AbsentError) Error() string { return e.why }

// Evaluate returns the value of e, which is of the ValueType of e. The error is an AbsentError if a
// key is absent, or if the value is null or an empty optional, and an OverrunError if e costs too much. It is the budget's error if all
// evaluations together do, and the context's error once the context has ended.
func (c *Call) Evaluate(e Expression) (*structpb.Value, error) {
	c.failure, c.nodes = nil, e.compiled.nodes
	c.left, c.next = maxEvaluation, maxEvaluation
	clear(c.first)

	if err := c.spend(leastEvaluation + c.nodes); err != nil {
		return nil, err
	}

	out, _, err := e.compiled.program.Eval(c.vars)

	switch {
	case c.failure != nil:
		return nil, c.failure
	case err != nil:
		return nil, c.failed(e, err)
	}

	v, err := c.result(out, e.compiled.result)
	if err != nil {
		return nil, err
	}

	// The caller looks at a text.
	size := int64(len(v.GetStringValue()))
	if size > maxValue {
		return nil, &OverrunError{"comes to a text of more than " + words.Thousands(maxValue) + " bytes"}
	}

	return v, c.spend(size / bytesPerUnit)
}

// failed returns the error of an evaluation of e, shortened, since cel-go may write a whole object into it, and shows
// the part of e that has failed.
func (c *Call) failed(e Expression, err error) error {
	text := err.Error()
	if err := c.spend(int64(len(text)) / bytesPerUnit); err != nil {
		return err
	}

	// cel-go doesn't export the type of errors about an absent key. Only these start with this text: a
	// test has all errors that can begin with the text of a field.
	if strings.HasPrefix(text, "no such key: ") {
		return &AbsentError{why: words.Shorten(text, words.MaxText)}
	}

	text = words.Shorten(text, words.MaxText)

	failed := (*types.Err)(nil)
	if !errors.As(err, &failed) || failed.NodeID() == 0 {
		return errors.New(text)
	}

	// The tree isn't kept, since few evaluations fail, and a failure ends the run. Compile has parsed the text before.
	parsed, _ := environment().Parse(e.text)
	loosen(parsed.NativeRep())

	return located(e.text, parsed.NativeRep(), &flaw{text, failed.NodeID()})
}

// result returns v as the result that is wanted.
func (c *Call) result(v ref.Val, want ValueType) (*structpb.Value, error) {
	if o, ok := v.(*types.Optional); ok {
		if !o.HasValue() {
			return nil, &AbsentError{why: "it is an empty optional"}
		}

		return c.result(o.GetValue(), want)
	}

	if v == types.NullValue {
		return nil, &AbsentError{why: "it is null"}
	}

	if t, ok := v.Type().(*types.Type); ok && want.admits(t) {
		switch v := v.(type) {
		case types.String:
			return structpb.NewStringValue(string(v)), nil
		case types.Bool:
			return structpb.NewBoolValue(bool(v)), nil
		case types.Int, types.Uint, types.Double:
			return number(v)
		case sorted:
			return c.fields(v, want)
		case traits.Lister:
			return c.items(v)
		}
	}

	return nil, errors.Errorf("is %s, not %s", kindOf(v), want)
}

// fields returns m as the map that is wanted: of strings, or for patterns also of booleans and nulls.
func (c *Call) fields(m sorted, want ValueType) (*structpb.Value, error) {
	out := &structpb.Struct{Fields: make(map[string]*structpb.Value)}

	for it := m.Iterator(); it.HasNext() == types.True; {
		key := it.Next()
		value, _ := m.Find(key)
		k, isKey := key.(types.String)
		v := fieldValue(value, want)

		if !isKey || v == nil {
			must := map[ValueType]string{Labels: "keys and values must be strings", Patterns: "keys must be strings, and values booleans"}[want]
			return nil, errors.Errorf("has a key %s whose value is %s: %s", words.Name(fmt.Sprint(key.Value())), kindOf(value), must)
		}

		if err := c.keep(len(k) + len(v.GetStringValue())); err != nil {
			return nil, err
		}

		out.Fields[string(k)] = v
	}

	return structpb.NewStructValue(out), nil
}

// fieldValue returns v as a value in the map that is wanted, or nil if v can't be one.
func fieldValue(v ref.Val, want ValueType) *structpb.Value {
	switch v := v.(type) {
	case types.String:
		return structpb.NewStringValue(string(v))
	case types.Bool:
		if want == Patterns {
			return structpb.NewBoolValue(bool(v))
		}
	case types.Null:
		if want == Patterns {
			return structpb.NewNullValue()
		}
	}

	return nil
}

// items returns the list as a list of strings.
func (c *Call) items(list traits.Lister) (*structpb.Value, error) {
	out := &structpb.ListValue{}

	for it := list.Iterator(); it.HasNext() == types.True; {
		item := it.Next()

		text, ok := item.(types.String)
		if !ok {
			return nil, errors.Errorf("has an item that is %s, not a string", kindOf(item))
		}

		if err := c.keep(len(text)); err != nil {
			return nil, err
		}

		out.Values = append(out.Values, structpb.NewStringValue(string(text)))
	}

	return structpb.NewListValue(out), nil
}

// keep charges an item of a result, with a text of size bytes.
func (c *Call) keep(size int) error { return c.spend(itemUnits + int64(size)/bytesPerUnit) }

// number returns v as a floating point number, unless it may have lost digits when it became one.
func number(v ref.Val) (*structpb.Value, error) {
	d, _ := v.ConvertToType(types.DoubleType).(types.Double)

	switch f := float64(d); {
	case math.IsNaN(f) || math.IsInf(f, 0):
		return nil, errors.Errorf("%v is not a number that JSON has", f)
	case math.Abs(f) >= maxInteger:
		return nil, errors.Errorf("%v is beyond the integers of a 64-bit floating point number, ±2⁵³: make it a string", v.Value())
	default:
		return structpb.NewNumberValue(f), nil
	}
}

// callName is the name by which a step finds the call to charge. No variable has it.
const callName = "#call"
