package main

import (
	"cmp"
	"fmt"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"runtime/debug"
	"slices"
	"strings"
)

// An image and an archive have the licenses of linked modules in this folder, with a folder per module.
const licensesFolder = "licenses"

// A linked module must have a licenseFile. Its legal files go with the program.
var (
	legalFile   = regexp.MustCompile(`(?i)^(licen[cs]e|copying|notice|patents|third.?party)`)
	licenseFile = regexp.MustCompile(`(?i)^(licen[cs]e|copying)`)
)

// linkedFormat is the format of go list. It prints a line per package: its module, the module's folder, and the package's
// folder. Go's own library is a module here.
const linkedFormat = `{{with .Module}}{{with or .Replace .}}{{.Path}}{{end}}{{else}}` + stdlib + `{{end}}{{"\t"}}{{.Root}}{{"\t"}}{{.Dir}}`

// licensesOf returns the licenses of a program, and of each module that is linked into it. packages are lines in linkedFormat.
func licensesOf(packages []byte, info *debug.BuildInfo) ([]file, error) {
	roots, folders := make(map[string]string), make(map[string][]string)

	for line := range strings.Lines(string(packages)) {
		fields := strings.Split(strings.TrimSuffix(line, "\n"), "\t")
		module, root, folder := fields[0], fields[1], fields[2]
		roots[module] = root

		// Licenses in the folders around a package hold for it, too.
		for ; !slices.Contains(folders[module], folder); folder = filepath.Dir(folder) {
			folders[module] = append(folders[module], folder)
			if folder == root {
				break
			}
		}
	}

	licenses, err := legalFiles("", roots[info.Main.Path], folders[info.Main.Path])
	if err != nil {
		return nil, err
	}

	for _, m := range linked(info) {
		files, err := legalFiles(path.Join(licensesFolder, m.Path+"@"+m.Version), roots[m.Path], folders[m.Path])
		if err != nil {
			return nil, fmt.Errorf("%s %s: %w", m.Path, m.Version, err)
		}

		licenses = append(licenses, files...)
	}

	slices.SortFunc(licenses, func(a, b file) int { return cmp.Compare(a.name, b.name) })

	return licenses, nil
}

// legalFiles returns the legal files of the folders, which are at or below the root of a module. Their names begin with another
// folder.
func legalFiles(below, root string, folders []string) ([]file, error) {
	var (
		out      []file
		licensed bool
	)

	for _, folder := range folders {
		rel, err := filepath.Rel(root, folder)
		if err != nil {
			return nil, err
		}

		entries, err := os.ReadDir(folder)
		if err != nil {
			return nil, err
		}

		for _, e := range entries {
			if e.IsDir() || filepath.Ext(e.Name()) == ".go" || !legalFile.MatchString(e.Name()) {
				continue
			}

			content, err := os.ReadFile(filepath.Join(folder, e.Name()))
			if err != nil {
				return nil, err
			}

			licensed = licensed || rel == "." && licenseFile.MatchString(e.Name())
			out = append(out, file{name: path.Join(below, filepath.ToSlash(rel), e.Name()), mode: 0o644, content: content})
		}
	}

	if !licensed {
		return nil, fmt.Errorf("no license in %s: a module without one must not be linked into the program", root)
	}

	return out, nil
}
