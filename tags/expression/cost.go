package expression

import (
	"strings"

	"cel.dev/cel-go/common/ast"
	"cel.dev/cel-go/common/operators"
	"cel.dev/cel-go/common/overloads"
	"cel.dev/cel-go/common/types"
	"cel.dev/cel-go/common/types/ref"
	"cel.dev/cel-go/common/types/traits"

	"github.com/plexsphere/function-cloud-tags/tags/words"
)

// Limits of costs. A unit is about ten nanoseconds.
const (
	// maxEvaluation is what one evaluation may cost. The function distinct takes half of it for 1,000 items of 64 bytes.
	maxEvaluation = 10_000_000

	// leastEvaluation is what it costs to start an evaluation.
	leastEvaluation = 200

	// A unit reads bytesPerUnit. To read an item of a list or an object takes itemUnits, and to make an entry of an object entryUnits.
	bytesPerUnit = 4
	itemUnits    = 20
	entryUnits   = 60

	// zoneUnits is what it costs to read the file of a time zone.
	zoneUnits = 2000

	// maxText is the most bytes of a text that a function or an operator reads, and maxItems the most items of a list or an object.
	maxText  = 64 << 10
	maxItems = 1000

	// maxValue is the most bytes of a text that an expression comes to. Kubernetes has the same limit for all annotations of an object.
	maxValue = 256 << 10

	// checkEvery is after how many units the call's context is checked.
	checkEvery = 100_000
)

// An OverrunError says that an expression costs too much.
type OverrunError struct{ why string }

// Error returns which cost was too much.
func (e *OverrunError) Error() string { return e.why }

// spend units. It returns an error if too few are left.
func (c *Call) spend(units int64) error {
	c.left -= units

	if c.left < c.next {
		c.next = c.left - checkEvery

		if err := c.ctx.Err(); err != nil {
			return err
		}
	}

	if c.left < 0 {
		return &OverrunError{"costs too much: it ends after " + words.Thousands(maxEvaluation) + " steps"}
	}

	return c.budget.ChargeExpressions(int(units))
}

// charge units to the evaluation, which ends if too few are left.
func (c *Call) charge(units int64) {
	if err := c.spend(units); err != nil {
		c.end(err)
	}
}

// end the evaluation with err. It panics, from which cel-go recovers: an operator such as || could
// discard an error.
func (c *Call) end(err error) {
	c.failure = err
	panic(err)
}

// read charges for reading v so many times: its text, or its items and what is in them, so many levels deep.
func (c *Call) read(v ref.Val, times int64, levels int) {
	switch v := v.(type) {
	case types.String, types.Bytes:
		c.charge(times * (1 + c.size(v)/bytesPerUnit))
	case traits.MutableLister: // The list that a macro collects is not copied.
	case traits.Lister:
		n := c.size(v)
		c.charge(times * itemUnits * n)

		for i := int64(0); levels > 0 && i < n; i++ {
			c.read(v.Get(types.Int(i)), times, levels-1)
		}
	case traits.Mapper:
		c.charge(times * itemUnits * c.size(v))

		for it := v.Iterator(); levels > 0 && it.HasNext() == types.True; {
			key := it.Next()
			c.read(key, times, levels-1)

			if item, ok := v.Find(key); ok {
				c.read(item, times, levels-1)
			}
		}
	case *types.Optional:
		if v.HasValue() {
			c.read(v.GetValue(), times, levels)
		}
	}
}

// size returns the bytes of a text, or the number of items of a list or an object. The evaluation ends if they are too many.
func (c *Call) size(v ref.Val) int64 {
	switch v := v.(type) {
	case types.String:
		return c.within(int64(len(v)), maxText, "text", "bytes")
	case types.Bytes:
		return c.within(int64(len(v)), maxText, "text", "bytes")
	case traits.Lister:
		return c.within(length(v), maxItems, "list", "items")
	case traits.Mapper:
		return c.within(length(v), maxItems, "map", "entries")
	default:
		return 0
	}
}

// within returns size. The evaluation ends if size is beyond the limit.
func (c *Call) within(size, limit int64, whole, parts string) int64 {
	if size > limit {
		c.end(&OverrunError{"reads a " + whole + " of more than " + words.Thousands(int(limit)) + " " + parts})
	}

	return size
}

func length(v traits.Sizer) int64 {
	n, _ := v.Size().(types.Int)
	return int64(n)
}

// everything is more levels than anything that is read has. An expression can make a list that has one value many times: each costs.
const everything = 1 << 10

// readings is how often functions read their arguments, if more than once.
var readings = map[string]int64{
	// They decode characters, or write a text.
	"charAt": 4, "substring": 4, "reverse": 4, "lowerAscii": 4, "upperAscii": 4, "trim": 4, "indexOf": 4, "lastIndexOf": 4, "replace": 4,
	"join": 4, "strings.quote": 4, overloads.TypeConvertString: 4, overloads.TypeConvertBytes: 4,

	// Each part of a text takes an item, and each number that is written as much.
	"split": 32, "format": 32,

	// The binary logarithm of maxItems.
	"sort": 10, "@sortByAssociatedKeys": 10,
}

// depths is how deep functions look into their arguments, if they don't look at everything.
var depths = map[string]int{operators.Add: 0, "slice": 0, "reverse": 0, "sort": 1, "@sortByAssociatedKeys": 1}

// handsOn are functions that don't look at their arguments.
var handsOn = map[string]bool{
	operators.Conditional: true, operators.LogicalAnd: true, operators.LogicalOr: true, operators.LogicalNot: true,
	operators.NotStrictlyFalse: true, operators.OptSelect: true, overloads.TypeConvertDyn: true, overloads.TypeConvertType: true,
	"optional.of": true, "optional.ofNonZeroValue": true, "hasValue": true, "value": true, "or": true, "orValue": true,
}

// multiplied are arguments by whose length the first argument is read, or written: each character of a text may be replaced.
var multiplied = map[string]int{"join": 1, "indexOf": 1, "lastIndexOf": 1, "replace": 2, "regex.replace": 2}

// reads adds to c.after how the call e reads its arguments. It returns the flaw of a literal regular expression.
func (c *compiled) reads(e ast.Expr) error {
	call, args := e.AsCall(), e.AsCall().Args()
	if call.IsMemberFunction() {
		args = append([]ast.Expr{call.Target()}, args...)
	}

	for i, arg := range args {
		if do := reader(call.FunctionName(), e.ID(), i, arg); do != nil {
			c.after[arg.ID()] = func(c *Call, v ref.Val) ref.Val {
				do(c, v)
				return v
			}

			c.keyed[e.ID()] = isIndex(call.FunctionName())
		}
	}

	if _, ok := findsAll[call.FunctionName()]; ok && args[1].Kind() == ast.LiteralKind {
		pattern, _ := args[1].AsLiteral().(types.String)
		if _, err := programSize(string(pattern)); err != nil {
			return &flaw{err.Error(), args[1].ID()}
		}
	}

	return nil
}

// reader returns a charge for argument i of a call of the function, before the call, or nil if the call doesn't look at it.
func reader(function string, id int64, i int, arg ast.Expr) func(c *Call, v ref.Val) {
	n, depth := max(readings[function], 1), everything
	if d, ok := depths[function]; ok {
		depth = d
	}

	all, isSearch := findsAll[function]

	switch {
	case handsOn[function], isIndex(function) && (i == 0 || arg.Kind() == ast.LiteralKind):
		return nil
	case function == overloads.Size: // Lists and maps know theirs.
		return func(c *Call, v ref.Val) {
			if text, ok := v.(types.String); ok {
				c.read(text, 1, 0)
			}
		}
	case function == operators.In && i == 1: // A map looks a key up.
		return func(c *Call, v ref.Val) {
			if list, ok := v.(traits.Lister); ok {
				c.read(list, 1, everything)
			}
		}
	case function == "distinct":
		return func(c *Call, v ref.Val) { c.read(v, 1+c.size(v)/8, depth) }
	case function == "lists.range":
		return func(c *Call, v ref.Val) {
			if items, ok := v.(types.Int); ok {
				c.charge(itemUnits * c.within(int64(items), maxItems, "list", "items"))
			}
		}
	case strings.HasPrefix(function, "get") && i == 1: // A part of a time, in a zone.
		return func(c *Call, v ref.Val) {
			c.read(v, 1, 0)
			c.charge(zoneUnits)
		}
	case isSearch && i == 1:
		return func(c *Call, v ref.Val) { c.search(c.first[id], v, all) }
	case i == 0 && (isSearch || multiplied[function] > 0):
		return func(c *Call, v ref.Val) {
			c.first[id] = v
			c.read(v, n, depth)
		}
	case multiplied[function] > 0 && i == multiplied[function]:
		return func(c *Call, v ref.Val) { c.charge(c.size(c.first[id]) * c.size(v) / bytesPerUnit) }
	default:
		return func(c *Call, v ref.Val) { c.read(v, n, depth) }
	}
}

func isIndex(function string) bool {
	return function == operators.Index || function == operators.OptIndex
}
