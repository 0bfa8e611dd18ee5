package migrate

import (
	"cmp"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/plexsphere/function-cloud-tags/tags/object"
	"github.com/plexsphere/function-cloud-tags/tags/words"
)

// environment is where function-environment-configs keeps its values in the pipeline's context.
const environment = "apiextensions.crossplane.io/environment"

// A label is given by a patch. It becomes one tag, or all tags of a map.
type label struct {
	// key of the tag. It is empty for a map.
	key string

	// environment says whether the patch reads the environment. If not, it reads the composite resource.
	environment bool

	// from is the path of a map, and field a key of it: spec.labels and env for spec.labels.env. Without a field, the label is all
	// of the map. Without from, the label is computed by the expression.
	from, field string

	// list says that from is a list, and which fields its objects have: {key: Key, value: Value}. It is empty for a map.
	list string

	// expression computes the label's value, such as 'team-' + xr.spec.team.
	expression string

	// retain says whether an existing tag keeps its value.
	retain bool
}

// isMap reports whether the label is a whole map.
func (l label) isMap() bool { return l.key == "" }

// meets reports whether both labels may give a tag with the same key.
func (l label) meets(other label) bool { return l.isMap() || other.isMap() || l.key == other.key }

// Reasons why patches stay end with scenarios, which show another way to write them.
const (
	seeTransform = "; see example/patches/from-patches-transform"
	seeRequired  = "; see example/patches/from-patches-required"
	seeMap       = "; see example/patches/from-patches-map"
	seeList      = "; see example/patches/from-patches-list"
)

// policies of toFieldPath, and whether an existing string stays: MergeObjects keeps the tag env of the base, and Replace doesn't. Some
// policies append to lists, but no value of a tag is a list.
var policies = map[string]bool{
	"": false, "Replace": false, "ForceMergeObjects": false, "ForceMergeObjectsAppendArrays": false, "AppendArray": false,
	"MergeObjects": true, "MergeObjectsAppendArrays": true, "MergeObject": true,
}

// read returns the label that the patch gives, without its key. If the patch must stay, why says the reason.
func read(n *yaml.Node, kind string) (_ label, why string) {
	retain, known := policies[text(n, "policy", "toFieldPath")]
	l := label{environment: strings.HasSuffix(kind, "Environment") || strings.HasPrefix(kind, "FromEnvironment"), retain: retain}

	switch {
	case text(n, "policy", "fromFieldPath") == "Required":
		return l, "it is Required, so that resources wait for its field" + seeRequired
	case !known:
		return l, "its policy isn't known"
	case !strings.HasPrefix(kind, "Combine"):
		return l.plain(text(n, "fromFieldPath"), items(n, "transforms"))
	case text(n, "combine", "strategy") != "string":
		return l, "its strategy isn't known" + seeTransform
	}

	var values []string

	for _, v := range items(n, "combine", "variables") {
		path, err := object.ParsePath(text(v, "fromFieldPath"))
		value, ok := l.value(path)

		if err != nil || !ok {
			return l, "it reads an item of a list" + seeTransform
		}

		values = append(values, asText(value))
	}

	var ok bool
	if l.expression, ok = format(text(n, "combine", "string", "fmt"), values); !ok {
		return l, "its format has other verbs than a %s or %d for each variable" + seeTransform
	}

	return l.transformed(items(n, "transforms"))
}

// plain returns the label with the value at the path, transformed.
func (l label) plain(path string, transforms []*yaml.Node) (_ label, why string) {
	p, err := object.ParsePath(path)
	if err != nil {
		return l, "its fromFieldPath is none"
	}

	var ok bool
	if l.expression, ok = l.value(p); !ok {
		return l, "it reads an item of a list" + seeTransform
	}

	if len(transforms) > 0 {
		return l.transformed(transforms)
	}

	last := len(p.Segments()) - 1
	l.field = p.Segments()[last].Field
	l.from = p.First(last).String()

	return l, ""
}

// value returns the expression of the field at the path, such as xr.spec.team. It returns false for a path into a list.
func (l label) value(path object.Path) (string, bool) {
	root := "xr"
	if l.environment {
		root = "context" + index(environment)
	}

	// In CEL, a missing item of a list is an error. For a patch, it is an absent value.
	isItem := func(s object.Segment) bool { return s.IsIndex }
	fields := words.Map(path.Segments(), func(s object.Segment) string { return index(s.Field) })

	return root + strings.Join(fields, ""), !slices.ContainsFunc(path.Segments(), isItem)
}

// identifier matches names that can follow a dot in CEL. Keywords of CEL match, too.
var identifier = regexp.MustCompile(`^[a-zA-Z_][a-zA-Z0-9_]*$`)

// index returns the end of an expression that selects the field: .team, or ['cost-center'].
func index(name string) string {
	if identifier.MatchString(name) && !slices.Contains([]string{"as", "in", "null", "true", "false"}, name) {
		return "." + name
	}

	return "[" + literal(name) + "]"
}

// literal returns the string as CEL writes it.
func literal(s string) string {
	if quoted := strconv.Quote(s); quoted != `"`+s+`"` || strings.Contains(s, "'") {
		return quoted
	}

	return "'" + s + "'"
}

// isText matches expressions that are strings for sure: fields of the metadata, and results of formats and maps.
// The sum in parentheses of ofText is one, too.
var isText = regexp.MustCompile(`^(xr\.metadata\.(name|namespace|uid|(labels|annotations)[.[])|[{(]|['"]|string\()`)

// asText returns the expression of a string, such as string(xr.spec.count). CEL adds no number to a string.
func asText(value string) string {
	if isText.MatchString(value) {
		return value
	}

	return "string(" + value + ")"
}

// formatPart matches a text in a format of Go's package fmt, or a %s or %d. As the value of a label, a number is the same by both.
var formatPart = regexp.MustCompile(`([^%]|%%)+|%[sd]`)

// format returns the expression of a format of Go's package fmt: 'team-' + xr.spec.team for team-%s. It returns false if the
// format has another verb, or not exactly one %s or %d per value.
func format(text string, values []string) (string, bool) {
	found := formatPart.FindAllString(text, -1)

	var parts []string

	for _, part := range found {
		switch {
		case part != "%s" && part != "%d":
			parts = append(parts, literal(strings.ReplaceAll(part, "%%", "%")))
		case len(values) == 0:
			return "", false
		default:
			parts, values = append(parts, values[0]), values[1:]
		}
	}

	return strings.Join(parts, " + "), strings.Join(found, "") == text && len(values) == 0 && len(parts) > 0
}

// transformed returns the label with its expression transformed. If a transform has no expression, why says so.
func (l label) transformed(transforms []*yaml.Node) (_ label, why string) {
	for i, t := range transforms {
		var ok bool

		switch kind := text(t, "string", "type"); {
		case text(t, "type") == "string" && kind == "Format":
			l.expression, ok = format(text(t, "string", "fmt"), []string{asText(l.expression)})
		case text(t, "type") == "string" && kind == "Convert":
			var convert string

			convert, ok = converts[text(t, "string", "convert")]
			l.expression = ofText(l.expression) + convert
		case text(t, "type") == "map":
			l.expression, ok = pairs(field(t, "map"), l.expression)
		case text(t, "type") == "convert" && strings.HasPrefix(text(t, "convert", "toType"), "int"):
			l.expression, ok = "int("+l.expression+")", text(t, "convert", "format") == "" && i < len(transforms)-1 // A number is no value of a tag.
		case text(t, "type") == "convert":
			// Patches and CEL may write a number in two ways. As the value of a label, both are the same.
			ok = len(transforms) == 1 && text(t, "convert", "toType") == "string" && text(t, "convert", "format") == ""
		}

		if !ok {
			return l, "its transforms[" + strconv.Itoa(i) + "] of type " + cmp.Or(text(t, "type"), "none") + " isn't translated" + seeTransform
		}
	}

	return l, ""
}

// converts has the calls of CEL for the conversions of a string, by their names. They change ASCII letters.
var converts = map[string]string{"ToUpper": ".upperAscii()", "ToLower": ".lowerAscii()"}

// ofText returns the expression of a string in parentheses if it needs these before a call, such as ('a-' + xr.spec.team).
func ofText(value string) string {
	if value = asText(value); strings.Contains(value, " + ") {
		return "(" + value + ")"
	}

	return value
}

// pairs returns the expression of a lookup in the map of strings, such as {'eu': 'de'}[xr.spec.region].
func pairs(n *yaml.Node, value string) (string, bool) {
	if n.Kind != yaml.MappingNode || len(n.Content) == 0 {
		return "", false
	}

	var out []string

	for pair := range slices.Chunk(n.Content, 2) {
		if pair[1].Tag != "!!str" {
			return "", false
		}

		out = append(out, literal(pair[0].Value)+": "+literal(pair[1].Value))
	}

	return "{" + strings.Join(out, ", ") + "}[" + value + "]", true
}
