package migrate

import (
	"regexp"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/plexsphere/function-cloud-tags/tags/locate"
	"github.com/plexsphere/function-cloud-tags/tags/words"
)

// ignoreResource is an annotation. With the value "true", function-tag-manager leaves the resource alone. It reads a label of this
// name, too.
const ignoreResource = "tag-manager.fn.crossplane.io/ignore-resource"

// entriesOf returns the entries of a list in the input of function-tag-manager: entries that replace existing tags, and entries that
// retain them. An entry without a type replaces, with any policy. Entries that name no tags are left out.
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

// replaceTagManager replaces a step of function-tag-manager by a step of this function. Earlier steps make the resources. If known is
// false, they may make others, too.
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

	at, _ := c.itemOf(s.node) // migrate has seen that each step is on lines of its own.
	c.edits = append(c.edits, edit{from: at.from, to: at.to, with: indented(w.lines, at.dash)})
	c.edits = append(c.edits, c.ignored()...)
	c.last = s.at

	c.notef("step %s is one of this function, in place of function-tag-manager", words.Name(s.name))
}

// refuseTagManager returns the reason why the step stays, or an empty text.
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

// sourceOf returns the lines of a source that gives the tags of an entry.
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

// keys adds entries of ignoreTags or removeTags, each with the fields in more.
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

// selectManaged limits the step to the resources that function-tag-manager tags, unless it would tag no others anyway.
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

// ignored returns edits that replace the annotation of function-tag-manager by the annotation of this function. Other values than true
// mean nothing.
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
