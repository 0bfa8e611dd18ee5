package field

import (
	"fmt"
	"math"
	"regexp"
	"regexp/syntax"
	"slices"
	"strings"
	"unicode/utf8"

	"google.golang.org/protobuf/types/known/structpb"

	"github.com/plexsphere/function-cloud-tags/tags/object"
	"github.com/plexsphere/function-cloud-tags/tags/profile"
	"github.com/plexsphere/function-cloud-tags/tags/words"
)

const (
	// maxPattern is the most bytes of a pattern that is looked at, and maxProgram the most
	// instructions of what it becomes. The longest values take as many steps for each of their
	// characters. Patterns of custom resource definitions have a tenth of that.
	maxPattern = 1024
	maxProgram = 4096

	// maxNesting is how deep schemas of one string are within each other.
	maxNesting = 8
)

// Limits are what the schema of a kind admits in its tag field, beside the field's type. The API
// server refuses the whole resource if the field exceeds them.
type Limits struct {
	// Max is the most entries of the field, or negative if there is no limit.
	Max int

	// NeverEmpty is true if the field has to have an entry while it is there.
	NeverEmpty bool

	// key, value and entry are what the schema admits of the key and of the value of a tag, and
	// of an entry in which they are one string. whole is what it admits of all tags in one string.
	key, value, entry, whole *stringSchema
}

// LimitsOf returns the limits of the field in the OpenAPI v3 schema of a kind, which may be none,
// or nil if the schema has no limits for it. A pattern that is not one of RE2, as the API server's
// are, or that is too large, is no limit.
func LimitsOf(s object.Node, f *Field) *Limits {
	of := schemaAt(s, f.Path)

	l := &Limits{Max: -1}

	for _, part := range inside(of) {
		l.narrow(part, "maxProperties")
		l.narrow(part, "maxItems")

		for _, name := range []string{"minProperties", "minItems"} {
			least, _ := bound(part, name)
			l.NeverEmpty = l.NeverEmpty || least > 0
		}
	}

	switch f.Shape {
	case Map, Labels:
		l.value = stringOf(inside(of, "additionalProperties"))
	case MapOfLists:
		l.value = stringOf(inside(of, "additionalProperties", "items"))
	case KeyValueList:
		l.key = stringOf(inside(of, "items", "properties", f.Key))
		l.value = stringOf(inside(of, "items", "properties", f.Value))
	case StringList:
		l.entry = stringOf(inside(of, "items"))
	case Joined:
		l.whole = stringOf(inside(of))
	case None:
	}

	if *l == (Limits{Max: -1}) {
		return nil
	}

	return l
}

// LimitsOf returns the limits of the launched field in the OpenAPI v3 schema of the kind that has
// it: see LimitsOf.
func (l *Launched) LimitsOf(s object.Node) *Limits {
	if !l.List.IsZero() {
		s = schemaAt(s, l.List).Field("items")
	}

	return LimitsOf(s, &l.Field)
}

// narrow the most entries to the limit of the schema that has the name, if there is one.
func (l *Limits) narrow(s object.Node, name string) {
	if n, ok := bound(s, name); ok && (l.Max < 0 || n < l.Max) {
		l.Max = n
	}
}

// Refuses returns why the schema doesn't admit the tag, with the separator between its key and value
// in a list of strings, and what it admits in a few words, or nothing. Nil limits admit all tags.
func (l *Limits) Refuses(key, separator, value string) (reason profile.SkipReason, limit string) {
	if l == nil {
		return "", ""
	}

	for _, is := range []struct {
		of           *stringSchema
		s            string
		length, char profile.SkipReason
	}{
		{l.key, key, profile.KeyTooLong, profile.KeyCharacterClass},
		{l.value, value, profile.ValueTooLong, profile.ValueCharacterClass},
		{l.entry, key + separator + value, profile.ValueTooLong, profile.ValueCharacterClass},
	} {
		if !is.of.admitsLength(is.s) {
			return is.length, is.of.String()
		}

		if !is.of.admits(is.s) {
			return is.char, is.of.String()
		}
	}

	return "", ""
}

// RefusesWhole returns what the schema admits of all tags in one string in a few words, if that
// is not the text, or nothing.
func (l *Limits) RefusesWhole(text string) (limit string) {
	if l == nil || l.whole.admits(text) {
		return ""
	}

	return l.whole.String()
}

// partsOf returns the schema and all that have to hold beside it, down to so many schemas within each other.
func partsOf(s object.Node, nesting int) []object.Node {
	if !s.IsObject() || nesting == 0 {
		return nil
	}

	out := []object.Node{s}
	for part := range s.Field("allOf").Items() {
		out = append(out, partsOf(part, nesting-1)...)
	}

	return out
}

// inside returns the schemas of the value at the path of field names in the schema and its parts.
func inside(s object.Node, path ...string) []object.Node {
	out := partsOf(s, maxNesting)
	for _, name := range path {
		out = slices.Concat(words.Map(out, func(part object.Node) []object.Node { return partsOf(part.Field(name), maxNesting) })...)
	}

	return out
}

// A stringSchema is what schemas admit of a string. One that is nil admits all.
type stringSchema struct {
	// least and most characters. most is negative if there is no limit.
	least, most int

	patterns []*regexp.Regexp

	// enum is what the string is one of, if it isn't nil.
	enum []string

	// others are what else has to hold: anyOf, oneOf and not.
	others []func(string) bool
}

// stringOf returns what all of the schemas admit of a string, or nil if they admit all.
func stringOf(schemas []object.Node) *stringSchema { return stringWithin(schemas, maxNesting) }

func stringWithin(schemas []object.Node, depth int) *stringSchema {
	t := &stringSchema{most: -1}

	for _, s := range schemas {
		if n, ok := bound(s, "maxLength"); ok && (t.most < 0 || n < t.most) {
			t.most = n
		}

		if n, ok := bound(s, "minLength"); ok {
			t.least = max(t.least, n)
		}

		if re := patternOf(s); re != nil {
			t.patterns = append(t.patterns, re)
		}

		if enum := s.Field("enum"); enum.IsList() {
			t.narrow(enum)
		}

		if depth > 0 {
			t.choose(s, depth-1)
		}
	}

	if t.most < 0 && t.least == 0 && t.patterns == nil && t.enum == nil && t.others == nil {
		return nil
	}

	return t
}

// narrow what the string is one of to the texts in the list.
func (t *stringSchema) narrow(enum object.Node) {
	of := []string{}

	for v := range enum.Items() {
		if s := v.Text(); (t.enum == nil || slices.Contains(t.enum, s)) && v.IsText(s) {
			of = append(of, s)
		}
	}

	t.enum = of
}

// choose adds what the schema says by anyOf, oneOf and not: any of some schemas has to admit the
// string, exactly one of some, and one must not.
func (t *stringSchema) choose(s object.Node, depth int) {
	each := func(name string) (of []*stringSchema) {
		for part := range s.Field(name).Items() {
			of = append(of, stringWithin(inside(part), depth))
		}

		return of
	}

	if of := each("anyOf"); of != nil {
		t.others = append(t.others, func(s string) bool { return count(of, s) > 0 })
	}

	if of := each("oneOf"); of != nil {
		t.others = append(t.others, func(s string) bool { return count(of, s) == 1 })
	}

	if not := s.Field("not"); not.IsObject() {
		of := stringWithin(inside(not), depth)
		t.others = append(t.others, func(s string) bool { return !of.admits(s) })
	}
}

// patternOf returns the pattern of the schema, or nil if there is none that can be applied.
func patternOf(s object.Node) *regexp.Regexp {
	p := s.Field("pattern").Text()
	if p == "" || len(p) > maxPattern {
		return nil
	}

	tree, err := syntax.Parse(p, syntax.Perl)
	if err != nil {
		return nil
	}

	program, err := syntax.Compile(tree.Simplify())
	if err != nil || len(program.Inst) > maxProgram {
		return nil
	}

	re, err := regexp.Compile(p)
	if err != nil {
		return nil
	}

	return re
}

// admitsLength is true if the string has neither too many nor too few characters.
func (t *stringSchema) admitsLength(s string) bool {
	return t == nil || t.most < 0 || utf8.RuneCountInString(s) <= t.most
}

// admits is true if all schemas admit the string.
func (t *stringSchema) admits(s string) bool {
	if t == nil {
		return true
	}

	return t.admitsLength(s) && utf8.RuneCountInString(s) >= t.least && (t.enum == nil || slices.Contains(t.enum, s)) &&
		!slices.ContainsFunc(t.patterns, func(re *regexp.Regexp) bool { return !re.MatchString(s) }) &&
		!slices.ContainsFunc(t.others, func(holds func(string) bool) bool { return !holds(s) })
}

// count of the schemas that admit the string.
func count(of []*stringSchema, s string) (n int) {
	for _, t := range of {
		if t.admits(s) {
			n++
		}
	}

	return n
}

// String is how messages put what is admitted.
func (t *stringSchema) String() string {
	var out []string

	switch {
	case t.most >= 0 && t.least > 0:
		out = append(out, fmt.Sprintf("%d to %d characters", t.least, t.most))
	case t.most >= 0:
		out = append(out, fmt.Sprintf("at most %d characters", t.most))
	case t.least > 0:
		out = append(out, fmt.Sprintf("at least %d characters", t.least))
	}

	if t.enum != nil {
		out = append(out, fmt.Sprintf("one of %q", t.enum))
	}

	for _, re := range t.patterns {
		out = append(out, "what matches "+re.String())
	}

	if t.others != nil {
		out = append(out, "what anyOf, oneOf and not say")
	}

	return "by the schema of the kind: " + words.Name(strings.Join(out, ", "))
}

// bound returns the limit that the schema has under the name, and false if it has none. A number that
// is not whole is no limit.
func bound(s object.Node, name string) (int, bool) {
	n, ok := s.Field(name).Value().GetKind().(*structpb.Value_NumberValue)
	if !ok || n.NumberValue != math.Trunc(n.NumberValue) {
		return 0, false
	}

	return int(min(max(n.NumberValue, 0), math.MaxInt32)), true
}
