package resolve_test

import (
	"context"
	"encoding/json"
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"google.golang.org/protobuf/testing/protocmp"
	"google.golang.org/protobuf/types/known/structpb"

	fnv1 "github.com/crossplane/function-sdk-go/proto/v1"
	"github.com/crossplane/function-sdk-go/resource"

	"github.com/plexsphere/function-cloud-tags/input/v1beta1"
	"github.com/plexsphere/function-cloud-tags/tags"
	"github.com/plexsphere/function-cloud-tags/tags/object"
	"github.com/plexsphere/function-cloud-tags/tags/require"
	"github.com/plexsphere/function-cloud-tags/tags/resolve"
	"github.com/plexsphere/function-cloud-tags/tags/tagstest"
)

// composite is the composite resource of most cases.
const composite = `{
	"apiVersion": "platform.example.org/v1alpha1",
	"kind": "Storage",
	"metadata": {"name": "assets", "annotations": {"example.org/provider": "openstack"}},
	"spec": {
		"cloud": {"provider": "Hetzner", "empty": "", "number": 1, "null": null},
		"labels": {"platform/env": "prod", "platform/tier": "gold", "acme:checkout/owner": "team-a"},
		"override": {"platform/env": "staging", "extra": "x"},
		"json": {"platform/env": "\"prod\"", "count": "3"},
		"tags": {"plexsphere:platform/env": "kept", "Name": "assets", "plexsphere:": "p"},
		"empty": {},
		"null": null,
		"text": "labels",
		"list": ["a"],
		"mixed": {"a": "b", "replicas": 3, "z": true},
		"nulls": {"a": null},
		"propagate": ["platform/*", "acme:checkout/owner"],
		"nothing": [],
		"badPatterns": ["platform/*", "*/env"],
		"negated": ["platform/*", "!platform/*"],
		"emptyPattern": [""],
		"mixedPatterns": ["platform/*", 1]
	}
}`

// asideFrom compares sets aside from what other tests are about: messages about sources
// that find nothing, and whole objects.
var asideFrom = cmp.Options{cmpopts.IgnoreFields(resolve.Set{}, "Empty"), classesByTitle, byPosition}

// classesByTitle compares classes by what messages call them.
var classesByTitle = cmp.FilterPath(
	func(p cmp.Path) bool { return p.String() == "Classes" },
	cmp.Transformer("Titles", func(classes map[string]object.Object) map[string]string {
		out := make(map[string]string, len(classes))
		for name, c := range classes {
			out[name] = object.Title(c)
		}

		return out
	}))

// byPosition compares sources by their positions. None is the first.
var byPosition = cmp.Transformer("Position", func(s *tags.Source) int {
	if s == nil {
		return 0
	}

	return s.Position
})

// from is the source at the supplied position.
func from(position int) *tags.Source { return &tags.Source{Position: position} }

// resolveOn resolves the supplied input for a request with nothing but the supplied
// composite resource.
func resolveOn(in *v1beta1.CloudTags, xr *structpb.Struct) (resolve.Set, error) {
	req := &fnv1.RunFunctionRequest{Observed: &fnv1.State{Composite: &fnv1.Resource{Resource: xr}}}
	return resolve.Resolve(context.Background(), in, req, require.New(req))
}

func TestResolveJSON(t *testing.T) {
	type want struct {
		value string
		err   string
	}

	cases := map[string]struct {
		reason string
		value  string
		want   want
	}{
		"String":        {reason: "A string should lose its quotes.", value: `"prod"`, want: want{value: "prod"}},
		"EmptyString":   {reason: "An empty string is a string.", value: `""`, want: want{value: ""}},
		"Escapes":       {reason: "What is escaped should not be any more.", value: `"a\"b\\c\nd\u00e9\ud83d\ude00"`, want: want{value: "a\"b\\c\ndé😀"}},
		"NumberString":  {reason: "A string of a number should stay as it is written.", value: `"1.0"`, want: want{value: "1.0"}},
		"JSONInString":  {reason: "A string should be decoded once only.", value: `"\"prod\""`, want: want{value: `"prod"`}},
		"SpaceInString": {reason: "Space in a string should stay.", value: `"  a "`, want: want{value: "  a "}},
		"Surrogates":    {reason: "Two halves of a character are one.", value: `"\ud83d\ude00"`, want: want{value: "😀"}},
		"HalfSurrogate": {reason: "Half a character is none, and must not become another one.", value: `"a\ud83d"`, want: want{err: `"\"a\\ud83d\"" has a character that is not Unicode`}},
		"Replacement":   {reason: "The character that stands for others is one, too.", value: `"\ufffd�"`, want: want{value: "��"}},
		"SpaceAround":   {reason: "Space around JSON says nothing.", value: " \t\n\"a\"\r\n ", want: want{value: "a"}},

		"Integer":         {reason: "A whole number should be its digits.", value: `1`, want: want{value: "1"}},
		"Zero":            {reason: "Zero is a number.", value: `0`, want: want{value: "0"}},
		"NegativeInteger": {reason: "A whole number may be negative.", value: `-12`, want: want{value: "-12"}},
		"HugeInteger":     {reason: "A whole number should keep all its digits, though no float can.", value: `12345678901234567890`, want: want{value: "12345678901234567890"}},
		"HugestInteger":   {reason: "A whole number should keep all its digits, though no float is as great.", value: "1" + strings.Repeat("0", 400), want: want{value: "1" + strings.Repeat("0", 400)}},
		"NegativeHuge":    {reason: "A negative whole number should keep all its digits.", value: `-9007199254740993`, want: want{value: "-9007199254740993"}},
		"WholeFloat":      {reason: "A number should keep its text: a version is no price.", value: `1.0`, want: want{value: "1.0"}},
		"Exponent":        {reason: "A number should keep its text.", value: `1e3`, want: want{value: "1e3"}},
		"CapitalExponent": {reason: "A number should keep its text.", value: `1E+3`, want: want{value: "1E+3"}},
		"Fraction":        {reason: "A fraction should keep its zeros.", value: `1.50`, want: want{value: "1.50"}},
		"SmallFraction":   {reason: "A number should keep its text, without the space around it.", value: " 1e-3\n", want: want{value: "1e-3"}},
		"NegativeZero":    {reason: "A number should keep its sign.", value: `-0`, want: want{value: "-0"}},
		"TooGreat":        {reason: "A number should keep its text, though no 64-bit float is as great.", value: `1e400`, want: want{value: "1e400"}},
		"LeadingZero":     {reason: "JSON has no leading zeros.", value: `007`, want: want{err: `"007" is more than one JSON value`}},
		"PlusSign":        {reason: "JSON has no plus sign.", value: `+1`, want: want{err: `"+1" is not JSON`}},
		"Hexadecimal":     {reason: "JSON has no hexadecimal numbers.", value: `0x10`, want: want{err: `"0x10" is more than one JSON value`}},
		"NotANumber":      {reason: "JSON has no NaN.", value: `NaN`, want: want{err: `"NaN" is not JSON`}},

		"True":        {reason: "A boolean should be its word.", value: `true`, want: want{value: "true"}},
		"False":       {reason: "A boolean should be its word.", value: `false`, want: want{value: "false"}},
		"CapitalTrue": {reason: "JSON knows booleans in small letters only.", value: `True`, want: want{err: `"True" is not JSON`}},

		"Object": {reason: "An object is no value of a label.", value: `{"a": 1}`, want: want{err: `"{\"a\": 1}" is not a JSON string, number or boolean`}},
		"Array":  {reason: "An array is no value of a label.", value: `["a"]`, want: want{err: `"[\"a\"]" is not a JSON string, number or boolean`}},

		"Empty":          {reason: "Nothing is not JSON.", value: ``, want: want{err: `"" is not JSON`}},
		"Space":          {reason: "Space alone is not JSON.", value: ` `, want: want{err: `" " is not JSON`}},
		"BareWord":       {reason: "A word without quotes is not JSON.", value: `prod`, want: want{err: `"prod" is not JSON`}},
		"SingleQuotes":   {reason: "JSON has no single quotes.", value: `'prod'`, want: want{err: `"'prod'" is not JSON`}},
		"Unterminated":   {reason: "A string must end.", value: `"prod`, want: want{err: `"\"prod" is not JSON`}},
		"BrokenObject":   {reason: "An object must end.", value: `{"a":`, want: want{err: `"{\"a\":" is not JSON`}},
		"TwoValues":      {reason: "One value is all that there may be.", value: `"a" "b"`, want: want{err: `"\"a\" \"b\"" is more than one JSON value`}},
		"TrailingWord":   {reason: "Nothing may follow the value.", value: `"a" b`, want: want{err: `"\"a\" b" is more than one JSON value`}},
		"TrailingQuote":  {reason: "Nothing may follow the value.", value: `"a""`, want: want{err: `"\"a\"\"" is more than one JSON value`}},
		"TrailingComma":  {reason: "Nothing may follow the value.", value: `1,`, want: want{err: `"1," is more than one JSON value`}},
		"TrailingBrace":  {reason: "Nothing may follow the value.", value: `true}`, want: want{err: `"true}" is more than one JSON value`}},
		"TwoLines":       {reason: "A failure should take one line.", value: "a\nb", want: want{err: `"a\nb" is not JSON`}},
		"LongNotJSON":    {reason: "A failure should not be as long as the value.", value: strings.Repeat("é", 100), want: want{err: `"` + strings.Repeat("é", 64) + `" is not JSON`}},
		"LongObject":     {reason: "A failure should not be as long as the value.", value: `["` + strings.Repeat("a", 100) + `"]`, want: want{err: `"[\"` + strings.Repeat("a", 62) + `" is not a JSON string, number or boolean`}},
		"LongTwoValues":  {reason: "A failure should not be as long as the value.", value: strings.Repeat("1 ", 50), want: want{err: `"` + strings.Repeat("1 ", 32) + `" is more than one JSON value`}},
		"ControlInside":  {reason: "A line break must be escaped in a string.", value: "\"a\nb\"", want: want{err: `"\"a\nb\"" is not JSON`}},
		"UnicodeInside":  {reason: "Any other rune may be in a string.", value: `"é日😀"`, want: want{value: "é日😀"}},
		"HTMLCharacters": {reason: "What HTML would escape should stay as it is.", value: `"<a>&</a>"`, want: want{value: "<a>&</a>"}},
	}

	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			value, err := json.Marshal(tc.value)
			if err != nil {
				t.Fatal(err)
			}

			in := decode(t, fmt.Sprintf(`"keyPrefix": "", "sources": [{"type": "Value", "values": {"a": %s}, "encoding": "JSON"}]`, value))
			got, err := resolveOn(in, nil)

			wantErr, want := "", resolve.Set{Labels: []tags.Label{{QualifiedKey: "a", TagKey: "a", Value: tc.want.value}}}
			if tc.want.err != "" {
				wantErr, want = "cannot resolve sources[0]: cannot decode values[a]: "+tc.want.err, resolve.Set{}
			}

			if diff := cmp.Diff(wantErr, tagstest.Error(err)); diff != "" {
				t.Errorf("\n%s\nResolve(...): -want error, +got error:\n%s", tc.reason, diff)
			}

			if diff := cmp.Diff(want, got, asideFrom); diff != "" {
				t.Errorf("\n%s\nResolve(...): -want, +got:\n%s", tc.reason, diff)
			}
		})
	}
}

// TestScalar is about numbers that tags have the text of.
func TestScalar(t *testing.T) {
	const sources = `"keyPrefix": "", "sources": [{"type": "CompositeField", "fromFieldPath": "spec.numbers", "encoding": "Scalar"}]`

	type want struct {
		text string
		err  string
	}

	cases := map[string]struct {
		reason string
		number float64
		want   want
	}{
		"Zero":          {reason: "Zero has one digit.", number: 0, want: want{text: "0"}},
		"NegativeZero":  {reason: "Negative zero is zero.", number: math.Copysign(0, -1), want: want{text: "0"}},
		"Negative":      {reason: "A number may be negative.", number: -12, want: want{text: "-12"}},
		"Million":       {reason: "Whole numbers should be digits.", number: 1e6, want: want{text: "1000000"}},
		"Greatest":      {reason: "The last integer that can be told from others should be digits.", number: 1<<53 - 1, want: want{text: "9007199254740991"}},
		"Least":         {reason: "The first integer that can be told from others should be digits.", number: -1<<53 + 1, want: want{text: "-9007199254740991"}},
		"Fraction":      {reason: "Others should be what JSON has for them.", number: 1.5, want: want{text: "1.5"}},
		"SmallFraction": {reason: "Others should be what JSON has for them.", number: 1e-7, want: want{text: "1e-7"}},
		"TooLarge": {
			reason: "An integer that may have been another one should be refused.",
			number: 1 << 53, // As 2⁵³+1 becomes.
			want:   want{err: "9.007199254740992e+15 is beyond the integers of a 64-bit floating point number, ±2⁵³: write it as a string"},
		},
		"FarTooLarge": {
			reason: "The larger, the less it can be told.",
			number: -1e300,
			want:   want{err: "-1e+300 is beyond the integers of a 64-bit floating point number, ±2⁵³: write it as a string"},
		},
		"NaN": {reason: "JSON has no such number.", number: math.NaN(), want: want{err: "NaN is not a number that JSON has"}},
		"Inf": {reason: "JSON has no such number.", number: math.Inf(1), want: want{err: "+Inf is not a number that JSON has"}},
	}

	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			numbers := &structpb.Struct{Fields: map[string]*structpb.Value{"n": structpb.NewNumberValue(tc.number)}}
			spec := &structpb.Struct{Fields: map[string]*structpb.Value{"numbers": structpb.NewStructValue(numbers)}}
			xr := &structpb.Struct{Fields: map[string]*structpb.Value{"spec": structpb.NewStructValue(spec)}}

			wantSet, wantErr := resolve.Set{Labels: []tags.Label{plain("n", tc.want.text, 0)}}, ""
			if tc.want.err != "" {
				wantSet, wantErr = resolve.Set{}, "cannot resolve sources[0]: cannot take spec.numbers[n]: "+tc.want.err
			}

			got, err := resolveOn(decode(t, sources), xr)
			if diff := cmp.Diff(wantErr, tagstest.Error(err)); diff != "" {
				t.Errorf("\n%s\nResolve(...): -want error, +got error:\n%s", tc.reason, diff)
			}

			if diff := cmp.Diff(wantSet, got, byPosition); diff != "" {
				t.Errorf("\n%s\nResolve(...): -want, +got:\n%s", tc.reason, diff)
			}
		})
	}
}

// TestForContext is about what later steps may read.
func TestForContext(t *testing.T) {
	const gold = `{"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "gold", "labels": {"default": "true"}}, "data": {"grade": "gold"}, "size": [1, 2]}`

	const class = `{"type": "RequiredResource", "name": "class", "pick": "One", "fromFieldPath": "data", "resource": {"apiVersion": "v1", "kind": "ConfigMap", "defaultMatchLabels": {"default": "true"}}}`

	cases := map[string]struct {
		reason  string
		sources string
		want    string
	}{
		"Labels": {
			reason:  "Labels should be there by qualified key, with the value of the last source.",
			sources: `{"type": "Value", "values": {"a": "1", "b": "1"}}, {"type": "Value", "values": {"b": "2"}}`,
			want:    `{"labels": {"a": "1", "b": "2"}, "classes": {}}`,
		},
		"Class": {
			reason:  "A class should be there whole.",
			sources: class,
			want:    `{"labels": {"grade": "gold"}, "classes": {"class": ` + gold + `}}`,
		},
		"SameQualifiedKey": {
			reason:  "Of two tag keys with one qualified key, the later source should be there.",
			sources: `{"type": "Value", "keyForm": "Tag", "values": {"a": "tag"}}, {"type": "Value", "values": {"a": "label"}}`,
			want:    `{"labels": {"a": "label"}, "classes": {}}`,
		},
		"SameQualifiedKeyTrusted": {
			reason:  "Of two tag keys with one qualified key, the trusted one should be there.",
			sources: `{"type": "Value", "values": {"a": "label"}, "trusted": true}, {"type": "Value", "keyForm": "Tag", "values": {"a": "tag"}}`,
			want:    `{"labels": {"a": "label"}, "classes": {}}`,
		},
		"Claim": {
			reason:  "What nobody may claim is no label.",
			sources: `{"type": "Value", "values": {"reserved": "x", "a": "1"}}`,
			want:    `{"labels": {"a": "1"}, "classes": {}}`,
		},
	}

	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			got, _, err := clusterOf(gold).reconcile(decode(t, `"reservedKeys": ["reserved"], "sources": [`+tc.sources+`]`), observe(composite))
			if diff := cmp.Diff(resource.MustStructJSON(tc.want), got.ForContext(), protocmp.Transform()); err != nil || diff != "" {
				t.Errorf("\n%s\nForContext(): %v: -want, +got:\n%s", tc.reason, err, diff)
			}
		})
	}
}

// TestClientGone is about a call that nobody waits for.
func TestClientGone(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()

	for name, input := range map[string]string{
		"Sources":            `"sources": [{"type": "Value", "values": {"a": "b"}}]`,
		"KubernetesMetadata": `"kubernetesMetadata": [{"source": {"type": "CompositeMetadata"}, "copy": ["Labels"], "select": {"all": true}, "toFieldPaths": {"labels": ["spec.labels"]}}]`,
	} {
		req := &fnv1.RunFunctionRequest{}
		if _, err := resolve.Resolve(ctx, decode(t, input), req, require.New(req)); !cmp.Equal(context.Canceled.Error(), tagstest.Error(err)) {
			t.Errorf("\nA call whose client has gone should end.\nResolve(...) of %s: got error %v", name, err)
		}
	}
}

// BenchmarkResolve resolves as many labels as patterns include, of numbers that the
// author of a composite resource may choose. The time per label should be about the
// same.
func BenchmarkResolve(b *testing.B) {
	in := decode(b, `"reservedKeys": ["entigo:*"], "sources": [
		{"type": "CompositeField", "fromFieldPath": "spec.labels", "include": {"fromFieldPath": "spec.include"}},
		{"type": "CompositeField", "fromFieldPath": "spec.labels", "include": {"fromFieldPath": "spec.include"}}
	], "removeTags": [{"fromFieldPath": "spec.include"}, {"fromFieldPath": "spec.labels"}], "ignoreTags": [{"fromFieldPath": "spec.include"}]`)

	for _, n := range []int{10, 100, 300} {
		b.Run(fmt.Sprintf("labels=%d", n), func(b *testing.B) {
			labels := make(map[string]*structpb.Value, n)
			include := make([]*structpb.Value, n)

			for i := range n {
				labels[fmt.Sprintf("label-%d", i)] = structpb.NewStringValue("x")
				include[i] = structpb.NewStringValue(fmt.Sprintf("label-%d*", i))
			}

			spec := structpb.NewStructValue(&structpb.Struct{Fields: map[string]*structpb.Value{
				"labels":  structpb.NewStructValue(&structpb.Struct{Fields: labels}),
				"include": structpb.NewListValue(&structpb.ListValue{Values: include}),
			}})
			xr := &structpb.Struct{Fields: map[string]*structpb.Value{"spec": spec}}

			for b.Loop() {
				set, err := resolveOn(in, xr)
				if err != nil || len(set.Labels) != n {
					b.Fatalf("got %d labels and error %v", len(set.Labels), err)
				}
			}

			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N*n), "ns/label")
		})
	}
}

// TestValueless is about single expressions without a value.
func TestValueless(t *testing.T) {
	in := decode(t, `"sources": [
		{"type": "Expression", "expressions": {"a": "xr.metadata.name", "b": "xr.spec.labls.env"}},
		{"type": "Expression", "expressions": {"c": "xr.spec.labls.env"}},
		{"type": "Expression", "name": "each", "expressions": {"d": "name", "e": "desired.spec.nam", "f": "name == 'x' ? desired.spec.nam : 'y'", "g": "observed.spec.nam"}}
	]`)

	set, _, err := clusterOf().reconcile(in, observe(composite))
	if err != nil {
		t.Fatal(err)
	}

	for _, name := range []string{"x", "y"} {
		if _, err := set.PerResource.Set(&resolve.Composed{Name: name, Desired: object.Tree(resource.MustStructJSON(`{"spec": {}}`))}); err != nil {
			t.Fatal(err)
		}
	}

	want := []resolve.Lack{
		{Source: "sources[0]", Why: "expressions[b]: no such key: labls"},
		{Source: `sources[2] "each"`, Why: "expressions[e]: no such key: nam"},
	}
	if diff := cmp.Diff(want, set.Valueless()); diff != "" {
		t.Errorf("\nOnly expressions that have no value on any resource that exists should be told, of sources that find something.\nValueless(): -want, +got:\n%s", diff)
	}
}
