package process

import (
	"context"
	"fmt"

	"github.com/plumbline-ml/plumbline/sdk/backend"
	"github.com/plumbline-ml/plumbline/sdk/internal/backendpb"
)

const (
	// alignment of tensors in a region, in bytes: a cache line, and enough for vector instructions.
	alignment = 64
	// firstRoom is how much a region has for outputs until their size is known.
	firstRoom = 1 << 20
)

// lane runs one batch at a time over a stream of its own.
type lane struct {
	session *session
	stream  backendpb.Backend_RunClient
	stop    context.CancelFunc
	replies chan reply

	region *region // nil: tensors go through the stream
	plain  bool    // regions were tried, and failed
	room   int     // bytes for outputs in the region
}

// reply is a message of the process, or the end of the stream.
type reply struct {
	response *backendpb.RunResponse
	err      error
}

// run runs one batch and puts the lane back when the process is done with it.
func (l *lane) run(ctx context.Context, in, out []backend.Tensor) error {
	request, err := l.prepare(ctx, in)
	if err == nil {
		err = l.send(request)
	}
	if err != nil {
		l.reset()
		l.session.lanes <- l
		return err
	}
	select {
	case r := <-l.replies:
		defer func() { l.session.lanes <- l }()
		return l.finish(r, out)
	case <-ctx.Done():
		go l.await()
		return ctx.Err()
	}
}

// await waits for the answer that nobody wants any more.
func (l *lane) await() {
	if r := <-l.replies; r.err != nil {
		l.reset()
	}
	l.session.lanes <- l
}

// prepare opens the stream if there is none, sees to it that the batch fits into the region, and puts it there.
func (l *lane) prepare(ctx context.Context, in []backend.Tensor) (*backendpb.RunRequest, error) {
	if l.stream == nil {
		if err := l.connect(); err != nil {
			return nil, err
		}
		if err := l.attach(ctx, nil); err != nil {
			return nil, err
		}
	}
	if l.session.shared && !l.plain {
		if err := l.fit(ctx, in); err != nil {
			return nil, err
		}
	}
	return l.request(in), nil
}

func (l *lane) connect() error {
	ctx, stop := context.WithCancel(l.session.ctx)
	stream, err := l.session.child.rpc.Run(ctx)
	if err != nil {
		stop()
		return l.session.child.explain("run batches", err)
	}
	replies := make(chan reply, 2) // an answer and the end: nothing blocks if nobody reads
	l.stream, l.stop, l.replies = stream, stop, replies
	go func() {
		for {
			r, err := stream.Recv()
			replies <- reply{r, err}
			if err != nil {
				return
			}
		}
	}()
	return nil
}

// attach tells the process the order of the tensors and the region, and waits for its answer.
func (l *lane) attach(ctx context.Context, r *region) error {
	message := &backendpb.Attach{}
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
	select {
	case a := <-l.replies:
		if a.err != nil {
			return l.session.child.explain("attach", a.err)
		}
		if a.response.Error != "" {
			return fmt.Errorf("the backend process refused the tensors: %s", a.response.Error)
		}
		l.plain = r != nil && !a.response.GetAttached().GetShared()
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// fit makes a larger region where the batch does not fit into the one there is.
func (l *lane) fit(ctx context.Context, in []backend.Tensor) error {
	need := l.room
	for i := range in {
		need += align(len(in[i].Data))
	}
	if l.region != nil && need <= len(l.region.data) {
		return nil
	}
	if l.room == 0 {
		l.room = firstRoom
		need += firstRoom
	}
	r, err := newRegion(align(need))
	if err != nil {
		l.plain = true
		return nil // the stream does it too
	}
	if err := l.attach(ctx, r); err != nil {
		r.close()
		return err
	}
	if l.region != nil {
		l.region.close()
	}
	l.region = r
	if l.plain {
		r.close()
		l.region = nil
	}
	return nil
}

// request refers to the inputs in the stream's message, or in the region, where it copies them.
func (l *lane) request(in []backend.Tensor) *backendpb.RunRequest {
	r := &backendpb.RunRequest{Inputs: make([]*backendpb.Tensor, len(in))}
	offset := 0
	for i := range in {
		t := &backendpb.Tensor{Dtype: backendpb.DType(in[i].DType), Shape: in[i].Shape}
		r.Inputs[i] = t
		if l.region == nil || len(in[i].Data) == 0 {
			t.Data = in[i].Data
			continue
		}
		t.Offset, t.Size = uint64(offset), uint64(len(in[i].Data))
		offset += align(copy(l.region.data[offset:], in[i].Data))
	}
	if l.region != nil {
		r.OutputOffset = uint64(max(offset, alignment)) // 0 would say that there is no region
	}
	return r
}

// send hands a message to the stream. Where the stream has ended, its status, which says why, is the error.
func (l *lane) send(r *backendpb.RunRequest) error {
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
	if r.response.Error != "" {
		return fmt.Errorf("the backend process: %s", r.response.Error)
	}
	if n := len(r.response.Outputs); n != len(out) || n != len(l.session.outputs) {
		return fmt.Errorf("%w: the backend process answered with %d outputs, want %d", backend.ErrTensors, n, len(l.session.outputs))
	}
	received, inStream := make([]backend.Tensor, len(out)), 0
	for i, t := range r.response.Outputs {
		data, err := l.data(t)
		if err != nil {
			return fmt.Errorf("%w: output %d of the backend process: %w", backend.ErrTensors, i, err)
		}
		received[i] = backend.Tensor{Name: l.session.outputs[i].Name, DType: backend.DType(t.Dtype), Shape: t.Shape, Data: data}
		if t.Size == 0 {
			inStream += align(len(data))
		}
	}
	if err := backend.CheckTensors("output", l.session.outputs, received); err != nil {
		return fmt.Errorf("the backend process: %w", err)
	}
	if inStream > 0 && l.region != nil {
		l.room += inStream // there will be room for them next time
	}
	return l.hand(received, out)
}

// data finds the elements of a tensor.
func (l *lane) data(t *backendpb.Tensor) ([]byte, error) {
	if t.Size == 0 {
		return t.Data, nil
	}
	if l.region == nil {
		return nil, fmt.Errorf("it is said to be in a region, and there is none")
	}
	return within(l.region.data, t)
}

// within is a tensor's part of a region.
func within(region []byte, t *backendpb.Tensor) ([]byte, error) {
	if end := t.Offset + t.Size; end < t.Offset || end > uint64(len(region)) {
		return nil, fmt.Errorf("bytes %d to %d of a region of %d", t.Offset, end, len(region))
	}
	return region[t.Offset : t.Offset+t.Size : t.Offset+t.Size], nil
}

// hand copies the outputs to the caller: into its memory, or into ours.
func (l *lane) hand(received, out []backend.Tensor) error {
	for i := range received {
		n := len(received[i].Data)
		if out[i].Data != nil && len(out[i].Data) < n {
			return fmt.Errorf("output %d: room for %d bytes, want %d", i, len(out[i].Data), n)
		}
	}
	for i, r := range received {
		to, free := out[i].Data, func() {}
		if to == nil {
			to, free = l.session.buffer(len(r.Data))
		}
		r.Data, r.Free = to[:copy(to, r.Data)], free
		out[i] = r
	}
	return nil
}

// reset drops the stream and its region, at the end or after a failure; the next batch opens another.
func (l *lane) reset() {
	if l.stop != nil {
		l.stop()
	}
	if l.region != nil {
		l.region.close()
	}
	l.stream, l.stop, l.region = nil, nil, nil
}

func align(n int) int { return (n + alignment - 1) &^ (alignment - 1) }
