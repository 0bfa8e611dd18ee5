package tests

import (
	"context"
	"maps"
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"google.golang.org/protobuf/types/known/structpb"

	fnv1 "github.com/crossplane/function-sdk-go/proto/v1"
	"github.com/crossplane/function-sdk-go/response"

	"github.com/plexsphere/function-cloud-tags/example/internal/functions"
	"github.com/plexsphere/function-cloud-tags/example/internal/scenario"
	"github.com/plexsphere/function-cloud-tags/example/internal/testfunction"
)

const tagManager = "function-tag-manager"

// tagManaged are the API groups whose kinds function-tag-manager tags.
var tagManaged = regexp.MustCompile(`(aws|azure)\.(m\.)?upbound\.io/`)

// A tagManagerModel is a model of function-tag-manager v0.9.0, by its fn.go and tags.go.
type tagManagerModel struct{}

// RunFunction manages tags.
func (tagManagerModel) RunFunction(_ context.Context, req *fnv1.RunFunctionRequest) (*fnv1.RunFunctionResponse, error) {
	rsp := response.To(req, 0)
	add, remove := [2]map[string]string{{}, {}}, []string(nil)

	for _, e := range entries(req, "addTags") {
		fill(add[policyOf(e)], stringsAt(req, e, "tags"))
	}

	var last []string

	for _, e := range entries(req, "removeTags") {
		if text(e, "fromFieldPath") == "" {
			remove = append(remove, keysAt(req, e)...)
		} else {
			last = keysAt(req, e)
		}
	}

	for name, r := range rsp.GetDesired().GetResources() {
		ignored := text(valueAt(r.GetResource(), "metadata.annotations"), "tag-manager.fn.crossplane.io/ignore-resource")
		if !tagManaged.MatchString(valueAt(r.GetResource(), "apiVersion").GetStringValue()) || strings.EqualFold(ignored, "true") {
			continue
		}

		tags := texts(valueAt(r.GetResource(), "spec.forProvider.tags"))
		merge(tags, add)

		if there := valueAt(req.GetObserved().GetResources()[name].GetResource(), "status.atProvider.tags"); there != nil {
			ignored := [2]map[string]string{{}, {}}

			for _, e := range entries(req, "ignoreTags") {
				cloud := map[string]string{}

				for _, key := range keysAt(req, e) {
					if value, ok := texts(there)[key]; ok {
						cloud[key] = value
					}
				}

				fill(ignored[policyOf(e)], cloud)
			}

			merge(tags, ignored)
		}

		for _, key := range append(remove, last...) {
			delete(tags, key)
		}

		provider := valueAt(r.GetResource(), "spec.forProvider").GetStructValue()
		provider.Fields["tags"] = structpb.NewStructValue(&structpb.Struct{Fields: map[string]*structpb.Value{}})

		for key, value := range tags {
			provider.Fields["tags"].GetStructValue().Fields[key] = structpb.NewStringValue(value)
		}
	}

	return rsp, nil
}

// entries of a list of the input.
func entries(req *fnv1.RunFunctionRequest, list string) []*structpb.Value {
	return req.GetInput().GetFields()[list].GetListValue().GetValues()
}

func text(v *structpb.Value, field string) string {
	return v.GetStructValue().GetFields()[field].GetStringValue()
}

// policyOf an entry: 0 retains, and 1 replaces.
func policyOf(e *structpb.Value) int {
	if text(e, "type") != "" && text(e, "policy") == "Retain" {
		return 0
	}

	return 1
}

// valueAt returns the value at the path of an object, or nil.
func valueAt(o *structpb.Struct, path string) *structpb.Value {
	v := structpb.NewStructValue(o)
	for name := range strings.SplitSeq(path, ".") {
		v = v.GetStructValue().GetFields()[name]
	}

	return v
}

// readEntry reads what the entry names, or else what its field has.
func readEntry(req *fnv1.RunFunctionRequest, e *structpb.Value, field string) *structpb.Value {
	switch text(e, "type") {
	case "FromCompositeFieldPath":
		return valueAt(req.GetObserved().GetComposite().GetResource(), text(e, "fromFieldPath"))
	case "FromEnvironmentFieldPath":
		return valueAt(req.GetContext().GetFields()["apiextensions.crossplane.io/environment"].GetStructValue(), text(e, "fromFieldPath"))
	default:
		return e.GetStructValue().GetFields()[field]
	}
}

func stringsAt(req *fnv1.RunFunctionRequest, e *structpb.Value, field string) map[string]string {
	return texts(readEntry(req, e, field))
}

func keysAt(req *fnv1.RunFunctionRequest, e *structpb.Value) (out []string) {
	for _, v := range readEntry(req, e, "keys").GetListValue().GetValues() {
		out = append(out, v.GetStringValue())
	}

	return out
}

func texts(v *structpb.Value) map[string]string {
	out := make(map[string]string)
	for key, value := range v.GetStructValue().GetFields() {
		out[key] = value.GetStringValue()
	}

	return out
}

// fill what is absent or empty.
func fill(to, tags map[string]string) {
	for key, value := range tags {
		if to[key] == "" {
			to[key] = value
		}
	}
}

// merge what is retained, and then what replaces.
func merge(tags map[string]string, added [2]map[string]string) {
	fill(tags, added[0])
	maps.Copy(tags, added[1])
}

// TestTagManagerModel compares the model's tags of scenarios with the recorded ones.
func TestTagManagerModel(t *testing.T) {
	_, scenarios := all(t)

	for _, s := range scenarios {
		if !strings.HasPrefix(s.Name, "from-tag-manager-") {
			continue
		}

		t.Run(s.Name, func(t *testing.T) {
			old := copied(t, s, withStep(t, s, functions.CloudTags, tagManager, scenario.FileTagManager))

			got := render(t, scenario.BuiltIn{}, old, map[string]functions.Function{tagManager: tagManagerModel{}, functions.TestResources: testfunction.Function{}})

			want := composedTags(t, read(t, s.Dir+"/"+scenario.FileTagManagerExpected))
			if diff := cmp.Diff(want, composedTags(t, got.Text), cmpopts.EquateEmpty()); diff != "" {
				t.Errorf("tags: -recorded, +the model's:\n%s", diff)
			}
		})
	}
}
