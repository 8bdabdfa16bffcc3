package host

import (
	"errors"
	"os"
	"sync"
	"sync/atomic"

	"google.golang.org/protobuf/proto"

	"github.com/plumbline-ml/plumbline/sdk/internal/pluginpb"
	"github.com/plumbline-ml/plumbline/sdk/internal/ring"
	"github.com/plumbline-ml/plumbline/sdk/internal/wire"
)

// firstInherited is the number of the first descriptor that a process inherits in addition to the three standard ones.
const firstInherited = 3

// SharedMemory reports whether this system can pass frames through shared memory, if the plugin supports it.
const SharedMemory = ring.Supported

// sharedRing is the ring that a link offers. It is used after the plugin has accepted it. A nil sharedRing means no
// ring.
type sharedRing struct {
	offer       *ring.RingOffer
	descriptors []int32 // in the plugin's process
	accepted    atomic.Bool
	receiver    *ring.FrameReceiver
	buffer      []byte // used by sendFrame, whose calls exclude each other

	mu    sync.Mutex
	freed bool
	ended chan struct{} // closed when reading has ended; nil: reading never began
}

// newShared makes a ring. It returns nil if the system does not support rings or the launch options exclude them.
func newShared(o LaunchOptions) *sharedRing {
	if o.StreamOnly || o.TLS {
		return nil
	}
	offer, err := ring.NewOffer(wire.MaxMessage)
	if err != nil {
		return nil // the stream also works, more slowly
	}
	s := &sharedRing{offer: offer}
	for i := range offer.Files() {
		s.descriptors = append(s.descriptors, int32(firstInherited+i))
	}
	return s
}

// inheritedFiles returns the files that the plugin's process inherits.
func (s *sharedRing) inheritedFiles() []*os.File {
	if s == nil {
		return nil
	}
	return s.offer.Files()
}

// closeInherited closes the files that the plugin's process has inherited.
func (s *sharedRing) closeInherited() error {
	if s == nil {
		return nil
	}
	return s.offer.Release()
}

// offerMessage returns the offer for the Start message.
func (s *sharedRing) offerMessage() *pluginpb.Ring {
	if s == nil {
		return nil
	}
	return &pluginpb.Ring{Version: ring.Version, Descriptors: s.descriptors}
}

// sendFrame writes one frame.
func (s *sharedRing) sendFrame(r *pluginpb.RunRequest) (err error) {
	if s.buffer, err = (proto.MarshalOptions{}).MarshalAppend(ring.ReuseBuffer(s.buffer), r); err != nil {
		return err
	}
	return s.offer.Ends.Writer.Write(s.buffer)
}

// startReceiving starts to pass frames on. It calls failed if frames are invalid. It does nothing if the link was
// closed before.
func (s *sharedRing) startReceiving(handle func(*pluginpb.RunResponse) error, failed func(error)) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.freed {
		return
	}
	// Parts that are reused for each frame. Parts that a frame lacks are empty.
	frame, answers := &pluginpb.RunResponse{}, &pluginpb.Answers{}
	s.receiver = ring.NewReceiver(s.offer.Ends.Reader, func(b []byte) error {
		frame.Reset()
		answers.Reset()
		frame.Complete = answers
		if err := wire.Unmarshal(proto.UnmarshalOptions{Merge: true}, b, frame); err != nil {
			return err
		}
		return handle(frame)
	})
	s.ended = make(chan struct{})
	s.accepted.Store(true)
	go func() {
		defer close(s.ended)
		if err := s.receiver.Run(ring.NeverLook); !errors.Is(err, ring.ErrClosed) {
			failed(err)
		}
	}()
}

// beginReading makes the caller the reader of the answer to its next frame. If it returns true, the caller must call
// finishReading. See ring.FrameReceiver.
func (s *sharedRing) beginReading() bool { return s != nil && s.accepted.Load() && s.receiver.Begin() }

func (s *sharedRing) finishReading(wanted func() bool) { s.receiver.Finish(wanted) }

// receivedBytes returns the number of received bytes.
func (s *sharedRing) receivedBytes() uint64 {
	if s == nil {
		return 0
	}
	return s.offer.Ends.Reader.Taken()
}

// drainRemaining passes on the frames that the other side wrote before it ended.
func (s *sharedRing) drainRemaining() {
	if s == nil || !s.accepted.Load() {
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.freed {
		return
	}
	s.offer.Ends.Writer.Close() // a writer that waits for room may hold the receiver
	s.receiver.Drain()
}

// close ends all waits. It may be called more than once.
func (s *sharedRing) close() {
	if s != nil {
		s.offer.Ends.Close()
	}
}

// unmapRing frees the memory after the process has ended. sending excludes senders.
func (s *sharedRing) unmapRing(sending sync.Locker) error {
	if s == nil {
		return nil
	}
	s.close()
	s.mu.Lock()
	defer s.mu.Unlock()
	s.freed = true
	err := s.offer.Release()
	if s.ended != nil {
		<-s.ended
		s.receiver.Lock()
		defer s.receiver.Unlock()
	}
	sending.Lock()
	defer sending.Unlock()
	return errors.Join(err, s.offer.Ends.Unmap())
}
