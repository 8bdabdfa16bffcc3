package tokens

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"time"

	"github.com/plumbline-ml/plumbline/sdk/backend"
)

// concurrency is the default number of prompts that the generator processes at a time.
const concurrency = 64

// Backend continues each prompt by counting from its last token.
type Backend struct{}

// Open returns an error, because the backend generates and does not run a model.
func (Backend) Open(context.Context, backend.Model, backend.Config) (backend.Session, error) {
	return nil, fmt.Errorf("%w: the backend of tokens generates, it runs no tensors", backend.ErrModel)
}

// OpenGenerator opens a generator with the options delay (time per token after the first) and first (time to the first
// token), both 0 by default.
func (Backend) OpenGenerator(_ context.Context, _ backend.Model, c backend.Config) (backend.Generator, error) {
	g := &countingGenerator{concurrency: concurrency}
	if c.Concurrency > 0 {
		g.concurrency = c.Concurrency
	}
	var faults []error
	for name, value := range c.Options {
		to, ok := map[string]*time.Duration{"delay": &g.delay, "first": &g.first}[name]
		if !ok {
			faults = append(faults, fmt.Errorf("%w: unknown option %q, want delay or first", backend.ErrOption, name))
			continue
		}
		var err error
		if *to, err = time.ParseDuration(value); err != nil {
			faults = append(faults, fmt.Errorf("%w: option %s: %w", backend.ErrOption, name, err))
		}
	}
	return g, errors.Join(faults...)
}

// Describe returns the version and the options.
func (Backend) Describe() backend.Info {
	return backend.Info{Version: "tokens 1", Devices: []string{"none"}, Options: []backend.Option{
		{Name: "delay", Default: "0s", Help: "time per token after the first"}, {Name: "first", Default: "0s",
			Help: "time to the first token"},
	}}
}

type countingGenerator struct {
	concurrency  int
	first, delay time.Duration
	working      atomic.Int64
	buffers      sync.Pool // of *[]int32
}

func (g *countingGenerator) Limits() backend.Limits {
	return backend.Limits{Concurrency: g.concurrency}
}

func (g *countingGenerator) Close() error {
	if n := g.working.Load(); n > 0 {
		return fmt.Errorf("closed while %d prompts were in work", n)
	}
	return nil
}

// Generate continues p by counting from its last token.
func (g *countingGenerator) Generate(ctx context.Context, p backend.Prompt, sink backend.TokenSink) error {
	if n := g.working.Add(1); n > int64(g.concurrency) {
		return fmt.Errorf("%d prompts at a time, the limit is %d", n, g.concurrency)
	}
	defer g.working.Add(-1)
	if len(p.Tokens) == 0 || p.MaxNewTokens <= 0 {
		return fmt.Errorf("a prompt of %d tokens to be continued by %d: want 1 or more of both", len(p.Tokens),
			p.MaxNewTokens)
	}
	ids := g.countOn(p)
	defer g.buffers.Put(&ids)
	if err := sleepFor(ctx, g.first); err != nil {
		return err
	}
	sink.FirstToken(backend.Tokens{IDs: ids[:1], N: 1})
	if err := sleepFor(ctx, time.Duration(len(ids)-1)*g.delay); err != nil {
		return err
	}
	sink.Complete(backend.Tokens{IDs: ids, N: len(ids)})
	return nil
}

// countOn returns the answer to p.
func (g *countingGenerator) countOn(p backend.Prompt) []int32 {
	var ids []int32
	if b, ok := g.buffers.Get().(*[]int32); ok {
		ids = (*b)[:0]
	}
	last := p.Tokens[len(p.Tokens)-1]
	for k := range p.MaxNewTokens {
		ids = append(ids, last+int32(k)+1)
	}
	return ids
}

func sleepFor(ctx context.Context, d time.Duration) error {
	if d <= 0 {
		return context.Cause(ctx)
	}
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-ctx.Done():
		return context.Cause(ctx)
	case <-t.C:
		return nil
	}
}
