package serve

import (
	"errors"
	"io"
	"sync"

	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
	"google.golang.org/protobuf/proto"

	"github.com/plumbline-ml/plumbline/sdk/internal/pluginpb"
	"github.com/plumbline-ml/plumbline/sdk/internal/ring"
	"github.com/plumbline-ml/plumbline/sdk/internal/wire"
)

type runStream = grpc.BidiStreamingServer[pluginpb.RunRequest, pluginpb.RunResponse]

// frameSender sends the frames of a run. Send must not be called concurrently.
type frameSender interface {
	Send(*pluginpb.RunResponse) error
	// receive passes frames to handle until the harness ends the run or handle fails. alone reports whether the run has
	// only one query at a time, so the next query follows soon after an answer.
	receive(handle func(*pluginpb.RunRequest) error, alone func() bool) error
	close() error
}

// acceptRing accepts the ring that the harness offers, if possible, and sends the first message.
func acceptRing(stream runStream, start *pluginpb.Start) (frameSender, error) {
	first := &pluginpb.RunResponse{Heartbeat: &pluginpb.Heartbeat{}}
	var way frameSender = streamSender{stream}
	if offer := start.GetRing(); offer.GetVersion() == ring.Version {
		// If the ring cannot be opened, the stream is used. The first message reports this to the harness.
		if ends, err := ring.OpenEnds(ringDescriptors(offer), wire.MaxMessage); err == nil {
			way, first.Ring = &ringSender{stream: stream, ends: ends}, true
		}
	}
	if err := stream.Send(first); err != nil {
		return nil, errors.Join(err, way.close())
	}
	return way, nil
}

func ringDescriptors(offer *pluginpb.Ring) []int {
	fds := make([]int, len(offer.GetDescriptors()))
	for i, fd := range offer.GetDescriptors() {
		fds[i] = int(fd)
	}
	return fds
}

// streamSender sends frames over the gRPC stream.
type streamSender struct{ runStream }

func (s streamSender) receive(handle func(*pluginpb.RunRequest) error, _ func() bool) error {
	for {
		frame, err := s.Recv()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
		if err := handle(frame); err != nil {
			return err
		}
	}
}

func (streamSender) close() error { return nil }

// ringSender sends frames through shared memory. The end of the stream signals the end of the harness.
type ringSender struct {
	stream runStream
	ends   *ring.RingEnds

	mu     sync.Mutex // held while sending
	buffer []byte
}

// Send encodes and writes f.
func (s *ringSender) Send(f *pluginpb.RunResponse) (err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.buffer, err = (proto.MarshalOptions{}).MarshalAppend(ring.ReuseBuffer(s.buffer), f); err != nil {
		return err
	}
	return s.ends.Writer.Write(s.buffer)
}

func (s *ringSender) receive(handle func(*pluginpb.RunRequest) error, alone func() bool) error {
	ended := make(chan error, 1)
	go func() {
		_, err := s.stream.Recv()
		if err == nil {
			err = status.Error(codes.Internal, "a frame came over the stream, though a ring was taken")
		}
		ended <- err
		s.ends.Close()
	}()
	frame := &pluginpb.RunRequest{}
	err := ring.NewReceiver(s.ends.Reader, func(b []byte) error {
		if err := proto.Unmarshal(b, frame); err != nil {
			return status.Error(codes.Internal, "a frame in the ring: "+err.Error())
		}
		return handle(frame)
	}).Run(alone)
	if !errors.Is(err, ring.ErrClosed) {
		return toStatus(err, codes.Internal)
	}
	if err = <-ended; errors.Is(err, io.EOF) {
		return nil
	}
	return err
}

// close ends a blocked Send and frees the memory.
func (s *ringSender) close() error {
	s.ends.Close()
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.ends.Unmap()
}
