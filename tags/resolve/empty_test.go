package resolve_test

import (
	"context"
	"fmt"
	"math"
	"testing"

	"github.com/google/go-cmp/cmp"
	"google.golang.org/protobuf/testing/protocmp"
	"google.golang.org/protobuf/types/known/structpb"

	fnv1 "github.com/crossplane/function-sdk-go/proto/v1"
	"github.com/crossplane/function-sdk-go/resource"

	"github.com/plexsphere/function-cloud-tags/tags"
	"github.com/plexsphere/function-cloud-tags/tags/require"
	"github.com/plexsphere/function-cloud-tags/tags/resolve"
)

// TestEmpty is about what is said of sources that find nothing.
func TestEmpty(t *testing.T) {
	const namespace = `{"type": "RequiredResource", "policy": {"fromFieldPath": "Optional"}, "resource": {"apiVersion": "v1", "kind": "Namespace", %s}, %s}`

	objects := clusterOf(
		`{"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": "a", "labels": {"team": "a", "tags.example.org/zone": "a"}}}`,
		`{"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": "b", "labels": {"team": "a"}}}`,
		`{"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": "c", "labels": {"team": "a"}}}`,
	)

	cases := map[string]struct {
		reason  string
		sources string
		want    []string
	}{
		"Labels": {
			reason:  "A source that finds labels has nothing to say.",
			sources: `{"type": "CompositeField", "fromFieldPath": "spec.labels"}`,
		},
		"NoField": {
			reason:  "A path that leads nowhere should be named: it may be misspelt.",
			sources: `{"type": "CompositeField", "fromFieldPath": "spec.labelz"}`,
			want:    []string{"sources[0]: the composite resource has no spec.labelz"},
		},
		"NullField": {
			reason:  "A field that is null is absent.",
			sources: `{"type": "CompositeField", "fromFieldPath": "spec.null"}`,
			want:    []string{"sources[0]: the composite resource has no spec.null"},
		},
		"EmptyField": {
			reason:  "Who leaves a map empty means to.",
			sources: `{"type": "CompositeField", "fromFieldPath": "spec.empty"}`,
		},
		"EmptyFieldOfInclude": {
			reason:  "Of an empty map nothing could be included.",
			sources: `{"type": "CompositeField", "fromFieldPath": "spec.empty", "include": {"keys": ["a"]}}`,
		},
		"NoneIncluded": {
			reason:  "Patterns that match no label should be told with how many there are.",
			sources: `{"type": "CompositeField", "fromFieldPath": "spec.labels", "include": {"keys": ["Platform/*", "env"]}}`,
			want:    []string{"sources[0]: include matches none of its 3 labels"},
		},
		"AllExcepted": {
			reason:  "Exceptions that leave no label should be told.",
			sources: `{"type": "CompositeField", "fromFieldPath": "spec.labels", "include": {"except": ["*"]}}`,
			want:    []string{"sources[0]: include matches none of its 3 labels"},
		},
		"NoIncludeField": {
			reason:  "If nothing says what to include, that should be told.",
			sources: `{"type": "CompositeField", "fromFieldPath": "spec.labels", "include": {"fromFieldPath": "spec.includez"}}`,
			want:    []string{"sources[0]: the composite resource has no spec.includez that says which labels to include"},
		},
		"NoContextKey": {
			reason:  "A key that the context doesn't have should be named.",
			sources: `{"type": "ContextField", "contextKey": "k", "fromFieldPath": "tags"}`,
			want:    []string{"sources[0]: context[k] isn't there"},
		},
		"NoContextField": {
			reason:  "A path that leads nowhere in the context should be named with its key.",
			sources: `{"type": "ContextField", "contextKey": "example.org/tags", "fromFieldPath": "tags"}`,
			want:    []string{"sources[0]: context[example.org/tags] has no tags"},
		},
		"NoPrefixed": {
			reason:  "A prefix that no key has should be named.",
			sources: `{"type": "CompositeMetadata", "prefix": "tags.example.org/"}`,
			want:    []string{"sources[0]: no label or annotation of the composite resource starts with tags.example.org/"},
		},
		"NoValues": {
			reason:  "Values without any should be told: nobody writes them on purpose.",
			sources: `{"type": "Value", "values": {}}`,
			want:    []string{"sources[0]: values is empty"},
		},
		"NoObject": {
			reason:  "An object that isn't there should be told by what was looked for.",
			sources: fmt.Sprintf(namespace, `"name": {"value": "x"}`, `"prefix": "tags.example.org/"`),
			want:    []string{`sources[0]: there is no Namespace (v1) named "x"`},
		},
		"NoName": {
			reason:  "A name that the composite resource doesn't give should be told.",
			sources: fmt.Sprintf(namespace, `"name": {"fromFieldPath": "spec.nowhere"}`, `"prefix": "tags.example.org/"`),
			want:    []string{"sources[0]: the composite resource gives neither a name nor labels to match"},
		},
		"NoNamespace": {
			reason:  "A namespace that the composite resource doesn't give should be told.",
			sources: fmt.Sprintf(namespace, `"name": {"value": "x"}, "namespace": {"fromFieldPath": "spec.nowhere"}`, `"prefix": "tags.example.org/"`),
			want:    []string{"sources[0]: the composite resource gives no namespace to look in"},
		},
		"NoFieldOfObject": {
			reason:  "An object should be named with the path that it doesn't have.",
			sources: fmt.Sprintf(namespace, `"name": {"value": "a"}`, `"fromFieldPath": "data"`),
			want:    []string{"sources[0]: Namespace a has no data"},
		},
		"NoneOfObjects": {
			reason:  "Of several objects one should be named, and how many there are besides.",
			sources: fmt.Sprintf(namespace, `"matchLabels": {"value": {"team": "a"}}`, `"prefix": "none.example.org/"`),
			want:    []string{"sources[0]: no label or annotation of Namespace a starts with none.example.org/, and so with all 3 objects"},
		},
		"OneOfObjects": {
			reason:  "One object that has labels is enough.",
			sources: fmt.Sprintf(namespace, `"matchLabels": {"value": {"team": "a"}}`, `"prefix": "tags.example.org/"`),
		},
		"Several": {
			reason:  "Sources should be told in their order, by position and name.",
			sources: `{"type": "Value", "values": {}, "name": "z"}, {"type": "Value", "values": {"a": "b"}}, {"type": "CompositeField", "fromFieldPath": "spec.labelz", "name": "a"}`,
			want:    []string{`sources[0] "z": values is empty`, `sources[2] "a": the composite resource has no spec.labelz`},
		},
	}

	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			req := observe(composite)
			req.Context = resource.MustStructJSON(tagKeys)

			got, _, err := objects.reconcile(decode(t, `"sources": [`+tc.sources+`]`), req)
			if diff := cmp.Diff(tc.want, got.Empty); err != nil || diff != "" {
				t.Errorf("\n%s\nResolve(...): %v: -want, +got:\n%s", tc.reason, err, diff)
			}
		})
	}

	// While an object is on its way, nobody knows.
	req := observe(composite)
	in := decode(t, `"sources": [`+fmt.Sprintf(namespace, `"name": {"value": "x"}`, `"prefix": "p/"`)+`]`)

	if got, err := resolve.Resolve(t.Context(), in, req, require.New(req)); err != nil || len(got.Empty) > 0 {
		t.Errorf("\nNothing should be said of an object that is still to come.\nResolve(...): %v: got %q", err, got.Empty)
	}
}

// TestScalar is about numbers that tags have the text of.
func TestScalar(t *testing.T) {
	const sources = `"keyPrefix": "", "sources": [{"type": "CompositeField", "fromFieldPath": "spec.numbers", "encoding": "Scalar"}]`

	type want struct {
		text string
		err  string
	}

	cases := map[string]struct {
		reason string
		number float64
		want   want
	}{
		"Zero":          {reason: "Zero has one digit.", number: 0, want: want{text: "0"}},
		"NegativeZero":  {reason: "Negative zero is zero.", number: math.Copysign(0, -1), want: want{text: "0"}},
		"Negative":      {reason: "A number may be negative.", number: -12, want: want{text: "-12"}},
		"Million":       {reason: "Whole numbers should be digits.", number: 1e6, want: want{text: "1000000"}},
		"Greatest":      {reason: "The last integer that can be told from others should be digits.", number: 1 << 53, want: want{text: "9007199254740992"}},
		"Least":         {reason: "The first integer that can be told from others should be digits.", number: -1 << 53, want: want{text: "-9007199254740992"}},
		"Fraction":      {reason: "Others should be what JSON has for them.", number: 1.5, want: want{text: "1.5"}},
		"SmallFraction": {reason: "Others should be what JSON has for them.", number: 1e-7, want: want{text: "1e-7"}},
		"TooLarge": {
			reason: "An integer that may have been another one should be refused.",
			number: 1<<53 + 2,
			want:   want{err: "9.007199254740994e+15 is beyond the integers of a 64-bit floating point number, ±2⁵³: write it as a string"},
		},
		"FarTooLarge": {
			reason: "The larger, the less it can be told.",
			number: -1e300,
			want:   want{err: "-1e+300 is beyond the integers of a 64-bit floating point number, ±2⁵³: write it as a string"},
		},
		"NaN": {reason: "JSON has no such number.", number: math.NaN(), want: want{err: "NaN is not a number that JSON has"}},
		"Inf": {reason: "JSON has no such number.", number: math.Inf(1), want: want{err: "+Inf is not a number that JSON has"}},
	}

	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			numbers := &structpb.Struct{Fields: map[string]*structpb.Value{"n": structpb.NewNumberValue(tc.number)}}
			spec := &structpb.Struct{Fields: map[string]*structpb.Value{"numbers": structpb.NewStructValue(numbers)}}
			xr := &structpb.Struct{Fields: map[string]*structpb.Value{"spec": structpb.NewStructValue(spec)}}

			wantSet, wantErr := resolve.Set{Labels: []tags.Label{plain("n", tc.want.text, 0)}}, ""
			if tc.want.err != "" {
				wantSet, wantErr = resolve.Set{}, "cannot resolve sources[0]: cannot take spec.numbers[n]: "+tc.want.err
			}

			got, err := resolveOn(decode(t, sources), xr)
			if diff := cmp.Diff(wantErr, text(err)); diff != "" {
				t.Errorf("\n%s\nResolve(...): -want error, +got error:\n%s", tc.reason, diff)
			}

			if diff := cmp.Diff(wantSet, got, byPosition); diff != "" {
				t.Errorf("\n%s\nResolve(...): -want, +got:\n%s", tc.reason, diff)
			}
		})
	}
}

// TestForContext is about what later steps may read.
func TestForContext(t *testing.T) {
	const gold = `{"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "gold", "labels": {"default": "true"}}, "data": {"grade": "gold"}, "size": [1, 2]}`

	const class = `{"type": "RequiredResource", "name": "class", "pick": "One", "fromFieldPath": "data", "resource": {"apiVersion": "v1", "kind": "ConfigMap", "defaultMatchLabels": {"default": "true"}}}`

	cases := map[string]struct {
		reason  string
		sources string
		want    string
	}{
		"Labels": {
			reason:  "Labels should be there by qualified key, with the value of the last source.",
			sources: `{"type": "Value", "values": {"a": "1", "b": "1"}}, {"type": "Value", "values": {"b": "2"}}`,
			want:    `{"labels": {"a": "1", "b": "2"}, "classes": {}}`,
		},
		"Class": {
			reason:  "A class should be there whole.",
			sources: class,
			want:    `{"labels": {"grade": "gold"}, "classes": {"class": ` + gold + `}}`,
		},
		"SameQualifiedKey": {
			reason:  "Of two tag keys with one qualified key, the later source should be there.",
			sources: `{"type": "Value", "keyForm": "Tag", "values": {"a": "tag"}}, {"type": "Value", "values": {"a": "label"}}`,
			want:    `{"labels": {"a": "label"}, "classes": {}}`,
		},
		"SameQualifiedKeyTrusted": {
			reason:  "Of two tag keys with one qualified key, the trusted one should be there.",
			sources: `{"type": "Value", "values": {"a": "label"}, "trusted": true}, {"type": "Value", "keyForm": "Tag", "values": {"a": "tag"}}`,
			want:    `{"labels": {"a": "label"}, "classes": {}}`,
		},
		"Claim": {
			reason:  "What nobody may claim is no label.",
			sources: `{"type": "Value", "values": {"reserved": "x", "a": "1"}}`,
			want:    `{"labels": {"a": "1"}, "classes": {}}`,
		},
	}

	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			got, _, err := clusterOf(gold).reconcile(decode(t, `"reservedKeys": ["reserved"], "sources": [`+tc.sources+`]`), observe(composite))
			if diff := cmp.Diff(resource.MustStructJSON(tc.want), got.ForContext(), protocmp.Transform()); err != nil || diff != "" {
				t.Errorf("\n%s\nForContext(): %v: -want, +got:\n%s", tc.reason, err, diff)
			}
		})
	}
}

// TestClientGone is about a call that nobody waits for.
func TestClientGone(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()

	for name, input := range map[string]string{
		"Sources":            `"sources": [{"type": "Value", "values": {"a": "b"}}]`,
		"KubernetesMetadata": `"kubernetesMetadata": [{"source": {"type": "CompositeMetadata"}, "copy": ["Labels"], "select": {"all": true}, "toFieldPaths": {"labels": ["spec.labels"]}}]`,
	} {
		req := &fnv1.RunFunctionRequest{}
		if _, err := resolve.Resolve(ctx, decode(t, input), req, require.New(req)); !cmp.Equal(context.Canceled.Error(), text(err)) {
			t.Errorf("\nA call whose client has gone should end.\nResolve(...) of %s: got error %v", name, err)
		}
	}
}
