package client_test

import (
	"cmp"
	"math"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/plumbline-ml/plumbline/backends/openai"
	"github.com/plumbline-ml/plumbline/internal/testkit/openaitest"
	"github.com/plumbline-ml/plumbline/loadgen/loadgentest"
	"github.com/plumbline-ml/plumbline/sdk/backend"

	"github.com/plumbline-ml/plumbline/bench/record"
	"github.com/plumbline-ml/plumbline/internal/serving/client"
	"github.com/plumbline-ml/plumbline/internal/serving/sweep"
	"github.com/plumbline-ml/plumbline/serving/arrival"
	"github.com/plumbline-ml/plumbline/serving/metrics"
	"github.com/plumbline-ml/plumbline/serving/prompts"
)

// mode is a way in which a server answers, and what is made of it.
type mode struct {
	openaitest.Mode
	// status is how requests end; empty: they have good answers. says is what is said of that, or noted of good ones.
	status metrics.Status
	says   string
	// ttft and tpot are the times of good answers; 0: there is none. out is how many tokens they have; 0: 16; below 0: it
	// is not known.
	ttft, tpot time.Duration
	out        int64
	// opens is why nothing can be asked: the server is not taken for one.
	opens string
	// generator is what harness run's client makes of it: ok, error; empty: as status says.
	generator string
	generated int  // tokens that it takes, where they are others; nothing: none
	floods    bool // an answer has megabytes: it is asked for once
}

const nothing = -2

const (
	// hostileFor and hostileGrace bound a point, and the request before it.
	hostileFor, hostileGrace = 4 * time.Second, 3 * time.Second
	hostileTokens            = 16
)

// TestHostileServers: of every way in which a server may answer there comes a true figure or a clear error, in bounded
// time, for harness bench and for harness run. All is on virtual time: figures are exact.
func TestHostileServers(t *testing.T) {
	seen := map[string]bool{}
	all := hostile()
	for _, m := range all {
		if seen[m.Name] {
			t.Fatalf("two modes are called %s", m.Name)
		}
		seen[m.Name] = true
		t.Run(m.Name, func(t *testing.T) {
			synctest.Test(t, m.bench)
			synctest.Test(t, m.run)
		})
	}
	if len(all) < 70 {
		t.Errorf("%d modes, want at least 70", len(all))
	}
}

// bench measures one user.
func (m mode) bench(t *testing.T) {
	ctx := loadgentest.WithSleep(t.Context())
	var memory openaitest.Memory
	defer memory.ServeMode("host:80", m.Mode)()
	began := time.Now()
	wire, err := openai.Backend{Dial: memory.Dial}.Client(ctx, map[string]string{"url": "http://host:80/v1"})
	if m.opens != "" {
		if err == nil || !strings.Contains(err.Error(), m.opens) || time.Since(began) > time.Minute {
			t.Errorf("after %v: %v, want one that says %q", time.Since(began), err, m.opens)
		}
		return
	}
	if err != nil {
		t.Fatal(err)
	}
	defer wire.Close()
	set, err := prompts.ReadSet(prompts.PromptOptions{API: prompts.Chat, ISL: "8", OSL: "16"})
	if err != nil {
		t.Fatal(err)
	}
	s := sweep.PointSettings{
		Asker: &client.Client{Wire: wire}, Prompts: set, Seed: 1, Grace: hostileGrace,
		Record: record.Run{Model: "m", Serving: &record.Serving{}},
	}
	began = time.Now()
	if !m.floods {
		if _, err := s.TryRequest(ctx, hostileFor+hostileGrace); err != nil {
			t.Fatal(err)
		}
	}
	requests := 5
	if m.floods {
		requests = 1
	}
	point, err := s.MeasureLoad(ctx, arrival.Pattern{
		Kind: arrival.Users, Users: 1, Requests: requests, Duration: hostileFor,
	}, 0, 0)
	if err != nil {
		t.Fatal(err)
	}
	if took := time.Since(began); took > 2*(hostileFor+hostileGrace)+time.Second {
		t.Errorf("it took %v", took)
	}
	m.judge(t, point)
}

// judge looks at the figures.
func (m mode) judge(t *testing.T, p *sweep.SweepPoint) {
	served := p.Record.Serving
	f := served.Figures
	notes := strings.Builder{}
	for _, n := range p.Record.Notes {
		notes.WriteString(n.Text + "\n")
	}
	if m.status != "" {
		text := sweep.FaultText(served)
		if f.OK != 0 || f.Failed[m.status] == 0 || f.FailedTotal() != f.Failed[m.status] || !strings.Contains(text, m.says) ||
			!served.Failed() {
			t.Errorf("%d of %d answered, failed %v: %s; want %s, %q", f.OK, f.Requests, f.Failed, text, m.status, m.says)
		}
		return
	}
	if f.OK == 0 || f.OK != f.Requests || served.Failed() || !strings.Contains(notes.String(), m.says) {
		t.Fatalf("%d of %d answered: %s%s", f.OK, f.Requests, notes.String(), sweep.FaultText(served))
	}
	for _, of := range []struct {
		name string
		d    metrics.Distribution
		want time.Duration
	}{{"TTFT", f.TTFT, m.ttft}, {"TPOT", f.TPOT, m.tpot}} {
		if got, ok := of.d.PercentileAt(0.5); ok != (of.want > 0) || ok && got.Value != float64(of.want) {
			t.Errorf("%s is %v, %v; want %v", of.name, time.Duration(got.Value), ok, of.want)
		}
	}
	out, want := f.Out.Mean, float64(m.out)
	if want == 0 {
		want = hostileTokens
	}
	if f.Out.N == 0 {
		out = -1
	}
	if out != math.Max(want, -1) {
		t.Errorf("%v tokens, want %v", out, want)
	}
}

// sink is a prompt's end.
type sink struct{ n int }

func (s *sink) FirstToken(backend.Tokens) {}
func (s *sink) Complete(t backend.Tokens) { s.n = t.N }

// run asks as harness run does.
func (m mode) run(t *testing.T) {
	var memory openaitest.Memory
	defer memory.ServeMode("host:80", m.Mode)()
	began := time.Now()
	g, err := openai.Backend{Dial: memory.Dial}.Connect(t.Context(), backend.Config{Options: map[string]string{
		"url": "http://host:80/v1", "retries": "0", "first_timeout": "5s", "idle_timeout": "5s", "timeout": "20s",
	}})
	if err != nil {
		if m.opens == "" || !strings.Contains(err.Error(), m.opens) {
			t.Errorf("%v, want %q", err, m.opens)
		}
		return
	}
	s := &sink{}
	err = g.Generate(t.Context(), backend.Prompt{
		Messages: []backend.ChatMessage{{Role: "user", Content: "q"}}, MaxNewTokens: hostileTokens,
	}, s)
	good := m.status == ""
	if m.generator != "" {
		good = m.generator == "ok"
	}
	want := cmp.Or(m.generated, int(m.out), hostileTokens)
	if want == nothing {
		want = 0
	}
	if took := time.Since(began); took > time.Minute || (err == nil) != good || good && s.n != want {
		t.Errorf("harness run: %d tokens, %v, after %v; want a good answer of %d: %v", s.n, err, took, want, good)
	}
	if err := g.Close(); err != nil {
		t.Error(err)
	}
	time.Sleep(time.Second) // for what is drained
}
