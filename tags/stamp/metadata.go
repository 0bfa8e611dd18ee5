package stamp

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"google.golang.org/protobuf/types/known/structpb"
	"k8s.io/apimachinery/pkg/util/validation"

	"github.com/crossplane/function-sdk-go/errors"

	"github.com/plexsphere/function-cloud-tags/input/v1beta1"
	"github.com/plexsphere/function-cloud-tags/tags/object"
	"github.com/plexsphere/function-cloud-tags/tags/resolve"
)

// NotCopied is metadata that was not copied, and why.
type NotCopied struct {
	// Rule is the position of the input's rule.
	Rule int

	Why string
}

// Keys of these domains are for the very object that has them. Those of subdomains of the
// first are, too.
const (
	crossplaneDomain = "crossplane.io"
	kubectlDomain    = "kubectl.kubernetes.io"
	ownDomain        = "cloudtags.fn.plexsphere.com"
)

// copiedFrom returns the names of the composed resources that the supplied rule copies
// from to the supplied target. It is an empty one if the rule copies from elsewhere, and
// there are none if it doesn't copy to the target.
func (s *Stamper) copiedFrom(rule *v1beta1.MetadataRule, t *Target) []string {
	if t.leave == whyIgnored || t.leave == whyNoObject {
		return nil
	}

	before, after, several := strings.Cut(rule.Source.Name, "*")
	if !several {
		if s.selects(rule.Resources, t) {
			return []string{rule.Source.Name}
		}

		return nil
	}

	var names []string

	for i := range rule.Resources {
		if !s.selects(rule.Resources[i:i+1], t) {
			continue
		}

		prefix, suffix, _ := strings.Cut(rule.Resources[i].Name.String(), "*")
		names = append(names, before+t.Name[len(prefix):len(t.Name)-len(suffix)]+after)
	}

	return names
}

// CopyMetadata copies labels and annotations to the supplied targets, as the supplied
// outcome has them, and adds to it what changes. Later rules of the input see what
// earlier ones copied. An error means that nothing may be written.
func (s *Stamper) CopyMetadata(targets []Target, out *Outcome) error {
	for i, m := range s.Metadata {
		rule := &s.Input.KubernetesMetadata[i]
		c := copier{rule: i, out: out}

		// What is copied is read before anything is.
		from := make(map[string]resolve.Metadata)

		for n := range targets {
			for _, name := range targets[n].copied[i] {
				if _, ok := from[name]; ok {
					continue
				}

				if rule.Source.Type == v1beta1.MetadataSourceTypeComposedResource {
					var err error
					if m, err = composedMetadata(rule, name, targets, out); err != nil {
						return errors.Wrapf(err, "cannot copy kubernetesMetadata[%d]", i)
					}
				}

				from[name] = resolve.Metadata{
					Labels:      c.choose(m.Labels, &rule.Select, invalidLabel),
					Annotations: c.choose(m.Annotations, &rule.Select, invalidAnnotation),
				}
			}
		}

		for n := range targets {
			for _, name := range targets[n].copied[i] {
				c.copy(&targets[n], rule.ToFieldPaths.Labels, from[name].Labels)
				c.copy(&targets[n], rule.ToFieldPaths.Annotations, from[name].Annotations)
			}
		}
	}

	return nil
}

// composedMetadata returns what the supplied rule may copy of the composed resource of
// the supplied name.
func composedMetadata(rule *v1beta1.MetadataRule, name string, targets []Target, out *Outcome) (resolve.Metadata, error) {
	i, found := slices.BinarySearchFunc(targets, name, func(t Target, name string) int { return strings.Compare(t.Name, name) })
	if !found {
		return resolve.Metadata{}, nil
	}

	return resolve.MetadataOf(rule, out.resource(&targets[i]), fmt.Sprintf("composed resource %q ", name))
}

// resource that the supplied target has become.
func (o *Outcome) resource(t *Target) *structpb.Struct {
	if r, ok := o.Stamped[t.Name]; ok {
		return r
	}

	return t.Resource
}

// A copier copies metadata by one rule.
type copier struct {
	rule int
	out  *Outcome
}

func (c *copier) failf(format string, args ...any) {
	c.out.NotCopied = append(c.out.NotCopied, NotCopied{Rule: c.rule, Why: fmt.Sprintf(format, args...)})
}

// choose what the supplied selector selects, but nothing that is private, or that
// the API server would refuse the whole resource for.
func (c *copier) choose(from map[string]string, sel *v1beta1.MetadataSelector, invalid func(key, value string) string) map[string]string {
	out := make(map[string]string)

	for _, key := range slices.Sorted(maps.Keys(from)) {
		if !selectsKey(sel, key) {
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
func (c *copier) copy(t *Target, paths []object.Path, values map[string]string) {
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
			c.out.Stamped[t.Name] = r
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
	changed := false

	for key, value := range values {
		if v, ok := fields[key]; ok && isText(v, value) {
			continue
		}

		if !changed {
			fields = maps.Clone(fields)
			changed = true
		}

		if fields == nil {
			fields = make(map[string]*structpb.Value, len(values))
		}

		fields[key] = structpb.NewStringValue(value)
	}

	if !changed {
		return old, nil
	}

	return structpb.NewStructValue(&structpb.Struct{Fields: fields}), nil
}

// selectsKey is true if the supplied selector selects the supplied key, and it may be
// copied.
func selectsKey(sel *v1beta1.MetadataSelector, key string) bool {
	domain, _, ok := strings.Cut(key, "/")
	if !ok {
		domain = ""
	}

	if belongs(domain, crossplaneDomain) || domain == kubectlDomain || domain == ownDomain {
		return false
	}

	return sel.All ||
		slices.ContainsFunc(sel.Prefixes, func(p string) bool { return strings.HasPrefix(key, p) }) ||
		slices.ContainsFunc(sel.Domains, func(d string) bool { return belongs(domain, d) })
}

// belongs is true if the first of the supplied domains is the second one or a subdomain
// of it.
func belongs(domain, to string) bool {
	return domain == to || strings.HasSuffix(domain, "."+to)
}

// invalidLabel says what the API server would refuse about a label, or nothing.
func invalidLabel(key, value string) string {
	return strings.Join(append(validation.IsQualifiedName(key), validation.IsValidLabelValue(value)...), "; ")
}

// invalidAnnotation says what the API server would refuse about an annotation, or
// nothing. The keys of annotations are validated in lower case.
func invalidAnnotation(key, _ string) string {
	return strings.Join(validation.IsQualifiedName(strings.ToLower(key)), "; ")
}
