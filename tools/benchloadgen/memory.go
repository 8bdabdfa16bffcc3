package main

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"slices"
	"strconv"
	"strings"
)

// memorySamples is the number of samples in runs whose memory is measured.
const memorySamples = 1e7

// measurePeak runs a workload in its own process and returns the peak memory per sample in bytes. It includes the query
// and excludes the memory that the process needs otherwise.
func (o options) measurePeak(ctx context.Context, w workload) (float64, error) {
	self, err := os.Executable()
	if err != nil {
		return 0, err
	}
	args := []string{"-child", w.name}
	if o.quick {
		args = append(args, "-quick")
	}
	out, err := exec.CommandContext(ctx, self, args...).Output()
	if err != nil {
		return 0, fmt.Errorf("measuring the memory of %s: %w", w.name, err)
	}
	return strconv.ParseFloat(strings.TrimSpace(string(out)), 64)
}

// printPeak is the child process. It prints the bytes per sample of a run, beyond the memory of a run with few samples.
func printPeak(ctx context.Context, o options, name string) error {
	for _, w := range slices.Concat(workloads, tokenWorkloads()) {
		if w.name != name {
			continue
		}
		few, err := w.measureBytes(ctx, 1000)
		if err != nil {
			return err
		}
		n := o.scaleCount(memorySamples)
		many, err := w.measureBytes(ctx, n)
		if err != nil {
			return err
		}
		_, err = fmt.Println((many - few) / float64(n))
		return err
	}
	return fmt.Errorf("no workload %q", name)
}

func (w workload) measureBytes(ctx context.Context, samples uint64) (float64, error) {
	if _, _, err := measureTest(ctx, w.newSUT(), w.newSettings(samples), false, false); err != nil {
		return 0, err
	}
	return peakBytes()
}

// peakBytes returns the largest resident size of this process so far. (getrusage would include that of the parent
// before it started this program.)
func peakBytes() (float64, error) {
	const path, key = "/proc/self/status", "VmHWM:"
	text, err := os.ReadFile(path)
	if err != nil {
		return 0, fmt.Errorf("peak memory: only known on Linux: %w", err)
	}
	for line := range strings.Lines(string(text)) {
		value, ok := strings.CutPrefix(line, key)
		if !ok {
			continue
		}
		kilobytes, err := strconv.ParseFloat(strings.TrimSpace(strings.TrimSuffix(strings.TrimSpace(value), "kB")), 64)
		if err != nil {
			return 0, fmt.Errorf("%s: %s%s: %w", path, key, value, err)
		}
		return kilobytes * 1024, nil
	}
	return 0, fmt.Errorf("%s has no %s", path, key)
}
