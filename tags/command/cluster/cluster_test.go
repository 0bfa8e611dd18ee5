package cluster_test

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
	"google.golang.org/protobuf/types/known/structpb"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/plexsphere/function-cloud-tags/tags/command/cluster"
	"github.com/plexsphere/function-cloud-tags/tags/object"
	"github.com/plexsphere/function-cloud-tags/tags/tagstest"
)

var bucket = schema.GroupVersionKind{Group: "s3.aws.upbound.io", Version: "v1beta1", Kind: "Bucket"}

// manyBuckets has n buckets.
func manyBuckets(n int) *tagstest.Cluster {
	c := &tagstest.Cluster{}
	for i := range n {
		c.Objects = append(c.Objects, map[string]any{"apiVersion": "s3.aws.upbound.io/v1beta1", "kind": "Bucket", "metadata": map[string]any{"name": fmt.Sprintf("bucket-%d", i)}})
	}

	return c
}

// TestList reads a list that takes several pages.
func TestList(t *testing.T) {
	has := manyBuckets(1234)
	has.Serve(t)

	var names []string

	err := new(cluster.Flags).Open(t.Context(), func(ctx context.Context, c *cluster.Cluster) error {
		return c.List(ctx, bucket, "", nil, func(o *structpb.Struct) { names = append(names, object.Name(object.FromStruct(o))) })
	})
	if err != nil {
		t.Fatal(err)
	}

	var want []string
	for _, o := range has.Objects {
		want = append(want, fmt.Sprint(o["metadata"].(map[string]any)["name"])) //nolint:forcetypeassert // It is made above.
	}

	if diff := cmp.Diff(want, names); diff != "" {
		t.Errorf("\nAll objects should be listed, in pages.\nList(...): -want, +got:\n%s", diff)
	}

	pages := []string{
		"GET /api", "GET /apis", "GET /apis/s3.aws.upbound.io/v1beta1/buckets?continue=1000&limit=500",
		"GET /apis/s3.aws.upbound.io/v1beta1/buckets?continue=500&limit=500", "GET /apis/s3.aws.upbound.io/v1beta1/buckets?limit=500",
	}
	if diff := cmp.Diff(pages, has.Requests()); diff != "" {
		t.Errorf("\nA page should have 500 objects.\nRequests: -want, +got:\n%s", diff)
	}
}

// TestNamed names kinds as people name them to kubectl.
func TestNamed(t *testing.T) {
	kind := func(version, group string, preferred bool) cluster.Kind {
		return cluster.Kind{GroupVersionKind: schema.GroupVersionKind{Group: group, Version: version, Kind: "Bucket"}, Plural: "buckets", Names: []string{"bucket", "bk"}, Preferred: preferred}
	}

	kinds := cluster.Kinds{
		kind("v1beta2", "s3.aws.upbound.io", true), kind("v1beta1", "s3.aws.upbound.io", false), kind("v1beta1", "storage.gcp.upbound.io", true),
	}

	cases := map[string]struct {
		reason string
		want   []int
	}{
		"bucket":                            {"Kinds of all groups may be meant, in their preferred versions.", []int{0, 2}},
		"buckets":                           {"The plural is a name.", []int{0, 2}},
		"Bucket":                            {"People write the kind as manifests have it.", []int{0, 2}},
		"bk":                                {"A short name is a name.", []int{0, 2}},
		"bucket.s3.aws.upbound.io":          {"A group says which kind is meant.", []int{0}},
		"buckets.v1beta1.s3.aws.upbound.io": {"A version may be another one than the preferred one.", []int{1}},
		"bucket.storage":                    {"The beginning of a group is enough, as for kubectl.", []int{2}},
		"bucket.azure":                      {"A group that has no such kind has none.", nil},
		"pail":                              {"Nothing has this name.", nil},
	}

	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			var got []int
			for _, k := range kinds.Named(name) {
				got = append(got, slices.IndexFunc(kinds, func(other cluster.Kind) bool { return other.GroupVersionKind == k.GroupVersionKind }))
			}

			if diff := cmp.Diff(tc.want, got); diff != "" {
				t.Errorf("\n%s\nNamed(%q): -want, +got:\n%s", tc.reason, name, diff)
			}
		})
	}
}

// TestTitle names the cluster without flags that may have secrets.
func TestTitle(t *testing.T) {
	for want, args := range map[string][]string{
		"the cluster":      {"--token", "secret"},
		"the cluster prod": {"--token", "secret", "--context", "prod"},
		"the cluster test": {"--cluster", "test"},
	} {
		flags := &cluster.Flags{}
		set := pflag.NewFlagSet("", pflag.ContinueOnError)
		flags.AddTo(set)

		if err := set.Parse(args); err != nil || flags.Title() != want {
			t.Errorf("Title() of %q: want %q, got %q, %v", args, want, flags.Title(), err)
		}
	}
}

// TestKubectl lets the kubectl of the machine read a server. Its proxy must pass nothing but reads, and no Secret.
func TestKubectl(t *testing.T) {
	if _, err := exec.LookPath("kubectl"); err != nil {
		t.Skip("this machine has no kubectl, which reads clusters")
	}

	has := manyBuckets(501)
	has.Objects = append(has.Objects, map[string]any{"apiVersion": "v1", "kind": "Secret", "metadata": map[string]any{"namespace": "team-a", "name": "password"}})

	gone := false
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		// The second page comes too late, once.
		if r.URL.Query().Get("continue") == "500" && !gone {
			gone = true

			w.Header().Set("Content-Type", "application/json")
			w.WriteHeader(http.StatusGone)
			_ = json.NewEncoder(w).Encode(map[string]any{"kind": "Status", "code": 410, "message": "too old", "metadata": map[string]any{"continue": "500"}})

			return
		}

		has.ServeHTTP(w, r)
	}))
	defer s.Close()

	flags := &cluster.Flags{}
	set := pflag.NewFlagSet("", pflag.ContinueOnError)
	flags.AddTo(set)

	if err := set.Parse([]string{"--kubeconfig", "/dev/null", "--server", s.URL, "--as", "jane", "-n", "team-a"}); err != nil {
		t.Fatal(err)
	}

	buckets := 0

	err := flags.Open(t.Context(), func(ctx context.Context, c *cluster.Cluster) error {
		if got := c.Namespace(ctx); got != "team-a" {
			t.Errorf("the namespace should be that of the flag, but is %q", got)
		}

		if _, err := c.Object(ctx, schema.GroupVersionKind{Version: "v1", Kind: "Secret"}, "team-a", "password"); !cluster.IsRefused(err) {
			t.Errorf("a Secret should not be read, but the error is %v", err)
		}

		for request, want := range passed {
			if got, err := c.Passes(ctx, request); got != want || err != nil {
				t.Errorf("whether the proxy passes %s should be %t, but is %t: %v", request, want, got, err)
			}
		}

		return c.List(ctx, bucket, "", nil, func(*structpb.Struct) { buckets++ })
	})
	if err != nil {
		t.Fatal(err)
	}

	if buckets != 501 {
		t.Errorf("all 501 buckets should be listed, also if the list changes meanwhile, but %d are", buckets)
	}

	for _, r := range has.Requests() {
		if pass, isListed := passed[r]; isListed && !pass || !strings.HasPrefix(r, "GET ") {
			t.Errorf("the server should get what the proxy passes, but it gets %s", r)
		}
	}
}

// passed says which requests the proxy should pass.
var passed = map[string]bool{
	"GET /apis": true, "GET /api": true, "GET /openapi/v3/apis/s3.aws.upbound.io/v1beta1": true,
	"GET /apis/s3.aws.upbound.io/v1beta1/buckets/bucket-0": true, "GET /api/v1/namespaces/secrets": true, "GET /apis/secretsmanager.aws.upbound.io/v1beta1/secrets": true,
	"POST /apis/s3.aws.upbound.io/v1beta1/buckets": false, "PUT /apis/s3.aws.upbound.io/v1beta1/buckets/bucket-0": false,
	"PATCH /apis/s3.aws.upbound.io/v1beta1/buckets/bucket-0": false, "DELETE /apis/s3.aws.upbound.io/v1beta1/buckets/bucket-0": false,
	"GETS /apis": false, "get /apis": false, "G /apis": false, "HEAD /apis": false,
	"GET /api/v1/secrets": false, "GET /api/v1/namespaces/team-a/secrets": false, "GET /api/v1/namespaces/team-a/secrets/password": false,
	"GET /api/v1/watch/secrets": false, "GET /api/v1/namespaces/team-a/pods/shop/exec": false, "GET /api/v1/namespaces/team-a/services/shop/proxy/a": false,
	"GET /api/v1/nodes/node/proxy/logs": false, "GET /metrics": false, "GET /logs": false,
}

// TestOpenFails is about programs that don't behave as kubectl does.
func TestOpenFails(t *testing.T) {
	t.Setenv("PATH", t.TempDir())

	err := new(cluster.Flags).Open(t.Context(), func(context.Context, *cluster.Cluster) error { return nil })
	if err == nil || !strings.HasPrefix(err.Error(), "cannot run kubectl, which reads the cluster: install it, or give files: ") {
		t.Errorf("without kubectl, the error should say what to do, but it is: %v", err)
	}
}

// TestComplete has a kubectl that repeats its arguments.
func TestComplete(t *testing.T) {
	for _, tc := range []struct {
		reason string
		before []string
		word   string
		want   []string
	}{
		{"A type should be completed after kubectl's own flags.", nil, "buc", []string{"__complete", "get", "--namespace=team-a", "--context=prod", "buc"}},
		{"So should a name.", []string{"buckets"}, "lo", []string{"__complete", "get", "--namespace=team-a", "--context=prod", "buckets", "lo"}},
		{"So should a name after a slash.", nil, "buckets/lo", []string{"__complete", "get", "--namespace=team-a", "--context=prod", "buckets/lo"}},
		{"A type that begins like Secret should be completed.", nil, "secret", []string{"__complete", "get", "--namespace=team-a", "--context=prod", "secret"}},
		{"Nobody should list Secrets.", []string{"secrets"}, "", nil},
		{"Nor should anybody by another name.", nil, "Secret.v1./", nil},
	} {
		dir := t.TempDir()
		script := "#!/bin/sh\nprintf '%s\\n' \"$@\" :4\necho no cluster >&2\n"

		if err := os.WriteFile(filepath.Join(dir, "kubectl"), []byte(script), 0o700); err != nil { //nolint:gosec // It is a program.
			t.Fatal(err)
		}

		t.Setenv("PATH", dir+string(os.PathListSeparator)+os.Getenv("PATH"))

		f, flags := &cluster.Flags{}, pflag.NewFlagSet("", pflag.ContinueOnError)
		f.AddTo(flags)

		if err := flags.Parse([]string{"--context", "prod", "--namespace", "team-a"}); err != nil {
			t.Fatal(err)
		}

		got, directive := f.Complete(t.Context(), tc.before, tc.word)
		if diff := cmp.Diff(tc.want, got); diff != "" || directive != cobra.ShellCompDirectiveNoFileComp {
			t.Errorf("\n%s\nComplete(%q, %q) with directive %d: -want, +got:\n%s", tc.reason, tc.before, tc.word, directive, diff)
		}
	}
}
