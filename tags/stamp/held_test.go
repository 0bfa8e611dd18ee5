package stamp

import (
	"strings"
	"testing"

	"google.golang.org/protobuf/types/known/structpb"

	"github.com/plexsphere/function-cloud-tags/tags"
	"github.com/plexsphere/function-cloud-tags/tags/field"
	"github.com/plexsphere/function-cloud-tags/tags/object"
	"github.com/plexsphere/function-cloud-tags/tags/tagstest"
)

// runBy runs the supplied situations of the supplied field by all policies for conflicts,
// with labels that should become the tags ours:a=1 and ours:b=2.
func runBy(t *testing.T, cases map[string]situation, f field.Field) {
	t.Helper()

	runAll(t, cases, func(t *testing.T, g *tagstest.Golden, tc situation) {
		t.Helper()

		t.Helper()

		for _, policy := range policies {
			t.Run(string(policy), func(t *testing.T) {
				t.Helper()

				tc.policy, tc.field, tc.labels = policy, f, []tags.Label{label("a", "1"), label("b", "2")}
				tc.run(t, g)
			})
		}
	})
}

func TestStampMap(t *testing.T) {
	cases := map[string]situation{
		"NoSpec":             {reason: "Objects that are missing on the way to the field are made.", spec: `null`},
		"Absent":             {reason: "A field that is absent is made.", spec: `{"other": true}`},
		"Null":               {reason: "A field that is null is absent.", spec: `{"tags": null}`},
		"Empty":              {reason: "An empty field gets our tags.", spec: `{"tags": {}}`},
		"Others":             {reason: "Whatever else is in the field stays.", spec: `{"tags": {"Name": "x", "ours:c": "", "number": 1, "object": {"a": ["b"]}, "null": null}}`},
		"Case":               {reason: "Keys that differ in case are different keys.", spec: `{"tags": {"OURS:A": "9"}}`},
		"SameValue":          {reason: "A tag that is there already is only in the way of a source that refuses any.", spec: `{"tags": {"Name": "x", "ours:a": "1"}}`},
		"AllThere":           {reason: "A resource that has all the tags already does not change.", spec: `{"tags": {"ours:a": "1", "ours:b": "2"}}`},
		"OtherValue":         {reason: "The policy says which of two values a tag has.", spec: `{"tags": {"Name": "x", "ours:a": "9"}}`},
		"AllWithOtherValues": {reason: "A resource that keeps all of its tags does not change, and says so.", spec: `{"tags": {"ours:b": "8", "ours:a": "9"}}`},
		"EmptyValue":         {reason: "An empty value is a value.", spec: `{"tags": {"ours:a": ""}}`},
		"NumberValue":        {reason: "A value that is no string is another value, even if it reads like ours.", spec: `{"tags": {"ours:a": 1}}`},
		"ObjectValue":        {reason: "A value that is an object is another value.", spec: `{"tags": {"ours:a": {"x": "y"}}}`},
		"NullValue":          {reason: "A value that is null is another value, by which an earlier step may want the tag not to be.", spec: `{"tags": {"ours:a": null}}`},
		"List":               {reason: "A list is left alone.", spec: `{"tags": ["ours:a=1"]}`},
		"EmptyList":          {reason: "Even an empty list is left alone.", spec: `{"tags": []}`},
		"String":             {reason: "A string is left alone.", spec: `{"tags": ""}`},
		"Number":             {reason: "A number is left alone.", spec: `{"tags": 0}`},
		"Boolean":            {reason: "A boolean is left alone.", spec: `{"tags": false}`},
		"SpecIsString":       {reason: "What has no fields is left alone.", spec: `"text"`},
		"SpecIsList":         {reason: "A list has no field.", spec: `[{"tags": {}}]`},
	}

	runBy(t, cases, field.Field{Path: object.MustParsePath("spec.tags"), Shape: field.Map})
}

func TestStampKeyValueList(t *testing.T) {
	cases := map[string]situation{
		"NoSpec":              {reason: "Objects that are missing on the way to the field are made.", spec: `null`},
		"Absent":              {reason: "A field that is absent is made.", spec: `{"other": true}`},
		"Null":                {reason: "A field that is null is absent.", spec: `{"tags": null}`},
		"Empty":               {reason: "An empty field gets our tags.", spec: `{"tags": []}`},
		"Others":              {reason: "Whatever else is in the field stays, in its order, before our tags.", spec: `{"tags": [{"k": "z", "v": "x", "more": [1]}, {"key": "ours:a", "value": "9"}, {"v": "no key"}, {"k": 1, "v": 2}, {}, {"k": "Name"}]}`},
		"SameValue":           {reason: "A tag that is there already keeps its place, and what else its entry has.", spec: `{"tags": [{"k": "ours:a", "v": "1", "more": true}, {"k": "Name", "v": "x"}]}`},
		"AllThere":            {reason: "A resource that has all the tags already does not change, whatever their order.", spec: `{"tags": [{"k": "ours:b", "v": "2"}, {"k": "ours:a", "v": "1"}]}`},
		"OtherValue":          {reason: "The policy says which of two values a tag has. It keeps its place, and what else its entry has.", spec: `{"tags": [{"k": "ours:a", "v": "9", "more": {"a": 1}}, {"k": "Name", "v": "x"}]}`},
		"NumberValue":         {reason: "A value that is no string is another value, even if it reads like ours.", spec: `{"tags": [{"k": "ours:a", "v": 1}]}`},
		"NoValue":             {reason: "An entry without a value is a tag with another value than ours.", spec: `{"tags": [{"k": "ours:a"}]}`},
		"Duplicates":          {reason: "Of several entries of a key, the first stands for all. Replacing leaves one.", spec: `{"tags": [{"k": "x", "v": "1"}, {"k": "ours:a", "v": "8", "n": 1}, {"k": "y", "v": "2"}, {"k": "ours:a", "v": "9", "n": 2}, {"k": "ours:a", "v": "1"}, {"k": "z", "v": "3"}]}`},
		"DuplicatesFirstSame": {reason: "Replacing leaves only our value, also where another one follows it.", spec: `{"tags": [{"k": "ours:a", "v": "1"}, {"k": "ours:a", "v": "9"}, {"k": "ours:b", "v": "2"}]}`},
		"OthersDuplicates":    {reason: "Several entries of a key that is not ours are not ours to clean up.", spec: `{"tags": [{"k": "x", "v": "1"}, {"k": "x", "v": "2"}]}`},
		"Map":                 {reason: "A map is left alone.", spec: `{"tags": {"ours:a": "1"}}`},
		"EmptyMap":            {reason: "Even an empty map is left alone.", spec: `{"tags": {}}`},
		"String":              {reason: "A string is left alone.", spec: `{"tags": "x"}`},
		"StringEntry":         {reason: "A list with an entry that is no object is left alone, whatever else it has.", spec: `{"tags": [{"k": "ours:a", "v": "9"}, "ours:a=9"]}`},
		"NullEntry":           {reason: "A list with an entry that is null is left alone.", spec: `{"tags": [null]}`},
		"SpecIsString":        {reason: "What has no fields is left alone.", spec: `"text"`},
	}

	runBy(t, cases, field.Field{Path: object.MustParsePath("spec.tags"), Shape: field.KeyValueList, Key: "k", Value: "v"})
}

func TestStampStringList(t *testing.T) {
	cases := map[string]situation{
		"NoSpec":              {reason: "Objects that are missing on the way to the field are made.", spec: `null`},
		"Absent":              {reason: "A field that is absent is made.", spec: `{"other": true}`},
		"Null":                {reason: "A field that is null is absent.", spec: `{"tags": null}`},
		"Empty":               {reason: "An empty field gets our tags.", spec: `{"tags": []}`},
		"Opaque":              {reason: "Entries that are no tags of ours stay, in their order, before our tags.", spec: `{"tags": ["z=1", "public", "", "=", "ours:a", "ours:a:x=9", "xours:a=9", "OURS:A=9", "ours", "a", "public"]}`},
		"SameValue":           {reason: "A tag that is there already keeps its place.", spec: `{"tags": ["ours:a=1", "public"]}`},
		"AllThere":            {reason: "A resource that has all the tags already does not change, whatever their order.", spec: `{"tags": ["ours:b=2", "ours:a=1"]}`},
		"OtherValue":          {reason: "The policy says which of two values a tag has. It keeps its place.", spec: `{"tags": ["x", "ours:a=9", "y"]}`},
		"ValueWithSeparator":  {reason: "What follows the key and the separator is the value, with every separator in it.", spec: `{"tags": ["ours:a=1=", "ours:b==2"]}`},
		"EmptyValue":          {reason: "Nothing after the separator is an empty value.", spec: `{"tags": ["ours:a="]}`},
		"Duplicates":          {reason: "Of several entries of a key, the first stands for all. Replacing leaves one.", spec: `{"tags": ["x", "ours:a=8", "y", "ours:a=9", "ours:a=1", "z"]}`},
		"DuplicatesFirstSame": {reason: "Replacing leaves only our value, also where another one follows it.", spec: `{"tags": ["ours:a=1", "ours:a=9", "ours:b=2"]}`},
		"Map":                 {reason: "A map is left alone.", spec: `{"tags": {"ours:a": "1"}}`},
		"String":              {reason: "A string is left alone.", spec: `{"tags": "ours:a=1"}`},
		"ObjectEntry":         {reason: "A list with an entry that is no string is left alone, whatever else it has.", spec: `{"tags": ["ours:a=9", {"key": "ours:a", "value": "9"}]}`},
		"NullEntry":           {reason: "A list with an entry that is null is left alone.", spec: `{"tags": [null]}`},
		"NumberEntry":         {reason: "A list with an entry that is a number is left alone.", spec: `{"tags": ["x", "y", 1]}`},
		"SpecIsString":        {reason: "What has no fields is left alone.", spec: `"text"`},
	}

	runBy(t, cases, field.Field{Path: object.MustParsePath("spec.tags"), Shape: field.StringList, Separator: "="})
}

func TestStampEntries(t *testing.T) {
	extra := map[string]*structpb.Value{
		"propagateAtLaunch": structpb.NewBoolValue(true),
		"resource":          structpb.NewStructValue(&structpb.Struct{Fields: map[string]*structpb.Value{"type": structpb.NewStringValue("group")}}),
	}

	keyValues := field.Field{Path: object.MustParsePath("spec.tags"), Shape: field.KeyValueList, Key: "tagKey", Value: "tagValue", Extra: extra}
	stringsBy := func(separator string, maxLength int) field.Field {
		return field.Field{Path: object.MustParsePath("spec.tags"), Shape: field.StringList, Separator: separator, MaxLength: maxLength}
	}
	cases := map[string]situation{
		"ExtraOnAdded":        {reason: "Entries that we add have the extra fields, and those of others don't get them.", field: keyValues, policy: tags.Retain, labels: []tags.Label{label("a", "1"), label("b", "2")}, spec: `{"tags": [{"tagKey": "Name", "tagValue": "x"}]}`},
		"ExtraKeptOnReplaced": {reason: "An entry whose value we replace keeps its own extra fields.", field: keyValues, policy: tags.Replace, labels: []tags.Label{label("a", "1")}, spec: `{"tags": [{"tagKey": "ours:a", "tagValue": "9", "propagateAtLaunch": false, "resource": null, "more": [1, 2]}]}`},
		"ExtraNotOnReplaced":  {reason: "An entry whose value we replace doesn't get extra fields, which are for entries that we add.", field: keyValues, policy: tags.Replace, labels: []tags.Label{label("a", "1")}, spec: `{"tags": [{"tagKey": "ours:a", "tagValue": "9"}]}`},
		"SortedByTagKey": {
			reason: "Our tags follow those of others, and are sorted by tag key, not by qualified key.",
			field:  stringsBy("=", 0),
			policy: tags.Retain,
			labels: []tags.Label{
				{QualifiedKey: "a", TagKey: "z", Value: "1"},
				{QualifiedKey: "b", TagKey: "Z", Value: "2"},
				{QualifiedKey: "c", TagKey: "a", Value: "3"},
			},
			spec: `{"tags": ["zz", "b"]}`,
		},
		"LongestKeyFirst":          {reason: "An entry belongs to the longest key that it starts with, so that the shorter one is not there yet.", field: stringsBy("=", 0), policy: tags.Replace, labels: []tags.Label{label("a", "x"), label("a=b", "y"), label("a=b=c", "z")}, spec: `{"tags": ["ours:a=b=1", "ours:a=b=c=2"]}`},
		"KeyWithSeparator":         {reason: "A key that we don't handle is part of the value of the key that we do handle.", field: stringsBy("=", 0), policy: tags.Retain, labels: []tags.Label{label("a", "b=1")}, spec: `{"tags": ["ours:a=b=1"]}`},
		"KeyWithSeparatorLonger":   {reason: "An entry that only starts with a shorter key is not the tag of the longer one.", field: stringsBy("=", 0), policy: tags.Retain, labels: []tags.Label{label("a=b", "1")}, spec: `{"tags": ["ours:a=1", "ours:a=b"]}`},
		"LongSeparator":            {reason: "The separator may have many characters.", field: stringsBy(" := ", 0), policy: tags.Replace, labels: []tags.Label{label("a", "1"), label("b", "2")}, spec: `{"tags": ["ours:a := 9", "ours:b=9"]}`},
		"SeparatorInValueOverlaps": {reason: "A value may start with a part of the separator.", field: stringsBy("::", 0), policy: tags.Retain, labels: []tags.Label{label("a", ":1")}, spec: `{"tags": ["ours:a:::1"]}`},
		"OneString":                {reason: "Two tags that come to one string are there once, since a set can't have it twice.", field: stringsBy("=", 0), policy: tags.Retain, labels: []tags.Label{label("a", "b=c"), label("a=b", "c")}, spec: `{"tags": ["x"]}`},
		"OneStringThere":           {reason: "A tag whose string is there, as that of another tag, changes nothing.", field: stringsBy("=", 0), policy: tags.Retain, labels: []tags.Label{label("a", "b=c"), label("a=b", "c")}, spec: `{"tags": ["ours:a=b=c"]}`},
		"OneStringReplaced":        {reason: "A tag that is replaced by a string that is there already leaves it there once.", field: stringsBy("=", 0), policy: tags.Replace, labels: []tags.Label{label("a", "b=c"), label("a=b", "c")}, spec: `{"tags": ["ours:a=9", "ours:a=b=c"]}`},
		"MaxLength":                {reason: "An entry may have as many characters as the limit says, however many bytes they are.", field: stringsBy("=", 10), policy: tags.Retain, labels: []tags.Label{label("a", "äöü")}, spec: `{}`},
		"MaxLengthExceeded":        {reason: "A label whose entry has one character more than the limit is skipped, and others are not.", field: stringsBy("=", 10), policy: tags.Retain, labels: []tags.Label{label("a", "1234"), label("b", "123")}, spec: `{}`},
		"MaxLengthKeyAndSeparator": {reason: "The key and the separator count.", field: stringsBy("→→→→", 10), policy: tags.Retain, labels: []tags.Label{label("a", ""), label("b", "1")}, spec: `{}`},
		"MaxLengthOfOthers":        {reason: "Entries of others stay, however long they are, and so does an earlier value of a label that is skipped.", field: stringsBy("=", 10), policy: tags.Replace, labels: []tags.Label{label("a", "12345")}, spec: `{"tags": ["of others and long", "ours:a=1"]}`},
		"MaxLengthSkipsAll":        {reason: "A field is not created if every label is skipped.", field: stringsBy("=", 1), policy: tags.Retain, labels: []tags.Label{label("a", "1")}, spec: `{}`},
		"EmptyValueOfMap":          {reason: "A label with an empty value is a tag.", field: field.Field{Path: object.MustParsePath("spec.tags"), Shape: field.Map}, policy: tags.Retain, labels: []tags.Label{label("a", "")}, spec: `{}`},
		"EmptyValueOfKeyValueList": {reason: "The entry of a tag with an empty value has the value.", field: field.Field{Path: object.MustParsePath("spec.tags"), Shape: field.KeyValueList, Key: "key", Value: "value"}, policy: tags.Retain, labels: []tags.Label{label("a", "")}, spec: `{}`},
		"EmptyValueThere":          {reason: "A null is no empty value, so replacing it writes one.", field: field.Field{Path: object.MustParsePath("spec.tags"), Shape: field.Map}, policy: tags.Replace, labels: []tags.Label{label("a", "")}, spec: `{"tags": {"ours:a": null}}`},
		"EmptyValueOfStringList":   {reason: "The entry of a tag with an empty value ends in the separator.", field: stringsBy("=", 0), policy: tags.Retain, labels: []tags.Label{label("a", "")}, spec: `{}`},
		"ListIndex": {
			reason: "A path may lead through an item of a list.",
			field:  field.Field{Path: object.MustParsePath("spec.groups[1].tags"), Shape: field.Map},
			policy: tags.Replace,
			labels: []tags.Label{label("a", "1")},
			spec:   `{"groups": [{"tags": {"ours:a": "9"}}, {"tags": {"ours:a": "8", "x": "y"}}, {}]}`,
		},
		"ListIndexAbsentField": {reason: "An item of a list that has no tags yet gets them.", field: field.Field{Path: object.MustParsePath("spec.groups[0].tags"), Shape: field.StringList, Separator: "="}, policy: tags.Retain, labels: []tags.Label{label("a", "1")}, spec: `{"groups": [{"name": "x"}]}`},
		"ListIndexMissing":     {reason: "Items of lists are not made.", field: field.Field{Path: object.MustParsePath("spec.groups[1].tags"), Shape: field.Map}, policy: tags.Retain, labels: []tags.Label{label("a", "1")}, spec: `{"groups": [{}]}`},
		"ListMissing":          {reason: "Lists are not made.", field: field.Field{Path: object.MustParsePath("spec.groups[0].tags"), Shape: field.Map}, policy: tags.Retain, labels: []tags.Label{label("a", "1")}, spec: `{}`},
		"ListIndexOfObject":    {reason: "An object has no items.", field: field.Field{Path: object.MustParsePath("spec.groups[0].tags"), Shape: field.Map}, policy: tags.Retain, labels: []tags.Label{label("a", "1")}, spec: `{"groups": {"0": {}}}`},
		"QuotedField":          {reason: "A path may name fields with dots in them.", field: field.Field{Path: object.MustParsePath("spec.tags[example.org/cloud]"), Shape: field.Map}, policy: tags.Retain, labels: []tags.Label{label("a", "1")}, spec: `{"tags": {"example.org/cloud": {"x": "y"}}}`},
	}

	runPlain(t, cases)
}

func TestStampAtomicList(t *testing.T) {
	keyValues := field.Field{Path: object.MustParsePath("spec.tags"), Shape: field.KeyValueList, Key: "key", Value: "value", Atomic: true}
	texts := field.Field{Path: object.MustParsePath("spec.tags"), Shape: field.StringList, Separator: "=", Atomic: true}

	cases := map[string]situation{
		"Kept": {
			reason: "The tags that the provider has added are kept, behind those of earlier steps and before ours. Others are not.",
			field:  keyValues,
			labels: []tags.Label{label("a", "1")},
			spec:   `{"tags": [{"key": "Name", "value": "x"}]}`,
			observedSpec: `{"tags": [{"key": "of an earlier reconcile", "value": "x"}, {"key": "crossplane-providerconfig", "value": "default"},
					{"key": "crossplane-name", "value": "thing-x"}, {"key": "crossplane-kind", "value": "thing.example.org"}, {"key": "crossplane-other", "value": "x"}]}`,
		},
		"Verbatim": {
			reason:       "What the provider has added is kept as it is, without what our own entries have.",
			field:        field.Field{Path: object.MustParsePath("spec.tags"), Shape: field.KeyValueList, Key: "key", Value: "value", Atomic: true, Extra: map[string]*structpb.Value{"extra": structpb.NewBoolValue(true)}},
			labels:       []tags.Label{label("a", "1")},
			spec:         `{"tags": [{"key": "Name", "value": "x"}]}`,
			observedSpec: `{"tags": [{"key": "crossplane-kind", "value": "thing.example.org"}]}`,
		},
		"NoLabels":           {reason: "Without labels, the provider's tags are kept with those of earlier steps.", field: keyValues, spec: `{"tags": [{"key": "Name", "value": "x"}]}`, observedSpec: `{"tags": [{"key": "crossplane-kind", "value": "thing.example.org"}, {"key": "ours:a", "value": "1"}]}`},
		"Map":                {reason: "Entries of a map are kept by server-side apply, atomic or not.", field: field.Field{Path: object.MustParsePath("spec.tags"), Shape: field.Map, Atomic: true}, labels: []tags.Label{label("a", "1")}, spec: `{"tags": {"Name": "x"}}`, observedSpec: `{"tags": {"crossplane-kind": "k", "old": "1"}}`},
		"NoTagsAndNoLabels":  {reason: "A list that nobody desires is none to keep anything in.", field: keyValues, spec: `{}`, observedSpec: `{"tags": [{"key": "crossplane-kind", "value": "thing.example.org"}]}`},
		"StringList":         {reason: "The tags that the provider has added to a list of strings are kept.", field: texts, labels: []tags.Label{label("a", "1")}, spec: `{}`, observedSpec: `{"tags": ["crossplane-name=a=b", "crossplane-kind", "x"]}`},
		"Desired":            {reason: "What an earlier step set is not overwritten by what is observed.", field: texts, labels: []tags.Label{label("a", "1")}, spec: `{"tags": ["crossplane-name=desired"]}`, observedSpec: `{"tags": ["crossplane-name=observed"]}`},
		"NotAtomic":          {reason: "A list whose entries server-side apply merges needs no entry kept.", field: field.Field{Path: object.MustParsePath("spec.tags"), Shape: field.StringList, Separator: "="}, labels: []tags.Label{label("a", "1")}, spec: `{}`, observedSpec: `{"tags": ["crossplane-name=x"]}`},
		"NotObserved":        {reason: "A resource that isn't there yet has no entry to keep.", field: keyValues, labels: []tags.Label{label("a", "1")}, spec: `{}`, observedSpec: `null`},
		"ObservedOtherShape": {reason: "What is observed in another shape has no entry to keep.", field: keyValues, labels: []tags.Label{label("a", "1")}, spec: `{}`, observedSpec: `{"tags": {"crossplane-name": "x"}}`},
		"NothingOfOurs":      {reason: "A field that gets no tag of ours is not created to keep an entry.", field: texts, labels: []tags.Label{label("*", "1")}, spec: `{}`, observedSpec: `{"tags": ["crossplane-name=x"]}`},
		"Cap":                {reason: "Entries that are kept take slots.", field: texts, labels: labels(2), spec: `{"tags": ["x"` + strings.Repeat(`, "x"`, 47) + `]}`, observedSpec: `{"tags": ["crossplane-name=x"]}`},
	}

	runPlain(t, cases)
}
