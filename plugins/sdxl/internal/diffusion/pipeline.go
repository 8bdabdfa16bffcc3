package diffusion

import (
	"context"
	"fmt"
	"slices"

	"gorgonia.org/tensor"

	"github.com/plumbline-ml/plumbline/internal/half"
	"github.com/plumbline-ml/plumbline/plugins/sdxl/internal/euler"
)

// Networks runs the trained parts. Generate calls them one after the other, and may overwrite their inputs after they
// return.
type Networks interface {
	// Denoise is the UNet: the noise (or v) that it sees in each row of the sample, of the sample's shape.
	Denoise(ctx context.Context, in *DenoiseStep) (*tensor.Dense, error)
	// Decode is the decoder of the VAE: from latents (N, channels, h, w), already divided by the scaling factor, to
	// pictures (N, 3, H, W), of about -1 to 1.
	Decode(ctx context.Context, latents *tensor.Dense) (*tensor.Dense, error)
}

// DenoiseStep is the UNet's input for N pictures: N rows for the negative prompt, then N rows for the captions. Hidden,
// Pooled and TimeIDs are the same tensors in all steps.
type DenoiseStep struct {
	Index    int
	Timestep float32
	Sample   *tensor.Dense // (2N, channels, h, w)
	Hidden   *tensor.Dense // (2N, tokens, width): encoder_hidden_states
	Pooled   *tensor.Dense // (2N, width): text_embeds
	TimeIDs  *tensor.Dense // (2N, 6): height, width, 0, 0, height, width of the picture
}

// Pipeline makes pictures. It is read-only and may be used from many goroutines.
type Pipeline struct {
	Schedule      *euler.Schedule
	Guidance      float32       // how far from the negative prompt: 8
	ScalingFactor float32       // of vae_decoder/config.json: 0.13025
	Latent        *tensor.Dense // (1, channels, h, w): the noise that every picture begins with
	Negative      EncodedPrompt

	Latents, Pictures half.Format // of the numbers of the UNet, and of the decoder's pictures
}

// perLatent is how many pixels of a picture's side one of a latent's is.
const perLatent = 8

// NewLatent is a latent of a shape (1, channels, h, w). It keeps values, which must not be changed.
func NewLatent(shape [4]int, values []float32) (*tensor.Dense, error) {
	if n := shape[1] * shape[2] * shape[3]; shape[0] != 1 || n <= 0 || n != len(values) {
		return nil, fmt.Errorf("%w: a latent of shape %v with %d values, want (1, channels, h, w)", ErrShape, shape,
			len(values))
	}
	return tensor.New(tensor.WithShape(shape[:]...), tensor.WithBacking(values)), nil
}

// Generate makes a picture for each prompt, all in one batch: uint8, rows from top to bottom, red, green, blue of each
// pixel together.
func (p *Pipeline) Generate(ctx context.Context, n Networks, prompts []EncodedPrompt) ([][]byte, error) {
	in, err := p.stackConditions(prompts)
	if err != nil {
		return nil, err
	}
	latents, err := p.startLatents(len(prompts))
	if err != nil {
		return nil, err
	}
	if err := p.denoiseLatents(ctx, n, in, latents); err != nil {
		return nil, err
	}
	x := floatValues(latents)
	for i := range x {
		x[i] /= p.ScalingFactor
	}
	decoded, err := n.Decode(ctx, latents)
	if err != nil {
		return nil, err
	}
	return encodePictures(decoded, len(prompts), p.Pictures)
}

// stackConditions returns the inputs that stay the same in all steps.
func (p *Pipeline) stackConditions(prompts []EncodedPrompt) (*DenoiseStep, error) {
	if len(prompts) == 0 {
		return nil, fmt.Errorf("%w: no prompts", ErrShape)
	}
	both := append(slices.Repeat([]EncodedPrompt{p.Negative}, len(prompts)), prompts...)
	hidden, pooled := make([]*tensor.Dense, len(both)), make([]*tensor.Dense, len(both))
	for i, prompt := range both {
		if !prompt.sameShapes(p.Negative) {
			return nil, fmt.Errorf("%w: a prompt of %v and %v, the negative one of %v and %v", ErrShape, prompt.Hidden.Shape(),
				prompt.Pooled.Shape(), p.Negative.Hidden.Shape(), p.Negative.Pooled.Shape())
		}
		hidden[i], pooled[i] = prompt.Hidden, prompt.Pooled
	}
	in := &DenoiseStep{}
	var err error
	if in.Hidden, err = stackTensors(hidden); err != nil {
		return nil, err
	}
	if in.Pooled, err = stackTensors(pooled); err != nil {
		return nil, err
	}
	size := p.Latent.Shape()
	h, w := float32(perLatent*size[2]), float32(perLatent*size[3])
	ids := slices.Repeat([]float32{h, w, 0, 0, h, w}, len(both))
	in.TimeIDs = tensor.New(tensor.WithShape(len(both), 6), tensor.WithBacking(ids))
	return in, nil
}

// startLatents repeats the latent for each picture, scaled to what the first step begins with.
func (p *Pipeline) startLatents(pictures int) (*tensor.Dense, error) {
	repeated, err := tensor.Repeat(p.Latent, 0, pictures)
	if err != nil {
		return nil, fmt.Errorf("%w: the latent: %w", ErrShape, err)
	}
	latents := repeated.(*tensor.Dense)
	p.Schedule.InFormat(p.Latents).ScaleNoise(floatValues(latents))
	return latents, nil
}

// denoiseLatents takes latents, in place, through the schedule.
func (p *Pipeline) denoiseLatents(ctx context.Context, n Networks, in *DenoiseStep, latents *tensor.Dense) error {
	x := floatValues(latents)
	shape := slices.Clone(latents.Shape())
	shape[0] *= 2
	in.Sample = tensor.New(tensor.WithShape(shape...), tensor.Of(tensor.Float32))
	sample, predicted := floatValues(in.Sample), make([]float32, len(x))
	schedule := p.Schedule.InFormat(p.Latents)
	for i := range schedule.Len() {
		if err := ctx.Err(); err != nil {
			return err
		}
		in.Index, in.Timestep = i, schedule.Timestep(i)
		schedule.ScaleInput(sample[:len(x)], x, i)
		copy(sample[len(x):], sample[:len(x)])
		out, err := n.Denoise(ctx, in)
		if err != nil {
			return fmt.Errorf("step %d: %w", i, err)
		}
		if !out.Shape().Eq(in.Sample.Shape()) {
			return fmt.Errorf("%w: step %d: the UNet gave %v for %v", ErrShape, i, out.Shape(), in.Sample.Shape())
		}
		p.applyGuidance(predicted, floatValues(out))
		schedule.Step(x, predicted, i)
	}
	return nil
}

// applyGuidance writes to dst what lies beyond the captions' predictions, which follow the negative prompt's in out,
// seen from those.
func (p *Pipeline) applyGuidance(dst, out []float32) {
	negative, positive := out[:len(dst)], out[len(dst):][:len(dst)]
	if p.Latents == half.Single {
		for i, from := range negative {
			dst[i] = from + float32(p.Guidance*(positive[i]-from))
		}
		return
	}
	round := p.Latents.Round
	for i, from := range negative {
		dst[i] = round(from + round(p.Guidance*round(positive[i]-from)))
	}
}
