// Package scenario renders the example scenarios, with a model of Crossplane or with the
// real crossplane composition render. Neither needs Docker, or anything installed but Go.
//
// A scenario is a folder in example/<feature>/ with the files to render, and with the expected outcome.
package scenario

import (
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/plexsphere/function-cloud-tags/tags/words"
)

// Files of a scenario.
const (
	fileXR            = "xr.yaml"
	fileComposition   = "composition.yaml"
	fileOperation     = "operation.yaml"
	fileFunctions     = "functions.yaml"
	fileReadme        = "README.md"
	fileContext       = "context.yaml"
	fileXRD           = "xrd.yaml"
	fileExpected      = "expected.yaml"
	fileExpectedError = "expected-error.txt"
)

// Files of a scenario for moving a step of function-tag-manager: the input
// of that step, and its outcome.
const (
	FileTagManager         = "tag-manager.yaml"
	FileTagManagerExpected = "tag-manager-expected.yaml"
)

// FilePatches is a file of a scenario for moving patches: the input of the step of function-patch-and-transform
// that makes the resources of the scenario, and has the patches.
const FilePatches = "patches.yaml"

// flags of crossplane composition render by the optional file or folder that a
// scenario has for them.
func flags() map[string]string {
	return map[string]string{
		"observed":      "--observed-resources",
		"observed.yaml": "--observed-resources",
		"required":      "--required-resources",
		"required.yaml": "--required-resources",
		"schemas":       "--required-schemas",
		fileXRD:         "--xrd",
	}
}

// flagsV1 is flags for crossplane beta render, which knows no schemas, and nothing of defaults.
func flagsV1() map[string]string {
	return map[string]string{
		"observed":      "--observed-resources",
		"observed.yaml": "--observed-resources",
		"required":      "--extra-resources",
		"required.yaml": "--extra-resources",
	}
}

// A Scenario is a folder with an XR and a Composition, or with an Operation.
type Scenario struct {
	Name string
	Dir  string
}

// Root returns the folder of this module, which the working directory is in.
func Root() (string, error) {
	wd, err := os.Getwd()
	if err != nil {
		return "", fmt.Errorf("cannot find the working directory: %w", err)
	}

	for dir := wd; ; dir = filepath.Dir(dir) {
		// Modules may be nested: those that pin the tools are.
		mod, err := os.ReadFile(filepath.Join(dir, "go.mod"))
		if err == nil && strings.HasPrefix(string(mod), "module github.com/plexsphere/function-cloud-tags\n") {
			return dir, nil
		}

		if dir == filepath.Dir(dir) {
			return "", fmt.Errorf("%s is not in a checkout of function-cloud-tags: run this command in one, and name other folders by their paths", wd)
		}
	}
}

// List returns the scenarios of the module, sorted by name: the folders in example/<feature>/
// that hold YAML files.
func List(root string) ([]Scenario, error) {
	files, err := filepath.Glob(filepath.Join(root, "example", "*", "*", "*.yaml"))
	if err != nil {
		return nil, fmt.Errorf("cannot list the scenarios: %w", err)
	}

	var scenarios []Scenario

	for _, f := range files {
		// The pipeline of this folder calls a function that somebody has to serve first.
		if dir := filepath.Dir(f); dir != filepath.Join(root, "example", "render", "store") {
			scenarios = append(scenarios, Scenario{Name: filepath.Base(dir), Dir: dir})
		}
	}

	slices.SortFunc(scenarios, func(a, b Scenario) int { return strings.Compare(a.Name, b.Name) })

	return slices.Compact(scenarios), nil
}

// Find returns the scenario of a name, or the scenario in a folder: a path as shells complete it, or any folder
// with the files.
func Find(root, named string) (Scenario, error) {
	scenarios, err := List(root)
	if err != nil {
		return Scenario{}, err
	}

	dir, err := filepath.Abs(named)
	if err != nil {
		return Scenario{}, err
	}

	for _, s := range scenarios {
		if s.Name == named || s.Dir == dir {
			return s, nil
		}
	}

	switch info, err := os.Stat(dir); {
	case err == nil && !info.IsDir():
		return Scenario{}, fmt.Errorf("%s is a file: name its folder, %s", named, filepath.Dir(named))
	case err != nil:
		return Scenario{}, fmt.Errorf("there is no scenario and no folder %q: %sgo run ./example/render lists the scenarios, and renders any folder with %s and %s",
			named, words.DidYouMean(filepath.Base(named), words.Map(scenarios, func(s Scenario) string { return s.Name })), fileXR, fileComposition)
	}

	return Scenario{Name: named, Dir: dir}, nil
}

// Check that the folder has the files a scenario needs, and no others. It may lack
// the expected outcome.
func (s Scenario) Check() error {
	errs := []error{s.CheckNeeded()}

	unread, err := s.Unread()
	if err != nil {
		return err
	}

	for _, name := range unread {
		errs = append(errs, fmt.Errorf("scenario %s has a %s, which means nothing: beside the required files there may be %s", s.Name, name, strings.Join(optional(), ", ")))
	}

	return errors.Join(errs...)
}

// CheckNeeded returns an error if the folder lacks a file that rendering needs.
func (s Scenario) CheckNeeded() error {
	var errs []error

	for _, name := range s.needed() {
		if !s.has(name) {
			errs = append(errs, fmt.Errorf("%s has no %s", s.Name, name))
		}
	}

	return errors.Join(errs...)
}

// Unread are the files and folders in the folder that mean nothing to a rendering.
func (s Scenario) Unread() ([]string, error) {
	entries, err := os.ReadDir(s.Dir)
	if err != nil {
		return nil, fmt.Errorf("cannot list the files of %s: %w", s.Name, err)
	}

	var unread []string

	for _, entry := range entries {
		if name := entry.Name(); !slices.Contains(s.needed(), name) && !slices.Contains(optional(), name) {
			unread = append(unread, name)
		}
	}

	return unread, nil
}

// needed are the files that the folder has to have.
func (s Scenario) needed() []string {
	if s.has(fileOperation) {
		return []string{fileOperation}
	}

	return []string{fileXR, fileComposition}
}

// optional are the files that a folder may have beside them.
func optional() []string {
	files := slices.Sorted(maps.Keys(flags()))
	files = append(files, fileFunctions, fileReadme, fileContext, fileExpected, fileExpectedError, FilePatches, FileTagManager, FileTagManagerExpected)
	slices.Sort(files)

	return files
}

// Expected returns the outcome that the folder expects.
func (s Scenario) Expected() (Rendering, error) {
	text, err := os.ReadFile(filepath.Join(s.Dir, fileExpected))
	if err != nil && !errors.Is(err, os.ErrNotExist) {
		return Rendering{}, fmt.Errorf("cannot read the output that scenario %s expects: %w", s.Name, err)
	}

	succeeds := err == nil

	failure, err := os.ReadFile(filepath.Join(s.Dir, fileExpectedError))
	if err != nil && !errors.Is(err, os.ErrNotExist) {
		return Rendering{}, fmt.Errorf("cannot read the error that scenario %s expects: %w", s.Name, err)
	}

	fails := err == nil

	switch {
	case succeeds && fails:
		return Rendering{}, fmt.Errorf("scenario %s has both %s and %s", s.Name, fileExpected, fileExpectedError)
	case succeeds:
		return Rendering{Text: string(text)}, nil
	case fails:
		return Rendering{Text: string(failure), Failed: true}, nil
	default:
		return Rendering{}, fmt.Errorf("scenario %s has neither %s nor %s: go run ./example/render --update %s writes it", s.Name, fileExpected, fileExpectedError, s.Name)
	}
}

// Update makes an outcome the expected one. It refuses an outcome that fails if the expected one succeeds, and
// the reverse: that is hardly ever meant.
func (s Scenario) Update(o Rendering) error {
	name, other := fileExpected, fileExpectedError
	if o.Failed {
		name, other = other, name
	}

	if _, err := os.Stat(filepath.Join(s.Dir, other)); err == nil {
		return fmt.Errorf("scenario %s has an %s, but the outcome belongs into an %s: delete the former if that is right:\n%s", s.Name, other, name, o.Text)
	}

	if err := os.WriteFile(filepath.Join(s.Dir, name), []byte(o.Text), 0o644); err != nil {
		return fmt.Errorf("cannot update what scenario %s expects: %w", s.Name, err)
	}

	return nil
}
