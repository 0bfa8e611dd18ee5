package profile

// alibaba has the limits of Alibaba Cloud, by
// https://www.alibabacloud.com/help/resource-management/tag/product-overview/limits.
var alibaba = cloud{
	contract: &alibabaContract,
	always: []service{
		// https://www.alibabacloud.com/help/oss/user-guide/manage-bucket-tags and
		// https://www.alibabacloud.com/help/oss/user-guide/object-tagging-8
		narrow(alibabaOSS, func(p *Profile) { p.MaxTags = 10 }, "oss.alibabacloud.*/BucketObject"),
		narrow(alibabaOSS, func(*Profile) {}, "oss.alibabacloud.*/*", "oss.alicloud.*/*"),

		// https://www.alibabacloud.com/help/functioncompute/fc-3-0/user-guide/configure-tags
		narrow(alibabaContract, func(p *Profile) { p.Key = Length{Runes: 64} }, "fc.alibabacloud.*/*"),
	},
}

var alibabaContract = Profile{
	Name:       "alibaba",
	Key:        Length{Runes: 128},
	Value:      Length{Runes: 128},
	KeyClass:   alibabaClass,
	ValueClass: alibabaClass,
	MaxTags:    20,
	Reserved:   []string{"acs:", "aliyun"},
}

var alibabaOSS = *changed(alibabaContract, func(p *Profile) {
	p.Value = Length{Runes: 256}
	p.KeyClass, p.ValueClass = alibabaOSSClass, alibabaOSSClass
})

var (
	alibabaClass = charsOf("", `[^\p{Cc}]`).
			without("anything but control characters, http:// and https://", alibabaLinks)

	alibabaOSSClass = charsOf("", `[\p{L}\p{Nd} +\-=._:/]`).
			without("letters, digits, space and + - = . _ : /, without http:// and https://", alibabaLinks)
)

// alibabaLinks matches the beginning of a link. Neither keys nor values may have one.
const alibabaLinks = `(?i)https?://`
