package main

import (
	"bytes"
	"cmp"
	"errors"
	"flag"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	gocmp "github.com/google/go-cmp/cmp"
	"sigs.k8s.io/yaml"
)

// A workflow of GitHub, or a composite action, has more fields than these. Tests need no others.
type workflow struct {
	Inputs map[string]struct {
		Default string `json:"default"`
	} `json:"inputs"`
	Runs job            `json:"runs"`
	Jobs map[string]job `json:"jobs"`
}

type job struct {
	Env   map[string]string `json:"env"`
	Steps []step            `json:"steps"`
}

type step struct {
	Name  string            `json:"name"`
	ID    string            `json:"id"`
	If    string            `json:"if"`
	Uses  string            `json:"uses"`
	With  map[string]any    `json:"with"`
	Shell string            `json:"shell"`
	Env   map[string]string `json:"env"`
	Run   string            `json:"run"`
}

func testWorkflow(t *testing.T, path string) workflow {
	t.Helper()

	text, err := os.ReadFile(filepath.Join(testRoot(t), ".github", path))
	if err != nil {
		t.Fatal(err)
	}

	w := workflow{}
	if err := yaml.Unmarshal(text, &w); err != nil {
		t.Fatal(err)
	}

	return w
}

// systemTools are the programs of steps, beside the stubs of a test. Steps find no others.
var systemTools = []string{
	"awk", "basename", "bash", "cat", "cp", "dirname", "git", "grep", "gzip", "head", "jq", "ls", "mkdir", "mktemp", "printf", "rm", "sed", "sha256sum", "shasum", "sort", "tar", "tee", "touch", "tr", "wc", "xargs",
}

// A runner runs the steps of a job as GitHub's does, in a folder and with a PATH of its own.
type runner struct {
	values map[string]string // of expressions
	env    []string
	work   string // the checkout
	temp   string
	bin    string
}

// testProgram returns the path of a program that GitHub's runners have. On other machines, the test is skipped if the program
// is missing.
func testProgram(t *testing.T, name string) string {
	t.Helper()

	path, err := exec.LookPath(name)

	switch {
	case err == nil:
	case os.Getenv("GITHUB_ACTIONS") != "":
		t.Fatal(err)
	default:
		t.Skip(err)
	}

	return path
}

func newRunner(t *testing.T, values map[string]string) *runner {
	t.Helper()

	r := &runner{values: maps.Clone(values), work: t.TempDir(), temp: t.TempDir(), bin: t.TempDir()}

	for _, tool := range systemTools {
		path, err := exec.LookPath(tool)
		if err != nil {
			continue // A step that calls it fails.
		}

		if err := os.Symlink(path, filepath.Join(r.bin, tool)); err != nil {
			t.Fatal(err)
		}
	}

	r.env = []string{
		"PATH=" + r.bin, "HOME=" + r.temp, "TMPDIR=" + r.temp, "RUNNER_TEMP=" + r.temp, "CALLS=" + filepath.Join(r.temp, "calls"), "GIT_CONFIG_NOSYSTEM=1",
		"GITHUB_REPOSITORY=Plexsphere/Function-Cloud-Tags", "GITHUB_SHA=abc", "GITHUB_RUN_ID=42", "GITHUB_RUN_ATTEMPT=1",
		"GITHUB_OUTPUT=" + filepath.Join(r.temp, "output"), "GITHUB_STEP_SUMMARY=" + filepath.Join(r.temp, "summary"),
	}

	return r
}

// stub writes a program to the PATH, or to a path of the checkout. It notes its call, and then runs the script.
func (r *runner) stub(t *testing.T, name, script string) {
	t.Helper()

	path := filepath.Join(r.bin, name)
	if strings.Contains(name, "/") {
		path = filepath.Join(r.work, name)
	}

	text := "#!" + filepath.Join(r.bin, "bash") + "\nset -eu\nprintf '%s\\n' \"" + name + " $*\" >>\"$CALLS\"\n" + script
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		t.Fatal(err)
	}

	// The file must be new: there may be a link to the real program.
	if err := os.Remove(path); err != nil && !errors.Is(err, os.ErrNotExist) {
		t.Fatal(err)
	}

	if err := os.WriteFile(path, []byte(text), 0o700); err != nil {
		t.Fatal(err)
	}
}

// write writes a file of the checkout.
func (r *runner) write(t *testing.T, name, text string) {
	t.Helper()

	if err := os.WriteFile(filepath.Join(r.work, name), []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}

// wrote returns the content of a file that steps have written, and empties the file.
func (r *runner) wrote(t *testing.T, name string) string {
	t.Helper()

	path := filepath.Join(r.temp, name)

	text, err := os.ReadFile(path)
	if err != nil && !errors.Is(err, os.ErrNotExist) {
		t.Fatal(err)
	}

	if err := os.WriteFile(path, nil, 0o600); err != nil {
		t.Fatal(err)
	}

	return string(text)
}

// run runs the steps of a job, up to the first one that fails, and returns their output. Actions are noted as calls.
func (r *runner) run(t *testing.T, j job) (string, error) {
	t.Helper()

	var out bytes.Buffer

	for _, s := range j.Steps {
		if s.If != "" && !truthy(r.value(t, s.If)) {
			continue
		}

		if s.Uses != "" {
			r.note(t, s)
			continue
		}

		if err := r.runStep(t, j, s, &out); err != nil {
			return out.String(), fmt.Errorf("step %s: %w", cmp.Or(s.Name, s.ID), err)
		}
	}

	return out.String(), nil
}

func (r *runner) note(t *testing.T, s step) {
	t.Helper()

	line := []string{"uses", strings.Split(s.Uses, "@")[0]}
	for _, name := range slices.Sorted(maps.Keys(s.With)) {
		line = append(line, name+"="+strings.Join(strings.Fields(r.expand(t, fmt.Sprint(s.With[name]))), ","))
	}

	calls, err := os.OpenFile(filepath.Join(r.temp, "calls"), os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600)
	if err != nil {
		t.Fatal(err)
	}

	_, err = fmt.Fprintln(calls, strings.Join(line, " "))
	if err := errors.Join(err, calls.Close()); err != nil {
		t.Fatal(err)
	}
}

func (r *runner) runStep(t *testing.T, j job, s step, out *bytes.Buffer) error {
	t.Helper()

	script := filepath.Join(r.temp, "script")
	if err := os.WriteFile(script, []byte(s.Run), 0o600); err != nil {
		t.Fatal(err)
	}

	// docs.github.com/actions/reference/workflows-and-actions/workflow-syntax#jobsjob_idstepsshell
	args := []string{"-e", script}
	if s.Shell == "bash" {
		args = []string{"--noprofile", "--norc", "-eo", "pipefail", script}
	}

	cmd := exec.CommandContext(t.Context(), filepath.Join(r.bin, "bash"), args...)
	cmd.Dir = r.work
	cmd.Env = slices.Clone(r.env)
	cmd.Stdout, cmd.Stderr = out, out

	for _, env := range []map[string]string{j.Env, s.Env} {
		for name, value := range env {
			cmd.Env = append(cmd.Env, name+"="+r.expand(t, value))
		}
	}

	err := cmd.Run()

	for line := range strings.Lines(r.wrote(t, "output")) {
		name, value, _ := strings.Cut(strings.TrimSuffix(line, "\n"), "=")
		r.values["steps."+s.ID+".outputs."+name] = value
	}

	return err
}

var expression = regexp.MustCompile(`\$\{\{\s*(.*?)\s*\}\}`)

// expand replaces the expressions in a text.
func (r *runner) expand(t *testing.T, text string) string {
	t.Helper()

	return expression.ReplaceAllStringFunc(text, func(e string) string { return r.value(t, expression.FindStringSubmatch(e)[1]) })
}

// value returns the value of an expression. Expressions of the workflows have names, strings, and four operators.
func (r *runner) value(t *testing.T, e string) string {
	t.Helper()

	if left, right, ok := strings.Cut(e, "||"); ok {
		return cmp.Or(r.value(t, left), r.value(t, right))
	}

	if left, right, ok := strings.Cut(e, "&&"); ok {
		return strconv.FormatBool(truthy(r.value(t, left)) && truthy(r.value(t, right)))
	}

	if left, right, ok := strings.Cut(e, "=="); ok {
		return strconv.FormatBool(r.value(t, left) == r.value(t, right))
	}

	if left, right, ok := strings.Cut(e, "!="); ok {
		return strconv.FormatBool(r.value(t, left) != r.value(t, right))
	}

	e = strings.TrimSpace(e)
	if literal, ok := strings.CutPrefix(e, "'"); ok {
		return strings.TrimSuffix(literal, "'")
	}

	value, ok := r.values[e]
	if !ok {
		t.Errorf("the expression %s is not known here", e)
	}

	return value
}

func truthy(value string) bool { return value != "" && value != "false" }

// releaseRunner returns a runner with the stubs of a release. The second build has another digest than the first if unlike has
// a text.
func releaseRunner(t *testing.T, version, user, fails, unlike string) *runner {
	t.Helper()

	r := newRunner(t, map[string]string{
		"github.ref_name": version, "github.repository": "Plexsphere/Function-Cloud-Tags", "github.actor": "somebody", "github.token": "token",
		"secrets.GITHUB_TOKEN": "token", "secrets.MARKETPLACE_USER": user, "secrets.MARKETPLACE_TOKEN": user,
	})

	files := []string{checksumsFile, indexFile, krewFile}
	for _, schema := range schemaFiles {
		files = append(files, filepath.Base(schema))
	}

	for _, platform := range binaryPlatforms {
		base := pluginName + "-" + strings.ReplaceAll(platform, "/", "-")
		files = append(files, base+".tar.gz", base+".spdx.json")
	}

	var digests strings.Builder

	for _, platform := range binaryPlatforms[:2] {
		base := packageName + "-" + strings.ReplaceAll(platform, "/", "-")
		files = append(files, base+".xpkg", base+".spdx.json")
		digests.WriteString("echo sha256:" + platform + " >$folder/" + base + ".digest\n")
	}

	r.stub(t, ".ci/tool", "echo $1\n")
	r.stub(t, "govulncheck", "")
	r.stub(t, "go", "for a; do [[ $a != --output=* ]] || folder=${a#*=}; done\n"+
		"mkdir -p $folder && cd $folder && touch "+strings.Join(files, " ")+"\n"+digests.String()+
		"echo sha256:index$([[ $folder == */dist ]] || echo '"+unlike+"') >digest\n")
	r.stub(t, "cosign", `for a; do [[ $a != --bundle=* ]] || touch "${a#*=}"; done`)
	r.stub(t, "gh", "")

	if fails != "" {
		r.stub(t, fails, "exit 1")
	}

	return r
}

// A releaseCase is a case of testdata/TestRelease.yaml.
type releaseCase struct {
	Reason, Version, Fails, Unlike, Err string
	Want, Not                           []string
}

// TestRelease runs the steps of a release.
func TestRelease(t *testing.T) {
	release := testWorkflow(t, "workflows/release.yml").Jobs["release"]

	t.Run("All", func(t *testing.T) {
		r := releaseRunner(t, "v0.1.0", "user", "", "")
		if out, err := r.run(t, release); err != nil {
			t.Fatalf("release.yml: %v\n%s", err, out)
		}

		testGolden(t, "testdata/release.txt", strings.ReplaceAll(r.wrote(t, "calls"), r.work, "$PWD"))
	})

	eachCase(t, func(t *testing.T, tc releaseCase) {
		t.Helper()

		r := releaseRunner(t, tc.Version, "", tc.Fails, tc.Unlike)

		out, err := r.run(t, release)
		if tc.Err == "" && err != nil || tc.Err != "" && (err == nil || !strings.HasPrefix(err.Error(), tc.Err)) {
			t.Errorf("\n%s\nrelease.yml: want the error %q, got %v\n%s", tc.Reason, tc.Err, err, out)
		}

		calls := r.wrote(t, "calls")
		for _, want := range tc.Want {
			if !strings.Contains(calls, want) {
				t.Errorf("\n%s\nrelease.yml: want the call %q, got\n%s", tc.Reason, want, calls)
			}
		}

		for _, not := range tc.Not {
			if strings.Contains(calls, not) {
				t.Errorf("\n%s\nrelease.yml: want no call with %q, got\n%s", tc.Reason, not, calls)
			}
		}
	})
}

// TestChecks proves that checks fail if .ci/run fails.
func TestChecks(t *testing.T) {
	for script, fails := range map[string]bool{"": false, "exit 1": true} {
		r := newRunner(t, map[string]string{"runner.os": "Linux", "runner.arch": "X64", "hashFiles('.ci/tool', '.ci/tools/**')": "abc"})
		r.stub(t, ".ci/run", script)

		_, err := r.run(t, testWorkflow(t, "workflows/ci.yml").Jobs["check"])
		if calls := r.wrote(t, "calls"); (err != nil) != fails || !strings.HasSuffix(calls, "\n.ci/run \n") {
			t.Errorf("ci.yml: want .ci/run to decide, got %v and\n%s", err, calls)
		}
	}
}

// TestNotChecked proves that .ci/run names the controllers that its test skips.
func TestNotChecked(t *testing.T) {
	text, err := os.ReadFile(filepath.Join(testRoot(t), ".ci", "run"))
	if err != nil {
		t.Fatal(err)
	}

	const (
		made    = "    --- PASS: TestControllers/Made (9.00s)\n        --- PASS: TestControllers/Made/ack (9.00s)\n"
		skipped = "    --- SKIP: TestControllers/hcloud (0.00s)\n        controllers_test.go:133: cannot build provider-hcloud: exit status 1\n" +
			"    --- SKIP: TestControllers/aws-classic (0.00s)\n"
	)

	for name, tc := range map[string]struct {
		reason, tests, script string
		env                   map[string]string

		want  string // A pattern of what is printed last.
		fails bool
	}{
		"All":     {reason: "What was checked isn't named.", tests: made, want: `all checked in \d+s\n`},
		"Skipped": {reason: "A controller that can't be built isn't checked.", tests: made + skipped, want: `all checked in \d+s\nNOT CHECKED: hcloud: no controller that can be built\nNOT CHECKED: aws-classic: no controller that can be built\n`},
		"Fails":   {reason: "What fails fails.", tests: skipped, script: "exit 1", want: "FAILED: controllers\n", fails: true},
		"GitHub":  {reason: "GitHub's runners must build all.", tests: made + skipped, env: map[string]string{"GITHUB_ACTIONS": "true"}, want: "no controller that can be built\nFAILED: controllers\n", fails: true},
	} {
		t.Run(name, func(t *testing.T) {
			r := newRunner(t, nil)
			r.stub(t, ".ci/tool", "")
			r.stub(t, "go", "printf '"+tc.tests+"'\n"+tc.script)
			r.write(t, ".ci/run", string(text))

			out, err := r.run(t, job{Steps: []step{{Name: name, Env: tc.env, Run: "bash .ci/run controllers"}}})
			if (err != nil) != tc.fails || !regexp.MustCompile("\n"+tc.want+"$").MatchString(out) {
				t.Errorf("\n%s\n.ci/run controllers: want it to end with %q, got %v and\n%s", tc.reason, tc.want, err, out)
			}
		})
	}
}

// TestPinned proves that nobody can replace an action of a workflow.
func TestPinned(t *testing.T) {
	for _, name := range []string{"ci", "release", "survey", "weekly"} {
		for _, j := range testWorkflow(t, "workflows/"+name+".yml").Jobs {
			for _, s := range j.Steps {
				if s.Uses != "" && !regexp.MustCompile(`@[0-9a-f]{40}$`).MatchString(s.Uses) {
					t.Errorf("%s.yml: want %s by the digest of a commit", name, s.Uses)
				}
			}
		}
	}
}

// eachCase runs a subtest for each case in the file in testdata with the name of the test.
func eachCase[C any](t *testing.T, run func(t *testing.T, tc C)) {
	t.Helper()

	text, err := os.ReadFile(filepath.Join("testdata", t.Name()+".yaml"))
	if err != nil {
		t.Fatal(err)
	}

	cases := make(map[string]C)
	if err := yaml.UnmarshalStrict(text, &cases); err != nil {
		t.Fatal(err)
	}

	for name, tc := range cases {
		t.Run(name, func(t *testing.T) { run(t, tc) })
	}
}

var update = flag.Bool("update", false, "write golden files")

func testGolden(t *testing.T, path, got string) {
	t.Helper()

	if *update {
		if err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o755), os.WriteFile(path, []byte(got), 0o644)); err != nil {
			t.Fatal(err)
		}
	}

	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}

	if diff := gocmp.Diff(string(want), got); diff != "" {
		t.Errorf("%s: -want, +got:\n%s", path, diff)
	}
}
