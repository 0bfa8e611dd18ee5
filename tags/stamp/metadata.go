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
	"github.com/plexsphere/function-cloud-tags/tags/resolve"
	"github.com/plexsphere/function-cloud-tags/tags/structpath"
)

// NotCopied is metadata that was not copied, and why.
type NotCopied struct {
	// Rule is the position of the input's rule.
	Rule int

	Why string
}

// privateDomains are the domains of keys that Crossplane and kubectl use for the very
// object that has them. Subdomains of the first are private too.
const (
	crossplaneDomain = "crossplane.io"
	kubectlDomain    = "kubectl.kubernetes.io"
)

// CopyMetadata copies labels and annotations to the supplied targets, as the supplied
// outcome has them, and adds to it what changes. Later rules of the input see what
// earlier ones copied. An error means that nothing may be written.
func (s *Stamper) CopyMetadata(targets []Target, out *Outcome) error {
	for i, m := range s.Metadata {
		rule := &s.Input.KubernetesMetadata[i]

		if rule.Source.Type == v1beta1.MetadataSourceTypeComposedResource {
			var err error
			if m, err = s.composedMetadata(rule, targets, out); err != nil {
				return errors.Wrapf(err, "cannot copy kubernetesMetadata[%d]", i)
			}
		}

		c := copier{rule: i, out: out}

		labels := c.choose(m.Labels, &rule.Select, invalidLabel)
		annotations := c.choose(m.Annotations, &rule.Select, invalidAnnotation)

		for n := range targets {
			if targets[n].copied[i] {
				c.copy(&targets[n], rule.ToFieldPaths.Labels, labels)
				c.copy(&targets[n], rule.ToFieldPaths.Annotations, annotations)
			}
		}
	}

	return nil
}

// composedMetadata returns what the supplied rule may copy of its composed resource.
func (s *Stamper) composedMetadata(rule *v1beta1.MetadataRule, targets []Target, out *Outcome) (resolve.Metadata, error) {
	name := rule.Source.Name

	i := slices.IndexFunc(targets, func(t Target) bool { return t.Name == name })
	if i < 0 {
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
func (c *copier) copy(t *Target, paths []string, values map[string]string) {
	if len(values) == 0 {
		return
	}

	for _, path := range paths {
		r := c.out.resource(t)

		old, err := structpath.Get(r, path)
		if err == nil && old != nil && old.GetStructValue() == nil {
			err = errors.Errorf("%s is %s, not a map of strings", path, structpath.KindOf(old))
		}

		if err != nil {
			c.failf("to composed resource %q: %v", t.Name, err)
			continue
		}

		fields := maps.Clone(old.GetStructValue().GetFields())
		if fields == nil {
			fields = make(map[string]*structpb.Value, len(values))
		}

		changed := false

		for key, value := range values {
			if v, ok := fields[key]; !ok || !isText(v, value) {
				fields[key] = structpb.NewStringValue(value)
				changed = true
			}
		}

		if !changed {
			continue
		}

		r, err = structpath.Set(r, path, structpb.NewStructValue(&structpb.Struct{Fields: fields}))
		if err != nil {
			c.failf("to composed resource %q: %v", t.Name, err)
			continue
		}

		c.out.Stamped[t.Name] = r
	}
}

// selectsKey is true if the supplied selector selects the supplied key, and it may be
// copied.
func selectsKey(sel *v1beta1.MetadataSelector, key string) bool {
	domain, _, ok := strings.Cut(key, "/")
	if !ok {
		domain = ""
	}

	if belongs(domain, crossplaneDomain) || domain == kubectlDomain {
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
