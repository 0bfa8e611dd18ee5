package policy

import (
	"io"
	"strings"
	"testing"
	"unicode"

	"k8s.io/apimachinery/pkg/util/version"
	"k8s.io/apiserver/pkg/cel/environment"
	"pgregory.net/rapid"

	"github.com/plexsphere/function-cloud-tags/tags/tagstest"
)

// TestPrinted runs the command lines of testdata/cases.yaml. Standard input is a Composition with their input, if
// they have one. A human has read their output.
func TestPrinted(t *testing.T) {
	tagstest.CommandLines(t, func(t *testing.T, line *tagstest.CommandLine, in io.Reader, out io.Writer) error {
		t.Helper()

		if line.Input != "" {
			in = strings.NewReader(compositionOf(line.Input))
		}

		c := &Command{}
		if err := tagstest.ParseArgs(c, line.Args); err != nil {
			return err
		}

		return c.write(t.Context(), in, out)
	})
}

func TestWriteError(t *testing.T) {
	err := parse(t, "--provider", "aws", "--prefix", prefix, "--match", "v1/Namespace").write(t.Context(), nil, tagstest.BrokenPipe{})
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
