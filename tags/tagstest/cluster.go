package tagstest

import (
	"cmp"
	"encoding/json"
	"fmt"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"k8s.io/apimachinery/pkg/runtime/schema"
)

// A Cluster stands in for an API server that is asked through kubectl.
type Cluster struct {
	// Objects of the cluster, in the order of lists.
	Objects []map[string]any `json:"objects"`

	// Categories of kinds, such as composite: [Shop].
	Categories map[string][]string `json:"categories"`

	// Refused are the messages of the API server for paths that it lets nobody read.
	Refused map[string]string `json:"refused"`

	// Schemas by kind.
	Schemas map[string]any `json:"schemas"`

	// Namespace in kubectl's configuration.
	Namespace string `json:"namespace"`

	mu    sync.Mutex
	asked []string
}

// Requests returns the requests, sorted: several may have been made at the same time. Nobody makes any without a cluster.
func (c *Cluster) Requests() []string {
	if c == nil {
		return nil
	}

	c.mu.Lock()
	defer c.mu.Unlock()

	return slices.Sorted(slices.Values(c.asked))
}

// Serve puts a kubectl that reaches the cluster into PATH, for the time of the test.
func (c *Cluster) Serve(t *testing.T) {
	t.Helper()
	Kubectl(t, c, c.Namespace)
}

// Kubectl puts a kubectl that reaches the server into PATH, for the time of the test. Its configuration has the namespace.
func Kubectl(t *testing.T, server http.Handler, namespace string) {
	t.Helper()

	dir, err := os.MkdirTemp("", "kubectl-") //nolint:usetesting // The path of a socket may not be as long as the path of a test's folder.
	if err != nil {
		t.Fatal(err)
	}

	socket := filepath.Join(dir, "s")

	l, err := (&net.ListenConfig{}).Listen(t.Context(), "unix", socket)
	if err != nil {
		t.Fatal(err)
	}

	s := &http.Server{Handler: server, ReadHeaderTimeout: time.Minute}
	done := make(chan struct{})

	go func() {
		defer close(done)

		_ = s.Serve(l) // It ends when it is closed.
	}()

	t.Cleanup(func() {
		_ = s.Close() // It ends all connections.
		<-done
		_ = os.RemoveAll(dir) // Nobody misses it.
	})

	script := fmt.Sprintf(`#!/bin/sh
case "$1" in
config) printf '%%s' '%s' ;;
proxy)
    for arg; do
        case "$arg" in --unix-socket=*) socket=${arg#*=} ;; esac
    done
    ln -s '%s' "$socket"
    echo "Starting to serve on $socket"
    exec sleep 600 ;;
esac
`, namespace, socket)

	if err := os.WriteFile(filepath.Join(dir, "kubectl"), []byte(script), 0o700); err != nil { //nolint:gosec // It is a program.
		t.Fatal(err)
	}

	t.Setenv("PATH", dir+string(os.PathListSeparator)+os.Getenv("PATH"))
}

// ServeHTTP answers as an API server does.
func (c *Cluster) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	c.mu.Lock()
	c.asked = append(c.asked, r.Method+" "+r.URL.RequestURI())
	c.mu.Unlock()

	write := func(code int, answer any) {
		w.Header().Set("Content-Type", "application/json")
		w.WriteHeader(code)
		_ = json.NewEncoder(w).Encode(answer) //nolint:errchkjson // An error means that the client has gone.
	}
	fail := func(code int, message string) {
		write(code, map[string]any{"apiVersion": "v1", "kind": "Status", "code": code, "message": message})
	}

	path := r.URL.Path

	switch message := c.Refused[path]; {
	case r.Method != http.MethodGet:
		fail(http.StatusMethodNotAllowed, "nobody may write")
	case message != "":
		fail(http.StatusForbidden, message)
	case path == "/api":
		write(http.StatusOK, c.discovery(func(group string) bool { return group == "" }))
	case path == "/apis":
		write(http.StatusOK, c.discovery(func(group string) bool { return group != "" }))
	case strings.HasPrefix(path, "/openapi/v3/"):
		write(http.StatusOK, c.openAPI(strings.TrimPrefix(strings.TrimPrefix(strings.TrimPrefix(path, "/openapi/v3/"), "apis/"), "api/")))
	default:
		if o := c.find(path); o != nil {
			write(http.StatusOK, o)
		} else if items, isList := c.list(path, r.URL.Query().Get("labelSelector")); isList {
			write(http.StatusOK, page(items, r.URL.Query().Get("limit"), r.URL.Query().Get("continue")))
		} else {
			fail(http.StatusNotFound, filepath.Base(path)+" not found")
		}
	}
}

// page returns a page of the objects as a List.
func page(items []map[string]any, limit, from string) map[string]any {
	first, _ := strconv.Atoi(from)
	size, _ := strconv.Atoi(limit)
	end := min(first+cmp.Or(size, len(items)), len(items))

	metadata := map[string]any{}
	if end < len(items) {
		metadata["continue"] = strconv.Itoa(end)
	}

	return map[string]any{"apiVersion": "v1", "items": items[first:end], "kind": "SomeList", "metadata": metadata}
}

func kindOf(o map[string]any) schema.GroupVersionKind {
	return schema.FromAPIVersionAndKind(fmt.Sprint(o["apiVersion"]), fmt.Sprint(o["kind"]))
}

func metadataOf(o map[string]any, name string) string {
	metadata, _ := o["metadata"].(map[string]any)
	text, _ := metadata[name].(string)

	return text
}

// pathOf returns the path of the objects of o's kind, in o's namespace or in all.
func pathOf(o map[string]any, namespace string) string {
	k := kindOf(o)

	path := "/apis/" + k.GroupVersion().String()
	if k.Group == "" {
		path = "/api/" + k.Version
	}

	if namespace != "" {
		path += "/namespaces/" + namespace
	}

	return path + "/" + strings.ToLower(k.Kind) + "s"
}

// find returns the object at the path.
func (c *Cluster) find(path string) map[string]any {
	for _, o := range c.Objects {
		if pathOf(o, metadataOf(o, "namespace"))+"/"+metadataOf(o, "name") == path {
			return o
		}
	}

	return nil
}

// list returns the objects below the path that have the labels.
func (c *Cluster) list(path, selector string) (out []map[string]any, isList bool) {
	out = []map[string]any{}

	for _, o := range c.Objects {
		if path != pathOf(o, "") && path != pathOf(o, metadataOf(o, "namespace")) {
			continue
		}

		isList = true
		metadata, _ := o["metadata"].(map[string]any)
		labels, _ := metadata["labels"].(map[string]any)
		selected := true

		for label := range strings.SplitSeq(selector, ",") {
			key, value, _ := strings.Cut(label, "=")
			selected = selected && (key == "" || labels[key] == value)
		}

		if selected {
			out = append(out, o)
		}
	}

	return out, isList
}

// discovery lists the kinds of the groups.
func (c *Cluster) discovery(isListed func(group string) bool) map[string]any {
	var items []any

	seen := make(map[schema.GroupVersionKind]bool)

	for _, o := range c.Objects {
		k := kindOf(o)
		if seen[k] || !isListed(k.Group) {
			continue
		}

		seen[k] = true

		var categories []string

		for category, kinds := range c.Categories {
			if slices.Contains(kinds, k.Kind) {
				categories = append(categories, category)
			}
		}

		scope := "Cluster"
		if metadataOf(o, "namespace") != "" {
			scope = "Namespaced"
		}

		singular := strings.ToLower(k.Kind)
		items = append(items, map[string]any{"metadata": map[string]any{"name": k.Group}, "versions": []any{map[string]any{"version": k.Version, "resources": []any{map[string]any{
			"resource": singular + "s", "singularResource": singular, "scope": scope, "categories": categories, "verbs": []any{"get", "list"},
			"responseKind": map[string]any{"group": k.Group, "version": k.Version, "kind": k.Kind},
		}}}}})
	}

	return map[string]any{"kind": "APIGroupDiscoveryList", "items": items}
}

// openAPI returns the schemas of kinds in the version of a group.
func (c *Cluster) openAPI(apiVersion string) map[string]any {
	schemas := make(map[string]any)

	for _, o := range c.Objects {
		if k := kindOf(o); k.GroupVersion().String() == apiVersion && c.Schemas[k.Kind] != nil {
			schemas[k.Kind] = map[string]any{
				"properties": c.Schemas[k.Kind], "type": "object",
				"x-kubernetes-group-version-kind": []any{map[string]any{"group": k.Group, "version": k.Version, "kind": k.Kind}},
			}
		}
	}

	return map[string]any{"components": map[string]any{"schemas": schemas}}
}
