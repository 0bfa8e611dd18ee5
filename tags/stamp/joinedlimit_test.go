package stamp

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	fnv1 "github.com/crossplane/function-sdk-go/proto/v1"

	"github.com/plexsphere/function-cloud-tags/input/v1beta1"
	"github.com/plexsphere/function-cloud-tags/tags/field"
	"github.com/plexsphere/function-cloud-tags/tags/locate"
	"github.com/plexsphere/function-cloud-tags/tags/object"
	"github.com/plexsphere/function-cloud-tags/tags/profile"
	"github.com/plexsphere/function-cloud-tags/tags/tagset"
)

// TestJoinedLimit is about one string of tags that is nearly as long as it may be, or longer. A second run observes the tags of the first
// run, and has the same outcome.
func TestJoinedLimit(t *testing.T) {
	joined := field.Field{Path: object.MustParsePath("spec.tags"), Shape: field.Joined, Separator: "=", Delimiter: ",", Atomic: true}
	long := "note=" + strings.Repeat("x", tagset.MaxJoined-len("note=")+1)

	const full = "at most 65536 bytes in one string of tags"

	// A skip is a skipped label, or a tag that is taken away.
	type skip struct {
		Key    string
		Reason profile.SkipReason
		Limit  string
	}

	cases := map[string]struct {
		reason   string
		reserved []string
		before   string
		want     string
		skips    []skip
	}{
		"Longest": {
			reason: "The longest string is cut into its entries, and has no room for a label.",
			before: long[:tagset.MaxJoined],
			want:   long[:tagset.MaxJoined],
			skips:  []skip{{"k00", profile.CountCap, full}, {"k01", profile.CountCap, full}},
		},
		"RoomForOne": {
			reason: "A label has room to the last byte, and the next label has none.",
			before: long[:tagset.MaxJoined-len(",ours:k00=v")],
			want:   long[:tagset.MaxJoined-len(",ours:k00=v")] + ",ours:k00=v",
			skips:  []skip{{"k01", profile.CountCap, full}},
		},
		"TooLong": {
			reason: "Nobody reads a longer string, so that it stays whole.",
			before: long,
			want:   long,
			skips:  []skip{{"k00", profile.CountCap, full}, {"k01", profile.CountCap, full}},
		},
		"Reserved": {
			reason:   "Nobody can say whether a reader finds a reserved key in it, so that it goes whole.",
			reserved: []string{"zone"},
			before:   long,
			want:     "ours:k00=v,ours:k01=v",
			skips:    []skip{{long, profile.ReservedKey, takenAwayLimit}},
		},
	}

	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			observed := map[string]*fnv1.Resource{}

			for range 2 {
				s := &Stamper{
					Finder:      locate.Finder{Input: &v1beta1.CloudTags{Sources: []v1beta1.Source{{}}}, NewLocator: everywhere(joined), Observed: observed},
					Transformer: transformer(labels(2)...),
				}
				s.Transformer.Reserve(tc.reserved, "ours:", nil)

				desired := map[string]*fnv1.Resource{"a": {Resource: thing(`{"tags": "` + tc.before + `"}`)}}

				out, err := stampAll(s, desired)
				if err != nil {
					t.Fatal(err)
				}

				after := Apply(&fnv1.State{Resources: desired}, out.Changed).GetResources()["a"]
				if got := object.Of(after).Node().Field("spec").Field("tags").Text(); got != tc.want {
					t.Errorf("\n%s\nStamp(...): want %d bytes, got %d: %.100s", tc.reason, len(tc.want), len(got), got)
				}

				var got []skip
				for _, s := range out.Skips {
					got = append(got, skip{s.QualifiedKey, s.Reason, s.Limit})
				}

				if diff := cmp.Diff(tc.skips, got); diff != "" {
					t.Errorf("\n%s\nStamp(...): -want skips, +got skips:\n%.1000s", tc.reason, diff)
				}

				observed["a"] = after
			}
		})
	}
}
