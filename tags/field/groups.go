package field

import (
	_ "embed"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/plexsphere/function-cloud-tags/tags/profile"
)

// groupsText has the API groups of the families.
//
//go:embed groups.txt
var groupsText string

// A claim of a family to kinds of an API group, and of all groups below it.
type claim struct {
	*family

	// kinds that are the family's, or none if all kinds without another claim are.
	kinds []profile.Pattern

	// configs of the provider, if they are in another group.
	configs configs
}

// claimed has the claims to each API group. Claims to some of its kinds come first.
var claimed = parseGroups(groupsText)

// parseGroups reads claims to API groups, which groups.txt explains. It is good for what we write
// ourselves.
func parseGroups(text string) map[string][]claim {
	byName := make(map[string]*family, len(families))
	for _, f := range families {
		byName[f.Name] = f
	}

	m := make(map[string][]claim)

	var header []string

	for row := range rows(text) {
		words := strings.Fields(row)
		if row[0] != ' ' {
			header = words
			continue
		}

		c := claim{family: byName[header[0]]}
		if c.family == nil {
			panic("groups.txt: unknown family " + header[0])
		}

		for _, word := range slices.Concat(header[1:], words) {
			c.add(word)
		}

		for _, group := range words {
			if isGroup(group) {
				m[group] = append(m[group], c)
			}
		}
	}

	for _, claims := range m {
		slices.SortStableFunc(claims, func(a, b claim) int { return len(b.kinds) - len(a.kinds) })
	}

	return m
}

// isGroup reports whether a word of groups.txt is an API group. Other words hold for groups.
func isGroup(word string) bool { return strings.Contains(word, ".") && !strings.Contains(word, "=") }

// add gives the claim the setting of a word of groups.txt.
func (c *claim) add(word string) {
	changed := *c.family

	switch name, value, _ := strings.Cut(word, "="); name {
	case "handwritten":
		changed.Upjet, c.family = false, &changed
	case "retired":
		changed.usual, c.family = nil, &changed
	case "kinds":
		for kind := range strings.SplitSeq(value, ",") {
			c.kinds = append(c.kinds, profile.NewPattern(kind))
		}
	case "configs", "v2configs":
		group, version, _ := strings.Cut(value, "/")
		c.configs = configs{group: group, version: version, namespaced: name == "v2configs"}
	default:
		if !isGroup(word) {
			panic("groups.txt: unknown word " + word)
		}
	}
}

// owner returns the claim to the kind among the claims to its API group. It is the unknown family's if
// nobody claims the kind.
func owner(claims []claim, kind string) claim {
	for _, c := range claims {
		if len(c.kinds) == 0 || slices.ContainsFunc(c.kinds, func(p profile.Pattern) bool { return p.Matches(kind) }) {
			return c
		}
	}

	return claim{family: unknown}
}

// claimsTo returns the claims to the API group, and the service that the group is of: whole DNS
// labels before the group that is claimed. There are no claims if the group is of no provider that
// we know.
func claimsTo(group string) (to []claim, service string) {
	// Only Kubernetes itself has groups without a dot: core, apps, batch and so on.
	if !strings.Contains(group, ".") {
		return []claim{{family: unmanaged}}, group
	}

	for domain, more := group, true; more; _, domain, more = strings.Cut(domain, ".") {
		if c, ok := claimed[domain]; ok {
			return c, strings.TrimSuffix(group[:len(group)-len(domain)], ".")
		}
	}

	return nil, ""
}

// familyOf returns the family of the kind, and the service that its API group is of. It returns the
// unknown family if the kind is of no provider that we know.
func familyOf(gk schema.GroupKind) (f *family, service string) {
	to, service := claimsTo(gk.Group)
	return owner(to, gk.Kind).family, service
}
