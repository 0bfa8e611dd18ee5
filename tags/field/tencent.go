package field

// tencent is crossplane-contrib/provider-tencentcloud.
//
// Not tags of the resource itself: instanceTags, workerConfig.tags (of what is launched);
// labels of clusters and node pools (Kubernetes labels); labels and policyTag of alarms (the
// alarms', and what they watch); tags of a rule of EdgeOne (words); metaTags, filterTags;
// kafka's tags and privatedns' tagSet (deprecated).
var tencent = family{
	Family: Family{Name: "tencent", Profile: "tencent", Upjet: true},
	fields: []*candidate{at("tags", "tags")},
	kinds: map[string][]*candidate{
		"dcdb/HourdbInstance": {at("resourceTags", "resourceTags").as(KeyValueList)},
		"kafka/Instance":      {at("tagSet", "tagSet")},

		// passthrough hands a tag on to what the mesh makes.
		"tcm/Mesh":   {at("tagList", "tagList").as(KeyValueList).with(nil, "passthrough")},
		"gaap/Proxy": {at("tags", "tags").request("tags that the account doesn't have yet are refused")},
	},
}
