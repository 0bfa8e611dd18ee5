package rights

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/plexsphere/function-cloud-tags/tags/field"
	"github.com/plexsphere/function-cloud-tags/tags/profile"
)

// platformKey is the key of a tag of earlier steps that no person writes.
const platformKey = "first"

// rules are the parts of an input that protect keys.
type rules struct {
	provider    string   // The name of the provider that the input gives to all resources, or empty.
	prefix      string   // The keyPrefix.
	prefixes    []string // Prefixes of tag keys, by all key formats.
	reserved    []string
	classifiers []string // Keys that matchCloudTags names.
	policy      []string // Keys of tagPolicy.

	// overridable reports whether a trusted source comes before another source. The source of the canary doesn't count.
	overridable bool

	// deselects reports whether the cloud can deselect resources, whose tags then stay as observed.
	deselects bool

	// copies reports whether kubernetesMetadata is copied.
	copies bool
}

func rulesOf(input map[string]any) rules {
	out := rules{prefix: "plexsphere:", copies: input["kubernetesMetadata"] != nil}
	out.provider, _ = union(input["provider"])["value"].(string)

	if prefix, ok := input["keyPrefix"].(string); ok {
		out.prefix = prefix
	}

	if out.prefixes = []string{"", out.prefix}; input["keyFormats"] != nil {
		out.prefixes = append(out.prefixes, "p_")
	}

	for _, key := range list(input["reservedKeys"]) {
		out.reserved = append(out.reserved, fmt.Sprint(key))
	}

	each(input, "matchCloudTags", func(tags map[string]any) {
		for key := range tags {
			out.classifiers = append(out.classifiers, key)
		}
	})
	each(map[string]any{"resources": input["resources"]}, "matchCloudTags", func(map[string]any) { out.deselects = true })
	slices.Sort(out.classifiers) // Keys are drawn of them, so that a failure can be drawn again.

	for _, rule := range list(union(input["tagPolicy"])["rules"]) {
		out.policy = append(out.policy, fmt.Sprint(union(rule)["key"]))
	}

	sources := list(input["sources"])
	isTrusted := func(source any) bool { return union(source)["trusted"] == true }

	if first := slices.IndexFunc(sources[1:], isTrusted); first >= 0 {
		out.overridable = slices.ContainsFunc(sources[1:][first:], func(source any) bool { return !isTrusted(source) })
	}

	return out
}

// protect reports whether a key of the entry is reserved, a classifier's, or a provider's. A provider fills a list itself, so its keys stay
// there, whoever wrote them. Labels are no tags yet: only reserved keys count.
func (s *rules) protect(k *resourceKind, f *tagField, e *entry) bool {
	if f.Shape == field.Labels {
		return slices.ContainsFunc(e.keys, func(key string) bool { return s.reserves("", key) })
	}

	folds := s.ignoresCase(k)
	isFilled := f.Shape.Form().IsList && f.Path.Segments()[1].Field == "forProvider"

	return slices.ContainsFunc(e.keys, func(key string) bool {
		return s.isReserved(key) || strings.HasPrefix(strings.ToLower(key), "crossplane-") && !isFilled ||
			slices.ContainsFunc(s.classifiers, func(c string) bool { return key == c || folds && strings.EqualFold(key, c) })
	})
}

// ignoresCase reports whether the cloud of the kind ignores case.
func (s *rules) ignoresCase(k *resourceKind) bool {
	return profile.Of(cmp.Or(s.provider, k.Profile)).IgnoresCase()
}

// isReserved reports whether the tag key is reserved, before or after a key format.
func (s *rules) isReserved(key string) bool {
	return slices.ContainsFunc(s.prefixes, func(prefix string) bool { return s.reserves(prefix, key) })
}

// reserves reports whether a reserved key with the prefix is the key.
func (s *rules) reserves(prefix, key string) bool {
	return slices.ContainsFunc(s.reserved, func(pattern string) bool {
		begin, star := strings.CutSuffix(normal(prefix+pattern), "*")
		k := normal(key)

		return k == begin || star && strings.HasPrefix(k, begin)
	})
}

// normal returns the key as all key formats together would have it.
func normal(key string) string {
	return strings.NewReplacer(":", "_", "/", "_", ".", "_", "-", "_", " ", "_").Replace(strings.ToLower(key))
}

// list returns the items of a list.
func list(v any) []any {
	out, _ := v.([]any)
	return out
}
