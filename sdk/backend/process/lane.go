package process

import (
	"cmp"
	"context"
	"errors"
	"fmt"

	"github.com/plumbline-ml/plumbline/sdk/backend"
	"github.com/plumbline-ml/plumbline/sdk/internal/backendpb"
)

// lane runs one batch at a time over a stream of its own.
type lane struct {
	session *session
	home    chan *lane // where it is while it is idle
	stage   *stage     // nil: the lane takes any batch, and copies it into its region
	stream  backendpb.Backend_RunClient
	sent    uint64 // the id of the last request of the stream
	stop    context.CancelFunc
	replies chan reply

	memory   memory
	plain    bool    // regions were tried, and failed
	attached bool    // the process knows the order of the tensors
	mapped   *region // what it has mapped; nil: tensors go through the stream

	request backendpb.RunRequest // reused: gRPC encodes a message before Send returns
}

func newLane(s *session, home chan *lane) *lane {
	l := &lane{session: s, home: home, memory: memory{rooms: make([]int, len(s.inputs))}}
	for range s.inputs {
		l.request.Inputs = append(l.request.Inputs, &backendpb.Tensor{})
	}
	return l
}

// reply is a message of the process, or the end of the stream.
type reply struct {
	response *backendpb.RunResponse
	err      error
}

// run runs one batch and puts the lane back when the process is done with it.
func (l *lane) run(ctx context.Context, in, out []backend.Tensor) error {
	err := l.prepare(ctx, in)
	l.keep(out)
	if err == nil {
		err = l.send(&l.request)
	}
	if err != nil {
		l.reset()
		l.home <- l
		return err
	}
	defer l.session.child.await(ctx, "a batch").End()
	select {
	case r := <-l.replies:
		defer func() { l.home <- l }()
		l.memory.discard()
		return l.finish(r, out)
	case <-ctx.Done():
		go l.await()
		return ctx.Err()
	}
}

// await waits for the answer that nobody wants any more.
func (l *lane) await() {
	if r := <-l.replies; r.err != nil || l.misnamed(r.response) != nil {
		l.reset()
	} else {
		l.session.child.kept.drop(r.response)
	}
	l.home <- l
}

// prepare opens the stream if there is none, sees to it that the batch fits into the region, and puts it there.
func (l *lane) prepare(ctx context.Context, in []backend.Tensor) error {
	if l.stream == nil {
		if err := l.connect(); err != nil {
			return err
		}
	}
	if r := l.regionFor(in); !l.attached || r != l.mapped {
		if err := l.attach(ctx, r); err != nil {
			return err
		}
	}
	l.fill(in)
	return nil
}

// regionFor is the region that the batch fits into, nil where tensors go through the stream.
func (l *lane) regionFor(in []backend.Tensor) *region {
	if !l.session.shared || l.plain {
		return nil
	}
	if err := l.memory.fit(in); err != nil {
		l.fallBack(err.Error())
		return nil
	}
	return l.memory.region
}

// fallBack has tensors go through the stream from now on, which does it too, only slower.
func (l *lane) fallBack(why string) {
	l.plain = true
	l.session.unshared.Store(&why)
}

func (l *lane) connect() error {
	ctx, stop := context.WithCancel(l.session.ctx)
	stream, err := l.session.child.rpc.Run(ctx)
	if err != nil {
		stop()
		return l.session.child.explain("run batches", err)
	}
	replies := make(chan reply, 2) // an answer and the end: nothing blocks if nobody reads
	l.stream, l.stop, l.replies, l.sent = stream, stop, replies, 0
	go func() {
		for {
			r, err := stream.Recv()
			l.session.child.heard.Add(1)
			select {
			case replies <- reply{r, err}:
			default: // nobody asked for two more; the next send says so
				stop()
				return
			}
			if err != nil {
				return
			}
		}
	}()
	return nil
}

// attach tells the process the order of the tensors and the region, and waits for its answer.
func (l *lane) attach(ctx context.Context, r *region) error {
	message := &backendpb.Attach{ModelNumber: l.session.number}
	for _, i := range l.session.inputs {
		message.Inputs = append(message.Inputs, i.Name)
	}
	for _, o := range l.session.outputs {
		message.Outputs = append(message.Outputs, o.Name)
	}
	if r != nil {
		message.Region = &backendpb.Region{Path: r.path(), Size: uint64(len(r.data))}
	}
	if err := l.send(&backendpb.RunRequest{Attach: message}); err != nil {
		return err
	}
	defer l.session.child.await(ctx, "Attach").End()
	select {
	case a := <-l.replies:
		if a.err != nil {
			return l.session.child.explain("attach", a.err)
		}
		if err := l.misnamed(a.response); err != nil {
			return err
		}
		if a.response.Error != "" {
			return fmt.Errorf("the backend process refused the tensors: %s", a.response.Error)
		}
		l.attached, l.mapped = true, nil
		switch attached := a.response.GetAttached(); {
		case attached.GetShared():
			l.mapped = r
		case r != nil:
			l.fallBack("the process did not map the memory: " + cmp.Or(attached.GetWhy(), "it does not say why"))
		}
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// fill makes the request refer to the inputs in its own message, or in the region.
func (l *lane) fill(in []backend.Tensor) {
	l.request.OutputOffset = 0
	if l.mapped != nil {
		l.request.OutputOffset = uint64(l.memory.end())
	}
	for i, t := range l.request.Inputs {
		t.Dtype, t.Shape = backendpb.DType(in[i].DType), in[i].Shape
		refer(t, &in[i])
		if l.mapped == nil || len(in[i].Data) == 0 {
			t.Data, t.Offset, t.Size = in[i].Data, 0, 0
			continue
		}
		t.Data, t.Offset, t.Size = nil, l.memory.put(i, in[i].Data), uint64(len(in[i].Data))
	}
}

// send hands a message to the stream. Where the stream has ended, its status, which says why, is the error.
func (l *lane) send(r *backendpb.RunRequest) error {
	if err := l.unasked(); err != nil {
		return err
	}
	l.sent++
	r.Id, r.Release = l.sent, l.session.child.kept.takeReleased(r.Release[:0])
	if err := l.stream.Send(r); err != nil {
		if last := <-l.replies; last.err != nil {
			err = last.err
		}
		return l.session.child.explain("run a batch", err)
	}
	return nil
}

// finish reads the answer to a batch.
func (l *lane) finish(r reply, out []backend.Tensor) error {
	if r.err != nil {
		l.reset()
		return l.session.child.explain("run a batch", r.err)
	}
	if err := l.misnamed(r.response); err != nil {
		l.reset()
		return err
	}
	if r.response.Error != "" {
		return fmt.Errorf("the backend process: %s", r.response.Error)
	}
	if n := len(r.response.Outputs); n != len(out) || n != len(l.session.outputs) {
		return fmt.Errorf("%w: its process answered with %d outputs, want %d", backend.ErrFailed, n, len(l.session.outputs))
	}
	received, room := make([]backend.Tensor, len(out)), 0
	for i, t := range r.response.Outputs {
		var err error
		if received[i], err = l.received(t, out[i].Keep); err != nil {
			return fmt.Errorf("%w: output %d of its process: %w", backend.ErrFailed, i, err)
		}
		received[i].Name = l.session.outputs[i].Name
		room += align(len(received[i].Data))
	}
	if err := backend.CheckTensorsKept("output", l.session.child, l.session.outputs, received); err != nil {
		return fmt.Errorf("%w: its process answered with other outputs than its model has: %w", backend.ErrFailed, err)
	}
	l.memory.outputs = max(l.memory.outputs, room) // the next batch finds room for all of them
	return l.hand(received, out)
}

// received is an output as it came: its elements, or the handle of what was to be kept.
func (l *lane) received(t *backendpb.Tensor, kept bool) (backend.Tensor, error) {
	if kept {
		return l.held(t)
	}
	data, err := l.data(t)
	return backend.Tensor{DType: backend.DType(t.Dtype), Shape: t.Shape, Data: data}, err
}

// data finds the elements of a tensor.
func (l *lane) data(t *backendpb.Tensor) ([]byte, error) {
	if t.Size == 0 {
		return t.Data, nil
	}
	if l.mapped == nil {
		return nil, errors.New("it is said to be in a region, and there is none")
	}
	data, err := within(l.mapped.data, t)
	if from := l.request.OutputOffset; err == nil && (t.Offset < from || t.Offset%alignment != 0) {
		err = fmt.Errorf("it is said to be at byte %d of the region, want a multiple of %d from output_offset, %d, on",
			t.Offset, alignment, from)
	}
	return data, err
}

// within is a tensor's part of a region.
func within(region []byte, t *backendpb.Tensor) ([]byte, error) {
	if end := t.Offset + t.Size; end < t.Offset || end > uint64(len(region)) {
		return nil, fmt.Errorf("bytes %d to %d of a region of %d", t.Offset, end, len(region))
	}
	return region[t.Offset : t.Offset+t.Size : t.Offset+t.Size], nil
}

// hand gives the outputs to the caller: in its memory, in the region of its stage, or in ours.
func (l *lane) hand(received, out []backend.Tensor) error {
	for i := range received {
		n := len(received[i].Data)
		if out[i].Data != nil && len(out[i].Data) < n {
			return fmt.Errorf("output %d: room for %d bytes, want %d", i, len(out[i].Data), n)
		}
	}
	for i, r := range received {
		if r.Keep {
			out[i] = r
			continue
		}
		r.Data, r.Free = l.give(r.Data, out[i].Data)
		out[i] = r
	}
	return nil
}

// give returns the memory of one output as the caller gets it, and what takes it back. to is the caller's own, if any.
func (l *lane) give(data, to []byte) ([]byte, func()) {
	if to != nil {
		return to[:copy(to, data)], nil
	}
	if !l.inRegion(data) {
		return data, nil // it is the message's, which nobody else has
	}
	if l.stage != nil {
		l.stage.unreleased.Add(1)
		return data, l.stage.release
	}
	to, free := l.session.buffer(len(data))
	return to[:copy(to, data)], free
}

func (l *lane) inRegion(data []byte) bool {
	if l.mapped == nil {
		return false
	}
	_, ok := l.mapped.offset(data)
	return ok
}

// reset drops the stream after a failure; the next batch opens another. The process may be at work in the region still:
// the next batch gets another one.
func (l *lane) reset() {
	if l.stop != nil {
		l.stop()
	}
	l.stream, l.stop, l.attached, l.mapped = nil, nil, false, nil
	l.memory.retire()
	if l.stage == nil {
		l.memory.close()
	}
}

// close drops the stream and the memory. An output that a caller has not released keeps what is mapped.
func (l *lane) close() {
	l.reset()
	if l.stage == nil || l.stage.unreleased.Load() == 0 {
		l.memory.close()
	}
}
