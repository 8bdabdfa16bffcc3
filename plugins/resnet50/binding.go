package resnet50

import (
	"errors"
	"fmt"
	"math"

	"github.com/plumbline-ml/plumbline/plugins/internal/pictures"
	"github.com/plumbline-ml/plumbline/preprocess/image"
	"github.com/plumbline-ml/plumbline/sdk/backend"
	"github.com/plumbline-ml/plumbline/sdk/option"
)

// binding is how pictures go into a model file and classes come out of it.
type binding struct {
	recipe        image.Recipe
	input, output string // tensor names
	scores        bool   // the output holds a row of scores per picture, not its class
	offset        int64  // the model's number of class 0
	best          int    // classes of each payload: 1, or 5 where it is not the official one
	element       backend.DType
	official      int // pixels that the benchmark's own models are high and wide
}

// mostSize bounds the input: 4096 x 4096 pixels are 200 MB of float32.
const mostSize = 4096

// bind reads the parameters of a model whose input is official pixels high and wide where they do not say otherwise.
func bind(p *option.Params, official int) binding {
	size := official
	if p.Text("size") != "" {
		size = p.Int("size", 1, mostSize)
	}
	b := binding{
		element: pictures.ReadElement(p), official: official,
		recipe: readRecipe(p, size), input: p.Text("input"), output: p.Text("output"),
		scores: option.Pick(p, "answer", map[string]bool{"class": false, "scores": true}), offset: readOffset(p),
		best: readBest(p),
	}
	if b.element == backend.Uint8 && b.recipe.Name() != "pixels" {
		p.Fault("input_type", errors.New("uint8 holds whole numbers from 0 to 255: want preprocess=pixels, which leaves "+
			"the normalisation to the model"))
	}
	switch name := p.Text("top5_output"); {
	case b.best == 1:
	case name != "":
		b.output, b.scores = name, true
	case !b.scores:
		p.Fault("payload", errors.New("top5 needs a row of scores per picture: give top5_output=NAME, or answer=scores"))
	}
	return b
}

// readBest is how many classes a payload holds.
func readBest(p *option.Params) int {
	return option.Pick(p, "payload", map[string]int{"class": 1, "top5": 5})
}

// readPerClass is how many pictures of each class are used; 0: all.
func readPerClass(p *option.Params) int { return p.Int("per_class", 0, math.MaxInt32) }

// readOffset is the model's number of class 0: 1 where a background class comes first.
func readOffset(p *option.Params) int64 {
	return int64(p.Int("offset", math.MinInt16, math.MaxInt16))
}

// readRecipe reads the names that the official reference gives its preprocessing functions.
func readRecipe(p *option.Params, size int) image.Recipe {
	l := option.Pick(p, "layout", map[string]image.Layout{"nchw": image.NCHW, "nhwc": image.NHWC})
	r := option.Pick(p, "preprocess", map[string]image.Recipe{
		"vgg": image.Vgg(size, l), "mobilenet": image.Mobilenet(size, l), "imagenet_pytorch": image.ImagenetPytorch(size, l),
		"tflite_tpu": image.TFLiteTPU(), "pixels": image.Pixels(size, l),
	})
	if r.Name() == "tflite_tpu" && l != r.Layout() {
		p.Fault("layout", errors.New("want nhwc: preprocess = tflite_tpu has no other"))
	}
	if r.Name() == "tflite_tpu" && size != r.Size() {
		p.Fault("preprocess", fmt.Errorf("tflite_tpu is for pictures of %d pixels, and the model's have %d", r.Size(), size))
	}
	return r
}

// picture is the model's input.
func (b binding) picture() pictures.Input {
	return pictures.Input{Recipe: b.recipe, Size: b.recipe.Size(), Element: b.element}
}

// model completes m with the tensors that the binding uses.
func (b binding) model(m backend.Model) backend.Model {
	m.Inputs = []backend.TensorInfo{
		b.picture().Tensor(b.input, "--param input=NAME (empty: the first), layout=nchw or nhwc, "+
			"size=PIXELS, and input_type=float32, float16 or uint8 (with preprocess=pixels)"),
	}
	out := backend.TensorInfo{
		Name: b.output, DType: backend.Int64, Also: []backend.DType{backend.Int32}, Shape: []int64{-1},
		Chosen: "--param output=NAME (empty: the first), " +
			"and answer=class (int64 or int32 [N]) or scores (float32 or float16 [N,classes])",
	}
	if b.scores {
		out.DType, out.Also, out.Shape = backend.Float32, []backend.DType{backend.Float16}, []int64{-1, -1}
		out.TrailingOnes = true
	}
	m.Outputs = []backend.TensorInfo{out}
	return m
}
