package stamp

import (
	"slices"
	"testing"

	"google.golang.org/protobuf/types/known/structpb"

	"github.com/plexsphere/function-cloud-tags/input/v1beta1"
	"github.com/plexsphere/function-cloud-tags/tags"
)

// trusted returns the supplied label as one of a trusted source.
func trusted(l tags.Label) tags.Label {
	l.Trusted = true
	return l
}

// reserving returns a transformer of the supplied labels that reserves the supplied
// keys.
func reserving(reserved []string, claims []tags.Label, labels ...tags.Label) *tags.Transformer {
	t := transformer(labels...)
	t.Reserve(reserved, "ours:", claims)

	return t
}

// policies are all that can become of tags that are there.
var policies = []v1beta1.ConflictPolicy{v1beta1.ConflictPolicyRetain, v1beta1.ConflictPolicyReplace, v1beta1.ConflictPolicyError}

// TestStampReserved tests tags of reserved keys in each shape and by each policy.
func TestStampReserved(t *testing.T) {
	const claimed = "only trusted sources may claim it, and nobody a key that providers set"

	tagged := func(keysAndValues ...string) []active {
		out := make(map[string]string)
		for i := 0; i < len(keysAndValues); i += 2 {
			out[keysAndValues[i]] = keysAndValues[i+1]
		}

		return []active{{Resource: "r", Provider: "aws", Tags: out}}
	}

	type want struct {
		// tags that are stamped, or nil if the resource is not.
		stamped []string

		active   []active
		skips    []Skip
		withheld []withheldOn
		err      string
	}

	// always is what comes of it by each policy.
	taken := Skip{SkippedLabel: tags.SkippedLabel{QualifiedKey: "owner", TagKey: "ours:owner", Provider: "aws", Reason: tags.ReservedKey}, Limit: takenAway, Resources: []string{"r"}}

	always := func(w want) map[v1beta1.ConflictPolicy]want {
		out := make(map[v1beta1.ConflictPolicy]want)
		for _, p := range policies {
			out[p] = w
		}

		return out
	}

	cases := map[string]struct {
		reason   string
		reserved []string
		claims   []tags.Label
		labels   []tags.Label
		before   []string
		want     map[v1beta1.ConflictPolicy]want
	}{
		"Forged": {
			reason:   "A trusted tag of a reserved key replaces what an earlier step set, whatever the policy, and keeps its place.",
			reserved: []string{"owner"},
			labels:   []tags.Label{trusted(label("owner", "alice"))},
			before:   []string{"ours:owner", "mallory", "Name", "x"},
			want:     always(want{stamped: []string{"ours:owner", "alice", "Name", "x"}, active: tagged("ours:owner", "alice")}),
		},
		"TagKey": {
			reason:   "The reserved key may be the tag key.",
			reserved: []string{"ours:owner"},
			labels:   []tags.Label{trusted(label("owner", "alice"))},
			before:   []string{"ours:owner", "mallory"},
			want:     always(want{stamped: []string{"ours:owner", "alice"}, active: tagged("ours:owner", "alice")}),
		},
		"Pattern": {
			reason:   "The reserved key may be what keys start with.",
			reserved: []string{"acme:*"},
			labels:   []tags.Label{trusted(label("acme:owner", "alice"))},
			before:   []string{"ours:acme:owner", "mallory"},
			want:     always(want{stamped: []string{"ours:acme:owner", "alice"}, active: tagged("ours:acme:owner", "alice")}),
		},
		"Unprefixed": {
			reason:   "A key that came as a tag key may be reserved too.",
			reserved: []string{"owner"},
			labels:   []tags.Label{{QualifiedKey: "owner", TagKey: "owner", Unprefixed: true, Value: "alice", Trusted: true}},
			before:   []string{"owner", "mallory"},
			want:     always(want{stamped: []string{"owner", "alice"}, active: tagged("owner", "alice")}),
		},
		"SameValue": {
			reason:   "A reserved tag that is there with its value is in nobody's way.",
			reserved: []string{"owner"},
			labels:   []tags.Label{trusted(label("owner", "alice"))},
			before:   []string{"ours:owner", "alice"},
			want:     always(want{active: tagged("ours:owner", "alice")}),
		},
		"Absent": {
			reason:   "A reserved tag that is not there is added.",
			reserved: []string{"owner"},
			labels:   []tags.Label{trusted(label("owner", "alice"))},
			before:   []string{"Name", "x"},
			want:     always(want{stamped: []string{"Name", "x", "ours:owner", "alice"}, active: tagged("ours:owner", "alice")}),
		},
		"EmptyValue": {
			reason:   "An empty value replaces too.",
			reserved: []string{"owner"},
			labels:   []tags.Label{trusted(label("owner", ""))},
			before:   []string{"ours:owner", "mallory"},
			want:     always(want{stamped: []string{"ours:owner", ""}, active: tagged("ours:owner", "")}),
		},
		"TrustedButNotReserved": {
			reason:   "The policy holds for trusted tags whose keys aren't reserved.",
			reserved: []string{"owner"},
			labels:   []tags.Label{trusted(label("team", "a"))},
			before:   []string{"ours:team", "b"},
			want: map[v1beta1.ConflictPolicy]want{
				v1beta1.ConflictPolicyRetain:  {withheld: []withheldOn{{Resource: "r", Retained: []string{"ours:team"}}}},
				v1beta1.ConflictPolicyReplace: {stamped: []string{"ours:team", "a"}, active: tagged("ours:team", "a")},
				v1beta1.ConflictPolicyError: {err: `cannot tag composed resource "r": an earlier step has set the tag "ours:team" to "b", ` +
					`and sources[0] with onConflict Error has the value "a" for it`},
			},
		},
		"Untrusted": {
			reason:   "A tag of a reserved key that isn't trusted replaces nothing, and what an earlier step set is taken away.",
			reserved: []string{"owner"},
			labels:   []tags.Label{label("owner", "mallory")},
			before:   []string{"ours:owner", "alice", "x", "y"},
			want:     always(want{stamped: []string{"x", "y"}, skips: []Skip{taken, skip("owner", "aws", tags.ReservedKey, claimed)}}),
		},
		"UntrustedAbsent": {
			reason:   "A tag of a reserved key that isn't trusted is not added.",
			reserved: []string{"ours:owner"},
			labels:   []tags.Label{label("owner", "mallory"), label("team", "a")},
			before:   []string{"Name", "x"},
			want: always(want{
				stamped: []string{"Name", "x", "ours:team", "a"}, active: tagged("ours:team", "a"),
				skips: []Skip{skip("owner", "aws", tags.ReservedKey, claimed)},
			}),
		},
		"Claimed": {
			reason:   "A claim that was refused before is told, and the trusted tag of the same key is active.",
			reserved: []string{"owner"},
			claims:   []tags.Label{label("owner", "mallory")},
			labels:   []tags.Label{trusted(label("owner", "alice"))},
			before:   []string{"ours:owner", "mallory"},
			want: always(want{
				stamped: []string{"ours:owner", "alice"}, active: tagged("ours:owner", "alice"),
				skips: []Skip{skip("owner", "aws", tags.ReservedKey, claimed)},
			}),
		},
		"OnlyClaimed": {
			reason:   "A claim is told even if there is no label left.",
			reserved: []string{"owner"},
			claims:   []tags.Label{label("owner", "mallory")},
			before:   []string{"ours:owner", "alice", "x", "y"},
			want:     always(want{stamped: []string{"x", "y"}, skips: []Skip{taken, skip("owner", "aws", tags.ReservedKey, claimed)}}),
		},
	}

	for name, tc := range cases {
		for _, policy := range policies {
			t.Run(name+"/"+string(policy), func(t *testing.T) {
				for kind, s := range shapes {
					t.Run(kind, func(t *testing.T) {
						w := tc.want[policy]
						outcome := &outcome{Active: w.active, Skips: w.skips, Withheld: w.withheld}

						if w.stamped != nil {
							outcome.Stamped = map[string]*structpb.Struct{"r": thing(s.spec(w.stamped...))}
						}

						if w.err != "" {
							outcome = nil
						}

						stamper := &Stamper{
							Input:       &v1beta1.CloudTags{Sources: []v1beta1.Source{{OnConflict: policy}}, ReservedKeys: tc.reserved},
							Provider:    "aws",
							Transformer: reserving(tc.reserved, tc.claims, under(policy, tc.labels...)...),
							Fields:      everywhere(s.field),
						}

						assertOutcome(t, tc.reason, stamper, s.spec(tc.before...), outcome, w.err)
					})
				}
			})
		}
	}
}

// TestStampReservedDuplicates tests that no second entry of a reserved key outlives
// the trusted one, which the cloud might take for the tag.
func TestStampReservedDuplicates(t *testing.T) {
	for name, s := range map[string]shape{"KeyValueList": shapes["KeyValueList"], "StringList": shapes["StringList"]} {
		for _, policy := range policies {
			t.Run(name+"/"+string(policy), func(t *testing.T) {
				stamper := &Stamper{
					Input:       &v1beta1.CloudTags{Sources: []v1beta1.Source{{OnConflict: policy}}},
					Provider:    "aws",
					Transformer: reserving([]string{"owner"}, nil, under(policy, trusted(label("owner", "alice")))...),
					Fields:      everywhere(s.field),
				}

				assertOutcome(t, "Of several entries of a reserved key, the trusted one is left.", stamper,
					s.spec("ours:owner", "alice", "x", "y", "ours:owner", "mallory"),
					&outcome{
						Stamped: map[string]*structpb.Struct{"r": thing(s.spec("ours:owner", "alice", "x", "y"))},
						Active:  []active{{Resource: "r", Provider: "aws", Tags: map[string]string{"ours:owner": "alice"}}},
					}, "")
			})
		}
	}
}

// TestStampReservedByProfile tests reserved keys that a profile's key format changes,
// or that the profile compares without case.
func TestStampReservedByProfile(t *testing.T) {
	cases := map[string]struct {
		reason   string
		provider string
		labels   []tags.Label
		before   []string
		stamped  []string
		active   map[string]string
		skips    []Skip
	}{
		"GCP": {
			reason:   "What the format makes of a reserved key replaces what an earlier step set.",
			provider: "gcp",
			labels:   []tags.Label{trusted(label("acme/owner", "alice"))},
			before:   []string{"ours_acme_owner", "mallory"},
			stamped:  []string{"ours_acme_owner", "alice"},
			active:   map[string]string{"ours_acme_owner": "alice"},
		},
		"GCPForged": {
			reason:   "A key that the format makes a reserved one is reserved, so that it neither replaces nor adds. That of an earlier step is taken away.",
			provider: "gcp",
			labels:   []tags.Label{label("acme.owner", "mallory"), label("team", "a")},
			before:   []string{"ours_acme_owner", "alice"},
			stamped:  []string{"ours_team", "a"},
			active:   map[string]string{"ours_team": "a"},
			skips: []Skip{{
				SkippedLabel: tags.SkippedLabel{QualifiedKey: "ours_acme_owner", TagKey: "ours_acme_owner", Provider: "gcp", Reason: tags.ReservedKey},
				Limit:        takenAway,
				Resources:    []string{"r"},
			}, {
				SkippedLabel: tags.SkippedLabel{QualifiedKey: "acme.owner", TagKey: "ours_acme_owner", Provider: "gcp", Reason: tags.ReservedKey},
				Limit:        "only trusted sources may claim it, and nobody a key that providers set",
			}},
		},
		"Azure": {
			reason:   "A reserved tag that is there in other cases is replaced by that of the label, as the label spells it.",
			provider: "azure",
			labels:   []tags.Label{trusted(label("acme/owner", "alice"))},
			before:   []string{"OURS:acme.Owner", "mallory", "ours:acme.owner", "bob", "Ours:acme.owner", "alice"},
			stamped:  []string{"ours:acme.owner", "alice"},
			active:   map[string]string{"ours:acme.owner": "alice"},
		},
		"AzureForged": {
			reason:   "A reserved key is reserved in any case.",
			provider: "azure",
			labels:   []tags.Label{label("ACME/Owner", "mallory")},
			before:   []string{"x", "y"},
			skips: []Skip{{
				SkippedLabel: tags.SkippedLabel{QualifiedKey: "ACME/Owner", TagKey: "ours:ACME.Owner", Provider: "azure", Reason: tags.ReservedKey},
				Limit:        "only trusted sources may claim it, and nobody a key that providers set",
			}},
		},
	}

	for name, tc := range cases {
		for _, policy := range policies {
			t.Run(name+"/"+string(policy), func(t *testing.T) {
				s := shapes["Map"]
				outcome := &outcome{Skips: tc.skips}

				if tc.stamped != nil {
					outcome.Stamped = map[string]*structpb.Struct{"r": thing(s.spec(tc.stamped...))}
				}

				if tc.active != nil {
					outcome.Active = []active{{Resource: "r", Provider: tc.provider, Tags: tc.active}}
				}

				stamper := &Stamper{
					Input:       &v1beta1.CloudTags{Sources: []v1beta1.Source{{OnConflict: policy}}},
					Provider:    tc.provider,
					Transformer: reserving([]string{"acme/owner"}, nil, under(policy, tc.labels...)...),
					Fields:      everywhere(s.field),
				}

				assertOutcome(t, tc.reason, stamper, s.spec(tc.before...), outcome, "")
			})
		}
	}
}

// TestStampTrustedFirst tests that trusted tags take slots before others do, in each
// shape.
func TestStampTrustedFirst(t *testing.T) {
	const two = "at most 50 tags on a resource, 48 of them reserved"

	cases := map[string]struct {
		reason   string
		reserved []string
		labels   []tags.Label
		before   []string
		stamped  []string
		active   map[string]string
		skips    []Skip
		err      string
	}{
		"Highest": {
			reason:  "Trusted tags take slots first, though their keys are the highest. The rest goes to the lowest keys.",
			labels:  []tags.Label{label("a", "1"), label("b", "2"), trusted(label("z", "3"))},
			stamped: []string{"ours:a", "1", "ours:z", "3"},
			active:  map[string]string{"ours:a": "1", "ours:z": "3"},
			skips:   []Skip{skip("b", "aws", tags.CountCap, two, "r")},
		},
		"TooMany": {
			reason: "Of too many trusted tags, those that lack a slot are named, and nothing is tagged.",
			labels: []tags.Label{label("a", "1"), trusted(label("w", "2")), trusted(label("x", "2")), trusted(label("y", "3")), trusted(label("z", "4"))},
			err:    `no tag slots for labels of trusted sources: "ours:y", "ours:z" on composed resource "r" (aws: ` + two + `)`,
		},
		"ReservedAmongTrusted": {
			reason:   "A reserved key gives a trusted tag no more right to a slot than another trusted tag has.",
			reserved: []string{"z"},
			labels:   []tags.Label{trusted(label("x", "2")), trusted(label("y", "3")), trusted(label("z", "4"))},
			err:      `no tag slots for labels of trusted sources: "ours:z" on composed resource "r" (aws: ` + two + `)`,
		},
		"There": {
			reason:   "A trusted tag that is there takes no further slot, and is replaced although no slot is left.",
			reserved: []string{"z"},
			labels:   []tags.Label{label("a", "1"), trusted(label("z", "3"))},
			before:   []string{"Name", "x", "More", "x", "ours:z", "9"},
			stamped:  []string{"Name", "x", "More", "x", "ours:z", "3"},
			active:   map[string]string{"ours:z": "3"},
			skips:    []Skip{skip("a", "aws", tags.CountCap, two, "r")},
		},
		"OthersAreNotRemoved": {
			reason: "A trusted tag takes no slot that is taken.",
			labels: []tags.Label{trusted(label("z", "3"))},
			before: []string{"Name", "x", "More", "x"},
			err:    `no tag slots for labels of trusted sources: "ours:z" on composed resource "r" (aws: ` + two + `)`,
		},
		"ReplacedInOtherCase": {
			reason:   "What replaces a tag of a reserved key in another case takes the slot of that, before all others.",
			reserved: []string{"owner"},
			labels:   []tags.Label{trusted(label("owner", "alice")), label("a", "1")},
			before:   []string{"x", "1", "y", "2", "Ours:Owner", "mallory"},
			stamped:  []string{"x", "1", "y", "2", "ours:owner", "alice"},
			active:   map[string]string{"ours:owner": "alice"},
			skips:    []Skip{skip("a", "aws", tags.CountCap, two, "r")},
		},
	}

	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			for kind, s := range shapes {
				t.Run(kind, func(t *testing.T) {
					outcome := &outcome{Skips: tc.skips}

					if tc.stamped != nil {
						outcome.Stamped = map[string]*structpb.Struct{"r": thing(s.spec(tc.stamped...))}
					}

					if tc.active != nil {
						outcome.Active = []active{{Resource: "r", Provider: "aws", Tags: tc.active}}
					}

					if tc.err != "" {
						outcome = nil
					}

					stamper := &Stamper{
						Input: &v1beta1.CloudTags{
							Sources:      []v1beta1.Source{{OnConflict: v1beta1.ConflictPolicyRetain}},
							ReservedTags: map[string]v1beta1.TagCount{"aws": 48},
						},
						Provider:    "aws",
						Transformer: reserving(tc.reserved, nil, slices.Clone(tc.labels)...),
						Fields:      everywhere(s.field),
					}

					assertOutcome(t, tc.reason, stamper, s.spec(tc.before...), outcome, tc.err)
				})
			}
		})
	}
}
