package stamp

import (
	"fmt"
	"testing"

	"google.golang.org/protobuf/types/known/structpb"
	"pgregory.net/rapid"

	fnv1 "github.com/crossplane/function-sdk-go/proto/v1"
	"github.com/crossplane/function-sdk-go/resource"

	"github.com/plexsphere/function-cloud-tags/input/v1beta1"
	"github.com/plexsphere/function-cloud-tags/tags"
	"github.com/plexsphere/function-cloud-tags/tags/field"
	"github.com/plexsphere/function-cloud-tags/tags/profile"
	"github.com/plexsphere/function-cloud-tags/tags/tagstest"
	"github.com/plexsphere/function-cloud-tags/tags/target"
)

// noFields locates no tag fields.
type noFields struct{}

func (noFields) Locate(field.Kind) (field.Field, bool) { return field.Field{}, false }

// TestAsIs is about what resources keep that are left alone: server-side apply takes away what
// Crossplane desires no longer.
func TestAsIs(t *testing.T) {
	const (
		ignored = `"annotations": {"` + target.IgnoreAnnotation + `": "true"}`
		adopted = `"managementPolicies": ["Observe"], `
	)

	atomic := shapes["KeyValueList"].field
	atomic.Atomic = true

	// owner returns the entry of a manager that owns the fields of the spec.
	owner := func(name, fields string) string {
		return fmt.Sprintf(`{"manager": %q, "operation": "Apply", "apiVersion": "example.org/v1", "fieldsV1": {"f:spec": {%s}}}`, name, fields)
	}
	below := func(name, fields string) string { return owner(name, `"f:forProvider": {`+fields+`}`) }

	tagMap := everywhere(shapes["Map"].field)
	unknown := fixed(noFields{})

	cases := map[string]struct {
		reason string
		fields func(field.Schemas) field.Locator

		metadata, managers, there, desired string

		prefix string
		labels []tags.Label
		// others are selected, not the resource.
		others bool
	}{
		// The annotation.
		"Ignored":           {reason: "Tags of labels, and with the prefix, should stay as they are, if Crossplane has applied them. What an earlier step desires no longer goes.", fields: tagMap, metadata: ignored, managers: owner(ours, `"f:tags": {"f:ours:a": {}, "f:ours:b": {}, "f:Name": {}}`) + "," + owner("provider", `"f:tags": {"f:ours:c": {}}`), there: `{"tags": {"ours:a": "0", "ours:b": "0", "ours:c": "0", "Name": "x"}}`, desired: `{}`, prefix: "ours:", labels: []tags.Label{label("a", "1")}},
		"IgnoredNoManagers": {reason: "If nobody says whose they are, they are Crossplane's.", fields: tagMap, metadata: ignored, there: `{"tags": {"ours:a": "0", "Name": "x"}}`, desired: `{}`, prefix: "ours:"},
		"IgnoredDesired":    {reason: "What an earlier step desires stands.", fields: tagMap, metadata: ignored, managers: owner(ours, `"f:tags": {"f:ours:a": {}, "f:ours:b": {}}`), there: `{"tags": {"ours:a": "0", "ours:b": "0"}}`, desired: `{"tags": {"ours:a": "2", "Name": "x"}}`, prefix: "ours:"},
		"IgnoredNoPrefix":   {reason: "Without a prefix only labels tell.", fields: tagMap, metadata: ignored, managers: owner(ours, `"f:tags": {"f:ours:a": {}, "f:b": {}}`), there: `{"tags": {"ours:a": "0", "b": "0"}}`, desired: `{}`, labels: []tags.Label{label("a", "1")}},
		"IgnoredNew":        {reason: "What isn't there yet gets nothing.", fields: tagMap, metadata: ignored, desired: `{}`, prefix: "ours:", labels: []tags.Label{label("a", "1")}},
		"IgnoredList":       {reason: "Objects stay as they are, with all that they have.", fields: everywhere(shapes["KeyValueList"].field), metadata: ignored, managers: owner(ours, `"f:tags": {"k:{\"k\":\"ours:a\"}": {".": {}}}`), there: `{"tags": [{"k": "ours:a", "v": "0", "x": true}, {"k": "y", "v": "0"}]}`, desired: `{"tags": [{"k": "Name", "v": "x"}]}`, prefix: "ours:"},
		"IgnoredStrings":    {reason: "Strings are told by the prefix, whatever their key is.", fields: everywhere(shapes["StringList"].field), metadata: ignored, managers: owner(ours, `"f:tags": {"v:\"ours:a=0\"": {}, "v:\"x\"": {}}`), there: `{"tags": ["ours:a=0", "x"]}`, desired: `{"tags": ["y"]}`, prefix: "ours:"},
		"IgnoredAtomic":     {reason: "A list with one owner keeps them, whoever has written it last, if an earlier step desires it.", fields: everywhere(atomic), metadata: ignored, managers: owner("provider", `"f:tags": {}`), there: `{"tags": [{"k": "ours:a", "v": "0"}, {"k": "y", "v": "0"}]}`, desired: `{"tags": [{"k": "Name", "v": "x"}]}`, prefix: "ours:"},
		"IgnoredAtomicOurs": {reason: "If Crossplane owns it, it would go.", fields: everywhere(atomic), metadata: ignored, managers: owner(ours, `"f:tags": {}`), there: `{"tags": [{"k": "ours:a", "v": "0"}]}`, desired: `{}`, prefix: "ours:"},
		"IgnoredAtomicStay": {reason: "If nobody desires it, and another owns it, it stays by itself.", fields: everywhere(atomic), metadata: ignored, managers: owner("provider", `"f:tags": {}`), there: `{"tags": [{"k": "ours:a", "v": "0"}]}`, desired: `{}`, prefix: "ours:"},

		// Others that are left alone.
		"Adopted":     {reason: "Adopted resources never carry labels.", fields: tagMap, managers: owner(ours, `"f:tags": {"f:ours:a": {}}`), there: `{` + adopted + `"tags": {"ours:a": "0"}}`, desired: `{"managementPolicies": ["Observe"]}`, prefix: "ours:"},
		"NotSelected": {reason: "They go from a resource that is no longer selected, which the log says.", fields: tagMap, managers: owner(ours, `"f:tags": {"f:ours:a": {}, "f:ours:b": {}, "f:Name": {}}`) + "," + owner("provider", `"f:tags": {"f:ours:b": {}}`), there: `{"tags": {"ours:a": "0", "ours:b": "0", "Name": "x"}}`, desired: `{}`, prefix: "ours:", others: true},
		"NeverWas":    {reason: "Of a resource that was never selected there is nothing to say.", fields: tagMap, managers: owner(ours, `"f:tags": {"f:Name": {}}`), there: `{"tags": {"Name": "y"}}`, desired: `{"tags": {"Name": "x"}}`, prefix: "ours:", others: true},

		// Kinds of which nobody knows a field.
		"Unknown":           {reason: "Managers say where Crossplane's tags are, in maps, lists and sets.", fields: unknown, managers: below(ours, `"f:a": {"f:tags": {"f:ours:a": {}, "f:x": {}}}, "f:list": {"k:{\"key\":\"ours:a\"}": {".": {}, "f:key": {}, "f:value": {}}}, "f:set": {"v:\"ours:a=1\"": {}, "v:\"x\"": {}}, "f:region": {}`) + "," + below("provider", `"f:a": {"f:tags": {"f:ours:b": {}}}`), there: `{"forProvider": {"region": "x", "a": {"tags": {"ours:a": "0", "ours:b": "0", "x": "0"}}, "list": [{"key": "ours:a", "value": "1"}], "set": ["ours:a=1", "x"]}}`, desired: `{"forProvider": {"a": {}}}`, prefix: "ours:"},
		"UnknownAtomic":     {reason: "So they do of a list that Crossplane owns as a whole.", fields: unknown, managers: below(ours, `"f:tag": {}`), there: `{"forProvider": {"tag": [{"tagKey": "ours:a", "value": "1"}, {"tagKey": "x", "value": "1"}]}}`, desired: `{"forProvider": {"tag": [{"tagKey": "y", "value": "1"}]}}`, prefix: "ours:"},
		"UnknownNowhere":    {reason: "An object that an earlier step desires no longer is not made for them.", fields: unknown, managers: below(ours, `"f:a": {"f:tags": {"f:ours:a": {}}}`), there: `{"forProvider": {"a": {"tags": {"ours:a": "0"}}}}`, desired: `{"forProvider": {}}`, prefix: "ours:"},
		"UnknownNoManagers": {reason: "Without managers nobody says where.", fields: unknown, there: `{"forProvider": {"tags": {"ours:a": "0"}}}`, desired: `{"forProvider": {}}`, prefix: "ours:"},
		"UnknownOthers":     {reason: "What others own stays by itself.", fields: unknown, managers: below("provider", `"f:tags": {"f:ours:a": {}}`), there: `{"forProvider": {"tags": {"ours:a": "0"}}}`, desired: `{"forProvider": {}}`, prefix: "ours:"},
		"UnknownNew":        {reason: "What isn't there yet gets nothing.", fields: unknown, desired: `{"forProvider": {}}`, prefix: "ours:", labels: []tags.Label{label("a", "1")}},
	}

	g := tagstest.NewGolden(t)

	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			tr := transformer(tc.labels...)
			tr.Reserve(nil, tc.prefix, nil)

			s := &Stamper{
				Finder: target.Finder{
					Input:    &v1beta1.CloudTags{Sources: []v1beta1.Source{{OnConflict: tags.Retain}}},
					Provider: "aws",
					Fields:   tc.fields,
					Owner:    ours,
				},
				Transformer: tr,
				Audits:      true,
			}

			if tc.others {
				s.Input.Resources = []v1beta1.ResourceSelector{{Name: profile.NewPattern("other")}}
			}

			of := func(metadata, spec string) *structpb.Struct {
				return resource.MustStructJSON(fmt.Sprintf(`{"apiVersion": "things.example.org/v1", "kind": "Thing", "metadata": {%s}, "spec": %s}`, metadata, spec))
			}

			if tc.there != "" {
				managers := ""
				if tc.managers != "" {
					managers = `"managedFields": [` + tc.managers + `]`
				}

				s.Observed = map[string]*fnv1.Resource{"r": {Resource: of(managers, tc.there)}}
			}

			check(t, g, tc.reason, s, map[string]*fnv1.Resource{"r": {Resource: of(tc.metadata, tc.desired)}})
		})
	}
}

// TestIgnoredIsAsItIs proves that whoever annotates a resource changes no tag of this function,
// whoever has written to it before.
func TestIgnoredIsAsItIs(t *testing.T) {
	for kind := range applySchemas {
		t.Run(kind, func(t *testing.T) {
			rapid.Check(t, func(t *rapid.T) {
				a := drawApplied(t, kind)
				before := a.tags(t)

				s := &Stamper{
					Finder: target.Finder{
						Input:    &v1beta1.CloudTags{},
						Provider: "aws",
						Fields:   everywhere(a.shape.field),
						Owner:    ours,
						Observed: map[string]*fnv1.Resource{"r": {Resource: a.object(t)}},
					},
					Transformer: reserving(nil, label("a", "1")),
				}

				// What an earlier step desires is not this function's.
				desired := rapid.MapOfN(rapid.SampledFrom([]string{"a", "b", "c"}), rapid.SampledFrom([]string{"1", "2"}), 0, 3).Draw(t, "desired")
				_, stamped, err := stampOnce(t, s, annotated("true", a.spec(desired)))
				if err != nil {
					t.Fatal(err)
				}

				after := make(map[string]string)
				for kv := tagsOf(stamped, a.shape); len(kv) > 0; kv = kv[2:] {
					after[kv[0]] = kv[1]
				}

				a.apply(t, ours, after)

				if want, got := onlyOurs(before), onlyOurs(a.tags(t)); fmt.Sprint(want) != fmt.Sprint(got) {
					t.Fatalf("a resource with the tags %q of this function has %q once it is ignored, and %v is desired", want, got, after)
				}
			})
		})
	}
}

// onlyOurs are the tags with the prefix of labels' keys.
func onlyOurs(of []string) []string {
	var out []string

	for _, tag := range of {
		if len(tag) > 5 && tag[:5] == "ours:" {
			out = append(out, tag)
		}
	}

	return out
}
