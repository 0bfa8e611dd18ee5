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

// readOptions say how a source reads labels. Sources with the same readOptions share a reading, which has their CEL expressions.
type readOptions struct {
	// Prefix is the prefix of labels and annotations, such as tags.example.org/. If it is empty, the source reads the map at path, such
	// as spec.labels.
	Prefix string
	path   string

	Form     v1beta1.KeyForm
	encoding v1beta1.Encoding

	// includesKey is the condition that the source includes the key k, such as !(k in ['zone']). It is empty if the source includes all
	// keys.
	includesKey celCondition

	// readsConfigs reports whether the source reads configs of providers, such as a ClusterProviderConfig.
	readsConfigs bool

	// namesConfig is the condition that the source names the config: object.metadata.?name.orValue('') in ['prod']. It is empty if the
	// source reads all configs, or none.
	namesConfig celCondition
}

// readOptionsOf returns the readOptions of the source for objects of the kind.
func readOptionsOf(s *v1beta1.Source, kind string) readOptions {
	o := readOptions{Prefix: s.Prefix, path: s.FromFieldPath.String(), Form: s.KeyForm, encoding: s.Encoding, readsConfigs: isConfigSource(s) && isConfig(kind)}
	include := cmp.Or(s.Include, &v1beta1.Include{})

	// Without a list of keys in the input (include.keys), Keys is nil. Then the policy checks all keys: include may take the keys from an
	// object, which the policy can't read.
	if include.Keys != nil {
		// If include.keys is an empty list, the source includes no key, and false is the only condition.
		o.includesKey = anyOfInParens(append(patternConditions(o.Key(), include.Keys), "false")...)
	}

	// Without except, its condition is empty, and allOf leaves it out.
	o.includesKey = allOf(o.includesKey, not(anyOfInParens(patternConditions(o.Key(), include.Except)...)))

	if o.readsConfigs && len(s.Names) > 0 {
		o.namesConfig = "object.metadata.?name.orValue('') in " + sortedCELList(s.Names)
	}

	return o
}

// isConfigSource reports whether the source reads configs of providers.
func isConfigSource(s *v1beta1.Source) bool { return s.Type == v1beta1.SourceTypeProviderConfig }

// isConfig reports whether objects of the kind, such as aws.m.upbound.io/ProviderConfig, are configs of a provider.
func isConfig(kind string) bool { return field.IsConfig(kind[strings.IndexByte(kind, '/')+1:]) }

// Key returns the expression of the label's key without the prefix. If the key k in the object is tags.example.org/owner, the result is
// owner. With keyForm Tag, owner is the tag key. Else owner is the qualified key, and the tag key is acme:owner, with the key prefix acme:.
func (o readOptions) Key() celText {
	if o.Prefix == "" {
		return "string(k)" // CEL doesn't know the type of keys in a field.
	}

	return fmt.Sprintf("k.substring(%d)", utf8.RuneCountInString(o.Prefix))
}

// A reading is a way to read labels, with the kinds of objects that sources read in this way. Two sources with the prefix
// tags.example.org/, of Namespaces and of Zones, have one reading.
type reading struct {
	readOptions

	// celQualifiedKey and celTagKey are the expressions of the qualified key and the tag key of the label with the key k.
	celQualifiedKey, celTagKey celText

	// kinds are the kinds of objects that the sources read, such as /Namespace. If one source of a kind is untrusted, untrustedKinds
	// has the kind, too.
	kinds, untrustedKinds []string
}

// A labelMap is a map of labels that a reading reads in an object: the object's labels, its annotations, or a map such as spec.labels.
type labelMap struct {
	*reading

	// celLabelName is the expression of the name that the label with the key k has in messages, such as 'label ' + k.
	celLabelName celText

	// New is the map after the request, and Old the map before it, such as variables.annotations and variables.oldAnnotations.
	New, Old celText

	// AlreadyCounted is set for annotations only. It is the map of the object's Kubernetes labels after the request, and OldAlreadyCounted the
	// map before it. A label and an annotation with the same key become one tag, so keyCount counts only the label.
	AlreadyCounted, OldAlreadyCounted celText
}

// ReadsKey returns the condition that the reading finds a label with the key k in the map labels, such as
// variables.kind in ['/Namespace'] && k.startsWith('tags.example.org/').
func (r *reading) ReadsKey(labels celText) celCondition {
	isLabel := labels + "[k] != null" // A null in spec.labels is no label.
	if r.Prefix != "" {
		isLabel = "k.startsWith(" + quote(r.Prefix) + ")"
	}

	return allOf("variables.kind in "+sortedCELList(r.kinds), r.namesConfig, isLabel, r.includesKey)
}

// IsTrusted returns the condition that labels of the object are trusted. Labels of a config in a namespace are never trusted, since people
// of the namespace may make configs there.
func (r *reading) IsTrusted() celCondition {
	trustedKinds := slices.DeleteFunc(slices.Clone(r.kinds), func(kind string) bool { return slices.Contains(r.untrustedKinds, kind) })

	out := "variables.kind in " + sortedCELList(trustedKinds)
	if r.readsConfigs {
		out += " && object.metadata.?namespace.orValue('') == ''"
	}

	return out
}

// legibleJSON matches the JSON values that the policy can read: strings without escapes, whole numbers and booleans.
const legibleJSON = `^("[^"\\\x00-\x1f]*"|true|false|0|-?[1-9][0-9]*)$`

// IsLegible returns the condition that CEL can read the value. The condition is empty if CEL can read all values.
func (r *reading) IsLegible(value celText) celCondition {
	switch {
	case r.Prefix != "" && r.encoding == v1beta1.EncodingJSON:
		return matches(value, legibleJSON)
	case r.Prefix != "":
		return "" // Labels and annotations are strings.
	case r.encoding == v1beta1.EncodingJSON:
		return fmt.Sprintf("type(%s) == string && %s", value, matches(value, legibleJSON))
	case r.encoding == v1beta1.EncodingScalar:
		// The function reads JSON numbers as floating-point numbers. These are exact only for integers below 2⁵³.
		return fmt.Sprintf("(type(%[1]s) == string || type(%[1]s) == bool || type(%[1]s) == int && %[1]s > -%[2]d && %[1]s < %[2]d)", value, 1<<53)
	default:
		return fmt.Sprintf("type(%s) == string", value)
	}
}

// Text returns the expression of a legible value as text. With encoding JSON, the text is without quotation marks.
func (r *reading) Text(value celText) celText {
	text := "string(" + value + ")"
	if r.encoding != v1beta1.EncodingJSON {
		return text
	}

	return fmt.Sprintf("(%[1]s.matches('^\".*\"$') ? %[1]s.substring(1, %[1]s.size() - 1) : %[1]s)", text)
}

// whyIllegible has the end of a message on a value that the policy can't read, by encoding: spec.labels["owner"] is no string.
var whyIllegible = map[v1beta1.Encoding]string{
	v1beta1.EncodingJSON:   " is no JSON string without escapes, whole number or boolean",
	v1beta1.EncodingScalar: " is no string, whole number or boolean",
	v1beta1.EncodingPlain:  " is no string",
}

// quotedInMessage returns the expression of the text in quotation marks, for messages. It cuts a long text after 64 characters: a
// message has several texts, and the API server drops messages over 5 KiB.
func quotedInMessage(text celText) celText {
	return fmt.Sprintf("strings.quote(%[1]s.size() > 64 ? %[1]s.substring(0, 64) + '…' : %[1]s)", text)
}

// addReadings adds the readings of the step's sources to labelMaps, Prefixes and FieldMaps. Without --match, the kinds of the policy are
// all kinds that sources name. addReadings also adds to Unchecked the sources that read no kind of the policy, and the options that
// the policy doesn't follow.
func (p *policy) addReadings(s *manifest.Step) {
	if len(p.Kinds) == 0 {
		p.Kinds = words.Distinct(slices.Concat(p.kindsRead(s.Composite)...))
	}

	kindsBySource := p.kindsRead(s.Composite) // Not the kinds above: kindsRead looks for configs in p.Kinds, which may have changed.

	for i := range p.Sources {
		source := &p.Sources[i]
		checkedKinds := words.MapIf(p.Kinds, func(kind string) (string, bool) {
			// A kind of --match that no source reads, such as a claim, is checked as if all sources read it. Its labels may be copied to an
			// object that a source reads, such as the claim's XR.
			isReadByNone := !slices.ContainsFunc(kindsBySource, func(kinds []string) bool { return slices.Contains(kinds, kind) })
			return kind, readsObjects(source) && (isReadByNone || slices.Contains(kindsBySource[i], kind))
		})

		for _, kind := range checkedKinds {
			r := p.readingFor(source, kind)
			r.kinds = appendUnique(r.kinds, kind)

			// A trusted source of type ProviderConfig has another kind than configs here only if no source reads it. Then its labels are untrusted.
			if !source.Trusted || isConfigSource(source) && !isConfig(kind) {
				r.untrustedKinds = append(r.untrustedKinds, kind)
			}
		}

		switch {
		case len(checkedKinds) == 0:
			p.Unchecked = append(p.Unchecked, p.SourceName(i)+" "+whyUnchecked(source, kindsBySource[i]))
		case source.Include != nil && source.Include.IsDynamic():
			p.Unchecked = append(p.Unchecked, "which labels "+p.SourceName(i)+" includes: it counts as if it included all")
		}

		// A source that the policy doesn't check is noted here, too. For example, labels of a source of type Value take slots of all resources.
		if source.Resources != nil {
			p.Unchecked = append(p.Unchecked, "which resources "+p.SourceName(i)+" is for: it counts as if it were for all")
		}
	}
}

// kindsRead returns the kinds that each source reads: [[/Namespace] [platform.example.org/Store]] for a source of Namespaces and a source
// of the XR. A source of type ProviderConfig names no kinds, and reads all configs among the policy's kinds.
func (p *policy) kindsRead(composite v1beta1.ResourceKind) [][]string {
	return words.Map(p.Sources, func(s v1beta1.Source) []string {
		if isConfigSource(&s) {
			return words.MapIf(p.Kinds, func(kind string) (string, bool) { return kind, isConfig(kind) })
		}

		return words.MapIf(resolve.KindsRead(&s, composite), func(k v1beta1.ResourceKind) (string, bool) {
			// An invalid kind, such as v1/Namespaces, is left out: Crossplane refuses to look for its objects.
			kind, err := parseKind(k.APIVersion, k.Kind)
			return kind, err == nil
		})
	})
}

// readsObjects reports whether the source reads labels in objects of the API server. These sources don't:
//
//   - sources of type Value and Expression, and a RequiredResource with neither prefix nor fromFieldPath
//   - a source of type ContextField, which reads the pipeline's context
//   - a source with keyValueList, since CEL of older API servers makes no map of a list
func readsObjects(s *v1beta1.Source) bool {
	return !s.ReadsNoLabels() && s.Type != v1beta1.SourceTypeContextField && s.KeyValueList == nil
}

// whyUnchecked returns the end of a text of Unchecked: why the policy checks no labels of the source. kinds are the kinds that the source
// names.
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
	case s.KeyValueList != nil:
		return fmt.Sprintf("(%s) reads the list at %s, and policies check maps only", s.Type, s.FromFieldPath)
	case s.ReadsNoLabels():
		return fmt.Sprintf("(%s) gives no labels", s.Type)
	case len(kinds) == 0:
		return fmt.Sprintf("(%s) reads an invalid kind", s.Type)
	default:
		return fmt.Sprintf("(%s) reads %s, which no --match names", s.Type, strings.Join(words.Map(kinds, kindTitle), " and "))
	}
}

// readingFor returns the reading with which the source reads objects of the kind. If no source reads in this way yet, readingFor adds the
// reading with its labelMaps.
func (p *policy) readingFor(s *v1beta1.Source, kind string) *reading {
	o := readOptionsOf(s, kind)

	if i := slices.IndexFunc(p.labelMaps, func(m labelMap) bool { return m.readOptions == o }); i >= 0 {
		return p.labelMaps[i].reading
	}

	r := &reading{readOptions: o}
	r.celQualifiedKey, r.celTagKey = p.keyExpressions(o)

	if o.Prefix != "" {
		p.Prefixes = appendUnique(p.Prefixes, o.Prefix)
		p.labelMaps = append(p.labelMaps,
			labelMap{reading: r, celLabelName: "'label ' + k", New: "variables.labels", Old: "variables.oldLabels"},
			labelMap{reading: r, celLabelName: "'annotation ' + k", New: "variables.annotations", Old: "variables.oldAnnotations", AlreadyCounted: "variables.labels", OldAlreadyCounted: "variables.oldLabels"})

		return r
	}

	if !slices.ContainsFunc(p.FieldMaps, s.FromFieldPath.Equal) {
		p.FieldMaps = append(p.FieldMaps, s.FromFieldPath)
	}

	position := slices.IndexFunc(p.FieldMaps, s.FromFieldPath.Equal)
	labelName := fmt.Sprintf("%s + %s + ']'", quote(r.path+"["), quotedInMessage("string(k)")) // Such as spec.labels["owner"].
	p.labelMaps = append(p.labelMaps, labelMap{reading: r, celLabelName: labelName, New: fmt.Sprintf("variables.map%d", position), Old: fmt.Sprintf("variables.oldMap%d", position)})

	return r
}
