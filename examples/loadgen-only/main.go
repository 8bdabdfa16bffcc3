// Command loadgen-only runs LoadGen in two scenarios on a SUT that doubles numbers, and prints the summaries. The
// folder tokens contains a SUT whose answers are tokens.
package main

import (
	"context"
	"encoding/binary"
	"log"
	"os"

	"github.com/plumbline-ml/plumbline/loadgen"
)

// doubler is the SUT and the QSL. Sample i is the number i.
type doubler struct{}

func (doubler) Name() string                                                      { return "doubler" }
func (doubler) TotalSampleCount() int                                             { return 1000 }
func (doubler) PerformanceSampleCount() int                                       { return 1000 }
func (doubler) LoadSamplesToRAM(context.Context, []loadgen.SampleIndex) error     { return nil }
func (doubler) UnloadSamplesFromRAM(context.Context, []loadgen.SampleIndex) error { return nil }
func (doubler) FlushQueries(context.Context) error                                { return nil }
func (doubler) IssueQuery(_ context.Context, q loadgen.Query, r loadgen.Responder) error {
	for _, s := range q.Samples {
		answer := binary.LittleEndian.AppendUint32(nil, 2*uint32(s.Index))
		go r.QuerySamplesComplete([]loadgen.QuerySampleResponse{{ID: s.ID, Data: answer}})
	}
	return nil
}

func main() {
	for _, scenario := range []loadgen.Scenario{loadgen.SingleStream, loadgen.Server} {
		s, logs := loadgen.DefaultTestSettings(), loadgen.LogSettings{CopySummaryTo: os.Stdout}
		s.Scenario, s.MinDuration, s.MinQueryCount, s.ServerTargetQPS = scenario, 0, 1000, 1000
		if _, err := loadgen.StartTest(context.Background(), doubler{}, doubler{}, s, logs); err != nil {
			log.Fatal(err)
		}
	}
}
