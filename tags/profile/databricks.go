package profile

// databricks is what Databricks admits, which hands tags on to the cloud below it: what AWS
// and Azure both admit, by https://docs.databricks.com/admin/account-settings/usage-detail-tags.
// It sets Name itself. On Google Cloud, tags are labels, of the profile gcp.
var databricks = cloud{
	contract: &databricksContract,
	always: []service{
		// The provider's CRDs say so.
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
