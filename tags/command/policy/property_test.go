package policy

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"google.golang.org/protobuf/types/known/structpb"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"pgregory.net/rapid"
	"sigs.k8s.io/yaml"

	fnv1 "github.com/crossplane/function-sdk-go/proto/v1"

	"github.com/plexsphere/function-cloud-tags/input/v1beta1"
	"github.com/plexsphere/function-cloud-tags/tags"
	"github.com/plexsphere/function-cloud-tags/tags/field"
	"github.com/plexsphere/function-cloud-tags/tags/object"
	"github.com/plexsphere/function-cloud-tags/tags/profile"
	"github.com/plexsphere/function-cloud-tags/tags/require"
	"github.com/plexsphere/function-cloud-tags/tags/resolve"
	"github.com/plexsphere/function-cloud-tags/tags/tagpolicy"
	"github.com/plexsphere/function-cloud-tags/tags/tagstest"
)

// pieces of keys, prefixes and what replaces them. Some are reserved, some collide,
// and some are of other cases than they look.
var pieces = []string{
	"", "a", "b", "ab", "ba", "A", "B", "0", "-", "_", ".", "/", ":", " ", "x.y", "É", "İ", "ſ", "\u212a", "Ⱥ", "𝐀", "日", "'", `\`, "\n", "😀",
	"aws:", "Azure", "microsoft", "goog", "goog-partner-solution", "hetzner.cloud/", "crossplane-", "kind", "name", "zone", "Zone", "plexsphere",
	"project", "Name", "qcloud", "http://",
}

// joined returns a generator of strings of the parts, at most limit of them.
func joined(parts []string, limit int) *rapid.Generator[string] {
	return rapid.Map(rapid.SliceOfN(rapid.SampledFrom(parts), 0, limit), func(s []string) string { return strings.Join(s, "") })
}

// asciiOf returns the texts that are ASCII.
func asciiOf(texts []string) []string {
	return slices.DeleteFunc(slices.Clone(texts), func(s string) bool {
		return strings.ContainsFunc(s, func(r rune) bool { return r > 127 })
	})
}

// long returns a generator of strings around the lengths, in bytes.
func long(char string, lengths ...int) *rapid.Generator[string] {
	return rapid.Custom(func(t *rapid.T) string {
		n := rapid.SampledFrom(lengths).Draw(t, "length")/len(char) + rapid.IntRange(-13, 2).Draw(t, "more")
		return strings.Repeat(char, n)
	})
}

// sources returns a generator of sources that read objects.
func sources() *rapid.Generator[map[string]any] {
	return rapid.Custom(func(t *rapid.T) map[string]any {
		source := map[string]any{"trusted": rapid.IntRange(0, 3).Draw(t, "trusted") == 0}
		source["keyForm"] = rapid.SampledFrom([]string{"Qualified", "Qualified", "Tag"}).Draw(t, "form")
		source["encoding"] = rapid.SampledFrom([]string{"Plain", "Plain", "Plain", "JSON", "Scalar"}).Draw(t, "encoding")

		isMap := rapid.Bool().Draw(t, "map")
		if isMap {
			source["fromFieldPath"] = "spec.labels"
		} else {
			source["prefix"] = prefix
		}

		switch isConfig := rapid.IntRange(0, 3).Draw(t, "config") == 0; {
		case isConfig:
			source["type"] = "ProviderConfig"
			source["names"] = rapid.SampledFrom([][]string{{"x"}, {"w", "x"}, {"y"}}).Draw(t, "names")
		case isMap:
			source["type"] = "CompositeField"
		default:
			source["type"] = "CompositeMetadata"
		}

		if rapid.IntRange(0, 4).Draw(t, "include") == 0 {
			include := map[string]any{"keys": rapid.SliceOfN(patterns(), 0, 3).Draw(t, "included")}
			if except := rapid.SliceOfN(patterns(), 0, 2).Draw(t, "excepted"); len(except) > 0 {
				include["except"] = except
			}

			source["include"] = include
		}

		return source
	})
}

// withOwn returns a generator of sources: the given source, and perhaps labels of the input itself before or after it.
func withOwn(source map[string]any) *rapid.Generator[[]any] {
	return rapid.Custom(func(t *rapid.T) []any {
		labels := rapid.MapOfN(joined(pieces, 2), joined(pieces, 1), 1, 4).Draw(t, "own labels")

		for i := range rapid.SampledFrom([]int{0, 0, 25, 47, 64}).Draw(t, "many own labels") {
			labels[fmt.Sprintf("k%03d", 2*i)] = "v"
		}

		return rapid.SampledFrom([][]any{
			{source}, {source}, {map[string]any{"type": "Value", "values": labels}, source}, {source, map[string]any{"type": "Value", "values": labels, "trusted": true}},
		}).Draw(t, "sources")
	})
}

// tagPolicies returns a generator of tag policies.
func tagPolicies() *rapid.Generator[map[string]any] {
	return rapid.Custom(func(t *rapid.T) map[string]any {
		rules := rapid.SliceOfN(rapid.Custom(func(t *rapid.T) map[string]any {
			isThere := func(s string) bool { return s != "" }
			rule := map[string]any{"key": joined(pieces, 2).Filter(isThere).Draw(t, "key"), "required": rapid.Bool().Draw(t, "required")}

			if values := rapid.SliceOfN(joined(append([]string{"*"}, pieces...), 2).Filter(isThere), 0, 2).Draw(t, "values"); len(values) > 0 {
				rule["values"] = values
			}

			return rule
		}), 1, 2).Draw(t, "rules")

		return map[string]any{"rules": rules}
	})
}

// inputs returns a generator of inputs with one source that reads objects.
func inputs() *rapid.Generator[map[string]any] {
	return rapid.Custom(func(t *rapid.T) map[string]any {
		provider := rapid.SampledFrom(profile.Names()).Draw(t, "provider")
		source := sources().Draw(t, "source")

		input := map[string]any{
			"apiVersion":   v1beta1.APIVersion,
			"kind":         v1beta1.Kind,
			"provider":     map[string]any{"value": provider},
			"keyPrefix":    rapid.OneOf(rapid.SampledFrom([]string{"", "", "plexsphere:", "acme-"}), joined(pieces, 2)).Draw(t, "prefix"),
			"sources":      withOwn(source).Draw(t, "with own labels"),
			"reservedKeys": rapid.SliceOfN(patterns(), 0, 2).Draw(t, "reserved"),
			"reservedTags": map[string]any{provider: rapid.SampledFrom([]int{0, 0, 3, 100}).Draw(t, "slots")},
			"providerTags": rapid.SampledFrom([]string{"Reserve", "None"}).Draw(t, "provider's tags"),
			"profileRules": rapid.SampledFrom([]string{"Contract", "Cloud"}).Draw(t, "rules"),
		}

		// With other sources, it is not known whether they give the tags.
		if list, _ := input["sources"].([]any); len(list) == 1 && source["type"] != "ProviderConfig" && rapid.IntRange(0, 2).Draw(t, "policed") == 0 {
			input["tagPolicy"] = tagPolicies().Draw(t, "tag policy")
		}

		// An untrusted label may not have a tag key that matchCloudTags names.
		isThere := func(s string) bool { return s != "" }
		if classifiers := rapid.SliceOfN(joined(pieces, 2).Filter(isThere), 0, 3).Draw(t, "classifiers"); len(classifiers) > 0 {
			values := make(map[string]any)
			for _, key := range classifiers {
				values[key] = "yes"
			}

			input["resources"] = []any{map[string]any{"matchCloudTags": values}}
		}

		rules := profile.Rules(fmt.Sprint(input["profileRules"]))

		// replacements are what a format may replace. Others are refused with the input.
		replacements := func(lower bool, limit func(provider, text string) string) *rapid.Generator[map[string]string] {
			legal := func(text string) bool {
				if lower {
					text = strings.ToLower(text)
				}

				return limit(provider, text) == ""
			}

			return rapid.MapOfN(joined(pieces, 2).Filter(func(s string) bool { return s != "" }), joined(pieces, 1).Filter(legal), 0, 4)
		}

		if rapid.Bool().Draw(t, "formatted") {
			lower := rapid.Bool().Draw(t, "lowercase")
			format := map[string]any{"provider": provider, "lowercase": lower}
			replace := replacements(lower, rules.KeyLimit).Draw(t, "replace")

			to := make(map[string]any, len(replace))
			for k, v := range replace {
				to[k] = v
			}

			format["replace"] = to

			// Others are refused with the input.
			if prefix := joined(pieces, 2).Draw(t, "format prefix"); rapid.Bool().Draw(t, "prefixed") &&
				rules.PrefixLimit(provider, profile.NewFormat(&prefix, replace, lower)) == "" {
				format["prefix"] = prefix
			}

			input["keyFormats"] = []any{format}
		}

		if rapid.IntRange(0, 2).Draw(t, "formatted values") == 0 {
			to := make(map[string]any)
			lower := rapid.Bool().Draw(t, "lowercase values")

			for k, v := range replacements(lower, rules.ValueLimit).Draw(t, "replace in values") {
				to[k] = v
			}

			input["valueFormats"] = []any{map[string]any{"provider": provider, "lowercase": lower, "replace": to}}
		}

		return input
	})
}

// TestOptions proves that inputs() draws each option of sources and of include, unless policies need not know it. So
// TestAdmittedIsNeverSkipped compares policies with the function for each option.
func TestOptions(t *testing.T) {
	t.Parallel()

	drawn := make(map[string]any)

	for seed := range 200 {
		list, _ := inputs().Example(seed)["sources"].([]any)
		for _, s := range list {
			s, _ := s.(map[string]any)
			maps.Copy(drawn, s)

			include, _ := s["include"].(map[string]any)
			maps.Copy(drawn, include)
		}
	}

	left := map[string]string{
		"name":              "It is for messages.",
		"expressions":       "Labels of the input itself are drawn as values.",
		"resource":          "All objects of the kind are checked.",
		"pick":              "All objects of the kind are checked.",
		"keyValueList":      "A note says that lists are unchecked.",
		"contextKey":        "The API server knows no context.",
		"source":            "Keys that fields list are unknown, so all are checked.",
		"expression":        "Keys that an expression gives are unknown, so all are checked.",
		"providerFieldPath": "It gives no labels.",
		"resources":         "A note says that the source counts as if it were for all.",
		"onConflict":        "Steps before have other tags, not other labels.",
		"policy":            "Labels that aren't there break no rule of a cloud.",
	}

	for _, option := range append(tagstest.Options[v1beta1.Source](), tagstest.Options[v1beta1.Include]()...) {
		if _, ok := drawn[option]; ok == (left[option] != "") {
			t.Errorf("%s: sources() should draw this option of sources, or left should say why reading.go and required.go need not know it", option)
		}
	}
}

// patterns returns a generator of keys and of beginnings of keys.
func patterns() *rapid.Generator[string] {
	return rapid.Custom(func(t *rapid.T) string {
		p := joined(pieces, 2).Draw(t, "pattern")
		if p == "" || rapid.Bool().Draw(t, "star") {
			p += "*"
		}

		return p
	})
}

// metadataOf returns a generator of labels or annotations, whose keys are made of the pieces in keys.
func metadataOf(keys []string) *rapid.Generator[map[string]string] {
	key := rapid.OneOf(joined(keys, 3), joined(keys, 3), long("k", 63, 128, 255, 512))
	value := rapid.OneOf(
		joined(pieces, 3), rapid.String(), long("v", 63, 128, 255, 256), long("é", 63, 128, 255, 256),
		rapid.Map(joined(pieces, 2), func(s string) string { return `"` + s + `"` }),
		rapid.SampledFrom([]string{"1", "-0", "1.5", "true", "null", `"\u0061"`, `"`, ` "a"`, `""`}),
	)

	return rapid.Custom(func(t *rapid.T) map[string]string {
		out := map[string]string{"other.example.org/x": "y"}
		for k, v := range rapid.MapOfN(key, value, 0, 2).Draw(t, "metadata") {
			out[prefix+k] = v
		}

		if rapid.IntRange(0, 9).Draw(t, "many") == 0 {
			maps.Copy(out, many(rapid.SampledFrom([]int{29, 30, 47, 50, 51, 64, 65}).Draw(t, "count"), "k%03d", "v"))
		}

		return out
	})
}

// mapOf returns a generator of maps of labels, whose keys are made of the pieces in keys.
func mapOf(keys []string) *rapid.Generator[map[string]any] {
	other := rapid.SampledFrom([]any{nil, true, int64(1), int64(1 << 53), 1.5, []any{"a"}, map[string]any{}})

	return rapid.Custom(func(t *rapid.T) map[string]any {
		out := make(map[string]any)
		for k, v := range metadataOf(keys).Draw(t, "strings") {
			out[strings.TrimPrefix(k, prefix)] = v
		}

		for k := range rapid.MapOfN(joined(keys, 3), rapid.Just(0), 0, 1).Draw(t, "others") {
			out[k] = other.Draw(t, "value")
		}

		return out
	})
}

// composite returns a Zone with the annotations.
func composite(annotations map[string]string) *unstructured.Unstructured {
	return objectOf("Zone", objectMeta{Annotations: annotations})
}

// A fate is what the function does with the labels of an object.
type fate struct {
	failed bool

	// skipped are labels of the object that are skipped for themselves, and inputSkipped are labels of the input.
	skipped, inputSkipped []tags.SkippedLabel

	// tags, labels that collide with others, and slots for tags.
	tags, colliding, slots int

	// breaches of the rules of the tag policy, by their positions.
	breaches map[int]tagpolicy.Breach
}

// labelsOf resolves the sources of the input for an object, which is the composite resource, or the provider config
// of a composed resource.
func labelsOf(t *rapid.T, in *v1beta1.CloudTags, o *unstructured.Unstructured) (*resolve.LabelSet, error) {
	resource, err := structpb.NewStruct(o.Object)
	if err != nil {
		t.Fatal(err)
	}

	req := &fnv1.RunFunctionRequest{Observed: &fnv1.State{Composite: &fnv1.Resource{Resource: resource}}}
	c := &resolve.ComposedResource{Name: "a", Desired: object.FromStruct(&structpb.Struct{})}

	if strings.HasSuffix(o.GetKind(), "ProviderConfig") {
		req.Observed.Composite.Resource = nil
		c.Config = resolve.Config{GroupVersionKind: o.GroupVersionKind(), Name: o.GetName(), Namespaced: o.GetNamespace() != ""}
		c.Desired = object.FromStruct(tagstest.MustStructJSON(`{"metadata": {"namespace": "default"}}`))
	}

	required := require.New(req)

	set, err := resolve.Resolve(t.Context(), in, req, required, nil)
	if err != nil || set.PerResource == nil {
		return &set, err
	}

	set.PerResource.RequireConfig(c)
	required.Answer([]*structpb.Struct{resource})

	if set, err = resolve.Resolve(t.Context(), in, req, require.New(req), nil); err != nil {
		return nil, err
	}

	return set.PerResource.LabelSetOf(c)
}

// fateOf asks the function itself.
func fateOf(t *rapid.T, in *v1beta1.CloudTags, o *unstructured.Unstructured) fate {
	labels, err := labelsOf(t, in, o)
	if err != nil {
		return fate{failed: true}
	}

	p := in.ProfileRules.ProfileOf(in.ProviderValue(), "", "")
	done := labels.Transformer(in).Transform(p)
	slots := p.MaxTags - int(in.ReservedTags[p.Name])

	if in.ProviderTags == v1beta1.ProviderTagsReserve {
		slots -= len(field.ProviderTags(p.Name))
	}

	f := fate{tags: len(done.Tags), slots: max(slots, 0), breaches: make(map[int]tagpolicy.Breach)}

	for _, s := range done.Skipped {
		switch {
		case s.Reason == profile.KeyCollision:
			f.colliding++
		case in.Sources[s.Source.Position].Type == v1beta1.SourceTypeValue:
			f.inputSkipped = append(f.inputSkipped, s.SkippedLabel(p.Name, s.Reason))
		default:
			f.skipped = append(f.skipped, s.SkippedLabel(p.Name, s.Reason))
		}
	}

	rules := tagpolicy.Rules(in.TagPolicy, done, p)
	for i := range rules {
		if b := rules[i].Breach(func(yield func(string, string) bool) {
			for _, t := range done.Tags {
				if !yield(t.Key, t.Value) {
					return
				}
			}
		}); b.Kind != tagpolicy.NoBreach {
			f.breaches[i] = b
		}
	}

	return f
}

// An asked object is one that the policy and the function are asked about.
type asked struct {
	*unstructured.Unstructured

	// The same object.
	withoutAnnotations, withoutLabels *unstructured.Unstructured
}

// askedObjects returns a generator of objects of which the source reads labels, whose keys are made of the pieces in keys.
func askedObjects(source map[string]any, keys []string) *rapid.Generator[asked] {
	return rapid.Custom(func(t *rapid.T) asked {
		o := composite(nil)

		if source["type"] == "ProviderConfig" {
			o = objectOf(rapid.SampledFrom([]string{"ProviderConfig", "ClusterProviderConfig"}).Draw(t, "kind"), objectMeta{})
			o.SetNamespace(map[string]string{"ProviderConfig": "default"}[o.GetKind()])
		}

		none := o.DeepCopy()

		if source["fromFieldPath"] != nil {
			_ = unstructured.SetNestedMap(o.Object, mapOf(keys).Draw(t, "map"), "spec", "labels")
			return asked{o, o, none}
		}

		o.SetLabels(metadataOf(keys).Draw(t, "labels"))
		alone := o.DeepCopy()
		o.SetAnnotations(metadataOf(keys).Draw(t, "annotations"))

		return asked{o, alone, none}
	})
}

// TestAdmittedIsNeverSkipped asks the policy and the function about the same objects.
func TestAdmittedIsNeverSkipped(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		w := inputs().Draw(t, "input")

		j, err := json.Marshal(w)
		if err != nil {
			t.Fatal(err)
		}

		y, err := yaml.JSONToYAML([]byte(`{
			"apiVersion": "apiextensions.crossplane.io/v1", "kind": "Composition", "metadata": {"name": "zone"},
			"spec": {"compositeTypeRef": {"apiVersion": "platform.example.org/v1alpha1", "kind": "Zone"}, "pipeline": [{"step": "tags", "input": ` + string(j) + `}]}
		}`))
		if err != nil {
			t.Fatal(err)
		}

		all, _ := w["sources"].([]any)
		source, _ := all[slices.IndexFunc(all, func(s any) bool { return s.(map[string]any)["type"] != "Value" })].(map[string]any)
		args := []string{"--composition", "-"}

		if source["type"] == "ProviderConfig" {
			args = append(args, "--match", "aws.m.upbound.io/v1beta1/ProviderConfig", "--match", "aws.m.upbound.io/v1beta1/ClusterProviderConfig")
		}

		if w["tagPolicy"] != nil {
			args = append(args, "--required")
		}

		text := output(t, string(y), args...)
		policy, _ := decodeManifests(t, text)
		v := compileFor(t, latest(), policy)

		in, err := v1beta1.DecodeObject(w)
		if err != nil {
			t.Fatal(err)
		}

		withoutOwn := in.DeepCopy()
		withoutOwn.Sources = slices.DeleteFunc(withoutOwn.Sources, func(s v1beta1.Source) bool { return s.Type == v1beta1.SourceTypeValue })

		for range 5 {
			ascii := rapid.Bool().Draw(t, "ascii")
			keys := pieces

			if ascii {
				keys = asciiOf(pieces)
			}

			o := askedObjects(source, keys).Draw(t, "object")
			refused := refusals(t, v, &request{resource: resources[o.GetKind()], object: o.Unstructured})
			f := fateOf(t, in, o.Unstructured)

			// The policy notes that a tag without a source can't be required. No API server admits a label or an annotation whose key is
			// tags.example.org/http://, so the policy doesn't judge its value, either.
			maps.DeleteFunc(f.breaches, func(i int, b tagpolicy.Breach) bool {
				isImpossible := source["prefix"] == prefix && !isAnnotationKey(prefix+in.TagPolicy.Rules[i].Key)
				return (b.Kind == tagpolicy.Missing || isImpossible) && bytes.Contains(text, fmt.Appendf(nil, "tagPolicy.rules[%d]", i))
			})

			// The input itself may have too many labels. Its skipped labels have slots, too, since a label of the object can take the
			// place of one: of {a: A} in the input, which gcp refuses, and {a: x} in the object, the tag is a: x.
			none := fateOf(t, in, o.withoutLabels)
			ofInput := none.tags + len(none.inputSkipped)

			if len(refused) == 0 && (f.failed || len(f.skipped)+len(f.breaches) > 0 || f.tags > max(f.slots, ofInput)) {
				t.Errorf("what the policy admits should become tags, but the function does this with it: %+v", f)
			}

			// The policy is stricter about keys and values that CEL can't read, and
			// about labels that others take the place of.
			if !ascii || source["encoding"] != "Plain" {
				continue
			}

			wrong := len(f.inputSkipped)
			for _, f := range []fate{f, fateOf(t, withoutOwn, o.Unstructured), fateOf(t, withoutOwn, o.withoutAnnotations)} {
				wrong += len(f.skipped) + len(f.breaches)
			}

			if len(refused) > 0 && !f.failed && wrong == 0 && f.tags+f.colliding <= f.slots && (in.TagPolicy == nil || f.colliding == 0) {
				t.Errorf("what the function makes tags of should be admitted, but the policy refuses it: %s", refused)
			}
		}
	})
}

// TestUpdates changes some labels of an object. The policy should judge these alone.
func TestUpdates(t *testing.T) {
	policy, _ := decodeManifests(t, output(t, "", "--provider", "gcp", "--prefix", prefix, "--match", "platform.example.org/v1/Zone", "--reserved-key", "zone*"))
	v := compileFor(t, latest(), policy)

	rapid.Check(t, func(t *rapid.T) {
		old, added := metadataOf(pieces).Draw(t, "old"), metadataOf(pieces).Draw(t, "added")
		maps.DeleteFunc(added, func(k, _ string) bool { _, ok := old[k]; return ok })

		now := maps.Clone(old)
		maps.Copy(now, added)

		for k := range old {
			if rapid.Bool().Draw(t, "removed") {
				delete(now, k)
			}
		}

		created := refusals(t, v, &request{resource: resources["Zone"], object: composite(added)})
		updated := refusals(t, v, &request{resource: resources["Zone"], object: composite(now), old: composite(old)})
		tooMany := func(m string) bool { return strings.Contains(m, string(profile.CountCap)) }

		// Messages name labels in no order, since CEL can't sort.
		if c, u := slices.DeleteFunc(created, tooMany), slices.DeleteFunc(updated, tooMany); len(c) != len(u) {
			t.Errorf("an update should be refused for what it adds, but adding it alone is refused for\n%s\nand the update for\n%s", c, u)
		}
	})
}
