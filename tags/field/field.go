// Package field knows where the kinds of composed resources keep their cloud tags, and the shape of
// these tag fields.
package field

import (
	"bytes"
	"cmp"
	"strings"

	"google.golang.org/protobuf/types/known/structpb"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/plexsphere/function-cloud-tags/tags/object"
	"github.com/plexsphere/function-cloud-tags/tags/profile"
	"github.com/plexsphere/function-cloud-tags/tags/words"
)

// A Shape is how a tag field holds its tags. The input has another type, so that the linter exhaustive finds switches
// without one of the constants below.
type Shape string

// Shapes of tag fields.
const (
	// None is the shape of a kind that is known to have no tag field.
	None Shape = "None"

	// Map is an object of tag keys and values: {owner: me}.
	Map Shape = "Map"

	// MapOfLists is an object of tag keys and lists of strings: {owner: [me]}. The function writes
	// lists of one string. Only the built-in index and schemas give it.
	MapOfLists Shape = "MapOfLists"

	// KeyValueList is a list of objects, each with one tag key and its value: [{key: owner, value: me}].
	KeyValueList Shape = "KeyValueList"

	// StringList is a list of strings, each a tag key, a separator and a value: ["owner=me"].
	StringList Shape = "StringList"

	// Joined is one string of tags with a delimiter between them, each a tag key, a
	// separator and a value: "owner=me,env=prod". Only tagFields of the input give it.
	Joined Shape = "Joined"

	// Labels is an object of the qualified keys of labels and their values. A composed composite
	// resource gets it for its own Composition. Only tagFields of the input give it.
	Labels Shape = "Labels"
)

// A Form has facts about all fields of a shape.
type Form struct {
	// IsMap says whether the field is a map of strings, and HasLists whether it is a map of lists.
	IsMap, HasLists bool

	// IsList says whether the field is a list, or one string for all tags. Server-side apply may replace such a field as a whole.
	IsList bool

	// IsJoined says whether the field is one string for all tags: "owner=me,env=prod".
	IsJoined bool

	// HasStrings says whether the field is a list of one string per tag: ["owner=me", "env=prod"]. A string can be read as tags
	// with several keys: a=b=c as a: b=c and as a=b: c.
	HasStrings bool
}

// Form returns the form of fields of the shape.
func (s Shape) Form() Form {
	switch s {
	case Map, Labels:
		return Form{IsMap: true}
	case MapOfLists:
		return Form{HasLists: true}
	case KeyValueList:
		return Form{IsList: true}
	case StringList:
		return Form{IsList: true, HasStrings: true}
	case Joined:
		return Form{IsList: true, IsJoined: true}
	case None:
	}

	return Form{}
}

// onOff is the shape of a launched field without tags: its value passes on the tags of the resource.
var onOff = Shape("Switch")

// A Layout has the properties of a tag field that decide how labels become its tags, whatever resource has the field. It is comparable.
type Layout struct {
	Shape

	// Separator stands between key and value in an entry of a StringList or of a
	// Joined string. MaxLength is the most characters an entry of a StringList may
	// have, or 0 if there is no limit.
	Separator string
	MaxLength int

	// Delimiter stands between two entries of a Joined string.
	Delimiter string

	// Limits of the field in the schema of the kind, or nil if it has none or isn't at hand.
	Limits *Limits
}

// A Field is the tag field of a kind of composed resource.
type Field struct { //nolint:recvcheck // A pointer where it is asked for each key.
	Layout

	// Path of the field, e.g. spec.forProvider.tags. Zero if the Shape is None.
	Path object.Path

	// Key and Value name the two fields of a KeyValueList entry. Extra has
	// more fields of each entry that we add, e.g. propagateAtLaunch: true.
	Key, Value string
	Extra      map[string]*structpb.Value

	// Atomic says whether server-side apply replaces the whole list or string. Then an entry of the
	// provider is lost unless it is desired, too.
	Atomic bool

	// Observed are the paths at which the provider reports the cloud's tags, the most complete one
	// first.
	Observed []object.Path

	// ProviderTags are the keys of the tags that the provider itself adds to
	// resources of the kind before it creates them. Nil if it adds none.
	ProviderTags []string

	// AddsToField says whether the provider adds them to the tag field itself, and not only to the
	// resource in the cloud.
	AddsToField bool

	// FilledByProvider says whether a provider of Crossplane may write tags to the field itself, such as crossplane-name. It is false for
	// annotations, joined strings, and kinds of other controllers.
	FilledByProvider bool

	// LateInit says whether the provider fills a missing field with the tags of the cloud. It
	// leaves an empty field alone.
	LateInit bool

	// LastStays says whether nothing takes the last tag out of the cloud: the provider fills an
	// empty field, too, or doesn't tell the cloud of it.
	LastStays bool

	// KubernetesLabels says whether the field is the object's Kubernetes labels. Labels without a
	// slash in the key are cloud tags, too.
	KubernetesLabels bool

	// OnRequest says whether the field is used only if an entry of tagFields names the kind. Without
	// the entry, a Locator returns a Field of shape None with the path.
	OnRequest bool

	// Fixed says whether the field can't change once the resource is there.
	Fixed bool

	// Immutable says whether the provider, which is one of Crossplane's, refuses every update of a
	// resource whose tags have changed since it was made.
	Immutable bool

	// Sorted says whether the provider keeps a StringList in order. A list in another order would
	// be a difference for ever.
	Sorted bool

	// Within says whether the field must not be made without the object around it.
	Within bool

	// PossibleField is a field of a kind of shape None that looks like tags,
	// but may mean something else: nobody knows the provider. Nil if there is none.
	PossibleField *Field

	// UndeclaredPath is the path to which an entry of tagFields hands labels on, if the schema of the kind
	// lacks it. The shape is None then.
	UndeclaredPath string

	// EntryProvider is the provider that the matching entry of tagFields names.
	// Empty if there is no such entry, or if it names none.
	EntryProvider string

	// EntryLacksPath says whether the entry of tagFields that matches the kind has no fieldPath: the entry asks for the known
	// field of the kind. A Field of shape None has it, too. If the resource wraps a manifest, it is true only if nobody knows
	// the kind of the manifest.
	EntryLacksPath bool
}

// A Kind of composed resource, as a Locator sees it.
type Kind struct {
	schema.GroupVersionKind

	// Profile is the tag profile of the API group's provider. If the provider is unknown, it is the
	// profile of the input's provider. Empty if both are unknown.
	Profile string

	// Managed says whether a provider makes the resource outside of the control plane.
	Managed bool

	// Wraps is the kind of the manifest in a resource that wraps one. Empty if it doesn't.
	Wraps schema.GroupVersionKind
}

// Tagged returns the kind whose tags a resource has: the kind itself, or the kind of the wrapped
// manifest.
func (k Kind) Tagged() schema.GroupVersionKind { return cmp.Or(k.Wraps, k.GroupVersionKind) }

// manifest is the path of the manifest in an Object of provider-kubernetes.
const manifest = "manifest."

// IsWrapper reports whether resources of the kind wrap a manifest of another kind, as Objects of
// provider-kubernetes do.
func IsWrapper(apiVersion, kind string) bool {
	return kind == "Object" && (strings.HasPrefix(apiVersion, "kubernetes.crossplane.io/") || strings.HasPrefix(apiVersion, "kubernetes.m.crossplane.io/"))
}

// IsOnlyForKubernetes reports whether the Kubernetes label with the key is no cloud tag, such as
// app.kubernetes.io/name: Config Connector leaves out keys with a slash.
func (f *Field) IsOnlyForKubernetes(key []byte) bool {
	return f.KubernetesLabels && bytes.IndexByte(key, '/') >= 0
}

// wrapped returns the field of a manifest as a field of the resource around it.
func (f Field) wrapped() Field {
	if f.Shape == None {
		return Field{Layout: Layout{Shape: None}}
	}

	f.Path = object.MustParsePath(forProvider + manifest + f.Path.String())
	f.Atomic = !f.Form().IsMap // Nobody says of what type they are.
	f.Observed = words.Map(f.Observed, func(path object.Path) object.Path { return object.MustParsePath(atProvider + manifest + path.String()) })

	return f
}

// A Locator returns the field of a kind that carries its cloud tags. It returns false if it doesn't
// know the kind. A kind that is known to have no tag field gets a Field of shape None.
type Locator interface {
	Locate(k Kind) (Field, bool)
}

// A Chain of Locators answers with the first of them that knows the kind.
type Chain []Locator

// Locate returns the tag field of the kind.
func (c Chain) Locate(k Kind) (Field, bool) {
	var asked Field

	for _, l := range c {
		f, ok := l.Locate(k)
		if ok {
			f.EntryLacksPath, f.EntryProvider = f.EntryLacksPath || asked.EntryLacksPath, cmp.Or(f.EntryProvider, asked.EntryProvider)
			return f, true
		}

		if f.EntryLacksPath {
			asked = Field{EntryLacksPath: true, EntryProvider: f.EntryProvider}
		}

		if profile.IsSecondSystem(f.EntryProvider) {
			break // Other Locators know the usual fields of kinds.
		}
	}

	return asked, false
}
