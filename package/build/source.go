package main

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"time"
)

// A source of a package.
type source struct {
	// Root of the checkout.
	Root string

	// Version and Revision are in the package.
	Version, Revision string

	// Time of the commit. All files of the package have it.
	Time time.Time

	// Toolchain builds the program, such as go1.26.11.
	Toolchain string
}

// inputs are those files of the checkout that a package is built from.
var inputs = []string{"*.go", "go.mod", "go.sum", "LICENSE", "tags", "input", "package", "example"}

// A version and a revision have these characters, since they are arguments of the linker.
var stamps = regexp.MustCompile(`^[0-9A-Za-z][0-9A-Za-z.+_-]*$`)

// sourceOf returns the source in a checkout. Without a version and a revision, they are the commit's, and say if the checkout
// has changes.
func sourceOf(ctx context.Context, root, version, revision string) (source, error) {
	s := source{Root: root, Version: version, Revision: revision}

	head, committed, unknown := commit(ctx, root)

	switch epoch := os.Getenv("SOURCE_DATE_EPOCH"); {
	case epoch != "":
		seconds, err := strconv.ParseInt(epoch, 10, 64)
		if err != nil || seconds < 0 {
			return s, fmt.Errorf("SOURCE_DATE_EPOCH is %q: want seconds since 1970", epoch)
		}

		s.Time = time.Unix(seconds, 0).UTC()

	case unknown != nil:
		return s, fmt.Errorf("cannot know the time of the commit: set SOURCE_DATE_EPOCH outside of a git checkout: %w", unknown)

	default:
		s.Time = committed
	}

	if version == "" || revision == "" {
		if unknown != nil {
			return s, fmt.Errorf("cannot know the commit: give --version and --revision outside of a git checkout: %w", unknown)
		}

		if err := s.stamp(ctx, head, committed); err != nil {
			return s, err
		}
	}

	if !stamps.MatchString(s.Version) {
		return s, fmt.Errorf("--version is %q: want letters, digits and . + _ -", s.Version)
	}

	if !stamps.MatchString(s.Revision) {
		return s, fmt.Errorf("--revision is %q: want letters, digits and . + _ -", s.Revision)
	}

	return s, nil
}

// stamp sets the version, revision and time to the commit's, unless they are given.
func (s *source) stamp(ctx context.Context, head string, committed time.Time) error {
	version, revision := "v0.0.0-"+committed.Format("20060102150405")+"-"+head[:12], head

	// A pattern holds for the root only. In git, it would hold for all folders.
	changes, err := run(ctx, s.Root, "git", append([]string{"--glob-pathspecs", "status", "--porcelain", "--untracked-files=normal", "--"}, inputs...)...)
	if err != nil {
		return err
	}

	if len(changes) > 0 {
		version, revision = version+"+dirty", revision+"-dirty"
	}

	s.Version, s.Revision = cmp.Or(s.Version, version), cmp.Or(s.Revision, revision)

	return nil
}

// commit returns the checked out revision, and its time.
func commit(ctx context.Context, root string) (revision string, committed time.Time, err error) {
	out, err := run(ctx, root, "git", "rev-parse", "--show-prefix")
	if err != nil {
		return "", time.Time{}, err
	}

	// This folder may be in another checkout, whose commit means nothing here.
	if folder := strings.TrimSpace(string(out)); folder != "" {
		return "", time.Time{}, fmt.Errorf("%s is the folder %s of another checkout", root, folder)
	}

	if out, err = run(ctx, root, "git", "log", "-1", "--no-show-signature", "--format=%H %ct"); err != nil {
		return "", time.Time{}, err
	}

	revision, epoch, _ := strings.Cut(strings.TrimSpace(string(out)), " ")

	seconds, err := strconv.ParseInt(epoch, 10, 64)
	if err != nil {
		return "", time.Time{}, fmt.Errorf("git says %q of the commit: %w", out, err)
	}

	return revision, time.Unix(seconds, 0).UTC(), nil
}

// rootOf returns the root of the checkout. The working directory is in this module.
func rootOf(ctx context.Context) (string, error) {
	out, err := run(ctx, ".", "go", "env", "GOMOD")
	if err != nil {
		return "", err
	}

	root, in := strings.CutSuffix(filepath.ToSlash(strings.TrimSpace(string(out))), "/package/build/go.mod")
	if !in {
		return "", errors.New("run this in package/build of a checkout of function-cloud-tags")
	}

	return filepath.FromSlash(root), nil
}

// toolchainOf returns the toolchain that go.mod pins.
func toolchainOf(root string) (string, error) {
	mod, err := os.ReadFile(filepath.Join(root, "go.mod"))
	if err != nil {
		return "", err
	}

	for line := range strings.Lines(string(mod)) {
		if words := strings.Fields(line); len(words) > 1 && words[0] == "toolchain" {
			return words[1], nil
		}
	}

	return "", errors.New("go.mod pins no toolchain")
}

// run runs a command in a folder, and returns its output.
func run(ctx context.Context, dir, command string, args ...string) ([]byte, error) {
	return runWith(ctx, nil, dir, command, args...)
}

// runWith is run in an environment.
func runWith(ctx context.Context, env []string, dir, command string, args ...string) ([]byte, error) {
	var stderr bytes.Buffer

	cmd := exec.CommandContext(ctx, command, args...)
	cmd.Dir, cmd.Env = dir, env
	cmd.Stderr = &stderr

	out, err := cmd.Output()
	if err != nil {
		return nil, fmt.Errorf("%s %s: %w: %s", command, args[0], err, strings.TrimSpace(stderr.String()))
	}

	return out, nil
}
