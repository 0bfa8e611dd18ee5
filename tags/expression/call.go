package expression

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"cel.dev/cel-go/common/functions"
	"cel.dev/cel-go/common/operators"
	"cel.dev/cel-go/common/types"
	"cel.dev/cel-go/common/types/ref"
	"cel.dev/cel-go/common/types/traits"
	"cel.dev/cel-go/interpreter"

	"github.com/plexsphere/function-cloud-tags/tags/words"
)

// A step of a program that wraps one of cel-go's.
type step struct {
	interpreter.InterpretableV2

	exec func(frame *interpreter.ExecutionFrame) ref.Val
}

// Exec implements interpreter.InterpretableV2.
func (s step) Exec(frame *interpreter.ExecutionFrame) ref.Val { return s.exec(frame) }

// Eval implements interpreter.Interpretable.
func (s step) Eval(vars interpreter.Activation) ref.Val {
	return interpreter.EvalActivation(vars, s.exec)
}

// callOf returns the call that an evaluation is charged to.
func callOf(frame *interpreter.ExecutionFrame) *Call {
	v, _ := frame.ResolveName(callName)
	return v.(*Call) //nolint:forcetypeassert // Only calls evaluate expressions.
}

// after returns a step that does i, and then something about its value.
func after(i interpreter.InterpretableV2, do func(c *Call, v ref.Val) ref.Val) interpreter.InterpretableV2 {
	return step{i, func(frame *interpreter.ExecutionFrame) ref.Val { return do(callOf(frame), i.Exec(frame)) }}
}

// looped charges a round of a macro.
func looped(c *Call, v ref.Val) ref.Val {
	c.charge(c.nodes)
	return v
}

// made charges everything in a list or an object that is made: it could hold one value many times, and
// whoever looks at all of it would look at each of these.
func made(c *Call, v ref.Val) ref.Val {
	c.weigh(v)

	if m, ok := v.(traits.Mapper); ok {
		return sorted{m, c}
	}

	return v
}

// optional refuses an entry with a ? whose value is no optional. cel-go would write all of the value into
// its error.
func optional(_ *Call, v ref.Val) ref.Val {
	if _, ok := v.(*types.Optional); ok || types.IsUnknownOrError(v) {
		return v
	}

	return types.NewErr("an entry with a ? has to be an optional, not %s", kindOf(v))
}

// decorate returns a step that is charged, if i is a call of a function, a list or an object, or a part
// of a macro.
func (c *compiled) decorate(i interpreter.InterpretableV2) (interpreter.InterpretableV2, error) {
	out, err := c.charge(i)
	if err != nil {
		return nil, err
	}

	if _, ok := i.(interpreter.InterpretableConstructor); ok {
		out = after(out, made)
	}

	if do := c.after[i.ID()]; do != nil {
		out = after(out, do)
	}

	return out, nil
}

// charge returns a step that is charged before it is done, if i is a call of a function. It dispatches the
// call itself, since cel-go tracks the cost of a call only after it has the result.
func (c *compiled) charge(i interpreter.InterpretableV2) (interpreter.InterpretableV2, error) {
	call, ok := i.(interpreter.InterpretableCall)
	if !ok {
		return i, nil
	}

	bound := cmp.Or(bindings()[call.OverloadID()], bindings()[call.Function()])

	if regular, err := c.regularOf(call, bound); regular != nil || err != nil {
		return charged(call, func(*Call, []ref.Val) {}, regular), err
	}

	// A function that accepts errors as arguments reads nothing else, and is free.
	if bound != nil && bound.NonStrict {
		return i, nil
	}

	price := prices[call.Function()]

	switch {
	case price != nil:
	case strings.HasPrefix(call.Function(), "get"):
		price = priceOfTime
	default:
		price = priceOfRead
	}

	return charged(call, price, func(_ *Call, args []ref.Val) ref.Val { return invoke(bound, call, args) }), nil
}

// charged returns a step that evaluates the arguments of a call, charges the price, and does the call.
func charged(call interpreter.InterpretableCall, price price, do func(*Call, []ref.Val) ref.Val) interpreter.InterpretableV2 {
	return step{call, func(frame *interpreter.ExecutionFrame) ref.Val {
		args := make([]ref.Val, len(call.Args()))

		for i, arg := range call.Args() {
			args[i] = arg.Exec(frame)
			if types.IsUnknownOrError(args[i]) {
				return args[i]
			}
		}

		c := callOf(frame)
		price(c, args)

		v := do(c, args)
		if err, ok := v.(*types.Err); ok {
			// cel-go shares some of its errors, so that a label has to be on another one.
			return types.LabelErrNode(call.ID(), types.WrapErr(&callError{err, call.Function(), words.Map(args, ref.Val.Type)}))
		}

		return v
	}}
}

// A callError is the error of a call, and the types of its operands.
type callError struct {
	error

	function string
	operands []ref.Type
}

// Error names the types of an operator's operands: "no such overload: int + string". cel-go itself names the types of a
// function's arguments.
func (e *callError) Error() string {
	operator, ok := operators.FindReverseBinaryOperator(e.function)
	if !ok {
		return e.error.Error()
	}

	text := fmt.Sprintf("%v: %s %s %s", e.error, e.operands[0].TypeName(), operator, e.operands[1].TypeName())
	if e.function == operators.Add && slices.Contains(e.operands, ref.Type(types.StringType)) {
		text += ": write string(…) around the part that is no string"
	}

	return text
}

// invoke calls f as cel-go would, or the method of the first argument if there is no function.
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
