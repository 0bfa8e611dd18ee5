package report

import (
	"context"
	"encoding/json"
	"log/slog"
	"maps"
	"strings"

	"google.golang.org/protobuf/types/known/structpb"

	"github.com/crossplane/function-sdk-go/errors"
	fnv1 "github.com/crossplane/function-sdk-go/proto/v1"

	"github.com/plexsphere/function-cloud-tags/tags/coverage"
	"github.com/plexsphere/function-cloud-tags/tags/object"
	"github.com/plexsphere/function-cloud-tags/tags/tagpolicy"
	"github.com/plexsphere/function-cloud-tags/tags/words"
)

// Counted returns a response with the counts of an Operation: its output has the totals, and the ConfigMap that the
// input names, if any, has the report. With a ConfigMap, the metrics have the totals, too. The desired state of earlier steps stays.
func (r *Run) Counted(ctx context.Context, counted *coverage.Report) (*fnv1.RunFunctionResponse, error) {
	rsp := r.AskAgain()

	if err := r.write(rsp, counted); err != nil {
		return nil, Fail(ReasonInvalidInput, err)
	}

	j, _ := json.Marshal(counted.Totals()) //nolint:errchkjson // Nothing in it can fail.

	rsp.Output = &structpb.Struct{}
	if err := rsp.GetOutput().UnmarshalJSON(j); err != nil {
		return nil, errors.Wrap(err, "cannot encode totals")
	}

	summary := counted.Summary()
	topics := append(words.Map(words.Grouped(counted.Violations, ruleOf), r.brokenBy), texts(topic{severity: normal, reason: "CoverageCounted"}, summary))

	var leftOut []message

	rsp.Results, leftOut = say(topics)

	r.tell = func() {
		log := newRunLog(r.Log, r.Budget)
		defer log.end(ctx)

		logLeftOut(ctx, log, leftOut)
		log.line(ctx, slog.LevelInfo, "Counted cloud tags", slog.String("coverage", summary))
		r.Metrics.counted(r.Input.Coverage, counted)
	}

	return rsp, nil
}

// brokenBy returns the topic of the violations of one rule, with the resources that break it.
func (r *Run) brokenBy(violations []tagpolicy.Violation) topic {
	count := 0
	for i := range violations {
		count += violations[i].Count()
	}

	return r.broken(violations, "broken by "+words.Count(count, "resource", "resources")+": ")
}

// write the report to the ConfigMap that the input names.
func (r *Run) write(rsp *fnv1.RunFunctionResponse, counted *coverage.Report) error {
	if r.Input.Coverage == nil || r.Input.Coverage.ConfigMap == nil {
		return nil
	}

	to := r.Input.Coverage.ConfigMap
	desired := "coverage of " + to.Namespace + "/" + to.Name

	// Crossplane applies the desired resources of a pipeline in no order: of two ConfigMaps with one name, the last one
	// would win.
	for name, other := range rsp.GetDesired().GetResources() {
		o := object.Of(other)
		if name == desired || object.APIVersion(o) == "v1" && object.Kind(o) == "ConfigMap" && object.Name(o) == to.Name && object.Namespace(o) == to.Namespace {
			return errors.Errorf("coverage.configMap: an earlier step desires ConfigMap %s/%s: name another one", to.Namespace, to.Name)
		}
	}

	text := &strings.Builder{}
	_ = counted.Cut().WriteYAML(text) // A Builder takes all.

	resources := map[string]*fnv1.Resource{}
	maps.Copy(resources, rsp.GetDesired().GetResources())

	rsp.Desired = object.Copy(rsp.GetDesired()) // The request's own stays.
	rsp.Desired.Resources = resources

	o, err := structpb.NewStruct(map[string]any{
		"apiVersion": "v1", "kind": "ConfigMap",
		"metadata": map[string]any{"name": to.Name, "namespace": to.Namespace},
		"data":     map[string]any{"coverage.yaml": text.String()},
	})
	resources[desired] = &fnv1.Resource{Resource: o}

	return err
}
