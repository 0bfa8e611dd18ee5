package object_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/crossplane/crossplane-runtime/v2/pkg/fieldpath"

	"github.com/plexsphere/function-cloud-tags/tags/object"
)

func TestPathJSON(t *testing.T) {
	var p object.Path
	if err := json.Unmarshal([]byte(`"spec.items[*].labels"`), &p); err != nil {
		t.Fatal(err)
	}

	if want := object.MustParsePath("spec.items[*].labels"); !p.Equal(want) || p.Equal(object.Path{}) {
		t.Errorf("\nA path should be decoded as it is parsed.\nUnmarshalJSON(...): want %q, got %q", want, p)
	}

	b, err := json.Marshal(p)
	if err != nil {
		t.Fatal(err)
	}

	if diff := cmp.Diff(`"spec.items[*].labels"`, string(b)); diff != "" {
		t.Errorf("\nA path should be encoded as it was written.\nMarshalJSON(): -want, +got:\n%s", diff)
	}

	for _, broken := range []string{`1`, `"spec["`} {
		if err := json.Unmarshal([]byte(broken), &p); err == nil {
			t.Errorf("\nWhat is no path should not be decoded.\nUnmarshalJSON(%s): want an error", broken)
		}
	}
}

// FuzzParsePath parses what Crossplane parses, as it does.
func FuzzParsePath(f *testing.F) {
	for _, text := range []string{
		"spec", "spec.forProvider.tags", "metadata.annotations[a.b/c]", "a b.ü", "", "*", "a.*", "a[*].b",
		".", ".a", "a.", "a..b", "a.[0]", "a.]", "a]",
		"[", "a[", "a[]", "a[[0]", "a[b[c]", "[0]", "[0].a", "a[0]", "a[0].", "a[0]b", "a[0][0].b", "a.0", "a[4294967295]", "a[4294967296]", "a[-1]", "a[00]",
		"'a'.b", `"a'`, "''", "a['b.c']", "a['0']",
	} {
		f.Add(text)
	}

	f.Fuzz(func(t *testing.T, text string) {
		segments, want := fieldpath.Parse(text)

		switch {
		case want != nil:
			want = fmt.Errorf("cannot parse field path %q: %w", text, want)
		case len(segments) == 0:
			want = errors.New("a field path must not be empty")
		}

		p, err := object.ParsePaths(text)
		if err != nil && strings.Contains(err.Error(), "a * stands for items of a list only") {
			return // Crossplane takes that, and we don't.
		}

		if diff := cmp.Diff(fmt.Sprint(want), fmt.Sprint(err)); diff != "" {
			t.Fatalf("ParsePaths(%q): -want error, +got error:\n%s", text, diff)
		}

		var got fieldpath.Segments

		for _, sg := range p.Segments() {
			typ := fieldpath.SegmentField
			if sg.IsIndex {
				typ = fieldpath.SegmentIndex
			}

			got = append(got, fieldpath.Segment{Type: typ, Field: sg.Field, Index: sg.Index})
		}

		if diff := cmp.Diff(segments, got, cmpopts.EquateEmpty()); diff != "" {
			t.Errorf("ParsePaths(%q): -want, +got:\n%s", text, diff)
		}

		if diff := cmp.Diff(segments.String(), p.Segments().String()); diff != "" {
			t.Errorf("ParsePaths(%q): -want text of segments, +got text:\n%s", text, diff)
		}
	})
}
