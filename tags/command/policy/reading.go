package policy

import (
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/plexsphere/function-cloud-tags/input/v1beta1"
	"github.com/plexsphere/function-cloud-tags/tags/field"
	"github.com/plexsphere/function-cloud-tags/tags/manifest"
	"github.com/plexsphere/function-cloud-tags/tags/object"
	"github.com/plexsphere/function-cloud-tags/tags/resolve"
	"github.com/plexsphere/function-cloud-tags/tags/words"
)

// readOptions are the settings of a source that say how it reads labels, except the object that it reads. Sources with the same
// readOptions share a reading.
type readOptions struct {
	// Prefix is the prefix of labels and annotations, such as tags.example.org/. If it is empty, path is the path of a map, such as
	// spec.labels.
	Prefix string
	path   string

	Form     v1beta1.KeyForm
	encoding v1beta1.Encoding

	// included is the condition that the key k is included, such as ` && k in ['zone']`. It is empty if all keys are.
	included string

	// config says that the source reads configs of providers. named is the condition that it names the config, such as
	// ` && object.metadata.?name.orValue('') in ['prod']`, or empty if it reads all configs.
	config bool
	named  string
}

// readOptionsOf returns the readOptions of the source for objects of the kind.
func readOptionsOf(s *v1beta1.Source, kind string) readOptions {
	o := readOptions{Prefix: s.Prefix, path: s.FromFieldPath.String(), Form: s.KeyForm, encoding: s.Encoding}

	// If include reads patterns, the policy doesn't know them, and checks all keys.
	if s.Include != nil && s.Include.Keys != nil {
		o.included = " && " + anyOf(append(matchesAny(o.Key(), s.Include.Keys), "false")...)
	}

	if s.Include != nil && len(s.Include.Except) > 0 {
		o.included += " && !(" + anyOf(matchesAny(o.Key(), s.Include.Except)...) + ")"
	}

	if o.config = s.Type == v1beta1.SourceTypeProviderConfig && isConfig(kind); o.config && len(s.Names) > 0 {
		o.named = " && object.metadata.?name.orValue('') in " + quoteAll(s.Names)
	}

	return o
}

// isConfig reports whether the kind, such as aws.m.upbound.io/ProviderConfig, is a config of a provider.
func isConfig(kind string) bool {
	_, name, _ := strings.Cut(kind, "/")
	return field.IsConfig(name)
}

// Key returns the expression of the key of the label with the key k: its qualified key or, with keyForm Tag, its tag key.
func (o readOptions) Key() string {
	if o.Prefix == "" {
		return "string(k)"
	}

	return fmt.Sprintf("k.substring(%d)", utf8.RuneCountInString(o.Prefix))
}

// A place is a map of labels in an object. All fields are expressions.
type place struct {
	// Name of the label with the key k in messages, such as 'label ' + k.
	Name string

	// Now and Old are the maps after the request and before.
	Now, Old string

	// Also and AlsoOld are the maps of labels beside annotations. A label and an annotation with the same key make one tag. Other
	// places have none.
	Also, AlsoOld string
}

// A fieldMap is a map of labels at a field path. The policy's variables call it by its number, such as map0.
type fieldMap struct {
	Number int
	path   object.Path
}

// At returns the expression of the map in the object, or null if there is none.
func (m *fieldMap) At(obj string) string { return at(obj, m.path) }

// Path returns the path of the map, for messages.
func (m *fieldMap) Path() string { return m.path.String() }

// A reading is one way to read labels, and the kinds of objects that sources read in this way. Two sources with the prefix
// tags.example.org/, of Namespaces and of Zones, have one reading.
type reading struct {
	readOptions

	// Map of labels, or nil if labels and annotations are read.
	Map *fieldMap

	// kinds of objects, such as /Namespace. The value says whether labels of the kind are trusted: all its sources must be.
	kinds map[string]bool
}

// Places returns the places of the labels.
func (r *reading) Places() []place {
	if r.Map == nil {
		return []place{
			{Name: "'label ' + k", Now: "variables.labels", Old: "variables.oldLabels"},
			{Name: "'annotation ' + k", Now: "variables.annotations", Old: "variables.oldAnnotations", Also: "variables.labels", AlsoOld: "variables.oldLabels"},
		}
	}

	return []place{{
		Name: fmt.Sprintf("%s + %s + ']'", quote(r.path+"["), shown("string(k)")),
		Now:  fmt.Sprintf("variables.map%d", r.Map.Number),
		Old:  fmt.Sprintf("variables.oldMap%d", r.Map.Number),
	}}
}

// Reads returns the condition that the reading has the key k of a map of labels.
func (r *reading) Reads(labels string) string {
	out := fmt.Sprintf("variables.kind in %s%s && ", quoteAll(sortedKeys(r.kinds)), r.named)

	if r.Map != nil {
		return out + labels + "[k] != null" + r.included
	}

	return out + "k.startsWith(" + quote(r.Prefix) + ")" + r.included
}

// Trusted returns the condition that labels of the object are trusted. Labels of a config in a namespace aren't, since anybody may make
// one.
func (r *reading) Trusted() string {
	out := "variables.kind in " + quoteAll(slices.DeleteFunc(sortedKeys(r.kinds), func(k string) bool { return !r.kinds[k] }))
	if r.config {
		out += " && object.metadata.?namespace.orValue('') == ''"
	}

	return out
}

// inJSON matches the JSON values that the policy can read: strings without escapes, whole numbers and booleans.
const inJSON = `^("[^"\\\x00-\x1f]*"|true|false|0|-?[1-9][0-9]*)$`

// Legible returns the condition that CEL can read the value. It is empty if CEL can read all values.
func (r *reading) Legible(value string) string {
	switch {
	case r.Map == nil && r.encoding == v1beta1.EncodingJSON:
		return matches(value, inJSON)
	case r.Map == nil:
		return ""
	case r.encoding == v1beta1.EncodingJSON:
		return fmt.Sprintf("type(%s) == string && %s", value, matches(value, inJSON))
	case r.encoding == v1beta1.EncodingScalar:
		// From 2⁵³ on, not every integer is a floating point number.
		return fmt.Sprintf("(type(%[1]s) == string || type(%[1]s) == bool || type(%[1]s) == int && %[1]s > -%[2]d && %[1]s < %[2]d)", value, 1<<53)
	default:
		return fmt.Sprintf("type(%s) == string", value)
	}
}

// Text returns the expression of the text of a legible value.
func (r *reading) Text(value string) string {
	value = "string(" + value + ")"
	if r.encoding != v1beta1.EncodingJSON {
		return value
	}

	return fmt.Sprintf("(%[1]s.matches('^\".*\"$') ? %[1]s.substring(1, %[1]s.size() - 1) : %[1]s)", value)
}

// Illegible returns the end of messages on values that the policy can't read, such as " is no string".
func (r *reading) Illegible() string {
	switch r.encoding {
	case v1beta1.EncodingJSON:
		return " is no JSON string without escapes, whole number or boolean"
	case v1beta1.EncodingScalar:
		return " is no string, whole number or boolean"
	case v1beta1.EncodingPlain:
	}

	return " is no string"
}

// shown returns the expression of a string for messages: its first 64 characters. The API server would drop a message of 5 KiB.
func shown(expression string) string {
	return fmt.Sprintf("strings.quote(%[1]s.size() > 64 ? %[1]s.substring(0, 64) + '…' : %[1]s)", expression)
}

// read adds the readings of the step's sources, for the kinds of the policy:
//
//   - Without --match, the kinds are all kinds that sources read.
//   - A source reads the kinds that it names. A source of type ProviderConfig reads configs of providers, which it doesn't name.
//   - All sources read a kind that no source names: its labels may be copied to another kind, as from a claim to its XR.
//
// A source that reads no kind of the policy gets a note.
func (p *policy) read(s *manifest.Step) {
	bySource := make([][]string, len(p.Sources))
	all := []string{}

	for i := range p.Sources {
		for _, k := range resolve.Kinds(&p.Sources[i], s.Composite) {
			// Crossplane refuses requirements of an invalid kind.
			if kind, err := kindOf(k.APIVersion, k.Kind); err == nil {
				bySource[i], all = append(bySource[i], kind), add(all, kind)
			}
		}
	}

	if len(p.Kinds) == 0 {
		p.Kinds = all
	}

	configs := slices.ContainsFunc(p.Sources, func(s v1beta1.Source) bool { return s.Type == v1beta1.SourceTypeProviderConfig })

	for i := range p.Sources {
		source, checked := &p.Sources[i], false

		for _, kind := range p.Kinds {
			isNamed := slices.Contains(all, kind) || configs && isConfig(kind)
			reads := slices.Contains(bySource[i], kind) || source.Type == v1beta1.SourceTypeProviderConfig && isConfig(kind)

			if readsObjects(source) && (reads || !isNamed) {
				r := p.reading(source, kind)
				others, known := r.kinds[kind]
				r.kinds[kind] = source.Trusted && (reads || source.Type != v1beta1.SourceTypeProviderConfig) && (others || !known)
				checked = true
			}
		}

		if !checked {
			p.Notes = append(p.Notes, p.SourceName(i)+" "+unchecked(source, bySource[i]))
		}

		if checked && source.Include != nil && source.Include.IsRead() {
			p.Notes = append(p.Notes, "which labels "+p.SourceName(i)+" includes: it counts as if it included all")
		}

		if source.Resources != nil {
			p.Notes = append(p.Notes, "which resources "+p.SourceName(i)+" is for: it counts as if it were for all")
		}
	}
}

// readsObjects reports whether the source reads labels of objects of the API server.
func readsObjects(s *v1beta1.Source) bool {
	return !s.IsHop() && s.Type != v1beta1.SourceTypeContextField
}

// unchecked returns the reason why the labels of the source aren't checked. The source reads objects of the kinds.
func unchecked(s *v1beta1.Source, kinds []string) string {
	switch {
	case s.Type == v1beta1.SourceTypeValue:
		return "(Value) has the labels of the input itself, for which tag slots are left free"
	case s.Type == v1beta1.SourceTypeExpression:
		return "(Expression) computes labels, for which tag slots are left free"
	case s.Type == v1beta1.SourceTypeContextField:
		return "(ContextField) reads the pipeline's context"
	case s.Type == v1beta1.SourceTypeProviderConfig:
		return "(ProviderConfig) reads objects whose kind --match has to name, e.g. aws.m.upbound.io/v1beta1/ClusterProviderConfig"
	case s.IsHop():
		return fmt.Sprintf("(%s) gives no labels", s.Type)
	case len(kinds) == 0:
		return fmt.Sprintf("(%s) reads a kind that there can't be", s.Type)
	default:
		return fmt.Sprintf("(%s) reads %s, which no --match names", s.Type, strings.Join(words.Map(kinds, func(k string) string { return strings.TrimPrefix(k, "/") }), " and "))
	}
}

// reading returns the policy's reading of objects of the kind in the source's way. It adds one if there is none.
func (p *policy) reading(s *v1beta1.Source, kind string) *reading {
	o := readOptionsOf(s, kind)

	if i := slices.IndexFunc(p.Readings, func(r *reading) bool { return r.readOptions == o }); i >= 0 {
		return p.Readings[i]
	}

	r := &reading{readOptions: o, kinds: make(map[string]bool)}
	p.Readings = append(p.Readings, r)

	if o.Prefix != "" {
		p.Prefixes = add(p.Prefixes, o.Prefix)
		return r
	}

	i := slices.IndexFunc(p.Maps, func(m *fieldMap) bool { return m.Path() == o.path })
	if i < 0 {
		i, p.Maps = len(p.Maps), append(p.Maps, &fieldMap{Number: len(p.Maps), path: s.FromFieldPath})
	}

	r.Map = p.Maps[i]

	return r
}
