package stamp

import (
	"cmp"
	"testing"

	fnv1 "github.com/crossplane/function-sdk-go/proto/v1"

	"github.com/plexsphere/function-cloud-tags/input/v1beta1"
	"github.com/plexsphere/function-cloud-tags/tags"
	"github.com/plexsphere/function-cloud-tags/tags/object"
	"github.com/plexsphere/function-cloud-tags/tags/resolve"
	"github.com/plexsphere/function-cloud-tags/tags/tagstest"
)

// TestCopied is about metadata that is copied to a tag field before labels are stamped there.
func TestCopied(t *testing.T) {
	trusted := func(l tags.Label) tags.Label {
		l.Trusted = true
		return l
	}

	cases := map[string]struct {
		reason string

		// desired spec, and what it becomes by copying.
		desired, copied string

		labels []tags.Label
		remove []resolve.TagKey
		slots  int

		// provider whose profile the tags have, if that is not AWS.
		provider string
	}{
		"Beside": {
			reason:  "What is copied stands beside labels and what earlier steps set.",
			desired: `{"tags": {"Name": "x"}}`, copied: `{"tags": {"Name": "x", "app": "shop"}}`,
			labels: []tags.Label{label("a", "1")},
		},
		"Alone": {
			reason:  "Without any label, what is copied is there, too.",
			desired: `{}`, copied: `{"tags": {"app": "shop"}}`,
		},
		"Label": {
			reason:  "A label overrides what is copied.",
			desired: `{}`, copied: `{"tags": {"ours:a": "copied"}}`,
			labels: []tags.Label{label("a", "1")},
		},
		"Trusted": {
			reason:  "A trusted label overrides what is copied, in any case, too.",
			desired: `{}`, copied: `{"tags": {"ours:reserved-a": "forged", "OURS:reserved-a": "forged"}}`,
			labels: []tags.Label{trusted(label("reserved-a", "1"))},
		},
		"Reserved": {
			reason:  "What is copied can't take a reserved key.",
			desired: `{}`, copied: `{"tags": {"ours:reserved-a": "forged", "reserved-b": "forged", "crossplane-name": "forged", "aws:x": "forged", "app": "shop"}}`,
		},
		"Earlier": {
			reason:  "A rule of this step replaces what an earlier step set.",
			desired: `{"tags": {"app": "old"}}`, copied: `{"tags": {"app": "shop"}}`,
		},
		"Removed": {
			reason:  "removeTags names it, wherever it is from.",
			desired: `{}`, copied: `{"tags": {"app": "shop", "team": "a"}}`,
			remove: []resolve.TagKey{{Pattern: "app"}},
		},
		"LastSlot": {
			reason:  "What is copied takes the slots that labels leave.",
			desired: `{"tags": {"Name": "x"}}`, copied: `{"tags": {"Name": "x", "app": "shop", "team": "a"}}`,
			labels: []tags.Label{label("a", "1")}, slots: 3,
		},
		"TooMany": {
			reason:  "What takes the place of a tag needs no slot, even if earlier steps alone exceed the cap.",
			desired: `{"tags": {"app": "old", "b": "x", "c": "x"}}`, copied: `{"tags": {"app": "shop", "b": "x", "c": "x", "team": "a"}}`, slots: 2,
		},
		"TwoSpellings": {
			reason:  "What is copied replaces all spellings of a tag on a cloud that ignores case, and the slot that gets free is a label's.",
			desired: `{"tags": {"zone": "a", "Zone": "b"}}`, copied: `{"tags": {"zone": "a", "Zone": "c"}}`,
			labels: []tags.Label{label("a", "1")}, slots: 2, provider: "azure",
		},
	}

	g := tagstest.NewGolden(t)

	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			s := mapStamper(tc.labels...)
			s.Remove = tc.remove

			s.Provider = cmp.Or(tc.provider, s.Provider)

			if tc.slots > 0 {
				s.Input.ReservedTags = map[string]v1beta1.TagCount{s.Provider: v1beta1.TagCount(50 - tc.slots)} //nolint:gosec // At most 50.
			}

			s.Input.KubernetesMetadata = []v1beta1.MetadataRule{{}}

			targets := targetsOf(s, map[string]*fnv1.Resource{"r": {Resource: thing(tc.desired)}})
			targets.Copied(map[string]object.Object{"r": object.Tree(thing(tc.copied))})

			out, err := s.Stamp(t.Context(), targets)
			g.Check(t, tc.reason, lines(out, err))
		})
	}
}
