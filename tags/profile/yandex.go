package profile

// yandex has the limits of Yandex Cloud for labels, its word for tags. No service admits a colon or capitals in
// keys. Keys have one format in all services, so that one key finds all costs of a label.
var yandex = cloud{contract: &Profile{
	Name:       "yandex",
	Source:     "https://github.com/yandex-cloud/cloudapi/blob/00e9ff043f54e3763b6f2cd2f900702e21af852d/yandex/cloud/vpc/v1/network_service.proto#L184",
	Key:        Length{Runes: 63},
	Value:      Length{Runes: 63},
	KeyClass:   classOf("ASCII letters in lower case, digits and - _ starting with a letter", `^([a-z][\-_0-9a-z]*)?$`),
	ValueClass: charsOf("ASCII letters in lower case, digits and - _", `[\-_0-9a-z]`),
	MaxTags:    64,
	Format:     lowerUnderscores,
}}.
	service("storage", func(p *Profile) { p.Source, p.Reserved = yandexStorage, []string{"aws:"} }, "storage.yandex-cloud.*/Bucket").
	service("storage", func(p *Profile) {
		p.Source = yandexStorage
		p.Key, p.Value, p.MaxTags, p.Reserved = Length{Runes: 128}, Length{Runes: 256}, 10, []string{"aws:"}
		p.KeyClass, p.ValueClass = awsASCIIClass, awsASCIIClass
	}, "storage.yandex-cloud.*/Object").

	// These services admit more characters.
	service("alb, compute, dns, mdb", func(p *Profile) {
		p.Source = "https://github.com/yandex-cloud/cloudapi/blob/00e9ff043f54e3763b6f2cd2f900702e21af852d/yandex/cloud/compute/v1/disk_service.proto#L220"
		p.KeyClass = classOf(`ASCII letters in lower case, digits and - _ . / \ @ starting with a letter`, `^([a-z][\-_./\\@0-9a-z]*)?$`)
		p.ValueClass = charsOf(`ASCII letters in lower case, digits and - _ . / \ @`, `[\-_./\\@0-9a-z]`)
	}, "compute.yandex-cloud.*/*", "alb.yandex-cloud.*/*", "dns.yandex-cloud.*/*", "mdb.yandex-cloud.*/KafkaCluster")

const yandexStorage = "https://yandex.cloud/docs/storage/concepts/tags"
