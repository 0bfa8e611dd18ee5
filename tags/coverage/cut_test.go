package coverage_test

import (
	"encoding/json"
	"fmt"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"google.golang.org/protobuf/types/known/structpb"
	"sigs.k8s.io/yaml"

	"github.com/plexsphere/function-cloud-tags/input/v1beta1"
	"github.com/plexsphere/function-cloud-tags/tags/coverage"
	"github.com/plexsphere/function-cloud-tags/tags/object"
	"github.com/plexsphere/function-cloud-tags/tags/profile"
)

// bucket in a cluster.
func bucket(name, composite string, desired, cloud map[string]any) map[string]any {
	return map[string]any{
		"apiVersion": "s3.aws.m.upbound.io/v1beta1", "kind": "Bucket",
		"metadata": map[string]any{"namespace": "team-a", "name": name, "labels": map[string]any{"crossplane.io/composite": composite}},
		"spec":     map[string]any{"forProvider": map[string]any{"tags": desired}},
		"status":   map[string]any{"atProvider": map[string]any{"id": name, "tagsAll": cloud}},
	}
}

// kept is what remains of a report of so many resources.
type kept struct {
	// Listed are the resources in lists, and More those that are left out.
	Listed, More map[string]int

	// Keys of all resources, and how many of them are left out.
	Keys, MoreKeys int
}

// TestCut tests that a report is kept in etcd, however many resources there are, and however
// long what is said of them is.
func TestCut(t *testing.T) {
	const long = "\x00\U0010ffff\"<\n\\é"

	cases := map[string]struct {
		reason    string
		resources int
		required  []string
		make      func(i int) map[string]any
		want      kept
	}{
		"Few": {
			reason:    "What is short enough is there as a whole.",
			resources: 20,
			make: func(i int) map[string]any {
				return bucket(strconv.Itoa(i), "", map[string]any{strconv.Itoa(i): "a"}, map[string]any{strconv.Itoa(i): "b"})
			},
			want: kept{Listed: map[string]int{"drifted": 20}, More: map[string]int{}, Keys: 20},
		},
		"Many": {
			reason:    "Of long lists the first resources are there.",
			resources: 30_000,
			required:  []string{"cost-center", "env"},
			make: func(i int) map[string]any {
				if i%2 == 0 {
					return bucket(fmt.Sprintf("bucket-%05d", i), "shop", map[string]any{}, map[string]any{})
				}

				return bucket(fmt.Sprintf("bucket-%05d", i), "shop", map[string]any{"env": "prod"}, map[string]any{"env": "test"})
			},
			want: kept{
				Listed: map[string]int{"untagged": 196, "incomplete": 152, "drifted": 152},
				More:   map[string]int{"untagged": 14_804, "incomplete": 14_848, "drifted": 14_848},
				Keys:   2,
			},
		},
		"Hostile": {
			reason:    "What is long is cut, so that it hides nothing else.",
			resources: 10_000,
			required:  []string{strings.Repeat(long, 1_000), "a", "b", "c", "d", "e", "f"},
			make: func(i int) map[string]any {
				text := strings.Repeat(long, 20)

				desired := make(map[string]any)
				for key := range 10 {
					desired[fmt.Sprint(text, i, key)] = text
				}

				return bucket(fmt.Sprint(text, i), text, desired, map[string]any{fmt.Sprint(text, i, 0): "\x01"})
			},
			want: kept{Listed: map[string]int{"incomplete": 5, "drifted": 5}, More: map[string]int{"incomplete": 9_995, "drifted": 9_995}, Keys: 7},
		},
		"HostileKeys": {
			reason:    "Of many keys the most frequent are there.",
			resources: 1_000,
			make: func(i int) map[string]any {
				desired := map[string]any{"env": "prod"}
				for key := range 50 {
					desired[fmt.Sprint(strings.Repeat(long, 20), i, key)] = "a"
				}

				if i%2 == 0 {
					return bucket(strconv.Itoa(i), "", desired, desired)
				}

				return map[string]any{
					"apiVersion": "hcloud.crossplane.io/v1alpha1", "kind": "Server", "metadata": map[string]any{"name": strconv.Itoa(i)},
					"spec": map[string]any{"forProvider": map[string]any{"labels": desired}},
				}
			},
			want: kept{Listed: map[string]int{}, More: map[string]int{}, Keys: 8, MoreKeys: 49_993},
		},
	}

	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			tally := coverage.New(coverage.Options{By: []string{"provider"}, Input: &v1beta1.CloudTags{ProfileRules: profile.Contract}, Keys: tc.required})

			for i := range tc.resources {
				s, err := structpb.NewStruct(tc.make(i))
				if err != nil {
					t.Fatal(err)
				}

				tally.Add(object.FromStruct(s))
			}

			report := tally.Report()

			totals, err := json.Marshal(report.Totals())
			if err != nil || len(totals) > coverage.MaxTotals {
				t.Errorf("\n%s\nTotals(): %d bytes, want %d at most, and no error: %v", tc.reason, len(totals), coverage.MaxTotals, err)
			}

			text := &strings.Builder{}
			if err := report.Cut().WriteYAML(text); err != nil || text.Len() > coverage.MaxBytes {
				t.Errorf("\n%s\nCut(): %d bytes, want %d at most, and no error: %v", tc.reason, text.Len(), coverage.MaxBytes, err)
			}

			t.Logf("%d resources: totals of %d bytes, report of %d", tc.resources, len(totals), text.Len())

			if diff := cmp.Diff(tc.want, keptOf(t, text.String())); diff != "" {
				t.Errorf("\n%s\nCut(): -want, +got:\n%s", tc.reason, diff)
			}
		})
	}
}

// keptOf reads what a report in YAML has.
func keptOf(t *testing.T, text string) kept {
	t.Helper()

	read := struct {
		Total struct {
			Keys     []any `json:"keys"`
			MoreKeys int   `json:"moreKeys"`
		} `json:"total"`
		More map[string]int `json:"more"`
	}{More: make(map[string]int)}

	lists := make(map[string]any)
	for _, to := range []any{&read, &lists} {
		if err := yaml.Unmarshal([]byte(text), to); err != nil {
			t.Fatal(err)
		}
	}

	out := kept{Listed: make(map[string]int), More: read.More, Keys: len(read.Total.Keys), MoreKeys: read.Total.MoreKeys}

	for _, name := range []string{"untagged", "incomplete", "drifted", "untaggable", "unknown"} {
		if list, _ := lists[name].([]any); len(list) > 0 {
			out.Listed[name] = len(list)
		}
	}

	return out
}
