// Package export writes one row per sample of LoadGen's measurements, in formats that other programs read.
//
// In scope: the recording of a timed run, CSV and JSON lines. Out of scope: formats that require a library (the harness
// adds them).
package export

import (
	"io"
	"iter"

	"github.com/plumbline-ml/plumbline/loadgen"
)

// Format writes the samples of a run into a file of its own beside the run's logs.
type Format struct {
	// Name is the file's: "queries.csv".
	Name  string
	Write func(w io.Writer, s Samples) error
}

// CSVName and JSONLName are the files of the formats of this package; ParquetName and HDRName those of others.
const (
	CSVName     = "queries.csv"
	JSONLName   = "queries.jsonl"
	ParquetName = "queries.parquet"
	HDRName     = "queries.hdr"
)

// Names are those of every file that an export may leave.
func Names() []string { return []string{CSVName, JSONLName, ParquetName, HDRName} }

// DefaultRows is how many samples are written where nobody says: some 70 MB as CSV.
const DefaultRows = 1_000_000

// Row is a sample. Times are nanoseconds since the start of the timed series; nil stands for what there is not.
type Row struct {
	Query      uint64 `json:"query" parquet:"query,delta"`         // its number in the test
	Sample     uint64 `json:"sample" parquet:"sample,delta"`       // its number in the test, which is its response id
	Index      uint32 `json:"sample_index" parquet:"sample_index"` // in the data set
	Scheduled  int64  `json:"scheduled_ns" parquet:"scheduled_ns,delta"`
	Issued     int64  `json:"issued_ns" parquet:"issued_ns,delta"`
	FirstToken *int64 `json:"first_token_ns" parquet:"first_token_ns,optional"`
	Completed  *int64 `json:"completed_ns" parquet:"completed_ns,optional"`
	Latency    *int64 `json:"latency_ns" parquet:"latency_ns,optional"` // Completed - Scheduled
	Tokens     *int64 `json:"tokens" parquet:"tokens,optional"`
	Run        string `json:"run" parquet:"run,dict"` // the name of the run, the same in all rows
}

// Source is where samples come from, as loadgen.Recording hands them out.
type Source interface {
	Samples() int
	SamplesPerQuery() int
	HasTokens() bool
	Slot(i int) loadgen.Slot
}

// Samples are those of a run.
type Samples struct {
	recording Source
	step      int    // every step-th query, or sample of the only query, is written
	run       string // its name
}

// Named are the samples of a run of a name, which every row says, so that rows of several runs can be put together.
func (s Samples) Named(run string) Samples {
	s.run = run
	return s
}

// Run is the name of the run.
func (s Samples) Run() string { return s.run }

// Of are the samples of a recording: all of them, or where they are more than most every n-th query (of an Offline run,
// whose samples are one query, every n-th sample), so that no more than most are left. most below 1 is DefaultRows.
func Of(r Source, most int) Samples {
	if most < 1 {
		most = DefaultRows
	}
	s := Samples{recording: r, step: 1}
	if n := r.Samples(); n > most {
		per := s.together()
		queries, room := (n+per-1)/per, max(1, most/per)
		s.step = (queries + room - 1) / room
	}
	return s
}

// together is how many samples are written or left out together: those of a query, unless it is the only one.
func (s Samples) together() int {
	if per := s.recording.SamplesPerQuery(); per < s.recording.Samples() {
		return per
	}
	return 1
}

// Step says that every Step-th query, or sample of an only query, is written.
func (s Samples) Step() int { return s.step }

// Source is what the samples are of, none left out.
func (s Samples) Source() Source { return s.recording }

// Rows are the samples in the order of issue. A row's pointers are valid until the next one.
func (s Samples) Rows() iter.Seq[Row] {
	return func(yield func(Row) bool) {
		per := s.together()
		var kept rowMemory
		for i := range s.recording.Samples() {
			if i/per%s.step != 0 {
				continue
			}
			row := kept.makeRow(s.recording, i)
			if row.Run = s.run; !yield(row) {
				return
			}
		}
	}
}

// rowMemory holds what a row points to.
type rowMemory struct{ first, done, latency, tokens int64 }

func (k *rowMemory) makeRow(r Source, i int) Row {
	slot := r.Slot(i)
	row := Row{
		Query: slot.Query, Sample: slot.Sample, Index: uint32(slot.Index), Scheduled: slot.Scheduled, Issued: slot.Issued,
	}
	if slot.FirstToken > 0 {
		k.first = slot.FirstToken
		row.FirstToken = &k.first
	}
	if slot.Done < 0 {
		return row
	}
	k.done, k.latency = slot.Done, slot.Done-slot.Scheduled
	row.Completed, row.Latency = &k.done, &k.latency
	if r.HasTokens() {
		k.tokens = int64(slot.Tokens)
		row.Tokens = &k.tokens
	}
	return row
}
