// Command check sends every kind of releases of providers to a running function, and
// holds what comes back against the kinds' own schemas: the API server must neither prune
// nor refuse any of it, with and without schemas, and with them everything that can be
// tagged must be. The releases are folders of custom resource definitions, or packages.
//
//	go run . serve --insecure --address 127.0.0.1:9443 --max-recv-message-size 64 &
//	go run ./tags/field/internal/check -function 127.0.0.1:9443 RELEASE...
package main

import (
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"slices"
	"strings"

	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials/insecure"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/types/known/structpb"
	"k8s.io/apiextensions-apiserver/pkg/apis/apiextensions"
	extv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	structuralschema "k8s.io/apiextensions-apiserver/pkg/apiserver/schema"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/schema/pruning"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/validation"
	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/crossplane/function-sdk-go/errors"
	fnv1 "github.com/crossplane/function-sdk-go/proto/v1"
	"github.com/crossplane/function-sdk-go/resource"

	tagfield "github.com/plexsphere/function-cloud-tags/tags/field"
	"github.com/plexsphere/function-cloud-tags/tags/field/crds"
	"github.com/plexsphere/function-cloud-tags/tags/field/internal/facts"
)

// batch is how many kinds are sent at once.
const batch = 50

// input has a label that every profile admits.
const input = `{
	"apiVersion": "cloudtags.fn.plexsphere.com/v1beta1", "kind": "CloudTags",
	"keyPrefix": "", "sources": [{"type": "Value", "values": {"env": "prod"}}]
}`

func main() {
	address := flag.String("function", "127.0.0.1:9443", "address of the function, served without TLS and with messages of 64 MB")
	flag.Parse()

	c := &checker{once: facts.Once[*result]{Reader: crds.Reader{Progress: os.Stderr}}}

	if err := c.run(context.Background(), *address, flag.Args()); err != nil {
		fmt.Fprintln(os.Stderr, "cannot check:", err)
		os.Exit(2)
	}

	if c.failed {
		os.Exit(1)
	}
}

// A kind to check.
type kind struct {
	crds.Definition
	*result
}

// A result is what came of a kind.
type result struct {
	managed, taggable, without, with bool

	// problems of what came back.
	problems []string
}

type checker struct {
	function fnv1.FunctionRunnerServiceClient
	once     facts.Once[*result]
	failed   bool
}

func (c *checker) run(ctx context.Context, address string, releases []string) error {
	conn, err := grpc.NewClient(address,
		grpc.WithTransportCredentials(insecure.NewCredentials()),
		grpc.WithDefaultCallOptions(grpc.MaxCallRecvMsgSize(64<<20)))
	if err != nil {
		return err
	}

	defer conn.Close() //nolint:errcheck // Nothing is lost.

	c.function = fnv1.NewFunctionRunnerServiceClient(conn)

	for _, release := range releases {
		if err := c.release(ctx, release); err != nil {
			return errors.Wrap(err, release)
		}
	}

	return nil
}

// release checks the managed resources of a release.
func (c *checker) release(ctx context.Context, path string) error {
	var fresh []kind

	all, err := c.once.Read(path, func(d crds.Definition) *result {
		res := &result{}
		if properties(d.Schema, "spec", "forProvider") != nil {
			res.managed = true
			fresh = append(fresh, kind{Definition: d, result: res})
		}

		return res
	})
	if err != nil {
		return err
	}

	for kinds := range slices.Chunk(fresh, batch) {
		if err := c.check(ctx, kinds); err != nil {
			return err
		}
	}

	var managed, taggable, without, with, problems int

	for _, res := range all {
		managed += count(res.managed)
		taggable += count(res.taggable)
		without += count(res.without)
		with += count(res.with)
		problems += len(res.problems)
	}

	sayf("%s: %d kind-versions, %d taggable; tagged %d with schemas, %d without; %d problems", path, managed, taggable, with, without, problems)

	return nil
}

func sayf(format string, args ...any) { _, _ = fmt.Fprintf(os.Stdout, format+"\n", args...) }

func count(b bool) int {
	if b {
		return 1
	}

	return 0
}

// check the supplied kinds.
func (c *checker) check(ctx context.Context, kinds []kind) error {
	servers := make([]*apiServer, len(kinds))

	for i, k := range kinds {
		var err error
		if servers[i], err = newAPIServer(k.Definition); err != nil {
			return errors.Wrap(err, k.String())
		}
	}

	for _, schemas := range []bool{false, true} {
		desired, err := c.ask(ctx, kinds, schemas)
		if err != nil {
			return err
		}

		for i, k := range kinds {
			f := tagfield.Read(k.GroupKind(), tagfield.NewOpenAPI(k.Schema))
			k.taggable = f.Shape != tagfield.None

			got := desired[name(i)].GetResource()
			tagged := !proto.Equal(got, minimal(k.Definition))
			problems := servers[i].admit(got, f.Path.String())

			switch {
			case !schemas:
				k.without = tagged
			case tagged != k.taggable:
				problems = append(problems, fmt.Sprintf("taggable is %t, tagged %t", k.taggable, tagged))
			default:
				k.with = tagged
			}

			for _, p := range problems {
				sayf("%s, schemas %t: %s", k, schemas, p)
			}

			k.problems = append(k.problems, problems...)
			c.failed = c.failed || len(problems) > 0
		}
	}

	return nil
}

// ask the function to tag a minimal resource of each kind, with or without their schemas.
func (c *checker) ask(ctx context.Context, kinds []kind, schemas bool) (map[string]*fnv1.Resource, error) {
	req := &fnv1.RunFunctionRequest{
		Input:           resource.MustStructJSON(input),
		Desired:         &fnv1.State{Resources: make(map[string]*fnv1.Resource)},
		Meta:            &fnv1.RequestMeta{Capabilities: []fnv1.Capability{fnv1.Capability_CAPABILITY_CAPABILITIES}},
		RequiredSchemas: make(map[string]*fnv1.Schema),
	}

	if schemas {
		req.Meta.Capabilities = append(req.Meta.Capabilities, fnv1.Capability_CAPABILITY_REQUIRED_SCHEMAS)
	}

	for i, k := range kinds {
		req.GetDesired().Resources[name(i)] = &fnv1.Resource{Resource: minimal(k.Definition)}

		if schemas {
			req.RequiredSchemas[name(i)] = &fnv1.Schema{OpenapiV3: published(k.Definition)}
		}
	}

	rsp, err := c.function.RunFunction(ctx, req)
	if err != nil {
		return nil, err
	}

	for _, r := range rsp.GetResults() {
		if r.GetSeverity() == fnv1.Severity_SEVERITY_FATAL {
			return nil, errors.New(r.GetMessage())
		}
	}

	return rsp.GetDesired().GetResources(), nil
}

func name(i int) string { return fmt.Sprintf("r%d", i) }

// minimal is a resource of the kind with nothing but the items of the lists that its
// tag field is in, if there are any.
func minimal(d crds.Definition) *structpb.Struct {
	forProvider := map[string]any{}

	f := tagfield.Read(d.GroupKind(), tagfield.NewOpenAPI(d.Schema))
	if list, _, ok := strings.Cut(strings.TrimPrefix(f.Path.String(), "spec.forProvider."), "[0]."); ok {
		forProvider[list] = []any{map[string]any{}}
	}

	s, _ := structpb.NewStruct(map[string]any{ // It's nothing but JSON.
		"apiVersion": d.GroupVersion().String(),
		"kind":       d.Kind,
		"spec":       map[string]any{"forProvider": forProvider},
	})

	return s
}

// published is the schema of the definition as the API server publishes it.
func published(d crds.Definition) *structpb.Struct {
	s := proto.CloneOf(d.Schema)
	s.Fields["x-kubernetes-group-version-kind"], _ = structpb.NewValue([]any{
		map[string]any{"group": d.Group, "version": d.Version, "kind": d.Kind},
	})

	return s
}

// properties of the object that the supplied names lead to, or nil.
func properties(s *structpb.Struct, names ...string) *structpb.Struct {
	for _, name := range names {
		s = s.GetFields()["properties"].GetStructValue().GetFields()[name].GetStructValue()
	}

	return s
}

// An apiServer admits resources of one kind.
type apiServer struct {
	structural *structuralschema.Structural
	validator  validation.SchemaValidator
}

func newAPIServer(d crds.Definition) (*apiServer, error) {
	b, err := json.Marshal(d.Schema)
	if err != nil {
		return nil, err
	}

	v1 := &extv1.JSONSchemaProps{}
	if err := json.Unmarshal(b, v1); err != nil {
		return nil, err
	}

	props := &apiextensions.JSONSchemaProps{}
	if err := extv1.Convert_v1_JSONSchemaProps_To_apiextensions_JSONSchemaProps(v1, props, nil); err != nil {
		return nil, err
	}

	structural, err := structuralschema.NewStructural(props)
	if err != nil {
		return nil, err
	}

	validator, _, err := validation.NewSchemaValidator(props)

	return &apiServer{structural: structural, validator: validator}, err
}

// admit the supplied resource, which may lack fields but in the tag field at the supplied
// path, if there is one. It returns what is pruned, and what is refused.
func (s *apiServer) admit(r *structpb.Struct, path string) []string {
	var out []string

	o := r.AsMap()

	for _, e := range validation.ValidateCustomResource(nil, o, s.validator) {
		if e.Type != field.ErrorTypeRequired || path != "" && strings.HasPrefix(e.Field, path) {
			out = append(out, "refused: "+e.Error())
		}
	}

	for _, pruned := range pruning.PruneWithOptions(o, s.structural, true, structuralschema.UnknownFieldPathOptions{TrackUnknownFieldPaths: true}) {
		out = append(out, "pruned: "+pruned)
	}

	return out
}
