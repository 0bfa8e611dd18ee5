package profile

// A SkipReason is why a label did not become a tag. The enumeration is closed.
type SkipReason string

// Reasons to skip a label, in the order in which they are checked. The first that
// holds is the label's reason.
const (
	// ReservedKey is a label whose key only trusted sources may set, or only the
	// provider itself.
	ReservedKey SkipReason = "reserved-key"

	// ReservedPrefix is a label whose qualified key or tag key starts with a
	// prefix that the provider keeps to itself, e.g. aws:.
	ReservedPrefix SkipReason = "reserved-prefix"

	// KeyTooLong is a label whose tag key is longer than the provider admits.
	KeyTooLong SkipReason = "key-too-long"

	// ValueTooLong is a label whose value is longer than the provider admits, or
	// that would make too long an entry of a tag field that is a list of strings.
	ValueTooLong SkipReason = "value-too-long"

	// KeyCharacterClass is a label whose tag key has a character that the
	// provider doesn't admit in keys, or too few characters.
	KeyCharacterClass SkipReason = "key-character-class"

	// ValueCharacterClass is a label whose value, or entry of a list of strings, has a
	// character that the provider doesn't admit there, or too few characters. No profile of
	// the contract has such a class.
	ValueCharacterClass SkipReason = "value-character-class"

	// KeyCollision is a label whose key has come to be that of another label,
	// after a key format or on a provider whose keys compare without case. The
	// label of the later source is kept, or else the one with the lower qualified
	// key.
	KeyCollision SkipReason = "key-collision"

	// CountCap is a label for which a resource has no tag slot left.
	CountCap SkipReason = "count-cap"
)

// SkipReasons returns all reasons to skip a label, in the order in which they are
// checked.
func SkipReasons() []SkipReason {
	return []SkipReason{ReservedKey, ReservedPrefix, KeyTooLong, ValueTooLong, KeyCharacterClass, ValueCharacterClass, KeyCollision, CountCap}
}
