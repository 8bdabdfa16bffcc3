//go:build unix

package openai_test

import (
	"context"
	"fmt"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/plumbline-ml/plumbline/backends/openai"
)

// processor is the processor's time that this process has used.
func processor(b *testing.B) time.Duration {
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		b.Fatal(err)
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}

// count is an observer that counts.
type count struct {
	start  time.Time
	events int
	last   int64
}

func (o *count) Now() int64 { return int64(time.Since(o.start)) }

func (o *count) Event(e *openai.Event) {
	if e.Tokens > 0 {
		o.events++
	}
	o.last = e.At
}

// clientLoop keeps so many users asking until b ends.
func clientLoop(b *testing.B, users, tokens int, step time.Duration) {
	c := askClient(b, startMock(b, step, step))
	r, err := c.Write(openai.Call{API: openai.Completions, IDs: benchPrompt[:], MaxTokens: tokens, Exact: true})
	if err != nil {
		b.Fatal(err)
	}
	jobs := make(chan struct{})
	var workers sync.WaitGroup
	start := time.Now()
	var longest delays
	for range users {
		workers.Go(func() {
			for range jobs {
				o := count{start: start}
				told, err := c.Ask(context.Background(), r, &o)
				if err != nil || o.events != tokens {
					b.Errorf("%d events, %v", o.events, err)
				}
				longest.add(time.Duration(told.Longest))
			}
		})
	}
	b.ReportAllocs()
	b.ResetTimer()
	used := processor(b)
	for range b.N {
		jobs <- struct{}{}
	}
	close(jobs)
	workers.Wait()
	took := b.Elapsed().Seconds()
	used = processor(b) - used
	n := float64(b.N)
	b.ReportMetric(n/took, "requests/s")
	b.ReportMetric(n*float64(tokens)/took, "events/s")
	b.ReportMetric(float64(used.Nanoseconds())/1e3/n, "cpu-us/request")
	b.ReportMetric(float64(used.Nanoseconds())/1e3/n/float64(tokens), "cpu-us/event")
	b.ReportMetric(used.Seconds()/took, "cores")
	longest.report(b, "read-to-record")
}

// BenchmarkClientAtOnce has a server that sends whole answers of 32 tokens at once, each in an event of its own.
func BenchmarkClientAtOnce(b *testing.B) { clientLoop(b, 64, 32, 0) }

// BenchmarkClientPaced has a server that sends each token in a packet of its own: a request is a stream of 64.
func BenchmarkClientPaced(b *testing.B) {
	for _, users := range []int{500, 2000} {
		b.Run(fmt.Sprintf("%dusers", users), func(b *testing.B) { clientLoop(b, users, 64, 20*time.Millisecond) })
	}
}
