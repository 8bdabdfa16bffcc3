package manifesttest

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/plumbline-ml/plumbline/sdk/manifest"
)

// folder is the folder of the embedded model, relative to the benchmark's folder.
const folder = "model"

// ReadCard reads model/card.json into F, which embeds [manifest.ModelCard] and adds this card's further fields. A field
// missing from F is a fault. below contains subfolders of model, for a model with its own embedded files.
func ReadCard[F any](t *testing.T, below ...string) F {
	t.Helper()
	var facts F
	text, err := os.ReadFile(filepath.Join(folder, filepath.Join(below...), "card.json"))
	if err != nil {
		t.Fatal(err)
	}
	d := json.NewDecoder(strings.NewReader(string(text)))
	d.DisallowUnknownFields()
	if err := d.Decode(&facts); err != nil {
		t.Fatal(err)
	}
	return facts
}

// CheckReadme requires a row for each of the card's files in the table of model/README.md: its name, the result of
// figures, its size and its digest.
func CheckReadme(t *testing.T, card manifest.ModelCard, figures func(manifest.CardFile) string, below ...string) {
	t.Helper()
	for _, file := range card.Files {
		row := fmt.Sprintf("| `%s` | %s | %d | `%s` |", file.Name, figures(file), file.Size, file.SHA256)
		CheckReadmeRow(t, row, below...)
	}
}

// CheckReadmeRow requires a row in model/README.md, or in the README.md of a subfolder.
func CheckReadmeRow(t *testing.T, row string, below ...string) {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(folder, filepath.Join(below...), "README.md"))
	if err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(string(text), row) {
		t.Errorf("README.md lacks the row %s", row)
	}
}
