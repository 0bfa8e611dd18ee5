package expression_test

import (
	"encoding/json"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/plexsphere/function-cloud-tags/tags/expression"
	"github.com/plexsphere/function-cloud-tags/tags/tagstest"
)

// unchecked are expressions whose types nobody should try to find out: that would take up to longer than
// anybody waits.
func unchecked() map[string]string {
	return map[string]string{
		"DeepMacros":    strings.Repeat("[1].map(a, ", 97) + "1" + strings.Repeat(")", 97) + ".size()",
		"DeepChain":     "[1]" + strings.Repeat(".map(a, [a])", 97) + ".size()",
		"DeepKeys":      "[1]" + strings.Repeat(".map(a, {a: a})", 20) + ".size()",
		"DeepObjects":   strings.Repeat("{'a': ", 97) + "1" + strings.Repeat("}", 97) + ".size()",
		"DeepOptionals": strings.Repeat("optional.of(", 97) + "1" + strings.Repeat(")", 97) + ".hasValue()",
		"DeepMistake":   strings.Repeat("[nam].map(a, ", 97) + "nam" + strings.Repeat(")", 97) + ".size()",
		"ManyObjects":   "[{}" + strings.Repeat(", {}", 1900) + "].size()",
		"ManyItems":     "xr.a[0]" + strings.Repeat(" && xr.a[0]", 300),
	}
}

// A compileCase is an expression.
type compileCase struct{ Name, Reason, Text string }

// compileCases reads the cases of a file.
func compileCases(tb testing.TB, path string) (cases []compileCase) {
	tb.Helper()
	tagstest.ReadYAML(tb, path, &cases)

	return cases
}

// TestCompileRefuses compiles what no input may have.
func TestCompileRefuses(t *testing.T) {
	cases := []compileCase{
		{Name: "LargeRegulars", Reason: "Each regular expression should be small, however many there are.", Text: "false" + strings.Repeat(" || name.matches('[a-z]{999}')", 40)},
		{Name: "Macros", Reason: "A macro that doubles what it is applied to should be refused before that is too much.", Text: "optional.of(name)" + strings.Repeat(".optMap(a, a)", 40)},
		{Name: "NestedMacros", Reason: "It should be refused as soon wherever else that is done.", Text: "optional.of(name)" + strings.Repeat(".optFlatMap(a, optional.of(a).optMap(b, b))", 20)},
		{Name: "Parts", Reason: "An expression of many parts should be refused before it is checked.", Text: "true" + strings.Repeat("||1 in[]", 1000)},
		{Name: "LongRegular", Reason: "A long regular expression should be refused.", Text: "name.matches('" + strings.Repeat("a", 1025) + "')"},
		{Name: "LongLine", Reason: "Of a long line only what is near the mistake should be shown.", Text: strings.Repeat("name + ", 100) + "nam" + strings.Repeat(" + name", 100)},
		{Name: "Long", Reason: "An expression has a greatest length.", Text: "'" + strings.Repeat("a", 8192) + "'"},
		{Name: "Deep", Reason: "An expression has a greatest depth.", Text: strings.Repeat("(", 300) + "1" + strings.Repeat(")", 300)},
	}

	for name, text := range unchecked() {
		cases = append(cases, compileCase{Name: name, Reason: "An expression whose types take long to find out should be refused before.", Text: text})
	}

	g := tagstest.NewGolden(t)

	for _, tc := range append(cases, compileCases(t, "testdata/refuses.yaml")...) {
		t.Run(tc.Name, func(t *testing.T) {
			_, err := expression.Compile(tc.Text, expression.Label)
			if err == nil {
				t.Fatalf("\n%s\nCompile(...): want an error", tc.Reason)
			}

			g.Check(t, tc.Reason, strings.Split(err.Error(), "\n"))
		})
	}
}

// TestMentions is about which variables an expression mentions, by which it's known when it has to
// be evaluated.
func TestMentions(t *testing.T) {
	g := tagstest.NewGolden(t)

	for _, tc := range compileCases(t, "testdata/mentions.yaml") {
		t.Run(tc.Name, func(t *testing.T) {
			e, err := expression.Compile(tc.Text, expression.Label)
			if err != nil {
				t.Fatalf("\n%s\nCompile(...): %v", tc.Reason, err)
			}

			got := []string{fmt.Sprintf("differs by %q, reads %q", e.PerResource(), slices.Sorted(slices.Values(e.SourceNames())))}

			for _, v := range []expression.Variable{"xr", "context", "required", "name", "desired", "observed"} {
				if e.Mentions(v) {
					got = append(got, "mentions "+string(v))
				}
			}

			g.Check(t, tc.Reason, got)
		})
	}
}

// TestExpressionJSON proves that an expression is encoded as it was written, and copied with what
// was compiled.
func TestExpressionJSON(t *testing.T) {
	e, err := expression.Compile("name + '-'", expression.Label)
	if err != nil {
		t.Fatal(err)
	}

	j, err := json.Marshal(e)
	if diff := cmp.Diff(`"name + '-'"`, string(j)); diff != "" || err != nil {
		t.Errorf("MarshalJSON(): %v, -want, +got:\n%s", err, diff)
	}

	into := expression.Expression{}
	e.DeepCopyInto(&into)

	for _, c := range []expression.Expression{into, *e.DeepCopy()} {
		if !c.Equal(e) || !c.Mentions(expression.Name) || c.String() != "name + '-'" {
			t.Errorf("want a copy to be the same, got %q", c)
		}
	}

	decoded := expression.Expression{}
	if err := json.Unmarshal(j, &decoded); err != nil || !decoded.Equal(e) {
		t.Errorf("want the text of the expression, got %q, %v", decoded, err)
	}

	if err := json.Unmarshal([]byte(`"1 +"`), &decoded); err != nil || decoded.String() != "1 +" {
		t.Errorf("want a text that is not compiled yet, got %q, %v", decoded, err)
	}

	if err := json.Unmarshal([]byte(`1`), &decoded); err == nil {
		t.Errorf("want an error of what is no text, got %q", decoded)
	}

	if none := (expression.Expression{}); none.Mentions(expression.XR) || none.SourceNames() != nil || none.PerResource() != nil || none.String() != "" {
		t.Errorf("want an expression that is none to mention nothing, got %q", none)
	}
}

// TestMetadataFields is about all fields that metadata has.
func TestMetadataFields(t *testing.T) {
	for f := range reflect.TypeFor[metav1.ObjectMeta]().Fields() {
		name, _, _ := strings.Cut(f.Tag.Get("json"), ",")
		if _, err := expression.Compile("has(xr.metadata."+name+") ? 'a' : 'b'", expression.Label); err != nil {
			t.Errorf("\nA field that metadata has should be no mistake.\nCompile(...): %v", err)
		}
	}
}
