package rights

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"

	"pgregory.net/rapid"
)

// A person writes some of the text that the function reads. People differ by their rights in Kubernetes.
type person string

// The people who aren't trusted. All other text is the platform's.
const (
	// author writes the composite resource: spec, metadata and status.
	author person = "the author of the XR"

	// neighbor writes objects of other namespaces that sources read labels and metadata from.
	neighbor person = "the author of another object"

	// stranger writes objects that sources read for include alone, in a namespace that selectors may leave open.
	stranger person = "the author of an object that include reads"

	// editor edits composed resources, as kubectl edit does.
	editor person = "whoever edits a composed resource"

	// tagger changes tags in the cloud, which providers report.
	tagger person = "whoever tags in the cloud"
)

// people are drawn. Some come several times: they write in more places.
var people = []person{author, author, author, neighbor, stranger, editor, editor, tagger}

// A text is what a person has written, by place: a field of the composite resource, or the name of an object or of a composed resource.
type text map[string]any

// A drawing draws what a person writes at a place.
type drawing func(d *pen, place string) any

// A pen draws what people write in one world.
type pen struct {
	*rapid.T

	// keys of labels and tags. Keys that the input protects come several times.
	keys []string
}

// penFor returns the pen for an input.
func penFor(t *rapid.T, input map[string]any) *pen {
	d, rules := &pen{T: t, keys: drawKeys}, rulesOf(input)

	for _, key := range slices.Concat(rules.classifiers, rules.reserved, rules.policy) {
		d.keys = slices.Concat(d.keys, slices.Repeat([]string{strings.TrimSuffix(key, "*")}, 4))
	}

	return d
}

// objectKinds are the apiVersions and kinds of objects that people write, by name or, for all other names, by person. A trusted source looks for kind Platform.
var objectKinds = map[string][2]string{
	"shared": {"aws.m.upbound.io/v1beta1", "ProviderConfig"}, "forged": {"example.org/v1", "Platform"},
	string(neighbor): {"example.org/v1", "Settings"}, string(stranger): {"example.org/v1", "Definition"},
}

// places are where people write. The places of an editor and of a tagger are in each composed resource, at each tag field.
var places = map[person]map[string]drawing{
	author: {
		"metadata.labels": pairs, "metadata.annotations": annotations, "spec.labels": pairs, "spec.tags": pairs, "spec.scalars": pairs, "spec.json": asJSON, "spec.list": asList,
		"spec.copied": annotations, "spec.items": items, "spec.include": patterns, "spec.removed": patterns, "spec.ignored": keys,
		"spec.settings": oneOf("a", "b", "none"), "spec.selector": oneOf(map[string]any{}, map[string]any{"settings": "yes"}, map[string]any{"settings": "no"}),
		"spec.sizes": oneOf(map[string]any{"grade": "gold"}, map[string]any{"grade": "silver"}), "spec.sizeRef": oneOf(map[string]any{}, map[string]any{"kind": "Plan"}, map[string]any{"name": "small"}),
		"spec.resourceRef": oneOf(nil, map[string]any{"name": "x"}), "status.cloudTags.resources": oneOf(nil, map[string]any{"res-0": map[string]any{"workspace": "evil"}}),
		"status.conditions": oneOf(nil, []any{map[string]any{"type": "CloudTagsPropagated", "status": "True", "reason": "AllPropagated", "message": "tags [3f2a9c]"}}),
	},
	neighbor: {"team-b/a": settingsObject, "team-b/b": settingsObject, "team-a/a": settingsObject, "team-a/shared": settingsObject, "team-b/forged": settingsObject},
	stranger: {"team-b/a": definitionObject, "team-b/z": definitionObject},
	editor:   {"metadata.labels": annotations, "metadata.annotations": annotations},
	tagger:   {},
}

// drawKeys are keys of labels and tags. Some are a key that matters to the platform in another spelling, or could be read as one.
var drawKeys = []string{
	"workspace", "Workspace", "WORKSPACE", "plexsphere:workspace", "entigo:zone", "Entigo:Zone", "env", "Env", "plexsphere:env", "env=dev", "env=dev,workspace", "cost-center", "plexsphere:cost-center",
	"owner", "Name", "managed", "Managed", "zone", "plexsphere:zone", "legacy", "backup:daily", "team/x", "a", "crossplane-name", "Crossplane-Kind", "step", "tier",
}

// steering are keys that aren't copied with all: they steer a controller, or Crossplane and this function.
var steering = []string{
	"services.k8s.aws/adoption-policy", "services.k8s.aws/region", "cnrm.cloud.google.com/project-id", "cnrm.cloud.google.com/deletion-policy", "serviceoperator.azure.com/credential-from",
	"crossplane.io/paused", "crossplane.io/external-name", "cloudtags.fn.plexsphere.com/ignore", "kubectl.kubernetes.io/last-applied-configuration",
}

// joinedAnnotation is an annotation that is a tag field itself.
const joinedAnnotation = "service.beta.kubernetes.io/aws-load-balancer-additional-resource-tags"

// drawValues are values of labels and tags. None begins as the values of the platform's do.
var drawValues = []string{"x", "y", "yes", "true", "", "dev", "nobody", "100", "evil,workspace=evil", `evil\`, "x=y:z", strings.Repeat("v", 300)}

// pairs draws a map of keys to values. A long one exceeds the cap of each cloud.
func pairs(d *pen, place string) any { return drawMap(d.T, place, d.keys) }

// reported draws pairs that matchCloudTags of inputs often looks for.
func reported(d *pen, place string) any {
	out := drawMap(d.T, place, d.keys)
	if rapid.Bool().Draw(d.T, place+" is managed") {
		out["managed"] = "yes"
	}

	return out
}

// annotations draws pairs that may steer controllers, or replace all tags of a Service.
func annotations(d *pen, place string) any {
	out := drawMap(d.T, place, slices.Concat(d.keys, steering, []string{"steer.example.org/x", "tags.example.org/workspace", "tags.example.org/managed", "tags.example.org/env", "tags.example.org/owner"}))
	if rapid.IntRange(0, 3).Draw(d.T, place+" has the tag field") == 0 {
		out[joinedAnnotation] = rapid.SampledFrom([]string{"workspace=evil", "owner=x", "a=b,plexsphere:env=dev"}).Draw(d.T, place+" tags")
	}

	return out
}

func drawMap(t *rapid.T, place string, keys []string) map[string]any {
	out := make(map[string]any)
	for _, key := range rapid.SliceOfNDistinct(rapid.SampledFrom(keys), 0, 6, rapid.ID[string]).Draw(t, place+" keys") {
		out[key] = rapid.SampledFrom(drawValues).Draw(t, place+" value")
	}

	for i := range rapid.SampledFrom([]int{0, 0, 0, 0, 0, 0, 0, 0, 20, 50}).Draw(t, place+" more") {
		out[fmt.Sprintf("n%02d", i)] = "n"
	}

	return out
}

// asJSON draws pairs whose values are JSON.
func asJSON(d *pen, place string) any {
	out := drawMap(d.T, place, d.keys)
	for key, v := range out {
		j, err := json.Marshal(v)
		if err != nil {
			panic(err)
		}

		out[key] = string(j)
	}

	return out
}

// asList draws a list of objects with a key and a value.
func asList(d *pen, place string) any {
	out, pairs := []any{}, drawMap(d.T, place, d.keys)
	for _, key := range slices.Sorted(maps.Keys(pairs)) {
		out = append(out, map[string]any{"key": key, "value": pairs[key]})
	}

	return out
}

// items draws a list of labels by the name of a composed resource.
func items(d *pen, place string) any {
	return []any{map[string]any{"name": "res-0", "labels": pairs(d, place)}, map[string]any{"name": "res-1", "labels": pairs(d, place)}}
}

// keys draws a list of keys or of their beginnings.
func keys(d *pen, place string) any {
	out := []any{}
	for _, key := range rapid.SliceOfNDistinct(rapid.SampledFrom(slices.Concat(d.keys, []string{"*", "entigo:*", "plexsphere:*"})), 0, 4, rapid.ID[string]).Draw(d.T, place) {
		out = append(out, key)
	}

	return out
}

// patterns draws patterns of keys: a list, or a map in which false excludes, and a value of a tag that is removed.
func patterns(d *pen, place string) any {
	list := keys(d, place)

	switch rapid.SampledFrom([]string{"list", "list", "map", "nothing"}).Draw(d.T, place+" as") {
	case "map":
		out := make(map[string]any)
		for _, key := range list.([]any) { //nolint:forcetypeassert // It is drawn so.
			out[key.(string)] = rapid.SampledFrom([]any{"true", "false"}).Draw(d.T, place+" included") //nolint:forcetypeassert // It is drawn so.
		}

		return out
	case "nothing":
		return nil
	default:
		return list
	}
}

// settingsObject draws an object that sources read labels and metadata from, or nothing.
func settingsObject(d *pen, place string) any {
	if rapid.IntRange(0, 3).Draw(d.T, place+" is absent") == 0 {
		return nil
	}

	labels := drawMap(d.T, place+" labels", []string{"tags.example.org/workspace", "tags.example.org/managed", "tags.example.org/env", "workspace", "managed", "crossplane.io/paused"})
	labels["settings"] = rapid.SampledFrom([]string{"yes", "no"}).Draw(d.T, place+" settings")

	return map[string]any{
		"metadata": map[string]any{"labels": labels, "annotations": annotations(d, place+" annotations")},
		"data":     map[string]any{"labels": pairs(d, place+" data"), "next": rapid.SampledFrom([]string{"a", "b", "c"}).Draw(d.T, place+" next")},
		"spec":     map[string]any{"labels": pairs(d, place+" spec"), "platform": pairs(d, place+" platform")},
	}
}

// definitionObject draws an object with patterns for include, or nothing.
func definitionObject(d *pen, place string) any {
	if rapid.IntRange(0, 3).Draw(d.T, place+" is absent") == 0 {
		return nil
	}

	all := rapid.SampledFrom([]any{nil, map[string]any{"*": false}, map[string]any{"*": "true"}, "*", "{]", "{a: [b", []any{"env"}, map[string]any{"env": true, "owner": false}})

	return map[string]any{
		"metadata": map[string]any{"labels": map[string]any{"catalog": rapid.SampledFrom([]string{"yes", "no"}).Draw(d.T, place+" catalog")}},
		"data": map[string]any{
			"patterns": all.Draw(d.T, place+" patterns"), "pattern": rapid.SampledFrom([]string{"*", "env", "!"}).Draw(d.T, place+" pattern"), "next": rapid.SampledFrom([]string{"none", "main"}).Draw(d.T, place+" next"),
		},
	}
}

// oneOf draws one of the values.
func oneOf(values ...any) drawing {
	return func(d *pen, place string) any { return rapid.SampledFrom(values).Draw(d.T, place) }
}

// draw draws a text of the person for the resources.
func (p person) draw(d *pen, resources []resource, name string) text {
	out := make(text)

	for _, place := range slices.Sorted(maps.Keys(places[p])) {
		if p != editor {
			out[place] = places[p][place](d, name+" "+place)
		}
	}

	for _, r := range resources {
		there := r.places(p)
		for _, place := range slices.Sorted(maps.Keys(there)) {
			out[r.name+" "+place] = there[place](d, name+" "+r.name+" "+place)
		}
	}

	return out
}

// redraw replaces some of the text by other text of the same person.
func (p person) redraw(d *pen, before text, resources []resource) text {
	out := p.draw(d, resources, "other")
	for _, place := range slices.Sorted(maps.Keys(out)) {
		// Tags in a launched field decide which of several fields the cloud admits. So an editor has some in both texts, or in none.
		isMade := p == editor && len(union(before[place])) == 0 != (len(union(out[place])) == 0)

		if isMade || rapid.IntRange(0, 2).Draw(d.T, place+" stays") == 0 {
			out[place] = before[place]
		}
	}

	return out
}
