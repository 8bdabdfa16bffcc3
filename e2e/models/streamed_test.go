package models

import (
	"errors"
	"math"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/plumbline-ml/plumbline/e2e/internal/harness"
	"github.com/plumbline-ml/plumbline/e2e/internal/results"
	"github.com/plumbline-ml/plumbline/internal/testkit/officialdata"
	"github.com/plumbline-ml/plumbline/internal/testkit/slow"
	"github.com/plumbline-ml/plumbline/internal/testkit/testfile"
	"github.com/plumbline-ml/plumbline/internal/testkit/tinymodel"
)

// streamedModules replace the imports that the official script of dlrm-v3 does not need to score, and, if fbgemm_gpu is
// missing, two of its functions that put lists of different lengths into one tensor.
const streamedModules = `import importlib.abc, importlib.machinery, runpy, sys, types

import torch
import torch._inductor.config  # before there seems to be a triton


class Absent(type):
    def __getattr__(cls, name):
        if name.startswith("__"):
            raise AttributeError(name)
        return cls


class Anything(metaclass=Absent):
    def __init__(self, *_, **__):
        pass

    def __class_getitem__(cls, _):
        return cls

    def __call__(self, *args, **_):
        return args[0] if args else self


class Module(types.ModuleType):
    __path__ = []

    def __getattr__(self, name):
        if name.startswith("__"):
            raise AttributeError(name)
        return Anything


class Finder(importlib.abc.MetaPathFinder, importlib.abc.Loader):
    def find_spec(self, name, *_):
        if name.split(".")[0] in ("fbgemm_gpu", "triton", "tensorboard", "tensordict"):
            return importlib.machinery.ModuleSpec(name, self, is_package=True)

    def create_module(self, spec):
        return Module(spec.name)

    def exec_module(self, module):
        pass


def pad(rows, offsets, longest):
    parts = [rows[a:b][:longest] for a, b in zip(offsets[:-1], offsets[1:])]
    return torch.stack([torch.nn.functional.pad(p, (0, 0, 0, longest - len(p))) for p in parts])


sys.meta_path.append(Finder())  # behind the modules that are there
sys.modules["torch.utils.tensorboard"] = Module("torch.utils.tensorboard")
import fbgemm_gpu

if isinstance(fbgemm_gpu, Module):
    for name, form, function in (
        ("asynchronous_complete_cumsum", "(Tensor t) -> Tensor", lambda t: torch.cat([t.new_zeros(1), t.cumsum(0)])),
        ("jagged_2d_to_dense", "(Tensor t, Tensor o, SymInt n) -> Tensor", pad),
    ):
        torch.library.define("fbgemm::" + name, form)
        torch.library.impl("fbgemm::" + name, "cpu")(function)
sys.modules["datasets"] = types.ModuleType("datasets")  # the script's own, which another package may hide
sys.modules["datasets"].__path__ = ["datasets"]
sys.argv = sys.argv[1:]
sys.path.insert(0, ".")
runpy.run_path(sys.argv[0], run_name="__main__")
`

// TestOfficialStreamed runs the official accuracy script on the embedded model's log, and compares its lines. GAUC is
// compared where the script's order of equal predictions does not matter.
func TestOfficialStreamed(t *testing.T) {
	checkout, python := os.Getenv("PLUMBLINE_MLC"), os.Getenv("PYTHON")
	if checkout == "" || python == "" {
		t.Skip("PLUMBLINE_MLC and PYTHON name no official script and no Python: make test-official OF=streamed MLC=DIR")
	}
	out := filepath.Join(t.TempDir(), "out")
	harness.Run(t, "run", "dlrm-v3", "--scenario", "Offline", "--mode", "accuracy", "--smoke", "--out", out).WantCode(t, 0)
	folder := filepath.Join(out, "dlrm-v3", "Offline", "accuracy")
	script := filepath.Join(t.TempDir(), "score.py")
	testfile.WriteBelow(t, script, streamedModules)
	cmd := harness.Command(t, python, script, "accuracy.py", "--path", filepath.Join(folder, "mlperf_log_accuracy.json"))
	cmd.Dir = filepath.Join(checkout, "recommendation", "dlrm_v3")
	cmd.Env = append(os.Environ(), "PYTORCH_JIT=0", "PYTHONDONTWRITEBYTECODE=1")
	said := harness.Finish(t, cmd).WantCode(t, 0).Both()
	ours := testfile.Read(t, filepath.Join(folder, "accuracy.txt"))
	for name, tolerance := range map[string]float64{
		"lifetime_ne": 2e-6, "lifetime_accuracy": 2e-6, "lifetime_gauc": 1e-5,
	} {
		line := regexp.MustCompile(`metric/` + name + `/rating: (\S+)`)
		var values [2]float64
		for i, text := range []string{ours, said} {
			m := line.FindStringSubmatch(text)
			if m == nil {
				t.Fatalf("no %s in\n%s", name, text)
			}
			v, err := strconv.ParseFloat(m[1], 64)
			if err != nil {
				t.Fatal(err)
			}
			values[i] = v
		}
		if math.Abs(values[0]-values[1]) > tolerance*values[1] {
			t.Errorf("%s: %v, the official script says %v", name, values[0], values[1])
		}
	}
}

// TestStreamed runs the embedded model in both scenarios and audits it: requests are issued in their own order, and
// logs say so. A history in another order, and none, score worse.
func TestStreamed(t *testing.T) {
	out := t.TempDir()
	harness.Run(t, "audit", "TEST08", "dlrm-v3", "--scenario", "Server,Offline", "--smoke", "--set",
		"Server.min_query_count=500", "--set", "Server.min_duration=100", "--set", "Server.target_latency=600000", "--quiet",
		"--out", out)
	var doc results.Document
	testfile.ReadJSON(t, filepath.Join(out, "result.json"), &doc)
	scores := map[string]float64{}
	for _, run := range doc.Runs {
		if run.Accuracy == nil {
			continue
		}
		for _, m := range run.Accuracy.Metrics {
			scores[m.Name] = m.Value
		}
	}
	if scores["NE"] == 0 || scores["NE"] > 0.95 || scores["GAUC"] < 65 {
		t.Errorf("scores %v", scores)
	}
	for _, scenario := range []string{"Server", "Offline"} {
		testfile.RequireText(t, "TEST PASS", out, "dlrm-v3", scenario, "TEST08", "verify_accuracy.txt")
		testfile.RequireText(t, "qsl_idx is not the sample", out, "dlrm-v3", scenario, "accuracy", "mlperf_log_detail.txt")
	}
	testfile.RequireText(t, "indices in the logs (qsl_idx) are not samples", out, "result.json")
	harness.Run(t, "score", out).WantCode(t, 0).WantOutput(t, "normalized entropy (NE) is better when lower")

	histories := []string{"shuffled"}
	if slow.All() {
		histories = append(histories, "none")
	}
	for _, history := range histories {
		spoilt := filepath.Join(t.TempDir(), history)
		harness.Run(t, "run", "dlrm-v3", "--scenario", "Offline", "--mode", "accuracy", "--param", "history="+history,
			"--smoke", "--quiet", "--out", spoilt)
		testfile.ReadJSON(t, filepath.Join(spoilt, "result.json"), &doc)
		for _, m := range doc.Runs[0].Accuracy.Metrics {
			if m.Name == "NE" && !(m.Value > scores["NE"]+0.01) || m.Name == "GAUC" && !(m.Value < scores["GAUC"]-1) {
				t.Errorf("%s %v with history=%s, %v with all of it", m.Name, m.Value, history, scores[m.Name])
			}
		}
	}
}

// TestStreamNeedsAllItsSamples: fewer samples in memory than are issued are refused, with the remedy.
func TestStreamNeedsAllItsSamples(t *testing.T) {
	r := harness.Run(t, "run", "dlrm-v3", "--scenario", "Offline", "--mode", "performance", "--smoke", "--quiet", "--set",
		"performance_sample_count_override=100", "--out", filepath.Join(t.TempDir(), "out"))
	if r.Code == 0 || !strings.Contains(r.Both(), "100 of 221 samples are to be loaded") ||
		!strings.Contains(r.Both(), "leave performance_sample_count_override out") {
		t.Errorf("exit code %d:\n%s", r.Code, r.Both())
	}
}

// TestRowsBesideTheModel runs a model whose inputs are rows of tables in files, on the plugin's own data in files.
func TestRowsBesideTheModel(t *testing.T) {
	dir := t.TempDir()
	model, data, rows := filepath.Join(dir, "m.onnx"), filepath.Join(dir, "data"), filepath.Join(dir, "tables")
	if err := errors.Join(tinymodel.DLRMv3Rows().Write(model), officialdata.StreamedTables(rows, 1024, 160)); err != nil {
		t.Fatal(err)
	}
	harness.Run(t, "dataset", "export", "dlrm-v3", data).WantCode(t, 0)
	args := []string{"run", "dlrm-v3", "--model", model, "--dataset", data, "--scenario", "Offline", "--mode", "accuracy"}
	for _, p := range []string{
		"train_periods=8", "items=1024", "categories=8", "max_sequence=87", "max_candidates=24", "tables=" + rows,
	} {
		args = append(args, "--param", p)
	}
	harness.Run(t, append(args, "--smoke", "--quiet", "--out", filepath.Join(dir, "out"))...)
	log := testfile.Read(t, filepath.Join(dir, "out", "dlrm-v3", "Offline", "accuracy", "mlperf_log_accuracy.json"))
	low, high := strings.Count(log, "0000803E"), strings.Count(log, "0000403F") // 0.25 and 0.75
	if all := 24 * strings.Count(log, "seq_id"); low+high < all || low < all/3 || high < all/3 {
		t.Errorf("%d predictions of 0.25 and %d of 0.75, want %d together", low, high, all)
	}
}
