package whisper

import (
	"encoding/json"
	"errors"
	"path/filepath"
	"strings"
	"testing"

	"github.com/plumbline-ml/plumbline/accuracy/wer"
	"github.com/plumbline-ml/plumbline/internal/testkit/golden"
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
	all := planPacks()
	add := func(i int, text string) {
		t.Helper()
		if err := s.Add(mllog.AccuracyEntry{QSLIndex: uint64(i), Data: wer.EncodePayload(text)}); err != nil {
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

// TestPayloadsOfAnotherType scores one payload by each type: its own, and others, which are refused where it shows.
func TestPayloadsOfAnotherType(t *testing.T) {
	all := planPacks()
	wide := wer.EncodePayload(all[0].Transcript) // int64
	var narrow []byte
	for i := 0; i < len(wide); i += 8 {
		narrow = append(narrow, wide[i])
	}
	narrow = narrow[:len(narrow)/8*8+1] // of a length that no int64 have
	for _, c := range []struct {
		dtype string
		data  []byte
		fails bool
	}{
		{"int64", wide, false}, {"int32", wide, false}, {"int8", narrow, false}, {"int64", narrow, true},
		{"int16", narrow, true},
	} {
		s, err := New().OpenScorer(t.Context(), sdk.ScoreOptions{Params: map[string]string{"dtype": c.dtype}})
		if err != nil {
			t.Fatal(err)
		}
		if err := s.Add(mllog.AccuracyEntry{Data: c.data}); (err != nil) != c.fails {
			t.Errorf("%d bytes as %s: error %v", len(c.data), c.dtype, err)
		}
	}
	_, err := New().OpenScorer(t.Context(), sdk.ScoreOptions{Params: map[string]string{"dtype": "text"}})
	if !errors.Is(err, sdk.ErrUsage) {
		t.Errorf("error %v of an unknown type", err)
	}
}
