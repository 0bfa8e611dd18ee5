package stamp

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"google.golang.org/protobuf/types/known/structpb"
	"k8s.io/apimachinery/pkg/runtime"
	"sigs.k8s.io/structured-merge-diff/v6/fieldpath"
	"sigs.k8s.io/structured-merge-diff/v6/merge"
	"sigs.k8s.io/structured-merge-diff/v6/typed"

	fnv1 "github.com/crossplane/function-sdk-go/proto/v1"

	"github.com/plexsphere/function-cloud-tags/tags/field"
	"github.com/plexsphere/function-cloud-tags/tags/object"
)

// A plane is a control plane with one managed resource and all who write to it: an API server, Crossplane with this
// function, a provider, and others, who also write to the cloud.
type plane struct {
	shape    modelShape
	provider modelProvider

	// bare reports whether earlier steps desire nothing in spec.forProvider.
	bare bool

	// server of the resource.
	server *apiServer

	// cloud has the tags of what the resource stands for, and status those that the provider
	// reports. Both are nil before there is anything.
	cloud, status map[string]string
}

// A modelShape is how a kind has its tags.
type modelShape struct {
	field field.Field

	// schema of the tag field, in structured-merge-diff's language.
	schema string

	// write and read entries as the field has them. A list of strings has the strings as entries, without values.
	write func(map[string]string) any
	read  func(any) map[string]string
}

// put the tag among the entries, in the place of others with its key. One without a value goes.
func (s modelShape) put(entries map[string]string, key, value string) {
	for e := range entries {
		if s.keyOf(e) == key {
			delete(entries, e)
		}
	}

	switch {
	case value == "":
	case s.field.Shape == field.StringList:
		entries[key+s.field.Separator+value] = ""
	default:
		entries[key] = value
	}
}

// has reports whether the tag is among the entries.
func (s modelShape) has(entries map[string]string, key, value string) bool {
	if s.field.Shape == field.StringList {
		_, ok := entries[key+s.field.Separator+value]
		return ok
	}

	return entries[key] == value
}

// keyOf the tag of an entry.
func (s modelShape) keyOf(entry string) string {
	if s.field.Shape == field.StringList {
		entry, _, _ = strings.Cut(entry, s.field.Separator)
	}

	return entry
}

// A modelProvider has the differences between providers.
type modelProvider struct {
	// classic providers copy the cloud's tags into a missing field before they compare the two. Upjet's providers
	// compare first, and do both.
	classic bool

	// native providers are other controllers than Crossplane's, which copy nothing into the field.
	native bool

	// fillsEmpty says that it does so with an empty field, too.
	fillsEmpty bool

	// computed says that the field is optional and computed in Terraform: an empty field doesn't change the cloud's
	// tags.
	computed bool

	// adds a tag of its own before all else.
	adds bool

	// waits reports whether it reports what the cloud has after an update, and false if it reports
	// what the cloud had before.
	waits bool

	reports modelReports
}

// modelReports is how a provider reports tags.
type modelReports int

const (
	// reportsAll is upjet's way: keys that have been reported once are reported for ever.
	reportsAll modelReports = iota

	// reportsNow is what the cloud has.
	reportsNow

	// reportsNone is that there is no such field.
	reportsNone
)

// Field managers of the model, beside Crossplane's, which is ours.
const (
	managerProvider = "crossplane-provider"
	managerUser     = "kubectl-edit"
)

// providersTag is what a provider of the model adds.
const providersTag = "crossplane-kind"

// modelShapes returns the shapes of tag fields of Crossplane's providers.
func modelShapes() map[string]modelShape {
	const (
		scalar = "{scalar: string}"
		entry  = "{map: {fields: [{name: key, type: {scalar: string}}, {name: value, type: {scalar: string}}]}}"
	)

	path := object.MustParsePath("spec.forProvider.tags")
	lateInit := func(f field.Field) field.Field {
		f.Path, f.LateInit = path, true
		return f
	}

	asMap := func(tags map[string]string) any {
		out := make(map[string]any, len(tags))
		for key, value := range tags {
			out[key] = value
		}

		return out
	}
	ofMap := func(v any) map[string]string {
		out := make(map[string]string)
		for key, value := range v.(map[string]any) { //nolint:forcetypeassert // It is of this shape.
			out[key] = value.(string) //nolint:forcetypeassert // See above.
		}

		return out
	}

	asEntries := func(tags map[string]string) any {
		out := make([]any, 0, len(tags))
		for _, key := range slices.Sorted(maps.Keys(tags)) {
			out = append(out, map[string]any{"key": key, "value": tags[key]})
		}

		return out
	}
	ofEntries := func(v any) map[string]string {
		out := make(map[string]string)
		for _, e := range v.([]any) { //nolint:forcetypeassert // It is of this shape.
			e := e.(map[string]any)         //nolint:forcetypeassert // See above.
			value, _ := e["value"].(string) // It may be missing.
			out[e["key"].(string)] = value  //nolint:forcetypeassert // See above.
		}

		return out
	}

	asStrings := func(tags map[string]string) any {
		out := make([]any, 0, len(tags))
		for _, key := range slices.Sorted(maps.Keys(tags)) {
			out = append(out, key)
		}

		return out
	}
	ofStrings := func(v any) map[string]string {
		out := make(map[string]string)
		for _, e := range v.([]any) { //nolint:forcetypeassert // It is of this shape.
			out[e.(string)] = "" //nolint:forcetypeassert // See above.
		}

		return out
	}

	keyed := field.Field{Layout: field.Layout{Shape: field.KeyValueList}, Key: "key", Value: "value"}
	atomic := keyed
	atomic.Atomic = true

	return map[string]modelShape{
		"Map":        {lateInit(field.Field{Layout: field.Layout{Shape: field.Map}}), "{map: {elementType: " + scalar + "}}", asMap, ofMap},
		"AtomicMap":  {lateInit(field.Field{Layout: field.Layout{Shape: field.Map}, Atomic: true}), "{map: {elementType: " + scalar + ", elementRelationship: atomic}}", asMap, ofMap},
		"Set":        {lateInit(field.Field{Layout: field.Layout{Shape: field.StringList, Separator: "="}}), "{list: {elementType: " + scalar + ", elementRelationship: associative}}", asStrings, ofStrings},
		"KeyedList":  {lateInit(keyed), "{list: {elementType: " + entry + ", elementRelationship: associative, keys: [key]}}", asEntries, ofEntries},
		"AtomicList": {lateInit(atomic), "{list: {elementType: " + entry + ", elementRelationship: atomic}}", asEntries, ofEntries},
	}
}

// newPlane of the shape and the provider, with an old API server or a new one.
func newPlane(s modelShape, p modelProvider, oldServer bool) *plane {
	if p.adds {
		s.field.ProviderTags = []string{providersTag}
	}

	s.field.LateInit, s.field.LastStays = !p.fillsEmpty && !p.native, p.fillsEmpty || p.computed

	if p.reports != reportsNone {
		s.field.Observed = []object.Path{object.MustParsePath("status.atProvider.tags")}
	}

	return &plane{shape: s, provider: p, server: newAPIServer(s.schema, s.write(nil), oldServer && !s.field.Atomic)}
}

// tags of the resource, and whether the field is there.
func (w *plane) tags() (map[string]string, bool) {
	v, ok := w.server.object["spec"].(map[string]any)["forProvider"].(map[string]any)["tags"]
	if !ok {
		return map[string]string{}, false
	}

	return w.shape.read(v), true
}

// observed resource, as Crossplane hands it to functions, or nil if there is none.
func (w *plane) observed() map[string]*fnv1.Resource {
	if w.server.object == nil {
		return nil
	}

	o, metadata := maps.Clone(w.server.object), map[string]any{"managedFields": w.server.managedFields()}
	if observed, ok := o["metadata"].(map[string]any); ok {
		maps.Copy(metadata, observed)
	}

	o["metadata"] = metadata

	if w.status != nil && w.provider.reports != reportsNone {
		o["status"] = map[string]any{"atProvider": map[string]any{"tags": w.shape.write(w.status)}}
	}

	return asResource(o)
}

// asResource is the object as Crossplane hands it to functions.
func asResource(o map[string]any) map[string]*fnv1.Resource {
	o = maps.Clone(o)
	o["apiVersion"], o["kind"] = "example.org/v1", "Thing"

	s, err := structpb.NewStruct(o)
	if err != nil {
		panic(err) // It is JSON.
	}

	return map[string]*fnv1.Resource{"r": {Resource: s}}
}

// desired is the object with the tags that an earlier step desires.
func (w *plane) desired(tags map[string]string) map[string]any {
	forProvider := map[string]any{"region": "eu"}
	if w.bare {
		delete(forProvider, "region")
	}

	if len(tags) > 0 {
		entries := make(map[string]string)
		for key, value := range tags {
			w.shape.put(entries, key, value)
		}

		forProvider["tags"] = w.shape.write(entries)
	}

	return map[string]any{"spec": map[string]any{"forProvider": forProvider}}
}

// apply the resource as Crossplane does.
func (w *plane) apply(r *structpb.Struct) error {
	config := r.AsMap()
	delete(config, "apiVersion")
	delete(config, "kind")

	if err := w.server.apply(ours, config); err != nil {
		return fmt.Errorf("Crossplane's apply of %v fails: %w", config, err)
	}

	return nil
}

// compose runs Crossplane once: it applies the stamper's result of an earlier step's tags. It returns the outcome of
// the stamper.
func (w *plane) compose(s *Stamper, earlier map[string]string) (*Outcome, error) {
	s.NewLocator, s.Observed = everywhere(w.shape.field), w.observed()

	desired := asResource(w.desired(earlier))

	out, err := stampAll(s, desired)
	if err != nil {
		return nil, fmt.Errorf("the function fails: %w", err)
	}

	r := desired["r"].GetResource()
	if changed, ok := out.Changed["r"]; ok {
		r = changed.Struct()
	}

	return out, w.apply(r)
}

// provide runs the provider once. The cloud's update may fail, and the provider may write the
// resource for other reasons, too: an object update drops what is empty.
func (w *plane) provide(fails, writes bool) error { //nolint:revive // A draw of what can happen.
	if w.provider.adds {
		if tags, _ := w.tags(); tags[providersTag] == "" {
			tags[providersTag] = "thing"

			return w.server.update(managerProvider, w.with(tags)) // It comes again at once.
		}
	}

	if w.cloud == nil { // It makes what isn't there.
		if fails {
			return nil
		}

		w.cloud, _ = w.tags()
		w.report()

		return nil
	}

	tags, isThere := w.tags()
	filled := !w.provider.native && len(w.cloud) > 0 && (!isThere || w.provider.fillsEmpty && len(tags) == 0)

	if filled && w.provider.classic {
		tags = maps.Clone(w.cloud)
	}

	differs := !maps.Equal(tags, w.cloud) && (len(tags) > 0 || !w.provider.computed)

	if filled = filled && w.server.lateInitializes(); filled {
		if err := w.server.update(managerProvider, w.with(w.cloud)); err != nil {
			return err
		}
	} else if writes {
		if err := w.server.update(managerProvider, w.with(tags)); err != nil {
			return err
		}
	}

	// A write of the object takes away what was to be written to its status.
	if !filled && !writes && !w.provider.waits {
		w.report()
	}

	if differs && !fails {
		w.cloud = tags
	}

	if w.provider.waits {
		w.report()
	}

	return nil
}

// with returns the resource with the tags, as a provider writes it.
func (w *plane) with(tags map[string]string) map[string]any {
	o := runtime.DeepCopyJSON(w.server.object)
	forProvider := o["spec"].(map[string]any)["forProvider"].(map[string]any) //nolint:forcetypeassert // It is always there.

	delete(forProvider, "tags")

	if len(tags) > 0 {
		forProvider["tags"] = w.shape.write(tags)
	}

	return o
}

// report what the cloud has.
func (w *plane) report() {
	before := w.status
	w.status = maps.Clone(w.cloud)

	// JSON is decoded into the map that is there. Lists are replaced.
	if _, isMap := w.shape.write(nil).(map[string]any); isMap && w.provider.reports == reportsAll {
		for key, value := range before {
			if _, ok := w.status[key]; !ok {
				w.status[key] = value
			}
		}
	}
}

// edit the tags of the resource as somebody with kubectl does.
func (w *plane) edit(key, value string) error {
	tags, _ := w.tags()
	w.shape.put(tags, key, value)

	return w.server.update(managerUser, w.with(tags))
}

// An apiServer has one object. It applies and updates as Kubernetes does, by structured-merge-diff.
type apiServer struct {
	merge.Updater

	parser typed.ParseableType

	// makesNull is true of all API servers but Kubernetes 1.36.0 to 1.36.2, if the tag field isn't atomic: it makes
	// null of a map or a list that an apply empties, and refuses that. Others make empty of it.
	makesNull bool
	empty     any

	object   map[string]any
	managers fieldpath.ManagedFields

	// fields are what the managers own, once somebody has asked.
	fields []any
}

// sameVersion converts between versions that are the same.
type sameVersion struct{}

func (sameVersion) Convert(o *typed.TypedValue, _ fieldpath.APIVersion) (*typed.TypedValue, error) {
	return o, nil
}

func (sameVersion) IsMissingVersionError(error) bool { return false }

// modelVersion is the one that all field managers write.
const modelVersion = fieldpath.APIVersion("v1")

// everyAction is the default of managementPolicies.
const everyAction = "*"

func newAPIServer(tags string, empty any, makesNull bool) *apiServer {
	p, err := typed.NewParser(typed.YAMLObject(`types:
- name: thing
  map:
    fields:
    - {name: metadata, type: {map: {fields: [{name: annotations, type: {map: {elementType: {scalar: string}}}}]}}}
    - name: spec
      type:
        map:
          fields:
          - {name: managementPolicies, type: {list: {elementType: {scalar: string}, elementRelationship: atomic}}}
          - {name: forProvider, type: {map: {fields: [{name: region, type: {scalar: string}}, {name: tags, type: ` + tags + `}]}}}
`))
	if err != nil {
		panic(err) // It is a constant.
	}

	updater := (&merge.UpdaterBuilder{Converter: sameVersion{}, ReturnInputOnNoop: true}).BuildUpdater()

	return &apiServer{parser: p.Type("thing"), Updater: *updater, makesNull: makesNull, empty: empty, managers: fieldpath.ManagedFields{}}
}

// errNull is the error of an API server about a field that is null and may not be.
var errNull = errors.New("null is no value of the field")

// apply the configuration by force.
func (a *apiServer) apply(manager string, config map[string]any) error {
	live, err := a.typed(a.object)
	if err != nil {
		return err
	}

	applied, err := a.typed(config)
	if err != nil {
		return err
	}

	after, managers, err := a.Apply(live, applied, modelVersion, a.managers.Copy(), manager, true)
	if err != nil {
		return err
	}

	o, _ := after.AsValue().Unstructured().(map[string]any)

	forProvider, _ := o["spec"].(map[string]any)["forProvider"].(map[string]any)
	if forProvider == nil {
		return errNull
	}

	// This is structured-merge-diff v6.4.2.
	if tags, isThere := forProvider["tags"]; isThere && tags == nil {
		if a.makesNull {
			return errNull
		}

		forProvider["tags"] = a.empty
	}

	return a.store(o, managers)
}

// update the object to o.
func (a *apiServer) update(manager string, o map[string]any) error {
	live, err := a.typed(a.object)
	if err != nil {
		return err
	}

	after, err := a.typed(o)
	if err != nil {
		return err
	}

	after, managers, err := a.Update(live, after, modelVersion, a.managers.Copy(), manager)
	if err != nil {
		return err
	}

	o, _ = after.AsValue().Unstructured().(map[string]any)

	return a.store(o, managers)
}

// store the object, with defaults.
func (a *apiServer) store(o map[string]any, managers fieldpath.ManagedFields) error {
	o = runtime.DeepCopyJSON(o)

	spec := o["spec"].(map[string]any) //nolint:forcetypeassert // It is always there.
	if _, ok := spec["managementPolicies"]; !ok {
		spec["managementPolicies"] = []any{everyAction}
	}

	a.object, a.managers, a.fields = o, managers, nil

	return nil
}

// lateInitializes reports whether the provider may copy what the cloud has into the object.
func (a *apiServer) lateInitializes() bool {
	policies := a.object["spec"].(map[string]any)["managementPolicies"].([]any) //nolint:forcetypeassert // They are always there.
	return slices.Contains(policies, any(everyAction)) || slices.Contains(policies, any("LateInitialize"))
}

func (a *apiServer) typed(o map[string]any) (*typed.TypedValue, error) {
	if o == nil {
		o = map[string]any{}
	}

	return a.parser.FromUnstructured(o)
}

// managedFields of the object's metadata.
func (a *apiServer) managedFields() []any {
	if a.fields != nil {
		return a.fields
	}

	for _, manager := range slices.Sorted(maps.Keys(a.managers)) {
		set := a.managers[manager]

		j, err := set.Set().ToJSON()
		if err != nil {
			panic(err) // All of them can be encoded.
		}

		var fields any
		if err := json.Unmarshal(j, &fields); err != nil {
			panic(err) // See above.
		}

		operation := "Update"
		if set.Applied() {
			operation = "Apply"
		}

		a.fields = append(a.fields, map[string]any{"manager": manager, "operation": operation, "apiVersion": "example.org/v1", "fieldsType": "FieldsV1", "fieldsV1": fields})
	}

	return a.fields
}
