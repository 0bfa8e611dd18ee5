package explain

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"google.golang.org/protobuf/types/known/structpb"

	"github.com/plexsphere/function-cloud-tags/input/v1beta1"
	"github.com/plexsphere/function-cloud-tags/tags/object"
	"github.com/plexsphere/function-cloud-tags/tags/report"
	"github.com/plexsphere/function-cloud-tags/tags/resolve"
	"github.com/plexsphere/function-cloud-tags/tags/words"
)

// restrict leaves out of the answer what nobody asks for: other resources than the one that is asked about. It also leaves out wrong
// notes, such as a source without objects, although nobody may read them.
func (l *live) restrict(x *rendering) {
	unknown := l.unknownSources()
	isUnknown := func(text string) bool {
		return slices.ContainsFunc(unknown, func(source string) bool { return strings.HasPrefix(text, source) })
	}

	x.Notes = slices.DeleteFunc(x.Notes, isUnknown)
	x.Events = slices.DeleteFunc(x.Events, func(e Event) bool {
		// Crossplane has applied the end of the pipeline: the resources at the step aren't known.
		return e.Reason == report.ReasonNoResources || isUnknown(e.Message) || l.resource != "" && !isAboutSources(e)
	})

	if (len(unknown) > 0 || l.resource != "") && !x.fails {
		x.Condition = nil // It counts such sources as empty, or counts other resources.
	}

	if l.resource != "" {
		x.Resources = slices.DeleteFunc(x.Resources, func(r *Rendered) bool { return r.Resource != l.resource })
	}
}

// unknownSources returns the sources of kinds that nobody may read, such as sources[1].
func (l *live) unknownSources() (out []string) {
	in := l.step.Input

	for i := range in.Sources {
		if l.isUnknown(&in.Sources[i]) {
			out = append(out, in.Where("sources[%d]", i))
		}
	}

	return out
}

// isUnknown reports whether nobody may read the objects of the source.
func (l *live) isUnknown(s *v1beta1.Source) bool {
	if s.Type == v1beta1.SourceTypeProviderConfig {
		return slices.ContainsFunc(slices.Collect(maps.Keys(l.refused)), func(k v1beta1.ResourceKind) bool { return strings.HasSuffix(k.Kind, "ProviderConfig") })
	}

	return slices.ContainsFunc(resolve.KindsRead(s, l.step.Composite), func(k v1beta1.ResourceKind) bool { return l.refused[k] })
}

// makeOptional makes the sources of kinds that nobody may read optional, so that the function tells about all other sources.
func (l *live) makeOptional(input *structpb.Struct) {
	written := input.GetFields()["sources"].GetListValue().GetValues()
	inherited := len(l.step.Input.Sources) - len(written) // The sources of a standard come first, and aren't written here.

	for i, source := range written {
		if l.isUnknown(&l.step.Input.Sources[inherited+i]) {
			source.GetStructValue().Fields["policy"] = structpb.NewStructValue(&structpb.Struct{Fields: map[string]*structpb.Value{
				"fromFieldPath": structpb.NewStringValue(string(v1beta1.FromFieldPathPolicyOptional)),
			}})
		}
	}
}

// notes says what the answer can't tell.
func (l *live) notes() (out []string) {
	if len(l.absent) > 0 && l.resource == "" {
		out = append(out, "the cluster doesn't have these composed resources: "+words.Names(l.absent))
	}

	if len(l.secrets) > 0 && l.resource == "" {
		out = append(out, "Secrets are never read: "+words.Names(l.secrets))
	}

	for _, name := range slices.Sorted(maps.Keys(l.composed)) {
		if o := l.composed[name]; (l.resource == "" || l.resource == name) && machinery(o).Field("resourceRefs").IsThere() {
			out = append(out, fmt.Sprintf("%s is a composite resource with resources of its own: ask for %s/%s", words.Name(name), strings.ToLower(object.Kind(o)), object.Name(o)))
		}
	}

	return append(out, "not known from the cluster: the context of earlier steps, values that this step or a later one has replaced, resources that were never applied, and objects that other functions require")
}
