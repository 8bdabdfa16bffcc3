package host_test

import (
	"context"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/plumbline-ml/plumbline/loadgen"
	"github.com/plumbline-ml/plumbline/sdk"
	"github.com/plumbline-ml/plumbline/sdk/host"
)

func TestFaultsOfPluginsThatTakeARing(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("no ring is offered on this system")
	}
	for _, c := range []struct {
		fault string
		kind  host.FailureKind
		part  string
	}{
		{"ring-unasked", host.KindProtocol, "a ring that it was not offered"},
		{"ring-and-stream", host.KindProtocol, "over the stream, though it took the ring"},
		{"ring-scribbled", host.KindProtocol, "the shared memory holds what cannot be"},
		{"ring-garbage", host.KindProtocol, "proto"},
		{"ring-oversized", host.KindProtocol, "a frame of 4294967295 bytes, the limit is"},
		{"ring-bomb", host.KindProtocol, "its parts take far more memory than it has bytes"},
		{"ring-cut", host.KindDied, "killed by signal 9"},
		{"ring-silent", host.KindHung, "no sign of life for"},
		{"ring-blocking", host.KindHung, "no sign of life for"},
	} {
		t.Run(c.fault, func(t *testing.T) {
			t.Parallel()
			o := host.LaunchOptions{StreamOnly: c.fault == "ring-unasked"}
			if c.kind == host.KindHung {
				o.HeartbeatTimeout = hangSoon
			}
			p, err := launchWith(t, c.fault, o)
			if err == nil {
				ctx, cancel := p.Context(t.Context())
				defer cancel()
				<-ctx.Done()
				_, err = p.Describe(t.Context())
				closesSoon(t, p)
			}
			wantFailure(t, err, c.kind, c.part)
		})
	}
}

// closesSoon closes p and fails the test if that does not return.
func closesSoon(t *testing.T, p *host.Plugin) {
	t.Helper()
	closed := make(chan error, 1)
	go func() { closed <- p.Close() }()
	select {
	case err := <-closed:
		if err != nil {
			t.Error(err)
		}
	case <-time.After(patience):
		t.Fatal("the plugin is not closed")
	}
}

// A plugin that claims to have read bytes that were not written yet breaks the protocol. The harness detects this when
// it sends.
func TestNonsenseInTheRingToThePlugin(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("no ring is offered on this system")
	}
	p, err := launchWith(t, "ring-overread", host.LaunchOptions{})
	if err != nil {
		t.Fatal(err)
	}
	w, err := p.Open(t.Context(), sdk.Options{Scenario: loadgen.Offline})
	if err != nil {
		t.Fatal(err)
	}
	err = w.SUT().IssueQuery(t.Context(), loadgen.Query{Samples: make([]loadgen.QuerySample, 1)}, newCounter(1))
	wantFailure(t, err, host.KindProtocol, "the shared memory holds what cannot be: 1099511627776 bytes are read of")
	closesSoon(t, p)
}

// slowCounter is a counter that is slow.
type slowCounter struct{ *counter }

func (c slowCounter) QuerySamplesComplete(rs []loadgen.QuerySampleResponse) {
	time.Sleep(time.Millisecond)
	c.counter.QuerySamplesComplete(rs)
}

// A plugin answers all samples and is killed while most of its answers are still in the shared memory. The answers must
// count, and then its death is reported.
func TestAnswersBeforeTheDeathCount(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("no ring is offered on this system")
	}
	p, err := launchWith(t, "ring-last-words", host.LaunchOptions{})
	if err != nil {
		t.Fatal(err)
	}
	w, err := p.Open(t.Context(), sdk.Options{Scenario: loadgen.Offline})
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := p.Context(t.Context())
	defer cancel()
	const samples = 500
	q := loadgen.Query{Samples: make([]loadgen.QuerySample, samples)}
	for i := range q.Samples {
		q.Samples[i].ID = loadgen.ResponseID(i)
	}
	c := slowCounter{newCounter(samples)}
	if err := w.SUT().IssueQuery(ctx, q, c); err != nil {
		t.Fatal(err)
	}
	<-ctx.Done()
	wantFailure(t, context.Cause(ctx), host.KindDied, "killed by signal 9")
	if n := c.n.Load(); n != samples {
		t.Errorf("%d answers were counted when the plugin was taken for dead, it had sent %d", n, samples)
	}
}

// The stream alone provides the same functions as the ring.
func TestOverTheStreamAlone(t *testing.T) {
	for _, s := range loadgen.Scenarios() {
		t.Run(s.String(), func(t *testing.T) {
			p, err := launchWith(t, "", host.LaunchOptions{StreamOnly: true})
			if err != nil {
				t.Fatal(err)
			}
			r, err := startTest(t, p, s)
			if err != nil || r.SampleCount < 100 {
				t.Errorf("%+v, error %v", r, err)
			}
		})
	}
	for _, fault := range []string{"die", "silent", "drop", "error-collate"} {
		t.Run(fault, func(t *testing.T) {
			t.Parallel()
			p, err := launchWith(t, fault, host.LaunchOptions{StreamOnly: true, HeartbeatTimeout: hangSoon})
			if err != nil {
				t.Fatal(err)
			}
			if _, err = startTest(t, p, loadgen.SingleStream); err == nil {
				t.Error("no error")
			}
		})
	}
}

// Whichever side ends first and for any reason, no descriptor or mapping of a ring remains.
func TestNothingOfARingIsLeft(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("no ring is offered on this system")
	}
	for _, fault := range []string{"", "die", "exit", "failure"} {
		t.Run("plugin "+fault, func(t *testing.T) {
			p, err := launchWith(t, fault, host.LaunchOptions{})
			if err == nil {
				_, _ = startTest(t, p, loadgen.SingleStream) // fails, or not
				if err := p.Close(); err != nil {
					t.Error(err)
				}
			}
			if maps := ringsMapped(t); maps != 0 {
				t.Errorf("%d rings are mapped", maps)
			}
			if fds := ringsOpen(t); fds != 0 {
				t.Errorf("%d descriptors of rings are open", fds)
			}
		})
	}
}

const ringName = "memfd:plumbline-ring"

func ringsMapped(t *testing.T) int {
	t.Helper()
	maps, err := os.ReadFile("/proc/self/maps")
	if err != nil {
		t.Fatal(err)
	}
	return strings.Count(string(maps), ringName)
}

func ringsOpen(t *testing.T) int {
	t.Helper()
	links, err := filepath.Glob("/proc/self/fd/*")
	if err != nil {
		t.Fatal(err)
	}
	n := 0
	for _, link := range links {
		if to, err := os.Readlink(link); err == nil && strings.Contains(to, ringName) {
			n++
		}
	}
	return n
}
