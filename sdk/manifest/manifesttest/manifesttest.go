// Package manifesttest checks the model inside a benchmark: its files, its card, and the README beside them agree.
//
//	func TestCardIsThatOfTheFiles(t *testing.T) { manifesttest.CheckFiles(t, Card().Card, Bytes) }
//
// In: what holds for every embedded model. Out: the figures themselves, and the card's fields beyond [manifest.Card].
package manifesttest

import (
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/plumbline-ml/plumbline/sdk/manifest"
)

const (
	fileMost  = 4 << 20 // bytes of one file
	filesMost = 5 << 20 // bytes of all
)

// CheckFiles holds the card to the FP32 and the INT8 file: sizes, digests, and that they are small enough for a repository.
// bytes is the model package's, which has no other precision.
func CheckFiles(t *testing.T, card manifest.Card, bytes func(precision string) []byte) {
	t.Helper()
	total := 0
	for _, precision := range []string{"fp32", "int8"} {
		data := bytes(precision)
		file, ok := card.File(precision)
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
	if bytes("fp16") != nil {
		t.Error("there is a file of a precision that the card does not have")
	}
}

// CheckFields finds fields in the text of a card that facts, a pointer to the type that it is read into, does not have.
func CheckFields(t *testing.T, card string, facts any) {
	t.Helper()
	d := json.NewDecoder(strings.NewReader(card))
	d.DisallowUnknownFields()
	if err := d.Decode(facts); err != nil {
		t.Error(err)
	}
}

// CheckReadme finds a row for each of the card's files in the table of README.md: its name, what figures says of it, its size
// and its digest.
func CheckReadme(t *testing.T, card manifest.Card, figures func(manifest.CardFile) string) {
	t.Helper()
	for _, file := range card.Files {
		CheckReadmeRow(t, fmt.Sprintf("| `%s` | %s | %d | `%s` |", file.Name, figures(file), file.Size, file.SHA256))
	}
}

// CheckReadmeRow finds a row in README.md.
func CheckReadmeRow(t *testing.T, row string) {
	t.Helper()
	text, err := os.ReadFile("README.md")
	if err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(string(text), row) {
		t.Errorf("README.md lacks the row %s", row)
	}
}

// CheckOwned changes what bytes returns of each precision, and what each of others returns, and finds the change in what they
// return next: callers own it.
func CheckOwned(t *testing.T, bytes func(precision string) []byte, others ...func() []byte) {
	t.Helper()
	fp32, int8 := func() []byte { return bytes("fp32") }, func() []byte { return bytes("int8") }
	for i, read := range append(others, fp32, int8) {
		first := read()
		first[0] ^= 0xff
		if read()[0] == first[0] {
			t.Errorf("reader %d: a change to one caller's bytes reaches the next", i)
		}
	}
}

// CheckDefaults calls bind, which reads parameters, with the defaults of the embedded model and of each official one. They must
// not be faults.
func CheckDefaults(t *testing.T, m *manifest.Manifest, bind func(defaults map[string]string) error) {
	t.Helper()
	if err := bind(m.Embedded.Defaults); err != nil {
		t.Errorf("embedded: %v", err)
	}
	for _, e := range m.Models {
		if err := bind(e.Defaults); err != nil {
			t.Errorf("%s: %v", e.Name, err)
		}
	}
}

// ModelFile writes a file that may be opened as a model, as long as no backend looks at it, and returns its path.
func ModelFile(t testing.TB) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "model.onnx")
	if err := os.WriteFile(path, []byte("not a model"), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}
