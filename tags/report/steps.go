package report

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"

	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/types/known/structpb"

	fnv1 "github.com/crossplane/function-sdk-go/proto/v1"

	"github.com/plexsphere/function-cloud-tags/input/v1beta1"
	"github.com/plexsphere/function-cloud-tags/tags/object"
	"github.com/plexsphere/function-cloud-tags/tags/words"
)

// The condition's message ends with a short digest for each step of this function, made of the step's input and of all its
// results: "tags on 1 composed resource [4f1a2b]". If the observed condition has the digest, the step has returned these
// results before, and returns none: the specification of functions wants results on transitions, not on every call.

// digestSize is how many bytes of a hash a digest has.
const digestSize = 3

// told matches the digests at the end of the condition's message.
var told = regexp.MustCompile(` \[([0-9a-f]{6}(?: [0-9a-f]{6})*)\]$`)

// A step of this function that ran earlier in the pipeline. It has an object in the pipeline's context, below
// v1beta1.StepsContextKey and a hash of its input.
type step struct {
	// verdict of the step: the fields reason, message and also.
	verdict verdict

	// digests of the step's results: one, or several if steps have the same input.
	digests []string

	// trusted are the tags that the step had from trusted sources: by resource, an object of key to value. A later step may reserve their
	// keys.
	trusted *structpb.Struct
}

// steps of this function that ran before a call.
type steps struct {
	// id of the step that runs now.
	id string

	// earlier steps, in their order.
	earlier []step

	// ofSameInput are digests that the context has for this step's input: from an earlier call of this step, or from an
	// earlier step with the same input.
	ofSameInput []string

	// said are the digests in the observed condition: these steps have returned their results before.
	said []string

	// entries is the object that the context has of the steps, by their ids.
	entries *structpb.Struct
}

// stepsOf returns the steps of the request, whose input has this hash, and whose composite resource is xr. It ignores
// objects that no step can have written.
func stepsOf(req *fnv1.RunFunctionRequest, input v1beta1.Hash, xr object.Object) steps {
	all := object.NodeOf(req.GetContext().GetFields()[v1beta1.StepsContextKey]).Value().GetStructValue()
	entries := all.GetFields()
	out := steps{id: hex.EncodeToString(input[:8]), said: Digests(xr), entries: all}

	// order is the position of a step among the steps with an object, from 1.
	order := func(id string) float64 { return entries[id].GetStructValue().GetFields()["order"].GetNumberValue() }
	byOrder := func(a, b string) int { return cmp.Or(cmp.Compare(order(a), order(b)), cmp.Compare(a, b)) }

	for _, id := range slices.SortedFunc(maps.Keys(entries), byOrder) {
		e := entries[id].GetStructValue().GetFields()
		message := e["message"].GetStringValue()
		s := step{
			verdict: verdict{reason: e["reason"].GetStringValue(), message: words.Shorten(message, words.MaxFatal), also: make(map[string]int)},
			digests: digestsIn(" [" + e["digest"].GetStringValue() + "]"),
			trusted: e["trusted"].GetStructValue(),
		}

		for reason, n := range e["also"].GetStructValue().GetFields() {
			s.verdict.also[reason] = int(n.GetNumberValue())
		}

		switch {
		case id == out.id:
			out.ofSameInput = s.digests
		case s.verdict.rank() >= 0:
			out.earlier = append(out.earlier, s)
		}
	}

	return out
}

// Digests returns the digests of results in the condition of xr, the observed composite resource. A step whose results have one of these
// digests has returned them before.
func Digests(xr object.Object) []string {
	return digestsIn(object.Condition(xr, ConditionType).Field("message").Text())
}

// WithoutDigests returns the condition's message without the digests at its end.
func WithoutDigests(message string) string { return told.ReplaceAllString(message, "") }

// Untold returns the request without the condition of this function on the observed composite resource. So a run returns all results, even
// if an earlier run has returned the same.
func Untold(req *fnv1.RunFunctionRequest) *fnv1.RunFunctionRequest {
	xr := object.Of(req.GetObserved().GetComposite())

	conditions, _ := xr.At(conditionsPath) // An error means that there are none.
	if !conditions.IsList() {
		return req
	}

	others := slices.DeleteFunc(slices.Collect(conditions.Items()), func(c object.Node) bool { return c.Field("type").IsText(ConditionType) })
	xr, _ = object.Set(xr, conditionsPath, object.ListNode(others)) // A field that is there can be written.

	req = proto.CloneOf(req)
	req.Observed.Composite = xr.PutInto(req.GetObserved().GetComposite())

	return req
}

var conditionsPath = object.MustParsePath("status.conditions")

// digestsIn returns the digests at the end of a condition's message.
func digestsIn(message string) []string {
	found := told.FindStringSubmatch(message)
	if found == nil {
		return nil
	}

	return strings.Fields(found[1])
}

// with returns the steps with the digest of the step that runs now.
func (s *steps) with(digest string) steps {
	out := *s
	if !slices.Contains(s.ofSameInput, digest) {
		out.ofSameInput = append(slices.Clip(s.ofSameInput), digest)
	}

	return out
}

// worst returns the worst of the verdict v and the verdicts of the earlier steps, which share the condition. Among equally
// bad verdicts, v comes first, and then the latest. Its message ends with counts of everything else, such as
// "; also LastTagStays (1), TagsKept (2)": people who missed the events still see these in the condition.
func (s *steps) worst(v verdict) verdict {
	also := maps.Clone(v.also)

	for _, e := range slices.Backward(s.earlier) {
		for reason, n := range e.verdict.also {
			also[reason] += n
		}

		if e.verdict.rank() > v.rank() {
			v = e.verdict
		}
	}

	if len(also) > 0 {
		all := words.Map(slices.Sorted(maps.Keys(also)), func(reason string) string { return fmt.Sprintf("%s (%d)", reason, also[reason]) })
		v.message += "; also " + words.Shorten(strings.Join(all, ", "), words.MaxMessage) // The context may have any reasons.
	}

	return v
}

// digests returns the digests of all steps, in their order.
func (s *steps) digests() string {
	all := append(words.Map(s.earlier, func(e step) []string { return e.digests }), s.ofSameInput)

	return strings.Join(slices.Concat(all...), " ")
}

// EarlierTrustedTags returns the tags that earlier steps of this function had from trusted sources: by composed resource, key to value.
func (r *Run) EarlierTrustedTags() map[string]map[string]string {
	out := make(map[string]map[string]string)

	for _, s := range r.steps.earlier {
		for name, tags := range s.trusted.GetFields() {
			if out[name] == nil {
				out[name] = make(map[string]string)
			}

			for key, v := range tags.GetStructValue().GetFields() {
				if value, ok := v.GetKind().(*structpb.Value_StringValue); ok {
					out[name][key] = value.StringValue
				}
			}
		}
	}

	return out
}

// context returns the pipeline's context with the verdict and findings of the run for later steps, and with the labels
// of the sources if the input asks for them.
func (r *Run) context(steps *steps, v verdict, f *findings) *structpb.Struct {
	ctx := r.Request.GetContext()
	ctx = with(ctx, v1beta1.StepsContextKey, with(steps.entries, steps.id, steps.entry(v, f)))

	if key := r.Input.ToContextKey; key != "" {
		ctx = with(ctx, key, f.Set.ForContext())
	}

	return ctx
}

// entry returns the object of the step that runs now, with the verdict and findings.
func (s *steps) entry(v verdict, f *findings) *structpb.Struct {
	e := &structpb.Struct{Fields: map[string]*structpb.Value{
		"order":   structpb.NewNumberValue(float64(len(s.earlier) + 1)),
		"reason":  structpb.NewStringValue(v.reason),
		"message": structpb.NewStringValue(v.message),
		"digest":  structpb.NewStringValue(strings.Join(s.ofSameInput, " ")),
	}}

	for reason, n := range v.also {
		within(e, "also").Fields[reason] = structpb.NewNumberValue(float64(n))
	}

	for i := range f.Results {
		if r := &f.Results[i]; len(r.Trusted) > 0 {
			put(within(e, "trusted", r.Resource), r.Trusted)
		}
	}

	return e
}

// with returns a copy of the object s with the object o as the field. All other fields are shared.
func with(s *structpb.Struct, name string, o *structpb.Struct) *structpb.Struct {
	out := newStruct()
	maps.Copy(out.GetFields(), s.GetFields())
	out.Fields[name] = structpb.NewStructValue(o)

	return out
}

// digestOf returns a digest of all that the step says: the verdict, the results, and the messages that results have no room for.
func (s *steps) digestOf(v verdict, said []*fnv1.Result, leftOut []message) string {
	texts := []string{s.id, v.reason, v.message}

	for _, r := range said {
		texts = append(texts, r.GetReason(), r.GetMessage())
	}

	for i := range leftOut {
		texts = append(texts, leftOut[i].reason, leftOut[i].text)
	}

	return digest(texts...)
}

// digest returns the digest of the texts.
func digest(texts ...string) string {
	h := sha256.New()
	for _, text := range texts {
		_, _ = fmt.Fprintf(h, "%d:%s", len(text), text) // A hash takes all.
	}

	return hex.EncodeToString(h.Sum(nil)[:digestSize])
}
