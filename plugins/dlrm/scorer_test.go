package dlrm

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/plumbline-ml/plumbline/internal/synthetic/clicks"
	"github.com/plumbline-ml/plumbline/loadgen/mllog"
	"github.com/plumbline-ml/plumbline/sdk"
	"github.com/plumbline-ml/plumbline/sdk/backend"
)

func scored(t *testing.T, o sdk.ScoreOptions, entries ...mllog.AccuracyEntry) (sdk.Score, error) {
	t.Helper()
	s, err := New().OpenScorer(t.Context(), o)
	if err != nil {
		return sdk.Score{}, err
	}
	for _, e := range entries {
		if err := s.Add(e); err != nil {
			return sdk.Score{}, err
		}
	}
	return s.Result()
}

func entry(index uint64, values ...float32) mllog.AccuracyEntry {
	return mllog.AccuracyEntry{SeqID: index, QSLIndex: index, Data: backend.Bytes(values)}
}

func TestScoreNotes(t *testing.T) {
	got, err := scored(t, sdk.ScoreOptions{
		Dataset: oneHotDir(t, 6), Model: "dlrm", Params: map[string]string{"grouping": "2"},
	},
		entry(0, 0.5, 1, 0.7, 1), entry(0, 1, 0, 1, 0))
	if err != nil {
		t.Fatal(err)
	}
	notes := strings.Join(got.Notes, "\n")
	for _, want := range []string{"all 2 pairs have label 1: the AUC is undefined", "1 entries dropped",
		"2 of 3 samples are not in the log"} {
		if !strings.Contains(notes, want) {
			t.Errorf("notes %q, want %q", notes, want)
		}
	}
	if got.Samples != 1 || got.Metrics[0].Value == got.Metrics[0].Value {
		t.Errorf("%+v, want NaN of one sample", got)
	}
}

// TestScoreOfPredictionsAlone takes the labels of the embedded data set: predicting them is perfect.
func TestScoreOfPredictionsAlone(t *testing.T) {
	b := clicks.NewBlock(200)
	if err := clicks.Eval().Read(b, 0); err != nil {
		t.Fatal(err)
	}
	predictions := make([]float32, len(b.Labels))
	for i, label := range b.Labels {
		predictions[i] = float32(label) / 2
	}
	got, err := scored(t, sdk.ScoreOptions{Params: map[string]string{"labels": "dataset"}}, entry(0, predictions...))
	if err != nil || got.Metrics[0].Value != 100 {
		t.Errorf("%+v, %v", got, err)
	}
}

func TestScoreRefuses(t *testing.T) {
	text := t.TempDir()
	if err := os.WriteFile(filepath.Join(text, textName), []byte("0\t1\nx\t1\n"), 0o666); err != nil {
		t.Fatal(err)
	}
	byTwo := map[string]string{"grouping": "2"}
	tests := []struct {
		name    string
		o       sdk.ScoreOptions
		entries []mllog.AccuracyEntry
		kind    error
		want    []string
	}{
		{"every option", sdk.ScoreOptions{
			Count: -1, Params: map[string]string{"dtype": "int8", "labels": "none", "more": "1"},
		}, nil, sdk.ErrUsage,
			[]string{`dtype "int8"`, `labels = "none"`, `"more"`, "count = -1"}},
		{"model", sdk.ScoreOptions{Model: "x"}, nil, sdk.ErrUsage, []string{"unknown model"}},
		{"text", sdk.ScoreOptions{Dataset: text, Params: byTwo}, nil, sdk.ErrData,
			[]string{"day_23", "line 2", "want 0 or 1"}},
		{"folder", sdk.ScoreOptions{Dataset: t.TempDir()}, nil, sdk.ErrData, []string{"holds neither"}},
		{"empty log", sdk.ScoreOptions{}, nil, sdk.ErrData, []string{"no sample"}},
		{"length", sdk.ScoreOptions{Dataset: oneHotDir(t, 4), Params: byTwo}, []mllog.AccuracyEntry{entry(1, 0.5, 1)},
			sdk.ErrData, []string{"1 pairs in 8 bytes, want 2"}},
		{"index", sdk.ScoreOptions{Dataset: oneHotDir(t, 4), Params: byTwo}, []mllog.AccuracyEntry{entry(2, 0.5, 1, 0.5, 1)},
			sdk.ErrData, []string{"sample 2, want one below 2"}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			_, err := scored(t, tt.o, tt.entries...)
			if !errors.Is(err, tt.kind) {
				t.Fatalf("error %v, want %v", err, tt.kind)
			}
			for _, want := range tt.want {
				if !strings.Contains(err.Error(), want) {
					t.Errorf("error %v, want %q", err, want)
				}
			}
		})
	}
}
