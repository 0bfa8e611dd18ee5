package explain

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/plexsphere/function-cloud-tags/tags/locate"
	"github.com/plexsphere/function-cloud-tags/tags/profile"
	"github.com/plexsphere/function-cloud-tags/tags/words"
)

// unprofiled is the note on a provider or an API group without a tag profile of its own.
func unprofiled(of locate.Unprofiled) string {
	name := strconv.Quote(of.Provider)
	if of.Group != "" {
		name = "API group " + of.Group
	}

	return fmt.Sprintf("%s has no tag profile, so that of %s applies: %sknown are %s", name, profile.Generic, words.DidYouMean(of.Provider, profile.Names()), strings.Join(profile.Names(), ", "))
}

// noteUnprofiled adds a note on each provider and API group that has no tag profile of its own.
func (x *rendering) noteUnprofiled() {
	for _, r := range x.resources {
		if r.unprofiled == (locate.Unprofiled{}) {
			continue
		}

		if note := unprofiled(r.unprofiled); !slices.Contains(x.notes, note) {
			x.notes = append(x.notes, note)
		}
	}
}
