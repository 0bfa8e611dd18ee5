package stamp

import (
	"cmp"
	"slices"
	"testing"

	fnv1 "github.com/crossplane/function-sdk-go/proto/v1"

	"github.com/plexsphere/function-cloud-tags/input/v1beta1"
	"github.com/plexsphere/function-cloud-tags/tags"
	"github.com/plexsphere/function-cloud-tags/tags/field"
	"github.com/plexsphere/function-cloud-tags/tags/profile"
	"github.com/plexsphere/function-cloud-tags/tags/resolve"
	"github.com/plexsphere/function-cloud-tags/tags/tagstest"
	"github.com/plexsphere/function-cloud-tags/tags/target"
)

// A situation is one resource, what is there, and what is asked of its tags. Tags are keys
// and values by turns.
type situation struct {
	reason string

	// provider is aws if it's empty, and policy Retain.
	provider string
	policy   tags.Conflict

	// in is the input, if there is more in it than the policy and the tag slots that are
	// reserved.
	in    v1beta1.CloudTags
	slots v1beta1.TagCount

	formats        map[string]profile.Format
	reserved       []string
	labels, claims []tags.Label
	remove, ignore []resolve.TagKey

	// earlier are the tags with reserved keys that earlier steps have of trusted sources.
	earlier map[string]string

	// before are the tags that earlier steps set, and cloud those that the provider
	// reports, in any shape. Nil is a field that isn't there.
	before, cloud []string

	// Or field is one, spec what earlier steps set, and the observed spec and status what
	// is there, as JSON. What is empty is not there.
	field                      field.Field
	spec, observedSpec, status string
}

// stamper of the situation, for the supplied field.
func (tc situation) stamper(f field.Field) *Stamper {
	in, provider := tc.in, cmp.Or(tc.provider, "aws")

	if in.Sources == nil {
		in.Sources = []v1beta1.Source{{OnConflict: cmp.Or(tc.policy, tags.Retain)}}
	}

	if in.ReservedTags == nil {
		in.ReservedTags = map[string]v1beta1.TagCount{provider: tc.slots}
	}

	labels := from(in.Sources, tc.labels...)
	slices.SortFunc(labels, tags.Label.Compare)

	tr := tags.NewTransformer(labels, tc.formats)
	tr.Reserve(tc.reserved, "ours:", tc.claims)

	s := &Stamper{Finder: target.Finder{Input: &in, Provider: provider, Fields: everywhere(f)}, Transformer: tr, Remove: tc.remove, Ignore: tc.ignore, Earlier: map[string]map[string]string{"r": tc.earlier}}

	if tc.observedSpec+tc.status != "" {
		s.Observed = map[string]*fnv1.Resource{"r": {Resource: observed(cmp.Or(tc.observedSpec, `{}`), cmp.Or(tc.status, `{}`))}}
	}

	return s
}

// run the situation.
func (tc situation) run(t *testing.T, g *tagstest.Golden) {
	t.Helper()
	check(t, g, tc.reason, tc.stamper(tc.field), desiring(cmp.Or(tc.spec, `{}`)))
}

// runIn runs the situation in the supplied shapes.
func (tc situation) runIn(t *testing.T, g *tagstest.Golden, in map[string]shape) {
	t.Helper()

	for kind, s := range in {
		t.Run(kind, func(t *testing.T) {
			t.Helper()

			tc.field = reporting(s.field)

			if tc.before != nil {
				tc.spec = s.spec(tc.before...)
			}

			if tc.cloud != nil {
				tc.status = s.spec(tc.cloud...)
			}

			tc.run(t, g)
		})
	}
}

// runPlain runs the supplied situations as they are.
func runPlain(t *testing.T, cases map[string]situation) {
	t.Helper()
	runAll(t, cases, func(t *testing.T, g *tagstest.Golden, tc situation) {
		t.Helper()
		tc.run(t, g)
	})
}

// runAll runs the supplied situations by the supplied function.
func runAll(t *testing.T, cases map[string]situation, run func(t *testing.T, g *tagstest.Golden, tc situation)) {
	t.Helper()

	g := tagstest.NewGolden(t)

	for name, tc := range cases {
		t.Run(name, func(t *testing.T) { run(t, g, tc) })
	}
}
