package field

import (
	_ "embed"
	"strings"
)

// A filling says what a provider does with a tag field without tags, while the cloud has some.
type filling struct {
	// missing says whether the provider copies the cloud's tags into a missing field. stays says
	// whether the last tag stays in the cloud, even with an empty field.
	missing, stays bool
}

//go:embed fills.txt
var fillsText string

// fills has the kinds whose providers do something unusual: see fills.txt.
var fills = func() table[filling] {
	words := map[string]filling{"missing": {missing: true}, "empty": {stays: true}, "leave": {missing: true, stays: true}}
	t := make(table[filling])

	for row := range rows(fillsText) {
		r := strings.Fields(row)
		t[[2]string{r[0], r[1]}] = words[r[2]]
	}

	return t
}()

// filling returns what the provider does with the kind's tag field.
func (f *family) filling(service, kind string) filling {
	if does, ok := fills.lookUp(f, service, kind); ok {
		return does
	}

	return filling{missing: f.Upjet}
}
