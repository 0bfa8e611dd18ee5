// Package cluster reads objects of a cluster through kubectl, which has the credentials. Nothing is written to the cluster, and no
// Secret is read: the proxy that kubectl runs passes nothing else.
package cluster

import (
	"bufio"
	"cmp"
	"context"
	"encoding/json"
	"net"
	"net/http"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"syscall"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/crossplane/function-sdk-go/errors"
)

// The proxy passes these requests. Each list has regular expressions with commas between them.
const (
	// rejectMethods match every method but GET.
	rejectMethods = `^.?.?$,^[^G],^G[^E],^GE[^T],^GET.`

	// acceptPaths match the lists of kinds, schemas, objects and lists of objects. They match nothing below an object, such as pods/exec.
	acceptPaths = `^/apis?$,^/openapi/v3/[^?]+$,^/(api/v1|apis/[^/]+/[^/]+)(/namespaces/[^/]+)?/[^/]+(/[^/]+)?$`

	// rejectPaths match Secrets, and what goes on for ever.
	rejectPaths = `^/api/v1/(namespaces/[^/]+/)?secrets(/|$),^/(api/v1|apis/[^/]+/[^/]+)/watch/`
)

// program is kubectl, which must be in PATH.
const program = "kubectl"

// Flags are the flags of all commands of kubectl, such as --context and --as. They choose the cluster and the user.
type Flags struct {
	// Namespace is the flag --namespace, or empty.
	Namespace string

	// args are the other flags, as kubectl gets them.
	args []string
}

// names of kubectl's flags with a value, and of those without one. kubectl options lists them.
var (
	valued = []string{
		"as", "as-group", "as-uid", "as-user-extra", "cache-dir", "certificate-authority", "client-certificate", "client-key", "cluster", "context", "kubeconfig",
		"kuberc", "log-flush-frequency", "password", "profile", "profile-output", "request-timeout", "server", "tls-server-name", "token", "user", "username", "v", "vmodule",
	}
	switches   = []string{"disable-compression", "insecure-skip-tls-verify", "match-server-version", "warnings-as-errors"}
	shorthands = map[string]string{"server": "s", "v": "v"}
)

// AddTo adds the flags to the flags of a command. Help leaves them out: kubectl options has them.
func (f *Flags) AddTo(flags *pflag.FlagSet) {
	flags.StringVarP(&f.Namespace, "namespace", "n", "", "`NAMESPACE` in the cluster.")
	_ = flags.MarkHidden("namespace") // There is such a flag, here and below.

	for _, name := range slices.Concat(valued, switches) {
		flags.VarP(&passedOn{name: name, to: f}, name, shorthands[name], "As kubectl has it.")
		_ = flags.MarkHidden(name)
	}

	for _, name := range switches {
		flags.Lookup(name).NoOptDefVal = "true"
	}
}

// Given returns the first flag that is given, such as --context, or nothing.
func (f *Flags) Given() string {
	if f.Namespace != "" {
		return "--namespace"
	}

	if len(f.args) == 0 {
		return ""
	}

	name, _, _ := strings.Cut(f.args[0], "=")

	return name
}

// Title returns the cluster for people: the cluster prod, if --context or --cluster names it. Other flags may have secrets.
func (f *Flags) Title() string {
	for _, arg := range f.args {
		if name, value, _ := strings.Cut(arg, "="); name == "--context" || name == "--cluster" {
			return "the cluster " + value
		}
	}

	return "the cluster"
}

// CheckUnused returns an error if a flag is given to a command that reads no cluster. goes says when it would, such as "goes without files".
func (f *Flags) CheckUnused(goes string) error {
	if given := f.Given(); given != "" {
		return errors.Errorf("%s is kubectl's, and %s", given, goes)
	}

	return nil
}

// A passedOn flag is one that kubectl gets as it is.
type passedOn struct {
	name, value string
	to          *Flags
}

// String returns the flag's value.
func (p *passedOn) String() string { return p.value }

// Type returns the kind of values.
func (p *passedOn) Type() string { return "string" }

// Set adds the flag to kubectl's arguments.
func (p *passedOn) Set(v string) error {
	p.value = v
	p.to.args = append(p.to.args, "--"+p.name+"="+v)

	return nil
}

// A Cluster has objects. Its methods may be called at the same time.
type Cluster struct {
	flags *Flags
	http  *http.Client

	// kinds and schemas are read once: schemas in JSON, by kind.
	mu      sync.Mutex
	kinds   Kinds
	schemas map[schema.GroupVersion]map[string]json.RawMessage
}

// Open runs kubectl, and calls f with the cluster. kubectl ends with f. Its messages go to standard error.
func (f *Flags) Open(ctx context.Context, use func(context.Context, *Cluster) error) error {
	ctx, stop := signal.NotifyContext(ctx, os.Interrupt, syscall.SIGTERM)
	defer stop()

	dir, err := os.MkdirTemp("", "cloudtags-") // Nobody else may enter it.
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir) //nolint:errcheck // Nobody misses a socket that stays.

	socket := filepath.Join(dir, "s") // The path of a socket may have about 100 bytes.

	end, err := f.serve(ctx, socket)
	if err != nil {
		return err
	}
	defer end()

	transport := &http.Transport{DialContext: func(ctx context.Context, _, _ string) (net.Conn, error) {
		return new(net.Dialer).DialContext(ctx, "unix", socket)
	}}
	defer transport.CloseIdleConnections()

	c := &Cluster{flags: f, http: &http.Client{Transport: transport}, schemas: make(map[schema.GroupVersion]map[string]json.RawMessage)}

	return use(ctx, c)
}

// serve starts kubectl's proxy on the socket, and waits until it serves. end ends it.
func (f *Flags) serve(ctx context.Context, socket string) (end func(), err error) {
	ctx, cancel := context.WithCancel(ctx)

	cmd := f.kubectl(ctx, "proxy", "--unix-socket="+socket, "--reject-methods="+rejectMethods, "--accept-paths="+acceptPaths, "--reject-paths="+rejectPaths)

	out, err := cmd.StdoutPipe()
	if err == nil {
		err = cmd.Start()
	}

	if err != nil {
		cancel()
		return nil, errors.Wrapf(err, "cannot run %s, which reads the cluster: install it, or give files", program)
	}

	line, err := bufio.NewReader(out).ReadString('\n') // It says that it serves, or it ends.
	if err != nil {
		err = cmd.Wait()
		cancel()

		return nil, errors.Errorf("%s proxy ends before it reads the cluster: %v", program, err)
	}

	if !strings.Contains(line, socket) {
		cancel()
		_ = cmd.Wait() // It is killed.

		return nil, errors.Errorf("%s proxy doesn't say that it serves at a socket, but: %s", program, strings.TrimSpace(line))
	}

	return func() {
		cancel()
		_ = cmd.Wait() // As above.
	}, nil
}

// Namespace returns the namespace of names without one: the flags give it, or kubectl's configuration.
func (c *Cluster) Namespace(ctx context.Context) string {
	if c.flags.Namespace != "" {
		return c.flags.Namespace
	}

	cmd := c.flags.kubectl(ctx, "config", "view", "--minify", "--output=jsonpath={..namespace}")
	cmd.Stderr = nil

	out, _ := cmd.Output() // There may be no configuration, as in a Pod.

	return cmp.Or(strings.TrimSpace(string(out)), "default")
}

// Complete returns what kubectl completes the word to, after the arguments before it: to a type such as buckets.s3.aws.upbound.io, then to a
// name, or to both with a slash between them. It returns nothing if kubectl can't tell, and no names of Secrets.
func (f *Flags) Complete(ctx context.Context, before []string, word string) ([]string, cobra.ShellCompDirective) {
	if name, _, hasName := strings.Cut(strings.Join(append(slices.Clip(before), word), "/"), "/"); hasName && isSecret(name) {
		return nil, cobra.ShellCompDirectiveNoFileComp
	}

	args := slices.Concat([]string{"__complete", "get", "--namespace=" + f.Namespace}, f.args, before, []string{word})

	out, err := exec.CommandContext(ctx, program, args...).Output() //nolint:gosec // The user gives them.
	lines := strings.Split(strings.TrimSpace(string(out)), "\n")

	// The last line is a colon and what the shell is to do.
	directive, ok := strings.CutPrefix(lines[len(lines)-1], ":")
	n, numberErr := strconv.Atoi(directive)

	if err != nil || !ok || numberErr != nil {
		return nil, cobra.ShellCompDirectiveDefault
	}

	return lines[:len(lines)-1], cobra.ShellCompDirective(n)
}

// isSecret reports whether the type is Secret, as kubectl takes types: secrets, secret.v1 and Secrets among others.
func isSecret(name string) bool {
	name, _, _ = strings.Cut(strings.ToLower(name), ".")

	return name == "secret" || name == "secrets"
}

// kubectl returns a command of kubectl with the flags.
func (f *Flags) kubectl(ctx context.Context, args ...string) *exec.Cmd {
	cmd := exec.CommandContext(ctx, program, append(args, f.args...)...) //nolint:gosec // The user gives them.
	cmd.Stdin, cmd.Stderr = os.Stdin, os.Stderr                          // It may ask for a password.

	return cmd
}
