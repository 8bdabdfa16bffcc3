package resnet50

import (
	"errors"
	"fmt"
	"strconv"

	"github.com/plumbline-ml/plumbline/preprocess/image"
	"github.com/plumbline-ml/plumbline/sdk"
	"github.com/plumbline-ml/plumbline/sdk/backend"
	"github.com/plumbline-ml/plumbline/sdk/manifest"
)

// size is the height and width of the models' input, in pixels.
const size = 224

// binding is how pictures go into a model file and classes come out of it.
type binding struct {
	recipe        image.Recipe
	input, output string // tensor names
	scores        bool   // the output holds a row of scores per picture, not its class
	offset        int64  // the model's number of class 0
}

// bind reads the parameters, over a file's defaults, and reports every fault of them at once.
func bind(defaults, params map[string]string) (binding, error) {
	v := manifest.Values(defaults, params)
	b := binding{input: v["input"], output: v["output"]}
	var faults [3]error
	b.recipe, faults[0] = parseRecipe(v["preprocess"], v["layout"])
	b.scores, faults[1] = parseAnswer(v["answer"])
	b.offset, faults[2] = parseOffset(v["offset"])
	return b, sdk.Usage(errors.Join(faults[:]...))
}

// parseRecipe reads the names that the official reference gives its preprocessing functions.
func parseRecipe(name, layout string) (image.Recipe, error) {
	l, ok := map[string]image.Layout{"nchw": image.NCHW, "nhwc": image.NHWC}[layout]
	if !ok {
		return image.Recipe{}, fmt.Errorf("parameter layout = %q, want nchw or nhwc", layout)
	}
	switch name {
	case "vgg":
		return image.Vgg(size, l), nil
	case "mobilenet":
		return image.Mobilenet(size, l), nil
	case "imagenet_pytorch":
		return image.ImagenetPytorch(size, l), nil
	case "tflite_tpu":
		r := image.TFLiteTPU()
		if r.Layout() != l {
			return r, fmt.Errorf("parameter layout = %q, want nhwc: preprocess = tflite_tpu has no other", layout)
		}
		return r, nil
	}
	return image.Recipe{}, fmt.Errorf("parameter preprocess = %q, want vgg, mobilenet, tflite_tpu or imagenet_pytorch", name)
}

func parseAnswer(text string) (scores bool, err error) {
	switch text {
	case "class":
		return false, nil
	case "scores":
		return true, nil
	}
	return false, fmt.Errorf("parameter answer = %q, want class or scores", text)
}

func parseOffset(text string) (int64, error) {
	offset, err := strconv.ParseInt(text, 10, 16)
	if err != nil {
		return 0, fmt.Errorf("parameter offset = %q, want a whole number such as 1 (a background class comes first) or 0", text)
	}
	return offset, nil
}

// model completes m with the tensors that the binding uses.
func (b binding) model(m backend.Model) backend.Model {
	d := b.dims()
	m.Inputs = []backend.TensorInfo{{
		Name: b.input, DType: backend.Float32, Shape: []int64{-1, d[0], d[1], d[2]},
		Chosen: "--param input=NAME (empty: the first), and layout=nchw or nhwc",
	}}
	out := backend.TensorInfo{
		Name: b.output, DType: backend.Int64, Also: []backend.DType{backend.Int32}, Shape: []int64{-1},
		Chosen: "--param output=NAME (empty: the first), and answer=class (int64 or int32 [N]) or scores (float32 [N,classes])",
	}
	if b.scores {
		out.DType, out.Also, out.Shape = backend.Float32, nil, []int64{-1, -1}
	}
	m.Outputs = []backend.TensorInfo{out}
	return m
}

// dims is the shape of one input.
func (b binding) dims() [3]int64 {
	if b.recipe.Layout() == image.NHWC {
		return [3]int64{size, size, 3}
	}
	return [3]int64{3, size, size}
}
