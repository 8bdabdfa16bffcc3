package record

import (
	"fmt"
	"math"
	"strings"

	"github.com/plumbline-ml/plumbline/internal/system"
)

// AboutOthers is the subject of the note that other programs used the processors.
const AboutOthers = "other programs"

// OtherPrograms describes how other activity on this machine took processor time from a run while it was measured. It
// does not affect verdicts.
type OtherPrograms struct {
	// Share is the share of all processors' time that programs other than the harness, its plugin and their child
	// processes used, 0 to 1. Stolen is the share that the host of a virtual machine took.
	Share  float64 `json:"cpu_share"`
	Stolen float64 `json:"stolen_share"`
	// Waiting is the share of the time in which a process, possibly of the run itself, waited for a processor (pressure
	// stall information); absent: unknown to the system.
	Waiting *float64 `json:"waiting_share,omitempty"`
	Seconds float64  `json:"window_s"`
}

// FromOthers copies the activity of other programs. It adds a note if they used a tenth of the processors or more.
func (r *Run) FromOthers(o system.OtherUse) {
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

// isLocal reports whether a measured server may be one of the other programs.
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

// noteText returns a sentence if others used a tenth of the processors or more, and "" otherwise.
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
