package openai

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"net"
	"net/http"
	"syscall"
	"time"

	"github.com/plumbline-ml/plumbline/sdk/backend"
)

// dialFunc opens connections.
type dialFunc func(ctx context.Context, network, address string) (net.Conn, error)

// newClient returns a client that keeps as many connections as concurrent requests. It uses HTTP/1.1, so that each
// stream has its own connection and does not wait for other streams' packets. dial may be nil.
func newClient(s openaiSettings, dial dialFunc) (*http.Client, *poolTransport, error) {
	config, err := s.tlsConfig()
	if err != nil {
		return nil, nil, err
	}
	t := &poolTransport{config: config, dial: s.makeDialer(dial), connect: s.connect, unused: s.maxIdle}
	return &http.Client{
		Transport: t,
		CheckRedirect: func(to *http.Request, _ []*http.Request) error {
			return fmt.Errorf("%w: %s", errRedirect, to.URL.Redacted())
		},
	}, t, nil
}

// errSwitchedProtocols means that a server answered 101 Switching Protocols.
var errSwitchedProtocols = fmt.Errorf("%w: it answers 101 Switching Protocols, which it was not asked for", ErrStream)

// tlsConfig returns the TLS configuration of connections to servers.
func (s openaiSettings) tlsConfig() (*tls.Config, error) {
	config := &tls.Config{InsecureSkipVerify: s.insecure} //nolint:gosec // the user's choice, see option insecure
	if s.ca == "" {
		return config, nil
	}
	pem, err := backend.ReadFile(s.ca, 1<<20)
	if err != nil {
		return nil, fmt.Errorf("option ca: %w", err)
	}
	config.RootCAs = x509.NewCertPool()
	if !config.RootCAs.AppendCertsFromPEM(pem) {
		return nil, fmt.Errorf("option ca: %s holds no certificate in PEM form", s.ca)
	}
	return config, nil
}

// makeDialer returns dial or, if it is nil, a dialer for the network. It detects within 30 s that a host has vanished
// while an answer is pending.
func (s openaiSettings) makeDialer(dial dialFunc) dialFunc {
	if dial != nil {
		return dial
	}
	alive := net.KeepAliveConfig{Enable: true, Idle: 10 * time.Second, Interval: 5 * time.Second, Count: 4}
	return (&net.Dialer{Timeout: s.connect, KeepAliveConfig: alive}).DialContext
}

// dialError means that a connection could not be opened.
type dialError struct {
	error
	handshake bool // a server was reached, but the TLS handshake failed
}

func (e *dialError) Unwrap() error { return e.error }

// Error adds advice if this machine, not the server, has no more connections.
func (e *dialError) Error() string {
	if e.outOfFiles() {
		return e.error.Error() + " here: allow more before the command, as with ulimit -n 65536"
	}
	return e.error.Error()
}

// outOfFiles reports whether this process or this machine has reached its limit of open files.
func (e *dialError) outOfFiles() bool {
	return errors.Is(e.error, syscall.EMFILE) || errors.Is(e.error, syscall.ENFILE)
}

// errRedirect is returned for redirections, because a redirected POST may become a GET, and the API key may be sent to
// another host.
var errRedirect = errors.New("the server redirects: use the address that it points to")
