package fetch

import (
	"errors"
	"fmt"
	"net"
	"net/http"
	"time"
)

// maxRedirects limits the redirects of one request. Archives use few, from a landing page to mirrors.
const maxRedirects = 10

// errRedirect is the error for a rejected redirect.
var errRedirect = errors.New("refused redirect")

// newClient returns a client that stores bytes unchanged (without transparent decompression) and limits redirects.
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

// checkRedirect rejects long chains, schemes except http and https, and the change from https to http.
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
