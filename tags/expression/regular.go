package expression

import (
	"regexp"
	"strconv"
	"strings"

	"cel.dev/cel-go/common/overloads"
	"cel.dev/cel-go/common/types"
	"cel.dev/cel-go/common/types/ref"

	"github.com/crossplane/function-sdk-go/errors"
)

const (
	// maxPattern is the most bytes of a regular expression, and maxProgram the most steps of its program. A match can take as many steps
	// for each character.
	maxPattern = 1024
	maxProgram = 1000

	// compileUnits is what it costs to compile a step of a program, and matchUnits what it costs to keep a match.
	compileUnits = 20
	matchUnits   = 100
)

// findsAll are the functions whose second argument is a regular expression, and whether they find all matches in the first.
var findsAll = map[string]bool{overloads.Matches: false, "regex.extract": false, "regex.extractAll": true, "regex.replace": true}

// programSize returns how many steps the program of a regular expression has. The error is an OverrunError if it is too large.
func programSize(pattern string) (int, error) {
	if len(pattern) > maxPattern {
		return 0, &OverrunError{"a regular expression has at most " + strconv.Itoa(maxPattern) + " bytes"}
	}

	size, err := types.RegexProgramSize(pattern)
	if err == nil && size > maxProgram {
		err = &OverrunError{"the regular expression has more than " + strconv.Itoa(maxProgram) + " steps: a repetition counts as often as it repeats"}
	}

	return size, err
}

// search charges for a search of the text by the pattern, at worst, or for a search of all matches.
func (c *Call) search(text, pattern ref.Val, all bool) { //nolint:revive // It is one of two searches.
	t, _ := text.(types.String)
	p, _ := pattern.(types.String)

	size, err := programSize(string(p))

	switch {
	case errors.As(err, new(*OverrunError)):
		c.end(err)
	case err != nil:
		return // The call fails by it.
	}

	c.charge(int64(size) * compileUnits)

	if !all {
		c.charge(int64(size) * int64(len(t)))
		return
	}

	// Each search begins where the last match ends. A search may read on beyond its match: a(.*b)? reads all of aaa for each of its matches.
	re, _ := regexp.Compile(string(p)) // It has been parsed above.

	for at := []int{0, 0}; at != nil && len(t) > 0; {
		c.charge(matchUnits)

		at = re.FindReaderIndex(charged{strings.NewReader(string(t)), func() { c.charge(int64(size)) }})
		if at != nil {
			t = t[min(max(at[1], 1), len(t)):]
		}
	}
}

// A charged text has a charge for each character that is read.
type charged struct {
	*strings.Reader

	charge func()
}

// ReadRune implements io.RuneReader.
func (c charged) ReadRune() (r rune, size int, err error) {
	c.charge()
	return c.Reader.ReadRune()
}
