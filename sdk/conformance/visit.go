package conformance

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"time"

	"github.com/plumbline-ml/plumbline/loadgen"
	"github.com/plumbline-ml/plumbline/loadgen/mlconf"
	"github.com/plumbline-ml/plumbline/sdk"
	"github.com/plumbline-ml/plumbline/sdk/host"
)

// sharedResults contains the data that the checks of one Run share.
type sharedResults struct {
	samples      int      // number of samples that can be answered repeatedly in acceptable time; 0: not measured
	wholeAnswers [][]byte // the answers to the whole data set; nil: not yet requested
	abortReason  string   // why further checks are useless; empty: they are not
}

// pluginVisit is one check's use of a plugin. It closes everything that it starts.
type pluginVisit struct {
	subject    Subject
	shared     *sharedResults
	wholeCount int    // Open.Count as given by the user; 0: all samples
	dir        string // for the plugin's temporary files and our logs
	plugins    []*host.Plugin
}

func newVisit(s Subject, known *sharedResults) (*pluginVisit, error) {
	whole := s.Open.Count
	if whole == 0 {
		s.Open.Count = known.samples
	}
	s, err := s.withDefaults()
	if err != nil {
		return nil, err
	}
	dir, err := os.MkdirTemp("", "plumbline-verify-")
	if err != nil {
		return nil, err
	}
	return &pluginVisit{subject: s, shared: known, wholeCount: whole, dir: dir}, nil
}

// closeAll closes all plugins and removes the temporary files.
func (v *pluginVisit) closeAll() error {
	var faults []error
	for _, p := range v.plugins {
		faults = append(faults, p.Close())
	}
	return errors.Join(append(faults, os.RemoveAll(v.dir))...)
}

// launchPlugin starts the plugin.
func (v *pluginVisit) launchPlugin(ctx context.Context) (*host.Plugin, error) {
	s := v.subject
	p, err := host.Launch(ctx, s.Binary, host.LaunchOptions{
		Env: s.Env, StartTimeout: cmp.Or(s.StartTimeout, time.Minute), AnswerTimeout: s.AnswerTimeout, Approve: s.Approve,
		Note: s.Note,
	})
	if err != nil {
		return nil, err
	}
	v.plugins = append(v.plugins, p)
	return p, nil
}

// startPlugin launches the plugin and returns it with the subject's model.
func (v *pluginVisit) startPlugin(ctx context.Context) (*host.Plugin, sdk.ModelInfo, error) {
	p, err := v.launchPlugin(ctx)
	if err != nil {
		return nil, sdk.ModelInfo{}, err
	}
	d, err := p.Describe(ctx)
	if err != nil {
		return nil, sdk.ModelInfo{}, err
	}
	m, err := v.subjectModel(d)
	v.subject.Open.Count = clampCount(v.subject.Open.Count, v.subject.Open.Dataset, m)
	return p, m, err
}

// clampCount limits a count to the described size of the embedded data set.
func clampCount(count int, dataset string, m sdk.ModelInfo) int {
	if all := m.DatasetsFor(sdk.UseAccuracy, true); len(all) > 0 && dataset == "" && all[0].Samples > 0 {
		count = min(count, all[0].Samples)
	}
	return count
}

// openWorkload opens the subject's workload for a scenario. The plugin answers the requested samples, even if the
// workload has its own order.
func (v *pluginVisit) openWorkload(ctx context.Context, p *host.Plugin, s loadgen.Scenario) (*host.Workload, error) {
	w, err := v.openOrdered(ctx, p, s)
	if err == nil {
		w.LeaveOrder()
	}
	return w, err
}

// openOrdered is like openWorkload, but keeps the workload's own order if it has one.
func (v *pluginVisit) openOrdered(ctx context.Context, p *host.Plugin, s loadgen.Scenario) (*host.Workload, error) {
	o := v.subject.Open
	o.Scenario = s
	w, err := p.Open(ctx, o)
	if err != nil {
		return nil, fmt.Errorf("open for %v: %w", s, err)
	}
	return w, nil
}

// openClient starts the plugin and opens the main scenario with all samples loaded.
func (v *pluginVisit) openClient(ctx context.Context) (*queryClient, error) {
	p, m, err := v.startPlugin(ctx)
	if err != nil {
		return nil, err
	}
	c, err := v.clientOf(ctx, p, mainScenario(m))
	if err == nil {
		c.model = m
	}
	return c, err
}

func (v *pluginVisit) clientOf(ctx context.Context, p *host.Plugin, s loadgen.Scenario) (*queryClient, error) {
	w, err := v.openWorkload(ctx, p, s)
	if err != nil {
		return nil, err
	}
	c := newClient(p, w)
	return c, w.QSL().LoadSamplesToRAM(ctx, c.allSamples())
}

// testSettings returns LoadGen's settings for a test of a few samples of a model.
func testSettings(m sdk.ModelInfo, s loadgen.Scenario, mode loadgen.Mode) (loadgen.TestSettings, error) {
	read, err := mlconf.Load(mlconf.Options{Model: m.LoadGenKey, RulesModel: m.RulesKey, Scenario: s})
	if err != nil {
		return loadgen.TestSettings{}, err
	}
	t := read.TestSettings
	t.Mode = mode
	t.MinDuration, t.MinQueryCount, t.MaxQueryCount = time.Millisecond, testQueries, testQueries
	t.ServerTargetQPS, t.OfflineExpectedQPS = 1000, 1
	if s == loadgen.Offline {
		t.MinQueryCount, t.MaxQueryCount = 1, 0
	}
	return t, nil
}

// testQueries is the number of queries in a test of a scenario.
const testQueries = 16
