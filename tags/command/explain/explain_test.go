package explain

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/alecthomas/kong"
	"github.com/google/go-cmp/cmp"
)

// command returns the command that the supplied arguments are for.
func command(t *testing.T, args ...string) *Command {
	t.Helper()

	c := &Command{}

	k, err := kong.New(c, kong.Exit(func(code int) { t.Fatalf("the command line exited with %d", code) }))
	if err != nil {
		t.Fatal(err)
	}

	if _, err := k.Parse(args); err != nil {
		t.Fatal(err)
	}

	return c
}

// lines ends each of the supplied lines.
func lines(l ...string) string { return strings.Join(l, "\n") + "\n" }

// text of the supplied error, which is empty for none.
func text(err error) string {
	if err == nil {
		return ""
	}

	return err.Error()
}

// exitCode of a process that ends with the supplied error.
func exitCode(err error) int {
	if err == nil {
		return 0
	}

	// This is how kong learns it.
	if e, ok := errors.AsType[interface {
		error
		ExitCode() int
	}](err); ok {
		return e.ExitCode()
	}

	return 1
}

// fails can't be read from or written to.
type fails struct{}

func (fails) Read([]byte) (int, error)  { return 0, errors.New("the pipe is broken") }
func (fails) Write([]byte) (int, error) { return 0, errors.New("the pipe is broken") }

func TestRun(t *testing.T) {
	const labels = `
platform/env: prod
acme:checkout/owner: team-a
cost center: "42"
`

	type want struct {
		out  string
		err  string
		code int
	}

	cases := map[string]struct {
		reason string
		args   []string
		in     string
		color  bool
		width  int
		want   want
	}{
		"Table": {
			reason: "A table should have a row for each label, sorted, and a column for the provider, and say below what a reason means.",
			args:   []string{"--provider", "hetzner", "-"},
			in:     labels,
			want: want{out: lines(
				"LABEL                VALUE   HETZNER",
				"acme:checkout/owner  team-a  plexsphere:acme:checkout/owner",
				"cost center          42      key-character-class",
				"platform/env         prod    plexsphere:platform/env",
				"",
				"hetzner key-character-class: allowed: ASCII letters and digits and - _ . : /",
			)},
		},
		"TableWithoutSkips": {
			reason: "Nothing should be below the table if nothing is skipped.",
			args:   []string{"--provider", "aws", "-"},
			in:     labels,
			want: want{out: lines(
				"LABEL                VALUE   AWS",
				"acme:checkout/owner  team-a  plexsphere:acme:checkout/owner",
				"cost center          42      plexsphere:cost center",
				"platform/env         prod    plexsphere:platform/env",
			)},
		},
		"TableInColor": {
			reason: "On a terminal the header should be bold, tags green and reasons red, and columns should be as wide as without.",
			args:   []string{"--provider", "aws", "--provider", "openstack", "-"},
			in:     "a!: x\nbcd: \"\"\n",
			color:  true,
			want: want{out: lines(
				"\x1b[1mLABEL\x1b[0m  \x1b[1mVALUE\x1b[0m  \x1b[1mAWS\x1b[0m                  \x1b[1mOPENSTACK\x1b[0m",
				"a!     x      \x1b[31mkey-character-class\x1b[0m  \x1b[32mplexsphere:a!\x1b[0m",
				`bcd    ""     `+"\x1b[32mplexsphere:bcd\x1b[0m       \x1b[32mplexsphere:bcd\x1b[0m",
				"",
				"aws key-character-class: allowed: letters, digits, space and + - = . _ : / @",
			)},
		},
		"SeveralProviders": {
			reason: "Providers should be side by side in the order that was asked for, each under the name of its profile.",
			args:   []string{"--provider", "OpenStack", "--provider", "AWS", "--provider", "no-such-cloud", "-"},
			in:     `{"a b": "x"}`,
			want: want{out: lines(
				"LABEL  VALUE  OPENSTACK       AWS             GENERIC",
				"a b    x      plexsphere:a b  plexsphere:a b  key-character-class",
				"",
				"generic key-character-class: allowed: ASCII letters and digits and - _ . : /",
				`generic: "no-such-cloud" has no tag profile, so that of generic applies. Known are aws, azure, digitalocean, gcp, generic, hetzner, openstack`,
			)},
		},
		"SameProvider": {
			reason: "Providers of one profile should have one column.",
			args:   []string{"--provider", "AWS", "--provider", "aws", "--provider", "Aws", "-"},
			in:     `{"a b": "x"}`,
			want:   want{out: lines("LABEL  VALUE  AWS", "a b    x      plexsphere:a b")},
		},
		"Folded": {
			reason: "A table that is wider than the terminal would be hard to read, so it should have a line for each column.",
			args:   []string{"--provider", "aws", "--provider", "hetzner", "-"},
			in:     "a b: \"12345\"\nplatform/environment: prod\n",
			width:  33,
			want: want{out: lines(
				"LABEL    a b",
				"VALUE    12345",
				"AWS      plexsphere:a b",
				"HETZNER  key-character-class",
				"",
				"LABEL    platform/environment",
				"VALUE    prod",
				"AWS      plexsphere:platform/envi",
				"         ronment",
				"HETZNER  plexsphere:platform/envi",
				"         ronment",
				"",
				"hetzner key-character-class: allowed: ASCII letters and digits and - _ . : /",
			)},
		},
		"WideEnough": {
			reason: "A table that is as wide as the terminal should not be folded.",
			args:   []string{"--provider", "aws", "-"},
			in:     "a: b",
			width:  26,
			want:   want{out: lines("LABEL  VALUE  AWS", "a      b      plexsphere:a")},
		},
		"TooNarrow": {
			reason: "A terminal of no room should have something to show, too.",
			args:   []string{"--provider", "aws", "-"},
			in:     "ab: c",
			width:  1,
			color:  true,
			want: want{out: lines(
				"\x1b[1mLABEL\x1b[0m  a", "       b", "\x1b[1mVALUE\x1b[0m  c",
				"\x1b[1mAWS\x1b[0m    \x1b[32mp\x1b[0m", "       \x1b[32ml\x1b[0m", "       \x1b[32me\x1b[0m", "       \x1b[32mx\x1b[0m", "       \x1b[32ms\x1b[0m",
				"       \x1b[32mp\x1b[0m", "       \x1b[32mh\x1b[0m", "       \x1b[32me\x1b[0m", "       \x1b[32mr\x1b[0m", "       \x1b[32me\x1b[0m",
				"       \x1b[32m:\x1b[0m", "       \x1b[32ma\x1b[0m", "       \x1b[32mb\x1b[0m",
			)},
		},
		"EveryReason": {
			reason: "Below the table each reason that occurs should be explained once for each profile.",
			args:   []string{"--provider", "aws", "--provider", "hetzner", "-"},
			in:     "aws:x: a\n" + strings.Repeat("k", 53) + ": b\nv: " + strings.Repeat("v", 64) + "\nw: " + strings.Repeat("w", 257) + "\n",
			want: want{out: lines(
				"LABEL                                                  VALUE                                                         AWS                                                           HETZNER",
				"aws:x                                                  a                                                             reserved-prefix                                               plexsphere:aws:x",
				strings.Repeat("k", 53)+"  b                                                             plexsphere:"+strings.Repeat("k", 48)+"…  key-too-long",
				"v                                                      "+strings.Repeat("v", 59)+"…  plexsphere:v                                                  value-too-long",
				"w                                                      "+strings.Repeat("w", 59)+"…  value-too-long                                                value-too-long",
				"",
				"aws reserved-prefix: reserved: aws:",
				"aws value-too-long: at most 256 characters",
				"hetzner key-too-long: at most 63 characters",
				"hetzner value-too-long: at most 63 characters",
			)},
		},
		"OddLabels": {
			reason: "What would break the table should be quoted: an empty string, control characters and colors.",
			args:   []string{"--provider", "openstack", "-"},
			in:     `{"": "", "a\nb": "c\td", "e": "\u001b[31m", "é": "日 本"}`,
			want: want{out: lines(
				`LABEL   VALUE       OPENSTACK`,
				`""      ""          plexsphere:`,
				`"a\nb"  "c\td"      key-character-class`,
				`e       "\x1b[31m"  plexsphere:e`,
				`é       日 本         plexsphere:é`,
				``,
				`openstack key-character-class: allowed: anything but control characters`,
			)},
		},
		"NoLabels": {
			reason: "A map without labels should give a table without rows.",
			args:   []string{"--provider", "aws", "-"},
			in:     "{}",
			want:   want{out: lines("LABEL  VALUE  AWS")},
		},
		"CountCap": {
			reason: "Labels that are too many should be skipped, too.",
			args:   []string{"--provider", "generic", "-o", "yaml", "--strict", "-"},
			in: func() string {
				b := strings.Builder{}
				for _, c := range "abcdefghijklmnopqrstuvwxyz0123456" {
					b.WriteString("'" + string(c) + "': v\n")
				}

				return b.String()
			}(),
			want: want{
				out: func() string {
					b := strings.Builder{}
					b.WriteString("- provider: generic\n  skipped:\n  - provider: generic\n    qualifiedKey: z\n    reason: count-cap\n    tagKey: plexsphere:z\n  tags:\n")

					for _, c := range "0123456abcdefghijklmnopqrstuvwxy" {
						b.WriteString("    plexsphere:" + string(c) + ": v\n")
					}

					return b.String()
				}(),
				err:  "labels skipped: 1",
				code: 2,
			},
		},
		"JSON": {
			reason: "JSON should be a list with an explanation for each provider.",
			args:   []string{"--provider", "hetzner", "--output", "json", "-"},
			in:     "platform/env: prod\ncost center: \"42\"\n",
			want: want{out: lines(
				`[`,
				`  {`,
				`    "provider": "hetzner",`,
				`    "tags": {`,
				`      "plexsphere:platform/env": "prod"`,
				`    },`,
				`    "skipped": [`,
				`      {`,
				`        "qualifiedKey": "cost center",`,
				`        "tagKey": "plexsphere:cost center",`,
				`        "provider": "hetzner",`,
				`        "reason": "key-character-class"`,
				`      }`,
				`    ]`,
				`  }`,
				`]`,
			)},
		},
		"JSONWithoutLabels": {
			reason: "JSON should have empty maps and lists, not null.",
			args:   []string{"--provider", "aws", "-o", "json", "-"},
			in:     "{}",
			want:   want{out: lines(`[`, `  {`, `    "provider": "aws",`, `    "tags": {},`, `    "skipped": []`, `  }`, `]`)},
		},
		"YAML": {
			reason: "YAML should say what JSON does.",
			args:   []string{"--provider", "aws", "--provider", "hetzner", "-o", "yaml", "-"},
			in:     "platform/env: prod\ncost center: \"42\"\n",
			want: want{out: lines(
				`- provider: aws`,
				`  skipped: []`,
				`  tags:`,
				`    plexsphere:cost center: "42"`,
				`    plexsphere:platform/env: prod`,
				`- provider: hetzner`,
				`  skipped:`,
				`  - provider: hetzner`,
				`    qualifiedKey: cost center`,
				`    reason: key-character-class`,
				`    tagKey: plexsphere:cost center`,
				`  tags:`,
				`    plexsphere:platform/env: prod`,
			)},
		},
		"NoColorInYAML": {
			reason: "Only tables have colors.",
			args:   []string{"--provider", "aws", "-o", "yaml", "-"},
			in:     "a: b",
			color:  true,
			want:   want{out: lines(`- provider: aws`, `  skipped: []`, `  tags:`, `    plexsphere:a: b`)},
		},
		"StrictWithoutSkips": {
			reason: "Strict should change nothing if nothing is skipped.",
			args:   []string{"--provider", "aws", "--strict", "-"},
			in:     "a: b",
			want:   want{out: lines("LABEL  VALUE  AWS", "a      b      plexsphere:a")},
		},
		"Strict": {
			reason: "Strict should exit with status 2 if any label is skipped by any profile, but print all the same.",
			args:   []string{"--provider", "aws", "--provider", "hetzner", "--provider", "generic", "--strict", "-"},
			in:     "a b: c\nd!: e\n",
			want: want{
				out: lines(
					"LABEL  VALUE  AWS                  HETZNER              GENERIC",
					"a b    c      plexsphere:a b       key-character-class  key-character-class",
					"d!     e      key-character-class  key-character-class  key-character-class",
					"",
					"aws key-character-class: allowed: letters, digits, space and + - = . _ : / @",
					"hetzner key-character-class: allowed: ASCII letters and digits and - _ . : /",
					"generic key-character-class: allowed: ASCII letters and digits and - _ . : /",
				),
				err:  "labels skipped: 5",
				code: 2,
			},
		},
		"SkipsWithoutStrict": {
			reason: "A label that is skipped is no failure unless strict is asked for.",
			args:   []string{"--provider", "hetzner", "-o", "yaml", "-"},
			in:     "a b: c",
			want: want{out: lines(
				`- provider: hetzner`,
				`  skipped:`,
				`  - provider: hetzner`,
				`    qualifiedKey: a b`,
				`    reason: key-character-class`,
				`    tagKey: plexsphere:a b`,
				`  tags: {}`,
			)},
		},
		"CloudRules": {
			reason: "The clouds' own rules should be applied if they are asked for, keys included.",
			args:   []string{"--provider", "hetzner", "--provider", "openstack", "--profile-rules", "Cloud", "-"},
			in:     "platform/env: prod",
			want: want{out: lines(
				"LABEL         VALUE  HETZNER                  OPENSTACK",
				"platform/env  prod   plexsphere.platform/env  plexsphere:platform.env",
			)},
		},

		// Which map it is.
		"FieldPath": {
			reason: "The map should be found in an object by its path.",
			args:   []string{"--provider", "aws", "--field-path", "spec.groups[1].labels", "-"},
			in:     "kind: Storage\nspec:\n  groups:\n  - {}\n  - labels: {a: b}\n",
			want:   want{out: lines("LABEL  VALUE  AWS", "a      b      plexsphere:a")},
		},
		"FieldPathInBrackets": {
			reason: "A key with dots should be found in brackets.",
			args:   []string{"--provider", "aws", "--field-path", "metadata[example.org/labels]", "-"},
			in:     `{"metadata": {"example.org/labels": {"a": "b"}}}`,
			want:   want{out: lines("LABEL  VALUE  AWS", "a      b      plexsphere:a")},
		},
		"FieldPathAbsent": {
			reason: "A path that leads nowhere is probably a mistake.",
			args:   []string{"--field-path", "spec.labels", "-"},
			in:     "spec: {}",
			want:   want{err: "cannot read labels from -: there is no field spec.labels", code: 1},
		},
		"FieldPathNull": {
			reason: "A path that leads to null is probably a mistake.",
			args:   []string{"--field-path", "spec.labels", "-"},
			in:     "spec: {labels: }",
			want:   want{err: "cannot read labels from -: there is no field spec.labels", code: 1},
		},
		"FieldPathToString": {
			reason: "A path that leads to a string leads to no map.",
			args:   []string{"--field-path", "spec.labels", "-"},
			in:     "spec: {labels: a=b}",
			want:   want{err: "cannot read labels from -: spec.labels is a string, not a map of strings", code: 1},
		},
		"FieldPathThroughString": {
			reason: "A path through a string leads nowhere.",
			args:   []string{"--field-path", "spec.labels", "-"},
			in:     "spec: labels",
			want:   want{err: "cannot read labels from -: spec is a string, not an object", code: 1},
		},
		"FieldPathMalformed": {
			reason: "A malformed path is a mistake.",
			args:   []string{"--field-path", "spec..labels", "-"},
			in:     "spec: {labels: {a: b}}",
			want:   want{err: `cannot read labels from -: cannot parse field path "spec..labels": unexpected '.' at position 5`, code: 1},
		},
		"FieldPathNumber": {
			reason: "The path should be named together with the key whose value is no string.",
			args:   []string{"--field-path", "spec.labels", "-"},
			in:     "spec: {labels: {replicas: 3}}",
			want:   want{err: "cannot read labels from -: spec.labels[replicas] is a number, not a string", code: 1},
		},

		// What is no map.
		"Number": {
			reason: "A number without quotes is an easy mistake, so the message should name its key.",
			args:   []string{"-"},
			in:     "a: b\nreplicas: 3\n",
			want:   want{err: "cannot read labels from -: labels[replicas] is a number, not a string", code: 1},
		},
		"Boolean": {
			reason: "A boolean without quotes is an easy mistake.",
			args:   []string{"-"},
			in:     "backup: true",
			want:   want{err: "cannot read labels from -: labels[backup] is a boolean, not a string", code: 1},
		},
		"NullValue": {
			reason: "A key without a value is an easy mistake.",
			args:   []string{"-"},
			in:     "a:\nb: c\n",
			want:   want{err: "cannot read labels from -: labels[a] is null, not a string", code: 1},
		},
		"Object": {
			reason: "An object instead of its map is an easy mistake.",
			args:   []string{"-"},
			in:     "kind: Storage\nmetadata: {labels: {a: b}}\n",
			want:   want{err: "cannot read labels from -: it is an object, and no map of labels: say with --field-path where the labels are. Maps of strings are at metadata.labels", code: 1},
		},
		"ObjectWithMaps": {
			reason: "All maps that could be meant should be listed.",
			args:   []string{"-"},
			in:     "kind: Storage\nmetadata: {name: x, annotations: {a: b}}\nspec: {empty: {}, a.b: {c/d: {e: f}}, list: [{}, {tags: {a: b}}], mixed: {a: b, c: 3}}\n",
			want:   want{err: "cannot read labels from -: it is an object, and no map of labels: say with --field-path where the labels are. Maps of strings are at metadata.annotations, spec[a.b].c/d, spec.list[1].tags", code: 1},
		},
		"ObjectWithoutMaps": {
			reason: "There may be none.",
			args:   []string{"-"},
			in:     "kind: Storage\nmetadata: {name: x}\nspec: {a: 3}\n",
			want:   want{err: "cannot read labels from -: it is an object, and no map of labels: say with --field-path where the labels are", code: 1},
		},
		"FieldPathMisspelled": {
			reason: "What is meant is probably another map.",
			args:   []string{"--field-path", "spec.labelz", "-"},
			in:     "spec: {labels: {a: b}}",
			want:   want{err: "cannot read labels from -: there is no field spec.labelz. Maps of strings are at spec.labels", code: 1},
		},
		"Documents": {
			reason: "Of several objects the one that has the field should be explained.",
			args:   []string{"--provider", "aws", "--field-path", "spec.labels", "-"},
			in:     "kind: A\n---\nkind: B\nspec: {labels: {a: b}}\n---\n# nothing\n",
			want:   want{out: lines("LABEL  VALUE  AWS", "a      b      plexsphere:a")},
		},
		"SeveralDocuments": {
			reason: "Labels of a second object should not be left out in silence.",
			args:   []string{"--field-path", "spec.labels", "-"},
			in:     "apiVersion: v1\nkind: List\nitems:\n- {kind: A, metadata: {name: a}, spec: {labels: {a: b}}}\n- {kind: B, metadata: {name: b}, spec: {labels: {a: b}}}\n",
			want:   want{err: "cannot read labels from -: it has several objects, and one can be explained at a time: A a, B b", code: 1},
		},
		"SeveralMaps": {
			reason: "Labels of a second map should not be left out in silence.",
			args:   []string{"-"},
			in:     "a: b\n---\nc: d\n",
			want:   want{err: "cannot read labels from -: it has several objects, and one can be explained at a time: an object, an object", code: 1},
		},
		"NoDocument": {
			reason: "None of several objects may have the field.",
			args:   []string{"--field-path", "spec.labels", "-"},
			in:     "kind: A\n---\nkind: B\n",
			want:   want{err: "cannot read labels from -: no object has a field spec.labels", code: 1},
		},
		"List": {
			reason: "A list is no map.",
			args:   []string{"-"},
			in:     "- a: b\n",
			want:   want{err: "cannot read labels from -: labels is a list, not a map of strings", code: 1},
		},
		"String": {
			reason: "A text is no map.",
			args:   []string{"-"},
			in:     "a=b",
			want:   want{err: "cannot read labels from -: labels is a string, not a map of strings", code: 1},
		},
		"Empty": {
			reason: "A file with nothing in it is probably the wrong one.",
			args:   []string{"-"},
			in:     "",
			want:   want{err: "cannot read labels from -: labels is null, not a map of strings", code: 1},
		},
		"BrokenYAML": {
			reason: "What is no YAML should be one clear line.",
			args:   []string{"-"},
			in:     "a: b\nc: [\n",
			want:   want{err: "cannot read labels from -: yaml: line 2: did not find expected node content", code: 1},
		},
		"SameKeyTwice": {
			reason: "Of two labels of one key one would be lost.",
			args:   []string{"-"},
			in:     "a: b\na: c\n",
			want:   want{err: `cannot read labels from -: yaml: unmarshal errors: line 2: key "a" already set in map`, code: 1},
		},
		"KeyOfTwoLines": {
			reason: "An error should be one line, whatever a key is.",
			args:   []string{"-"},
			in:     `{"a\nb": 1}`,
			want:   want{err: `cannot read labels from -: labels[a b] is a number, not a string`, code: 1},
		},
	}

	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			out := &strings.Builder{}
			err := command(t, tc.args...).run(t.Context(), strings.NewReader(tc.in), out, terminal{color: tc.color, width: tc.width})

			if diff := cmp.Diff(tc.want.err, text(err)); diff != "" {
				t.Errorf("\n%s\nrun(...): -want error, +got error:\n%s", tc.reason, diff)
			}

			if diff := cmp.Diff(tc.want.code, exitCode(err)); diff != "" {
				t.Errorf("\n%s\nrun(...): -want exit code, +got exit code:\n%s", tc.reason, diff)
			}

			if diff := cmp.Diff(tc.want.out, out.String()); diff != "" {
				t.Errorf("\n%s\nrun(...): -want output, +got output:\n%s\n%s", tc.reason, diff, out)
			}
		})
	}
}

func TestRunAllProfiles(t *testing.T) {
	out := &strings.Builder{}
	if err := command(t, "-").run(t.Context(), strings.NewReader("platform/env: prod"), out, terminal{}); err != nil {
		t.Fatal(err)
	}

	header, row, _ := strings.Cut(out.String(), "\n")

	want := []string{"LABEL", "VALUE", "AWS", "AZURE", "DIGITALOCEAN", "GCP", "GENERIC", "HETZNER", "OPENSTACK"}
	if diff := cmp.Diff(want, strings.Fields(header)); diff != "" {
		t.Errorf("\nBy default all profiles should be side by side.\nrun(...): -want header, +got header:\n%s", diff)
	}

	want = []string{
		"platform/env", "prod", "plexsphere:platform/env", "plexsphere:platform.env", "plexsphere:platform-env", "plexsphere_platform_env",
		"plexsphere:platform/env", "plexsphere:platform/env", "plexsphere:platform/env",
	}
	if diff := cmp.Diff(want, strings.Fields(row)); diff != "" {
		t.Errorf("\nEach profile should have its tag key.\nrun(...): -want row, +got row:\n%s", diff)
	}
}

// TestRunProvidersTags has as many labels as a resource may have tags, but not if the
// provider has tags of its own.
func TestRunProvidersTags(t *testing.T) {
	const note = "aws: for kinds whose provider adds its own tags, 3 of the 50 tags are these, and 1 labels more are skipped"

	for n, want := range map[int]bool{47: false, 48: true} {
		in := &strings.Builder{}
		for i := range n {
			fmt.Fprintf(in, "a%d: b\n", i)
		}

		out := &strings.Builder{}
		if err := command(t, "--provider", "aws", "--strict", "-").run(t.Context(), strings.NewReader(in.String()), out, terminal{}); err != nil {
			t.Fatal(err)
		}

		if got := strings.Contains(out.String(), note); got != want {
			t.Errorf("\nLabels that fit only where the provider adds no tags should be told.\nrun(...) with %d labels: want note: %t, got %t:\n%s", n, want, got, out)
		}
	}
}

func TestRunFile(t *testing.T) {
	dir := t.TempDir()

	write := func(name, content string) string {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}

		return path
	}

	good := write("labels.yaml", "a: b\n")
	goodJSON := write("labels.json", `{"a": "b"}`)
	bad := write("bad.yaml", "a: 'b\n")
	missing := filepath.Join(dir, "missing.yaml")

	type want struct {
		out string
		err string
	}

	cases := map[string]struct {
		reason string
		file   string
		want   want
	}{
		"YAML": {
			reason: "Labels should be read from a file of YAML.",
			file:   good,
			want:   want{out: lines("LABEL  VALUE  AWS", "a      b      plexsphere:a")},
		},
		"JSON": {
			reason: "Labels should be read from a file of JSON.",
			file:   goodJSON,
			want:   want{out: lines("LABEL  VALUE  AWS", "a      b      plexsphere:a")},
		},
		"Missing": {
			reason: "A file that is not there should be named once.",
			file:   missing,
			want:   want{err: "cannot read labels from " + missing + ": no such file or directory"},
		},
		"Folder": {
			reason: "A folder is no file.",
			file:   dir,
			want:   want{err: "cannot read labels from " + dir + ": is a directory"},
		},
		"Broken": {
			reason: "A file that is no YAML should be named.",
			file:   bad,
			want:   want{err: "cannot read labels from " + bad + ": yaml: line 2: found unexpected end of stream"},
		},
	}

	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			out := &strings.Builder{}

			// Standard input is not to be read.
			err := command(t, "--provider", "aws", tc.file).run(t.Context(), fails{}, out, terminal{})

			if diff := cmp.Diff(tc.want.err, text(err)); diff != "" {
				t.Errorf("\n%s\nrun(...): -want error, +got error:\n%s", tc.reason, diff)
			}

			if diff := cmp.Diff(tc.want.out, out.String()); diff != "" {
				t.Errorf("\n%s\nrun(...): -want output, +got output:\n%s", tc.reason, diff)
			}
		})
	}
}

func TestRunBrokenPipes(t *testing.T) {
	err := command(t, "-").run(t.Context(), fails{}, io.Discard, terminal{})
	if diff := cmp.Diff("cannot read labels from -: the pipe is broken", text(err)); diff != "" {
		t.Errorf("\nStandard input that can't be read is a failure.\nrun(...): -want error, +got error:\n%s", diff)
	}

	for _, output := range []string{"table", "json", "yaml"} {
		err := command(t, "--strict", "--provider", "hetzner", "-o", output, "-").run(t.Context(), strings.NewReader("a b: c"), fails{}, terminal{})
		if diff := cmp.Diff("cannot write explanation: the pipe is broken", text(err)); diff != "" {
			t.Errorf("\nStandard output that can't be written is a failure, also if labels are skipped.\nrun(...) to %s: -want error, +got error:\n%s", output, diff)
		}
	}
}

func TestCommandLine(t *testing.T) {
	cases := map[string]struct {
		reason string
		args   []string
		want   string
	}{
		"NoFile":      {reason: "A file, or a Composition instead of it, should be required.", args: nil, want: `give either a file of labels or --composition`},
		"BadOutput":   {reason: "Only the formats that there are should be accepted.", args: []string{"-o", "xml", "-"}, want: `--output must be one of "table","json","yaml" but got "xml"`},
		"BadRules":    {reason: "Only the rules that there are should be accepted.", args: []string{"--profile-rules", "Strict", "-"}, want: `--profile-rules must be one of "Contract","Cloud" but got "Strict"`},
		"UnknownFlag": {reason: "An unknown flag should be refused.", args: []string{"--cloud", "aws", "-"}, want: `unknown flag --cloud`},
	}

	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			k, err := kong.New(&Command{})
			if err != nil {
				t.Fatal(err)
			}

			_, err = k.Parse(tc.args)

			if diff := cmp.Diff(tc.want, text(err)); diff != "" {
				t.Errorf("\n%s\nParse(...): -want error, +got error:\n%s", tc.reason, diff)
			}
		})
	}
}
