package manifest_test

import (
	"encoding/json"
	"fmt"
	"io"
	"runtime"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/text/encoding/unicode"
	"google.golang.org/protobuf/testing/protocmp"
	"google.golang.org/protobuf/types/known/structpb"
	"sigs.k8s.io/yaml"

	"github.com/plexsphere/function-cloud-tags/tags/manifest"
	"github.com/plexsphere/function-cloud-tags/tags/tagstest"
)

// TestValues reads the texts of testdata/cases.yaml.
func TestValues(t *testing.T) {
	var cases []struct{ Name, Reason, Text string }

	tagstest.ReadYAML(t, "testdata/cases.yaml", &cases)

	g := tagstest.NewGolden(t)

	for _, tc := range cases {
		t.Run(tc.Name, func(t *testing.T) {
			g.Check(t, tc.Reason, read(t, tc.Text))
		})
	}
}

// read returns the values of the text, and the error.
func read(t *testing.T, text string) []string {
	t.Helper()

	found, err := values(text)
	out := []string{}

	for _, v := range found {
		j, err := json.Marshal(v.AsInterface())
		if err != nil {
			t.Fatal(err)
		}

		out = append(out, strings.ReplaceAll(string(j), "\u0085", `\u0085`)) // YAML would lose it.
	}

	if err != nil {
		out = append(out, "error: "+err.Error())
	}

	return out
}

// TestEncodings reads texts as the shells of Windows write them.
func TestEncodings(t *testing.T) {
	utf16, err := unicode.UTF16(unicode.LittleEndian, unicode.UseBOM).NewEncoder().String("name: 😀\n")
	if err != nil {
		t.Fatal(err)
	}

	cases := map[string]struct {
		reason, text string
		want         []string
	}{
		"UTF16": {
			reason: "PowerShell writes UTF-16.",
			text:   utf16,
			want:   []string{`{"name":"😀"}`},
		},
		"Latin1": {
			reason: "What is no text is refused, rather than read as another one.",
			text:   `{"name": "` + "\xe9" + `"}`,
			want:   []string{"error: line 1: encoding: invalid UTF-8"},
		},
		"Latin1YAML": {
			reason: "So it is in YAML.",
			text:   "name: \xe9",
			want:   []string{"error: encoding: invalid UTF-8"},
		},
	}

	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			if diff := cmp.Diff(tc.want, read(t, tc.text)); diff != "" {
				t.Errorf("\n%s\nValues(-): -want, +got:\n%s", tc.reason, diff)
			}
		})
	}
}

// TestLarge reads texts that are larger than any buffer.
func TestLarge(t *testing.T) {
	line := strings.Repeat("x", 100_000)
	large := strings.Repeat(`"`+line+`",`, manifest.MaxDocument/len(line)+1) + `""`

	cases := map[string]struct {
		reason, text string
		want         []string
	}{
		"LongLines": {
			reason: "Lines can be longer than any buffer, and the last one has no end.",
			text:   "items:\n- x: " + line + "\n  name: a\n---\n{\"x\": \"" + line + "\", \"name\": \"b\"}\n---\nx: " + line + "\nname: c",
			want:   []string{"a", "b", "c"},
		},
		"JSON": {
			reason: "A List of JSON can be larger than any of its items may be.",
			text:   `{"items": [` + strings.Repeat(`{"name": "", "x": "`+line+`"},`, manifest.MaxDocument/len(line)+1) + `{"name": "last"}]}`,
			want:   append(make([]string, manifest.MaxDocument/len(line)+1), "last"),
		},
		"YAML": {
			reason: "One of YAML can't, and what has no lines isn't waited for.",
			text:   "name: a\n---\n{name: b, x: [" + large + "]}",
			want:   []string{"a", "error: cannot read -: document 2: it is larger than 64 MB, and YAML can't be read in parts: use JSON, as kubectl get -o json prints it"},
		},
		"List": {
			reason: "A List of YAML can, and other documents can be around it. Text in an item can look like another item.",
			text: "---\nname: before\n---\napiVersion: v1\nitems:\n" + strings.Repeat("- name: \"\"\n\n  # - x\n  x: \"- "+line+"\"\n  y: |\n    - z\n", manifest.MaxDocument/len(line)+1) +
				"- name: last\nkind: List\nmetadata:\n  resourceVersion: \"\"\n---\nname: behind",
			want: append(append([]string{"before"}, make([]string, manifest.MaxDocument/len(line)+1)...), "last", "behind"),
		},
		"NoList": {
			reason: "What a long List may not have is an error, as in a short one.",
			text:   "items:\n- name: a\n" + strings.Repeat("- x: "+line+"\n", 11) + "kind: List\nother: b\n",
			want:   append([]string{"a"}, append(make([]string, 11), `error: cannot read -: it has a list of items, and "other", which no List has: leave that out`)...),
		},
		"TypedList": {
			reason: "Nor may its items have no apiVersion, if it is of a kind.",
			text:   "kind: ThingList\nitems:\n- name: a\n" + strings.Repeat("- x: "+line+"\n", 11),
			want:   append([]string{"a"}, append(make([]string, 11), "error: cannot read -: the items of the ThingList have no apiVersion: kubectl get -o yaml prints them with one")...),
		},
		"BrokenItem": {
			reason: "An error should name the line in the document.",
			text:   "items:\n- name: a\n" + strings.Repeat("- x: "+line+"\n", 11) + "- name: b\n  name: c\n",
			want:   append([]string{"a"}, append(make([]string, 11), `error: cannot read -: item 13: yaml: unmarshal errors: line 15: key "name" already set in map`)...),
		},
		"LargeItem": {
			reason: "No item can be larger.",
			text:   "items:\n- name: a\n" + strings.Repeat("- x: "+line+"\n", 11) + "- name: b\n  x: " + strings.Repeat(line, manifest.MaxDocument/len(line)+1),
			want:   append([]string{"a"}, append(make([]string, 11), "error: cannot read -: item 13: it is larger than 64 MB")...),
		},
		"Item": {
			reason: "Nor can an item.",
			text:   `{"items": [{"name": "a"},` + "\n" + `{"name": "b", "x": [` + large + "]}]}",
			want:   []string{"a", "error: cannot read -: item 2: line 2: it is larger than 64 MB"},
		},
		"Deep": {
			reason: "Nor may anything be nested without end.",
			text:   `{"a": ` + strings.Repeat("[", 20_000),
			want:   []string{"error: cannot read -: line 1: it is nested deeper than 10000 times"},
		},
		"DeepLists": {
			reason: "So it is with lists of lists.",
			text:   "[{}, " + strings.Repeat("[", 20_000),
			want:   []string{"", "error: cannot read -: item 2: line 1: it is nested deeper than 10000 times"},
		},
	}

	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			got := []string{}

			if err := (&manifest.Reader{Stdin: strings.NewReader(tc.text)}).Stream([]string{manifest.Stdin}, func(o *structpb.Struct) {
				got = append(got, o.GetFields()["name"].GetStringValue())
			}); err != nil {
				got = append(got, "error: "+err.Error())
			}

			if diff := cmp.Diff(tc.want, got); diff != "" {
				t.Errorf("\n%s\nStream(...): -want, +got:\n%s", tc.reason, diff)
			}
		})
	}
}

// items is a List of JSON that is never in memory as a whole.
type items struct {
	rest, item string
	left       int
}

func (l *items) Read(to []byte) (int, error) {
	if l.rest == "" && l.left > 0 {
		l.left--
		l.rest = l.item
	}

	if l.rest == "" {
		return 0, io.EOF
	}

	n := copy(to, l.rest)
	l.rest = l.rest[n:]

	return n, nil
}

// TestMemory proves that a List needs as much memory as its largest item.
func TestMemory(t *testing.T) {
	const number = 500

	t.Run("JSON", func(t *testing.T) {
		testMemory(t, number, "cannot read -: line 1: unexpected EOF",
			&items{rest: `{"apiVersion": "v1", "items": [{}`, item: `, {"name": "a", "x": [` + strings.Repeat(`"0123456789",`, 1_000) + `""]}`, left: number})
	})
	t.Run("YAML", func(t *testing.T) {
		testMemory(t, number, "<nil>",
			&items{rest: "apiVersion: v1\nitems:\n- {}\n", item: "- name: a\n  x:\n" + strings.Repeat("  - \"0123456789\"\n", 1_000), left: number})
	})
}

// testMemory reads so many items.
func testMemory(t *testing.T, number int, want string, in io.Reader) {
	t.Helper()

	const limit = 1 << 20

	var (
		first, last runtime.MemStats
		n           int
	)

	err := (&manifest.Reader{Stdin: in}).Stream([]string{manifest.Stdin}, func(*structpb.Struct) {
		n++

		switch n {
		case 10:
			runtime.GC()
			runtime.ReadMemStats(&first)
		case number:
			runtime.GC()
			runtime.ReadMemStats(&last)
		}
	})

	if diff := cmp.Diff(want, fmt.Sprint(err)); diff != "" || n != number+1 {
		t.Errorf("\nStream(...): want %d objects, got %d, and -want error, +got error:\n%s", number+1, n, diff)
	}

	if last.HeapAlloc > first.HeapAlloc+limit {
		t.Errorf("\nWhat has been read is not kept.\nStream(...): memory grew from %d to %d bytes within %d items, want %d more at most", first.HeapAlloc, last.HeapAlloc, number, limit)
	}
}

// FuzzValues proves that nothing panics, and that no document of several is lost. For one document, sigs.k8s.io/yaml and
// protojson must read the same values.
func FuzzValues(f *testing.F) {
	var cases []struct{ Name, Reason, Text string }

	tagstest.ReadYAML(f, "testdata/cases.yaml", &cases)

	for _, tc := range cases {
		f.Add(tc.Text)
	}

	f.Fuzz(func(t *testing.T, text string) {
		got, err := values(text)
		if err != nil || !utf8.ValidString(text) {
			return
		}

		twice, err := values(text + "\n---\n" + text)
		if err != nil && !strings.ContainsAny(text, "\ufeff\r\u0085\u2028\u2029") && !strings.Contains(text, "---") {
			t.Fatalf("\nTwo documents, each of which can be read, can be read.\nValues(%q twice): %v", text, err)
		}

		// Three dashes right after an object, as in {}---#, may be a separator, or begin a text.
		if diff := cmp.Diff(append(got, got...), twice, protocmp.Transform()); err == nil && diff != "" && !strings.Contains(text, "}---") {
			t.Errorf("\nNothing is lost.\nValues(%q twice): -want, +got:\n%s", text, diff)
		}

		// sigs.k8s.io/yaml and protojson split documents and lists in another way.
		if len(got) != 1 || strings.Contains(text, "items") || strings.ContainsAny(text, "\r\u0085\u2028\u2029\ufeff") || got[0].GetStructValue() == nil {
			return
		}

		want := &structpb.Value{}
		if want.UnmarshalJSON([]byte(text)) != nil {
			j, err := yaml.YAMLToJSONStrict([]byte(text + "\n")) // The last line has an end.
			if err != nil || want.UnmarshalJSON(j) != nil {
				return
			}
		}

		if want.GetStructValue() == nil {
			return
		}

		if diff := cmp.Diff(want, got[0], protocmp.Transform()); diff != "" {
			t.Errorf("\nWhat is read is what others read.\nValues(%q): -want, +got:\n%s", text, diff)
		}
	})
}

func values(text string) ([]*structpb.Value, error) {
	return (&manifest.Reader{Stdin: strings.NewReader(text)}).Values(manifest.Stdin)
}
