package profile

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/plexsphere/function-cloud-tags/tags/tagstest"
)

//go:generate go test . -run TestREADME -update

// TestREADME compares the table in README.md with the profiles.
func TestREADME(t *testing.T) {
	tagstest.Section(t, "README.md", "profiles", table())
	tagstest.Section(t, "README.md", "services", services())
}

// services returns the table of the services whose limits have a source, in Markdown, with a row for equal limits.
func services() string {
	out := &strings.Builder{}
	out.WriteString("| Services of AWS | Key | Value | Tags | Characters of keys | Characters of values | API's values | Reserved |\n|---|---|---|---|---|---|---|---|\n")

	var rows []string

	named := make(map[string][]string)

	for _, s := range Services() {
		row := strings.Join(s.columns(), " | ")
		if named[row] == nil {
			rows = append(rows, row)
		}

		named[row] = append(named[row], code(s.Name))
	}

	for _, row := range rows {
		out.WriteString("| " + strings.Join(named[row], ", ") + " | " + row + " |\n")
	}

	return strings.ReplaceAll(out.String(), "  ", " ")
}

func (s Service) columns() []string {
	values := s.ValueCharacters
	if values == s.KeyCharacters {
		values = "as keys"
	}

	keys := s.KeyCharacters
	if s.FoldKeys {
		keys += "; case doesn't count"
	}

	return []string{strconv.Itoa(s.Key), strconv.Itoa(s.Value), strconv.Itoa(s.Tags), keys, values, s.Admitted, reserved(s.Reserved, s.ReservedValues)}
}

// reserved returns the reserved keys, and the reserved values.
func reserved(keys, values []string) string {
	out := strings.Join(codes(keys), ", ")
	if len(values) > 0 {
		out += "; values: " + strings.Join(codes(values), ", ")
	}

	return out
}

// table returns the table of all profiles, in Markdown.
func table() string {
	out := &strings.Builder{}
	out.WriteString("| Profile | Key | Value | Tags | Characters of keys | Reserved | `platform/env` becomes | Narrower kinds | `profileRules: Cloud` changes | Sources |\n|---|---|---|---|---|---|---|---|---|---|\n")

	for _, c := range slices.Concat(clouds, seconds) {
		p := c.contract
		columns := []string{code(p.Name), p.Key.String(), p.Value.String(), strconv.Itoa(p.MaxTags), p.KeyClass.Name, reserved(slices.Concat(p.Reserved, p.Taken), p.ReservedValues), becomes(p), names(c.always), byCloud(&c), sources(&c)}

		if p.Entry != (Length{}) {
			columns[1], columns[2] = p.Entry.String()+" with the value", ""
		}

		if values := valuesOf(p); values != "" {
			columns[4] += "; " + values
		}

		if p.EntryClass.Name != "" && p.EntryClass.Name != p.KeyClass.Name {
			columns[4] += "; key and value: " + p.EntryClass.Name
		}

		for i, c := range columns {
			columns[i] = strings.ReplaceAll(c, " | ", ` \| `)
		}

		out.WriteString("| " + strings.Join(columns, " | ") + " |\n")
	}

	return strings.ReplaceAll(out.String(), "  ", " ")
}

// sources returns links to the documents with the limits of the cloud and of its services, and the limits that are guessed.
func sources(c *cloud) string {
	all, guess := strings.Fields(c.contract.Source), ""
	if c.api != nil {
		all = append(all, strings.Fields(c.api.Source)...)
	}

	for _, s := range slices.Concat(c.always, c.services) {
		all = append(all, strings.Fields(s.profile.Source)...)
	}

	slices.Sort(all)
	all = slices.Compact(all)

	for i, source := range all {
		all[i] = fmt.Sprintf("[%d](%s)", i+1, source)
	}

	if c.contract.Guess != "" {
		guess = "; a cautious guess: " + c.contract.Guess
	}

	return strings.TrimPrefix(strings.Join(all, " ")+guess, "; ")
}

// becomes returns the tag key of the label platform/env by the profile.
func becomes(p *Profile) string {
	return code(p.Format.Apply(p.Format.Prefixed("platform/env", "plexsphere:platform/env")))
}

// valuesOf returns the class of a profile's values, if they may not have all characters.
func valuesOf(p *Profile) string {
	switch p.ValueClass.Name {
	case "":
		return ""
	case p.KeyClass.Name:
		return "values as keys"
	default:
		return "values: " + p.ValueClass.Name
	}
}

// byCloud returns the differences of the cloud's own rules.
func byCloud(c *cloud) string {
	var changes []string

	if api := c.api; api != nil {
		if becomes(api) != becomes(c.contract) {
			changes = append(changes, becomes(api))
		}

		changes = append(changes, valuesOf(api))
	}

	if narrower := names(c.services); narrower != "" {
		changes = append(changes, "limits of "+narrower)
	}

	if c.table.profiles != nil {
		changes = append(changes, "limits of the services below")
	}

	return strings.Join(changes, "; ")
}

// names returns the names of the services, sorted.
func names(services []service) string {
	var out []string
	for _, s := range services {
		out = append(out, codes(strings.Split(s.name, ", "))...)
	}

	slices.Sort(out)

	return strings.Join(slices.Compact(out), ", ")
}

func code(s string) string { return "`" + s + "`" }

func codes(all []string) []string {
	out := make([]string, len(all))
	for i, s := range all {
		out[i] = code(s)
	}

	return out
}
