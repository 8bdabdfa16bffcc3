package rnnt

import (
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/plumbline-ml/plumbline/sdk"
	"github.com/plumbline-ml/plumbline/sdk/backend"
	"github.com/plumbline-ml/plumbline/sdk/sdktest"
)

// nemoDecoder has new states of the old ones and the symbol, and scores of states and frame.
func nemoDecoder(in []backend.Tensor) ([]backend.Tensor, error) {
	targets, frames := backend.View[int32](in[1].Data), backend.View[float32](in[0].Data)
	n := len(targets)
	h, c := slices.Clone(backend.View[float32](in[3].Data)), slices.Clone(backend.View[float32](in[4].Data))
	scores := make([]float32, n*5)
	for i, symbol := range targets {
		h[n*3+i*3] = h[n*3+i*3]/2 + float32(symbol)
		c[i*3+2]++
		scores[i*5+(int(frames[2*i]*20)+int(4*h[n*3+i*3])+int(c[i*3+2])+400)%5] = 1
	}
	return []backend.Tensor{
		floatTensor(scores, int64(n), 1, 1, 5), {DType: backend.Int32, Shape: []int64{int64(n)}, Data: make([]byte, 4*n)},
		floatTensor(h, 2, int64(n), 3), floatTensor(c, 2, int64(n), 3),
	}, nil
}

func icefallDecoder(in []backend.Tensor) ([]backend.Tensor, error) {
	y := backend.View[int64](in[0].Data)
	out := make([]float32, len(y)/2)
	for i := range out {
		out[i] = float32(3*y[2*i] + 5*y[2*i+1])
	}
	return []backend.Tensor{floatTensor(out, int64(len(out)), 1)}, nil
}

func icefallJoiner(in []backend.Tensor) ([]backend.Tensor, error) {
	frames, said := backend.View[float32](in[0].Data), backend.View[float32](in[1].Data)
	scores := make([]float32, len(said)*5)
	for i, v := range said {
		scores[i*5+(int(frames[2*i]*20)+int(v)+400)%5] = 1
	}
	return []backend.Tensor{floatTensor(scores, int64(len(said)), 5)}, nil
}

// TestHypothesesDoNotMeet: what clips say in step is what each says alone, in the forms of other toolkits.
func TestHypothesesDoNotMeet(t *testing.T) {
	random := rand.New(rand.NewPCG(3, 4))
	clips := make([][]float32, 6)
	for i := range clips {
		for range 2 * (3 + 4*i) {
			clips[i] = append(clips[i], float32(random.NormFloat64()))
		}
	}
	for name, f := range map[string]partSizes{
		"nemo":    {encoderWidth: 2, layers: 2, hidden: 3, symbols: 5, blank: 4},
		"icefall": {encoderWidth: 2, layers: 1, hidden: 2, predictionWidth: 1, symbols: 5},
	} {
		decoder, joiner := &part{run: nemoDecoder}, &part{run: icefallJoiner}
		if name == "icefall" {
			decoder.run = icefallDecoder
		}
		form := modelForms()[name]
		s := greedySearch{
			network: form.newScorer(sdk.Sessions{predictionPart: decoder, jointPart: joiner}, f), width: 2, scored: f.symbols,
			blank: int64(f.blank), maxSymbols: form.maxSymbols,
		}
		var together [][]int64
		if err := s.findSymbols(t.Context(), clips); err != nil {
			t.Fatal(err)
		}
		for i := range clips {
			together = append(together, slices.Clone(s.hypotheses[i].symbols))
		}
		for i, clip := range clips {
			if err := s.findSymbols(t.Context(), [][]float32{clip}); err != nil {
				t.Fatal(err)
			}
			if alone := s.hypotheses[0].symbols; len(alone) == 0 || !slices.Equal(alone, together[i]) {
				t.Errorf("%s: clip %d says %v alone, %v in step", name, i, alone, together[i])
			}
		}
	}
}

// TestLayouts: clips of different lengths go through an encoder that gives what it takes.
func TestLayouts(t *testing.T) {
	for _, name := range []string{"nemo", "icefall"} {
		const bins = 3
		same := &part{run: func(in []backend.Tensor) ([]backend.Tensor, error) {
			return []backend.Tensor{floatTensor(slices.Clone(backend.View[float32](in[0].Data)), in[0].Shape...),
				{DType: backend.Int64, Shape: in[1].Shape, Data: slices.Clone(in[1].Data)}}, nil
		}}
		e := encoderRun{session: same, form: modelForms()[name], bins: bins, sharing: anyLengthSharing}
		clips := []clipFeatures{probeClip(4, bins), probeClip(7, bins), probeClip(1, bins)}
		encoded := make([][]float32, len(clips))
		if err := e.encodeClips(t.Context(), clips, encoded); err != nil {
			t.Fatal(err)
		}
		for i := range clips {
			if !slices.Equal(encoded[i], clips[i]) {
				t.Errorf("%s: clip %d comes out as %v, want %v", name, i, encoded[i], clips[i])
			}
		}
		e.releaseOutputs()
	}
}

// TestFormsThatDoNotFit names what the files of other toolkits lack.
func TestFormsThatDoNotFit(t *testing.T) {
	for name, want := range map[string][]string{
		"nemo":    {"number of filters", "its width must be fixed", "states of the decoder", "their number must be fixed"},
		"icefall": {"number of filters", "looks back on", "all widths must be fixed"},
	} {
		form, s := modelForms()[name], sdk.Sessions{}
		for _, p := range form.parts() {
			s[p.name] = &part{inputs: p.inputs, outputs: p.outputs}
		}
		_, err := form.readSizes(s)
		sdktest.WantError(t, err, want...)
	}
}

func TestOpenReportsWhatTheInterfaceLacks(t *testing.T) {
	for form, want := range map[string][]string{
		"nemo": {"parameter tokens is empty", "interface = nemo has no part joint"}, "icefall": {"parameter tokens is empty"},
	} {
		_, err := New().Open(t.Context(), sdk.Options{Params: map[string]string{"interface": form}})
		sdktest.WantError(t, err, want...)
	}
	_, err := New().Open(t.Context(), sdk.Options{Params: map[string]string{"tokens": "tokens.txt"}})
	sdktest.WantError(t, err, "symbols of the reference's model are labels")
}
