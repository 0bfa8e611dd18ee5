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

// A share has the kinds of an API group, and of all groups below it, that are one family's. With
// kinds=AWS*,ROSA* in groups.txt, these are kinds such as AWSCluster.
type share struct {
	family *family

	// kinds that are the family's, or none if all kinds without another share are.
	kinds []profile.Pattern

	// configs of the provider, if they are in another group.
	configs configs
}

// shares has the shares of each API group. Shares with some of its kinds come first.
var shares = parseGroups(groupsText)

// parseGroups reads the shares of API groups. groups.txt explains its lines.
func parseGroups(text string) map[string][]share {
	m := make(map[string][]share)

	var header []string

	for row := range rows(text) {
		words := strings.Fields(row)
		if row[0] != ' ' {
			header = words
			continue
		}

		i := slices.IndexFunc(families, func(f *family) bool { return f.Name == header[0] })
		if i < 0 {
			panic("groups.txt: unknown family " + header[0])
		}

		c := share{family: families[i]}
		for _, word := range slices.Concat(header[1:], words) {
			c.add(word)
		}

		for _, group := range words {
			if isGroup(group) {
				m[group] = append(m[group], c)
			}
		}
	}

	for _, all := range m {
		slices.SortStableFunc(all, func(a, b share) int { return len(b.kinds) - len(a.kinds) })
	}

	return m
}

// isGroup reports whether a word of groups.txt is an API group. Other words hold for groups.
func isGroup(word string) bool { return strings.Contains(word, ".") && !strings.Contains(word, "=") }

// add gives the share the setting of a word of groups.txt.
func (c *share) add(word string) {
	changed := *c.family

	switch name, value, _ := strings.Cut(word, "="); name {
	case "handwritten":
		changed.Upjet, c.family = false, &changed
	case "retired":
		changed.usual, c.family = nil, &changed
	case "kinds":
		for kind := range strings.SplitSeq(value, ",") {
			c.kinds = append(c.kinds, profile.Pattern(kind))
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

// shareOf returns the share that has the kind, among all shares of its API group. A kind without a share
// is the unknown family's.
func shareOf(all []share, kind string) share {
	for _, c := range all {
		if len(c.kinds) == 0 || slices.ContainsFunc(c.kinds, func(p profile.Pattern) bool { return p.Matches(kind) }) {
			return c
		}
	}

	return share{family: unknown}
}

// sharesOf returns the shares of the API group, and its service: ec2 for ec2.aws.upbound.io, since
// groups.txt has aws.upbound.io. A group of an unknown provider has no shares.
func sharesOf(group string) (all []share, service string) {
	// Only Kubernetes itself has groups without a dot: core, apps, batch and so on.
	if !strings.Contains(group, ".") {
		return []share{{family: unmanaged}}, group
	}

	for domain, more := group, true; more; _, domain, more = strings.Cut(domain, ".") {
		if c, ok := shares[domain]; ok {
			return c, strings.TrimSuffix(group[:len(group)-len(domain)], ".")
		}
	}

	return nil, ""
}

// familyOf returns the family of the kind, and the service that its API group is of. It returns the
// unknown family if the kind is of no provider that we know.
func familyOf(gk schema.GroupKind) (f *family, service string) {
	all, service := sharesOf(gk.Group)
	return shareOf(all, gk.Kind).family, service
}
