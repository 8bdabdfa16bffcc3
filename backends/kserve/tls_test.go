package kserve

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"errors"
	"math/big"
	"net"
	"os"
	"path/filepath"
	"testing"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials"

	"github.com/plumbline-ml/plumbline/sdk/backend"
)

func TestTokenAndTLS(t *testing.T) {
	cert, ca := certificate(t, time.Hour, loopback, own())
	srv := serve(t, &server{token: "secret", streams: true}, "", grpc.Creds(credentials.NewServerTLSFromCert(&cert)))
	b := Backend{Lookup: func(name string) (string, bool) { return "secret\n", name == "MY_TOKEN" }} // as a file has it
	for _, stream := range []string{"on", "off"} {
		s, err := b.Open(t.Context(), doubler(), backend.Config{Options: map[string]string{
			"url": "grpcs://" + srv.address, "ca": ca, "token_env": "MY_TOKEN", "stream": stream,
		}})
		if err != nil {
			t.Fatal(err)
		}
		if err := errors.Join(run(t.Context(), s), s.Close()); err != nil {
			t.Error(err)
		}
	}
}

// TestCertificateFaults checks that certificate faults are reported immediately: connect_timeout is an hour.
func TestCertificateFaults(t *testing.T) {
	good, _ := certificate(t, time.Hour, loopback, own())
	_, other := certificate(t, time.Hour, loopback, own())
	expired, expiredCA := certificate(t, -time.Hour, loopback, own())
	elsewhere, elsewhereCA := certificate(t, time.Hour, net.IPv4(192, 0, 2, 1))
	for name, c := range map[string]struct {
		cert tls.Certificate
		ca   string
		want string
	}{
		"another authority": {good, other, "certificate"},
		"no authority":      {good, "", "unknown authority"},
		"expired":           {expired, expiredCA, "expired"},
		"another name":      {elsewhere, elsewhereCA, "192.0.2.1"},
	} {
		t.Run(name, func(t *testing.T) {
			srv := serve(t, &server{}, "", grpc.Creds(credentials.NewServerTLSFromCert(&c.cert)))
			options := map[string]string{"url": "grpcs://" + srv.address, "connect_timeout": "1h"}
			if c.ca != "" {
				options["ca"] = c.ca
			}
			_, err := Backend{}.Open(t.Context(), doubler(), backend.Config{Options: options})
			wantAll(t, err, srv.address, "certificate is refused", "option ca", c.want)
		})
	}
}

var loopback = net.IPv4(127, 0, 0, 1)

// certificate creates a certificate for addresses that expires after a given time, and a PEM file with it.
func certificate(t *testing.T, validity time.Duration, addresses ...net.IP) (tls.Certificate, string) {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	template := &x509.Certificate{
		SerialNumber: big.NewInt(1), Subject: pkix.Name{CommonName: "test"}, NotAfter: time.Now().Add(validity),
		IPAddresses: addresses, IsCA: true, BasicConstraintsValid: true,
	}
	der, err := x509.CreateCertificate(rand.Reader, template, template, &key.PublicKey, key)
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), "ca.pem")
	if err := os.WriteFile(path, pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: der}), 0o600); err != nil {
		t.Fatal(err)
	}
	return tls.Certificate{Certificate: [][]byte{der}, PrivateKey: key}, path
}
