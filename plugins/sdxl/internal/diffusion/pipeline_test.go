package diffusion

import (
	"context"
	"errors"
	"math"
	"path/filepath"
	"slices"
	"testing"

	"gorgonia.org/tensor"

	"github.com/plumbline-ml/plumbline/internal/half"
	"github.com/plumbline-ml/plumbline/internal/testkit/golden"
	"github.com/plumbline-ml/plumbline/plugins/sdxl/internal/euler"
)

// known are networks whose pictures can be reckoned: the noise that the UNet sees is a row's conditions, wherever it
// looks; a picture is the first three channels of its latent, each number twice along both axes.
type known struct {
	steps []DenoiseStep
	fault error
	wrong bool // the UNet gives another shape
}

func (k *known) Denoise(_ context.Context, in *DenoiseStep) (*tensor.Dense, error) {
	if k.fault != nil {
		return nil, k.fault
	}
	copied := *in
	copied.Sample = in.Sample.Clone().(*tensor.Dense)
	k.steps = append(k.steps, copied)
	shape := in.Sample.Shape()
	if k.wrong {
		return dense(1, 1), nil
	}
	out := dense(shape...)
	row := shape.TotalSize() / shape[0]
	for i := range floatValues(out) {
		floatValues(out)[i] = floatValues(in.Hidden)[i/row*in.Hidden.Shape()[1]*in.Hidden.Shape()[2]] +
			floatValues(in.Pooled)[i/row]
	}
	return out, nil
}

func (k *known) Decode(_ context.Context, latents *tensor.Dense) (*tensor.Dense, error) {
	s := latents.Shape()
	out := dense(s[0], channels, 2*s[2], 2*s[3])
	for i := range floatValues(out) {
		x, y, c, n := i%(2*s[3]), i/(2*s[3])%(2*s[2]), i/(4*s[2]*s[3])%channels, i/(4*s[2]*s[3]*channels)
		floatValues(out)[i] = floatValues(latents)[((n*s[1]+c)*s[2]+y/2)*s[3]+x/2]
	}
	return out, nil
}

func dense(shape ...int) *tensor.Dense {
	return tensor.New(tensor.WithShape(shape...), tensor.Of(tensor.Float32))
}

// prompt has hidden states of two encoders, of 2 tokens, and a pooled embedding of one number.
func prompt(t *testing.T, hidden, pooled float32) EncodedPrompt {
	t.Helper()
	first := tensor.New(tensor.WithShape(1, 2, 1), tensor.WithBacking([]float32{hidden, hidden + 1}))
	second := tensor.New(tensor.WithShape(1, 2, 2), tensor.WithBacking([]float32{7, 8, 9, 10}))
	p, err := NewPrompt(first, second, tensor.New(tensor.WithShape(1, 1), tensor.WithBacking([]float32{pooled})))
	if err != nil {
		t.Fatal(err)
	}
	if want := []float32{hidden, 7, 8, hidden + 1, 9, 10}; !slices.Equal(floatValues(p.Hidden), want) {
		t.Fatalf("hidden states %v, want %v", floatValues(p.Hidden), want)
	}
	return p
}

// pipeline has a latent of 4 channels of 1 x 2, and the negative prompt (0.25, 0.5).
func pipeline(t *testing.T, steps int) *Pipeline {
	t.Helper()
	c, err := euler.ParseConfig([]byte(`{"beta_start": 0.00085, "beta_end": 0.012, "beta_schedule": "scaled_linear",
		"timestep_spacing": "leading", "steps_offset": 1}`))
	if err != nil {
		t.Fatal(err)
	}
	schedule, err := c.NewSchedule(steps)
	if err != nil {
		t.Fatal(err)
	}
	latent, err := NewLatent([4]int{1, 4, 1, 2}, []float32{0.1, -0.2, 0.3, -0.4, 0.5, -0.6, 0.7, -0.8})
	if err != nil {
		t.Fatal(err)
	}
	return &Pipeline{Schedule: schedule, Guidance: 8, ScalingFactor: 4, Latent: latent, Negative: prompt(t, 0.25, 0.5)}
}

// TestGenerate reckons two pictures: with noise that does not change, the steps together take off that noise times the
// first step's noise level, sigma. The first step's input is the latent times sqrt(sigma^2+1), divided by it.
func TestGenerate(t *testing.T) {
	p, n := pipeline(t, 3), &known{}
	pictures, err := p.Generate(t.Context(), n, []EncodedPrompt{prompt(t, 0.375, 0.5), prompt(t, 0.25, 0.4375)})
	if err != nil || len(pictures) != 2 || len(pictures[0]) != 2*4*3 {
		t.Fatalf("%d pictures, %v", len(pictures), err)
	}
	sigma := math.Sqrt(float64(3.0955231189727783*3.0955231189727783) - 1) // of 3 steps, from diffusers
	for i, guided := range []float64{0.75 + 8*0.125, 0.75 - 8*0.0625} {
		for at, level := range pictures[i] {
			x, c := at/channels%4/2, at%channels
			latent := float64(floatValues(p.Latent)[2*c+x])
			v := (latent*math.Sqrt(sigma*sigma+1) - sigma*guided) / 4
			want := math.RoundToEven(255 * min(max(v/2+0.5, 0), 1))
			if math.Abs(float64(level)-want) > 1 {
				t.Errorf("picture %d, byte %d: %d, want %v", i, at, level, want)
			}
		}
	}
	n.check(t, p)
}

// check looks at what the UNet got: the captions behind as many negative prompts, the same tensors in each step.
func (k *known) check(t *testing.T, p *Pipeline) {
	t.Helper()
	if len(k.steps) != 3 {
		t.Fatalf("%d steps", len(k.steps))
	}
	for i, s := range k.steps {
		if s.Index != i || s.Timestep != float32(333*(2-i)+1) || s.Hidden != k.steps[0].Hidden ||
			s.Pooled != k.steps[0].Pooled || s.TimeIDs != k.steps[0].TimeIDs {
			t.Errorf("step %d: %+v", i, s)
		}
		rows := floatValues(s.Sample)
		if half := len(rows) / 2; !slices.Equal(rows[:half], rows[half:]) {
			t.Errorf("step %d: the sample is not there twice", i)
		}
	}
	s := k.steps[0]
	if want := []float32{0.5, 0.5, 0.5, 0.4375}; !slices.Equal(floatValues(s.Pooled), want) {
		t.Errorf("pooled %v, want %v", floatValues(s.Pooled), want)
	}
	if want := slices.Repeat([]float32{8, 16, 0, 0, 8, 16}, 4); !slices.Equal(floatValues(s.TimeIDs), want) {
		t.Errorf("time_ids %v, want %v", floatValues(s.TimeIDs), want)
	}
	for i, v := range floatValues(s.Sample)[:8] {
		if want := floatValues(p.Latent)[i]; math.Abs(float64(v-want)) > 1e-6 {
			t.Errorf("the first sample is %v, want the latent %v", v, want)
		}
	}
}

func TestGenerateFails(t *testing.T) {
	p, fault := pipeline(t, 2), errors.New("no memory")
	one := []EncodedPrompt{prompt(t, 1, 1)}
	if _, err := p.Generate(t.Context(), &known{fault: fault}, one); !errors.Is(err, fault) {
		t.Errorf("a fault of the UNet: %v", err)
	}
	if _, err := p.Generate(t.Context(), &known{wrong: true}, one); !errors.Is(err, ErrShape) {
		t.Errorf("another shape: %v", err)
	}
	if _, err := p.Generate(t.Context(), &known{}, nil); !errors.Is(err, ErrShape) {
		t.Errorf("no prompts: %v", err)
	}
	other := EncodedPrompt{Hidden: dense(1, 2, 4), Pooled: dense(1, 1)}
	if _, err := p.Generate(t.Context(), &known{}, []EncodedPrompt{other}); !errors.Is(err, ErrShape) {
		t.Errorf("another width: %v", err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := p.Generate(ctx, &known{}, one); !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled: %v", err)
	}
	if _, err := encodePictures(dense(1, 4, 2, 2), 1, half.Float32); !errors.Is(err, ErrShape) {
		t.Errorf("four colours: %v", err)
	}
}

func TestShapesAreChecked(t *testing.T) {
	for _, shapes := range [][3][]int{
		{{1, 2, 3}, {1, 3, 3}, {1, 4}}, {{2, 2, 3}, {2, 2, 3}, {1, 4}}, {{1, 2, 3}, {1, 2, 3}, {1, 2, 4}},
		{{2, 3}, {1, 2, 3}, {1, 4}},
	} {
		if _, err := NewPrompt(dense(shapes[0]...), dense(shapes[1]...), dense(shapes[2]...)); !errors.Is(err, ErrShape) {
			t.Errorf("%v: %v", shapes, err)
		}
	}
	for _, shape := range [][4]int{{2, 1, 1, 1}, {1, 1, 1, 3}, {1, 0, 1, 1}} {
		if _, err := NewLatent(shape, []float32{1, 2}); !errors.Is(err, ErrShape) {
			t.Errorf("%v: %v", shape, err)
		}
	}
}

// TestGoldenPayloads turns what a decoder gave, every half-way case among it, into bytes.
func TestGoldenPayloads(t *testing.T) {
	golden.Each(t, "text_to_image/postprocess/expected.json", func(t *testing.T, path string) {
		decoded, shape := readArray(t, filepath.Join(filepath.Dir(path), "decoded.npy"))
		want := elements(t, filepath.Join(filepath.Dir(path), "image.npy"))
		got, err := encodePictures(tensor.New(tensor.WithShape(shape...), tensor.WithBacking(decoded)), shape[0],
			half.Float32)
		if err != nil || !slices.Equal(slices.Concat(got...), want) {
			t.Errorf("other bytes, or %v", err)
		}
	})
}

// still are networks that take no time, for a picture of 1024 x 1024.
type still struct{ noise, picture *tensor.Dense }

func (s still) Denoise(context.Context, *DenoiseStep) (*tensor.Dense, error) { return s.noise, nil }
func (s still) Decode(context.Context, *tensor.Dense) (*tensor.Dense, error) { return s.picture, nil }

// BenchmarkBetweenNetworks is what a picture of Stable Diffusion XL's size takes beside its networks.
func BenchmarkBetweenNetworks(b *testing.B) {
	b.ReportAllocs()
	config, err := euler.ParseConfig([]byte(`{"timestep_spacing": "leading", "steps_offset": 1}`))
	if err != nil {
		b.Fatal(err)
	}
	schedule, err := config.NewSchedule(20)
	if err != nil {
		b.Fatal(err)
	}
	zeros := func(shape ...int) *tensor.Dense {
		return tensor.New(tensor.WithShape(shape...), tensor.Of(tensor.Float32))
	}
	prompt := EncodedPrompt{Hidden: zeros(1, 77, 2048), Pooled: zeros(1, 1280)}
	p := &Pipeline{
		Schedule: schedule, Guidance: 8, ScalingFactor: 0.13025, Latent: zeros(1, 4, 128, 128), Negative: prompt,
	}
	n := still{zeros(2, 4, 128, 128), zeros(1, 3, 1024, 1024)}
	for b.Loop() {
		if _, err := p.Generate(b.Context(), n, []EncodedPrompt{prompt}); err != nil {
			b.Fatal(err)
		}
	}
}
