package resnet50

import (
	"fmt"
	"sync/atomic"

	"github.com/plumbline-ml/plumbline/plugins/internal/pictures"
	"github.com/plumbline-ml/plumbline/sdk"
	"github.com/plumbline-ml/plumbline/sdk/backend"
)

var (
	_ sdk.ClientWorker      = (*classifierWorkload)(nil)
	_ sdk.WorkloadInfoAdder = (*classifierWorkload)(nil)
	_ sdk.Noter             = (*classifierWorkload)(nil)
)

// classifierWorkload is the benchmark with one model file and one data set.
type classifierWorkload struct {
	classifierBinding
	*pictures.PictureSamples
	file backend.Model
	set  pictures.PictureSet
	// choices is a note about the parameters that the model file determined; "": none.
	choices string
	// widened is set if scores were converted from float16.
	widened atomic.Bool
}

func newClassifierWorkload(b classifierBinding, file backend.Model, set pictures.PictureSet) *classifierWorkload {
	return &classifierWorkload{classifierBinding: b, PictureSamples: pictures.NewPictureSamples(set, b.pictureInput()),
		file: b.completeModel(file), set: set}
}

// AddInfo adds the reasons why a run does not belong to the closed division.
func (w *classifierWorkload) AddInfo(info *sdk.WorkloadInfo) {
	if w.Best > 1 {
		info.OpenReasons = append(info.OpenReasons, "the answers are the five best classes of each picture (payload=top5)")
	}
	if size := w.recipe.Size(); size != w.officialSize {
		info.OpenReasons = append(info.OpenReasons, fmt.Sprintf("the model's input has %d x %d pixels (size=%d), where the "+
			"benchmark's has %d x %d", size, size, size, w.officialSize, w.officialSize))
	}
	if set, ok := w.set.(pictureSubset); ok {
		info.OpenReasons = append(info.OpenReasons, fmt.Sprintf("%d of %d pictures are used (per_class)", set.Len(),
			set.all.Len()))
	}
}

// RunNotes returns notes about differences from the benchmark's own models.
func (w *classifierWorkload) RunNotes() (r sdk.RunNotes) {
	if w.choices != "" {
		r.Notes = append(r.Notes, w.choices)
	}
	if note := w.pictureInput().ConversionNote(); note != "" {
		r.Notes = append(r.Notes, note)
	}
	if w.widened.Load() {
		r.Notes = append(r.Notes, "the model's scores are float16, and were widened to float32")
	}
	return r
}

func (w *classifierWorkload) Parts() []sdk.Part { return []sdk.Part{{Model: w.file}} }

// Postprocess appends each picture's class.
func (w *classifierWorkload) Postprocess(outputs []backend.Tensor, samples []*pictures.PictureSample,
	p *sdk.Payloads) error {
	if len(outputs) != 1 {
		return fmt.Errorf("%w: %d outputs, want 1", errOutput, len(outputs))
	}
	if outputs[0].DType == backend.Float16 {
		w.widened.Store(true)
	}
	return w.appendAnswers(outputs[0], len(samples), p)
}

// ClientWork returns nothing for a model whose outputs are class numbers without an offset. Writing them in the log's
// type does not count.
func (w *classifierWorkload) ClientWork(_, outputs []backend.TensorInfo, _ int) []string {
	work := pictures.WideningWork(outputs)
	if w.Scores {
		work = append(work, "the class with the greatest score is looked for (ArgMax); "+
			"parameter answer=class is for models that answer with the class")
	}
	if w.Offset != 0 {
		work = append(work, fmt.Sprintf("%d is subtracted from each class; "+
			"parameter offset=0 is for models that number the classes from 0", w.Offset))
	}
	return work
}
