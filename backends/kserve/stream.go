package kserve

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"sync"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/metadata"
	"google.golang.org/grpc/status"

	"github.com/plumbline-ml/plumbline/internal/oip"
)

// errUnrequested is wrapped if a server sent an answer with an id that is not pending: the id was never sent or was
// answered before.
var errUnrequested = errors.New("the server answered a request that was not asked, or answered one twice")

// inferStream carries many requests to one endpoint. Their answers arrive in any order. It ends with its first error.
type inferStream struct {
	call     grpc.BidiStreamingClient[oip.ModelInferRequest, oip.ModelStreamInferResponse]
	cancel   context.CancelFunc
	sendTurn chan struct{} // semaphore for sending
	ended    chan struct{} // closed when nothing more is received

	mu      sync.Mutex
	waiting map[string]chan<- streamAnswer // by id; nil: the answer is no longer awaited
	fault   error                          // why the stream ended
}

type streamAnswer struct {
	response *oip.ModelInferResponse
	err      error
}

// stream returns the endpoint's stream. It opens a new one if necessary.
func (s *kserveSession) stream(ctx context.Context, e *serverEndpoint) (*inferStream, error) {
	e.opening.Lock()
	defer e.opening.Unlock()
	if e.stream != nil {
		if fault := e.stream.err(); fault == nil || errors.Is(fault, errUnrequested) {
			return e.stream, nil
		}
	}
	t, err := s.openStream(ctx, e)
	if err == nil {
		e.stream = t
	}
	return t, err
}

// openStream starts a stream that outlives ctx.
func (s *kserveSession) openStream(ctx context.Context, e *serverEndpoint) (*inferStream, error) {
	life, cancel := context.WithCancel(context.Background())
	if len(s.header) > 0 {
		life = metadata.NewOutgoingContext(life, s.header)
	}
	stop := context.AfterFunc(ctx, cancel)
	call, err := e.rpc.ModelStreamInfer(life, grpc.MaxCallRecvMsgSize(maxAnswerBytes))
	if err != nil || !stop() {
		cancel()
		return nil, errors.Join(err, ctx.Err())
	}
	t := &inferStream{
		call: call, cancel: cancel, sendTurn: make(chan struct{}, 1), ended: make(chan struct{}),
		waiting: map[string]chan<- streamAnswer{},
	}
	go t.receiveAnswers()
	return t, nil
}

// checkStreaming reports whether an endpoint supports the call: it must end an empty stream without an error. A server
// without the call returns Unimplemented. MLServer, whose call differs, returns another error.
func (s *kserveSession) checkStreaming(ctx context.Context, e *serverEndpoint) error {
	ctx, cancel := s.callContext(ctx)
	defer cancel()
	call, err := e.rpc.ModelStreamInfer(ctx)
	if err == nil {
		err = call.CloseSend()
	}
	if err == nil {
		_, err = call.Recv()
	}
	if errors.Is(err, io.EOF) {
		return nil
	}
	return err
}

// askServer sends a request and waits for its answer.
func (t *inferStream) askServer(ctx context.Context, r *oip.ModelInferRequest) (*oip.ModelInferResponse, error) {
	answered := make(chan streamAnswer, 1)
	if err := t.addPending(r.Id, answered); err != nil {
		return nil, err
	}
	if err := t.sendRequest(ctx, r); err != nil {
		t.abandonRequest(r.Id)
		return nil, err
	}
	select {
	case a := <-answered:
		return a.response, a.err
	case <-ctx.Done():
		t.abandonRequest(r.Id)
		return nil, status.FromContextError(ctx.Err()).Err()
	}
}

// sendRequest waits for its turn and sends a request. If the server stops reading, sending blocks, and the end of ctx
// then ends the stream.
func (t *inferStream) sendRequest(ctx context.Context, r *oip.ModelInferRequest) error {
	select {
	case t.sendTurn <- struct{}{}:
	case <-t.ended:
		return t.err()
	case <-ctx.Done():
		return status.FromContextError(ctx.Err()).Err()
	}
	defer func() { <-t.sendTurn }()
	stop := context.AfterFunc(ctx, func() { t.endStream(status.FromContextError(ctx.Err()).Err()) })
	defer stop()
	if t.call.Send(r) != nil { // receiving returns the reason
		<-t.ended
		return t.err()
	}
	return nil
}

func (t *inferStream) receiveAnswers() {
	defer close(t.ended)
	for {
		m, err := t.call.Recv()
		if errors.Is(err, io.EOF) {
			err = status.Error(codes.Unavailable, "the server ended the stream")
		}
		if err == nil {
			err = t.deliverAnswer(splitResponse(m))
		}
		if err != nil {
			t.endStream(err)
			return
		}
	}
}

// deliverAnswer delivers an answer to the request that waits for it.
func (t *inferStream) deliverAnswer(id string, a streamAnswer) error {
	t.mu.Lock()
	defer t.mu.Unlock()
	if id == "" {
		if id = t.onlyPending(); id == "" {
			return fmt.Errorf("%w: without the id of its request, of which %d are open (option stream=off)",
				cmp.Or(a.err, errUnrequested), len(t.waiting))
		}
	}
	waits, asked := t.waiting[id]
	if !asked {
		return fmt.Errorf("%w: id %q", errUnrequested, id)
	}
	delete(t.waiting, id)
	if waits != nil {
		waits <- a
	}
	return nil
}

// onlyPending returns the id of the pending request if there is only one.
func (t *inferStream) onlyPending() string {
	if len(t.waiting) == 1 {
		for id := range t.waiting {
			return id
		}
	}
	return ""
}

func (t *inferStream) addPending(id string, answered chan<- streamAnswer) error {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.fault == nil {
		t.waiting[id] = answered
	}
	return t.fault
}

// abandonRequest marks a request so that its late answer is dropped.
func (t *inferStream) abandonRequest(id string) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if _, open := t.waiting[id]; open {
		t.waiting[id] = nil
	}
}

// endStream ends the stream. All pending requests receive the first reason. It stores the reason before it cancels the
// call, because cancelling causes another error.
func (t *inferStream) endStream(err error) {
	t.failPending(err)
	t.cancel()
}

func (t *inferStream) failPending(err error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.fault == nil {
		t.fault = err
	}
	for id, waits := range t.waiting {
		delete(t.waiting, id)
		if waits != nil {
			waits <- streamAnswer{err: t.fault}
		}
	}
}

// allAnswered reports whether every request was answered and none was given up.
func (t *inferStream) allAnswered() bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	return len(t.waiting) == 0
}

func (t *inferStream) err() error {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.fault
}

// closeStream ends the stream. It fails if the server sent an answer that was not requested, even at the end.
func (e *serverEndpoint) closeStream() error {
	e.opening.Lock()
	defer e.opening.Unlock()
	t := e.stream
	if t == nil {
		return nil
	}
	t.sendTurn <- struct{}{} // prevents further sending
	if t.allAnswered() {
		_ = t.call.CloseSend()
		select {
		case <-t.ended:
		case <-time.After(closeTimeout):
		}
	}
	t.endStream(context.Canceled)
	<-t.ended
	return t.unaskedError(e)
}

// unaskedError returns the error of an endpoint that sent an answer that was not requested.
func (e *serverEndpoint) unaskedError() error {
	e.opening.Lock()
	defer e.opening.Unlock()
	if e.stream == nil {
		return nil
	}
	return e.stream.unaskedError(e)
}

func (t *inferStream) unaskedError(e *serverEndpoint) error {
	if err := t.err(); errors.Is(err, errUnrequested) {
		return shortenError(fmt.Errorf("endpoint %s: %w", e.url, err))
	}
	return nil
}

// closeTimeout is the time limit for a server to end a stream after the last request.
const closeTimeout = time.Second

// chooseCall determines which endpoints use the streaming call, according to option stream.
func (s *kserveSession) chooseCall(ctx context.Context) error {
	if s.settings.stream == "off" {
		return nil
	}
	faults := make([]error, len(s.endpoints))
	var asking sync.WaitGroup
	for i, e := range s.endpoints {
		asking.Go(func() {
			err := s.checkStreaming(ctx, e)
			e.streams = err == nil
			if err != nil && s.settings.stream == "on" {
				faults[i] = fmt.Errorf("endpoint %s does not stream answers (option stream=off does without): %w",
					e.url, explainError(err))
			}
		})
	}
	asking.Wait()
	return errors.Join(faults...)
}
