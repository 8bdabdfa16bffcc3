package kserve

import (
	"cmp"
	"context"
	"net"
	"os"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/metadata"
	"google.golang.org/grpc/status"
	"google.golang.org/protobuf/encoding/protowire"

	"github.com/plumbline-ml/plumbline/internal/oip"
	"github.com/plumbline-ml/plumbline/sdk/backend"
)

// server is an inference server whose model computes y = 2x and n = ids+1, unless fault is set.
type server struct {
	oip.UnimplementedGRPCInferenceServiceServer
	fault   string
	token   string
	name    string // name that it reports; empty: test
	delay   time.Duration
	streams bool                       // supports the streaming call
	model   *oip.ModelMetadataResponse // another model, which returns its inputs; nil: the doubler
	typed   bool                       // returns typed contents

	served  atomic.Int64
	inWork  atomic.Int64
	most    atomic.Int64
	address string
	stop    func()
}

const width = 4

// serve starts a server on a new address, or on address.
func serve(t testing.TB, s *server, address string, options ...grpc.ServerOption) *server {
	t.Helper()
	l, err := listen(address)
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

// listen listens on address, or on an address that only this process uses. No other server and no client connection
// then gets the port of a stopped server that must be unreachable or return later.
func listen(address string) (net.Listener, error) {
	if address != "" {
		return net.Listen("tcp", address)
	}
	if l, err := net.Listen("tcp", own().String()+":0"); err == nil {
		return l, nil
	}
	return net.Listen("tcp", "127.0.0.1:0") // systems whose loopback network has only one address
}

// own returns an address of the loopback network that belongs to this process.
func own() net.IP {
	pid := os.Getpid()
	return net.IPv4(127, byte(64+pid>>16&31), byte(pid>>8), byte(pid))
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
	return &oip.ServerMetadataResponse{Name: cmp.Or(s.name, "test"), Version: "1"}, nil
}

func (s *server) ModelMetadata(context.Context, *oip.ModelMetadataRequest) (*oip.ModelMetadataResponse, error) {
	if s.model != nil {
		return s.model, nil
	}
	if s.fault == "no metadata" {
		return &oip.ModelMetadataResponse{Name: "doubler"}, nil
	}
	r := &oip.ModelMetadataResponse{
		Name: "doubler",
		Inputs: []*oip.TensorMetadata{{Name: "x", Datatype: "FP32", Shape: []int64{-1, width}},
			{Name: "ids", Datatype: "INT64", Shape: []int64{-1}}},
		Outputs: []*oip.TensorMetadata{{Name: "n", Datatype: "INT64", Shape: []int64{-1}},
			{Name: "y", Datatype: "FP32", Shape: []int64{-1, width}}},
	}
	switch s.fault {
	case "other width":
		r.Outputs[1].Shape = []int64{-1, width + 1}
	case "unknown datatype":
		r.Outputs[0].Datatype = "FP8"
	case "text output":
		r.Outputs[0].Datatype = "BYTES"
	case "ones":
		r.Inputs[1].Shape, r.Outputs[0].Shape = []int64{-1, 1}, []int64{-1, 1}
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
	if s.fault == "full" {
		return nil, status.Error(codes.Unavailable, "the queue is full")
	}
	if s.fault == "errors" && s.served.Load() == 2 {
		return nil, status.Error(codes.Internal, "CUDA out of memory")
	}
	s.served.Add(1)
	return s.infer(r)
}

func (s *server) infer(r *oip.ModelInferRequest) (*oip.ModelInferResponse, error) {
	if s.model != nil {
		return echo(r, s.typed), nil
	}
	if s.fault == "ones" && len(r.Inputs[0].Shape) != 2 {
		return nil, status.Errorf(codes.InvalidArgument, "ids of shape %v", r.Inputs[0].Shape)
	}
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
	out := &oip.ModelInferResponse{ModelName: r.ModelName, Id: r.Id, Outputs: []*oip.InferOutputTensor{
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
	case "one output":
		out.Outputs, out.RawOutputContents = out.Outputs[:1], out.RawOutputContents[:1]
	case "wrong datatype":
		out.Outputs[0].Datatype = "FP16"
	case "huge shape":
		out.Outputs[1].Shape = []int64{1 << 40, 1 << 40}
	case "negative shape":
		out.Outputs[1].Shape = []int64{-1}
	case "short raw":
		out.RawOutputContents = out.RawOutputContents[:1]
	case "short data":
		out.RawOutputContents[0] = out.RawOutputContents[0][:7]
	case "ones", "ones unannounced":
		out.Outputs[1].Shape = []int64{rows, 1}
	case "no id":
		out.Id = ""
	case "other id":
		out.Id += "0"
	}
	return out, nil
}

// echo returns a request's inputs.
func echo(r *oip.ModelInferRequest, typed bool) *oip.ModelInferResponse {
	out := &oip.ModelInferResponse{Id: r.Id}
	for i, in := range r.Inputs {
		o := &oip.InferOutputTensor{Name: in.Name, Datatype: in.Datatype, Shape: in.Shape}
		if typed {
			o.Contents = typedContents(in.Datatype, r.RawInputContents[i])
		} else {
			out.RawOutputContents = append(out.RawOutputContents, r.RawInputContents[i])
		}
		out.Outputs = append(out.Outputs, o)
	}
	return out
}

// typedContents returns the elements in the form of servers without raw contents.
func typedContents(datatype string, raw []byte) *oip.InferTensorContents {
	switch datatype {
	case "FP32":
		return &oip.InferTensorContents{Fp32Contents: backend.View[float32](raw)}
	case "FP64":
		return &oip.InferTensorContents{Fp64Contents: backend.View[float64](raw)}
	case "INT64":
		return &oip.InferTensorContents{Int64Contents: backend.View[int64](raw)}
	case "UINT64":
		return &oip.InferTensorContents{Uint64Contents: backend.View[uint64](raw)}
	case "INT8":
		return &oip.InferTensorContents{IntContents: widen[int32](backend.View[int8](raw))}
	case "INT16":
		return &oip.InferTensorContents{IntContents: widen[int32](backend.View[int16](raw))}
	case "INT32":
		return &oip.InferTensorContents{IntContents: backend.View[int32](raw)}
	case "UINT8":
		return &oip.InferTensorContents{UintContents: widen[uint32](raw)}
	case "UINT16":
		return &oip.InferTensorContents{UintContents: widen[uint32](backend.View[uint16](raw))}
	case "UINT32":
		return &oip.InferTensorContents{UintContents: backend.View[uint32](raw)}
	case "BOOL":
		c := &oip.InferTensorContents{}
		for _, b := range raw {
			c.BoolContents = append(c.BoolContents, b != 0)
		}
		return c
	case bytesDatatype:
		elements, _, _ := splitTexts(raw)
		return &oip.InferTensorContents{BytesContents: elements}
	}
	return nil
}

func widen[W int32 | uint32, T int8 | int16 | uint8 | uint16](narrow []T) []W {
	wide := make([]W, len(narrow))
	for i, v := range narrow {
		wide[i] = W(v)
	}
	return wide
}

// ModelStreamInfer answers each request when it is complete, so answers may be in any order.
func (s *server) ModelStreamInfer(
	stream grpc.BidiStreamingServer[oip.ModelInferRequest, oip.ModelStreamInferResponse],
) error {
	if !s.streams {
		return status.Error(codes.Unimplemented, "no such call")
	}
	var working sync.WaitGroup
	defer working.Wait()
	var sending sync.Mutex
	var failed atomic.Bool
	for {
		if s.fault == "deaf" && s.served.Load() > 0 {
			<-stream.Context().Done()
			return stream.Context().Err()
		}
		r, err := stream.Recv()
		if err != nil || failed.Load() {
			return nil
		}
		switch s.fault {
		case "ends":
			return nil
		case "breaks":
			return status.Error(codes.Internal, "a bug")
		}
		working.Go(func() {
			out, err := s.ModelInfer(stream.Context(), r)
			messages := s.streamed(r.Id, out, err)
			sending.Lock()
			defer sending.Unlock()
			for _, m := range messages {
				if stream.Send(m) != nil {
					failed.Store(true)
				}
			}
		})
	}
}

// streamed returns an answer or an error in Triton's form.
func (s *server) streamed(id string, out *oip.ModelInferResponse, err error) []*oip.ModelStreamInferResponse {
	m := &oip.ModelStreamInferResponse{InferResponse: out}
	if err != nil {
		m.ErrorMessage, m.InferResponse = status.Convert(err).Message(), &oip.ModelInferResponse{Id: id}
	}
	switch s.fault {
	case "twice":
		return []*oip.ModelStreamInferResponse{m, m}
	case "empty":
		m.InferResponse = nil
	case "bare": // MLServer's form: a response without the enclosing message
		m = &oip.ModelStreamInferResponse{ErrorMessage: out.ModelName}
		m.ProtoReflect().SetUnknown(protowire.AppendString(protowire.AppendTag(nil, 3, protowire.BytesType), out.Id))
	}
	return []*oip.ModelStreamInferResponse{m}
}
