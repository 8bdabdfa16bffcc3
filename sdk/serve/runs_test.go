package serve

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/plumbline-ml/plumbline/loadgen"
	"github.com/plumbline-ml/plumbline/sdk"
	"github.com/plumbline-ml/plumbline/sdk/backend"
)

// texts is a workload of two parts whose samples differ in size. It records the sizes in the batches of its runs.
type texts struct {
	batches chan int
	extra   int
	refuses error
}

func (*texts) Len() int { return 40 }
func (*texts) Parts() []sdk.Part {
	return []sdk.Part{{Name: "encoder", Model: backend.Model{Bytes: []byte{}}},
		{Name: "decoder", Model: backend.Model{Bytes: []byte{}}}}
}
func (*texts) Close() error                                    { return nil }
func (*texts) MaxBatch() int                                   { return 4 }
func (*texts) Load(_ context.Context, i int) (int, error)      { return i, nil }
func (*texts) SampleSize(s int) int                            { return s % 2 * 100 }
func (*texts) SizeRule() sdk.SizeRule                          { return sdk.SizeRule{Alike: true, Batch: 16} }
func (w *texts) ExtraRuns() int                                { return w.extra }
func (w *texts) NewRun(s sdk.Sessions) (sdk.RunOf[int], error) { return &reading{w, s}, w.refuses }

type reading struct {
	of       *texts
	sessions sdk.Sessions
}

func (r *reading) Run(ctx context.Context, samples []int, p *sdk.Payloads) error {
	for _, part := range []string{"encoder", "decoder"} {
		if err := r.sessions.Part(part).Run(ctx, nil, nil); err != nil {
			return err
		}
	}
	for _, sample := range samples {
		p.Append([]byte{byte(sample)})
	}
	r.of.batches <- len(samples)
	return nil
}

// crowded is a backend whose sessions allow two concurrent runs and fail at more.
type crowded struct{ recorder }

type room struct {
	backend.Session
	mu     sync.Mutex
	inside int
}

func (c *crowded) Open(ctx context.Context, m backend.Model, o backend.Config) (backend.Session, error) {
	_, err := c.recorder.Open(ctx, m, o)
	return &room{}, err
}

func (*room) Inputs() []backend.TensorInfo {
	return []backend.TensorInfo{{Name: "x", DType: backend.Float32, Shape: []int64{-1, 3}}}
}
func (*room) Outputs() []backend.TensorInfo { return nil }
func (*room) Limits() backend.Limits        { return backend.Limits{Concurrency: 2} }
func (*room) Close() error                  { return nil }

func (r *room) enter(by int) int {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.inside += by
	return r.inside
}

func (r *room) Run(context.Context, []backend.Tensor, []backend.Tensor) error {
	defer r.enter(-1)
	if n := r.enter(1); n > 2 {
		return fmt.Errorf("%d runs at a time", n)
	}
	return nil
}

func openTexts(t *testing.T, w *texts, o sdk.Options) (*openedWorkload, error) {
	t.Helper()
	o.Scenario, o.Sessions = loadgen.Offline, 2
	s := newService(opens{workload: sdk.Runs(w)}, backendRegistry{{"crowded", &crowded{}}})
	s.description.Models = []sdk.ModelInfo{{Name: "texts", Files: []sdk.ModelFile{
		{Name: "embedded", Part: "encoder", Precision: "int8", SHA256: emptySum},
		{Name: "embedded", Part: "decoder", Precision: "fp32", SHA256: emptySum},
	}}}
	opened, err := s.setUpWorkload(t.Context(), o)
	if err == nil {
		t.Cleanup(func() {
			if err := opened.close(); err != nil {
				t.Error(err)
			}
		})
	}
	return opened, err
}

// emptySum is the SHA-256 of empty data.
const emptySum = "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"

// TestRunsTakeBatches checks that a run gets no more samples than its maximum, of similar size, and that runs above a
// session's limit wait.
func TestRunsTakeBatches(t *testing.T) {
	w := &texts{extra: 3, batches: make(chan int, 40)}
	opened, err := openTexts(t, w, sdk.Options{})
	if err != nil {
		t.Fatal(err)
	}
	p := opened.policy
	if p.Sessions != 5 || p.Workers != 5 || p.MaxBatch != 4 || p.Sizing == nil || !p.Sizing.Alike {
		t.Errorf("policy %+v", p)
	}
	var indices []loadgen.SampleIndex
	var samples []loadgen.QuerySample
	for i := range loadgen.SampleIndex(40) {
		indices, samples = append(indices, i), append(samples, loadgen.QuerySample{ID: loadgen.ResponseID(i), Index: i})
	}
	if err := opened.loadSamples(t.Context(), indices); err != nil {
		t.Fatal(err)
	}
	opened.scheduler.Submit(samples, false)
	opened.scheduler.Flush()
	for done := 0; done < len(samples); {
		select {
		case n := <-w.batches:
			if done += n; n > 4 {
				t.Errorf("a batch of %d samples", n)
			}
		case <-time.After(10 * time.Minute):
			t.Fatalf("%d of %d samples were run", done, len(samples))
		}
	}
}

func TestEachPartIsReported(t *testing.T) {
	opened, err := openTexts(t, &texts{}, sdk.Options{})
	if err != nil {
		t.Fatal(err)
	}
	info := opened.info
	if len(info.Parts) != 2 {
		t.Fatalf("parts %+v", info.Parts)
	}
	encoder := info.Parts[0]
	want := []sdk.TensorReport{{Name: "x", Type: "float32", Shape: []int64{-1, 3}}}
	if encoder.Name != "encoder" || encoder.File != "embedded" || encoder.Precision != "int8" ||
		encoder.SHA256 != emptySum ||
		!slices.EqualFunc(encoder.Inputs, want, func(a, b sdk.TensorReport) bool { return fmt.Sprint(a) == fmt.Sprint(b) }) {
		t.Errorf("encoder %+v", encoder)
	}
	if info.ModelFile != "encoder=embedded,decoder=embedded" || info.Precision != "int8,fp32" || !info.Embedded ||
		info.ModelSHA256 == "" || info.ModelSHA256 == emptySum {
		t.Errorf("the whole: %+v", info)
	}
}

func TestRunsThatCannotBe(t *testing.T) {
	refused := errors.New("no memory for a state")
	if _, err := openTexts(t, &texts{refuses: refused}, sdk.Options{}); !errors.Is(err, refused) {
		t.Errorf("error %v", err)
	}
}
