package pictures

import (
	"bytes"
	"errors"
	"slices"
	"testing"

	"github.com/plumbline-ml/plumbline/internal/synthetic/scenes"
	"github.com/plumbline-ml/plumbline/preprocess/image"
	"github.com/plumbline-ml/plumbline/sdk"
	"github.com/plumbline-ml/plumbline/sdk/backend"
	"github.com/plumbline-ml/plumbline/sdk/sdktest"
)

// memory are pictures held in memory.
type memory [][]byte

func (m memory) Len() int        { return len(m) }
func (m memory) Name(int) string { return "picture" }
func (m memory) Read(i int) ([]byte, error) {
	if m[i] == nil {
		return nil, errors.New("no such file")
	}
	return m[i], nil
}

func firstPictures(n int) memory {
	m := make(memory, n)
	for i := range m {
		m[i] = scenes.Eval().PNG(i)
	}
	return m
}

// inputs are one of numbers and one of bytes, by the shape of a picture.
func inputs() map[[3]int64]ModelInput {
	return map[[3]int64]ModelInput{
		{3, 48, 48}: {Recipe: image.Retinanet(48, image.NCHW), Size: 48},
		{48, 48, 3}: {Recipe: image.CocoMobilenet(48), Size: 48},
	}
}

func TestLoadPreprocesses(t *testing.T) {
	set := firstPictures(1)
	floats, levels := make([]float32, 3*48*48), make([]byte, 3*48*48)
	err := errors.Join(
		image.Retinanet(48, image.NCHW).FromBytes(floats, set[0], image.DecodeOptions{}),
		image.CocoMobilenet(48).FromBytesUint8(levels, set[0], image.DecodeOptions{}),
	)
	if err != nil {
		t.Fatal(err)
	}
	for dims, want := range map[[3]int64][]byte{{3, 48, 48}: backend.Bytes(floats), {48, 48, 3}: levels} {
		w := NewPictureSamples(set, inputs()[dims])
		for range 3 { // the later ones in recycled memory
			s, err := w.Load(t.Context(), 0)
			if err != nil {
				t.Fatal(err)
			}
			if !bytes.Equal(s.Data, want) {
				t.Fatalf("%v: the sample is not the recipe's output", dims)
			}
			if err := errors.Join(s.Close(), s.Close()); err != nil {
				t.Fatal(err)
			}
		}
	}
}

func TestLoadRefuses(t *testing.T) {
	good := firstPictures(1)[0]
	w := NewPictureSamples(memory{good, nil, {}, []byte("no picture"), good[:len(good)/2]}, inputs()[[3]int64{3, 48, 48}])
	for i, want := range []string{1: "no such file", 2: "sample 2 (picture)", 3: "sample 3 (picture)",
		4: "sample 4 (picture)"} {
		if want != "" {
			_, err := w.Load(t.Context(), i)
			sdktest.WantError(t, err, want)
		}
	}
}

func TestCollate(t *testing.T) {
	for dims, input := range inputs() {
		w := NewPictureSamples(firstPictures(3), input)
		var samples []*PictureSample
		var all []byte
		for i := range w.Len() {
			s, err := w.Load(t.Context(), i)
			if err != nil {
				t.Fatal(err)
			}
			samples = append(samples, s)
			all = append(all, s.Data...)
		}
		b := sdk.NewBatch([]backend.TensorInfo{input.TensorInfo("images", "")})
		for _, n := range []int{3, 1, 2} {
			if err := w.Collate(samples[:n], b); err != nil {
				t.Fatal(err)
			}
			in := b.Tensors()[0]
			if want := slices.Concat([]int64{int64(n)}, dims[:]); !slices.Equal(in.Shape, want) ||
				!bytes.Equal(in.Data, all[:len(all)/3*n]) {
				t.Errorf("batch of %d: shape %v, want %v; or other contents than the samples'", n, in.Shape, want)
			}
			if shared := &in.Data[0] == &samples[0].Data[0]; shared != (n == 1) {
				t.Errorf("%v, batch of %d: refers to the sample's memory: %v", dims, n, shared)
			}
		}
	}
}

func TestWarmSampleIsBlank(t *testing.T) {
	for dims, input := range inputs() {
		w := NewPictureSamples(firstPictures(1), input)
		s, err := w.Load(t.Context(), 0)
		if err != nil {
			t.Fatal(err)
		}
		size := len(s.Data)
		if err := s.Close(); err != nil {
			t.Fatal(err)
		}
		if blank := w.WarmSample().Data; len(blank) != size || len(bytes.Trim(blank, "\x00")) != 0 {
			t.Errorf("%v: want an input of zeros", dims)
		}
	}
}
