package newmodule

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/plumbline-ml/plumbline/internal/onnx"
)

// value is a tensor of a model; a size of -1 is open.
func value(name string, elem int32, dims ...int64) onnx.Value {
	v := onnx.Value{Name: name, Elem: elem, Ranked: true}
	for _, d := range dims {
		v.Dims = append(v.Dims, onnx.Dim{Size: d})
	}
	return v
}

// TestWhatAModelTells reads inputs and outputs of models, and asks for what they leave open.
func TestWhatAModelTells(t *testing.T) {
	picture := value("x", onnx.Float32, -1, 3, 224, 224)
	scores := value("y", onnx.Float32, -1, 10)
	for _, c := range []struct {
		name    string
		given   Classifier
		in, out []onnx.Value
		want    classifierFacts // its size, classes, layout and answer
		fault   string          // instead
	}{
		{"scores", Classifier{}, []onnx.Value{picture}, []onnx.Value{scores},
			classifierFacts{Size: 224, Classes: 10, Layout: "nchw", Answer: "scores"}, ""},
		{"class", Classifier{}, []onnx.Value{picture}, []onnx.Value{value("c", onnx.Int64, -1)},
			classifierFacts{Size: 224, Classes: 1000, Layout: "nchw", Answer: "class"}, ""},
		{"colours last", Classifier{}, []onnx.Value{value("x", onnx.Float32, -1, 32, 32, 3)}, []onnx.Value{scores},
			classifierFacts{Size: 32, Classes: 10, Layout: "nhwc", Answer: "scores"}, ""},
		{"any size", Classifier{Pixels: 96}, []onnx.Value{value("x", onnx.Float32, -1, 3, -1, -1)}, []onnx.Value{scores},
			classifierFacts{Size: 96, Classes: 10, Layout: "nchw", Answer: "scores"}, ""},
		{"background", Classifier{Offset: "1"}, []onnx.Value{picture}, []onnx.Value{value("y", onnx.Float32, -1, 1001)},
			classifierFacts{Size: 224, Classes: 1000, Layout: "nchw", Answer: "scores"}, ""},
		{"which output", Classifier{}, []onnx.Value{picture}, []onnx.Value{scores, value("c", onnx.Int64, -1)},
			classifierFacts{}, "2 outputs (y float32 [?,10]; c int64 [?]): say which one has the answer, --output NAME"},
		{"no such output", Classifier{Out: "z"}, []onnx.Value{picture}, []onnx.Value{scores},
			classifierFacts{}, `--output "z": it has no such output, but y float32 [?,10]`},
		{"size to say", Classifier{}, []onnx.Value{value("x", onnx.Float32, -1, 3, -1, -1)}, []onnx.Value{scores},
			classifierFacts{}, "open; say --size PIXELS"},
		{"another size", Classifier{Pixels: 96}, []onnx.Value{picture}, []onnx.Value{scores},
			classifierFacts{}, "takes pictures of 224 pixels; leave --size out"},
		{"no square", Classifier{}, []onnx.Value{value("x", onnx.Float32, -1, 3, 20, 30)}, []onnx.Value{scores},
			classifierFacts{}, "20 by 30 pixels"},
		{"background to say", Classifier{}, []onnx.Value{picture}, []onnx.Value{value("y", onnx.Float32, -1, 1001)},
			classifierFacts{}, "--offset 1, or not, --offset 0"},
		{"bytes", Classifier{}, []onnx.Value{value("x", 2, -1, 3, 224, 224)}, []onnx.Value{scores},
			classifierFacts{}, "its input is x uint8 [?,3,224,224]: want one input, float32"},
		{"no pictures", Classifier{}, []onnx.Value{value("x", onnx.Float32, -1, 16)}, []onnx.Value{scores},
			classifierFacts{}, "its input is x float32 [?,16]"},
		{"two inputs", Classifier{}, []onnx.Value{picture, scores}, []onnx.Value{scores}, classifierFacts{},
			"it has 2 inputs"},
		{"no answer", Classifier{}, []onnx.Value{picture}, []onnx.Value{value("y", onnx.Float32, -1, 4, 8)},
			classifierFacts{}, "its output is y float32 [?,4,8]: want the scores of classes"},
	} {
		t.Run(c.name, func(t *testing.T) {
			got := classifierFacts{Classifier: c.given}
			err := errors.Join(got.findInput(c.in), got.findOutput(c.out))
			switch {
			case c.fault == "" && err != nil:
				t.Error(err)
			case c.fault != "" && (err == nil || !strings.Contains(err.Error(), c.fault)):
				t.Errorf("error %v, want %q", err, c.fault)
			case c.fault == "" && (got.Size != c.want.Size || got.Classes != c.want.Classes || got.Layout != c.want.Layout ||
				got.Answer != c.want.Answer):
				t.Errorf("got %d pixels, %d classes, %s, %s; want %+v", got.Size, got.Classes, got.Layout, got.Answer, c.want)
			}
		})
	}
}

// TestClassifierFaults: all that is wrong is said at once, and nothing is written.
func TestClassifierFaults(t *testing.T) {
	text := filepath.Join(t.TempDir(), "text.onnx")
	if err := os.WriteFile(text, []byte("a text"), 0o600); err != nil {
		t.Fatal(err)
	}
	const model = "../../../../plugins/resnet50/model/resnet_fp32.onnx"
	for _, c := range []struct {
		spec  ModuleSpec
		wants []string
	}{
		{ModuleSpec{Kind: Benchmark, Classifier: &Classifier{Path: "none.onnx"}}, []string{"--model", "none.onnx"}},
		{ModuleSpec{Kind: Benchmark, Classifier: &Classifier{Path: text}}, []string{"text.onnx", "not an ONNX model"}},
		{ModuleSpec{Kind: Benchmark, Classifier: &Classifier{Path: model, Offset: "2"}},
			[]string{"ArgMax:0 int64 [N]; softmax_tensor:0 float32 [N,26]", "say --preprocess, one of vgg"}},
		{ModuleSpec{Kind: Benchmark, Classifier: &Classifier{Path: model, Out: "ArgMax:0", Offset: "2",
			Preprocess: "tflite_tpu"}},
			[]string{"--offset 2: want 1", "[N,224,224,3]"}},
		{ModuleSpec{Kind: Benchmark, Classifier: &Classifier{Path: model, Out: "ArgMax:0", Preprocess: "zoom"}},
			[]string{`--preprocess "zoom": want one of vgg`}},
		{ModuleSpec{Kind: Backend, Classifier: &Classifier{Path: model}}, []string{"--model is for a benchmark in Go"}},
	} {
		c.spec.Dir, c.spec.ProjectSource = filepath.Join(t.TempDir(), "pictures"), CheckoutSource(checkout(t))
		_, err := Write(c.spec)
		for _, want := range c.wants {
			if err == nil || !strings.Contains(err.Error(), want) {
				t.Errorf("%+v: error %v, want %q", c.spec.Classifier, err, want)
			}
		}
		if _, err := os.Stat(c.spec.Dir); err == nil {
			t.Errorf("%s was made", c.spec.Dir)
		}
	}
}

// TestNamesAroundAClassifier: what the module imports beside the author's package cannot be its name.
func TestNamesAroundAClassifier(t *testing.T) {
	for name, good := range map[string]bool{"ort": false, "process": false, "linear": true, "resnet": true} {
		s := ModuleSpec{Kind: Benchmark, Classifier: &Classifier{}}
		if err := s.checkNameFree(name); (err == nil) != good {
			t.Errorf("%s: error %v, want one: %v", name, err, !good)
		}
	}
}

func TestNewest(t *testing.T) {
	got := newestVersions([]string{"b v1.10.0", "a v0.1.0", "b v1.9.3", "c v0.0.0-20251003132846-ac2bff8cc6c9",
		"c v0.0.0-20251204090000-000000000000", "a v0.1.0"})
	want := []string{"a v0.1.0", "b v1.10.0", "c v0.0.0-20251204090000-000000000000"}
	if !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
}
