package plugins

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/plumbline-ml/plumbline/e2e/internal/built"
	"github.com/plumbline-ml/plumbline/e2e/internal/harness"
	"github.com/plumbline-ml/plumbline/internal/testkit/oiptest"
	"github.com/plumbline-ml/plumbline/internal/testkit/pair"
	"github.com/plumbline-ml/plumbline/internal/testkit/testfile"
	"github.com/plumbline-ml/plumbline/sdk/backend"
)

// pairPlugins is the folder of the plugin whose model has two parts, beside ONNX Runtime's library.
func pairPlugins() string { return filepath.Join(built.Dir(), "pair") }

// runPair runs harness run pair for its accuracy.
func runPair(t *testing.T, out string, args ...string) harness.Result {
	t.Helper()
	dir := pairPlugins()
	return harness.Run(t, append([]string{
		"run", "pair", "--plugin-dir", dir, "--mode", "accuracy", "--quiet", "--out", out, "--force",
	}, args...)...)
}

// pairResult is the part of result.json about the model's parts.
type pairResult struct {
	Runs []struct {
		Options struct {
			PartFiles map[string]string `json:"part_files"`
		}
		Workload struct {
			SHA256 string `json:"model_sha256"`
			Size   int64  `json:"model_size"`
			Parts  []partResult
		}
		Accuracy struct {
			Metrics []struct{ Value float64 }
			Scorer  []partResult `json:"scorer_models"`
		}
	}
}

type partResult struct {
	Name, File, SHA256 string
	Size               int64
	Embedded           bool
	Files              []struct{ Path string }
	Inputs, Outputs    []struct{ Name, Type string }
}

func readPair(t *testing.T, out string) pairResult {
	t.Helper()
	var doc pairResult
	testfile.ReadJSON(t, filepath.Join(out, "result.json"), &doc)
	if len(doc.Runs) != 1 || len(doc.Runs[0].Accuracy.Metrics) != 1 || doc.Runs[0].Accuracy.Metrics[0].Value != 100 {
		t.Fatalf("not one run in which all answers are right: %+v", doc)
	}
	return doc
}

// TestTwoParts runs a model of two parts on each kind of backend.
func TestTwoParts(t *testing.T) {
	ortprocess := "command=" + filepath.Join(built.Dir(), "plugins", "ortprocess")
	both := servePair(t, pair.Encoder, pair.Decoder)
	encoder, decoder := servePair(t, pair.Encoder), servePair(t, pair.Decoder)
	for name, args := range map[string][]string{
		"ort":                      nil,
		"ort, options of one part": {"--backend-opt", "threads=1", "--backend-opt", "decoder.opt=basic"},
		"process":                  {"--backend", "process", "--backend-opt", ortprocess},
		"process, no shared memory": {"--backend", "process", "--backend-opt", ortprocess,
			"--backend-opt", "shared_memory=off"},
		"process, one for each": {"--backend", "process", "--backend-opt", ortprocess,
			"--backend-opt", "decoder." + ortprocess + " "},
		"kserve, one server for both": {"--backend", "kserve", "--backend-opt", "url=" + both},
		"kserve, a server for each": {"--backend", "kserve", "--backend-opt", "encoder.url=" + encoder,
			"--backend-opt", "decoder.url=" + decoder, "--backend-opt", "encoder.model=encoder"},
	} {
		t.Run(name, func(t *testing.T) {
			out := t.TempDir()
			runPair(t, out, args...).WantCode(t, 0)
			parts := readPair(t, out).Runs[0].Workload.Parts
			if len(parts) != 2 || parts[0].Name != pair.Encoder || parts[1].Name != pair.Decoder {
				t.Fatalf("%+v", parts)
			}
			if p := parts[1]; len(p.Inputs) != 2 || len(p.Outputs) != 2 || p.Inputs[0].Name != "h" ||
				p.Inputs[0].Type != "float32" {
				t.Errorf("the decoder's tensors: %+v", p)
			}
		})
	}
}

// TestTwoPartsInAllScenarios makes a smoke run, whose verdicts are judged as those of every model.
func TestTwoPartsInAllScenarios(t *testing.T) {
	dir := pairPlugins()
	out := t.TempDir()
	r := harness.Run(t, "run", "pair", "--plugin-dir", dir, "--out", out, "--set", "min_duration=0",
		"--set", "min_query_count=1")
	if r.Code != 0 && r.Code != 3 { // on a busy machine a run may be INVALID
		t.Fatalf("exit code %d:\n%s", r.Code, r.Both())
	}
	for _, want := range []string{"part    encoder, embedded, fp32, 164 B",
		"part    decoder, embedded, fp32, 259 B", "PASS"} {
		if !strings.Contains(r.Stdout, want) {
			t.Errorf("no %q in:\n%s", want, r.Stdout)
		}
	}
}

// partFiles writes the parts as files of a folder.
func partFiles(t *testing.T) (dir, encoder, decoder, judge string) {
	t.Helper()
	dir = t.TempDir()
	for _, part := range []string{pair.Encoder, pair.Decoder} {
		testfile.Write(t, filepath.Join(dir, part+".onnx"), string(pair.ONNX(part)))
	}
	judge = testfile.Write(t, filepath.Join(t.TempDir(), "own.onnx"), string(pair.ONNX(pair.Judge)))
	return dir, filepath.Join(dir, pair.Encoder+".onnx"), filepath.Join(dir, pair.Decoder+".onnx"), judge
}

// TestFilesOfParts gives a folder of parts, or PART=PATH for each.
func TestFilesOfParts(t *testing.T) {
	dir, encoder, decoder, _ := partFiles(t)
	var sums []string
	for _, models := range [][]string{{dir}, {"encoder=" + encoder, "decoder=" + decoder}} {
		out := t.TempDir()
		var args []string
		for _, m := range models {
			args = append(args, "--model", m)
		}
		runPair(t, out, args...).WantCode(t, 0)
		run := readPair(t, out).Runs[0]
		if got := run.Options.PartFiles; got["encoder"] != encoder || got["decoder"] != decoder {
			t.Errorf("%v: part_files %v", models, got)
		}
		// The digest shows that it is the manifest's.
		if p := run.Workload.Parts[0]; p.Embedded || p.File != "embedded-fp32" || p.Size != 164 || len(p.SHA256) != 64 {
			t.Errorf("%v: %+v", models, p)
		}
		if run.Workload.Size != 164+259 {
			t.Errorf("%v: model_size %d, want that of both", models, run.Workload.Size)
		}
		sums = append(sums, run.Workload.SHA256)
	}
	if sums[0] != sums[1] || len(sums[0]) != 64 {
		t.Errorf("checksums of the same files: %q", sums)
	}
}

// TestBadParts: each mistake with the parts of a model has its own message.
func TestBadParts(t *testing.T) {
	dir, encoder, decoder, _ := partFiles(t)
	half := t.TempDir()
	testfile.Write(t, filepath.Join(half, "encoder.onnx"), string(pair.ONNX(pair.Encoder)))
	for name, c := range map[string]struct {
		code int
		want string
		args []string
	}{
		"a part is missing": {2, "part decoder of pair is missing: give --model decoder=PATH too",
			[]string{"--model", "encoder=" + encoder}},
		"a part twice": {2, `--model: "encoder" is given twice`,
			[]string{"--model", "encoder=" + encoder, "--model", "encoder=" + decoder,
				"--model", "decoder=" + decoder}},
		"an unknown part": {2, `unknown part "decodr"; did you mean "decoder"? (known: encoder, decoder)`,
			[]string{"--model", "encoder=" + encoder, "--model", "decodr=" + decoder}},
		"no path": {2, "--model decoder=: want a path", []string{"--model", "encoder=" + encoder, "--model", "decoder="}},
		"two parts with one file": {2, "parts decoder and encoder have one file, " + encoder,
			[]string{"--model", "encoder=" + encoder, "--model", "decoder=" + filepath.Join(dir, ".", "encoder.onnx")}},
		"no such file": {6, "--model decoder=/no/such.onnx: no such file",
			[]string{"--model", "encoder=" + encoder, "--model", "decoder=/no/such.onnx"}},
		"a part's tensors are wrong": {6,
			`open part encoder, model decoder.onnx: backend ort: the model's tensors are not what the benchmark needs: ` +
				`input "x" is missing`, []string{"--model", "decoder=" + encoder, "--model", "encoder=" + decoder}},
		"a folder without a part": {6, "part decoder is missing: the folder has no file decoder.onnx",
			[]string{"--model", half}},
		"one file for all": {6, "name a folder that holds them, or each: --model encoder=PATH --model decoder=PATH",
			[]string{"--model", encoder}},
		"an option of no part": {2, `unknown option "joint.threads"`, []string{"--backend-opt", "joint.threads=1"}},
		"an option of no part, what there is": {2,
			"the parts of this model, for options of the form PART.KEY, are encoder, decoder",
			[]string{"--backend-opt", "joint.threads=1"}},
		"an unknown option of a part": {2,
			`open part decoder, model embedded-fp32: backend ort: the backend's options are wrong: unknown option "nosuch"`,
			[]string{"--backend-opt", "decoder.nosuch=1"}},
		"a server that has one part": {6,
			`the server has no model "decoder" that is ready (option decoder.model)`, []string{"--backend", "kserve",
				"--backend-opt", "url=" + servePair(t, pair.Encoder, "other"),
				"--backend-opt", "connect_timeout=1s"}},
	} {
		t.Run(name, func(t *testing.T) {
			harness.WantMessage(t, runPair(t, t.TempDir(), c.args...).WantCode(t, c.code), c.want)
		})
	}
	r := harness.Run(t, "run", "resnet50", "--model", encoder, "--model", decoder, "--out", t.TempDir()).WantCode(t, 2)
	harness.WantMessage(t, r, "--model is given 2 times, and resnet50 has one part; give one file")
}

// TestScorerWithAModel: a scorer runs a model of its own, and the result contains its checksum.
func TestScorerWithAModel(t *testing.T) {
	_, encoder, _, judge := partFiles(t)
	plugins := pairPlugins()
	out := t.TempDir()
	runPair(t, out).WantCode(t, 0)
	if s := readPair(t, out).Runs[0].Accuracy.Scorer; len(s) != 1 || s[0].Name != pair.Judge ||
		!s[0].Embedded || s[0].Size != 129 {
		t.Errorf("the embedded judge: %+v", s)
	}
	embedded := readPair(t, out).Runs[0].Accuracy.Scorer[0].SHA256
	runPair(t, out, "--scorer-model", "judge="+judge).WantCode(t, 0)
	s := readPair(t, out).Runs[0].Accuracy.Scorer[0]
	if s.Embedded || s.File != "embedded-fp32" || s.SHA256 != embedded || len(s.Inputs) != 1 {
		t.Errorf("a judge of the user's own: %+v", s)
	}
	log := filepath.Join(out, "pair", "Offline", "accuracy")
	scored := func(args ...string) harness.Result {
		return harness.Run(t, append([]string{"score", "--plugin-dir", plugins, log}, args...)...)
	}
	scored().WantCode(t, 0) // with the run's judge
	scored("--scorer-model", "judge="+judge).WantCode(t, 0)
	harness.WantMessage(t, scored("--scorer-model", "judge="+encoder).WantCode(t, 6), `open part judge`,
		`output "y" is missing`)
	harness.WantMessage(t, scored("--scorer-model", "juge="+judge).WantCode(t, 2),
		`unknown part "juge"; did you mean "judge"?`)
	if err := os.Remove(judge); err != nil {
		t.Fatal(err)
	}
	harness.WantMessage(t, scored().WantCode(t, 6), "--scorer-model judge="+judge+": no such file")
	harness.WantMessage(t, harness.Run(t, "run", "resnet50", "--scorer-model", "judge="+encoder, "--out",
		t.TempDir()).WantCode(t, 2),
		"--scorer-model: the scorer of resnet50 does not run models")
}

// TestDescribeParts: describe prints what a user must know about a model's parts.
func TestDescribeParts(t *testing.T) {
	dir := pairPlugins()
	r := harness.Run(t, "describe", "pair", "--plugin-dir", dir).WantCode(t, 0)
	for _, want := range []string{"Parts (--model PART=PATH)", "encoder=embedded-fp32",
		"Models of the scorer (--scorer-model PART=PATH)", "judge"} {
		if !strings.Contains(r.Stdout, want) {
			t.Errorf("no %q in:\n%s", want, r.Stdout)
		}
	}
}

// TestPartsAreSound: verify's checks pass for a model of several parts, also in a backend process.
func TestPartsAreSound(t *testing.T) {
	dir := pairPlugins()
	r := harness.Run(t, "verify", "pair", "--plugin-dir", dir, "--backend", "process",
		"--backend-opt", "command="+filepath.Join(built.Dir(), "plugins", "ortprocess"),
		"--reference", "ort", "--memory-time", "1s").WantCode(t, 0)
	if !strings.Contains(r.Stdout, "sound: ") {
		t.Errorf("it printed:\n%s", r.Stdout)
	}
}

// servePair starts a server with these parts, and returns its address.
func servePair(t *testing.T, parts ...string) string {
	t.Helper()
	var o oiptest.ServerOptions
	for i, part := range parts {
		m := oiptest.ServerOptions{Model: part, Inputs: floats("x", 4), Outputs: floats("h", 3), Answer: encodeRows}
		if part == pair.Decoder {
			m.Inputs, m.Outputs = append(floats("h", 3), floats("state", 3)...),
				append(floats("y", 1), floats("state_out", 3)...)
			m.Answer = stepRows
		}
		if i == 0 {
			o = m
			o.Name = "pair"
			continue
		}
		o.Others = append(o.Others, m)
	}
	return harness.ServeOIP(t, o)
}

func floats(name string, n int64) []oiptest.Tensor {
	return []oiptest.Tensor{{Name: name, Datatype: "FP32", Shape: []int64{-1, n}}}
}

// encodeRows and stepRows compute the parts at a server.
func encodeRows(rows int64, in [][]byte) ([][]byte, error) {
	x := backend.View[float32](in[0])
	var all []float32
	for r := range int(rows) {
		h := pair.Encode([4]float32(x[4*r:]))
		all = append(all, h[:]...)
	}
	return [][]byte{backend.Bytes(all)}, nil
}

func stepRows(rows int64, in [][]byte) ([][]byte, error) {
	h, state := backend.View[float32](in[0]), backend.View[float32](in[1])
	if len(h) != len(state) {
		return nil, fmt.Errorf("h has %d numbers, state %d", len(h), len(state))
	}
	var ys, states []float32
	for r := range int(rows) {
		y, next := pair.Step([3]float32(h[3*r:]), [3]float32(state[3*r:]))
		ys, states = append(ys, y), append(states, next[:]...)
	}
	return [][]byte{backend.Bytes(ys), backend.Bytes(states)}, nil
}
