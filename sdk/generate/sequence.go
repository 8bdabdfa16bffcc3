package generate

import (
	"context"

	"github.com/plumbline-ml/plumbline/sdk/backend"
)

// sequence is one Generate call. While it waits and until finished is closed, only the loop uses it.
type sequence struct {
	ctx       context.Context
	prompt    backend.Prompt
	sink      backend.TokenSink
	search    tokenSearch
	size      memorySize
	features  backend.Tensor // input of one row, for an encoder that does not accept tokens
	rows      []int          // indices in the cache, one for each branch
	announced bool           // FirstToken was called
	awaited   *backend.PendingWait
	err       error
	finished  chan struct{}
}

func newSequence(ctx context.Context, p backend.Prompt, sink backend.TokenSink, o GeneratorOptions) *sequence {
	_, all := sink.(BeamSink)
	return &sequence{
		ctx: ctx, prompt: p, sink: sink, search: newSearch(&p, o, all), finished: make(chan struct{}),
		awaited: backend.StartWait(ctx, backend.WaitInfo{For: "the next token of a prompt"}),
	}
}

// advanceSearch passes the logits of the branches to the search. It reports the first token of a greedy search.
func (s *sequence) advanceSearch(logits [][]float32) {
	if err := s.search.next(logits); err != nil {
		s.err = err
		return
	}
	s.awaited.SignalProgress()
	if !s.announced && branchCount(&s.prompt) == 1 {
		s.announced = true
		s.sink.FirstToken(backend.Tokens{IDs: s.search.answer()[:1], N: 1})
	}
}

// isFinished reports whether the sequence needs no further step.
func (s *sequence) isFinished() bool {
	if s.err == nil {
		s.err = context.Cause(s.ctx)
	}
	return s.err != nil || s.search.done()
}
