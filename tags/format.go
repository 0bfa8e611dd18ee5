package tags

import (
	"cmp"
	"maps"
	"slices"
	"strings"
)

// A Format makes keys legal for a provider. The zero Format leaves them as they
// are.
type Format struct {
	prefix   *string
	replace  map[string]string
	replacer *strings.Replacer
	lower    bool
}

// NewFormat returns a Format of keys. They start with the supplied prefix instead of
// the key prefix if it isn't nil, but keys that came unprefixed get none. Then all
// the strings to replace are replaced in the whole key in one pass. Where several
// match, it is the longest. Then the key is put in lower case, if it's to be.
func NewFormat(prefix *string, replace map[string]string, lower bool) Format {
	f := Format{prefix: prefix, replace: replace, lower: lower}

	if len(replace) == 0 {
		return f
	}

	olds := slices.SortedFunc(maps.Keys(replace), func(a, b string) int {
		return cmp.Or(cmp.Compare(len(b), len(a)), strings.Compare(a, b))
	})

	pairs := make([]string, 0, 2*len(olds))
	for _, old := range olds {
		pairs = append(pairs, old, replace[old])
	}

	f.replacer = strings.NewReplacer(pairs...)

	return f
}

// Parts are what the Format was made of, for programs that can't call it.
func (f Format) Parts() (prefix *string, replace map[string]string, lower bool) {
	return f.prefix, maps.Clone(f.replace), f.lower
}

// extensions returns the supplied beginning of keys, and what it can go on with so
// that the format replaces a string that begins before the end of it.
func (f Format) extensions(key string) []string {
	out := []string{key}

	for _, old := range slices.Sorted(maps.Keys(f.replace)) {
		for i := 1; i < len(old); i++ {
			if strings.HasSuffix(key, old[:i]) {
				out = append(out, key+old[i:])
			}
		}
	}

	return out
}

// key of the tag that the supplied label is to become.
func (f Format) key(l Label) string {
	key := l.TagKey

	if f.prefix != nil && !l.Unprefixed {
		key = *f.prefix + l.QualifiedKey
	}

	if f.replacer != nil {
		key = f.replacer.Replace(key)
	}

	if f.lower {
		key = strings.ToLower(key)
	}

	return key
}
