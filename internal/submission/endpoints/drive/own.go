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

// Own is this program's own client. Its measurements are rehearsals, since the rules require the official client.
type Own struct {
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

	noted map[string]bool
}

// OwnName is the name of this program's own client.
const OwnName = "plumbline"

// Name implements Client.
func (o *Own) Name() string { return OwnName }

// Server implements Client.
func (o *Own) Server(ctx context.Context) (Server, error) {
	return askServer(ctx, o.Connection, o.Endpoint)
}

// warmUpISL and warmUpOSL are the lengths of warm-up prompts and answers in tokens. warmUpSeed is the seed of their
// words.
const (
	warmUpISL, warmUpOSL = "256", "64"
	warmUpSeed           = 7
)

// Measure implements Client.
func (o *Own) Measure(ctx context.Context, j Job) (Measured, error) {
	wire, err := o.Connection.Connect(ctx, o.Endpoint)
	if err != nil {
		return Measured{}, err
	}
	defer func() { _ = wire.Close() }() // there is no buffered data
	if o.Rules.AgenticOf(o.Accuracy.Model) != nil {
		return o.measureAgentic(ctx, wire, j)
	}
	load := arrival.Pattern{Kind: arrival.Users, Users: j.Point.Concurrency, Seed: j.Seeds.Scheduler}
	s, err := o.open(wire, load, j.Seeds)
	if err != nil {
		return Measured{}, err
	}
	if err := s.AskFirst(ctx, o.note); err != nil {
		return Measured{}, err
	}
	for _, text := range s.Notes {
		o.note(text)
	}
	warmUp, err := prompts.ReadSet(prompts.PromptOptions{API: s.Set.API, ISL: warmUpISL, OSL: warmUpOSL, Seed: warmUpSeed})
	if err != nil {
		return Measured{}, sdk.Usage(fmt.Errorf("prompts that warm up: %w", err))
	}
	p := &ownPoint{own: o, job: j, session: s, load: load, size: s.Set.Rows(), units: s.Set.Rows()}
	p.asks = s.Set.Draw(prompts.DrawOptions{N: p.places()})
	p.warmUp = warmUp.Draw(prompts.DrawOptions{N: engine.WarmUps(load), Seed: warmUpSeed})
	return p.measure(ctx)
}

// open opens a session for the performance set, in the order of the seed set and with salt.
func (o *Own) open(wire *openai.Client, load arrival.Pattern, seeds endpoints.SeedSet) (*serving.Session, error) {
	pl := serving.Plan{Connection: o.Connection, Prompts: o.Prompts, Tokenizer: o.Tokenizer,
		Loads: []arrival.Pattern{load}, Base: load, WholeWindow: true}
	pl.Prompts.Order, pl.Prompts.OrderSeed = prompts.WithReplacement, strconv.FormatUint(seeds.SampleIndex, 10)
	pl.Prompts.SaltSeed = strconv.FormatUint(seeds.Model, 10)
	s, err := serving.OpenSession(wire, pl)
	if err != nil {
		return nil, err
	}
	if err := oneForm(o.Prompts.File, s.Set); err != nil {
		return nil, sdk.Data(err)
	}
	return s, nil
}

func (o *Own) note(text string) {
	if o.Note == nil || o.noted[text] {
		return
	}
	if o.noted == nil {
		o.noted = map[string]bool{}
	}
	o.noted[text] = true
	o.Note(text)
}

// ownPoint is a point in measurement.
type ownPoint struct {
	own     *Own
	job     Job
	session *serving.Session
	load    arrival.Pattern
	size    int         // samples of the performance set, or turns of its trajectories
	units   int         // samples or trajectories of the set
	asks    engine.Asks // requests in order of sending
	warmUp  *prompts.DrawnRequests
	inline  *turnScorer // for trajectories; otherwise nil
}

// rules returns the rules of the records' figures.
func (p *ownPoint) rules() metrics.FigureRules { return p.session.Settings.Rules }

// measure sends the requests and writes the files.
func (p *ownPoint) measure(ctx context.Context) (Measured, error) {
	w := newWatch(p.job, p.size, p.rules())
	w.units = p.units
	pl := engine.PointPlan{Asks: p.asks, Lazy: true, WarmUp: p.warmUp, Load: p.load, Seen: w.see}
	if p.job.Point.Offline == plan.Dedicated {
		pl.Load = arrival.Pattern{Kind: arrival.Maximum, Requests: p.job.Point.Passes * p.size, Seed: p.load.Seed}
	} else {
		pl.More = w.more
	}
	watching, done := context.WithCancel(ctx)
	var group sync.WaitGroup
	group.Go(func() { w.run(watching) })
	began := time.Now()
	point, err := engine.Measure(ctx, p.session.Settings.Asker, pl)
	done()
	group.Wait()
	switch {
	case err != nil:
		return Measured{}, err
	case ctx.Err() != nil:
		return Measured{}, context.Cause(ctx)
	case point.Ended == engine.ByErrors:
		return Measured{}, plugin.Fault(fmt.Errorf("the server fails: %s", firstFault(point.Requests, p.rules())))
	}
	m := Measured{Size: p.size, Issued: w.all.Len(), Took: time.Since(began), Warmup: warmupOf(point, p.job)}
	if p.job.Windows {
		m.Passes = w.all.Passes()
	}
	return m, p.write(point, pl, m)
}

// maxPlaces is the maximum number of requests drawn before a point. If they are too few, they are repeated in a new
// order.
const maxPlaces = 1 << 20

// places returns the number of requests to draw for a point. It exceeds the plan's number and the number expected from
// the first answer's latency.
func (p *ownPoint) places() int {
	passes := float64(4 * p.job.Point.Passes)
	if each := p.session.Settings.Latency.Seconds() / float64(p.job.Point.Concurrency) * float64(p.size); each > 0 {
		passes = max(passes, 2*patience*minTime(p.job)/each)
	}
	return p.size * max(p.job.Point.Passes, int(min(passes, float64(maxPlaces/p.size))))
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
func warmupOf(point *engine.MeasuredPoint, j Job) Warmup {
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
func (p *ownPoint) write(point *engine.MeasuredPoint, pl engine.PointPlan, m Measured) error {
	s, o := p.session, p.own
	load := pl.Load
	load.Requests = m.Issued
	err := wholefile.WriteBy(filepath.Join(p.job.Dir, requests.JSONLName), 0o644, func(w io.Writer) error {
		return requests.Write(w, point.Requests, p.rules())
	})
	if err != nil {
		return err
	}
	driven := &files.Driven{DataSeed: p.job.Seeds.SampleIndex, Least: time.Duration(p.job.Seconds * float64(time.Second))}
	if p.job.Point.Accuracy {
		driven.Sets = o.Accuracy.drivenSets()
	}
	agentic, err := p.agenticRun(m)
	if err != nil {
		return err
	}
	return files.Write(p.job.Dir, files.Run{
		Driven: driven, Agentic: agentic,
		Run: formats.Run{
			Requests: point.Requests, Rules: p.rules(), Load: load, WarmUp: p.warmUp.Len(), Grace: pl.Grace, API: s.Set.API,
			Stream: true, MaxTokens: o.Prompts.MaxTokens, Fields: fieldsOf(o.Prompts.Body),
			Model: s.About.Model, Tokenizer: o.Tokenizer, Servers: s.About.URLs, Kind: s.About.Kind,
			Label: p.job.Point.Name(), Version: cmp.Or(o.Version, "unknown"), Commit: o.Commit, Began: point.Began,
			Data: formats.Data{Name: filepath.Base(o.Prompts.File), Path: o.Prompts.File, Columns: o.Prompts.Columns},
		},
	})
}

// fieldsOf converts a list of KEY=JSON to a map.
func fieldsOf(body []string) map[string]string {
	fields := map[string]string{}
	for _, pair := range body {
		key, value, _ := strings.Cut(pair, "=")
		fields[key] = value
	}
	return fields
}
