package field

// unknown is the providers that we don't know: their tags, if they are
// maps or lists of keys and values.
//
// Lists of strings, and labels, mean too many other things: words, network tags,
// selectors, the labels of Kubernetes nodes.
var unknown = &family{
	Family: Family{Profile: "generic"},
	usual:  at("tags", "tagsAll", "tags"),
	fields: []*candidate{at("tags", "tagsAll", "allTags", "tags").as(Map, KeyValueList).with(launchedToo)},
	possibleFields: []*candidate{
		at("tags").words("=").as(StringList, KeyValueList).ofAnyNames(),
		at("labels").words("=").as(Map, KeyValueList, StringList),
		at(".spec.tags").words("=").as(Map, KeyValueList, StringList),
	},
}

// unmanaged are the providers that make no resources of a cloud, or none that we could tag: whatever
// they call tags or labels, a cloud bills and searches nothing by it. groups.txt says why of each.
var unmanaged = handwritten("unmanaged", "")
