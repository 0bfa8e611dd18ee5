package main

import (
	"cmp"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

const bot = "41898282+github-actions[bot]@users.noreply.github.com"

// surveyGH answers as gh does, of the repository that is at $ORIGIN. What jq makes of an answer is jq's own.
const surveyGH = `
filter=.
for a; do [[ ${previous:-} != --jq ]] || filter=$a; [[ $a != --jq=* ]] || filter=${a#*=}; previous=$a; done
case "$1 $2" in
"api repos/$GITHUB_REPOSITORY/branches/"*)
    sha=$(git -C "$ORIGIN" rev-parse --verify --quiet "refs/heads/${2##*/}") || { echo '{"message": "Branch not found"}' && exit 1; }
    echo "{\"commit\": {\"sha\": \"$sha\"}}" | jq -r "$filter" ;;
"api repos/$GITHUB_REPOSITORY/compare/"*)
    git -C "$ORIGIN" log --format='{"commit": {"author": {"email": "%ae"}, "committer": {"email": "%ce"}}}' "${2##*/}" | jq -s '{commits: .}' | jq -r "$filter"
    if [[ -n ${MEANWHILE:-} ]]; then git -C "$ORIGIN" update-ref refs/heads/survey "$MEANWHILE"; fi ;;
"pr list") echo "$PULLS" | jq -r "$filter" ;;
esac
`

// TestSurvey runs the steps of the weekly survey in a checkout whose origin has a branch of a survey before.
func TestSurvey(t *testing.T) {
	testProgram(t, "jq") // It does what gh does with --jq.

	survey := testWorkflow(t, "workflows/survey.yml").Jobs["survey"]

	// Who has committed what is on the branch, as author and committer.
	type commits [][2]string

	cases := map[string]struct {
		reason    string
		index     string // after the survey
		survey    string // what surveying does, and ...
		tests     string // ... what tests do
		branch    commits
		meanwhile bool // somebody pushes
		pulls     string
		keeps     bool   // what the branch has
		pushed    string // the branch that has the survey
		err       string
		call      string // the last one
		says      []string
	}{
		"Same": {
			reason: "Where nothing differs, there is nothing to read.",
			index:  "v1",
			call:   "go generate ./...",
		},
		"First": {
			reason: "Of a branch that isn't there, nobody has commits.",
			pushed: "survey",
			call:   "gh pr create --base=main --head=survey --title=Survey the newest releases of providers --body-file=$TEMP/body.md",
			says:   []string{"All tests passed.", "* `aws`: v2 changes the index"},
		},
		"Again": {
			reason: "The survey of last week is replaced, and its pull request says what there is now. That of a fork is somebody else's.",
			branch: commits{{bot, bot}},
			pulls:  `{"number": 6, "isCrossRepository": true}, {"number": 7, "isCrossRepository": false}`,
			pushed: "survey",
			call:   "gh pr edit 7 --body-file=$TEMP/body.md",
		},
		"Person": {
			reason: "Somebody mends the survey on its branch.",
			branch: commits{{bot, bot}, {"a@example.org", "a@example.org"}},
			keeps:  true,
			pushed: "survey-42-1",
			call:   "gh pr create --base=main --head=survey-42-1 --title=Survey the newest releases of providers --body-file=$TEMP/body.md",
		},
		"Amended": {
			reason: "Who amends a commit is its committer only.",
			branch: commits{{bot, "a@example.org"}},
			keeps:  true,
			pushed: "survey-42-1",
			call:   "gh pr create --base=main --head=survey-42-1 --title=Survey the newest releases of providers --body-file=$TEMP/body.md",
		},
		"Meanwhile": {
			reason:    "A commit that is pushed after all others were read isn't lost.",
			branch:    commits{{bot, bot}},
			meanwhile: true,
			keeps:     true,
			err:       "step Open a pull request",
			call:      "gh auth setup-git",
		},
		"Broken": {
			reason: "Failed tests are told in the pull request, which is opened all the same.",
			tests:  "echo '--- FAIL: TestTruth (0.00s)'; exit 1",
			pushed: "survey",
			call:   "gh pr create --base=main --head=survey --title=Survey the newest releases of providers --body-file=$TEMP/body.md",
			says:   []string{"Tests failed:\n```\n--- FAIL: TestTruth (0.00s)\n```\n"},
		},
		"Unsurveyed": {
			reason: "A provider that can't be surveyed holds up no other.",
			survey: "exit 1",
			pushed: "survey",
			call:   "gh pr create --base=main --head=survey --title=Survey the newest releases of providers --body-file=$TEMP/body.md",
			says:   []string{"* `aws`: v2 changes the index"},
		},
	}

	for title, tc := range cases {
		t.Run(title, func(t *testing.T) {
			r := newRunner(t, map[string]string{"github.token": "token", "github.ref_name": "main"})
			r.stub(t, ".ci/survey", "echo '* `aws`: v2 changes the index'\n"+tc.survey)
			r.stub(t, "gh", surveyGH)
			r.stub(t, "go", "case $1 in generate) echo "+cmp.Or(tc.index, "v2")+" >index.txt ;; test) "+cmp.Or(tc.tests, ":")+" ;; esac")

			origin := filepath.Join(t.TempDir(), "origin.git")
			r.git(t, "a", "init", "--quiet", "--bare", origin)
			r.git(t, "a", "init", "--quiet", "--initial-branch=main")
			r.git(t, "a", "remote", "add", "origin", origin)
			r.write(t, "index.txt", "v1\n")
			r.commit(t, "a", "a")
			r.git(t, "a", "push", "--quiet", "origin", "main")

			before, meanwhile := "", ""
			if len(tc.branch) > 0 {
				for _, c := range tc.branch {
					before = r.commit(t, c[0], c[1])
				}

				r.git(t, "a", "push", "--quiet", "origin", "main:survey")
			}

			if tc.meanwhile {
				before = r.commit(t, "a", "a")
				meanwhile = before
				r.git(t, "a", "push", "--quiet", "origin", "main:refs/hidden/meanwhile")
			}

			// As actions/checkout leaves it.
			r.git(t, "a", "reset", "--quiet", "--hard", "origin/main")
			r.git(t, "a", "remote", "prune", "origin")

			r.env = append(r.env, "ORIGIN="+origin, "MEANWHILE="+meanwhile, "PULLS=["+tc.pulls+"]")
			r.wrote(t, "calls")

			out, err := r.run(t, survey)
			if tc.err == "" && err != nil || tc.err != "" && (err == nil || !strings.HasPrefix(err.Error(), tc.err)) {
				t.Errorf("\n%s\nsurvey.yml: want the error %q, got %v\n%s", tc.reason, tc.err, err, out)
			}

			refs := r.git(t, "a", "ls-remote", "--heads", "origin")
			if kept := before != "" && strings.Contains(refs, before+"\trefs/heads/survey\n"); kept != tc.keeps {
				t.Errorf("\n%s\nsurvey.yml: want the branch to be kept: %t, got\n%s", tc.reason, tc.keeps, refs)
			}

			head := strings.TrimSpace(r.git(t, "a", "rev-parse", "HEAD"))
			if tc.pushed != "" && !strings.Contains(refs, head+"\trefs/heads/"+tc.pushed+"\n") {
				t.Errorf("\n%s\nsurvey.yml: want %s to have the survey %s, got\n%s", tc.reason, tc.pushed, head, refs)
			}

			calls := strings.ReplaceAll(r.wrote(t, "calls"), r.temp, "$TEMP")
			if !strings.HasSuffix(calls, "\n"+tc.call+"\n") {
				t.Errorf("\n%s\nsurvey.yml: want the last call %q, got\n%s", tc.reason, tc.call, calls)
			}

			body := r.wrote(t, "body.md")
			for _, want := range tc.says {
				if !strings.Contains(body, want) {
					t.Errorf("\n%s\nsurvey.yml: want a pull request that says %q, got\n%s", tc.reason, want, body)
				}
			}
		})
	}
}

// git in the checkout of a runner, by somebody.
func (r *runner) git(t *testing.T, who string, args ...string) string {
	t.Helper()

	return r.gitAs(t, who, who, args...)
}

func (r *runner) gitAs(t *testing.T, author, committer string, args ...string) string {
	t.Helper()

	env := append(slices.Clone(r.env), "GIT_AUTHOR_NAME=a", "GIT_AUTHOR_EMAIL="+author, "GIT_COMMITTER_NAME=c", "GIT_COMMITTER_EMAIL="+committer)

	out, err := runWith(t.Context(), env, r.work, "git", args...)
	if err != nil {
		t.Fatal(err)
	}

	return string(out)
}

// commit what is in the checkout, and return which commit that is.
func (r *runner) commit(t *testing.T, author, committer string) string {
	t.Helper()

	r.git(t, author, "add", "--all")
	r.gitAs(t, author, committer, "commit", "--quiet", "--allow-empty", "--message=commit")

	return strings.TrimSpace(r.git(t, author, "rev-parse", "HEAD"))
}
