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

// beyond is what the tags of profiles beyond the contract look like. They format
// keys, so which label became which tag is not looked at.
var beyond = map[string]struct {
	key, value *regexp.Regexp
	tooLong    func(key, value string) bool
	fold       func(key string) string
	count      int
}{
	"azure": {
		key:   regexp.MustCompile(`\A[^<>%&\\?/\p{Cc}]+\z`),
		value: regexp.MustCompile(`(?s)\A.*\z`),
		tooLong: func(key, value string) bool {
			return utf8.RuneCountInString(key) > 512 || utf8.RuneCountInString(value) > 256
		},
		fold:  strings.ToLower,
		count: 50,
	},
	"digitalocean": {
		key:     regexp.MustCompile(`\A[0-9A-Za-z:_\-]+\z`),
		value:   regexp.MustCompile(`\A[0-9A-Za-z:_\-]*\z`),
		tooLong: func(key, value string) bool { return len(key+":"+value) > 255 },
		fold:    strings.Clone,
		count:   50,
	},
	"gcp": {
		key:   regexp.MustCompile(`\A[\p{Ll}\p{Lo}][\p{Ll}\p{Lo}\p{N}_\-]*\z`),
		value: regexp.MustCompile(`\A[\p{Ll}\p{Lo}\p{N}_\-]*\z`),
		tooLong: func(key, value string) bool {
			return utf8.RuneCountInString(key) > 63 || len(key) > 128 || utf8.RuneCountInString(value) > 63 || len(value) > 128
		},
		fold:  strings.Clone,
		count: 64,
	},
}

// contractOf returns the name and the contract of the supplied provider's profile,
// if it is one of the contract's.
func contractOf(provider string) (string, contract, bool) {
	for name, c := range contracts {
		if strings.EqualFold(name, provider) {
			return name, c, true
		}
	}

	for _, name := range tags.ProfileNames() {
		if strings.EqualFold(name, provider) {
			return "", contract{}, false
		}
	}

	return "generic", contracts["generic"], true
}

// cloudTags is what CloudTags should return for a profile of the contract.
func (c contract) cloudTags(profile string, set tags.PropagatingLabelSet) (map[string]string, []tags.SkippedLabel) {
	out, skipped := map[string]string{}, []tags.SkippedLabel{}

	for _, k := range slices.Sorted(maps.Keys(set)) {
		key, value := "plexsphere:"+k, set[k]

		var r tags.SkipReason

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

		skipped = append(skipped, tags.SkippedLabel{QualifiedKey: k, TagKey: key, Provider: profile, Reason: r})
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

	if profile, c, ok := contractOf(provider); ok {
		wantTags, wantSkipped := c.cloudTags(profile, set)

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

	p := tags.ProfileOf(provider)
	left := maps.Clone(set)

	for i, s := range skipped {
		if _, ok := left[s.QualifiedKey]; !ok {
			t.Errorf("\nA label that is skipped should be in the set, and skipped once.\nCloudTags(%q, %q): skipped %q", provider, set, s.QualifiedKey)
		}

		delete(left, s.QualifiedKey)

		if s.Provider != p.Name {
			t.Errorf("\nA label should be skipped by the provider's profile.\nCloudTags(%q, %q): skipped %+v", provider, set, s)
		}

		if !slices.Contains(tags.SkipReasons(), s.Reason) {
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

	if b, ok := beyond[p.Name]; ok {
		folded := make(map[string]bool, len(got))

		for key, value := range got {
			if b.tooLong(key, value) || !utf8.ValidString(key) || !b.key.MatchString(key) || !b.value.MatchString(value) || folded[b.fold(key)] {
				t.Errorf("\nEvery tag should obey the profile.\nCloudTags(%q, %q): got tag %q: %q", provider, set, key, value)
			}

			folded[b.fold(key)] = true
		}

		if len(got) > b.count {
			t.Errorf("\nA resource should not get more tags than it may have.\nCloudTags(%q, %q): got %d tags", provider, set, len(got))
		}
	}

	if len(got) > p.MaxTags {
		t.Errorf("\nA resource should not get more tags than it may have.\nCloudTags(%q, %q): got %d tags", provider, set, len(got))
	}
}

// providers draws a provider: any profile, in any case, and some without one.
func providers() *rapid.Generator[string] {
	names := append(tags.ProfileNames(), "", "AWS", "Hetzner", "OPENSTACK", "no-such-cloud")
	return rapid.SampledFrom(names)
}

// labelSets draws sets of labels whose keys, values and numbers are near what the
// profiles admit, since random ones hardly ever are.
func labelSets() *rapid.Generator[tags.PropagatingLabelSet] {
	// Around the limits of keys, less the prefix, and of values.
	keyLengths := rapid.SampledFrom([]int{0, 1, 5, 51, 52, 53, 116, 117, 118, 122, 123, 243, 244, 245})
	valueLengths := rapid.SampledFrom([]int{0, 1, 62, 63, 64, 84, 85, 86, 127, 128, 254, 255, 256, 257})
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
	for _, provider := range append(tags.ProfileNames(), "no-such-cloud") {
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
