package migrate

import (
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/plexsphere/function-cloud-tags/input/v1beta1"
	"github.com/plexsphere/function-cloud-tags/tags/words"
)

// A givenLabel is a label with the resources whose patches give it.
type givenLabel struct {
	label

	resources []string
	comments  []string
}

// labels returns the labels of patches that leave the Composition. Two resources with the same label share it. The labels of a
// resource are in the order of its sources.
func (p *patchStep) labels() (out []*givenLabel) {
	for _, r := range p.resources {
		at := 0

		for _, u := range r.ordered() {
			from := max(at-1, 0) // The same label twice in a row is one label.

			i := slices.IndexFunc(out[from:], func(g *givenLabel) bool { return g.label == u.label }) + from
			if i < from {
				i = at
				out = slices.Insert(out, i, &givenLabel{label: u.label})
			}

			out[i].resources = words.Distinct(append(out[i].resources, r.name))
			out[i].comments = words.Distinct(append(out[i].comments, commentsOf(u.node)...))
			at = i + 1
		}
	}

	return out
}

// A source of the new step, and the labels that it gives.
type source []*givenLabel

// joins reports whether the source can give the label, too.
func (s source) joins(g *givenLabel) bool {
	first := s[0]

	return !first.isMap() && !g.isMap() && !s.meets(g) && first.environment == g.environment && first.from == g.from && first.retain == g.retain &&
		slices.Equal(first.resources, g.resources)
}

// meets reports whether the source may give a tag with the label's key.
func (s source) meets(g *givenLabel) bool {
	return slices.ContainsFunc(s, func(other *givenLabel) bool { return other.meets(g.label) })
}

// sources returns sources that give the labels. A label joins an earlier source if it can.
func sources(labels []*givenLabel) (out []source) {
	for _, g := range labels {
		i := len(out) - 1
		for i >= 0 && !out[i].joins(g) && !out[i].meets(g) { // The later one wins of two that meet, so that their order must stay.
			i--
		}

		if i >= 0 && out[i].joins(g) {
			out[i] = append(out[i], g)
		} else {
			out = append(out, source{g})
		}
	}

	return out
}

// takeKeyPrefix returns the text that all tag keys have before the name of their field: acme: if acme:env is read from the field env,
// and acme:team from team. It is empty if the keys have no such text in common. A label with another key becomes an expression.
func takeKeyPrefix(labels []*givenLabel) string {
	prefix := strings.TrimSuffix(labels[0].key, labels[0].field)
	isOther := func(g *givenLabel) bool { return g.field == "" || g.key != prefix+g.field }

	if slices.ContainsFunc(labels, isOther) {
		prefix = ""
	}

	for _, g := range labels {
		if !g.isMap() && isOther(g) {
			g.from = ""
		}
	}

	return prefix
}

// put replaces the lines from a line up to the end of the old step by a step of this function, with these lines of the input.
func (c *composition) put(old *step, from int, name string, input []string) {
	lines := append([]string{
		"- step: " + plain(name), "  functionRef:", "    name: function-cloud-tags",
		"  input:", "    apiVersion: " + v1beta1.APIVersion, "    kind: " + v1beta1.Kind, "    profileRules: Cloud # what the cloud's own API admits",
	}, indented(input, 4)...)

	c.edits = append(c.edits, edit{from: from, to: old.lines.to, with: indented(lines, old.lines.dash)})
	c.last = old.at
}

// indented returns the lines with so many more blanks in front.
func indented(lines []string, by int) []string {
	return words.Map(lines, func(line string) string { return strings.Repeat(" ", by) + line })
}

// listOf returns the lines of a field of the input: its key, and the lines of the items in its list. Without items, there is no field.
func (c *composition) listOf(key string, items ...[]string) []string {
	lines := slices.Concat(items...)
	if len(lines) == 0 {
		return nil
	}

	return append([]string{key}, indented(lines, c.list)...)
}

// itemWith returns the lines of an object in a list, with comments above it.
func itemWith(comments, fields []string) []string {
	lines := indented(fields, 2)
	lines[0] = "- " + fields[0]

	return slices.Concat(comments, lines)
}

// selecting returns the lines of the input's field resources, which selects the resources with these names.
func (c *composition) selecting(names []string) []string {
	return c.listOf("resources:", words.Map(names, func(name string) string { return "- name: " + plain(name) }))
}

// origin returns the lines of a source that reads a map, of the composite resource or of the environment.
func origin(path string, fromEnvironment bool) []string { //nolint:revive // It is one of two origins.
	if fromEnvironment {
		return []string{"type: ContextField", "contextKey: " + environment, "fromFieldPath: " + plain(path)}
	}

	return []string{"type: CompositeField", "fromFieldPath: " + plain(path)}
}

// conflict has the line of a source by whether it retains existing tags.
var conflict = map[bool]string{true: "onConflict: Retain", false: "onConflict: Replace"}

// replacement returns the lines of an input that gives the tags of the patches. mayTag are the names of all resources that the step
// could tag, or nil if there may be others.
func (c *composition) replacement(p *patchStep, mayTag []string) (input []string) {
	labels := p.labels()
	tagged := namesOf(p.resources, func(r *resource) bool {
		return slices.ContainsFunc(r.uses, func(u *use) bool { return u.isTakenOut() })
	})

	prefix := takeKeyPrefix(labels)
	if prefix != "" {
		input = append(input, "keyPrefix: "+plain(prefix))
	}

	given := words.Map(sources(labels), func(s source) []string { return itemWith(s.fields(prefix == "", tagged)) })
	input = append(input, c.listOf("sources:", given...)...)

	if !slices.Equal(mayTag, tagged) {
		input = append(input, c.selecting(tagged)...)
	}

	return input
}

// fields returns the lines of the source, and the comments of the patches that it replaces. If tagKeys is set, its keys are keys of
// tags, and else keys of labels.
func (s source) fields(tagKeys bool, tagged []string) (comments, out []string) { //nolint:revive // It is one of two forms.
	comments = slices.Concat(words.Map(s, func(g *givenLabel) []string { return g.comments })...)

	switch first := s[0]; {
	case first.isMap():
		out = origin(first.from, first.environment)
		if first.list != "" {
			out = append(out, "keyValueList: "+first.list)
		}
	case first.from != "":
		out = append(origin(first.from, first.environment), "include:", "  keys: "+flow(words.Map(s, func(g *givenLabel) string { return plain(g.field) })))
	default:
		pairs := words.Map(s, func(g *givenLabel) string { return "  " + plain(g.key) + ": " + scalar(g.expression) })
		out = append([]string{"type: Expression", "expressions:"}, pairs...)
	}

	if tagKeys {
		out = append(out, "keyForm: Tag")
	}

	out = append(out, conflict[s[0].retain])

	if names := s[0].resources; !slices.Equal(names, tagged) {
		out = append(out, "resources: "+flow(words.Map(names, func(name string) string { return "{name: " + plain(name) + "}" })))
	}

	return words.Distinct(comments), out
}

// flow returns the items as a list in one line of YAML.
func flow(items []string) string { return "[" + strings.Join(items, ", ") + "]" }

// A string is plain in YAML if unquoted matches it, and quoted doesn't: quoted matches words with another meaning, such as true.
var (
	unquoted = regexp.MustCompile(`^[A-Za-z/][A-Za-z0-9_./:@+-]*$`)
	quoted   = regexp.MustCompile(`(?i)^(true|false|yes|no|on|off|y|n|null|.*:)$`)
)

// plain returns the string in YAML, with quotes if it needs them.
func plain(s string) string {
	if unquoted.MatchString(s) && !quoted.MatchString(s) {
		return s
	}

	return strconv.Quote(s)
}

// scalar returns the expression in YAML, with quotes if it needs them. An expression that begins with a variable or function, such
// as context, xr or string(…), needs none. A list in brackets does.
func scalar(s string) string {
	if strings.ContainsAny(s[:1], "cxs") && !strings.ContainsAny(s, "#\\\"") && !strings.Contains(s, ": ") {
		return s
	}

	return strconv.Quote(s)
}
