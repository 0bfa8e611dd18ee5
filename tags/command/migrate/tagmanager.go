package migrate

import (
	"regexp"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/plexsphere/function-cloud-tags/tags/locate"
	"github.com/plexsphere/function-cloud-tags/tags/profile"
	"github.com/plexsphere/function-cloud-tags/tags/words"
)

// ignoreResource is an annotation. With the value "true", function-tag-manager leaves the resource alone. It reads a label of this
// name, too.
const ignoreResource = "tag-manager.fn.crossplane.io/ignore-resource"

// retains reports whether an entry of addTags or ignoreTags retains existing tags. An entry without a type replaces them, with any policy.
func retains(e *yaml.Node) bool { return text(e, "type") != "" && text(e, "policy") == "Retain" }

// entriesOf returns the entries of a list in the input of function-tag-manager: first those that replace existing tags, and then those
// that retain them. Entries that name no tags are left out.
func entriesOf(n *yaml.Node, list string) []*yaml.Node {
	var replace, retain []*yaml.Node

	for _, e := range items(n, list) {
		switch {
		case text(e, "fromFieldPath") == "" && len(items(e, "keys"))+len(field(e, "tags").Content) == 0:
		case retains(e):
			retain = append(retain, e)
		default:
			replace = append(replace, e)
		}
	}

	return append(replace, retain...)
}

// replaceTagManager replaces a step of function-tag-manager by a step of this function. Earlier steps make the resources. If known is
// false, they may make others, too.
func (c *composition) replaceTagManager(s *step, resources []*resource, known bool) {
	if why := c.refuseTagManager(s, resources); why != "" {
		c.notef("left: step %s of function-tag-manager: %s", words.Name(s.name), why)
		return
	}

	added := words.Map(entriesOf(s.input, "addTags"), func(e *yaml.Node) []string {
		return itemWith(commentsOf(e), append(sourceOf(e), "keyForm: Tag", conflict[retains(e)]))
	})
	slices.Reverse(added) // The first of several entries wins there, and the last of several sources here.

	conflicts := map[bool][]string{true: {conflict[true]}} // To replace tags is the default of ignoreTags.
	ignored := words.Map(entriesOf(s.input, "ignoreTags"), func(e *yaml.Node) []string { return keysOfEntry(e, conflicts[retains(e)]...) })
	removed := words.Map(entriesOf(s.input, "removeTags"), func(e *yaml.Node) []string { return keysOfEntry(e) })

	input := slices.Concat(c.listOf("sources:", added...), c.listOf("ignoreTags:", ignored...), c.listOf("removeTags:", removed...),
		c.selectManaged(resources, known))
	c.put(s, s.lines.from, s.name, input)
	c.edits = append(c.edits, c.ignored()...)

	c.notef("step %s is one of this function, in place of function-tag-manager", words.Name(s.name))
	c.noteLost(entriesOf(s.input, "ignoreTags"))
}

// noteLost notes the keys of ignoreTags that this function doesn't write to tag fields: keys that a cloud keeps to itself, such as
// aws:createdBy.
func (c *composition) noteLost(ignored []*yaml.Node) {
	clouds := words.Map([]string{"aws", "azure"}, func(cloud string) *profile.Profile { return profile.Cloud.ProfileOf(cloud, "", "") })

	for _, e := range ignored {
		if path := text(e, "fromFieldPath"); path != "" {
			c.notef("ignoreTags: of the keys at %s, those that a cloud keeps to itself, such as aws:createdBy, aren't written to tag fields any more", words.Name(path))
			continue
		}

		for _, key := range items(e, "keys") {
			if slices.ContainsFunc(clouds, func(p *profile.Profile) bool { return p.Reserves(key.Value) || p.Takes(key.Value) }) {
				c.notef("ignoreTags: %s isn't written to tag fields any more, since the cloud keeps it to itself", words.Name(key.Value))
			}
		}
	}
}

// refuseTagManager returns the reason why the step stays, or an empty text. Earlier steps make the resources.
func (c *composition) refuseTagManager(s *step, resources []*resource) string {
	empty := func(n *yaml.Node) bool {
		return slices.ContainsFunc(field(n, "tags").Content, func(n *yaml.Node) bool { return n.Value == "" })
	}
	wild := func(n *yaml.Node) bool {
		return slices.ContainsFunc(items(n, "keys"), func(n *yaml.Node) bool { return n.Value == "" || strings.HasSuffix(n.Value, "*") })
	}
	mentions := func(n *yaml.Node) bool {
		return n.Kind == yaml.ScalarNode && n.Value != ignoreResource && strings.Contains(n.Value, ignoreResource)
	}
	labelled := func(n *yaml.Node) bool { return field(n, "labels", ignoreResource) != none }
	removes := items(s.input, "removeTags")
	heedsTags := len(removes) > 0 || slices.ContainsFunc(slices.Concat(items(s.input, "addTags"), items(s.input, "ignoreTags")), retains)
	initial := namesOf(resources, func(r *resource) bool { return r.managed && r.hasInitialTags() })

	switch {
	case len(entriesOf(s.input, "addTags"))+len(entriesOf(s.input, "ignoreTags"))+len(entriesOf(s.input, "removeTags")) == 0:
		return "it names no tags"
	case slices.ContainsFunc(items(s.input, "addTags"), empty):
		return "an empty value counts as none there, and is a value here"
	case slices.ContainsFunc(items(s.input, "ignoreTags"), wild) || slices.ContainsFunc(removes, wild):
		return "a * at the end of a key is no wildcard there"
	case len(slices.DeleteFunc(slices.Clone(removes), func(n *yaml.Node) bool { return text(n, "fromFieldPath") == "" })) > 1:
		return "of several fields that removeTags names, the last one counts there, and all do here"
	case contains(c.node, labelled):
		return "a resource has a label " + ignoreResource + ": make it the annotation " + locate.IgnoreAnnotation + `: "true"`
	case contains(c.node, mentions):
		return "a template or patch mentions " + ignoreResource + ": write " + locate.IgnoreAnnotation + " there"
	case heedsTags && len(initial) > 0:
		return "Retain and removeTags pass over tags of spec.initProvider there, and don't here: move those of " + words.Names(words.Map(initial, words.Name)) + " to spec.forProvider"
	default:
		return ""
	}
}

// readsEnvironment has the types of entries that read a field, and whether the field is in the environment.
var readsEnvironment = map[string]bool{"FromCompositeFieldPath": false, "FromEnvironmentFieldPath": true}

// sourceOf returns the lines of a source that gives the tags of an entry.
func sourceOf(e *yaml.Node) []string {
	if fromEnvironment, reads := readsEnvironment[text(e, "type")]; reads {
		return origin(text(e, "fromFieldPath"), fromEnvironment)
	}

	out := []string{"type: Value", "values:"}
	for tag := range slices.Chunk(field(e, "tags").Content, 2) {
		out = append(out, "  "+plain(tag[0].Value)+": "+plain(tag[1].Value))
	}

	return out
}

// keysOfEntry returns the items of ignoreTags or removeTags for an entry, each with the fields in more.
func keysOfEntry(e *yaml.Node, more ...string) (out []string) {
	comments := commentsOf(e)

	if _, reads := readsEnvironment[text(e, "type")]; reads {
		return itemWith(comments, append(sourceOf(e)[1:], more...)) // Without the type of the source.
	}

	for _, key := range items(e, "keys") {
		out = append(out, itemWith(comments, append([]string{"key: " + plain(key.Value)}, more...))...)
		comments = nil
	}

	return out
}

// selectManaged limits the step to the resources that function-tag-manager tags, and returns the lines for it. There are none if the
// step would tag no others anyway.
func (c *composition) selectManaged(resources []*resource, known bool) []string {
	managed := namesOf(resources, func(r *resource) bool { return r.managed })

	switch {
	case known && slices.Equal(managed, namesOf(resources, func(r *resource) bool { return r.mayTag })):
		return nil
	case known && len(managed) > 0:
		return c.selecting(managed)
	default:
		return c.listOf("resources: # those that function-tag-manager tags", []string{`- apiVersion: "*aws.*upbound.io/*"`, `- apiVersion: "*azure.*upbound.io/*"`})
	}
}

// ignoring matches the annotation in a line, with or without quotes.
var ignoring = regexp.MustCompile(`["']*` + regexp.QuoteMeta(ignoreResource) + `["': ]*(?i:true)["']*`)

// ignored returns edits that replace the annotation of function-tag-manager by the annotation of this function. Other values than true
// mean nothing.
func (c *composition) ignored() (out []edit) {
	contains(c.node, func(n *yaml.Node) bool {
		key, value := pair(field(n, "annotations"), ignoreResource)
		if key == none || !strings.EqualFold(value.Value, "true") || field(n, "annotations", locate.IgnoreAnnotation) != none {
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
