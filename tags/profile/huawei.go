package profile

// huawei has the limits of Huawei Cloud, by the tag chapters of its services' API references,
// e.g. https://support.huaweicloud.com/intl/en-us/api-vpc/vpc_tag_0003.html.
var huawei = cloud{
	contract: &huaweiContract,
	always: []service{
		// The limits of older services, and of Tag Management Service itself:
		// https://support.huaweicloud.com/intl/en-us/productdesc-tms/en-us_topic_0142168380.html
		narrow(huaweiContract, func(p *Profile) {
			p.Key, p.Value, p.MaxTags = Length{Runes: 36}, Length{Runes: 43}, 10
			p.KeyClass = charsOf("ASCII letters and digits and - _", `[0-9A-Za-z\-_]`)
			p.ValueClass = charsOf("ASCII letters and digits and - _ .", `[0-9A-Za-z\-_.]`)
			p.Format = underscores
		}, "obs.huaweicloud.*/*", "dc.huaweicloud.*/*", "tms.huaweicloud.*/*"),

		// https://support.huaweicloud.com/intl/en-us/api-iam5/iam5_01_0001.html
		narrow(huaweiContract, func(p *Profile) { p.FoldKeys = true }, "iam.huaweicloud.*/*"),
	},
}

var huaweiContract = Profile{
	Name:       "huawei",
	Key:        Length{Runes: 128},
	Value:      Length{Runes: 255},
	KeyClass:   classOf("letters, digits, inner spaces and _ . : = + - @", "^("+ended(`[\p{L}\p{Nd}_.:=+\-@]`, `[\p{L}\p{Nd} _.:=+\-@]`)+")?$"),
	ValueClass: classOf("letters, digits, inner spaces and _ . : / = + - @", "^("+ended(`[\p{L}\p{Nd}_.:/=+\-@]`, `[\p{L}\p{Nd} _.:/=+\-@]`)+")?$"),
	MaxTags:    20,
	Reserved:   []string{"_sys_"},
	Format:     noSlash,
}
