package stamp

import (
	"testing"

	"github.com/plexsphere/function-cloud-tags/tags"
	"github.com/plexsphere/function-cloud-tags/tags/object"
)

// TestStampForged tests tags that earlier steps, or who removes tags, would have though they may not.
func TestStampForged(t *testing.T) {
	joined := shapes["Joined"].withDelimiter(",")

	trusted := func(l tags.Label) tags.Label {
		l.Trusted = true
		return l
	}

	annotations := shapes["Map"].field
	annotations.Path = object.MustParsePath("spec.template.metadata.annotations")

	words := shapes["StringList"].field
	words.Separator = ":"

	cases := map[string]situation{
		"JoinedEscapedDelimiter": {reason: "Some cut at each delimiter, whatever is before it.", field: joined, reserved: []string{"zone"}, spec: `{"tags": "team=a\\,zone=forged,x=1"}`},
		"JoinedEscapedSeparator": {reason: "Some take a backslash away.", field: joined, reserved: []string{"zone"}, spec: `{"tags": "zo\\ne=forged,x=1"}`},
		"JoinedEscapedKey":       {reason: "And do not cut at a separator behind one.", field: joined, reserved: []string{"zo=ne"}, spec: `{"tags": "zo\\=ne=forged,x=1"}`},
		"JoinedKeyAlone":         {reason: "A key alone is a tag to some.", field: joined, reserved: []string{"zone"}, spec: `{"tags": "zone, team ,x=1"}`},
		"JoinedBesideProviders":  {reason: "A provider's own key beside it is no excuse.", field: joined, reserved: []string{"zone"}, spec: `{"tags": "crossplane-name=n\\,zone=forged,crossplane-kind=k"}`},
		"JoinedClaimed":          {reason: "The trusted label takes the place of what could be taken for its tag.", field: joined, reserved: []string{"zone"}, labels: []tags.Label{trusted(label("zone", "eu"))}, spec: `{"tags": "team=a\\,ours:zone=forged,x=1"}`},
		"JoinedHarmless":         {reason: "What nobody takes for a reserved key stays as it is.", field: joined, reserved: []string{"zone"}, spec: `{"tags": "team=a\\,b,note=\\\\,public"}`},
		"JoinedInValue":          {reason: "A value is no key.", field: joined, reserved: []string{"zone"}, spec: `{"tags": "team=zone"}`},

		"AnnotationsOfCrossplane": {
			reason: "Annotations of Crossplane and kubectl are no tags: who removes tags takes none of them, nor what is no label's.",
			field:  annotations, remove: fromField("crossplane.io/external-name", "role-arn", "ours:x", "*"),
			spec: `{"template": {"metadata": {"annotations": {"crossplane.io/external-name": "n", "kubectl.kubernetes.io/last-applied-configuration": "{}", "role-arn": "r", "ours:x": "1"}}}}`,
		},
		"AnnotationsByInput": {
			reason: "The input's own removeTags can name what it likes, but for Crossplane's.",
			field:  annotations, remove: keys("*"),
			spec: `{"template": {"metadata": {"annotations": {"crossplane.io/external-name": "n", "role-arn": "r"}}}}`,
		},
		"CrossedTwins": {
			reason: "Labels that differ in case alone are two tags, though an earlier step has both with each other's value.", provider: "digitalocean", policy: tags.Replace,
			field: words, labels: []tags.Label{label("Team", "a"), label("team", "b")}, spec: `{"tags": ["ours:Team:b", "ours:team:a"]}`,
		},
		"CrossedTrusted": {
			reason: "Even less is a trusted one lost.", provider: "digitalocean", policy: tags.Replace,
			field: words, labels: []tags.Label{trusted(label("Team", "a")), label("team", "b")}, spec: `{"tags": ["ours:Team:b", "ours:team:a"]}`,
		},
	}

	runPlain(t, cases)
}
