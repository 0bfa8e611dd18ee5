package manifest_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/plexsphere/function-cloud-tags/tags/manifest"
	"github.com/plexsphere/function-cloud-tags/tags/tagstest"
)

// TestStep finds the steps of testdata/steps.yaml.
func TestStep(t *testing.T) {
	var cases []struct {
		Name   string `json:"name"`
		Reason string `json:"reason"`
		Step   string `json:"step"`
		Text   string `json:"text"`
	}

	tagstest.ReadYAML(t, "testdata/steps.yaml", &cases)

	g := tagstest.NewGolden(t)

	for _, tc := range cases {
		t.Run(tc.Name, func(t *testing.T) {
			s, err := (&manifest.Reader{Stdin: strings.NewReader(tc.Text)}).Step(manifest.Stdin, tc.Step)

			got := "error: " + tagstest.Error(err)
			if err == nil {
				got = fmt.Sprintf("step %q with key prefix %q, of Composition %q for %+v", s.Name, s.Input.KeyPrefix, s.Composition, s.Composite)
				if s.Early {
					got += ", before the steps that make resources"
				}
			}

			g.Check(t, tc.Reason, []string{got})
		})
	}
}
