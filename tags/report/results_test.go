package report

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/plexsphere/function-cloud-tags/input/v1beta1"
	"github.com/plexsphere/function-cloud-tags/tags/locate"
	"github.com/plexsphere/function-cloud-tags/tags/metadata"
	"github.com/plexsphere/function-cloud-tags/tags/object"
	"github.com/plexsphere/function-cloud-tags/tags/profile"
	"github.com/plexsphere/function-cloud-tags/tags/resolve"
	"github.com/plexsphere/function-cloud-tags/tags/stamp"
	"github.com/plexsphere/function-cloud-tags/tags/words"
)

// clusterScoped is a composite resource without a namespace.
const clusterScoped = `{"metadata": {"name": "assets"}}`

func TestWarnings(t *testing.T) {
	const (
		atMost50  = "at most 50 tags on a resource"
		atMost128 = "at most 128 characters"
	)

	eleven := make([]string, 11)
	for i := range eleven {
		eleven[i] = fmt.Sprintf("r%02d", i)
	}

	play(t, map[string]scene{
		"Nothing": {reason: "If nothing happened there is nothing to say but that all is well."},
		"TooManyLabels": {
			reason:  "Labels beyond the most that a set may have are a number, in a result, the condition and one log line.",
			run:     Run{Input: &v1beta1.CloudTags{Sources: []v1beta1.Source{{}}}, Set: resolve.Set{Cut: 3}},
			outcome: Outcome{Skips: []stamp.Skip{skip("aws", "aws:x", profile.ReservedPrefix, "reserved: aws:")}},
		},
		"Skipped": {
			reason: "Labels that are skipped for one reason are in one result, and each has a log line, and counts.",
			outcome: Outcome{Skips: []stamp.Skip{
				skip("aws", "aws:x", profile.ReservedPrefix, "reserved: aws:"),
				skip("aws", "a", profile.KeyTooLong, atMost128),
				skip("aws", "b", profile.KeyTooLong, atMost128),
			}},
		},
		"SkippedOnResources": {
			reason: "A label that is skipped on some resources names them, the first of many, and counts once. A cluster scoped composite resource has only a name.",
			xr:     clusterScoped,
			outcome: Outcome{Skips: []stamp.Skip{
				skip("aws", "x", profile.CountCap, atMost50, "a"),
				skip("aws", "y", profile.CountCap, atMost50, "a", "b"),
				skip("aws", "z", profile.CountCap, atMost50, eleven[:10]...),
				skip("aws", "zz", profile.CountCap, atMost50, eleven...),
			}},
		},
		"SkippedByProfiles": {
			reason: "Each profile has its own results, and so has each limit.",
			outcome: Outcome{Skips: []stamp.Skip{
				skip("azure", "a", profile.ValueTooLong, "at most 255 bytes"),
				skip("hetzner", "a", profile.ValueTooLong, "at most 255 bytes"),
				skip("openstack", "a", profile.ValueTooLong, `at most 255 characters for key, "=" and value together`, "a"),
				skip("openstack", "b", profile.ValueTooLong, "at most 255 bytes"),
			}},
		},
		"SkippedByLimits": {
			reason: "Each limit has its own result, log line and count, but a label that breaks two limits is one label.",
			outcome: Outcome{Skips: []stamp.Skip{
				skip("openstack", "a", profile.ValueTooLong, "at most 10 characters", "a"),
				skip("openstack", "a", profile.ValueTooLong, "at most 12 characters", "b"),
			}},
		},
		"SkippedOddKeys": {
			reason: "Keys that are long or can't be seen are told in another way, but are logged as they are. A composite resource without metadata has no name.",
			xr:     `{}`,
			outcome: Outcome{Skips: []stamp.Skip{
				skip("aws", "a\nb", profile.KeyCharacterClass, "allowed: few"),
				skip("aws", strings.Repeat("a", 300), profile.KeyCharacterClass, "allowed: few"),
			}},
		},
		"SkippedParts": {
			reason: "Labels that don't fit into one result are in several, each of which says which one it is.",
			outcome: Outcome{Skips: []stamp.Skip{
				skip("aws", strings.Repeat("a", 245), profile.CountCap, atMost50, "r"),
				skip("aws", strings.Repeat("b", 245), profile.CountCap, atMost50, "r"),
			}},
		},
		"SkippedManyNames": {
			reason: "The condition names the first few skipped labels.",
			outcome: Outcome{Skips: []stamp.Skip{
				skip("aws", strings.Repeat("a", 75), profile.KeyTooLong, atMost128), skip("aws", strings.Repeat("b", 75), profile.KeyTooLong, atMost128),
				skip("aws", strings.Repeat("c", 75), profile.KeyTooLong, atMost128), skip("aws", strings.Repeat("d", 75), profile.KeyTooLong, atMost128),
			}},
		},
		"Mismatches": {
			reason: "A tag field that was left alone is a warning, since the resource has none of the tags.",
			outcome: Outcome{Results: []stamp.Result{
				{Resource: "a", Provider: "aws", Mismatch: "spec.tags is a list, not a map of tags"},
				{Resource: "b\n", Provider: "aws", Mismatch: strings.Repeat("x", 300)},
			}, NotCopied: []metadata.NotCopied{{Why: "z"}}},
		},
		"Unknown": {
			reason: "Managed resources of which nobody knows whether they have a tag field are in a warning, and not among those that can't be tagged.",
			outcome: Outcome{
				NotCopied: []metadata.NotCopied{{Why: "z"}},
				Results:   []stamp.Result{unknown("a"), untagged("b"), unknown("c")},
			},
		},
		"NotCopied": {
			reason: "Metadata that was not copied is a warning for each rule of the input, and the condition says it once.",
			outcome: Outcome{NotCopied: []metadata.NotCopied{
				{Rule: 0, Why: "a: must be short"},
				{Rule: 0, Why: `to composed resource "b": spec is a string, not an object`},
				{Rule: 2, Why: "a: must be short"},
			}},
		},
		"NotCopiedMore": {
			reason:  "What isn't told is counted, also in the condition.",
			outcome: Outcome{NotCopied: []metadata.NotCopied{{Rule: 0, Why: "a: must be short"}, {Rule: 0, More: 936}}},
		},
		"NotCopiedParts": {
			reason: "Metadata that doesn't fit into one result is in several, each of which names the rule.",
			outcome: Outcome{NotCopied: []metadata.NotCopied{
				{Rule: 1, Why: strings.Repeat("b", 256)},
				{Rule: 1, Why: strings.Repeat("a", 900)},
				{Rule: 1, Why: strings.Repeat("c", 256)},
				{Rule: 1, Why: strings.Repeat("d", 256)},
			}},
		},
		"Everything": {
			reason: "Warnings about labels come before those about resources, then metadata, and these before what is no warning. What is about the status comes last.",
			run: Run{
				Input: &v1beta1.CloudTags{StatusFieldPath: object.MustParsePath("status.a")},
				Set:   resolve.Set{Empty: []resolve.Lack{{Source: "sources[0]", Why: "there is no spec.labelz"}}},
			},
			outcome: Outcome{
				Skips: []stamp.Skip{skip("generic", "a", profile.KeyTooLong, "at most 63 characters")},
				Results: []stamp.Result{
					unprofiled("a", locate.Unprofiled{Provider: "amazon"}),
					{Resource: "b", Mismatch: "x"},
					{Resource: "c", Mismatch: "y"},
					unknown("d"),
					withholding("e", stamp.Withheld{Retained: []string{"k"}}), untagged("f"),
				},
				NotCopied: []metadata.NotCopied{{Rule: 0, Why: "z"}},
				Changes:   []stamp.Change{{Resource: "b", APIVersion: "example.org/v1", Kind: "Bucket", Added: map[string]stamp.Values{"c": {After: "d"}}}},
			},
		},
	})
}

func TestNormals(t *testing.T) {
	generic := Outcome{Results: []stamp.Result{active("a", "generic")}}

	play(t, map[string]scene{
		"Withheld": {
			reason: "What was withheld is told by resource with the cause, and is no warning, since somebody asked for it.",
			outcome: Outcome{Results: []stamp.Result{
				withholding("a", stamp.Withheld{Retained: []string{"plexsphere:\ta", "plexsphere:b"}}),
				withholding("b", stamp.Withheld{Ignored: []string{"k"}}),
				withholding("c", stamp.Withheld{Removed: []string{"k"}}),
				withholding("d", stamp.Withheld{Protected: []string{"k"}}),
				withholding("e", stamp.Withheld{Unkept: []string{"k"}}),
			}},
		},
		"WithheldForAllCauses": {
			reason: "The tags of a resource are in one result, sorted by key, each with its own cause.",
			outcome: Outcome{Results: []stamp.Result{
				withholding("a", stamp.Withheld{Retained: []string{"d", "h"}, Ignored: []string{"c", "g"}, Removed: []string{"b", "f"}, Protected: []string{"a", "e"}, Unkept: []string{"a"}}),
				withholding("b", stamp.Withheld{Retained: []string{"z"}, Protected: []string{"y"}}),
			}},
		},
		"WithheldMore": {
			reason:  "Of many tags the first ones are named, and how many more there are for all causes.",
			outcome: Outcome{Results: []stamp.Result{withholding("a", stamp.Withheld{Retained: []string{"b"}, Ignored: []string{"a"}, More: 7, Protected: []string{"c"}, MoreProtected: 5})}},
		},
		"WithheldParts": {
			reason: "Tags that don't fit into one result are in several, each of which names the resource.",
			outcome: Outcome{Results: []stamp.Result{withholding("a", stamp.Withheld{
				Retained: []string{strings.Repeat("b", 256)}, Ignored: []string{strings.Repeat("a", 256)}, Removed: []string{strings.Repeat("d", 256), strings.Repeat("a", 300)},
			})}},
		},
		"WithheldAndActive": {
			reason: "A resource can have tags of some labels and not of others.",
			outcome: Outcome{Results: []stamp.Result{
				{Resource: "a", Provider: "aws", Active: map[string]string{"k": "v"}, Withheld: stamp.Withheld{Retained: []string{"l"}}},
			}},
		},
		"LeftAlone": {
			reason: "All resources that were left alone are in one result, which is no warning, since most kinds have no tags.",
			outcome: Outcome{Results: []stamp.Result{
				untagged("a"), active("b", "aws"), {Resource: strings.Repeat("c", 300), Provider: "gcp", APIVersion: "example.org/v1\n", Kind: "Bucket\n", LeftAlone: "is adopted"},
			}},
		},
		"SourceEmpty": {
			reason: "A source that finds nothing is no failure, but is told.",
			run:    Run{Set: resolve.Set{Empty: []resolve.Lack{{Source: "sources[0]", Why: "there is no spec.labelz"}, {Source: "a", Why: strings.Repeat("a", 937)}, {Source: "a", Why: strings.Repeat("a", 938)}}}},
		},
		"NoProvider": {reason: "Nothing is told of what has the generic profile as its own.", outcome: generic},
		"KnownProvider": {
			reason:  "A provider may be written in any case.",
			run:     Run{Input: &v1beta1.CloudTags{Provider: &v1beta1.StringSource{Value: "Generic"}}, Set: resolve.Set{Provider: "amazon"}},
			outcome: generic,
		},
		"ProviderOfInput": {
			reason: "A provider that the input names is most likely a mistake, whatever the resources.",
			run:    Run{Input: &v1beta1.CloudTags{Provider: &v1beta1.StringSource{Value: "amazon"}}},
		},
		"ProviderOfNobody": {
			reason:  "One that a class names doesn't matter to resources whose provider is known, or that have no tags.",
			run:     Run{Set: resolve.Set{Provider: "amazon"}},
			outcome: Outcome{Results: []stamp.Result{active("a", "aws"), untagged("b"), withholding("c", stamp.Withheld{Retained: []string{"k"}})}},
		},
		"Unprofiled": {
			reason: "Providers and API groups without a tag profile are named once.",
			run:    Run{Input: &v1beta1.CloudTags{Provider: &v1beta1.StringSource{Value: "amazon"}}},
			outcome: Outcome{Results: []stamp.Result{
				unprofiled("a", locate.Unprofiled{Group: "vm.example.org"}),
				unprofiled("b", locate.Unprofiled{Provider: "acme\n"}),
				unprofiled("c", locate.Unprofiled{Group: "db.example.org"}),
				unprofiled("d", locate.Unprofiled{Group: "vm.example.org"}),
				unprofiled("e", locate.Unprofiled{Provider: "amazon"}),
			}},
		},
		"LongProvider": {reason: "Nobody makes an event as long as they like.", outcome: Outcome{Results: []stamp.Result{unprofiled("a", locate.Unprofiled{Provider: strings.Repeat("a", 1_000_000)})}}},
	})
}

func TestResultReasons(t *testing.T) {
	want := []string{"ReservedKey", "ReservedPrefix", "KeyTooLong", "ValueTooLong", "KeyCharacterClass", "ValueCharacterClass", "KeyCollision", "CountCap"}

	if diff := cmp.Diff(want, words.Map(profile.SkipReasons(), pascalCase)); diff != "" {
		t.Errorf("\nThe reason of a result is that of the skip, as reasons of events are written.\npascalCase(...): -want, +got:\n%s", diff)
	}
}
