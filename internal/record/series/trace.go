package series

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path/filepath"
	"slices"
	"time"

	"github.com/plumbline-ml/plumbline/internal/bounded"
	"github.com/plumbline-ml/plumbline/loadgen"
	"github.com/plumbline-ml/plumbline/loadgen/mllog"
)

// TraceName is the name of the trace log in a run's folder.
const TraceName = mllog.TraceFile

// Origin is the file from which a run's series were read.
type Origin string

// The origins. The series of a run without a series file are made from its trace log.
const (
	FromFile  Origin = FileName
	FromTrace Origin = TraceName
)

// ErrNone states that a run's folder contains neither series nor a trace log with samples.
var ErrNone = errors.New("there is neither " + FileName + " nor a " + TraceName + " with samples")

// Find reads the series in the folder of a run, or makes them from its trace log, of either LoadGen. A trace log
// contains no tokens. It may include an accuracy run before the timed run, which cannot be distinguished.
func Find(dir string) (*File, Origin, error) {
	f, err := Read(dir)
	if err == nil || !errors.Is(err, fs.ErrNotExist) {
		return f, FromFile, err
	}
	path := filepath.Join(dir, TraceName)
	in, err := bounded.Open(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, "", ErrNone
	}
	if err != nil {
		return nil, "", err
	}
	defer in.Close()
	f, err = FromTraceLog(in)
	if err != nil {
		return nil, "", fmt.Errorf("%s: %w", path, err)
	}
	return f, FromTrace, nil
}

// maxTraced limits the samples of a trace log that are read. Each takes 40 bytes of memory.
const maxTraced = 20_000_000

// tracedRun is a Source with the samples of a trace log, ordered by query. Times are measured from the earliest.
type tracedRun struct {
	slots           []tracedSlot
	samplesPerQuery int
	begin           int64
}

// tracedSlot is a sample. Times are measured from the trace's start.
type tracedSlot struct {
	sample, query uint32
	delay         uint32 // in ns, up to 4.3 s
	index         uint32
	due, done     int64
}

// FromTraceLog makes series from a trace log. It returns ErrNone if the log contains no samples.
func FromTraceLog(in io.Reader) (*File, error) {
	var t tracedRun
	r := mllog.NewTraceReader(in)
	for {
		e, err := r.Next()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return nil, err
		}
		if s, ok := e.Sample(); ok {
			if err := t.add(s); err != nil {
				return nil, err
			}
		}
	}
	if len(t.slots) == 0 {
		return nil, ErrNone
	}
	t.sortSamples()
	return FromSource(&t), nil
}

func (t *tracedRun) add(s mllog.TraceSample) error {
	const most = 1 << 60
	if len(t.slots) >= maxTraced {
		return fmt.Errorf("more than %d samples in the trace log; run with this harness, which leaves a %s", maxTraced,
			FileName)
	}
	if s.Latency < 0 || s.IssueDelay < 0 || s.Scheduled < -most || s.Scheduled > most || s.Latency > most {
		return fmt.Errorf("sample %d was due at %d ns, issued %d ns later and answered %d ns later", s.SampleSeq,
			s.Scheduled, s.IssueDelay, s.Latency)
	}
	t.slots = append(t.slots, tracedSlot{
		sample: uint32(s.SampleSeq), query: uint32(s.QuerySeq), delay: uint32(min(s.IssueDelay, 1<<32-1)),
		index: uint32(s.Index), due: s.Scheduled, done: s.Scheduled + s.Latency,
	})
	return nil
}

// sortSamples sorts samples by due time and then by query, and counts the samples of a query.
func (t *tracedRun) sortSamples() {
	slices.SortFunc(t.slots, func(a, b tracedSlot) int {
		return cmp.Or(cmp.Compare(a.due, b.due), cmp.Compare(a.query, b.query), cmp.Compare(a.sample, b.sample))
	})
	t.samplesPerQuery = 1
	for t.samplesPerQuery < len(t.slots) && t.slots[t.samplesPerQuery].query == t.slots[0].query {
		t.samplesPerQuery++
	}
	t.begin = t.slots[0].due
}

// Start implements Source. It returns a zero time, because a trace log does not contain the time of day.
func (t *tracedRun) Start() time.Time     { return time.Time{} }
func (t *tracedRun) Samples() int         { return len(t.slots) }
func (t *tracedRun) SamplesPerQuery() int { return t.samplesPerQuery }
func (t *tracedRun) HasTokens() bool      { return false }
func (t *tracedRun) HasFirstTokens() bool { return false }

func (t *tracedRun) Slot(i int) loadgen.Slot {
	s := &t.slots[i]
	return loadgen.Slot{
		Sample: uint64(s.sample), Query: uint64(s.query), Index: loadgen.SampleIndex(s.index),
		Scheduled: s.due - t.begin, Issued: s.due - t.begin + int64(s.delay), Done: s.done - t.begin,
	}
}
