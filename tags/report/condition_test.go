package report

import (
	"context"
	"maps"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/crossplane/function-sdk-go/errors"
	fnv1 "github.com/crossplane/function-sdk-go/proto/v1"

	"github.com/plexsphere/function-cloud-tags/input/v1beta1"
	"github.com/plexsphere/function-cloud-tags/tags"
	"github.com/plexsphere/function-cloud-tags/tags/field"
	"github.com/plexsphere/function-cloud-tags/tags/locate"
	"github.com/plexsphere/function-cloud-tags/tags/profile"
	"github.com/plexsphere/function-cloud-tags/tags/stamp"
	"github.com/plexsphere/function-cloud-tags/tags/words"
)

func TestFatal(t *testing.T) {
	// stamping two labels on two resources, one of which has a tag of the key of one.
	stamping := func(onConflict tags.Conflict, reserved v1beta1.TagCount) error {
		source := &tags.Source{Name: "sources[0]", OnConflict: onConflict}
		_, err := stampAll(t.Context(), &stamp.Stamper{
			Finder: locate.Finder{
				Input:      &v1beta1.CloudTags{Sources: []v1beta1.Source{{}}, Provider: &v1beta1.StringSource{Value: "aws"}, LimitPolicy: v1beta1.LimitPolicyApplyStrict, ReservedTags: map[string]v1beta1.TagCount{"aws": reserved}},
				NewLocator: fixed(field.Chain{field.ByProfile{}}),
			},
			Transformer: tags.NewTransformer([]tags.Label{{QualifiedKey: "a", TagKey: "a", Value: "9", Source: source}, {QualifiedKey: "b", TagKey: "b", Value: "9", Source: source}}, nil),
		}, request("").GetDesired().GetResources())

		return Fail(ReasonTagConflict, errors.Wrap(err, "stamping"))
	}

	scenes := map[string]scene{}

	for name, tc := range map[string]struct {
		reason string
		err    error
	}{
		"Failure":          {"A failure fails for its reason, and must not be reused.", Fail(ReasonInvalidInput, errors.New("sources: required"))},
		"Wrapped":          {"A failure within another error is found, and the whole error is told.", errors.Wrap(Fail(ReasonResolveFailed, errors.New("spec.labels is a string")), "cannot run")},
		"InternalError":    {"An error that is no failure is an internal one.", errors.New("internal error: index out of range")},
		"Limit":            {"A policy that doesn't accept skipped labels names how many there are, and on which resources.", stamping(tags.Retain, 49)},
		"Conflict":         {"A conflict names the resource, the key and both values.", stamping(tags.Fail, 0)},
		"ConflictAndLimit": {"A conflict comes before a limit, since that is a matter of all resources.", stamping(tags.Fail, 49)},
		"Long":             {"Nobody makes a condition, or a line, as long as they like.", errors.New(strings.Repeat("ü", 1_000_000))},
		"JustLong":         {"What is as long as it may be is told whole.", errors.New(strings.Repeat("x", 8192))},
		"TooLong":          {"What is a byte longer isn't.", errors.New(strings.Repeat("x", 8193))},
	} {
		scenes[name] = scene{reason: tc.reason, respond: failing(tc.err)}
	}

	scenes["EmptyRequest"] = scene{
		reason: "A request that has nothing can fail, too.", respond: failing(errors.New("a")),
		edit: func(req *fnv1.RunFunctionRequest) { req.Reset() },
	}

	play(t, scenes)
}

// failing responds with the error err.
func failing(err error) func(*Run) *fnv1.RunFunctionResponse {
	return func(r *Run) *fnv1.RunFunctionResponse { return r.fatal(context.Background(), err) }
}

func TestFail(t *testing.T) {
	for _, err := range []error{context.Canceled, errors.Wrap(&stamp.LimitError{}, "cannot tag")} {
		if f := Fail(ReasonTagConflict, err); !errors.Is(f, err) || f.Error() != err.Error() {
			t.Errorf("want a failure that is its cause %q, got %q", err, f)
		}
	}
}

// stampAll stamps the desired resources, which it changes.
func stampAll(ctx context.Context, s *stamp.Stamper, desired map[string]*fnv1.Resource) (*Facts, error) {
	targets, err := s.Targets(ctx, desired)
	if err != nil {
		return nil, err
	}

	o, err := s.Stamp(ctx, targets)
	if err != nil {
		return nil, err
	}

	maps.Copy(desired, stamp.Apply(&fnv1.State{Resources: desired}, o.Changed).GetResources())

	return &Facts{Outcome: stamp.Outcome{Results: o.Results, Skips: o.Skips}}, nil
}

// fixed is the locator l, which needs no schemas.
func fixed(l field.Locator) func(field.Schemas) field.Locator {
	return func(field.Schemas) field.Locator { return l }
}

func TestResultReasons(t *testing.T) {
	want := []string{"ReservedKey", "ReservedPrefix", "KeyTooLong", "ValueTooLong", "KeyCharacterClass", "ValueCharacterClass", "KeyCollision", "CountCap"}

	if diff := cmp.Diff(want, words.Map(profile.SkipReasons(), pascalCase)); diff != "" {
		t.Errorf("\nThe reason of a result is that of the skip, as reasons of events are written.\npascalCase(...): -want, +got:\n%s", diff)
	}
}
