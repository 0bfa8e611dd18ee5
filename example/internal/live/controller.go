package live

import (
	"context"
	"fmt"
	"os"
	"path/filepath"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/plexsphere/function-cloud-tags/example/internal/process"
	"github.com/plexsphere/function-cloud-tags/example/internal/tool"
)

// A Controller is a program that others wrote. It makes resources in a cloud.
type Controller struct {
	// Tool is its name in .ci/tools.
	Tool string `json:"tool"`

	// CRDs are patterns of files in the module of a package that the tool is built from.
	CRDs   []string `json:"crds"`
	Source string   `json:"source"`

	Args []string `json:"args"`
	Env  []string `json:"env"`
}

// StartController establishes the kinds of a controller, applies what it is configured with, and starts it.
func (c *Cluster) StartController(ctx context.Context, o Controller, configs ...*unstructured.Unstructured) error {
	binary, err := tool.Build(ctx, c.root, o.Tool)
	if err != nil {
		return err
	}

	definitions, err := c.definitions(ctx, o)
	if err != nil {
		return err
	}

	if err := c.establish(ctx, definitions); err != nil {
		return err
	}

	// A kind is served a moment after it is established.
	if err := process.Eventually(ctx, func(ctx context.Context) error { return c.Apply(ctx, "test", configs...) }); err != nil {
		return err
	}

	p := process.Program{Name: o.Tool, Binary: binary, Dir: c.dir, Args: o.Args, Env: append(o.Env, "KUBECONFIG="+c.kubeconfig())}

	return c.start(ctx, p, func(context.Context) error { return nil })
}

// definitions of the kinds of a controller.
func (c *Cluster) definitions(ctx context.Context, o Controller) ([]*unstructured.Unstructured, error) {
	source, err := tool.Source(ctx, c.root, o.Tool, o.Source)
	if err != nil {
		return nil, err
	}

	var out []*unstructured.Unstructured

	for _, pattern := range o.CRDs {
		files, err := filepath.Glob(filepath.Join(source, pattern))
		if err == nil && len(files) == 0 {
			err = fmt.Errorf("%s has no files %s", source, pattern)
		}

		if err != nil {
			return nil, err
		}

		for _, file := range files {
			text, err := os.ReadFile(file)
			if err != nil {
				return nil, err
			}

			definition, err := parse(string(text))
			if err != nil {
				return nil, fmt.Errorf("%s: %w", file, err)
			}

			out = append(out, definition)
		}
	}

	return out, nil
}
