package stamp

import (
	"testing"

	"github.com/plexsphere/function-cloud-tags/tags"
	"github.com/plexsphere/function-cloud-tags/tags/tagstest"
)

// trusted returns the supplied label as one of a trusted source.
func trusted(l tags.Label) tags.Label {
	l.Trusted = true
	return l
}

// reserving returns a transformer of the supplied labels that reserves the supplied
// keys.
func reserving(reserved []string, labels ...tags.Label) *tags.Transformer {
	t := transformer(labels...)
	t.Reserve(reserved, "ours:", nil)

	return t
}

// policies are all that can become of tags that are there.
var policies = []tags.Conflict{tags.Retain, tags.Replace, tags.Refuse}

// TestStampReserved tests tags of reserved keys in each shape and by each policy.
func TestStampReserved(t *testing.T) {
	cases := map[string]situation{
		"Forged":                {reason: "A trusted tag of a reserved key replaces what an earlier step set, whatever the policy, and keeps its place.", reserved: []string{"owner"}, labels: []tags.Label{trusted(label("owner", "alice"))}, before: []string{"ours:owner", "mallory", "Name", "x"}},
		"TagKey":                {reason: "The reserved key may be the tag key.", reserved: []string{"ours:owner"}, labels: []tags.Label{trusted(label("owner", "alice"))}, before: []string{"ours:owner", "mallory"}},
		"Pattern":               {reason: "The reserved key may be what keys start with.", reserved: []string{"acme:*"}, labels: []tags.Label{trusted(label("acme:owner", "alice"))}, before: []string{"ours:acme:owner", "mallory"}},
		"Unprefixed":            {reason: "A key that came as a tag key may be reserved too.", reserved: []string{"owner"}, labels: []tags.Label{{QualifiedKey: "owner", TagKey: "owner", Unprefixed: true, Value: "alice", Trusted: true}}, before: []string{"owner", "mallory"}},
		"SameValue":             {reason: "A reserved tag that is there with its value is in nobody's way.", reserved: []string{"owner"}, labels: []tags.Label{trusted(label("owner", "alice"))}, before: []string{"ours:owner", "alice"}},
		"Absent":                {reason: "A reserved tag that is not there is added.", reserved: []string{"owner"}, labels: []tags.Label{trusted(label("owner", "alice"))}, before: []string{"Name", "x"}},
		"EmptyValue":            {reason: "An empty value replaces too.", reserved: []string{"owner"}, labels: []tags.Label{trusted(label("owner", ""))}, before: []string{"ours:owner", "mallory"}},
		"TrustedButNotReserved": {reason: "The policy holds for trusted tags whose keys aren't reserved.", reserved: []string{"owner"}, labels: []tags.Label{trusted(label("team", "a"))}, before: []string{"ours:team", "b"}},
		"Untrusted":             {reason: "A tag of a reserved key that isn't trusted replaces nothing, and what an earlier step set is taken away.", reserved: []string{"owner"}, labels: []tags.Label{label("owner", "mallory")}, before: []string{"ours:owner", "alice", "x", "y"}},
		"UntrustedAbsent":       {reason: "A tag of a reserved key that isn't trusted is not added.", reserved: []string{"ours:owner"}, labels: []tags.Label{label("owner", "mallory"), label("team", "a")}, before: []string{"Name", "x"}},
		"Claimed":               {reason: "A claim that was refused before is told, and the trusted tag of the same key is active.", reserved: []string{"owner"}, claims: []tags.Label{label("owner", "mallory")}, labels: []tags.Label{trusted(label("owner", "alice"))}, before: []string{"ours:owner", "mallory"}},
		"OnlyClaimed":           {reason: "A claim is told even if there is no label left.", reserved: []string{"owner"}, claims: []tags.Label{label("owner", "mallory")}, before: []string{"ours:owner", "alice", "x", "y"}},
	}

	runAll(t, cases, func(t *testing.T, g *tagstest.Golden, tc situation) {
		t.Helper()

		for _, policy := range policies {
			t.Run(string(policy), func(t *testing.T) {
				tc.policy = policy
				tc.runIn(t, g, shapes)
			})
		}
	})
}

// TestStampReservedDuplicates tests that no second entry of a reserved key outlives
// the trusted one, which the cloud might take for the tag.
func TestStampReservedDuplicates(t *testing.T) {
	g := tagstest.NewGolden(t)

	for _, policy := range policies {
		t.Run(string(policy), func(t *testing.T) {
			situation{
				reason: "Of several entries of a reserved key, the trusted one is left.", policy: policy, reserved: []string{"owner"},
				labels: []tags.Label{trusted(label("owner", "alice"))}, before: []string{"ours:owner", "alice", "x", "y", "ours:owner", "mallory"},
			}.runIn(t, g, map[string]shape{"KeyValueList": shapes["KeyValueList"], "StringList": shapes["StringList"]})
		})
	}
}

// TestStampReservedByProfile tests reserved keys that a profile's key format changes,
// or that the profile compares without case.
func TestStampReservedByProfile(t *testing.T) {
	cases := map[string]situation{
		"GCP":         {reason: "What the format makes of a reserved key replaces what an earlier step set.", provider: "gcp", labels: []tags.Label{trusted(label("acme/owner", "alice"))}, before: []string{"ours_acme_owner", "mallory"}},
		"GCPForged":   {reason: "A key that the format makes a reserved one is reserved, so that it neither replaces nor adds. That of an earlier step is taken away.", provider: "gcp", labels: []tags.Label{label("acme.owner", "mallory"), label("team", "a")}, before: []string{"ours_acme_owner", "alice"}},
		"Azure":       {reason: "A reserved tag that is there in other cases is replaced by that of the label, as the label spells it.", provider: "azure", labels: []tags.Label{trusted(label("acme/owner", "alice"))}, before: []string{"OURS:acme.Owner", "mallory", "ours:acme.owner", "bob", "Ours:acme.owner", "alice"}},
		"AzureForged": {reason: "A reserved key is reserved in any case.", provider: "azure", labels: []tags.Label{label("ACME/Owner", "mallory")}, before: []string{"x", "y"}},
	}

	runAll(t, cases, func(t *testing.T, g *tagstest.Golden, tc situation) {
		t.Helper()

		for _, policy := range policies {
			t.Run(string(policy), func(t *testing.T) {
				tc.policy, tc.reserved, tc.field, tc.spec = policy, []string{"acme/owner"}, shapes["Map"].field, shapes["Map"].spec(tc.before...)
				tc.run(t, g)
			})
		}
	})
}

// TestStampTrustedFirst tests that trusted tags take slots before others do, in each
// shape.
func TestStampTrustedFirst(t *testing.T) {
	cases := map[string]situation{
		"Highest":              {reason: "Trusted tags take slots first, though their keys are the highest. The rest goes to the lowest keys.", labels: []tags.Label{label("a", "1"), label("b", "2"), trusted(label("z", "3"))}},
		"TooMany":              {reason: "Of too many trusted tags, those that lack a slot are named, and nothing is tagged.", labels: []tags.Label{label("a", "1"), trusted(label("w", "2")), trusted(label("x", "2")), trusted(label("y", "3")), trusted(label("z", "4"))}},
		"ReservedAmongTrusted": {reason: "A reserved key gives a trusted tag no more right to a slot than another trusted tag has.", reserved: []string{"z"}, labels: []tags.Label{trusted(label("x", "2")), trusted(label("y", "3")), trusted(label("z", "4"))}},
		"There":                {reason: "A trusted tag that is there takes no further slot, and is replaced although no slot is left.", reserved: []string{"z"}, labels: []tags.Label{label("a", "1"), trusted(label("z", "3"))}, before: []string{"Name", "x", "More", "x", "ours:z", "9"}},
		"OthersAreNotRemoved":  {reason: "A trusted tag takes no slot that is taken.", labels: []tags.Label{trusted(label("z", "3"))}, before: []string{"Name", "x", "More", "x"}},
		"ReplacedInOtherCase":  {reason: "What replaces a tag of a reserved key in another case takes the slot of that, before all others.", reserved: []string{"owner"}, labels: []tags.Label{trusted(label("owner", "alice")), label("a", "1")}, before: []string{"x", "1", "y", "2", "Ours:Owner", "mallory"}},
	}

	runAll(t, cases, func(t *testing.T, g *tagstest.Golden, tc situation) {
		t.Helper()

		tc.slots = 48
		tc.runIn(t, g, shapes)
	})
}
