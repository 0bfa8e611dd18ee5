package policy

import (
	"bytes"
	"context"
	"slices"
	"strings"

	"github.com/google/go-cmp/cmp"
	admissionv1 "k8s.io/api/admissionregistration/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/util/version"
	"k8s.io/apiserver/pkg/admission"
	"k8s.io/apiserver/pkg/admission/plugin/cel"
	"k8s.io/apiserver/pkg/admission/plugin/webhook/matchconditions"
	"k8s.io/apiserver/pkg/admission/plugin/webhook/predicates/rules"
	celconfig "k8s.io/apiserver/pkg/apis/cel"
	"k8s.io/apiserver/pkg/authentication/user"
	apiservercel "k8s.io/apiserver/pkg/cel"
	"k8s.io/apiserver/pkg/cel/environment"
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
	kinds := []schema.GroupVersionKind{policy.GroupVersionKind(), binding.GroupVersionKind()}
	want := []schema.GroupVersionKind{gv.WithKind("ValidatingAdmissionPolicy"), gv.WithKind("ValidatingAdmissionPolicyBinding")}

	if diff := cmp.Diff(want, kinds); diff != "" {
		tb.Fatalf("there should be a policy and a binding (-want, +got):\n%s", diff)
	}

	policy.Spec.MatchConstraints.NamespaceSelector = &metav1.LabelSelector{}
	policy.Spec.MatchConstraints.ObjectSelector = &metav1.LabelSelector{}

	return policy, binding
}

// A server is the part of the API server that decides about objects: its rules and its CEL. The live tests of example/ show that the whole
// API server decides in the same way.
type server struct {
	policy   *admissionv1.ValidatingAdmissionPolicy
	binding  *admissionv1.ValidatingAdmissionPolicyBinding
	compiled *compiled
}

// newServer returns a server that has the policy and the binding in the manifests.
func newServer(tb rapid.TB, manifests []byte) *server {
	tb.Helper()

	policy, binding := decodeManifests(tb, manifests)
	if binding.Spec.PolicyName != policy.GetName() {
		tb.Fatalf("the binding is of the policy %q, not of %q", binding.Spec.PolicyName, policy.GetName())
	}

	return &server{policy: policy, binding: binding, compiled: compileFor(tb, latest(), policy)}
}

// admit returns why the server refuses the request, which is empty if it doesn't, and
// what it warns about.
func (s *server) admit(tb rapid.TB, r *request) (refused string, warnings []string) {
	tb.Helper()

	if !s.matches(r) {
		return "", nil
	}

	if m := s.binding.Spec.MatchResources; m != nil {
		selector, err := metav1.LabelSelectorAsSelector(m.ObjectSelector)
		if err != nil {
			tb.Fatal(err)
		}

		if !selector.Matches(labels.Set(r.object.GetLabels())) && (r.old == nil || !selector.Matches(labels.Set(r.old.GetLabels()))) {
			return "", nil
		}
	}

	messages := refusals(tb, s.compiled, r)

	for _, action := range s.binding.Spec.ValidationActions {
		switch {
		case action == admissionv1.Warn:
			warnings = messages
		case action == admissionv1.Deny && len(messages) > 0:
			refused = messages[0]
		}
	}

	return refused, warnings
}

// matches reports whether the constraints of the policy match the request.
func (s *server) matches(r *request) bool {
	attr := r.attributes()

	return slices.ContainsFunc(s.policy.Spec.MatchConstraints.ResourceRules, func(rule admissionv1.NamedRuleWithOperations) bool {
		return (&rules.Matcher{Rule: rule.RuleWithOperations, Attr: attr}).Matches()
	})
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

// An expression of a policy, and the types that it may have. T is the API server's own type of types, so that nothing here needs its module
// of CEL.
type expression[T any] struct {
	name, text string
	types      []T
}

func newExpression[T any](name, text string, types ...T) expression[T] {
	return expression[T]{name, text, types}
}

func (e expression[T]) GetName() string       { return e.name }
func (e expression[T]) GetExpression() string { return e.text }
func (e expression[T]) ReturnTypes() []T      { return e.types }

// A compiled policy.
type compiled struct {
	conditions            matchconditions.Matcher
	validations, messages cel.ConditionEvaluator

	// fallback is the message of each validation whose expression comes to none.
	fallback []string
}

// vars are the variables that the API server itself gives to expressions.
var vars = cel.OptionalVariableDeclarations{HasAuthorizer: true}

// compileFor compiles a policy as the API server of the version does, but without its cache. A variable that doesn't compile fails the
// test, and any other expression fails the evaluation.
func compileFor(tb rapid.TB, v *version.Version, policy *admissionv1.ValidatingAdmissionPolicy) *compiled {
	tb.Helper()

	compiler, err := cel.NewCompositedCompiler(environment.MustBaseEnvSet(v))
	if err != nil {
		tb.Fatal(err)
	}

	for _, v := range policy.Spec.Variables {
		variable := newExpression(v.Name, v.Expression, apiservercel.AnyType.CelType(), apiservercel.DynType.CelType())
		if r := compiler.CompileAndStoreVariable(variable, vars, environment.NewExpressions); r.Error != nil {
			tb.Fatalf("the API server should compile this: %v\n%s", r.Error, v.Expression)
		}
	}

	var conditions, validations, messages []cel.ExpressionAccessor

	for i := range policy.Spec.MatchConditions {
		conditions = append(conditions, (*matchconditions.MatchCondition)(&policy.Spec.MatchConditions[i]))
	}

	for _, v := range policy.Spec.Validations {
		if v.MessageExpression == "" {
			v.MessageExpression = "''" // None comes to none.
		}

		validations = append(validations, newExpression("", v.Expression, apiservercel.BoolType.CelType()))
		messages = append(messages, newExpression("", v.MessageExpression, apiservercel.StringType.CelType()))
	}

	fail := admissionv1.Fail
	out := &compiled{
		conditions:  matchconditions.NewMatcher(compiler.CompileCondition(conditions, vars, environment.NewExpressions), &fail, "policy", "validate", policy.Name),
		validations: compiler.CompileCondition(validations, vars, environment.NewExpressions),
		messages:    compiler.CompileCondition(messages, cel.OptionalVariableDeclarations{}, environment.NewExpressions),
	}

	for _, v := range policy.Spec.Validations {
		out.fallback = append(out.fallback, v.Message)
	}

	return out
}

// latest version of the API server that the tests link.
func latest() *version.Version { return environment.DefaultCompatibilityVersion() }

// matches reports whether the conditions of the policy match the request.
func (c *compiled) matches(tb rapid.TB, r *request) bool {
	tb.Helper()

	match := c.conditions.Match(context.Background(), r.versioned(tb), nil, nil)
	if match.Error != nil {
		tb.Fatalf("the policy should know what it is for, but: %v", match.Error)
	}

	return match.Matches
}

// versioned attributes of the request.
func (r *request) versioned(tb rapid.TB) *admission.VersionedAttributes {
	tb.Helper()

	attr, err := admission.NewVersionedAttributes(r.attributes(), r.object.GroupVersionKind(), admission.NewObjectInterfacesFromScheme(runtime.NewScheme()))
	if err != nil {
		tb.Fatal(err)
	}

	return attr
}

// refusals returns the messages by which the compiled policy refuses the request.
func refusals(tb rapid.TB, c *compiled, r *request) []string {
	tb.Helper()

	attr, out := r.versioned(tb), []string{}

	if !c.matches(tb, r) {
		return out
	}

	evaluate := func(e cel.ConditionEvaluator, budget int64) ([]cel.EvaluationResult, int64) {
		results, left, err := e.ForInput(context.Background(), attr, cel.CreateAdmissionRequest(attr, metav1.GroupVersionResource(r.resource), metav1.GroupVersionKind(attr.VersionedKind)), cel.OptionalVariableBindings{}, nil, budget)
		if err != nil {
			tb.Fatalf("the policy should come to a decision, but: %v", err)
		}

		for _, r := range results {
			if r.Error != nil {
				tb.Fatalf("the policy should come to a decision, but: %v", r.Error)
			}
		}

		return results, left
	}

	validations, left := evaluate(c.validations, celconfig.RuntimeCELCostBudget)
	messages, _ := evaluate(c.messages, left)

	for i, v := range validations {
		if v.EvalResult.Value() != true {
			message, _ := messages[i].EvalResult.Value().(string)

			// The API server takes no other.
			if message == "" || len(message) > celconfig.MaxEvaluatedMessageExpressionSizeBytes || strings.Contains(message, "\n") {
				message = c.fallback[i]
			}

			out = append(out, message)
		}
	}

	return out
}
