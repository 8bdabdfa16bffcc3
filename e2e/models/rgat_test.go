package models

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/plumbline-ml/plumbline/datasets/igbh"
	"github.com/plumbline-ml/plumbline/e2e/internal/built"
	"github.com/plumbline-ml/plumbline/e2e/internal/harness"
	"github.com/plumbline-ml/plumbline/internal/synthetic/citations"
	"github.com/plumbline-ml/plumbline/internal/testkit/golden"
	"github.com/plumbline-ml/plumbline/internal/testkit/testfile"
)

// TestTEST01OfSampledNeighbourhoods: draws depend only on their keys, so answers do not change between runs.
func TestTEST01OfSampledNeighbourhoods(t *testing.T) {
	t.Parallel()
	out := t.TempDir()
	harness.EitherWay(t, harness.Run(t, "audit", "TEST01", "rgat", "--count", "200", "--out", out, "--quiet"))
	testfile.RequireText(t, "num_perf_log_data_mismatch = 0", out, "rgat", "Offline", "TEST01", "verify_accuracy.txt")
	testfile.RequireText(t, "TEST PASS", out, "rgat", "Offline", "TEST01", "verify_accuracy.txt")
}

// TestPythonConvertsCheckpoints writes weights as the reference does, random ones and those of reference cases, and
// compares the logits of the converted file with theirs.
func TestPythonConvertsCheckpoints(t *testing.T) {
	interpreter := built.NeedPython(t)
	folder := filepath.Join(built.Root(), "plugins", "rgat", "model")
	if out, err := exec.Command(interpreter, "-c", "import torch, onnx, onnxruntime").CombinedOutput(); err != nil {
		t.Skipf("%s lacks something of %s: %s", interpreter, filepath.Join(folder, "requirements.txt"), out)
	}
	check := func(t *testing.T, cases ...string) {
		cmd := exec.Command(interpreter, append([]string{filepath.Join(folder, "check_convert.py")}, cases...)...)
		cmd.Env = append(os.Environ(), "PYTHONPATH="+filepath.Join(built.Root(), "plugins", "model"))
		out, err := cmd.CombinedOutput()
		if err != nil {
			t.Errorf("%v:\n%s", err, out)
		}
		t.Logf("%s", out)
	}
	check(t)
	golden.Each(t, "graph/*/rgat.onnx", func(t *testing.T, path string) { check(t, path) })
}

// graphData writes the embedded graph as files and returns its folder, and the one that holds them.
func graphData(t *testing.T) (data, files string) {
	t.Helper()
	data = t.TempDir()
	if err := igbh.WriteDataset(t.Context(), data, "tiny", citations.All()); err != nil {
		t.Fatal(err)
	}
	return data, filepath.Join(data, "tiny", "processed")
}

// TestAGraphThatCannotBeKept: the run continues, and the plugin's log says why the next will take as long.
func TestAGraphThatCannotBeKept(t *testing.T) {
	t.Parallel()
	data, _ := graphData(t)
	out := t.TempDir()
	harness.Run(t, "run", "rgat", "--model", "embedded-fp32", "--dataset", data, "--count", "50", "--mode", "performance",
		"--set", "min_query_count=50", "--param", "graph="+filepath.Join(data, "none", "graph"), "--out", out).WantCode(t, 0)
	logs, err := filepath.Glob(filepath.Join(out, "rgat", "Offline", "*", "*", "plugin.log"))
	if err != nil || len(logs) != 1 {
		t.Fatalf("%v, logs %q", err, logs)
	}
	testfile.RequireText(t, "the graph is made for each run, it cannot be kept", logs[0])
}

// TestGraphsThatAreWrong: all faults of a data set are named at once.
func TestGraphsThatAreWrong(t *testing.T) {
	t.Parallel()
	data, files := graphData(t)
	change := func(path, from, to string) {
		t.Helper()
		path = filepath.Join(files, filepath.FromSlash(path))
		content, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		if !bytes.Contains(content[:128], []byte(from)) {
			t.Fatalf("%s has no %q", path, from)
		}
		if err := os.WriteFile(path, bytes.Replace(content, []byte(from), []byte(to), 1), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	change("paper__cites__paper/edge_index.npy", "<i8", "<i4")
	change("journal/node_feat.npy", "(48, 32)", "(96, 16)")
	change("fos/node_feat.npy", "(240, 32)", "(999, 32)")
	change("paper/node_label_2K.npy", "(4000,)", "(9999,)")
	if err := os.RemoveAll(filepath.Join(files, "paper__topic__fos")); err != nil {
		t.Fatal(err)
	}
	r := harness.Run(t, "run", "rgat", "--model", "embedded-fp32", "--dataset", data, "--out", t.TempDir()).WantCode(t, 6)
	for _, want := range []string{
		"paper__cites__paper/edge_index.npy: an array of <i4",
		"journal/node_feat.npy: 16 features of a node, and of other types 32",
		"fos/node_feat.npy: an array of <f4 [999 32] needs", "node_label_2K.npy: an array of <f4 [9999] needs",
		"paper__topic__fos/edge_index.npy: open",
	} {
		if !strings.Contains(r.Both(), want) {
			t.Errorf("no %q in:\n%s", want, r.Both())
		}
	}
}

// TestGraphsWithEdgesBeyondTheirNodes: such a graph is neither loaded nor kept.
func TestGraphsWithEdgesBeyondTheirNodes(t *testing.T) {
	t.Parallel()
	data, files := graphData(t)
	path := filepath.Join(files, "author__affiliated_to__institute", "edge_index.npy")
	content, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	content[len(content)-16+3] = 1 // of the last edge's source
	if err := os.WriteFile(path, content, 0o666); err != nil {
		t.Fatal(err)
	}
	r := harness.Run(t, "run", "rgat", "--model", "embedded-fp32", "--dataset", data, "--out", t.TempDir()).WantCode(t, 6)
	if !strings.Contains(r.Both(), "author__affiliated_to__institute, edge 2599: from node 16779815") ||
		!strings.Contains(r.Both(), "want nodes below 2600 and 80") {
		t.Errorf("the edge is not named:\n%s", r.Both())
	}
	if _, err := os.Stat(filepath.Join(files, "graph.plumbline")); err == nil {
		t.Error("the graph was kept")
	}
}
