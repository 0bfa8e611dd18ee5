//go:build !race

package tagstest

// Race reports whether the race detector is on. Pools then drop some of their values, so that their users
// allocate more.
const Race = false
