package serve

import (
	"context"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"
)

func TestFreeing(t *testing.T) {
	cases := map[string]struct {
		reason string

		// calls are when a call ends, and freed when memory should be given back.
		calls, freed []time.Duration
	}{
		"NoCall":     {reason: "What the start needed should be given back.", freed: []time.Duration{time.Minute}},
		"OneCall":    {reason: "A call needs memory, and is waited for.", calls: []time.Duration{30 * time.Second}, freed: []time.Duration{90 * time.Second}},
		"Busy":       {reason: "As long as there are calls, memory is needed.", calls: []time.Duration{30 * time.Second, 80 * time.Second, 130 * time.Second}, freed: []time.Duration{190 * time.Second}},
		"IdleBusily": {reason: "Each time there are no calls, memory should be given back once.", calls: []time.Duration{2 * time.Minute}, freed: []time.Duration{time.Minute, 3 * time.Minute}},
	}

	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				var (
					got   []time.Duration
					mutex sync.Mutex
				)

				begin := time.Now()
				intercept := freeing(time.Minute, func() {
					mutex.Lock()
					defer mutex.Unlock()

					got = append(got, time.Since(begin))
				})

				for _, at := range tc.calls {
					rsp, err := intercept(t.Context(), "request", nil, func(_ context.Context, req any) (any, error) {
						time.Sleep(at - time.Since(begin))
						return req, nil
					})
					if rsp != "request" || err != nil {
						t.Fatalf("the call should be handled, got %v, %v", rsp, err)
					}
				}

				time.Sleep(10 * time.Minute)
				synctest.Wait()
				mutex.Lock()
				defer mutex.Unlock()

				if diff := cmp.Diff(tc.freed, got); diff != "" {
					t.Errorf("\n%s\nfreeing(...): -want, +got:\n%s", tc.reason, diff)
				}
			})
		})
	}
}
