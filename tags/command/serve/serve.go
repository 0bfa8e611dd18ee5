// Package serve serves the function to Crossplane.
package serve

import (
	"context"
	"log/slog"
	"math"
	"net"
	"os"
	"os/signal"
	"syscall"
	"time"

	grpcprometheus "github.com/grpc-ecosystem/go-grpc-middleware/providers/prometheus"
	"github.com/spf13/cobra"
	"google.golang.org/grpc"
	healthv1 "google.golang.org/grpc/health/grpc_health_v1"
	"google.golang.org/grpc/reflection"

	"github.com/crossplane/function-sdk-go/errors"
	fnv1 "github.com/crossplane/function-sdk-go/proto/v1"

	"github.com/plexsphere/function-cloud-tags/tags/command"
	"github.com/plexsphere/function-cloud-tags/tags/command/serve/codec"
	"github.com/plexsphere/function-cloud-tags/tags/report"
)

// handshakeTimeout is how long a client may take to connect, TLS included.
const handshakeTimeout = 10 * time.Second

// drainTimeout is how long calls under way may take to finish once the function is
// told to stop. Kubernetes kills a container after 30 seconds by default.
const drainTimeout = 25 * time.Second

// megabyte is the unit of message sizes in flags, in bytes. No message of protobuf has more than maxMegabytes.
const (
	megabyte         = 1024 * 1024
	defaultMegabytes = 4
	maxMegabytes     = math.MaxInt32 / megabyte
)

// Requests and responses have up to several megabytes. With buffers and windows of these sizes, in bytes, they are sent in few
// pieces, and neither side waits until the other admits more. Connections share write buffers, but with TLS each keeps its read
// buffer while it is idle, and gets no more than a record of 16 KB at once.
const (
	readBuffer   = 32 << 10
	writeBuffer  = 256 << 10
	streamWindow = 4 << 20
	connWindow   = 16 << 20
)

// maxMetadata is the limit of a call's metadata, in bytes. Crossplane sends less than one KB.
const maxMetadata = 64 << 10

// maxStreams is the limit of calls at once on a connection, since each may hold a request of the greatest size. A client's next
// call waits until another ends. RFC 9113, section 6.5.2, recommends at least 100.
const maxStreams = 100

// streamWorkers is the number of goroutines that serve one call after another. The stack of a new goroutine would grow, and be
// copied, in each call. With more calls at once, gRPC starts more goroutines.
const streamWorkers = 4

// A Command serves a function. Its fields are the arguments and flags, which --help describes.
type Command struct {
	Debug       bool
	AuditValues bool

	Network            string
	Address            string
	TLSCertsDir        string
	Insecure           bool
	MaxRecvMessageSize int
	MaxSendMessageSize int
	MetricsAddress     string
	HealthAddress      string

	// Version and Revision of the program.
	Version, Revision string

	// New returns the function. It logs to log, and counts in metrics.
	New func(c *Command, log *slog.Logger, metrics *report.Metrics) fnv1.FunctionRunnerServiceServer
}

// Cobra returns the command line of the command.
func (c *Command) Cobra() *cobra.Command {
	out := &cobra.Command{
		Use:     "serve",
		Example: "--tls-certs-dir /tls/server\n--insecure --debug",
		Short:   "Serve the function to Crossplane. This is the default command.",
		Args:    cobra.NoArgs,
		PreRunE: func(*cobra.Command, []string) error { return c.Validate() },
		RunE:    func(cmd *cobra.Command, _ []string) error { return c.Run(cmd.Context()) },
	}

	f := out.Flags()
	f.BoolVarP(&c.Debug, "debug", "d", false, "Emit debug logs in addition to info logs.")
	f.BoolVar(&c.AuditValues, "audit-values", false, "Log the values of tags that change, in addition to their keys. Whoever reads the logs can read them.")
	f.StringVar(&c.Network, "network", "tcp", "Network on which to listen for gRPC connections.")
	f.StringVar(&c.Address, "address", ":9443", "Address at which to listen for gRPC connections.")
	f.StringVar(&c.TLSCertsDir, "tls-certs-dir", "", "Directory with the server's certificate (tls.crt, tls.key) and the CA that client certificates are verified by (ca.crt).")
	command.Variable(f, "tls-certs-dir", "TLS_SERVER_CERTS_DIR")
	f.BoolVar(&c.Insecure, "insecure", false, "Run without mTLS. --tls-certs-dir is ignored.")
	f.IntVar(&c.MaxRecvMessageSize, "max-recv-message-size", defaultMegabytes, "Greatest size of received messages in MB.")
	f.IntVar(&c.MaxSendMessageSize, "max-send-message-size", defaultMegabytes, "Greatest size of sent messages in MB. Crossplane takes none above 4 MB.")
	command.Variable(f, "max-send-message-size", "MAX_SEND_MESSAGE_SIZE")
	f.StringVar(&c.MetricsAddress, "metrics-address", ":8080", "Address at which to serve Prometheus metrics. Empty serves none.")
	f.StringVar(&c.HealthAddress, "health-address", "", "Address at which to serve the gRPC health service for probes of Kubernetes, without TLS: \"\" is whether the function is ready, and \"liveness\" whether it is alive. Empty serves none.")

	return out
}

// Validate returns an error if a limit of messages is too small or too large.
func (c *Command) Validate() error {
	for i, size := range []int{c.MaxRecvMessageSize, c.MaxSendMessageSize} {
		if size < 1 || size > maxMegabytes {
			return errors.Errorf("--max-%s-message-size %d: must be from 1 to %d MB", []string{"recv", "send"}[i], size, maxMegabytes)
		}
	}

	return nil
}

// Run serves the function until ctx is done, or a signal comes. Then calls under way finish. Other commands end at a signal at
// once.
func (c *Command) Run(ctx context.Context) error {
	ctx, stop := signal.NotifyContext(ctx, os.Interrupt, syscall.SIGTERM)
	context.AfterFunc(ctx, stop) // A second signal ends the process at once.

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

func (c *Command) serve(ctx context.Context, lis net.Listener, log *slog.Logger) error {
	creds, certified, err := c.credentials(ctx, log)
	if err != nil {
		return err
	}

	metrics := report.NewMetrics()
	calls := grpcprometheus.NewServerMetrics(grpcprometheus.WithServerHandlingTimeHistogram())
	srv := grpc.NewServer(
		grpc.Creds(creds), grpc.ConnectionTimeout(handshakeTimeout),
		grpc.ForceServerCodecV2(codec.Codec{}),
		grpc.ReadBufferSize(readBuffer), grpc.WriteBufferSize(writeBuffer),
		grpc.InitialWindowSize(streamWindow), grpc.InitialConnWindowSize(connWindow),
		grpc.MaxConcurrentStreams(maxStreams), grpc.NumStreamWorkers(streamWorkers),
		grpc.MaxRecvMsgSize(c.MaxRecvMessageSize*megabyte), grpc.MaxHeaderListSize(maxMetadata),
		grpc.StatsHandler(sizes{log: log, tooLarge: metrics.TooLarge}),
		grpc.ChainUnaryInterceptor(calls.UnaryServerInterceptor(), freeing(idle, free)),
		grpc.ChainStreamInterceptor(ending(ctx)),
	)

	fn := c.New(c, log, metrics)
	health := newHealth(certified)

	Register(srv, fn)
	healthv1.RegisterHealthServer(srv, health)
	reflection.Register(srv)
	calls.InitializeMetrics(srv)

	defer pace(heapFloor)()

	stopMetrics, err := c.serveMetrics(ctx, append(metrics.Collectors(), calls)...)
	if err != nil {
		return err
	}
	defer stopMetrics()

	stopHealth, err := c.serveHealth(ctx, health)
	if err != nil {
		return err
	}
	defer stopHealth()

	defer context.AfterFunc(ctx, func() {
		log.Info("Stopping")
		health.SetServingStatus(ready, healthv1.HealthCheckResponse_NOT_SERVING)

		// Stop cuts off calls after the timeout.
		defer time.AfterFunc(drainTimeout, srv.Stop).Stop()

		srv.GracefulStop()
	})()

	log.Info("Serving", "network", lis.Addr().Network(), "address", lis.Addr().String())

	// Serve returns once the server has stopped. If the server was stopped earlier, it returns an error.
	if err := srv.Serve(lis); !errors.Is(err, grpc.ErrServerStopped) {
		return errors.Wrap(err, "cannot serve gRPC connections")
	}

	return nil
}
