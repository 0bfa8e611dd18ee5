package tags_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/plexsphere/function-cloud-tags/tags"
)

// numbered returns labels with the qualified keys k00, k01 and so on.
func numbered(n int) tags.PropagatingLabelSet {
	set := make(tags.PropagatingLabelSet, n)
	for i := range n {
		set[fmt.Sprintf("k%02d", i)] = "v"
	}

	return set
}

// numberedTags returns the tags of what numbered returns.
func numberedTags(n int) map[string]string {
	out := make(map[string]string, n)
	for i := range n {
		out[fmt.Sprintf("plexsphere:k%02d", i)] = "v"
	}

	return out
}

// with returns the supplied map with one more entry.
func with[M ~map[string]string](m M, key, value string) M {
	m[key] = value
	return m
}

func TestCloudTagPrefix(t *testing.T) {
	if diff := cmp.Diff("plexsphere:", tags.CloudTagPrefix); diff != "" {
		t.Errorf("\nThe prefix is fixed, since people search for it.\nCloudTagPrefix: -want, +got:\n%s", diff)
	}
}

func TestSkipReasons(t *testing.T) {
	want := []tags.SkipReason{"reserved-prefix", "key-too-long", "value-too-long", "key-character-class", "count-cap"}

	// There are others, which no profile of the contract has.
	got := slices.DeleteFunc(tags.SkipReasons(), func(r tags.SkipReason) bool { return !slices.Contains(want, r) })

	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("\nThe reasons of the contract should be there by its names, in its order.\nSkipReasons(): -want, +got:\n%s", diff)
	}
}

func TestCloudTags(t *testing.T) {
	// The prefix takes 11 runes, and 11 bytes, of each tag key.
	k := func(n int) string { return strings.Repeat("k", n) }
	v := func(n int) string { return strings.Repeat("v", n) }

	// These have as many runes, and twice or three times as many bytes.
	e := func(n int) string { return strings.Repeat("é", n) }
	euro := func(n int) string { return strings.Repeat("€", n) }

	type args struct {
		provider string
		set      tags.PropagatingLabelSet
	}

	type want struct {
		tags    map[string]string
		skipped []tags.SkippedLabel
	}

	tagged := func(kv ...string) want {
		w := want{tags: map[string]string{}, skipped: []tags.SkippedLabel{}}
		for i := 0; i < len(kv); i += 2 {
			w.tags[kv[i]] = kv[i+1]
		}

		return w
	}

	skipped := func(provider, key string, r tags.SkipReason) want {
		return want{
			tags:    map[string]string{},
			skipped: []tags.SkippedLabel{{QualifiedKey: key, TagKey: "plexsphere:" + key, Provider: provider, Reason: r}},
		}
	}

	cases := map[string]struct {
		reason string
		args   args
		want   want
	}{
		// What the set and the provider may be.
		"NilSet": {
			reason: "No labels at all should give no tags and nothing skipped, and neither should be nil.",
			args:   args{provider: "aws"},
			want:   tagged(),
		},
		"EmptySet": {
			reason: "An empty set should give no tags and nothing skipped, and neither should be nil.",
			args:   args{provider: "hetzner", set: tags.PropagatingLabelSet{}},
			want:   tagged(),
		},
		"PlatformLabel": {
			reason: "The tag key should be the prefix joined to the qualified key of a platform-scoped label.",
			args:   args{provider: "aws", set: tags.PropagatingLabelSet{"platform/env": "prod"}},
			want:   tagged("plexsphere:platform/env", "prod"),
		},
		"ProjectLabel": {
			reason: "The tag key should be the prefix joined to the qualified key of a project-scoped label, which has a colon.",
			args:   args{provider: "hetzner", set: tags.PropagatingLabelSet{"acme:checkout/owner": "team-a"}},
			want:   tagged("plexsphere:acme:checkout/owner", "team-a"),
		},
		"SamePrefixEverywhere": {
			reason: "The prefix should be added even to a key that starts with it, since the key is a qualified one.",
			args:   args{provider: "openstack", set: tags.PropagatingLabelSet{"plexsphere:a": "v"}},
			want:   tagged("plexsphere:plexsphere:a", "v"),
		},
		"ProviderInCapitals": {
			reason: "The provider should match without case, and the skipped label should carry the name of the profile.",
			args:   args{provider: "AWS", set: tags.PropagatingLabelSet{"a!": "v"}},
			want:   skipped("aws", "a!", tags.KeyCharacterClass),
		},
		"ProviderInMixedCase": {
			reason: "The provider should match without case: OpenStack admits what generic does not.",
			args:   args{provider: "OpenStack", set: tags.PropagatingLabelSet{"a!": "v"}},
			want:   tagged("plexsphere:a!", "v"),
		},
		"UnknownProvider": {
			reason: "A provider that is not in the table should get the generic profile, and skipped labels should say so.",
			args:   args{provider: "no-such-cloud", set: tags.PropagatingLabelSet{"a b": "v"}},
			want:   skipped("generic", "a b", tags.KeyCharacterClass),
		},
		"EmptyProvider": {
			reason: "No provider should get the generic profile.",
			args:   args{set: tags.PropagatingLabelSet{"a b": "v"}},
			want:   skipped("generic", "a b", tags.KeyCharacterClass),
		},
		"ProviderWithSpace": {
			reason: "The provider should match as a whole, not after trimming.",
			args:   args{provider: "aws ", set: tags.PropagatingLabelSet{"a b": "v"}},
			want:   skipped("generic", "a b", tags.KeyCharacterClass),
		},
		"ProviderByItsBeginning": {
			reason: "The provider should match as a whole, not by how it starts.",
			args:   args{provider: "hetznercloud", set: tags.PropagatingLabelSet{"a": v(64)}},
			want:   tagged("plexsphere:a", v(64)),
		},
		"EmptyKey": {
			reason: "An empty qualified key should give a tag key that is the prefix alone, which each profile admits.",
			args:   args{provider: "generic", set: tags.PropagatingLabelSet{"": "v"}},
			want:   tagged("plexsphere:", "v"),
		},
		"EmptyValue": {
			reason: "An empty value is a value.",
			args:   args{provider: "aws", set: tags.PropagatingLabelSet{"a": ""}},
			want:   tagged("plexsphere:a", ""),
		},
		"EmptyKeyAndValue": {
			reason: "An empty key and an empty value should do together.",
			args:   args{provider: "openstack", set: tags.PropagatingLabelSet{"": ""}},
			want:   tagged("plexsphere:", ""),
		},
		"ValueUnchanged": {
			reason: "Values have no character class: what is in one should reach the tag as it is.",
			args:   args{provider: "hetzner", set: tags.PropagatingLabelSet{"a": " \"x\"\t<é>\n"}},
			want:   tagged("plexsphere:a", " \"x\"\t<é>\n"),
		},
		"KeyUnchanged": {
			reason: "The contract's profiles have no key format: case and every character should stay.",
			args:   args{provider: "aws", set: tags.PropagatingLabelSet{"Platform/Env.x_y-z": "v"}},
			want:   tagged("plexsphere:Platform/Env.x_y-z", "v"),
		},

		// aws: 128 runes, 256 runes, 50, aws: reserved.
		"AWSKey128Runes": {
			reason: "A tag key of 128 runes, prefix included, should do on AWS.",
			args:   args{provider: "aws", set: tags.PropagatingLabelSet{k(117): "v"}},
			want:   tagged("plexsphere:"+k(117), "v"),
		},
		"AWSKey129Runes": {
			reason: "A tag key of 129 runes, prefix included, is too long for AWS.",
			args:   args{provider: "aws", set: tags.PropagatingLabelSet{k(118): "v"}},
			want:   skipped("aws", k(118), tags.KeyTooLong),
		},
		"AWSKey128MultiByteRunes": {
			reason: "AWS counts the runes of a tag key, not its bytes.",
			args:   args{provider: "aws", set: tags.PropagatingLabelSet{e(117): "v"}},
			want:   tagged("plexsphere:"+e(117), "v"),
		},
		"AWSKey129MultiByteRunes": {
			reason: "A tag key of 129 multi-byte runes is too long for AWS.",
			args:   args{provider: "aws", set: tags.PropagatingLabelSet{e(118): "v"}},
			want:   skipped("aws", e(118), tags.KeyTooLong),
		},
		"AWSValue256Runes": {
			reason: "A value of 256 runes should do on AWS.",
			args:   args{provider: "aws", set: tags.PropagatingLabelSet{"a": v(256)}},
			want:   tagged("plexsphere:a", v(256)),
		},
		"AWSValue257Runes": {
			reason: "A value of 257 runes is too long for AWS.",
			args:   args{provider: "aws", set: tags.PropagatingLabelSet{"a": v(257)}},
			want:   skipped("aws", "a", tags.ValueTooLong),
		},
		"AWSValue256MultiByteRunes": {
			reason: "AWS counts the runes of a value, not its bytes.",
			args:   args{provider: "aws", set: tags.PropagatingLabelSet{"a": euro(256)}},
			want:   tagged("plexsphere:a", euro(256)),
		},
		"AWSValue257MultiByteRunes": {
			reason: "A value of 257 multi-byte runes is too long for AWS.",
			args:   args{provider: "aws", set: tags.PropagatingLabelSet{"a": euro(257)}},
			want:   skipped("aws", "a", tags.ValueTooLong),
		},
		"AWS50Labels": {
			reason: "An AWS resource may have 50 tags.",
			args:   args{provider: "aws", set: numbered(50)},
			want:   want{tags: numberedTags(50), skipped: []tags.SkippedLabel{}},
		},
		"AWS51Labels": {
			reason: "The label with the highest qualified key should be skipped if AWS would have to take 51 tags.",
			args:   args{provider: "aws", set: numbered(51)},
			want: want{
				tags:    numberedTags(50),
				skipped: []tags.SkippedLabel{{QualifiedKey: "k50", TagKey: "plexsphere:k50", Provider: "aws", Reason: tags.CountCap}},
			},
		},
		"AWSReserved": {
			reason: "A qualified key that opens with aws: is reserved on AWS, whatever prefix the tag key has.",
			args:   args{provider: "aws", set: tags.PropagatingLabelSet{"aws:createdBy": "v"}},
			want:   skipped("aws", "aws:createdBy", tags.ReservedPrefix),
		},
		"AWSReservedInCapitals": {
			reason: "AWS reserves its prefix in capitals, too.",
			args:   args{provider: "aws", set: tags.PropagatingLabelSet{"AWS:createdBy": "v"}},
			want:   skipped("aws", "AWS:createdBy", tags.ReservedPrefix),
		},
		"AWSReservedInMixedCase": {
			reason: "AWS reserves its prefix in any case.",
			args:   args{provider: "aws", set: tags.PropagatingLabelSet{"AwS:createdBy": "v"}},
			want:   skipped("aws", "AwS:createdBy", tags.ReservedPrefix),
		},
		"AWSReservedAlone": {
			reason: "A qualified key that is the reserved prefix and nothing else opens with it, too.",
			args:   args{provider: "aws", set: tags.PropagatingLabelSet{"aws:": "v"}},
			want:   skipped("aws", "aws:", tags.ReservedPrefix),
		},
		"AWSWithoutColon": {
			reason: "A qualified key that opens with aws but no colon is not reserved.",
			args:   args{provider: "aws", set: tags.PropagatingLabelSet{"aws": "v", "aws/createdBy": "v", "aws-x:y": "v"}},
			want:   tagged("plexsphere:aws", "v", "plexsphere:aws/createdBy", "v", "plexsphere:aws-x:y", "v"),
		},
		"AWSReservedInside": {
			reason: "A qualified key that has aws: further inside is not reserved.",
			args:   args{provider: "aws", set: tags.PropagatingLabelSet{"xaws:y": "v", "platform/aws:y": "v", " aws:y": "v"}},
			want:   tagged("plexsphere:xaws:y", "v", "plexsphere:platform/aws:y", "v", "plexsphere: aws:y", "v"),
		},
		"AWSReservedElsewhere": {
			reason: "Only AWS reserves its prefix.",
			args:   args{provider: "hetzner", set: tags.PropagatingLabelSet{"aws:createdBy": "v"}},
			want:   tagged("plexsphere:aws:createdBy", "v"),
		},
		"AWSReservedOnOpenStack": {
			reason: "OpenStack reserves no prefix.",
			args:   args{provider: "openstack", set: tags.PropagatingLabelSet{"aws:createdBy": "v"}},
			want:   tagged("plexsphere:aws:createdBy", "v"),
		},
		"AWSReservedOnGeneric": {
			reason: "The generic profile reserves no prefix.",
			args:   args{provider: "generic", set: tags.PropagatingLabelSet{"aws:createdBy": "v"}},
			want:   tagged("plexsphere:aws:createdBy", "v"),
		},

		// hetzner: 63 runes, 63 runes, 64.
		"HetznerKey63Runes": {
			reason: "A tag key of 63 runes, prefix included, should do on Hetzner.",
			args:   args{provider: "hetzner", set: tags.PropagatingLabelSet{k(52): "v"}},
			want:   tagged("plexsphere:"+k(52), "v"),
		},
		"HetznerKey64Runes": {
			reason: "A tag key of 64 runes, prefix included, is too long for Hetzner.",
			args:   args{provider: "hetzner", set: tags.PropagatingLabelSet{k(53): "v"}},
			want:   skipped("hetzner", k(53), tags.KeyTooLong),
		},
		"HetznerKey63MultiByteRunes": {
			reason: "Hetzner counts the runes of a tag key, so this one is not too long, but its letters are none of ASCII.",
			args:   args{provider: "hetzner", set: tags.PropagatingLabelSet{e(52): "v"}},
			want:   skipped("hetzner", e(52), tags.KeyCharacterClass),
		},
		"HetznerValue63Runes": {
			reason: "A value of 63 runes should do on Hetzner.",
			args:   args{provider: "hetzner", set: tags.PropagatingLabelSet{"a": v(63)}},
			want:   tagged("plexsphere:a", v(63)),
		},
		"HetznerValue64Runes": {
			reason: "A value of 64 runes is too long for Hetzner.",
			args:   args{provider: "hetzner", set: tags.PropagatingLabelSet{"a": v(64)}},
			want:   skipped("hetzner", "a", tags.ValueTooLong),
		},
		"HetznerValue63MultiByteRunes": {
			reason: "Hetzner counts the runes of a value, not its bytes.",
			args:   args{provider: "hetzner", set: tags.PropagatingLabelSet{"a": e(63)}},
			want:   tagged("plexsphere:a", e(63)),
		},
		"HetznerValue64MultiByteRunes": {
			reason: "A value of 64 multi-byte runes is too long for Hetzner.",
			args:   args{provider: "hetzner", set: tags.PropagatingLabelSet{"a": e(64)}},
			want:   skipped("hetzner", "a", tags.ValueTooLong),
		},
		"Hetzner64Labels": {
			reason: "A Hetzner resource may have 64 tags.",
			args:   args{provider: "hetzner", set: numbered(64)},
			want:   want{tags: numberedTags(64), skipped: []tags.SkippedLabel{}},
		},
		"Hetzner65Labels": {
			reason: "The label with the highest qualified key should be skipped if Hetzner would have to take 65 tags.",
			args:   args{provider: "hetzner", set: numbered(65)},
			want: want{
				tags:    numberedTags(64),
				skipped: []tags.SkippedLabel{{QualifiedKey: "k64", TagKey: "plexsphere:k64", Provider: "hetzner", Reason: tags.CountCap}},
			},
		},

		// openstack: 255 bytes, 255 bytes, 50.
		"OpenStackKey255Bytes": {
			reason: "A tag key of 255 bytes, prefix included, should do on OpenStack.",
			args:   args{provider: "openstack", set: tags.PropagatingLabelSet{k(244): "v"}},
			want:   tagged("plexsphere:"+k(244), "v"),
		},
		"OpenStackKey256Bytes": {
			reason: "A tag key of 256 bytes, prefix included, is too long for OpenStack.",
			args:   args{provider: "openstack", set: tags.PropagatingLabelSet{k(245): "v"}},
			want:   skipped("openstack", k(245), tags.KeyTooLong),
		},
		"OpenStackKey255BytesMultiByte": {
			reason: "OpenStack counts the bytes of a tag key: 11 of the prefix and 122 runes of two bytes are 255.",
			args:   args{provider: "openstack", set: tags.PropagatingLabelSet{e(122): "v"}},
			want:   tagged("plexsphere:"+e(122), "v"),
		},
		"OpenStackKey256BytesMultiByte": {
			reason: "OpenStack counts the bytes of a tag key: these 134 runes are 256 bytes.",
			args:   args{provider: "openstack", set: tags.PropagatingLabelSet{e(122) + "k": "v"}},
			want:   skipped("openstack", e(122)+"k", tags.KeyTooLong),
		},
		"OpenStackValue255Bytes": {
			reason: "A value of 255 bytes should do on OpenStack.",
			args:   args{provider: "openstack", set: tags.PropagatingLabelSet{"a": v(255)}},
			want:   tagged("plexsphere:a", v(255)),
		},
		"OpenStackValue256Bytes": {
			reason: "A value of 256 bytes is too long for OpenStack.",
			args:   args{provider: "openstack", set: tags.PropagatingLabelSet{"a": v(256)}},
			want:   skipped("openstack", "a", tags.ValueTooLong),
		},
		"OpenStackValue255BytesMultiByte": {
			reason: "OpenStack counts the bytes of a value: 85 runes of three bytes are 255.",
			args:   args{provider: "openstack", set: tags.PropagatingLabelSet{"a": euro(85)}},
			want:   tagged("plexsphere:a", euro(85)),
		},
		"OpenStackValue256BytesMultiByte": {
			reason: "OpenStack counts the bytes of a value: 128 runes of two bytes are 256.",
			args:   args{provider: "openstack", set: tags.PropagatingLabelSet{"a": e(128)}},
			want:   skipped("openstack", "a", tags.ValueTooLong),
		},
		"OpenStack50Labels": {
			reason: "An OpenStack resource may have 50 tags.",
			args:   args{provider: "openstack", set: numbered(50)},
			want:   want{tags: numberedTags(50), skipped: []tags.SkippedLabel{}},
		},
		"OpenStack51Labels": {
			reason: "The label with the highest qualified key should be skipped if OpenStack would have to take 51 tags.",
			args:   args{provider: "openstack", set: numbered(51)},
			want: want{
				tags:    numberedTags(50),
				skipped: []tags.SkippedLabel{{QualifiedKey: "k50", TagKey: "plexsphere:k50", Provider: "openstack", Reason: tags.CountCap}},
			},
		},

		// generic: 63 runes, 255 runes, 32.
		"GenericKey63Runes": {
			reason: "A tag key of 63 runes, prefix included, should do on a generic provider.",
			args:   args{provider: "generic", set: tags.PropagatingLabelSet{k(52): "v"}},
			want:   tagged("plexsphere:"+k(52), "v"),
		},
		"GenericKey64Runes": {
			reason: "A tag key of 64 runes, prefix included, is too long for a generic provider.",
			args:   args{provider: "generic", set: tags.PropagatingLabelSet{k(53): "v"}},
			want:   skipped("generic", k(53), tags.KeyTooLong),
		},
		"GenericKey63MultiByteRunes": {
			reason: "A generic provider counts the runes of a tag key, so this one is not too long, but its letters are none of ASCII.",
			args:   args{provider: "generic", set: tags.PropagatingLabelSet{e(52): "v"}},
			want:   skipped("generic", e(52), tags.KeyCharacterClass),
		},
		"GenericValue255Runes": {
			reason: "A value of 255 runes should do on a generic provider.",
			args:   args{provider: "generic", set: tags.PropagatingLabelSet{"a": v(255)}},
			want:   tagged("plexsphere:a", v(255)),
		},
		"GenericValue256Runes": {
			reason: "A value of 256 runes is too long for a generic provider.",
			args:   args{provider: "generic", set: tags.PropagatingLabelSet{"a": v(256)}},
			want:   skipped("generic", "a", tags.ValueTooLong),
		},
		"GenericValue255MultiByteRunes": {
			reason: "A generic provider counts the runes of a value, not its bytes.",
			args:   args{provider: "generic", set: tags.PropagatingLabelSet{"a": euro(255)}},
			want:   tagged("plexsphere:a", euro(255)),
		},
		"GenericValue256MultiByteRunes": {
			reason: "A value of 256 multi-byte runes is too long for a generic provider.",
			args:   args{provider: "generic", set: tags.PropagatingLabelSet{"a": euro(256)}},
			want:   skipped("generic", "a", tags.ValueTooLong),
		},
		"Generic32Labels": {
			reason: "A resource of a generic provider may have 32 tags.",
			args:   args{provider: "generic", set: numbered(32)},
			want:   want{tags: numberedTags(32), skipped: []tags.SkippedLabel{}},
		},
		"Generic33Labels": {
			reason: "The label with the highest qualified key should be skipped if a generic provider would have to take 33 tags.",
			args:   args{provider: "generic", set: numbered(33)},
			want: want{
				tags:    numberedTags(32),
				skipped: []tags.SkippedLabel{{QualifiedKey: "k32", TagKey: "plexsphere:k32", Provider: "generic", Reason: tags.CountCap}},
			},
		},
		"UnknownProvider33Labels": {
			reason: "An unknown provider should have the generic profile's cap.",
			args:   args{provider: "no-such-cloud", set: numbered(33)},
			want: want{
				tags:    numberedTags(32),
				skipped: []tags.SkippedLabel{{QualifiedKey: "k32", TagKey: "plexsphere:k32", Provider: "generic", Reason: tags.CountCap}},
			},
		},

		// The first reason that holds is the label's.
		"ReservedBeforeAllElse": {
			reason: "A reserved key that is also too long, has a character that is refused and too long a value is reserved.",
			args:   args{provider: "aws", set: tags.PropagatingLabelSet{"aws:!" + k(200): v(300)}},
			want:   skipped("aws", "aws:!"+k(200), tags.ReservedPrefix),
		},
		"KeyTooLongBeforeValue": {
			reason: "A key that is too long, with a character that is refused and too long a value, is too long.",
			args:   args{provider: "aws", set: tags.PropagatingLabelSet{"!" + k(200): v(300)}},
			want:   skipped("aws", "!"+k(200), tags.KeyTooLong),
		},
		"KeyTooLongBeforeCharacterClass": {
			reason: "A key that is too long with a character that is refused is too long.",
			args:   args{provider: "hetzner", set: tags.PropagatingLabelSet{"!" + k(52): "v"}},
			want:   skipped("hetzner", "!"+k(52), tags.KeyTooLong),
		},
		"ValueTooLongBeforeCharacterClass": {
			reason: "A value that is too long comes before a character that is refused in the key.",
			args:   args{provider: "generic", set: tags.PropagatingLabelSet{"a!": v(256)}},
			want:   skipped("generic", "a!", tags.ValueTooLong),
		},
		"KeyTooLongBeforeControlCharacter": {
			reason: "A key that has too many bytes with a control character is too long.",
			args:   args{provider: "openstack", set: tags.PropagatingLabelSet{"\n" + k(244): v(256)}},
			want:   skipped("openstack", "\n"+k(244), tags.KeyTooLong),
		},
		"ValueTooLongBeforeControlCharacter": {
			reason: "A value that has too many bytes comes before a control character in the key.",
			args:   args{provider: "openstack", set: tags.PropagatingLabelSet{"\n": v(256)}},
			want:   skipped("openstack", "\n", tags.ValueTooLong),
		},
		"CountCapLast": {
			reason: "The cap should be counted over what is left: labels that are skipped for another reason take no slot, and have that reason.",
			args: args{provider: "aws", set: with(with(with(with(numbered(50),
				"!", "v"),
				"aws:a", "v"),
				"j", v(257)),
				"z!", "v")},
			want: want{
				tags: numberedTags(50),
				skipped: []tags.SkippedLabel{
					{QualifiedKey: "!", TagKey: "plexsphere:!", Provider: "aws", Reason: tags.KeyCharacterClass},
					{QualifiedKey: "aws:a", TagKey: "plexsphere:aws:a", Provider: "aws", Reason: tags.ReservedPrefix},
					{QualifiedKey: "j", TagKey: "plexsphere:j", Provider: "aws", Reason: tags.ValueTooLong},
					{QualifiedKey: "z!", TagKey: "plexsphere:z!", Provider: "aws", Reason: tags.KeyCharacterClass},
				},
			},
		},

		// The cap keeps the lowest qualified keys, and all that is skipped is sorted.
		"LowestKept": {
			reason: "A label that sorts before all others should take a slot, and the highest should lose its own.",
			args:   args{provider: "generic", set: with(numbered(32), "a", "v")},
			want: want{
				tags: with(func() map[string]string {
					m := numberedTags(32)
					delete(m, "plexsphere:k31")
					return m
				}(), "plexsphere:a", "v"),
				skipped: []tags.SkippedLabel{{QualifiedKey: "k31", TagKey: "plexsphere:k31", Provider: "generic", Reason: tags.CountCap}},
			},
		},
		"SortedByBytes": {
			reason: "Keys should sort as strings: a capital before a small letter, and 100 before 99.",
			args:   args{provider: "generic", set: with(with(with(with(numbered(30), "K99", "v"), "k100", "v"), "k99", "v"), "k9", "v")},
			want: want{
				tags: with(with(numberedTags(30), "plexsphere:K99", "v"), "plexsphere:k100", "v"),
				skipped: []tags.SkippedLabel{
					{QualifiedKey: "k9", TagKey: "plexsphere:k9", Provider: "generic", Reason: tags.CountCap},
					{QualifiedKey: "k99", TagKey: "plexsphere:k99", Provider: "generic", Reason: tags.CountCap},
				},
			},
		},
		"SkippedSorted": {
			reason: "Everything that is skipped should be sorted by qualified key, whatever the reasons are.",
			args: args{provider: "hetzner", set: with(with(with(with(numbered(64),
				"k50!", "v"),
				"k60", v(64)),
				"z", "v"),
				"z1", "v")},
			want: want{
				tags: with(func() map[string]string {
					m := numberedTags(64)
					delete(m, "plexsphere:k60")
					return m
				}(), "plexsphere:z", "v"),
				skipped: []tags.SkippedLabel{
					{QualifiedKey: "k50!", TagKey: "plexsphere:k50!", Provider: "hetzner", Reason: tags.KeyCharacterClass},
					{QualifiedKey: "k60", TagKey: "plexsphere:k60", Provider: "hetzner", Reason: tags.ValueTooLong},
					{QualifiedKey: "z1", TagKey: "plexsphere:z1", Provider: "hetzner", Reason: tags.CountCap},
				},
			},
		},
		"AllReasons": {
			reason: "All five reasons should be able to occur at once.",
			args: args{provider: "aws", set: with(with(with(with(with(numbered(50),
				"AWS:a", "v"),
				k(118), "v"),
				"l", v(257)),
				"m!", "v"),
				"z", "v")},
			want: want{
				tags: numberedTags(50),
				skipped: []tags.SkippedLabel{
					{QualifiedKey: "AWS:a", TagKey: "plexsphere:AWS:a", Provider: "aws", Reason: tags.ReservedPrefix},
					{QualifiedKey: k(118), TagKey: "plexsphere:" + k(118), Provider: "aws", Reason: tags.KeyTooLong},
					{QualifiedKey: "l", TagKey: "plexsphere:l", Provider: "aws", Reason: tags.ValueTooLong},
					{QualifiedKey: "m!", TagKey: "plexsphere:m!", Provider: "aws", Reason: tags.KeyCharacterClass},
					{QualifiedKey: "z", TagKey: "plexsphere:z", Provider: "aws", Reason: tags.CountCap},
				},
			},
		},
	}

	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			gotTags, gotSkipped := tags.CloudTags(tc.args.provider, tc.args.set)

			if diff := cmp.Diff(tc.want.tags, gotTags); diff != "" {
				t.Errorf("\n%s\nCloudTags(...): -want tags, +got tags:\n%s", tc.reason, diff)
			}

			if diff := cmp.Diff(tc.want.skipped, gotSkipped); diff != "" {
				t.Errorf("\n%s\nCloudTags(...): -want skipped, +got skipped:\n%s", tc.reason, diff)
			}
		})
	}
}

func TestCloudTagsKeyCharacters(t *testing.T) {
	const (
		alphanumeric = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
		controlASCII = "\x00\x01\x02\x03\x04\x05\x06\x07\x08\x09\x0a\x0b\x0c\x0d\x0e\x0f" +
			"\x10\x11\x12\x13\x14\x15\x16\x17\x18\x19\x1a\x1b\x1c\x1d\x1e\x1f\x7f"
	)

	// What is not UTF-8: a byte that never occurs, a byte that starts nothing, the
	// beginning of é, a surrogate, and an overlong slash.
	malformed := []string{"\xff", "\x80", "\xc3", "\xed\xa0\x80", "\xc0\xaf"}

	cases := map[string]struct {
		reason   string
		provider string

		// ascii is all of ASCII that the profile admits.
		ascii string

		// admitted and refused are characters beyond ASCII.
		admitted []string
		refused  []string
	}{
		"AWS": {
			reason:   "AWS admits letters and digits of any script, space and + - = . _ : / @",
			provider: "aws",
			ascii:    alphanumeric + " +-=._:/@",
			admitted: []string{
				"é", "ß", "Ω", "Ж", "ש", "ع", "日", "ｱ", "𝒳", // Letters, upper, lower and other, one of four bytes.
				"ǅ", "ʰ", // A titlecase and a modifier letter.
				"٣", "३", "９", // Decimal digits.
			},
			refused: []string{
				"\u0301", "\u200d", "\u00ad", // A mark and formatting characters.
				"½", "²", "Ⅷ", "①", // Numbers that are no digits.
				"€", "😀", "\ufffd", "–", "\u00a0", "\u3000", "\u2028", // Symbols, a dash, spaces and a line separator.
				"\u0085", "\ue000", "\U0010ffff", // Control, private use, not assigned.
			},
		},
		"Hetzner": {
			reason:   "Hetzner admits letters and digits of ASCII and - _ . : /, so neither space nor + = @",
			provider: "hetzner",
			ascii:    alphanumeric + "-_.:/",
			refused:  []string{"é", "ß", "日", "\u212a", "\u017f", "٣", "９", "\u0301", "€", "😀", "\ufffd", "\u00a0", "\u0085"},
		},
		"OpenStack": {
			reason:   "OpenStack admits any rune that is no control character.",
			provider: "openstack",
			ascii:    alphanumeric + " !\"#$%&'()*+,-./:;<=>?@[\\]^_`{|}~",
			admitted: []string{
				"é", "日", "𝒳", "٣", "½", "\u0301", "€", "😀", "\u00a0", "\u200b", "\u2028", "\ue000", "\U0010ffff",
				"\ufffd", // As a rune of its own, three bytes long.
			},
			refused: []string{"\u0080", "\u0085", "\u009f"},
		},
		"Generic": {
			reason:   "The generic profile admits letters and digits of ASCII and - _ . : /, so neither space nor + = @",
			provider: "generic",
			ascii:    alphanumeric + "-_.:/",
			refused:  []string{"é", "ß", "日", "\u212a", "\u017f", "٣", "９", "\u0301", "€", "😀", "\ufffd", "\u00a0", "\u0085"},
		},
		"Unknown": {
			reason:   "An unknown provider admits what the generic profile does.",
			provider: "no-such-cloud",
			ascii:    alphanumeric + "-_.:/",
			refused:  []string{"é", "\ufffd", "\u00a0"},
		},
	}

	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			profile := tags.ProfileOf(tc.provider).Name

			check := func(character string, admitted bool) {
				t.Helper()

				// At the start, inside and at the end of the label's own part of the key.
				for _, key := range []string{character, "a" + character + "b", "a" + character} {
					tagKey := "plexsphere:" + key

					wantTags, wantSkipped := map[string]string{tagKey: "v"}, []tags.SkippedLabel{}
					if !admitted {
						wantTags, wantSkipped = map[string]string{}, []tags.SkippedLabel{{QualifiedKey: key, TagKey: tagKey, Provider: profile, Reason: tags.KeyCharacterClass}}
					}

					gotTags, gotSkipped := tags.CloudTags(tc.provider, tags.PropagatingLabelSet{key: "v"})

					if diff := cmp.Diff(wantTags, gotTags); diff != "" {
						t.Errorf("\n%s\nCloudTags(...) with %q: -want tags, +got tags:\n%s", tc.reason, key, diff)
					}

					if diff := cmp.Diff(wantSkipped, gotSkipped); diff != "" {
						t.Errorf("\n%s\nCloudTags(...) with %q: -want skipped, +got skipped:\n%s", tc.reason, key, diff)
					}
				}
			}

			for c := range rune(0x80) {
				check(string(c), strings.ContainsRune(tc.ascii, c))
			}

			// No profile admits a control character, whatever the string above says.
			for _, c := range controlASCII {
				check(string(c), false)
			}

			for _, c := range tc.admitted {
				check(c, true)
			}

			for _, c := range tc.refused {
				check(c, false)
			}

			for _, c := range malformed {
				check(c, false)
			}
		})
	}
}

func TestLabelCompare(t *testing.T) {
	cases := map[string]struct {
		reason string
		a, b   tags.Label
		want   int
	}{
		"ByQualifiedKey": {
			reason: "Labels should sort by qualified key first.",
			a:      tags.Label{QualifiedKey: "a", TagKey: "z"},
			b:      tags.Label{QualifiedKey: "b", TagKey: "a"},
			want:   -1,
		},
		"ByTagKey": {
			reason: "Labels that share a qualified key should sort by tag key.",
			a:      tags.Label{QualifiedKey: "a", TagKey: "plexsphere:a"},
			b:      tags.Label{QualifiedKey: "a", TagKey: "a"},
			want:   1,
		},
		"ByNothingElse": {
			reason: "Neither value nor source should matter.",
			a:      tags.Label{QualifiedKey: "a", TagKey: "a", Value: "x", Source: &tags.Source{Position: 1}},
			b:      tags.Label{QualifiedKey: "a", TagKey: "a", Value: "y", Source: &tags.Source{Position: 2}},
			want:   0,
		},
	}

	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			if diff := cmp.Diff(tc.want, tc.a.Compare(tc.b)); diff != "" {
				t.Errorf("\n%s\na.Compare(b): -want, +got:\n%s", tc.reason, diff)
			}

			if diff := cmp.Diff(-tc.want, tc.b.Compare(tc.a)); diff != "" {
				t.Errorf("\n%s\nb.Compare(a): -want, +got:\n%s", tc.reason, diff)
			}
		})
	}
}
