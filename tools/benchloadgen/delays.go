package main

import (
	"bytes"
	"errors"
	"io"
	"os"
	"path/filepath"
	"slices"
	"time"

	"github.com/plumbline-ml/plumbline/loadgen/mllog"
)

// readDelays returns the issue delays in the trace log of a directory, sorted.
func readDelays(dir string) ([]time.Duration, error) {
	text, err := os.ReadFile(filepath.Join(dir, "mlperf_log_trace.json"))
	if err != nil {
		return nil, err
	}
	var delays []time.Duration
	for trace := mllog.NewTraceReader(bytes.NewReader(text)); ; {
		e, err := trace.Next()
		if errors.Is(err, io.EOF) {
			slices.Sort(delays)
			return delays, nil
		}
		if err != nil {
			return nil, err
		}
		if s, ok := e.Sample(); ok {
			delays = append(delays, time.Duration(s.IssueDelay))
		}
	}
}

// percentileMicros returns the percentile p of sorted times in us.
func percentileMicros(sorted []time.Duration, p float64) float64 {
	if len(sorted) == 0 {
		return 0
	}
	return float64(sorted[int(float64(len(sorted))*p)]) / 1e3
}
