package loadgen_test

import (
	"context"
	"encoding/binary"
	"encoding/hex"
	"encoding/json"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/plumbline-ml/plumbline/loadgen"
	"github.com/plumbline-ml/plumbline/loadgen/loadgentest"
)

// pool is a SUT with workers that each reuse one buffer for ids and payloads.
type pool struct {
	work chan loadgen.QuerySample
	out  loadgen.Responder
	once sync.Once
	wg   sync.WaitGroup
}

func newPool() *pool { return &pool{work: make(chan loadgen.QuerySample, 16)} }

func (p *pool) Name() string { return "worker pool" }

func (p *pool) IssueQuery(_ context.Context, q loadgen.Query, r loadgen.Responder) error {
	p.once.Do(func() {
		p.out = r // one Responder serves the whole test
		for range 4 {
			p.wg.Go(p.serve)
		}
	})
	for _, s := range q.Samples {
		p.work <- s
	}
	return nil
}

func (p *pool) serve() {
	buf := make([]byte, 4)
	answer := make([]loadgen.QuerySampleResponse, 1)
	for s := range p.work {
		binary.LittleEndian.PutUint32(buf, uint32(s.Index))
		answer[0] = loadgen.QuerySampleResponse{ID: s.ID, Data: buf}
		p.out.QuerySamplesComplete(answer)
		binary.LittleEndian.PutUint32(buf, 0xdeadbeef)
	}
}

func (p *pool) FlushQueries(context.Context) error { return nil }

func (p *pool) close() {
	close(p.work)
	p.wg.Wait()
}

// LoadGen copies every payload before QuerySamplesComplete returns, whichever goroutine calls it.
func TestPayloadsAreCopied(t *testing.T) {
	for _, scenario := range loadgen.Scenarios() {
		sut := newPool()
		dir := t.TempDir()
		r, err := loadgen.StartTest(t.Context(), sut, loadgentest.QSL{Total: 2000, Performance: 300},
			quick(scenario, loadgen.SubmissionRun), loadgen.LogSettings{OutDir: dir})
		sut.close()
		if err != nil {
			t.Fatal(err)
		}
		if r.AccuracySampleCount < 2000 {
			t.Errorf("%v: %d answers were logged", scenario, r.AccuracySampleCount)
		}
		checkPayloads(t, filepath.Join(dir, "mlperf_log_accuracy.json"))
	}
}

func checkPayloads(t *testing.T, path string) {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	var entries []struct {
		Seq  uint64 `json:"seq_id"`
		QSL  uint32 `json:"qsl_idx"`
		Data string
	}
	if err := json.Unmarshal(text, &entries); err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		want := strings.ToUpper(hex.EncodeToString(binary.LittleEndian.AppendUint32(nil, e.QSL)))
		if e.Data != want {
			t.Fatalf("sample %d of index %d has data %s, want %s", e.Seq, e.QSL, e.Data, want)
		}
	}
}

// The number of allocations does not depend on the number of queries. Their size grows by up to 24 bytes per sample, in
// token runs by up to 40, in addition to the query itself.
func TestMemoryPerSample(t *testing.T) {
	if raceDetector {
		t.Skip("the race detector allocates memory of its own")
	}
	runtime.GC() // the first collection creates a worker for each processor
	for tokens, most := range map[bool]float64{false: 24, true: 40} {
		for _, scenario := range loadgen.Scenarios() {
			few, fewBytes, fewSamples := allocations(t, scenario, tokens, 20000)
			many, manyBytes, manySamples := allocations(t, scenario, tokens, 200000)
			if many > few+200 {
				t.Errorf("%v, tokens %v: %d allocations with 20,000 queries, %d with 200,000", scenario, tokens, few, many)
			}
			each := float64(manyBytes-fewBytes)/float64(manySamples-fewSamples) - 4
			if scenario == loadgen.Offline {
				each -= 4
			}
			t.Logf("%v, tokens %v: %.1f bytes per sample", scenario, tokens, each)
			if each > most {
				t.Errorf("%v, tokens %v: %.1f bytes per sample, want at most %.0f", scenario, tokens, each, most)
			}
		}
	}
}

func allocations(t *testing.T, scenario loadgen.Scenario, tokens bool, queries uint64) (count, bytes, samples uint64) {
	t.Helper()
	s := quick(scenario, loadgen.PerformanceOnly)
	s.MinQueryCount, s.ServerTargetQPS = queries, 1e9
	// A busy machine must not make the run INVALID, because the estimate of a passing rate takes memory.
	s.ServerTargetLatency, s.ServerTTFTLatency, s.ServerTPOTLatency = time.Hour, time.Hour, time.Hour
	sut := &loadgentest.NullSUT{}
	if s.UseTokenLatencies = tokens; tokens {
		sut.Tokens = 2
	}
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	r, err := loadgen.StartTest(t.Context(), sut, loadgentest.QSL{Total: 100}, s, loadgen.LogSettings{OutDir: t.TempDir()})
	if err != nil {
		t.Fatal(err)
	}
	runtime.ReadMemStats(&after)
	return after.Mallocs - before.Mallocs, after.TotalAlloc - before.TotalAlloc, r.SampleCount
}
