package policy

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/plexsphere/function-cloud-tags/input/v1beta1"
	"github.com/plexsphere/function-cloud-tags/tags/field"
	"github.com/plexsphere/function-cloud-tags/tags/manifest"
	"github.com/plexsphere/function-cloud-tags/tags/resolve"
	"github.com/plexsphere/function-cloud-tags/tags/words"
)

// readOptions say how a source reads labels. Sources with the same readOptions share a reading, whatever objects they read.
type readOptions struct {
	// Prefix is the prefix of labels and annotations, such as tags.example.org/. If it is empty, the source reads the map at path, such
	// as spec.labels.
	Prefix string
	path   string

	Form     v1beta1.KeyForm
	encoding v1beta1.Encoding

	// andIncluded is the condition that the source includes the key k, such as ` && k in ['zone']`. It is empty if the source includes
	// all keys.
	andIncluded string

	// readsConfigs says that the source reads configs of providers, such as a ClusterProviderConfig. andNamed is the condition that
	// the source names the config: ` && object.metadata.?name.orValue('') in ['prod']`. It is empty if the source reads all configs.
	readsConfigs bool
	andNamed     string
}

// readOptionsOf returns the readOptions of the source for objects of the kind.
func readOptionsOf(s *v1beta1.Source, kind string) readOptions {
	o := readOptions{Prefix: s.Prefix, path: s.FromFieldPath.String(), Form: s.KeyForm, encoding: s.Encoding}
	include := cmp.Or(s.Include, &v1beta1.Include{})

	// Keys is nil if include reads its keys from an object. The policy doesn't know these keys, so it checks all. If Keys is empty, the
	// condition is false.
	if include.Keys != nil {
		o.andIncluded = " && " + anyOfInParens(append(patternConditions(o.Key(), include.Keys), "false")...)
	}

	o.andIncluded += surround(" && !(", anyOfInParens(patternConditions(o.Key(), include.Except)...), ")")

	o.readsConfigs = isConfigSource(s) && isConfig(kind)
	if o.readsConfigs && len(s.Names) > 0 {
		o.andNamed = " && object.metadata.?name.orValue('') in " + sortedCELList(s.Names)
	}

	return o
}

// isConfigSource reports whether the source reads configs of providers.
func isConfigSource(s *v1beta1.Source) bool { return s.Type == v1beta1.SourceTypeProviderConfig }

// isConfig reports whether objects of the kind, such as aws.m.upbound.io/ProviderConfig, are configs of a provider.
func isConfig(kind string) bool { return field.IsConfig(kind[strings.IndexByte(kind, '/')+1:]) }

// Key returns the expression of the source's key for the Kubernetes label k. For tags.example.org/owner, that is owner. It is the qualified
// key or, with keyForm Tag, the tag key.
func (o readOptions) Key() string {
	if o.Prefix == "" {
		return "string(k)"
	}

	return fmt.Sprintf("k.substring(%d)", utf8.RuneCountInString(o.Prefix))
}

// A labelMap is a map of labels that a reading reads in an object: its labels, its annotations, or a map such as spec.labels. All fields
// but the reading are expressions.
type labelMap struct {
	*reading

	// LabelName is the name of the label with the key k in messages, such as 'label ' + k.
	LabelName string

	// New is the map after the request, and Old the map before it.
	New, Old string

	// NewLabels and OldLabels are the object's Kubernetes labels if the map has annotations, or else empty. A label and an annotation
	// with the same key make one tag.
	NewLabels, OldLabels string
}

// A reading is one way to read labels, and the kinds of objects that sources read in this way. Two sources with the prefix
// tags.example.org/, of Namespaces and of Zones, have one reading.
type reading struct {
	readOptions

	// qualifiedKey and tagKey are the expressions of the qualified key and of the tag key of the label with the key k.
	qualifiedKey, tagKey string

	// kinds of objects, such as /Namespace. The value says whether labels of the kind are untrusted.
	kinds map[string]bool
}

// ReadsKey returns the condition that the reading finds a label with the key k in the map of labels.
func (r *reading) ReadsKey(labels string) string {
	isLabel := labels + "[k] != null"
	if r.Prefix != "" {
		isLabel = "k.startsWith(" + quote(r.Prefix) + ")"
	}

	return fmt.Sprintf("variables.kind in %s%s && %s%s", sortedCELList(sortedKeys(r.kinds)), r.andNamed, isLabel, r.andIncluded)
}

// IsTrusted returns the condition that labels of the object are trusted. Labels of a config in a namespace never are, since people of the
// namespace may make configs there.
func (r *reading) IsTrusted() string {
	trustedKinds := slices.DeleteFunc(sortedKeys(r.kinds), func(kind string) bool { return r.kinds[kind] })

	out := "variables.kind in " + sortedCELList(trustedKinds)
	if r.readsConfigs {
		out += " && object.metadata.?namespace.orValue('') == ''"
	}

	return out
}

// legibleJSON matches the JSON values that the policy can read: strings without escapes, whole numbers and booleans.
const legibleJSON = `^("[^"\\\x00-\x1f]*"|true|false|0|-?[1-9][0-9]*)$`

// IsLegible returns the condition that CEL can read the value. The condition is empty if CEL can read all values.
func (r *reading) IsLegible(value string) string {
	switch {
	case r.Prefix != "" && r.encoding == v1beta1.EncodingJSON:
		return matches(value, legibleJSON)
	case r.Prefix != "":
		return ""
	case r.encoding == v1beta1.EncodingJSON:
		return fmt.Sprintf("type(%s) == string && %s", value, matches(value, legibleJSON))
	case r.encoding == v1beta1.EncodingScalar:
		// JSON numbers are floating point numbers, which have all integers below 2⁵³ only.
		return fmt.Sprintf("(type(%[1]s) == string || type(%[1]s) == bool || type(%[1]s) == int && %[1]s > -%[2]d && %[1]s < %[2]d)", value, 1<<53)
	default:
		return fmt.Sprintf("type(%s) == string", value)
	}
}

// Text returns the expression of the text of a legible value. With encoding JSON, it removes quotation marks.
func (r *reading) Text(value string) string {
	text := "string(" + value + ")"
	if r.encoding != v1beta1.EncodingJSON {
		return text
	}

	return fmt.Sprintf("(%[1]s.matches('^\".*\"$') ? %[1]s.substring(1, %[1]s.size() - 1) : %[1]s)", text)
}

// illegibleMessages are the ends of messages on values that the policy can't read, such as "spec.labels[owner] is no string".
var illegibleMessages = map[v1beta1.Encoding]string{
	v1beta1.EncodingJSON:   " is no JSON string without escapes, whole number or boolean",
	v1beta1.EncodingScalar: " is no string, whole number or boolean",
	v1beta1.EncodingPlain:  " is no string",
}

// quotedInMessage returns the expression of the string's first 64 characters in quotation marks, for messages. The API server would drop a
// message of 5 KiB.
func quotedInMessage(expression string) string {
	return fmt.Sprintf("strings.quote(%[1]s.size() > 64 ? %[1]s.substring(0, 64) + '…' : %[1]s)", expression)
}

// addReadings adds the readings of the step's sources to labelMaps, Prefixes and FieldMaps, for the kinds of the policy:
//
//   - Without --match, the kinds of the policy are all kinds that sources name.
//   - A source reads the kinds that it names. A source of type ProviderConfig names none, but reads all configs of providers.
//   - A kind that no source reads, such as a claim, is checked for all sources. Its labels may be copied to an object that a source
//     reads, such as the claim's XR.
//
// addReadings adds notes on sources that read no kind of the policy, and on options that the policy doesn't follow.
func (p *policy) addReadings(s *manifest.Step) {
	kindsBySource := p.namedKinds(s.Composite)
	allKinds := words.Distinct(slices.Concat(kindsBySource...))

	if len(p.Kinds) == 0 {
		p.Kinds = allKinds
	}

	hasConfigSource := slices.ContainsFunc(p.Sources, func(s v1beta1.Source) bool { return isConfigSource(&s) })

	for i := range p.Sources {
		source, isChecked := &p.Sources[i], false

		for _, kind := range p.Kinds {
			isRead := slices.Contains(kindsBySource[i], kind) || isConfigSource(source) && isConfig(kind)
			isReadByAny := slices.Contains(allKinds, kind) || hasConfigSource && isConfig(kind)

			if !readsObjects(source) || !isRead && isReadByAny {
				continue
			}

			// Labels of the kind are trusted if all its sources are. A source of type ProviderConfig is trusted for configs only.
			isTrusted := source.Trusted && (isRead || !isConfigSource(source))
			kinds := p.readingFor(source, kind).kinds
			kinds[kind] = kinds[kind] || !isTrusted
			isChecked = true
		}

		if !isChecked {
			p.Notes = append(p.Notes, p.SourceName(i)+" "+whyUnchecked(source, kindsBySource[i]))
		}

		if isChecked && source.Include != nil && source.Include.IsRead() {
			p.Notes = append(p.Notes, "which labels "+p.SourceName(i)+" includes: it counts as if it included all")
		}

		if source.Resources != nil {
			p.Notes = append(p.Notes, "which resources "+p.SourceName(i)+" is for: it counts as if it were for all")
		}
	}
}

// namedKinds returns the kinds that each source names, such as /Namespace.
func (p *policy) namedKinds(composite v1beta1.ResourceKind) [][]string {
	return words.Map(p.Sources, func(s v1beta1.Source) (kinds []string) {
		for _, k := range resolve.KindsRead(&s, composite) {
			// There are no objects of an invalid kind: Crossplane refuses to look for them.
			if kind, err := parseKind(k.APIVersion, k.Kind); err == nil {
				kinds = append(kinds, kind)
			}
		}

		return kinds
	})
}

// readsObjects reports whether the source reads labels of objects of the API server.
func readsObjects(s *v1beta1.Source) bool {
	return !s.IsHop() && s.Type != v1beta1.SourceTypeContextField
}

// whyUnchecked returns why the policy checks no labels of the source, which names the kinds.
func whyUnchecked(s *v1beta1.Source, kinds []string) string {
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
		return fmt.Sprintf("(%s) reads an invalid kind", s.Type)
	default:
		return fmt.Sprintf("(%s) reads %s, which no --match names", s.Type, strings.Join(words.Map(kinds, func(k string) string { return strings.TrimPrefix(k, "/") }), " and "))
	}
}

// readingFor returns the reading with the source's readOptions for the kind. If there is none yet, it adds one to the policy, with the maps
// of labels in which the reading finds its labels.
func (p *policy) readingFor(s *v1beta1.Source, kind string) *reading {
	o := readOptionsOf(s, kind)

	if i := slices.IndexFunc(p.labelMaps, func(m labelMap) bool { return m.readOptions == o }); i >= 0 {
		return p.labelMaps[i].reading
	}

	r := &reading{readOptions: o, kinds: make(map[string]bool)}
	r.qualifiedKey, r.tagKey = p.keyExpressions(o)

	if o.Prefix != "" {
		p.Prefixes = appendUnique(p.Prefixes, o.Prefix)
		p.labelMaps = append(p.labelMaps,
			labelMap{reading: r, LabelName: "'label ' + k", New: "variables.labels", Old: "variables.oldLabels"},
			labelMap{reading: r, LabelName: "'annotation ' + k", New: "variables.annotations", Old: "variables.oldAnnotations", NewLabels: "variables.labels", OldLabels: "variables.oldLabels"})

		return r
	}

	i := slices.IndexFunc(p.FieldMaps, s.FromFieldPath.Equal)
	if i < 0 {
		i = len(p.FieldMaps)
		p.FieldMaps = append(p.FieldMaps, s.FromFieldPath)
	}

	name := fmt.Sprintf("%s + %s + ']'", quote(r.path+"["), quotedInMessage("string(k)"))
	p.labelMaps = append(p.labelMaps, labelMap{reading: r, LabelName: name, New: fmt.Sprintf("variables.map%d", i), Old: fmt.Sprintf("variables.oldMap%d", i)})

	return r
}
