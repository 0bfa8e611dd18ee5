package profile

// databricks has the limits of Databricks, by
// https://docs.databricks.com/admin/account-settings/usage-detail-tags. Databricks hands tags on to the cloud
// below it, so both AWS and Azure must admit them. It sets Name itself. On Google Cloud, tags are labels:
// the profile gcp has their limits.
var databricks = cloud{
	contract: &databricksContract,
	always: []service{
		// The caps in the provider's CRDs.
		narrow(databricksContract, func(p *Profile) { p.MaxTags = 43 }, "compute.databricks.*/InstancePool"),
		narrow(databricksContract, func(p *Profile) { p.MaxTags = 25 }, "compute.databricks.*/Pipeline", "compute.databricks.*/Job"),
	},
}

var databricksContract = Profile{
	Name:       "databricks",
	Key:        Length{Runes: 127},
	Value:      Length{Runes: 255},
	KeyClass:   databricksClass,
	ValueClass: awsClass,
	MaxTags:    45,
	Reserved:   []string{"aws:", "azure", "microsoft", "windows"},
	Taken:      []string{"Name"},
	FoldKeys:   true,
	Format:     noSlash,
}

var databricksClass = charsOf("letters, digits, space and + - = . _ : @", `[\p{L}\p{Nd} +\-=._:@]`)
