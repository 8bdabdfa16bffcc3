package pictures

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/plumbline-ml/plumbline/internal/onnx"
	"github.com/plumbline-ml/plumbline/sdk"
	"github.com/plumbline-ml/plumbline/sdk/manifest"
)

// ParamChoices chooses values for the parameters that the user has not set, by what fits the model file, and keeps the
// reasons.
type ParamChoices struct {
	*manifest.Request
	File    onnx.Model
	reasons []string
}

// ChooseByFile returns choices for the user's ONNX file. It returns nil for embedded models, servers' models, and files
// that do not declare all their tensors. Their parameters keep their defaults, and the backend reports faults.
func ChooseByFile(r *manifest.Request) *ParamChoices {
	m := r.File()
	if r.Embedded || m.Path == "" {
		return nil
	}
	file, err := onnx.ReadFile(m.Path, nil)
	if err != nil || !file.Complete() {
		return nil
	}
	return &ParamChoices{Request: r, File: file}
}

// Choose sets a parameter, and keeps the reason, unless the user has set it or it has this value.
func (c *ParamChoices) Choose(param, value, because string) {
	if c.ChooseParam(param, value) {
		c.reasons = append(c.reasons, fmt.Sprintf("%s=%s because %s", param, value, because))
	}
}

// AddReason adds another remark about the file to the note.
func (c *ParamChoices) AddReason(text string) { c.reasons = append(c.reasons, text) }

// Note lists the choices for the result of the run, or returns "" if there are none.
func (c *ParamChoices) Note() string {
	if c == nil || len(c.reasons) == 0 {
		return ""
	}
	return "parameters chosen by the model file: " + strings.Join(c.reasons, "; ")
}

// Fits reports whether the user allows a value: the parameter is not set, or it is empty or has this value.
func (c *ParamChoices) Fits(param, value string) bool {
	given := c.GivenValue(param)
	return given == "" || given == value
}

// NamedValues returns the values that a parameter with a tensor's name can mean: those with the user's name, the first
// one if that name is empty, and otherwise all.
func (c *ParamChoices) NamedValues(param string, all []onnx.Value) []onnx.Value {
	switch name := c.Params.Text(param); {
	case !c.IsGiven(param):
		return all
	case name == "":
		return all[:min(len(all), 1)]
	default:
		return slices.DeleteFunc(slices.Clone(all), func(v onnx.Value) bool { return v.Name != name })
	}
}

// PictureTensor is an input that takes pictures of three colours.
type PictureTensor struct {
	onnx.Value
	Layouts    []string // nchw or nhwc, or both if the file does not determine it
	High, Wide int64    // -1: free; valid if there is one layout
}

// ChooseInput chooses the parameters input, input_type and, among layouts, the parameter layout. types lists the
// element types that the benchmark supports. If no input fits, or several fit equally, it adds a fault and returns
// false.
func (c *ParamChoices) ChooseInput(types, layouts []string) (PictureTensor, bool) {
	fitting := c.fittingInputs(types, layouts)
	if len(fitting) == 0 {
		var shapes []string
		for _, l := range layouts {
			shapes = append(shapes, map[string]string{"nchw": "[N,3,H,W]", "nhwc": "[N,H,W,3]"}[l])
		}
		c.AddFault(sdk.Data(fmt.Errorf("%s; want pictures of three colours, %s %s; see --param input=NAME and "+
			"input_type=TYPE", c.describeMissing("input", "input", c.File.Inputs), strings.Join(types, " or "),
			strings.Join(shapes, " or "))))
		return PictureTensor{}, false
	}
	if len(fitting) > 1 {
		var values []onnx.Value
		for _, t := range fitting {
			values = append(values, t.Value)
		}
		c.AddFault(ambiguous("inputs", "input", values))
		return PictureTensor{}, false
	}
	t := fitting[0]
	if len(t.Layouts) > 1 {
		c.AddFault(sdk.Usage(fmt.Errorf("the model's input %v fits both layouts: choose one with --param layout=nchw or "+
			"--param layout=nhwc", t)))
		return t, false
	}
	because := fmt.Sprintf("the input is %v", t)
	c.Choose("input", t.Name, because)
	c.Choose("input_type", onnx.ElemName(t.Elem), because)
	if len(layouts) > 1 {
		c.Choose("layout", t.Layouts[0], because)
	}
	return t, true
}

// fittingInputs returns the inputs that take pictures in a way that the user allows, or only the one with the
// parameter's name.
func (c *ParamChoices) fittingInputs(types, layouts []string) (fitting []PictureTensor) {
	for _, v := range c.NamedValues("input", c.File.Inputs) {
		t := pictureTensor(v)
		t.keepLayouts(func(l string) bool { return slices.Contains(layouts, l) && c.Fits("layout", l) })
		name := onnx.ElemName(v.Elem)
		if len(t.Layouts) > 0 && slices.Contains(types, name) && c.Fits("input_type", name) {
			fitting = append(fitting, t)
		}
	}
	if i := slices.IndexFunc(fitting, func(t PictureTensor) bool { return t.Name == c.Params.Text("input") }); i >= 0 {
		return fitting[i : i+1]
	}
	return fitting
}

// describeMissing says that no tensor fits, or that the file lacks the one that the user names. It lists the file's.
func (c *ParamChoices) describeMissing(tensor, param string, all []onnx.Value) string {
	name := c.GivenValue(param)
	if name != "" && !slices.ContainsFunc(all, func(v onnx.Value) bool { return v.Name == name }) {
		return fmt.Sprintf("%s %q is missing: the model file has %s", tensor, name, listValues(all))
	}
	return fmt.Sprintf("the model file has no %s that fits: it has %s", tensor, listValues(all))
}

// ambiguous returns the error of several tensors that fit equally.
func ambiguous(tensors, param string, values []onnx.Value) error {
	flags := make([]string, len(values))
	for i, v := range values {
		flags[i] = fmt.Sprintf("--param %s=%s", param, v.Name)
	}
	return sdk.Usage(fmt.Errorf("%d %s of the model fit equally: choose one with %s", len(values), tensors,
		strings.Join(flags, " or ")))
}

// ChooseOne returns the only one of several fitting outputs, or the one with the parameter's default name. Otherwise it
// adds a fault: want describes the output that is missing.
func (c *ParamChoices) ChooseOne(param, want string, fitting []onnx.Value) (onnx.Value, bool) {
	i := slices.IndexFunc(fitting, func(v onnx.Value) bool { return v.Name == c.Params.Text(param) })
	switch {
	case i >= 0:
		return fitting[i], true
	case len(fitting) == 1:
		return fitting[0], true
	case len(fitting) > 1:
		c.AddFault(ambiguous("outputs", param, fitting))
	default:
		c.AddFault(sdk.Data(fmt.Errorf("%s; want %s", c.describeMissing("output", param, c.File.Outputs), want)))
	}
	return onnx.Value{}, false
}

// ChooseSize chooses the parameter size if the sides of the input are fixed to another number of pixels than official.
func (c *ParamChoices) ChooseSize(t PictureTensor, official int64) {
	switch {
	case t.High < 0 || t.Wide < 0 || t.High == official && t.Wide == official:
	case t.High != t.Wide:
		if !c.IsGiven("size") {
			c.AddFault(sdk.Data(fmt.Errorf("the model's input %v takes pictures of %d x %d pixels: want a square", t, t.High,
				t.Wide)))
		}
	default:
		c.Choose("size", fmt.Sprint(t.High), fmt.Sprintf("the input is %v", t))
	}
}

// pictureTensor returns a value with the layouts in which it can take pictures: none for other values.
func pictureTensor(v onnx.Value) PictureTensor {
	t := PictureTensor{Value: v, Layouts: []string{"nchw", "nhwc"}, High: -1, Wide: -1}
	if len(v.Dims) != 4 {
		t.Layouts = nil
		return t
	}
	first, last := v.Dims[1], v.Dims[3]
	t.keepLayouts(func(l string) bool {
		colours, side := first, last
		if l == "nhwc" {
			colours, side = last, first
		}
		known := side.Size == 3 || namesColours(side) // of the other layout
		return colours.Size == 3 || colours.Size < 0 && (namesColours(colours) || !known)
	})
	return t
}

// namesColours reports whether the name of a free dimension, as exporters write it, means the colours of a picture.
func namesColours(d onnx.Dim) bool {
	name := strings.ToLower(d.Name)
	return d.Size < 0 && (name == "c" || strings.Contains(name, "channel"))
}

// keepLayouts drops layouts, and sets the sides if one is left.
func (t *PictureTensor) keepLayouts(keep func(layout string) bool) {
	t.Layouts = slices.DeleteFunc(t.Layouts, func(l string) bool { return !keep(l) })
	if len(t.Layouts) != 1 {
		return
	}
	t.High, t.Wide = t.Dims[2].Size, t.Dims[3].Size
	if t.Layouts[0] == "nhwc" {
		t.High, t.Wide = t.Dims[1].Size, t.Dims[2].Size
	}
}

// listValues formats a model's inputs or outputs for messages.
func listValues(all []onnx.Value) string {
	const most = 16
	if len(all) == 0 {
		return "none"
	}
	texts := make([]string, min(len(all), most))
	for i := range texts {
		texts[i] = all[i].String()
	}
	if more := len(all) - most; more > 0 {
		texts = append(texts, fmt.Sprintf("and %d more", more))
	}
	return strings.Join(texts, "; ")
}

// CheckTask adds a fault if the file's metadata, as Ultralytics writes it, names another task than the benchmark's.
// advice says what to run.
func (c *ParamChoices) CheckTask(want, advice string) {
	if task := c.File.Metadata["task"]; task != "" && task != want {
		c.AddFault(sdk.Data(errors.New("the metadata of the model file says task = " + task + ", want " + want + ": " +
			advice)))
	}
}
