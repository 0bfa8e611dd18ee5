package explain

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"

	"google.golang.org/protobuf/types/known/structpb"

	fnv1 "github.com/crossplane/function-sdk-go/proto/v1"

	"github.com/plexsphere/function-cloud-tags/input/v1beta1"
	"github.com/plexsphere/function-cloud-tags/tags"
	"github.com/plexsphere/function-cloud-tags/tags/command/terminal"
	"github.com/plexsphere/function-cloud-tags/tags/field"
	"github.com/plexsphere/function-cloud-tags/tags/object"
	"github.com/plexsphere/function-cloud-tags/tags/profile"
	"github.com/plexsphere/function-cloud-tags/tags/resolve"
	"github.com/plexsphere/function-cloud-tags/tags/stamp"
)

// whyMissing is said of required tags that no label explains the lack of.
const whyMissing = "no label gives it"

// A Ruled label is one whose tag a rule of removeTags or ignoreTags is for.
type Ruled struct {
	QualifiedKey string `json:"qualifiedKey"`
	TagKey       string `json:"tagKey"`

	// Rule in a few words, e.g. removeTags: team/*.
	Rule string `json:"rule"`
}

// A Broken rule is one of tagPolicy that tags break.
type Broken struct {
	// Rule is the position of the rule, and Key its key.
	Rule int    `json:"rule"`
	Key  string `json:"key"`

	// What is wrong, e.g. missing, and Why, if that can be told.
	What string `json:"what"`
	Why  string `json:"why,omitempty"`
}

func newBroken(v *stamp.Violation, in *v1beta1.CloudTags) Broken {
	rule := &in.TagPolicy.Rules[v.Rule]
	b := Broken{Rule: v.Rule, Key: rule.Key, What: v.What}

	if v.HasValue() {
		b.Why = "allowed: " + list(rule.Values, profile.Pattern.String)
	}

	return b
}

// String puts the rule in one line.
func (b *Broken) String() string {
	out := fmt.Sprintf("tagPolicy.rules[%d]: %s %s", b.Rule, terminal.Visible(b.Key), b.What)
	if b.Why != "" {
		out += ": " + b.Why
	}

	return out
}

// keyRules are the keys of removeTags or ignoreTags, as tags of one profile see them.
type keyRules struct {
	*stamp.KeyRules

	of string
}

func newKeyRules(of string, keys []resolve.TagKey, d *tags.Transformed, p *profile.Profile) *keyRules {
	return &keyRules{stamp.NewKeyRules(keys, d, p), of}
}

// rule says what the supplied key is of.
func (r *keyRules) rule(k *resolve.TagKey) string {
	rule := r.of + ": " + k.Pattern
	if k.Value != nil {
		rule += " = " + terminal.Visible(*k.Value)
	}

	if k.Untrusted {
		rule += " of a field"
	}

	return rule
}

// ruled is the supplied tag under the supplied rule.
func (r *keyRules) ruled(t *tags.Tag, k *resolve.TagKey) Ruled {
	return Ruled{QualifiedKey: t.QualifiedKey, TagKey: t.Key, Rule: r.rule(k)}
}

// removed returns what removeTags leaves of the supplied tags, and what it takes away.
func removed(set *resolve.Set, d *tags.Transformed, p *profile.Profile) (left *tags.Transformed, gone []Ruled, labels []tags.Label) {
	rules := newKeyRules("removeTags", set.Remove, d, p)
	left = &tags.Transformed{Refused: d.Refused}

	for i := range d.Tags {
		t := &d.Tags[i]

		if k := rules.First(t); k != nil {
			gone, labels = append(gone, rules.ruled(t, k)), append(labels, t.Label)
		} else {
			left.Tags = append(left.Tags, *t)
		}
	}

	return left, gone, labels
}

// ignored returns those of the supplied tags that get the value that the cloud has for another
// system, if it has one. Reserved keys are nobody else's.
func ignored(set *resolve.Set, d *tags.Transformed, p *profile.Profile, kept []tags.Tag) (of []Ruled) {
	rules := newKeyRules("ignoreTags", set.Ignore, d, p)

	for i := range kept {
		t := &kept[i]

		if k := rules.First(t); k != nil && !k.Retain && !t.Reserved && !d.Reserved().Has(t.Key) {
			of = append(of, rules.ruled(t, k))
		}
	}

	return of
}

// always locates the same field.
type always field.Field

func (a always) Locate(field.Kind) (field.Field, bool) { return field.Field(a), true }

// addPolicy says which rules of the tag policy a resource breaks that has the tags of the labels
// alone, whatever resources the rules select.
func (x *Explanation) addPolicy(ctx context.Context, set *resolve.Set, t *tags.Transformer, in *v1beta1.CloudTags) error {
	if in.TagPolicy == nil {
		return nil
	}

	policy := in.TagPolicy.DeepCopy()
	for i := range policy.Rules {
		policy.Rules[i].Resources = nil
	}

	of := make(map[string]*structpb.Value, len(x.Tags))
	for key, value := range x.Tags {
		of[key] = structpb.NewStringValue(value)
	}

	r := &structpb.Struct{Fields: map[string]*structpb.Value{
		"apiVersion": structpb.NewStringValue("example.org/v1"), "kind": structpb.NewStringValue("Resource"),
		"tags": structpb.NewStructValue(&structpb.Struct{Fields: of}),
	}}

	s := &stamp.Stamper{
		Input:       &v1beta1.CloudTags{TagPolicy: policy, ProfileRules: in.ProfileRules},
		Transformer: t,
		Fields: func(field.Schemas) field.Locator {
			return always{Path: object.MustParsePath("tags"), Shape: field.Map, Profile: x.Provider}
		},
	}

	targets, err := s.Targets(ctx, map[string]*fnv1.Resource{"resource": {Resource: r}})
	if err != nil {
		return err
	}

	for _, v := range s.Violations(targets, nil) {
		b, rule := newBroken(&v, in), &in.TagPolicy.Rules[v.Rule]
		d := t.Transform(x.profile)
		keys := x.profile.KeySet(d.TagKeys(rule.Key)...)

		if set.PerResource.Differs(d, rule.Key, keys) {
			x.notef("tagPolicy.rules[%d]: %s may differ per composed resource: --rendered shows it", b.Rule, b.Key)
			continue
		}

		if v.What == stamp.Missing {
			b.Why = x.why(keys)
		}

		if len(rule.Resources) > 0 {
			b.What += " (on the resources that it selects)"
		}

		x.Broken = append(x.Broken, b)
	}

	return nil
}

// why no tag has one of the supplied keys.
func (x *Explanation) why(keys profile.KeySet) string {
	var out []string

	for _, s := range x.Skipped {
		if keys.Has(s.TagKey) {
			out = append(out, fmt.Sprintf("label %s is skipped for %s", terminal.Visible(s.QualifiedKey), s.Reason))
		}
	}

	for _, r := range x.Removed {
		if keys.Has(r.TagKey) {
			out = append(out, fmt.Sprintf("label %s is removed by %s", terminal.Visible(r.QualifiedKey), r.Rule))
		}
	}

	if len(out) == 0 {
		return whyMissing
	}

	return strings.Join(out, ", ")
}

// ruledLines say what rules do to tags of the supplied profile, by the rule.
func ruledLines(profile, what string, of []Ruled) (lines []string) {
	keys := make(map[string][]string)
	for _, r := range of {
		keys[r.Rule] = append(keys[r.Rule], terminal.Visible(r.TagKey))
	}

	for _, rule := range slices.Sorted(maps.Keys(keys)) {
		lines = append(lines, fmt.Sprintf("%s %s (%s): %s\n", profile, what, rule, strings.Join(keys[rule], ", ")))
	}

	return lines
}
