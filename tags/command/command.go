// Package command helps all commands.
package command

import (
	"cmp"
	"context"
	"fmt"
	"os"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/crossplane/function-sdk-go/errors"

	"github.com/plexsphere/function-cloud-tags/tags/command/terminal"
	"github.com/plexsphere/function-cloud-tags/tags/words"
)

// defaultWidth is the width of help outside of a terminal, in columns.
const defaultWidth = 100

// variable annotates a flag with the name of its environment variable.
const variable = "variable"

// Program returns the program with the commands. People see its name, such as kubectl cloudtags.
func Program(name, version string, commands ...*cobra.Command) *cobra.Command {
	p := &cobra.Command{
		Use:               strings.ReplaceAll(name, " ", "-"),
		Annotations:       map[string]string{cobra.CommandDisplayNameAnnotation: name},
		Short:             "A Crossplane composition function that turns labels into cloud tags.",
		Args:              known,
		PersistentPreRunE: readVariables,
		SilenceErrors:     true,
		SilenceUsage:      true,
	}

	commands = append(commands, &cobra.Command{
		Use: "version", Short: "Print the version and the revision that the program is built of.", Args: cobra.NoArgs,
		RunE: func(c *cobra.Command, _ []string) error {
			_, err := fmt.Fprintln(c.OutOrStdout(), version)

			return err
		},
	})

	printVersion := p.Flags().Bool("version", false, "The same as the command version.")
	p.RunE = func(p *cobra.Command, _ []string) error {
		if !*printVersion {
			return p.Help()
		}

		_, err := fmt.Fprintln(p.OutOrStdout(), version)

		return err
	}

	p.SetUsageFunc(printUsage)
	p.SetFlagErrorFunc(unknownFlag)
	p.AddCommand(commands...)

	for _, c := range commands {
		prepare(c)
	}

	return p
}

// prepare prepares the command, and all commands below it.
func prepare(c *cobra.Command) {
	c.Flags().SortFlags = false // They are in the order of their use.

	run := c.RunE
	c.RunE = func(c *cobra.Command, args []string) error {
		if err := run(c, args); err != nil {
			return WithExitCode(ExitCode(err), err)
		}

		return nil
	}

	takesArgs := c.Args

	for _, below := range c.Commands() {
		c.Args = func(c *cobra.Command, args []string) error {
			if takesArgs != nil && takesArgs(c, args) == nil {
				return nil
			}

			return known(c, args)
		}

		prepare(below)
	}
}

// Execute runs the program with the arguments. If the first one is a flag, the default command gets all of them, if there is one.
func Execute(ctx context.Context, p *cobra.Command, defaultCommand string, args []string) error {
	if defaultCommand != "" && (len(args) == 0 || strings.HasPrefix(args[0], "-") && !slices.Contains([]string{"-h", "--help", "--version"}, args[0])) {
		args = slices.Concat([]string{defaultCommand}, args)
	}

	p.SetArgs(args)

	err := p.ExecuteContext(ctx)
	if err == nil || errors.As(err, new(codedError)) { // A command has run.
		return err
	}

	return WithExitCode(usage, err)
}

// usage is the exit code of errors in the command line: EX_USAGE of sysexits.h. No command has run.
const usage = 64

// StrictCode is the exit code of a command whose --strict finds something.
const StrictCode = 2

// A codedError ends the process with the code.
type codedError struct {
	error

	code int
}

// ExitCodes annotates a command with its exit codes, in a few words, if there are others than 0, 1 and 64.
const ExitCodes = "exitCodes"

// WithExitCode returns the error. The process exits with the code.
func WithExitCode(code int, err error) error { return codedError{err, code} }

// ExitCode returns the exit code of a process that ends with the error.
func ExitCode(err error) int {
	var coded codedError
	if errors.As(err, &coded) {
		return coded.code
	}

	return 1
}

// known returns an error if there are arguments: the first one is the name of no command.
func known(p *cobra.Command, args []string) error {
	if len(args) == 0 {
		return nil
	}

	names := words.Map(p.Commands(), (*cobra.Command).Name)

	return errors.Errorf("there is no command %q: %scommands are %s", args[0], words.DidYouMean(args[0], names), strings.Join(names, ", "))
}

// unknownFlag adds the most similar name to the error about an unknown flag.
func unknownFlag(c *cobra.Command, err error) error {
	var unknown *pflag.NotExistError
	if !errors.As(err, &unknown) {
		return err
	}

	var names []string

	c.Flags().VisitAll(func(f *pflag.Flag) { names = append(names, "--"+f.Name) })

	return errors.Errorf("there is no flag --%s: %s%s --help has all", unknown.GetSpecifiedName(), words.DidYouMean("--"+unknown.GetSpecifiedName(), names), c.CommandPath())
}

// Variable makes the environment variable the default of the flag, which must exist. An empty variable counts as none.
func Variable(flags *pflag.FlagSet, name, environment string) {
	f := flags.Lookup(name)
	f.Usage += " [$" + environment + "]"
	f.Annotations = map[string][]string{variable: {environment}}
}

// readVariables sets flags to their environment variables.
func readVariables(c *cobra.Command, _ []string) (err error) {
	c.Flags().VisitAll(func(f *pflag.Flag) {
		for _, name := range f.Annotations[variable] {
			if v := os.Getenv(name); v != "" && !f.Changed {
				err = errors.Join(err, errors.Wrap(f.Value.Set(v), "environment variable "+name))
			}
		}
	})

	return err
}

// printUsage prints the commands and the flags, as wide as the terminal. With cobra's SetUsageTemplate, the linker would keep all methods of
// all types in the binary.
func printUsage(c *cobra.Command) error {
	commands := words.MapIf(c.Commands(), func(s *cobra.Command) (string, bool) {
		return fmt.Sprintf("  %-*s  %s\n", s.NamePadding(), s.Name(), s.Short), s.IsAvailableCommand()
	})
	if len(commands) > 0 {
		commands = append([]string{"\nCommands:\n"}, commands...)
	}

	examples := ""
	if c.Example != "" {
		prefix := "\n  " + c.CommandPath() + " "
		examples = "\nExamples:" + prefix + strings.ReplaceAll(c.Example, "\n", prefix) + "\n"
	}

	flags := switches(c.LocalFlags()).FlagUsagesWrapped(cmp.Or(terminal.Of(os.Stdout).Width, defaultWidth))
	_, err := fmt.Fprintf(c.OutOrStderr(), "Usage: %s\n%s%s\nFlags:\n%s\n%s", c.UseLine(), strings.Join(commands, ""), examples, flags, exitCodes(c))

	return err
}

// exitCodes says with which codes the command exits.
func exitCodes(c *cobra.Command) string {
	return "Exit codes: " + cmp.Or(c.Annotations[ExitCodes], "0 done, 1 failed") + ", 64 wrong command line\n"
}

// A switchValue is the value of a boolean flag, which help shows as --strict, and not as --strict[=true|false].
type switchValue struct{ pflag.Value }

// switches returns the flags as help shows them: without an empty map as the default, and without the value of a flag that has none.
func switches(flags *pflag.FlagSet) *pflag.FlagSet {
	out := pflag.NewFlagSet("", pflag.ContinueOnError)
	out.SortFlags = flags.SortFlags

	flags.VisitAll(func(f *pflag.Flag) {
		shown := *f
		shown.NoOptDefVal = ""

		switch f.Value.Type() {
		case "bool":
			shown.Value = switchValue{f.Value}
		case "stringToString", "stringToInt":
			shown.DefValue = strings.TrimSuffix(f.DefValue, "[]")
		}

		out.AddFlag(&shown)
	})

	return out
}

// Choice adds a flag of the command with one of the choices as its value. Shells complete it. The default is the value of to.
func Choice[T ~string](c *cobra.Command, to *T, name, shorthand, help string, choices ...T) {
	names := words.Map(choices, func(v T) string { return string(v) })
	c.Flags().VarP(&choice[T]{to: to, names: names}, name, shorthand, help)
	_ = c.RegisterFlagCompletionFunc(name, cobra.FixedCompletions(names, cobra.ShellCompDirectiveNoFileComp)) // There is this flag.
}

type choice[T ~string] struct {
	to    *T
	names []string
}

// String returns the flag's value.
func (c *choice[T]) String() string { return string(*c.to) }

// Type returns the choices, which help shows.
func (c *choice[T]) Type() string { return strings.Join(c.names, "|") }

// Set sets the flag to one of the choices.
func (c *choice[T]) Set(v string) error {
	if !slices.Contains(c.names, v) {
		return errors.Errorf("%smust be one of %s", words.DidYouMean(v, c.names), strings.Join(c.names, ", "))
	}

	*c.to = T(v)

	return nil
}

// Paths returns the check of a command's arguments, at least so many files and folders. It stores them in to.
func Paths(to *[]string, least int) cobra.PositionalArgs {
	return func(c *cobra.Command, args []string) error {
		*to = args

		return cobra.MinimumNArgs(least)(c, args)
	}
}

// Optional returns the setter of a text flag. Without the flag, *to stays nil, which differs from an empty text.
func Optional(to **string) func(string) error {
	return func(v string) error {
		*to = &v

		return nil
	}
}
