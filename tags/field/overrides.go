package field

import (
	"cmp"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/plexsphere/function-cloud-tags/input/v1beta1"
	"github.com/plexsphere/function-cloud-tags/tags/object"
	"github.com/plexsphere/function-cloud-tags/tags/profile"
	"github.com/plexsphere/function-cloud-tags/tags/words"
)

// Overrides locate the tag fields of kinds by tagFields of the input.
type Overrides struct {
	// Schemas say whether server-side apply replaces a list as a whole, since tagFields can't say so.
	// Only the schemas of kinds are asked for that the built-in index lacks. Nil asks for nothing.
	Schemas *Schemas

	entries []override
}

type override struct {
	apiVersion, kind profile.Pattern

	// field that the entry gives. A field without a shape stands for the known field of the kind.
	field Field
}

// fixedParameters are the kinds whose parameters the API server lets nobody change.
var fixedParameters = []schema.GroupKind{
	{Group: "storage.k8s.io", Kind: "StorageClass"},
	{Group: "storage.k8s.io", Kind: "VolumeAttributesClass"},
	{Group: "groupsnapshot.storage.k8s.io", Kind: "VolumeGroupSnapshotClass"},
}

// NewOverrides returns the Overrides for tagFields of the input.
func NewOverrides(tagFields []v1beta1.TagField) *Overrides {
	return &Overrides{entries: words.Map(tagFields, func(tf v1beta1.TagField) override {
		return override{apiVersion: tf.APIVersion, kind: tf.Kind, field: FromTagField(&tf)}
	})}
}

// ForInput returns the Locator of tag fields for the input. The first answer wins: an entry of
// tagFields, the built-in index, the schema of the kind, and the usual field of its provider. With fieldDiscovery: Schema,
// the schema comes before the index.
func ForInput(in *v1beta1.CloudTags, schemas Schemas) Locator {
	overrides := NewOverrides(in.TagFields)
	overrides.Schemas = &schemas

	if in.FieldDiscovery == v1beta1.FieldDiscoverySchema {
		return Chain{overrides, schemas, BuiltIn(), ByProfile{}}
	}

	return Chain{overrides, BuiltIn(), schemas, ByProfile{}}
}

// FromTagField returns the tag field of the entry tf for a kind without other facts. It has no shape if
// the entry asks for the known field of a kind.
func FromTagField(tf *v1beta1.TagField) Field {
	f := Field{Layout: Layout{Shape: Shape(tf.Shape)}, Path: tf.FieldPath, EntryProvider: tf.Provider}

	// Managed resources report tags at the path at which they ask for them.
	if path, ok := strings.CutPrefix(tf.FieldPath.String(), forProvider); ok {
		f.Observed = []object.Path{object.MustParsePath(atProvider + path)}
	}

	if l := tf.KeyValueList; l != nil {
		f.Key, f.Value, f.Extra = l.Key, l.Value, l.Extra
	}

	if l := tf.StringList; l != nil {
		f.Separator, f.MaxLength = l.Separator, int(l.MaxLength)
	}

	// Server-side apply knows no parts of a string.
	if j := tf.Joined; j != nil {
		f.Separator, f.Delimiter, f.Atomic = j.Separator, j.Delimiter, true
	}

	return f
}

// ToTagField returns the entry of tagFields that gives the tag field f to the kind. It returns false if no entry can, since entries
// have no shape MapOfLists. It also returns false if f is on request.
func ToTagField(k schema.GroupVersionKind, f Field) (v1beta1.TagField, bool) {
	tf := v1beta1.TagField{
		APIVersion: profile.Pattern(k.GroupVersion().String()), Kind: profile.Pattern(k.Kind), FieldPath: f.Path, Shape: v1beta1.Shape(f.Shape),
	}

	switch f.Shape {
	case KeyValueList:
		tf.KeyValueList = &v1beta1.KeyValueList{KeyValueFields: v1beta1.KeyValueFields{Key: f.Key, Value: f.Value}, Extra: f.Extra}
	case StringList:
		tf.StringList = &v1beta1.StringList{Separator: f.Separator, MaxLength: int32(f.MaxLength)} //nolint:gosec // It came from one, or from a schema's 255.
	case Joined:
		tf.Joined = &v1beta1.Joined{Separator: f.Separator, Delimiter: f.Delimiter}
	case MapOfLists:
		return tf, false
	case Map, Labels, None:
	}

	return tf, !f.OnRequest
}

// Locate returns the tag field of the kind by the first entry that matches it.
func (r *Overrides) Locate(k Kind) (Field, bool) {
	if len(r.entries) == 0 {
		return Field{}, false // Most inputs have no entries, and need no text to match.
	}

	apiVersion := k.GroupVersion().String() // A text of its own for each of thousands of entries would take long.

	for i := range r.entries {
		rl := &r.entries[i]
		if !rl.apiVersion.Matches(apiVersion) || !rl.kind.Matches(k.Kind) {
			continue
		}

		switch {
		case rl.field.Shape != "":
			return r.learn(rl.field, k), true
		case profile.IsSecondSystem(rl.field.EntryProvider):
			return r.second(rl.field, k)
		case !k.Wraps.Empty():
			return r.wrapped(rl.field, k)
		default:
			return r.known(rl.field, k)
		}
	}

	return Field{}, false
}

// known returns the known tag field of the kind, for the field asked of an entry without a shape.
func (r *Overrides) known(asked Field, k Kind) (Field, bool) {
	f, ok := BuiltIn().Known(k.GroupVersionKind)

	// A schema tells nothing of kinds that are no resources of a cloud, or that could be anything.
	fam, _ := familyOf(k.GroupKind())
	tells := fam.Profile != "" && (fam != unknown || k.Managed)

	if !ok && tells && r.Schemas != nil {
		s := r.Schemas.Of(k.GroupVersionKind)
		f, ok = Read(k.GroupVersionKind, s), s.IsObject()
	}

	f.EntryProvider, f.EntryLacksPath = asked.EntryProvider, true

	return f, ok
}

// wrapped returns the tag field of the manifest in resources of the kind, for the field asked of an entry
// without a shape.
func (r *Overrides) wrapped(asked Field, k Kind) (Field, bool) {
	f, ok := Chain{r, BuiltIn()}.Locate(Kind{GroupVersionKind: k.Wraps})
	if !ok {
		return Field{Layout: Layout{Shape: None}, EntryLacksPath: true}, true
	}

	f = f.wrapped()
	f.EntryProvider = cmp.Or(asked.EntryProvider, f.EntryProvider)

	return f, true
}

// handsOn returns f, by which an entry hands labels on to resources of the kind, unless their schema lacks the field.
// Schemas say nothing of metadata.
func (r *Overrides) handsOn(f Field, k Kind) Field {
	if r.Schemas == nil || f.Path.Segments()[0].Field == "metadata" {
		return f
	}

	if s := r.Schemas.Of(k.GroupVersionKind); s.IsObject() && !takesLabels(s, f.Path) {
		return Field{Layout: Layout{Shape: None}, UndeclaredPath: f.Path.String()}
	}

	return f
}

// learn returns the field f, which an entry gives to the kind, with all other facts on the field.
func (r *Overrides) learn(f Field, k Kind) Field {
	switch f.Shape {
	case None:
		return f
	case Labels:
		return r.handsOn(f, k)
	case Map, MapOfLists, KeyValueList, StringList, Joined:
	}

	// A missing or an empty field has different results by provider.
	fam, service := familyOf(k.GroupKind())
	fam.complete(&f, fam.filling(service, k.Kind))

	// The API server lets nobody change parameters of these kinds.
	f.Fixed = slices.Contains(fixedParameters, k.GroupKind()) && f.Path.Segments()[0].Field == "parameters"

	// Releases may not agree on the field. An entry with its path means that the release in the cluster has the field.
	known := BuiltIn().at(k.GroupVersionKind, f.Path)

	// Only lists need their schema: a map is hardly ever atomic, and a string always is.
	form := f.Form()
	if _, ok := BuiltIn().Locate(k); !ok && !form.IsMap && !form.IsJoined && r.Schemas != nil {
		if s := r.Schemas.Of(k.GroupVersionKind); s.IsObject() {
			known = Read(k.GroupVersionKind, s)

			if t := typeAt(s, f.Path); t.Shape == f.Shape {
				f.Atomic = t.Atomic
			}
		}
	}

	if !known.Path.Equal(f.Path) || known.Shape != f.Shape || known.Key != f.Key || known.Value != f.Value {
		return f
	}

	f.Atomic, f.Observed, f.Fixed, f.Immutable = known.Atomic, known.Observed, f.Fixed || known.Fixed, known.Immutable

	// Only older releases refuse changes. An override of this field means that the cluster runs a newer one.
	if refuses, older := fam.refuses(service, k.GroupKind()); refuses && older {
		f.Immutable = false
	}

	if f.Extra == nil {
		f.Extra = known.Extra
	}

	return f
}
