package sdk_test

import (
	"context"
	"errors"
	"slices"
	"testing"

	"github.com/plumbline-ml/plumbline/sdk"
	"github.com/plumbline-ml/plumbline/sdk/backend"
)

// lengths is a workload of all forms whose samples are texts. The answer to a sample is its length.
type lengths struct{}

var errMissing = errors.New("missing")

func (lengths) Len() int          { return 3 }
func (lengths) Parts() []sdk.Part { return []sdk.Part{{}} }
func (lengths) Close() error      { return nil }

func (lengths) Load(_ context.Context, i int) (*string, error) {
	if i == 2 {
		return nil, errMissing
	}
	text := []string{"one", "three"}[i]
	return &text, nil
}

func (lengths) WarmSample() *string         { text := "warm"; return &text }
func (lengths) SampleSize(s *string) int    { return len(*s) }
func (lengths) SizeRule() sdk.SizeRule      { return sdk.SizeRule{MaxSum: 7} }
func (lengths) PerformanceSampleCount() int { return 2 }

func (lengths) Collate(samples []*string, b *sdk.Batch) error {
	copy(b.Input(0, int64(len(samples))), answers(samples))
	return nil
}

func (lengths) Postprocess(_ []backend.Tensor, samples []*string, p *sdk.Payloads) error {
	for _, n := range answers(samples) {
		p.Append([]byte{n})
	}
	return nil
}

func answers(samples []*string) []byte {
	var all []byte
	for _, s := range samples {
		all = append(all, byte(len(*s)))
	}
	return all
}

func (lengths) MaxBatch() int { return 4 }

func (lengths) NewRun(s sdk.Sessions) (sdk.RunOf[*string], error) {
	if s.Part("") == nil {
		return nil, errMissing
	}
	return measuring{}, nil
}

type measuring struct{}

func (measuring) Run(_ context.Context, samples []*string, p *sdk.Payloads) error {
	return lengths{}.Postprocess(nil, samples, p)
}

func (lengths) Prompt(s *string) (backend.Prompt, error) { return backend.Prompt{Text: *s}, nil }

func (lengths) AppendTokens(dst []byte, s *string, _ backend.Tokens) ([]byte, int, error) {
	return append(dst, *s...), len(*s), nil
}

// samples returns both samples of a workload.
func samples(t *testing.T, w sdk.Workload) []sdk.Sample {
	t.Helper()
	if s, err := w.Load(t.Context(), 2); s != nil || !errors.Is(err, errMissing) {
		t.Errorf("sample %v, error %v", s, err)
	}
	var all []sdk.Sample
	for i := range 2 {
		s, err := w.Load(t.Context(), i)
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, s)
	}
	return all
}

func TestBatchesOfASampleType(t *testing.T) {
	w := sdk.Batches(lengths{})
	all := samples(t, w)
	batcher := w.(sdk.Batcher)
	b := sdk.NewBatch([]backend.TensorInfo{{DType: backend.Uint8}})
	var p sdk.Payloads
	if err := errors.Join(batcher.Collate(all, b), batcher.Postprocess(nil, all, &p)); err != nil {
		t.Fatal(err)
	}
	if data, ends, tokens := p.All(); !slices.Equal(data, []byte{3, 5}) || !slices.Equal(ends, []int{1, 2}) ||
		tokens != nil {
		t.Errorf("payloads %v, which end at %v, tokens %v", data, ends, tokens)
	}
	if in := b.Tensors()[0].Data; !slices.Equal(in, []byte{3, 5}) {
		t.Errorf("input %v", in)
	}
	if _, ok := w.(sdk.Runner); ok {
		t.Error("batches are runs, too")
	}
	if n := testing.AllocsPerRun(100, func() { p.Reset(); _ = batcher.Collate(all[:0], b) }); n != 0 {
		t.Errorf("%v allocations for a batch", n)
	}
}

func TestRunsAndPromptsOfASampleType(t *testing.T) {
	w := sdk.Runs(lengths{})
	all := samples(t, w)
	runner := w.(sdk.Runner)
	if _, err := runner.NewRun(nil); !errors.Is(err, errMissing) {
		t.Errorf("error %v", err)
	}
	run, err := runner.NewRun(sdk.Sessions{"": stagingSession{}})
	if err != nil {
		t.Fatal(err)
	}
	var p sdk.Payloads
	if err := run.Run(t.Context(), all, &p); err != nil || p.Len() != 2 || p.At(1)[0] != 5 || runner.MaxBatch() != 4 {
		t.Errorf("%d payloads, batches of %d, error %v", p.Len(), runner.MaxBatch(), err)
	}
	prompts := sdk.Prompts(lengths{}).(sdk.Generative)
	prompt, err := prompts.Prompt(all[1])
	if _, n, tokens := prompts.AppendTokens(nil, all[0], backend.Tokens{}); prompt.Text != "three" || n != 3 ||
		errors.Join(err, tokens) != nil {
		t.Errorf("prompt %q, %d tokens, errors %v %v", prompt.Text, n, err, tokens)
	}
}

func TestWhatATypedWorkloadOffers(t *testing.T) {
	for _, w := range []sdk.Workload{sdk.Batches(lengths{}), sdk.Runs(lengths{}), sdk.Prompts(lengths{})} {
		warm, warms := sdk.As[sdk.WarmSampler](w)
		sizer, sizes := sdk.As[sdk.Sizer](w)
		counter, counts := sdk.As[sdk.SampleCounter](w)
		if !warms || !sizes || !counts || sizer.SampleSize(warm.WarmSample()) != 4 || sizer.SizeRule().MaxSum != 7 ||
			counter.PerformanceSampleCount() != 2 {
			t.Errorf("%T: warm sample %v, sizes %v, count %v", w, warms, sizes, counts)
		}
		if _, ok := sdk.As[sdk.WorkloadInfoAdder](w); ok {
			t.Errorf("%T informs", w)
		}
		if _, ok := sdk.As[lengths](w); !ok {
			t.Errorf("%T hides what it is made of", w)
		}
	}
	if _, ok := sdk.As[sdk.WorkloadInfoAdder](nil); ok {
		t.Error("nothing informs")
	}
}
