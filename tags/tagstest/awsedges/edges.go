// Package awsedges compares what the function makes of labels at the edges of AWS's limits with the models and documents of
// AWS's services. It reads their rows, and not the profiles that are made from them. It is handed the function to call.
package awsedges

import (
	"cmp"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"unicode/utf8"

	gocmp "github.com/google/go-cmp/cmp"
	"k8s.io/apimachinery/pkg/runtime/schema"

	fnv1 "github.com/crossplane/function-sdk-go/proto/v1"

	"github.com/plexsphere/function-cloud-tags/tags/field"
	"github.com/plexsphere/function-cloud-tags/tags/profile"
	"github.com/plexsphere/function-cloud-tags/tags/profile/awsmodels"
	"github.com/plexsphere/function-cloud-tags/tags/tagstest"
	"github.com/plexsphere/function-cloud-tags/tags/tagstest/awspattern"
	"github.com/plexsphere/function-cloud-tags/tags/tagstest/calls"
)

// A Subject is a kind of the index, or a launched field of a kind, with the rows that hold for its tags.
type Subject struct {
	schema.GroupVersionKind

	// launched is the path of the launched field, such as spec.forProvider.resourceTags. Empty for the kind's own tags.
	launched string

	// rows are of requests that tag a resource of the kind or make one, and then of documents, which narrow these.
	rows []awsmodels.Row

	field field.Field
}

// general are AWS's general rules for keys and values.
var general = awsmodels.Limits{
	Key: awsmodels.Text{Min: 1, Max: 128, Pattern: characters}, Value: awsmodels.Text{Max: 256, Pattern: characters}, MaxTags: 50,
}

// contract has the rules of the contract, which admits all characters in values.
var contract = awsmodels.Limits{Key: general.Key, Value: awsmodels.Text{Max: 256}}

const characters = `[\p{L}\p{Nd} +\-=._:/@]*`

// wide is the document that widens the general rules.
const wide = "ec2"

// legal reports whether the tag is legal by the rules of the cloud: by the general rules, and by each row.
func (s Subject) legal(key, value string) bool {
	rows := []awsmodels.Limits{general}
	if s.rows[0].Service == wide {
		rows[0].Key.Pattern, rows[0].Value.Pattern = "", ""
	}

	for _, r := range s.rows {
		rows = append(rows, r.Limits)
	}

	return !slices.ContainsFunc(rows, func(l awsmodels.Limits) bool { return !admits(l, key, value) })
}

// refused reports whether a row of the kind refuses a tag that the contract admits. If no row has a pattern of values, the general
// rules refuse values, too.
func (s Subject) refused(key, value string) bool {
	hasPattern := slices.ContainsFunc(s.rows, func(r awsmodels.Row) bool { return r.Value.Pattern != "" })

	return !hasPattern && !fits(general.Value, value) || slices.ContainsFunc(s.rows, func(r awsmodels.Row) bool {
		return r.Service != wide && !admits(r.Limits, key, value)
	})
}

// admits reports whether the limits admit the tag.
func admits(l awsmodels.Limits, key, value string) bool {
	reserved := hasPrefix(key, "aws:") || l.Reserved != "" && hasPrefix(key, l.Reserved) ||
		slices.ContainsFunc(strings.FieldsFunc(l.ReservedValues, func(r rune) bool { return r == ',' || r == '*' }), func(prefix string) bool { return hasPrefix(value, prefix) })

	return !reserved && fits(l.Key, key) && fits(l.Value, value)
}

func hasPrefix(key, prefix string) bool { return strings.HasPrefix(strings.ToLower(key), prefix) }

// fits reports whether the text has a length and characters that the limit admits.
func fits(limit awsmodels.Text, text string) bool {
	n := utf8.RuneCountInString(text)
	matches, err := awspattern.Compile(limit.Pattern).MatchString(text)

	return err == nil && matches && n >= limit.Min && n <= cmp.Or(limit.Max, n)
}

// Subjects returns a kind for each set of rows that holds for kinds of an API group of AWS in the index, and the first words of
// API groups with tag fields but without rows.
func Subjects(tb testing.TB) (subjects []Subject, without []string) {
	tb.Helper()

	models, documents := read(tb, awsmodels.Models), read(tb, awsmodels.Documents)
	told := make(map[string]bool)

	kinds := maps.Collect(field.BuiltIn().All())
	for _, gvk := range slices.SortedFunc(maps.Keys(kinds), field.Compare) {
		word, domain, _ := strings.Cut(gvk.Group, ".")
		isAWS := domain == "services.k8s.aws" || strings.HasPrefix(domain, "aws.")
		f := kinds[gvk][len(kinds[gvk])-1].Field

		if !isAWS || f.OnRequest || f.Shape != field.Map && f.Shape != field.KeyValueList {
			continue
		}

		ofKind := []Subject{{GroupVersionKind: gvk, field: f}}
		for _, l := range (field.Schemas{}).Launched(field.Kind{GroupVersionKind: gvk}) {
			ofKind = append(ofKind, Subject{GroupVersionKind: gvk, field: f, launched: l.Name()})
		}

		for _, s := range ofKind {
			tagged := gvk.Kind
			if s.launched != "" {
				tagged = profile.LaunchedKind(gvk.Kind, s.launched)
			}

			s.rows = modelsOf(rowsOf(models, word), tagged)
			hasModel := s.rows != nil

			for _, r := range rowsOf(documents, word) {
				if slices.Contains(r.Names, "*") || slices.Contains(r.Names, tagged) {
					s.rows = append(s.rows, r)
				}
			}

			if id := fmt.Sprint(word, s.rows); told[id] {
				continue
			} else if told[id] = true; hasModel {
				subjects = append(subjects, s)
			} else {
				without = append(without, word)
			}
		}
	}

	return subjects, without
}

func read(tb testing.TB, text string) []awsmodels.Row {
	tb.Helper()

	rows, err := awsmodels.Parse(text)
	if err != nil {
		tb.Fatal(err)
	}

	return rows
}

// rowsOf returns the rows of the service whose API groups start with the word.
func rowsOf(rows []awsmodels.Row, word string) []awsmodels.Row {
	return slices.DeleteFunc(slices.Clone(rows), func(r awsmodels.Row) bool {
		return strings.ReplaceAll(r.Service, "-", "") != word && r.Service != awsmodels.Groups[word]
	})
}

var forOneKind = regexp.MustCompile(`^(Create|Tag)[A-Z]`)

// modelsOf returns the rows with requests for all kinds, or for the kind. If there is none, these are rows with the most tags.
func modelsOf(rows []awsmodels.Row, kind string) (out []awsmodels.Row) {
	for _, r := range rows {
		if slices.ContainsFunc(r.Names, func(name string) bool {
			return name == "TagResource" || name == "Create"+kind || name == "Tag"+kind || !forOneKind.MatchString(name)
		}) {
			out = append(out, r)
		}
	}

	if len(out) == 0 && len(rows) > 0 { // No service has rows of launched fields alone.
		out = []awsmodels.Row{slices.MaxFunc(rows, func(a, b awsmodels.Row) int { return cmp.Compare(a.MaxTags, b.MaxTags) })}
	}

	return out
}

// edges returns tags at the edges of the subject's limits: lengths, and characters of each class.
func (s Subject) edges() map[string]string {
	tags := map[string]string{"k": "", "k0": " ", " ": "v", "aws:k": "v", "RDS:k": "v", "dms:k": "v", "ElasticBeanstalk:k": "v", "awsk": "v", "k1": "aws:v", "k2": "RDS:v", "k3": "dms:v"}

	for _, r := range append(slices.Clone(s.rows), awsmodels.Row{Limits: general}) {
		for n := range 2 {
			key, value := cmp.Or(min(r.Key.Max, 300), 128)+n, cmp.Or(min(r.Value.Max, 300), 256)+n
			tags[strings.Repeat("k", key)] = "v"
			tags[fmt.Sprintf("value%d", value)] = strings.Repeat("v", value)
		}
	}

	for _, c := range "aZ09 +-=._:/@,;<>?%&\"'\\~*äß\u4e2d٣½Ⅳ\u00a0\u2028\t\n\f\x01\u0085€😀" {
		tags[fmt.Sprintf("k%ck", c)], tags[fmt.Sprintf("v%x", c)] = "v", fmt.Sprintf("v%cv", c)
	}

	return tags
}

// Check compares the tags that the function makes of labels at the edges, by the rules of the cloud, with the rows, and so
// the number of tags that the API refuses by the contract.
func (s Subject) Check(tb testing.TB, function calls.Function) {
	tb.Helper()

	edges := s.edges()

	for batch := range slices.Chunk(slices.Sorted(maps.Keys(edges)), 10) {
		labels, want := map[string]string{}, map[string]string{}
		refused := 0

		for _, key := range batch {
			labels[key] = edges[key]

			if s.legal(key, edges[key]) {
				want[key] = edges[key]
			}

			if admits(contract, key, edges[key]) && s.refused(key, edges[key]) {
				refused++
			}
		}

		got, _ := s.run(tb, "Cloud", labels, function)
		if diff := gocmp.Diff(want, got); diff != "" {
			tb.Errorf("\nThe rules of the cloud should admit the same as the rows.\n%s, %v: -want, +got:\n%s", s.GroupKind(), s.rows, diff)
		}

		if _, got := s.run(tb, "", labels, function); got != refused {
			tb.Errorf("\nThe function should name each tag that a row refuses.\n%s, %v: want %d of %q, got %d", s.GroupKind(), s.rows, refused, labels, got)
		}
	}

	limit := general.MaxTags
	for _, r := range s.rows {
		limit = min(limit, cmp.Or(r.MaxTags, limit))
	}

	labels := make(map[string]string)
	for i := range limit + 1 {
		labels[fmt.Sprintf("k%02d", i)] = "v"
	}

	tags, _ := s.run(tb, "Cloud", labels, function)
	_, refused := s.run(tb, "", labels, function)

	if want := min(general.MaxTags-limit, 1); len(tags) != limit || refused != want {
		tb.Errorf("\nThe last slot should be the last one of the rows.\n%s, %v: want %d tags, and %d refused, got %d, and %d", s.GroupKind(), s.rows, limit, want, len(tags), refused)
	}
}

var refusals = regexp.MustCompile(`refuses (\d+) tags?`)

// run runs the function with the labels and a resource of the kind. It returns the tags of the resource, and the number of tags that the cloud is
// said to refuse.
func (s Subject) run(tb testing.TB, rules string, labels map[string]string, function calls.Function) (tags map[string]string, refused int) {
	tb.Helper()

	tagField, _ := field.ToTagField(s.GroupVersionKind, s.field) // Some releases have no field.
	input := map[string]any{
		"keyPrefix": "", "providerTags": "None", "launchedResources": "Tag", "statusFieldPath": "status.cloudTags", "tagFields": []any{tagField},
		"sources": []any{map[string]any{"type": "CompositeField", "fromFieldPath": "spec.labels"}},
	}
	if rules != "" {
		input["profileRules"] = rules
	}

	xr := map[string]any{"apiVersion": "example.org/v1", "kind": "XR", "metadata": map[string]any{"name": "xr"}, "spec": map[string]any{"labels": labels}}

	req := &fnv1.RunFunctionRequest{
		Meta:     &fnv1.RequestMeta{Tag: "tag"},
		Observed: &fnv1.State{Composite: &fnv1.Resource{Resource: tagstest.Struct(xr)}},
		Desired: &fnv1.State{Resources: map[string]*fnv1.Resource{"r": {Resource: tagstest.MustStructJSON(
			fmt.Sprintf(`{"apiVersion": %q, "kind": %q, "spec": {"forProvider": {}}}`, s.GroupVersion().String(), s.Kind))}}},
	}
	(&calls.Step{Input: tagstest.Struct(input)}).Change(req)

	rsp, err := function(tb.Context(), req)
	if err != nil {
		tb.Fatal(err)
	}

	at, path := rsp.GetDesired().GetComposite().GetResource(), "status.cloudTags.resources.r"
	if s.launched != "" {
		at, path = rsp.GetDesired().GetResources()["r"].GetResource(), s.launched
	}

	for name := range strings.SplitSeq(path, ".") {
		at = at.GetFields()[name].GetStructValue()
	}

	tags = make(map[string]string)
	for key, value := range at.GetFields() {
		tags[key] = value.GetStringValue()
	}

	for _, r := range rsp.GetResults() {
		if m := refusals.FindStringSubmatch(r.GetMessage()); m != nil {
			n, _ := strconv.Atoi(m[1])
			refused += n
		}
	}

	return tags, refused
}
