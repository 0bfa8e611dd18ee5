package profile

// databricks has the limits of Databricks. Databricks hands tags on to the cloud below it, so both AWS and
// Azure must admit them. It sets Name itself. On Google Cloud, tags are labels: the profile gcp has their
// limits.
var databricks = cloud{contract: &Profile{
	Name:       "databricks",
	Source:     "https://docs.databricks.com/aws/en/admin/account-settings/usage-detail-tags https://github.com/databricks/terraform-provider-databricks/blob/684f4424982431d3433e5c23353c6b208b263e75/internal/service/compute_tf/model.go#L1255",
	Guess:      "lengths, characters",
	Key:        Length{Runes: 127},
	Value:      Length{Runes: 255},
	KeyClass:   charsOf("letters, digits, space and + - = . _ : @", `[\p{L}\p{Nd} +\-=._:@]`),
	ValueClass: awsClass,
	MaxTags:    45,
	Reserved:   []string{"aws:", "azure", "microsoft", "windows"},
	Taken:      []string{"Name"},
	FoldKeys:   true,
	Format:     noSlash,
}}.
	service("compute", func(p *Profile) {
		p.Source, p.MaxTags = "https://github.com/databricks/terraform-provider-databricks/blob/684f4424982431d3433e5c23353c6b208b263e75/docs/resources/instance_pool.md#L52", 43
	}, "compute.databricks.*/InstancePool").
	service("compute", func(p *Profile) {
		p.Source, p.MaxTags = "https://github.com/databricks/terraform-provider-databricks/blob/684f4424982431d3433e5c23353c6b208b263e75/internal/service/pipelines_tf/model.go#L401 https://github.com/databricks/terraform-provider-databricks/blob/684f4424982431d3433e5c23353c6b208b263e75/internal/service/jobs_tf/model.go#L2842", 25
	}, "compute.databricks.*/Pipeline", "compute.databricks.*/Job")
