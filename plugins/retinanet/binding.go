package retinanet

import (
	"errors"
	"fmt"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/plumbline-ml/plumbline/preprocess/image"
	"github.com/plumbline-ml/plumbline/sdk"
	"github.com/plumbline-ml/plumbline/sdk/backend"
)

// binding is how pictures go into a model file and detections come out of it.
type binding struct {
	form
	recipe image.Stretch
}

// mostSize bounds the input: 4096 x 4096 pixels are 200 MB of float32.
const mostSize = 4096

// bind reads the parameters: a form, and what differs from it. It reports every fault at once.
func bind(v map[string]string) (binding, error) {
	f, ok := forms()[v["form"]]
	if !ok {
		names := strings.Join(slices.Sorted(maps.Keys(forms())), ", ")
		return binding{}, sdk.Usage(fmt.Errorf("parameter form = %q, want one of %s", v["form"], names))
	}
	var faults [4]error
	f.preprocess, f.layout = or(v["preprocess"], f.preprocess), or(v["layout"], f.layout)
	f.input = or(v["input"], f.input)
	f.size, faults[0] = parseSize(v["size"], f.size)
	f.threshold, faults[1] = parseThreshold(v["threshold"], f.threshold)
	faults[2] = f.nameOutputs(v["outputs"])
	b := binding{form: f}
	b.recipe, faults[3] = parseRecipe(f.preprocess, f.layout, f.size)
	return b, sdk.Usage(errors.Join(faults[:]...))
}

// or is the value, or the form's where it is empty.
func or(value, form string) string {
	if value == "" {
		return form
	}
	return value
}

func parseSize(text string, form int) (int, error) {
	if text == "" {
		return form, nil
	}
	size, err := strconv.Atoi(text)
	if err != nil || size < 1 || size > mostSize {
		return form, fmt.Errorf("parameter size = %q, want a number of pixels of 1 to %d", text, mostSize)
	}
	return size, nil
}

func parseThreshold(text string, form float64) (float64, error) {
	if text == "" {
		return form, nil
	}
	threshold, err := strconv.ParseFloat(text, 64)
	if err != nil || math.IsNaN(threshold) || threshold < 0 || threshold > 1 {
		return form, fmt.Errorf("parameter threshold = %q, want a score of 0 to 1", text)
	}
	return threshold, nil
}

// nameOutputs reads the names of boxes, scores, labels and, where the form has it, the count of detections.
func (f *form) nameOutputs(text string) error {
	if text == "" {
		return nil
	}
	names := strings.Split(text, ",")
	outputs := []*string{&f.boxes, &f.scores, &f.labels}
	if f.count != "" {
		outputs = append(outputs, &f.count)
	}
	if len(names) != len(outputs) || slices.Contains(names, "") {
		want := []string{"BOXES,SCORES,LABELS", "BOXES,SCORES,LABELS,COUNT"}[len(outputs)-3]
		return fmt.Errorf("parameter outputs = %q, want the names %s", text, want)
	}
	for i, name := range names {
		*outputs[i] = name
	}
	return nil
}

// parseRecipe reads the names that the official reference gives its preprocessing functions.
func parseRecipe(name, layout string, size int) (image.Stretch, error) {
	l, ok := map[string]image.Layout{"nchw": image.NCHW, "nhwc": image.NHWC}[layout]
	if !ok {
		return image.Stretch{}, fmt.Errorf("parameter layout = %q, want nchw or nhwc", layout)
	}
	switch name {
	case "retinanet":
		return image.Retinanet(size, l), nil
	case "coco_pt_mobilenet":
		return image.CocoPtMobilenet(size, l), nil
	case "coco_resnet34":
		return image.CocoResnet34(size, l), nil
	case "coco_resnet34_tf":
		return image.CocoResnet34TF(size, l), nil
	case "coco_mobilenet":
		if l != image.NHWC {
			return image.Stretch{}, fmt.Errorf("parameter layout = %q, want nhwc: preprocess = coco_mobilenet has no other", layout)
		}
		return image.CocoMobilenet(size), nil
	}
	return image.Stretch{}, fmt.Errorf("parameter preprocess = %q, want retinanet, coco_mobilenet, coco_pt_mobilenet, coco_resnet34 or coco_resnet34_tf", name)
}

// model completes m with the tensors that the binding uses. Labels come in several types; Postprocess takes them all.
func (b binding) model(m backend.Model) backend.Model {
	d := b.dims()
	m.Inputs = []backend.TensorInfo{{Name: b.input, DType: b.dtype(), Shape: []int64{-1, d[0], d[1], d[2]}, Chosen: "--param form=FORM, input=NAME, size and layout"}}
	m.Outputs = []backend.TensorInfo{
		{Name: b.boxes, DType: backend.Float32, Chosen: "--param form=FORM and outputs=BOXES,SCORES,LABELS"},
		{Name: b.scores, DType: backend.Float32},
		{Name: b.labels},
	}
	if b.count != "" {
		m.Outputs = append(m.Outputs, backend.TensorInfo{Name: b.count})
	}
	return m
}

func (b binding) dtype() backend.DType {
	if b.recipe.Uint8() {
		return backend.Uint8
	}
	return backend.Float32
}

// dims is the shape of one input.
func (b binding) dims() [3]int64 {
	size := int64(b.size)
	if b.recipe.Layout() == image.NHWC {
		return [3]int64{size, size, 3}
	}
	return [3]int64{3, size, size}
}
