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
	"github.com/plumbline-ml/plumbline/sdk/batch"
	"github.com/plumbline-ml/plumbline/sdk/internal/wire"
)

// windowed is a workload that runs its samples itself; each sample is a number of runs of the session.
type windowed struct{ sdk.Workload }

var errCalled = errors.New("a method that a Runner is not asked for")

func (windowed) Collate([]sdk.Sample, *sdk.Batch) error { return errCalled }

func (windowed) Postprocess([]backend.Tensor, []sdk.Sample, *sdk.Payloads) error { return errCalled }

func (windowed) NewRun(s backend.Session) sdk.SampleRun { return windows{s} }

type windows struct{ session backend.Session }

func (w windows) Run(ctx context.Context, s sdk.Sample, p *sdk.Payloads) error {
	n := s.(int)
	for range n {
		if err := w.session.Run(ctx, nil, nil); err != nil {
			return err
		}
	}
	if n > 0 { // no answer for a sample of no windows: a fault
		p.Append([]byte{byte(n)})
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

func (c *counting) Run(ctx context.Context, in, out []backend.Tensor) error {
	c.runs++
	return ctx.Err()
}

func TestRunnerTakesSamplesThroughTheSession(t *testing.T) {
	session := &counting{}
	library := batch.NewLibrary(4, func(_ context.Context, i int) (sdk.Sample, error) { return i, nil })
	if err := library.Load(t.Context(), []loadgen.SampleIndex{0, 1, 2, 3}); err != nil {
		t.Fatal(err)
	}
	var answered []byte
	w := newWorker(&opened{workload: windowed{}, library: library}, session, func(b wire.Batch) {
		if len(b.IDs) != len(b.Ends) {
			t.Errorf("%d ids, %d payloads", len(b.IDs), len(b.Ends))
		}
		answered = append(answered, b.Data...)
	})
	take := func(i loadgen.SampleIndex) error {
		return errors.Join(w.Collate([]loadgen.QuerySample{{ID: 7, Index: i}}), w.Run(t.Context()), w.Deliver())
	}
	if err := errors.Join(take(3), take(1), take(2)); err != nil {
		t.Fatal(err)
	}
	if session.runs != 6 || !slices.Equal(answered, []byte{3, 1, 2}) {
		t.Errorf("%d runs, payloads %v", session.runs, answered)
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

func TestRunnersTakeOneSampleAtATime(t *testing.T) {
	got := alone(batch.Policy{Sessions: 2, Workers: 3, MaxBatch: 8, Full: true})
	if want := (batch.Policy{Sessions: 2, Workers: 2, MaxBatch: 1, Full: true}); got != want {
		t.Errorf("policy %+v, want %+v", got, want)
	}
}
