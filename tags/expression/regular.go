package expression

import (
	"regexp"
	"regexp/syntax"
	"strings"
	"unicode/utf8"

	"cel.dev/cel-go/common/functions"
	"cel.dev/cel-go/common/overloads"
	"cel.dev/cel-go/common/types"
	"cel.dev/cel-go/common/types/ref"
	"cel.dev/cel-go/interpreter"

	"github.com/crossplane/function-sdk-go/errors"
)

const (
	// maxPattern is the most bytes of a regular expression, and maxProgram the most steps of its
	// program. A match can take as many steps for each character.
	maxPattern = 1024
	maxProgram = 10_000

	// compiling is the cost of compiling a regular expression, and compilingStep the cost for each step.
	compiling, compilingStep = 200, 10

	// stepsPerUnit steps of a regular expression cost a unit. stepsPerPart steps add one to the size of the whole CEL
	// expression, which has a limit.
	stepsPerUnit, stepsPerPart = 4, 10
)

// A regular expression, how many steps it has, and the most bytes of what it matches.
type regular struct {
	*regexp.Regexp

	steps, longest int64
}

// cost returns what it costs to look at so many bytes.
func (re *regular) cost(bytes int64) int64 {
	return 1 + bytes*(re.steps+stepsPerUnit)/stepsPerUnit
}

// chargeAll charges c for finding all matches in size bytes in the worst case, and returns their number: one at each byte, and one
// at the end. Bytes that are read beyond a match are read again for the next match.
func (re *regular) chargeAll(c *Call, size int64) (matches int64) {
	matches = size + 1
	c.charge(itemUnits*matches + re.cost(matches*min(re.longest, size)))

	return matches
}

// parse a regular expression. Its size is checked before it is compiled.
func parse(pattern string) (*regular, error) {
	if len(pattern) > maxPattern {
		return nil, errors.Errorf("a regular expression has at most %d bytes", maxPattern)
	}

	tree, err := syntax.Parse(pattern, syntax.Perl)
	if err != nil {
		return nil, err
	}

	steps := stepsOf(tree)
	if steps > maxProgram {
		return nil, errors.Errorf("the regular expression %.64q is too large", pattern)
	}

	re, err := regexp.Compile(pattern)

	return &regular{Regexp: re, steps: steps, longest: min(longest(tree), maxText)}, err
}

// longest returns about how many bytes a match of the regular expression can have. Without a bound it
// returns more than any text has.
func longest(tree *syntax.Regexp) int64 {
	if tree.Op == syntax.OpStar || tree.Op == syntax.OpPlus {
		return maxText
	}

	// A class is of one character.
	n := int64(utf8.UTFMax)
	if tree.Op == syntax.OpLiteral {
		n *= int64(len(tree.Rune))
	}

	for _, sub := range tree.Sub {
		n += longest(sub)
	}

	if tree.Op == syntax.OpRepeat {
		if tree.Max < 0 {
			return maxText
		}

		n *= int64(tree.Max)
	}

	return min(n, maxText)
}

// stepsOf returns about how many steps the regular expression has.
func stepsOf(tree *syntax.Regexp) int64 {
	n := int64(1 + len(tree.Rune))
	if tree.Op == syntax.OpCharClass {
		n = 1
	}

	for _, sub := range tree.Sub {
		n += 1 + stepsOf(sub)
	}

	if tree.Op == syntax.OpRepeat {
		n *= int64(max(tree.Min, tree.Max, 1))
	}

	return min(n, maxProgram+1)
}

// regularPrices of functions by name, besides the price of compiling the regular expression. A price charges a call with a regular
// expression, before the call, for what it will read and make.
var regularPrices = map[string]func(c *Call, re *regular, args []ref.Val){
	overloads.Matches:  priceOfMatch,
	"regex.extract":    priceOfMatch,
	"regex.extractAll": func(c *Call, re *regular, args []ref.Val) { re.chargeAll(c, size(args[0])) },
	"regex.replace":    priceOfRegularReplace,
}

func priceOfMatch(c *Call, re *regular, args []ref.Val) { c.charge(re.cost(size(args[0]))) }

// priceOfRegularReplace is the price of a replacement of each match. A reference (\1) inserts a part
// of each match. Matches don't overlap, so that all texts of one reference are at most as long as the target.
func priceOfRegularReplace(c *Call, re *regular, args []ref.Val) {
	target, by := size(args[0]), size(args[2])

	matches := replacedMatches(args, re.chargeAll(c, target))
	c.charge(matches * by / runesPerUnit)
	c.text("regex.replace", target+matches*by+target*int64(strings.Count(at(args, 2), `\`)))
}

// regularOf returns the implementation of a call with a regular expression, or nil if call is none. It charges, and then does what cel-go does, but for
// matches: that compiles a literal regular expression only once.
func (c *compiled) regularOf(call interpreter.InterpretableCall, bound *functions.Overload) (func(c *Call, args []ref.Val) ref.Val, error) {
	price := regularPrices[call.Function()]
	if price == nil {
		return nil, nil //nolint:nilnil // Absent is neither a function nor an error.
	}

	var literal *regular

	if arg, ok := call.Args()[1].(interpreter.InterpretableConst); ok {
		if pattern, ok := arg.Value().(types.String); ok {
			var err error
			if literal, err = parse(string(pattern)); err != nil {
				return nil, &flaw{err.Error(), arg.ID()}
			}

			if c.size += literal.steps / stepsPerPart; c.size > maxSize {
				return nil, &flaw{"the regular expressions up to here are too large together", arg.ID()}
			}
		}
	}

	return func(c *Call, args []ref.Val) ref.Val {
		re := literal

		if re == nil {
			c.charge(compiling + size(args[1]))

			var err error
			if re, err = parse(at(args, 1)); err != nil {
				return types.WrapErr(err)
			}
		}

		price(c, re, args)

		if target, ok := args[0].(types.String); ok && re == literal && call.Function() == overloads.Matches {
			return types.Bool(re.MatchString(string(target)))
		}

		c.charge(compiling + compilingStep*re.steps)

		return invoke(bound, call, args)
	}, nil
}
