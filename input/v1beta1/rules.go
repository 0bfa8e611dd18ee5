package v1beta1

import (
	"strings"
	"sync"

	"cel.dev/cel-go/cel"
	"cel.dev/cel-go/common/types"
	"google.golang.org/protobuf/types/known/structpb"
	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/crossplane/function-sdk-go/errors"
)

// maxRulesCost is how much all rules of an input may cost, in cel-go's units. An API server allows as much
// for a single evaluation (PerCallLimit in k8s.io/apiserver/pkg/apis/cel). It takes about a second, and is
// enough for 10,000 sources.
const maxRulesCost = 1_000_000

// A rule of the CRD, which all values of a schema must obey.
type rule struct {
	Condition condition `json:"rule"`
	Message   string    `json:"message"`

	// FieldPath is the field that breaks the rule, below the value, e.g. .policy. It is empty
	// if the value itself does.
	FieldPath string `json:"fieldPath"`
}

// path returns the path of the field that breaks the rule, in the value at the path value.
func (r *rule) path(value *field.Path) *field.Path {
	for _, name := range strings.Split(r.FieldPath, ".")[1:] {
		value = value.Child(name)
	}

	return value
}

// A condition is the CEL expression of a rule. It reads the value as self.
type condition struct{ cel.Program }

// ruleEnvironment compiles conditions. The type of self differs from rule to rule.
var ruleEnvironment = sync.OnceValues(func() (*cel.Env, error) { return cel.NewEnv(cel.Variable("self", cel.DynType)) })

// UnmarshalText compiles a condition.
func (c *condition) UnmarshalText(text []byte) error {
	env, err := ruleEnvironment()
	if err != nil {
		return err
	}

	compiled, issues := env.Compile(string(text))
	if issues.Err() != nil {
		return errors.Wrapf(issues.Err(), "rule %s", text)
	}

	c.Program, err = env.Program(compiled, cel.CostLimit(maxRulesCost))

	return err
}

// holds reports whether v meets the condition, and what the evaluation has cost. A condition that can't be
// evaluated, e.g. because it costs too much, does not hold.
func (c *condition) holds(v *structpb.Value) (ok bool, cost uint64) {
	out, details, err := c.Eval(map[string]any{"self": v})
	if n := details.ActualCost(); n != nil {
		cost = *n
	}

	return err == nil && out == types.True, cost
}

// rules notes each rule of s that v, the value at p, breaks. Rules at the root are about the whole input.
func (a *admission) rules(p *field.Path, s *schema, v *structpb.Value) {
	if a.apart && p == nil {
		return
	}

	for _, r := range s.Rules {
		if a.rulesCost > maxRulesCost {
			return
		}

		ok, cost := r.Condition.holds(v)
		if !ok {
			a.refuse(r.path(p), r.Message)
		}

		if a.rulesCost += cost; a.rulesCost > maxRulesCost {
			a.refuse(p, "the input is too large: from here on its rules are not checked")
		}
	}
}
