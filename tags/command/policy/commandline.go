package policy

import (
	"fmt"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"

	"github.com/plexsphere/function-cloud-tags/tags/words"
)

// commandLine returns the command line that makes the policy again, for a comment of one line. A file is named without the folders of one
// machine. Flags of kubectl are left out, since they can be secrets.
func (c *Command) commandLine() string {
	line := []string{"function-cloud-tags policy"}

	texts := func(flag string, values ...string) {
		for _, value := range values {
			line = append(line, "--"+flag, shellWord(value))
		}
	}
	text := func(flag, value string) {
		if value != "" {
			texts(flag, value)
		}
	}
	paths := func(flag string, paths ...string) {
		for _, path := range paths {
			if filepath.IsAbs(path) {
				path = filepath.Base(path)
			}

			text(flag, path)
		}
	}
	isSet := func(flag string, set bool) {
		if set {
			line = append(line, "--"+flag)
		}
	}

	paths("composition", c.Composition)
	text("step", c.Step)
	paths("required-resources", c.RequiredResources...)
	isSet("resources", c.Resources)
	paths("crds", c.CRDs...)
	isSet("crds", c.InCluster)
	texts("provider", c.Provider...)
	texts("match", c.Match...)
	isSet("required", c.Required)
	texts("action", c.Action...)

	for _, key := range sortedKeys(c.Selector) {
		text("selector", key+"="+c.Selector[key])
	}

	text("name", c.Name)
	texts("prefix", c.Prefix...)

	if c.KeyPrefix != nil {
		texts("key-prefix", *c.KeyPrefix)
	}

	texts("reserved-key", c.ReservedKey...)

	for _, profile := range sortedKeys(c.ReservedTags) {
		text("reserved-tags", fmt.Sprintf("%s=%d", profile, c.ReservedTags[profile]))
	}

	text("profile-rules", string(c.ProfileRules))

	return strings.Join(line, " ")
}

// plainWord matches texts in which a shell finds nothing to replace.
var plainWord = regexp.MustCompile(`^[0-9A-Za-z_@%+=:,./\-]+$`)

// shellWord returns the text as one word of a shell's command line, without characters that nobody sees: entigo:* becomes 'entigo:*', and a
// line break in it \n.
func shellWord(text string) string {
	switch {
	case plainWord.MatchString(text):
		return text
	case words.Visible(text) == text:
		return "'" + strings.ReplaceAll(text, "'", `'\''`) + "'"
	default:
		escaped := strconv.Quote(text)
		return "$'" + strings.NewReplacer(`\"`, `"`, `'`, `\'`).Replace(escaped[1:len(escaped)-1]) + "'"
	}
}
