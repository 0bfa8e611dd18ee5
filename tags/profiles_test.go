package tags_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/plexsphere/function-cloud-tags/tags"
)

// TestCloudTagsBeyondContract is about the profiles that the contract does not have.
// They format keys, so each case says what becomes of its labels one by one: the tag
// key, or the reason and the tag key that there would have been.
func TestCloudTagsBeyondContract(t *testing.T) {
	k := func(n int) string { return strings.Repeat("k", n) }
	e := func(n int) string { return strings.Repeat("é", n) }

	cases := map[string]struct {
		reason   string
		provider string
		set      tags.PropagatingLabelSet
		want     map[string]string
	}{
		"AzureKey": {
			reason:   "Azure refuses the slash, so it should become a dot. Everything else should stay.",
			provider: "azure",
			set:      tags.PropagatingLabelSet{"platform/env": "prod", "acme:Checkout/Owner Name": "a"},
			want:     map[string]string{"platform/env": "plexsphere:platform.env", "acme:Checkout/Owner Name": "plexsphere:acme:Checkout.Owner Name"},
		},
		"AzureKey512Runes": {
			reason:   "A tag key of 512 runes, prefix included, should do on Azure, and one of 513 should not.",
			provider: "azure",
			set:      tags.PropagatingLabelSet{e(501): "v", k(502): "v"},
			want:     map[string]string{e(501): "plexsphere:" + e(501), k(502): "key-too-long plexsphere:" + k(502)},
		},
		"AzureValue256Runes": {
			reason:   "A value of 256 runes should do on Azure, and one of 257 should not.",
			provider: "azure",
			set:      tags.PropagatingLabelSet{"a": e(256), "b": e(257)},
			want:     map[string]string{"a": "plexsphere:a", "b": "value-too-long plexsphere:b"},
		},
		"AzureCharacters": {
			reason:   "Azure refuses some characters in keys, and control characters, but none in values.",
			provider: "azure",
			set: tags.PropagatingLabelSet{
				"a<": "v", "a>": "v", "a%": "v", "a&": "v", `a\`: "v", "a?": "v", "a\n": "v", "a\xff": "v",
				"a!é日 +=@#": "<>%&\\?/\n",
			},
			want: map[string]string{
				"a<": "key-character-class plexsphere:a<", "a>": "key-character-class plexsphere:a>", "a%": "key-character-class plexsphere:a%",
				"a&": "key-character-class plexsphere:a&", `a\`: `key-character-class plexsphere:a\`, "a?": "key-character-class plexsphere:a?",
				"a\n": "key-character-class plexsphere:a\n", "a\xff": "key-character-class plexsphere:a\xff",
				"a!é日 +=@#": "plexsphere:a!é日 +=@#",
			},
		},
		"AzureReserved": {
			reason:   "Azure reserves three prefixes, in any case, wherever the key continues.",
			provider: "azure",
			set:      tags.PropagatingLabelSet{"azure": "v", "Microsoft.Compute/x": "v", "WINDOWSX": "v", "xazure": "v", "aws:x": "v"},
			want: map[string]string{
				"azure": "reserved-prefix plexsphere:azure", "Microsoft.Compute/x": "reserved-prefix plexsphere:Microsoft.Compute.x", "WINDOWSX": "reserved-prefix plexsphere:WINDOWSX",
				"xazure": "plexsphere:xazure", "aws:x": "plexsphere:aws:x",
			},
		},
		"AzureCollision": {
			reason:   "Keys that differ only in case, or that come to one after the format, are one key on Azure: the lowest qualified key should win.",
			provider: "azure",
			set:      tags.PropagatingLabelSet{"team": "1", "Team": "2", "TEAM": "3", "a/b": "4", "a.b": "5", "A.B": "6"},
			want: map[string]string{
				"TEAM": "plexsphere:TEAM", "Team": "key-collision plexsphere:Team", "team": "key-collision plexsphere:team",
				"A.B": "plexsphere:A.B", "a.b": "key-collision plexsphere:a.b", "a/b": "key-collision plexsphere:a.b",
			},
		},
		"GCPKey": {
			reason:   "GCP should get its keys in lower case with underscores.",
			provider: "gcp",
			set:      tags.PropagatingLabelSet{"platform/env": "prod", "acme:Check-Out/Owner @+=.x": "a"},
			want:     map[string]string{"platform/env": "plexsphere_platform_env", "acme:Check-Out/Owner @+=.x": "plexsphere_acme_check-out_owner_____x"},
		},
		"GCPKey63Runes": {
			reason:   "A tag key of 63 runes, prefix included, should do on GCP, and one of 64 should not.",
			provider: "gcp",
			set:      tags.PropagatingLabelSet{k(52): "v", k(53): "v"},
			want:     map[string]string{k(52): "plexsphere_" + k(52), k(53): "key-too-long plexsphere_" + k(53)},
		},
		"GCPKey128Bytes": {
			reason:   "A tag key of 128 bytes should do on GCP, and one of 129 should not, though both have fewer than 63 runes.",
			provider: "gcp",
			set:      tags.PropagatingLabelSet{strings.Repeat("日", 39): "v", strings.Repeat("日", 39) + "k": "v"},
			want: map[string]string{
				strings.Repeat("日", 39):       "plexsphere_" + strings.Repeat("日", 39),
				strings.Repeat("日", 39) + "k": "key-too-long plexsphere_" + strings.Repeat("日", 39) + "k",
			},
		},
		"GCPValue": {
			reason:   "A value should have at most 63 runes and 128 bytes on GCP, be in lower case, and may start with anything or be empty.",
			provider: "gcp",
			set: tags.PropagatingLabelSet{
				"a": k(63), "b": k(64), "c": strings.Repeat("日", 42) + "kk", "d": strings.Repeat("日", 43), "e": "Prod", "f": "1.5", "g": "-_1", "h": "", "i": "a b", "j": "日½",
			},
			want: map[string]string{
				"a": "plexsphere_a", "b": "value-too-long plexsphere_b", "c": "plexsphere_c", "d": "value-too-long plexsphere_d",
				"e": "value-character-class plexsphere_e", "f": "value-character-class plexsphere_f", "g": "plexsphere_g", "h": "plexsphere_h",
				"i": "value-character-class plexsphere_i", "j": "plexsphere_j",
			},
		},
		"GCPCharacters": {
			reason:   "GCP should refuse in keys what its format does not replace.",
			provider: "gcp",
			set:      tags.PropagatingLabelSet{"a!": "v", "a\u0301": "v", "É": "v", "日٣½": "v", "ʰ": "v"},
			want: map[string]string{
				"a!": "key-character-class plexsphere_a!", "a\u0301": "key-character-class plexsphere_a\u0301", "ʰ": "key-character-class plexsphere_ʰ",
				"É": "plexsphere_é", "日٣½": "plexsphere_日٣½",
			},
		},
		"GCPReserved": {
			reason:   "GCP reserves goog, in any case, but for one key.",
			provider: "gcp",
			set:      tags.PropagatingLabelSet{"goog": "v", "Google/x": "v", "goog-partner-solution": "v", "goog-partner-solution-x": "v", "xgoog": "v"},
			want: map[string]string{
				"goog": "reserved-prefix plexsphere_goog", "Google/x": "reserved-prefix plexsphere_google_x", "goog-partner-solution": "plexsphere_goog-partner-solution",
				"goog-partner-solution-x": "reserved-prefix plexsphere_goog-partner-solution-x", "xgoog": "plexsphere_xgoog",
			},
		},
		"GCPCollision": {
			reason:   "Keys that come to one after the format should collide on GCP: the lowest qualified key should win.",
			provider: "gcp",
			set:      tags.PropagatingLabelSet{"a/b": "1", "a.b": "2", "a_b": "3", "A/B": "4", "a-b": "5"},
			want: map[string]string{
				"A/B": "plexsphere_a_b", "a.b": "key-collision plexsphere_a_b", "a/b": "key-collision plexsphere_a_b", "a_b": "key-collision plexsphere_a_b",
				"a-b": "plexsphere_a-b",
			},
		},
		"CollisionAfterChecks": {
			reason:   "A label that is skipped for another reason should not take another's key.",
			provider: "gcp",
			set:      tags.PropagatingLabelSet{"A/b": "Refused", "a/b": "admitted"},
			want:     map[string]string{"A/b": "value-character-class plexsphere_a_b", "a/b": "plexsphere_a_b"},
		},
		"DigitalOceanKey": {
			reason:   "DigitalOcean should get its keys with hyphens instead of slashes and dots, and keep colons and case.",
			provider: "digitalocean",
			set:      tags.PropagatingLabelSet{"platform/Env": "prod", "acme:check.out/owner_x": "a"},
			want:     map[string]string{"platform/Env": "plexsphere:platform-Env", "acme:check.out/owner_x": "plexsphere:acme:check-out-owner_x"},
		},
		"DigitalOceanEntry": {
			reason:   "Key, colon and value should have 255 characters together at most on DigitalOcean.",
			provider: "digitalocean",
			set:      tags.PropagatingLabelSet{"a": k(242), "b": k(243), k(243): "", k(244): "", k(245): ""},
			want: map[string]string{
				"a": "plexsphere:a", "b": "value-too-long plexsphere:b",
				k(243): "plexsphere:" + k(243), k(244): "value-too-long plexsphere:" + k(244), k(245): "key-too-long plexsphere:" + k(245),
			},
		},
		"DigitalOceanCharacters": {
			reason:   "DigitalOcean admits the same characters in keys and in values.",
			provider: "digitalocean",
			set:      tags.PropagatingLabelSet{"a b": "v", "é": "v", "c": "a b", "d": "a.b", "e": "a/b", "f": "A:b-c_1", "g!": "h!"},
			want: map[string]string{
				"a b": "key-character-class plexsphere:a b", "é": "key-character-class plexsphere:é",
				"c": "value-character-class plexsphere:c", "d": "value-character-class plexsphere:d", "e": "value-character-class plexsphere:e",
				"f": "plexsphere:f", "g!": "key-character-class plexsphere:g!",
			},
		},
	}

	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			gotTags, gotSkipped := tags.CloudTags(tc.provider, tc.set)

			wantTags := map[string]string{}
			wantSkipped := map[string]string{}

			for key, w := range tc.want {
				if strings.HasPrefix(w, "plexsphere") {
					wantTags[w] = tc.set[key]
				} else {
					wantSkipped[key] = tc.provider + " " + w
				}
			}

			if diff := cmp.Diff(wantTags, gotTags); diff != "" {
				t.Errorf("\n%s\nCloudTags(...): -want tags, +got tags:\n%s", tc.reason, diff)
			}

			skipped := map[string]string{}
			for _, s := range gotSkipped {
				skipped[s.QualifiedKey] = fmt.Sprintf("%s %s %s", s.Provider, s.Reason, s.TagKey)
			}

			if diff := cmp.Diff(wantSkipped, skipped); diff != "" {
				t.Errorf("\n%s\nCloudTags(...): -want skipped, +got skipped:\n%s", tc.reason, diff)
			}
		})
	}
}

func TestCloudTagsCapBeyondContract(t *testing.T) {
	for provider, most := range map[string]int{"azure": 50, "digitalocean": 50, "gcp": 64} {
		t.Run(provider, func(t *testing.T) {
			got, skipped := tags.CloudTags(provider, numbered(most))
			if len(got) != most || len(skipped) != 0 {
				t.Errorf("\nAs many tags as a resource may have should do.\nCloudTags(...): got %d tags, skipped %+v", len(got), skipped)
			}

			got, skipped = tags.CloudTags(provider, numbered(most+1))
			if len(got) != most || len(skipped) != 1 || skipped[0].Reason != tags.CountCap || skipped[0].QualifiedKey != fmt.Sprintf("k%02d", most) {
				t.Errorf("\nOf one label more the highest qualified key should be skipped.\nCloudTags(...): got %d tags, skipped %+v", len(got), skipped)
			}
		})
	}
}

func TestTransformCollision(t *testing.T) {
	labels := []tags.Label{
		{QualifiedKey: "A/b", TagKey: "plexsphere:A/b", Value: "1"},
		{QualifiedKey: "a.b", TagKey: "plexsphere:a.b", Value: "2", Source: &tags.Source{Position: 2}},
		{QualifiedKey: "a/b", TagKey: "plexsphere:a/b", Value: "3", Source: &tags.Source{Position: 1}},
		{QualifiedKey: "a_b", TagKey: "plexsphere:a_b", Value: "4", Source: &tags.Source{Position: 2}},
		{QualifiedKey: "c", TagKey: "plexsphere:c", Value: "5"},
	}

	want := &tags.Transformed{
		Tags: []tags.Tag{
			{QualifiedKey: "a.b", Key: "plexsphere_a_b", Value: "2", Source: &tags.Source{Position: 2}},
			{QualifiedKey: "c", Key: "plexsphere_c", Value: "5"},
		},
		Skipped: []tags.SkippedLabel{
			{QualifiedKey: "A/b", TagKey: "plexsphere_a_b", Provider: "gcp", Reason: tags.KeyCollision},
			{QualifiedKey: "a/b", TagKey: "plexsphere_a_b", Provider: "gcp", Reason: tags.KeyCollision},
			{QualifiedKey: "a_b", TagKey: "plexsphere_a_b", Provider: "gcp", Reason: tags.KeyCollision},
		},
	}

	got := tags.NewTransformer(labels, nil).Transform(tags.ProfileOf("gcp"))
	if diff := cmp.Diff(want, got, cmpopts.IgnoreUnexported(tags.Transformed{}), cmpopts.IgnoreFields(tags.Tag{}, "TagKey")); diff != "" {
		t.Errorf("\nOf labels that come to one key the one of the latest source should win, and of these the lowest qualified key.\nTransform(...): -want, +got:\n%s", diff)
	}
}
