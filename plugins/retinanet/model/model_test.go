package model

import (
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/plumbline-ml/plumbline/datasets/synthetic/scenes"
)

const (
	fileMost  = 4 << 20 // bytes of one file
	filesMost = 5 << 20 // bytes of both
)

func TestCardIsThatOfTheFiles(t *testing.T) {
	total := 0
	for _, precision := range []string{"fp32", "int8"} {
		data := Bytes(precision)
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
		t.Error("there is a file of a precision that the card does not name")
	}
}

func TestCardHasNoUnknownFields(t *testing.T) {
	d := json.NewDecoder(strings.NewReader(cardText))
	d.DisallowUnknownFields()
	if err := d.Decode(new(struct {
		Facts
		TrainedWith any `json:"trained_with"` // says more than the manifest reads
	})); err != nil {
		t.Error(err)
	}
}

func TestCardIsThatOfTheData(t *testing.T) {
	c := Card()
	if c.Classes != scenes.Classes {
		t.Errorf("%d classes, the data have %d", c.Classes, scenes.Classes)
	}
	if c.TrainPictures != scenes.TrainCount || c.CalibrationPictures != scenes.CalibrationCount || c.EvalPictures != scenes.EvalCount {
		t.Errorf("the card's sizes of sets %+v are not those of the data", c)
	}
}

func TestMAPIsGoodAndNotPerfect(t *testing.T) {
	fp32, _ := Card().File("fp32")
	int8, _ := Card().File("int8")
	full, ok := fp32.Metric("mAP")
	if !ok || full < 40 || full > 90 {
		t.Errorf("FP32: mAP %v %%, want 40 to 90", full)
	}
	if quantised, ok := int8.Metric("mAP"); !ok || quantised < 0.99*full {
		t.Errorf("INT8: mAP %v %%, want at least 99 %% of %v", quantised, full)
	}
}

func TestReadmeHasTheFiguresOfTheCard(t *testing.T) {
	text, err := os.ReadFile("README.md")
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range Card().Files {
		full, _ := file.Metric("mAP")
		row := fmt.Sprintf("| `%s` | %.2f | %d | `%s` |", file.Name, full, file.Size, file.SHA256)
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
