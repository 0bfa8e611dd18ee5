package live

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"sync"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/wait"
)

const (
	// atOnce is how many XRs of a fleet are written at once.
	atOnce = 16

	// A fleet is looked at so often, and given up when nothing gets better for so long.
	fleetInterval = time.Second
	fleetStalled  = 3 * time.Minute
)

// FleetOptions say what a fleet is.
type FleetOptions struct {
	// Name of the Composition. The XRs' names begin with it.
	Name string

	// XRs is how many there are.
	XRs int

	// Resources of each, and the input of the function, as NewStack has them.
	Resources string
	Input     string
}

// A Fleet is many XRs of one Composition.
type Fleet struct {
	*Cluster

	XRs []*unstructured.Unstructured

	// bases of the resources that each is composed of, by name.
	bases map[string]*unstructured.Unstructured

	touched int
}

// NewFleet makes the Composition of a fleet. Its XRs are made as soon as they are labeled.
func (c *Cluster) NewFleet(ctx context.Context, o FleetOptions) (*Fleet, error) {
	bases, err := c.compose(ctx, kindStack, o.Name, o.Resources, o.Input)
	if err != nil {
		return nil, err
	}

	f := &Fleet{Cluster: c, bases: bases}
	for i := range o.XRs {
		f.XRs = append(f.XRs, c.stack(kindStack, fmt.Sprintf("%s-%04d", o.Name, i), o.Name))
	}

	return f, nil
}

// Label gives all XRs these labels, and no others. After an error it can be called again, and labels
// all XRs again.
func (f *Fleet) Label(ctx context.Context, labels map[string]any) error {
	return f.each(func(xr *unstructured.Unstructured) error { return f.applyLabels(ctx, xr, labels) })
}

// Touch all XRs, which makes Crossplane reconcile them.
func (f *Fleet) Touch(ctx context.Context) error {
	f.touched++
	patch := fmt.Appendf(nil, `{"spec":{"reconciled":%d}}`, f.touched)

	return f.each(func(xr *unstructured.Unstructured) error {
		_, err := f.ClientFor(xr).Patch(ctx, xr.GetName(), types.MergePatchType, patch, metav1.PatchOptions{FieldManager: "test"})
		return err
	})
}

// each XR, several at once. It returns the first errors.
func (f *Fleet) each(do func(xr *unstructured.Unstructured) error) error {
	var (
		group sync.WaitGroup
		free  = make(chan struct{}, atOnce)
		errs  = make([]error, len(f.XRs))
	)

	for i, xr := range f.XRs {
		free <- struct{}{}

		group.Go(func() {
			errs[i] = do(xr)

			<-free
		})
	}

	group.Wait()

	return few(slices.DeleteFunc(errs, func(err error) bool { return err == nil }))
}

// Kinds of the composed resources: objects without names.
func (f *Fleet) Kinds() []*unstructured.Unstructured {
	kinds := make(map[string]*unstructured.Unstructured)

	for _, b := range f.bases {
		kind := &unstructured.Unstructured{}
		kind.SetGroupVersionKind(b.GroupVersionKind())
		kind.SetNamespace(f.XRs[0].GetNamespace())
		kinds[kind.GroupVersionKind().String()] = kind
	}

	out := make([]*unstructured.Unstructured, 0, len(kinds))
	for _, k := range slices.Sorted(maps.Keys(kinds)) {
		out = append(out, kinds[k])
	}

	return out
}

// Resources of all XRs, and of others that have the same kinds.
func (f *Fleet) Resources(ctx context.Context) ([]*unstructured.Unstructured, error) {
	var out []*unstructured.Unstructured

	for _, kind := range f.Kinds() {
		list, err := f.ClientFor(kind).List(ctx, metav1.ListOptions{})
		if err != nil {
			return nil, fmt.Errorf("cannot list objects of kind %s: %w", kind.GetKind(), err)
		}

		for i := range list.Items {
			out = append(out, &list.Items[i])
		}
	}

	return out, nil
}

// Converged waits until nobody objects to any resource of any XR, and each XR has all of
// its own. It gives up when that gets no better for minutes.
func (f *Fleet) Converged(ctx context.Context, objection func(name string, r *unstructured.Unstructured) error) error {
	return f.ConvergedIn(ctx, f.Resources, objection)
}

// ConvergedIn is Converged of resources that are read in another way.
func (f *Fleet) ConvergedIn(
	ctx context.Context,
	read func(context.Context) ([]*unstructured.Unstructured, error),
	objection func(name string, r *unstructured.Unstructured) error,
) error {
	var (
		last   error
		least  = len(f.XRs)*len(f.bases) + 1
		better = time.Now()
	)

	err := wait.PollUntilContextCancel(ctx, fleetInterval, true, func(ctx context.Context) (bool, error) {
		resources, err := read(ctx)

		objections := []error{err}
		if err == nil {
			objections = f.objections(resources, objection)
		}

		if n := len(objections); err == nil && n < least {
			least, better = n, time.Now()
		}

		last = few(objections)

		if last != nil && time.Since(better) > fleetStalled {
			return false, fmt.Errorf("nothing gets better for %s", fleetStalled)
		}

		return last == nil, nil
	})

	return errors.Join(err, last)
}

// objections to resources of the fleet, and those that it lacks.
func (f *Fleet) objections(resources []*unstructured.Unstructured, objection func(string, *unstructured.Unstructured) error) []error {
	found := make(map[[2]string]*unstructured.Unstructured, len(resources))
	for _, r := range resources {
		found[[2]string{r.GetLabels()["crossplane.io/composite"], composedName(r)}] = r
	}

	var out []error

	for _, xr := range f.XRs {
		for _, name := range slices.Sorted(maps.Keys(f.bases)) {
			r := found[[2]string{xr.GetName(), name}]

			err := errors.New("isn't there")
			if r != nil {
				err = objection(name, r)
			}

			if err != nil {
				out = append(out, fmt.Errorf("%s of %s: %w", name, xr.GetName(), err))
			}
		}
	}

	return out
}

// composedName returns the name of a resource in its Composition, or nothing if it isn't composed.
func composedName(r *unstructured.Unstructured) string {
	return r.GetAnnotations()["crossplane.io/composition-resource-name"]
}

// few returns the first of many errors, and how many more there are.
func few(errs []error) error {
	const limit = 5
	if len(errs) <= limit {
		return errors.Join(errs...)
	}

	return fmt.Errorf("%w\nand %d more", errors.Join(errs[:limit]...), len(errs)-limit)
}
