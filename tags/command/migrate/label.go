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

// A label is what a patch gives: one tag, or those of a whole map.
type label struct {
	// key of the tag, or empty for a map.
	key string

	// environment is true if it is read from the environment, not from the composite resource.
	environment bool

	// from is the path of the map that the label is in, and field its key there. Without a field it is all of the map,
	// and without from the label is what the expression says.
	from, field string

	// expression of the label's value.
	expression string

	// retain is true if a tag that is there stays.
	retain bool
}

// isMap is true if the label stands for a whole map.
func (l label) isMap() bool { return l.key == "" }

// meets is true if both may give a tag of one key.
func (l label) meets(other label) bool { return l.isMap() || other.isMap() || l.key == other.key }

// Ends of the reasons why patches stay: scenarios that show what to write in their place.
const (
	seeTransform = "; see example/patches/from-patches-transform"
	seeRequired  = "; see example/patches/from-patches-required"
	seeMap       = "; see example/patches/from-patches-map"
	seeList      = "; see example/patches/from-patches-list"
)

// policies of toFieldPath by what they do with strings, and with maps of strings: true if what is there stays. Lists
// are appended to by some, but no tags are lists.
var policies = map[string]bool{
	"": false, "Replace": false, "ForceMergeObjects": false, "ForceMergeObjectsAppendArrays": false, "AppendArray": false,
	"MergeObjects": true, "MergeObjectsAppendArrays": true, "MergeObject": true,
}

// replaces is true for a policy under which a map takes the place of another one.
func replaces(policy string) bool { return policy == "" || policy == "Replace" }

// read what the patch gives, without its key. It also returns why the patch stays, or an empty text if it doesn't.
func read(n *yaml.Node, kind string) (_ label, why string) {
	l := label{environment: strings.HasSuffix(kind, "Environment") || strings.HasPrefix(kind, "FromEnvironment")}

	retain, known := policies[text(n, "policy", "toFieldPath")]
	l.retain = retain

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
		value, ok := l.value(text(v, "fromFieldPath"))
		if !ok {
			return l, "it reads an item of a list" + seeTransform
		}

		values = append(values, asText(value))
	}

	var ok bool
	if l.expression, ok = format(text(n, "combine", "string", "fmt"), values); !ok {
		return l, "its format has other verbs than a %s for each variable" + seeTransform
	}

	return l.transformed(items(n, "transforms"))
}

// plain is the label that a patch from the path gives.
func (l label) plain(path string, transforms []*yaml.Node) (_ label, why string) {
	p, err := object.ParsePath(path)
	if err != nil {
		return l, "its fromFieldPath is none"
	}

	var ok bool
	if l.expression, ok = l.value(path); !ok {
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

// value returns the expression of the field at the path. It returns false if there may be none of the same meaning.
func (l label) value(path string) (string, bool) {
	p, err := object.ParsePath(path)
	if err != nil {
		return "", false
	}

	root := "xr"
	if l.environment {
		root = "context" + index(environment)
	}

	// An item that isn't there is an error of CEL, not an absent value.
	isItem := func(s object.Segment) bool { return s.Type != object.SegmentField }
	fields := words.Map(p.Segments(), func(s object.Segment) string { return index(s.Field) })

	return root + strings.Join(fields, ""), !slices.ContainsFunc(p.Segments(), isItem)
}

// identifier matches names that stand behind a dot in CEL, but for keywords.
var identifier = regexp.MustCompile(`^[a-zA-Z_][a-zA-Z0-9_]*$`)

// index returns how an expression selects the field.
func index(name string) string {
	if identifier.MatchString(name) && !slices.Contains([]string{"as", "in", "null", "true", "false"}, name) {
		return "." + name
	}

	return "[" + literal(name) + "]"
}

// literal of a string in CEL.
func literal(s string) string {
	if quoted := strconv.Quote(s); quoted != `"`+s+`"` {
		return quoted
	}

	if strings.Contains(s, "'") {
		return `"` + s + `"`
	}

	return "'" + s + "'"
}

// isText matches expressions that are always strings: fields of the metadata, and those that formats and maps make.
var isText = regexp.MustCompile(`^(xr\.metadata\.(name|namespace|uid|(labels|annotations)[.[])|\{|['"]|string\()`)

// asText returns an expression of the value as a string, since a number or a boolean can't be added to one.
func asText(value string) string {
	if isText.MatchString(value) {
		return value
	}

	return "string(" + value + ")"
}

// formatPart matches a text in a format of Go's package fmt, or a %s.
var formatPart = regexp.MustCompile(`([^%]|%%)+|%s`)

// format returns the expression of a text of Go's package fmt with the values, if it has a %s for each of them and no
// other verb.
func format(text string, values []string) (string, bool) {
	found := formatPart.FindAllString(text, -1)

	var parts []string

	for _, part := range found {
		switch {
		case part != "%s":
			parts = append(parts, literal(strings.ReplaceAll(part, "%%", "%")))
		case len(values) == 0:
			return "", false
		default:
			parts, values = append(parts, values[0]), values[1:]
		}
	}

	return strings.Join(parts, " + "), strings.Join(found, "") == text && len(values) == 0 && len(parts) > 0
}

// transformed is the label with its expression transformed.
func (l label) transformed(transforms []*yaml.Node) (_ label, why string) {
	for i, t := range transforms {
		var ok bool

		switch kind := text(t, "string", "type"); {
		case text(t, "type") == "string" && kind == "Format":
			l.expression, ok = format(text(t, "string", "fmt"), []string{asText(l.expression)})
		case text(t, "type") == "map":
			l.expression, ok = pairs(field(t, "map"), l.expression)
		case text(t, "type") == "convert":
			// Text of numbers is that of CEL only if nothing is done with it.
			ok = len(transforms) == 1 && text(t, "convert", "toType") == "string" && text(t, "convert", "format") == ""
		}

		if !ok {
			return l, "its transforms[" + strconv.Itoa(i) + "] of type " + cmp.Or(text(t, "type"), "none") + " isn't translated" + seeTransform
		}
	}

	return l, ""
}

// pairs returns the expression that looks a value up in the map of strings.
func pairs(n *yaml.Node, value string) (string, bool) {
	if n == nil || n.Kind != yaml.MappingNode || len(n.Content) == 0 {
		return "", false
	}

	var out []string

	for i := 0; i+1 < len(n.Content); i += 2 {
		if n.Content[i+1].Tag != "!!str" {
			return "", false
		}

		out = append(out, literal(n.Content[i].Value)+": "+literal(n.Content[i+1].Value))
	}

	return "{" + strings.Join(out, ", ") + "}[" + value + "]", true
}
