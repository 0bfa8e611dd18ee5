package tests

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"time"

	"github.com/google/go-cmp/cmp"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/plexsphere/function-cloud-tags/example/internal/live"
)

// Crossplane has the circuit breaker that it has by default. An edit alone reaches tags at once. If edits come once a second, the breaker
// opens, and the last edit waits for the ttl.
func testBreaker(c live.Test) {
	const (
		resources = 5
		ttl       = 15 * time.Second
		mostEdits = 20
	)

	defer restartWithoutBreakerFlags(c)()

	bases := &strings.Builder{}
	for i := range resources {
		fmt.Fprintf(bases, "- {name: bucket-%d, base: {apiVersion: s3.aws.m.upbound.io/v1beta1, kind: Bucket, spec: {forProvider: {}}}}\n", i)
	}

	s := c.NewStack("breaker", bases.String(), fmt.Sprintf("ttl: %s\n", ttl)+fieldLabels)
	edit := func(n int) { s.Label(object{"edit": strconv.Itoa(n)}) }
	want := func(n int) {
		c.T.Helper()

		for i := range resources {
			s.Want(fmt.Sprintf("bucket-%d", i), ofTags, object{"plexsphere:edit": strconv.Itoa(n)})
		}
	}

	edit(0)
	want(0)
	checkOneEdit(c, s, resources, func() { edit(1); want(1) })

	n := 2
	for ; live.ConditionOf(s.Get(), "Responsive").Reason != "WatchCircuitOpen"; n++ {
		if n > mostEdits {
			c.T.Fatalf("the circuit breaker should open when an XR is edited once a second, but stays closed for %d edits", n)
		}

		edit(n)
		time.Sleep(time.Second)
	}

	c.T.Logf("the circuit breaker opens after %d edits, one a second", n-2)
	s.WantCondition("Responsive", "False", "WatchCircuitOpen")
	edit(n)
	time.Sleep(ttl / 5)

	if s.Objection("bucket-0", ofTags, object{"plexsphere:edit": strconv.Itoa(n)}) == nil {
		c.T.Error("an edit should wait while the circuit breaker is open, but reaches tags at once")
	}

	want(n)
}

// restartWithoutBreakerFlags starts Crossplane again with its default circuit breaker, until the function that it returns is called.
func restartWithoutBreakerFlags(c live.Test) (restore func()) {
	c.T.Helper()

	crossplane := c.Part(live.Crossplane)
	args := crossplane.Args

	restart := func(args []string) {
		crossplane.Args = args
		if err := crossplane.Restart(c.T.Context(), syscall.SIGTERM); err != nil {
			c.T.Fatal(err)
		}
	}

	restart(slices.DeleteFunc(slices.Clone(args), func(arg string) bool { return strings.HasPrefix(arg, "--circuit-breaker") }))

	return func() { restart(args) }
}

// checkOneEdit counts the versions of the XR and of its buckets that are stored because of one edit. Each bucket is stored once, and the
// condition of the function stays as it is: all other versions are the user's and Crossplane's own.
func checkOneEdit(c live.Test, s *live.Stack, buckets int, edit func()) {
	c.T.Helper()

	const quiet = 5 * time.Second // No version follows so late.

	versions := make(map[string]int)

	time.Sleep(quiet)

	watcher, err := c.Watch(c.T.Context(), func(before, after *unstructured.Unstructured) error {
		versions[after.GetKind()]++

		if before == nil || after.GetKind() != s.XR.GetKind() {
			return nil
		}

		return live.Differs(live.ConditionOf(before, "CloudTagsPropagated"), live.ConditionOf(after, "CloudTagsPropagated"))
	}, s.XR, s.Resource("bucket-0"))
	if err != nil {
		c.T.Fatal(err)
	}

	edit()
	time.Sleep(quiet)

	err = watcher.Err(c.T.Context())
	watcher.Stop()

	if err != nil {
		c.T.Error(err)
	}

	xr := versions[s.XR.GetKind()]
	c.T.Logf("one edit stores %d versions of the XR, one of them by the user, and %d of %d buckets", xr, versions["Bucket"], buckets)

	if diff := cmp.Diff(buckets, versions["Bucket"]); diff != "" {
		c.T.Errorf("an edit should store each bucket once: -want, +got:\n%s", diff)
	}
}
