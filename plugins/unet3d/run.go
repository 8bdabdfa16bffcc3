package unet3d

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/plumbline-ml/plumbline/datasets/kits19"
	"github.com/plumbline-ml/plumbline/preprocess/volume"
	"github.com/plumbline-ml/plumbline/sdk"
	"github.com/plumbline-ml/plumbline/sdk/backend"
)

// errOutput is wrapped by every error about a model's output.
var errOutput = errors.New("the model's output is not the scores of the classes of each voxel")

// volumeRun runs volumes through a session, window by window. It reuses its memory.
type volumeRun struct {
	binding *windowBinding
	session backend.Session
	blend   *volume.Blend
	batch   int // windows per run of the session

	origins         [][3]int
	windows         []float32 // the input: a batch of windows
	inputs, outputs [1]backend.Tensor
}

func newVolumeRun(w *volumeWorkload, session backend.Session) *volumeRun {
	return &volumeRun{
		binding: &w.windowBinding, session: session, batch: windowsPerRun(w.batch, session.Limits()),
		blend:  volume.NewBlend(w.Sliding, kits19.Classes),
		inputs: [1]backend.Tensor{{Name: w.Input, DType: backend.Float32}},
	}
}

// windowsPerRun returns the number of windows per run: the user's or the backend's choice, limited by the model.
func windowsPerRun(requested int, l backend.Limits) int {
	n := requested
	if n <= 0 {
		n = max(l.PreferredBatch, 1)
	}
	if l.MaxBatch > 0 {
		n = min(n, l.MaxBatch)
	}
	return n
}

// Run appends the class of each voxel of each volume: uint8, depth x height x width, in C order.
func (r *volumeRun) Run(ctx context.Context, samples []*volumeSample, p *sdk.Payloads) error {
	for _, s := range samples {
		if err := r.segmentVolume(ctx, s, p); err != nil {
			return err
		}
	}
	return nil
}

func (r *volumeRun) segmentVolume(ctx context.Context, v *volumeSample, p *sdk.Payloads) error {
	if err := r.blend.Start(v.shape, p.Extend(v.shape.Voxels())); err != nil {
		return err
	}
	r.origins = r.binding.Sliding.AppendOrigins(r.origins[:0], v.shape)
	for origins := range slices.Chunk(r.origins, r.batch) {
		if err := ctx.Err(); err != nil {
			return context.Cause(ctx)
		}
		if err := r.inferWindows(ctx, v, origins); err != nil {
			return fmt.Errorf("windows from voxel %v on: %w", origins[0], err)
		}
	}
	return r.blend.Finish()
}

// inferWindows runs the session once and adds the scores of its windows.
func (r *volumeRun) inferWindows(ctx context.Context, v *volumeSample, origins [][3]int) error {
	sliding, n := r.binding.Sliding, len(origins)
	voxels := sliding.Voxels()
	r.windows = slices.Grow(r.windows[:0], n*voxels)[:n*voxels]
	for i, origin := range origins {
		sliding.CutWindow(r.windows[i*voxels:][:voxels], v.image, v.shape, origin)
	}
	r.inputs[0].Shape = append(r.inputs[0].Shape[:0], r.binding.windowShape(int64(n), 1)...)
	r.inputs[0].Data = backend.Bytes(r.windows)
	if err := r.session.Run(ctx, r.inputs[:], r.outputs[:]); err != nil {
		return err
	}
	defer r.outputs[0].Release()
	return r.addScores(origins, &r.outputs[0])
}

func (r *volumeRun) addScores(origins [][3]int, out *backend.Tensor) error {
	if err := checkOutput(out, r.binding.windowShape(int64(len(origins)), kits19.Classes)); err != nil {
		return err
	}
	scores := backend.View[float32](out.Data)
	each := len(scores) / len(origins)
	for i, origin := range origins {
		if err := r.blend.Add(origin, scores[i*each:][:each]); err != nil {
			return err
		}
	}
	return nil
}

// checkOutput requires float32 scores of the given shape.
func checkOutput(out *backend.Tensor, shape []int64) error {
	want := []backend.TensorInfo{{Name: out.Name, DType: backend.Float32, Shape: shape}}
	if err := backend.CheckTensors("output", want, []backend.Tensor{*out}); err != nil {
		return fmt.Errorf("%w: %w", errOutput, err)
	}
	return nil
}
