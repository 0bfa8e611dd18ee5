package awsmodels

import (
	_ "embed"
	"fmt"
	"strconv"
	"strings"

	"github.com/crossplane/function-sdk-go/errors"
)

// A Row has the limits of tags in requests of a service, or of tags of some of its kinds.
type Row struct {
	Limits

	// Service is the name of the folder with the service's model, such as cognito-idp.
	Service string

	// Source is the address of a document, or the model's file in botocore.
	Source string

	// Names are requests of a model, such as CreatePortfolio and TagResource, or kinds of a document. * is all kinds. After a
	// dot is the field with tags of launched resources.
	Names []string
}

// Limits are the limits of a tag's key and value, and the most tags. Zero is no limit.
type Limits struct {
	Key, Value Text
	MaxTags    int

	// Reserved is a prefix that no key may have. FoldKeys says whether the service ignores the case of keys. ReservedValues are
	// values that no tag may have, with commas between them and a * for any rest: aws:*,rds:*.
	Reserved       string
	FoldKeys       bool
	ReservedValues string
}

// A Text has the least and the greatest length of a text, and a regular expression of the whole text.
type Text struct {
	Min, Max int
	Pattern  string
}

// Models and Documents are the texts of the files beside the code: see Parse.
var (
	//go:embed models.tsv
	Models string

	//go:embed documents.tsv
	Documents string
)

const header = "# botocore %s\n" +
	"# service\tsource\trequests\tleast key\tgreatest key\tpattern of keys\tleast value\tgreatest value\tpattern of values\tmost tags\n"

// Format returns rows of models at a commit of botocore, as Parse reads them.
func Format(commit string, rows []Row) string {
	var out strings.Builder

	fmt.Fprintf(&out, header, commit)

	for _, r := range rows {
		cells := []string{r.Service, r.Source, strings.Join(r.Names, ",")}
		for _, t := range []Text{r.Key, r.Value} {
			cells = append(cells, number(t.Min), number(t.Max), t.Pattern)
		}

		out.WriteString(strings.Join(append(cells, number(r.MaxTags)), "\t") + "\n")
	}

	return out.String()
}

func number(n int) string { return strings.TrimPrefix(strconv.Itoa(n), "0") }

// Parse reads rows with a tab between two columns, as in models.tsv: service, source, names with commas between them, least length,
// greatest length and pattern of keys, the same of values, and the most tags. A reserved prefix, fold for FoldKeys, and reserved values
// may follow. It leaves out comments, which begin with #.
func Parse(text string) ([]Row, error) {
	var rows []Row

	for line := range strings.Lines(text) {
		if strings.HasPrefix(line, "#") {
			continue
		}

		c := strings.Split(strings.TrimSuffix(line, "\n")+"\t\t\t", "\t")
		if len(c) < 13 {
			return nil, errors.Errorf("%q has less than 10 columns", line)
		}

		var n [5]int

		for i, cell := range []string{c[3], c[4], c[6], c[7], c[9]} {
			var err error
			if n[i], err = strconv.Atoi("0" + cell); err != nil {
				return nil, errors.Wrapf(err, "cannot read %q", line)
			}
		}

		rows = append(rows, Row{Service: c[0], Source: c[1], Names: strings.Split(c[2], ","), Limits: Limits{
			Key: Text{n[0], n[1], c[5]}, Value: Text{n[2], n[3], c[8]}, MaxTags: n[4], Reserved: c[10], FoldKeys: c[11] == "fold", ReservedValues: c[12],
		}})
	}

	return rows, nil
}
