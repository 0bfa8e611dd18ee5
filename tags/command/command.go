// Package command has what all commands share.
package command

import (
	"slices"
	"strings"

	"github.com/alecthomas/kong"

	"github.com/crossplane/function-sdk-go/errors"

	"github.com/plexsphere/function-cloud-tags/tags/words"
)

// Check returns an error if the first of the arguments is neither a flag nor one of the program's commands. The parser
// would take it for an argument of the default command, which has none.
func Check(program *kong.Node, args []string) error {
	names := words.Map(program.Children, func(n *kong.Node) string { return n.Name })
	if len(args) == 0 || strings.HasPrefix(args[0], "-") || slices.Contains(names, args[0]) {
		return nil
	}

	return errors.Errorf("there is no command %q: %scommands are %s", args[0], words.DidYouMean(args[0], names), strings.Join(names, ", "))
}
