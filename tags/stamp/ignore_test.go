package stamp

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	gocmp "github.com/google/go-cmp/cmp"
	"google.golang.org/protobuf/testing/protocmp"
	"google.golang.org/protobuf/types/known/structpb"

	fnv1 "github.com/crossplane/function-sdk-go/proto/v1"
	"github.com/crossplane/function-sdk-go/resource"

	"github.com/plexsphere/function-cloud-tags/input/v1beta1"
	"github.com/plexsphere/function-cloud-tags/tags"
	"github.com/plexsphere/function-cloud-tags/tags/field"
	"github.com/plexsphere/function-cloud-tags/tags/object"
	"github.com/plexsphere/function-cloud-tags/tags/resolve"
	"github.com/plexsphere/function-cloud-tags/tags/tagstest"
	"github.com/plexsphere/function-cloud-tags/tags/target"
)

// keys returns the supplied patterns as the input gives them.
func keys(patterns ...string) []resolve.TagKey {
	out := make([]resolve.TagKey, len(patterns))
	for i, p := range patterns {
		out[i] = resolve.TagKey{Pattern: p}
	}

	return out
}

// fromField returns the supplied patterns as a field gives them.
func fromField(patterns ...string) []resolve.TagKey {
	out := keys(patterns...)
	for i := range out {
		out[i].Untrusted = true
	}

	return out
}

// retaining returns the supplied patterns with onConflict Retain.
func retaining(patterns ...string) []resolve.TagKey {
	out := keys(patterns...)
	for i := range out {
		out[i].Retain = true
	}

	return out
}

// atValue returns the supplied pattern at the supplied value.
func atValue(pattern, value string) []resolve.TagKey {
	return []resolve.TagKey{{Pattern: pattern, Value: &value}}
}

// observed returns a resource with the supplied spec and status.
func observed(spec, status string) *structpb.Struct {
	return resource.MustStructJSON(`{"apiVersion": "example.org/v1", "kind": "Thing", "spec": ` + spec + `, "status": ` + status + `}`)
}

// paired returns the supplied keys and values, which come by turns.
func paired(keysAndValues []string) map[string]string {
	out := make(map[string]string)
	for i := 0; i < len(keysAndValues); i += 2 {
		out[keysAndValues[i]] = keysAndValues[i+1]
	}

	return out
}

// reporting returns the supplied field as one whose tags the provider reports.
func reporting(f field.Field) field.Field {
	f.Observed = []object.Path{object.MustParsePath("status.tags")}
	return f
}

// specOf returns the spec that has the supplied tags, or none if there are none.
func (s shape) specOf(keysAndValues []string) string {
	if len(keysAndValues) == 0 {
		return `{}`
	}

	return s.spec(keysAndValues...)
}

// withoutCase are the shapes of providers whose keys compare without case.
var withoutCase = map[string]shape{"Map": shapes["Map"], "KeyValueList": shapes["KeyValueList"]}

func TestStampIgnore(t *testing.T) {
	a := []tags.Label{label("a", "1")}

	cases := map[string]situation{
		"StepsTag":        {reason: "A tag that an earlier step set gets the value that the cloud has, and keeps its place.", ignore: keys("Name"), before: []string{"Name", "x", "y", "z"}, cloud: []string{"Name", "cloud", "y", "other"}},
		"NotDesired":      {reason: "A tag that nobody desires is added behind the others.", ignore: keys("Name"), before: []string{"y", "z"}, cloud: []string{"Name", "cloud", "y", "other"}},
		"NoField":         {reason: "A tag that nobody desires is added though there is no field yet.", ignore: keys("Name"), cloud: []string{"Name", "cloud"}},
		"AmongOurs":       {reason: "Tags that are added are in the order of their keys, ours and those of other systems alike.", ignore: keys("k", "z", "ours:b"), labels: []tags.Label{label("a", "1"), label("c", "3")}, before: []string{"y", "x"}, cloud: []string{"z", "1", "k", "2", "ours:b", "3"}},
		"SameValue":       {reason: "A tag that has the value of the cloud does not change.", ignore: keys("Name"), before: []string{"Name", "x"}, cloud: []string{"Name", "x"}},
		"NotReported":     {reason: "A tag that the cloud does not have keeps its value.", ignore: keys("Name"), before: []string{"Name", "x"}, cloud: []string{"y", "z"}},
		"NothingReported": {reason: "If the provider reports no tags, nothing changes.", ignore: keys("*"), before: []string{"Name", "x"}, cloud: []string{}},
		"NotObserved":     {reason: "A resource that isn't there yet gets its tags from labels and earlier steps.", ignore: keys("*"), labels: a, before: []string{"Name", "x"}},
		"OtherKeys":       {reason: "A key matches as a whole, and in its case.", ignore: keys("Name", "x"), cloud: []string{"Names", "1", "Nam", "2", "NAME", "3", "xx", "4", "X", "5", "name", "6"}},
		"Prefix":          {reason: "A pattern matches all keys that it is the beginning of, and that beginning too.", ignore: keys("backup:*"), before: []string{"backup:b", "1"}, cloud: []string{"backup:a", "2", "backup:b", "3", "backup:", "4", "backup", "5", "my-backup:c", "6"}},
		"Star": {
			reason: "A star alone matches every key, but none that the cloud or the provider sets itself.",
			ignore: keys("*"),
			labels: a,
			before: []string{"Name", "x"},
			cloud:  []string{"Name", "1", "ours:a", "2", "z", "3", "aws:createdBy", "4", "AWS:x", "5", "crossplane-kind", "6", "crossplane-name", "7", "crossplane-providerconfig", "8"},
		},
		"ReservedPrefix":           {reason: "A tag that the cloud sets itself is not desired, since the cloud would refuse it. That of an earlier step stays as it is.", ignore: keys("aws:*", "AWS:a", "aws:a"), before: []string{"aws:b", "x"}, cloud: []string{"aws:a", "1", "aws:b", "2", "AWS:a", "3"}},
		"ProvidersKeys":            {reason: "A tag that the provider sets itself is not touched, neither there nor elsewhere.", ignore: keys("crossplane-kind", "crossplane-name", "crossplane-*"), before: []string{"crossplane-name", "x"}, cloud: []string{"crossplane-kind", "1", "crossplane-name", "2", "crossplane-providerconfig", "3"}},
		"LikeProvidersKeys":        {reason: "Only the keys that the provider sets itself are left alone, not what is like them.", ignore: keys("crossplane-*"), cloud: []string{"crossplane-kin", "1", "crossplane-kinds", "2"}},
		"EmptyValue":               {reason: "An empty value is a value.", ignore: keys("Name", "y"), before: []string{"Name", "x"}, cloud: []string{"Name", "", "y", ""}},
		"EmptyField":               {reason: "A field that is there and empty gets the tags of other systems.", ignore: keys("Name"), before: []string{}, cloud: []string{"Name", "x"}},
		"EmptyFieldUntouched":      {reason: "A field that is there and empty stays if nothing is put there.", ignore: keys("Name"), before: []string{}, cloud: []string{"y", "x"}},
		"Label":                    {reason: "A tag of ours gets the value that the cloud has. The label is withheld.", ignore: keys("ours:a"), labels: a, cloud: []string{"ours:a", "cloud"}},
		"LabelEqualsCloud":         {reason: "A tag of ours to which the cloud gives the value of the label is active.", ignore: keys("ours:a"), labels: a, cloud: []string{"ours:a", "1"}},
		"RetainedLabel":            {reason: "A tag that kept the value of an earlier step gets that of the cloud, and is ignored rather than retained.", ignore: keys("ours:a"), labels: a, before: []string{"ours:a", "step"}, cloud: []string{"ours:a", "cloud"}},
		"RetainedLabelEqualsCloud": {reason: "A tag that kept the value of an earlier step is active if the cloud has the label's.", ignore: keys("ours:a"), labels: a, before: []string{"ours:a", "step"}, cloud: []string{"ours:a", "1"}},
		"RetainedLabels":           {reason: "Labels that are retained are sorted.", labels: []tags.Label{label("a", "1"), label("b", "1"), label("c", "1"), trusted(label("d", "1")), label("e", "1")}, before: []string{"ours:c", "2", "ours:b", "2", "ours:a", "2", "ours:e", "2", "ours:d", "2"}},
		"RetainedLabelNotReported": {reason: "A tag that the cloud does not have is retained as ever.", ignore: keys("ours:a"), labels: a, before: []string{"ours:a", "step"}, cloud: []string{}},
		"ReplacedLabel":            {reason: "The value of the cloud comes after that of a source that replaces.", policy: tags.Replace, ignore: keys("ours:a"), labels: a, before: []string{"ours:a", "step", "x", "y"}, cloud: []string{"ours:a", "cloud"}},
		"ChangedBack":              {reason: "A resource whose tag has the cloud's value in the end, as it had before, does not change.", policy: tags.Replace, ignore: keys("ours:a"), labels: a, before: []string{"x", "y", "ours:a", "cloud"}, cloud: []string{"ours:a", "cloud"}},
		"RefusedLabel":             {reason: "A source that refuses to share its tags does so whatever the cloud has.", policy: tags.Refuse, ignore: keys("ours:a"), labels: a, before: []string{"ours:a", "9"}, cloud: []string{"ours:a", "1"}},
		"OtherLabels":              {reason: "Labels whose tags are no other system's become tags.", ignore: keys("ours:b"), labels: []tags.Label{label("a", "1"), label("b", "2"), label("c", "3")}, before: []string{"ours:c", "3"}, cloud: []string{"ours:a", "x", "ours:b", "y", "ours:c", "z"}},
		"SkippedLabel":             {reason: "A label that the provider doesn't admit desires nothing, so the cloud's tag is kept.", ignore: retaining("ours:c*", "ours:c!"), labels: []tags.Label{label("c!", "1")}, cloud: []string{"ours:c!", "2"}},
		"Retain": {
			reason: "What retains keeps what an earlier step or a label desires, and adds what nobody does.",
			ignore: retaining("*"),
			labels: []tags.Label{label("a", "1"), label("b", "2")},
			before: []string{"Name", "x", "ours:b", "step"},
			cloud:  []string{"Name", "cloud", "ours:a", "cloud", "ours:b", "cloud", "z", "cloud"},
		},
		"FirstMatchRetains":  {reason: "Of several patterns that match, the first says what becomes of a tag.", ignore: append(retaining("Name"), keys("N*")...), before: []string{"Name", "x"}, cloud: []string{"Name", "cloud"}},
		"FirstMatchReplaces": {reason: "Of several patterns that match, the first says what becomes of a tag.", ignore: append(keys("N*"), retaining("Name")...), before: []string{"Name", "x"}, cloud: []string{"Name", "cloud"}},
		"TrustedReserved": {
			reason:   "What a trusted source says of a reserved key stands, whoever asks to ignore it.",
			reserved: []string{"owner"},
			ignore:   append(fromField("ours:*"), keys("ours:owner", "*")...),
			labels:   []tags.Label{trusted(label("owner", "alice"))},
			before:   []string{"ours:owner", "mallory"},
			cloud:    []string{"ours:owner", "mallory"},
		},
		"TrustedNotReserved":      {reason: "A tag of a trusted source whose key isn't reserved gets the cloud's value.", reserved: []string{"owner"}, ignore: keys("ours:team"), labels: []tags.Label{trusted(label("team", "a"))}, cloud: []string{"ours:team", "b"}},
		"ReservedOfNobody":        {reason: "A reserved key is no other system's, though the input says so: whoever may tag in the cloud could forge it.", reserved: []string{"owner"}, ignore: keys("owner", "*"), before: []string{"Name", "x"}, cloud: []string{"owner", "y", "ours:OWNER", "z", "Name", "y"}},
		"Untrusted":               {reason: "A key from a field does as the input's, but not to reserved keys.", reserved: []string{"owner", "cost-*"}, ignore: fromField("*"), labels: a, before: []string{"owner", "x"}, cloud: []string{"owner", "y", "ours:owner", "z", "cost-center", "1", "Name", "2", "ours:a", "3"}},
		"UntrustedNotReported":    {reason: "Nothing is protected from a key whose tag the cloud doesn't have.", reserved: []string{"owner"}, ignore: fromField("owner"), before: []string{"owner", "x"}, cloud: []string{"owners", "y"}},
		"UntrustedBesideTrusted":  {reason: "A reserved key is protected though the input gives it too, and told once.", reserved: []string{"owner"}, ignore: append(fromField("owner"), keys("own*")...), before: []string{"owner", "x"}, cloud: []string{"owner", "y"}},
		"UntrustedReservedPrefix": {reason: "What the cloud sets itself is left alone anyway, and protected from nobody.", reserved: []string{"aws:*", "crossplane-*"}, ignore: fromField("*"), cloud: []string{"aws:a", "1", "crossplane-kind", "2"}},
		"CaseOfReserved":          {reason: "Also on a provider that tells cases apart, a key in another case than the reserved one is reserved.", reserved: []string{"owner"}, ignore: fromField("*"), cloud: []string{"OWNER", "y"}},
		"TwoLabels":               {reason: "Withheld labels are sorted.", ignore: keys("ours:*"), labels: []tags.Label{trusted(label("c", "1")), label("a", "1"), label("b", "1"), label("d", "1")}, cloud: []string{"ours:c", "2", "ours:b", "2", "ours:a", "2", "ours:d", "1"}},
	}

	runAll(t, cases, func(t *testing.T, g *tagstest.Golden, tc situation) {
		t.Helper()

		tc.earlier = paired(tc.before)
		tc.runIn(t, g, shapes)
	})
}

// TestStampIgnoreWithoutCase tests other systems' tags on a provider whose keys compare
// without case.
func TestStampIgnoreWithoutCase(t *testing.T) {
	cases := map[string]situation{
		"Pattern":          {reason: "A pattern matches in any case, up to its star.", ignore: keys("TEAM", "BACKUP-*"), cloud: []string{"team", "a", "Backup-x", "b", "backu", "c"}},
		"ReservedPrefix":   {reason: "A beginning that the cloud reserves is reserved in any case.", ignore: keys("*"), cloud: []string{"Microsoft.x", "1", "azure-y", "2", "WINDOWS", "3", "Crossplane-Kind", "4"}},
		"Label":            {reason: "A tag of ours that the cloud has in another case is that tag.", ignore: keys("ours:TEAM"), labels: []tags.Label{label("team", "a")}, cloud: []string{"OURS:team", "b"}},
		"LabelEqualsCloud": {reason: "A tag of ours that the cloud has in another case, with the label's value, is active.", ignore: keys("ours:TEAM"), labels: []tags.Label{label("team", "a")}, cloud: []string{"OURS:team", "a"}},
		"RetainStep":       {reason: "A tag that an earlier step desires in another case is desired.", ignore: retaining("team"), before: []string{"TEAM", "a"}, cloud: []string{"team", "b"}},
		"RetainLabel":      {reason: "A tag that a label desires in another case is desired.", ignore: retaining("ours:team"), labels: []tags.Label{label("TEAM", "a")}, cloud: []string{"ours:team", "b"}},
		"Untrusted":        {reason: "A reserved key is protected in any case.", reserved: []string{"owner"}, ignore: fromField("*"), before: []string{"OWNER", "a"}, cloud: []string{"Owner", "b"}},
		"TrustedReserved":  {reason: "What a trusted source says of a reserved key stands, in whatever case the cloud has it.", reserved: []string{"owner"}, ignore: keys("*"), labels: []tags.Label{trusted(label("owner", "alice"))}, cloud: []string{"OURS:Owner", "mallory"}},
	}

	runAll(t, cases, func(t *testing.T, g *tagstest.Golden, tc situation) {
		t.Helper()

		tc.provider = "azure"
		tc.earlier = paired(tc.before)
		tc.runIn(t, g, withoutCase)
	})
}

// TestStampIgnoreInCaseOf tests in which case the key of a tag is that an earlier step
// desires in another case than the cloud has it.
func TestStampIgnoreInCaseOf(t *testing.T) {
	cases := map[string]situation{
		"Map":          {reason: "The name of a field stays as the earlier step has it."},
		"KeyValueList": {reason: "An entry becomes the one that the cloud has."},
	}

	g := tagstest.NewGolden(t)

	for kind, tc := range cases {
		tc.provider = "azure"
		tc.ignore = keys("Team")
		tc.before = []string{"TEAM", "a"}
		tc.cloud = []string{"team", "b"}
		tc.runIn(t, g, map[string]shape{kind: shapes[kind]})
	}
}

// earlierOf returns the tags of a list of strings as those of an earlier step.
func earlierOf(r *structpb.Struct, separator string) map[string]string {
	out := make(map[string]string)

	for _, s := range stringsIn(r) {
		if i := strings.LastIndex(s, separator); i >= 0 && separator != "" {
			out[s[:i]] = s[i+len(separator):]
		}
	}

	return out
}

// TestStampIgnoreObserved tests where the tags are looked up that the cloud has.
func TestStampIgnoreObserved(t *testing.T) {
	paths := func(of shape, paths ...string) field.Field {
		of.field.Observed = nil
		for _, path := range paths {
			of.field.Observed = append(of.field.Observed, object.MustParsePath(path))
		}

		return of.field
	}

	cases := map[string]situation{
		"First":                      {reason: "The first path that is there counts.", field: paths(shapes["Map"], "status.all", "status.tags"), status: `{"all": {"a": "1"}, "tags": {"a": "2", "b": "3"}}`},
		"FirstAbsent":                {reason: "A path that is not there, or null, makes way for the next.", field: paths(shapes["Map"], "status.all", "status.null", "status.tags"), status: `{"null": null, "tags": {"a": "2"}}`},
		"FirstOfOtherShape":          {reason: "A path that has another shape makes way for the next.", field: paths(shapes["Map"], "status.all", "status.tags"), status: `{"all": ["a"], "tags": {"a": "2"}}`},
		"FirstLeadsNowhere":          {reason: "A path through a string makes way for the next.", field: paths(shapes["Map"], "status.text.all", "status.tags"), status: `{"text": "x", "tags": {"a": "2"}}`},
		"FirstEmpty":                 {reason: "A path that is there and empty says that the cloud has no tags.", field: paths(shapes["Map"], "status.all", "status.tags"), status: `{"all": {}, "tags": {"a": "2"}}`, spec: `{"tags": {"a": "9"}}`},
		"AllOfOtherShape":            {reason: "If no path has tags of the field's shape, nothing changes.", field: paths(shapes["Map"], "status.all", "status.tags"), status: `{"all": "a", "tags": ["a"]}`, spec: `{"tags": {"a": "9"}}`},
		"NoPath":                     {reason: "A field without such a path has tags that the cloud doesn't report.", field: paths(shapes["Map"]), observedSpec: `{"tags": {"a": "1"}}`, spec: `{"tags": {"a": "9"}}`},
		"NotTheSpec":                 {reason: "What is observed in the spec is what we want, not what the cloud has.", field: paths(shapes["Map"], "status.tags"), observedSpec: `{"tags": {"a": "1", "b": "2"}}`, spec: `{"tags": {"a": "9"}}`},
		"OddEntry":                   {reason: "A list with an entry that is no tag makes way for the next.", field: paths(shapes["KeyValueList"], "status.all", "status.tags"), status: `{"all": [{"k": "a", "v": "1"}, "b"], "tags": [{"k": "a", "v": "2"}, {"v": "no key"}, {"k": 1, "v": "x"}]}`},
		"OddString":                  {reason: "A list with an entry that is no string makes way for the next.", field: paths(shapes["StringList"], "status.all", "status.tags"), status: `{"all": ["a=1", 1], "tags": ["a=2"]}`},
		"MismatchDesired":            {reason: "What the cloud has is not put in the place of a field of another shape.", field: paths(shapes["Map"], "status.tags"), status: `{"tags": {"a": "2"}}`, spec: `{"tags": ["a"]}`},
		"MapOddValues":               {reason: "A value that is no string can't be given to a tag.", field: paths(shapes["Map"], "status.tags"), status: `{"tags": {"a": 1, "b": null, "c": {"d": "e"}, "f": ["g"], "h": true, "i": "1"}}`, spec: `{"tags": {"a": "9", "b": "9", "c": "9", "f": "9"}}`},
		"MapOverOddValue":            {reason: "A value that is no string is another value than the cloud has.", field: paths(shapes["Map"], "status.tags"), status: `{"tags": {"a": "1", "b": ""}}`, spec: `{"tags": {"a": 1, "b": null}}`},
		"KeyValueListOddValues":      {reason: "A value that is no string can't be given to a tag.", field: paths(shapes["KeyValueList"], "status.tags"), status: `{"tags": [{"k": "a", "v": 1}, {"k": "b", "v": {}}]}`, spec: `{"tags": [{"k": "a", "v": "9"}]}`},
		"KeyValueListNoValue":        {reason: "An entry without a value is a tag with an empty one, and so is one whose value is null.", field: paths(shapes["KeyValueList"], "status.tags"), status: `{"tags": [{"k": "a"}, {"k": "b", "v": null}, {"k": "c"}, {"k": "d", "v": null}]}`, spec: `{"tags": [{"k": "a", "v": "9"}, {"k": "b", "v": "9"}]}`},
		"KeyValueListNoValueDesired": {reason: "An entry without a value has the empty one that the cloud has.", field: paths(shapes["KeyValueList"], "status.tags"), status: `{"tags": [{"k": "a", "v": ""}, {"k": "b"}, {"k": "c"}]}`, spec: `{"tags": [{"k": "a"}, {"k": "b"}, {"k": "c", "v": ""}]}`},
		"Atomic": {
			reason:       "A list that server-side apply replaces has the order that the provider gave it.",
			field:        field.Field{Path: object.MustParsePath("spec.tags"), Shape: field.StringList, Separator: "=", Atomic: true, Observed: []object.Path{object.MustParsePath("status.tags")}},
			status:       `{"tags": ["a=2", "b=3", "crossplane-name=x"]}`,
			spec:         `{"tags": ["b=1"]}`,
			observedSpec: `{"tags": ["crossplane-name=x", "a=2", "b=3"]}`,
		},
		"AtomicKept": {
			reason:       "What the provider has added is kept beside other systems' tags, with the value that it has in the spec.",
			field:        field.Field{Path: object.MustParsePath("spec.tags"), Shape: field.KeyValueList, Key: "k", Value: "v", Atomic: true, Observed: []object.Path{object.MustParsePath("status.tags")}},
			status:       `{"tags": [{"k": "a", "v": "2"}, {"k": "crossplane-name", "v": "cloud"}, {"k": "crossplane-kind", "v": "cloud"}]}`,
			spec:         `{}`,
			observedSpec: `{"tags": [{"k": "crossplane-name", "v": "x"}]}`,
		},
	}

	runAll(t, cases, func(t *testing.T, g *tagstest.Golden, tc situation) {
		t.Helper()

		tc.ignore = keys("*")
		tc.spec = cmp.Or(tc.spec, `{}`)
		tc.earlier = earlierOf(thing(tc.spec), tc.field.Separator)
		tc.run(t, g)
	})
}

// TestStampIgnoreKeyValueList tests what else the entries of other systems have.
func TestStampIgnoreKeyValueList(t *testing.T) {
	groupTags := field.Field{
		Path: object.MustParsePath("spec.tags"), Shape: field.KeyValueList, Key: "key", Value: "value", Observed: []object.Path{object.MustParsePath("status.tags")},
		Extra: map[string]*structpb.Value{"propagateAtLaunch": structpb.NewBoolValue(true)},
	}

	cases := map[string]situation{
		"Added":             {reason: "An entry that is added has what the cloud's has of the extra fields, and nothing that is none.", status: `{"tags": [{"key": "a", "value": "1", "propagateAtLaunch": false, "resourceId": "x"}]}`, spec: `{}`},
		"AddedWithout":      {reason: "An entry that is added has the extra fields of all entries that we add, if the cloud's does not have its own.", status: `{"tags": [{"key": "a", "value": "1"}, {"key": "b", "value": "2", "propagateAtLaunch": null}]}`, spec: `{}`},
		"Replaced":          {reason: "An entry that is there gets the cloud's value and extra fields, and keeps all others.", status: `{"tags": [{"key": "a", "value": "1", "propagateAtLaunch": false, "more": "cloud"}]}`, spec: `{"tags": [{"key": "a", "value": "9", "propagateAtLaunch": true, "more": "step"}]}`},
		"ReplacedExtraOnly": {reason: "An entry whose value is the cloud's gets the cloud's extra fields.", status: `{"tags": [{"key": "a", "value": "1", "propagateAtLaunch": false}]}`, spec: `{"tags": [{"key": "a", "value": "1", "propagateAtLaunch": true}]}`},
		"ReplacedWithout": {
			reason: "An entry that is there keeps its extra fields if the cloud's has none, or none that is set.",
			status: `{"tags": [{"key": "a", "value": "1"}, {"key": "b", "value": "2", "propagateAtLaunch": null}]}`,
			spec:   `{"tags": [{"key": "b", "value": "9", "propagateAtLaunch": false}, {"key": "a", "value": "9"}]}`,
		},
		"Same":  {reason: "An entry that has all that the cloud's has does not change.", status: `{"tags": [{"key": "a", "value": "1", "propagateAtLaunch": false, "more": 1}]}`, spec: `{"tags": [{"key": "a", "value": "1", "propagateAtLaunch": false}]}`},
		"Label": {reason: "A label whose value the cloud has is active, whatever its extra fields.", labels: []tags.Label{label("a", "1")}, status: `{"tags": [{"key": "ours:a", "value": "1", "propagateAtLaunch": false}]}`, spec: `{}`},
		"Duplicates": {
			reason: "Of several entries of a key, the first stands for all. Giving it the cloud's value leaves one.",
			status: `{"tags": [{"key": "a", "value": "1"}, {"key": "a", "value": "2"}]}`,
			spec:   `{"tags": [{"key": "x", "value": "x"}, {"key": "a", "value": "8", "n": 1}, {"key": "y", "value": "y"}, {"key": "a", "value": "1", "n": 2}]}`,
		},
		"DuplicatesFirstSame": {reason: "Of several entries of a key, only the one with the cloud's value is left.", status: `{"tags": [{"key": "a", "value": "1"}]}`, spec: `{"tags": [{"key": "a", "value": "1"}, {"key": "y", "value": "y"}, {"key": "a", "value": "9"}]}`},
	}

	runAll(t, cases, func(t *testing.T, g *tagstest.Golden, tc situation) {
		t.Helper()

		tc.field = groupTags
		tc.ignore = keys("a", "b", "ours:a")
		tc.earlier = earlierOf(thing(tc.spec), tc.field.Separator)
		tc.run(t, g)
	})
}

// stringsOf returns a list of strings with the supplied separator, that the provider
// reports.
func stringsOf(separator string) field.Field {
	return field.Field{Path: object.MustParsePath("spec.tags"), Shape: field.StringList, Separator: separator, Observed: []object.Path{object.MustParsePath("status.tags")}}
}

// TestStampIgnoreStringList tests which strings are whose tags.
func TestStampIgnoreStringList(t *testing.T) {
	cases := map[string]situation{
		"Bare":                 {reason: "A string without a value is a key. It is added if a pattern matches it.", field: stringsOf("="), ignore: keys("public", "k8s*"), status: `{"tags": ["public", "k8s", "k8s-worker", "private"]}`, spec: `{"tags": ["x"]}`},
		"BareThere":            {reason: "A string without a value that is there does not change.", field: stringsOf("="), ignore: keys("public"), status: `{"tags": ["public"]}`, spec: `{"tags": ["x", "public"]}`},
		"BareRetain":           {reason: "A string that nobody desires is added by what retains.", field: stringsOf("="), ignore: retaining("public", "p2"), status: `{"tags": ["public", "p2"]}`, spec: `{"tags": ["public"]}`},
		"BareWithSeparator":    {reason: "A string that a pattern matches only as a whole is a key, also with the separator in it.", field: stringsOf(":"), ignore: keys("k8s:*"), status: `{"tags": ["k8s", "k8s:worker", "k8s:4711", "other:k8s:worker"]}`, spec: `{"tags": ["x"]}`},
		"AllOfAKey":            {reason: "All strings of a key are the other system's: they need not be one tag with a value.", field: stringsOf(":"), ignore: keys("k8s", "k8s:*"), status: `{"tags": ["k8s", "k8s:worker", "k8s:4711"]}`, spec: `{"tags": ["x"]}`},
		"AllOfAKeyThere":       {reason: "Strings of a key that are all there do not change, in whatever order.", field: stringsOf(":"), ignore: keys("k8s*"), status: `{"tags": ["k8s", "k8s:worker", "k8s:4711"]}`, spec: `{"tags": ["k8s:4711", "x", "k8s:worker", "k8s"]}`},
		"AllOfAKeyReplaced":    {reason: "Of several strings of a key, those that the cloud has keep their place, and others take the places of those that it doesn't have.", field: stringsOf(":"), ignore: keys("k8s*"), status: `{"tags": ["k8s:new", "k8s:worker", "k8s:newer"]}`, spec: `{"tags": ["k8s:worker", "x", "k8s:old"]}`},
		"FewerOfAKey":          {reason: "Of several strings of a key, only those are left that the cloud has.", field: stringsOf(":"), ignore: keys("k8s*"), status: `{"tags": ["k8s:b"]}`, spec: `{"tags": ["k8s:a", "x", "k8s:b", "y", "k8s:c"]}`},
		"AllOfAKeyOfALabel":    {reason: "All strings of a label's key are the other system's.", field: stringsOf("="), ignore: keys("ours:a"), labels: []tags.Label{label("a", "1")}, status: `{"tags": ["ours:a=8", "ours:a=9"]}`, spec: `{}`},
		"AllOfALabelReplaced":  {reason: "All strings of a label's key that are there stay, before other labels get slots, though the label replaces what is there.", field: stringsOf("="), policy: tags.Replace, slots: 48, ignore: keys("ours:a"), labels: []tags.Label{label("a", "1"), label("b", "2")}, status: `{"tags": ["ours:a=8", "ours:a=9"]}`, spec: `{"tags": ["ours:a=8", "ours:a=9"]}`},
		"Value":                {reason: "A string of a key gets the value that the cloud has, with all separators in it.", field: stringsOf("="), ignore: keys("env"), status: `{"tags": ["env=a=b="]}`, spec: `{"tags": ["env=x", "y"]}`},
		"NotTheKey":            {reason: "A key with nothing behind it is another string than the key with a value.", field: stringsOf("="), ignore: retaining("env"), status: `{"tags": ["env=1", "env"]}`, spec: `{"tags": ["env", "env=2"]}`},
		"KeyAndBare":           {reason: "A pattern matches a key with a value and the bare one. Both are tags.", field: stringsOf("="), ignore: keys("env"), status: `{"tags": ["env=1", "env"]}`, spec: `{"tags": ["env=2"]}`},
		"LongestKey":           {reason: "A string is the tag of the longest key that is known: here the one to ignore, not the label's.", field: stringsOf("="), ignore: keys("ours:a=b"), labels: []tags.Label{label("a", "1")}, status: `{"tags": ["ours:a=b=9", "ours:a=8"]}`, spec: `{}`},
		"LabelsKey":            {reason: "A string is the tag of the longest key that is known: here the label's, not that of the key to ignore.", field: stringsOf("="), ignore: keys("ours:a"), labels: []tags.Label{label("a", "1"), label("a=b", "2")}, status: `{"tags": ["ours:a=b=9", "ours:a=8"]}`, spec: `{}`},
		"ShortestKey":          {reason: "A string whose key is not known is the tag of the shortest one that a pattern matches.", field: stringsOf("="), ignore: keys("a*"), status: `{"tags": ["ab=c=9", "b=ab=1"]}`, spec: `{"tags": ["ab=c=8", "ab=7"]}`},
		"PatternWithSeparator": {reason: "A pattern that has the separator in it matches keys that have it too, and strings as a whole.", field: stringsOf("="), ignore: keys("a=b*"), status: `{"tags": ["a=b=1", "a=bc=2", "a=c=3", "a=b"]}`, spec: `{"tags": ["a=bc=9"]}`},
		"LongSeparator":        {reason: "The separator may have many characters, and overlap.", field: stringsOf("::"), ignore: keys("a", "b:*"), status: `{"tags": ["a:::1", "b:::2", "c::3"]}`, spec: `{"tags": ["a::9", "b:::9"]}`},
		"ProvidersKeyHidden": {
			reason: "A string that could be a tag that the provider sets itself is left alone, whatever the pattern makes its key.",
			field:  stringsOf("="),
			ignore: keys("crossplane-kind=*", "crossplane-kind=x", "crossplane-name=y"),
			status: `{"tags": ["crossplane-kind=x", "crossplane-kind=z=1", "crossplane-name=y=1"]}`,
			spec:   `{}`,
		},
		"ReservedPrefix": {reason: "A string that starts with what the cloud keeps to itself is left alone, also where the separator is part of that.", field: stringsOf(":"), ignore: keys("*"), status: `{"tags": ["aws:a:b", "AWS:c", "aws:"]}`, spec: `{}`},
		"UnreservedKey":  {reason: "A key that the cloud admits though it keeps its beginning to itself is another system's.", provider: "gcp", field: stringsOf("="), ignore: keys("*"), status: `{"tags": ["goog-partner-solution=a", "goog-x=b"]}`, spec: `{}`},
		"ReservedKeyHidden": {
			reason:   "A string that could be a tag with a reserved key is protected from a field, whatever the pattern makes its key.",
			field:    stringsOf("="),
			reserved: []string{"owner"},
			ignore:   fromField("owner=*", "owner=a", "ours:owner=*"),
			status:   `{"tags": ["owner=a", "owner=b=1", "ours:owner=c"]}`,
			spec:     `{"tags": ["owner=b=2"]}`,
		},
		"ReservedKeyOfInput": {reason: "A string that could be a tag with a reserved key is no other system's.", field: stringsOf("="), reserved: []string{"owner"}, ignore: keys("owner=a*", "x"), status: `{"tags": ["owner=a", "owner=b", "x=y"]}`, spec: `{}`},
		"TrustedLabelNotHidden": {
			reason:   "A key from a field does not hide the string that is the tag of a trusted label, so that it is replaced.",
			field:    stringsOf("="),
			reserved: []string{"owner"},
			ignore:   fromField("ours:owner=mallory"),
			labels:   []tags.Label{trusted(label("owner", "alice"))},
			status:   `{"tags": ["ours:owner=mallory=x"]}`,
			spec:     `{"tags": ["ours:owner=mallory=x"]}`,
		},
		"ReservedKeyAmongLabels": {reason: "A string with a separator in its key is no tag of the reserved beginning of another key.", field: stringsOf("="), reserved: []string{"own"}, ignore: fromField("owner"), status: `{"tags": ["owner=a"]}`, spec: `{}`},
	}

	runAll(t, cases, func(t *testing.T, g *tagstest.Golden, tc situation) {
		t.Helper()

		tc.earlier = earlierOf(thing(tc.spec), tc.field.Separator)
		tc.run(t, g)
	})
}

// TestStampIgnoreFoldEntries tests lists of strings whose entries compare without case,
// but whose keys don't if their values differ.
func TestStampIgnoreFoldEntries(t *testing.T) {
	cases := map[string]situation{
		"Bare":                {reason: "A pattern matches in any case.", ignore: keys("K8S:*"), status: `{"tags": ["k8s:worker", "K8s:4711"]}`, spec: `{}`},
		"BareInOtherCase":     {reason: "A string that is there in another case becomes the one that the cloud has.", ignore: keys("k8s:*"), status: `{"tags": ["k8s:worker"]}`, spec: `{"tags": ["x", "K8S:Worker", "y"]}`},
		"OthersInOtherCase":   {reason: "A string that is there in another case, as another key's, is not there twice.", ignore: keys("env:prod"), labels: []tags.Label{{QualifiedKey: "env", TagKey: "env", Value: "PROD"}}, status: `{"tags": ["env:prod"]}`, spec: `{"tags": ["ENV:PROD"]}`},
		"Value":               {reason: "A key that is there in another case is the key.", ignore: keys("Team"), status: `{"tags": ["team:b"]}`, spec: `{"tags": ["TEAM:a"]}`},
		"TwoLabels":           {reason: "Two labels whose keys differ in case are two tags if their values differ.", ignore: keys("x"), labels: []tags.Label{label("A", "1"), label("a", "2"), label("B", "3"), label("b", "3")}, status: `{}`, spec: `{}`},
		"TwoLabelsThere":      {reason: "Two labels whose keys differ in case should not take turns.", ignore: keys("x"), labels: []tags.Label{label("A", "1"), label("a", "2")}, status: `{}`, spec: `{"tags": ["ours:A:1", "ours:a:2"]}`},
		"TwoLabelsTrusted":    {reason: "A trusted label protects its key in any case.", ignore: fromField("*"), labels: []tags.Label{trusted(label("A", "1")), label("a", "2")}, status: `{"tags": ["ours:a:9"]}`, spec: `{}`},
		"ReservedAmongOthers": {reason: "A string with a reserved key is not kept with others that come to the same key.", reserved: []string{"team:owner"}, ignore: keys("*"), status: `{"tags": ["team:a:1", "team:OWNER:2"]}`, spec: `{}`},
		"TwoLabelsIgnored":    {reason: "Two labels whose keys differ in case are both the other system's.", ignore: keys("ours:a"), labels: []tags.Label{label("A", "1"), label("a", "2")}, status: `{"tags": ["ours:a:9"]}`, spec: `{}`},
		"Untrusted":           {reason: "A reserved key is protected in any case, also where a pattern hides it.", reserved: []string{"owner"}, ignore: fromField("OWNER", "owner:*"), status: `{"tags": ["Owner:a"]}`, spec: `{"tags": ["oWNER:b"]}`},
	}

	g := tagstest.NewGolden(t)

	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			tc.provider = "digitalocean"
			tc.field = stringsOf(":")
			tc.earlier = earlierOf(thing(tc.spec), tc.field.Separator)
			tc.run(t, g)
		})
	}

	situation{
		reason:   "Labels whose keys differ in case take a slot each, and are active for themselves.",
		provider: "digitalocean",
		slots:    48,
		labels:   []tags.Label{label("AB", "1"), label("Ab", "2"), label("aB", "3")},
	}.runIn(t, g, map[string]shape{"StringList": shapes["StringList"]})

	// Only the entries of lists compare without case on this provider.
	situation{
		reason:   "In a map, keys that differ in case are two.",
		provider: "digitalocean",
		ignore:   keys("ours:*"),
		remove:   keys("x"),
		labels:   []tags.Label{label("team", "2")},
		cloud:    []string{"ours:Team", "1"},
	}.runIn(t, g, map[string]shape{"Map": shapes["Map"]})
}

// TestStampIgnoreSettles tests that what becomes of a resource, once it is observed with
// it, becomes of it again, however often. A value that another system changes is kept.
func TestStampIgnoreSettles(t *testing.T) {
	for kind, s := range shapes {
		for _, atomic := range []bool{false, true} {
			t.Run(kind+map[bool]string{true: "Atomic"}[atomic], func(t *testing.T) {
				f := reporting(s.field)
				f.Atomic = atomic && f.Shape != field.Map

				stamper := &Stamper{
					Finder: target.Finder{
						Input:    &v1beta1.CloudTags{Sources: []v1beta1.Source{{OnConflict: tags.Retain}}},
						Provider: "aws",
						Fields:   everywhere(f),
					},
					Transformer: transformer(label("a", "1"), label("b", "2"), label("gone", "3"), label("both", "4")),
					Ignore:      append(keys("ours:b", "backup:*"), retaining("Name", "late")...),
					Remove:      append(keys("ours:gone", "old"), atValue("ours:a", "9")...),
				}

				// stamp the same desired resource, observed as the supplied tags.
				stamp := func(keysAndValues ...string) *structpb.Struct {
					now := s.spec(keysAndValues...)
					stamper.Observed = map[string]*fnv1.Resource{"r": {Resource: observed(now, now)}}

					got, err := stampAll(stamper, map[string]*fnv1.Resource{"r": {Resource: thing(s.spec("Name", "x", "old", "y", "ours:both", "step"))}})
					if err != nil {
						t.Fatalf("Stamp(...): %s", err)
					}

					return got.Changed["r"].Struct()
				}

				want := func(backup, b, late string) []string {
					return []string{"Name", "x", "ours:both", "step", "backup:plan", backup, "late", late, "ours:a", "1", "ours:b", b}
				}

				for _, change := range []map[string]string{{}, {"backup:plan": "weekly"}, {"ours:b": "theirs", "Name": "theirs"}, {"late": "2", "ours:a": "x"}} {
					cloud := map[string]string{"Name": "x", "ours:both": "step", "backup:plan": "daily", "late": "1", "ours:a": "1", "ours:b": "2"}
					maps.Copy(cloud, change)

					now := make([]string, 0, 2*len(cloud))
					for _, key := range slices.Sorted(maps.Keys(cloud)) {
						now = append(now, key, cloud[key])
					}

					for i := range 10 {
						got := stamp(now...)
						expected := want(cloud["backup:plan"], cloud["ours:b"], cloud["late"])

						if diff := gocmp.Diff(sortedSpec(thing(s.spec(expected...))), sortedSpec(got), protocmp.Transform()); diff != "" {
							t.Fatalf("\nThe tags of other systems should have the cloud's value, and all others their own, the %d. time.\nStamp(...) after %v: -want, +got:\n%s", i+1, change, diff)
						}

						now = expected
					}
				}
			})
		}
	}
}

// sortedSpec returns the spec of the supplied resource with its list of tags sorted, if
// it is one: the order of an atomic list is the provider's.
func sortedSpec(r *structpb.Struct) *structpb.Struct {
	v := r.GetFields()["spec"].GetStructValue().GetFields()["tags"]
	items := slices.SortedFunc(slices.Values(v.GetListValue().GetValues()), func(a, b *structpb.Value) int {
		return cmp.Compare(fmt.Sprint(a.AsInterface()), fmt.Sprint(b.AsInterface()))
	})

	if len(items) == 0 {
		return r
	}

	return &structpb.Struct{Fields: map[string]*structpb.Value{"tags": structpb.NewListValue(&structpb.ListValue{Values: items})}}
}
