package whisper

import (
	"encoding/json"
	"path/filepath"
	"strings"
	"testing"

	"github.com/plumbline-ml/plumbline/accuracy/wer"
	"github.com/plumbline-ml/plumbline/internal/golden"
	"github.com/plumbline-ml/plumbline/loadgen/mllog"
	"github.com/plumbline-ml/plumbline/sdk"
)

// TestGoldenScores scores the official logs through the benchmark's door.
func TestGoldenScores(t *testing.T) {
	golden.Each(t, "scorers/whisper/*/expected.json", func(t *testing.T, path string) {
		var want json.RawMessage
		golden.ReadJSON(t, path, &want)
		s, err := New().OpenScorer(t.Context(), sdk.ScoreOptions{Dataset: filepath.Dir(path)})
		if err != nil {
			t.Fatal(err)
		}
		golden.AddLog(t, filepath.Dir(path), func(index uint64, data []byte) error {
			return s.Add(mllog.AccuracyEntry{QSLIndex: index, Data: data})
		})
		score, err := s.Result()
		if err != nil || !strings.Contains(string(want), score.OfficialText) || score.OfficialText == "" {
			t.Errorf("%q, %v; want one of %s", score.OfficialText, err, want)
		}
	})
}

func TestScores(t *testing.T) {
	s, err := New().OpenScorer(t.Context(), sdk.ScoreOptions{})
	if err != nil {
		t.Fatal(err)
	}
	all := pack()
	add := func(i int, text string) {
		t.Helper()
		if err := s.Add(mllog.AccuracyEntry{QSLIndex: uint64(i), Data: wer.Payload(text)}); err != nil {
			t.Fatal(err)
		}
	}
	add(0, all[0].Transcript)
	add(1, all[1].Transcript)
	add(1, "")
	score, err := s.Result()
	if err != nil || score.Samples != 2 || len(score.Notes) != 2 || score.Metrics[0].Value >= 100 {
		t.Errorf("%+v, %v; want two samples, a note of another entry and one of missing clips", score, err)
	}
	for data, want := range map[string]string{"\x01": "payload", strings.Repeat("\xff", 8): "payload"} {
		if err := s.Add(mllog.AccuracyEntry{Data: []byte(data)}); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("payload %q: error %v", data, err)
		}
	}
}
