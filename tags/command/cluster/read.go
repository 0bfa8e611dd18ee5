package cluster

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"os"
	"slices"
	"strconv"
	"strings"

	"google.golang.org/protobuf/types/known/structpb"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/crossplane/function-sdk-go/errors"
	fnv1 "github.com/crossplane/function-sdk-go/proto/v1"

	"github.com/plexsphere/function-cloud-tags/tags/command/terminal"
	"github.com/plexsphere/function-cloud-tags/tags/manifest"
	"github.com/plexsphere/function-cloud-tags/tags/words"
)

// pageSize is the number of objects that the API server gives at once.
const pageSize = 500

// maxMessage is the limit of the message of an error, in bytes.
const maxMessage = 64 << 10

// A RefusalError is an error of the API server. For a right that is missing, its message names the resource and the verb:
//
//	namespaces "team-a" is forbidden: User "jane" cannot get resource "namespaces" in API group "" at the cluster scope
type RefusalError struct {
	// Code is the status, such as 403.
	Code    int
	Message string

	// next goes on with a list that has changed since its first page.
	next string
}

// Error implements error.
func (r *RefusalError) Error() string { return r.Message }

// IsMissing reports whether the error says that the cluster doesn't have the object, or its kind.
func IsMissing(err error) bool {
	var r *RefusalError
	return errors.As(err, &r) && r.Code == http.StatusNotFound
}

// IsRefused reports whether the error says that the API server, or this package, lets nobody read the object.
func IsRefused(err error) bool {
	var r *RefusalError
	return errors.As(err, &r) && r.Code == http.StatusForbidden
}

// get returns the body of the API server's answer.
func (c *Cluster) get(ctx context.Context, path string, query url.Values, accept string) (io.ReadCloser, error) {
	// The proxy takes this host only.
	address := url.URL{Scheme: "http", Host: "localhost", Path: path, RawQuery: query.Encode()}

	req, err := http.NewRequestWithContext(ctx, http.MethodGet, address.String(), http.NoBody)
	if err != nil {
		return nil, err
	}

	req.Header.Set("Accept", accept)

	rsp, err := c.http.Do(req)
	if err != nil {
		return nil, errors.Wrap(err, "cannot read the cluster")
	}

	if rsp.StatusCode == http.StatusOK {
		return rsp.Body, nil
	}
	defer rsp.Body.Close() //nolint:errcheck // Only read.

	text, _ := io.ReadAll(io.LimitReader(rsp.Body, maxMessage)) // A part of the text is better than nothing.

	var status struct {
		Message  string `json:"message"`
		Metadata struct {
			Continue string `json:"continue"`
		} `json:"metadata"`
	}
	if json.Unmarshal(text, &status) != nil {
		status.Message = string(text) // The proxy writes no JSON.
	}

	message := cmp.Or(strings.TrimSpace(status.Message), rsp.Status)

	return nil, &RefusalError{Code: rsp.StatusCode, Message: message, next: status.Metadata.Continue}
}

// kind returns the kind in the version.
func (c *Cluster) kind(ctx context.Context, gvk schema.GroupVersionKind) (Kind, error) {
	if gvk.GroupKind() == secret {
		return Kind{}, &RefusalError{Code: http.StatusForbidden, Message: "Secrets are never read"}
	}

	kinds, err := c.Kinds(ctx)
	if err != nil {
		return Kind{}, err
	}

	k, ok := kinds.Of(gvk)
	if !ok {
		return Kind{}, &RefusalError{Code: http.StatusNotFound, Message: fmt.Sprintf("the cluster has no kind %s of apiVersion %s", words.Name(gvk.Kind), words.Name(gvk.GroupVersion().String()))}
	}

	return k, nil
}

// Object returns the object with the name. The namespace is ignored if the kind has none.
func (c *Cluster) Object(ctx context.Context, gvk schema.GroupVersionKind, namespace, name string) (*structpb.Struct, error) {
	k, err := c.kind(ctx, gvk)
	if err != nil {
		return nil, err
	}

	body, err := c.get(ctx, k.path(namespace, name), nil, "application/json")
	if err != nil {
		return nil, err
	}
	defer body.Close() //nolint:errcheck // Only read.

	text, err := io.ReadAll(body)
	if err != nil {
		return nil, errors.Wrap(err, "cannot read the cluster")
	}

	out := &structpb.Struct{}

	return out, errors.Wrapf(out.UnmarshalJSON(text), "cannot read %s %s", words.Name(gvk.Kind), words.Name(name))
}

// List calls f for each object of the kind in the namespace that has the labels. Without a namespace, it lists objects of all
// namespaces. One page is read at a time, and one object of it is in memory.
func (c *Cluster) List(ctx context.Context, gvk schema.GroupVersionKind, namespace string, labels map[string]string, f func(*structpb.Struct)) error {
	k, err := c.kind(ctx, gvk)
	if err != nil {
		return err
	}

	query := url.Values{"limit": {strconv.Itoa(pageSize)}}
	if len(labels) > 0 {
		query.Set("labelSelector", selectorOf(labels))
	}

	for {
		next, err := c.page(ctx, &k, namespace, query, f)

		var r *RefusalError

		switch {
		case errors.As(err, &r) && r.Code == http.StatusGone && r.next != "":
			next = r.next // The list has changed meanwhile. The rest of it is as new as the server has it.
		case err != nil:
			return err
		}

		if next == "" {
			return nil
		}

		query.Set("continue", next)
	}
}

// selectorOf returns the selector of labels in a query: env=prod,owner=team-a.
func selectorOf(labels map[string]string) string {
	var out []string
	for key, value := range labels {
		out = append(out, key+"="+value)
	}

	slices.Sort(out)

	return strings.Join(out, ",")
}

// page calls f for each object of a page. next is where the next page begins, or empty for the last one.
func (c *Cluster) page(ctx context.Context, k *Kind, namespace string, query url.Values, f func(*structpb.Struct)) (next string, err error) {
	body, err := c.get(ctx, k.path(namespace, ""), query, "application/json")
	if err != nil {
		return "", err
	}
	defer body.Close() //nolint:errcheck // Only read.

	var metadata struct {
		Continue string `json:"continue"`
	}

	apiVersion, kind := k.ToAPIVersionAndKind()
	text := json.NewDecoder(body)

	err = eachField(text, func(name string) error {
		switch name {
		case "metadata":
			return text.Decode(&metadata)
		case "items":
			return eachItem(text, func(item json.RawMessage) error {
				o := &structpb.Struct{}
				if err := o.UnmarshalJSON(item); err != nil {
					return err
				}

				// Kinds that are built into the API server have both in the list alone.
				o.Fields["apiVersion"], o.Fields["kind"] = structpb.NewStringValue(apiVersion), structpb.NewStringValue(kind)
				f(o)

				return nil
			})
		default:
			return text.Decode(new(json.RawMessage))
		}
	})

	return metadata.Continue, errors.Wrapf(err, "cannot read the list of %s", words.Name(k.Plural))
}

// eachField calls f at the value of each field of the object that begins the text. f must decode the value.
func eachField(text *json.Decoder, f func(name string) error) error {
	if _, err := text.Token(); err != nil {
		return err
	}

	for text.More() {
		name, err := text.Token()
		if err != nil {
			return err
		}

		if err := f(fmt.Sprint(name)); err != nil {
			return err
		}
	}

	_, err := text.Token()

	return err
}

// eachItem calls f for each item of the list that begins the text.
func eachItem(text *json.Decoder, f func(json.RawMessage) error) error {
	if start, err := text.Token(); err != nil || start == nil { // null is an empty list.
		return err
	}

	var item json.RawMessage

	for text.More() {
		if err := text.Decode(&item); err != nil {
			return err
		}

		if err := f(item); err != nil {
			return err
		}
	}

	_, err := text.Token()

	return err
}

// Definitions calls f for each served version of the custom resource definitions in the files and folders, or without any, in the cluster.
func (f *Flags) Definitions(ctx context.Context, r *manifest.Reader, paths []string, use func(manifest.Definition)) error {
	if len(paths) > 0 {
		return r.Definitions(paths, use)
	}

	bar := terminal.Progress(os.Stderr, -1, "definitions")
	defer bar.Finish() //nolint:errcheck // Nobody misses a bar that can't be written.

	return f.Open(ctx, func(ctx context.Context, c *Cluster) error {
		return c.List(ctx, manifest.DefinitionKind, "", nil, func(o *structpb.Struct) {
			for _, d := range manifest.Versions(o) {
				use(d)
			}

			_ = bar.Add(1) // As above.
		})
	})
}

// Find returns the objects that the selector selects, as Crossplane does.
func (c *Cluster) Find(ctx context.Context, s *fnv1.ResourceSelector) (out []*structpb.Struct, err error) {
	gvk := schema.FromAPIVersionAndKind(s.GetApiVersion(), s.GetKind())

	if name := s.GetMatchName(); name != "" {
		o, err := c.Object(ctx, gvk, s.GetNamespace(), name)
		if err != nil {
			if IsMissing(err) {
				err = nil
			}

			return nil, err
		}

		return []*structpb.Struct{o}, nil
	}

	err = c.List(ctx, gvk, s.GetNamespace(), s.GetMatchLabels().GetLabels(), func(o *structpb.Struct) { out = append(out, o) })
	if IsMissing(err) {
		err = nil
	}

	return out, err
}

// Schema returns the OpenAPI schema of the kind, or nil if the cluster has none. References to other schemas stay: custom resource
// definitions have one to metadata only, where nobody looks for tags.
func (c *Cluster) Schema(ctx context.Context, gvk schema.GroupVersionKind) (*structpb.Struct, error) {
	c.mu.Lock()
	defer c.mu.Unlock()

	if _, known := c.schemas[gvk.GroupVersion()]; !known {
		found, err := c.schemasOf(ctx, gvk.GroupVersion())
		if err != nil {
			return nil, err
		}

		c.schemas[gvk.GroupVersion()] = found
	}

	text, ok := c.schemas[gvk.GroupVersion()][gvk.Kind]
	if !ok {
		return nil, nil //nolint:nilnil // See above.
	}

	out := &structpb.Struct{}

	return out, errors.Wrapf(out.UnmarshalJSON(text), "cannot read the schema of %s", words.Name(gvk.Kind))
}

// schemasOf returns the schemas of the kinds in the version of a group, in JSON.
func (c *Cluster) schemasOf(ctx context.Context, gv schema.GroupVersion) (map[string]json.RawMessage, error) {
	path := "/openapi/v3/apis/" + gv.String()
	if gv.Group == "" {
		path = "/openapi/v3/api/" + gv.Version
	}

	body, err := c.get(ctx, path, nil, "application/json")
	if err != nil {
		if IsMissing(err) {
			err = nil
		}

		return nil, err
	}
	defer body.Close() //nolint:errcheck // Only read.

	var document struct {
		Components struct {
			Schemas map[string]json.RawMessage `json:"schemas"`
		} `json:"components"`
	}

	if err := json.NewDecoder(body).Decode(&document); err != nil {
		return nil, errors.Wrapf(err, "cannot read the schemas at %s", path)
	}

	out := make(map[string]json.RawMessage)

	for _, text := range document.Components.Schemas {
		var s struct {
			Kinds []schema.GroupVersionKind `json:"x-kubernetes-group-version-kind"` //nolint:tagliatelle // Kubernetes has the name.
		}

		// Several kinds share a schema, such as the schema of DeleteOptions.
		if json.Unmarshal(text, &s) == nil && len(s.Kinds) == 1 && s.Kinds[0].GroupVersion() == gv {
			out[s.Kinds[0].Kind] = text
		}
	}

	return out, nil
}
