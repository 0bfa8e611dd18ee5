package serve

import (
	"bytes"
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/json"
	"encoding/pem"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"math/big"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/credentials"
	"google.golang.org/grpc/credentials/insecure"
	healthv1 "google.golang.org/grpc/health/grpc_health_v1"
	"google.golang.org/grpc/metadata"
	reflectionv1 "google.golang.org/grpc/reflection/grpc_reflection_v1"
	"google.golang.org/grpc/status"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/types/known/structpb"

	fnv1 "github.com/crossplane/function-sdk-go/proto/v1"
	"github.com/crossplane/function-sdk-go/proto/v1beta1"

	"github.com/plexsphere/function-cloud-tags/tags/object"
	"github.com/plexsphere/function-cloud-tags/tags/report"
	"github.com/plexsphere/function-cloud-tags/tags/tagstest"
)

// A fake function answers with the tag of the request. With a channel, it sends once it is called, and receives before it
// answers.
type fake struct {
	fnv1.UnimplementedFunctionRunnerServiceServer

	calls chan struct{}
}

func (f fake) RunFunction(_ context.Context, req *fnv1.RunFunctionRequest) (*fnv1.RunFunctionResponse, error) {
	if f.calls != nil {
		f.calls <- struct{}{}
		<-f.calls
	}

	return &fnv1.RunFunctionResponse{Meta: &fnv1.ResponseMeta{Tag: req.GetMeta().GetTag()}}, nil
}

func (f fake) make(*Command, *slog.Logger, *report.Metrics) fnv1.FunctionRunnerServiceServer {
	return f
}

func listen(t *testing.T) net.Listener {
	t.Helper()

	lis, err := (&net.ListenConfig{}).Listen(t.Context(), "tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatalf("cannot listen: %v", err)
	}

	return lis
}

// freeAddress returns an address that nobody listens at.
func freeAddress(t *testing.T) string {
	t.Helper()

	lis := listen(t)
	if err := lis.Close(); err != nil {
		t.Fatalf("cannot stop listening: %v", err)
	}

	return lis.Addr().String()
}

// start starts the command, and waits until it serves. It returns a connection, a function that stops the server, and its
// result.
func start(t *testing.T, c *Command) (conn *grpc.ClientConn, stop func(), served <-chan error) {
	t.Helper()
	return startLogging(t, c, slog.DiscardHandler)
}

// startLogging is start with a log.
func startLogging(t *testing.T, c *Command, log slog.Handler) (conn *grpc.ClientConn, stop func(), served <-chan error) {
	t.Helper()

	ctx, stop := context.WithCancel(t.Context())
	t.Cleanup(stop)

	lis, out := listen(t), make(chan error, 1)

	go func() { out <- c.serve(ctx, lis, slog.New(log)) }()

	conn, err := grpc.NewClient(lis.Addr().String(), grpc.WithTransportCredentials(insecure.NewCredentials()))
	if err != nil {
		t.Fatalf("cannot connect: %v", err)
	}

	t.Cleanup(func() { _ = conn.Close() })

	health, err := healthv1.NewHealthClient(conn).Check(t.Context(), &healthv1.HealthCheckRequest{}, grpc.WaitForReady(true))
	if err != nil || health.GetStatus() != healthv1.HealthCheckResponse_SERVING {
		t.Fatalf("Check(...): want SERVING, got %v, %v", health.GetStatus(), err)
	}

	return conn, stop, out
}

// TestMaxStreams proves that one connection can hold only so many requests.
func TestMaxStreams(t *testing.T) {
	conn, _, _ := start(t, &Command{Insecure: true, MaxRecvMessageSize: 4, New: fake{}.make})

	// begin begins a call, and sends nothing.
	begin := func(ctx context.Context) error {
		_, err := conn.NewStream(ctx, &grpc.StreamDesc{ClientStreams: true}, fnv1.FunctionRunnerService_RunFunction_FullMethodName)
		return err
	}

	for i := range maxStreams {
		if err := begin(t.Context()); err != nil {
			t.Fatalf("NewStream(...): want %d calls at once, got an error at %d: %v", maxStreams, i, err)
		}
	}

	ctx, cancel := context.WithTimeout(t.Context(), 100*time.Millisecond)
	defer cancel()

	if err := begin(ctx); status.Code(err) != codes.DeadlineExceeded {
		t.Errorf("NewStream(...): want one more call to wait until %s, got %v", codes.DeadlineExceeded, err)
	}
}

// TestMaxMetadata proves that one call can't bring megabytes beside its request.
func TestMaxMetadata(t *testing.T) {
	cases := map[string]struct {
		reason string
		size   int
		want   codes.Code
	}{
		"Token": {reason: "A proxy may add a token.", size: 32 << 10, want: codes.OK},
		"Large": {reason: "Metadata is held in memory, so it should have a limit.", size: maxMetadata, want: codes.Internal},
	}

	conn, _, _ := start(t, &Command{Insecure: true, MaxRecvMessageSize: 4, New: fake{}.make})

	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			ctx := metadata.AppendToOutgoingContext(t.Context(), "token", strings.Repeat("x", tc.size))

			_, err := fnv1.NewFunctionRunnerServiceClient(conn).RunFunction(ctx, &fnv1.RunFunctionRequest{})
			if got := status.Code(err); got != tc.want {
				t.Errorf("\n%s\nRunFunction(...): want %s, got %v", tc.reason, tc.want, err)
			}
		})
	}
}

// TestStopsGracefully proves that a call under way gets its answer before the server stops.
func TestStopsGracefully(t *testing.T) {
	f := fake{calls: make(chan struct{})}
	conn, stop, served := start(t, &Command{Insecure: true, MaxRecvMessageSize: 4, New: f.make})
	answered := make(chan string, 1)

	go func() {
		rsp, err := fnv1.NewFunctionRunnerServiceClient(conn).RunFunction(t.Context(), &fnv1.RunFunctionRequest{Meta: &fnv1.RequestMeta{Tag: "x"}})
		answered <- fmt.Sprint(rsp.GetMeta().GetTag(), " ", err)
	}()

	select {
	case <-f.calls:
	case got := <-answered:
		t.Fatalf("RunFunction(...): want a call that waits, got %s", got)
	}

	stop()

	select {
	case err := <-served:
		t.Fatalf("serve(...): stopped with a call under way: %v", err)
	case <-time.After(100 * time.Millisecond):
	}

	f.calls <- struct{}{}

	if got := <-answered; got != "x <nil>" {
		t.Errorf("RunFunction(...): the call under way must be answered, got %s", got)
	}

	if err := <-served; err != nil {
		t.Errorf("serve(...): unexpected error: %v", err)
	}
}

// TestStopsDespiteStreams proves that the server stops while clients watch it.
func TestStopsDespiteStreams(t *testing.T) {
	conn, stop, served := start(t, &Command{Insecure: true, MaxRecvMessageSize: 4, New: fake{}.make})

	watch, err := healthv1.NewHealthClient(conn).Watch(t.Context(), &healthv1.HealthCheckRequest{})
	if err != nil {
		t.Fatal(err)
	}

	if rsp, err := watch.Recv(); err != nil || rsp.GetStatus() != healthv1.HealthCheckResponse_SERVING {
		t.Fatalf("Watch(...): want SERVING, got %v, %v", rsp, err)
	}

	look, err := reflectionv1.NewServerReflectionClient(conn).ServerReflectionInfo(t.Context())
	if err != nil {
		t.Fatal(err)
	}

	if err := look.Send(&reflectionv1.ServerReflectionRequest{MessageRequest: &reflectionv1.ServerReflectionRequest_ListServices{}}); err != nil {
		t.Fatal(err)
	}

	if _, err := look.Recv(); err != nil {
		t.Fatal(err)
	}

	stop()

	select {
	case err := <-served:
		if err != nil {
			t.Errorf("serve(...): unexpected error: %v", err)
		}
	case <-time.After(time.Second):
		t.Error("serve(...): want the server to stop within a second, though streams are open")
	}
}

// TestServes proves that the server knows both versions of the protocol, receives messages up to the greatest size, and counts
// calls in its metrics.
func TestServes(t *testing.T) {
	metrics := freeAddress(t)
	log := &strings.Builder{}
	conn, stop, served := startLogging(t, &Command{
		Insecure: true, MaxRecvMessageSize: 1, MetricsAddress: metrics, Version: "v0.1.0", Revision: "abc", New: fake{}.make,
	}, slog.NewTextHandler(log, nil))

	req := &fnv1.RunFunctionRequest{Meta: &fnv1.RequestMeta{Tag: strings.Repeat("x", megabyte-100)}}

	rsp, err := fnv1.NewFunctionRunnerServiceClient(conn).RunFunction(t.Context(), req)
	if err != nil || rsp.GetMeta().GetTag() != req.GetMeta().GetTag() {
		t.Errorf("RunFunction(...): want the tag of the request, got %v", err)
	}

	req.Meta.Tag += strings.Repeat("x", 100)

	if _, err := fnv1.NewFunctionRunnerServiceClient(conn).RunFunction(t.Context(), req); err == nil {
		t.Error("RunFunction(...): want a request that is too large to be refused")
	}

	beta, err := v1beta1.NewFunctionRunnerServiceClient(conn).RunFunction(t.Context(), &v1beta1.RunFunctionRequest{Meta: &v1beta1.RequestMeta{Tag: "beta"}})
	if err != nil || beta.GetMeta().GetTag() != "beta" {
		t.Errorf("RunFunction(...): want the tag of the request, got %v, %v", beta, err)
	}

	const refused = "function_cloud_tags_requests_too_large_total 1"

	var lines []string

	// gRPC tells the server that it refused a request after it told the client.
	for end := time.Now().Add(10 * time.Second); !slices.Contains(lines, refused) && time.Now().Before(end); {
		lines = scrape(t, "http://"+metrics+"/metrics")
	}

	for _, want := range []string{
		`function_cloud_tags_build_info{goversion="` + runtime.Version() + `",revision="abc",version="v0.1.0"} 1`,
		`function_cloud_tags_resources_tagged_total{provider="aws"} 0`,
		refused,
		`grpc_server_handled_total{grpc_code="OK",grpc_method="RunFunction",grpc_service="apiextensions.fn.proto.v1.FunctionRunnerService",grpc_type="unary"} 1`,
		`grpc_server_handled_total{grpc_code="OK",grpc_method="RunFunction",grpc_service="apiextensions.fn.proto.v1beta1.FunctionRunnerService",grpc_type="unary"} 1`,
		`grpc_server_handling_seconds_count{grpc_method="RunFunction",grpc_service="apiextensions.fn.proto.v1.FunctionRunnerService",grpc_type="unary"} 1`,
	} {
		if !slices.Contains(lines, want) {
			t.Errorf("GET /metrics: want the line %s", want)
		}
	}

	for _, prefix := range []string{"go_goroutines ", "process_start_time_seconds "} {
		if !slices.ContainsFunc(lines, func(l string) bool { return strings.HasPrefix(l, prefix) }) {
			t.Errorf("GET /metrics: want a line with %s", prefix)
		}
	}

	stop()

	if err := <-served; err != nil {
		t.Errorf("serve(...): unexpected error: %v", err)
	}

	if c, err := (&net.Dialer{Timeout: time.Second}).DialContext(t.Context(), "tcp", metrics); err == nil {
		_ = c.Close()

		t.Errorf("serve(...): want metrics to be served no longer than the function")
	}

	if want := `level=WARN msg="Refused a request because of its size: see --max-recv-message-size" error="rpc error: code = ResourceExhausted`; strings.Count(log.String(), want) != 1 {
		t.Errorf("serve(...): want one line of the log that says %s, got\n%s", want, log)
	}
}

// A seer is a function. Its answer says whether a composed resource came in bytes.
type seer struct {
	fnv1.UnimplementedFunctionRunnerServiceServer
}

func (seer) RunFunction(_ context.Context, req *fnv1.RunFunctionRequest) (*fnv1.RunFunctionResponse, error) {
	tag := strconv.FormatBool(object.Bytes(req.GetDesired().GetResources()["a"]) != nil)
	return &fnv1.RunFunctionResponse{Meta: &fnv1.ResponseMeta{Tag: tag}, Desired: req.GetDesired()}, nil
}

// TestServesBytes proves that resources stay bytes on their way, also in the old version of the protocol, and come back.
func TestServesBytes(t *testing.T) {
	conn, stop, served := start(t, &Command{Insecure: true, MaxRecvMessageSize: 1, New: func(*Command, *slog.Logger, *report.Metrics) fnv1.FunctionRunnerServiceServer { return seer{} }})
	desired := &fnv1.State{Resources: map[string]*fnv1.Resource{"a": {Resource: &structpb.Struct{}, Ready: fnv1.Ready_READY_TRUE}}}

	rsp, err := fnv1.NewFunctionRunnerServiceClient(conn).RunFunction(t.Context(), &fnv1.RunFunctionRequest{Desired: desired})
	if err != nil || rsp.GetMeta().GetTag() != "true" || !proto.Equal(desired, rsp.GetDesired()) {
		t.Errorf("RunFunction(...): want resources in bytes that come back, got %v, %v", rsp, err)
	}

	beta, err := v1beta1.NewFunctionRunnerServiceClient(conn).RunFunction(t.Context(), &v1beta1.RunFunctionRequest{
		Desired: &v1beta1.State{Resources: map[string]*v1beta1.Resource{"a": {Resource: &structpb.Struct{}, Ready: v1beta1.Ready_READY_TRUE}}},
	})
	if err != nil || beta.GetMeta().GetTag() != "true" || beta.GetDesired().GetResources()["a"].GetReady() != v1beta1.Ready_READY_TRUE {
		t.Errorf("RunFunction(...) of v1beta1: want resources in bytes that come back, got %v, %v", beta, err)
	}

	stop()

	if err := <-served; err != nil {
		t.Errorf("serve(...): unexpected error: %v", err)
	}
}

// scrape returns the lines at the URL.
func scrape(t *testing.T, url string) []string {
	t.Helper()

	req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, url, http.NoBody)
	if err != nil {
		t.Fatalf("GET %s: %v", url, err)
	}

	rsp, err := http.DefaultClient.Do(req)
	if err != nil {
		t.Fatalf("GET %s: %v", url, err)
	}
	defer func() { _ = rsp.Body.Close() }()

	body, err := io.ReadAll(rsp.Body)
	if err != nil || rsp.StatusCode != http.StatusOK {
		t.Fatalf("GET %s: %s, %v: %s", url, rsp.Status, err, body)
	}

	return strings.Split(string(body), "\n")
}

// TestErrors runs the arguments of testdata/errors.yaml.
func TestErrors(t *testing.T) {
	var cases []struct {
		Name, Reason, Want string
		Args               []string
	}

	tagstest.ReadYAML(t, "testdata/errors.yaml", &cases)
	t.Chdir(t.TempDir())

	for _, dir := range []string{"alone", "broken", "cut", "foreign"} {
		writeCertificate(t, dir, time.Now().Add(time.Hour))
	}

	// more appends text to a file.
	more := func(path, text string) error {
		before, err := os.ReadFile(path)
		return errors.Join(err, os.WriteFile(path, append(before, text...), 0o600))
	}

	if err := errors.Join(
		os.Remove("alone/ca.crt"),
		os.WriteFile("broken/ca.crt", nil, 0o600),
		more("cut/tls.crt", "-----BEGIN CERTIFICATE-----\nMIIB"),
		more("foreign/ca.crt", string(pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: []byte("none")}))),
	); err != nil {
		t.Fatal(err)
	}

	for _, tc := range cases {
		t.Run(tc.Name, func(t *testing.T) {
			c := &Command{New: fake{}.make}

			err := tagstest.ParseArgs(c, slices.Concat([]string{"--address=127.0.0.1:0", "--metrics-address="}, tc.Args))
			if err == nil {
				err = c.Run(t.Context())
			}

			if diff := cmp.Diff(tc.Want, fmt.Sprint(err)); diff != "" {
				t.Errorf("\n%s\nserve %q: -want error, +got error:\n%s", tc.Reason, tc.Args, diff)
			}
		})
	}
}

// writeCertificate writes a certificate that expires at notAfter, its key, and the certificate as its own CA.
func writeCertificate(t *testing.T, dir string, notAfter time.Time) {
	t.Helper()

	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err := errors.Join(err, os.MkdirAll(dir, 0o700)); err != nil {
		t.Fatal(err)
	}

	c := &x509.Certificate{SerialNumber: big.NewInt(1), Subject: pkix.Name{CommonName: "function"}, DNSNames: []string{"function"}, NotBefore: notAfter.Add(-time.Hour), NotAfter: notAfter}

	cert, err := x509.CreateCertificate(rand.Reader, c, c, key.Public(), key)
	if err != nil {
		t.Fatal(err)
	}

	der, err := x509.MarshalPKCS8PrivateKey(key)
	if err != nil {
		t.Fatal(err)
	}

	for name, block := range map[string]*pem.Block{
		"tls.crt": {Type: "CERTIFICATE", Bytes: cert},
		"ca.crt":  {Type: "CERTIFICATE", Bytes: cert},
		"tls.key": {Type: "PRIVATE KEY", Bytes: der},
	} {
		if err := os.WriteFile(filepath.Join(dir, name), pem.EncodeToMemory(block), 0o600); err != nil {
			t.Fatal(err)
		}
	}
}

// load returns the certificate of a directory.
func load(t *testing.T, dir string) []tls.Certificate {
	t.Helper()

	cert, err := tls.LoadX509KeyPair(filepath.Join(dir, "tls.crt"), filepath.Join(dir, "tls.key"))
	if err != nil {
		t.Fatal(err)
	}

	return []tls.Certificate{cert}
}

// dial connects to lis. It trusts a server with one of the certificates.
func dial(t *testing.T, lis net.Listener, server []tls.Certificate, config *tls.Config) *grpc.ClientConn {
	t.Helper()

	config.ServerName = "function"
	config.RootCAs = x509.NewCertPool()

	for _, cert := range server {
		config.RootCAs.AddCert(cert.Leaf)
	}

	conn, err := grpc.NewClient(lis.Addr().String(), grpc.WithTransportCredentials(credentials.NewTLS(config)))
	if err != nil {
		t.Fatal(err)
	}

	t.Cleanup(func() { _ = conn.Close() })

	return conn
}

// check calls the server, and returns the error.
func check(t *testing.T, conn *grpc.ClientConn) error {
	t.Helper()

	_, err := healthv1.NewHealthClient(conn).Check(t.Context(), &healthv1.HealthCheckRequest{})

	return err
}

// TestMutualTLS proves that a client needs a certificate of the CA.
func TestMutualTLS(t *testing.T) {
	dir, foreign := t.TempDir(), t.TempDir()
	writeCertificate(t, dir, time.Now().Add(time.Hour))
	writeCertificate(t, foreign, time.Now().Add(time.Hour))

	ours := load(t, dir)

	cases := map[string]struct {
		reason   string
		client   []tls.Certificate
		min, max uint16
		want     codes.Code
	}{
		"Ours":    {reason: "A client with a certificate of the CA should be served.", client: ours, want: codes.OK},
		"Oldest":  {reason: "TLS 1.2 should do.", client: ours, max: tls.VersionTLS12, want: codes.OK},
		"TooOld":  {reason: "TLS 1.1 is broken.", client: ours, min: tls.VersionTLS10, max: tls.VersionTLS11, want: codes.Unavailable},
		"None":    {reason: "A client without a certificate should be refused.", want: codes.Unavailable},
		"Foreign": {reason: "A certificate of another CA should be refused.", client: load(t, foreign), want: codes.Unavailable},
	}

	lis := listen(t)

	go func() {
		_ = (&Command{TLSCertsDir: dir, MaxRecvMessageSize: 4, New: fake{}.make}).serve(t.Context(), lis, slog.New(slog.DiscardHandler))
	}()

	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			err := check(t, dial(t, lis, ours, &tls.Config{Certificates: tc.client, MinVersion: tc.min, MaxVersion: tc.max}))
			if got := status.Code(err); got != tc.want {
				t.Errorf("\n%s\nCheck(...): want %s, got %s: %v", tc.reason, tc.want, got, err)
			}
		})
	}
}

// TestReplacedCertificates replaces files of the directory, as in testdata/certificates.yaml. New connections use the new
// files, or the old ones if the new ones are incomplete. Open connections stay.
func TestReplacedCertificates(t *testing.T) {
	var cases []struct {
		Name, Reason            string
		Replace                 map[string]string
		Server, Client, Refused string
	}

	tagstest.ReadYAML(t, "testdata/certificates.yaml", &cases)

	dirs := map[string]string{"before": t.TempDir(), "after": t.TempDir()}
	for _, dir := range dirs {
		writeCertificate(t, dir, time.Now().Add(time.Hour))
	}

	// parts of a new file, by their names.
	parts := map[string]func(text []byte) []byte{
		"all":      func(text []byte) []byte { return text },
		"half":     func(text []byte) []byte { return text[:len(text)/2] },
		"none":     func([]byte) []byte { return nil },
		"and half": func(text []byte) []byte { return slices.Concat(text, text[:len(text)/2]) },
		"told": func(text []byte) []byte {
			return slices.Concat([]byte("subject=CN = function\n"), text, []byte("\nissuer=CN = function\n"))
		},
	}

	replace := func(name, part, dir string) error {
		switch part {
		case "mounted":
			return errors.Join(os.Symlink(dirs["after"], filepath.Join(dir, "..new")), os.Rename(filepath.Join(dir, "..new"), filepath.Join(dir, "..data")))
		case "removed":
			return os.RemoveAll(dir)
		}

		text, err := os.ReadFile(filepath.Join(dirs["after"], name))

		return errors.Join(err, os.WriteFile(filepath.Join(dir, name), parts[part](text), 0o600))
	}

	for _, tc := range cases {
		t.Run(tc.Name, func(t *testing.T) {
			dir, lis := mount(t, dirs["before"]), listen(t)

			go func() {
				_ = (&Command{TLSCertsDir: dir, MaxRecvMessageSize: 4, New: fake{}.make}).serve(t.Context(), lis, slog.New(slog.DiscardHandler))
			}()

			old := dial(t, lis, load(t, dirs["before"]), &tls.Config{Certificates: load(t, dirs["before"])})
			if err := check(t, old); err != nil {
				t.Fatalf("Check(...): unexpected error: %v", err)
			}

			for name, part := range tc.Replace {
				if err := replace(name, part, dir); err != nil {
					t.Fatal(err)
				}
			}

			server := load(t, dirs[tc.Server])

			if err := check(t, dial(t, lis, server, &tls.Config{Certificates: load(t, dirs[tc.Client])})); err != nil {
				t.Errorf("\n%s\nCheck(...): unexpected error: %v", tc.Reason, err)
			}

			if err := check(t, dial(t, lis, server, &tls.Config{Certificates: load(t, dirs[tc.Refused])})); status.Code(err) != codes.Unavailable {
				t.Errorf("\n%s\nCheck(...): want to be refused, got %v", tc.Reason, err)
			}

			if err := check(t, old); err != nil {
				t.Errorf("\n%s\nCheck(...): want the connection to stay, got %v", tc.Reason, err)
			}
		})
	}
}

// mount returns a copy of a directory as Kubernetes mounts it: the files are links into a folder, to which another link leads.
func mount(t *testing.T, from string) string {
	t.Helper()

	dir := t.TempDir()

	err := errors.Join(os.CopyFS(filepath.Join(dir, "..before"), os.DirFS(from)), os.Symlink("..before", filepath.Join(dir, "..data")))
	for _, name := range []string{"tls.crt", "tls.key", "ca.crt"} {
		err = errors.Join(err, os.Symlink(filepath.Join("..data", name), filepath.Join(dir, name)))
	}

	if err != nil {
		t.Fatal(err)
	}

	return dir
}

// TestWarnsOfExpired proves that the log says why nobody can connect.
func TestWarnsOfExpired(t *testing.T) {
	now := time.Now().UTC().Truncate(time.Second)

	type line struct {
		Msg      string    `json:"msg"`
		File     string    `json:"file"`
		Subject  string    `json:"subject"`
		NotAfter time.Time `json:"not_after"` //nolint:tagliatelle // It is how logs write it.
	}

	cases := map[string]struct {
		reason   string
		notAfter time.Time
		want     []string
	}{
		"Expired": {
			reason:   "The server's certificate and the CA's should be named.",
			notAfter: now.Add(-time.Minute),
			want:     []string{"tls.crt", "ca.crt"},
		},
		"Valid": {
			reason:   "Nothing should be said of what is valid.",
			notAfter: now.Add(time.Hour),
		},
	}

	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			writeCertificate(t, dir, tc.notAfter)

			ctx, stop := context.WithCancel(t.Context())
			stop()

			b := &bytes.Buffer{}
			log := slog.New(slog.NewJSONHandler(b, &slog.HandlerOptions{Level: slog.LevelWarn}))

			if err := (&Command{TLSCertsDir: dir, MaxRecvMessageSize: 4, New: fake{}.make}).serve(ctx, listen(t), log); err != nil {
				t.Fatalf("serve(...): unexpected error: %v", err)
			}

			var want, got []line

			for _, file := range tc.want {
				want = append(want, line{Msg: "A certificate has expired, so connections will be refused", File: filepath.Join(dir, file), Subject: "CN=function", NotAfter: tc.notAfter})
			}

			for d := json.NewDecoder(b); d.More(); {
				l := line{}
				if err := d.Decode(&l); err != nil {
					t.Fatal(err)
				}

				got = append(got, l)
			}

			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("\n%s\nserve(...): -want warnings, +got warnings:\n%s", tc.reason, diff)
			}
		})
	}
}

// TestWarnsOnceOfFiles proves that clients, who need no certificate to connect, can't fill the log.
func TestWarnsOnceOfFiles(t *testing.T) {
	dir := t.TempDir()
	writeCertificate(t, dir, time.Now().Add(time.Hour))

	ours, lis, log := load(t, dir), listen(t), &strings.Builder{}

	ctx, stop := context.WithCancel(t.Context())
	served := make(chan error, 1)

	go func() {
		served <- (&Command{TLSCertsDir: dir, MaxRecvMessageSize: 4, New: fake{}.make}).serve(ctx, lis, slog.New(slog.NewTextHandler(log, nil)))
	}()

	if err := check(t, dial(t, lis, ours, &tls.Config{Certificates: ours})); err != nil {
		t.Fatalf("Check(...): unexpected error: %v", err)
	}

	if err := os.Remove(filepath.Join(dir, "tls.key")); err != nil {
		t.Fatal(err)
	}

	for range 3 {
		if err := check(t, dial(t, lis, ours, &tls.Config{})); status.Code(err) != codes.Unavailable {
			t.Errorf("Check(...): want to be refused without a certificate, got %v", err)
		}
	}

	stop()

	if err := <-served; err != nil {
		t.Errorf("serve(...): unexpected error: %v", err)
	}

	if got := strings.Count(log.String(), "Cannot load certificates"); got != 1 {
		t.Errorf("serve(...): want one line of the log for three connections, got %d:\n%s", got, log)
	}
}
