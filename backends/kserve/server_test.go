package kserve

import (
	"context"
	"net"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/metadata"
	"google.golang.org/grpc/status"

	"github.com/plumbline-ml/plumbline/backends/kserve/internal/oip"
	"github.com/plumbline-ml/plumbline/sdk/backend"
)

// server is an inference server whose model has y = 2x and n = ids+1, as its fault lets it.
type server struct {
	oip.UnimplementedGRPCInferenceServiceServer
	fault string
	token string
	delay time.Duration

	served  atomic.Int64
	inWork  atomic.Int64
	most    atomic.Int64
	address string
	stop    func()
}

const width = 4

// serve starts a server on an address of its own, or on address.
func serve(t testing.TB, s *server, address string, options ...grpc.ServerOption) *server {
	t.Helper()
	if address == "" {
		address = "127.0.0.1:0"
	}
	l, err := net.Listen("tcp", address)
	if err != nil {
		t.Fatal(err)
	}
	g := grpc.NewServer(append(options, grpc.MaxRecvMsgSize(1<<30), grpc.MaxSendMsgSize(1<<30))...)
	oip.RegisterGRPCInferenceServiceServer(g, s)
	done := make(chan struct{})
	go func() {
		defer close(done)
		_ = g.Serve(l)
	}()
	s.address = l.Addr().String()
	s.stop = sync.OnceFunc(func() { g.Stop(); <-done })
	t.Cleanup(s.stop)
	return s
}

func (s *server) allowed(ctx context.Context) error {
	m, _ := metadata.FromIncomingContext(ctx)
	if s.token != "" && strings.Join(m.Get("authorization"), "") != "Bearer "+s.token {
		return status.Error(codes.Unauthenticated, "no token")
	}
	return nil
}

func (s *server) ModelReady(ctx context.Context, r *oip.ModelReadyRequest) (*oip.ModelReadyResponse, error) {
	if err := s.allowed(ctx); err != nil {
		return nil, err
	}
	return &oip.ModelReadyResponse{Ready: r.Name == "doubler" && s.fault != "not ready"}, nil
}

func (s *server) ServerMetadata(context.Context, *oip.ServerMetadataRequest) (*oip.ServerMetadataResponse, error) {
	return &oip.ServerMetadataResponse{Name: "test", Version: "1"}, nil
}

func (s *server) ModelMetadata(context.Context, *oip.ModelMetadataRequest) (*oip.ModelMetadataResponse, error) {
	if s.fault == "no metadata" {
		return &oip.ModelMetadataResponse{Name: "doubler"}, nil
	}
	r := &oip.ModelMetadataResponse{
		Name:    "doubler",
		Inputs:  []*oip.TensorMetadata{{Name: "x", Datatype: "FP32", Shape: []int64{-1, width}}, {Name: "ids", Datatype: "INT64", Shape: []int64{-1}}},
		Outputs: []*oip.TensorMetadata{{Name: "n", Datatype: "INT64", Shape: []int64{-1}}, {Name: "y", Datatype: "FP32", Shape: []int64{-1, width}}},
	}
	switch s.fault {
	case "other width":
		r.Outputs[1].Shape = []int64{-1, width + 1}
	case "text output":
		r.Outputs[0].Datatype = "BYTES"
	}
	return r, nil
}

func (s *server) ModelInfer(ctx context.Context, r *oip.ModelInferRequest) (*oip.ModelInferResponse, error) {
	if err := s.allowed(ctx); err != nil {
		return nil, err
	}
	n := s.inWork.Add(1)
	defer s.inWork.Add(-1)
	for m := s.most.Load(); n > m && !s.most.CompareAndSwap(m, n); m = s.most.Load() {
	}
	select {
	case <-time.After(s.delay):
	case <-ctx.Done():
		return nil, ctx.Err()
	}
	if s.fault == "errors" && s.served.Load() == 2 {
		return nil, status.Error(codes.Internal, "CUDA out of memory")
	}
	s.served.Add(1)
	return s.infer(r)
}

func (s *server) infer(r *oip.ModelInferRequest) (*oip.ModelInferResponse, error) {
	data := map[string][]byte{}
	for i, in := range r.Inputs {
		data[in.Name] = append([]byte(nil), r.RawInputContents[i]...)
	}
	x, ids := backend.View[float32](data["x"]), backend.View[int64](data["ids"])
	for i := range x {
		x[i] *= 2
	}
	for i := range ids {
		ids[i]++
	}
	rows := int64(len(ids))
	out := &oip.ModelInferResponse{ModelName: r.ModelName, Outputs: []*oip.InferOutputTensor{
		{Name: "y", Datatype: "FP32", Shape: []int64{rows, width}}, {Name: "n", Datatype: "INT64", Shape: []int64{rows}},
	}}
	if s.fault == "typed" {
		out.Outputs[0].Contents = &oip.InferTensorContents{Fp32Contents: x}
		out.Outputs[1].Contents = &oip.InferTensorContents{Int64Contents: ids}
		return out, nil
	}
	out.RawOutputContents = [][]byte{backend.Bytes(x), backend.Bytes(ids)}
	switch s.fault {
	case "wrong shape":
		out.Outputs[0].Shape = []int64{rows, width + 1}
	case "output missing":
		out.Outputs[0].Name = "z"
	case "short raw":
		out.RawOutputContents = out.RawOutputContents[:1]
	}
	return out, nil
}
