package fetch

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"net"
	"time"
)

var errStalled = errors.New("nothing arrived for too long")

// watchdog ends a request if no bytes arrive for a time.
type watchdog struct {
	ctx    context.Context
	cancel context.CancelCauseFunc
	timer  *time.Timer
	limit  time.Duration
}

func startWatchdog(ctx context.Context, limit time.Duration) (context.Context, *watchdog) {
	ctx, cancel := context.WithCancelCause(ctx)
	w := &watchdog{ctx: ctx, cancel: cancel, limit: limit}
	w.timer = time.AfterFunc(limit, func() { cancel(errStalled) })
	return ctx, w
}

func (w *watchdog) stopTimer() {
	w.timer.Stop()
	w.cancel(nil)
}

// wrapReader returns a reader of r that resets the watchdog and marks transient failures.
func (w *watchdog) wrapReader(r io.Reader) io.Reader {
	return readerFunc(func(b []byte) (int, error) {
		n, err := r.Read(b)
		w.timer.Reset(w.limit)
		if err != nil && !errors.Is(err, io.EOF) {
			err = w.classifyError(err)
		}
		return n, err
	})
}

// classifyError returns a transientError for connection failures that another attempt may overcome.
func (w *watchdog) classifyError(err error) error {
	if cause := context.Cause(w.ctx); cause != nil {
		err = cause
	}
	var dns *net.DNSError
	var cert *tls.CertificateVerificationError
	if errors.Is(err, errRedirect) || errors.As(err, &cert) || errors.As(err, &dns) && dns.IsNotFound {
		return fmt.Errorf("%w: %w", ErrServer, err)
	}
	return transientError{error: err}
}
