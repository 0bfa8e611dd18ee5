package tagset

import (
	"fmt"
	"iter"
	"strings"
	"unicode"

	"github.com/crossplane/function-sdk-go/errors"

	"github.com/plexsphere/function-cloud-tags/tags/field"
	"github.com/plexsphere/function-cloud-tags/tags/object"
	"github.com/plexsphere/function-cloud-tags/tags/profile"
)

// escape takes its meaning from the next character where the AWS Load Balancer Controller reads a string: a delimiter
// after a backslash delimits nothing.
const escape = '\\'

// joined is one string of entries, such as env:prod;team:a, with a delimiter between entries and a separator after each
// key. The first separator ends a key. Readers of such strings ignore space around an entry, a key and a value, and
// entries of nothing but space. Other entries without a key are opaque. The AWS cloud provider takes a string without a
// separator for a key, and other drivers fail at it: nobody can say which tag it is. So an entry has all keys that any
// reader may find.
type joined struct {
	field *field.Field
	keys  *Keys
}

// read returns an entry for each part of the string: env=prod,team=a has the tags env: prod and team: a.
func (j joined) read(n object.Node) ([]Entry, error) {
	text, ok := textOf(n)
	if !ok {
		return nil, errors.Errorf("%s is %s, not a string of tags", j.field.Path, n.Kind())
	}

	out := make([]Entry, 0, strings.Count(text, j.field.Delimiter)+1+j.keys.tags)
	last, at := "", 0

	for more := text != ""; more; at += len(last) + len(j.field.Delimiter) {
		if last, text, more = j.keys.cutJoined(text); strings.TrimSpace(last) != "" {
			out = append(out, j.entry(n.Part(at, at+len(last)), last))
		}
	}

	// The next entry would be a part of this one, as after a backslash.
	if entry, rest, ok := j.keys.cutJoined(last + j.field.Delimiter); !ok || entry != last || rest != "" {
		return nil, errors.Errorf("%s ends with a backslash or a part of %q, so that no other tag can follow", j.field.Path, j.field.Delimiter)
	}

	return out, nil
}

// textOf returns the string n, or an empty string if n is missing, and whether n is one of these.
func textOf(n object.Node) (string, bool) {
	if !n.IsThere() {
		return "", true
	}

	return n.Text(), n.IsString()
}

// entry returns the entry with the text, which is the text of the item.
func (j joined) entry(item object.Node, text string) Entry {
	e := Entry{Item: item, text: text, Opaque: true, readings: j.keys.readings(text)}

	key, value, ok := strings.Cut(text, j.field.Separator)
	if key = strings.TrimSpace(key); ok && key != "" {
		e.ID, e.Key, e.Opaque = j.keys.ID(key), key, false
		from := len(text) - len(strings.TrimLeftFunc(value, unicode.IsSpace))
		e.Value = item.Part(from, from+len(strings.TrimSpace(value)))
	}

	return e
}

// readings returns the keys that readers of a joined string may find in an entry, or none if all readers find the same
// key. The AWS cloud provider (getKeyValuePropertiesFromAnnotation) and older controllers cut at each delimiter, and
// take a text without a separator for a key. The AWS Load Balancer Controller cuts neither at a delimiter nor at a
// separator after a backslash, and takes the backslash away. So the entry a\:b:c has the keys a\ and a:b.
func (k *FieldKind) readings(entry string) []string {
	if strings.Contains(entry, k.Separator) && !strings.Contains(entry, k.Delimiter) && !strings.ContainsRune(entry, escape) {
		return nil
	}

	var out []string

	for _, text := range append(strings.Split(entry, k.Delimiter), entry) {
		plain, _, _ := strings.Cut(text, k.Separator)
		escaped, _, _ := cutUnescaped(text, k.Separator)

		for _, key := range []string{plain, unescaped(plain), unescaped(escaped)} {
			if key = strings.TrimSpace(key); key != "" {
				out = append(out, key)
			}
		}
	}

	return out
}

// unescaped returns text without backslashes that escape the next character: a\:b becomes a:b.
func unescaped(text string) string {
	b := strings.Builder{}

	for i := 0; i < len(text); i++ {
		if text[i] == escape && i+1 < len(text) {
			i++
		}

		b.WriteByte(text[i])
	}

	return b.String()
}

func (j joined) write(entries iter.Seq[*Entry], n int) object.Node {
	texts := make([]string, 0, n)
	for e := range entries {
		texts = append(texts, e.text)
	}

	return object.TextNode(strings.Join(texts, j.field.Delimiter))
}

func (j joined) take(_ *Entry, e Entry) Entry { return e }

// cutJoined returns the first entry of the joined string text, the rest after its delimiter, and whether there is a
// rest.
func (k *FieldKind) cutJoined(text string) (entry, rest string, more bool) {
	return cutUnescaped(text, k.Delimiter)
}

// cutUnescaped is strings.Cut around the first separator without a backslash before it.
func cutUnescaped(text, separator string) (before, after string, found bool) {
	for i := 0; i < len(text); i++ {
		switch {
		case text[i] == escape:
			i++
		case strings.HasPrefix(text[i:], separator):
			return text[:i], text[i+len(separator):], true
		}
	}

	return text, "", false
}

// refusesJoined is Refuses for a joined string: each reader has to find the tag that was written. The AWS cloud
// provider cuts values at each separator. The AWS Load Balancer Controller takes a backslash away, and the meaning of
// the next character.
func (k *FieldKind) refusesJoined(key, value string) (reason profile.SkipReason, limit string) {
	limit = fmt.Sprintf("allowed in one string of tags: no %q, %q or backslash, and no space at the ends", k.Separator, k.Delimiter)

	if key == "" || !k.fitsJoined(key) || strings.Index(key+k.Separator, k.Separator) != len(key) {
		return profile.KeyCharacterClass, limit
	}

	entry := key + k.Separator + value
	if first, _, _ := k.cutJoined(entry + k.Delimiter); first != entry || !k.fitsJoined(value) {
		return profile.ValueCharacterClass, limit
	}

	return "", ""
}

// fitsJoined reports whether the text, a key or a value, has no character with a meaning in a joined string.
func (k *FieldKind) fitsJoined(text string) bool {
	return !strings.Contains(text, k.Separator) && !strings.Contains(text, k.Delimiter) &&
		!strings.ContainsRune(text, escape) && strings.TrimSpace(text) == text
}
