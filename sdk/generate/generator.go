package generate

import (
	"context"
	"errors"
	"fmt"
	"sync"

	"github.com/plumbline-ml/plumbline/sdk/backend"
)

// Generator is a backend.Generator on a session. One goroutine runs all steps; prompts run in another one, where the
// session takes two runs at a time.
//
// Answers hold ids alone, and the end token where one was reached. With beams, no token is certain before the answer is
// complete: FirstToken comes right before Complete then.
type Generator struct {
	model          sequenceModel
	options        GeneratorOptions
	overlapPrompts bool // prompts run at the same time as steps

	mu      sync.Mutex
	waiting []*sequence // in the order in which they came
	active  []*sequence // prompts that run, and sequences after them
	stats   GeneratorStats
	stepped bool // since there was no active sequence

	wake    chan struct{} // has an element when waiting may have grown
	closing chan struct{}
	ended   chan struct{} // the loop has ended
	once    sync.Once
	err     error // of closing the session
}

var (
	_ backend.Generator = (*Generator)(nil)
	_ backend.Describer = (*Generator)(nil)

	_ backend.AudioTaker    = (*Generator)(nil)
	_ backend.SamplingTaker = (*Generator)(nil)
)

// ErrClosed is what Generate returns after Close.
var ErrClosed = errors.New("the generator is closed")

// New returns a generator on s, which it owns: Close closes it. With an error s stays the caller's.
func New(s backend.Session, o GeneratorOptions) (*Generator, error) {
	m, errModel := bindDecoder(s)
	o, errOptions := o.withDefaults()
	if err := errors.Join(errModel, errOptions); err != nil {
		return nil, err
	}
	return startGenerator(&m, o, s.Limits().Concurrency > 1), nil
}

// startGenerator returns a generator on a model, with its loop running.
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

// Generate continues p, which must have Tokens; of an encoder-decoder whose encoder takes features, Audio.
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

// begin makes a sequence ready to wait.
func (g *Generator) begin(s *sequence) (err error) {
	if s.size, err = g.model.begin(s); err != nil {
		return err
	}
	return g.checkSize(s)
}

// awaitSequence waits for the end of a sequence, and reports false where the generator was closed before.
func (g *Generator) awaitSequence(s *sequence) bool {
	select {
	case <-s.finished:
		return true
	case <-g.ended:
	}
	select {
	case <-s.finished: // with the last step
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

// TakesSampling says that prompts may have Sampling: its rule is in the package's documentation.
func (g *Generator) TakesSampling() bool { return true }

// Limits says how many sequences are decoded together; as many calls at a time, and some to follow them, are worth
// making.
func (g *Generator) Limits() backend.Limits {
	return backend.Limits{
		Concurrency: 2 * g.options.MaxSequences, PreferredBatch: g.options.MaxSequences, MaxBatch: g.options.MaxSequences,
	}
}

// Describe says what the session says, and adds what the cache takes.
func (g *Generator) Describe() backend.Info {
	info := g.model.describe()
	info.Details["sequences"] = fmt.Sprint(g.options.MaxSequences)
	info.Details["kv_cache_limit_bytes"] = fmt.Sprint(g.options.CacheBytes)
	info.Details["prompts_beside_steps"] = fmt.Sprint(g.overlapPrompts)
	return info
}

// GeneratorStats are figures of a generator since it was made.
type GeneratorStats struct {
	Sequences  int   // answers completed
	Tokens     int   // in those answers
	Steps      int   // runs of one token of each sequence
	Rows       int   // sum of the sequences of all steps
	Prompts    int   // runs of prompts
	CacheBytes int64 // memory of keys and values: the most there was
	CacheLimit int64 // its bound
	Waiting    int   // calls whose prompts have not begun to run, now
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
	g.once.Do(func() {
		close(g.closing)
		<-g.ended
		g.err = g.model.close()
	})
	return g.err
}
