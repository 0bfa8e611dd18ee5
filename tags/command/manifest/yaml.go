package manifest

import (
	"bytes"
	"io"
	"strings"

	goyaml "go.yaml.in/yaml/v2"
	"sigs.k8s.io/yaml"

	"github.com/crossplane/function-sdk-go/errors"
)

// yamlToJSON returns the supplied document of YAML as JSON. All of the text must be that document: the
// parser stops at its end, and says nothing of what is behind it.
func yamlToJSON(text []byte) ([]byte, error) {
	j, err := yaml.YAMLToJSONStrict(text)
	if err != nil || !mayGoOn(text) {
		return j, err
	}

	d := goyaml.NewDecoder(bytes.NewReader(text))
	_ = d.Decode(&struct{}{}) // It is what has been read.

	if err := d.Decode(&struct{}{}); !errors.Is(err, io.EOF) {
		return nil, errors.New("it goes on behind the end of a document: documents are separated by lines of ---")
	}

	return j, nil
}

// mayGoOn is true if the supplied YAML may go on behind the end of its document. What begins with a key
// in the first column doesn't: anything else in that column is an error, or another key. To find out
// costs little beside reading the document, as the parser would a second time.
func mayGoOn(text []byte) bool {
	column := -1

	for line := range bytes.Lines(text) {
		content := bytes.TrimLeft(line, " ")
		indent := len(line) - len(content)

		switch {
		case len(bytes.TrimSpace(content)) == 0 || content[0] == '#':
			continue
		case column < 0 && strings.IndexByte(`{["'&!*|>?`, content[0]) >= 0, indent < column:
			return true
		case column < 0:
			column = indent
		}

		if column == 0 {
			break
		}
	}

	return hasMarker(text, separator) || hasMarker(text, ending)
}

// hasMarker is true if the supplied marker of documents stands behind the end of a line that is one to
// YAML alone.
func hasMarker(text []byte, marker string) bool {
	for {
		before, after, ok := bytes.Cut(text, []byte(marker))
		if !ok {
			return false
		}

		for _, end := range []string{"\r", "\u0085", "\u2028", "\u2029"} {
			if bytes.HasSuffix(before, []byte(end)) {
				return true
			}
		}

		text = after
	}
}
