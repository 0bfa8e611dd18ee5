package tagset

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/plexsphere/function-cloud-tags/tags/field"
	"github.com/plexsphere/function-cloud-tags/tags/profile"
)

// TestRefusesWords is about tags that the profile admits, but not as the words that a list has.
func TestRefusesWords(t *testing.T) {
	for _, tc := range []struct {
		reason string

		profile, group, kind, separator, key, value string

		refused profile.SkipReason
		limit   string
	}{
		{reason: "A word of 50 characters should do on Linode.", profile: "linode", separator: "=", key: "k", value: strings.Repeat("v", 48)},
		{reason: "A longer separator leaves less for the value.", profile: "linode", separator: "::", key: "k", value: strings.Repeat("v", 48), refused: profile.ValueTooLong, limit: "at most 50 characters with the key"},
		{reason: "A word should have three characters on Linode.", profile: "linode", separator: "=", key: "k", refused: profile.ValueCharacterClass, limit: "allowed: at least 3 characters with the key"},
		{reason: "A longer separator may make a word long enough.", profile: "linode", separator: "::", key: "k"},
		{reason: "A word should have four characters at Aruba.", profile: "aruba", separator: "=", key: "k", value: "v", refused: profile.ValueCharacterClass, limit: "allowed: at least 4 characters with the key"},
		{
			reason: "Proxmox should get no separator that it refuses.", profile: "proxmox", separator: "=", key: "k", value: "v", refused: profile.ValueCharacterClass,
			limit: "allowed: ASCII letters in lower case, digits and _ + . -, also between key and value",
		},
		{reason: "Proxmox admits a separator of its own characters.", profile: "proxmox", separator: "_", key: "k", value: "v"},
		{
			reason: "IBM admits a colon, but no equals sign.", profile: "ibm", separator: "=", key: "k", value: "v", refused: profile.ValueCharacterClass,
			limit: "allowed: ASCII letters and digits, space and : _ . -, also between key and value",
		},
		{reason: "Tags of clusters should fit Nova's.", profile: "openstack", group: "infrastructure.cluster.x-k8s.io", kind: "OpenStackCluster", separator: "=", key: "k", value: strings.Repeat("v", 59), refused: profile.ValueTooLong, limit: "at most 60 characters with the key"},
		{reason: "Clouds whose tags aren't words leave words to the field.", profile: "generic", separator: ", ", key: "k", value: "v"},
	} {
		p := profile.Contract.ProfileOf(tc.profile, tc.group, tc.kind)
		reason, limit := FieldKindOf(&field.Field{Layout: field.Layout{Shape: field.StringList, Separator: tc.separator}}, p).Refuses(tc.key, tc.value)

		if diff := cmp.Diff([2]string{string(tc.refused), tc.limit}, [2]string{string(reason), limit}); diff != "" {
			t.Errorf("\n%s\nRefuses(%q, %q) of %s: -want, +got:\n%s", tc.reason, tc.key, tc.value, tc.profile, diff)
		}
	}
}
