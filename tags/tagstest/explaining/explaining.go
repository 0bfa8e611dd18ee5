// Package explaining proves that explain says what the function does. It is handed the function to
// call.
package explaining

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	gocmp "github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"google.golang.org/protobuf/encoding/protojson"
	"google.golang.org/protobuf/types/known/structpb"
	"pgregory.net/rapid"
	"sigs.k8s.io/yaml"

	fnv1 "github.com/crossplane/function-sdk-go/proto/v1"

	"github.com/plexsphere/function-cloud-tags/input/v1beta1"
	"github.com/plexsphere/function-cloud-tags/tags"
	"github.com/plexsphere/function-cloud-tags/tags/command"
	"github.com/plexsphere/function-cloud-tags/tags/command/explain"
	"github.com/plexsphere/function-cloud-tags/tags/object"
	"github.com/plexsphere/function-cloud-tags/tags/profile"
	"github.com/plexsphere/function-cloud-tags/tags/require"
	"github.com/plexsphere/function-cloud-tags/tags/tagstest"
	"github.com/plexsphere/function-cloud-tags/tags/tagstest/calls"
)

// A case of labels that explain and the function are asked about.
type testCase struct {
	input, xr, context map[string]any

	// written is the composite resource as somebody wrote it, and defaults the schema whose defaults make it xr.
	written, defaults map[string]any

	// rendered is true if explain is asked about resources, and not about labels.
	rendered bool

	// objects that Crossplane could fetch.
	objects []any
}

// labelKeys are keys that some profiles, formats or reservations treat as one, and
// others don't.
var labelKeys = []string{
	"env", "Env", "a/b", "a.b", "a_b", "A/b", "plexsphere:env", "plexsphere_env", "aws:x", "goog-x", "Azure", "crossplane-kind", "Crossplane-Name",
	"entigo:zone", "Entigo:Zone", "entigo-zone", "workspace", "WORKSPACE", "b c", "é", "", strings.Repeat("k", 54), strings.Repeat("k", 129),
}

// drawSource draws the source at position i, and puts the objects that it reads to the
// case. Each value starts with the source's name, so that a tag tells where it
// came from.
func drawSource(t *rapid.T, c *testCase, i int) map[string]any {
	name := fmt.Sprintf("s%d", i)
	source := map[string]any{
		"name":     name,
		"type":     rapid.SampledFrom([]string{"Value", "CompositeField", "ContextField", "CompositeMetadata", "RequiredResource", "Expression"}).Draw(t, "type"),
		"keyForm":  rapid.SampledFrom([]string{"Qualified", "Qualified", "Tag"}).Draw(t, "form"),
		"encoding": rapid.SampledFrom([]string{"Plain", "Plain", "Scalar", "JSON"}).Draw(t, "encoding"),
		"trusted":  rapid.IntRange(0, 3).Draw(t, "trusted") == 0,

		"onConflict": rapid.SampledFrom([]string{"Retain", "Replace", "Error"}).Draw(t, "conflict"),
	}

	// labels that the source has once or, if it reads several objects, twice.
	labels := func() map[string]any {
		keys := rapid.SliceOfN(rapid.SampledFrom(labelKeys), 0, 6).Draw(t, "keys")
		if rapid.IntRange(0, 5).Draw(t, "many") == 0 {
			for n := range rapid.IntRange(20, 60).Draw(t, "count") {
				keys = append(keys, fmt.Sprintf("k%02d", n))
			}
		}

		out := make(map[string]any, len(keys))

		for _, key := range keys {
			v := name + "-" + rapid.SampledFrom([]string{"", "x", "é", "a b", "X", strings.Repeat("v", 62), strings.Repeat("v", 254)}).Draw(t, "value")
			if source["encoding"] == "JSON" {
				v = strconv.Quote(v)
			}

			out[key] = v
		}

		return out
	}

	if rapid.IntRange(0, 3).Draw(t, "included") == 0 {
		include := map[string]any{}
		patterns := rapid.SliceOfN(rapid.SampledFrom([]any{"env", "a/*", "k*", "k1*", "entigo:*", "*"}), 1, 3)

		switch rapid.IntRange(0, 2).Draw(t, "include") {
		case 0:
			include["keys"] = patterns.Draw(t, "keys to include")
		case 1:
			include["except"] = patterns.Draw(t, "keys to except")
		default:
			include["keys"] = patterns.Draw(t, "keys to include")
			include["except"] = patterns.Draw(t, "keys to except")
		}

		source["include"] = include
	}

	if rapid.IntRange(0, 2).Draw(t, "for some") == 0 {
		source["resources"] = drawSelectors(t, c)
	}

	// Some things aren't there.
	there := rapid.IntRange(0, 9).Draw(t, "there") > 0
	spec, _ := c.xr["spec"].(map[string]any)
	prefix := name + ".example.org/"

	prefixed := func() map[string]any {
		of := make(map[string]any)
		for key, v := range labels() {
			of[prefix+key] = v
		}

		return of
	}

	switch source["type"] {
	case "Value":
		source["values"] = labels()
	case "CompositeField":
		source["fromFieldPath"] = "spec." + name
		if there {
			spec[name] = labels()
		}
	case "ContextField":
		source["contextKey"] = "example.org/" + name
		source["fromFieldPath"] = "tags"

		if there {
			c.context["example.org/"+name] = map[string]any{"tags": labels()}
		}
	case "Expression":
		of, expressions := labels(), make(map[string]any)
		of["own"] = of["env"]

		// There are limits to how many there may be.
		for _, key := range slices.Sorted(maps.Keys(of))[:min(len(of), 30)] {
			expressions[key] = fmt.Sprintf("xr.spec.%s[%q]", name, key)

			// Some differ per resource. Without resources it isn't known that one has no value.
			switch rapid.IntRange(0, 9).Draw(t, "per resource") {
			case 0, 1:
				expressions[key] = fmt.Sprintf("%q + name", name+"-")
				if source["encoding"] == "JSON" {
					expressions[key] = fmt.Sprintf("%q + name + %q", `"`+name+"-", `"`)
				}
			case 2:
				if c.rendered {
					expressions[key] = "desired.spec." + name
				}
			}
		}

		source["expressions"] = expressions
		if there {
			spec[name] = of
		}
	case "CompositeMetadata":
		source["prefix"] = prefix
		meta, _ := c.xr["metadata"].(map[string]any)

		for _, field := range []string{"labels", "annotations"} {
			of, _ := meta[field].(map[string]any)
			maps.Copy(of, prefixed())
		}
	default:
		if found := drawResource(t, source, labels, prefixed); there {
			c.objects = append(c.objects, found...)
		}
	}

	return source
}

// drawSelectors draws which resources a source is for. Without resources it isn't known which these are, so that it is for
// all then.
func drawSelectors(t *rapid.T, c *testCase) []any {
	of := []any{map[string]any{"name": "*"}, map[string]any{"apiVersion": "*/*", "kind": "*"}, map[string]any{"matchLabels": map[string]any{"any": "yes"}}}

	if c.rendered {
		of = append(of,
			map[string]any{"name": "nowhere"}, map[string]any{"name": "server"}, map[string]any{"name": "a*"}, map[string]any{"name": "*e*", "kind": "*n*"},
			map[string]any{"apiVersion": "*.aws.*/*"}, map[string]any{"kind": "Bucket"}, map[string]any{"matchLabels": map[string]any{"tier": "gold"}},
			map[string]any{"apiVersion": "cloud.example.org/*", "matchLabels": map[string]any{"tier": "tin"}},
		)
	}

	return rapid.SliceOfN(rapid.SampledFrom(of), 1, 2).Draw(t, "resources")
}

// drawResource completes a source that reads objects, and returns these.
func drawResource(t *rapid.T, source map[string]any, labels, prefixed func() map[string]any) []any {
	name, _ := source["name"].(string)
	of := map[string]any{"apiVersion": "v1", "kind": "ConfigMap"}
	source["resource"] = of

	if rapid.Bool().Draw(t, "optional") {
		source["policy"] = map[string]any{"fromFieldPath": "Optional"}
	}

	named := func(called string) map[string]any {
		o := map[string]any{"apiVersion": "v1", "kind": "ConfigMap", "metadata": map[string]any{"namespace": "team-a", "name": called, "labels": map[string]any{"of": name}}}

		if rapid.Bool().Draw(t, "by prefix") && source["fromFieldPath"] == nil || source["prefix"] != nil {
			source["prefix"] = name + ".example.org/"
			meta, _ := o["metadata"].(map[string]any)
			meta["annotations"] = prefixed()
		} else {
			source["fromFieldPath"] = "data"
			o["data"] = labels()
		}

		return o
	}

	found := []any{named(name + "-b"), named(name + "-a")}

	switch rapid.IntRange(0, 3).Draw(t, "selector") {
	case 0:
		of["matchLabels"] = map[string]any{"value": map[string]any{"of": name}}
	case 1:
		of["matchLabels"] = map[string]any{"value": map[string]any{"of": name}}
		source["pick"] = "One"
	case 2:
		// An object of the same name in another namespace is another one.
		of["name"] = map[string]any{"value": name + "-a"}
		of["namespace"] = map[string]any{"fromFieldPath": "metadata.namespace"}
		found = append(found, map[string]any{"apiVersion": "v1", "kind": "ConfigMap", "metadata": map[string]any{"namespace": "other", "name": name + "-a"}, "data": map[string]any{"env": "wrong"}})
	default:
		of["name"] = map[string]any{"fromFieldPath": "spec.missing"}
	}

	return found
}

// cases returns a generator of them.
func cases() *rapid.Generator[testCase] {
	return rapid.Custom(func(t *rapid.T) testCase {
		c := testCase{
			xr: map[string]any{
				"apiVersion": "platform.example.org/v1alpha1", "kind": "Storage",
				"metadata": map[string]any{"namespace": "team-a", "name": "assets", "labels": map[string]any{}, "annotations": map[string]any{}},
				"spec":     map[string]any{"provider": rapid.SampledFrom([]string{"aws", "GCP", "amazon"}).Draw(t, "provider of the composite resource")},
			},
			context:  map[string]any{},
			rendered: rapid.Bool().Draw(t, "about resources"),
		}

		// The tag field of the Bucket is known, and its provider adds tags.
		fields := []any{}

		for _, name := range profile.Names() {
			f := map[string]any{"apiVersion": "cloud.example.org/v1", "kind": name, "fieldPath": "spec.forProvider.tags", "shape": "Map", "provider": name}

			if separator := separatorOf(name); separator != "" {
				f["shape"], f["stringList"] = "StringList", map[string]any{"separator": separator}
			}

			fields = append(fields, f)
		}

		sources := []any{}
		for i := range rapid.IntRange(1, 5).Draw(t, "sources") {
			sources = append(sources, drawSource(t, &c, i))
		}

		reserved := map[string]any{}
		for _, name := range profile.Names() {
			if n := rapid.SampledFrom([]int{0, 0, 0, 3, 30, 100}).Draw(t, "reserved slots"); n > 0 {
				reserved[name] = n
			}
		}

		c.input = map[string]any{
			"apiVersion":   v1beta1.APIVersion,
			"kind":         v1beta1.Kind,
			"keyPrefix":    rapid.SampledFrom([]string{"plexsphere:", "", "acme-"}).Draw(t, "prefix"),
			"sources":      sources,
			"tagFields":    fields,
			"reservedTags": reserved,
			"reservedKeys": rapid.SliceOfN(rapid.SampledFrom([]any{"entigo:*", "workspace", "env", "a_b", "plexsphere_*"}), 0, 3).Draw(t, "reserved keys"),
			"providerTags": rapid.SampledFrom([]string{"Reserve", "None"}).Draw(t, "provider's tags"),
			"limitPolicy":  rapid.SampledFrom([]string{"ApplyPartial", "ApplyPartial", "ApplyPartial", "ApplyStrict"}).Draw(t, "limits"),
		}

		if rules := rapid.SampledFrom([]string{"", "Contract", "Cloud"}).Draw(t, "rules"); rules != "" {
			c.input["profileRules"] = rules
		}

		if rapid.Bool().Draw(t, "formatted") {
			c.input["keyFormats"] = []any{
				map[string]any{"provider": "aws", "replace": map[string]any{"/": "_", ".": "_"}, "lowercase": rapid.Bool().Draw(t, "lowercase")},
				map[string]any{"provider": "hetzner", "prefix": rapid.SampledFrom([]string{"", "h-"}).Draw(t, "prefix of hetzner")},
			}
		}

		if rapid.Bool().Draw(t, "formatted values") {
			c.input["valueFormats"] = []any{map[string]any{"provider": "gcp", "replace": map[string]any{" ": "_", "/": "_"}, "lowercase": rapid.Bool().Draw(t, "lowercase values")}}
		}

		drawRules(t, &c)

		if rapid.Bool().Draw(t, "launched") {
			c.input["launchedResources"] = "Tag"
		}

		drawDefaults(t, &c)

		if rapid.Bool().Draw(t, "provider of a field") {
			c.input["provider"] = map[string]any{"fromFieldPath": rapid.SampledFrom([]string{"spec.provider", "spec.provider", "spec.none"}).Draw(t, "provider's field")}
		}

		return c
	})
}

// separatorOf the tags of the profile, if its providers have lists of whole tags. They compare these without case.
func separatorOf(name string) string {
	if p := profile.Of(name); p.FoldEntries {
		return cmp.Or(p.Separator, ":")
	}

	return ""
}

// drawDefaults takes some labels out of what is written, and makes them defaults.
func drawDefaults(t *rapid.T, c *testCase) {
	c.written = tagstest.Struct(c.xr).AsMap()
	properties := map[string]any{}
	spec, _ := c.written["spec"].(map[string]any)

	for _, field := range slices.Sorted(maps.Keys(spec)) {
		labels, _ := spec[field].(map[string]any)
		of := map[string]any{}

		for _, key := range slices.Sorted(maps.Keys(labels)) {
			if rapid.IntRange(0, 4).Draw(t, "by default") == 0 {
				of[key] = map[string]any{"type": "string", "default": labels[key]}
				delete(labels, key)
			}
		}

		properties[field] = map[string]any{"properties": of}
	}

	c.defaults = map[string]any{
		"apiVersion": "apiextensions.crossplane.io/v2", "kind": "CompositeResourceDefinition",
		"spec": map[string]any{
			"group": "platform.example.org", "names": map[string]any{"kind": "Storage"},
			"versions": []any{map[string]any{"name": "v1alpha1", "served": true, "schema": map[string]any{"openAPIV3Schema": map[string]any{
				"properties": map[string]any{"spec": map[string]any{"properties": properties}},
			}}}},
		},
	}
}

// drawRules draws rules on tags, and puts the fields that they read to the case.
func drawRules(t *rapid.T, c *testCase) {
	keys := rapid.SampledFrom([]string{"env", "Env", "a/*", "a.b", "k0*", "plexsphere:*", "entigo:*", "workspace", "*"})

	for _, rules := range []string{"removeTags", "ignoreTags"} {
		if rapid.IntRange(0, 2).Draw(t, rules) > 0 {
			continue
		}

		of := []any{}

		for range rapid.IntRange(1, 3).Draw(t, "rules") {
			rule := map[string]any{"key": keys.Draw(t, "key")}

			switch rapid.IntRange(0, 3).Draw(t, "rule") {
			case 0:
				rule = map[string]any{"fromFieldPath": "spec." + rules}

				if spec, ok := c.xr["spec"].(map[string]any); ok {
					spec[rules] = rapid.SliceOfN(rapid.Custom(func(t *rapid.T) any { return keys.Draw(t, "key") }), 0, 3).Draw(t, "keys of a field")
				}
			case 1:
				if rules == "removeTags" {
					rule["value"] = rapid.SampledFrom([]string{"s0-", "s0-x", "s1-a_b"}).Draw(t, "value")
				}
			default:
			}

			of = append(of, rule)
		}

		c.input[rules] = of
	}

	policy := []any{}

	for range rapid.IntRange(0, 3).Draw(t, "rules of the policy") {
		rule := map[string]any{"key": rapid.SampledFrom(labelKeys[:12]).Draw(t, "key of a rule"), "required": rapid.Bool().Draw(t, "required")}
		if rapid.Bool().Draw(t, "of values") {
			rule["values"] = rapid.SliceOfN(rapid.SampledFrom([]any{"*-x", "s0-*", "s1-é"}), 1, 2).Draw(t, "values")
		}

		policy = append(policy, rule)
	}

	if len(policy) > 0 {
		c.input["tagPolicy"] = map[string]any{"rules": policy, "enforcement": rapid.SampledFrom([]string{"Warn", "Warn", "Warn", "Error"}).Draw(t, "enforcement")}
	}
}

// A told is what explain or the function says.
type told struct {
	// Tags of each field by key. The field is named by its resource, and by its path if it is one of what the
	// resource launches. Sources are those that they came from. Resources are called like their tag profile.
	Tags, Sources map[string]map[string]string

	// Skipped labels by tag profile, sorted. Of those that say the same there is one. Broken is how many rules of the
	// tag policy are.
	Skipped map[string][]tags.SkippedLabel
	Broken  map[string]int

	// fails is why the function fails, or empty if it doesn't. mayFail is true if it isn't known whether tag slots
	// suffice, and mayBreak is true if it isn't known whether rules are broken.
	fails             string
	mayFail, mayBreak bool
}

// newTold returns what is said of no field, and of tag profiles under which nothing is skipped and broken.
func newTold() *told {
	d := &told{
		Tags: make(map[string]map[string]string), Sources: make(map[string]map[string]string),
		Skipped: make(map[string][]tags.SkippedLabel), Broken: make(map[string]int),
	}
	for _, name := range profile.Names() {
		d.Skipped[name], d.Broken[name] = nil, 0
	}

	return d
}

// tag says that the field has a tag of the source.
func (d *told) tag(field, key, value, source string) {
	if d.Tags[field] == nil {
		d.Tags[field], d.Sources[field] = make(map[string]string), make(map[string]string)
	}

	d.Tags[field][key], d.Sources[field][key] = value, source
}

func (d *told) sort() {
	for name, of := range d.Skipped {
		slices.SortFunc(of, func(a, b tags.SkippedLabel) int {
			return slices.Compare([]string{a.QualifiedKey, a.TagKey, string(a.Reason)}, []string{b.QualifiedKey, b.TagKey, string(b.Reason)})
		})
		d.Skipped[name] = slices.Compact(of)
	}
}

// explained returns what explain says of a case. Of rendered resources, if there are any, it says what they have.
func explained(t *rapid.T, dir string, c *testCase, rendered []any) *told {
	write := func(name string, v any) string {
		text, err := json.Marshal(v)
		if err != nil {
			t.Fatal(err)
		}

		// Both formats say the same.
		if rapid.Bool().Draw(t, name+" as YAML") {
			if text, err = yaml.JSONToYAML(text); err != nil {
				t.Fatal(err)
			}
		}

		file := filepath.Join(dir, name)
		if err := os.WriteFile(file, text, 0o600); err != nil {
			t.Fatal(err)
		}

		return file
	}

	composition := map[string]any{
		"apiVersion": "apiextensions.crossplane.io/v1", "kind": "Composition", "metadata": map[string]any{"name": "storage"},
		"spec": map[string]any{
			"compositeTypeRef": map[string]any{"apiVersion": c.xr["apiVersion"], "kind": c.xr["kind"]},
			"pipeline":         []any{map[string]any{"step": "tags", "input": c.input}},
		},
	}

	out := &bytes.Buffer{}
	explains := &explain.Command{
		Composition:       write("composition", composition),
		XR:                write("xr", c.written),
		XRD:               write("xrd", c.defaults),
		RequiredResources: []string{write("objects", map[string]any{"apiVersion": "v1", "kind": "List", "items": append([]any{}, c.objects...)})},
		Context:           write("context", c.context),
		Provider:          profile.Names(),
		Output:            "json",
	}

	if len(rendered) > 0 {
		explains.Provider, explains.Rendered = nil, write("rendered", map[string]any{"apiVersion": "v1", "kind": "List", "items": rendered})
	}

	d := newTold()

	if err := explains.Explain(t.Context(), nil, out); err != nil {
		d.fails = err.Error()
		return d
	}

	if len(rendered) > 0 {
		d.ofResources(t, out.Bytes())
	} else {
		d.ofLabels(t, out.Bytes())
	}

	d.sort()

	return d
}

// ofRecorded returns what explain says of the last request, as the pipeline inspector records it.
func ofRecorded(t *rapid.T, dir string, fn *Function, req *fnv1.RunFunctionRequest) *told {
	payload, err := protojson.Marshal(req)
	if err != nil {
		t.Fatal(err)
	}

	file := filepath.Join(dir, "recorded")
	text := fmt.Appendf(nil, `{"meta":{"stepName":"tags"},"payload":%s,"type":"REQUEST"}%s{"payload":{"meta":{}},"type":"RESPONSE"}`, payload, "\n")

	if err := os.WriteFile(file, text, 0o600); err != nil {
		t.Fatal(err)
	}

	out := &bytes.Buffer{}
	if err := (&explain.Command{Request: file, Output: "json", Function: command.Function(fn.Run)}).Explain(t.Context(), nil, out); err != nil {
		t.Fatal(err)
	}

	d := newTold()
	d.ofRequest(t, out.Bytes())
	d.sort()

	return d
}

// note what explain notes.
func (d *told) note(notes []string) {
	for _, note := range notes {
		if strings.HasPrefix(note, "the function fails: ") {
			d.fails = note
		}

		d.mayFail = d.mayFail || strings.HasPrefix(note, "the function may fail: ")
		d.mayBreak = d.mayBreak || strings.Contains(note, "may differ per composed resource")
	}
}

// ofLabels reads what explain says of labels, in JSON.
func (d *told) ofLabels(t *rapid.T, out []byte) {
	var got []explain.Explanation
	if err := json.Unmarshal(out, &got); err != nil {
		t.Fatal(err)
	}

	for _, x := range got {
		d.note(x.Notes)

		for key, value := range x.Tags {
			d.tag(x.Provider, key, value, x.Sources[key].Source)
		}

		d.Skipped[x.Provider] = x.Skipped
		d.Broken[x.Provider] = len(x.Broken)
	}
}

// ofResources reads what explain says of rendered resources, in JSON.
func (d *told) ofResources(t *rapid.T, out []byte) {
	var got []*explain.Rendered
	if err := json.Unmarshal(out, &got); err != nil {
		t.Fatal(err)
	}

	d.addResources(t, got)
}

// ofRequest reads what explain says of a recorded request, in JSON.
func (d *told) ofRequest(t *rapid.T, out []byte) {
	got := explain.Run{}
	if err := json.Unmarshal(out, &got); err != nil {
		t.Fatal(err)
	}

	for _, e := range got.Events {
		if e.Severity == "Fatal" {
			d.fails = e.Message
		}
	}

	d.addResources(t, got.Resources)
}

func (d *told) addResources(t *rapid.T, got []*explain.Rendered) {
	for _, x := range got {
		d.note(x.Notes)
		d.Broken[x.Provider] += len(x.Broken)

		for _, f := range append([]*explain.RenderedField{&x.RenderedField}, x.Launched...) {
			name := x.Resource
			if f != &x.RenderedField {
				name += " " + f.FieldPath
			}

			for _, tag := range f.Tags {
				d.tag(name, tag.Key, tag.Value, tag.Source)
			}

			for _, l := range f.Labels {
				if strings.HasPrefix(l.Why, "missing") {
					t.Errorf("label %q should be a tag of %s, or it be said why not", l.QualifiedKey, name)
				}

				if l.Reason != "" {
					d.Skipped[x.Provider] = append(d.Skipped[x.Provider], tags.SkippedLabel{QualifiedKey: l.QualifiedKey, TagKey: l.TagKey, Provider: x.Provider, Reason: l.Reason})
				}
			}
		}
	}
}

// request of a case, with a resource of each tag profile. If rendered resources are asked about, there is one more, which
// can launch others.
func request(c *testCase) *fnv1.RunFunctionRequest {
	req := &fnv1.RunFunctionRequest{
		Meta:     &fnv1.RequestMeta{Capabilities: []fnv1.Capability{fnv1.Capability_CAPABILITY_CAPABILITIES, fnv1.Capability_CAPABILITY_REQUIRED_RESOURCES}},
		Input:    tagstest.Struct(c.input),
		Context:  tagstest.Struct(c.context),
		Observed: &fnv1.State{Composite: &fnv1.Resource{Resource: tagstest.Struct(c.xr)}},
		Desired:  &fnv1.State{Resources: make(map[string]*fnv1.Resource)},
	}

	add := func(name, apiVersion, kind string) {
		tier := "gold"
		if len(req.GetDesired().GetResources())%2 == 0 {
			tier = "tin"
		}

		req.Desired.Resources[name] = &fnv1.Resource{Resource: tagstest.Struct(map[string]any{
			"apiVersion": apiVersion, "kind": kind, "spec": map[string]any{"forProvider": map[string]any{}},
			"metadata": map[string]any{"labels": map[string]any{"any": "yes", "tier": tier}},
		})}
	}

	for _, name := range profile.Names() {
		// Of providers that add tags, it is a kind to which they do.
		switch name {
		case "aws":
			add(name, "s3.aws.m.upbound.io/v1beta1", "Bucket")
		case "cloudfoundry":
			add(name, "cloudfoundry.crossplane.io/v1alpha1", "Space")
		case "alibaba":
			add(name, "ack.alibabacloud.crossplane.io/v1alpha1", "EdgeKubernetes")
		default:
			add(name, "cloud.example.org/v1", name)
		}
	}

	if c.rendered {
		add("server", "ec2.aws.m.upbound.io/v1beta1", "Instance")
	}

	return req
}

// ran returns what the function does with a case, the resources that it is rendered to, and the request of its last
// call.
func ran(t *rapid.T, fn *Function, c *testCase) (d *told, rendered []any, req *fnv1.RunFunctionRequest) {
	d, req = newTold(), request(c)
	objects := make([]*structpb.Struct, len(c.objects))

	for i, o := range c.objects {
		objects[i] = tagstest.Struct(o)
	}

	// Objects that are found, there is a call for.
	rsp, err := fn.Run(t.Context(), req)
	if err == nil && rsp.GetRequirements() != nil {
		require.Answer(req, rsp.GetRequirements(), objects)

		rsp, err = fn.Run(t.Context(), req)
	}

	if err != nil {
		t.Fatal(err)
	}

	for _, r := range rsp.GetResults() {
		if r.GetSeverity() == fnv1.Severity_SEVERITY_FATAL {
			d.fails = r.GetMessage()
			return d, nil, req
		}
	}

	for _, name := range slices.Sorted(maps.Keys(rsp.GetDesired().GetResources())) {
		r := object.Of(rsp.GetDesired().GetResources()[name]).Struct().AsMap()

		if metadata, ok := r["metadata"].(map[string]any); ok {
			metadata["annotations"] = map[string]any{"crossplane.io/composition-resource-name": name}
		}

		rendered = append(rendered, r)

		d.ofFields(name, tagstest.ForProvider(rsp.GetDesired().GetResources()[name]))
	}

	d.ofRun(t, fn)
	d.sort()

	return d, rendered, req
}

// ofFields reads the tag fields of the resource.
func (d *told) ofFields(resource string, fields map[string]*structpb.Value) {
	for field, v := range fields {
		name := resource
		if field != "tags" && field != "labels" {
			name += " spec.forProvider." + field
		}

		for key, v := range v.GetStructValue().GetFields() {
			d.tag(name, key, v.GetStringValue(), sourceOf(v.GetStringValue()))
		}

		for _, v := range v.GetListValue().GetValues() {
			entry := v.GetStringValue()
			at := strings.LastIndex(entry, separatorOf(resource))
			d.tag(name, entry[:at], entry[at+1:], sourceOf(entry[at+1:]))
		}
	}
}

// sourceOf a label, which its value starts with.
func sourceOf(value string) string {
	source, _, _ := strings.Cut(value, "-")
	return source
}

// ofRun reads what the function has counted and logged.
func (d *told) ofRun(t *rapid.T, fn *Function) {
	for _, l := range fn.Counted() {
		if series, ok := strings.CutPrefix(l, `function_cloud_tags_policy_violations_total{provider="`); ok {
			name, n, _ := strings.Cut(series, `"} `)

			count, err := strconv.Atoi(n)
			if err != nil {
				t.Fatal(err)
			}

			d.Broken[name] = count
		}
	}

	for line := range strings.Lines(fn.Log.String()) {
		var l map[string]any
		if err := json.Unmarshal([]byte(line), &l); err != nil {
			t.Fatal(err)
		}

		if l["msg"] == "Skipped label" {
			name := fmt.Sprint(l["provider"])
			d.Skipped[name] = append(d.Skipped[name], tags.SkippedLabel{
				QualifiedKey: fmt.Sprint(l["qualified_key"]), TagKey: fmt.Sprint(l["tag_key"]), Provider: name, Reason: profile.SkipReason(fmt.Sprint(l["reason"])),
			})
		}
	}
}

// A Function is called, and says what it has logged and counted.
type Function struct {
	Run     calls.Function
	Log     *bytes.Buffer
	Counted func() []string
}

// Check asks explain and the function about the same labels. Files are written to dir.
func Check(t *rapid.T, dir string, fn *Function) {
	c := cases().Draw(t, "case")
	want, rendered, req := ran(t, fn, &c)

	if c.rendered && rapid.Bool().Draw(t, "as recorded") {
		if diff := gocmp.Diff(want, ofRecorded(t, dir, fn, req), gocmp.AllowUnexported(told{}), cmpopts.EquateEmpty()); diff != "" {
			t.Errorf("explain should say what the function does with a recorded request (-function, +explain):\n%s", diff)
		}

		return
	}

	if !c.rendered {
		rendered = nil
	}

	got := explained(t, dir, &c, rendered)

	// Without resources it isn't known what labels differ in.
	if got.mayFail && got.fails == "" && slices.ContainsFunc([]string{"no tag slots for labels of trusted sources: ", "limitPolicy "}, func(prefix string) bool {
		return strings.HasPrefix(want.fails, prefix)
	}) {
		return
	}

	if got.mayBreak {
		if got.fails == "" && strings.HasPrefix(want.fails, "tagPolicy: ") {
			return
		}

		got.Broken, want.Broken = nil, nil
	}

	if (got.fails == "") != (want.fails == "") {
		t.Fatalf("explain should tell if the function fails: it says %q, but the function %q", got.fails, want.fails)
	}

	// The function names resources, which explain doesn't know.
	if !strings.HasPrefix(got.fails, "the function fails: ") && got.fails != strings.Join(strings.Fields(want.fails), " ") {
		t.Errorf("explain should say why the labels can't be known: it says %q, but the function %q", got.fails, want.fails)
	}

	if got.fails != "" {
		return
	}

	for field, of := range got.Tags {
		for key, value := range of {
			if value == "(differs per resource)" && want.Tags[field][key] != "" {
				of[key] = want.Tags[field][key]
			}
		}
	}

	if diff := gocmp.Diff(want, got, cmpopts.IgnoreUnexported(told{}), cmpopts.EquateEmpty()); diff != "" {
		t.Errorf("explain should say what the function does (-function, +explain):\n%s", diff)
	}
}
