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
// and found a difference. The process exits with status 1, and with status 2 if the
// command could not do what it was asked for.
var ErrDiffers = errors.New("the built-in index differs")

// failedError is any other error of a command.
type failedError struct{ error }

// ExitCode of the process.
func (failedError) ExitCode() int { return 2 }

// Unwrap returns what failed.
func (e failedError) Unwrap() error { return e.error }

// A Command reads custom resource definitions and writes the index of their served
// kinds: one field.Line each, sorted.
type Command struct {
	Stdin          io.Reader
	Stdout, Stderr io.Writer

	// Diff writes only what differs from the built-in index: lines that are not in
	// it behind a plus, and lines of it that are not so behind a minus, with the
	// releases in which they are. What the index knows to differ from release to
	// release is only counted.
	Diff bool

	// Complete is true if the definitions are all that there are of their API
	// groups, so that a kind of the built-in index that isn't among them is gone.
	// Otherwise only versions of kinds can be gone. It needs Diff.
	Complete bool
}

// index is what is known of kinds.
type index map[schema.GroupVersionKind]field.Entry

// Run the command for the supplied files and folders.
func (c *Command) Run(paths ...string) error {
	err := c.run(paths)
	if err == nil || errors.Is(err, ErrDiffers) {
		return err
	}

	return failedError{error: err}
}

func (c *Command) run(paths []string) error {
	if c.Complete && !c.Diff {
		return errors.New("--complete says what --diff compares: give both, or neither")
	}

	defined := make(map[schema.GroupVersionKind]field.Field)

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
func (c *Command) builtIn(defined map[schema.GroupVersionKind]field.Field) index {
	builtIn := make(index)
	kinds := make(map[schema.GroupKind]bool)
	groups := make(map[string]bool)

	for gvk := range defined {
		kinds[gvk.GroupKind()], groups[gvk.Group] = true, true

		// More kinds are known than those that the index lists.
		if f, ok := field.BuiltIn().Locate(field.Kind{GroupVersionKind: gvk}); ok {
			builtIn[gvk] = field.Entry{{Field: f}}
		}
	}

	for gvk, e := range field.BuiltIn().All() {
		if kinds[gvk.GroupKind()] || c.Complete && groups[gvk.Group] {
			builtIn[gvk] = e
		}
	}

	return builtIn
}

// diff writes how the supplied kinds differ from what is built in.
func (c *Command) diff(defined map[schema.GroupVersionKind]field.Field) error {
	builtIn := c.builtIn(defined)

	all := maps.Clone(defined)
	for gvk := range builtIn {
		all[gvk] = field.Field{}
	}

	var added, gone, changed, known int

	for _, gvk := range slices.SortedFunc(maps.Keys(all), field.Compare) {
		was, there := builtIn[gvk]
		is, here := defined[gvk]

		switch {
		case !there:
			added++
		case !here && field.IsSettings(gvk.Kind): // Providers of one cloud share their group.
			continue
		case !here && was[0].Releases != "":
			known++
			continue
		case !here:
			gone++
		case len(was) == 1 && field.Line(gvk, was[0].Field) == field.Line(gvk, is):
			continue
		case slices.ContainsFunc(was, func(h field.Held) bool { return covers(h.Field, is) }):
			known++
			continue
		default:
			changed++
		}

		var lines []string

		for _, h := range was {
			line := "- " + field.Line(gvk, h.Field)
			if h.Releases != "" {
				line += "\t" + h.Releases
			}

			lines = append(lines, line)
		}

		if here {
			lines = append(lines, "+ "+field.Line(gvk, is))
		}

		if _, err := fmt.Fprintln(c.Stdout, strings.Join(lines, "\n")); err != nil {
			return err
		}
	}

	sayf(c.Stderr, "compared %d served kinds: %d are new, %d are gone, %d have another tag field", len(defined), added, gone, changed)

	if known > 0 {
		sayf(c.Stderr, "%d more differ from release to release, as the index knows", known)
	}

	if added+gone+changed > 0 {
		return ErrDiffers
	}

	return nil
}

// covers is true if the supplied field of the index holds for a kind that has the other
// one: an older release may report less.
func covers(built, is field.Field) bool {
	for _, path := range is.Observed {
		if !slices.Contains(built.Observed, path) {
			return false
		}
	}

	built.Observed, is.Observed = nil, nil

	return field.Line(schema.GroupVersionKind{}, built) == field.Line(schema.GroupVersionKind{}, is)
}
