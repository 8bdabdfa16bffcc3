package sdxl

import (
	"context"
	"slices"
	"testing"

	"github.com/plumbline-ml/plumbline/plugins/sdxl/internal/diffusion"
	"github.com/plumbline-ml/plumbline/plugins/sdxl/internal/euler"
	"github.com/plumbline-ml/plumbline/preprocess/text/clip"
	"github.com/plumbline-ml/plumbline/sdk"
	"github.com/plumbline-ml/plumbline/sdk/backend"
)

// part is a session whose runs a function makes.
type part struct {
	backend.Session
	inputs, outputs []backend.TensorInfo
	limits          backend.Limits
	run             func(in []backend.Tensor) []backend.Tensor
	runs            [][]backend.Tensor // inputs of each, whose data may have changed
}

func (p *part) Inputs() []backend.TensorInfo  { return p.inputs }
func (p *part) Outputs() []backend.TensorInfo { return p.outputs }
func (p *part) Limits() backend.Limits        { return p.limits }

func (p *part) Run(_ context.Context, in, out []backend.Tensor) error {
	p.runs = append(p.runs, slices.Clone(in))
	for i, t := range p.run(in) {
		t.Name = p.outputs[i].Name
		if len(out[i].Data) >= len(t.Data) && len(t.Data) > 0 {
			t.Data = out[i].Data[:copy(out[i].Data, t.Data)]
		}
		out[i] = t
	}
	return nil
}

// The sizes of the fake's tensors.
const (
	fakeWidth, fakeWidth2, fakePooled = 2, 3, 4
	fakeSide                          = 2 // of the latent
)

// fake is a model in Go: its UNet predicts nothing, so that pictures are the noise.
type fake struct{ first, second, unet, decoder part }

func newFake() *fake {
	f := &fake{}
	f.first = encoderOf(fakeWidth, "hidden_states.0", "hidden_states.1", "hidden_states.2")
	f.second = encoderOf(fakeWidth2, "text_embeds", "hidden_states.1", "hidden_states.0")
	f.unet = part{
		inputs: []backend.TensorInfo{
			floatInfoAnyPrecision("sample", -1, 4, -1, -1), integerInfo("timestep", -1),
			floatInfoAnyPrecision("encoder_hidden_states", -1, -1, fakeWidth+fakeWidth2), floatInfoAnyPrecision("text_embeds",
				-1, fakePooled),
			floatInfoAnyPrecision("time_ids", -1, 6),
		},
		outputs: []backend.TensorInfo{floatInfoAnyPrecision("out_sample", -1, 4, -1, -1)},
	}
	f.unet.run = func(in []backend.Tensor) []backend.Tensor {
		return []backend.Tensor{zeros(in[0].DType, in[0].Shape...)}
	}
	f.decoder = part{
		inputs:  []backend.TensorInfo{floatInfoAnyPrecision("latent_sample", -1, 4, -1, -1)},
		outputs: []backend.TensorInfo{floatInfoAnyPrecision("sample", -1, 3, -1, -1)},
	}
	f.decoder.run = func(in []backend.Tensor) []backend.Tensor {
		s := in[0].Shape
		return []backend.Tensor{zeros(backend.Float32, s[0], 3, 8*s[2], 8*s[3])}
	}
	return f
}

// encoderOf has outputs of these names, of which text_embeds has two dimensions.
func encoderOf(width int64, names ...string) part {
	p := part{inputs: []backend.TensorInfo{integerInfo("input_ids", -1, -1)}}
	for _, name := range names {
		if name == "text_embeds" {
			p.outputs = append(p.outputs, floatInfoAnyPrecision(name, -1, fakePooled))
		} else {
			p.outputs = append(p.outputs, floatInfoAnyPrecision(name, -1, -1, width))
		}
	}
	p.run = func(in []backend.Tensor) (out []backend.Tensor) {
		for _, name := range names {
			if name == "text_embeds" {
				out = append(out, zeros(backend.Float32, 1, fakePooled))
			} else {
				out = append(out, zeros(backend.Float32, 1, in[0].Shape[1], width))
			}
		}
		return out
	}
	return p
}

func zeros(d backend.DType, shape ...int64) backend.Tensor {
	return backend.Tensor{DType: d, Shape: shape, Data: make([]byte, backend.Elements(shape)*int64(d.Size()))}
}

func (f *fake) sessions() sdk.Sessions {
	return sdk.Sessions{
		encoderPart: &f.first, encoder2Part: &f.second, unetPart: &f.unet, decoderPart: &f.decoder,
	}
}

// workload is the benchmark on the fake, with a schedule of three steps and captions of a vocabulary of three tokens.
func (f *fake) workload(t testing.TB) *captionWorkload {
	t.Helper()
	var c modelConfig
	for i := range c.tokenizers {
		vocab := `{"!": 0, "<|startoftext|>": 1, "<|endoftext|>": 2, "a</w>": 3}`
		tokenizer, err := clip.Parse([]byte(vocab), []byte("#\n"), clip.TokenizerOptions{})
		if err != nil {
			t.Fatal(err)
		}
		c.tokenizers[i] = tokenizer
	}
	config, err := euler.ParseConfig([]byte(`{"timestep_spacing": "leading", "steps_offset": 1}`))
	if err != nil {
		t.Fatal(err)
	}
	if c.schedule, err = config.NewSchedule(3); err != nil {
		t.Fatal(err)
	}
	c.scalingFactor = 0.5
	latent, err := diffusion.NewLatent([4]int{1, 4, fakeSide, fakeSide}, make([]float32, 4*fakeSide*fakeSide))
	if err != nil {
		t.Fatal(err)
	}
	s := generateSettings{Steps: 3, Guidance: 8, Negative: "a"}
	return &captionWorkload{generateSettings: s, modelConfig: &c, captions: []string{"a", "a a"}, latent: latent}
}

// runs takes captions through the fake.
func (f *fake) generate(t *testing.T, captions ...string) *sdk.Payloads {
	t.Helper()
	w := f.workload(t)
	r, err := w.NewRun(f.sessions())
	if err != nil {
		t.Fatal(err)
	}
	var samples []*captionSample
	for _, c := range captions {
		samples = append(samples, w.tokenizeCaption(c))
	}
	var p sdk.Payloads
	if err := r.Run(t.Context(), samples, &p); err != nil {
		t.Fatal(err)
	}
	return &p
}
