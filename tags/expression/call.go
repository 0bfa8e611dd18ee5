package expression

import (
	"slices"

	"github.com/google/cel-go/common/functions"
	"github.com/google/cel-go/common/operators"
	"github.com/google/cel-go/common/types"
	"github.com/google/cel-go/common/types/ref"
	"github.com/google/cel-go/common/types/traits"
	"github.com/google/cel-go/interpreter"
)

// A charged call of a function is charged before it is done. It does what cel-go does, which
// has no place for that: its trackers of costs come after the result, and are not there for
// most functions on texts.
type charged struct {
	interpreter.InterpretableCall

	args  []interpreter.Interpretable
	price price
	do    func(c *Call, args []ref.Val) ref.Val
}

// A ranged step is what a macro goes through. That is charged before it does.
type ranged struct{ interpreter.Interpretable }

// Eval implements interpreter.Interpretable.
func (r ranged) Eval(vars interpreter.Activation) ref.Val {
	of := r.Interpretable.Eval(vars)

	if m, ok := of.(traits.Mapper); ok {
		v, _ := vars.ResolveName(callName)
		if c, ok := v.(*Call); ok {
			c.iterate(m)
		}
	}

	return of
}

// A made step is a list or an object, all that is in it charged: it could have the same in it again
// and again, and nobody could look at all of that.
type made struct{ interpreter.Interpretable }

// Eval implements interpreter.Interpretable.
func (m made) Eval(vars interpreter.Activation) ref.Val {
	of := m.Interpretable.Eval(vars)

	v, _ := vars.ResolveName(callName)

	c, ok := v.(*Call)
	if !ok || types.IsUnknownOrError(of) {
		return of
	}

	if s, ok := of.(sorted); ok {
		s.call = c
		of = s
	}

	c.weigh(of)

	return of
}

// An optional step is what has to be one. cel-go would write all of what is none.
type optional struct{ interpreter.Interpretable }

// Eval implements interpreter.Interpretable.
func (o optional) Eval(vars interpreter.Activation) ref.Val {
	of := o.Interpretable.Eval(vars)
	if _, ok := of.(*types.Optional); ok || types.IsUnknownOrError(of) {
		return of
	}

	return types.NewErr("an entry with a ? has to be an optional, not %s", kindOf(kind(of), of.Type().TypeName()))
}

// decorate charges the supplied step of the expression's program, if it is a call of a function, a
// list or an object, or what a macro goes through.
func (c *compiled) decorate(i interpreter.Interpretable) (interpreter.Interpretable, error) {
	out, err := c.charge(i)
	if err != nil {
		return nil, err
	}

	if _, ok := i.(interpreter.InterpretableConstructor); ok {
		out = made{out}
	}

	if slices.Contains(c.ranges, i.ID()) {
		out = ranged{out}
	}

	if slices.Contains(c.optionals, i.ID()) {
		out = optional{out}
	}

	return out, nil
}

// charge the supplied step, if it is a call of a function.
func (c *compiled) charge(i interpreter.Interpretable) (interpreter.Interpretable, error) {
	call, ok := i.(interpreter.InterpretableCall)
	if !ok {
		return i, nil
	}

	k := &charged{InterpretableCall: call, args: call.Args(), price: prices[call.Function()]}
	if k.price == nil {
		k.price = priceOfRead
	}

	switch call.Function() {
	case operators.Equals:
		k.do = func(_ *Call, args []ref.Val) ref.Val { return types.Equal(args[0], args[1]) }
		return k, nil
	case operators.NotEquals:
		k.do = func(_ *Call, args []ref.Val) ref.Val { return types.Bool(types.Equal(args[0], args[1]) != types.True) }
		return k, nil
	}

	if regular, err := c.regularOf(call); regular != nil || err != nil {
		k.price, k.do = func(*Call, []ref.Val) {}, regular
		return k, err
	}

	bound := bindings()[call.OverloadID()]
	if bound == nil {
		bound = bindings()[call.Function()]
	}

	// What goes on with errors reads nothing else.
	if bound != nil && bound.NonStrict {
		return i, nil
	}

	k.do = func(_ *Call, args []ref.Val) ref.Val { return invoke(bound, call, args) }

	return k, nil
}

// Eval implements interpreter.Interpretable.
func (k *charged) Eval(vars interpreter.Activation) ref.Val {
	args := make([]ref.Val, len(k.args))

	for i, arg := range k.args {
		args[i] = arg.Eval(vars)
		if types.IsUnknownOrError(args[i]) {
			return args[i]
		}
	}

	v, _ := vars.ResolveName(callName)

	c, ok := v.(*Call)
	if !ok {
		return types.WrapErr(errNoCall)
	}

	k.price(c, args)

	return types.LabelErrNode(k.ID(), k.do(c, args))
}

// invoke the supplied function, or the first argument if that is what does it.
func invoke(f *functions.Overload, call interpreter.InterpretableCall, args []ref.Val) ref.Val {
	if f != nil && (f.OperandTrait == 0 || args[0].Type().HasTrait(f.OperandTrait)) {
		switch {
		case len(args) == 1 && f.Unary != nil:
			return f.Unary(args[0])
		case len(args) == 2 && f.Binary != nil:
			return f.Binary(args[0], args[1])
		case f.Function != nil:
			return f.Function(args...)
		}
	}

	if len(args) > 0 && args[0].Type().HasTrait(traits.ReceiverType) {
		return args[0].(traits.Receiver).Receive(call.Function(), call.OverloadID(), args[1:]) //nolint:forcetypeassert // The trait says so.
	}

	return types.NewErr("no such overload: %s", call.Function())
}
