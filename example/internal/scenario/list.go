package scenario

import (
	"fmt"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
)

// A Topic is a chapter of example/README.md that has a table of scenarios.
type Topic struct {
	Name string
	Rows []Row
}

// A Row of such a table says what a scenario shows.
type Row struct {
	Scenario string
	Folder   string // In example/, such as clouds/gcp.
	Shows    string
}

// Lines for Topics. Each row links the folder of a scenario by its name.
var (
	heading = regexp.MustCompile(`^### (.+)$`)
	row     = regexp.MustCompile(`^\| \[([a-z0-9-]+)\]\(([a-z0-9/-]+)\) \| (.+) \|$`)
)

// Topics returns the topics of example/README.md, with the subject of each scenario.
func Topics(root string) ([]Topic, error) {
	text, err := os.ReadFile(filepath.Join(root, "example", fileReadme))
	if err != nil {
		return nil, fmt.Errorf("cannot read what the scenarios are about: %w", err)
	}

	var topics []Topic

	for line := range strings.Lines(string(text)) {
		line = strings.TrimSpace(line)

		if m := heading.FindStringSubmatch(line); m != nil {
			topics = append(topics, Topic{Name: m[1]})
		}

		if m := row.FindStringSubmatch(line); len(m) > 3 && m[1] == path.Base(m[2]) && len(topics) > 0 {
			last := &topics[len(topics)-1]
			last.Rows = append(last.Rows, Row{Scenario: m[1], Folder: m[2], Shows: m[3]})
		}
	}

	return slices.DeleteFunc(topics, func(t Topic) bool { return len(t.Rows) == 0 }), nil
}
