package mlmark

import (
	"encoding/json"
	"fmt"
	"path/filepath"

	"github.com/plumbline-ml/plumbline/internal/fetch/wholefile"
	"github.com/plumbline-ml/plumbline/sdk/backend"

	"github.com/plumbline-ml/plumbline/bench/record"
)

// FileName is that of a task's document in its folder.
const FileName = "mlmark.json"

// The document's schema.
const (
	Schema        = "plumbline.mlmark"
	SchemaVersion = 1
)

// Note stands in every document and under every table.
const Note = "MLMark-style, not an MLMark score: MLMark's own harness, targets and models make those."

// Document is the stored record of a task.
type Document struct {
	Schema        string `json:"schema"`
	SchemaVersion int    `json:"schema_version"`
	Note          string `json:"note"`
	Result
	// Raw are seconds, as MLMark has them: the total, then each query. Empty for accuracy.
	Raw    []float64  `json:"raw"`
	WarmUp float64    `json:"warm_up"` // seconds of the queries before them, which count in nothing
	Run    record.Run `json:"run"`     // what ran, on which machine
}

// Write writes the document into a folder.
func (d Document) Write(dir string) error {
	d.Schema, d.SchemaVersion, d.Note = Schema, SchemaVersion, Note
	text, err := json.MarshalIndent(d, "", "  ")
	if err != nil {
		return fmt.Errorf("writing %s: %w", FileName, err)
	}
	return wholefile.Write(filepath.Join(dir, FileName), append(text, '\n'), 0o644)
}

// maxDocument is the size up to which a document is read: ten million times have 200 MB.
const maxDocument = 1 << 30

// Read reads the document in a folder.
func Read(dir string) (d Document, err error) {
	path := filepath.Join(dir, FileName)
	text, err := backend.ReadFile(path, maxDocument)
	if err == nil {
		err = json.Unmarshal(text, &d)
	}
	if err == nil && (d.Schema != Schema || d.SchemaVersion != SchemaVersion) {
		err = fmt.Errorf("%s: schema %q version %d, want %q version %d", path, d.Schema, d.SchemaVersion, Schema,
			SchemaVersion)
	}
	return d, err
}
