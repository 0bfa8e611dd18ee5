package coverage

import (
	"bytes"
	"fmt"
	"image"
	"image/png"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/plexsphere/function-cloud-tags/tags/command/terminal"
	"github.com/plexsphere/function-cloud-tags/tags/tagstest"
)

// TestCoverage runs the command lines of testdata/cases.yaml. The file composition has their input.
func TestCoverage(t *testing.T) {
	managed, err := filepath.Abs("testdata/managed.yaml")
	if err != nil {
		t.Fatal(err)
	}

	tagstest.CommandLines(t, func(t *testing.T, line *tagstest.CommandLine, in io.Reader, out io.Writer) error {
		t.Helper()
		t.Chdir(t.TempDir())

		tagstest.WriteFiles(t, map[string]string{"composition": tagstest.Composition("x", "platform.example.org/v1", "Shop", line.Input)})

		if err := os.Symlink(managed, "managed.yaml"); err != nil {
			t.Fatal(err)
		}

		return runOn(t, line.Args, in, out, terminal.Terminal{Color: line.Color, Width: line.Width})
	})
}

// run the command with the arguments.
func run(t *testing.T, args []string, in io.Reader, out io.Writer) error {
	t.Helper()
	return runOn(t, args, in, out, terminal.Terminal{})
}

// runOn is run on a terminal.
func runOn(t *testing.T, args []string, in io.Reader, out io.Writer, on terminal.Terminal) error {
	t.Helper()

	c := &Command{terminal: on, now: func() time.Time { return time.Date(2026, time.March, 4, 5, 6, 7, 0, time.UTC) }}

	if err := tagstest.ParseArgs(c, args); err != nil {
		return err
	}

	return c.cover(t.Context(), in, out)
}

// TestPage lets a browser draw the page on a wide and on a narrow screen. A share of 0 % must be a red bar over its whole column, or over the
// whole screen.
func TestPage(t *testing.T) {
	if _, err := exec.LookPath("chromium"); err != nil {
		t.Skip("this machine has no chromium, which draws the page")
	}

	page := &strings.Builder{}
	if err := run(t, []string{"--key", "cost-center", "--key", "env", "-o", "html", "testdata/managed.yaml"}, nil, page); err != nil {
		t.Fatal(err)
	}

	dir := t.TempDir()
	tagstest.WriteFiles(t, map[string]string{filepath.Join(dir, "page.html"): page.String()})

	for width, least := range map[int]int{1280: 300, 390: 330} {
		picture := filepath.Join(dir, fmt.Sprintf("%d.png", width))

		out, err := exec.CommandContext(t.Context(), "chromium", //nolint:gosec // The test has made all of it.
			"--headless", "--no-sandbox", "--hide-scrollbars", fmt.Sprintf("--window-size=%d,6000", width),
			"--user-data-dir="+dir, "--screenshot="+picture, "file://"+filepath.Join(dir, "page.html")).CombinedOutput()
		if err != nil {
			t.Fatalf("cannot draw the page: %v\n%s", err, out)
		}

		drawn, err := png.Decode(bytes.NewReader(tagstest.ReadFile(t, picture)))
		if err != nil {
			t.Fatal(err)
		}

		if got := longestRed(drawn); got < least {
			t.Errorf("the bar of 0 %% on a screen of %d pixels: want at least %d red pixels in a row, got %d", width, least, got)
		}
	}
}

// longestRed returns the most red pixels that stand side by side.
func longestRed(i image.Image) (longest int) {
	for y := range i.Bounds().Dy() {
		n := 0

		for x := range i.Bounds().Dx() {
			if r, g, b, _ := i.At(x, y).RGBA(); r < g+0x2000 || r < b+0x2000 {
				n = 0
			} else {
				n++
			}

			longest = max(longest, n)
		}
	}

	return longest
}

// TestREADME compares the README with the output of the command.
func TestREADME(t *testing.T) {
	b := tagstest.ReadFile(t, "../README.md")

	const command = "go run . coverage --key cost-center --key env tags/command/coverage/testdata/managed.yaml"

	_, after, _ := strings.Cut(string(b), command+"\n```\n\n```text\n")
	text, _, ok := strings.Cut(after, "```\n")

	t.Chdir("../../..")

	out := &strings.Builder{}
	if err := run(t, strings.Fields(command)[4:], nil, out); err != nil {
		t.Fatal(err)
	}

	if diff := cmp.Diff(out.String(), text); diff != "" || !ok {
		t.Errorf("\nThe README should show what this prints: %s\n-want, +got:\n%s", command, diff)
	}
}

func TestBrokenPipes(t *testing.T) {
	err := run(t, []string{"-"}, tagstest.BrokenPipe{}, io.Discard)
	if diff := cmp.Diff("cannot read -: the pipe is broken", fmt.Sprint(err)); diff != "" {
		t.Errorf("\nStandard input that can't be read is a failure.\nrun(...): -want error, +got error:\n%s", diff)
	}

	for _, output := range []string{"table", "json", "yaml", "csv"} {
		err := run(t, []string{"--strict", "--key", "env", "-o", output, "testdata/managed.yaml"}, nil, tagstest.BrokenPipe{})
		if diff := cmp.Diff("cannot write coverage: the pipe is broken", fmt.Sprint(err)); diff != "" {
			t.Errorf("\nStandard output that can't be written is a failure, also if tags are missing.\nrun(...) to %s: -want error, +got error:\n%s", output, diff)
		}
	}
}
