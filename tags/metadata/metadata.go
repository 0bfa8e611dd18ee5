// Package metadata copies labels and annotations of Kubernetes objects to composed
// resources. It writes no tags.
package metadata

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/api/validate/content"

	"github.com/crossplane/function-sdk-go/errors"

	"github.com/plexsphere/function-cloud-tags/input/v1beta1"
	"github.com/plexsphere/function-cloud-tags/tags"
	"github.com/plexsphere/function-cloud-tags/tags/budget"
	"github.com/plexsphere/function-cloud-tags/tags/field"
	"github.com/plexsphere/function-cloud-tags/tags/locate"
	"github.com/plexsphere/function-cloud-tags/tags/object"
	"github.com/plexsphere/function-cloud-tags/tags/resolve"
	"github.com/plexsphere/function-cloud-tags/tags/words"
)

// Copies are the entries of kubernetesMetadata, and the resources that they copy to.
type Copies struct {
	targets     *locate.Targets
	transformer *tags.Transformer
	copyings    []copying
}

// A copying is an entry with the metadata that it copies, and the resources that get this metadata.
type copying struct {
	resolve.Metadata

	copies   *Copies
	position int
	to       []destination

	// notCopied is how much the entry has not copied.
	notCopied int
}

// A destination of metadata.
type destination struct {
	target *locate.Target

	// from is the name of the composed resource whose metadata it gets, or empty if the
	// metadata is another object's.
	from string
}

// Copied is the outcome of copying.
type Copied struct {
	// Changed resources by name.
	Changed map[string]object.Object

	// NotCopied is metadata that was not copied, by the position of the entry. For each entry it has the first few keys, and then how
	// many more there are.
	NotCopied []NotCopied

	// budget is charged for what is copied: one map can be copied to a thousand items.
	budget *budget.Budget
}

// NotCopied is metadata that was not copied, and why.
type NotCopied struct {
	// Entry is the position of the entry of kubernetesMetadata.
	Entry int

	// Why names the label or annotation and the place, and gives the reason.
	Why string

	// More is how many more reasons there are for the entry. Only the first words.MaxNameCount are told, each as a Why. If More is
	// set, Why is empty.
	More int
}

// Select returns the entries with the resources that they copy to. Selectors read these resources as earlier steps of
// the pipeline left them. The transformer knows which tag keys are reserved.
func Select(entries []resolve.Metadata, targets *locate.Targets, transformer *tags.Transformer) *Copies {
	c := &Copies{targets: targets, transformer: transformer, copyings: make([]copying, len(entries))}

	for i := range entries {
		c.copyings[i] = copying{Metadata: entries[i], copies: c, position: i}

		for _, t := range targets.All {
			for _, from := range namesFor(c.copyings[i].Entry, t, targets) {
				c.copyings[i].to = append(c.copyings[i].to, destination{target: t, from: from})
			}
		}
	}

	return c
}

// namesFor returns the names of the composed resources that the entry copies from to the target. With the source pool-*
// and the entry nodes-* of resources, it returns pool-a for the target nodes-a. The only name is empty if the entry
// copies from another object. There is none if the entry doesn't copy to the target.
func namesFor(entry *v1beta1.MetadataCopy, t *locate.Target, targets *locate.Targets) []string {
	before, after, several := strings.Cut(entry.Source.Name, "*")

	switch {
	case t.IsUntouchable(), !several && !targets.Selects(entry.Resources, t):
		return nil
	case !several:
		return []string{entry.Source.Name}
	}

	return words.MapIf(entry.Resources, func(s v1beta1.ResourceSelector) (string, bool) {
		if !targets.Selects([]v1beta1.ResourceSelector{s}, t) {
			return "", false
		}

		prefix, suffix, _ := strings.Cut(s.Name.String(), "*")

		return before + t.Name[len(prefix):len(t.Name)-len(suffix)] + after, true
	})
}

// Copy copies labels and annotations to the selected resources, and charges b for them. Later entries see the copies of earlier ones.
// After an error nothing may be written. It is the error of ctx or of b, or a resolve failure.
func (c *Copies) Copy(ctx context.Context, b *budget.Budget) (*Copied, error) {
	out := &Copied{Changed: make(map[string]object.Object), budget: b}

	for i := range c.copyings {
		if err := c.copyings[i].copy(ctx, c.targets, out); err != nil {
			return nil, errors.Wrapf(err, "cannot copy %s", c.copyings[i].Path)
		}

		if more := c.copyings[i].notCopied - words.MaxNameCount; more > 0 {
			out.NotCopied = append(out.NotCopied, NotCopied{Entry: i, More: more})
		}
	}

	return out, nil
}

// copy copies by the entry. It reads everything before it writes, but for metadata that expressions compute for each resource: they
// see nothing of what is copied.
func (r *copying) copy(ctx context.Context, targets *locate.Targets, out *Copied) error {
	from := make(map[string]resolve.Metadata)

	for _, d := range r.to {
		if _, ok := from[d.from]; ok || r.PerResource != nil {
			continue
		}

		m, err := r.read(d.from, targets, out)
		if err != nil {
			return err
		}

		from[d.from] = r.chosen(m, out)
	}

	for _, d := range r.to {
		if err := ctx.Err(); err != nil {
			return err
		}

		m := from[d.from]

		if r.PerResource != nil {
			computed, err := r.PerResource(&resolve.ComposedResource{Name: d.target.Name, Desired: d.target.Received, Observed: d.target.Observed})
			if err != nil {
				return err
			}

			m = r.chosen(computed, out)
		}

		if err := r.write(m.Labels, d.target, r.Entry.ToFieldPaths.Labels, out); err != nil {
			return err
		}

		if err := r.write(m.Annotations, d.target, r.Entry.ToFieldPaths.Annotations, out); err != nil {
			return err
		}
	}

	return nil
}

// read returns the labels and annotations that the entry may copy: from the composed resource with this name, or else
// from the entry's own object.
func (r *copying) read(name string, targets *locate.Targets, out *Copied) (resolve.Metadata, error) {
	if r.Entry.Source.Type != v1beta1.MetadataSourceTypeComposedResource {
		return r.Metadata, nil
	}

	i, found := slices.BinarySearchFunc(targets.All, name, func(t *locate.Target, name string) int { return strings.Compare(t.Name, name) })
	if !found {
		return resolve.Metadata{}, nil
	}

	return resolve.MetadataOf(r.Entry, out.resource(targets.All[i]), fmt.Sprintf("composed resource %q ", name))
}

// resource returns the target's resource with all that was copied to it.
func (o *Copied) resource(t *locate.Target) object.Object {
	if changed, ok := o.Changed[t.Name]; ok {
		return changed
	}

	return t.Resource
}

// noteNotCopiedf records that the entry doesn't copy something, and why. Beyond words.MaxNameCount it only counts.
func (r *copying) noteNotCopiedf(out *Copied, format string, args ...any) {
	r.notCopied++

	if r.notCopied <= words.MaxNameCount {
		out.NotCopied = append(out.NotCopied, NotCopied{Entry: r.position, Why: fmt.Sprintf(format, args...)})
	}
}

// chosen returns m with the labels and annotations that the entry selects.
func (r *copying) chosen(m resolve.Metadata, out *Copied) resolve.Metadata {
	labels, annotations := make(resolve.ByItem, len(m.Labels)), make(resolve.ByItem, len(m.Annotations))

	for _, name := range m.Items() {
		labels[name] = r.choose(m.Labels[name], invalidLabel, out)
		annotations[name] = r.choose(m.Annotations[name], invalidAnnotation, out)
	}

	m.Labels, m.Annotations = labels, annotations

	return m
}

// choose returns the labels or annotations that the entry selects. It leaves out private keys, such as kubectl.kubernetes.io/restartedAt,
// and those that would make the API server refuse the resource. It also leaves out keys that can steer a controller, such as
// services.k8s.aws/region, unless the entry names their domain.
func (r *copying) choose(from map[string]string, invalid func(key, value string) string, out *Copied) map[string]string {
	chosen := make(map[string]string, len(from))

	for _, key := range slices.Sorted(maps.Keys(from)) {
		if !selects(&r.Entry.Select, key) {
			continue
		}

		why := invalid(key, from[key])
		if why == "" && field.SteersController(key) && !names(&r.Entry.Select, key) {
			why = fmt.Sprintf("it can steer a controller: to copy it, name %s in domains or prefixes", object.KeyDomain(key))
		}

		if why != "" {
			r.noteNotCopiedf(out, "%s: %s", key, why)
		} else {
			chosen[key] = from[key]
		}
	}

	return chosen
}

// selects reports whether the selector selects a key, and the key may be copied.
func selects(sel *v1beta1.MetadataSelector, key string) bool {
	if object.IsPrivate(key) || field.StopsController(key) {
		return false
	}

	return sel.All || hasDomain(sel, key) || slices.ContainsFunc(sel.Prefixes, func(p string) bool { return strings.HasPrefix(key, p) })
}

// names reports whether the selector names the domain of a key: one of its domains has the key, or one of its prefixes begins with the whole
// domain. For services.k8s.aws/region, it may be the domain k8s.aws or the prefix services.k8s.aws/, but not the prefix services.
func names(sel *v1beta1.MetadataSelector, key string) bool {
	isWhole := func(p string) bool { return strings.HasPrefix(key, p) && strings.HasPrefix(p, object.KeyDomain(key)) }
	return hasDomain(sel, key) || slices.ContainsFunc(sel.Prefixes, isWhole)
}

// hasDomain reports whether a key is in one of the selector's domains.
func hasDomain(sel *v1beta1.MetadataSelector, key string) bool {
	return slices.ContainsFunc(sel.Domains, func(d string) bool { return object.IsDomainOf(object.KeyDomain(key), d) })
}

// invalidLabel returns why the API server would refuse a label, or an empty string.
func invalidLabel(key, value string) string {
	return strings.Join(append(content.IsLabelKey(key), content.IsLabelValue(value)...), "; ")
}

// invalidAnnotation returns why the API server would refuse an annotation, or an empty string. The API
// server validates the keys of annotations in lower case.
func invalidAnnotation(key, _ string) string {
	return strings.Join(content.IsLabelKey(strings.ToLower(key)), "; ")
}

// write writes labels or annotations to each path of a target.
func (r *copying) write(found resolve.ByItem, t *locate.Target, paths []object.Path, out *Copied) error {
	for _, path := range paths {
		before := out.resource(t)
		found := r.admitted(found, t, path, out)

		names, ofItems := r.names(before, path, t)
		if !ofItems && len(found[names[0]]) == 0 {
			continue
		}

		// Update calls this for each field at the path, in the order of names.
		after, changed, err := object.Update(before, path, func(old object.Node) (object.Node, error) {
			name := names[0]
			if ofItems {
				names = names[1:]
			}

			return withTexts(old, found[name], out.budget)
		})

		switch {
		case errors.As(err, new(*budget.ExceededError)):
			return errors.Wrapf(err, "to composed resource %q", t.Name)
		case err != nil:
			r.noteNotCopiedf(out, "to composed resource %q: %v", t.Name, err)
		case changed:
			out.Changed[t.Name] = after
		}
	}

	return nil
}

// admitted returns the found labels or annotations that may be written to the map at the path of t:
//   - No key becomes a reserved tag, in any field that is known to hold tags. In a field that is stamped, package stamp leaves reserved keys out.
//   - A resource that is only observed gets nothing in such a field.
//   - No key overwrites such a field, as the annotation with all tags of a load balancer would.
func (r *copying) admitted(found resolve.ByItem, t *locate.Target, path object.Path, out *Copied) resolve.ByItem {
	ways := r.copies.targets.WaysToTagsAt(t, path)
	if ways.IsEmpty() {
		return found
	}

	isStamped := t.HasField() && t.Field.Path.Equal(path)
	admitted := make(resolve.ByItem, len(found))

	whyNot := func(key string) string {
		switch {
		case ways.IsTagField(key):
			return "it would overwrite a tag field"
		case ways.Field == nil || isStamped || ways.Field.IsOnlyForKubernetes([]byte(key)):
			return ""
		case t.LeaveReason != locate.None:
			return "the resource " + t.WhyLeftAlone(t.LeaveReason)
		case r.copies.transformer.Transform(t.Profile).IsReserved(key):
			return "the key is reserved in tag fields"
		default:
			return ""
		}
	}

	for _, item := range slices.Sorted(maps.Keys(found)) {
		admitted[item] = maps.Clone(found[item])

		for _, key := range slices.Sorted(maps.Keys(found[item])) {
			if why := whyNot(key); why != "" {
				r.noteNotCopiedf(out, "%s to %s of composed resource %q: %s", key, path, t.Name, why)
				delete(admitted[item], key)
			}
		}
	}

	return admitted
}

// names returns the name of an item for each field at the path, in the order of the fields, if the path has a [*]: items that are
// null have no field. Otherwise it returns one name for all fields. An empty name stands for the object's own metadata.
// spec.pools[*].labels has the names web and db of the pools.
func (r *copying) names(o object.Object, path object.Path, t *locate.Target) (names []string, ofItems bool) {
	switch {
	case r.Entry.Source.ItemName == "":
		return []string{""}, false
	case !path.HasWildcard():
		return []string{t.Name}, false
	}

	list, _ := path.Split()
	items, _ := o.At(list) // The call of Update returns the same error.

	for item := range items.Items() {
		if !item.IsNull() {
			names = append(names, item.Field(r.Entry.Source.ItemName).Text())
		}
	}

	return names, true
}

// withTexts returns the map of strings old with the texts in it, and charges b for the bytes that these add. It returns old itself if old
// has the texts.
func withTexts(old object.Node, texts map[string]string, b *budget.Budget) (object.Node, error) {
	if !old.IsNull() && !old.IsObject() {
		return object.Node{}, fmt.Errorf("is %s, not a map of strings", old.Kind())
	}

	fields, same := old.FieldMap(), true

	for key, text := range texts {
		if !fields[key].IsText(text) {
			fields[key], same = object.TextNode(text), false
		}
	}

	if same {
		return old, nil
	}

	after := object.MapNode(fields)

	return after, b.ChargeResponse(after.Size() - old.Size())
}
