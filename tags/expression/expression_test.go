package expression_test

import (
	"encoding/json"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
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

// TestCompileRefuses compiles what no input may have.
func TestCompileRefuses(t *testing.T) {
	cases := map[string]struct{ reason, text string }{
		"Syntax":        {"A mistake should be shown where it is.", "xr.metadata.name +"},
		"SecondLine":    {"The line and the column should be those of the text.", "xr.metadata.name +\n  nam"},
		"Unknown":       {"A variable that there is none of should be refused.", "resource.metadata.name"},
		"Overload":      {"A function of other arguments should be refused before anything is evaluated.", "name.lowerAscii('x')"},
		"List":          {"What can't be a label, as is known before, should be refused.", "[name]"},
		"Object":        {"An object can't be a label.", "{'a': name}"},
		"Time":          {"Nobody should guess how a time is to be written.", "timestamp('2026-01-01T00:00:00Z')"},
		"Duration":      {"Nobody should guess how a duration is to be written.", "duration('1h')"},
		"Bytes":         {"Bytes are no text.", "bytes(name)"},
		"Type":          {"A type is no text.", "type(name)"},
		"OptionalList":  {"What is in an optional should be told as well.", "optional.of([1])"},
		"Regular":       {"A regular expression should be compiled with the expression.", "name.matches('a(')"},
		"LargeRegular":  {"A regular expression that becomes large should be refused.", "name.matches('(([a-z]{30}){30}[0-9]{30}){1,30}')"},
		"LargeRegulars": {"Regular expressions should not be large together.", "false" + strings.Repeat(" || name.matches('[a-z]{999}')", 40)},
		"Macros":        {"A macro that doubles what it is applied to should be refused before that is too much.", "optional.of(name)" + strings.Repeat(".optMap(a, a)", 40)},
		"NestedMacros":  {"It should be refused as soon wherever else that is done.", "optional.of(name)" + strings.Repeat(".optFlatMap(a, optional.of(a).optMap(b, b))", 20)},
		"Parts":         {"An expression of many parts should be refused before it is checked.", "true" + strings.Repeat("||1 in[]", 1000)},
		"Message":       {"A message should be refused, since nobody counts what it is made of.", "google.protobuf.ListValue{values: [1]}.size()"},
		"LongRegular":   {"A long regular expression should be refused.", "name.matches('" + strings.Repeat("a", 1025) + "')"},
		"LongLine":      {"Of a long line only what is near the mistake should be shown.", strings.Repeat("name + ", 100) + "nam" + strings.Repeat(" + name", 100)},
		"Long":          {"An expression has a greatest length.", "'" + strings.Repeat("a", 8192) + "'"},
		"Deep":          {"An expression has a greatest depth.", strings.Repeat("(", 300) + "1" + strings.Repeat(")", 300)},
		"Metadata":      {"A field that no metadata has should be refused where it is.", "xr.metadata.name + xr.metadata.namspace"},
		"MetadataKey":   {"A field that no metadata has should be refused however it is written.", "desired['metadata']['label'].a"},
		"MetadataHas":   {"Nobody should ask for what is never there.", "has(xr.metadata.annotation) ? 'a' : 'b'"},
		"MetadataMaybe": {"What may be absent is one of the fields, too.", "xr.?metadata[?'label'].env.orValue('a')"},
		"MetadataSeen":  {"What is observed has metadata if there is any.", "observed.metadata.uuid"},
		"MetadataValue": {"What is observed has metadata if it is there.", "observed.hasValue() ? observed.value().metadata.uuid : 'x'"},
		"MetadataMacro": {"A macro has variables of its own, but a dot before one says that it isn't.", "[1].map(xr, .xr.metadata.nam)[0]"},
		"OtherFunction": {"Extensions that could cost more than is counted should not be there.", "base64.encode(b'a')"},
		"Bind":          {"Bindings of names are not among the extensions.", "cel.bind(a, name, a + a)"},
	}

	for name, text := range unchecked() {
		cases[name] = struct{ reason, text string }{"An expression whose types take long to find out should be refused before.", text}
	}

	g := tagstest.NewGolden(t)

	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			_, err := expression.Compile(tc.text, expression.Label)
			if err == nil {
				t.Fatalf("\n%s\nCompile(...): want an error", tc.reason)
			}

			g.Check(t, tc.reason, strings.Split(err.Error(), "\n"))
		})
	}
}

// TestMentions is about which variables an expression mentions, by which it's known when it has to
// be evaluated.
func TestMentions(t *testing.T) {
	type want struct {
		Mentions    []expression.Variable
		PerResource []expression.Variable
		Objects     []string
	}

	cases := map[string]struct {
		reason string
		text   string
		want   want
	}{
		"None":        {"A literal mentions nothing.", "'a'", want{}},
		"XR":          {"A field is of the variable.", "xr.metadata.name", want{Mentions: []expression.Variable{"xr"}}},
		"Field":       {"A field can have the name of a variable.", "xr.name + xr.desired", want{Mentions: []expression.Variable{"xr"}}},
		"String":      {"A string can be the name of a variable.", "xr['name'] + 'observed'", want{Mentions: []expression.Variable{"xr"}}},
		"PerResource": {"What differs per resource should be told in one order.", "observed.?a.orValue(desired.a) + name", want{Mentions: []expression.Variable{"name", "desired", "observed"}, PerResource: []expression.Variable{"name", "desired", "observed"}}},
		"Macro":       {"A macro's own variable is not the one of that name.", "xr.a.map(name, name + 'x').join()", want{Mentions: []expression.Variable{"xr"}}},
		"MacroRange":  {"What a macro goes through is outside of it.", "[name].map(name, name)[0]", want{Mentions: []expression.Variable{"name"}, PerResource: []expression.Variable{"name"}}},
		"Nested":      {"In a macro there can be the variable itself.", "xr.a.exists(a, a == name)", want{Mentions: []expression.Variable{"xr", "name"}, PerResource: []expression.Variable{"name"}}},
		"Global":      {"A dot before a name says that it's not the macro's.", "xr.a.exists(name, name == .name)", want{Mentions: []expression.Variable{"xr", "name"}, PerResource: []expression.Variable{"name"}}},
		"Everywhere":  {"Literals and conditions have expressions in them.", "{'a': context.a}.a == 'x' ? [xr.a][0] : 'b'", want{Mentions: []expression.Variable{"xr", "context"}}},
		"Objects":     {"Required objects should be known by their names, however they are written.", "required.a.b + required['c'].d + required.?e.orValue('') + required[?'f'].orValue('')", want{Mentions: []expression.Variable{"required"}, Objects: []string{"a", "c", "e", "f"}}},
		"Has":         {"To ask for an object is to mention it.", "has(required.a) ? 'a' : 'b'", want{Mentions: []expression.Variable{"required"}, Objects: []string{"a"}}},
		"AnyObject":   {"A name that is computed can be any.", "required[xr.a].b", want{Mentions: []expression.Variable{"xr", "required"}}},
	}

	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			e, err := expression.Compile(tc.text, expression.Label)
			if err != nil {
				t.Fatalf("\n%s\nCompile(...): %v", tc.reason, err)
			}

			got := want{PerResource: e.PerResource(), Objects: slices.Sorted(slices.Values(e.Objects()))}

			for _, v := range []expression.Variable{"xr", "context", "required", "name", "desired", "observed"} {
				if e.Mentions(v) {
					got.Mentions = append(got.Mentions, v)
				}
			}

			if diff := cmp.Diff(tc.want, got, cmpopts.EquateEmpty()); diff != "" {
				t.Errorf("\n%s\n%s: -want, +got:\n%s", tc.reason, tc.text, diff)
			}
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

	if none := (expression.Expression{}); none.Mentions(expression.XR) || none.Objects() != nil || none.PerResource() != nil || none.String() != "" {
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
