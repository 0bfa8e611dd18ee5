package field

// cloudflare is crossplane-contrib/provider-upjet-cloudflare and
// wildbitca/provider-upjet-cloudflare: DNS records have tags, one word of a name, a colon and a
// value. rossigee/provider-cloudflare and crossplane-contrib/provider-cloudflare, which have
// groups of the same domain, and cdloh/provider-cloudflare have none.
//
// Nothing else has tags, and is unmanaged: tags of workers and scripts (words that no bill
// knows) and of Access applications (names of tags that must be there before).
var cloudflare = family{
	Family: Family{Name: "cloudflare", Profile: "cloudflare", Upjet: true},
	fields: []*candidate{at("tags", "tags").words(":")},
}
