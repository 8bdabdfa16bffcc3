package newmodule

import (
	"bytes"
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/plumbline-ml/plumbline/internal/bounded"
	"github.com/plumbline-ml/plumbline/internal/onnx"
)

// Classifier is an ONNX model that classifies pictures, with facts that its file lacks.
type Classifier struct {
	Path string // path of the ONNX file
	// Preprocess is the conversion of a picture to the input, one of Preprocessings.
	Preprocess string
	Out        string // output with the answer; empty: the only one
	// Pixels is the height and width of a picture if the model leaves them open, else 0.
	Pixels int
	// Offset is the model's number for class 0. Empty means 0, but a model with 1001 scores requires an explicit value.
	Offset    string
	Precision string // label for the precision of the weights; empty: fp32
}

// Preprocessings lists the names of the official reference's preprocessings.
func Preprocessings() []string { return []string{"vgg", "mobilenet", "imagenet_pytorch", "tflite_tpu"} }

// tpuPixels is the only picture size of the preprocessing tflite_tpu.
const tpuPixels = 224

// backgroundScores is the number of scores of ImageNet networks with a background class.
const backgroundScores = 1001

// classifierFacts contains the values for the templates and the manifest of a Classifier.
type classifierFacts struct {
	Classifier
	File          string // name of the model's file in the module
	Input, Output onnx.Value
	Size, Classes int
	Layout        string // nchw or nhwc
	Answer        string // class or scores
	text          []byte // contents of the model's file
}

// maxModel limits the file's size. Protocol buffers, and therefore ONNX files, are limited to 2 GiB.
const maxModel = 2 << 30

// readModel reads the model and checks that the missing facts are given. It reports all faults.
func (c Classifier) readModel() (*classifierFacts, error) {
	text, err := bounded.ReadFile(c.Path, maxModel)
	if err != nil {
		return nil, fmt.Errorf("--model: %w", err)
	}
	m, err := onnx.Read(bytes.NewReader(text), int64(len(text)))
	switch {
	case err != nil:
		return nil, fmt.Errorf("--model %s: %w", c.Path, err)
	case m.ORTFormat:
		return nil, fmt.Errorf("--model %s is in ONNX Runtime's own format, which does not tell its tensors: want the ONNX "+
			"file that it was made of", c.Path)
	case len(m.External) > 0:
		return nil, fmt.Errorf("--model %s has weights in other files (%s): save it as one file", c.Path,
			strings.Join(m.External, ", "))
	}
	r := &classifierFacts{Classifier: c, File: filepath.Base(c.Path), text: text}
	r.Precision = cmp.Or(r.Precision, "fp32")
	if err := errors.Join(r.findInput(m.Inputs), r.findOutput(m.Outputs), r.checkPreprocessing()); err != nil {
		return nil, fmt.Errorf("--model %s: %w", c.Path, err)
	}
	return r, nil
}

// findInput finds the input for pictures.
func (c *classifierFacts) findInput(all []onnx.Value) error {
	const want = "want one input, float32 [N,3,H,W] or [N,H,W,3], for pictures of three colours; harness new benchmark " +
		"without --model writes a benchmark for any"
	if len(all) != 1 {
		return fmt.Errorf("it has %d inputs (%s): %s", len(all), listValues(all), want)
	}
	c.Input = all[0]
	d := c.Input.Dims
	if c.Input.Elem != onnx.Float32 || len(d) != 4 {
		return fmt.Errorf("its input is %v: %s", c.Input, want)
	}
	var high, wide onnx.Dim
	switch {
	case d[1].Size == 3:
		c.Layout, high, wide = "nchw", d[2], d[3]
	case d[3].Size == 3:
		c.Layout, high, wide = "nhwc", d[1], d[2]
	default:
		return fmt.Errorf("its input is %v: %s", c.Input, want)
	}
	return c.findSize(high.Size, wide.Size)
}

// findSize sets the height and width of pictures. high and wide are -1 if the model leaves them open.
func (c *classifierFacts) findSize(high, wide int64) error {
	most := max(high, wide)
	switch {
	case min(high, wide) > 0 && high != wide:
		return fmt.Errorf("its input is %v: pictures of %d by %d pixels, want as many in both directions", c.Input, high,
			wide)
	case most <= 0 && c.Pixels <= 0:
		return fmt.Errorf("its input is %v: the height and width of pictures are open; say --size PIXELS", c.Input)
	case most > 0 && c.Pixels > 0 && int64(c.Pixels) != most:
		return fmt.Errorf("--size %d: its input is %v, which takes pictures of %d pixels; leave --size out", c.Pixels,
			c.Input, most)
	case most > 0:
		c.Size = int(most)
	default:
		c.Size = c.Pixels
	}
	return nil
}

// findOutput finds the output with the classes.
func (c *classifierFacts) findOutput(all []onnx.Value) error {
	i := slices.IndexFunc(all, func(v onnx.Value) bool { return v.Name == c.Out })
	switch {
	case c.Out == "" && len(all) == 1:
		i = 0
	case c.Out == "":
		return fmt.Errorf("it has %d outputs (%s): say which one has the answer, --output NAME", len(all), listValues(all))
	case i < 0:
		return fmt.Errorf("--output %q: it has no such output, but %s", c.Out, listValues(all))
	}
	c.Output = all[i]
	d := c.Output.Dims
	switch e := c.Output.Elem; {
	case e == onnx.Float32 && len(d) == 2 && d[1].Size > 1:
		c.Answer, c.Classes = "scores", int(d[1].Size)
	case (e == onnx.Int64 || e == onnx.Int32) && len(d) == 1:
		c.Answer, c.Classes = "class", countClasses(all)
	default:
		return fmt.Errorf("its output is %v: want the scores of classes, float32 [N,classes], or the class, int64 or "+
			"int32 [N]", c.Output)
	}
	return c.setOffset()
}

// countClasses returns the number of scores of a model that also returns a class. Without scores it returns the number
// of ImageNet's classes.
func countClasses(all []onnx.Value) int {
	for _, v := range all {
		if v.Elem == onnx.Float32 && len(v.Dims) == 2 && v.Dims[1].Size > 1 {
			return int(v.Dims[1].Size)
		}
	}
	return 1000
}

// setOffset sets the number of class 0, and subtracts the classes before it from the number of classes.
func (c *classifierFacts) setOffset() error {
	switch {
	case c.Offset == "" && c.Classes == backgroundScores:
		return fmt.Errorf("it has %d classes: say whether the first one is a background, --offset 1, or not, --offset 0",
			c.Classes)
	case c.Offset == "":
		c.Offset = "0"
	case c.Offset != "0" && c.Offset != "1":
		return fmt.Errorf("--offset %s: want 1 for a model whose first class is a background, else 0", c.Offset)
	}
	if c.Offset == "1" {
		c.Classes--
	}
	return nil
}

// checkPreprocessing requires a preprocessing, because a graph does not contain this fact.
func (c *classifierFacts) checkPreprocessing() error {
	known := strings.Join(Preprocessings(), ", ")
	switch {
	case c.Preprocess == "":
		return fmt.Errorf("a graph does not tell how a picture becomes its input: say --preprocess, one of %s; "+
			"harness describe resnet50 says what they do", known)
	case !slices.Contains(Preprocessings(), c.Preprocess):
		return fmt.Errorf("--preprocess %q: want one of %s", c.Preprocess, known)
	case c.Preprocess == "tflite_tpu" && (c.Layout != "nhwc" || c.Size != tpuPixels):
		return fmt.Errorf("--preprocess tflite_tpu is for an input of [N,%d,%d,3]", tpuPixels, tpuPixels)
	}
	return nil
}

func listValues(all []onnx.Value) string {
	texts := make([]string, len(all))
	for i, v := range all {
		texts[i] = v.String()
	}
	return strings.Join(texts, "; ")
}

// classifierManifest is the manifest of the built-in classifier in a checkout. A new one has the same parameters.
const classifierManifest = "plugins/resnet50/manifest.json"

// moduleFiles returns the files of the module that describe the model.
func (c *classifierFacts) moduleFiles(n templateData, s ProjectSource) (map[string][]byte, error) {
	read, err := s.readFiles(classifierManifest)
	if err != nil {
		return nil, err
	}
	manifest, err := c.writeManifest(n, read[0])
	if err != nil {
		return nil, fmt.Errorf("%s: %w", classifierManifest, err)
	}
	sum := sha256.Sum256(c.text)
	card, err := indentedJSON(jsonObject{"files": []jsonObject{{
		"name": c.File, "precision": c.Precision, "size": len(c.text), "sha256": hex.EncodeToString(sum[:]),
	}}})
	if err != nil {
		return nil, err
	}
	return map[string][]byte{
		n.Benchmark + "/manifest.json": manifest, n.Benchmark + "/model/card.json": card,
		n.Benchmark + "/model/" + c.File: c.text,
	}, nil
}

type jsonObject = map[string]any

func indentedJSON(v any) ([]byte, error) {
	text, err := json.MarshalIndent(v, "", "  ")
	return append(text, '\n'), err
}

// writeManifest returns the module's manifest, with the parameters and smoke settings of the built-in one.
func (c *classifierFacts) writeManifest(n templateData, builtIn []byte) ([]byte, error) {
	var base struct {
		Params   json.RawMessage
		Embedded struct {
			Defaults map[string]string
			Dataset  json.RawMessage
			Smoke    json.RawMessage
		}
		Models []struct{ DatasetActions json.RawMessage }
	}
	if err := json.Unmarshal(builtIn, &base); err != nil {
		return nil, err
	}
	if len(base.Models) == 0 {
		return nil, errors.New("it has no models")
	}
	defaults := base.Embedded.Defaults
	for key, value := range map[string]string{
		"preprocess": c.Preprocess, "layout": c.Layout, "input": c.Input.Name, "output": c.Output.Name, "answer": c.Answer,
		"offset": c.Offset, "top5_output": "",
	} {
		if _, known := defaults[key]; !known {
			return nil, fmt.Errorf("it has no parameter %q", key)
		}
		defaults[key] = value
	}
	const fillIn = "FILL IN"
	return indentedJSON(jsonObject{
		"name": n.Benchmark, "version": "0.1.0", "summary": "image classification: " + c.File,
		"params": base.Params,
		"embedded": jsonObject{
			"defaults": defaults, "dataset": base.Embedded.Dataset, "smoke": base.Embedded.Smoke,
			"files": []jsonObject{{
				"name": "embedded-" + c.Precision, "precision": c.Precision, "licence": fillIn,
				"note": fmt.Sprintf("%s; input %v, preprocessing %s; output %v", c.File, c.Input, c.Preprocess, c.Output),
			}},
		},
		"datasets": []jsonObject{{
			"name": "pictures", "layout": fmt.Sprintf("a folder with val_map.txt (lines \"NAME LABEL\", label 0..%d) and the "+
				"pictures at FOLDER/NAME", c.Classes-1),
			"samples": 0, "performanceSampleCount": 1024, "licence": fillIn, "note": "your own: nothing is downloaded",
		}},
		"models": []jsonObject{{
			"name": n.Benchmark, "summary": "image classification by " + c.File, "loadGenKey": n.Benchmark,
			"rulesKey": n.Benchmark, "scenarios": []string{"SingleStream", "MultiStream", "Server", "Offline"},
			"defaults": defaults, "datasetActions": base.Models[0].DatasetActions,
			"metrics": []jsonObject{{"name": "accuracy", "unit": "%"}, {"name": "top5", "unit": "%"}},
		}},
	})
}
