package retinanet

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/plumbline-ml/plumbline/plugins/internal/pictures"
	"github.com/plumbline-ml/plumbline/preprocess/image"
	"github.com/plumbline-ml/plumbline/sdk/backend"
	"github.com/plumbline-ml/plumbline/sdk/option"
)

// binding is how pictures go into a model file and detections come out of it.
type binding struct {
	form
	recipe image.Stretch
}

// bind reads the parameters: a form, and what differs from it.
func bind(p *option.Params) binding {
	f := option.Pick(p, "form", forms())
	if f == (form{}) {
		return binding{}
	}
	option.Bind(p, &f, pictures.Element())
	if f.pixels {
		f.Pixels = f.Size
	}
	p.Fault("outputs", f.nameOutputs(f.Named))
	b := binding{f, f.readRecipe(p)}
	if b.recipe.Uint8() {
		b.Element = backend.InvalidDType // the recipe's own
	} else if b.Element == backend.Uint8 {
		p.Fault("input_type", errors.New("uint8 holds whole numbers from 0 to 255: want preprocess=coco_mobilenet"))
	}
	return b
}

// nameOutputs reads the names of boxes, scores, labels and, where the form has it, the count of detections.
func (f *form) nameOutputs(text string) error {
	if text == "" {
		return nil
	}
	names := strings.Split(text, ",")
	outputs := []*string{&f.Boxes, &f.Scores, &f.Labels}
	if f.Count != "" {
		outputs = append(outputs, &f.Count)
	}
	if len(names) != len(outputs) || slices.Contains(names, "") {
		want := []string{"BOXES,SCORES,LABELS", "BOXES,SCORES,LABELS,COUNT"}[len(outputs)-3]
		return fmt.Errorf("want the names %s", want)
	}
	for i, name := range names {
		*outputs[i] = name
	}
	return nil
}

// readRecipe reads the names that the official reference gives its preprocessing functions.
func (f *form) readRecipe(p *option.Params) image.Stretch {
	l := option.Pick(p, "layout", map[string]image.Layout{"nchw": image.NCHW, "nhwc": image.NHWC, "": f.layout})
	recipes := map[string]image.Stretch{
		"retinanet": image.Retinanet(f.Size, l), "coco_pt_mobilenet": image.CocoPtMobilenet(f.Size, l),
		"coco_mobilenet": image.CocoMobilenet(f.Size), // in one layout
		"coco_resnet34":  image.CocoResnet34(f.Size, l), "coco_resnet34_tf": image.CocoResnet34TF(f.Size, l),
	}
	recipes[""] = recipes[f.preprocess]
	r := option.Pick(p, "preprocess", recipes)
	if r.Name() == "coco_mobilenet" && l != r.Layout() {
		p.Fault("layout", errors.New("want nhwc: preprocess = coco_mobilenet has no other"))
	}
	return r
}

// picture is the model's input.
func (b binding) picture() pictures.Input {
	return pictures.Input{Recipe: b.recipe, Size: b.Size, Element: b.Element}
}

// model completes m with the tensors that the binding uses.
func (b binding) model(m backend.Model) backend.Model {
	m.Inputs = []backend.TensorInfo{b.picture().Tensor(b.Input, "--param form=FORM, input=NAME, size, layout, "+
		"and input_type=float32 or float16")}
	m.Outputs = b.Tensors("--param form=FORM and outputs=BOXES,SCORES,LABELS")
	return m
}
