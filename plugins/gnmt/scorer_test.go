package gnmt

import (
	"math"
	"strings"
	"testing"

	"github.com/plumbline-ml/plumbline/loadgen/mllog"
	"github.com/plumbline-ml/plumbline/sdk"
)

func scoreOf(t *testing.T, files map[string]string, payloads ...string) sdk.Score {
	t.Helper()
	s, err := New().OpenScorer(t.Context(), sdk.ScoreOptions{Dataset: official(t, files)})
	if err != nil {
		t.Fatal(err)
	}
	for i, p := range payloads {
		if err := s.Add(mllog.AccuracyEntry{QSLIndex: uint64(i % 3), Data: []byte(p)}); err != nil {
			t.Fatal(err)
		}
	}
	score, err := s.Result()
	if err != nil {
		t.Fatal(err)
	}
	return score
}

// longer are references with 4-grams.
var longer = map[string]string{"newstest2014.tok.bpe.32000.de": "x@@ y y y y\n\ny y y y y\n"}

func TestScore(t *testing.T) {
	score := scoreOf(t, longer, "xy y y y", "", "y y y y y", "late")
	if len(score.Metrics) != 2 || math.Abs(score.Metrics[0].Value-100) > 1e-9 ||
		math.Abs(score.Metrics[1].Value-100) > 1e-9 || score.OfficialText != "BLEU: 100.0" || score.Samples != 3 {
		t.Errorf("%+v", score)
	}
	if notes := strings.Join(score.Notes, "\n"); !strings.Contains(notes, "1 entries dropped") ||
		!strings.Contains(notes, "sacreBLEU: tokenizer 13a") {
		t.Errorf("notes %q", notes)
	}
}

func TestScoreOfDamagedAndMissing(t *testing.T) {
	score, empty := scoreOf(t, longer, "xy y y y", "\xff"), scoreOf(t, longer, "xy y y y", "")
	if score.Metrics[1] != empty.Metrics[1] {
		t.Errorf("damaged text scores %v, an empty one %v", score.Metrics[1], empty.Metrics[1])
	}
	notes := strings.Join(score.Notes, "\n")
	for _, want := range []string{"1 entries are not text", "sample 1: byte 0xff", "1 of 3 sentences are not in the log"} {
		if !strings.Contains(notes, want) {
			t.Errorf("notes %q do not say %q", notes, want)
		}
	}
}

func TestScoreOfReferencesThatAreShifted(t *testing.T) {
	score := scoreOf(t, map[string]string{"newstest2014.tok.bpe.32000.de": "x y\u2028y y\ny\ny y\n"}, "xy")
	notes := strings.Join(score.Notes, "\n")
	if !strings.Contains(notes, "has 4 lines and newstest2014.tok.bpe.32000.en 3") {
		t.Errorf("notes %q", notes)
	}
}

// TestSacreBLEUAsAskedFor changes its case and smoothing.
func TestSacreBLEUAsAskedFor(t *testing.T) {
	value := func(params map[string]string) (float64, string) {
		s, err := New().OpenScorer(t.Context(), sdk.ScoreOptions{Dataset: official(t, longer), Params: params})
		if err != nil {
			t.Fatal(err)
		}
		if err := s.Add(mllog.AccuracyEntry{Data: []byte("XY y Y b y")}); err != nil {
			t.Fatal(err)
		}
		score, err := s.Result()
		if err != nil {
			t.Fatal(err)
		}
		return score.Metrics[1].Value, score.Notes[0]
	}
	plain, _ := value(nil)
	lower, note := value(map[string]string{"sacrebleu_case": "lower"})
	none, _ := value(map[string]string{"sacrebleu_smoothing": "none"})
	if none != 0 || plain <= none || lower <= plain || !strings.Contains(note, "letters made small, smoothing exp") {
		t.Errorf("%v; small letters %v, no smoothing %v; note %q", plain, lower, none, note)
	}
}
