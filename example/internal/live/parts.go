package live

import (
	"context"
	"errors"
	"fmt"
	"os"
	"syscall"

	"github.com/plexsphere/function-cloud-tags/example/internal/process"
)

// Names of the parts of a cluster. The function's name is functions.CloudTags.
const (
	Etcd       = "etcd"
	APIServer  = "kube-apiserver"
	Crossplane = "crossplane"
)

// A Part of a cluster is a program that can be stopped and started again. It is at the same
// address then, if its arguments say so still.
type Part struct {
	process.Program

	run     func(process.Program) (stop func(), err error)
	process *os.Process
	stop    func()
}

// Part of the cluster by its name.
func (c *Cluster) Part(name string) *Part { return c.parts[name] }

// start starts a program. It stops with the cluster or with the context, and can be stopped and
// started again until then.
func (c *Cluster) start(ctx context.Context, program process.Program, ready func(context.Context) error) error {
	p := &Part{Program: program, run: func(p process.Program) (func(), error) { return p.Start(ctx, ready) }}
	if err := p.Start(); err != nil {
		return err
	}

	c.stop = append(c.stop, func() { p.stop() })
	c.parts[p.Name] = p

	return nil
}

// listening starts a program on free ports.
func (c *Cluster) listening(ctx context.Context, ports int, start func(ports []int) error) error {
	_, err := process.Listening(ctx, ports, func(ports []int) (func(), error) { return nil, start(ports) })
	return err
}

// Start the part again, and wait until it is ready.
func (p *Part) Start() error {
	p.Started = func(started *os.Process) { p.process = started }

	stop, err := p.run(p.Program)
	if err != nil {
		return err
	}

	p.stop = stop

	return nil
}

// Stop the part with a signal, and wait until it has ended.
func (p *Part) Stop(ctx context.Context, with syscall.Signal) error {
	if err := p.process.Signal(with); err != nil {
		return fmt.Errorf("cannot stop %s: %w", p.Name, err)
	}

	return process.Eventually(ctx, func(context.Context) error {
		if err := p.process.Signal(syscall.Signal(0)); !errors.Is(err, os.ErrProcessDone) {
			return fmt.Errorf("%s has not ended after it was sent %q", p.Name, with)
		}

		return nil
	})
}

// Restart the part: stop it with a signal, and start it again.
func (p *Part) Restart(ctx context.Context, with syscall.Signal) error {
	if err := p.Stop(ctx, with); err != nil {
		return err
	}

	return p.Start()
}

// Usage of the part's process. It is nothing of earlier ones, if the part was started again.
func (p *Part) Usage() (process.Usage, error) { return process.UsageOf(p.process.Pid) }
