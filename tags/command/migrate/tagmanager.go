package migrate

import (
	"regexp"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/plexsphere/function-cloud-tags/tags/locate"
	"github.com/plexsphere/function-cloud-tags/tags/words"
)

// ignoreResource is the annotation by which function-tag-manager leaves a resource alone. It reads a label of that name,
// too.
const ignoreResource = "tag-manager.fn.crossplane.io/ignore-resource"

// entriesOf a list in the input of function-tag-manager, without those that name nothing: those that replace tags that
// are there, and those that retain them. Without a type, an entry replaces, whatever its policy says.
func entriesOf(n *yaml.Node, list string) (replace, retain []*yaml.Node) {
	for _, e := range items(n, list) {
		named := slices.Concat(items(e, "keys"), contentOf(field(e, "tags")))

		switch {
		case text(e, "fromFieldPath") == "" && len(named) == 0:
		case text(e, "type") != "" && text(e, "policy") == "Retain":
			retain = append(retain, e)
		default:
			replace = append(replace, e)
		}
	}

	return replace, retain
}

// replaceTagManager writes a step of this function in the place of one of function-tag-manager. The resources are
// those that earlier steps are known to make, and known is false if there may be others.
func (c *composition) replaceTagManager(s *step, resources []*resource, known bool) {
	if why := c.refuseTagManager(s); why != "" {
		c.notef("left: step %s of function-tag-manager: %s", words.Name(s.name), why)
		return
	}

	w := newStep(s.name, c.list)

	if replace, retain := entriesOf(s.input, "addTags"); len(replace)+len(retain) > 0 {
		w.add(inputIndent, "sources:")

		// The first of several entries wins there, and the last of several sources here.
		for _, e := range slices.Backward(slices.Concat(replace, retain)) {
			w.item(commentsOf(e), append(sourceOf(e), "keyForm: Tag", conflict(slices.Contains(retain, e))))
		}
	}

	if replace, retain := entriesOf(s.input, "ignoreTags"); len(replace)+len(retain) > 0 {
		w.add(inputIndent, "ignoreTags:")
		w.keys(replace)
		w.keys(retain, conflict(true))
	}

	if replace, _ := entriesOf(s.input, "removeTags"); len(replace) > 0 {
		w.add(inputIndent, "removeTags:")
		w.keys(replace)
	}

	w.selectManaged(resources, known)

	at, _ := c.itemOf(s.node) // That of each step is known.
	c.edits = append(c.edits, edit{from: at.from, to: at.to, with: indented(w.lines, at.dash)})
	c.edits = append(c.edits, c.ignored()...)
	c.last = s.at

	c.notef("step %s is one of this function, in place of function-tag-manager", words.Name(s.name))
}

// refuseTagManager returns why the step stays, or nothing if it doesn't.
func (c *composition) refuseTagManager(s *step) string {
	empty := func(n *yaml.Node) bool {
		return slices.ContainsFunc(contentOf(field(n, "tags")), func(n *yaml.Node) bool { return n.Value == "" })
	}
	wild := func(n *yaml.Node) bool {
		return slices.ContainsFunc(items(n, "keys"), func(n *yaml.Node) bool { return n.Value == "" || strings.HasSuffix(n.Value, "*") })
	}
	reads := func(n *yaml.Node) bool { return text(n, "fromFieldPath") != "" }
	mentions := func(n *yaml.Node) bool {
		return n.Kind == yaml.ScalarNode && n.Value != ignoreResource && strings.Contains(n.Value, ignoreResource)
	}
	labelled := func(n *yaml.Node) bool { return field(n, "labels", ignoreResource) != nil }
	removes := items(s.input, "removeTags")

	named := 0
	for _, list := range []string{"addTags", "ignoreTags", "removeTags"} {
		replace, retain := entriesOf(s.input, list)
		named += len(replace) + len(retain)
	}

	switch {
	case named == 0:
		return "it names no tags"
	case slices.ContainsFunc(items(s.input, "addTags"), empty):
		return "an empty value counts as none there, and is a value here"
	case slices.ContainsFunc(items(s.input, "ignoreTags"), wild) || slices.ContainsFunc(removes, wild):
		return "a * at the end of a key is no wildcard there"
	case len(slices.DeleteFunc(slices.Clone(removes), func(n *yaml.Node) bool { return !reads(n) })) > 1:
		return "of several fields that removeTags names, the last one counts there, and all do here"
	case contains(c.node, labelled):
		return "a resource has a label " + ignoreResource + ": make it the annotation " + locate.IgnoreAnnotation + `: "true"`
	case contains(c.node, mentions):
		return "a template or patch mentions " + ignoreResource + ": write " + locate.IgnoreAnnotation + " there"
	default:
		return ""
	}
}

// sourceOf an entry of addTags.
func sourceOf(e *yaml.Node) []string {
	switch text(e, "type") {
	case "FromCompositeFieldPath", "FromEnvironmentFieldPath":
		return origin(text(e, "fromFieldPath"), text(e, "type") == "FromEnvironmentFieldPath")
	}

	var keys, values []string

	for i, n := range contentOf(field(e, "tags")) {
		if i%2 == 0 {
			keys = append(keys, n.Value)
		} else {
			values = append(values, plain(n.Value))
		}
	}

	return append([]string{"type: Value"}, mapOf("values", keys, values)...)
}

// keys adds entries of ignoreTags or removeTags, each with these fields, too.
func (w *writer) keys(entries []*yaml.Node, more ...string) {
	for _, e := range entries {
		comments := commentsOf(e)

		switch text(e, "type") {
		case "FromCompositeFieldPath", "FromEnvironmentFieldPath":
			w.item(comments, append(sourceOf(e)[1:], more...)) // Without the type of the source.
		default:
			for _, key := range items(e, "keys") {
				w.item(comments, append([]string{"key: " + plain(key.Value)}, more...))
				comments = nil
			}
		}
	}
}

// selectManaged adds resources to the step, unless it would tag no others than function-tag-manager does.
func (w *writer) selectManaged(resources []*resource, known bool) {
	managed := namesOf(resources, func(r *resource) bool { return r.managed })

	switch {
	case known && slices.Equal(managed, namesOf(resources, func(r *resource) bool { return r.mayTag })):
	case known && len(managed) > 0:
		w.selectNames(managed)
	default:
		w.add(inputIndent, "resources: # those that function-tag-manager tags")
		w.add(inputIndent+w.list, `- apiVersion: "*aws.*upbound.io/*"`, `- apiVersion: "*azure.*upbound.io/*"`)
	}
}

// ignoring matches the annotation in a line, with or without quotes.
var ignoring = regexp.MustCompile(`["']*` + regexp.QuoteMeta(ignoreResource) + `["': ]*(?i:true)["']*`)

// ignored are the edits that make the annotations of function-tag-manager those of this function. One that isn't true
// means nothing.
func (c *composition) ignored() (out []edit) {
	contains(c.node, func(n *yaml.Node) bool {
		key, value := pair(field(n, "annotations"), ignoreResource)
		if key == nil || !strings.EqualFold(value.Value, "true") || field(n, "annotations", locate.IgnoreAnnotation) != nil {
			return false
		}

		line := strings.TrimRight(c.lines[key.Line-1], "\r\n")
		if with := ignoring.ReplaceAllLiteralString(line, locate.IgnoreAnnotation+`: "true"`); with != line {
			out = append(out, edit{from: key.Line - 1, to: key.Line, with: []string{with}})
		}

		return false
	})

	return out
}
