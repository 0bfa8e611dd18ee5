package stamp

import (
	"context"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/plexsphere/function-cloud-tags/input/v1beta1"
	"github.com/plexsphere/function-cloud-tags/tags/locate"
	"github.com/plexsphere/function-cloud-tags/tags/profile"
	"github.com/plexsphere/function-cloud-tags/tags/tagset"
)

// ours is the field manager of the composite resources of tests.
const ours = "apiextensions.crossplane.io/composed/0a1b"

// appliedShapes returns the shapes of the model, and a list of strings with a single owner.
func appliedShapes() map[string]modelShape {
	all := modelShapes()

	atomic := all["Set"]
	atomic.field.Atomic, atomic.schema = true, strings.Replace(atomic.schema, "associative", "atomic", 1)
	all["AtomicSet"] = atomic

	return all
}

// drawTags draws a few tags with some of the keys.
func drawTags(t *rapid.T, label string, keys ...string) map[string]string {
	return rapid.MapOfN(rapid.SampledFrom(keys), rapid.SampledFrom([]string{"1", "2"}), 0, 4).Draw(t, label)
}

// drawApplied draws a resource that Crossplane, another system and a provider have written.
func drawApplied(t *rapid.T, shape modelShape) *plane {
	w := newPlane(shape, modelProvider{native: true, reports: reportsNone}, false)
	w.server.object = w.desired(nil)

	for range rapid.IntRange(0, 5).Draw(t, "writes") {
		manager := rapid.SampledFrom([]string{ours, ours, "backup", managerProvider, "apiextensions.crossplane.io/composed/ffff"}).Draw(t, "manager")
		o := w.desired(drawTags(t, manager, "a", "b", "c", "ours:a", "ours:b"))

		write := w.server.apply
		if manager == managerProvider {
			write = w.server.update
		}

		if err := write(manager, o); err != nil {
			t.Fatal(err)
		}
	}

	return w
}

// entries of the resource's tag field, sorted: strings, or keys and values.
func (w *plane) entries() []string {
	var out []string

	tags, _ := w.tags()
	for entry, value := range tags {
		if value != "" {
			entry += "=" + value
		}

		out = append(out, entry)
	}

	slices.Sort(out)

	return out
}

// TestFinal proves that Final has the same tags as the resource after server-side apply of the step's result, whoever
// has written before.
func TestFinal(t *testing.T) {
	for kind, shape := range appliedShapes() {
		t.Run(kind, func(t *testing.T) {
			rapid.Check(t, func(t *rapid.T) {
				w := drawApplied(t, shape)

				f := &w.shape.field
				f.Atomic = rapid.SampledFrom([]bool{false, f.Atomic && w.server.managers[ours] != nil}).Draw(t, "known to be atomic")

				desired := drawTags(t, "desired", "a", "b", "c", "ours:a", "ours:b")
				finder := locate.Finder{Input: &v1beta1.CloudTags{Sources: []v1beta1.Source{{}}}, Provider: "aws", NewLocator: everywhere(*f), ComposedOwner: ours, Observed: w.observed()}

				targets, err := finder.Find(context.Background(), asResource(w.desired(desired)), true)
				if err != nil {
					t.Fatal(err)
				}

				target := targets.All[0]
				keys := tagset.Keys{FieldKind: tagset.FieldKindOf(target.Field, target.Profile), Patterns: profile.NewKeySet("*")}

				before, owners := w.entries(), w.server.managedFields()

				// The step desires the value of a tag that would lose it, and a last tag that can't be removed.
				out, err := w.compose(&Stamper{Finder: finder, Transformer: transformer()}, desired)
				if err != nil {
					t.Fatal(err)
				}

				applied := target.Resource
				if stamped := out.Results[0].Stamped; !stamped.IsZero() {
					applied = stamped
				}

				set, err := target.TagsAfterApply(applied, &keys)
				if err != nil {
					t.Fatal(err)
				}

				var got []string
				for e := range set.All() {
					got = append(got, strings.TrimSuffix(e.Key+"="+tagset.TextOf(e.Value), "="))
				}

				want := w.entries()

				slices.Sort(got)

				if diff := cmp.Diff(want, got); diff != "" {
					t.Fatalf("%v has %q, and %v is desired: -what is applied leaves, +final:\n%s", owners, before, desired, diff)
				}
			})
		})
	}
}

// TestAuditApplied proves that the audit tells all changes of server-side apply, whoever has written before.
func TestAuditApplied(t *testing.T) {
	for kind, shape := range appliedShapes() {
		t.Run(kind, func(t *testing.T) {
			rapid.Check(t, func(t *rapid.T) {
				w := drawApplied(t, shape)
				s := &Stamper{
					Finder:      locate.Finder{Input: &v1beta1.CloudTags{Sources: []v1beta1.Source{{}}}, Provider: "aws", ComposedOwner: ours},
					Transformer: transformer(label("a", "1")), Options: Options{Audits: true},
				}

				before := byKey(w.entries())

				out, err := w.compose(s, drawTags(t, "desired", "a", "b", "c", "ours:b"))
				if err != nil {
					t.Fatal(err)
				}

				after := byKey(w.entries())

				told := make(map[string]bool)

				c := out.Results[0].Changes
				for _, values := range []map[string]Values{c.Added, c.Changed, c.Removed} {
					for key := range values {
						told[key] = true
					}
				}

				for _, key := range []string{"a", "b", "c", "ours:a", "ours:b"} {
					// If a set has a key with several values, one of them is told.
					if len(before[key]) <= 1 && len(after[key]) <= 1 && slices.Equal(before[key], after[key]) == told[key] {
						t.Fatalf("%s was %q, and becomes %q: the audit tells %v", key, before[key], after[key], changed(out))
					}
				}
			})
		})
	}
}

// byKey are the values of entries by their keys.
func byKey(entries []string) map[string][]string {
	out := make(map[string][]string)

	for _, e := range entries {
		key, value, _ := strings.Cut(e, "=")
		out[key] = append(out[key], value)
	}

	return out
}

// TestIgnoredIsAsItIs proves that the annotation of a resource changes no tag of this function, whoever has written to
// the resource before.
func TestIgnoredIsAsItIs(t *testing.T) {
	for kind, shape := range appliedShapes() {
		t.Run(kind, func(t *testing.T) {
			rapid.Check(t, func(t *rapid.T) {
				w := drawApplied(t, shape)
				before := onlyOurs(w.entries())

				// Tags of an earlier step are not of this function.
				o := w.desired(drawTags(t, "desired", "a", "b", "c"))
				o["metadata"] = map[string]any{"annotations": map[string]any{locate.IgnoreAnnotation: "true"}}

				// The owners of an atomic field tell that it is atomic.
				f := w.shape.field
				f.Atomic = false

				s := &Stamper{
					Finder:      locate.Finder{Input: &v1beta1.CloudTags{Sources: []v1beta1.Source{{}}}, Provider: "aws", NewLocator: everywhere(f), ComposedOwner: ours, Observed: w.observed()},
					Transformer: reserving(nil, label("a", "1")),
				}

				_, stamped, err := stampOnce(t, s, asResource(o)["r"].GetResource())
				if err == nil {
					err = w.apply(stamped)
				}

				if err != nil {
					t.Fatal(err)
				}

				if after := onlyOurs(w.entries()); !slices.Equal(before, after) {
					t.Fatalf("a resource with the tags %q of this function has %q once it is ignored, and %v is desired", before, after, o)
				}
			})
		})
	}
}

// onlyOurs are the entries with the prefix of labels' keys.
func onlyOurs(entries []string) []string {
	return slices.DeleteFunc(entries, func(e string) bool { return !strings.HasPrefix(e, "ours:") })
}
