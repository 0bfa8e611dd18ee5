package awsmodels

import (
	"bytes"
	"cmp"
	"fmt"
	"go/format"
	"maps"
	"regexp"
	"slices"
	"strings"
	"unicode"

	"github.com/crossplane/function-sdk-go/errors"

	"github.com/plexsphere/function-cloud-tags/tags/field"
	"github.com/plexsphere/function-cloud-tags/tags/words"
)

// Groups are the services of first words of API groups that are not the service's name without hyphens.
var Groups = map[string]string{
	"appautoscaling": "application-autoscaling", "cache": "elasticache", "chime": "chime-sdk-voice", "cloudwatchevents": "events",
	"cloudwatchlogs": "logs", "cognitoidentityprovider": "cognito-idp", "configservice": "config", "database": "rds", "deploy": "codedeploy",
	"documentdb": "docdb", "elasticloadbalancing": "elb", "elasticsearch": "es", "elasticsearchservice": "es", "eventbridge": "events",
	"opensearchservice": "opensearch", "prometheusservice": "amp", "sfn": "stepfunctions", "verifiedaccess": "ec2", "vpc": "ec2",
}

// A place is a kind of a service, or all kinds of the service if kind is empty. A kind with a launched field has limits of the
// tags in that field, such as InfrastructureConfiguration.resourceTags.
type place struct{ service, kind string }

// limits are the limits of the tags of a kind.
type limits struct {
	key, value, tags int

	// keys and values are legal by the rules of the cloud. admitted are the values that the API is known to admit: if neither model nor
	// document has a pattern of values, these are the values that all services admit.
	keys, values, admitted class
	hasPattern             bool

	// reservedValues has a space between two.
	reserved, reservedValues string
	foldKeys                 bool

	// sources are addresses and files of botocore, with a space between two.
	sources string
}

// general are AWS's general rules. No model widens them.
var general = limits{key: 128, value: 256, tags: 50, keys: class{set: common}, values: class{set: common}, admitted: class{set: all}}

// common are the characters that all services admit.
var common = setOf("aÄ٣ +-=._:/@")

// separators are the characters of label keys that a key format has to replace if a service doesn't admit them.
var separators = setOf(":/")

// A Table has the limits of each service, and of kinds with limits of their own.
type Table map[place]limits

// NewTable returns the table of the models and the documents, which override models.
func NewTable(models, documents string) (Table, error) {
	t := Table{}

	rows, err := Parse(models)
	if err != nil {
		return nil, err
	}

	for _, rows := range words.Grouped(rows, func(r Row) string { return r.Service }) {
		if err := t.add(rows); err != nil {
			return nil, errors.Wrapf(err, "cannot read the limits of %s", rows[0].Service)
		}
	}

	if rows, err = Parse(documents); err != nil {
		return nil, err
	}

	for _, r := range rows {
		if err := t.override(r); err != nil {
			return nil, errors.Wrapf(err, "cannot read the document of %s", r.Service)
		}
	}

	for p, l := range t {
		if !l.hasPattern {
			l.admitted = l.admitted.both(general.values)
			t[p] = l
		}
	}

	return t, nil
}

// kindOf returns the kind of a request for one kind: CreatePortfolio and TagRole. Other requests are for all kinds: TagResource.
func kindOf(request string) (string, bool) {
	kind, ok := strings.CutPrefix(request, "Create")
	if !ok {
		kind, ok = strings.CutPrefix(request, "Tag")
	}

	return kind, ok && kind != "" && unicode.IsUpper(rune(kind[0])) && kind != "Resource"
}

// add adds the limits of a service by the requests of its model. A kind has the limits of requests for all kinds, and of its own.
// If there is no request for all kinds, other kinds have the limits of a request with the most tags.
func (t Table) add(rows []Row) error {
	var forAll, widest limits

	kinds := make(map[string]limits)

	for _, r := range rows {
		l, err := limitsOf(r)
		if err != nil {
			return err
		}

		l = general.both(l)

		for _, name := range r.Names {
			if launched := strings.Contains(name, "."); !launched && l.tags > widest.tags {
				widest = l
			}

			if kind, ok := kindOf(name); ok {
				kinds[kind] = l
			} else {
				forAll = cmp.Or(forAll, l).both(l)
			}
		}
	}

	base := cmp.Or(forAll, widest)
	t[place{service: rows[0].Service}] = base

	for kind, l := range kinds {
		if l = cmp.Or(forAll, l).both(l); l != base {
			t[place{rows[0].Service, kind}] = l
		}
	}

	return nil
}

// override overrides the limits of the row's kinds with limits of a document.
func (t Table) override(r Row) error {
	said, err := limitsOf(r)
	if err != nil {
		return err
	}

	base, ok := t[place{service: r.Service}]
	if !ok {
		return errors.New("it has no model")
	}

	isOfAll := slices.Contains(r.Names, "*")
	if !isOfAll {
		for _, kind := range r.Names {
			t[place{r.Service, kind}] = cmp.Or(t[place{r.Service, kind}], base)
		}
	}

	for p, before := range t {
		if p.service != r.Service || !isOfAll && !slices.Contains(r.Names, p.kind) {
			continue
		}

		l := before.both(said)

		// Only a document that admits symbols widens the general rules.
		if r.Key.Pattern != "" && said.keys.set.has(symbols) {
			l.keys, l.values, l.admitted = said.keys, said.values, before.admitted
		}

		t[p] = l
	}

	return nil
}

// limitsOf returns the limits of the row, without AWS's general rules.
func limitsOf(r Row) (limits, error) {
	keys, key, err := classOf(r.Key.Pattern, general.key)
	if err != nil {
		return limits{}, err
	}

	values, value, err := classOf(r.Value.Pattern, general.value)
	if err != nil {
		return limits{}, err
	}

	keys.some, values.some = false, values.some || r.Value.Min > 0 // No key is empty.

	return limits{
		key: min(key, cmp.Or(r.Key.Max, key)), value: min(value, cmp.Or(r.Value.Max, value)), tags: cmp.Or(r.MaxTags, general.tags),
		keys: keys, values: values, admitted: values, hasPattern: r.Value.Pattern != "",
		reserved: r.Reserved, reservedValues: strings.ReplaceAll(r.ReservedValues, ",", " "), foldKeys: r.FoldKeys, sources: r.Source,
	}, nil
}

// both returns the limits of tags that l and m admit.
func (l limits) both(m limits) limits {
	return limits{
		key: min(l.key, m.key), value: min(l.value, m.value), tags: min(l.tags, m.tags),
		keys: l.keys.both(m.keys), values: l.values.both(m.values), admitted: l.admitted.both(m.admitted), hasPattern: l.hasPattern || m.hasPattern,
		reserved: cmp.Or(l.reserved, m.reserved), reservedValues: strings.TrimSpace(l.reservedValues + " " + m.reservedValues),
		foldKeys: l.foldKeys || m.foldKeys,
		sources:  strings.Join(words.Distinct(strings.Fields(l.sources+" "+m.sources)), " "),
	}
}

// Narrower returns the limits that are narrower than before, with a line in Markdown for each.
func (t Table) Narrower(before Table) []string {
	var out []string

	unknown := general
	unknown.admitted = general.values

	for p, l := range t {
		old := cmp.Or(before[p], before[place{service: p.service}], unknown)

		var changes []string

		for _, n := range []struct {
			name     string
			now, old int
		}{{"characters in keys", l.key, old.key}, {"characters in values", l.value, old.value}, {"tags", l.tags, old.tags}} {
			if n.now < n.old {
				changes = append(changes, fmt.Sprintf("at most %d %s instead of %d", n.now, n.name, n.old))
			}
		}

		for _, c := range []struct {
			name     string
			now, old class
		}{{"keys", l.keys, old.keys}, {"values", l.admitted, old.admitted}} {
			if c.now.both(c.old) != c.old {
				changes = append(changes, fmt.Sprintf("%s: %s, instead of %s", c.name, c.now.name(), c.old.name()))
			}
		}

		if len(changes) > 0 {
			out = append(out, fmt.Sprintf("%#q: %s", strings.TrimSuffix(p.service+"/"+p.kind, "/"), strings.Join(changes, "; ")))
		}
	}

	slices.Sort(out)

	return out
}

// modelFile matches the file of a model among sources, with its service and version: botocore/data/glacier/2012-06-01/service-2.json.
var modelFile = regexp.MustCompile(`(^| )botocore/data/(\S+)/service-2\.json`)

// Go returns the Go file of the table, with a row for each service and kind of the index of tag fields. models is the text of models.tsv.
// The file names the commit in the first line of models.
func (t Table) Go(models string) ([]byte, error) {
	var rows []string

	classes := make(map[string]string)

	for p := range indexed() {
		service := p.service
		for q := range t {
			if Groups[p.service] == q.service || strings.ReplaceAll(q.service, "-", "") == p.service {
				service = q.service
			}
		}

		for q, l := range t {
			if kind, _, _ := strings.Cut(q.kind, "."); q.service == service && kind == p.kind {
				rows = append(rows, fmt.Sprintf("{%q, %q, awsLimits{%s}, %q},\n", p.service, q.kind, l.fields(classes), modelFile.ReplaceAllString(l.sources, "$1$2")))
			}
		}
	}

	slices.Sort(rows)

	commit, _, _ := strings.Cut(strings.TrimPrefix(models, "# botocore "), "\n")
	out := &bytes.Buffer{}
	fmt.Fprintf(out, "// Code generated by awsmodels. DO NOT EDIT.\n\npackage profile\n\nconst awsModels = %q\n\n", "https://github.com/boto/botocore/blob/"+commit+"/botocore/data/")
	fmt.Fprintf(out, "var awsRows = []awsRow{\n%s}\n\nvar awsPatterns = map[string]string{\n", strings.Join(rows, ""))

	for _, name := range slices.Sorted(maps.Keys(classes)) {
		fmt.Fprintf(out, "%q: %q,\n", name, classes[name])
	}

	out.WriteString("}\n")

	return format.Source(out.Bytes())
}

// indexed returns AWS's services and their kinds in the index of tag fields. A service is the first word of an API group.
func indexed() map[place]bool {
	places := make(map[place]bool)

	for gvk := range field.BuiltIn().All() {
		if service, domain, _ := strings.Cut(gvk.Group, "."); domain == "services.k8s.aws" || strings.HasPrefix(domain, "aws.") {
			places[place{service, gvk.Kind}], places[place{service: service}] = true, true
		}
	}

	return places
}

// fields returns the fields of the limits that differ from the general rules, and puts their classes into the map by name.
func (l limits) fields(classes map[string]string) string {
	var out []string

	add := func(name string, value, usual any) {
		if value == usual {
			return
		}

		if c, ok := value.(class); ok {
			classes[c.name()] = c.pattern()
			value = c.name()
		}

		out = append(out, fmt.Sprintf("%s: %#v", name, value))
	}

	add("key", l.key, general.key)
	add("value", l.value, general.value)
	add("tags", l.tags, general.tags)
	add("keys", l.keys, general.keys)
	add("values", l.values, general.values)
	add("admitted", l.admitted, general.admitted)
	add("reserved", l.reserved, "")
	add("reservedValues", l.reservedValues, "")
	add("foldKeys", l.foldKeys, false)
	add("underscored", l.keys.set&separators != separators, false)

	return strings.Join(out, ", ")
}
