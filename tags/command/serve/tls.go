package serve

import (
	"context"
	"crypto/x509"
	"encoding/pem"
	"log/slog"
	"os"
	"path/filepath"
	"time"

	"google.golang.org/grpc/credentials"

	"github.com/crossplane/function-sdk-go"
	"github.com/crossplane/function-sdk-go/errors"
)

// credentials by which the function is served.
func (c *Command) credentials() (credentials.TransportCredentials, error) {
	option := function.MTLSCertificates(c.TLSCertsDir)
	if c.Insecure {
		option = function.Insecure(true)
	}

	so := &function.ServeOptions{}
	if err := option(so); err != nil {
		return nil, errors.Wrap(err, "cannot set up mTLS")
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
