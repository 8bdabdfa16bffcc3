package rgat

import (
	"context"
	"encoding/binary"
	"errors"
	"math"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/plumbline-ml/plumbline/datasets/graph"
	"github.com/plumbline-ml/plumbline/datasets/igbh"
	"github.com/plumbline-ml/plumbline/internal/synthetic/citations"
	"github.com/plumbline-ml/plumbline/internal/testkit/golden"
	"github.com/plumbline-ml/plumbline/loadgen"
	"github.com/plumbline-ml/plumbline/loadgen/mllog"
	"github.com/plumbline-ml/plumbline/sdk"
	"github.com/plumbline-ml/plumbline/sdk/backend"
	"github.com/plumbline-ml/plumbline/sdk/manifest/manifesttest"
	"github.com/plumbline-ml/plumbline/sdk/sdktest"
)

func TestBenchmark(t *testing.T) { manifesttest.Run(t, New()) }

func TestTheModel(t *testing.T) {
	m := New().Describe().Models[0]
	if m.Name != "rgat" || m.LoadGenKey != "rgat" || !slices.Equal(m.Scenarios, []loadgen.Scenario{loadgen.Offline}) ||
		m.Datasets[0].Samples != citations.EvalCount || m.Datasets[1].Samples != 788379 {
		t.Errorf("model %+v", m)
	}
}

// fake answers with the number of citations that were drawn of each paper, modulo 7. It checks what it is given.
type fake struct {
	t      *testing.T
	infos  []backend.TensorInfo
	output backend.Tensor // if it has data
	runs   int
	info   backend.Info
}

// infos are the inputs of a model that needs papers and citations alone.
func infos(width int64) []backend.TensorInfo {
	return []backend.TensorInfo{
		{Name: "seeds", DType: backend.Int64, Shape: []int64{-1}},
		{Name: "x_paper", DType: backend.Float32, Shape: []int64{-1, width}},
		{Name: "src_paper__cites__paper", DType: backend.Int64, Shape: []int64{-1}},
		{Name: "dst_paper__cites__paper", DType: backend.Int64, Shape: []int64{-1}},
		{Name: "x_institute", DType: backend.Float32, Shape: []int64{-1, width}},
	}
}

func (f *fake) Inputs() []backend.TensorInfo  { return f.infos }
func (f *fake) Outputs() []backend.TensorInfo { return nil }
func (f *fake) Limits() backend.Limits        { return backend.Limits{} }
func (f *fake) Close() error                  { return nil }
func (f *fake) Describe() backend.Info        { return f.info }

func (f *fake) Run(_ context.Context, in, out []backend.Tensor) error {
	f.runs++
	if f.output.Data != nil {
		out[0] = f.output
		return nil
	}
	papers := in[1].Shape[0]
	sources, destinations := backend.View[int64](in[2].Data), backend.View[int64](in[3].Data)
	counts := make([]int64, papers)
	for i, d := range destinations {
		if sources[i] >= papers {
			f.t.Errorf("edge %d comes from paper %d of %d", i, sources[i], papers)
		}
		counts[d]++
	}
	var labels []int64
	for _, s := range backend.View[int64](in[0].Data) {
		labels = append(labels, counts[s]%7)
	}
	out[0] = backend.Tensor{Name: "label", DType: backend.Int64, Shape: []int64{int64(len(labels))},
		Data: backend.Bytes(labels)}
	return nil
}

func mustOpen(t *testing.T, o sdk.Options) *graphWorkload {
	t.Helper()
	w, err := New().Open(t.Context(), o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = w.Close() })
	own, _ := sdk.As[*graphWorkload](w)
	return own
}

// answers runs n samples and returns their payloads.
func answers(t *testing.T, w *graphWorkload, f *fake, n int) []string {
	t.Helper()
	r, err := w.NewRun(sdk.Sessions{"": f})
	if err != nil {
		t.Fatal(err)
	}
	samples := make([]paperSample, n)
	for i := range samples {
		if samples[i], err = w.Load(t.Context(), i); err != nil {
			t.Fatal(err)
		}
	}
	var p sdk.Payloads
	if err := r.Run(t.Context(), samples, &p); err != nil {
		t.Fatal(err)
	}
	var all []string
	for i := range p.Len() {
		all = append(all, string(p.At(i)))
	}
	return all
}

// TestAnswersDoNotDependOnTheRun bounds runs by few nodes, by many, and by one.
func TestAnswersDoNotDependOnTheRun(t *testing.T) {
	want := []string(nil)
	for nodes, runs := range map[string]int{"1": 50, "100000": 1, "5000": 0} {
		w := mustOpen(t, sdk.Options{Params: map[string]string{"fanouts": "6,3,3", "nodes": nodes}})
		f := &fake{t: t, infos: infos(citations.Width)}
		got := answers(t, w, f, 50)
		if want == nil {
			want = got
		}
		if !slices.Equal(got, want) || runs != 0 && f.runs != runs || len(got) != 50 {
			t.Errorf("at most %s nodes: %d runs, want %d, or answers differ", nodes, f.runs, runs)
		}
	}
	other := mustOpen(t, sdk.Options{Params: map[string]string{"fanouts": "6,3,3", "sampling_seed": "2"}})
	if len(answers(t, other, &fake{t: t, infos: infos(citations.Width)}, 50)) != 50 {
		t.Error("answers are missing")
	}
}

// TestSharedNeighbourhoods joins papers, and halves them where they are too many.
func TestSharedNeighbourhoods(t *testing.T) {
	for nodes, runs := range map[string]int{"1": 8, "100000": 1} {
		w := mustOpen(t, sdk.Options{Params: map[string]string{"sampling": "node", "nodes": nodes, "payload": "uint8"}})
		f := &fake{t: t, infos: infos(citations.Width)}
		if got := answers(t, w, f, 8); len(got) != 8 || len(got[0]) != 1 || f.runs != runs {
			t.Errorf("at most %s nodes: %d runs, want %d; answers %q", nodes, f.runs, runs, got)
		}
	}
}

func TestInputsAreAskedByName(t *testing.T) {
	w := mustOpen(t, sdk.Options{})
	wrong := append(infos(1024)[1:], backend.TensorInfo{Name: "mask", DType: backend.Int64},
		backend.TensorInfo{Name: "src_paper__likes__paper", DType: backend.Int64, Shape: []int64{-1}})
	_, err := w.NewRun(sdk.Sessions{"": &fake{infos: wrong}})
	for _, want := range []string{`"seeds" is missing`, `"x_paper" has shape [N,1024], want [N,32]`, `"mask", want x_TYPE`,
		`"src_paper__likes__paper"`} {
		if !errors.Is(err, backend.ErrTensors) || !strings.Contains(err.Error(), want) {
			t.Errorf("error %v, want %q", err, want)
		}
	}
}

// TestOneThread refuses sessions whose sums would be wrong.
func TestOneThread(t *testing.T) {
	w := mustOpen(t, sdk.Options{})
	for threads, refused := range map[string]bool{"1": false, "2": true, "": false} {
		f := &fake{infos: infos(citations.Width), info: backend.Info{Details: map[string]string{"threads": threads}}}
		if _, err := w.NewRun(sdk.Sessions{"": f}); (err != nil) != refused || refused && !errors.Is(err, sdk.ErrUsage) {
			t.Errorf("%q threads: %v", threads, err)
		}
	}
}

func TestOutputs(t *testing.T) {
	w := mustOpen(t, sdk.Options{Params: map[string]string{"payload": "int64"}})
	nan := float32(math.NaN())
	for _, tt := range []struct {
		name, want string
		output     backend.Tensor
	}{
		{"logits", "", backend.Tensor{DType: backend.Float32, Shape: []int64{1, 3}, Data: backend.Bytes([]float32{1, 5, 5})}},
		{"no number", "logit 1 is not a number",
			backend.Tensor{DType: backend.Float32, Shape: []int64{1, 2}, Data: backend.Bytes([]float32{1, nan})}},
		{"too many", "want float32[1,classes] or int64[1]",
			backend.Tensor{DType: backend.Int64, Shape: []int64{2}, Data: make([]byte, 16)}},
		{"below 0", "class -1", backend.Tensor{DType: backend.Int64, Shape: []int64{1}, Data: backend.Bytes([]int64{-1})}},
		{"cut", "of 4 bytes", backend.Tensor{DType: backend.Int64, Shape: []int64{1}, Data: make([]byte, 4)}},
	} {
		r, err := w.NewRun(sdk.Sessions{"": &fake{t: t, infos: infos(citations.Width), output: tt.output}})
		if err != nil {
			t.Fatal(err)
		}
		var p sdk.Payloads
		err = r.Run(t.Context(), []paperSample{w.WarmSample()}, &p)
		if tt.want == "" {
			if err != nil || binary.LittleEndian.Uint64(p.At(0)) != 1 {
				t.Errorf("%s: %v", tt.name, err)
			}
		} else if !errors.Is(err, errOutput) || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%s: %v, want %q", tt.name, err, tt.want)
		}
	}
}

// TestFilesAreTheEmbeddedGraph reads what is exported.
func TestFilesAreTheEmbeddedGraph(t *testing.T) {
	dir := t.TempDir()
	if err := igbh.WriteDataset(t.Context(), dir, "tiny", citations.All()); err != nil {
		t.Fatal(err)
	}
	drawn := mustOpen(t, sdk.Options{Count: 40})
	read := mustOpen(t, sdk.Options{Count: 40, Dataset: dir, Params: map[string]string{"size": "tiny"}})
	a, b := answers(t, drawn, &fake{t: t, infos: infos(citations.Width)}, 40),
		answers(t, read, &fake{t: t, infos: infos(citations.Width)}, 40)
	if !slices.Equal(a, b) || read.Len() != 40 || !slices.Equal(drawn.papers.labels, read.papers.labels) {
		t.Error("answers or labels differ")
	}
}

// lost features are those of a disk that is gone.
type lost struct{ graph.FeatureStore }

func (lost) Gather(context.Context, []float32, int, []uint32) error { return errors.New("disk gone") }

func TestRunsEndWithTheirFaults(t *testing.T) {
	w := mustOpen(t, sdk.Options{})
	r, err := w.NewRun(sdk.Sessions{"": &fake{t: t, infos: infos(citations.Width)}})
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if err := r.Run(ctx, []paperSample{{}}, new(sdk.Payloads)); !errors.Is(err, context.Canceled) {
		t.Errorf("error %v of a run that was called off", err)
	}
	w.papers.features = lost{w.papers.features}
	if err := r.Run(t.Context(), []paperSample{{}}, new(sdk.Payloads)); err == nil || err.Error() != "disk gone" {
		t.Errorf("error %v of lost features", err)
	}
}

func TestOpenRefuses(t *testing.T) {
	_, err := New().Open(t.Context(), sdk.Options{Count: 1001, Params: map[string]string{"fanouts": "15,x",
		"sampling":      "edge",
		"sampling_seed": "-1", "nodes": "0", "payload": "float64"}})
	sdktest.WantError(t, err, `fanouts = "15,x"`, `sampling = "edge"`, `sampling_seed = "-1"`, `nodes = "0"`,
		`payload = "float64"`, "at most the 1000 papers")
	_, err = New().Open(t.Context(), sdk.Options{Dataset: t.TempDir()})
	if sdktest.WantError(t, err, "it holds no SIZE/processed"); !errors.Is(err, sdk.ErrData) {
		t.Errorf("error %v", err)
	}
	_, err = New().Open(t.Context(), sdk.Options{Params: map[string]string{"features": t.TempDir()}})
	if sdktest.WantError(t, err, "features needs a data set of files"); !errors.Is(err, sdk.ErrUsage) {
		t.Errorf("error %v", err)
	}
	_, err = New().Open(t.Context(), sdk.Options{Dataset: t.TempDir(), Params: map[string]string{"features": t.TempDir()}})
	if sdktest.WantError(t, err, "features.json: no such file"); !errors.Is(err, sdk.ErrData) {
		t.Errorf("error %v", err)
	}
}

// TestStoreRefuses tells what the user named from what lies there.
func TestStoreRefuses(t *testing.T) {
	request := func(servers string) sdk.DatasetRequest {
		return sdk.DatasetRequest{Input: t.TempDir(), Output: t.TempDir(), Params: map[string]string{"servers": servers}}
	}
	_, err := storeFeatures(t.Context(), request("redis://a,b:6379"), nil)
	if sdktest.WantError(t, err, "parameter servers: server 2 is no redis://"); !errors.Is(err, sdk.ErrUsage) {
		t.Errorf("error %v", err)
	}
	_, err = storeFeatures(t.Context(), request("redis://127.0.0.1"), nil)
	if sdktest.WantError(t, err, "it holds no SIZE/processed"); !errors.Is(err, sdk.ErrData) {
		t.Errorf("error %v", err)
	}
}

// TestGoldenScores scores the official script's cases as harness score does.
func TestGoldenScores(t *testing.T) {
	golden.Each(t, "scorers/rgat/*/expected.json", func(t *testing.T, path string) {
		var want struct {
			Args struct {
				DType string
				Size  string `json:"dataset_size"`
			}
			Error string
			Text  string `json:"output_file_text"`
		}
		golden.ReadJSON(t, path, &want)
		dir := filepath.Dir(path)
		s, err := New().OpenScorer(t.Context(), sdk.ScoreOptions{
			Dataset: filepath.Join(dir, "igbh"), Params: map[string]string{"dtype": want.Args.DType, "size": want.Args.Size},
		})
		if err != nil {
			t.Fatal(err)
		}
		got := sdktest.Score(t, s, filepath.Join(dir, "mlperf_log_accuracy.json"))
		if want.Error != "" {
			if !strings.Contains(strings.Join(got.Notes, "; "), "hold no class and count as wrong") {
				t.Errorf("notes %q", got.Notes)
			}
		} else if got.OfficialText != want.Text {
			t.Errorf("%q, want %q", got.OfficialText, want.Text)
		}
	})
}

func TestNotes(t *testing.T) {
	s, err := New().OpenScorer(t.Context(), sdk.ScoreOptions{Count: 3})
	if err != nil {
		t.Fatal(err)
	}
	for _, payload := range []string{"\x01", "\x01", ""} {
		if err := s.Add(mllog.AccuracyEntry{QSLIndex: 0, Data: []byte(payload)}); err != nil {
			t.Fatal(err)
		}
	}
	if err := s.Add(mllog.AccuracyEntry{QSLIndex: 2}); err != nil {
		t.Fatal(err)
	}
	score, err := s.Result()
	if err != nil {
		t.Fatal(err)
	}
	for i, want := range []string{"2 entries dropped", "1 of 3 samples are not in the log",
		"1 payloads were read as uint8",
		"1 payloads hold no class"} {
		if !strings.Contains(score.Notes[i], want) {
			t.Errorf("notes %q, want %q", score.Notes, want)
		}
	}
	if err := s.Add(mllog.AccuracyEntry{QSLIndex: 3}); !errors.Is(err, sdk.ErrData) {
		t.Errorf("error %v", err)
	}
}
