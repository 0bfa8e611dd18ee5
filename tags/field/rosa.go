package field

// rosa is dormullor/provider-rosa. A cluster's tags are those of what it has in AWS.
var rosa = family{
	Family: Family{Name: "rosa", Profile: "aws"},
	fields: []*candidate{at("tags", "tags")},
}
