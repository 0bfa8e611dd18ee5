package stamp

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"google.golang.org/protobuf/types/known/structpb"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"sigs.k8s.io/yaml"

	fnv1 "github.com/crossplane/function-sdk-go/proto/v1"

	"github.com/plexsphere/function-cloud-tags/input/v1beta1"
	"github.com/plexsphere/function-cloud-tags/tags"
	"github.com/plexsphere/function-cloud-tags/tags/field"
	"github.com/plexsphere/function-cloud-tags/tags/locate"
	"github.com/plexsphere/function-cloud-tags/tags/object"
	"github.com/plexsphere/function-cloud-tags/tags/profile"
	"github.com/plexsphere/function-cloud-tags/tags/tagstest"
)

const facts = "../field/testdata/facts/"

// A factKind is a version of a kind, and its fields that look like tags.
type factKind struct {
	schema.GroupVersionKind

	fields []factField
}

// A factField is a field that looks like tags.
type factField struct {
	// path of the field, with [] after the name of a list on the way, and its shape.
	path, shape string

	// verdict is default, request or never, or empty for fields of managed resources.
	verdict string
}

// A verdict is a row of counts.tsv.
type verdict struct {
	providers         []string
	kind, path, shape profile.Pattern
	profile           string

	// want is what a tag env=prod becomes, or nil if the field carries no tags.
	want *structpb.Value

	// ask reports whether the input has to ask for the kind.
	ask bool

	line string
	used bool
}

// readFacts returns the kinds of a file of facts by provider and source.
func readFacts(t *testing.T, file string) map[string][]factKind {
	t.Helper()

	var (
		out    = make(map[string][]factKind)
		source string
		fields []factField
		places []schema.GroupVersion
	)

	for _, line := range factLines(t, file) {
		text := strings.TrimLeft(line, " ")

		switch len(line) - len(text) {
		case 0:
			source = text
		case 1:
			fields = factFields(text)
		case 2:
			places = factPlaces(text)
		default:
			for kind := range strings.FieldsSeq(text) {
				for _, gv := range places {
					out[source] = append(out[source], factKind{GroupVersionKind: gv.WithKind(kind), fields: fields})
				}
			}
		}
	}

	return out
}

// factLines are the lines of a file of facts but for comments.
func factLines(t *testing.T, file string) []string {
	t.Helper()

	b := tagstest.ReadFile(t, facts+file)

	return slices.DeleteFunc(strings.Split(string(b), "\n"), func(l string) bool { return l == "" || l[0] == '#' })
}

// factFields reads the fields of kinds, as in .tags map<string> > .tags,.tagsAll; .labels map<string>.
func factFields(text string) (out []factField) {
	if text == "-" {
		return nil
	}

	for s := range strings.SplitSeq(text, "; ") {
		f := factField{}

		for _, v := range []string{"default", "request", "never"} {
			if rest, ok := strings.CutSuffix(s, " "+v); ok {
				s, f.verdict = rest, v
			}
		}

		s, _, _ = strings.Cut(s, " > ")
		f.path, f.shape, _ = strings.Cut(s, " ")

		if strings.HasPrefix(f.path, ".") {
			f.path = "spec.forProvider" + f.path
		}

		out = append(out, f)
	}

	return out
}

// factPlaces reads API groups and versions, as in ec2.aws.[m.]upbound.io v1beta1,v1beta2.
func factPlaces(text string) (out []schema.GroupVersion) {
	for s := range strings.SplitSeq(text, "; ") {
		group, versions, _ := strings.Cut(s, " ")

		for _, g := range slices.Compact([]string{strings.Replace(group, "[m.]", "", 1), strings.Replace(group, "[m.]", "m.", 1)}) {
			for v := range strings.SplitSeq(versions, ",") {
				if g == "core" {
					g = ""
				}

				out = append(out, schema.GroupVersion{Group: g, Version: v})
			}
		}
	}

	return out
}

// readVerdicts returns the rows of counts.tsv.
func readVerdicts(t *testing.T) (out []*verdict) {
	t.Helper()

	for _, line := range factLines(t, "counts.tsv") {
		c := strings.Split(line, "\t")
		if len(c) != 6 {
			t.Fatalf("want six columns in %q", line)
		}

		path := c[2]
		if strings.HasPrefix(path, ".") {
			path = "spec.forProvider" + path
		}

		v := &verdict{
			providers: strings.Split(c[0], ","), profile: c[4], line: line,
			kind: profile.Pattern(c[1]), path: profile.Pattern(path), shape: profile.Pattern(c[3]),
		}
		if c[5] != "-" {
			text, ask := strings.CutPrefix(c[5], "request ")
			v.want, v.ask = &structpb.Value{}, ask

			if err := yaml.Unmarshal([]byte(text), v.want); err != nil {
				t.Fatalf("%q: %s", line, err)
			}
		}

		out = append(out, v)
	}

	return out
}

// A factCase is a kind, and what is to become of a resource of it.
type factCase struct {
	factKind

	// of is the field that counts, with what it is to become, or nil if there is none.
	field   *factField
	verdict *verdict

	// ask reports whether the input has to ask for the kind, and native if the kind is not Crossplane's.
	ask, native bool
}

// caseOf returns what is to become of a resource of k.
func caseOf(t *testing.T, provider string, k factKind, verdicts []*verdict) factCase {
	t.Helper()

	c := factCase{factKind: k}

	for i, f := range k.fields {
		at := slices.IndexFunc(verdicts, func(v *verdict) bool {
			return slices.Contains(v.providers, provider) && v.kind.Matches(k.Group+"/"+k.Kind) && v.path.Matches(f.path) && v.shape.Matches(f.shape)
		})

		if at >= 0 {
			verdicts[at].used = true
		}

		switch {
		case f.verdict == "never" || at < 0 && f.verdict == "" || at >= 0 && verdicts[at].want == nil:
		case at < 0:
			t.Errorf("counts.tsv doesn't say what becomes of %s of %s", f.path, k)
		case c.field == nil || c.ask && f.verdict == "default":
			c.field, c.verdict, c.ask = &k.fields[i], verdicts[at], f.verdict == "request" || verdicts[at].ask
		case f.verdict != "request":
			t.Errorf("both %s and %s of %s count", c.field.path, f.path, k)
		}
	}

	return c
}

// base returns a resource with the objects around all fields of the kind.
func (c *factCase) base(t *testing.T) *structpb.Struct {
	t.Helper()

	apiVersion, kind := c.ToAPIVersionAndKind()
	o := map[string]any{"apiVersion": apiVersion, "kind": kind, "spec": map[string]any{"forProvider": map[string]any{}}}

	// A few kinds of Crossplane have no spec.forProvider, either.
	if c.native || len(c.fields) > 0 && !strings.HasPrefix(c.fields[0].path, "spec.forProvider.") {
		o["spec"] = map[string]any{"name": "x"}
	}

	for _, f := range c.fields {
		within(o, f.path, nil)
	}

	return structOf(t, o)
}

// tagged is such a resource with a tag env=prod in the field that counts, or nil if none does.
func (c *factCase) tagged(t *testing.T) *structpb.Struct {
	t.Helper()

	if c.field == nil {
		return nil
	}

	o := c.base(t).AsMap()
	within(o, c.field.path, c.verdict.want.AsInterface())

	return structOf(t, o)
}

// unasked returns the resource with its tags if the input doesn't ask for the kind, or nil if it stays as it is.
func (c *factCase) unasked(t *testing.T) *structpb.Struct {
	t.Helper()

	if c.ask {
		return nil
	}

	return c.tagged(t)
}

// within makes what is around the field at path, and the field unless it is nil.
func within(o map[string]any, path string, value any) {
	name, rest, more := strings.Cut(path, ".")

	switch list, ok := strings.CutSuffix(name, "[]"); {
	case !more && value != nil:
		o[name] = value
	case !more:
	case ok:
		if o[list] == nil {
			o[list] = []any{map[string]any{}}
		}

		within(o[list].([]any)[0].(map[string]any), rest, value) //nolint:forcetypeassert // We made it.
	default:
		if o[name] == nil {
			o[name] = map[string]any{}
		}

		within(o[name].(map[string]any), rest, value) //nolint:forcetypeassert // We made it.
	}
}

// schema of the kind as its fields say.
func (c *factCase) schema(t *testing.T) object.Node {
	t.Helper()

	s := map[string]any{"type": "object"}

	for _, f := range c.fields {
		at := s
		for name := range strings.SplitSeq(f.path, ".") {
			list, isList := strings.CutSuffix(name, "[]")

			at = child(child(at, "properties"), list)
			if isList {
				at["type"] = "array"
				at = child(at, "items")
			}

			at["type"] = "object"
		}

		shape, notes, _ := strings.Cut(f.shape, " ")
		maps.Copy(at, schemaOfShape(shape, strings.Fields(notes)))
	}

	if !c.native {
		child(child(child(child(s, "properties"), "spec"), "properties"), "forProvider")["type"] = "object"
	}

	return object.FromStruct(structOf(t, s)).Node()
}

// schemaOfShape is the schema of a field of the shape, with notes such as
// listType=set.
func schemaOfShape(shape string, notes []string) map[string]any {
	out := map[string]any{}

	if kind, ok := strings.CutPrefix(shape, "map<"); ok {
		values := map[string]any{"type": strings.TrimSuffix(kind, ">")}
		if kind == "array>" {
			values["items"] = map[string]any{"type": "string"}
		}

		out["type"], out["additionalProperties"] = "object", values

		return out
	}

	out["type"] = "array"
	items := child(out, "items")

	switch fields, ok := strings.CutPrefix(shape, "list{"); {
	case shape == "list<string>":
		items["type"] = "string"
	case shape == "list<map<string>>":
		maps.Copy(items, schemaOfShape("map<string>", nil))
	case ok:
		items["type"] = "object"

		for f := range strings.FieldsFuncSeq(strings.TrimSuffix(fields, "}"), func(r rune) bool { return r == ',' }) {
			name, typ, _ := strings.Cut(f, ":")
			child(child(items, "properties"), name)["type"] = typ
		}
	}

	for _, n := range notes {
		if required, ok := strings.CutPrefix(n, "required="); ok {
			list := []any{}
			for r := range strings.SplitSeq(required, ",") {
				list = append(list, r)
			}

			items["required"] = list
		}

		if kind, ok := strings.CutPrefix(n, "listType="); ok {
			out["x-kubernetes-list-type"] = kind
		}
	}

	return out
}

// child of o, which is made if it isn't there.
func child(o map[string]any, name string) map[string]any {
	if o[name] == nil {
		o[name] = map[string]any{}
	}

	return o[name].(map[string]any) //nolint:forcetypeassert // We made it.
}

func structOf(t *testing.T, o map[string]any) *structpb.Struct {
	t.Helper()

	s, err := structpb.NewStruct(o)
	if err != nil {
		t.Fatal(err)
	}

	return s
}

// jsonOf is the JSON text of o.
func jsonOf(t *testing.T, o *structpb.Struct) string {
	t.Helper()

	b, err := json.Marshal(o.AsMap())
	if err != nil {
		t.Fatal(err)
	}

	return string(b)
}

// An outcome is a target with its result.
type outcome struct {
	*locate.Target
	Result
}

// run stamps a tag env=prod on resources of all cases, by name of the kind.
func run(t *testing.T, cases []factCase, rules []v1beta1.TagField, schemas map[schema.GroupVersionKind]object.Node) map[string]outcome {
	t.Helper()

	desired := make(map[string]*fnv1.Resource, len(cases))
	for i := range cases {
		desired[cases[i].String()] = &fnv1.Resource{Resource: cases[i].base(t)}
	}

	s := &Stamper{
		Finder: locate.Finder{
			Input:          &v1beta1.CloudTags{Sources: make([]v1beta1.Source, 1), TagFields: rules},
			CompositeGroup: "example.org",
			NewLocator: func(schemas field.Schemas) field.Locator {
				r := field.NewOverrides(rules)
				r.Schemas = &schemas
				return field.Chain{r, field.BuiltIn(), schemas, field.ByProfile{}}
			},
			Schemas: field.Schemas{Of: func(k schema.GroupVersionKind) object.Node { return schemas[k] }},
		},
		Transformer: tags.NewTransformer(tags.PropagatingLabelSet{"env": "prod"}.Labels(""), nil),
	}

	targets := targetsOf(s, desired)

	o, err := s.Stamp(t.Context(), targets)
	if err != nil {
		t.Fatal(err)
	}

	out := make(map[string]outcome)
	for _, target := range targets.All {
		out[target.Name] = outcome{Target: target}
	}

	for _, r := range o.Results {
		out[r.Resource] = outcome{Target: out[r.Resource].Target, Result: r}
	}

	return out
}

// check that a resource of the kind is the wanted one, or stayed as it was if want is nil.
func (c *factCase) check(t *testing.T, how string, got outcome, want *structpb.Struct) {
	t.Helper()

	if want, stamped := jsonOf(t, want), jsonOf(t, got.Stamped.Struct()); stamped != want {
		t.Errorf("%s %s %s%s: want %s, got %s", c, how, got.LeftAlone, got.Mismatch, want, stamped)
		return
	}

	if want == nil {
		return
	}

	if got.Profile.Name != c.verdict.profile {
		t.Errorf("%s %s: want the profile %s, got %s", c, how, c.verdict.profile, got.Profile.Name)
	}

	atomic := strings.HasPrefix(c.field.shape, "list") && !strings.Contains(c.field.shape, "listType=set") && !strings.Contains(c.field.shape, "listType=map")
	if got.Field.Atomic != atomic {
		t.Errorf("%s %s: want atomic %t, got %t", c, how, atomic, !atomic)
	}
}

// TestFacts tests all kinds in the tables of facts. The field that counts is tagged, in its shape and by the rules of
// its cloud, and no other field. Without a schema, it is tagged in the same way, or not at all.
func TestFacts(t *testing.T) {
	verdicts := readVerdicts(t)

	for _, file := range []string{"surveyed.txt", "others.txt", "native.txt"} {
		all := readFacts(t, file)

		for _, source := range slices.Sorted(maps.Keys(all)) {
			provider, _, _ := strings.Cut(source, " ")

			t.Run(source, func(t *testing.T) {
				cases := []factCase{}
				for _, k := range all[source] {
					c := caseOf(t, provider, k, verdicts)
					c.native = file == "native.txt"
					cases = append(cases, c)
				}

				checkTotals(t, source, cases)
				checkFacts(t, cases)
			})
		}
	}

	for _, v := range verdicts {
		if !v.used {
			t.Errorf("counts.tsv: no kind has such a field: %s", v.line)
		}
	}
}

// checkTotals checks the number of kinds, and of kinds with a field that counts.
func checkTotals(t *testing.T, source string, cases []factCase) {
	t.Helper()

	kinds, tagged := make(map[schema.GroupKind]bool), make(map[schema.GroupKind]bool)

	for i := range cases {
		kinds[cases[i].GroupKind()] = true
		if cases[i].field != nil {
			tagged[cases[i].GroupKind()] = true
		}
	}

	row := fmt.Sprintf("%s\t%d\t%d", source, len(kinds), len(tagged))
	if !slices.Contains(factLines(t, "totals.tsv"), row) {
		t.Errorf("totals.tsv doesn't have %q", row)
	}
}

// checkFacts checks what becomes of resources of all cases with schemas, without any, and, of
// kinds that have to be asked for, with rules that do.
func checkFacts(t *testing.T, cases []factCase) {
	t.Helper()

	schemas, rules := make(map[schema.GroupVersionKind]object.Node), []v1beta1.TagField{}
	for i := range cases {
		schemas[cases[i].GroupVersionKind] = cases[i].schema(t)
		rules = append(rules, v1beta1.TagField{APIVersion: profile.Pattern(cases[i].GroupVersion().String()), Kind: profile.Pattern(cases[i].Kind)})
	}

	without, with := run(t, cases, nil, nil), run(t, cases, nil, schemas)

	tagged, unsure := 0, 0

	for i := range cases {
		c := &cases[i]
		want := c.unasked(t)

		c.check(t, "with its schema", with[c.String()], want)

		if with[c.String()].NoFieldReason.IsUnknown() {
			t.Errorf("%s: its schema says that it has no tag field, but nobody knows", c)
		}

		if want != nil {
			tagged++
		}

		if got := without[c.String()]; want != nil && got.Stamped.IsZero() && got.NoFieldReason.IsUnknown() {
			unsure++
		} else {
			c.check(t, "without a schema", got, want)
		}
	}

	t.Logf("%d kinds, %d tagged, %d of them only with schemas", len(cases), tagged, unsure)

	if slices.ContainsFunc(cases, func(c factCase) bool { return c.ask || c.native }) {
		asked := run(t, cases, rules, schemas)
		for i := range cases {
			if cases[i].ask || cases[i].native {
				cases[i].check(t, "with a rule", asked[cases[i].String()], cases[i].tagged(t))
			}
		}
	}
}
