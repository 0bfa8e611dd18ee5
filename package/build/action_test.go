package main

import (
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"strings"
	"testing"
)

// The server of the tests has these releases beside the real one.
const (
	spoiltRelease = "v6.6.6" // somebody has replaced an archive
	lackingSums   = "v6.6.7" // the checksums have nothing of the archive
)

// testRelease serves the release of a source as GitHub does, behind a redirect.
func testRelease(t *testing.T, src source) string {
	t.Helper()

	folder := t.TempDir()
	if err := writeBinaries(t.Context(), src, []string{runtime.GOOS + "/" + runtime.GOARCH}, nil, folder, io.Discard); err != nil {
		t.Fatalf("writeBinaries(...): %v", err)
	}

	mux := http.NewServeMux()
	mux.HandleFunc("/plexsphere/function-cloud-tags/releases/download/{version}/{file}", func(w http.ResponseWriter, r *http.Request) {
		http.Redirect(w, r, "/assets/"+r.PathValue("version")+"/"+r.PathValue("file"), http.StatusFound) //nolint:gosec // To this server.
	})
	mux.HandleFunc("/assets/{version}/{file}", func(w http.ResponseWriter, r *http.Request) {
		content, err := os.ReadFile(filepath.Join(folder, filepath.Base(r.PathValue("file"))))
		version, isSums := r.PathValue("version"), r.PathValue("file") == checksumsFile

		switch {
		case err != nil, version != src.Version && version != spoiltRelease && version != lackingSums:
			http.NotFound(w, r)
			return
		case version == spoiltRelease && !isSums:
			content = append(content, 0)
		case version == lackingSums && isSums:
			content = nil
		}

		_, _ = w.Write(content) //nolint:gosec // No browser reads it.
	})

	server := httptest.NewServer(mux)
	t.Cleanup(server.Close)

	return server.URL
}

// quotes match text in which the runner obeys no commands.
var quotes = regexp.MustCompile(`(?s)\n::stop-commands::(cloudtags-\d+)\n.*\n::(cloudtags-\d+)::\n$`)

// An actionCase is a case of testdata/TestAction.yaml.
type actionCase struct {
	Reason                      string
	Inputs                      map[string]string
	Ref, System, GH, Err, Calls string
	Summary                     []string
}

// TestAction runs the steps of the action against a release of this source.
func TestAction(t *testing.T) {
	curl := testProgram(t, "curl")
	root := testRoot(t)
	src := testSource(t, root)
	server := testRelease(t, src)
	action := testWorkflow(t, "actions/cloudtags/action.yml")
	platform := strings.NewReplacer("OS", runtime.GOOS, "ARCH", runtime.GOARCH)

	eachCase(t, func(t *testing.T, tc actionCase) {
		t.Helper()

		r := newRunner(t, map[string]string{
			"github.token": "secret", "github.action_ref": src.Version, "inputs.version": "", "inputs.command": "", "inputs.arguments": "",
		})

		for name, input := range action.Inputs {
			r.values["inputs."+name] = input.Default
		}

		for name, value := range tc.Inputs {
			r.values["inputs."+name] = value
		}

		system := map[string]string{"linux": "Linux", "darwin": "macOS"}[runtime.GOOS]
		if tc.System != "" {
			system = tc.System
		}

		if tc.Ref != "" {
			r.values["github.action_ref"] = tc.Ref
		}

		r.env = append(r.env, "RUNNER_OS="+system, "RUNNER_ARCH="+map[string]string{"amd64": "X64", "arm64": "ARM64"}[runtime.GOARCH])
		r.stub(t, "curl", `exec `+curl+` "${@/https:\/\/github.com/`+server+`}"`)

		if tc.GH != "-" {
			r.stub(t, "gh", tc.GH)
		}

		if err := errors.Join(
			os.Symlink(filepath.Join(root, "example"), filepath.Join(r.work, "example")),
			os.Symlink(filepath.Join(root, "tags", "command", "coverage", "testdata"), filepath.Join(r.work, "of one")),
			os.WriteFile(filepath.Join(r.work, "fences.yaml"), []byte("env: '```'\n"), 0o600),
		); err != nil {
			t.Fatal(err)
		}

		for _, name := range []string{"prefix.yaml", `C:\labels.yaml`, `C:\two words.yaml`, `D:\\it's.yaml`} {
			bucket := fmt.Sprintf(`{"apiVersion": "s3.aws.upbound.io/v1beta1", "kind": "Bucket", "metadata": {"name": %q}, "spec": {"forProvider": {"tags": {"acme:team": "a"}}}}`, name)
			if err := os.WriteFile(filepath.Join(r.work, name), []byte(bucket), 0o600); err != nil {
				t.Fatal(err)
			}
		}

		out, err := r.run(t, action.Runs)
		if tc.Err == "" && err != nil || tc.Err != "" && (err == nil || !strings.Contains(out+err.Error(), tc.Err)) {
			t.Errorf("\n%s\naction.yml: want the error %q, got %v and\n%s", tc.Reason, tc.Err, err, out)
		}

		summary := r.wrote(t, "summary")
		if len(tc.Summary) == 0 && summary != "" {
			t.Errorf("\n%s\naction.yml: want nothing to run, got\n%s", tc.Reason, summary)
		}

		if calls := r.wrote(t, "calls"); !strings.Contains(calls, platform.Replace(tc.Calls)) {
			t.Errorf("\n%s\naction.yml: want the call %q, got\n%s", tc.Reason, tc.Calls, calls)
		}

		if quoted := quotes.FindStringSubmatch(out); summary != "" && (len(quoted) == 0 || quoted[1] != quoted[2]) {
			t.Errorf("\n%s\naction.yml: want the answer to be no commands to the runner, got\n%s", tc.Reason, out)
		}

		for _, want := range tc.Summary {
			if !strings.Contains(summary, want) {
				t.Errorf("\n%s\naction.yml: want a summary with %q, got\n%s", tc.Reason, want, summary)
			}
		}
	})
}

// TestActionScripts checks the scripts of the action. actionlint reads workflows only.
func TestActionScripts(t *testing.T) {
	shellcheck := testProgram(t, "shellcheck")

	for _, s := range testWorkflow(t, "actions/cloudtags/action.yml").Runs.Steps {
		cmd := exec.CommandContext(t.Context(), shellcheck, "--shell=bash", "-")
		cmd.Stdin = strings.NewReader("set -eo pipefail\n" + s.Run) // as the runner sets it

		if out, err := cmd.CombinedOutput(); err != nil {
			t.Errorf("step %s: %v\n%s", s.Name, err, out)
		}
	}
}
