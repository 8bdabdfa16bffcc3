package series

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"time"

	"github.com/plumbline-ml/plumbline/internal/bounded"
	"github.com/plumbline-ml/plumbline/internal/fetch/wholefile"
	"github.com/plumbline-ml/plumbline/loadgen"

	"github.com/plumbline-ml/plumbline/bench/record/metric"
)

// FileName is the name of the file in the folder of a run. Schema names its format, and SchemaVersion is the format's
// version. Within a version fields are only added.
const (
	FileName      = "series.json"
	Schema        = "plumbline.series"
	SchemaVersion = 1
)

// MaxBytes limits the size of a file for writing and reading.
const MaxBytes = 1 << 20

// File contains a run's measurements. Times are nanoseconds since Start.
type File struct {
	Schema        string    `json:"schema"`
	SchemaVersion int       `json:"schema_version"`
	Start         time.Time `json:"start"`
	// Duration is the time of the last answer.
	Duration        int64 `json:"duration_ns"`
	Queries         int   `json:"queries"`
	Samples         int   `json:"samples"`
	SamplesPerQuery int   `json:"samples_per_query"`
	Unanswered      int   `json:"unanswered"` // samples that were unanswered at the end of the run
	// Lines and Histograms contain the same distributions, in nanoseconds. Their names are the keys of
	// metric.Distributions. They omit a distribution without values.
	Lines      []Line      `json:"lines"`
	Histograms []Histogram `json:"histograms"`
	// Bands contains the distributions of Lines that have enough values.
	Bands []Band `json:"bands,omitempty"`
	Rates Rates  `json:"rates"`
	// Lengths contains the lengths of prompts and answers of a measured server; nil: they are unknown.
	Lengths *Lengths `json:"lengths,omitempty"`
	// Collected contains the readings of a server's metrics and of meters.
	Collected []CollectedSeries `json:"told,omitempty"`
}

// Line is a measure over time: a selection of its values that includes the highest value of each stretch. T contains
// the due times of the samples, ascending; V contains the values.
type Line struct {
	Name string  `json:"name"`
	Of   int     `json:"of"` // number of all values
	T    []int64 `json:"t_ns"`
	V    []int64 `json:"v_ns"`
}

// last returns the due time of the last sample, or 0 if there are none.
func (l *Line) last() int64 {
	if len(l.T) == 0 {
		return 0
	}
	return l.T[len(l.T)-1]
}

// Rates contains counts in steps of equal length. The first step begins at 0.
type Rates struct {
	Step    int64   `json:"step_ns"`
	Queries []int64 `json:"queries"` // issued in the step
	Samples []int64 `json:"samples"` // answered in the step
	Tokens  []int64 `json:"tokens"`  // tokens of the samples answered in the step; empty if tokens are not counted
	// Streamed counts the tokens that arrived in the step, for a measured server.
	Streamed []int64 `json:"streamed,omitempty"`
	// Outstanding is the largest number of issued, unanswered samples at 32 times in each step.
	Outstanding []int64 `json:"outstanding"`
}

// Line returns the line of a distribution, or nil.
func (f *File) Line(of metric.Times) *Line {
	for i := range f.Lines {
		if f.Lines[i].Name == of.Key {
			return &f.Lines[i]
		}
	}
	return nil
}

// Histogram returns the histogram of a distribution, or nil.
func (f *File) Histogram(of metric.Times) *Histogram {
	for i := range f.Histograms {
		if f.Histograms[i].Name == of.Key {
			return &f.Histograms[i]
		}
	}
	return nil
}

// JSON returns the file's text.
func (f *File) JSON() ([]byte, error) {
	text, err := json.Marshal(f)
	if err == nil && len(text) >= MaxBytes {
		err = fmt.Errorf("the series take %d bytes, want at most %d", len(text), MaxBytes)
	}
	return append(text, '\n'), err
}

// Write writes the file of a timed run to a folder.
func Write(r loadgen.Recording, dir string) error {
	text, err := FromSource(r).JSON()
	if err != nil {
		return err
	}
	return wholefile.Write(filepath.Join(dir, FileName), text, 0o644)
}

// ErrFormat is wrapped by errors about damaged files and files that are not series of this version.
var ErrFormat = errors.New("not a series file")

// Parse parses a file's text. In a returned File, lines and rates have equal lengths, and counts add up.
func Parse(text []byte) (*File, error) {
	var f File
	if err := json.Unmarshal(text, &f); err != nil {
		return nil, fmt.Errorf("%w: %w", ErrFormat, err)
	}
	if f.Schema != Schema {
		return nil, fmt.Errorf("%w: schema %q, want %q", ErrFormat, f.Schema, Schema)
	}
	if f.SchemaVersion != SchemaVersion {
		return nil, fmt.Errorf("%w: version %d, want %d; a newer harness wrote it", ErrFormat, f.SchemaVersion, SchemaVersion)
	}
	if err := f.check(); err != nil {
		return nil, fmt.Errorf("%w: %w", ErrFormat, err)
	}
	return &f, nil
}

// Read reads the file in a run's folder. If there is none, the error wraps fs.ErrNotExist.
func Read(dir string) (*File, error) {
	path := filepath.Join(dir, FileName)
	in, err := bounded.Open(path)
	if err != nil {
		return nil, err
	}
	defer in.Close()
	text, err := io.ReadAll(io.LimitReader(in, MaxBytes+1))
	if err != nil {
		return nil, err
	}
	if len(text) > MaxBytes {
		return nil, fmt.Errorf("%s: %w: it is longer than %d bytes", path, ErrFormat, MaxBytes)
	}
	f, err := Parse(text)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return f, nil
}
