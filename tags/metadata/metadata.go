// Package metadata copies labels and annotations of Kubernetes objects to composed
// resources. They are no tags, and not in the way of tags.
package metadata

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"google.golang.org/protobuf/types/known/structpb"

	"github.com/crossplane/function-sdk-go/errors"

	"github.com/plexsphere/function-cloud-tags/input/v1beta1"
	"github.com/plexsphere/function-cloud-tags/tags/object"
	"github.com/plexsphere/function-cloud-tags/tags/resolve"
	"github.com/plexsphere/function-cloud-tags/tags/stamp"
	"github.com/plexsphere/function-cloud-tags/tags/stamp/tagset"
)

// Copies are what is copied and where to: by rule, the resources that get something.
type Copies struct {
	targets *stamp.Targets
	rules   []resolve.Metadata
	to      [][]destination
}

// A destination of metadata.
type destination struct {
	target *stamp.Target

	// from are the names of the composed resources whose metadata it gets. It is an empty
	// name if the metadata is another object's.
	from []string
}

// A Result is what comes of copying.
type Result struct {
	// Changed resources by name, whether metadata or tags of them changed.
	Changed map[string]*structpb.Struct

	// NotCopied is metadata that was not copied, by the position of the rule.
	NotCopied []NotCopied
}

// NotCopied is metadata that was not copied, and why.
type NotCopied struct {
	// Rule is the position of the input's rule.
	Rule int

	Why string
}

// Select the resources that the supplied rules copy to, by what earlier steps of the
// pipeline have made of them.
func Select(rules []resolve.Metadata, targets *stamp.Targets) *Copies {
	c := &Copies{targets: targets, rules: rules, to: make([][]destination, len(rules))}

	for i := range rules {
		for _, t := range targets.All {
			if from := namesFor(rules[i].Rule, t, targets); len(from) > 0 {
				c.to[i] = append(c.to[i], destination{target: t, from: from})
			}
		}
	}

	return c
}

// namesFor returns the names of the composed resources that the supplied rule copies from
// to the supplied target. It is an empty one if the rule copies from elsewhere, and
// there are none if it doesn't copy to the target.
func namesFor(rule *v1beta1.MetadataRule, t *stamp.Target, targets *stamp.Targets) []string {
	if t.IsUntouchable() {
		return nil
	}

	before, after, several := strings.Cut(rule.Source.Name, "*")
	if !several {
		if targets.Selects(rule.Resources, t) {
			return []string{rule.Source.Name}
		}

		return nil
	}

	var names []string

	for i := range rule.Resources {
		if !targets.Selects(rule.Resources[i:i+1], t) {
			continue
		}

		prefix, suffix, _ := strings.Cut(rule.Resources[i].Name.String(), "*")
		names = append(names, before+t.Name[len(prefix):len(t.Name)-len(suffix)]+after)
	}

	return names
}

// Copy labels and annotations to the selected resources, of which those that are stamped
// are supplied. Later rules see what earlier ones copied. An error means that nothing may be
// written.
func (c *Copies) Copy(stamped map[string]*structpb.Struct) (*Result, error) {
	out := &Result{Changed: maps.Clone(stamped)}

	for i := range c.rules {
		r := copier{rule: c.rules[i].Rule, position: i, out: out}

		// What is copied is read before anything is.
		from, err := c.read(&r, i)
		if err != nil {
			return nil, errors.Wrapf(err, "cannot copy kubernetesMetadata[%d]", i)
		}

		for _, d := range c.to[i] {
			for _, name := range d.from {
				r.copy(d.target, r.rule.ToFieldPaths.Labels, from[name].Labels)
				r.copy(d.target, r.rule.ToFieldPaths.Annotations, from[name].Annotations)
			}
		}
	}

	return out, nil
}

// read what the rule at the supplied position copies, by the name of the resource that it
// is of.
func (c *Copies) read(r *copier, i int) (map[string]resolve.Metadata, error) {
	from := make(map[string]resolve.Metadata)

	for _, d := range c.to[i] {
		for _, name := range d.from {
			if _, ok := from[name]; ok {
				continue
			}

			m := c.rules[i]

			if r.rule.Source.Type == v1beta1.MetadataSourceTypeComposedResource {
				var err error
				if m, err = c.composed(r, name); err != nil {
					return nil, err
				}
			}

			from[name] = resolve.Metadata{
				Labels:      r.choose(m.Labels, invalidLabel),
				Annotations: r.choose(m.Annotations, invalidAnnotation),
			}
		}
	}

	return from, nil
}

// composed returns what the rule may copy of the composed resource of the supplied name.
func (c *Copies) composed(r *copier, name string) (resolve.Metadata, error) {
	i, found := slices.BinarySearchFunc(c.targets.All, name, func(t *stamp.Target, name string) int { return strings.Compare(t.Name, name) })
	if !found {
		return resolve.Metadata{}, nil
	}

	return resolve.MetadataOf(r.rule, r.out.resource(c.targets.All[i]), fmt.Sprintf("composed resource %q ", name))
}

// resource that the supplied target has become.
func (r *Result) resource(t *stamp.Target) *structpb.Struct {
	if changed, ok := r.Changed[t.Name]; ok {
		return changed
	}

	return t.Resource
}

// A copier copies metadata by one rule.
type copier struct {
	rule     *v1beta1.MetadataRule
	position int
	out      *Result
}

func (c *copier) failf(format string, args ...any) {
	c.out.NotCopied = append(c.out.NotCopied, NotCopied{Rule: c.position, Why: fmt.Sprintf(format, args...)})
}

// choose what the rule selects, but nothing that is private, or that the API server would
// refuse the whole resource for.
func (c *copier) choose(from map[string]string, invalid func(key, value string) string) map[string]string {
	out := make(map[string]string)

	for _, key := range slices.Sorted(maps.Keys(from)) {
		if !selects(&c.rule.Select, key) {
			continue
		}

		if why := invalid(key, from[key]); why != "" {
			c.failf("%s: %s", key, why)
			continue
		}

		out[key] = from[key]
	}

	return out
}

// copy the supplied labels or annotations to the supplied paths of the supplied target.
func (c *copier) copy(t *stamp.Target, paths []object.Path, values map[string]string) {
	if len(values) == 0 {
		return
	}

	for _, path := range paths {
		was := c.out.resource(t)

		r, err := object.Update(was, path, func(old *structpb.Value) (*structpb.Value, error) { return with(old, values) })
		if err != nil {
			c.failf("to composed resource %q: %v", t.Name, err)
			continue
		}

		if r != was {
			c.out.Changed[t.Name] = r
		}
	}
}

// with returns the supplied map of strings with the supplied values in it. It is the map
// itself if it has them.
func with(old *structpb.Value, values map[string]string) (*structpb.Value, error) {
	if !object.IsNull(old) && old.GetStructValue() == nil {
		return nil, fmt.Errorf("is %s, not a map of strings", object.KindOf(old))
	}

	fields := old.GetStructValue().GetFields()
	missing := maps.Clone(values)

	maps.DeleteFunc(missing, func(key, value string) bool {
		v, ok := fields[key]
		return ok && tagset.IsText(v, value)
	})

	if len(missing) == 0 {
		return old, nil
	}

	out := make(map[string]*structpb.Value, len(fields)+len(missing))
	maps.Copy(out, fields)

	for key, value := range missing {
		out[key] = structpb.NewStringValue(value)
	}

	return structpb.NewStructValue(&structpb.Struct{Fields: out}), nil
}
