package live

import (
	"context"
	"crypto"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"fmt"
	"math/big"
	"os"
	"path/filepath"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials"

	fnv1 "github.com/crossplane/function-sdk-go/proto/v1"
)

// An Authority issues certificates.
type Authority struct {
	Certificate *x509.Certificate

	key crypto.PrivateKey
}

// NewAuthority makes an authority that nobody trusts.
func NewAuthority() (*Authority, error) {
	a := &Authority{}

	c, err := a.Issue()
	if err != nil {
		return nil, err
	}

	return &Authority{Certificate: c.Leaf, key: c.PrivateKey}, nil
}

// Authority that Crossplane has made for its functions and itself.
func (c *Cluster) Authority() (*Authority, error) {
	pair, err := tls.LoadX509KeyPair(filepath.Join(c.dir, secretCA, "tls.crt"), filepath.Join(c.dir, secretCA, "tls.key"))
	if err != nil {
		return nil, err
	}

	return &Authority{Certificate: pair.Leaf, key: pair.PrivateKey}, nil
}

// Issue a certificate for functions and for who calls them. The first is the authority's own.
func (a *Authority) Issue() (tls.Certificate, error) {
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return tls.Certificate{}, err
	}

	c := &x509.Certificate{
		SerialNumber:          big.NewInt(time.Now().UnixNano()),
		Subject:               pkix.Name{CommonName: host},
		DNSNames:              []string{host, serviceHost},
		NotBefore:             time.Now().Add(-time.Hour),
		NotAfter:              time.Now().Add(24 * time.Hour),
		KeyUsage:              x509.KeyUsageDigitalSignature | x509.KeyUsageCertSign,
		ExtKeyUsage:           []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth, x509.ExtKeyUsageClientAuth},
		BasicConstraintsValid: true,
		IsCA:                  a.Certificate == nil,
	}

	parent, signer := a.Certificate, a.key
	if c.IsCA {
		parent, signer = c, key
	}

	der, err := x509.CreateCertificate(rand.Reader, c, parent, key.Public(), signer)
	if err != nil {
		return tls.Certificate{}, fmt.Errorf("cannot issue a certificate: %w", err)
	}

	leaf, err := x509.ParseCertificate(der)

	return tls.Certificate{Certificate: [][]byte{der}, PrivateKey: key, Leaf: leaf}, err
}

// Certify the function anew, by the authority.
func (c *Cluster) Certify(by *Authority) (tls.Certificate, error) {
	return by.Certify(filepath.Join(c.dir, secretServer))
}

// Certify writes a new certificate of the authority, which is returned, and the authority's own to where a function reads them.
func (a *Authority) Certify(dir string) (tls.Certificate, error) {
	issued, err := a.Issue()
	if err != nil {
		return issued, err
	}

	key, err := x509.MarshalPKCS8PrivateKey(issued.PrivateKey)
	if err != nil {
		return issued, err
	}

	for name, block := range map[string]*pem.Block{
		"tls.crt": {Type: "CERTIFICATE", Bytes: issued.Leaf.Raw},
		"tls.key": {Type: "PRIVATE KEY", Bytes: key},
		"ca.crt":  {Type: "CERTIFICATE", Bytes: a.Certificate.Raw},
	} {
		if err := os.WriteFile(filepath.Join(dir, name), pem.EncodeToMemory(block), 0o600); err != nil {
			return issued, err
		}
	}

	return issued, nil
}

// Call the function on a new connection, with the certificates of the client, if it has any. The
// certificate of the function must be trusted, or one that it has signed.
func (c *Cluster) Call(ctx context.Context, trusted *x509.Certificate, client ...tls.Certificate) error {
	config := &tls.Config{MinVersion: tls.VersionTLS12, ServerName: host, Certificates: client, RootCAs: x509.NewCertPool()}
	config.RootCAs.AddCert(trusted)

	conn, err := grpc.NewClient(c.address(), grpc.WithTransportCredentials(credentials.NewTLS(config)))
	if err != nil {
		return err
	}
	defer conn.Close() //nolint:errcheck // The call is over.

	_, err = fnv1.NewFunctionRunnerServiceClient(conn).RunFunction(ctx, &fnv1.RunFunctionRequest{})

	return err
}
