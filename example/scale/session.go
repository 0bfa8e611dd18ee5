package main

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"time"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/plexsphere/function-cloud-tags/example/internal/functions"
	"github.com/plexsphere/function-cloud-tags/example/internal/live"
	"github.com/plexsphere/function-cloud-tags/example/internal/process"
)

const (
	// fleetName is the Composition's name, and xrKind the XRs' kind.
	fleetName = "fleet"
	xrKind    = "Stack"

	// defaultTTL is the function's default.
	defaultTTL = time.Minute

	// lookInterval is how often the cluster is looked at, and countInterval how often the provider
	// counts.
	lookInterval  = time.Second
	countInterval = 100 * time.Millisecond

	// patience is how long something may go on before it is an error.
	patience = 10 * time.Minute
)

// parts whose CPU time counts.
var parts = []string{functions.CloudTags, live.Crossplane, live.APIServer, live.Etcd}

// A session of measuring.
type session struct {
	*cli
	*live.Cluster

	fleet   *live.Fleet
	watcher *live.Watcher
	whole   *live.Whole

	labels map[string]string
	ttl    time.Duration

	// made counts the resources, and users is the count of them in the status of the config.
	made, users atomic.Int64

	// ended is the usage of processes of parts that were stopped, by the part's name.
	ended map[string]process.Usage

	report report
}

func (s *session) run(ctx context.Context) error {
	if err := s.prepare(ctx); err != nil {
		return err
	}
	defer s.watcher.Stop()

	ctx, stop := context.WithCancel(ctx)

	var (
		provider  sync.WaitGroup
		uncounted error
	)

	provider.Go(func() {
		uncounted = s.provide(ctx)
		stop()
	})

	err := s.phases(ctx)

	stop()
	provider.Wait()

	return errors.Join(err, uncounted, s.peaks())
}

// prepare the cluster, with Crossplane as it is by default.
func (s *session) prepare(ctx context.Context) error {
	if err := s.Install(ctx); err != nil {
		return err
	}

	s.ended = make(map[string]process.Usage)
	s.labels = map[string]string{"cost-center": "100", "env": "prod"}
	s.whole = live.NewWhole(func(key string) bool { return strings.HasPrefix(key, ours) }, tagsOf(s.labels))
	s.ttl = defaultTTL

	crossplane := s.Part(live.Crossplane)
	crossplane.Args = slices.DeleteFunc(crossplane.Args, func(a string) bool { return strings.HasPrefix(a, "--circuit-breaker") })

	if err := crossplane.Restart(ctx, syscall.SIGTERM); err != nil {
		return err
	}

	if err := s.compose(ctx, s.XRs); err != nil {
		return err
	}

	if err := s.Apply(ctx, "user", s.objects()...); err != nil {
		return err
	}

	var err error
	s.watcher, err = s.Watch(ctx, s.check, append(s.fleet.Kinds(), s.fleet.XRs[0])...)

	return err
}

// compose the resources of so many XRs.
func (s *session) compose(ctx context.Context, xrs int) error {
	var err error
	s.fleet, err = s.NewFleet(ctx, live.FleetOptions{
		Name: fleetName, XRs: xrs, Resources: resources(s.Cluster.Release, s.Resources), Input: s.Source.input(s.ttl),
	})

	return err
}

// check a write, and count resources.
func (s *session) check(before, after *unstructured.Unstructured) error {
	if before == nil && after.GetKind() != xrKind {
		s.made.Add(1)
	}

	return s.whole.Check(before, after)
}

// provide counts the resources that are made with the config, and writes how many there are, as a
// provider does.
func (s *session) provide(ctx context.Context) error {
	for {
		if n := s.made.Load(); n != s.users.Load() {
			s.users.Store(n)

			if err := s.count(ctx, n); err != nil && ctx.Err() == nil {
				return fmt.Errorf("cannot count the resources of the config: %w", err)
			}
		}

		select {
		case <-ctx.Done():
			return nil
		case <-time.After(countInterval):
		}
	}
}

func (s *session) count(ctx context.Context, n int64) error {
	config := config(s.Cluster.Release)
	config.Object["status"] = map[string]any{"users": n}

	return s.ApplyStatus(ctx, "provider", config)
}

// Names of phases.
const (
	made      = "XRs are made"
	settled   = "nothing happens"
	edited    = "the Composition is edited"
	restarted = "Crossplane is started again"
	relabeled = "a label of all changes"
	counted   = "the config counts one less"
	added     = "one XR more is made"
)

// phases of what happens, and what is measured of each.
func (s *session) phases(ctx context.Context) error {
	for _, p := range []struct {
		name  string
		do    func(context.Context) error
		quiet time.Duration
		calls int // That there have to be at least.
	}{
		{name: made, do: s.label, quiet: s.Quiet, calls: s.XRs},
		{name: fmt.Sprintf("%s for %s", settled, s.Settled), do: func(context.Context) error { return nil }, quiet: s.Settled},
		{name: edited, do: s.edit, quiet: s.Quiet, calls: s.XRs},
		{name: restarted, do: s.restart, quiet: s.Quiet, calls: s.XRs},
		{name: relabeled, do: s.relabel, quiet: s.Quiet},
		{name: counted, do: s.less, quiet: s.Quiet},
		{name: added, do: s.more, quiet: s.Quiet},
	} {
		progressf("%s", p.name)

		if err := s.measure(ctx, p.name, p.do, p.quiet, p.calls); err != nil {
			progressf("what was logged: %s\n", s.Tails())
			return fmt.Errorf("%s: %w", p.name, err)
		}
	}

	return nil
}

// label the XRs, which makes them.
func (s *session) label(ctx context.Context) error {
	labels := make(map[string]any)

	if s.Source == compositeField {
		for key, value := range s.labels {
			labels[key] = value
		}
	}

	return s.fleet.Label(ctx, labels)
}

// objects that have labels of an account: the one that the source asks for.
func (s *session) objects() []*unstructured.Unstructured {
	labels := make(map[string]string, len(s.labels))
	for key, value := range s.labels {
		labels[prefix+key] = value
	}

	config := config(s.Cluster.Release)
	if s.Source == providerConfig {
		config.SetLabels(labels)
	}

	account := account()
	if s.Source == requiredResource {
		account.SetLabels(labels)
	}

	return []*unstructured.Unstructured{config, account}
}

// edit edits the Composition: XRs aren't reconciled every minute any more. From now on, only this command's changes
// cause the calls that are counted. Releases that watch required objects need this.
func (s *session) edit(ctx context.Context) error {
	s.ttl *= 2
	if s.Cluster.Release == live.V2 {
		s.ttl = time.Hour
	}

	return s.compose(ctx, s.XRs)
}

// restart restarts Crossplane, so that its counts begin at zero.
func (s *session) restart(ctx context.Context) error {
	crossplane := s.Part(live.Crossplane)

	used, err := crossplane.Usage()
	if err != nil {
		return err
	}

	s.ended[live.Crossplane] = used

	return crossplane.Restart(ctx, syscall.SIGTERM)
}

// relabel all XRs: one label changes.
func (s *session) relabel(ctx context.Context) error {
	s.labels["cost-center"] = "200"
	s.whole.Change(tagsOf(s.labels))

	if s.Source == compositeField {
		return s.label(ctx)
	}

	return s.Apply(ctx, "user", s.objects()...)
}

// less is counted by the provider, until something else happens.
func (s *session) less(ctx context.Context) error { return s.count(ctx, s.users.Load()-1) }

// more XRs: one.
func (s *session) more(ctx context.Context) error {
	if err := s.compose(ctx, s.XRs+1); err != nil {
		return err
	}

	all := s.fleet

	one := *all
	one.XRs = all.XRs[s.XRs:]
	s.fleet = &one
	err := s.label(ctx)
	s.fleet = all

	return err
}
