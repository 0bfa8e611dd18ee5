package rights

import (
	"maps"
	"slices"
	"strings"
	"testing"

	"google.golang.org/protobuf/types/known/structpb"

	"github.com/plexsphere/function-cloud-tags/tags/tagstest"
	"github.com/plexsphere/function-cloud-tags/tags/tagstest/settings"
)

// never are settings that no input of a Composition may have, or that have one value only.
var never = []string{
	"coverage.", // In an Operation only.
	"kubernetesMetadata[].source.resource.unless", "kubernetesMetadata[].source.resource.kindFieldPath", "kubernetesMetadata[].source.resource.kinds", "kubernetesMetadata[].source.resource.defaultMatchLabels", // Only classes allow them.
}

// TestSettings proves that each setting of the input is drawn. With a new setting, add values to inputs.yaml.
func TestSettings(t *testing.T) {
	all := make(map[string]any)

	for name, s := range drawable {
		var entries []any
		for _, e := range s.Entries {
			entries = append(entries, entriesOf(e)...)
		}

		for option, values := range s.Options {
			for _, v := range values {
				entries = append(entries, map[string]any{option: v})
			}
		}

		all[name] = append([]any{entries}, s.Values...)
	}

	for _, path := range slices.Sorted(maps.Keys(settings.All())) {
		name, _, _ := strings.Cut(strings.ReplaceAll(path, "[]", "."), ".")

		isDrawn := slices.ContainsFunc(list(all[name]), func(v any) bool {
			return settings.Has(structpb.NewStructValue(tagstest.Struct(map[string]any{name: v})), path)
		})

		if isNever := slices.ContainsFunc(never, func(prefix string) bool { return strings.HasPrefix(path, prefix) }); isDrawn == isNever {
			t.Errorf("\nEach setting should be drawn, unless no input may have it.\n%s: drawn %t, never %t", path, isDrawn, isNever)
		}
	}
}
