package awsmodels

import (
	"regexp"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/google/go-cmp/cmp"

	"github.com/plexsphere/function-cloud-tags/tags/tagstest/awspattern"
)

// TestClassOf compares classes with the patterns that they are made from, for each character below U+3000.
func TestClassOf(t *testing.T) {
	patterns := make(map[string]bool)

	for _, text := range []string{Models, Documents} {
		rows, err := Parse(text)
		if err != nil {
			t.Fatal(err)
		}

		for _, r := range rows {
			patterns[r.Key.Pattern], patterns[r.Value.Pattern] = true, true
		}
	}

	for pattern := range patterns {
		c, _, err := classOf(pattern, 256)
		if err != nil {
			t.Errorf("classOf(%s): %v", pattern, err)
			continue
		}

		expression := c.pattern()
		if !strings.HasPrefix(expression, "^") {
			expression = "^" + expression + "*$"
		}

		want, got := awspattern.Compile(pattern), regexp.MustCompile(expression)

		check := func(text string) {
			if matches, err := want.MatchString(text); err != nil || matches != got.MatchString(text) {
				t.Errorf("\nThe class %s should have the strings that %s matches.\n%q: want %t, got %t", c.pattern(), pattern, text, matches, !matches)
			}
		}

		if !strings.Contains(pattern, "(?=") { // A lookahead has lengths, which profiles have beside classes.
			check("")
		}

		check("  ")

		for r := range rune(0x3000) {
			check("a" + string(r) + "a")
		}
	}
}

// TestReadModels reads the rows of models with tags in all places where requests have them.
func TestReadModels(t *testing.T) {
	checkout := fstest.MapFS{
		"botocore/data/zoo/2019-01-01/service-2.json": {Data: []byte(`{"operations": {"TagOld": {"input": {"shape": "Map"}}}}`)},
		"botocore/data/zoo/2020-01-01/service-2.json": {Data: []byte(`{"operations": {
				"TagResource": {"input": {"shape": "TagResource"}}, "CreateCage": {"input": {"shape": "CreateCage"}}, "CreateFood": {"input": {"shape": "CreateFood"}},
				"CreateGate": {"input": {"shape": "CreateGate"}}, "CreateNothing": {}, "ListCages": {"input": {"shape": "TagResource"}}
			}, "shapes": {
				"TagResource": {"type": "structure", "members": {"TagsToAdd": {"shape": "List"}, "Name": {"shape": "Key"}}},
				"CreateCage": {"type": "structure", "members": {"Tags": {"shape": "Wrapper"}, "resourceTags": {"shape": "Map"}}},
				"CreateFood": {"type": "structure", "members": {"tags": {"shape": "Map"}}},
				"CreateGate": {"type": "structure", "payload": "Gate", "members": {"Gate": {"shape": "CreateFood"}}},
				"List": {"type": "list", "max": 20.0, "member": {"shape": "Tag"}}, "Wrapper": {"type": "structure", "members": {"Items": {"shape": "List"}}},
				"Tag": {"type": "structure", "members": {"TagKey": {"shape": "Key"}, "TagValue": {"shape": "Value"}}},
				"Map": {"type": "map", "key": {"shape": "Key"}, "value": {"shape": "Value"}},
				"Key": {"type": "string", "min": 1, "max": 127, "pattern": "[a-z]*"}, "Value": {"type": "string", "max": 255}
			}}`)},
	}

	limits := Limits{Key: Text{Min: 1, Max: 127, Pattern: "[a-z]*"}, Value: Text{Max: 255}}
	capped := limits
	capped.MaxTags = 20

	want := []Row{
		{Service: "zoo", Source: "botocore/data/zoo/2020-01-01/service-2.json", Names: []string{"CreateCage", "TagResource"}, Limits: capped},
		{Service: "zoo", Source: "botocore/data/zoo/2020-01-01/service-2.json", Names: []string{"CreateCage.resourceTags", "CreateFood", "CreateGate"}, Limits: limits},
	}

	got, err := ReadModels(checkout)
	if diff := cmp.Diff(want, got); diff != "" || err != nil {
		t.Errorf("\nOnly requests that tag a resource or make one should count, of the newest model.\nReadModels(...): %v, -want, +got:\n%s", err, diff)
	}

	if again, err := Parse(Format("c0ffee", want)); err != nil || !cmp.Equal(want, again) {
		t.Errorf("Parse(Format(...)): %v, -want, +got:\n%s", err, cmp.Diff(want, again))
	}

	if _, err := ReadModels(fstest.MapFS{}); err == nil {
		t.Error("ReadModels of a folder without models: want an error")
	}
}

// TestNewTable makes tables of a few rows. A row has the columns of models.tsv, with spaces between them and - for an empty one.
func TestNewTable(t *testing.T) {
	for _, tc := range []struct {
		reason, models, documents string

		want map[string]string
	}{
		{"A model narrows.", "zoo f TagResource - 127 [a-z0-9A-Z]* 1 255 - 10", "", map[string]string{
			"zoo": `key: 127, value: 255, tags: 10, keys: "ASCII letters and digits", values: "letters, digits, space and + - = . _ : / @, not empty", admitted: "letters, digits, space and + - = . _ : / @, not empty", underscored: true`,
		}},
		{"A model doesn't widen.", "zoo f TagResource - 200 .* - 1600 [\\s\\S]* 200", "", map[string]string{"zoo": ""}},
		{"A pattern can have a length.", "zoo f TagResource - - (?!aws:).{1,100} - - .{0,255} -", "", map[string]string{"zoo": `key: 100, value: 255, admitted: "anything but line breaks"`}},
		{"A range has more than its ends.", "zoo f TagResource - - [a-zA-Z+-=._:/]+ - - - -", "", map[string]string{"zoo": `keys: "ASCII letters and digits and + - = . _ : /", admitted: "letters, digits, space and + - = . _ : / @"`}},
		{"A kind has the limits of its request and of those for all.", "zoo f CreateCage - - - - - - 20\nzoo f TagResource - 127 - - - - 50", "", map[string]string{
			"zoo": `key: 127, admitted: "letters, digits, space and + - = . _ : / @"`, "zoo/Cage": `key: 127, tags: 20, admitted: "letters, digits, space and + - = . _ : / @"`,
		}},
		{"Without a request for all kinds, others have the widest limits.", "zoo f CreateCage,TagGate - - - - - - 20\nzoo f CreateFood - - - - - - 40", "", map[string]string{
			"zoo": `tags: 40, admitted: "letters, digits, space and + - = . _ : / @"`, "zoo/Cage": `tags: 20, admitted: "letters, digits, space and + - = . _ : / @"`, "zoo/Gate": `tags: 20, admitted: "letters, digits, space and + - = . _ : / @"`,
		}},
		{"Tags of launched resources are no tags of the kind.", "zoo f CreateCage.tags - - - - - - 20\nzoo f CreateCage,TagResource - 127 - - - - 50", "", map[string]string{
			"zoo": `key: 127, admitted: "letters, digits, space and + - = . _ : / @"`, "zoo/Cage.tags": `key: 127, tags: 20, admitted: "letters, digits, space and + - = . _ : / @"`,
		}},
		{"A pattern that admits all says more than what all services admit.", "zoo f TagResource - - - - - [\\s\\S]* -", "", map[string]string{"zoo": ""}},
		{"A pattern of one request is the service's.", "zoo f CreateCage - - - - - .* -\nzoo f TagResource - - - - - - -", "", map[string]string{
			"zoo": `admitted: "letters, digits, space and + - = . _ : / @"`, "zoo/Cage": `admitted: "anything but line breaks"`,
		}},
		{"A document narrows a kind.", "zoo f TagResource - 127 - - - - -", "zoo d Cage - - - - - - 10 zoo: fold zoo:*,null", map[string]string{
			"zoo": `key: 127, admitted: "letters, digits, space and + - = . _ : / @"`, "zoo/Cage": `key: 127, tags: 10, admitted: "letters, digits, space and + - = . _ : / @", reserved: "zoo:", reservedValues: "zoo:* null", foldKeys: true`,
		}},
		{"A document of a service is of all its kinds.", "zoo f TagResource - - - 1 - - -\nzoo f CreateCage - - - - - - 20", "zoo d * - - - - - [\\p{L}\\p{N}\\s]* -", map[string]string{
			"zoo":      `values: "letters, digits, space, not empty", admitted: "letters, numbers, white space, not empty"`,
			"zoo/Cage": `tags: 20, values: "letters, digits, space, not empty", admitted: "letters, numbers, white space, not empty"`,
		}},
		{"A document with symbols in keys widens.", "zoo f TagResource - - - - - - -", "zoo d * - - [^\\p{Cc}]* - - [^\\p{Cc}]* -", map[string]string{
			"zoo": `keys: "anything but control characters", values: "anything but control characters"`,
		}},
	} {
		table, err := NewTable(columnsOf(tc.models), columnsOf(tc.documents))
		if err != nil {
			t.Errorf("%s: %v", tc.reason, err)
		}

		got := make(map[string]string)
		for p, l := range table {
			got[strings.TrimSuffix(p.service+"/"+p.kind, "/")] = l.fields(map[string]string{})
		}

		if diff := cmp.Diff(tc.want, got); diff != "" {
			t.Errorf("\n%s\nNewTable(%q, %q): -want, +got:\n%s", tc.reason, tc.models, tc.documents, diff)
		}
	}

	for _, tc := range []struct{ reason, models, documents, want string }{
		{"A row needs its columns.", "zoo f", "", `"zoo\tf\n" has less than 10 columns`},
		{"A length is a number.", "zoo f TagResource x - - - - - -", "", "cannot read"},
		{"A pattern must be known.", "zoo f TagResource - - (?<=a)b - - - -", "", "cannot read the limits of zoo: error parsing regexp"},
		{"So must its characters.", "zoo f TagResource - - [a-f]* - - - -", "", "make a part of them"},
		{"A document needs a model.", "", "zoo d * - - - - - - 10", "cannot read the document of zoo: it has no model"},
	} {
		if _, err := NewTable(columnsOf(tc.models), columnsOf(tc.documents)); err == nil || !strings.Contains(err.Error(), tc.want) {
			t.Errorf("\n%s\nNewTable(%q, %q): want the error %s, got %v", tc.reason, tc.models, tc.documents, tc.want, err)
		}
	}
}

// TestNarrower names the limits that are narrower than before.
func TestNarrower(t *testing.T) {
	table := func(models string) Table {
		out, err := NewTable(columnsOf(models), "")
		if err != nil {
			t.Fatal(err)
		}

		return out
	}

	before := table("bar f TagResource - 127 [\\p{L}\\p{N}]* - - - 20\nzoo f TagResource - - - - - - -")
	after := table("bar f TagResource - - - 1 - - 30\nnew f TagResource - 100 - - - - -\nzoo f TagResource - 127 - - 255 [a-zA-Z0-9]* -\nzoo f CreateCage - - - - - - 5")

	want := []string{
		"`bar`: values: letters, digits, space and + - = . _ : / @, not empty, instead of letters, digits, space and + - = . _ : / @",
		"`new`: at most 100 characters in keys instead of 128",
		"`zoo/Cage`: at most 127 characters in keys instead of 128; at most 255 characters in values instead of 256; at most 5 tags instead of 50; values: ASCII letters and digits, instead of letters, digits, space and + - = . _ : / @",
		"`zoo`: at most 127 characters in keys instead of 128; at most 255 characters in values instead of 256; values: ASCII letters and digits, instead of letters, digits, space and + - = . _ : / @",
	}
	if diff := cmp.Diff(want, after.Narrower(before)); diff != "" {
		t.Errorf("Narrower(...): -want, +got:\n%s", diff)
	}
}

// columnsOf returns the rows with tabs for spaces.
func columnsOf(rows string) string {
	if rows == "" {
		return ""
	}

	return strings.NewReplacer(" -", "\t", " ", "\t").Replace(rows) + "\n"
}
