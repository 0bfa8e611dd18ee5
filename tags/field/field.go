// Package field knows where the kinds of composed resources keep their cloud
// tags, and what shape that tag field has.
package field

import (
	"bytes"
	"cmp"
	"slices"
	"strings"

	"google.golang.org/protobuf/types/known/structpb"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/plexsphere/function-cloud-tags/tags/object"
)

// A Shape is how a tag field holds its tags. It is a type of its own, not that of the input, so that the linter
// exhaustive finds switches that lack one of the constants below.
type Shape string

// Shapes of tag fields.
const (
	// None is the shape of a kind that is known to have no tag field.
	None Shape = "None"

	// Map is an object whose keys are tag keys and whose values are strings.
	Map Shape = "Map"

	// MapOfLists is an object whose keys are tag keys and whose values are lists of
	// strings. A tag that we write has one string. Only the built-in index and schemas give it.
	MapOfLists Shape = "MapOfLists"

	// KeyValueList is a list of objects, each with one tag key and its value.
	KeyValueList Shape = "KeyValueList"

	// StringList is a list of strings, each a tag key, a separator and a value.
	StringList Shape = "StringList"

	// Joined is one string of tags with a delimiter between them, each a tag key, a
	// separator and a value. No schema shows it: only rules of the input give it.
	Joined Shape = "Joined"

	// Labels is an object whose keys are the qualified keys of labels and whose values are
	// strings: what a composed composite resource gets for its own Composition. No schema shows
	// it: only rules of the input give it.
	Labels Shape = "Labels"
)

// onOff is the shape of a launched field that is no tags, but passes on those of the resource.
var onOff = Shape("Switch")

// A Field is the tag field of a kind of composed resource.
type Field struct { //nolint:recvcheck // A pointer where it is asked for each key.
	// Path of the field, e.g. spec.forProvider.tags. Zero if the Shape is None.
	Path object.Path

	Shape Shape

	// Key and Value name the two fields of a KeyValueList entry. Extra holds
	// what else each entry that we add must have, e.g. propagateAtLaunch: true.
	Key, Value string
	Extra      map[string]*structpb.Value

	// Separator stands between key and value in an entry of a StringList or of a
	// Joined string. MaxLength is the most characters an entry of a StringList may
	// have, or 0 if there is no limit.
	Separator string
	MaxLength int

	// Delimiter stands between two entries of a Joined string.
	Delimiter string

	// Atomic is true if server-side apply replaces the whole list or string, so that
	// an entry the provider added is lost unless it is desired too.
	Atomic bool

	// Observed are the paths at which the provider reports the tags that the
	// cloud has, the most complete one first.
	Observed []object.Path

	// ProviderTags are the keys of the tags that the provider itself adds to
	// resources of the kind before it creates them. Nil if it adds none.
	ProviderTags []string

	// AddsToField is true if the provider adds them to the tag field itself, and not only to the
	// resource in the cloud.
	AddsToField bool

	// Limits of the field in the schema of the kind, or nil if it has none or isn't at hand.
	Limits *Limits

	// LateInit is true if the provider fills a field that isn't there with the tags
	// that the cloud has. One that is there, though empty, it leaves alone.
	LateInit bool

	// LastStays is true if nothing takes the last tag out of the cloud: the provider fills an
	// empty field, too, or doesn't tell the cloud of it.
	LastStays bool

	// KubernetesLabels is true if the field is the object's Kubernetes labels. Those without a slash
	// in the key are cloud tags, too.
	KubernetesLabels bool

	// OnRequest is true if the field is used only if a rule of the input names the kind. What
	// a Locator that needs such a rule finds of it is a Field of shape None with its path.
	OnRequest bool

	// Fixed is true if the field can't change once the resource is there.
	Fixed bool

	// Immutable is true if the provider, which is one of Crossplane's, refuses every update of a
	// resource whose tags have changed since it was made.
	Immutable bool

	// Sorted is true if the provider keeps a StringList in order, so that one in another
	// order would be a difference for ever.
	Sorted bool

	// Within is true if the field must not be made without the object around it.
	Within bool

	// LooksLike is a field of a kind of shape None that looks like tags,
	// but may mean something else: nobody knows the provider. Nil if there is none.
	LooksLike *Field

	// Undeclared is the path of a field that a rule of the input hands labels on to, and that the
	// schema of the kind doesn't have. The shape is None then.
	Undeclared string

	// Profile is the tag profile that the rule of the input that matches names.
	// Empty if there is no such rule, or if it names none.
	Profile string

	// Asked is true if the rule of the input that matches asks for the field that is
	// known of the kind. One that no Locator knows is asked for, too. Of a resource that wraps
	// a manifest, it is true only if nobody knows the kind of the manifest.
	Asked bool
}

// A Kind of composed resource, as a Locator sees it.
type Kind struct {
	schema.GroupVersionKind

	// Profile is the tag profile of the provider that the kind's API group belongs
	// to or, of a group of no provider that we know, of the one that the input names.
	// Empty if neither is known.
	Profile string

	// Managed is true if the resource is one that a provider makes outside of the
	// control plane.
	Managed bool

	// Wraps is the kind of the manifest in a resource that wraps one. Empty if it doesn't.
	Wraps schema.GroupVersionKind
}

// Tagged is the kind whose tags a resource of the kind has: its own, or that of the manifest that
// it wraps.
func (k Kind) Tagged() schema.GroupVersionKind {
	if k.Wraps.Empty() {
		return k.GroupVersionKind
	}

	return k.Wraps
}

// manifest is the path of what an Object of provider-kubernetes wraps.
const manifest = "manifest."

// IsWrapper is true if resources of the kind wrap the manifest of another one: Objects of
// provider-kubernetes.
func IsWrapper(apiVersion, kind string) bool {
	return kind == "Object" && (strings.HasPrefix(apiVersion, "kubernetes.crossplane.io/") || strings.HasPrefix(apiVersion, "kubernetes.m.crossplane.io/"))
}

// IsOthers is true if key is that of a Kubernetes label of the object that is no cloud tag: Config
// Connector leaves out those with a slash.
func (f *Field) IsOthers(key []byte) bool {
	return f.KubernetesLabels && bytes.IndexByte(key, '/') >= 0
}

// wrapped is the field of a manifest as a field of the resource that wraps the manifest.
func (f Field) wrapped() Field {
	if f.Shape == None {
		return Field{Shape: None}
	}

	f.Path = object.MustParsePath(forProvider + manifest + f.Path.String())
	f.Atomic = f.Shape != Map && f.Shape != Labels // Nobody says of what type they are.
	f.Observed = slices.Clone(f.Observed)

	for i, path := range f.Observed {
		f.Observed[i] = object.MustParsePath(atProvider + manifest + path.String())
	}

	return f
}

// A Locator says which field of a kind carries its cloud tags. It returns false
// if it doesn't know the kind. A kind that it knows to have no tag field is a
// Field of shape None.
type Locator interface {
	Locate(k Kind) (Field, bool)
}

// A Chain of Locators answers with the first of them that knows the kind.
type Chain []Locator

// Locate the tag field of the kind.
func (c Chain) Locate(k Kind) (Field, bool) {
	var asked Field

	for _, l := range c {
		f, ok := l.Locate(k)
		if ok {
			f.Asked, f.Profile = f.Asked || asked.Asked, cmp.Or(f.Profile, asked.Profile)
			return f, true
		}

		if f.Asked {
			asked = Field{Asked: true, Profile: f.Profile}
		}
	}

	return asked, false
}
