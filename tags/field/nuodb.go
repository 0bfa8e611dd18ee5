package field

// nuodb is adriansuarez/crossplane-provider-nuodbaas: projects and databases can be searched
// by their labels.
var nuodb = family{
	Family: Family{Name: "nuodb", Profile: "generic", Upjet: true},
	fields: []*candidate{at("labels", "labels")},
}
