package model

import (
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/plumbline-ml/plumbline/datasets/synthetic/questions"
	"github.com/plumbline-ml/plumbline/preprocess/text/wordpiece"
)

const (
	fileMost  = 4 << 20 // bytes of one file
	filesMost = 5 << 20 // bytes of both
)

func TestCardIsThatOfTheFiles(t *testing.T) {
	total := 0
	for precision, data := range map[string][]byte{"fp32": Bytes("fp32"), "int8": Bytes("int8")} {
		file, ok := Card().File(precision)
		if !ok {
			t.Fatalf("no %s file in the card", precision)
		}
		if sum := fmt.Sprintf("%x", sha256.Sum256(data)); file.SHA256 != sum || file.Size != int64(len(data)) {
			t.Errorf("%s has %d bytes, sha256 %s; the card says %d, %s", precision, len(data), sum, file.Size, file.SHA256)
		}
		if len(data) > fileMost {
			t.Errorf("%s has %d bytes, want at most %d", precision, len(data), fileMost)
		}
		total += len(data)
	}
	if total > filesMost {
		t.Errorf("the files have %d bytes together, want at most %d", total, filesMost)
	}
	if Bytes("fp16") != nil {
		t.Error("there is a file of an unknown precision")
	}
}

func TestCardHasNoUnknownFields(t *testing.T) {
	d := json.NewDecoder(strings.NewReader(cardText))
	d.DisallowUnknownFields()
	if err := d.Decode(new(Facts)); err != nil {
		t.Error(err)
	}
}

func TestCardIsThatOfTheData(t *testing.T) {
	c := Card()
	if c.TrainPassages != questions.TrainCount || c.CalibrationPassages != questions.CalibrationCount || c.EvalPassages != questions.EvalCount {
		t.Errorf("the card's sizes of sets %+v are not those of the data", c)
	}
	v, err := wordpiece.New(Vocab())
	if err != nil {
		t.Fatal(err)
	}
	if v.Size() != c.Vocabulary {
		t.Errorf("%d tokens, the card says %d", v.Size(), c.Vocabulary)
	}
}

// TestVocabularyKnowsTheData finds no unknown token in what is evaluated on.
func TestVocabularyKnowsTheData(t *testing.T) {
	v, err := wordpiece.New(Vocab())
	if err != nil {
		t.Fatal(err)
	}
	unknown, _ := v.ID(wordpiece.Unknown)
	for _, p := range questions.Eval().Paragraphs(0, questions.EvalCount) {
		for _, id := range v.Encode(nil, p.Context) {
			if id == unknown {
				t.Fatalf("an unknown token in %q", p.Context)
			}
		}
	}
}

func TestAccuracyIsGoodAndNotPerfect(t *testing.T) {
	reference, _ := Card().File("fp32")
	best, _ := reference.Metric("F1")
	for _, file := range Card().Files {
		if f1, _ := file.Metric("F1"); f1 < 80 || f1 > 99 || f1 < 0.99*best {
			t.Errorf("%s: F1 %v %%, want 80 to 99 and 99 %% of FP32's %v", file.Name, f1, best)
		}
	}
}

func TestReadmeHasTheFiguresOfTheCard(t *testing.T) {
	text, err := os.ReadFile("README.md")
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range Card().Files {
		f1, _ := file.Metric("F1")
		row := fmt.Sprintf("| `%s` | %.2f | %.2f | %d | `%s` |", file.Name, f1, Card().ExactMatch[file.Precision], file.Size, file.SHA256)
		if !strings.Contains(string(text), row) {
			t.Errorf("README.md lacks the row %s", row)
		}
	}
}

func TestCallersOwnTheBytes(t *testing.T) {
	for name, bytes := range map[string]func() []byte{
		"fp32": func() []byte { return Bytes("fp32") }, "int8": func() []byte { return Bytes("int8") }, "vocab": Vocab,
	} {
		first := bytes()
		first[0] ^= 0xff
		if bytes()[0] == first[0] {
			t.Errorf("%s: a change to one caller's bytes reaches the next", name)
		}
	}
}
