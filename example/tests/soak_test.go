package tests

import (
	"crypto/tls"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
	"google.golang.org/protobuf/encoding/protowire"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/types/known/timestamppb"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/types"

	"github.com/plexsphere/function-cloud-tags/example/internal/functions"
	"github.com/plexsphere/function-cloud-tags/example/internal/live"
)

// faults of a cluster, in their order. Each leaves it as it was.
var faults = []struct {
	name, reason string
	inject       func(s *soak)
}{
	{name: "FunctionKilled", reason: "Calls that are cut off are made again.", inject: kill(functions.CloudTags, 3)},
	{name: "ReplicaHangs", reason: "Runs that wait for the pod go on once it is killed, and others are not held up.", inject: hangReplica},
	{name: "APIServerKilled", reason: "Writes go on in the middle of the XRs.", inject: kill(live.APIServer, 1)},
	{name: "EtcdKilled", reason: "As with the API server.", inject: kill(live.Etcd, 1)},
	{name: "CrossplaneKilled", reason: "It has forgotten its work.", inject: kill(live.Crossplane, 1)},
	{name: "CertificateRotated", reason: "The next connection gets the new certificate, without a restart of the function.", inject: rotateCertificate},
	{name: "WrongCA", reason: "Crossplane can't trust the function, and XRs say so.", inject: distrustFunction},
	{name: "Strangers", reason: "The function refuses callers without a certificate of Crossplane's CA.", inject: refuseStrangers},
	{name: "RequestTooLarge", reason: "The XR says so, and a higher limit helps.", inject: outgrowRequests},
	{name: "ResponseTooLarge", reason: "The XR says how large it is, and nothing of it is made.", inject: outgrowResponses},
	{name: "ObjectDeleted", reason: "While a required object is missing, nothing is written.", inject: deleteObject},
	{name: "FunctionUpgraded", reason: "Two versions serve at the same time.", inject: upgradeFunction},
	{name: "ClockSkewed", reason: "Answers that Crossplane keeps count for too long, or not at all.", inject: skewClock},
}

// TestSoak breaks one thing after the other while many XRs are reconciled. Each time their labels
// change, and all resources get the tags, and never have others than those from before or after.
func TestSoak(t *testing.T) { //nolint:tparallel // What one fault breaks, the next one needs.
	t.Parallel()
	asked(t)

	// With SOAK_XRS, the test waits as long as Crossplane takes.
	xrs, releases := 10, []live.Release{live.V2}

	n, patient := os.LookupEnv("SOAK_XRS")
	if patient {
		var err error
		if xrs, err = strconv.Atoi(n); err != nil {
			t.Fatalf("SOAK_XRS: %v", err)
		}

		releases = append(releases, live.V22)
	}

	for _, release := range releases {
		t.Run(string(release), func(t *testing.T) {
			s := newSoak(t, release, xrs)
			s.patient = patient

			for _, f := range faults {
				if !t.Run(f.name, func(t *testing.T) { s.breaks(t, f.reason, f.inject) }) {
					break
				}
			}
		})
	}
}

// A soak is a fleet of XRs that are reconciled all the time, and a watcher of their resources.
type soak struct {
	live.Test

	// whole test, of which T is a part.
	test *testing.T

	fleet   *live.Fleet
	want    *live.Whole
	watcher *live.Watcher

	// round of labels, and edition of the object that has others.
	round, edition int

	// patient reports whether the test waits as long as Crossplane does.
	patient bool

	// touching is held while XRs are touched, or while nobody may touch them.
	touching sync.Mutex
}

// soakTTL is how long Crossplane may keep an answer.
const soakTTL = 10 * time.Second

const soaked = `
ttl: 10s
sources:
- type: CompositeField
  fromFieldPath: spec.labels
- type: RequiredResource
  name: registry
  resource: {apiVersion: v1, kind: ConfigMap, name: {value: soak}, namespace: {value: default}}
  prefix: tags.example.org/
`

func newSoak(t *testing.T, release live.Release, xrs int) *soak {
	t.Helper()

	root, _ := all(t)

	c := startCluster(t, root, live.Platform{Release: release, Kubernetes: live.Newest})
	s := &soak{Test: live.Test{Cluster: c, T: t}, test: t}
	s.want = live.NewWhole(func(key string) bool { return strings.HasPrefix(key, "plexsphere:") }, s.tags())

	var err error
	if s.fleet, err = c.NewFleet(t.Context(), live.FleetOptions{Name: "soak", XRs: xrs, Resources: bucket + group + network, Input: soaked}); err != nil {
		t.Fatal(err)
	}

	if s.watcher, err = c.Watch(t.Context(), s.want.Check, s.fleet.Kinds()...); err != nil {
		t.Fatal(err)
	}

	t.Cleanup(s.watcher.Stop)
	s.register()
	s.relabel()
	s.converged("All tags are there before anything is broken.")
	s.keepReconciling()

	return s
}

// breaks something, and waits until all is well again.
func (s *soak) breaks(t *testing.T, reason string, inject func(*soak)) {
	t.Helper()

	s.T = t
	began, before := time.Now(), s.writes()

	inject(s)
	s.converged(reason)
	t.Logf("%d versions of the resources of %d XRs were seen in %s.", s.writes()-before, len(s.fleet.XRs), time.Since(began).Round(time.Second))
}

// keepReconciling all XRs until the test ends, 20 in a second.
func (s *soak) keepReconciling() {
	var group sync.WaitGroup

	pause := time.Duration(len(s.fleet.XRs)) * time.Second / 20

	ctx := s.test.Context() // It is done before the test is cleaned up.

	group.Go(func() {
		for ctx.Err() == nil {
			s.still(func() { _ = s.fleet.Touch(ctx) }) // There may be no API server.

			select {
			case <-ctx.Done():
			case <-time.After(pause):
			}
		}
	})
	s.test.Cleanup(group.Wait)
}

// labels of all XRs. From round to round, some have other values, and one comes or goes.
func (s *soak) labels() object {
	out := object{"platform/env": fmt.Sprintf("env-%d", s.round), "owner": fmt.Sprintf("team-%d", s.round)}
	if s.round%2 == 0 {
		out["temporary"] = "yes"
	}

	return out
}

// tags of all resources.
func (s *soak) tags() live.Tags {
	out := map[string]string{"plexsphere:cost-center": strconv.Itoa(s.edition)}
	for key, value := range s.labels() {
		out["plexsphere:"+key], _ = value.(string)
	}

	return live.Always(out)
}

// relabel all XRs. Tags follow.
func (s *soak) relabel() {
	s.T.Helper()

	s.round++
	s.want.Change(s.tags())
	live.Eventually(s.T, func() error { return s.fleet.Label(s.T.Context(), s.labels()) })
}

// register another label in the object that all XRs take one from. Tags follow.
func (s *soak) register() {
	s.T.Helper()

	s.edition++
	s.want.Change(s.tags())

	o := s.registry()
	o.SetLabels(map[string]string{"tags.example.org/cost-center": strconv.Itoa(s.edition)})

	s.Applied(o)
}

func (s *soak) registry() *unstructured.Unstructured {
	return live.Parse(s.T, "{apiVersion: v1, kind: ConfigMap, metadata: {namespace: default, name: soak}}")
}

// restart a part of the cluster.
func (s *soak) restart(name string, with syscall.Signal) {
	s.T.Helper()

	if err := s.Part(name).Restart(s.T.Context(), with); err != nil {
		s.T.Fatal(err)
	}
}

// writes of resources that were seen.
func (s *soak) writes() int {
	n := 0
	for _, h := range s.watcher.Histories() {
		n += len(h.Writes)
	}

	return n
}

// converged waits until all resources have the tags that they should, and all XRs say so. Nobody
// may have seen others on the way.
func (s *soak) converged(reason string) {
	s.T.Helper()

	s.followed(reason)
	s.still(func() {
		s.say("Synced", "True", "")
		s.say("CloudTagsPropagated", "True", "")
	})

	if err := s.watcher.Err(s.T.Context()); err != nil {
		s.T.Errorf("%s: %v", reason, err)
	}
}

// followed waits until all resources have the tags that they should.
func (s *soak) followed(reason string) {
	s.T.Helper()

	if err := s.fleet.Converged(s.T.Context(), s.want.Objection); err != nil {
		s.T.Errorf("%s: %v", reason, err)
	}
}

// still is when nobody touches XRs. Crossplane can't write the status of one that has changed meanwhile.
func (s *soak) still(do func()) {
	s.touching.Lock()
	defer s.touching.Unlock()

	do()
}

// say waits until all XRs have a condition that says a text.
func (s *soak) say(condition, state, text string) {
	s.T.Helper()

	if err := s.fleet.Say(s.T.Context(), condition, state, text); err != nil {
		s.T.Fatal(err)
	}
}

// unwritten says that no resource is written while something is done.
func (s *soak) unwritten(during func()) {
	s.T.Helper()

	before := s.writes()

	during()

	if err := s.watcher.Err(s.T.Context()); err != nil {
		s.T.Error(err)
	}

	if n := s.writes() - before; n != 0 {
		s.T.Errorf("%d resources were written", n)
	}
}

// kill a part of the cluster while tags follow labels, and start it again, several times.
func kill(part string, times int) func(*soak) {
	return func(s *soak) {
		s.relabel()

		for range times {
			s.restart(part, syscall.SIGKILL)
		}
	}
}

// hangReplica stops one of two pods. Labels change again and again meanwhile: in the median, a tag must come no later than twice the time
// that it takes otherwise.
func hangReplica(s *soak) {
	const hangs = 40 * time.Second

	replicas, stop, err := s.StartReplicas(s.test.Context(), 2)
	if err != nil {
		s.T.Fatal(err)
	}

	calm := s.delays(hangs)

	if err := replicas.Hang(hangs); err != nil {
		s.T.Fatal(err)
	}

	hung := s.delays(hangs)

	if err := stop(); err != nil {
		s.T.Fatal(err)
	}

	s.T.Logf("A tag comes after %s, and after %s while one of two pods hangs, in the median of %d and %d.", median(calm), median(hung), len(calm), len(hung))

	if median(hung) > 2*median(calm) {
		s.T.Errorf("A tag should come after %s at most, twice the time of two pods that are well: got %s", 2*median(calm), hung)
	}
}

func median(delays []time.Duration) time.Duration {
	return slices.Sorted(slices.Values(delays))[len(delays)/2]
}

// delays changes labels for a time, whenever all resources have the tags of the change before. It returns how long each resource has waited
// for its tag, for each change.
func (s *soak) delays(d time.Duration) (out []time.Duration) {
	s.T.Helper()

	for end := time.Now().Add(d); time.Now().Before(end); {
		s.relabel()

		began, tagged := time.Now(), make(map[types.UID]bool)

		live.Eventually(s.T, func() error {
			resources, err := s.watcher.Objects(s.T.Context())

			for _, r := range resources {
				if wants := s.want.Objection("", r); wants != nil {
					err = errors.Join(err, wants)
				} else if !tagged[r.GetUID()] {
					tagged[r.GetUID()] = true
					out = append(out, time.Since(began))
				}
			}

			return err
		})
	}

	return out
}

// authority of the cluster, or a foreign one.
func (s *soak) authority(made func() (*live.Authority, error)) *live.Authority {
	s.T.Helper()

	a, err := made()
	if err != nil {
		s.T.Fatal(err)
	}

	return a
}

// certify the function by an authority.
func (s *soak) certify(by *live.Authority) tls.Certificate {
	s.T.Helper()

	c, err := s.Certify(by)
	if err != nil {
		s.T.Fatal(err)
	}

	return c
}

// Only Crossplane is started again, since it keeps its connection otherwise.
func rotateCertificate(s *soak) {
	issued := s.certify(s.authority(s.Authority))

	if err := s.Call(s.T.Context(), issued.Leaf, issued); err != nil {
		s.T.Errorf("The new certificate is not served: %v", err)
	}

	s.relabel()
	s.restart(live.Crossplane, syscall.SIGTERM)
}

// Crossplane waits for a function until the reconcile is out of time, which takes two minutes.
func distrustFunction(s *soak) {
	const untrusted = "x509: certificate signed by unknown authority"

	ours := s.authority(s.Authority)

	s.still(func() {
		s.say("Synced", "True", "")
		s.certify(s.authority(live.NewAuthority))
		s.restart(functions.CloudTags, syscall.SIGKILL)

		s.unwritten(func() {
			s.relabel()

			if err := s.Call(s.T.Context(), ours.Certificate); err == nil || !strings.Contains(err.Error(), untrusted) {
				s.T.Errorf("The function should not be trusted, got %v", err)
			}

			if s.patient {
				s.say("Synced", "False", untrusted)
			}
		})
	})

	s.certify(ours)
}

func refuseStrangers(s *soak) {
	ours, theirs := s.authority(s.Authority), s.authority(live.NewAuthority)

	for name, tc := range map[string]struct {
		by   []*live.Authority
		want codes.Code
	}{
		"Ours":    {by: []*live.Authority{ours}, want: codes.OK},
		"Nobody":  {want: codes.Unavailable},
		"Foreign": {by: []*live.Authority{theirs}, want: codes.Unavailable},
	} {
		var client []tls.Certificate

		for _, a := range tc.by {
			c, err := a.Issue()
			if err != nil {
				s.T.Fatal(err)
			}

			client = append(client, c)
		}

		if err := s.Call(s.T.Context(), ours.Certificate, client...); status.Code(err) != tc.want {
			s.T.Errorf("%s: want %s, got %v", name, tc.want, err)
		}
	}

	s.relabel()
}

// Objects that a source takes may be more than fits into a request.
func outgrowRequests(s *soak) {
	const objects, size = 5, 900_000

	for i := range objects {
		o := live.Parse(s.T, fmt.Sprintf(`
apiVersion: v1
kind: ConfigMap
metadata: {namespace: default, name: large-%d, labels: {size: large}, annotations: {tags.example.org/part-%[1]d: large}}
data: {text: %s}
`, i, strings.Repeat("x", size)))
		s.Applied(o)
	}

	large := s.NewStack("large", vpc, `
sources:
- type: RequiredResource
  name: all
  resource: {apiVersion: v1, kind: ConfigMap, matchLabels: {value: {size: large}}, namespace: {value: default}}
  prefix: tags.example.org/
  pick: All
`)
	large.Label(nil)
	large.WantCondition("Synced", "False", "ReconcileError")
	large.WantEvent("Warning", "ResourceExhausted", "received message larger than max")
	s.relabel()

	p := s.Part(functions.CloudTags)
	p.Args = append(p.Args, "--max-recv-message-size=16")

	s.restart(functions.CloudTags, syscall.SIGTERM)

	tags := object{}
	for i := range objects {
		tags[fmt.Sprintf("plexsphere:part-%d", i)] = "large"
	}

	large.Want("vpc", ofTags, tags)

	// The limit of the next version is what it was.
	if err := s.ClientFor(large.XR).Delete(s.T.Context(), large.XR.GetName(), metav1.DeleteOptions{}); err != nil {
		s.T.Fatal(err)
	}
}

// Tags of many resources may be more than fits into a response.
func outgrowResponses(s *soak) {
	const resources, limit = 120, 50

	composed := &strings.Builder{}
	for i := range resources {
		fmt.Fprintf(composed, "- {name: vnet-%d, base: {apiVersion: network.azure.com/v1api20240301, kind: VirtualNetwork, spec: {location: westeurope}}}\n", i)
	}

	labels := object{}
	for i := range limit {
		labels[fmt.Sprintf("%s-%d", strings.Repeat("k", 490), i)] = strings.Repeat("v", 256)
	}

	wide, err := s.NewFleet(s.T.Context(), live.FleetOptions{Name: "wide", XRs: 1, Resources: composed.String(), Input: fieldLabels})
	if err != nil {
		s.T.Fatal(err)
	}

	s.relabel()

	if err := errors.Join(
		wide.Label(s.T.Context(), labels),
		wide.Say(s.T.Context(), "CloudTagsPropagated", "False", "a run adds at most"),
		wide.Say(s.T.Context(), "Synced", "False", "Crossplane takes no larger response"),
	); err != nil {
		s.T.Error(err)
	}

	if made, err := wide.Resources(s.T.Context()); err != nil || len(made) > 0 {
		s.T.Errorf("Nothing should be made, but there are %d resources: %v", len(made), err)
	}

	if err := errors.Join(
		wide.Label(s.T.Context(), object{"env": "prod"}),
		wide.Converged(s.T.Context(), func(_ string, r *unstructured.Unstructured) error {
			return live.Differs(object{"plexsphere:env": "prod"}, live.Field[object](r, ofSpecTags...))
		}),
		wide.Say(s.T.Context(), "CloudTagsPropagated", "True", ""),
	); err != nil {
		s.T.Error(err)
	}
}

// Labels are changed while the object isn't there.
func deleteObject(s *soak) {
	s.unwritten(func() {
		if err := s.ClientFor(s.registry()).Delete(s.T.Context(), s.registry().GetName(), metav1.DeleteOptions{}); err != nil {
			s.T.Fatal(err)
		}

		s.still(func() {
			s.say("CloudTagsPropagated", "False", "registry")
			s.relabel()
			s.say("CloudTagsPropagated", "False", "registry")
		})
	})

	s.register()
}

func upgradeFunction(s *soak) {
	s.relabel()

	if err := s.InstallFunction(s.test.Context(), "v0.2.0"); err != nil {
		s.T.Fatal(err)
	}
}

// A clock can't be set here. But for an answer that Crossplane keeps, a clock that is set back is the same as a later
// deadline, and a clock that is set forward is the same as an earlier one.
func skewClock(s *soak) {
	crossplane := s.Part(live.Crossplane)
	before := crossplane.Program
	answers := s.T.TempDir()

	crossplane.Args = append(slices.Clip(crossplane.Args), "--enable-function-response-cache")
	crossplane.Env = append(slices.Clip(crossplane.Env), "XFN_CACHE_DIR="+answers)

	s.restart(live.Crossplane, syscall.SIGTERM)

	for _, by := range []time.Duration{soakTTL, -soakTTL} {
		s.still(func() {
			s.skew(answers, by)
			s.register()
			s.followed("The object counts when answers that were made of what it was don't any more.")
			s.skew(answers, by)
			s.relabel()
			s.followed("Other labels make another request.")
		})
	}

	crossplane.Program = before
	s.restart(live.Crossplane, syscall.SIGTERM)
}

// skew the deadlines of the answers of the function that Crossplane keeps in a folder. There is at least one
// for each XR.
func (s *soak) skew(answers string, by time.Duration) {
	s.T.Helper()

	var files []string

	live.Eventually(s.T, func() error {
		var err error
		if files, err = filepath.Glob(filepath.Join(answers, functions.CloudTags, "*")); err != nil || len(files) >= len(s.fleet.XRs) {
			return err
		}

		return fmt.Errorf("there are %d answers", len(files))
	})

	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			continue // It was an earlier one.
		}

		if err := os.WriteFile(file, later(s.T, text, by), 0o600); err != nil {
			s.T.Fatal(err)
		}
	}
}

// later returns a kept answer with another deadline. The deadline is the first field, and the last one counts if there
// are two.
func later(t *testing.T, answer []byte, by time.Duration) []byte {
	t.Helper()

	_, _, n := protowire.ConsumeTag(answer)
	deadline := &timestamppb.Timestamp{}

	text, _ := protowire.ConsumeBytes(answer[n:])
	if err := proto.Unmarshal(text, deadline); err != nil {
		t.Fatal(err)
	}

	text, err := proto.Marshal(timestamppb.New(deadline.AsTime().Add(by)))
	if err != nil {
		t.Fatal(err)
	}

	return protowire.AppendBytes(protowire.AppendTag(answer, 1, protowire.BytesType), text)
}
