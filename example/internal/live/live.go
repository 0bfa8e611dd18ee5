// Package live runs the function of this repository in a cluster: a real API server,
// with etcd and Crossplane, which calls the function with mTLS. There are no nodes, and no
// controllers of providers: whoever uses the cluster plays the cloud. Neither Docker nor
// anything installed is needed.
package live

import (
	"bytes"
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"encoding/base64"
	"encoding/pem"
	"errors"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/clientcmd"
	clientcmdapi "k8s.io/client-go/tools/clientcmd/api"

	"github.com/plexsphere/function-cloud-tags/example/internal/functions"
	"github.com/plexsphere/function-cloud-tags/example/internal/process"
	"github.com/plexsphere/function-cloud-tags/example/internal/testfunction"
	"github.com/plexsphere/function-cloud-tags/example/internal/tool"
)

// namespace of Crossplane.
const namespace = "crossplane-system"

// host of the functions. Their certificate is for it.
const host = "localhost"

// Names of the Secrets with the certificates that Crossplane makes. Crossplane looks for the functions' Secret by
// its name when it installs the function of this repository.
const (
	secretCA     = "crossplane-root-ca"
	secretServer = functions.CloudTags + "-tls-server"
	secretClient = "client"
)

// A Cluster runs until it is stopped.
type Cluster struct {
	Platform

	// Function is the binary of the function of this repository, of the package that is installed.
	Function string

	root  string
	dir   string
	parts map[string]*Part
	stop  []func()

	config   *rest.Config
	client   dynamic.Interface
	registry string
	metrics  string
}

// A stage of what a cluster starts.
type stage struct {
	does string
	do   func(context.Context) error
}

// Start a cluster with Crossplane and the functions. All of it ends with the
// context, too.
func Start(ctx context.Context, root string, platform Platform) (*Cluster, error) {
	return start(ctx, root, platform, func(c *Cluster) []stage {
		return append(c.kindStages(),
			stage{does: "start Crossplane", do: c.startCrossplane(external)},
			stage{does: "start the registry", do: c.startRegistry},
			stage{does: "install the function", do: func(ctx context.Context) error { return c.InstallFunction(ctx, "v0.1.0") }},
			stage{does: "start the test function", do: c.startTestFunction})
	})
}

// StartKinds starts a cluster that has the kinds of Crossplane, but runs nothing of it: objects stay as they are.
func StartKinds(ctx context.Context, root string) (*Cluster, error) {
	return start(ctx, root, Platform{Release: V2, Kubernetes: Newest}, (*Cluster).kindStages)
}

// StartPackages starts a cluster whose Crossplane installs packages: it makes a Deployment of each, of which nobody makes pods.
func StartPackages(ctx context.Context, root string) (*Cluster, error) {
	return start(ctx, root, Platform{Release: V2, Kubernetes: Newest}, func(c *Cluster) []stage {
		return append(c.kindStages(),
			stage{does: "start Crossplane", do: c.startCrossplane(deployment)},
			stage{does: "start the registry", do: c.startRegistry})
	})
}

// StartServer starts an API server alone. It has what is built in.
func StartServer(ctx context.Context, root string) (*Cluster, error) {
	return start(ctx, root, Platform{Release: V2, Kubernetes: Newest}, func(c *Cluster) []stage { return c.kindStages()[:2] })
}

func (c *Cluster) kindStages() []stage {
	return []stage{
		{does: "start etcd", do: c.startEtcd},
		{does: "start the API server", do: c.startAPIServer},
		{does: "install Crossplane", do: c.installCrossplane},
	}
}

func start(ctx context.Context, root string, platform Platform, stages func(*Cluster) []stage) (*Cluster, error) {
	dir, err := os.MkdirTemp("", "live-")
	if err != nil {
		return nil, fmt.Errorf("cannot make a temporary folder: %w", err)
	}

	c := &Cluster{root: root, dir: dir, parts: make(map[string]*Part), Platform: platform}
	c.stop = append(c.stop, func() { _ = os.RemoveAll(dir) })

	for _, s := range stages(c) {
		if err := s.do(ctx); err != nil {
			c.Stop()
			return nil, fmt.Errorf("cannot %s: %w", s.does, err)
		}
	}

	return c, nil
}

// Stop everything that Start has started, and remove what it has left.
func (c *Cluster) Stop() {
	for _, stop := range slices.Backward(c.stop) {
		stop()
	}
}

// startEtcd on sockets, which need no free ports.
func (c *Cluster) startEtcd(ctx context.Context) error {
	binary, err := tool.Build(ctx, c.root, "etcd")
	if err != nil {
		return err
	}

	return c.start(ctx, process.Program{Name: Etcd, Binary: binary, Dir: c.dir, Args: []string{
		"--data-dir=etcd",
		"--listen-client-urls=" + c.etcd(),
		"--listen-peer-urls=unix://" + filepath.Join(c.dir, "etcd-peer.sock"),
		"--advertise-client-urls=http://" + host + ":2379", // It has to be one. Nobody asks for it.
		"--unsafe-no-fsync",
	}}, func(context.Context) error {
		_, err := os.Stat(strings.TrimPrefix(c.etcd(), "unix://"))
		return err
	})
}

func (c *Cluster) etcd() string { return "unix://" + filepath.Join(c.dir, "etcd.sock") }

func (c *Cluster) startAPIServer(ctx context.Context) error {
	const token = "admin"

	binary, err := tool.Build(ctx, c.root, string(c.Kubernetes))
	if err != nil {
		return err
	}

	key, err := privateKey()
	if err != nil {
		return err
	}

	for name, text := range map[string][]byte{
		"tokens.csv":          []byte(token + ",admin,admin,system:masters\n"),
		"service-account.key": key,
	} {
		if err := os.WriteFile(filepath.Join(c.dir, name), text, 0o600); err != nil {
			return err
		}
	}

	return c.listening(ctx, 1, func(ports []int) error {
		p := process.Program{Name: APIServer, Binary: binary, Dir: c.dir, Args: []string{
			"--etcd-servers=" + c.etcd(),
			"--bind-address=127.0.0.1",
			"--advertise-address=127.0.0.1", // There may be no other network.
			"--endpoint-reconciler-type=none",
			fmt.Sprintf("--secure-port=%d", ports[0]),
			"--cert-dir=certificates", // It makes one of its own.
			"--token-auth-file=tokens.csv",
			"--authorization-mode=AlwaysAllow",
			"--service-account-issuer=https://kubernetes.default.svc",
			"--service-account-key-file=service-account.key",
			"--service-account-signing-key-file=service-account.key",
			"--service-cluster-ip-range=10.0.0.0/24",
			"--disable-admission-plugins=ServiceAccount",
		}}

		c.config = &rest.Config{
			Host:            fmt.Sprintf("https://127.0.0.1:%d", ports[0]),
			BearerToken:     token,
			TLSClientConfig: rest.TLSClientConfig{CAFile: filepath.Join(c.dir, "certificates", "apiserver.crt")},
			QPS:             -1, // No limit.
			WarningHandler:  rest.NoWarnings{},
		}

		return c.start(ctx, p, c.connect)
	})
}

// privateKey returns a key for the API server to sign tokens with.
func privateKey() ([]byte, error) {
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return nil, err
	}

	der, err := x509.MarshalECPrivateKey(key)
	if err != nil {
		return nil, err
	}

	return pem.EncodeToMemory(&pem.Block{Type: "EC PRIVATE KEY", Bytes: der}), nil
}

// connect to the API server, if it is ready.
func (c *Cluster) connect(ctx context.Context) error {
	client, err := rest.HTTPClientFor(c.config)
	if err != nil {
		return err // It has no certificate yet.
	}

	if _, err := process.Get(ctx, client, c.config.Host+"/readyz"); err != nil {
		return err
	}

	if c.client == nil { // Else others use it, and it finds the server when that has been started again.
		c.client, err = dynamic.NewForConfigAndClient(c.config, client)
	}

	return err
}

// installCrossplane makes its kinds and certificates. It makes a certificate for
// webhooks, too. There are none here, so that one is the functions'. v1 looks for its kinds
// in a folder at the root of the file system, so that v2 installs them.
func (c *Cluster) installCrossplane(ctx context.Context) error {
	source, err := tool.Source(ctx, c.root, string(c.Release), "tool")
	if err != nil {
		return err
	}

	webhooks := filepath.Join(c.dir, "webhooks")
	if err := os.Mkdir(webhooks, 0o700); err != nil {
		return err
	}

	if err := c.writeKubeconfig(); err != nil {
		return err
	}

	if err := c.Apply(ctx, "test", &unstructured.Unstructured{Object: map[string]any{
		"apiVersion": "v1", "kind": "Namespace", "metadata": map[string]any{"name": namespace},
	}}); err != nil {
		return err
	}

	installer := c.Release
	if installer == V1 {
		installer = V2
	}

	install, err := c.crossplane(ctx, "crossplane-init", installer, []string{"core", "init"},
		"CRDS_PATH="+filepath.Join(source, "cluster", "crds"),
		"WEBHOOK_ENABLED=true",
		"WEBHOOK_CONFIGS_PATH="+webhooks,
		"WEBHOOK_SERVICE_NAME="+host,
		"WEBHOOK_SERVICE_NAMESPACE="+namespace,
		"WEBHOOK_SERVICE_PORT=443",
		"TLS_CA_SECRET_NAME="+secretCA,
		"TLS_SERVER_SECRET_NAME="+secretServer,
		"TLS_CLIENT_SECRET_NAME="+secretClient,
	)
	if err != nil {
		return err
	}

	// It uses its kinds before they are served, and has to be started again then, as
	// the kubelet would.
	if err := process.Eventually(ctx, install.Run); err != nil {
		return err
	}

	return errors.Join(c.saveCertificates(ctx, secretCA), c.saveCertificates(ctx, secretServer), c.saveCertificates(ctx, secretClient))
}

func (c *Cluster) crossplane(ctx context.Context, name string, release Release, args []string, env ...string) (process.Program, error) {
	binary, err := tool.Build(ctx, c.root, string(release))
	env = append(env, "KUBECONFIG="+c.kubeconfig(), "POD_NAMESPACE="+namespace)

	return process.Program{Name: name, Binary: binary, Dir: c.dir, Args: args, Env: env}, err
}

func (c *Cluster) kubeconfig() string { return filepath.Join(c.dir, "kubeconfig") }

func (c *Cluster) writeKubeconfig() error {
	k := clientcmdapi.NewConfig()
	k.CurrentContext = "live"
	k.Contexts["live"] = &clientcmdapi.Context{Cluster: "live", AuthInfo: "live"}
	k.Clusters["live"] = &clientcmdapi.Cluster{Server: c.config.Host, CertificateAuthority: c.config.CAFile}
	k.AuthInfos["live"] = &clientcmdapi.AuthInfo{Token: c.config.BearerToken}

	return clientcmd.WriteToFile(*k, c.kubeconfig())
}

// saveCertificates writes what is in a Secret to files in a folder of its name.
func (c *Cluster) saveCertificates(ctx context.Context, name string) error {
	secret := &unstructured.Unstructured{}
	secret.SetAPIVersion("v1")
	secret.SetKind("Secret")
	secret.SetNamespace(namespace)

	secret, err := c.ClientFor(secret).Get(ctx, name, metav1.GetOptions{})
	if err != nil {
		return err
	}

	if err := os.Mkdir(filepath.Join(c.dir, name), 0o700); err != nil {
		return err
	}

	data, _, err := unstructured.NestedStringMap(secret.Object, "data")
	if err != nil {
		return err
	}

	for file, encoded := range data {
		text, err := base64.StdEncoding.DecodeString(encoded)
		if err != nil {
			return err
		}

		if err := os.WriteFile(filepath.Join(c.dir, name, file), text, 0o600); err != nil {
			return err
		}
	}

	return nil
}

// Package runtimes of Crossplane say who runs the program of a package.
const (
	external   = "External"
	deployment = "Deployment"
)

// startCrossplane starts it with a package runtime. It doesn't wait until Crossplane is ready: a test that waits for its work waits
// for it, too.
func (c *Cluster) startCrossplane(runtime string) func(context.Context) error {
	return func(ctx context.Context) error {
		// Packages can't be unpacked if it can't keep them.
		packages := filepath.Join(c.dir, "xpkg")
		if err := os.Mkdir(packages, 0o700); err != nil {
			return err
		}

		args := []string{"core", "start"}
		if c.Release != V1 {
			// Tests change more in a second than Crossplane finds sane.
			args = append(args, "--enable-operations", "--circuit-breaker-burst=1000000")
		}

		p, err := c.crossplane(ctx, Crossplane, c.Release, args,
			"PACKAGE_RUNTIME="+runtime,
			"WEBHOOK_ENABLED=false",
			"METRICS_PORT=0", // Any that is free.
			"HEALTH_PROBE_PORT=0",
			"TLS_CLIENT_CERTS_DIR="+filepath.Join(c.dir, secretClient),
			"XPKG_CACHE_DIR="+packages,
		)
		if err != nil {
			return err
		}

		return c.start(ctx, p, func(context.Context) error { return nil })
	}
}

func (c *Cluster) startTestFunction(ctx context.Context) error {
	config, err := c.serverTLS()
	if err != nil {
		return err
	}

	l, err := process.Listen(ctx)
	if err != nil {
		return err
	}

	c.stop = append(c.stop, functions.Serve(testfunction.Function{}, tls.NewListener(l, config)))

	return c.registerFunction(ctx, functions.TestResources, "example.org/function-test-resources:v0.0.0", fmt.Sprintf("%s:%d", host, process.PortOf(l)))
}

// serverTLS is what the test function serves with.
func (c *Cluster) serverTLS() (*tls.Config, error) {
	file := func(name string) string { return filepath.Join(c.dir, secretServer, name) }

	certificate, err := tls.LoadX509KeyPair(file("tls.crt"), file("tls.key"))
	if err != nil {
		return nil, err
	}

	ca, err := os.ReadFile(file("ca.crt"))
	if err != nil {
		return nil, err
	}

	pool := x509.NewCertPool()
	pool.AppendCertsFromPEM(ca)

	return &tls.Config{
		Certificates: []tls.Certificate{certificate},
		ClientAuth:   tls.RequireAndVerifyClientCert,
		ClientCAs:    pool,
		MinVersion:   tls.VersionTLS13,
		NextProtos:   []string{"h2"}, // gRPC insists on it.
	}, nil
}

// registerFunction makes a FunctionRevision with the address of a function, as the package manager does. The
// annotation tells it to leave this one alone.
func (c *Cluster) registerFunction(ctx context.Context, name, image, address string) error {
	revision := &unstructured.Unstructured{Object: map[string]any{
		"apiVersion": "pkg.crossplane.io/v1",
		"kind":       "FunctionRevision",
		"metadata": map[string]any{
			"name":        name,
			"labels":      map[string]any{"pkg.crossplane.io/package": name},
			"annotations": map[string]any{"crossplane.io/paused": "true"},
		},
		"spec": map[string]any{"desiredState": "Active", "image": image, "revision": int64(1)},
	}}

	if err := c.Apply(ctx, "test", revision); err != nil {
		return err
	}

	status := map[string]any{"endpoint": address}
	if c.Release != V1 {
		status["capabilities"] = []any{"composition", "operation"}
	}

	revision.Object["status"] = status
	delete(revision.Object, "spec")

	return c.ApplyStatus(ctx, "test", revision)
}

// ClientFor returns a client for objects of o's kind, in o's namespace.
func (c *Cluster) ClientFor(o *unstructured.Unstructured) dynamic.ResourceInterface {
	resource, _ := meta.UnsafeGuessKindToResource(o.GroupVersionKind())
	if o.GetNamespace() == "" {
		return c.client.Resource(resource)
	}

	return c.client.Resource(resource).Namespace(o.GetNamespace())
}

// Apply objects as a field manager, whatever others have set.
func (c *Cluster) Apply(ctx context.Context, manager string, objects ...*unstructured.Unstructured) error {
	for _, o := range objects {
		if _, err := c.ClientFor(o).Apply(ctx, o.GetName(), o, metav1.ApplyOptions{FieldManager: manager, Force: true}); err != nil {
			return fmt.Errorf("cannot apply %s %s: %w", o.GetKind(), o.GetName(), err)
		}
	}

	return nil
}

// ApplyStatus applies the status of an object, as Apply does.
func (c *Cluster) ApplyStatus(ctx context.Context, manager string, o *unstructured.Unstructured) error {
	if _, err := c.ClientFor(o).ApplyStatus(ctx, o.GetName(), o, metav1.ApplyOptions{FieldManager: manager, Force: true}); err != nil {
		return fmt.Errorf("cannot apply the status of %s %s: %w", o.GetKind(), o.GetName(), err)
	}

	return nil
}

// Metrics that the function serves.
func (c *Cluster) Metrics(ctx context.Context) (string, error) {
	return process.Get(ctx, http.DefaultClient, c.metrics)
}

// Log lines of the function.
func (c *Cluster) Log() ([][]byte, error) {
	text, err := os.ReadFile(process.Program{Name: functions.CloudTags, Dir: c.dir}.LogFile())
	return slices.Collect(bytes.Lines(text)), err
}

// Tails are the ends of all logs.
func (c *Cluster) Tails() string {
	files, _ := filepath.Glob(process.Program{Name: "*", Dir: c.dir}.LogFile()) // The pattern is good.

	tails := make([]string, 0, len(files))
	for _, file := range files {
		tails = append(tails, process.Tail(file))
	}

	return strings.Join(tails, "\n")
}
