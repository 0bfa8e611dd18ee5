package live

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
)

// A version of a composed resource that has these tags.
func version(tags string) *unstructured.Unstructured {
	o, err := parse(`
apiVersion: s3.aws.m.upbound.io/v1beta1
kind: Bucket
metadata: {name: b, uid: u, annotations: {crossplane.io/composition-resource-name: bucket}}
spec: {forProvider: ` + tags + `}
`)
	if err != nil {
		panic(err)
	}

	return o
}

func TestWhole(t *testing.T) {
	const (
		none  = `{}`
		half  = `{tags: {Name: x, "our:env": prod}}`
		whole = `{tags: {Name: x, "our:env": prod, "our:owner": a}}`
		next  = `{tags: {Name: x, "our:env": test, "our:owner": b}}`
		mixed = `{tags: {Name: x, "our:env": test, "our:owner": a}}`
		more  = `{tags: {Name: x, "our:env": prod, "our:owner": a, "our:zone": z}}`

		change = "change" // The labels are changed now.
		back   = "back"   // They are changed to what they were.
		gone   = "gone"
	)

	cases := map[string]struct {
		reason string
		writes []string
		want   []string // The objection to each write.
	}{
		"Whole": {
			reason: "Tags that stay are what is wanted, whatever others have and write.",
			writes: []string{whole, whole, `{tags: {"our:env": prod, "our:owner": a}, region: eu}`},
			want:   []string{"", "", ""},
		},
		"Lost":   {reason: "No tag may be lost.", writes: []string{whole, half, whole}, want: []string{"", "no generation", ""}},
		"None":   {reason: "Nor all of them.", writes: []string{whole, none}, want: []string{"", "no generation"}},
		"First":  {reason: "The first version has them already.", writes: []string{none, whole}, want: []string{"no generation", ""}},
		"Half":   {reason: "The first version has all of them.", writes: []string{half}, want: []string{"no generation"}},
		"More":   {reason: "No other key of ours may be there.", writes: []string{more}, want: []string{"no generation"}},
		"Gone":   {reason: "A resource that goes has lost its tags.", writes: []string{whole, gone}, want: []string{"", "gone"}},
		"Early":  {reason: "Nobody has changed the labels yet.", writes: []string{whole, next}, want: []string{"", "no generation"}},
		"Change": {reason: "Old or new tags are there while labels change.", writes: []string{whole, change, whole, next, next}, want: []string{"", "", "", ""}},
		"Mixed":  {reason: "Old and new tags may not stand together.", writes: []string{whole, change, mixed}, want: []string{"", "no generation"}},
		"Over":   {reason: "A change isn't undone.", writes: []string{whole, change, next, whole}, want: []string{"", "", "no generation"}},
		"Back":   {reason: "Unless labels are changed back.", writes: []string{whole, change, next, back, next, whole, next}, want: []string{"", "", "", "", "no generation"}},
		"Lag":    {reason: "Changes that nobody has written are skipped.", writes: []string{whole, change, back, change, whole, next}, want: []string{"", "", ""}},
		"List": {
			reason: "Tags are the same in a list of keys and values.",
			writes: []string{`{tag: [{key: "our:env", value: prod}, {key: "our:owner", value: a}]}`, `{tag: [{key: "our:env", value: prod}]}`},
			want:   []string{"", "no generation"},
		},
		"Strings": {
			reason: "Tags are the same in a list of strings.",
			writes: []string{`{tags: [internal, "our:env=prod", "our:owner=a"]}`, `{tags: [internal, "our:owner=a"]}`},
			want:   []string{"", "no generation"},
		},
	}

	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			old := Always(map[string]string{"our:env": "prod", "our:owner": "a"})
			w := NewWhole(func(key string) bool { return strings.HasPrefix(key, "our:") }, old)

			var (
				before *unstructured.Unstructured
				got    []string
			)

			for _, write := range tc.writes {
				var after *unstructured.Unstructured

				switch write {
				case change:
					w.Change(Always(map[string]string{"our:env": "test", "our:owner": "b"}))
					continue
				case back:
					w.Change(old)
					continue
				case gone:
				default:
					after = version(write)
				}

				got = append(got, "")
				if err := w.Check(before, after); err != nil {
					got[len(got)-1] = err.Error()
				}

				before = after
			}

			says := cmp.Comparer(func(want, got string) bool {
				return (want == "") == (got == "") && (strings.Contains(got, want) || strings.Contains(want, got))
			})
			if diff := cmp.Diff(tc.want, got, says); diff != "" {
				t.Errorf("\n%s\nCheck(...): -want, +got:\n%s", tc.reason, diff)
			}
		})
	}
}

// TestWholeUncomposed proves that other resources have no tags to keep, and that no composed resource becomes one.
func TestWholeUncomposed(t *testing.T) {
	w := NewWhole(func(string) bool { return true }, Always(map[string]string{"env": "prod"}))

	composed := version(`{tags: {env: prod}}`)
	bare := version(`{}`)
	bare.SetAnnotations(nil)

	if err := w.Check(nil, bare); err != nil {
		t.Errorf("Check(nil, not composed): %v", err)
	}

	if err := w.Check(bare, nil); err != nil {
		t.Errorf("Check(not composed, nil): %v", err)
	}

	if err := w.Check(composed, bare); err == nil {
		t.Error("Check(composed, not composed any more): no objection")
	}
}

func TestWholeObjection(t *testing.T) {
	cases := map[string]struct {
		reason string
		want   map[string]string
		tags   string
		says   string
	}{
		"Same":  {reason: "There is none if the tags are those.", want: map[string]string{"our:env": "prod"}, tags: `{tags: {Name: x, "our:env": prod}}`},
		"None":  {reason: "No tags are no tags, whatever that is.", tags: `{tags: {Name: x}}`},
		"Lacks": {reason: "It says which tag isn't there.", want: map[string]string{"our:env": "prod"}, tags: `{}`, says: "our:env"},
	}

	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			w := NewWhole(func(key string) bool { return strings.HasPrefix(key, "our:") }, Always(nil))
			w.Change(Always(tc.want))

			err := w.Objection("bucket", version(tc.tags))
			if (err == nil) != (tc.says == "") || err != nil && !strings.Contains(err.Error(), tc.says) {
				t.Errorf("\n%s\nObjection(...): want %q, got %v", tc.reason, tc.says, err)
			}
		})
	}
}
