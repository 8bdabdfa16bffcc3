package bleu

import (
	"encoding/hex"
	"encoding/json"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/plumbline-ml/plumbline/internal/pystr"
	"github.com/plumbline-ml/plumbline/internal/testkit/golden"
)

const reference = "newstest2014.tok.bpe.32000.de"

type scored struct {
	Stdout, Error string
	BLEU          float64
	BP            float64
	Precisions    []float64
	Matches       []int `json:"matches_by_order"`
	Possible      []int `json:"possible_matches_by_order"`
	Translation   int   `json:"translation_length"`
	Reference     int   `json:"reference_length"`
}

func TestGoldenGNMT(t *testing.T) {
	golden.Each(t, "scorers/gnmt/*/expected.json", func(t *testing.T, path string) {
		var want scored
		golden.ReadJSON(t, path, &want)
		dir := filepath.Dir(path)
		var references []string
		for _, line := range pystr.Lines(readText(t, filepath.Join(dir, reference))) {
			references = append(references, CleanReference(line))
		}
		s := New(references)
		addLines(t, filepath.Join(dir, "mlperf_log_accuracy.json"), s)
		got, err := s.Result()
		if err != nil {
			t.Fatal(err)
		}
		if want.Error != "" {
			checkDamaged(t, got, want.Error)
			return
		}
		checkCounts(t, got.NgramCounts, want)
		if got.String() != want.Stdout || !near(got.BLEU(), want.BLEU) || !near(got.Brevity(), want.BP) {
			t.Errorf("%s, %v, brevity %v; want %+v", got, got.BLEU(), got.Brevity(), want)
		}
		for i, p := range want.Precisions {
			if !near(got.Precision(i+1), p) {
				t.Errorf("precision of %d-grams %v, want %v", i+1, got.Precision(i+1), p)
			}
		}
	})
}

// addLines adds the complete entries of a log that may be truncated.
func addLines(t *testing.T, path string, s *TranslationScorer) {
	t.Helper()
	for line := range strings.Lines(readText(t, path)) {
		var e struct {
			Index uint64 `json:"qsl_idx"`
			Data  string
		}
		if json.Unmarshal([]byte(strings.TrimRight(line, ",\r\n ")), &e) != nil {
			continue
		}
		payload, err := hex.DecodeString(e.Data)
		if err != nil {
			t.Fatal(err)
		}
		if err := s.Add(e.Index, payload); err != nil {
			t.Fatal(err)
		}
	}
}

// checkDamaged checks that errors name the entries at which the official script stopped.
func checkDamaged(t *testing.T, got TranslationResult, official string) {
	t.Helper()
	if got.Damaged == 0 || got.Faults == nil || !strings.Contains(got.Faults.Error(), "sample ") {
		t.Errorf("%+v, want the entries at which the official script says %s", got, official)
	}
}

func checkCounts(t *testing.T, got NgramCounts, want scored) {
	t.Helper()
	if got.Translation != want.Translation || got.Reference != want.Reference {
		t.Errorf("lengths %d and %d, want %d and %d", got.Translation, got.Reference, want.Translation, want.Reference)
	}
	for i := range Order {
		if got.Matches[i] != want.Matches[i] || got.Possible[i] != want.Possible[i] {
			t.Errorf("%d of %d %d-grams match, want %d of %d", got.Matches[i], got.Possible[i], i+1, want.Matches[i],
				want.Possible[i])
		}
	}
}

func near(got, want float64) bool { return math.Abs(got-want) <= 1e-9*math.Abs(want) }

func readText(t *testing.T, path string) string {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

func TestGoldenReferenceLines(t *testing.T) {
	golden.Each(t, "translation/payload/expected.json", func(t *testing.T, path string) {
		var want struct {
			Lines []struct {
				Line  string
				Words []string
			} `json:"reference_lines"`
		}
		golden.ReadJSON(t, path, &want)
		for _, c := range want.Lines {
			if got := splitWords(CleanReference(c.Line)); strings.Join(got, "|") != strings.Join(c.Words, "|") {
				t.Errorf("%q gives %q, want %q", c.Line, got, c.Words)
			}
		}
	})
}

// sacreCase is one score of a corpus.
type sacreCase struct {
	Tokenize    string
	Lowercase   bool
	Smooth      string
	Value       *float64 `json:"smooth_value"`
	Score       float64
	Counts      []float64
	Totals      []float64
	Precisions  []float64
	BP          float64
	Translation int `json:"sys_len"`
	Reference   int `json:"ref_len"`
}

func (c *sacreCase) options(t *testing.T) SacreOptions {
	t.Helper()
	tokenizer, err := ParseTokenizer(c.Tokenize)
	if err != nil {
		t.Fatal(err)
	}
	smoothing, err := ParseSmoothing(c.Smooth)
	if err != nil {
		t.Fatal(err)
	}
	o := SacreOptions{Tokenizer: tokenizer, Lowercase: c.Lowercase, Smoothing: smoothing}
	if c.Value != nil {
		o.Value = *c.Value
	}
	return o
}

func TestGoldenSacreBLEU(t *testing.T) {
	golden.Each(t, "translation/sacrebleu/expected.json", func(t *testing.T, path string) {
		var want struct {
			Corpus    []sacreCase
			Sentences []struct {
				Line  int
				Score float64
			} `json:"sentence_exp_effective_order"`
			Tokens []struct {
				Line int
				T13a string
				Intl string
			} `json:"tokens_of_ref"`
		}
		golden.ReadJSON(t, path, &want)
		hyp := strings.Split(readText(t, filepath.Join(filepath.Dir(path), "hyp.txt")), "\n")
		ref := strings.Split(readText(t, filepath.Join(filepath.Dir(path), "ref.txt")), "\n")
		n := len(hyp)
		if hyp[n-1] == "" && ref[len(ref)-1] == "" {
			hyp, ref = hyp[:n-1], ref[:len(ref)-1]
		}
		for _, c := range want.Corpus {
			got, err := ScoreCorpus(ref, hyp, c.options(t))
			if err != nil {
				t.Fatal(err)
			}
			checkSacre(t, got, c)
		}
		for _, s := range want.Sentences {
			if got := ScoreSentence(ref[s.Line], hyp[s.Line], SacreOptions{}); !near(got.Score, s.Score) {
				t.Errorf("line %d: %v, want %v", s.Line, got.Score, s.Score)
			}
		}
		for _, l := range want.Tokens {
			for tokenizer, tokens := range map[SacreTokenizer]string{T13a: l.T13a, Intl: l.Intl} {
				if got := strings.Join(tokenizer.Tokens(ref[l.Line]), " "); got != tokens {
					t.Errorf("line %d, %v: %q, want %q", l.Line, tokenizer, got, tokens)
				}
			}
		}
	})
}

func checkSacre(t *testing.T, got SacreResult, want sacreCase) {
	t.Helper()
	name := want.Tokenize + " " + want.Smooth
	if !near(got.Score, want.Score) || !near(got.Brevity, want.BP) || got.Counts.Translation != want.Translation ||
		got.Counts.Reference != want.Reference {
		t.Errorf("%s: %+v, want %+v", name, got, want)
	}
	for i, p := range want.Precisions {
		if !near(got.Precisions[i], p) || got.matches[i] != want.Counts[i] || got.possible[i] != want.Totals[i] {
			t.Errorf("%s: %v of %v %d-grams, %v %%, want %v of %v, %v %%", name, got.matches[i], got.possible[i], i+1,
				got.Precisions[i], want.Counts[i], want.Totals[i], p)
		}
	}
}
