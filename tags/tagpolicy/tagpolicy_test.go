package tagpolicy_test

import (
	"fmt"
	"strconv"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/plexsphere/function-cloud-tags/tags/tagpolicy"
)

// TestBrokenAdd proves that Broken keeps no more names than messages can have, even if thousands of resources break a
// rule.
func TestBrokenAdd(t *testing.T) {
	const resources = 2000

	names := func(from, to int) []string {
		out := make([]string, 0, to-from)
		for i := from; i < to; i++ {
			out = append(out, fmt.Sprintf("r%04d", i))
		}

		return out
	}

	values := make([]tagpolicy.Violation, 0, 65)
	for i, name := range names(0, 64) {
		values = append(values, tagpolicy.Violation{Rule: 1, Breach: tagpolicy.Breach{Kind: tagpolicy.WrongValue, Text: strconv.Itoa(i)}, First: []string{name}, Providers: map[string]int{"aws": 1}})
	}

	cases := map[string]struct {
		reason string
		breach func(i int) tagpolicy.Breach
		want   tagpolicy.ViolationsByRule
	}{
		"Missing": {
			reason: "Of resources that break a rule in the same way, the first are named, and all are counted by provider.",
			breach: func(int) tagpolicy.Breach { return tagpolicy.Breach{Kind: tagpolicy.Missing} },
			want: tagpolicy.ViolationsByRule{nil, {
				{Rule: 1, Breach: tagpolicy.Breach{Kind: tagpolicy.Missing}, First: names(0, 64), Providers: map[string]int{"aws": 1999, "gcp": 1}},
			}},
		},
		"Values": {
			reason: "If each has another value, the first values are told, and all other resources are counted together.",
			breach: func(i int) tagpolicy.Breach {
				return tagpolicy.Breach{Kind: tagpolicy.WrongValue, Text: strconv.Itoa(i)}
			},
			want: tagpolicy.ViolationsByRule{nil, append(values,
				tagpolicy.Violation{Rule: 1, Breach: tagpolicy.Breach{Kind: tagpolicy.OtherBreaches}, First: names(64, 128), Providers: map[string]int{"aws": 1935, "gcp": 1}},
			)},
		},
	}

	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			got := make(tagpolicy.ViolationsByRule, 2)

			for i, name := range names(0, resources) {
				provider := "aws"
				if i == resources-1 {
					provider = "gcp"
				}

				got.Add(1, tc.breach(i), name, provider)
			}

			if diff := cmp.Diff(tc.want, got); diff != "" {
				t.Errorf("\n%s\nAdd(...): -want, +got:\n%s", tc.reason, diff)
			}

			count := 0
			for i := range got[1] {
				count += got[1][i].Count()
			}

			if count != resources {
				t.Errorf("\n%s\nCount(): want %d resources, got %d", tc.reason, resources, count)
			}
		})
	}
}
