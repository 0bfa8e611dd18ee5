package policy

import (
	_ "embed" // For the built-in kinds.
	"slices"
	"strings"
	"unicode"

	"k8s.io/apimachinery/pkg/api/validate/content"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/crossplane/function-sdk-go/errors"
)

// builtIn has the kinds of Kubernetes itself that have labels, e.g. apps/Deployment, each after a line break.
//
//go:embed kinds.txt
var builtIn string

// kindOf returns the kind without its version, as in the policy's expressions: apps/Deployment, or /Namespace in the group without a
// name.
func kindOf(apiVersion, name string) (string, error) {
	gv, err := schema.ParseGroupVersion(apiVersion)
	isGroupVersion := err == nil && (gv.Group == "" && gv.Version == "v1" ||
		len(content.IsDNS1123Subdomain(gv.Group)) == 0 && isName(gv.Version))
	isKind := name != "" && unicode.IsUpper(rune(name[0])) && isName(strings.ToLower(name))
	kind := gv.Group + "/" + name

	switch {
	case !isGroupVersion || !isKind:
		return "", errors.Errorf("%q is not an apiVersion and a kind: these are a group, a version and the name of the kind as manifests have it, e.g. apps/v1/Deployment, or v1 instead of group and version for Kubernetes' own group, e.g. v1/Namespace",
			apiVersion+"/"+name)
	case strings.Contains(builtIn, "\n"+gv.Group+"/") && !strings.Contains(builtIn, "\n"+kind+"\n"):
		return "", errors.Errorf("%q is no kind of Kubernetes: kinds are in the singular, e.g. Namespace", apiVersion+"/"+name)
	default:
		return kind, nil
	}
}

// isName reports whether a version or resource of an API can have the name. Such names begin with a letter.
func isName(name string) bool {
	return len(content.IsDNS1123Label(name)) == 0 && !unicode.IsDigit(rune(name[0]))
}

// matchedKinds are the kinds to check, such as apps/Deployment, each once. plurals has the plurals that --match gives.
type matchedKinds struct {
	Kinds   []string
	plurals map[string]string
}

// parseMatch returns the kinds of --match, such as v1/Namespace or platform.example.org/v1/Zone=zones.
func parseMatch(matches []string) (matchedKinds, error) {
	out := matchedKinds{plurals: make(map[string]string)}

	for _, match := range matches {
		apiVersionKind, plural, given := strings.Cut(match, "=")
		i := max(strings.LastIndexByte(apiVersionKind, '/'), 0)

		kind, err := kindOf(apiVersionKind[:i], strings.TrimPrefix(apiVersionKind[i:], "/"))
		if err != nil {
			return out, errors.Wrapf(err, "--match %s", match)
		}

		if given && !isName(plural) {
			return out, errors.Errorf("--match %s: %q is not the plural of a kind, e.g. namespaces", match, plural)
		}

		if given && !slices.Contains(out.Kinds, kind) {
			out.plurals[kind] = plural
		}

		out.Kinds = add(out.Kinds, kind)
	}

	return out, nil
}

// pluralOf returns the plural of a built-in kind.
func pluralOf(name string) string {
	name = strings.ToLower(name)

	switch stem, isY := strings.CutSuffix(name, "y"); {
	case strings.HasSuffix(name, "endpoints"):
		return name
	case strings.HasSuffix(name, "s"):
		return name + "es"
	case isY:
		return stem + "ies"
	default:
		return name + "s"
	}
}

// APIResources returns the API server's names of the kinds, such as apps/deployments. If the plural of a kind is unknown, it returns all
// resources of the group. This is safer than a guess, since the policy's expressions check the kind, too.
func (p *policy) APIResources() (out []schema.GroupResource) {
	all := make([]schema.GroupResource, len(p.Kinds))

	for i, kind := range p.Kinds {
		group, name, _ := strings.Cut(kind, "/")
		plural, given := p.plurals[kind]

		// Only the plurals of built-in kinds follow a rule. The groups of these kinds are no domains.
		if !given && !strings.Contains(group, ".") {
			plural = pluralOf(name)
		}

		all[i] = schema.GroupResource{Group: group, Resource: plural}
	}

	for _, r := range all {
		if whole := (schema.GroupResource{Group: r.Group}); slices.Contains(all, whole) {
			r = whole
		}

		out = add(out, r)
	}

	return out
}

// add appends the item, unless it is there already.
func add[T comparable](to []T, item T) []T {
	if slices.Contains(to, item) {
		return to
	}

	return append(to, item)
}
