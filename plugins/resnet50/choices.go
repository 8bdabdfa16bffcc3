package resnet50

import (
	"fmt"
	"slices"

	"github.com/plumbline-ml/plumbline/internal/onnx"
	"github.com/plumbline-ml/plumbline/plugins/internal/pictures"
	"github.com/plumbline-ml/plumbline/sdk"
	"github.com/plumbline-ml/plumbline/sdk/manifest"
)

// Values of the parameter answer.
const (
	classAnswer  = "class"
	scoresAnswer = "scores"
)

// chooseParams chooses the parameters that the user has not set by the inputs and outputs of the model file: input,
// layout, input_type, size, output, answer and offset. It returns a note about the choices.
func (c Classifier) chooseParams(r *manifest.Request) string {
	choices := pictures.ChooseByFile(r)
	if choices == nil {
		return ""
	}
	f := fileChoices{choices, int64(c.Classes)}
	f.CheckTask("classify", "run yolo-95 or yolo-99 for detectors")
	in, ok := f.ChooseInput([]string{"float32", "float16", "uint8"}, []string{"nchw", "nhwc"})
	if ok {
		f.ChooseSize(in, int64(c.Size))
		f.choosePreprocess(in, in.Name == r.Model.Defaults["input"])
	}
	f.chooseOutput(ok)
	return f.Note()
}

// fileChoices chooses the parameters of a classifier.
type fileChoices struct {
	*pictures.ParamChoices
	classes int64 // of the data set
}

// choosePreprocess chooses the preprocessing of inputs that leave only one. For others the file does not say how
// pictures become its input, so the default stays.
func (f fileChoices) choosePreprocess(in pictures.PictureTensor, official bool) {
	switch {
	case in.Elem == onnx.Uint8:
		f.Choose("preprocess", "pixels", "the input is uint8, so the model normalises pictures itself")
	case f.IsGiven("preprocess") || official:
	case f.File.Metadata["task"] == "classify":
		f.AddFault(sdk.Data(fmt.Errorf("the metadata of the model file says task = classify: such models of Ultralytics " +
			"take values from 0 to 1, which no preprocessing of this benchmark makes; with --param preprocess=NAME it runs " +
			"with another one")))
	default:
		f.AddReason(fmt.Sprintf("preprocess=%s is the default, because the file does not say how pictures become its input "+
			"(models of torchvision and timm need imagenet_pytorch)", f.Params.Text("preprocess")))
	}
}

// answerForm returns the answer that an output contains and its number of classes, which is -1 if it is free or
// unknown. The answer is "" for other outputs.
func answerForm(v onnx.Value) (answer string, classes int64) {
	d := v.Dims
	trim := func(rank int) {
		for len(d) > rank && d[len(d)-1].Size == 1 {
			d = d[:len(d)-1]
		}
	}
	switch v.Elem {
	case onnx.Int64, onnx.Int32:
		if trim(1); len(d) == 1 {
			return classAnswer, -1
		}
	case onnx.Float32, onnx.Float16:
		if trim(2); len(d) == 2 && d[1].Size != 1 && d[1].Size != 0 {
			return scoresAnswer, d[1].Size
		}
	}
	return "", 0
}

// chooseOutput chooses the output and its form. Of several outputs with scores, those with as many as the data set has
// classes, or one more for a background, are better than others. Of classes and scores, the benchmark's form is better.
// The offset is chosen only for a file with an input of pictures.
func (f fileChoices) chooseOutput(hasInput bool) {
	param := "output"
	if f.Params.Text("payload") == "top5" && !(f.IsGiven("top5_output") && f.Params.Text("top5_output") == "") {
		param = "top5_output" // replaces output and answer
	}
	fitting := f.fittingOutputs(param)
	keepBetter(&fitting, func(v onnx.Value) bool {
		answer, classes := answerForm(v)
		return answer == classAnswer || f.isClassCount(classes)
	})
	official := f.Model.Defaults[param]
	if !slices.ContainsFunc(fitting, func(v onnx.Value) bool { return v.Name == official }) {
		keepBetter(&fitting, func(v onnx.Value) bool {
			answer, _ := answerForm(v)
			return answer == f.Params.Text("answer")
		})
	}
	out, ok := f.ChooseOne(param, fmt.Sprintf("scores, float32 or float16 [N,%d] or [N,%d], or classes, int64 or int32 "+
		"[N]; see --param %s=NAME and answer=class or scores", f.classes, f.classes+1, param), fitting)
	if !ok {
		return
	}
	answer, classes := answerForm(out)
	because := fmt.Sprintf("the output is %v", out)
	f.Choose(param, out.Name, because)
	if param == "output" {
		f.Choose("answer", answer, because)
	}
	if answer == classAnswer {
		classes = f.scoreCount()
	}
	if hasInput {
		f.chooseOffset(out, classes, out.Name == official)
	}
}

// fittingOutputs returns the outputs with answers in the forms that the user allows; for top5_output, with scores.
func (f fileChoices) fittingOutputs(param string) (fitting []onnx.Value) {
	named := f.NamedValues(param, f.File.Outputs)
	if param == "top5_output" && !f.IsGiven(param) && f.IsGiven("answer") && f.Params.Text("answer") == scoresAnswer {
		named = f.NamedValues("output", named)
	}
	for _, v := range named {
		answer, _ := answerForm(v)
		if answer == scoresAnswer && param == "top5_output" || answer != "" && param == "output" && f.Fits("answer", answer) {
			fitting = append(fitting, v)
		}
	}
	return fitting
}

// keepBetter drops the values that are not better, if there are better ones.
func keepBetter(all *[]onnx.Value, better func(onnx.Value) bool) {
	if slices.ContainsFunc(*all, better) {
		*all = slices.DeleteFunc(*all, func(v onnx.Value) bool { return !better(v) })
	}
}

// isClassCount reports whether a model with n scores has the data set's classes, perhaps after a background.
func (f fileChoices) isClassCount(n int64) bool { return n == f.classes || n == f.classes+1 }

// scoreCount returns the number of scores of a model that also has classes as an output, or -1 if it is unknown.
func (f fileChoices) scoreCount() int64 {
	for _, v := range f.File.Outputs {
		if answer, n := answerForm(v); answer == scoresAnswer && f.isClassCount(n) {
			return n
		}
	}
	return -1
}

// chooseOffset chooses the model's number of class 0 by its number of classes, which is negative if it is unknown.
func (f fileChoices) chooseOffset(out onnx.Value, classes int64, official bool) {
	switch {
	case f.IsGiven("offset") || official && classes < 0:
	case classes < 0:
		f.AddFault(sdk.Usage(fmt.Errorf("the output %v does not show whether class 0 is a background: choose with --param "+
			"offset=0 (class 0 is the data set's first) or --param offset=1 (a background)", out)))
	case classes == f.classes+1:
		f.Choose("offset", "1", fmt.Sprintf("the model has %d classes, a background and the data set's %d", classes,
			f.classes))
	case classes > f.classes:
		f.AddFault(sdk.Data(fmt.Errorf("the output %v has %d classes, want the data set's %d, or %d with a background; with "+
			"--param offset=N, where N is the model's number of the data set's class 0, it runs", out, classes, f.classes,
			f.classes+1)))
	default:
		f.Choose("offset", "0", fmt.Sprintf("the model has %d classes, and the data set %d", classes, f.classes))
	}
}
