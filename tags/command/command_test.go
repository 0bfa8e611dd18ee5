package command_test

import (
	"fmt"
	"testing"

	"github.com/alecthomas/kong"

	"github.com/plexsphere/function-cloud-tags/tags/command"
)

func TestCheck(t *testing.T) {
	var cli struct {
		Serve struct {
			Debug bool
		} `cmd:"" default:"withargs"`
		Explain struct{} `cmd:""`
	}

	cases := map[string]struct {
		reason string
		args   []string
		want   string
	}{
		"None":    {reason: "Without arguments the default command runs.", want: "<nil>"},
		"Flag":    {reason: "So it does with its flags.", args: []string{"--debug"}, want: "<nil>"},
		"Command": {reason: "A command can have arguments.", args: []string{"explain", "x"}, want: "<nil>"},
		"Slip":    {reason: "A slip should be told.", args: []string{"explian"}, want: `there is no command "explian": did you mean explain? commands are serve, explain`},
		"Other":   {reason: "What is like no command should be, too.", args: []string{"x"}, want: `there is no command "x": commands are serve, explain`},
	}

	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			if got := fmt.Sprint(command.Check(kong.Must(&cli).Model.Node, tc.args)); got != tc.want {
				t.Errorf("%s\nCheck(%q): want %s, got %s", tc.reason, tc.args, tc.want, got)
			}
		})
	}
}
