package retinanet

import (
	"testing"

	"github.com/plumbline-ml/plumbline/sdk/backend"
	"github.com/plumbline-ml/plumbline/sdk/option"
	"github.com/plumbline-ml/plumbline/sdk/sdktest"
)

// bound is bound with params, of which none is a fault.
func bound(t *testing.T, params map[string]string) detectorBinding {
	t.Helper()
	p := option.NewParams(params)
	b := bindDetector(p)
	if err := p.Err(); err != nil {
		t.Fatal(err)
	}
	return b
}

func TestBindOverridesTheForm(t *testing.T) {
	b := bound(t, map[string]string{
		"form": "ssd-mobilenet", "preprocess": "coco_pt_mobilenet", "layout": "nchw", "size": "64",
		"input": "image", "outputs": "bboxes,scores,labels,n", "threshold": "0.3",
	})
	m := b.completeModel(backend.Model{})
	if m.Inputs[0].String() != "image float32[N,3,64,64]" || b.Threshold != 0.3 || b.recipe.Name() != "coco_pt_mobilenet" {
		t.Errorf("input %v, threshold %v, recipe %s", m.Inputs[0], b.Threshold, b.recipe.Name())
	}
	if m.Outputs[0].Name != "bboxes" || m.Outputs[3].Name != "n" {
		t.Errorf("outputs %v", m.Outputs)
	}
}

func TestBindRefuses(t *testing.T) {
	cases := []struct {
		params map[string]string
		want   string
	}{
		{map[string]string{"form": ""}, `form = ""`},
		{map[string]string{"form": "retinanet", "preprocess": "vgg"}, `preprocess = "vgg"`},
		{map[string]string{"form": "retinanet", "layout": "hwc"}, `layout = "hwc"`},
		{map[string]string{"form": "ssd-mobilenet", "layout": "nchw"}, "want nhwc"},
		{map[string]string{"form": "retinanet", "size": "5000"}, "from 1 to 4096"},
		{map[string]string{"form": "retinanet", "size": "big"}, `size = "big"`},
		{map[string]string{"form": "retinanet", "threshold": "NaN"}, `threshold = "NaN"`},
		{map[string]string{"form": "retinanet", "outputs": "a,b,c,d"}, "BOXES,SCORES,LABELS"},
		{map[string]string{"form": "ssd-mobilenet", "outputs": "a,b,,d"}, "BOXES,SCORES,LABELS,COUNT"},
	}
	for _, c := range cases {
		p := option.NewParams(c.params)
		bindDetector(p)
		sdktest.WantError(t, p.Err(), c.want)
	}
}
