// Package crds indexes the tag fields of the kinds that custom resource definitions
// define, by the same rules as the built-in index.
package crds

import (
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/crossplane/function-sdk-go/errors"

	"github.com/plexsphere/function-cloud-tags/tags/field"
)

// ErrDiffers is what a command returns that compared kinds with the built-in index
// and found a difference.
var ErrDiffers = errors.New("the built-in index differs")

// A Command reads custom resource definitions and writes the index of their served
// kinds: one field.Line each, sorted.
type Command struct {
	Stdin          io.Reader
	Stdout, Stderr io.Writer

	// Diff writes only what differs from the built-in index: lines that are not in
	// it behind a plus, and lines of it that are not so behind a minus.
	Diff bool

	// Complete is true if the definitions are all that there are of their API
	// groups, so that a kind of the built-in index that isn't among them is gone.
	// Otherwise only versions of kinds can be gone.
	Complete bool
}

// index is what is known of kinds.
type index map[schema.GroupVersionKind]field.Field

// Run the command for the supplied files and folders.
func (c *Command) Run(paths ...string) error {
	defined := make(index)

	r := &Reader{Stdin: c.Stdin, Progress: c.Stderr}
	if err := r.Read(paths, func(d Definition) {
		defined[d.GroupVersionKind] = field.Read(d.GroupKind(), field.NewOpenAPI(d.Schema))
	}); err != nil {
		return err
	}

	if len(defined) == 0 {
		return errors.Errorf("no served kinds of custom resource definitions in %s", strings.Join(paths, ", "))
	}

	if c.Diff {
		return c.diff(defined)
	}

	for _, gvk := range slices.SortedFunc(maps.Keys(defined), field.Compare) {
		if _, err := fmt.Fprintln(c.Stdout, field.Line(gvk, defined[gvk])); err != nil {
			return err
		}
	}

	return nil
}

// builtIn returns what is built in of what is comparable with the supplied kinds.
func (c *Command) builtIn(defined index) index {
	builtIn := make(index)
	kinds := make(map[schema.GroupKind]bool)
	groups := make(map[string]bool)

	for gvk := range defined {
		kinds[gvk.GroupKind()], groups[gvk.Group] = true, true

		// More kinds are known than those that the index lists.
		if f, ok := field.BuiltIn().Locate(field.Kind{GroupVersionKind: gvk}); ok {
			builtIn[gvk] = f
		}
	}

	for gvk, f := range field.BuiltIn().All() {
		if kinds[gvk.GroupKind()] || c.Complete && groups[gvk.Group] {
			builtIn[gvk] = f
		}
	}

	return builtIn
}

// diff writes how the supplied kinds differ from what is built in.
func (c *Command) diff(defined index) error {
	builtIn := c.builtIn(defined)

	all := maps.Clone(builtIn)
	maps.Copy(all, defined)

	var added, gone, changed int

	for _, gvk := range slices.SortedFunc(maps.Keys(all), field.Compare) {
		var lines []string

		was, there := builtIn[gvk]
		if there {
			lines = append(lines, "- "+field.Line(gvk, was))
		}

		is, here := defined[gvk]
		if here {
			lines = append(lines, "+ "+field.Line(gvk, is))
		}

		switch {
		case !there:
			added++
		case !here:
			gone++
		case lines[0][1:] == lines[1][1:]:
			continue
		default:
			changed++
		}

		if _, err := fmt.Fprintln(c.Stdout, strings.Join(lines, "\n")); err != nil {
			return err
		}
	}

	sayf(c.Stderr, "compared %d served kinds: %d are new, %d are gone, %d have another tag field", len(defined), added, gone, changed)

	if added+gone+changed > 0 {
		return ErrDiffers
	}

	return nil
}
