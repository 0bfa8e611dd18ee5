package scenario

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// folder makes a scenario of files, by name.
func folder(t *testing.T, files ...string) Scenario {
	t.Helper()

	s := Scenario{Name: "test", Dir: t.TempDir()}

	for _, name := range files {
		if err := os.WriteFile(filepath.Join(s.Dir, name), []byte("What is in "+name+".\n"), 0o600); err != nil {
			t.Fatal(err)
		}
	}

	return s
}

func TestCheck(t *testing.T) {
	t.Parallel()

	cases := map[string]struct {
		files []string
		want  []string
	}{
		"Complete": {
			files: []string{"xr.yaml", "composition.yaml", "expected.yaml", "observed.yaml"},
		},
		"Operation": {
			files: []string{"operation.yaml", "required.yaml", "expected.yaml"},
		},
		"TagManager": {
			files: []string{"xr.yaml", "composition.yaml", "expected.yaml", "tag-manager.yaml", "tag-manager-expected.yaml"},
		},
		"NothingExpectedYet": {
			files: []string{"xr.yaml", "composition.yaml"},
		},
		"Incomplete": {
			files: []string{"README.md", "functions.yaml"},
			want:  []string{"has no xr.yaml", "has no composition.yaml"},
		},
		"Misspelt": {
			files: []string{"xr.yaml", "composition.yaml", "obseved.yaml"},
			want:  []string{"has a obseved.yaml, which means nothing"},
		},
	}

	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			t.Parallel()

			err := folder(t, tc.files...).Check()
			if (err != nil) != (len(tc.want) > 0) {
				t.Fatalf("Check() = %v, want an error that says: %q", err, tc.want)
			}

			for _, want := range tc.want {
				if !strings.Contains(err.Error(), want) {
					t.Errorf("Check() = %v, want an error that says: %s", err, want)
				}
			}
		})
	}
}

// TestFind finds scenarios as people name them, and as shells complete their folders.
func TestFind(t *testing.T) {
	root, err := Root()
	if err != nil {
		t.Fatal(err)
	}

	t.Chdir(root)

	known := Scenario{Name: "aws-s3-bucket", Dir: filepath.Join(root, "example", "clouds", "aws-s3-bucket")}
	elsewhere := t.TempDir()

	cases := map[string]struct {
		named string
		want  Scenario
		err   string
	}{
		"Name":      {named: "aws-s3-bucket", want: known},
		"Folder":    {named: "example/clouds/aws-s3-bucket", want: known},
		"Completed": {named: "example/clouds/aws-s3-bucket/", want: known},
		"Dotted":    {named: "./example/clouds/aws-s3-bucket", want: known},
		"Own":       {named: elsewhere, want: Scenario{Name: elsewhere, Dir: elsewhere}},
		"OwnBelow":  {named: "example/render/store/", want: Scenario{Name: "example/render/store/", Dir: filepath.Join(root, "example", "render", "store")}},
		"Nothing":   {named: "aws-s3-buckets", err: `there is no scenario and no folder "aws-s3-buckets": did you mean aws-s3-bucket?`},
		"File":      {named: "README.md", err: `README.md is a file: name its folder, .`},
	}

	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			got, err := Find(root, tc.named)
			if (err != nil) != (tc.err != "") || err != nil && !strings.Contains(err.Error(), tc.err) {
				t.Fatalf("Find(..., %q) returned the error %v, want one that says: %q", tc.named, err, tc.err)
			}

			if diff := cmp.Diff(tc.want, got); diff != "" {
				t.Errorf("Find(..., %q): -want, +got:\n%s", tc.named, diff)
			}
		})
	}
}

func TestExpected(t *testing.T) {
	t.Parallel()

	cases := map[string]struct {
		files []string
		want  Rendering
		err   string
	}{
		"Output":  {files: []string{"expected.yaml"}, want: Rendering{Text: "What is in expected.yaml.\n"}},
		"Error":   {files: []string{"expected-error.txt"}, want: Rendering{Text: "What is in expected-error.txt.\n", Failed: true}},
		"Both":    {files: []string{"expected.yaml", "expected-error.txt"}, err: "has both expected.yaml and expected-error.txt"},
		"Neither": {err: "has neither expected.yaml nor expected-error.txt"},
	}

	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			t.Parallel()

			got, err := folder(t, tc.files...).Expected()
			if (err != nil) != (tc.err != "") || err != nil && !strings.Contains(err.Error(), tc.err) {
				t.Fatalf("Expected() returned the error %v, want one that says: %q", err, tc.err)
			}

			if diff := cmp.Diff(tc.want, got); diff != "" {
				t.Errorf("Expected(): -want, +got:\n%s", diff)
			}
		})
	}
}

func TestUpdate(t *testing.T) {
	t.Parallel()

	success := Rendering{Text: "output"}
	failure := Rendering{Text: "error", Failed: true}

	cases := map[string]struct {
		files   []string
		outcome Rendering
		refused bool
	}{
		"NewSuccess":      {outcome: success},
		"NewFailure":      {outcome: failure},
		"SameSuccess":     {files: []string{"expected.yaml"}, outcome: success},
		"SameFailure":     {files: []string{"expected-error.txt"}, outcome: failure},
		"SuccessNotError": {files: []string{"expected-error.txt"}, outcome: success, refused: true},
		"ErrorNotSuccess": {files: []string{"expected.yaml"}, outcome: failure, refused: true},
	}

	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			t.Parallel()

			s := folder(t, tc.files...)

			if err := s.Update(tc.outcome); (err != nil) != tc.refused {
				t.Fatalf("Update(...) = %v, want an error: %t", err, tc.refused)
			}

			got, err := s.Expected()
			if err != nil {
				t.Fatal(err)
			}

			if updated := got == tc.outcome; updated == tc.refused {
				t.Errorf("After Update(...), Expected() = %+v, want it updated: %t", got, !tc.refused)
			}
		})
	}
}
