package expression

import (
	"fmt"
	"slices"
	"time"

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

// ranged charges the value v that a macro goes through, before it does. The keys of an object are sorted for it.
func ranged(c *Call, v ref.Val) ref.Val {
	if m, ok := v.(traits.Mapper); ok {
		c.charge(itemUnits * length(m))
	}

	return v
}

// looped charges a round of a macro.
func looped(c *Call, v ref.Val) ref.Val {
	c.charge(c.nodes)
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

// ordered returns v, whose keys come in one order if v is an object. To make an object is more than to make its entries.
func ordered(c *Call, v ref.Val) ref.Val {
	if m, ok := v.(traits.Mapper); ok {
		c.charge(entryUnits * (1 + length(m)))
		return sorted{m}
	}

	return v
}

// decorate returns a step that does i, and then what c.after has for it. A call names its operands if it fails, and an object has its keys in
// one order.
func (c *compiled) decorate(i interpreter.InterpretableV2) (interpreter.InterpretableV2, error) {
	if c.keyed[i.ID()] { // It is the key of an index, which has the id of the index, and comes before it.
		c.keyed[i.ID()] = false
		return i, nil
	}

	out := i

	switch i := i.(type) {
	case interpreter.InterpretableCall:
		out = step{i, func(frame *interpreter.ExecutionFrame) ref.Val { return execute(i, frame) }}
	case interpreter.InterpretableConstructor:
		out = after(i, ordered)
	}

	if do := c.after[i.ID()]; do != nil {
		out = after(out, do)
	}

	return out, nil
}

// after returns a step that does i, and then something about its value.
func after(i interpreter.InterpretableV2, do func(c *Call, v ref.Val) ref.Val) interpreter.InterpretableV2 {
	return step{i, func(frame *interpreter.ExecutionFrame) ref.Val { return do(callOf(frame), i.Exec(frame)) }}
}

// execute does the call. If it fails, the error has the place of the call, and the types of an operator's operands: "no such overload:
// int + string".
func execute(call interpreter.InterpretableCall, frame *interpreter.ExecutionFrame) ref.Val {
	v := call.Exec(frame)

	err, ok := v.(*types.Err)
	if !ok || err.NodeID() != call.ID() && err.NodeID() != shared {
		return v // If it is an error, then an operand's.
	}

	text := err.Error()

	if operator, ok := operators.FindReverseBinaryOperator(call.Function()); ok {
		operands := words.Map(call.Args(), func(arg interpreter.InterpretableV2) string { return arg.Exec(frame).Type().TypeName() })
		text += fmt.Sprintf(": %s %s %s", operands[0], operator, operands[1])

		if call.Function() == operators.Add && slices.Contains(operands, types.StringType.TypeName()) {
			text += ": write string(…) around the part that is no string"
		}
	}

	return types.LabelErrNode(call.ID(), types.NewErrFromString(text))
}

// shared is the place of the errors that cel-go shares between all evaluations: no part of an expression. They would keep the place of
// the first failure.
const shared = -1

// shareErrors gives the errors their place.
func shareErrors() {
	last := types.Timestamp{Time: time.Date(9999, 12, 31, 0, 0, 0, 0, time.UTC)}

	for _, err := range []ref.Val{types.NoSuchOverloadErr(), last.Add(types.Duration{Duration: 48 * time.Hour})} {
		types.LabelErrNode(shared, err)
	}
}
