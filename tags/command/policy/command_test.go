package policy

import (
	"fmt"
	"strings"
	"testing"
	"unicode"

	"k8s.io/apimachinery/pkg/util/version"
	"k8s.io/apiserver/pkg/cel/environment"
	"pgregory.net/rapid"

	"github.com/plexsphere/function-cloud-tags/tags/tagstest"
)

// TestPrinted runs the command lines of testdata/cases.yaml. What they print has been read
// by a human.
func TestPrinted(t *testing.T) {
	var cases []struct {
		Name   string   `json:"name"`
		Reason string   `json:"reason"`
		Args   []string `json:"args"`
		Stdin  string   `json:"stdin"`

		// Input of a Composition's step, which is standard input instead.
		Input string `json:"input"`
	}

	tagstest.ReadYAML(t, "testdata/cases.yaml", &cases)

	g := tagstest.NewGolden(t)

	for _, tc := range cases {
		t.Run(tc.Name, func(t *testing.T) {
			in := tc.Stdin
			if tc.Input != "" {
				in = compositionOf(tc.Input)
			}

			out := &strings.Builder{}
			err := command(t, tc.Args...).run(strings.NewReader(in), out)

			got := strings.Split(out.String(), "\n")
			if err != nil {
				got = append(got, fmt.Sprintf("error: %v", err))
			}

			g.Check(t, tc.Reason, got)
		})
	}
}

func TestWriteError(t *testing.T) {
	err := command(t, "--provider", "aws", "--prefix", prefix, "--match", "v1/Namespace").run(nil, tagstest.BrokenPipe{})
	if err == nil || err.Error() != "cannot write the policy: the pipe is broken" {
		t.Errorf("an error of the output should be said, but it is: %v", err)
	}
}

// TestQuote reads literals as the API server does.
func TestQuote(t *testing.T) {
	env, err := environment.MustBaseEnvSet(version.MajorMinor(1, 30)).Env(environment.NewExpressions)
	if err != nil {
		t.Fatal(err)
	}

	rapid.Check(t, func(t *rapid.T) {
		want := rapid.OneOf(rapid.String(), joined(append([]string{`"`, "\u0085", "\u2028", "\x00", "\x7f", "{", "\ufffd"}, pieces...), 6)).Draw(t, "string")

		if strings.ContainsFunc(quote(want), func(r rune) bool { return !unicode.IsPrint(r) }) {
			t.Errorf("%s should have nothing that nobody sees, which YAML may not have", quote(want))
		}

		ast, issues := env.Compile(quote(want))
		if issues != nil {
			t.Fatalf("%s should be a CEL literal: %v", quote(want), issues)
		}

		program, err := env.Program(ast)
		if err != nil {
			t.Fatal(err)
		}

		got, _, err := program.Eval(map[string]any{})
		if err != nil {
			t.Fatal(err)
		}

		if got.Value() != want {
			t.Errorf("%s should be read as %q, but is as %q", quote(want), want, got.Value())
		}
	})
}
