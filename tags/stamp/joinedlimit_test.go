package stamp

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"google.golang.org/protobuf/types/known/structpb"

	fnv1 "github.com/crossplane/function-sdk-go/proto/v1"

	"github.com/plexsphere/function-cloud-tags/input/v1beta1"
	"github.com/plexsphere/function-cloud-tags/tags"
	"github.com/plexsphere/function-cloud-tags/tags/field"
	"github.com/plexsphere/function-cloud-tags/tags/locate"
	"github.com/plexsphere/function-cloud-tags/tags/object"
	"github.com/plexsphere/function-cloud-tags/tags/profile"
	"github.com/plexsphere/function-cloud-tags/tags/resolve"
	"github.com/plexsphere/function-cloud-tags/tags/tagset"
	"github.com/plexsphere/function-cloud-tags/tags/tagstest"
)

// TestJoinedLimit is about one string of tags that is nearly as long as it may be, or longer. A second run observes the tags of the first
// run, and has the same outcome.
func TestJoinedLimit(t *testing.T) {
	joined := field.Field{Layout: field.Layout{Shape: field.Joined, Separator: "=", Delimiter: ","}, Path: object.MustParsePath("spec.tags"), Atomic: true}
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
		policy   tags.Conflict
		trusted  bool
		reserved []string
		ignore   []resolve.TagPattern
		cloud    string
		before   string
		want     string
		skips    []skip
		err      string
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
		"ReplacedFits": {
			reason: "A value that is replaced gives its bytes to the new one.",
			policy: tags.Replace,
			before: "ours:k00=u," + long[:tagset.MaxJoined-len("ours:k00=u,")],
			want:   "ours:k00=v," + long[:tagset.MaxJoined-len("ours:k00=u,")],
			skips:  []skip{{"k01", profile.CountCap, full}},
		},
		"ReplacedTooLong": {
			reason: "The old value stays if there is no room for a longer one.",
			policy: tags.Replace,
			before: "ours:k00=," + long[:tagset.MaxJoined-len("ours:k00=,")],
			want:   "ours:k00=," + long[:tagset.MaxJoined-len("ours:k00=,")],
			skips:  []skip{{"k00", profile.CountCap, full}, {"k01", profile.CountCap, full}},
		},
		"IgnoredTooLong": {
			reason: "A tag of the cloud has no room, either, so that a label has it.",
			ignore: []resolve.TagPattern{{Key: "backup"}},
			cloud:  "backup=daily",
			before: long[:tagset.MaxJoined-len(",ours:k00=v,ours:k01=v")],
			want:   long[:tagset.MaxJoined-len(",ours:k00=v,ours:k01=v")] + ",ours:k00=v,ours:k01=v",
		},
		"IgnoredValueTooLong": {
			reason: "Nor has a longer value of the cloud.",
			ignore: []resolve.TagPattern{{Key: "backup"}},
			cloud:  "backup=daily",
			before: "backup=," + long[:tagset.MaxJoined-len("backup=,")],
			want:   "backup=," + long[:tagset.MaxJoined-len("backup=,")],
			skips:  []skip{{"k00", profile.CountCap, full}, {"k01", profile.CountCap, full}},
		},
		"IgnoredLabelTooLong": {
			reason: "Nor has the value of the cloud that a label would have.",
			ignore: []resolve.TagPattern{{Key: "ours:k00"}},
			cloud:  "ours:k00=vv",
			before: long[:tagset.MaxJoined-len(",ours:k00=v")],
			want:   long[:tagset.MaxJoined-len(",ours:k00=v")],
			skips:  []skip{{"k00", profile.CountCap, full}, {"k01", profile.CountCap, full}},
		},
		"ReservedTooLong": {
			reason:   "The value of a reserved tag that nobody trusts never stays.",
			trusted:  true,
			reserved: []string{"k00"},
			before:   "ours:k00=," + long[:tagset.MaxJoined-len("ours:k00=,")],
			err: `no tag slots for labels of trusted sources: "ours:k00", "ours:k01" on composed resource "a" ` +
				"(generic: " + full + ")",
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
			skips:    []skip{{long, profile.ReservedKey, tags.TakenAwayLimit}},
		},
	}

	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			joined, observed, ours := joined, map[string]*fnv1.Resource{}, under(tc.policy, labels(2)...)
			for i := range ours {
				ours[i].Trusted = tc.trusted
			}

			observe := func(r *structpb.Struct) {
				if tc.cloud != "" {
					r.Fields["status"] = structpb.NewStructValue(tagstest.Struct(map[string]any{"tags": tc.cloud}))
				}

				observed["a"] = &fnv1.Resource{Resource: r}
			}

			if tc.cloud != "" {
				joined.Observed = []object.Path{object.MustParsePath("status.tags")}

				observe(thing(`{"tags": "` + tc.before + `"}`))
			}

			for range 2 {
				s := &Stamper{
					Finder:      locate.Finder{Input: &v1beta1.CloudTags{Sources: []v1beta1.Source{{}}}, NewLocator: everywhere(joined), Observed: observed},
					Transformer: transformer(ours...), IgnoreTags: tc.ignore,
				}
				s.Transformer.Reserve(tc.reserved, "ours:", nil)

				desired := map[string]*fnv1.Resource{"a": {Resource: thing(`{"tags": "` + tc.before + `"}`)}}

				out, err := stampAll(s, desired)
				if diff := cmp.Diff(tc.err, tagstest.Error(err)); diff != "" {
					t.Fatalf("\n%s\nStamp(...): -want error, +got error:\n%s", tc.reason, diff)
				}

				if err != nil {
					return
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

				observe(after.GetResource())
			}
		})
	}
}
