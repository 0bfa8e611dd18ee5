package policy

import (
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"github.com/spf13/pflag"

	"github.com/plexsphere/function-cloud-tags/tags/command/cluster"
)

// TestCommandLine has a shell read command lines, which should make the same command again.
func TestCommandLine(t *testing.T) {
	bash, err := exec.LookPath("bash")
	if err != nil {
		t.Skip("no shell is installed")
	}

	missing := map[string]bool{}

	(&Command{}).Cobra().Flags().VisitAll(func(f *pflag.Flag) { missing[f.Name] = !f.Hidden })

	for _, tc := range []struct {
		reason string
		args   []string
	}{
		{"Each flag of labels should be given again.", []string{
			"--provider=aws,gcp", "--match=v1/Namespace", "--match=platform.example.org/v1/Zone=zones", "--prefix=tags.example.org/", "--key-prefix=", "--reserved-key=entigo:*", "--reserved-tags=gcp=1,aws=3",
			"--selector=tier=gold,a=b", "--action=Warn,Audit", "--name=x", "--profile-rules=Cloud",
		}},
		{"So should each flag of a Composition.", []string{"--composition=a b.yaml", "--step=tags", "--required-resources=$HOME,`x`", "--required-resources=c", "--required"}},
		{"So should each flag of resources.", []string{"--composition=-", "--resources", "--crds=a.yaml", "--crds=b.yaml"}},
		{"The definitions of a cluster have no path.", []string{"--composition=c.yaml", "--resources", "--crds"}},
		{"A text of any characters should stay what it is.", []string{"--provider=aws", "--match=v1/Namespace", "--prefix=tags.example.org/", "--key-prefix=it's \\ \"\n\x1b\u2028ü'\\"}},
	} {
		want := parse(t, tc.args...)

		line := want.commandLine()
		if strings.ContainsFunc(line, func(r rune) bool { return r < ' ' || r == '\u2028' }) {
			t.Errorf("\n%s\nThe command line should have no character that nobody sees, but is %q", tc.reason, line)
		}

		for flag := range missing {
			missing[flag] = missing[flag] && !strings.Contains(line+" ", " --"+flag+" ")
		}

		words, err := exec.CommandContext(t.Context(), bash, "-c", `printf '%s\0' `+line).Output() //nolint:gosec // A shell has to read it.
		if err != nil {
			t.Fatalf("\n%s\n%s: %v", tc.reason, line, err)
		}

		got := parse(t, strings.Split(strings.TrimSuffix(string(words), "\x00"), "\x00")[2:]...)
		if diff := cmp.Diff(want, got, cmpopts.IgnoreUnexported(Command{}, cluster.Flags{})); diff != "" {
			t.Errorf("\n%s\nThe command %s should be the same: -want, +got:\n%s", tc.reason, line, diff)
		}
	}

	for flag, isMissing := range missing {
		if isMissing {
			t.Errorf("the flag --%s should have a case", flag)
		}
	}
}

// TestCommandLineOfMachine has what a command line leaves out.
func TestCommandLineOfMachine(t *testing.T) {
	c := parse(t, "--composition", filepath.Join(t.TempDir(), "composition.yaml"), "--resources", "--crds", "--context", "prod", "--token", "secret")
	if diff := cmp.Diff("function-cloud-tags policy --composition composition.yaml --resources --crds", c.commandLine()); diff != "" {
		t.Errorf("the folders of a machine and the flags of kubectl should be left out: -want, +got:\n%s", diff)
	}
}
