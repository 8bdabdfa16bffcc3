package mlmark

import (
	"encoding/json"
	"fmt"
	"path/filepath"

	"github.com/plumbline-ml/plumbline/internal/fetch/wholefile"
	"github.com/plumbline-ml/plumbline/sdk/backend"

	"github.com/plumbline-ml/plumbline/bench/record"
)

// FileName is the name of a task's document in its folder.
const FileName = "mlmark.json"

// The schema of a document.
const (
	Schema        = "plumbline.mlmark"
	SchemaVersion = 1
)

// Note is the note in every document and under every table.
const Note = "MLMark-style, not an MLMark score: MLMark's own harness, targets and models make those."

// TaskDocument is the stored result of a task.
type TaskDocument struct {
	Schema        string `json:"schema"`
	SchemaVersion int    `json:"schema_version"`
	Note          string `json:"note"`
	TaskResult
	// Raw contains times in seconds, as in MLMark: the total, then each query. It is empty for accuracy.
	Raw    []float64  `json:"raw"`
	WarmUp float64    `json:"warm_up"` // seconds of the warm-up queries, which no other figure includes
	Run    record.Run `json:"run"`     // the run and its machine
}

// Write writes the document into a folder.
func (d TaskDocument) Write(dir string) error {
	d.Schema, d.SchemaVersion, d.Note = Schema, SchemaVersion, Note
	text, err := json.MarshalIndent(d, "", "  ")
	if err != nil {
		return fmt.Errorf("writing %s: %w", FileName, err)
	}
	return wholefile.Write(filepath.Join(dir, FileName), append(text, '\n'), 0o644)
}

// maxDocument limits the size of a document that is read. Ten million times have 200 MB.
const maxDocument = 1 << 30

// Read reads the document in a folder.
func Read(dir string) (d TaskDocument, err error) {
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
