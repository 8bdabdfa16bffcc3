package record

import (
	"fmt"
	"math"
	"strings"

	"github.com/plumbline-ml/plumbline/internal/terminal"
	"github.com/plumbline-ml/plumbline/sdk"
)

// AtEnd copies the facts about a workload that are known only when it is closed.
func (w *Workload) AtEnd(i sdk.WorkloadInfo) {
	w.BackendInfo = copyDictionary(i.BackendInfo)
	var samples uint64
	for _, s := range i.Shares {
		samples += s.Samples
	}
	w.Shares = nil
	for _, s := range i.Shares {
		share := Share{Name: s.Name, Batches: s.Batches, Samples: s.Samples}
		if samples > 0 {
			share.Fraction = float64(s.Samples) / float64(samples)
		}
		w.Shares = append(w.Shares, share)
	}
	w.Batching = newBatching(i.Batching)
}

// newBatching converts the plugin's report on its batches; nil if there is none.
func newBatching(b sdk.BatchingReport) *Batching {
	out := &Batching{Sizes: []BatchSize{}, Waiting: newTimes(b.Waiting), Model: newTimes(b.Model)}
	for _, s := range b.Sizes {
		out.Sizes = append(out.Sizes, BatchSize{Samples: s.Samples, Batches: s.Batches})
	}
	if len(out.Sizes) == 0 && out.Waiting == nil && out.Model == nil {
		return nil
	}
	return out
}

func newTimes(t sdk.SampleTimes) *Latency {
	if t.Count == 0 {
		return nil
	}
	l := &Latency{Count: int(min(t.Count, math.MaxInt)), Min: int64(t.Min), Max: int64(t.Max), Mean: int64(t.Mean),
		Percentiles: []Percentile{}}
	for _, p := range t.Percentiles {
		l.Percentiles = append(l.Percentiles, Percentile{p.P, int64(p.At)})
	}
	return l
}

// AddRunNotes adds the notes that result from the answers, which are known when the workload is closed.
func (r *Run) AddRunNotes(m sdk.RunNotes) {
	for _, text := range m.Notes {
		r.Notes = append(r.Notes, Finding{About: "answers", Text: text})
	}
	r.Estimates = m.Estimates
}

// writeShares writes the share of the samples that each device processed.
func (w *Workload) writeShares(b *terminal.Writer) {
	if len(w.Shares) == 0 {
		return
	}
	parts := make([]string, len(w.Shares))
	for i, s := range w.Shares {
		parts[i] = fmt.Sprintf("%s %.1f %%", s.Name, 100*s.Fraction)
	}
	fmt.Fprintf(b, "    of the samples: %s\n", strings.Join(parts, ", "))
}
