package pointpainting

import (
	"context"
	"fmt"
	"sync/atomic"

	"github.com/plumbline-ml/plumbline/datasets/waymo"
	"github.com/plumbline-ml/plumbline/preprocess/image"
	"github.com/plumbline-ml/plumbline/sdk"
	"github.com/plumbline-ml/plumbline/sdk/backend"
)

var (
	_ sdk.ClientWorker = (*frameWorkload)(nil)
	_ sdk.Noter        = (*frameWorkload)(nil)
)

// frameWorkload is the benchmark with two model files and one data set. It implements sdk.Runner, which runs samples
// through the sessions.
type frameWorkload struct {
	networkBinding
	files       map[string]backend.Model
	set         waymo.FrameSource
	emptyFrames atomic.Int64 // number of frames without a pillar
	// convertedPicture is the name of a picture that had to be converted to RGB.
	convertedPicture atomic.Pointer[string]
}

// frameSample is a frame with its loaded data.
type frameSample struct {
	index    int
	frame    *waymo.Frame
	points   []float32
	pictures [waymo.Cameras]*image.RGB // nil: read within the timed run
}

func (w *frameWorkload) Len() int { return w.set.Len() }

func (w *frameWorkload) Parts() []sdk.Part {
	return []sdk.Part{
		{Name: segmentationPart, Model: w.files[segmentationPart], RunsPerSample: waymo.Cameras, MaxBatch: 1},
		{Name: detectorPart, Model: w.files[detectorPart]},
	}
}

// Load reads frame i and decodes its pictures.
func (w *frameWorkload) Load(_ context.Context, i int) (*frameSample, error) {
	s := &frameSample{index: i, frame: w.set.Frame(i)}
	if w.LoadInRun {
		return s, nil
	}
	return s, w.readSensors(s)
}

func (w *frameWorkload) readSensors(s *frameSample) (err error) {
	if s.points, err = w.set.ReadPoints(s.index); err != nil {
		return sdk.Data(fmt.Errorf("sample %d: %w", s.index, err))
	}
	for k := range s.pictures {
		data, err := w.set.ReadPicture(s.index, k)
		if err == nil {
			s.pictures[k], err = image.Decode(data, image.DecodeOptions{Converted: func() {
				name := s.frame.PictureName(k)
				w.convertedPicture.CompareAndSwap(nil, &name)
			}})
		}
		if err != nil {
			return sdk.Data(fmt.Errorf("sample %d (image %d), camera %d: %w", s.index, s.frame.Image, k, err))
		}
	}
	return nil
}

// WarmSample returns a frame with a single point and black pictures, which occurs in no data set.
func (w *frameWorkload) WarmSample() *frameSample {
	first, middle := w.set.Frame(0), [3]float32{}
	for k := range middle {
		middle[k] = (w.grid.Low[k] + w.grid.High[k]) / 2
	}
	s := &frameSample{
		frame: &waymo.Frame{Calibration: first.Calibration, Shapes: first.Shapes}, points: append(middle[:], 0, 0),
	}
	for k, shape := range first.Shapes {
		s.pictures[k] = &image.RGB{W: shape.Width, H: shape.Height, Pix: make([]uint8, 3*shape.Width*shape.Height)}
	}
	return s
}

// NewRun returns a run with the memory of one worker.
func (w *frameWorkload) NewRun(s sdk.Sessions) (sdk.RunOf[*frameSample], error) {
	return newFrameRun(w, s), nil
}

// MaxBatch returns 1, as in the reference.
func (w *frameWorkload) MaxBatch() int { return 1 }

// ClientWork lists the work before, between and after the two networks.
func (w *frameWorkload) ClientWork(_, _ []backend.TensorInfo, _ int) []string {
	work := []string{
		"the levels of five pictures are normalised, one request for each picture",
		"points are sorted into pillars, and painted with the scores of the pixels that they are seen at",
		"boxes of low scores and those that better ones cover are dropped, and boxes brought into the cameras' frame",
	}
	if w.LoadInRun {
		work = append(work, "points and pictures are read and decoded")
	}
	return work
}

// RunNotes returns notes about empty frames and converted pictures.
func (w *frameWorkload) RunNotes() (r sdk.RunNotes) {
	if of, ok := w.set.(interface{ Warnings() []string }); ok {
		r.Notes = of.Warnings()
	}
	if w.LoadInRun {
		r.Notes = append(r.Notes, "points and pictures were read and decoded within the timed run, as in the reference")
	}
	if name := w.convertedPicture.Load(); name != nil {
		r.Notes = append(r.Notes, fmt.Sprintf("pictures that are not RGB were converted, on which the reference stops: "+
			"%s was the first", *name))
	}
	if n := w.emptyFrames.Load(); n > 0 {
		r.Notes = append(r.Notes, fmt.Sprintf("%d frames had no point in the space: the detector was not run for them", n))
	}
	return r
}

func (w *frameWorkload) Close() error { return nil }
