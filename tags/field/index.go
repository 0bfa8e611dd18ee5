package field

import (
	"cmp"
	_ "embed"
	"iter"
	"maps"
	"slices"
	"strings"
	"sync"

	"k8s.io/apimachinery/pkg/runtime/schema"
)

//go:generate go run ../command/survey/generate

// indexText is the built-in index. It is generated, but made for reading the
// changes that a new version of a provider brings. See parseIndex.
//
//go:embed index.txt
var indexText string

// An Entry is what the surveyed releases of a provider say of a version of a kind.
// If they don't agree, it is several, and which one holds depends on the release.
type Entry []Held

// Held is a tag field, and in which releases it is so.
type Held struct {
	Field Field

	// Releases of the provider, e.g. v1.4.0..v1.21.1,v2.1.0.., in which the last range
	// is open because the newest one is so, too. Empty if it is so in all those that
	// serve the API group.
	Releases string
}

// An Index locates the tag fields of the kinds that it has.
type Index struct {
	entries map[schema.GroupVersionKind]Entry

	// groups have an API group that the index has, and whether it has kinds besides the
	// provider's own settings.
	groups map[string]bool
}

// BuiltIn returns the index of the kinds of the providers that people run. It is
// read when it's first called.
var BuiltIn = sync.OnceValue(func() *Index { return parseIndex(indexText) })

// Locate the tag field of the supplied kind. Where releases of its provider don't
// agree, it isn't known: a field that a kind doesn't have makes the API server refuse
// the whole composite resource. A kind of a provider that makes no resources of a
// cloud is known to have none.
func (i *Index) Locate(k Kind) (Field, bool) {
	e := i.entries[k.GroupVersionKind]
	f, _, _ := familyOf(k.Group)

	switch {
	case len(e) == 1:
		return e[0].Field, true
	case len(e) == 0 && f.Profile == "":
		return Field{Shape: None}, true
	default:
		return Field{}, false
	}
}

// HasGroup is true if the index has kinds of the supplied API group, besides those of
// a provider's own settings.
func (i *Index) HasGroup(group string) bool { return i.groups[group] }

// All kinds of the index and their entries, by group, kind and version.
func (i *Index) All() iter.Seq2[schema.GroupVersionKind, Entry] {
	return func(yield func(schema.GroupVersionKind, Entry) bool) {
		for _, gvk := range slices.SortedFunc(maps.Keys(i.entries), Compare) {
			if !yield(gvk, i.entries[gvk]) {
				return
			}
		}
	}
}

// Compare two kinds by group, kind and version.
func Compare(a, b schema.GroupVersionKind) int {
	return cmp.Or(strings.Compare(a.Group, b.Group), strings.Compare(a.Kind, b.Kind), strings.Compare(a.Version, b.Version))
}

// IsSettings is true if the supplied kind is one of a provider's own settings, which say
// nothing of what else is in their API groups.
func IsSettings(kind string) bool {
	return slices.Contains([]string{"ClusterProviderConfig", "ProviderConfig", "ProviderConfigUsage", "StoreConfig"}, kind)
}

// Twin returns the namespaced twin of a group: ec2.aws.m.upbound.io is that of
// ec2.aws.upbound.io.
func Twin(group string) string {
	last := max(0, strings.LastIndexByte(group, '.'))
	at := strings.LastIndexByte(group[:last], '.') + 1

	return group[:at] + "m." + group[at:]
}

// parseIndex reads an index, which tags/command/survey writes. It is good for what we write
// ourselves. Lines that begin with a # are comments.
//
// Most kinds of a provider come twice, cluster scoped and namespaced, and in several
// versions, but with the same tag field. So every group stands for itself and for its
// namespaced twin, which has an m before the last two labels. Below it are the
// versions that have kinds with the same entry in common, and the entry. The
// versions of the twin are behind m/, which alone stands for the same versions. An
// entry is the last four columns of a Line without spec.forProvider and
// status.atProvider, or a - for none. In front of it are an @ and the releases in
// which it is so, unless it's so in all that serve the group. Several such are apart by
// semicolons. Below that are the kinds. Behind the name of a group are the releases
// that serve it, if these are not all.
//
//	ec2.aws.upbound.io m/v2.0.0..
//	 v1beta1 m/: -
//	  InternetGatewayAttachment
//	 v1beta1,v1beta2 m/v1beta1: tags Map - tagsAll,tags
//	  EBSVolume
//	  Instance
//	 v1beta1 m/: @v1.21.0..v1.23.0 -; @v2.0.0.. tags Map - tagsAll,tags
//	  VPCIpamPoolCidrAllocation
func parseIndex(text string) *Index {
	// The same text says more in one family than in another.
	type place struct {
		family *family
		text   string
	}

	var (
		index    = &Index{entries: make(map[schema.GroupVersionKind]Entry, 2*strings.Count(text, "\n  ")), groups: make(map[string]bool)}
		known    = make(map[place]Entry)
		group    string
		versions []schema.GroupVersion
		entry    Entry
	)

	for line := range strings.SplitSeq(text, "\n") {
		switch {
		case line == "" || line[0] == '#':
		case strings.HasPrefix(line, "  "):
			for _, gv := range versions {
				index.entries[gv.WithKind(line[2:])] = entry
				index.groups[gv.Group] = index.groups[gv.Group] || !IsSettings(line[2:])
			}
		case line[0] == ' ':
			vs, text, _ := strings.Cut(line[1:], ": ")
			versions = parseVersions(versions[:0], group, vs)
			f, _, _ := familyOf(group)

			entry = known[place{family: f, text: text}]
			if entry == nil {
				entry = parseEntry(text, f)
				known[place{family: f, text: text}] = entry
			}
		default:
			group, _, _ = strings.Cut(line, " ")
		}
	}

	return index
}

// parseVersions appends the supplied versions of a group and its twin.
func parseVersions(to []schema.GroupVersion, group, versions string) []schema.GroupVersion {
	own, twins, hasTwin := strings.Cut(versions, "m/")
	own = strings.TrimSuffix(own, " ")

	for v := range strings.FieldsFuncSeq(own, isComma) {
		to = append(to, schema.GroupVersion{Group: group, Version: v})
	}

	if !hasTwin {
		return to
	}

	group = Twin(group)
	for v := range strings.FieldsFuncSeq(cmp.Or(twins, own), isComma) {
		to = append(to, schema.GroupVersion{Group: group, Version: v})
	}

	return to
}

func isComma(r rune) bool { return r == ',' }

// parseEntry reads an entry of a kind of the supplied family.
func parseEntry(text string, of *family) Entry {
	var e Entry

	for s := range strings.SplitSeq(text, "; ") {
		h := Held{Field: Field{Shape: None}}

		if r, ok := strings.CutPrefix(s, "@"); ok {
			h.Releases, s, _ = strings.Cut(r, " ")
		}

		if s != absent {
			h.Field = parseField(strings.Split(s, " "))
			of.complete(&h.Field)
		}

		e = append(e, h)
	}

	return e
}
