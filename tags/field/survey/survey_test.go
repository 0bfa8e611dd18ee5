package survey

import (
	"os"
	"slices"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"
	"google.golang.org/protobuf/testing/protocmp"
	"google.golang.org/protobuf/types/known/structpb"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/plexsphere/function-cloud-tags/tags/field"
	"github.com/plexsphere/function-cloud-tags/tags/manifest"
	objects "github.com/plexsphere/function-cloud-tags/tags/object"
	"github.com/plexsphere/function-cloud-tags/tags/tagstest"
)

// surveys are those beside the code. Tests don't change them.
var surveys = sync.OnceValues(func() (map[string]*Survey, error) { return ReadAll(os.DirFS(".")) })

func allSurveys(t *testing.T) map[string]*Survey {
	t.Helper()

	all, err := surveys()
	if err != nil || len(all) == 0 {
		t.Fatalf("want surveys that are as String writes them, got %d, %v", len(all), err)
	}

	return all
}

// TestString proves that a survey is written as it was read.
func TestString(t *testing.T) {
	size := 0

	for name, s := range allSurveys(t) {
		releases := slices.Clone(s.Releases)

		s.ForgetUpcoming()

		if !slices.Equal(releases, s.Releases) {
			t.Errorf("ForgetUpcoming(): %s has a default branch that says nothing of a release to come", name)
		}

		size += len(s.String())
	}

	if limit := 1_200_000; size > limit {
		t.Errorf("the surveys have %d bytes, more than %d", size, limit)
	}
}

// TestIndex tests that index.txt is what the surveys make.
func TestIndex(t *testing.T) {
	got, err := Index(allSurveys(t))
	if err != nil {
		t.Fatal(err)
	}

	want := tagstest.ReadFile(t, "../index.txt")

	if diff := cmp.Diff(string(want), got); diff != "" {
		t.Errorf("go generate changes index.txt: -is, +generated:\n%s", diff)
	}
}

// Surveying the definitions that we have, from which fields were cut, must find what the
// surveys have, and read as they do.
func TestPruneDefinitions(t *testing.T) {
	all := allSurveys(t)

	r := &manifest.Reader{Progress: os.Stderr}
	if err := r.Definitions([]string{"../testdata/crds", "../testdata/providers"}, func(d manifest.Definition) {
		want, got := field.Read(d.GroupVersionKind, objects.FromStruct(d.Schema).Node()), field.Read(d.GroupVersionKind, Prune(objects.FromStruct(d.Schema).Node()).Node())
		if diff := cmp.Diff(want, got, protocmp.Transform()); diff != "" {
			t.Errorf("%s: Read(...): -whole schema, +pruned:\n%s", d.GroupVersionKind, diff)
		}

		// A kind without tags needs no survey.
		if family, ok := field.FamilyOf(d.GroupKind()); ok && family.Profile == "" {
			return
		}

		for _, s := range all {
			for _, pruned := range s.Kinds[d.GroupVersionKind] {
				if field.Read(d.GroupVersionKind, pruned.Node()).WrittenAs(want) {
					return
				}
			}
		}

		t.Errorf("%s: the surveys don't have %v", d.GroupVersionKind, want)
	}); err != nil {
		t.Fatal(err)
	}
}

func TestPrune(t *testing.T) {
	var cases []struct {
		Name       string           `json:"name"`
		Reason     string           `json:"reason"`
		Properties *structpb.Struct `json:"properties"`
		Want       Schema           `json:"want"`
	}

	tagstest.ReadYAML(t, "testdata/prune.yaml", &cases)

	for _, tc := range cases {
		t.Run(tc.Name, func(t *testing.T) {
			s := &structpb.Struct{Fields: map[string]*structpb.Value{"properties": structpb.NewStructValue(tc.Properties)}}

			if diff := cmp.Diff(tc.Want, Prune(objects.FromStruct(s).Node())); diff != "" {
				t.Errorf("\n%s\nPrune(...): -want, +got:\n%s", tc.Reason, diff)
			}
		})
	}
}

// Kinds and schemas of a survey.
var (
	vpc    = schema.GroupVersionKind{Group: "ec2.aws.upbound.io", Version: "v1beta1", Kind: "VPC"}
	route  = schema.GroupVersionKind{Group: "ec2.aws.upbound.io", Version: "v1beta1", Kind: "Route"}
	fleet  = schema.GroupVersionKind{Group: "ec2.aws.upbound.io", Version: "v1beta2", Kind: "Fleet"}
	twin   = schema.GroupVersionKind{Group: "ec2.aws.m.upbound.io", Version: "v1beta1", Kind: "Route"}
	domain = schema.GroupVersionKind{Group: "simpledb.aws.upbound.io", Version: "v1beta1", Kind: "Domain"}
)

const (
	nothing  Schema = `{}`
	tags     Schema = `{"properties":{"spec":{"properties":{"forProvider":{"properties":{"tags":{"additionalProperties":{"type":"string"},"type":"object"}}}}}}}`
	reported Schema = `{"properties":{"spec":{"properties":{"forProvider":{"properties":{"tags":{"additionalProperties":{"type":"string"},"type":"object"}}}}},"status":{"properties":{"atProvider":{"properties":{"tags":{"additionalProperties":{"type":"string"},"type":"object"}}}}}}}`
	complete Schema = `{"properties":{"spec":{"properties":{"forProvider":{"properties":{"tags":{"additionalProperties":{"type":"string"},"type":"object"}}}}},"status":{"properties":{"atProvider":{"properties":{"tags":{"additionalProperties":{"type":"string"},"type":"object"},"tagsAll":{"additionalProperties":{"type":"string"},"type":"object"}}}}}}}`
)

// fourReleases are a survey of what can happen to kinds.
func fourReleases() *Survey {
	s := &Survey{Source: "example/provider"}

	for _, r := range []string{"v1.10.0", "v1.9.0", "v2.0.0", "v1.9.2"} {
		s.Add(r, route, nothing)
	}

	s.Add("v1.9.0", vpc, nothing)
	s.Add("v1.9.2", vpc, reported)
	s.Add("v1.10.0", vpc, reported)
	s.Add("v2.0.0", vpc, complete)
	s.Add("v1.9.2", fleet, tags)
	s.Add("v2.0.0", fleet, reported)
	s.Add("v2.0.0", twin, nothing)
	s.Add("v1.9.0", domain, nothing)
	s.Add("v1.9.2", domain, nothing)

	return s
}

// TestSurvey writes fourReleases to testdata/releases.txt, and reads it.
func TestSurvey(t *testing.T) {
	text := fourReleases().String()
	tagstest.Text(t, "testdata/releases.txt", text)

	s, err := Parse(text)
	if err != nil {
		t.Fatal(err)
	}

	if diff := cmp.Diff(fourReleases(), s); diff != "" {
		t.Errorf("Parse(...): -want, +got:\n%s", diff)
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

// A default branch is kept while it says more than releases do, and until the next release.
func TestForgetUpcoming(t *testing.T) {
	const branch, later = "v2.0.0-2026-08-05", "v2.0.0-2026-08-12"

	type says struct {
		release string
		kind    schema.GroupVersionKind
		pruned  Schema
	}

	host := schema.GroupVersionKind{Group: "ec2.aws.upbound.io", Version: "v1beta1", Kind: "Host"}

	for _, tc := range []struct {
		reason string
		add    []says
		want   []string
	}{
		{"Releases stay.", nil, nil},
		{"Without it nobody would know the kind.", []says{{branch, route, nothing}, {branch, host, nothing}}, []string{branch}},
		{"Without it the index would be certain that the kind has no tags.", []says{{branch, route, tags}}, []string{branch}},
		{"Without it the index would be certain of the field.", []says{{branch, fleet, nothing}}, []string{branch}},
		{"It has kinds that releases have, with the same fields, and not all of them.", []says{{branch, route, nothing}, {branch, vpc, complete}, {branch, fleet, tags}}, nil},
		{"What an older branch had says nothing of the release to come.", []says{{branch, route, tags}, {later, twin, tags}}, []string{later}},
		{"The newest branch has nothing more, and that before it doesn't count.", []says{{branch, route, tags}, {later, route, nothing}}, nil},
		{"The next release says it all.", []says{{branch, route, tags}, {"v2.0.1", route, nothing}}, []string{"v2.0.1"}},
	} {
		s := fourReleases()
		for _, said := range tc.add {
			s.Add(said.release, said.kind, said.pruned)
		}

		s.ForgetUpcoming()

		want := append([]string{"v1.9.0", "v1.9.2", "v1.10.0", "v2.0.0"}, tc.want...)
		if diff := cmp.Diff(want, s.Releases); diff != "" {
			t.Errorf("\n%s\nForgetUpcoming(): -want releases, +got:\n%s", tc.reason, diff)
		}
	}

	dated := &Survey{}
	dated.Add("2026-08-05", route, nothing)
	dated.Add("2026-08-12", route, nothing)

	dated.ForgetUpcoming()

	if len(dated.Releases) != 2 {
		t.Errorf("ForgetUpcoming(): want dates to be releases where no others are, got %v", dated.Releases)
	}
}

func TestParseRefuses(t *testing.T) {
	const source = "source example/provider\n"

	if _, err := Parse(source + "release v1\nrelease v2\n{}\n g/v1 v1..\n  A\n"); err != nil {
		t.Errorf("want no error of what is only right, got %s", err)
	}

	for _, text := range []string{
		"release v1\n{}\n g/v1 v2..\n  A\n",
		"release v1\nrelease v2\n{}\n g/v1 v2..v1\n  A\n",
		"release v1\n{}\n g/v1 v1..v2\n  A\n",
		"release v1\n{\n g/v1 v1..\n  A\n",
		"release v1\ntags=map\n g/v1 v1..\n  A\n",
	} {
		if s, err := Parse(source + text); err == nil {
			t.Errorf("Parse(%q): want an error, got %v", text, s)
		}
	}
}

func TestIndexOfReleases(t *testing.T) {
	got, err := Index(map[string]*Survey{"provider": fourReleases()})
	if err != nil {
		t.Fatal(err)
	}

	// A field that releases don't agree on is not sure. Their observed fields may differ.
	tagstest.Text(t, "testdata/releases-index.txt", got)

	other := &Survey{}
	other.Add("v1.0.0", route, tags)

	if _, err := Index(map[string]*Survey{"provider": fourReleases(), "other": other}); err == nil {
		t.Error("want an error of providers that don't agree")
	}

	// Settings can be of several providers.
	other.Add("v1.0.0", route, nothing)

	if _, err := Index(map[string]*Survey{"provider": fourReleases(), "other": other}); err != nil {
		t.Errorf("want no error of providers that agree, got %s", err)
	}
}

func TestUntwin(t *testing.T) {
	for group, want := range map[string]string{
		"ec2.aws.upbound.io":     "ec2.aws.m.upbound.io",
		"aws.upbound.io":         "aws.m.upbound.io",
		"sql.m.aws.upbound.io":   "sql.m.aws.m.upbound.io",
		"ec2.aws.m.upbound.io":   "ec2.aws.m.m.upbound.io",
		"dam.aws.crossplane.io":  "dam.aws.m.crossplane.io",
		"upbound.io":             "m.upbound.io",
		"gitlab.m.crossplane.io": "gitlab.m.m.crossplane.io",
		"x.am.io":                "x.m.am.io",
	} {
		got := field.Twin(group)
		if got != want {
			t.Errorf("Twin(%q): want %q, got %q", group, want, got)
		}

		if untwinned, isTwin := field.TwinOf(got); untwinned != group || !isTwin {
			t.Errorf("Untwin(%q): want %q, got %q, %t", got, group, untwinned, isTwin)
		}
	}

	for _, group := range []string{"ec2.aws.upbound.io", "m.argocd.crossplane.io", "ram.upbound.io", "x.ram.io", "", "m"} {
		if untwinned, isTwin := field.TwinOf(group); untwinned != group || isTwin {
			t.Errorf("Untwin(%q): want none, got %q", group, untwinned)
		}
	}
}

// Every field that a family has as tags is surveyed.
func TestNames(t *testing.T) {
	for _, name := range []string{"identityPoolTags", "labels", "resourceLabels", "tag", "tagSet", "tags", "userLabels", "userPoolTags", "allMetadata", "allTags", "effectiveLabels", "tagsAll", "terraformLabels", "metadata", "volumeTags"} {
		if !slices.Contains(looksLikeTags(), name) {
			t.Errorf("want %s among %v", name, looksLikeTags())
		}
	}
}
