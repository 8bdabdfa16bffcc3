package yolo

import (
	"errors"
	"fmt"

	"github.com/plumbline-ml/plumbline/internal/onnx"
	"github.com/plumbline-ml/plumbline/plugins/internal/detection"
	"github.com/plumbline-ml/plumbline/plugins/internal/pictures"
	"github.com/plumbline-ml/plumbline/preprocess/image"
	"github.com/plumbline-ml/plumbline/sdk"
	"github.com/plumbline-ml/plumbline/sdk/backend"
	"github.com/plumbline-ml/plumbline/sdk/manifest"
	"github.com/plumbline-ml/plumbline/sdk/option"
)

// yoloBinding maps pictures to a model's input and its output to detections.
type yoloBinding struct {
	letterbox   image.Letterbox
	Size        int           `param:"size,optional" min:"1" max:"4096"` // from the user; 0: not given
	Shape       string        `param:"shape" choices:",fixed,rect"`
	Input       string        `param:"input"`
	Output      string        `param:"output"`
	ElementType backend.DType `param:"input_type"` // type of the input
	// the classes are COCOLabels's 80, in COCOLabels's order; otherwise labels are numbers
	COCOLabels  bool            `param:"labels" choices:"own,coco"`
	Unletterbox unletterboxRule `param:"unletterbox"`
	choices     string          // note about the parameters that the model file determined; "": none
	notes       string          // notes about letterbox and rule for the result
}

const (
	officialSize = 640
	// maxSize limits the input's side: 4096 x 4096 pixels have 200 MB of float32.
	maxSize = 4096
	// boxRows is the number of a column's values before its scores.
	boxRows = 4
)

// unletterboxRule determines how boxes are converted to the original picture.
type unletterboxRule struct {
	detection.Unletterbox
	releases string
}

// unletterboxRules maps the parameter's values to the rules, with the releases of the reference's library that use
// them.
var unletterboxRules = map[string]unletterboxRule{
	"newest": {detection.UnletterboxExact, "8.4.190 on"},
	"8.4":    {detection.UnletterboxOneScale, "8.4.40 to 8.4.160"},
	"8.3":    {detection.UnletterboxUnrounded, "8.3 to 8.4.0"},
}

// bindDetector reads the parameters. The model file determines values that they leave open.
func bindDetector(r *manifest.Request) yoloBinding {
	choices := chooseParams(r)
	p := r.Params
	file := readSignature(r.File(), p.Text("input"), p.Text("output"))
	var b yoloBinding
	b.choices = choices
	r.Bind(&b, pictures.ElementReader(), option.WordReader("unletterbox", unletterboxRules))
	if b.ElementType == backend.Uint8 {
		p.AddFault("input_type", errors.New("want float32 or float16: the values of pictures are 0 to 1"))
	}
	size, rect := file.letterboxSize(p, b.Size), b.Shape
	switch {
	case rect == "rect" && file.hasFixedSides():
		p.AddFault("shape", fmt.Errorf("the input of the model file is fixed to %d x %d: want fixed, or an export with free "+
			"sides", file.height, file.width))
	case rect == "" && file.hasFreeSides():
		rect = "rect"
	case rect == "":
		rect = "fixed"
	}
	b.letterbox = image.NewLetterbox(size, rect == "rect")
	if b.letterbox.Rect && size%rectStep != 0 {
		p.AddFault("size", fmt.Errorf("%d, want a multiple of %d where shape = rect", size, rectStep))
	}
	r.AddFault(b.checkFile(file))
	b.notes = fmt.Sprintf("pictures are letterboxed to %d x %d (shape=%s); boxes are put back by the rule of the "+
		"reference's library, releases %s", size, size, rect, b.Unletterbox.releases)
	return b
}

// checkFile returns an error if the file's output cannot be detections. Unknown sizes are not checked.
func (b yoloBinding) checkFile(file fileSignature) error {
	places := int64(0)
	if !b.letterbox.Rect {
		places = countPositions([3]int64{3, int64(b.letterbox.Size), int64(b.letterbox.Size)})
	}
	if err := checkOutputForm(int64(file.rows), int64(file.columns), places); err != nil {
		return sdk.Data(fmt.Errorf("%w: the model file's output has shape %s: %w", detection.ErrOutput,
			backend.ShapeString([]int64{-1, int64(file.rows), int64(file.columns)}), err))
	}
	if file.rows > 0 {
		return sdk.Usage(b.checkClasses(file.rows - boxRows))
	}
	return nil
}

// checkOutputForm requires the output form [batch, 4 + classes, columns] for a picture with the given number of
// positions. Unknown numbers are 0 or negative.
func checkOutputForm(rows, columns, positions int64) error {
	switch {
	case columns == 6 && (rows != positions || positions <= 0) && rows != 0:
		return fmt.Errorf("%w; rows of 6 are the end-to-end form, without the columns to choose from: export the "+
			"model without suppression (nms=False, end2end=False)", errOutputShape)
	case rows == positions && positions > 0 && columns > 0 && columns != positions:
		return fmt.Errorf("%w: the last two axes are exchanged; transpose the output in the export", errOutputShape)
	}
	return nil
}

// rectStep divides the sides of rectangular shapes.
const rectStep = 32

// fileSignature contains the tensor sizes in a model file. -1 is a free size; all are 0 if the file declares nothing.
type fileSignature struct{ height, width, rows, columns int }

func (s fileSignature) hasFixedSides() bool { return s.height > 0 && s.width > 0 }
func (s fileSignature) hasFreeSides() bool  { return s.height < 0 && s.width < 0 }

// readSignature reads the sizes of two tensors from an ONNX file. An empty name means the first one. For other files it
// returns zeros; the backend reports their faults.
func readSignature(m backend.Model, input, output string) (s fileSignature) {
	file, err := onnx.ReadFile(m.Path, m.Bytes)
	if err != nil {
		return s
	}
	if in := namedDims(file.Inputs, input); len(in) == 4 {
		s.height, s.width = int(in[2].Size), int(in[3].Size)
	}
	if out := namedDims(file.Outputs, output); len(out) == 3 {
		s.rows, s.columns = int(out[1].Size), int(out[2].Size)
	}
	return s
}

// namedDims returns the dimensions of the value with a name, or of the first one if name is empty.
func namedDims(all []onnx.Value, name string) []onnx.Dim {
	for _, v := range all {
		if v.Name == name || name == "" {
			return v.Dims
		}
	}
	return nil
}

// letterboxSize returns the size of the letterbox: the given one, the file's fixed size, or the official one.
func (s fileSignature) letterboxSize(p *option.Params, given int) int {
	switch {
	case given != 0:
		return given
	case s.hasFixedSides() && s.height != s.width:
		p.AddFault("size", fmt.Errorf("the input of the model file is fixed to %d x %d: want a square, or free sides",
			s.height, s.width))
	case s.hasFixedSides() && s.height > maxSize:
		p.AddFault("size", fmt.Errorf("the input of the model file is fixed to %d x %d: want at most %d x %d", s.height,
			s.width, maxSize, maxSize))
	case s.hasFixedSides():
		return s.height
	}
	return officialSize
}

// checkClasses returns an error if there are no labels for this number of classes.
func (b yoloBinding) checkClasses(classes int) error {
	switch {
	case classes < 1:
		return fmt.Errorf("%w: columns of %d rows, want 4 + classes", detection.ErrOutput, classes+boxRows)
	case b.COCOLabels && classes == detection.COCOClasses+1:
		return fmt.Errorf("%w: columns of 85 rows, want 4 + classes, which are 84 for COCO's 80: 85 has an objectness row, "+
			"as models of older YOLOs do", detection.ErrOutput)
	case b.COCOLabels && classes > detection.COCOClasses:
		return fmt.Errorf("%w: %d classes, want at most COCO's 80; run with --param labels=own where a class's number is "+
			"its category's id in the data set", detection.ErrOutput, classes)
	}
	return nil
}

// classLabel returns the ID of a class in the data set.
func (b yoloBinding) classLabel(class int) float32 {
	if b.COCOLabels {
		return float32(detection.COCOLabel(class))
	}
	return float32(class)
}

// pictureInput returns the model's input.
func (b yoloBinding) pictureInput() pictures.ModelInput {
	return pictures.ModelInput{Recipe: b.letterbox, Size: b.letterbox.Size, ElementType: b.ElementType}
}

// completeModel returns m with the tensors that the binding uses.
func (b yoloBinding) completeModel(m backend.Model) backend.Model {
	m.Inputs = []backend.TensorInfo{b.pictureInput().TensorInfo(b.Input, "--param input=NAME, size, shape, and "+
		"input_type=float32 or float16")}
	m.Outputs = []backend.TensorInfo{{
		Name: b.Output, DType: backend.Float32, Also: []backend.DType{backend.Float16}, Shape: []int64{-1, -1, -1},
		Chosen: "--param output=NAME",
	}}
	return m
}

var errOutputShape = errors.New("want [batch, 4 + classes, columns]")
