package serve

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/plumbline-ml/plumbline/loadgen"
	"github.com/plumbline-ml/plumbline/sdk"
	"github.com/plumbline-ml/plumbline/sdk/backend"
	"github.com/plumbline-ml/plumbline/sdk/internal/batch"
	"github.com/plumbline-ml/plumbline/sdk/internal/pluginpb"
	"github.com/plumbline-ml/plumbline/sdk/internal/wire"
)

// prompts is a workload whose samples are token ids. A token's payload is one byte.
type prompts struct{ sdk.Workload }

func (prompts) Parts() []sdk.Part { return []sdk.Part{{Model: backend.Model{Name: "counter"}}} }

func (prompts) Prompt(s sdk.Sample) (backend.Prompt, error) {
	if s.(int) < 0 {
		return backend.Prompt{}, errors.New("no prompt")
	}
	return backend.Prompt{Tokens: []int32{int32(s.(int))}, MaxNewTokens: 3}, nil
}

func (prompts) AppendTokens(dst []byte, _ sdk.Sample, t backend.Tokens) ([]byte, int, error) {
	for _, id := range t.IDs {
		if id < 0 {
			return nil, 0, errors.New("no such token")
		}
		if id > 200 {
			panic("a bad index")
		}
		dst = append(dst, byte(id))
	}
	return dst, t.N, nil
}

// script is a generator that a test controls.
type script func(ctx context.Context, p backend.Prompt, s backend.TokenSink) error

func (f script) Generate(ctx context.Context, p backend.Prompt, s backend.TokenSink) error {
	return f(ctx, p, s)
}

func (script) Limits() backend.Limits { return backend.Limits{Concurrency: 4, MaxBatch: 2} }
func (script) Close() error           { return nil }

func ids(values ...int32) backend.Tokens { return backend.Tokens{IDs: values, N: len(values)} }

// good continues a prompt by two tokens.
func good(_ context.Context, p backend.Prompt, s backend.TokenSink) error {
	s.FirstToken(ids(p.Tokens[0] + 1))
	s.Complete(ids(p.Tokens[0]+1, p.Tokens[0]+2))
	return nil
}

// generate passes sample i to a generator and returns the sent frames.
func generate(t *testing.T, g backend.Generator, sample int) ([]*pluginpb.RunResponse, error) {
	t.Helper()
	library := batch.NewSampleLibrary(1, func(context.Context, int) (sdk.Sample, error) { return sample, nil })
	if err := library.Load(t.Context(), []loadgen.SampleIndex{0}); err != nil {
		t.Fatal(err)
	}
	var err error
	s := withOutbox(t, func(o *answerOutbox, _ *slowStream) {
		w := &promptWorker{workload: prompts{}, generator: g, library: library, outbox: o}
		if err = w.Collate([]loadgen.QuerySample{{ID: 7}}); err != nil {
			return
		}
		if err = w.Run(t.Context()); err != nil {
			return
		}
		err = w.Deliver()
	})
	return s.frames, err
}

func answers(t *testing.T, m *pluginpb.Answers) []loadgen.QuerySampleResponse {
	t.Helper()
	a, err := wire.ParseAnswers(m)
	if err != nil {
		t.Fatal(err)
	}
	rs := make([]loadgen.QuerySampleResponse, 9)
	return rs[:a.Next(rs)]
}

func TestTokensGoOverTheWire(t *testing.T) {
	frames, err := generate(t, script(good), 5)
	if err != nil {
		t.Fatal(err)
	}
	var first, complete []loadgen.QuerySampleResponse
	for _, f := range frames {
		if first = append(first, answers(t, f.GetFirstTokens())...); len(first) == 0 && f.GetComplete() != nil {
			t.Error("the answer goes before its first token")
		}
		complete = append(complete, answers(t, f.GetComplete())...)
	}
	if len(first) != 1 || first[0].ID != 7 || !slices.Equal(first[0].Data, []byte{6}) {
		t.Errorf("first tokens %v", first)
	}
	if len(complete) != 1 || complete[0].ID != 7 || complete[0].NTokens != 2 ||
		!slices.Equal(complete[0].Data, []byte{6, 7}) {
		t.Errorf("answers %v", complete)
	}
}

func TestAGeneratorThatKnowsNoFirstToken(t *testing.T) {
	frames, err := generate(t, script(func(_ context.Context, _ backend.Prompt, s backend.TokenSink) error {
		s.FirstToken(backend.Tokens{})
		s.Complete(ids(1, 2))
		return nil
	}), 5)
	first := answers(t, frames[1].GetFirstTokens())
	if err != nil || len(first) != 1 || len(first[0].Data) != 0 {
		t.Errorf("first tokens %v, error %v", first, err)
	}
}

func TestBreachesOfAGenerator(t *testing.T) {
	refused := errors.New("connection refused")
	for name, c := range map[string]struct {
		do   script
		want string
	}{
		"first token twice": {func(_ context.Context, _ backend.Prompt, s backend.TokenSink) error {
			s.FirstToken(ids(1))
			s.FirstToken(ids(1))
			s.Complete(ids(1, 2))
			return nil
		}, "the first token twice"},
		"first token late": {func(_ context.Context, _ backend.Prompt, s backend.TokenSink) error {
			s.Complete(ids(1, 2))
			s.FirstToken(ids(1))
			return nil
		}, "the first token after the answer"},
		"two answers": {func(_ context.Context, _ backend.Prompt, s backend.TokenSink) error {
			s.Complete(ids(1, 2))
			s.Complete(ids(1, 2))
			return nil
		}, "completed the answer twice"},
		"no answer": {func(context.Context, backend.Prompt, backend.TokenSink) error { return nil }, "without an answer"},
		"an error": {func(context.Context, backend.Prompt, backend.TokenSink) error { return refused },
			"connection refused"},
		"a bad token": {func(_ context.Context, _ backend.Prompt, s backend.TokenSink) error {
			s.Complete(ids(-1))
			return nil
		}, "payload of 1 tokens: no such token"},
		"a bad first": {func(_ context.Context, _ backend.Prompt, s backend.TokenSink) error {
			s.FirstToken(ids(-1))
			return nil
		}, "payload of the first token: no such token"},
		"a panic of it": {func(_ context.Context, _ backend.Prompt,
			s backend.TokenSink) error {
			s.Complete(ids(201))
			return nil
		}, "panic in AppendTokens: a bad index"},
		"a count beyond": {func(_ context.Context, _ backend.Prompt, s backend.TokenSink) error {
			s.Complete(backend.Tokens{N: -2})
			return nil
		}, "counts -2 tokens"},
		"a count that nobody has": {func(_ context.Context, _ backend.Prompt, s backend.TokenSink) error {
			s.Complete(backend.Tokens{Text: "a", N: backend.Uncounted})
			return nil
		}, "the server counts no tokens, and neither does the benchmark"},
	} {
		t.Run(name, func(t *testing.T) {
			frames, err := generate(t, c.do, 5)
			if err == nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("error %v, want %q", err, c.want)
			}
			for _, f := range frames {
				if f.GetComplete() != nil {
					t.Error("it was answered all the same")
				}
			}
		})
	}
	if _, err := generate(t, script(good), -1); err == nil || !strings.Contains(err.Error(), "no prompt") {
		t.Errorf("error %v, want the prompt's", err)
	}
}

// Reports of a generator after the end of its call do not affect the following prompt.
func TestLateTokensAreDropped(t *testing.T) {
	var late backend.TokenSink
	_, err := generate(t, script(func(ctx context.Context, p backend.Prompt, s backend.TokenSink) error {
		late = s
		return good(ctx, p, s)
	}), 5)
	if err != nil {
		t.Fatal(err)
	}
	late.FirstToken(ids(-1))
	late.Complete(ids(201)) // would panic
}

// generators is a backend that generates.
type generators struct {
	noBackend
	config backend.Config
	err    error
}

func (b *generators) OpenGenerator(_ context.Context, _ backend.Model, c backend.Config) (backend.Generator, error) {
	b.config = c
	return script(good), b.err
}

// sessions is a backend that runs batches.
type sessions struct {
	config  backend.Config
	version string // version that sessions report; empty: none
	closed  int
}

func (b *sessions) Open(_ context.Context, _ backend.Model, c backend.Config) (backend.Session, error) {
	b.config = c
	if b.version != "" {
		return versioned{&closing{b: b}}, nil
	}
	return &closing{b: b}, nil
}

// versioned is a session that reports its version.
type versioned struct{ *closing }

func (v versioned) Describe() backend.Info { return backend.Info{Version: v.b.version} }

type closing struct {
	counting
	b *sessions
}

func (c *closing) Close() error { c.b.closed++; return nil }

// decoded is a workload with its own decoding.
type decoded struct {
	prompts
	err error
}

func (d decoded) NewGenerator(sdk.Sessions, backend.Config) (backend.Generator, error) {
	return script(good), d.err
}

func TestWhoGenerates(t *testing.T) {
	o := sdk.Options{Sessions: 3, Batch: 5}
	own := &generators{}
	if _, err := (&sessionSource{backend: own}).openGenerator(t.Context(), decoded{}, prompts{}.Parts(), o); err != nil ||
		own.config.Concurrency != 3 || own.config.MaxBatch != 5 {
		t.Errorf("the backend's own: %+v, error %v", own.config, err)
	}
	plain := &sessions{}
	_, err := (&sessionSource{backend: plain}).openGenerator(t.Context(), decoded{}, prompts{}.Parts(),
		sdk.Options{Batch: 5})
	if err != nil || plain.config.Concurrency != 1 || !plain.config.LowLatency || plain.config.MaxBatch != 5 ||
		plain.closed != 0 {
		t.Errorf("the workload's: %+v, error %v", plain.config, err)
	}
	for version, want := range map[string]string{"": "", "7": "7"} {
		w := &openedWorkload{source: &sessionSource{backend: &sessions{version: version}}}
		w.engine, err = w.source.openGenerator(t.Context(), decoded{}, prompts{}.Parts(), o)
		if about := w.engineDetails(); err != nil || about["version"] != want {
			t.Errorf("a generator that says nothing of itself: %v, error %v, want what its session says", about, err)
		}
	}
	w := &openedWorkload{source: &sessionSource{backend: &sessions{version: "7"}}, workload: informed{}}
	w.engine, err = w.source.openGenerator(t.Context(), decoded{}, prompts{}.Parts(), o)
	if about := w.engineDetails(); err != nil || about["version"] != "7" || about["picture"] != "drawn" {
		t.Errorf("what a workload adds: %v, error %v", about, err)
	}
	if _, err := (&sessionSource{backend: plain}).openGenerator(t.Context(), decoded{err: errors.New("no past")},
		prompts{}.Parts(),
		o); err == nil || plain.closed != 1 {
		t.Errorf("error %v, %d sessions closed, want 1", err, plain.closed)
	}
	if _, err := (&sessionSource{backend: plain}).openGenerator(t.Context(), prompts{}, prompts{}.Parts(),
		o); !errors.Is(err,
		sdk.ErrUsage) {
		t.Errorf("error %v, want one of class sdk.ErrUsage", err)
	}
	if _, err := (&sessionSource{backend: &generators{err: errors.New("down")}}).openGenerator(t.Context(), prompts{},
		prompts{}.Parts(), o); err == nil || !strings.Contains(err.Error(), "open model counter: down") {
		t.Errorf("error %v", err)
	}
}

func TestStreams(t *testing.T) {
	for _, c := range []struct {
		o    sdk.Options
		l    backend.Limits
		want batch.BatchPolicy
	}{
		{sdk.Options{Scenario: loadgen.Server}, backend.Limits{Concurrency: 8, MaxBatch: 4},
			batch.BatchPolicy{Sessions: 8, Workers: 8, MaxBatch: 1}},
		{sdk.Options{Scenario: loadgen.Offline, Sessions: 12}, backend.Limits{},
			batch.BatchPolicy{Sessions: 12, Workers: 12, MaxBatch: 1}},
		{sdk.Options{Scenario: loadgen.Offline}, backend.Limits{}, batch.BatchPolicy{Sessions: 256, Workers: 256,
			MaxBatch: 1}},
		{sdk.Options{Scenario: loadgen.SingleStream}, backend.Limits{Concurrency: 8},
			batch.BatchPolicy{Sessions: 1, Workers: 1, MaxBatch: 1, Inline: true}},
	} {
		if got := generatorPolicy(c.o, c.l); got != c.want {
			t.Errorf("%+v, %+v: %+v, want %+v", c.o, c.l, got, c.want)
		}
	}
}

// informed is a workload that adds to the backend's information.
type informed struct{ decoded }

func (informed) AddInfo(info *sdk.WorkloadInfo) { info.BackendInfo["picture"] = "drawn" }

// spoken is a workload whose prompts are audio.
type spoken struct{ decoded }

func (spoken) AudioPrompts() bool { return true }

// deaf is a generator that reports whether it accepts audio.
type deaf struct {
	script
	takes  bool
	closed *int
}

func (d deaf) TakesAudio() bool { return d.takes }
func (d deaf) Close() error     { *d.closed++; return nil }

func TestAudioThatNobodyTakes(t *testing.T) {
	closed := 0
	if g, err := requirePromptSupport(spoken{}, deaf{takes: true, closed: &closed}, nil); err != nil || g == nil {
		t.Errorf("error %v of a generator that takes audio", err)
	}
	if _, err := requirePromptSupport(spoken{}, deaf{closed: &closed}, nil); !errors.Is(err, sdk.ErrUsage) || closed != 1 {
		t.Errorf("error %v of one that takes none, %d closed", err, closed)
	}
	_, err := (&sessionSource{backend: &generators{}}).openGenerator(t.Context(), spoken{}, prompts{}.Parts(),
		sdk.Options{})
	if !errors.Is(err, sdk.ErrUsage) || !strings.Contains(err.Error(), "the prompts are audio") {
		t.Errorf("error %v of a backend that says nothing", err)
	}
	if g, err := requirePromptSupport(decoded{}, deaf{closed: &closed}, nil); err != nil || g == nil {
		t.Errorf("error %v where the prompts are no audio", err)
	}
}

// seen and called are workloads whose prompts have pictures and tools. sighted is a generator that reports whether it
// accepts those.
type (
	seen    struct{ decoded }
	called  struct{ decoded }
	sighted struct {
		deaf
		sees, calls bool
	}
)

func (seen) PartsPrompts() bool    { return true }
func (called) ToolsPrompts() bool  { return true }
func (s sighted) TakesParts() bool { return s.sees }
func (s sighted) TakesTools() bool { return s.calls }

func TestPicturesAndToolsThatNobodyTakes(t *testing.T) {
	closed := 0
	for _, c := range []struct {
		w    sdk.Workload
		g    backend.Generator
		want string
	}{
		{seen{}, sighted{deaf{closed: &closed}, true, false}, ""},
		{seen{}, sighted{deaf{closed: &closed}, false, true}, "the prompts have pictures"},
		{seen{}, deaf{closed: &closed}, "the prompts have pictures"},
		{called{}, sighted{deaf{closed: &closed}, false, true}, ""},
		{called{}, sighted{deaf{closed: &closed}, true, false}, "the prompts have tools"},
		{called{}, deaf{closed: &closed}, "the prompts have tools"},
		{decoded{}, deaf{closed: &closed}, ""},
	} {
		_, err := requirePromptSupport(c.w, c.g, nil)
		if c.want == "" && err != nil ||
			c.want != "" && (!errors.Is(err, sdk.ErrUsage) || !strings.Contains(err.Error(), c.want)) {
			t.Errorf("%T with %T: error %v, want %q", c.w, c.g, err, c.want)
		}
	}
	if closed != 4 {
		t.Errorf("%d of the 4 that are refused were closed", closed)
	}
}

// drawn is a workload whose prompts have sampling. dice is a generator that reports whether it supports it.
type drawn struct{ decoded }

func (drawn) SamplingPrompts() bool { return true }

type dice struct {
	deaf
	draws bool
}

func (d dice) TakesSampling() bool { return d.draws }

func TestSamplingThatNobodyTakes(t *testing.T) {
	closed := 0
	if g, err := requirePromptSupport(drawn{}, dice{deaf{closed: &closed}, true}, nil); err != nil || g == nil {
		t.Errorf("error %v of a generator that draws", err)
	}
	for _, g := range []backend.Generator{dice{deaf{closed: &closed}, false}, deaf{closed: &closed}} {
		_, err := requirePromptSupport(drawn{}, g, nil)
		if !errors.Is(err, sdk.ErrUsage) || !strings.Contains(err.Error(), "temperature=0") {
			t.Errorf("error %v of one that does not", err)
		}
	}
	if g, err := requirePromptSupport(decoded{}, deaf{closed: &closed}, nil); err != nil || g == nil || closed != 2 {
		t.Errorf("error %v where nothing is drawn, %d closed", err, closed)
	}
}

// failing is a generator that fails, or waits for the end of its context.
type failing struct {
	backend.Generator
	err error
}

func (g failing) Generate(ctx context.Context, _ backend.Prompt, _ backend.TokenSink) error {
	if g.err == nil {
		<-ctx.Done()
		return context.Cause(ctx)
	}
	return g.err
}

// TestTurns checks that an answer to a turn of a conversation may fail or take too long without ending the run. A
// breach of the contract ends the run, and so does any fault of other prompts.
func TestTurns(t *testing.T) {
	broken := errors.New("status 500")
	for _, c := range []struct {
		name      string
		generator backend.Generator
		replay    bool
		kind      string // type in the payload's error; empty: the run ends
	}{
		{"fails", failing{err: broken}, true, sdk.TurnFailed},
		{"too long", failing{}, true, sdk.TurnTimedOut},
		{"no turn", failing{err: broken}, false, ""},
		{"incomplete", incomplete{}, true, ""},
	} {
		w := &promptWorker{workload: prompts{}, generator: c.generator, replay: c.replay, limit: time.Millisecond}
		synctest.Test(t, func(t *testing.T) { // the limit is in virtual time
			if err := w.Run(t.Context()); (err == nil) != (c.kind != "") {
				t.Errorf("%s: error %v", c.name, err)
			}
		})
		if c.kind == "" {
			continue
		}
		if a, err := sdk.ParseTurn(w.payload); err != nil || a.Error == nil || a.Error.Type != c.kind {
			t.Errorf("%s: payload %s, %v", c.name, w.payload, err)
		}
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if err := (&promptWorker{workload: prompts{}, generator: failing{}, replay: true}).Run(ctx); err == nil {
		t.Error("a run that ends is an answer that failed")
	}
}

type incomplete struct{ backend.Generator }

func (incomplete) Generate(context.Context, backend.Prompt, backend.TokenSink) error { return nil }
