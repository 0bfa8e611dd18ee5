// Package v1beta1 is the input of function-cloud-tags.
//
// Crossplane neither installs nor enforces the CRD of a function's input, so
// [Decode] sets the defaults of its schema and enforces it, and its rules.
//
// +kubebuilder:object:generate=true
// +groupName=cloudtags.fn.plexsphere.com
// +versionName=v1beta1
package v1beta1
