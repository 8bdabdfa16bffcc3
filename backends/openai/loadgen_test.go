package openai_test

import (
	"context"
	"net/http"
	"os"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/plumbline-ml/plumbline/backends/openai"
	"github.com/plumbline-ml/plumbline/internal/testkit/openaitest"
	"github.com/plumbline-ml/plumbline/loadgen"
	"github.com/plumbline-ml/plumbline/loadgen/loadgentest"
	"github.com/plumbline-ml/plumbline/sdk/backend"
)

// realVariable names a server for TestRealServer.
const realVariable = "PLUMBLINE_OPENAI_URL"

// realTokens is the number of tokens that TestRealServer requests.
const realTokens = 16

// TestRealServer sends requests of LoadGen, Offline and Server, to a real server that accepts token ids.
// testdata/llamacpp.py creates and starts one of llama.cpp with a model of random weights, and prints the command:
//
//	PLUMBLINE_OPENAI_URL=http://127.0.0.1:8080 go test -run TestRealServer -v .
func TestRealServer(t *testing.T) {
	url := os.Getenv(realVariable)
	if url == "" {
		t.Skip("no server: " + realVariable + " is not set")
	}
	g := connect(t, url, "concurrency=8")
	t.Log(g.Describe().Details)
	runBoth(t, g, realTokens, 20)
	checkRepeatable(t, connect(t, url, "count=usage"))
}

// TestLoadGen does the same with the mock.
func TestLoadGen(t *testing.T) {
	servers := []*openaitest.Server{
		openaitest.New(openaitest.Options{Owner: "vllm", IDs: true, First: time.Millisecond, Step: 100 * time.Microsecond}),
		openaitest.New(openaitest.Options{Owner: "vllm", IDs: true}),
	}
	g := connect(t, serve(t, http.Handler(servers[0]), http.Handler(servers[1])), "concurrency=16")
	generated := runBoth(t, g, 8, 3000)
	if n := servers[0].TokenCount() + servers[1].TokenCount(); n != generated {
		t.Errorf("%d tokens counted, and %d sent", generated, n)
	}
}

// runBoth runs Offline and Server with distinct prompts and returns the number of tokens.
func runBoth(t *testing.T, g *openai.Generator, tokens int, qps float64) int64 {
	t.Helper()
	sut := &generatorSUT{generator: g, most: tokens}
	for _, scenario := range []loadgen.Scenario{loadgen.Offline, loadgen.Server} {
		s := loadgen.DefaultTestSettings()
		s.Scenario, s.Mode = scenario, loadgen.PerformanceOnly
		s.UseTokenLatencies, s.ServerTTFTLatency, s.ServerTPOTLatency = true, time.Minute, time.Minute
		s.ServerTargetQPS, s.OfflineExpectedQPS = qps, qps
		s.MinDuration, s.MinQueryCount, s.ServerTargetLatencyPercentile = 0, 100, 0.9
		r, err := loadgen.StartTest(context.Background(), sut, loadgentest.QSL{Total: 64}, s, loadgen.LogSettings{})
		if err != nil {
			t.Fatal(err)
		}
		if r.Verdict != loadgen.Valid || r.Tokens == nil {
			t.Errorf("%v: %v %v", scenario, r.Verdict, r.Reasons)
		}
		t.Logf("%v: %.1f %s, %+v", scenario, r.Metric, r.MetricUnit, r.Tokens)
	}
	return sut.total
}

// generatorSUT passes each sample to a generator in its own goroutine.
type generatorSUT struct {
	generator *openai.Generator
	most      int
	calls     sync.WaitGroup
	mu        sync.Mutex
	total     int64
	fault     error
}

func (*generatorSUT) Name() string { return "openai" }

func (s *generatorSUT) IssueQuery(ctx context.Context, q loadgen.Query, r loadgen.Responder) error {
	for _, sample := range q.Samples {
		s.calls.Go(func() {
			p := backend.Prompt{Tokens: []int32{1, 100 + int32(sample.Index), 7}, MaxNewTokens: s.most}
			if err := s.generator.Generate(ctx, p, &responderSink{s, r, sample.ID}); err != nil {
				s.mu.Lock()
				s.fault = err
				s.mu.Unlock()
				r.QuerySamplesComplete([]loadgen.QuerySampleResponse{{ID: sample.ID, NTokens: 2}}) // FlushQueries tells
			}
		})
	}
	return nil
}

func (s *generatorSUT) FlushQueries(context.Context) error {
	s.calls.Wait()
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.fault
}

type responderSink struct {
	sut       *generatorSUT
	responder loadgen.Responder
	id        loadgen.ResponseID
}

func (s *responderSink) FirstToken(backend.Tokens) {
	s.responder.FirstTokenComplete([]loadgen.QuerySampleResponse{{ID: s.id}})
}

func (s *responderSink) Complete(t backend.Tokens) {
	s.sut.mu.Lock()
	s.sut.total += int64(t.N)
	s.sut.mu.Unlock()
	s.responder.QuerySamplesComplete([]loadgen.QuerySampleResponse{{ID: s.id, NTokens: int64(t.N)}})
}

// checkRepeatable sends the same prompt twice and compares text, ids and number of tokens.
func checkRepeatable(t *testing.T, g *openai.Generator) {
	t.Helper()
	p := backend.Prompt{Tokens: []int32{1, 300, 301}, MaxNewTokens: realTokens}
	var answers []backend.Tokens
	for range 2 {
		s, err := generate(t, g, p)
		if err != nil {
			t.Fatal(err)
		}
		answers = append(answers, s.complete[0])
	}
	a, b := answers[0], answers[1]
	if a.N < 1 || a.N > realTokens || a.N != b.N || a.Text != b.Text || !slices.Equal(a.IDs, b.IDs) {
		t.Errorf("%+v and %+v", a, b)
	}
	t.Logf("%d tokens, %q", a.N, a.Text)
}
