package queries

import (
	"fmt"
	"io"
	"iter"

	"github.com/HdrHistogram/hdrhistogram-go"

	"github.com/plumbline-ml/plumbline/internal/terminal"

	"github.com/plumbline-ml/plumbline/bench/record/export"
)

// HDR returns the format of HdrHistogram's tools for percentiles. It contains the latencies of all samples, in ms, with
// three exact digits, for any number of samples.
func HDR() export.Format { return export.Format{Name: export.HDRName, Write: writeHDR} }

// Exact digits of the histogram, lines for each halving of the remaining fraction, and nanoseconds per unit.
const (
	digits = 3
	ticks  = 5
	scale  = 1e6
)

func writeHDR(to io.Writer, s export.Samples) error { return printHDR(to, latencies(s), s.Run()) }

// printHDR prints the percentiles of values in nanoseconds, which must not be negative, and the name of their run.
func printHDR(to io.Writer, values iter.Seq[int64], run string) error {
	largest := int64(2)
	for v := range values {
		largest = max(largest, v)
	}
	h := hdrhistogram.New(1, largest, digits)
	for v := range values {
		if err := h.RecordValue(v); err != nil {
			return err
		}
	}
	if _, err := h.PercentilesPrint(to, ticks, scale); err != nil || run == "" {
		return err
	}
	_, err := fmt.Fprintf(to, "#[Run = %s]\n", terminal.Line(run))
	return err
}

// latencies returns the latencies of all answered samples.
func latencies(s export.Samples) iter.Seq[int64] {
	return func(yield func(int64) bool) {
		r := s.Source()
		for i := range r.Samples() {
			if slot := r.Slot(i); slot.Done >= 0 && !yield(max(0, slot.Done-slot.Scheduled)) {
				return
			}
		}
	}
}
