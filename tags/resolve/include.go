package resolve

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	"google.golang.org/protobuf/types/known/structpb"

	"github.com/crossplane/function-sdk-go/errors"

	"github.com/plexsphere/function-cloud-tags/input/v1beta1"
	"github.com/plexsphere/function-cloud-tags/tags/object"
	"github.com/plexsphere/function-cloud-tags/tags/profile"
)

// A keyFilter says which qualified keys a source includes. With keys: [platform/*] and except: [platform/secret], it includes
// platform/env, but not platform/secret.
type keyFilter struct {
	keys, except profile.KeySet

	// emptyReason says why no key is included, if the field or expression with the keys has no value. Otherwise, it is empty.
	emptyReason string
}

// includes reports whether the filter includes a qualified key.
func (f *keyFilter) includes(key string) bool { return f.keys.Has(key) && !f.except.Has(key) }

// keyFilterFor returns the filter of the keys that the source s includes. If include of s reads patterns from a field or an expression, s
// includes no key while Crossplane fetches the objects for them, or if s is optional and the field or expression has no value, or is in
// no object that include believes. sourceName is the name of s in messages.
func (r *resolver) keyFilterFor(s *v1beta1.Source, sourceName string) (*keyFilter, error) {
	if s.Include == nil || !s.Include.IsDynamic() {
		return inputFilter(s), nil
	}

	read, err := r.believer().patternsOf(s.Include, sourceName)
	note, isAbsent := toleratedAbsence(s, err)

	includesNone := isAbsent || errors.Is(err, errWaiting)
	if err != nil && !includesNone {
		return nil, err
	}

	except := slices.Concat(s.Include.Except, read.except) // With an error, read is empty: the filter includes no key.

	return &keyFilter{keys: profile.NewKeySet(read.keys...), except: profile.NewKeySet(except...), emptyReason: note}, nil
}

// inputFilter returns the filter of the keys that the input itself has in include of the source s, such as {keys: ["platform/*"],
// except: ["platform/secret"]}. If include has no keys, the filter includes all keys but the ones of except.
func inputFilter(s *v1beta1.Source) *keyFilter {
	include := cmp.Or(s.Include, &v1beta1.Include{})

	keys := include.Keys
	if keys == nil {
		keys = []string{"*"}
	}

	return &keyFilter{keys: profile.NewKeySet(keys...), except: profile.NewKeySet(include.Except...)}
}

// keyPatterns are the patterns that an include reads from a field or an expression. {"platform/*": true, "platform/secret": false}
// has one pattern in keys and one in except.
type keyPatterns struct {
	keys, except []string

	// textBytes is how many bytes of YAML were read for them.
	textBytes int
}

// A patternsPlace identifies the field or the expression that has patterns, such as {source: "registry", path: "data.keys"}.
type patternsPlace struct{ contextKey, source, path, expression string }

// patternsOf returns the patterns that include of a source reads. A field or expression that several sources read is read once, and
// patternCounts counts its patterns for the first source. While Crossplane fetches objects, the error is errWaiting. If there is no such
// field, or if the expression has no value, the error is a *absence. sourceName is the name of the source in messages. See
// testdata/include.yaml.
func (r *resolver) patternsOf(include *v1beta1.Include, sourceName string) (keyPatterns, error) {
	place := patternsPlace{contextKey: include.ContextKey, source: include.Source, path: include.FromFieldPath.String(), expression: include.Expression.String()}
	if out, ok := r.keyPatterns[place]; ok {
		return out, nil
	}

	read := r.patternsOfField
	if !include.Expression.IsZero() {
		read = r.patternsOfExpression
	}

	out, err := read(include)
	if err != nil {
		return keyPatterns{}, err
	}

	r.keyPatterns[place] = out
	r.patternCounts["include of "+sourceName] = len(out.keys) + len(out.except)

	return out, nil
}

// patternsOfExpression returns the patterns in the value of include's expression.
func (r *resolver) patternsOfExpression(include *v1beta1.Include) (out keyPatterns, _ error) {
	v, err := r.evaluate(include.Expression, "include")
	if err != nil {
		return out, err
	}

	err = out.addNode(object.NodeOf(v), "the expression")

	return out, err
}

// patternsOfField returns the patterns in the field of include, of all objects that have the field.
func (r *resolver) patternsOfField(include *v1beta1.Include) (out keyPatterns, _ error) {
	objects, err := r.objectsWithPatterns(include)
	if err != nil {
		return out, err
	}

	found := false

	for _, o := range objects {
		// The field may be a string, a list or an object. The error about any other kind ends with the first text.
		n, err := o.valueAt(include.FromFieldPath, "neither a pattern nor a list or map of patterns", "a string", "a list", "an object")
		if err != nil {
			return out, err
		}

		if !n.IsThere() {
			continue
		}

		found = true

		if err := out.addNode(n, o.pathPrefix+include.FromFieldPath.String()); err != nil {
			return out, err
		}
	}

	if !found {
		note := fmt.Sprintf("%s has no %s that says which labels to include%s", objects[0].name, include.FromFieldPath, sameForAllSuffix(objects)) // The suffix is such as ", and so with all 2 objects".
		return out, objects[0].missingError(include.FromFieldPath, note)
	}

	return out, nil
}

// objectsWithPatterns returns the objects whose field include reads, such as the ConfigMaps of the source "registry". Without an
// error, there is at least one. For errors, see objectsOf.
func (r *resolver) objectsWithPatterns(include *v1beta1.Include) ([]namedObject, error) {
	if include.Source == "" { // The patterns are in the context or, without a ContextKey, in the composite resource.
		return r.objectsOf(&v1beta1.Source{ContextKey: include.ContextKey})
	}

	i := slices.IndexFunc(r.input.Sources, func(s v1beta1.Source) bool {
		return s.Type == v1beta1.SourceTypeRequiredResource && s.Name == include.Source
	})

	return r.selectedObjects(&r.input.Sources[i]) // An input without this source is refused.
}

// addNode adds the patterns of n: a text such as platform/*, a list such as [platform/*, owner], or a map such as {platform/*: true,
// owner: false}. Null has none. name is the name of n in messages, such as "ConfigMap platform/registry data.keys".
func (p *keyPatterns) addNode(n object.Node, name string) error {
	switch {
	case n.IsList():
		patterns, err := patternsIn(n, name, v1beta1.ValidateLabelPattern)
		p.keys = append(p.keys, patterns...)

		return err
	case n.IsObject():
		return p.addMap(n.Value().GetStructValue().GetFields(), name)
	default: // A text. Null has the empty text.
		return p.addText(strings.TrimSpace(n.Text()), name)
	}
}

// addMap adds the patterns of a map: for {"platform/*": true, "platform/secret": "false", "owner": null}, it adds platform/* to keys
// and platform/secret to except. Booleans may be strings, since ConfigMaps have only strings.
func (p *keyPatterns) addMap(fields map[string]*structpb.Value, name string) error {
	for _, pattern := range slices.Sorted(maps.Keys(fields)) {
		v := fields[pattern]
		if object.IsNull(v) {
			continue
		}

		if why := v1beta1.ValidateLabelPattern(pattern); why != "" {
			return errors.Errorf("%s[%s]: %s", name, pattern, why)
		}

		switch v.AsInterface() {
		case true, "true":
			p.keys = append(p.keys, pattern)
		case false, "false":
			p.except = append(p.except, pattern)
		default:
			return errors.Errorf("%s[%s] is %s, neither true nor false", name, pattern, object.KindOf(v))
		}
	}

	return nil
}

// addText adds the patterns of a text: one pattern, such as platform/*, or a list or map in YAML. An empty text has no pattern.
func (p *keyPatterns) addText(text, name string) error {
	switch {
	case text == "":
		return nil
	case !isYAML(text):
		if why := v1beta1.ValidateLabelPattern(text); why != "" {
			return errors.Errorf("%s %q: %s", name, text, why)
		}

		p.keys = append(p.keys, text)

		return nil
	case len(text) > maxPatternText:
		return errors.Errorf("%s is a text of %d bytes, and patterns in YAML may have at most %d: write a list or map without quotes around it", name, len(text), maxPatternText)
	}

	if p.textBytes += len(text); p.textBytes > maxPatternTexts {
		return errors.Errorf("%s is too much: all texts of YAML that one include reads may have %d bytes together: write lists or maps without quotes around them", name, maxPatternTexts)
	}

	v, err := object.FromYAML(text)
	if err != nil {
		return errors.Wrap(err, name)
	}

	n := object.NodeOf(v)

	switch {
	case n.IsNull() || n.IsList() || n.IsObject():
		return p.addNode(n, name)
	default: // A text of one line that isYAML admits is a list or map, or no YAML. So this one has several.
		return errors.Errorf("%s has several lines, but is neither a list nor a map in YAML: begin each line with - and a space", name)
	}
}

// isYAML reports whether the text may be a list or map in YAML, such as "- platform/*". No pattern has several lines, a colon with a
// space, or one of the beginnings.
func isYAML(text string) bool {
	beginsAsYAML := slices.ContainsFunc([]string{"- ", "[", "{"}, func(beginning string) bool { return strings.HasPrefix(text, beginning) })

	return beginsAsYAML || strings.ContainsAny(text, "\n\r") || strings.Contains(text, ": ")
}
