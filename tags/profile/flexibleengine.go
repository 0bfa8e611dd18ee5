package profile

// flexibleengine has the limits of Orange's Flexible Engine.
var flexibleengine = cloud{contract: &Profile{
	Name:       "flexibleengine",
	Source:     "https://docs.prod-cloud-ocb.orange-business.com/api/waf/waf_02_0086.html",
	Key:        Length{Runes: 36},
	Value:      Length{Runes: 43},
	KeyClass:   flexibleengineClass,
	ValueClass: flexibleengineClass,
	MaxTags:    10,
	Format:     noSlash,
}}.
	service("ecs, evs, rds", func(p *Profile) {
		p.Source = "https://support.huaweicloud.com/intl/en-us/eu-west-0-api-evs/evs_04_2040.html"
		p.Guess = "characters of ECS and RDS"
		p.KeyClass = charsOf("ASCII letters and digits, Chinese characters and - _", `[0-9A-Za-z\-_\x{4e00}-\x{9fff}]`)
		p.ValueClass = charsOf("ASCII letters and digits, Chinese characters and - _ .", `[0-9A-Za-z\-_.\x{4e00}-\x{9fff}]`)
		p.Format = underscores
	}, "ecs.flexibleengine.*/*", "evs.flexibleengine.*/*", "rds.flexibleengine.*/*")

var flexibleengineClass = charsOf(`anything but = * < > \ , | / and control characters`, `[^\p{Cc}=*<>\\,|/]`)
