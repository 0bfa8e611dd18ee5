// Package awsmodels reads the limits of tags in the API models of AWS services, and makes the table of AWS's profiles
// from them. The files models.tsv and documents.tsv beside its code have the limits. See the command generate.
package awsmodels

import (
	"cmp"
	"encoding/json"
	"io/fs"
	"maps"
	"path"
	"regexp"
	"slices"
	"strings"

	"github.com/crossplane/function-sdk-go/errors"
)

// A model is the API model of a service in botocore, as far as it is about requests.
type model struct {
	Operations map[string]struct {
		Input ref `json:"input"`
	} `json:"operations"`
	Shapes map[string]*shape `json:"shapes"`
}

// A shape is a type in a model. A map has a key and a value, a list has members of one shape, and a structure has
// members by name.
type shape struct {
	Type    string         `json:"type"`
	Payload string         `json:"payload"`
	Members map[string]ref `json:"members"`

	Member ref `json:"member"`
	Key    ref `json:"key"`
	Value  ref `json:"value"`

	// Some models have 100.0.
	Min     float64 `json:"min"`
	Max     float64 `json:"max"`
	Pattern string  `json:"pattern"`
}

// A ref refers to a shape by its name.
type ref struct {
	Shape string `json:"shape"`
}

// Requests that tag a resource, and requests that make one. The name of the second has the kind: CreatePortfolio.
var (
	tagging = regexp.MustCompile(`^(Tag|AddTags|ChangeTags|CreateTags|PutBucketTagging|SetTags|UpdateTags)`)
	making  = regexp.MustCompile(`^Create([A-Z]\w*)$`)
)

// Members of requests that hold tags. In a request that makes a resource, launchedMember has the tags of launched resources.
var (
	tagMember      = regexp.MustCompile(`^(?i:tags|tags?list|tagset)$`)
	launchedMember = regexp.MustCompile(`^(?i:resourcetags)$`)
	tagMembers     = regexp.MustCompile(`^(?i:(resource)?tags|tags?list|tagset|addtags|tagsto\w+)$`)
)

// ReadModels reads the newest model of each service below botocore/data in a checkout of botocore. A row has all requests
// of a service with the same limits. For tags of launched resources, it has the request and the member:
// CreateInfrastructureConfiguration.resourceTags.
func ReadModels(checkout fs.FS) ([]Row, error) {
	files, err := fs.Glob(checkout, "botocore/data/*/*/service-2.json")
	if err != nil || len(files) == 0 {
		return nil, errors.Errorf("no models of services below botocore/data: %v", err)
	}

	newest := make(map[string]string)
	for _, file := range files { // They are sorted, and a version is a date.
		newest[path.Dir(path.Dir(file))] = file
	}

	var rows []Row

	for _, file := range slices.Sorted(maps.Values(newest)) {
		var m model

		b, err := fs.ReadFile(checkout, file)
		if err == nil {
			err = json.Unmarshal(b, &m)
		}

		if err != nil {
			return nil, errors.Wrapf(err, "cannot read %s", file)
		}

		rows = append(rows, m.rows(file)...)
	}

	return rows, nil
}

// rows returns the rows of the model in the file.
func (m *model) rows(file string) []Row {
	requests := make(map[Limits][]string)

	for _, name := range slices.Sorted(maps.Keys(m.Operations)) {
		members := tagMember
		if tagging.MatchString(name) {
			members = tagMembers
		} else if !making.MatchString(name) {
			continue
		}

		input := m.Shapes[m.Operations[name].Input.Shape]
		if input == nil {
			continue
		}

		structures := []*shape{input}
		if input.Payload != "" {
			structures = append(structures, m.Shapes[input.Members[input.Payload].Shape])
		}

		for _, s := range structures {
			for _, member := range slices.Sorted(maps.Keys(s.Members)) {
				request := name

				switch {
				case members.MatchString(member):
				case launchedMember.MatchString(member):
					request += "." + member
				default:
					continue
				}

				if limits, ok := m.limits(m.Shapes[s.Members[member].Shape]); ok {
					requests[limits] = append(requests[limits], request)
				}
			}
		}
	}

	var rows []Row
	for limits, names := range requests {
		rows = append(rows, Row{Service: path.Base(path.Dir(path.Dir(file))), Source: file, Names: names, Limits: limits})
	}

	slices.SortFunc(rows, func(a, b Row) int { return cmp.Compare(a.Names[0], b.Names[0]) })

	return rows
}

// limits returns the limits of the tags in a map, in a list of keys and values, or in a structure that has such a list.
func (m *model) limits(tags *shape) (Limits, bool) {
	switch tags.Type {
	case "map":
		return Limits{Key: m.text(tags.Key.Shape), Value: m.text(tags.Value.Shape), MaxTags: int(tags.Max)}, true
	case "list":
		l := Limits{MaxTags: int(tags.Max)}

		for name, member := range m.Shapes[tags.Member.Shape].Members {
			switch name = strings.ToLower(name); {
			case strings.HasSuffix(name, "key"):
				l.Key = m.text(member.Shape)
			case strings.HasSuffix(name, "value"):
				l.Value = m.text(member.Shape)
			}
		}

		return l, len(m.Shapes[tags.Member.Shape].Members) > 0
	}

	for _, member := range tags.Members {
		if s := m.Shapes[member.Shape]; s.Type == "list" {
			return m.limits(s)
		}
	}

	return Limits{}, false
}

func (m *model) text(name string) Text {
	s := m.Shapes[name]
	return Text{Min: int(s.Min), Max: int(s.Max), Pattern: s.Pattern}
}
