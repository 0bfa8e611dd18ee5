package manifest_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"google.golang.org/protobuf/types/known/structpb"

	"github.com/plexsphere/function-cloud-tags/tags/command/manifest"
	"github.com/plexsphere/function-cloud-tags/tags/object"
	"github.com/plexsphere/function-cloud-tags/tags/tagstest"
)

func TestValues(t *testing.T) {
	type want struct {
		values []any
		err    string
	}

	field := func(key string, value any) map[string]any { return map[string]any{key: value} }

	cases := map[string]struct {
		reason string
		text   string
		want   want
	}{
		"YAML": {
			reason: "A file can have one document.",
			text:   "a: b\n",
			want:   want{values: []any{field("a", "b")}},
		},
		"Documents": {
			reason: "All documents should be read, but for those with nothing in them.",
			text:   "---\n# nothing\n---\na: b\n---\n---\r\nc: d\r\n--- # more\n[x]\n--- \ntext\n",
			want:   want{values: []any{field("a", "b"), field("c", "d"), []any{"x"}, "text"}},
		},
		"Nothing": {
			reason: "A file with nothing in it has no values.",
			text:   "",
			want:   want{values: []any{}},
		},
		"JSON": {
			reason: "JSON should be read as JSON: YAML has no surrogate pairs, and takes U+0085 for the end of a line.",
			text:   `{"a": "\ud83d\ude00", "b": "x` + "\u0085" + `y", "c": "\/"}`,
			want:   want{values: []any{map[string]any{"a": "😀", "b": "x\u0085y", "c": "/"}}},
		},
		"JSONWithTabs": {
			reason: "JSON may be indented by tabs, and begin with a mark of its byte order.",
			text:   "\ufeff{\n\t\"a\": \"\\ud83d\\ude00\"\n}\n",
			want:   want{values: []any{field("a", "😀")}},
		},
		"LongLastLine": {
			reason: "A last line without an end should not be lost, however long it is.",
			text:   `{"a": "` + strings.Repeat("b", 4096-9) + `"}`,
			want:   want{values: []any{field("a", strings.Repeat("b", 4096-9))}},
		},
		"JSONStream": {
			reason: "Several JSON values can follow each other, as jq prints them.",
			text:   `{"a": "b"}` + "\n" + `{"c": "\ud83d\ude00"}`,
			want:   want{values: []any{field("a", "b"), field("c", "😀")}},
		},
		"JSONList": {
			reason: "A list can be JSON, too.",
			text:   `["\ud83d\ude00"]`,
			want:   want{values: []any{[]any{"😀"}}},
		},
		"Text": {
			reason: "What is no object or list is YAML, however it begins.",
			text:   "1 2\n",
			want:   want{values: []any{"1 2"}},
		},
		"JSONDocument": {
			reason: "A document between others can be JSON.",
			text:   "a: b\n---\n" + `{"c": "\ud83d\ude00"}` + "\n---\n{d: e}\n",
			want:   want{values: []any{field("a", "b"), field("c", "😀"), field("d", "e")}},
		},
		"List": {
			reason: "What kubectl prints of several objects should be these objects.",
			text:   "apiVersion: v1\nkind: List\nmetadata: {resourceVersion: ''}\nitems:\n- {kind: A}\n- {apiVersion: v1, kind: List, items: [{kind: B}]}\n---\nkind: C\n",
			want:   want{values: []any{field("kind", "A"), field("kind", "B"), field("kind", "C")}},
		},
		"EmptyList": {
			reason: "kubectl prints a List if there is nothing, too.",
			text:   `{"apiVersion": "v1", "kind": "List", "items": []}`,
			want:   want{values: []any{}},
		},
		"OtherLists": {
			reason: "Only a List is one, whatever else has items.",
			text:   "apiVersion: example.org/v1\nkind: List\nitems: [x]\n---\napiVersion: v1\nkind: Box\nitems: [x]\n---\napiVersion: v1\nkind: List\nitems: x\n",
			want: want{values: []any{
				map[string]any{"apiVersion": "example.org/v1", "kind": "List", "items": []any{"x"}},
				map[string]any{"apiVersion": "v1", "kind": "Box", "items": []any{"x"}},
				map[string]any{"apiVersion": "v1", "kind": "List", "items": "x"},
			}},
		},
		"BrokenYAML": {
			reason: "What is no YAML should be one clear line.",
			text:   "a: b\nc: [\n",
			want:   want{err: "yaml: line 2: did not find expected node content"},
		},
		"BrokenDocument": {
			reason: "The document that is no YAML should be told.",
			text:   "a: b\n---\nc: 'd\n",
			want:   want{err: "document 2: yaml: line 2: found unexpected end of stream"},
		},
		"BehindSeparator": {
			reason: "Nothing should be lost behind a separator.",
			text:   "--- # nothing\n--- {a: b}\n---\t{\"c\": \"\\ud83d\\ude00\"}\n--- |\n  text\n",
			want:   want{values: []any{field("a", "b"), field("c", "😀"), "text\n"}},
		},
		"Endings": {
			reason: "Three dots end a document, whatever is behind them.",
			text:   "a: b\n...\nc: d\n... # more\n---\ne: f\n...\n",
			want:   want{values: []any{field("a", "b"), field("c", "d"), field("e", "f")}},
		},
		"NoSeparator": {
			reason: "What only looks like a separator is none.",
			text:   "----: a\n...b: |\n  ---\n  c\n",
			want:   want{values: []any{map[string]any{"----": "a", "...b": "---\nc\n"}}},
		},
		"FlowThenMore": {
			reason: "Nothing should be lost behind the end of a document without a separator.",
			text:   "a: b\n---\n{c: d}\n{e: f}\n",
			want:   want{err: "document 2: it goes on behind the end of a document: documents are separated by lines of ---"},
		},
		"JSONThenBroken": {
			reason: "Nor should JSON behind which there is something else.",
			text:   "{\"a\": \"b\"}\n{\"c\": d, }}\n",
			want:   want{err: "it goes on behind the end of a document: documents are separated by lines of ---"},
		},
		"IndentedThenMore": {
			reason: "Nor should what is indented less than a document.",
			text:   "  a: b\nc: d\n",
			want:   want{err: "it goes on behind the end of a document: documents are separated by lines of ---"},
		},
		"QuotedThenMore": {
			reason: "Nor should what is behind a text.",
			text:   "'a'\n{b: c}\n",
			want:   want{err: "it goes on behind the end of a document: documents are separated by lines of ---"},
		},
		"OtherLines": {
			reason: "YAML has other ends of lines, behind which there can be separators.",
			text:   "a: b\r---\rc: d\u0085...\u2028",
			want:   want{err: "it goes on behind the end of a document: documents are separated by lines of ---"},
		},
		"OneDocument": {
			reason: "What could go on, but doesn't, is one document.",
			text:   "# note\n\n  'a': {\nb: c}\n# end\n---\n{a: b,\nc: d} # end\n---\n? a\n: - b\n---\n  a: -----BEGIN\n  b: |-\n    ...\n\n  c: x\n",
			want: want{values: []any{
				field("a", map[string]any{"b": "c"}),
				map[string]any{"a": "b", "c": "d"},
				field("a", []any{"b"}),
				map[string]any{"a": "-----BEGIN", "b": "...", "c": "x"},
			}},
		},
		"SameKeyTwice": {
			reason: "Of two values of one key one would be lost.",
			text:   "a: b\na: c\n",
			want:   want{err: `yaml: unmarshal errors: line 2: key "a" already set in map`},
		},
		"SameKeyTwiceInJSON": {
			reason: "That JSON admits it is no reason to lose one.",
			text:   `{"proto: a": "b", "proto: a": "c"}`,
			want:   want{err: `(line 1:19): duplicate map key "proto: a"`},
		},
		"LoneSurrogate": {
			reason: "Half a character is none.",
			text:   `{"a": "\ud83d"}`,
			want:   want{err: "unexpected EOF"},
		},
	}

	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			got := want{}

			values, err := (&manifest.Reader{Stdin: strings.NewReader(tc.text)}).Values("-")
			if err != nil {
				got.err = fmt.Sprint(err)
			} else {
				got.values = (&structpb.ListValue{Values: values}).AsSlice()
			}

			if diff := cmp.Diff(tc.want, got, cmp.AllowUnexported(want{})); diff != "" {
				t.Errorf("\n%s\nValues(-): -want, +got:\n%s", tc.reason, diff)
			}
		})
	}
}

func TestObjects(t *testing.T) {
	dir := t.TempDir()

	for name, text := range map[string]string{
		"good/a.yaml":          "kind: A\nmetadata: {name: a}\n---\nkind: B\nmetadata: {namespace: ns, name: b}\n",
		"good/sub/c.json":      `{"apiVersion": "v1", "kind": "List", "items": [{"kind": "C"}]}`,
		"good/sub/d.yml":       "kind: D\n",
		"good/README.md":       "# no manifest: [",
		"text.yaml":            "kind: A\n---\ntext\n",
		"broken/sub/none.yaml": "a: 'b\n",
	} {
		file := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(file), 0o750); err != nil {
			t.Fatal(err)
		}

		if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}

	type want struct {
		names []string
		err   string
	}

	cases := map[string]struct {
		reason string
		path   string
		want   want
	}{
		"Folder": {
			reason: "All YAML and JSON files below a folder should be read.",
			path:   "good",
			want:   want{names: []string{"A a", "B ns/b", "C", "D"}},
		},
		"File": {
			reason: "A file should be read, whatever its name is.",
			path:   "good/a.yaml",
			want:   want{names: []string{"A a", "B ns/b"}},
		},
		"Missing": {
			reason: "What isn't there should be named once.",
			path:   "none",
			want:   want{err: "cannot read DIR/none: no such file or directory"},
		},
		"Text": {
			reason: "A text is no object.",
			path:   "text.yaml",
			want:   want{err: "cannot read DIR/text.yaml: it has a string, not only objects"},
		},
		"Broken": {
			reason: "Of the files of a folder the one that can't be read should be named.",
			path:   "broken",
			want:   want{err: "cannot read DIR/broken/sub/none.yaml: yaml: line 2: found unexpected end of stream"},
		},
		"Stdin": {
			reason: "Standard input has no other name.",
			path:   manifest.Stdin,
			want:   want{err: "cannot read -: the pipe is broken"},
		},
	}

	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			if tc.path != manifest.Stdin {
				tc.path = filepath.Join(dir, tc.path)
			}

			got := want{}

			objects, err := (&manifest.Reader{Stdin: tagstest.BrokenPipe{}}).Objects(tc.path)
			if err != nil {
				got.err = strings.ReplaceAll(fmt.Sprint(err), dir, "DIR")
			}

			for _, o := range objects {
				got.names = append(got.names, object.Title(object.Tree(o)))
			}

			if diff := cmp.Diff(tc.want, got, cmp.AllowUnexported(want{})); diff != "" {
				t.Errorf("\n%s\nObjects(%s): -want, +got:\n%s", tc.reason, tc.path, diff)
			}
		})
	}
}
