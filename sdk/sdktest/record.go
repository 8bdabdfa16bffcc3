package sdktest

import (
	"context"
	"fmt"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/plumbline-ml/plumbline/loadgen"
	"github.com/plumbline-ml/plumbline/loadgen/mllog"
	"github.com/plumbline-ml/plumbline/sdk"
)

// settings ask for a test of a few samples.
func settings(s loadgen.Scenario, m loadgen.Mode) loadgen.TestSettings {
	t := loadgen.DefaultTestSettings()
	t.Scenario, t.Mode = s, m
	t.MinDuration, t.MinQueryCount = time.Millisecond, 32
	t.ServerTargetQPS, t.OfflineExpectedQPS = 1000, 1000
	if s == loadgen.Offline {
		t.MinQueryCount = 1
	}
	return t
}

// recorder stands between LoadGen and a SUT and keeps what goes by.
type recorder struct {
	sut     loadgen.SUT
	varies  bool
	current loadgen.Responder

	mu       sync.Mutex
	open     map[loadgen.ResponseID]loadgen.SampleIndex
	payloads map[loadgen.SampleIndex][]byte // the first of each sample
	faults   []error
}

func newRecorder(s loadgen.SUT, varies bool) *recorder {
	return &recorder{
		sut: s, varies: varies, open: map[loadgen.ResponseID]loadgen.SampleIndex{}, payloads: map[loadgen.SampleIndex][]byte{},
	}
}

// Name implements loadgen.SUT.
func (r *recorder) Name() string { return r.sut.Name() }

// WarmUp implements loadgen.Warmer.
func (r *recorder) WarmUp(ctx context.Context) error {
	if w, ok := r.sut.(loadgen.Warmer); ok {
		return w.WarmUp(ctx)
	}
	return nil
}

// IssueQuery implements loadgen.SUT.
func (r *recorder) IssueQuery(ctx context.Context, q loadgen.Query, to loadgen.Responder) error {
	r.mu.Lock()
	r.current = to
	for _, s := range q.Samples {
		r.open[s.ID] = s.Index
	}
	r.mu.Unlock()
	return r.sut.IssueQuery(ctx, q, r)
}

// FlushQueries implements loadgen.SUT.
func (r *recorder) FlushQueries(ctx context.Context) error { return r.sut.FlushQueries(ctx) }

// QuerySamplesComplete implements loadgen.Responder.
func (r *recorder) QuerySamplesComplete(rs []loadgen.QuerySampleResponse) {
	r.mu.Lock()
	for _, answer := range rs {
		r.keep(answer)
	}
	to := r.current
	r.mu.Unlock()
	to.QuerySamplesComplete(rs)
}

func (r *recorder) keep(answer loadgen.QuerySampleResponse) {
	i, ok := r.open[answer.ID]
	if !ok {
		r.faults = append(r.faults, fmt.Errorf("response id %d was answered twice, or never issued", answer.ID))
		return
	}
	delete(r.open, answer.ID)
	before, ok := r.payloads[i]
	if !ok {
		r.payloads[i] = slices.Clone(answer.Data)
	} else if !r.varies && !slices.Equal(before, answer.Data) {
		r.faults = append(r.faults, fmt.Errorf("sample %d: payload % x, and % x earlier in the run", i, answer.Data, before))
	}
}

// FirstTokenComplete implements loadgen.Responder.
func (r *recorder) FirstTokenComplete(rs []loadgen.QuerySampleResponse) {
	r.mu.Lock()
	to := r.current
	r.mu.Unlock()
	to.FirstTokenComplete(rs)
}

// scoring scores the answers of one run.
func (p Plugin) scoring(t *testing.T) {
	running := p.launch(t)
	d, err := running.Describe(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	payloads := p.run(t, running, loadgen.Offline, loadgen.AccuracyOnly)
	o := sdk.ScoreOptions{Model: p.Options.Model, Dataset: p.Options.Dataset, Count: p.Options.Count, Params: p.Options.Params}
	s, err := running.OpenScorer(t.Context(), o)
	if err != nil {
		t.Fatal(err)
	}
	for i, payload := range payloads {
		if err := s.Add(mllog.AccuracyEntry{SeqID: uint64(i), QSLIndex: uint64(i), Data: payload, TokenCount: -1}); err != nil {
			t.Fatal(err)
		}
	}
	score, err := s.Result()
	if err != nil {
		t.Fatal(err)
	}
	if score.Samples != len(payloads) || len(score.Metrics) == 0 || score.OfficialText == "" {
		t.Errorf("score of %d samples: %+v", len(payloads), score)
	}
	for _, m := range score.Metrics {
		if !describes(d, m.Name) {
			t.Errorf("the description does not name the metric %q", m.Name)
		}
	}
}

func describes(d sdk.Description, metric string) bool {
	return slices.ContainsFunc(d.Models, func(m sdk.ModelInfo) bool {
		return slices.ContainsFunc(m.Metrics, func(x sdk.MetricInfo) bool { return x.Name == metric })
	})
}
