package record

import (
	"fmt"
	"strings"

	"github.com/plumbline-ml/plumbline/internal/figure"
	"github.com/plumbline-ml/plumbline/internal/terminal"
	"github.com/plumbline-ml/plumbline/loadgen"

	"github.com/plumbline-ml/plumbline/bench/record/metric"
)

// Tokens contains the token measurements of a run with token latencies. Offline has neither TTFT nor TPOT.
type Tokens struct {
	Count uint64        `json:"count,omitempty"` // tokens of all answered samples; 0: unknown
	TTFT  *TokenLatency `json:"ttft,omitempty"`  // time to the first token, from the scheduled time
	TPOT  *TokenLatency `json:"tpot,omitempty"`  // time per output token after the first
}

// TokenLatency is TTFT or TPOT of all answered samples.
type TokenLatency struct {
	Latency
	Target  Percentile     `json:"target_percentile"`
	Figure  Figure         `json:"figure"`             // the target percentile in ms
	LimitNS int64          `json:"limit_ns,omitempty"` // Server
	Over    uint64         `json:"over_limit"`         // Server: samples over the limit
	Early   *EarlyStopping `json:"early_stopping,omitempty"`
	Early99 *EarlyStopping `json:"early_stopping_99,omitempty"` // SingleStream
}

// Stated reports whether the number of tokens is known. Logs do not contain it.
func (t *Tokens) Stated() bool { return t.Count > 0 }

func tokensOf(res *loadgen.Result) *Tokens {
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
		Latency: *latencyOf(l.Latency), Target: Percentile{l.Target.P, int64(l.Target.Latency)},
		Figure:  figureOf(of.At(l.Target.P), figure.Millis(l.Target.Latency)),
		LimitNS: int64(l.Limit), Over: l.Over, Early99: earlyStoppingOf(l.EarlyStopping99),
	}
	if l.EarlyStopping.QueriesProcessed > 0 { // otherwise early stopping was not evaluated
		out.Early = earlyStoppingOf(&l.EarlyStopping)
	}
	return out
}

// tokenRates returns the headline numbers of tokens.
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

// writeJudged writes a line below a run's row: tokens, values with limits, and measured values if the result is an
// estimate.
func (r Run) writeJudged(b *terminal.Writer) {
	if r.isUnmeasured() {
		return
	}
	p := r.Performance
	var parts []string
	if t := p.Tokens; t != nil {
		if t.Stated() {
			parts = append(parts, figure.Count(t.Count)+" tokens")
		}
		for _, f := range p.Figures {
			if f.Name == metric.TokensPerSecond.Title && f.Unit != p.Metric.Unit { // otherwise it is the result
				parts = append(parts, f.String())
			}
		}
	}
	for _, j := range p.judgedTimes(r) {
		if j.Met() || len(r.Reasons) == 0 { // otherwise the reasons describe it, with hints
			parts = append(parts, j.String())
		}
	}
	if i, ok := p.estimateInfo(r.Scenario); ok {
		parts = append(parts, "the estimate is the "+i.About)
	}
	if len(parts) > 0 {
		fmt.Fprintf(b, "    %s\n", strings.Join(parts, ", "))
	}
}
