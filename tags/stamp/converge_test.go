package stamp

import (
	"errors"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"
	"testing"

	gocmp "github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
	"sigs.k8s.io/structured-merge-diff/v6/fieldpath"

	"github.com/plexsphere/function-cloud-tags/input/v1beta1"
	"github.com/plexsphere/function-cloud-tags/tags"
	"github.com/plexsphere/function-cloud-tags/tags/field"
	"github.com/plexsphere/function-cloud-tags/tags/locate"
)

// A stage is a plane, and what is asked of this function there.
type stage struct {
	*plane

	// labels of the XR, by key, and the tags that an earlier step desires.
	labels, earlier map[string]string

	// ignores says that ignoreTags names backup*.
	ignores bool

	// said is what the function said last.
	said *Outcome

	// history of the stage, for a failing test.
	history []string
}

// runsToSettle is how many runs of Crossplane a change takes at most.
const runsToSettle = 4

// run Crossplane once.
func (s *stage) run() error {
	sources := []v1beta1.Source{{OnConflict: tags.Retain}}

	var labels []tags.Label
	for _, key := range slices.Sorted(maps.Keys(s.labels)) {
		labels = append(labels, label(key, s.labels[key]))
	}

	stamper := &Stamper{
		Finder: locate.Finder{
			Input:         &v1beta1.CloudTags{Sources: sources},
			ComposedOwner: ours,
			Provider:      "aws",
		},
		Transformer: reserving(nil, from(sources, labels...)...),
	}
	if s.ignores {
		stamper.IgnoreTags = keys("backup*")
	}

	said, err := s.compose(stamper, s.earlier)
	if err != nil {
		return err
	}

	s.said = said
	s.notef("composed")

	return nil
}

// notef notes what has happened.
func (s *stage) notef(format string, args ...any) {
	spec, isThere := s.tags()
	s.history = append(s.history, fmt.Sprintf(format, args...)+fmt.Sprintf(": spec %v %t, cloud %v, status %v", spec, isThere, s.cloud, s.status))
}

// both runs Crossplane and the provider once, in this order or the other.
func (s *stage) both(providerFirst bool) error { //nolint:revive // The test is about the order.
	provide := func() error {
		err := s.provide(false, false)
		s.notef("provided")

		return err
	}

	if !providerFirst {
		return errors.Join(s.run(), provide())
	}

	return errors.Join(provide(), s.run())
}

// tagState is where tags are, and what was said of them.
func (s *stage) tagState() []any {
	spec, _ := s.tags()

	// The object has all tags that were written.
	// NoteKept is about the run that keeps a tag for the first time.
	result := s.said.Results[0]
	result.Notes = slices.DeleteFunc(slices.Clone(result.Notes), func(n Note) bool { return n.Kind == NoteKept })

	return []any{spec, s.cloud, s.status, told(&result), s.said.CloudRefuses, s.said.Skips}
}

// state of all that can change.
func (s *stage) state() []any {
	return append(s.tagState(), s.server.object, s.server.managedFields())
}

// follow a change for as long as that may take.
func (s *stage) follow(providerFirst bool) error {
	for range runsToSettle {
		if err := s.both(providerFirst); err != nil {
			return err
		}
	}

	return nil
}

// settles runs all for as long as that may take, and returns an error if tags still change then, or if anything changes
// one run later. The memory of a change goes once the change is reported.
func (s *stage) settles(providerFirst bool) error {
	if err := s.follow(providerFirst); err != nil {
		return err
	}

	if err := s.rests(s.tagState, true); err != nil {
		return err
	}

	for _, providerFirst := range []bool{false, true} {
		if err := s.rests(s.state, providerFirst); err != nil {
			return err
		}
	}

	return s.agrees()
}

// rests runs all once more, and returns an error if the state changes.
func (s *stage) rests(state func() []any, providerFirst bool) error {
	before := state()

	if err := s.both(providerFirst); err != nil {
		return err
	}

	// To find a difference takes long, and there is hardly ever one.
	if after := state(); !reflect.DeepEqual(before, after) {
		return fmt.Errorf("no fixpoint after %d runs: -before, +after:\n%s", runsToSettle, gocmp.Diff(before, after))
	}

	return nil
}

// agrees returns an error unless spec, cloud, status and results agree.
func (s *stage) agrees() error {
	spec, _ := s.tags()
	noted := func(kind NoteKind) []string {
		var out []string

		for _, n := range s.said.Results[0].Notes {
			if n.Kind == kind {
				out = append(append(out, ""), n.Keys...)
			}
		}

		return out
	}

	// If a tag can't leave the cloud, a note says so.
	stays := len(spec) == 0 && len(noted(NoteLastStays)) > 0
	if !maps.Equal(spec, s.cloud) && !stays {
		return fmt.Errorf("the resource has %v, the cloud %v", spec, s.cloud)
	}

	if s.provider.reports != reportsNone {
		for key, value := range s.cloud {
			if now, ok := s.status[key]; now != value || !ok {
				return fmt.Errorf("the cloud has %v, the status %v", s.cloud, s.status)
			}
		}
	}

	if s.ignores != (len(noted(NoteUnreported)) > 0) && s.provider.reports == reportsNone {
		return errors.New("nobody says that ignoreTags can do nothing")
	}

	for key, value := range s.labels {
		if !s.shape.has(spec, "ours:"+key, value) {
			return fmt.Errorf("the label %s has the value %s, but the resource %v", key, value, spec)
		}
	}

	isNoted := func(key string) bool {
		return slices.ContainsFunc(append(noted(NoteLeftover), noted(NoteLastKept)...), func(n string) bool { return s.shape.keyOf(n) == key })
	}

	for entry, value := range spec {
		key := s.shape.keyOf(entry)
		if value == "" && s.shape.field.Shape != field.StringList {
			return fmt.Errorf("the tag %s has no value", key)
		}

		label, ours := strings.CutPrefix(key, "ours:")
		_, labelled := s.labels[label]

		switch {
		case ours && labelled, key == providersTag:
		case s.ignores && strings.HasPrefix(key, "backup"):
		case s.earlier[key] != "" && s.shape.has(spec, key, s.earlier[key]):
		case len(spec) == 1 && isNoted(key): // The last tag may have to stay.
		case !s.ownedByOthers(key):
			return fmt.Errorf("nobody desires the tag %s", key)
		case ours && !slices.Contains(noted(NoteLeftover), key) && len(noted(NoteLastStays)) == 0:
			return fmt.Errorf("nobody says that the tag %s stays", key)
		}
	}

	return nil
}

// ownedByOthers reports whether another manager than Crossplane owns the tag with the key.
func (s *stage) ownedByOthers(key string) (owned bool) {
	for manager, set := range s.server.managers {
		if manager == ours {
			continue
		}

		set.Set().Iterate(func(p fieldpath.Path) {
			switch at := strings.TrimPrefix(p.String(), ".spec.forProvider.tags"); at {
			case "":
				owned = owned || s.shape.field.Atomic
			default:
				owned = owned || at == "."+key || strings.Contains(at, `"`+key+`"`) || strings.Contains(at, `"`+key+"=")
			}
		})
	}

	return owned
}

// drawn stage, in which anything has happened.
func drawn(t *rapid.T, shape modelShape) *stage {
	p := modelProvider{
		waits:   rapid.Bool().Draw(t, "waits"),
		reports: rapid.SampledFrom([]modelReports{reportsAll, reportsNow, reportsNone}).Draw(t, "reports"),
	}

	switch rapid.SampledFrom([]string{"upjet", "upjet", "upjet", "adds", "computed", "classic", "classic fills", "native"}).Draw(t, "provider") {
	case "adds":
		_, isMap := shape.write(nil).(map[string]any)
		p.adds = isMap && !shape.field.Atomic
	case "computed":
		p.computed = true
	case "classic":
		p.classic = true
	case "native":
		p.native = true
	case "classic fills":
		p.classic, p.fillsEmpty = true, true
	}

	s := &stage{
		plane:  newPlane(shape, p, rapid.Bool().Draw(t, "oldServer")),
		labels: map[string]string{}, earlier: map[string]string{},
		ignores: rapid.Bool().Draw(t, "ignores"),
	}
	s.bare = rapid.Bool().Draw(t, "bare")

	if rapid.Bool().Draw(t, "imported") {
		s.cloud = make(map[string]string)
		for key, value := range rapid.SampledFrom([]map[string]string{{}, {"ours:a": "0"}, {"stranger": "x", "backup": "daily"}}).Draw(t, "cloud") {
			s.shape.put(s.cloud, key, value)
		}
	}

	values := rapid.SampledFrom([]string{"1", "2", ""})
	change := func(keys map[string]string, key string) { s.shape.put(keys, key, values.Draw(t, key)) }
	xr := func(keys map[string]string, key string) {
		if keys[key] = values.Draw(t, key); keys[key] == "" {
			delete(keys, key)
		}
	}

	always := func(do func()) func() error {
		return func() error {
			do()
			return nil
		}
	}

	actions := map[string]func() error{
		"compose":  s.run,
		"provide":  func() error { return s.provide(false, false) },
		"fail":     func() error { return s.provide(true, rapid.Bool().Draw(t, "writes")) },
		"write":    func() error { return s.provide(false, true) },
		"label a":  always(func() { xr(s.labels, "a") }),
		"label b":  always(func() { xr(s.labels, "b") }),
		"earlier":  always(func() { xr(s.earlier, "Name") }),
		"edit":     func() error { return s.edit("team", "x") },
		"ours":     func() error { return s.edit("ours:b", "9") },
		"backup":   always(func() { change(s.cloud, "backup") }),
		"stranger": always(func() { change(s.cloud, "stranger") }),
	}

	must(t, s, s.run())

	for _, name := range rapid.SliceOfN(rapid.SampledFrom(slices.Concat(slices.Sorted(maps.Keys(actions)), []string{"compose", "compose", "provide", "provide"})), 0, 14).Draw(t, "actions") {
		if s.cloud == nil && (name == "backup" || name == "stranger") {
			continue
		}

		must(t, s, actions[name]())
		s.notef("%s", name)
	}

	return s
}

// must not fail.
func must(t *rapid.T, s *stage, err error) {
	t.Helper()

	if err != nil {
		t.Fatalf("%v\n%+v, old server: %t, bare: %t, ignores: %t, labels: %v, earlier: %v\n%s", err, s.provider, s.server.makesNull, s.bare, s.ignores, s.labels, s.earlier, strings.Join(s.history, "\n"))
	}
}

// TestConverges proves that a few runs after the last change, whatever has happened before, nobody
// writes any more, and that cloud, spec, status and what was said agree.
func TestConverges(t *testing.T) {
	t.Parallel()

	for name, shape := range modelShapes() {
		t.Run(name, func(t *testing.T) {
			t.Parallel()

			rapid.Check(t, func(t *rapid.T) {
				s := drawn(t, shape)
				must(t, s, s.settles(rapid.Bool().Draw(t, "providerFirst")))
			})
		})
	}
}

// TestFollowsIgnored proves that the resource gets the new value of another system's tag in the cloud, if Crossplane
// runs after each report of the provider. Otherwise, the provider may take the change back before anybody sees it.
func TestFollowsIgnored(t *testing.T) {
	t.Parallel()

	for name, shape := range modelShapes() {
		t.Run(name, func(t *testing.T) {
			t.Parallel()

			rapid.Check(t, func(t *rapid.T) {
				reports := rapid.SampledFrom([]modelReports{reportsAll, reportsNow}).Draw(t, "reports")
				s := &stage{
					plane:   newPlane(shape, modelProvider{reports: reports}, rapid.Bool().Draw(t, "oldServer")),
					labels:  map[string]string{"a": "1"},
					ignores: true,
				}

				if rapid.Bool().Draw(t, "alone") {
					s.labels = nil
				}

				must(t, s, s.follow(false))

				for _, value := range rapid.SliceOfN(rapid.SampledFrom([]string{"daily", "weekly", "monthly"}), 1, 4).Draw(t, "values") {
					shape.put(s.cloud, "backup", value)
					s.notef("changed to %s", value)
					must(t, s, s.follow(true))

					if !shape.has(s.cloud, "backup", value) {
						must(t, s, fmt.Errorf("want %s, got %v", value, s.cloud))
					}
				}

				must(t, s, s.settles(true))
			})
		})
	}
}

// TestLastLabelLeaves proves that the last label leaves the cloud, whoever acts first, where the
// provider can take it away at all and nobody else has it.
func TestLastLabelLeaves(t *testing.T) {
	t.Parallel()

	for name, shape := range modelShapes() {
		t.Run(name, func(t *testing.T) {
			t.Parallel()

			rapid.Check(t, func(t *rapid.T) {
				p := modelProvider{
					classic: rapid.Bool().Draw(t, "classic"),
					native:  rapid.Bool().Draw(t, "native"),
					waits:   rapid.Bool().Draw(t, "waits"),
					reports: rapid.SampledFrom([]modelReports{reportsAll, reportsNow, reportsNone}).Draw(t, "reports"),
				}
				s := &stage{
					plane:  newPlane(shape, p, rapid.Bool().Draw(t, "oldServer")),
					labels: rapid.SampledFrom([]map[string]string{{"a": "1"}, {"a": "1", "b": "2"}}).Draw(t, "labels"),
				}

				// Without another field, the last tag of a field that isn't atomic stays.
				s.bare = rapid.Bool().Draw(t, "bare") && shape.field.Atomic

				must(t, s, s.follow(false))

				s.labels = nil

				must(t, s, s.settles(rapid.Bool().Draw(t, "providerFirst")))

				if len(s.cloud) > 0 {
					must(t, s, fmt.Errorf("the cloud still has %v", s.cloud))
				}
			})
		})
	}
}

// TestLastTagHeld proves that Crossplane can apply the resource after the last label has gone, if the provider has copied the
// tag from the cloud before the label replaced it. The provider still owns the field then.
func TestLastTagHeld(t *testing.T) {
	t.Parallel()

	for name, shape := range modelShapes() {
		t.Run(name, func(t *testing.T) {
			t.Parallel()

			rapid.Check(t, func(t *rapid.T) {
				s := &stage{plane: newPlane(shape, modelProvider{}, rapid.Bool().Draw(t, "oldServer"))}
				s.cloud = make(map[string]string)
				shape.put(s.cloud, "ours:a", "0")

				providerFirst := rapid.Bool().Draw(t, "providerFirst")
				must(t, s, s.follow(false))

				s.labels = map[string]string{"a": "1"}

				must(t, s, s.follow(providerFirst))

				s.labels = nil

				must(t, s, s.settles(providerFirst))
			})
		})
	}
}

// TestValueStays proves that a tag of somebody else keeps the value of a label after the label has gone: server-side
// apply takes away only entries that Crossplane alone owns.
func TestValueStays(t *testing.T) {
	t.Parallel()

	rapid.Check(t, func(t *rapid.T) {
		s := &stage{
			plane:  newPlane(modelShapes()["KeyedList"], modelProvider{native: rapid.Bool().Draw(t, "native")}, rapid.Bool().Draw(t, "oldServer")),
			labels: rapid.SampledFrom([]map[string]string{nil, {"a": "1"}}).Draw(t, "labels"),
		}

		providerFirst := rapid.Bool().Draw(t, "providerFirst")
		must(t, s, s.follow(false))
		must(t, s, s.edit("ours:b", "9"))

		labels := s.labels
		s.labels = map[string]string{"b": "1"}

		must(t, s, s.follow(providerFirst))

		s.labels = labels

		must(t, s, s.settles(providerFirst))

		if spec, _ := s.tags(); spec["ours:b"] != "1" {
			must(t, s, fmt.Errorf("want the value 1, got %v", spec))
		}
	})
}

// TestEditedStays proves that an edited tag stays, in a list as in a map, if its label goes before Crossplane has run
// again. API servers can neither take it away nor leave it without its value.
func TestEditedStays(t *testing.T) {
	t.Parallel()

	for _, name := range []string{"Map", "KeyedList"} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()

			rapid.Check(t, func(t *rapid.T) {
				s := &stage{
					plane:  newPlane(modelShapes()[name], modelProvider{native: rapid.Bool().Draw(t, "native")}, rapid.Bool().Draw(t, "oldServer")),
					labels: rapid.SampledFrom([]map[string]string{{"b": "1"}, {"a": "1", "b": "1"}}).Draw(t, "labels"),
				}

				providerFirst := rapid.Bool().Draw(t, "providerFirst")
				must(t, s, s.follow(false))
				must(t, s, s.edit("ours:b", "9"))
				delete(s.labels, "b")
				must(t, s, s.settles(providerFirst))

				if spec, _ := s.tags(); spec["ours:b"] != "9" {
					must(t, s, fmt.Errorf("want the value 9, got %v", spec))
				}
			})
		})
	}
}
