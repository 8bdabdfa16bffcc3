package rnnt

import (
	"context"
	"errors"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/plumbline-ml/plumbline/preprocess/audio"
	"github.com/plumbline-ml/plumbline/sdk"
	"github.com/plumbline-ml/plumbline/sdk/backend"
	"github.com/plumbline-ml/plumbline/sdk/sdktest"
)

// reference is the form of the reference's files.
func reference() *runSettings { return &runSettings{Form: modelForms()["reference"]} }

// randomClips are clips of so many frames, of random features.
func randomClips(frames ...int) []*clipSample {
	r := rand.New(rand.NewPCG(1, 2))
	samples := make([]*clipSample, len(frames))
	for i, n := range frames {
		samples[i] = &clipSample{features: make([]float32, n*audio.RNNTWidth)}
		for k := range samples[i].features {
			samples[i].features[k] = float32(r.NormFloat64())
		}
	}
	return samples
}

// loop decodes one clip by the loop of the reference: one symbol at a time, from lists.
func loop(t *testing.T, m *model, s *clipSample) []int64 {
	t.Helper()
	length := []int64{int64(s.frameCount())}
	encoded, err := m.encode([]backend.Tensor{floatTensor(s.features, length[0], 1, audio.RNNTWidth),
		{DType: backend.Int64, Shape: []int64{1}, Data: backend.Bytes(length)}})
	if err != nil {
		t.Fatal(err)
	}
	said, last := []int64{}, int64(startSymbol)
	state := []backend.Tensor{floatTensor(make([]float32, 6), 2, 1, 3), floatTensor(make([]float32, 6), 2, 1, 3)}
	for frame := range slices.Chunk(backend.View[float32](encoded[0].Data), 2) {
		for range 30 {
			next, err := m.predict(append([]backend.Tensor{{Data: backend.Bytes([]int64{last})}}, state...))
			if err != nil {
				t.Fatal(err)
			}
			scores, _ := m.join([]backend.Tensor{floatTensor(frame, 1, 1, 2), next[0]})
			values := backend.View[float32](scores[0].Data)
			k := slices.Index(values, slices.Max(values))
			if k == blankSymbol {
				break
			}
			said, last, state = append(said, int64(k)), int64(k), next[1:]
		}
	}
	return said
}

// transcribe runs clips in batches of so many.
func transcribe(t *testing.T, m *model, samples []*clipSample, batch int) (all [][]int64) {
	t.Helper()
	f, err := probeParts(m.sessions(), reference().Form)
	if err != nil {
		t.Fatal(err)
	}
	r := newClipRun(reference(), m.sessions(), f)
	for some := range slices.Chunk(samples, batch) {
		var p sdk.Payloads
		if err := r.Run(t.Context(), some, &p); err != nil {
			t.Fatal(err)
		}
		for i := range p.Len() {
			all = append(all, slices.Clone(backend.View[int64](slices.Clone(p.At(i)))))
		}
	}
	if m.encoder.inUse != 0 {
		t.Errorf("%d outputs of the encoder were not released", m.encoder.inUse)
	}
	return all
}

// TestNoBatchChangesATranscript: clips say what the reference's loop finds in each of them alone, whatever shares a run
// with them, and whether the encoder masks what is behind their ends or not.
func TestNoBatchChangesATranscript(t *testing.T) {
	samples := randomClips(31, 8, 9, 30, 2, 2, 17, 31, 4, 9, 5, 26, 13)
	for name, change := range map[string]func(m *model){
		"masked": func(*model) {}, "unmasked": func(m *model) { m.padding = 3 }, "crowded": func(m *model) { m.crowd = true },
	} {
		m := newModel()
		change(m)
		var want [][]int64
		longest := 0
		for _, s := range samples {
			want = append(want, loop(t, m, s))
			longest = max(longest, len(want[len(want)-1]))
		}
		if longest < 10 {
			t.Fatalf("the longest answer has %d symbols: the model says too little to tell", longest)
		}
		for _, batch := range []int{1, 2, 5, len(samples)} {
			for i, got := range transcribe(t, m, samples, batch) {
				if !slices.Equal(got, want[i]) {
					t.Errorf("%s: clip %d in batches of %d: %v, want %v", name, i, batch, got, want[i])
				}
			}
		}
	}
}

// TestClipsShareRunsOfTheEncoder counts the runs of seven clips in one batch.
func TestClipsShareRunsOfTheEncoder(t *testing.T) {
	for _, c := range []struct {
		sharing encoderSharing
		want    []int
	}{{anyLengthSharing, []int{7}}, {evenLengthSharing, []int{4, 2, 1}}, {noSharing, []int{1, 1, 1, 1, 1, 1, 1}}} {
		m := newModel()
		r := newClipRun(reference(), m.sessions(), partSizes{
			bins: audio.RNNTWidth, symbols: scoredSymbols, blank: blankSymbol, encoderWidth: 2, predictionWidth: 1, layers: 2,
			hidden: 3, sharing: c.sharing,
		})
		if err := r.Run(t.Context(), randomClips(9, 31, 7, 8, 31, 9, 30), &sdk.Payloads{}); err != nil {
			t.Fatal(err)
		}
		if !slices.Equal(m.encoder.rows, c.want) {
			t.Errorf("%v: runs of %v clips, want %v", c.sharing, m.encoder.rows, c.want)
		}
	}
}

// TestDecodingRunsInStep: clips in a batch share the runs of the prediction network and the joint network.
func TestDecodingRunsInStep(t *testing.T) {
	count := func(batch int) (runs int) {
		m := newModel()
		transcribe(t, m, randomClips(20, 21, 22, 23, 24, 25, 26, 27), batch)
		return len(m.joint.rows) + len(m.prediction.rows)
	}
	if single, together := count(1), count(8); together*3 > single {
		t.Errorf("%d runs of single clips, %d in batches of 8: want at most a third", single, together)
	}
}

func TestRunReportsScoresThatAreNoNumbers(t *testing.T) {
	m := newModel()
	f, err := probeParts(m.sessions(), reference().Form)
	if err != nil {
		t.Fatal(err)
	}
	m.score = float32(math.NaN())
	if err := newClipRun(reference(), m.sessions(), f).Run(t.Context(), randomClips(4),
		&sdk.Payloads{}); !errors.Is(err, errScores) {
		t.Errorf("error %v, want %v", err, errScores)
	}
}

func TestRunReportsShortClips(t *testing.T) {
	m := newModel()
	f, err := probeParts(m.sessions(), reference().Form)
	if err != nil {
		t.Fatal(err)
	}
	for _, n := range []int{0, 1, 256, 257, 480} {
		err := newClipRun(reference(), m.sessions(), f).Run(t.Context(),
			[]*clipSample{{waveform: make([]float32, n)}}, &sdk.Payloads{})
		if !errors.Is(err, audio.ErrShort) {
			t.Errorf("%d samples: error %v, want %v", n, err, audio.ErrShort)
		}
	}
}

func TestRunEndsWithItsContext(t *testing.T) {
	m := newModel()
	f, err := probeParts(m.sessions(), reference().Form)
	if err != nil {
		t.Fatal(err)
	}
	reason := errors.New("enough")
	ctx, cancel := context.WithCancelCause(t.Context())
	m.joint.run = func([]backend.Tensor) ([]backend.Tensor, error) {
		cancel(reason)
		return nil, context.Cause(ctx)
	}
	if err := newClipRun(reference(), m.sessions(), f).Run(ctx, randomClips(4), &sdk.Payloads{}); !errors.Is(err, reason) {
		t.Errorf("error %v, want %v", err, reason)
	}
	if m.encoder.inUse != 0 {
		t.Errorf("%d outputs of the encoder were not released", m.encoder.inUse)
	}
}

// TestPartsThatDoNotFit opens models in which one thing is wrong, or several.
func TestPartsThatDoNotFit(t *testing.T) {
	for name, c := range map[string]struct {
		change func(m *model)
		want   []string
	}{
		"encoder of another model": {func(m *model) { m.encoder.outputs[0].Shape[2] = 1024 },
			[]string{"frames of 1024 values, the joint network takes 2"}},
		"encoder of another model, of unsaid width": {func(m *model) { m.joint.inputs[0].Shape[2] = 3 },
			[]string{"frames of 2 values, the joint network takes 3"}},
		"prediction network of another model": {func(m *model) { m.prediction.outputs[0].Shape[2] = 320 },
			[]string{"gives 320 values, the joint network takes 1"}},
		"other states": {func(m *model) { m.prediction.inputs[2].Shape = []int64{2, -1, 4} }, []string{"[2,N,4]"}},
		"free states":  {func(m *model) { m.prediction.inputs[1].Shape = []int64{2, -1, -1} }, []string{"must be fixed"}},
		"more symbols": {func(m *model) { m.joint.outputs[0].Shape[3] = 1025 },
			[]string{"scores 1025 symbols, want 29: 28 labels and the blank"}},
		"no row for the start": {func(m *model) { m.rows = 28 }, []string{"symbol 28", "append a row of zeros",
			"out of bounds"}},
		"fixed to even lengths": {func(m *model) { m.pairs = true }, []string{"on 7 frames", "cannot reshape"}},
		"all at once": {func(m *model) {
			m.encoder.outputs[0].Shape[2], m.joint.outputs[0].Shape[3] = 1024, 1025
			m.prediction.outputs[0].Shape[2] = 320
		}, []string{"1024", "320", "1025"}},
	} {
		t.Run(name, func(t *testing.T) {
			m := newModel()
			c.change(m)
			_, err := probeParts(m.sessions(), reference().Form)
			sdktest.WantError(t, err, c.want...)
		})
	}
}

// TestUndeclaredScores: a joint network whose file does not say how many symbols it scores is tried.
func TestUndeclaredScores(t *testing.T) {
	m := newModel()
	m.joint.run = func(in []backend.Tensor) ([]backend.Tensor, error) {
		return []backend.Tensor{floatTensor(make([]float32, 30), 1, 1, 1, 30)}, nil
	}
	_, err := probeParts(m.sessions(), reference().Form)
	sdktest.WantError(t, err, "[1,1,1,30], want 29 values")
}
