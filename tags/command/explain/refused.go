package explain

import (
	"fmt"
	"slices"
	"strings"

	"github.com/plexsphere/function-cloud-tags/input/v1beta1"
	"github.com/plexsphere/function-cloud-tags/tags"
	"github.com/plexsphere/function-cloud-tags/tags/command/terminal"
	"github.com/plexsphere/function-cloud-tags/tags/profile"
	"github.com/plexsphere/function-cloud-tags/tags/words"
)

// A RefusedTag is the tag of a label that the API of the cloud refuses, though the contract's rules admit it.
type RefusedTag struct {
	tags.SkippedLabel

	// Service that refuses it, or empty if all services of the cloud do.
	Service string `json:"service,omitempty"`

	// Limit of the API in a few words.
	Limit string `json:"limit"`
}

// addRefused says which tags the API of the cloud refuses, or the API of one of its services.
func (x *Explanation) addRefused(in *v1beta1.CloudTags) {
	refusers := make(map[tags.Label][]string)

	for _, by := range in.ProfileRules.RefusingAPIs(x.Provider) {
		same := by.Profile.SameKeys(slices.Values(words.Map(x.tagged, func(t *tags.Tag) string { return t.Key })))

		for _, t := range x.tagged {
			reason := by.Profile.Check(t.Key, t.Key, t.Value)

			switch {
			case reason != "":
			case same[t.Key]:
				reason = profile.KeyCollision
			default:
				continue
			}

			x.CloudRefuses = append(x.CloudRefuses, RefusedTag{SkippedLabel: t.SkippedLabel(x.profile.Name, reason), Service: by.Service, Limit: by.Profile.Limit(reason)})

			refusers[t.Label] = append(refusers[t.Label], by.Service)
		}
	}

	for l, services := range refusers {
		key := x.cells[l].Text

		switch services = namesOf(services); {
		case services[0] == "":
			x.cells[l] = terminal.Cell{Text: "refused: " + key, Color: terminal.Red}
		case len(services) == 1:
			x.cells[l] = terminal.Cell{Text: "refused by " + services[0] + ": " + key, Color: terminal.Yellow}
		default:
			x.cells[l] = terminal.Cell{Text: fmt.Sprintf("refused by %d services: %s", len(services), key), Color: terminal.Yellow}
		}
	}
}

// namesOf returns the names of services: "neptune, rds" has two.
func namesOf(services []string) []string {
	return words.Distinct(strings.Split(strings.Join(services, ", "), ", "))
}

// refusedLines returns a line for each limit, with the tags that the cloud refuses.
func (x *Explanation) refusedLines() []string {
	byLimit := words.Grouped(x.CloudRefuses, func(r RefusedTag) [2]string { return [2]string{string(r.Reason), r.Limit} })

	return words.Map(byLimit, func(same []RefusedTag) string {
		by := "its API"
		if services := namesOf(words.Map(same, func(r RefusedTag) string { return r.Service })); services[0] != "" {
			by = "the API of " + words.Names(services)
		}

		keys := words.Distinct(words.Map(same, func(r RefusedTag) string { return words.Cell(r.TagKey) }))

		return fmt.Sprintf(" refused by %s: %s (%s): %s", by, same[0].Reason, same[0].Limit, strings.Join(keys, ", "))
	})
}
