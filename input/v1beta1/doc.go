// Package v1beta1 is the input of function-cloud-tags.
//
// Crossplane neither installs nor enforces the CRD of a function's input, so
// [Decode] sets the defaults of its schema and enforces it, and its rules.
//
// What an input may be is said once. What a schema can say is a marker in types.go, which
// `go generate` puts into the CRD. What is about several fields is a rule of the CRD, too:
// rules.go evaluates these as they are. Only what an API server could not check in time, or
// what depends on what else there is, like the names of tag profiles, is Go, in checks.go.
// What metadata may have is in metadata.yaml. Tests compare the outcome with the API
// server's own validation.
//
// +kubebuilder:object:generate=true
package v1beta1
