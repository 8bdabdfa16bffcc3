// Package plugintest is an in-process plugin for tests of the harness. It serves the models that a test describes, and
// fails on request.
package plugintest

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/plumbline-ml/plumbline/loadgen"
	"github.com/plumbline-ml/plumbline/loadgen/mllog"
	"github.com/plumbline-ml/plumbline/sdk"
	"github.com/plumbline-ml/plumbline/sdk/host"

	"github.com/plumbline-ml/plumbline/bench/plugin"
)

// Fake is the behaviour of one plugin binary. The zero value of each field means no fault.
type Fake struct {
	Description sdk.Description
	Info        sdk.WorkloadInfo // DatasetSize is the number of samples
	BackendInfo []sdk.BackendInfo

	LaunchErr, DescribeErr, OpenErr, ScoreErr error
	CloseErr                                  error // error when a workload is closed
	// DieAfter, if above 0, is the number of samples after which the plugin fails like a killed process.
	DieAfter int
	// HoldAfter, if above 0, is the number of samples after which the plugin stops answering and calls OnHold once.
	HoldAfter int
	OnHold    func()
	// IssueTime, if not nil, returns the duration of IssueQuery for a query with that number of samples.
	IssueTime func(samples int) time.Duration
	// Tokens, if above 0, is the number of tokens of each answer. The first token is reported before the answer.
	Tokens int64
	// Score is the scorer's result; its Samples are counted. OpenScorerErr, if not nil, returns an error if the scorer
	// cannot be opened. OnScoring, if not nil, is called at the first entry of a scorer.
	Score         sdk.Score
	OpenScorerErr func(o sdk.ScoreOptions) error
	OnScoring     func()
	// DatasetWork performs the plugin's DatasetActions.
	DatasetWork func(ctx context.Context, r sdk.DatasetRequest, progress func(line string)) (done string, err error)

	mu       sync.Mutex
	opened   []sdk.Options
	launched host.LaunchOptions
	scored   []sdk.ScoreOptions
	launches atomic.Int32
	open     atomic.Int32 // launched and not closed
	killed   atomic.Int32
}

// Opened returns the options of each Open so far.
func (f *Fake) Opened() []sdk.Options {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.opened
}

// Launched returns the options of the last launch.
func (f *Fake) Launched() host.LaunchOptions {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.launched
}

// Launches returns the number of launches.
func (f *Fake) Launches() int { return int(f.launches.Load()) }

// Scored returns the options of each OpenScorer so far.
func (f *Fake) Scored() []sdk.ScoreOptions {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.scored
}

// Running returns the number of launched plugins that were not closed.
func (f *Fake) Running() int { return int(f.open.Load()) }

// Killed returns the number of calls of Kill.
func (f *Fake) Killed() int { return int(f.killed.Load()) }

// Launcher finds the files that Install wrote into directories, and launches the corresponding fakes.
type Launcher struct {
	fakes map[string]*Fake // by plugin name
}

// New returns a launcher of the fakes, by plugin name.
func New(fakes map[string]*Fake) *Launcher { return &Launcher{fakes} }

// Install writes an executable file for each fake into dir.
func (l *Launcher) Install(dir string) error {
	for name := range l.fakes {
		if err := os.WriteFile(filepath.Join(dir, host.BinaryPrefix+name), []byte("fake plugin "+name+"\n"),
			0o755); err != nil {
			return err
		}
	}
	return nil
}

// approve calls the launch's approval function for the file, like a real start.
func approve(path string, o host.LaunchOptions) error {
	if o.Approve == nil {
		return nil
	}
	f, err := os.Open(path)
	if err != nil {
		return &host.PluginError{Kind: host.KindStart, Path: path, Found: err.Error(), Err: err}
	}
	defer f.Close()
	return o.Approve(f)
}

// Discover implements plugin.Launcher.
func (l *Launcher) Discover(dirs []string) ([]host.FoundPlugin, error) { return host.Discover(dirs) }

// Launch implements plugin.Launcher.
func (l *Launcher) Launch(_ context.Context, path string, o host.LaunchOptions) (plugin.Plugin, error) {
	if err := approve(path, o); err != nil {
		return nil, err
	}
	name := strings.TrimPrefix(filepath.Base(path), host.BinaryPrefix)
	f := l.fakes[name]
	if f == nil {
		return nil, &host.PluginError{Kind: host.KindStart, Plugin: name, Path: path, Found: "it is not a plugin"}
	}
	if f.LaunchErr != nil {
		return nil, f.LaunchErr
	}
	f.launches.Add(1)
	f.open.Add(1)
	f.mu.Lock()
	f.launched = o
	f.mu.Unlock()
	p := &process{Fake: f, name: name, path: path}
	p.failed, p.fail = context.WithCancelCause(context.Background())
	return p, nil
}

// process is one launched fake.
type process struct {
	*Fake
	name, path string
	failed     context.Context
	fail       context.CancelCauseFunc
	closed     sync.Once
}

func (p *process) Describe(context.Context) (sdk.Description, error) {
	return p.Description, p.DescribeErr
}

func (p *process) Backends(context.Context) ([]sdk.BackendInfo, error) {
	return p.BackendInfo, p.DescribeErr
}

func (p *process) Open(_ context.Context, o sdk.Options) (plugin.Workload, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.opened = append(p.opened, o)
	if p.OpenErr != nil {
		return nil, p.OpenErr
	}
	return &workload{process: p}, nil
}

func (p *process) OpenScorer(_ context.Context, o sdk.ScoreOptions) (sdk.Scorer, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.scored = append(p.scored, o)
	if p.OpenScorerErr != nil {
		if err := p.OpenScorerErr(o); err != nil {
			return nil, err
		}
	}
	return &scorer{Fake: p.Fake, seen: map[uint64]bool{}}, nil
}

func (p *process) Dataset(ctx context.Context, r sdk.DatasetRequest, progress func(string)) (string, error) {
	return p.DatasetWork(ctx, r, progress)
}

func (p *process) Context(parent context.Context) (context.Context, context.CancelFunc) {
	ctx, cancel := context.WithCancelCause(parent)
	stop := context.AfterFunc(p.failed, func() { cancel(context.Cause(p.failed)) })
	return ctx, func() {
		stop()
		cancel(nil)
	}
}

func (p *process) StderrTail() []string { return []string{"the last line"} }

func (p *process) Close() {
	p.closed.Do(func() { p.open.Add(-1) })
}

func (p *process) Kill() {
	p.killed.Add(1)
	p.die("the process was killed by SIGKILL")
}

func (p *process) die(found string) {
	p.fail(&host.PluginError{Kind: host.KindDied, Plugin: p.name, Path: p.path, Found: found, Stderr: p.StderrTail()})
}

// workload answers each sample at once with its index, as a little-endian uint32.
type workload struct {
	*process
	answered atomic.Int64
}

func (w *workload) SUT() loadgen.SUT       { return sut{w} }
func (w *workload) QSL() loadgen.QSL       { return qsl{w} }
func (w *workload) Info() sdk.WorkloadInfo { return w.process.Info }
func (w *workload) Close() error           { return w.CloseErr }

type sut struct{ *workload }

func (sut) Name() string { return "fake SUT" }

func (s sut) IssueQuery(ctx context.Context, q loadgen.Query, r loadgen.Responder) error {
	if s.IssueTime != nil {
		time.Sleep(s.IssueTime(len(q.Samples)))
	}
	for _, sample := range q.Samples {
		n := int(s.answered.Add(1))
		switch {
		case s.DieAfter > 0 && n > s.DieAfter:
			s.die("the process was killed by SIGKILL")
			return context.Cause(s.failed)
		case s.HoldAfter > 0 && n > s.HoldAfter:
			if n == s.HoldAfter+1 && s.OnHold != nil {
				s.OnHold()
			}
			continue
		}
		i := uint32(sample.Index)
		if s.Tokens > 0 {
			r.FirstTokenComplete([]loadgen.QuerySampleResponse{{ID: sample.ID}})
		}
		r.QuerySamplesComplete([]loadgen.QuerySampleResponse{
			{ID: sample.ID, NTokens: s.Tokens, Data: []byte{byte(i), byte(i >> 8), byte(i >> 16), byte(i >> 24)}},
		})
	}
	return ctx.Err()
}

func (sut) FlushQueries(context.Context) error { return nil }

type qsl struct{ *workload }

func (qsl) Name() string                  { return "fake QSL" }
func (q qsl) TotalSampleCount() int       { return q.process.Info.DatasetSize }
func (q qsl) PerformanceSampleCount() int { return q.process.Info.DatasetSize }

func (q qsl) LoadSamplesToRAM(_ context.Context, indices []loadgen.SampleIndex) error {
	for _, i := range indices {
		if int(i) >= q.TotalSampleCount() {
			return fmt.Errorf("sample %d of %d", i, q.TotalSampleCount())
		}
	}
	return nil
}

func (qsl) UnloadSamplesFromRAM(context.Context, []loadgen.SampleIndex) error { return nil }

// scorer returns the fake's score with the number of samples.
type scorer struct {
	*Fake
	seen map[uint64]bool
}

func (s *scorer) Add(e mllog.AccuracyEntry) error {
	if len(s.seen) == 0 && s.OnScoring != nil {
		s.OnScoring()
	}
	if len(e.Data) == 0 {
		return errors.New("an empty payload")
	}
	s.seen[e.QSLIndex] = true
	return s.ScoreErr
}

func (s *scorer) Result() (sdk.Score, error) {
	score := s.Score
	score.Samples = len(s.seen)
	return score, s.ScoreErr
}
