package reasoning

import (
	"fmt"
	"testing"

	synthetic "github.com/plumbline-ml/plumbline/internal/synthetic/reasoning"
	"github.com/plumbline-ml/plumbline/plugins/internal/language"
	"github.com/plumbline-ml/plumbline/preprocess/text/bpe"
	"github.com/plumbline-ml/plumbline/sdk/manifest"
	"github.com/plumbline-ml/plumbline/sdk/manifest/manifesttest"
)

// facts is model/card.json.
type facts struct {
	manifest.ModelCard

	Parameters int
	Vocabulary int
	Processor  float64 `json:"processor_minutes"`

	TrainRows       int `json:"train_rows"`
	CalibrationRows int `json:"calibration_rows"`

	// Guesses is what always answering the most frequent truth scores, in percent, by model and by kind of question.
	Guesses map[string]map[string]float64 `json:"guess_baseline"`
}

func TestCardIsThatOfTheData(t *testing.T) {
	c := manifesttest.ReadCard[facts](t)
	if c.TrainRows != synthetic.TrainCount || c.CalibrationRows != synthetic.CalibrationCount {
		t.Errorf("the card's sizes of sets %+v are not those of the data", c)
	}
	for model, rows := range map[string]synthetic.Rows{
		"deepseek-r1": synthetic.DeepSeek(), "gpt-oss-120b": synthetic.GPTOSS(),
	} {
		truths := map[string]map[string]int{}
		count := map[string]int{}
		for _, r := range rows {
			if truths[r.Dataset] == nil {
				truths[r.Dataset] = map[string]int{}
			}
			truths[r.Dataset][r.Truth]++
			count[r.Dataset]++
		}
		for set, of := range truths {
			most := 0
			for _, n := range of {
				most = max(most, n)
			}
			want := fmt.Sprintf("%.1f", 100*float64(most)/float64(count[set]))
			if got := fmt.Sprintf("%.1f", c.Guesses[model][set]); got != want {
				t.Errorf("guesses of %s %s score %s %%, want %s", model, set, got, want)
			}
		}
	}
}

func TestTokenizerIsThatOfTheCard(t *testing.T) {
	opened, err := openTokenizer(language.EmbeddedTokenizer)
	if err != nil {
		t.Fatal(err)
	}
	tokenizer := opened.(*bpe.Tokenizer)
	if want := manifesttest.ReadCard[facts](t).Vocabulary; tokenizer.Size() != want {
		t.Errorf("the tokenizer has %d tokens, the card says %d", tokenizer.Size(), want)
	}
	for i, name := range []string{"<｜begin▁of▁sentence｜>", "<｜end▁of▁sentence｜>", "<|return|>", "<|start|>", "<|end|>",
		"<|message|>", "<|channel|>", "<｜User｜>", "<｜Assistant｜>"} {
		if got := tokenizer.Token(int32(i)); got != name {
			t.Errorf("token %d is %q, want %q", i, got, name)
		}
	}
	if ids := tokenizer.EncodePlain(nil, "<think>4711"); len(ids) != 5 {
		t.Errorf("%d tokens of a marker and four digits, want 5", len(ids))
	}
	if text, err := tokenizer.Decode(tokenizer.EncodePlain(nil, "<think>1</think>")); err != nil ||
		text != "<think>1</think>" {
		t.Errorf("a thought is read back as %q, %v", text, err)
	}
}

// TestModelBeatsGuesses: a fault of grading shows, for most answers are right, and not all.
func TestModelBeatsGuesses(t *testing.T) {
	for _, file := range manifesttest.ReadCard[facts](t).Files {
		for _, model := range []string{"deepseek-r1", "gpt-oss-120b"} {
			if v := value(file, model, withoutProgramsMetric); v < 70 || v >= 99.9 {
				t.Errorf("%s of %s: %s is %v %%, want 70 %% or more, and not all", file.Name, model, withoutProgramsMetric, v)
			}
		}
	}
}

func value(file manifest.CardFile, model, name string) float64 {
	for _, m := range file.Models[model] {
		if m.Name == name {
			return m.Value
		}
	}
	return -1
}

func TestReadmeIsThatOfTheCard(t *testing.T) {
	manifesttest.CheckReadme(t, manifesttest.ReadCard[facts](t).ModelCard, func(f manifest.CardFile) string {
		return fmt.Sprintf("%.1f | %.1f", value(f, "deepseek-r1", withoutProgramsMetric), value(f, "gpt-oss-120b",
			withoutProgramsMetric))
	})
}
