package attacks

import (
	"fmt"
	"slices"
	"strings"

	"github.com/plexsphere/function-cloud-tags/input/v1beta1"
	"github.com/plexsphere/function-cloud-tags/tags/words"
)

// The function's limits, in bytes of a thing: a thousand labels and fewer, and texts of YAML in fields and in
// standards.
const (
	thousand    = 1000 * 22
	fiveHundred = 500 * 22
	hundred     = 100 * 22
	inField     = 60 << 10
	inObject    = 250 << 10
)

// Things of which there can be many.
var (
	labels   = mapOf("label-NAME", `"v"`)
	patterns = list(`"pattern-NAME-*"`)
)

// bucket is a resource.
const bucket = `{"apiVersion": "s3.aws.upbound.io/v1beta1", "kind": "Bucket", "spec": {"forProvider": {"region": "eu"}}}`

// Parts of inputs: sources of few labels and of a long map, and the object.
const (
	ofFew  = `{"type": "CompositeField", "fromFieldPath": "spec.labels"}`
	ofLong = `{"type": "CompositeField", "fromFieldPath": "spec.long"}`
	named  = `"resource": {"apiVersion": "a/v1", "kind": "A", "name": {"value": "a"}}`
)

// in returns one long thing at the place.
func in(place string, long thing) map[string]thing { return map[string]thing{place: long} }

// from is the field of an input with these sources.
func from(sources ...string) string { return `"sources": [` + strings.Join(sources, ", ") + `]` }

// All returns all attacks: each long thing alone, then with as many resources as a request has room for, and then with a thousand labels.
// Two things that are each bounded can multiply.
func All() []Attack {
	alone := slices.Concat(onSources(), onLabels(), onExpressions(), onIncludes(), onStandards(), onSelectors(), onSelections(), onTagKeys(), onMetadata(), onTagFields(), onTargets())

	return slices.Concat(alone, words.Map(alone, onResources), words.Map(alone, withLabels))
}

// onSources has one long thing for each type of source.
func onSources() []Attack {
	const (
		prefixed  = `{"type": "CompositeMetadata", "prefix": "label"}`
		context   = `{"type": "ContextField", "contextKey": "k", "fromFieldPath": "long"}`
		object    = `{"type": "RequiredResource", "fromFieldPath": "spec.long", ` + named + `}`
		annotated = `{"type": "RequiredResource", "prefix": "label", ` + named + `}`
		account   = `{"type": "ProviderConfig", "fromFieldPath": "spec.long"}`
		class     = `{"type": "RequiredResource", "name": "a", "pick": "One", "providerFieldPath": "spec.long", ` + named + `}`
		hop       = `{"type": "RequiredResource", "name": "a", "pick": "One", ` + named + `}`
	)

	config := map[string]thing{"object.apiVersion": always("aws.upbound.io/v1beta1"), "object.kind": always("ProviderConfig"), "object.spec.long": labels}

	return []Attack{
		{"labels", "sources[].fromFieldPath", from(ofLong), in("xr.spec.long", labels), 0},
		{"labels in a list", "sources[].fromFieldPath", from(`{"type": "CompositeField", "keyValueList": {}, "fromFieldPath": "spec.long"}`), in("xr.spec.long", list(`{"key": "label-NAME", "value": "v"}`)), 0},
		{"labels in the context", "sources[].contextKey", from(context), in("context.k.long", labels), 0},
		{"labels in an object", "sources[].fromFieldPath", from(object), in("object.spec.long", labels), 0},
		{"labels in a provider config", "sources[].fromFieldPath", from(account), config, 0},
		{"annotations", "sources[].prefix", from(prefixed), in("xr.metadata.annotations", labels), 0},
		{"annotations of an object", "sources[].prefix", from(annotated), in("object.metadata.annotations", labels), 0},
		{"name of a provider", "sources[].providerFieldPath", from(class, ofFew), in("object.spec.long", text), many},
		{"name of a provider in the composite resource", "provider.fromFieldPath", `"provider": {"fromFieldPath": "spec.long"}, ` + from(ofFew), in("xr.spec.long", text), many},
		{"classes picked before", "statusFieldPath", `"statusFieldPath": "status.tags", ` + from(hop, ofFew), in("xr.status.tags.classes", labels), 0},
		{"class for later steps", "toContextKey", `"toContextKey": "later", ` + from(hop, ofFew), in("object.spec.long", labels), 0},
	}
}

// onLabels has long labels, and many of them for many resources.
func onLabels() []Attack {
	names := func(n int) string {
		out := make([]string, n)
		for i := range out {
			out[i] = fmt.Sprintf(`"e%d": "name + '/%d'"`, i, i)
		}

		return `{"type": "Expression", "expressions": {` + strings.Join(out, ", ") + `}}`
	}

	const (
		path     = "sources[].fromFieldPath"
		json     = `{"type": "CompositeField", "encoding": "JSON", "fromFieldPath": "spec.long"}`
		scalar   = `{"type": "CompositeField", "encoding": "Scalar", "fromFieldPath": "spec.long"}`
		handed   = `"tagFields": [{"apiVersion": "*", "kind": "*", "fieldPath": "spec.labels", "shape": "Labels"}], `
		removing = `, "removeTags": [{"key": "legacy"}]`
		cleaning = `, "removeTags": [{"fromFieldPath": "spec.keys"}], "ignoreTags": [{"fromFieldPath": "spec.keys"}]`
	)

	accepted := in("xr.spec.long", atMost(thousand, labels))
	both := map[string]thing{"xr.spec.long": atMost(thousand, labels), "xr.spec.keys": atMost(500*21, patterns)}

	return []Attack{
		{"labels, and one of a name", path, from(names(1), ofLong) + removing, in("xr.spec.long", labels), 100},
		{"labels that no cloud admits, and one of a name", path, from(names(1), ofLong), in("xr.spec.long", mapOf(`label-NAME\t`, `"v"`)), 100},
		{"labels, and 12 of names", path, from(names(12), ofLong), in("xr.spec.long", labels), many},
		{"1,000 labels, and one of a name", path, from(names(1), ofLong) + removing, accepted, many},
		{"1,000 labels, and 12 of names", path, from(names(12), ofLong), accepted, many},
		{"500 labels, and 250 of names", path, from(names(250), ofLong), in("xr.spec.long", atMost(fiveHundred, labels)), many},
		{"1,000 labels", path, from(ofLong), accepted, many},
		{"labels handed on", "tagFields[].fieldPath", handed + from(ofLong), accepted, many},
		{"100 names", "sources[].expressions", from(names(100)), map[string]thing{}, many},
		{"1,000 labels, and 500 patterns twice", path, from(ofLong) + cleaning, both, many},
		{"text of a label", path, from(ofLong), in("xr.spec.long.team", text), many},
		{"key of a label", path, from(ofLong), in("xr.spec.long", longKey(`"v"`)), many},
		{"levels in a label", path, from(scalar), in("xr.spec.long.team", levels), 0},
		{"numbers", path, from(scalar), in("xr.spec.long", mapOf("label-NAME", "1.5")), 0},
		{"labels of JSON", path, from(json), in("xr.spec.long", mapOf("label-NAME", `"\"v\""`)), 0},
		{"label of JSON", path, from(json), in("xr.spec.long.team", texts("[")), 0},
	}
}

// onExpressions has long fields for expressions.
func onExpressions() []Attack {
	value := func(expression string, more ...string) string {
		return from(append(more, fmt.Sprintf(`{"type": "Expression", "expressions": {"a": %q}}`, expression))...)
	}

	const (
		setting = "sources[].expressions"
		hop     = `{"type": "RequiredResource", "name": "a", ` + named + `}`
	)

	return []Attack{
		{"text of an expression", setting, value("xr.spec.long.lowerAscii().upperAscii()"), in("xr.spec.long", text), 0},
		{"text of an expression for each resource", setting, value("name + xr.spec.long"), in("xr.spec.long", text), many},
		{"sorted list of an expression for each resource", setting, value("xr.spec.long.sort()[0] + name"), in("xr.spec.long", patterns), many},
		{"regular expression of an expression for each resource", setting, value("regex.replace(xr.spec.long, 'a(.*b)?', name)"), in("xr.spec.long", text), many},
		{"map of an expression", setting, value("xr.spec.long.map(k, k + k)[0]"), in("xr.spec.long", labels), 0},
		{"list of an expression", setting, value("xr.spec.long.filter(p, p.startsWith('x'))[?0]"), in("xr.spec.long", patterns), 0},
		{"levels of an expression", setting, value("string(xr.spec.long == xr.spec.long)"), in("xr.spec.long", levels), 0},
		{"levels of the context", setting, value("string(context.k.long == context.k.long)"), in("context.k.long", levels), 0},
		{"levels of a resource", setting, value("string(desired.spec.long == observed.?spec.?long.orValue([]))"), in("desired.resource.spec.long", levels), 0},
		{"context of an expression", setting, value("string(size(context.k.long))"), in("context.k.long", labels), 0},
		{"object of an expression", setting, value("string(size(required.a.spec.long))", hop), in("object.spec.long", labels), 0},
		{"resource of an expression", setting, value("string(size(desired.spec.long))"), in("desired.resource.spec.long", labels), 0},
		{"observed resource of an expression", setting, value("string(size(observed.?spec.?long.orValue([])))"), in("observed.resource.spec.long", labels), 0},
	}
}

// onIncludes has long fields for includes: patterns, and texts of them.
func onIncludes() []Attack {
	including := func(include string, more ...string) string {
		return from(append(more, `{"type": "CompositeField", "fromFieldPath": "spec.labels", "include": {`+include+`}}`)...)
	}

	const (
		path = `"fromFieldPath": "spec.long"`
		hop  = `{"type": "RequiredResource", "name": "a", ` + named + `}`
	)

	computed := func(name string, long thing) Attack {
		return Attack{name + " of the expression of an include", "sources[].include.expression", including(`"expression": "xr.spec.long"`), in("xr.spec.long", long), 0}
	}

	attack := func(name string, long thing) Attack {
		return Attack{name + " of an include", "sources[].include.fromFieldPath", including(path), in("xr.spec.long", long), 0}
	}

	return []Attack{
		attack("patterns", patterns),
		attack("map of patterns", mapOf("pattern-NAME-*", "true")),
		attack("text", text),
		attack("text of patterns", texts("- a\n")),
		attack("short text of aliases", atMost(inField, aliases)),
		attack("short text of patterns", atMost(inField, texts("- \"a & b\"\n"))),
		attack("short text of one key", atMost(inField, texts("a: true\n"))),
		attack("short text of comments", atMost(inField, texts("- a\n#&\n\n"))),
		attack("short text of levels", atMost(inField, texts("[["))),
		{"patterns in the context", "sources[].include.contextKey", including(`"contextKey": "k", "fromFieldPath": "long"`), in("context.k.long", patterns), 0},
		computed("patterns", patterns),
		computed("map of patterns", mapOf("pattern-NAME-*", "true")),
		computed("text", text),
		computed("short text of patterns", atMost(inField, texts("- \"a & b\"\n"))),
		{"patterns in an object", "sources[].include.source", including(`"source": "a", `+path, hop), in("object.spec.long", patterns), 0},
	}
}

// onStandards has standards of many settings, mistakes and aliases.
func onStandards() []Attack {
	const (
		setting = "extends.fromFieldPath"
		input   = `"extends": {"apiVersion": "a/v1", "kind": "A", "name": "a", "fromFieldPath": "spec.long"}`
	)

	var out []Attack
	for _, list := range []struct {
		name string
		long thing
	}{
		{"mistakes", standard("ignoreTags", `{"key": ""}`)},
		{"sources", standard("sources", `{"type": "Value", "values": {}}`)},
		{"fields of tags", standard("tagFields", `{"apiVersion": "a/v1", "kind": "A", "shape": "None"}`)},
		{"keys", standard("ignoreTags", `{"key": "a"}`)},
		{"expressions", standard("sources", `{"type": "Expression", "expressions": {"a": "name.a(" }}`)},
	} {
		out = append(out,
			Attack{"standard of " + list.name, setting, input, in("object.spec.long", list.long), 0},
			Attack{"short standard of " + list.name, setting, input, in("object.spec.long", atMost(inObject, list.long)), 0},
			Attack{"short text of a standard of " + list.name, setting, input, in("object.spec.long", written(atMost(inObject*3/4, list.long))), 0},
		)
	}

	return append(out,
		Attack{"standard of text", setting, input, in("object.spec.long", text), 0},
		Attack{"standard of levels", setting, input, in("object.spec.long.a", levels), 0},
		Attack{"short standard of aliases", setting, input, in("object.spec.long", atMost(40<<10, aliases)), 0},
		Attack{"short standard of one key", setting, input, in("object.spec.long", atMost(inObject, texts("a: b\n"))), 0},
		Attack{"short standard of comments", setting, input, in("object.spec.long", atMost(inObject, texts("a:\n#&\n\n"))), 0},
	)
}

// onSelectors has long fields for selectors of required resources.
func onSelectors() (out []Attack) {
	for _, selector := range []struct{ setting, input string }{
		{"sources[].resource", `"sources": [{"type": "RequiredResource", "name": "a", "fromFieldPath": "spec.labels", "resource": {"apiVersion": "a/v1", "kind": "A", %s}}]`},
		{"kubernetesMetadata[].source.resource", `"sources": [], "kubernetesMetadata": [{"source": {"type": "RequiredResource", "resource": {"apiVersion": "a/v1", "kind": "A", %s}}, "select": {"all": true}}]`},
	} {
		for _, by := range []struct {
			name, setting, selector string
			long                    thing
		}{
			{"name", "name.fromFieldPath", `"name": {"fromFieldPath": "spec.long"}`, text},
			{"computed name", "name.expression", `"name": {"expression": "xr.spec.long"}`, text},
			{"namespace", "namespace.fromFieldPath", `"namespace": {"fromFieldPath": "spec.long"}, "name": {"value": "a"}`, text},
			{"computed namespace", "namespace.expression", `"namespace": {"expression": "xr.spec.long"}, "name": {"value": "a"}`, text},
			{"labels", "matchLabels.fromFieldPath", `"matchLabels": {"fromFieldPath": "spec.long"}`, labels},
			{"computed labels", "matchLabels.expression", `"matchLabels": {"expression": "xr.spec.long"}`, labels},
		} {
			input := strings.Replace(fmt.Sprintf(selector.input, by.selector), `"sources": [], `, "", 1)
			out = append(out, Attack{by.name + " by which " + selector.setting + " selects", selector.setting + "." + by.setting, input, in("xr.spec.long", by.long), 0})
		}
	}

	const bound = `{"type": "RequiredResource", "name": "a", "pick": "One", "resource": {"apiVersion": "a/v1", "kind": "A", "name": {"value": "a"}, "unless": {"fromFieldPath": "spec.long"}}}`

	const ofKinds = `{"type": "RequiredResource", "name": "a", "pick": "One", "resource": {"kinds": [{"apiVersion": "a/v1", "kind": "A"}], "kindFieldPath": "spec.long", "name": {"value": "a"}}}`

	out = append(out, Attack{"kind of a class", "sources[].resource.kindFieldPath", from(ofKinds, ofFew), in("xr.spec.long", text), 0})

	return append(out, Attack{"map instead of a class", "sources[].resource.unless.fromFieldPath", from(bound, ofFew), in("xr.spec.long", labels), 0})
}

// onSelections has long fields of composed resources, for selectors.
func onSelections() (out []Attack) {
	for _, selection := range []struct{ setting, input string }{
		{"resources[]", `"resources": [%s], ` + from(ofFew)},
		{"sources[].resources[]", from(`{"type": "CompositeField", "fromFieldPath": "spec.labels", "resources": [%s]}`)},
		{"tagPolicy.rules[].resources[]", `"tagPolicy": {"rules": [{"key": "a", "resources": [%s]}]}`},
		{"kubernetesMetadata[].resources[]", `"kubernetesMetadata": [{"source": {"type": "CompositeMetadata"}, "select": {"all": true}, "resources": [%s]}]`},
	} {
		add := func(name, setting, selector string, long map[string]thing) {
			excepting := `{"kind": "*", "except": [` + selector + `]}`
			out = append(out,
				Attack{name + " that " + selection.setting + " selects", selection.setting + "." + setting, fmt.Sprintf(selection.input, selector), long, 0},
				Attack{name + " that " + selection.setting + " excepts", selection.setting + ".except[]." + setting, fmt.Sprintf(selection.input, excepting), long, 0},
			)
		}
		add("labels", "matchLabels", `{"matchLabels": {"app": "x"}}`, in("desired.resource.metadata.labels", labels))
		add("tags", "matchTags", `{"matchTags": {"team": "a"}}`, in("desired.resource.spec.forProvider.tags", labels))
		add("tags in the cloud", "matchCloudTags", `{"matchCloudTags": {"team": "a"}}`, in("observed.resource.status.atProvider.tags", labels))
		add("name", "name", `{"name": "*a*b*x"}`, in("desired", longKey(bucket)))
	}

	return out
}

// onTagKeys has long fields for removeTags and ignoreTags.
func onTagKeys() (out []Attack) {
	for _, setting := range []string{"removeTags", "ignoreTags"} {
		input := func(entry string) string { return fmt.Sprintf(`%q: [%s], %s`, setting, entry, from(ofFew)) }

		out = append(out,
			Attack{"keys of " + setting, setting + "[].fromFieldPath", input(`{"fromFieldPath": "spec.long"}`), in("xr.spec.long", patterns), many},
			Attack{"keys of " + setting + " in the context", setting + "[].contextKey", input(`{"contextKey": "k", "fromFieldPath": "long"}`), in("context.k.long", patterns), many},
		)
	}

	return append(out, Attack{"map of removeTags", "removeTags[].fromFieldPath", `"removeTags": [{"fromFieldPath": "spec.long"}]`, in("xr.spec.long", labels), many})
}

// onMetadata has long fields for kubernetesMetadata.
func onMetadata() []Attack {
	copies := func(source, to string, resources string) string {
		return `"kubernetesMetadata": [{"source": {` + source + `}, "select": {"all": true}, "toFieldPaths": {` + to + `}` + resources + `}]`
	}

	const (
		composite = `"type": "CompositeMetadata"`
		computed  = `"type": "Expression", `
		annotated = `"annotations": ["spec.pools[*].annotations"]`
		items     = `"labels": ["spec.pools[*].labels"]`
	)

	annotations := mapOf("note-NAME", `"`+strings.Repeat("x", 90)+`"`)
	pools := list(`{}`)

	return []Attack{
		{"labels of a path", "kubernetesMetadata[].source.labelsFieldPath", copies(composite+`, "labelsFieldPath": "spec.long"`, `"labels": ["metadata.labels"]`, ""), in("xr.spec.long", labels), 0},
		{"annotations of a path", "kubernetesMetadata[].source.annotationsFieldPath", copies(composite+`, "annotationsFieldPath": "spec.long"`, `"annotations": ["metadata.annotations"]`, ""), in("xr.spec.long", labels), 0},
		{"100 labels to items", "kubernetesMetadata[].toFieldPaths.labels", copies(composite, items, ""), map[string]thing{"xr.metadata.labels": atMost(hundred, labels), "desired.resource.spec.pools": pools}, 0},
		{"annotations to 1,000 items", "kubernetesMetadata[].toFieldPaths.annotations", copies(composite, annotated, ""), map[string]thing{"xr.metadata.annotations": annotations, "desired.resource.spec.pools": atMost(4000, pools)}, 0},
		{"4 KB of annotations to 1,000 items", "kubernetesMetadata[].toFieldPaths.annotations", copies(composite, annotated, ""), map[string]thing{"xr.metadata.annotations": atMost(4000, annotations), "desired.resource.spec.pools": atMost(4000, pools)}, 0},
		{"8 KB of annotations to 500 resources", "kubernetesMetadata[].toFieldPaths.annotations", copies(composite, `"annotations": ["metadata.annotations"]`, ""), in("xr.metadata.annotations", atMost(8000, annotations)), many},
		{"items by name", "kubernetesMetadata[].source.itemName", copies(composite+`, "itemName": "name", "labelsFieldPath": "spec.long[*].labels"`, `"labels": ["metadata.labels"]`, ""), in("xr.spec.long", list(`{"name": "NAME", "labels": {"a": "b"}}`)), 0},
		{"items by name to items", "kubernetesMetadata[].source.itemName", copies(composite+`, "itemName": "name", "labelsFieldPath": "spec.long[*].labels"`, items, ""), map[string]thing{"xr.spec.long": list(`{"name": "NAME", "labels": {"a": "b"}}`), "desired.resource.spec.pools": list(`{"name": "NAME"}`)}, 0},
		{"labels of an expression", "kubernetesMetadata[].source.labels", copies(computed+`"labels": "xr.spec.long"`, `"labels": ["metadata.labels"]`, ""), in("xr.spec.long", labels), 0},
		{"labels of an expression for each resource", "kubernetesMetadata[].source.labels", copies(computed+`"labels": "name == '' ? {} : xr.spec.long"`, `"labels": ["metadata.labels"]`, ""), in("xr.spec.long", labels), many},
		{"1,000 labels of an expression for each resource", "kubernetesMetadata[].source.labels", copies(computed+`"labels": "name == '' ? {} : xr.spec.long"`, `"labels": ["metadata.labels"]`, ""), in("xr.spec.long", atMost(thousand, labels)), many},
		{"annotations of an expression", "kubernetesMetadata[].source.annotations", copies(computed+`"annotations": "xr.spec.long"`, `"annotations": ["metadata.annotations"]`, ""), in("xr.spec.long", annotations), 0},
		{"list of items of an expression", "kubernetesMetadata[].source.labels", copies(computed+`"labels": "xr.spec.long.filter(i, i.name == name)[?0].?labels"`, `"labels": ["metadata.labels"]`, ""), in("xr.spec.long", list(`{"name": "NAME", "labels": {"a": "b"}}`)), many},
		{"resources to copy from", "kubernetesMetadata[].source.name", copies(`"type": "ComposedResource", "name": "a-*"`, `"labels": ["metadata.labels"]`, `, "resources": [{"name": "b-*"}]`), in("desired", mapOf("a-NAME", bucket)), 0},
	}
}

// onTagFields has long tag fields, in each shape: tags of many keys, and many tags of one key, which lists can have.
func onTagFields() (out []Attack) {
	for _, tags := range []struct {
		shape, name string
		long        thing
	}{
		{"Map", "tags in a map", labels},
		{"Labels", "labels in a map", labels},
		{"KeyValueList", "tags in a list", list(`{"key": "label-NAME", "value": "v"}`)},
		{"KeyValueList", "tags of one key in a list", list(`{"key": "other", "value": "vNAME"}`)},
		{"StringList", "tags in a list of strings", list(`"label-NAME=v"`)},
		{"StringList", "tags of one key in a list of strings", list(`"other=vNAME"`)},
		{"Joined", "tags in a string", joined(`label-NAME=v,`)},
		{"Joined", "tags of one key in a string", joined(`other=vNAME,`)},
		{"Joined", "keys alone in a string", joined(`a,`)},
		{"Joined", "keys alone in the longest string", atMost(64<<10, joined(`a,`))},
	} {
		input := fmt.Sprintf(`"tagFields": [{"apiVersion": "ec2.aws.upbound.io/*", "kind": "*", "fieldPath": "spec.forProvider.long", "shape": %q}], `+
			`"removeTags": [{"key": "label-000*"}, {"key": "other", "value": "v0000001"}], "ignoreTags": [{"key": "label-001*"}], %s`, tags.shape, from(ofFew))
		both := map[string]thing{"desired.resource.spec.forProvider.long": tags.long, "observed.resource.spec.forProvider.long": tags.long}
		observed := map[string]thing{"observed.resource.spec.forProvider.long": tags.long, "observed.resource.status.atProvider.long": tags.long}

		out = append(out,
			Attack{tags.name, "tagFields[].fieldPath", input, in("desired.resource.spec.forProvider.long", tags.long), 0},
			Attack{tags.name + ", desired and observed", "tagFields[].fieldPath", input, both, 0},
			Attack{tags.name + ", observed", "tagFields[].fieldPath", input, observed, 0},
		)
	}

	return out
}

// onTargets has long fields of composed resources. Settings judge them, or the function reads them anyway.
func onTargets() []Attack {
	const (
		tagged = `"launchedResources": "Tag", `
		policy = `"tagPolicy": {"rules": [{"key": "team", %s}]}`
		others = `"tagFields": [{"apiVersion": "ec2.aws.upbound.io/*", "kind": "*", "fieldPath": "spec.forProvider.long", "shape": "StringList"}], `
	)

	return []Attack{
		{"100 labels to items of a launch template", "launchedResources", tagged + from(ofLong), map[string]thing{
			"xr.spec.long": atMost(hundred, labels), "desired.resource.kind": always("LaunchTemplate"), "desired.resource.spec.forProvider.tagSpecifications": list(`{"resourceType": "instance"}`),
		}, 0},
		{"value that a policy matches", "tagPolicy.rules[].matches", fmt.Sprintf(policy, `"matches": "^(x+x+)+y$"`), in("desired.resource.spec.forProvider.tags.team", text), 0},
		{"value of a policy", "tagPolicy.rules[].values", fmt.Sprintf(policy, `"values": ["*a*b*", "*x*x*x*y"]`), in("desired.resource.spec.forProvider.tags.team", text), 0},
		{"resources that break many rules", "", `"tagPolicy": {"rules": [{"key": "team"}` + strings.Repeat(`, {"key": "team"}`, 63) + `]}`, in("desired", mapOf("resource-NAME", bucket)), 0},
		{"resources", "", from(ofFew), in("desired", mapOf("resource-NAME", bucket)), 0},
		{"name of a resource", "", from(ofFew), in("desired", longKey(bucket)), 0},
		{"name of the composite resource", "", from(ofFew), in("xr.metadata.name", text), many},
		{"managers of fields", "", from(ofFew), in("observed.resource.metadata.managedFields", list(`{"manager": "NAME", "operation": "Update", "apiVersion": "ec2.aws.upbound.io/v1beta1", "fieldsType": "FieldsV1", "fieldsV1": {"f:spec": {"f:forProvider": {"f:tags": {"f:NAME": {}}}}}}`)), 0},
		{"tags of other managers", "", others + fmt.Sprintf(policy, `"required": true`), map[string]thing{
			"observed.resource.spec.forProvider.long": list(`"other=vNAME"`), "observed.resource.metadata.managedFields": managed("f:spec", "f:forProvider", "f:long", mapOf(`v:"other=vNAME"`, "{}")),
		}, 0},
		{"conditions", "", from(ofFew), in("xr.status.conditions", list(`{"type": "CloudTagsPropagated", "message": "a [NAME]"}`)), 0},
		{"verdicts of steps", "", from(ofFew), in("context", under(v1beta1.StepsContextKey, mapOf("NAME", `{"order": 1, "reason": "AllPropagated", "message": "x", "digest": "abcdef", "trusted": {"resource": {"NAME": "v"}}}`))), 0},
		{"kinds of resources", "", from(ofFew), in("desired", mapOf("resource-NAME", strings.ReplaceAll(bucket, "s3.aws", "gNAME.aws"))), 0},
	}
}
