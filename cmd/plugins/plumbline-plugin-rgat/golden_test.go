package main

import (
	"context"
	"encoding/binary"
	"math"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"testing"

	"github.com/plumbline-ml/plumbline/backends/ort"
	"github.com/plumbline-ml/plumbline/backends/ort/ortlib"
	"github.com/plumbline-ml/plumbline/datasets/graph"
	"github.com/plumbline-ml/plumbline/datasets/igbh"
	"github.com/plumbline-ml/plumbline/internal/testkit/golden"
	"github.com/plumbline-ml/plumbline/plugins/rgat"
	"github.com/plumbline-ml/plumbline/sdk"
	"github.com/plumbline-ml/plumbline/sdk/backend"
)

// library finds ONNX Runtime as a build does.
func library(t *testing.T) ort.Backend {
	t.Helper()
	if path := os.Getenv("PLUMBLINE_ORT_LIB"); path != "" {
		return ort.Backend{Library: path}
	}
	path, err := ortlib.FindLibrary(t.Context(), runtime.GOOS, runtime.GOARCH)
	if err != nil {
		t.Skipf("no ONNX Runtime: %v", err)
	}
	return ort.Backend{Library: path}
}

// opened is a workload with the model and the graph of a case, and its session.
func opened(t *testing.T, dir string, params map[string]string) (sdk.Workload, *recorder) {
	t.Helper()
	w, err := rgat.New().Open(t.Context(), sdk.Options{
		ModelFile: filepath.Join(dir, "rgat.onnx"), Dataset: filepath.Join(dir, "igbh"), Params: params,
	})
	if err != nil {
		t.Fatal(err)
	}
	s, err := library(t).Open(t.Context(), w.Parts()[0].Model, backend.Config{Concurrency: runtime.GOMAXPROCS(0)})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _, _ = s.Close(), w.Close() })
	return w, &recorder{Session: s}
}

// recorder stores the answers of a session.
type recorder struct {
	backend.Session
	logits []float32
	runs   int
}

func (r *recorder) Run(ctx context.Context, in, out []backend.Tensor) error {
	if err := r.Session.Run(ctx, in, out); err != nil {
		return err
	}
	r.runs++
	r.logits = append(r.logits, backend.View[float32](out[0].Data)...)
	return nil
}

// TestGoldenLogits runs the papers of a case with whole neighbourhoods, several per run or one: logits and classes
// equal those of the official code.
func TestGoldenLogits(t *testing.T) {
	golden.Each(t, "graph/*/full/expected.json", func(t *testing.T, path string) {
		var want struct{ Argmax []uint32 }
		golden.ReadJSON(t, path, &want)
		logits := floats(t, filepath.Join(filepath.Dir(path), "logits.npy"))
		for _, params := range []map[string]string{
			{"graph": "none", "fanouts": "-1,-1,-1", "nodes": "3000"},
			{"graph": "none", "fanouts": "-1,-1,-1", "nodes": "1"},
			{"graph": "none", "fanouts": "-1,-1,-1", "sampling": "node"},
		} {
			w, r := opened(t, filepath.Dir(filepath.Dir(path)), params)
			answers := classes(t, w, r)
			if !slices.Equal(answers, want.Argmax) {
				t.Errorf("%v: classes %v, want %v", params, answers, want.Argmax)
			}
			if d := away(r.logits, logits); d > 1e-3 {
				t.Errorf("%v: logits are off by %v in %d runs", params, d, r.runs)
			}
		}
	})
}

// classes runs all papers and reads their payloads.
func classes(t *testing.T, w sdk.Workload, r *recorder) []uint32 {
	t.Helper()
	runner, _ := sdk.As[sdk.Runner](w)
	run, err := runner.NewRun(sdk.Sessions{"": r})
	if err != nil {
		t.Fatal(err)
	}
	samples := make([]sdk.Sample, w.Len())
	for i := range samples {
		if samples[i], err = w.Load(t.Context(), i); err != nil {
			t.Fatal(err)
		}
	}
	var p sdk.Payloads
	if err := run.Run(t.Context(), samples, &p); err != nil {
		t.Fatal(err)
	}
	answers := make([]uint32, p.Len())
	for i := range answers {
		answers[i] = binary.LittleEndian.Uint32(p.At(i))
	}
	return answers
}

func floats(t *testing.T, path string) []float32 {
	t.Helper()
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	data = data[10+binary.LittleEndian.Uint16(data[8:]):]
	all := make([]float32, len(data)/4)
	for i := range all {
		all[i] = math.Float32frombits(binary.LittleEndian.Uint32(data[4*i:]))
	}
	return all
}

func away(a, b []float32) float64 {
	if len(a) != len(b) {
		return math.Inf(1)
	}
	most := 0.0
	for i := range a {
		most = max(most, math.Abs(float64(a[i]-b[i])))
	}
	return most
}

// TestGoldenSampledGraphs runs the model on the reference's own samples.
func TestGoldenSampledGraphs(t *testing.T) {
	golden.Each(t, "graph/*/sampled/*/subgraph.json", func(t *testing.T, path string) {
		var want struct {
			Seeds  []uint32
			Blocks []struct {
				Nodes map[string][]uint32 `json:"src_nodes"`
				Edges map[string][2][]uint32
			}
		}
		golden.ReadJSON(t, path, &want)
		dir := filepath.Dir(filepath.Dir(filepath.Dir(path)))
		_, r := opened(t, dir, map[string]string{"graph": "none"})
		set, err := igbh.Open(t.Context(), filepath.Join(dir, "igbh"), igbh.GraphOptions{NoCache: true})
		if err != nil {
			t.Fatal(err)
		}
		defer set.Close()
		tensors := map[string]backend.Tensor{"seeds": positions(want.Blocks[0].Nodes["paper"], want.Seeds)}
		for i, name := range igbh.TypeNames() {
			tensors["x_"+name] = gathered(t, set.Features(), i, want.Blocks[0].Nodes[name])
		}
		for _, rel := range igbh.GraphRelations() {
			edges, names := want.Blocks[0].Edges[rel.Name], igbh.TypeNames()
			tensors["src_"+rel.Name] = positions(want.Blocks[0].Nodes[names[rel.Source]], edges[0])
			tensors["dst_"+rel.Name] = positions(want.Blocks[0].Nodes[names[rel.Destination]], edges[1])
		}
		var in []backend.Tensor
		for _, info := range r.Inputs() {
			tensor := tensors[info.Name]
			tensor.Name, tensor.DType = info.Name, info.DType
			in = append(in, tensor)
		}
		out := make([]backend.Tensor, 1)
		if err := r.Run(t.Context(), in, out); err != nil {
			t.Fatal(err)
		}
		out[0].Release()
		if d := away(r.logits, floats(t, filepath.Join(filepath.Dir(path), "logits.npy"))); d > 1e-3 {
			t.Errorf("logits are off by %v", d)
		}
	})
}

// positions returns the indices of nodes in a list.
func positions(all, nodes []uint32) backend.Tensor {
	at := make([]int64, len(nodes))
	for i, v := range nodes {
		at[i] = int64(slices.Index(all, v))
	}
	return backend.Tensor{Shape: []int64{int64(len(at))}, Data: backend.Bytes(at)}
}

func gathered(t *testing.T, f graph.FeatureStore, nodeType int, nodes []uint32) backend.Tensor {
	t.Helper()
	rows := make([]float32, len(nodes)*f.Width())
	if err := f.Gather(t.Context(), rows, nodeType, nodes); err != nil {
		t.Fatal(err)
	}
	return backend.Tensor{Shape: []int64{int64(len(nodes)), int64(f.Width())}, Data: backend.Bytes(rows)}
}
