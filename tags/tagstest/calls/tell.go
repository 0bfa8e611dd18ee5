package calls

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"

	"google.golang.org/protobuf/proto"

	fnv1 "github.com/crossplane/function-sdk-go/proto/v1"
)

// lines describe a response.
type lines []string

func (l *lines) sayf(format string, args ...any) { *l = append(*l, fmt.Sprintf(format, args...)) }

// tell returns lines on the response, without its parts that the request already has.
func tell(req *fnv1.RunFunctionRequest, rsp *fnv1.RunFunctionResponse) []string {
	var l lines

	if want := req.GetMeta().GetTag(); rsp.GetMeta().GetTag() != want {
		l.sayf("tag %q", rsp.GetMeta().GetTag())
	}

	l.sayf("ttl %s", rsp.GetMeta().GetTtl().AsDuration())
	l.required(rsp.GetRequirements())
	l.desired("composite", req.GetDesired().GetComposite(), rsp.GetDesired().GetComposite())

	before, after := req.GetDesired().GetResources(), rsp.GetDesired().GetResources()
	if len(after) != len(before) {
		l.sayf("%d resources", len(after))
	}

	for _, name := range slices.Sorted(maps.Keys(before)) {
		l.desired(name, before[name], after[name])
	}

	for _, name := range slices.Sorted(maps.Keys(after)) {
		if before[name] == nil {
			l.desired(name, &fnv1.Resource{Ready: after[name].GetReady()}, after[name])
		}
	}

	if rsp.GetOutput() != nil {
		l.sayf("output %s", text(rsp.GetOutput().AsMap()))
	}

	for _, key := range slices.Sorted(maps.Keys(rsp.GetContext().GetFields())) {
		if v := rsp.GetContext().GetFields()[key]; !proto.Equal(v, req.GetContext().GetFields()[key]) {
			l.sayf("context %s %s", key, text(v.AsInterface()))
		}
	}

	if len(rsp.GetContext().GetFields()) < len(req.GetContext().GetFields()) {
		l.sayf("context %s", text(rsp.GetContext().AsMap()))
	}

	for _, r := range rsp.GetResults() {
		l.sayf("%s %s: %s (%s)", strings.TrimPrefix(r.GetSeverity().String(), "SEVERITY_"), r.GetReason(), r.GetMessage(), strings.TrimPrefix(r.GetTarget().String(), "TARGET_"))
	}

	for _, c := range rsp.GetConditions() {
		message := "none"
		if c.Message != nil {
			message = c.GetMessage()
		}

		l.sayf("%s %s %s: %s (%s)", c.GetType(), strings.TrimPrefix(c.GetStatus().String(), "STATUS_CONDITION_"), c.GetReason(), message, strings.TrimPrefix(c.GetTarget().String(), "TARGET_"))
	}

	return l
}

// required tells what a response requires.
func (l *lines) required(r *fnv1.Requirements) {
	for _, name := range slices.Sorted(maps.Keys(r.GetSchemas())) {
		s := r.GetSchemas()[name]
		l.sayf("requires %s: %s %s", name, s.GetApiVersion(), s.GetKind())
	}

	for _, name := range slices.Sorted(maps.Keys(r.GetResources())) {
		s := r.GetResources()[name]
		l.sayf("requires %s: %s %s %s", name, s.GetApiVersion(), s.GetKind(), s.GetMatchName())
	}

	extra := r.GetExtraResources() //nolint:staticcheck // Crossplane before v2.2 is asked there.
	for _, name := range slices.Sorted(maps.Keys(extra)) {
		l.sayf("requires extra %s: %s %s %s", name, extra[name].GetApiVersion(), extra[name].GetKind(), extra[name].GetMatchName())
	}

	if r != nil && len(r.GetSchemas())+len(r.GetResources())+len(extra) == 0 {
		l.sayf("requires nothing, but not nil")
	}
}

// desired tells what has become of a desired resource.
func (l *lines) desired(name string, before, after *fnv1.Resource) {
	if proto.Equal(before, after) {
		return
	}

	l.sayf("desired %s %s", name, text(after.GetResource().AsMap()))

	rest := proto.CloneOf(before)
	rest.Resource = after.GetResource()

	if !proto.Equal(rest, after) {
		l.sayf("more than the resource differs")
	}
}

// text of a value in JSON.
func text(v any) string {
	j, err := json.Marshal(v)
	if err != nil {
		return err.Error()
	}

	return string(j)
}
