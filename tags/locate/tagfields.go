package locate

import (
	"slices"

	"github.com/plexsphere/function-cloud-tags/tags/field"
	"github.com/plexsphere/function-cloud-tags/tags/object"
	"github.com/plexsphere/function-cloud-tags/tags/words"
)

// A WaysToTags says what a text means for the tags of a resource if it is written to a map of the resource.
type WaysToTags struct {
	// Field is the tag field in which the text becomes a tag, or nil if the map is none.
	Field *field.Field

	// keys are the keys of the map below which a tag field begins, such as an annotation that is one string of tags.
	keys []string

	// isInside reports whether the map is a part of a tag field, such as an item of a list of keys and values.
	isInside bool
}

// IsTagField reports whether a text at the key of the map would replace a tag field, or change a part of one, instead of becoming a tag.
func (w *WaysToTags) IsTagField(key string) bool { return w.isInside || slices.Contains(w.keys, key) }

// IsEmpty reports whether no text in the map has anything to do with tags.
func (w *WaysToTags) IsEmpty() bool { return w.Field == nil && len(w.keys) == 0 && !w.isInside }

// WaysToTagsAt returns what texts in the map at the path mean for the tags of t. It knows every tag field that anybody knows of the kind of t:
// by tagFields, by the index, and by schemas that other targets needed. It doesn't matter whether the input selects t, and
// whether the function writes the field.
func (ts *Targets) WaysToTagsAt(t *Target, path object.Path) WaysToTags {
	var out WaysToTags

	names := fieldNames(path)
	segments := path.Segments()
	isItem := len(segments) > 0 && isPosition(segments[len(segments)-1]) // No tag field is an item of a list.

	for i, f := range ts.tagFieldsOf(t.Kind) {
		common := 0
		for common < min(len(names), len(f.names)) && names[common] == f.names[common] {
			common++
		}

		switch {
		case common == len(names) && common == len(f.names) && !isItem:
			out.Field = &ts.tagFields[t.Kind][i].Field
		case common == len(f.names):
			out.isInside = true
		case common == len(names):
			out.keys = append(out.keys, f.names[common])
		}
	}

	return out
}

// A tagField is a field that may hold tags, with the fieldNames of its path.
type tagField struct {
	field.Field

	names []string
}

// tagFieldsOf returns all fields of the kind that may hold tags.
func (ts *Targets) tagFieldsOf(k *TargetKind) []tagField {
	if out, ok := ts.tagFields[k]; ok {
		return out
	}

	all := field.AllFields(k.Kind)

	if f, ok := ts.overrides.Locate(k.Kind); ok && f.Shape != field.None {
		all = append(all, f)
	}

	if k.place != nil && k.place.NoFieldReason == None {
		all = append(all, *k.place.Field)
	}

	out := words.Map(all, func(f field.Field) tagField { return tagField{Field: f, names: fieldNames(f.Path)} })
	ts.tagFields[k] = out

	return out
}

// isPosition reports whether the segment stands for an item of a list, or for each item.
func isPosition(s object.Segment) bool { return s.IsIndex || s.Field == "*" }

// fieldNames returns the names of the fields on the path, without the positions of items: spec, forProvider and tags for
// spec.forProvider.tags. Providers merge spec.initProvider below spec.forProvider, so its fields have the same names.
func fieldNames(path object.Path) []string {
	out := words.MapIf(path.Segments(), func(s object.Segment) (string, bool) { return s.Field, !isPosition(s) })

	if len(out) > 1 && out[0] == "spec" && out[1] == "initProvider" {
		out[1] = "forProvider"
	}

	return out
}
