// Package awspattern compiles patterns of AWS's API models with an engine that has their lookaheads and escapes.
package awspattern

import (
	"strings"
	"sync"

	"github.com/dlclark/regexp2"
)

// spellings of parts that the engine doesn't know.
var spellings = strings.NewReplacer(`\p{all}`, `\s\S`, `\uD800\uDC00-\uDBFF\uDFFF`, "\U00010000-\U0010ffff")

var compiled sync.Map

// Compile returns the pattern of a model, which holds for a whole text. Its \w and \s are ASCII. An empty pattern matches all texts.
func Compile(pattern string) *regexp2.Regexp {
	if pattern == "" {
		pattern = `[\s\S]*`
	}

	re, ok := compiled.Load(pattern)
	if !ok {
		re, _ = compiled.LoadOrStore(pattern, regexp2.MustCompile(`\A(?:`+spellings.Replace(pattern)+`)\z`, regexp2.RE2))
	}

	return re.(*regexp2.Regexp) //nolint:forcetypeassert // Nothing else is stored.
}
