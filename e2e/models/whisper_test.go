package models

import (
	"errors"
	"path/filepath"
	"strings"
	"testing"

	"github.com/plumbline-ml/plumbline/e2e/internal/harness"
	"github.com/plumbline-ml/plumbline/e2e/internal/results"
	"github.com/plumbline-ml/plumbline/internal/testkit/officialdata"
	"github.com/plumbline-ml/plumbline/internal/testkit/testfile"
	"github.com/plumbline-ml/plumbline/internal/testkit/tinymodel"
)

// TestServerThatTranscribes scores a server's transcripts, and counts the tokens that it reports.
func TestServerThatTranscribes(t *testing.T) {
	dir, out, models := t.TempDir(), filepath.Join(t.TempDir(), "out"), t.TempDir()
	err := errors.Join(officialdata.WhisperClips(dir),
		tinymodel.WhisperEncoder().Write(filepath.Join(models, "encoder.onnx")), // as names go: the server has its own
		tinymodel.WhisperDecoder(officialdata.Whisper()).Write(filepath.Join(models, "decoder.onnx")))
	if err != nil {
		t.Fatal(err)
	}
	url := harness.StartMock(t, harness.MockOpenAI, nil, "-listen", "127.0.0.1:0", "-transcript", "Yes, no.")
	r := harness.Run(t, "run", "whisper", "--backend", "openai", "--backend-opt", "url="+url, "--param",
		"tokenizer=server",
		"--dataset", dir, "--model", models, "--smoke", "--set", "min_query_count=20", "--out", out).WantCode(t, 0)
	for _, want := range []string{"60 tokens", "the server's", "a server transcribes, by features, prompt and limits"} {
		if !strings.Contains(r.Stdout, want) {
			t.Errorf("it printed:\n%s\nwant %q", r.Stdout, want)
		}
	}
	var doc results.Document
	testfile.ReadJSON(t, filepath.Join(out, "result.json"), &doc)
	for _, run := range doc.Runs {
		if run.Accuracy != nil {
			wantScores(t, "whisper", map[string]float64{"accuracy": officialdata.WhisperAccuracy}, run.Accuracy.Metrics)
		}
	}
	harness.Run(t, "run", "whisper", "--backend", "openai", "--backend-opt", "url="+url, "--backend-opt", "api=chat",
		"--param", "tokenizer=server", "--dataset", dir, "--model", models, "--smoke", "--out", out, "--force").WantCode(t, 2)
}
