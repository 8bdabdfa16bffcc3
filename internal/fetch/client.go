package fetch

import (
	"errors"
	"fmt"
	"net"
	"net/http"
	"time"
)

// maxRedirects is how many redirects one request follows: archives hop between a landing page and mirrors, no more.
const maxRedirects = 10

// errRedirect is a redirect that is not followed.
var errRedirect = errors.New("refused redirect")

// newClient makes a client that stores bytes as they come (no transparent decompression) and follows few redirects.
func newClient(o Options) *http.Client {
	dialer := &net.Dialer{Timeout: 30 * time.Second, KeepAlive: 30 * time.Second}
	return &http.Client{
		Transport: &http.Transport{
			Proxy:                 o.Proxy,
			DialContext:           dialer.DialContext,
			ForceAttemptHTTP2:     true,
			TLSHandshakeTimeout:   30 * time.Second,
			ExpectContinueTimeout: time.Second,
			IdleConnTimeout:       30 * time.Second,
			DisableCompression:    true,
		},
		CheckRedirect: checkRedirect,
	}
}

// checkRedirect refuses long chains, other schemes, and the step from https down to http.
func checkRedirect(req *http.Request, via []*http.Request) error {
	if len(via) > maxRedirects {
		return fmt.Errorf("%w: more than %d", errRedirect, maxRedirects)
	}
	if err := checkURL(req.URL.String()); err != nil {
		return fmt.Errorf("%w to %s: %w", errRedirect, req.URL.Redacted(), err)
	}
	if via[len(via)-1].URL.Scheme == "https" && req.URL.Scheme == "http" {
		return fmt.Errorf("%w from https to %s: want https", errRedirect, req.URL.Redacted())
	}
	return nil
}
