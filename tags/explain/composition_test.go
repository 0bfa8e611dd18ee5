package explain

import (
	"bytes"
	"fmt"
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
		"SeveralXRs": {
			reason: "One composite resource is explained at a time.",
			cmd:    Command{Composition: dir + "composition.yaml", XR: dir + "required", Output: "table"},
			want:   want{err: "cannot explain testdata/hierarchy/required: it must have one composite resource, not 2 objects"},
		},
	}

	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			out := &bytes.Buffer{}
			err := tc.cmd.run(strings.NewReader(""), out, false)

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
		"RequiredResources": {reason: "A file requires no objects.", cmd: Command{File: "l.yaml", RequiredResources: []string{"r"}}, want: "--required-resources and --step go with --composition"},
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
