package tagset

import (
	"iter"
	"slices"
	"strings"

	"github.com/plexsphere/function-cloud-tags/tags/object"
)

// bareSuffix is the end of the IDs of strings without a value, such as legacy. No key has this character.
const bareSuffix = "\x00"

// stringList is the shape of a list of strings. A string is a key, the separator and a value, or a key alone: [env=prod,
// legacy]. Strings that are no tags by Keys are opaque.
type stringList struct{ base }

// read returns an entry for each string. If env is in Keys, env=prod is the tag env: prod.
func (l stringList) read(n object.Node) ([]Entry, error) {
	return l.readItems(n, "a string", object.Node.IsString, func(item object.Node) Entry {
		s := item.Text()
		e := Entry{Item: item, text: s, Opaque: true, separator: l.field.Separator}

		if key, ok := l.keyOf(s); ok {
			e.ID, e.Key, e.Opaque = l.keys.ID(key), key, false
			e.Value = item.Part(len(key)+len(l.field.Separator), len(s))
		} else if l.keys.Patterns.Has(s) {
			e.ID, e.Key, e.Opaque = l.keys.Profile.Fold(s)+bareSuffix, s, false
		}

		return e
	})
}

// keyOf returns the key of the string s, and whether s is a tag with a value. If a and a=b are Known, a=b=c has the longer
// key a=b.
func (l stringList) keyOf(s string) (key string, ok bool) {
	// The last of the keys is the longest one.
	for key = range l.keys.Known.Of(s, l.field.Separator) {
		ok = true
	}

	if ok {
		return key, true
	}

	if l.keys.Prefixes.Has(s) {
		return l.keys.Prefixes.ShortestKey(s, l.field.Separator)
	}

	return l.keys.Patterns.ShortestKey(s, l.field.Separator)
}

func (l stringList) write(entries iter.Seq[*Entry], n int) object.Node {
	if l.field.Sorted {
		entries = slices.Values(slices.SortedStableFunc(entries, func(a, b *Entry) int { return strings.Compare(a.String(), b.String()) }))
	}

	return l.base.write(entries, n)
}
