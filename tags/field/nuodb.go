package field

import (
	"github.com/plexsphere/function-cloud-tags/tags/profile"
)

// nuodb is adriansuarez/crossplane-provider-nuodbaas: projects and databases can be searched
// by their labels.
var nuodb = family{
	Family:  Family{Name: "nuodb", Profile: profile.Generic, Upjet: true},
	domains: []string{"nuodbaas.nuodb.com"},
	fields:  []*candidate{at("labels", "labels")},
}
