// Package index prints the built-in index, or the tag fields of the kinds that custom resource
// definitions define, by the same rules.
package index

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"os"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"sigs.k8s.io/yaml"

	"github.com/crossplane/function-sdk-go/errors"

	"github.com/plexsphere/function-cloud-tags/input/v1beta1"
	"github.com/plexsphere/function-cloud-tags/tags/command"
	"github.com/plexsphere/function-cloud-tags/tags/command/cluster"
	"github.com/plexsphere/function-cloud-tags/tags/field"
	"github.com/plexsphere/function-cloud-tags/tags/manifest"
	"github.com/plexsphere/function-cloud-tags/tags/object"
	"github.com/plexsphere/function-cloud-tags/tags/words"
)

// errDiffers says that a comparison with the built-in index found a difference. Then the process exits with status 1.
var errDiffers = errors.New("the built-in index differs")

// A Command reads custom resource definitions, and prints a field.Line for each of their served kinds, sorted. Without
// definitions it prints the built-in index: lines with releases, or with Output json a field.Listing.
//
// With Diff, it prints the differences between the definitions and the built-in index:
//   - a line of the definitions after a plus, and a line of the index after a minus
//   - entries of tagFields that tell the function the same as the definitions
//   - entries of tagFields for fields such as spec.tags, of kinds without an entry in the index
//
// It only counts other kinds without an entry, and kinds whose field differs between releases as the index says already.
//
// If the definitions are Complete, kinds that they lack are gone. Otherwise only versions of their kinds can be gone.
//
// Its fields are the arguments and flags, which --help describes.
type Command struct {
	Paths []string

	// Kubectl has the flags of kubectl, which reads the cluster for Diff without Paths.
	Kubectl cluster.Flags

	Output   string
	Diff     bool
	Complete bool
}

// Cobra returns the command line of the command.
func (c *Command) Cobra() *cobra.Command {
	out := &cobra.Command{
		Use:         "index [PATH...]",
		Example:     "--diff\n--output json crds.yaml",
		Annotations: map[string]string{command.ExitCodes: "0 done, 1 --diff finds something, 2 failed"},
		Short:       "Print the built-in index of tag fields, or the tag fields of the kinds that custom resource definitions define.",
		Long: `Print the built-in index of tag fields, or the tag fields of the kinds that custom resource definitions define.

Paths are files and folders of custom resource definitions. - is standard input. Without any,
the built-in index is printed, and --diff compares it with the cluster. kubectl reads the
cluster, with its own flags, such as --context: kubectl options lists them.`,
		Args:    command.Paths(&c.Paths, 0),
		PreRunE: func(*cobra.Command, []string) error { return c.Validate() },
		RunE: func(cmd *cobra.Command, _ []string) error {
			return c.index(cmd.Context(), &manifest.Reader{Stdin: os.Stdin, Progress: os.Stderr}, os.Stdout)
		},
	}

	c.Output = "table"

	f := out.Flags()
	command.Choice(out, &c.Output, "output", "o", "Format of the built-in index. json has all that is known.", "table", "json")
	f.BoolVar(&c.Diff, "diff", false, "Print only what differs from the built-in index, and exit with status 1 if anything does, and 2 after an error.")
	f.BoolVar(&c.Complete, "complete", false, "With --diff: the definitions have all kinds of their API groups, so other kinds of the index count as gone.")
	c.Kubectl.AddTo(f)

	return out
}

// A kind is a version of a kind. builtIn has its tag fields by the built-in index, and defined is its tag field by the definition.
// Either may be nil.
type kind struct {
	builtIn field.Variants
	defined *field.Field

	// composite says whether the definition is for composite resources.
	composite bool
}

// Validate returns an error if the flags contradict each other.
func (c *Command) Validate() error {
	readsCluster := c.Diff && len(c.Paths) == 0

	switch {
	case c.Complete && !c.Diff:
		return errors.New("--complete needs --diff")
	case c.Output == "json" && (c.Diff || len(c.Paths) > 0):
		return errors.New("--output json is for the built-in index: name no files")
	case !readsCluster:
		return c.Kubectl.CheckUnused("goes with --diff alone")
	default:
		return nil
	}
}

// index prints the lines of the kinds to out.
func (c *Command) index(ctx context.Context, r *manifest.Reader, out io.Writer) error {
	err := c.print(ctx, r, out)
	if err == nil || errors.Is(err, errDiffers) {
		return err
	}

	return command.WithExitCode(2, err) // Status 1 is for errDiffers.
}

func (c *Command) print(ctx context.Context, r *manifest.Reader, out io.Writer) error {
	switch {
	case c.Output == "json":
		to := json.NewEncoder(out)
		to.SetEscapeHTML(false)
		to.SetIndent("", " ")

		return to.Encode(field.BuiltIn().List())
	case len(c.Paths) == 0 && !c.Diff:
		return writeLines(out, maps.Collect(field.BuiltIn().All()), func(gvk schema.GroupVersionKind, e field.Variants) string { return indexLines(gvk, e, "") })
	}

	kinds := make(map[schema.GroupVersionKind]kind)

	if err := c.Kubectl.Definitions(ctx, r, c.Paths, func(d manifest.Definition) {
		s := object.FromStruct(d.Schema).Node()
		f := field.Read(d.GroupVersionKind, s)
		spec := s.Field("properties").Field("spec").Field("properties")
		kinds[d.GroupVersionKind] = kind{defined: &f, composite: spec.Field("crossplane").IsThere() || spec.Field("compositionRef").IsThere()}
	}); err != nil {
		return err
	}

	if len(kinds) == 0 && len(c.Paths) > 0 {
		return errors.Errorf("no served kinds of custom resource definitions in %s: give the output of kubectl get crds -o json, or the .xpkg file of a provider", strings.Join(c.Paths, ", "))
	}

	if c.Diff {
		return c.diff(kinds, r, out)
	}

	return writeLines(out, kinds, func(gvk schema.GroupVersionKind, k kind) string { return field.Line(gvk, *k.defined) + "\n" })
}

// writeLines writes the lines of all kinds, in order.
func writeLines[K any](out io.Writer, kinds map[schema.GroupVersionKind]K, lines func(schema.GroupVersionKind, K) string) error {
	sorted := slices.SortedFunc(maps.Keys(kinds), field.Compare)
	_, err := io.WriteString(out, strings.Join(words.Map(sorted, func(gvk schema.GroupVersionKind) string { return lines(gvk, kinds[gvk]) }), ""))

	return err
}

// indexLines returns the lines of the kind in the index, each after the sign.
func indexLines(gvk schema.GroupVersionKind, e field.Variants, sign string) string {
	return strings.Join(words.Map(e, func(h field.Variant) string {
		return strings.TrimSuffix(sign+field.Line(gvk, h.Field)+"\t"+h.Releases, "\t") + "\n"
	}), "")
}

// diff writes the differences between the kinds and the built-in index.
func (c *Command) diff(kinds map[schema.GroupVersionKind]kind, r *manifest.Reader, out io.Writer) error {
	defined := len(kinds)
	c.addBuiltIn(kinds)

	counts, lines := make(map[string]int), &strings.Builder{}

	var certain, likely []v1beta1.TagField

	for _, gvk := range slices.SortedFunc(maps.Keys(kinds), field.Compare) {
		k := kinds[gvk]

		d := k.difference(gvk)
		counts[d]++

		if d == "unlisted" && k.defined.PossibleField != nil {
			entry, _ := field.ToTagField(gvk, *k.defined.PossibleField)
			likely = append(likely, entry)
		}

		if slices.Contains([]string{"", "known", "fieldless", "unlisted"}, d) {
			continue
		}

		if lines.Len() == 0 {
			lines.WriteString("  GROUP\tVERSION\tKIND\tFIELD\tSHAPE\tSETTINGS\tREPORTED\tRELEASES\n")
		}

		lines.WriteString(indexLines(gvk, k.builtIn, "- "))

		if k.defined == nil {
			continue
		}

		lines.WriteString("+ " + field.Line(gvk, *k.defined) + "\n")

		if entry, ok := field.ToTagField(gvk, *k.defined); ok {
			certain = append(certain, entry)
		}
	}

	writeTagFields(lines, "For the input of the function. Crossplane 2.2 and newer tells it the same of kinds that are new, and of all kinds\n"+
		"# with fieldDiscovery: Schema.", certain)
	writeTagFields(lines, "Nobody knows whether these fields have cloud tags. For the input of the function, if they have:", likely)

	if _, err := io.WriteString(out, lines.String()); err != nil {
		return err
	}

	r.Sayf("compared %d served kinds: %d are new, %d are gone, %d have another tag field", defined, counts["new"], counts["gone"], counts["changed"])

	for _, more := range uncompared {
		if n := counts[more.difference]; n > 0 {
			r.Sayf("%s %s", words.Count(n, more.one, more.several), more.more)
		}
	}

	if counts["new"]+counts["gone"]+counts["changed"] > 0 {
		return errDiffers
	}

	return nil
}

// uncompared has words for the differences that are only counted.
var uncompared = []struct{ difference, one, several, more string }{
	{"fieldless", "more is new, and has", "more are new, and have", "no tag field"},
	{"unlisted", "more is new, and isn't", "more are new, and aren't", "known to have a tag field: if one has, add {apiVersion: …, kind: …, fieldPath: …, shape: …} to tagFields"},
	{"known", "more differs", "more differ", "from release to release, as the index knows"},
}

// writeTagFields writes the entries of tagFields, as the input has them, below a comment.
func writeTagFields(out *strings.Builder, comment string, entries []v1beta1.TagField) {
	if len(entries) > 0 {
		y, _ := yaml.Marshal(map[string]any{"tagFields": entries}) // Nothing in it can fail.
		fmt.Fprintf(out, "\n# %s\n%s", comment, y)
	}
}

// addBuiltIn adds the index's entries of the kinds. If the definitions are complete, it adds all entries of their API groups.
func (c *Command) addBuiltIn(kinds map[schema.GroupVersionKind]kind) {
	alike := make(map[schema.GroupKind]bool) // A GroupKind without a kind stands for all kinds of the group.

	for gvk, k := range kinds {
		alike[gvk.GroupKind()] = true
		alike[schema.GroupKind{Group: gvk.Group}] = c.Complete

		// The index knows the tag fields of more kinds than it lists.
		if f, ok := field.BuiltIn().Locate(field.Kind{GroupVersionKind: gvk}); ok {
			k.builtIn = field.Variants{{Field: f}}
			kinds[gvk] = k
		}
	}

	for gvk, e := range field.BuiltIn().All() {
		if alike[gvk.GroupKind()] || alike[schema.GroupKind{Group: gvk.Group}] {
			kinds[gvk] = kind{builtIn: e, defined: kinds[gvk].defined}
		}
	}
}

// difference returns how the kind differs from the built-in index:
//   - new: only the definition has it
//   - fieldless: only the definition has it, and it has no tag field
//   - unlisted: only the definition has it, and nobody knows its tag field
//   - gone: only the index has it
//   - changed: it has another tag field
//   - known: it differs from release to release, as the index knows
//   - "": it is the same
func (k kind) difference(gvk schema.GroupVersionKind) string {
	_, isOfFamily := field.FamilyOf(gvk.GroupKind())

	switch {
	case k.builtIn == nil && k.defined.Shape == field.None && (isOfFamily || k.composite):
		return "fieldless"
	case k.builtIn == nil && k.defined.Shape == field.None:
		return "unlisted"
	case k.builtIn == nil:
		return "new"
	case k.defined == nil && field.IsSettings(gvk.Kind): // Each provider of a cloud has its own settings in the same group.
		return ""
	case k.defined == nil && k.builtIn[0].Releases != "":
		return "known"
	case k.defined == nil:
		return "gone"
	case len(k.builtIn) == 1 && field.Line(gvk, k.builtIn[0].Field) == field.Line(gvk, *k.defined):
		return ""
	case slices.ContainsFunc(k.builtIn, func(h field.Variant) bool { return covers(h.Field, *k.defined) }):
		return "known"
	default:
		return "changed"
	}
}

// covers reports whether the built-in field is right for a kind with the defined field. An older release may report less.
func covers(built, defined field.Field) bool {
	return built.WrittenAs(defined) && !slices.ContainsFunc(defined.Observed, func(path object.Path) bool {
		return !slices.ContainsFunc(built.Observed, path.Equal)
	})
}
