package v1beta1_test

import (
	"context"
	_ "embed"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"reflect"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/testing/protocmp"
	"google.golang.org/protobuf/types/known/structpb"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"pgregory.net/rapid"
	"sigs.k8s.io/yaml"

	"github.com/plexsphere/function-cloud-tags/input/v1beta1"
	"github.com/plexsphere/function-cloud-tags/tags"
	"github.com/plexsphere/function-cloud-tags/tags/profile"
	"github.com/plexsphere/function-cloud-tags/tags/tagstest"
)

// everything is an input that has every field, but for those that no input may have beside others.
//
//go:embed testdata/everything.yaml
var everything string

// input returns an input of the right kind with the fields of text, which is YAML.
func input(tb testing.TB, text string) *structpb.Struct {
	tb.Helper()

	obj := map[string]any{"apiVersion": v1beta1.APIVersion, "kind": v1beta1.Kind}
	if err := yaml.Unmarshal([]byte(text), &obj); err != nil {
		tb.Fatalf("%v: %s", err, text)
	}

	s, err := structpb.NewStruct(obj)
	if err != nil {
		tb.Fatal(err)
	}

	return s
}

// encoded returns a decoded input in JSON again, without metadata, which nobody reads.
func encoded(tb rapid.TB, in *v1beta1.CloudTags) *structpb.Struct {
	tb.Helper()

	j, err := json.Marshal(in)
	if err != nil {
		tb.Fatal(err)
	}

	s := tagstest.MustStructJSON(string(j))
	s.Fields["apiVersion"] = structpb.NewStringValue(v1beta1.APIVersion)
	s.Fields["kind"] = structpb.NewStringValue(v1beta1.Kind)

	return s
}

// message returns the text of an error, or an empty string if there is none.
func message(err error) string {
	if err == nil {
		return ""
	}

	return err.Error()
}

// TestDecode decodes testdata/everything.yaml and the inputs of testdata/decoded.yaml.
func TestDecode(t *testing.T) {
	var cases []inputCase
	tagstest.ReadYAML(t, "testdata/decoded.yaml", &cases)

	g, c := tagstest.NewGolden(t), readCRD(t)

	for _, tc := range append(cases, inputCase{"Everything", "Everything that is given should be taken as it is.", []byte(everything)}) {
		t.Run(tc.Name, func(t *testing.T) {
			s := input(t, string(tc.Input))
			before := proto.CloneOf(s)

			in, err := v1beta1.Decode(s)
			if err != nil {
				t.Fatalf("\n%s\nDecode(...): %v", tc.Reason, err)
			}

			var got []string
			for name, v := range encoded(t, in).AsMap() {
				got = append(got, name+": "+text(t, v))
			}

			slices.Sort(got)
			g.Check(t, tc.Reason, got)

			if diff := cmp.Diff(before, s, protocmp.Transform()); diff != "" {
				t.Errorf("\n%s\nDecode(...): -before, +after:\n%s", tc.Reason, diff)
			}

			obj := s.AsMap()
			if m := c.admit(t, obj); len(m) > 0 {
				t.Errorf("\n%s\nAn API server should accept it, too: %v", tc.Reason, m)
			}

			again, err := v1beta1.DecodeObject(obj)
			if diff := cmp.Diff(encoded(t, in), encoded(t, again), protocmp.Transform()); diff != "" || err != nil {
				t.Errorf("\n%s\nThe API server's defaults should be Decode's: -want, +got:\n%s%v", tc.Reason, diff, err)
			}
		})
	}
}

// largeExpressions returns n large expressions.
func largeExpressions(n int) string {
	out := make([]string, n)
	for i := range out {
		out[i] = fmt.Sprintf(`k%03d: "name%s"`, i, strings.Repeat(" + name", 90))
	}

	return strings.Join(out, ", ")
}

// expressions returns n expressions with a mistake. Their keys are numbered, beginning with from.
func expressions(from, n int) string {
	out := make([]string, n)
	for i := range out {
		out[i] = fmt.Sprintf("k%d: name +", from+i)
	}

	return strings.Join(out, ", ")
}

// An inputCase is an input of a test.
type inputCase struct {
	Name   string          `json:"name"`
	Reason string          `json:"reason"`
	Input  json.RawMessage `json:"input"` // In YAML, which JSON is.
}

// refused returns the inputs of testdata/refused.yaml, and inputs that are too large for this file.
func refused(tb testing.TB) []inputCase {
	tb.Helper()

	var out []inputCase
	tagstest.ReadYAML(tb, "testdata/refused.yaml", &out)

	return append(out,
		inputCase{"ManyExpressions", "The expressions of all sources together should be counted.", []byte(`{sources: [{type: Expression, expressions: {` + expressions(0, 200) + `}}, {type: Expression, expressions: {` + expressions(200, 57) + `}}]}`)},
		inputCase{"TooManyExpressions", "Ten thousand expressions should be refused, before any is looked at.", []byte(`{sources: [{type: Expression, expressions: {` + expressions(0, 10000) + `}}]}`)},
		inputCase{"MistakenExpressions", "Mistakes should be told of some expressions, and the rest not be compiled.", []byte(`{sources: [{type: Expression, expressions: {` + expressions(0, 5) + `}}, {type: Expression, expressions: {` + expressions(5, 50) + `}}]}`)},
		inputCase{"TwentyMistakes", "Twenty mistakes should all be told.", []byte(`{ignoreTags: [` + strings.Repeat(`{key: ""},`, 20) + `]}`)},
		inputCase{"ManyMistakes", "The first twenty of many mistakes should be told, and that there are more.", []byte(`{ignoreTags: [` + strings.Repeat(`{key: ""},`, 40_000) + `]}`)},
		inputCase{"LongMistake", "Of a long value, as much should be told as a message has room for.", []byte(`{ignoreTags: [{key: a}], limitPolicy: "` + strings.Repeat("x", 10_000) + `"}`)},
		inputCase{"LargeExpressions", "What all expressions are compiled to should be bounded.", []byte(`{sources: [{type: Expression, expressions: {` + largeExpressions(200) + `}}]}`)},
	)
}

func TestDecodeRefuses(t *testing.T) {
	g := tagstest.NewGolden(t)

	for _, tc := range refused(t) {
		t.Run(tc.Name, func(t *testing.T) {
			s := input(t, string(tc.Input))
			before := proto.CloneOf(s)

			_, err := v1beta1.Decode(s)
			if err == nil {
				t.Fatalf("\n%s\nDecode(...): want an error", tc.Reason)
			}

			g.Check(t, tc.Reason, split(err))

			if !proto.Equal(before, s) {
				t.Errorf("\n%s\nDecode(...): -before, +after:\n%s", tc.Reason, cmp.Diff(before, s, protocmp.Transform()))
			}
		})
	}
}

// TestDecodeMetadata is about Kubernetes metadata, which the schema doesn't have.
func TestDecodeMetadata(t *testing.T) {
	now := metav1.Now()
	all := &metav1.ObjectMeta{
		Name: "a", GenerateName: "a", Namespace: "a", UID: "a", ResourceVersion: "a", Generation: 1, CreationTimestamp: now,
		SelfLink:          "a", //nolint:staticcheck // Old objects have it.
		DeletionTimestamp: &now, DeletionGracePeriodSeconds: new(int64(1)), Labels: map[string]string{"a": "b"}, Annotations: map[string]string{"a": "b"},
		OwnerReferences: []metav1.OwnerReference{{APIVersion: "a", Kind: "a", Name: "a", UID: "a", Controller: new(true), BlockOwnerDeletion: new(true)}},
		Finalizers:      []string{"a"},
		ManagedFields:   []metav1.ManagedFieldsEntry{{Manager: "a", Operation: "a", APIVersion: "a", Time: &now, FieldsType: "a", FieldsV1: metav1.NewFieldsV1("{}"), Subresource: "a"}},
	}

	for _, v := range []reflect.Value{reflect.ValueOf(*all), reflect.ValueOf(all.OwnerReferences[0]), reflect.ValueOf(all.ManagedFields[0])} {
		for i := range v.NumField() {
			if v.Field(i).IsZero() {
				t.Errorf("\nThe test should set all fields of metadata.\n%s: %s is not set", v.Type(), v.Type().Field(i).Name)
			}
		}
	}

	j, err := json.Marshal(all)
	if err != nil {
		t.Fatal(err)
	}

	if _, err := v1beta1.Decode(input(t, `{ignoreTags: [{key: a}], metadata: `+string(j)+`}`)); err != nil {
		t.Errorf("\nEverything that Kubernetes has should be admitted.\nDecode(...): %v", err)
	}
}

// TestDecodeStruct is about what no JSON says, but a struct can hold.
func TestDecodeStruct(t *testing.T) {
	with := func(name string, v *structpb.Value) *structpb.Struct {
		s := input(t, `{ignoreTags: [{key: a}], tagFields: [{apiVersion: v1, kind: A, fieldPath: a, shape: KeyValueList, keyValueList: {extra: {}}}]}`)
		s.GetFields()[name] = v

		return s
	}

	extra := func(n float64) *structpb.Struct {
		s := with("ttl", structpb.NewStringValue("1m"))
		s.GetFields()["tagFields"].GetListValue().GetValues()[0].GetStructValue().GetFields()["keyValueList"].GetStructValue().GetFields()["extra"].GetStructValue().Fields = map[string]*structpb.Value{"n": structpb.NewNumberValue(n)}

		return s
	}

	cases := map[string]struct {
		s    *structpb.Struct
		want string
	}{
		"Nil":      {want: "the pipeline step has no input: it needs one of apiVersion cloudtags.fn.plexsphere.com/v1beta1 and kind CloudTags"},
		"NoKind":   {s: with("ttl", &structpb.Value{}), want: "ttl: must not be null"},
		"NilValue": {s: with("ttl", nil), want: "ttl: must not be null"},
		"NaN":      {s: with("reservedTags", structpb.NewStructValue(&structpb.Struct{Fields: map[string]*structpb.Value{"aws": structpb.NewNumberValue(math.NaN())}})), want: "reservedTags.aws: must be a 32-bit integer, not NaN"},
		"Extra":    {s: extra(math.Inf(1)), want: "cannot encode input as JSON: "},
		"Empty":    {s: &structpb.Struct{}, want: "[apiVersion: Required value: "},
	}

	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			if _, err := v1beta1.Decode(tc.s); !strings.HasPrefix(message(err), tc.want) {
				t.Errorf("\nAn input that is none should be refused.\nDecode(...): want an error that starts with %q, got %v", tc.want, err)
			}
		})
	}
}

func TestDecodeObject(t *testing.T) {
	if _, err := v1beta1.DecodeObject(map[string]any{"ttl": math.NaN()}); !strings.HasPrefix(message(err), "cannot encode input as JSON: ") {
		t.Errorf("\nWhat JSON can't say should be refused.\nDecodeObject(...): %v", err)
	}

	if _, err := v1beta1.DecodeObject(nil); !strings.HasPrefix(message(err), "cannot decode input: ") {
		t.Errorf("\nNothing is no input.\nDecodeObject(nil): %v", err)
	}
}

// kept is what d decodes s to, or has decoded it to.
func kept(d *v1beta1.Decoder, s *structpb.Struct) (*v1beta1.CloudTags, error) {
	return d.Decode(context.Background(), s, v1beta1.HashOf(s))
}

func TestDecoder(t *testing.T) {
	d := &v1beta1.Decoder{}
	wg := sync.WaitGroup{}

	first, err := kept(d, input(t, everything))
	if err != nil {
		t.Fatal(err)
	}

	// Every map of the input is made anew, so its order is another one.
	for range 8 {
		wg.Go(func() {
			if again, err := kept(d, input(t, everything)); again != first || err != nil {
				t.Errorf("\nThe same input should be decoded once.\nDecode(...): %v", err)
			}
		})
	}

	wg.Wait()

	other, err := kept(d, input(t, `ignoreTags: [{key: a}]`))
	if err != nil || other == first || other.IgnoreTags[0].Key != "a" {
		t.Errorf("\nAnother input should be another one.\nDecode(...): %v, %v", other, err)
	}

	if again, err := kept(d, input(t, everything)); again != first || err != nil {
		t.Errorf("\nAn input should be kept beside others.\nDecode(...): %v", err)
	}

	for range 2 {
		if _, err := kept(d, input(t, `ttl: 1`)); err == nil {
			t.Error("\nAn input that is refused should be refused again.")
		}
	}

	for i := range 1000 {
		in, err := kept(d, input(t, fmt.Sprintf(`ignoreTags: [{key: a%d}]`, i)))
		if err != nil || in.IgnoreTags[0].Key != fmt.Sprintf("a%d", i) {
			t.Fatalf("\nAny number of inputs should be decoded.\nDecode(...): %v", err)
		}
	}

	if again, err := kept(d, input(t, everything)); again == first || err != nil {
		t.Errorf("\nA Decoder should not keep everything for ever.\nDecode(...): %v", err)
	}

	// Expressions need memory of their own.
	first, err = kept(d, input(t, everything))
	if err != nil {
		t.Fatal(err)
	}

	for i := range 17 {
		many := make([]string, 250)
		for n := range many {
			many[n] = fmt.Sprintf(`k%d: "%d"`, n, i)
		}

		if _, err := kept(d, input(t, `sources: [{type: Expression, expressions: {`+strings.Join(many, ", ")+`}}]`)); err != nil {
			t.Fatal(err)
		}
	}

	if again, err := kept(d, input(t, everything)); again == first || err != nil {
		t.Errorf("\nA Decoder should not keep any number of expressions.\nDecode(...): %v", err)
	}

	if _, err := kept(d, nil); err == nil {
		t.Error("\nNo input should be refused.")
	}

	if _, err := kept(d, &structpb.Struct{Fields: map[string]*structpb.Value{"\xff": nil}}); err == nil {
		t.Error("\nWhat can't be told from others should be refused.")
	}
}

// TestUnknownFields tests that Decode looks at no more unknown fields than it names: for each, it searches the nearest known one.
func TestUnknownFields(t *testing.T) {
	const fieldCount = 40_000

	s := input(t, `{}`)
	for i := range fieldCount {
		s.Fields[fmt.Sprintf("source%05d", i)] = structpb.NewStringValue("")
	}

	got := testing.AllocsPerRun(1, func() {
		if _, err := v1beta1.Decode(s); !strings.Contains(tagstest.Error(err), "there are more mistakes than these 20") {
			t.Errorf("\nUnknown fields should be refused.\nDecode(...): %v", err)
		}
	})
	if got > 10*fieldCount {
		t.Errorf("\nDecode(...): want at most 10 allocations for each of %d unknown fields, got %g in all", fieldCount, got)
	}
}

// TestDecoderKeepsErrors proves that a Decoder refuses an input the second time at as little cost as it admits one.
func TestDecoderKeepsErrors(t *testing.T) {
	d := &v1beta1.Decoder{}
	broken := input(t, `{ignoreTags: [`+strings.Repeat(`{key: ""},`, 40_000)+`]}`)

	started := time.Now()
	_, first := kept(d, broken)

	if took := time.Since(started); took > 10*time.Second {
		t.Errorf("\nAny number of mistakes should be told at once.\nDecode(...): %s", took)
	}

	// The decoding of an input would fail, since the call has ended.
	gone, cancel := context.WithCancel(t.Context())
	cancel()

	_, again := d.Decode(gone, broken, v1beta1.HashOf(broken))
	if diff := cmp.Diff(message(first), message(again)); first == nil || diff != "" {
		t.Errorf("\nAn error should be kept.\nDecode(...): -first, +second:\n%s", diff)
	}

	step, err := kept(d, input(t, extends))
	if err != nil {
		t.Fatal(err)
	}

	join := func(ctx context.Context, standard *structpb.Value) error {
		_, err := d.Join(ctx, step, input(t, extends), standardOf(standard))
		return err
	}

	for name, standard := range map[string]*structpb.Value{"an object": structpb.NewStructValue(broken), "a text": structpb.NewStringValue("a: *b"), "a number": structpb.NewNumberValue(1)} {
		first := join(t.Context(), standard)
		if diff := cmp.Diff(message(first), message(join(gone, standard))); !errors.As(first, new(*v1beta1.StandardError)) || diff != "" {
			t.Errorf("\nThe error of a standard that is %s should be kept.\nJoin(...): -first, +second:\n%s", name, diff)
		}
	}
}

// fewer is a context that ends once it has been asked so many times.
type fewer struct {
	context.Context //nolint:containedctx // It is one.

	left int
}

func (c *fewer) Err() error {
	if c.left == 0 {
		return context.Canceled
	}

	c.left--

	return nil
}

// TestDecoderForgets proves that errors are not kept if they say nothing about the input.
func TestDecoderForgets(t *testing.T) {
	d := &v1beta1.Decoder{}
	in := input(t, everything)

	step, err := kept(d, input(t, extends))
	if err != nil {
		t.Fatal(err)
	}

	for left := range 100 {
		if _, err := d.Decode(&fewer{t.Context(), left}, in, v1beta1.HashOf(in)); !errors.Is(err, context.Canceled) {
			t.Fatalf("\nDecoding should end with the context, and its error not be kept.\nDecode(...): %v", err)
		}

		if _, err := d.Join(&fewer{t.Context(), left}, step, input(t, extends), standardOf(structpb.NewStructValue(in))); !errors.Is(err, context.Canceled) {
			t.Fatalf("\nJoining should end with the context, and its error not be kept.\nJoin(...): %v", err)
		}
	}

	if _, err := kept(d, in); err != nil {
		t.Errorf("\nAn input should be decoded after a call that has ended.\nDecode(...): %v", err)
	}

	for _, want := range []string{"a", "b"} {
		s := &structpb.Struct{Fields: map[string]*structpb.Value{"\xff" + want: nil}}
		if _, err := kept(d, s); !strings.Contains(message(err), want+`"`) {
			t.Errorf("\nThe error of an input without a hash should not be that of another one.\nDecode(...): %v, want %s", err, want)
		}
	}
}

func TestMethods(t *testing.T) {
	in, err := v1beta1.Decode(input(t, everything))
	if err != nil {
		t.Fatal(err)
	}

	required := map[string]bool{}
	for i := range in.Sources {
		required[in.SourceName(i)] = in.Sources[i].Required()
	}

	want := map[string]bool{`sources[0] "fixed"`: false, "sources[1]": true, "sources[2]": false, "sources[3]": false, "sources[4]": false, `sources[5] "class"`: true, `sources[6] "hop"`: true, "sources[7]": true, "sources[8]": false}
	if diff := cmp.Diff(want, required); diff != "" {
		t.Errorf("\nWhat a source reads should be required if it says so, or is an object.\nRequired(): -want, +got:\n%s", diff)
	}

	metadata := []v1beta1.MetadataSource{{}, {Policy: &v1beta1.SourcePolicy{}}, {Policy: &v1beta1.SourcePolicy{FromFieldPath: "Required"}}, {Policy: &v1beta1.SourcePolicy{FromFieldPath: "Optional"}}}
	for i := range metadata {
		if got := metadata[i].Required(); got != (i < 3) {
			t.Errorf("\nAn object should be required unless it is optional.\nRequired() of %d: %t", i, got)
		}
	}

	kinds := [][]v1beta1.ResourceKind{in.Sources[4].Resource.ResourceKinds(), in.Sources[5].Resource.ResourceKinds()}
	if diff := cmp.Diff([][]v1beta1.ResourceKind{{{APIVersion: "v1", Kind: "ConfigMap"}}, {{APIVersion: "a/v1", Kind: "A"}}}, kinds); diff != "" {
		t.Errorf("\nOne kind should be the only one of several.\nResourceKinds(): -want, +got:\n%s", diff)
	}

	providers := []string{in.ProviderValue(), (&v1beta1.CloudTags{}).ProviderValue(), (&v1beta1.CloudTags{Provider: &v1beta1.StringSource{Value: "aws"}}).ProviderValue()}
	if diff := cmp.Diff([]string{"", "", "aws"}, providers); diff != "" {
		t.Errorf("\nOnly a provider that the input names is its value.\nProviderValue(): -want, +got:\n%s", diff)
	}

	if in.TTL.Duration != 90*time.Minute {
		t.Errorf("\nThe TTL should be a duration: %v", in.TTL)
	}
}

func TestFormats(t *testing.T) {
	in, err := v1beta1.Decode(input(t, `{ignoreTags: [{key: a}], keyFormats: [{provider: gcp, prefix: acme_, replace: {/: --, /E: __}, lowercase: true}, {provider: azure}]}`))
	if err != nil {
		t.Fatal(err)
	}

	set := tags.PropagatingLabelSet{"Platform/Env": "v"}
	transformer := tags.NewTransformer(set.Labels(in.KeyPrefix), in.KeyFormatsByProvider())
	got := map[string]string{}

	for _, name := range []string{"hetzner", "gcp", "azure", "digitalocean"} {
		done := transformer.Transform(profile.Of(name))
		for _, tag := range done.Tags {
			got[name] = tag.Key
		}

		for _, r := range done.Skipped {
			got[name] = r.Key
		}
	}

	want := map[string]string{"hetzner": "plexsphere:Platform/Env", "gcp": "acme_platform__nv", "azure": "plexsphere:Platform/Env", "digitalocean": "plexsphere:Platform-Env"}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("\nAn entry should replace the built-in format, and only that of its provider.\nFormats(): -want, +got:\n%s", diff)
	}
}

func TestValidatePatterns(t *testing.T) {
	for pattern, want := range map[string][2]string{
		"platform/env": {},
		"é日*":          {},
		"*":            {},
		"":             {"must not be empty", "must not be empty"},
		"*/env":        {"a * may only be the last character", "a * may only be the last character"},
		"a**":          {"a * may only be the last character", "a * may only be the last character"},
		"!a":           {"", "matches no key: except says which labels are left out"},
	} {
		if diff := cmp.Diff(want, [2]string{v1beta1.ValidateKeyPattern(pattern), v1beta1.ValidateLabelPattern(pattern)}); diff != "" {
			t.Errorf("\nPatterns that come from a field should be checked as those of the input.\nValidateKeyPattern(%q), ValidateLabelPattern(%q): -want, +got:\n%s", pattern, pattern, diff)
		}
	}
}

// FuzzDecode checks that a decoded input is the same once it is encoded and decoded again.
func FuzzDecode(f *testing.F) {
	texts := []string{everything}
	for _, tc := range refused(f) {
		texts = append(texts, string(tc.Input))
	}

	for _, text := range texts {
		j, err := input(f, text).MarshalJSON()
		if err != nil {
			f.Fatal(err)
		}

		f.Add(j)
	}

	f.Fuzz(func(t *testing.T, j []byte) {
		s := &structpb.Struct{}
		if err := s.UnmarshalJSON(j); err != nil {
			t.Skip("not a JSON object")
		}

		in, err := v1beta1.Decode(s)
		if err != nil {
			if err.Error() == "" {
				t.Error("\nAn error should say something.")
			}

			return
		}

		again, err := v1beta1.Decode(encoded(t, in))
		if err != nil {
			t.Fatalf("\nAn input that was decoded should decode again.\nDecode(...): %v", err)
		}

		if diff := cmp.Diff(encoded(t, in), encoded(t, again), protocmp.Transform()); diff != "" {
			t.Errorf("\nAn input that was decoded should decode to an equal one again.\nDecode(...): -first, +second:\n%s", diff)
		}
	})
}

func BenchmarkDecode(b *testing.B) {
	s := input(b, everything)

	b.ReportAllocs()

	for b.Loop() {
		if _, err := v1beta1.Decode(s); err != nil {
			b.Fatal(err)
		}
	}
}

// BenchmarkDecoder is about an input that was decoded before.
func BenchmarkDecoder(b *testing.B) {
	s := input(b, everything)
	d := &v1beta1.Decoder{}

	b.ReportAllocs()

	for b.Loop() {
		if _, err := kept(d, s); err != nil {
			b.Fatal(err)
		}
	}
}
