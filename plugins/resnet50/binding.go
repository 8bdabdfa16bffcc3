package resnet50

import (
	"errors"
	"fmt"

	"github.com/plumbline-ml/plumbline/accuracy"
	"github.com/plumbline-ml/plumbline/plugins/internal/pictures"
	"github.com/plumbline-ml/plumbline/preprocess/image"
	"github.com/plumbline-ml/plumbline/sdk/backend"
	"github.com/plumbline-ml/plumbline/sdk/option"
)

// classifierBinding maps pictures to a model's input and its output to classes.
type classifierBinding struct {
	recipe       image.Recipe
	officialSize int // height and width of the benchmark's own models in pixels
	// of the input; at the maximum, a picture has 200 MB of float32
	Size    int           `param:"size,optional" min:"1" max:"4096"`
	Element backend.DType `param:"input_type"`
	Layout  image.Layout  `param:"layout"`
	Input   string        `param:"input"` // tensor names
	Output  string        `param:"output"`
	// the output contains a row of scores per picture instead of its class
	Scores bool   `param:"answer" choices:"class,scores"`
	Top5   string `param:"top5_output"`
	Offset int64  `param:"offset" min:"int16" max:"int16"` // the model's number of class 0
	Best   int    `param:"payload"`                        // number of classes per payload
}

// logSettings determines how payloads are read.
type logSettings struct {
	DType  accuracy.DType `param:"dtype"`
	Offset int64          `param:"offset" min:"int16" max:"int16"`
	Best   int            `param:"payload"`
	Expect string         `param:"expect"` // path of expected answers
}

// payloadClassesReader returns a reader of the number of classes per payload: officially 1, otherwise 5.
func payloadClassesReader() option.ParamReader {
	return option.WordReader("payload", map[string]int{"class": 1, "top5": 5})
}

// bindClassifier reads the parameters of a model. The default height and width of its input are officialSize pixels.
func bindClassifier(p *option.Params, officialSize int) classifierBinding {
	b := classifierBinding{officialSize: officialSize, Size: officialSize}
	option.Bind(p, &b, pictures.ElementReader(), payloadClassesReader(),
		option.WordReader("layout", map[string]image.Layout{"nchw": image.NCHW, "nhwc": image.NHWC}))
	b.recipe = readRecipe(p, b.Size, b.Layout)
	if b.Element == backend.Uint8 && b.recipe.Name() != "pixels" {
		p.AddFault("input_type", errors.New("uint8 holds whole numbers from 0 to 255: want preprocess=pixels, which leaves "+
			"the normalisation to the model"))
	}
	switch {
	case b.Best == 1:
	case b.Top5 != "":
		b.Output, b.Scores = b.Top5, true
	case !b.Scores:
		p.AddFault("payload", errors.New("top5 needs a row of scores per picture: give top5_output=NAME, or answer=scores"))
	}
	return b
}

// readRecipe returns the preprocessing selected by the official reference's names of its functions.
func readRecipe(p *option.Params, size int, l image.Layout) (r image.Recipe) {
	var of struct {
		Recipe image.Recipe `param:"preprocess"`
	}
	option.Bind(p, &of, option.WordReader("preprocess", map[string]image.Recipe{
		"vgg": image.Vgg(size, l), "mobilenet": image.Mobilenet(size, l), "imagenet_pytorch": image.ImagenetPytorch(size, l),
		"tflite_tpu": image.TFLiteTPU(), "pixels": image.Pixels(size, l),
	}))
	r = of.Recipe
	if r.Name() == "tflite_tpu" && l != r.Layout() {
		p.AddFault("layout", errors.New("want nhwc: preprocess = tflite_tpu has no other"))
	}
	if r.Name() == "tflite_tpu" && size != r.Size() {
		p.AddFault("preprocess", fmt.Errorf("tflite_tpu is for pictures of %d pixels, and the model's have %d", r.Size(),
			size))
	}
	return r
}

// pictureInput returns the model's input.
func (b classifierBinding) pictureInput() pictures.ModelInput {
	return pictures.ModelInput{Recipe: b.recipe, Size: b.recipe.Size(), ElementType: b.Element}
}

// completeModel returns m with the tensors that the binding uses.
func (b classifierBinding) completeModel(m backend.Model) backend.Model {
	m.Inputs = []backend.TensorInfo{
		b.pictureInput().TensorInfo(b.Input, "--param input=NAME (empty: the first), layout=nchw or nhwc, "+
			"size=PIXELS, and input_type=float32, float16 or uint8 (with preprocess=pixels)"),
	}
	out := backend.TensorInfo{
		Name: b.Output, DType: backend.Int64, Also: []backend.DType{backend.Int32}, Shape: []int64{-1}, TrailingOnes: true,
		Chosen: "--param output=NAME (empty: the first), " +
			"and answer=class (int64 or int32 [N]) or scores (float32 or float16 [N,classes])",
	}
	if b.Scores {
		out.DType, out.Also, out.Shape = backend.Float32, []backend.DType{backend.Float16}, []int64{-1, -1}
	}
	m.Outputs = []backend.TensorInfo{out}
	return m
}
