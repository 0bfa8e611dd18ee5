package field_test

import (
	"os"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"google.golang.org/protobuf/testing/protocmp"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/plexsphere/function-cloud-tags/tags/field"
	"github.com/plexsphere/function-cloud-tags/tags/field/internal/facts"
)

func survey(t *testing.T) []facts.Line {
	t.Helper()

	f, err := os.Open("testdata/tag-fields.tsv.gz")
	if err != nil {
		t.Fatal(err)
	}

	defer f.Close() //nolint:errcheck // Only read.

	lines, err := facts.Read(f)
	if err != nil {
		t.Fatal(err)
	}

	return lines
}

func TestIndexIsGenerated(t *testing.T) {
	b, err := os.ReadFile("index.txt")
	if err != nil {
		t.Fatal(err)
	}

	_, got, ok := strings.Cut(string(b), "do not edit.\n")
	if !ok {
		t.Fatal("index.txt doesn't say that it must not be edited")
	}

	if diff := cmp.Diff(field.FormatIndex(facts.Index(survey(t))), got); diff != "" {
		t.Errorf("index.txt is not what go generate writes: -want, +got:\n%s", diff)
	}

	if diff := cmp.Diff(got, field.FormatIndex(field.BuiltIn().All())); diff != "" {
		t.Errorf("FormatIndex(BuiltIn().All()): -want index.txt, +got:\n%s", diff)
	}
}

// countsAs is what facts about the meaning of tag fields say of one line of the
// survey, independently of how the dialects say it: the shape that the field counts
// as, or None if it doesn't count.
func countsAs(l facts.Line) field.Shape {
	service, _, _ := strings.Cut(l.Group, ".")
	kind := service + "/" + l.Kind
	path := strings.TrimPrefix(l.Path, "spec.forProvider.")

	isMap := l.Shape == "map<string>"
	isObjects := strings.HasPrefix(l.Shape, "list{")
	isStrings := strings.HasPrefix(l.Shape, "list<string>")

	switch l.Provider {
	case "aws":
		switch {
		case kind == "inspector/ResourceGroup":
			return field.None
		case kind == "autoscaling/AutoscalingGroup" && path == "tag":
			return field.KeyValueList
		case path == "tags" && isMap:
			return field.Map
		}
	case "aws-classic":
		switch {
		case path == "tags" && isObjects, path == "tagging.tagSet":
			return field.KeyValueList
		case path == "tags" && isMap, path == "identityPoolTags", path == "userPoolTags":
			return field.Map
		}
	case "azure":
		if path == "tags" && isMap {
			return field.Map
		}
	case "gcp":
		switch {
		case kind == "cloudidentity/Group":
			return field.None
		case kind == "monitoring/NotificationChannel" && path == "labels":
			return field.None
		case path == "labels" && isMap, path == "userLabels", path == "resourceLabels",
			kind == "sql/DatabaseInstance" && path == "settings.userLabels",
			kind == "container/NodePool" && path == "nodeConfig.resourceLabels",
			kind == "cloudrun/Service" && path == "metadata.labels":
			return field.Map
		}
	case "openstack":
		switch {
		case path == "metadata" && (l.Kind == "InstanceV2" || l.Kind == "VolumeV3" || l.Kind == "ShareV2"):
			return field.Map
		case path == "tags" && (service == "networking" || service == "lb" || l.Kind == "ImageV2" || l.Kind == "ProjectV3"):
			return field.StringList
		}
	case "digitalocean":
		if path == "tags" && isStrings && kind != "networking/Firewall" && kind != "monitor/Alert" {
			return field.StringList
		}
	case "hetzner":
		if path == "labels" && isMap {
			return field.Map
		}
	}

	return field.None
}

func TestLocateEveryLineOfTheSurvey(t *testing.T) {
	lines, taggable := 0, 0

	for _, k := range facts.Kinds(survey(t)) {
		gvk := k.Lines[0].GroupVersionKind

		// A kind has at most one field that counts.
		want := field.Field{Shape: field.None}

		for _, l := range k.Lines {
			lines++

			s := countsAs(l)
			if s == field.None {
				continue
			}

			if want.Shape != field.None {
				t.Errorf("%s: both %s and %s count", gvk, want.Path, l.Path)
			}

			want.Path, want.Shape = l.Path, s
			want.Atomic = s != field.Map && !strings.Contains(l.Shape, "listType=set")

			taggable++
		}

		got, ok := field.BuiltIn().Locate(field.Kind{GroupVersionKind: gvk})
		if !ok {
			t.Errorf("%s: not located", gvk)
			continue
		}

		if got.Path != want.Path || got.Shape != want.Shape || got.Atomic != want.Atomic {
			t.Errorf("%s: want %s %s, atomic %t, got %s %s, atomic %t",
				gvk, want.Shape, want.Path, want.Atomic, got.Shape, got.Path, got.Atomic)
		}

		if got.Shape == field.KeyValueList && (got.Key == "" || got.Value == "") || got.Shape == field.StringList && got.Separator == "" {
			t.Errorf("%s: the entries of %s can't be written", gvk, got.Path)
		}
	}

	if lines != 5769 {
		t.Errorf("want 5769 lines, got %d", lines)
	}

	// Between a third and half of all kinds.
	if taggable != 2481 {
		t.Errorf("want 2481 taggable kinds, got %d", taggable)
	}
}

func TestIndexLocate(t *testing.T) {
	cases := map[string]struct {
		reason string
		gvk    schema.GroupVersionKind
		want   field.Field
		ok     bool
	}{
		"NewKindOfAProvider": {
			reason: "A kind that a later version of a provider brings must be looked up in its schema.",
			gvk:    schema.GroupVersionKind{Group: "ec2.aws.m.upbound.io", Version: "v1beta1", Kind: "Invented"},
		},
		"NewVersionOfAKind": {
			reason: "Another version of a kind can have another tag field.",
			gvk:    schema.GroupVersionKind{Group: "ec2.aws.m.upbound.io", Version: "v1beta9", Kind: "VPC"},
		},
		"OtherProvider": {
			reason: "What a provider that we don't know has isn't known.",
			gvk:    schema.GroupVersionKind{Group: "vm.example.org", Version: "v1", Kind: "Machine"},
		},
		"Unmanaged": {
			reason: "A provider that makes no resources of a cloud has nothing to tag, whatever its kinds are.",
			gvk:    schema.GroupVersionKind{Group: "kubernetes.m.crossplane.io", Version: "v1alpha1", Kind: "Object"},
			want:   field.Field{Shape: field.None},
			ok:     true,
		},
		"Kubernetes": {
			reason: "Composed resources of Kubernetes itself have nothing to tag.",
			gvk:    schema.GroupVersionKind{Group: "apps", Version: "v1", Kind: "Deployment"},
			want:   field.Field{Shape: field.None},
			ok:     true,
		},
	}

	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			got, ok := field.BuiltIn().Locate(field.Kind{GroupVersionKind: tc.gvk})

			if diff := cmp.Diff(tc.want, got, protocmp.Transform()); diff != "" {
				t.Errorf("\n%s\nLocate(...): -want, +got:\n%s", tc.reason, diff)
			}

			if ok != tc.ok {
				t.Errorf("\n%s\nLocate(...): want %t, got %t", tc.reason, tc.ok, ok)
			}
		})
	}
}

func TestIndexHasGroup(t *testing.T) {
	for group, want := range map[string]bool{
		"ec2.aws.m.upbound.io":       true,
		"hetzner.crossplane.io":      true,
		"invented.aws.m.upbound.io":  false,
		"kubernetes.m.crossplane.io": false,
		"aws":                        false,
		"":                           false,
	} {
		if got := field.BuiltIn().HasGroup(group); got != want {
			t.Errorf("HasGroup(%q): want %t, got %t", group, want, got)
		}
	}
}

func TestLookupDoesNotAllocate(t *testing.T) {
	for _, k := range []field.Kind{vpc, invented, object} {
		if n := testing.AllocsPerRun(100, func() { field.BuiltIn().Locate(k) }); n != 0 {
			t.Errorf("%s: want no allocations, got %v", k, n)
		}
	}
}

// Kinds in and out of the index.
var (
	vpc      = field.Kind{GroupVersionKind: schema.GroupVersionKind{Group: "ec2.aws.m.upbound.io", Version: "v1beta1", Kind: "VPC"}}
	invented = field.Kind{GroupVersionKind: schema.GroupVersionKind{Group: "vm.example.org", Version: "v1", Kind: "Machine"}}
	object   = field.Kind{GroupVersionKind: schema.GroupVersionKind{Group: "kubernetes.m.crossplane.io", Version: "v1alpha1", Kind: "Object"}}
)

func BenchmarkLookup(b *testing.B) {
	for name, k := range map[string]field.Kind{"Indexed": vpc, "Unknown": invented, "Unmanaged": object} {
		b.Run(name, func(b *testing.B) {
			i := field.BuiltIn()

			b.ReportAllocs()

			for b.Loop() {
				i.Locate(k)
			}
		})
	}
}
