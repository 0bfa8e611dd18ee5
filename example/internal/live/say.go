package live

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/util/wait"
)

// sayWithin is how long a fleet's XRs may take to have a condition. Crossplane waits two minutes for
// a function that it can't connect to, for a hundred XRs at a time.
const sayWithin = 10 * time.Minute

// Say waits until each XR has a condition with the status, whose message has a text, after it was
// reconciled as it is now.
func (f *Fleet) Say(ctx context.Context, of, is, text string) error {
	var last error

	since := make(map[string]int64, len(f.XRs))
	err := wait.PollUntilContextTimeout(ctx, fleetInterval, sayWithin, true, func(ctx context.Context) (bool, error) {
		if err := f.unsaid(ctx, since, of, is, text); ctx.Err() == nil {
			last = err
		}

		return last == nil, nil
	})

	return errors.Join(err, last)
}

// unsaid objects to XRs that don't say a text. It notes which generation an XR has first.
func (f *Fleet) unsaid(ctx context.Context, since map[string]int64, of, is, text string) error {
	list, err := f.Of(f.XRs[0]).List(ctx, metav1.ListOptions{})
	if err != nil {
		return fmt.Errorf("cannot list XRs: %w", err)
	}

	found := make(map[string]*unstructured.Unstructured, len(list.Items))
	for i := range list.Items {
		found[list.Items[i].GetName()] = &list.Items[i]
	}

	var errs []error

	for _, xr := range f.XRs {
		now := found[xr.GetName()]
		if now == nil {
			errs = append(errs, fmt.Errorf("there is no XR %s", xr.GetName()))
			continue
		}

		if since[xr.GetName()] == 0 {
			since[xr.GetName()] = now.GetGeneration()
		}

		at := ConditionOf(now, "Synced").ObservedGeneration // Conditions of functions don't say it.
		if c := ConditionOf(now, of); c.Status != is || !strings.Contains(c.Message, text) || at < since[xr.GetName()] {
			errs = append(errs, fmt.Errorf("%s of %s is %s and says %q for generation %d, want %s and %q for %d or later",
				of, xr.GetName(), c.Status, c.Message, at, is, text, since[xr.GetName()]))
		}
	}

	return few(errs)
}
