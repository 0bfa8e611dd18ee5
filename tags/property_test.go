package tags_test

import (
	"cmp"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"unicode/utf8"

	gocmp "github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/plexsphere/function-cloud-tags/tags"
	"github.com/plexsphere/function-cloud-tags/tags/profile"
)

// A contract is what a profile of the contract admits, put once more and in other
// terms, so that a changed number or character in the profile is found.
type contract struct {
	key, value func(s string) int
	keyMax     int
	valueMax   int
	keys       *regexp.Regexp
	count      int
	reserved   *regexp.Regexp
}

func bytesOf(s string) int { return len(s) }

// nothing never matches.
var nothing = regexp.MustCompile(`\z.`)

var contracts = map[string]contract{
	"aws": {
		key: utf8.RuneCountInString, keyMax: 128,
		value: utf8.RuneCountInString, valueMax: 256,
		keys:     regexp.MustCompile(`\A[\p{L}\p{Nd} +\-=._:/@]+\z`),
		count:    50,
		reserved: regexp.MustCompile(`\A[aA][wW][sS]:`),
	},
	"hetzner": {
		key: utf8.RuneCountInString, keyMax: 63,
		value: utf8.RuneCountInString, valueMax: 63,
		keys:     regexp.MustCompile(`\A[0-9A-Za-z\-_.:/]+\z`),
		count:    64,
		reserved: nothing,
	},
	"openstack": {
		key: bytesOf, keyMax: 255,
		value: bytesOf, valueMax: 255,
		keys:     regexp.MustCompile(`\A[^\p{Cc}]+\z`),
		count:    50,
		reserved: nothing,
	},
	"generic": {
		key: utf8.RuneCountInString, keyMax: 63,
		value: utf8.RuneCountInString, valueMax: 255,
		keys:     regexp.MustCompile(`\A[0-9A-Za-z\-_.:/]+\z`),
		count:    32,
		reserved: nothing,
	},
}

// A limit is what a profile beyond the contract admits, put once more and in other terms. Such
// profiles format keys, so no test asks for the tag of a label.
type limit struct {
	key, value string

	// never is what neither keys nor values look like, if that isn't empty.
	never string

	// keyMax and valueMax are in characters, entryMax and entryMin in characters of key and value with one between them, and
	// bytesMax is in bytes of key or value. Zero is no limit.
	keyMax, valueMax, entryMax, entryMin, bytesMax int

	fold  func(key string) string
	count int
}

// check that the tags got obey the limit.
func (l *limit) check(t rapid.TB, name string, got map[string]string) {
	t.Helper()

	key, value, never := regexp.MustCompile(`\A(?:`+l.key+`)\z`), regexp.MustCompile(`(?s)\A(?:`+l.value+`)\z`), nothing
	if l.never != "" {
		never = regexp.MustCompile(l.never)
	}

	exceeds := func(n, limit int) bool { return limit > 0 && n > limit }
	folded := make(map[string]bool, len(got))

	for k, v := range got {
		keyLength, valueLength := utf8.RuneCountInString(k), utf8.RuneCountInString(v)
		entryLength := keyLength + 1 + valueLength

		if !utf8.ValidString(k) || !key.MatchString(k) || !value.MatchString(v) || never.MatchString(k) || never.MatchString(v) ||
			exceeds(keyLength, l.keyMax) || exceeds(valueLength, l.valueMax) || exceeds(entryLength, l.entryMax) || exceeds(max(len(k), len(v)), l.bytesMax) || entryLength < l.entryMin {
			t.Errorf("\nEvery tag should obey the profile.\n%s: got tag %q: %q", name, k, v)
		}

		if l.fold != nil {
			k = l.fold(k)
		}

		if folded[k] {
			t.Errorf("\nNo two tags should have one key.\n%s: got %q twice", name, k)
		}

		folded[k] = true
	}

	if len(got) > l.count {
		t.Errorf("\nA resource should not get more tags than it may have.\n%s: got %d tags", name, len(got))
	}
}

// Characters of keys on clouds without a documented class.
const strictKey = `[0-9A-Za-z\-_.:/]+`

// Characters at either end of a text that may have spaces inside.
const letterOrDigit = `\p{L}\p{Nd}`

var beyond = map[string]limit{
	"alibaba":      {key: `[^\p{Cc}]+`, value: `[^\p{Cc}]*`, never: `(?i)https?://|^aliyun|^acs:`, keyMax: 128, valueMax: 128, count: 20},
	"aruba":        {key: strictKey, value: `.*`, keyMax: 63, valueMax: 255, entryMin: 4, count: 32},
	"azure":        {key: `[^<>%&\\?/\p{Cc}]+`, value: `.*`, never: `^(?i)null$`, keyMax: 512, valueMax: 256, fold: strings.ToLower, count: 50},
	"btp":          {key: strictKey, value: `.*`, keyMax: 63, valueMax: 63, count: 10},
	"cloudflare":   {key: `[0-9A-Za-z\-_]+`, value: `[^\p{C}\p{Zl}\p{Zp}]*`, keyMax: 63, valueMax: 255, fold: strings.ToLower, count: 32},
	"cloudfoundry": {key: `([0-9a-z.\-]{1,253}/)?[0-9A-Za-z]([0-9A-Za-z\-_.]{0,61}[0-9A-Za-z])?`, value: `([0-9A-Za-z]([0-9A-Za-z\-_.]*[0-9A-Za-z])?)?`, never: `^cloudfoundry[.]org/`, valueMax: 63, count: 50},
	"cloudstack":   {key: strictKey, value: `.*`, keyMax: 255, valueMax: 255, count: 50},
	"databricks":   {key: `[` + letterOrDigit + ` +\-=._:@]+`, value: `[` + letterOrDigit + ` +\-=._:/@]*`, never: `^Name$|^(?i)(aws:|null$)`, keyMax: 127, valueMax: 255, fold: strings.ToLower, count: 45},
	"digitalocean": {key: `[0-9A-Za-z:_\-]+`, value: `[0-9A-Za-z:_\-]*`, entryMax: 255, count: 50},

	"flexibleengine": {key: `[^\p{Cc}=*<>\\,|/]+`, value: `[^\p{Cc}=*<>\\,|/]*`, keyMax: 36, valueMax: 43, count: 10},

	"gcp":          {key: `[\p{Ll}\p{Lo}][\p{Ll}\p{Lo}\p{N}_\-]*`, value: `[\p{Ll}\p{Lo}\p{N}_\-]*`, keyMax: 63, valueMax: 63, bytesMax: 128, count: 64},
	"grafana":      {key: `[0-9A-Za-z/._\-]+`, value: `[0-9A-Za-z/._\-]+`, count: 10},
	"huawei":       {key: `[^ /].*[^ ]|[^ /]`, value: `([^ ].*[^ ]|[^ ])?`, never: `^_sys_|[^` + letterOrDigit + ` _.:/=+\-@]`, keyMax: 128, valueMax: 255, count: 20},
	"ibm":          {key: `[0-9A-Za-z :_.\-]+`, value: `[0-9A-Za-z :_.\-]*`, entryMax: 128, count: 50},
	"launchdarkly": {key: `[0-9A-Za-z_.\-]+`, value: `[0-9A-Za-z_.\-]*`, entryMax: 64, count: 32},
	"linode":       {key: strictKey, value: `.*`, entryMax: 50, entryMin: 3, count: 50},
	"mongodbatlas": {key: `[` + letterOrDigit + ` ;@_\-.+]+`, value: `[` + letterOrDigit + ` ;@_\-.+]+`, keyMax: 255, valueMax: 255, count: 50},
	"oci":          {key: `[!-\-/-~]+`, value: `.*`, keyMax: 100, valueMax: 256, fold: strings.ToLower, count: 10},
	"opentelekom":  {key: `[0-9A-Za-z_@\-]+`, value: `[0-9A-Za-z_@\-]*`, keyMax: 36, valueMax: 43, count: 20},
	"outscale":     {key: strictKey, value: `.*`, keyMax: 255, valueMax: 255, count: 50},
	"ovh":          {key: `[0-9A-Za-z_.:/=+@\-]+`, value: `[0-9A-Za-z_.:/=+@\-]*`, never: `^ovh:`, keyMax: 128, valueMax: 256, count: 50},
	"proxmox":      {key: `[0-9a-z_][0-9a-z_+.\-]*`, value: `[0-9a-z_+.\-]*`, count: 32},
	"scaleway":     {key: strictKey, value: `.*`, keyMax: 63, valueMax: 255, count: 32},
	"stackit":      {key: `[0-9A-ZÄÖÜa-zäöüß_\-]+`, value: `[0-9A-ZÄÖÜa-zäöüß_\-]*`, never: `^networkArea$`, keyMax: 64, valueMax: 64, count: 50},
	"tencent":      {key: `[^ ].*[^ ]|[^ ]`, value: `[^ ].*[^ ]|[^ ]`, never: `[^` + letterOrDigit + ` +\-=._:/@()\[\],;<>]`, keyMax: 127, valueMax: 255, count: 50},
	"upcloud":      {key: `[ -^` + "`" + `-~][ -~]+`, value: `.*`, keyMax: 32, valueMax: 255, count: 50},
	"yandex":       {key: `[a-z][\-_0-9a-z]*`, value: `[\-_0-9a-z]*`, keyMax: 63, valueMax: 63, count: 64},
}

// TestNarrowProperties gives sets of labels, with the key prefix and without, to the profiles of
// kinds that have limits of their own by any rules.
func TestNarrowProperties(t *testing.T) {
	const (
		node = `[0-9A-Za-z]([0-9A-Za-z\-_.]{0,61}[0-9A-Za-z])?`
		kcc  = `[0-9a-z]([0-9a-z_\-]*[0-9a-z])?`
		capa = `[0-9A-Za-z +\-=._:/@]`
		open = `[0-9A-Za-z+\-=._:/@]`
		all  = `.*`
	)

	for _, tc := range []struct {
		provider, group, kind string
		limit                 limit
	}{
		{"alibaba", "oss.alibabacloud.crossplane.io", "Bucket", limit{key: `[` + letterOrDigit + ` +\-=._:/]+`, value: `[` + letterOrDigit + ` +\-=._:/]*`, never: `https?://`, keyMax: 128, valueMax: 256, count: 20}},
		{"alibaba", "fc.alibabacloud.crossplane.io", "Service", limit{key: all, value: all, never: `https?://`, keyMax: 64, valueMax: 128, count: 20}},
		{"aws", "controlplane.cluster.x-k8s.io", "AWSManagedControlPlane", limit{key: capa + `+`, value: capa + `*`, never: `^aws:|^Name$|^kubernetes[.]io/cluster/`, keyMax: 128, valueMax: 256, count: 50}},
		{"aws", "karpenter.k8s.aws", "EC2NodeClass", limit{key: `.+`, value: all, never: `^kubernetes[.]io/cluster|^karpenter[.]sh/node(pool|claim)$|^eks:eks-cluster-name$`, keyMax: 128, valueMax: 256, count: 50}},
		{"aws", "hypershift.openshift.io", "NodePool", limit{key: open + `+`, value: open + `+`, keyMax: 128, valueMax: 256, count: 25}},
		{"aws", "storage.k8s.io", "StorageClass", limit{key: `.+`, value: all, never: `\{\{|^kubernetes[.]io|^CSIVolume(Snapshot)?Name$`, keyMax: 128, valueMax: 256, count: 50}},
		{"azure", "infrastructure.cluster.x-k8s.io", "AzureMachinePool", limit{key: all, value: all, never: `^kubernetes[.]io_cluster_`, keyMax: 512, valueMax: 256, fold: strings.ToLower, count: 50}},
		{"azure", "maintenance.azure.upbound.io", "MaintenanceConfiguration", limit{key: `[^A-ZÄÖÜÉ]*`, value: all, keyMax: 512, valueMax: 256, fold: strings.ToLower, count: 50}},
		{"databricks", "compute.databricks.m.crossplane.io", "Pipeline", limit{key: all, value: all, count: 25}},
		{"exoscale", "compute.exoscale.exoscale.ch", "SKSCluster", limit{key: `([0-9a-z.\-]{1,253}/)?` + node, value: `[0-9A-Za-z._\-/#:@]*`, valueMax: 128, count: 32}},
		{"gcp", "storage.cnrm.cloud.google.com", "StorageBucket", limit{key: `[a-z]([0-9a-z_\-]*[0-9a-z])?`, value: `(` + kcc + `)?`, never: `^managed-by-cnrm$|^goog`, keyMax: 63, valueMax: 63, count: 64}},
		{"gcp", "infrastructure.cluster.x-k8s.io", "GCPMachine", limit{key: all, value: all, never: `^capg-`, keyMax: 63, valueMax: 63, count: 64}},
		{"huawei", "obs.huaweicloud.crossplane.io", "Bucket", limit{key: `[0-9A-Za-z\-_]+`, value: `[0-9A-Za-z\-_.]*`, keyMax: 36, valueMax: 43, count: 10}},
		{"ionos", "objectstorage.m.ionoscloud.io", "Object", limit{key: `[0-9A-Za-z\-_.:/]+`, value: all, keyMax: 63, valueMax: 255, count: 10}},
		{"openstack", "infrastructure.cluster.x-k8s.io", "OpenStackCluster", limit{key: `[^,/\p{Cc}]+`, value: `[^,/\p{Cc}]*`, entryMax: 60, count: 50}},
		{"opentelekom", "vpcep.opentelekomcloud.crossplane.io", "ServiceV1", limit{key: all, value: all, never: `[^` + letterOrDigit + ` _.:/=+\-@]`, keyMax: 128, valueMax: 255, count: 20}},
		{"scaleway", "k8s.scaleway.upbound.io", "Pool", limit{key: all, value: all, never: `^(taint|noprefix)$`, count: 32}},
		{"tencent", "cos.tencentcloud.crossplane.io", "Bucket", limit{key: all, value: `.+`, never: `[^` + letterOrDigit + ` +\-=._:/@]`, keyMax: 127, valueMax: 255, count: 50}},
		{"yandex", "compute.yandex-cloud.m.jet.crossplane.io", "Disk", limit{key: `[a-z][\-_./\\@0-9a-z]*`, value: `[\-_./\\@0-9a-z]*`, keyMax: 63, valueMax: 63, count: 64}},
		{"yandex", "storage.yandex-cloud.jet.crossplane.io", "Object", limit{key: all, value: all, never: `^aws:|[^ -~]`, keyMax: 128, valueMax: 256, count: 10}},
	} {
		p := profile.Contract.ProfileOf(tc.provider, tc.group, tc.kind)
		if !p.Narrow {
			t.Errorf("want a profile of its own for %s/%s", tc.group, tc.kind)
		}

		t.Run(tc.group+"/"+tc.kind, func(t *testing.T) {
			rapid.Check(t, func(t *rapid.T) {
				set, got := labelSets().Draw(t, "set"), make(map[string]string)
				for _, key := range append(slices.Clone(p.Taken), p.Reserved...) {
					set[strings.TrimSuffix(key, "*")] = "v"
				}

				labels := set.Labels(rapid.SampledFrom([]string{"", tags.CloudTagPrefix}).Draw(t, "prefix"))
				kept, refused := tags.NewTransformer(labels, nil).Transform(p).Fit(p.MaxTags)

				for _, tag := range kept {
					got[tag.Key] = tag.Value
				}

				if len(kept)+len(refused) != len(labels) || len(got) != len(kept) {
					t.Errorf("want %d labels to be tags or to be refused, got %d and %d", len(labels), len(kept), len(refused))
				}

				tc.limit.check(t, tc.kind, got)
			})
		})
	}
}

// contractOf returns the name and the contract of the provider's profile, if it is one of the
// contract's.
func contractOf(provider string) (string, contract, bool) {
	for name, c := range contracts {
		if strings.EqualFold(name, provider) {
			return name, c, true
		}
	}

	for _, name := range profile.Names() {
		if strings.EqualFold(name, provider) {
			return "", contract{}, false
		}
	}

	return "generic", contracts["generic"], true
}

// cloudTags is what CloudTags should return for a profile of the contract.
func (c contract) cloudTags(name string, set tags.PropagatingLabelSet) (map[string]string, []tags.SkippedLabel) {
	out, skipped := map[string]string{}, []tags.SkippedLabel{}

	for _, k := range slices.Sorted(maps.Keys(set)) {
		key, value := "plexsphere:"+k, set[k]

		var r profile.SkipReason

		switch {
		case c.reserved.MatchString(k):
			r = "reserved-prefix"
		case c.key(key) > c.keyMax:
			r = "key-too-long"
		case c.value(value) > c.valueMax:
			r = "value-too-long"
		case !utf8.ValidString(key) || !c.keys.MatchString(key):
			r = "key-character-class"
		case len(out) == c.count:
			r = "count-cap"
		default:
			out[key] = value
			continue
		}

		skipped = append(skipped, tags.SkippedLabel{QualifiedKey: k, TagKey: key, Provider: name, Reason: r})
	}

	return out, skipped
}

// checkCloudTags calls CloudTags, and fails the test if what it returns is not right.
func checkCloudTags(t rapid.TB, provider string, set tags.PropagatingLabelSet) {
	t.Helper()

	before := maps.Clone(set)
	got, skipped := tags.CloudTags(provider, set)

	if diff := gocmp.Diff(before, set); diff != "" {
		t.Errorf("\nThe set should not change.\nCloudTags(%q, ...): -before, +after:\n%s", provider, diff)
	}

	again, skippedAgain := tags.CloudTags(provider, maps.Clone(set))
	if diff := gocmp.Diff(got, again) + gocmp.Diff(skipped, skippedAgain); diff != "" {
		t.Errorf("\nThe same set and provider should give the same answer.\nCloudTags(%q, %q): -first, +second:\n%s", provider, set, diff)
	}

	if got == nil || skipped == nil {
		t.Errorf("\nNeither tags nor skipped labels should be nil.\nCloudTags(%q, %q): got %v, %v", provider, set, got, skipped)
	}

	checkPartition(t, provider, set, got, skipped)

	if name, c, ok := contractOf(provider); ok {
		wantTags, wantSkipped := c.cloudTags(name, set)

		if diff := gocmp.Diff(wantTags, got); diff != "" {
			t.Errorf("\nThe tags should be what the contract says.\nCloudTags(%q, %q): -want, +got:\n%s", provider, set, diff)
		}

		if diff := gocmp.Diff(wantSkipped, skipped); diff != "" {
			t.Errorf("\nThe skipped labels should be what the contract says.\nCloudTags(%q, %q): -want, +got:\n%s", provider, set, diff)
		}
	}
}

// checkPartition fails the test unless each label of the set is either a tag or
// skipped. It holds for all profiles, also for those that format keys.
func checkPartition(t rapid.TB, provider string, set tags.PropagatingLabelSet, got map[string]string, skipped []tags.SkippedLabel) {
	t.Helper()

	p := profile.Of(provider)
	left := maps.Clone(set)

	for i, s := range skipped {
		if _, ok := left[s.QualifiedKey]; !ok {
			t.Errorf("\nA label that is skipped should be in the set, and skipped once.\nCloudTags(%q, %q): skipped %q", provider, set, s.QualifiedKey)
		}

		delete(left, s.QualifiedKey)

		if s.Provider != p.Name {
			t.Errorf("\nA label should be skipped by the provider's profile.\nCloudTags(%q, %q): skipped %+v", provider, set, s)
		}

		if !slices.Contains(profile.SkipReasons(), s.Reason) {
			t.Errorf("\nThe reasons are a closed enumeration.\nCloudTags(%q, %q): skipped %+v", provider, set, s)
		}

		if i > 0 && cmp.Compare(skipped[i-1].QualifiedKey, s.QualifiedKey) >= 0 {
			t.Errorf("\nSkipped labels should be sorted by qualified key.\nCloudTags(%q, %q): skipped %q before %q", provider, set, skipped[i-1].QualifiedKey, s.QualifiedKey)
		}
	}

	// No two labels come to one tag, so there are as many tags as labels are left,
	// and they have the same values.
	if diff := gocmp.Diff(slices.Sorted(maps.Values(left)), slices.Sorted(maps.Values(got))); diff != "" {
		t.Errorf("\nEach label that is not skipped should be a tag, with its value.\nCloudTags(%q, %q): -want, +got:\n%s", provider, set, diff)
	}

	if l, ok := beyond[p.Name]; ok {
		l.check(t, fmt.Sprintf("CloudTags(%q, %q)", provider, set), got)
	}

	if len(got) > p.MaxTags {
		t.Errorf("\nA resource should not get more tags than it may have.\nCloudTags(%q, %q): got %d tags", provider, set, len(got))
	}
}

// providers draws a provider: any profile, spelled in any way, and some without a profile.
func providers() *rapid.Generator[string] {
	names := append(profile.Names(), "", "AWS", "Hetzner", "OPENSTACK", "no-such-cloud")
	return rapid.SampledFrom(names)
}

// labelSets draws sets of labels whose keys, values and numbers are near what the
// profiles admit, since random ones hardly ever are.
func labelSets() *rapid.Generator[tags.PropagatingLabelSet] {
	// Around the limits of keys, less the prefix, and of values.
	keyLengths := rapid.SampledFrom([]int{0, 1, 2, 5, 21, 24, 25, 32, 33, 36, 37, 51, 52, 53, 116, 117, 118, 122, 123, 243, 244, 245})
	valueLengths := rapid.SampledFrom([]int{0, 1, 2, 43, 44, 62, 63, 64, 84, 85, 86, 127, 128, 254, 255, 256, 257})
	sizes := rapid.SampledFrom([]int{0, 0, 0, 1, 31, 32, 33, 49, 50, 51, 63, 64, 65, 80})

	alphabet := rapid.SampledFrom([]string{
		"k", "k", "k", "k", "Z", "0", "-", "_", ".", ":", "/", // Admitted everywhere.
		" ", "+", "=", "@", "!", "<", "\"", "\t", "\x00", "\x7f", "\u0085",
		"é", "日", "𝒳", "٣", "½", "€", "\u0301", "\ufffd", "\xff", "\xc3",
	})
	starts := rapid.SampledFrom([]string{"", "", "", "", "aws:", "AWS:", "Aws:", "aws", "plexsphere:", "platform/", "microsoft", "goog"})

	text := func(t *rapid.T, length int, label string) string {
		fill := alphabet.Draw(t, label+" filled with")
		odd := alphabet.Draw(t, label+" also has")
		s := strings.Repeat(fill, length)

		if length > 0 && rapid.Bool().Draw(t, label+" is mixed") {
			s = strings.Repeat(fill, length-1) + odd
		}

		return s
	}

	return rapid.Custom(func(t *rapid.T) tags.PropagatingLabelSet {
		set := tags.PropagatingLabelSet{}

		for i := range sizes.Draw(t, "plain labels") {
			set[fmt.Sprintf("k%02d", i)] = strconv.Itoa(i)
		}

		for range rapid.IntRange(0, 8).Draw(t, "odd labels") {
			key := starts.Draw(t, "start of key") + text(t, keyLengths.Draw(t, "length of key"), "key")
			set[key] = text(t, valueLengths.Draw(t, "length of value"), "value")
		}

		maps.Copy(set, rapid.MapOfN(rapid.String(), rapid.String(), 0, 3).Draw(t, "any labels"))

		return set
	})
}

func TestCloudTagsProperties(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		checkCloudTags(t, providers().Draw(t, "provider"), labelSets().Draw(t, "set"))
	})
}

// TestCloudTagsPropertiesOfEach gives each set to each profile, so that none is
// left to chance.
func TestCloudTagsPropertiesOfEach(t *testing.T) {
	for _, provider := range append(profile.Names(), "no-such-cloud") {
		if _, ok := beyond[provider]; !ok {
			if _, _, ok := contractOf(provider); !ok {
				t.Errorf("want the limits of %s put once more", provider)
			}
		}

		t.Run(provider, func(t *testing.T) {
			rapid.Check(t, func(t *rapid.T) {
				checkCloudTags(t, provider, labelSets().Draw(t, "set"))
			})
		})
	}
}

// FuzzCloudTags makes a set of labels of a text: labels end with a record separator,
// and a unit separator is between key and value.
func FuzzCloudTags(f *testing.F) {
	seeds := []struct {
		provider string
		labels   string
		numbered uint8
	}{
		{provider: "aws", labels: "platform/env\x1fprod\x1eacme:checkout/owner\x1fteam-a"},
		{provider: "AWS", labels: "aws:createdBy\x1fme\x1eAwS:x\x1f\x1eaws\x1f", numbered: 51},
		{provider: "hetzner", labels: "a b\x1fc\x1e" + strings.Repeat("k", 53) + "\x1fv", numbered: 65},
		{provider: "openstack", labels: strings.Repeat("é", 122) + "\x1f" + strings.Repeat("€", 86) + "\x1etab\there\x1fv", numbered: 50},
		{provider: "generic", labels: "\x1f\x1e\xff\x1f\xff\x1e\ufffd\x1f\ufffd", numbered: 33},
		{provider: "", labels: ""},
	}

	for _, s := range seeds {
		f.Add(s.provider, s.labels, s.numbered)
	}

	f.Fuzz(func(t *testing.T, provider, labels string, n uint8) {
		set := numbered(int(n))

		if labels != "" {
			for label := range strings.SplitSeq(labels, "\x1e") {
				key, value, _ := strings.Cut(label, "\x1f")
				set[key] = value
			}
		}

		checkCloudTags(t, provider, set)
	})
}
