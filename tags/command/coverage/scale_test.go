package coverage

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"sigs.k8s.io/yaml"
)

// A cluster prints so many resources of 10 kB as kubectl does. It never has all of them in memory.
type cluster struct {
	resources, next int

	// fields is the number of fields that the provider reports of a resource.
	fields int

	text func(resource map[string]any) string

	// head is printed before the items, between between two of them, and tail after them.
	head, between, tail string

	rest []byte
}

func newCluster(format string, resources int) *cluster {
	if format == "json" {
		return &cluster{
			resources: resources, fields: 46, head: `{"apiVersion": "v1", "items": [`, between: ", ", tail: `], "kind": "List"}`,
			text: func(resource map[string]any) string {
				j, _ := json.MarshalIndent(resource, "        ", "    ")
				return string(j)
			},
		}
	}

	return &cluster{
		resources: resources, fields: 98, head: "apiVersion: v1\nitems:\n", tail: "kind: List\n",
		text: func(resource map[string]any) string {
			y, _ := yaml.Marshal([]any{resource})
			return string(y)
		},
	}
}

func (c *cluster) Read(to []byte) (int, error) {
	for len(c.rest) == 0 {
		switch {
		case c.next > c.resources:
			return 0, io.EOF
		case c.next == c.resources:
			c.rest = []byte(c.tail)
		case c.next == 0:
			c.rest = []byte(c.head + c.text(c.resource(0)))
		default:
			c.rest = []byte(c.between + c.text(c.resource(c.next)))
		}

		c.next++
	}

	n := copy(to, c.rest)
	c.rest = c.rest[n:]

	return n, nil
}

// resource returns resource i: one in four has no tags, and one in ten others in the cloud.
func (c *cluster) resource(i int) map[string]any {
	name := fmt.Sprintf("resource-%d", i)
	tags := map[string]any{"env": "prod", "cost-center": strconv.Itoa(i % 100)}
	cloud := map[string]any{"env": "prod", "cost-center": strconv.Itoa(i % 100)}

	if i%4 == 0 {
		tags, cloud = map[string]any{}, map[string]any{}
	} else if i%10 == 1 {
		delete(cloud, "env")
	}

	var conditions []any

	observed := map[string]any{"id": name, "tagsAll": cloud}
	resource := map[string]any{
		"apiVersion": "s3.aws.m.upbound.io/v1beta1", "kind": "Bucket",
		"metadata": map[string]any{"name": name, "namespace": fmt.Sprintf("team-%d", i%50), "labels": map[string]any{"crossplane.io/composite": fmt.Sprintf("shop-%d", i/5)}},
		"spec":     map[string]any{"forProvider": map[string]any{"region": "eu-central-1", "tags": tags}},
		"status":   map[string]any{"atProvider": observed},
	}

	// Most of a resource are fields in its status.
	for j := range c.fields {
		observed[fmt.Sprintf("field%d", j)] = map[string]any{"enabled": true, "name": "arn:aws:s3:::" + name, "days": j}
	}

	for j := range 3 {
		conditions = append(conditions, map[string]any{"type": fmt.Sprintf("Type%d", j), "status": "True", "lastTransitionTime": "2025-01-01T00:00:00Z"})
	}

	resource["status"].(map[string]any)["conditions"] = conditions //nolint:forcetypeassert // It is made above.

	return resource
}

// TestScale counts the resources of a large cluster. COVERAGE_RESOURCES is their number: 50000 resources in JSON take 15
// seconds on one core. In YAML, there are at most 5000, which are 50 MB. With COVERAGE_DIR, the test writes the resources to
// files in this folder, and counts nothing.
func TestScale(t *testing.T) {
	resources := 200
	if s := os.Getenv("COVERAGE_RESOURCES"); s != "" {
		resources, _ = strconv.Atoi(s)
	}

	for format, n := range map[string]int{"json": resources, "yaml": min(resources, 5000)} {
		want := map[string]int{"resources": n, "tagged": n - (n+3)/4, "drifted": 0}

		for i := range n {
			if i%4 != 0 && i%10 == 1 {
				want["drifted"]++
			}
		}

		t.Run(format, func(t *testing.T) {
			if dir := os.Getenv("COVERAGE_DIR"); dir != "" {
				f, err := os.Create(dir + "/managed." + format)
				if err == nil {
					_, err = io.Copy(f, newCluster(format, n))
				}

				if err != nil {
					t.Fatal(err)
				}

				return
			}

			out := &bytes.Buffer{}
			start := time.Now()

			if err := run(t, strings.Fields("- -o json"), newCluster(format, n), out); err != nil {
				t.Fatal(err)
			}

			took := time.Since(start)

			var got struct {
				Total map[string]any `json:"total"`
			}

			if err := json.Unmarshal(out.Bytes(), &got); err != nil {
				t.Fatal(err)
			}

			counts := make(map[string]int)
			for name := range want {
				counts[name] = int(got.Total[name].(float64)) //nolint:forcetypeassert // A test may panic.
			}

			if diff := cmp.Diff(want, counts); diff != "" {
				t.Errorf("\nAll resources should be counted, however many there are.\ncover(...): -want, +got:\n%s", diff)
			}

			t.Logf("%d resources took %s", n, took)
		})
	}
}
