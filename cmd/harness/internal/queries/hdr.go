package queries

import (
	"fmt"
	"io"

	"github.com/HdrHistogram/hdrhistogram-go"

	"github.com/plumbline-ml/plumbline/internal/terminal"

	"github.com/plumbline-ml/plumbline/bench/record/export"
)

// HDR is the latencies of all samples as HdrHistogram's tools print percentiles: in ms, three digits exact. None is
// left out, however many they are.
func HDR() export.Format { return export.Format{Name: export.HDRName, Write: writeHDR} }

// The histogram's exact digits, the lines for each halving of what is above, and the nanoseconds of its unit.
const (
	digits = 3
	ticks  = 5
	scale  = 1e6
)

func writeHDR(to io.Writer, s export.Samples) error {
	h := hdrhistogram.New(1, max(2, largest(s)), digits)
	for latency := range latencies(s) {
		if err := h.RecordValue(latency); err != nil {
			return err
		}
	}
	if _, err := h.PercentilesPrint(to, ticks, scale); err != nil || s.Run() == "" {
		return err
	}
	_, err := fmt.Fprintf(to, "#[Run = %s]\n", terminal.Line(s.Run()))
	return err
}

// largest is the longest latency.
func largest(s export.Samples) int64 {
	most := int64(0)
	for latency := range latencies(s) {
		most = max(most, latency)
	}
	return most
}

// latencies are those of all answered samples.
func latencies(s export.Samples) func(yield func(int64) bool) {
	return func(yield func(int64) bool) {
		r := s.Source()
		for i := range r.Samples() {
			if slot := r.Slot(i); slot.Done >= 0 && !yield(max(0, slot.Done-slot.Scheduled)) {
				return
			}
		}
	}
}
