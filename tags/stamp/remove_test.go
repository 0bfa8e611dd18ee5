package stamp

import (
	"testing"

	"github.com/plexsphere/function-cloud-tags/input/v1beta1"
	"github.com/plexsphere/function-cloud-tags/tags"
	"github.com/plexsphere/function-cloud-tags/tags/field"
	"github.com/plexsphere/function-cloud-tags/tags/object"
	"github.com/plexsphere/function-cloud-tags/tags/profile"
	"github.com/plexsphere/function-cloud-tags/tags/tagstest"
	"github.com/plexsphere/function-cloud-tags/tags/target"
)

func TestStampRemove(t *testing.T) {
	a := []tags.Label{label("a", "1")}

	cases := map[string]situation{
		"StepsTag":              {reason: "A tag that an earlier step set is removed. Others stay, in their order.", remove: keys("Name"), before: []string{"z", "1", "Name", "x", "y", "2"}},
		"NotThere":              {reason: "A tag that isn't there is not removed.", remove: keys("Name"), before: []string{"Names", "1", "name", "2", "Nam", "3"}},
		"OnlyInCloud":           {reason: "A tag that only the cloud has is not ours to remove.", remove: keys("Name"), before: []string{"x", "y"}, cloud: []string{"Name", "1"}},
		"Prefix":                {reason: "A pattern matches all keys that it is the beginning of, and that beginning too.", remove: keys("kubernetes.io/*"), before: []string{"kubernetes.io/a", "1", "Name", "x", "kubernetes.io/", "2", "kubernetes.io", "3"}},
		"LastTag":               {reason: "A field that becomes empty is removed.", remove: keys("*"), before: []string{"a", "1", "b", "2"}},
		"EmptyField":            {reason: "A field that is there and empty stays.", remove: keys("*"), before: []string{}},
		"NoField":               {reason: "A field is not created if every label is removed.", remove: keys("ours:*"), labels: a},
		"EmptyFieldOfLabels":    {reason: "A field that is there and empty stays if every label is removed.", remove: keys("ours:*"), labels: a, before: []string{}},
		"Label":                 {reason: "A label whose tag is removed is withheld. Others become tags.", remove: keys("ours:b"), labels: []tags.Label{label("a", "1"), label("b", "2"), label("c", "3")}, before: []string{"x", "y"}},
		"LabelThere":            {reason: "A tag that an earlier step set as the label would have is removed.", remove: keys("ours:a"), labels: a, before: []string{"ours:a", "1", "x", "y"}},
		"RetainedLabel":         {reason: "A tag that kept the value of an earlier step is removed, and is removed rather than retained.", remove: keys("ours:a"), labels: a, before: []string{"ours:a", "9", "x", "y"}},
		"ReplacedLabel":         {reason: "A tag that was replaced is removed.", policy: tags.Replace, remove: keys("ours:a"), labels: a, before: []string{"ours:a", "9"}},
		"RefusedLabel":          {reason: "A source that refuses to share its tags does so though the tag would be removed.", policy: tags.Refuse, remove: keys("ours:a"), labels: a, before: []string{"ours:a", "9"}},
		"Value":                 {reason: "With a value, a tag is removed at that value only.", remove: append(append(atValue("a", "1"), atValue("b", "1")...), atValue("c", "")...), before: []string{"a", "1", "b", "2", "c", "", "d", "1"}},
		"ValueInCase":           {reason: "Values are told apart by case.", remove: atValue("a", "X"), before: []string{"a", "x"}},
		"ValueOfPattern":        {reason: "With a value, all keys that a pattern matches are removed at that value only.", remove: atValue("tmp-*", "yes"), before: []string{"tmp-a", "yes", "tmp-b", "no", "tmp-c", "yes"}},
		"ValueOfLabel":          {reason: "A label is not put at the value that is removed, and others are.", remove: append(atValue("ours:a", "1"), atValue("ours:b", "1")...), labels: []tags.Label{label("a", "1"), label("b", "2")}},
		"ValueOfRetained":       {reason: "A tag that kept a value at which it is removed does not get that of the label instead.", remove: atValue("ours:a", "9"), labels: a, before: []string{"ours:a", "9", "x", "y"}},
		"ValueNotRetained":      {reason: "A tag that kept another value than the one at which it is removed stays.", remove: atValue("ours:a", "1"), labels: a, before: []string{"ours:a", "9"}},
		"ValueReplaced":         {reason: "A tag whose value was replaced is not removed at the value that it had.", policy: tags.Replace, remove: atValue("ours:a", "9"), labels: a, before: []string{"ours:a", "9"}},
		"ValueOrAny":            {reason: "Of several patterns, any that matches removes the tag.", remove: append(atValue("a", "2"), keys("b", "a")...), before: []string{"a", "1", "c", "2"}},
		"Ignored":               {reason: "A tag of another system is removed again.", remove: keys("Name"), ignore: keys("*"), before: []string{"x", "y"}, cloud: []string{"Name", "cloud", "z", "1"}},
		"IgnoredAndBack":        {reason: "A resource from which all is removed that was ignored does not change.", remove: keys("Name"), ignore: keys("Name"), before: []string{"x", "y"}, cloud: []string{"Name", "cloud"}},
		"IgnoredIntoEmptyField": {reason: "A field that is there and empty stays if all is removed that was ignored.", remove: keys("Name"), ignore: keys("Name"), before: []string{}, cloud: []string{"Name", "cloud"}},
		"IgnoredIntoNoField":    {reason: "A field is not created if all is removed that was ignored.", remove: keys("Name"), ignore: keys("Name"), cloud: []string{"Name", "cloud"}},
		"IgnoredAtValue": {
			reason: "A tag is removed at the value that the cloud has, and not at the one that it had before.",
			remove: append(append(atValue("a", "cloud"), atValue("b", "step")...), atValue("ours:a", "cloud")...),
			ignore: keys("*"),
			labels: a,
			before: []string{"a", "step", "b", "step"},
			cloud:  []string{"a", "cloud", "b", "cloud", "ours:a", "cloud"},
		},
		"IgnoredLabelAtLabelsValue": {reason: "A tag that has the cloud's value is not removed at the label's.", remove: atValue("ours:a", "1"), ignore: keys("ours:a"), labels: a, cloud: []string{"ours:a", "cloud"}},
		"ProvidersKeys":             {reason: "A tag that the provider sets itself is not removed.", remove: append(keys("*"), fromField("crossplane-*")...), before: []string{"crossplane-kind", "1", "crossplane-name", "2", "crossplane-providerconfig", "3"}},
		"LikeProvidersKeys":         {reason: "Only the keys that the provider sets itself are left alone, not what is like them.", remove: keys("crossplane-*"), before: []string{"crossplane-kinds", "1", "crossplane-kind", "2", "Crossplane-kind", "3", "crossplane-", "4"}},
		"ReservedPrefix":            {reason: "A tag that the cloud would refuse may be removed.", remove: keys("aws:*"), before: []string{"aws:x", "1", "y", "2"}},
		"TrustedReserved":           {reason: "The input may remove even what a trusted source says of a reserved key.", reserved: []string{"owner"}, remove: keys("ours:owner"), labels: []tags.Label{trusted(label("owner", "alice")), label("team", "a")}, before: []string{"ours:owner", "mallory"}},
		"Untrusted": {
			reason:   "A key from a field removes what isn't reserved, and what is stays, whoever has set it.",
			reserved: []string{"owner", "cost-*"},
			remove:   fromField("*"),
			labels:   []tags.Label{trusted(label("owner", "alice")), label("team", "a"), trusted(label("cost-center", "1"))},
			before:   []string{"owner", "bob", "Name", "x", "ours:cost-center", "2"},
		},
		"UntrustedOfNothing":        {reason: "Nothing is protected if there is no tag with a reserved key.", reserved: []string{"owner"}, remove: fromField("owner", "ours:owner"), before: []string{"Name", "x"}},
		"UntrustedBesideTrusted":    {reason: "A key that the input gives too is removed.", reserved: []string{"owner"}, remove: append(fromField("owner"), keys("owner")...), before: []string{"owner", "bob"}},
		"UntrustedBesideOtherValue": {reason: "A key that the input gives too, but at another value, is protected.", reserved: []string{"owner"}, remove: append(fromField("owner"), atValue("owner", "alice")...), before: []string{"owner", "bob"}},
		"UntrustedIgnoreAndRemove":  {reason: "A tag that is protected from both lists is told once.", reserved: []string{"owner"}, remove: fromField("owner"), ignore: fromField("owner"), before: []string{"owner", "bob"}, cloud: []string{"owner", "mallory"}},
		"SkippedLabel":              {reason: "A label that the provider doesn't admit is skipped, and not removed.", remove: keys("*"), labels: []tags.Label{label("c!", "1")}},
		"Sorted":                    {reason: "Withheld labels are sorted.", remove: keys("ours:*"), labels: []tags.Label{label("c", "1"), trusted(label("d", "1")), label("a", "1"), label("b", "1")}, before: []string{"ours:c", "1", "ours:a", "2", "x", "y"}},
	}

	runAll(t, cases, func(t *testing.T, g *tagstest.Golden, tc situation) {
		t.Helper()

		tc.earlier = paired(tc.before)
		tc.runIn(t, g, shapes)
	})
}

// TestStampInOrder tests all that can become of tags together, in the order in which it
// does.
func TestStampInOrder(t *testing.T) {
	cases := map[string]situation{
		"Everything": {
			reason:   "Labels come first, then what the cloud has, then what is removed, and what is left of the slots goes to trusted labels, the lowest keys, and then what the cloud has.",
			slots:    40,
			reserved: []string{"owner", "cost"},
			labels: []tags.Label{
				label("a", "1"), label("added", "1"), label("ignored", "1"), label("equal", "1"), label("removed", "1"), label("retained", "1"),
				label("there", "1"), label("x", "1"), trusted(label("z", "1")), trusted(label("owner", "alice")),
			},
			remove: append(append(keys("old", "ours:removed", "crossplane-*"), atValue("Name", "cloud")...), fromField("cost", "tmp")...),
			ignore: append(append(keys("ours:ignored", "ours:equal", "Name", "ours:owner", "backup:*"), retaining("ours:there")...), fromField("cost")...),
			before: []string{"Name", "step", "old", "1", "ours:equal", "step", "ours:retained", "step", "cost", "7", "ours:there", "1", "tmp", "1", "ours:owner", "mallory", "crossplane-kind", "k"},
			cloud:  []string{"Name", "cloud", "ours:ignored", "cloud", "ours:equal", "1", "ours:owner", "mallory", "backup:plan", "daily", "ours:there", "cloud", "cost", "8", "unnamed", "1"},
		},
		"IgnoredWithoutSlot":       {reason: "A label whose tag would be removed, but for the cloud's value, lacks a slot as others do.", slots: 50, labels: []tags.Label{label("a", "1"), label("b", "2")}, remove: atValue("ours:a", "1"), ignore: keys("ours:a"), cloud: []string{"ours:a", "cloud"}},
		"RemovedFreesSlots":        {reason: "What is removed leaves its slot to labels.", slots: 46, labels: []tags.Label{label("a", "1"), label("b", "2"), label("c", "3"), label("d", "4")}, remove: keys("old", "ours:d"), before: []string{"old", "1", "x", "y", "ours:d", "4", "z", "1"}},
		"RemovedLabelTakesNoSlot":  {reason: "A label whose tag is removed takes no slot, however low its key.", slots: 49, labels: []tags.Label{label("a", "1"), label("b", "2")}, remove: keys("ours:a")},
		"IgnoredTakesSlotsLast":    {reason: "Tags of other systems take the slots that labels leave, and those without one are named.", slots: 46, labels: []tags.Label{label("a", "1"), trusted(label("b", "2"))}, ignore: keys("z*"), before: []string{"x", "y"}, cloud: []string{"z1", "1", "z2", "2"}},
		"IgnoredBeyondCap":         {reason: "Tags of other systems are not kept if there is no slot at all.", slots: 49, labels: []tags.Label{label("a", "1")}, ignore: keys("z*"), before: []string{"x", "y"}, cloud: []string{"z1", "1", "z2", "2"}},
		"IgnoredLabelTakesOneSlot": {reason: "A tag that a label and another system have takes the slot of the label.", slots: 48, labels: []tags.Label{label("a", "1"), label("b", "2"), label("c", "3")}, ignore: keys("ours:b", "ours:c"), cloud: []string{"ours:b", "cloud", "ours:c", "cloud"}},
		"RetainedDesireOfSkipped":  {reason: "A label that finds no slot still desires its tag, so that what retains doesn't keep the cloud's.", slots: 49, labels: []tags.Label{label("a", "1"), label("b", "2")}, ignore: retaining("ours:b"), cloud: []string{"ours:b", "cloud"}},
	}

	runAll(t, cases, func(t *testing.T, g *tagstest.Golden, tc situation) {
		t.Helper()

		tc.earlier = paired(tc.before)
		tc.runIn(t, g, shapes)
	})
}

// TestStampRemoveWithoutCase tests a provider whose keys compare without case.
func TestStampRemoveWithoutCase(t *testing.T) {
	cases := map[string]situation{
		"Pattern":       {reason: "A pattern matches in any case, up to its star.", remove: keys("TEAM", "TMP-*"), before: []string{"Team", "a", "tmp-x", "b", "tmp", "c"}},
		"Label":         {reason: "A tag of ours is removed in whatever case it is there.", remove: keys("OURS:a"), labels: []tags.Label{label("A", "1"), label("b", "2")}, before: []string{"Ours:a", "9"}},
		"Ignored":       {reason: "A tag that came from the cloud in one case is removed in another.", remove: keys("team"), ignore: keys("*"), before: []string{"x", "y"}, cloud: []string{"TEAM", "a", "z", "1"}},
		"ProvidersKeys": {reason: "A tag that the provider sets itself is not removed, in any case.", remove: keys("*"), before: []string{"Crossplane-Kind", "a"}},
		"Untrusted":     {reason: "A reserved key is protected in any case.", reserved: []string{"owner"}, remove: fromField("owner", "OURS:OWNER"), labels: []tags.Label{trusted(label("Owner", "alice"))}, before: []string{"OWNER", "bob"}},
	}

	g := tagstest.NewGolden(t)

	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			tc.provider, tc.earlier = "azure", paired(tc.before)
			tc.runIn(t, g, withoutCase)
		})
	}

	situation{
		reason:   "A map that has one key in two cases loses both.",
		provider: "azure",
		remove:   keys("team"),
		before:   []string{"TEAM", "a", "team", "a", "x", "y"},
	}.runIn(t, g, map[string]shape{"Map": shapes["Map"]})
}

// TestStampRemoveEntries tests the entries of single shapes.
func TestStampRemoveEntries(t *testing.T) {
	keyValues := shapes["KeyValueList"].field
	atomic := field.Field{Path: object.MustParsePath("spec.tags"), Shape: field.KeyValueList, Key: "k", Value: "v", Atomic: true}
	nested := field.Field{Path: object.MustParsePath("spec.forProvider.tagSet.more.tags"), Shape: field.Map}

	cases := map[string]situation{
		"MapOddValues": {
			reason: "A value that is no string is no value at which a tag is removed, but the tag is removed at any.",
			field:  shapes["Map"].field,
			remove: append(append(append(atValue("a", "1"), atValue("b", "")...), atValue("c", "null")...), keys("d", "e", "f")...),
			spec:   `{"tags": {"a": 1, "b": null, "c": null, "d": 2, "e": null, "f": {"g": "h"}}}`,
		},
		"KeyValueListOddEntries": {
			reason: "An entry without a key has none that is removed. One without a value has an empty one.",
			field:  keyValues,
			remove: append(append(keys("a*"), atValue("b", "")...), atValue("c", "1")...),
			spec:   `{"tags": [{"v": "a"}, {"k": 1, "v": "a"}, {"k": "b"}, {"k": "b2"}, {"k": "a", "v": {}}, {"key": "a"}, {"k": "c", "v": 1}]}`,
		},
		"KeyValueListNull":                 {reason: "An entry whose value is null has an empty one.", field: keyValues, remove: atValue("b", ""), spec: `{"tags": [{"k": "b", "v": null}, {"k": "c", "v": null}]}`},
		"KeyValueListDuplicates":           {reason: "All entries of a key are removed.", field: keyValues, remove: keys("a"), spec: `{"tags": [{"k": "a", "v": "1"}, {"k": "x", "v": "y"}, {"k": "a", "v": "2"}]}`},
		"KeyValueListDuplicatesAtValue":    {reason: "Of several entries of a key, each is removed that has the value.", field: keyValues, remove: atValue("a", "2"), spec: `{"tags": [{"k": "a", "v": "1"}, {"k": "a", "v": "2", "n": 1}, {"k": "a", "v": "3"}, {"k": "a", "v": "2", "n": 2}]}`},
		"KeyValueListDuplicatesOfLabel":    {reason: "A label is active if an entry with its value is left of several.", field: keyValues, labels: []tags.Label{label("a", "1")}, remove: atValue("ours:a", "9"), spec: `{"tags": [{"k": "ours:a", "v": "9"}, {"k": "ours:a", "v": "1"}]}`},
		"KeyValueListDuplicatesOfRetained": {reason: "A label is retained if an entry with another value is left of several.", field: keyValues, labels: []tags.Label{label("a", "1")}, remove: atValue("ours:a", "9"), spec: `{"tags": [{"k": "ours:a", "v": "9"}, {"k": "ours:a", "v": "8"}]}`},
		"StringListDuplicates":             {reason: "All strings of a key are removed, with whatever value, and the bare one.", field: stringsOf("="), remove: keys("a"), spec: `{"tags": ["a=1", "x", "a=2", "a", "ab=1", "a=", "b=a"]}`},
		"StringListAtValue":                {reason: "A string of a key is removed that has the value, wherever it is. The bare one has none.", field: stringsOf("="), remove: append(append(atValue("env", "prod"), atValue("a", "")...), atValue("b", "b")...), spec: `{"tags": ["env=dev", "env=prod", "env=prod=x", "a", "a=", "b", "b=b", "env=prod"]}`},
		"StringListBare":                   {reason: "A string that a pattern matches only as a whole is a key, also with the separator in it.", field: stringsOf(":"), remove: keys("k8s:*", "public"), spec: `{"tags": ["k8s:worker", "k8s", "public", "k8s:a:b", "k8s:a:b", "publicly"]}`},
		"StringListBareTwice":              {reason: "A string that is there twice is removed twice.", field: stringsOf("="), remove: keys("public"), spec: `{"tags": ["public", "x", "public"]}`},
		"StringListStar":                   {reason: "A star alone removes every string, but none that the provider sets itself.", field: stringsOf("="), remove: keys("*"), spec: `{"tags": ["a=1", "b", "", "=", "crossplane-kind=x", "crossplane-name=a=b", "crossplane-kind", "crossplane-kinds=x"]}`},
		"StringListKeyOfLabel":             {reason: "A string of a label's key is removed with its key only, not with the beginning of it.", field: stringsOf("="), labels: []tags.Label{label("a=b", "1")}, remove: keys("ours:a"), spec: `{"tags": ["ours:a=b=9", "ours:a=c"]}`},
		"StringListLongerKey":              {reason: "A string of a longer key to remove is not the tag of a label's shorter one.", field: stringsOf("="), labels: []tags.Label{label("a", "b=1")}, remove: keys("ours:a=b"), spec: `{"tags": ["ours:a=b=9", "ours:a=b=1"]}`},
		"StringListPatternWithSeparator":   {reason: "A pattern that has the separator in it matches keys that have it too, and strings as a whole.", field: stringsOf("="), remove: keys("a=b*"), spec: `{"tags": ["a=b=1", "a=bc", "a=c=2", "a=b", "a"]}`},
		"StringListProvidersKeyHidden":     {reason: "A string that could be a tag that the provider sets itself stays, whatever the pattern makes its key.", field: stringsOf("="), remove: keys("crossplane-kind=*", "crossplane-name=y"), spec: `{"tags": ["crossplane-kind=x", "crossplane-name=y=1", "crossplane-name=y"]}`},
		"StringListReservedKeyHidden": {
			reason:   "A string that could be a tag with a reserved key is protected from a field, whatever the pattern makes its key.",
			field:    stringsOf("="),
			reserved: []string{"owner"},
			remove:   fromField("owner=*", "owner=bob", "ours:owner=alice", "ours:owner=a*"),
			labels:   []tags.Label{trusted(label("owner", "alice"))},
			spec:     `{"tags": ["owner=alice", "owner=bob=x"]}`,
		},
		"StringListReservedKeyOfInput": {reason: "The input may remove a string that could be a tag with a reserved key.", field: stringsOf("="), reserved: []string{"owner"}, remove: keys("owner=b*"), spec: `{"tags": ["owner=alice", "owner=bob=x"]}`},
		"StringListTrustedLabelNotHidden": {
			reason:   "A key from a field does not hide the string that is the tag of a trusted label, so that it is replaced.",
			field:    stringsOf("="),
			reserved: []string{"owner"},
			remove:   fromField("ours:owner=mallory"),
			labels:   []tags.Label{trusted(label("owner", "alice"))},
			spec:     `{"tags": ["x", "ours:owner=mallory=y", "z"]}`,
		},
		"StringListReservedKeyInLabelsKey": {reason: "A label that could be a tag with a reserved key is protected from a field too.", field: stringsOf("="), reserved: []string{"own"}, remove: fromField("ours:own=er"), labels: []tags.Label{trusted(label("own=er", "alice"))}, spec: `{}`},
		"StringListIgnored":                {reason: "All strings of a key that came from the cloud are removed, in whatever place they are.", field: stringsOf(":"), remove: keys("k8s*"), ignore: keys("k8s*"), spec: `{"tags": ["k8s:a", "x", "k8s:b"]}`, status: `{"tags": ["k8s:c", "k8s:d", "k8s:e"]}`},
		"StringListIgnoredAtValue":         {reason: "Of several strings of a key that came from the cloud, those are removed that have the value.", field: stringsOf("="), remove: atValue("env", "prod"), ignore: keys("env"), spec: `{"tags": ["x"]}`, status: `{"tags": ["env=dev", "env=prod", "env=test"]}`},
		"StringListOneString":              {reason: "A tag whose string is there as that of another tag has no empty value at which it is removed.", field: stringsOf("="), policy: tags.Replace, remove: atValue("ours:a", ""), labels: []tags.Label{label("a", "b=c"), label("a=b", "c")}, spec: `{"tags": ["ours:a=9", "ours:a=b=c"]}`},
		"FoldEntries":                      {reason: "On a provider whose entries compare without case, a string is removed in any case.", provider: "digitalocean", field: stringsOf(":"), remove: append(keys("PUBLIC", "k8s:*"), atValue("Env", "prod")...), spec: `{"tags": ["Public", "K8S:worker", "ENV:prod", "env:PROD", "x"]}`},
		"FoldEntriesLabels":                {reason: "On a provider whose entries compare without case, labels of all cases of a key are removed.", provider: "digitalocean", field: stringsOf(":"), labels: []tags.Label{label("A", "1"), label("a", "2"), label("b", "3")}, remove: keys("ours:A"), spec: `{}`},
		"AtomicKept":                       {reason: "What the provider has added stays in a list from which all else is removed.", field: atomic, remove: keys("*"), spec: `{"tags": [{"k": "a", "v": "1"}]}`, observedSpec: `{"tags": [{"k": "a", "v": "1"}, {"k": "crossplane-kind", "v": "x"}]}`},
		"AtomicKeptOnly":                   {reason: "A list that isn't there is not created to keep what the provider has added.", field: atomic, labels: []tags.Label{label("a", "1")}, remove: keys("*"), spec: `{}`, observedSpec: `{"tags": [{"k": "a", "v": "1"}, {"k": "crossplane-kind", "v": "x"}]}`},
		"AtomicKeptWithOthers":             {reason: "What the provider has added is kept though nothing is removed.", field: atomic, remove: keys("b"), spec: `{"tags": [{"k": "a", "v": "1"}]}`, observedSpec: `{"tags": [{"k": "crossplane-kind", "v": "x"}, {"k": "b", "v": "1"}]}`},
		"AroundTheField":                   {reason: "An object that is empty without the field goes with it, but not forProvider.", field: nested, remove: keys("*"), spec: `{"forProvider": {"tagSet": {"more": {"tags": {"a": "1"}}}}}`},
		"AroundTheFieldAndMore":            {reason: "An object that has more than the field stays.", field: nested, remove: keys("*"), spec: `{"forProvider": {"tagSet": {"x": "y", "more": {"tags": {"a": "1"}}}}}`},
		"AroundNoField":                    {reason: "An object that is empty without us stays.", field: nested, remove: keys("*"), spec: `{"forProvider": {"tagSet": {"more": {}}}}`},
		"Mismatch":                         {reason: "Nothing is removed from a field of another shape.", field: shapes["Map"].field, remove: keys("*"), spec: `{"tags": ["a"]}`},
		"NullField":                        {reason: "A field that is null has no tags to remove.", field: shapes["Map"].field, remove: keys("*"), spec: `{"tags": null}`},
		"InList":                           {reason: "A field may be below an item of a list, which stays.", field: field.Field{Path: object.MustParsePath("spec.groups[1].tags"), Shape: field.Map}, remove: keys("a"), spec: `{"groups": [{"tags": {"a": "1"}}, {"tags": {"a": "1"}}]}`},
	}

	runAll(t, cases, func(t *testing.T, g *tagstest.Golden, tc situation) {
		t.Helper()

		tc.earlier = earlierOf(thing(tc.spec), tc.field.Separator)
		tc.run(t, g)
	})
}

// TestStampRemoveReservedByQualifiedKey tests a reserved key that is one only before
// the tag key is made of it.
func TestStampRemoveReservedByQualifiedKey(t *testing.T) {
	prefix := "acme-"
	g := tagstest.NewGolden(t)

	for kind, s := range shapes {
		t.Run(kind, func(t *testing.T) {
			transformer := tags.NewTransformer([]tags.Label{
				{QualifiedKey: "owner", TagKey: "ours:owner", Unprefixed: true, Value: "alice", Trusted: true},
			}, map[string]profile.Format{"aws": profile.NewFormat(&prefix, nil, false)})
			transformer.Reserve([]string{"owner"}, "ours:", nil)

			stamper := &Stamper{
				Finder: target.Finder{
					Input:    &v1beta1.CloudTags{Sources: []v1beta1.Source{{OnConflict: tags.Retain}}},
					Provider: "aws",
					Fields:   everywhere(s.field),
				},
				Transformer: transformer,
				Remove:      fromField("ours:*"),
			}

			check(t, g, "A tag of a trusted label is protected if the key of the label is reserved.", stamper, desiring(s.spec("ours:owner", "alice")))
		})
	}
}
