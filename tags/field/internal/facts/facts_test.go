package facts_test

import (
	"bytes"
	"os"
	"testing"

	"github.com/google/go-cmp/cmp"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/plexsphere/function-cloud-tags/tags/field/crds"
	"github.com/plexsphere/function-cloud-tags/tags/field/internal/facts"
)

func read(t *testing.T) ([]byte, []facts.Line) {
	t.Helper()

	b, err := os.ReadFile("../../testdata/tag-fields.tsv.gz")
	if err != nil {
		t.Fatal(err)
	}

	lines, err := facts.Read(bytes.NewReader(b))
	if err != nil {
		t.Fatal(err)
	}

	return b, lines
}

func TestWrite(t *testing.T) {
	want, lines := read(t)

	got := &bytes.Buffer{}
	if err := facts.Write(got, lines); err != nil {
		t.Fatal(err)
	}

	if !bytes.Equal(want, got.Bytes()) {
		t.Error("Write(Read(...)): the survey has changed")
	}
}

// Surveying the definitions that we have must say what the survey says.
func TestSurvey(t *testing.T) {
	_, lines := read(t)

	surveyed := make(map[schema.GroupVersionKind][]facts.Line)
	for _, l := range lines {
		surveyed[l.GroupVersionKind] = append(surveyed[l.GroupVersionKind], l)
	}

	r := &crds.Reader{Progress: os.Stderr}
	if err := r.Read([]string{"../../testdata/crds"}, func(d crds.Definition) {
		want := surveyed[d.GroupVersionKind]
		if len(want) == 0 {
			t.Fatalf("%s is not in the survey", d.GroupVersionKind)
		}

		if diff := cmp.Diff(want, facts.Survey(want[0].Provider, want[0].Source, d)); diff != "" {
			t.Errorf("Survey(...): -want, +got:\n%s", diff)
		}
	}); err != nil {
		t.Fatal(err)
	}
}

func TestReplace(t *testing.T) {
	line := func(source, kind string) facts.Line {
		return facts.Line{Provider: "p", Source: source, GroupVersionKind: schema.GroupVersionKind{Kind: kind}}
	}

	cases := map[string]struct {
		reason      string
		lines, with []facts.Line
		want        []facts.Line
	}{
		"Nothing": {
			reason: "Without new lines, nothing changes.",
			lines:  []facts.Line{line("a@1", "A")},
			want:   []facts.Line{line("a@1", "A")},
		},
		"NewVersion": {
			reason: "A new version takes the place of the old one.",
			lines:  []facts.Line{line("a@1", "A"), line("b@1", "A"), line("b@1", "B"), line("c@1", "A")},
			with:   []facts.Line{line("b@2", "C"), line("b@2", "A")},
			want:   []facts.Line{line("a@1", "A"), line("b@2", "A"), line("b@2", "C"), line("c@1", "A")},
		},
		"NewProvider": {
			reason: "A new provider comes behind the others.",
			lines:  []facts.Line{line("a@1", "A")},
			with:   []facts.Line{line("b@2", "A")},
			want:   []facts.Line{line("a@1", "A"), line("b@2", "A")},
		},
	}

	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			if diff := cmp.Diff(tc.want, facts.Replace(tc.lines, tc.with)); diff != "" {
				t.Errorf("\n%s\nReplace(...): -want, +got:\n%s", tc.reason, diff)
			}
		})
	}
}
