package v1beta1

import (
	"strings"

	"github.com/crossplane/function-sdk-go/errors"

	"github.com/plexsphere/function-cloud-tags/tags/words"
)

// CheckComposition returns an error if the input has fields that only Operations may have.
func (in *CloudTags) CheckComposition() error {
	if in.Coverage == nil {
		return nil
	}

	return errors.Errorf("%s: is for Operations only, and forbidden in a Composition", in.Where("coverage"))
}

// CheckOperation returns an error if the input has fields that need a composite resource, such as sources: an Operation has
// no composite resource. Call it on the input of the step before its standard is joined. A standard may have such fields,
// and an Operation ignores them.
func (in *CloudTags) CheckOperation() error {
	type use struct {
		field string
		has   bool
	}

	has := words.MapIf([]use{
		{field: "provider.fromFieldPath", has: in.Provider != nil && !in.Provider.FromFieldPath.IsZero()},
		{field: "sources", has: len(in.Sources) > 0},
		{field: "reservedKeys", has: len(in.ReservedKeys) > 0},
		{field: "removeTags", has: len(in.RemoveTags) > 0},
		{field: "ignoreTags", has: len(in.IgnoreTags) > 0},
		{field: "kubernetesMetadata", has: len(in.KubernetesMetadata) > 0},
		{field: "toContextKey", has: in.ToContextKey != ""},
		{field: "statusFieldPath", has: !in.StatusFieldPath.IsZero()},
	}, func(u use) (string, bool) { return u.field, u.has })

	if len(has) == 0 {
		return nil
	}

	return errors.Errorf("%s: forbidden in an Operation, which has no composite resource and writes no tags: it can have "+
		"extends, coverage, tagPolicy, provider.value, keyPrefix, keyFormats, resources, tagFields, profileRules, fieldDiscovery and ttl", strings.Join(has, ", "))
}
