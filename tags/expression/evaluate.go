package expression

import (
	"context"
	"math"
	"strings"

	"github.com/google/cel-go/cel"
	"github.com/google/cel-go/common/types"
	"github.com/google/cel-go/common/types/ref"
	"google.golang.org/protobuf/types/known/structpb"

	"github.com/crossplane/function-sdk-go/errors"

	"github.com/plexsphere/function-cloud-tags/tags/object"
	"github.com/plexsphere/function-cloud-tags/tags/words"
)

// A Call of the function evaluates expressions, one after the other. They share what the call
// may cost.
type Call struct {
	ctx context.Context //nolint:containedctx // A call of the function is as long as its context.

	xr, context, required ref.Val

	// Of the resource whose expressions are evaluated. Its objects become trees once an
	// expression mentions them.
	name              ref.Val
	desired, observed lazy

	// left is what the call may cost from here, and limit what may be left of that at the end
	// of the evaluation. The context is looked at once less than next is left.
	left, limit, next int64

	// nodes of the expression that is evaluated.
	nodes int64

	// public is what Secrets are without what is secret.
	public map[*structpb.Struct]*structpb.Struct

	// failure of the evaluation that it can't go on from.
	failure error
}

// lazy is an object, which becomes a value once somebody asks.
type lazy struct {
	object object.Object
	value  ref.Val
}

func (l *lazy) get(c *Call) ref.Val {
	if l.value == nil {
		l.value = adapter{c}.NativeToValue(l.object.Struct())
	}

	return l.value
}

// NewCall returns a Call of the function with the supplied composite resource and pipeline's
// context. It ends with the supplied context.
func NewCall(ctx context.Context, xr object.Object, pipeline *structpb.Struct) *Call {
	c := &Call{ctx: ctx, left: maxCall, next: maxCall - checkEvery, public: make(map[*structpb.Struct]*structpb.Struct)}
	c.xr, c.context = adapter{c}.NativeToValue(xr.Struct()), adapter{c}.NativeToValue(pipeline)
	c.Require(&structpb.Struct{})

	return c
}

// Require makes the supplied objects, by the names of their sources, those that are required.
func (c *Call) Require(objects *structpb.Struct) { c.required = adapter{c}.NativeToValue(objects) }

// Of makes the supplied composed resource the one of which expressions are evaluated. The
// observed one is zero if it doesn't exist yet.
func (c *Call) Of(name string, desired, observed object.Object) {
	c.name, c.desired, c.observed = types.String(name), lazy{object: desired}, lazy{object: observed}
}

// An AbsentError is that of an expression whose value isn't there.
type AbsentError struct{ why string }

// Error says why.
func (e *AbsentError) Error() string { return e.why }

// Evaluate the supplied expression: a string, a number or a boolean. If there is none, because
// a key isn't there, because it is null or an empty optional, the error is an AbsentError. The
// context's error is returned once that has one.
func (c *Call) Evaluate(e Expression) (*structpb.Value, error) {
	c.failure, c.nodes = nil, e.compiled.nodes
	c.limit = max(c.left-maxEvaluation, 0)

	if err := c.spend(c.nodes); err != nil {
		return nil, err
	}

	out, _, err := e.compiled.program.Eval(c)

	switch {
	case c.failure != nil:
		return nil, c.failure
	case err != nil:
		return nil, c.failed(err)
	}

	v, err := result(out)
	if err != nil {
		return nil, err
	}

	// It is kept until the end of the call.
	return v, c.spend(int64(len(v.GetStringValue())))
}

// failed is the supplied error of an evaluation, in which all of an object can be.
func (c *Call) failed(err error) error {
	text := err.Error()
	if err := c.spend(int64(len(text))); err != nil {
		return err
	}

	// cel-go doesn't export the type of errors about a key that isn't there, which have this
	// text. Nothing else starts with it: a test has all errors that can begin with what a
	// field says.
	if strings.HasPrefix(text, "no such key: ") {
		return &AbsentError{why: words.Shorten(text, words.MaxText)}
	}

	return errors.New(words.Shorten(text, words.MaxText))
}

// result is the supplied value, as that of a label.
func result(v ref.Val) (*structpb.Value, error) {
	switch v := v.(type) {
	case types.String:
		return structpb.NewStringValue(string(v)), nil
	case types.Bool:
		return structpb.NewBoolValue(bool(v)), nil
	case types.Int:
		if v < maxInteger && v > -maxInteger {
			return structpb.NewNumberValue(float64(v)), nil
		}

		return nil, beyond(v)
	case types.Uint:
		if v < maxInteger {
			return structpb.NewNumberValue(float64(v)), nil
		}

		return nil, beyond(v)
	case types.Double:
		f := float64(v)

		switch {
		case math.IsNaN(f) || math.IsInf(f, 0):
			return nil, errors.Errorf("%v is not a number that JSON has", f)
		case math.Abs(f) >= maxInteger:
			return nil, beyond(v)
		default:
			return structpb.NewNumberValue(f), nil
		}
	case types.Null:
		return nil, &AbsentError{why: "it is null"}
	case *types.Optional:
		if !v.HasValue() {
			return nil, &AbsentError{why: "it is an empty optional"}
		}

		return result(v.GetValue())
	default:
		return nil, errors.Errorf("is %s, not %s", kindOf(kind(v), v.Type().TypeName()), whatIsALabel)
	}
}

// beyond is the error of a number that may have been another one before it became a floating point
// number.
func beyond(v ref.Val) error {
	return errors.Errorf("%v is beyond the integers of a 64-bit floating point number, ±2⁵³: make it a string", v.Value())
}

func kind(v ref.Val) types.Kind {
	if t, ok := v.Type().(*types.Type); ok {
		return t.Kind()
	}

	return types.UnspecifiedKind
}

// callName is what a step finds the call by that it is charged to. No variable has this name.
const callName = "#call"

// ResolveName implements cel.Activation.
func (c *Call) ResolveName(name string) (any, bool) {
	switch name {
	case callName:
		return c, true
	case string(XR):
		return c.xr, true
	case string(Context):
		return c.context, true
	case string(Required):
		return c.required, true
	case string(Name):
		return c.name, true
	case string(Desired):
		return c.desired.get(c), true
	case string(Observed):
		if c.observed.object.IsZero() {
			return types.OptionalNone, true
		}

		return types.OptionalOf(c.observed.get(c)), true
	default:
		return nil, false
	}
}

// Parent implements cel.Activation.
func (c *Call) Parent() cel.Activation { return nil }
