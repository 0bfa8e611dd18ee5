package live

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/netip"
	"os"
	"path/filepath"
	"sync"
	"sync/atomic"
	"syscall"
	"time"

	"golang.org/x/net/dns/dnsmessage"
	corev1 "k8s.io/api/core/v1"
	"sigs.k8s.io/yaml"

	"github.com/plexsphere/function-cloud-tags/example/internal/functions"
	"github.com/plexsphere/function-cloud-tags/example/internal/process"
)

// serviceHost is the name of the function's headless Service. Certificates are for it, too.
const serviceHost = host + "." + namespace + ".svc"

// Replicas are pods of the function with a headless Service, as Crossplane makes it: a name in DNS with the addresses of all
// ready pods. They serve at the same port, each at an address of its own. The probes of package/deploy are made, and kill
// pods, as the kubelet does it.
type Replicas struct {
	pods []*pod
	dns  net.PacketConn

	working sync.WaitGroup
}

type pod struct {
	*Part

	address   netip.Addr
	container *corev1.Container
	isReady   atomic.Bool
}

// StartReplicas starts so many pods. Crossplane calls them in place of the function that it calls now, until stop is called.
func (c *Cluster) StartReplicas(ctx context.Context, number int) (_ *Replicas, stop func() error, err error) {
	container, err := deployedContainer(c.root)
	if err != nil {
		return nil, nil, err
	}

	f, err := c.function(ctx)
	if err != nil {
		return nil, nil, err
	}

	r, revision := &Replicas{}, Field[string](f, "status", "currentRevision")

	podsCtx, cancel := context.WithCancel(ctx)
	end := func() error {
		defer r.working.Wait()
		defer cancel()

		return errors.Join(c.serve(ctx, revision, c.address()), r.dns.Close())
	}

	if r.dns, err = new(net.ListenConfig).ListenPacket(ctx, "udp", "127.0.0.1:0"); err != nil {
		cancel()
		return nil, nil, err
	}

	err = c.listening(podsCtx, 2, func(ports []int) error {
		if err := c.startPods(podsCtx, r, container, number, ports[0], ports[1]); err != nil {
			return err
		}

		return c.serve(ctx, revision, fmt.Sprintf("dns://%s/%s:%d", r.dns.LocalAddr(), serviceHost, ports[0]))
	})
	if err != nil {
		return nil, nil, errors.Join(err, end())
	}

	r.working.Go(r.answerNames)

	for _, p := range r.pods {
		r.working.Go(func() { p.probe(podsCtx, container.ReadinessProbe, p.isReady.Store) })
		r.working.Go(func() {
			p.probe(podsCtx, container.LivenessProbe, func(isAlive bool) {
				if !isAlive {
					p.replace(podsCtx)
				}
			})
		})
	}

	return r, end, nil
}

// deployedContainer is the function's container in package/deploy.
func deployedContainer(root string) (*corev1.Container, error) {
	text, err := os.ReadFile(filepath.Join(root, "package", "deploy", "base", "runtime.yaml"))
	if err != nil {
		return nil, err
	}

	var config struct {
		Spec struct {
			DeploymentTemplate struct {
				Spec struct {
					Template corev1.PodTemplateSpec `json:"template"`
				} `json:"spec"`
			} `json:"deploymentTemplate"`
		} `json:"spec"`
	}

	if err := yaml.Unmarshal(text, &config); err != nil {
		return nil, err
	}

	return &config.Spec.DeploymentTemplate.Spec.Template.Spec.Containers[0], nil
}

// startPods starts pods that serve at a port, and their health at another.
func (c *Cluster) startPods(ctx context.Context, r *Replicas, container *corev1.Container, number, port, health int) error {
	r.pods = nil

	for i := range number {
		p := &pod{address: netip.AddrFrom4([4]byte{127, 0, 0, byte(2 + i)}), container: container}
		name := fmt.Sprintf("%s-%d", functions.CloudTags, i)
		args := []string{"serve", "--metrics-address=", "--tls-certs-dir=" + secretServer, fmt.Sprintf("--address=%s:%d", p.address, port), fmt.Sprintf("--health-address=%s:%d", p.address, health)}

		// Probes know one port.
		container.ReadinessProbe.GRPC.Port, container.LivenessProbe.GRPC.Port = int32(health), int32(health) //nolint:gosec // It is a port.

		if err := c.start(ctx, process.Program{Name: name, Binary: c.Function, Dir: c.dir, Args: args}, func(ctx context.Context) error {
			return p.ask(ctx, container.ReadinessProbe)
		}); err != nil {
			return err
		}

		p.Part = c.Part(name)
		p.isReady.Store(true)
		r.pods = append(r.pods, p)
	}

	return nil
}

// ask makes a probe once.
func (p *pod) ask(ctx context.Context, probe *corev1.Probe) error {
	ctx, cancel := context.WithTimeout(ctx, time.Duration(probe.TimeoutSeconds)*time.Second)
	defer cancel()

	service := ""
	if probe.GRPC.Service != nil {
		service = *probe.GRPC.Service
	}

	return Probe(ctx, fmt.Sprintf("%s:%d", p.address, probe.GRPC.Port), service)
}

// probe makes a probe in each period, and says what it shows: a success at once, and failures once there are enough.
func (p *pod) probe(ctx context.Context, probe *corev1.Probe, shows func(isWell bool)) {
	period := time.NewTicker(time.Duration(probe.PeriodSeconds) * time.Second)
	defer period.Stop()

	for failures := int32(0); ; {
		select {
		case <-ctx.Done():
			return
		case <-period.C:
		}

		failures++

		if p.ask(ctx, probe) == nil {
			failures = 0
		}

		if ctx.Err() == nil && (failures == 0 || failures >= probe.FailureThreshold) {
			shows(failures == 0)
		}
	}
}

// replace kills the pod's container, and starts another one.
func (p *pod) replace(ctx context.Context) {
	_ = p.process.Signal(syscall.SIGTERM)

	time.Sleep(time.Duration(*p.container.LivenessProbe.TerminationGracePeriodSeconds) * time.Second)

	_ = p.Stop(ctx, syscall.SIGKILL) // It may have ended.
	_ = p.Start()                    // If it doesn't start, the next probe fails.
}

// Hang stops the first pod, and lets it go on after a time, if it is still there.
func (r *Replicas) Hang(d time.Duration) error {
	hangs := r.pods[0].process
	if err := hangs.Signal(syscall.SIGSTOP); err != nil {
		return err
	}

	time.AfterFunc(d, func() { _ = hangs.Signal(syscall.SIGCONT) })

	return nil
}

// answerNames answers questions for the addresses of the Service, until the connection is closed.
func (r *Replicas) answerNames() {
	question := make([]byte, 512)

	for {
		n, from, err := r.dns.ReadFrom(question)
		if err != nil {
			return
		}

		var m dnsmessage.Message
		if err := m.Unpack(question[:n]); err != nil || len(m.Questions) != 1 {
			continue
		}

		answer := dnsmessage.Message{Header: dnsmessage.Header{ID: m.ID, Response: true, Authoritative: true}, Questions: m.Questions}

		if q := m.Questions[0]; q.Type == dnsmessage.TypeA && q.Name.String() == serviceHost+"." {
			for _, p := range r.pods {
				if p.isReady.Load() {
					answer.Answers = append(answer.Answers, dnsmessage.Resource{
						Header: dnsmessage.ResourceHeader{Name: q.Name, Class: dnsmessage.ClassINET, TTL: 1},
						Body:   &dnsmessage.AResource{A: p.address.As4()},
					})
				}
			}
		}

		if text, err := answer.Pack(); err == nil {
			_, _ = r.dns.WriteTo(text, from)
		}
	}
}
