package tagset

import (
	"fmt"
	"iter"
	"regexp"
	"strings"
	"unicode"

	"github.com/crossplane/function-sdk-go/errors"

	"github.com/plexsphere/function-cloud-tags/tags/object"
	"github.com/plexsphere/function-cloud-tags/tags/profile"
)

// escape makes the next character an ordinary one for the AWS Load Balancer Controller. A delimiter after a backslash
// doesn't end an entry.
const escape = '\\'

// escapes matches each backslash that escapes a character, and this character.
var escapes = regexp.MustCompile(`(?s)\\(.)`)

// MaxJoined is the most bytes of a joined string. A longer one isn't cut: it is one opaque entry, in which any key may be.
const MaxJoined = 64 << 10

// joined is the shape of one string of entries, such as env:prod;team:a. This string has the delimiter ; between entries,
// and the separator : after each key. The first separator of an entry ends the key. Space around an entry, a key or a
// value doesn't count, and entries of space alone are left out. Other entries without a key are opaque.
//
// The controllers that use such strings read some of them in different ways. So an entry has all keys that any of them
// may find: see possibleKeys.
type joined struct{ base }

// read returns an entry for each part of the string: env=prod,team=a has the tags env: prod and team: a.
func (j joined) read(n object.Node) ([]Entry, error) {
	if n.IsThere() && !n.IsString() {
		return nil, errors.Errorf("%s is %s, not a string of tags", j.field.Path, n.Kind())
	}

	text := n.Text()
	if len(text) > MaxJoined {
		return []Entry{{Item: n, text: text, Opaque: true, isUncut: true}}, nil
	}

	entries := make([]Entry, 0, strings.Count(text, j.field.Delimiter)+1+j.keys.tagCount)
	last, rest, start := "", text, 0

	for more := text != ""; more; {
		last, rest, more = cutUnescaped(rest, j.field.Delimiter)
		if strings.TrimSpace(last) != "" {
			entries = append(entries, j.entry(n.Part(start, start+len(last)), last))
		}

		start += len(last) + len(j.field.Delimiter)
	}

	// Another entry can follow only if a delimiter after the last entry ends exactly this entry. After a backslash, the
	// delimiter would become a part of the entry.
	entry, rest, isCut := cutUnescaped(last+j.field.Delimiter, j.field.Delimiter)
	if canFollow := isCut && entry == last && rest == ""; !canFollow {
		return nil, errors.Errorf("%s ends with a backslash or a part of %q, so that no other tag can follow", j.field.Path, j.field.Delimiter)
	}

	return entries, nil
}

// entry returns the entry for a part of the string. The item is the part as a Node, and text is its text.
func (j joined) entry(item object.Node, text string) Entry {
	e := Entry{Item: item, text: text, Opaque: true, possibleKeys: j.keys.possibleKeys(text)}

	key, value, hasSeparator := strings.Cut(text, j.field.Separator)

	key = strings.TrimSpace(key)
	if key == "" || !hasSeparator {
		return e
	}

	e.ID, e.Key, e.Opaque = j.keys.ID(key), key, false

	// The value is a part of the item, without the space around it.
	start := len(text) - len(strings.TrimLeftFunc(value, unicode.IsSpace))
	e.Value = item.Part(start, start+len(strings.TrimSpace(value)))

	return e
}

// possibleKeys returns the keys that controllers may find in an entry of a joined string, or nil if all of them find the
// same key. The controllers differ:
//   - The AWS cloud provider (getKeyValuePropertiesFromAnnotation) and older controllers know no backslash, and take a
//     text without a separator for a key.
//   - The AWS Load Balancer Controller doesn't cut at a delimiter or separator after a backslash. It removes the
//     backslash.
//
// So the entry a\:b:c has the keys a\ and a:b.
func (k *FieldKind) possibleKeys(entry string) []string {
	isPlain := !strings.Contains(entry, k.Delimiter) && !strings.ContainsRune(entry, escape)
	key := strings.TrimSpace(entry)

	switch {
	case isPlain && strings.Contains(entry, k.Separator):
		return nil
	case isPlain && key != "":
		return []string{key}
	}

	var keys []string

	for _, text := range append(strings.Split(entry, k.Delimiter), entry) {
		simple, _, _ := strings.Cut(text, k.Separator)
		escaped, _, _ := cutUnescaped(text, k.Separator)

		for _, key := range []string{simple, escapes.ReplaceAllString(simple, "$1"), escapes.ReplaceAllString(escaped, "$1")} {
			if key = strings.TrimSpace(key); key != "" {
				keys = append(keys, key)
			}
		}
	}

	return keys
}

func (j joined) write(entries iter.Seq[*Entry], n int) object.Node {
	texts := make([]string, 0, n)
	for e := range entries {
		texts = append(texts, e.text)
	}

	return object.TextNode(strings.Join(texts, j.field.Delimiter))
}

// cutUnescaped cuts the text as strings.Cut does, but at the first separator without a backslash before it.
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

// refusesJoined is Refuses for a joined string. Each controller must read the tag as it was written. So neither the key
// nor the value may have a separator, a delimiter, a backslash, or space at its ends. The AWS cloud provider cuts even
// values at separators.
func (k *FieldKind) refusesJoined(key, value string) (reason profile.SkipReason, limit string) {
	limit = fmt.Sprintf("allowed in one string of tags: no %q, %q or backslash, and no space at the ends", k.Separator, k.Delimiter)

	// A separator can begin at the end of the key, and continue after it. A delimiter can begin at the end of the value.
	readKey, _, _ := strings.Cut(key+k.Separator, k.Separator)
	if key == "" || readKey != key || !k.isPlain(key) {
		return profile.KeyCharacterClass, limit
	}

	entry := key + k.Separator + value

	readEntry, _, _ := cutUnescaped(entry+k.Delimiter, k.Delimiter)
	if readEntry != entry || !k.isPlain(value) {
		return profile.ValueCharacterClass, limit
	}

	return "", ""
}

// isPlain reports whether the text, a key or a value, has no separator, delimiter or backslash, and no space at its ends.
func (k *FieldKind) isPlain(text string) bool {
	return !strings.Contains(text, k.Separator) && !strings.Contains(text, k.Delimiter) &&
		!strings.ContainsRune(text, escape) && strings.TrimSpace(text) == text
}
