// Command generate writes the table of AWS's profiles, awslimits.go, from the files in awsmodels and
// the index of tag fields.
//
// With -botocore, it first reads the API models of AWS services in a checkout of https://github.com/boto/botocore, and
// writes awsmodels/models.tsv. It prints the limits that became narrower, one in a line.
//
//	go run ./awsmodels/generate -botocore ../../../botocore -commit 0e6e2404b85dc336dd2889814e089bde7d1a4c55
package main

import (
	"flag"
	"fmt"
	"os"

	"github.com/plexsphere/function-cloud-tags/tags/profile/awsmodels"
)

func main() {
	checkout := flag.String("botocore", "", "folder of the checkout")
	commit := flag.String("commit", "", "commit of the checkout")
	flag.Parse()

	models := awsmodels.Models

	table, err := awsmodels.NewTable(models, awsmodels.Documents)
	check(err)

	if *checkout != "" {
		rows, err := awsmodels.ReadModels(os.DirFS(*checkout))
		check(err)

		models = awsmodels.Format(*commit, rows)
		write("awsmodels/models.tsv", []byte(models))

		before := table
		table, err = awsmodels.NewTable(models, awsmodels.Documents)
		check(err)

		for _, line := range table.Narrower(before) {
			_, err = fmt.Fprintln(os.Stdout, line)
			check(err)
		}
	}

	text, err := table.Go(models)
	check(err)
	write("awslimits.go", text)
}

func write(file string, text []byte) {
	check(os.WriteFile(file, text, 0o644)) //nolint:gosec // Not secret.
}

func check(err error) {
	if err != nil {
		fmt.Fprintln(os.Stderr, "cannot generate the table of AWS's profiles:", err)
		os.Exit(1)
	}
}
