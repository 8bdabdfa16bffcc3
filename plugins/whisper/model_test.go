package whisper

import (
	"fmt"
	"slices"
	"testing"

	"github.com/plumbline-ml/plumbline/internal/synthetic/speech"
	"github.com/plumbline-ml/plumbline/plugins/whisper/internal/tiktoken"
	"github.com/plumbline-ml/plumbline/sdk/manifest"
	"github.com/plumbline-ml/plumbline/sdk/manifest/manifesttest"
)

// facts is model/card.json.
type facts struct {
	manifest.ModelCard

	Parameters int
	Vocabulary int

	TrainClips       int `json:"train_clips"`
	CalibrationClips int `json:"calibration_clips"`
	EvalClips        int `json:"eval_clips"`

	AccuracyAlone map[string]float64 `json:"accuracy_alone"` // percent, by precision: of clips that are not repackaged
}

func TestCardIsThatOfTheData(t *testing.T) {
	c := manifesttest.ReadCard[facts](t)
	if c.TrainClips != speech.TrainCount || c.CalibrationClips != speech.CalibrationCount ||
		c.EvalClips != speech.EvalCount {
		t.Errorf("the card's sizes of sets %+v are not those of the data", c)
	}
}

// TestVocabularyIsThatOfTheCard wants the special tokens right behind those of text.
func TestVocabularyIsThatOfTheCard(t *testing.T) {
	s := parseSettings(manifesttest.Params(t, New(), "", true, nil))
	v, err := openVocabulary(embeddedTokens, s.firstSpecial())
	if err != nil {
		t.Fatal(err)
	}
	end := int32(v.(*tiktoken.Vocabulary).Size())
	if !slices.Equal(s.EndIDs, []int32{end}) || !slices.Equal(s.PromptIDs, []int32{end + 1, end + 2, end + 3, end + 4}) ||
		manifesttest.ReadCard[facts](t).Vocabulary != int(end)+5 {
		t.Errorf("%d tokens of text, the prompt %v, ends %v", end, s.PromptIDs, s.EndIDs)
	}
}

func TestInt8KeepsItsShare(t *testing.T) {
	card := manifesttest.ReadCard[facts](t)
	whole, _ := card.PartFile(encoderPart, "fp32")
	small, _ := card.PartFile(encoderPart, "int8")
	for _, m := range whole.Metrics {
		if v, ok := small.Metric(m.Name); !ok || v < 0.99*m.Value || m.Value < 80 {
			t.Errorf("int8: %s is %v, want at least 99 %% of %v", m.Name, v, m.Value)
		}
	}
}

// TestReadmeHasTheFiguresOfTheCard wants the word error rate beside the encoder of each precision.
func TestReadmeHasTheFiguresOfTheCard(t *testing.T) {
	card := manifesttest.ReadCard[facts](t)
	for _, f := range card.Files {
		rate := ""
		if v, ok := f.Metric("accuracy"); ok && f.Part == encoderPart {
			rate = fmt.Sprintf("%.2f ", 100-v)
		}
		manifesttest.CheckReadmeRow(t, fmt.Sprintf("| `%s` | %s| %d | `%s` |", f.Name, rate, f.Size, f.SHA256))
	}
}
