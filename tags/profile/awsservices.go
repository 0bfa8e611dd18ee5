package profile

import (
	"cmp"
	"slices"
	"strings"
)

//go:generate go run ./awsmodels/generate

// An awsRow has the limits of an AWS service, or of one of its kinds. awsRows has all rows, sorted.
type awsRow struct {
	// service is the first word of API groups: glacier of glacier.aws.upbound.io.
	service string

	// kind is Vault, or empty for the other kinds of the service. InfrastructureConfiguration.resourceTags stands for a
	// launched field of a kind.
	kind string

	limits awsLimits

	// sources are a document's address or the version of a model, such as glacier/2012-06-01, with a space between two.
	sources string
}

// awsLimits are limits of an AWS service that differ from AWS's general rules.
type awsLimits struct {
	// key and value are greatest lengths, and tags is the cap.
	key, value, tags int

	// keys and values are names of classes for the Cloud rules: see awsPatterns. admitted is the class of values that
	// the API is known to admit.
	keys, values, admitted string

	// reserved is a prefix of keys, such as rds:. reservedValues are Profile.ReservedValues with spaces between them: aws:* rds:*.
	reserved, reservedValues string

	foldKeys bool

	// underscored says that keys have no colon or no slash, so that the key format makes them underscores.
	underscored bool
}

// awsMost is the widest class of keys in awsPatterns.
const awsMost = "anything but control characters"

// awsClasses are the classes of awsPatterns.
var awsClasses = func() map[string]Class {
	classes := make(map[string]Class, len(awsPatterns))

	for name, pattern := range awsPatterns {
		switch {
		case strings.HasSuffix(pattern, "+$"):
			classes[name] = repeated(name, pattern)
		case strings.HasPrefix(pattern, "^"):
			classes[name] = classOf(name, pattern)
		default:
			classes[name] = charsOf(name, pattern)
		}
	}

	return classes
}()

// An awsTable has a profile for each row of awsRows. Rows with equal limits share one.
type awsTable struct {
	profiles []*Profile

	// services have the profiles that are narrower than the general one, each with the names of its services.
	services []service
}

// newAWSTable returns the table of profiles that a general profile and limits of rows make.
func newAWSTable(general *Profile, limitsOf func(awsRow) awsLimits) awsTable {
	var t awsTable

	at := make(map[awsLimits]int)

	for _, row := range awsRows {
		limits := limitsOf(row)
		if limits == (awsLimits{}) {
			t.profiles = append(t.profiles, general)
			continue
		}

		i, ok := at[limits]
		if !ok {
			i, at[limits] = len(t.services), len(t.services)
			t.services = append(t.services, narrow(*general, "", limits.apply))
		}

		s := &t.services[i]
		s.name = strings.TrimPrefix(s.name+", "+row.name(), ", ")
		t.profiles = append(t.profiles, s.profile)
	}

	return t
}

// apply gives the profile the limits.
func (l awsLimits) apply(p *Profile) {
	p.Source = awsModels
	p.Key.Runes = cmp.Or(l.key, p.Key.Runes)
	p.Value.Runes = cmp.Or(l.value, p.Value.Runes)
	p.MaxTags = cmp.Or(l.tags, p.MaxTags)
	p.FoldKeys = l.foldKeys

	if l.keys != "" {
		p.KeyClass = awsClasses[l.keys]
	}

	if values := l.values + l.admitted; values != "" {
		p.ValueClass = awsClasses[values]
	}

	if l.underscored {
		p.Format = underscores
	}

	if l.reserved != "" {
		p.Reserved = append(slices.Clone(p.Reserved), l.reserved)
	}

	p.ReservedValues = strings.Fields(l.reservedValues)
}

// The tables of the Cloud rules, and of values that APIs are known to refuse under the contract.
var (
	awsCloudTable = newAWSTable(&awsAPI, func(row awsRow) awsLimits {
		row.limits.admitted = ""
		return row.limits
	})

	awsRefusingTable = newAWSTable(&awsContract, func(row awsRow) awsLimits {
		row.limits.values = ""

		// EC2 admits keys that the contract doesn't have.
		if row.limits.keys == awsMost {
			row.limits.keys = ""
		}

		return row.limits
	})
)

// awsRowOf returns the index of the row of the kind's launched field, or else of the kind, or else of its service.
func awsRowOf(group, kind string) (i int, ok bool) {
	name, domain, _ := strings.Cut(group, ".")
	if domain != "services.k8s.aws" && !strings.HasPrefix(domain, "aws.") {
		return 0, false
	}

	for _, kind := range [...]string{kind, withoutField(kind), ""} {
		if i, ok = slices.BinarySearchFunc(awsRows, awsRow{service: name, kind: kind}, awsRow.compare); ok {
			break
		}
	}

	return i, ok
}

// LaunchedKind returns the kind for the limits of a launched field: InfrastructureConfiguration.resourceTags for the kind
// InfrastructureConfiguration and the field spec.forProvider.resourceTags.
func LaunchedKind(kind, field string) string {
	return kind + "." + strings.TrimPrefix(field, "spec.forProvider.")
}

// withoutField returns the kind without a launched field: InfrastructureConfiguration of InfrastructureConfiguration.resourceTags.
func withoutField(kind string) string {
	kind, _, _ = strings.Cut(kind, ".")
	return kind
}

func (row awsRow) compare(other awsRow) int {
	return cmp.Or(strings.Compare(row.service, other.service), strings.Compare(row.kind, other.kind))
}

// name returns the name of the row's service for messages: s3, or s3/Object for one of its kinds.
func (row awsRow) name() string { return strings.TrimSuffix(row.service+"/"+row.kind, "/") }

// A Service has the limits of a cloud's service, or of one of its kinds, by the Cloud rules.
type Service struct {
	// Provider is the name of the tag profile, e.g. aws.
	Provider string `json:"provider"`

	// Name of the service, which is the first word of its API groups, e.g. s3. After a slash is a kind, e.g. s3/Object.
	Name string `json:"name"`

	// Key and Value are the most characters that keys and values may have.
	Key   int `json:"key"`
	Value int `json:"value"`

	// Tags is the most tags that a resource may have.
	Tags int `json:"tags"`

	// KeyCharacters and ValueCharacters are in words the characters that keys and values may have.
	KeyCharacters   string `json:"keyCharacters"`
	ValueCharacters string `json:"valueCharacters"`

	// Admitted says in words which characters of values the service's API admits, if it is known to refuse others. Admitted is missing
	// if the API isn't known to refuse any.
	Admitted string `json:"admitted,omitempty"`

	// Reserved are prefixes that keys can't have.
	Reserved []string `json:"reserved"`

	// ReservedValues are values that tags can't have. A * at the end matches any rest, as in aws:*.
	ReservedValues []string `json:"reservedValues,omitempty"`

	// FoldKeys says whether keys that differ only in case are one key.
	FoldKeys bool `json:"foldKeys,omitempty"`

	// Sources are the addresses of the models and documents that have the limits.
	Sources []string `json:"sources"`
}

// ServiceOf returns the service with the limits of the provider's API for a kind or a LaunchedKind, if its limits have a source.
func ServiceOf(provider, group, kind string) (Service, bool) {
	i, ok := awsRowOf(group, kind)
	if !ok || cloudOf(provider).contract != aws.contract {
		return Service{}, false
	}

	return serviceAt(i), true
}

// Services returns all services whose limits have a source, sorted by name.
func Services() []Service {
	out := make([]Service, len(awsRows))
	for i := range out {
		out[i] = serviceAt(i)
	}

	return out
}

// serviceAt returns the service of a row.
func serviceAt(i int) Service {
	row, p := awsRows[i], awsCloudTable.profiles[i]

	sources := strings.Fields(row.sources)
	for i, source := range sources {
		if !strings.HasPrefix(source, "https://") {
			sources[i] = awsModels + source + "/service-2.json"
		}
	}

	return Service{
		Provider: p.Name, Name: row.name(), Key: p.Key.Runes, Value: p.Value.Runes, Tags: p.MaxTags, KeyCharacters: p.KeyClass.Name,
		ValueCharacters: p.ValueClass.Name, Admitted: row.limits.admitted, Reserved: p.Reserved, ReservedValues: p.ReservedValues, FoldKeys: p.FoldKeys, Sources: sources,
	}
}
