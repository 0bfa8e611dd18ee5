package field_test

import (
	"os"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"google.golang.org/protobuf/testing/protocmp"
	"google.golang.org/protobuf/types/known/structpb"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/plexsphere/function-cloud-tags/tags/field"
	"github.com/plexsphere/function-cloud-tags/tags/field/internal/survey"
	"github.com/plexsphere/function-cloud-tags/tags/object"
)

// countsAs is what facts about the meaning of tag fields say of a field in a survey,
// independently of how the families say it: the shape that the field counts as, or None
// if it doesn't count.
func countsAs(provider string, gvk schema.GroupVersionKind, path string, t field.Type) field.Shape {
	service, _, _ := strings.Cut(gvk.Group, ".")
	kind := service + "/" + gvk.Kind
	path = strings.ReplaceAll(strings.TrimPrefix(path, "spec.forProvider."), "[0]", "")

	isMap := t.Shape == field.Map

	switch provider {
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
		case path == "tags" && t.Shape == field.KeyValueList, path == "tagging.tagSet":
			return field.KeyValueList
		case path == "tags" && isMap, path == "identityPoolTags", path == "userPoolTags":
			return field.Map
		}
	case "azure", "azapi":
		if path == "tags" && isMap {
			return field.Map
		}
	case "gcp", "gcp-beta":
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
		case path == "metadata" && (gvk.Kind == "InstanceV2" || gvk.Kind == "VolumeV3" || gvk.Kind == "ShareV2"):
			return field.Map
		case path == "tags" && (service == "networking" || service == "lb" || gvk.Kind == "ImageV2" || gvk.Kind == "ProjectV3"):
			return field.StringList
		}
	case "digitalocean":
		if path == "tags" && t.Shape == field.StringList && kind != "networking/Firewall" && kind != "monitor/Alert" {
			return field.StringList
		}
	case "hetzner-hcloud", "hetzner-miaits", "hetzner-mrsimonemms":
		if path == "labels" && isMap {
			return field.Map
		}
	}

	return field.None
}

// typesOf adds the types of all fields in the supplied schema by their paths, which begin
// with the supplied one.
func typesOf(s *structpb.Struct, path string, types map[string]field.Type) {
	for name, v := range s.GetFields()["properties"].GetStructValue().GetFields() {
		of := v.GetStructValue()
		if t := field.TypeOf(of); t.Shape != "" {
			types[path+name] = t
		}

		typesOf(of, path+name+".", types)
		typesOf(of.GetFields()["items"].GetStructValue(), path+name+"[0].", types)
	}
}

// Of every kind of every release that was surveyed, what would be written without
// schemas is there, in its shape, and with schemas everything that counts is written.
func TestReleases(t *testing.T) {
	releases, kinds, taggable, unsure := 0, 0, 0, 0

	surveys, err := survey.ReadAll(os.DirFS("survey"))
	if err != nil {
		t.Fatal(err)
	}

	for provider, s := range surveys {
		releases += len(s.Releases)

		for gvk, byRelease := range s.Kinds {
			family, ok := field.FamilyOf(gvk.Group)
			if !ok {
				t.Errorf("%s is of no family", gvk)
			}

			k := field.Kind{GroupVersionKind: gvk, Profile: family.Profile, Managed: true}

			located, known := field.Chain{field.BuiltIn(), field.ByProfile{}}.Locate(k)
			if !known {
				unsure++
			}

			held := make(map[survey.Schema]int)
			for _, is := range byRelease {
				held[is]++
			}

			for is, n := range held {
				kinds += n
				want := counts(t, provider, gvk, is.Struct())

				if want.Shape != field.None {
					taggable += n
				}

				got := []field.Field{field.Read(gvk.GroupKind(), is.Struct())}
				if known {
					got = append(got, located)
				}

				for _, f := range got {
					if !f.Path.Equal(want.Path) || f.Shape != want.Shape || f.Atomic != want.Atomic {
						t.Errorf("%s of %s: want %s %s, atomic %t, got %s %s, atomic %t",
							gvk, provider, want.Shape, want.Path, want.Atomic, f.Shape, f.Path, f.Atomic)
					}

					if f.Shape == field.KeyValueList && (f.Key == "" || f.Value == "") || f.Shape == field.StringList && f.Separator == "" {
						t.Errorf("%s of %s: the entries of %s can't be written", gvk, provider, f.Path)
					}
				}
			}
		}
	}

	t.Logf("%d releases, %d versions of kinds, %d taggable; %d are not sure without a schema", releases, kinds, taggable, unsure)

	if releases < 100 || taggable < kinds/4 || taggable > kinds/2 {
		t.Errorf("want at least 100 releases and between a fourth and half of all kinds taggable")
	}
}

// counts returns the field of a kind that counts. A kind has at most one.
func counts(t *testing.T, provider string, gvk schema.GroupVersionKind, s *structpb.Struct) field.Field {
	t.Helper()

	out, types := field.Field{Shape: field.None}, make(map[string]field.Type)
	typesOf(s, "", types)

	for path, typ := range types {
		shape := countsAs(provider, gvk, path, typ)
		if !strings.HasPrefix(path, "spec.") || shape == field.None {
			continue
		}

		if out.Shape != field.None {
			t.Errorf("%s of %s: both %s and %s count", gvk, provider, out.Path, path)
		}

		out = field.Field{Path: object.MustParsePath(path), Shape: shape, Atomic: typ.Atomic}
	}

	return out
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
		"Unsure": {
			reason: "A field that only some releases have must be looked up in the schema of the one that is there.",
			gvk:    schema.GroupVersionKind{Group: "redis.gcp.m.upbound.io", Version: "v1beta1", Kind: "Cluster"},
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
		"ec2.aws.m.upbound.io":        true,
		"server.hcloud.crossplane.io": true,
		"cloud.hetzner.crossplane.io": true,
		"hcloud.crossplane.io":        false, // Only the provider's own settings.
		"hetzner.crossplane.io":       false,
		"aws.upbound.io":              false,
		"azure.upbound.io":            true,
		"invented.aws.m.upbound.io":   false,
		"kubernetes.m.crossplane.io":  false,
		"aws":                         false,
		"":                            false,
	} {
		if got := field.BuiltIn().HasGroup(group); got != want {
			t.Errorf("HasGroup(%q): want %t, got %t", group, want, got)
		}
	}
}

func TestLookupDoesNotAllocate(t *testing.T) {
	for _, k := range []field.Kind{vpc, unsure, invented, unmanaged} {
		if n := testing.AllocsPerRun(100, func() { field.BuiltIn().Locate(k) }); n != 0 {
			t.Errorf("%s: want no allocations, got %v", k, n)
		}
	}
}

// Kinds in and out of the index.
var (
	vpc       = field.Kind{GroupVersionKind: schema.GroupVersionKind{Group: "ec2.aws.m.upbound.io", Version: "v1beta1", Kind: "VPC"}}
	unsure    = field.Kind{GroupVersionKind: schema.GroupVersionKind{Group: "redis.gcp.m.upbound.io", Version: "v1beta1", Kind: "Cluster"}}
	invented  = field.Kind{GroupVersionKind: schema.GroupVersionKind{Group: "vm.example.org", Version: "v1", Kind: "Machine"}}
	unmanaged = field.Kind{GroupVersionKind: schema.GroupVersionKind{Group: "kubernetes.m.crossplane.io", Version: "v1alpha1", Kind: "Object"}}
)

func BenchmarkLookup(b *testing.B) {
	for name, k := range map[string]field.Kind{"Indexed": vpc, "Unknown": invented, "Unmanaged": unmanaged} {
		b.Run(name, func(b *testing.B) {
			i := field.BuiltIn()

			b.ReportAllocs()

			for b.Loop() {
				i.Locate(k)
			}
		})
	}
}
