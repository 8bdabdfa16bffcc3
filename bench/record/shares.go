package record

import (
	"fmt"
	"strings"

	"github.com/plumbline-ml/plumbline/sdk"
)

// AtEnd takes over what is known of a workload once it is closed.
func (w *Workload) AtEnd(i sdk.WorkloadInfo) {
	w.BackendInfo = dictionary(i.BackendInfo)
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
}

// FromRemarks takes over what the answers have shown, known once the workload is closed.
func (r *Run) FromRemarks(m sdk.Remarks) {
	for _, text := range m.Notes {
		r.Notes = append(r.Notes, Finding{About: "answers", Text: text})
	}
	r.Estimates = m.Estimates
}

// writeShares says what part of the samples each device took.
func (w *Workload) writeShares(b *strings.Builder) {
	if len(w.Shares) == 0 {
		return
	}
	parts := make([]string, len(w.Shares))
	for i, s := range w.Shares {
		parts[i] = fmt.Sprintf("%s %.1f %%", s.Name, 100*s.Fraction)
	}
	fmt.Fprintf(b, "    of the samples: %s\n", strings.Join(parts, ", "))
}
