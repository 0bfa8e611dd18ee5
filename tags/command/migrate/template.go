package migrate

import (
	"regexp"
	"slices"
	"strconv"
	"strings"

	"go.yaml.in/yaml/v3"

	fields "github.com/plexsphere/function-cloud-tags/tags/field"
	"github.com/plexsphere/function-cloud-tags/tags/manifest"
	"github.com/plexsphere/function-cloud-tags/tags/words"
)

// mentioned matches words in templates that may be about tags, such as tags, tagsAll and userLabels.
var mentioned = regexp.MustCompile(`(?i)\w*(tags|labels)\w*`)

// Labels of a metadata are Kubernetes labels. behindMetadata matches what is before them in their line, such as
// "  metadata: {name: a, ". aroundLabels matches the line around them, such as "  metadata:" in YAML, or "metadata = {" in KCL.
var (
	behindMetadata = regexp.MustCompile(`\bmetadata\W*(\{[^{}]*)?$`)
	aroundLabels   = regexp.MustCompile(`\bmetadata["']?\s*[:=]\s*\{?$`)
)

// mentions returns the numbers of the lines of the file in which a template mentions tags or labels. Selectors by labels don't count, and
// neither do Kubernetes labels, unless a group of the template's kinds has these as tags.
func mentions(n *yaml.Node) (out []string) {
	labelsAreTags := slices.ContainsFunc(manifest.TemplatedGroups(n.Value), fields.BuiltIn().HasKubernetesLabels)
	lines := strings.Split(n.Value, "\n")

	for i, line := range lines {
		isTag := func(at []int) bool {
			word := line[at[0]:at[1]]
			isKubernetes := strings.EqualFold(word, "matchLabels") || word == "labels" && !labelsAreTags && (behindMetadata.MatchString(line[:at[0]]) || aroundLabels.MatchString(around(lines, i)))

			return !isKubernetes
		}

		if strings.HasPrefix(strings.TrimSpace(line), "#") || !slices.ContainsFunc(mentioned.FindAllStringIndex(line, -1), isTag) {
			continue
		}

		at := n.Line
		if n.Style&yaml.LiteralStyle != 0 { // The file has the same lines, below the line with the |.
			at += 1 + i
		}

		out = append(out, strconv.Itoa(at))
	}

	return words.Distinct(out)
}

// around returns the last line before line i with a smaller indentation, without blanks at its ends, such as "metadata:" before
// "  labels:". Lines of a template's own, such as {{ if }}, don't count.
func around(lines []string, i int) string {
	indent := func(line string) int { return len(line) - len(strings.TrimLeft(line, " \t")) }

	for _, line := range slices.Backward(lines[:i]) {
		if text := strings.TrimSpace(line); text != "" && !strings.HasPrefix(text, "{{") && !strings.HasPrefix(text, "#") && indent(line) < indent(lines[i]) {
			return text
		}
	}

	return ""
}
