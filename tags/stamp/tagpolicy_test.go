package stamp

import (
	"fmt"
	"testing"

	fnv1 "github.com/crossplane/function-sdk-go/proto/v1"
	"github.com/crossplane/function-sdk-go/resource"

	"github.com/plexsphere/function-cloud-tags/input/v1beta1"
	"github.com/plexsphere/function-cloud-tags/tags"
	"github.com/plexsphere/function-cloud-tags/tags/field"
	"github.com/plexsphere/function-cloud-tags/tags/profile"
	"github.com/plexsphere/function-cloud-tags/tags/tagpolicy"
	"github.com/plexsphere/function-cloud-tags/tags/tagstest"
	"github.com/plexsphere/function-cloud-tags/tags/target"
)

// TestViolations tests what resources break of a tag policy.
func TestViolations(t *testing.T) {
	allowed := func(values ...string) []profile.Pattern {
		var out []profile.Pattern
		for _, v := range values {
			out = append(out, profile.NewPattern(v))
		}

		return out
	}

	text := shapes["StringList"].field

	cases := map[string]struct {
		reason   string
		provider string
		field    *field.Field
		policy   []v1beta1.TagRule
		labels   []tags.Label
		desired  map[string]string
	}{
		"Missing":         {reason: "A required tag that isn't there should be told, on each resource.", policy: []v1beta1.TagRule{{Key: "owner"}}, desired: map[string]string{"a": `{}`, "b": `{"tags": {"x": "y"}}`, "c": `{"tags": {"owner": ""}}`}},
		"Optional":        {reason: "A tag that isn't required may be missing.", policy: []v1beta1.TagRule{{Key: "owner", Required: new(false), Values: allowed("team-*")}}, desired: map[string]string{"a": `{}`, "b": `{"tags": {"owner": "me"}}`}},
		"OfLabel":         {reason: "What a label becomes should count, by the label's key and by the tag's.", policy: []v1beta1.TagRule{{Key: "a"}, {Key: "ours:a"}}, labels: []tags.Label{label("a", "1")}, desired: map[string]string{"a": `{}`}},
		"OfFormattedKey":  {reason: "So it is where a cloud has a format for keys.", provider: "gcp", policy: []v1beta1.TagRule{{Key: "a/b"}, {Key: "ours:a/b"}, {Key: "ours_a_b"}, {Key: "c"}}, labels: []tags.Label{label("a/b", "1")}, desired: map[string]string{"a": `{}`}},
		"Values":          {reason: "Values should be compared with case, and a * match any run of characters.", policy: []v1beta1.TagRule{{Key: "c", Values: allowed("100", "3*", "a*z")}}, desired: map[string]string{"a": `{"tags": {"c": "100"}}`, "b": `{"tags": {"c": "1000"}}`, "c": `{"tags": {"c": "3"}}`, "d": `{"tags": {"c": "abz"}}`, "e": `{"tags": {"c": "ABZ"}}`, "f": `{"tags": {"c": 100}}`, "g": `{"tags": {"c": true}}`}},
		"Spelling":        {reason: "A key in another case should be told as such, required or not.", policy: []v1beta1.TagRule{{Key: "CostCenter"}, {Key: "owner", Required: new(false)}}, desired: map[string]string{"a": `{"tags": {"costcenter": "1", "COSTCENTER": "2"}}`, "b": `{"tags": {"CostCenter": "1", "costcenter": "2", "Owner": "x"}}`}},
		"SpellingIgnored": {reason: "On a cloud that ignores case there is one spelling.", provider: "azure", policy: []v1beta1.TagRule{{Key: "CostCenter"}}, desired: map[string]string{"a": `{"tags": {"costcenter": "1"}}`}},
		"Skipped":         {reason: "A label that a cloud refuses is missing.", policy: []v1beta1.TagRule{{Key: "a#"}}, labels: []tags.Label{label("a#", "1")}, desired: map[string]string{"a": `{}`}},
		"Strings":         {reason: "Keys may have the separator in them.", field: &text, policy: []v1beta1.TagRule{{Key: "a=b"}, {Key: "c"}, {Key: "d"}}, desired: map[string]string{"a": `{"tags": ["a=b=1", "c=", "d"]}`}},
		"Resources":       {reason: "A rule should hold for what it selects alone.", policy: []v1beta1.TagRule{{Key: "a", Resources: []v1beta1.ResourceSelector{{Name: profile.NewPattern("b*")}, {MatchTags: map[string]string{"x": "y"}}}}}, desired: map[string]string{"a": `{}`, "b1": `{}`, "c": `{"tags": {"x": "y"}}`}},
		"NotTaggable":     {reason: "What can't be tagged can't break a rule.", policy: []v1beta1.TagRule{{Key: "a"}}, desired: map[string]string{"a": `{"managementPolicies": ["Observe"]}`, "b": `{"tags": "text"}`}},
	}

	g := tagstest.NewGolden(t)

	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			f := shapes["Map"].field
			if tc.field != nil {
				f = *tc.field
			}

			s := &Stamper{
				Finder: target.Finder{
					Input:  &v1beta1.CloudTags{TagPolicy: &v1beta1.TagPolicy{Rules: tc.policy}, Provider: &v1beta1.StringSource{Value: "aws"}, Sources: []v1beta1.Source{{}}},
					Fields: fixed(somewhere(f)),
				},
				Transformer: transformer(under(tags.Retain, tc.labels...)...),
			}
			s.Transformer.Reserve(nil, "ours:", nil)

			if tc.provider != "" {
				s.Input.Provider.Value = tc.provider
			}

			desired := make(map[string]*fnv1.Resource)
			for name, spec := range tc.desired {
				desired[name] = &fnv1.Resource{Resource: resource.MustStructJSON(`{"apiVersion": "example.org/v1", "kind": "Thing", "spec": ` + spec + `}`)}
			}

			targets := targetsOf(s, desired)

			out, err := s.Stamp(t.Context(), targets)
			if err != nil {
				t.Fatal(err)
			}

			got := []string{}
			for _, v := range tagpolicy.Check(s.Input, s.Transformer, targets, out.Changed) {
				got = append(got, fmt.Sprintf("rule %d: %s on %s of %s", v.Rule, v.Breach, v.Resource, v.Provider))
			}

			g.Check(t, tc.reason, got)
		})
	}
}
