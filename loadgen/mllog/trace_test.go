package mllog_test

import (
	"bytes"
	"encoding/json"
	"testing"
	"time"

	"github.com/plumbline-ml/plumbline/loadgen/mllog"
)

func TestTraceOfFirstTokens(t *testing.T) {
	var log bytes.Buffer
	w := mllog.NewTraceWriter(&log, time.Unix(1, 0), 5)
	want := mllog.TraceSample{SampleSeq: 3, QuerySeq: 2, Index: 9, Scheduled: 1000, IssueDelay: 20, Latency: 70}
	if err := w.Token(want); err != nil {
		t.Fatal(err)
	}
	if err := w.TokenLatency(want); err != nil {
		t.Fatal(err)
	}
	if err := w.Span("LoadSamples", 5*time.Microsecond, 1500*time.Nanosecond); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	if !json.Valid(log.Bytes()) {
		t.Errorf("no JSON:\n%s", log.String())
	}
	r := mllog.NewTraceReader(&log)
	var found []mllog.TraceSample
	for {
		e, err := r.Next()
		if err != nil {
			break
		}
		if s, ok := e.Token(); ok {
			found = append(found, s)
		}
		if _, ok := e.Sample(); ok {
			t.Errorf("%+v is taken for a sample", e)
		}
		if span := e.Name == "LoadSamples"; span && (e.Phase != "X" || e.At != 5*time.Microsecond ||
			e.Dur != 1500*time.Nanosecond || e.TID != 5) {
			t.Errorf("span %+v", e)
		}
	}
	// The counter does not name its sample.
	anonymous := mllog.TraceSample{Scheduled: 1000, IssueDelay: 20, Latency: 70}
	if len(found) != 2 || found[0] != want || found[1] != anonymous {
		t.Errorf("found %+v, want %+v and %+v", found, want, anonymous)
	}
}
