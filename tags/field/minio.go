package field

import (
	"github.com/plexsphere/function-cloud-tags/tags/profile"
)

// minio is rossigee/provider-minio, whose buckets have tags as those of S3 do, and
// vshn/provider-minio before it, whose buckets have none.
var minio = family{
	Family:      Family{Name: "minio", Profile: profile.Generic},
	handwritten: []string{"minio.crossplane.io", "minio.m.crossplane.io"},
	configs:     map[string]configs{"minio.m.crossplane.io": {group: "minio.crossplane.io", version: "v1"}},
	fields:      []*candidate{at("tags", "tags")},
}
