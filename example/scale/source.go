package main

import (
	"fmt"
	"strings"
	"time"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/plexsphere/function-cloud-tags/example/internal/live"
)

// A source of the labels.
type source string

// The sources.
const (
	compositeField   source = "composite-field"
	providerConfig   source = "provider-config"
	requiredResource source = "required-resource"
)

// prefix of labels of objects.
const prefix = "tags.example.org/"

// input of the function.
func (s source) input(ttl time.Duration) string {
	return fmt.Sprintf("ttl: %s\nsources:\n", ttl) + map[source]string{
		compositeField: `
- type: CompositeField
  fromFieldPath: spec.labels
`,
		providerConfig: `
- type: ProviderConfig
  prefix: ` + prefix + `
`,
		requiredResource: `
- type: RequiredResource
  name: account
  resource: {apiVersion: apiextensions.crossplane.io/v1beta1, kind: EnvironmentConfig, name: {value: account}}
  prefix: ` + prefix + `
`,
	}[s]
}

// tags that resources have of labels.
func tagsOf(labels map[string]string) live.Tags {
	tags := make(map[string]string, len(labels))
	for key, value := range labels {
		tags[ours+key] = value
	}

	return live.Always(tags)
}

// ours begins the keys of all tags that the function makes.
const ours = "plexsphere:"

// config of the provider that all resources are made with.
func config(release live.Release) *unstructured.Unstructured {
	o := &unstructured.Unstructured{}
	o.SetAPIVersion("aws.m.upbound.io/v1beta1")
	o.SetKind("ClusterProviderConfig")
	o.SetName("default")

	if release == live.V1 {
		o.SetAPIVersion("aws.upbound.io/v1beta1")
		o.SetKind("ProviderConfig")
	}

	return o
}

// account is an object that has an account's labels, and nothing else.
func account() *unstructured.Unstructured {
	o := &unstructured.Unstructured{}
	o.SetAPIVersion("apiextensions.crossplane.io/v1beta1")
	o.SetKind("EnvironmentConfig")
	o.SetName("account")

	return o
}

// resources that an XR is composed of, of kinds that there are for the release.
func resources(release live.Release, n int) string {
	kinds := []string{
		"apiVersion: s3.aws.m.upbound.io/v1beta1, kind: Bucket",
		"apiVersion: ec2.aws.m.upbound.io/v1beta1, kind: VPC",
		"apiVersion: autoscaling.aws.m.upbound.io/v1beta1, kind: AutoscalingGroup",
	}
	if release == live.V1 {
		kinds = []string{"apiVersion: ec2.aws.upbound.io/v1beta2, kind: Instance"}
	}

	var out strings.Builder
	for i := range n {
		_, _ = fmt.Fprintf(&out, "- name: resource-%d\n  base: {%s, spec: {forProvider: {}}}\n", i, kinds[i%len(kinds)])
	}

	return out.String()
}
