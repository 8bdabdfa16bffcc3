package model

import (
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/plumbline-ml/plumbline/datasets/synthetic/clicks"
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
	if Bytes("fp8") != nil {
		t.Error("there is a file of no precision")
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
	c, rows := Card(), 0
	for _, n := range clicks.Rows() {
		rows += n
	}
	if c.Tables != clicks.Tables || c.Rows != rows || c.TrainPairs > clicks.TrainCount || c.EvalPairs != clicks.EvalCount {
		t.Errorf("the card has %d tables of %d rows, %d pairs and %d; the data %d of %d, %d and %d",
			c.Tables, c.Rows, c.TrainPairs, c.EvalPairs, clicks.Tables, rows, clicks.TrainCount, clicks.EvalCount)
	}
}

func TestAUCIsGoodAndNotPerfect(t *testing.T) {
	for _, file := range Card().Files {
		if auc, _ := file.Metric("AUC"); auc < 80 || auc > 86 {
			t.Errorf("%s: AUC %v %%, want 80 to 86", file.Name, auc)
		}
	}
}

func TestReadmeHasTheFiguresOfTheCard(t *testing.T) {
	text, err := os.ReadFile("README.md")
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range Card().Files {
		auc, _ := file.Metric("AUC")
		row := fmt.Sprintf("| `%s` | %.3f | %d | `%s` |", file.Name, auc, file.Size, file.SHA256)
		if !strings.Contains(string(text), row) {
			t.Errorf("README.md lacks the row %s", row)
		}
	}
}

func TestCallersOwnTheBytes(t *testing.T) {
	for _, precision := range []string{"fp32", "int8"} {
		first := Bytes(precision)
		first[0] ^= 0xff
		if Bytes(precision)[0] == first[0] {
			t.Errorf("%s: a change to one caller's bytes reaches the next", precision)
		}
	}
}
