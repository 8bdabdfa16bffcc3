package wer

import (
	"encoding/hex"
	"math"
	"path/filepath"
	"strings"
	"testing"

	"github.com/plumbline-ml/plumbline/accuracy"
	"github.com/plumbline-ml/plumbline/internal/pystr"
	"github.com/plumbline-ml/plumbline/internal/testkit/golden"
)

// textCases contains pairs of texts. Out is nil if the official code fails.
type textCases struct {
	Cases []struct {
		In  string
		Out *string
	}
}

func TestGoldenClean(t *testing.T) {
	golden.Each(t, "scorers/rnnt_text/references.json", func(t *testing.T, path string) {
		checkTexts(t, path, CleanTranscript)
	})
}

func TestGoldenNormalise(t *testing.T) {
	golden.Each(t, "scorers/whisper_text/normaliser.json", func(t *testing.T, path string) {
		checkTexts(t, path, func(s string) (string, error) { return NormaliseEnglish(s), nil })
	})
}

func checkTexts(t *testing.T, path string, change func(string) (string, error)) {
	t.Helper()
	var want textCases
	golden.ReadJSON(t, path, &want)
	for _, c := range want.Cases {
		got, err := change(c.In)
		switch {
		case (err != nil) != (c.Out == nil):
			t.Errorf("%q: %q, %v", c.In, got, err)
		case c.Out != nil && got != *c.Out:
			t.Errorf("%q gives\n%q, want\n%q", c.In, got, *c.Out)
		}
	}
}

func TestGoldenDistance(t *testing.T) {
	for name, errors := range map[string]func(ref, hyp []string) int{
		"rnnt_text": editDistance, "whisper_text": joinedDistance,
	} {
		golden.Each(t, "scorers/"+name+"/wer.json", func(t *testing.T, path string) {
			var want struct {
				Cases []struct {
					Ref, Hyp      string
					Errors, Words int
					Plain         *int `json:"plain_levenshtein"`
				}
			}
			golden.ReadJSON(t, path, &want)
			for _, c := range want.Cases {
				ref, hyp := pystr.Fields(c.Ref), pystr.Fields(c.Hyp)
				if got := errors(ref, hyp); got != c.Errors || len(ref) != c.Words {
					t.Errorf("%q, %q: %d errors of %d words, want %+v", c.Ref, c.Hyp, got, len(ref), c)
				}
				if c.Plain != nil && editDistance(ref, hyp) != *c.Plain {
					t.Errorf("%q, %q: distance %d, want %d", c.Ref, c.Hyp, editDistance(ref, hyp), *c.Plain)
				}
			}
		})
	}
}

func TestGoldenPayload(t *testing.T) {
	golden.Each(t, "scorers/whisper_text/payload.json", func(t *testing.T, path string) {
		var want struct {
			Labels string
			Cases  []struct{ Text, Hex, Back string }
		}
		golden.ReadJSON(t, path, &want)
		if want.Labels != whisperLabels {
			t.Errorf("labels %q, want %q", whisperLabels, want.Labels)
		}
		for _, c := range want.Cases {
			data, err := hex.DecodeString(c.Hex)
			if err != nil {
				t.Fatal(err)
			}
			if got := EncodePayload(c.Text); strings.ToUpper(hex.EncodeToString(got)) != c.Hex {
				t.Errorf("%q: payload %x, want %s", c.Text, got, c.Hex)
			}
			if back, err := decodeLabels(whisperLabels, accuracy.Int64, data); err != nil || back != c.Back {
				t.Errorf("%s is %q, %v; want %q", c.Hex, back, err, c.Back)
			}
		}
	})
}

type scored struct {
	Args struct {
		DType string `json:"output_dtype"`
	}
	Stdout  string
	Percent float64 `json:"wer_percent"`
	Kept    int     `json:"n_kept"`
}

// transcripts returns the transcripts of those clips in a manifest that the scorer keeps: clips up to a maximum length
// in seconds.
func transcripts(t *testing.T, path string, seconds float64) []string {
	t.Helper()
	var clips []struct {
		Transcript string
		Duration   float64 `json:"original_duration"`
	}
	golden.ReadJSON(t, path, &clips)
	var kept []string
	for _, c := range clips {
		if c.Duration <= seconds {
			kept = append(kept, c.Transcript)
		}
	}
	return kept
}

func TestGoldenRNNT(t *testing.T) {
	golden.Each(t, "scorers/rnnt/*/expected.json", func(t *testing.T, path string) {
		var want scored
		golden.ReadJSON(t, path, &want)
		var references []string
		for _, text := range transcripts(t, filepath.Join(filepath.Dir(path), "dev-clean-wav.json"), 15) {
			clean, err := CleanTranscript(text)
			if err == nil {
				references = append(references, clean)
			}
		}
		if len(references) != want.Kept {
			t.Errorf("%d references, want %d", len(references), want.Kept)
		}
		checkScore(t, path, want, references, NewRNNT)
	})
}

func TestGoldenWhisper(t *testing.T) {
	golden.Each(t, "scorers/whisper/*/expected.json", func(t *testing.T, path string) {
		var want scored
		golden.ReadJSON(t, path, &want)
		checkScore(t, path, want, transcripts(t, filepath.Join(filepath.Dir(path), "dev-all-repack.json"), 30), NewWhisper)
	})
}

func checkScore(t *testing.T, path string, want scored, references []string,
	scorer func([]string, PayloadOptions) (*TranscriptScorer, error),
) {
	t.Helper()
	dtype, err := DTypes().Parse(want.Args.DType)
	if err != nil {
		t.Fatal(err)
	}
	s, err := scorer(references, PayloadOptions{DType: dtype})
	if err != nil {
		t.Fatal(err)
	}
	golden.AddLog(t, filepath.Dir(path), s.Add)
	got, err := s.Result()
	if err != nil {
		t.Fatal(err)
	}
	if got.String() != want.Stdout || math.Abs(got.Rate()*100-want.Percent) > 1e-12*want.Percent {
		t.Errorf("%s, want %s", got, want.Stdout)
	}
}
