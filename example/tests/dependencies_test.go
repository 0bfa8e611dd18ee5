package tests

import (
	"encoding/json"
	"io/fs"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// TestFirstCommand proves that the first command of README compiles no more than the function needs, and what renders. Twice as much code
// would come with the SDK's helpers, or with the libraries for controllers.
func TestFirstCommand(t *testing.T) {
	root, _ := all(t)

	cmd := exec.CommandContext(t.Context(), "go", "list", "-deps", "./example/render")
	cmd.Dir = root

	out, err := cmd.Output()
	if err != nil {
		t.Fatal(err)
	}

	const limit = 530

	packages := strings.Fields(string(out))
	if len(packages) > limit {
		t.Errorf("go run ./example/render should compile at most %d packages, but compiles %d", limit, len(packages))
	}

	for _, p := range packages {
		if regexp.MustCompile(`^(sigs\.k8s\.io/controller-runtime|k8s\.io/client-go|k8s\.io/api)/`).MatchString(p) {
			t.Errorf("go run ./example/render should not compile %s", p)
		}
	}
}

// TestRenovate proves that Renovate has a rule for each nested module. Its preset config:recommended ignores some folders: no module is in one of them.
func TestRenovate(t *testing.T) {
	root, _ := all(t)

	var config struct {
		PackageRules []struct {
			MatchFileNames []string `json:"matchFileNames"`
		} `json:"packageRules"`
	}
	if err := json.Unmarshal([]byte(read(t, filepath.Join(root, ".github", "renovate.json"))), &config); err != nil {
		t.Fatal(err)
	}

	var folders []string // That rules match with all below.

	for _, r := range config.PackageRules {
		for _, pattern := range r.MatchFileNames {
			folders = append(folders, strings.TrimSuffix(pattern, "**"))
		}
	}

	ignored := []string{"node_modules", "bower_components", "vendor", "examples", "__tests__", "test", "tests", "__fixtures__"}
	modules := 0

	err := filepath.WalkDir(root, func(name string, d fs.DirEntry, err error) error {
		path, _ := filepath.Rel(root, name)
		path = filepath.ToSlash(path)

		switch {
		case err != nil:
			return err
		case d.IsDir() && (path == ".cache" || path == ".git"):
			return filepath.SkipDir
		case d.Name() != "go.mod" || path == "go.mod":
			return nil
		}

		modules++

		if !slices.ContainsFunc(folders, func(folder string) bool { return strings.HasPrefix(path, folder) }) {
			t.Errorf("a rule of .github/renovate.json should match %s", path)
		}

		for folder := range strings.SplitSeq(path, "/") {
			if slices.Contains(ignored, folder) {
				t.Errorf("Renovate doesn't look into the folder %s of %s", folder, path)
			}
		}

		return nil
	})
	if err != nil || modules == 0 {
		t.Errorf("there should be nested modules, but there are %d: %v", modules, err)
	}
}
