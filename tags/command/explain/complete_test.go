package explain

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/spf13/cobra"
)

// TestComplete completes the arguments with a kubectl that knows the type buckets, and its object logs.
func TestComplete(t *testing.T) {
	const script = "#!/bin/sh\n" + `for word; do :; done
case "$*" in
*" buckets "*) echo logs ;;
*)
    case "$word" in
    buckets/*) echo buckets/logs ;;
    b*) echo buckets ;;
    esac ;;
esac
echo :4
`

	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "kubectl"), []byte(script), 0o700); err != nil { //nolint:gosec // It is a program.
		t.Fatal(err)
	}

	t.Setenv("PATH", dir+string(os.PathListSeparator)+os.Getenv("PATH"))

	files := []string{"yaml", "yml", "json"}

	for _, tc := range []struct {
		reason    string
		args      []string
		word      string
		want      []string
		directive cobra.ShellCompDirective
	}{
		{"The first argument may be a type.", nil, "b", []string{"buckets"}, cobra.ShellCompDirectiveNoFileComp},
		{"It may be a file, too.", nil, "labels", files, cobra.ShellCompDirectiveFilterFileExt},
		{"A name follows a type.", []string{"buckets"}, "", []string{"logs"}, cobra.ShellCompDirectiveNoFileComp},
		{"A name follows a slash.", nil, "buckets/", []string{"buckets/logs"}, cobra.ShellCompDirectiveNoFileComp},
		{"Nothing follows a name.", []string{"buckets", "logs"}, "", nil, cobra.ShellCompDirectiveNoFileComp},
		{"Nothing follows a type with a name.", []string{"buckets/logs"}, "", nil, cobra.ShellCompDirectiveNoFileComp},
	} {
		out := (&Command{}).Cobra()
		out.SetContext(t.Context())

		got, directive := out.ValidArgsFunction(out, tc.args, tc.word)
		if diff := cmp.Diff(tc.want, got); diff != "" || directive != tc.directive {
			t.Errorf("\n%s\nWhat follows %q and %q, with directive %d: -want, +got:\n%s", tc.reason, tc.args, tc.word, directive, diff)
		}
	}
}
