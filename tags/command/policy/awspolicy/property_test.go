package awspolicy

import (
	"bytes"
	"encoding/json"
	"maps"
	"slices"
	"strings"
	"testing"

	"google.golang.org/protobuf/types/known/structpb"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"pgregory.net/rapid"
	"sigs.k8s.io/yaml"

	fnv1 "github.com/crossplane/function-sdk-go/proto/v1"

	"github.com/plexsphere/function-cloud-tags/input/v1beta1"
	"github.com/plexsphere/function-cloud-tags/tags/field"
	"github.com/plexsphere/function-cloud-tags/tags/require"
	"github.com/plexsphere/function-cloud-tags/tags/resolve"
	"github.com/plexsphere/function-cloud-tags/tags/stamp"
	"github.com/plexsphere/function-cloud-tags/tags/tagpolicy"
	"github.com/plexsphere/function-cloud-tags/tags/tagstest"
	"github.com/plexsphere/function-cloud-tags/tags/tagstest/managed"
)

// A statement is an entry of a tag policy: the key in the case that AWS wants, the values that it takes, or nil for any,
// and the resource types that it refuses others of, and wants the tag of.
type statement struct {
	key                        string
	values, enforced, required []string
}

// A kind is what AWS calls a resource type, or of another cloud.
type kind struct{ resourceType, apiVersion, kind string }

var resources = []kind{
	{"ec2:instance", "ec2.aws.upbound.io/v1beta2", "Instance"},
	{"ec2:instance", "ec2.aws.m.upbound.io/v1beta1", "Instance"},
	{"ec2:instance", "ec2.services.k8s.aws/v1alpha1", "Instance"},
	{"ec2:instance", "ec2.aws.crossplane.io/v1alpha1", "Instance"},
	{"ec2:volume", "ec2.aws.m.upbound.io/v1beta1", "EBSVolume"},
	{"s3:bucket", "s3.aws.m.upbound.io/v1beta1", "Bucket"},
	{"s3:bucket", "s3.services.k8s.aws/v1alpha1", "Bucket"},
	{"rds:db", "rds.aws.upbound.io/v1beta1", "Instance"},
	{"rds:db", "rds.services.k8s.aws/v1alpha1", "DBInstance"},
	{"rds:db", "docdb.aws.m.upbound.io/v1beta1", "ClusterInstance"},
	{"rds:cluster", "rds.aws.crossplane.io/v1alpha1", "DBCluster"},
	{"dynamodb:table", "dynamodb.aws.m.upbound.io/v1beta1", "Table"},
	{"secretsmanager:secret", "secretsmanager.aws.m.upbound.io/v1beta1", "Secret"},
	{"logs:log-group", "cloudwatchlogs.aws.m.upbound.io/v1beta1", "Group"},
	{"elasticloadbalancing:loadbalancer", "elbv2.aws.m.upbound.io/v1beta1", "LB"},
	{"", "storage.gcp.m.upbound.io/v1beta1", "Bucket"},
	{"", "azure.m.upbound.io/v1beta1", "ResourceGroup"},
}

var (
	// spellings of keys, each of which a policy and a resource may have, too.
	spellings = [][]string{{"CostCenter", "costcenter", "COSTCENTER"}, {"owner", "Owner"}, {"env", "ENV", "Env"}}

	resourceTypes = []string{
		"ec2:instance", "ec2:ALL_SUPPORTED", "ec2:volume", "s3:bucket", "s3:*", "rds:db", "rds:ALL_SUPPORTED", "rds:cluster", "dynamodb:table",
		"secretsmanager:*", "logs:log-group", "elasticloadbalancing:ALL_SUPPORTED", "omics:workflow", "ec2:subnet",
	}
	patterns = []string{"100", "3*", "*@x.com", "a*b", "x.y", "", "*", "Team"}
	values   = []string{"100", "1000", "3", "300", "me@x.com", "@x.com", "ab", "axb", "ba", "x.y", "xxy", "", "team", "Team", "a\nb"}
)

// covers reports whether the types have the resource's type, or all types of its service.
func covers(types []string, resourceType string) bool {
	service, _, _ := strings.Cut(resourceType, ":")

	return slices.Contains(types, resourceType) || slices.Contains(types, service+":*") || slices.Contains(types, service+":ALL_SUPPORTED")
}

// admits reports whether AWS takes the value: it is a value of the policy, in which one * is any text, or the policy has none.
func (s *statement) admits(value string) bool {
	return s.values == nil || slices.ContainsFunc(s.values, func(pattern string) bool {
		before, after, isAny := strings.Cut(pattern, "*")

		return value == pattern || isAny && len(value) >= len(before)+len(after) && strings.HasPrefix(value, before) && strings.HasSuffix(value, after)
	})
}

// isCompliant reports whether AWS has nothing against the tags of a resource.
func (s *statement) isCompliant(tags map[string]string) bool {
	for k, v := range tags {
		if strings.EqualFold(k, s.key) && (k != s.key || !s.admits(v)) {
			return false
		}
	}

	return true
}

// refuses reports whether AWS refuses the tags of a resource of the type.
func (s *statement) refuses(resourceType string, tags map[string]string) bool {
	return covers(s.enforced, resourceType) && !s.isCompliant(tags)
}

// reports reports whether AWS reports the tags of a resource of the type, or a missing tag. A statement without resource types is for all.
func (s *statement) reports(resourceType string, tags map[string]string) bool {
	if _, has := tags[s.key]; covers(s.required, resourceType) && !has {
		return true
	}

	return resourceType != "" && len(s.enforced) == 0 && !s.isCompliant(tags)
}

// fields of the statement in a policy.
func (s *statement) fields() map[string]any {
	out := map[string]any{"enforced_for": s.enforced, "report_required_tag_for": s.required}

	if s.key != strings.ToLower(s.key) { // It needn't be said.
		out["tag_key"] = s.key
	}

	if s.values != nil {
		out["tag_value"] = s.values
	}

	return out
}

// TestAllows proves that the function allows the tags of a resource by an imported policy if and only if AWS does, by a
// reading of AWS's documents that has nothing in common with the import. No resource has a key in two spellings: the
// import says that this is not the same.
func TestAllows(t *testing.T) {
	t.Parallel()

	results := make(map[bool]int)

	rapid.Check(t, func(t *rapid.T) {
		policy, entries := make(map[string]any), []*statement{}
		isAssigned := rapid.Bool().Draw(t, "operators")

		for _, keys := range spellings {
			if !rapid.Bool().Draw(t, "has") {
				continue
			}

			s := &statement{
				key:      rapid.SampledFrom(keys).Draw(t, "key"),
				enforced: draw(t, "enforced", resourceTypes), required: draw(t, "required", resourceTypes),
			}

			if rapid.Bool().Draw(t, "values") {
				s.values = append([]string{}, draw(t, "value", patterns)...)
			}

			said := s.fields()

			for field, v := range said {
				if isAssigned {
					said[field] = map[string]any{assign: v}
				}
			}

			policy[rapid.SampledFrom(keys).Draw(t, "name")], entries = said, append(entries, s)
		}

		text, err := json.Marshal(map[string]any{"tags": policy})
		if err != nil {
			t.Fatal(err)
		}

		enforcement := rapid.SampledFrom([]string{"Warn", "Error"}).Draw(t, "enforcement")
		in := imported(t, text, enforcement)

		for range 3 {
			tags := make(map[string]string)

			for _, keys := range spellings {
				if rapid.Bool().Draw(t, "tagged") {
					tags[rapid.SampledFrom(keys).Draw(t, "as")] = rapid.SampledFrom(values).Draw(t, "value")
				}
			}

			for _, r := range resources {
				want := !slices.ContainsFunc(entries, func(s *statement) bool {
					return s.refuses(r.resourceType, tags) || enforcement == "Warn" && s.reports(r.resourceType, tags)
				})

				got := in == nil || len(violations(t, in, r.with(t, tags))) == 0
				if want != got {
					t.Fatalf("%s: %s %s with %q: AWS allows it: %t, the function does: %t\n%s", enforcement, r.apiVersion, r.kind, tags, want, got, text)
				}

				results[got]++
			}
		}
	})

	if results[true] < 10 || results[false] < 10 {
		t.Errorf("want cases of both, got %d that are allowed and %d that aren't", results[true], results[false])
	}
}

// draw some of the texts, each once.
func draw(t *rapid.T, name string, texts []string) []string {
	return rapid.SliceOfNDistinct(rapid.SampledFrom(texts), 0, 3, rapid.ID).Draw(t, name)
}

// imported input of the policy. It is nil if there is nothing to say.
func imported(t *rapid.T, policy []byte, enforcement string) *v1beta1.CloudTags {
	c := &Command{}
	if err := tagstest.ParseArgs(c, []string{"-", "--enforcement", enforcement}); err != nil {
		t.Fatal(err)
	}

	printed, err := c.text(bytes.NewReader(policy))
	if err != nil && strings.HasPrefix(err.Error(), "it says nothing") {
		return nil
	}

	if err != nil {
		t.Fatal(err)
	}

	var o map[string]any
	if err := yaml.UnmarshalStrict([]byte(printed), &o); err != nil {
		t.Fatal(err)
	}

	maps.Copy(o, map[string]any{"apiVersion": v1beta1.APIVersion, "kind": v1beta1.Kind, "keyPrefix": ""})

	in, err := v1beta1.DecodeObject(o)
	if err != nil {
		t.Fatal(err)
	}

	return in
}

// with returns a resource with the tags.
func (k kind) with(t *rapid.T, tags map[string]string) *structpb.Struct {
	gvk := schema.FromAPIVersionAndKind(k.apiVersion, k.kind)

	f, ok := field.BuiltIn().Locate(field.Kind{GroupVersionKind: gvk})
	if !ok {
		t.Fatalf("the index should have %s", gvk)
	}

	var pairs [][2]string
	for _, key := range slices.Sorted(maps.Keys(tags)) {
		pairs = append(pairs, [2]string{key, tags[key]})
	}

	return tagstest.Struct(managed.Resource(gvk, &f, pairs).Object)
}

// violations that the function finds, as its stages do one after the other.
func violations(t *rapid.T, in *v1beta1.CloudTags, desired *structpb.Struct) []tagpolicy.Violation {
	xr := &structpb.Struct{Fields: map[string]*structpb.Value{
		"apiVersion": structpb.NewStringValue("example.org/v1"), "kind": structpb.NewStringValue("XR"),
	}}
	req := &fnv1.RunFunctionRequest{
		Observed: &fnv1.State{Composite: &fnv1.Resource{Resource: xr}},
		Desired:  &fnv1.State{Resources: map[string]*fnv1.Resource{"r": {Resource: desired}}},
	}
	required := require.New(req)

	set, err := resolve.Resolve(t.Context(), in, req, required, nil)
	if err != nil {
		t.Fatal(err)
	}

	stamper := stamp.New(&stamp.Request{Input: in, Set: &set, Observed: req.GetObserved(), Required: required})

	targets, err := stamper.Targets(t.Context(), req.GetDesired().GetResources())
	if err != nil {
		t.Fatal(err)
	}

	stamped, err := stamper.Stamp(t.Context(), targets)
	if err != nil {
		t.Fatal(err)
	}

	return tagpolicy.Violations(in, stamper.Transformer, targets, stamped.Changed, stamped)
}
