package rag

import (
	"fmt"
	"strings"
	"testing"

	"github.com/plumbline-ml/plumbline/internal/synthetic/encyclopedia"
	"github.com/plumbline-ml/plumbline/plugins/rag/internal/standin"
	"github.com/plumbline-ml/plumbline/preprocess/text/wordpiece"
	"github.com/plumbline-ml/plumbline/sdk/manifest"
	"github.com/plumbline-ml/plumbline/sdk/manifest/manifesttest"
)

// shares are of lookups whose page is found, in percent.
type shares struct {
	Precision float64 `json:"precision_at_1"`
	Recall3   float64 `json:"recall_at_3"`
	Recall10  float64 `json:"recall_at_10"`
}

// facts is model/card.json.
type facts struct {
	manifest.ModelCard

	StandIn string `json:"stand_in"` // what takes the place of the language models and the judge

	Layers           int
	Width            int
	Inner            int
	Parameters       int     // of each of both
	Vocabulary       int     // tokens
	ProcessorMinutes float64 `json:"processor_minutes"`

	TrainWorlds       int `json:"train_worlds"`
	CalibrationWorlds int `json:"calibration_worlds"`
	UnseenWorlds      int `json:"unseen_worlds"`
	Lookups           int // in the unseen worlds

	// Found is by precision, then "encoder" or "reranked", then the form of what is looked for, or "all".
	Found  map[string]map[string]map[string]shares
	Floors map[string]map[string]shares // by what finds pages without learning, then as Found
}

func TestCardIsThatOfTheData(t *testing.T) {
	c := manifesttest.ReadCard[facts](t)
	lookups := 0
	for i := range encyclopedia.UnseenCount {
		lookups += len(encyclopedia.Unseen().World(i).Lookups())
	}
	if c.TrainWorlds != encyclopedia.TrainCount || c.CalibrationWorlds != encyclopedia.CalibrationCount ||
		c.UnseenWorlds != encyclopedia.UnseenCount || c.Lookups != lookups {
		t.Errorf("the card's sizes of sets %+v are not those of the data, with %d lookups", c, lookups)
	}
	if !strings.HasPrefix(c.StandIn, standin.Label) {
		t.Errorf("the card says %q of what stands in, want %s", c.StandIn, standin.Label)
	}
	if v := vocabulary(t); v.Size() != c.Vocabulary {
		t.Errorf("%d tokens, the card says %d", v.Size(), c.Vocabulary)
	}
}

func vocabulary(t *testing.T) *wordpiece.Tokenizer {
	t.Helper()
	text, err := modelFiles.ReadFile("model/vocab.txt")
	if err != nil {
		t.Fatal(err)
	}
	v, err := wordpiece.New(text)
	if err != nil {
		t.Fatal(err)
	}
	return v
}

// TestVocabularyKnowsTheData finds no unknown token in what is evaluated on.
func TestVocabularyKnowsTheData(t *testing.T) {
	v := vocabulary(t)
	unknown, _ := v.ID(wordpiece.Unknown)
	var texts []string
	for _, p := range encyclopedia.Eval().Pages() {
		texts = append(texts, p.Text)
	}
	for _, q := range encyclopedia.Eval().Questions() {
		texts = append(texts, q.Prompt)
	}
	for _, text := range texts {
		for _, id := range v.Encode(nil, text) {
			if id == unknown {
				t.Fatalf("an unknown token in %q", text)
			}
		}
	}
}

// TestTrainingIsWorthIt: both precisions find more than chance, than word overlap and than the network before its
// training, and the reranker finds more than the encoder alone.
func TestTrainingIsWorthIt(t *testing.T) {
	c := manifesttest.ReadCard[facts](t)
	for precision, found := range c.Found {
		encoder, reranked := found["encoder"]["all"], found["reranked"]["all"]
		for _, name := range []string{"random", "word_overlap", "untrained"} {
			floor, ok := c.Floors[name]["all"]
			if !ok || encoder.Precision <= floor.Precision || encoder.Recall10 <= floor.Recall10 {
				t.Errorf("%s: %+v, by %s %+v", precision, encoder, name, floor)
			}
		}
		if reranked.Precision < encoder.Precision+5 || reranked.Recall10 != encoder.Recall10 {
			t.Errorf("%s: %+v, reranked %+v", precision, encoder, reranked)
		}
	}
	if len(c.Found) != 2 {
		t.Errorf("the card has %d precisions, want fp32 and int8", len(c.Found))
	}
}

// TestTheLoopAnswersMost: in five rounds nine questions in ten are answered, in both precisions. A test of the plugin's
// main shows what one search is worth.
func TestTheLoopAnswersMost(t *testing.T) {
	c := manifesttest.ReadCard[facts](t)
	for _, precision := range []string{"fp32", "int8"} {
		f, ok := c.PartFile(embedderPart, precision)
		accuracy := f.Models[questionsModel][0].Value
		if !ok || accuracy < 90 {
			t.Errorf("%s: accuracy %v %%", precision, accuracy)
		}
		if precision == "fp32" {
			manifesttest.CheckReadmeRow(t, fmt.Sprintf("| 5 | 4 | %.2f |", accuracy))
		}
	}
}

// TestModelIsSmall: all files together have at most 5 MB.
func TestModelIsSmall(t *testing.T) {
	sum := int64(0)
	for _, f := range manifesttest.ReadCard[facts](t).Files {
		sum += f.Size
	}
	if sum > 5e6 {
		t.Errorf("%d bytes", sum)
	}
}

func TestReadmeHasTheFiguresOfTheCard(t *testing.T) {
	c := manifesttest.ReadCard[facts](t)
	manifesttest.CheckReadme(t, c.ModelCard, func(f manifest.CardFile) string {
		if f.Part != embedderPart {
			return ""
		}
		of := map[string]float64{}
		for _, m := range f.Models[questionsModel] {
			of[m.Name] = m.Value
		}
		return fmt.Sprintf("%.2f, %.4f, %.4f", of["accuracy"], of["retrieval_precision"], of["retrieval_recall"])
	})
	row := func(name string, s shares) {
		manifesttest.CheckReadmeRow(t, fmt.Sprintf("| %s | %.2f | %.2f | %.2f |", name, s.Precision, s.Recall3, s.Recall10))
	}
	for precision, named := range map[string]string{"fp32": "FP32", "int8": "INT8"} {
		row("encoder, "+named, c.Found[precision]["encoder"]["all"])
		row("encoder and reranker, "+named, c.Found[precision]["reranked"]["all"])
	}
	for name, of := range c.Floors {
		row(map[string]string{"random": "chance", "word_overlap": "word overlap", "bm25": "BM25",
			"untrained": "untrained encoder"}[name], of["all"])
	}
}
