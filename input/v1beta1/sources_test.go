package v1beta1_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/crossplane/function-sdk-go/resource"

	"github.com/plexsphere/function-cloud-tags/input/v1beta1"
)

// environment is the key of the context that EnvironmentConfigs land under.
const environment = "apiextensions.crossplane.io/environment"

// source returns an input with one source of the supplied fields.
func source(fields string) string { return input(`"sources": [{` + fields + `}]`) }

// required returns an input with one source that requires the resource of the
// supplied fields.
func required(object, fields string) string {
	return source(`"type": "RequiredResource", "prefix": "tags.example.org/", "resource": {` + object + `}` + fields)
}

// one returns an input with one source that picks one of the resources of the
// supplied fields.
func one(object, fields string) string {
	return required(object, `, "name": "class", "pick": "One"`+fields)
}

// organization and name are fields of a required resource.
const (
	organization = `"apiVersion": "example.org/v1", "kind": "Organization"`
	byName       = `, "name": {"value": "acme"}`
	byLabels     = `, "matchLabels": {"value": {"grade": "gold"}}`
)

func validSources() map[string]validCase {
	// of returns an input with one source as Decode returns it.
	of := func(change func(s *v1beta1.Source)) *v1beta1.CloudTags {
		return decoded(func(in *v1beta1.CloudTags) {
			in.Sources = []v1beta1.Source{value(func(s *v1beta1.Source) {
				s.Values = nil
				change(s)
			})}
		})
	}

	// requires returns an input with one source of a required resource as Decode
	// returns it.
	requires := func(change func(s *v1beta1.Source)) *v1beta1.CloudTags {
		return of(func(s *v1beta1.Source) {
			s.Type, s.Pick, s.Prefix = "RequiredResource", "All", new("tags.example.org/")
			s.Resource = &v1beta1.RequiredResource{APIVersion: "example.org/v1", Kind: "Organization"}
			change(s)
		})
	}

	acme := func(s *v1beta1.Source) { s.Resource.Name = &v1beta1.StringSource{Value: new("acme")} }
	gold := func(s *v1beta1.Source) {
		s.Resource.MatchLabels = &v1beta1.MapSource{Value: map[string]string{"grade": "gold"}}
	}
	class := func(s *v1beta1.Source) { s.Name, s.Pick = "class", "One" }

	return map[string]validCase{
		"ContextField": {
			reason: "A map of the context needs the context's key and a path below it.",
			json:   source(`"type": "ContextField", "contextKey": "` + environment + `", "fromFieldPath": "tags"`),
			want: of(func(s *v1beta1.Source) {
				s.Type, s.ContextKey, s.FromFieldPath = "ContextField", new(environment), new("tags")
			}),
		},
		"EverythingOfContextField": {
			reason: "A map of the context may be all that any map may be.",
			json: source(`"type": "ContextField", "name": "environment", "contextKey": "` + environment + `", "fromFieldPath": "a[0].tags", "trusted": true,
				"include": {"keys": ["a*"]}, "encoding": "JSON", "keyForm": "Tag", "onConflict": "Replace", "policy": {"fromFieldPath": "Required"}`),
			want: of(func(s *v1beta1.Source) {
				s.Type, s.Name, s.ContextKey, s.FromFieldPath, s.Trusted = "ContextField", "environment", new(environment), new("a[0].tags"), true
				s.Include = &v1beta1.Include{Keys: []string{"a*"}}
				s.Encoding, s.KeyForm, s.OnConflict = "JSON", "Tag", "Replace"
				s.Policy = &v1beta1.SourcePolicy{FromFieldPath: "Required"}
			}),
		},
		"ContextFieldEmptyPolicy": {
			reason: "The context's map should be optional by default.",
			json:   source(`"type": "ContextField", "contextKey": "k", "fromFieldPath": "tags", "policy": {}`),
			want: of(func(s *v1beta1.Source) {
				s.Type, s.ContextKey, s.FromFieldPath = "ContextField", new("k"), new("tags")
				s.Policy = &v1beta1.SourcePolicy{FromFieldPath: "Optional"}
			}),
		},
		"CompositeMetadata": {
			reason: "Labels and annotations need their prefix only, which may be any text.",
			json:   source(`"type": "CompositeMetadata", "prefix": "tags."`),
			want:   of(func(s *v1beta1.Source) { s.Type, s.Prefix = "CompositeMetadata", new("tags.") }),
		},
		"CompositeMetadataPolicy": {
			reason: "A policy makes sense if the patterns are in a field.",
			json:   source(`"type": "CompositeMetadata", "prefix": "t/", "include": {"fromFieldPath": "spec.propagate"}, "policy": {"fromFieldPath": "Required"}`),
			want: of(func(s *v1beta1.Source) {
				s.Type, s.Prefix = "CompositeMetadata", new("t/")
				s.Include = &v1beta1.Include{FromFieldPath: new("spec.propagate")}
				s.Policy = &v1beta1.SourcePolicy{FromFieldPath: "Required"}
			}),
		},
		"TrustedValue": {
			reason: "Any source may be trusted, and needs no key to be reserved.",
			json:   input(`"sources": [{"type": "Value", "values": {"a": "b"}, "trusted": true}]`),
			want: decoded(func(in *v1beta1.CloudTags) {
				in.Sources = []v1beta1.Source{value(func(s *v1beta1.Source) { s.Trusted = true })}
			}),
		},
		"Untrusted": {
			reason: "The default of trust may be spelled out.",
			json:   input(`"sources": [{"type": "Value", "values": {"a": "b"}, "trusted": false}]`),
			want:   decoded(nil),
		},
		"ByName": {
			reason: "An object needs its kind, a name, and what is taken of it. All is picked by default.",
			json:   required(organization+byName, ""),
			want:   requires(acme),
		},
		"ByNameFromField": {
			reason: "The name may be in a field of the composite resource.",
			json:   required(organization+`, "name": {"fromFieldPath": "metadata.namespace"}`, ""),
			want: requires(func(s *v1beta1.Source) {
				s.Resource.Name = &v1beta1.StringSource{FromFieldPath: new("metadata.namespace")}
			}),
		},
		"MapOfObject": {
			reason: "A map of the object may be taken instead of its labels and annotations.",
			json:   source(`"type": "RequiredResource", "fromFieldPath": "data", "resource": {` + organization + byName + `}`),
			want: requires(func(s *v1beta1.Source) {
				s.Prefix, s.FromFieldPath = nil, new("data")

				acme(s)
			}),
		},
		"Namespace": {
			reason: "A namespaced object has a namespace.",
			json:   required(organization+byName+`, "namespace": {"value": "platform"}`, ""),
			want: requires(func(s *v1beta1.Source) {
				acme(s)

				s.Resource.Namespace = &v1beta1.StringSource{Value: new("platform")}
			}),
		},
		"NamespaceFromField": {
			reason: "The namespace may be in a field of the composite resource.",
			json:   required(organization+byName+`, "namespace": {"fromFieldPath": "metadata.namespace"}`, ""),
			want: requires(func(s *v1beta1.Source) {
				acme(s)

				s.Resource.Namespace = &v1beta1.StringSource{FromFieldPath: new("metadata.namespace")}
			}),
		},
		"AllByLabels": {
			reason: "All objects with some labels may be taken, whose values may be empty.",
			json:   required(organization+`, "matchLabels": {"value": {"grade": "gold", "value": "", "a": "b"}}`, `, "pick": "All"`),
			want: requires(func(s *v1beta1.Source) {
				s.Resource.MatchLabels = &v1beta1.MapSource{Value: map[string]string{"grade": "gold", "value": "", "a": "b"}}
			}),
		},
		"LabelsFromField": {
			reason: "The labels to match may be in a field of the composite resource.",
			json:   required(organization+`, "matchLabels": {"fromFieldPath": "spec.classSelector.matchLabels"}`, ""),
			want: requires(func(s *v1beta1.Source) {
				s.Resource.MatchLabels = &v1beta1.MapSource{FromFieldPath: new("spec.classSelector.matchLabels")}
			}),
		},
		"PolicyOptional": {
			reason: "An object may be optional.",
			json:   required(organization+byName, `, "policy": {"fromFieldPath": "Optional"}`),
			want: requires(func(s *v1beta1.Source) {
				acme(s)

				s.Policy = &v1beta1.SourcePolicy{FromFieldPath: "Optional"}
			}),
		},
		"PolicyRequired": {
			reason: "An object is required by default, which may be spelled out.",
			json:   required(organization+byName, `, "policy": {"fromFieldPath": "Required"}`),
			want: requires(func(s *v1beta1.Source) {
				acme(s)

				s.Policy = &v1beta1.SourcePolicy{FromFieldPath: "Required"}
			}),
		},
		"EmptyPolicy": {
			reason: "An object should be required by default.",
			json:   required(organization+byName, `, "policy": {}`),
			want: requires(func(s *v1beta1.Source) {
				acme(s)

				s.Policy = &v1beta1.SourcePolicy{FromFieldPath: "Required"}
			}),
		},
		"OneByLabels": {
			reason: "A class needs a name of the source.",
			json:   one(organization+byLabels, ""),
			want: requires(func(s *v1beta1.Source) {
				class(s)
				gold(s)
			}),
		},
		"OneByName": {
			reason: "A class may be found by its name only.",
			json:   one(organization+byName, ""),
			want: requires(func(s *v1beta1.Source) {
				class(s)
				acme(s)
			}),
		},
		"OneByDefault": {
			reason: "A class may be found by its default labels only, whose values may be empty.",
			json:   one(organization+`, "defaultMatchLabels": {"default": "true", "value": ""}`, ""),
			want: requires(func(s *v1beta1.Source) {
				class(s)

				s.Resource.DefaultMatchLabels = map[string]string{"default": "true", "value": ""}
			}),
		},
		"EverythingOfOne": {
			reason: "A class may be of several kinds, found in every way, and name the provider.",
			json: one(`"kinds": [{"apiVersion": "a/v1", "kind": "A"}, {"apiVersion": "b/v1", "kind": "B"}], "namespace": {"value": "platform"},
				"name": {"fromFieldPath": "spec.classRef.name"}, "matchLabels": {"fromFieldPath": "spec.classSelector.matchLabels"}, "defaultMatchLabels": {"default": "true"}`,
				`, "providerFieldPath": "spec.provider", "trusted": true, "policy": {"fromFieldPath": "Optional"}`),
			want: requires(func(s *v1beta1.Source) {
				class(s)

				s.Trusted, s.ProviderFieldPath = true, new("spec.provider")
				s.Policy = &v1beta1.SourcePolicy{FromFieldPath: "Optional"}
				s.Resource = &v1beta1.RequiredResource{
					Kinds:              []v1beta1.ResourceKind{{APIVersion: "a/v1", Kind: "A"}, {APIVersion: "b/v1", Kind: "B"}},
					Namespace:          &v1beta1.StringSource{Value: new("platform")},
					Name:               &v1beta1.StringSource{FromFieldPath: new("spec.classRef.name")},
					MatchLabels:        &v1beta1.MapSource{FromFieldPath: new("spec.classSelector.matchLabels")},
					DefaultMatchLabels: map[string]string{"default": "true"},
				}
			}),
		},
		"TwoClasses": {
			reason: "Two classes need two names, and a source that picks none may have the name of one.",
			json: input(`"sources": [
				{"type": "RequiredResource", "name": "a", "pick": "One", "prefix": "t/", "resource": {"apiVersion": "a/v1", "kind": "A", "name": {"value": "x"}}},
				{"type": "RequiredResource", "name": "b", "pick": "One", "prefix": "t/", "resource": {"apiVersion": "a/v1", "kind": "A", "name": {"value": "x"}}},
				{"type": "Value", "name": "a", "values": {"a": "b"}}
			]`),
			want: decoded(func(in *v1beta1.CloudTags) {
				of := func(name string) v1beta1.Source {
					return value(func(s *v1beta1.Source) {
						s.Type, s.Values, s.Name, s.Pick, s.Prefix = "RequiredResource", nil, name, "One", new("t/")
						s.Resource = &v1beta1.RequiredResource{APIVersion: "a/v1", Kind: "A", Name: &v1beta1.StringSource{Value: new("x")}}
					})
				}
				in.Sources = []v1beta1.Source{of("a"), of("b"), value(func(s *v1beta1.Source) { s.Name = "a" })}
			}),
		},
		"ReservedKeys": {
			reason: "Reserved keys may be keys and beginnings of keys, and every key.",
			json:   input(`"reservedKeys": ["workspace", "entigo:*", "*"], ` + minimal),
			want:   decoded(func(in *v1beta1.CloudTags) { in.ReservedKeys = []string{"workspace", "entigo:*", "*"} }),
		},
		"NoReservedKeys": {
			reason: "The list of reserved keys may be empty.",
			json:   input(`"reservedKeys": [], ` + minimal),
			want:   decoded(func(in *v1beta1.CloudTags) { in.ReservedKeys = []string{} }),
		},
		"StatusFieldPath": {
			reason: "The status may be told of at any path below it.",
			json:   input(`"statusFieldPath": "status.platform['example.org/tags'].report", ` + minimal),
			want: decoded(func(in *v1beta1.CloudTags) {
				in.StatusFieldPath = new("status.platform['example.org/tags'].report")
			}),
		},
		"Except": {
			reason: "Exceptions may be all that an include says.",
			json:   source(`"type": "Value", "values": {"a": "b"}, "include": {"except": ["platform/mesh-*", "x"]}`),
			want: decoded(func(in *v1beta1.CloudTags) {
				in.Sources = []v1beta1.Source{value(func(s *v1beta1.Source) { s.Include = &v1beta1.Include{Except: []string{"platform/mesh-*", "x"}} })}
			}),
		},
		"KeysAndExcept": {
			reason: "Exceptions may be of what is included.",
			json:   source(`"type": "Value", "values": {"a": "b"}, "include": {"keys": ["platform/*"], "except": ["platform/mesh-*"]}`),
			want: decoded(func(in *v1beta1.CloudTags) {
				in.Sources = []v1beta1.Source{value(func(s *v1beta1.Source) {
					s.Include = &v1beta1.Include{Keys: []string{"platform/*"}, Except: []string{"platform/mesh-*"}}
				})}
			}),
		},
		"FieldAndExcept": {
			reason: "Exceptions may be of what a field includes.",
			json:   source(`"type": "Value", "values": {"a": "b"}, "include": {"fromFieldPath": "spec.propagate", "except": ["*"]}`),
			want: decoded(func(in *v1beta1.CloudTags) {
				in.Sources = []v1beta1.Source{value(func(s *v1beta1.Source) {
					s.Include = &v1beta1.Include{FromFieldPath: new("spec.propagate"), Except: []string{"*"}}
				})}
			}),
		},
		"UntrustedIncludeFromField": {
			reason: "The author of a composite resource may choose among labels that may be anybody's.",
			json:   source(`"type": "Value", "values": {"a": "b"}, "trusted": false, "include": {"fromFieldPath": "spec.propagate"}`),
			want: decoded(func(in *v1beta1.CloudTags) {
				in.Sources = []v1beta1.Source{value(func(s *v1beta1.Source) { s.Include = &v1beta1.Include{FromFieldPath: new("spec.propagate")} })}
			}),
		},
		"ExclamationMark": {
			reason: "A ! that isn't the first character is one of a key.",
			json:   source(`"type": "Value", "values": {"a": "b"}, "include": {"keys": ["a!*"]}`),
			want: decoded(func(in *v1beta1.CloudTags) {
				in.Sources = []v1beta1.Source{value(func(s *v1beta1.Source) { s.Include = &v1beta1.Include{Keys: []string{"a!*"}} })}
			}),
		},
		"Scalar": {
			reason: "Values may be numbers and booleans.",
			json:   source(`"type": "CompositeField", "fromFieldPath": "spec.labels", "encoding": "Scalar"`),
			want: of(func(s *v1beta1.Source) {
				s.Type, s.FromFieldPath, s.Encoding = "CompositeField", new("spec.labels"), "Scalar"
			}),
		},
		"MatchAll": {
			reason: "All objects of a kind may be taken.",
			json:   required(organization+`, "matchLabels": {"all": true}`, ""),
			want:   requires(func(s *v1beta1.Source) { s.Resource.MatchLabels = &v1beta1.MapSource{All: true} }),
		},
		"PickOneOfAll": {
			reason: "A class may be any object of a kind.",
			json:   one(organization+`, "matchLabels": {"all": true}`, ""),
			want: requires(func(s *v1beta1.Source) {
				class(s)
				s.Resource.MatchLabels = &v1beta1.MapSource{All: true}
			}),
		},
		"NotMatchAll": {
			reason: "That not all objects are taken may be spelled out.",
			json:   required(organization+`, "matchLabels": {"value": {"grade": "gold"}, "all": false}`, ""),
			want:   requires(gold),
		},
		"ProviderTags": {
			reason: "Providers may run without their own tags.",
			json:   input(`"providerTags": "None", ` + minimal),
			want:   decoded(func(in *v1beta1.CloudTags) { in.ProviderTags = "None" }),
		},
		"ToContextKey": {
			reason: "Later steps may be told of the labels under any key but that of the steps.",
			json:   input(`"toContextKey": "cloudtags.fn.plexsphere.com/resolved", ` + minimal),
			want:   decoded(func(in *v1beta1.CloudTags) { in.ToContextKey = new("cloudtags.fn.plexsphere.com/resolved") }),
		},
		"StatusFieldPathLikeConditions": {
			reason: "A field whose name only begins as that of the conditions is another one.",
			json:   input(`"statusFieldPath": "status.conditionsOfTags", ` + minimal),
			want:   decoded(func(in *v1beta1.CloudTags) { in.StatusFieldPath = new("status.conditionsOfTags") }),
		},
	}
}

func invalidSources() map[string]invalidCase {
	const (
		takesFrom = "a source of type "
		conflict  = "must have exactly one of value and fromFieldPath"
	)

	return map[string]invalidCase{
		// What a type of source needs and has no use for.
		"ContextFieldOfNothing": {
			reason: "A map of the context needs the context's key and a path below it.",
			json:   source(`"type": "ContextField"`),
			want: `[sources[0].fromFieldPath: Required value: a source of type ContextField takes labels from it, ` +
				`sources[0].contextKey: Required value: a source of type ContextField takes labels from it]`,
		},
		"ContextFieldWithoutKey": {
			reason: "A path below no key leads nowhere.",
			json:   source(`"type": "ContextField", "fromFieldPath": "tags"`),
			want:   `sources[0].contextKey: Required value: a source of type ContextField takes labels from it`,
		},
		"ContextFieldEmptyKey": {
			reason: "An empty key is none.",
			json:   source(`"type": "ContextField", "contextKey": "", "fromFieldPath": "tags"`),
			want:   `sources[0].contextKey: Required value: must not be empty`,
		},
		"ContextFieldWithOthers": {
			reason: "What other types of source take labels from should be refused, and all of it be named.",
			json:   source(`"type": "ContextField", "contextKey": "k", "fromFieldPath": "tags", "values": {}, "prefix": "t/", "resource": {` + organization + byName + `}`),
			want: `[sources[0].values: Forbidden: ` + takesFrom + `ContextField takes labels from contextKey and fromFieldPath, ` +
				`sources[0].prefix: Forbidden: ` + takesFrom + `ContextField takes labels from contextKey and fromFieldPath, ` +
				`sources[0].resource: Forbidden: ` + takesFrom + `ContextField takes labels from contextKey and fromFieldPath]`,
		},
		"ContextFieldBadPath": {
			reason: "A malformed path should be refused.",
			json:   source(`"type": "ContextField", "contextKey": "k", "fromFieldPath": "tags["`),
			want:   `sources[0].fromFieldPath: Invalid value: "tags[": cannot parse field path "tags[": unterminated '[' at position 4`,
			goOnly: true,
		},
		"CompositeFieldWithKey": {
			reason: "A field of the composite resource is below no key of the context.",
			json:   source(`"type": "CompositeField", "fromFieldPath": "spec.tags", "contextKey": "k"`),
			want:   `sources[0].contextKey: Forbidden: a source of type CompositeField takes labels from fromFieldPath`,
		},
		"ValueWithPrefix": {
			reason: "Values have no prefix.",
			json:   source(`"type": "Value", "values": {}, "prefix": "t/"`),
			want:   `sources[0].prefix: Forbidden: a source of type Value takes labels from values`,
		},
		"ValueWithResource": {
			reason: "Values are of no object.",
			json:   source(`"type": "Value", "values": {}, "resource": {` + organization + byName + `}`),
			want:   `sources[0].resource: Forbidden: a source of type Value takes labels from values`,
		},
		"ValueWithPick": {
			reason: "There is only one map of values.",
			json:   source(`"type": "Value", "values": {}, "pick": "All"`),
			want:   `sources[0].pick: Forbidden: a source of type Value takes labels from values`,
			goOnly: true,
		},
		"CompositeFieldWithProvider": {
			reason: "Only a class names a provider.",
			json:   source(`"type": "CompositeField", "fromFieldPath": "spec.tags", "providerFieldPath": "spec.provider"`),
			want:   `sources[0].providerFieldPath: Forbidden: a source of type CompositeField takes labels from fromFieldPath`,
			goOnly: true,
		},
		"CompositeMetadataWithoutPrefix": {
			reason: "Without a prefix every label would become a tag.",
			json:   source(`"type": "CompositeMetadata"`),
			want:   `sources[0].prefix: Required value: a source of type CompositeMetadata takes labels from it`,
		},
		"CompositeMetadataEmptyPrefix": {
			reason: "With an empty prefix every label would become a tag.",
			json:   source(`"type": "CompositeMetadata", "prefix": ""`),
			want:   `sources[0].prefix: Required value: must not be empty`,
		},
		"CompositeMetadataWithPath": {
			reason: "Labels and annotations are where they are.",
			json:   source(`"type": "CompositeMetadata", "prefix": "t/", "fromFieldPath": "metadata.labels"`),
			want:   `sources[0].fromFieldPath: Forbidden: a source of type CompositeMetadata takes labels from prefix`,
		},
		"CompositeMetadataPolicy": {
			reason: "Labels and annotations may always be absent, so a policy has no meaning.",
			json:   source(`"type": "CompositeMetadata", "prefix": "t/", "policy": {"fromFieldPath": "Required"}`),
			want:   `sources[0].policy: Forbidden: the source reads nothing that could be absent`,
			goOnly: true,
		},
		"RequiredResourceOfNothing": {
			reason: "All that is missing should be named.",
			json:   source(`"type": "RequiredResource"`),
			want: `[sources[0].resource: Required value: a source of type RequiredResource takes labels from it, ` +
				`sources[0]: Invalid value: "": must have exactly one of prefix and fromFieldPath]`,
		},
		"PrefixAndPath": {
			reason: "Either labels and annotations are taken, or a map.",
			json:   source(`"type": "RequiredResource", "prefix": "t/", "fromFieldPath": "data", "resource": {` + organization + byName + `}`),
			want:   `sources[0]: Invalid value: "": must have exactly one of prefix and fromFieldPath`,
		},
		"EmptyPrefix": {
			reason: "With an empty prefix every label of the object would become a tag.",
			json:   source(`"type": "RequiredResource", "prefix": "", "resource": {` + organization + byName + `}`),
			want:   `sources[0].prefix: Required value: must not be empty`,
		},
		"RequiredResourceWithOthers": {
			reason: "What other types of source take labels from should be refused.",
			json:   required(organization+byName, `, "values": {"a": "b"}, "contextKey": "k"`),
			want: `[sources[0].values: Forbidden: a source of type RequiredResource takes labels from resource, ` +
				`sources[0].contextKey: Forbidden: a source of type RequiredResource takes labels from resource]`,
		},

		// The object.
		"NoKind": {
			reason: "All that is missing of the object should be named.",
			json:   required(``, ""),
			want: `[sources[0].resource.apiVersion: Required value: the apiVersion of the objects, ` +
				`sources[0].resource.kind: Required value: the kind of the objects, ` +
				`sources[0].resource: Invalid value: "": must have one of name, matchLabels and defaultMatchLabels]`,
		},
		"APIVersionWithoutKind": {
			reason: "An apiVersion has many kinds.",
			json:   required(`"apiVersion": "v1"`+byName, ""),
			want:   `sources[0].resource.kind: Required value: the kind of the objects`,
		},
		"KindWithoutAPIVersion": {
			reason: "A kind may be of many apiVersions.",
			json:   required(`"kind": "A"`+byName, ""),
			want:   `sources[0].resource.apiVersion: Required value: the apiVersion of the objects`,
		},
		"KindsAndKind": {
			reason: "Either one kind is given, or several.",
			json:   one(organization+`, "kinds": [{"apiVersion": "a/v1", "kind": "A"}]`+byName, ""),
			want:   `sources[0].resource: Invalid value: "": must have either apiVersion and kind, or kinds`,
		},
		"KindsOfAll": {
			reason: "Only a class may be of several kinds.",
			json:   required(`"kinds": [{"apiVersion": "a/v1", "kind": "A"}]`+byName, ""),
			want:   `sources[0].resource.kinds: Forbidden: only pick One picks among kinds`,
			goOnly: true,
		},
		"NoKinds": {
			reason: "No class is of no kind.",
			json:   one(`"kinds": []`+byName, ""),
			want:   `sources[0].resource.kinds: Required value: at least one kind`,
		},
		"EmptyKind": {
			reason: "Each of several kinds needs its apiVersion and kind, and the message should say which it is.",
			json:   one(`"kinds": [{"apiVersion": "a/v1", "kind": "A"}, {"apiVersion": "", "kind": ""}]`+byName, ""),
			want: `[sources[0].resource.kinds[1].apiVersion: Required value: the apiVersion of the objects, ` +
				`sources[0].resource.kinds[1].kind: Required value: the kind of the objects]`,
		},
		"NoSelector": {
			reason: "Without a name and labels every object of the kind would be taken.",
			json:   required(organization, ""),
			want:   `sources[0].resource: Invalid value: "": must have one of name, matchLabels and defaultMatchLabels`,
		},
		"NoSelectorOfOne": {
			reason: "Without a name and labels every object of the kind would be a class.",
			json:   one(organization+`, "namespace": {"value": "platform"}`, ""),
			want:   `sources[0].resource: Invalid value: "": must have one of name, matchLabels and defaultMatchLabels`,
		},
		"NameOfNothing": {
			reason: "A name is given, or a field that holds it.",
			json:   required(organization+`, "name": {}`, ""),
			want:   `sources[0].resource.name: Invalid value: "": ` + conflict,
		},
		"NameTwice": {
			reason: "A name is given, or a field that holds it, not both.",
			json:   required(organization+`, "name": {"value": "a", "fromFieldPath": "spec.a"}`, ""),
			want:   `sources[0].resource.name: Invalid value: "": ` + conflict,
		},
		"EmptyName": {
			reason: "An empty name names nothing.",
			json:   required(organization+`, "name": {"value": ""}`, ""),
			want:   `sources[0].resource.name.value: Invalid value: "": must not be empty: leave it out`,
		},
		"NameBadPath": {
			reason: "A malformed path should be refused.",
			json:   required(organization+`, "name": {"fromFieldPath": "spec..a"}`, ""),
			want:   `sources[0].resource.name.fromFieldPath: Invalid value: "spec..a": cannot parse field path "spec..a": unexpected '.' at position 5`,
			goOnly: true,
		},
		"NamespaceOfNothing": {
			reason: "A namespace is given, or a field that holds it.",
			json:   required(organization+byName+`, "namespace": {}`, ""),
			want:   `sources[0].resource.namespace: Invalid value: "": ` + conflict,
		},
		"EmptyNamespace": {
			reason: "An empty namespace should be refused, since it could be taken for all.",
			json:   required(organization+byName+`, "namespace": {"value": ""}`, ""),
			want:   `sources[0].resource.namespace.value: Invalid value: "": must not be empty: leave it out`,
		},
		"NamespaceWildcard": {
			reason: "A path that leads to many fields should be refused.",
			json:   required(organization+byName+`, "namespace": {"fromFieldPath": "spec.namespaces[*]"}`, ""),
			want:   `sources[0].resource.namespace.fromFieldPath: Invalid value: "spec.namespaces[*]": field path "spec.namespaces[*]" must lead to one field, without wildcards`,
			goOnly: true,
		},
		"LabelsOfNothing": {
			reason: "Labels are given, or a field that holds them.",
			json:   required(organization+`, "matchLabels": {}`, ""),
			want:   `sources[0].resource.matchLabels: Invalid value: "": must have exactly one of value, fromFieldPath and all`,
		},
		"LabelsTwice": {
			reason: "Labels are given, or a field that holds them, not both.",
			json:   required(organization+`, "matchLabels": {"value": {"a": "b"}, "fromFieldPath": "spec.labels"}`, ""),
			want:   `sources[0].resource.matchLabels: Invalid value: "": must have exactly one of value, fromFieldPath and all`,
		},
		"EmptyLabels": {
			reason: "No labels would match everything.",
			json:   required(organization+`, "matchLabels": {"value": {}}`, ""),
			want:   `sources[0].resource.matchLabels.value: Required value: an empty map matches nothing: all matches every object`,
		},
		"LabelsBadPath": {
			reason: "A malformed path should be refused.",
			json:   required(organization+`, "matchLabels": {"fromFieldPath": "spec.]"}`, ""),
			want:   `sources[0].resource.matchLabels.fromFieldPath: Invalid value: "spec.]": cannot parse field path "spec.]": unexpected ']' at position 5`,
			goOnly: true,
		},
		"EmptyDefaultLabels": {
			reason: "No labels would match everything.",
			json:   one(organization+`, "defaultMatchLabels": {}`, ""),
			want:   `sources[0].resource.defaultMatchLabels: Required value: an empty map would match everything`,
		},

		// All or one of them.
		"UnknownPick": {
			reason: "An unknown pick should be refused, with those that there are.",
			json:   required(organization+byName, `, "pick": "Any"`),
			want:   `sources[0].pick: Unsupported value: "Any": supported values: "All", "One"`,
		},
		"EmptyPick": {
			reason: "An empty pick is not the default.",
			json:   required(organization+byName, `, "pick": ""`),
			want:   `sources[0].pick: Invalid value: "": must not be empty: leave it out`,
		},
		"AllByNameAndLabels": {
			reason: "Only a class falls back to labels.",
			json:   required(organization+byName+byLabels, ""),
			want:   `sources[0].resource.matchLabels: Forbidden: only pick One falls back to it if there is no name`,
			goOnly: true,
		},
		"AllByDefaultLabels": {
			reason: "Only a class falls back to default labels.",
			json:   required(organization+byLabels+`, "defaultMatchLabels": {"default": "true"}`, `, "pick": "All"`),
			want:   `sources[0].resource.defaultMatchLabels: Forbidden: only pick One falls back to it`,
			goOnly: true,
		},
		"OneWithoutName": {
			reason: "The status tells of classes by the names of their sources.",
			json:   required(organization+byName, `, "pick": "One"`),
			want:   `sources[0].name: Required value: a class is recorded under the name of its source`,
			goOnly: true,
		},
		"OneTwice": {
			reason: "Two classes of one name can't both be told of.",
			json: input(`"sources": [
				{"type": "RequiredResource", "name": "a", "pick": "One", "prefix": "t/", "resource": {` + organization + byName + `}},
				{"type": "Value", "name": "a", "values": {"a": "b"}},
				{"type": "RequiredResource", "name": "a", "pick": "One", "prefix": "t/", "resource": {` + organization + byLabels + `}}
			]`),
			want:   `sources[2].name: Duplicate value: "a"`,
			goOnly: true,
		},
		"ProviderOfAll": {
			reason: "Several objects could name several providers.",
			json:   required(organization+byLabels, `, "providerFieldPath": "spec.provider"`),
			want:   `sources[0].providerFieldPath: Forbidden: only a class, which pick One picks, names a provider`,
			goOnly: true,
		},
		"ProviderBadPath": {
			reason: "A malformed path should be refused.",
			json:   one(organization+byName, `, "providerFieldPath": "spec.provider."`),
			want:   `sources[0].providerFieldPath: Invalid value: "spec.provider.": cannot parse field path "spec.provider.": unexpected '.' at position 13`,
			goOnly: true,
		},
		"ProviderEmptyPath": {
			reason: "An empty path leads nowhere.",
			json:   one(organization+byName, `, "providerFieldPath": ""`),
			want:   `sources[0].providerFieldPath: Invalid value: "": a field path must not be empty`,
		},
		"UnknownPolicy": {
			reason: "An unknown policy should be refused, with those that there are.",
			json:   required(organization+byName, `, "policy": {"fromFieldPath": "Ignore"}`),
			want:   `sources[0].policy.fromFieldPath: Unsupported value: "Ignore": supported values: "Optional", "Required"`,
		},

		// Reserved keys and the status.
		"ReservedKeyEmpty": {
			reason: "An empty entry should be refused, since it reserves the empty key at most.",
			json:   input(`"reservedKeys": ["a", ""], ` + minimal),
			want:   `reservedKeys[1]: Invalid value: "": must not be empty`,
			goOnly: true,
		},
		"ReservedKeyStars": {
			reason: "A star that is not at the end would reserve nothing.",
			json:   input(`"reservedKeys": ["*:zone", "a**", "a*"], ` + minimal),
			want: `[reservedKeys[0]: Invalid value: "*:zone": a * may only be the last character, ` +
				`reservedKeys[1]: Invalid value: "a**": a * may only be the last character]`,
			goOnly: true,
		},
		"IncludeNegated": {
			reason: "A pattern that matches no key should be refused, with what leaves labels out.",
			json:   source(`"type": "Value", "values": {}, "include": {"keys": ["platform/*", "!app/*"]}`),
			want:   `sources[0].include.keys[1]: Invalid value: "!app/*": matches no key: except says which labels are left out`,
			goOnly: true,
		},
		"ExceptNegated": {
			reason: "An exception of an exception matches no key either.",
			json:   source(`"type": "Value", "values": {}, "include": {"except": ["!app/*"]}`),
			want:   `sources[0].include.except[0]: Invalid value: "!app/*": matches no key: except says which labels are left out`,
			goOnly: true,
		},
		"ExceptStarNotLast": {
			reason: "An exception should be a pattern as others are.",
			json:   source(`"type": "Value", "values": {}, "include": {"except": ["a", "*/b"]}`),
			want:   `sources[0].include.except[1]: Invalid value: "*/b": a * may only be the last character`,
			goOnly: true,
		},
		"EmptyExcept": {
			reason: "Exceptions without any are better left out.",
			json:   source(`"type": "Value", "values": {}, "include": {"keys": ["a"], "except": []}`),
			want:   `sources[0].include.except: Required value: must not be empty: leave it out`,
		},
		"ExceptString": {
			reason: "Exceptions should have to be a list.",
			json:   source(`"type": "Value", "values": {}, "include": {"except": "a"}`),
			want:   `sources[0].include.except: must be a list, not a string`,
		},
		"TrustedIncludeFromField": {
			reason: "The author of a composite resource may not leave out labels of a trusted source.",
			json:   source(`"type": "Value", "values": {}, "trusted": true, "include": {"fromFieldPath": "spec.propagate"}`),
			want:   `sources[0].include.fromFieldPath: Forbidden: the author of the composite resource may not choose among the labels of a trusted source`,
		},
		"MatchNotAll": {
			reason: "That not all objects are taken doesn't say which are.",
			json:   required(organization+`, "matchLabels": {"all": false}`, ""),
			want:   `sources[0].resource.matchLabels: Invalid value: "": must have exactly one of value, fromFieldPath and all`,
		},
		"MatchAllWithValue": {
			reason: "All objects and those with some labels are not the same.",
			json:   required(organization+`, "matchLabels": {"all": true, "value": {"a": "b"}}`, ""),
			want:   `sources[0].resource.matchLabels: Invalid value: "": must have exactly one of value, fromFieldPath and all`,
		},
		"MatchAllWithField": {
			reason: "All objects and those that a field selects are not the same.",
			json:   required(organization+`, "matchLabels": {"all": true, "fromFieldPath": "spec.labels"}`, ""),
			want:   `sources[0].resource.matchLabels: Invalid value: "": must have exactly one of value, fromFieldPath and all`,
		},
		"MatchAllString": {
			reason: "Whether all are taken is a boolean.",
			json:   required(organization+`, "matchLabels": {"all": "true"}`, ""),
			want:   `sources[0].resource.matchLabels.all: must be a boolean, not a string`,
		},
		"UnknownProviderTags": {
			reason: "What becomes of providers' tags should be one of what there is.",
			json:   input(`"providerTags": "Ignore", ` + minimal),
			want:   `providerTags: Unsupported value: "Ignore": supported values: "None", "Reserve"`,
		},
		"ToContextKeyEmpty": {
			reason: "An empty key is none.",
			json:   input(`"toContextKey": "", ` + minimal),
			want:   `toContextKey: Required value: must not be empty`,
		},
		"ToContextKeyOfSteps": {
			reason: "Nothing may take the place of what steps tell each other.",
			json:   input(`"toContextKey": "cloudtags.fn.plexsphere.com/steps", ` + minimal),
			want:   `toContextKey: Invalid value: "cloudtags.fn.plexsphere.com/steps": must be another key: steps of this function keep their verdicts there`,
		},
		"StatusItself": {
			reason: "The status is not the function's own.",
			json:   input(`"statusFieldPath": "status", ` + minimal),
			want:   `statusFieldPath: Invalid value: "status": must be below status`,
		},
		"StatusElsewhere": {
			reason: "Functions can write the status only.",
			json:   input(`"statusFieldPath": "spec.cloudTags", ` + minimal),
			want:   `statusFieldPath: Invalid value: "spec.cloudTags": must be below status`,
		},
		"StatusLike": {
			reason: "A field whose name only begins as that of the status is another one.",
			json:   input(`"statusFieldPath": "statuses.cloudTags", ` + minimal),
			want:   `statusFieldPath: Invalid value: "statuses.cloudTags": must be below status`,
		},
		"StatusEmpty": {
			reason: "An empty path leads nowhere.",
			json:   input(`"statusFieldPath": "", ` + minimal),
			want:   `statusFieldPath: Invalid value: "": a field path must not be empty`,
		},
		"StatusConditions": {
			reason: "The conditions are Crossplane's.",
			json:   input(`"statusFieldPath": "status.conditions", ` + minimal),
			want:   `statusFieldPath: Invalid value: "status.conditions": must not be status.conditions or below it`,
			goOnly: true,
		},
		"StatusCondition": {
			reason: "Each condition is Crossplane's.",
			json:   input(`"statusFieldPath": "status.conditions[0].tags", ` + minimal),
			want:   `statusFieldPath: Invalid value: "status.conditions[0].tags": must not be status.conditions or below it`,
			goOnly: true,
		},
		"StatusBelowConditions": {
			reason: "What is below the conditions is Crossplane's.",
			json:   input(`"statusFieldPath": "status.conditions.tags", ` + minimal),
			want:   `statusFieldPath: Invalid value: "status.conditions.tags": must not be status.conditions or below it`,
			goOnly: true,
		},
		"StatusConditionsInBrackets": {
			reason: "The conditions are Crossplane's, however their path is put.",
			json:   input(`"statusFieldPath": "status.[conditions].tags", ` + minimal),
			want:   `statusFieldPath: Invalid value: "status.[conditions].tags": cannot parse field path "status.[conditions].tags": unexpected '[' at position 7`,
			goOnly: true,
		},
		"StatusBadPath": {
			reason: "A malformed path should be refused.",
			json:   input(`"statusFieldPath": "status..tags", ` + minimal),
			want:   `statusFieldPath: Invalid value: "status..tags": cannot parse field path "status..tags": unexpected '.' at position 7`,
			goOnly: true,
		},
		"StatusWildcard": {
			reason: "A path that leads to many fields should be refused.",
			json:   input(`"statusFieldPath": "status.zones[*]", ` + minimal),
			want:   `statusFieldPath: Invalid value: "status.zones[*]": field path "status.zones[*]" must lead to one field, without wildcards`,
			goOnly: true,
		},

		// Unknown fields and wrong types.
		"UnknownFieldOfResource": {
			reason: "An unknown field of the object should be named, and those that there are.",
			json:   required(organization+byName+`, "labels": {}`, ""),
			want:   `unknown field "sources[0].resource.labels": allowed: apiVersion, defaultMatchLabels, kind, kinds, matchLabels, name, namespace`,
		},
		"UnknownFieldOfKind": {
			reason: "An unknown field of a kind should be named, and those that there are.",
			json:   one(`"kinds": [{"apiVersion": "a/v1", "kind": "A", "name": "a"}]`+byName, ""),
			want:   `unknown field "sources[0].resource.kinds[0].name": allowed: apiVersion, kind`,
		},
		"UnknownFieldOfMatchLabels": {
			reason: "Labels right there are an easy mistake, and the message should say what there is.",
			json:   required(organization+`, "matchLabels": {"grade": "gold"}`, ""),
			want:   `unknown field "sources[0].resource.matchLabels.grade": allowed: all, fromFieldPath, value`,
		},
		"NameString": {
			reason: "A name right there is an easy mistake.",
			json:   required(organization+`, "name": "acme"`, ""),
			want:   `sources[0].resource.name: must be an object, not a string`,
		},
		"NamespaceString": {
			reason: "A namespace right there is an easy mistake.",
			json:   required(organization+byName+`, "namespace": "platform"`, ""),
			want:   `sources[0].resource.namespace: must be an object, not a string`,
		},
		"LabelNumber": {
			reason: "The value of a label should have to be a string: 1 without quotes is an easy mistake.",
			json:   required(organization+`, "matchLabels": {"value": {"n": 1}}`, ""),
			want:   `sources[0].resource.matchLabels.value.n: must be a string, not a number`,
		},
		"DefaultLabelBoolean": {
			reason: "The value of a label should have to be a string: true without quotes is an easy mistake.",
			json:   one(organization+`, "defaultMatchLabels": {"default": true}`, ""),
			want:   `sources[0].resource.defaultMatchLabels.default: must be a string, not a boolean`,
		},
		"DefaultLabelNull": {
			reason: "A null for a label's value should not become an empty one.",
			json:   one(organization+`, "defaultMatchLabels": {"default": null}`, ""),
			want:   `sources[0].resource.defaultMatchLabels.default: Invalid value: null: must not be null`,
		},
		"KindsObject": {
			reason: "The kinds should have to be a list.",
			json:   one(`"kinds": {"apiVersion": "a/v1", "kind": "A"}`+byName, ""),
			want:   `sources[0].resource.kinds: must be a list, not an object`,
		},
		"ResourceString": {
			reason: "The object should have to be an object.",
			json:   source(`"type": "RequiredResource", "prefix": "t/", "resource": "acme"`),
			want:   `sources[0].resource: must be an object, not a string`,
		},
		"TrustedString": {
			reason: "Trust should have to be a boolean: quotes are an easy mistake.",
			json:   source(`"type": "Value", "values": {}, "trusted": "true"`),
			want:   `sources[0].trusted: must be a boolean, not a string`,
		},
		"ReservedKeysString": {
			reason: "Reserved keys should have to be a list.",
			json:   input(`"reservedKeys": "workspace", ` + minimal),
			want:   `reservedKeys: must be a list, not a string`,
		},
		"ReservedKeyNumber": {
			reason: "A reserved key should have to be a string.",
			json:   input(`"reservedKeys": ["a", 1], ` + minimal),
			want:   `reservedKeys[1]: must be a string, not a number`,
		},
		"ContextKeyNumber": {
			reason: "The context's key should have to be a string.",
			json:   source(`"type": "ContextField", "contextKey": 1, "fromFieldPath": "tags"`),
			want:   `sources[0].contextKey: must be a string, not a number`,
		},
		"StatusFieldPathObject": {
			reason: "A path should have to be a string.",
			json:   input(`"statusFieldPath": {"path": "status"}, ` + minimal),
			want:   `statusFieldPath: must be a string, not an object`,
		},
		"ResourceNull": {
			reason: "Null should be refused, since it may be a template's mistake.",
			json:   source(`"type": "RequiredResource", "prefix": "t/", "resource": null`),
			want:   `sources[0].resource: Invalid value: null: must not be null`,
		},
	}
}

// TestCRDAgreesOnEmptySources is about what an input says although it could leave it
// out. Whether or not that is accepted, both must agree.
func TestCRDAgreesOnEmptySources(t *testing.T) {
	cases := map[string]string{
		"ContextKeyOfValue":      source(`"type": "Value", "values": {}, "contextKey": ""`),
		"ContextKeyOfMetadata":   source(`"type": "CompositeMetadata", "prefix": "t/", "contextKey": ""`),
		"PrefixOfValue":          source(`"type": "Value", "values": {}, "prefix": ""`),
		"PrefixOfField":          source(`"type": "CompositeField", "fromFieldPath": "spec.tags", "prefix": ""`),
		"PrefixOfMapOfObject":    source(`"type": "RequiredResource", "fromFieldPath": "data", "prefix": "", "resource": {` + organization + byName + `}`),
		"PrefixOfObject":         source(`"type": "RequiredResource", "prefix": "", "resource": {` + organization + byName + `}`),
		"PickOfValue":            source(`"type": "Value", "values": {}, "pick": ""`),
		"NameOfSource":           required(organization+byName, `, "name": ""`),
		"APIVersion":             required(`"apiVersion": "", "kind": "A"`+byName, ""),
		"Kind":                   required(`"apiVersion": "v1", "kind": ""`+byName, ""),
		"APIVersionBesideKinds":  one(`"apiVersion": "", "kinds": [{"apiVersion": "a/v1", "kind": "A"}]`+byName, ""),
		"KindBesideKinds":        one(`"kind": "", "kinds": [{"apiVersion": "a/v1", "kind": "A"}]`+byName, ""),
		"KindsBesideKind":        one(organization+byName+`, "kinds": []`, ""),
		"MatchLabelsFromNowhere": required(organization+`, "matchLabels": {"fromFieldPath": ""}`, ""),
		"EmptyMatchLabels":       required(organization+`, "matchLabels": {"value": {}}`, ""),
		"EmptyDefaultLabels":     one(organization+`, "defaultMatchLabels": {}`, ""),
		"LabelWithoutValue":      required(organization+`, "matchLabels": {"value": {"a": ""}}`, ""),
		"ProviderFieldPath":      one(organization+byName, `, "providerFieldPath": ""`),
		"StatusFieldPath":        input(`"statusFieldPath": "", ` + minimal),
		"PolicyOfObject":         required(organization+byName, `, "policy": {"fromFieldPath": ""}`),
	}

	checkAgree(t, cases)
}

func TestCRDPick(t *testing.T) {
	c := readCRD(t)

	got := []string{}
	for _, e := range c.schema.Properties["sources"].Items.Schema.Properties["pick"].Enum {
		got = append(got, string(e.Raw))
	}

	if diff := cmp.Diff([]string{`"All"`, `"One"`}, got); diff != "" {
		t.Errorf("\nThe CRD should have all values: -want, +got:\n%s", diff)
	}
}

// TestRequired is about which sources fail if what they read is absent.
func TestRequired(t *testing.T) {
	cases := map[string]struct {
		reason string
		json   string
		want   bool
	}{
		"Field":            {reason: "A field should be optional by default.", json: source(`"type": "CompositeField", "fromFieldPath": "a"`)},
		"FieldEmpty":       {reason: "A field should be optional by default.", json: source(`"type": "CompositeField", "fromFieldPath": "a", "policy": {}`)},
		"FieldRequired":    {reason: "A field may be required.", json: source(`"type": "CompositeField", "fromFieldPath": "a", "policy": {"fromFieldPath": "Required"}`), want: true},
		"Context":          {reason: "The context should be optional by default.", json: source(`"type": "ContextField", "contextKey": "k", "fromFieldPath": "a"`)},
		"ContextRequired":  {reason: "The context may be required.", json: source(`"type": "ContextField", "contextKey": "k", "fromFieldPath": "a", "policy": {"fromFieldPath": "Required"}`), want: true},
		"Metadata":         {reason: "Labels and annotations should be optional.", json: source(`"type": "CompositeMetadata", "prefix": "t/"`)},
		"Resource":         {reason: "An object should be required by default.", json: required(organization+byName, ""), want: true},
		"ResourceEmpty":    {reason: "An object should be required by default.", json: required(organization+byName, `, "policy": {}`), want: true},
		"ResourceOptional": {reason: "An object may be optional.", json: required(organization+byName, `, "policy": {"fromFieldPath": "Optional"}`)},
	}

	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			in, err := v1beta1.Decode(resource.MustStructJSON(tc.json))
			if err != nil {
				t.Fatal(err)
			}

			if got := in.Sources[0].Required(); got != tc.want {
				t.Errorf("\n%s\nRequired(): want %t, got %t", tc.reason, tc.want, got)
			}
		})
	}
}

func TestResourceKinds(t *testing.T) {
	a, b := v1beta1.ResourceKind{APIVersion: "a/v1", Kind: "A"}, v1beta1.ResourceKind{APIVersion: "b/v1", Kind: "B"}

	one := v1beta1.RequiredResource{APIVersion: "a/v1", Kind: "A"}
	if diff := cmp.Diff([]v1beta1.ResourceKind{a}, one.ResourceKinds()); diff != "" {
		t.Errorf("\nOne kind should be the only one.\nResourceKinds(): -want, +got:\n%s", diff)
	}

	several := v1beta1.RequiredResource{Kinds: []v1beta1.ResourceKind{b, a}}
	if diff := cmp.Diff([]v1beta1.ResourceKind{b, a}, several.ResourceKinds()); diff != "" {
		t.Errorf("\nSeveral kinds should keep their order.\nResourceKinds(): -want, +got:\n%s", diff)
	}
}
