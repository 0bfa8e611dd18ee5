package functions

import (
	"context"
	"fmt"

	"github.com/plexsphere/function-cloud-tags/tags/command/remote"
)

// ConnectCalled connects to all called functions that don't run here, and adds them to others. They have to listen at
// their targets by now. A call of disconnect ends the connections.
func ConnectCalled(ctx context.Context, root string, called []string, targets map[string]string, others map[string]Function) (disconnect func(), err error) {
	var connections []*remote.Client

	disconnect = func() {
		for _, c := range connections {
			c.Close()
		}
	}

	for _, name := range called {
		if runsHere(name) || others[name] != nil {
			continue
		}

		f, err := remote.Connect(targets[name])
		if err != nil {
			disconnect()
			return nil, err
		}

		connections = append(connections, f)
		others[name] = f

		if version := pinnedVersion(root, name); version != "" {
			others[name] = pinned{f, fmt.Sprintf("(.ci/tool builds %s %s. If the Composition is for another release, start that one:\n  %s)",
				name, version, startRelease(name, "VERSION", targets[name]))}
		}

		if !f.Listens(ctx) {
			disconnect()
			return nil, fmt.Errorf("%s doesn't listen at %s: start it there, such as\n  %s", name, targets[name], startOf(root, name, targets[name]))
		}
	}

	return disconnect, nil
}

// runsHere is true for a function that Start starts.
func runsHere(name string) bool { return name == CloudTags || name == TestResources }
