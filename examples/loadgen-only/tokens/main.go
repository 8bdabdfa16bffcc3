// Command tokens runs LoadGen with token latencies on a SUT that writes numbers digit by digit. It prints the time to
// the first token and the time per output token.
package main

import (
	"context"
	"encoding/binary"
	"fmt"
	"log"
	"os"
	"time"

	"github.com/plumbline-ml/plumbline/loadgen"
)

// speller is the SUT and the QSL. The answer to sample i is the number i, one token for each digit.
type speller struct{}

// The times that a model would take.
const (
	firstToken = 10 * time.Millisecond
	nextToken  = 2 * time.Millisecond
)

func (speller) Name() string                                                      { return "speller" }
func (speller) TotalSampleCount() int                                             { return 1000 }
func (speller) PerformanceSampleCount() int                                       { return 1000 }
func (speller) LoadSamplesToRAM(context.Context, []loadgen.SampleIndex) error     { return nil }
func (speller) UnloadSamplesFromRAM(context.Context, []loadgen.SampleIndex) error { return nil }
func (speller) FlushQueries(context.Context) error                                { return nil }

// IssueQuery starts the query's samples and returns. LoadGen owns the query, so each goroutine gets a copy of its
// sample.
func (speller) IssueQuery(_ context.Context, q loadgen.Query, r loadgen.Responder) error {
	for _, sample := range q.Samples {
		go answerSample(sample, r)
	}
	return nil
}

// answerSample generates the tokens of one sample. It reports the first token immediately and all tokens at the end.
func answerSample(sample loadgen.QuerySample, r loadgen.Responder) {
	var tokens []byte // 32-bit integers
	wait, digits := firstToken, fmt.Sprintf("%03d", sample.Index)
	for i, digit := range digits {
		time.Sleep(wait)
		tokens = binary.LittleEndian.AppendUint32(tokens, uint32(digit-'0'))
		if i == 0 {
			r.FirstTokenComplete([]loadgen.QuerySampleResponse{{ID: sample.ID, Data: tokens}})
			wait = nextToken
		}
	}
	r.QuerySamplesComplete([]loadgen.QuerySampleResponse{{ID: sample.ID, Data: tokens, NTokens: int64(len(digits))}})
}

// testSettings requests 500 queries per second for two seconds. For 99 % of them the limits are 100 ms for the first
// token and 20 ms for each further token.
func testSettings() loadgen.TestSettings {
	s := loadgen.DefaultTestSettings()
	s.Scenario, s.ServerTargetQPS, s.MinDuration = loadgen.Server, 500, 2*time.Second
	s.UseTokenLatencies = true
	s.ServerTTFTLatency, s.ServerTPOTLatency = 100*time.Millisecond, 20*time.Millisecond
	return s
}

func main() {
	r, err := loadgen.StartTest(context.Background(), speller{}, speller{}, testSettings(),
		loadgen.LogSettings{CopySummaryTo: os.Stdout})
	if err != nil {
		log.Fatal(err)
	}
	first, next := r.Tokens.TTFT, r.Tokens.TPOT
	fmt.Printf("\n%s: %.0f tokens per second; 99th percentile of the time to the first token %.1f ms (limit %v), of the "+
		"time per further token %.1f ms (limit %v)\n",
		r.Verdict, r.Tokens.PerSec, milliseconds(first.Target.Latency), first.Limit, milliseconds(next.Target.Latency),
		next.Limit)
	for _, reason := range r.Reasons {
		fmt.Printf("%s: %s, needed %s. %s\n", reason.Rule, reason.Measured, reason.Needed, reason.Hint)
	}
}

func milliseconds(d time.Duration) float64 { return float64(d) / float64(time.Millisecond) }
