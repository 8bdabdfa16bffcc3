package kserve

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/grpc/metadata"

	"github.com/plumbline-ml/plumbline/backends/kserve/internal/oip"
	"github.com/plumbline-ml/plumbline/sdk/backend"
)

// session is a model at one or more endpoints.
type session struct {
	settings        settings
	header          metadata.MD
	endpoints       []*endpoint
	server          string // what it calls itself
	inputs, outputs []backend.TensorInfo

	mu       sync.Mutex
	stop     context.CancelFunc // of watching; nil: it is not watched
	watching sync.WaitGroup
}

// call is a context for one request to a server.
func (s *session) call(ctx context.Context) (context.Context, context.CancelFunc) {
	if s.header != nil {
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
		if why == nil || ctx.Err() == nil {
			why = err
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
		return explain(err)
	}
	if !r.Ready {
		return fmt.Errorf("the server has no model %q that is ready", s.settings.model)
	}
	return nil
}

// bind checks the tensors at every endpoint: they must be the benchmark's, and alike.
func (s *session) bind(ctx context.Context, m backend.Model) error {
	var faults []error
	for i, e := range s.endpoints {
		inputs, outputs, err := s.describe(ctx, e, m)
		if err != nil {
			faults = append(faults, fmt.Errorf("endpoint %s: %w", e.url, err))
		} else if i == 0 {
			s.inputs, s.outputs = inputs, outputs
		}
	}
	return errors.Join(faults...)
}

// describe asks an endpoint for the model's tensors. A server that does not know them is taken at the benchmark's word.
func (s *session) describe(ctx context.Context, e *endpoint, m backend.Model) (inputs, outputs []backend.TensorInfo, err error) {
	ctx, cancel := s.call(ctx)
	defer cancel()
	if about, err := e.rpc.ServerMetadata(ctx, &oip.ServerMetadataRequest{}); err == nil {
		s.server = strings.TrimSpace(about.Name + " " + about.Version)
	}
	r, err := e.rpc.ModelMetadata(ctx, &oip.ModelMetadataRequest{Name: s.settings.model, Version: s.settings.version})
	if err != nil {
		return nil, nil, explain(err)
	}
	inputs, errIn := bound("input", m.Inputs, r.Inputs)
	outputs, errOut := bound("output", m.Outputs, r.Outputs)
	return inputs, outputs, errors.Join(errIn, errOut)
}

func bound(kind string, want []backend.TensorInfo, have []*oip.TensorMetadata) ([]backend.TensorInfo, error) {
	if len(have) == 0 {
		return want, nil
	}
	infos := make([]backend.TensorInfo, len(have))
	for i, h := range have {
		d, err := parseDatatype(h.Datatype)
		if err != nil {
			return nil, fmt.Errorf("%w: %s %q: %w", backend.ErrTensors, kind, h.Name, err)
		}
		infos[i] = backend.TensorInfo{Name: h.Name, DType: d, Shape: h.Shape}
	}
	index, err := backend.Bind(kind, want, infos)
	if err != nil {
		return nil, err
	}
	out := make([]backend.TensorInfo, len(index))
	for i, j := range index {
		out[i] = infos[j]
	}
	return out, nil
}

func (s *session) Inputs() []backend.TensorInfo  { return s.inputs }
func (s *session) Outputs() []backend.TensorInfo { return s.outputs }

// Limits ask for as many runs at a time as there may be requests in flight.
func (s *session) Limits() backend.Limits {
	return backend.Limits{Concurrency: s.settings.concurrency, PreferredBatch: s.settings.batch, MaxBatch: s.settings.batch}
}

// Describe names the server and the endpoints; at the end of a run, with the share of the batches that each answered.
func (s *session) Describe() backend.Info {
	var total uint64
	urls := make([]string, len(s.endpoints))
	for i, e := range s.endpoints {
		urls[i] = e.url
		total += e.done.Load()
	}
	info := backend.Info{Version: s.server, Devices: urls, Details: map[string]string{"model": s.settings.model}}
	for _, e := range s.endpoints {
		if n := e.done.Load(); n > 0 {
			info.Details["endpoint "+e.url] = fmt.Sprintf("%d batches, %.1f %%", n, 100*float64(n)/float64(total))
		}
	}
	return info
}

// Run sends one batch to the endpoint with the fewest in work. If that endpoint is lost before it answers, and option lost
// says so, the batch goes to another.
func (s *session) Run(ctx context.Context, in, out []backend.Tensor) error {
	if err := backend.CheckTensors("input", s.inputs, in); err != nil {
		return err
	}
	request := s.request(in)
	for {
		e, err := s.pick()
		if err != nil {
			return err
		}
		response, err := s.infer(ctx, e, request)
		if err == nil {
			return s.read(e, response, out)
		}
		if ctx.Err() != nil {
			return ctx.Err()
		}
		if !lost(err) {
			return fmt.Errorf("endpoint %s: %w", e.url, explain(err))
		}
		e.lose(err)
		if !s.settings.goesOn {
			return fmt.Errorf("endpoint %s is lost: %w (option lost=go-on goes on with the others)", e.url, explain(err))
		}
	}
}

func (s *session) infer(ctx context.Context, e *endpoint, r *oip.ModelInferRequest) (*oip.ModelInferResponse, error) {
	ctx, cancel := s.call(ctx)
	defer cancel()
	defer e.outstanding.Add(-1)
	return e.rpc.ModelInfer(ctx, r, grpc.WaitForReady(false))
}

// request refers to the inputs; it must be sent before they change.
func (s *session) request(in []backend.Tensor) *oip.ModelInferRequest {
	r := &oip.ModelInferRequest{ModelName: s.settings.model, ModelVersion: s.settings.version}
	for i := range in {
		r.Inputs = append(r.Inputs, &oip.InferInputTensor{Name: s.inputs[i].Name, Datatype: datatype(in[i].DType), Shape: in[i].Shape})
		r.RawInputContents = append(r.RawInputContents, in[i].Data)
	}
	for _, o := range s.outputs {
		r.Outputs = append(r.Outputs, &oip.InferRequestedOutputTensor{Name: o.Name})
	}
	return r
}

// Close ends the connections.
func (s *session) Close() error {
	s.mu.Lock()
	if s.stop != nil {
		s.stop()
	}
	s.mu.Unlock()
	s.watching.Wait()
	var faults []error
	for _, e := range s.endpoints {
		faults = append(faults, e.conn.Close())
	}
	return errors.Join(faults...)
}
