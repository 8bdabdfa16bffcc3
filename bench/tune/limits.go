package tune

import (
	"fmt"
	"time"

	"github.com/plumbline-ml/plumbline/loadgen"
)

// Limits contains the latency limits for which a Server rate was found. With other limits, another rate is the highest.
type Limits struct {
	Percentile float64 `json:"percentile"` // 0 to 1
	LatencyNS  int64   `json:"latency_ns"` // 0 if token latencies are limited
	TTFTNS     int64   `json:"ttft_ns"`    // time to first token; 0: token latencies are not limited
	TPOTNS     int64   `json:"tpot_ns"`    // time per output token
}

// LimitsOf returns the limits of Server settings.
func LimitsOf(t loadgen.TestSettings) Limits {
	l := Limits{Percentile: t.ServerTargetLatencyPercentile}
	if t.UseTokenLatencies {
		l.TTFTNS, l.TPOTNS = int64(t.ServerTTFTLatency), int64(t.ServerTPOTLatency)
		return l
	}
	l.LatencyNS = int64(t.ServerTargetLatency)
	return l
}

// First returns the time limit of the first response.
func (l Limits) First() time.Duration {
	if l.TTFTNS > 0 {
		return time.Duration(l.TTFTNS)
	}
	return time.Duration(l.LatencyNS)
}

// String returns the limits as text: "15ms at 99 %".
func (l Limits) String() string {
	at := fmt.Sprintf("at %.4g %%", 100*l.Percentile)
	if l.TTFTNS > 0 {
		return fmt.Sprintf("TTFT %v and TPOT %v %s", time.Duration(l.TTFTNS), time.Duration(l.TPOTNS), at)
	}
	return fmt.Sprintf("%v %s", time.Duration(l.LatencyNS), at)
}
