package sdxl

import (
	"bytes"
	"errors"
	"slices"
	"testing"

	"github.com/plumbline-ml/plumbline/sdk/backend"
	"github.com/plumbline-ml/plumbline/sdk/sdktest"
)

// TestRunMakesPictures: a decoder that gives zeros paints grey, 128 of 255.
func TestRunMakesPictures(t *testing.T) {
	f := newFake()
	p := f.generate(t, "a", "a a", "a")
	const side = 8 * fakeSide
	if p.Len() != 3 {
		t.Fatalf("%d payloads, want 3", p.Len())
	}
	for i := range p.Len() {
		if !bytes.Equal(p.At(i), slices.Repeat([]byte{128}, 3*side*side)) {
			t.Errorf("picture %d is not grey", i)
		}
	}
	if n := len(f.unet.runs); n != 3 {
		t.Errorf("the UNet ran %d times, want 3 steps", n)
	}
	if n := len(f.first.runs); n != 4 {
		t.Errorf("the first text encoder ran %d times, want once for the negative prompt and once for each caption", n)
	}
}

// TestRunHandsEmbeddingsOver: at every step the UNet is given the same memory of what stays the same.
func TestRunHandsEmbeddingsOver(t *testing.T) {
	f := newFake()
	f.generate(t, "a", "a a")
	for i, in := range f.unet.runs {
		for k := 2; k < 5; k++ {
			if &in[k].Data[0] != &f.unet.runs[0][k].Data[0] {
				t.Errorf("step %d: %s lies in other memory", i, in[k].Name)
			}
		}
		if rows := in[0].Shape[0]; rows != 4 {
			t.Errorf("step %d: %d rows of 2 captions", i, rows)
		}
	}
}

// TestRunKeepsToTheFilesBatch: a UNet of four rows and a decoder of one.
func TestRunKeepsToTheFilesBatch(t *testing.T) {
	f := newFake()
	f.unet.limits.MaxBatch = 4
	if p := f.generate(t, "a", "a", "a"); p.Len() != 3 || len(f.unet.runs) != 2*3 {
		t.Errorf("%d pictures, %d runs", p.Len(), len(f.unet.runs))
	}
	f = newFake()
	f.unet.limits.MaxBatch, f.decoder.limits.MaxBatch = 4, 1
	if p := f.generate(t, "a", "a", "a"); p.Len() != 3 || len(f.decoder.runs) != 3 {
		t.Errorf("%d pictures, %d runs", p.Len(), len(f.decoder.runs))
	}
	f.unet.limits.MaxBatch = 1
	_, err := f.workload(t).NewRun(f.sessions())
	sdktest.WantError(t, err, "one row at a time", "free batch")
}

// TestTimestep gives the time in each type and shape that a file may ask for.
func TestTimestep(t *testing.T) {
	for _, tt := range []struct {
		d     backend.DType
		shape []int64
		want  []byte
		dims  int
	}{
		{backend.Int64, []int64{-1}, []byte{0xb7, 3, 0, 0, 0, 0, 0, 0}, 1},
		{backend.Int64, nil, []byte{0xb7, 3, 0, 0, 0, 0, 0, 0}, 0},
		{backend.Int32, []int64{1}, []byte{0xb7, 3, 0, 0}, 1},
		{backend.Float32, nil, backend.Bytes([]float32{951}), 0},
		{backend.Float16, []int64{1}, []byte{0x6e, 0x63}, 1},
		{backend.BFloat16, []int64{1}, []byte{0x6e, 0x44}, 1},
	} {
		var n diffusionNetworks
		n.feeds[1].info = backend.TensorInfo{DType: tt.d, Shape: tt.shape}
		if got := n.timestepTensor(951); !bytes.Equal(got.Data, tt.want) || len(got.Shape) != tt.dims || got.DType != tt.d {
			t.Errorf("%v%v: %+v, want % x", tt.d, tt.shape, got, tt.want)
		}
	}
}

// TestHalf: a UNet of float16 is given and gives 16 bits, and what stays the same is encoded once.
func TestHalf(t *testing.T) {
	f := newFake()
	for _, infos := range [][]backend.TensorInfo{f.unet.inputs, f.unet.outputs} {
		for i := range infos {
			if infos[i].DType == backend.Float32 {
				infos[i].DType = backend.Float16
			}
		}
	}
	if p := f.generate(t, "a"); p.Len() != 1 {
		t.Fatalf("%d pictures", p.Len())
	}
	for i, in := range f.unet.runs {
		if in[0].DType != backend.Float16 || len(in[2].Data) != 2*2*77*(fakeWidth+fakeWidth2) ||
			&in[2].Data[0] != &f.unet.runs[0][2].Data[0] {
			t.Errorf("step %d: %v, %d bytes of embeddings", i, in[0].DType, len(in[2].Data))
		}
	}
}

func TestPartsThatDoNotFit(t *testing.T) {
	for _, tt := range []struct {
		name  string
		spoil func(*fake)
		want  []string
	}{
		{"no hidden states", func(f *fake) { f.first = encoderOf(2, "last_hidden_state", "pooler_output") },
			[]string{"text_encoder has no outputs hidden_states.0", "last_hidden_state, pooler_output"}},
		{"one hidden state", func(f *fake) { f.first = encoderOf(2, "hidden_states.0") }, []string{"the last but one"}},
		{"no embedding", func(f *fake) { f.second = encoderOf(3, "hidden_states.0", "hidden_states.1") },
			[]string{"text_encoder_2 has no output text_embeds"}},
		{"both", func(f *fake) {
			f.first, f.second = encoderOf(2), encoderOf(3, "hidden_states.0", "hidden_states.1")
		}, []string{"text_encoder has", "text_encoder_2 has"}},
		{"width", func(f *fake) { f.unet.inputs[2].Shape[2] = 2048 }, []string{"[N,N,2048]", "the width 5"}},
		{"tokens", func(f *fake) { f.unet.inputs[2].Shape[1] = 60 }, []string{"number of tokens is 77"}},
		{"embedding", func(f *fake) { f.unet.inputs[3].Shape[1] = 1280 }, []string{"text_embeds", "width 4"}},
		{"latent", func(f *fake) { f.unet.inputs[0].Shape[2], f.decoder.inputs[0].Shape[1] = 128, 8 },
			[]string{"the latent's height is 2", "the decoder takes", "the latent's channels are 4"}},
	} {
		f := newFake()
		tt.spoil(f)
		_, err := f.workload(t).NewRun(f.sessions())
		if !errors.Is(err, errParts) {
			t.Errorf("%s: %v", tt.name, err)
			continue
		}
		sdktest.WantError(t, err, tt.want...)
	}
}

// TestOutputsThatCannotBe are of a part that gives what its file does not say.
func TestOutputsThatCannotBe(t *testing.T) {
	for name, spoil := range map[string]func(*fake){
		"encoder": func(f *fake) {
			f.first.run = func([]backend.Tensor) []backend.Tensor { return make([]backend.Tensor, 3) }
		},
		"UNet": func(f *fake) {
			f.unet.run = func([]backend.Tensor) []backend.Tensor {
				return []backend.Tensor{zeros(backend.Float32, 1, 4, fakeSide, fakeSide)}
			}
		},
		"decoder": func(f *fake) {
			f.decoder.run = func([]backend.Tensor) []backend.Tensor {
				return []backend.Tensor{zeros(backend.Float32, 3)}
			}
		},
	} {
		f := newFake()
		spoil(f)
		w := f.workload(t)
		r, err := w.NewRun(f.sessions())
		if err == nil {
			err = r.Run(t.Context(), []*captionSample{w.tokenizeCaption("a")}, nil)
		}
		if !errors.Is(err, errOutput) {
			t.Errorf("%s: %v", name, err)
		}
	}
}
