package resnet50

import (
	"testing"

	"github.com/plumbline-ml/plumbline/preprocess/image"
	"github.com/plumbline-ml/plumbline/sdk/backend"
	"github.com/plumbline-ml/plumbline/sdk/manifest/manifesttest"
	"github.com/plumbline-ml/plumbline/sdk/sdktest"
)

func TestBindTensors(t *testing.T) {
	cases := []struct {
		name, model string
		params      map[string]string
		recipe      string
		layout      image.Layout
		in, out     string
	}{
		{"resnet50", "resnet50", nil, "vgg", image.NCHW, "input_tensor:0 float32[N,3,224,224]", "ArgMax:0 int64[N]"},
		{"mobilenet", "mobilenet", nil, "mobilenet", image.NCHW, "input:0 float32[N,3,224,224]",
			"MobilenetV1/Predictions/Reshape_1:0 float32[N,N]"},
		{"TensorFlow's layout", "resnet50", map[string]string{"layout": "nhwc"}, "vgg", image.NHWC,
			"input_tensor:0 float32[N,224,224,3]", "ArgMax:0 int64[N]"},
		{"tflite", "mobilenet", map[string]string{"layout": "nhwc", "preprocess": "tflite_tpu"}, "tflite_tpu", image.NHWC,
			"input:0 float32[N,224,224,3]", "MobilenetV1/Predictions/Reshape_1:0 float32[N,N]"},
		{
			"an export of torchvision's", "resnet50",
			map[string]string{
				"preprocess": "imagenet_pytorch", "input": "", "output": "logits", "answer": "scores", "offset": "0",
			},
			"imagenet_pytorch", image.NCHW, " float32[N,3,224,224]", "logits float32[N,N]",
		},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			p := manifesttest.Params(t, New(), c.model, false, c.params)
			b := bindClassifier(p, 224)
			if err := p.Err(); err != nil {
				t.Fatal(err)
			}
			if b.recipe.Name() != c.recipe || b.recipe.Layout() != c.layout || b.recipe.Size() != 224 {
				t.Errorf("recipe %s %v of size %d, want %s %v of %d", b.recipe.Name(), b.recipe.Layout(), b.recipe.Size(),
					c.recipe, c.layout, 224)
			}
			m := b.completeModel(backend.Model{})
			if in, out := m.Inputs[0].String(), m.Outputs[0].String(); in != c.in || out != c.out {
				t.Errorf("tensors %q and %q, want %q and %q", in, out, c.in, c.out)
			}
		})
	}
}

func TestTFLiteHasOneLayout(t *testing.T) {
	p := manifesttest.Params(t, New(), "mobilenet", false, map[string]string{"preprocess": "tflite_tpu"})
	bindClassifier(p, 224)
	sdktest.WantError(t, p.Err(), `layout = "nchw"`, "want nhwc")
}
