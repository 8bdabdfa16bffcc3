//go:build linux

package openai_test

import (
	"context"
	"os"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/plumbline-ml/plumbline/backends/openai"
)

// resident returns the memory of this process in bytes.
func resident(b *testing.B) int64 {
	text, err := os.ReadFile("/proc/self/statm")
	if err != nil {
		b.Fatal(err)
	}
	pages, err := strconv.ParseInt(strings.Fields(string(text))[1], 10, 64)
	if err != nil {
		b.Fatal(err)
	}
	return pages * int64(os.Getpagesize())
}

// begun counts requests whose first token has arrived.
type begun struct {
	eventCounter
	all  *atomic.Int64
	done bool
}

func (o *begun) Event(e *openai.ObservedEvent) {
	if o.eventCounter.Event(e); !o.done && o.events > 0 {
		o.done = true
		o.all.Add(1)
	}
}

// BenchmarkClientMemory keeps 10,000 requests in progress, each with its first token.
func BenchmarkClientMemory(b *testing.B) {
	const users = 10_000
	c := askClient(b, startMock(b, time.Second, time.Hour), "first_timeout=none", "idle_timeout=none")
	r, err := c.WriteRequest(openai.ClientCall{API: openai.Completions, IDs: benchPrompt[:], MaxTokens: 4})
	if err != nil {
		b.Fatal(err)
	}
	for b.Loop() {
		before := resident(b)
		ctx, cancel := context.WithCancel(context.Background())
		var all sync.WaitGroup
		var first atomic.Int64
		for range users {
			all.Go(func() { _, _ = c.Ask(ctx, r, &begun{eventCounter: eventCounter{start: time.Now()}, all: &first}) })
		}
		for first.Load() < users {
			time.Sleep(50 * time.Millisecond)
		}
		b.ReportMetric(float64(resident(b)-before)/users, "B/request")
		cancel()
		all.Wait()
	}
}
