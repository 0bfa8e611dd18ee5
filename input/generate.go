// Package input holds the versions of the function's input.
package input

//go:generate go run -C ../.ci/tools/controller-gen sigs.k8s.io/controller-tools/cmd/controller-gen paths=../../../input/... object crd output:crd:artifacts:config=../../../package/input
//go:generate go run -C ../.ci/tools/controller-gen sigs.k8s.io/controller-tools/cmd/controller-gen paths=../../../input/... crd:maxDescLen=0 output:crd:artifacts:config=../../../input/v1beta1
//go:generate go test ./v1beta1 -run ^(TestQuoted|TestEditorSchema|TestFieldsTable)$ -update
