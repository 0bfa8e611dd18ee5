package tags

import (
	"strings"
	"unicode"
)

// Classes of characters.
var (
	strict = Class{
		Name: "ASCII letters and digits and - _ . : /",
		one:  `[0-9A-Za-z\-_.:/]`,
		has:  func(r rune) bool { return isAlphanumeric(r) || strings.ContainsRune("-_.:/", r) },
	}

	awsClass = Class{
		Name: "letters, digits, space and + - = . _ : / @",
		one:  `[\p{L}\p{Nd} +\-=._:/@]`,
		has:  func(r rune) bool { return isLetterOrDigit(r) || strings.ContainsRune(" +-=._:/@", r) },
	}

	notControl = Class{
		Name: "anything but control characters",
		one:  `[^\p{Cc}]`,
		has:  func(r rune) bool { return !unicode.IsControl(r) },
	}

	azureClass = Class{
		Name: `anything but < > % & \ ? / and control characters`,
		one:  `[^\p{Cc}<>%&\\?/]`,
		has:  func(r rune) bool { return !unicode.IsControl(r) && !strings.ContainsRune(`<>%&\?/`, r) },
	}

	gcpKeyClass = Class{
		Name:  "letters without case or in lower case, numbers, _ and -, starting with a letter",
		has:   isGCP,
		first: isLabelLetter,
		one:   `[\p{Ll}\p{Lo}\p{N}_\-]`,
		start: `[\p{Ll}\p{Lo}]`,
	}

	gcpValueClass = Class{
		Name: "letters without case or in lower case, numbers, _ and -",
		has:  isGCP,
		one:  `[\p{Ll}\p{Lo}\p{N}_\-]`,
	}

	digitaloceanClass = Class{
		Name: "ASCII letters and digits and : - _",
		one:  `[0-9A-Za-z:\-_]`,
		has:  func(r rune) bool { return isAlphanumeric(r) || strings.ContainsRune(":-_", r) },
	}

	hetznerKeyClass = Class{
		Name:     "ASCII letters and digits and - _ . with a letter or digit at both ends, and one / between two such parts",
		has:      isHetzner,
		first:    isAlphanumeric,
		last:     isAlphanumeric,
		segments: true,
		one:      `[0-9A-Za-z\-_.]`,
		start:    `[0-9A-Za-z]`,
		end:      `[0-9A-Za-z]`,
	}

	hetznerValueClass = Class{
		Name:  "ASCII letters and digits and - _ . with a letter or digit at both ends",
		has:   isHetzner,
		first: isAlphanumeric,
		last:  isAlphanumeric,
		one:   `[0-9A-Za-z\-_.]`,
		start: `[0-9A-Za-z]`,
		end:   `[0-9A-Za-z]`,
	}

	neutronClass = Class{
		Name: "anything but , / and control characters",
		one:  `[^\p{Cc},/]`,
		has:  func(r rune) bool { return !unicode.IsControl(r) && r != ',' && r != '/' },
	}

	cinderClass = Class{
		Name: "ASCII letters and digits, space and - _ : . /",
		one:  `[0-9A-Za-z \-_:./]`,
		has:  func(r rune) bool { return novaClass.has(r) || r == '/' },
	}

	novaClass = Class{
		Name: "ASCII letters and digits, space and - _ : .",
		one:  `[0-9A-Za-z \-_:.]`,
		has:  func(r rune) bool { return isAlphanumeric(r) || strings.ContainsRune(" -_:.", r) },
	}

	frontDoorClass = Class{
		Name: `anything but < > % & \ ? / # : and control characters`,
		one:  `[^\p{Cc}<>%&\\?/#:]`,
		has:  func(r rune) bool { return azureClass.has(r) && r != '#' && r != ':' },
	}

	trafficManagerClass = Class{
		Name:  `anything but < > % & \ ? / # : space and control characters, not starting with a digit`,
		has:   func(r rune) bool { return frontDoorClass.has(r) && r != ' ' },
		first: func(r rune) bool { return !unicode.IsDigit(r) },
		one:   `[^\p{Cc}<>%&\\?/#: ]`,
		start: `[^\p{Cc}\p{Nd}<>%&\\?/#: ]`,
	}

	dnsZoneClass = Class{
		Name:  "ASCII letters and digits and - _ . not starting with a digit",
		has:   func(r rune) bool { return isAlphanumeric(r) || strings.ContainsRune("-_.", r) },
		first: func(r rune) bool { return !unicode.IsDigit(r) },
		one:   `[0-9A-Za-z\-_.]`,
		start: `[A-Za-z\-_.]`,
	}
)

// noSlash is the key format of services that refuse the slash.
var noSlash = NewFormat(nil, map[string]string{"/": "."}, false)

// noColon is the key format of services that refuse the colon and the slash.
var noColon = NewFormat(nil, map[string]string{"/": ".", ":": "."}, false)

func isGCP(r rune) bool {
	return isLabelLetter(r) || unicode.Is(unicode.N, r) || r == '_' || r == '-'
}

func isHetzner(r rune) bool { return isAlphanumeric(r) || strings.ContainsRune("-_.", r) }

// profiles are the tag profiles, sorted by name. Those of aws, generic, hetzner and
// openstack are the contract, and have no key format.
var profiles = []*Profile{
	{
		// https://docs.aws.amazon.com/tag-editor/latest/userguide/tagging.html
		Name:     "aws",
		Key:      Length{Runes: 128},
		Value:    Length{Runes: 256},
		KeyClass: awsClass,
		MaxTags:  50,
		Reserved: []string{"aws:"},
	},
	{
		// https://learn.microsoft.com/azure/azure-resource-manager/management/tag-resources
		Name:     "azure",
		Key:      Length{Runes: 512},
		Value:    Length{Runes: 256},
		KeyClass: azureClass,
		MaxTags:  50,
		Reserved: []string{"azure", "microsoft", "windows"},
		FoldKeys: true,
		Format:   NewFormat(nil, map[string]string{"/": "."}, false),
	},
	{
		// https://docs.digitalocean.com/reference/api/digitalocean/#tag/Tags
		Name:        "digitalocean",
		Key:         Length{Runes: 255},
		Entry:       Length{Runes: 255},
		KeyClass:    digitaloceanClass,
		ValueClass:  digitaloceanClass,
		MaxTags:     50,
		FoldEntries: true,
		Format:      NewFormat(nil, map[string]string{"/": "-", ".": "-"}, false),
	},
	{
		// https://cloud.google.com/resource-manager/docs/labels-overview
		Name:       "gcp",
		Key:        Length{Runes: 63, Bytes: 128},
		Value:      Length{Runes: 63, Bytes: 128},
		KeyClass:   gcpKeyClass,
		ValueClass: gcpValueClass,
		MaxTags:    64,
		Reserved:   []string{"goog"},
		Unreserved: []string{"goog-partner-solution"},
		Format:     NewFormat(nil, map[string]string{":": "_", "/": "_", ".": "_", " ": "_", "@": "_", "+": "_", "=": "_"}, true),
	},
	{
		// What no provider that we know refuses, for the ones we don't know.
		Name:     Generic,
		Key:      Length{Runes: 63},
		Value:    Length{Runes: 255},
		KeyClass: strict,
		MaxTags:  32,
	},
	{
		// https://docs.hetzner.cloud/reference/cloud#labels, but with the colon
		// and the slash that the keys of all our tags have.
		Name:     "hetzner",
		Key:      Length{Runes: 63},
		Value:    Length{Runes: 63},
		KeyClass: strict,
		MaxTags:  64,
	},
	{
		// https://docs.openstack.org/api-ref/compute/#create-or-update-server-metadata-items
		Name:     "openstack",
		Key:      Length{Bytes: 255},
		Value:    Length{Bytes: 255},
		KeyClass: notControl,
		MaxTags:  50,
	},
}

// cloudProfiles are what the clouds' own APIs admit, by the name of the profile that
// they take the place of.
var cloudProfiles = map[string]*Profile{
	// Many services, but not EC2, admit in values what all admit in keys.
	"aws": awsCloud(),

	// https://docs.hetzner.cloud/reference/cloud#labels
	"hetzner": {
		Name:       "hetzner",
		Key:        Length{Runes: 63, Prefix: 253},
		Value:      Length{Runes: 63},
		KeyClass:   hetznerKeyClass,
		ValueClass: hetznerValueClass,
		MaxTags:    64,
		Reserved:   []string{"hetzner.cloud/"},
		Format:     NewFormat(nil, map[string]string{":": "."}, false),
	},

	// Tags of networks, load balancers and images. Their APIs have no rule, but a
	// comma breaks filters, and a slash the addresses of single tags.
	"openstack": {
		Name:       "openstack",
		Key:        Length{Runes: 255},
		Value:      Length{Runes: 255},
		KeyClass:   neutronClass,
		ValueClass: neutronClass,
		MaxTags:    50,
		Format:     noSlash,
	},
}

// Services that admit less than the rest of their clouds do.
const (
	ServiceS3Object       = "s3-object"
	ServiceRDS            = "rds"
	ServiceStorageAccount = "storage-account"
	ServiceFrontDoor      = "front-door"
	ServiceTrafficManager = "traffic-manager"
	ServiceDNS            = "dns"
	ServiceFifteenTags    = "fifteen-tags"
	ServiceNova           = "nova"
	ServiceCinder         = "cinder"
	ServiceKeystone       = "keystone"
)

// cloudServices are what single services of clouds admit, by profile and service.
// The Azure ones are from
// https://learn.microsoft.com/azure/azure-resource-manager/management/tag-resources#limitations
var cloudServices = map[string]*Profile{
	"aws/" + ServiceS3Object:         service(awsCloud(), func(p *Profile) { p.MaxTags = 10 }),
	"aws/" + ServiceRDS:              service(awsCloud(), func(p *Profile) { p.Reserved = []string{"aws:", "rds:"} }),
	"azure/" + ServiceFifteenTags:    service(ProfileOf("azure"), func(p *Profile) { p.MaxTags = 15 }),
	"azure/" + ServiceStorageAccount: service(ProfileOf("azure"), func(p *Profile) { p.Key = Length{Runes: 128} }),
	"azure/" + ServiceFrontDoor: service(ProfileOf("azure"), func(p *Profile) {
		p.KeyClass = frontDoorClass
		p.Format = noColon
	}),
	"azure/" + ServiceTrafficManager: service(ProfileOf("azure"), func(p *Profile) {
		p.KeyClass = trafficManagerClass
		p.Format = noColon
	}),
	"azure/" + ServiceDNS: service(ProfileOf("azure"), func(p *Profile) {
		p.KeyClass = dnsZoneClass
		p.Format = noColon
		p.MaxTags = 15
	}),

	// Nova's schema of server metadata. 128 is its default quota.
	"openstack/" + ServiceNova: {
		Name: "openstack", Key: Length{Runes: 255}, Value: Length{Runes: 255}, KeyClass: novaClass, MaxTags: 128, Narrow: true, Format: noSlash,
	},

	// Cinder's schema of volume metadata, under the same quota.
	"openstack/" + ServiceCinder: {
		Name: "openstack", Key: Length{Runes: 255}, Value: Length{Runes: 255}, KeyClass: cinderClass, MaxTags: 128, Narrow: true,
	},

	// Keystone's schema of project tags.
	"openstack/" + ServiceKeystone: {
		Name: "openstack", Key: Length{Runes: 255}, Value: Length{Runes: 255}, KeyClass: neutronClass, ValueClass: neutronClass, MaxTags: 80, Narrow: true, Format: noSlash,
	},
}

func awsCloud() *Profile {
	p := *ProfileOf("aws")
	p.ValueClass = awsClass

	return &p
}

// service returns the supplied profile with the supplied changes.
func service(p *Profile, change func(p *Profile)) *Profile {
	out := *p
	out.Narrow = true
	change(&out)

	return &out
}
