package stamp

import (
	"strings"
	"testing"

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

// TestCloudRefuses is about tags that the contract admits and the API of the cloud refuses.
func TestCloudRefuses(t *testing.T) {
	const (
		hcloud = "server.hcloud.crossplane.io/v1alpha1 Server"
		nova   = "compute.openstack.m.crossplane.io/v1alpha1 InstanceV2"
		port   = "networking.openstack.m.crossplane.io/v1alpha1 PortV2"
		bucket = "s3.aws.m.upbound.io/v1beta1 Bucket"
		file   = "s3.aws.m.upbound.io/v1beta1 Object"
		vpc    = "ec2.aws.m.upbound.io/v1beta1 VPC"
		other  = "example.org/v1 Thing"
	)

	slashed := func(key, value string) tags.Label {
		return tags.Label{QualifiedKey: "platform/" + key, TagKey: "platform/" + key, Value: value}
	}

	cases := map[string]struct {
		reason string

		rules  profile.Rules
		labels []tags.Label

		// kinds of resources by name, and what spec.forProvider of all is.
		kinds map[string]string
		spec  string

		// input beside that.
		input  string
		remove []resolve.TagKey
	}{
		"Hetzner":    {reason: "Hetzner Cloud refuses every colon.", labels: []tags.Label{label("a", "1"), slashed("b", "2")}, kinds: map[string]string{"server": hcloud}},
		"Nova":       {reason: "Nova refuses every slash, and Neutron none.", labels: []tags.Label{slashed("a", "1"), label("b", "a/b")}, kinds: map[string]string{"server": nova, "port": port}},
		"S3":         {reason: "S3 refuses values that EC2 admits, so that resources are named.", labels: []tags.Label{label("a", "x,y"), label("b", "x y")}, kinds: map[string]string{"bucket": bucket, "vpc": vpc}},
		"All":        {reason: "If all resources of the profile are concerned, none is named.", labels: []tags.Label{label("a", "x,y")}, kinds: map[string]string{"one": bucket, "two": bucket, "thing": other}},
		"Cap":        {reason: "S3 admits ten tags of an object, of which the provider adds three. The last labels are too many.", labels: labels(9), kinds: map[string]string{"object": file}},
		"CapEarlier": {reason: "What earlier steps set counts.", labels: labels(2), kinds: map[string]string{"object": file}, spec: `{"tags": {"1": "", "2": "", "3": "", "4": "", "5": "", "6": ""}}`},
		"Contract":   {reason: "Whoever writes Contract out is told, too.", rules: profile.Contract, labels: []tags.Label{label("a", "1")}, kinds: map[string]string{"server": hcloud}},
		"Cloud":      {reason: "By the rules of the cloud, nothing is written that it refuses.", rules: profile.Cloud, labels: []tags.Label{label("a", "1-"), slashed("b", "2")}, kinds: map[string]string{"server": hcloud}},
		"Retained":   {reason: "A tag that an earlier step set at another value is none of a label.", labels: under(tags.Retain, label("a", "1"), label("b", "2")), kinds: map[string]string{"server": hcloud}, spec: `{"labels": {"ours:a": "0", "ours:b": "2"}}`},
		"Removed":    {reason: "What removeTags takes away is not refused.", labels: []tags.Label{label("a", "1"), label("b", "2")}, kinds: map[string]string{"server": hcloud}, remove: []resolve.TagKey{{Pattern: "ours:a"}}},
		"Skipped":    {reason: "A label that is skipped is not refused, too.", labels: []tags.Label{label("a", strings.Repeat("v", 64))}, kinds: map[string]string{"server": hcloud}},
		"Launched": {
			reason: "What a resource launches has tags that are refused, too.", labels: []tags.Label{label("a", "1")}, kinds: map[string]string{"vm": "ec2.aws.m.upbound.io/v1beta1 Instance"},
			spec:  `{"tags": {"ours:a": "0"}}`,
			input: `, "launchedResources": "Tag", "tagFields": [{"apiVersion": "ec2.aws.*/*", "kind": "*", "provider": "hetzner"}]`,
		},
		"Joined": {
			reason: "So are tags in one string.", labels: []tags.Label{label("a", "1"), {QualifiedKey: "b", TagKey: "b", Value: "2"}}, kinds: map[string]string{"class": "storage.k8s.io/v1 StorageClass"},
			input: `, "tagFields": [{"apiVersion": "storage.k8s.io/*", "kind": "StorageClass", "fieldPath": "parameters.labels", "shape": "Joined", "provider": "hetzner", "joined": {"separator": "=", "delimiter": ","}}]`,
		},
	}

	g := tagstest.NewGolden(t)

	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			in, err := v1beta1.Decode(resource.MustStructJSON(`{"apiVersion": "cloudtags.fn.plexsphere.com/v1beta1", "kind": "CloudTags", "sources": [{"type": "Value", "values": {"a": "1"}}]` + tc.input + `}`))
			if err != nil {
				t.Fatalf("Decode(...): %v", err)
			}

			in.ProfileRules = tc.rules

			desired := make(map[string]*fnv1.Resource)

			for name, of := range tc.kinds {
				apiVersion, kind, _ := strings.Cut(of, " ")

				spec := tc.spec
				if spec == "" {
					spec = "{}"
				}

				desired[name] = &fnv1.Resource{Resource: resource.MustStructJSON(`{"apiVersion": "` + apiVersion + `", "kind": "` + kind + `", "spec": {"forProvider": ` + spec + `}}`)}
			}

			s := &Stamper{
				Finder: target.Finder{
					Input:   in,
					Fields:  func(schemas field.Schemas) field.Locator { return field.ForInput(in, schemas) },
					Schemas: field.Schemas{Of: func(schema.GroupVersionKind) object.Node { return object.Node{} }},
				},
				Transformer: transformer(tc.labels...),
				Remove:      tc.remove,
			}

			out, err := stampAll(s, desired)
			g.Check(t, tc.reason, lines(out, err))
		})
	}
}
