package profile

import (
	"maps"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/plexsphere/function-cloud-tags/tags/words"
)

// aliases are other names of providers with a tag profile, in lower case and without anything between their words.
var aliases = map[string]string{
	"aliyun": "alibaba", "alibabacloud": "alibaba", "alicloud": "alibaba",
	"amazon": "aws", "amazonaws": "aws", "amazonwebservices": "aws",
	"arm": "azure", "azurerm": "azure", "microsoft": "azure", "microsoftazure": "azure", "msazure": "azure",
	"arubacloud": "aruba",
	"atlas":      "mongodbatlas", "mongodb": "mongodbatlas",
	"do":     "digitalocean",
	"google": "gcp", "googlecloud": "gcp", "googlecloudplatform": "gcp", "gce": "gcp",
	"hcloud": "hetzner", "hetznercloud": "hetzner",
	"huaweicloud": "huawei",
	"ibmcloud":    "ibm",
	"oracle":      "oci", "oraclecloud": "oci",
	"otc": "opentelekom", "telekomcloud": "opentelekom", "opentelekomcloud": "opentelekom",
	"ovhcloud":     "ovh",
	"pve":          "proxmox",
	"scw":          "scaleway",
	"tencentcloud": "tencent", "qcloud": "tencent",
	"yandexcloud": "yandex", "yc": "yandex",
}

// maxSlips is the most edits by which a name is a misspelled one.
const maxSlips = 2

// Meant returns the provider with a tag profile that the name of another provider probably means: aws for amazon, and hetzner for hetzer. It
// returns an empty string if the name has a tag profile, or looks like none that has. A name needs fewer edits than half of its characters: gke
// isn't gcp.
func Meant(provider string) string {
	if Has(provider) {
		return ""
	}

	name := strings.NewReplacer("-", "", "_", "", ".", "", " ", "").Replace(strings.ToLower(provider))
	edits := min(maxSlips, max(1, (utf8.RuneCountInString(name)-1)/2))

	meant, _ := words.NearestWithin(edits, name, slices.Concat(Names(), slices.Sorted(maps.Keys(aliases))))
	if known, ok := aliases[meant]; ok {
		return known
	}

	return meant
}
