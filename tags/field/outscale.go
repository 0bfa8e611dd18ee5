package field

// outscale is outscale/upjet-provider-outscale, which reports no tags.
//
// Not tags: tag of a security group (the deprecated twin of tags), and tags of what configures
// a load balancer, whose entries have no fields.
var outscale = family{
	Family: Family{Name: "outscale", Profile: "outscale", Upjet: true},
	fields: []*candidate{at("tags", "tags").as(KeyValueList)},
}
