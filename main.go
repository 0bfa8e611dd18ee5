// Package main implements function-cloud-tags, a Crossplane composition function
// that turns labels into cloud tags.
package main

import (
	"context"
	"log/slog"
	"os"
	"path/filepath"
	"runtime/debug"
	"strings"

	"github.com/alecthomas/kong"

	fnv1 "github.com/crossplane/function-sdk-go/proto/v1"

	"github.com/plexsphere/function-cloud-tags/tags/command"
	"github.com/plexsphere/function-cloud-tags/tags/command/coverage"
	"github.com/plexsphere/function-cloud-tags/tags/command/explain"
	"github.com/plexsphere/function-cloud-tags/tags/command/index"
	"github.com/plexsphere/function-cloud-tags/tags/command/policy"
	"github.com/plexsphere/function-cloud-tags/tags/command/serve"
	"github.com/plexsphere/function-cloud-tags/tags/report"
)

// What a release is built of, which its build says.
var version, revision = "(devel)", "unknown"

// CLI of the function.
type CLI struct {
	Version kong.VersionFlag `help:"Print the version and the revision that the function is built of."`

	Serve   serve.Command   `cmd:"" default:"withargs" help:"Serve the function to Crossplane. This is the default command."`
	Explain explain.Command `cmd:"" help:"Show which labels become which tags, and which are skipped and why."`
	Policy  policy.Command  `cmd:"" help:"Print a ValidatingAdmissionPolicy that refuses labels and annotations which could not become tags."`
	Index   index.Command   `cmd:"" help:"Print the built-in index of tag fields, or the tag fields of the kinds that custom resource definitions define."`

	Coverage coverage.Command `cmd:"" help:"Count tagged resources, resources with missing tags, and resources whose tags in the cloud differ from the desired ones."`
}

// plugin is the name of the program as a plugin of kubectl, which calls it as kubectl cloudtags.
const plugin = "kubectl-cloudtags"

func main() {
	name := "function-cloud-tags"

	if strings.TrimSuffix(filepath.Base(os.Args[0]), ".exe") == plugin {
		name = "kubectl cloudtags"

		if len(os.Args) == 1 { // Whoever calls it so is no Crossplane.
			os.Args = append(os.Args, "--help")
		}
	}

	cli := &CLI{Serve: serve.Command{New: func(c *serve.Command, log *slog.Logger, metrics *report.Metrics) fnv1.FunctionRunnerServiceServer {
		return &Function{log: log, metrics: metrics, auditValues: c.AuditValues, limit: report.Limit(c.MaxSendMessageSize << 20)}
	}}, Explain: explain.Command{Function: (&Function{log: slog.New(slog.DiscardHandler)}).RunFunction}}

	parser := kong.Must(cli,
		kong.Name(name),
		kong.Description("A Crossplane composition function that turns labels into cloud tags."),
		kong.Vars{"version": built()},
		kong.BindTo(context.Background(), (*context.Context)(nil)))

	parser.FatalIfErrorf(command.Check(parser.Model.Node, os.Args[1:]))

	k, err := parser.Parse(os.Args[1:])
	parser.FatalIfErrorf(err)
	k.FatalIfErrorf(k.Run())
}

// built is what the program is built of: what a release says, or Go does of go install with a version and of a checkout.
func built() string {
	version, revision := version, revision

	if info, ok := debug.ReadBuildInfo(); ok && version == "(devel)" {
		version = info.Main.Version

		for _, s := range info.Settings {
			if s.Key == "vcs.revision" {
				revision = s.Value
			}
		}
	}

	return version + " " + revision
}
