package locate

import (
	"cmp"

	"github.com/plexsphere/function-cloud-tags/tags/field"
	"github.com/plexsphere/function-cloud-tags/tags/object"
	"github.com/plexsphere/function-cloud-tags/tags/profile"
)

// An instanceMetadataKind is a kind whose resources can show tags of EC2 instances in instance metadata. EC2 then refuses
// keys such as plexsphere:platform/env, for their slash: see profile.InMetadata.
type instanceMetadataKind struct {
	// kind matches API group and kind.
	kind profile.Pattern

	// switchPath is the path of instanceMetadataTags. EC2 shows tags if it is `enabled`.
	switchPath object.Path

	// tagsPath is the path of an instance's own tags. It is empty for a launch template: its instances get the tags of the
	// item of tagSpecifications with resourceType: instance.
	tagsPath string
}

// instanceMetadataKinds are all kinds with the field instanceMetadataTags. Instance of provider-aws lacks this field, and
// Karpenter turns it off.
//
//	kind                   EC2 shows, if it is enabled             EC2 doesn't show
//	Instance               spec.forProvider.tags                   volumeTags, rootBlockDevice.tags
//	LaunchTemplate         tagSpecifications[instance].tags        spec.forProvider.tags, tagSpecifications[volume].tags
//	LaunchTemplateVersion  tagSpecifications[instance].tags below  tagSpecifications[volume].tags
//	                       spec.forProvider.launchTemplateData
//	SpotInstanceRequest                                            spec.forProvider.tags
var instanceMetadataKinds = []instanceMetadataKind{
	{profile.NewPattern("ec2.aws.*upbound.io/Instance"), object.MustParsePath("spec.forProvider.metadataOptions.instanceMetadataTags"), "spec.forProvider.tags"},
	{profile.NewPattern("ec2.aws.*upbound.io/LaunchTemplate"), object.MustParsePath("spec.forProvider.metadataOptions.instanceMetadataTags"), ""},
	{profile.NewPattern("ec2.aws.crossplane.io/LaunchTemplate*"), object.MustParsePath("spec.forProvider.launchTemplateData.metadataOptions.instanceMetadataTags"), ""},
	{profile.NewPattern("ec2.services.k8s.aws/Instance"), object.MustParsePath("spec.metadataOptions.instanceMetadataTags"), "spec.tags"},
	{profile.NewPattern("ec2.services.k8s.aws/LaunchTemplate"), object.MustParsePath("spec.data.metadataOptions.instanceMetadataTags"), ""},
}

// instanceMetadataKindOf returns the instanceMetadataKind of the kind k. It returns nil if EC2 never shows its tags.
func instanceMetadataKindOf(k *TargetKind) *instanceMetadataKind {
	for i := range instanceMetadataKinds {
		if s := &instanceMetadataKinds[i]; s.kind.Matches(k.Group + "/" + k.Kind.Kind) {
			return s
		}
	}

	return nil
}

// setForInstanceMetadata sets p.ForInstanceMetadata if EC2 can show tags of the kind k in instance metadata. With
// profileRules Cloud, its profile skips keys such as platform/env. By the contract, the label stays a tag, and its APIProfile
// says that EC2 refuses it.
func (ts *Targets) setForInstanceMetadata(k *TargetKind, p *Place) {
	if instanceMetadataKindOf(k) == nil || p.Profile.PassesLabelsOn {
		return
	}

	instanceMetadataPlace := *p
	if ts.finder.Input.ProfileRules == profile.Cloud {
		instanceMetadataPlace.Profile = p.Profile.InMetadata()
	} else {
		instanceMetadataPlace.APIProfile = cmp.Or(p.APIProfile, p.Profile).InMetadata()
	}

	p.ForInstanceMetadata = &instanceMetadataPlace
}

// applyInstanceMetadataRules gives t the key rules of EC2 instance metadata, if EC2 shows the tags of t's field there.
func (t *Target) applyInstanceMetadataRules() {
	if t.ForInstanceMetadata == nil || !t.inInstanceMetadata {
		return
	}

	kind, path := instanceMetadataKindOf(t.Kind), t.Field.Path

	parent, _ := t.Resource.At(path.First(len(path.Segments()) - 1)) // An error means that the object doesn't exist.
	if path.String() == kind.tagsPath || parent.Field("resourceType").IsText("instance") {
		t.Place, t.Profile = t.ForInstanceMetadata, t.ForInstanceMetadata.Profile
	}
}

// instanceMetadataTags returns the value of instanceMetadataTags, such as `enabled`, or "" if the resource doesn't set it.
func (k *instanceMetadataKind) instanceMetadataTags(resource object.Object) string {
	for v := range field.ValuesAt(resource, k.switchPath) {
		return v.Text()
	}

	return ""
}

// MayBeInInstanceMetadata reports whether t leaves instanceMetadataTags unset, so that EC2 may show its tags nevertheless: the
// defaults of an account and the settings of an AMI can turn it on, too.
func (t *Target) MayBeInInstanceMetadata() bool {
	return t.Place != nil && t.ForInstanceMetadata != nil && instanceMetadataKindOf(t.Kind).instanceMetadataTags(t.Resource) == ""
}
