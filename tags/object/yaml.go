package object

import (
	"io"
	"strings"

	yamlv2 "go.yaml.in/yaml/v2"
	yamlv3 "go.yaml.in/yaml/v3"
	"google.golang.org/protobuf/types/known/structpb"
	"sigs.k8s.io/yaml"

	"github.com/crossplane/function-sdk-go/errors"

	"github.com/plexsphere/function-cloud-tags/tags/words"
)

// FromYAML returns the value that a text has in YAML, as kubectl reads it, or null for an empty text. The text must be
// one document, in which no object has a key twice. Anchors and aliases are refused before anything is expanded:
// 40 KB of them can stand for gigabytes. Callers limit the size of the text.
func FromYAML(text string) (*structpb.Value, error) {
	if err := refuseAnchors(text); err != nil {
		return nil, err
	}

	j, err := yaml.YAMLToJSONStrict([]byte(text))
	if err != nil {
		return nil, noYAML(text, err)
	}

	// Nobody has looked at the text after the first document. No document is kept.
	documents := yamlv2.NewDecoder(strings.NewReader(text))
	_ = documents.Decode(&struct{}{})

	if err := documents.Decode(&struct{}{}); !errors.Is(err, io.EOF) {
		return nil, errors.New("it must be one document of YAML, and nothing behind it")
	}

	v := &structpb.Value{}

	return v, errors.Wrap(v.UnmarshalJSON(j), "it is no YAML that JSON could say")
}

// quoted says how to write what YAML takes for an anchor or alias.
const quoted = `quote what begins with & or *, such as the pattern "*"`

// noYAML returns the error of a text that can't be parsed, perhaps since YAML takes a pattern in it for an alias.
func noYAML(text string, err error) error {
	why := words.Shorten(err.Error(), words.MaxText)
	if strings.ContainsAny(text, "&*") {
		why += ": " + quoted
	}

	return errors.Errorf("it is no YAML: %s", why)
}

// refuseAnchors returns an error if the text has an anchor, without which there is no alias either.
func refuseAnchors(text string) error {
	if !strings.Contains(text, "&") {
		return nil
	}

	var n yamlv3.Node // It has aliases as they are written.
	if err := yamlv3.Unmarshal([]byte(text), &n); err != nil {
		return noYAML(text, err)
	}

	if line := anchored(&n); line > 0 {
		return errors.Errorf("line %d has an anchor of YAML, and neither anchors nor aliases are allowed: write the value out each time, or %s", line, quoted)
	}

	return nil
}

// anchored returns the line of the first anchor in n, or 0 if there is none.
func anchored(n *yamlv3.Node) int {
	if n.Anchor != "" {
		return n.Line
	}

	for _, child := range n.Content {
		if line := anchored(child); line > 0 {
			return line
		}
	}

	return 0
}
