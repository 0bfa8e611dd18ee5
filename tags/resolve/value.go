package resolve

import (
	"github.com/plexsphere/function-cloud-tags/input/v1beta1"
	"github.com/plexsphere/function-cloud-tags/tags/object"
)

// valueSources take labels from the input itself.
var valueSources = sourceType{
	find: func(_ *resolver, s *v1beta1.Source) ([]foundLabels, error) {
		if len(s.Values) == 0 {
			return nil, &absence{note: "values is empty"}
		}

		out := make(foundLabels, len(s.Values))
		for key, text := range s.Values {
			out[key] = foundValue{Node: object.TextNode(text), path: "values", key: key}
		}

		return []foundLabels{out}, nil
	},
	title: func(*resolver, *v1beta1.Source) string { return "the input" },
}
