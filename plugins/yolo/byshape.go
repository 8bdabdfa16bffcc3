package yolo

import (
	"cmp"
	"context"
	"slices"

	"github.com/plumbline-ml/plumbline/plugins/internal/pictures"
	"github.com/plumbline-ml/plumbline/sdk"
	"github.com/plumbline-ml/plumbline/sdk/backend"
)

// shapedWorkload is a workload whose pictures have different shapes. It runs pictures of the same shape together.
type shapedWorkload struct{ *yoloWorkload }

// MaxBatch returns 0: the user or the backend decides.
func (shapedWorkload) MaxBatch() int { return 0 }

// SampleSize returns a number that is unique for each shape.
func (w shapedWorkload) SampleSize(s *pictures.PictureSample) int { return w.shapeKey(s) }

func (*yoloWorkload) shapeKey(s *pictures.PictureSample) int {
	return int(s.Dims[1])<<16 + int(s.Dims[2])
}

// SizeRule groups pictures of the same shape.
func (shapedWorkload) SizeRule() sdk.SizeRule { return sdk.SizeRule{Alike: true} }

// NewRun returns a run with the memory of one worker.
func (w shapedWorkload) NewRun(s sdk.Sessions) (sdk.RunOf[*pictures.PictureSample], error) {
	session := s.Part("")
	return &shapesRun{workload: w.yoloWorkload, session: session, batch: sdk.NewBatch(session.Inputs())}, nil
}

// shapesRun runs samples through a session, shape by shape.
type shapesRun struct {
	workload  *yoloWorkload
	session   backend.Session
	batch     *sdk.Batch
	outputs   [1]backend.Tensor
	order     []int
	sameShape []*pictures.PictureSample
	answers   sdk.Payloads // in the order of the runs
	positions []int        // position of each sample's answer
}

// Run appends the answers in the order of the samples.
func (r *shapesRun) Run(ctx context.Context, samples []*pictures.PictureSample, p *sdk.Payloads) error {
	r.order = r.order[:0]
	for i := range samples {
		r.order = append(r.order, i)
	}
	slices.SortStableFunc(r.order, func(a, b int) int {
		return cmp.Compare(r.workload.shapeKey(samples[a]), r.workload.shapeKey(samples[b]))
	})
	r.answers.Reset()
	r.positions = slices.Grow(r.positions[:0], len(samples))[:len(samples)]
	for from := 0; from < len(r.order); {
		r.sameShape = r.sameShape[:0]
		for _, i := range r.order[from:] {
			if samples[i].Dims != samples[r.order[from]].Dims {
				break
			}
			r.positions[i] = from + len(r.sameShape)
			r.sameShape = append(r.sameShape, samples[i])
		}
		if err := r.inferShape(ctx); err != nil {
			return err
		}
		from += len(r.sameShape)
	}
	for i := range samples {
		p.Append(r.answers.At(r.positions[i]))
	}
	return nil
}

// inferShape runs the session once, for samples of one shape.
func (r *shapesRun) inferShape(ctx context.Context) error {
	if err := r.workload.Collate(r.sameShape, r.batch); err != nil {
		return err
	}
	if err := r.session.Run(ctx, r.batch.Tensors(), r.outputs[:]); err != nil {
		return err
	}
	defer r.outputs[0].Release()
	return r.workload.Postprocess(r.outputs[:], r.sameShape, &r.answers)
}
