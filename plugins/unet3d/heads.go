package unet3d

import (
	"context"
	"fmt"
	"strconv"
	"strings"

	"github.com/plumbline-ml/plumbline/accuracy"
	"github.com/plumbline-ml/plumbline/datasets/brats"
	"github.com/plumbline-ml/plumbline/internal/half"
	"github.com/plumbline-ml/plumbline/internal/synthetic/volumes"
	"github.com/plumbline-ml/plumbline/preprocess/volume"
	"github.com/plumbline-ml/plumbline/sdk"
	"github.com/plumbline-ml/plumbline/sdk/backend"
	"github.com/plumbline-ml/plumbline/sdk/manifest"
	"github.com/plumbline-ml/plumbline/sdk/option"
)

// headModel is the name of the model on BraTS, whose network processes a whole head at once.
const headModel = "3d-unet-brats"

// headSet is a data set of heads, generated or read. Its methods may be called concurrently.
type headSet interface {
	Len() int
	Name(i int) string
	// Shape returns the shape of head i as scanned.
	Shape(i int) volume.Shape
	// Image returns head i, prepared for the model: four channels of the recipe's shape. The caller owns it.
	Image(r volume.HeadRecipe, i int) ([]float32, error)
	// Box returns the part of head i that is prepared.
	Box(r volume.HeadRecipe, i int) (volume.Box, error)
	// Labels returns the classes of the voxels as scanned. The caller owns them.
	Labels(i int) ([]uint8, error)
	// CheckAmbiguity returns an error if Labels may have misinterpreted its files.
	CheckAmbiguity() error
}

// drawnHeads contains the embedded heads.
type drawnHeads struct{ volumes.HeadSet }

func (d drawnHeads) Shape(i int) volume.Shape { return d.Size(i) }

func (d drawnHeads) Image(r volume.HeadRecipe, i int) ([]float32, error) {
	h := d.Draw(i)
	image, _, err := r.PrepareImage(nil, h.Channels[:], h.Shape)
	return image, err
}

func (d drawnHeads) Box(r volume.HeadRecipe, i int) (volume.Box, error) {
	h := d.Draw(i)
	return r.FindBox(h.Channels[:], h.Shape)
}

func (d drawnHeads) Labels(i int) ([]uint8, error) { return d.Draw(i).Labels, nil }

func (d drawnHeads) CheckAmbiguity() error { return nil }

// fileHeads contains heads in files.
type fileHeads struct{ *brats.CaseSet }

func (h fileHeads) Shape(i int) volume.Shape { return h.CaseSet.Shape(i) }

func (h fileHeads) Image(r volume.HeadRecipe, i int) ([]float32, error) {
	if h.Preprocessed() {
		return h.Prepared(i)
	}
	channels, err := h.Read(i)
	if err != nil {
		return nil, err
	}
	image, _, err := r.PrepareImage(nil, channels, h.Shape(i))
	return image, err
}

func (h fileHeads) Box(r volume.HeadRecipe, i int) (volume.Box, error) {
	if h.Preprocessed() {
		at := h.Placement(i)
		return volume.Box{Low: at.Low, Size: at.Size}, nil
	}
	channels, err := h.Read(i)
	if err != nil {
		return volume.Box{}, err
	}
	return r.FindBox(channels, h.Shape(i))
}

// headBinding maps heads to a model's input and its output to logits.
type headBinding struct {
	tensorNames
	Shape  volume.Shape `param:"shape"` // shape of the input
	recipe volume.HeadRecipe
}

func bindHeads(p *option.Params) (b headBinding) {
	option.Bind(p, &b, option.ReaderFunc("shape", parseShape))
	b.recipe = volume.BraTS(b.Shape)
	return b
}

// maxVoxels limits the memory of a sample; the limit is 4 GiB of float32 in four channels.
const maxVoxels = 1 << 28

func parseShape(text string) (s volume.Shape, err error) {
	sides := strings.Split(text, "x")
	for k, side := range sides {
		n, err := strconv.Atoi(side)
		if err != nil || n < 1 || n > 1<<12 || len(sides) != len(s) {
			return volume.Shape{}, fmt.Errorf("want DEPTHxHEIGHTxWIDTH of the model's input in voxels, as in 224x224x160")
		}
		s[k] = n
	}
	if s.Voxels() > maxVoxels {
		return volume.Shape{}, fmt.Errorf("%d voxels, want at most %d", s.Voxels(), maxVoxels)
	}
	return s, nil
}

// headShape returns the shape of a tensor of n heads.
func (b *headBinding) headShape(n int64) []int64 {
	p := b.recipe.PaddedShape()
	return []int64{n, brats.Channels, int64(p[0]), int64(p[1]), int64(p[2])}
}

// completeModel returns m with the tensors that the binding uses.
func (b *headBinding) completeModel(m backend.Model) backend.Model {
	m.Inputs = []backend.TensorInfo{{
		Name: b.Input, DType: backend.Float32, Shape: b.headShape(-1),
		Chosen: "--param input=NAME (empty: the first) and shape=DEPTHxHEIGHTxWIDTH",
	}}
	m.Outputs = []backend.TensorInfo{{
		Name: b.Output, DType: backend.Float32, Shape: b.headShape(-1), // the number of classes equals the number of channels
		Chosen: "--param output=NAME (empty: the first)",
	}}
	return m
}

// headSource contains the parameters of a data set of heads.
type headSource struct {
	Fold   string `param:"fold"`
	Labels string `param:"labels"`
}

// openHeads opens the cases of a run. It checks the whole data set, and the fault lists every error.
func openHeads(r *manifest.Request, b headBinding) headSet {
	var s headSource
	r.Bind(&s)
	if r.Dataset == "" {
		set := volumes.HeadEval()
		set.N = r.SampleCount(set.N, "heads")
		return drawnHeads{set}
	}
	set, err := brats.Open(r.Dataset, brats.CaseOptions{
		Fold: s.Fold, Labels: s.Labels, Count: r.Count, LabelsOnly: r.Scoring, Padded: b.recipe.PaddedShape(),
	})
	if err != nil {
		r.AddFault(sdk.Data(err))
		return nil
	}
	r.SampleCount(set.Len(), "cases")
	return fileHeads{set}
}

var _ sdk.ClientWorker = (*headWorkload)(nil)

// headWorkload is the benchmark on BraTS with one model file and one data set.
type headWorkload struct {
	headBinding
	file  backend.Model
	heads headSet
}

func (w *headWorkload) Len() int { return w.heads.Len() }

func (w *headWorkload) Parts() []sdk.Part { return []sdk.Part{{Model: w.file}} }

// Load reads and prepares head i.
func (w *headWorkload) Load(_ context.Context, i int) ([]float32, error) {
	image, err := w.heads.Image(w.recipe, i)
	if err != nil {
		return nil, sdk.Data(fmt.Errorf("case %d (%s): %w", i, w.heads.Name(i), err))
	}
	return image, nil
}

// WarmSample returns a head of zeros, which occurs in no data set.
func (w *headWorkload) WarmSample() []float32 {
	return make([]float32, brats.Channels*w.recipe.PaddedShape().Voxels())
}

// Collate passes a single head without copying, and joins several.
func (w *headWorkload) Collate(samples [][]float32, b *sdk.Batch) error {
	dims := w.headShape(int64(len(samples)))
	if len(samples) == 1 {
		b.Share(0, backend.Bytes(samples[0]), dims...)
		return nil
	}
	input := b.Input(0, dims...)
	for _, image := range samples {
		input = input[copy(input, backend.Bytes(image)):]
	}
	return nil
}

// Postprocess appends the logits of each head as float16: class, depth, height, width, in C order.
func (w *headWorkload) Postprocess(outputs []backend.Tensor, samples [][]float32, p *sdk.Payloads) error {
	if len(outputs) != 1 {
		return fmt.Errorf("%w: %d outputs, want 1", errOutput, len(outputs))
	}
	if err := checkOutput(&outputs[0], w.headShape(int64(len(samples)))); err != nil {
		return err
	}
	logits := backend.View[float32](outputs[0].Data)
	each := len(logits) / len(samples)
	for i := range samples {
		half.Float16.Encode(p.Extend(each*accuracy.Float16.Size()), logits[i*each:][:each])
	}
	return nil
}

// ClientWork lists the conversion of the network's float32 output to the log's float16.
func (w *headWorkload) ClientWork(_, _ []backend.TensorInfo, _ int) []string {
	return []string{"the logits of all voxels are rounded to float16"}
}

func (w *headWorkload) Close() error { return nil }
