package locate

import (
	"cmp"
	"fmt"

	"github.com/plexsphere/function-cloud-tags/tags/field"
	"github.com/plexsphere/function-cloud-tags/tags/words"
)

// IgnoreAnnotation is an annotation of desired composed resources. If its value is "true", the function leaves the resource alone.
const IgnoreAnnotation = "cloudtags.fn.plexsphere.com/ignore"

// A Reason says why this function doesn't manage the tags of a resource.
type Reason int

const (
	// None means that this function manages the tags.
	None Reason = iota

	// NoObject is a resource without apiVersion or kind.
	NoObject

	// Ignored is a resource with the IgnoreAnnotation.
	Ignored

	// ObservedOnly is a resource whose managementPolicies have neither Create nor Update.
	ObservedOnly

	// Paused is a resource whose managementPolicies are an empty list: its provider does nothing at all.
	Paused

	// ReadOnly is a resource that a controller other than Crossplane's leaves alone, such as a Bucket of ACK with
	// services.k8s.aws/read-only: "true".
	ReadOnly

	// NotSelected is a resource that matches no entry of the input's resources.
	NotSelected

	// NotInCloud is a resource that an entry would select, but the provider doesn't report the tags in the entry's matchCloudTags.
	NotInCloud

	// NoField is a kind that is known to have no tag field, such as BucketPolicy.
	NoField

	// NoFieldDespiteEntry is a NoField kind with an entry of tagFields. The entry has no fieldPath. So it asks for the tag field that is
	// known of the kind, and there is none.
	NoFieldDespiteEntry

	// Undeclared is a kind with an entry of tagFields with shape Labels. The schema of the kind lacks the field of the entry.
	Undeclared

	// PossibleField is a kind with a field that may hold tags, or something else, such as spec.forProvider.labels.
	PossibleField

	// Unknown is a managed kind. Nothing says whether the kind has a tag field.
	Unknown

	// UnknownDespiteEntry is an Unknown kind. An entry of tagFields matches the kind, but has no fieldPath.
	UnknownDespiteEntry

	// Unlisted is a kind that isn't managed, and that the index lacks. Most such kinds, such as Deployment, are not in a cloud.
	Unlisted

	// OnRequest is a kind that is tagged only if an entry of tagFields names the kind: see field.Field.
	OnRequest

	// Composite is a composite resource without a tag field.
	Composite

	// Fixed is an existing resource whose tag field can't change, such as the parameters of a StorageClass.
	Fixed
)

const noFieldText = "has no tag field"

const unknownText = "isn't known to have a tag field"

// WhyLeftAlone returns r in words that follow the resource's name, such as "has no tag field". It returns "" for None.
func (t *Target) WhyLeftAlone(r Reason) string {
	switch r {
	case NoObject:
		return "has no apiVersion and kind"
	case Ignored:
		return "is annotated " + IgnoreAnnotation + ": \"true\""
	case ObservedOnly:
		return "is only observed: its managementPolicies have neither Create nor Update, so it gets no tags"
	case Paused:
		return "is paused: its managementPolicies are empty, so it gets no tags"
	case ReadOnly:
		c, _ := field.ControllerOf(t.Kind.Group)
		return fmt.Sprintf("is only observed: it gets no tags while %s is %q", c.Path, c.Value)
	case NotSelected:
		return "is not among the resources that the input selects"
	case NotInCloud:
		if t.exceptsCloudTags {
			return "isn't selected by matchCloudTags: its provider reports a tag that except names"
		}

		return "isn't selected by matchCloudTags: its provider reports no such tag (a tag that this step sets doesn't count)"
	case NoField:
		return noFieldText + t.manifestHint("; to tag the manifest of a cloud resource, add its kind to tagFields; to set labels on any manifest, add it")
	case NoFieldDespiteEntry:
		return noFieldText + "; its tagFields entry must set fieldPath and shape" + t.manifestHint(", e.g. to set labels on the manifest,")
	case Undeclared:
		return "can't get labels: its schema has no map of strings at " + t.Field.UndeclaredPath + ", which its tagFields entry names"
	case PossibleField:
		return unknownText + ": if " + t.Field.PossibleField.Path.String() + " is one" + t.adviceOf(t.Field.PossibleField)
	case Unknown:
		return unknownText + t.someReleasesHint() + t.nearestKindHint()
	case UnknownDespiteEntry:
		return unknownText + cmp.Or(t.someReleasesHint(), "; its tagFields entry must set fieldPath and shape")
	case Unlisted:
		return unknownText + ": if it has one" + t.tagFieldsAdvice("…", "…", "") + t.compositeHint()
	case OnRequest:
		return "is tagged only if a tagFields entry names its kind, since a later change of its tags is refused, ignored or replaces what runs"
	case Composite:
		return "is a composite resource: its own Composition needs a step, which tags what it composes; an entry of tagFields with shape: Labels hands it the labels"
	case Fixed:
		return "keeps the tags that it was made with: its " + t.Field.Path.String() + " can't change"
	case None:
	}

	return ""
}

// WhyUnselected returns why the input doesn't select t: NotInCloud if only matchCloudTags keeps t from being selected, or else NotSelected.
func (t *Target) WhyUnselected() Reason {
	// Place is nil before Locate.
	canHaveTags := t.Place != nil && t.NoFieldReason == None && !t.Profile.HandsLabelsOn
	if canHaveTags && t.ByCloudTags {
		return NotInCloud
	}

	return NotSelected
}

// tagFieldsAdvice returns the advice to add an entry for the kind of t to tagFields: ", add {apiVersion: acme.example.org/v1, kind:
// Shelf, fieldPath: spec.labels, shape: Map} to tagFields". more are other fields of the entry, such as ", keyValueList: {key: a, value: b}".
func (t *Target) tagFieldsAdvice(fieldPath string, shape field.Shape, more string) string {
	apiVersion, kind := t.Kind.Tagged().ToAPIVersionAndKind()
	return fmt.Sprintf(", add {apiVersion: %s, kind: %s, fieldPath: %s, shape: %s%s} to tagFields", words.Name(apiVersion), words.Name(kind), fieldPath, shape, more)
}

// compositeHint returns a hint for a resource in the API group of the XR, or "". The resource may be a composite resource, and nothing shows
// that before Crossplane makes it: see isComposite.
func (t *Target) compositeHint() string {
	if !t.Kind.inCompositeGroup || !t.Observed.IsZero() {
		return ""
	}

	return "; if it is a composite resource, its own Composition needs a step, or this entry has shape: Labels"
}

// someReleasesHint returns a hint at the tag field that the kind has in some releases of its provider, or "". For a GlobalAddress, it returns
// ": releases since v1.7.0 have spec.forProvider.labels of shape Map, and others have no such field: if yours has it, add {…} to tagFields".
// An entry of the kind without fieldPath would shadow a later one.
func (t *Target) someReleasesHint() string {
	v, ok := field.BuiltIn().InSomeReleases(t.Kind.Tagged(), t.Field.EntryProvider)
	if !ok {
		return ""
	}

	path := v.Field.Path.String()
	hint := fmt.Sprintf(": releases %s have %s of shape %s, and others have no such field", v.Since(), path, v.Field.Shape)

	if _, ok := field.ToTagField(t.Kind.Tagged(), v.Field); !ok {
		return hint
	}

	hint += ": if yours has it" + t.adviceOf(&v.Field)
	if t.Field.EntryLacksPath {
		hint += ", before the entry that it has"
	}

	return hint
}

// adviceOf returns the tagFieldsAdvice for the field f of t.
func (t *Target) adviceOf(f *field.Field) string {
	more := ""
	if entry, _ := field.ToTagField(t.Kind.Tagged(), *f); entry.KeyValueList != nil {
		more = fmt.Sprintf(", keyValueList: {key: %s, value: %s}", f.Key, f.Value)
	}

	if t.Field.EntryProvider != "" {
		more += ", provider: " + t.Field.EntryProvider
	}

	return t.tagFieldsAdvice(f.Path.String(), f.Shape, more)
}

// manifestHint returns the text advice, and after it " with fieldPath: spec.forProvider.manifest.metadata.labels and shape: Map". This is
// the field for labels of the manifest in an Object of provider-kubernetes. For other kinds, manifestHint returns "".
func (t *Target) manifestHint(advice string) string {
	if t.Kind.Wraps.Empty() {
		return ""
	}

	return advice + " with fieldPath: spec.forProvider.manifest.metadata.labels and shape: Map"
}

// nearestKindHint returns a hint at a kind with a similar name in the same API group, or "". For the kind Bukket, it returns
// "; of s3.aws.upbound.io the index knows Bucket".
func (t *Target) nearestKindHint() string {
	tagged := t.Kind.Tagged()

	kind, ok := words.Nearest(tagged.Kind, field.BuiltIn().Kinds(tagged.Group))
	if !ok || kind == tagged.Kind { // The index may know the kind in another apiVersion.
		return ""
	}

	return "; of " + tagged.Group + " the index knows " + kind
}

// IsUnknown reports whether r is about a managed kind of which nothing is known, not even a PossibleField.
func (r Reason) IsUnknown() bool { return r == Unknown || r == UnknownDespiteEntry }
