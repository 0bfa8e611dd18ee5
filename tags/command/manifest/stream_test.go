package manifest_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"google.golang.org/protobuf/types/known/structpb"

	"github.com/crossplane/function-sdk-go/errors"

	"github.com/plexsphere/function-cloud-tags/tags/command/manifest"
)

func TestStream(t *testing.T) {
	type want struct {
		names []string
		err   string
	}

	long := strings.Repeat("x", 100_000)

	cases := map[string]struct {
		reason string
		text   string
		want   want
	}{
		"Nothing": {
			reason: "Nothing has no objects.",
		},
		"JSONList": {
			reason: "A List stands for its items, though only what is behind them says that it is one.",
			text:   `{"apiVersion": "v1", "items": [{"name": "a"}, {"name": "b"}], "kind": "List", "metadata": {}}`,
			want:   want{names: []string{"a", "b"}},
		},
		"JSONLists": {
			reason: "Lists in lists stand for their items, and so do plain ones, those of a kind, and several.",
			text:   "\ufeff" + `{"items": [{"apiVersion": "v1", "kind": "List", "items": [{"name": "a"}]}], "kind": "List"} [{"name": "b"}, {"name": "c"}] {"kind": "ThingList", "items": [{"name": "d"}]}`,
			want:   want{names: []string{"a", "b", "c", "d"}},
		},
		"JSONObjects": {
			reason: "JSON objects can follow each other, whatever is in them.",
			text:   `{"x": [{}, []], "name": "a"}{} {"items": {"x": [{"y": 1}]}, "name": "\ud83d\ude00"}`,
			want:   want{names: []string{"a", "", "😀"}},
		},
		"EmptyLists": {
			reason: "A List may have no items.",
			text:   `{"apiVersion": "v1", "items": [], "kind": "List"} {"apiVersion": "v1", "items": null, "kind": "List"} []` + "\n---\napiVersion: v1\nitems: []\nkind: List\n---\napiVersion: v1\nkind: List\nitems:\n",
		},
		"JSONThenYAML": {
			reason: "Documents of YAML can stand behind JSON.",
			text:   "{\"name\": \"a\"}\n---\nname: b\n--- # more\n{\"name\": \"c\"}\n---\n{name: d}",
			want:   want{names: []string{"a", "b", "c", "d"}},
		},
		"JSONNulls": {
			reason: "A list of JSON can begin with null, which is nothing.",
			text:   `[null, null, {"name": "a"}, null] [null]`,
			want:   want{names: []string{"a"}},
		},
		"JSONThenEnding": {
			reason: "JSON can end as a document of YAML does.",
			text:   "{\"name\": \"a\"}\n...\n---\nname: b\n",
			want:   want{names: []string{"a", "b"}},
		},
		"BehindSeparator": {
			reason: "A document can begin on the line of its separator.",
			text:   "--- {name: a}\n---\t{\"name\": \"\\ud83d\\ude00\"}\n--- # more\nitems:\n- name: b\n--- !!map {name: c}\n--- {name: d, x: " + long + "}\n--- # " + long + "\nname: e",
			want:   want{names: []string{"a", "😀", "b", "c", "d", "e"}},
		},
		"Endings": {
			reason: "Three dots end a document, and a List.",
			text:   "name: a\n...\nitems:\n- name: b\nkind: List\n... # more\n---\nname: c\n...\n",
			want:   want{names: []string{"a", "b", "c"}},
		},
		"MoreThanItem": {
			reason: "Nothing is lost behind the end of an item.",
			text:   "items:\n  - name: a\n  -  name: b\n    name: c\nkind: List\n",
			want:   want{names: []string{"a"}, err: "cannot read -: item 2: it goes on behind the end of a document: documents are separated by lines of ---"},
		},
		"MoreThanDocument": {
			reason: "Nothing is lost behind the end of a document.",
			text:   "name: a\n---\n{name: b}\n{name: c}\n",
			want:   want{names: []string{"a"}, err: "cannot read -: document 2: it goes on behind the end of a document: documents are separated by lines of ---"},
		},
		"Anchors": {
			reason: "An item can have anchors of its own, but not those of another one.",
			text:   "items:\n- name: &a b\n  again: *a\n- name: *a\n",
			want:   want{names: []string{"b"}, err: "cannot read -: item 2: items of a List are read one by one, without the anchors of others: use JSON instead, or no aliases: yaml: unknown anchor 'a' referenced"},
		},
		"YAMLList": {
			reason: "A List as kubectl prints it is split at its items, whatever looks like one in them.",
			text:   "apiVersion: v1\nitems:\n- name: a\n  list:\n  - name: x\n  text: |-\n    - name: y\n\n    items:\n# note\n- list:\n  - name: z\n  name: b\n-\n  name: c\n- {name: d}\nkind: List\nmetadata:\n  resourceVersion: \"\"\n",
			want:   want{names: []string{"a", "b", "c", "d"}},
		},
		"YAMLListIndented": {
			reason: "The items of a List may be indented, and come last.",
			text:   "---\napiVersion: v1\nkind: List\nitems:\n\n  # note\n  - name: a\n    list:\n    - name: x\n\n  - name: b\r\n",
			want:   want{names: []string{"a", "b"}},
		},
		"YAMLFlow": {
			reason: "A List that is written in another way is read as a whole.",
			text:   "{apiVersion: v1, kind: List, items: [{name: a}]}\n---\napiVersion: v1\nkind: List\nitems: [{name: b}]\n---\napiVersion: v1\nkind: List\nitems:\n  [{name: c}]\n",
			want:   want{names: []string{"a", "b", "c"}},
		},
		"LongLines": {
			reason: "Lines can be longer than any buffer, and the last one has no end.",
			text:   "items:\n- name: a\n  x: " + long + "\n- x: " + long + "\n  name: b\n---\nx: " + long + "\nname: c",
			want:   want{names: []string{"a", "b", "c"}},
		},
		"JSONEnds": {
			reason: "JSON must not end before it is over. What came before has been read.",
			text:   `{"items": [{"name": "a"}, {"name": "b"}`,
			want:   want{names: []string{"a", "b"}, err: "cannot read -: unexpected EOF"},
		},
		"BadJSONItem": {
			reason: "An error says which item it is in.",
			text:   `{"name": "a"} {"items": [{"name": "b"}, {"name": b}]}`,
			want:   want{names: []string{"a", "b"}, err: "cannot read -: document 2: item 2: invalid character 'b' looking for beginning of value"},
		},
		"BadYAMLItem": {
			reason: "An error says which item it is in. The fields of one have to be different.",
			text:   "a: b\n---\nitems:\n- name: a\n- name: b\n  name: c\n",
			want:   want{names: []string{"", "a"}, err: `cannot read -: document 2: item 2: yaml: unmarshal errors: line 2: key "name" already set in map`},
		},
		"NoObject": {
			reason: "Only objects can have tags.",
			text:   "items:\n- name: a\n- text\n",
			want:   want{names: []string{"a"}, err: "cannot read -: item 2: it is a string, not an object"},
		},
		"NoJSONObject": {
			reason: "Only objects can have tags.",
			text:   `{"name": "a"} 5`,
			want:   want{names: []string{"a"}, err: "cannot read -: document 2: it is 5, not an object"},
		},
		"LargeDocument": {
			reason: "YAML that can't be split is refused if it is large.",
			text:   "name: a\n---\nx:\n" + strings.Repeat("- "+long+"\n", 672),
			want:   want{names: []string{"a"}, err: "cannot read -: document 2: it is larger than 64 MB, and no List as kubectl prints it: use -o json instead of -o yaml"},
		},
		"LargeItem": {
			reason: "So is an item that is large.",
			text:   "items:\n- name: a\n- x:\n" + strings.Repeat("  - "+long+"\n", 672),
			want:   want{names: []string{"a"}, err: "cannot read -: item 2: it is larger than 64 MB"},
		},
	}

	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			got := want{}

			err := (&manifest.Reader{Stdin: strings.NewReader(tc.text)}).Stream([]string{manifest.Stdin}, func(o *structpb.Struct) error {
				got.names = append(got.names, o.GetFields()["name"].GetStringValue())
				return nil
			})
			if err != nil {
				got.err = fmt.Sprint(err)
			}

			if diff := cmp.Diff(tc.want, got, cmp.AllowUnexported(want{})); diff != "" {
				t.Errorf("\n%s\nStream(...): -want, +got:\n%s", tc.reason, diff)
			}
		})
	}
}

func TestStreamStops(t *testing.T) {
	enough := errors.New("enough")

	n := 0
	err := (&manifest.Reader{Stdin: strings.NewReader(strings.Repeat(`{"a": "b"}`, 10_000))}).Stream([]string{manifest.Stdin}, func(*structpb.Struct) error {
		n++

		if n == 3 {
			return enough
		}

		return nil
	})

	if !errors.Is(err, enough) || n != 3 {
		t.Errorf("\nAn error ends the stream.\nStream(...): want %v after 3 objects, got %v after %d", enough, err, n)
	}

	err = (&manifest.Reader{}).Stream([]string{"nowhere"}, nil)
	if diff := cmp.Diff("cannot read nowhere: no such file or directory", fmt.Sprint(err)); diff != "" {
		t.Errorf("\nA file must be there.\nStream(...): -want error, +got error:\n%s", diff)
	}
}
