package profile_test

import (
	"encoding/json"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/plexsphere/function-cloud-tags/tags/profile"
)

func TestPatternMatches(t *testing.T) {
	for _, tc := range []struct {
		reason, pattern string
		yes, no         []string
	}{
		{"Without a star only the string itself matches, with its case.", "Bucket", []string{"Bucket"}, []string{"", "bucket", "Bucke", "Buckets", "ABucket", "*"}},
		{"A pattern that nobody has given matches everything.", "", []string{"", "a", "*"}, nil},
		{"A star matches any run of characters, and none.", "*", []string{"", "v1", "apps/v1", "*", "ü"}, nil},
		{"Many stars match what one does.", "***", []string{"", "a", "a/b"}, nil},
		{"A star in front matches any beginning.", "*.upbound.io/v1beta1", []string{".upbound.io/v1beta1", "s3.aws.upbound.io/v1beta1", "a.upbound.io/v1beta1.upbound.io/v1beta1"}, []string{"upbound.io/v1beta1", "s3.aws.upbound.io/v1beta2", "s3.aws.upbound.io/v1beta11"}},
		{"A star at the end matches any end.", "s3.aws.upbound.io/*", []string{"s3.aws.upbound.io/", "s3.aws.upbound.io/v1", "s3.aws.upbound.io/*"}, []string{"s3.aws.upbound.io", "s3.aws.m.upbound.io/v1", "as3.aws.upbound.io/v1", ""}},
		{"A star in the middle matches anything between, slashes and dots too.", "s3.*/v1", []string{"s3./v1", "s3.aws.upbound.io/v1", "s3.a/v2/v1"}, []string{"s3/v1", "s3.aws/v1beta1", "s4.aws/v1"}},
		{"The beginning and the end must not share characters.", "ab*ba", []string{"abba", "abxba", "abbaba"}, []string{"aba", "ab", "ba", "abab"}},
		{"The parts between several stars must occur in their order.", "*.aws.*/v*beta*", []string{"s3.aws.upbound.io/v1beta1", ".aws./vbeta", "a.aws.b.aws.c/v1/v2beta1"}, []string{"s3.aws.upbound.io/v1", "s3.gcp.upbound.io/v1beta1", "v1beta1/s3.aws.upbound.io"}},
		{"The last part matches at the end, wherever else it occurs.", "a*b*b", []string{"abb", "abab", "aXbYbZb"}, []string{"ab", "abbc", "b"}},
		{"Stars in a row are one star.", "a**b", []string{"ab", "axb"}, []string{"a", "b", "abc"}},
		{"No character but the star is special.", "a.b?[c]*", []string{"a.b?[c]", "a.b?[c]d"}, []string{"axb", "a.b", "a.bc", "a.b?c"}},
	} {
		for _, text := range slices.Concat(tc.yes, tc.no) {
			if want := slices.Contains(tc.yes, text); profile.Pattern(tc.pattern).Matches(text) != want {
				t.Errorf("\n%s\nPattern(%q).Matches(%q): want %t, got %t", tc.reason, tc.pattern, text, want, !want)
			}
		}
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
			t.Errorf("\nA pattern should be encoded as it was written.\nMarshal(): -want, +got:\n%s", diff)
		}
	}

	var p profile.Pattern
	if err := json.Unmarshal([]byte(`1`), &p); err == nil {
		t.Error("\nA number is no pattern.\nUnmarshal(1): want an error")
	}
}
