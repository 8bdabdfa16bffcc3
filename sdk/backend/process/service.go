package process

import (
	"context"
	"errors"
	"io"
	"io/fs"
	"sync"
	"time"

	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"github.com/plumbline-ml/plumbline/sdk/backend"
	"github.com/plumbline-ml/plumbline/sdk/internal/backendpb"
)

// answerGrace is the time in which the answer to Close must leave before the server stops.
const answerGrace = 50 * time.Millisecond

// backendService serves a backend over gRPC.
type backendService struct {
	backendpb.UnimplementedBackendServer
	backend backend.Backend
	stop    func()

	mu     sync.Mutex
	models map[uint32]*servedModel
	kept   keptTensors
}

func newService(b backend.Backend, stop func()) *backendService {
	return &backendService{backend: b, stop: stop, models: map[uint32]*servedModel{}}
}

// Open opens the model with all its tensors.
func (s *backendService) Open(ctx context.Context, r *backendpb.OpenRequest) (*backendpb.OpenResponse, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.models[r.ModelNumber] != nil {
		return nil, status.Errorf(codes.AlreadyExists, "model %d is open already", r.ModelNumber)
	}
	capabilities, err := s.openCapabilities(r)
	if err != nil {
		return nil, status.Error(codeOf(err), err.Error())
	}
	session, err := s.backend.Open(ctx, backend.Model{Name: r.Name, Path: r.Path, Bytes: r.Model}, backend.Config{
		Concurrency: int(r.Concurrency), LowLatency: r.LowLatency, MaxBatch: int(r.MaxBatch),
		Options: r.Options, Device: r.Device,
		Part: r.Part, Siblings: s.allSessions(),
	})
	if err != nil {
		return nil, status.Error(codeOf(err), err.Error())
	}
	s.models[r.ModelNumber] = &servedModel{session: session}
	limits, info := session.Limits(), describeSession(session, s.backend)
	return &backendpb.OpenResponse{
		Inputs: tensorsToProto(session.Inputs()), Outputs: tensorsToProto(session.Outputs()),
		Concurrency: uint32(limits.Concurrency), PreferredBatch: uint32(limits.PreferredBatch),
		MaxBatch: uint32(limits.MaxBatch),
		Version:  info.Version, Devices: info.Devices, Details: info.Details,
		Capabilities: capabilities,
	}, nil
}

// openCapabilities returns the capabilities of the process. It checks a device before the model is loaded.
func (s *backendService) openCapabilities(r *backendpb.OpenRequest) ([]string, error) {
	all := []string{sharedMemory, requestIDs, severalModels, keepsOutputs}
	chooser, ok := s.backend.(backend.DeviceChooser)
	if !ok {
		return all, nil
	}
	if r.Device != "" {
		if err := chooser.CheckDevices([]string{r.Device}, r.Options); err != nil {
			return nil, err
		}
	}
	return append(all, deviceChoice), nil
}

func codeOf(err error) codes.Code {
	switch {
	case errors.Is(err, backend.ErrOption):
		return codes.InvalidArgument
	case errors.Is(err, backend.ErrModel), errors.Is(err, backend.ErrTensors), errors.Is(err, fs.ErrNotExist):
		return codes.FailedPrecondition
	}
	return codes.Unknown
}

// describeSession returns the session's description, which covers this run, or else the backend's.
func describeSession(s backend.Session, b backend.Backend) backend.Info {
	if d, ok := s.(backend.Describer); ok {
		return d.Describe()
	}
	if d, ok := b.(backend.Describer); ok {
		return d.Describe()
	}
	return backend.Info{}
}

func tensorsToProto(infos []backend.TensorInfo) []*backendpb.TensorInfo {
	out := make([]*backendpb.TensorInfo, len(infos))
	for i, t := range infos {
		out[i] = &backendpb.TensorInfo{Name: t.Name, Dtype: backendpb.DType(t.DType), Shape: t.Shape}
	}
	return out
}

// Run serves one stream.
func (s *backendService) Run(stream backendpb.Backend_RunServer) error {
	l := &serverLane{findModel: s.findModel, kept: &s.kept}
	defer l.unmapRegion()
	for {
		r, err := stream.Recv()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
		answer := l.handleRequest(stream.Context(), r)
		answer.Request = r.Id
		if err := stream.Send(answer); err != nil {
			return err
		}
		l.releaseOutputs()
	}
}

// Close answers, then stops the server.
func (s *backendService) Close(context.Context, *backendpb.CloseRequest) (*backendpb.CloseResponse, error) {
	time.AfterFunc(answerGrace, s.stop)
	return &backendpb.CloseResponse{}, nil
}

// closeSessions closes all models.
func (s *backendService) closeSessions() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.kept.freeAll()
	var faults []error
	for _, m := range s.models {
		faults = append(faults, m.session.Close())
	}
	clear(s.models)
	return errors.Join(faults...)
}
