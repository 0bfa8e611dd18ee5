package tagset

import (
	"fmt"
	"iter"
	"strings"

	"github.com/crossplane/function-sdk-go/errors"

	"github.com/plexsphere/function-cloud-tags/tags/field"
	"github.com/plexsphere/function-cloud-tags/tags/object"
	"github.com/plexsphere/function-cloud-tags/tags/profile"
)

// escape takes its meaning from the character behind it where the AWS Load Balancer Controller
// reads a string: a delimiter behind one delimits nothing.
const escape = '\\'

// joined is one string of entries with a delimiter between them, of key, separator and value.
// The key ends at the first separator. Readers of such strings ignore space around an entry, a key and
// a value, and entries of nothing but space. Others
// without a key are opaque. The AWS cloud provider takes a string without a separator for a key,
// and other drivers fail at it: nobody can say what it is. So an entry has all keys that any of
// them may read.
type joined struct {
	field *field.Field
	keys  *Keys
}

func (j joined) read(n object.Node) ([]Entry, error) {
	text, ok := textOf(n)
	if !ok {
		return nil, errors.Errorf("%s is %s, not a string of tags", j.field.Path, n.Kind())
	}

	out := make([]Entry, 0, strings.Count(text, j.field.Delimiter)+1+j.keys.tags)
	last := ""

	for more := text != ""; more; {
		if last, text, more = j.keys.cutJoined(text); strings.TrimSpace(last) != "" {
			out = append(out, j.entry(last))
		}
	}

	// What would be added behind that would be a part of it.
	if entry, rest, ok := j.keys.cutJoined(last + j.field.Delimiter); !ok || entry != last || rest != "" {
		return nil, errors.Errorf("%s ends in a way that takes away the meaning of a %q behind it", j.field.Path, j.field.Delimiter)
	}

	return out, nil
}

// textOf the value n, which is empty if it isn't there. It is false if it's no string.
func textOf(n object.Node) (string, bool) {
	if !n.IsThere() {
		return "", true
	}

	return n.Text(), n.IsString()
}

// entry that the text is.
func (j joined) entry(text string) Entry {
	e := Entry{Item: object.TextNode(text), text: text, Opaque: true, readings: j.keys.readings(text)}

	key, value, ok := strings.Cut(text, j.field.Separator)
	if key = strings.TrimSpace(key); ok && key != "" {
		e.ID, e.Key, e.Opaque = j.keys.ID(key), key, false
		e.Value = object.TextNode(strings.TrimSpace(value))
	}

	return e
}

// readings returns the keys that those who read a joined string may find in an entry, or none if
// all of them find the same. The AWS cloud provider (getKeyValuePropertiesFromAnnotation) and older
// controllers cut at each delimiter, whatever is before it, and take what has no separator for a
// key. The AWS Load Balancer Controller cuts neither at a delimiter nor at a separator behind a
// backslash, and takes the backslash away.
func (k *Kind) readings(entry string) []string {
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

// unescaped returns text without the backslashes that give what follows them another meaning.
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

// cutJoined returns the first entry of the joined string text and the rest behind its
// delimiter, and false if it's the last one.
func (k *Kind) cutJoined(text string) (entry, rest string, more bool) {
	return cutUnescaped(text, k.Delimiter)
}

// cutUnescaped is strings.Cut around the first separator that is not behind a backslash.
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

// refusesJoined is Refuses for a joined string: what is read of an entry has to be what was
// written, whoever reads it. The AWS cloud provider cuts values at each separator, and the AWS
// Load Balancer Controller takes a backslash away, and the meaning of what is behind it.
func (k *Kind) refusesJoined(key, value string) (reason profile.SkipReason, limit string) {
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

// fitsJoined is true if the text, a key or a value, has nothing that means something in a joined
// string.
func (k *Kind) fitsJoined(text string) bool {
	return !strings.Contains(text, k.Separator) && !strings.Contains(text, k.Delimiter) &&
		!strings.ContainsRune(text, escape) && strings.TrimSpace(text) == text
}
