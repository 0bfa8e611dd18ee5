package field

// harness is TeraSky-OSS/provider-harness, and jeremywyx/provider-harness before it, which has
// no tags. A tag is one word of a key, a colon and a value: see ExpandTags in helpers of
// harness/terraform-provider-harness, which cuts it at every colon, so that the profile is narrower.
//
// Not tags of the resource itself: tags of a request, an application or a filter (of what they
// are about), lists of objects with an identifier.
var harness = family{
	Family: Family{Name: "harness", Profile: "generic", Upjet: true},
	fields: []*candidate{at("tags", "tags").words(":"), at("tags", "tags")},
}
