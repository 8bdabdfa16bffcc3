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

// detectorBinding maps pictures to a model's input and its outputs to detections.
type detectorBinding struct {
	exportForm
	recipe image.Stretch
}

// bindDetector reads the parameters: a form, and deviations from it.
func bindDetector(p *option.Params) detectorBinding {
	var of formChoice
	option.Bind(p, &of, option.WordReader("form", exportForms()))
	f := of.Form
	option.Bind(p, &f, pictures.ElementReader(), option.WordReader("preprocess", namedRecipes()))
	if f.Recipe == nil {
		return detectorBinding{}
	}
	if f.pixels {
		f.Pixels = f.Size
	}
	p.AddFault("outputs", f.setOutputNames(f.OutputNames))
	b := detectorBinding{f, f.Recipe(f.Size, f.Layout)}
	if b.recipe.Name() == "coco_mobilenet" && f.Layout != b.recipe.Layout() {
		p.AddFault("layout", errors.New("want nhwc: preprocess = coco_mobilenet has no other"))
	}
	if b.recipe.Uint8() {
		b.ElementType = backend.InvalidDType // the recipe's type
	} else if b.ElementType == backend.Uint8 {
		p.AddFault("input_type", errors.New("uint8 holds whole numbers from 0 to 255: want preprocess=coco_mobilenet"))
	}
	return b
}

// setOutputNames sets the names of boxes, scores and labels and, if the form has it, of the number of detections.
func (f *exportForm) setOutputNames(text string) error {
	if text == "" {
		return nil
	}
	names := strings.Split(text, ",")
	outputs := []*string{&f.Boxes, &f.Scores, &f.Labels}
	if f.Count != "" {
		outputs = append(outputs, &f.Count)
	}
	if len(names) != len(outputs) || slices.Contains(names, "") {
		return fmt.Errorf("want the names %s", []string{"BOXES,SCORES,LABELS", "BOXES,SCORES,LABELS,COUNT"}[len(outputs)-3])
	}
	for i, name := range names {
		*outputs[i] = name
	}
	return nil
}

// namedRecipes returns the preprocessing functions by the official reference's names.
func namedRecipes() map[string]recipeMaker {
	return map[string]recipeMaker{
		"retinanet": image.Retinanet, "coco_pt_mobilenet": image.CocoPtMobilenet,
		"coco_mobilenet": func(size int, _ image.Layout) image.Stretch { return image.CocoMobilenet(size) },
		"coco_resnet34":  image.CocoResnet34, "coco_resnet34_tf": image.CocoResnet34TF,
	}
}

// pictureInput returns the model's input.
func (b detectorBinding) pictureInput() pictures.ModelInput {
	return pictures.ModelInput{Recipe: b.recipe, Size: b.Size, ElementType: b.ElementType}
}

// completeModel returns m with the tensors that the binding uses.
func (b detectorBinding) completeModel(m backend.Model) backend.Model {
	m.Inputs = []backend.TensorInfo{b.pictureInput().TensorInfo(b.Input, "--param form=FORM, input=NAME, size, layout, "+
		"and input_type=float32 or float16")}
	m.Outputs = b.TensorInfos("--param form=FORM and outputs=BOXES,SCORES,LABELS")
	return m
}
