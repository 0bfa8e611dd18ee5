package tags

// aws is what AWS admits.
var aws = cloud{
	contract: &awsContract,
	api:      &awsAPI,
	services: []service{
		// https://docs.aws.amazon.com/AmazonS3/latest/userguide/object-tagging.html
		narrow(awsAPI, func(p *Profile) { p.MaxTags = 10 }, "s3.aws.*/BucketObject", "s3.aws.*/Object", "s3.aws.*/ObjectCopy"),

		// https://docs.aws.amazon.com/AmazonRDS/latest/UserGuide/USER_Tagging.html, also for Neptune.
		narrow(awsAPI, func(p *Profile) { p.Reserved = []string{"aws:", "rds:"} }, "rds.aws.*/*", "neptune.aws.*/*"),
	},
}

// awsContract is what https://docs.aws.amazon.com/tag-editor/latest/userguide/tagging.html
// says.
var awsContract = Profile{
	Name:     "aws",
	Key:      Length{Runes: 128},
	Value:    Length{Runes: 256},
	KeyClass: awsClass,
	MaxTags:  50,
	Reserved: []string{"aws:"},
}

// awsAPI has what many services, but not EC2, admit in values: what all admit in keys.
var awsAPI = *changed(awsContract, func(p *Profile) { p.ValueClass = awsClass })

var awsClass = charsOf("letters, digits, space and + - = . _ : / @", `[\p{L}\p{Nd} +\-=._:/@]`)
