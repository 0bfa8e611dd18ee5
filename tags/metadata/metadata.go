// Package metadata copies labels and annotations of Kubernetes objects to composed
// resources. They are no tags, and not in the way of tags.
package metadata

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"

	"google.golang.org/protobuf/types/known/structpb"
	"k8s.io/apimachinery/pkg/api/validate/content"

	"github.com/crossplane/function-sdk-go/errors"

	"github.com/plexsphere/function-cloud-tags/input/v1beta1"
	"github.com/plexsphere/function-cloud-tags/tags/object"
	"github.com/plexsphere/function-cloud-tags/tags/resolve"
	"github.com/plexsphere/function-cloud-tags/tags/stamp/tagset"
	"github.com/plexsphere/function-cloud-tags/tags/target"
)

// Copies are what is copied and where to.
type Copies struct {
	targets *target.Targets
	rules   []rule
}

// A rule, what it copies, and the resources that get it.
type rule struct {
	resolve.Metadata

	position int
	to       []destination
}

// A destination of metadata.
type destination struct {
	target *target.Target

	// from is the name of the composed resource whose metadata it gets, or empty if the
	// metadata is another object's.
	from string
}

// A Result is what comes of copying.
type Result struct {
	// Changed resources by name.
	Changed map[string]object.Object

	// NotCopied is metadata that was not copied, by the position of the rule.
	NotCopied []NotCopied

	// room is how many bytes may still be copied.
	room int
}

// maxCopied is the most bytes that all rules copy together: what a response may have, since
// Crossplane takes no larger one. One map can be copied to a thousand items.
const maxCopied = 4 << 20

// ErrTooLarge is the error of rules that copy more than a response may have.
var ErrTooLarge = errors.Errorf("all rules together copy more than %d bytes, which is more than Crossplane takes of a function: "+
	"select fewer keys, or fewer resources and items", maxCopied)

// NotCopied is metadata that was not copied, and why.
type NotCopied struct {
	// Rule is the position of the input's rule.
	Rule int

	Why string
}

// Select the resources that the supplied rules copy to, by what earlier steps of the
// pipeline have made of them.
func Select(rules []resolve.Metadata, targets *target.Targets) *Copies {
	c := &Copies{targets: targets, rules: make([]rule, len(rules))}

	for i := range rules {
		c.rules[i] = rule{Metadata: rules[i], position: i}

		for _, t := range targets.All {
			for _, from := range namesFor(c.rules[i].Rule, t, targets) {
				c.rules[i].to = append(c.rules[i].to, destination{target: t, from: from})
			}
		}
	}

	return c
}

// namesFor returns the names of the composed resources that the supplied rule copies from
// to the supplied target. It is an empty one if the rule copies from elsewhere, and
// there are none if it doesn't copy to the target.
func namesFor(rule *v1beta1.MetadataRule, t *target.Target, targets *target.Targets) []string {
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

// Copy labels and annotations to the selected resources. Later rules see what earlier ones
// copied. An error means that nothing may be written: it is that of ctx once that has one, ErrTooLarge,
// or a resolve failure.
func (c *Copies) Copy(ctx context.Context) (*Result, error) {
	out := &Result{Changed: make(map[string]object.Object), room: maxCopied}

	for i := range c.rules {
		if err := c.rules[i].copy(ctx, c.targets, out); err != nil {
			return nil, errors.Wrapf(err, "cannot copy kubernetesMetadata[%d]", i)
		}
	}

	return out, nil
}

// copy by the rule. What is copied is read before anything is.
func (r *rule) copy(ctx context.Context, targets *target.Targets, out *Result) error {
	from := make(map[string]resolve.Metadata)

	for _, d := range r.to {
		if _, ok := from[d.from]; ok {
			continue
		}

		m, err := r.read(d.from, targets, out)
		if err != nil {
			return err
		}

		from[d.from] = resolve.Metadata{Labels: r.choose(m.Labels, invalidLabel, out), Annotations: r.choose(m.Annotations, invalidAnnotation, out)}
	}

	for _, d := range r.to {
		if err := ctx.Err(); err != nil {
			return err
		}

		r.write(from[d.from].Labels, d.target, r.Rule.ToFieldPaths.Labels, out)
		r.write(from[d.from].Annotations, d.target, r.Rule.ToFieldPaths.Annotations, out)

		if out.room < 0 {
			return ErrTooLarge
		}
	}

	return nil
}

// read what the rule may copy: of the composed resource of the supplied name, or what is
// another object's.
func (r *rule) read(name string, targets *target.Targets, out *Result) (resolve.Metadata, error) {
	if r.Rule.Source.Type != v1beta1.MetadataSourceTypeComposedResource {
		return r.Metadata, nil
	}

	i, found := slices.BinarySearchFunc(targets.All, name, func(t *target.Target, name string) int { return strings.Compare(t.Name, name) })
	if !found {
		return resolve.Metadata{}, nil
	}

	return resolve.MetadataOf(r.Rule, out.resource(targets.All[i]), fmt.Sprintf("composed resource %q ", name))
}

// resource that the supplied target has become.
func (o *Result) resource(t *target.Target) object.Object {
	if changed, ok := o.Changed[t.Name]; ok {
		return changed
	}

	return t.Resource
}

func (r *rule) failf(out *Result, format string, args ...any) {
	out.NotCopied = append(out.NotCopied, NotCopied{Rule: r.position, Why: fmt.Sprintf(format, args...)})
}

// choose what the rule selects, but nothing that is private, or that the API server would
// refuse the whole resource for.
func (r *rule) choose(from map[string]string, invalid func(key, value string) string, out *Result) map[string]string {
	chosen := make(map[string]string)

	for _, key := range slices.Sorted(maps.Keys(from)) {
		if !selects(&r.Rule.Select, key) {
			continue
		}

		if why := invalid(key, from[key]); why != "" {
			r.failf(out, "%s: %s", key, why)
		} else {
			chosen[key] = from[key]
		}
	}

	return chosen
}

// stops are the annotations by which controllers stop to manage the object that has them: those
// of AWS Controllers for Kubernetes, Azure Service Operator, Config Connector and Cluster API.
var stops = []string{
	"services.k8s.aws/read-only", "serviceoperator.azure.com/reconcile-policy",
	"cnrm.cloud.google.com/reconcile-interval-in-seconds", "cluster.x-k8s.io/paused",
}

// selects is true if the supplied selector selects the supplied key, and it may be copied.
func selects(sel *v1beta1.MetadataSelector, key string) bool {
	domain := key[:max(0, strings.Index(key, "/"))]

	if object.IsPrivate(key) || slices.Contains(stops, key) {
		return false
	}

	return sel.All ||
		slices.ContainsFunc(sel.Prefixes, func(p string) bool { return strings.HasPrefix(key, p) }) ||
		slices.ContainsFunc(sel.Domains, func(d string) bool { return object.IsDomainOf(domain, d) })
}

// invalidLabel says what the API server would refuse about a label, or nothing.
func invalidLabel(key, value string) string {
	return strings.Join(append(content.IsLabelKey(key), content.IsLabelValue(value)...), "; ")
}

// invalidAnnotation says what the API server would refuse about an annotation, or
// nothing. The keys of annotations are validated in lower case.
func invalidAnnotation(key, _ string) string {
	return strings.Join(content.IsLabelKey(strings.ToLower(key)), "; ")
}

// write the supplied labels or annotations to the supplied paths of the supplied target.
func (r *rule) write(values map[string]string, t *target.Target, paths []object.Path, out *Result) {
	if len(values) == 0 {
		return
	}

	for _, path := range paths {
		after, changed, err := object.Update(out.resource(t), path, func(old *structpb.Value) (*structpb.Value, error) {
			if out.room < 0 {
				return old, nil // Nothing is written in the end.
			}

			return with(old, values, &out.room)
		})
		if err != nil {
			r.failf(out, "to composed resource %q: %v", t.Name, err)
		} else if changed {
			out.Changed[t.Name] = after
		}
	}
}

// with returns the map of strings old with the values in it, and takes the bytes of those that it
// lacks from the room. It is old itself if it has them.
func with(old *structpb.Value, values map[string]string, room *int) (*structpb.Value, error) {
	if !object.IsNull(old) && old.GetStructValue() == nil {
		return nil, fmt.Errorf("is %s, not a map of strings", object.KindOf(old))
	}

	fields := old.GetStructValue().GetFields()
	out := make(map[string]*structpb.Value, len(fields)+len(values))
	same := true

	maps.Copy(out, fields)

	for key, value := range values {
		if v, ok := fields[key]; !ok || !tagset.IsText(v, value) {
			out[key] = structpb.NewStringValue(value)
			same = false
			*room -= len(key) + len(value)
		}
	}

	if same {
		return old, nil
	}

	return structpb.NewStructValue(&structpb.Struct{Fields: out}), nil
}
