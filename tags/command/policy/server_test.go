package policy

import (
	"bytes"
	"context"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	admissionv1 "k8s.io/api/admissionregistration/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/util/version"
	"k8s.io/apiserver/pkg/admission"
	"k8s.io/apiserver/pkg/admission/initializer"
	"k8s.io/apiserver/pkg/admission/plugin/cel"
	"k8s.io/apiserver/pkg/admission/plugin/policy/validating"
	"k8s.io/apiserver/pkg/admission/plugin/webhook/matchconditions"
	celconfig "k8s.io/apiserver/pkg/apis/cel"
	"k8s.io/apiserver/pkg/authentication/user"
	"k8s.io/apiserver/pkg/authorization/authorizerfactory"
	"k8s.io/apiserver/pkg/cel/environment"
	"k8s.io/apiserver/pkg/util/compatibility"
	"k8s.io/apiserver/pkg/warning"
	dynamicfake "k8s.io/client-go/dynamic/fake"
	"k8s.io/client-go/informers"
	"k8s.io/client-go/kubernetes/fake"
	"k8s.io/component-base/featuregate"
	"pgregory.net/rapid"
	"sigs.k8s.io/yaml"
)

// decodeManifests decodes what the command prints, strictly, and sets what the API
// server would.
func decodeManifests(tb rapid.TB, text []byte) (*admissionv1.ValidatingAdmissionPolicy, *admissionv1.ValidatingAdmissionPolicyBinding) {
	tb.Helper()

	docs := bytes.Split(text, []byte("\n---\n"))
	if len(docs) != 2 {
		tb.Fatalf("there should be a policy and a binding, but there are %d documents", len(docs))
	}

	policy := &admissionv1.ValidatingAdmissionPolicy{}
	binding := &admissionv1.ValidatingAdmissionPolicyBinding{}

	for i, into := range []any{policy, binding} {
		if err := yaml.UnmarshalStrict(docs[i], into); err != nil {
			tb.Fatal(err)
		}
	}

	gv := admissionv1.SchemeGroupVersion
	types := []schema.GroupVersionKind{policy.GroupVersionKind(), binding.GroupVersionKind()}
	want := []schema.GroupVersionKind{gv.WithKind("ValidatingAdmissionPolicy"), gv.WithKind("ValidatingAdmissionPolicyBinding")}

	if diff := cmp.Diff(want, types); diff != "" {
		tb.Fatalf("there should be a policy and a binding (-want, +got):\n%s", diff)
	}

	policy.Spec.MatchConstraints.NamespaceSelector = &metav1.LabelSelector{}
	policy.Spec.MatchConstraints.ObjectSelector = &metav1.LabelSelector{}

	return policy, binding
}

// A server is as much of the API server as decides about objects: its admission
// plugin, which watches policies and bindings.
type server struct {
	plugin *validating.Plugin
}

// newServer returns a server that has been given the supplied manifests.
func newServer(tb testing.TB, manifests []byte) *server {
	tb.Helper()

	policy, binding := decodeManifests(tb, manifests)
	namespace := &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: "default"}}
	client := fake.NewClientset(policy, binding, namespace)
	factory := informers.NewSharedInformerFactory(client, 0)
	plugin := validating.NewPlugin(nil)

	initializer.New(
		client,
		dynamicfake.NewSimpleDynamicClient(runtime.NewScheme()),
		factory,
		authorizerfactory.NewAlwaysDenyAuthorizer(),
		featuregate.NewFeatureGate(),
		compatibility.DefaultBuildEffectiveVersion(),
		tb.Context().Done(),
		meta.NewDefaultRESTMapper(nil),
	).Initialize(plugin)

	if err := plugin.ValidateInitialization(); err != nil {
		tb.Fatal(err)
	}

	factory.Start(tb.Context().Done())
	factory.WaitForCacheSync(tb.Context().Done())

	return &server{plugin: plugin}
}

// A request to create the object, or to update it if there is an old one.
type request struct {
	resource    schema.GroupVersionResource
	subresource string
	object, old *unstructured.Unstructured
}

func (r *request) attributes() admission.Attributes {
	operation, options, old := admission.Create, runtime.Object(&metav1.CreateOptions{}), runtime.Object(nil)
	if r.old != nil {
		operation, options, old = admission.Update, &metav1.UpdateOptions{}, r.old
	}

	return admission.NewAttributesRecord(r.object, old, r.object.GroupVersionKind(), r.object.GetNamespace(), r.object.GetName(),
		r.resource, r.subresource, operation, options, false, &user.DefaultInfo{Name: "alice"})
}

// A recorder of warnings.
type recorder struct {
	sync.Mutex

	warnings []string
}

func (r *recorder) AddWarning(_, text string) {
	r.Lock()
	defer r.Unlock()

	r.warnings = append(r.warnings, text)
}

// admit returns why the server refuses the request, which is empty if it doesn't, and
// what it warns about.
func (s *server) admit(tb testing.TB, r *request) (refused string, warnings []string) {
	tb.Helper()

	rec := &recorder{}
	ctx, cancel := context.WithTimeout(warning.WithWarningRecorder(tb.Context(), rec), 10*time.Second)

	defer cancel()

	if err := s.plugin.Validate(ctx, r.attributes(), admission.NewObjectInterfacesFromScheme(runtime.NewScheme())); err != nil {
		_, refused, _ = strings.Cut(err.Error(), " denied request: ")
		if refused == "" {
			tb.Fatalf("the server should refuse requests for what the policy says, but does so for: %v", err)
		}
	}

	return refused, rec.warnings
}

// compileFor compiles a policy as the API server of the supplied version does, but
// for the cache that it has. It is an error if anything doesn't compile.
func compileFor(tb rapid.TB, v *version.Version, policy *admissionv1.ValidatingAdmissionPolicy) validating.Validator {
	tb.Helper()

	compiler, err := cel.NewCompositedCompiler(environment.MustBaseEnvSet(v))
	if err != nil {
		tb.Fatal(err)
	}

	vars := cel.OptionalVariableDeclarations{HasAuthorizer: true}
	mustCompile := func(e cel.ExpressionAccessor, vars cel.OptionalVariableDeclarations) {
		tb.Helper()

		if r := compiler.CompileCELExpression(e, vars, environment.NewExpressions); r.Error != nil {
			tb.Fatalf("the API server should compile this: %v\n%s", r.Error, e.GetExpression())
		}
	}

	for _, v := range policy.Spec.Variables {
		e := &validating.Variable{Name: v.Name, Expression: v.Expression}
		if r := compiler.CompileAndStoreVariable(e, vars, environment.NewExpressions); r.Error != nil {
			tb.Fatalf("the API server should compile this: %v\n%s", r.Error, e.GetExpression())
		}
	}

	conditions := make([]cel.ExpressionAccessor, 0, len(policy.Spec.MatchConditions))

	for i := range policy.Spec.MatchConditions {
		e := (*matchconditions.MatchCondition)(&policy.Spec.MatchConditions[i])
		mustCompile(e, vars)

		conditions = append(conditions, e)
	}

	validations := make([]cel.ExpressionAccessor, 0, len(policy.Spec.Validations))
	messages := make([]cel.ExpressionAccessor, 0, len(policy.Spec.Validations))

	for _, v := range policy.Spec.Validations {
		e := &validating.ValidationCondition{Expression: v.Expression, Message: v.Message}
		mustCompile(e, vars)

		validations = append(validations, e)

		m := &validating.MessageExpressionCondition{MessageExpression: v.MessageExpression}
		mustCompile(m, cel.OptionalVariableDeclarations{})

		messages = append(messages, m)
	}

	condition := func(of []cel.ExpressionAccessor, vars cel.OptionalVariableDeclarations) cel.ConditionEvaluator {
		return compiler.CompileCondition(of, vars, environment.NewExpressions)
	}

	fail := admissionv1.Fail

	return validating.NewValidator(
		condition(validations, vars),
		matchconditions.NewMatcher(condition(conditions, vars), &fail, "policy", "validate", policy.Name),
		condition(nil, vars),
		condition(messages, cel.OptionalVariableDeclarations{}),
		&fail,
	)
}

// latest version of the API server that the tests link.
func latest() *version.Version { return environment.DefaultCompatibilityVersion() }

// refusals returns the messages of what a compiled policy has against the supplied
// request.
func refusals(tb rapid.TB, v validating.Validator, r *request) []string {
	tb.Helper()

	attr, err := admission.NewVersionedAttributes(r.attributes(), r.object.GroupVersionKind(), admission.NewObjectInterfacesFromScheme(runtime.NewScheme()))
	if err != nil {
		tb.Fatal(err)
	}

	out := []string{}

	for _, d := range v.Validate(context.Background(), r.resource, attr, nil, nil, celconfig.RuntimeCELCostBudget, nil).Decisions {
		if d.Evaluation == validating.EvalError {
			tb.Fatalf("the policy should come to a decision, but: %s", d.Message)
		}

		if d.Action == validating.ActionDeny {
			out = append(out, d.Message)
		}
	}

	return out
}
