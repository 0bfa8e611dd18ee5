package explain

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"

	"google.golang.org/protobuf/encoding/protojson"
	"google.golang.org/protobuf/proto"

	"github.com/crossplane/function-sdk-go/errors"
	fnv1 "github.com/crossplane/function-sdk-go/proto/v1"

	"github.com/plexsphere/function-cloud-tags/input/v1beta1"
	"github.com/plexsphere/function-cloud-tags/tags/command"
	"github.com/plexsphere/function-cloud-tags/tags/manifest"
	"github.com/plexsphere/function-cloud-tags/tags/object"
	"github.com/plexsphere/function-cloud-tags/tags/report"
	"github.com/plexsphere/function-cloud-tags/tags/require"
	"github.com/plexsphere/function-cloud-tags/tags/words"
)

// A RecordedRun has the results of the function for a recorded request, and its resources. Without a request, it has no results.
type RecordedRun struct {
	// Causes are why tags may be missing in a cluster, the first one to look at first.
	Causes []string `json:"causes,omitempty"`

	Condition *Condition `json:"condition,omitempty"`

	// Events are the results that the function returns unless it has returned them before.
	Events []Event `json:"events,omitempty"`

	// Waits are the objects that the request lacks. Crossplane calls again with these.
	Waits []string `json:"waits,omitempty"`

	Resources []*Rendered `json:"resources,omitempty"`
	Notes     []string    `json:"notes,omitempty"`
}

// A Condition is the one that the function sets on the composite resource.
type Condition struct {
	Status  string `json:"status"`
	Reason  string `json:"reason"`
	Message string `json:"message"`
}

// An Event is a result, which Crossplane makes an event of.
type Event struct {
	Severity string `json:"severity"`
	Reason   string `json:"reason"`
	Message  string `json:"message"`
}

// lines returns the results of the function for people.
func (r *RecordedRun) lines() (out []string) {
	if c := r.Condition; c != nil {
		out = append(out, fmt.Sprintf("condition %s %s %s: %s", report.ConditionType, c.Status, c.Reason, c.Message))
	}

	events := words.Map(r.Events, func(e Event) string { return "event " + strings.TrimSpace(e.Severity+" "+e.Reason) + ": " + e.Message })
	waits := words.Map(r.Waits, func(w string) string {
		return "the function waits for " + w + ", which Crossplane fetches for its next call"
	})

	return slices.Concat(out, events, waits)
}

// recorded explains a recorded request: the results of the function, and then the resources as it desires them.
func (c *Command) recorded(ctx context.Context, r *manifest.Reader) (answer, error) {
	req, err := c.readRequest(r)
	if err != nil {
		return nil, errors.Wrapf(err, "cannot read %s", c.Request)
	}

	rsp, err := c.Function.On(ctx, report.Untold(req))
	if err != nil {
		return nil, err
	}

	return answered(ctx, c.Function, req, rsp)
}

// Resources returns the desired resources of the function's response to a request, each with its tags and with lost
// labels. It runs f once more for the request, with the desired resources of the response, to know what becomes of each label.
func Resources(ctx context.Context, f Runner, req *fnv1.RunFunctionRequest, rsp *fnv1.RunFunctionResponse) ([]*Rendered, error) {
	x, err := answered(ctx, f, req, rsp)

	return x.Resources, err
}

// answered explains the response of the function to a request, with the resources that it desires as rendered ones.
func answered(ctx context.Context, f Runner, req *fnv1.RunFunctionRequest, rsp *fnv1.RunFunctionResponse) (*rendering, error) {
	out := &rendering{RecordedRun: runOf(rsp), isRecorded: true, fails: command.Fatal(rsp) != nil, faults: faultsOf(rsp)}
	if out.Condition == nil {
		out.Waits = missing(req, rsp.GetRequirements())
	}

	if out.fails || out.Condition == nil || require.IsOperation(req) {
		return out, nil
	}

	req = proto.CloneOf(req)
	req.Desired = rsp.GetDesired()

	run := &trace{function: f}
	if err := run.follow(ctx, run.call, req); err != nil || run.Targets == nil { // A function elsewhere leaves no trace here.
		return out, err
	}

	run.notes = append(settings(run.Input), run.notes...)
	out.add(run)

	return out, nil
}

// readRequest returns the request in the file: the only value, or, in a record of the pipeline inspector, the last
// request for a step of this function.
func (c *Command) readRequest(r *manifest.Reader) (*fnv1.RunFunctionRequest, error) {
	values, err := r.Values(c.Request)
	if err != nil {
		return nil, err
	}

	var (
		last  *fnv1.RunFunctionRequest
		found []string
	)

	for _, v := range values {
		fields := v.GetStructValue().GetFields()
		payload, meta := v.GetStructValue(), fields["meta"].GetStructValue().GetFields()

		if recorded := fields["payload"].GetStructValue(); recorded != nil {
			if fields["type"].GetStringValue() != "REQUEST" || c.Step != "" && meta["stepName"].GetStringValue() != c.Step {
				continue
			}

			payload = recorded
		}

		text, _ := payload.MarshalJSON() // A decoded object can be encoded.
		req := &fnv1.RunFunctionRequest{}

		// A newer Crossplane may have more fields.
		if err := (protojson.UnmarshalOptions{DiscardUnknown: true}).Unmarshal(text, req); err != nil {
			return nil, errors.Wrap(err, "it is no RunFunctionRequest")
		}

		input := object.FromStruct(req.GetInput())
		if object.APIVersion(input) != v1beta1.APIVersion || object.Kind(input) != v1beta1.Kind {
			continue
		}

		xr := object.Of(req.GetObserved().GetComposite())
		found = append(found, words.Name(cmp.Or(object.Title(xr), "an Operation"))+" in step "+words.Name(meta["stepName"].GetStringValue()))
		last = req
	}

	switch found = words.Distinct(found); {
	case last == nil:
		return nil, errors.Errorf("none of its %d values is a RunFunctionRequest with an input of apiVersion %s and kind %s: record the step of this function", len(values), v1beta1.APIVersion, v1beta1.Kind)
	case len(found) > 1:
		return nil, errors.Errorf("it has requests of several composite resources or steps: give a file with one, or name its --step: %s", words.Names(found))
	default:
		return last, nil
	}
}

// runOf returns the condition and the results of a response.
func runOf(rsp *fnv1.RunFunctionResponse) (run RecordedRun) {
	for _, c := range rsp.GetConditions() {
		status := map[fnv1.Status]string{fnv1.Status_STATUS_CONDITION_TRUE: "True", fnv1.Status_STATUS_CONDITION_FALSE: "False"}[c.GetStatus()]
		run.Condition = &Condition{Status: cmp.Or(status, "Unknown"), Reason: c.GetReason(), Message: c.GetMessage()}
	}

	for _, r := range rsp.GetResults() {
		severity := map[fnv1.Severity]string{fnv1.Severity_SEVERITY_FATAL: "Fatal", fnv1.Severity_SEVERITY_WARNING: "Warning"}[r.GetSeverity()]
		run.Events = append(run.Events, Event{Severity: cmp.Or(severity, "Normal"), Reason: r.GetReason(), Message: r.GetMessage()})
	}

	return run
}

// missing returns the requirements that the request has no answer for.
func missing(req *fnv1.RunFunctionRequest, required *fnv1.Requirements) (out []string) {
	add := func(selectors map[string]*fnv1.ResourceSelector, answers map[string]*fnv1.Resources) {
		for name, s := range selectors {
			if answers[name] != nil {
				continue
			}

			which := " " + words.Name(s.GetMatchName())
			if s.GetMatchName() == "" {
				which = " with the labels that it selects by"
			}

			out = append(out, words.Name(s.GetKind())+" ("+words.Name(s.GetApiVersion())+")"+which)
		}
	}

	add(required.GetResources(), req.GetRequiredResources())
	add(required.GetExtraResources(), req.GetExtraResources()) //nolint:staticcheck // Crossplane before v2.2 answers there.

	for name, s := range required.GetSchemas() {
		if _, answered := req.GetRequiredSchemas()[name]; !answered {
			out = append(out, "the schema of "+words.Name(s.GetKind())+" ("+words.Name(s.GetApiVersion())+")")
		}
	}

	slices.Sort(out)

	return out
}
