package v1beta1_test

import (
	"testing"

	"github.com/plexsphere/function-cloud-tags/input/v1beta1"
)

// selecting returns an input for the resources that a selector of the supplied fields
// selects.
func selecting(fields string) string { return input(`"resources": [{` + fields + `}], ` + minimal) }

// removeTag returns an input with one entry of the supplied fields that removes tags.
func removeTag(fields string) string { return input(`"removeTags": [{` + fields + `}]`) }

// ignoreTag returns an input with one entry of the supplied fields that ignores tags.
func ignoreTag(fields string) string { return input(`"ignoreTags": [{` + fields + `}]`) }

func validTagRules() map[string]validCase {
	// selects, removes and ignores return an input as Decode returns it.
	selects := func(s ...v1beta1.ResourceSelector) *v1beta1.CloudTags {
		return decoded(func(in *v1beta1.CloudTags) { in.Resources = s })
	}

	removes := func(r ...v1beta1.RemoveTag) *v1beta1.CloudTags {
		return sourceless(func(in *v1beta1.CloudTags) { in.RemoveTags = r })
	}

	ignores := func(i ...v1beta1.IgnoreTag) *v1beta1.CloudTags {
		return sourceless(func(in *v1beta1.CloudTags) { in.IgnoreTags = i })
	}

	key := func(k string) v1beta1.TagKeys { return v1beta1.TagKeys{Key: k} }
	odd := map[string]string{"value": "", "key": "", "name": "", "matchLabels": "", "": "", "example.org/a": "é"}

	return map[string]validCase{
		"LimitPolicy": {
			reason: "The default policy may be spelled out.",
			json:   input(`"limitPolicy": "ApplyPartial", ` + minimal),
			want:   decoded(nil),
		},
		"LimitPolicyStrict": {
			reason: "Labels without a slot may be made to fail.",
			json:   input(`"limitPolicy": "ApplyStrict", ` + minimal),
			want:   decoded(func(in *v1beta1.CloudTags) { in.LimitPolicy = "ApplyStrict" }),
		},

		// Resources.
		"SelectorFields": {
			reason: "Any field of a selector should do alone.",
			json: input(`"resources": [
				{"name": "bucket"}, {"apiVersion": "s3.aws.m.upbound.io/v1beta1"}, {"kind": "Bucket"}, {"matchLabels": {"a": "b"}}, {"matchTags": {"c": "d"}}
			], ` + minimal),
			want: selects(
				v1beta1.ResourceSelector{Name: "bucket"},
				v1beta1.ResourceSelector{APIVersion: "s3.aws.m.upbound.io/v1beta1"},
				v1beta1.ResourceSelector{Kind: "Bucket"},
				v1beta1.ResourceSelector{MatchLabels: map[string]string{"a": "b"}},
				v1beta1.ResourceSelector{MatchTags: map[string]string{"c": "d"}},
			),
		},
		"EverythingOfASelector": {
			reason: "Every field of a selector should be taken.",
			json:   selecting(`"name": "bucket-a", "apiVersion": "a/v1", "kind": "A", "matchLabels": {"a": "b", "c": "d"}, "matchTags": {"e": "f"}`),
			want: selects(v1beta1.ResourceSelector{
				Name: "bucket-a", APIVersion: "a/v1", Kind: "A",
				MatchLabels: map[string]string{"a": "b", "c": "d"}, MatchTags: map[string]string{"e": "f"},
			}),
		},
		"SelectorStars": {
			reason: "A star may be anywhere in a name, an apiVersion and a kind.",
			json:   selecting(`"name": "*-bucket-*", "apiVersion": "s3.*/*", "kind": "*"`),
			want:   selects(v1beta1.ResourceSelector{Name: "*-bucket-*", APIVersion: "s3.*/*", Kind: "*"}),
		},
		"SelectorOddKeys": {
			reason: "Labels and tags may have any names, also those of the input's own fields, and empty values.",
			json: selecting(`"matchLabels": {"value": "", "key": "", "name": "", "matchLabels": "", "": "", "example.org/a": "é"},
				"matchTags": {"value": "", "key": "", "name": "", "matchLabels": "", "": "", "example.org/a": "é"}`),
			want: selects(v1beta1.ResourceSelector{MatchLabels: odd, MatchTags: odd}),
		},

		// Tags to remove.
		"RemoveTag": {
			reason: "An input may do nothing but remove a tag.",
			json:   removeTag(`"key": "owner"`),
			want:   removes(v1beta1.RemoveTag{TagKeys: key("owner")}),
		},
		"RemoveTagStars": {
			reason: "The beginning of keys and a star is a key to remove, and so is a star alone.",
			json:   input(`"removeTags": [{"key": "aws-backup:*"}, {"key": "*"}]`),
			want:   removes(v1beta1.RemoveTag{TagKeys: key("aws-backup:*")}, v1beta1.RemoveTag{TagKeys: key("*")}),
		},
		"RemoveTagValue": {
			reason: "A tag may be removed at one value only, which may be that of many keys.",
			json:   input(`"removeTags": [{"key": "owner", "value": "nobody"}, {"key": "tmp-*", "value": "*"}]`),
			want: removes(
				v1beta1.RemoveTag{TagKeys: key("owner"), Value: new("nobody")},
				v1beta1.RemoveTag{TagKeys: key("tmp-*"), Value: new("*")},
			),
		},
		"RemoveTagEmptyValue": {
			reason: "Tags have empty values, so a tag may be removed at its empty one, which is not any value.",
			json:   removeTag(`"key": "owner", "value": ""`),
			want:   removes(v1beta1.RemoveTag{TagKeys: key("owner"), Value: new("")}),
		},
		"RemoveTagsFromField": {
			reason: "The keys may be in a field of the composite resource.",
			json:   removeTag(`"fromFieldPath": "spec.groups[0].removed['example.org/tags']"`),
			want:   removes(v1beta1.RemoveTag{TagKeys: v1beta1.TagKeys{FromFieldPath: new("spec.groups[0].removed['example.org/tags']")}}),
		},
		"RemoveTagsFromContext": {
			reason: "The keys may be in a field of the context.",
			json:   removeTag(`"fromFieldPath": "tags.removed", "contextKey": "` + environment + `"`),
			want: removes(v1beta1.RemoveTag{
				TagKeys: v1beta1.TagKeys{FromFieldPath: new("tags.removed"), ContextKey: new(environment)},
			}),
		},

		// Tags to ignore.
		"IgnoreTag": {
			reason: "An input may do nothing but ignore a tag, whose value in the cloud should replace others by default.",
			json:   ignoreTag(`"key": "owner"`),
			want:   ignores(v1beta1.IgnoreTag{TagKeys: key("owner"), OnConflict: "Replace"}),
		},
		"IgnoreTagOnConflict": {
			reason: "The default of a conflict may be spelled out, and the tag may be kept.",
			json:   input(`"ignoreTags": [{"key": "owner", "onConflict": "Replace"}, {"key": "*", "onConflict": "Retain"}]`),
			want: ignores(
				v1beta1.IgnoreTag{TagKeys: key("owner"), OnConflict: "Replace"},
				v1beta1.IgnoreTag{TagKeys: key("*"), OnConflict: "Retain"},
			),
		},
		"IgnoreTagsFromField": {
			reason: "The keys may be in a field of the composite resource, or of the context.",
			json: input(`"ignoreTags": [
				{"fromFieldPath": "spec.ignored"},
				{"fromFieldPath": "tags.ignored", "contextKey": "` + environment + `", "onConflict": "Retain"}
			]`),
			want: ignores(
				v1beta1.IgnoreTag{TagKeys: v1beta1.TagKeys{FromFieldPath: new("spec.ignored")}, OnConflict: "Replace"},
				v1beta1.IgnoreTag{
					TagKeys:    v1beta1.TagKeys{FromFieldPath: new("tags.ignored"), ContextKey: new(environment)},
					OnConflict: "Retain",
				},
			),
		},
		"RemoveAndIgnore": {
			reason: "Tags may be removed and ignored beside sources, the same ones, too.",
			json:   input(`"removeTags": [{"key": "a"}, {"key": "a"}], "ignoreTags": [{"key": "a"}], ` + minimal),
			want: decoded(func(in *v1beta1.CloudTags) {
				in.RemoveTags = []v1beta1.RemoveTag{{TagKeys: key("a")}, {TagKeys: key("a")}}
				in.IgnoreTags = []v1beta1.IgnoreTag{{TagKeys: key("a"), OnConflict: "Replace"}}
			}),
		},
	}
}

func invalidTagRules() map[string]invalidCase {
	const (
		leaveOut    = `Invalid value: "": must not be empty: leave it out`
		leaveOutAll = `Required value: must not be empty: leave it out`
		null        = `Invalid value: null: must not be null`
		either      = `Invalid value: "": must have exactly one of key and fromFieldPath`
		star        = `a * may only be the last character`

		selectorFields = `apiVersion, kind, matchLabels, matchTags, name`
		removeFields   = `contextKey, fromFieldPath, key, value`
		ignoreFields   = `contextKey, fromFieldPath, key, onConflict`
	)

	return map[string]invalidCase{
		// What there is to do.
		"NothingToDo": {
			reason: "What only says how and on what, says nothing to do.",
			json: input(`"limitPolicy": "ApplyStrict", "resources": [{"kind": "A"}], "reservedKeys": ["a"], "statusFieldPath": "status.tags",
				"tagFields": [{"apiVersion": "a/v1", "kind": "A", "shape": "None"}]`),
			want: nothing,
		},
		"EmptySourcesBesideRules": {
			reason: "An empty list is a mistake also where there is something else to do.",
			json:   input(`"sources": [], "removeTags": [{"key": "a"}]`),
			want:   `sources: ` + leaveOutAll,
		},
		"NullSourcesBesideRules": {
			reason: "Null should not do for no sources.",
			json:   input(`"sources": null, "removeTags": [{"key": "a"}]`),
			want:   `sources: ` + null,
			goOnly: true, // The API server drops null where it is not allowed.
		},
		"EmptyLists": {
			reason: "Each empty list should be named.",
			json:   input(`"sources": [], "resources": [], "removeTags": [], "ignoreTags": [], "kubernetesMetadata": []`),
			want: `[sources: ` + leaveOutAll + `, resources: ` + leaveOutAll + `, removeTags: ` + leaveOutAll + `, ` +
				`ignoreTags: ` + leaveOutAll + `, kubernetesMetadata: ` + leaveOutAll + `]`,
		},

		// The limit policy.
		"UnknownLimitPolicy": {
			reason: "An unknown limit policy should be refused, with those that there are.",
			json:   input(`"limitPolicy": "Partial", ` + minimal),
			want:   `limitPolicy: Unsupported value: "Partial": supported values: "ApplyPartial", "ApplyStrict"`,
		},
		"LimitPolicyInOtherCase": {
			reason: "A limit policy should match with case.",
			json:   input(`"limitPolicy": "applyStrict", ` + minimal),
			want:   `limitPolicy: Unsupported value: "applyStrict": supported values: "ApplyPartial", "ApplyStrict"`,
		},
		"EmptyLimitPolicy": {
			reason: "An empty string should not be taken for the default.",
			json:   input(`"limitPolicy": "", ` + minimal),
			want:   `limitPolicy: ` + leaveOut,
		},
		"NullLimitPolicy": {
			reason: "Null should not be taken for the default.",
			json:   input(`"limitPolicy": null, ` + minimal),
			want:   `limitPolicy: ` + null,
			goOnly: true, // The API server drops null where there is a default.
		},
		"LimitPolicyBoolean": {
			reason: "The limit policy should have to be a string.",
			json:   input(`"limitPolicy": true, ` + minimal),
			want:   `limitPolicy: must be a string, not a boolean`,
		},

		// Resources.
		"EmptyResources": {
			reason: "No selectors select nothing, so an empty list is a mistake.",
			json:   input(`"resources": [], ` + minimal),
			want:   `resources: ` + leaveOutAll,
		},
		"NullResources": {
			reason: "Null should not do for all resources.",
			json:   input(`"resources": null, ` + minimal),
			want:   `resources: ` + null,
			goOnly: true, // The API server drops null where it is not allowed.
		},
		"ResourcesObject": {
			reason: "The selectors should have to be a list: one right there is an easy mistake.",
			json:   input(`"resources": {"kind": "A"}, ` + minimal),
			want:   `resources: must be a list, not an object`,
		},
		"SelectorString": {
			reason: "A selector should have to be an object: a name right there is an easy mistake.",
			json:   input(`"resources": [{"kind": "A"}, "bucket"], ` + minimal),
			want:   `resources[1]: must be an object, not a string`,
		},
		"SelectorNull": {
			reason: "Null should not do for a selector.",
			json:   input(`"resources": [{"kind": "A"}, null], ` + minimal),
			want:   `resources[1]: ` + null,
		},
		"EmptySelector": {
			reason: "A selector that says nothing would select everything, and the message should say which it is.",
			json:   input(`"resources": [{"kind": "A"}, {}], ` + minimal),
			want:   `resources[1]: Invalid value: "": must have one of name, apiVersion, kind, matchLabels and matchTags`,
		},
		"SelectorEmptyName": {
			reason: "An empty name should not be taken for any.",
			json:   selecting(`"kind": "A", "name": ""`),
			want:   `resources[0].name: ` + leaveOut,
		},
		"SelectorEmptyAPIVersion": {
			reason: "An empty apiVersion should not be taken for any.",
			json:   selecting(`"kind": "A", "apiVersion": ""`),
			want:   `resources[0].apiVersion: ` + leaveOut,
		},
		"SelectorEmptyKind": {
			reason: "An empty kind should not be taken for any.",
			json:   selecting(`"name": "a", "kind": ""`),
			want:   `resources[0].kind: ` + leaveOut,
		},
		"SelectorEmptyMaps": {
			reason: "Empty maps would match everything, and both should be named.",
			json:   selecting(`"matchLabels": {}, "matchTags": {}`),
			want:   `[resources[0].matchLabels: ` + leaveOutAll + `, resources[0].matchTags: ` + leaveOutAll + `]`,
		},
		"SelectorEmptyMatchLabels": {
			reason: "An empty map would match everything, so it is a mistake beside other fields, too.",
			json:   selecting(`"kind": "A", "matchLabels": {}`),
			want:   `resources[0].matchLabels: ` + leaveOutAll,
		},
		"SelectorEmptyMatchTags": {
			reason: "An empty map would match everything, so it is a mistake beside other fields, too.",
			json:   selecting(`"kind": "A", "matchTags": {}`),
			want:   `resources[0].matchTags: ` + leaveOutAll,
		},
		"SelectorNullMatchLabels": {
			reason: "Null should not do for any labels.",
			json:   selecting(`"kind": "A", "matchLabels": null`),
			want:   `resources[0].matchLabels: ` + null,
			goOnly: true, // The API server drops null where it is not allowed.
		},
		"SelectorNullLabel": {
			reason: "A null for a label's value should not become an empty one.",
			json:   selecting(`"matchLabels": {"a": "b", "value": null}`),
			want:   `resources[0].matchLabels.value: ` + null,
			goOnly: true, // The API server drops null where it is not allowed.
		},
		"SelectorNullTag": {
			reason: "A null for a tag's value should not become an empty one.",
			json:   selecting(`"matchTags": {"a": null}`),
			want:   `resources[0].matchTags.a: ` + null,
		},
		"SelectorNullName": {
			reason: "Null should not do for any name.",
			json:   selecting(`"kind": "A", "name": null`),
			want:   `resources[0].name: ` + null,
			goOnly: true, // The API server drops null where it is not allowed.
		},
		"SelectorNameObject": {
			reason: "A name should have to be a string, though that of a required resource is an object.",
			json:   selecting(`"name": {"value": "a"}`),
			want:   `resources[0].name: must be a string, not an object`,
		},
		"SelectorAPIVersionNumber": {
			reason: "An apiVersion should have to be a string.",
			json:   selecting(`"apiVersion": 1`),
			want:   `resources[0].apiVersion: must be a string, not a number`,
		},
		"SelectorKindList": {
			reason: "A kind should have to be a string.",
			json:   selecting(`"kind": ["A", "B"]`),
			want:   `resources[0].kind: must be a string, not a list`,
		},
		"SelectorMatchLabelsValue": {
			reason: "The labels should have to be right there, though those of a required resource are a value.",
			json:   selecting(`"matchLabels": {"value": {"a": "b"}}`),
			want:   `resources[0].matchLabels.value: must be a string, not an object`,
		},
		"SelectorMatchLabelsList": {
			reason: "Labels should have to be an object.",
			json:   selecting(`"matchLabels": ["a"]`),
			want:   `resources[0].matchLabels: must be an object, not a list`,
		},
		"SelectorLabelBoolean": {
			reason: "The value of a label should have to be a string: true without quotes is an easy mistake.",
			json:   selecting(`"matchLabels": {"a": true}`),
			want:   `resources[0].matchLabels.a: must be a string, not a boolean`,
		},
		"SelectorMatchTagsString": {
			reason: "Tags should have to be an object.",
			json:   selecting(`"matchTags": "a=b"`),
			want:   `resources[0].matchTags: must be an object, not a string`,
		},
		"SelectorTagNumber": {
			reason: "The value of a tag should have to be a string: 1 without quotes is an easy mistake.",
			json:   selecting(`"matchTags": {"a": 1}`),
			want:   `resources[0].matchTags.a: must be a string, not a number`,
		},
		"UnknownFieldOfSelector": {
			reason: "An unknown field of a selector should be named, and those that there are.",
			json:   input(`"resources": [{"kind": "A"}, {"kind": "B", "labels": {"a": "b"}}], ` + minimal),
			want:   `unknown field "resources[1].labels": allowed: ` + selectorFields,
		},

		// Tags to remove.
		"EmptyRemoveTags": {
			reason: "An empty list removes nothing.",
			json:   input(`"removeTags": []`),
			want:   `removeTags: ` + leaveOutAll,
		},
		"NullRemoveTags": {
			reason: "Null should not do for a list.",
			json:   input(`"removeTags": null`),
			want:   `removeTags: ` + null,
		},
		"RemoveTagsObject": {
			reason: "The tags should have to be a list.",
			json:   input(`"removeTags": {"key": "a", "value": ""}`),
			want:   `removeTags: must be a list, not an object`,
		},
		"RemoveTagString": {
			reason: "A tag should have to be an object: a key right there is an easy mistake.",
			json:   input(`"removeTags": [{"key": "a"}, "b"]`),
			want:   `removeTags[1]: must be an object, not a string`,
		},
		"RemoveTagNull": {
			reason: "Null should not do for an entry.",
			json:   input(`"removeTags": [{"key": "a"}, null]`),
			want:   `removeTags[1]: ` + null,
		},
		"RemoveNoTag": {
			reason: "An entry needs to say which tags it is about, and the message should say which it is.",
			json:   input(`"removeTags": [{"key": "a"}, {}]`),
			want:   `removeTags[1]: ` + either,
		},
		"RemoveTagTwice": {
			reason: "A key should not be in the input and in a field at once.",
			json:   removeTag(`"key": "a", "fromFieldPath": "spec.removed"`),
			want:   `removeTags[0]: ` + either,
		},
		"RemoveTagEmptyKey": {
			reason: "An empty key is none.",
			json:   removeTag(`"key": ""`),
			want:   `removeTags[0].key: ` + leaveOut,
		},
		"RemoveTagEmptyKeyWithPath": {
			reason: "An empty key should be refused, though a path is there.",
			json:   removeTag(`"key": "", "fromFieldPath": "spec.removed"`),
			want:   `removeTags[0].key: ` + leaveOut,
		},
		"RemoveTagNullKey": {
			reason: "Null should not do for a key.",
			json:   removeTag(`"key": null`),
			want:   `removeTags[0].key: ` + null,
		},
		"RemoveTagStarInside": {
			reason: "A star is known at the end only, so it should be refused elsewhere, not taken for a character.",
			json:   input(`"removeTags": [{"key": "*:zone"}, {"key": "a*b"}, {"key": "a**"}]`),
			want: `[removeTags[0].key: Invalid value: "*:zone": ` + star + `, ` +
				`removeTags[1].key: Invalid value: "a*b": ` + star + `, ` +
				`removeTags[2].key: Invalid value: "a**": ` + star + `]`,
			goOnly: true,
		},
		"RemoveTagNumber": {
			reason: "A key should have to be a string.",
			json:   removeTag(`"key": 1`),
			want:   `removeTags[0].key: must be a string, not a number`,
		},
		"RemoveTagKeyList": {
			reason: "A key should have to be one.",
			json:   removeTag(`"key": ["a", "b"]`),
			want:   `removeTags[0].key: must be a string, not a list`,
		},
		"RemoveTagValueNumber": {
			reason: "A value should have to be a string: 1 without quotes is an easy mistake.",
			json:   removeTag(`"key": "a", "value": 1`),
			want:   `removeTags[0].value: must be a string, not a number`,
		},
		"RemoveTagValueObject": {
			reason: "A value should have to be a string.",
			json:   removeTag(`"key": "a", "value": {"fromFieldPath": "spec.value"}`),
			want:   `removeTags[0].value: must be a string, not an object`,
		},
		"RemoveTagNullValue": {
			reason: "Null is neither an empty value nor any value.",
			json:   removeTag(`"key": "a", "value": null`),
			want:   `removeTags[0].value: ` + null,
			goOnly: true, // The API server drops null where it is not allowed.
		},
		"RemoveTagValueFromField": {
			reason: "Keys from a field are removed whatever their value is.",
			json:   removeTag(`"fromFieldPath": "spec.removed", "value": "a"`),
			want:   `removeTags[0].value: Forbidden: only a key can have one`,
		},
		"RemoveTagEmptyValueFromField": {
			reason: "An empty value is one, too.",
			json:   removeTag(`"fromFieldPath": "spec.removed", "value": ""`),
			want:   `removeTags[0].value: Forbidden: only a key can have one`,
		},
		"RemoveTagValueOnly": {
			reason: "A value is one of many tags, and all that is wrong should be named.",
			json:   removeTag(`"value": "a"`),
			want:   `[removeTags[0]: ` + either + `, removeTags[0].value: Forbidden: only a key can have one]`,
		},
		"RemoveTagEmptyPath": {
			reason: "An empty path leads to no field.",
			json:   removeTag(`"fromFieldPath": ""`),
			want:   `removeTags[0].fromFieldPath: ` + leaveOut,
		},
		"RemoveTagBadPath": {
			reason: "A malformed path should be refused.",
			json:   removeTag(`"fromFieldPath": "spec..removed"`),
			want:   `removeTags[0].fromFieldPath: Invalid value: "spec..removed": cannot parse field path "spec..removed": unexpected '.' at position 5`,
			goOnly: true,
		},
		"RemoveTagWildcard": {
			reason: "A path that leads to many fields should be refused.",
			json:   removeTag(`"fromFieldPath": "spec.removed[*]"`),
			want:   `removeTags[0].fromFieldPath: Invalid value: "spec.removed[*]": field path "spec.removed[*]" must lead to one field, without wildcards`,
			goOnly: true,
		},
		"RemoveTagPathList": {
			reason: "A path should have to be a string.",
			json:   removeTag(`"fromFieldPath": ["spec.removed"]`),
			want:   `removeTags[0].fromFieldPath: must be a string, not a list`,
		},
		"RemoveTagContextKeyWithKey": {
			reason: "A key of the input is below no key of the context.",
			json:   removeTag(`"key": "a", "contextKey": "k"`),
			want:   `removeTags[0].contextKey: Forbidden: only a fromFieldPath is below it`,
		},
		"RemoveTagContextKeyOnly": {
			reason: "A key of the context holds more than tag keys.",
			json:   removeTag(`"contextKey": "k"`),
			want:   `removeTags[0]: ` + either,
		},
		"RemoveTagEmptyContextKey": {
			reason: "An empty key of the context should not be taken for the composite resource.",
			json:   removeTag(`"fromFieldPath": "spec.removed", "contextKey": ""`),
			want:   `removeTags[0].contextKey: Required value: must not be empty`,
		},
		"RemoveTagContextKeyNumber": {
			reason: "A key of the context should have to be a string.",
			json:   removeTag(`"fromFieldPath": "removed", "contextKey": 1`),
			want:   `removeTags[0].contextKey: must be a string, not a number`,
		},
		"UnknownFieldOfRemoveTag": {
			reason: "An unknown field should be named, and all that there are, also those that tags to ignore have, too.",
			json:   input(`"removeTags": [{"key": "a"}, {"key": "b", "onConflict": "Retain"}]`),
			want:   `unknown field "removeTags[1].onConflict": allowed: ` + removeFields,
		},
		"RemoveTagKeysInline": {
			reason: "What the fields of keys are together called is no field.",
			json:   removeTag(`"TagKeys": {"key": "a"}`),
			want:   `unknown field "removeTags[0].TagKeys": allowed: ` + removeFields,
		},

		// Tags to ignore.
		"EmptyIgnoreTags": {
			reason: "An empty list ignores nothing.",
			json:   input(`"ignoreTags": []`),
			want:   `ignoreTags: ` + leaveOutAll,
		},
		"NullIgnoreTags": {
			reason: "Null should not do for a list.",
			json:   input(`"ignoreTags": null`),
			want:   `ignoreTags: ` + null,
		},
		"IgnoreTagsString": {
			reason: "The tags should have to be a list.",
			json:   input(`"ignoreTags": "aws-backup:*"`),
			want:   `ignoreTags: must be a list, not a string`,
		},
		"IgnoreTagString": {
			reason: "A tag should have to be an object: a key right there is an easy mistake.",
			json:   input(`"ignoreTags": ["aws-backup:*"]`),
			want:   `ignoreTags[0]: must be an object, not a string`,
		},
		"IgnoreTagNull": {
			reason: "Null should not do for an entry.",
			json:   input(`"ignoreTags": [null]`),
			want:   `ignoreTags[0]: ` + null,
		},
		"IgnoreNoTag": {
			reason: "An entry needs to say which tags it is about.",
			json:   ignoreTag(`"onConflict": "Retain"`),
			want:   `ignoreTags[0]: ` + either,
		},
		"IgnoreTagTwice": {
			reason: "A key should not be in the input and in a field at once.",
			json:   ignoreTag(`"key": "a", "fromFieldPath": "spec.ignored"`),
			want:   `ignoreTags[0]: ` + either,
		},
		"IgnoreTagEmptyKey": {
			reason: "An empty key is none.",
			json:   ignoreTag(`"key": ""`),
			want:   `ignoreTags[0].key: ` + leaveOut,
		},
		"IgnoreTagStarInside": {
			reason: "A star is known at the end only.",
			json:   ignoreTag(`"key": "*-backup"`),
			want:   `ignoreTags[0].key: Invalid value: "*-backup": ` + star,
			goOnly: true,
		},
		"IgnoreTagBoolean": {
			reason: "A key should have to be a string.",
			json:   ignoreTag(`"key": true`),
			want:   `ignoreTags[0].key: must be a string, not a boolean`,
		},
		"IgnoreTagBadPath": {
			reason: "A malformed path should be refused.",
			json:   ignoreTag(`"fromFieldPath": "spec.ignored["`),
			want:   `ignoreTags[0].fromFieldPath: Invalid value: "spec.ignored[": cannot parse field path "spec.ignored[": unterminated '[' at position 12`,
			goOnly: true,
		},
		"IgnoreTagWildcard": {
			reason: "A path that leads to many fields should be refused.",
			json:   ignoreTag(`"fromFieldPath": "*", "contextKey": "k"`),
			want:   `ignoreTags[0].fromFieldPath: Invalid value: "*": field path "*" must lead to one field, without wildcards`,
			goOnly: true,
		},
		"IgnoreTagContextKeyWithKey": {
			reason: "A key of the input is below no key of the context, and an empty one is none.",
			json:   ignoreTag(`"key": "a", "contextKey": ""`),
			want: `[ignoreTags[0].contextKey: Forbidden: only a fromFieldPath is below it, ` +
				`ignoreTags[0].contextKey: Required value: must not be empty]`,
		},
		"IgnoreTagOnConflictError": {
			reason: "That another system owns a tag is no failure, so only a source has the policy Error.",
			json:   ignoreTag(`"key": "a", "onConflict": "Error"`),
			want:   `ignoreTags[0].onConflict: Unsupported value: "Error": supported values: "Replace", "Retain"`,
		},
		"IgnoreTagUnknownOnConflict": {
			reason: "An unknown conflict policy should be refused, with those that there are.",
			json:   ignoreTag(`"key": "a", "onConflict": "Keep"`),
			want:   `ignoreTags[0].onConflict: Unsupported value: "Keep": supported values: "Replace", "Retain"`,
		},
		"IgnoreTagEmptyOnConflict": {
			reason: "An empty string should not be taken for the default.",
			json:   ignoreTag(`"key": "a", "onConflict": ""`),
			want:   `ignoreTags[0].onConflict: ` + leaveOut,
		},
		"IgnoreTagNullOnConflict": {
			reason: "Null should not be taken for the default.",
			json:   ignoreTag(`"key": "a", "onConflict": null`),
			want:   `ignoreTags[0].onConflict: ` + null,
			goOnly: true, // The API server drops null where there is a default.
		},
		"IgnoreTagOnConflictList": {
			reason: "A conflict policy should have to be a string.",
			json:   ignoreTag(`"key": "a", "onConflict": ["Retain"]`),
			want:   `ignoreTags[0].onConflict: must be a string, not a list`,
		},
		"IgnoreTagValue": {
			reason: "A tag is ignored whatever its value is, and the message should name all fields that there are.",
			json:   ignoreTag(`"key": "a", "value": "b"`),
			want:   `unknown field "ignoreTags[0].value": allowed: ` + ignoreFields,
		},

		// Everything at once.
		"SeveralMistakes": {
			reason: "Every mistake should be named at once, in the same order every time.",
			json: input(`"limitPolicy": "x", "resources": [{"matchTags": {}}], "removeTags": [{}, {"key": "*a"}],
				"ignoreTags": [{"onConflict": "Error"}], "kubernetesMetadata": [{}]`),
			want: `[limitPolicy: Unsupported value: "x": supported values: "ApplyPartial", "ApplyStrict", ` +
				`resources[0].matchTags: ` + leaveOutAll + `, ` +
				`removeTags[0]: ` + either + `, ` +
				`removeTags[1].key: Invalid value: "*a": ` + star + `, ` +
				`ignoreTags[0]: ` + either + `, ` +
				`ignoreTags[0].onConflict: Unsupported value: "Error": supported values: "Replace", "Retain", ` +
				`kubernetesMetadata[0].source.type: Required value: one of ` + metadataSourceTypes + `, ` +
				`kubernetesMetadata[0].select: Required value: at least one of prefixes, domains and all]`,
		},
	}
}

// TestCRDAgreesOnEmptyTagRules is about what an input says although it could leave it
// out. Whether or not that is accepted, both must agree.
func TestCRDAgreesOnEmptyTagRules(t *testing.T) {
	checkAgree(t, map[string]string{
		"LimitPolicy":           input(`"limitPolicy": "", ` + minimal),
		"Resources":             input(`"resources": [], ` + minimal),
		"Selector":              selecting(``),
		"SelectorName":          selecting(`"kind": "A", "name": ""`),
		"SelectorNameOnly":      selecting(`"name": ""`),
		"SelectorAPIVersion":    selecting(`"apiVersion": ""`),
		"SelectorKind":          selecting(`"kind": ""`),
		"SelectorMatchLabels":   selecting(`"matchLabels": {}`),
		"SelectorMatchTags":     selecting(`"name": "a", "matchTags": {}`),
		"SelectorLabel":         selecting(`"matchLabels": {"": ""}`),
		"SelectorTag":           selecting(`"matchTags": {"": ""}`),
		"RemoveTags":            input(`"removeTags": [], ` + minimal),
		"RemoveTag":             removeTag(``),
		"RemoveTagKey":          removeTag(`"key": ""`),
		"RemoveTagKeyBesides":   removeTag(`"key": "", "fromFieldPath": "spec.removed"`),
		"RemoveTagValue":        removeTag(`"key": "a", "value": ""`),
		"RemoveTagValueOnly":    removeTag(`"value": ""`),
		"RemoveTagPath":         removeTag(`"fromFieldPath": ""`),
		"RemoveTagPathBesides":  removeTag(`"key": "a", "fromFieldPath": ""`),
		"RemoveTagContextKey":   removeTag(`"fromFieldPath": "spec.removed", "contextKey": ""`),
		"IgnoreTags":            input(`"ignoreTags": [], ` + minimal),
		"IgnoreTag":             ignoreTag(``),
		"IgnoreTagKey":          ignoreTag(`"key": ""`),
		"IgnoreTagPath":         ignoreTag(`"fromFieldPath": ""`),
		"IgnoreTagContextKey":   ignoreTag(`"key": "a", "contextKey": ""`),
		"IgnoreTagOnConflict":   ignoreTag(`"key": "a", "onConflict": ""`),
		"IgnoreTagUnknownValue": ignoreTag(`"key": "a", "value": ""`),
	})
}
