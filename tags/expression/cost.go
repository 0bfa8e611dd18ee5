package expression

import (
	"math"
	"strings"
	"unicode/utf8"

	"cel.dev/cel-go/common/operators"
	"cel.dev/cel-go/common/overloads"
	"cel.dev/cel-go/common/types"
	"cel.dev/cel-go/common/types/ref"
	"cel.dev/cel-go/common/types/traits"
	"golang.org/x/text/language"
	"golang.org/x/text/message"
)

// Limits of costs. A unit is the time of one step, about ten nanoseconds.
const (
	// maxEvaluation is what one evaluation may cost.
	maxEvaluation = 1_000_000

	// A step reads or writes bytesPerUnit, or decodes runesPerUnit.
	bytesPerUnit = 16
	runesPerUnit = 4

	// itemUnits is what it costs to make an item of a list, or to look into it.
	itemUnits = 4

	// keptUnits is what an item of a result costs: whoever asked for it looks at its text, and keeps it.
	keptUnits = 16

	// maxText is the most bytes of a text that a function makes.
	maxText = 1 << 20

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

	if c.left <= 0 {
		return &OverrunError{"costs too much: it ends after " + thousands(maxEvaluation) + " steps"}
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

// text charges a text of size bytes that function is about to make.
func (c *Call) text(function string, size int64) {
	if size > maxText || size < 0 {
		c.end(&OverrunError{function + " would make a text of more than " + thousands(maxText) + " bytes"})
	}

	c.charge(size / bytesPerUnit)
}

// weigh charges v and everything in it. A value that is in v several times is charged as often,
// since it is also looked at as often.
func (c *Call) weigh(v ref.Val) {
	c.charge(itemUnits)

	switch v := v.(type) {
	case types.String, types.Bytes:
		c.charge(size(v) / bytesPerUnit)
	case traits.Lister:
		for i := range length(v) {
			c.weigh(v.Get(types.Int(i)))
		}
	case sorted:
		c.weigh(v.Mapper)
	case traits.Mapper:
		for it := v.Iterator(); it.HasNext() == types.True; {
			key := it.Next()
			c.weigh(key)

			if item, ok := v.Find(key); ok {
				c.weigh(item)
			}
		}
	case *types.Optional:
		if v.HasValue() {
			c.weigh(v.GetValue())
		}
	}
}

// ranged charges the value v that a macro goes through, before it does. The keys of an object are sorted for it.
func ranged(c *Call, v ref.Val) ref.Val {
	if m, ok := v.(traits.Mapper); ok {
		n := length(m)
		c.charge(n * int64(itemUnits+math.Ilogb(float64(1+n))))
	}

	return v
}

// weight charges v and everything in it, and returns how much that is.
func (c *Call) weight(v ref.Val) int64 {
	before := c.left
	c.weigh(v)

	return before - c.left
}

// size returns the bytes of a text, or the number of items or entries.
func size(v ref.Val) int64 {
	switch v := v.(type) {
	case types.String:
		return int64(len(v)) // Its Size counts characters.
	case traits.Sizer:
		return length(v)
	default:
		return 1
	}
}

func length(v traits.Sizer) int64 {
	n, _ := v.Size().(types.Int)
	return int64(n)
}

// at returns the text of argument i, or an empty one if there is none.
func at(args []ref.Val, i int) string {
	if i >= len(args) {
		return ""
	}

	s, _ := args[i].(types.String)

	return string(s)
}

// A price charges a call of a function, before the call, for what it will read and make.
type price func(c *Call, args []ref.Val)

// prices of functions by name. The functions get… return a part of a time. All others read their arguments,
// and make nothing larger.
var prices = map[string]price{
	operators.Add:       priceOfAdd,
	operators.Equals:    priceOfEqual,
	operators.NotEquals: priceOfEqual,
	operators.In:        priceOfIn,
	operators.OldIn:     priceOfIn,

	// Texts.
	"charAt":      priceOfRunes,
	"substring":   priceOfRunes,
	"reverse":     priceOfRunes,
	"lowerAscii":  priceOfRunes,
	"upperAscii":  priceOfRunes,
	"trim":        priceOfRunes,
	"indexOf":     priceOfSearch,
	"lastIndexOf": priceOfSearch,
	"replace":     priceOfReplace,
	"split":       priceOfSplit,
	"join":        priceOfJoin,
	"format":      priceOfFormat,
	"strings.quote": func(c *Call, args []ref.Val) {
		priceOfRunes(c, args)
		c.text("strings.quote", 2*size(args[0])+2)
	},
	overloads.TypeConvertString: func(c *Call, args []ref.Val) { c.text("string", size(args[0])) },
	overloads.TypeConvertBytes:  func(c *Call, args []ref.Val) { c.text("bytes", size(args[0])) },

	// Lists.
	"lists.range": func(c *Call, args []ref.Val) {
		if n, ok := args[0].(types.Int); ok {
			c.charge(itemUnits * max(min(int64(n), maxEvaluation), 0))
		}
	},
	"flatten":                 priceOfAll,
	"slice":                   priceOfItems,
	"sort":                    priceOfSort,
	"@sortByAssociatedKeys":   priceOfSort,
	"distinct":                func(c *Call, args []ref.Val) { c.charge(c.weight(args[0]) / itemUnits * size(args[0])) },
	"optional.unwrap":         priceOfAll,
	"unwrapOpt":               priceOfAll,
	"optional.ofNonZeroValue": priceOfItems,
}

// priceOfRead is the price of functions that read their arguments once.
func priceOfRead(c *Call, args []ref.Val) {
	for _, arg := range args {
		c.charge(1)

		switch arg.(type) {
		case types.String, types.Bytes:
			c.charge(size(arg) / bytesPerUnit)
		}
	}
}

// priceOfAll is the price of functions that read everything in their arguments.
func priceOfAll(c *Call, args []ref.Val) {
	for _, arg := range args {
		c.weigh(arg)
	}
}

// priceOfItems is the price of functions that read the items of their arguments.
func priceOfItems(c *Call, args []ref.Val) {
	for _, arg := range args {
		c.charge(1 + size(arg))
	}
}

func priceOfAdd(c *Call, args []ref.Val) {
	switch args[0].(type) {
	case types.String, types.Bytes:
		c.text("+", size(args[0])+size(args[1]))
	case traits.MutableLister: // The list that a macro collects is not copied.
	case traits.Lister:
		c.weigh(args[1])
	}

	c.charge(1)
}

func priceOfEqual(c *Call, args []ref.Val) {
	if types.IsPrimitiveType(args[0]) && types.IsPrimitiveType(args[1]) {
		c.charge(1 + min(size(args[0]), size(args[1]))/bytesPerUnit)
		return
	}

	priceOfAll(c, args)
}

func priceOfIn(c *Call, args []ref.Val) {
	if _, ok := args[1].(traits.Mapper); ok {
		priceOfRead(c, args)
		return
	}

	priceOfAll(c, args)
}

func priceOfRunes(c *Call, args []ref.Val) { c.charge(1 + size(args[0])/runesPerUnit) }

// priceOfSearch is the price of a search that starts again at each character.
func priceOfSearch(c *Call, args []ref.Val) {
	text, wanted := int64(len(at(args, 0))), int64(len(at(args, 1)))
	c.charge(1 + (text+wanted)/runesPerUnit)
	c.charge(text / runesPerUnit * wanted / runesPerUnit)
}

func priceOfReplace(c *Call, args []ref.Val) {
	s, old, by := at(args, 0), at(args, 1), at(args, 2)
	c.charge(1 + int64(len(s)+len(old)+len(by))/runesPerUnit)

	n := replacedMatches(args, int64(strings.Count(s, old)))
	c.text("replace", int64(len(s))+n*int64(len(by)-len(old)))
}

// replacedMatches returns how many of the matches a call replaces: no more than its fourth argument, if it has one that isn't
// negative.
func replacedMatches(args []ref.Val, matches int64) int64 {
	if len(args) > 3 {
		if limit, ok := args[3].(types.Int); ok && limit >= 0 {
			return min(matches, int64(limit))
		}
	}

	return matches
}

func priceOfSplit(c *Call, args []ref.Val) {
	s, by := at(args, 0), at(args, 1)
	c.charge(1 + int64(len(s))/runesPerUnit)

	n := int64(strings.Count(s, by)) + 1
	if by == "" {
		n = int64(utf8.RuneCountInString(s))
	}

	c.charge(itemUnits * n)
}

func priceOfJoin(c *Call, args []ref.Val) {
	list, ok := args[0].(traits.Lister)
	if !ok {
		return
	}

	all := int64(0)

	for i := range length(list) {
		item := list.Get(types.Int(i))
		c.weigh(item)
		all += size(item) + int64(len(at(args, 1)))
	}

	c.text("join", all)
}

// maxDigits are the most digits that a format may ask for.
const maxDigits = 3

// priceOfFormat is the price of a format, which writes each item of its list once. A number has no
// more digits than the format asks for.
func priceOfFormat(c *Call, args []ref.Val) {
	format, verb, digits := at(args, 0), false, 0

	for _, r := range format {
		switch {
		case r == '%':
			verb, digits = !verb, 0
		case r >= '0' && r <= '9':
			digits++
		case r != '.':
			verb = false
		}

		if verb && digits > maxDigits {
			c.end(&OverrunError{"format would make a number of more than 999 digits"})
		}
	}

	// A number takes as many characters as the format asks for, and a text twice its own.
	const longest = 1400

	items := c.weight(args[1])
	c.text("format", int64(len(format))+2*bytesPerUnit*items+longest*int64(strings.Count(format, "%")))
}

func priceOfSort(c *Call, args []ref.Val) {
	all := int64(0)
	for _, arg := range args {
		all += c.weight(arg)
	}

	c.charge(all / itemUnits * int64(1+math.Ilogb(float64(1+all))))
}

// priceOfTime is the price of a part of a time. With a zone it reads the file of the zone.
func priceOfTime(c *Call, args []ref.Val) {
	priceOfRead(c, args)
	c.charge(2000 * int64(len(args)-1))
}

// thousands puts a number with commas between its thousands.
func thousands(n int64) string { return message.NewPrinter(language.English).Sprint(n) }
