package sdk

import (
	"sync"
	"sync/atomic"

	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"github.com/plumbline-ml/plumbline/loadgen"
	"github.com/plumbline-ml/plumbline/sdk/internal/handshake"
	"github.com/plumbline-ml/plumbline/sdk/internal/pluginpb"
	"github.com/plumbline-ml/plumbline/sdk/internal/wire"
)

// outbox sends what the workers answer. Whoever brings an answer while nobody sends sends it, at once; answers that come
// meanwhile wait and go out together in the next frame. There is no timer.
type outbox struct {
	received atomic.Uint64 // samples of the workload, counted by the reader

	mu       sync.Mutex
	workload uint64    // 0: none
	changed  sync.Cond // for the sender: there is something to send; for workers: there is room
	room     sync.Cond
	send     func(*pluginpb.RunResponse) error // nil while no stream is open
	sending  bool
	pending  *wire.Buffer // collects
	spare    *wire.Buffer // is being sent
	answered uint64
	beat     bool
	failure  *pluginpb.Failure

	// Reused from frame to frame by whoever sends.
	frame    pluginpb.RunResponse
	complete pluginpb.Answers
}

func newOutbox() *outbox {
	o := &outbox{pending: &wire.Buffer{}, spare: &wire.Buffer{}}
	o.changed.L, o.room.L = &o.mu, &o.mu
	return o
}

// open connects the outbox to a stream, whose first frame is a heartbeat, and starts its sender.
func (o *outbox) open(send func(*pluginpb.RunResponse) error) error {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.send != nil {
		return status.Error(codes.AlreadyExists, "a Run stream is open: a plugin has one at a time")
	}
	o.send, o.beat = send, true
	go o.loop()
	return nil
}

// shut disconnects the stream; what is unsent is dropped.
func (o *outbox) shut() {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.send = nil
	o.changed.Broadcast()
	o.room.Broadcast()
}

// begin makes what follows belong to a workload. What is unsent of another one is dropped.
func (o *outbox) begin(workload uint64) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.workload, o.answered, o.failure = workload, 0, nil
	o.received.Store(0)
	o.pending.Reset()
	o.room.Broadcast()
}

// answer adds the payloads of ids: payload i of data ends before ends[i]. It waits while a full frame is unsent.
func (o *outbox) answer(ids []loadgen.ResponseID, data []byte, ends []int) {
	o.mu.Lock()
	defer o.mu.Unlock()
	for o.pending.Bytes() >= handshake.ChunkBytes && o.send != nil {
		o.room.Wait()
	}
	o.pending.Add(ids, data, ends)
	o.answered += uint64(len(ids))
	o.kick()
}

// heartbeat sends a sign of life behind what is pending.
func (o *outbox) heartbeat() {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.beat = true
	o.kick()
}

// fail sends an error behind what is pending.
func (o *outbox) fail(err error) {
	s, _ := status.FromError(toStatus(err, codes.Unknown))
	o.mu.Lock()
	defer o.mu.Unlock()
	o.failure = &pluginpb.Failure{Code: uint32(s.Code()), Message: s.Message()}
	o.kick()
}

// kick sends one frame, unless another goroutine is sending, and leaves what came meanwhile to the sender's loop.
// o.mu is held.
func (o *outbox) kick() {
	if o.sending || o.send == nil {
		return
	}
	o.sendOne()
	if o.something() {
		o.changed.Signal()
	}
}

func (o *outbox) loop() {
	o.mu.Lock()
	defer o.mu.Unlock()
	for o.send != nil {
		if o.sending || !o.something() {
			o.changed.Wait()
			continue
		}
		o.sendOne()
	}
}

func (o *outbox) something() bool { return o.pending.Len() > 0 || o.beat || o.failure != nil }

// sendOne sends all that is pending as one frame. o.mu is held, but not while sending.
func (o *outbox) sendOne() {
	send, frame := o.send, o.next()
	o.sending = true
	o.mu.Unlock()
	// An error here is the end of the stream, which its reader sees as well.
	_ = send(frame)
	o.mu.Lock()
	o.sending = false
	o.spare.Reset()
	o.room.Broadcast()
}

// next takes what is pending as a frame. gRPC encodes a message before Send returns, so that its memory may be reused.
func (o *outbox) next() *pluginpb.RunResponse {
	f := &o.frame
	f.Workload, f.Complete, f.Heartbeat, f.Failure = o.workload, nil, nil, o.failure
	if o.pending.Len() > 0 {
		o.pending, o.spare = o.spare, o.pending
		o.spare.Fill(&o.complete)
		f.Complete = &o.complete
	}
	if o.beat {
		f.Heartbeat = &pluginpb.Heartbeat{Received: o.received.Load(), Answered: o.answered}
	}
	o.beat, o.failure = false, nil
	return f
}
