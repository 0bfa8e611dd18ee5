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

// Releases that the server of the tests has beside the real one.
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

// quotes are what the runner takes for no commands.
var quotes = regexp.MustCompile(`(?s)\n::stop-commands::(cloudtags-\d+)\n.*\n::(cloudtags-\d+)::\n$`)

// TestAction runs the steps of the action against a release of this source.
func TestAction(t *testing.T) {
	curl := testProgram(t, "curl")
	root := testRoot(t)
	src := testSource(t, root)
	server := testRelease(t, src)
	action := testWorkflow(t, "actions/cloudtags/action.yml")

	const explainsAWS = "explain --provider aws --field-path spec.labels example/problems/skips/xr.yaml"

	cases := map[string]struct {
		reason  string
		inputs  map[string]string
		ref     string // that the action is used by
		system  string
		gh      string // what gh does, or - for none
		err     string // in what is printed, if the action fails
		summary []string
		calls   string
	}{
		"Explain": {
			reason:  "The answer is in the summary, by the command of the release that the action is of.",
			inputs:  map[string]string{"arguments": strings.TrimPrefix(explainsAWS, "explain ")},
			summary: []string{"### cloudtags explain\n\n```text\n", "plexsphere:"},
			calls: "gh attestation verify kubectl-cloudtags-" + runtime.GOOS + "-" + runtime.GOARCH + ".tar.gz --repo=plexsphere/function-cloud-tags " +
				"--signer-workflow=plexsphere/function-cloud-tags/.github/workflows/release.yml --source-ref=refs/tags/v1.2.3\n",
		},
		"Strict": {
			reason:  "It fails as the command fails, and the summary still says why.",
			inputs:  map[string]string{"arguments": "--strict --provider aws --field-path spec.labels\nexample/problems/skips/xr.yaml"},
			err:     "exit status 2",
			summary: []string{"plexsphere:", "**The command failed with exit status 2.**"},
		},
		"Policy": {
			reason:  "The input decides which command runs.",
			inputs:  map[string]string{"command": "policy", "arguments": "--composition example/sources/hierarchy/composition.yaml --provider aws"},
			summary: []string{"### cloudtags policy", "kind: ValidatingAdmissionPolicy"},
		},
		"Coverage": {
			reason:  "A pattern becomes the files that it matches, and one in quotes with a space is one word.",
			inputs:  map[string]string{"command": "coverage", "arguments": "--key cost-center 'of one'/*.yaml"},
			summary: []string{"### cloudtags coverage", "5 of 7"},
		},
		"LastEmpty": {
			reason:  "An empty argument is one, also if it is the last.",
			inputs:  map[string]string{"command": "coverage", "arguments": "--key acme:team prefix.yaml\n--key-prefix \"\""},
			summary: []string{"acme:team  ████████████████████  100%"},
		},
		"Backslash": {
			reason:  "A backslash is a character as any other, in quotes, without, and in a pattern.",
			inputs:  map[string]string{"command": "coverage", "arguments": `--by kind C:\labels.yaml "C:\two words.yaml" D:\\*.yaml`},
			summary: []string{"3 of 3 resources can have tags"},
		},
		"QuotedPattern": {
			reason:  "In quotes, a pattern is text.",
			inputs:  map[string]string{"command": "coverage", "arguments": `"of one/*.yaml"`},
			err:     "exit status 1",
			summary: []string{"cannot read of one/*.yaml"},
		},
		"OpenQuote": {
			reason: "A quote has an end.",
			inputs: map[string]string{"arguments": `--provider aws 'it is`},
			err:    "A quote of the input arguments has no end: '",
		},
		"NoExpansion": {
			reason:  "An argument is no script.",
			inputs:  map[string]string{"arguments": "'$(touch expanded)`id` *.none'"},
			err:     "exit status 1",
			summary: []string{"$(touch expanded)`id` *.none"},
		},
		"Fences": {
			reason:  "What a file says can't end the block that it is shown in, or command the runner.",
			inputs:  map[string]string{"arguments": "--provider aws fences.yaml"},
			summary: []string{"\n````text\n", "```"},
		},
		"Spoilt": {
			reason: "Nothing runs that isn't what the release's checksums say.",
			inputs: map[string]string{"version": spoiltRelease, "arguments": explainsAWS},
			err:    "is not that of checksums.txt",
		},
		"Unlisted": {
			reason: "No checksum is no right one.",
			inputs: map[string]string{"version": lackingSums, "arguments": explainsAWS},
			err:    "is not that of checksums.txt",
		},
		"Unattested": {
			reason: "Whoever replaces the archive can replace its checksum, but not who built it.",
			gh:     "echo 'no attestation' >&2; exit 1",
			err:    "::error title=cloudtags::Nothing attests that kubectl-cloudtags-",
		},
		"NoGH": {
			reason:  "Without gh, it says what isn't verified.",
			inputs:  map[string]string{"arguments": strings.TrimPrefix(explainsAWS, "explain ")},
			gh:      "-",
			summary: []string{"plexsphere:"},
		},
		"NoRelease": {
			reason: "A release that isn't there is named.",
			inputs: map[string]string{"version": "v9.9.9"},
			err:    "Can't download kubectl-cloudtags-",
		},
		"Branch": {
			reason: "A branch has no binaries.",
			ref:    "main",
			err:    "'main' is no release: write uses: …@v0.1.0, or the input version",
		},
		"Injected": {
			reason: "A version is part of an address.",
			inputs: map[string]string{"version": "v1.2.3/../../../../somebody/else"},
			err:    "is no release",
		},
		"Command": {
			reason: "serve would wait for ever.",
			inputs: map[string]string{"command": "serve"},
			err:    "'serve' is no command of this action: write explain, policy or coverage",
		},
		"System": {
			reason: "Platforms without a binary are told which have one.",
			system: "Solaris",
			err:    "There is no command for Solaris on ",
		},
	}

	for title, tc := range cases {
		t.Run(title, func(t *testing.T) {
			r := newRunner(t, map[string]string{
				"github.token": "secret", "github.action_ref": src.Version, "inputs.version": "", "inputs.command": "", "inputs.arguments": "",
			})

			for name, input := range action.Inputs {
				r.values["inputs."+name] = input.Default
			}

			for name, value := range tc.inputs {
				r.values["inputs."+name] = value
			}

			system := map[string]string{"linux": "Linux", "darwin": "macOS"}[runtime.GOOS]
			if tc.system != "" {
				system = tc.system
			}

			if tc.ref != "" {
				r.values["github.action_ref"] = tc.ref
			}

			r.env = append(r.env, "RUNNER_OS="+system, "RUNNER_ARCH="+map[string]string{"amd64": "X64", "arm64": "ARM64"}[runtime.GOARCH])
			r.stub(t, "curl", `exec `+curl+` "${@/https:\/\/github.com/`+server+`}"`)

			if tc.gh != "-" {
				r.stub(t, "gh", tc.gh)
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
			if tc.err == "" && err != nil || tc.err != "" && (err == nil || !strings.Contains(out+err.Error(), tc.err)) {
				t.Errorf("\n%s\naction.yml: want the error %q, got %v and\n%s", tc.reason, tc.err, err, out)
			}

			summary := r.wrote(t, "summary")
			if len(tc.summary) == 0 && summary != "" {
				t.Errorf("\n%s\naction.yml: want nothing to run, got\n%s", tc.reason, summary)
			}

			if calls := r.wrote(t, "calls"); !strings.Contains(calls, tc.calls) {
				t.Errorf("\n%s\naction.yml: want the call %q, got\n%s", tc.reason, tc.calls, calls)
			}

			if quoted := quotes.FindStringSubmatch(out); summary != "" && (len(quoted) == 0 || quoted[1] != quoted[2]) {
				t.Errorf("\n%s\naction.yml: want the answer to be no commands to the runner, got\n%s", tc.reason, out)
			}

			for _, want := range tc.summary {
				if !strings.Contains(summary, want) {
					t.Errorf("\n%s\naction.yml: want a summary with %q, got\n%s", tc.reason, want, summary)
				}
			}
		})
	}
}

// TestActionScripts checks the steps of the action as actionlint does those of workflows, which is all that it reads.
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
