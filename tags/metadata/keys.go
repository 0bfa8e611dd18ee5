package metadata

import (
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/util/validation"

	"github.com/plexsphere/function-cloud-tags/input/v1beta1"
)

// Keys of these domains are for the very object that has them. Those of subdomains of the
// first are, too.
const (
	crossplaneDomain = "crossplane.io"
	kubectlDomain    = "kubectl.kubernetes.io"
	ownDomain        = "cloudtags.fn.plexsphere.com"
)

// selects is true if the supplied selector selects the supplied key, and it may be copied.
func selects(sel *v1beta1.MetadataSelector, key string) bool {
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
