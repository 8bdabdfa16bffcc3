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

// kserveSession is a model at one or more endpoints.
type kserveSession struct {
	settings        sessionSettings
	header          metadata.MD
	endpoints       []*serverEndpoint
	serverNames     []string // names that the servers report
	inputs, outputs []boundTensor
	inputInfos      []backend.TensorInfo
	outputInfos     []backend.TensorInfo
	lastID          atomic.Uint64 // id of the last request

	mu       sync.Mutex
	stop     context.CancelFunc // stops watching; nil: not watching
	watching sync.WaitGroup
	closing  sync.Once
	closed   error // result of Close
}

// callContext returns a context for one request to a server.
func (s *kserveSession) callContext(ctx context.Context) (context.Context, context.CancelFunc) {
	if len(s.header) > 0 {
		ctx = metadata.NewOutgoingContext(ctx, s.header)
	}
	return context.WithTimeout(ctx, s.settings.timeout)
}

// waitReady waits until the model is ready at every endpoint. The error explains for each other endpoint why it is not
// ready.
func (s *kserveSession) waitReady(ctx context.Context) error {
	faults := make([]error, len(s.endpoints))
	var waiting sync.WaitGroup
	for i, e := range s.endpoints {
		waiting.Go(func() { faults[i] = s.awaitReady(ctx, e) })
	}
	waiting.Wait()
	return errors.Join(faults...)
}

// awaitReady asks an endpoint repeatedly until it is ready.
func (s *kserveSession) awaitReady(ctx context.Context, e *serverEndpoint) error {
	ctx, cancel := context.WithTimeout(ctx, s.settings.connect)
	defer cancel()
	var why error // the endpoint's last error, which says more than the expired time limit
	for {
		err := s.askReady(ctx, e)
		if err == nil {
			return nil
		}
		if isPermanent(err) {
			return fmt.Errorf("endpoint %s: %w", e.url, explainError(err))
		}
		switch {
		case contextEnded(ctx) == nil:
			why = explainError(err)
		case why == nil && status.Code(err) == codes.DeadlineExceeded:
			why = errors.New("no answer in time (option connect_timeout)")
		case why == nil:
			why = explainError(err)
		}
		select {
		case <-ctx.Done():
			return fmt.Errorf("endpoint %s is not ready within %v: %w", e.url, s.settings.connect, why)
		case <-time.After(askInterval):
		}
	}
}

// askInterval is the interval between requests to an endpoint that is not ready.
const askInterval = 200 * time.Millisecond

func (s *kserveSession) askReady(ctx context.Context, e *serverEndpoint) error {
	ctx, cancel := s.callContext(ctx)
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

func (s *kserveSession) Inputs() []backend.TensorInfo  { return s.inputInfos }
func (s *kserveSession) Outputs() []backend.TensorInfo { return s.outputInfos }

// Limits allows as many concurrent runs as requests in flight.
func (s *kserveSession) Limits() backend.Limits {
	return backend.Limits{
		Concurrency: s.settings.concurrency, PreferredBatch: s.settings.batch, MaxBatch: s.settings.batch,
	}
}

// Describe describes the servers and the endpoints and, if there are several, the answers of each since Restart.
func (s *kserveSession) Describe() backend.Info {
	info := backend.Info{
		Version: strings.Join(s.serverNames, ", "), Details: map[string]string{"model": s.settings.model,
			"call": s.callNames()},
	}
	for _, e := range s.endpoints {
		info.Devices = append(info.Devices, e.url)
		if len(s.endpoints) > 1 {
			info.Shares = append(info.Shares, backend.WorkShare{Name: e.url, Batches: e.done.Load(), Samples: e.samples.Load()})
		}
		if err := e.unaskedError(); err != nil {
			info.Details["fault of "+e.url] = err.Error()
		}
	}
	return info
}

// Restart resets the counts of answers, so that they exclude the warm-up.
func (s *kserveSession) Restart() {
	for _, e := range s.endpoints {
		e.done.Store(0)
		e.samples.Store(0)
	}
}

// callNames returns the names of the calls that requests use.
func (s *kserveSession) callNames() string {
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

// Close ends the connections. It fails if a server answered a request that was not sent, possibly after the last Run.
// Repeated calls return the same result.
func (s *kserveSession) Close() error {
	s.closing.Do(func() { s.closed = s.close() })
	return s.closed
}

func (s *kserveSession) close() error {
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
