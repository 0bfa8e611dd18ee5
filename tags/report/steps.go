package report

import (
	"cmp"
	"encoding/hex"
	"maps"
	"slices"

	"google.golang.org/protobuf/types/known/structpb"

	fnv1 "github.com/crossplane/function-sdk-go/proto/v1"

	"github.com/plexsphere/function-cloud-tags/input/v1beta1"
)

// A step of this function that ran earlier in the pipeline. It has an object in the
// pipeline's context, below v1beta1.StepsContextKey and a hash of its input. A step about
// which there is nothing to say, because all its labels were propagated and none of them was
// trusted with a reserved key, has none there.
type step struct {
	// order is the position of the step among those that have an object, from 1.
	order float64

	// verdict of the step: the fields reason and message.
	verdict verdict

	// trusted are the tags with reserved keys that the step has of trusted sources: by
	// resource, an object of key to value.
	trusted *structpb.Struct
}

// earlierSteps returns the steps of this function that ran before that of the supplied
// request, in their order. The step's own entry, which Crossplane hands back when it
// calls again, is not among them. What isn't as a step writes it is not there.
func earlierSteps(req *fnv1.RunFunctionRequest) []step {
	entries := req.GetContext().GetFields()[v1beta1.StepsContextKey].GetStructValue().GetFields()
	if len(entries) == 0 {
		return nil
	}

	own := idOf(req)
	out := make([]step, 0, len(entries))

	for _, id := range slices.Sorted(maps.Keys(entries)) {
		e := entries[id].GetStructValue().GetFields()
		message := e["message"].GetStringValue()
		s := step{
			order:   e["order"].GetNumberValue(),
			verdict: verdict{e["reason"].GetStringValue(), elideMiddle(message, maxFatal, len(message))},
			trusted: e["trusted"].GetStructValue(),
		}

		if id != own && s.verdict.rank() >= 0 {
			out = append(out, s)
		}
	}

	slices.SortStableFunc(out, func(a, b step) int { return cmp.Compare(a.order, b.order) })

	return out
}

// idOf returns what tells the step of the supplied request from others.
func idOf(req *fnv1.RunFunctionRequest) string {
	h, _ := v1beta1.Hash(req.GetInput()) // What was just received can be marshaled.

	return hex.EncodeToString(h[:8])
}

// Earlier returns the tags with reserved keys that earlier steps of this function have
// of trusted sources: by composed resource, key to value.
func Earlier(req *fnv1.RunFunctionRequest) map[string]map[string]string {
	out := make(map[string]map[string]string)

	for _, s := range earlierSteps(req) {
		for name, of := range s.trusted.GetFields() {
			if out[name] == nil {
				out[name] = make(map[string]string)
			}

			for key, v := range of.GetStructValue().GetFields() {
				if value, ok := v.GetKind().(*structpb.Value_StringValue); ok {
					out[name][key] = value.StringValue
				}
			}
		}
	}

	return out
}

// context returns the pipeline's context with what later steps may want to know of the
// run, which came after the supplied steps: its verdict and outcome, and what the
// sources came to if the input asks for that.
func (r *Run) context(earlier []step, v verdict, o *sorted) *structpb.Struct {
	ctx := r.Request.GetContext()
	steps := ctx.GetFields()[v1beta1.StepsContextKey].GetStructValue()

	// Without an entry to write, there may be one of the step's call before.
	if e := entry(earlier, v, o); e != nil || len(steps.GetFields()) > 0 {
		ctx = with(ctx, v1beta1.StepsContextKey, with(steps, idOf(r.Request), e))
	}

	if key := r.Input.ToContextKey; key != "" {
		ctx = with(ctx, key, r.Set.ForContext())
	}

	return ctx
}

// entry of a run among the steps of this function, or nil if it needs none.
func entry(earlier []step, v verdict, o *sorted) *structpb.Struct {
	e := &structpb.Struct{Fields: make(map[string]*structpb.Value)}

	for i := range o.Results {
		if s := &o.Results[i]; len(s.Trusted) > 0 {
			put(within(e, "trusted", s.Resource), s.Trusted)
		}
	}

	if v.reason == ReasonAllPropagated && len(e.GetFields()) == 0 {
		return nil
	}

	e.Fields["reason"] = structpb.NewStringValue(v.reason)
	e.Fields["order"] = structpb.NewNumberValue(float64(len(earlier) + 1))

	if v.message != "" {
		e.Fields["message"] = structpb.NewStringValue(v.message)
	}

	return e
}

// with returns a copy of the supplied object that has the other one as the supplied field,
// or that lacks it if that one is empty. It shares all other fields with the object.
func with(s *structpb.Struct, name string, o *structpb.Struct) *structpb.Struct {
	fields := make(map[string]*structpb.Value)
	maps.Copy(fields, s.GetFields())
	delete(fields, name)

	if len(o.GetFields()) > 0 {
		fields[name] = structpb.NewStructValue(o)
	}

	return &structpb.Struct{Fields: fields}
}
