package manifest_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/plexsphere/function-cloud-tags/input/v1beta1"
	"github.com/plexsphere/function-cloud-tags/tags/command/manifest"
)

// pipeline returns a Composition with the steps.
func pipeline(steps string) string {
	return `
apiVersion: apiextensions.crossplane.io/v1
kind: Composition
metadata: {name: storage}
spec:
  compositeTypeRef: {apiVersion: platform.example.org/v1, kind: Storage}
  mode: Pipeline
  pipeline:
` + steps
}

const (
	other = `  - {step: make, functionRef: {name: function-x}, input: {apiVersion: x.example.org/v1, kind: CloudTags}}
  - {step: wait, functionRef: {name: function-y}, input: {apiVersion: cloudtags.fn.plexsphere.com/v1beta1, kind: Other}}
`
	ours = `  - {step: tags, functionRef: {name: function-cloud-tags}, input: {apiVersion: cloudtags.fn.plexsphere.com/v1beta1, kind: CloudTags, keyPrefix: "a:", sources: [{type: Value, values: {b: c}}]}}
`
	more = `  - {step: more, functionRef: {name: function-cloud-tags}, input: {apiVersion: cloudtags.fn.plexsphere.com/v1beta1, kind: CloudTags, keyPrefix: "m:", sources: [{type: Value, values: {b: c}}]}}
`
	broken = `  - {step: broken, functionRef: {name: function-cloud-tags}, input: {apiVersion: cloudtags.fn.plexsphere.com/v1beta1, kind: CloudTags}}
`
)

func TestStep(t *testing.T) {
	type want struct {
		step, prefix, composition string
		ref                       v1beta1.ResourceKind
		err                       string
	}

	storage := v1beta1.ResourceKind{APIVersion: "platform.example.org/v1", Kind: "Storage"}

	cases := map[string]struct {
		reason string
		text   string
		name   string
		want   want
	}{
		"Only": {
			reason: "The only step that runs the function needs no name, whatever else is in the file.",
			text:   "apiVersion: v1\nkind: ConfigMap\n---\n" + pipeline(other+ours) + "---\n# nothing\n",
			want:   want{step: "tags", prefix: "a:", composition: "storage", ref: storage},
		},
		"Named": {
			reason: "One of several steps is chosen by its name. The input of the others doesn't matter.",
			text:   pipeline(ours + more + broken),
			name:   "more",
			want:   want{step: "more", prefix: "m:", composition: "storage", ref: storage},
		},
		"Several": {
			reason: "Which of several steps is meant can't be known.",
			text:   pipeline(ours + more),
			want:   want{err: "cannot read -: several steps have an input of kind CloudTags: choose one with --step: tags, more"},
		},
		"None": {
			reason: "A Composition that doesn't run the function has no input of it.",
			text:   pipeline(other),
			want:   want{err: "cannot read -: no step of a Composition has an input of apiVersion cloudtags.fn.plexsphere.com/v1beta1 and kind CloudTags"},
		},
		"List": {
			reason: "kubectl prints Compositions in a List.",
			text:   "apiVersion: v1\nkind: List\nitems:\n- {apiVersion: v1, kind: ConfigMap}\n- {apiVersion: apiextensions.crossplane.io/v1, kind: Composition, metadata: {name: x}, spec: {pipeline: [" + strings.TrimPrefix(strings.TrimSpace(ours), "- ") + "]}}\n",
			want:   want{step: "tags", prefix: "a:", composition: "x"},
		},
		"NoSuchStep": {
			reason: "A step by that name, but of another function, is none of ours.",
			text:   pipeline(other + ours),
			name:   "make",
			want:   want{err: "cannot read -: no step of a Composition called make has an input of apiVersion cloudtags.fn.plexsphere.com/v1beta1 and kind CloudTags"},
		},
		"NoComposition": {
			reason: "What looks like a pipeline in another kind is none.",
			text:   strings.ReplaceAll(pipeline(ours), "kind: Composition", "kind: Pipeline"),
			want:   want{err: "cannot read -: no step of a Composition has an input of apiVersion cloudtags.fn.plexsphere.com/v1beta1 and kind CloudTags"},
		},
		"InvalidInput": {
			reason: "The input must be valid, as in a cluster.",
			text:   pipeline(broken),
			want:   want{err: "cannot read -: invalid input of step broken: sources: at least one of sources, removeTags, ignoreTags, kubernetesMetadata, tagPolicy and coverage is required"},
		},
		"OfOperations": {
			reason: "What only Operations have must not be there, as in a cluster.",
			text:   pipeline(strings.Replace(ours, "kind: CloudTags,", "kind: CloudTags, coverage: {},", 1)),
			want:   want{err: "cannot read -: invalid input of step tags: coverage: is for Operations only, and forbidden in a Composition"},
		},
		"WrongType": {
			reason: "A Composition of another shape is none that an API server would have.",
			text:   pipeline("    step: tags\n"),
			want:   want{err: "cannot read -: a Composition can't have object at spec.pipeline"},
		},
	}

	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			got := want{}

			s, err := (&manifest.Reader{Stdin: strings.NewReader(tc.text)}).Step(manifest.Stdin, tc.name)
			if err != nil {
				got.err = fmt.Sprint(err)
			} else {
				got = want{step: s.Name, prefix: s.Input.KeyPrefix, composition: s.Composition, ref: s.Composite}
			}

			if diff := cmp.Diff(tc.want, got, cmp.AllowUnexported(want{})); diff != "" {
				t.Errorf("\n%s\nStep(...): -want, +got:\n%s", tc.reason, diff)
			}
		})
	}
}
