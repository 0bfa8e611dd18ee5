package v1beta1

import (
	_ "embed" // For the CRD.
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"unicode/utf8"

	"cel.dev/cel-go/cel"
	"cel.dev/cel-go/common/types"
	"google.golang.org/protobuf/types/known/structpb"
	"k8s.io/apimachinery/pkg/util/validation/field"
	"sigs.k8s.io/yaml"

	"github.com/crossplane/function-sdk-go/errors"

	"github.com/plexsphere/function-cloud-tags/tags/object"
	"github.com/plexsphere/function-cloud-tags/tags/words"
)

// crd is the CRD of the input without its descriptions.
//
//go:embed cloudtags.fn.plexsphere.com_cloudtags.yaml
var crd []byte

//go:embed metadata.yaml
var metadata []byte

// A schema is the CRD's schema of a value. It has all keywords of the CRD: a test fails if one is
// missing.
type schema struct {
	Type     string          `json:"type"`
	Nullable bool            `json:"nullable"`
	Default  *structpb.Value `json:"default"`
	Rules    []rule          `json:"x-kubernetes-validations"`

	// Keywords for strings and numbers.
	Enum      []string       `json:"enum"`
	Pattern   *regexp.Regexp `json:"pattern"`
	Format    string         `json:"format"`
	MinLength int            `json:"minLength"`
	MaxLength *int           `json:"maxLength"`
	Minimum   *float64       `json:"minimum"`

	// Keywords for lists.
	Items       *schema  `json:"items"`
	MinItems    int      `json:"minItems"`
	MaxItems    *int     `json:"maxItems"`
	ListType    string   `json:"x-kubernetes-list-type"`
	ListMapKeys []string `json:"x-kubernetes-list-map-keys"`

	// Keywords for objects.
	Properties            map[string]*schema `json:"properties"`
	AdditionalProperties  *schema            `json:"additionalProperties"`
	PreserveUnknownFields bool               `json:"x-kubernetes-preserve-unknown-fields"`
	Required              []string           `json:"required"`
	MinProperties         int                `json:"minProperties"`
	MaxProperties         *int               `json:"maxProperties"`

	// checks note mistakes that neither keywords nor rules can find.
	checks []check

	// whole has the checks that need the whole input. If the input extends a standard, they wait until
	// both are joined.
	whole []check
}

// A check notes the mistakes in v, the value at p.
type check func(a *admission, p *field.Path, v self)

// loadSchema reads the schema of the input from the CRD.
var loadSchema = sync.OnceValue(func() *schema {
	def := struct {
		Spec struct {
			Versions []struct {
				Schema struct{ OpenAPIV3Schema *schema }
			}
		}
	}{}
	if err := yaml.Unmarshal(crd, &def); err != nil {
		panic(err) // The binary has what its tests had.
	}

	root := def.Spec.Versions[0].Schema.OpenAPIV3Schema
	if err := yaml.Unmarshal(metadata, root.Properties["metadata"]); err != nil {
		panic(err)
	}

	refine(root)

	return root
})

// empty is the message about too few characters, items or fields: the CRD never asks for more
// than one.
const empty = "must not be empty"

// maxMistakes is how many mistakes an error names.
const maxMistakes = 20

// An admission walks an input along the schema. It sets defaults and collects mistakes, until there are more than an error
// names.
type admission struct {
	mistakes []error

	// ended returns an error once nobody waits for the result any more: then the admission stops, too.
	ended func() error

	// apart says that the input extends a standard, or is one: only both together must obey
	// the rules on the whole input. origins has the origins of the settings of both together.
	apart   bool
	origins *Origins

	// contextKeys has the keys of the pipeline's context that the input reads, each with the
	// path of the first field that reads it.
	contextKeys map[string]string

	// compiled has all expressions of the input, and weight is how many parts they count for in a Decoder.
	compiled compiled
	weight   int

	// rulesCost is what the evaluation of rules has cost so far.
	rulesCost uint64
}

// refuse notes why the value at p is refused. It returns false.
func (a *admission) refuse(p *field.Path, why string) bool {
	a.mistakes = append(a.mistakes, fmt.Errorf("%s: %s", a.origins.where(p.String()), why))
	return false
}

// note a mistake. It returns false.
func (a *admission) note(mistake *field.Error) bool {
	mistake.Field = a.origins.where(mistake.Field)
	a.mistakes = append(a.mistakes, mistake)

	return false
}

// stops reports whether the rest of the input need not be looked at.
func (a *admission) stops() bool { return len(a.mistakes) > maxMistakes || a.ended() != nil }

// err returns the error of ended, or the first mistakes as one error, or nil if there are none. A mistake can name a value of
// any length, and is shortened.
func (a *admission) err() error {
	if err := a.ended(); err != nil {
		return err
	}

	named := words.Map(a.mistakes[:min(len(a.mistakes), maxMistakes)], func(err error) error {
		return errors.New(words.Shorten(err.Error(), words.MaxMessage))
	})
	if len(a.mistakes) > maxMistakes {
		named = append(named, fmt.Errorf("there are more mistakes than these %d", maxMistakes))
	}

	return errors.Join(named...)
}

// value admits v, the value at p. It returns false if v itself is refused, and true if only
// something in it is, or if the admission stops.
func (a *admission) value(p *field.Path, s *schema, v *structpb.Value) bool {
	if a.stops() {
		return true
	}

	if why := s.mismatch(p, v); why != "" {
		return a.refuse(p, why)
	}

	if s.Type == "" {
		return true // It can be anything.
	}

	ok := true

	switch k := v.GetKind().(type) {
	case *structpb.Value_StringValue:
		ok = a.text(p, s, k.StringValue)
	case *structpb.Value_NumberValue:
		if ok = s.Minimum == nil || k.NumberValue >= *s.Minimum; !ok {
			a.note(field.Invalid(p, k.NumberValue, fmt.Sprintf("must be at least %v", *s.Minimum)))
		}
	case *structpb.Value_ListValue:
		ok = a.list(p, s, k.ListValue.GetValues())
	case *structpb.Value_StructValue:
		ok = a.object(p, s, k.StructValue)
	}

	// A refused value may break rules for the same reason.
	if ok && !a.stops() {
		a.rules(p, s, v)

		checks := s.checks
		if !a.apart {
			checks = slices.Concat(checks, s.whole)
		}

		for _, check := range checks {
			check(a, p, self{v})
		}
	}

	return ok || s.Type == "object"
}

func (a *admission) text(p *field.Path, s *schema, text string) bool {
	if len(s.Enum) > 0 && !slices.Contains(s.Enum, text) {
		return a.note(field.NotSupported(p, text, s.choices()))
	}

	switch why := s.refuses(text); {
	case why == "":
		return true
	case text == "":
		return a.refuse(p, why)
	default:
		return a.note(field.Invalid(p, text, why))
	}
}

func (a *admission) list(p *field.Path, s *schema, items []*structpb.Value) bool {
	if len(items) < s.MinItems {
		return a.refuse(p, empty)
	}

	if s.MaxItems != nil && len(items) > *s.MaxItems {
		return a.refuse(p, fmt.Sprintf("must have at most %d items", *s.MaxItems))
	}

	ok := true
	seen := make(map[string]bool, len(items))

	for i, item := range items {
		if a.stops() {
			return true
		}

		if !a.value(p.Index(i), s.Items, item) || s.ListType == "" {
			continue
		}

		// The items of a set are strings. So are the keys of a list of type map.
		keys := append(words.Map(s.ListMapKeys, func(key string) string { return self{item}.text(key) }), item.GetStringValue())

		id := strings.Join(keys, "")

		if seen[id] {
			ok = a.note(field.Duplicate(p.Index(i), id))
		}

		seen[id] = true
	}

	return ok
}

func (a *admission) object(p *field.Path, s *schema, o *structpb.Struct) bool {
	if o.GetFields() == nil {
		o.Fields = make(map[string]*structpb.Value)
	}

	for name, property := range s.Properties {
		if _, there := o.GetFields()[name]; !there && property.Default != nil {
			o.Fields[name] = property.Default
		}
	}

	ok := true

	for _, name := range slices.Sorted(maps.Keys(o.GetFields())) {
		if a.stops() {
			return true
		}

		switch property := s.field(name); {
		case property != nil:
			ok = a.value(p.Child(name), property, o.GetFields()[name]) && ok
		case len(s.Properties) > 0:
			a.mistakes, ok = append(a.mistakes, fmt.Errorf("unknown field %q: %sallowed: %s",
				p.Child(name), words.DidYouMean(name, slices.Sorted(maps.Keys(s.Properties))), s.names())), false
		}
	}

	if why := s.miscounts(len(o.GetFields())); ok && why != "" {
		ok = a.refuse(p, why)
	}

	for _, name := range s.Required {
		if _, there := o.GetFields()[name]; !there {
			ok = a.note(field.Required(p.Child(name), s.Properties[name].choice()))
		}
	}

	return ok
}

// typeNames has the words of messages and of object.KindOf for the types of the schema.
var typeNames = map[string]string{"string": "a string", "boolean": "a boolean", "array": "a list", "object": "an object"}

// mismatch returns why v, the value at p, does not have the schema's type, or an empty string.
func (s *schema) mismatch(p *field.Path, v *structpb.Value) string {
	n, isNumber := v.GetKind().(*structpb.Value_NumberValue)

	switch kind := object.KindOf(v); {
	case object.IsNull(v) && !s.Nullable:
		return "must not be null"
	case object.IsNull(v) || s.Type == "" || kind == typeNames[s.Type]:
		return ""
	case s.Type != "integer":
		return fmt.Sprintf("must be %s, not %s%s", typeNames[s.Type], kind, hint(p, s, v))
	case !isNumber:
		return "must be a 32-bit integer, not " + kind
	case float64(int32(n.NumberValue)) != n.NumberValue:
		return "must be a 32-bit integer, not " + strconv.FormatFloat(n.NumberValue, 'f', -1, 64)
	default:
		return ""
	}
}

// refuses returns what is wrong with a string, or an empty string.
func (s *schema) refuses(text string) string {
	if utf8.RuneCountInString(text) < s.MinLength {
		return empty
	}

	if s.MaxLength != nil && utf8.RuneCountInString(text) > *s.MaxLength {
		return fmt.Sprintf("must have at most %d characters", *s.MaxLength)
	}

	if s.Pattern != nil && !s.Pattern.MatchString(text) {
		return patterns[s.Pattern.String()]
	}

	if s.Format != "" {
		if err := formats[s.Format](text); err != nil {
			return err.Error()
		}
	}

	return ""
}

// field returns the schema of the field with this name, or nil if there is no such field.
func (s *schema) field(name string) *schema {
	if property, ok := s.Properties[name]; ok {
		return property
	}

	if s.PreserveUnknownFields {
		return &schema{}
	}

	return s.AdditionalProperties
}

// names returns the names of the fields that objects may have.
func (s *schema) names() string { return strings.Join(slices.Sorted(maps.Keys(s.Properties)), ", ") }

// miscounts returns what is wrong with the number of fields, or an empty string.
func (s *schema) miscounts(fields int) string {
	switch {
	case s.MaxProperties != nil && fields > *s.MaxProperties && len(s.Properties) > 0:
		return fmt.Sprintf("must have at most %d of %s", *s.MaxProperties, s.names())
	case s.MaxProperties != nil && fields > *s.MaxProperties:
		return fmt.Sprintf("must have at most %d entries", *s.MaxProperties)
	case fields >= s.MinProperties:
		return ""
	case len(s.Properties) > 0:
		return fmt.Sprintf("must have at least %d of %s", s.MinProperties, s.names())
	default:
		return empty
	}
}

// choices returns the strings that are allowed, sorted, or none if all are.
func (s *schema) choices() []string { return slices.Sorted(slices.Values(s.Enum)) }

// choice says which strings are allowed. It is empty if all are.
func (s *schema) choice() string {
	if len(s.Enum) == 0 {
		return ""
	}

	return "one of " + strings.Join(s.choices(), ", ")
}

// hint returns what to write instead, if v at p has the wrong type because of a common mistake, or an empty
// string.
func hint(p *field.Path, s *schema, v *structpb.Value) string {
	text, isText := v.GetKind().(*structpb.Value_StringValue)

	switch {
	case isText && s.Properties["type"] == nil && s.Properties["fromFieldPath"] != nil && looksLikePath(text.StringValue):
		return fmt.Sprintf(": write {fromFieldPath: %s}", text.StringValue)
	case isText && s.Properties["key"] != nil && s.Properties["fromFieldPath"] != nil:
		return fmt.Sprintf(": write {key: %q}", text.StringValue)
	case isText && s.Properties["fromFieldPath"] != nil && s.Properties["value"] != nil && s.Properties["value"].Type == "string":
		return fmt.Sprintf(": write {value: %q}", text.StringValue)
	case v.GetListValue() != nil && p.String() == "metadata":
		return ": the rules that copy Kubernetes metadata are kubernetesMetadata"
	default:
		return ""
	}
}

// looksLikePath reports whether text is likely a path in a composite resource, not a name.
func looksLikePath(text string) bool {
	top, _, ok := strings.Cut(text, ".")
	_, err := object.ParsePath(text)

	return ok && err == nil && slices.Contains([]string{"metadata", "spec", "status"}, top)
}

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
