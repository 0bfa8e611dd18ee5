package field

import (
	"cmp"
	_ "embed"
	"encoding/json"
	"iter"
	"maps"
	"slices"
	"strconv"
	"strings"
	"sync"

	"google.golang.org/protobuf/types/known/structpb"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/plexsphere/function-cloud-tags/tags/object"
	"github.com/plexsphere/function-cloud-tags/tags/words"
)

//go:generate go run ./survey/generate

// indexText is the built-in index. It is generated, and people read its changes when a provider has a
// new version. See parseIndex.
//
//go:embed index.txt
var indexText string

// Variants are the tag field of a version of a kind, by the surveyed releases of its provider. There
// are several if the releases don't agree.
type Variants []Variant

// A Variant is a tag field, and the releases in which the kind has it.
type Variant struct {
	Field Field

	// Releases of the provider, e.g. v1.4.0..v1.21.1,v2.1.0... The last range is open if it has the
	// newest release. Empty for all releases that serve the API group. With a date, as in
	// v2.6.0-2026-08-05, it is the default branch after the release v2.6.0, and stands for the
	// release to come.
	Releases string
}

// An Index locates the tag fields of its kinds.
type Index struct {
	// text that the index was read from.
	text string

	// blocks by API group.
	blocks map[string]*block
}

// A block is the part of an Index on one API group. Its text is parsed when somebody first asks for it.
type block struct {
	// group is the API group. index.txt lists it under the group listed: the same group, or the
	// cluster-scoped group of a namespaced twin.
	group, listed string

	// text of the block, which begins with the name of the group.
	text string

	read sync.Once

	variants map[version]Variants

	// launched are the entries of launched fields, of the few kinds that have any.
	launched map[version][]Variants

	// seconds are the entries of the fields of second tag systems.
	seconds map[version]Variants

	// configs of the provider that are in the group.
	configs configs

	// hasKinds says whether there are kinds besides the provider's own settings.
	hasKinds bool
}

// A version of a kind.
type version struct{ version, kind string }

// BuiltIn returns the built-in index of the providers that people run. The first call reads it.
var BuiltIn = sync.OnceValue(func() *Index { return parseIndex(indexText) })

// variants returns the Variants of the kind, or nil if the index doesn't have it.
func (i *Index) variants(k schema.GroupVersionKind) Variants {
	return i.block(k.Group).variants[version{k.Version, k.Kind}]
}

// Locate returns the tag field of the kind. If releases of its provider don't agree, the field is
// unknown: the API server refuses the whole composite resource for a field that a kind lacks. A kind of
// a provider without resources in a cloud is known to have no tag field.
func (i *Index) Locate(k Kind) (Field, bool) {
	e := i.variants(k.GroupVersionKind)
	f, _ := familyOf(k.GroupKind())

	switch {
	case len(e) == 0 && f.Profile == "":
		return Field{Layout: Layout{Shape: None}}, true
	case len(e) == 1 || e.isUnasked():
		return e[len(e)-1].Field.unasked(), true
	default:
		return Field{}, false
	}
}

// Known returns the tag field of the kind, even if it is OnRequest. Locate returns the shape None for such a field.
func (i *Index) Known(k schema.GroupVersionKind) (Field, bool) {
	if e := i.variants(k); len(e) == 1 {
		return e[0].Field, true
	}

	return Field{}, false
}

// at returns the newest tag field of the kind at the path, even if it is OnRequest or of a second tag system. If no release has one there, its
// Shape is empty.
func (i *Index) at(k schema.GroupVersionKind, path object.Path) Field {
	for _, v := range slices.Backward(slices.Concat(i.Second(k), i.variants(k))) {
		if v.Field.Path.Equal(path) {
			return v.Field
		}
	}

	return Field{}
}

// InSomeReleases returns the newest tag field of a kind that has none in other releases of its provider. It returns false for other kinds. If
// the entryProvider of a tagFields entry is a second tag system, such as gcp-tags, it returns a field of that system.
func (i *Index) InSomeReleases(k schema.GroupVersionKind, entryProvider string) (Variant, bool) {
	e := i.variants(k)
	if entryProvider != "" && entryProvider == SecondSystemOf(k.GroupKind()) {
		e = i.Second(k)
	}

	at := slices.IndexFunc(e, func(h Variant) bool { return h.Field.unasked().Shape == None })

	for _, h := range slices.Backward(e) {
		if at >= 0 && h.Field.unasked().Shape != None {
			return h, true
		}
	}

	return Variant{}, false
}

// Since returns the releases in words, such as "since v1.7.0" for v1.7.0.., or "v1.0.0 to v1.13.0".
func (v Variant) Since() string {
	return strings.Join(words.Map(strings.Split(v.Releases, ","), func(r string) string {
		first, last, _ := strings.Cut(r, "..")

		switch {
		case strings.HasSuffix(r, ".."):
			return "since " + first
		case last == "":
			return first
		default:
			return first + " to " + last
		}
	}), " and ")
}

// AllFields returns every field of the kind that may hold cloud tags, in any release: its tag field, even if it is OnRequest, and fields with tags of
// launched resources, even if the function never writes them. For a kind that wraps a manifest, it also returns the fields of the manifest.
func AllFields(k Kind) []Field {
	var out []Field

	for _, v := range BuiltIn().variants(k.GroupVersionKind) {
		out = append(out, v.Field)
	}

	_, used, unused := launchesOf(k.GroupKind())
	for _, l := range slices.Concat(used, unused) {
		if l.Value == "" { // A switch, such as propagateTags, holds no tags.
			out = append(out, Field{Layout: Layout{Shape: l.shapes[0]}, Path: l.paths[0]})
		}
	}

	if usual, ok := (ByProfile{}).Locate(k); ok {
		out = append(out, usual)
	}

	if !k.Wraps.Empty() {
		out = append(out, words.Map(AllFields(Kind{GroupVersionKind: k.Wraps}), Field.wrapped)...)
	}

	return slices.DeleteFunc(out, func(f Field) bool { return f.Shape == None })
}

// isUnasked reports whether the kind has no tag field in any release unless tagFields ask for one, though
// releases don't agree on the field.
func (e Variants) isUnasked() bool {
	return len(e) > 0 && !slices.ContainsFunc(e, func(h Variant) bool { return h.Field.unasked().Shape != None })
}

// HasGroup reports whether the index has kinds of the API group, besides a provider's own settings.
func (i *Index) HasGroup(group string) bool { return i.block(group).hasKinds }

// HasKubernetesLabels reports whether kinds of the API group have their tags as Kubernetes labels, as kinds of Config Connector do.
func (i *Index) HasKubernetesLabels(group string) bool {
	for _, e := range i.block(group).variants {
		if slices.ContainsFunc(e, func(h Variant) bool { return h.Field.KubernetesLabels }) {
			return true
		}
	}

	return false
}

// All returns all kinds of the index and their Variants, in no order.
func (i *Index) All() iter.Seq2[schema.GroupVersionKind, Variants] {
	return func(yield func(schema.GroupVersionKind, Variants) bool) {
		for group := range i.blocks {
			for v, e := range i.block(group).variants {
				if !yield(schema.GroupVersionKind{Group: group, Version: v.version, Kind: v.kind}, e) {
					return
				}
			}
		}
	}
}

// Kinds returns the kinds that the index has of the API group, each once and sorted.
func (i *Index) Kinds(group string) []string {
	var out []string
	for v := range i.block(group).variants {
		out = append(out, v.kind)
	}

	slices.Sort(out)

	return slices.Compact(out)
}

// Compare compares two kinds by group, kind and version.
func Compare(a, b schema.GroupVersionKind) int {
	return cmp.Or(strings.Compare(a.Group, b.Group), strings.Compare(a.Kind, b.Kind), strings.Compare(a.Version, b.Version))
}

// IsSettings reports whether the kind has settings of a provider, such as ProviderConfig, ClusterProviderConfig,
// ProviderConfigUsage or StoreConfig. An API group with such kinds may have no others.
func IsSettings(kind string) bool {
	return IsConfig(kind) || slices.Contains([]string{"ProviderConfigUsage", "StoreConfig"}, kind)
}

// Twin returns the namespaced twin of a group: ec2.aws.m.upbound.io of ec2.aws.upbound.io. It puts the m into any group, and doesn't know
// whether there is such a twin.
func Twin(group string) string {
	last := max(0, strings.LastIndexByte(group, '.'))
	at := strings.LastIndexByte(group[:last], '.') + 1

	return group[:at] + "m." + group[at:]
}

// TwinOf returns the cluster-scoped group of a namespaced twin: see Twin. It returns false, and the
// group itself, if the group is no twin.
func TwinOf(group string) (string, bool) {
	labels := strings.Split(group, ".")

	last := len(labels) - 3
	if last < 0 || labels[last] != "m" {
		return group, false
	}

	return strings.Join(slices.Delete(labels, last, last+1), "."), true
}

// parseIndex reads an index, which tags/field/survey writes. It is good for what we write
// ourselves. Lines that begin with a # are comments.
//
// Most kinds of a provider come twice, cluster scoped and namespaced, and in several versions, but
// with the same tag field. So every group stands for itself and for its namespaced twin, which has
// an m before the last two labels. After the name of a group are the releases that serve it, and
// after m/ the releases that serve the twin, unless all releases do.
//
// Below a group are the versions whose kinds have the same entry, and the entry. The versions of the
// twin are after m/, which alone stands for the same versions. An entry is the last four columns of
// a Line, with paths below spec.forProvider and status.atProvider (a path elsewhere has a dot in
// front), or a - for no tag field. If it doesn't hold in all releases that serve the group, an @ and
// its releases are in front of it, and a semicolon is between it and the next entry. After each
// plus is the entry of a launched field, and after "or" the entry of the field of a second tag system. Below the versions are the kinds.
//
//	ec2.aws.upbound.io m/v2.0.0..
//	 v1beta1 m/: -
//	  InternetGatewayAttachment
//	 v1beta1,v1beta2 m/v1beta1: tags Map - tagsAll,tags
//	  EBSVolume
//	  Instance
//	 v1beta1 m/: tags Map - tagsAll,tags + tagSpecifications[0].tags Map - -
//	  LaunchTemplate
//	 m/v1beta1: @v2.0.0..v2.6.0 -; @v2.6.0-2026-08-05.. tags Map - tagsAll,tags
//	  VPCIpamPoolCidrAllocation
func parseIndex(text string) *Index {
	index := &Index{text: text, blocks: make(map[string]*block)}

	var (
		b    *block
		from int
	)

	for at := 0; at < len(text); {
		end := at + strings.IndexByte(text[at:], '\n') + 1

		switch text[at] {
		case '#':
		case ' ':
			b.text = text[from:end]
		default:
			group, _, _ := strings.Cut(text[at:end-1], " ")
			b, from = &block{group: group, listed: group}, at
			index.blocks[group] = b
		}

		at = end
	}

	for group, b := range maps.Clone(index.blocks) {
		if _, kinds, _ := strings.Cut(b.text, "\n"); strings.Contains(kinds, "m/") {
			twin := Twin(group)
			index.blocks[twin] = &block{group: twin, listed: group, text: b.text}
		}
	}

	return index
}

// noBlock stands for an API group that an Index lacks.
var noBlock block

// block returns the block of the API group, parsed. It is empty if the index lacks the group.
func (i *Index) block(group string) *block {
	b, ok := i.blocks[group]
	if !ok {
		return &noBlock
	}

	b.read.Do(b.parse)

	return b
}

// parse reads the text of the block.
func (b *block) parse() {
	// The same text says more in one family than in another.
	type place struct {
		family *family
		does   filling
		text   string
	}

	var (
		known        = make(map[place]Variants)
		all, service = sharesOf(b.listed)
		versions     []string
		fields       []string // The tag field, and the launched ones.
		second       string   // The field of the second tag system.
	)

	_, text, _ := strings.Cut(strings.TrimSuffix(b.text, "\n"), "\n")

	b.variants, b.launched = make(map[version]Variants, strings.Count(text, "\n  ")), make(map[version][]Variants)
	b.seconds = make(map[version]Variants)

	for line := range strings.SplitSeq(text, "\n") {
		kind, isKind := strings.CutPrefix(line, "  ")
		if !isKind {
			names, said, _ := strings.Cut(line[1:], ": ")
			said, second, _ = strings.Cut(said, " or ")
			versions, fields = b.versions(names), strings.Split(said, " + ")

			continue
		}

		fam := shareOf(all, kind).family

		at := place{family: fam, does: fam.filling(service, kind), text: fields[0]}
		if known[at] == nil {
			known[at] = parseVariants(at.text, fam, at.does)
		}

		launched := words.Map(fields[1:], func(text string) Variants { return parseVariants(text, fam, filling{}) })

		for _, v := range versions {
			b.variants[version{v, kind}] = known[at]
			b.hasKinds = b.hasKinds || !IsSettings(kind)

			if len(launched) > 0 {
				b.launched[version{v, kind}] = launched
			}

			if second != "" {
				b.seconds[version{v, kind}] = parseVariants(second, fam, at.does)
			}
		}
	}

	b.configs = configsOf(b.group, b.variants)
}

// releases returns the releases that serve the API group, or nothing if all surveyed releases do.
func (b *block) releases() string {
	head, _, _ := strings.Cut(b.text, "\n")
	_, said, _ := strings.Cut(head, " ")
	cluster, twins, _ := strings.Cut(said, "m/")

	if b.group != b.listed {
		return twins
	}

	return strings.TrimSuffix(cluster, " ")
}

// versions returns the versions of the block. versions has them for a group and its twin, as in
// v1beta1,v1beta2 m/v1beta1.
func (b *block) versions(versions string) []string {
	cluster, twins, hasTwin := strings.Cut(versions, "m/")
	cluster = strings.TrimSuffix(cluster, " ")

	switch {
	case b.group == b.listed:
		versions = cluster
	case hasTwin:
		versions = cmp.Or(twins, cluster)
	default:
		return nil
	}

	return strings.FieldsFunc(versions, func(r rune) bool { return r == ',' })
}

// parseVariants reads an entry of a kind of the family. The filling says what the provider does with a
// field without tags.
func parseVariants(text string, fam *family, does filling) Variants {
	var e Variants

	for s := range strings.SplitSeq(text, "; ") {
		h := Variant{Field: Field{Layout: Layout{Shape: None}}}

		if r, ok := strings.CutPrefix(s, "@"); ok {
			h.Releases, s, _ = strings.Cut(r, " ")
		}

		if s != absent {
			h.Field = parseField(strings.Split(s, " "))
			fam.complete(&h.Field, does)
		}

		e = append(e, h)
	}

	return e
}

// parseField returns the field of the columns c of the index. They are the columns of a Line, without
// spec.forProvider and status.atProvider. The index is our own, so there are no mistakes.
func parseField(c []string) Field {
	shape, args, _ := strings.Cut(strings.TrimSuffix(c[1], ")"), "(")
	arg := strings.Split(args, ",")

	f := Field{Layout: Layout{Shape: Shape(shape)}, Path: forms(forProvider, c[0])[0]}

	settings := strings.Split(c[2], ",")
	for name, set := range f.settings() {
		*set = slices.Contains(settings, name)
	}

	if c[3] != absent {
		for path := range strings.SplitSeq(c[3], ",") {
			f.Observed = append(f.Observed, forms(atProvider, path)[0])
		}
	}

	switch f.Shape {
	case KeyValueList:
		f.Key, f.Value, f.Extra = arg[0], arg[1], make(map[string]*structpb.Value)

		for _, e := range arg[2:] {
			name, j, _ := strings.Cut(e, "=")

			v := &structpb.Value{}
			if err := v.UnmarshalJSON([]byte(j)); err != nil {
				panic(err)
			}

			f.Extra[name] = v
		}
	case StringList:
		f.Separator = arg[0]
		if len(arg) > 1 {
			f.MaxLength, _ = strconv.Atoi(arg[1])
		}
	case Map, MapOfLists, Joined, Labels, None:
	}

	return f
}

// absent stands in a column without a value.
const absent = "-"

// settings returns the settings of the field, by the words of a Line, and in its order.
func (f *Field) settings() iter.Seq2[string, *bool] {
	return func(yield func(word string, set *bool) bool) {
		_ = yield("atomic", &f.Atomic) && yield("on-request", &f.OnRequest) && yield("fixed", &f.Fixed) &&
			yield("immutable", &f.Immutable) && yield("within", &f.Within) && yield("sorted", &f.Sorted)
	}
}

// Line returns the facts on a kind in one line of seven columns, with a tab between them:
//
//   - the group, the version and the kind,
//
//   - the path of its tag field, and the shape,
//
//   - the settings, of atomic, on-request, fixed, immutable, within and sorted, with commas between them,
//
//   - the observed paths, with commas between them.
//
// A - stands for nothing, and control characters are escaped. Three kinds are:
//
//	autoscaling.aws.m.upbound.io	v1beta1	AutoscalingGroup	spec.forProvider.tag	KeyValueList(key,value,propagateAtLaunch=true)	atomic	status.atProvider.tag
//	networking.openstack.m.crossplane.io	v1alpha1	PortV2	spec.forProvider.tags	StringList(=,255)	-	status.atProvider.allTags,status.atProvider.tags
//	ec2.aws.m.upbound.io	v1beta1	Route	-	None	-	-
func Line(gvk schema.GroupVersionKind, f Field) string {
	return strings.Join(words.Map(append([]string{gvk.Group, gvk.Version, gvk.Kind}, f.Columns()...), words.Visible), "\t")
}

// WrittenAs reports whether tags are written to both fields in the same way. The observed paths may
// differ.
func (f Field) WrittenAs(other Field) bool {
	return slices.Equal(f.Columns()[:3], other.Columns()[:3])
}

// Columns returns the last four columns of a Line, which are about the field.
func (f Field) Columns() []string {
	var args, settings []string

	switch f.Shape {
	case KeyValueList:
		args = []string{f.Key, f.Value}

		for _, name := range slices.Sorted(maps.Keys(f.Extra)) {
			// Only NaN and infinity can't be encoded.
			v, _ := json.Marshal(f.Extra[name].AsInterface()) //nolint:errchkjson // See above.
			args = append(args, name+"="+string(v))
		}
	case StringList:
		args = []string{f.Separator}
		if f.MaxLength > 0 {
			args = append(args, strconv.Itoa(f.MaxLength))
		}
	case Joined:
		args = []string{strconv.Quote(f.Separator), strconv.Quote(f.Delimiter)}
	case Map, MapOfLists, Labels, None:
	}

	shape := string(f.Shape)
	if args != nil {
		shape += "(" + strings.Join(args, ",") + ")"
	}

	for word, set := range f.settings() {
		if *set {
			settings = append(settings, word)
		}
	}

	observed := words.Map(f.Observed, object.Path.String)

	return []string{cmp.Or(f.Path.String(), absent), shape, cmp.Or(strings.Join(settings, ","), absent), cmp.Or(strings.Join(observed, ","), absent)}
}
