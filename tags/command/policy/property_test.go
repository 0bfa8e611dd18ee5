package policy

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"pgregory.net/rapid"
	"sigs.k8s.io/yaml"

	fnv1 "github.com/crossplane/function-sdk-go/proto/v1"
	"github.com/crossplane/function-sdk-go/resource"

	"github.com/plexsphere/function-cloud-tags/input/v1beta1"
	"github.com/plexsphere/function-cloud-tags/tags"
	"github.com/plexsphere/function-cloud-tags/tags/field"
	"github.com/plexsphere/function-cloud-tags/tags/profile"
	"github.com/plexsphere/function-cloud-tags/tags/require"
	"github.com/plexsphere/function-cloud-tags/tags/resolve"
)

// pieces of keys, prefixes and what replaces them. Some are reserved, some collide,
// and some are of other cases than they look.
var pieces = []string{
	"", "a", "b", "ab", "ba", "A", "B", "0", "-", "_", ".", "/", ":", " ", "x.y", "É", "İ", "ſ", "\u212a", "Ⱥ", "𝐀", "日", "'", `\`, "\n", "😀",
	"aws:", "Azure", "microsoft", "goog", "goog-partner-solution", "hetzner.cloud/", "crossplane-", "kind", "name", "zone", "Zone", "plexsphere",
	"project", "Name", "qcloud", "http://",
}

// joined returns a generator of strings of so many pieces.
func joined(of []string, most int) *rapid.Generator[string] {
	return rapid.Map(rapid.SliceOfN(rapid.SampledFrom(of), 0, most), func(s []string) string { return strings.Join(s, "") })
}

// asciiOf returns those of the strings that are ASCII.
func asciiOf(of []string) []string {
	return slices.DeleteFunc(slices.Clone(of), func(s string) bool {
		return strings.ContainsFunc(s, func(r rune) bool { return r > 127 })
	})
}

// unlikeASCII returns those of the strings without characters that are ASCII ones in another case.
// The policy does not look for them in keys, of which Kubernetes admits ASCII only.
func unlikeASCII(of []string) []string {
	return slices.DeleteFunc(slices.Clone(of), func(s string) bool { return strings.ContainsAny(s, "\u212aſİ") })
}

// long returns a generator of strings around the lengths, in bytes.
func long(char string, lengths ...int) *rapid.Generator[string] {
	return rapid.Custom(func(t *rapid.T) string {
		n := rapid.SampledFrom(lengths).Draw(t, "length")/len(char) + rapid.IntRange(-13, 2).Draw(t, "more")
		return strings.Repeat(char, n)
	})
}

// inputs returns a generator of inputs with one source.
func inputs() *rapid.Generator[map[string]any] {
	return rapid.Custom(func(t *rapid.T) map[string]any {
		provider := rapid.SampledFrom(profile.Names()).Draw(t, "provider")
		source := map[string]any{"type": "CompositeMetadata", "prefix": prefix, "trusted": rapid.IntRange(0, 3).Draw(t, "trusted") == 0}
		source["keyForm"] = rapid.SampledFrom([]string{"Qualified", "Qualified", "Tag"}).Draw(t, "form")
		source["encoding"] = rapid.SampledFrom([]string{"Plain", "Plain", "Plain", "JSON"}).Draw(t, "encoding")

		if rapid.IntRange(0, 4).Draw(t, "include") == 0 {
			include := map[string]any{"keys": rapid.SliceOfN(patterns(), 0, 3).Draw(t, "included")}
			if except := rapid.SliceOfN(patterns(), 0, 2).Draw(t, "excepted"); len(except) > 0 {
				include["except"] = except
			}

			source["include"] = include
		}

		input := map[string]any{
			"apiVersion":   v1beta1.APIVersion,
			"kind":         v1beta1.Kind,
			"provider":     map[string]any{"value": provider},
			"keyPrefix":    rapid.OneOf(rapid.SampledFrom([]string{"", "", "plexsphere:", "acme-"}), joined(pieces, 2)).Draw(t, "prefix"),
			"sources":      []any{source},
			"reservedKeys": rapid.SliceOfN(patterns(), 0, 2).Draw(t, "reserved"),
			"reservedTags": map[string]any{provider: rapid.SampledFrom([]int{0, 0, 3, 100}).Draw(t, "slots")},
			"providerTags": rapid.SampledFrom([]string{"Reserve", "None"}).Draw(t, "provider's tags"),
			"profileRules": rapid.SampledFrom([]string{"Contract", "Cloud"}).Draw(t, "rules"),
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

// composite returns a Zone with the labels and annotations.
func composite(labels, annotations map[string]string) *unstructured.Unstructured {
	return object("Zone", objectMeta{Labels: labels, Annotations: annotations})
}

// A fate is what the function does with the labels and annotations of a resource.
type fate struct {
	failed bool

	// skipped for other reasons than other labels.
	skipped []tags.SkippedLabel

	// tags, with those that other labels took the place of, and slots for them.
	tags, slots int
}

// fateOf asks the function itself.
func fateOf(t *rapid.T, in *v1beta1.CloudTags, o *unstructured.Unstructured) fate {
	xr, err := resource.AsStruct(o)
	if err != nil {
		t.Fatal(err)
	}

	req := &fnv1.RunFunctionRequest{Observed: &fnv1.State{Composite: &fnv1.Resource{Resource: xr}}}

	labels, err := resolve.Resolve(t.Context(), in, req, require.New(req))
	if err != nil {
		return fate{failed: true}
	}

	transformer := labels.Transformer(in)

	p := in.ProfileRules.ProfileOf(in.ProviderValue(), "", "")
	done := transformer.Transform(p)
	slots := p.MaxTags - int(in.ReservedTags[p.Name])

	if in.ProviderTags == v1beta1.ProviderTagsReserve {
		slots -= len(field.ProviderTags(p.Name))
	}

	f := fate{tags: len(done.Tags), slots: max(slots, 0)}

	for _, s := range done.Refused {
		if s.Reason == profile.KeyCollision {
			f.tags++
			continue
		}

		f.skipped = append(f.skipped, s.Skip(p.Name, s.Reason))
	}

	return f
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

		policy, _ := decodeManifests(t, output(t, string(y), "--composition", "-"))
		v := compileFor(t, latest(), policy)
		source, _ := w["sources"].([]any)[0].(map[string]any)

		in, err := v1beta1.DecodeObject(w)
		if err != nil {
			t.Fatal(err)
		}

		for range 5 {
			ascii := rapid.Bool().Draw(t, "ascii")
			keys := unlikeASCII(pieces)

			if ascii {
				keys = asciiOf(pieces)
			}

			labels, annotations := metadataOf(keys).Draw(t, "labels"), metadataOf(keys).Draw(t, "annotations")
			refused := refusals(t, v, &request{resource: resources["Zone"], object: composite(labels, annotations)})
			f := fateOf(t, in, composite(labels, annotations))

			if len(refused) == 0 && (f.failed || len(f.skipped) > 0 || f.tags > f.slots) {
				t.Errorf("what the policy admits should become tags, but the function does this with it: %+v", f)
			}

			// The policy is stricter about keys and texts that CEL can't read, and
			// about labels that annotations take the place of.
			if !ascii || source["encoding"] == "JSON" {
				continue
			}

			alone := fateOf(t, in, composite(labels, nil))
			if len(refused) > 0 && len(f.skipped)+len(alone.skipped) == 0 && f.tags <= f.slots {
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

		created := refusals(t, v, &request{resource: resources["Zone"], object: composite(nil, added)})
		updated := refusals(t, v, &request{resource: resources["Zone"], object: composite(nil, now), old: composite(nil, old)})
		tooMany := func(m string) bool { return strings.Contains(m, string(profile.CountCap)) }

		// Messages name labels in no order, since CEL can't sort.
		if c, u := slices.DeleteFunc(created, tooMany), slices.DeleteFunc(updated, tooMany); len(c) != len(u) {
			t.Errorf("an update should be refused for what it adds, but adding it alone is refused for\n%s\nand the update for\n%s", c, u)
		}
	})
}
