package v1beta1

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"
	"time"

	"google.golang.org/protobuf/types/known/structpb"
	"k8s.io/apimachinery/pkg/util/validation/field"
	kjson "sigs.k8s.io/json"

	"github.com/crossplane/function-sdk-go/errors"

	"github.com/plexsphere/function-cloud-tags/tags"
)

// Defaults of the input.
const (
	DefaultTTL       = 1 * time.Minute
	DefaultKey       = "key"
	DefaultValue     = "value"
	DefaultSeparator = "="

	DefaultLabelsFieldPath      = "metadata.labels"
	DefaultAnnotationsFieldPath = "metadata.annotations"
)

// Decode the supplied input of a pipeline step, set its defaults and validate it.
// The error says everything that is wrong with it, by field.
func Decode(s *structpb.Struct) (*CloudTags, error) {
	if s == nil {
		return nil, errors.Errorf("the pipeline step has no input: it needs one of apiVersion %s and kind %s", APIVersion, Kind)
	}

	if err := refuseEmpty(nil, structpb.NewStructValue(s)); err != nil {
		return nil, err
	}

	j, err := s.MarshalJSON()
	if err != nil {
		return nil, errors.Wrap(err, "cannot encode input as JSON")
	}

	in := &CloudTags{}
	errs := unknownFields(nil, structpb.NewStructValue(s), reflect.TypeFor[CloudTags]())

	if err := kjson.UnmarshalCaseSensitivePreserveInts(j, in); err != nil {
		errs = append(errs, typeError(s, j, err))
	}

	if err := errors.Join(errs...); err != nil {
		return nil, err
	}

	in.setDefaults()

	return in, in.validate().ToAggregate()
}

// DecodeObject decodes an input that was read from a file.
func DecodeObject(o map[string]any) (*CloudTags, error) {
	j, err := json.Marshal(o)
	if err != nil {
		return nil, errors.Wrap(err, "cannot encode input as JSON")
	}

	s := &structpb.Struct{}
	if err := s.UnmarshalJSON(j); err != nil {
		return nil, errors.Wrap(err, "cannot decode input")
	}

	return Decode(s)
}

// notEmpty are the strings that must not be empty where they are given. They would
// decode to what is not given.
var notEmpty = map[string]bool{
	"annotationsFieldPath": true, "encoding": true, "fieldDiscovery": true, "fieldPath": true, "fromFieldPath": true, "key": true, "keyForm": true,
	"labelsFieldPath": true, "limitPolicy": true, "onConflict": true, "pick": true, "profileRules": true, "providerTags": true, "separator": true, "ttl": true, "value": true,
}

// notEmptyIn are more of them, by the field that has them. Elsewhere they may be
// empty, or are required anyway.
var notEmptyIn = map[string][]string{
	"resource":  {"apiVersion", "kind"},
	"resources": {"apiVersion", "kind", "name"},
	"source":    {"name"},
	"tagFields": {"provider"},
}

// freeForm are objects whose fields the author of the input names.
var freeForm = map[string]bool{
	"defaultMatchLabels": true, "extra": true, "matchTags": true, "replace": true, "reservedTags": true, "value": true, "values": true,
}

// refuseEmpty returns an error if the supplied value is or has something that would
// decode as if it were not there: null, or a string that must not be empty.
func refuseEmpty(p *field.Path, v *structpb.Value) error {
	switch k := v.GetKind().(type) {
	case *structpb.Value_StructValue:
		fields := k.StructValue.GetFields()
		for _, name := range slices.Sorted(maps.Keys(fields)) {
			if err := refuseEmptyField(p, name, fields[name]); err != nil {
				return err
			}
		}
	case *structpb.Value_ListValue:
		for i, item := range k.ListValue.GetValues() {
			if err := refuseEmpty(p.Index(i), item); err != nil {
				return err
			}
		}
	case nil, *structpb.Value_NullValue:
		return field.Invalid(p, nil, "must not be null")
	}

	return nil
}

// refuseEmptyField refuses the supplied field of the object at the supplied path.
func refuseEmptyField(p *field.Path, name string, v *structpb.Value) error {
	// Kubernetes metadata may have some.
	if p == nil && name == "metadata" {
		return nil
	}

	of := fieldName(p)

	// A tag can have an empty value.
	refused := (notEmpty[name] || slices.Contains(notEmptyIn[of], name)) && (of != "removeTags" || name != "value")
	if s, ok := v.GetKind().(*structpb.Value_StringValue); ok && s.StringValue == "" && refused {
		return field.Invalid(p.Child(name), "", "must not be empty: leave it out")
	}

	// A required resource's labels to match can come from a field, others can't.
	if (freeForm[name] || name == "matchLabels" && of == "resources") && v.GetStructValue() != nil {
		return refuseNulls(p.Child(name), v.GetStructValue())
	}

	return refuseEmpty(p.Child(name), v)
}

// fieldName returns the name of the field at the supplied path, or of the list that
// the path leads to an item of.
func fieldName(p *field.Path) string {
	if p == nil {
		return ""
	}

	path := p.String()
	name, _, _ := strings.Cut(path[strings.LastIndexByte(path, '.')+1:], "[")

	return name
}

// refuseNulls returns an error if a field of the supplied object is null.
func refuseNulls(p *field.Path, s *structpb.Struct) error {
	for _, name := range slices.Sorted(maps.Keys(s.GetFields())) {
		switch s.GetFields()[name].GetKind().(type) {
		case nil, *structpb.Value_NullValue:
			return field.Invalid(p.Child(name), nil, "must not be null")
		}
	}

	return nil
}

// typeError puts an error of a wrong type, in the supplied input and its JSON, in terms
// of the input, not of Go.
func typeError(s *structpb.Struct, j []byte, err error) error {
	te := &json.UnmarshalTypeError{}
	if !errors.As(err, &te) {
		// Only Kubernetes metadata has types that decode themselves.
		return errors.Wrap(err, "metadata")
	}

	want := te.Type.String()

	switch te.Type.Kind() { //nolint:exhaustive // The types of the input have no other kinds.
	case reflect.String:
		want = "a string"
	case reflect.Struct, reflect.Map:
		want = "an object"
	case reflect.Slice:
		want = "a list"
	case reflect.Bool:
		want = "a boolean"
	case reflect.Int64:
		want = "an integer"
	case reflect.Int32:
		want = "a 32-bit integer"
	}

	got, literal, _ := strings.Cut(te.Value, " ")
	switch got {
	case "bool":
		got = "a boolean"
	case "array":
		got = "a list"
	case "object":
		got = "an object"
	case "number":
		got = strings.TrimSpace("a number " + literal)
	default:
		got = "a " + got
	}

	path := pathAt(j, te.Offset).String()

	// The shortest way to get it wrong.
	if path == "provider" && got == "a string" {
		return errors.Errorf("provider: must be an object, not a string: write provider: {value: %q}", s.GetFields()["provider"].GetStringValue())
	}

	// The API server wants the metadata of any object to be its own.
	if path == "metadata" && got == "a list" {
		got += ": the rules that copy Kubernetes metadata are kubernetesMetadata"
	}

	return errors.Errorf("%s: must be %s, not %s", path, want, got)
}

// pathAt returns the path of the value that the supplied offset of the supplied
// JSON is in or right behind. The error of a wrong type has no indices.
func pathAt(j []byte, offset int64) *field.Path {
	type level struct {
		path *field.Path // Of the object or list.
		item int         // Of a list, from 0. Negative in an object.
		name *string     // Of the object's field that is being read, if it is.
	}

	d := json.NewDecoder(bytes.NewReader(j))
	levels := []level{}

	for {
		t, err := d.Token()
		if err != nil {
			return nil
		}

		var path *field.Path

		if n := len(levels); n > 0 {
			l := &levels[n-1]

			switch name, ok := t.(string); {
			case t == json.Delim('}') || t == json.Delim(']'):
				levels = levels[:n-1]
				continue
			case l.item >= 0:
				path = l.path.Index(l.item)
				l.item++
			case l.name == nil && ok:
				l.name = &name
				continue
			default:
				path = l.path.Child(*l.name)
				l.name = nil
			}
		}

		if d.InputOffset() >= offset {
			return path
		}

		if t == json.Delim('{') {
			levels = append(levels, level{path: path, item: -1})
		}

		if t == json.Delim('[') {
			levels = append(levels, level{path: path})
		}
	}
}

// ReuseFor is how long Crossplane may reuse the function's answer.
func (in *CloudTags) ReuseFor() time.Duration {
	d, _ := time.ParseDuration(in.TTL) // Decode has validated it.
	return d
}

// ProviderValue is the provider that the input names itself, or empty if it names none
// or says where to read it.
func (in *CloudTags) ProviderValue() string {
	if in.Provider == nil || in.Provider.Value == nil {
		return ""
	}

	return *in.Provider.Value
}

// SourceName is what messages call the source at the supplied position.
func (in *CloudTags) SourceName(i int) string {
	if in.Sources[i].Name == "" {
		return fmt.Sprintf("sources[%d]", i)
	}

	return fmt.Sprintf("sources[%d] %q", i, in.Sources[i].Name)
}

// Required is true if what the source reads must be there.
func (s *Source) Required() bool {
	if s.Policy == nil {
		return s.Type == SourceTypeRequiredResource
	}

	return s.Policy.FromFieldPath == FromFieldPathPolicyRequired
}

// ResourceKinds are the kinds that the objects may have.
func (r *RequiredResource) ResourceKinds() []ResourceKind {
	if len(r.Kinds) > 0 {
		return r.Kinds
	}

	return []ResourceKind{{APIVersion: r.APIVersion, Kind: r.Kind}}
}

// Formats of keys by provider.
func (in *CloudTags) Formats() map[string]tags.Format {
	out := make(map[string]tags.Format, len(in.KeyFormats))
	for _, f := range in.KeyFormats {
		out[f.Provider] = tags.NewFormat(f.Prefix, f.Replace, f.Lowercase)
	}

	return out
}

// Copies is true if the rule copies the supplied kind of metadata.
func (r *MetadataRule) Copies(k MetadataKind) bool { return slices.Contains(r.Copy, k) }

// Required is true if there must be an object.
func (s *MetadataSource) Required() bool {
	return s.Policy == nil || s.Policy.FromFieldPath == FromFieldPathPolicyRequired
}

func (r *MetadataRule) setDefaults() {
	r.Source.LabelsFieldPath = cmp.Or(r.Source.LabelsFieldPath, DefaultLabelsFieldPath)
	r.Source.AnnotationsFieldPath = cmp.Or(r.Source.AnnotationsFieldPath, DefaultAnnotationsFieldPath)

	if r.Source.Policy != nil {
		r.Source.Policy.FromFieldPath = cmp.Or(r.Source.Policy.FromFieldPath, FromFieldPathPolicyRequired)
	}

	to := r.ToFieldPaths

	if r.Copy == nil {
		if to == nil || to.Labels != nil {
			r.Copy = append(r.Copy, MetadataKindLabels)
		}

		if to == nil || to.Annotations != nil {
			r.Copy = append(r.Copy, MetadataKindAnnotations)
		}
	}

	if to != nil {
		return
	}

	r.ToFieldPaths = &MetadataFieldPaths{}

	if r.Copies(MetadataKindLabels) {
		r.ToFieldPaths.Labels = []string{DefaultLabelsFieldPath}
	}

	if r.Copies(MetadataKindAnnotations) {
		r.ToFieldPaths.Annotations = []string{DefaultAnnotationsFieldPath}
	}
}

func (in *CloudTags) setDefaults() {
	if in.KeyPrefix == nil {
		prefix := tags.CloudTagPrefix
		in.KeyPrefix = &prefix
	}

	in.LimitPolicy = cmp.Or(in.LimitPolicy, LimitPolicyApplyPartial)
	in.ProviderTags = cmp.Or(in.ProviderTags, ProviderTagsReserve)
	in.ProfileRules = cmp.Or(in.ProfileRules, ProfileRulesContract)
	in.FieldDiscovery = cmp.Or(in.FieldDiscovery, FieldDiscoveryAuto)
	in.TTL = cmp.Or(in.TTL, DefaultTTL.String())

	for i := range in.Sources {
		s := &in.Sources[i]
		s.Encoding = cmp.Or(s.Encoding, EncodingPlain)
		s.KeyForm = cmp.Or(s.KeyForm, KeyFormQualified)
		s.OnConflict = cmp.Or(s.OnConflict, ConflictPolicyRetain)

		policy := FromFieldPathPolicyOptional

		if s.Type == SourceTypeRequiredResource {
			s.Pick = cmp.Or(s.Pick, PickAll)
			policy = FromFieldPathPolicyRequired
		}

		if s.Policy != nil {
			s.Policy.FromFieldPath = cmp.Or(s.Policy.FromFieldPath, policy)
		}
	}

	for i := range in.IgnoreTags {
		in.IgnoreTags[i].OnConflict = cmp.Or(in.IgnoreTags[i].OnConflict, ConflictPolicyReplace)
	}

	for i := range in.KubernetesMetadata {
		in.KubernetesMetadata[i].setDefaults()
	}

	for i := range in.TagFields {
		f := &in.TagFields[i]

		if f.Shape == TagFieldShapeKeyValueList {
			if f.KeyValueList == nil {
				f.KeyValueList = &KeyValueList{}
			}

			f.KeyValueList.Key = cmp.Or(f.KeyValueList.Key, DefaultKey)
			f.KeyValueList.Value = cmp.Or(f.KeyValueList.Value, DefaultValue)
		}

		if f.Shape == TagFieldShapeStringList {
			if f.StringList == nil {
				f.StringList = &StringList{}
			}

			f.StringList.Separator = cmp.Or(f.StringList.Separator, DefaultSeparator)
		}
	}
}
