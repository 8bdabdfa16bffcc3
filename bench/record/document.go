package record

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"

	"github.com/plumbline-ml/plumbline/internal/fetch/wholefile"

	"github.com/plumbline-ml/plumbline/bench/exitcode"
	"github.com/plumbline-ml/plumbline/sdk/backend"
)

// FileName is the name of every result file.
const FileName = "result.json"

// NewDocument returns a document with runs. Its exit code is the most severe of theirs.
func NewDocument(runs []Run) Document {
	codes := make([]exitcode.Code, len(runs))
	for i, r := range runs {
		codes[i] = exitcode.Code(r.ExitCode)
	}
	worst := exitcode.Worst(codes...)
	return Document{
		Schema: Schema, SchemaVersion: SchemaVersion, Note: statusNote(runs),
		ExitCode: int(worst), Outcome: worst.String(), Runs: nonNil(runs),
	}
}

// JSON returns the document as text.
func (d Document) JSON() ([]byte, error) {
	text, err := json.MarshalIndent(d, "", "  ")
	if err != nil {
		return nil, fmt.Errorf("writing the result as JSON: %w", err)
	}
	return append(text, '\n'), nil
}

// ErrSchema means that a file is not a result that this program can read.
var ErrSchema = errors.New("not a result file of this version")

// Parse parses a document of this version of the schema or an earlier one.
func Parse(text []byte) (Document, error) {
	var d Document
	if err := json.Unmarshal(text, &d); err != nil {
		return Document{}, fmt.Errorf("%w: %w", ErrSchema, err)
	}
	switch {
	case d.Schema == Schema && d.SchemaVersion > SchemaVersion:
		return Document{}, fmt.Errorf("%w: a newer harness wrote it: schema version %d, and this one reads up to %d; "+
			"update it", ErrSchema, d.SchemaVersion, SchemaVersion)
	case d.Schema != Schema || d.SchemaVersion < 1:
		return Document{}, fmt.Errorf("%w: schema %q version %d, want %q version 1 to %d", ErrSchema, d.Schema,
			d.SchemaVersion, Schema, SchemaVersion)
	}
	return d, nil
}

// maxBytes is the maximum size of a result.json to read. That of a run has about ten kilobytes.
const maxBytes = 64 << 20

// Read reads a result file. A missing file yields an empty document.
func Read(path string) (Document, error) {
	text, err := backend.ReadFile(path, maxBytes)
	if errors.Is(err, fs.ErrNotExist) {
		return NewDocument(nil), nil
	}
	if err != nil {
		return Document{}, err
	}
	d, err := Parse(text)
	if err != nil {
		return Document{}, fmt.Errorf("%s: %w", path, err)
	}
	return d, nil
}

// Merge replaces the runs with the same model, scenario, mode and compliance test, and appends the others.
func (d Document) Merge(runs ...Run) Document {
	merged := slices.Clone(d.Runs)
	for _, r := range runs {
		i := slices.IndexFunc(merged, func(m Run) bool { return m.Same(r) })
		if i < 0 {
			merged = append(merged, r)
			continue
		}
		merged[i] = r
	}
	return NewDocument(merged)
}

// WriteSuite writes the document of a suite's runs into dir; their paths are relative to dir. It replaces an earlier
// document of a suite. If dir contains a document of other runs, it returns an error. It removes temporary files of a
// killed writer, because the folder belongs to the suite.
func WriteSuite(dir string, d Document) error {
	text, err := d.JSON()
	if err == nil {
		_, err = ReadSuite(dir)
	}
	if err != nil {
		return err
	}
	_ = wholefile.RemoveTemp(dir) // a file that it cannot remove is removed by the next call
	return fileUpdate{filepath.Join(dir, FileName), text}.writeFile()
}

// ReadSuite reads the document of a suite's runs in dir, or returns an empty one if there is none. If dir contains a
// document of other runs, it returns an error.
func ReadSuite(dir string) (Document, error) {
	d, err := Read(filepath.Join(dir, FileName))
	if err == nil && d.Suite == "" && len(d.Runs) > 0 {
		err = fmt.Errorf("%s holds results of runs that are none of a suite; give another --out", dir)
	}
	return d, err
}

// Same reports whether two records belong to the same run of an output directory. The later record replaces the other.
func (r Run) Same(o Run) bool {
	return r.Model == o.Model && r.Scenario == o.Scenario && r.Mode == o.Mode && r.Test == o.Test
}

// Save merges runs into the result.json of their scenarios and into that of the output directory. If it cannot read one
// of these files, it changes none.
func Save(out string, runs ...Run) error {
	if len(runs) == 0 {
		return nil
	}
	updates, err := mergeAll(out, runs)
	for _, u := range updates {
		if err == nil {
			err = u.writeFile()
		}
	}
	return err
}

// fileUpdate is a result file with its new text.
type fileUpdate struct {
	path string
	text []byte
}

// mergeAll returns the updates of all files that contain the runs. The output directory's file is the last.
func mergeAll(out string, runs []Run) ([]fileUpdate, error) {
	var updates []fileUpdate
	var faults []error
	add := func(dir string, runs []Run) {
		u, err := mergeFile(filepath.Join(dir, FileName), runs)
		updates, faults = append(updates, u), append(faults, err)
	}
	scenarios := map[string][]Run{}
	for _, r := range runs {
		dir := filepath.Join(out, r.Model, r.Scenario)
		scenarios[dir] = append(scenarios[dir], r)
	}
	for _, dir := range slices.Sorted(maps.Keys(scenarios)) {
		add(dir, scenarios[dir])
	}
	add(out, runs)
	return updates, errors.Join(faults...)
}

func mergeFile(path string, runs []Run) (fileUpdate, error) {
	d, err := Read(path)
	if err != nil {
		return fileUpdate{}, fmt.Errorf("merging into an existing result: %w; move it away", err)
	}
	if d.Suite != "" {
		return fileUpdate{}, fmt.Errorf("%s lists the runs of %s, which lie in folders of their own; give another --out",
			path,
			d.Suite)
	}
	text, err := d.Merge(runs...).JSON()
	return fileUpdate{path, text}, err
}

func (u fileUpdate) writeFile() error {
	if err := os.MkdirAll(filepath.Dir(u.path), 0o755); err != nil {
		return err
	}
	return wholefile.Write(u.path, u.text, 0o644)
}
