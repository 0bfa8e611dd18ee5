package profile

// aruba has the limits of Aruba Cloud. A tag is one word of at least four characters. The other limits are the
// generic profile's.
var aruba = cloud{contract: changed(genericContract, func(p *Profile) {
	p.Name, p.Guess = "aruba", "lengths of keys and values, characters, number"
	p.Source = "https://github.com/Arubacloud/terraform-provider-arubacloud/blob/ce9cef0e179d8ee2f5af44c0628f6fcc07f0e423/examples/test/security/README.md#L23"
	p.EntryClass, p.Separator = classOf("at least 4 characters", `^(?s:.{4,})$`), "="
})}
