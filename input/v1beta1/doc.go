// Package v1beta1 is the input of function-cloud-tags.
//
// Crossplane neither installs nor enforces the CRD of a function's input, so
// [Decode] sets the defaults of its schema and enforces it, and its rules.
//
// Each restriction of the input stands in one place:
//
//   - A restriction that a schema can express is a marker in types.go. `go generate` puts it into the CRD.
//   - A restriction on several fields is a rule of the CRD, and schema.go evaluates it.
//   - Only checks that an API server could not make in time, or that need other data, such as the
//     names of tag profiles, are Go code, in checks.go.
//
// metadata.yaml has the schema of metadata. Tests compare the results with the API server's own validation.
//
// +kubebuilder:object:generate=true
package v1beta1
