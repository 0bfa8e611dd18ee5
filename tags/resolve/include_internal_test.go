package resolve

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/plexsphere/function-cloud-tags/tags/tagstest"
)

// TestPatternTexts tests that one include reads texts of many objects only up to a limit of all of them, however short each is.
func TestPatternTexts(t *testing.T) {
	p := &keyPatterns{}
	text := "[a" + strings.Repeat(" ", maxPatternText-len("[a]")) + "]"

	for range maxPatternTexts / maxPatternText {
		if err := p.addText(text, "object"); err != nil {
			t.Fatal(err)
		}
	}

	const want = "last object is too much: all texts of YAML that one include reads may have 262144 bytes together: write lists or maps without quotes around them"

	if diff := cmp.Diff(want, tagstest.Error(p.addText("[a]", "last object"))); diff != "" {
		t.Errorf("addText(...): -want, +got:\n%s", diff)
	}
}
