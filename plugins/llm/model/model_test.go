package model

import (
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/plumbline-ml/plumbline/datasets/synthetic/articles"
	"github.com/plumbline-ml/plumbline/preprocess/text/bpe"
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
	if c.TrainArticles != articles.TrainCount || c.CalibrationArticles != articles.CalibrationCount || c.EvalArticles != articles.EvalCount {
		t.Errorf("the card's sizes of sets %+v are not those of the data", c)
	}
}

func TestTokenizerIsThatOfTheCard(t *testing.T) {
	tokenizer, err := bpe.ParseJSON(Tokenizer(), bpe.Options{})
	if err != nil {
		t.Fatal(err)
	}
	if tokenizer.Size() != Card().Vocabulary {
		t.Errorf("the tokenizer has %d tokens, the card says %d", tokenizer.Size(), Card().Vocabulary)
	}
	for i, name := range []string{"<|end|>", "<|article|>", "<|summary|>"} {
		if got := tokenizer.Token(int32(i)); got != name {
			t.Errorf("token %d is %q, want %q", i, got, name)
		}
	}
}

func TestSummariesBeatLeadingSentences(t *testing.T) {
	for _, file := range Card().Files {
		for _, kind := range []string{"rouge1", "rouge2", "rougeL", "rougeLsum"} {
			value, ok := file.Metric(kind)
			lead := Card().Lead[kind]
			if !ok || lead <= 0 || value < 2*lead || value >= 99.9 {
				t.Errorf("%s: %s is %v %%, that of leading sentences %v %%: want at least twice as much, and not all", file.Name, kind, value, lead)
			}
		}
	}
}

func TestInt8KeepsItsShare(t *testing.T) {
	whole, _ := Card().File("fp32")
	small, _ := Card().File("int8")
	for _, m := range whole.Metrics {
		if v, ok := small.Metric(m.Name); !ok || v < 0.99*m.Value {
			t.Errorf("int8: %s is %v, want at least 99 %% of %v", m.Name, v, m.Value)
		}
	}
}

func TestReadmeHasTheFiguresOfTheCard(t *testing.T) {
	text, err := os.ReadFile("README.md")
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range Card().Files {
		value := func(kind string) float64 { v, _ := file.Metric(kind); return v }
		row := fmt.Sprintf("| `%s` | %.1f | %.1f | %.1f | %.1f | %d | `%s` |", file.Name, value("rouge1"), value("rouge2"),
			value("rougeL"), value("rougeLsum"), file.Size, file.SHA256)
		if !strings.Contains(string(text), row) {
			t.Errorf("README.md lacks the row %s", row)
		}
	}
	lead := Card().Lead
	row := fmt.Sprintf("| first three sentences | %.1f | %.1f | %.1f | %.1f |", lead["rouge1"], lead["rouge2"], lead["rougeL"], lead["rougeLsum"])
	if !strings.Contains(string(text), row) {
		t.Errorf("README.md lacks the row %s", row)
	}
}

func TestCallersOwnTheBytes(t *testing.T) {
	for _, read := range []func() []byte{func() []byte { return Bytes("fp32") }, func() []byte { return Bytes("int8") }, Tokenizer} {
		first := read()
		first[0] ^= 0xff
		if read()[0] == first[0] {
			t.Error("a change to one caller's bytes reaches the next")
		}
	}
	if Bytes("fp64") != nil {
		t.Error("there are bytes of fp64")
	}
}
