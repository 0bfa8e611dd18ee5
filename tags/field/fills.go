package field

import (
	_ "embed"
	"strings"
)

// A filling is what a provider does with a tag field that has no tags while the cloud has some.
type filling struct {
	// missing is true if the provider copies the cloud's tags into a field that isn't there, and
	// stays if the last tag stays in the cloud, even with a field that is there and empty.
	missing, stays bool
}

//go:embed fills.txt
var fillsText string

// fills are the kinds whose providers do something else than what is usual: see fills.txt.
var fills = func() table[filling] {
	words := map[string]filling{"missing": {missing: true}, "empty": {stays: true}, "leave": {missing: true, stays: true}}
	t := make(table[filling])

	for row := range rows(fillsText) {
		r := strings.Fields(row)
		t[[2]string{r[0], r[1]}] = words[r[2]]
	}

	return t
}()

// filling of the kind's tag field.
func (f *family) filling(service, kind string) filling {
	if does, ok := fills.of(f, service, kind); ok {
		return does
	}

	return filling{missing: f.Upjet}
}
