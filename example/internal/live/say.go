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

// Say waits until each XR was reconciled as it is now, and has the condition with the status and with a message that
// contains the text.
func (f *Fleet) Say(ctx context.Context, condition, status, text string) error {
	var last error

	since := make(map[string]int64, len(f.XRs))
	err := wait.PollUntilContextTimeout(ctx, fleetInterval, sayWithin, true, func(ctx context.Context) (bool, error) {
		if err := f.unsaid(ctx, since, condition, status, text); ctx.Err() == nil {
			last = err
		}

		return last == nil, nil
	})

	return errors.Join(err, last)
}

// unsaid returns an error for XRs that don't say a text. It notes the first generation of each XR in since.
func (f *Fleet) unsaid(ctx context.Context, since map[string]int64, condition, status, text string) error {
	list, err := f.ClientFor(f.XRs[0]).List(ctx, metav1.ListOptions{})
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
		if c := ConditionOf(now, condition); c.Status != status || !strings.Contains(c.Message, text) || at < since[xr.GetName()] {
			errs = append(errs, fmt.Errorf("%s of %s is %s and says %q for generation %d, want %s and %q for %d or later",
				condition, xr.GetName(), c.Status, c.Message, at, status, text, since[xr.GetName()]))
		}
	}

	return few(errs)
}
