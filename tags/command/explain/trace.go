package explain

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"google.golang.org/protobuf/types/known/structpb"

	fnv1 "github.com/crossplane/function-sdk-go/proto/v1"

	"github.com/plexsphere/function-cloud-tags/input/v1beta1"
	"github.com/plexsphere/function-cloud-tags/tags"
	"github.com/plexsphere/function-cloud-tags/tags/command"
	"github.com/plexsphere/function-cloud-tags/tags/manifest"
	"github.com/plexsphere/function-cloud-tags/tags/object"
	"github.com/plexsphere/function-cloud-tags/tags/report"
	"github.com/plexsphere/function-cloud-tags/tags/resolve"
	"github.com/plexsphere/function-cloud-tags/tags/stamp"
	"github.com/plexsphere/function-cloud-tags/tags/words"
)

// A Runner runs the function for the request. Then trace, if there is one, has what the function has decided.
type Runner func(ctx context.Context, req *fnv1.RunFunctionRequest, trace *stamp.Trace) (*fnv1.RunFunctionResponse, error)

// On runs the function for the request, and traces nothing.
func (f Runner) On(ctx context.Context, req *fnv1.RunFunctionRequest) (*fnv1.RunFunctionResponse, error) {
	return f(ctx, req, nil)
}

// A trace is a run of the function, with notes.
type trace struct {
	*stamp.Trace

	function Runner

	// Request and Input of the run, and its response.
	Request *fnv1.RunFunctionRequest
	Input   *v1beta1.CloudTags
	rsp     *fnv1.RunFunctionResponse

	// early says that the step receives no resources, if it stands before all steps that make any.
	early string

	// notes on the sources, and on the input.
	notes []string
}

// call runs the function, and keeps the trace of the run: the desired resources of the request count as rendered.
func (t *trace) call(ctx context.Context, req *fnv1.RunFunctionRequest) (*fnv1.RunFunctionResponse, error) {
	t.Request, t.Trace = req, &stamp.Trace{}

	return t.function(ctx, report.Untold(req), t.Trace)
}

// follow calls f, which makes the calls of t. It adds notes on the objects of the sources in the last run. A failure before the function looks at
// resources is an error.
func (t *trace) follow(ctx context.Context, f command.Function, req *fnv1.RunFunctionRequest) (err error) {
	if t.rsp, err = f(ctx, req); err != nil {
		return err
	}

	if t.Targets == nil {
		return command.Fatal(t.rsp)
	}

	t.Input = t.Stamper.Input
	sources := slices.Concat(t.Set.EmptySources, t.Set.AmbiguousSources)
	t.notes = slices.Concat(words.Map(t.Set.Hops, resolve.Hop.String), words.Map(sources, resolve.SourceNote.String))

	if n := t.Set.Surplus(); n > 0 {
		t.notes = append(t.notes, resolve.SurplusMessage(n))
	}

	t.notes = append(t.notes, words.Map(t.Set.CommonValueless, func(absent resolve.SourceNote) string { return absent.String() + ": no label" })...)
	t.notes = append(t.notes, words.Map(t.Set.Nulls(), func(null resolve.SourceNote) string { return null.String() + ": no label, since its JSON is null" })...)

	return nil
}

// earlyByOrder says that the step receives no resources, if the Composition has it before all steps that make any.
func earlyByOrder(step *manifest.Step) string {
	if !step.Early {
		return ""
	}

	return "the step " + words.Name(step.Name) + " receives no composed resource, since it stands before the steps that make them: move it after these"
}

// faults returns what is wrong with the step itself, whatever its labels: its place in the pipeline, or the name of a provider. A step that only
// writes to the pipeline's context may stand anywhere.
func (t *trace) faults() (out []string) {
	if t.early != "" && t.Input.ToContextKey == "" {
		out = append(out, t.early)
	}

	return append(out, faultsOf(t.rsp)...)
}

// faultsOf returns what the response says is wrong with the step itself.
func faultsOf(rsp *fnv1.RunFunctionResponse) []string {
	return words.MapIf(rsp.GetResults(), func(r *fnv1.Result) (string, bool) {
		isFault := r.GetReason() == report.ReasonNoResources || r.GetReason() == report.ReasonUnknownProvider
		return r.GetReason() + ": " + r.GetMessage(), isFault && r.GetSeverity() == fnv1.Severity_SEVERITY_WARNING
	})
}

// composite resource of the request.
func (t *trace) composite() *structpb.Struct {
	return object.Of(t.Request.GetObserved().GetComposite()).Struct()
}

// title returns the title of the label's source.
func (t *trace) title(l tags.Label) string {
	s := &t.Input.Sources[l.Source.Position]
	if s.Type == v1beta1.SourceTypeValue && s.Name == "" && t.Input.Origins.IsStandard(fmt.Sprintf("sources[%d]", l.Source.Position)) {
		return t.Input.Origins.Standard
	}

	return resolve.Title(s, t.composite())
}

// settings says which settings of the input come from its standard, which are the step's own, and which settings of the
// standard the step overrides. Without a standard, there is nothing to say.
func settings(in *v1beta1.CloudTags) []string {
	if in.Origins == nil {
		return nil
	}

	var standard, steps, overridden []string

	for _, s := range in.Origins.Settings {
		other := words.Show(s.Overrides, words.MaxText)

		switch {
		case s.Standard && s.Overrides != "":
			standard = append(standard, fmt.Sprintf("%s (the step says %s, which is less strict)", s.Written, other))
		case s.Standard:
			standard = append(standard, s.Written)
		case s.Overrides != "":
			overridden = append(overridden, fmt.Sprintf("%s (the standard says %s)", s.Written, other))

			fallthrough
		default:
			steps = append(steps, s.Written)
		}
	}

	return words.MapIf([][2]string{
		{"the standard of " + in.Origins.Standard + " says", strings.Join(standard, ", ")},
		{"the step says", strings.Join(steps, ", ")},
		{"the step overrides", strings.Join(overridden, ", ")},
	}, func(part [2]string) (string, bool) { return part[0] + ": " + part[1], part[1] != "" })
}
