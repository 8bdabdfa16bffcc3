package main

import (
	"context"
	_ "embed"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"strconv"
)

//go:embed official.py
var officialScript string

// runPython runs the official LoadGen with a null SUT and returns the seconds of its StartTest. Its logs are in dir.
func (o options) runPython(ctx context.Context, dir, scenario string, queries uint64, qps float64,
	trace bool) (float64, error) {
	cmd := exec.CommandContext(ctx, o.python, "-c", officialScript, dir, scenario, strconv.FormatUint(queries, 10),
		strconv.FormatFloat(qps, 'g', -1, 64), strconv.FormatBool(trace))
	cmd.Dir = dir // an audit.config in the working directory would be used
	out, err := cmd.Output()
	if err != nil {
		var exit *exec.ExitError
		if errors.As(err, &exit) {
			err = fmt.Errorf("%w: %s", err, exit.Stderr)
		}
		return 0, fmt.Errorf("%s with mlperf_loadgen: %w", o.python, err)
	}
	var result struct{ Seconds float64 }
	if err := json.Unmarshal(out, &result); err != nil {
		return 0, fmt.Errorf("what %s printed: %w", o.python, err)
	}
	return result.Seconds, nil
}

// inTempDir calls f with a temporary directory, which it then removes.
func inTempDir(f func(dir string) error) error {
	dir, err := os.MkdirTemp("", "benchloadgen")
	if err != nil {
		return err
	}
	defer func() { _ = os.RemoveAll(dir) }() // a temporary directory; the system removes the rest
	return f(dir)
}

// pythonRates measures the Python package in millions of samples per second; nil without an interpreter.
func (o options) pythonRates(ctx context.Context, w workload) ([]float64, error) {
	if o.python == "" {
		return nil, nil
	}
	s := w.newSettings(o.scaleCount(w.python))
	return o.repeat(func() (rate float64, err error) {
		err = inTempDir(func(dir string) error {
			seconds, err := o.runPython(ctx, dir, w.scenario.String(), s.MinQueryCount, 1e9, false)
			rate = float64(o.scaleCount(w.python)) / seconds / 1e6
			return err
		})
		return rate, err
	})
}

// pythonPacing measures the official issue delays from the trace log.
func (o options) pythonPacing(ctx context.Context, p serverRate) (m pacingResult, err error) {
	queries := uint64(2 * p.qps)
	if o.quick {
		queries /= 10
	}
	err = inTempDir(func(dir string) error {
		if _, err := o.runPython(ctx, dir, "Server", queries, p.qps, true); err != nil {
			return err
		}
		delays, err := readDelays(dir)
		if err != nil {
			return err
		}
		m.p50, m.p99 = percentileMicros(delays, 0.5), percentileMicros(delays, 0.99)
		return nil
	})
	return m, err
}
