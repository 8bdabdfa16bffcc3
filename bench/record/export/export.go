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

// Format writes the samples of a run into its own file next to the run's logs.
type Format struct {
	// Name is the name of the file: "queries.csv".
	Name  string
	Write func(w io.Writer, s Samples) error
}

// CSVName and JSONLName are the files of this package's formats. ParquetName and HDRName are files of formats
// elsewhere.
const (
	CSVName     = "queries.csv"
	JSONLName   = "queries.jsonl"
	ParquetName = "queries.parquet"
	HDRName     = "queries.hdr"
)

// Names returns the names of all files that an export may write.
func Names() []string { return []string{CSVName, JSONLName, ParquetName, HDRName} }

// DefaultRows is the default maximum number of rows: about 70 MB of CSV.
const DefaultRows = 1_000_000

// Row is a sample. Times are in nanoseconds since the start of the timed series. nil means that there is no such value.
type Row struct {
	Query      uint64 `json:"query" parquet:"query,delta"`         // number of the query in the test
	Sample     uint64 `json:"sample" parquet:"sample,delta"`       // number of the sample in the test: its response id
	Index      uint32 `json:"sample_index" parquet:"sample_index"` // index in the data set
	Scheduled  int64  `json:"scheduled_ns" parquet:"scheduled_ns,delta"`
	Issued     int64  `json:"issued_ns" parquet:"issued_ns,delta"`
	FirstToken *int64 `json:"first_token_ns" parquet:"first_token_ns,optional"`
	Completed  *int64 `json:"completed_ns" parquet:"completed_ns,optional"`
	Latency    *int64 `json:"latency_ns" parquet:"latency_ns,optional"` // Completed - Scheduled
	Tokens     *int64 `json:"tokens" parquet:"tokens,optional"`
	Run        string `json:"run" parquet:"run,dict"` // name of the run, equal in all rows
}

// Source provides samples. loadgen.Recording implements it.
type Source interface {
	Samples() int
	SamplesPerQuery() int
	HasTokens() bool
	Slot(i int) loadgen.Slot
}

// Samples contains the samples of a run to export.
type Samples struct {
	recording Source
	step      int    // of the queries, or of the samples of the only query, every step-th is written
	run       string // name of the run
}

// Named returns the samples with the name of their run. Every row contains the name, so that rows of several runs can
// be combined.
func (s Samples) Named(run string) Samples {
	s.run = run
	return s
}

// Run returns the name of the run.
func (s Samples) Run() string { return s.run }

// Of returns the samples of a recording to export. If there are more than maxRows, it selects every n-th query (or, if
// all samples are one query as in Offline, every n-th sample), so that maxRows is not exceeded. A maxRows below 1 means
// DefaultRows.
func Of(r Source, maxRows int) Samples {
	if maxRows < 1 {
		maxRows = DefaultRows
	}
	s := Samples{recording: r, step: 1}
	if n := r.Samples(); n > maxRows {
		per := s.samplesPerStep()
		queries, room := (n+per-1)/per, max(1, maxRows/per)
		s.step = (queries + room - 1) / room
	}
	return s
}

// samplesPerStep returns the number of samples that are written or omitted together: the samples of a query, or 1 if
// there is only one query.
func (s Samples) samplesPerStep() int {
	if per := s.recording.SamplesPerQuery(); per < s.recording.Samples() {
		return per
	}
	return 1
}

// Step returns n if every n-th query, or every n-th sample of an only query, is written.
func (s Samples) Step() int { return s.step }

// Source returns the source with all samples.
func (s Samples) Source() Source { return s.recording }

// Rows returns the rows in the order of issue. The pointers in a row are valid until the next row.
func (s Samples) Rows() iter.Seq[Row] {
	return func(yield func(Row) bool) {
		per := s.samplesPerStep()
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

// rowMemory contains the values to which a row points.
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
