package locate

import (
	"fmt"

	"github.com/plexsphere/function-cloud-tags/tags/field"
	"github.com/plexsphere/function-cloud-tags/tags/words"
)

// IgnoreAnnotation on a desired composed resource, with the value "true", leaves the resource
// alone.
const IgnoreAnnotation = "cloudtags.fn.plexsphere.com/ignore"

// A Reason is why the tags of a resource are not managed.
type Reason int

const (
	// None is no reason.
	None Reason = iota

	// NoObject has no apiVersion and kind.
	NoObject

	// Ignored resources have the IgnoreAnnotation.
	Ignored

	// ObservedOnly resources are only observed, by their managementPolicies.
	ObservedOnly

	// ReadOnly resources are only observed by another controller than a provider of Crossplane.
	ReadOnly

	// NotSelected resources are not among those that the input selects.
	NotSelected

	// NotInCloud is NotSelected of a resource that matchCloudTags would select, if its provider reported the tags.
	NotInCloud

	// NoField is a kind that is known to have no tag field.
	NoField

	// NotAsked is NoField of a kind that an entry of tagFields matches, which asks for no field.
	NotAsked

	// Undeclared is a kind without the field, by its schema, to which an entry of tagFields hands labels on.
	Undeclared

	// LooksLike is a kind with a field that may hold tags or something else.
	LooksLike

	// Unknown is a managed kind that may or may not have a tag field.
	Unknown

	// Asked is Unknown of a kind that an entry of tagFields matches without a fieldPath.
	Asked

	// Unlisted is a kind that no provider manages, and that nobody knows: most are no resources of a cloud.
	Unlisted

	// OnRequest is a kind that is tagged only if an entry of tagFields names it.
	OnRequest

	// Composite is a composite resource without a tag field.
	Composite

	// Fixed tags can't change after the resource has been made with other ones.
	Fixed
)

const (
	noField = "has no tag field"
	unknown = "isn't known to have a tag field"
)

// Why says why t is left alone for the reason, in words that follow the resource's name: "has no tag field".
func (t *Target) Why(r Reason) string {
	switch r {
	case NoObject:
		return "has no apiVersion and kind"
	case Ignored:
		return "is annotated " + IgnoreAnnotation + ": \"true\""
	case ObservedOnly:
		return "is adopted: it gets no tags without Create or Update in its managementPolicies"
	case ReadOnly:
		c, _ := ControllerOf(t.Kind.Group)
		return fmt.Sprintf("is adopted: it gets no tags while %s is %q", c.Path, c.Value)
	case NotSelected:
		return "is not among the resources that the input selects"
	case NotInCloud:
		return "isn't selected by matchCloudTags: its provider doesn't report these tags, or only this step sets them"
	case NoField:
		return noField + t.wrapping("; an entry of tagFields for its kind tags the manifest of a cloud resource, and labels any manifest")
	case NotAsked:
		return noField + " unless the tagFields entry that matches it says so, with fieldPath and shape" + t.wrapping("; it labels the manifest")
	case Undeclared:
		return "has no map of strings at " + t.Field.Undeclared + ", by its schema, so that the tagFields entry that matches it can't hand labels on"
	case LooksLike:
		path := t.Field.LooksLike.Path.String()
		return unknown + ": if " + path + " is one" + t.entry(path, t.Field.LooksLike.Shape)
	case Unknown:
		return unknown + t.nearest()
	case Asked:
		return unknown + ", so that the tagFields entry that matches it needs fieldPath and shape"
	case Unlisted:
		return unknown + ": if it has one" + t.entry("…", "…")
	case OnRequest:
		return "is tagged only if a tagFields entry names its kind, since a later change of its tags is refused, ignored or replaces what runs"
	case Composite:
		return "is a composite resource: its own Composition tags what it composes; an entry of tagFields with shape Labels hands it the labels"
	case Fixed:
		return "keeps the tags that it was made with: its " + t.Field.Path.String() + " can't change"
	case None:
	}

	return ""
}

// Unselected returns why the input doesn't select t.
func (t *Target) Unselected() Reason {
	if t.ByCloudTags && t.Place != nil && t.Lacks == None && !t.Profile.HandsOn {
		return NotInCloud
	}

	return NotSelected
}

// entry returns an advice to add an entry of tagFields for the kind of t. It begins with a comma, and has e.g.
// {apiVersion: acme.example.org/v1, kind: Shelf, fieldPath: spec.labels, shape: Map}.
func (t *Target) entry(fieldPath string, shape field.Shape) string {
	apiVersion, kind := t.Kind.Tagged().ToAPIVersionAndKind()
	return fmt.Sprintf(", add {apiVersion: %s, kind: %s, fieldPath: %s, shape: %s} to tagFields", words.Name(apiVersion), words.Name(kind), fieldPath, shape)
}

// wrapping returns the hint and the field for labels of a manifest if t is an Object of provider-kubernetes, or else nothing.
func (t *Target) wrapping(hint string) string {
	if t.Kind.Wraps.Empty() {
		return ""
	}

	return hint + " with fieldPath: spec.forProvider.manifest.metadata.labels and shape: Map"
}

// nearest returns a hint at a kind of the index with a similar name in the same API group, or nothing. For the kind Bukket it
// returns "; of s3.aws.upbound.io the index knows Bucket".
func (t *Target) nearest() string {
	tagged := t.Kind.Tagged()

	kind, ok := words.Nearest(tagged.Kind, field.BuiltIn().Kinds(tagged.Group))
	if !ok || kind == tagged.Kind {
		return ""
	}

	return "; of " + tagged.Group + " the index knows " + kind
}

// IsUnknown reports whether nobody knows if the managed kind has a tag field.
func (r Reason) IsUnknown() bool { return r == Unknown || r == Asked }
