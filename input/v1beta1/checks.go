package v1beta1

import (
	"cmp"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"time"

	"google.golang.org/protobuf/types/known/structpb"
	"k8s.io/apimachinery/pkg/api/validate/content"
	apischema "k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/crossplane/function-sdk-go/errors"

	"github.com/plexsphere/function-cloud-tags/tags/expression"
	"github.com/plexsphere/function-cloud-tags/tags/object"
	"github.com/plexsphere/function-cloud-tags/tags/profile"
)

// self is a value of the input, as checks read it.
type self struct{ *structpb.Value }

// has reports whether there is a field at path.
func (s self) has(path ...string) bool { return s.at(path...) != nil }

// at returns the field at path, or nil if there is none.
func (s self) at(path ...string) *structpb.Value {
	v := s.Value
	for _, name := range path {
		v = v.GetStructValue().GetFields()[name]
	}

	return v
}

// text returns the string in the field name, or an empty one.
func (s self) text(name string) string { return s.at(name).GetStringValue() }

// patterns says in words what each pattern of the CRD asks for.
var patterns = map[string]string{
	`^[^*]*\*?$`:      "a * may only be the last character",
	`^[^*]*\*?[^*]*$`: "must have at most one *",
	`^[^\\]*$`:        "must not have a backslash",
	`^[^*]*$`:         "must not have a *",
	`^[^!]`:           "must not begin with !: what an entry doesn't select is in its except, such as except: [{kind: Bucket}]",

	// A version has no dots, so that a * before one can't stand for the slash.
	`^(v1|[-a-z0-9.*]+/[-a-z0-9*]+|[-a-z0-9.*]*[*][-a-z0-9*]*)$`: "matches no apiVersion: must be an API group, a / and a version, e.g. s3.aws.m.upbound.io/v1beta1 or s3.aws.m.upbound.io/*, or v1",

	`^[a-z0-9]([-a-z0-9.]*[a-z0-9])?$`: "must have lower case letters, digits, - and . only, and a letter or digit at both ends",
	`^[a-z0-9]([-a-z0-9]*[a-z0-9])?$`:  "must have lower case letters, digits and - only, and a letter or digit at both ends",
}

// formats checks strings by the formats that the CRD names.
var formats = map[string]func(text string) error{
	"date-time": func(text string) error {
		_, err := time.Parse(time.RFC3339, text)
		return err
	},
	"field-path":  func(text string) error { return path(text, object.ParsePath) },
	"field-paths": func(text string) error { return path(text, object.ParsePaths) },
	"regular-expression": func(text string) error {
		_, err := expression.ParseRegexp(text)
		return err
	},
	// No label's key starts with an exclamation mark. People write one to leave labels out.
	"label-pattern": func(text string) error {
		if strings.HasPrefix(text, "!") {
			return errors.New("matches no key: except says which labels are left out")
		}

		return nil
	},
}

// path returns an error if text is no field path. In other languages paths start with $, which is no
// field's name.
func path(text string, parse func(string) (object.Path, error)) error {
	if rest, ok := strings.CutPrefix(text, "$"); ok && (rest == "" || rest[0] == '.' || rest[0] == '[') {
		return errors.Errorf("field path %q must not start with $, which stands for the object elsewhere: write %s", text, cmp.Or(strings.TrimPrefix(rest, "."), "spec.labels, for example"))
	}

	_, err := parse(text)

	return err
}

// ValidateLabelPattern returns what is wrong with a pattern of qualified label keys, or an empty
// string.
func ValidateLabelPattern(pattern string) string {
	return loadSchema().Properties["sources"].Items.Properties["include"].Properties["keys"].Items.refuses(pattern)
}

// ValidateKeyPattern returns what is wrong with a pattern of tag keys, or an empty string. Such a pattern is a key, or the beginning of
// keys and a *, as in TagKeys.
func ValidateKeyPattern(pattern string) string {
	return loadSchema().Properties["removeTags"].Items.Properties["key"].refuses(pattern)
}

// refine adds to the schema of the CRD what markers can't say, or would say twice: the apiVersion and
// kind, the names of tag profiles, and checks that are too slow for an API server, by its estimate.
func refine(root *schema) {
	root.Required = append(root.Required, "apiVersion", "kind")
	root.Properties["apiVersion"].Enum = []string{APIVersion}
	root.Properties["kind"].Enum = []string{Kind}

	tagField := root.Properties["tagFields"].Items
	slots := root.Properties["reservedTags"]
	slots.Properties = make(map[string]*schema)

	for _, profile := range profile.Names() {
		slots.Properties[profile] = slots.AdditionalProperties
	}

	slots.AdditionalProperties = nil
	for _, list := range []string{"keyFormats", "valueFormats"} {
		root.Properties[list].Items.Properties["provider"].Enum = profile.Names()
	}

	tagField.Properties["provider"].Enum = append(profile.Names(), profile.SecondSystems()...)

	root.whole = []check{expressions, ownContextKey, legalFormats}
	for _, list := range []string{"sources", "removeTags", "ignoreTags"} {
		root.Properties[list].Items.Properties["contextKey"].checks = []check{readContextKey}
	}

	root.Properties["sources"].Items.Properties["include"].Properties["contextKey"].checks = []check{readContextKey}

	for _, s := range []*schema{root.Properties["sources"].Items, root.Properties["kubernetesMetadata"].Items.Properties["source"]} {
		s.Properties["resource"].checks = []check{oneGroup}
		s.Properties["resource"].Properties["matchLabels"].checks = []check{oneMap}
	}

	root.Properties["sources"].whole = []check{differentNames}
	root.Properties["sources"].Items.checks = []check{usefulHop, listAtPath}
	root.Properties["sources"].Items.Properties["keyValueList"].checks = []check{differentFields}
	tagField.checks = []check{taggableField}
	root.Properties["provider"].checks = []check{firstSystem}
	tagField.Properties["keyValueList"].checks = []check{differentFields}
	tagField.Properties["joined"].checks = []check{differentSeparators}
	root.Properties["kubernetesMetadata"].Items.checks = []check{matchingNames, pairedItems, computedCopies}
}

// firstSystem refuses the name of a second tag system as the provider of the whole step.
func firstSystem(a *admission, p *field.Path, provider self) {
	if name := provider.text("value"); profile.IsSecondSystem(name) {
		a.note(field.Invalid(p.Child("value"), name, "is a second tag system of a cloud, which not all kinds have: name it as provider of an entry of tagFields, without fieldPath and shape"))
	}
}

// differentNames refuses two classes of one name: a class is recorded under the name of its source. It also
// refuses a source that has the name of one of the standard, which comes first.
func differentNames(a *admission, p *field.Path, sources self) {
	classes, inStandard := make(map[string]bool), make(map[string]string)

	for i, v := range sources.GetListValue().GetValues() {
		s, at := self{v}, p.Index(i)
		name, isClass, ofStandard := s.text("name"), s.text("pick") == string(PickOne), a.origins.IsStandard(at.String())

		switch {
		case !ofStandard && name != "" && inStandard[name] != "":
			a.note(field.Invalid(at.Child("name"), name, fmt.Sprintf("is the name of %s: must be another name", inStandard[name])))
		case isClass && classes[name]:
			a.note(field.Duplicate(at.Child("name"), name))
		}

		classes[name] = classes[name] || isClass
		if ofStandard {
			inStandard[name] = a.origins.where(at.String())
		}
	}
}

// oneGroup refuses one kind in two API groups beside kindFieldPath, since its field names the kind alone.
func oneGroup(a *admission, p *field.Path, resource self) {
	if !resource.has("kindFieldPath") {
		return
	}

	kinds := make(map[string]apischema.GroupVersionKind)

	for i, v := range resource.at("kinds").GetListValue().GetValues() {
		k := apischema.FromAPIVersionAndKind((self{v}).text("apiVersion"), (self{v}).text("kind"))

		other, ok := kinds[k.Kind]
		if ok && other.Group != k.Group {
			a.note(field.Invalid(p.Child("kinds").Index(i).Child("kind"), k.Kind, fmt.Sprintf("is a kind of %s, too, and the field at kindFieldPath names no API group: leave out one of them, or kindFieldPath", other.GroupVersion())))
		}

		kinds[k.Kind] = k
	}
}

// oneMap refuses labels that are given in several ways, or in none.
func oneMap(a *admission, p *field.Path, labels self) {
	ways := 0
	for _, has := range []bool{labels.has("value") && !labels.has("fromFieldPath"), labels.has("fromFieldPath"), labels.has("expression"), labels.at("all").GetBoolValue()} {
		if has {
			ways++
		}
	}

	if ways != 1 {
		a.refuse(p, "must have exactly one of value, fromFieldPath, expression and all, but that fromFieldPath may be beside value")
	}

	if labels.has("empty") && (!labels.has("fromFieldPath") || labels.has("value")) {
		a.note(field.Forbidden(p.Child("empty"), "only the labels of a fromFieldPath alone can be empty"))
	}
}

// usefulHop refuses a source of objects without labels that no other source can read, or that has labels to include.
func usefulHop(a *admission, p *field.Path, s self) {
	if s.text("type") != string(SourceTypeRequiredResource) || s.has("prefix") || s.has("fromFieldPath") {
		return
	}

	const hop = "a source without prefix and fromFieldPath gives no labels"

	if s.text("name") == "" {
		a.note(field.Required(p.Child("name"), hop+", and others find its object by its name"))
	}

	for _, name := range []string{"include", "resources"} {
		if s.has(name) {
			a.note(field.Forbidden(p.Child(name), hop))
		}
	}
}

// listAtPath refuses to read a list where there is none.
func listAtPath(a *admission, p *field.Path, s self) {
	if s.has("keyValueList") && !s.has("fromFieldPath") {
		a.note(field.Forbidden(p.Child("keyValueList"), "is for a fromFieldPath only: the list is there"))
	}
}

// differentFields refuses a list that has two of key, value and extra in one field of an entry.
func differentFields(a *admission, p *field.Path, list self) {
	if list.text("key") == list.text("value") {
		a.note(field.Invalid(p.Child("value"), list.text("value"), "must differ from key"))
	}

	for _, name := range []string{"key", "value"} {
		if list.has("extra", list.text(name)) {
			a.note(field.Forbidden(p.Child("extra", list.text(name)), "the tag is written there"))
		}
	}
}

// differentSeparators refuses a delimiter that is part of the separator, and the other way round: nobody
// could tell where a key or a value ends.
func differentSeparators(a *admission, p *field.Path, joined self) {
	separator, delimiter := joined.text("separator"), joined.text("delimiter")
	if strings.Contains(separator, delimiter) || strings.Contains(delimiter, separator) {
		a.note(field.Invalid(p.Child("delimiter"), delimiter, fmt.Sprintf("neither this nor the separator %q may contain the other", separator)))
	}
}

// ofMetadata says where tags can be below metadata. All other fields there identify the object, or belong
// to Kubernetes or Crossplane.
const ofMetadata = "below metadata, tags can be in labels or annotations (shape Map or Labels), or in one label or annotation (shape Joined), " +
	"e.g. metadata.annotations[example.org/tags]"

// taggableField refuses to write tags to fields that identify an object.
func taggableField(a *admission, p *field.Path, tagField self) {
	path, err := object.ParsePath(tagField.text("fieldPath"))
	if err != nil {
		return // The field is absent, or has been refused.
	}

	segments := path.Segments()
	p = p.Child("fieldPath")

	switch segments[0].Field {
	case "apiVersion", "kind":
		a.note(field.Invalid(p, path.String(), "says what the object is, and can't hold tags: use a field of spec, for example"))
	case "metadata":
		if why := metadataField(segments[1:], tagField); why != "" {
			a.note(field.Invalid(p, path.String(), why))
		}
	}
}

// metadataField returns why segments, a path below metadata, can't hold tags, or an empty string.
func metadataField(segments object.Segments, tagField self) string {
	switch shape := tagField.text("shape"); {
	case len(segments) == 0 || segments[0].Field != "labels" && segments[0].Field != "annotations":
		return ofMetadata
	case len(segments) == 1 && slices.Contains([]string{"Map", "Labels", ""}, shape):
		return ""
	case len(segments) != 2 || shape != "Joined" && shape != "" || segments[1].IsIndex:
		return ofMetadata
	case object.IsPrivate(segments[1].Field):
		return "belongs to Crossplane, kubectl or this function, and can't hold tags"
	default:
		// The API server compares keys of annotations in lower case.
		return strings.Join(content.IsLabelKey(strings.ToLower(segments[1].Field)), "; ")
	}
}

// matchingNames refuses a rule that copies from several composed resources, but doesn't pair them with
// other resources by a *.
func matchingNames(a *admission, p *field.Path, rule self) {
	if !strings.Contains(rule.at("source", "name").GetStringValue(), "*") {
		return
	}

	if !rule.has("resources") {
		a.note(field.Required(p.Child("resources"), "a source name with a * needs resources, each with a name that has one, too"))
	}

	for i, v := range rule.at("resources").GetListValue().GetValues() {
		if name := (self{v}).text("name"); strings.Count(name, "*") != 1 {
			a.note(field.Invalid(p.Child("resources").Index(i).Child("name"), name, "must have one *, as the name of the source has"))
		}
	}
}

// pairedItems refuses a rule that reads items of lists and doesn't pair them by name, or can't.
func pairedItems(a *admission, p *field.Path, rule self) {
	paired := rule.has("source", "itemName")

	if paired && strings.Contains(rule.at("source", "name").GetStringValue(), "*") {
		a.note(field.Forbidden(p.Child("source", "itemName"), "a source name with a * pairs resources already"))
	}

	for _, kind := range []MetadataKind{MetadataKindLabels, MetadataKindAnnotations} {
		name := strings.ToLower(string(kind))
		from := cmp.Or(rule.at("source", name+"FieldPath").GetStringValue(), "metadata."+name)

		switch stars := wildcards(from); {
		case !paired && stars > 0:
			a.note(field.Invalid(p.Child("source", name+"FieldPath"), from, "a [*] needs itemName, the field by which items are paired"))
		case paired && stars != 1 && copies(rule, kind):
			a.note(field.Invalid(p.Child("source", name+"FieldPath"), from, "with itemName it must have one [*]: if no "+name+" are to be copied, say so in copy"))
		}

		for i, to := range rule.at("toFieldPaths", name).GetListValue().GetValues() {
			if paired && wildcards(to.GetStringValue()) > 1 {
				a.note(field.Invalid(p.Child("toFieldPaths", name).Index(i), to.GetStringValue(), "with itemName it must have at most one [*]"))
			}
		}
	}
}

// computedCopies refuses a rule that copies labels or annotations without an expression for them. It also refuses an expression whose
// value isn't copied.
func computedCopies(a *admission, p *field.Path, rule self) {
	if rule.at("source", "type").GetStringValue() != string(MetadataSourceTypeExpression) {
		return
	}

	for _, kind := range []MetadataKind{MetadataKindLabels, MetadataKindAnnotations} {
		name := strings.ToLower(string(kind))

		switch computes := rule.has("source", name); {
		case computes && !copies(rule, kind):
			a.note(field.Forbidden(p.Child("source", name), "copy or toFieldPaths leaves out "+name))
		case !computes && copies(rule, kind) && (rule.has("copy") || rule.has("toFieldPaths")):
			a.note(field.Required(p.Child("source", name), "copy or toFieldPaths names "+name))
		}
	}
}

// wildcards returns how many [*] the path has.
func wildcards(text string) (n int) {
	path, err := object.ParsePaths(text)
	for err == nil && path.HasWildcard() {
		_, path = path.Split()
		n++
	}

	return n
}

// copies reports whether a rule of kubernetesMetadata copies labels or annotations.
func copies(rule self, kind MetadataKind) bool {
	if kinds := rule.at("copy").GetListValue().GetValues(); kinds != nil {
		return slices.ContainsFunc(kinds, func(v *structpb.Value) bool { return v.GetStringValue() == string(kind) })
	}

	return !rule.has("toFieldPaths") || rule.has("toFieldPaths", strings.ToLower(string(kind)))
}

// ofCrossplane matches the keys of the pipeline's context that belong to Crossplane.
var ofCrossplane = regexp.MustCompile(`^([^/]*[.])?crossplane[.]io(/|$)`)

// reads notes that the field at p reads key of the pipeline's context.
func (a *admission) reads(p *field.Path, key string) {
	if _, ok := a.contextKeys[key]; !ok {
		a.contextKeys[key] = a.origins.where(p.String())
	}
}

// readContextKey checks a field that names the key of the pipeline's context to read.
func readContextKey(a *admission, p *field.Path, key self) { a.reads(p, key.GetStringValue()) }

// ownContextKey refuses to write a key that the input reads, or that belongs to Crossplane. A step
// that wrote its own key to read would take labels from itself, and would replace the labels of
// another step there.
func ownContextKey(a *admission, p *field.Path, in self) {
	p, key := p.Child("toContextKey"), in.text("toContextKey")

	if by, ok := a.contextKeys[key]; ok {
		a.note(field.Invalid(p, key, fmt.Sprintf("is what %s reads: must be another key", by)))
	}

	if ofCrossplane.MatchString(key) {
		a.note(field.Invalid(p, key, "keys of crossplane.io are Crossplane's, e.g. that of the environment: must be another key"))
	}
}
