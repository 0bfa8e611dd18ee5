package facts_test

import (
	"bytes"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"google.golang.org/protobuf/types/known/structpb"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"sigs.k8s.io/yaml"

	"github.com/plexsphere/function-cloud-tags/tags/field"
	"github.com/plexsphere/function-cloud-tags/tags/field/crds"
	"github.com/plexsphere/function-cloud-tags/tags/field/internal/facts"
)

const surveys = "../../survey"

// Whatever surveys a release again, and finds the same, changes nothing.
func TestWrite(t *testing.T) {
	files, err := filepath.Glob(surveys + "/*.txt")
	if err != nil || len(files) == 0 {
		t.Fatalf("want surveys, got %v, %v", files, err)
	}

	size := 0

	for _, file := range files {
		want, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}

		s, err := facts.Read(bytes.NewReader(want))
		if err != nil {
			t.Fatal(err)
		}

		got := &bytes.Buffer{}
		if err := s.Write(got); err != nil {
			t.Fatal(err)
		}

		if !bytes.Equal(want, got.Bytes()) {
			t.Errorf("Write(Read(...)): %s has changed", file)
		}

		size += len(want)
	}

	if limit := 600_000; size > limit {
		t.Errorf("the surveys have %d bytes, more than %d", size, limit)
	}
}

// Surveying the definitions that we have, from which fields were cut, must find nothing
// but what the surveys have.
func TestOf(t *testing.T) {
	all, err := facts.ReadAll(os.DirFS(surveys))
	if err != nil {
		t.Fatal(err)
	}

	r := &crds.Reader{Progress: os.Stderr}
	if err := r.Read([]string{"../../testdata/crds"}, func(d crds.Definition) {
		got := strings.Fields(string(facts.Of(d.Schema)))

		for _, s := range all {
			for _, f := range s.Kinds[d.GroupVersionKind] {
				has := strings.Fields(string(f))
				if !slices.ContainsFunc(got, func(fact string) bool { return !slices.Contains(has, fact) }) {
					return
				}
			}
		}

		t.Errorf("%s: the surveys don't have %q", d.GroupVersionKind, got)
	}); err != nil {
		t.Fatal(err)
	}
}

func TestFacts(t *testing.T) {
	cases := map[string]struct {
		reason string
		schema string
		want   facts.Facts
	}{
		"Nothing": {
			reason: "A kind can have nothing that looks like tags.",
			schema: `{spec: {properties: {forProvider: {properties: {region: {type: string}, tags: {type: string}}}}}}`,
			want:   "-",
		},
		"Types": {
			reason: "Types have all that matters to tags.",
			schema: `{
				spec: {properties: {forProvider: {properties: {
					labels: {type: object, additionalProperties: {type: string}},
					metadata: {type: object, x-kubernetes-map-type: atomic, additionalProperties: {type: string}},
					tag: {type: array, items: {type: object, required: [key], properties: {key: {type: string}, value: {type: string}}}},
					tagSet: {type: array, x-kubernetes-list-type: set, items: {type: string, maxLength: 60}},
					tags: {type: array, items: {type: string}},
					tagging: {type: array, x-kubernetes-list-type: map, items: {type: object}}
				}}}},
				status: {properties: {atProvider: {properties: {allTags: {type: array, items: {type: string}}}}}}
			}`,
			want: "labels=map metadata=map! tag=list!(key:string*,value:string) tagSet=strings(60) tagging=list tags=strings! <allTags=strings!",
		},
		"Nested": {
			reason: "Fields of objects and of entries of lists are seen, but nothing deeper.",
			schema: `{spec: {properties: {forProvider: {properties: {
				node: {properties: {labels: {type: object, additionalProperties: {type: string}}, disk: {properties: {labels: {type: object, additionalProperties: {type: string}}}}}},
				settings: {type: array, items: {type: object, properties: {userLabels: {type: object, additionalProperties: {type: string}}}}}
			}}}}}`,
			want: "node.labels=map settings[0].userLabels=map",
		},
	}

	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			properties := map[string]any{}
			if err := yaml.Unmarshal([]byte(tc.schema), &properties); err != nil {
				t.Fatal(err)
			}

			s, err := structpb.NewStruct(map[string]any{"properties": properties})
			if err != nil {
				t.Fatal(err)
			}

			got := facts.Of(s)
			if got != tc.want {
				t.Fatalf("\n%s\nOf(...): want %q, got %q", tc.reason, tc.want, got)
			}

			// What facts say is what the schema says.
			types, err := got.Schema()
			if err != nil {
				t.Fatal(err)
			}

			for path, typ := range types {
				if diff := cmp.Diff(field.NewOpenAPI(s).TypeOf(path), typ, cmp.Transformer("keys", func(f map[string]string) int { return len(f) })); diff != "" {
					t.Errorf("\n%s\nSchema().TypeOf(%q): -want, +got:\n%s", tc.reason, path, diff)
				}
			}
		})
	}
}

var (
	vpc    = schema.GroupVersionKind{Group: "ec2.aws.upbound.io", Version: "v1beta1", Kind: "VPC"}
	route  = schema.GroupVersionKind{Group: "ec2.aws.upbound.io", Version: "v1beta1", Kind: "Route"}
	fleet  = schema.GroupVersionKind{Group: "ec2.aws.upbound.io", Version: "v1beta2", Kind: "Fleet"}
	domain = schema.GroupVersionKind{Group: "simpledb.aws.upbound.io", Version: "v1beta1", Kind: "Domain"}
)

// fourReleases are a survey of what can happen to kinds.
func fourReleases() *facts.Survey {
	s := &facts.Survey{Source: "example/provider"}

	for _, r := range []string{"v1.10.0", "v1.9.0", "v2.0.0", "v1.9.2"} {
		s.Add(r, route, "-")
	}

	s.Add("v1.9.0", vpc, "-")
	s.Add("v1.9.2", vpc, "tags=map <tags=map")
	s.Add("v1.10.0", vpc, "tags=map <tags=map")
	s.Add("v2.0.0", vpc, "tags=map <tags=map <tagsAll=map")
	s.Add("v1.9.2", fleet, "tags=map")
	s.Add("v2.0.0", fleet, "tags=map <tags=map")
	s.Add("v1.9.0", domain, "-")
	s.Add("v1.9.2", domain, "-")

	return s
}

func TestSurvey(t *testing.T) {
	const want = `source example/provider
release v1.9.0
release v1.9.2
release v1.10.0
release v2.0.0
ec2.aws.upbound.io
 v1beta1 v1.9.0..: -
  Route
 v1beta1 v1.9.0: -
  VPC
 v1beta1 v1.9.2..v1.10.0: tags=map <tags=map
  VPC
 v1beta1 v2.0.0..: tags=map <tags=map <tagsAll=map
  VPC
 v1beta2 v1.9.2: tags=map
  Fleet
 v1beta2 v2.0.0..: tags=map <tags=map
  Fleet
simpledb.aws.upbound.io
 v1beta1 v1.9.0..v1.9.2: -
  Domain
`

	got := &strings.Builder{}
	if err := fourReleases().Write(got); err != nil {
		t.Fatal(err)
	}

	if diff := cmp.Diff(want, got.String()); diff != "" {
		t.Errorf("Write(...): -want, +got:\n%s", diff)
	}

	s, err := facts.Read(strings.NewReader(want))
	if err != nil {
		t.Fatal(err)
	}

	if diff := cmp.Diff(fourReleases(), s); diff != "" {
		t.Errorf("Read(...): -want, +got:\n%s", diff)
	}
}

func TestForget(t *testing.T) {
	s := fourReleases()
	s.Forget("v1.9.0")
	s.Forget("v1.9.2")
	s.Forget("v0.1.0")

	if diff := cmp.Diff([]string{"v1.10.0", "v2.0.0"}, s.Releases); diff != "" {
		t.Errorf("Forget(...): -want releases, +got:\n%s", diff)
	}

	if _, ok := s.Kinds[domain]; ok {
		t.Error("want no kinds that no release serves")
	}
}

func TestReadRefuses(t *testing.T) {
	for _, text := range []string{
		"release v1\ng\n v1 v2..: -\n  A\n",
		"release v1\ng\n v1 v1..v0: -\n  A\n",
		"release v1\ng\n v1 v1..: tags\n  A\n",
		"release v1\ng\n v1 v1..: tags=bag\n  A\n",
		"release v1\ng\n v1 v1..: tags=strings(many)\n  A\n",
	} {
		if s, err := facts.Read(strings.NewReader(text)); err == nil {
			t.Errorf("Read(%q): want an error, got %v", text, s)
		}
	}
}

func TestNewIndex(t *testing.T) {
	i, err := facts.NewIndex(fourReleases())
	if err != nil {
		t.Fatal(err)
	}

	// A field that releases don't agree on is not sure. What they report may differ.
	const want = `ec2.aws.upbound.io
 v1beta1: -
  Route
 v1beta1: @v1.9.0 -; @v1.9.2.. tags Map - tagsAll,tags
  VPC
 v1beta2: @v1.9.2,v2.0.0.. tags Map - tags
  Fleet
simpledb.aws.upbound.io v1.9.0..v1.9.2
 v1beta1: -
  Domain
`

	if diff := cmp.Diff(want, field.FormatIndex(i.All(), i.Groups)); diff != "" {
		t.Errorf("NewIndex(...): -want, +got:\n%s", diff)
	}

	other := &facts.Survey{}
	other.Add("v1.0.0", route, "tags=map")

	if _, err := facts.NewIndex(fourReleases(), other); err == nil {
		t.Error("want an error of providers that don't agree")
	}
}
