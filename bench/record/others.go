package record

import (
	"fmt"
	"math"
	"strings"

	"github.com/plumbline-ml/plumbline/internal/system"
)

// AboutOthers is what a note is about that other programs used the processors.
const AboutOthers = "other programs"

// OtherPrograms is what kept this machine's processors from a run while it was measured. No verdict depends on it.
type OtherPrograms struct {
	// Share is the part of all processors' time, from 0 to 1, that programs used which are not the harness, its plugin and
	// what they started; Stolen the part that the host of a virtual machine took.
	Share  float64 `json:"cpu_share"`
	Stolen float64 `json:"stolen_share"`
	// Waiting is the part of the time in which something, the run's own work too, waited for a processor (pressure stall
	// information); absent: the system does not tell.
	Waiting *float64 `json:"waiting_share,omitempty"`
	Seconds float64  `json:"window_s"`
}

// FromOthers takes over what other programs did meanwhile, and notes what is a tenth of the processors or more.
func (r *Run) FromOthers(o system.Others) {
	r.OtherPrograms = &OtherPrograms{Share: roundThousandths(o.Share), Stolen: roundThousandths(o.Stolen),
		Seconds: o.Seconds}
	if o.Waiting >= 0 {
		waiting := roundThousandths(o.Waiting)
		r.OtherPrograms.Waiting = &waiting
	}
	if text := r.OtherPrograms.noteText(r.isLocal()); text != "" {
		r.Notes = append(r.Notes, Finding{About: AboutOthers, Text: text})
	}
}

func roundThousandths(share float64) float64 { return math.Round(1000*share) / 1000 }

// isLocal says whether a server that was asked may be one of the other programs.
func (r *Run) isLocal() bool {
	var urls []string
	if r.Serving != nil {
		urls = r.Serving.Server.URLs
	}
	if r.Options.BackendOptions["url"] != "" {
		urls = append(urls, r.Options.BackendOptions["url"])
	}
	for _, name := range []string{"localhost", "127.", "[::1]", "0.0.0.0"} {
		if strings.Contains(strings.Join(urls, " "), name) {
			return true
		}
	}
	return false
}

// noteText is a sentence where others had a tenth of the processors or more; else empty.
func (o *OtherPrograms) noteText(local bool) string {
	var parts []string
	if o.Share >= system.NotedShare {
		who := "other programs"
		if local {
			who = "programs other than the harness, the server on this machine among them,"
		}
		parts = append(parts, fmt.Sprintf("%s used %.0f %% of the processors", who, 100*o.Share))
	}
	if o.Stolen >= system.NotedShare {
		parts = append(parts, fmt.Sprintf("the host of this virtual machine took %.0f %% of the processors", 100*o.Stolen))
	}
	if len(parts) == 0 {
		return ""
	}
	return strings.Join(parts, ", and ") + " during this run"
}
