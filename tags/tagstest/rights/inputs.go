package rights

import (
	_ "embed"
	"maps"
	"slices"

	"pgregory.net/rapid"
	"sigs.k8s.io/yaml"

	"github.com/plexsphere/function-cloud-tags/input/v1beta1"
	"github.com/plexsphere/function-cloud-tags/tags/tagstest"
)

// A setting has one of the values, or some of the entries.
type setting struct {
	Values  []any            `json:"values"`
	Entries []any            `json:"entries"`
	Options map[string][]any `json:"options"`
}

//go:embed inputs.yaml
var inputsText []byte

var drawable = func() (out map[string]setting) {
	if err := yaml.UnmarshalStrict(inputsText, &out); err != nil {
		panic(err)
	}

	return out
}()

// canary is a trusted label that no person has. It is a tag of each resource whose tags are managed.
const canary = "canary"

// drawInput draws the fields of an input that is admitted. Settings that the input's rules refuse are left out.
func drawInput(t *rapid.T) map[string]any {
	in := map[string]any{
		"apiVersion": v1beta1.APIVersion, "kind": v1beta1.Kind,
		"sources": []any{map[string]any{"type": "Value", "trusted": true, "values": map[string]any{canary: "trusted-canary"}}},
	}
	additions := []addition{}

	for _, name := range slices.Sorted(maps.Keys(drawable)) {
		s := drawable[name]

		switch {
		case name == "extends":
		case len(s.Values) > 0:
			if rapid.Bool().Draw(t, "has "+name) {
				additions = append(additions, addition{name: name, values: []any{rapid.SampledFrom(s.Values).Draw(t, name)}})
			}
		default:
			limit := 2
			if name == "sources" {
				limit = 4
			}

			for _, i := range rapid.SliceOfNDistinct(rapid.IntRange(0, len(s.Entries)-1), 0, limit, rapid.ID[int]).Draw(t, name) {
				entries := entriesOf(s.Entries[i])
				above := len(entries) - 1
				full := slices.Concat(entries[:above], []any{drawOptions(t, s.Options, union(entries[above]))})
				additions = append(additions, addition{name: name, values: []any{full, entries}})
			}
		}
	}

	all := maps.Clone(in)
	for _, a := range additions {
		a.add(all, 0)
	}

	if isAdmitted(all) {
		return all
	}

	for _, a := range additions {
		for i := range a.values {
			tried := maps.Clone(in)
			a.add(tried, i)

			if isAdmitted(tried) {
				in = tried
				break
			}
		}
	}

	return in
}

// An addition adds one of the values to an input: the first that is admitted. Lists are added to what the input has.
type addition struct {
	name   string
	values []any
}

func (a *addition) add(in map[string]any, i int) {
	if before, ok := in[a.name].([]any); ok {
		in[a.name] = slices.Concat(before, list(a.values[i]))
	} else {
		in[a.name] = a.values[i]
	}
}

// entriesOf returns what one entry of the drawable inputs stands for: an entry, or several sources.
func entriesOf(entry any) []any {
	if several, ok := entry.([]any); ok {
		return several
	}

	return []any{entry}
}

// drawOptions returns the entry with some options that it lacks.
func drawOptions(t *rapid.T, options map[string][]any, entry map[string]any) map[string]any {
	for _, option := range slices.Sorted(maps.Keys(options)) {
		if _, ok := entry[option]; !ok && rapid.IntRange(0, 3).Draw(t, "has "+option) == 0 {
			entry[option] = rapid.SampledFrom(options[option]).Draw(t, option)
		}
	}

	return entry
}

// isAdmitted reports whether the input of a Composition is admitted.
func isAdmitted(in map[string]any) bool {
	decoded, err := v1beta1.Decode(tagstest.Struct(in))
	return err == nil && decoded.CheckComposition() == nil
}

// split draws which settings a standard has, or returns nil for none. The step has the others, and extends the standard.
func split(t *rapid.T, in map[string]any) (step, standard map[string]any) {
	if rapid.IntRange(0, 3).Draw(t, "extends") > 0 {
		return in, nil
	}

	kind := map[string]any{"apiVersion": v1beta1.APIVersion, "kind": v1beta1.Kind}
	step, standard = union(kind, map[string]any{"extends": drawable["extends"].Values[0]}), union(kind)

	for _, name := range slices.Sorted(maps.Keys(in)) {
		if kind[name] == nil && rapid.Bool().Draw(t, name+" in the standard") {
			standard[name] = in[name]
		} else {
			step[name] = in[name]
		}
	}

	return step, standard
}

// each calls f for each map below the value whose key is the name.
func each(v any, name string, f func(map[string]any)) {
	switch v := v.(type) {
	case map[string]any:
		for key, value := range v {
			if m, ok := value.(map[string]any); ok && key == name {
				f(m)
			}

			each(value, name, f)
		}
	case []any:
		for _, item := range v {
			each(item, name, f)
		}
	}
}
