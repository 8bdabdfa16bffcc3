package record

import (
	"fmt"
	"strings"
	"time"

	"github.com/plumbline-ml/plumbline/internal/figure"
	"github.com/plumbline-ml/plumbline/loadgen"

	"github.com/plumbline-ml/plumbline/bench/record/metric"
)

// Tokens is what a run with token latencies measured. Offline has neither TTFT nor TPOT.
type Tokens struct {
	Count uint64        `json:"count"`          // of all answered samples
	TTFT  *TokenLatency `json:"ttft,omitempty"` // time to the first token, from the scheduled time
	TPOT  *TokenLatency `json:"tpot,omitempty"` // time per output token after the first
}

// TokenLatency is TTFT or TPOT of all answered samples.
type TokenLatency struct {
	Latency
	Target  Percentile     `json:"target_percentile"`
	Figure  Figure         `json:"figure"`             // the target percentile in ms
	LimitNS int64          `json:"limit_ns,omitempty"` // Server
	Over    uint64         `json:"over_limit"`         // Server: samples above it
	Early   *EarlyStopping `json:"early_stopping,omitempty"`
	Early99 *EarlyStopping `json:"early_stopping_99,omitempty"` // SingleStream
}

func tokens(res *loadgen.Result) *Tokens {
	if res.Tokens == nil {
		return nil
	}
	out := &Tokens{Count: res.Tokens.Count}
	if res.Effective.Scenario != loadgen.Offline {
		out.TTFT = tokenLatency(metric.TTFT, res.Tokens.TTFT)
		out.TPOT = tokenLatency(metric.TPOT, res.Tokens.TPOT)
	}
	return out
}

func tokenLatency(of metric.Times, l loadgen.TokenLatency) *TokenLatency {
	out := &TokenLatency{
		Latency: *latency(l.Latency), Target: Percentile{l.Target.P, int64(l.Target.Latency)},
		Figure:  figureOf(of.At(l.Target.P), figure.Millis(l.Target.Latency)),
		LimitNS: int64(l.Limit), Over: l.Over, Early99: early(l.EarlyStopping99),
	}
	if l.EarlyStopping.QueriesProcessed > 0 { // else it was not evaluated
		out.Early = early(&l.EarlyStopping)
	}
	return out
}

// tokenRates are the headline numbers of tokens.
func tokenRates(t *loadgen.TokenResult) []Figure {
	if t == nil {
		return nil
	}
	return []Figure{
		figureOf(metric.TokensPerSecond, t.PerSec),
		figureOf(metric.TokensPerSecondWith, t.WithOverhead),
		figureOf(metric.TokensPerSecondWithout, t.WithoutOverhead),
	}
}

// writeTokens writes a line about tokens under a run's row.
func (r Run) writeTokens(b *strings.Builder) {
	t := r.Performance.Tokens
	if t == nil {
		return
	}
	parts := []string{figure.Count(t.Count) + " tokens"}
	for _, f := range r.Performance.Figures {
		if f.Name == metric.TokensPerSecond.Title {
			parts = append(parts, f.String())
		}
	}
	for _, l := range []*TokenLatency{t.TTFT, t.TPOT} {
		if l != nil {
			parts = append(parts, l.text())
		}
	}
	fmt.Fprintf(b, "    %s\n", strings.Join(parts, ", "))
}

// text is "99th percentile TTFT 12.300 ms (limit 100 ms)".
func (l *TokenLatency) text() string {
	text := l.Figure.Name + " " + l.Figure.String()
	if l.LimitNS > 0 {
		text += fmt.Sprintf(" (limit %s ms)", figure.Short(figure.Millis(time.Duration(l.LimitNS))))
	}
	return text
}
