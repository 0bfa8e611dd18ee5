package tagstest

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// Text checks that a file has a text. The flag -update writes it.
func Text(t *testing.T, path, text string) {
	t.Helper()

	if *update {
		WriteFiles(t, map[string]string{path: text})
	}

	if diff := cmp.Diff(string(ReadFile(t, path)), text); diff != "" {
		t.Errorf("%s is not what -update writes: -is, +would be:\n%s", path, diff)
	}
}

// Section checks that a file of Markdown has a text between two comments: <!-- begin SECTION --> and
// <!-- end SECTION -->. The flag -update writes it.
func Section(t *testing.T, path, section, text string) {
	t.Helper()

	begin, end := "<!-- begin "+section+" -->\n", "<!-- end "+section+" -->\n"

	before, rest, begins := strings.Cut(string(ReadFile(t, path)), begin)
	_, after, ends := strings.Cut(rest, end)

	if !begins || !ends {
		t.Fatalf("%s: want a section between %q and %q", path, begin, end)
	}

	Text(t, path, before+begin+text+end+after)
}

// JSON checks that a file has a value, as indented JSON. The flag -update writes it.
func JSON(t *testing.T, path string, v any) {
	t.Helper()

	var text bytes.Buffer

	to := json.NewEncoder(&text)
	to.SetEscapeHTML(false)
	to.SetIndent("", " ")

	if err := to.Encode(v); err != nil {
		t.Fatal(err)
	}

	Text(t, path, text.String())
}
