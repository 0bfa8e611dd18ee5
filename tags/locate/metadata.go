package locate

import (
	"cmp"

	"github.com/plexsphere/function-cloud-tags/tags/field"
	"github.com/plexsphere/function-cloud-tags/tags/object"
	"github.com/plexsphere/function-cloud-tags/tags/profile"
)

// An instanceMetadataKind is a kind whose resources can show tags of EC2 instances in instance metadata. EC2 then refuses a
// slash in keys, such as plexsphere:platform/env: see profile.InMetadata.
type instanceMetadataKind struct {
	// kind matches API group and kind.
	kind profile.Pattern

	// switchPath is the path of instanceMetadataTags. EC2 shows tags if that field has the value `enabled`.
	switchPath object.Path

	// tagsPath is the path of an instance's own tags. A launch template has none: its instances get the tags of the item of
	// tagSpecifications with resourceType: instance.
	tagsPath string
}

// instanceMetadataKinds are all kinds with the field instanceMetadataTags, except SpotInstanceRequest: EC2 shows none of its tags.
// The Instance of provider-aws isn't here, since it lacks this field. No kind of Karpenter is, since Karpenter sets `disabled`.
//
//	kind                   EC2 shows, if `enabled`                              EC2 doesn't show
//	Instance               spec.forProvider.tags                                volumeTags, rootBlockDevice.tags
//	LaunchTemplate         tagSpecifications[instance].tags                     spec.forProvider.tags, tagSpecifications[volume].tags
//	LaunchTemplateVersion  launchTemplateData.tagSpecifications[instance].tags  launchTemplateData.tagSpecifications[volume].tags
//	SpotInstanceRequest                                                         spec.forProvider.tags
//
// The table has kinds of Upbound's provider, but LaunchTemplateVersion is a kind of provider-aws.
var instanceMetadataKinds = []*instanceMetadataKind{
	{kind: "ec2.aws.*upbound.io/Instance", switchPath: object.MustParsePath("spec.forProvider.metadataOptions.instanceMetadataTags"), tagsPath: "spec.forProvider.tags"},
	{kind: "ec2.aws.*upbound.io/LaunchTemplate", switchPath: object.MustParsePath("spec.forProvider.metadataOptions.instanceMetadataTags")},
	{kind: "ec2.aws.crossplane.io/LaunchTemplate*", switchPath: object.MustParsePath("spec.forProvider.launchTemplateData.metadataOptions.instanceMetadataTags")},
	{kind: "ec2.services.k8s.aws/Instance", switchPath: object.MustParsePath("spec.metadataOptions.instanceMetadataTags"), tagsPath: "spec.tags"},
	{kind: "ec2.services.k8s.aws/LaunchTemplate", switchPath: object.MustParsePath("spec.data.metadataOptions.instanceMetadataTags")},
}

// instanceMetadataKindOf returns the instanceMetadataKind of the kind k. It returns nil if EC2 never shows tags of k.
func instanceMetadataKindOf(k *TargetKind) *instanceMetadataKind {
	for _, m := range instanceMetadataKinds {
		if m.kind.Matches(k.Group + "/" + k.Kind.Kind) {
			return m
		}
	}

	return nil
}

// setPlaceForInstanceMetadata sets p.ForInstanceMetadata if EC2 can show tags of the kind k in instance metadata. It is a copy of p. With
// profileRules: Cloud, its Profile gives the label platform/env the key plexsphere:platform.env. With other profileRules, its APIProfile
// refuses the key plexsphere:platform/env, as EC2 does.
func (ts *Targets) setPlaceForInstanceMetadata(k *TargetKind, p *Place) {
	if instanceMetadataKindOf(k) == nil || p.Profile.HandsLabelsOn { // Labels that are handed on are no tags.
		return
	}

	inMetadata := *p
	if ts.finder.Input.ProfileRules == profile.Cloud {
		inMetadata.Profile = p.Profile.InMetadata()
	} else {
		inMetadata.APIProfile = cmp.Or(p.APIProfile, p.Profile).InMetadata() // Without an APIProfile, the API has the rules of Profile.
	}

	p.ForInstanceMetadata = &inMetadata
}

// applyInstanceMetadataRules gives t the key rules of EC2 instance metadata, if EC2 shows the tags of t's field in it.
func (t *Target) applyInstanceMetadataRules() {
	if t.ForInstanceMetadata == nil || !t.metadataTagsEnabled {
		return
	}

	kind, path := instanceMetadataKindOf(t.Kind), t.Field.Path

	// These are tags of an instance if they are at tagsPath, or in the item of tagSpecifications with resourceType: instance. For an item,
	// t.Resource is the item, and the path is tags, so the parent is the item: see LaunchedTarget.
	parent, _ := t.Resource.At(path.First(len(path.Segments()) - 1)) // An error means that there is no such object.
	if path.String() == kind.tagsPath || parent.Field("resourceType").IsText("instance") {
		t.setPlace(t.ForInstanceMetadata)
	}
}

// switchValue returns the value at switchPath, such as `enabled`, or "" if the resource doesn't set instanceMetadataTags.
func (k *instanceMetadataKind) switchValue(resource object.Object) string {
	for value := range field.ValuesAt(resource, k.switchPath) {
		return value.Text()
	}

	return ""
}

// MayBeInInstanceMetadata reports whether EC2 may show tags of t although t doesn't set instanceMetadataTags: the defaults of an
// account and the settings of an AMI have this setting, too. It returns false if t sets
// instanceMetadataTags.
func (t *Target) MayBeInInstanceMetadata() bool {
	return t.Place != nil && t.ForInstanceMetadata != nil && instanceMetadataKindOf(t.Kind).switchValue(t.Resource) == ""
}
