package drive

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/plumbline-ml/plumbline/backends/openai"
	"github.com/plumbline-ml/plumbline/bench/plugin"
	"github.com/plumbline-ml/plumbline/internal/fetch/wholefile"
	"github.com/plumbline-ml/plumbline/internal/record/requests"
	"github.com/plumbline-ml/plumbline/internal/serving/engine"
	"github.com/plumbline-ml/plumbline/internal/serving/formats"
	files "github.com/plumbline-ml/plumbline/internal/serving/formats/endpoints"
	"github.com/plumbline-ml/plumbline/internal/submission/endpoints"
	"github.com/plumbline-ml/plumbline/internal/submission/endpoints/plan"
	"github.com/plumbline-ml/plumbline/sdk"
	"github.com/plumbline-ml/plumbline/serving"
	"github.com/plumbline-ml/plumbline/serving/arrival"
	"github.com/plumbline-ml/plumbline/serving/metrics"
	"github.com/plumbline-ml/plumbline/serving/prompts"
)

// OwnClient is this program's own client. Its measurements are rehearsals, since the rules require the official client.
type OwnClient struct {
	Endpoint   string // the server's address
	Connection serving.ServerConnection
	// Prompts describes the performance set. Tokenizer is the model's, as in serving.Plan.
	Prompts   prompts.PromptOptions
	Tokenizer string
	// Accuracy describes the prompts of accuracy runs. Without a path, they are skipped.
	Accuracy AccuracyFile
	// SWEBench is the address of the official service for SWE-bench, which makes an agentic model's accuracy run. Poll is
	// the interval of status requests; 0: 5 s.
	SWEBench string
	Poll     time.Duration
	Rules    *endpoints.Rules
	Version  string // version of this program
	Commit   string // commit of its sources; empty: unknown
	// Note receives messages for the user, each text once.
	Note func(text string)

	notedTexts map[string]bool
}

// OwnName is the name of this program's own client.
const OwnName = "plumbline"

// Name implements Client.
func (o *OwnClient) Name() string { return OwnName }

// ServerDescription implements Client.
func (o *OwnClient) Server(ctx context.Context) (ServerDescription, error) {
	return askServer(ctx, o.Connection, o.Endpoint)
}

// warmUpISL and warmUpOSL are the lengths of warm-up prompts and answers in tokens. warmUpSeed is the seed of their
// words.
const (
	warmUpISL, warmUpOSL = "256", "64"
	warmUpSeed           = 7
)

// Measure implements Client.
func (o *OwnClient) Measure(ctx context.Context, j PointJob) (PerformanceRun, error) {
	wire, err := o.Connection.Connect(ctx, o.Endpoint)
	if err != nil {
		return PerformanceRun{}, err
	}
	defer func() { _ = wire.Close() }() // there is no buffered data
	if o.Rules.AgenticOf(o.Accuracy.Model) != nil {
		return o.measureAgentic(ctx, wire, j)
	}
	load := arrival.Pattern{Kind: arrival.Users, Users: j.Point.Concurrency, Seed: j.Seeds.Scheduler}
	s, err := o.openSession(wire, load, j.Seeds)
	if err != nil {
		return PerformanceRun{}, err
	}
	if err := s.AskFirst(ctx, o.noteOnce); err != nil {
		return PerformanceRun{}, err
	}
	for _, text := range s.Notes {
		o.noteOnce(text)
	}
	warmUp, err := prompts.ReadSet(prompts.PromptOptions{API: s.Set.API, ISL: warmUpISL, OSL: warmUpOSL, Seed: warmUpSeed})
	if err != nil {
		return PerformanceRun{}, sdk.Usage(fmt.Errorf("prompts that warm up: %w", err))
	}
	p := &ownPoint{own: o, job: j, session: s, load: load, passSize: s.Set.Rows(), passUnits: s.Set.Rows()}
	p.asks = s.Set.Draw(prompts.DrawOptions{N: p.numDrawn()})
	p.warmUp = warmUp.Draw(prompts.DrawOptions{N: engine.DefaultWarmUps(load), Seed: warmUpSeed})
	return p.measurePoint(ctx)
}

// openSession opens a session for the performance set, in the order of the seed set and with salt.
func (o *OwnClient) openSession(wire *openai.Client, load arrival.Pattern, seeds endpoints.SeedSet) (*serving.Session,
	error) {
	pl := serving.Plan{Connection: o.Connection, Prompts: o.Prompts, Tokenizer: o.Tokenizer,
		Loads: []arrival.Pattern{load}, Base: load, WholeWindow: true}
	pl.Prompts.Order, pl.Prompts.OrderSeed = prompts.WithReplacement, strconv.FormatUint(seeds.SampleIndex, 10)
	pl.Prompts.SaltSeed = strconv.FormatUint(seeds.Model, 10)
	s, err := serving.OpenSession(wire, pl)
	if err != nil {
		return nil, err
	}
	if err := checkOneForm(o.Prompts.File, s.Set); err != nil {
		return nil, sdk.Data(err)
	}
	return s, nil
}

func (o *OwnClient) noteOnce(text string) {
	if o.Note == nil || o.notedTexts[text] {
		return
	}
	if o.notedTexts == nil {
		o.notedTexts = map[string]bool{}
	}
	o.notedTexts[text] = true
	o.Note(text)
}

// ownPoint is a point in measurement.
type ownPoint struct {
	own       *OwnClient
	job       PointJob
	session   *serving.Session
	load      arrival.Pattern
	passSize  int         // samples of the performance set, or turns of its trajectories
	passUnits int         // samples or trajectories of the set
	asks      engine.Asks // requests in order of sending
	warmUp    *prompts.DrawnRequests
	inline    *turnScorer // for trajectories; otherwise nil
}

// figureRules returns the rules of the records' figures.
func (p *ownPoint) figureRules() metrics.FigureRules { return p.session.Settings.Rules }

// measure sends the requests and writes the files.
func (p *ownPoint) measurePoint(ctx context.Context) (PerformanceRun, error) {
	w := newWatch(p.job, p.passSize, p.figureRules())
	w.units = p.passUnits
	pl := engine.PointPlan{Asks: p.asks, Lazy: true, WarmUp: p.warmUp, Load: p.load, OnRequestEnd: w.addRequest}
	if p.job.Point.Offline == plan.Dedicated {
		pl.Load = arrival.Pattern{Kind: arrival.Maximum, Requests: p.job.Point.Passes * p.passSize, Seed: p.load.Seed}
	} else {
		pl.HasMore = w.permitsUnit
	}
	watching, done := context.WithCancel(ctx)
	var group sync.WaitGroup
	group.Go(func() { w.watchPasses(watching) })
	began := time.Now()
	point, err := engine.Measure(ctx, p.session.Settings.Asker, pl)
	done()
	group.Wait()
	switch {
	case err != nil:
		return PerformanceRun{}, err
	case ctx.Err() != nil:
		return PerformanceRun{}, context.Cause(ctx)
	case point.StopReason == engine.ByErrors:
		return PerformanceRun{}, plugin.Fault(fmt.Errorf("the server fails: %s", firstFault(point.Requests, p.figureRules())))
	}
	m := PerformanceRun{PassSize: p.passSize, Issued: w.gatherer.Len(), Took: time.Since(began),
		Warmup: warmupOf(point, p.job)}
	if p.job.DetectsWindow {
		m.Passes = w.gatherer.Passes()
	}
	return m, p.writeFiles(point, pl, m)
}

// maxPlaces is the maximum number of requests drawn before a point. If they are too few, they are repeated in a new
// order.
const maxPlaces = 1 << 20

// numDrawn returns the number of requests to draw for a point. It exceeds the plan's number and the number expected
// from the first answer's latency.
func (p *ownPoint) numDrawn() int {
	passes := float64(4 * p.job.Point.Passes)
	if each := p.session.Settings.Latency.Seconds() / float64(p.job.Point.Concurrency) * float64(p.passSize); each > 0 {
		passes = max(passes, 2*maxOverrun*minSeconds(p.job)/each)
	}
	return p.passSize * max(p.job.Point.Passes, int(min(passes, float64(maxPlaces/p.passSize))))
}

// firstFault describes the first failed request.
func firstFault(all []metrics.Request, rules metrics.FigureRules) string {
	for i := range all {
		if m := metrics.MeasureRequest(&all[i], rules); m.Found != metrics.OK && m.Found != metrics.Cancelled {
			return fmt.Sprintf("%s: %s", m.Found, m.Fault)
		}
	}
	return "no answer is good"
}

// warmupOf describes the requests sent before the first request that counts.
func warmupOf(point *engine.MeasuredPoint, j PointJob) Warmup {
	w := Warmup{Source: fmt.Sprintf("made words, %s tokens of prompts and %s of answers, by the seed %d; none of the "+
		"performance set", warmUpISL, warmUpOSL, warmUpSeed), Concurrency: j.Point.Concurrency,
		Steps: []string{"one request of the performance set's form, which counts in nothing"}, Logs: true}
	from, to := int64(0), int64(0)
	for i := range point.Requests {
		r := &point.Requests[i]
		if !r.WarmUp {
			continue
		}
		if w.Issued++; r.Status == metrics.OK {
			w.Completed++
		}
		from, to = min(from, r.Sent), max(to, r.End)
	}
	w.Seconds = float64(to-from) / 1e9
	return w
}

// write writes the official client's files of the point, and requests.jsonl with the records of all requests.
func (p *ownPoint) writeFiles(point *engine.MeasuredPoint, pl engine.PointPlan, m PerformanceRun) error {
	s, o := p.session, p.own
	load := pl.Load
	load.Requests = m.Issued
	err := wholefile.WriteWith(filepath.Join(p.job.Dir, requests.JSONLName), 0o644, func(w io.Writer) error {
		return requests.Write(w, point.Requests, p.figureRules())
	})
	if err != nil {
		return err
	}
	driven := &files.LoadGenRun{DataSeed: p.job.Seeds.SampleIndex,
		MinDuration: time.Duration(p.job.MinSeconds * float64(time.Second))}
	if p.job.Point.Accuracy {
		driven.AccuracySets = o.Accuracy.drivenSets()
	}
	agentic, err := p.agenticRun(m)
	if err != nil {
		return err
	}
	return files.Write(p.job.Dir, files.Run{
		LoadGen: driven, Agentic: agentic,
		Run: formats.Run{
			Requests: point.Requests, Rules: p.figureRules(), Load: load, WarmUp: p.warmUp.Len(), Grace: pl.Grace,
			API:    s.Set.API,
			Stream: true, MaxTokens: o.Prompts.MaxTokens, Fields: parseFields(o.Prompts.Body),
			Model: s.About.Model, Tokenizer: o.Tokenizer, Servers: s.About.URLs, ServerKind: s.About.Kind,
			Label: p.job.Point.Name(), Version: cmp.Or(o.Version, "unknown"), Commit: o.Commit, Began: point.Began,
			Data: formats.Data{Name: filepath.Base(o.Prompts.File), Path: o.Prompts.File, Columns: o.Prompts.Columns},
		},
	})
}

// parseFields converts a list of KEY=JSON to a map.
func parseFields(body []string) map[string]string {
	fields := map[string]string{}
	for _, pair := range body {
		key, value, _ := strings.Cut(pair, "=")
		fields[key] = value
	}
	return fields
}
