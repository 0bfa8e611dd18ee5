package policy

import (
	"io"
	"maps"
	"slices"
	"strings"
	"unicode"

	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/util/validation"
	"k8s.io/client-go/kubernetes/scheme"

	"github.com/crossplane/function-sdk-go/errors"

	"github.com/plexsphere/function-cloud-tags/input/v1beta1"
	"github.com/plexsphere/function-cloud-tags/tags/command/manifest"
	"github.com/plexsphere/function-cloud-tags/tags/resolve"
)

// A step is a pipeline step that runs the function.
type step struct {
	input *v1beta1.CloudTags

	// composition is the name of the Composition, and composite the kind of its
	// composite resources. They are empty if there is none.
	composition string
	composite   v1beta1.ResourceKind
}

// readStep reads the step that has the supplied name, or any name if it is empty, and
// runs the function. There must be one.
func readStep(in io.Reader, file, name string) (step, error) {
	s, err := (&manifest.Reader{Stdin: in}).Step(file, name)
	if err != nil {
		return step{}, err
	}

	xr := v1beta1.ResourceKind{APIVersion: s.CompositeTypeRef.APIVersion, Kind: s.CompositeTypeRef.Kind}
	if _, err := newKind(xr.APIVersion, xr.Kind); err != nil {
		return step{}, errors.Wrapf(err, "cannot read %s: spec.compositeTypeRef", file)
	}

	return step{input: s.Input, composition: s.Composition, composite: xr}, nil
}

// A kind of object, in all versions.
type kind struct {
	group, kind string

	// plural that the API server knows objects of this kind by. It is empty if
	// only a cluster could tell.
	plural string
}

// String is how the policy's expressions tell kinds.
func (k kind) String() string { return k.group + "/" + k.kind }

// newKind returns a kind. Only the plurals of built-in kinds follow a rule: they are
// those of groups that are no domain.
func newKind(apiVersion, name string) (kind, error) {
	gv, err := schema.ParseGroupVersion(apiVersion)
	gvk := gv.WithKind(name)

	switch {
	case err != nil || !isGroupVersion(gv) || !isKind(name):
		return kind{}, errors.Errorf("%q is not an apiVersion and a kind: these are a group, a version and the name of the kind as manifests have it, e.g. apps/v1/Deployment, or v1 instead of group and version for Kubernetes' own group, e.g. v1/Namespace",
			apiVersion+"/"+name)
	case scheme.Scheme.IsGroupRegistered(gv.Group) && len(scheme.Scheme.VersionsForGroupKind(gvk.GroupKind())) == 0:
		return kind{}, errors.Errorf("%q is no kind of Kubernetes: kinds are in the singular, e.g. Namespace", apiVersion+"/"+name)
	case strings.Contains(gv.Group, "."):
		return kind{group: gv.Group, kind: name}, nil
	}

	plural, _ := meta.UnsafeGuessKindToResource(gvk)

	return kind{group: gv.Group, kind: name, plural: plural.Resource}, nil
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
	out := make([]kind, 0, len(matches))

	for _, match := range matches {
		apiVersionKind, plural, given := strings.Cut(match, "=")
		i := max(strings.LastIndexByte(apiVersionKind, '/'), 0)

		k, err := newKind(apiVersionKind[:i], strings.TrimPrefix(apiVersionKind[i:], "/"))
		if err != nil {
			return nil, errors.Wrapf(err, "--match %s", match)
		}

		if given {
			if len(validation.IsDNS1035Label(plural)) > 0 {
				return nil, errors.Errorf("--match %s: %q is not the plural of a kind, e.g. namespaces", match, plural)
			}

			k.plural = plural
		}

		if !slices.ContainsFunc(out, func(o kind) bool { return o.String() == k.String() }) {
			out = append(out, k)
		}
	}

	return out, nil
}

// A reading is how labels and annotations of some kinds are read.
type reading struct {
	prefix  string
	form    v1beta1.KeyForm
	json    bool
	include []string // Patterns of qualified keys. All if it is nil.
	except  []string // Patterns of qualified keys that are not read.

	// trusted says of each kind that is read so whether all sources that do are
	// trusted.
	trusted map[string]bool
}

// like is true if both read the same.
func (r *reading) like(o *reading) bool {
	return r.prefix == o.prefix && r.form == o.form && r.json == o.json &&
		(r.include == nil) == (o.include == nil) && slices.Equal(r.include, o.include) && slices.Equal(r.except, o.except)
}

// kinds that are read so, sorted, and those of them for which all sources are trusted.
func (r *reading) kinds() (all, trusted []string) {
	for _, k := range slices.Sorted(maps.Keys(r.trusted)) {
		all = append(all, k)

		if r.trusted[k] {
			trusted = append(trusted, k)
		}
	}

	return all, trusted
}

// readingsOf returns how the sources of the supplied step read objects of the
// supplied kinds, or of all kinds that they read if there are none. A kind that no
// source reads is read as all do: its labels may go on to one that is.
func readingsOf(s step, kinds []kind) ([]kind, []*reading) {
	type source struct {
		reading

		trusted bool
		kinds   []kind
	}

	sources := []source{}
	read := []kind{}

	for i := range s.input.Sources {
		in := &s.input.Sources[i]
		if in.Prefix == nil {
			continue
		}

		src := source{
			reading: reading{prefix: *in.Prefix, form: in.KeyForm, json: in.Encoding == v1beta1.EncodingJSON},
			trusted: in.Trusted,
			kinds:   kindsOf(s, in),
		}

		if in.Include != nil {
			src.include = in.Include.Keys // Nil if only the composite resource says.
			src.except = in.Include.Except
		}

		for _, k := range src.kinds {
			if !slices.Contains(read, k) {
				read = append(read, k)
			}
		}

		sources = append(sources, src)
	}

	if len(kinds) == 0 {
		kinds = read
	}

	out := []*reading{}

	for _, k := range kinds {
		known := slices.ContainsFunc(read, func(o kind) bool { return o.String() == k.String() })

		for _, src := range sources {
			if known && !slices.ContainsFunc(src.kinds, func(o kind) bool { return o.String() == k.String() }) {
				continue
			}

			i := slices.IndexFunc(out, src.like)
			if i < 0 {
				r := src.reading
				r.trusted = make(map[string]bool)
				i = len(out)
				out = append(out, &r)
			}

			others, ok := out[i].trusted[k.String()]
			out[i].trusted[k.String()] = src.trusted && (others || !ok)
		}
	}

	return kinds, out
}

// kindsOf returns the kinds whose labels and annotations the supplied source reads. It is
// none if there is no Composition to say.
func kindsOf(s step, in *v1beta1.Source) []kind {
	out := []kind{}

	for _, k := range resolve.Kinds(in, s.composite) {
		// Crossplane refuses the requirement of what is no kind.
		if k, err := newKind(k.APIVersion, k.Kind); err == nil {
			out = append(out, k)
		}
	}

	return out
}
