package stamp

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"testing"

	gocmp "github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/testing/protocmp"
	"google.golang.org/protobuf/types/known/structpb"
	"pgregory.net/rapid"

	"github.com/crossplane/function-sdk-go/errors"
	fnv1 "github.com/crossplane/function-sdk-go/proto/v1"

	"github.com/plexsphere/function-cloud-tags/input/v1beta1"
	"github.com/plexsphere/function-cloud-tags/tags"
	"github.com/plexsphere/function-cloud-tags/tags/field"
	"github.com/plexsphere/function-cloud-tags/tags/locate"
	"github.com/plexsphere/function-cloud-tags/tags/profile"
	"github.com/plexsphere/function-cloud-tags/tags/resolve"
)

// A world is the tags of one resource, and what is to become of them.
type world struct {
	provider string

	// policies of sources, by their position.
	policies []tags.Conflict

	reserved []string
	labels   []tags.Label
	slots    int

	// before are the tags of earlier steps, earlier the ones of them that this function set from trusted sources, and
	// cloud the tags that the provider reports, or nil if it reports none.
	before, earlier, cloud map[string]string

	// others are the tags of the observed field that other field managers have, by key, and
	// mine those that Crossplane has applied. The field is in a list of strings, or atomic.
	others         map[string]othersTag
	mine           map[string]string
	strings, whole bool

	remove, ignore []resolve.TagPattern
}

// An othersTag is one that another field manager has in the observed field.
type othersTag struct {
	value, manager string
}

// Keys of tags and the labels of some, and the patterns that are near them.
var (
	worldKeys = []string{
		"Name", "name", "x", "owner", "cost-a", "ours:a", "ours:b", "ours:c", "ours:d", "ours:owner", "OURS:A", "Ours:B",
		"aws:x", "AWS:y", "azure-x", "Windows", "crossplane-kind", "crossplane-name", "Crossplane-Kind", "crossplane-x",
	}
	labelKeys   = []string{"a", "b", "c", "d", "e", "owner", "A"}
	tagPatterns = append([]string{"*", "ours:*", "OURS:*", "cost-*", "N*", "crossplane-*", "aws:*", "o*"}, worldKeys...)
	tagValues   = []string{"", "1", "2", "x"}
)

// worlds returns a generator of worlds whose keys and values have no separators, and
// where no two keys are one.
func worlds() *rapid.Generator[world] {
	values := rapid.SampledFrom(tagValues)

	return rapid.Custom(func(t *rapid.T) world {
		w := world{
			provider: rapid.SampledFrom([]string{"aws", "aws", "azure"}).Draw(t, "provider"),
			policies: rapid.SliceOfN(rapid.SampledFrom([]tags.Conflict{
				tags.Retain, tags.Replace, tags.Retain, tags.Replace, tags.Fail,
			}), 2, 2).Draw(t, "policies"),
			reserved: rapid.SampledFrom([][]string{nil, {"owner"}, {"owner", "cost-*"}, {"ours:b", "Name"}}).Draw(t, "reserved"),
			slots:    rapid.SampledFrom([]int{0, 1, 2, 3, 4, 6, 50}).Draw(t, "slots"),
		}

		fold := profile.Of(w.provider).Fold
		distinct := func(keys []string, limit int, label string) []string {
			return rapid.SliceOfNDistinct(rapid.SampledFrom(keys), 0, limit, fold).Draw(t, label)
		}
		drawn := func(label string) map[string]string {
			out := make(map[string]string)
			for _, key := range distinct(worldKeys, 8, label) {
				out[key] = values.Draw(t, "value")
			}

			return out
		}

		for _, key := range distinct(labelKeys, 6, "labels") {
			w.labels = append(w.labels, tags.Label{
				QualifiedKey: key, TagKey: "ours:" + key, Value: values.Draw(t, "value"),
				Source: &tags.Source{Position: rapid.IntRange(0, 1).Draw(t, "source")}, Trusted: rapid.Bool().Draw(t, "trusted"),
			})
		}

		w.before = drawn("before")
		w.earlier = make(map[string]string)

		for _, key := range slices.Sorted(maps.Keys(w.before)) {
			if rapid.Bool().Draw(t, "earlier") {
				w.earlier[key] = w.before[key]
			}
		}

		if rapid.IntRange(0, 4).Draw(t, "observed") > 0 {
			w.cloud = drawn("cloud")
		}

		w = w.drawOthers(t, distinct)

		w.remove = worldKeysOf(t, "remove", true)
		w.ignore = worldKeysOf(t, "ignore", false)

		return w
	})
}

// drawOthers draws what is in the observed field: keys that are distinct.
func (w world) drawOthers(t *rapid.T, distinct func(keys []string, limit int, label string) []string) world {
	w.others, w.mine = make(map[string]othersTag), make(map[string]string)

	for _, key := range distinct(worldKeys, 6, "there") {
		value := rapid.SampledFrom(tagValues).Draw(t, "value")

		switch manager := rapid.SampledFrom([]string{"provider", "kubectl-edit", "backup", ours}).Draw(t, "manager"); manager {
		case ours:
			w.mine[key] = value
		default:
			w.others[key] = othersTag{value: value, manager: manager}
		}
	}

	return w
}

// in a field of the shape.
func (w world) in(s shape) world {
	w.others = maps.Clone(w.others)
	w.strings, w.whole = s.field.Shape == field.StringList, s.field.Atomic

	// Azure has no lists of strings: this model doesn't know how they would be spelled.
	if w.strings && w.provider == "azure" {
		w.others = nil
	}

	if w.whole { // It has one owner.
		w.mine = nil

		for key, o := range w.others {
			o.manager = "provider"
			w.others[key] = o
		}

		// The provider's own tags are kept in a list.
		maps.DeleteFunc(w.others, func(key string, _ othersTag) bool { return strings.HasPrefix(strings.ToLower(key), "crossplane-") })
	}

	return w
}

// worldKeysOf draws keys to remove, some at a value, or to ignore.
func worldKeysOf(t *rapid.T, label string, remove bool) []resolve.TagPattern {
	out := make([]resolve.TagPattern, 0, 3)

	for range rapid.IntRange(0, 3).Draw(t, label) {
		k := resolve.TagPattern{Key: rapid.SampledFrom(tagPatterns).Draw(t, "pattern"), Untrusted: rapid.Bool().Draw(t, "untrusted")}

		switch {
		case !remove:
			k.Retain = rapid.Bool().Draw(t, "retain")
		case rapid.Bool().Draw(t, "at a value"):
			value := rapid.SampledFrom(tagValues).Draw(t, "value")
			k.Value = &value
		}

		out = append(out, k)
	}

	return out
}

// became says what has become of a world, by the keys of tags. Keys that differ in case are one on azure, where all are
// in lower case.
type became struct {
	tags                                  map[string]string
	active                                map[string]string
	retained, ignored, removed, protected []string
	capped, refused, taken, unkept, both  []string

	// notes about tags of others.
	notes []string

	// conflict is the key of the tag that a source refuses to share, or of the trusted
	// one that there is no slot for.
	conflict string
}

// becomes says what should become of the world, rule by rule, on plain maps.
func (w world) becomes() became {
	fold := func(s string) string { return s }
	cloudsOwn := []string{"aws:"}

	if w.provider == "azure" {
		fold = strings.ToLower
		cloudsOwn = []string{"azure", "microsoft", "windows"}
	}

	// matches reports whether a pattern is the key, or the beginning of it.
	matches := func(pattern, key string) bool {
		pattern, key = fold(pattern), fold(key)
		return pattern == key || strings.HasSuffix(pattern, "*") && strings.HasPrefix(key, strings.TrimSuffix(pattern, "*"))
	}

	isReserved := func(key string) bool {
		return slices.ContainsFunc(w.reserved, func(p string) bool {
			p, key := strings.ToLower(p), strings.ToLower(key)
			return profile.NewKeySet(p).Has(key) || profile.NewKeySet("ours:"+p).Has(key)
		})
	}
	isProviders := func(key string) bool {
		return slices.Contains([]string{"crossplane-kind", "crossplane-name", "crossplane-providerconfig"}, strings.ToLower(key))
	}

	out := became{tags: make(map[string]string), active: make(map[string]string)}

	// Labels. Trusted ones come first, and then the lowest keys.
	labels := slices.Clone(w.labels)
	slices.SortFunc(labels, func(a, b tags.Label) int {
		if a.Trusted != b.Trusted {
			return map[bool]int{true: -1, false: 1}[a.Trusted]
		}

		return strings.Compare(a.QualifiedKey, b.QualifiedKey)
	})

	labels = slices.DeleteFunc(labels, func(l tags.Label) bool {
		// A key is reserved as the label has it, or as the provider takes it.
		hasReserved := isReserved(l.TagKey)
		if hasReserved && !l.Trusted {
			out.refused = append(out.refused, fold(l.TagKey))
		}

		return hasReserved && !l.Trusted
	})

	// Tags of others in the observed field stay beside the desired ones, which replace the same tag. In a list of
	// strings, only an equal string is the same tag.
	others := make(map[string]othersTag)
	for key, o := range w.others {
		others[fold(key)] = o
	}

	isSame := func(id, value string) bool {
		o, ok := others[id]
		return ok && !w.whole && (!w.strings || o.value == value)
	}

	byKey := make(map[string]tags.Label)
	why := make(map[string]string)

	// Tags of earlier steps. Tags with reserved keys stay if they are of trusted sources.
	now := make(map[string]string)

	var missing, replacing []tags.Label

	for key, value := range w.before {
		i := slices.IndexFunc(labels, func(l tags.Label) bool { return isReserved(l.TagKey) && strings.EqualFold(l.TagKey, key) })
		_, earlier := w.earlier[key]

		switch {
		case !isReserved(key) || isProviders(key):
			now[fold(key)] = value
		case i >= 0 && fold(labels[i].TagKey) == fold(key):
			now[fold(key)] = value
		case i >= 0 && isSame(fold(key), value): // It stays, and keeps its slot.
		case i >= 0:
			replacing = append(replacing, labels[i])
		case earlier:
			now[fold(key)] = value
		default:
			out.taken = append(out.taken, key)
		}
	}

	for _, l := range replacing {
		now[fold(l.TagKey)] = l.Value
	}

	for _, l := range labels {
		key := fold(l.TagKey)
		byKey[key] = l
		policy := w.policies[l.Source.Position]

		switch _, there := now[key]; {
		case !there:
			missing = append(missing, l)
		case isReserved(l.TagKey) || policy == tags.Replace:
			now[key] = l.Value
		case policy == tags.Fail:
			return became{conflict: l.TagKey}
		default:
			why[key] = "retained"
		}
	}

	// first key of a list that is for a tag. A key from a field is for none that is
	// reserved, or that a trusted label has.
	protected := make(map[string]bool)
	first := func(list []resolve.TagPattern, key, value string) (resolve.TagPattern, bool) {
		if isProviders(key) {
			return resolve.TagPattern{}, false
		}

		refused := false

		for _, k := range list {
			if !matches(k.Key, key) || k.Value != nil && *k.Value != value {
				continue
			}

			if !k.Untrusted || !isReserved(key) && !byKey[fold(key)].Trusted {
				return k, true
			}

			refused = true
		}

		protected[fold(key)] = protected[fold(key)] || refused

		return resolve.TagPattern{}, false
	}

	// Tags of other systems, in the field or not. The resource keeps the ones that the cloud doesn't report.
	ignored, system := make(map[string]string), maps.Clone(w.cloud)
	if system == nil {
		system = make(map[string]string)
	}

	has := maps.Clone(w.mine)
	if w.whole {
		has = make(map[string]string)
		for key, o := range w.others {
			has[key] = o.value
		}
	}

	var held []string

	for _, key := range slices.Sorted(maps.Keys(has)) {
		_, reported := keyIn(w.cloud, key, fold)
		_, theirs := w.others[key]
		_, labelled := byKey[fold(key)]
		_, there := now[fold(key)]

		if !reported && !labelled && !there && (w.whole || !theirs) {
			system[key] = has[key]
			held = append(held, key)
		}
	}

	var foreign []string

	for _, key := range slices.Concat(held, slices.Sorted(maps.Keys(w.cloud))) {
		id := fold(key)
		_, labelled := byKey[id]
		_, there := now[id]

		hasReserved := slices.ContainsFunc(labels, func(l tags.Label) bool { return isReserved(l.TagKey) && strings.EqualFold(l.TagKey, key) })
		if slices.ContainsFunc(cloudsOwn, func(p string) bool { return strings.HasPrefix(strings.ToLower(key), p) }) || hasReserved {
			continue
		}

		k, ok := first(w.ignore, key, system[key])

		// A reserved key is no other system's.
		if ok && isReserved(key) {
			protected[fold(key)] = true
			ok = false
		}

		switch {
		case !ok || k.Retain && (there || labelled):
		case there:
			now[id] = system[key]
			why[id] = "ignored"
		case labelled:
			ignored[id] = system[key]
		default:
			foreign = append(foreign, key)
		}
	}

	// Tags that resources don't get. A note names tags that ignoreTags names, too.
	both := make(map[string]bool)
	removes := func(key, value string) bool {
		_, ok := first(w.remove, key, value)
		if ok && slices.ContainsFunc(w.ignore, func(k resolve.TagPattern) bool {
			return matches(k.Key, key) && (!k.Untrusted || !isReserved(key) && !byKey[fold(key)].Trusted)
		}) {
			both[fold(key)] = true
		}

		return ok
	}

	for id, value := range maps.Clone(now) {
		if removes(id, value) {
			delete(now, id)

			why[id] = "removed"
		}
	}

	missing = slices.DeleteFunc(missing, func(l tags.Label) bool {
		value, ignoring := ignored[fold(l.TagKey)]
		if !ignoring {
			value = l.Value
		}

		if !removes(l.TagKey, value) {
			return false
		}

		why[fold(l.TagKey)] = "removed"

		return true
	})

	used := func() int {
		n := len(now)

		for id := range others {
			if value, ok := now[id]; !w.whole && (!ok || !isSame(id, value)) {
				n++
			}
		}

		return n
	}

	// conflicts reports whether there is another value, which Crossplane has not applied.
	conflicts := func(l tags.Label) bool {
		if isReserved(l.TagKey) || w.policies[l.Source.Position] != tags.Fail {
			return false
		}

		if o, ok := others[fold(l.TagKey)]; ok {
			return o.value != l.Value
		}

		if _, ok := keyIn(w.mine, l.TagKey, fold); ok {
			return false
		}

		key, ok := keyIn(w.cloud, l.TagKey, fold)

		return ok && w.cloud[key] != l.Value
	}

	wanted := func(l tags.Label) (value string, ignoring bool) {
		if value, ok := ignored[fold(l.TagKey)]; ok {
			return value, true
		}

		return l.Value, false
	}

	// Labels whose tags others have need no slot, so that they come first.
	slices.SortStableFunc(missing, func(a, b tags.Label) int {
		first := func(l tags.Label) int {
			if value, _ := wanted(l); isSame(fold(l.TagKey), value) {
				return 0
			}

			return 1
		}

		return first(a) - first(b)
	})

	// The cap.
	lacking := ""

	for _, l := range missing {
		id := fold(l.TagKey)
		value, ignoring := wanted(l)

		switch fits := used() < w.slots || isSame(id, value); {
		case fits && ignoring:
			now[id] = value
			why[id] = "ignored"
		case fits:
			if conflicts(l) {
				return became{conflict: l.TagKey}
			}

			now[id] = l.Value
		case l.Trusted:
			if lacking == "" {
				lacking = l.TagKey
			}
		default:
			out.capped = append(out.capped, id)
			why[id] = "capped"
		}
	}

	if lacking != "" {
		return became{conflict: lacking}
	}

	for _, key := range foreign {
		if removes(key, system[key]) {
			continue
		}

		if used() < w.slots || isSame(fold(key), system[key]) {
			now[fold(key)] = system[key]

			if mine, isMine := keyIn(w.mine, key, fold); !isMine || w.strings && w.mine[mine] != system[key] { // No earlier run has kept it.
				out.notes = append(out.notes, fmt.Sprint(NoteKept, "", " ", fold(key)))
			}
		} else {
			out.unkept = append(out.unkept, fold(key))
		}
	}

	out.tags, out.both = now, slices.Collect(maps.Keys(both))

	for key, o := range w.others {
		value, ok := now[fold(key)]
		if isProviders(key) || ok && isSame(fold(key), value) || w.whole && len(now) > 0 {
			continue
		}

		note := func(kind NoteKind) { out.notes = append(out.notes, fmt.Sprint(kind, o.manager, " ", fold(key))) }

		switch {
		case isReserved(key):
			note(NoteReserved)
		case strings.HasPrefix(fold(key), "ours:"):
			note(NoteLeftover)
		}

		if slices.ContainsFunc(w.remove, func(k resolve.TagPattern) bool {
			return matches(k.Key, key) && (!k.Untrusted || !isReserved(key) && !byKey[fold(key)].Trusted)
		}) {
			note(NoteOwned)
		}
	}

	for key := range now {
		if !isProviders(key) && slices.ContainsFunc(w.remove, func(k resolve.TagPattern) bool {
			return matches(k.Key, key) && (!k.Untrusted || !isReserved(key) && !byKey[fold(key)].Trusted)
		}) {
			out.notes = append(out.notes, fmt.Sprint(NoteOtherValue, "", " ", key))
		}
	}

	for id, l := range byKey {
		if value, ok := now[id]; ok && value == l.Value {
			out.active[id] = l.Value
			continue
		}

		switch why[id] {
		case "retained":
			out.retained = append(out.retained, id)
		case "ignored":
			out.ignored = append(out.ignored, id)
		case "removed":
			out.removed = append(out.removed, id)
		}
	}

	for id, ignoring := range protected {
		if ignoring {
			out.protected = append(out.protected, id)
		}
	}

	return out
}

// keyIn returns the key of a map that equals key once both are folded.
func keyIn(values map[string]string, key string, fold func(string) string) (string, bool) {
	for k := range values {
		if fold(k) == fold(key) {
			return k, true
		}
	}

	return "", false
}

// sorted returns what became of a world with all lists sorted.
func (b became) sorted() became {
	for _, list := range []*[]string{&b.retained, &b.ignored, &b.removed, &b.protected, &b.capped, &b.refused, &b.taken, &b.unkept, &b.both, &b.notes} {
		slices.Sort(*list)
	}

	return b
}

// keysAndValues returns tags as keys and values by turns, sorted by key.
func keysAndValues(values map[string]string) []string {
	out := make([]string, 0, 2*len(values))
	for _, key := range slices.Sorted(maps.Keys(values)) {
		out = append(out, key, values[key])
	}

	return out
}

// stamper of the world, for resources of the shape.
func (w world) stamper(s shape) *Stamper {
	sources := make([]v1beta1.Source, len(w.policies))
	for i, p := range w.policies {
		sources[i].OnConflict = p
	}

	stamper := &Stamper{
		Finder: locate.Finder{
			Input: &v1beta1.CloudTags{
				Sources: sources,
				ReservedTags: map[string]v1beta1.TagCount{
					w.provider: v1beta1.TagCount(profile.Of(w.provider).MaxTags - w.slots), //nolint:gosec // At most 50.
				},
			},
			Provider:   w.provider,
			NewLocator: everywhere(reporting(s.field)),
		},
		Transformer: reserving(w.reserved, from(sources, w.labels...)...),
		RemoveTags:  w.remove,
		IgnoreTags:  w.ignore,
		Options:     Options{EarlierTrustedTags: map[string]map[string]string{"r": w.earlier}},
	}

	stamper.Observed, stamper.ComposedOwner = map[string]*fnv1.Resource{"r": {Resource: w.observed(s)}}, ours

	return stamper
}

// observed resource of the shape.
func (w world) observed(s shape) *structpb.Struct {
	there, owned := maps.Clone(w.mine), make(map[string]map[string]any)
	if there == nil {
		there = make(map[string]string)
	}

	addOwner := func(manager, key, value string) {
		if owned[manager] == nil {
			owned[manager] = map[string]any{".": map[string]any{}}
		}

		if e := (map[field.Shape]string{field.Map: "f:" + key, field.KeyValueList: `k:{"k":"` + key + `"}`, field.StringList: `v:"` + key + "=" + value + `"`})[s.field.Shape]; e != "" {
			owned[manager][e] = map[string]any{}
		}
	}

	for key, value := range w.mine {
		addOwner(ours, key, value)
	}

	for key, o := range w.others {
		there[key] = o.value
		addOwner(o.manager, key, o.value)
	}

	status := `{}`
	if w.cloud != nil {
		status = s.spec(keysAndValues(w.cloud)...)
	}

	var managers []any

	for name, fields := range owned {
		operation := map[bool]string{true: "Apply", false: "Update"}[name == "backup" || name == ours]
		managers = append(managers, map[string]any{
			"manager": name, "operation": operation, "apiVersion": "example.org/v1",
			"fieldsV1": map[string]any{"f:spec": map[string]any{"f:tags": fields}},
		})
	}

	r := observed(s.spec(keysAndValues(there)...), status)
	r.GetFields()["spec"].GetStructValue().Fields["size"] = structpb.NewStringValue("large") // So that the last tag can go.

	list, err := structpb.NewList(managers)
	if err != nil {
		panic(err)
	}

	if r.GetFields()["metadata"] == nil {
		r.Fields["metadata"] = structpb.NewStructValue(&structpb.Struct{Fields: map[string]*structpb.Value{}})
	}

	r.GetFields()["metadata"].GetStructValue().Fields["managedFields"] = structpb.NewListValue(list)

	return r
}

// tagsOf returns the keys and values that a field of the shape holds, in
// their order, and of a map sorted.
func tagsOf(r *structpb.Struct, s shape) []string {
	v := r.GetFields()["spec"].GetStructValue().GetFields()["tags"]

	if s.tag == nil {
		fields := v.GetStructValue().GetFields()
		out := make([]string, 0, 2*len(fields))

		for _, key := range slices.Sorted(maps.Keys(fields)) {
			out = append(out, key, fields[key].GetStringValue())
		}

		return out
	}

	var out []string

	items := v.GetListValue().GetValues()
	if text := v.GetStringValue(); text != "" {
		for entry := range strings.SplitSeq(text, s.field.Delimiter) {
			items = append(items, structpb.NewStringValue(entry))
		}
	}

	for _, item := range items {
		key, value := s.tag(item)
		out = append(out, key, value)
	}

	return out
}

// stampOnce stamps a resource, and fails the test if what is given to it changes.
func stampOnce(t rapid.TB, s *Stamper, r *structpb.Struct) (*Outcome, *structpb.Struct, error) {
	t.Helper()

	desired := map[string]*fnv1.Resource{"r": {Resource: r}}
	before := proto.CloneOf(r)
	cloud := proto.CloneOf(s.Observed["r"])

	out, err := stampAll(s, desired)

	if !proto.Equal(before, r) || !proto.Equal(cloud, s.Observed["r"]) {
		t.Fatalf("\nWhat is desired and observed should not change.\nStamp(...): -before, +after:\n%s",
			gocmp.Diff(before, r, protocmp.Transform())+gocmp.Diff(cloud, s.Observed["r"], protocmp.Transform()))
	}

	if err != nil {
		return nil, nil, err
	}

	if o, ok := out.Changed["r"]; ok {
		stamped := o.Struct()
		if proto.Equal(r, stamped) {
			t.Fatalf("\nA resource that is stamped should change.\nStamp(...): got %v", stamped)
		}

		return out, stamped, nil
	}

	return out, r, nil
}

// check fails the test unless Stamp and the rules agree on the world.
func (w world) check(t rapid.TB, kind string, s shape) {
	t.Helper()

	w = w.in(s)
	fold := profile.Of(w.provider).Fold
	want := w.becomes()
	r := thing(s.specOf(keysAndValues(w.before)))

	out, stamped, err := stampOnce(t, w.stamper(s), r)
	if (err != nil) != (want.conflict != "") || err != nil && !strings.Contains(err.Error(), `"`+want.conflict+`"`) {
		t.Fatalf("\nA conflict should be an error, and nothing else.\n%s: Stamp(%+v): want conflict %q, got %v", kind, w, want.conflict, err)
	}

	if err != nil {
		return
	}

	got := became{tags: make(map[string]string), active: make(map[string]string)}
	folded := func(keys []string) []string {
		out := slices.Clone(keys)
		for i := range out {
			out[i] = fold(out[i])
		}

		return slices.Compact(slices.Sorted(slices.Values(out)))
	}

	after := tagsOf(stamped, s)
	for i := 0; i < len(after); i += 2 {
		got.tags[fold(after[i])] = after[i+1]
	}

	if len(after) != 2*len(got.tags) {
		t.Fatalf("\nNo key should be there twice.\n%s: Stamp(%+v): got %v", kind, w, after)
	}

	for key, value := range out.Results[0].taggedBy() {
		got.active[fold(key)] = value
	}

	r0 := &out.Results[0]
	got.retained, got.ignored, got.removed = folded(r0.Keys(tags.Retained)), folded(r0.Keys(tags.Ignored)), folded(r0.Keys(tags.Removed))
	protected, _ := r0.Notes.Keys(NoteProtected)
	unkept, _ := r0.Notes.Keys(NoteUnkept)
	both, _ := r0.Notes.Keys(NoteRemoved)
	got.protected, got.unkept, got.both = folded(protected), folded(unkept), folded(both)

	for _, n := range r0.Notes {
		if n.Kind == NoteProtected || n.Kind == NoteUnkept || n.Kind == NoteRemoved {
			continue
		}

		for _, key := range n.Keys {
			got.notes = append(got.notes, fmt.Sprint(n.Kind, n.Manager, " ", fold(key)))
		}
	}

	for _, sk := range out.Skips {
		switch sk.Reason {
		case profile.CountCap:
			got.capped = append(got.capped, fold(sk.TagKey))
		case profile.ReservedKey:
			if sk.Limit == tags.TakenAwayLimit {
				got.taken = append(got.taken, sk.TagKey)
				continue
			}

			got.refused = append(got.refused, fold(sk.TagKey))
		case profile.ReservedPrefix, profile.KeyTooLong, profile.ValueTooLong, profile.KeyCharacterClass, profile.ValueCharacterClass, profile.KeyCollision:
			t.Fatalf("\nNo label should be skipped for another reason.\n%s: Stamp(%+v): got %+v", kind, w, sk)
		}
	}

	if diff := gocmp.Diff(want.sorted(), got.sorted(), gocmp.AllowUnexported(became{}), cmpopts.EquateEmpty()); diff != "" {
		t.Fatalf("\nWhat becomes of tags should be what the rules say.\n%s: Stamp(%+v): -want, +got:\n%s", kind, w, diff)
	}

	w.checkRest(t, kind, s, stamped)
}

// checkRest fails the test if a tag that nobody names is gone or elsewhere, or if there
// are more tags than the resource may have, though others have not set as many.
func (w world) checkRest(t rapid.TB, kind string, s shape, stamped *structpb.Struct) {
	t.Helper()

	fold := profile.Of(w.provider).Fold
	named := func(key string) bool {
		matches := func(k resolve.TagPattern) bool { return profile.NewKeySet(fold(k.Key)).Has(fold(key)) }
		isLabel := func(l tags.Label) bool { return fold(l.TagKey) == fold(key) }

		isReserved := func(p string) bool {
			p, key := strings.ToLower(p), strings.ToLower(key)
			return profile.NewKeySet(p).Has(key) || profile.NewKeySet("ours:"+p).Has(key)
		}

		return slices.ContainsFunc(w.reserved, isReserved) || slices.ContainsFunc(w.remove, matches) || slices.ContainsFunc(w.ignore, matches) || slices.ContainsFunc(w.labels, isLabel)
	}
	unnamed := func(list []string) []string {
		var out []string

		for i := 0; i < len(list); i += 2 {
			if !named(list[i]) {
				out = append(out, list[i], list[i+1])
			}
		}

		return out
	}

	after := tagsOf(stamped, s)
	if diff := gocmp.Diff(unnamed(keysAndValues(w.before)), unnamed(after)); diff != "" {
		t.Fatalf("\nTags that nobody names should stay, in their order.\n%s: Stamp(%+v): -want, +got:\n%s", kind, w, diff)
	}

	// Tags of others stay, too, unless they are replaced.
	all, was := make(map[string]bool), make(map[string]bool)

	for key := range w.before {
		was[fold(key)] = true
	}

	for i := 0; i < len(after); i += 2 {
		all[fold(after[i])] = true
	}

	more := 0

	for key, o := range w.others {
		switch isThere := w.strings && !slices.Contains(joinedPairs(after), key+"="+o.value); {
		case w.whole:
		case isThere:
			more++
		default:
			all[fold(key)], was[fold(key)] = true, true
		}
	}

	if n := len(all) + more; n > max(w.slots, len(was)+more) {
		t.Fatalf("\nNothing should exceed the cap.\n%s: Stamp(%+v): got %d tags", kind, w, n)
	}
}

func TestStampProperties(t *testing.T) {
	for kind, s := range shapes {
		t.Run(kind, func(t *testing.T) {
			rapid.Check(t, func(t *rapid.T) { worlds().Draw(t, "world").check(t, kind, s) })
		})
	}
}

// joinedPairs are keys and values, which come by turns, as a list of strings has them.
func joinedPairs(keysAndValues []string) []string {
	var out []string
	for i := 0; i < len(keysAndValues); i += 2 {
		out = append(out, keysAndValues[i]+"="+keysAndValues[i+1])
	}

	return out
}

// TestStampSettles tests that a resource stays as it is once it is observed with its tags.
func TestStampSettles(t *testing.T) {
	for kind, s := range shapes {
		t.Run(kind, func(t *testing.T) {
			rapid.Check(t, func(t *rapid.T) {
				w := worlds().Draw(t, "world")
				stamper := w.stamper(s)
				r := thing(s.specOf(keysAndValues(w.before)))

				var last *structpb.Struct

				// It is the same for ever once it is the same twice.
				for i := range 4 {
					_, stamped, err := stampOnce(t, stamper, r)
					if err != nil {
						return
					}

					// A tag that is removed with the cloud's value may come back once, with the label's value.
					if i > 2 && !proto.Equal(last, stamped) {
						t.Fatalf("\nA resource should settle.\n%s: Stamp(%+v): -the %d. time, +the next:\n%s", kind, w, i, gocmp.Diff(last, stamped, protocmp.Transform()))
					}

					last = stamped
					now := s.spec(tagsOf(stamped, s)...)
					stamper.Observed = map[string]*fnv1.Resource{"r": {Resource: observed(now, now)}}
				}
			})
		})
	}
}

// strange are pieces of strings in lists, and of keys and patterns, with many
// separators.
var strange = []string{"", "a", "b", "A", "=", "=", ":", "k8s:", "ours:", "owner", "Owner", "crossplane-kind", "aws:", "é", "x"}

// listed returns a spec or status whose tags are the strings.
func listed(texts []string) string {
	quoted := make([]string, len(texts))
	for i, s := range texts {
		quoted[i] = strconv.Quote(s)
	}

	return `{"tags": [` + strings.Join(quoted, ", ") + `]}`
}

// stringsIn returns the tags of r.
func stringsIn(r *structpb.Struct) []string {
	var out []string
	for _, item := range r.GetFields()["spec"].GetStructValue().GetFields()["tags"].GetListValue().GetValues() {
		out = append(out, item.GetStringValue())
	}

	return out
}

// A stringWorld is a list of strings, and what is to become of it.
type stringWorld struct {
	profile              *profile.Profile
	separator            string
	atomic               bool
	before, cloud, there []string
	labels               []tags.Label
	remove, ignore       []resolve.TagPattern
}

// keysIn returns all keys that s may be a tag of.
func (w stringWorld) keysIn(s string) []string {
	keys := []string{s}

	for i := range len(s) {
		if strings.HasPrefix(s[i:], w.separator) {
			keys = append(keys, s[:i])
		}
	}

	return keys
}

// is reports whether s may be a tag of the key.
func (w stringWorld) is(s, key string) bool {
	return slices.ContainsFunc(w.keysIn(s), func(k string) bool { return w.profile.Fold(k) == w.profile.Fold(key) })
}

// names reports whether any of the keys may be for s.
func (w stringWorld) names(keys []resolve.TagPattern, s string) bool {
	if w.is(s, "crossplane-kind") {
		return false
	}

	return slices.ContainsFunc(keys, func(k resolve.TagPattern) bool {
		return (!k.Untrusted || !w.is(s, "owner")) && slices.ContainsFunc(w.keysIn(s), func(key string) bool {
			return profile.NewKeySet(w.profile.Fold(k.Key)).Has(w.profile.Fold(key))
		})
	})
}

// reserves reports whether s may be a tag of the reserved key.
func (w stringWorld) reserves(s string) bool {
	return slices.ContainsFunc(w.keysIn(s)[1:], func(key string) bool { return strings.EqualFold(key, "owner") || strings.EqualFold(key, "ours:owner") })
}

// labelled reports whether s may be the tag of a label.
func (w stringWorld) labelled(s string) bool {
	return slices.ContainsFunc(w.labels, func(l tags.Label) bool { return w.is(s, l.TagKey) })
}

// check fails the test if the strings after can't be what became of the world, whose
// resource has so many slots.
func (w stringWorld) check(t rapid.TB, slots int, after []string) {
	t.Helper()

	unnamed := func(list []string) []string {
		return slices.DeleteFunc(slices.Clone(list), func(s string) bool {
			return !slices.Contains(w.before, s) || w.reserves(s) || w.names(w.remove, s) || w.names(w.ignore, s) || w.labelled(s)
		})
	}

	want, got := unnamed(w.before), unnamed(after)
	if w.atomic {
		slices.Sort(want)
		slices.Sort(got)
	}

	if diff := gocmp.Diff(want, got, cmpopts.EquateEmpty()); diff != "" {
		t.Fatalf("\nStrings that nobody names should stay, in their order.\nStamp(%+v): -want, +got:\n%s", w, diff)
	}

	count := func(list []string, s string) int {
		return len(slices.DeleteFunc(slices.Clone(list), func(o string) bool { return o != s }))
	}

	others := len(w.before)

	for _, s := range after {
		if n := count(after, s); n > max(1, count(w.before, s)) {
			t.Fatalf("\nNo string should be there twice because of us.\nStamp(%+v): got %q", w, after)
		}

		if slices.Contains(w.before, s) {
			continue
		}

		fromCloud := slices.Contains(w.cloud, s) && w.names(w.ignore, s) && !w.profile.Reserves(s)
		kept := w.atomic && slices.Contains(w.there, s) && strings.HasPrefix(w.profile.Fold(s), "crossplane-kind"+w.separator)

		if !fromCloud && !kept && !w.labelled(s) {
			t.Fatalf("\nA string should come from somewhere.\nStamp(%+v): got %q", w, s)
		}

		if kept {
			others++
		}
	}

	if len(after) > max(slots, others) {
		t.Fatalf("\nLabels should not exceed the cap of %d.\nStamp(%+v): got %q", slots, w, after)
	}
}

// TestStampStrings tests lists of strings with separators everywhere, and twice what is
// there once.
func TestStampStrings(t *testing.T) {
	pieces := rapid.Map(rapid.SliceOfN(rapid.SampledFrom(strange), 0, 4), func(p []string) string { return strings.Join(p, "") })

	patterns := rapid.Custom(func(t *rapid.T) string {
		return pieces.Draw(t, "piece") + rapid.SampledFrom([]string{"", "*"}).Draw(t, "star")
	}).Filter(func(p string) bool { return p != "" })

	rapid.Check(t, func(t *rapid.T) {
		provider := rapid.SampledFrom([]string{"aws", "azure", "digitalocean", "openstack"}).Draw(t, "provider")
		slots := rapid.IntRange(0, 8).Draw(t, "slots")
		policy := rapid.SampledFrom([]tags.Conflict{tags.Retain, tags.Replace}).Draw(t, "policy")

		w := stringWorld{
			profile:   profile.Of(provider),
			separator: rapid.SampledFrom([]string{"=", ":", "==", "::"}).Draw(t, "separator"),
			atomic:    rapid.Bool().Draw(t, "atomic"),
			before:    rapid.SliceOfN(pieces, 0, 6).Draw(t, "before"),
			cloud:     rapid.SliceOfN(pieces, 0, 6).Draw(t, "cloud"),
			there:     rapid.SliceOfN(pieces, 0, 3).Draw(t, "there"),
		}

		for _, key := range rapid.SliceOfNDistinct(pieces, 0, 4, rapid.ID[string]).Draw(t, "labels") {
			l := label(key, pieces.Draw(t, "value"))
			l.Trusted = rapid.Bool().Draw(t, "trusted")
			w.labels = append(w.labels, l)
		}

		for _, list := range []*[]resolve.TagPattern{&w.remove, &w.ignore} {
			for range rapid.IntRange(0, 3).Draw(t, "patterns") {
				*list = append(*list, resolve.TagPattern{
					Key:       patterns.Draw(t, "pattern"),
					Untrusted: rapid.Bool().Draw(t, "untrusted"),
					Retain:    rapid.Bool().Draw(t, "retain"),
				})
			}
		}

		f := stringsOf(w.separator)
		f.Atomic = w.atomic

		_, stamped, err := stampOnce(t, &Stamper{
			Finder: locate.Finder{
				Input: &v1beta1.CloudTags{
					Sources:      []v1beta1.Source{{OnConflict: policy}},
					ReservedTags: map[string]v1beta1.TagCount{provider: v1beta1.TagCount(w.profile.MaxTags - slots)}, //nolint:gosec // At most 50.
				},
				Provider:   provider,
				NewLocator: everywhere(f),
				Observed:   map[string]*fnv1.Resource{"r": {Resource: observed(listed(w.there), listed(w.cloud))}},
			},
			Transformer: reserving([]string{"owner"}, under(policy, w.labels...)...),
			RemoveTags:  w.remove,
			IgnoreTags:  w.ignore,
		}, thing(listed(w.before)))
		if errors.As(err, new(*LimitError)) {
			return
		}

		if err != nil {
			t.Fatalf("Stamp(%+v): %s", w, err)
		}

		w.check(t, slots, stringsIn(stamped))
	})
}
