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
// resource are in the order of its patches.
func (p *patchStep) labels() (out []*givenLabel) {
	for _, r := range p.resources {
		at := 0

		for _, u := range r.uses {
			if !u.isTakenOut() {
				continue
			}

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
next:
	for _, g := range labels {
		for i, s := range slices.Backward(out) {
			if s.joins(g) {
				out[i] = append(s, g)

				continue next
			}

			if s.meets(g) { // The later one wins, so that their order must stay.
				break
			}
		}

		out = append(out, source{g})
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

// A writer writes a pipeline step as YAML.
type writer struct {
	lines []string

	// list is the indentation of items below the key of their list, in blanks.
	list int
}

// newStep returns a writer that has begun a step of this function, and its input.
func newStep(name string, list int) *writer {
	w := &writer{list: list}
	w.add(0, "- step: "+plain(name), "  functionRef:", "    name: "+functionName,
		"  input:", "    apiVersion: "+v1beta1.APIVersion, "    kind: "+v1beta1.Kind, "    profileRules: Cloud # what the cloud's own API admits")

	return w
}

// inputIndent is the indentation of the fields of an input within a step.
const inputIndent = 4

// functionName is the name of this function in Compositions.
const functionName = "function-cloud-tags"

// add adds lines, with so many blanks in front.
func (w *writer) add(indent int, lines ...string) {
	w.lines = append(w.lines, indented(lines, indent)...)
}

// item adds an object to the list that the input has just begun, with comments above it.
func (w *writer) item(comments, fields []string) {
	w.add(inputIndent+w.list, comments...)

	for i, f := range fields {
		w.add(inputIndent+w.list, map[bool]string{true: "- ", false: "  "}[i == 0]+f)
	}
}

// selectNames limits the step to the resources with these names.
func (w *writer) selectNames(names []string) {
	w.add(inputIndent, "resources:")

	for _, name := range names {
		w.add(inputIndent+w.list, "- name: "+plain(name))
	}
}

// mapOf returns the lines of a field whose value is a map. The values are YAML.
func mapOf(name string, keys, values []string) []string {
	out := []string{name + ":"}
	for i, key := range keys {
		out = append(out, "  "+plain(key)+": "+values[i])
	}

	return out
}

// origin returns the lines of a source that reads a map, of the composite resource or of the environment.
func origin(path string, fromEnvironment bool) []string { //nolint:revive // It is one of two origins.
	if fromEnvironment {
		return []string{"type: ContextField", "contextKey: " + environment, "fromFieldPath: " + plain(path)}
	}

	return []string{"type: CompositeField", "fromFieldPath: " + plain(path)}
}

// conflict returns the line of a source that keeps existing tags, or replaces them.
func conflict(retain bool) string { //nolint:revive // It is one of two words.
	if retain {
		return "onConflict: Retain"
	}

	return "onConflict: Replace"
}

// replacement returns the lines of a step that gives the tags of the patches, without indentation. mayTag are the names of all
// resources that it could tag, or nil if there may be others.
func (p *patchStep) replacement(name string, list int, mayTag []string) []string {
	labels := p.labels()
	tagged := namesOf(p.resources, func(r *resource) bool {
		return slices.ContainsFunc(r.uses, func(u *use) bool { return u.isTakenOut() })
	})

	w := newStep(name, list)

	prefix := takeKeyPrefix(labels)
	if prefix != "" {
		w.add(inputIndent, "keyPrefix: "+plain(prefix))
	}

	w.add(inputIndent, "sources:")

	for _, s := range sources(labels) {
		w.item(s.fields(prefix == "", tagged))
	}

	if !slices.Equal(mayTag, tagged) {
		w.selectNames(tagged)
	}

	return w.lines
}

// fields returns the lines of the source, and the comments of the patches that it replaces. If tagKeys is set, its keys are keys of
// tags, and else keys of labels.
func (s source) fields(tagKeys bool, tagged []string) (comments, out []string) { //nolint:revive // It is one of two forms.
	var keys, expressions []string

	for _, g := range s {
		keys, expressions, comments = append(keys, g.key), append(expressions, g.expression), append(comments, g.comments...)
	}

	switch first := s[0]; {
	case first.isMap():
		out = origin(first.from, first.environment)
	case first.from != "":
		out = append(origin(first.from, first.environment), "include:", "  keys: "+flow(words.Map(s, func(g *givenLabel) string { return plain(g.field) })))
	default:
		out = append([]string{"type: Expression"}, mapOf("expressions", keys, words.Map(expressions, scalar))...)
	}

	if tagKeys {
		out = append(out, "keyForm: Tag")
	}

	out = append(out, conflict(s[0].retain))

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
