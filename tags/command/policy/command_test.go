package policy

import (
	"errors"
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"k8s.io/apimachinery/pkg/util/version"
	"k8s.io/apiserver/pkg/cel/environment"
	"pgregory.net/rapid"
)

var update = flag.Bool("update", false, "write what the command prints to the golden file")

// TestGolden compares the whole output with one that was read by a human.
func TestGolden(t *testing.T) {
	got := output(t, "", "--composition", filepath.Join("testdata", "composition.yaml"), "--provider", "aws", "--provider", "gcp")
	file := filepath.Join("testdata", "policy.yaml")

	if *update {
		if err := os.WriteFile(file, got, 0o600); err != nil {
			t.Fatal(err)
		}
	}

	want, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}

	if diff := cmp.Diff(string(want), string(got)); diff != "" {
		t.Errorf("the policy of the Composition is not that of %s. If that is meant, run the test with -update. (-want, +got):\n%s", file, diff)
	}
}

func TestErrors(t *testing.T) {
	flags := func(more ...string) []string {
		return append([]string{"--provider", "aws", "--prefix", prefix, "--match", "v1/Namespace"}, more...)
	}

	composition := func(more ...string) []string {
		return append([]string{"--composition", "-", "--provider", "aws"}, more...)
	}

	// isNone is what is said of kinds that can't be.
	const isNone = "is not an apiVersion and a kind: these are a group, a version and the name of the kind as manifests have it, e.g. apps/v1/Deployment, or v1 instead of group and version for Kubernetes' own group, e.g. v1/Namespace"

	const one = `{type: CompositeMetadata, prefix: tags.example.org/}`

	cases := map[string]struct {
		reason string
		args   []string
		in     string
		want   string
		more   bool // The error says more than that.
	}{
		"NoPrefix": {
			reason: "Something has to say which labels to check.",
			args:   []string{"--provider", "aws", "--match", "v1/Namespace"},
			want:   "cannot make a policy: no --prefix and no --composition says which labels and annotations to check",
		},
		"EmptyPrefix": {
			reason: "An empty prefix would be all labels, which the function refuses, too.",
			args:   []string{"--provider", "aws", "--match", "v1/Namespace", "--prefix="},
			want:   "cannot make a policy: invalid flags: sources[0].prefix: must not be empty",
		},
		"NoMatch": {
			reason: "Without a Composition, nothing else says which kinds to check.",
			args:   []string{"--provider", "aws", "--prefix", prefix},
			want:   "cannot make a policy: no --match says which kinds to check",
		},
		"NoProvider": {
			reason: "The profiles differ, so none is a good default.",
			args:   []string{"--match", "v1/Namespace", "--prefix", prefix},
			want:   "cannot make a policy: no --provider says whose tag profile to obey, and the input doesn't name one by value",
		},
		"ProviderOfField": {
			reason: "A provider that each composite resource names can't be known.",
			args:   []string{"--composition", "-"},
			in:     compositionOf(`provider: {fromFieldPath: spec.provider}, sources: [` + one + `]`),
			want:   "cannot make a policy: no --provider says whose tag profile to obey, and the input doesn't name one by value",
		},
		"NoAPIVersion": {
			reason: "A kind without an apiVersion is none.",
			args:   flags("--match", "Namespace"),
			want:   `cannot make a policy: --match Namespace: "/Namespace" ` + isNone,
		},
		"TooManySlashes": {
			reason: "An apiVersion has one slash.",
			args:   flags("--match", "a/b/c/D"),
			want:   `cannot make a policy: --match a/b/c/D: "a/b/c/D" ` + isNone,
		},
		"NoKind": {
			reason: "An apiVersion alone is no kind.",
			args:   flags("--match", "v1/"),
			want:   `cannot make a policy: --match v1/: "v1/" ` + isNone,
		},
		"NoVersion": {
			reason: "A group is no version. A policy for it would check nothing.",
			args:   flags("--match", "platform.example.org/Zone"),
			want:   `cannot make a policy: --match platform.example.org/Zone: "platform.example.org/Zone" ` + isNone,
		},
		"NoVersionOfBuiltIn": {
			reason: "A group is no version, whatever it looks like.",
			args:   flags("--match", "apps/Deployment"),
			want:   `cannot make a policy: --match apps/Deployment: "apps/Deployment" ` + isNone,
		},
		"LowerCase": {
			reason: "A kind starts with a capital letter.",
			args:   flags("--match", "v1/namespace"),
			want:   `cannot make a policy: --match v1/namespace: "v1/namespace" ` + isNone,
		},
		"Plural": {
			reason: "What kubectl gets is no kind.",
			args:   flags("--match", "apps/v1/deployments"),
			want:   `cannot make a policy: --match apps/v1/deployments: "apps/v1/deployments" ` + isNone,
		},
		"Subresource": {
			reason: "A subresource is no kind.",
			args:   flags("--match", "apps/v1/deployments/scale"),
			want:   `cannot make a policy: --match apps/v1/deployments/scale: "apps/v1/deployments/scale" ` + isNone,
		},
		"SubresourceOfKind": {
			reason: "A subresource is no kind.",
			args:   flags("--match", "v1/Namespace/status"),
			want:   `cannot make a policy: --match v1/Namespace/status: "v1/Namespace/status" ` + isNone,
		},
		"SubresourceInUpperCase": {
			reason: "A kind is no version.",
			args:   flags("--match", "v1/Namespace/Status"),
			want:   `cannot make a policy: --match v1/Namespace/Status: "v1/Namespace/Status" ` + isNone,
		},
		"AnyKind": {
			reason: "There is no pattern of kinds.",
			args:   flags("--match", "apps/v1/*"),
			want:   `cannot make a policy: --match apps/v1/*: "apps/v1/*" ` + isNone,
		},
		"PluralKind": {
			reason: "A plural with a capital letter could be a kind, but Kubernetes has none that is called so.",
			args:   flags("--match", "v1/Namespaces"),
			want:   `cannot make a policy: --match v1/Namespaces: "v1/Namespaces" is no kind of Kubernetes: kinds are in the singular, e.g. Namespace`,
		},
		"KindAsPlural": {
			reason: "A plural that the API server doesn't have would match nothing.",
			args:   flags("--match", "platform.example.org/v1/Zone=Zones"),
			want:   `cannot make a policy: --match platform.example.org/v1/Zone=Zones: "Zones" is not the plural of a kind, e.g. namespaces`,
		},
		"PluralOfSubresource": {
			reason: "A subresource has no labels.",
			args:   flags("--match", "platform.example.org/v1/Zone=zones/status"),
			want:   `cannot make a policy: --match platform.example.org/v1/Zone=zones/status: "zones/status" is not the plural of a kind, e.g. namespaces`,
		},
		"EmptyPlural": {
			reason: "What is given should be something.",
			args:   flags("--match", "platform.example.org/v1/Zone="),
			want:   `cannot make a policy: --match platform.example.org/v1/Zone=: "" is not the plural of a kind, e.g. namespaces`,
		},
		"LineBreakInPrefix": {
			reason: "No key has a line break, so nothing would be checked.",
			args:   flags("--prefix", "tags.example.org/\n"),
			want:   `cannot make a policy: the prefix "tags.example.org/\n" can't begin the key of a label or annotation: these have letters, digits and - _ . and at most one /`,
		},
		"ImpossiblePrefix": {
			reason: "What no key begins with checks nothing, whoever says so.",
			args:   composition(),
			in:     compositionOf(`sources: [{type: CompositeMetadata, prefix: a/b/}]`),
			want:   `cannot make a policy: the prefix "a/b/" can't begin the key of a label or annotation: these have letters, digits and - _ . and at most one /`,
		},
		"BadName": {
			reason: "The API server would refuse the name.",
			args:   flags("--name", "My Policy"),
			want:   `cannot make a policy: --name "My Policy": a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must start and end with an alphanumeric character (e.g. 'example.com', regex used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*')`,
		},
		"BadReservedKey": {
			reason: "Flags should be validated as an input is.",
			args:   flags("--reserved-key", "*x"),
			want:   `cannot make a policy: invalid flags: reservedKeys[0]: Invalid value: "*x": a * may only be the last character`,
		},
		"Both": {
			reason: "It would not be plain whether the flags or the input hold.",
			args:   composition("--key-prefix", ""),
			want:   "cannot make a policy: --prefix, --key-prefix, --reserved-key, --reserved-tags and --profile-rules say what the input of the --composition does: give either",
		},
		"StepWithoutComposition": {
			reason: "Only a Composition has steps.",
			args:   flags("--step", "tags"),
			want:   "cannot make a policy: --step is one of a --composition",
		},
		"NoFile": {
			reason: "A file that isn't there should be named.",
			args:   []string{"--composition", "testdata/none.yaml"},
			want:   "cannot make a policy: cannot read testdata/none.yaml: no such file or directory",
		},
		"NotYAML": {
			reason: "What isn't YAML can't be read.",
			args:   composition(),
			in:     "a: b: c",
			want:   "cannot make a policy: cannot read -: yaml: mapping values are not allowed in this context",
		},
		"DuplicateField": {
			reason: "The one that is meant can't be known.",
			args:   composition(),
			in:     "a: b\na: c",
			want:   `cannot make a policy: cannot read -: yaml: unmarshal errors: line 2: key "a" already set in map`,
		},
		"NoComposition": {
			reason: "Other objects are passed over.",
			args:   composition(),
			in:     "apiVersion: v1\nkind: ConfigMap\nspec: []\n---\napiVersion: example.org/v1\nkind: Composition\n",
			want:   "cannot make a policy: cannot read -: no step of a Composition has an input of apiVersion cloudtags.fn.plexsphere.com/v1beta1 and kind CloudTags",
		},
		"OtherStep": {
			reason: "A step that isn't there should be named.",
			args:   composition("--step", "other"),
			in:     compositionOf(`sources: [` + one + `]`),
			want:   "cannot make a policy: cannot read -: no step of a Composition called other has an input of apiVersion cloudtags.fn.plexsphere.com/v1beta1 and kind CloudTags",
		},
		"SeveralSteps": {
			reason: "Each step has rules of its own, and one policy can't be of both.",
			args:   composition(),
			in:     compositionOf(`sources: [`+one+`]`) + "---" + strings.Replace(compositionOf(`sources: [`+one+`]`), "step: tags", "step: more", 1),
			want:   "cannot make a policy: cannot read -: several steps have an input of kind CloudTags: choose one with --step: tags, more",
		},
		"InvalidInput": {
			reason: "The input should be decoded as the function does, strictly.",
			args:   composition(),
			in:     compositionOf(`sources: [` + one + `], keyprefix: x`),
			want:   `cannot make a policy: cannot read -: invalid input of step tags: unknown field "keyprefix"`,
			more:   true,
		},
		"InvalidComposition": {
			reason: "What is no Composition can't be read.",
			args:   composition(),
			in:     "apiVersion: apiextensions.crossplane.io/v1\nkind: Composition\nspec: {pipeline: {}}",
			want:   "cannot make a policy: cannot read -: a Composition can't have object at spec.pipeline",
		},
		"NoComposite": {
			reason: "A Composition is of a kind.",
			args:   composition(),
			in:     strings.Replace(compositionOf(`sources: [`+one+`]`), "kind: Zone", "kind: ''", 1),
			want:   `cannot make a policy: cannot read -: spec.compositeTypeRef: "platform.example.org/v1alpha1/" ` + isNone,
		},
		"NothingPrefixed": {
			reason: "Only labels and annotations are checked, not fields.",
			args:   composition(),
			in:     compositionOf(`sources: [{type: CompositeField, fromFieldPath: spec.labels}]`),
			want:   "cannot make a policy: no source takes labels and annotations by a prefix, so there is nothing to check",
		},
	}

	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			out := &strings.Builder{}
			err := command(t, tc.args...).run(strings.NewReader(tc.in), out)

			if err == nil {
				t.Fatalf("%s\nwant error: %s\nbut there is none", tc.reason, tc.want)
			}

			got := err.Error()
			if tc.more && strings.HasPrefix(got, tc.want) {
				got = tc.want
			}

			if diff := cmp.Diff(tc.want, got); diff != "" {
				t.Errorf("%s (-want, +got):\n%s", tc.reason, diff)
			}

			if out.Len() > 0 {
				t.Errorf("nothing should be printed beside an error, but this is:\n%s", out)
			}
		})
	}
}

// broken can't be written to.
type broken struct{}

func (broken) Write([]byte) (int, error) { return 0, errors.New("the pipe is broken") }

func TestWriteError(t *testing.T) {
	err := command(t, "--provider", "aws", "--prefix", prefix, "--match", "v1/Namespace").run(nil, broken{})
	if err == nil || err.Error() != "cannot write the policy: the pipe is broken" {
		t.Errorf("an error of the output should be said, but it is: %v", err)
	}
}

func TestNames(t *testing.T) {
	cases := map[string]struct {
		reason string
		args   []string
		in     string
		want   string
	}{
		"Default":     {reason: "The name should say what the policy is about.", args: []string{"--provider", "aws", "--prefix", prefix, "--match", "v1/Namespace"}, want: "cloud-tags"},
		"Composition": {reason: "The policies of two Compositions should not be one.", args: []string{"--composition", "-", "--step", "tags"}, in: compositionOf(hierarchy), want: "cloud-tags-zone"},
		"Given":       {reason: "A name that is given should be taken.", args: []string{"--composition", "-", "--name", "x"}, in: compositionOf(hierarchy), want: "x"},
	}

	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			policy, binding := decodeManifests(t, output(t, tc.in, tc.args...))

			if diff := cmp.Diff([]string{tc.want, tc.want, tc.want}, []string{policy.Name, binding.Name, binding.Spec.PolicyName}); diff != "" {
				t.Errorf("%s (-want, +got):\n%s", tc.reason, diff)
			}
		})
	}
}

// TestQuote reads literals as the API server does.
func TestQuote(t *testing.T) {
	env, err := environment.MustBaseEnvSet(version.MajorMinor(1, 30)).Env(environment.NewExpressions)
	if err != nil {
		t.Fatal(err)
	}

	rapid.Check(t, func(t *rapid.T) {
		want := rapid.OneOf(rapid.String(), joined(append([]string{`"`, "\u0085", "\u2028", "\x00", "\x7f", "{", "\ufffd"}, pieces...), 6)).Draw(t, "string")

		ast, issues := env.Compile(quote(want))
		if issues != nil {
			t.Fatalf("%s should be a CEL literal: %v", quote(want), issues)
		}

		program, err := env.Program(ast)
		if err != nil {
			t.Fatal(err)
		}

		got, _, err := program.Eval(map[string]any{})
		if err != nil {
			t.Fatal(err)
		}

		if got.Value() != want {
			t.Errorf("%s should be read as %q, but is as %q", quote(want), want, got.Value())
		}
	})
}
