package main

import (
	"cmp"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

const bot = "41898282+github-actions[bot]@users.noreply.github.com"

// surveyGH answers as gh does for the repository at $ORIGIN. jq itself filters the answers.
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

// A surveyCase is a case of testdata/TestSurvey.yaml.
type surveyCase struct {
	Reason, Index, Survey, Tests string
	Branch                       []string
	Meanwhile, Keeps             bool
	Pulls, Pushed, Err, Call     string
	Says                         []string
}

// TestSurvey runs the steps of the weekly survey in a checkout. Its origin may have a branch of an earlier survey.
func TestSurvey(t *testing.T) {
	testProgram(t, "jq") // It does what gh does with --jq.

	survey := testWorkflow(t, "workflows/survey.yml").Jobs["survey"]

	eachCase(t, func(t *testing.T, tc surveyCase) {
		t.Helper()

		r := newRunner(t, map[string]string{"github.token": "token", "github.ref_name": "main"})
		r.stub(t, ".ci/survey", "echo '* `aws`: v2 changes the index'\n"+tc.Survey)
		r.stub(t, "gh", surveyGH)
		r.stub(t, "go", "case $1 in generate) echo "+cmp.Or(tc.Index, "v2")+" >index.txt ;; test) "+cmp.Or(tc.Tests, ":")+" ;; esac")

		origin := filepath.Join(t.TempDir(), "origin.git")
		r.git(t, "a", "init", "--quiet", "--bare", origin)
		r.git(t, "a", "init", "--quiet", "--initial-branch=main")
		r.git(t, "a", "remote", "add", "origin", origin)
		r.write(t, "index.txt", "v1\n")
		r.commit(t, "a", "a")
		r.git(t, "a", "push", "--quiet", "origin", "main")

		before, meanwhile := "", ""
		if len(tc.Branch) > 0 {
			for _, c := range tc.Branch {
				author, committer, _ := strings.Cut(strings.ReplaceAll(c, "bot", bot), " ")
				before = r.commit(t, author, committer)
			}

			r.git(t, "a", "push", "--quiet", "origin", "main:survey")
		}

		if tc.Meanwhile {
			before = r.commit(t, "a", "a")
			meanwhile = before
			r.git(t, "a", "push", "--quiet", "origin", "main:refs/hidden/meanwhile")
		}

		// actions/checkout leaves a checkout so.
		r.git(t, "a", "reset", "--quiet", "--hard", "origin/main")
		r.git(t, "a", "remote", "prune", "origin")

		r.env = append(r.env, "ORIGIN="+origin, "MEANWHILE="+meanwhile, "PULLS=["+tc.Pulls+"]")
		r.wrote(t, "calls")

		out, err := r.run(t, survey)
		if tc.Err == "" && err != nil || tc.Err != "" && (err == nil || !strings.HasPrefix(err.Error(), tc.Err)) {
			t.Errorf("\n%s\nsurvey.yml: want the error %q, got %v\n%s", tc.Reason, tc.Err, err, out)
		}

		refs := r.git(t, "a", "ls-remote", "--heads", "origin")
		if kept := before != "" && strings.Contains(refs, before+"\trefs/heads/survey\n"); kept != tc.Keeps {
			t.Errorf("\n%s\nsurvey.yml: want the branch to be kept: %t, got\n%s", tc.Reason, tc.Keeps, refs)
		}

		head := strings.TrimSpace(r.git(t, "a", "rev-parse", "HEAD"))
		if tc.Pushed != "" && !strings.Contains(refs, head+"\trefs/heads/"+tc.Pushed+"\n") {
			t.Errorf("\n%s\nsurvey.yml: want %s to have the survey %s, got\n%s", tc.Reason, tc.Pushed, head, refs)
		}

		calls := strings.ReplaceAll(r.wrote(t, "calls"), r.temp, "$TEMP")
		if !strings.HasSuffix(calls, "\n"+tc.Call+"\n") {
			t.Errorf("\n%s\nsurvey.yml: want the last call %q, got\n%s", tc.Reason, tc.Call, calls)
		}

		body := r.wrote(t, "body.md")
		for _, want := range tc.Says {
			if !strings.Contains(body, want) {
				t.Errorf("\n%s\nsurvey.yml: want a pull request that says %q, got\n%s", tc.Reason, want, body)
			}
		}
	})
}

// git runs git in the checkout of a runner, as somebody.
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

// commit commits all files of the checkout, and returns the commit.
func (r *runner) commit(t *testing.T, author, committer string) string {
	t.Helper()

	r.git(t, author, "add", "--all")
	r.gitAs(t, author, committer, "commit", "--quiet", "--allow-empty", "--message=commit")

	return strings.TrimSpace(r.git(t, author, "rev-parse", "HEAD"))
}
