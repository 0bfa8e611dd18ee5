package field

import (
	"slices"
	"strings"

	"github.com/plexsphere/function-cloud-tags/tags/object"
	"github.com/plexsphere/function-cloud-tags/tags/words"
)

// A Controller manages cloud resources, but is not a provider of Crossplane. It leaves an object alone if the field at Path has the
// Value. For example, ACK leaves a Bucket alone if the annotation services.k8s.aws/read-only is "true".
type Controller struct {
	Path  object.Path
	Value string

	// domain is the suffix of the controller's API groups, such as .services.k8s.aws.
	domain string
}

// The controllers are ACK, Azure Service Operator (.azure.com) and the OpenStack Resource Controller (.k-orc.cloud).
var controllers = []Controller{
	{domain: ".services.k8s.aws", Path: object.MustParsePath("metadata.annotations[services.k8s.aws/read-only]"), Value: "true"},
	{domain: ".azure.com", Path: object.MustParsePath("metadata.annotations[serviceoperator.azure.com/reconcile-policy]"), Value: "skip"},
	{domain: ".k-orc.cloud", Path: object.MustParsePath("spec.managementPolicy"), Value: "unmanaged"},
}

// pausingAnnotations are annotations that pause Config Connector (cnrm), Cluster API and Hive. A paused controller writes tags later, so this
// function still manages the tags of the object.
var pausingAnnotations = []string{"cnrm.cloud.google.com/reconcile-interval-in-seconds", "cluster.x-k8s.io/paused", "hive.openshift.io/reconcile-pause"}

// steeringDomains are domains of labels and annotations that steer the controllers of native families: orders of people, and notes of the
// controllers themselves. Cluster API's own domain, cluster.x-k8s.io, isn't here, nor is kubernetes.io: Cluster API hands their labels on to
// nodes.
var steeringDomains = []string{
	// ACK: adoption-policy, deletion-policy, region and owner-account-id of services.k8s.aws. The AWS Load Balancer Controller:
	// gateway.k8s.aws/dry-run, elbv2.k8s.aws/checkpoint. Karpenter: karpenter.k8s.aws/ec2nodeclass-hash.
	"k8s.aws",
	// The NodeClass of EKS Auto Mode: nodeclass-hash. A ServiceAccount: role-arn.
	"eks.amazonaws.com",
	// Azure Service Operator: credential-from, poller-resume-id.
	"serviceoperator.azure.com",
	// Config Connector: project-id, deletion-policy, state-into-spec; alpha.cnrm.cloud.google.com/reconciler.
	"cnrm.cloud.google.com",
	// Karpenter: karpenter.sh/do-not-disrupt, karpenter.azure.com/aksnodeclass-hash and their like.
	"karpenter.sh", "karpenter.azure.com", "karpenter.k8s.gcp",
	// Cluster API's providers for AWS and Azure: cluster-api-provider-aws-last-applied-tags, by which they take tags out of the cloud.
	"sigs.k8s.io",
	// HyperShift: control-plane-operator-image, an image to run. Hive: protected-delete.
	"hypershift.openshift.io", "hive.openshift.io",
	// The OpenStack Resource Controller, which has finalizers and field managers of its domain so far.
	"k-orc.cloud",
	// OCI Service Operator: loadbalancer.oracle.com/load-balancer-id, the resource in the cloud that an object stands for.
	"oracle.com",
}

// ControllerOf returns the controller of an API group, such as ACK for s3.services.k8s.aws. It returns false if the group has none.
func ControllerOf(group string) (Controller, bool) {
	for _, c := range controllers {
		if strings.HasSuffix(group, c.domain) {
			return c, true
		}
	}

	return Controller{}, false
}

// StopsController reports whether an annotation with this key can stop or pause the controller of an object, as
// cluster.x-k8s.io/paused does.
func StopsController(key string) bool {
	path := "metadata.annotations[" + key + "]"
	isPathOf := func(c Controller) bool { return c.Path.String() == path }

	return slices.Contains(pausingAnnotations, key) || slices.ContainsFunc(controllers, isPathOf)
}

// SteersController reports whether a label or an annotation with this key can steer, stop or pause the controller of an object, as
// services.k8s.aws/region does.
func SteersController(key string) bool {
	domain := object.KeyDomain(key)
	isOfDomain := func(steering string) bool { return object.IsDomainOf(domain, steering) }

	return StopsController(key) || slices.ContainsFunc(steeringDomains, isOfDomain)
}

// LeaveAlonePaths returns the paths of all fields that can tell a provider or controller to leave a resource alone, such as
// spec.managementPolicies. The annotation that makes this function ignore a resource isn't among these fields: no provider or controller
// reads it.
func LeaveAlonePaths() []object.Path {
	return append(words.Map(controllers, func(c Controller) object.Path { return c.Path }), object.MustParsePath("spec.managementPolicies"))
}
