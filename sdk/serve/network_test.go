package serve

import (
	"context"
	"errors"
	"io"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/plumbline-ml/plumbline/loadgen"
	"github.com/plumbline-ml/plumbline/sdk"
	"github.com/plumbline-ml/plumbline/sdk/backend"
	"github.com/plumbline-ml/plumbline/sdk/internal/batch"
)

// fakeNode is a machine with configurable errors for requests of its name and for data.
type fakeNode struct {
	address, name, peer string
	mute, full          error
	asked               *atomic.Int64
}

func (n fakeNode) Address() string { return n.address }

func (n fakeNode) Name(context.Context) (string, string, error) {
	if n.asked != nil {
		n.asked.Add(1)
		time.Sleep(time.Millisecond) // long enough for every clock
	}
	return n.name, n.peer, n.mute
}

func (n fakeNode) Send(_ context.Context, size int) error {
	if size < 1<<20 {
		return errors.New("too little to measure")
	}
	return n.full
}

// remote is a session on machines.
type remote struct {
	backend.Session
	nodes []backend.RemoteNode
}

func (r remote) Nodes() []backend.RemoteNode { return r.nodes }
func (remote) Inputs() []backend.TensorInfo  { return []backend.TensorInfo{{Name: "in"}} }
func (remote) Outputs() []backend.TensorInfo { return nil }
func (remote) Close() error                  { return nil }
func (remote) LocalWork() []string           { return []string{"of the backend"} }

// decoding is a generator that runs sessions step by step.
type decoding struct{ backend.Generator }

func (decoding) Close() error { return nil }

// declared is a workload that declares its work, and plain is one that does not.
type declared struct {
	sdk.Workload
	work []string
	in   *[]backend.TensorInfo
}

func (d declared) ClientWork(in, _ []backend.TensorInfo, _ int) []string {
	*d.in = in
	return d.work
}

type plain struct{ sdk.Workload }

func TestNodeNames(t *testing.T) {
	cases := map[string]struct {
		nodes []backend.RemoteNode
		want  []string
		usage bool
		fault []string
	}{
		"in order":        {nodes: []backend.RemoteNode{fakeNode{name: "b"}, fakeNode{name: "a"}}, want: []string{"b", "a"}},
		"two without one": {nodes: []backend.RemoteNode{fakeNode{}, fakeNode{}}, want: []string{"", ""}},
		"the same": {
			nodes: []backend.RemoteNode{fakeNode{address: "h1:1", name: "triton"}, fakeNode{address: "h2:1"},
				fakeNode{address: "h3:1", name: "triton"}},
			usage: true, fault: []string{"h1:1", "h3:1", `"triton"`},
		},
		"unreachable": {
			nodes: []backend.RemoteNode{fakeNode{address: "h1:1", mute: errors.New("refused")}, fakeNode{address: "h2:1",
				name: "b"},
				fakeNode{address: "h3:1", mute: errors.New("no route")}},
			fault: []string{"node h1:1: refused", "node h3:1: no route"},
		},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			got, err := nodeNames(t.Context(), c.nodes)
			if (err != nil) != (c.fault != nil) || errors.Is(err, sdk.ErrUsage) != c.usage || !slices.Equal(got, c.want) {
				t.Fatalf("names %q, error %v", got, err)
			}
			for _, part := range c.fault {
				if !strings.Contains(err.Error(), part) {
					t.Errorf("error %q, want it to hold %q", err, part)
				}
			}
		})
	}
}

func TestProbeMeasures(t *testing.T) {
	var asked atomic.Int64
	found, err := probeAll(t.Context(), []backend.RemoteNode{fakeNode{address: "h:1", name: "a", peer: "10.0.0.1:1",
		asked: &asked}})
	if err != nil {
		t.Fatal(err)
	}
	n := found[0]
	if n.Address != "h:1" || n.Name != "a" || n.Peer != "10.0.0.1:1" || n.RoundTripP50 <= 0 ||
		n.RoundTripP99 < n.RoundTripP50 || n.BytesPerSecond <= 0 {
		t.Errorf("found %+v", n)
	}
	if asked.Load() < roundTrips {
		t.Errorf("asked %d times, want at least %d", asked.Load(), roundTrips)
	}
	_, err = probeAll(t.Context(), []backend.RemoteNode{fakeNode{address: "h:1", name: "a", full: errors.New("413")}})
	if err == nil || !strings.Contains(err.Error(), "node h:1") || !strings.Contains(err.Error(), "1048576 bytes: 413") {
		t.Errorf("a node that refuses the load: %v", err)
	}
}

func TestPercentileOfRoundTrips(t *testing.T) {
	trips := make([]time.Duration, 200)
	for i := range trips {
		trips[i] = time.Duration(i + 1)
	}
	for p, want := range map[float64]time.Duration{0.5: 100, 0.99: 198, 0: 1, 1: 200} {
		if got := percentile(trips, p); got != want {
			t.Errorf("percentile %v is %d, want %d", p, got, want)
		}
	}
}

func TestJoin(t *testing.T) {
	nodes := []backend.RemoteNode{fakeNode{address: "h:1", name: "a"}}
	here := fakeNode{address: "h:1", mute: errors.New("asked")}
	var in []backend.TensorInfo
	quiet := declared{work: nil, in: &in}
	cases := map[string]struct {
		workload sdk.Workload
		engine   io.Closer
		sessions []placedSession // sessions that the engine runs
		scenario loadgen.Scenario
		batch    int
		closed   bool // not in the network division
		nodes    int
		work     []string
		usage    bool
	}{
		"one sample a request": {workload: quiet, engine: remote{nodes: nodes}, batch: 1, scenario: loadgen.Server,
			nodes: 1, work: []string{"of the backend"}},
		"the workload's own work": {workload: declared{work: []string{"ArgMax"}, in: &in},
			engine: remote{nodes: nodes}, batch: 1, nodes: 1, work: []string{"of the backend", "ArgMax"}},
		"batches of several queries": {workload: quiet, engine: remote{nodes: nodes}, batch: 8, scenario: loadgen.Server,
			nodes: 1, work: []string{"batches of up to 8 samples", "of the backend"}},
		"parts of one query": {workload: quiet, engine: remote{nodes: nodes}, batch: 8,
			scenario: loadgen.Offline, nodes: 1, work: []string{"of the backend"}},
		"nothing declared": {workload: plain{}, engine: remote{nodes: nodes}, batch: 1, nodes: 1,
			work: []string{"of the backend", "does not say"}},
		"decoding at the client": {workload: quiet, engine: decoding{},
			sessions: []placedSession{{Session: remote{nodes: nodes}}}, batch: 1, nodes: 1, work: []string{"token by token"}},
		"a backend of this machine": {workload: quiet, engine: decoding{}, sessions: []placedSession{{Session: &counting{}}},
			batch: 1, usage: true},
		"no network run: nobody is asked": {workload: quiet, engine: remote{nodes: []backend.RemoteNode{here}}, batch: 8,
			closed: true, nodes: 1},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			in = nil
			w := &openedWorkload{workload: c.workload, source: &sessionSource{sessions: c.sessions}, engine: c.engine,
				policy: batch.BatchPolicy{MaxBatch: c.batch}}
			info := sdk.WorkloadInfo{Backend: "x"}
			err := w.findNodes(t.Context(), sdk.Options{Network: !c.closed, Scenario: c.scenario}, &info)
			if errors.Is(err, sdk.ErrUsage) != c.usage || (err != nil) != c.usage || len(info.Nodes) != c.nodes {
				t.Fatalf("nodes %v, error %v", info.Nodes, err)
			}
			_, asked := c.workload.(declared)
			if _, session := c.engine.(remote); asked && session && !c.closed && len(in) != 1 {
				t.Errorf("the workload saw the inputs %v", in)
			}
			for _, work := range [][]string{info.ClientWork, w.clientWork()} {
				if len(work) != len(c.work) && !c.usage {
					t.Fatalf("work %q, want %q", work, c.work)
				}
				for i, part := range c.work {
					if !strings.Contains(work[i], part) {
						t.Errorf("work %q, want it to be about %q", work[i], part)
					}
				}
			}
		})
	}
}

// embedded is a workload whose model is in the plugin.
type embedded struct{ sdk.Workload }

func (embedded) Parts() []sdk.Part {
	return []sdk.Part{{Model: backend.Model{Name: "m", Bytes: []byte("onnx")}}}
}
func (embedded) Len() int { return 1 }

// TestChecksumIsOfTheModelThatRuns checks that a server's model does not get the checksum of the plugin's model, and
// does not count as an official file without a known checksum.
func TestChecksumIsOfTheModelThatRuns(t *testing.T) {
	nodes := []backend.RemoteNode{fakeNode{address: "h:1"}}
	model := sdk.ModelInfo{Files: []sdk.ModelFile{{Name: "official.onnx", Precision: "int8"}}}
	for name, c := range map[string]struct {
		engine   io.Closer
		sessions []placedSession
		size     int64
	}{
		"here":                {&counting{}, nil, 4},
		"generated here":      {decoding{}, []placedSession{{Session: &counting{}}}, 4},
		"elsewhere":           {remote{nodes: nodes}, nil, 0},
		"generated elsewhere": {decoding{}, []placedSession{{Session: remote{nodes: nodes}}}, 0},
	} {
		t.Run(name, func(t *testing.T) {
			w := &openedWorkload{workload: embedded{}, parts: embedded{}.Parts(), source: &sessionSource{sessions: c.sessions},
				engine: c.engine}
			info, err := workloadInfo(w, sdk.Options{Precision: "fp32"}, model)
			if err != nil {
				t.Fatal(err)
			}
			if info.ModelSize != c.size || (info.ModelSHA256 != "") != (c.size > 0) || info.ModelFile != "m" ||
				info.Precision != "fp32" {
				t.Errorf("%+v, want the file m of %d bytes, its checksum with them", info, c.size)
			}
		})
	}
}
