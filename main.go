// Package main implements function-cloud-tags, a Crossplane composition function
// that turns labels into cloud tags.
package main

import (
	"context"
	"crypto/x509"
	"encoding/pem"
	"log/slog"
	"math"
	"net"
	"net/http"
	"os"
	"os/signal"
	"path/filepath"
	"syscall"
	"time"

	"github.com/alecthomas/kong"
	grpcprometheus "github.com/grpc-ecosystem/go-grpc-middleware/providers/prometheus"
	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/collectors"
	"github.com/prometheus/client_golang/prometheus/promhttp"
	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials"
	"google.golang.org/grpc/health"
	healthv1 "google.golang.org/grpc/health/grpc_health_v1"
	"google.golang.org/grpc/reflection"

	"github.com/crossplane/function-sdk-go"
	"github.com/crossplane/function-sdk-go/errors"
	fnv1 "github.com/crossplane/function-sdk-go/proto/v1"
	"github.com/crossplane/function-sdk-go/proto/v1beta1"

	"github.com/plexsphere/function-cloud-tags/tags/explain"
	"github.com/plexsphere/function-cloud-tags/tags/field/crds"
	"github.com/plexsphere/function-cloud-tags/tags/policy"
	"github.com/plexsphere/function-cloud-tags/tags/report"
)

// drainTimeout is how long calls under way may take to finish once the function is
// told to stop. Kubernetes kills a container after 30 seconds by default.
const drainTimeout = 25 * time.Second

// megabyte is the unit of the greatest size of messages, and maxMegabytes as many of
// them as the size of a protobuf message can be.
const (
	megabyte     = 1024 * 1024
	maxMegabytes = math.MaxInt32 / megabyte
)

// CLI of the function.
type CLI struct {
	Serve   ServeCommand    `cmd:"" default:"withargs" help:"Serve the function to Crossplane. This is the default command."`
	Explain explain.Command `cmd:"" help:"Show which labels become which tags, and which are skipped and why."`
	Policy  policy.Command  `cmd:"" help:"Print a ValidatingAdmissionPolicy that refuses labels and annotations which could not become tags."`
	Index   IndexCommand    `cmd:"" help:"Print the tag fields of the kinds that custom resource definitions define, as the built-in index has them."`
}

// IndexCommand prints the tag fields of kinds.
type IndexCommand struct {
	Paths []string `arg:"" help:"Files and folders of custom resource definitions. - is standard input."`

	Diff     bool `help:"Print only what differs from the built-in index, and exit with status 1 if anything does, and 2 after an error."`
	Complete bool `help:"With --diff: the definitions are all that there are of their API groups, so kinds that aren't among them are gone."`
}

// Run prints what the definitions say.
func (c *IndexCommand) Run() error {
	return (&crds.Command{Stdin: os.Stdin, Stdout: os.Stdout, Stderr: os.Stderr, Diff: c.Diff, Complete: c.Complete}).Run(c.Paths...)
}

// ServeCommand serves the function to Crossplane.
type ServeCommand struct {
	Debug       bool `help:"Emit debug logs in addition to info logs."                                                         short:"d"`
	AuditValues bool `help:"Log the values of tags that change, in addition to their keys. Whoever reads the logs can read them."`

	Network            string `default:"tcp"                                                                        help:"Network on which to listen for gRPC connections."`
	Address            string `default:":9443"                                                                      help:"Address at which to listen for gRPC connections."`
	TLSCertsDir        string `env:"TLS_SERVER_CERTS_DIR"                                                           help:"Directory with the server's certificate (tls.crt, tls.key) and the CA that client certificates are verified by (ca.crt)."`
	Insecure           bool   `help:"Run without mTLS. --tls-certs-dir is ignored."`
	MaxRecvMessageSize int    `default:"4"                                                                          help:"Greatest size of received messages in MB."`
	MetricsAddress     string `default:":8080"                                                                      help:"Address at which to serve Prometheus metrics. Empty serves none."`
}

// Validate that messages can be received.
func (c *ServeCommand) Validate() error {
	if c.MaxRecvMessageSize < 1 || c.MaxRecvMessageSize > maxMegabytes {
		return errors.Errorf("--max-recv-message-size %d: must be from 1 to %d MB", c.MaxRecvMessageSize, maxMegabytes)
	}

	return nil
}

// Run serves the function until the context is done. Calls under way then finish.
func (c *ServeCommand) Run(ctx context.Context) error {
	level := slog.LevelInfo
	if c.Debug {
		level = slog.LevelDebug
	}

	log := slog.New(slog.NewJSONHandler(os.Stderr, &slog.HandlerOptions{Level: level}))

	lis, err := (&net.ListenConfig{}).Listen(ctx, c.Network, c.Address)
	if err != nil {
		return errors.Wrapf(err, "cannot listen for %s connections at address %q", c.Network, c.Address)
	}

	return c.serve(ctx, lis, log)
}

func (c *ServeCommand) serve(ctx context.Context, lis net.Listener, log *slog.Logger) error {
	creds, err := c.credentials()
	if err != nil {
		return err
	}

	if !c.Insecure {
		warnOfExpired(ctx, log, c.TLSCertsDir, time.Now())
	}

	metrics := grpcprometheus.NewServerMetrics(grpcprometheus.WithServerHandlingTimeHistogram())
	srv := grpc.NewServer(
		grpc.Creds(creds),
		grpc.MaxRecvMsgSize(c.MaxRecvMessageSize*megabyte),
		grpc.UnaryInterceptor(metrics.UnaryServerInterceptor()),
	)

	fn := &Function{log: log, metrics: report.NewMetrics(), auditValues: c.AuditValues}
	healthy := health.NewServer()

	fnv1.RegisterFunctionRunnerServiceServer(srv, fn)
	v1beta1.RegisterFunctionRunnerServiceServer(srv, function.ServeBeta(fn))
	healthv1.RegisterHealthServer(srv, healthy)
	reflection.Register(srv)
	metrics.InitializeMetrics(srv)

	if c.MetricsAddress != "" {
		registry := prometheus.NewRegistry()
		registry.MustRegister(fn.metrics, metrics, collectors.NewGoCollector(), collectors.NewProcessCollector(collectors.ProcessCollectorOpts{}))

		stop, err := serveMetrics(ctx, c.MetricsAddress, registry)
		if err != nil {
			return err
		}
		defer stop()
	}

	drained := make(chan struct{})

	defer context.AfterFunc(ctx, func() {
		defer close(drained)

		log.Info("Stopping")
		healthy.Shutdown()

		// Calls that take too long are cut off.
		cutOff := time.AfterFunc(drainTimeout, srv.Stop)
		defer cutOff.Stop()

		srv.GracefulStop()
	})()

	log.Info("Serving", "network", lis.Addr().Network(), "address", lis.Addr().String())

	// This returns as soon as the server is told to stop, with an error only if
	// that was before it began.
	if err := srv.Serve(lis); err != nil && !errors.Is(err, grpc.ErrServerStopped) {
		return errors.Wrap(err, "cannot serve gRPC connections")
	}

	<-drained

	return nil
}

// credentials by which the function is served.
func (c *ServeCommand) credentials() (credentials.TransportCredentials, error) {
	so := &function.ServeOptions{}

	options := []function.ServeOption{function.MTLSCertificates(c.TLSCertsDir)}
	if c.Insecure {
		options = []function.ServeOption{function.Insecure(true)}
	}

	for _, o := range options {
		if err := o(so); err != nil {
			return nil, errors.Wrap(err, "cannot set up mTLS")
		}
	}

	if so.Credentials == nil {
		return nil, errors.New("no credentials: give --tls-certs-dir, or --insecure to run without mTLS")
	}

	return so.Credentials, nil
}

// warnOfExpired warns of certificates in the supplied directory that have expired at the
// supplied time. No client accepts the server's, and the server accepts no client that
// the CA's says is one. Nothing else would say so here.
func warnOfExpired(ctx context.Context, log *slog.Logger, dir string, now time.Time) {
	for _, name := range []string{"tls.crt", "ca.crt"} {
		file := filepath.Join(dir, name)

		// What can't be read has been refused before.
		text, err := os.ReadFile(file) //nolint:gosec // Whoever runs the function names it.
		if err != nil {
			continue
		}

		for block, rest := pem.Decode(text); block != nil; block, rest = pem.Decode(rest) {
			cert, err := x509.ParseCertificate(block.Bytes)
			if err != nil || !now.After(cert.NotAfter) {
				continue
			}

			log.WarnContext(ctx, "A certificate has expired, so connections will be refused", "file", file, "subject", cert.Subject.String(), "not_after", cert.NotAfter)
		}
	}
}

// serveMetrics serves the metrics of the supplied registry until the function that
// it returns is called.
func serveMetrics(ctx context.Context, address string, registry *prometheus.Registry) (func(), error) {
	lis, err := (&net.ListenConfig{}).Listen(ctx, "tcp", address)
	if err != nil {
		return nil, errors.Wrapf(err, "cannot listen for metrics connections at address %q", address)
	}

	mux := http.NewServeMux()
	mux.Handle("/metrics", promhttp.HandlerFor(registry, promhttp.HandlerOpts{}))

	srv := &http.Server{Handler: mux, ReadHeaderTimeout: 30 * time.Second}

	go func() { _ = srv.Serve(lis) }() // It returns when it is closed.

	return func() { _ = srv.Close() }, nil
}

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	context.AfterFunc(ctx, stop) // A second signal ends the process at once.

	k := kong.Parse(&CLI{},
		kong.Name("function-cloud-tags"),
		kong.Description("A Crossplane composition function that turns labels into cloud tags."),
		kong.BindTo(ctx, (*context.Context)(nil)))

	k.FatalIfErrorf(k.Run())
}
