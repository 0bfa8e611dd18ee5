package v1beta1

import (
	"fmt"
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

	if in.Sources == nil && in.RemoveTags == nil && in.IgnoreTags == nil && in.KubernetesMetadata == nil {
		errs = append(errs, field.Required(field.NewPath("sources"), "at least one of sources, removeTags, ignoreTags and kubernetesMetadata"))
	}

	errs = append(errs, in.validateLists()...)

	for i := range in.Sources {
		errs = append(errs, in.Sources[i].validate(field.NewPath("sources").Index(i))...)
	}

	named := make(map[string]bool, len(in.Sources))

	for i := range in.Sources {
		s := &in.Sources[i]
		if s.Pick == PickOne && named[s.Name] {
			errs = append(errs, field.Duplicate(field.NewPath("sources").Index(i).Child("name"), s.Name))
		}

		named[s.Name] = named[s.Name] || s.Pick == PickOne
	}

	for i, k := range in.ReservedKeys {
		if err := ValidateKeyPattern(k); err != "" {
			errs = append(errs, field.Invalid(field.NewPath("reservedKeys").Index(i), k, err))
		}
	}

	errs = append(errs, oneOf(field.NewPath("limitPolicy"), in.LimitPolicy, LimitPolicyApplyPartial, LimitPolicyApplyStrict)...)

	for i := range in.Resources {
		errs = append(errs, in.Resources[i].validate(field.NewPath("resources").Index(i))...)
	}

	for i := range in.RemoveTags {
		errs = append(errs, in.RemoveTags[i].validate(field.NewPath("removeTags").Index(i))...)
	}

	for i := range in.IgnoreTags {
		errs = append(errs, in.IgnoreTags[i].validate(field.NewPath("ignoreTags").Index(i))...)
	}

	for i := range in.KubernetesMetadata {
		errs = append(errs, in.KubernetesMetadata[i].validate(field.NewPath("kubernetesMetadata").Index(i))...)
	}

	if p := field.NewPath("toContextKey"); in.ToContextKey != nil && *in.ToContextKey == "" {
		errs = append(errs, field.Required(p, "must not be empty"))
	} else if in.ToContextKey != nil && *in.ToContextKey == StepsContextKey {
		errs = append(errs, field.Invalid(p, *in.ToContextKey, "must be another key: steps of this function keep their verdicts there"))
	}

	errs = append(errs, validateStatusPath(field.NewPath("statusFieldPath"), in.StatusFieldPath)...)

	for _, profile := range slices.Sorted(maps.Keys(in.ReservedTags)) {
		p := field.NewPath("reservedTags")
		errs = append(errs, oneOf(p, profile, tags.ProfileNames()...)...)

		if n := in.ReservedTags[profile]; n < 0 {
			errs = append(errs, field.Invalid(p.Key(profile), n, "must not be negative"))
		}
	}

	errs = append(errs, oneOf(field.NewPath("providerTags"), in.ProviderTags, ProviderTagsNone, ProviderTagsReserve)...)

	for i := range in.TagFields {
		errs = append(errs, in.TagFields[i].validate(field.NewPath("tagFields").Index(i))...)
	}

	if ttl, err := time.ParseDuration(in.TTL); err != nil || ttl < 0 {
		errs = append(errs, field.Invalid(field.NewPath("ttl"), in.TTL, "must be a duration that is not negative, e.g. 1m30s"))
	}

	return errs
}

// validateLists refuses lists that are given, but empty: what they would mean is
// better said by leaving them out.
func (in *CloudTags) validateLists() field.ErrorList {
	errs := notEmptyList(field.NewPath("sources"), in.Sources)
	errs = append(errs, notEmptyList(field.NewPath("resources"), in.Resources)...)
	errs = append(errs, notEmptyList(field.NewPath("removeTags"), in.RemoveTags)...)
	errs = append(errs, notEmptyList(field.NewPath("ignoreTags"), in.IgnoreTags)...)

	return append(errs, notEmptyList(field.NewPath("kubernetesMetadata"), in.KubernetesMetadata)...)
}

func notEmptyList[T any](p *field.Path, list []T) field.ErrorList {
	if list == nil || len(list) > 0 {
		return nil
	}

	return field.ErrorList{field.Required(p, "must not be empty: leave it out")}
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
	errs := oneOf(p.Child("type"), s.Type, slices.Sorted(maps.Keys(sourceFields))...)
	errs = append(errs, oneOf(p.Child("encoding"), s.Encoding, EncodingJSON, EncodingPlain, EncodingScalar)...)
	errs = append(errs, oneOf(p.Child("keyForm"), s.KeyForm, KeyFormQualified, KeyFormTag)...)
	errs = append(errs, oneOf(p.Child("onConflict"), s.OnConflict, ConflictPolicyError, ConflictPolicyReplace, ConflictPolicyRetain)...)

	if use, ok := sourceFields[s.Type]; ok {
		errs = append(errs, s.validateFields(p, use)...)
	}

	if s.ContextKey != nil && *s.ContextKey == "" {
		errs = append(errs, field.Required(p.Child("contextKey"), "must not be empty"))
	}

	if s.Prefix != nil && *s.Prefix == "" {
		errs = append(errs, field.Required(p.Child("prefix"), "must not be empty"))
	}

	errs = append(errs, validatePath(p.Child("fromFieldPath"), s.FromFieldPath)...)
	errs = append(errs, s.Include.validate(p.Child("include"))...)

	if s.Trusted && s.Include != nil && s.Include.FromFieldPath != nil {
		errs = append(errs, field.Forbidden(p.Child("include", "fromFieldPath"), "the author of the composite resource may not choose among the labels of a trusted source"))
	}

	if s.Type == SourceTypeRequiredResource {
		errs = append(errs, s.validateResource(p)...)
	}

	if s.Policy != nil {
		errs = append(errs, oneOf(p.Child("policy", "fromFieldPath"), s.Policy.FromFieldPath, FromFieldPathPolicyOptional, FromFieldPathPolicyRequired)...)

		reads := s.Type == SourceTypeRequiredResource || s.FromFieldPath != nil || s.Include != nil && s.Include.FromFieldPath != nil
		if !reads {
			errs = append(errs, field.Forbidden(p.Child("policy"), "the source reads nothing that could be absent"))
		}
	}

	return errs
}

// sourceFields says of each type of source which fields say where it takes labels
// from: true if the field is required. The others are forbidden.
var sourceFields = map[SourceType]map[string]bool{
	SourceTypeValue:             {"values": true},
	SourceTypeCompositeField:    {"fromFieldPath": true},
	SourceTypeContextField:      {"contextKey": true, "fromFieldPath": true},
	SourceTypeCompositeMetadata: {"prefix": true},
	SourceTypeRequiredResource:  {"resource": true, "prefix": false, "fromFieldPath": false, "pick": false, "providerFieldPath": false},
}

// validateFields of which the type of the source says whether it uses them.
func (s *Source) validateFields(p *field.Path, use map[string]bool) field.ErrorList {
	errs := field.ErrorList{}

	for _, f := range []struct {
		name string
		set  bool
	}{
		{"values", s.Values != nil},
		{"fromFieldPath", s.FromFieldPath != nil},
		{"contextKey", s.ContextKey != nil},
		{"prefix", s.Prefix != nil},
		{"resource", s.Resource != nil},
		{"pick", s.Pick != ""},
		{"providerFieldPath", s.ProviderFieldPath != nil},
	} {
		required, ok := use[f.name]

		switch {
		case required && !f.set:
			errs = append(errs, field.Required(p.Child(f.name), fmt.Sprintf("a source of type %s takes labels from it", s.Type)))
		case f.set && !ok:
			errs = append(errs, field.Forbidden(p.Child(f.name), fmt.Sprintf("a source of type %s takes labels from %s", s.Type, requiredOf(use))))
		}
	}

	return errs
}

// requiredOf returns the names of the fields that are required.
func requiredOf(use map[string]bool) string {
	names := []string{}

	for _, name := range slices.Sorted(maps.Keys(use)) {
		if use[name] {
			names = append(names, name)
		}
	}

	return strings.Join(names, " and ")
}

// validateResource validates a source of type RequiredResource.
func (s *Source) validateResource(p *field.Path) field.ErrorList {
	errs := oneOf(p.Child("pick"), s.Pick, PickAll, PickOne)

	if (s.Prefix == nil) == (s.FromFieldPath == nil) {
		errs = append(errs, field.Invalid(p, "", "must have exactly one of prefix and fromFieldPath"))
	}

	errs = append(errs, validatePath(p.Child("providerFieldPath"), s.ProviderFieldPath)...)

	if s.Pick != PickOne && s.ProviderFieldPath != nil {
		errs = append(errs, field.Forbidden(p.Child("providerFieldPath"), "only a class, which pick One picks, names a provider"))
	}

	if s.Pick == PickOne && s.Name == "" {
		errs = append(errs, field.Required(p.Child("name"), "a class is recorded under the name of its source"))
	}

	if s.Resource != nil {
		errs = append(errs, s.Resource.validate(p.Child("resource"), s.Pick == PickOne)...)
	}

	return errs
}

func (r *RequiredResource) validate(p *field.Path, one bool) field.ErrorList {
	errs := field.ErrorList{}

	switch {
	case r.Kinds == nil:
		errs = append(errs, (&ResourceKind{APIVersion: r.APIVersion, Kind: r.Kind}).validate(p)...)
	case r.APIVersion != "" || r.Kind != "":
		errs = append(errs, field.Invalid(p, "", "must have either apiVersion and kind, or kinds"))
	case !one:
		errs = append(errs, field.Forbidden(p.Child("kinds"), "only pick One picks among kinds"))
	case len(r.Kinds) == 0:
		errs = append(errs, field.Required(p.Child("kinds"), "at least one kind"))
	}

	for i := range r.Kinds {
		errs = append(errs, r.Kinds[i].validate(p.Child("kinds").Index(i))...)
	}

	if r.Name == nil && r.MatchLabels == nil && r.DefaultMatchLabels == nil {
		errs = append(errs, field.Invalid(p, "", "must have one of name, matchLabels and defaultMatchLabels"))
	}

	if !one && r.Name != nil && r.MatchLabels != nil {
		errs = append(errs, field.Forbidden(p.Child("matchLabels"), "only pick One falls back to it if there is no name"))
	}

	if !one && r.DefaultMatchLabels != nil {
		errs = append(errs, field.Forbidden(p.Child("defaultMatchLabels"), "only pick One falls back to it"))
	}

	if r.DefaultMatchLabels != nil && len(r.DefaultMatchLabels) == 0 {
		errs = append(errs, field.Required(p.Child("defaultMatchLabels"), "an empty map would match everything"))
	}

	errs = append(errs, r.Name.validate(p.Child("name"))...)
	errs = append(errs, r.Namespace.validate(p.Child("namespace"))...)

	return append(errs, r.MatchLabels.validate(p.Child("matchLabels"))...)
}

func (k *ResourceKind) validate(p *field.Path) field.ErrorList {
	errs := field.ErrorList{}

	if k.APIVersion == "" {
		errs = append(errs, field.Required(p.Child("apiVersion"), "the apiVersion of the objects"))
	}

	if k.Kind == "" {
		errs = append(errs, field.Required(p.Child("kind"), "the kind of the objects"))
	}

	return errs
}

func (m *MapSource) validate(p *field.Path) field.ErrorList {
	if m == nil {
		return nil
	}

	given := 0

	for _, is := range []bool{m.Value != nil, m.FromFieldPath != nil, m.All} {
		if is {
			given++
		}
	}

	switch {
	case given != 1:
		return field.ErrorList{field.Invalid(p, "", "must have exactly one of value, fromFieldPath and all")}
	case m.Value != nil && len(m.Value) == 0:
		return field.ErrorList{field.Required(p.Child("value"), "an empty map matches nothing: all matches every object")}
	default:
		return validatePath(p.Child("fromFieldPath"), m.FromFieldPath)
	}
}

func (i *Include) validate(p *field.Path) field.ErrorList {
	if i == nil {
		return nil
	}

	switch {
	case i.Keys != nil && i.FromFieldPath != nil:
		return field.ErrorList{field.Invalid(p, "", "must have at most one of keys and fromFieldPath")}
	case i.Keys == nil && i.FromFieldPath == nil && i.Except == nil:
		return field.ErrorList{field.Invalid(p, "", "must have at least one of keys, fromFieldPath and except")}
	}

	errs := validatePath(p.Child("fromFieldPath"), i.FromFieldPath)
	errs = append(errs, notEmptyList(p.Child("except"), i.Except)...)

	for _, of := range []struct {
		name     string
		patterns []string
	}{{"keys", i.Keys}, {"except", i.Except}} {
		for n, k := range of.patterns {
			if err := ValidateLabelPattern(k); err != "" {
				errs = append(errs, field.Invalid(p.Child(of.name).Index(n), k, err))
			}
		}
	}

	return errs
}

// ValidateLabelPattern says what is wrong with a pattern of qualified label keys, or
// nothing. No label's key starts with an exclamation mark: who writes one means to
// leave labels out.
func ValidateLabelPattern(pattern string) string {
	if strings.HasPrefix(pattern, "!") {
		return "matches no key: except says which labels are left out"
	}

	return ValidateKeyPattern(pattern)
}

// ValidateKeyPattern says what is wrong with a pattern of tag keys, or nothing.
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

func (r *ResourceSelector) validate(p *field.Path) field.ErrorList {
	errs := field.ErrorList{}

	if r.Name == "" && r.APIVersion == "" && r.Kind == "" && r.MatchLabels == nil && r.MatchTags == nil {
		errs = append(errs, field.Invalid(p, "", "must have one of name, apiVersion, kind, matchLabels and matchTags"))
	}

	if r.MatchLabels != nil && len(r.MatchLabels) == 0 {
		errs = append(errs, field.Required(p.Child("matchLabels"), "must not be empty: leave it out"))
	}

	if r.MatchTags != nil && len(r.MatchTags) == 0 {
		errs = append(errs, field.Required(p.Child("matchTags"), "must not be empty: leave it out"))
	}

	return errs
}

func (r *RemoveTag) validate(p *field.Path) field.ErrorList {
	errs := r.TagKeys.validate(p)

	if r.Value != nil && r.Key == "" {
		errs = append(errs, field.Forbidden(p.Child("value"), "only a key can have one"))
	}

	return errs
}

func (i *IgnoreTag) validate(p *field.Path) field.ErrorList {
	return append(i.TagKeys.validate(p), oneOf(p.Child("onConflict"), i.OnConflict, ConflictPolicyReplace, ConflictPolicyRetain)...)
}

func (k *TagKeys) validate(p *field.Path) field.ErrorList {
	if (k.Key == "") == (k.FromFieldPath == nil) {
		return field.ErrorList{field.Invalid(p, "", "must have exactly one of key and fromFieldPath")}
	}

	errs := validatePath(p.Child("fromFieldPath"), k.FromFieldPath)

	if k.ContextKey != nil && k.FromFieldPath == nil {
		errs = append(errs, field.Forbidden(p.Child("contextKey"), "only a fromFieldPath is below it"))
	}

	if k.ContextKey != nil && *k.ContextKey == "" {
		errs = append(errs, field.Required(p.Child("contextKey"), "must not be empty"))
	}

	if k.Key != "" {
		if err := ValidateKeyPattern(k.Key); err != "" {
			errs = append(errs, field.Invalid(p.Child("key"), k.Key, err))
		}
	}

	return errs
}

func (r *MetadataRule) validate(p *field.Path) field.ErrorList {
	errs := r.Source.validate(p.Child("source"))
	errs = append(errs, r.Select.validate(p.Child("select"))...)
	errs = append(errs, notEmptyList(p.Child("resources"), r.Resources)...)

	for i := range r.Resources {
		errs = append(errs, r.Resources[i].validate(p.Child("resources").Index(i))...)
	}

	errs = append(errs, r.validateNames(p)...)

	// What needs paths is only known if it is known what is copied.
	if invalid := r.validateCopy(p.Child("copy")); len(invalid) > 0 {
		return append(errs, invalid...)
	}

	to := p.Child("toFieldPaths")
	if r.ToFieldPaths.Labels == nil && r.ToFieldPaths.Annotations == nil {
		return append(errs, field.Required(to, "at least one of labels and annotations"))
	}

	errs = append(errs, validateTo(to.Child("labels"), r.ToFieldPaths.Labels, r.Copies(MetadataKindLabels))...)

	return append(errs, validateTo(to.Child("annotations"), r.ToFieldPaths.Annotations, r.Copies(MetadataKindAnnotations))...)
}

// validateNames of resources, which say which of several sources each is copied from.
func (r *MetadataRule) validateNames(p *field.Path) field.ErrorList {
	name := r.Source.Name

	switch strings.Count(name, "*") {
	case 0:
		return nil
	case 1:
	default:
		return field.ErrorList{field.Invalid(p.Child("source", "name"), name, "must have at most one *")}
	}

	if len(r.Resources) == 0 {
		return field.ErrorList{field.Required(p.Child("resources"), "a source name with a * needs resources, each with a name that has one, too")}
	}

	errs := field.ErrorList{}

	for i := range r.Resources {
		if to := r.Resources[i].Name; strings.Count(to, "*") != 1 {
			errs = append(errs, field.Invalid(p.Child("resources").Index(i).Child("name"), to, "must have one *, as the name of the source has"))
		}
	}

	return errs
}

func (r *MetadataRule) validateCopy(p *field.Path) field.ErrorList {
	errs := notEmptyList(p, r.Copy)

	for i, k := range r.Copy {
		errs = append(errs, oneOf(p.Index(i), k, MetadataKindAnnotations, MetadataKindLabels)...)

		if slices.Contains(r.Copy[:i], k) {
			errs = append(errs, field.Duplicate(p.Index(i), k))
		}
	}

	return errs
}

// validateTo validates the paths to which a kind of metadata is copied, if it is.
func validateTo(p *field.Path, paths []string, copied bool) field.ErrorList {
	if copied != (paths != nil) {
		return field.ErrorList{field.Invalid(p, "", "toFieldPaths must have paths for all that is copied, and for nothing else")}
	}

	errs := notEmptyList(p, paths)

	for i, path := range paths {
		if err := structpath.ValidateWildcards(path); err != nil {
			errs = append(errs, field.Invalid(p.Index(i), path, err.Error()))
		}
	}

	return errs
}

func (s *MetadataSource) validate(p *field.Path) field.ErrorList {
	errs := oneOf(p.Child("type"), s.Type, MetadataSourceTypeComposedResource, MetadataSourceTypeCompositeMetadata, MetadataSourceTypeRequiredResource)

	for _, f := range []struct {
		name string
		set  bool
		of   MetadataSourceType
	}{
		{"name", s.Name != "", MetadataSourceTypeComposedResource},
		{"resource", s.Resource != nil, MetadataSourceTypeRequiredResource},
	} {
		switch {
		case f.set && s.Type != f.of:
			errs = append(errs, field.Forbidden(p.Child(f.name), fmt.Sprintf("only a source of type %s has it", f.of)))
		case !f.set && s.Type == f.of:
			errs = append(errs, field.Required(p.Child(f.name), fmt.Sprintf("a source of type %s copies from it", f.of)))
		}
	}

	if s.Resource != nil {
		errs = append(errs, s.Resource.validate(p.Child("resource"), false)...)
	}

	if s.Policy != nil {
		errs = append(errs, oneOf(p.Child("policy", "fromFieldPath"), s.Policy.FromFieldPath, FromFieldPathPolicyOptional, FromFieldPathPolicyRequired)...)

		if s.Type != MetadataSourceTypeRequiredResource {
			errs = append(errs, field.Forbidden(p.Child("policy"), "only a source of type RequiredResource has it"))
		}
	}

	errs = append(errs, validatePath(p.Child("labelsFieldPath"), &s.LabelsFieldPath)...)

	return append(errs, validatePath(p.Child("annotationsFieldPath"), &s.AnnotationsFieldPath)...)
}

func (s *MetadataSelector) validate(p *field.Path) field.ErrorList {
	if s.Prefixes == nil && s.Domains == nil && !s.All {
		return field.ErrorList{field.Required(p, "at least one of prefixes, domains and all")}
	}

	return append(notEmptyStrings(p.Child("prefixes"), s.Prefixes), notEmptyStrings(p.Child("domains"), s.Domains)...)
}

func notEmptyStrings(p *field.Path, list []string) field.ErrorList {
	errs := notEmptyList(p, list)

	for i, s := range list {
		if s == "" {
			errs = append(errs, field.Required(p.Index(i), "must not be empty"))
		}
	}

	return errs
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

	if f.Provider != "" {
		errs = append(errs, oneOf(p.Child("provider"), f.Provider, tags.ProfileNames()...)...)
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

// validateStatusPath of what is to be the function's own below status.
func validateStatusPath(p *field.Path, path *string) field.ErrorList {
	if path == nil {
		return nil
	}

	if errs := validatePath(p, path); len(errs) > 0 {
		return errs
	}

	if !strings.HasPrefix(*path, "status.") {
		return field.ErrorList{field.Invalid(p, *path, "must be below status")}
	}

	if rest, ok := strings.CutPrefix(*path, "status.conditions"); ok && (rest == "" || rest[0] == '.' || rest[0] == '[') {
		return field.ErrorList{field.Invalid(p, *path, "must not be status.conditions or below it")}
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
