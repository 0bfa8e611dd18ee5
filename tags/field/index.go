package field

import (
	_ "embed"
	"iter"
	"maps"
	"math"
	"slices"
	"strings"
	"sync"

	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/crossplane/function-sdk-go/errors"
)

//go:generate go run ./internal/generate

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
	// entries of kinds, as positions in distinct: kinds are many, fields are few.
	entries  map[schema.GroupVersionKind]uint16
	distinct []Entry

	groups map[string]*group
}

// A group is an API group of the index.
type group struct {
	// releases that serve the group, as of a Held, or empty if it's all of them.
	releases string

	// manages is true if there are kinds besides the providers' own settings.
	manages bool
}

// settings are the kinds of providers' own settings, which say nothing of what else
// is in their API groups.
var settings = map[string]bool{
	"ClusterProviderConfig": true, "ProviderConfig": true, "ProviderConfigUsage": true, "StoreConfig": true,
}

// IsSettings is true if the supplied kind is one of a provider's own settings.
func IsSettings(kind string) bool { return settings[kind] }

// BuiltIn returns the index of the kinds of the providers that people run. It is
// read when it's first called.
var BuiltIn = sync.OnceValue(func() *Index {
	i, err := parseIndex(indexText)
	if err != nil {
		panic(err) // It's a constant, and a test reads it.
	}

	return i
})

// Locate the tag field of the supplied kind. Where releases of its provider don't
// agree, it isn't known: a field that a kind doesn't have makes the API server refuse
// the whole composite resource. A kind of a provider that makes no resources of a
// cloud is known to have none.
func (i *Index) Locate(k Kind) (Field, bool) {
	e, ok := i.Entry(k.GroupVersionKind)
	if ok && len(e) == 1 {
		return e[0].Field, true
	}

	if ok {
		return Field{}, false
	}

	if f, _, ok := familyOf(k.Group); ok && f.Profile == "" {
		return Field{Shape: None}, true
	}

	return Field{}, false
}

// Entry of the supplied kind. It returns false if the index has none.
func (i *Index) Entry(k schema.GroupVersionKind) (Entry, bool) {
	n, ok := i.entries[k]
	if !ok {
		return nil, false
	}

	return i.distinct[n], true
}

// HasGroup is true if the index has kinds of the supplied API group, besides those of
// a provider's own settings.
func (i *Index) HasGroup(group string) bool {
	g, ok := i.groups[group]
	return ok && g.manages
}

// Groups are the releases that serve each API group of the index, as of a Held.
func (i *Index) Groups() map[string]string {
	groups := make(map[string]string, len(i.groups))
	for name, g := range i.groups {
		groups[name] = g.releases
	}

	return groups
}

// All kinds of the index and their entries, by group, kind and version.
func (i *Index) All() iter.Seq2[schema.GroupVersionKind, Entry] {
	return func(yield func(schema.GroupVersionKind, Entry) bool) {
		for _, gvk := range slices.SortedFunc(maps.Keys(i.entries), Compare) {
			if !yield(gvk, i.distinct[i.entries[gvk]]) {
				return
			}
		}
	}
}

// Compare two kinds by group, kind and version.
func Compare(a, b schema.GroupVersionKind) int {
	if c := strings.Compare(a.Group, b.Group); c != 0 {
		return c
	}

	if c := strings.Compare(a.Kind, b.Kind); c != 0 {
		return c
	}

	return strings.Compare(a.Version, b.Version)
}

// Twin returns the namespaced twin of a group: ec2.aws.m.upbound.io is that of
// ec2.aws.upbound.io.
func Twin(group string) string {
	last := max(0, strings.LastIndexByte(group, '.'))
	at := strings.LastIndexByte(group[:last], '.') + 1

	return group[:at] + "m." + group[at:]
}

// parseIndex reads an index, which internal/survey writes. Lines that begin with a # are
// comments.
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
func parseIndex(text string) (*Index, error) {
	p := &indexParser{
		Index: &Index{
			entries: make(map[schema.GroupVersionKind]uint16, 2*strings.Count(text, "\n  ")),
			groups:  make(map[string]*group),
		},
		known: make(map[place]uint16),
	}

	for line := range strings.SplitSeq(text, "\n") {
		switch {
		case strings.HasPrefix(line, "#") || line == "":
		case strings.HasPrefix(line, "  "):
			p.kind(line[2:])
		case strings.HasPrefix(line, " "):
			if err := p.entry(line[1:]); err != nil {
				return nil, err
			}
		default:
			p.group(line)
		}
	}

	return p.Index, nil
}

// An indexParser reads an index line by line.
type indexParser struct {
	*Index

	// known are the positions of entries in distinct.
	known map[place]uint16

	// name, family and releases of the group that is read, and of its twin.
	name       string
	family     *family
	own, twins string

	// versions whose kinds are read, and the position of their entry.
	versions []schema.GroupVersion
	at       uint16
}

// A place where an entry counts: the same field may be late-initialized in one family
// and not in another.
type place struct {
	family *family
	entry  string
}

func (p *indexParser) group(line string) {
	p.name, p.own, _ = strings.Cut(line, " ")
	p.own, p.twins, _ = strings.Cut(p.own, "m/")
	p.own = strings.TrimSuffix(p.own, " ")
	p.family, _, _ = familyOf(p.name)
}

func (p *indexParser) entry(line string) error {
	v, s, _ := strings.Cut(line, ": ")

	p.versions = parseIndexVersions(p.versions[:0], p.name, v)
	for _, gv := range p.versions {
		if p.groups[gv.Group] != nil {
			continue
		}

		p.groups[gv.Group] = &group{releases: p.own}
		if gv.Group != p.name {
			p.groups[gv.Group].releases = p.twins
		}
	}

	at, ok := p.known[place{family: p.family, entry: s}]
	if !ok {
		e, err := parseEntry(s, p.family)
		if err != nil {
			return err
		}

		if len(p.distinct) > math.MaxUint16 {
			return errors.New("the index has too many different entries")
		}

		at = uint16(len(p.distinct)) //nolint:gosec // No more than that.
		p.known[place{family: p.family, entry: s}] = at
		p.distinct = append(p.distinct, e)
	}

	p.at = at

	return nil
}

func (p *indexParser) kind(kind string) {
	for _, gv := range p.versions {
		p.entries[gv.WithKind(kind)] = p.at

		if !settings[kind] {
			p.groups[gv.Group].manages = true
		}
	}
}

// parseIndexVersions appends the supplied versions of a group and its twin.
func parseIndexVersions(to []schema.GroupVersion, group, versions string) []schema.GroupVersion {
	own, twins, hasTwin := strings.Cut(versions, "m/")
	own = strings.TrimSuffix(own, " ")

	to = appendVersions(to, group, own)

	if !hasTwin {
		return to
	}

	if twins == "" {
		twins = own
	}

	return appendVersions(to, Twin(group), twins)
}

func appendVersions(to []schema.GroupVersion, group, versions string) []schema.GroupVersion {
	for more := versions != ""; more; {
		var v string

		v, versions, more = strings.Cut(versions, ",")
		to = append(to, schema.GroupVersion{Group: group, Version: v})
	}

	return to
}

// parseEntry reads an entry of a kind of the supplied family.
func parseEntry(s string, of *family) (Entry, error) {
	var e Entry

	for s := range strings.SplitSeq(s, "; ") {
		h := Held{Field: Field{Shape: None}}

		if r, ok := strings.CutPrefix(s, "@"); ok {
			h.Releases, s, _ = strings.Cut(r, " ")
		}

		if s != absent {
			f, err := parseIndexField(s)
			if err != nil {
				return nil, err
			}

			of.complete(&f)
			h.Field = f
		}

		e = append(e, h)
	}

	return e, nil
}

func parseIndexField(s string) (Field, error) {
	c := strings.Split(s, " ")
	if len(c) != 4 {
		return Field{}, errors.Errorf("%q of the index has not four columns", s)
	}

	c[0] = forProvider + c[0]
	if c[3] != absent {
		c[3] = atProvider + strings.ReplaceAll(c[3], ",", ","+atProvider)
	}

	f, err := parseColumns(c)

	return f, errors.Wrap(err, "cannot parse a tag field of the index")
}
