package sdxl

import (
	"context"
	"fmt"
	"slices"

	"gorgonia.org/tensor"

	"github.com/plumbline-ml/plumbline/plugins/sdxl/internal/diffusion"
	"github.com/plumbline-ml/plumbline/sdk"
	"github.com/plumbline-ml/plumbline/sdk/backend"
)

// captionRun runs captions through the parts. It reuses its memory.
type captionRun struct {
	encoders *textEncoders
	networks diffusionNetworks
	pipeline diffusion.Pipeline
	batch    int // captions per run of the networks; 0: any number
	prompts  []diffusion.EncodedPrompt
}

func newCaptionRun(w *captionWorkload, e *textEncoders, s sdk.Sessions) (*captionRun, error) {
	unet, decoder := s.Part(unetPart), s.Part(decoderPart)
	r := &captionRun{
		encoders: e, networks: diffusionNetworks{unet: unet, decoder: decoder},
		pipeline: diffusion.Pipeline{
			Schedule: w.schedule, Guidance: w.Guidance, ScalingFactor: w.scalingFactor, Latent: w.latent,
			Negative:     w.negative,
			LatentFormat: numberFormat(unet.Inputs()[0].DType), PictureFormat: numberFormat(decoder.Outputs()[0].DType),
		},
		batch: decoder.Limits().MaxBatch,
	}
	for i, info := range unet.Inputs() {
		r.networks.feeds[i].info = info
	}
	r.networks.latents.info = decoder.Inputs()[0]
	switch most := unet.Limits().MaxBatch; {
	case most == 1:
		return nil, fmt.Errorf("%w: the UNet takes one row at a time, and guidance needs two: export it with a free batch",
			errParts)
	case most > 0 && (r.batch == 0 || r.batch > most/rowsPerCaption):
		r.batch = most / rowsPerCaption
	}
	return r, nil
}

// Run appends the picture of each caption: uint8, rows from top to bottom, red, green and blue of each pixel together.
func (r *captionRun) Run(ctx context.Context, samples []*captionSample, p *sdk.Payloads) error {
	most := r.batch
	if most == 0 {
		most = len(samples)
	}
	for part := range slices.Chunk(samples, most) {
		if err := r.generatePictures(ctx, part, p); err != nil {
			return err
		}
	}
	return nil
}

func (r *captionRun) generatePictures(ctx context.Context, samples []*captionSample, p *sdk.Payloads) error {
	r.prompts = r.prompts[:0]
	for _, s := range samples {
		prompt, err := r.encoders.encodePrompt(ctx, s)
		if err != nil {
			return err
		}
		r.prompts = append(r.prompts, prompt)
	}
	pictures, err := r.pipeline.Generate(ctx, &r.networks, r.prompts)
	if err != nil {
		return err
	}
	for _, picture := range pictures {
		p.Append(picture)
	}
	return nil
}

// diffusionNetworks contains the sessions of the UNet and the decoder. It implements diffusion.Networks and reuses its
// memory at each step.
type diffusionNetworks struct {
	unet, decoder backend.Session
	feeds         [5]inputFeed // for the UNet
	latents       inputFeed    // for the decoder

	inputs        [5]backend.Tensor
	outputs       [1]backend.Tensor
	predicted     *tensor.Dense
	halfPredicted []byte // prediction of a 16-bit UNet
	int64Time     [1]int64
	floatTime     [1]float32
	halfTime      [2]byte
	int32Time     [1]int32
}

// Denoise runs the UNet. Inputs that are the same in all steps are passed without copying, or converted once at the
// first step.
func (n *diffusionNetworks) Denoise(ctx context.Context, step *diffusion.DenoiseStep) (*tensor.Dense, error) {
	if step.Index == 0 {
		n.inputs[2], n.inputs[3], n.inputs[4] = n.feeds[2].toInput(step.Hidden), n.feeds[3].toInput(step.Pooled),
			n.feeds[4].toInput(step.TimeIDs)
		n.predicted = tensor.New(tensor.WithShape(step.Sample.Shape()...), tensor.Of(tensor.Float32))
	}
	n.inputs[0], n.inputs[1] = n.feeds[0].toInput(step.Sample), n.timestepTensor(step.Timestep)
	values := n.predicted.Data().([]float32)
	n.outputs[0] = backend.Tensor{DType: n.unet.Outputs()[0].DType, Shape: n.feeds[0].shape, Data: backend.Bytes(values)}
	if size := 2 * len(values); n.outputs[0].DType != backend.Float32 {
		n.halfPredicted = slices.Grow(n.halfPredicted[:0], size)[:size]
		n.outputs[0].Data = n.halfPredicted
	}
	if err := n.unet.Run(ctx, n.inputs[:], n.outputs[:]); err != nil {
		return nil, err
	}
	defer n.outputs[0].Release()
	return n.predicted, n.readPredicted(values)
}

// readPredicted copies the UNet's output to predicted unless it is already there.
func (n *diffusionNetworks) readPredicted(values []float32) error {
	out := &n.outputs[0]
	want := n.feeds[0].shape
	if !slices.Equal(out.Shape, want) || len(out.Data) != out.DType.Size()*len(values) {
		return fmt.Errorf("%w: the UNet gave %q of %v%s, want %s", errOutput, out.Name, out.DType,
			backend.ShapeString(out.Shape), backend.ShapeString(want))
	}
	if out.DType != backend.Float32 {
		numberFormat(out.DType).Decode(values, out.Data)
	} else if own := backend.Bytes(values); &own[0] != &out.Data[0] {
		copy(own, out.Data)
	}
	return nil
}

// timestepTensor returns the time of a step in the type and the shape that the file requires.
func (n *diffusionNetworks) timestepTensor(t float32) backend.Tensor {
	info := n.feeds[1].info
	in := backend.Tensor{Name: info.Name, DType: info.DType}
	if len(info.Shape) > 0 {
		in.Shape = []int64{1}
	}
	switch info.DType {
	case backend.Float32:
		n.floatTime[0] = t
		in.Data = backend.Bytes(n.floatTime[:])
	case backend.Int32:
		n.int32Time[0] = int32(t)
		in.Data = backend.Bytes(n.int32Time[:])
	case backend.Int64:
		n.int64Time[0] = int64(t)
		in.Data = backend.Bytes(n.int64Time[:])
	default:
		numberFormat(info.DType).Encode(n.halfTime[:], []float32{t})
		in.Data = n.halfTime[:]
	}
	return in
}

// Decode runs the decoder of the VAE.
func (n *diffusionNetworks) Decode(ctx context.Context, latents *tensor.Dense) (*tensor.Dense, error) {
	const perLatent = 8 // pixels
	shape := latents.Shape()
	out := []backend.Tensor{outputTensor(n.decoder.Outputs()[0], int64(shape[0]), 3, int64(perLatent*shape[2]),
		int64(perLatent*shape[3]))}
	if err := n.decoder.Run(ctx, []backend.Tensor{n.latents.toInput(latents)}, out); err != nil {
		return nil, err
	}
	defer out[0].Release()
	return copyDense(&out[0], 4)
}
