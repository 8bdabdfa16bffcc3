package model

import (
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/plumbline-ml/plumbline/datasets/synthetic/volumes"
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
		t.Error("there is a file of a precision that the card does not have")
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
	if c.TrainVolumes != volumes.TrainCount || c.CalibrationVolumes != volumes.CalibrationCount || c.EvalVolumes != volumes.EvalCount {
		t.Errorf("the card's sizes of sets %+v are not those of the data", c)
	}
}

func TestDICEIsGoodAndNotPerfect(t *testing.T) {
	var fp32 float64
	for _, file := range Card().Files {
		dice, _ := file.Metric("DICE")
		classes := Card().Classes[file.Precision]
		if mean := (classes["kidney"] + classes["tumour"]) / 2; dice < 0.8 || dice > 0.95 || dice > mean+1e-5 || dice < mean-1e-5 {
			t.Errorf("%s: DICE %v, of the classes %v; want 0.8 to 0.95, their mean", file.Name, dice, classes)
		}
		if file.Precision == "fp32" {
			fp32 = dice
		} else if dice < 0.99*fp32 {
			t.Errorf("%s keeps less than 99 %% of FP32", file.Name)
		}
	}
}

func TestReadmeHasTheFiguresOfTheCard(t *testing.T) {
	text, err := os.ReadFile("README.md")
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range Card().Files {
		dice, _ := file.Metric("DICE")
		classes := Card().Classes[file.Precision]
		row := fmt.Sprintf("| `%s` | %.4f | %.4f | %.4f | %d | `%s` |", file.Name, dice, classes["kidney"], classes["tumour"], file.Size, file.SHA256)
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
