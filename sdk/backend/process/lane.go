package process

import (
	"cmp"
	"context"
	"errors"
	"fmt"

	"github.com/plumbline-ml/plumbline/sdk/backend"
	"github.com/plumbline-ml/plumbline/sdk/internal/backendpb"
)

// clientLane runs one batch at a time over its own stream.
type clientLane struct {
	session   *processSession
	idleLanes chan *clientLane // contains the lane while it is idle
	stage     *laneStage       // nil: the lane takes any batch and copies it into its region
	stream    backendpb.Backend_RunClient
	sent      uint64 // id of the last request on the stream
	stop      context.CancelFunc
	replies   chan streamReply

	memory    laneMemory
	mapFailed bool          // mapping a region failed
	attached  bool          // the process knows the order of the tensors
	mapped    *sharedRegion // the region that the process has mapped; nil: tensors go through the stream

	request backendpb.RunRequest // reused, because gRPC encodes a message before Send returns
}

func newLane(s *processSession, home chan *clientLane) *clientLane {
	l := &clientLane{session: s, idleLanes: home, memory: laneMemory{inputSizes: make([]int, len(s.inputs))}}
	for range s.inputs {
		l.request.Inputs = append(l.request.Inputs, &backendpb.Tensor{})
	}
	return l
}

// streamReply is a message of the process, or the end of the stream.
type streamReply struct {
	response *backendpb.RunResponse
	err      error
}

// runBatch runs one batch. It returns the lane to its home when the process has finished the batch.
func (l *clientLane) runBatch(ctx context.Context, in, out []backend.Tensor) error {
	err := l.prepareBatch(ctx, in)
	l.listKept(out)
	if err == nil {
		err = l.sendRequest(&l.request)
	}
	if err != nil {
		l.resetStream()
		l.idleLanes <- l
		return err
	}
	defer l.session.child.awaitAnswer(ctx, "a batch").End()
	select {
	case r := <-l.replies:
		defer func() { l.idleLanes <- l }()
		l.memory.discardRetired()
		return l.readAnswer(r, out)
	case <-ctx.Done():
		go l.awaitAbandoned()
		return ctx.Err()
	}
}

// awaitAbandoned waits for the answer to an abandoned batch.
func (l *clientLane) awaitAbandoned() {
	if r := <-l.replies; r.err != nil || l.checkRequestID(r.response) != nil {
		l.resetStream()
	} else {
		l.session.child.kept.dropAnswer(r.response)
	}
	l.idleLanes <- l
}

// prepareBatch opens the stream if there is none, makes room for the batch in the region, and copies it there.
func (l *clientLane) prepareBatch(ctx context.Context, in []backend.Tensor) error {
	if l.stream == nil {
		if err := l.openStream(); err != nil {
			return err
		}
	}
	if r := l.regionFor(in); !l.attached || r != l.mapped {
		if err := l.attachRegion(ctx, r); err != nil {
			return err
		}
	}
	l.fillRequest(in)
	return nil
}

// regionFor returns the region that the batch fits into, or nil if tensors go through the stream.
func (l *clientLane) regionFor(in []backend.Tensor) *sharedRegion {
	if !l.session.shared || l.mapFailed {
		return nil
	}
	if err := l.memory.fitBatch(in); err != nil {
		l.fallBack(err.Error())
		return nil
	}
	return l.memory.region
}

// fallBack switches to passing tensors through the stream, which is slower.
func (l *clientLane) fallBack(why string) {
	l.mapFailed = true
	l.session.unshared.Store(&why)
}

func (l *clientLane) openStream() error {
	ctx, stop := context.WithCancel(l.session.ctx)
	stream, err := l.session.child.rpc.Run(ctx)
	if err != nil {
		stop()
		return l.session.child.explainError("run batches", err)
	}
	replies := make(chan streamReply, 2) // an answer and the end: no send blocks if there is no reader
	l.stream, l.stop, l.replies, l.sent = stream, stop, replies, 0
	go func() {
		for {
			r, err := stream.Recv()
			l.session.child.messageCount.Add(1)
			select {
			case replies <- streamReply{r, err}:
			default: // two unrequested answers; the next send reports the error
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

// attachRegion sends the order of the tensors and the region to the process, and waits for its answer.
func (l *clientLane) attachRegion(ctx context.Context, r *sharedRegion) error {
	message := &backendpb.Attach{ModelNumber: l.session.number}
	for _, i := range l.session.inputs {
		message.Inputs = append(message.Inputs, i.Name)
	}
	for _, o := range l.session.outputs {
		message.Outputs = append(message.Outputs, o.Name)
	}
	if r != nil {
		message.Region = &backendpb.Region{Path: r.procPath(), Size: uint64(len(r.data))}
	}
	if err := l.sendRequest(&backendpb.RunRequest{Attach: message}); err != nil {
		return err
	}
	defer l.session.child.awaitAnswer(ctx, "Attach").End()
	select {
	case a := <-l.replies:
		if a.err != nil {
			return l.session.child.explainError("attach", a.err)
		}
		if err := l.checkRequestID(a.response); err != nil {
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

// fillRequest puts the inputs into the request: their bytes or their positions in the region.
func (l *clientLane) fillRequest(in []backend.Tensor) {
	l.request.OutputOffset = 0
	if l.mapped != nil {
		l.request.OutputOffset = uint64(l.memory.inputsEnd())
	}
	for i, t := range l.request.Inputs {
		t.Dtype, t.Shape = backendpb.DType(in[i].DType), in[i].Shape
		referToKept(t, &in[i])
		if l.mapped == nil || len(in[i].Data) == 0 {
			t.Data, t.Offset, t.Size = in[i].Data, 0, 0
			continue
		}
		t.Data, t.Offset, t.Size = nil, l.memory.putInput(i, in[i].Data), uint64(len(in[i].Data))
	}
}

// sendRequest sends a message on the stream. If the stream has ended, it returns the stream's status, which contains
// the reason.
func (l *clientLane) sendRequest(r *backendpb.RunRequest) error {
	if err := l.checkUnasked(); err != nil {
		return err
	}
	l.sent++
	r.Id, r.Release = l.sent, l.session.child.kept.takeReleased(r.Release[:0])
	if err := l.stream.Send(r); err != nil {
		if last := <-l.replies; last.err != nil {
			err = last.err
		}
		return l.session.child.explainError("run a batch", err)
	}
	return nil
}

// readAnswer reads the answer to a batch.
func (l *clientLane) readAnswer(r streamReply, out []backend.Tensor) error {
	if r.err != nil {
		l.resetStream()
		return l.session.child.explainError("run a batch", r.err)
	}
	if err := l.checkRequestID(r.response); err != nil {
		l.resetStream()
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
		if received[i], err = l.readOutput(t, out[i].KeepOutput); err != nil {
			return fmt.Errorf("%w: output %d of its process: %w", backend.ErrFailed, i, err)
		}
		received[i].Name = l.session.outputs[i].Name
		room += alignSize(len(received[i].Data))
	}
	if err := backend.CheckTensorsOrHandles("output", l.session.child, l.session.outputs, received); err != nil {
		return fmt.Errorf("%w: its process answered with other outputs than its model has: %w", backend.ErrFailed, err)
	}
	l.memory.outputBytes = max(l.memory.outputBytes, room) // room for all outputs of the next batch
	return l.returnOutputs(received, out)
}

// readOutput returns an output of an answer: its elements, or its handle if the output was to be kept.
func (l *clientLane) readOutput(t *backendpb.Tensor, kept bool) (backend.Tensor, error) {
	if kept {
		return l.keptOutput(t)
	}
	data, err := l.tensorData(t)
	return backend.Tensor{DType: backend.DType(t.Dtype), Shape: t.Shape, Data: data}, err
}

// tensorData returns the elements of a tensor from the message or the region.
func (l *clientLane) tensorData(t *backendpb.Tensor) ([]byte, error) {
	if t.Size == 0 {
		return t.Data, nil
	}
	if l.mapped == nil {
		return nil, errors.New("it is said to be in a region, and there is none")
	}
	data, err := regionPart(l.mapped.data, t)
	if from := l.request.OutputOffset; err == nil && (t.Offset < from || t.Offset%alignment != 0) {
		err = fmt.Errorf("it is said to be at byte %d of the region, want a multiple of %d from output_offset, %d, on",
			t.Offset, alignment, from)
	}
	return data, err
}

// regionPart returns a tensor's part of a region.
func regionPart(region []byte, t *backendpb.Tensor) ([]byte, error) {
	if end := t.Offset + t.Size; end < t.Offset || end > uint64(len(region)) {
		return nil, fmt.Errorf("bytes %d to %d of a region of %d", t.Offset, end, len(region))
	}
	return region[t.Offset : t.Offset+t.Size : t.Offset+t.Size], nil
}

// returnOutputs passes the outputs to the caller: in its memory, in the region of its stage, or in our memory.
func (l *clientLane) returnOutputs(received, out []backend.Tensor) error {
	for i := range received {
		n := len(received[i].Data)
		if out[i].Data != nil && len(out[i].Data) < n {
			return fmt.Errorf("output %d: room for %d bytes, want %d", i, len(out[i].Data), n)
		}
	}
	for i, r := range received {
		if r.KeepOutput {
			out[i] = r
			continue
		}
		r.Data, r.Free = l.returnOutput(r.Data, out[i].Data)
		out[i] = r
	}
	return nil
}

// returnOutput returns the memory of one output for the caller and the function that frees it. If to is not nil, it is
// the caller's own memory.
func (l *clientLane) returnOutput(data, to []byte) ([]byte, func()) {
	if to != nil {
		return to[:copy(to, data)], nil
	}
	if !l.inRegion(data) {
		return data, nil // the message's memory, which has no other user
	}
	if l.stage != nil {
		l.stage.unreleased.Add(1)
		return data, l.stage.releaseOutput
	}
	to, free := l.session.outputBuffer(len(data))
	return to[:copy(to, data)], free
}

func (l *clientLane) inRegion(data []byte) bool {
	if l.mapped == nil {
		return false
	}
	_, ok := l.mapped.offsetOf(data)
	return ok
}

// resetStream drops the stream after a failure. The next batch opens another stream and another region, because the
// process may still use the old region.
func (l *clientLane) resetStream() {
	if l.stop != nil {
		l.stop()
	}
	l.stream, l.stop, l.attached, l.mapped = nil, nil, false, nil
	l.memory.retireRegion()
	if l.stage == nil {
		l.memory.close()
	}
}

// close drops the stream and the memory. Memory of outputs that a caller has not released stays mapped.
func (l *clientLane) close() {
	l.resetStream()
	if l.stage == nil || l.stage.unreleased.Load() == 0 {
		l.memory.close()
	}
}
