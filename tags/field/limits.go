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
	// A pattern of more bytes than maxPattern, or of more instructions than maxProgram, is no limit:
	// each character of a value takes as many steps. Patterns of custom resource definitions have a
	// tenth of that number.
	maxPattern = 1024
	maxProgram = 4096

	// maxNesting is how deep schemas of one string are within each other.
	maxNesting = 8
)

// NoLimit is a limit that nothing exceeds.
const NoLimit = math.MaxInt

// Limits are the limits of a tag field in the schema of a kind, beside the field's type. The API
// server refuses the whole resource if the field exceeds them.
type Limits struct {
	// Max is the most entries of the field, or NoLimit.
	Max int

	// NeverEmpty says whether the field has to have an entry while it is there.
	NeverEmpty bool

	// key and value are the limits of a tag's key and value, entry of an entry with both in one
	// string, and whole of all tags in one string.
	key, value, entry, whole *stringSchema
}

// LimitsOf returns the limits of the field in the OpenAPI v3 schema of a kind, or nil if the schema
// has none. A pattern is no limit if it is too large, or not of RE2, as the API server's are.
func LimitsOf(s object.Node, f *Field) *Limits {
	node := schemaAt(s, f.Path)

	l := &Limits{Max: NoLimit}

	for _, part := range inside(node) {
		l.Max = min(l.Max, bound(part, "maxProperties", NoLimit), bound(part, "maxItems", NoLimit))
		l.NeverEmpty = l.NeverEmpty || bound(part, "minProperties", 0) > 0 || bound(part, "minItems", 0) > 0
	}

	switch f.Shape {
	case Map, Labels:
		l.value = stringOf(inside(node, "additionalProperties"))
	case MapOfLists:
		l.value = stringOf(inside(node, "additionalProperties", "items"))
	case KeyValueList:
		l.key = stringOf(inside(node, "items", "properties", f.Key))
		l.value = stringOf(inside(node, "items", "properties", f.Value))
	case StringList:
		l.entry = stringOf(inside(node, "items"))
	case Joined:
		l.whole = stringOf(inside(node))
	case None:
	}

	if *l == (Limits{Max: NoLimit}) {
		return nil
	}

	return l
}

// LimitsOf returns the limits of the launched field in the OpenAPI v3 schema of its kind: see
// LimitsOf.
func (l *Launched) LimitsOf(s object.Node) *Limits {
	if !l.List.IsZero() {
		s = schemaAt(s, l.List).Field("items")
	}

	return LimitsOf(s, &l.Field)
}

// Refuses returns why the schema doesn't admit the tag, and the limit in a few words. Both are empty if
// the schema admits the tag. The separator is for lists of strings. Nil limits admit all tags.
func (l *Limits) Refuses(key, separator, value string) (reason profile.SkipReason, limit string) {
	if l == nil {
		return "", ""
	}

	for _, part := range []struct {
		schema       *stringSchema
		s            string
		length, char profile.SkipReason
	}{
		{l.key, key, profile.KeyTooLong, profile.KeyCharacterClass},
		{l.value, value, profile.ValueTooLong, profile.ValueCharacterClass},
		{l.entry, key + separator + value, profile.ValueTooLong, profile.ValueCharacterClass},
	} {
		if !part.schema.admitsLength(part.s) {
			return part.length, part.schema.String()
		}

		if !part.schema.admits(part.s) {
			return part.char, part.schema.String()
		}
	}

	return "", ""
}

// RefusesWhole returns the limit of all tags in one string in a few words, if the schema doesn't admit
// the text.
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

// A stringSchema has the limits of a string in schemas. A nil stringSchema admits all strings.
type stringSchema struct {
	// shortest and longest are the least and the most characters. longest is NoLimit if there is no limit.
	shortest, longest int

	patterns []*regexp.Regexp

	// enum is what the string is one of, if it isn't nil.
	enum []string

	// others are what else has to hold: anyOf, oneOf and not.
	others []func(string) bool
}

// stringOf returns the limits of a string in all of the schemas, or nil if they have none.
func stringOf(schemas []object.Node) *stringSchema { return stringWithin(schemas, maxNesting) }

func stringWithin(schemas []object.Node, depth int) *stringSchema {
	t := &stringSchema{longest: NoLimit}

	for _, s := range schemas {
		t.longest = min(t.longest, bound(s, "maxLength", NoLimit))
		t.shortest = max(t.shortest, bound(s, "minLength", 0))

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

	if t.longest == NoLimit && t.shortest == 0 && t.patterns == nil && t.enum == nil && t.others == nil {
		return nil
	}

	return t
}

// narrow leaves only those texts to the string that the list has, too.
func (t *stringSchema) narrow(enum object.Node) {
	texts := []string{}

	for v := range enum.Items() {
		if s := v.Text(); (t.enum == nil || slices.Contains(t.enum, s)) && v.IsText(s) {
			texts = append(texts, s)
		}
	}

	t.enum = texts
}

// choose adds the conditions of anyOf, oneOf and not in the schema: any of some schemas has to admit the
// string, or exactly one of some, or a schema must not admit it.
func (t *stringSchema) choose(s object.Node, depth int) {
	each := func(name string) (out []*stringSchema) {
		for part := range s.Field(name).Items() {
			out = append(out, stringWithin(inside(part), depth))
		}

		return out
	}

	if some := each("anyOf"); some != nil {
		t.others = append(t.others, func(s string) bool { return count(some, s) > 0 })
	}

	if some := each("oneOf"); some != nil {
		t.others = append(t.others, func(s string) bool { return count(some, s) == 1 })
	}

	if not := s.Field("not"); not.IsObject() {
		refused := stringWithin(inside(not), depth)
		t.others = append(t.others, func(s string) bool { return !refused.admits(s) })
	}
}

// patternOf returns the pattern of the schema, or nil if the schema has none, or none of use.
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

	re, _ := regexp.Compile(p) // It does both steps again.

	return re
}

// admitsLength reports whether the string has neither too many nor too few characters.
func (t *stringSchema) admitsLength(s string) bool {
	return t == nil || utf8.RuneCountInString(s) <= t.longest
}

// admits reports whether all schemas admit the string.
func (t *stringSchema) admits(s string) bool {
	if t == nil {
		return true
	}

	return t.admitsLength(s) && utf8.RuneCountInString(s) >= t.shortest && (t.enum == nil || slices.Contains(t.enum, s)) &&
		!slices.ContainsFunc(t.patterns, func(re *regexp.Regexp) bool { return !re.MatchString(s) }) &&
		!slices.ContainsFunc(t.others, func(holds func(string) bool) bool { return !holds(s) })
}

// count returns how many of the schemas admit the string.
func count(schemas []*stringSchema, s string) (n int) {
	for _, t := range schemas {
		if t.admits(s) {
			n++
		}
	}

	return n
}

// String returns the limits for messages, such as "at most 63 characters".
func (t *stringSchema) String() string {
	var out []string

	switch {
	case t.longest < NoLimit && t.shortest > 0:
		out = append(out, fmt.Sprintf("%d to %d characters", t.shortest, t.longest))
	case t.longest < NoLimit:
		out = append(out, fmt.Sprintf("at most %d characters", t.longest))
	case t.shortest > 0:
		out = append(out, fmt.Sprintf("at least %d characters", t.shortest))
	}

	if t.enum != nil {
		out = append(out, fmt.Sprintf("one of %q", t.enum))
	}

	out = append(out, words.Map(t.patterns, func(re *regexp.Regexp) string { return "what matches " + re.String() })...)

	if t.others != nil {
		out = append(out, "what anyOf, oneOf and not say")
	}

	return "by the schema of the kind: " + words.Name(strings.Join(out, ", "))
}

// bound returns the limit that the schema has under the name, such as maxItems, or else the limit without. A number that is not whole
// is no limit.
func bound(s object.Node, name string, without int) int {
	n, ok := s.Field(name).Value().GetKind().(*structpb.Value_NumberValue)
	if !ok || n.NumberValue != math.Trunc(n.NumberValue) {
		return without
	}

	return int(min(max(n.NumberValue, 0), math.MaxInt32))
}
