package serve

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/plumbline-ml/plumbline/loadgen"
	"github.com/plumbline-ml/plumbline/sdk"
	"github.com/plumbline-ml/plumbline/sdk/backend"
	"github.com/plumbline-ml/plumbline/sdk/internal/batch"
	"github.com/plumbline-ml/plumbline/sdk/internal/wire"
)

// windowed is a workload that runs its samples itself. Each sample is a number of session runs.
type windowed struct{ sdk.Workload }

func (windowed) NewRun(s sdk.Sessions) (sdk.Run, error) { return windows{s.Part("")}, nil }

func (windowed) MaxBatch() int { return 2 }

type windows struct{ session backend.Session }

func (w windows) Run(ctx context.Context, samples []sdk.Sample, p *sdk.Payloads) error {
	for i, s := range samples {
		n := s.(int)
		for range n {
			if err := w.session.Run(ctx, nil, nil); err != nil {
				return err
			}
		}
		p.FirstToken(i)
		if n > 0 { // no answer for a sample without windows, which is a fault
			p.AppendTokens([]byte{byte(n)}, n)
		}
	}
	return nil
}

// counting is a session that counts its runs.
type counting struct {
	backend.Session
	runs int
}

func (*counting) Inputs() []backend.TensorInfo  { return nil }
func (*counting) Outputs() []backend.TensorInfo { return nil }
func (*counting) Limits() backend.Limits        { return backend.Limits{} }

func (c *counting) Run(ctx context.Context, in, out []backend.Tensor) error {
	c.runs++
	return ctx.Err()
}

func TestRunnerTakesSamplesThroughTheSession(t *testing.T) {
	session := &counting{}
	library := batch.NewSampleLibrary(4, func(_ context.Context, i int) (sdk.Sample, error) { return i, nil })
	if err := library.Load(t.Context(), []loadgen.SampleIndex{0, 1, 2, 3}); err != nil {
		t.Fatal(err)
	}
	var answered []byte
	var first []loadgen.ResponseID
	sets, err := (&sessionSource{backend: opener{session: session}}).openSets(t.Context(), []sdk.Part{{}},
		backend.Config{}, nil)
	if err != nil {
		t.Fatal(err)
	}
	w, err := newRunning(windowed{}, sets, inflightBatch{library: library, answer: func(b wire.AnswerBatch) {
		if len(b.IDs) != len(b.Ends) || len(b.IDs) != len(b.Tokens) || b.Tokens[0] != uint32(b.Data[0]) {
			t.Errorf("%d ids, %d payloads, tokens %v", len(b.IDs), len(b.Ends), b.Tokens)
		}
		answered = append(answered, b.Data...)
	}}, func(b wire.AnswerBatch) { first = append(first, b.IDs...) })
	if err != nil {
		t.Fatal(err)
	}
	take := func(indices ...loadgen.SampleIndex) error {
		var samples []loadgen.QuerySample
		for _, i := range indices {
			samples = append(samples, loadgen.QuerySample{ID: loadgen.ResponseID(10 + i), Index: i})
		}
		return errors.Join(w.Collate(samples), w.Run(t.Context()), w.Deliver())
	}
	if err := errors.Join(take(3), take(1, 2)); err != nil {
		t.Fatal(err)
	}
	if session.runs != 6 || !slices.Equal(answered, []byte{3, 1, 2}) ||
		!slices.Equal(first, []loadgen.ResponseID{13, 11, 12}) {
		t.Errorf("%d runs, payloads %v, first tokens of %v", session.runs, answered, first)
	}
	if err := take(0); err == nil || !strings.Contains(err.Error(), "0 payloads for 1 samples") {
		t.Errorf("no payload: error %v", err)
	}
	if err := w.warmUp(t.Context(), 2, 1); err != nil || session.runs != 8 {
		t.Errorf("warm-up: %v, %d runs", err, session.runs)
	}
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	if err := w.warmUp(ended, 2, 1); !errors.Is(err, context.Canceled) {
		t.Errorf("ended context: %v", err)
	}
}

func TestRunnersTakeAsManySamplesAsTheyCan(t *testing.T) {
	got := runnerPolicy(windowed{}, windowed{}, batch.BatchPolicy{Sessions: 2, Workers: 3, MaxBatch: 8, Full: true,
		OwnTurns: true})
	if want := (batch.BatchPolicy{Sessions: 2, Workers: 2, MaxBatch: 2, Full: true}); got != want {
		t.Errorf("policy %+v, want %+v", got, want)
	}
}
