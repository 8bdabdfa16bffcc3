package unet3d

import (
	"context"
	"errors"
	"fmt"

	"github.com/plumbline-ml/plumbline/preprocess/volume"
	"github.com/plumbline-ml/plumbline/sdk"
	"github.com/plumbline-ml/plumbline/sdk/backend"
)

var _ sdk.ClientWorker = (*workload)(nil)

// workload is the benchmark opened on one model file and one data set. It takes its samples through the session itself
// (sdk.Runner).
type workload struct {
	binding
	file  backend.Model
	cases cases
	batch int // windows of a run; 0: what the session prefers
}

// sample is one volume, ready for the model.
type sample struct {
	image []float32
	shape volume.Shape
}

// errWhole is what the methods for batches return, which the sdk does not call.
var errWhole = errors.New("a volume is not part of a batch: it is run window by window")

// checkShapes finds preprocessed volumes that were made for other windows, before any is read.
func (w *workload) checkShapes() error {
	var faults []error
	for i := range w.Len() {
		_, err := w.preparedShape(w.cases, i)
		faults = append(faults, err)
	}
	return errors.Join(faults...)
}

func (w *workload) Len() int { return w.cases.Len() }

// PerformanceSampleCount is all of the data set, as the rules have it.
func (w *workload) PerformanceSampleCount() int { return w.Len() }

func (w *workload) Model() backend.Model { return w.file }

// Load reads and prepares volume i.
func (w *workload) Load(ctx context.Context, i int) (sdk.Sample, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	if i < 0 || i >= w.Len() {
		return nil, fmt.Errorf("sample %d, want one of [0, %d)", i, w.Len())
	}
	image, shape, err := w.image(w.cases, i)
	if err != nil {
		return nil, err
	}
	return &sample{image, shape}, nil
}

// WarmSample is an all-zero volume of four windows, which no data set holds.
func (w *workload) WarmSample() sdk.Sample {
	side := w.sliding.Window()
	shape := volume.Shape{side, side, side + 3*side/2}
	return &sample{make([]float32, shape.Voxels()), shape}
}

// NewRun returns the memory of one worker.
func (w *workload) NewRun(session backend.Session) sdk.SampleRun { return newRun(w, session) }

// Collate is not used.
func (w *workload) Collate([]sdk.Sample, *sdk.Batch) error { return errWhole }

// Postprocess is not used.
func (w *workload) Postprocess([]backend.Tensor, []sdk.Sample, *sdk.Payloads) error { return errWhole }

// ClientWork is never nothing: a model takes windows, and a sample is a volume.
func (w *workload) ClientWork(_, _ []backend.TensorInfo, _ int) []string {
	return []string{
		"each volume is cut into overlapping windows, one request or more for a sample",
		"the scores of windows are weighted and added up, and the class of each voxel is looked for (ArgMax)",
	}
}

func (w *workload) Close() error { return nil }
