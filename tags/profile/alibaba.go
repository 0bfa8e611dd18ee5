package profile

// alibaba has the limits of Alibaba Cloud.
var alibaba = cloud{contract: &Profile{
	Name:       "alibaba",
	Source:     "https://www.alibabacloud.com/help/resource-management/tag/product-overview/limits",
	Key:        Length{Runes: 128},
	Value:      Length{Runes: 128},
	KeyClass:   alibabaClass,
	ValueClass: alibabaClass,
	MaxTags:    20,
	Reserved:   []string{"acs:", "aliyun"},
}}.
	service("oss", func(p *Profile) {
		alibabaOSS(p)
		p.Source, p.MaxTags = "https://www.alibabacloud.com/help/oss/user-guide/object-tagging-8", 10
	}, "oss.alibabacloud.*/BucketObject").
	service("oss", alibabaOSS, "oss.alibabacloud.*/*", "oss.alicloud.*/*").
	service("fc", func(p *Profile) {
		p.Source, p.Key = "https://www.alibabacloud.com/help/functioncompute/fc-3-0/user-guide/configure-tags", Length{Runes: 64}
	}, "fc.alibabacloud.*/*")

// alibabaOSS gives the profile the limits of Object Storage Service.
func alibabaOSS(p *Profile) {
	p.Source = "https://www.alibabacloud.com/help/oss/user-guide/manage-bucket-tags"
	p.Value = Length{Runes: 256}
	p.KeyClass, p.ValueClass = alibabaOSSClass, alibabaOSSClass
}

var (
	alibabaClass = charsOf("", `[^\p{Cc}]`).
			without("anything but control characters, http:// and https://", alibabaLinks)

	alibabaOSSClass = charsOf("", `[\p{L}\p{Nd} +\-=._:/]`).
			without("letters, digits, space and + - = . _ : /, without http:// and https://", alibabaLinks)
)

// alibabaLinks matches the beginning of a link. Neither keys nor values may have one.
const alibabaLinks = `(?i)https?://`
