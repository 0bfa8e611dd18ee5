package stamp

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/types/known/structpb"
	"k8s.io/apimachinery/pkg/runtime/schema"

	fnv1 "github.com/crossplane/function-sdk-go/proto/v1"

	"github.com/plexsphere/function-cloud-tags/input/v1beta1"
	"github.com/plexsphere/function-cloud-tags/tags"
	"github.com/plexsphere/function-cloud-tags/tags/field"
	"github.com/plexsphere/function-cloud-tags/tags/locate"
	"github.com/plexsphere/function-cloud-tags/tags/object"
	"github.com/plexsphere/function-cloud-tags/tags/resolve"
	"github.com/plexsphere/function-cloud-tags/tags/tagpolicy"
	"github.com/plexsphere/function-cloud-tags/tags/tagstest"
)

// A stampCase is what a file in testdata/cases says: resources, what is there, and what is asked of
// their tags. A resource without an apiVersion and a kind is a Thing.
type stampCase struct {
	Name   string `json:"name"`
	Reason string `json:"reason"`

	// Provider that the XR asks for, and the input but for the sources of labels, unless it has any.
	// A case with policies is one for each of them.
	Provider string            `json:"provider"`
	Input    v1beta1.CloudTags `json:"input"`
	Policy   tags.Conflict     `json:"policy"`
	Policies []tags.Conflict   `json:"policies"`

	// Prefix of labels' keys, unless it is ours:.
	Prefix *string `json:"prefix"`

	// Labels of sources, by key. Trusted labels are of trusted sources, and denied ones have reserved keys from other sources.
	// Labels have won over the overridden ones, which are trusted. More labels have other sources than the first, or tag keys without the
	// prefix.
	Labels     map[string]string `json:"labels"`
	Trusted    map[string]string `json:"trusted"`
	Overridden map[string]string `json:"overridden"`
	Denied     map[string]string `json:"denied"`
	More       []moreLabel       `json:"more"`

	// Remove and ignore are tag keys of removeTags and ignoreTags.
	Remove []caseKey `json:"remove"`
	Ignore []caseKey `json:"ignore"`

	// Earlier are the tags with reserved keys that earlier steps have of trusted sources, of each resource.
	Earlier map[string]string `json:"earlier"`

	// Field of all kinds. Without it, rules of the input, the index, and schemas by paths say where
	// tags are. A schema that is given is at hand, others are asked for.
	Field  *caseField                 `json:"field"`
	Schema map[string]json.RawMessage `json:"schema"`
	Given  map[string]json.RawMessage `json:"given"`

	// Or there is a case for each of the shapes, and tags are keys and values by turns: those before,
	// which earlier steps set, those there, in the observed field, and those in the cloud.
	Shapes []string `json:"shapes"`
	Atomic bool     `json:"atomic"`
	Before []string `json:"before"`
	There  []string `json:"there"`
	Cloud  []string `json:"cloud"`

	// Resource is the desired one, Spec is the spec of a desired Thing, or there are several Desired resources, whose
	// tags may be keys and values by turns. Each of them is Observed.
	Resource *structpb.Struct           `json:"resource"`
	Spec     json.RawMessage            `json:"spec"`
	Desired  map[string]json.RawMessage `json:"desired"`
	Observed *structpb.Struct           `json:"observed"`

	// Copied is the spec of the resource after metadata was copied to it.
	Copied json.RawMessage `json:"copied"`

	// Tells names the facts that a case tells besides its resources, or instead of them: the kinds that an Asked field
	// was located for, whether it was located, selectors without a resource, or why the profile is the generic one.
	Tells string `json:"tells"`

	// Audits says that changes are told.
	Audits bool `json:"audits"`

	shape *shape
}

// A moreLabel is a label with all its fields.
type moreLabel struct {
	Key        string `json:"key"`
	TagKey     string `json:"tagKey"`
	Value      string `json:"value"`
	Unprefixed bool   `json:"unprefixed"`
	Trusted    bool   `json:"trusted"`
	Source     int    `json:"source"`
}

// A caseKey is a pattern of tag keys, alone or in an object with its other fields.
type caseKey resolve.TagPattern

// UnmarshalJSON reads a pattern, or an object of all fields.
func (k *caseKey) UnmarshalJSON(b []byte) error {
	*k = caseKey{}
	if b[0] == '"' {
		return json.Unmarshal(b, &k.Key)
	}

	fields := struct {
		Key       string  `json:"key"`
		Value     *string `json:"value"`
		Retain    bool    `json:"retain"`
		FromField bool    `json:"fromField"`
	}{}
	err := strictly(b, &fields)
	*k = caseKey{Key: fields.Key, Value: fields.Value, Retain: fields.Retain, Untrusted: fields.FromField}

	return err
}

// A caseField is a field, at spec.tags unless it says where.
type caseField struct{ field.Locator }

// asked is a locator. It remembers the kinds that somebody asks for. It knows all kinds but Unknown, and None has no
// field.
type asked map[string]bool

func (a asked) Locate(k field.Kind) (field.Field, bool) {
	a[k.Kind] = true

	if k.Kind == "None" {
		return field.Field{Layout: field.Layout{Shape: field.None}}, true
	}

	return shapes["Map"].field, k.Kind != "Unknown"
}

// UnmarshalJSON reads the name of a shape that all kinds have, Unknown, Asked, or all settings of a field. The provider fills the field unless
// it is a joined string, or the settings say otherwise.
func (f *caseField) UnmarshalJSON(b []byte) error {
	name := ""

	switch {
	case json.Unmarshal(b, &name) != nil:
		fields := field.Field{FilledByProvider: true}
		if err := strictly(b, &fields); err != nil {
			return err
		}

		fields.FilledByProvider = fields.FilledByProvider && fields.Shape != field.Joined

		if fields.Path.IsZero() && fields.Shape != field.None {
			fields.Path = object.MustParsePath("spec.tags")
		}

		f.Locator = somewhere(fields)
	case name == "Asked":
		f.Locator = asked{}
	case name == "Unknown":
		f.Locator = field.Chain{}
	default:
		f.Locator = somewhere(shapes[name].field)
	}

	return nil
}

// strictly decodes JSON that may have no other fields than to has.
func strictly(b []byte, to any) error {
	d := json.NewDecoder(bytes.NewReader(b))
	d.DisallowUnknownFields()

	return d.Decode(to)
}

// A stampFile is cases, and in each what holds for all of them.
type stampFile struct {
	Each  json.RawMessage   `json:"each"`
	Cases []json.RawMessage `json:"cases"`
}

// TestCases stamps what the files in testdata/cases say.
func TestCases(t *testing.T) {
	tagstest.EachFile(t, "testdata/cases/*.yaml", func(t *testing.T, file *stampFile, g *tagstest.Golden) {
		t.Helper()

		for _, c := range file.Cases {
			tc := stampCase{}

			for _, b := range []json.RawMessage{file.Each, c} {
				if len(b) == 0 {
					continue
				}

				if err := strictly(b, &tc); err != nil {
					t.Fatalf("cannot decode case %s: %v", c, err)
				}
			}

			t.Run(tc.Name, func(t *testing.T) { tc.runAll(t, g) })
		}
	})
}

// runAll runs the case by each of its policies, and in each of its shapes.
func (tc stampCase) runAll(t *testing.T, g *tagstest.Golden) {
	t.Helper()

	switch {
	case len(tc.Policies) > 0:
		all := tc.Policies
		tc.Policies = nil

		for _, tc.Policy = range all {
			t.Run(string(tc.Policy), func(t *testing.T) { tc.runAll(t, g) })
		}
	case len(tc.Shapes) > 0:
		all := tc.Shapes
		tc.Shapes = nil

		for _, name := range all {
			s := shapes[name]
			s.field.Atomic = s.field.Atomic || tc.Atomic
			tc.shape, tc.Field = &s, &caseField{somewhere(reporting(s.field))}
			t.Run(name, func(t *testing.T) { tc.runAll(t, g) })
		}
	default:
		tc.run(t, g)
	}
}

// run the case.
func (tc stampCase) run(t *testing.T, g *tagstest.Golden) {
	t.Helper()

	var asked []string

	s := tc.stamper(&asked)
	desired := tc.desired()

	if observed := tc.observed(); observed != nil {
		s.Observed = make(map[string]*fnv1.Resource)
		for name := range desired {
			s.Observed[name] = &fnv1.Resource{Resource: observed}
		}
	}

	out := tc.told(t, s, desired)
	if tc.Schema == nil && tc.Given == nil {
		asked = nil
	}

	for _, k := range slices.Compact(slices.Sorted(slices.Values(asked))) {
		out = append(out, "asks for the schema of "+k)
	}

	g.Check(t, tc.Reason, out)
}

// told is what comes of the desired resources.
func (tc stampCase) told(t *testing.T, s *Stamper, desired map[string]*fnv1.Resource) []string {
	t.Helper()

	if tc.Copied != nil {
		targets := targetsOf(s, desired)

		copied := proto.CloneOf(desired["r"].GetResource())
		copied.Fields["spec"] = structpb.NewStructValue(thing(string(tc.Copied)).GetFields()["spec"].GetStructValue())
		targets.UseCopies(map[string]object.Object{"r": object.FromStruct(copied)})

		return lines(s.Stamp(t.Context(), targets))
	}

	if tc.Tells == "unmatched" {
		return append([]string{}, targetsOf(s, desired).Unmatched()...)
	}

	out, err := stampUnchanged(t, s, desired)
	told := lines(out, err)

	switch tc.Tells {
	case "kinds":
		told = append(told, fmt.Sprintf("asked: %q", slices.Sorted(maps.Keys(tc.Field.Locator.(asked))))) //nolint:forcetypeassert // Cases with kinds have it.
	case "located":
		told = append(told, fmt.Sprintf("located: %t", len(tc.Field.Locator.(asked)) > 0)) //nolint:forcetypeassert // See above.
	case "unprofiled":
		return []string{fmt.Sprintf("%+v", out.Results[0].Unprofiled)}
	}

	if err == nil && s.Input.TagPolicy != nil {
		tagpolicy.EachBreach(s.Input, s.Transformer, targetsOf(s, desired), out.Changed, out, func(t *locate.Target, rule int, b tagpolicy.Breach) {
			told = append(told, fmt.Sprintf("rule %d: %s on %s of %s", rule, b, t.Name, t.Profile.Name))
		})
	}

	return told
}

// stamper returns the stamper of the case. It adds the kinds of required schemas to asked.
func (tc stampCase) stamper(asked *[]string) *Stamper {
	in := tc.Input
	if in.Sources == nil {
		in.Sources = []v1beta1.Source{{OnConflict: tags.Retain}}
	}

	if tc.Policy != "" {
		in.Sources = []v1beta1.Source{{OnConflict: tc.Policy, Name: in.Sources[0].Name}}
	}

	labels := slices.Concat(labelsOf(tc.Labels, false), labelsOf(tc.Trusted, true))
	for _, l := range tc.More {
		labels = append(labels, tags.Label{
			QualifiedKey: l.Key, TagKey: l.TagKey, Value: l.Value, GivesTagKey: l.Unprefixed, Trusted: l.Trusted, Source: &tags.Source{Position: l.Source},
		})
	}

	labels = from(in.Sources, labels...)
	slices.SortFunc(labels, tags.Label.Compare)

	prefix := "ours:"
	if tc.Prefix != nil {
		prefix = *tc.Prefix
	}

	tr := tags.NewTransformer(labels, in.KeyFormatsByProvider())
	tr.Reserve(in.ReservedKeys, prefix, labelsOf(tc.Denied, false))
	tr.SetOverridden(from(in.Sources, labelsOf(tc.Overridden, true)...))
	tr.SetClassifiers(in.Classifiers())

	s := &Stamper{
		Finder:      locate.Finder{CompositeGroup: "platform.example.org", Input: &in, Provider: tc.Provider, ComposedOwner: ours},
		Transformer: tr, RemoveTags: tagKeys(tc.Remove), IgnoreTags: tagKeys(tc.Ignore), Options: Options{Audits: tc.Audits, EarlierTrustedTags: map[string]map[string]string{}},
	}

	for name := range tc.desired() {
		s.EarlierTrustedTags[name] = tc.Earlier
	}

	s.Schemas.Of = func(k schema.GroupVersionKind) object.Node {
		*asked = append(*asked, k.Kind)
		return schemaAt(tc.Schema)
	}

	if tc.Given != nil {
		s.Schemas.Given = func(schema.GroupVersionKind) object.Node { return schemaAt(tc.Given) }
	}

	s.SetsTag = s.newOwnTagCheck()
	s.NewLocator = func(schemas field.Schemas) field.Locator { return field.ForInput(&in, schemas) }
	if tc.Field != nil {
		s.NewLocator = fixed(tc.Field.Locator)
	}

	return s
}

func labelsOf(values map[string]string, isTrusted bool) []tags.Label {
	out := make([]tags.Label, 0, len(values))

	for _, key := range slices.Sorted(maps.Keys(values)) {
		l := label(key, values[key])
		l.Trusted = isTrusted
		out = append(out, l)
	}

	return out
}

func tagKeys(keys []caseKey) []resolve.TagPattern {
	out := make([]resolve.TagPattern, len(keys))
	for i, k := range keys {
		out[i] = resolve.TagPattern(k)
	}

	return out
}

// schemaAt is the schema of a kind that has the schemas at their paths.
func schemaAt(schemas map[string]json.RawMessage) object.Node {
	if schemas == nil {
		return object.Node{}
	}

	all := map[string]any{"type": "object"}

	for path, s := range schemas {
		in := all
		for name := range strings.SplitSeq(path, ".") {
			in["type"] = "object"
			in = child(child(in, "properties"), name)
		}

		if err := json.Unmarshal(s, &in); err != nil {
			panic(err) // It was read as JSON.
		}
	}

	return object.FromStruct(tagstest.Struct(all)).Node()
}

// desired resources of the case.
func (tc stampCase) desired() map[string]*fnv1.Resource {
	switch {
	case tc.Desired != nil:
		out := make(map[string]*fnv1.Resource)

		for name, text := range tc.Desired {
			if string(text) == "null" {
				out[name] = nil
				continue
			}

			r := &structpb.Struct{}
			before := []string{}

			// Tags by turns are no object.
			if json.Unmarshal(text, &before) == nil {
				r = thing(tc.shape.specOf(before))
			} else if err := r.UnmarshalJSON(text); err != nil {
				panic(err) // It was read as JSON.
			}

			out[name] = &fnv1.Resource{Resource: r, Ready: fnv1.Ready_READY_TRUE, ConnectionDetails: map[string][]byte{"a": []byte("b")}}
		}

		return out
	case tc.Resource != nil:
		return map[string]*fnv1.Resource{"r": {Resource: asThing(tc.Resource, nil)}}
	case tc.Before != nil:
		return desiring(tc.shape.spec(tc.Before...))
	case tc.Spec != nil:
		return desiring(string(tc.Spec))
	default:
		return desiring(`{}`)
	}
}

// observed resource of the case, or nil if there is none.
func (tc stampCase) observed() *structpb.Struct {
	switch {
	case tc.There != nil || tc.Cloud != nil:
		there, cloud := `{}`, `{}`
		if tc.There != nil {
			there = tc.shape.spec(tc.There...)
		}

		if tc.Cloud != nil {
			cloud = tc.shape.spec(tc.Cloud...)
		}

		return observed(there, cloud)
	case tc.Observed != nil:
		return asThing(tc.Observed, tc.Resource)
	default:
		return nil
	}
}

// asThing returns a copy of the resource with an apiVersion and a kind: like's own, or a Thing's.
func asThing(r, like *structpb.Struct) *structpb.Struct {
	out := thing(`{}`)
	delete(out.GetFields(), "spec")
	delete(out.GetFields(), "metadata")

	for _, from := range []*structpb.Struct{like, r} {
		for name, v := range from.GetFields() {
			if from == r || name == "apiVersion" || name == "kind" {
				out.Fields[name] = v
			}
		}
	}

	return out
}
