package resnet50

import (
	"bytes"
	"encoding/hex"
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/plumbline-ml/plumbline/internal/testkit/golden"
	"github.com/plumbline-ml/plumbline/sdk"
	"github.com/plumbline-ml/plumbline/sdk/backend"
	"github.com/plumbline-ml/plumbline/sdk/sdktest"
)

// TestGoldenScores scores the official script's cases as `harness score` does: val_map.txt, a log, a dtype.
func TestGoldenScores(t *testing.T) {
	golden.Each(t, "scorers/imagenet/*/expected.json", func(t *testing.T, path string) {
		var want struct {
			Args struct {
				DType string
			}
			AccuracyPercent float64 `json:"accuracy_percent"`
			Stdout          string
		}
		golden.ReadJSON(t, path, &want)
		dir := filepath.Dir(path)
		s, err := New().OpenScorer(t.Context(), sdk.ScoreOptions{
			Dataset: dir, Params: map[string]string{"dtype": want.Args.DType},
		})
		if err != nil {
			t.Fatal(err)
		}
		got := sdktest.Score(t, s, filepath.Join(dir, "mlperf_log_accuracy.json"))
		if got.Metrics[0].Value != want.AccuracyPercent ||
			!slices.Contains(strings.Split(want.Stdout, "\n"), got.OfficialText) {
			t.Errorf("got %v and %q, want %v and a line of\n%s", got.Metrics, got.OfficialText,
				want.AccuracyPercent, want.Stdout)
		}
	})
}

// TestGoldenPayloads turns model outputs into payloads as the official post-processing does.
func TestGoldenPayloads(t *testing.T) {
	type payloads struct {
		Classes []int64  `json:"model_out_argmax"`
		Hex     []string `json:"payload_hex"`
	}
	golden.Each(t, "scorers/postprocess/*/expected.json", func(t *testing.T, path string) {
		var want map[string]json.RawMessage
		golden.ReadJSON(t, path, &want)
		dir := filepath.Dir(path)
		read := func(key string) (p payloads) {
			if err := json.Unmarshal(want[key], &p); err != nil || len(p.Hex) == 0 {
				t.Fatalf("%s: %v, %d payloads", key, err, len(p.Hex))
			}
			return p
		}
		logits, rows := readMatrix(t, filepath.Join(dir, "logits.npy"))
		class := read("resnet50_argmax_offset-1")
		checkPayloads(t, classifierBinding{Offset: 1}, classTensor(class.Classes...), len(class.Classes), class.Hex)
		checkPayloads(t, classifierBinding{Scores: true, Offset: 1}, scoreTensor(rows, logits...), rows,
			read("argmax_offset-1").Hex)
		checkPayloads(t, classifierBinding{Scores: true}, scoreTensor(rows, logits...), rows, read("argmax_offset0").Hex)
	})
}

func checkPayloads(t *testing.T, b classifierBinding, out backend.Tensor, n int, want []string) {
	t.Helper()
	var p sdk.Payloads
	if err := b.appendAnswers(out, n, &p); err != nil {
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
