// Package oiptest is a server of the Open Inference Protocol v2 over gRPC without a model, for tests and measurements.
// Its outputs are zeros or the results of a function.
package oiptest

import (
	"context"
	"fmt"
	"net"
	"sync/atomic"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"github.com/plumbline-ml/plumbline/internal/oip"
)

// Tensor describes an input or output: a datatype of the protocol, and a shape with -1 for free dimensions. The first
// dimension is the number of rows of a batch.
type Tensor struct {
	Name, Datatype string
	Shape          []int64
}

// ServerOptions configure a server.
type ServerOptions struct {
	Name            string // name of the server
	Model           string
	Inputs, Outputs []Tensor
	Delay           time.Duration // delay of each answer
	// Answer returns the outputs of a request, in the order of Outputs, each with that number of rows. Inputs and outputs
	// are little endian and in C order. Answer must be safe for concurrent use. Nil: zeros.
	Answer func(rows int64, inputs [][]byte) (outputs [][]byte, err error)
	// Others are further models of the server. Their fields Model, Inputs, Outputs, Delay and Answer are used.
	Others []ServerOptions
	// NoMetadata makes the server answer without its name.
	NoMetadata bool
}

// Server answers requests for its model.
type Server struct {
	oip.UnimplementedGRPCInferenceServiceServer
	options ServerOptions
	grpc    *grpc.Server

	requests, rows, received atomic.Int64
}

// New returns a server, or an error if the size of an output does not follow from its shape.
func New(o ServerOptions) (*Server, error) {
	for _, other := range o.Others {
		if err := checkOutputs(other.Outputs); err != nil {
			return nil, fmt.Errorf("model %s: %w", other.Model, err)
		}
	}
	if err := checkOutputs(o.Outputs); err != nil {
		return nil, err
	}
	s := &Server{options: o, grpc: grpc.NewServer(grpc.MaxRecvMsgSize(1<<30), grpc.MaxSendMsgSize(1<<30))}
	oip.RegisterGRPCInferenceServiceServer(s.grpc, s)
	return s, nil
}

// checkOutputs returns an error unless the outputs have known sizes.
func checkOutputs(outputs []Tensor) error {
	for _, t := range outputs {
		if sizeOf(t.Datatype) == 0 || len(t.Shape) == 0 {
			return fmt.Errorf("output %q: %s%v, want a datatype of fixed size and a shape", t.Name, t.Datatype, t.Shape)
		}
		for _, n := range t.Shape[1:] {
			if n < 1 {
				return fmt.Errorf("output %q: shape %v, want sizes behind the first dimension", t.Name, t.Shape)
			}
		}
	}
	return nil
}

// model returns the model of a name, or the only model if there is one.
func (s *Server) model(name string) (*ServerOptions, error) {
	if name == s.options.Model || len(s.options.Others) == 0 {
		return &s.options, nil
	}
	for i := range s.options.Others {
		if s.options.Others[i].Model == name {
			return &s.options.Others[i], nil
		}
	}
	return nil, status.Errorf(codes.NotFound, "there is no model %q", name)
}

// sizeOf returns the size of an element in bytes, or 0 if it is unknown.
func sizeOf(datatype string) int64 {
	switch datatype {
	case "BOOL", "INT8", "UINT8":
		return 1
	case "INT16", "UINT16", "FP16", "BF16":
		return 2
	case "INT32", "UINT32", "FP32":
		return 4
	case "INT64", "UINT64", "FP64":
		return 8
	}
	return 0
}

// Serve answers requests on l until Stop.
func (s *Server) Serve(l net.Listener) error { return s.grpc.Serve(l) }

// Stop closes all connections.
func (s *Server) Stop() { s.grpc.Stop() }

// Requests returns the number of inference requests.
func (s *Server) Requests() int64 { return s.requests.Load() }

// Rows returns the number of rows in the requests.
func (s *Server) Rows() int64 { return s.rows.Load() }

// Received returns the number of bytes of the requests' inputs.
func (s *Server) Received() int64 { return s.received.Load() }

// ServerMetadata returns the server's name.
func (s *Server) ServerMetadata(context.Context, *oip.ServerMetadataRequest) (*oip.ServerMetadataResponse, error) {
	if s.options.NoMetadata {
		return nil, status.Error(codes.Unimplemented, "no metadata")
	}
	return &oip.ServerMetadataResponse{Name: s.options.Name, Version: "mock"}, nil
}

// ModelReady reports whether a model exists.
func (s *Server) ModelReady(_ context.Context, r *oip.ModelReadyRequest) (*oip.ModelReadyResponse, error) {
	m, err := s.model(r.Name)
	return &oip.ModelReadyResponse{Ready: err == nil && r.Name == m.Model}, nil
}

// ModelMetadata returns the model's tensors.
func (s *Server) ModelMetadata(_ context.Context, r *oip.ModelMetadataRequest) (*oip.ModelMetadataResponse, error) {
	m, err := s.model(r.Name)
	if err != nil {
		return nil, err
	}
	return &oip.ModelMetadataResponse{Name: r.Name, Inputs: describe(m.Inputs), Outputs: describe(m.Outputs)}, nil
}

func describe(tensors []Tensor) []*oip.TensorMetadata {
	var list []*oip.TensorMetadata
	for _, t := range tensors {
		list = append(list, &oip.TensorMetadata{Name: t.Name, Datatype: t.Datatype, Shape: t.Shape})
	}
	return list
}

// ModelInfer returns zeros, or the result of ServerOptions.Answer.
func (s *Server) ModelInfer(ctx context.Context, r *oip.ModelInferRequest) (*oip.ModelInferResponse, error) {
	if len(r.Inputs) == 0 || len(r.Inputs[0].Shape) == 0 || r.Inputs[0].Shape[0] < 1 {
		return nil, status.Error(codes.InvalidArgument, "no rows")
	}
	m, err := s.model(r.ModelName)
	if err != nil {
		return nil, err
	}
	rows := r.Inputs[0].Shape[0]
	s.requests.Add(1)
	s.rows.Add(rows)
	for _, raw := range r.RawInputContents {
		s.received.Add(int64(len(raw)))
	}
	if m.Delay > 0 {
		select {
		case <-time.After(m.Delay):
		case <-ctx.Done():
			return nil, status.FromContextError(ctx.Err()).Err()
		}
	}
	answer := m.zeros(rows)
	if m.Answer == nil {
		return answer, nil
	}
	outputs, err := m.Answer(rows, r.RawInputContents)
	if err != nil {
		return nil, status.Error(codes.Internal, err.Error())
	}
	answer.RawOutputContents = outputs
	return answer, nil
}

func (o *ServerOptions) zeros(rows int64) *oip.ModelInferResponse {
	answer := &oip.ModelInferResponse{ModelName: o.Model}
	for _, t := range o.Outputs {
		shape, size := []int64{rows}, rows*sizeOf(t.Datatype)
		for _, n := range t.Shape[1:] {
			shape, size = append(shape, n), size*n
		}
		answer.Outputs = append(answer.Outputs, &oip.InferOutputTensor{Name: t.Name, Datatype: t.Datatype, Shape: shape})
		answer.RawOutputContents = append(answer.RawOutputContents, make([]byte, size))
	}
	return answer
}
