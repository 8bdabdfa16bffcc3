package yolo

import (
	"fmt"
	"regexp"
	"strings"

	"github.com/plumbline-ml/plumbline/internal/onnx"
	"github.com/plumbline-ml/plumbline/plugins/internal/pictures"
	"github.com/plumbline-ml/plumbline/sdk/manifest"
)

// chooseParams chooses the parameters input, input_type and output, which the user has not set, by the tensors of the
// model file, and labels by the metadata that Ultralytics writes. It returns a note about the choices.
func chooseParams(r *manifest.Request) string {
	c := pictures.ChooseByFile(r)
	if c == nil {
		return ""
	}
	c.CheckTask("detect", "yolo-95 and yolo-99 score boxes only, so export a detector")
	c.ChooseInput([]string{"float32", "float16"}, []string{"nchw"})
	chooseOutput(c)
	if names := c.File.Metadata["names"]; names != "" && !areCOCONames(names) {
		c.Choose("labels", "own", "the names in the file's metadata are not COCO's")
	}
	return c.Note()
}

// chooseOutput chooses the only output of rank 3, whose values are float32 or float16.
func chooseOutput(c *pictures.ParamChoices) {
	var fitting []onnx.Value
	for _, v := range c.NamedValues("output", c.File.Outputs) {
		if len(v.Dims) == 3 && (v.Elem == onnx.Float32 || v.Elem == onnx.Float16) {
			fitting = append(fitting, v)
		}
	}
	if out, ok := c.ChooseOne("output", "float32 or float16 [batch, 4 + classes, columns]; see --param output=NAME",
		fitting); ok {
		c.Choose("output", out.Name, fmt.Sprintf("the output is %v", out))
	}
}

// cocoNames matches a dict or a list of names, in Python's or JSON's form without quotes and blanks, that begins like
// COCO's.
var cocoNames = regexp.MustCompile(`^[{\[](0:)?person([}\]]|,(1:)?bicycle[,}\]])`)

// areCOCONames reports whether the metadata names begins like COCO's.
func areCOCONames(names string) bool {
	return cocoNames.MatchString(strings.NewReplacer("'", "", `"`, "", " ", "").Replace(names))
}
