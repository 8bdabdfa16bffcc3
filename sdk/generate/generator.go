package generate

import (
	"context"
	"errors"
	"fmt"
	"sync"

	"github.com/plumbline-ml/plumbline/sdk/backend"
)

// Generator is a backend.Generator on a session. One goroutine runs all steps. If the session allows two concurrent
// runs, another goroutine runs the prompts.
//
// Answers contain only ids, including the end token if it was reached. With beams, no token is certain before the
// answer is complete, so FirstToken is called directly before Complete.
type Generator struct {
	model          sequenceModel
	options        GeneratorOptions
	overlapPrompts bool // prompts run concurrently with steps

	mu      sync.Mutex
	waiting []*sequence // in the order of arrival
	active  []*sequence // sequences whose prompts run or have run
	stats   GeneratorStats
	stepped bool // a step has run since the last time without active sequences

	wake       chan struct{} // receives a value when waiting may have grown
	closing    chan struct{}
	ended      chan struct{} // closed when the loop has ended
	closeOnce  sync.Once
	closeError error // result of closing the session
}

var (
	_ backend.Generator = (*Generator)(nil)
	_ backend.Describer = (*Generator)(nil)

	_ backend.AudioTaker    = (*Generator)(nil)
	_ backend.SamplingTaker = (*Generator)(nil)
)

// ErrClosed is returned by Generate after Close.
var ErrClosed = errors.New("the generator is closed")

// New returns a generator on s, which Close closes. After an error the caller must close s.
func New(s backend.Session, o GeneratorOptions) (*Generator, error) {
	m, errModel := bindDecoder(s)
	o, errOptions := o.withDefaults()
	if err := errors.Join(errModel, errOptions); err != nil {
		return nil, err
	}
	return startGenerator(&m, o, s.Limits().Concurrency > 1), nil
}

// startGenerator returns a generator on a model and starts its loop.
func startGenerator(m sequenceModel, o GeneratorOptions, overlapPrompts bool) *Generator {
	g := &Generator{
		model: m, options: o, overlapPrompts: overlapPrompts,
		wake: make(chan struct{}, 1), closing: make(chan struct{}), ended: make(chan struct{}),
	}
	g.stats.CacheLimit = o.CacheBytes
	l := &stepLoop{Generator: g, runner: m.newRunner(), state: m.newMemory(), prompter: newPrompter(g)}
	go func() {
		defer close(g.ended)
		l.runSteps()
	}()
	return g
}

// Generate continues p. p must have Tokens or, for an encoder-decoder whose encoder accepts features, Audio.
func (g *Generator) Generate(ctx context.Context, p backend.Prompt, sink backend.TokenSink) error {
	if len(p.EOS) == 0 {
		p.EOS = g.options.EOS
	}
	if err := g.checkPrompt(&p); err != nil {
		return err
	}
	s := newSequence(ctx, p, sink, g.options)
	defer s.awaited.End()
	if err := g.begin(s); err != nil {
		return err
	}
	g.mu.Lock()
	g.waiting = append(g.waiting, s)
	g.mu.Unlock()
	g.wakeLoop()
	if !g.awaitSequence(s) {
		return ErrClosed
	}
	if s.err != nil {
		return s.err
	}
	ids := s.search.answer()
	if !s.announced {
		sink.FirstToken(backend.Tokens{IDs: ids[:1], N: 1})
	}
	if all, ok := sink.(BeamSink); ok {
		all.Beams(s.search.beams())
	}
	sink.Complete(backend.Tokens{IDs: ids, N: len(ids)})
	return nil
}

// begin prepares a sequence for waiting.
func (g *Generator) begin(s *sequence) (err error) {
	if s.size, err = g.model.begin(s); err != nil {
		return err
	}
	return g.checkSize(s)
}

// awaitSequence waits for the end of a sequence. It returns false if the generator was closed before.
func (g *Generator) awaitSequence(s *sequence) bool {
	select {
	case <-s.finished:
		return true
	case <-g.ended:
	}
	select {
	case <-s.finished: // finished in the last step
		return true
	default:
		return false
	}
}

func (g *Generator) wakeLoop() {
	select {
	case g.wake <- struct{}{}:
	default:
	}
}

// TakesAudio reports whether the model's encoder accepts audio features.
func (g *Generator) TakesAudio() bool { return g.model.takesAudio() }

// TakesSampling reports that prompts may have Sampling. The package documentation contains its rule.
func (g *Generator) TakesSampling() bool { return true }

// Limits returns the number of sequences that are decoded together, and a useful number of concurrent calls: these
// sequences and some that follow them.
func (g *Generator) Limits() backend.Limits {
	return backend.Limits{
		Concurrency: 2 * g.options.MaxSequences, PreferredBatch: g.options.MaxSequences, MaxBatch: g.options.MaxSequences,
	}
}

// Describe returns the session's description with the sizes of the cache.
func (g *Generator) Describe() backend.Info {
	info := g.model.describe()
	info.Details["sequences"] = fmt.Sprint(g.options.MaxSequences)
	info.Details["kv_cache_limit_bytes"] = fmt.Sprint(g.options.CacheBytes)
	info.Details["prompts_beside_steps"] = fmt.Sprint(g.overlapPrompts)
	return info
}

// GeneratorStats contains figures of a generator since its creation.
type GeneratorStats struct {
	Sequences  int   // completed answers
	Tokens     int   // tokens in those answers
	Steps      int   // runs of one token of each sequence
	Rows       int   // sum of the sequences of all steps
	Prompts    int   // runs of prompts
	CacheBytes int64 // peak memory of keys and values
	CacheLimit int64 // limit of that memory
	Waiting    int   // current number of calls whose prompts have not started
}

// Stats returns the figures so far.
func (g *Generator) Stats() GeneratorStats {
	g.mu.Lock()
	defer g.mu.Unlock()
	s := g.stats
	s.Waiting = len(g.waiting)
	return s
}

// Close ends the loop and closes the session. It may be called more than once.
func (g *Generator) Close() error {
	g.closeOnce.Do(func() {
		close(g.closing)
		<-g.ended
		g.closeError = g.model.close()
	})
	return g.closeError
}
