package migrate

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/plexsphere/function-cloud-tags/input/v1beta1"
	"github.com/plexsphere/function-cloud-tags/tags/words"
)

// A composition is a Composition in a file.
type composition struct {
	*file

	// at is the number of Compositions before this one in the file. Two of them may have the same name.
	at   int
	name string
	node *yaml.Node

	// names of all steps, old and new.
	names []string

	// list is the indentation of steps below the key pipeline, in blanks.
	list int

	// last is the index of the last changed step, or -1.
	last int

	// notes tell people what migrate changes, and why it leaves the rest.
	notes []string
}

// A step of the pipeline.
type step struct {
	*file

	at                    int
	lines                 item
	name, function, group string
	input                 *yaml.Node
}

// runs reports whether the step runs the function: name ends the name of a Function, such as crossplane-contrib-function-tag-manager,
// and inputGroup is the API group of its input. A step is recognized by either, since the function accepts inputs of any group:
// Compositions still have groups of earlier releases.
func (s *step) runs(name, inputGroup string) bool {
	return s.group == inputGroup || strings.HasSuffix(s.function, name)
}

// group is the API group of this function's input.
var group, _, _ = strings.Cut(v1beta1.APIVersion, "/")

// hasPatches reports whether the step has the input of function-patch-and-transform. Other functions have it, too, such as
// function-conditional-patch-and-transform, which adds conditions of resources.
func (s *step) hasPatches() bool {
	hasBase := func(n *yaml.Node) bool { return field(n, "base") != none || field(n, "patches") != none }

	return s.runs("function-patch-and-transform", "pt.fn.crossplane.io") || text(s.input, "kind") == "Resources" && slices.ContainsFunc(items(s.input, "resources"), hasBase)
}

// isHarmless reports whether the step makes no resources, as its input says, or the name of its function.
func (s *step) isHarmless() bool {
	return slices.Contains(harmless, s.group) || s.group == "" && strings.HasSuffix(s.function, "function-auto-ready")
}

// harmless are API groups of inputs. The functions with these inputs make no resources.
var harmless = []string{"environmentconfigs.fn.crossplane.io", "extra-resources.fn.crossplane.io", "autoready.fn.crossplane.io", "sequencer.fn.crossplane.io", group}

// migrate migrates each Composition of the file, and returns them in order.
func (f *file) migrate() (out []*composition) {
	for _, d := range f.documents {
		objects := []*yaml.Node{d}
		if strings.HasSuffix(text(d, "kind"), "List") {
			objects = items(d, "items")
		}

		for _, o := range objects {
			if !isComposition(text(o, "apiVersion"), text(o, "kind")) {
				continue
			}

			c := &composition{file: f, at: len(out), name: text(o, "metadata", "name"), node: o, last: -1}
			c.migrate()

			if len(c.notes) == 0 {
				c.notef("no patch, template or step of function-tag-manager in it sets tags")
			}

			out = append(out, c)
		}
	}

	return out
}

func isComposition(apiVersion, kind string) bool {
	return strings.HasPrefix(apiVersion, "apiextensions.crossplane.io/") && kind == "Composition"
}

// notef adds a note about the Composition.
func (c *composition) notef(format string, args ...any) {
	c.notes = append(c.notes, fmt.Sprintf(format, args...))
}

func (c *composition) migrate() {
	key, pipeline := pair(field(c.node, "spec"), "pipeline")

	switch {
	case pipeline == none:
		c.notef("left: it has no pipeline; crossplane beta convert pipeline-composition makes one, in the CLI of Crossplane v1")
		return
	case contains(c.node, func(n *yaml.Node) bool { return n.Kind == yaml.AliasNode }):
		c.notef("left: it has aliases of YAML anchors; write what they stand for in their place")
		return
	}

	var steps []*step

	for i, n := range pipeline.Content {
		lines, ok := c.itemOf(n)
		if !ok {
			c.notef("left: its steps aren't on lines of their own; write the list in the block style of YAML")
			return
		}

		inputGroup, _, _ := strings.Cut(text(n, "input", "apiVersion"), "/")
		s := &step{file: c.file, at: i, lines: lines, name: text(n, "step"), function: text(n, "functionRef", "name"), group: inputGroup, input: field(n, "input")}
		steps, c.names = append(steps, s), append(c.names, s.name)
		c.list = max(lines.dash-key.Column+1, 0)
	}

	// resources are made by steps that migrate can read. known turns false at a step that may make others.
	var resources []*resource

	known := true

	for _, s := range steps {
		switch {
		case s.hasPatches():
			p := readPatches(s)
			resources = append(resources, p.resources...)
			c.replacePatches(p, namesOf(resources, func(r *resource) bool { return known && r.mayTag }))
		case s.runs("function-tag-manager", "tag-manager.fn.crossplane.io"):
			c.replaceTagManager(s, resources, known)
		default:
			known = known && s.isHarmless()
			c.noteUnread(s)
		}
	}
}

// namesOf returns the names of the resources for which keep returns true.
func namesOf(resources []*resource, keep func(*resource) bool) []string {
	return words.MapIf(resources, func(r *resource) (string, bool) { return r.name, keep(r) })
}

// noteUnread notes a step that may set tags, and that migrate can't read: its templates mention tags, or it has none at all.
func (c *composition) noteUnread(s *step) {
	if s.isHarmless() {
		return
	}

	var lines []string

	isTemplate := func(n *yaml.Node) bool { return n.Kind == yaml.ScalarNode && strings.Contains(n.Value, "\n") }

	contains(s.input, func(n *yaml.Node) bool {
		if isTemplate(n) {
			lines = append(lines, mentions(n)...)
		}

		return false
	})

	switch {
	case len(lines) > 0:
		noun := "lines"
		if len(lines) == 1 {
			noun = "line"
		}

		c.notef("left: step %s of %s has a template that mentions tags or labels (%s %s); take the tags out by hand, and write a step as example/patches/from-patches-keys has it",
			words.Name(s.name), words.Name(s.function), noun, words.Names(lines))
	case !contains(s.input, isTemplate):
		c.notef("not read: step %s of %s, which may set tags; migrate reads the inputs of function-patch-and-transform and function-tag-manager", words.Name(s.name), words.Name(s.function))
	}
}

// replacePatches cuts patches of tags from the step, and adds a step after it that gives the same tags.
func (c *composition) replacePatches(p *patchStep, mayTag []string) {
	n := p.cut()

	for _, patch := range p.patches {
		if patch.writesTags && patch.stays != "" {
			c.notef("left: step %s, %s to %s: %s", words.Name(p.name), patch.where, words.Name(toOf(patch.node)), patch.stays)
		}
	}

	if n == 0 {
		return
	}

	name := c.free("cloud-tags")
	c.put(p.step, p.lines.to, name, c.replacement(p, mayTag))
	c.notef("step %s takes the place of %s in step %s", name, words.Count(n, "patch", "patches"), words.Name(p.name))

	for _, path := range p.leaving() {
		c.notef("step %s leaves a resource alone if a patch to %s tells it to", name, words.Name(path))
	}
}

// free returns a name that no step has: the name itself, or else with a number, such as cloud-tags-2.
func (c *composition) free(name string) string {
	base := name
	for i := 2; slices.Contains(c.names, name); i++ {
		name = base + "-" + strconv.Itoa(i)
	}

	c.names = append(c.names, name)

	return name
}

// cut cuts the patches that become labels from the file, and returns their number.
func (p *patchStep) cut() (n int) {
	gone := make(map[*yaml.Node]bool)

	for _, patch := range p.patches {
		if patch.isTakenOut() {
			gone[patch.node] = true
			n++
		}
	}

	for _, set := range p.sets {
		if len(set.patches) > 0 && !slices.ContainsFunc(set.patches, func(member *patch) bool { return !member.isTakenOut() }) {
			for _, n := range set.nodes {
				gone[n] = true
			}
		}
	}

	p.cutItems(p.input, "patchSets", gone) // Before the patches: the first edit of several at a place counts.

	for _, owner := range slices.Concat(items(p.input, "patchSets"), items(p.input, "resources")) {
		p.cutItems(owner, "patches", gone)
	}

	return n
}

// cutItems cuts the items that are gone from the list called name. It cuts the list if no item is left.
func (p *patchStep) cutItems(n *yaml.Node, name string, gone map[*yaml.Node]bool) {
	key, list := pair(n, name)
	cut := slices.DeleteFunc(slices.Clone(list.Content), func(n *yaml.Node) bool { return !gone[n] })

	if len(cut) > 0 && len(cut) == len(list.Content) {
		p.cutField(key)
		return
	}

	for _, n := range cut {
		i, _ := p.itemOf(n) // Patches that leave have lines of their own, and so have their sets.
		p.cutLines(i.comment, i.to)
	}
}

// toOf returns the path that a patch writes to.
func toOf(n *yaml.Node) string { return cmp.Or(text(n, "toFieldPath"), text(n, "fromFieldPath")) }
