package stamp

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"

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
	whyIgnored   = "is annotated " + IgnoreAnnotation + ": \"true\""
	whyAdopted   = "is adopted: its managementPolicies allow neither Create nor Update"
	whyNoField   = "has no tag field"
	whyUnknown   = "has no tag field that is known"
	whyLooksLike = whyUnknown + "; %s may mean other things: a tagFields entry can say that it carries tags"
	whyNoObject  = "has no apiVersion and kind"
)

// managedFields are the fields of a spec that all managed resources have. One that has
// no other is managed, too: a step may leave it to this function to make the rest.
var managedFields = []string{
	"providerConfigRef", "managementPolicies", "deletionPolicy", "writeConnectionSecretToRef", "publishConnectionDetailsTo", "initProvider",
}

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

	// leave is why the resource is left alone, or empty if it's not. NoField and
	// unknown say the same of its kind.
	leave            string
	noField, unknown bool
}

// Targets returns the supplied resources, sorted by name, with what the Stamper's
// Locator says of their tag fields. It returns the error of the supplied context once
// that has one.
func (s *Stamper) Targets(ctx context.Context, desired map[string]*fnv1.Resource) ([]Target, error) {
	out := make([]Target, 0, len(desired))

	manages := s.tags() || len(s.Input.Sources)+len(s.Input.RemoveTags)+len(s.Input.IgnoreTags)+len(s.Input.ReservedKeys) > 0

	for _, name := range slices.Sorted(maps.Keys(desired)) {
		if err := ctx.Err(); err != nil {
			return nil, err
		}

		t := Target{Name: name, Resource: desired[name].GetResource()}
		t.leave = leave(t.Resource)
		t.kind = s.kindOf(t.Resource)
		t.profile = s.profileOf(&t)

		for i := range s.Metadata {
			t.copied = append(t.copied, s.copiedFrom(&s.Input.KubernetesMetadata[i], &t))
		}

		// Resources from which all labels are gone are managed, too.
		t.managed = manages && s.selects(s.Input.Resources, &t)
		t.noField, t.unknown = false, false

		if t.managed && t.leave == "" {
			t.leave = s.locate(&t)
		}

		out = append(out, t)
	}

	return out, nil
}

// locate the tag field of the supplied target. It returns why it has none, or nothing.
func (s *Stamper) locate(t *Target) string {
	f, known := s.Fields.Locate(t.kind)
	t.field = f
	t.profile = s.profileOf(t)

	switch {
	case !known && t.kind.Managed:
		t.unknown = true
		return whyUnknown
	case !known:
		t.noField = true
		return whyNoField
	case f.Shape == field.None && f.LooksLike != "":
		t.noField = true
		return fmt.Sprintf(whyLooksLike, f.LooksLike)
	case f.Shape == field.None:
		t.noField = true
		return whyNoField
	default:
		t.located = true
		return ""
	}
}

// profileOf returns the tag profile of the supplied target. What the composite resource
// or a class says decides only where nothing else does.
func (s *Stamper) profileOf(t *Target) *tags.Profile {
	family, _ := field.FamilyOf(t.kind.Group)
	provider := cmp.Or(t.field.Profile, s.Input.ProviderValue(), family.Profile, s.Provider)

	return tags.Rules(s.Input.ProfileRules).ProfileOf(provider, t.kind.Group, t.kind.Kind)
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

	if family, ok := field.FamilyOf(k.Group); ok && family.Profile != "" {
		k.Profile = family.Profile
	} else if p := s.Input.ProviderValue(); p != "" {
		k.Profile = tags.ProfileOf(p).Name
	}

	k.Managed = k.Group != s.CompositeGroup && isManaged(k.Group, r)

	return k
}

// isManaged is true if the supplied resource of the supplied API group is one that a
// provider makes outside of the control plane.
func isManaged(group string, r *structpb.Struct) bool {
	if !strings.Contains(group, ".") || group == "k8s.io" || strings.HasSuffix(group, ".k8s.io") {
		return false
	}

	for name, v := range r.GetFields() {
		if !structpath.IsNull(v) && !slices.Contains([]string{"apiVersion", "kind", "metadata", "spec", "status"}, name) {
			return false
		}
	}

	spec := r.GetFields()["spec"]
	if structpath.IsNull(spec) {
		return true
	}

	fields := spec.GetStructValue().GetFields()
	if fields["forProvider"].GetStructValue() != nil {
		return true
	}

	for name, v := range fields {
		if !structpath.IsNull(v) && !slices.Contains(managedFields, name) {
			return false
		}
	}

	return spec.GetStructValue() != nil
}

func apiVersionOf(r *structpb.Struct) string { return r.GetFields()["apiVersion"].GetStringValue() }

func kindOf(r *structpb.Struct) string { return r.GetFields()["kind"].GetStringValue() }
