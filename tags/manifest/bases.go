package manifest

import (
	"maps"
	"regexp"
	"slices"

	"k8s.io/apimachinery/pkg/runtime/schema"
)

// templated matches an apiVersion in a template, which is text of YAML.
var templated = regexp.MustCompile(`(?m)^[ \t-]*["']?apiVersion["']?:[ \t]*["']?([a-z0-9.-]+)/[a-z0-9]+\b`)

// basesOf returns the kinds of all objects in the value, which is the input of a step, in their order: those are of
// resources that the step makes. Of objects in templates it returns the API group alone.
func basesOf(v any) (out []schema.GroupKind) {
	switch v := v.(type) {
	case map[string]any:
		apiVersion, _ := v["apiVersion"].(string)
		if kind, _ := v["kind"].(string); apiVersion != "" && kind != "" {
			out = append(out, schema.FromAPIVersionAndKind(apiVersion, kind).GroupKind())
		}

		for _, name := range slices.Sorted(maps.Keys(v)) {
			out = append(out, basesOf(v[name])...)
		}
	case []any:
		for _, item := range v {
			out = append(out, basesOf(item)...)
		}
	case string:
		for _, found := range templated.FindAllStringSubmatch(v, -1) {
			out = append(out, schema.GroupKind{Group: found[1]})
		}
	}

	return out
}
