package pointpainting

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/plumbline-ml/plumbline/preprocess/image"
	"github.com/plumbline-ml/plumbline/preprocess/lidar"
	"github.com/plumbline-ml/plumbline/sdk"
	"github.com/plumbline-ml/plumbline/sdk/backend"
)

// errOutput is wrapped by every error about a network's output.
var errOutput = errors.New("the network's output is not what the benchmark needs")

// frameRun runs frames through both networks. Its memory is reused for the next frame.
type frameRun struct {
	*frameWorkload
	segmentation, detector backend.Session

	levels     []float32 // levels of a picture
	gridPoints []float32 // points within the grid's space
	painter    lidar.Painter
	pillars    lidar.Pillars
	boxes      frameBoxes

	inputs  [3]backend.Tensor
	outputs [1]backend.Tensor
}

func newFrameRun(w *frameWorkload, s sdk.Sessions) *frameRun {
	return &frameRun{frameWorkload: w, segmentation: s.Part(segmentationPart), detector: s.Part(detectorPart)}
}

// Run appends a payload with the boxes of each frame.
func (r *frameRun) Run(ctx context.Context, samples []*frameSample, p *sdk.Payloads) error {
	for _, s := range samples {
		if err := r.runFrame(ctx, s, p); err != nil {
			return fmt.Errorf("sample %d (image %d): %w", s.index, s.frame.Image, err)
		}
	}
	return nil
}

func (r *frameRun) runFrame(ctx context.Context, s *frameSample, p *sdk.Payloads) error {
	if s.pictures[0] == nil {
		read := *s
		if err := r.readSensors(&read); err != nil {
			return err
		}
		s = &read
	}
	r.gridPoints = r.grid.Filter(append(r.gridPoints[:0], s.points...))
	r.pillars.Fill(r.grid, r.gridPoints, lidar.Values)
	r.painter.Start(&r.pillars)
	calibration := lidar.Calibration(s.frame.Calibration)
	for k, picture := range s.pictures {
		if err := r.paintPoints(ctx, &calibration, k, picture); err != nil {
			return fmt.Errorf("camera %d: %w", k, err)
		}
	}
	r.painter.Finish()
	r.boxes.resetBoxes()
	if len(r.pillars.Counts) == 0 {
		r.emptyFrames.Add(1)
	} else if err := r.detectBoxes(ctx); err != nil {
		return err
	}
	p.Append(r.boxes.encodePayload(s.frame))
	return nil
}

// paintPoints runs the segmentation of a picture and paints the points that its camera sees.
func (r *frameRun) paintPoints(ctx context.Context, c *lidar.Calibration, camera int, picture *image.RGB) error {
	n := 3 * picture.H * picture.W
	r.levels = slices.Grow(r.levels[:0], n)[:n]
	if err := image.NormaliseImagenet(r.levels, picture); err != nil {
		return err
	}
	h, w := int64(picture.H), int64(picture.W)
	r.inputs[0] = backend.Tensor{Name: r.segmentation.Inputs()[0].Name, DType: backend.Float32, Shape: []int64{1, 3, h, w},
		Data: backend.Bytes(r.levels)}
	r.outputs[0] = backend.Tensor{}
	if err := r.segmentation.Run(ctx, r.inputs[:1], r.outputs[:]); err != nil {
		return err
	}
	defer r.outputs[0].Release()
	if err := checkOutput(&r.outputs[0], 1, lidar.Classes, h, w); err != nil {
		return fmt.Errorf("the %s of a picture of %d x %d pixels: %w", segmentationPart, w, h, err)
	}
	view := lidar.SegmentedView{Height: picture.H, Width: picture.W, Logits: backend.View[float32](r.outputs[0].Data)}
	r.painter.AddCamera(c, camera, lidar.PictureSize{Height: picture.H, Width: picture.W}, view.Score)
	return nil
}

// detectBoxes runs the detector with the pillars and keeps the best boxes.
func (r *frameRun) detectBoxes(ctx context.Context) error {
	n := int64(len(r.pillars.Counts))
	r.inputs = [3]backend.Tensor{
		{DType: backend.Float32, Shape: []int64{n, int64(r.grid.MaxPoints), lidar.Painted},
			Data: backend.Bytes(r.pillars.Values)},
		{DType: backend.Int64, Shape: []int64{n, 4}, Data: backend.Bytes(r.pillars.Coordinates)},
		{DType: backend.Int32, Shape: []int64{n}, Data: backend.Bytes(r.pillars.Counts)},
	}
	for i, info := range r.detector.Inputs() {
		r.inputs[i].Name = info.Name
	}
	r.outputs[0] = backend.Tensor{}
	if err := r.detector.Run(ctx, r.inputs[:], r.outputs[:]); err != nil {
		return err
	}
	defer r.outputs[0].Release()
	if err := checkOutput(&r.outputs[0], -1, rowValues); err != nil {
		return fmt.Errorf("the %s: %w", detectorPart, err)
	}
	if err := r.boxes.chooseBoxes(&r.networkBinding, backend.View[float32](r.outputs[0].Data)); err != nil {
		return fmt.Errorf("the %s: %w: %w", detectorPart, errOutput, err)
	}
	return nil
}

// checkOutput requires a float32 tensor of the given shape. A size of -1 matches any size.
func checkOutput(out *backend.Tensor, shape ...int64) error {
	want := []backend.TensorInfo{{Name: out.Name, DType: backend.Float32, Shape: shape}}
	if err := backend.CheckTensors("output", want, []backend.Tensor{*out}); err != nil {
		return fmt.Errorf("%w: %w", errOutput, err)
	}
	return nil
}
