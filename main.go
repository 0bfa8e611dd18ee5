// Package main implements function-cloud-tags, a Crossplane composition function
// that turns labels into cloud tags.
package main

import (
	"context"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"runtime/debug"
	"strings"

	"github.com/spf13/cobra"

	fnv1 "github.com/crossplane/function-sdk-go/proto/v1"

	"github.com/plexsphere/function-cloud-tags/tags/command"
	"github.com/plexsphere/function-cloud-tags/tags/command/coverage"
	"github.com/plexsphere/function-cloud-tags/tags/command/explain"
	"github.com/plexsphere/function-cloud-tags/tags/command/index"
	"github.com/plexsphere/function-cloud-tags/tags/command/migrate"
	"github.com/plexsphere/function-cloud-tags/tags/command/policy"
	"github.com/plexsphere/function-cloud-tags/tags/command/policy/awspolicy"
	"github.com/plexsphere/function-cloud-tags/tags/command/serve"
	"github.com/plexsphere/function-cloud-tags/tags/report"
)

// version and revision of a release. Its build sets both.
var version, revision = "(devel)", "unknown"

// plugin is the file name of the program as a plugin of kubectl, and pluginTitle is how people call it.
const (
	plugin      = "kubectl-cloudtags"
	pluginTitle = "kubectl cloudtags"
)

func main() {
	name, defaultCommand, args := "function-cloud-tags", "serve", os.Args[1:]

	if strings.TrimSuffix(filepath.Base(os.Args[0]), ".exe") == plugin {
		name, defaultCommand = pluginTitle, "" // Crossplane never calls the plugin.
	}

	if err := command.Execute(context.Background(), program(name), defaultCommand, args); err != nil {
		fmt.Fprintf(os.Stderr, "%s: error: %v\n", name, err)
		os.Exit(command.ExitCode(err))
	}
}

// program returns the program with all commands. People know it by the name.
func program(name string) *cobra.Command {
	newFunction := func(c *serve.Command, log *slog.Logger, metrics *report.Metrics) fnv1.FunctionRunnerServiceServer {
		return &Function{log: log, metrics: metrics, auditValues: c.AuditValues, limit: report.Limit(c.MaxSendMessageSize << 20)}
	}
	quiet := &Function{log: slog.New(slog.DiscardHandler)}

	policies := (&policy.Command{}).Cobra()
	policies.AddCommand((&awspolicy.Command{}).Cobra())

	builtVersion, builtRevision := built()

	serves := (&serve.Command{New: newFunction, Version: builtVersion, Revision: builtRevision}).Cobra()
	serves.Hidden = name == pluginTitle

	return command.Program(name, builtVersion+" "+builtRevision,
		serves,
		(&explain.Command{Function: quiet.Trace}).Cobra(),
		policies,
		(&index.Command{}).Cobra(),
		(&migrate.Command{Function: quiet.Trace}).Cobra(),
		(&coverage.Command{}).Cobra())
}

// built returns the version and revision of the program. A release sets both, and otherwise Go knows the module's version or
// the commit.
func built() (builtVersion, builtRevision string) {
	builtVersion, builtRevision = version, revision

	if info, ok := debug.ReadBuildInfo(); ok && version == "(devel)" {
		builtVersion = info.Main.Version

		for _, s := range info.Settings {
			if s.Key == "vcs.revision" {
				builtRevision = s.Value
			}
		}
	}

	return builtVersion, builtRevision
}
