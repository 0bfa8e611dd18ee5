package v1beta1_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/crossplane/function-sdk-go/resource"

	"github.com/plexsphere/function-cloud-tags/input/v1beta1"
)

// metadataSourceTypes are the types of source of metadata as errors put them.
const metadataSourceTypes = `"ComposedResource", "CompositeMetadata", "RequiredResource"`

// ofComposite and all are fields of a rule for metadata, for cases about another field.
const (
	ofComposite = `"source": {"type": "CompositeMetadata"}`
	all         = `"select": {"all": true}`
)

// rule returns an input with one rule for metadata of the supplied fields.
func rule(fields string) string { return input(`"kubernetesMetadata": [{` + fields + `}]`) }

// from returns an input with one rule for all metadata of a source of the supplied
// fields.
func from(source string) string { return rule(`"source": {` + source + `}, ` + all) }

// fromResource returns an input with one rule for all metadata of the required resource
// of the supplied fields.
func fromResource(object, fields string) string {
	return from(`"type": "RequiredResource", "resource": {` + object + `}` + fields)
}

// to returns an input with one rule for all metadata of the composite resource, which
// has the supplied fields, too.
func to(fields string) string { return rule(ofComposite + `, ` + all + `, ` + fields) }

// selects returns an input with one rule for metadata with the supplied selector.
func selects(fields string) string { return rule(ofComposite + `, "select": {` + fields + `}`) }

func validMetadataRules() map[string]validCase {
	// composite returns a rule for all metadata of the composite resource as Decode
	// returns it, changed.
	composite := func(change func(r *v1beta1.MetadataRule)) v1beta1.MetadataRule {
		r := v1beta1.MetadataRule{
			Source: v1beta1.MetadataSource{
				Type:                 "CompositeMetadata",
				LabelsFieldPath:      "metadata.labels",
				AnnotationsFieldPath: "metadata.annotations",
			},
			Copy:   []v1beta1.MetadataKind{"Labels", "Annotations"},
			Select: v1beta1.MetadataSelector{All: true},
			ToFieldPaths: &v1beta1.MetadataFieldPaths{
				Labels:      []string{"metadata.labels"},
				Annotations: []string{"metadata.annotations"},
			},
		}

		if change != nil {
			change(&r)
		}

		return r
	}

	// rules, of and requires return an input as Decode returns it.
	rules := func(r ...v1beta1.MetadataRule) *v1beta1.CloudTags {
		return sourceless(func(in *v1beta1.CloudTags) { in.KubernetesMetadata = r })
	}

	of := func(change func(r *v1beta1.MetadataRule)) *v1beta1.CloudTags { return rules(composite(change)) }

	requires := func(change func(s *v1beta1.MetadataSource)) *v1beta1.CloudTags {
		return of(func(r *v1beta1.MetadataRule) {
			r.Source.Type = "RequiredResource"
			r.Source.Resource = &v1beta1.RequiredResource{APIVersion: "example.org/v1", Kind: "Organization"}
			change(&r.Source)
		})
	}

	acme := func(s *v1beta1.MetadataSource) { s.Resource.Name = &v1beta1.StringSource{Value: new("acme")} }

	labels := func(r *v1beta1.MetadataRule) {
		r.Copy, r.ToFieldPaths.Annotations = []v1beta1.MetadataKind{"Labels"}, nil
	}
	annotations := func(r *v1beta1.MetadataRule) {
		r.Copy, r.ToFieldPaths.Labels = []v1beta1.MetadataKind{"Annotations"}, nil
	}

	return map[string]validCase{
		"Rule": {
			reason: "An input may do nothing but copy metadata: labels and annotations, to where they are, by default.",
			json:   rule(ofComposite + `, ` + all),
			want:   of(nil),
		},
		"DefaultsSpelledOut": {
			reason: "Every default may be spelled out.",
			json: rule(`"source": {"type": "CompositeMetadata", "labelsFieldPath": "metadata.labels", "annotationsFieldPath": "metadata.annotations"},
				"select": {"all": true}, "copy": ["Labels", "Annotations"],
				"toFieldPaths": {"labels": ["metadata.labels"], "annotations": ["metadata.annotations"]}`),
			want: of(nil),
		},
		"SeveralRules": {
			reason: "Several rules should each have their defaults, beside sources.",
			json: input(`"kubernetesMetadata": [
				{` + ofComposite + `, ` + all + `},
				{` + ofComposite + `, ` + all + `, "copy": ["Labels"]}
			], ` + minimal),
			want: decoded(func(in *v1beta1.CloudTags) {
				in.KubernetesMetadata = []v1beta1.MetadataRule{composite(nil), composite(labels)}
			}),
		},
		"EverythingOfARule": {
			reason: "Every field of a rule should be taken.",
			json: rule(`"source": {
					"type": "RequiredResource", "labelsFieldPath": "spec.labels", "annotationsFieldPath": "spec.annotations", "policy": {"fromFieldPath": "Optional"},
					"resource": {` + organization + byName + `, "namespace": {"fromFieldPath": "metadata.namespace"}}
				},
				"copy": ["Annotations", "Labels"],
				"select": {"prefixes": ["a"], "domains": ["b.example.org"], "all": true},
				"resources": [{"name": "a"}, {"apiVersion": "a/*", "kind": "A*", "matchLabels": {"value": ""}, "matchTags": {"key": ""}}],
				"toFieldPaths": {"labels": ["spec.a", "spec.b"], "annotations": ["spec.c"]}`),
			want: rules(v1beta1.MetadataRule{
				Source: v1beta1.MetadataSource{
					Type: "RequiredResource", LabelsFieldPath: "spec.labels", AnnotationsFieldPath: "spec.annotations",
					Resource: &v1beta1.RequiredResource{
						APIVersion: "example.org/v1", Kind: "Organization",
						Name:      &v1beta1.StringSource{Value: new("acme")},
						Namespace: &v1beta1.StringSource{FromFieldPath: new("metadata.namespace")},
					},
					Policy: &v1beta1.SourcePolicy{FromFieldPath: "Optional"},
				},
				Copy:   []v1beta1.MetadataKind{"Annotations", "Labels"},
				Select: v1beta1.MetadataSelector{Prefixes: []string{"a"}, Domains: []string{"b.example.org"}, All: true},
				Resources: []v1beta1.ResourceSelector{
					{Name: "a"},
					{APIVersion: "a/*", Kind: "A*", MatchLabels: map[string]string{"value": ""}, MatchTags: map[string]string{"key": ""}},
				},
				ToFieldPaths: &v1beta1.MetadataFieldPaths{Labels: []string{"spec.a", "spec.b"}, Annotations: []string{"spec.c"}},
			}),
		},

		// What is copied, and where to.
		"CopyLabels": {
			reason: "If only labels are copied, only they should have a path.",
			json:   to(`"copy": ["Labels"]`),
			want:   of(labels),
		},
		"CopyAnnotations": {
			reason: "If only annotations are copied, only they should have a path.",
			json:   to(`"copy": ["Annotations"]`),
			want:   of(annotations),
		},
		"CopyBoth": {
			reason: "Both may be copied, in any order.",
			json:   to(`"copy": ["Annotations", "Labels"]`),
			want:   of(func(r *v1beta1.MetadataRule) { r.Copy = []v1beta1.MetadataKind{"Annotations", "Labels"} }),
		},
		"ToLabels": {
			reason: "If only labels have a path, only they should be copied.",
			json:   to(`"toFieldPaths": {"labels": ["spec.labels"]}`),
			want: of(func(r *v1beta1.MetadataRule) {
				labels(r)

				r.ToFieldPaths.Labels = []string{"spec.labels"}
			}),
		},
		"ToAnnotations": {
			reason: "If only annotations have a path, only they should be copied.",
			json:   to(`"toFieldPaths": {"annotations": ["spec.annotations"]}`),
			want: of(func(r *v1beta1.MetadataRule) {
				annotations(r)

				r.ToFieldPaths.Annotations = []string{"spec.annotations"}
			}),
		},
		"ToBoth": {
			reason: "If both have paths, both should be copied.",
			json:   to(`"toFieldPaths": {"annotations": ["spec.annotations"], "labels": ["spec.labels"]}`),
			want: of(func(r *v1beta1.MetadataRule) {
				r.ToFieldPaths = &v1beta1.MetadataFieldPaths{Labels: []string{"spec.labels"}, Annotations: []string{"spec.annotations"}}
			}),
		},
		"CopyLabelsToPaths": {
			reason: "Labels may be copied to several paths, with keys and indices in brackets.",
			json:   to(`"copy": ["Labels"], "toFieldPaths": {"labels": ["metadata.labels", "spec.pools[0].labels['example.org/pool']"]}`),
			want: of(func(r *v1beta1.MetadataRule) {
				labels(r)

				r.ToFieldPaths.Labels = []string{"metadata.labels", "spec.pools[0].labels['example.org/pool']"}
			}),
		},
		"CopyAnnotationsToPath": {
			reason: "Annotations may be copied to where labels are.",
			json:   to(`"copy": ["Annotations"], "toFieldPaths": {"annotations": ["metadata.labels"]}`),
			want: of(func(r *v1beta1.MetadataRule) {
				annotations(r)

				r.ToFieldPaths.Annotations = []string{"metadata.labels"}
			}),
		},
		"Resources": {
			reason: "A rule may be for some resources only.",
			json:   to(`"resources": [{"kind": "A"}]`),
			want:   of(func(r *v1beta1.MetadataRule) { r.Resources = []v1beta1.ResourceSelector{{Kind: "A"}} }),
		},

		// Which keys are copied.
		"SelectPrefixes": {
			reason: "Prefixes alone should do, and be any texts.",
			json:   selects(`"prefixes": ["node-role.kubernetes.io", "a*/é"]`),
			want: of(func(r *v1beta1.MetadataRule) {
				r.Select = v1beta1.MetadataSelector{Prefixes: []string{"node-role.kubernetes.io", "a*/é"}}
			}),
		},
		"SelectDomains": {
			reason: "Domains alone should do.",
			json:   selects(`"domains": ["example.org", "platform.example.com"]`),
			want: of(func(r *v1beta1.MetadataRule) {
				r.Select = v1beta1.MetadataSelector{Domains: []string{"example.org", "platform.example.com"}}
			}),
		},
		"SelectNotAll": {
			reason: "That not all keys are selected is the default, which may be spelled out beside those that are.",
			json:   selects(`"prefixes": ["a"], "domains": ["b"], "all": false`),
			want: of(func(r *v1beta1.MetadataRule) {
				r.Select = v1beta1.MetadataSelector{Prefixes: []string{"a"}, Domains: []string{"b"}}
			}),
		},

		// Where metadata is copied from.
		"SourceFieldPaths": {
			reason: "Maps elsewhere may be taken for labels and annotations.",
			json:   from(`"type": "CompositeMetadata", "labelsFieldPath": "spec.labels", "annotationsFieldPath": "spec.groups[0]['example.org/a']"`),
			want: of(func(r *v1beta1.MetadataRule) {
				r.Source.LabelsFieldPath, r.Source.AnnotationsFieldPath = "spec.labels", "spec.groups[0]['example.org/a']"
			}),
		},
		"SourceLabelsFieldPath": {
			reason: "The path of annotations should have its default beside that of labels.",
			json:   from(`"type": "CompositeMetadata", "labelsFieldPath": "spec.labels"`),
			want:   of(func(r *v1beta1.MetadataRule) { r.Source.LabelsFieldPath = "spec.labels" }),
		},
		"SourceAnnotationsFieldPath": {
			reason: "The path of labels should have its default beside that of annotations.",
			json:   from(`"type": "CompositeMetadata", "annotationsFieldPath": "spec.annotations"`),
			want:   of(func(r *v1beta1.MetadataRule) { r.Source.AnnotationsFieldPath = "spec.annotations" }),
		},
		"ComposedResource": {
			reason: "A composed resource needs its name.",
			json:   from(`"type": "ComposedResource", "name": "bucket"`),
			want:   of(func(r *v1beta1.MetadataRule) { r.Source.Type, r.Source.Name = "ComposedResource", "bucket" }),
		},
		"EachComposedResource": {
			reason: "Each of several composed resources may be copied to those that are called alike.",
			json:   rule(`"source": {"type": "ComposedResource", "name": "pool-*"}, "select": {"all": true}, "resources": [{"name": "*-nodes", "kind": "Nodes"}, {"name": "*"}]`),
			want: of(func(r *v1beta1.MetadataRule) {
				r.Source.Type, r.Source.Name = "ComposedResource", "pool-*"
				r.Resources = []v1beta1.ResourceSelector{{Name: "*-nodes", Kind: "Nodes"}, {Name: "*"}}
			}),
		},
		"ToItems": {
			reason: "Metadata may be copied to all items of a list.",
			json:   to(`"copy": ["Labels"], "toFieldPaths": {"labels": ["spec.pools[*].template[*].labels"]}`),
			want: of(func(r *v1beta1.MetadataRule) {
				labels(r)
				r.ToFieldPaths.Labels = []string{"spec.pools[*].template[*].labels"}
			}),
		},
		"EverythingOfComposedResource": {
			reason: "Maps elsewhere in a composed resource may be taken, too.",
			json:   from(`"type": "ComposedResource", "name": "bucket", "labelsFieldPath": "spec.a", "annotationsFieldPath": "spec.b"`),
			want: of(func(r *v1beta1.MetadataRule) {
				r.Source = v1beta1.MetadataSource{Type: "ComposedResource", Name: "bucket", LabelsFieldPath: "spec.a", AnnotationsFieldPath: "spec.b"}
			}),
		},
		"RequiredResourceByName": {
			reason: "An object needs its kind and a name.",
			json:   fromResource(organization+byName, ""),
			want:   requires(acme),
		},
		"RequiredResourceByNameFromField": {
			reason: "The name and the namespace may be in fields of the composite resource.",
			json:   fromResource(organization+`, "name": {"fromFieldPath": "spec.name"}, "namespace": {"fromFieldPath": "metadata.namespace"}`, ""),
			want: requires(func(s *v1beta1.MetadataSource) {
				s.Resource.Name = &v1beta1.StringSource{FromFieldPath: new("spec.name")}
				s.Resource.Namespace = &v1beta1.StringSource{FromFieldPath: new("metadata.namespace")}
			}),
		},
		"RequiredResourceByLabels": {
			reason: "Objects may be found by labels of any names, whose values may be empty.",
			json:   fromResource(organization+`, "matchLabels": {"value": {"value": "", "key": "", "name": "", "grade": "gold"}}`, ""),
			want: requires(func(s *v1beta1.MetadataSource) {
				s.Resource.MatchLabels = &v1beta1.MapSource{Value: map[string]string{"value": "", "key": "", "name": "", "grade": "gold"}}
			}),
		},
		"RequiredResourceByLabelsFromField": {
			reason: "The labels may be in a field of the composite resource.",
			json:   fromResource(organization+`, "matchLabels": {"fromFieldPath": "spec.selector"}`, ""),
			want: requires(func(s *v1beta1.MetadataSource) {
				s.Resource.MatchLabels = &v1beta1.MapSource{FromFieldPath: new("spec.selector")}
			}),
		},
		"PolicyRequired": {
			reason: "An object is required by default, which may be spelled out.",
			json:   fromResource(organization+byName, `, "policy": {"fromFieldPath": "Required"}`),
			want: requires(func(s *v1beta1.MetadataSource) {
				acme(s)

				s.Policy = &v1beta1.SourcePolicy{FromFieldPath: "Required"}
			}),
		},
		"PolicyOptional": {
			reason: "An object may be optional.",
			json:   fromResource(organization+byName, `, "policy": {"fromFieldPath": "Optional"}`),
			want: requires(func(s *v1beta1.MetadataSource) {
				acme(s)

				s.Policy = &v1beta1.SourcePolicy{FromFieldPath: "Optional"}
			}),
		},
		"EmptyPolicy": {
			reason: "An object should be required by default, also by a policy that says nothing.",
			json:   fromResource(organization+byName, `, "policy": {}`),
			want: requires(func(s *v1beta1.MetadataSource) {
				acme(s)

				s.Policy = &v1beta1.SourcePolicy{FromFieldPath: "Required"}
			}),
		},
	}
}

func invalidMetadataRules() map[string]invalidCase {
	const (
		at         = `kubernetesMetadata[0]`
		atSource   = at + `.source`
		atResource = atSource + `.resource`
		atTo       = at + `.toFieldPaths`

		leaveOut    = `Invalid value: "": must not be empty: leave it out`
		leaveOutAll = `Required value: must not be empty: leave it out`
		null        = `Invalid value: null: must not be null`
		toCopied    = `Invalid value: "": toFieldPaths must have paths for all that is copied, and for nothing else`
		noSelect    = at + `.select: Required value: at least one of prefixes, domains and all`
		noTo        = atTo + `: Required value: at least one of labels and annotations`

		ruleFields     = `copy, resources, select, source, toFieldPaths`
		sourceFields   = `annotationsFieldPath, labelsFieldPath, name, policy, resource, type`
		resourceFields = `apiVersion, defaultMatchLabels, kind, kinds, matchLabels, name, namespace`
	)

	return map[string]invalidCase{
		// The rules.
		"EmptyRules": {
			reason: "An empty list copies nothing.",
			json:   input(`"kubernetesMetadata": []`),
			want:   `kubernetesMetadata: ` + leaveOutAll,
		},
		"NullRules": {
			reason: "Null should not do for a list.",
			json:   input(`"kubernetesMetadata": null`),
			want:   `kubernetesMetadata: ` + null,
		},
		"RulesObject": {
			reason: "The rules should have to be a list: one right there is an easy mistake.",
			json:   input(`"kubernetesMetadata": {` + ofComposite + `, ` + all + `}`),
			want:   `kubernetesMetadata: must be a list, not an object`,
		},
		"RuleString": {
			reason: "A rule should have to be an object, and the message should say which it is.",
			json:   input(`"kubernetesMetadata": [{` + ofComposite + `, ` + all + `}, "CompositeMetadata"]`),
			want:   `kubernetesMetadata[1]: must be an object, not a string`,
		},
		"RuleNull": {
			reason: "Null should not do for a rule.",
			json:   input(`"kubernetesMetadata": [null]`),
			want:   at + `: ` + null,
		},
		"EmptyRule": {
			reason: "All that is missing in a rule should be named.",
			json:   rule(``),
			want:   `[` + atSource + `.type: Required value: one of ` + metadataSourceTypes + `, ` + noSelect + `]`,
		},
		"UnknownFieldOfRule": {
			reason: "An unknown field of a rule should be named with the rule's index, and all that there are.",
			json:   input(`"kubernetesMetadata": [{` + ofComposite + `, ` + all + `}, {` + ofComposite + `, ` + all + `, "toFieldPath": "metadata.labels"}]`),
			want:   `unknown field "kubernetesMetadata[1].toFieldPath": allowed: ` + ruleFields,
		},

		// What is copied.
		"EmptyCopy": {
			reason: "A rule that copies nothing should be refused, and nothing be said of paths that nobody has given.",
			json:   to(`"copy": []`),
			want:   at + `.copy: ` + leaveOutAll,
		},
		"NullCopy": {
			reason: "Null should not be taken for the default.",
			json:   to(`"copy": null`),
			want:   at + `.copy: ` + null,
			goOnly: true, // The API server drops null where it is not allowed.
		},
		"UnknownCopy": {
			reason: "What can't be copied should be refused, with what can be, and nothing be said of paths that nobody has given.",
			json:   to(`"copy": ["Label"]`),
			want:   at + `.copy[0]: Unsupported value: "Label": supported values: "Annotations", "Labels"`,
		},
		"UnknownCopyWithPaths": {
			reason: "Paths should not be called wrong because it is not known what is copied.",
			json:   to(`"copy": ["Labels", "annotations"], "toFieldPaths": {"labels": ["a"], "annotations": ["b"]}`),
			want:   at + `.copy[1]: Unsupported value: "annotations": supported values: "Annotations", "Labels"`,
		},
		"CopyEmptyString": {
			reason: "An empty string is nothing to copy.",
			json:   to(`"copy": ["Labels", ""]`),
			want:   at + `.copy[1]: Required value: one of "Annotations", "Labels"`,
		},
		"CopyNullItem": {
			reason: "Null is nothing to copy.",
			json:   to(`"copy": ["Labels", null]`),
			want:   at + `.copy[1]: ` + null,
		},
		"CopyTwice": {
			reason: "Nothing is copied twice.",
			json:   to(`"copy": ["Labels", "Labels"]`),
			want:   at + `.copy[1]: Duplicate value: "Labels"`,
		},
		"CopyThree": {
			reason: "There are two kinds of metadata, so the third is one of them again.",
			json:   to(`"copy": ["Labels", "Annotations", "Labels"]`),
			want:   at + `.copy[2]: Duplicate value: "Labels"`,
		},
		"CopyString": {
			reason: "What is copied should have to be a list: one right there is an easy mistake.",
			json:   to(`"copy": "Labels"`),
			want:   at + `.copy: must be a list, not a string`,
		},
		"CopyBoolean": {
			reason: "What is copied should have to be a string.",
			json:   to(`"copy": ["Labels", true]`),
			want:   at + `.copy[1]: must be a string, not a boolean`,
		},

		// Where to.
		"EmptyTo": {
			reason: "Without any path metadata would go nowhere.",
			json:   to(`"toFieldPaths": {}`),
			want:   noTo,
		},
		"EmptyToWithCopy": {
			reason: "Without any path metadata would go nowhere, whatever is copied.",
			json:   to(`"copy": ["Labels"], "toFieldPaths": {}`),
			want:   noTo,
		},
		"NullTo": {
			reason: "Null should not be taken for the default.",
			json:   to(`"toFieldPaths": null`),
			want:   atTo + `: ` + null,
			goOnly: true, // The API server drops null where it is not allowed.
		},
		"EmptyToLabels": {
			reason: "A list without paths leads nowhere.",
			json:   to(`"toFieldPaths": {"labels": []}`),
			want:   atTo + `.labels: ` + leaveOutAll,
		},
		"EmptyToAnnotations": {
			reason: "A list without paths leads nowhere, also beside one that has some.",
			json:   to(`"toFieldPaths": {"labels": ["metadata.labels"], "annotations": []}`),
			want:   atTo + `.annotations: ` + leaveOutAll,
		},
		"NullToLabels": {
			reason: "Null should not do for a list.",
			json:   to(`"toFieldPaths": {"labels": null}`),
			want:   atTo + `.labels: ` + null,
		},
		"ToWithoutCopy": {
			reason: "Paths of what is not copied would have no effect.",
			json:   to(`"copy": ["Labels"], "toFieldPaths": {"labels": ["metadata.labels"], "annotations": ["metadata.annotations"]}`),
			want:   atTo + `.annotations: ` + toCopied,
		},
		"CopyWithoutTo": {
			reason: "What is copied needs a path, if anything else has one.",
			json:   to(`"copy": ["Labels", "Annotations"], "toFieldPaths": {"annotations": ["metadata.annotations"]}`),
			want:   atTo + `.labels: ` + toCopied,
		},
		"CopyAndToOfOthers": {
			reason: "If labels are copied and annotations have a path, both is wrong.",
			json:   to(`"copy": ["Labels"], "toFieldPaths": {"annotations": ["metadata.annotations"]}`),
			want:   `[` + atTo + `.labels: ` + toCopied + `, ` + atTo + `.annotations: ` + toCopied + `]`,
		},
		"EmptyToWithoutCopy": {
			reason: "An empty list of paths is one, too.",
			json:   to(`"copy": ["Labels"], "toFieldPaths": {"labels": ["metadata.labels"], "annotations": []}`),
			want:   atTo + `.annotations: ` + toCopied,
		},
		"ToEmptyPath": {
			reason: "An empty path leads to no field, and the message should say which it is.",
			json:   to(`"toFieldPaths": {"labels": ["metadata.labels", ""]}`),
			want:   atTo + `.labels[1]: Invalid value: "": a field path must not be empty`,
		},
		"ToNullPath": {
			reason: "Null leads to no field.",
			json:   to(`"toFieldPaths": {"annotations": [null]}`),
			want:   atTo + `.annotations[0]: ` + null,
		},
		"ToBadPath": {
			reason: "A malformed path should be refused.",
			json:   to(`"toFieldPaths": {"labels": ["spec.labels."]}`),
			want:   atTo + `.labels[0]: Invalid value: "spec.labels.": cannot parse field path "spec.labels.": unexpected '.' at position 11`,
			goOnly: true,
		},
		"ToWildcard": {
			reason: "A path that leads to fields of any name should be refused: only items of lists can be many.",
			json:   to(`"toFieldPaths": {"annotations": ["spec.pools[*].annotations", "spec.*.annotations", "*"]}`),
			want: `[` + atTo + `.annotations[1]: Invalid value: "spec.*.annotations": field path "spec.*.annotations": a * stands for items of a list only, as in spec.items[*].labels, ` +
				atTo + `.annotations[2]: Invalid value: "*": field path "*": a * stands for items of a list only, as in spec.items[*].labels]`,
			goOnly: true,
		},
		"ToList": {
			reason: "The paths should have to be an object: a list of them right there is an easy mistake.",
			json:   to(`"toFieldPaths": ["metadata.labels"]`),
			want:   atTo + `: must be an object, not a list`,
		},
		"ToLabelsString": {
			reason: "The paths should have to be a list: one right there is an easy mistake.",
			json:   to(`"toFieldPaths": {"labels": "metadata.labels"}`),
			want:   atTo + `.labels: must be a list, not a string`,
		},
		"ToAnnotationNumber": {
			reason: "A path should have to be a string.",
			json:   to(`"toFieldPaths": {"annotations": ["metadata.annotations", 1]}`),
			want:   atTo + `.annotations[1]: must be a string, not a number`,
		},
		"UnknownFieldOfTo": {
			reason: "An unknown kind of paths should be named, and those that there are.",
			json:   to(`"toFieldPaths": {"Labels": ["metadata.labels"]}`),
			want:   `unknown field "kubernetesMetadata[0].toFieldPaths.Labels": allowed: annotations, labels`,
		},

		// Which resources.
		"EmptyResources": {
			reason: "No selectors select nothing, so an empty list is a mistake.",
			json:   to(`"resources": []`),
			want:   at + `.resources: ` + leaveOutAll,
		},
		"NullResources": {
			reason: "Null should not do for all resources.",
			json:   to(`"resources": null`),
			want:   at + `.resources: ` + null,
			goOnly: true, // The API server drops null where it is not allowed.
		},
		"EmptySelector": {
			reason: "A selector that says nothing would select everything.",
			json:   to(`"resources": [{"kind": "A"}, {}]`),
			want:   at + `.resources[1]: Invalid value: "": must have one of name, apiVersion, kind, matchLabels and matchTags`,
		},
		"SelectorEmptyName": {
			reason: "An empty name should not be taken for any, at any depth.",
			json:   to(`"resources": [{"kind": "A", "name": ""}]`),
			want:   at + `.resources[0].name: ` + leaveOut,
		},
		"SelectorEmptyMaps": {
			reason: "Empty maps would match everything.",
			json:   to(`"resources": [{"matchLabels": {}}, {"kind": "A", "matchTags": {}}]`),
			want:   `[` + at + `.resources[0].matchLabels: ` + leaveOutAll + `, ` + at + `.resources[1].matchTags: ` + leaveOutAll + `]`,
		},
		"SelectorNullLabel": {
			reason: "A null for a label's value should not become an empty one.",
			json:   to(`"resources": [{"matchLabels": {"value": null}}]`),
			want:   at + `.resources[0].matchLabels.value: ` + null,
		},
		"UnknownFieldOfSelector": {
			reason: "An unknown field of a selector should be named, and those that there are.",
			json:   to(`"resources": [{"kind": "A", "namespace": "b"}]`),
			want:   `unknown field "kubernetesMetadata[0].resources[0].namespace": allowed: apiVersion, kind, matchLabels, matchTags, name`,
		},
		"ResourcesString": {
			reason: "The selectors should have to be a list.",
			json:   to(`"resources": "bucket"`),
			want:   at + `.resources: must be a list, not a string`,
		},

		// Which keys.
		"NoSelect": {
			reason: "Which keys are copied is not to be left out.",
			json:   rule(ofComposite),
			want:   noSelect,
		},
		"NullSelect": {
			reason: "Null should not do for all keys.",
			json:   rule(ofComposite + `, "select": null`),
			want:   at + `.select: ` + null,
		},
		"EmptySelect": {
			reason: "A selector that says nothing selects nothing.",
			json:   selects(``),
			want:   noSelect,
		},
		"SelectNotAll": {
			reason: "Not all keys are none.",
			json:   selects(`"all": false`),
			want:   noSelect,
		},
		"SelectNull": {
			reason: "Null should be neither true nor false.",
			json:   selects(`"all": null`),
			want:   at + `.select.all: ` + null,
		},
		"SelectEmptyPrefixes": {
			reason: "An empty list of prefixes selects nothing.",
			json:   selects(`"prefixes": []`),
			want:   at + `.select.prefixes: ` + leaveOutAll,
		},
		"SelectEmptyDomains": {
			reason: "An empty list of domains selects nothing, so it is a mistake also if all keys are selected.",
			json:   selects(`"domains": [], "all": true`),
			want:   at + `.select.domains: ` + leaveOutAll,
		},
		"SelectEmptyStrings": {
			reason: "An empty prefix would select all keys, and all that is wrong should be named with its index.",
			json:   selects(`"prefixes": ["a", ""], "domains": [""]`),
			want:   `[` + at + `.select.prefixes[1]: Required value: must not be empty, ` + at + `.select.domains[0]: Required value: must not be empty]`,
		},
		"SelectNullPrefix": {
			reason: "Null is no prefix.",
			json:   selects(`"prefixes": ["a", null]`),
			want:   at + `.select.prefixes[1]: ` + null,
		},
		"SelectNullDomains": {
			reason: "Null should not do for a list.",
			json:   selects(`"prefixes": ["a"], "domains": null`),
			want:   at + `.select.domains: ` + null,
			goOnly: true, // The API server drops null where it is not allowed.
		},
		"SelectString": {
			reason: "The selector should have to be an object.",
			json:   rule(ofComposite + `, "select": "all"`),
			want:   at + `.select: must be an object, not a string`,
		},
		"SelectAllString": {
			reason: "All should have to be a boolean: quotes are an easy mistake.",
			json:   selects(`"all": "true"`),
			want:   at + `.select.all: must be a boolean, not a string`,
		},
		"SelectPrefixesString": {
			reason: "Prefixes should have to be a list.",
			json:   selects(`"prefixes": "a"`),
			want:   at + `.select.prefixes: must be a list, not a string`,
		},
		"SelectDomainNumber": {
			reason: "A domain should have to be a string.",
			json:   selects(`"domains": ["example.org", 1]`),
			want:   at + `.select.domains[1]: must be a string, not a number`,
		},
		"UnknownFieldOfSelect": {
			reason: "An unknown field should be named, and those that there are.",
			json:   selects(`"all": true, "keys": ["a"]`),
			want:   `unknown field "kubernetesMetadata[0].select.keys": allowed: all, domains, prefixes`,
		},

		// Where from.
		"NoSource": {
			reason: "Metadata is some object's.",
			json:   rule(all),
			want:   atSource + `.type: Required value: one of ` + metadataSourceTypes,
		},
		"NullSource": {
			reason: "Null should not do for an object.",
			json:   rule(`"source": null, ` + all),
			want:   atSource + `: ` + null,
		},
		"SourceString": {
			reason: "The source should have to be an object: a type right there is an easy mistake.",
			json:   rule(`"source": "CompositeMetadata", ` + all),
			want:   atSource + `: must be an object, not a string`,
		},
		"EmptySource": {
			reason: "The type of a source should be required.",
			json:   from(``),
			want:   atSource + `.type: Required value: one of ` + metadataSourceTypes,
		},
		"SourceEmptyType": {
			reason: "An empty type is none.",
			json:   from(`"type": ""`),
			want:   atSource + `.type: Required value: one of ` + metadataSourceTypes,
		},
		"SourceUnknownType": {
			reason: "An unknown type should be refused, with those that there are, though sources of labels have it.",
			json:   from(`"type": "CompositeField"`),
			want:   atSource + `.type: Unsupported value: "CompositeField": supported values: ` + metadataSourceTypes,
		},
		"SourceTypeNumber": {
			reason: "A type should have to be a string.",
			json:   from(`"type": 1`),
			want:   atSource + `.type: must be a string, not a number`,
		},
		"UnknownFieldOfSource": {
			reason: "An unknown field of a source should be named, and those that there are, though sources of labels have it.",
			json:   from(`"type": "CompositeMetadata", "prefix": "t/"`),
			want:   `unknown field "kubernetesMetadata[0].source.prefix": allowed: ` + sourceFields,
		},
		"CompositeWithName": {
			reason: "There is one composite resource only, so it is not named.",
			json:   from(`"type": "CompositeMetadata", "name": "bucket"`),
			want:   atSource + `.name: Forbidden: only a source of type ComposedResource has it`,
		},
		"CompositeWithEverything": {
			reason: "All that other types of source have should be named.",
			json:   from(`"type": "CompositeMetadata", "name": "bucket", "resource": {` + organization + byName + `}, "policy": {}`),
			want: `[` + atSource + `.name: Forbidden: only a source of type ComposedResource has it, ` +
				atSource + `.resource: Forbidden: only a source of type RequiredResource has it, ` +
				atSource + `.policy: Forbidden: only a source of type RequiredResource has it]`,
		},
		"ComposedWithoutName": {
			reason: "A composed resource needs its name.",
			json:   from(`"type": "ComposedResource"`),
			want:   atSource + `.name: Required value: a source of type ComposedResource copies from it`,
		},
		"ComposedEmptyName": {
			reason: "An empty name is none.",
			json:   from(`"type": "ComposedResource", "name": ""`),
			want:   atSource + `.name: ` + leaveOut,
		},
		"EachWithoutResources": {
			reason: "Without resources nobody knows which source is whose.",
			json:   from(`"type": "ComposedResource", "name": "pool-*"`),
			want:   `kubernetesMetadata[0].resources: Required value: a source name with a * needs resources, each with a name that has one, too`,
			goOnly: true,
		},
		"EachToOne": {
			reason: "An entry without a * in its name has no text in the place of it.",
			json:   rule(`"source": {"type": "ComposedResource", "name": "pool-*"}, "select": {"all": true}, "resources": [{"name": "*-a"}, {"name": "nodes"}]`),
			want:   `kubernetesMetadata[0].resources[1].name: Invalid value: "nodes": must have one *, as the name of the source has`,
			goOnly: true,
		},
		"EachToAnyName": {
			reason: "An entry without a name has no * in it.",
			json:   rule(`"source": {"type": "ComposedResource", "name": "pool-*"}, "select": {"all": true}, "resources": [{"kind": "Nodes"}]`),
			want:   `kubernetesMetadata[0].resources[0].name: Invalid value: "": must have one *, as the name of the source has`,
			goOnly: true,
		},
		"EachOfTwoStars": {
			reason: "With two of them nobody knows which text is meant.",
			json:   rule(`"source": {"type": "ComposedResource", "name": "*-pool-*"}, "select": {"all": true}, "resources": [{"name": "*"}]`),
			want:   atSource + `.name: Invalid value: "*-pool-*": must have at most one *`,
			goOnly: true,
		},
		"EachToTwoStars": {
			reason: "With two of them nobody knows which text is meant.",
			json:   rule(`"source": {"type": "ComposedResource", "name": "pool-*"}, "select": {"all": true}, "resources": [{"name": "*-*"}]`),
			want:   `kubernetesMetadata[0].resources[0].name: Invalid value: "*-*": must have one *, as the name of the source has`,
			goOnly: true,
		},
		"ComposedNullName": {
			reason: "Null should not do for a name.",
			json:   from(`"type": "ComposedResource", "name": null`),
			want:   atSource + `.name: ` + null,
		},
		"ComposedNameObject": {
			reason: "The name should have to be a string, though that of a required resource is an object.",
			json:   from(`"type": "ComposedResource", "name": {"value": "bucket"}`),
			want:   atSource + `.name: must be a string, not an object`,
		},
		"ComposedWithResource": {
			reason: "A composed resource is not fetched.",
			json:   from(`"type": "ComposedResource", "name": "bucket", "resource": {` + organization + byName + `}`),
			want:   atSource + `.resource: Forbidden: only a source of type RequiredResource has it`,
		},
		"ComposedWithPolicy": {
			reason: "A composed resource may always be absent, so a policy has no meaning.",
			json:   from(`"type": "ComposedResource", "name": "bucket", "policy": {"fromFieldPath": "Optional"}`),
			want:   atSource + `.policy: Forbidden: only a source of type RequiredResource has it`,
		},
		"RequiredWithoutResource": {
			reason: "An object that is fetched needs to be named.",
			json:   from(`"type": "RequiredResource"`),
			want:   atSource + `.resource: Required value: a source of type RequiredResource copies from it`,
		},
		"RequiredWithName": {
			reason: "The name of an object belongs in the resource, and both mistakes should be named.",
			json:   from(`"type": "RequiredResource", "name": "acme"`),
			want: `[` + atSource + `.name: Forbidden: only a source of type ComposedResource has it, ` +
				atSource + `.resource: Required value: a source of type RequiredResource copies from it]`,
		},
		"RequiredEmptyResource": {
			reason: "All that is missing of the object should be named.",
			json:   fromResource(``, ""),
			want: `[` + atResource + `.apiVersion: Required value: the apiVersion of the objects, ` +
				atResource + `.kind: Required value: the kind of the objects, ` +
				atResource + `: Invalid value: "": must have one of name, matchLabels and defaultMatchLabels]`,
		},
		"RequiredKinds": {
			reason: "Only a class may be of several kinds.",
			json:   fromResource(`"kinds": [{"apiVersion": "a/v1", "kind": "A"}]`+byName, ""),
			want:   atResource + `.kinds: Forbidden: only pick One picks among kinds`,
			goOnly: true,
		},
		"RequiredDefaultMatchLabels": {
			reason: "Only a class falls back to default labels.",
			json:   fromResource(organization+`, "defaultMatchLabels": {"default": "true"}`, ""),
			want:   atResource + `.defaultMatchLabels: Forbidden: only pick One falls back to it`,
			goOnly: true,
		},
		"RequiredByNameAndLabels": {
			reason: "Only a class falls back to labels.",
			json:   fromResource(organization+byName+byLabels, ""),
			want:   atResource + `.matchLabels: Forbidden: only pick One falls back to it if there is no name`,
			goOnly: true,
		},
		"RequiredEmptyKind": {
			reason: "An empty apiVersion is no kind's.",
			json:   fromResource(`"apiVersion": "", "kind": "A"`+byName, ""),
			want:   atResource + `.apiVersion: ` + leaveOut,
		},
		"RequiredEmptyLabels": {
			reason: "No labels would match everything.",
			json:   fromResource(organization+`, "matchLabels": {"value": {}}`, ""),
			want:   atResource + `.matchLabels.value: Required value: an empty map matches nothing: all matches every object`,
		},
		"RequiredLabels": {
			reason: "Labels right there are an easy mistake, since those of composed resources are, and the message should say what there is.",
			json:   fromResource(organization+`, "matchLabels": {"grade": "gold"}`, ""),
			want:   `unknown field "kubernetesMetadata[0].source.resource.matchLabels.grade": allowed: all, fromFieldPath, value`,
		},
		"RequiredEmptyName": {
			reason: "An empty name names nothing.",
			json:   fromResource(organization+`, "name": {"value": ""}`, ""),
			want:   atResource + `.name.value: ` + leaveOut,
		},
		"RequiredNullLabel": {
			reason: "A null for a label's value should not become an empty one.",
			json:   fromResource(organization+`, "matchLabels": {"value": {"a": null}}`, ""),
			want:   atResource + `.matchLabels.value.a: ` + null,
		},
		"RequiredNameWildcard": {
			reason: "A path that leads to many fields should be refused.",
			json:   fromResource(organization+`, "name": {"fromFieldPath": "spec.names[*]"}`, ""),
			want:   atResource + `.name.fromFieldPath: Invalid value: "spec.names[*]": field path "spec.names[*]" must lead to one field, without wildcards`,
			goOnly: true,
		},
		"UnknownFieldOfResource": {
			reason: "An unknown field of the object should be named, and those that there are.",
			json:   fromResource(organization+byName+`, "labels": {}`, ""),
			want:   `unknown field "kubernetesMetadata[0].source.resource.labels": allowed: ` + resourceFields,
		},
		"ResourceString": {
			reason: "The object should have to be an object.",
			json:   from(`"type": "RequiredResource", "resource": "acme"`),
			want:   atResource + `: must be an object, not a string`,
		},
		"ResourceNull": {
			reason: "Null should not do for an object.",
			json:   from(`"type": "RequiredResource", "resource": null`),
			want:   atResource + `: ` + null,
		},
		"UnknownPolicy": {
			reason: "An unknown policy should be refused, with those that there are.",
			json:   fromResource(organization+byName, `, "policy": {"fromFieldPath": "Ignore"}`),
			want:   atSource + `.policy.fromFieldPath: Unsupported value: "Ignore": supported values: "Optional", "Required"`,
		},
		"EmptyPolicy": {
			reason: "An empty string should not be taken for the default.",
			json:   fromResource(organization+byName, `, "policy": {"fromFieldPath": ""}`),
			want:   atSource + `.policy.fromFieldPath: ` + leaveOut,
		},
		"UnknownFieldOfPolicy": {
			reason: "An unknown field of a policy should be named.",
			json:   fromResource(organization+byName, `, "policy": {"resolve": "Always"}`),
			want:   `unknown field "kubernetesMetadata[0].source.policy.resolve": allowed: fromFieldPath`,
		},
		"PolicyString": {
			reason: "The policy should have to be an object: naming it right there is an easy mistake.",
			json:   fromResource(organization+byName, `, "policy": "Optional"`),
			want:   atSource + `.policy: must be an object, not a string`,
		},
		"LabelsEmptyPath": {
			reason: "An empty path should not be taken for the default.",
			json:   from(`"type": "CompositeMetadata", "labelsFieldPath": ""`),
			want:   atSource + `.labelsFieldPath: ` + leaveOut,
		},
		"AnnotationsEmptyPath": {
			reason: "An empty path should not be taken for the default.",
			json:   from(`"type": "CompositeMetadata", "annotationsFieldPath": ""`),
			want:   atSource + `.annotationsFieldPath: ` + leaveOut,
		},
		"LabelsNullPath": {
			reason: "Null should not be taken for the default.",
			json:   from(`"type": "CompositeMetadata", "labelsFieldPath": null`),
			want:   atSource + `.labelsFieldPath: ` + null,
			goOnly: true, // The API server drops null where there is a default.
		},
		"BadPaths": {
			reason: "Malformed paths should be refused, both at once.",
			json:   from(`"type": "CompositeMetadata", "labelsFieldPath": "metadata.", "annotationsFieldPath": "metadata["`),
			want: `[` + atSource + `.labelsFieldPath: Invalid value: "metadata.": cannot parse field path "metadata.": unexpected '.' at position 8, ` +
				atSource + `.annotationsFieldPath: Invalid value: "metadata[": cannot parse field path "metadata[": unterminated '[' at position 8]`,
			goOnly: true,
		},
		"LabelsWildcard": {
			reason: "A path that leads to many fields should be refused.",
			json:   from(`"type": "ComposedResource", "name": "a", "labelsFieldPath": "spec.pools[*].labels"`),
			want:   atSource + `.labelsFieldPath: Invalid value: "spec.pools[*].labels": field path "spec.pools[*].labels" must lead to one field, without wildcards`,
			goOnly: true,
		},
		"AnnotationsWildcard": {
			reason: "A path that leads to many fields should be refused.",
			json:   from(`"type": "CompositeMetadata", "annotationsFieldPath": "metadata.*"`),
			want:   atSource + `.annotationsFieldPath: Invalid value: "metadata.*": field path "metadata.*" must lead to one field, without wildcards`,
			goOnly: true,
		},
		"LabelsPathList": {
			reason: "The path should have to be one, though there may be several to copy to.",
			json:   from(`"type": "CompositeMetadata", "labelsFieldPath": ["metadata.labels"]`),
			want:   atSource + `.labelsFieldPath: must be a string, not a list`,
		},
		"AnnotationsPathNumber": {
			reason: "The path should have to be a string.",
			json:   from(`"type": "CompositeMetadata", "annotationsFieldPath": 1`),
			want:   atSource + `.annotationsFieldPath: must be a string, not a number`,
		},

		// Everything at once.
		"SeveralMistakes": {
			reason: "Every mistake in a rule should be named at once, in the same order every time.",
			json: rule(`"source": {"type": "ComposedResource", "policy": {"fromFieldPath": "x"}, "labelsFieldPath": "*"}, "select": {"prefixes": []},
				"resources": [{}], "copy": ["Labels"], "toFieldPaths": {"annotations": ["a"]}`),
			want: `[` + atSource + `.name: Required value: a source of type ComposedResource copies from it, ` +
				atSource + `.policy.fromFieldPath: Unsupported value: "x": supported values: "Optional", "Required", ` +
				atSource + `.policy: Forbidden: only a source of type RequiredResource has it, ` +
				atSource + `.labelsFieldPath: Invalid value: "*": field path "*" must lead to one field, without wildcards, ` +
				at + `.select.prefixes: ` + leaveOutAll + `, ` +
				at + `.resources[0]: Invalid value: "": must have one of name, apiVersion, kind, matchLabels and matchTags, ` +
				atTo + `.labels: ` + toCopied + `, ` + atTo + `.annotations: ` + toCopied + `]`,
		},
	}
}

// TestCRDAgreesOnEmptyMetadataRules is about what an input says although it could leave
// it out. Whether or not that is accepted, both must agree.
func TestCRDAgreesOnEmptyMetadataRules(t *testing.T) {
	checkAgree(t, map[string]string{
		"Rules":                   input(`"kubernetesMetadata": [], ` + minimal),
		"Rule":                    rule(``),
		"Copy":                    to(`"copy": []`),
		"CopyOfNothing":           to(`"copy": [""]`),
		"CopyBesidePaths":         to(`"copy": [], "toFieldPaths": {"labels": ["a"]}`),
		"Resources":               to(`"resources": []`),
		"Selector":                to(`"resources": [{}]`),
		"SelectorLabel":           to(`"resources": [{"matchLabels": {"": ""}}]`),
		"SelectorTag":             to(`"resources": [{"matchTags": {"": ""}}]`),
		"To":                      to(`"toFieldPaths": {}`),
		"ToLabels":                to(`"toFieldPaths": {"labels": []}`),
		"ToAnnotations":           to(`"toFieldPaths": {"labels": ["a"], "annotations": []}`),
		"ToPath":                  to(`"toFieldPaths": {"labels": [""]}`),
		"Select":                  selects(``),
		"SelectAll":               selects(`"all": false`),
		"SelectAllBesides":        selects(`"all": false, "domains": ["a"]`),
		"SelectPrefixes":          selects(`"prefixes": []`),
		"SelectPrefixesBesides":   selects(`"prefixes": [], "all": true`),
		"SelectPrefix":            selects(`"prefixes": [""]`),
		"SelectDomain":            selects(`"domains": [""], "all": true`),
		"Source":                  from(``),
		"SourceType":              from(`"type": ""`),
		"SourceName":              from(`"type": "ComposedResource", "name": ""`),
		"SourceNameOfComposite":   from(`"type": "CompositeMetadata", "name": ""`),
		"SourceLabelsPath":        from(`"type": "CompositeMetadata", "labelsFieldPath": ""`),
		"SourceAnnotationsPath":   from(`"type": "CompositeMetadata", "annotationsFieldPath": ""`),
		"SourceResource":          fromResource(``, ""),
		"SourceAPIVersion":        fromResource(`"apiVersion": "", "kind": "A"`+byName, ""),
		"SourceKind":              fromResource(`"apiVersion": "a/v1", "kind": ""`+byName, ""),
		"SourceKinds":             fromResource(organization+byName+`, "kinds": []`, ""),
		"SourceDefaultLabels":     fromResource(organization+byName+`, "defaultMatchLabels": {}`, ""),
		"SourcePolicy":            fromResource(organization+byName, `, "policy": {}`),
		"SourcePolicyOfField":     fromResource(organization+byName, `, "policy": {"fromFieldPath": ""}`),
		"SourcePolicyOfComposite": from(`"type": "CompositeMetadata", "policy": {}`),
	})
}

// TestMetadataRequired is about which rules fail if there is no object.
func TestMetadataRequired(t *testing.T) {
	cases := map[string]struct {
		reason string
		policy string
		want   bool
	}{
		"Default":  {reason: "An object should be required by default.", want: true},
		"Empty":    {reason: "An object should be required by default.", policy: `, "policy": {}`, want: true},
		"Required": {reason: "An object may be required.", policy: `, "policy": {"fromFieldPath": "Required"}`, want: true},
		"Optional": {reason: "An object may be optional.", policy: `, "policy": {"fromFieldPath": "Optional"}`},
	}

	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			in, err := v1beta1.Decode(resource.MustStructJSON(fromResource(organization+byName, tc.policy)))
			if err != nil {
				t.Fatal(err)
			}

			if got := in.KubernetesMetadata[0].Source.Required(); got != tc.want {
				t.Errorf("\n%s\nRequired(): want %t, got %t", tc.reason, tc.want, got)
			}
		})
	}
}

func TestCopies(t *testing.T) {
	cases := map[string]struct {
		reason string
		json   string
		want   map[v1beta1.MetadataKind]bool
	}{
		"Default":     {reason: "Both should be copied by default.", json: rule(ofComposite + `, ` + all), want: map[v1beta1.MetadataKind]bool{"Labels": true, "Annotations": true}},
		"Labels":      {reason: "Labels alone may be copied.", json: to(`"copy": ["Labels"]`), want: map[v1beta1.MetadataKind]bool{"Labels": true, "Annotations": false}},
		"Annotations": {reason: "What has a path should be copied.", json: to(`"toFieldPaths": {"annotations": ["a"]}`), want: map[v1beta1.MetadataKind]bool{"Labels": false, "Annotations": true}},
	}

	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			in, err := v1beta1.Decode(resource.MustStructJSON(tc.json))
			if err != nil {
				t.Fatal(err)
			}

			got := map[v1beta1.MetadataKind]bool{}
			for _, k := range []v1beta1.MetadataKind{v1beta1.MetadataKindLabels, v1beta1.MetadataKindAnnotations} {
				got[k] = in.KubernetesMetadata[0].Copies(k)
			}

			if diff := cmp.Diff(tc.want, got); diff != "" {
				t.Errorf("\n%s\nCopies(...): -want, +got:\n%s", tc.reason, diff)
			}
		})
	}
}
