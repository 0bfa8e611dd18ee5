package expression

import (
	"regexp"
	"regexp/syntax"
	"strings"
	"unicode/utf8"

	"github.com/google/cel-go/common/overloads"
	"github.com/google/cel-go/common/types"
	"github.com/google/cel-go/common/types/ref"
	"github.com/google/cel-go/interpreter"

	"github.com/crossplane/function-sdk-go/errors"
)

const (
	// maxPattern is the most bytes of a regular expression, and maxProgram the most steps of its
	// program. A match can take as many steps for each character.
	maxPattern = 1024
	maxProgram = 10_000

	// compiling is the cost of compiling a regular expression, and compilingStep that of each step.
	compiling, compilingStep = 200, 10

	// stepsPerUnit steps of a regular expression cost a unit, and stepsPerPart steps count as a part of
	// the expression.
	stepsPerUnit, stepsPerPart = 4, 10

	// matchesAtOnce is how many matches are looked for first. If there are as many, twice as many are
	// looked for next.
	matchesAtOnce = 8
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

// all returns the first matches in target, up to most, or all of them if most is negative. The bytes that were
// read beyond the end of a match are read again for the next one, and are charged again.
func (re *regular) all(c *Call, target string, most int) [][]int {
	for n := matchesAtOnce; ; n *= 2 {
		if most >= 0 {
			n = min(n, most)
		}

		c.charge(int64(n) + re.cost(int64(n)*min(re.longest, int64(len(target)))))

		found := re.FindAllStringSubmatchIndex(target, n)
		if len(found) < n || n == most {
			return found
		}

		c.charge(re.cost(int64(len(target))))
	}
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
	if err != nil {
		return nil, err
	}

	return &regular{Regexp: re, steps: steps, longest: min(longest(tree), maxText)}, nil
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

// Names of the functions with regular expressions.
const (
	regexExtract    = "regex.extract"
	regexExtractAll = "regex.extractAll"
	regexReplace    = "regex.replace"
)

// regularOf returns the implementation of a call with a regular expression, or nil if call is none. It
// does what cel-go does, charges for it, and compiles a literal regular expression only once.
func (c *compiled) regularOf(call interpreter.InterpretableCall) (func(c *Call, args []ref.Val) ref.Val, error) {
	do := map[string]func(c *Call, re *regular, args []ref.Val) ref.Val{
		overloads.Matches: matches, regexExtract: extract, regexExtractAll: extractAll, regexReplace: replace,
	}[call.Function()]
	if do == nil {
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
		target, isText := args[0].(types.String)
		pattern, isPattern := args[1].(types.String)

		if !isText || !isPattern {
			return types.NewErr("no such overload: %s", call.Function())
		}

		re := literal
		if re == nil {
			c.charge(compiling + int64(len(pattern)))

			var err error
			if re, err = parse(string(pattern)); err != nil {
				return types.WrapErr(err)
			}

			c.charge(compilingStep * re.steps)
		}

		c.charge(re.cost(int64(len(target))))

		return do(c, re, args)
	}, nil
}

func matches(_ *Call, re *regular, args []ref.Val) ref.Val {
	return types.Bool(re.MatchString(at(args, 0)))
}

// groups returns an error if the regular expression has more than one group.
func groups(re *regular) ref.Val {
	if re.NumSubexp() > 1 {
		return types.NewErr("regular expression has more than one capturing group: %.64q", re.String())
	}

	return nil
}

func extract(_ *Call, re *regular, args []ref.Val) ref.Val {
	if err := groups(re); err != nil {
		return err
	}

	found := re.FindStringSubmatch(at(args, 0))
	if len(found) == 0 || len(found) > 1 && found[1] == "" {
		return types.OptionalNone
	}

	return types.OptionalOf(types.String(found[len(found)-1]))
}

func extractAll(c *Call, re *regular, args []ref.Val) ref.Val {
	if err := groups(re); err != nil {
		return err
	}

	target, out := at(args, 0), []string{}

	for _, found := range re.all(c, target, -1) {
		group := found[len(found)-2:]
		if len(found) == 2 || group[0] >= 0 && group[0] < group[1] {
			out = append(out, target[group[0]:group[1]])
		}
	}

	return types.NewStringList(types.DefaultTypeAdapter, out)
}

func replace(c *Call, re *regular, args []ref.Val) ref.Val {
	target, most := at(args, 0), -1

	if len(args) > 3 {
		n, ok := args[3].(types.Int)
		if !ok {
			return types.NewErr("no such overload: %s", regexReplace)
		}

		if n >= 0 {
			most = int(min(n, maxText))
		}
	}

	if most == 0 {
		return args[0]
	}

	c.charge(size(args[2]) / runesPerUnit)

	template, references, err := expansion(at(args, 2), re.NumSubexp())
	if err != nil {
		return types.WrapErr(err)
	}

	out, last := []byte{}, 0

	for _, found := range re.all(c, target, most) {
		// A group is a part of the match.
		size := found[0] - last + len(template) + references*(found[1]-found[0])
		if all := int64(len(out) + size); all > maxText {
			c.text(regexReplace, all)
		}

		c.charge(1 + int64(size)/bytesPerUnit + itemUnits*int64(references))

		out = append(out, target[last:found[0]]...)
		out = re.ExpandString(out, template, target, found)
		last = found[1]
	}

	c.text(regexReplace, int64(len(out)+len(target)-last))

	return types.String(append(out, target[last:]...))
}

// expansion returns the replacement by as a template of Go's package regexp, and how many references to groups
// it has. A backslash and a digit refer to one of so many groups.
func expansion(by string, groups int) (template string, references int, err error) {
	out := strings.Builder{}

	for {
		text, escaped, found := strings.Cut(by, `\`)
		out.WriteString(strings.ReplaceAll(text, `$`, `$$`))

		switch {
		case !found:
			return out.String(), references, nil
		case escaped == "":
			return "", 0, errors.New("invalid replacement string: \\ not allowed at end")
		case escaped[0] == '\\':
			out.WriteByte('\\')
		case escaped[0] < '0' || escaped[0] > '9':
			return "", 0, errors.New("invalid replacement string: \\ must be followed by a digit or \\")
		case int(escaped[0]-'0') > groups:
			return "", 0, errors.Errorf("replacement string references group %c but regex has only %d group(s)", escaped[0], groups)
		default:
			references++

			out.WriteString("${" + escaped[:1] + "}")
		}

		by = escaped[1:]
	}
}
