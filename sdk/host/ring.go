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

// SharedMemory says that frames go through shared memory on this system, if the plugin knows how.
const SharedMemory = ring.Supported

// sharedRing is the ring that a link offers, and uses once the plugin has accepted it. A nil one stands for no ring.
type sharedRing struct {
	offer       *ring.RingOffer
	descriptors []int32 // in the plugin's process
	taken       atomic.Bool
	receiver    *ring.FrameReceiver
	buffer      []byte // of sendFrame, whose callers exclude each other

	mu    sync.Mutex
	freed bool
	ended chan struct{} // closed when nobody reads any more; nil: nobody ever did
}

// newShared makes a ring, or none where the system has none, or the launch asks for none.
func newShared(o LaunchOptions) *sharedRing {
	if o.StreamOnly || o.TLS {
		return nil
	}
	offer, err := ring.NewOffer(wire.MaxMessage)
	if err != nil {
		return nil // the stream does as well, more slowly
	}
	s := &sharedRing{offer: offer}
	for i := range offer.Files() {
		s.descriptors = append(s.descriptors, int32(firstInherited+i))
	}
	return s
}

// inheritedFiles is what the plugin's process inherits.
func (s *sharedRing) inheritedFiles() []*os.File {
	if s == nil {
		return nil
	}
	return s.offer.Files()
}

// closeInherited closes what the plugin's process has inherited, once there is one.
func (s *sharedRing) closeInherited() error {
	if s == nil {
		return nil
	}
	return s.offer.Release()
}

// offerMessage is what Start says of the offer.
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

// startReceiving starts to hand frames on; failed is called if they make no sense. It does nothing where the link was
// given up meanwhile.
func (s *sharedRing) startReceiving(handle func(*pluginpb.RunResponse) error, failed func(error)) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.freed {
		return
	}
	// Parts that are reused from frame to frame; one that a frame lacks is empty.
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
	s.taken.Store(true)
	go func() {
		defer close(s.ended)
		if err := s.receiver.Run(ring.NeverLook); !errors.Is(err, ring.ErrClosed) {
			failed(err)
		}
	}()
}

// beginReading makes the caller the one who reads the answer to what it is about to send; finishReading must follow
// where it reports true. See ring.FrameReceiver.
func (s *sharedRing) beginReading() bool { return s != nil && s.taken.Load() && s.receiver.Begin() }

func (s *sharedRing) finishReading(wanted func() bool) { s.receiver.Finish(wanted) }

// receivedBytes is how many bytes have come.
func (s *sharedRing) receivedBytes() uint64 {
	if s == nil {
		return 0
	}
	return s.offer.Ends.Reader.Taken()
}

// takeRest hands on what the other side wrote before it ended.
func (s *sharedRing) takeRest() {
	if s == nil || !s.taken.Load() {
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.freed {
		return
	}
	s.offer.Ends.Writer.Close() // whoever waits for room may hold the receiver
	s.receiver.Drain()
}

// close ends what waits. It may be called more than once.
func (s *sharedRing) close() {
	if s != nil {
		s.offer.Ends.Close()
	}
}

// unmapRing gives the memory back, once the process has ended. sending excludes those who send.
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
