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

// FileName is the name of the file in the folder of a run. Schema names its format; SchemaVersion counts its versions.
// Within a version fields are only added.
const (
	FileName      = "series.json"
	Schema        = "plumbline.series"
	SchemaVersion = 1
)

// MostBytes is the size up to which a file is written and read.
const MostBytes = 1 << 20

// File is what a run measured. Times are nanoseconds since Start.
type File struct {
	Schema        string    `json:"schema"`
	SchemaVersion int       `json:"schema_version"`
	Start         time.Time `json:"start"`
	// Duration is when the last sample was answered.
	Duration        int64 `json:"duration_ns"`
	Queries         int   `json:"queries"`
	Samples         int   `json:"samples"`
	SamplesPerQuery int   `json:"samples_per_query"`
	Unanswered      int   `json:"unanswered"` // samples that the end of the run came before
	// Lines and Histograms are of the same distributions, named by the keys of metric.Distributions, in nanoseconds; one
	// that no query has is in neither.
	Lines      []Line      `json:"lines"`
	Histograms []Histogram `json:"histograms"`
	// Bands are of the distributions of Lines that have values enough.
	Bands []Band `json:"bands,omitempty"`
	Rates Rates  `json:"rates"`
	// Lengths are those of prompts and answers, where a server was measured; nil: they are not known.
	Lengths *Lengths `json:"lengths,omitempty"`
	// Told is what a server and meters told meanwhile.
	Told []Told `json:"told,omitempty"`
}

// Line is a measure over time: some values of all, among them the highest of each stretch. T is when each sample was
// due, ascending; V is its value.
type Line struct {
	Name string  `json:"name"`
	Of   int     `json:"of"` // how many values there were
	T    []int64 `json:"t_ns"`
	V    []int64 `json:"v_ns"`
}

// last is when the last sample was due; 0 where there is none.
func (l *Line) last() int64 {
	if len(l.T) == 0 {
		return 0
	}
	return l.T[len(l.T)-1]
}

// Rates count in steps of equal length, the first of which begins at 0.
type Rates struct {
	Step    int64   `json:"step_ns"`
	Queries []int64 `json:"queries"` // issued in the step
	Samples []int64 `json:"samples"` // answered in the step
	Tokens  []int64 `json:"tokens"`  // of the samples answered in the step; empty where tokens are not counted
	// Streamed are the tokens that came in the step, where a server was measured: each at its own time.
	Streamed []int64 `json:"streamed,omitempty"`
	// Outstanding is the most samples that were issued and not answered, as seen at 32 times of each step.
	Outstanding []int64 `json:"outstanding"`
}

// Line finds the line of a distribution; nil: it has none.
func (f *File) Line(of metric.Times) *Line {
	for i := range f.Lines {
		if f.Lines[i].Name == of.Key {
			return &f.Lines[i]
		}
	}
	return nil
}

// Histogram finds the histogram of a distribution; nil: it has none.
func (f *File) Histogram(of metric.Times) *Histogram {
	for i := range f.Histograms {
		if f.Histograms[i].Name == of.Key {
			return &f.Histograms[i]
		}
	}
	return nil
}

// JSON is the file's text.
func (f *File) JSON() ([]byte, error) {
	text, err := json.Marshal(f)
	if err == nil && len(text) >= MostBytes {
		err = fmt.Errorf("the series take %d bytes, want at most %d", len(text), MostBytes)
	}
	return append(text, '\n'), err
}

// Write leaves the file of a timed run in a folder.
func Write(r loadgen.Recording, dir string) error {
	text, err := Of(r).JSON()
	if err != nil {
		return err
	}
	return wholefile.Write(filepath.Join(dir, FileName), text, 0o644)
}

// ErrFormat says that a file is no series file of this version, or damaged.
var ErrFormat = errors.New("not a series file")

// Parse reads a file's text. What it returns is sound: lines and rates have equal lengths, and counts add up.
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

// Read reads the file of a run's folder. Where there is none the error wraps fs.ErrNotExist.
func Read(dir string) (*File, error) {
	path := filepath.Join(dir, FileName)
	in, err := bounded.Open(path)
	if err != nil {
		return nil, err
	}
	defer in.Close()
	text, err := io.ReadAll(io.LimitReader(in, MostBytes+1))
	if err != nil {
		return nil, err
	}
	if len(text) > MostBytes {
		return nil, fmt.Errorf("%s: %w: it is longer than %d bytes", path, ErrFormat, MostBytes)
	}
	f, err := Parse(text)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return f, nil
}
