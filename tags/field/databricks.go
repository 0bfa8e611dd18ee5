package field

// databricks is glalanne/provider-databricks. Databricks passes custom tags on to what it
// makes in the cloud below, where they are billed.
//
// Not tags: newCluster.customTags, cluster.customTags (of what a job or a pipeline
// launches; a pool's and a cluster's own must not be the same); filter.tags of a Budget (a
// filter); tags of queries and dashboards, which are lists of words, and of MLflow's
// experiments and models (search words of documents, nothing that is billed).
var databricks = family{
	Family: Family{Name: "databricks", Profile: "databricks", Upjet: true},
	fields: []*candidate{
		// A workspace's can change, but the last one can never be removed.
		at("customTags", "effectiveCustomTags", "customTags").as(Map, KeyValueList),
		at("tags", "tags").as(Map, KeyValueList),
	},
	kinds: map[string][]*candidate{
		"mlflow/*":    none,
		"MlflowModel": none, // In its first release there is one group only.

		// What its clusters have in the cloud below.
		"SQLEndpoint": {at("tags.customTags", "tags.customTags").as(KeyValueList)},
	},
}
