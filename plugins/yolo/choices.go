package yolo

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"

	"github.com/plumbline-ml/plumbline/internal/onnx"
	"github.com/plumbline-ml/plumbline/plugins/internal/pictures"
	"github.com/plumbline-ml/plumbline/sdk/manifest"
)

// chooseParams chooses the parameters input, input_type and output, which the user has not set, by the tensors of the
// model file, and size and labels by the metadata that Ultralytics writes. It returns a note about the choices.
func chooseParams(r *manifest.Request) string {
	c := pictures.ChooseByFile(r)
	if c == nil {
		return ""
	}
	c.CheckTask("detect", "yolo-95 and yolo-99 score boxes only, so export a detector")
	if in, ok := c.ChooseInput([]string{"float32", "float16"}, []string{"nchw"}); ok && in.High < 0 && in.Wide < 0 {
		if n := exportedSize(c.File.Metadata["imgsz"]); n != 0 {
			c.Choose("size", strconv.Itoa(n), "imgsz in the file's metadata has it")
		}
	}
	chooseOutput(c)
	if names := c.File.Metadata["names"]; names != "" && !areCOCONames(names) {
		c.Choose("labels", "own", "the names in the file's metadata are not COCO's")
	}
	return c.Note()
}

// exportedSize reads the value of imgsz: "[320, 320]" or "320". It returns 0 for other shapes and sizes.
func exportedSize(imgsz string) int {
	sides := strings.Split(strings.Trim(strings.TrimSpace(imgsz), "[]()"), ",")
	n, err := strconv.Atoi(strings.TrimSpace(sides[0]))
	if err != nil || n < rectStep || n > maxSize || len(sides) > 2 {
		return 0
	}
	if len(sides) == 2 && strings.TrimSpace(sides[1]) != strings.TrimSpace(sides[0]) {
		return 0
	}
	return n
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
