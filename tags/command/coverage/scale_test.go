package coverage

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"os"
	"runtime"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"sigs.k8s.io/yaml"

	"github.com/plexsphere/function-cloud-tags/tags/tagstest"
)

// A dump has so many resources of 10 kB as kubectl prints them. It never has all of them in memory.
type dump struct {
	resources, first, next int

	// fields is the number of fields that the provider reports of a resource.
	fields int

	text func(resource map[string]any) string

	// head is printed before the items, between between two of them, and tail after them.
	head, between, tail string

	rest []byte
}

func newDump(format string, resources int) *dump {
	if format != "yaml" {
		return &dump{
			resources: resources, fields: 46, head: `{"apiVersion": "v1", "items": [`, between: ", ", tail: `], "kind": "List"}`,
			text: func(resource map[string]any) string {
				j, _ := json.MarshalIndent(resource, "        ", "    ")
				return string(j)
			},
		}
	}

	return &dump{
		resources: resources, fields: 98, head: "apiVersion: v1\nitems:\n", tail: "kind: List\n",
		text: func(resource map[string]any) string {
			y, _ := yaml.Marshal([]any{resource})
			return string(y)
		},
	}
}

func (c *dump) Read(to []byte) (int, error) {
	for len(c.rest) == 0 {
		switch {
		case c.next > c.resources:
			return 0, io.EOF
		case c.next == c.resources:
			c.rest = []byte(c.tail)
		case c.next == c.first:
			c.rest = []byte(c.head + c.text(c.resource(c.first)))
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
func (c *dump) resource(i int) map[string]any {
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

// pages stand in for an API server that has so many resources. It has one of them in memory.
type pages struct {
	resources int

	// memory is the most memory that was used when a page was asked for, in bytes.
	memory uint64
}

func (p *pages) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	var used runtime.MemStats

	runtime.ReadMemStats(&used)
	p.memory = max(p.memory, used.HeapInuse+used.StackInuse)

	switch r.URL.Path {
	case "/api":
		_, _ = io.WriteString(w, `{"kind": "APIGroupDiscoveryList"}`) // The client has gone, here and below.
	case "/apis":
		_, _ = io.WriteString(w, `{"kind": "APIGroupDiscoveryList", "items": [{"versions": [{"resources": [{"resource": "buckets", "scope": "Namespaced",
			"responseKind": {"group": "s3.aws.m.upbound.io", "version": "v1beta1", "kind": "Bucket"}, "categories": ["managed"], "verbs": ["get", "list"]}]}]}]}`)
	default:
		limit, _ := strconv.Atoi(r.URL.Query().Get("limit"))
		page := newDump("json", p.resources)
		page.first, _ = strconv.Atoi(r.URL.Query().Get("continue"))
		page.next, page.resources = page.first, min(page.first+limit, p.resources)

		if page.resources < p.resources {
			page.tail = fmt.Sprintf(`], "kind": "List", "metadata": {"continue": "%d"}}`, page.resources)
		}

		_, _ = io.Copy(w, page)
	}
}

// TestScale counts the resources of a large cluster. COVERAGE_RESOURCES is their number: 50000 resources in JSON take 15
// seconds on one core. In YAML, there are at most 5000, which are 50 MB. With COVERAGE_DIR, the test writes the resources to
// files in this folder, and counts nothing.
func TestScale(t *testing.T) {
	resources := 200
	if s := os.Getenv("COVERAGE_RESOURCES"); s != "" {
		resources, _ = strconv.Atoi(s)
	}

	for format, n := range map[string]int{"json": resources, "yaml": min(resources, 5000), "cluster": resources} {
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
					_, err = io.Copy(f, newDump(format, n))
				}

				if err != nil {
					t.Fatal(err)
				}

				return
			}

			args, in, pages := "- -o json", io.Reader(newDump(format, n)), &pages{resources: n}
			if format == "cluster" {
				args, in = "-o json", nil
				tagstest.Kubectl(t, pages, "")
			}

			out := &bytes.Buffer{}
			start := time.Now()

			if err := run(t, strings.Fields(args), in, out); err != nil {
				t.Fatal(err)
			}

			took := time.Since(start)

			if pages.memory > 100<<20 {
				t.Errorf("a cluster of %d resources should take less than 100 MB, but takes %d MB", n, pages.memory>>20)
			}

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

			t.Logf("%d resources took %s, and at most %d MB when a page was asked for", n, took, pages.memory>>20)
		})
	}
}
