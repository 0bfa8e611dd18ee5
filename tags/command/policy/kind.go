package policy

import (
	_ "embed" // For the built-in kinds.
	"slices"
	"strings"
	"unicode"

	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/util/validation"

	"github.com/crossplane/function-sdk-go/errors"
)

// builtInText has the kinds of Kubernetes itself that have labels, e.g. Deployment.apps.
//
//go:embed kinds.txt
var builtInText string

var builtInKinds = strings.Fields(builtInText)

// A kind of object, in all versions.
type kind struct {
	schema.GroupKind

	// plural that the API server knows objects of this kind by. It is empty if
	// only a cluster could tell.
	plural string
}

// String is how the policy's expressions tell kinds.
func (k kind) String() string { return k.Group + "/" + k.Kind }

// newKind returns a kind. Only the plurals of built-in kinds follow a rule: they are
// those of groups that are no domain.
func newKind(apiVersion, name string) (kind, error) {
	gv, err := schema.ParseGroupVersion(apiVersion)
	gvk := gv.WithKind(name)

	switch {
	case err != nil || !isGroupVersion(gv) || !isKind(name):
		return kind{}, errors.Errorf("%q is not an apiVersion and a kind: these are a group, a version and the name of the kind as manifests have it, e.g. apps/v1/Deployment, or v1 instead of group and version for Kubernetes' own group, e.g. v1/Namespace",
			apiVersion+"/"+name)
	case isBuiltIn(gv.Group) && !slices.Contains(builtInKinds, gvk.GroupKind().String()):
		return kind{}, errors.Errorf("%q is no kind of Kubernetes: kinds are in the singular, e.g. Namespace", apiVersion+"/"+name)
	case strings.Contains(gv.Group, "."):
		return kind{GroupKind: gvk.GroupKind()}, nil
	}

	return kind{GroupKind: gvk.GroupKind(), plural: pluralOf(name)}, nil
}

// isBuiltIn is true if the supplied group is one of Kubernetes itself.
func isBuiltIn(group string) bool {
	return slices.ContainsFunc(builtInKinds, func(k string) bool { return schema.ParseGroupKind(k).Group == group })
}

// pluralOf the supplied built-in kind.
func pluralOf(name string) string {
	name = strings.ToLower(name)

	switch {
	case strings.HasSuffix(name, "endpoints"):
		return name
	case strings.HasSuffix(name, "s"):
		return name + "es"
	case strings.HasSuffix(name, "y"):
		return strings.TrimSuffix(name, "y") + "ies"
	default:
		return name + "s"
	}
}

// isGroupVersion is true if there can be such a group and version.
func isGroupVersion(gv schema.GroupVersion) bool {
	if gv.Group == "" {
		return gv.Version == "v1"
	}

	return len(validation.IsDNS1123Subdomain(gv.Group)) == 0 && len(validation.IsDNS1035Label(gv.Version)) == 0
}

// isKind is true if the supplied name can be that of a kind, and not of its plural.
func isKind(name string) bool {
	return name != "" && unicode.IsUpper(rune(name[0])) && len(validation.IsDNS1035Label(strings.ToLower(name))) == 0
}

// parseKinds parses apiVersion/kind and apiVersion/kind=plural.
func parseKinds(matches []string) ([]kind, error) {
	var out []kind

	for _, match := range matches {
		apiVersionKind, plural, given := strings.Cut(match, "=")
		i := max(strings.LastIndexByte(apiVersionKind, '/'), 0)

		k, err := newKind(apiVersionKind[:i], strings.TrimPrefix(apiVersionKind[i:], "/"))
		if err != nil {
			return nil, errors.Wrapf(err, "--match %s", match)
		}

		if given && len(validation.IsDNS1035Label(plural)) > 0 {
			return nil, errors.Errorf("--match %s: %q is not the plural of a kind, e.g. namespaces", match, plural)
		}

		if given {
			k.plural = plural
		}

		out = add(out, k)
	}

	return out, nil
}

// has is true if the supplied kind is among others.
func has(kinds []kind, k kind) bool {
	return slices.ContainsFunc(kinds, func(o kind) bool { return o.GroupKind == k.GroupKind })
}

// add the supplied kinds to others, each once.
func add(to []kind, kinds ...kind) []kind {
	for _, k := range kinds {
		if !has(to, k) {
			to = append(to, k)
		}
	}

	return to
}
