// Package crd is what the CRD of the input is made of. Kubernetes' own types of what all objects
// have are a tenth of a binary, so only this package has them, and no command imports it.
//
// +groupName=cloudtags.fn.plexsphere.com
// +versionName=v1beta1
package crd

import (
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/plexsphere/function-cloud-tags/input/v1beta1"
)

// CloudTags tells the function which labels to turn into cloud tags, and where to
// write them.
//
// +kubebuilder:validation:XValidation:rule="has(self.extends) || has(self.sources) || has(self.removeTags) || has(self.ignoreTags) || has(self.kubernetesMetadata) || has(self.tagPolicy) || has(self.coverage)",message="at least one of extends, sources, removeTags, ignoreTags, kubernetesMetadata, tagPolicy and coverage is required",fieldPath=".sources"
// +kubebuilder:validation:XValidation:rule="has(self.extends) || !has(self.tagPolicy) || has(self.tagPolicy.rules)",message="is required unless extends names a standard that has rules",fieldPath=".tagPolicy.rules"
// +kubebuilder:storageversion
// +kubebuilder:resource:categories=crossplane
type CloudTags struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata,omitempty"`

	v1beta1.CloudTags `json:",inline"`
}
