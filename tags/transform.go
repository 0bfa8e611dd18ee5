package tags

import (
	"slices"
	"strings"

	"github.com/plexsphere/function-cloud-tags/tags/profile"
)

// A Transformer turns one set of labels into the tags of any profile.
type Transformer struct {
	labels []Label

	// keyFormats and valueFormats have the formats that the input gives, by the name of the tag profile.
	keyFormats, valueFormats map[string]profile.Format

	// denied are labels with reserved keys from sources that aren't trusted.
	denied []Label

	// reservedPatterns are the patterns of reserved keys, such as platform/*.
	reservedPatterns []string

	// reservedKeys has the keys that match reservedPatterns before a key format applies, such as platform/env. It ignores case.
	reservedKeys profile.KeySet

	keyPrefix string

	// classifiers are tag keys that only trusted labels may have: see SetClassifiers.
	classifiers []string

	// overridden has the trusted labels that labels of later sources replaced in the label set, by TagKey: see SetOverridden.
	overridden map[string]Label

	// transformed has the results of earlier calls of Transform.
	transformed map[*profile.Profile]*Transformed
}

// Transformed has the tags that labels become on one tag profile, and the labels that the profile doesn't admit.
type Transformed struct {
	// Tags are in the order in which they take the tag slots of a resource. Tags with keys of trusted sources come first
	// (KeyIsTrusted), sorted by qualified key, and then all others, sorted likewise.
	Tags []Tag

	// Skipped is sorted by qualified key.
	Skipped []Judged

	transformer            *Transformer
	profile                *profile.Profile
	keyFormat, valueFormat profile.Format

	// reservedTagKeys has the tag keys that only trusted labels may have, with the key format: plexsphere_platform_env on Google Cloud.
	reservedTagKeys profile.KeySet

	// classifiers has the transformer's classifiers, as the profile compares keys. Labels that are handed on have none.
	classifiers profile.KeySet

	// trustedKeys has the tag keys that trusted sources give, even if their labels are skipped.
	trustedKeys profile.KeySet
}

// Fit takes the number of free tag slots of a resource. It returns the tags that get a slot, and all skipped tags, sorted by
// qualified key. If two slots are free, the last of three tags is skipped with the reason count-cap.
func (d *Transformed) Fit(slots int) ([]Tag, []Judged) {
	fitting := d.Tags[:min(max(slots, 0), len(d.Tags))]
	skipped := slices.Clone(d.Skipped)

	for i := range d.Tags[len(fitting):] {
		skipped = append(skipped, Judged{Tag: &d.Tags[len(fitting)+i], Fate: Skipped, Reason: profile.CountCap})
	}

	slices.SortStableFunc(skipped, compareKeys)

	return fitting, skipped
}

// ReadsAsReserved returns the forbidden key of another tag that the tag t could be read as, written as one string of key, separator and value.
// found is false if there is none, or without a separator. Forbidden are the keys that providers set, such as crossplane-name, and for
// untrusted labels also these:
//   - Reserved keys. If zone is reserved, and the separator is =, the key zone=a with the value b makes the string zone=a=b. A reader may take
//     it for the key zone with the value a=b.
//   - Classifiers, the keys of matchCloudTags.
//   - Keys of trusted labels. With the trusted label env: prod, the label env=dev: x makes the string env=dev=x.
func (d *Transformed) ReadsAsReserved(t Tag, separator string) (key string, found bool) {
	entry := t.Key + separator + t.Value

	// ShortestKey finds a key of the set at the beginning of the entry, before a separator. Without a separator, it finds none.
	if key, found = providersKeySet.ShortestKey(entry, separator); found || t.Trusted {
		return key, found
	}

	for _, keys := range []profile.KeySet{d.reservedTagKeys, d.classifiers, d.trustedKeys} {
		for key = range keys.Of(entry, separator) {
			if isOwn := key == t.Key && t.KeyIsTrusted(); !isOwn { // A label that has won over a trusted one has its key.
				return key, true
			}
		}
	}

	return "", false
}

// Reserved returns the tag keys that only trusted labels may have.
func (d *Transformed) Reserved() profile.KeySet { return d.reservedTagKeys }

// TrustedKeys returns the tag keys that trusted sources give, even if their labels are skipped.
func (d *Transformed) TrustedKeys() profile.KeySet { return d.trustedKeys }

// Classifiers returns the tag keys that no untrusted label may have, since the input's matchCloudTags names them.
func (d *Transformed) Classifiers() profile.KeySet { return d.classifiers }

// IsReserved reports whether only trusted labels, or only the provider, may give a tag with the key: it is a reserved key, a classifier or a
// key such as crossplane-name. Where labels are handed on, the keys are qualified keys.
func (d *Transformed) IsReserved(tagKey string) bool {
	isHandedOn := d.profile.HandsLabelsOn && d.transformer.reservedKeys.Has(tagKey)

	return isHandedOn || d.reservedTagKeys.Has(tagKey) || d.classifiers.Has(tagKey) || providersKeySet.Has(tagKey)
}

// TakenAwayLimit is the Limit of records with the fate TakenAway.
const TakenAwayLimit = "an earlier step set it, and only a source with trusted: true may"

// TakenAway returns the record of a tag with the reserved key that an earlier step has set, such as owner: me. It has no label, and so the
// qualified key of plexsphere:owner is owner.
func (d *Transformed) TakenAway(tagKey string) Judged {
	t := &Tag{Label: Label{QualifiedKey: strings.TrimPrefix(tagKey, d.transformer.keyPrefix)}, Key: tagKey}
	return Judged{Tag: t, Fate: TakenAway, Reason: profile.ReservedKey, Limit: TakenAwayLimit}
}

// HasPrefix reports whether the tag key begins with the key prefix in the key format of the profile: plexsphere_ on Google Cloud.
// It returns false if neither the input nor the key format has a prefix.
func (d *Transformed) HasPrefix(tagKey string) bool {
	// If the key format has a prefix of its own, it takes the place of keyPrefix. For an empty key, Prefixed returns the prefix alone.
	prefix := d.keyFormat.Apply(d.keyFormat.Prefixed("", d.transformer.keyPrefix))
	return prefix != "" && strings.HasPrefix(d.profile.Fold(tagKey), d.profile.Fold(prefix))
}

// TagKeys returns the tag keys that key can mean on the profile, sorted: with and without the key prefix, and with and without the key
// format. On Google Cloud, a/b means a/b, a_b, plexsphere:a/b and plexsphere_a_b.
func (d *Transformed) TagKeys(key string) (tagKeys []string) {
	withPrefix := d.transformer.keyPrefix + key

	// If the key format has a prefix of its own, Prefixed returns this prefix and the key. Otherwise, it returns withPrefix once more.
	for _, unformatted := range []string{key, withPrefix, d.keyFormat.Prefixed(key, withPrefix)} {
		tagKeys = append(tagKeys, unformatted, d.keyFormat.Apply(unformatted))
	}

	slices.Sort(tagKeys)

	return slices.Compact(tagKeys)
}

// KeySet returns the tag keys that match the patterns, with or without the key format. On Google Cloud, team/* matches team/a
// and team_a, but not plexsphere:team/a.
func (d *Transformed) KeySet(patterns ...string) profile.KeySet {
	// Patterns needs keyPrefix to replace it by the key format's own prefix.
	all := make([]string, 0, 2*len(patterns))
	for _, p := range patterns {
		all = append(all, d.keyFormat.Patterns(p, d.transformer.keyPrefix)...)
	}

	return d.profile.KeySet(all...)
}

// NewTransformer returns a Transformer of labels. The labels must be sorted by Label.Compare, and each must have its own tag key.
// keyFormats has key formats by the name of the tag profile, and replaces the profile's own.
func NewTransformer(labels []Label, keyFormats map[string]profile.Format) *Transformer {
	return &Transformer{labels: labels, keyFormats: keyFormats, transformed: make(map[*profile.Profile]*Transformed)}
}

// Reserve reserves the keys that match the patterns for trusted labels. A pattern is a key such as owner, or the beginning of keys
// and a star, such as platform/*. The denied labels have reserved keys, and are skipped. Reserve also sets the key prefix.
func (t *Transformer) Reserve(patterns []string, keyPrefix string, denied []Label) {
	t.reservedPatterns, t.reservedKeys = patterns, profile.NewFoldedKeySet(patterns...)
	t.keyPrefix, t.denied = keyPrefix, denied
}

// SetClassifiers sets the tag keys that the input's matchCloudTags names. An untrusted label with such a tag key on a cloud is skipped there,
// for reserved-key: whoever gives it could select and deselect resources. Its qualified key doesn't count. Unlike a reserved key, a
// classifier of an earlier step stays.
func (t *Transformer) SetClassifiers(tagKeys []string) { t.classifiers = tagKeys }

// SetOverridden sets the trusted labels that lost to labels of later sources: of labels with the same tag key, the later one wins, trusted
// or not. If an untrusted winner is skipped on a cloud, the trusted label becomes the tag there. For example, a later cost-center of 300
// characters doesn't take the platform's cost-center: "100" away. If several of the trusted labels have the same tag key, the last one
// counts.
func (t *Transformer) SetOverridden(labels []Label) {
	t.overridden = make(map[string]Label, len(labels))
	for _, l := range labels {
		t.overridden[l.TagKey] = l
	}
}

// SetValueFormats sets the formats of values, by the name of the tag profile. The limits of a profile apply to formatted values.
func (t *Transformer) SetValueFormats(formats map[string]profile.Format) { t.valueFormats = formats }

// Empty reports whether there is no label, not even a denied one.
func (t *Transformer) Empty() bool { return len(t.labels)+len(t.denied) == 0 }

// Transform returns the tags of the labels on the profile p. There may be more tags than a resource can have: see Fit.
// testdata/transform.yaml has examples.
func (t *Transformer) Transform(p *profile.Profile) *Transformed {
	if d, ok := t.transformed[p]; ok {
		return d
	}

	keyFormat, ok := t.keyFormats[p.Name]
	if !ok {
		keyFormat = p.Format
	}

	d := &Transformed{transformer: t, profile: p, keyFormat: keyFormat, valueFormat: t.valueFormats[p.Name]}
	d.Tags = make([]Tag, 0, len(t.labels))

	// Labels that are handed on to a nested composite resource aren't tags yet: its own Composition reserves tag keys.
	if !p.HandsLabelsOn {
		d.reservedTagKeys = profile.NewFoldedKeySet(ReservedTagKeys(keyFormat, t.reservedPatterns, t.keyPrefix)...)
		d.classifiers = p.KeySet().With(t.classifiers...)
	}

	for _, l := range t.denied {
		d.skip(d.tag(l), profile.ReservedKey)
	}

	for _, l := range t.labels {
		// A trusted label with a reserved key isn't handed on, and isn't skipped either: the nested Composition takes it from its own trusted
		// sources. An untrusted one is denied, and skipped above.
		if p.HandsLabelsOn && HasReservedKey(t.reservedKeys, l) {
			continue
		}

		d.addWithOverridden(l)
	}

	d.skipCollisions()
	d.setTrustedKeys()

	slices.SortStableFunc(d.Skipped, compareKeys)
	slices.SortStableFunc(d.Tags, func(a, b Tag) int { return CompareTrust(a.KeyIsTrusted(), b.KeyIsTrusted()) })

	// A trusted tag that gets no slot is an error, but a label that is handed on may stay without one. So it doesn't count as trusted.
	for i := range d.Tags {
		t := &d.Tags[i]
		t.Trusted = t.Trusted && !p.HandsLabelsOn

		if t.Overridden != nil {
			t.Overridden.Trusted = !p.HandsLabelsOn
		}
	}

	t.transformed[p] = d

	return d
}

// setTrustedKeys sets trustedKeys.
func (d *Transformed) setTrustedKeys() {
	var keys []string

	for i := range d.Tags {
		if d.Tags[i].KeyIsTrusted() {
			keys = append(keys, d.Tags[i].Key)
		}
	}

	for i := range d.Skipped {
		if d.Skipped[i].Trusted {
			keys = append(keys, d.Skipped[i].Key)
		}
	}

	d.trustedKeys = d.profile.KeySet().With(keys...)
}

// tag returns the tag of the label l, even if l is to be skipped.
func (d *Transformed) tag(l Label) Tag {
	key := l.TagKey

	switch {
	case d.profile.HandsLabelsOn:
		key = l.QualifiedKey
	case !l.GivesTagKey:
		key = d.keyFormat.Prefixed(l.QualifiedKey, l.TagKey) // l.TagKey, unless the key format has a prefix of its own.
	}

	key = d.keyFormat.Apply(key)
	isReserved := HasReservedKey(d.transformer.reservedKeys, l) || d.reservedTagKeys.Has(key)

	return Tag{Label: l, Key: key, Value: d.valueFormat.Apply(l.Value), Reserved: isReserved}
}

// Judge returns the tag of the label l, and the reason to skip l, or an empty reason. It judges l alone: collisions and the number of tags
// come later. The qualified key counts, too: on aws, the label aws:x is skipped for reserved-prefix, although its tag key is
// plexsphere:aws:x.
func (d *Transformed) Judge(l Label) (Tag, profile.SkipReason) {
	t := d.tag(l)

	isProviders := !d.profile.HandsLabelsOn && providersKeySet.Has(t.Key)
	isForTrusted := t.Reserved || d.classifiers.Has(t.Key)

	if isProviders || isForTrusted && !t.Trusted {
		return t, profile.ReservedKey
	}

	return t, d.profile.Check(t.QualifiedKey, t.Key, t.Value)
}

// add adds the tag of the label l, or skips l.
func (d *Transformed) add(l Label) {
	if t, reason := d.Judge(l); reason != "" {
		d.skip(t, reason)
	} else {
		d.Tags = append(d.Tags, t)
	}
}

// addWithOverridden adds the tag of the label l, or skips l. If l isn't trusted, and has won over a trusted label, the trusted label becomes a
// tag, too, in these cases:
//   - l is skipped, for whatever reason: cost-center has 300 characters.
//   - The key of the trusted label is reserved.
//   - The two have different keys on this profile: a key with keyForm: Tag gets no prefix.
//
// Otherwise the tag of l has the tag of the trusted label as Overridden, since l may be skipped later.
func (d *Transformed) addWithOverridden(l Label) {
	overridden, hasOverridden := d.transformer.overridden[l.TagKey]
	if !hasOverridden || l.Trusted {
		d.add(l)
		return
	}

	t, reason := d.Judge(l)
	other, otherReason := d.Judge(overridden)

	if reason != "" || other.Reserved || other.Key != t.Key {
		d.add(l)
		d.add(overridden)

		return
	}

	if otherReason == "" {
		t.Overridden = &other
	}

	d.Tags = append(d.Tags, t)
}

func (d *Transformed) skip(t Tag, reason profile.SkipReason) {
	d.Skipped = append(d.Skipped, Judged{Tag: &t, Fate: Skipped, Reason: reason})
}

// skipCollisions skips all but one of the labels with the same tag key. On Google Cloud, A/b and a_b both have the tag key a_b. On
// clouds that ignore case, Env and env are the same key. If a skipped label has an Overridden tag, this tag takes the label's place, and may
// win.
func (d *Transformed) skipCollisions() {
	for hasRevived := true; hasRevived; {
		winners := d.winners()
		all := d.Tags
		d.Tags, hasRevived = make([]Tag, 0, len(winners)), false

		for i, t := range all {
			winner := winners[d.comparedKey(t)]
			if winner == i {
				d.Tags = append(d.Tags, t)
				continue
			}

			d.Skipped = append(d.Skipped, Judged{Tag: &t, Fate: Skipped, Reason: profile.KeyCollision, Winner: all[winner].QualifiedKey})

			if t.Overridden != nil {
				d.Tags, hasRevived = append(d.Tags, *t.Overridden), true
			}
		}
	}
}

// winners returns the positions of those Tags that keep their keys, by comparedKey.
func (d *Transformed) winners() map[string]int {
	winners := make(map[string]int, len(d.Tags))

	for i, t := range d.Tags {
		if winner, ok := winners[d.comparedKey(t)]; !ok || t.Beats(d.Tags[winner].Label) {
			winners[d.comparedKey(t)] = i
		}
	}

	return winners
}

// comparedKey returns the key of the tag t as the cloud compares keys: in lower case on Azure.
func (d *Transformed) comparedKey(t Tag) string {
	if d.profile.FoldKeys {
		return d.profile.Fold(t.Key)
	}

	return t.Key
}
