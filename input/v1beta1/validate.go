package v1beta1

import (
	"maps"
	"slices"
	"strings"
	"time"

	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/plexsphere/function-cloud-tags/tags"
	"github.com/plexsphere/function-cloud-tags/tags/structpath"
)

// validate returns everything that is wrong with the input, whose defaults must be
// set.
func (in *CloudTags) validate() field.ErrorList {
	errs := oneOf(field.NewPath("apiVersion"), in.APIVersion, APIVersion)
	errs = append(errs, oneOf(field.NewPath("kind"), in.Kind, Kind)...)
	errs = append(errs, in.Provider.validate(field.NewPath("provider"))...)

	errs = append(errs, oneOf(field.NewPath("profileRules"), in.ProfileRules, ProfileRulesCloud, ProfileRulesContract)...)
	errs = append(errs, oneOf(field.NewPath("fieldDiscovery"), in.FieldDiscovery, FieldDiscoveryAuto, FieldDiscoveryIndex, FieldDiscoverySchema)...)

	formatted := make(map[string]bool, len(in.KeyFormats))

	for i, f := range in.KeyFormats {
		p := field.NewPath("keyFormats").Index(i)
		errs = append(errs, oneOf(p.Child("provider"), f.Provider, tags.ProfileNames()...)...)

		if formatted[f.Provider] {
			errs = append(errs, field.Duplicate(p.Child("provider"), f.Provider))
		}

		formatted[f.Provider] = true

		if _, ok := f.Replace[""]; ok {
			errs = append(errs, field.Invalid(p.Child("replace"), "", "cannot replace an empty string"))
		}
	}

	if len(in.Sources) == 0 {
		errs = append(errs, field.Required(field.NewPath("sources"), "at least one source of labels"))
	}

	for i := range in.Sources {
		errs = append(errs, in.Sources[i].validate(field.NewPath("sources").Index(i))...)
	}

	for _, profile := range slices.Sorted(maps.Keys(in.ReservedTags)) {
		p := field.NewPath("reservedTags")
		errs = append(errs, oneOf(p, profile, tags.ProfileNames()...)...)

		if n := in.ReservedTags[profile]; n < 0 {
			errs = append(errs, field.Invalid(p.Key(profile), n, "must not be negative"))
		}
	}

	for i := range in.TagFields {
		errs = append(errs, in.TagFields[i].validate(field.NewPath("tagFields").Index(i))...)
	}

	if ttl, err := time.ParseDuration(in.TTL); err != nil || ttl < 0 {
		errs = append(errs, field.Invalid(field.NewPath("ttl"), in.TTL, "must be a duration that is not negative, e.g. 1m30s"))
	}

	return errs
}

func (s *StringSource) validate(p *field.Path) field.ErrorList {
	if s == nil {
		return nil
	}

	if (s.Value == nil) == (s.FromFieldPath == nil) {
		return field.ErrorList{field.Invalid(p, "", "must have exactly one of value and fromFieldPath")}
	}

	if s.Value != nil && *s.Value == "" {
		return field.ErrorList{field.Required(p.Child("value"), "must not be empty")}
	}

	return validatePath(p.Child("fromFieldPath"), s.FromFieldPath)
}

func (s *Source) validate(p *field.Path) field.ErrorList {
	errs := oneOf(p.Child("type"), s.Type, SourceTypeCompositeField, SourceTypeValue)
	errs = append(errs, oneOf(p.Child("encoding"), s.Encoding, EncodingJSON, EncodingPlain)...)
	errs = append(errs, oneOf(p.Child("keyForm"), s.KeyForm, KeyFormQualified, KeyFormTag)...)
	errs = append(errs, oneOf(p.Child("onConflict"), s.OnConflict, ConflictPolicyError, ConflictPolicyReplace, ConflictPolicyRetain)...)

	switch s.Type {
	case SourceTypeValue:
		if s.Values == nil {
			errs = append(errs, field.Required(p.Child("values"), "a source of type Value takes labels from it"))
		}

		if s.FromFieldPath != nil {
			errs = append(errs, field.Forbidden(p.Child("fromFieldPath"), "a source of type Value takes labels from values"))
		}
	case SourceTypeCompositeField:
		if s.FromFieldPath == nil {
			errs = append(errs, field.Required(p.Child("fromFieldPath"), "a source of type CompositeField takes labels from it"))
		}

		if s.Values != nil {
			errs = append(errs, field.Forbidden(p.Child("values"), "a source of type CompositeField takes labels from fromFieldPath"))
		}

		errs = append(errs, validatePath(p.Child("fromFieldPath"), s.FromFieldPath)...)
	}

	errs = append(errs, s.Include.validate(p.Child("include"))...)

	if s.Policy != nil {
		errs = append(errs, oneOf(p.Child("policy", "fromFieldPath"), s.Policy.FromFieldPath, FromFieldPathPolicyOptional, FromFieldPathPolicyRequired)...)

		if s.FromFieldPath == nil && (s.Include == nil || s.Include.FromFieldPath == nil) {
			errs = append(errs, field.Forbidden(p.Child("policy"), "the source reads no field of the composite resource"))
		}
	}

	return errs
}

func (i *Include) validate(p *field.Path) field.ErrorList {
	if i == nil {
		return nil
	}

	if (i.Keys == nil) == (i.FromFieldPath == nil) {
		return field.ErrorList{field.Invalid(p, "", "must have exactly one of keys and fromFieldPath")}
	}

	errs := validatePath(p.Child("fromFieldPath"), i.FromFieldPath)

	for n, k := range i.Keys {
		if err := ValidateKeyPattern(k); err != "" {
			errs = append(errs, field.Invalid(p.Child("keys").Index(n), k, err))
		}
	}

	return errs
}

// ValidateKeyPattern says what is wrong with a pattern of label keys, or nothing.
func ValidateKeyPattern(pattern string) string {
	switch i := strings.IndexByte(pattern, '*'); {
	case pattern == "":
		return "must not be empty"
	case i >= 0 && i < len(pattern)-1:
		return "a * may only be the last character"
	default:
		return ""
	}
}

func (f *TagField) validate(p *field.Path) field.ErrorList {
	errs := oneOf(p.Child("shape"), f.Shape, TagFieldShapeKeyValueList, TagFieldShapeMap, TagFieldShapeNone, TagFieldShapeStringList)

	if f.APIVersion == "" {
		errs = append(errs, field.Required(p.Child("apiVersion"), "an apiVersion, in which * matches any run of characters"))
	}

	if f.Kind == "" {
		errs = append(errs, field.Required(p.Child("kind"), "a kind, in which * matches any run of characters"))
	}

	switch {
	case f.Shape == TagFieldShapeNone && f.FieldPath != "":
		errs = append(errs, field.Forbidden(p.Child("fieldPath"), "shape None has no field"))
	case f.Shape != TagFieldShapeNone && f.FieldPath == "":
		errs = append(errs, field.Required(p.Child("fieldPath"), "the field that holds the tags"))
	case f.FieldPath != "":
		errs = append(errs, validatePath(p.Child("fieldPath"), &f.FieldPath)...)
	}

	if f.KeyValueList != nil {
		errs = append(errs, f.validateKeyValueList(p.Child("keyValueList"))...)
	}

	if f.StringList != nil {
		errs = append(errs, f.validateStringList(p.Child("stringList"))...)
	}

	return errs
}

func (f *TagField) validateKeyValueList(p *field.Path) field.ErrorList {
	if f.Shape != TagFieldShapeKeyValueList {
		return field.ErrorList{field.Forbidden(p, "only shape KeyValueList has it")}
	}

	errs := field.ErrorList{}

	if f.KeyValueList.Key == f.KeyValueList.Value {
		errs = append(errs, field.Invalid(p.Child("value"), f.KeyValueList.Value, "must differ from key"))
	}

	for _, name := range []string{f.KeyValueList.Key, f.KeyValueList.Value} {
		if _, ok := f.KeyValueList.Extra[name]; ok {
			errs = append(errs, field.Forbidden(p.Child("extra").Key(name), "the tag is written there"))
		}
	}

	return errs
}

func (f *TagField) validateStringList(p *field.Path) field.ErrorList {
	if f.Shape != TagFieldShapeStringList {
		return field.ErrorList{field.Forbidden(p, "only shape StringList has it")}
	}

	if f.StringList.MaxLength < 0 {
		return field.ErrorList{field.Invalid(p.Child("maxLength"), f.StringList.MaxLength, "must not be negative")}
	}

	return nil
}

func validatePath(p *field.Path, path *string) field.ErrorList {
	if path == nil {
		return nil
	}

	if err := structpath.Validate(*path); err != nil {
		return field.ErrorList{field.Invalid(p, *path, err.Error())}
	}

	return nil
}

func oneOf[T ~string](p *field.Path, got T, allowed ...T) field.ErrorList {
	switch {
	case slices.Contains(allowed, got):
		return nil
	case got == "":
		return field.ErrorList{field.Required(p, "one of "+quoted(allowed))}
	default:
		return field.ErrorList{field.NotSupported(p, got, allowed)}
	}
}

func quoted[T ~string](of []T) string {
	out := make([]string, len(of))
	for i, s := range of {
		out[i] = `"` + string(s) + `"`
	}

	return strings.Join(out, ", ")
}
