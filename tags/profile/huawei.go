package profile

// huawei has the limits of Huawei Cloud. The API reference of each service has a chapter on tags.
var huawei = cloud{contract: &Profile{
	Name:       "huawei",
	Source:     "https://support.huaweicloud.com/intl/en-us/api-vpc/vpc_tag_0003.html",
	Key:        Length{Runes: 128},
	Value:      Length{Runes: 255},
	KeyClass:   classOf("letters, digits, inner spaces and _ . : = + - @", "^("+ended(`[\p{L}\p{Nd}_.:=+\-@]`, `[\p{L}\p{Nd} _.:=+\-@]`)+")?$"),
	ValueClass: classOf("letters, digits, inner spaces and _ . : / = + - @", "^("+ended(`[\p{L}\p{Nd}_.:/=+\-@]`, `[\p{L}\p{Nd} _.:/=+\-@]`)+")?$"),
	MaxTags:    20,
	Reserved:   []string{"_sys_"},
	Format:     noSlash,
}}.
	// The limits of older services, and of Tag Management Service itself.
	service("dc, obs, tms", func(p *Profile) {
		p.Source = "https://support.huaweicloud.com/intl/en-us/productdesc-tms/en-us_topic_0142168380.html"
		p.Key, p.Value, p.MaxTags = Length{Runes: 36}, Length{Runes: 43}, 10
		p.KeyClass = charsOf("ASCII letters and digits and - _", `[0-9A-Za-z\-_]`)
		p.ValueClass = charsOf("ASCII letters and digits and - _ .", `[0-9A-Za-z\-_.]`)
		p.Format = underscores
	}, "obs.huaweicloud.*/*", "dc.huaweicloud.*/*", "tms.huaweicloud.*/*").
	service("iam", func(p *Profile) {
		p.Source, p.FoldKeys = "https://support.huaweicloud.com/intl/en-us/api-iam5/iam5_01_0001.html", true
	}, "iam.huaweicloud.*/*").

	// Values may not have a slash.
	service("er, rds, vpn", func(p *Profile) {
		p.Source = "https://support.huaweicloud.com/intl/en-us/api-er/CreateResourceTag.html https://support.huaweicloud.com/eu/api-vpn/vpn_api_0063.html"
		p.Guess = "values of RDS"
		p.ValueClass = p.KeyClass
	}, "er.huaweicloud.*/*", "rds.huaweicloud.*/*", "vpn.huaweicloud.*/*")
