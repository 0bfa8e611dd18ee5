package resolve

import (
	"iter"
	"maps"

	"github.com/plexsphere/function-cloud-tags/input/v1beta1"
	"github.com/plexsphere/function-cloud-tags/tags/object"
)

// value sources take labels from the input itself.
var value = sourceType{
	written: func(s *v1beta1.Source) iter.Seq[string] { return maps.Keys(s.Values) },
	find: func(_ *resolver, s *v1beta1.Source) ([]labels, error) {
		if len(s.Values) == 0 {
			return nil, &absence{note: "values is empty"}
		}

		out := make(labels, len(s.Values))
		for key, text := range s.Values {
			out[key] = found{Node: object.TextNode(text), path: "values", key: key}
		}

		return []labels{out}, nil
	},
	title: func(*resolver, *v1beta1.Source) string { return "the input" },
}
