// Package index prints the tag fields of the kinds that custom resource definitions
// define, by the same rules as the built-in index.
package index

import (
	"fmt"
	"io"
	"maps"
	"os"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/crossplane/function-sdk-go/errors"

	"github.com/plexsphere/function-cloud-tags/tags/command/manifest"
	"github.com/plexsphere/function-cloud-tags/tags/field"
	"github.com/plexsphere/function-cloud-tags/tags/object"
)

// errDiffers is the error of a comparison with the built-in index that found a
// difference. The process exits with status 1, and with status 2 if the command could
// not do what it was asked for.
var errDiffers = errors.New("the built-in index differs")

// failedError is any other error of the command.
type failedError struct{ error }

// ExitCode of the process.
func (failedError) ExitCode() int { return 2 }

// Unwrap returns what failed.
func (e failedError) Unwrap() error { return e.error }

// A Command reads custom resource definitions and prints the index of their served
// kinds: one field.Line each, sorted.
//
// What differs from the built-in index are lines that are not in it behind a plus, and
// lines of it that are not so behind a minus, with the releases in which they are. What
// the index knows to differ from release to release is only counted. Unless the
// definitions are complete, only versions of kinds can be gone.
type Command struct {
	Paths []string `arg:"" help:"Files and folders of custom resource definitions. - is standard input."`

	Diff     bool `help:"Print only what differs from the built-in index, and exit with status 1 if anything does, and 2 after an error."`
	Complete bool `help:"With --diff: the definitions are all that there are of their API groups, so kinds that aren't among them are gone."`

	stdin          io.Reader
	stdout, stderr io.Writer
}

// index is what is known of kinds.
type index map[schema.GroupVersionKind]field.Entry

// Run the command.
func (c *Command) Run() error {
	c.stdin, c.stdout, c.stderr = os.Stdin, os.Stdout, os.Stderr

	return c.run()
}

func (c *Command) run() error {
	err := c.print()
	if err == nil || errors.Is(err, errDiffers) {
		return err
	}

	return failedError{error: err}
}

func (c *Command) print() error {
	if c.Complete && !c.Diff {
		return errors.New("--complete says what --diff compares: give both, or neither")
	}

	defined := make(map[schema.GroupVersionKind]*field.Field)

	r := &manifest.Reader{Stdin: c.stdin, Progress: c.stderr}
	if err := r.Definitions(c.Paths, func(d manifest.Definition) {
		f := field.Read(d.GroupKind(), object.Tree(d.Schema).Node())
		defined[d.GroupVersionKind] = &f
	}); err != nil {
		return err
	}

	if len(defined) == 0 {
		return errors.Errorf("no served kinds of custom resource definitions in %s", strings.Join(c.Paths, ", "))
	}

	if c.Diff {
		return c.diff(defined)
	}

	for _, gvk := range slices.SortedFunc(maps.Keys(defined), field.Compare) {
		if _, err := fmt.Fprintln(c.stdout, field.Line(gvk, *defined[gvk])); err != nil {
			return err
		}
	}

	return nil
}

// builtIn returns what is built in of what is comparable with the supplied kinds.
func (c *Command) builtIn(defined map[schema.GroupVersionKind]*field.Field) index {
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

// A difference of a kind from what is built in.
type difference int

const (
	none difference = iota
	known
	added
	gone
	changed
)

// diff writes how the supplied kinds differ from what is built in.
func (c *Command) diff(defined map[schema.GroupVersionKind]*field.Field) error {
	builtIn := c.builtIn(defined)

	all := maps.Clone(defined)
	for gvk := range builtIn {
		all[gvk] = defined[gvk]
	}

	counts := make(map[difference]int)

	for _, gvk := range slices.SortedFunc(maps.Keys(all), field.Compare) {
		was, is := builtIn[gvk], all[gvk]

		d := compare(gvk, was, is)
		counts[d]++

		if d < added {
			continue
		}

		if _, err := io.WriteString(c.stdout, lines(gvk, was, is)); err != nil {
			return err
		}
	}

	c.sayf("compared %d served kinds: %d are new, %d are gone, %d have another tag field", len(defined), counts[added], counts[gone], counts[changed])

	if n := counts[known]; n > 0 {
		c.sayf("%d more differ from release to release, as the index knows", n)
	}

	if counts[added]+counts[gone]+counts[changed] > 0 {
		return errDiffers
	}

	return nil
}

// compare what the index has of a kind, if anything, with how it is defined, if it is.
func compare(gvk schema.GroupVersionKind, was field.Entry, is *field.Field) difference {
	switch {
	case was == nil:
		return added
	case is == nil && field.IsSettings(gvk.Kind): // Providers of one cloud share their group.
		return none
	case is == nil && was[0].Releases != "":
		return known
	case is == nil:
		return gone
	case len(was) == 1 && field.Line(gvk, was[0].Field) == field.Line(gvk, *is):
		return none
	case slices.ContainsFunc(was, func(h field.Held) bool { return covers(h.Field, *is) }):
		return known
	default:
		return changed
	}
}

// lines of what the index has of a kind and of how it is defined.
func lines(gvk schema.GroupVersionKind, was field.Entry, is *field.Field) string {
	b := strings.Builder{}

	for _, h := range was {
		b.WriteString("- " + field.Line(gvk, h.Field))

		if h.Releases != "" {
			b.WriteString("\t" + h.Releases)
		}

		b.WriteString("\n")
	}

	if is != nil {
		b.WriteString("+ " + field.Line(gvk, *is) + "\n")
	}

	return b.String()
}

// sayf says something to whoever waits. It doesn't matter if nobody hears it.
func (c *Command) sayf(format string, args ...any) {
	_, _ = fmt.Fprintf(c.stderr, format+"\n", args...)
}

// covers is true if the supplied field of the index holds for a kind that has the other
// one: an older release may report less.
func covers(built, is field.Field) bool {
	for _, path := range is.Observed {
		if !slices.ContainsFunc(built.Observed, path.Equal) {
			return false
		}
	}

	return built.WrittenAs(is)
}
