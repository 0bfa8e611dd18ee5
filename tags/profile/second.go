package profile

import (
	"slices"
	"strings"
)

// seconds are the second tag systems of clouds: their tags are in other fields than the usual ones. Only an entry of tagFields names one. Keys
// get no key prefix, since keys and most values must exist in the cloud.
var seconds = []cloud{
	// Google's Resource Manager tags. A key is an ID, as its value, or the name of an organization or a project, a slash and a short name.
	cloud{contract: &Profile{
		Name:       "gcp-tags",
		Source:     "https://cloud.google.com/resource-manager/docs/tags/tags-creating-and-managing https://cloud.google.com/resource-manager/reference/rest/v3/tagKeys",
		Key:        Length{Runes: 287},
		Value:      Length{Runes: 256},
		KeyClass:   classOf("tagKeys/ and digits, or an organization's or a project's ID, / and a short name", `^(tagKeys/[0-9]+|`+gcpNamespaced+`)$`),
		EntryClass: classOf("tagValues/ and digits after tagKeys/ and digits, or else a short name", `^(tagKeys/[0-9]+=tagValues/[0-9]+|`+gcpNamespaced+`=`+gcpShortName+`)$`),
		Separator:  "=",
		MaxTags:    50,
		Format:     withoutPrefix,
	}}.
		service("bigquery", func(p *Profile) {
			p.Source = "https://cloud.google.com/bigquery/docs/tags"
			p.KeyClass = classOf("an organization's or a project's ID, / and a short name", `^`+gcpNamespaced+`$`)
			p.EntryClass = classOf("a short name", `^`+gcpNamespaced+`=`+gcpShortName+`$`)
		}, "bigquery.gcp.*/*").
		service("container", func(p *Profile) {
			p.Source, p.MaxTags = "https://cloud.google.com/kubernetes-engine/docs/how-to/tags-firewall-policies", 5
		}, "container.gcp.*/*"),

	// Oracle's defined tags. Their keys compare without case.
	{contract: &Profile{
		Name:     "oci-defined",
		Source:   "https://docs.oracle.com/iaas/Content/Tagging/Concepts/taggingoverview.htm",
		Key:      Length{Runes: 201},
		Value:    Length{Runes: 256},
		KeyClass: classOf("a namespace, . and a key, each of at most 100 characters of printable ASCII but . and space", `^[!-\-/-~]{1,100}\.[!-\-/-~]{1,100}$`),
		MaxTags:  64,
		FoldKeys: true,
		Format:   withoutPrefix,
	}},
}

const (
	// gcpShortName matches the name of a key or a value. gcpNamespaced has what it belongs to before it: 123456789012/environment.
	gcpShortName  = `[^'"\\/\p{Cc}]{1,256}`
	gcpNamespaced = `([0-9]+|([a-z0-9.\-]+:)?[a-z][a-z0-9\-]{4,28}[a-z0-9])/` + gcpShortName
)

// withoutPrefix makes no key prefix: finance.cost-center stays as it is.
var withoutPrefix = NewFormat(new(""), nil, false)

// SecondSystems returns the names of the second tag systems of clouds, sorted: gcp-tags and oci-defined. They are no providers of resources,
// so Names doesn't have them.
func SecondSystems() []string {
	names := make([]string, len(seconds))
	for i := range seconds {
		names[i] = seconds[i].contract.Name
	}

	return names
}

// IsSecondSystem reports whether the name is one of SecondSystems, ignoring case.
func IsSecondSystem(name string) bool {
	return slices.ContainsFunc(SecondSystems(), func(second string) bool { return strings.EqualFold(second, name) })
}
