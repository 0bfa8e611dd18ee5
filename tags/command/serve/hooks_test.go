package serve

import (
	"cmp"
	"context"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	gocmp "github.com/google/go-cmp/cmp"
	"google.golang.org/grpc"
	healthv1 "google.golang.org/grpc/health/grpc_health_v1"

	fnv1 "github.com/crossplane/function-sdk-go/proto/v1"
	"github.com/crossplane/function-sdk-go/proto/v1beta1"
)

func TestFreeing(t *testing.T) {
	cases := map[string]struct {
		reason string

		// calls of the method end at these times, and memory is given back at those in freed.
		method       string
		calls, freed []time.Duration
	}{
		"NoCall":     {reason: "What the start needed should be given back.", freed: []time.Duration{time.Minute}},
		"OneCall":    {reason: "A call needs memory, and is waited for.", calls: []time.Duration{30 * time.Second}, freed: []time.Duration{90 * time.Second}},
		"Busy":       {reason: "As long as there are calls, memory is needed.", calls: []time.Duration{30 * time.Second, 80 * time.Second, 130 * time.Second}, freed: []time.Duration{190 * time.Second}},
		"IdleBusily": {reason: "Each time there are no calls, memory should be given back once.", calls: []time.Duration{2 * time.Minute}, freed: []time.Duration{time.Minute, 3 * time.Minute}},
		"Beta":       {reason: "Crossplane before v1.17 calls, too.", method: v1beta1.FunctionRunnerService_RunFunction_FullMethodName, calls: []time.Duration{30 * time.Second}, freed: []time.Duration{90 * time.Second}},
		"Probes":     {reason: "A kubelet that asks for health needs no memory.", method: healthv1.Health_Check_FullMethodName, calls: []time.Duration{30 * time.Second, 80 * time.Second}, freed: []time.Duration{time.Minute}},
	}

	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				var (
					got   []time.Duration
					mutex sync.Mutex
				)

				info := &grpc.UnaryServerInfo{FullMethod: cmp.Or(tc.method, fnv1.FunctionRunnerService_RunFunction_FullMethodName)}
				begin := time.Now()
				intercept := freeing(time.Minute, func() {
					mutex.Lock()
					defer mutex.Unlock()

					got = append(got, time.Since(begin))
				})

				for _, at := range tc.calls {
					rsp, err := intercept(t.Context(), "request", info, func(_ context.Context, req any) (any, error) {
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

				if diff := gocmp.Diff(tc.freed, got); diff != "" {
					t.Errorf("\n%s\nfreeing(...): -want, +got:\n%s", tc.reason, diff)
				}
			})
		})
	}
}
