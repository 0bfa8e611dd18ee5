package tests

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"pgregory.net/rapid"
	"sigs.k8s.io/yaml"

	"github.com/plexsphere/function-cloud-tags/example/internal/scenario"
)

// A drawnKind is a kind of resource, where its tags are, and keys that its cloud admits.
type drawnKind struct {
	apiVersion, kind, tags string
	keys                   []string

	// maps are how many of the maps it can have that patches read: not all keys are admitted by all clouds.
	maps int
}

var (
	anyKeys = []string{"env", "owner", "team"}
	awsKeys = append([]string{"acme:env", "a.b"}, anyKeys...)

	drawnKinds = []drawnKind{
		{"s3.aws.m.upbound.io/v1beta1", "Bucket", "tags", awsKeys, 3},
		{"dynamodb.aws.m.upbound.io/v1beta1", "Table", "tags", awsKeys, 3},
		{"azure.m.upbound.io/v1beta1", "ResourceGroup", "tags", awsKeys, 3},
		{"storage.gcp.m.upbound.io/v1beta1", "Bucket", "labels", anyKeys, 2},
		{"autoscaling.aws.m.upbound.io/v1beta1", "AutoscalingGroup", "tag", awsKeys, 3},
		{"things.example.org/v1", "Thing", "tags", anyKeys, 2},
		{"s3.aws.m.upbound.io/v1beta1", "BucketVersioning", "tags", anyKeys, 2},
	}
)

// mostly draws the first value nine times out of ten.
func mostly[T any](t *rapid.T, name string, first T, others ...T) T {
	if rapid.IntRange(0, 9).Draw(t, name+" is as ever") > 0 {
		return first
	}

	return rapid.SampledFrom(others).Draw(t, name)
}

// drawPatches of a resource of the kind, or of a set for one.
func drawPatches(t *rapid.T, k drawnKind, sets []string) (out []any) {
	for range rapid.IntRange(1, 5).Draw(t, "patches") {
		if len(sets) > 0 && rapid.IntRange(0, 3).Draw(t, "uses a set") == 0 {
			out = append(out, object{"type": "PatchSet", "patchSetName": rapid.SampledFrom(sets).Draw(t, "set")})
			continue
		}

		out = append(out, drawPatch(t, k))
	}

	return out
}

func drawPatch(t *rapid.T, k drawnKind) object {
	key := rapid.SampledFrom(k.keys).Draw(t, "key")
	field := "spec.forProvider." + k.tags

	to := mostly(t, "to", field+"["+key+"]", field+`["`+key+`"]`, "spec.forProvider.region", "metadata.annotations[note]", field+"[*]")
	if k.tags == "tag" {
		to = mostly(t, "to", field+rapid.SampledFrom([]string{"[0]", "[1]", "[2]"}).Draw(t, "index")+".value", field+"[0].key", field+"[*].value")
	}

	source := rapid.SampledFrom([]string{"Composite", "Composite", "Environment"}).Draw(t, "source")
	p := object{"type": "From" + source + "FieldPath", "toFieldPath": to, "fromFieldPath": drawPath(t, key)}

	kind := rapid.IntRange(0, 7).Draw(t, "kind of patch")

	switch kind {
	case 0, 1:
		p["fromFieldPath"] = rapid.SampledFrom([]string{"spec.labels", "spec.none", "spec.tags"}[:k.maps]).Draw(t, "map")
		if k.tags != "tag" {
			p["toFieldPath"] = field
		} else {
			p["toFieldPath"] = "metadata.annotations"
		}
	case 2:
		delete(p, "fromFieldPath")

		p["type"] = "CombineFrom" + source
		p["combine"] = object{
			"strategy":  "string",
			"variables": []any{object{"fromFieldPath": drawPath(t, key)}, object{"fromFieldPath": drawPath(t, key)}},
			"string":    object{"fmt": mostly(t, "format", "%s-%s", "x%s_%s", "%s-%v", "%s")},
		}

		fallthrough
	case 3:
		convert := "ToUpper"
		if k.tags == "labels" { // Google Cloud takes no upper case, so the label would be skipped.
			convert = "ToLower"
		}

		p["transforms"] = []any{mostly(t, "transform",
			object{"type": "string", "string": object{"type": "Format", "fmt": "x-%s"}},
			object{"type": "string", "string": object{"type": "Convert", "convert": convert}},
			object{"type": "string", "string": object{"type": "TrimPrefix", "trim": "a"}},
			object{"type": "map", "map": object{"a": "one", "b": "two", "c": "three"}},
		)}
	case 4:
		p["fromFieldPath"] = mostly(t, "not only text", "spec.number", "spec.one", "spec.yes", "spec.days")
		p["transforms"] = []any{object{"type": "convert", "convert": object{"toType": "string"}}}

		if p["fromFieldPath"] == "spec.days" {
			p["transforms"] = []any{object{"type": "convert", "convert": object{"toType": "int64"}}, object{"type": "string", "string": object{"type": "Format", "fmt": "n-%d"}}}
		}
	}

	policy := object{}
	if kind < 2 || mostly(t, "a policy", 0, 1) > 0 {
		policy["toFieldPath"] = rapid.SampledFrom([]string{"MergeObjects", "ForceMergeObjects", "Replace"}).Draw(t, "policy")
	}

	if mostly(t, "required", 0, 1) > 0 {
		policy["fromFieldPath"] = "Required"
	}

	if len(policy) > 0 {
		p["policy"] = policy
	}

	return p
}

// drawPath of a value.
func drawPath(t *rapid.T, key string) string {
	return mostly(t, "from", rapid.SampledFrom([]string{"spec.labels[" + key + "]", "spec.tags[" + key + "]"}).Draw(t, "of the key"),
		"spec.one", "metadata.labels[a.b/c]", "spec.labels.owner", "spec.none.env", "spec.list[0]", "spec.list[9]")
}

// drawBase of the kind.
func drawBase(t *rapid.T, k drawnKind, more ...string) object {
	provider := object{"region": "eu-central-1"}

	switch tags := drawTags(t, "base", k.keys, more...); {
	case k.tags == "tag":
		var list []any
		for _, key := range rapid.Permutation(k.keys).Draw(t, "entries") {
			list = append(list, object{"key": key, "value": "base", "propagateAtLaunch": true})
		}

		provider["tag"] = list
	case len(tags) > 0:
		provider[k.tags] = tags
	}

	return object{"apiVersion": k.apiVersion, "kind": k.kind, "spec": object{"forProvider": provider}}
}

// drawTags with some of the keys. More are values beside those that all tests have.
func drawTags(t *rapid.T, name string, keys []string, more ...string) object {
	out := object{}

	for _, key := range keys {
		if rapid.Bool().Draw(t, name+" has "+key) {
			out[key] = rapid.SampledFrom(append([]string{"a", "b", "c"}, more...)).Draw(t, name)
		}
	}

	return out
}

// drawValues that patches read.
func drawValues(t *rapid.T, name string, more []string) object {
	return object{
		"labels": drawTags(t, name+" labels", anyKeys, more...), "tags": drawTags(t, name+" tags", awsKeys, more...),
		"one": "a", "number": rapid.SampledFrom([]any{3, 4711000}).Draw(t, name), "yes": true, "days": 30, "list": []any{"first"}, "region": "eu-west-1",
	}
}

// TestMigrateAnyPatches proves that resources have the same tags once their patches are migrated, whatever these are.
func TestMigrateAnyPatches(t *testing.T) {
	m := newMover(t)
	moved, compared := 0, 0

	rapid.Check(t, func(t *rapid.T) {
		kinds := rapid.SliceOfN(rapid.SampledFrom(drawnKinds), 1, 3).Draw(t, "kinds")
		in := object{"apiVersion": "pt.fn.crossplane.io/v1beta1", "kind": "Resources"}

		var (
			names           []string
			sets, resources []any
		)

		for _, name := range []string{"one", "two"}[:rapid.IntRange(0, 2).Draw(t, "sets")] {
			if patches := drawPatches(t, kinds[0], nil); len(patches) > 0 {
				names, sets = append(names, name), append(sets, object{"name": name, "patches": patches})
			}
		}

		for i, k := range kinds {
			r := object{"name": string(rune('a' + i)), "base": drawBase(t, k, "")}
			if patches := drawPatches(t, k, names); len(patches) > 0 {
				r["patches"] = patches
			}

			resources = append(resources, r)
		}

		in["patchSets"], in["resources"] = sets, resources

		more := []string{""}
		if m.command.NoEmptyValues = rapid.Bool().Draw(t, "no empty values"); m.command.NoEmptyValues {
			more = nil
		}

		compared++
		if m.keeps(t, more, step(patchAndTransform, in)) {
			moved++
		}
	})

	t.Logf("of %d Compositions, %d were changed", compared, moved)

	if 3*moved < compared {
		t.Errorf("of %d Compositions that were drawn, only %d were changed: that proves little", compared, moved)
	}
}

// step of a pipeline that calls the function.
func step(function string, input object) object {
	return object{"step": function, "functionRef": object{"name": function}, "input": input}
}

// keeps migrates a Composition with the steps, and fails if any tag of an XR isn't the same. It returns false if nothing
// is migrated.
func (m *mover) keeps(t *rapid.T, more []string, steps ...any) bool {
	t.Helper()

	composition := object{
		"apiVersion": "apiextensions.crossplane.io/v1", "kind": "Composition", "metadata": object{"name": "drawn"},
		"spec": object{
			"compositeTypeRef": object{"apiVersion": "platform.example.org/v1alpha1", "kind": "Storage"}, "mode": "Pipeline", "pipeline": steps,
		},
	}
	xr := object{"apiVersion": "platform.example.org/v1alpha1", "kind": "Storage", "metadata": object{
		"namespace": "team-a", "name": "drawn", "labels": object{"a.b/c": "value"},
	}, "spec": drawValues(t, "XR", more)}
	context := object{"apiextensions.crossplane.io/environment": object{
		"apiVersion": "internal.crossplane.io/v1alpha1", "kind": "Environment", "spec": drawValues(t, "environment", more),
	}}

	for name, o := range map[string]object{"xr.yaml": xr, "context.yaml": context, "composition.yaml": composition} {
		text, err := yaml.Marshal(o)
		if err != nil {
			t.Fatal(err)
		}

		if err := os.WriteFile(filepath.Join(m.dir, name), text, 0o600); err != nil {
			t.Fatal(err)
		}
	}

	old, err := os.ReadFile(filepath.Join(m.dir, "composition.yaml"))
	if err != nil {
		t.Fatal(err)
	}

	was, err := scenario.BuiltIn{}.Render(t.Context(), scenario.Scenario{Name: "drawn", Dir: m.dir}, m.running)
	if err != nil {
		t.Fatal(err)
	}

	if was.Failed { // There is nothing to keep.
		t.Skip(was.Text)
	}

	var out, say strings.Builder

	c := m.command
	c.Paths, c.XR = []string{filepath.Join(m.dir, "composition.yaml")}, []string{filepath.Join(m.dir, "xr.yaml")}
	c.Context = filepath.Join(m.dir, "context.yaml")

	if err := c.Migrate(t.Context(), &out, &say); err != nil {
		t.Fatalf("Migrate(...): %v\n%s\nold:\n%s\nnew:\n%s", err, &say, old, &out)
	}

	return out.String() != string(old)
}

// drawEntries of the input of function-tag-manager: tags, or keys.
func drawEntries(t *rapid.T, kind string) (out []any) {
	for range rapid.IntRange(0, 3).Draw(t, kind) {
		e := object{"type": rapid.SampledFrom([]string{"FromValue", "FromCompositeFieldPath", "FromEnvironmentFieldPath"}).Draw(t, "type")}

		switch {
		case e["type"] != "FromValue":
			e["fromFieldPath"] = rapid.SampledFrom([]string{"spec.labels", "spec.tags", "spec.none"}).Draw(t, "from")
			if kind == "keys" {
				e["fromFieldPath"] = rapid.SampledFrom([]string{"spec.list", "spec.none"}).Draw(t, "from")
			}
		case kind == "keys":
			e["keys"] = rapid.SliceOf(rapid.SampledFrom(anyKeys)).Draw(t, "keys")
		default:
			e["tags"] = drawTags(t, "tags", awsKeys)
		}

		if policy := rapid.SampledFrom([]string{"", "Retain", "Replace"}).Draw(t, "policy"); policy != "" && kind == "tags" {
			e["policy"] = policy
		}

		out = append(out, e)
	}

	return out
}

// TestMigrateAnyTagManager proves the same of steps of function-tag-manager, after a step that makes resources.
// An empty value counts as none there.
func TestMigrateAnyTagManager(t *testing.T) {
	m := newMover(t)
	moved, compared := 0, 0

	m.running[tagManager] = tagManagerModel{}

	rapid.Check(t, func(t *rapid.T) {
		var resources []any

		for i, k := range rapid.SliceOfN(rapid.SampledFrom(drawnKinds[:4]), 1, 3).Draw(t, "kinds") {
			resources = append(resources, object{"name": string(rune('a' + i)), "base": drawBase(t, k)})
		}

		in := object{"apiVersion": "tag-manager.fn.crossplane.io/v1beta1", "kind": "ManagedTags"}
		in["addTags"], in["removeTags"] = drawEntries(t, "tags"), drawEntries(t, "keys")

		compared++
		if m.keeps(t, nil, step(patchAndTransform, object{"apiVersion": "pt.fn.crossplane.io/v1beta1", "kind": "Resources", "resources": resources}), step(tagManager, in)) {
			moved++
		}
	})

	t.Logf("of %d Compositions, %d were changed", compared, moved)

	if 2*moved < compared {
		t.Errorf("of %d Compositions that were drawn, only %d were changed: that proves little", compared, moved)
	}
}
