package serve

import (
	"bytes"
	"context"
	"crypto/tls"
	"crypto/x509"
	"encoding/pem"
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"time"

	"google.golang.org/grpc/credentials"
	"google.golang.org/grpc/credentials/insecure"

	"github.com/crossplane/function-sdk-go/errors"
)

// Crossplane mounts a directory with these files into the function.
const (
	certFile = "tls.crt"
	keyFile  = "tls.key"
	caFile   = "ca.crt"
)

// warnInterval is the shortest time between two lines of the log that say the same of connections.
const warnInterval = time.Minute

// credentials returns the credentials of the server. certified reports whether its certificates are valid now.
func (c *Command) credentials(ctx context.Context, log *slog.Logger) (_ credentials.TransportCredentials, certified func(context.Context) bool, _ error) {
	switch {
	case c.Insecure:
		return insecure.NewCredentials(), func(context.Context) bool { return true }, nil
	case c.TLSCertsDir == "":
		return nil, nil, errors.New("no credentials: give --tls-certs-dir, or --insecure to run without mTLS; --help lists all commands")
	}

	k := &keyring{dir: c.TLSCertsDir, log: log}
	if err := k.load(ctx); err != nil {
		return nil, nil, errors.Wrap(err, "cannot set up mTLS")
	}

	return credentials.NewTLS(&tls.Config{MinVersion: tls.VersionTLS12, GetConfigForClient: k.forClient}), k.certified, nil
}

// A keyring has the certificate and the CA in a directory. Their files may be replaced at any time: one after the other, or all
// at once, as Kubernetes does.
type keyring struct {
	dir string
	log *slog.Logger

	mutex sync.Mutex

	// files are the last loaded texts of the certificate, its key and the CA.
	files       [][]byte
	config      *tls.Config
	authorities []*x509.Certificate

	// warned is when the log last said that files can't be loaded.
	warned time.Time
}

// forClient returns the configuration of a new connection, with the files in the directory now. If a file is incomplete, or the
// key is for another certificate, it returns the configuration before. Open connections stay.
func (k *keyring) forClient(client *tls.ClientHelloInfo) (*tls.Config, error) {
	k.mutex.Lock()
	defer k.mutex.Unlock()

	k.reload(client.Context())

	return k.config, nil
}

// certified reports whether the server's certificate and at least one CA's certificate are valid now. Otherwise nobody can connect.
func (k *keyring) certified(ctx context.Context) bool {
	k.mutex.Lock()
	defer k.mutex.Unlock()

	k.reload(ctx)

	now := time.Now()
	isValid := func(c *x509.Certificate) bool { return !now.Before(c.NotBefore) && !now.After(c.NotAfter) }

	return isValid(k.config.Certificates[0].Leaf) && slices.ContainsFunc(k.authorities, isValid)
}

// reload loads the files of the directory, or warns that it can't.
func (k *keyring) reload(ctx context.Context) {
	err := k.load(ctx)
	if err == nil || time.Since(k.warned) < warnInterval {
		return
	}

	k.log.WarnContext(ctx, "Cannot load certificates, so those from before are used", "error", err.Error())
	k.warned = time.Now()
}

// load loads the files of the directory, unless they are the same as before.
func (k *keyring) load(ctx context.Context) error {
	var files [][]byte

	for _, f := range []struct{ name, err string }{
		{name: certFile, err: "cannot load X509 keypair"},
		{name: keyFile, err: "cannot load X509 keypair"},
		{name: caFile, err: "cannot read CA certificate"},
	} {
		text, err := os.ReadFile(filepath.Join(k.dir, f.name))
		if err != nil {
			return errors.Wrap(err, f.err)
		}

		files = append(files, text)
	}

	if slices.EqualFunc(files, k.files, bytes.Equal) {
		return nil
	}

	server, err := certificates(certFile, files[0])
	if err != nil {
		return err
	}

	authorities, err := certificates(caFile, files[2])
	if err != nil {
		return err
	}

	config, err := mutualTLS(files[0], files[1], authorities)
	if err != nil {
		return err
	}

	if k.config != nil {
		k.log.InfoContext(ctx, "Loaded new certificates", "dir", k.dir)
	}

	k.files, k.config, k.authorities = files, config, authorities

	k.warnOfExpired(ctx, certFile, server)
	k.warnOfExpired(ctx, caFile, authorities)

	return nil
}

// mutualTLS returns the configuration of a server with the certificate and its key, in PEM. Clients need a certificate of one of
// the authorities. No session is resumed, since the authorities may have changed after its beginning.
func mutualTLS(cert, key []byte, authorities []*x509.Certificate) (*tls.Config, error) {
	pair, err := tls.X509KeyPair(cert, key)
	if err != nil {
		return nil, errors.Wrap(err, "cannot load X509 keypair")
	}

	if len(authorities) == 0 {
		return nil, errors.New("cannot use " + caFile + ": it has no certificate in PEM")
	}

	clients := x509.NewCertPool()
	for _, ca := range authorities {
		clients.AddCert(ca)
	}

	return &tls.Config{
		MinVersion:             tls.VersionTLS12,
		Certificates:           []tls.Certificate{pair},
		ClientCAs:              clients,
		ClientAuth:             tls.RequireAndVerifyClientCert,
		SessionTicketsDisabled: true,
	}, nil
}

// certificates returns the certificates in the text of the file. It is an error if one can't be read, or is cut off because
// somebody is writing the file. Go's own parser skips both.
func certificates(file string, text []byte) (out []*x509.Certificate, _ error) {
	block, rest := pem.Decode(text)
	for ; block != nil; block, rest = pem.Decode(rest) {
		if block.Type != "CERTIFICATE" {
			continue
		}

		cert, err := x509.ParseCertificate(block.Bytes)
		if err != nil {
			return nil, errors.Wrap(err, "cannot read "+file)
		}

		out = append(out, cert)
	}

	if bytes.Contains(rest, []byte("-----BEGIN")) {
		return nil, errors.Errorf("cannot read %s: its last PEM block is cut off", file)
	}

	return out, nil
}

// warnOfExpired warns of expired certificates of the file. No client accepts an expired certificate of the server, and with an
// expired CA the server accepts no client. The log says nothing else about it.
func (k *keyring) warnOfExpired(ctx context.Context, file string, certs []*x509.Certificate) {
	for _, cert := range certs {
		if time.Now().After(cert.NotAfter) {
			k.log.WarnContext(ctx, "A certificate has expired, so connections will be refused",
				"file", filepath.Join(k.dir, file), "subject", cert.Subject.String(), "not_after", cert.NotAfter)
		}
	}
}
