package profile

// opentelekom has the limits of Open Telekom Cloud. No service is known to admit more than twenty tags.
var opentelekom = cloud{contract: &Profile{
	Name:       "opentelekom",
	Source:     "https://docs.otc.t-systems.com/tag-management-service/api-ref",
	Key:        Length{Runes: 36},
	Value:      Length{Runes: 43},
	KeyClass:   opentelekomClass,
	ValueClass: opentelekomClass,
	MaxTags:    20,
	Format:     NewFormat(nil, map[string]string{":": "_", "/": "_", ".": "_", " ": "_", "+": "_", "=": "_"}, false),
}}.
	service("blockstorage, compute, ecs, evs", func(p *Profile) {
		p.Source = "https://docs.otc.t-systems.com/en-us/api/ecs/en-us_topic_0096282701.html https://docs.otc.t-systems.com/en-us/api/evs/en-us_topic_0068196913.html"
		p.KeyClass, p.ValueClass, p.MaxTags, p.Format = opentelekomServers, opentelekomServers, 10, underscores
	}, "ecs.opentelekomcloud.*/*", "compute.opentelekomcloud.*/*", "evs.opentelekomcloud.*/*", "blockstorage.opentelekomcloud.*/*").

	// These services admit more. Keys are the same in all services, so that one key finds all costs of a label.
	service("er, vpcep", func(p *Profile) {
		p.Source = "https://docs.otc.t-systems.com/vpc-endpoint/api-ref"
		p.Key, p.Value = Length{Runes: 128}, Length{Runes: 255}
		p.KeyClass, p.ValueClass = huawei.contract.KeyClass, huawei.contract.ValueClass
		p.Reserved = []string{"_sys_"}
	}, "vpcep.opentelekomcloud.*/*", "er.opentelekomcloud.*/*")

var (
	opentelekomClass   = charsOf("ASCII letters and digits and _ @ -", `[0-9A-Za-z_@\-]`)
	opentelekomServers = charsOf("ASCII letters and digits and _ -", `[0-9A-Za-z_\-]`)
)
