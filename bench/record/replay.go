package record

import (
	"fmt"
	"slices"
	"time"

	"github.com/plumbline-ml/plumbline/internal/figure"
	"github.com/plumbline-ml/plumbline/loadgen"
	"github.com/plumbline-ml/plumbline/sdk"

	"github.com/plumbline-ml/plumbline/bench/record/metric"
	"github.com/plumbline-ml/plumbline/serving/metrics"
)

// AnswersFile contains the payloads of a replay's answers, in the form of LoadGen's accuracy log.
const AnswersFile = "replay_answers.json"

// Replay is the result of a replay of recorded conversations, turn by turn.
type Replay struct {
	Turns    int `json:"turns"`    // turns of the data
	Issued   int `json:"issued"`   // turns that were sent
	Answered int `json:"answered"` // turns answered without a failure
	Failed   int `json:"failed"`
	TimedOut int `json:"timed_out,omitempty"` // failed turns that timed out
	// Unsent counts turns that were never sent, because an earlier turn of their conversation failed or the time was over.
	Unsent int `json:"unsent"`
	// Latency is the benchmark's result: the mean time from sending a turn to the end of its answer, over all completed
	// turns, in nanoseconds; absent without completed turns.
	Latency *float64 `json:"latency_mean_ns,omitempty"`
	// Estimates contains LoadGen's early-stopping estimates of percentiles of the latency.
	Estimates []Estimate `json:"early_stopping,omitempty"`
	// Scores contains the scores of the answers, and Notes remarks on them.
	Scores []Figure `json:"scores,omitempty"`
	Notes  []string `json:"score_notes,omitempty"`
	// AnswersSHA256 is the SHA-256 of AnswersFile in lower-case hex.
	AnswersSHA256 string `json:"answers_sha256,omitempty"`
}

// Estimate is an early-stopping estimate. NS is absent if there are too few turns; Needed is the required number.
type Estimate struct {
	Percentile float64 `json:"percentile"` // 0 to 1
	NS         *int64  `json:"ns,omitempty"`
	Needed     uint64  `json:"needed"` // number of turns
}

// replayPercentiles are the percentiles with an estimate: the median and those by which SingleStream is judged.
var replayPercentiles = []float64{0.5, 0.9, 0.99}

// FromReplay records the results of a replay's turns. The replay holds if all turns were sent and answered and if it
// took minTime or longer, from the first sending to the last answer.
func (s *Serving) FromReplay(all []metrics.Request, turns int, minTime time.Duration) {
	p := &Replay{Turns: turns}
	var latencies []int64
	sum := 0.0
	for _, r := range all {
		switch r.Status {
		case metrics.Cancelled, metrics.Unfinished:
			p.Issued++
			continue
		case metrics.OK:
			p.Answered++
		case metrics.Timeout:
			p.TimedOut++
			p.Failed++
		default:
			p.Failed++
		}
		p.Issued++
		latencies = append(latencies, r.End-r.Sent)
		sum += float64(r.End - r.Sent)
	}
	p.Unsent = turns - p.Issued
	if n := len(latencies); n > 0 {
		mean := sum / float64(n)
		p.Latency = &mean
	}
	slices.Sort(latencies)
	for _, percentile := range replayPercentiles {
		rank, needed, ok := loadgen.EarlyStoppingRank(len(latencies), percentile)
		e := Estimate{Percentile: percentile, Needed: needed}
		if ok {
			e.NS = &latencies[rank]
		}
		p.Estimates = append(p.Estimates, e)
	}
	holds := p.Answered == turns
	if s.Replay, s.Holds = p, &holds; !holds {
		s.Flags = append(s.Flags, fmt.Sprintf("%d of %d turns were not answered: %d failed (%d took too long), %d were "+
			"never sent", turns-p.Answered, turns, p.Failed, p.TimedOut, p.Unsent))
	}
	if took := requestsTime(all); took < minTime {
		holds = false
		s.Flags = append(s.Flags, fmt.Sprintf("it took %v, and min_duration wants %v", took.Round(time.Millisecond), minTime))
	}
}

// requestsTime returns the time from the first sending to the last end of requests.
func requestsTime(all []metrics.Request) time.Duration {
	if len(all) == 0 {
		return 0
	}
	first, last := all[0].Sent, all[0].End
	for _, r := range all {
		first, last = min(first, r.Sent), max(last, r.End)
	}
	return time.Duration(last - first)
}

// FromScore copies the score of the answers. sha256 is the checksum of the file with the answers.
func (p *Replay) FromScore(s sdk.Score, sha256 string) {
	p.AnswersSHA256 = sha256
	for _, m := range s.Metrics {
		p.Scores = append(p.Scores, figureOf(metric.Info{Name: m.Name, Title: m.Name, Unit: m.Unit}, m.Value))
	}
	p.Notes = s.Notes
}

// meanLatency returns the mean latency. ok is false if it is unknown.
func (p *Replay) meanLatency() (f Figure, ok bool) {
	if p.Latency == nil {
		return f, false
	}
	return figureOf(metric.Info{Title: "mean latency of a turn", Unit: metric.Millis}, *p.Latency/nsPerMilli), true
}

// headlineText returns the result, with the number of turns and the scores as remarks.
func (p *Replay) headlineText(took string) (value string, remarks []string) {
	f, ok := p.meanLatency()
	if !ok {
		return "", nil
	}
	remarks = []string{fmt.Sprintf("mean latency of %s in %s", figure.Plural(p.Issued, "turn"), took)}
	for _, s := range p.Scores {
		remarks = append(remarks, s.Name+" "+s.String())
	}
	return f.String(), remarks
}

// noteLines returns the notes to show with the verdict.
func (s *Serving) noteLines() []string {
	if s.Replay == nil {
		return append(nonEmpty(s.About()), s.Flags...)
	}
	return append(s.Replay.Lines(), s.Flags...)
}

// Lines returns the lines to show with the verdict: estimates, and notes on the score.
func (p *Replay) Lines() []string {
	var all []string
	for _, e := range p.Estimates {
		text := fmt.Sprintf("p%g of the latency, estimated as LoadGen does: ", 100*e.Percentile)
		if e.NS == nil {
			all = append(all, text+fmt.Sprintf("none, which takes %d turns", e.Needed))
			continue
		}
		all = append(all, text+figureOf(metric.Info{Unit: metric.Millis}, float64(*e.NS)/nsPerMilli).String())
	}
	return append(all, p.Notes...)
}
