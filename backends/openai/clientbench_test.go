//go:build unix

package openai_test

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/plumbline-ml/plumbline/backends/openai"
	"github.com/plumbline-ml/plumbline/internal/testkit/openaitest"
)

// processor returns the processor time that this process has used.
func processor(b *testing.B) time.Duration {
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		b.Fatal(err)
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}

// eventCounter is an observer that counts.
type eventCounter struct {
	start  time.Time
	events int
	last   int64
}

func (o *eventCounter) Now() int64 { return int64(time.Since(o.start)) }

func (o *eventCounter) Event(e *openai.ObservedEvent) {
	if e.Tokens > 0 {
		o.events++
	}
	o.last = e.At
}

// clientLoop keeps a number of users busy until b ends.
func clientLoop(b *testing.B, users, tokens int, step time.Duration) {
	c := askClient(b, startMock(b, step, step))
	r, err := c.WriteRequest(openai.ClientCall{API: openai.Completions, IDs: benchPrompt[:], MaxTokens: tokens,
		Exact: true})
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
				o := eventCounter{start: start}
				response, err := c.Ask(context.Background(), r, &o)
				if err != nil || o.events != tokens {
					b.Errorf("%d events, %v", o.events, err)
				}
				longest.add(time.Duration(response.Longest))
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

// BenchmarkClientAtOnce uses a server that sends whole answers of 32 tokens at once, each token in its own event.
func BenchmarkClientAtOnce(b *testing.B) { clientLoop(b, 64, 32, 0) }

// BenchmarkClientPaced uses a server that sends each token in its own packet. A request is a stream of 64 tokens.
func BenchmarkClientPaced(b *testing.B) {
	for _, users := range []int{500, 2000} {
		b.Run(fmt.Sprintf("%dusers", users), func(b *testing.B) { clientLoop(b, users, 64, 20*time.Millisecond) })
	}
}

// BenchmarkClientBesideLog compares the client's measurements of streams of 64 tokens, 20 ms apart, with the server's
// log of the same requests: the additional TTFT and TPOT at the client.
func BenchmarkClientBesideLog(b *testing.B) {
	for _, users := range []int{50, 500, 1000, 2000} {
		b.Run(fmt.Sprintf("%dusers", users), func(b *testing.B) { besideLog(b, users, 64, 20*time.Millisecond) })
	}
}

func besideLog(b *testing.B, users, tokens int, step time.Duration) {
	log := filepath.Join(b.TempDir(), "log")
	c := askClient(b, startLoggingMock(b, step, step, log))
	type times struct{ ttft, tpot time.Duration }
	measured := make([]times, b.N)
	requests := make([]openai.WrittenRequest, b.N)
	for i := range requests {
		var err error
		if requests[i], err = c.WriteRequest(openai.ClientCall{
			API: openai.Completions, IDs: benchPrompt[:], MaxTokens: tokens,
			Header: map[string]string{"X-Request-Id": strconv.Itoa(i)},
		}); err != nil {
			b.Fatal(err)
		}
	}
	jobs := make(chan int)
	var workers sync.WaitGroup
	start := time.Now()
	for i := range users {
		workers.Go(func() {
			// Streams begin at distributed times, like those of independent users.
			time.Sleep(step * time.Duration(tokens*i) / time.Duration(users))
			for n := range jobs {
				o := timed{start: start}
				response, err := c.Ask(context.Background(), requests[n], &o)
				if err != nil || len(o.at) != tokens {
					b.Errorf("%d events, %v", len(o.at), err)
					continue
				}
				measured[n] = times{o.at[0] - time.Duration(response.Sent), (o.at[tokens-1] - o.at[0]) / time.Duration(tokens-1)}
			}
		})
	}
	b.ResetTimer()
	used := processor(b)
	for n := range b.N {
		jobs <- n
	}
	close(jobs)
	workers.Wait()
	b.ReportMetric((processor(b)-used).Seconds()/b.Elapsed().Seconds(), "cores")
	b.ReportMetric(float64(b.N*tokens)/b.Elapsed().Seconds(), "events/s")
	b.StopTimer()
	var ttft, tpot delays
	for _, e := range entries(b, log, b.N) {
		n, err := strconv.Atoi(e.ID)
		if err != nil {
			b.Fatal(err)
		}
		if n < users { // connections are made
			continue
		}
		ttft.add(measured[n].ttft - time.Duration(e.First-e.Received))
		tpot.add(measured[n].tpot - time.Duration(e.Last-e.First)/time.Duration(tokens-1))
	}
	ttft.report(b, "ttft-beside-log")
	tpot.report(b, "tpot-beside-log")
}

// entries returns the entries of a log, which the server writes after its answers.
func entries(b *testing.B, log string, n int) (all []openaitest.Entry) {
	for len(all) < n {
		text, err := os.ReadFile(log)
		if err != nil {
			b.Fatal(err)
		}
		all = all[:0]
		for lines := json.NewDecoder(bytes.NewReader(text)); ; {
			var e openaitest.Entry
			if lines.Decode(&e) != nil {
				break
			}
			all = append(all, e)
		}
		time.Sleep(10 * time.Millisecond)
	}
	return all
}
