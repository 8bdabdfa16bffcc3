package live

import (
	"fmt"
	"math"
	"strings"
	"time"

	"github.com/plumbline-ml/plumbline/internal/figure"
	"github.com/plumbline-ml/plumbline/loadgen"

	"github.com/plumbline-ml/plumbline/serving/metrics"
)

// FormatLine formats a snapshot in one line. It contains the phase, the elapsed and the minimum time, an estimate of
// the remaining time, the counts of samples, and the current latency at the target percentile with its limit. Token
// runs show tokens per second, TTFT and TPOT instead of the latency. With too few samples for the percentile, the
// largest time is shown. Parts without meaning in the phase are omitted. The least important parts come last, because
// narrow terminals cut them off. percentile is the target as a fraction; 0 if the scenario has none.
func FormatLine(s loadgen.ProgressSnapshot, percentile float64) string {
	if s.Phase != loadgen.PhaseIssuing && s.Phase != loadgen.PhaseDraining {
		return phaseTexts[s.Phase]
	}
	parts := []string{phaseTexts[s.Phase] + " " + elapsedText(s)}
	if left, ok := EstimateRemaining(s); ok && left > 0 {
		parts = append(parts, "ETA "+figure.Seconds(left))
	}
	parts = append(parts, countsText(s))
	if s.Tokens.PerSec > 0 {
		parts = append(parts, figure.Count(uint64(s.Tokens.PerSec))+" tokens/s")
	}
	if s.Tokens.TTFT > 0 && s.Mode != loadgen.AccuracyOnly {
		return strings.Join(append(parts, tokenLatencies(s.Tokens, percentileName(s.Done, percentile))), "  ")
	}
	if percentile > 0 && s.Latency > 0 && s.Mode != loadgen.AccuracyOnly {
		parts = append(parts, latencyText(s, percentile))
	}
	return strings.Join(parts, "  ")
}

// phaseTexts maps the phases of a run to their descriptions.
var phaseTexts = map[loadgen.Phase]string{
	loadgen.PhaseIdle:     "starting",
	loadgen.PhaseLoading:  "loading samples",
	loadgen.PhaseWarmUp:   "warming up",
	loadgen.PhaseIssuing:  "running",
	loadgen.PhaseDraining: "finishing",
	loadgen.PhaseWriting:  "writing logs",
	loadgen.PhaseDone:     "done",
}

func elapsedText(s loadgen.ProgressSnapshot) string {
	if s.Elapsed >= s.MinDuration || s.Mode == loadgen.AccuracyOnly {
		return figure.Seconds(s.Elapsed)
	}
	return figure.Seconds(s.Elapsed) + " of " + figure.Seconds(s.MinDuration)
}

func countsText(s loadgen.ProgressSnapshot) string {
	return fmt.Sprintf("issued %s  done %s  outstanding %s",
		figure.Count(s.Issued), figure.Count(s.Done), figure.Count(s.Issued-min(s.Done, s.Issued)))
}

// percentileName returns the name of the percentile, or "max" if there are too few samples for it.
func percentileName(done uint64, percentile float64) string {
	if !metrics.EnoughValues(int(min(done, math.MaxInt32)), percentile) {
		return "max"
	}
	return metrics.PercentileName(percentile)
}

func latencyText(s loadgen.ProgressSnapshot, percentile float64) string {
	text := fmt.Sprintf("%s %s ms", percentileName(s.Done, percentile), figure.Short(figure.Millis(s.Latency)))
	if s.LatencyLimit > 0 {
		text += fmt.Sprintf(" (limit %s ms)", figure.Short(figure.Millis(s.LatencyLimit)))
	}
	return text
}

// tokenLatencies formats the latencies of a token run. It replaces the sample latency, which has no limit in token
// runs.
func tokenLatencies(t loadgen.TokenProgress, name string) string {
	text := fmt.Sprintf("%s TTFT %s ms", name, figure.Short(figure.Millis(t.TTFT)))
	if t.TPOT > 0 {
		text += fmt.Sprintf(" TPOT %s ms", figure.Short(figure.Millis(t.TPOT)))
	}
	return text
}

// EstimateRemaining estimates the time until the series ends. The series ends after the minimum duration and, at the
// current rate, the minimum number of queries (Offline and accuracy: all samples). ok is false if there is no estimate
// yet.
func EstimateRemaining(s loadgen.ProgressSnapshot) (left time.Duration, ok bool) {
	if s.Elapsed <= 0 || s.Done == 0 {
		return 0, false
	}
	perSample := float64(s.Elapsed) / float64(s.Done)
	outstanding := float64(s.Issued - min(s.Done, s.Issued))
	work := outstanding * perSample
	if s.Mode == loadgen.AccuracyOnly {
		work = float64(s.Planned-min(s.Done, s.Planned)) * perSample
	} else {
		left = max(0, s.MinDuration-s.Elapsed)
		if s.Phase == loadgen.PhaseIssuing && s.MinQueries > s.Queries && s.Queries > 0 {
			work = float64(s.MinQueries-s.Queries) * float64(s.Elapsed) / float64(s.Queries)
		}
		if s.Phase == loadgen.PhaseDraining || s.Queries <= 1 && s.Issued == s.Planned {
			left = 0 // all samples are issued, so only the outstanding ones take time
		}
	}
	if math.IsInf(work, 0) || work > float64(math.MaxInt64/2) {
		return 0, false
	}
	return max(left, time.Duration(work)), true
}
