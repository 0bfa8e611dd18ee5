package expression_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"google.golang.org/protobuf/types/known/structpb"

	"github.com/plexsphere/function-cloud-tags/tags/budget"
	"github.com/plexsphere/function-cloud-tags/tags/expression"
	"github.com/plexsphere/function-cloud-tags/tags/object"
	"github.com/plexsphere/function-cloud-tags/tags/tagstest"
	"github.com/plexsphere/function-cloud-tags/tags/words"
)

// A scene is what expressions read.
type scene struct {
	XR       *structpb.Struct `json:"xr"`
	Context  *structpb.Struct `json:"context"`
	Required *structpb.Struct `json:"required"`
	Name     string           `json:"name"`
	Desired  *structpb.Struct `json:"desired"`
	Observed *structpb.Struct `json:"observed"`

	composite object.Object // The bytes of XR, which may be large.
}

func (s *scene) call(ctx context.Context) *expression.Call {
	if s.composite.IsZero() {
		s.composite = object.FromStruct(s.XR)
	}

	c := expression.NewCall(ctx, budget.New(budget.MaxResponse), s.composite, s.Context)

	for source, v := range s.Required.GetFields() {
		if list := v.GetListValue(); list != nil {
			c.SetRequiredList(source, words.Map(list.GetValues(), func(v *structpb.Value) object.Object { return object.FromStruct(v.GetStructValue()) }))
		} else {
			c.SetRequired(source, object.FromStruct(v.GetStructValue()))
		}
	}

	c.For(s.Name, object.FromStruct(s.Desired), object.FromStruct(s.Observed))

	return c
}

// tell returns what the expression text evaluates to.
func tell(tb testing.TB, c *expression.Call, text string) string {
	tb.Helper()

	return tellAs(tb, c, text, expression.Label)
}

// tellAs is tell for a value of the type.
func tellAs(tb testing.TB, c *expression.Call, text string, result expression.ValueType) string {
	tb.Helper()

	e, err := expression.Compile(text, result)
	if err != nil {
		tb.Fatalf("Compile(%q): %v", text, err)
	}

	v, err := c.Evaluate(e)

	if absent := (*expression.AbsentError)(nil); errors.As(err, &absent) {
		return "absent: " + err.Error()
	}

	if overrun := (*expression.OverrunError)(nil); errors.As(err, &overrun) {
		return "overrun: " + err.Error()
	}

	if err != nil {
		return "error: " + err.Error()
	}

	return fmt.Sprintf("%s %v", object.KindOf(v), v.AsInterface())
}

// TestEvaluate evaluates the expressions of testdata/evaluate.yaml.
func TestEvaluate(t *testing.T) {
	file := struct {
		scene

		Cases []struct {
			Name        string   `json:"name"`
			Reason      string   `json:"reason"`
			Expressions []string `json:"expressions"`
			New         bool     `json:"new"` // Nothing is observed.
		} `json:"cases"`
	}{}
	tagstest.ReadYAML(t, "testdata/evaluate.yaml", &file)

	g := tagstest.NewGolden(t)

	for _, tc := range file.Cases {
		t.Run(tc.Name, func(t *testing.T) {
			s := file.scene
			if tc.New {
				s.Observed = nil
			}

			got := make([]string, len(tc.Expressions))

			for i, text := range tc.Expressions {
				got[i] = text + " → " + tell(t, s.call(t.Context()), text)
			}

			g.Check(t, tc.Reason, got)
		})
	}
}

// large is a composite resource of about so many bytes.
func large(size int) *structpb.Struct {
	const item = 100

	list, keyed, texts := &structpb.ListValue{}, &structpb.Struct{Fields: make(map[string]*structpb.Value)}, &structpb.Struct{Fields: make(map[string]*structpb.Value)}
	for i := range size / item {
		keyed.Fields[fmt.Sprintf("k%d", i)] = structpb.NewNullValue()
		texts.Fields[fmt.Sprintf("k%d", i)] = structpb.NewStringValue("")
		list.Values = append(list.Values, structpb.NewStringValue(fmt.Sprintf("%0*d", item, i)))
	}

	return &structpb.Struct{Fields: map[string]*structpb.Value{
		"list": structpb.NewListValue(list),
		"text": structpb.NewStringValue(strings.Repeat("a", size)),
		"map":  structpb.NewStructValue(keyed),
		"secret": structpb.NewStructValue(&structpb.Struct{Fields: map[string]*structpb.Value{
			"apiVersion": structpb.NewStringValue("v1"), "kind": structpb.NewStringValue("Secret"), "type": structpb.NewStringValue("Opaque"),
			"metadata": structpb.NewStructValue(&structpb.Struct{Fields: map[string]*structpb.Value{"annotations": structpb.NewStructValue(texts)}}),
		}}),
		"same": structpb.NewListValue(&structpb.ListValue{Values: []*structpb.Value{structpb.NewListValue(list), structpb.NewListValue(list)}}),
	}}
}

// hostile expressions want all of a processor or of memory, with an XR of 1 MB.
func hostile(tb testing.TB) map[string]string {
	tb.Helper()

	out := map[string]string{
		"FormatNested":   "'%s'.format([" + strings.Repeat("[", 4) + "xr" + strings.Repeat("].map(a, [a, a, a, a, a, a, a, a])", 4) + "])",
		"EqualDeep":      "[xr]" + strings.Repeat(".map(a, [a, a, a, a, a, a, a, a])", 7) + " == [xr]" + strings.Repeat(".map(a, [a, a, a, a, a, a, a, a])", 7),
		"RegularNothing": "regex.replace(xr.text, '(b?)', '" + strings.Repeat(`\\1`, 2500) + "')",
		"Doubled":        "[[1]]" + strings.Repeat(".map(a, a + a + a + a)", 14) + "[0].size()",
		"DoubledInError": "dyn('a')[dyn([1]" + strings.Repeat(".map(a, [a, a, a, a, a, a, a, a])", 7) + ")]",
		"DoubledObject":  "dyn([1]" + strings.Repeat(".map(a, {'a': a, 'b': a, 'c': a, 'd': a, 'e': a, 'f': a, 'g': a, 'h': a})", 7) + ") == dyn(1)",
		"DoubledText":    "[xr.text.substring(0, 1000)]" + strings.Repeat(".map(a, a + a + a + a)", 14) + "[0]",
	}

	tagstest.ReadYAML(tb, "testdata/hostile.yaml", &out)

	return out
}

// TestHostile evaluates expressions that want too much, for each type of value. Each should end soon, by a failure that says so.
func TestHostile(t *testing.T) {
	s := &scene{XR: large(1 << 20), Name: "bucket"}

	// wraps has an expression of each type that first evaluates another one.
	wraps := map[expression.ValueType]string{
		expression.Label: "%s", expression.Text: "dyn(%s) == dyn(1) ? 'a' : 'b'", expression.Labels: "dyn(%s) == dyn(1) ? {'a': 'b'} : {}", expression.Patterns: "dyn(%s) == dyn(1) ? ['a'] : []",
	}

	for name, text := range hostile(t) {
		t.Run(name, func(t *testing.T) {
			for result, wrap := range wraps {
				if name == "Result" && result != expression.Label {
					continue // Only as the value itself it costs much.
				}

				text := fmt.Sprintf(wrap, text)
				c := s.call(t.Context())
				began := time.Now()

				got := tellAs(t, c, text, result)
				if !strings.HasPrefix(got, "overrun: ") && !strings.Contains(got, "regular expression") {
					t.Errorf("\nWhat costs too much should end by a failure that says so.\n%s: %s", text, got)
				}

				// On an idle processor it takes a tenth.
				if took := time.Since(began); took > 3*time.Second && !tagstest.Race { // The race detector makes evaluations ten times slower.
					t.Errorf("\nWhat costs too much should end soon.\n%s: took %s", text, took)
				}
			}
		})
	}
}

// TestCallLimit proves that all expressions of a call have a limit together: after as many evaluations each time.
func TestCallLimit(t *testing.T) {
	const text = "the expressions of a call cost too much together: they end after 20,000,000 steps"

	for reason, expr := range map[string]string{
		"A call should end after many evaluations that each are cheap enough.": "xr.list.all(a, xr.list.exists(b, b != a))",
		"An item for each resource should not be sorted for 10,000 of them.":   "xr.list.sort()[0] + name",
		"One expression of the name may be for 10,000 resources.":              "name + '-' + xr.metadata.name.lowerAscii()",
		"One with 100 texts for each resource may not.":                        "lists.range(100).map(i, name + string(i)).join('-')",
	} {
		e, err := expression.Compile(expr, expression.Label)
		if err != nil {
			t.Fatal(err)
		}

		ends := func() int {
			xr := large(1 << 16)
			xr.Fields["metadata"] = structpb.NewStructValue(&structpb.Struct{Fields: map[string]*structpb.Value{"name": structpb.NewStringValue("Shop")}})
			c := (&scene{XR: xr}).call(t.Context())

			for n := range 10_000 {
				c.For(fmt.Sprintf("bucket-%d", n), object.Object{}, object.Object{})

				if _, err := c.Evaluate(e); err != nil {
					if err.Error() != text {
						t.Errorf("\n%s\nEvaluate(...): %v", reason, err)
					}

					return n
				}
			}

			return 10_000
		}

		n := ends()
		if all := strings.HasPrefix(reason, "One expression"); n < 10 || (n == 10_000) != all || n != ends() {
			t.Errorf("\n%s\nIt ends after %d evaluations.", reason, n)
		}
	}
}

// TestContext proves that an evaluation ends with its context.
func TestContext(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	c := (&scene{XR: large(1 << 18)}).call(ctx)

	cancel()

	e, err := expression.Compile("xr.list.all(a, xr.list.all(b, xr.list.all(c, true)))", expression.Label)
	if err != nil {
		t.Fatal(err)
	}

	if _, err := c.Evaluate(e); !errors.Is(err, context.Canceled) {
		t.Errorf("Evaluate(...): want the context's error, got %v", err)
	}
}

// FuzzExpression evaluates any text with any composite resource.
func FuzzExpression(f *testing.F) {
	xr := `{"metadata": {"name": "a", "labels": {"env": "PROD"}}, "spec": {"n": 1, "f": 1.5, "list": ["a", {"b": null}], "big": 1e300}}`

	for _, text := range hostile(f) {
		f.Add(text, xr)
	}

	for _, text := range unchecked() {
		f.Add(text, xr)
	}

	for _, text := range []string{
		"xr.metadata.name + '-' + name", "xr.metadata.labels['env'].lowerAscii()", "xr.spec.list[?5].orValue(name)", "observed.?status.arn", "desired.spec",
		"'%s %d %.3f %x'.format([name, xr.spec.n, xr.spec.f, name])", "regex.replace(name, '(a)', r'\\1\\1')", "xr.spec.list.map(a, string(a))", "optional.none()", "-0.0", "1u", "xr.spec.f / 0.0",
		"xr.spec.map(k, k).join()", "{'a': 1, 'b': 2, 'c': 3}.map(k, k).join()", "required.a.b", "context.c", "xr.spec.list.sortBy(a, string(a))[0]", "name.matches('(')", "[1, 2].flatten(100)", "type(xr) == map", "dyn(1) + 'a'", "{}.a", "timestamp(name)",
	} {
		f.Add(text, xr)
	}

	f.Fuzz(func(t *testing.T, text, xr string) {
		s := &structpb.Struct{}
		if err := s.UnmarshalJSON([]byte(xr)); err != nil {
			t.Skip()
		}

		e, err := expression.Compile(text, expression.Label)
		if err != nil {
			if !strings.Contains(err.Error(), ": ") {
				t.Errorf("Compile(%q): want an error that says where, got %v", text, err)
			}

			return
		}

		began := time.Now()
		reads := &scene{XR: s, Context: s, Required: s, Name: "bucket", Desired: s, Observed: s}

		first, err := reads.call(t.Context()).Evaluate(e)
		second, again := reads.call(t.Context()).Evaluate(e)

		if fmt.Sprint(first, err) != fmt.Sprint(second, again) {
			t.Errorf("Evaluate(%q): got %v, %v, and then %v, %v", text, first, err, second, again)
		}

		if took := time.Since(began); took > 10*time.Second {
			t.Errorf("Evaluate(%q): took %s", text, took)
		}

		if err != nil {
			if strings.Contains(err.Error(), "internal error") {
				t.Errorf("Evaluate(%q): %v", text, err)
			}

			return
		}

		switch first.GetKind().(type) {
		case *structpb.Value_StringValue, *structpb.Value_NumberValue, *structpb.Value_BoolValue:
		default:
			t.Errorf("Evaluate(%q): got %v", text, first)
		}
	})
}

// BenchmarkCompile compiles expressions whose types take long to find out, as large as they may be. None
// should take longer than 100 ms.
func BenchmarkCompile(b *testing.B) {
	for name, text := range map[string]string{
		"levels":    "[1]" + strings.Repeat(".map(a, {a: a})", 7) + ".size()",
		"macros":    strings.Repeat("[1].map(a, ", 8) + "1" + strings.Repeat(")", 8) + ".size()",
		"items":     "xr.a[0][0]" + strings.Repeat(" && xr.a[0][0]", 127),
		"lists":     "[] == []" + strings.Repeat(" && [] == []", 84),
		"unknown":   "[].all(a, " + strings.Join(deepened(18), " && ") + ")",
		"variables": variablesOfEachOther(14),
	} {
		b.Run(name, func(b *testing.B) {
			for b.Loop() {
				if _, err := expression.Compile(text, expression.Label); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

// deepened tells ever more of the type of an item that nothing is known of.
func deepened(n int) []string {
	out := make([]string, n)
	for i := range out {
		out[i] = "a" + strings.Repeat("[0]", i) + " == []"
	}

	return out
}

// variablesOfEachOther has variables, each of which is an object of the next by the next.
func variablesOfEachOther(n int) string {
	text := strings.Builder{}
	for i := range n {
		fmt.Fprintf(&text, "[].all(a%d, ", i)
	}

	fmt.Fprintf(&text, "a%d == [1]", n-1)

	for i := n - 2; i >= 0; i-- {
		fmt.Fprintf(&text, " && a%d in a%d && a%d[a%d] == a%d", i+1, i, i, i+1, i+1)
	}

	return text.String() + strings.Repeat(")", n)
}

// BenchmarkEvaluate evaluates expressions of what each resource has. None should take longer than
// 6 µs.
func BenchmarkEvaluate(b *testing.B) {
	s := &scene{Name: "bucket-logs", XR: &structpb.Struct{}, Desired: &structpb.Struct{}}
	if err := s.XR.UnmarshalJSON([]byte(`{"metadata": {"name": "assets", "labels": {"env": "PROD"}}}`)); err != nil {
		b.Fatal(err)
	}

	if err := s.Desired.UnmarshalJSON([]byte(`{"spec": {"forProvider": {"region": "eu-central-1"}}}`)); err != nil {
		b.Fatal(err)
	}

	for name, text := range map[string]string{
		"name": "name", "joined": "xr.metadata.name + '-' + name", "replaced": "name.replace('-', '_').upperAscii()", "split": "name.split('-')[0]",
		"regular": "regex.extract(name, '^([a-z]+)-').orValue('none')", "format": "'%s-%s'.format([xr.metadata.name, name])",
		"chosen": "name in ['a', 'b', 'c'] ? 'data' : 'other'", "desired": "desired.spec.forProvider.region",
	} {
		b.Run(name, func(b *testing.B) {
			e, err := expression.Compile(text, expression.Label)
			if err != nil {
				b.Fatal(err)
			}

			c := s.call(b.Context())

			b.ReportAllocs()

			for n := 0; b.Loop(); n++ {
				if n%1000 == 0 {
					c = s.call(b.Context())
				}

				c.For(s.Name, object.FromStruct(s.Desired), object.Object{})

				if _, err := c.Evaluate(e); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
