package profile

// cloudflare has the limits of Cloudflare for tags of DNS records. A tag is one word of name, colon and value.
// Names compare without case. The lengths and the number are the generic profile's.
var cloudflare = cloud{contract: changed(genericContract, func(p *Profile) {
	p.Name, p.Guess = "cloudflare", "lengths, number"
	p.Source = "https://developers.cloudflare.com/dns/manage-dns-records/reference/record-attributes"
	p.KeyClass = charsOf("ASCII letters and digits and - _", `[0-9A-Za-z\-_]`)
	p.ValueClass = charsOf("graphic characters", `[\p{L}\p{M}\p{N}\p{P}\p{S}\p{Zs}]`)
	p.FoldKeys, p.Format = true, underscores
})}
