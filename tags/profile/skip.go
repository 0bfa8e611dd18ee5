package profile

// A SkipReason is a reason why a label did not become a tag. The enumeration is closed.
type SkipReason string

// The reasons to skip a label, in the order of checks. The first one that holds is the label's.
const (
	// ReservedKey skips a label if only trusted sources, or only the provider itself, may set its key.
	ReservedKey SkipReason = "reserved-key"

	// ReservedPrefix skips a label if its qualified key or its tag key starts with a prefix that the
	// provider keeps to itself, e.g. aws:, or if the provider keeps its value to itself, e.g. null on Azure.
	ReservedPrefix SkipReason = "reserved-prefix"

	// KeyTooLong skips a label if its tag key is longer than the provider admits.
	KeyTooLong SkipReason = "key-too-long"

	// ValueTooLong skips a label if its value, or its entry in a list of strings, is longer than the
	// provider admits.
	ValueTooLong SkipReason = "value-too-long"

	// KeyCharacterClass skips a label if its tag key has too few characters, or a character that the
	// provider refuses in keys.
	KeyCharacterClass SkipReason = "key-character-class"

	// ValueCharacterClass skips a label if its value, or its entry in a list of strings, has too few
	// characters, or a character that the provider refuses there. No profile of the contract has such
	// a class.
	ValueCharacterClass SkipReason = "value-character-class"

	// KeyCollision skips a label if another label has the same tag key, after a key format or on a
	// provider that compares keys without case: Env and env on Azure. The label of the later source is
	// kept, or else the label with the lower qualified key.
	KeyCollision SkipReason = "key-collision"

	// CountCap skips a label if the resource has no tag slot left.
	CountCap SkipReason = "count-cap"
)

// SkipReasons returns all reasons to skip a label, in the order of checks.
func SkipReasons() []SkipReason {
	return []SkipReason{ReservedKey, ReservedPrefix, KeyTooLong, ValueTooLong, KeyCharacterClass, ValueCharacterClass, KeyCollision, CountCap}
}
