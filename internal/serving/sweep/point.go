package sweep

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"time"

	"github.com/plumbline-ml/plumbline/internal/fetch/wholefile"
	"github.com/plumbline-ml/plumbline/internal/figure"

	"github.com/plumbline-ml/plumbline/bench/record"
	"github.com/plumbline-ml/plumbline/internal/record/series"
	"github.com/plumbline-ml/plumbline/internal/serving/engine"
	"github.com/plumbline-ml/plumbline/internal/serving/shard"
	"github.com/plumbline-ml/plumbline/loadgen"
	"github.com/plumbline-ml/plumbline/serving/arrival"
	"github.com/plumbline-ml/plumbline/serving/metrics"
	"github.com/plumbline-ml/plumbline/serving/objective"
	"github.com/plumbline-ml/plumbline/serving/prompts"
)

// PointSettings contains the common settings of a sweep's points.
type PointSettings struct {
	Asker engine.Asker
	// Prompts is the source of prompts. Each point draws its own prompts with a seed derived from Seed.
	Prompts *prompts.PromptSet
	Seed    uint64
	// Latency is the approximate duration of a request; 0: unknown. It determines how many prompts are drawn for a point
	// with users.
	Latency time.Duration

	// WarmUp is the number of warm-up requests before each point; below 0: the engine's default.
	WarmUp      int
	Grace       time.Duration
	GraceAlways bool              // Grace also limits points that a number of requests ended
	MaxErrors   *engine.MaxErrors // nil: 10 % after 20 requests
	MaxRetries  int
	// WholeWindow computes figures from all requests of a closed loop instead of its steady part.
	WholeWindow bool
	// Rules are the rules of figures, except for the window, scenario and limits of each point.
	Rules      metrics.FigureRules
	Objectives objective.Objectives
	// SharedPrefixes states that prompts have common beginnings on purpose, so cached tokens are expected.
	SharedPrefixes bool

	// EmptyCache, if not nil, empties the server's prompt cache before each point.
	EmptyCache func(ctx context.Context) (done bool, err error)
	// LoadGen measures each load with LoadGen, which requires that the load is one of its scenarios. LoadGen's logs are
	// saved in the point's folder.
	LoadGen    bool
	makeFolder func(point string) (dir string, err error) // creates a point's folder; nil: there is none

	// Record contains the data that all points share: server, request settings, machine, command. Record.Serving must be
	// set.
	Record record.Run

	// Share is the part of each load that this client sends, from Start on. The zero values mean the whole load, at once.
	Share shard.Share
	Start time.Time

	// OnPointBegin, if not nil, is called before a point is measured. The function it returns is called afterwards with
	// the point, whose record it may extend, or with nil if nothing was measured.
	OnPointBegin func(p arrival.Pattern, progress *engine.PointProgress) (done func(*SweepPoint))
}

// SweepPoint is a measured load.
type SweepPoint struct {
	Load   arrival.Pattern
	Rules  metrics.FigureRules // rules of its figures
	Record record.Run
	// Requests are the records in order of their due times.
	Requests []metrics.Request
	Began    time.Time // wall-clock time at time 0 of the requests
	WarmUp   int       // planned warm-up requests
	Digest   string    // digest of the prompts of all shares; empty: no shares
	// ServerMetrics contains the server's own metrics, for a file in the point's folder; nil: none.
	ServerMetrics any
	// OverTime contains the metrics over time, on the requests' clock.
	OverTime []series.CollectedSeries
	// Power contains the readings of a power meter in the form of spl.txt; empty: none.
	Power []byte
}

// FigureWindow returns the window of the point's figures.
func (p *SweepPoint) FigureWindow() metrics.Window {
	if p.Rules.Window != nil {
		return *p.Rules.Window
	}
	w := metrics.IssuedWindow(p.Requests)
	w.To = w.From + p.Record.Serving.Figures.WindowNS
	return w
}

// PointFolderName returns the name of a point and of its folder, such as users-16, rate-2.5 or maximum.
func PointFolderName(p arrival.Pattern) string {
	if v := p.Value(); v != 0 {
		return fmt.Sprintf("%s-%v", p.Kind, v)
	}
	return string(p.Kind)
}

// pointName returns the name of a point in a matrix, such as users=16 or load=maximum.
func pointName(p arrival.Pattern) string {
	if v := p.Value(); v != 0 {
		return string(p.Kind) + "=" + figure.Short(v)
	}
	return "load=" + string(p.Kind)
}

// AddPointName returns the point names of a matrix with the name of p added, if it is missing.
func AddPointName(matrix []string, p arrival.Pattern) []string {
	if name := pointName(p); !slices.Contains(matrix, name) {
		return append(slices.Clone(matrix), name)
	}
	return matrix
}

// MeasureLoad measures one load. skip is the number of data rows that earlier points have used. trial distinguishes
// points with the same load. MeasureLoad returns an error if nothing was measured. An interrupted point is returned
// without an error, with the record of an interrupted run.
func (s *PointSettings) MeasureLoad(ctx context.Context, p arrival.Pattern, trial, skip int) (*SweepPoint, error) {
	seed := s.pointSeed(p, trial)
	asks, warmUp, err := s.drawRequests(p, seed, skip)
	if err != nil {
		return nil, err
	}
	var notes []string
	if s.EmptyCache != nil {
		if _, err := s.EmptyCache(ctx); err != nil && ctx.Err() == nil {
			notes = append(notes, fmt.Sprintf("the server's cache was not emptied: %v", err))
		}
	}
	plan := engine.PointPlan{
		Asks: asks, Load: p, Grace: s.Grace, GraceAlways: s.GraceAlways, MaxErrors: s.MaxErrors, MaxRetries: s.MaxRetries,
		NoTokens: s.Rules.NoTokens,
		Progress: new(engine.PointProgress), Share: s.Share, Start: s.Start,
	}
	if warmUp != nil {
		plan.WarmUp = warmUp
	}
	done := func(*SweepPoint) {}
	if s.OnPointBegin != nil {
		done = s.OnPointBegin(p, plan.Progress)
	}
	measured, result, err := s.sendLoad(ctx, plan, PointFolderName(p)+trialSuffix(trial))
	if err != nil {
		done(nil)
		return nil, fmt.Errorf("%s: %w", PointFolderName(p), err)
	}
	point := s.JudgePoint(measured, seed)
	if warmUp != nil {
		point.WarmUp = warmUp.Len()
	}
	if s.Share.Of > 0 {
		point.Digest = requestsDigest(asks)
	}
	for _, note := range append(notes, asks.Notes...) {
		point.AddNote("data", note)
	}
	if result != nil {
		point.setLoadGenResult(result)
	}
	done(point)
	var ended error
	if measured.StopReason == engine.ByCaller {
		ended = interruptError(context.Cause(ctx))
	}
	point.Record.Finish(ended)
	return point, nil
}

// interruptError returns the cause of a context's end as an interrupt, because neither the server nor the client
// failed.
func interruptError(cause error) error {
	if errors.Is(cause, loadgen.ErrInterrupted) || errors.Is(cause, context.Canceled) {
		return cause
	}
	return fmt.Errorf("%w: %w", loadgen.ErrInterrupted, cause)
}

// sendLoad sends a load with the engine, or with LoadGen if the settings say so. The result is LoadGen's, or nil.
func (s *PointSettings) sendLoad(
	ctx context.Context, plan engine.PointPlan, name string,
) (*engine.MeasuredPoint, *loadgen.Result, error) {
	if !s.LoadGen {
		p, err := engine.Measure(ctx, s.Asker, plan)
		return p, nil, err
	}
	limit := func(metric string) time.Duration { return time.Duration(s.Objectives.RequestLimits()[metric]) }
	settings, err := engine.LoadGenSettings(plan.Load, plan.Asks.Len(), limit(metrics.TTFT), limit(metrics.TPOT))
	if err != nil {
		return nil, nil, err
	}
	place := s.makeFolder
	if place == nil {
		place = func(string) (string, error) { return os.MkdirTemp("", "loadgen") }
	}
	dir, err := place(name)
	if err != nil {
		return nil, nil, err
	}
	if s.makeFolder == nil {
		defer os.RemoveAll(dir)
	}
	logs := loadgen.LogSettings{OutDir: dir, Record: saveSeries}
	p, result, err := engine.MeasureByLoadGen(ctx, s.Asker, plan, settings, logs)
	if err != nil && ctx.Err() == nil {
		return nil, nil, fmt.Errorf("%w: %w", ErrServer, err)
	}
	return p, result, nil
}

// saveSeries saves LoadGen's measurements over time in the folder of its logs.
func saveSeries(r loadgen.Recording, dir string) error {
	text, err := series.FromSource(r).JSON()
	if err != nil {
		return err
	}
	return wholefile.Write(filepath.Join(dir, series.FileName), text, 0o644)
}

// setLoadGenResult copies LoadGen's result and its reasons to the point.
func (p *SweepPoint) setLoadGenResult(r *loadgen.Result) {
	p.Record.Scenario, p.Record.Profile = p.Load.Scenario(), record.ModeServing
	p.Record.FromResult(r)
	text := fmt.Sprintf("LoadGen, %s: %s", p.Load.Scenario(), r.Verdict)
	for _, why := range r.Reasons {
		text += fmt.Sprintf("; %s, needed: %s", why.Measured, why.Needed)
	}
	p.AddNote("loadgen", text)
}

// pointSeed returns the seed of a point's prompts, an FNV-1a hash. It depends only on the load and the trial, so a
// resumed sweep draws the same prompts.
func (s *PointSettings) pointSeed(p arrival.Pattern, trial int) uint64 {
	h := s.Seed ^ 0xcbf29ce484222325
	for _, b := range fmt.Appendf(nil, "%s %d", PointFolderName(p), trial) {
		h = (h ^ uint64(b)) * 0x100000001b3
	}
	return h
}

// minEncoded is the minimum number of requests that are encoded before a point without a known number of requests, and
// maxEncodedBytes their maximum size in bytes. If they are too few, they are sent repeatedly.
const (
	minEncoded      = 256
	maxEncodedBytes = 256 << 20
)

// drawRequests draws the requests of a point and its warm-up requests; warmUp is nil if there are none.
func (s *PointSettings) drawRequests(p arrival.Pattern, seed uint64, skip int) (asks, warmUp *prompts.DrawnRequests,
	err error) {
	n := s.WarmUp
	if n < 0 {
		n = engine.DefaultWarmUps(p)
	}
	if s.Prompts.Rows() == 0 {
		skip = 0 // generated prompts are unlimited
	}
	if n > 0 {
		warmUp = s.Prompts.Draw(prompts.DrawOptions{N: n, Skip: skip, Seed: seed + 1, WarmUp: true})
		skip += warmUp.Len()
	}
	d := prompts.DrawOptions{Skip: skip, Seed: seed}
	once := s.Prompts.DrawnOnceOption()
	switch {
	case p.Kind == arrival.Replay && once != "":
		return nil, nil, fmt.Errorf("%w: %s is not of a replay, which asks rows when they are due", prompts.ErrOptions, once)
	case p.Kind == arrival.Replay:
		d.Skip, d.Order = 0, prompts.ByTime
	case p.Requests > 0 && !p.Sessions:
		d.N = p.Requests
	case p.Kind == arrival.Rate:
		schedule, err := p.MakeSchedule(0, nil)
		if err != nil {
			return nil, nil, err
		}
		d.N = max(1, len(schedule.Due)*s.meanTurns())
	case once != "":
		return nil, nil, fmt.Errorf("%w: %s draws once for each request, so that their number must be known: give "+
			"--requests N", prompts.ErrOptions, once)
	default:
		d.N = s.estimateRequests(p)
	}
	if rows := s.Prompts.Rows(); rows > 0 && d.N > rows && once == "" { // the engine repeats them as often as required
		d.N = rows
	}
	return s.Prompts.Draw(d), warmUp, nil
}

// meanTurns returns the mean number of turns of a session, rounded up.
func (s *PointSettings) meanTurns() int {
	if n := s.Prompts.Sessions(); n > 0 {
		return (s.Prompts.Rows() + n - 1) / n
	}
	return 1
}

// assumedSpeedup is the assumed ratio of a server's maximum rate to its rate with one user.
const assumedSpeedup = 8

// estimateRequests returns an estimate of the maximum number of requests of a point that ends by time.
func (s *PointSettings) estimateRequests(p arrival.Pattern) int {
	took, lasts := max(s.Latency, time.Millisecond), p.Duration
	if s.Share.Of > 0 {
		took = assumedLatency
	}
	lasts = cmp.Or(lasts, arrival.DefaultDuration)
	n := lasts.Seconds() / took.Seconds()
	if p.Kind == arrival.Users {
		n *= 1.2 * float64(p.Users)
	} else if n *= assumedSpeedup; s.Prompts.Rows() == 0 {
		n = min(n, maxAtOnce)
	}
	one := s.Prompts.Draw(prompts.DrawOptions{N: 1}).At(0)
	size := 512 + 8*len(one.IDs) + len(one.Text) + len(one.Messages) + len(one.Input) + len(one.Documents)
	return int(max(minEncoded, min(n, float64(maxEncodedBytes/size))))
}

// assumedLatency is the assumed latency of a request if several clients share a load. It does not depend on
// measurements, because all clients must compute the same number.
const assumedLatency = 50 * time.Millisecond

// maxAtOnce is the default number of generated requests that are sent at once.
const maxAtOnce = 5000

// JudgePoint computes the figures and the record of a measured point by the settings' Rules, Objectives and Record.
// seed is the seed of its prompts.
func (s *PointSettings) JudgePoint(p *engine.MeasuredPoint, seed uint64) *SweepPoint {
	point := &SweepPoint{Load: p.Load, Requests: p.Requests, Began: p.Began}
	rules := s.Rules
	rules.OpenLoop = p.Load.Kind != arrival.Users
	rules.Limits, rules.Percentiles = s.Objectives.RequestLimits(), s.Objectives.Percentiles()
	inWindow := p.Window != nil && !s.WholeWindow
	unsteady := inWindow && !hasAnswerIn(p, rules)
	if inWindow && !unsteady {
		rules.Window = p.Window
	}
	rules.Shares, rules.Untimed = true, true
	if rules.OpenLoop {
		rules.LoadGen, rules.Least = p.Load.Scenario(), minWindow(p)
	}
	f := metrics.ComputeFigures(p.Requests, rules)
	point.Rules, point.Record = rules, s.Record
	r := &point.Record
	r.Mode, r.Started, r.Dir = record.ModeServing, p.Began, ""
	r.Identity.Point = AddPointName(s.Record.Identity.Point, p.Load)
	took := time.Duration(f.WindowNS)
	r.Duration, r.Took = took.Seconds(), figure.Seconds(took)
	served := *s.Record.Serving
	r.Serving = &served
	served.Load, served.Label, served.Sentence = recordedLoad(p.Load), p.Load.Label(), p.Load.ClosedLoop()
	served.Asked.PointSeed, served.Asked.Sent = seed, len(p.Requests)
	served.Figures, served.Ended, served.Faults = f, string(p.StopReason), countFaults(p.Requests, rules,
		func(r *metrics.Request) bool { return !r.WarmUp && (rules.Window == nil || rules.Window.Has(r.Due)) })
	served.Client = recordedClient(p.Client)
	served.Stationarity = measureStationarity(p, rules)
	s.judgeObjectives(&served, f)
	r.Notes = slices.Clone(s.Record.Notes)
	mine := p.Load
	mine.Users = s.Share.Count(mine.Users)
	var limited []string
	if !served.Unanswered() { // without answers there is no bottleneck
		limited = p.Client.ClientLoad(mine).LimitReasons(f)
	}
	for _, why := range limited {
		point.AddNote(record.ClientLimited, why)
	}
	notes := f.Notes(s.SharedPrefixes)
	for _, n := range notes {
		point.AddNote(n.About, n.Text)
	}
	if rough := f.RoughReason(countBegun(p.Requests)); rough != "" {
		point.AddNote(metrics.AboutRough, rough)
	}
	for _, n := range p.Notes {
		point.AddNote("load", n)
	}
	if unsteady && f.OK > 0 {
		point.AddNote("load", "no request that was due while all users asked had an answer: figures are of all requests")
	}
	point.noteUncounted(rules)
	served.Flags = pointFlags(&served, len(limited) > 0, notes)
	return point
}

// judgeObjectives sets which objectives the figures meet, if there are objectives.
func (s *PointSettings) judgeObjectives(served *record.Serving, f *metrics.Figures) {
	if s.Objectives.HasPointTerms() {
		verdicts := s.Objectives.JudgeFigures(f)
		holds := objective.AllHeld(verdicts)
		served.Objectives, served.Holds = verdicts, &holds
	}
}

// measureStationarity checks whether times rose while requests were issued. It returns nil for a load that sends all
// requests at once.
func measureStationarity(p *engine.MeasuredPoint, rules metrics.FigureRules) *metrics.Stationarity {
	if p.Load.Kind == arrival.Maximum {
		return nil
	}
	window := metrics.IssuedWindow(p.Requests)
	if rules.Window != nil {
		window = *rules.Window
	}
	stationary := metrics.CheckStationarity(p.Requests, window, rules)
	if p.Load.Kind == arrival.Rate && p.Load.Arrival != arrival.Constant {
		stationary.Rises = stationary.Rises && stationary.Exceeds()
	}
	return &stationary
}

// minWindow returns the minimum window of an open loop in nanoseconds: the nominal duration of the due requests at
// their rate, or the duration of the stages.
func minWindow(p *engine.MeasuredPoint) int64 {
	if p.Load.Stages != nil {
		if p.StopReason == engine.ByDuration && p.Load.Duration == 0 {
			return int64(p.Load.StagesLast())
		}
		return 0
	}
	units := 0
	for i := range p.Requests {
		if r := &p.Requests[i]; !r.WarmUp && r.Turn == 0 {
			units++
		}
	}
	return int64(p.Load.MinDuration(units))
}

// countBegun returns the number of requests of a point that count, in or outside its window.
func countBegun(requests []metrics.Request) (n int) {
	for i := range requests {
		if r := &requests[i]; !r.WarmUp && r.Status != metrics.Cancelled {
			n++
		}
	}
	return n
}

// AddNote adds a note for readers of the point's figures.
func (p *SweepPoint) AddNote(about, text string) {
	p.Record.Notes = append(p.Record.Notes, record.Finding{About: about, Text: text})
}

// pointFlags returns the flags of a point: doubts about its figures, and missed objectives.
func pointFlags(s *record.Serving, limited bool, notes []metrics.Note) []string {
	all := []string{}
	if limited {
		all = append(all, record.ClientLimited)
	}
	if s.Stationarity != nil && s.Stationarity.Rises {
		all = append(all, record.NotStationary)
	}
	switch {
	case s.Unanswered():
		all = append(all, Unanswered)
	case s.Failed():
		all = append(all, ManyFailures)
	}
	for _, n := range notes {
		if n.About == metrics.AboutCached || n.About == metrics.AboutBundled {
			all = append(all, n.About)
		}
	}
	for _, v := range s.Objectives {
		if !v.Held {
			all = append(all, "misses "+v.Term.Text)
		}
	}
	return all
}

// The flags of a point at which the server failed.
const (
	Unanswered   = "no good answer"
	ManyFailures = "too many failures"
)

// recordedLoad returns the load of a point in the form of its record.
func recordedLoad(p arrival.Pattern) record.ServingLoad {
	l := record.ServingLoad{By: p.Kind, Value: p.Value(), Arrival: string(p.Arrival), Think: p.Think.Seconds()}
	if p.Kind != arrival.Users {
		l.Cap = p.Users
	}
	return l
}

// recordedClient returns the client's load in the form of a point's record.
func recordedClient(c engine.ClientUsage) *record.ServingClient {
	share := c.Share
	if math.IsNaN(share) {
		share = 0
	}
	return &record.ServingClient{
		CPU: c.CPU.Seconds(), Cores: c.Cores, Share: share, QueueP99: int64(c.QueueP99), ReadP99: int64(c.ReadP99),
		GCs: c.GCs, GCPause: int64(c.GCPause), GCLongest: int64(c.GCLongest), Retries: c.Retries,
	}
}
