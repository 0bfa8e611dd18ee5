package command_test

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/spf13/cobra"

	fnv1 "github.com/crossplane/function-sdk-go/proto/v1"

	"github.com/plexsphere/function-cloud-tags/tags/command"
	"github.com/plexsphere/function-cloud-tags/tags/require"
)

func TestExecute(t *testing.T) {
	cases := map[string]struct {
		reason      string
		args        string
		environment string
		want        string
		wantErr     string
	}{
		"None":            {reason: "Without arguments the default command runs.", want: "serve size=4"},
		"Flag":            {reason: "So it does with its flags.", args: "--size=8", want: "serve size=8"},
		"DefaultByName":   {reason: "It has a name like all others.", args: "serve --size 8", want: "serve size=8"},
		"Command":         {reason: "A command can have arguments.", args: "explain a b", want: "explain paths=[a b] output=table prefix=<nil>"},
		"NoPaths":         {reason: "A command may need arguments.", args: "explain", wantErr: "64: requires at least 1 arg(s), only received 0"},
		"CommandSlip":     {reason: "A slip should be told.", args: "explian", wantErr: `64: there is no command "explian": did you mean explain? commands are completion, explain, fail, help, policy, serve, version`},
		"CommandUnknown":  {reason: "What is like no command should be, too.", args: "x", wantErr: `64: there is no command "x": commands are completion, explain, fail, help, policy, serve, version`},
		"FlagSlip":        {reason: "So should a slip of a flag.", args: "explain --ouptut json a", wantErr: "64: there is no flag --ouptut: did you mean --output? kubectl cloudtags explain --help has all"},
		"FlagUnknown":     {reason: "What is like no flag should be, too.", args: "explain --wide a", wantErr: "64: there is no flag --wide: kubectl cloudtags explain --help has all"},
		"FlagNoValue":     {reason: "Other errors are those of the library.", args: "explain --output", wantErr: "64: flag needs an argument: --output"},
		"Choice":          {reason: "A choice is one of its values.", args: "explain -o json a", want: "explain paths=[a] output=json prefix=<nil>"},
		"ChoiceSlip":      {reason: "A slip of a value should be told.", args: "explain -o jsno a", wantErr: `64: invalid argument "jsno" for "-o, --output" flag: did you mean json? must be one of table, json`},
		"Optional":        {reason: "An empty prefix isn't the default one.", args: "explain --prefix= a", want: "explain paths=[a] output=table prefix="},
		"Variable":        {reason: "An environment variable stands for a flag.", environment: "16", want: "serve size=16"},
		"VariableAndFlag": {reason: "The flag is nearer to whoever runs the command.", environment: "16", args: "--size=8", want: "serve size=8"},
		"VariableWrong":   {reason: "Values of variables are checked like those of flags.", environment: "much", wantErr: `64: environment variable SERVE_SIZE: must be an integer`},
		"Nested":          {reason: "A command can have commands.", args: "policy import a", want: "import a"},
		"NestedDefault":   {reason: "It is one itself, too.", args: "policy", want: "policy"},
		"NestedSlip":      {reason: "A slip of these should be told, too.", args: "policy impotr a", wantErr: `64: there is no command "impotr": did you mean import? commands are import`},
		"NestedFails":     {reason: "Their errors aren't of the command line either.", args: "policy import fail", wantErr: "1: it failed"},
		"Fails":           {reason: "An error of a command isn't one of the command line.", args: "fail", wantErr: "1: it failed"},
		"Version":         {reason: "The version is that of the program, not of a command.", args: "--version", want: "v1"},
		"Help": {reason: "Help is about all commands.", args: "--help", want: `A Crossplane composition function that turns labels into cloud tags.

Usage: kubectl cloudtags [flags]

Commands:
  completion   Generate the autocompletion script for the specified shell
  explain      Explain.
  fail         Fail.
  policy       Policy.
  serve        Serve.
  version      Print the version and the revision that the program is built of.

Flags:
  -h, --help      help for kubectl cloudtags
      --version   The same as the command version.

Exit codes: 0 done, 1 failed, 64 wrong command line`},
		"CommandHelp": {reason: "Help of a command has its flags in the order of their use, with choices and variables.", args: "serve --help", want: `Serve.

Usage: kubectl cloudtags serve [flags]

Examples:
  kubectl cloudtags serve --size 8
  kubectl cloudtags serve --size 16

Flags:
      --size MB   Greatest size in MB. [$SERVE_SIZE] (default 4)
  -h, --help      help for serve

Exit codes: 0 done, 1 failed, 2 too large, 64 wrong command line`},
		"FlagsHelp": {reason: "A flag that may have no value, and a map that is empty by default, look like other flags.", args: "policy --help", want: `Policy.

Usage: kubectl cloudtags policy [flags]

Commands:
  import       Import.

Flags:
      --crds PATH            PATH of definitions.
      --selector KEY=VALUE   Label (KEY=VALUE) of objects.
  -h, --help                 help for policy

Exit codes: 0 done, 1 failed, 64 wrong command line`},
		"VersionByName": {reason: "The version has a command, too.", args: "version", want: "v1"},
	}

	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			t.Setenv("SERVE_SIZE", tc.environment)

			out := &strings.Builder{}
			p := program()
			p.SetOut(out)

			err := command.Execute(t.Context(), p, "serve", strings.Fields(tc.args))

			gotErr := ""
			if err != nil {
				gotErr = fmt.Sprintf("%d: %v", command.ExitCode(err), err)
			}

			if diff := cmp.Diff([]string{tc.want, tc.wantErr}, []string{strings.TrimSpace(out.String()), gotErr}); diff != "" {
				t.Errorf("%s\nExecute(%q): -want, +got:\n%s", tc.reason, tc.args, diff)
			}
		})
	}
}

// program with commands that print their flags.
func program() *cobra.Command {
	var (
		size   int
		paths  []string
		prefix *string
		output = "table"
	)

	annotations := map[string]string{command.ExitCodes: "0 done, 1 failed, 2 too large"}
	serve := &cobra.Command{Use: "serve", Short: "Serve.", Example: "--size 8\n--size 16", Annotations: annotations, Args: cobra.NoArgs, RunE: func(c *cobra.Command, _ []string) error {
		_, err := fmt.Fprintf(c.OutOrStdout(), "serve size=%d", size)

		return err
	}}
	serve.Flags().IntVar(&size, "size", 4, "Greatest size in `MB`.")
	command.Variable(serve.Flags(), "size", "SERVE_SIZE")

	explain := &cobra.Command{Use: "explain PATH...", Short: "Explain.", Args: command.Paths(&paths, 1), RunE: func(c *cobra.Command, _ []string) error {
		shown := "<nil>"
		if prefix != nil {
			shown = *prefix
		}

		_, err := fmt.Fprintf(c.OutOrStdout(), "explain paths=%v output=%s prefix=%s", paths, output, shown)

		return err
	}}
	command.Choice(explain, &output, "output", "o", "Format.", "table", "json")
	explain.Flags().Func("prefix", "Prefix.", command.Optional(&prefix))

	fail := &cobra.Command{Use: "fail", Short: "Fail.", RunE: func(*cobra.Command, []string) error { return errors.New("it failed") }}

	policy := &cobra.Command{Use: "policy", Short: "Policy.", Args: cobra.NoArgs, RunE: func(c *cobra.Command, _ []string) error {
		_, err := fmt.Fprint(c.OutOrStdout(), "policy")

		return err
	}}
	policy.Flags().String("crds", "", "`PATH` of definitions.")
	policy.Flags().Lookup("crds").NoOptDefVal = "\x00"
	policy.Flags().StringToString("selector", nil, "Label (`KEY=VALUE`) of objects.")
	policy.AddCommand(&cobra.Command{Use: "import FILE", Short: "Import.", Args: cobra.ExactArgs(1), RunE: func(c *cobra.Command, args []string) error {
		if args[0] == "fail" {
			return errors.New("it failed")
		}

		_, err := fmt.Fprintf(c.OutOrStdout(), "import %s", args[0])

		return err
	}})

	return command.Program("kubectl cloudtags", "v1", serve, explain, fail, policy)
}

func TestExitCode(t *testing.T) {
	cases := map[string]struct {
		reason string
		err    error
		want   int
	}{
		"Any":   {reason: "Most errors have no status of their own.", err: errors.New("broken"), want: 1},
		"Coded": {reason: "Some say the status, wherever they are wrapped.", err: fmt.Errorf("cannot: %w", command.WithExitCode(2, errors.New("coded"))), want: 2},
	}

	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			if got := command.ExitCode(tc.err); got != tc.want {
				t.Errorf("%s\nExitCode(%v): want %d, got %d", tc.reason, tc.err, tc.want, got)
			}
		})
	}
}

// TestFetching runs a function that asks for one more object on each call, until it has so many.
func TestFetching(t *testing.T) {
	cases := map[string]struct {
		reason string
		needs  int
		want   string
	}{
		"Nothing": {reason: "A function that requires nothing is called once.", want: "called 1 times"},
		"Five":    {reason: "Crossplane fetches five times, and calls once more to see that nothing else is required.", needs: 5, want: "called 6 times"},
		"Six":     {reason: "Then it gives up.", needs: 6, want: "it requires something else on each of 6 calls, and Crossplane calls no more: let fewer objects lead from one to the next"},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			calls := 0
			f := command.Function(func(_ context.Context, req *fnv1.RunFunctionRequest) (*fnv1.RunFunctionResponse, error) {
				calls++

				rsp := &fnv1.RunFunctionResponse{}
				if n := min(len(req.GetRequiredResources())+1, tc.needs); n > 0 {
					rsp.Requirements = &fnv1.Requirements{Resources: make(map[string]*fnv1.ResourceSelector)}
					for i := range n {
						rsp.Requirements.Resources[strconv.Itoa(i)] = &fnv1.ResourceSelector{Kind: strconv.Itoa(i)}
					}
				}

				return rsp, nil
			})

			_, err := f.Fetching(require.In(nil))(t.Context(), &fnv1.RunFunctionRequest{})

			got := fmt.Sprintf("called %d times", calls)
			if err != nil {
				got = err.Error()
			}

			if diff := cmp.Diff(tc.want, got); diff != "" {
				t.Errorf("\n%s\nFetching(...): -want, +got:\n%s", tc.reason, diff)
			}
		})
	}
}
