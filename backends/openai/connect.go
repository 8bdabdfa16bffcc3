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

// dialFunc makes connections.
type dialFunc func(ctx context.Context, network, address string) (net.Conn, error)

// newClient returns a client that keeps a connection for each request at a time. It speaks HTTP/1.1: each stream has a
// connection of its own, so that none waits for the others' packets. dial may be nil.
func newClient(s openaiSettings, dial dialFunc) (*http.Client, *poolTransport, error) {
	config, err := s.tlsConfig()
	if err != nil {
		return nil, nil, err
	}
	t := &poolTransport{config: config, dial: s.makeDialer(dial), connect: s.connect, unused: s.unused}
	return &http.Client{
		Transport: t,
		CheckRedirect: func(to *http.Request, _ []*http.Request) error {
			return fmt.Errorf("%w: %s", errRedirect, to.URL.Redacted())
		},
	}, t, nil
}

// errSwitched is an answer that is none.
var errSwitched = fmt.Errorf("%w: it answers 101 Switching Protocols, which it was not asked for", ErrStream)

// tlsConfig is how servers are trusted.
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

// makeDialer makes a dialer of dial, or if that is nil of the network. A host that vanishes while an answer is awaited
// is noticed after 30 s.
func (s openaiSettings) makeDialer(dial dialFunc) dialFunc {
	if dial != nil {
		return dial
	}
	alive := net.KeepAliveConfig{Enable: true, Idle: 10 * time.Second, Interval: 5 * time.Second, Count: 4}
	return (&net.Dialer{Timeout: s.connect, KeepAliveConfig: alive}).DialContext
}

// dialError is a connection that could not be made.
type dialError struct {
	error
	handshake bool // a server is there, and the connection is not secure
}

func (e *dialError) Unwrap() error { return e.error }

// Error says what to do where it is this machine that has no more connections, and not the server.
func (e *dialError) Error() string {
	if e.outOfFiles() {
		return e.error.Error() + " here: allow more before the command, as with ulimit -n 65536"
	}
	return e.error.Error()
}

// outOfFiles tells whether this process, or this machine, has as many open files as it may have.
func (e *dialError) outOfFiles() bool {
	return errors.Is(e.error, syscall.EMFILE) || errors.Is(e.error, syscall.ENFILE)
}

// errRedirect: a POST that is sent elsewhere may arrive as a GET, and a key at another host.
var errRedirect = errors.New("the server redirects: use the address that it points to")
