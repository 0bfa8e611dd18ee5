package v1beta1

import (
	"fmt"
	"maps"
	"slices"
	"time"

	"google.golang.org/protobuf/types/known/structpb"

	"github.com/plexsphere/function-cloud-tags/tags"
	"github.com/plexsphere/function-cloud-tags/tags/expression"
	"github.com/plexsphere/function-cloud-tags/tags/object"
	"github.com/plexsphere/function-cloud-tags/tags/profile"
	"github.com/plexsphere/function-cloud-tags/tags/words"
)

// The apiVersion and kind of the input.
const (
	APIVersion = "cloudtags.fn.plexsphere.com/v1beta1"
	Kind       = "CloudTags"
)

// StepsContextKey is the key of the pipeline's context at which steps of this
// function tell later steps about their labels. Nobody else may use it.
const StepsContextKey = "cloudtags.fn.plexsphere.com/steps"

// CloudTags tells the function which labels to turn into cloud tags, and where to
// write them. Package crd adds what the CRD needs besides.
type CloudTags struct {
	// Extends names an object that holds a standard: an input below this one. Fields of this
	// input replace the standard's, resources too. Some lists of both are joined. In sources,
	// kubernetesMetadata, keyFormats and valueFormats, the standard's items come first. In tagFields,
	// removeTags and ignoreTags, this input's items come first. reservedKeys and the rules of
	// tagPolicy are joined, too. A format of this input replaces the standard's format for the same
	// provider. If either says so, the enforcement of tagPolicy is Error, and limitPolicy is
	// ApplyStrict. All sources have different names.
	//
	// +optional
	Extends *Extends `json:"extends,omitempty"`

	// Origins say where settings are from. Without a standard there are none.
	Origins *Origins `json:"-"`

	// Provider whose tag profile is applied: the name of a profile, e.g. aws, ignoring
	// case. Any other name gets the generic profile. By default each resource
	// gets the profile of its API group's provider, or else the
	// generic one. A provider that is read from the composite resource applies to
	// resources of unknown providers only. A field that is absent or empty counts as
	// not given.
	//
	// +optional
	Provider *StringSource `json:"provider,omitempty"`

	// KeyPrefix that the key of each tag starts with. It may be empty.
	//
	// +optional
	// +kubebuilder:default="plexsphere:"
	KeyPrefix string `json:"keyPrefix"`

	// KeyFormats make keys legal for providers. An entry replaces the provider's
	// built-in format.
	//
	// +optional
	// +listType=map
	// +listMapKey=provider
	KeyFormats []KeyFormat `json:"keyFormats,omitempty"`

	// ValueFormats make values legal for providers. None is built in.
	//
	// +optional
	// +listType=map
	// +listMapKey=provider
	ValueFormats []ValueFormat `json:"valueFormats,omitempty"`

	// Sources of labels. On the same tag key, a later source overrides an earlier
	// one. All together may have 1,000 labels.
	//
	// +optional
	// +kubebuilder:validation:MinItems=1
	Sources []Source `json:"sources,omitempty"`

	// ReservedKeys are keys that only trusted sources may set. Each is a key, or
	// the beginning of keys and a *, e.g. workspace or entigo:*. It matches the
	// qualified key of a label as well as the key of its tag, ignoring case.
	// A tag with a reserved key that an earlier step has set is removed, unless a
	// trusted source sets the key.
	//
	// +optional
	// +kubebuilder:validation:items:MinLength=1
	// +kubebuilder:validation:items:Pattern=`^[^*]*\*?$`
	ReservedKeys []string `json:"reservedKeys,omitempty"`

	// ReservedTags is how many tag slots of each resource are left free, by tag
	// profile: for the tags that another system adds.
	//
	// +optional
	ReservedTags map[string]TagCount `json:"reservedTags,omitempty"`

	// ProviderTags says whether tag slots are left free for the providers' own tags:
	// crossplane-kind, crossplane-name and crossplane-providerconfig. Reserve leaves
	// them free on the kinds whose providers add them. None is for providers that run
	// with --skip-default-tags.
	//
	// +optional
	// +kubebuilder:default=Reserve
	ProviderTags ProviderTags `json:"providerTags,omitempty"`

	// LaunchedResources says whether tags also go to what a resource launches: the
	// volumes of an instance, the instances of a template, the nodes of a cluster.
	// Tag also stamps the fields for these, if a change of the field takes effect in
	// place or with the next launch. Leave leaves these fields alone.
	//
	// +optional
	// +kubebuilder:default=Leave
	LaunchedResources LaunchedResources `json:"launchedResources,omitempty"`

	// LimitPolicy says what happens if a resource has too few tag slots for its labels:
	// ApplyPartial skips the labels that have none, ApplyStrict fails and tags nothing.
	//
	// +optional
	// +kubebuilder:default=ApplyPartial
	LimitPolicy LimitPolicy `json:"limitPolicy,omitempty"`

	// Resources whose tags are managed, if any entry selects them. By default all
	// composed resources are.
	//
	// +optional
	// +kubebuilder:validation:MinItems=1
	Resources []ResourceSelector `json:"resources,omitempty"`

	// TagFields say where the tags of a kind of resource go. The first entry that
	// matches a resource wins, over everything that is built in.
	//
	// +optional
	TagFields []TagField `json:"tagFields,omitempty"`

	// RemoveTags are tags that are removed from resources, whoever has set them.
	//
	// +optional
	// +kubebuilder:validation:MinItems=1
	RemoveTags []RemoveTag `json:"removeTags,omitempty"`

	// IgnoreTags are tags that other systems own. They keep the value that the
	// cloud has, if the provider reports it.
	//
	// +optional
	// +kubebuilder:validation:MinItems=1
	IgnoreTags []IgnoreTag `json:"ignoreTags,omitempty"`

	// TagPolicy says which tags resources must have in the end, whoever has set them.
	//
	// +optional
	TagPolicy *TagPolicy `json:"tagPolicy,omitempty"`

	// Coverage says which tags an Operation counts, and where it reports them. It is for
	// Operations only, which write no tags.
	//
	// +optional
	Coverage *Coverage `json:"coverage,omitempty"`

	// KubernetesMetadata has entries that copy Kubernetes labels and annotations to
	// composed resources. On the same key, a later entry overrides an earlier one.
	//
	// +optional
	// +kubebuilder:validation:MinItems=1
	KubernetesMetadata []MetadataCopy `json:"kubernetesMetadata,omitempty"`

	// ToContextKey is the key of the pipeline's context under which the function
	// writes its result for later steps: labels, a map of qualified key to value, and
	// classes, a map of source name to the object that was picked. The input may not
	// read the same key. Keys of crossplane.io are refused: the environment is one.
	//
	// +optional
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:XValidation:rule="self != 'cloudtags.fn.plexsphere.com/steps'",message="must be another key: steps of this function keep their verdicts there"
	ToContextKey string `json:"toContextKey,omitempty"`

	// StatusFieldPath is the path of an object in the status of the composite
	// resource, e.g. status.cloudTags, that the function fills in: the tag keys in
	// use by provider, the tags of each resource, and the classes picked. The XRD
	// must declare it.
	//
	// +optional
	// +kubebuilder:validation:Format=field-path
	// +kubebuilder:validation:XValidation:rule="self.startsWith('status.')",message="must be below status"
	// +kubebuilder:validation:XValidation:rule="self != 'status.conditions' && !self.startsWith('status.conditions.') && !self.startsWith('status.conditions[')",message="must not be status.conditions or below it"
	StatusFieldPath object.Path `json:"statusFieldPath,omitzero"`

	// ProfileRules say which rules tags obey. Contract has the same rules for all
	// resources of a provider, and admits some keys that the APIs of Hetzner Cloud and
	// OpenStack Compute refuse. Cloud has the rules of the clouds' own APIs. By default
	// tags obey the contract, and an event names the tags that a cloud's API refuses.
	// The condition names them, even if Contract is written out.
	//
	// +optional
	// +kubebuilder:validation:Enum=Contract;Cloud
	ProfileRules profile.Rules `json:"profileRules,omitempty"`

	// FieldDiscovery says when Crossplane is asked for the schema of a kind to
	// find its tag field: Auto for kinds that are not built in, Schema for every
	// kind that has no tagFields entry, Index never.
	//
	// +optional
	// +kubebuilder:default=Auto
	FieldDiscovery FieldDiscovery `json:"fieldDiscovery,omitempty"`

	// TTL is how long Crossplane may reuse the function's answer, e.g. 1m: not at all with 0, or at least one second.
	//
	// +optional
	// +kubebuilder:default="1m"
	// +kubebuilder:validation:XValidation:rule="duration(self) == duration('0s') || duration(self) >= duration('1s')",message="must be 0 or a duration of at least 1s, e.g. 1m30s"
	TTL Duration `json:"ttl"`
}

// Extends names the object that holds a standard. The right to change the object is a right over all
// inputs that name it, with their trusted sources and reserved keys.
type Extends struct {
	// APIVersion of the object.
	//
	// +kubebuilder:validation:MinLength=1
	APIVersion string `json:"apiVersion"`

	// Kind of the object.
	//
	// +kubebuilder:validation:MinLength=1
	Kind string `json:"kind"`

	// Name of the object. It never comes from the composite resource.
	//
	// +kubebuilder:validation:MinLength=1
	Name string `json:"name"`

	// Namespace of the object, if it has one. Crossplane before v2 can't fetch an object in a
	// namespace by name.
	//
	// +optional
	// +kubebuilder:validation:MinLength=1
	Namespace string `json:"namespace,omitempty"`

	// FromFieldPath is the path of the object's field that holds the standard: an input of this
	// kind without extends, as an object or as a string of YAML without anchors and aliases. It
	// has 256 KiB at most, as text or as the JSON of the object.
	//
	// +kubebuilder:validation:Format=field-path
	FromFieldPath object.Path `json:"fromFieldPath"`
}

// A TagCount is a number of tags.
//
// +kubebuilder:validation:Minimum=0
type TagCount int32

// A StringSource is a string, or a field of the composite resource that holds one.
//
// +kubebuilder:validation:MinProperties=1
// +kubebuilder:validation:MaxProperties=1
type StringSource struct {
	// Value is the string itself.
	//
	// +optional
	// +kubebuilder:validation:MinLength=1
	Value string `json:"value,omitempty"`

	// FromFieldPath is the path of a field of the composite resource that holds
	// the string.
	//
	// +optional
	// +kubebuilder:validation:Format=field-path
	FromFieldPath object.Path `json:"fromFieldPath,omitzero"`
}

// A StringSelector is a string, a field of the composite resource that holds one, or an
// expression that computes it.
type StringSelector struct {
	StringSource `json:",inline"`

	// Expression is the CEL expression of the string. It reads xr, the composite resource;
	// context, the pipeline's context; and required, the objects of sources of type
	// RequiredResource that come before, by the name of the source. An expression without
	// a value counts as an absent field.
	//
	// +optional
	Expression expression.Expression `json:"expression,omitzero"`
}

// A KeyFormat makes the keys of tags legal for a provider. Without any field but the
// provider, keys are not changed.
//
// +kubebuilder:validation:XValidation:rule=`!has(self.replace) || !("" in self.replace)`,message="cannot replace an empty string",fieldPath=".replace"
type KeyFormat struct {
	// Provider whose keys are formatted, by the name of its tag profile.
	//
	// +kubebuilder:validation:MinLength=1
	Provider string `json:"provider"`

	// Prefix that keys get instead of keyPrefix. Keys of form Tag get none.
	//
	// +optional
	// +kubebuilder:validation:MaxLength=64
	Prefix *string `json:"prefix,omitempty"`

	// Replace these strings in the whole key, in one pass. Where several match,
	// the longest is replaced. A replacement that is legal in no key is refused.
	// Strings and replacements have at most 64 characters.
	//
	// +optional
	// +kubebuilder:validation:MaxProperties=64
	Replace map[string]Replacement `json:"replace,omitempty"`

	// Lowercase turns keys into lower case, after replace.
	//
	// +optional
	Lowercase bool `json:"lowercase,omitempty"`
}

// A Replacement takes the place of a string in keys or values.
//
// +kubebuilder:validation:MaxLength=64
type Replacement string

// A ValueFormat makes the values of tags legal for a provider.
//
// +kubebuilder:validation:XValidation:rule=`!has(self.replace) || !("" in self.replace)`,message="cannot replace an empty string",fieldPath=".replace"
type ValueFormat struct {
	// Provider whose values are formatted, by the name of its tag profile.
	//
	// +kubebuilder:validation:MinLength=1
	Provider string `json:"provider"`

	// Replace these strings in the value, in one pass. Where several match, the
	// longest is replaced. A replacement that is legal in no value is refused.
	// Strings and replacements have at most 64 characters.
	//
	// +optional
	// +kubebuilder:validation:MaxProperties=64
	Replace map[string]Replacement `json:"replace,omitempty"`

	// Lowercase turns values into lower case, after replace.
	//
	// +optional
	Lowercase bool `json:"lowercase,omitempty"`
}

// LaunchedResources say whether what resources launch is tagged, too.
//
// +kubebuilder:validation:Enum=Leave;Tag
type LaunchedResources string

// Policies for the tags of what resources launch.
const (
	// LaunchedResourcesLeave leaves their tags alone.
	LaunchedResourcesLeave LaunchedResources = "Leave"

	// LaunchedResourcesTag gives these the tags of the resource that launches them.
	LaunchedResourcesTag LaunchedResources = "Tag"
)

// ProviderTags say whether the tags that providers add take tag slots.
//
// +kubebuilder:validation:Enum=Reserve;None
type ProviderTags string

// Policies for the tags that providers add.
const (
	// ProviderTagsReserve leaves tag slots free for them.
	ProviderTagsReserve ProviderTags = "Reserve"

	// ProviderTagsNone means that providers add none.
	ProviderTagsNone ProviderTags = "None"
)

// FieldDiscovery is when Crossplane is asked for schemas.
//
// +kubebuilder:validation:Enum=Auto;Schema;Index
type FieldDiscovery string

// Ways to discover tag fields.
const (
	// FieldDiscoveryAuto asks for the schemas of kinds that the index lacks. The index wins over schemas.
	FieldDiscoveryAuto FieldDiscovery = "Auto"

	// FieldDiscoverySchema asks for the schema of every kind of managed resource without a tagFields entry. The schema
	// wins over the index.
	FieldDiscoverySchema FieldDiscovery = "Schema"

	// FieldDiscoveryIndex asks for no schema.
	FieldDiscoveryIndex FieldDiscovery = "Index"
)

// A SourceType says where a source takes labels from.
//
// +kubebuilder:validation:Enum=Value;CompositeField;ContextField;CompositeMetadata;RequiredResource;ProviderConfig;Expression
type SourceType string

// Types of source.
const (
	// SourceTypeValue takes labels from the input.
	SourceTypeValue SourceType = "Value"

	// SourceTypeCompositeField takes labels from a map at a field path of the
	// composite resource.
	SourceTypeCompositeField SourceType = "CompositeField"

	// SourceTypeContextField takes labels from a map at a field path below a key
	// of the pipeline's context.
	SourceTypeContextField SourceType = "ContextField"

	// SourceTypeCompositeMetadata takes labels from the labels and annotations of
	// the composite resource that start with a prefix.
	SourceTypeCompositeMetadata SourceType = "CompositeMetadata"

	// SourceTypeRequiredResource takes labels from objects that Crossplane
	// fetches.
	SourceTypeRequiredResource SourceType = "RequiredResource"

	// SourceTypeProviderConfig takes labels from the provider config of each composed
	// resource: what the account's resources have by default.
	SourceTypeProviderConfig SourceType = "ProviderConfig"

	// SourceTypeExpression computes labels.
	SourceTypeExpression SourceType = "Expression"
)

// A Pick says how many of its objects a source takes labels from.
//
// +kubebuilder:validation:Enum=All;One
type Pick string

// Picks.
const (
	// PickAll merges the labels of all objects, later names over earlier ones.
	PickAll Pick = "All"

	// PickOne takes one object: the class of the composite resource.
	PickOne Pick = "One"
)

// An Encoding is how the values of a source are written.
//
// +kubebuilder:validation:Enum=Plain;JSON;Scalar
type Encoding string

// Encodings of values.
const (
	// EncodingPlain values are taken as they are.
	EncodingPlain Encoding = "Plain"

	// EncodingJSON values are JSON texts of a string, a number or a boolean.
	EncodingJSON Encoding = "JSON"

	// EncodingScalar values are strings, which are taken as they are, or numbers
	// and booleans, which are taken as their JSON text.
	EncodingScalar Encoding = "Scalar"
)

// A KeyForm is what the keys of a source are.
//
// +kubebuilder:validation:Enum=Qualified;Tag
type KeyForm string

// Forms of keys.
const (
	// KeyFormQualified keys are qualified label keys, which get the key prefix.
	KeyFormQualified KeyForm = "Qualified"

	// KeyFormTag keys are tag keys already, which get no prefix.
	KeyFormTag KeyForm = "Tag"
)

// A Source of labels.
//
// +kubebuilder:validation:XValidation:rule="(self.type == 'Value') == has(self.values)",message="is required by type Value, and forbidden elsewhere",fieldPath=".values"
// +kubebuilder:validation:XValidation:rule="self.type == 'RequiredResource' || self.type == 'ProviderConfig' || (self.type == 'CompositeField' || self.type == 'ContextField') == has(self.fromFieldPath)",message="is required by types CompositeField and ContextField, and forbidden by types Value, CompositeMetadata and Expression",fieldPath=".fromFieldPath"
// +kubebuilder:validation:XValidation:rule="(self.type == 'ContextField') == has(self.contextKey)",message="is required by type ContextField, and forbidden elsewhere",fieldPath=".contextKey"
// +kubebuilder:validation:XValidation:rule="self.type == 'RequiredResource' || self.type == 'ProviderConfig' || (self.type == 'CompositeMetadata') == has(self.prefix)",message="is required by type CompositeMetadata, and forbidden by types Value, CompositeField, ContextField and Expression",fieldPath=".prefix"
// +kubebuilder:validation:XValidation:rule="(self.type == 'RequiredResource') == has(self.resource)",message="is required by type RequiredResource, and forbidden elsewhere",fieldPath=".resource"
// +kubebuilder:validation:XValidation:rule="(self.type == 'Expression') == has(self.expressions)",message="is required by type Expression, and forbidden elsewhere",fieldPath=".expressions"
// +kubebuilder:validation:XValidation:rule="self.type == 'ProviderConfig' ? has(self.prefix) != has(self.fromFieldPath) : self.type != 'RequiredResource' || !has(self.prefix) || !has(self.fromFieldPath)",message="must have exactly one of prefix and fromFieldPath: only type RequiredResource may have neither"
// +kubebuilder:validation:XValidation:rule="self.type == 'ProviderConfig' ? has(self.names) || !has(self.trusted) || !self.trusted : !has(self.names)",message="is required by trusted sources of type ProviderConfig, whose reference the author of the composite resource may choose, and forbidden by other types",fieldPath=".names"
// +kubebuilder:validation:XValidation:rule="self.type == 'RequiredResource' || !has(self.pick)",message="is for type RequiredResource only: nothing else finds several objects",fieldPath=".pick"
// +kubebuilder:validation:XValidation:rule="!has(self.providerFieldPath) || has(self.pick) && self.pick == 'One'",message="only a class, which pick One picks, names a provider",fieldPath=".providerFieldPath"
// +kubebuilder:validation:XValidation:rule=`!has(self.pick) || self.pick != 'One' || has(self.name) && self.name != ""`,message="is required by pick One: a class is recorded under the name of its source",fieldPath=".name"
// +kubebuilder:validation:XValidation:rule="has(self.pick) && self.pick == 'One' || !has(self.resource) || !has(self.resource.kinds) && !has(self.resource.defaultMatchLabels) && !has(self.resource.unless) && (!has(self.resource.name) || !has(self.resource.matchLabels))",message="only pick One allows kinds, defaultMatchLabels, unless, and both name and matchLabels",fieldPath=".resource"
// +kubebuilder:validation:XValidation:rule="!has(self.policy) || has(self.resource) || self.type == 'ProviderConfig' || has(self.fromFieldPath) || has(self.expressions) || has(self.include) && (has(self.include.fromFieldPath) || has(self.include.expression))",message="the source reads nothing that could be absent",fieldPath=".policy"
type Source struct {
	// Type of source. Value takes labels from values. CompositeField takes them from the
	// map at fromFieldPath of the composite resource, and ContextField from the map at
	// fromFieldPath below contextKey of the pipeline's context. CompositeMetadata takes
	// them from the composite resource's labels and annotations that start with prefix.
	// RequiredResource takes them from objects that Crossplane fetches, and ProviderConfig
	// from the object in spec.providerConfigRef of each composed resource. Expression
	// computes them by expressions.
	Type SourceType `json:"type"`

	// Name of the source in messages, and of the class that it picks.
	//
	// +optional
	Name string `json:"name,omitempty"`

	// Values are labels: key to value. For type Value only.
	//
	// +optional
	Values map[string]string `json:"values,omitzero"`

	// Expressions are labels: key to the CEL expression of its value, a string, a
	// number or a boolean. They read xr, the composite resource; context, the pipeline's
	// context; required, the objects of sources of type RequiredResource by the name
	// of the source; and name, desired and observed, of each composed resource.
	// observed is empty before the resource exists. A key whose expression has no value
	// is no label. All sources together may have 256. For type Expression only.
	//
	// +optional
	// +kubebuilder:validation:MinProperties=1
	Expressions map[string]expression.Expression `json:"expressions,omitempty"`

	// FromFieldPath is the path of a map of strings, e.g. spec.labels: in the
	// composite resource, below the context's key, or in a required resource.
	//
	// +optional
	// +kubebuilder:validation:Format=field-path
	FromFieldPath object.Path `json:"fromFieldPath,omitzero"`

	// KeyValueList says that fromFieldPath is the path of a list of objects with a label
	// each, e.g. {key: env, value: prod}. The later of two equal keys wins.
	//
	// +optional
	KeyValueList *KeyValueFields `json:"keyValueList,omitempty"`

	// ContextKey is a key of the pipeline's context, e.g.
	// apiextensions.crossplane.io/environment. For type ContextField only.
	//
	// +optional
	// +kubebuilder:validation:MinLength=1
	ContextKey string `json:"contextKey,omitempty"`

	// Prefix of the labels and annotations that are taken. It is stripped. If a label
	// and an annotation have the same key, the annotation is taken. A source of type
	// RequiredResource with neither prefix nor fromFieldPath gives no labels: only
	// expressions of later sources read its object.
	//
	// +optional
	// +kubebuilder:validation:MinLength=1
	Prefix string `json:"prefix,omitempty"`

	// Resource that Crossplane fetches. For type RequiredResource only.
	//
	// +optional
	Resource *RequiredResource `json:"resource,omitempty"`

	// Pick says which of several objects are taken: All merges them, later names
	// over earlier ones. One takes one: the class of the composite resource, which
	// is the object with the resource's name, or else the one with the lowest name,
	// then namespace, among those that its matchLabels or else its defaultMatchLabels
	// match. A class that is recorded at statusFieldPath is kept while it matches.
	//
	// +optional
	Pick Pick `json:"pick,omitempty"`

	// Names of the provider configs that labels are taken from. By default all. A
	// trusted source trusts cluster-scoped ones only, since anybody may make one in a
	// namespace. For type ProviderConfig only.
	//
	// +optional
	// +kubebuilder:validation:MinItems=1
	// +kubebuilder:validation:items:MinLength=1
	Names []string `json:"names,omitempty"`

	// ProviderFieldPath is the path of a string in the class: the name of the
	// provider whose tag profile is applied, unless the input names one.
	//
	// +optional
	// +kubebuilder:validation:Format=field-path
	ProviderFieldPath object.Path `json:"providerFieldPath,omitzero"`

	// Trusted sources may set reservedKeys. Their value for such a key replaces the
	// value that an earlier step has set. Their labels take tag slots first. A trusted
	// source may be selected, and its include given, by expressions that read
	// xr.metadata.namespace and other trusted sources, and nothing else.
	//
	// +optional
	Trusted bool `json:"trusted,omitempty"`

	// Include narrows the source to some of its labels. By default it includes
	// all of them.
	//
	// +optional
	Include *Include `json:"include,omitempty"`

	// Resources that get the labels of the source, if any entry selects them. By
	// default all composed resources do.
	//
	// +optional
	// +kubebuilder:validation:MinItems=1
	Resources []ResourceSelector `json:"resources,omitempty"`

	// Encoding of the values: Plain takes them as they are, and they must be
	// strings. JSON decodes a JSON string, number or boolean to its bare text; a
	// number keeps its text. Scalar takes strings as they are, and numbers and
	// booleans as their JSON text. A null is no label in all of them.
	//
	// +optional
	// +kubebuilder:default=Plain
	Encoding Encoding `json:"encoding,omitempty"`

	// KeyForm of the keys: Qualified label keys get the key prefix, Tag keys are
	// tag keys already.
	//
	// +optional
	// +kubebuilder:default=Qualified
	KeyForm KeyForm `json:"keyForm,omitempty"`

	// OnConflict says what happens if an earlier step has set a tag of the same key:
	// Retain keeps the tag, Replace overwrites its value, Error fails.
	//
	// +optional
	// +kubebuilder:default=Retain
	// +kubebuilder:validation:Enum=Retain;Replace;Error
	OnConflict tags.Conflict `json:"onConflict,omitempty"`

	// Policy says what happens if the source finds nothing.
	//
	// +optional
	Policy *SourcePolicy `json:"policy,omitempty"`
}

// Include says which labels of a source are taken, by qualified key. A label is
// taken if any pattern matches its key: a key, or the beginning of keys and a *,
// e.g. platform/*.
//
// +kubebuilder:validation:XValidation:rule="has(self.keys) ? !has(self.fromFieldPath) && !has(self.expression) : !has(self.fromFieldPath) || !has(self.expression)",message="must have at most one of keys, fromFieldPath and expression"
// +kubebuilder:validation:XValidation:rule="!has(self.contextKey) || !has(self.source)",message="must have at most one of contextKey and source"
// +kubebuilder:validation:XValidation:rule="has(self.fromFieldPath) || !has(self.contextKey) && !has(self.source)",message="is required with contextKey or source: it says where the patterns are",fieldPath=".fromFieldPath"
// +kubebuilder:validation:MinProperties=1
type Include struct {
	// Keys are the patterns. By default all labels are taken.
	//
	// +optional
	// +kubebuilder:validation:items:MinLength=1
	// +kubebuilder:validation:items:Pattern=`^[^*]*\*?$`
	// +kubebuilder:validation:items:Format=label-pattern
	Keys []string `json:"keys,omitzero"`

	// Except are patterns of labels that are not taken, whatever else matches.
	//
	// +optional
	// +kubebuilder:validation:MinItems=1
	// +kubebuilder:validation:items:MinLength=1
	// +kubebuilder:validation:items:Pattern=`^[^*]*\*?$`
	// +kubebuilder:validation:items:Format=label-pattern
	Except []string `json:"except,omitempty"`

	// FromFieldPath is the path of the patterns in the composite resource, below
	// contextKey, or in the objects of source: one pattern, a list of patterns, or a map
	// of pattern to boolean, in which false is like except. A string may be such a list
	// or map in YAML without anchors and aliases, of 64 KiB at most, and the booleans may be
	// strings. The patterns of all objects count. If the field is absent, nothing is
	// included.
	//
	// +optional
	// +kubebuilder:validation:Format=field-path
	FromFieldPath object.Path `json:"fromFieldPath,omitzero"`

	// ContextKey of the pipeline's context that fromFieldPath is below.
	//
	// +optional
	// +kubebuilder:validation:MinLength=1
	ContextKey string `json:"contextKey,omitempty"`

	// Source is the name of a source of type RequiredResource that comes before this one,
	// and whose objects have fromFieldPath. A trusted source needs a trusted one here.
	// If it selects by labels, an object in a namespace counts only if resource.namespace
	// names the namespace.
	//
	// +optional
	// +kubebuilder:validation:MinLength=1
	Source string `json:"source,omitempty"`

	// Expression is the CEL expression of the patterns. It reads the same variables as the
	// expression of a name, and gives the same as the field at fromFieldPath. If it has no
	// value, nothing is included.
	//
	// +optional
	Expression expression.Expression `json:"expression,omitzero"`
}

// A FromFieldPathPolicy says whether a field must be there.
//
// +kubebuilder:validation:Enum=Optional;Required
type FromFieldPathPolicy string

// Policies for fields.
const (
	// FromFieldPathPolicyOptional takes an absent field for an empty one.
	FromFieldPathPolicyOptional FromFieldPathPolicy = "Optional"

	// FromFieldPathPolicyRequired fails the pipeline if the field is absent.
	FromFieldPathPolicyRequired FromFieldPathPolicy = "Required"
)

// A SourcePolicy says how a source reads.
type SourcePolicy struct {
	// FromFieldPath says what happens if the field or object of the source is
	// absent, or an expression has no value: Optional takes it for empty, Required
	// fails the pipeline. The default is Required for type RequiredResource, and
	// Optional for all others.
	//
	// +optional
	FromFieldPath FromFieldPathPolicy `json:"fromFieldPath,omitempty"`
}

// A RequiredResource says which objects Crossplane fetches.
//
// +kubebuilder:validation:XValidation:rule="has(self.kinds) ? !has(self.apiVersion) && !has(self.kind) : has(self.apiVersion) && has(self.kind) && !has(self.kindFieldPath)",message="must have either apiVersion and kind, or kinds, perhaps with kindFieldPath"
// +kubebuilder:validation:XValidation:rule="has(self.name) || has(self.matchLabels) || has(self.defaultMatchLabels)",message="must have one of name, matchLabels and defaultMatchLabels"
type RequiredResource struct {
	// APIVersion of the objects.
	//
	// +optional
	// +kubebuilder:validation:MinLength=1
	APIVersion string `json:"apiVersion,omitempty"`

	// Kind of the objects.
	//
	// +optional
	// +kubebuilder:validation:MinLength=1
	Kind string `json:"kind,omitempty"`

	// Kinds of the objects, if there are several. For pick One only.
	//
	// +optional
	// +kubebuilder:validation:MinItems=1
	Kinds []ResourceKind `json:"kinds,omitempty"`

	// KindFieldPath is the path of a field of the composite resource with one of kinds, e.g.
	// spec.classRef.kind. If the field is absent or empty, all kinds count. Beside this path,
	// no two of kinds may be one kind in two API groups.
	//
	// +optional
	// +kubebuilder:validation:Format=field-path
	KindFieldPath object.Path `json:"kindFieldPath,omitzero"`

	// Name of the object.
	//
	// +optional
	Name *StringSelector `json:"name,omitempty"`

	// MatchLabels that the objects have. An empty map matches nothing, unless empty is
	// Any. To match every object, set all.
	//
	// +optional
	MatchLabels *MapSource `json:"matchLabels,omitempty"`

	// DefaultMatchLabels that the objects have if the composite resource gives
	// neither a name nor labels. For pick One only.
	//
	// +optional
	// +kubebuilder:validation:MinProperties=1
	DefaultMatchLabels map[string]string `json:"defaultMatchLabels,omitzero"`

	// Unless the composite resource has this field, a class is picked. If the composite
	// resource has the field, no class is picked, and that is no failure. A class that is
	// recorded at statusFieldPath stays while it matches. For pick One only.
	//
	// +optional
	Unless *FieldSource `json:"unless,omitempty"`

	// Namespace of the objects, if they have one. A trusted source that selects objects
	// by labels must name their namespace, since anybody may make some in another one.
	//
	// +optional
	Namespace *StringSelector `json:"namespace,omitempty"`
}

// A FieldSource is a field of the composite resource.
type FieldSource struct {
	// FromFieldPath is the path of the field. A field that is null counts as absent.
	//
	// +kubebuilder:validation:Format=field-path
	FromFieldPath object.Path `json:"fromFieldPath"`
}

// Empty says what labels match if there are none.
//
// +kubebuilder:validation:Enum=Any
type Empty string

// EmptyAny matches every object.
const EmptyAny Empty = "Any"

// A ResourceKind is a kind of object.
type ResourceKind struct {
	// APIVersion of the kind.
	//
	// +kubebuilder:validation:MinLength=1
	APIVersion string `json:"apiVersion"`

	// Kind itself.
	//
	// +kubebuilder:validation:MinLength=1
	Kind string `json:"kind"`
}

// A MapSource is a map of labels, a field of the composite resource that holds one, an
// expression that computes one, or all, which matches every object.
type MapSource struct {
	// Value is the map itself. Beside fromFieldPath it is added to the field's map, and
	// wins where both have a key.
	//
	// +optional
	// +kubebuilder:validation:MinProperties=1
	Value map[string]string `json:"value,omitzero"`

	// FromFieldPath is the path of a field of the composite resource that holds
	// the map. Beside value it may be absent.
	//
	// +optional
	// +kubebuilder:validation:Format=field-path
	FromFieldPath object.Path `json:"fromFieldPath,omitzero"`

	// Expression is the CEL expression of the map. It reads the same variables as the
	// expression of a name. An expression without a value counts as an absent field, and so
	// does an empty map.
	//
	// +optional
	Expression expression.Expression `json:"expression,omitzero"`

	// Empty says what an empty map matches: Any matches every object of the kind, also if
	// the field is absent, unless there are defaultMatchLabels. By default an empty map
	// matches nothing. Only with fromFieldPath, and without value.
	//
	// +optional
	Empty Empty `json:"empty,omitempty"`

	// All objects of the kind, whatever labels they have.
	//
	// +optional
	All bool `json:"all,omitempty"`
}

// A Shape is how a field holds tags. Package field names the shapes.
//
// +kubebuilder:validation:Enum=Map;KeyValueList;StringList;Joined;Labels;None
type Shape string

// A TagField says where the tags of some kinds of resource go. Some kinds are not tagged by
// default, because changing their tags has side effects. To tag these in their built-in field,
// give neither fieldPath nor shape.
//
// +kubebuilder:validation:XValidation:rule="has(self.shape) || !has(self.fieldPath)",message="is required with a fieldPath: Joined, KeyValueList, Labels, Map or StringList",fieldPath=".shape"
// +kubebuilder:validation:XValidation:rule="!has(self.shape) || (self.shape == 'None') != has(self.fieldPath)",message="is forbidden with shape None, and required with every other shape: leave out both fieldPath and shape to use the built-in field",fieldPath=".fieldPath"
// +kubebuilder:validation:XValidation:rule="has(self.shape) && self.shape == 'KeyValueList' || !has(self.keyValueList)",message="is for shape KeyValueList only",fieldPath=".keyValueList"
// +kubebuilder:validation:XValidation:rule="has(self.shape) && self.shape == 'StringList' || !has(self.stringList)",message="is for shape StringList only",fieldPath=".stringList"
// +kubebuilder:validation:XValidation:rule="has(self.shape) && self.shape == 'Joined' || !has(self.joined)",message="is for shape Joined only",fieldPath=".joined"
// +kubebuilder:validation:XValidation:rule="!has(self.shape) || self.shape != 'Labels' || !has(self.provider)",message="is forbidden with shape Labels: labels are handed on as they are, and the Composition of the resource that gets them makes tags of them",fieldPath=".provider"
type TagField struct {
	// APIVersion of the kinds. A * matches any run of characters, e.g.
	// s3.aws.m.upbound.io/*.
	//
	// +kubebuilder:validation:Type=string
	// +kubebuilder:validation:Pattern=`^(v1|[-a-z0-9.*]+/[-a-z0-9*]+|[-a-z0-9.*]*[*][-a-z0-9*]*)$`
	APIVersion profile.Pattern `json:"apiVersion"`

	// Kind of the resources. A * matches any run of characters.
	Kind profile.Pattern `json:"kind"`

	// FieldPath of the field that holds the tags, e.g. spec.forProvider.tags. Below
	// metadata, tags can be in labels or annotations (shape Map or Labels). With the shape Joined,
	// they can be in one label or annotation, e.g. metadata.annotations[example.org/tags].
	//
	// +optional
	// +kubebuilder:validation:Format=field-path
	FieldPath object.Path `json:"fieldPath,omitzero"`

	// Shape of the field: Map, KeyValueList, StringList, Joined, or None for
	// resources that are not to be tagged. Labels is for composite resources that are
	// composed: the field is a map that gets the labels for their own Composition, under
	// their qualified keys, without prefix and formats. Labels with reserved keys are left
	// out. The onConflict of the source says whether a label that exists already stays.
	//
	// +optional
	Shape Shape `json:"shape,omitempty"`

	// KeyValueList says what the entries of a KeyValueList look like.
	//
	// +optional
	KeyValueList *KeyValueList `json:"keyValueList,omitempty"`

	// StringList says what the entries of a StringList look like.
	//
	// +optional
	StringList *StringList `json:"stringList,omitempty"`

	// Joined says what the string of shape Joined looks like.
	//
	// +optional
	Joined *Joined `json:"joined,omitempty"`

	// Provider whose tag profile is applied to the kinds, by the name of the profile.
	// By default it is the one of the input, or else the one that the kind's API
	// group belongs to. gcp-tags and oci-defined are the second tag systems of clouds:
	// an entry without fieldPath and shape that names one means its field of the kind.
	//
	// +optional
	// +kubebuilder:validation:MinLength=1
	Provider string `json:"provider,omitempty"`
}

// KeyValueFields are the fields of objects in a list, each of which is a key and a value.
type KeyValueFields struct {
	// Key is the name of the field that holds the key.
	//
	// +optional
	// +kubebuilder:default=key
	// +kubebuilder:validation:MinLength=1
	Key string `json:"key,omitempty"`

	// Value is the name of the field that holds the value.
	//
	// +optional
	// +kubebuilder:default=value
	// +kubebuilder:validation:MinLength=1
	Value string `json:"value,omitempty"`
}

// A KeyValueList is a list of objects that hold one tag each.
type KeyValueList struct {
	KeyValueFields `json:",inline"`

	// Extra fields of each entry that the function adds, e.g.
	// propagateAtLaunch: true.
	//
	// +optional
	// +kubebuilder:validation:Schemaless
	// +kubebuilder:validation:Type=object
	// +kubebuilder:pruning:PreserveUnknownFields
	Extra Extra `json:"extra,omitempty"`
}

// Extra fields by name. Their values are anything but null.
//
// +kubebuilder:object:generate=false
type Extra map[string]*structpb.Value

// DeepCopy returns the same fields. Values don't change, so that copies can share them.
func (e Extra) DeepCopy() Extra { return maps.Clone(e) }

// A StringList is a list of strings that hold one tag each.
type StringList struct {
	// Separator between the key and the value of a tag.
	//
	// +optional
	// +kubebuilder:default="="
	// +kubebuilder:validation:MinLength=1
	Separator string `json:"separator,omitempty"`

	// MaxLength is the most characters that an entry may have. A label whose entry
	// is longer is skipped. 0, the default, is no limit.
	//
	// +optional
	// +kubebuilder:validation:Minimum=0
	MaxLength int32 `json:"maxLength,omitempty"`
}

// A Joined is one string that holds all tags. A label is skipped if its key or value has the
// separator or the delimiter in it.
type Joined struct {
	// Separator between the key and the value of a tag.
	//
	// +optional
	// +kubebuilder:default="="
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=8
	// +kubebuilder:validation:Pattern=`^[^\\]*$`
	Separator string `json:"separator,omitempty"`

	// Delimiter between two tags.
	//
	// +optional
	// +kubebuilder:default=","
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=8
	// +kubebuilder:validation:Pattern=`^[^\\]*$`
	Delimiter string `json:"delimiter,omitempty"`
}

// A LimitPolicy says what happens if a resource has too few tag slots for its labels.
//
// +kubebuilder:validation:Enum=ApplyPartial;ApplyStrict
type LimitPolicy string

// Limit policies.
const (
	// LimitPolicyApplyPartial keeps the lowest keys, and skips the rest.
	LimitPolicyApplyPartial LimitPolicy = "ApplyPartial"

	// LimitPolicyApplyStrict fails the pipeline.
	LimitPolicyApplyStrict LimitPolicy = "ApplyStrict"
)

// A ResourceSelector selects composed resources that match all of its fields, but for
// those in except.
type ResourceSelector struct {
	ResourceMatch `json:",inline"`

	// Except are selectors of resources that this one doesn't select.
	//
	// +optional
	// +kubebuilder:validation:MinItems=1
	Except []ResourceMatch `json:"except,omitempty"`
}

// A ResourceMatch matches composed resources that match all of its fields.
//
// +kubebuilder:validation:MinProperties=1
type ResourceMatch struct {
	// Name of the composed resource in the pipeline. A * matches any run of
	// characters.
	//
	// +optional
	// +kubebuilder:validation:Type=string
	// +kubebuilder:validation:Pattern=`^[^!]`
	Name profile.Pattern `json:"name,omitzero"`

	// APIVersion of the resource. A * matches any run of characters, e.g. s3.*/*.
	//
	// +optional
	// +kubebuilder:validation:Type=string
	// +kubebuilder:validation:Pattern=`^(v1|[-a-z0-9.*]+/[-a-z0-9*]+|[-a-z0-9.*]*[*][-a-z0-9*]*)$`
	APIVersion profile.Pattern `json:"apiVersion,omitzero"`

	// Kind of the resource. A * matches any run of characters.
	//
	// +optional
	// +kubebuilder:validation:Type=string
	// +kubebuilder:validation:Pattern=`^[^!]`
	Kind profile.Pattern `json:"kind,omitzero"`

	// MatchLabels are Kubernetes labels that the desired resource has.
	//
	// +optional
	// +kubebuilder:validation:MinProperties=1
	MatchLabels map[string]string `json:"matchLabels,omitzero"`

	// MatchTags are cloud tags that earlier steps have set on the resource.
	//
	// +optional
	// +kubebuilder:validation:MinProperties=1
	MatchTags map[string]string `json:"matchTags,omitzero"`

	// MatchCloudTags are tags that the cloud has, by status.atProvider of the
	// observed resource. A resource without them isn't selected. No untrusted label
	// becomes a tag with one of these keys. Keys of trusted labels, and keys that
	// begin with keyPrefix, are ignored.
	//
	// +optional
	// +kubebuilder:validation:MinProperties=1
	MatchCloudTags map[string]string `json:"matchCloudTags,omitzero"`
}

// A PolicyEnforcement says what happens if a resource breaks a rule.
//
// +kubebuilder:validation:Enum=Warn;Error
type PolicyEnforcement string

// Enforcements of a policy.
const (
	// PolicyEnforcementWarn returns a warning, and changes nothing.
	PolicyEnforcementWarn PolicyEnforcement = "Warn"

	// PolicyEnforcementError fails the pipeline.
	PolicyEnforcementError PolicyEnforcement = "Error"
)

// A TagPolicy is rules on the tags that composed resources have in the end: tags of
// labels, of earlier steps, and of other systems that ignoreTags keeps.
type TagPolicy struct {
	// Enforcement says what happens if a resource breaks a rule: Warn returns a
	// warning, Error fails the pipeline, so that nothing is applied.
	//
	// +optional
	// +kubebuilder:default=Warn
	Enforcement PolicyEnforcement `json:"enforcement,omitempty"`

	// Rules of the policy. Each holds on its own. They may be left out beside extends.
	//
	// +optional
	// +kubebuilder:validation:MinItems=1
	Rules []TagRule `json:"rules,omitempty"`
}

// A TagRule is on one tag of resources that have a tag field.
//
// +kubebuilder:validation:XValidation:rule="!has(self.matches) || !has(self.values)",message="must not be beside values: write one regular expression, or patterns, or two rules",fieldPath=".matches"
type TagRule struct {
	// Key of the tag, or of the label that becomes it.
	//
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:Pattern=`^[^*]*$`
	Key string `json:"key"`

	// Required says whether resources must have the tag.
	//
	// +optional
	// +kubebuilder:default=true
	Required *bool `json:"required,omitempty"`

	// Values that the tag may have, which are case-sensitive. A * matches any run of
	// characters. By default the tag may have any value.
	//
	// +optional
	// +kubebuilder:validation:MinItems=1
	Values []profile.Pattern `json:"values,omitempty"`

	// Matches is a regular expression (RE2) that matches the whole value of the tag, e.g.
	// ^[0-9]{4}$. A rule has values or matches, not both.
	//
	// +optional
	// +kubebuilder:validation:Format=regular-expression
	Matches expression.Regexp `json:"matches,omitzero"`

	// Resources that the rule is for, if any entry selects them. By default it is for all
	// resources whose tags are managed.
	//
	// +optional
	// +kubebuilder:validation:MinItems=1
	Resources []ResourceSelector `json:"resources,omitempty"`
}

// Coverage counts the tags of the resources that an Operation requires. The totals are the
// Operation's output.
type Coverage struct {
	// Keys of tags that count, and that resources must have: keys of tags, or of the labels
	// that become them. By default the keys of the tag policy count, or else all keys that any
	// resource has.
	//
	// +optional
	// +listType=set
	// +kubebuilder:validation:MinItems=1
	// +kubebuilder:validation:MaxItems=32
	// +kubebuilder:validation:items:MinLength=1
	// +kubebuilder:validation:items:Pattern=`^[^*]*$`
	Keys []string `json:"keys,omitempty"`

	// ConfigMap that the report is written to, with lists of resources. By default there is
	// none.
	//
	// +optional
	ConfigMap *ConfigMap `json:"configMap,omitempty"`
}

// A ConfigMap gets the report of the Coverage, in the key coverage.yaml of its data. It is made if there is none, and its other keys stay.
type ConfigMap struct {
	// Name of the ConfigMap.
	//
	// +kubebuilder:validation:MaxLength=253
	// +kubebuilder:validation:Pattern=`^[a-z0-9]([-a-z0-9.]*[a-z0-9])?$`
	Name string `json:"name"`

	// Namespace of the ConfigMap.
	//
	// +kubebuilder:validation:MaxLength=63
	// +kubebuilder:validation:Pattern=`^[a-z0-9]([-a-z0-9]*[a-z0-9])?$`
	Namespace string `json:"namespace"`
}

// A RemoveTag says which tags are removed.
//
// +kubebuilder:validation:XValidation:rule="has(self.key) ? !has(self.fromFieldPath) && !has(self.contextKey) : has(self.fromFieldPath) && !has(self.value)",message="must have either key, perhaps with value, or fromFieldPath, perhaps with contextKey"
type RemoveTag struct {
	TagKeys `json:",inline"`

	// Value at which the tag is removed. By default it is removed whatever its
	// value is.
	//
	// +optional
	Value *string `json:"value,omitempty"`
}

// An IgnoreTag says which tags other systems own.
//
// +kubebuilder:validation:XValidation:rule="has(self.key) ? !has(self.fromFieldPath) && !has(self.contextKey) : has(self.fromFieldPath)",message="must have either key, or fromFieldPath, perhaps with contextKey"
type IgnoreTag struct {
	TagKeys `json:",inline"`

	// OnConflict says what happens if a label or an earlier step gives the tag another
	// value than the cloud has: Replace writes the cloud's value, Retain keeps the
	// other one.
	//
	// +optional
	// +kubebuilder:default=Replace
	// +kubebuilder:validation:Enum=Replace;Retain
	OnConflict tags.Conflict `json:"onConflict,omitempty"`
}

// TagKeys are tag keys: one, the beginning of some and a *, or a list of these.
type TagKeys struct {
	// Key of the tags, before or after the key format: a key, or the beginning of keys
	// and a *, e.g. aws-backup:*. In a list of strings, a string without a separator
	// counts as a key.
	//
	// +optional
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:Pattern=`^[^*]*\*?$`
	Key string `json:"key,omitempty"`

	// FromFieldPath is the path of a list of keys, in the composite resource or
	// below contextKey. An absent field is an empty list. For removeTags it may also be
	// a map of keys and the values at which they are removed. Keys from a field affect
	// neither tags with reserved keys nor tags of trusted sources.
	//
	// +optional
	// +kubebuilder:validation:Format=field-path
	FromFieldPath object.Path `json:"fromFieldPath,omitzero"`

	// ContextKey of the pipeline's context that fromFieldPath is below.
	//
	// +optional
	// +kubebuilder:validation:MinLength=1
	ContextKey string `json:"contextKey,omitempty"`
}

// A MetadataCopy copies labels and annotations of Kubernetes objects, which are not
// cloud tags. Keys of crossplane.io, its subdomains, kubectl.kubernetes.io and
// cloudtags.fn.plexsphere.com are never copied.
//
// +kubebuilder:validation:XValidation:rule="!has(self.copy) || !has(self.toFieldPaths) || (('Labels' in self.copy) == has(self.toFieldPaths.labels) && ('Annotations' in self.copy) == has(self.toFieldPaths.annotations))",message="must have paths for all that is copied, and for nothing else",fieldPath=".toFieldPaths"
type MetadataCopy struct {
	// Source that the labels and annotations are copied from.
	Source MetadataSource `json:"source"`

	// Copy says what is copied: Labels, Annotations or both. By default it is what
	// toFieldPaths has paths for, or both.
	//
	// +optional
	// +listType=set
	// +kubebuilder:validation:MinItems=1
	// +kubebuilder:validation:MaxItems=2
	Copy []MetadataKind `json:"copy,omitempty"`

	// Select says which keys are copied: any of its fields must match them.
	Select MetadataSelector `json:"select"`

	// Resources that the labels and annotations are copied to, if any entry selects
	// them. By default they are copied to all composed resources.
	//
	// +optional
	// +kubebuilder:validation:MinItems=1
	Resources []ResourceSelector `json:"resources,omitempty"`

	// ToFieldPaths are the fields of these resources that they are copied to. By
	// default these are metadata.labels and metadata.annotations.
	//
	// +optional
	ToFieldPaths *MetadataFieldPaths `json:"toFieldPaths,omitempty"`
}

// A MetadataKind is a kind of Kubernetes metadata.
//
// +kubebuilder:validation:Enum=Labels;Annotations
type MetadataKind string

// Kinds of metadata.
const (
	MetadataKindLabels      MetadataKind = "Labels"
	MetadataKindAnnotations MetadataKind = "Annotations"
)

// A MetadataSourceType says which object metadata is copied from.
//
// +kubebuilder:validation:Enum=CompositeMetadata;RequiredResource;ComposedResource;Expression
type MetadataSourceType string

// Types of metadata source.
const (
	// MetadataSourceTypeCompositeMetadata copies from the composite resource.
	MetadataSourceTypeCompositeMetadata MetadataSourceType = "CompositeMetadata"

	// MetadataSourceTypeRequiredResource copies from objects that Crossplane
	// fetches.
	MetadataSourceTypeRequiredResource MetadataSourceType = "RequiredResource"

	// MetadataSourceTypeComposedResource copies from a composed resource.
	MetadataSourceTypeComposedResource MetadataSourceType = "ComposedResource"

	// MetadataSourceTypeExpression computes labels and annotations.
	MetadataSourceTypeExpression MetadataSourceType = "Expression"
)

// A MetadataSource is the object that metadata is copied from, or computes metadata.
//
// +kubebuilder:validation:XValidation:rule="(self.type == 'Expression') == (has(self.labels) || has(self.annotations))",message="must have labels, annotations or both if its type is Expression, and neither otherwise"
// +kubebuilder:validation:XValidation:rule="self.type != 'Expression' || !has(self.labelsFieldPath) && !has(self.annotationsFieldPath) && !has(self.itemName)",message="type Expression forbids labelsFieldPath, annotationsFieldPath and itemName: its expressions are labels and annotations"
// +kubebuilder:validation:XValidation:rule="(self.type == 'RequiredResource') == has(self.resource)",message="is required by type RequiredResource, and forbidden elsewhere",fieldPath=".resource"
// +kubebuilder:validation:XValidation:rule="(self.type == 'ComposedResource') == has(self.name)",message="is required by type ComposedResource, and forbidden elsewhere",fieldPath=".name"
// +kubebuilder:validation:XValidation:rule="self.type == 'RequiredResource' || !has(self.policy)",message="is for type RequiredResource only",fieldPath=".policy"
// +kubebuilder:validation:XValidation:rule="!has(self.resource) || !has(self.resource.kinds) && !has(self.resource.defaultMatchLabels) && !has(self.resource.unless) && (!has(self.resource.name) || !has(self.resource.matchLabels))",message="only sources with pick One allow kinds, defaultMatchLabels, unless, and both name and matchLabels",fieldPath=".resource"
type MetadataSource struct {
	// Type of source: CompositeMetadata copies from the composite resource,
	// RequiredResource from objects that Crossplane fetches, and ComposedResource
	// from a composed resource, as earlier steps and entries desire it. Expression computes
	// what is copied.
	Type MetadataSourceType `json:"type"`

	// Name of the composed resource in the pipeline. For type ComposedResource
	// only. Nothing is copied if there is none. A * matches any run of characters, e.g.
	// in pool-*. Then an entry of resources has a * in its name, too, e.g. *-nodes, and
	// pool-a is copied to a-nodes.
	//
	// +optional
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:Pattern=`^[^*]*\*?[^*]*$`
	Name string `json:"name,omitempty"`

	// Resource that Crossplane fetches. For type RequiredResource only. If there are
	// several objects, later names override earlier ones.
	//
	// +optional
	Resource *RequiredResource `json:"resource,omitempty"`

	// ItemName is the field that names the items of lists. Then labelsFieldPath and
	// annotationsFieldPath have one [*], and each item's labels and annotations are copied
	// to the resource with the item's name in the pipeline. If a path of toFieldPaths has a
	// [*], too, they are copied to the items with the same name there. An item with
	// something to copy must have a name.
	//
	// +optional
	// +kubebuilder:validation:MinLength=1
	ItemName string `json:"itemName,omitempty"`

	// Labels is the CEL expression of a map of strings, over the variables of sources of type
	// Expression. If it has no value, nothing is copied. For type Expression only.
	//
	// +optional
	Labels expression.Expression `json:"labels,omitzero"`

	// Annotations is the CEL expression of a map of strings, as labels is. For type Expression
	// only.
	//
	// +optional
	Annotations expression.Expression `json:"annotations,omitzero"`

	// LabelsFieldPath is the path of the object's map of labels, or with itemName of
	// the items' maps, e.g. spec.topology.machineDeployments[*].metadata.labels. By default it
	// is metadata.labels.
	//
	// +optional
	// +kubebuilder:validation:Format=field-paths
	LabelsFieldPath object.Path `json:"labelsFieldPath,omitzero"`

	// AnnotationsFieldPath is the path of the object's map of annotations, or with
	// itemName of the items' maps. By default it is metadata.annotations.
	//
	// +optional
	// +kubebuilder:validation:Format=field-paths
	AnnotationsFieldPath object.Path `json:"annotationsFieldPath,omitzero"`

	// Policy says what happens if there is no object: Required, the default, fails the
	// pipeline, Optional copies nothing. For type RequiredResource only.
	//
	// +optional
	Policy *SourcePolicy `json:"policy,omitempty"`
}

// A MetadataSelector selects keys of labels and annotations.
//
// +kubebuilder:validation:XValidation:rule="has(self.prefixes) || has(self.domains) || has(self.all) && self.all",message="must have at least one of prefixes, domains and all"
type MetadataSelector struct {
	// Prefixes of keys, e.g. node-role.kubernetes.io/. Without the slash at its end,
	// node-role.kubernetes.iox/worker would match, too.
	//
	// +optional
	// +kubebuilder:validation:MinItems=1
	// +kubebuilder:validation:items:MinLength=1
	Prefixes []string `json:"prefixes,omitempty"`

	// Domains that keys belong to: the part before the slash is one of these, or a
	// subdomain of one.
	//
	// +optional
	// +kubebuilder:validation:MinItems=1
	// +kubebuilder:validation:items:MinLength=1
	Domains []string `json:"domains,omitempty"`

	// All keys, but none that steers another controller, such as services.k8s.aws/region:
	// domains or prefixes have to name its domain.
	//
	// +optional
	All bool `json:"all,omitempty"`
}

// MetadataFieldPaths are the fields that metadata is copied to. A [*] in a path means
// every item of a list.
//
// +kubebuilder:validation:MinProperties=1
type MetadataFieldPaths struct {
	// Labels are the paths of maps that labels are copied to.
	//
	// +optional
	// +kubebuilder:validation:MinItems=1
	// +kubebuilder:validation:items:Format=field-paths
	Labels []object.Path `json:"labels,omitempty"`

	// Annotations are the paths of maps that annotations are copied to.
	//
	// +optional
	// +kubebuilder:validation:MinItems=1
	// +kubebuilder:validation:items:Format=field-paths
	Annotations []object.Path `json:"annotations,omitempty"`
}

// ProviderValue returns the provider that the input names, or an empty string if it names
// none, or reads it from a field.
func (in *CloudTags) ProviderValue() string {
	if in.Provider == nil {
		return ""
	}

	return in.Provider.Value
}

// HandsLabelsOn reports whether an entry of tagFields hands labels on to composed composite resources: its shape is Labels.
func (in *CloudTags) HandsLabelsOn() bool {
	return slices.ContainsFunc(in.TagFields, func(f TagField) bool { return f.Shape == "Labels" })
}

// SourceName returns the name in messages of the source with the index i, such as `sources[0] "team"`. The source of a standard
// has the index that it has there: `sources[0] "team" of ConfigMap platform/tags`.
func (in *CloudTags) SourceName(i int) string {
	path, suffix := in.Origins.written(fmt.Sprintf("sources[%d]", i))
	if name := in.Sources[i].Name; name != "" {
		path = fmt.Sprintf("%s %q", path, name)
	}

	return path + suffix
}

// KeyFormatsByProvider returns the entries of keyFormats, by provider: aws has a Format with lowercase for {provider: aws,
// lowercase: true}.
func (in *CloudTags) KeyFormatsByProvider() map[string]profile.Format {
	out := make(map[string]profile.Format, len(in.KeyFormats))
	for _, f := range in.KeyFormats {
		out[f.Provider] = profile.NewFormat(f.Prefix, replacements(f.Replace), f.Lowercase)
	}

	return out
}

// ValueFormatsByProvider returns the entries of valueFormats, by provider. No format of values has a prefix.
func (in *CloudTags) ValueFormatsByProvider() map[string]profile.Format {
	out := make(map[string]profile.Format, len(in.ValueFormats))
	for _, f := range in.ValueFormats {
		out[f.Provider] = profile.NewFormat(nil, replacements(f.Replace), f.Lowercase)
	}

	return out
}

// Required reports whether what the source reads must exist.
func (s *Source) Required() bool {
	if s.Policy == nil || s.Policy.FromFieldPath == "" {
		return s.Type == SourceTypeRequiredResource
	}

	return s.Policy.FromFieldPath == FromFieldPathPolicyRequired
}

// IsRequired reports whether resources must have the tag.
func (r *TagRule) IsRequired() bool { return r.Required == nil || *r.Required }

// Admits reports whether the tag may have the value.
func (r *TagRule) Admits(value string) bool {
	return (r.Values == nil || slices.ContainsFunc(r.Values, func(p profile.Pattern) bool { return p.Matches(value) })) && r.Matches.Matches(value)
}

// Allowed returns the patterns of values, such as [prod, "3*"], or one text for matches, such as "what matches ^[0-9]{4}$". It is empty if
// the tag may have all values.
func (r *TagRule) Allowed() []string {
	if !r.Matches.IsZero() {
		return []string{"what matches " + r.Matches.String()}
	}

	return words.Map(r.Values, profile.Pattern.String)
}

// Required reports whether there must be an object.
func (s *MetadataSource) Required() bool {
	return s.Policy == nil || s.Policy.FromFieldPath != FromFieldPathPolicyOptional
}

// ResourceKinds returns the kinds that the objects may have.
func (r *RequiredResource) ResourceKinds() []ResourceKind {
	if len(r.Kinds) > 0 {
		return r.Kinds
	}

	return []ResourceKind{{APIVersion: r.APIVersion, Kind: r.Kind}}
}

// A Duration is a length of time, written as Go writes it, e.g. 1m30s.
//
// +kubebuilder:validation:Type=string
type Duration struct{ time.Duration } //nolint:recvcheck // A value is marshaled, and a pointer unmarshaled.

// MarshalText writes the duration as Go does.
func (d Duration) MarshalText() ([]byte, error) { return []byte(d.String()), nil } //nolint:unparam // The interface has an error.

// UnmarshalText parses the text of a duration.
func (d *Duration) UnmarshalText(text []byte) (err error) {
	d.Duration, err = time.ParseDuration(string(text))
	return err
}

// ReadsNoLabels reports whether the source reads no labels in objects. It is true for the types Value and Expression, and for a hop: a
// source of type RequiredResource with neither prefix nor fromFieldPath, whose objects other sources or includes read.
func (s *Source) ReadsNoLabels() bool { return s.Prefix == "" && s.FromFieldPath.IsZero() }

// IsDynamic reports whether the patterns are read from a field of an object, or computed by an expression. Otherwise, they are
// written in the input, as in {keys: ["platform/*"]}.
func (i *Include) IsDynamic() bool { return !i.FromFieldPath.IsZero() || !i.Expression.IsZero() }

// DiffersPerResource reports whether expressions compute something else for each composed resource.
func (s *MetadataSource) DiffersPerResource() bool {
	return len(s.Labels.PerResource())+len(s.Annotations.PerResource()) > 0
}

// IsComputed reports whether expressions select the objects.
func (r *RequiredResource) IsComputed() bool { return len(r.expressions()) > 0 }

// expressions returns the expressions that select the objects, and what each is to be. There are none if r is nil.
func (r *RequiredResource) expressions() map[*expression.Expression]expression.ValueType {
	if r == nil {
		return nil
	}

	out := make(map[*expression.Expression]expression.ValueType)

	for _, s := range []*StringSelector{r.Name, r.Namespace} {
		if s != nil {
			out[&s.Expression] = expression.Text
		}
	}

	if r.MatchLabels != nil {
		out[&r.MatchLabels.Expression] = expression.Labels
	}

	maps.DeleteFunc(out, func(e *expression.Expression, _ expression.ValueType) bool { return e.IsZero() })

	return out
}
