package live

import (
	"context"
	"fmt"
	"strings"
	"syscall"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/plexsphere/function-cloud-tags/example/internal/functions"
	"github.com/plexsphere/function-cloud-tags/example/internal/process"
)

// InstallFunction installs a version of the function's package, or upgrades to it. Crossplane pulls it from the registry and makes a revision of it. The cluster has no nodes:
// what is in the revision's image is run here, and what runs before is told to end once this is
// installed. Both write to the same log, and end with the cluster or their contexts, whatever comes first.
func (c *Cluster) InstallFunction(ctx context.Context, version string) error {
	image, err := c.Push(ctx, version)
	if err != nil {
		return err
	}

	function := ofPackage("Function", functions.CloudTags)
	function.Object["spec"] = object{"package": image}

	if err := c.Apply(ctx, "user", function); err != nil {
		return err
	}

	revision, err := c.activeRevision(ctx, image)
	if err != nil {
		return err
	}

	before := c.Part(functions.CloudTags)

	address, err := c.runFunction(ctx, revision)
	if err != nil {
		return err
	}

	if err := c.serve(ctx, revision.GetName(), address); err != nil {
		return err
	}

	if err := c.installed(ctx); err != nil || before == nil {
		return err
	}

	return before.Stop(ctx, syscall.SIGTERM)
}

// ofPackage is an object of the package manager.
func ofPackage(kind, name string) *unstructured.Unstructured {
	o := &unstructured.Unstructured{}
	o.SetAPIVersion("pkg.crossplane.io/v1")
	o.SetKind(kind)
	o.SetName(name)

	return o
}

// activeRevision of the function that Crossplane has made, or makes soon, of an image.
func (c *Cluster) activeRevision(ctx context.Context, image string) (*unstructured.Unstructured, error) {
	var revision *unstructured.Unstructured

	err := process.Eventually(ctx, func(ctx context.Context) error {
		f, err := c.function(ctx)
		if err != nil {
			return err
		}

		revisions, err := c.ClientFor(ofPackage("FunctionRevision", "")).List(ctx, metav1.ListOptions{LabelSelector: "pkg.crossplane.io/package=" + f.GetName()})
		if err != nil {
			return err
		}

		for _, r := range revisions.Items {
			if Field[string](&r, "spec", "image") == image && Field[string](&r, "spec", "desiredState") == "Active" {
				revision = &r
				return nil
			}
		}

		return fmt.Errorf("there is no active revision of %s: %v", image, f.Object["status"])
	})

	return revision, err
}

func (c *Cluster) function(ctx context.Context) (*unstructured.Unstructured, error) {
	f := ofPackage("Function", functions.CloudTags)
	return c.ClientFor(f).Get(ctx, f.GetName(), metav1.GetOptions{})
}

// runFunction runs what is in the image of a revision, and returns where it serves.
func (c *Cluster) runFunction(ctx context.Context, revision *unstructured.Unstructured) (address string, err error) {
	if c.Function, err = c.pull(ctx, Field[string](revision, "spec", "image")); err != nil {
		return "", fmt.Errorf("cannot pull the function: %w", err)
	}

	p := process.Program{Name: functions.CloudTags, Binary: c.Function, Dir: c.dir}

	err = c.listening(ctx, 2, func(ports []int) error {
		address = fmt.Sprintf("%s:%d", host, ports[0])
		c.metrics = fmt.Sprintf("http://127.0.0.1:%d/metrics", ports[1])

		p.Args = []string{
			"serve",
			fmt.Sprintf("--address=127.0.0.1:%d", ports[0]),
			fmt.Sprintf("--metrics-address=127.0.0.1:%d", ports[1]),
			"--tls-certs-dir=" + secretServer,
		}

		return c.start(ctx, p, func(ctx context.Context) error {
			_, err := c.Metrics(ctx)
			return err
		})
	})

	return address, err
}

// address is where the function serves.
func (c *Cluster) address() string {
	for _, arg := range c.Part(functions.CloudTags).Args {
		if address, ok := strings.CutPrefix(arg, "--address=127.0.0.1"); ok {
			return host + address
		}
	}

	return ""
}

// serve writes to a revision that it runs, and its address, as a package runtime does. Crossplane
// since v2 also waits for a certificate.
func (c *Cluster) serve(ctx context.Context, revision, address string) error {
	status := object{"endpoint": address, "conditions": array{object{
		"type":               "RuntimeHealthy",
		"status":             "True",
		"reason":             "HealthyPackageRevision",
		"lastTransitionTime": time.Now().UTC().Format(time.RFC3339),
	}}}
	if c.Release != V1 {
		status["tlsServerSecretName"] = secretServer
	}

	r := ofPackage("FunctionRevision", revision)
	r.Object["status"] = status

	return c.ApplyStatus(ctx, "runtime", r)
}

// installed waits until Crossplane says that the function is installed, and healthy.
func (c *Cluster) installed(ctx context.Context) error {
	return process.Eventually(ctx, func(ctx context.Context) error {
		f, err := c.function(ctx)
		if err == nil && (ConditionOf(f, "Installed").Status != "True" || ConditionOf(f, "Healthy").Status != "True") {
			err = fmt.Errorf("the function is not installed: %v", f.Object["status"])
		}

		return err
	})
}
