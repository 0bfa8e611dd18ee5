// Package trust proves that tags with reserved keys have trusted values only. It is handed the
// function to call.
package trust

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/google/go-cmp/cmp"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/testing/protocmp"
	"google.golang.org/protobuf/types/known/structpb"
	"pgregory.net/rapid"

	fnv1 "github.com/crossplane/function-sdk-go/proto/v1"

	"github.com/plexsphere/function-cloud-tags/tags/field"
	"github.com/plexsphere/function-cloud-tags/tags/locate"
	"github.com/plexsphere/function-cloud-tags/tags/profile"
	"github.com/plexsphere/function-cloud-tags/tags/report"
	"github.com/plexsphere/function-cloud-tags/tags/tagstest"
	"github.com/plexsphere/function-cloud-tags/tags/tagstest/calls"
	"github.com/plexsphere/function-cloud-tags/tags/tagstest/managed"
)

var (
	// keys are keys of labels, and of tags of earlier steps and of the cloud. Many are the same key to a cloud that ignores case, or
	// after a key format.
	keys = []string{
		"entigo:workspace", "Entigo:Workspace", "ENTIGO:ZONE", "entigo_workspace", "workspace", "Workspace", "WORKSPACE", "zone", "Zone",
		"team/x", "Team/X", "team.x", "team-x", "team_x", "entigo", "owner", "Owner", "a", "b/c", "b.c", "crossplane-name", "Crossplane-Kind",
	}

	// patterns are candidates for reservedKeys.
	patterns = []string{"entigo:*", "Entigo:*", "workspace", "ZONE", "team/*", "plexsphere:own*"}

	// Shapes are the shapes of tag fields that Check knows.
	Shapes = []string{"Map", "KeyValueList", "StringList", "Joined"}
)

// A call is a call of the function with tags of all provenances. The first letter of a value tells them apart:
//
//   - t: labels of trusted sources
//   - u: labels of other sources
//   - e: tags of earlier steps
//   - c: tags of the cloud
//   - k: Kubernetes metadata that is copied to the tag field
//   - o: tags of other field managers
type call struct {
	provider, shape, separator, prefix, rules string

	reserved []string
	slots    int // The number in reservedTags.
	sources  []source
	earlier  [][2]string
	cloud    [][2]string
	copied   [][2]string
	others   [][2]string
	ignore   []string
	remove   []string

	// escaped reports whether some earlier tags of a joined string end with a backslash, after which some
	// providers read another tag and some don't, and whether some have no value.
	escaped bool

	// computed reports whether an expression gives the copied metadata.
	computed bool

	// leftAlone reports whether an earlier step has annotated the resource, so that no label counts.
	leftAlone bool

	// ofInput reports whether the input itself names the keys to ignore.
	ofInput bool

	// keyFormat are the replacements of the input's key format, or nil if it has none. The input has a value
	// format if valueFormat is set: it puts the end of a reserved key before the values of untrusted sources.
	keyFormat   map[string]string
	valueFormat bool
}

type source struct {
	values     map[string]string
	trusted    bool
	keyForm    string
	onConflict string

	// expression of values, in which %s stands for one, or empty if they are written as they
	// are. One with quotes is in JSON.
	expression string
}

// valueReplacement returns the text that the format of values puts in the place of a u.
func (c *call) valueReplacement() string { return "workspace" + c.separator + "u" }

func draw(t *rapid.T, provider, shape string) call {
	c := call{
		provider:  provider,
		shape:     shape,
		separator: rapid.SampledFrom([]string{"=", ":"}).Draw(t, "separator"),
		prefix:    rapid.SampledFrom([]string{"plexsphere:", ""}).Draw(t, "prefix"),
		rules:     rapid.SampledFrom([]string{"", "Contract", "Cloud"}).Draw(t, "rules"),
		reserved:  rapid.SliceOfNDistinct(rapid.SampledFrom(patterns), 0, 3, rapid.ID[string]).Draw(t, "reserved"),
		slots:     rapid.SampledFrom([]int{0, 0, 3}).Draw(t, "slots"),
		ignore:    rapid.SliceOfN(rapid.SampledFrom([]string{"*", "entigo:*", "c*", "workspace", "a"}), 0, 2).Draw(t, "ignore"),
		remove:    rapid.SliceOfN(rapid.SampledFrom(append([]string{"*"}, keys...)), 0, 2).Draw(t, "remove"),
		ofInput:   rapid.Bool().Draw(t, "of input"),
		keyFormat: rapid.SampledFrom([]map[string]string{nil, nil, {"/": ".", "-": "."}, {"/": "_", ".": "_"}}).Draw(t, "key format"),

		valueFormat: rapid.Bool().Draw(t, "value format"),
		escaped:     rapid.Bool().Draw(t, "escaped"),
		computed:    rapid.Bool().Draw(t, "computed"),
		leftAlone:   rapid.IntRange(0, 9).Draw(t, "left alone") == 0,
	}

	// Others are refused with the input.
	rules := profile.Rules(c.rules)
	if c.valueFormat = c.valueFormat && rules.ValueLimit(provider, c.valueReplacement()) == ""; rules.KeyLimit(provider, c.keyFormat["/"]) != "" {
		c.keyFormat = nil
	}

	// It has nothing but strings.
	if c.provider == "digitalocean" {
		c.shape = "StringList"
	}

	// Many make that there are more tags than slots.
	pairs := func(name string) [][2]string {
		out := [][2]string{}
		for i, key := range rapid.SliceOfDistinct(rapid.SampledFrom(keys), rapid.ID[string]).Draw(t, name) {
			if rapid.Bool().Draw(t, name+" with the prefix") {
				key = "plexsphere:" + key
			}

			out = append(out, [2]string{key, fmt.Sprintf("%s%d", name[:1], i)})
		}

		for i := range rapid.SampledFrom([]int{0, 0, 12, 30, 47, 50, 70}).Draw(t, "more "+name) {
			out = append(out, [2]string{fmt.Sprintf("%sn%02d", name[:1], i), name[:1]})
		}

		return out
	}

	for range rapid.IntRange(1, 4).Draw(t, "sources") {
		s := source{
			values:     make(map[string]string),
			trusted:    rapid.Bool().Draw(t, "trusted"),
			keyForm:    map[bool]string{false: "Qualified", true: "Tag"}[rapid.Bool().Draw(t, "tag key form")],
			onConflict: rapid.SampledFrom([]string{"Retain", "Replace"}).Draw(t, "on conflict"),
		}

		// Compiling an expression takes longer than all else, so only the first source may have some.
		if len(c.sources) == 0 {
			s.expression = rapid.SampledFrom([]string{"", "", "'%s'", `'"%s"'`, "name == 'r' ? '%s' : name"}).Draw(t, "expression")
		}

		name := "untrusted labels"
		if s.trusted {
			name = "trusted labels"
		}

		for _, p := range pairs(name) {
			s.values[strings.TrimPrefix(p[0], "plexsphere:")] = p[1]
		}

		c.sources = append(c.sources, s)
	}

	c.earlier, c.cloud = pairs("earlier tags"), pairs("cloud's tags")

	if c.shape == "Map" || c.shape == "Joined" {
		c.copied = pairs("kubernetes metadata")
	}

	if c.shape == "Map" {
		c.others = pairs("others' tags")
	}

	// A cloud that ignores case has no key in two cases, or hardly any.
	if p := c.profile(); p.IgnoresCase() {
		for _, tags := range []*[][2]string{&c.cloud, &c.others} {
			slices.SortStableFunc(*tags, func(a, b [2]string) int { return strings.Compare(strings.ToLower(a[0]), strings.ToLower(b[0])) })
			*tags = slices.CompactFunc(*tags, func(a, b [2]string) bool { return strings.EqualFold(a[0], b[0]) })
		}
	}

	return c
}

// field returns the tags in the shape of the case, or nil if there are none.
func (c *call) field(pairs [][2]string) any {
	if len(pairs) == 0 {
		return nil
	}

	return managed.Shaped(&field.Field{Layout: field.Layout{Shape: field.Shape(c.shape), Separator: c.separator, Delimiter: ","}, Key: "key", Value: "value"}, pairs)
}

// escapedField returns the field of the earlier tags, as an attacker would write it.
func (c *call) escapedField() any {
	text, ok := c.field(c.earlier).(string)
	if !ok || !c.escaped {
		return c.field(c.earlier)
	}

	entries := strings.Split(text, ",")
	for i := range entries {
		if key, _, _ := strings.Cut(entries[i], c.separator); i%5 == 4 && !c.isReserved(key) {
			entries[i] = key
		}

		if i%3 == 0 && i < len(entries)-1 {
			entries[i] += `\`
		}
	}

	return strings.Join(entries, ",")
}

// input returns the input of a step with the sources.
func (c *call) input(sources []source) *structpb.Struct {
	rule := map[string]any{"apiVersion": "t.example.org/v1", "kind": "T", "fieldPath": "spec.forProvider.tags", "shape": c.shape, "provider": c.provider}
	if option := map[string]string{"StringList": "stringList", "Joined": "joined"}[c.shape]; option != "" {
		rule[option] = map[string]any{"separator": c.separator}
	}

	in := map[string]any{
		"apiVersion": "cloudtags.fn.plexsphere.com/v1beta1", "kind": "CloudTags",
		"keyPrefix": c.prefix, "tagFields": []any{rule}, "reservedTags": map[string]any{c.provider: c.slots},
		"ignoreTags": []any{map[string]any{"fromFieldPath": "spec.ignore"}},
		"removeTags": []any{map[string]any{"fromFieldPath": "spec.remove"}},
	}

	if c.rules != "" {
		in["profileRules"] = c.rules
	}

	if len(c.copied) > 0 {
		source := map[string]any{"type": "CompositeMetadata", "labelsFieldPath": "spec.copied"}
		if c.computed {
			source = map[string]any{"type": "Expression", "labels": "name == 'r' ? xr.spec.copied : {}"}
		}

		in["kubernetesMetadata"] = []any{map[string]any{
			"source": source, "select": map[string]any{"all": true},
			"copy": []any{"Labels"}, "toFieldPaths": map[string]any{"labels": []any{map[string]string{"Map": "spec.forProvider.tags", "Joined": "spec.forProvider"}[c.shape]}},
		}}
	}

	if c.ofInput && len(c.ignore) > 0 {
		ignore := []any{}
		for _, key := range c.ignore {
			ignore = append(ignore, map[string]any{"key": key})
		}

		in["ignoreTags"] = ignore
	}

	if len(c.reserved) > 0 {
		in["reservedKeys"] = c.reserved
	}

	if c.keyFormat != nil {
		in["keyFormats"] = []any{map[string]any{"provider": c.provider, "replace": c.keyFormat}}
	}

	if c.valueFormat {
		in["valueFormats"] = []any{map[string]any{"provider": c.provider, "replace": map[string]any{"u": c.valueReplacement()}}}
	}

	list := []any{}

	for _, s := range sources {
		source := map[string]any{"type": "Value", "values": s.values, "trusted": s.trusted, "keyForm": s.keyForm, "onConflict": s.onConflict}

		if s.expression != "" && len(s.values) > 0 {
			expressions := make(map[string]string, len(s.values))
			for key, value := range s.values {
				expressions[key] = fmt.Sprintf(s.expression, value)
			}

			delete(source, "values")

			source["type"], source["expressions"] = "Expression", expressions

			if strings.Contains(s.expression, `"`) {
				source["encoding"] = "JSON"
			}
		}

		list = append(list, source)
	}

	in["sources"] = list

	return tagstest.Struct(in)
}

// resource returns a resource with the metadata, and with the value tagged in its tag field. Its status is the field of the tags cloud.
func (c *call) resource(metadata map[string]any, tagged any, cloud [][2]string) *fnv1.Resource {
	isNil := func(_ string, v any) bool { return v == nil }
	forProvider, status := map[string]any{"region": "r", "tags": tagged}, map[string]any{"tags": c.field(cloud)}
	maps.DeleteFunc(forProvider, isNil)
	maps.DeleteFunc(status, isNil)

	return &fnv1.Resource{Resource: tagstest.Struct(map[string]any{
		"apiVersion": "t.example.org/v1", "kind": "T", "metadata": metadata,
		"spec": map[string]any{"forProvider": forProvider}, "status": map[string]any{"atProvider": status},
	})}
}

// managedFields returns the fields of two managers. They own every other tag each, and some tags together.
func (c *call) managedFields() []any {
	owned := []map[string]any{{}, {}}

	for i, p := range c.others {
		owned[i%2]["f:"+p[0]] = map[string]any{}

		if i%3 == 0 {
			owned[(i+1)%2]["f:"+p[0]] = map[string]any{}
		}
	}

	out := []any{}
	for i, manager := range []string{"provider", "kubectl-edit"} {
		out = append(out, map[string]any{
			"manager": manager, "operation": "Update", "apiVersion": "t.example.org/v1", "fieldsType": "FieldsV1",
			"fieldsV1": map[string]any{"f:spec": map[string]any{"f:forProvider": map[string]any{"f:tags": owned[i]}}},
		})
	}

	return out
}

func (c *call) request() *fnv1.RunFunctionRequest {
	copied := c.field(c.copied)
	if c.shape == "Joined" {
		copied = map[string]any{"tags": copied}
	}

	xr := tagstest.Struct(map[string]any{
		"apiVersion": "platform.example.org/v1", "kind": "XR", "metadata": map[string]any{"name": "x"},
		"spec": map[string]any{"ignore": c.ignore, "remove": c.remove, "copied": copied},
	})

	metadata := map[string]any{}
	if c.leftAlone {
		metadata["annotations"] = map[string]any{locate.IgnoreAnnotation: "true"}
	}

	desired := c.resource(metadata, c.escapedField(), nil)
	delete(desired.GetResource().GetFields(), "status")

	return &fnv1.RunFunctionRequest{
		Input: c.input(c.sources),
		Observed: &fnv1.State{
			Composite: &fnv1.Resource{Resource: xr},
			Resources: map[string]*fnv1.Resource{"r": c.resource(map[string]any{"managedFields": c.managedFields()}, c.field(c.others), c.cloud)},
		},
		Desired: &fnv1.State{Resources: map[string]*fnv1.Resource{"r": desired}},
	}
}

// entries returns the keys and values of the tag field in a state. A string has a key before each of its
// separators.
func (c *call) entries(s *fnv1.State) (keys [][]string, values []string) {
	v := tagstest.ForProvider(s.GetResources()["r"])["tags"]

	for _, key := range slices.Sorted(maps.Keys(v.GetStructValue().GetFields())) {
		keys = append(keys, []string{key})
		values = append(values, v.GetStructValue().GetFields()[key].GetStringValue())
	}

	// The first separator ends the key of an entry of a joined string. Some read one at each
	// delimiter, and without a value, too.
	for entry := range strings.FieldsFuncSeq(v.GetStringValue(), func(r rune) bool { return r == ',' }) {
		key, value, _ := strings.Cut(strings.TrimSuffix(entry, `\`), c.separator)
		keys = append(keys, []string{key})
		values = append(values, value)
	}

	for _, item := range v.GetListValue().GetValues() {
		if f := item.GetStructValue().GetFields(); f != nil {
			keys = append(keys, []string{f["key"].GetStringValue()})
			values = append(values, f["value"].GetStringValue())

			continue
		}

		entry, before := item.GetStringValue(), []string{}
		for i := range entry {
			if strings.HasPrefix(entry[i:], c.separator) {
				before = append(before, entry[:i])
			}
		}

		keys = append(keys, before)
		values = append(values, entry[strings.LastIndex(entry, c.separator)+1:])
	}

	return keys, values
}

// profile returns the tag profile of the case.
func (c *call) profile() *profile.Profile {
	return profile.Rules(c.rules).ProfileOf(c.provider, "", "")
}

// spelled returns key as a cloud might see it: in lower case, and with the
// characters replaced that any profile's format replaces.
func (c *call) spelled(key string) string {
	_, replace, _ := c.profile().Format.Parts()
	if c.keyFormat != nil {
		replace = c.keyFormat
	}

	pairs := []string{}
	for _, old := range slices.Sorted(maps.Keys(replace)) {
		pairs = append(pairs, old, replace[old])
	}

	return strings.ToLower(strings.NewReplacer(pairs...).Replace(key))
}

// isReserved reports whether the tag key is a reserved one, in any spelling.
func (c *call) isReserved(key string) bool {
	return slices.ContainsFunc(c.reserved, func(pattern string) bool {
		for _, p := range []string{pattern, c.prefix + pattern} {
			begin, star := strings.CutSuffix(p, "*")
			folded := strings.ToLower(key)

			for _, spelling := range []string{strings.ToLower(begin), c.spelled(begin)} {
				if folded == spelling || star && strings.HasPrefix(folded, spelling) {
					return true
				}
			}
		}

		return false
	})
}

// Providers returns one provider of each group with equal tag profiles. Check ignores their caps.
func Providers() (out []string) {
	groups := make(map[string]bool)

	for _, name := range profile.Names() {
		p := profile.Of(name)
		prefix, replace, lower := p.Format.Parts()
		group := fmt.Sprint(p.FoldKeys, p.FoldEntries, prefix, replace, lower, p.Separator, p.Taken)

		if !groups[group] {
			out = append(out, name)
		}

		groups[group] = true
	}

	return out
}

// Check that no tag of a platform can be forged or displaced in a tag field of one of the shapes, with
// the tag profile of one of the providers, whatever labels, earlier steps and clouds have.
func Check(t *rapid.T, providers, shapes []string, function calls.Function) {
	c := draw(t, rapid.SampledFrom(providers).Draw(t, "provider"), rapid.SampledFrom(shapes).Draw(t, "shape"))
	req := c.request()

	run := func(req *fnv1.RunFunctionRequest) *fnv1.RunFunctionResponse {
		rsp, err := function(t.Context(), req)
		if err != nil {
			t.Fatal(err)
		}

		return rsp
	}
	rsp := run(req)

	last := func() *fnv1.Result { return rsp.GetResults()[len(rsp.GetResults())-1] }
	if len(rsp.GetResults()) > 0 && last().GetSeverity() == fnv1.Severity_SEVERITY_FATAL {
		if last().GetReason() != "LimitExceeded" {
			t.Fatalf("want no failure but LimitExceeded, got %v", last())
		}

		if !proto.Equal(req.GetDesired(), rsp.GetDesired()) {
			t.Fatalf("a failure changed what was desired: -before, +after:\n%s", cmp.Diff(req.GetDesired(), rsp.GetDesired(), protocmp.Transform()))
		}

		c.checkFailure(t)

		return
	}

	c.check(t, rsp)

	// A string of a list can be the tag of two labels if its value contains the separator.
	if c.valueFormat && c.shape == "StringList" {
		return
	}

	// Neither this step again nor another one with the same reserved keys has anything to change.
	other := c.input([]source{{keyForm: "Qualified", onConflict: "Retain"}})
	delete(other.GetFields(), "removeTags")
	delete(other.GetFields(), "ignoreTags")

	for name, input := range map[string]*structpb.Struct{"the same": req.GetInput(), "another": other} {
		again := proto.CloneOf(req)
		again.Input, again.Desired, again.Context = input, rsp.GetDesired(), rsp.GetContext()

		c.checkSame(t, name, rsp.GetDesired(), run(again).GetDesired())
	}
}

// checkSame checks that a second step of this name has changed nothing, but for the order of strings: the cloud's
// string with a label's key comes back after all others.
func (c *call) checkSame(t *rapid.T, name string, first, second *fnv1.State) {
	if proto.Equal(first, second) {
		return
	}

	options := cmp.Options{protocmp.Transform()}
	if c.shape == "StringList" {
		options = append(options, protocmp.SortRepeated(func(a, b *structpb.Value) bool { return a.GetStringValue() < b.GetStringValue() }))
	}

	if diff := cmp.Diff(first, second, options); diff != "" {
		t.Fatalf("%s step changed tags: -first, +second:\n%s", name, diff)
	}
}

// checkFailure checks that a resource has no slot for a tag of a trusted source.
func (c *call) checkFailure(t *rapid.T) {
	trusted := make(map[string]string)

	for _, s := range c.sources {
		if s.trusted {
			maps.Copy(trusted, s.values)
		}
	}

	if limit, n := c.profile().MaxTags-c.slots, 2*len(trusted); len(c.earlier)+len(c.others)+n <= limit {
		t.Fatalf("%d earlier tags, %d tags of others, and at most %d of trusted sources have room among %d", len(c.earlier), len(c.others), n, limit)
	}
}

// check checks the tags that a response desires.
func (c *call) check(t *rapid.T, rsp *fnv1.RunFunctionResponse) {
	keys, values := c.entries(rsp.GetDesired())

	if c.leftAlone {
		c.checkLeftAlone(t, values)
		return
	}

	for i, entry := range keys {
		for _, key := range entry {
			if c.isReserved(key) && !strings.HasPrefix(values[i], "t") && !strings.HasPrefix(strings.ToLower(key), "crossplane-") {
				t.Errorf("the reserved key %q has the value %q, which no trusted source gave", key, values[i])
			}
		}
	}

	// Tags of earlier steps and of other field managers stay, so only they may exceed the cap. A string that some
	// providers read as several tags counts once.
	if limit := c.profile().MaxTags - c.slots; len(keys)+c.beside(keys) > limit && !c.escaped {
		was := make(map[string]bool)

		earlier, _ := c.entries(c.request().GetDesired())
		for _, entry := range earlier {
			for _, key := range entry {
				was[c.spelled(key)] = true
			}
		}

		for _, o := range c.others {
			was[c.spelled(o[0])] = true
		}

		for _, entry := range keys {
			if !slices.ContainsFunc(entry, func(key string) bool { return was[c.spelled(key)] || c.isReserved(key) }) {
				t.Errorf("%d tags, of which %q was added, exceed the %d slots", len(keys), entry, limit)
			}
		}
	}

	c.checkTrusted(t, rsp, keys)
}

// beside returns the number of tags of other field managers that have none of the keys. It returns 0 if the
// provider ignores case.
func (c *call) beside(keys [][]string) (n int) {
	if p := c.profile(); p.IgnoresCase() {
		return 0
	}

	for _, o := range c.others {
		if !slices.ContainsFunc(keys, func(entry []string) bool { return slices.Contains(entry, o[0]) }) {
			n++
		}
	}

	return n
}

// checkLeftAlone checks that a resource without managed tags has no tag of a label, nor copied metadata.
func (c *call) checkLeftAlone(t *rapid.T, values []string) {
	for _, v := range values {
		v = v[strings.LastIndex(v, c.separator)+1:] // Keys have separators in them, too.
		if !strings.HasPrefix(v, "e") && v != "" {
			t.Errorf("a resource that is left alone has the value %q", v)
		}
	}
}

// checkTrusted checks that each label of a trusted source is a tag, or is skipped for a reason.
func (c *call) checkTrusted(t *rapid.T, rsp *fnv1.RunFunctionResponse, keys [][]string) {
	winner := make(map[string]source)

	for _, s := range c.sources {
		for key := range s.values {
			tagKey := c.prefix + key
			if s.keyForm == "Tag" {
				tagKey = key
			}

			if s.trusted || !c.isReserved(tagKey) && !c.isReserved(key) {
				winner[tagKey] = s
			}
		}
	}

	skipped := strings.Builder{}
	for _, r := range rsp.GetResults() {
		if r.GetSeverity() == fnv1.Severity_SEVERITY_WARNING && r.GetReason() != report.ReasonCloudRefuses {
			skipped.WriteString(r.GetMessage() + "; ")
		}
	}

	for _, key := range slices.Sorted(maps.Keys(winner)) {
		if !winner[key].trusted || strings.HasPrefix(strings.ToLower(key), "crossplane-") {
			continue
		}

		there := slices.ContainsFunc(keys, func(entry []string) bool {
			return slices.ContainsFunc(entry, func(k string) bool { return c.spelled(k) == c.spelled(key) })
		})

		// A profile may refuse the key, or another trusted label may have the same one. Results have no room for many labels.
		if !there && !strings.Contains(skipped.String(), strings.TrimPrefix(key, c.prefix)+" → ") && !strings.Contains(skipped.String(), " more: the log has all") {
			t.Errorf("the trusted label with the tag key %q is neither a tag nor skipped: %v\n%s", key, keys, skipped.String())
		}
	}

	if strings.Contains(skipped.String(), "t"+"n") && strings.Contains(skipped.String(), "count-cap (") {
		for r := range strings.SplitSeq(skipped.String(), "skipped ") {
			if strings.Contains(r, "count-cap (") && strings.Contains(r, " tn") {
				t.Errorf("a trusted label was skipped for want of a slot: %s", r)
			}
		}
	}
}
