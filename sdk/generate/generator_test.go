package generate_test

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/plumbline-ml/plumbline/sdk/backend"
	"github.com/plumbline-ml/plumbline/sdk/generate"
)

func open(t testing.TB, s backend.Session, o generate.GeneratorOptions) *generate.Generator {
	t.Helper()
	g, err := generate.New(s, o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := g.Close(); err != nil {
			t.Error(err)
		}
	})
	return g
}

// prompts returns random prompts in the toy's vocabulary.
func prompts(n int, seed uint64) []backend.Prompt {
	r := rand.New(rand.NewPCG(seed, 2))
	all := make([]backend.Prompt, n)
	for i := range all {
		ids := make([]int32, 1+r.IntN(40))
		for j := range ids {
			ids[j] = int32(1 + r.IntN(29))
		}
		all[i] = backend.Prompt{
			Tokens: ids, MaxNewTokens: 1 + r.IntN(30), MinNewTokens: r.IntN(4), EOS: []int32{0}, LengthPenalty: 1,
		}
	}
	return all
}

// generateAll generates all prompts concurrently.
func generateAll(t testing.TB, g backend.Generator, all []backend.Prompt) []answer {
	t.Helper()
	answers := make([]answer, len(all))
	var calls sync.WaitGroup
	for i := range all {
		calls.Go(func() {
			if err := g.Generate(t.Context(), all[i], &answers[i]); err != nil {
				t.Errorf("prompt %d: %v", i, err)
			}
		})
	}
	calls.Wait()
	return answers
}

func TestGreedyTogetherIsGreedyAlone(t *testing.T) {
	alone := &toy{vocab: 30, layers: 2, favour: 1}
	all := prompts(60, 1)
	for _, form := range forms() {
		t.Run(form.name(), func(t *testing.T) {
			for _, sequences := range []int{1, 3, 8} {
				model := alone.in(form)
				model.concurrency = sequences % 3
				g := open(t, model, generate.GeneratorOptions{MaxSequences: sequences, PromptTokens: 50})
				for i, a := range generateAll(t, g, all) {
					a.check(t, alone.greedy(all[i]))
				}
			}
		})
	}
}

func TestBeamsTogetherAreBeamsAlone(t *testing.T) {
	all := prompts(40, 2)
	for i := range all {
		all[i].Beams, all[i].EarlyStopping = 1+i%4, i%3 == 0
	}
	alone := make([]answer, len(all))
	for i, p := range all {
		g := open(t, &toy{vocab: 30, layers: 1, favour: 1}, generate.GeneratorOptions{MaxSequences: 4})
		alone[i] = generateAll(t, g, []backend.Prompt{p})[0]
	}
	for _, form := range forms() {
		t.Run(form.name(), func(t *testing.T) {
			model := (&toy{vocab: 30, layers: 1, favour: 1, concurrency: 2}).in(form)
			for i, a := range generateAll(t, open(t, model, generate.GeneratorOptions{MaxSequences: 11}), all) {
				a.check(t, alone[i].all)
			}
		})
	}
}

// TestWideBeamsAreExhaustive searches with more beams than possible answers, and compares the result with all answers.
func TestWideBeamsAreExhaustive(t *testing.T) {
	for seed := range uint64(20) {
		model := &toy{vocab: 3, layers: 1}
		p := backend.Prompt{Tokens: []int32{1, 2, int32(1 + seed%2), int32(seed % 3)}, MaxNewTokens: 3, EOS: []int32{0},
			Beams: 27, LengthPenalty: 0.7}
		g := open(t, &toy{vocab: 3, layers: 1}, generate.GeneratorOptions{MaxSequences: 27})
		generateAll(t, g, []backend.Prompt{p})[0].check(t, model.exhaust(p))
	}
}

func TestTokensAreCounted(t *testing.T) {
	g := open(t, &toy{vocab: 30, layers: 1, favour: 1}, generate.GeneratorOptions{MaxSequences: 4, CacheBytes: 1 << 20})
	all := prompts(20, 3)
	tokens := 0
	for _, a := range generateAll(t, g, all) {
		tokens += len(a.all)
	}
	s := g.Stats()
	if s.Sequences != 20 || s.Tokens != tokens || s.Rows < s.Steps || s.Rows > 4*s.Steps || s.Prompts == 0 {
		t.Errorf("figures %+v of 20 sequences, %d tokens", s, tokens)
	}
	if s.CacheBytes <= 0 || s.CacheBytes > s.CacheLimit || s.CacheLimit != 1<<20 {
		t.Errorf("cache of %d bytes, bound %d", s.CacheBytes, s.CacheLimit)
	}
}

// TestCacheStaysInItsBound generates many prompts, of which few fit in the cache at a time. The first run waits for
// half of them, so several run together.
func TestCacheStaysInItsBound(t *testing.T) {
	const bound = 48 << 10
	for i := range 4 {
		model := &toy{vocab: 30, layers: 1, concurrency: 1 + i%2, inPlace: i >= 2}
		g := open(t, model, generate.GeneratorOptions{MaxSequences: 64, CacheBytes: bound})
		all := prompts(100, 4)
		var first sync.Once
		model.before = func() {
			first.Do(func() {
				for g.Stats().Waiting < len(all)/2 {
					runtime.Gosched()
				}
			})
		}
		for i, a := range generateAll(t, g, all) {
			a.check(t, (&toy{vocab: 30, layers: 1}).greedy(all[i]))
		}
		s := g.Stats()
		if s.CacheBytes > bound {
			t.Errorf("the cache took %d bytes, want at most %d", s.CacheBytes, bound)
		}
		if s.Rows <= s.Steps {
			t.Errorf("%d rows in %d steps: sequences ran one by one", s.Rows, s.Steps)
		}
	}
}

// TestNewPromptWaitsForOneStep starts a prompt while another one runs. Its first token must come before the second next
// token of the other.
func TestNewPromptWaitsForOneStep(t *testing.T) {
	model := &toy{vocab: 30, layers: 1, favour: -100}
	started := make(chan struct{})
	var asked bool
	var since, until int64
	gate := make(chan struct{})
	model.before = func() {
		if !asked && model.runs.Load() == 5 {
			asked = true
			close(started)
			<-gate
		}
	}
	g := open(t, model, generate.GeneratorOptions{MaxSequences: 8})
	var calls sync.WaitGroup
	calls.Go(func() {
		p := backend.Prompt{Tokens: []int32{1}, MaxNewTokens: 100, EOS: []int32{0}}
		if err := g.Generate(t.Context(), p, &answer{}); err != nil {
			t.Error(err)
		}
	})
	<-started
	since = model.runs.Load()
	calls.Go(func() {
		a := &answer{onFirst: func() { until = model.runs.Load() }}
		p := backend.Prompt{Tokens: []int32{2, 3}, MaxNewTokens: 3, EOS: []int32{0}}
		if err := g.Generate(t.Context(), p, a); err != nil {
			t.Error(err)
		}
	})
	for g.Stats().Waiting == 0 {
		runtime.Gosched()
	}
	close(gate)
	calls.Wait()
	if until != since+1 {
		t.Errorf("asked during run %d, the first token came with run %d, want the next one", since, until)
	}
}

func TestCancelledCallsLeave(t *testing.T) {
	model := &toy{vocab: 30, layers: 1, favour: -100}
	g := open(t, model, generate.GeneratorOptions{MaxSequences: 2})
	ctx, cancel := context.WithCancelCause(t.Context())
	cause := errors.New("enough")
	a := &answer{onFirst: func() { cancel(cause) }}
	p := backend.Prompt{Tokens: []int32{1}, MaxNewTokens: 1 << 20, EOS: []int32{0}}
	if err := g.Generate(ctx, p, a); !errors.Is(err, cause) || a.completes != 0 {
		t.Errorf("error %v after %d completions, want the cause of the cancellation and none", err, a.completes)
	}
	p.MaxNewTokens = 4
	next := &answer{}
	if err := g.Generate(t.Context(), p, next); err != nil || len(next.all) != 4 {
		t.Errorf("the next call: %v, %v", next.all, err)
	}
}

// If a waiting call is cancelled, its prompt does not run.
func TestCancelledCallsThatWaitRunNothing(t *testing.T) {
	for _, atATime := range []int{1, 2} {
		t.Run(fmt.Sprintf("%d runs at a time", atATime), func(t *testing.T) {
			running, gate := make(chan struct{}, 100), make(chan struct{})
			model := &toy{vocab: 30, layers: 1, favour: -100, concurrency: atATime}
			model.before = func() {
				running <- struct{}{}
				<-gate
			}
			g := open(t, model, generate.GeneratorOptions{MaxSequences: 1})
			ctx, cancel := context.WithCancelCause(t.Context())
			cause := errors.New("enough")
			p := backend.Prompt{Tokens: []int32{1}, MaxNewTokens: 3, EOS: []int32{0}}
			var calls sync.WaitGroup
			calls.Go(func() {
				if err := g.Generate(t.Context(), p, &answer{}); err != nil {
					t.Error(err)
				}
			})
			<-running
			const waiting = 9
			for range waiting {
				calls.Go(func() {
					if err := g.Generate(ctx, p, &answer{}); !errors.Is(err, cause) {
						t.Errorf("error %v, want the cause of the cancellation", err)
					}
				})
			}
			for g.Stats().Waiting < waiting {
				runtime.Gosched()
			}
			cancel(cause)
			close(gate)
			calls.Wait()
			if n := model.runs.Load(); n != 3 {
				t.Errorf("%d runs, want the 3 of the call that was not given up", n)
			}
		})
	}
}

func TestFailedRunFailsItsSequences(t *testing.T) {
	model := &toy{vocab: 30, layers: 1, favour: -100}
	g := open(t, model, generate.GeneratorOptions{})
	a := &answer{onFirst: func() { model.fail.Store(true) }}
	p := backend.Prompt{Tokens: []int32{1}, MaxNewTokens: 50, EOS: []int32{0}}
	if err := g.Generate(t.Context(), p, a); !errors.Is(err, errToy) {
		t.Errorf("error %v of a step, want the session's", err)
	}
	if err := g.Generate(t.Context(), p, &answer{}); !errors.Is(err, errToy) {
		t.Errorf("error %v of a prompt, want the session's", err)
	}
	model.fail.Store(false)
	if err := g.Generate(t.Context(), p, &answer{}); err != nil {
		t.Error(err)
	}
}

func TestBadPrompts(t *testing.T) {
	g := open(t, &toy{vocab: 30, layers: 1}, generate.GeneratorOptions{MaxSequences: 4, CacheBytes: 1 << 16})
	good := backend.Prompt{Tokens: []int32{1, 2}, MaxNewTokens: 5}
	for name, c := range map[string]struct {
		spoil func(p *backend.Prompt)
		want  []string
	}{
		"empty":    {func(p *backend.Prompt) { p.Tokens = nil }, []string{"no tokens"}},
		"beyond":   {func(p *backend.Prompt) { p.Tokens = []int32{1, 30} }, []string{"token 1 is 30, want one of [0, 30)"}},
		"negative": {func(p *backend.Prompt) { p.Tokens = []int32{-1} }, []string{"token 0 is -1"}},
		"endless":  {func(p *backend.Prompt) { p.MaxNewTokens = 0 }, []string{"MaxNewTokens = 0"}},
		"wide":     {func(p *backend.Prompt) { p.Beams = 5 }, []string{"5 beams, want at most the 4"}},
		"padding":  {func(p *backend.Prompt) { p.PadToken = 99 }, []string{"padding: token 0 is 99"}},
		"too long": {func(p *backend.Prompt) { p.MaxNewTokens = 1 << 20 }, []string{"bytes of cache, the limit is 65536"}},
		"all at once": {func(p *backend.Prompt) { p.Tokens, p.MaxNewTokens = nil, -3 },
			[]string{"no tokens", "MaxNewTokens = -3"}},
	} {
		t.Run(name, func(t *testing.T) {
			p := good
			c.spoil(&p)
			err := g.Generate(t.Context(), p, &answer{})
			if !errors.Is(err, generate.ErrPrompt) {
				t.Fatalf("error %v, want an ErrPrompt", err)
			}
			for _, part := range c.want {
				if !strings.Contains(err.Error(), part) {
					t.Errorf("error %q lacks %q", err, part)
				}
			}
		})
	}
}

func TestCloseClosesTheSession(t *testing.T) {
	model := &toy{vocab: 30, layers: 1}
	g, err := generate.New(model, generate.GeneratorOptions{})
	if err != nil {
		t.Fatal(err)
	}
	for range 2 {
		if err := g.Close(); err != nil {
			t.Error(err)
		}
	}
	if !model.closed.Load() {
		t.Error("the session is open")
	}
	p := backend.Prompt{Tokens: []int32{1}, MaxNewTokens: 1}
	if err := g.Generate(t.Context(), p, &answer{}); !errors.Is(err, generate.ErrClosed) {
		t.Errorf("error %v after Close", err)
	}
}

func TestBadOptions(t *testing.T) {
	_, err := generate.New(&toy{vocab: 3, layers: 1}, generate.GeneratorOptions{MaxSequences: -1, CacheBytes: -2})
	for _, part := range []string{"MaxSequences = -1", "CacheBytes = -2"} {
		if err == nil || !strings.Contains(err.Error(), part) {
			t.Errorf("error %v lacks %q", err, part)
		}
	}
}

func TestDescribe(t *testing.T) {
	g := open(t, &toy{vocab: 3, layers: 2}, generate.GeneratorOptions{MaxSequences: 5, CacheBytes: 1 << 20})
	d := g.Describe().Details
	if d["sequences"] != "5" || d["kv_cache_limit_bytes"] != "1048576" || d["kv_cache_bytes_per_token"] != "32" {
		t.Errorf("details %v", d)
	}
	if l := g.Limits(); l.MaxBatch != 5 || l.Concurrency < 5 {
		t.Errorf("limits %+v", l)
	}
}

// exhaust returns the best answer of all by score, computed without a cache. Prompts must have a LengthPenalty.
func (t *toy) exhaust(p backend.Prompt) []int32 {
	var best []int32
	var most float64
	var grow func(ids []int32, sum float64)
	grow = func(ids []int32, sum float64) {
		if n := len(ids); n > 0 && (ids[n-1] == 0 || n == p.MaxNewTokens) {
			if score := lengthScore(sum, n, p.LengthPenalty); best == nil || score > most {
				best, most = slices.Clone(ids), score
			}
			return
		}
		for id, v := range logProbabilities(t.logits(append(slices.Clone(p.Tokens), ids...))) {
			grow(append(slices.Clone(ids), int32(id)), sum+v)
		}
	}
	grow(nil, 0)
	return best
}

// TestSampledTogetherIsSampledAlone checks that an answer does not depend on concurrent answers.
func TestSampledTogetherIsSampledAlone(t *testing.T) {
	all := prompts(40, 5)
	for i := range all {
		seed, temperature := int64(i%10), 0.5+float64(i%3)
		all[i].Sampling = &backend.Sampling{Seed: &seed, Temperature: &temperature}
	}
	model := &toy{vocab: 30, layers: 2}
	alone := generateAll(t, open(t, model, generate.GeneratorOptions{MaxSequences: 1}), all)
	together := generateAll(t, open(t, model, generate.GeneratorOptions{MaxSequences: 8}), all)
	greedy := 0
	for i, a := range together {
		a.check(t, alone[i].all)
		if slices.Equal(a.all, model.greedy(all[i])) {
			greedy++
		}
	}
	if greedy > len(all)/4 {
		t.Errorf("%d of %d answers are the most probable ones", greedy, len(all))
	}
}

func TestSamplingThatCannotBe(t *testing.T) {
	g := open(t, &toy{vocab: 30, layers: 1}, generate.GeneratorOptions{MaxSequences: 4})
	cold, much, none := -1.0, 1.5, 0
	p := backend.Prompt{Tokens: []int32{1}, MaxNewTokens: 2, Beams: 2, Sampling: &backend.Sampling{
		Temperature: &cold, TopP: &much, TopK: &none,
	}}
	err := g.Generate(t.Context(), p, &answer{})
	for _, want := range []string{"Temperature = -1", "TopP = 1.5", "TopK = 0", "no beam search"} {
		if !errors.Is(err, generate.ErrPrompt) || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want %q in it", err, want)
		}
	}
}
