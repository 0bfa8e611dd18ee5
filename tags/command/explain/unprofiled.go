package explain

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/plexsphere/function-cloud-tags/tags/locate"
	"github.com/plexsphere/function-cloud-tags/tags/profile"
	"github.com/plexsphere/function-cloud-tags/tags/words"
)

// unprofiled returns a note on a provider or an API group without a tag profile of its own.
func unprofiled(u locate.Unprofiled) string {
	name := strconv.Quote(u.Provider)
	if u.Group != "" {
		name = "API group " + u.Group
	}

	return fmt.Sprintf("%s has no tag profile, so that of %s applies: %sknown are %s", name, profile.Generic, words.DidYouMean(u.Provider, profile.Names()), strings.Join(profile.Names(), ", "))
}
