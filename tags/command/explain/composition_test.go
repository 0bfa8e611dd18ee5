package explain

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestHierarchy(t *testing.T) {
	const dir = "testdata/hierarchy/"

	type want struct {
		out string
		err string
	}

	cases := map[string]struct {
		reason string
		cmd    Command
		want   want
	}{
		"Table": {
			reason: "Each label is shown with the level that it came from, what it overrode there, and what becomes of it on each provider.",
			cmd: Command{
				Composition: dir + "composition.yaml", XR: dir + "xr.yaml", RequiredResources: []string{dir + "required"},
				Provider: []string{"aws", "gcp"}, Output: "table",
			},
			want: want{out: `
LABEL             VALUE      FROM          OVERRIDES                     AWS               GCP
company           acme-corp  organization  -                             company           company
cost-center       CC 2       zone          CC-DEFAULT from organization  cost-center       value-character-class
entigo:workspace  ws-1       platform      -                             entigo:workspace  entigo_workspace
team              x          xr            none from organization        team              team
entigo:workspace  forged     xr            -                             reserved-key      reserved-key

aws reserved-key: only trusted sources may claim it, and nobody a key that providers set
gcp reserved-key: only trusted sources may claim it, and nobody a key that providers set
gcp value-character-class: allowed: letters without case or in lower case, numbers, _ and -
`},
		},
		"YAML": {
			reason: "Scripts get the same.",
			cmd: Command{
				Composition: dir + "composition.yaml", XR: dir + "xr.yaml", RequiredResources: []string{dir + "required/objects.yaml"},
				Provider: []string{"aws"}, Output: "yaml", Strict: true,
			},
			want: want{
				out: `
- provider: aws
  skipped:
  - provider: aws
    qualifiedKey: entigo:workspace
    reason: reserved-key
    tagKey: entigo:workspace
  sources:
    company:
      source: organization
    cost-center:
      overrides:
      - source: organization
        value: CC-DEFAULT
      source: zone
    entigo:workspace:
      source: platform
    team:
      overrides:
      - source: organization
        value: none
      source: xr
  tags:
    company: acme-corp
    cost-center: CC 2
    entigo:workspace: ws-1
    team: x
`,
				err: "labels skipped: 1",
			},
		},
		"ObjectMissing": {
			reason: "An object that is required and isn't given fails the step in a cluster, too.",
			cmd:    Command{Composition: dir + "composition.yaml", XR: dir + "xr.yaml", Output: "table"},
			want:   want{err: `cannot resolve sources[0] "organization": there is no Organization (platform.example.org/v1) named "acme"`},
		},
		"NoStep": {
			reason: "A Composition whose pipeline doesn't have the step has nothing to explain.",
			cmd:    Command{Composition: dir + "composition.yaml", XR: dir + "xr.yaml", Step: "other", Output: "table"},
			want:   want{err: `cannot read testdata/hierarchy/composition.yaml: no step of a Composition called other has an input of apiVersion cloudtags.fn.plexsphere.com/v1beta1 and kind CloudTags`},
		},
		"NoComposition": {
			reason: "A file that isn't there is named once.",
			cmd:    Command{Composition: dir + "none.yaml", XR: dir + "xr.yaml", Output: "table"},
			want:   want{err: "cannot read testdata/hierarchy/none.yaml: no such file or directory"},
		},
		"OtherXR": {
			reason: "A Composition says nothing of other kinds.",
			cmd:    Command{Composition: dir + "composition.yaml", XR: dir + "required", Output: "table"},
			want:   want{err: "cannot explain testdata/hierarchy/required: the Composition x is for kind Storage of apiVersion platform.example.org/v1alpha1, and it has no such object, but Organization acme (platform.example.org/v1), Namespace zone-1 (v1)"},
		},
	}

	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			out := &bytes.Buffer{}
			err := tc.cmd.run(t.Context(), strings.NewReader(""), out, terminal{})

			got := want{out: out.String()}
			if err != nil {
				got.err = fmt.Sprint(err)
			}

			tc.want.out = strings.TrimPrefix(tc.want.out, "\n")
			if diff := cmp.Diff(tc.want, got, cmp.AllowUnexported(want{})); diff != "" {
				t.Errorf("\n%s\nrun(...): -want, +got:\n%s", tc.reason, diff)
			}
		})
	}
}

// compositionOf returns a Composition whose step has an input with the supplied fields.
func compositionOf(input string) string {
	return `
apiVersion: apiextensions.crossplane.io/v1
kind: Composition
metadata: {name: x}
spec:
  compositeTypeRef: {apiVersion: example.org/v1, kind: XR}
  pipeline:
  - step: tags
    input: {apiVersion: cloudtags.fn.plexsphere.com/v1beta1, kind: CloudTags, ` + input + `}
`
}

// xr is a composite resource.
const xr = `
apiVersion: example.org/v1
kind: XR
metadata: {namespace: team-a, name: a, annotations: {tags.example.org/note: note}}
spec:
  labels: {env: prod}
  tags: {env: prod}
  provider: gcp
`

func TestComposition(t *testing.T) {
	type want struct {
		out string
		err string
	}

	many := func(n int) string {
		b := strings.Builder{}
		for i := range n {
			fmt.Fprintf(&b, "a%02d: x, ", i)
		}

		return "{" + strings.TrimSuffix(b.String(), ", ") + "}"
	}

	cases := map[string]struct {
		reason string
		files  map[string]string
		args   []string
		want   want
	}{
		"SameQualifiedKey": {
			reason: "Two labels of one qualified key are two labels, each with its own key, fate and source.",
			files: map[string]string{
				"c": compositionOf(`sources: [{type: CompositeField, fromFieldPath: spec.labels}, {type: CompositeField, fromFieldPath: spec.tags, keyForm: Tag}]`),
				"x": strings.ReplaceAll(xr, "tags: {env: prod}", `tags: {env: "`+strings.Repeat("v", 64)+`"}`),
			},
			args: []string{"--provider", "hetzner"},
			want: want{out: `
LABEL  VALUE                                                         FROM         OVERRIDES  HETZNER
env    ` + strings.Repeat("v", 59) + `…  spec.tags    -          value-too-long
env    prod                                                          spec.labels  -          plexsphere:env

hetzner value-too-long: at most 63 characters
`},
		},
		"SameQualifiedKeyYAML": {
			reason: "Scripts should not take the one for the other, either.",
			files: map[string]string{
				"c": compositionOf(`sources: [{type: CompositeField, fromFieldPath: spec.labels}, {type: CompositeField, fromFieldPath: spec.tags, keyForm: Tag}]`),
				"x": xr,
			},
			args: []string{"--provider", "aws", "-o", "yaml"},
			want: want{out: `
- provider: aws
  skipped: []
  sources:
    env:
      source: spec.tags
    plexsphere:env:
      source: spec.labels
  tags:
    env: prod
    plexsphere:env: prod
`},
		},
		"TrustedStands": {
			reason: "A trusted label that turns out to have a reserved key stands against the one that overrode it, where it does, and has its own source.",
			files: map[string]string{
				"c": compositionOf(`keyPrefix: "", reservedKeys: ["a_env"], sources: [{type: Value, name: older, values: {a/env: old}}, {type: Value, name: platform, trusted: true, values: {a/env: ours}}, {type: Value, name: user, values: {a/env: theirs}}]`),
				"x": xr,
			},
			args: []string{"--provider", "aws", "--provider", "gcp"},
			want: want{out: `
LABEL  VALUE   FROM      OVERRIDES                           AWS    GCP
a/env  theirs  user      ours from platform, old from older  a/env  reserved-key
a/env  ours    platform  old from older                      -      a_env

gcp reserved-key: only trusted sources may claim it, and nobody a key that providers set
`},
		},
		"ReservedTags": {
			reason: "Slots that are reserved, and those of the provider's own tags, are none for labels.",
			files:  map[string]string{"c": compositionOf(`reservedTags: {aws: 44, hetzner: 61}, keyPrefix: "", sources: [{type: Value, values: ` + many(4) + `}]`), "x": xr},
			args:   []string{"--provider", "aws", "--provider", "hetzner"},
			want: want{out: `
LABEL  VALUE  FROM       OVERRIDES  AWS        HETZNER
a00    x      the input  -          a00        a00
a01    x      the input  -          a01        a01
a02    x      the input  -          a02        a02
a03    x      the input  -          count-cap  count-cap

aws count-cap: at most 50 tags on a resource
aws: 3 of the 50 tags of a resource are for labels, since reservedTags keeps 44, and 3 are the provider's own: for kinds whose provider adds its own tags, others have them for labels, too
hetzner count-cap: at most 64 tags on a resource
hetzner: 3 of the 64 tags of a resource are for labels, since reservedTags keeps 61
`},
		},
		"ProviderTagsNone": {
			reason: "Providers can be told not to add tags of their own.",
			files:  map[string]string{"c": compositionOf(`reservedTags: {aws: 47}, providerTags: None, limitPolicy: ApplyStrict, keyPrefix: "", sources: [{type: Value, values: ` + many(4) + `}]`), "x": xr},
			args:   []string{"--provider", "aws"},
			want: want{out: `
LABEL  VALUE  FROM       OVERRIDES  AWS
a00    x      the input  -          a00
a01    x      the input  -          a01
a02    x      the input  -          a02
a03    x      the input  -          count-cap

aws count-cap: at most 50 tags on a resource
aws: 3 of the 50 tags of a resource are for labels, since reservedTags keeps 47
aws: the function fails: limitPolicy ApplyStrict, and 1 labels have no tag slot
`},
		},
		"TrustedWithoutSlot": {
			reason: "The function fails if a platform's tag has no room.",
			files:  map[string]string{"c": compositionOf(`reservedTags: {hetzner: 64}, keyPrefix: "", sources: [{type: Value, trusted: true, values: {a: x, b: x}}]`), "x": xr},
			args:   []string{"--provider", "hetzner"},
			want: want{out: `
LABEL  VALUE  FROM       OVERRIDES  HETZNER
a      x      the input  -          count-cap
b      x      the input  -          count-cap

hetzner count-cap: at most 64 tags on a resource
hetzner: 0 of the 64 tags of a resource are for labels, since reservedTags keeps 64
hetzner: the function fails: trusted labels have no tag slot: a, b
`},
		},
		"Names": {
			reason: "A source without a name is called by what it reads.",
			files: map[string]string{
				"c": compositionOf(`keyPrefix: "", sources: [{type: Value, values: {a: a}}, {type: CompositeField, fromFieldPath: spec.labels}, {type: ContextField, contextKey: example.org/env, fromFieldPath: tags}, {type: CompositeMetadata, prefix: tags.example.org/}` +
					`, {type: RequiredResource, fromFieldPath: data, resource: {apiVersion: v1, kind: ConfigMap, name: {value: one}}}` +
					`, {type: RequiredResource, prefix: x/, resource: {apiVersion: v1, kind: Namespace, name: {fromFieldPath: metadata.namespace}}}` +
					`, {type: RequiredResource, fromFieldPath: data.m, resource: {apiVersion: v1, kind: ConfigMap, matchLabels: {value: {b: c, a: b}}}}]`),
				"x": xr,
				"o": `{"apiVersion": "v1", "kind": "List", "items": [{"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "one"}, "data": {"c": "\ud83d\ude00\u0085"}}` +
					`, {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"namespace": "other", "name": "one"}, "data": {"c": "d"}}` +
					`, {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "two", "labels": {"a": "b", "b": "c"}}, "data": {"m": {"f": "f"}}}` +
					`, {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": "team-a", "labels": {"x/e": "e"}}}]}`,
				"k": `{"example.org/env": {"tags": {"d": "d"}}}`,
			},
			args: []string{"--provider", "aws", "--required-resources", "o", "--context", "k"},
			want: want{out: `
LABEL  VALUE      FROM                                       OVERRIDES  AWS
a      a          the input                                  -          a
c      "😀\u0085"  ConfigMap one                              -          c
d      d          context[example.org/env].tags              -          d
e      e          Namespace team-a                           -          e
env    prod       spec.labels                                -          env
f      f          ConfigMap with a=b,b=c                     -          f
note   note       labels and annotations tags.example.org/…  -          note
`},
		},
		"NoContext": {
			reason: "A source that can't be known should not be left out in silence.",
			files: map[string]string{
				"c": compositionOf(`sources: [{type: CompositeField, fromFieldPath: spec.labels}, {type: ContextField, contextKey: k, fromFieldPath: p}, {type: ContextField, name: environment, contextKey: k, fromFieldPath: q}]`),
				"x": xr,
			},
			args: []string{"--provider", "aws"},
			want: want{out: `
LABEL  VALUE  FROM         OVERRIDES  AWS
env    prod   spec.labels  -          plexsphere:env

note: sources[1]: context[k] isn't there
note: sources[2] "environment": context[k] isn't there
note: what is in the pipeline's context isn't known without --context
`},
		},
		"NothingFound": {
			reason: "A source that finds nothing is probably a mistake.",
			files:  map[string]string{"c": compositionOf(`sources: [{type: CompositeField, fromFieldPath: spec.labelz}, {type: CompositeField, fromFieldPath: spec.labels}]`), "x": xr},
			args:   []string{"--provider", "aws"},
			want: want{out: `
LABEL  VALUE  FROM         OVERRIDES  AWS
env    prod   spec.labels  -          plexsphere:env

note: sources[0]: the composite resource has no spec.labelz
`},
		},
		"ContextOfTwo": {
			reason: "A pipeline has one context.",
			files:  map[string]string{"c": compositionOf(`sources: [{type: Value, values: {}}]`), "x": xr, "k": "a: {}\n---\nb: {}\n"},
			args:   []string{"--context", "k"},
			want:   want{err: "cannot read DIR/k: the context is one map of context key to value, not 2 objects"},
		},
		"XRAmongOthers": {
			reason: "The composite resource is the object of the Composition's kind, wherever in the file it is.",
			files: map[string]string{
				"c": compositionOf(`sources: [{type: CompositeField, fromFieldPath: spec.labels}]`),
				"x": "apiVersion: v1\nkind: Namespace\n---\napiVersion: example.org/v2\nkind: XR\n---\n" + xr,
			},
			args: []string{"--provider", "aws"},
			want: want{out: `
LABEL  VALUE  FROM         OVERRIDES  AWS
env    prod   spec.labels  -          plexsphere:env
`},
		},
		"SeveralXRs": {
			reason: "Which of several composite resources is meant can't be known.",
			files: map[string]string{
				"c": compositionOf(`sources: [{type: CompositeField, fromFieldPath: spec.labels}]`),
				"x": xr + "---" + strings.ReplaceAll(xr, "name: a", "name: b"),
			},
			want: want{err: "cannot explain DIR/x: it has several composite resources, and one can be explained at a time: XR team-a/a (example.org/v1), XR team-a/b (example.org/v1)"},
		},
		"NoXR": {
			reason: "A file can be empty.",
			files:  map[string]string{"c": compositionOf(`sources: [{type: CompositeField, fromFieldPath: spec.labels}]`), "x": ""},
			want:   want{err: "cannot explain DIR/x: there is no object in it"},
		},
		"ProviderOfXR": {
			reason: "What the composite resource says is not for all resources.",
			files:  map[string]string{"c": compositionOf(`provider: {fromFieldPath: spec.provider}, sources: [{type: CompositeField, fromFieldPath: spec.labels}]`), "x": xr},
			want: want{out: `
LABEL  VALUE  FROM         OVERRIDES  GCP
env    prod   spec.labels  -          plexsphere_env

note: the provider is the composite resource's or its class's choice, which is for resources of no known provider only: --provider shows the others
`},
		},
		"ProviderOfInput": {
			reason: "Resources of some kinds have other profiles if the input says so.",
			files: map[string]string{
				"c": compositionOf(`provider: {value: AWS}, tagFields: [{apiVersion: a/v1, kind: A, fieldPath: spec.tags, shape: Map, provider: gcp}, {apiVersion: a/v1, kind: B, fieldPath: spec.tags, shape: Map, provider: aws}], sources: [{type: CompositeField, fromFieldPath: spec.labels}]`),
				"x": xr,
			},
			want: want{out: `
LABEL  VALUE  FROM         OVERRIDES  AWS             GCP
env    prod   spec.labels  -          plexsphere:env  plexsphere_env
`},
		},
		"UnknownProvider": {
			reason: "A provider that nobody knows has the profile of all of these, which may be a mistake.",
			files:  map[string]string{"c": compositionOf(`provider: {value: amazon}, sources: [{type: CompositeField, fromFieldPath: spec.labels}]`), "x": xr},
			want: want{out: `
LABEL  VALUE  FROM         OVERRIDES  GENERIC
env    prod   spec.labels  -          plexsphere:env

generic: "amazon" has no tag profile, so that of generic applies. Known are aws, azure, digitalocean, gcp, generic, hetzner, openstack
`},
		},
	}

	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()

			args := []string{"--composition", filepath.Join(dir, "c"), "--xr", filepath.Join(dir, "x")}

			for _, arg := range tc.args {
				if _, ok := tc.files[arg]; ok {
					arg = filepath.Join(dir, arg)
				}

				args = append(args, arg)
			}

			for file, text := range tc.files {
				if err := os.WriteFile(filepath.Join(dir, file), []byte(text), 0o600); err != nil {
					t.Fatal(err)
				}
			}

			out := &bytes.Buffer{}
			err := command(t, args...).run(t.Context(), strings.NewReader(""), out, terminal{})

			got := want{out: out.String()}
			if err != nil {
				got.err = strings.ReplaceAll(fmt.Sprint(err), dir, "DIR")
			}

			tc.want.out = strings.TrimPrefix(tc.want.out, "\n")
			if diff := cmp.Diff(tc.want, got, cmp.AllowUnexported(want{})); diff != "" {
				t.Errorf("\n%s\nrun(...): -want, +got:\n%s\n%s", tc.reason, diff, got.out)
			}
		})
	}
}

// TestStdin reads each of the files from standard input.
func TestStdin(t *testing.T) {
	files := map[string]string{
		"composition": compositionOf(`keyPrefix: "", sources: [{type: ContextField, contextKey: k, fromFieldPath: p}, {type: RequiredResource, fromFieldPath: data, resource: {apiVersion: v1, kind: ConfigMap, name: {value: c}}}]`),
		"xr":          xr, "context": "k: {p: {a: b}}", "required-resources": "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: c}\ndata: {c: d}\n",
	}

	for stdin := range files {
		t.Run(stdin, func(t *testing.T) {
			args := []string{"--provider", "aws", "--output", "json"}

			for name, text := range files {
				file := filepath.Join(t.TempDir(), name)
				if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
					t.Fatal(err)
				}

				if name == stdin {
					file = "-"
				}

				args = append(args, "--"+name, file)
			}

			out := &bytes.Buffer{}
			if err := command(t, args...).run(t.Context(), strings.NewReader(files[stdin]), out, terminal{}); err != nil {
				t.Fatal(err)
			}

			var got []Explanation
			if err := json.Unmarshal(out.Bytes(), &got); err != nil {
				t.Fatal(err)
			}

			want := map[string]string{"a": "b", "c": "d"}
			if diff := cmp.Diff(want, got[0].Tags); diff != "" {
				t.Errorf("\n- should stand for standard input.\nrun(%q): -want tags, +got tags:\n%s", args, diff)
			}
		})
	}
}

func TestValidate(t *testing.T) {
	cases := map[string]struct {
		reason string
		cmd    Command
		want   string
	}{
		"File":              {reason: "A file is enough.", cmd: Command{File: "labels.yaml"}},
		"Composition":       {reason: "A Composition and a composite resource are enough.", cmd: Command{Composition: "c.yaml", XR: "xr.yaml"}},
		"Nothing":           {reason: "There must be something to explain.", want: "give either a file of labels or --composition"},
		"Both":              {reason: "There must be one thing to explain.", cmd: Command{File: "l.yaml", Composition: "c.yaml", XR: "xr.yaml"}, want: "give either a file of labels or --composition"},
		"NoXR":              {reason: "A Composition says nothing without a composite resource.", cmd: Command{Composition: "c.yaml"}, want: "--composition and --xr go together"},
		"NoComposition":     {reason: "A composite resource says nothing without a Composition.", cmd: Command{File: "l.yaml", XR: "xr.yaml"}, want: "--composition and --xr go together"},
		"RequiredResources": {reason: "A file requires no objects.", cmd: Command{File: "l.yaml", RequiredResources: []string{"r"}}, want: "--required-resources, --context and --step go with --composition"},
		"Context":           {reason: "A file has no context.", cmd: Command{File: "l.yaml", Context: "c"}, want: "--required-resources, --context and --step go with --composition"},
		"Stdin":             {reason: "Any of the files can be standard input.", cmd: Command{Composition: "c.yaml", XR: "-"}},
		"StdinTwice":        {reason: "The second of two files would be empty.", cmd: Command{Composition: "-", XR: "xr.yaml", RequiredResources: []string{"a", "-"}}, want: "standard input can be read once: give - for one file only"},
		"FieldPath":         {reason: "A Composition says where labels are.", cmd: Command{Composition: "c.yaml", XR: "xr.yaml", FieldPath: "spec.labels"}, want: "--field-path goes with a file of labels"},
	}

	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			got := ""
			if err := tc.cmd.Validate(); err != nil {
				got = err.Error()
			}

			if diff := cmp.Diff(tc.want, got); diff != "" {
				t.Errorf("\n%s\nValidate(): -want error, +got error:\n%s", tc.reason, diff)
			}
		})
	}
}
