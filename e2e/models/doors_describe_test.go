package models

import (
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/plumbline-ml/plumbline/e2e/internal/built"
	"github.com/plumbline-ml/plumbline/internal/testkit/onnxfile"
	"github.com/plumbline-ml/plumbline/internal/testkit/testfile"
)

// manifestModel is the part of a manifest, and so of harness describe, about a model's files and data sets.
type manifestModel struct {
	Name      string
	Scenarios []string
	Datasets  []string // names; empty: all
	Files     []struct{ Name, Note string }
	layouts   []string
}

// manifestModels reads the manifests of all plugins.
func manifestModels(t *testing.T) map[string]manifestModel {
	t.Helper()
	paths, err := filepath.Glob(filepath.Join(built.Root(), "plugins", "*", "manifest.json"))
	if err != nil || len(paths) == 0 {
		t.Fatalf("no manifests: %v", err)
	}
	all := map[string]manifestModel{}
	for _, p := range paths {
		var m struct {
			Datasets []struct {
				Name, Layout string
				Embedded     bool // built into the plugin
			}
			Models []manifestModel
		}
		testfile.ReadJSON(t, p, &m)
		for _, e := range m.Models {
			for _, d := range m.Datasets {
				if !d.Embedded && (len(e.Datasets) == 0 || slices.Contains(e.Datasets, d.Name)) {
					e.layouts = append(e.layouts, d.Layout)
				}
			}
			all[e.Name] = e
		}
	}
	return all
}

// TestLayoutsAreTried expects the commands of the model's doors, or of an audit, to try every sentence of describe
// about layouts.
func TestLayoutsAreTried(t *testing.T) {
	const audited = "the same for TEST07: acc_eval_compliance_gpqa.parquet, .json or .jsonl" // by TestGPTOSSAtASGLang
	models := manifestModels(t)
	tried := map[string][]string{"gpt-oss-120b": {audited}, "gpt-oss-120b-interactive": {audited}}
	for _, d := range doors() {
		tried[d.model] = append(tried[d.model], d.layouts...)
	}
	for model, sentences := range tried {
		for _, left := range models[model].layouts {
			for _, sentence := range sentences {
				left = strings.ReplaceAll(left, sentence, "")
			}
			if left = strings.Trim(left, ";,. "); left != "" {
				t.Errorf("%s: no command tries %q of its layouts", model, left)
			}
		}
	}
}

// TestModelFilesAreAsDescribed expects the model files of the doors to have the tensors that describe lists.
func TestModelFilesAreAsDescribed(t *testing.T) {
	models, checked := manifestModels(t), 0
	for _, d := range doors() {
		for file, graph := range d.files {
			for _, f := range models[d.model].Files {
				if f.Name != path.Base(file) {
					continue
				}
				for _, want := range describedTensors(f.Note) {
					checked++
					want.find(t, file, append(slices.Clone(graph.Inputs), graph.Outputs...))
				}
			}
		}
	}
	if checked < 20 {
		t.Errorf("describe says the types of %d tensors of the doors' model files, want at least 20: is it worded "+
			"otherwise now?", checked)
	}
}

// described is a tensor in a note: a size that is not a number is free.
type described struct {
	name, dtype string
	sizes       []string
}

// tensorText matches texts like "boxes, scores float32 [N,4]".
var tensorText = regexp.MustCompile(`((?:[\w:/]+(?:, | and ))*[\w:/]+) (float32|uint8|int32|int64) \[([^\]]*)\]`)

func describedTensors(note string) []described {
	var all []described
	for _, found := range tensorText.FindAllStringSubmatch(note, -1) {
		for _, name := range strings.Split(strings.ReplaceAll(found[1], " and ", ", "), ", ") {
			if _, err := strconv.Atoi(name); err != nil { // the end of a range
				all = append(all, described{name, found[2], strings.Split(found[3], ",")})
			}
		}
	}
	return all
}

// find expects the tensor among those of a model file.
func (d described) find(t *testing.T, file string, tensors []onnxfile.Tensor) {
	t.Helper()
	i := slices.IndexFunc(tensors, func(x onnxfile.Tensor) bool { return x.Name == d.name })
	if i < 0 {
		t.Errorf("%s: no %s, which describe names", file, d.name)
		return
	}
	types := map[string]onnxfile.DType{
		"float32": onnxfile.Float, "uint8": onnxfile.Uint8, "int32": onnxfile.Int32, "int64": onnxfile.Int64,
	}
	if x := tensors[i]; x.DType != types[d.dtype] || len(x.Shape) != len(d.sizes) {
		t.Errorf("%s: %+v, describe says %s %v", file, x, d.dtype, d.sizes)
		return
	}
	for k, size := range d.sizes {
		if n, err := strconv.ParseInt(size, 10, 64); err == nil && n != tensors[i].Shape[k] ||
			err != nil && tensors[i].Shape[k] >= 0 {
			t.Errorf("%s: %s has shape %v, describe says %v", file, d.name, tensors[i].Shape, d.sizes)
		}
	}
}
