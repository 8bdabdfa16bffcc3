package resnet50

import (
	"bytes"
	"encoding/hex"
	"encoding/json"
	"errors"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/plumbline-ml/plumbline/loadgen/mllog"
	"github.com/plumbline-ml/plumbline/sdk"
	"github.com/plumbline-ml/plumbline/sdk/backend"
)

// TestGoldenScores scores the official script's cases as `harness score` does: val_map.txt, a log, a dtype.
func TestGoldenScores(t *testing.T) {
	eachCase(t, "imagenet", func(t *testing.T, dir string) {
		var want struct {
			Args struct {
				DType string
			}
			AccuracyPercent float64 `json:"accuracy_percent"`
			Stdout          string
		}
		readExpected(t, dir, &want)
		s, err := New().OpenScorer(t.Context(), sdk.ScoreOptions{Dataset: dir, Params: map[string]string{"dtype": want.Args.DType}})
		if err != nil {
			t.Fatal(err)
		}
		addLog(t, s, filepath.Join(dir, "mlperf_log_accuracy.json"))
		got, err := s.Result()
		if err != nil {
			t.Fatal(err)
		}
		if got.Metrics[0].Value != want.AccuracyPercent || !slices.Contains(strings.Split(want.Stdout, "\n"), got.OfficialText) {
			t.Errorf("got %v and %q, want %v and a line of\n%s", got.Metrics, got.OfficialText, want.AccuracyPercent, want.Stdout)
		}
	})
}

func addLog(t *testing.T, s sdk.Scorer, path string) {
	t.Helper()
	f, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	log := mllog.NewAccuracyReader(f)
	for {
		e, err := log.Next()
		if errors.Is(err, io.EOF) {
			return
		}
		if err := errors.Join(err, s.Add(e)); err != nil {
			t.Fatal(err)
		}
	}
}

// TestGoldenPayloads turns model outputs into payloads as the official post-processing does.
func TestGoldenPayloads(t *testing.T) {
	type payloads struct {
		Classes []int64  `json:"model_out_argmax"`
		Hex     []string `json:"payload_hex"`
	}
	eachCase(t, "postprocess", func(t *testing.T, dir string) {
		var want map[string]json.RawMessage
		readExpected(t, dir, &want)
		read := func(key string) (p payloads) {
			if err := json.Unmarshal(want[key], &p); err != nil || len(p.Hex) == 0 {
				t.Fatalf("%s: %v, %d payloads", key, err, len(p.Hex))
			}
			return p
		}
		logits, rows := readMatrix(t, filepath.Join(dir, "logits.npy"))
		class := read("resnet50_argmax_offset-1")
		checkPayloads(t, binding{offset: 1}, classTensor(class.Classes...), len(class.Classes), class.Hex)
		checkPayloads(t, binding{scores: true, offset: 1}, scoreTensor(rows, logits...), rows, read("argmax_offset-1").Hex)
		checkPayloads(t, binding{scores: true}, scoreTensor(rows, logits...), rows, read("argmax_offset0").Hex)
	})
}

func checkPayloads(t *testing.T, b binding, out backend.Tensor, n int, want []string) {
	t.Helper()
	var p sdk.Payloads
	if err := b.answers(out, n, &p); err != nil {
		t.Fatal(err)
	}
	var got []string
	for i := range p.Len() {
		got = append(got, hex.EncodeToString(p.At(i)))
	}
	if !slices.Equal(got, want) {
		t.Errorf("%+v: payloads %v, want %v", b, got, want)
	}
}

// readMatrix reads a float32 matrix from a version 1 .npy file: 10 bytes, the length of the header being the last two,
// the header, the values.
func readMatrix(t *testing.T, path string) (values []float32, rows int) {
	t.Helper()
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	header, body := data[10:10+int(data[8])+int(data[9])<<8], data[10+int(data[8])+int(data[9])<<8:]
	_, shape, ok := bytes.Cut(header, []byte("'shape': ("))
	if !ok || !bytes.Contains(header, []byte("'<f4'")) {
		t.Fatalf("%s: header %q", path, header)
	}
	if err := json.Unmarshal(shape[:bytes.IndexByte(shape, ',')], &rows); err != nil {
		t.Fatal(err)
	}
	return backend.View[float32](slices.Clone(body)), rows
}

func readExpected(t *testing.T, dir string, v any) {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(dir, "expected.json"))
	if err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(text, v); err != nil {
		t.Fatal(err)
	}
}

// eachCase runs check on every case of a kind, of this checkout and, where it is present, of the full set beside it.
func eachCase(t *testing.T, kind string, check func(t *testing.T, dir string)) {
	roots := []string{filepath.Join("testdata", "golden")}
	shared := os.Getenv("PLUMBLINE_GOLDEN")
	if shared == "" {
		shared = filepath.Join(projectRoot(t), "..", "shared", "golden")
	}
	if _, err := os.Stat(shared); err == nil {
		roots = append(roots, shared)
	} else {
		t.Run("shared", func(t *testing.T) { t.Skipf("the full set of cases is not there: %v", err) })
	}
	for _, root := range roots {
		cases, err := filepath.Glob(filepath.Join(root, "scorers", kind, "*"))
		if err != nil || len(cases) == 0 {
			t.Errorf("no cases below %s/scorers/%s: %v", root, kind, err)
		}
		for _, dir := range cases {
			t.Run(filepath.Join(root, filepath.Base(dir)), func(t *testing.T) { check(t, dir) })
		}
	}
}

func projectRoot(t *testing.T) string {
	t.Helper()
	dir, err := os.Getwd()
	if err != nil {
		t.Fatal(err)
	}
	for ; ; dir = filepath.Dir(dir) {
		if _, err := os.Stat(filepath.Join(dir, "go.work")); err == nil {
			return dir
		}
		if dir == filepath.Dir(dir) {
			t.Fatal("no go.work above the test's folder")
		}
	}
}
