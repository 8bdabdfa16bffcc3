package kserve

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/metadata"
	"google.golang.org/grpc/status"

	"github.com/plumbline-ml/plumbline/internal/oip"
	"github.com/plumbline-ml/plumbline/sdk/backend"
)

// session is a model at one or more endpoints.
type session struct {
	settings        settings
	header          metadata.MD
	endpoints       []*endpoint
	servers         []string // what they call themselves
	inputs, outputs []tensor
	inputInfos      []backend.TensorInfo
	outputInfos     []backend.TensorInfo
	ids             atomic.Uint64 // of the last request

	mu       sync.Mutex
	stop     context.CancelFunc // of watching; nil: it is not watched
	watching sync.WaitGroup
	closing  sync.Once
	closed   error // of Close
}

// call is a context for one request to a server.
func (s *session) call(ctx context.Context) (context.Context, context.CancelFunc) {
	if len(s.header) > 0 {
		ctx = metadata.NewOutgoingContext(ctx, s.header)
	}
	return context.WithTimeout(ctx, s.settings.timeout)
}

// ready waits until the model is ready at every endpoint, or says of each that is not why.
func (s *session) ready(ctx context.Context) error {
	faults := make([]error, len(s.endpoints))
	var waiting sync.WaitGroup
	for i, e := range s.endpoints {
		waiting.Go(func() { faults[i] = s.awaitReady(ctx, e) })
	}
	waiting.Wait()
	return errors.Join(faults...)
}

// awaitReady asks an endpoint until it is ready.
func (s *session) awaitReady(ctx context.Context, e *endpoint) error {
	ctx, cancel := context.WithTimeout(ctx, s.settings.connect)
	defer cancel()
	var why error // what the endpoint said last, rather than that time ran out while it was asked again
	for {
		err := s.askReady(ctx, e)
		if err == nil {
			return nil
		}
		if lasting(err) {
			return fmt.Errorf("endpoint %s: %w", e.url, explain(err))
		}
		switch {
		case ended(ctx) == nil:
			why = explain(err)
		case why == nil && status.Code(err) == codes.DeadlineExceeded:
			why = errors.New("no answer in time (option connect_timeout)")
		case why == nil:
			why = explain(err)
		}
		select {
		case <-ctx.Done():
			return fmt.Errorf("endpoint %s is not ready within %v: %w", e.url, s.settings.connect, why)
		case <-time.After(askEvery):
		}
	}
}

// askEvery is the time between questions to an endpoint that is not ready.
const askEvery = 200 * time.Millisecond

func (s *session) askReady(ctx context.Context, e *endpoint) error {
	ctx, cancel := s.call(ctx)
	defer cancel()
	r, err := e.rpc.ModelReady(ctx, &oip.ModelReadyRequest{Name: s.settings.model, Version: s.settings.version})
	if err != nil {
		return err
	}
	if !r.Ready {
		return fmt.Errorf("%w: the server has no model %q that is ready (option %s)",
			backend.ErrModel, s.settings.model, s.settings.modelOption())
	}
	return nil
}

func (s *session) Inputs() []backend.TensorInfo  { return s.inputInfos }
func (s *session) Outputs() []backend.TensorInfo { return s.outputInfos }

// Limits ask for as many runs at a time as there may be requests in flight.
func (s *session) Limits() backend.Limits {
	return backend.Limits{
		Concurrency: s.settings.concurrency, PreferredBatch: s.settings.batch, MaxBatch: s.settings.batch,
	}
}

// Describe names the servers and the endpoints, and what each of several has answered since Restart.
func (s *session) Describe() backend.Info {
	info := backend.Info{
		Version: strings.Join(s.servers, ", "), Details: map[string]string{"model": s.settings.model, "call": s.calls()},
	}
	for _, e := range s.endpoints {
		info.Devices = append(info.Devices, e.url)
		if len(s.endpoints) > 1 {
			info.Shares = append(info.Shares, backend.WorkShare{Name: e.url, Batches: e.done.Load(), Samples: e.samples.Load()})
		}
		if err := e.unasked(); err != nil {
			info.Details["fault of "+e.url] = err.Error()
		}
	}
	return info
}

// Restart forgets what the endpoints have answered so far: a warm-up is no share of the work.
func (s *session) Restart() {
	for _, e := range s.endpoints {
		e.done.Store(0)
		e.samples.Store(0)
	}
}

// calls names the calls that requests go over.
func (s *session) calls() string {
	streams := 0
	for _, e := range s.endpoints {
		if e.streams {
			streams++
		}
	}
	switch streams {
	case 0:
		return "ModelInfer"
	case len(s.endpoints):
		return "ModelStreamInfer"
	}
	return fmt.Sprintf("ModelStreamInfer at %d of %d endpoints, else ModelInfer", streams, len(s.endpoints))
}

// Close ends the connections. It fails where a server answered what was not asked, which may have come after the last
// Run. To close again does no more than to say so again.
func (s *session) Close() error {
	s.closing.Do(func() { s.closed = s.close() })
	return s.closed
}

func (s *session) close() error {
	s.mu.Lock()
	if s.stop != nil {
		s.stop()
	}
	s.mu.Unlock()
	s.watching.Wait()
	var faults []error
	for _, e := range s.endpoints {
		faults = append(faults, e.closeStream(), e.conn.Close())
	}
	return errors.Join(faults...)
}
