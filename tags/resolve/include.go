package resolve

import (
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

// An include says which qualified keys a source includes.
type include struct {
	keys, except profile.KeySet

	// none is the reason why no key is included, if the field with the keys is absent.
	none string
}

// has reports whether a qualified key is included.
func (i *include) has(key string) bool { return i.keys.Has(key) && !i.except.Has(key) }

// include returns the keys that the source s includes: platform/* without platform/secret, if a registry has
// {"platform/*": true, "platform/secret": false}. While Crossplane fetches the objects with the keys, s includes none.
// name is the source's name in messages.
func (r *resolver) include(s *v1beta1.Source, name string) (*include, error) {
	out := listed(s)

	if in := s.Include; in != nil && in.IsRead() {
		read, err := r.registry(in, name)

		note, ok := optional(s, err)
		if err != nil && !ok {
			return nil, err
		}

		out.none = note
		out.keys, out.except = profile.NewKeySet(read.keys...), profile.NewKeySet(slices.Concat(in.Except, read.except)...)
	}

	return out, nil
}

// listed returns the keys that include of s lists itself, or all keys if it lists none. {keys: ["platform/*"], except:
// ["platform/secret"]} includes platform/env.
func listed(s *v1beta1.Source) *include {
	keys, except := []string{"*"}, []string(nil)

	if in := s.Include; in != nil {
		except = in.Except

		if in.Keys != nil {
			keys = in.Keys
		}
	}

	return &include{keys: profile.NewKeySet(keys...), except: profile.NewKeySet(except...)}
}

// A registry has the patterns that an include reads. Keys that match a pattern of except are left out, even if they match a
// pattern of keys. {"platform/*": true, "platform/secret": false} has one of each.
type registry struct{ keys, except []string }

// A registryPlace is where a registry is: in a field, or in the value of an expression.
type registryPlace struct{ contextKey, source, path, expression string }

// registry returns the patterns that the include reads. It reads each place once, for the first source that asks. name is that
// source's name in messages. There are no patterns while Crossplane fetches the objects. If there is no such field, or the
// expression has no value, the error is a *absence. See testdata/include.yaml.
func (r *resolver) registry(in *v1beta1.Include, name string) (registry, error) {
	at := registryPlace{in.ContextKey, in.Source, in.FromFieldPath.String(), in.Expression.String()}
	if out, ok := r.registries[at]; ok {
		return out, nil
	}

	read := r.registryField
	if !in.Expression.IsZero() {
		read = r.registryValue
	}

	out, err := read(in)
	if err != nil || out == nil {
		return registry{}, err
	}

	r.registries[at] = *out
	r.patterns["include of "+name] = len(out.keys) + len(out.except)

	return *out, nil
}

// registryValue returns the patterns in the value of the include's expression, or nil while Crossplane fetches the objects that
// the expression reads.
func (r *resolver) registryValue(in *v1beta1.Include) (*registry, error) {
	v, err := r.evaluate(in.Expression, "include")
	if errors.Is(err, errWaits) {
		return nil, nil //nolint:nilnil // Waiting is neither a registry nor an error.
	}

	if err != nil {
		return nil, err
	}

	out := &registry{}
	err = out.add(object.NodeOf(v), "the expression")

	return out, err
}

// registryField returns the patterns in the field of the include, or nil while Crossplane fetches the objects with the field.
func (r *resolver) registryField(in *v1beta1.Include) (*registry, error) {
	objects, err := r.registryObjects(in)
	if err != nil || len(objects) == 0 {
		return nil, err
	}

	out, there := &registry{}, false

	for _, o := range objects {
		n, err := o.valueAt(in.FromFieldPath, "neither a pattern nor a list or map of patterns", "a string", "a list", "an object")
		if err == nil && n.IsThere() {
			there, err = true, out.add(n, o.prefix+in.FromFieldPath.String())
		}

		if err != nil {
			return nil, err
		}
	}

	if !there {
		note := fmt.Sprintf("%s has no %s that says which labels to include%s", objects[0].name, in.FromFieldPath, soWithAll(objects))
		return nil, objects[0].missing(in.FromFieldPath, note)
	}

	return out, nil
}

// registryObjects returns the objects with the field of the include, such as the ConfigMaps of the source "registry".
// It returns none while Crossplane fetches them. If there is no such object, the error is a *absence.
func (r *resolver) registryObjects(in *v1beta1.Include) ([]namedObject, error) {
	switch {
	case in.ContextKey != "":
		o, err := r.presentContext(in.ContextKey)
		return []namedObject{o}, err
	case in.Source != "":
		i := slices.IndexFunc(r.in.Sources, func(s v1beta1.Source) bool {
			return s.Type == v1beta1.SourceTypeRequiredResource && s.Name == in.Source
		})

		return r.objects(&r.in.Sources[i]) // An input without this source is refused.
	default:
		return []namedObject{r.xr}, nil
	}
}

// add adds the patterns of n: the text platform/*, the list [platform/*, owner], or the map {platform/*: true, owner:
// false}. name is the field's name in messages.
func (r *registry) add(n object.Node, name string) error {
	switch {
	case n.IsList():
		patterns, err := patternsIn(n, name, v1beta1.ValidateLabelPattern)
		r.keys = append(r.keys, patterns...)

		return err
	case n.IsObject():
		return r.addMap(n.Value().GetStructValue().GetFields(), name)
	default:
		return r.addText(strings.TrimSpace(n.Text()), name)
	}
}

// addMap adds the patterns of a map such as {"platform/*": true, "platform/secret": "false"}. Patterns with null are left out.
func (r *registry) addMap(fields map[string]*structpb.Value, name string) error {
	for _, pattern := range slices.Sorted(maps.Keys(fields)) {
		v := fields[pattern]
		if object.IsNull(v) {
			continue
		}

		if why := v1beta1.ValidateLabelPattern(pattern); why != "" {
			return errors.Errorf("%s[%s]: %s", name, pattern, why)
		}

		_, isBool := v.GetKind().(*structpb.Value_BoolValue)

		// Values of ConfigMaps are strings.
		switch text := v.GetStringValue(); {
		case v.GetBoolValue() || text == "true":
			r.keys = append(r.keys, pattern)
		case isBool || text == "false":
			r.except = append(r.except, pattern)
		default:
			return errors.Errorf("%s[%s] is %s, neither true nor false", name, pattern, object.KindOf(v))
		}
	}

	return nil
}

// addText adds one pattern, such as platform/*, or the patterns of a list or map in YAML. An empty text has none.
func (r *registry) addText(text, name string) error {
	switch {
	case text == "":
		return nil
	case !isYAML(text):
		if why := v1beta1.ValidateLabelPattern(text); why != "" {
			return errors.Errorf("%s %q: %s", name, text, why)
		}

		r.keys = append(r.keys, text)

		return nil
	case len(text) > maxText:
		return errors.Errorf("%s is a text of %d bytes, and patterns in YAML may have at most %d: write a list or map without quotes around it", name, len(text), maxText)
	}

	v, err := object.FromYAML(text)
	if err != nil {
		return errors.Wrap(err, name)
	}

	switch n := object.NodeOf(v); {
	case n.IsNull():
		return nil
	case n.IsList() || n.IsObject():
		return r.add(n, name)
	default:
		return errors.Errorf("%s has several lines, but is neither a list nor a map in YAML: begin each line with - and a space", name)
	}
}

// isYAML reports whether the text may be a list or map in YAML, such as "- platform/*": it has several lines, a colon and a space,
// or begins as a list or map does. No pattern does.
func isYAML(text string) bool {
	return strings.ContainsAny(text, "\n\r") || strings.Contains(text, ": ") ||
		slices.ContainsFunc([]string{"- ", "[", "{"}, func(start string) bool { return strings.HasPrefix(text, start) })
}
