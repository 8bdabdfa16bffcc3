package drive

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"time"

	"github.com/plumbline-ml/plumbline/bench/plugin"
	"github.com/plumbline-ml/plumbline/internal/bounded"
	"github.com/plumbline-ml/plumbline/internal/fetch/wholefile"
	"github.com/plumbline-ml/plumbline/internal/serving/chat"
	files "github.com/plumbline-ml/plumbline/internal/serving/formats/endpoints"
	"github.com/plumbline-ml/plumbline/internal/serving/steady"
	"github.com/plumbline-ml/plumbline/internal/submission/endpoints"
	"github.com/plumbline-ml/plumbline/internal/submission/endpoints/plan"
	"github.com/plumbline-ml/plumbline/sdk"
	"github.com/plumbline-ml/plumbline/serving"
	"github.com/plumbline-ml/plumbline/serving/prompts"
)

// OfficialClient is the unmodified official client, a Python program that the user has installed.
type OfficialClient struct {
	Python     string // interpreter of the environment that contains the client
	Plan       *plan.Plan
	Rules      *endpoints.Rules
	Connection serving.ServerConnection
	// Tokenizer is the reference tokenizer, used to count the tokens of super-passes; nil for agentic models, which have
	// none.
	Tokenizer prompts.Tokenizer
	Rehearsal bool // minimum times can be divided
	Say       func(line string)
}

// OfficialName is the name of the official client.
const OfficialName = "official"

// Name implements Client.
func (o *OfficialClient) Name() string { return OfficialName }

// ServerDescription implements Client.
func (o *OfficialClient) Server(ctx context.Context) (ServerDescription, error) {
	return askServer(ctx, o.Connection, o.Plan.Client.Endpoint)
}

// logFile contains the client's output. It is in the folder of the points' folders.
const logFile = "client.log"

// interruptTimeout is the maximum time of the client to end after an interrupt.
const interruptTimeout = 30 * time.Second

// Measure implements Client. The same call makes the accuracy run of a point.
func (o *OfficialClient) Measure(ctx context.Context, j PointJob) (PerformanceRun, error) {
	if j.IsShortened && !o.Rehearsal {
		return PerformanceRun{}, sdk.Usage(errors.New(
			"the official client's times are divided in a rehearsal alone: other runs " +
				"are those that are submitted"))
	}
	point := j.Point
	point.WindowSeconds = int(j.MinSeconds)
	text, err := o.Plan.ClientConfig(point, o.Rules)
	if err != nil {
		return PerformanceRun{}, err
	}
	out, name := filepath.Dir(j.Dir), j.Point.Name()
	config := filepath.Join(out, name+".yaml")
	if err := wholefile.Write(config, text, 0o644); err != nil {
		return PerformanceRun{}, err
	}
	if err := os.Remove(j.Dir); err != nil { // the client requires that the folder does not exist
		return PerformanceRun{}, err
	}
	began := time.Now()
	if err := o.runClient(ctx, j, out, name+".yaml"); err != nil {
		return PerformanceRun{}, err
	}
	took := time.Since(began)
	m, err := o.readOutput(j)
	m.Took = took
	return m, err
}

// MeasureAccuracy implements Client. It reads the run that Measure made.
func (o *OfficialClient) MeasureAccuracy(_ context.Context, j PointJob) (run AccuracyRun, err error) {
	text, err := bounded.ReadFile(filepath.Join(j.Dir, filepath.FromSlash(files.AccuracyFile)), maxCurveSize)
	if err != nil {
		run.Missing = fmt.Sprintf("the official client wrote none: %v; move %s away and repeat the command", err, j.Dir)
		return run, nil
	}
	var scores struct {
		All []files.ScoreEntry `json:"accuracy_scores"`
	}
	if err := json.Unmarshal(text, &scores); err != nil {
		return run, sdk.Data(fmt.Errorf("the official client's %s: %w", files.AccuracyFile, err))
	}
	for _, e := range scores.All {
		if e.Type == files.PerformanceType {
			continue
		}
		run.Scores = append(run.Scores, describeEntry(e))
		run.Seconds += e.Took
	}
	if len(run.Scores) == 0 {
		run.Missing = "the official client scored the performance run alone: client.swe_bench_service of the plan names " +
			"the official service for SWE-bench"
	}
	return run, nil
}

// runClient runs the client in the folder of the curve.
func (o *OfficialClient) runClient(ctx context.Context, j PointJob, out, config string) error {
	said, err := os.OpenFile(filepath.Join(out, j.Point.Name()+"."+logFile), os.O_WRONLY|os.O_CREATE|os.O_TRUNC, 0o644)
	if err != nil {
		return err
	}
	defer said.Close()
	mode := o.Plan.ClientMode(j.Point, o.Rules)
	tail := &tailBuffer{maxBytes: 2000}
	python, err := filepath.Abs(o.Python)
	if strings.ContainsRune(o.Python, filepath.Separator) && err == nil {
		o.Python = python
	}
	cmd := exec.CommandContext(ctx, o.Python, "-m", "inference_endpoint.main", "benchmark", "from-config", "--config",
		config, "--mode", mode)
	all := io.MultiWriter(said, tail)
	cmd.Dir, cmd.Stdout, cmd.Stderr = out, all, all
	cmd.Cancel, cmd.WaitDelay = func() error { return cmd.Process.Signal(os.Interrupt) }, interruptTimeout
	if err := cmd.Start(); err != nil {
		return sdk.Usage(fmt.Errorf("--client-python: %w", err))
	}
	following, done := context.WithCancel(ctx)
	var group sync.WaitGroup
	group.Go(func() { o.followEvents(following, j) })
	err = cmd.Wait()
	done()
	group.Wait()
	switch {
	case ctx.Err() != nil:
		return context.Cause(ctx)
	case err != nil:
		return plugin.Fault(fmt.Errorf("the official client ended with %w; its last words, all of which are in %s: %s", err,
			said.Name(), tail.lastLines(5)))
	}
	return nil
}

// followEvents reports the client's progress from the events that it writes.
func (o *OfficialClient) followEvents(ctx context.Context, j PointJob) {
	f := &eventFollower{job: j, size: o.Rules.PerformanceSets[o.Plan.Model]}
	if o.Tokenizer != nil {
		f.count = o.countTokens()
	}
	defer f.close()
	for {
		select {
		case <-ctx.Done():
			return
		case <-time.After(time.Second):
		}
		if s, begun := f.readState(); begun && j.Report != nil {
			j.Report(s)
		} else if j.Report != nil {
			j.Report(clientStarts(j.Point.Name()))
		}
	}
}

// clientStarts is the progress of a point before the client's first request.
type clientStarts string

// String returns the progress as a line for a log.
func (s clientStarts) String() string { return string(s) + ": the client starts" }

// countTokens returns a function that counts tokens with the reference tokenizer.
func (o *OfficialClient) countTokens() steady.CountTokens {
	var ids []int32
	return func(text string) int {
		ids = o.Tokenizer.EncodePlain(ids[:0], text)
		return len(ids)
	}
}

// eventFollower reads the client's events while it writes them.
type eventFollower struct {
	job    PointJob
	size   int // requests of a super-pass
	count  steady.CountTokens
	file   *os.File
	events *steady.EventReader
	passes int      // number of examined super-passes
	state  RunState // state when they were examined
	broken bool
}

// look returns the client's progress. begun is false if the client has sent no request yet or its events cannot be
// read.
func (f *eventFollower) readState() (s RunState, begun bool) {
	if f.file == nil && !f.broken {
		file, err := os.Open(filepath.Join(f.job.Dir, files.EventsFile))
		if err != nil {
			return s, false
		}
		f.file = file
		f.events, err = steady.NewEventReader(f.size, f.count, nil)
		f.broken = err != nil
	}
	if f.broken = f.broken || f.events.ReadMore(f.file) != nil; f.broken { // readOutput reports the error
		return s, false
	}
	passes, completed := f.events.EndedPasses()
	first, last, ok := f.events.Span()
	if !ok {
		return s, false
	}
	w, took := pointWatch{job: f.job, size: f.size}, float64(last-first)/1e9
	if n := len(passes); n > f.passes && f.job.DetectsWindow {
		f.passes, f.state = n, w.windowState(passes, took)
	}
	if s = f.state; f.passes == 0 {
		s = w.newState(len(passes), took)
	}
	s.EndsByPasses, s.GivesUp, s.Seconds, s.SecondsLeft = true, false, took, -1
	if wanted := f.size * s.PlannedPasses; completed > 0 && completed < wanted {
		s.SecondsLeft = took * (float64(wanted)/float64(completed) - 1)
	}
	return s, true
}

func (f *eventFollower) close() {
	if f.file != nil {
		f.file.Close()
	}
}

// readOutput reads the client's files on a point.
func (o *OfficialClient) readOutput(j PointJob) (PerformanceRun, error) {
	summary, err := bounded.ReadFile(filepath.Join(j.Dir, filepath.FromSlash(files.SummaryFile)), maxCurveSize)
	var result files.Result
	if err == nil {
		err = result.Parse(files.SummaryFile, summary)
	}
	if err != nil {
		return PerformanceRun{}, sdk.Data(fmt.Errorf("the official client's summary: %w", err))
	}
	m := PerformanceRun{PassSize: o.passSize(j), Issued: result.Summary.Issued, Warmup: Warmup{Source: "none", Logs: true,
		Concurrency: j.Point.Concurrency, Steps: []string{}}}
	if !j.DetectsWindow {
		return m, nil
	}
	file, err := os.Open(filepath.Join(j.Dir, files.EventsFile))
	if err != nil {
		return m, sdk.Data(err)
	}
	defer file.Close()
	messages, err := chat.OpenForTokenizer(o.Plan.Client.Tokenizer, o.Tokenizer.EncodePlain)
	if err != nil {
		return m, sdk.Usage(err)
	}
	events, err := steady.ReadEvents(file, m.PassSize, o.countTokens(), messages.PartsCounter())
	if err != nil {
		return m, sdk.Data(fmt.Errorf("%s: %w", file.Name(), err))
	}
	m.Passes = events.Passes
	for _, doubt := range []string{messages.CountWarning(events.Messages), events.ClockDoubt()} {
		if doubt != "" && o.Say != nil {
			o.Say(j.Point.Name() + ": " + doubt)
		}
	}
	o.suggestPasses(j, m)
	return m, nil
}

// size returns the number of requests of a super-pass from the client's files, or else from the rules.
func (o *OfficialClient) passSize(j PointJob) int {
	var meta struct {
		Size int `json:"dataset_size"`
	}
	text, err := bounded.ReadFile(filepath.Join(j.Dir, "run_meta.json"), 1<<20)
	if err == nil && json.Unmarshal(text, &meta) == nil && meta.Size > 0 {
		return meta.Size
	}
	return o.Rules.PerformanceSets[o.Plan.Model]
}

// advise reports how many super-passes would have made a short window long enough. The client ends after its number of
// samples, whatever the duration.
func (o *OfficialClient) suggestPasses(j PointJob, m PerformanceRun) {
	report := steady.Detect(m.Passes, steady.Options{Floor: j.FloorSeconds})
	b, least := report.Block(m.Issued, m.PassSize, j.MinSeconds), max(j.MinSeconds, report.Duration.MinSeconds())
	if b.Status != steady.InsufficientDuration || b.Window.Duration <= 0 || o.Say == nil {
		return
	}
	each := b.Window.Duration / float64(b.Window.End-b.Window.Start+1)
	o.Say(fmt.Sprintf("%s: the window of %s is too short: %d passes in the plan would make one of %s", j.Point.Name(),
		formatSeconds(b.Window.Duration), b.Window.Start+int(math.Ceil(least/each)), formatSeconds(least)))
}

// tailBuffer keeps the end of the written text.
type tailBuffer struct {
	maxBytes int
	mu       sync.Mutex
	text     []byte
}

// Write implements io.Writer.
func (t *tailBuffer) Write(text []byte) (int, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.text = append(t.text, text...)
	t.text = t.text[max(0, len(t.text)-t.maxBytes):]
	return len(text), nil
}

// lastLines returns the last n lines joined into one.
func (t *tailBuffer) lastLines(n int) string {
	t.mu.Lock()
	defer t.mu.Unlock()
	lines := strings.Split(strings.TrimSpace(string(t.text)), "\n")
	for i, line := range lines {
		lines[i] = strings.TrimSpace(line)
	}
	return strings.Join(lines[max(0, len(lines)-n):], " | ")
}
