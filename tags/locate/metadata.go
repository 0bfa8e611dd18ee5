package locate

import (
	"cmp"

	"github.com/plexsphere/function-cloud-tags/tags/field"
	"github.com/plexsphere/function-cloud-tags/tags/object"
	"github.com/plexsphere/function-cloud-tags/tags/profile"
)

// A shownKind is a kind whose resources can show tags of EC2 instances in instance metadata. EC2 then refuses keys such as
// plexsphere:platform/env: see profile.InMetadata.
type shownKind struct {
	// kind matches API group and kind.
	kind profile.Pattern

	// enabled is the path of the field that says `enabled`, in a list of one item or in an object.
	enabled object.Path

	// tags is the path of an instance's own tags. A launch template has none: its instances get the tags of the item with
	// resourceType: instance.
	tags string
}

// shownKinds are all kinds with instanceMetadataTags. Instance of provider-aws hasn't got it, and Karpenter turns it off.
//
//	kind                   EC2 shows, if it is enabled             EC2 doesn't show
//	Instance               spec.forProvider.tags                   volumeTags, rootBlockDevice.tags
//	LaunchTemplate         tagSpecifications[instance].tags        spec.forProvider.tags, tagSpecifications[volume].tags
//	LaunchTemplateVersion  tagSpecifications[instance].tags below  tagSpecifications[volume].tags
//	                       spec.forProvider.launchTemplateData
//	SpotInstanceRequest                                            spec.forProvider.tags
var shownKinds = []shownKind{
	{profile.NewPattern("ec2.aws.*upbound.io/Instance"), object.MustParsePath("spec.forProvider.metadataOptions.instanceMetadataTags"), "spec.forProvider.tags"},
	{profile.NewPattern("ec2.aws.*upbound.io/LaunchTemplate"), object.MustParsePath("spec.forProvider.metadataOptions.instanceMetadataTags"), ""},
	{profile.NewPattern("ec2.aws.crossplane.io/LaunchTemplate*"), object.MustParsePath("spec.forProvider.launchTemplateData.metadataOptions.instanceMetadataTags"), ""},
	{profile.NewPattern("ec2.services.k8s.aws/Instance"), object.MustParsePath("spec.metadataOptions.instanceMetadataTags"), "spec.tags"},
	{profile.NewPattern("ec2.services.k8s.aws/LaunchTemplate"), object.MustParsePath("spec.data.metadataOptions.instanceMetadataTags"), ""},
}

// shownKindOf returns the shownKind of the kind k, or nil.
func shownKindOf(k *TargetKind) *shownKind {
	for i := range shownKinds {
		if s := &shownKinds[i]; s.kind.Matches(k.Group + "/" + k.Kind.Kind) {
			return s
		}
	}

	return nil
}

// addMetadataPlace gives the place p of the kind k the place of tags in instance metadata. By the clouds' rules, keys have another format
// there. By the contract's, the cloud's API refuses more of them.
func (ts *Targets) addMetadataPlace(k *TargetKind, p *Place) {
	if shownKindOf(k) == nil || p.Profile.HandsOn {
		return
	}

	shown := *p
	if ts.finder.Input.ProfileRules == profile.Cloud {
		shown.Profile = p.Profile.InMetadata()
	} else {
		shown.Refuser = cmp.Or(p.Refuser, p.Profile).InMetadata()
	}

	p.Shown = &shown
}

// atShown moves t to the place of tags in instance metadata, if EC2 shows the tags in t's field.
func (t *Target) atShown() {
	if t.Shown == nil || !t.showsTags {
		return
	}

	kind, path := shownKindOf(t.Kind), t.Field.Path

	around, _ := t.Resource.At(path.First(len(path.Segments()) - 1)) // An error means that there is no such object.
	if path.String() == kind.tags || around.Field("resourceType").IsText("instance") {
		t.Place, t.Profile = t.Shown, t.Shown.Profile
	}
}

// setting returns the value of instanceMetadataTags, or nothing if the resource doesn't have it.
func (k *shownKind) setting(resource object.Object) string {
	for v := range field.ValuesAt(resource, k.enabled) {
		return v.Text()
	}

	return ""
}

// IsShowable reports whether EC2 may show tags of t without a word of t: the defaults of an account and the settings of an AMI can
// turn instanceMetadataTags on, too.
func (t *Target) IsShowable() bool {
	return t.Place != nil && t.Shown != nil && shownKindOf(t.Kind).setting(t.Resource) == ""
}
