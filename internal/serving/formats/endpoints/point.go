package endpoints

import (
	"bufio"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"

	"github.com/plumbline-ml/plumbline/internal/serving/formats"
	"github.com/plumbline-ml/plumbline/loadgen/mlconf"
	"github.com/plumbline-ml/plumbline/serving/arrival"
	"github.com/plumbline-ml/plumbline/serving/metrics"
	"github.com/plumbline-ml/plumbline/serving/prompts"
)

// loadPattern returns the load_pattern type of a load, or formats.ErrNoWords if the endpoints harness has none.
func loadPattern(p arrival.Pattern) (string, error) {
	plain := !p.Sessions && p.Ramp == 0 && p.Stages == nil && p.Think == 0
	switch {
	case plain && p.Kind == arrival.Maximum && p.Users == 0:
		return "max_throughput", nil
	case plain && p.Kind == arrival.Rate && p.Arrival == arrival.Poisson && p.Users == 0:
		return "poisson", nil
	case plain && p.Kind == arrival.Users:
		return "concurrency", nil
	}
	return "", fmt.Errorf("%w: endpoints has the loads max_throughput, poisson and concurrency (--max, --rate, "+
		"--concurrency alone), and no words for others", formats.ErrInexpressible)
}

// apiType returns the api_type of an API, or formats.ErrNoWords if the endpoints harness has none. It treats an API
// that is not chosen yet as chat.
func apiType(a prompts.API) (string, error) {
	switch a {
	case prompts.Chat, "", "auto":
		return "openai", nil
	case prompts.Completions:
		return "openai_completions", nil
	}
	return "", fmt.Errorf("%w: endpoints asks chats and completions, and no %s", formats.ErrInexpressible, a)
}

// clientSample is a request as the endpoints client would have recorded it.
type clientSample struct {
	*metrics.Request
	id               string
	firstText        int64 // first piece of text, in ns; only if streamed
	streamed         bool
	completed        bool // its end was seen, even if it failed
	failed           bool
	tokens           int64   // tokens of the answer; metrics.Unknown: not counted
	tokensAfterFirst float64 // tokens after the first piece of text
}

// aggregatedPoint is a point as the aggregator of the endpoints harness would have recorded it.
type aggregatedPoint struct {
	samples                  []clientSample
	measuredFrom, measuredTo int64 // start and end of the measured part, in ns
	sessionFrom, sessionTo   int64 // start and end of the session, including warm-up
	completed                int
	failed                   int
	legacyWindow             int64 // the window of LoadGen's legacy rates, in ns; 0: none
	series                   map[string]*Series
	pattern, api             string
	method                   mlconf.EndpointsMethod
	configuration            endpointsConfig
}

func aggregatePoint(r Run) (e aggregatedPoint, err error) {
	pattern, err := loadPattern(r.Load)
	if r.isReplay() {
		pattern, err = replayPattern, nil
	}
	api, noAPI := apiType(r.API)
	method, noMetric := scoringMethod(r)
	if err := errors.Join(err, noAPI, noMetric); err != nil {
		return e, err
	}
	e = aggregatedPoint{
		pattern: pattern, api: api, method: method, configuration: configurationOf(r, pattern, api, method),
		measuredFrom: math.MaxInt64,
	}
	for i := range r.Requests {
		q := &r.Requests[i]
		e.sessionFrom, e.sessionTo = min(e.sessionFrom, q.Sent), max(e.sessionTo, q.End)
		if !q.WarmUp {
			e.measuredFrom = min(e.measuredFrom, q.Due)
			e.samples = append(e.samples, newSample(q, r.Rules))
		}
	}
	if len(e.samples) == 0 {
		e.measuredFrom = 0
	}
	e.measuredTo = e.measuredFrom
	e.makeSeries(r.Stream)
	return e, nil
}

// newSample converts a record. In the endpoints harness, an answer without text has not failed, and an answer that
// ended early has no tokens.
func newSample(q *metrics.Request, rules metrics.FigureRules) clientSample {
	s := clientSample{Request: q, id: fmt.Sprintf("%08x-0000-4000-8000-%012x", q.Row, q.Index), tokens: metrics.Unknown}
	switch q.Status {
	case metrics.Unfinished, metrics.Cancelled:
	case metrics.OK, metrics.Empty, metrics.Count:
		s.completed = true
	default:
		s.completed, s.failed = true, true
	}
	var ids, idsAfter, events, after int64
	for e := range q.Events.All() {
		if s.streamed {
			after++
			idsAfter += int64(e.IDs)
		}
		if e.Text && !s.streamed && !q.Whole {
			s.firstText, s.streamed = e.At, true
		}
		events++
		ids += int64(e.IDs)
	}
	if events == 0 || s.failed || !s.completed {
		return s
	}
	switch {
	case ids > 0:
		s.tokens, s.tokensAfterFirst = ids, float64(idsAfter)
	case q.Usage.Completion > 0:
		s.tokens = q.Usage.Completion
		s.tokensAfterFirst = float64(s.tokens*after) / float64(events)
	case rules.Tokenizer && q.Retokenized > 0:
		s.tokens = q.Retokenized
		s.tokensAfterFirst = float64(s.tokens*after) / float64(events)
	}
	return s
}

// makeSeries makes the series from the samples.
func (e *aggregatedPoint) makeSeries(stream bool) {
	values := map[string][]float64{}
	add := func(name string, v float64) { values[name] = append(values[name], v) }
	issued := int64(math.MinInt64)
	firstIssued := int64(math.MaxInt64)
	var windowEnd int64
	for i := range e.samples {
		s := &e.samples[i]
		firstIssued = min(firstIssued, s.Sent)
		if s.Usage.Prompt != metrics.Unknown {
			add(islTokens, float64(s.Usage.Prompt))
		} else if s.AskedIn > 0 {
			add(islTokens, float64(s.AskedIn))
		}
		if s.streamed {
			add(ttftNS, float64(s.firstText-s.Sent))
		}
		if !s.completed {
			continue
		}
		e.completed++
		if s.failed {
			e.failed++
		}
		e.measuredTo = max(e.measuredTo, s.End)
		if s.Sent > issued {
			issued, windowEnd = s.Sent, s.End
		}
		add(latencyNS, float64(s.End-s.Sent))
		if s.tokens > 0 {
			add(oslTokens, float64(s.tokens))
		}
		if s.streamed && s.tokensAfterFirst > 0 {
			add(tpotNS, float64(s.End-s.firstText)/s.tokensAfterFirst)
		}
	}
	if e.completed > 0 {
		e.legacyWindow = max(0, windowEnd-firstIssued)
	}
	e.series = map[string]*Series{}
	for _, name := range e.seriesNames(stream) {
		e.series[name] = NewSeries(name, values[name])
	}
}

// seriesNames returns the names of the series in the file's order.
func (e *aggregatedPoint) seriesNames(stream bool) []string {
	names := []string{latencyNS, islTokens, oslTokens}
	if stream {
		names = append(names, ttftNS, chunkNS, tpotNS)
	}
	return names
}

// usesLoadGenRates reports whether the rates follow LoadGen's legacy rule, which applies to Poisson arrivals.
func (e *aggregatedPoint) usesLoadGenRates() bool {
	return e.pattern == "poisson" && e.legacyWindow > 0 && e.completed >= 2
}

// throughputRates returns requests and tokens per second. A rate is nil if its time is 0 or nothing was counted.
func (e *aggregatedPoint) throughputRates() (qps, tps *formats.Float) {
	ns, n := e.measuredTo-e.measuredFrom, float64(e.completed)
	if e.usesLoadGenRates() {
		ns, n = e.legacyWindow, n-1
	}
	if ns <= 0 {
		return nil, nil
	}
	q := formats.Float(n / formats.Seconds(ns))
	if tokens := e.series[oslTokens]; len(tokens.sorted) > 0 {
		t := formats.Float(tokens.total / formats.Seconds(ns))
		tps = &t
	}
	return &q, tps
}

func runState(r Run) string {
	if r.Interrupted {
		return "interrupted"
	}
	return "complete"
}

// finishReasons lists the reasons for the end of an answer. The last stands for all others.
var finishReasons = []string{"stop", "length", "tool_calls", "content_filter", "function_call", "other"}

// countFinished returns the number of answers per finish reason, for answers with a reported reason.
func (e *aggregatedPoint) countFinished() []int64 {
	counts := make([]int64, len(finishReasons))
	for i := range e.samples {
		s := &e.samples[i]
		if !s.completed || s.failed || s.Finish == "" {
			continue
		}
		at := slices.Index(finishReasons, s.Finish)
		if at < 0 {
			at = len(finishReasons) - 1
		}
		counts[at]++
	}
	return counts
}

// makeSummary returns the content of SummaryFile.
func (e *aggregatedPoint) makeSummary(r Run) *formats.Object {
	var o formats.Object
	qps, tps := e.throughputRates()
	o.Add("version", r.Version)
	o.Add("git_sha", formats.NullIfEmpty(r.Commit))
	o.Add("test_started_at", 0)
	o.Add("n_samples_issued", len(e.samples))
	o.Add("n_samples_completed", e.completed)
	o.Add("n_samples_failed", e.failed)
	o.Add("duration_ns", nilUnlessPositive(e.measuredTo-e.measuredFrom))
	o.Add("state", runState(r))
	o.Add("complete", !r.Interrupted)
	for _, s := range summarySections {
		if series := e.series[s.series]; series != nil {
			o.Add(s.field, series.Summary())
		} else {
			o.Add(s.field, struct{}{})
		}
	}
	if e.usesLoadGenRates() {
		o.Add("legacy_loadgen_window_duration_ns", e.legacyWindow)
	} else {
		o.Add("legacy_loadgen_window_duration_ns", nil)
	}
	o.Add("qps", qps)
	o.Add("tps", tps)
	if e.pattern == replayPattern && r.LoadGen != nil {
		e.addTurnFigures(&o)
	}
	reasons := &formats.Object{}
	for i, n := range e.countFinished() {
		reasons.Add(finishReasons[i], n)
	}
	o.Add("finish_reason_counts", reasons)
	o.Add("run_config", e.runConfig(r))
	return &o
}

// addTurnFigures adds the totals of tokens and times of all turns, from which the figures of agentic points are
// computed.
func (e *aggregatedPoint) addTurnFigures(o *formats.Object) {
	var whole formats.Object
	whole.Add("output_sequence_lengths", e.series[oslTokens].Summary())
	o.Add("output_sequence_lengths_full_run", &whole)
	o.Add("output_tokens_per_turn_total", e.series[oslTokens].total)
	seconds := e.series[latencyNS].total / 1e9
	o.Add("e2e_turn_time_seconds_total", seconds)
	if seconds > 0 {
		o.Add("e2e_avg_interactivity", e.series[oslTokens].total/seconds)
	}
}

// summarySections lists the summary's sections that describe a series.
var summarySections = []struct {
	field, series, title, unit string
	scale                      float64
}{
	{"ttft", ttftNS, "TTFT", "ms", 1e-6},
	{"tpot", tpotNS, "TPOT", "ms", 1e-6},
	{"latency", latencyNS, "Latency", "ms", 1e-6},
	{"output_sequence_lengths", oslTokens, "Output sequence lengths", "tokens", 1},
	{"input_sequence_lengths", islTokens, "Input sequence lengths", "tokens", 1},
}

func nilUnlessPositive(n int64) any {
	if n <= 0 {
		return nil
	}
	return n
}

// runConfig returns the part of the configuration that the summary repeats.
func (e *aggregatedPoint) runConfig(r Run) *formats.Object {
	var p, w, o formats.Object
	p.Add("type", e.pattern)
	p.Add("target_qps", nilForZero(e.configuration.Settings.LoadPattern.QPS))
	p.Add("target_concurrency", nilForZero(e.configuration.Settings.LoadPattern.Concurrency))
	if e.pattern == "poisson" {
		p.Add("use_legacy_loadgen_qps_metrics", true)
	}
	w.Add("enabled", r.WarmUp > 0)
	w.Add("n_requests", nilForZero(r.WarmUp))
	w.Add("salt", false)
	w.Add("drain", false)
	w.Add("warmup_random_seed", r.Load.Seed)
	o.Add("load_pattern", &p)
	o.Add("warmup", &w)
	o.Add("scheduler_random_seed", r.Load.Seed)
	o.Add("dataloader_random_seed", e.configuration.Settings.Runtime.DataSeed)
	return &o
}

// nilForZero returns nil if n is 0, and n otherwise.
func nilForZero[N int | float64](n N) any {
	if n == 0 {
		return nil
	}
	return n
}

// makeSnapshot returns the content of SnapshotFile.
func (e *aggregatedPoint) makeSnapshot(r Run) *formats.Object {
	var o formats.Object
	all := []json.Marshaler{}
	counter := func(name string, n int64) {
		var c formats.Object
		c.Add("type", "counter")
		c.Add("name", name)
		c.Add("value", n)
		all = append(all, &c)
	}
	issued, completed, failed := int64(len(e.samples)), int64(e.completed), int64(e.failed)
	for _, whose := range []string{"total", "tracked"} {
		counter(whose+"_samples_issued", issued)
		counter(whose+"_samples_completed", completed)
		counter(whose+"_samples_failed", failed)
	}
	for i, n := range e.countFinished() {
		counter("tracked_finish_reason_"+finishReasons[i], n)
	}
	counter("tracked_duration_ns", e.measuredTo-e.measuredFrom)
	counter("legacy_loadgen_window_duration_ns", e.legacyWindow)
	counter("total_duration_ns", e.sessionTo-e.sessionFrom)
	for _, name := range e.seriesNames(e.series[ttftNS] != nil) {
		all = append(all, e.series[name].Snapshot())
	}
	o.Add("counter", 1)
	o.Add("timestamp_ns", e.sessionTo)
	o.Add("state", runState(r))
	o.Add("n_pending_tasks", 0)
	o.Add("metrics", all)
	return &o
}

// eventLine is one line of EventsFile.
type eventLine struct {
	Type         string `json:"event_type"`
	At           int64  `json:"timestamp_ns"`
	Sample       string `json:"sample_uuid"`
	Conversation string `json:"conversation_id"`
	Turn         *int   `json:"turn"`
	Data         any    `json:"data"`
}

// listEvents returns all events of the session in order of time. They contain no texts, because texts are not kept.
func (e *aggregatedPoint) listEvents() []eventLine {
	all := []eventLine{{Type: "session.started", At: e.sessionFrom},
		{Type: "session.start_performance_tracking", At: e.measuredFrom}}
	for i := range e.samples {
		s := &e.samples[i]
		add := func(kind string, at int64, data any) {
			v := eventLine{Type: kind, At: at, Sample: s.id, Conversation: s.Session, Data: data}
			if s.Session != "" {
				v.Turn = &s.Turn
			}
			all = append(all, v)
		}
		add("sample.issued", s.Sent, nil)
		if s.streamed {
			add("sample.recv_first", s.firstText, nil)
		}
		if s.failed {
			add("error.generic", s.End, [3]string{"ErrorData", string(s.Status), s.Fault})
		}
		if s.completed {
			add("sample.complete", s.End, nil)
		}
	}
	slices.SortStableFunc(all, func(a, b eventLine) int { return cmp.Compare(a.At, b.At) })
	return append(all, eventLine{Type: "session.stop_performance_tracking", At: max(e.measuredTo, e.sessionTo)},
		eventLine{Type: "session.ended", At: max(e.measuredTo, e.sessionTo)})
}

// Write writes the endpoints files of a run into dir. They follow the definitions of version 0.1.0. Times count from
// sending. Latency ends with the stream. TPOT is the time from the first piece of text to the end of the stream,
// divided by the number of tokens after that piece. Failed requests count as completed, with their latency. For Poisson
// arrivals, qps is (n-1)/T, where T lasts from the first sending to the end of the request that was sent last. The
// files contain the server's token counts; the endpoints harness would tokenize the texts again.
func Write(dir string, r Run) error {
	e, err := aggregatePoint(r)
	if err != nil {
		return err
	}
	places := map[string]map[string]int{"performance": {}}
	for _, s := range e.samples {
		places["performance"][s.id] = s.Row
	}
	for _, folder := range []string{"performance", "metrics"} {
		if err := os.MkdirAll(filepath.Join(dir, folder), 0o777); err != nil {
			return err
		}
	}
	configuration, err := e.configuration.toYAML()
	if err != nil {
		return err
	}
	summary, err := e.makeSummary(r).IndentedJSON()
	if err != nil {
		return err
	}
	snapshot, err := e.makeSnapshot(r).IndentedJSON()
	if err != nil {
		return err
	}
	rows, err := json.MarshalIndent(places, "", "  ")
	if err != nil {
		return err
	}
	for name, text := range map[string][]byte{
		ConfigFile:   configuration,
		SummaryFile:  summary,
		SnapshotFile: snapshot,
		PlacesFile:   append(rows, '\n'),
		ReportFile:   e.makeReport(r),
	} {
		if err := os.WriteFile(filepath.Join(dir, filepath.FromSlash(name)), text, 0o666); err != nil {
			return err
		}
	}
	if r.isReplay() {
		if err := e.writeReplayFiles(dir, r); err != nil {
			return err
		}
	}
	if r.LoadGen != nil {
		if err := e.writeLoadGenFiles(dir, r); err != nil {
			return err
		}
	}
	return writeLines(filepath.Join(dir, EventsFile), e.listEvents())
}

func writeLines(path string, all []eventLine) (err error) {
	f, err := os.Create(path)
	if err != nil {
		return err
	}
	defer func() { err = cmp.Or(err, f.Close()) }()
	w := bufio.NewWriter(f)
	lines := json.NewEncoder(w)
	for _, e := range all {
		if err := lines.Encode(e); err != nil {
			return err
		}
	}
	return w.Flush()
}
