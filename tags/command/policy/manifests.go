package policy

import (
	_ "embed"
	"slices"
	"strings"
	"text/template"
	"unicode/utf8"

	"sigs.k8s.io/yaml"

	"github.com/plexsphere/function-cloud-tags/input/v1beta1"
	"github.com/plexsphere/function-cloud-tags/tags"
)

const header = `# Made by function-cloud-tags policy. Make it again when the input of the function
# changes, or the function.
`

//go:embed policy.yaml.tmpl
var text string

// manifests are the policy and its binding.
var manifests = template.Must(template.New("").Funcs(template.FuncMap{
	"quote":         quote,
	"quoteAll":      quoteAll,
	"runes":         utf8.RuneCountInString,
	"providersKeys": tags.ProvidersKeys,
	"metadata": func() []metadata {
		return []metadata{{"label", "variables.labels", "variables.oldLabels"}, {"annotation", "variables.annotations", "variables.oldAnnotations"}}
	},
}).Parse(text))

// metadata of an object that has keys and values, and what the policy's expressions call it.
type metadata struct{ What, Now, Old string }

// A policy is what its manifests are made of: an input, and more.
type policy struct {
	*v1beta1.CloudTags

	Name, Action string
	Kinds        []string
	Readings     []*reading
	Profiles     []*profile

	plurals map[string]string // Of kinds, if they are given.
}

// manifests of the policy and of its binding, without anything that the API server fills in.
func (p *policy) manifests() (string, error) {
	out := &strings.Builder{}
	if err := manifests.Execute(out, p); err != nil {
		return "", err
	}

	// Plain YAML with sorted fields.
	docs := strings.Split(out.String(), "\n---\n")

	for i, doc := range docs {
		var o any
		if err := yaml.Unmarshal([]byte(doc), &o); err != nil {
			return "", err
		}

		y, _ := yaml.Marshal(o) // It was YAML.
		docs[i] = string(y)
	}

	return header + strings.Join(docs, "---\n"), nil
}

// Prefixes of labels and annotations, each once.
func (p *policy) Prefixes() (out []string) {
	for _, r := range p.Readings {
		out = add(out, r.Prefix)
	}

	return out
}

// TellsKinds is true if not all kinds are treated alike.
func (p *policy) TellsKinds() bool {
	return slices.ContainsFunc(p.Readings, func(r *reading) bool { return len(r.kinds) < len(p.Kinds) || r.byKind() })
}

// TellsTrust is true if not all labels are equally trusted.
func (p *policy) TellsTrust() bool {
	return slices.ContainsFunc(p.Readings, func(r *reading) bool { return r.Trust() != p.Readings[0].Trust() || r.byKind() })
}

// TellsForms is true if not all keys are in one form.
func (p *policy) TellsForms() bool {
	return slices.ContainsFunc(p.Readings, func(r *reading) bool { return r.Form != p.Readings[0].Form })
}

// JSONReadings are those whose values have to be decoded.
func (p *policy) JSONReadings() []*reading {
	return slices.DeleteFunc(slices.Clone(p.Readings), func(r *reading) bool { return !r.JSON })
}
