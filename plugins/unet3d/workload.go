package unet3d

import (
	"context"
	"errors"

	"github.com/plumbline-ml/plumbline/preprocess/volume"
	"github.com/plumbline-ml/plumbline/sdk"
	"github.com/plumbline-ml/plumbline/sdk/backend"
)

var _ sdk.ClientWorker = (*volumeWorkload)(nil)

// volumeWorkload is the benchmark with one model file and one data set. It implements sdk.Runner, which runs samples
// through the session.
type volumeWorkload struct {
	windowBinding
	file  backend.Model
	cases caseSet
	batch int // windows per run; 0: the session's preference
}

// volumeSample is a volume, prepared for the model.
type volumeSample struct {
	image []float32
	shape volume.Shape
}

// checkShapes reports preprocessed volumes that were made for other windows, before any is read.
func (w *volumeWorkload) checkShapes() error {
	var faults []error
	for i := range w.Len() {
		_, err := w.preparedShape(w.cases, i)
		faults = append(faults, err)
	}
	return errors.Join(faults...)
}

func (w *volumeWorkload) Len() int { return w.cases.Len() }

func (w *volumeWorkload) Parts() []sdk.Part { return []sdk.Part{{Model: w.file}} }

// Load reads and prepares volume i.
func (w *volumeWorkload) Load(_ context.Context, i int) (*volumeSample, error) {
	image, shape, err := w.readImage(w.cases, i)
	if err != nil {
		return nil, err
	}
	return &volumeSample{image, shape}, nil
}

// WarmSample returns a volume of zeros with four windows, which occurs in no data set.
func (w *volumeWorkload) WarmSample() *volumeSample {
	side := w.Sliding.Window()
	shape := volume.Shape{side, side, side + 3*side/2}
	return &volumeSample{make([]float32, shape.Voxels()), shape}
}

// NewRun returns a run with the memory of one worker.
func (w *volumeWorkload) NewRun(s sdk.Sessions) (sdk.RunOf[*volumeSample], error) {
	return newVolumeRun(w, s.Part("")), nil
}

// MaxBatch returns 1: the windows of a volume form the batch.
func (w *volumeWorkload) MaxBatch() int { return 1 }

// ClientWork lists the work between a volume and the model's windows.
func (w *volumeWorkload) ClientWork(_, _ []backend.TensorInfo, _ int) []string {
	return []string{
		"each volume is cut into overlapping windows, one request or more for a sample",
		"the scores of windows are weighted and added up, and the class of each voxel is looked for (ArgMax)",
	}
}

func (w *volumeWorkload) Close() error { return nil }
