package profile_test

import (
	"encoding/json"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/plexsphere/function-cloud-tags/tags/profile"
)

func TestPatternMatches(t *testing.T) {
	cases := map[string]struct {
		reason  string
		pattern string
		yes     []string
		no      []string
	}{
		"NoStar": {
			reason:  "Without a star only the string itself matches, with its case.",
			pattern: "Bucket",
			yes:     []string{"Bucket"},
			no:      []string{"", "bucket", "Bucke", "Buckets", "ABucket", "*"},
		},
		"Zero": {
			reason:  "A pattern that nobody has given matches everything.",
			pattern: "",
			yes:     []string{"", "a", "*"},
		},
		"OnlyStar": {
			reason:  "A star matches any run of characters, and none.",
			pattern: "*",
			yes:     []string{"", "v1", "apps/v1", "*", "ü"},
		},
		"OnlyStars": {
			reason:  "Many stars match what one does.",
			pattern: "***",
			yes:     []string{"", "a", "a/b"},
		},
		"First": {
			reason:  "A star in front matches any beginning.",
			pattern: "*.upbound.io/v1beta1",
			yes:     []string{".upbound.io/v1beta1", "s3.aws.upbound.io/v1beta1", "a.upbound.io/v1beta1.upbound.io/v1beta1"},
			no:      []string{"upbound.io/v1beta1", "s3.aws.upbound.io/v1beta2", "s3.aws.upbound.io/v1beta11"},
		},
		"Last": {
			reason:  "A star at the end matches any end.",
			pattern: "s3.aws.upbound.io/*",
			yes:     []string{"s3.aws.upbound.io/", "s3.aws.upbound.io/v1", "s3.aws.upbound.io/*"},
			no:      []string{"s3.aws.upbound.io", "s3.aws.m.upbound.io/v1", "as3.aws.upbound.io/v1", ""},
		},
		"Middle": {
			reason:  "A star in the middle matches anything between, slashes and dots too.",
			pattern: "s3.*/v1",
			yes:     []string{"s3./v1", "s3.aws.upbound.io/v1", "s3.a/v2/v1"},
			no:      []string{"s3/v1", "s3.aws/v1beta1", "s4.aws/v1"},
		},
		"NoOverlap": {
			reason:  "The beginning and the end must not share characters.",
			pattern: "ab*ba",
			yes:     []string{"abba", "abxba", "abbaba"},
			no:      []string{"aba", "ab", "ba", "abab"},
		},
		"Several": {
			reason:  "The parts between several stars must occur in their order.",
			pattern: "*.aws.*/v*beta*",
			yes:     []string{"s3.aws.upbound.io/v1beta1", ".aws./vbeta", "a.aws.b.aws.c/v1/v2beta1"},
			no:      []string{"s3.aws.upbound.io/v1", "s3.gcp.upbound.io/v1beta1", "v1beta1/s3.aws.upbound.io"},
		},
		"Backtracking": {
			reason:  "The last part matches at the end, wherever else it occurs.",
			pattern: "a*b*b",
			yes:     []string{"abb", "abab", "aXbYbZb"},
			no:      []string{"ab", "abbc", "b"},
		},
		"Adjacent": {
			reason:  "Stars in a row are one star.",
			pattern: "a**b",
			yes:     []string{"ab", "axb"},
			no:      []string{"a", "b", "abc"},
		},
		"NotARegularExpression": {
			reason:  "No character but the star is special.",
			pattern: "a.b?[c]*",
			yes:     []string{"a.b?[c]", "a.b?[c]d"},
			no:      []string{"axb", "a.b", "a.bc", "a.b?c"},
		},
	}

	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			for _, s := range tc.yes {
				if !profile.NewPattern(tc.pattern).Matches(s) {
					t.Errorf("\n%s\nmatches(%q, %q): want true, got false", tc.reason, tc.pattern, s)
				}
			}

			for _, s := range tc.no {
				if profile.NewPattern(tc.pattern).Matches(s) {
					t.Errorf("\n%s\nmatches(%q, %q): want false, got true", tc.reason, tc.pattern, s)
				}
			}
		})
	}
}

func TestPatternJSON(t *testing.T) {
	type selector struct {
		Kind profile.Pattern `json:"kind,omitzero"`
	}

	for _, text := range []string{`{"kind":"*Bucket"}`, `{}`} {
		var s selector
		if err := json.Unmarshal([]byte(text), &s); err != nil {
			t.Fatal(err)
		}

		got, err := json.Marshal(s)
		if err != nil {
			t.Fatal(err)
		}

		if diff := cmp.Diff(text, string(got)); diff != "" {
			t.Errorf("\nA pattern should be encoded as it was written.\nMarshalText(): -want, +got:\n%s", diff)
		}
	}

	var p profile.Pattern
	if err := json.Unmarshal([]byte(`1`), &p); err == nil {
		t.Error("\nA number is no pattern.\nUnmarshalText(1): want an error")
	}
}
