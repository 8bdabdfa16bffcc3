package main

import (
	"context"
	"fmt"
	"io"
	"net"
	"os"
	"path/filepath"
	"sync/atomic"
	"time"

	"google.golang.org/grpc"

	"github.com/plumbline-ml/plumbline/sdk/backend"
	"github.com/plumbline-ml/plumbline/sdk/internal/backendpb"
	"github.com/plumbline-ml/plumbline/sdk/internal/wire"
)

// backendHangs contains the faults of a backend that never answers while the plugin's heartbeats continue. The value is
// the number of the session's run that hangs, counting the runs of the warm-up. 0 means that Open hangs.
var backendHangs = map[string]int64{"hang-open": 0, "hang-warm-up": 1, "hang-run": 50}

// hangingBackend is a backend with such a fault.
type hangingBackend struct {
	backend.Backend
	at int64
}

func (h hangingBackend) Open(ctx context.Context, m backend.Model, c backend.Config) (backend.Session, error) {
	if h.at == 0 {
		hangForever()
	}
	s, err := h.Backend.Open(ctx, m, c)
	return &hangingSession{Session: s, at: h.at}, err
}

type hangingSession struct {
	backend.Session
	at   int64
	runs atomic.Int64
}

func (s *hangingSession) Run(ctx context.Context, in, out []backend.Tensor) error {
	if s.runs.Add(1) >= s.at {
		hangForever()
	}
	return s.Session.Run(ctx, in, out)
}

// hangForever ignores contexts, like native code.
func hangForever() { time.Sleep(time.Hour) }

// hangsInAttach is the fault of a backend process that opens a model and does not answer on its streams.
const hangsInAttach = "hang-attach"

// deafProcess is a backend process that does not answer.
type deafProcess struct {
	backendpb.UnimplementedBackendServer
}

func serveDeaf() error {
	listener, err := net.Listen("unix", filepath.Join(os.Getenv(wire.SocketDirEnv), "backend"))
	if err != nil {
		return err
	}
	server := grpc.NewServer()
	backendpb.RegisterBackendServer(server, deafProcess{})
	go func() {
		_, _ = io.Copy(io.Discard, os.Stdin) // returns when the plugin has ended
		server.Stop()
	}()
	fmt.Printf("%d|1|unix|%s|grpc\n", wire.CoreProtocol, listener.Addr())
	return server.Serve(listener)
}

func (deafProcess) Open(_ context.Context, r *backendpb.OpenRequest) (*backendpb.OpenResponse, error) {
	values := []*backendpb.TensorInfo{{Name: "values", Dtype: backendpb.DType(backend.Float32), Shape: []int64{-1}}}
	return &backendpb.OpenResponse{Inputs: values, Outputs: values, Concurrency: max(r.Concurrency, 1)}, nil
}

func (deafProcess) Run(stream backendpb.Backend_RunServer) error {
	<-stream.Context().Done()
	return stream.Context().Err()
}

func (deafProcess) Close(context.Context, *backendpb.CloseRequest) (*backendpb.CloseResponse, error) {
	return &backendpb.CloseResponse{}, nil
}
