package stamp_test

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/types/known/structpb"
	"pgregory.net/rapid"

	fnv1 "github.com/crossplane/function-sdk-go/proto/v1"
	"github.com/crossplane/function-sdk-go/resource"

	"github.com/plexsphere/function-cloud-tags/input/v1beta1"
	"github.com/plexsphere/function-cloud-tags/tags"
	"github.com/plexsphere/function-cloud-tags/tags/field"
	"github.com/plexsphere/function-cloud-tags/tags/profile"
	"github.com/plexsphere/function-cloud-tags/tags/require"
	"github.com/plexsphere/function-cloud-tags/tags/resolve"
	"github.com/plexsphere/function-cloud-tags/tags/stamp"
	"github.com/plexsphere/function-cloud-tags/tags/tagstest"
	"github.com/plexsphere/function-cloud-tags/tags/target"
)

// A cluster is the objects that Crossplane can fetch.
type cluster []*structpb.Struct

// tagsAfter returns the tags that the supplied resource has once it is stamped with what
// the sources of the supplied input find, by key, and what came of stamping it. The
// resource has a map of tags.
func (c cluster) tagsAfter(in *v1beta1.CloudTags, req *fnv1.RunFunctionRequest, r *structpb.Struct) (map[string]string, *stamp.Outcome, error) {
	req = proto.CloneOf(req)
	required := require.New(req)

	set, err := resolve.Resolve(context.Background(), in, req, required)
	if err == nil && required.Waiting() {
		required.Answer(c)

		set, err = resolve.Resolve(context.Background(), in, req, require.New(req))
	}

	if err != nil {
		return nil, nil, err
	}

	stamper := &stamp.Stamper{
		Finder: target.Finder{
			Input:    in,
			Provider: set.Provider,
			Fields:   func(field.Schemas) field.Locator { return field.Chain{field.NewRules(in.TagFields), field.ByProfile{}} },
		},
		Transformer: set.Transformer(in), PerResource: set.PerResource,
	}

	targets, err := stamper.Targets(context.Background(), map[string]*fnv1.Resource{"bucket": {Resource: r}})
	if err != nil {
		return nil, nil, err
	}

	out, err := stamper.Stamp(context.Background(), targets)
	if err != nil {
		return nil, nil, err
	}

	if s, ok := out.Changed["bucket"]; ok {
		r = s.Struct()
	}

	after := map[string]string{}
	for k, v := range forProvider(r)["tags"].GetStructValue().GetFields() {
		after[k] = v.GetStringValue()
	}

	return after, out, nil
}

// decode returns the input with the supplied fields beside its apiVersion and kind.
func decode(t *testing.T, fields string) *v1beta1.CloudTags {
	t.Helper()

	in, err := v1beta1.Decode(resource.MustStructJSON(`{"apiVersion": "cloudtags.fn.plexsphere.com/v1beta1", "kind": "CloudTags", ` + fields + `}`))
	if err != nil {
		t.Fatalf("Decode(...): %v", err)
	}

	return in
}

// observe returns a request of a Crossplane that finds required resources, with nothing
// but the supplied composite resource.
func observe(xr string) *fnv1.RunFunctionRequest {
	return &fnv1.RunFunctionRequest{
		Meta:     &fnv1.RequestMeta{Capabilities: []fnv1.Capability{fnv1.Capability_CAPABILITY_CAPABILITIES, fnv1.Capability_CAPABILITY_REQUIRED_RESOURCES}},
		Observed: &fnv1.State{Composite: &fnv1.Resource{Resource: resource.MustStructJSON(xr)}},
	}
}

func forProvider(r *structpb.Struct) map[string]*structpb.Value {
	return r.GetFields()["spec"].GetStructValue().GetFields()["forProvider"].GetStructValue().GetFields()
}

// bucket returns a resource with the supplied JSON as its tags.
func bucket(j string) *structpb.Struct {
	return resource.MustStructJSON(`{"apiVersion": "s3.example.org/v1", "kind": "Bucket", "spec": {"forProvider": {"tags": ` + j + `}}}`)
}

// TestEveryPrecedence is every case of label or annotation, level, trust, reserved
// key, tag of an earlier step and onConflict: three levels that each have no value, a
// label, an annotation or both, and are trusted or not.
func TestEveryPrecedence(t *testing.T) {
	const (
		nothing = iota
		label
		annotation
		labelAndAnnotation
		kinds
	)

	names := []string{"org", "workspace", "zone"}
	policies := []tags.Conflict{tags.Retain, tags.Replace, tags.Refuse}
	existing := []string{"", "step", "same"}

	for c := range kinds * kinds * kinds * 8 * 2 * len(existing) * len(policies) {
		draw := func(n int) int {
			defer func() { c /= n }()
			return c % n
		}

		reserved := draw(2) == 1
		step := existing[draw(len(existing))]
		turn := draw(len(policies))

		in := &v1beta1.CloudTags{Provider: &v1beta1.StringSource{Value: "aws"}, KeyPrefix: ""}
		if reserved {
			in.ReservedKeys = []string{"team"}
		}

		var (
			objects cluster
			kind    [3]int
			trusted [3]bool
		)

		for i, name := range names {
			kind[i], trusted[i] = draw(kinds), draw(2) == 1

			in.Sources = append(in.Sources, v1beta1.Source{
				Type: "RequiredResource", Name: name, Prefix: "t/", Pick: "All", Trusted: trusted[i],
				Encoding: "Plain", KeyForm: "Qualified", OnConflict: policies[(i+turn)%len(policies)],
				Resource: &v1beta1.RequiredResource{APIVersion: "v1", Kind: "Level", Name: &v1beta1.StringSource{Value: name}},
			})

			meta := map[string]any{"name": name}
			if kind[i]&label != 0 {
				meta["labels"] = map[string]any{"t/team": name + "-label"}
			}

			if kind[i]&annotation != 0 {
				meta["annotations"] = map[string]any{"t/team": name + "-annotation"}
			}

			o, err := structpb.NewStruct(map[string]any{"apiVersion": "v1", "kind": "Level", "metadata": meta})
			if err != nil {
				t.Fatal(err)
			}

			objects = append(objects, o)
		}

		// Which level wins, with which value, and who claims what it may not.
		winner, value, claimed := -1, "", false

		for i, name := range names {
			switch {
			case kind[i] == nothing:
			case reserved && !trusted[i]:
				claimed = true
			default:
				winner, value = i, name+map[bool]string{true: "-annotation", false: "-label"}[kind[i]&annotation != 0]
			}
		}

		if step == "same" {
			step = value
		}

		// What becomes of it.
		want, wantErr, withheld, active := map[string]string{"Name": "x"}, "", stamp.Withheld{}, map[string]string(nil)
		if step != "" && (!reserved || winner >= 0) {
			want["team"] = step
		}

		if winner >= 0 {
			policy := in.Sources[winner].OnConflict

			switch {
			case step == "" || reserved || policy == "Replace":
				want["team"] = value
			case policy == "Error":
				wantErr = fmt.Sprintf(`cannot tag composed resource "bucket": an earlier step has set the tag "team" to %q, and sources[%d] %q with onConflict Error has the value %q for it`, step, winner, names[winner], value)
			case step != value:
				withheld.Retained = []string{"team"}
			}

			if want["team"] == value {
				active = map[string]string{"team": value}
			}
		}

		skips := []stamp.Skip{}
		settled := map[string]string(nil)
		skipped := tags.SkippedLabel{QualifiedKey: "team", TagKey: "team", Provider: "aws", Reason: "reserved-key"}

		if reserved && winner < 0 && step != "" {
			skips = append(skips, stamp.Skip{SkippedLabel: skipped, Limit: "an earlier step set it, which only trusted sources may", Resources: []string{"bucket"}})
		}

		if claimed {
			skips = append(skips, stamp.Skip{SkippedLabel: skipped, Limit: profile.Of("aws").Limit("reserved-key")})
		}

		if reserved && active != nil {
			settled = active
		}

		before := map[string]string{"Name": "x"}
		if step != "" {
			before["team"] = step
		}

		j, err := json.Marshal(before)
		if err != nil {
			t.Fatal(err)
		}

		what := fmt.Sprintf("levels %v, trusted %v, reserved %t, earlier step %q, onConflict of %s %s", kind, trusted, reserved, step, names[0], in.Sources[0].OnConflict)

		got, out, err := objects.tagsAfter(in, observe(`{}`), bucket(string(j)))
		if diff := cmp.Diff(wantErr, tagstest.Error(err)); diff != "" {
			t.Fatalf("\nStamp(...) of %s: -want error, +got error:\n%s", what, diff)
		}

		if wantErr != "" {
			continue
		}

		if diff := cmp.Diff(want, got); diff != "" {
			t.Fatalf("\nStamp(...) of %s: -want, +got:\n%s", what, diff)
		}

		result := stamp.Result{
			Resource: "bucket", APIVersion: "s3.example.org/v1", Kind: "Bucket", Provider: "aws",
			Active: active, Withheld: withheld, Trusted: settled,
		}

		if diff := cmp.Diff(&stamp.Outcome{Results: []stamp.Result{result}, Skips: skips}, out, cmpopts.IgnoreFields(stamp.Result{}, "Stamped"), cmpopts.IgnoreFields(stamp.Outcome{}, "Changed"), cmpopts.IgnoreFields(stamp.Skip{}, "Sources"), cmpopts.EquateEmpty()); diff != "" {
			t.Fatalf("\nStamp(...) of %s: -want, +got:\n%s", what, diff)
		}
	}
}

// TestTrustedValueStands is about claims that look like a reserved key once they are
// formatted only, so that they are not refused before sources are merged.
func TestTrustedValueStands(t *testing.T) {
	cases := map[string]struct {
		reason   string
		provider string
		reserved string
		fields   string
		key      string

		// forged are the fields of the source that claims the key.
		forged  string
		want    map[string]string
		skipped []tags.SkippedLabel
	}{
		"CaseOfEntry": {
			reason:   "Where keys compare without case, the case of an entry should not matter.",
			provider: "azure",
			reserved: "Workspace",
			key:      "workspace",
			want:     map[string]string{"plexsphere:workspace": "platform"},
			skipped:  []tags.SkippedLabel{{QualifiedKey: "workspace", TagKey: "plexsphere:workspace", Provider: "azure", Reason: "reserved-key"}},
		},
		"FormattedEntry": {
			reason:   "An entry may be the tag key that the provider's format makes.",
			provider: "openstack",
			reserved: "plexsphere_workspace",
			fields:   `"keyFormats": [{"provider": "openstack", "replace": {":": "_"}}], `,
			key:      "workspace",
			want:     map[string]string{"plexsphere_workspace": "platform"},
			skipped:  []tags.SkippedLabel{{QualifiedKey: "workspace", TagKey: "plexsphere_workspace", Provider: "openstack", Reason: "reserved-key"}},
		},
		"PrefixOfFormat": {
			reason:   "An entry may be the tag key that a prefix of the input makes.",
			provider: "aws",
			reserved: "acme-*",
			fields:   `"keyFormats": [{"provider": "aws", "prefix": "acme-"}], `,
			key:      "workspace",
			want:     map[string]string{"acme-workspace": "platform"},
			skipped:  []tags.SkippedLabel{{QualifiedKey: "workspace", TagKey: "acme-workspace", Provider: "aws", Reason: "reserved-key"}},
		},
		"FormOfKeys": {
			reason:   "A label that has the tag key of a trusted one only before both are formatted should not take its place.",
			provider: "aws",
			reserved: "acme-*",
			fields:   `"keyFormats": [{"provider": "aws", "prefix": "acme-"}], `,
			key:      "workspace",
			forged:   `"keyForm": "Tag", "values": {"plexsphere:workspace": "forged"}`,
			want:     map[string]string{"acme-workspace": "platform", "plexsphere:workspace": "forged"},
		},
		"OfOtherProvider": {reason: "Where the tag key isn't reserved, the later source should win.", provider: "hetzner", reserved: "acme-*", fields: `"keyFormats": [{"provider": "aws", "prefix": "acme-"}], `, key: "workspace", want: map[string]string{"plexsphere:workspace": "forged"}},
	}

	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			forged := tc.forged
			if forged == "" {
				forged = fmt.Sprintf(`"values": {%q: "forged"}`, tc.key)
			}

			in := decode(t, fmt.Sprintf(`%s"provider": {"value": %q}, "reservedKeys": [%q], "sources": [
				{"type": "Value", "name": "platform", "trusted": true, "values": {%q: "platform"}},
				{"type": "Value", "name": "user", "onConflict": "Replace", %s}
			], "tagFields": [{"apiVersion": "*", "kind": "*", "fieldPath": "spec.forProvider.tags", "shape": "Map"}]`, tc.fields, tc.provider, tc.reserved, tc.key, forged))

			got, out, err := cluster{}.tagsAfter(in, observe(`{}`), bucket(`{}`))
			if err != nil {
				t.Fatal(err)
			}

			if diff := cmp.Diff(tc.want, got); diff != "" {
				t.Errorf("\n%s\nStamp(...): -want, +got:\n%s", tc.reason, diff)
			}

			var skipped []tags.SkippedLabel
			for _, s := range out.Skips {
				skipped = append(skipped, s.SkippedLabel)
			}

			if diff := cmp.Diff(tc.skipped, skipped); diff != "" {
				t.Errorf("\n%s\nStamp(...): -want skipped, +got skipped:\n%s", tc.reason, diff)
			}
		})
	}
}

// TestReservedThroughEverySource claims a reserved key through every type of source,
// form of key, encoding, provider and format. No claim may reach the resource, and
// what the platform says of the key must.
func TestReservedThroughEverySource(t *testing.T) {
	types := map[string]string{
		"Value":            `"type": "Value", "values": %s`,
		"CompositeField":   `"type": "CompositeField", "fromFieldPath": "spec.labels"`,
		"ContextField":     `"type": "ContextField", "contextKey": "k", "fromFieldPath": "labels"`,
		"Labels":           `"type": "CompositeMetadata", "prefix": "l/"`,
		"Annotations":      `"type": "CompositeMetadata", "prefix": "a/"`,
		"ObjectsMap":       `"type": "RequiredResource", "fromFieldPath": "data", "resource": {"apiVersion": "v1", "kind": "O", "name": {"value": "o"}}`,
		"ObjectsLabels":    `"type": "RequiredResource", "prefix": "l/", "resource": {"apiVersion": "v1", "kind": "O", "matchLabels": {"value": {"o": "o"}}}`,
		"Expressions":      `"type": "Expression", "expressions": %s`,
		"OfEachResource":   `"type": "Expression", "expressions": %s`,
		"ClassAnnotations": `"type": "RequiredResource", "name": "class", "pick": "One", "prefix": "a/", "resource": {"apiVersion": "v1", "kind": "O", "defaultMatchLabels": {"o": "o"}}`,
	}

	mutations := []func(string) string{
		strings.Clone, strings.ToUpper, strings.ToLower,
		strings.NewReplacer("/", ".", ".", "/").Replace,
		strings.NewReplacer(":", "_", "/", "_").Replace,
		func(s string) string { return "plexsphere:" + s },
		func(s string) string { return "plexsphere_" + s },
		func(s string) string { return strings.TrimPrefix(s, "plexsphere:") },
	}

	formats := []string{
		``,
		`, "prefix": ""`,
		`, "lowercase": true`,
		`, "replace": {":": "_", "/": "_", ".": "_"}`,
		`, "prefix": "plexsphere_", "replace": {":": "", "/": "."}, "lowercase": true`,
		`, "prefix": "entigo:"`,
		`, "prefix": "crossplane-"`,
	}

	shapes := []string{`"shape": "Map"`, `"shape": "KeyValueList"`, `"shape": "StringList", "stringList": {"separator": ":"}`, `"shape": "StringList"`}

	rapid.Check(t, func(t *rapid.T) {
		typ := rapid.SampledFrom(slices.Sorted(maps.Keys(types))).Draw(t, "type")
		reserved := rapid.SampledFrom([]string{"workspace", "Workspace", "entigo:zone", "plexsphere:a/b", "name", "kind"}).Draw(t, "reserved")
		entry := rapid.SampledFrom([]string{reserved, reserved[:len(reserved)-1] + "*"}).Draw(t, "entry")
		provider := rapid.SampledFrom(profile.Names()).Draw(t, "provider")
		jsonEncoded := rapid.Bool().Draw(t, "JSON")
		keyForm := rapid.SampledFrom([]string{"Qualified", "Tag"}).Draw(t, "keyForm")
		onConflict := rapid.SampledFrom([]string{"Retain", "Replace"}).Draw(t, "onConflict")
		shape := rapid.SampledFrom(shapes).Draw(t, "shape")

		values, prefixed := map[string]string{}, map[string]string{}

		for range rapid.IntRange(1, 6).Draw(t, "claims") {
			key, value := reserved, "forged"
			for range rapid.IntRange(0, 3).Draw(t, "changes") {
				key = rapid.SampledFrom(mutations).Draw(t, "change")(key)
			}

			// Part of the key may be in the value, where the two are one string.
			if name, rest, ok := strings.Cut(key, ":"); ok && rapid.Bool().Draw(t, "split") {
				key, value = name, rest+":forged"
			}

			if jsonEncoded {
				value = fmt.Sprintf("%q", value)
			}

			values[key] = value
			prefixed["l/"+key], prefixed["a/"+key] = value, value
		}

		j, err := json.Marshal(values)
		if err != nil {
			t.Fatal(err)
		}

		pj, err := json.Marshal(prefixed)
		if err != nil {
			t.Fatal(err)
		}

		source := types[typ]

		switch typ {
		case "Value":
			source = fmt.Sprintf(source, j)
		case "Expressions", "OfEachResource":
			expressions := make(map[string]string, len(values))

			for key := range values {
				expressions[key] = fmt.Sprintf("xr.spec.labels[%q]", key)
				if typ == "OfEachResource" {
					expressions[key] += " + name.substring(0, 0)"
				}
			}

			e, err := json.Marshal(expressions)
			if err != nil {
				t.Fatal(err)
			}

			source = fmt.Sprintf(source, e)
		}

		format := ""
		if rapid.Bool().Draw(t, "format") {
			format = fmt.Sprintf(`"keyFormats": [{"provider": %q%s}], `, provider, rapid.SampledFrom(formats).Draw(t, "format of keys"))
		}

		// What a format makes of a value may look like a key's end, and more of it.
		if rapid.Bool().Draw(t, "value format") {
			format += fmt.Sprintf(`"valueFormats": [{"provider": %q, "replace": {"forged": %q, ":": "="}, "lowercase": %t}], `,
				provider, rapid.SampledFrom([]string{"", "=x", ":x"}).Draw(t, "replacement"), rapid.Bool().Draw(t, "lowercase values"))
		}

		// A format that can give no legal key is refused with the input.
		if _, err := v1beta1.Decode(resource.MustStructJSON(`{"apiVersion": "cloudtags.fn.plexsphere.com/v1beta1", "kind": "CloudTags", ` + format + `"removeTags": [{"key": "x"}]}`)); err != nil {
			format = ""
		}

		encoding := map[bool]string{true: "JSON", false: "Plain"}[jsonEncoded]
		platform := fmt.Sprintf(`{"type": "Value", "trusted": true, "values": {%q: "platform"}}`, reserved)
		user := fmt.Sprintf(`{%s, "encoding": %q, "keyForm": %q, "onConflict": %q}`, source, encoding, keyForm, onConflict)

		req := observe(fmt.Sprintf(`{"metadata": {"labels": %s, "annotations": %[1]s}, "spec": {"labels": %s}}`, pj, j))
		req.Context = resource.MustStructJSON(fmt.Sprintf(`{"k": {"labels": %s}}`, j))

		objects := cluster{resource.MustStructJSON(fmt.Sprintf(`{"apiVersion": "v1", "kind": "O", "metadata": {"name": "o", "labels": %s, "annotations": %[1]s}, "data": %s}`, strings.Replace(string(pj), "{", `{"o": "o", `, 1), j))}

		// entries of the resource's tag field after the supplied sources.
		entries := func(sources string) []string {
			in, err := v1beta1.Decode(resource.MustStructJSON(fmt.Sprintf(`{
				"apiVersion": "cloudtags.fn.plexsphere.com/v1beta1", "kind": "CloudTags", %s"provider": {"value": %q}, "reservedKeys": [%q], "sources": [%s],
				"tagFields": [{"apiVersion": "*", "kind": "*", "fieldPath": "spec.forProvider.tags", %s}]
			}`, format, provider, entry, sources, shape)))
			if err != nil {
				t.Fatalf("%s: %v", sources, err)
			}

			r := resource.MustStructJSON(`{"apiVersion": "s3.example.org/v1", "kind": "Bucket", "spec": {"forProvider": {}}}`)

			_, out, err := objects.tagsAfter(in, req, r)
			if err != nil {
				t.Fatal(err)
			}

			if s, ok := out.Changed["bucket"]; ok {
				r = s.Struct()
			}

			return entriesOf(forProvider(r)["tags"])
		}

		// What the platform's label comes to, which tells its key. That may be what is
		// reserved, so that nobody else's label claims it before it is formatted.
		want := entries(platform)
		if len(want) > 0 && rapid.Bool().Draw(t, "formatted entry") {
			entry = strings.TrimRight(strings.TrimSuffix(want[0], "platform"), "=:")
		}

		both := entries(platform + ", " + user)
		alone := entries(user)

		for _, w := range want {
			if !slices.Contains(both, w) {
				t.Errorf("\nThe trusted value should stand.\nStamp(...) of %s and %s: want entry %q, got %q", platform, user, w, both)
			}

			key := fold(provider, strings.TrimSuffix(w, "platform"))

			for _, e := range slices.Concat(both, alone) {
				if e != w && strings.HasPrefix(fold(provider, e), key) {
					t.Errorf("\nNo untrusted value should get the key of the trusted one.\nStamp(...) of %s and %s with %q reserved: got entry %q", platform, user, entry, e)
				}
			}
		}

		for _, e := range slices.Concat(both, alone) {
			for _, k := range tags.ProvidersKeys() {
				if strings.HasPrefix(fold(provider, e), k+":") || strings.HasPrefix(fold(provider, e), k+"=") {
					t.Errorf("\nNobody should get a key of the providers.\nStamp(...) of %s and %s: got entry %q", platform, user, e)
				}
			}
		}
	})
}

// entriesOf returns the entries of the supplied tag field as strings of key,
// separator and value.
func entriesOf(v *structpb.Value) []string {
	out := []string{}

	for k, v := range v.GetStructValue().GetFields() {
		out = append(out, k+"="+v.GetStringValue())
	}

	for _, item := range v.GetListValue().GetValues() {
		if o := item.GetStructValue(); o != nil {
			out = append(out, o.GetFields()["key"].GetStringValue()+"="+o.GetFields()["value"].GetStringValue())
		} else {
			out = append(out, item.GetStringValue())
		}
	}

	return out
}

// fold is what a provider takes for one key or entry.
func fold(provider, s string) string {
	if provider == "azure" || provider == "digitalocean" {
		return strings.ToLower(s)
	}

	return s
}

// TestSkippedOnce is about a label that is refused for two reasons, or from two
// sources.
func TestSkippedOnce(t *testing.T) {
	const input = `"sources": [
		{"type": "Value", "name": "platform", "trusted": true, "values": {"crossplane-kind": "a"}},
		{"type": "Value", "name": "user", "values": {"crossplane-kind": "b"}},
		{"type": "Value", "name": "other", "values": {"crossplane-kind": "c"}}
	]`

	// The kind has a narrow profile, so its resources are named.
	object := resource.MustStructJSON(`{"apiVersion": "s3.aws.upbound.io/v1beta1", "kind": "Object", "spec": {"forProvider": {}}}`)

	want := stamp.Skip{
		SkippedLabel: tags.SkippedLabel{QualifiedKey: "crossplane-kind", TagKey: "crossplane-kind", Provider: "aws", Reason: "reserved-key"},
		Limit:        profile.Of("aws").Limit("reserved-key"),
		Resources:    []string{"bucket"},
	}

	// Which sources claim the key, by the keys that are reserved.
	for reserved, sources := range map[string][]string{
		`[]`:               {`sources[0] "platform"`, `sources[2] "other"`},
		`["crossplane-*"]`: {`sources[0] "platform"`, `sources[1] "user"`},
	} {
		want.Sources = sources
		in := decode(t, `"profileRules": "Cloud", "keyPrefix": "", "reservedKeys": `+reserved+`, "tagFields": [{"apiVersion": "*", "kind": "*", "fieldPath": "spec.forProvider.tags", "shape": "Map"}], `+input)

		_, out, err := cluster{}.tagsAfter(in, observe(`{}`), object)
		if err != nil {
			t.Fatal(err)
		}

		if diff := cmp.Diff([]stamp.Skip{want}, out.Skips); diff != "" {
			t.Errorf("\nA label should be skipped once, and each resource be named once.\nStamp(...) with %s reserved: -want, +got:\n%s", reserved, diff)
		}
	}
}
