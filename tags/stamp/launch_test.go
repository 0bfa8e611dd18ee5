package stamp

import (
	"strings"
	"testing"

	"google.golang.org/protobuf/types/known/structpb"
	"k8s.io/apimachinery/pkg/runtime/schema"

	fnv1 "github.com/crossplane/function-sdk-go/proto/v1"
	"github.com/crossplane/function-sdk-go/resource"

	"github.com/plexsphere/function-cloud-tags/input/v1beta1"
	"github.com/plexsphere/function-cloud-tags/tags"
	"github.com/plexsphere/function-cloud-tags/tags/field"
	"github.com/plexsphere/function-cloud-tags/tags/object"
	"github.com/plexsphere/function-cloud-tags/tags/profile"
	"github.com/plexsphere/function-cloud-tags/tags/resolve"
	"github.com/plexsphere/function-cloud-tags/tags/tagstest"
	"github.com/plexsphere/function-cloud-tags/tags/target"
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

// launching is a resource of the supplied kind with the supplied spec.forProvider.
func launching(kind, forProvider string) *structpb.Struct {
	apiVersion, kind, _ := strings.Cut(kind, " ")

	return resource.MustStructJSON(`{"apiVersion": "` + apiVersion + `", "kind": "` + kind + `", "metadata": {"generateName": "xr-"}, "spec": {"forProvider": ` + forProvider + `}}`)
}

func launchingStamper(in v1beta1.CloudTags, remove []resolve.TagKey, labels ...tags.Label) *Stamper {
	in.LaunchedResources = v1beta1.LaunchedResourcesTag
	if in.Sources == nil {
		in.Sources = []v1beta1.Source{{}}
	}

	return &Stamper{
		Finder: target.Finder{
			Input: &in,
			Fields: func(s field.Schemas) field.Locator {
				return field.Chain{field.NewRules(in.TagFields), field.BuiltIn(), s}
			},
		},
		Remove: remove, Transformer: transformer(labels...),
	}
}

// TestStampLaunched tests the tags of what resources launch.
func TestStampLaunched(t *testing.T) {
	volumes := v1beta1.TagField{APIVersion: profile.NewPattern("ec2*"), Kind: profile.NewPattern("*"), FieldPath: object.MustParsePath("spec.forProvider.volumeTags"), Shape: "Map"}

	cases := map[string]struct {
		reason            string
		kind              string
		in                v1beta1.CloudTags
		labels            []tags.Label
		remove            []resolve.TagKey
		desired, observed string
	}{
		"Volumes":            {reason: "The volumes of an instance should have its tags.", kind: instanceV1, labels: labels(1), desired: `{"region": "a"}`},
		"VolumesBeside":      {reason: "What an earlier step set should stay.", kind: instanceV2, labels: labels(1), desired: `{"volumeTags": {"x": "y"}, "rootBlockDevice": {"volumeSize": 8}}`},
		"VolumesSettled":     {reason: "Tags that are there are no change.", kind: instanceV2, labels: labels(1), desired: `{"tags": {"ours:k00": "v"}, "volumeTags": {"ours:k00": "v"}}`},
		"VolumesLast":        {reason: "The last tag of volumes should go as that of the instance does.", kind: instanceV2, desired: `{}`, observed: `{"volumeTags": {"ours:k00": "v"}}`},
		"VolumesMismatch":    {reason: "A field of another shape should be named, and the instance tagged.", kind: instanceV2, labels: labels(1), desired: `{"volumeTags": [{"x": "y"}]}`},
		"VolumesRetained":    {reason: "A tag of an earlier step should be named, though the instance has the label.", kind: instanceV2, labels: under(tags.Retain, labels(1)...), desired: `{"volumeTags": {"ours:k00": "theirs"}}`},
		"VolumesRefused":     {reason: "A label that accepts no other value should stop everything.", kind: instanceV2, in: v1beta1.CloudTags{Sources: []v1beta1.Source{{OnConflict: tags.Refuse}}}, labels: under(tags.Refuse, labels(1)...), desired: `{"volumeTags": {"ours:k00": "theirs"}}`},
		"VolumesByRule":      {reason: "A field that a rule names should be tagged once.", kind: instanceV2, in: v1beta1.CloudTags{TagFields: []v1beta1.TagField{volumes}}, labels: labels(1), desired: `{}`},
		"NoneByRule":         {reason: "Where a rule wants no tags, nothing launched should have any.", kind: instanceV2, in: v1beta1.CloudTags{TagFields: []v1beta1.TagField{{APIVersion: volumes.APIVersion, Kind: volumes.Kind, Shape: "None"}}}, labels: labels(1), desired: `{}`},
		"BlockDevices":       {reason: "Tags of volumes and of block devices exclude each other.", kind: instanceV2, labels: labels(1), desired: `{"rootBlockDevice": {"tags": {"x": "y"}}, "ebsBlockDevice": [{"deviceName": "a"}, {"deviceName": "b", "tags": {"ours:k00": "v"}}, 1]}`},
		"BlockDevicesV1":     {reason: "So it should be where the only root block device is in a list.", kind: instanceV1, labels: labels(1), desired: `{"rootBlockDevice": [{"volumeSize": 8}], "ebsBlockDevice": [{"deviceName": "a", "tags": {"x": "y"}}]}`},
		"BlockDevicesNoRoot": {reason: "A root block device should not be made for tags.", kind: instanceV2, labels: labels(1), desired: `{"ebsBlockDevice": [{"deviceName": "a", "tags": {"x": "y"}}]}`},
		"BlockDevicesFilled": {reason: "Tags of block devices that the provider has filled in exclude those of volumes, too.", kind: instanceV2, labels: labels(1), desired: `{}`, observed: `{"rootBlockDevice": {"tags": {"x": "y"}}}`},
		"BlockDevicesEmpty":  {reason: "Empty tags exclude nothing.", kind: instanceV2, labels: labels(1), desired: `{}`, observed: `{"rootBlockDevice": {"tags": {}}}`},

		"Template":          {reason: "Instances and volumes of a template should have its tags.", kind: template, labels: labels(1), desired: `{}`},
		"TemplateBeside":    {reason: "What a template says of others should stay, in its order.", kind: template, labels: labels(1), desired: `{"tagSpecifications": [{"resourceType": "network-interface", "tags": {"x": "y"}}, {"resourceType": "volume", "tags": {"x": "y"}}]}`},
		"TemplateSettled":   {reason: "Tags that are there are no change.", kind: template, labels: labels(1), desired: `{"tags": {"ours:k00": "v"}, "tagSpecifications": [{"resourceType": "volume", "tags": {"ours:k00": "v"}}, {"resourceType": "instance", "tags": {"ours:k00": "v", "x": "y"}}]}`},
		"TemplateNoLabels":  {reason: "Without labels nothing should be made, and nothing be dropped.", kind: template, desired: `{"tagSpecifications": [{"resourceType": "volume"}]}`, observed: `{"tagSpecifications": [{"resourceType": "instance", "tags": {"ours:k00": "v"}}]}`},
		"TemplateRemoved":   {reason: "The cloud refuses an entry without tags.", kind: template, remove: keys("x"), desired: `{"tagSpecifications": [{"resourceType": "instance", "tags": {"x": "y"}}, {"resourceType": "volume", "tags": {"x": "y", "z": "z"}}]}`},
		"TemplateRemoveAll": {reason: "A list without entries should go.", kind: template, remove: keys("*"), desired: `{"region": "a", "tagSpecifications": [{"resourceType": "instance", "tags": {"x": "y"}}]}`},
		"TemplateMismatch":  {reason: "Something else than a list should be named.", kind: template, labels: labels(1), desired: `{"tagSpecifications": {"resourceType": "instance"}}`},
		"TemplateNull":      {reason: "Null is no list yet.", kind: template, labels: labels(1), desired: `{"tagSpecifications": null}`},
		"TemplateItems":     {reason: "Items that are no objects should stay.", kind: template, labels: labels(1), desired: `{"tagSpecifications": ["instance", {"resourceType": 1}]}`},

		"Cap":           {reason: "What is launched has slots of its own, and a label that lacks one anywhere should be named once.", kind: template, in: v1beta1.CloudTags{ReservedTags: map[string]v1beta1.TagCount{"aws": 45}}, labels: labels(3), desired: `{"tagSpecifications": [{"resourceType": "volume", "tags": {"a": "1", "b": "2", "c": "3", "d": "4"}}]}`},
		"CapStrict":     {reason: "So it should be where it is an error.", kind: template, in: v1beta1.CloudTags{LimitPolicy: v1beta1.LimitPolicyApplyStrict, ReservedTags: map[string]v1beta1.TagCount{"aws": 45}}, labels: labels(2), desired: `{"tagSpecifications": [{"resourceType": "volume", "tags": {"a": "1", "b": "2", "c": "3", "d": "4"}}]}`},
		"CapAlsoOwn":    {reason: "A label that the resource lacks a slot for should not be named twice.", kind: template, in: v1beta1.CloudTags{ReservedTags: map[string]v1beta1.TagCount{"aws": 46}}, labels: labels(2), desired: `{"tagSpecifications": [{"resourceType": "volume", "tags": {"a": "1", "b": "2", "c": "3"}}]}`},
		"Nodes":         {reason: "The default node pool should have the tags of its cluster.", kind: aks, labels: labels(1), desired: `{"defaultNodePool": {"name": "a"}}`},
		"NodesNone":     {reason: "A node pool should not be made for tags.", kind: aks, labels: labels(1), desired: `{}`},
		"NodesKept":     {reason: "Without labels a map in an object that is there is filled by nobody.", kind: aks, desired: `{"defaultNodePool": {"name": "a"}}`, observed: `{"defaultNodePool": {"tags": {"x": "y"}}}`},
		"NodesGoogle":   {reason: "So it should be at Google.", kind: gke, labels: labels(1), desired: `{"nodeConfig": {"diskSizeGb": 10}, "removeDefaultNodePool": false}`},
		"NodesNotThere": {reason: "A default node pool that is removed has no labels.", kind: gke, labels: labels(1), desired: `{"nodeConfig": {"diskSizeGb": 10}, "removeDefaultNodePool": true}`},
		"Tasks":         {reason: "The tasks of a service should get its tags.", kind: ecs, labels: labels(1), desired: `{}`},
		"TasksSettled":  {reason: "So it should stay.", kind: ecs, labels: labels(1), desired: `{"tags": {"ours:k00": "v"}, "propagateTags": "SERVICE"}`},
		"TasksOther":    {reason: "What an earlier step says should hold.", kind: ecs, labels: labels(1), desired: `{"propagateTags": "NONE"}`},
		"TasksNull":     {reason: "Null says nothing.", kind: ecs, labels: labels(1), desired: `{"propagateTags": null}`},
		"TasksNoLabels": {reason: "Without labels nothing should be switched on.", kind: ecs, desired: `{"tags": {"x": "y"}}`},
		"Nothing":       {reason: "What a change of tags would replace should have none.", kind: "batch.aws.m.upbound.io/v1beta1 ComputeEnvironment", labels: labels(1), desired: `{"computeResources": {"type": "EC2"}}`},
	}

	g := tagstest.NewGolden(t)

	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			s := launchingStamper(tc.in, tc.remove, tc.labels...)
			if tc.observed != "" {
				s.Observed = map[string]*fnv1.Resource{"r": {Resource: launching(tc.kind, tc.observed)}}
			}

			check(t, g, tc.reason, s, map[string]*fnv1.Resource{"r": {Resource: launching(tc.kind, tc.desired)}})
		})
	}
}

// TestStampLaunchedSettles tests that a resource becomes the same again of what has become of it.
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

// TestStampLaunchedNative tests the tags of what resources of other controllers launch.
func TestStampLaunchedNative(t *testing.T) {
	native := func(kind, spec string) *structpb.Struct {
		apiVersion, kind, _ := strings.Cut(kind, " ")

		return resource.MustStructJSON(`{"apiVersion": "` + apiVersion + `", "kind": "` + kind + `", "metadata": {"generateName": "xr-"}, "spec": ` + spec + `}`)
	}

	const (
		ack = "ec2.services.k8s.aws/v1alpha1 LaunchTemplate"
		aso = "containerservice.azure.com/v1api20240901 ManagedCluster"
	)

	cases := map[string]struct {
		reason            string
		kind              string
		labels            []tags.Label
		desired, observed string
	}{
		"List":        {reason: "A list of keys and values should be one in an entry, too.", kind: ack, labels: labels(1), desired: `{"tags": [], "data": {"tagSpecifications": [{"resourceType": "volume", "tags": [{"key": "x", "value": "y"}]}]}}`},
		"ListSettled": {reason: "Tags that are there are no change.", kind: ack, labels: labels(1), desired: `{"tags": [{"key": "ours:k00", "value": "v"}], "data": {"tagSpecifications": [{"resourceType": "volume", "tags": [{"key": "ours:k00", "value": "v"}]}, {"resourceType": "instance", "tags": [{"key": "ours:k00", "value": "v"}]}]}}`},
		"NoData":      {reason: "An object should not be made for tags.", kind: ack, labels: labels(1), desired: `{}`},
		"Pools":       {reason: "Every node pool that is there should have tags.", kind: aso, labels: labels(1), desired: `{"agentPoolProfiles": [{"name": "a"}, {"name": "b", "tags": {"x": "y"}}]}`, observed: `{"agentPoolProfiles": [{"name": "b", "tags": {"x": "y"}}, {"name": "a"}]}`},
		"NoPools":     {reason: "None should be made.", kind: aso, labels: labels(1), desired: `{}`},
	}

	g := tagstest.NewGolden(t)

	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			s := launchingStamper(v1beta1.CloudTags{}, nil, tc.labels...)
			if tc.observed != "" {
				s.Observed = map[string]*fnv1.Resource{"r": {Resource: native(tc.kind, tc.observed)}}
			}

			check(t, g, tc.reason, s, map[string]*fnv1.Resource{"r": {Resource: native(tc.kind, tc.desired)}})
		})
	}
}

// TestStampLaunchedOdd tests that whatever is in the place of launched fields, nothing of a
// resource is lost, and its own tags are written.
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

// TestLaunchedSchemas tests when a schema is asked for what resources launch.
func TestLaunchedSchemas(t *testing.T) {
	of := resource.MustStructJSON(`{"properties": {"spec": {"properties": {"forProvider": {"properties": {
		"tags": {"type": "object", "additionalProperties": {"type": "string"}}, "volumeTags": {"type": "object", "additionalProperties": {"type": "string"}}}}}}}}`)

	cases := map[string]struct {
		reason   string
		kind     string
		launched v1beta1.LaunchedResources
		schema   *structpb.Struct
		asks     bool
		want     string
	}{
		"Known":   {reason: "A kind that is built in needs no schema.", kind: instanceV2, launched: v1beta1.LaunchedResourcesTag, want: `{"tags": {"ours:k00": "v"}, "volumeTags": {"ours:k00": "v"}}`},
		"Leave":   {reason: "Nothing that is launched should be tagged without being asked for.", kind: instanceV2, launched: v1beta1.LaunchedResourcesLeave, want: `{"tags": {"ours:k00": "v"}}`},
		"Newer":   {reason: "A version that isn't built in should be read from its schema.", kind: "ec2.aws.upbound.io/v1beta9 Instance", launched: v1beta1.LaunchedResourcesTag, schema: of, asks: true, want: `{"tags": {"ours:k00": "v"}, "volumeTags": {"ours:k00": "v"}}`},
		"Unknown": {reason: "Without a schema nothing should be taken for granted.", kind: "ec2.aws.upbound.io/v1beta9 Instance", launched: v1beta1.LaunchedResourcesTag, asks: true},
	}

	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			asked := false
			s := launchingStamper(v1beta1.CloudTags{}, nil, labels(1)...)
			s.Input.LaunchedResources = tc.launched
			s.Schemas = field.Schemas{Of: func(schema.GroupVersionKind) object.Node {
				asked = true
				if tc.schema == nil {
					return object.Node{}
				}

				return object.Tree(tc.schema).Node()
			}}

			out, err := stampOnly(s, map[string]*fnv1.Resource{"r": {Resource: launching(tc.kind, `{}`)}})
			if err != nil || asked != tc.asks {
				t.Fatalf("%s\nStamp(...): want it to ask for a schema: %t, got %t, %v", tc.reason, tc.asks, asked, err)
			}

			var got *structpb.Struct
			if r := out.Results[0].Stamped; !r.IsZero() {
				got = r.Struct()
			}

			want := got
			if tc.want != "" {
				want = launching(tc.kind, tc.want)
			} else if got != nil {
				want = nil
			}

			if got.String() != want.String() {
				t.Errorf("%s\nStamp(...): want %v, got %v", tc.reason, want, got)
			}
		})
	}
}

// TestStampLaunchedReserved tests reserved keys in all items of a list, whatever they are of.
func TestStampLaunchedReserved(t *testing.T) {
	owner := label("owner", "alice")
	owner.Trusted = true

	cases := map[string]struct {
		reason string
		labels []tags.Label
	}{
		"Unclaimed": {reason: "A reserved key that no trusted source claims should be in no item.", labels: labels(1)},
		"Claimed":   {reason: "The trusted value should replace any other one, and no further item get it.", labels: append(labels(1), owner)},
	}

	g := tagstest.NewGolden(t)

	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			s := launchingStamper(v1beta1.CloudTags{}, nil, tc.labels...)
			s.Transformer.Reserve([]string{"owner"}, "ours:", nil)

			desired := launching(template, `{"tagSpecifications": [{"resourceType": "network-interface", "tags": {"ours:owner": "mallory", "OWNER": "mallory", "x": "y"}}, {"resourceType": "elastic-gpu", "tags": {"x": "y"}}]}`)
			check(t, g, tc.reason, s, map[string]*fnv1.Resource{"r": {Resource: desired}})
		})
	}
}
