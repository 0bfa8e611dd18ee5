package stamp

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"google.golang.org/protobuf/types/known/structpb"

	"github.com/crossplane/function-sdk-go/errors"
	fnv1 "github.com/crossplane/function-sdk-go/proto/v1"

	"github.com/plexsphere/function-cloud-tags/input/v1beta1"
	"github.com/plexsphere/function-cloud-tags/tags"
	"github.com/plexsphere/function-cloud-tags/tags/budget"
	"github.com/plexsphere/function-cloud-tags/tags/field"
	"github.com/plexsphere/function-cloud-tags/tags/locate"
	"github.com/plexsphere/function-cloud-tags/tags/resolve"
	"github.com/plexsphere/function-cloud-tags/tags/tagstest"
)

// kinds of resources that launch others.
const (
	instanceV1 = "ec2.aws.upbound.io/v1beta1 Instance"
	instanceV2 = "ec2.aws.m.upbound.io/v1beta1 Instance"
	template   = "ec2.aws.m.upbound.io/v1beta1 LaunchTemplate"
	aks        = "containerservice.azure.m.upbound.io/v1beta1 KubernetesCluster"
	gke        = "container.gcp.m.upbound.io/v1beta1 Cluster"
	ecs        = "ecs.aws.m.upbound.io/v1beta1 Service"
)

// launching returns a resource of the kind with the spec.forProvider.
func launching(kind, forProvider string) *structpb.Struct {
	apiVersion, kind, _ := strings.Cut(kind, " ")

	return tagstest.MustStructJSON(`{"apiVersion": "` + apiVersion + `", "kind": "` + kind + `", "metadata": {"generateName": "xr-"}, "spec": {"forProvider": ` + forProvider + `}}`)
}

func launchingStamper(in v1beta1.CloudTags, remove []resolve.TagPattern, labels ...tags.Label) *Stamper {
	in.LaunchedResources = v1beta1.LaunchedResourcesTag
	if in.Sources == nil {
		in.Sources = []v1beta1.Source{{}}
	}

	return &Stamper{
		Finder: locate.Finder{
			Input: &in,
			NewLocator: func(s field.Schemas) field.Locator {
				return field.Chain{field.NewOverrides(in.TagFields), field.BuiltIn(), s}
			},
		},
		RemoveTags: remove, Transformer: transformer(labels...),
	}
}

// TestStampLaunchedSettles tests that stamping a stamped resource again changes nothing.
func TestStampLaunchedSettles(t *testing.T) {
	for _, r := range []*structpb.Struct{
		launching(instanceV1, `{"rootBlockDevice": [{"tags": {"x": "y"}}], "ebsBlockDevice": [{"deviceName": "a"}]}`),
		launching(instanceV2, `{}`), launching(template, `{}`), launching(aks, `{"defaultNodePool": {}}`), launching(gke, `{"nodeConfig": {}}`),
	} {
		s := launchingStamper(v1beta1.CloudTags{}, nil, labels(3)...)

		first, err := stampAll(s, map[string]*fnv1.Resource{"r": {Resource: r}})
		if err != nil || first.Results[0].Stamped.IsZero() {
			t.Fatalf("Stamp(...): want a change, got %v, %v", first, err)
		}

		became := first.Results[0].Stamped.Struct()
		s.Observed = map[string]*fnv1.Resource{"r": {Resource: became}}

		again, err := stampAll(s, map[string]*fnv1.Resource{"r": {Resource: became}})
		if err != nil || !again.Results[0].Stamped.IsZero() {
			t.Errorf("Stamp(...): want no change of what was stamped, got %v, %v", again, err)
		}
	}
}

// TestStampLaunchedOdd tests odd values of fields for launched resources: nothing of a resource is lost, and its own
// tags are written.
func TestStampLaunchedOdd(t *testing.T) {
	for _, at := range [][2]string{
		{instanceV2, "volumeTags"},
		{instanceV2, "rootBlockDevice"},
		{instanceV2, "ebsBlockDevice"},
		{instanceV1, "rootBlockDevice"},
		{template, "tagSpecifications"},
		{aks, "defaultNodePool"},
		{gke, "nodeConfig"},
		{gke, "removeDefaultNodePool"},
		{ecs, "propagateTags"},
	} {
		for _, odd := range []string{
			`null`, `1`, `true`, `"x"`, `[]`, `{}`, `[null]`, `[1, [], {}]`, `[{"tags": 1}]`, `{"tags": []}`, `{"tags": null}`, `{"tags": {"x": 1}}`, `[{"tags": {"x": "y"}}]`,
			`[{"resourceType": "instance"}, {"resourceType": "instance", "tags": []}]`, `{"resourceLabels": "x"}`,
		} {
			r := launching(at[0], `{"`+at[1]+`": `+odd+`, "keep": [{"me": null}]}`)
			s := launchingStamper(v1beta1.CloudTags{}, nil, labels(1)...)
			s.Observed = map[string]*fnv1.Resource{"r": {Resource: r}}

			out, err := stampAll(s, map[string]*fnv1.Resource{"r": {Resource: r}})
			if err != nil || out.Results[0].Stamped.IsZero() {
				t.Fatalf("%s: %s: %s: Stamp(...): want it tagged, got %v, %v", at[0], at[1], odd, out, err)
			}

			before := r.GetFields()["spec"].GetStructValue().GetFields()["forProvider"].GetStructValue().GetFields()
			after := out.Results[0].Stamped.Struct().GetFields()["spec"].GetStructValue().GetFields()["forProvider"].GetStructValue().GetFields()

			for name := range before {
				if after[name] == nil {
					t.Errorf("%s: %s: %s: Stamp(...) lost %s", at[0], at[1], odd, name)
				}
			}
		}
	}
}

// TestStampManyItems is about lists of more items than there is room for tags in.
func TestStampManyItems(t *testing.T) {
	// specifications returns that many tagSpecifications, all but the first of the type.
	specifications := func(n int, resourceType string) string {
		return `{"tagSpecifications": [{"resourceType": "volume"}` + strings.Repeat(`, {"resourceType": "`+resourceType+`"}`, n-1) + `]}`
	}

	const (
		tooMany = `cannot tag composed resource "%s": spec.forProvider.tagSpecifications[instance].tags: 100 labels in each of %d items are too much: ` +
			`in all items of lists together, labels may take 67108864 bytes, and each takes its key, its value and 64 more: include fewer labels, or make fewer items`
		tooLarge = `cannot tag composed resource "%s": spec.forProvider.tagSpecifications[instance].tags: ` +
			`would add too much to the response: a run adds at most 4,194,304 bytes, since Crossplane takes no larger response: include fewer labels, ` +
			`select fewer keys, resources or items, or let nested composite resources compose a part of them`
	)

	cases := map[string]struct {
		reason string
		labels int
		items  map[string]string // spec.forProvider by the name of the resource.
		err    string
	}{
		"Few":       {reason: "A hundred items get all tags that they have slots for.", labels: 100, items: map[string]string{"a": specifications(101, "instance")}},
		"Others":    {reason: "Items that get no tags don't count.", labels: 100, items: map[string]string{"a": specifications(20_000, "network-interface")}},
		"TooMany":   {reason: "Labels count in each item, be there a tag slot for them or not.", labels: 100, items: map[string]string{"a": specifications(10_001, "instance")}, err: fmt.Sprintf(tooMany, "a", 10_000)},
		"Together":  {reason: "Items of several resources count together, and the one is named that is too much.", labels: 100, items: map[string]string{"a": specifications(2001, "instance"), "b": specifications(9001, "instance")}, err: fmt.Sprintf(tooMany, "b", 9000)},
		"TooLarge":  {reason: "Crossplane takes no larger response, so that writing stops.", labels: 50, items: map[string]string{"a": specifications(9001, "instance")}, err: fmt.Sprintf(tooLarge, "a")},
		"EachLarge": {reason: "What is written to several resources counts together, too.", labels: 50, items: map[string]string{"a": specifications(2001, "instance"), "b": specifications(3001, "instance")}, err: fmt.Sprintf(tooLarge, "b")},
	}

	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			desired := make(map[string]*fnv1.Resource)
			for name, forProvider := range tc.items {
				desired[name] = &fnv1.Resource{Resource: launching(template, forProvider)}
			}

			s := launchingStamper(v1beta1.CloudTags{}, nil, labels(tc.labels)...)
			s.Budget = budget.New(budget.MaxResponse)

			_, err := stampAll(s, desired)
			if diff := cmp.Diff(tc.err, tagstest.Error(err)); diff != "" {
				t.Errorf("\n%s\nStamp(...): -want error, +got error:\n%s", tc.reason, diff)
			}

			isLimit := errors.As(err, new(*LimitError)) || errors.As(err, new(*budget.ExceededError))
			if isLimit != (tc.err != "") {
				t.Errorf("\n%s\nStamp(...): want the error of a limit, got %T", tc.reason, err)
			}
		})
	}
}
