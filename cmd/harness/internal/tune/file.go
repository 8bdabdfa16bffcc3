package tune

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
)

// Schema names the format of a file; SchemaVersion counts its versions.
const (
	Schema        = "plumbline.tuning"
	SchemaVersion = 1
)

// ErrFile: a file of settings cannot be read, or is not one.
var ErrFile = errors.New("tuned settings")

// File is what Search found for one model on one backend.
type File struct {
	Schema        string  `json:"schema"`
	SchemaVersion int     `json:"schema_version"`
	Model         string  `json:"model"`
	Backend       string  `json:"backend"` // as opened
	Precision     string  `json:"precision"`
	PluginSHA256  string  `json:"plugin_sha256"`
	Machine       string  `json:"machine"`
	Best          Setting `json:"best"`
	Points        []Point `json:"points"` // best first
}

// Save writes the file, and its folder.
func (f File) Save(path string) error {
	f.Schema, f.SchemaVersion = Schema, SchemaVersion
	text, err := json.MarshalIndent(f, "", "  ")
	if err == nil {
		err = os.MkdirAll(filepath.Dir(path), 0o777)
	}
	if err == nil {
		err = os.WriteFile(path, append(text, '\n'), 0o666)
	}
	if err != nil {
		return fmt.Errorf("%w: %w", ErrFile, err)
	}
	return nil
}

// Load reads the file.
func Load(path string) (File, error) {
	text, err := os.ReadFile(path)
	if err != nil {
		return File{}, fmt.Errorf("%w: %w", ErrFile, err)
	}
	f, err := parse(text)
	if err != nil {
		return File{}, fmt.Errorf("%w: %s: %w", ErrFile, path, err)
	}
	return f, nil
}

// most bounds each number of a setting.
const most = 1 << 20

// parse reads a file's contents and names every fault.
func parse(text []byte) (File, error) {
	var f File
	d := json.NewDecoder(bytes.NewReader(text))
	d.DisallowUnknownFields()
	if err := d.Decode(&f); err != nil {
		return File{}, err
	}
	var faults []error
	if f.Schema != Schema || f.SchemaVersion != SchemaVersion {
		faults = append(faults, fmt.Errorf("schema %q version %d, want %q version %d: harness tune writes it", f.Schema, f.SchemaVersion, Schema, SchemaVersion))
	}
	if f.Model == "" {
		faults = append(faults, errors.New("no model"))
	}
	for name, n := range map[string]int{"batch": f.Best.Batch, "sessions": f.Best.Sessions, "threads": f.Best.Threads} {
		if n < 0 || n > most {
			faults = append(faults, fmt.Errorf("%s %d, want 0 to %d", name, n, most))
		}
	}
	return f, errors.Join(faults...)
}
