package profile

// opentelekom has the limits of Open Telekom Cloud, by
// https://docs.otc.t-systems.com/tag-management-service/api-ref. No service is known to admit
// more than twenty tags.
var opentelekom = cloud{
	contract: &opentelekomContract,
	always: []service{
		// https://docs.otc.t-systems.com/elastic-volume-service/api-ref
		narrow(opentelekomContract, func(p *Profile) { p.MaxTags = 10 }, "evs.opentelekomcloud.*/*", "blockstorage.opentelekomcloud.*/*"),

		// https://docs.otc.t-systems.com/vpc-endpoint/api-ref admits more. Keys are the same in all
		// services, so that one key finds all costs of a label.
		narrow(opentelekomContract, func(p *Profile) {
			p.Key, p.Value = Length{Runes: 128}, Length{Runes: 255}
			p.KeyClass, p.ValueClass = huaweiContract.KeyClass, huaweiContract.ValueClass
			p.Reserved = []string{"_sys_"}
		}, "vpcep.opentelekomcloud.*/*", "er.opentelekomcloud.*/*"),
	},
}

var opentelekomContract = Profile{
	Name:       "opentelekom",
	Key:        Length{Runes: 36},
	Value:      Length{Runes: 43},
	KeyClass:   opentelekomClass,
	ValueClass: opentelekomClass,
	MaxTags:    20,
	Format:     NewFormat(nil, map[string]string{":": "_", "/": "_", ".": "_", " ": "_", "+": "_", "=": "_"}, false),
}

var opentelekomClass = charsOf("ASCII letters and digits and _ @ -", `[0-9A-Za-z_@\-]`)
