package serve

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"encoding/pem"
	"log/slog"
	"os"
	"path/filepath"
	"time"

	"google.golang.org/grpc/credentials"
	"google.golang.org/grpc/credentials/insecure"

	"github.com/crossplane/function-sdk-go/errors"
)

// Files of the directory that Crossplane mounts into the function.
const (
	certFile = "tls.crt"
	keyFile  = "tls.key"
	caFile   = "ca.crt"
)

// credentials by which the function is served.
func (c *Command) credentials() (credentials.TransportCredentials, error) {
	switch {
	case c.Insecure:
		return insecure.NewCredentials(), nil
	case c.TLSCertsDir == "":
		return nil, errors.New("no credentials: give --tls-certs-dir, or --insecure to run without mTLS")
	}

	creds, err := mutualTLS(c.TLSCertsDir)

	return creds, errors.Wrap(err, "cannot set up mTLS")
}

// mutualTLS returns credentials of the certificate in the supplied directory, which accept
// clients that have one of the CA in there.
func mutualTLS(dir string) (credentials.TransportCredentials, error) {
	cert, err := tls.LoadX509KeyPair(filepath.Join(dir, certFile), filepath.Join(dir, keyFile))
	if err != nil {
		return nil, errors.Wrap(err, "cannot load X509 keypair")
	}

	ca, err := os.ReadFile(filepath.Join(dir, caFile)) //nolint:gosec // Whoever runs the function names it.
	if err != nil {
		return nil, errors.Wrap(err, "cannot read CA certificate")
	}

	clients := x509.NewCertPool()
	if !clients.AppendCertsFromPEM(ca) {
		return nil, errors.New("invalid CA certificate")
	}

	return credentials.NewTLS(&tls.Config{
		MinVersion:   tls.VersionTLS12,
		Certificates: []tls.Certificate{cert},
		ClientCAs:    clients,
		ClientAuth:   tls.RequireAndVerifyClientCert,
	}), nil
}

// warnOfExpired warns of certificates in the supplied directory that have expired at the
// supplied time. No client accepts the server's, and the server accepts no client that
// the CA's says is one. Nothing else would say so here.
func warnOfExpired(ctx context.Context, log *slog.Logger, dir string, now time.Time) {
	for _, name := range []string{certFile, caFile} {
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
