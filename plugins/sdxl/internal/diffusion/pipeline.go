package diffusion

import (
	"context"
	"fmt"
	"slices"

	"gorgonia.org/tensor"

	"github.com/plumbline-ml/plumbline/internal/half"
	"github.com/plumbline-ml/plumbline/plugins/sdxl/internal/euler"
)

// Networks runs the trained parts. Generate calls its methods sequentially and may overwrite their inputs after they
// return.
type Networks interface {
	// Denoise runs the UNet. It returns the predicted noise (or v) for each row of the sample, in the sample's shape.
	Denoise(ctx context.Context, in *DenoiseStep) (*tensor.Dense, error)
	// Decode runs the decoder of the VAE. It converts latents (N, channels, h, w), already divided by the scaling factor,
	// to pictures (N, 3, H, W) with values from about -1 to 1.
	Decode(ctx context.Context, latents *tensor.Dense) (*tensor.Dense, error)
}

// DenoiseStep is the UNet's input for N pictures: N rows for the negative prompt, followed by N rows for the captions.
// Hidden, Pooled and TimeIDs are the same tensors in all steps.
type DenoiseStep struct {
	Index    int
	Timestep float32
	Sample   *tensor.Dense // (2N, channels, h, w)
	Hidden   *tensor.Dense // (2N, tokens, width): encoder_hidden_states
	Pooled   *tensor.Dense // (2N, width): text_embeds
	TimeIDs  *tensor.Dense // (2N, 6): height, width, 0, 0, height, width of the picture
}

// Pipeline generates pictures. It is read-only and may be used from many goroutines.
type Pipeline struct {
	Schedule      *euler.Schedule
	Guidance      float32       // guidance scale; officially 8
	ScalingFactor float32       // from vae_decoder/config.json; officially 0.13025
	Latent        *tensor.Dense // (1, channels, h, w): the noise from which every picture is generated
	Negative      EncodedPrompt

	LatentFormat, PictureFormat half.Format // number formats of the UNet and of the decoder's pictures
}

// pixelsPerLatent is the ratio between the sides of a picture and of its latent.
const pixelsPerLatent = 8

// NewLatent returns a latent of shape (1, channels, h, w). It refers to values, which must not be changed.
func NewLatent(shape [4]int, values []float32) (*tensor.Dense, error) {
	if n := shape[1] * shape[2] * shape[3]; shape[0] != 1 || n <= 0 || n != len(values) {
		return nil, fmt.Errorf("%w: a latent of shape %v with %d values, want (1, channels, h, w)", ErrShape, shape,
			len(values))
	}
	return tensor.New(tensor.WithShape(shape[:]...), tensor.WithBacking(values)), nil
}

// Generate generates a picture for each prompt in a single batch. PictureFormat are uint8, with rows from top to bottom
// and red, green and blue of each pixel together.
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
	return encodePictures(decoded, len(prompts), p.PictureFormat)
}

// stackConditions returns the inputs that are the same in all steps.
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
	h, w := float32(pixelsPerLatent*size[2]), float32(pixelsPerLatent*size[3])
	ids := slices.Repeat([]float32{h, w, 0, 0, h, w}, len(both))
	in.TimeIDs = tensor.New(tensor.WithShape(len(both), 6), tensor.WithBacking(ids))
	return in, nil
}

// startLatents returns a copy of the latent for each picture, scaled for the first step.
func (p *Pipeline) startLatents(pictures int) (*tensor.Dense, error) {
	repeated, err := tensor.Repeat(p.Latent, 0, pictures)
	if err != nil {
		return nil, fmt.Errorf("%w: the latent: %w", ErrShape, err)
	}
	latents := repeated.(*tensor.Dense)
	p.Schedule.InFormat(p.LatentFormat).ScaleNoise(floatValues(latents))
	return latents, nil
}

// denoiseLatents performs all steps of the schedule on latents, in place.
func (p *Pipeline) denoiseLatents(ctx context.Context, n Networks, in *DenoiseStep, latents *tensor.Dense) error {
	x := floatValues(latents)
	shape := slices.Clone(latents.Shape())
	shape[0] *= 2
	in.Sample = tensor.New(tensor.WithShape(shape...), tensor.Of(tensor.Float32))
	sample, predicted := floatValues(in.Sample), make([]float32, len(x))
	schedule := p.Schedule.InFormat(p.LatentFormat)
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

// applyGuidance writes the guided predictions to dst. out contains the predictions for the negative prompt, followed by
// those for the captions. The result extrapolates from the former through the latter.
func (p *Pipeline) applyGuidance(dst, out []float32) {
	negative, positive := out[:len(dst)], out[len(dst):][:len(dst)]
	if p.LatentFormat == half.Float32 {
		for i, from := range negative {
			dst[i] = from + float32(p.Guidance*(positive[i]-from))
		}
		return
	}
	round := p.LatentFormat.Round
	for i, from := range negative {
		dst[i] = round(from + round(p.Guidance*round(positive[i]-from)))
	}
}
