package policy

import (
	"bufio"
	"encoding/json"
	"io"
	"maps"
	"os"
	"slices"
	"strings"

	"google.golang.org/protobuf/encoding/protojson"
	"google.golang.org/protobuf/types/known/structpb"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	utilyaml "k8s.io/apimachinery/pkg/util/yaml"
	"sigs.k8s.io/yaml"

	"github.com/crossplane/function-sdk-go/errors"

	"github.com/plexsphere/function-cloud-tags/input/v1beta1"
)

// A step is a pipeline step that runs the function.
type step struct {
	input *v1beta1.CloudTags

	// composition is the name of the Composition, and composite the kind of its
	// composite resources. They are empty if there is none.
	composition string
	composite   kind
}

// A composition is what we read of one.
type composition struct {
	Metadata metadata `json:"metadata"`
	Spec     struct {
		CompositeTypeRef struct {
			APIVersion string `json:"apiVersion"`
			Kind       string `json:"kind"`
		} `json:"compositeTypeRef"`
		Pipeline []struct {
			Step  string         `json:"step"`
			Input map[string]any `json:"input"`
		} `json:"pipeline"`
	} `json:"spec"`
}

// readStep reads the step that has the supplied name, or any name if it is empty, and
// runs the function. There must be one.
func readStep(in io.Reader, file, name string) (step, error) {
	if file != "-" {
		f, err := os.Open(file) //nolint:gosec // The user names it.
		if err != nil {
			return step{}, errors.Unwrap(err) // The error says the file's name, and so do we.
		}
		defer f.Close() //nolint:errcheck // It is only read.

		in = f
	}

	found := []step{}
	names := []string{}

	for docs := utilyaml.NewYAMLReader(bufio.NewReader(in)); ; {
		text, err := docs.Read()
		if errors.Is(err, io.EOF) {
			break
		}

		if err != nil {
			return step{}, err
		}

		j, err := yaml.YAMLToJSONStrict(text)
		if err != nil {
			return step{}, errors.New(oneLine(err))
		}

		steps, err := stepsOf(j, name)
		if err != nil {
			return step{}, err
		}

		for _, s := range steps {
			found = append(found, s.step)
			names = append(names, s.name)
		}
	}

	switch len(found) {
	case 0:
		return step{}, errors.Errorf("no step of a Composition%s has an input of apiVersion %s and kind %s", called(name), v1beta1.APIVersion, v1beta1.Kind)
	case 1:
		return found[0], nil
	default:
		return step{}, errors.Errorf("several steps%s have an input of kind %s, each of which needs a policy: choose one with --step, and a --name: %s", called(name), v1beta1.Kind, strings.Join(names, ", "))
	}
}

func called(name string) string {
	if name == "" {
		return ""
	}

	return " called " + name
}

// A namedStep is a step and its name.
type namedStep struct {
	step

	name string
}

// stepsOf the supplied object that have the supplied name, if it isn't empty, and run
// the function. Only a Composition has any.
func stepsOf(object []byte, name string) ([]namedStep, error) {
	t := metav1.TypeMeta{}
	if err := json.Unmarshal(object, &t); err != nil || t.Kind != "Composition" || t.GroupVersionKind().Group != "apiextensions.crossplane.io" {
		return nil, nil //nolint:nilerr // What has no type is no Composition.
	}

	c := composition{}
	if err := json.Unmarshal(object, &c); err != nil {
		te := &json.UnmarshalTypeError{}
		if errors.As(err, &te) {
			return nil, errors.Errorf("a Composition can't have %s at %s", te.Value, te.Field)
		}

		return nil, err
	}

	out := []namedStep{}

	for _, s := range c.Spec.Pipeline {
		if name != "" && s.Step != name || s.Input["apiVersion"] != v1beta1.APIVersion || s.Input["kind"] != v1beta1.Kind {
			continue
		}

		in, err := decode(s.Input)
		if err != nil {
			return nil, errors.Wrapf(err, "invalid input of step %s", s.Step)
		}

		xr, err := newKind(c.Spec.CompositeTypeRef.APIVersion, c.Spec.CompositeTypeRef.Kind)
		if err != nil {
			return nil, errors.Wrap(err, "spec.compositeTypeRef")
		}

		out = append(out, namedStep{step: step{input: in, composition: c.Metadata.Name, composite: xr}, name: s.Step})
	}

	return out, nil
}

// decode an input as the function does.
func decode(input map[string]any) (*v1beta1.CloudTags, error) {
	j, err := json.Marshal(input)
	if err != nil {
		return nil, err
	}

	s := &structpb.Struct{}
	if err := protojson.Unmarshal(j, s); err != nil {
		return nil, err
	}

	return v1beta1.Decode(s)
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

	switch {
	case err != nil:
		return kind{}, err
	case gv.Version == "" || name == "":
		return kind{}, errors.Errorf("%q is not an apiVersion and a kind, e.g. v1/Namespace", apiVersion+"/"+name)
	case strings.Contains(gv.Group, "."):
		return kind{group: gv.Group, kind: name}, nil
	}

	plural, _ := meta.UnsafeGuessKindToResource(gv.WithKind(name))

	return kind{group: gv.Group, kind: name, plural: plural.Resource}, nil
}

// parseKinds parses apiVersion/kind and apiVersion/kind=plural.
func parseKinds(matches []string) ([]kind, error) {
	out := make([]kind, 0, len(matches))

	for _, match := range matches {
		apiVersionKind, plural, _ := strings.Cut(match, "=")
		i := max(strings.LastIndexByte(apiVersionKind, '/'), 0)

		k, err := newKind(apiVersionKind[:i], strings.TrimPrefix(apiVersionKind[i:], "/"))
		if err != nil {
			return nil, errors.Wrapf(err, "--match %s", match)
		}

		if plural != "" {
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

	// trusted says of each kind that is read so whether all sources that do are
	// trusted.
	trusted map[string]bool
}

// like is true if both read the same.
func (r *reading) like(o *reading) bool {
	return r.prefix == o.prefix && r.form == o.form && r.json == o.json &&
		(r.include == nil) == (o.include == nil) && slices.Equal(r.include, o.include)
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

// kindsOf returns the kinds that the supplied source reads. It is none if there is no
// Composition to say.
func kindsOf(s step, in *v1beta1.Source) []kind {
	if in.Type == v1beta1.SourceTypeCompositeMetadata {
		if s.composite.kind == "" {
			return nil
		}

		return []kind{s.composite}
	}

	out := []kind{}

	for _, k := range in.Resource.ResourceKinds() {
		// Crossplane refuses the requirement of what is no kind.
		if k, err := newKind(k.APIVersion, k.Kind); err == nil {
			out = append(out, k)
		}
	}

	return out
}
