package engine

import (
	"bytes"
	"errors"
	"fmt"

	"sigs.k8s.io/yaml"
)

// Print an output as crossplane composition render --include-function-results does.
func (o *Output) Print() (string, error) {
	objects := []map[string]any{o.Composite.Object}

	for _, c := range o.Composed {
		objects = append(objects, c.Object)
	}

	for _, r := range o.Results {
		objects = append(objects, map[string]any{
			"apiVersion": "render.crossplane.io/v1beta1",
			"kind":       "Result",
			"severity":   r.Severity,
			"reason":     r.Reason,
			"message":    r.Message,
		})
	}

	var out bytes.Buffer

	for _, object := range objects {
		text, err := yaml.Marshal(object)
		if err != nil {
			return "", err
		}

		_, _ = fmt.Fprintf(&out, "---\n%s", text)
	}

	return out.String(), nil
}

// PrintError prints an error as crossplane composition render does, if it is one of the
// pipeline.
func PrintError(err error) (string, bool) {
	if fatal := (&FatalError{}); !errors.As(err, &fatal) {
		return "", false
	}

	// The command line tool calls Crossplane, which says the same.
	const prefix = "crossplane: error: cannot render composite resource: "

	return prefix + "crossplane internal render: pipeline returned fatal: " + prefix + "cannot compose resources: " + err.Error() + "\n", true
}
