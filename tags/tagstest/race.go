//go:build race

package tagstest

// Race is true under the race detector, where pools drop some of what they hold, so that what
// takes from them allocates more.
const Race = true
