package stamp

import (
	"encoding/json"
	"slices"

	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/types/known/structpb"

	"github.com/plexsphere/function-cloud-tags/tags"
	"github.com/plexsphere/function-cloud-tags/tags/field"
	"github.com/plexsphere/function-cloud-tags/tags/object"
	"github.com/plexsphere/function-cloud-tags/tags/profile"
	"github.com/plexsphere/function-cloud-tags/tags/stamp/tagset"
)

// A Change is what changes in the tags of a resource once Crossplane applies it.
type Change struct {
	Resource   string
	APIVersion string
	Kind       string

	// Added, Changed and Removed tags by key. Those added have no value before, and
	// those removed none after.
	Added, Changed, Removed map[string]Values
}

// Values of a tag.
type Values struct {
	Before, After string
}

// isEmpty is true if nothing changes.
func (c *Change) isEmpty() bool { return len(c.Added)+len(c.Changed)+len(c.Removed) == 0 }

// change returns what changes in the tags of t if it becomes r. The keys tell tags apart.
func change(t *Target, r object.Object, keys tagset.Keys) Change {
	after, err := r.At(t.field.Path)
	if err != nil || t.thereErr != nil {
		return Change{} // What can't be read was left alone.
	}

	c := Change{Resource: t.Name, APIVersion: t.kind.apiVersion, Kind: t.kind.kind}

	if settled(t, after) {
		return c
	}

	// Here all strings are tags.
	keys.Patterns = profile.NewKeySet("*")

	old, err := tagset.Read(t.there, t.field, &keys)
	if err != nil {
		return Change{}
	}

	desired, err := tagset.Read(after, t.field, &keys)
	if err != nil {
		return Change{}
	}

	c.Added, c.Changed, c.Removed = make(map[string]Values), make(map[string]Values), make(map[string]Values)

	for of := range desired.Tags() {
		e := &of[0]

		switch was := old.Find(e.ID); {
		case was == nil:
			c.Added[e.Key] = Values{After: text(e.Value)}
		case !hasValue(old, e): // A list may have it twice, of which one is another manager's.
			c.Changed[e.Key] = Values{Before: text(was.Value), After: text(e.Value)}
		}
	}

	for of := range old.Tags() {
		if desired.Has(of[0].ID) || isProviders(t.field, of[0].Key) {
			continue
		}

		if i := slices.IndexFunc(of, func(e tagset.Entry) bool { return !t.owners().stays(&e, after.IsThere()) }); i >= 0 {
			c.Removed[of[i].Key] = Values{Before: text(of[i].Value)}
		}
	}

	return c
}

// settled is true if the supplied target is observed with the supplied value of its tag field,
// but for what others have added to a map. That is so in most runs.
func settled(t *Target, after object.Node) bool {
	before := t.there
	if !before.IsObject() || !after.IsObject() {
		return proto.Equal(before.Value(), after.Value())
	}

	desired := make(map[string]object.Node)
	for key, v := range after.Fields() {
		desired[string(key)] = v
	}

	for key, v := range before.Fields() {
		is, ok := desired[string(key)]
		if ok && !is.Equal(v) || !ok && !isProviders(t.field, key) && !t.field.IsOthers(key) {
			return false
		}

		delete(desired, string(key))
	}

	return len(desired) == 0
}

// hasValue is true if the supplied set has the supplied tag at its value.
func hasValue(set *tagset.Set, e *tagset.Entry) bool {
	for was := range set.With(e.ID) {
		if sameValue(was.Value, e.Value) {
			return true
		}
	}

	return false
}

// sameValue is true if the supplied values are equal. Most are strings.
func sameValue(a, b *structpb.Value) bool {
	if s, ok := b.GetKind().(*structpb.Value_StringValue); ok && a != nil {
		return tagset.IsText(a, s.StringValue)
	}

	return proto.Equal(a, b)
}

// text of the supplied value of a tag. One that is no string is put as JSON.
func text(v *structpb.Value) string {
	switch k := v.GetKind().(type) {
	case nil:
		return ""
	case *structpb.Value_StringValue:
		return k.StringValue
	default:
		j, _ := json.Marshal(v.AsInterface()) //nolint:errchkjson // Only a number that isn't one can't be encoded.
		return string(j)
	}
}

// isProviders is true if providers set the tag with the key, or what else manages
// resources with the field.
func isProviders[K string | []byte](f *field.Field, key K) bool {
	return slices.Contains(providersKeys, string(key)) || slices.Contains(f.ProviderTags, string(key))
}

var providersKeys = tags.ProvidersKeys()
