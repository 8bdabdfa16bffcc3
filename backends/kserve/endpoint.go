package kserve

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"github.com/plumbline-ml/plumbline/internal/oip"
	"github.com/plumbline-ml/plumbline/sdk/backend"
)

// serverEndpoint is one server. Its counters may be read at any time.
type serverEndpoint struct {
	url  string
	conn *grpc.ClientConn
	rpc  oip.GRPCInferenceServiceClient

	outstanding atomic.Int64 // batches in progress
	done        atomic.Uint64
	samples     atomic.Uint64 // of completed batches

	mu    sync.Mutex
	fault error // why the endpoint is lost; nil: it is not lost

	streams bool // requests use its stream
	opening sync.Mutex
	stream  *inferStream // opened by the first request
}

// markLost marks the endpoint as lost.
func (e *serverEndpoint) markLost(err error) {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.fault = err
}

func (e *serverEndpoint) lossReason() error {
	e.mu.Lock()
	defer e.mu.Unlock()
	return e.fault
}

// pickEndpoint selects the endpoint with the fewest batches in progress among those that are not lost, and counts a
// batch there. Among equal ones, it selects the one with the fewest completed batches.
func (s *kserveSession) pickEndpoint() (*serverEndpoint, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	var best *serverEndpoint
	var faults []error
	for _, e := range s.endpoints {
		if err := e.lossReason(); err != nil {
			faults = append(faults, fmt.Errorf("endpoint %s: %w", e.url, explainError(err)))
			continue
		}
		if best == nil || e.outstanding.Load() < best.outstanding.Load() ||
			e.outstanding.Load() == best.outstanding.Load() && e.done.Load() < best.done.Load() {
			best = e
		}
	}
	if best == nil {
		return nil, fmt.Errorf("every endpoint is lost: %w", errors.Join(faults...))
	}
	best.outstanding.Add(1)
	return best, nil
}

// watchLost periodically asks lost endpoints whether they are ready again. An endpoint that does not answer does not
// delay the others.
func (s *kserveSession) watchLost() {
	ctx, stop := context.WithCancel(context.Background())
	s.stop = stop
	for _, e := range s.endpoints {
		s.watching.Go(func() { s.watchEndpoint(ctx, e) })
	}
}

// watchEndpoint asks an endpoint once a second while it is lost.
func (s *kserveSession) watchEndpoint(ctx context.Context, e *serverEndpoint) {
	tick := time.NewTicker(time.Second)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
		if e.lossReason() != nil && s.isReadyAgain(ctx, e) {
			e.markLost(nil)
		}
	}
}

// isReadyAgain asks whether an endpoint is ready, with the same time limit as at the start.
func (s *kserveSession) isReadyAgain(ctx context.Context, e *serverEndpoint) bool {
	ctx, cancel := context.WithTimeout(ctx, s.settings.connect)
	defer cancel()
	return s.askReady(ctx, e) == nil
}

// isConnError distinguishes errors of the connection from errors of the request.
func isConnError(err error) bool { return status.Code(err) == codes.Unavailable }

// explainError describes a server's error for the user.
func explainError(err error) error {
	s, ok := status.FromError(err)
	if !ok {
		return err
	}
	switch s.Code() {
	case codes.Unavailable:
		return unavailableError(s.Message())
	case codes.DeadlineExceeded:
		return errors.New("no answer in time (option timeout)")
	case codes.Unimplemented:
		return fmt.Errorf("does not speak the Open Inference Protocol v2 over gRPC: %s", s.Message())
	case codes.Unauthenticated, codes.PermissionDenied:
		return fmt.Errorf("refuses the token (option token_env): %s", s.Message())
	case codes.NotFound:
		return fmt.Errorf("%w: the server does not have it (option model): %s", backend.ErrModel, s.Message())
	}
	return fmt.Errorf("%s (%v)", s.Message(), s.Code())
}

// unavailableError describes an Unavailable error. Only the text shows whether it comes from the server or from gRPC's
// connection.
func unavailableError(message string) error {
	if reason, ok := strings.CutPrefix(message, "connection error: "); ok {
		return unreachableError(reason)
	}
	if reason, ok := strings.CutPrefix(message, "error reading from server: "); ok {
		return fmt.Errorf("the connection broke: %s", reason)
	}
	return fmt.Errorf("unavailable: %s", message)
}

// unreachableError describes why there is no connection.
func unreachableError(reason string) error {
	switch {
	case certificateFault(reason):
		return fmt.Errorf("its certificate is refused: %s (option ca names the authority's certificate; url must have a "+
			"name that the server's certificate has)", reason)
	case strings.Contains(reason, "no such host"):
		return fmt.Errorf("cannot be reached: its name is unknown (option url): %s", reason)
	}
	return fmt.Errorf("cannot be reached: %s", reason)
}

func certificateFault(reason string) bool { return strings.Contains(reason, "x509: ") }

// isPermanent distinguishes permanent faults from faults of a server that is starting.
func isPermanent(err error) bool {
	s, _ := status.FromError(err)
	switch s.Code() {
	case codes.Unauthenticated, codes.PermissionDenied:
		return true
	case codes.Unavailable:
		return certificateFault(s.Message())
	}
	return false
}

// Maximum numbers of bytes shown of a server's error and of the name that it reports.
const (
	maxReasonBytes = 8 << 10
	maxNameBytes   = 200
)

// shortenText truncates text to maxBytes, between two characters.
func shortenText(text string, maxBytes int) string {
	if len(text) <= maxBytes {
		return text
	}
	return strings.ToValidUTF8(text[:maxBytes], "") + "..."
}

// shortenError shortens an error that quotes a server, because the server may send megabytes.
func shortenError(err error) error {
	if err == nil {
		return nil
	}
	if text := err.Error(); len(text) > maxReasonBytes {
		return &shortError{shortenText(text, maxReasonBytes), err}
	}
	return err
}

// shortError is an error with a shortened text.
type shortError struct {
	text string
	err  error
}

func (c *shortError) Error() string { return c.text }
func (c *shortError) Unwrap() error { return c.err }
