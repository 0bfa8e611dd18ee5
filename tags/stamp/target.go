package stamp

import (
	"cmp"
	"maps"
	"slices"

	"google.golang.org/protobuf/types/known/structpb"
	"k8s.io/apimachinery/pkg/runtime/schema"

	fnv1 "github.com/crossplane/function-sdk-go/proto/v1"

	"github.com/plexsphere/function-cloud-tags/tags"
	"github.com/plexsphere/function-cloud-tags/tags/field"
	"github.com/plexsphere/function-cloud-tags/tags/structpath"
)

// IgnoreAnnotation on a desired composed resource, with the value "true", leaves the
// resource alone.
const IgnoreAnnotation = "cloudtags.fn.plexsphere.com/ignore"

// Reasons to leave a resource alone.
const (
	whyIgnored  = "is annotated " + IgnoreAnnotation + ": \"true\""
	whyAdopted  = "is adopted: its managementPolicies allow neither Create nor Update"
	whyNoField  = "has no tag field"
	whyUnknown  = "has no tag field that is known"
	whyNoObject = "has no apiVersion and kind"
)

// A Target is a desired composed resource and where its tags go.
type Target struct {
	Name     string
	Resource *structpb.Struct

	kind    field.Kind
	profile *tags.Profile

	// field that holds the tags, once the target is located.
	field   field.Field
	located bool

	// managed is true if the tags of the resource are to be managed.
	managed bool

	// copied are the names of the composed resources whose metadata is to be copied to
	// the resource, by the position of the input's rule. It is an empty one if the
	// metadata is another object's.
	copied [][]string

	// leave is why the resource is left alone, or empty if it's not.
	leave string
}

// Targets returns the supplied resources, sorted by name, with what the supplied
// Locator says of their tag fields.
func (s *Stamper) Targets(desired map[string]*fnv1.Resource) []Target {
	out := make([]Target, 0, len(desired))

	manages := s.tags() || len(s.Input.Sources)+len(s.Input.RemoveTags)+len(s.Input.IgnoreTags) > 0

	for _, name := range slices.Sorted(maps.Keys(desired)) {
		t := Target{Name: name, Resource: desired[name].GetResource()}
		t.leave = leave(t.Resource)
		t.kind = s.kindOf(t.Resource)
		t.profile = tags.Rules(s.Input.ProfileRules).ProfileOf(t.kind.Profile, field.ServiceOf(t.kind.GroupVersionKind))

		for i := range s.Metadata {
			t.copied = append(t.copied, s.copiedFrom(&s.Input.KubernetesMetadata[i], &t))
		}

		// Resources from which all labels are gone are managed, too.
		t.managed = manages && s.selects(s.Input.Resources, &t)
		if t.managed && t.leave == "" {
			t.leave = s.locate(&t)
		}

		out = append(out, t)
	}

	return out
}

// locate the tag field of the supplied target. It returns why it has none, or nothing.
func (s *Stamper) locate(t *Target) string {
	f, known := s.Fields.Locate(t.kind)

	switch {
	case !known:
		return whyUnknown
	case f.Shape == field.None:
		return whyNoField
	default:
		t.field, t.located = f, true
		return ""
	}
}

// leave returns why the supplied resource must be left alone, whatever its kind, or
// nothing.
func leave(r *structpb.Struct) string {
	if apiVersionOf(r) == "" || kindOf(r) == "" {
		return whyNoObject
	}

	meta := r.GetFields()["metadata"].GetStructValue().GetFields()
	if meta["annotations"].GetStructValue().GetFields()[IgnoreAnnotation].GetStringValue() == "true" {
		return whyIgnored
	}

	// Resources whose policies aren't given have all of them.
	policies, err := structpath.Get(r, "spec.managementPolicies")
	if err != nil || policies.GetListValue() == nil {
		return ""
	}

	for _, p := range policies.GetListValue().GetValues() {
		if s := p.GetStringValue(); s == "*" || s == "Create" || s == "Update" {
			return ""
		}
	}

	return whyAdopted
}

func (s *Stamper) kindOf(r *structpb.Struct) field.Kind {
	k := field.Kind{GroupVersionKind: schema.FromAPIVersionAndKind(apiVersionOf(r), kindOf(r))}

	if p := cmp.Or(s.Input.ProviderValue(), s.Provider); p != "" {
		k.Profile = tags.ProfileOf(p).Name
	} else if family, ok := field.FamilyOf(k.Group); ok {
		k.Profile = family.Profile
	}

	v, err := structpath.Get(r, "spec.forProvider")
	k.Managed = err == nil && v.GetStructValue() != nil

	return k
}

func apiVersionOf(r *structpb.Struct) string { return r.GetFields()["apiVersion"].GetStringValue() }

func kindOf(r *structpb.Struct) string { return r.GetFields()["kind"].GetStringValue() }
