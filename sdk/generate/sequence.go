package generate

import (
	"context"

	"github.com/plumbline-ml/plumbline/sdk/backend"
)

// sequence is one Generate call. It belongs to the loop from when it waits until finished is closed.
type sequence struct {
	ctx       context.Context
	prompt    backend.Prompt
	sink      backend.TokenSink
	search    tokenSearch
	size      memorySize
	features  backend.Tensor // of one row, for an encoder that takes no tokens
	rows      []int          // in the cache, one for each branch
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

// advanceSearch gives the search the logits of its branches, and reports the first token of a greedy one.
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

// isFinished says that the sequence needs no further step.
func (s *sequence) isFinished() bool {
	if s.err == nil {
		s.err = context.Cause(s.ctx)
	}
	return s.err != nil || s.search.done()
}
