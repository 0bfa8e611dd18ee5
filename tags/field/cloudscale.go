package field

// cloudscale is vshn/provider-cloudscale, which has users of the object storage with tags, and
// buckets without.
var cloudscale = family{
	Family: Family{Name: "cloudscale", Profile: "generic"},
	fields: []*candidate{at("tags", "tags")},
}
