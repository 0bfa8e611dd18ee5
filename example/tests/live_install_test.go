package tests

import (
	"context"
	"fmt"
	"os/exec"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/plexsphere/function-cloud-tags/example/internal/live"
)

// The function is upgraded while XRs reconcile. No resource lacks a tag at any time, and what changes
// after the upgrade is done by the second build.
func testUpgrade(c live.Test) {
	ctx := c.T.Context()

	fleet, err := c.NewFleet(ctx, live.FleetOptions{Name: "upgrade", XRs: 10, Resources: bucket + vpc + group, Input: fieldLabels})
	if err != nil {
		c.T.Fatal(err)
	}

	tags := func(build string) live.Tags {
		return live.Always(map[string]string{"plexsphere:env": "prod", "plexsphere:build": build})
	}
	whole := live.NewWhole(func(key string) bool { return strings.HasPrefix(key, "plexsphere:") }, tags("first"))
	failures := make(map[string]int)

	watcher, err := c.Watch(ctx, func(before, after *unstructured.Unstructured) error {
		if after != nil && after.GetKind() == fleet.XRs[0].GetKind() {
			failures[notSynced(after)]++
		}

		return whole.Check(before, after)
	}, append(fleet.Kinds(), fleet.XRs[0])...)
	if err != nil {
		c.T.Fatal(err)
	}
	defer watcher.Stop()

	tagged := func(build string) {
		c.T.Helper()

		if err := fleet.Label(ctx, object{"env": "prod", "build": build}); err != nil {
			c.T.Fatal(err)
		}

		if err := fleet.Converged(ctx, whole.Objection); err != nil {
			c.T.Fatal(err)
		}
	}

	tagged("first")

	stop := keepTouching(c.T, fleet)

	// It serves the tests that follow, too.
	if err := c.InstallFunction(context.WithoutCancel(ctx), "v0.2.0"); err != nil {
		c.T.Fatal(err)
	}

	whole.Change(tags("second"))
	tagged("second")
	stop()

	if err := watcher.Err(ctx); err != nil {
		c.T.Error(err)
	}

	// Crossplane calls nobody until it knows the second build's address and capabilities.
	for message := range failures {
		if strings.Contains(message, "fatal result") {
			c.T.Errorf("an XR is told: %s", message)
		}
	}

	wantSynced(c, fleet)
	wantSecondBuild(c)
	wantInputCRD(c)
}

// keepTouching all XRs of a fleet until the returned function is called.
func keepTouching(t *testing.T, fleet *live.Fleet) (stop func()) {
	t.Helper()

	var (
		touching sync.WaitGroup
		stopped  = make(chan struct{})
		again    = time.NewTicker(time.Second / 2)
	)

	touching.Go(func() {
		for {
			if err := fleet.Touch(t.Context()); err != nil {
				t.Error(err)
			}

			select {
			case <-stopped:
				return
			case <-again.C:
			}
		}
	})

	return func() { close(stopped); touching.Wait() }
}

// notSynced says why an XR isn't, if so.
func notSynced(xr *unstructured.Unstructured) string {
	for _, condition := range live.Field[array](xr, "status", "conditions") {
		if condition, _ := condition.(object); condition["type"] == "Synced" && condition["status"] == "False" {
			message, _ := condition["message"].(string)
			return message
		}
	}

	return ""
}

func wantSynced(c live.Test, fleet *live.Fleet) {
	c.T.Helper()
	live.Eventually(c.T, func() error {
		for _, xr := range fleet.XRs {
			got, err := c.ClientFor(xr).Get(c.T.Context(), xr.GetName(), metav1.GetOptions{})
			if err != nil {
				return err
			}

			if message := notSynced(got); message != "" {
				return fmt.Errorf("%s isn't synced: %s", xr.GetName(), message)
			}
		}

		return nil
	})
}

// wantSecondBuild wants the second build to be called, and its revision to be the active one.
func wantSecondBuild(c live.Test) {
	c.T.Helper()

	out, err := exec.CommandContext(c.T.Context(), c.Function, "--version").Output()
	if err != nil || string(out) != "v0.2.0 live\n" {
		c.T.Errorf("--version of what is in the package says %q, %v", out, err)
	}

	metrics, err := c.Metrics(c.T.Context())
	if err != nil {
		c.T.Fatal(err)
	}

	if !strings.Contains(metrics, "\ngrpc_server_handled_total{grpc_code=\"OK\",grpc_method=\"RunFunction\"") {
		c.T.Errorf("the second build was not called:\n%s", metrics)
	}

	revisions, err := c.ClientFor(live.Parse(c.T, "{apiVersion: pkg.crossplane.io/v1, kind: FunctionRevision}")).List(
		c.T.Context(), metav1.ListOptions{LabelSelector: "pkg.crossplane.io/package=function-cloud-tags"})
	if err != nil {
		c.T.Fatal(err)
	}

	got := make(map[int64]string)
	for _, r := range revisions.Items {
		got[live.Field[int64](&r, "spec", "revision")] = live.Field[string](&r, "spec", "desiredState")
	}

	if diff := cmp.Diff(map[int64]string{1: "Inactive", 2: "Active"}, got); diff != "" {
		c.T.Errorf("revisions: -want, +got:\n%s", diff)
	}
}

// wantInputCRD wants the package's CRD to be installed if Crossplane installs CRDs of functions.
func wantInputCRD(c live.Test) {
	c.T.Helper()

	crd := live.Parse(c.T, "{apiVersion: apiextensions.k8s.io/v1, kind: CustomResourceDefinition}")

	_, err := c.ClientFor(crd).Get(c.T.Context(), "cloudtags.cloudtags.fn.plexsphere.com", metav1.GetOptions{})
	if installed, want := err == nil, c.Release == live.V1; installed != want || err != nil && !apierrors.IsNotFound(err) {
		c.T.Errorf("that there is the CRD of the input is %t, want %t: %v", installed, want, err)
	}
}
