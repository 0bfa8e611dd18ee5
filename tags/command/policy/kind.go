package policy

import (
	_ "embed" // For the built-in kinds.
	"fmt"
	"path"
	"slices"
	"strings"
	"unicode"

	"k8s.io/apimachinery/pkg/api/validate/content"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/crossplane/function-sdk-go/errors"

	"github.com/plexsphere/function-cloud-tags/tags/words"
)

// builtInKinds has the kinds of Kubernetes itself that have labels, e.g. apps/Deployment, each on a line of its own. The first line is a
// comment, so a line end precedes and follows each kind.
//
//go:embed kinds.txt
var builtInKinds string

// parseKind returns the group and the name of the kind: apps/Deployment, or /Namespace for the core group. It returns an error if there
// can't be such a kind: v1 has no kind Namespaces, and apps is no apiVersion, since it lacks the version.
func parseKind(apiVersion, name string) (string, error) {
	gv, _ := schema.ParseGroupVersion(apiVersion) // Empty if apiVersion is invalid. For apps, it has a version, but no group.
	isCore := gv == schema.GroupVersion{Version: "v1"}
	isAPIVersion := isCore || len(content.IsDNS1123Subdomain(gv.Group)) == 0 && isName(gv.Version)
	isKindName := name != "" && unicode.IsUpper(rune(name[0])) && isName(strings.ToLower(name))

	kind := gv.Group + "/" + name
	isBuiltInGroup := strings.Contains(builtInKinds, "\n"+gv.Group+"/")
	isBuiltInKind := strings.Contains(builtInKinds, "\n"+kind+"\n")

	switch {
	case !isAPIVersion || !isKindName:
		return "", errors.Errorf("%q is not an apiVersion with a kind as manifests have them, e.g. apps/v1/Deployment or v1/Namespace", apiVersion+"/"+name)
	case isBuiltInGroup && !isBuiltInKind:
		return "", errors.Errorf("%q is no kind of Kubernetes: kinds are in the singular, e.g. Namespace", apiVersion+"/"+name)
	default:
		return kind, nil
	}
}

// kindTitle returns the kind as messages have it: Namespace for /Namespace, and apps/Deployment as it is.
func kindTitle(kind string) string { return strings.TrimPrefix(kind, "/") }

// isName reports whether an API version or a plural can have the name, such as v1 or namespaces. These begin with a letter.
func isName(name string) bool {
	return len(content.IsDNS1123Label(name)) == 0 && !unicode.IsDigit(rune(name[0]))
}

// parseMatch returns the kinds of --match, each once: apps/Deployment for apps/v1/Deployment. It also returns plurals by kind: for
// platform.example.org/v1/Zone=zones, platform.example.org/Zone has the plural zones. The plural of a kind without = is empty.
func parseMatch(values []string) (kinds []string, plurals map[string]string, _ error) {
	plurals = make(map[string]string)

	for _, match := range values {
		apiVersionKind, plural, hasPlural := strings.Cut(match, "=")

		apiVersion, name := path.Split(apiVersionKind) // Such as apps/v1/ and Deployment.

		kind, err := parseKind(strings.TrimSuffix(apiVersion, "/"), name)
		if err != nil {
			return nil, nil, errors.Wrapf(err, "--match %s", match)
		}

		if hasPlural && !isName(plural) {
			return nil, nil, errors.Errorf("--match %s: %q is not the plural of a kind, e.g. namespaces", match, plural)
		}

		if !slices.Contains(kinds, kind) {
			kinds, plurals[kind] = append(kinds, kind), plural
		}
	}

	return kinds, plurals, nil
}

// pluralOf returns the plural of a kind of Kubernetes itself, such as namespaces of Namespace.
func pluralOf(name string) string {
	name = strings.ToLower(name)
	stem, endsInY := strings.CutSuffix(name, "y")

	switch {
	case name == "endpoints": // The kind Endpoints is a plural already.
		return name
	case strings.HasSuffix(name, "s"):
		return name + "es"
	case endsInY:
		return stem + "ies"
	default:
		return name + "s"
	}
}

// APIResources returns the resources of the policy's kinds: deployments in the group apps for apps/Deployment. If the plural of a kind is
// unknown, the result has the whole group of the kind: a GroupResource with an empty Resource. The match conditions then exclude other
// kinds.
func (p *policy) APIResources() []schema.GroupResource {
	resources := words.Map(p.Kinds, p.resourceOf)

	// A whole group takes the place of single resources in the group.
	return words.Distinct(words.Map(resources, func(r schema.GroupResource) schema.GroupResource {
		if wholeGroup := (schema.GroupResource{Group: r.Group}); slices.Contains(resources, wholeGroup) {
			return wholeGroup
		}

		return r
	}))
}

// resourceOf returns the resource of a kind, such as deployments in the group apps for apps/Deployment. It has no Resource if the plural of the
// kind is unknown.
func (p *policy) resourceOf(kind string) schema.GroupResource {
	group, name, _ := strings.Cut(kind, "/")
	plural := p.plurals[kind]

	// Only Kubernetes has groups without a dot, such as apps. In other groups, such as networking.k8s.io, --match can give the plural.
	if plural == "" && !strings.Contains(group, ".") {
		plural = pluralOf(name)
	}

	return schema.GroupResource{Group: group, Resource: plural}
}

// unknownPlurals returns a text for each kind whose plural is unknown, so that the policy selects its whole group.
func (p *policy) unknownPlurals() []string {
	return words.MapIf(p.Kinds, func(kind string) (string, bool) {
		group, name, _ := strings.Cut(kind, "/")

		return fmt.Sprintf("all of %s, since the plural of %s isn't known (--match APIVERSION/%s=PLURAL gives it)", group, name, name), p.resourceOf(kind).Resource == ""
	})
}

// appendUnique appends the item to the items, unless they have it already.
func appendUnique[T comparable](items []T, item T) []T { return words.Distinct(append(items, item)) }
