package field

// minio is rossigee/provider-minio, whose buckets have tags as those of S3 do, and
// vshn/provider-minio before it, whose buckets have none.
var minio = family{
	Family: Family{Name: "minio", Profile: "generic"},
	fields: []*candidate{at("tags", "tags")},
}
