package web

import (
	"context"
	"encoding/json"
	"slices"
	"sync"
	"time"

	"github.com/plumbline-ml/plumbline/cmd/harness/internal/feed"
)

// The maximum number of open pages, of waiting events per page before it must reconnect, and of stored progress events
// per run for pages that open later.
const (
	maxClients  = 32
	maxWaiting  = 256
	maxProgress = 1200
)

// eventHistory stores the events for pages that open later, and the open pages.
type eventHistory struct {
	mu      sync.Mutex
	stored  []feed.Event
	clients map[*pageClient]bool
	ended   bool
}

func newHistory() eventHistory { return eventHistory{clients: map[*pageClient]bool{}} }

// pageClient is an open page. Its channel is closed at the end or if the page is too slow.
type pageClient struct{ lines chan []byte }

// Event implements feed.Sink.
func (h *eventHistory) Event(e feed.Event) {
	line, err := json.Marshal(e)
	if err != nil {
		return // NaN or an infinity in a plugin's answer
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	h.keepEvent(e)
	for c := range h.clients {
		select {
		case c.lines <- line:
		default:
			h.dropClient(c)
		}
	}
}

// keepEvent stores an event. It keeps only the last distribution of each run and a limited number of progress events.
func (h *eventHistory) keepEvent(e feed.Event) {
	if e.Distribution != nil {
		h.stored = slices.DeleteFunc(h.stored, func(old feed.Event) bool {
			return old.Distribution != nil &&
				old.Run == e.Run
		})
	}
	h.stored = append(h.stored, e)
	if e.Progress == nil {
		return
	}
	n := 0
	for _, old := range h.stored {
		if old.Progress != nil && old.Run == e.Run {
			n++
		}
	}
	if n > maxProgress {
		h.stored = thinProgress(h.stored, e.Run)
	}
}

// thinProgress joins every two progress events of a run.
func thinProgress(events []feed.Event, run int) []feed.Event {
	var out []feed.Event
	first := -1 // index in out of the first event of a pair
	for _, e := range events {
		switch {
		case e.Progress == nil || e.Run != run:
			out = append(out, e)
		case first < 0:
			first, out = len(out), append(out, e)
		default:
			out[first], first = joinProgress(out[first], e), -1
		}
	}
	return out
}

// joinProgress returns the second of two events, with the windows of both. Rates are averages. Percentiles are the
// larger ones, so that peaks remain visible.
func joinProgress(a, b feed.Event) feed.Event {
	p, v, w := *b.Progress, a.Progress.Window, b.Progress.Window
	first, second := v.ToS-v.FromS, w.ToS-w.FromS
	mean := func(x, y float64) float64 { return (x*first + y*second) / max(first+second, 1e-9) }
	w.FromS = v.FromS
	w.QueriesPerSec = mean(v.QueriesPerSec, w.QueriesPerSec)
	w.SamplesPerSec = mean(v.SamplesPerSec, w.SamplesPerSec)
	w.TokensPerSec = mean(v.TokensPerSec, w.TokensPerSec)
	for _, t := range [][2]**feed.TimePercentiles{{&w.Latency, &v.Latency}, {&w.QueryLatency, &v.QueryLatency},
		{&w.IssueDelay, &v.IssueDelay}, {&w.TTFT, &v.TTFT}, {&w.TPOT, &v.TPOT}} {
		*t[0] = largerTimes(*t[0], *t[1])
	}
	p.Window = w
	b.Progress = &p
	return b
}

func largerTimes(a, b *feed.TimePercentiles) *feed.TimePercentiles {
	if a == nil || b == nil {
		if a == nil {
			return b
		}
		return a
	}
	tooFew := slices.Clone(a.TooFew)
	for _, name := range b.TooFew {
		if !slices.Contains(tooFew, name) {
			tooFew = append(tooFew, name)
		}
	}
	return &feed.TimePercentiles{
		Count: a.Count + b.Count, Mean: max(a.Mean, b.Mean), P50: max(a.P50, b.P50), P90: max(a.P90, b.P90),
		P99: max(a.P99, b.P99), P999: max(a.P999, b.P999), Max: max(a.Max, b.Max), Target: max(a.Target, b.Target),
		TooFew: tooFew,
	}
}

// joinClient adds a page and returns it with the past events. It returns nil if there are too many pages.
func (h *eventHistory) joinClient() (*pageClient, []feed.Event) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if len(h.clients) >= maxClients {
		return nil, nil
	}
	c := &pageClient{lines: make(chan []byte, maxWaiting)}
	if h.ended {
		close(c.lines)
	} else {
		h.clients[c] = true
	}
	return c, slices.Clone(h.stored)
}

func (h *eventHistory) removeClient(c *pageClient) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.dropClient(c)
}

func (h *eventHistory) dropClient(c *pageClient) {
	if h.clients[c] {
		delete(h.clients, c)
		close(c.lines)
	}
}

// endClients closes the channels of all pages after their waiting events.
func (h *eventHistory) endClients() {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.ended = true
	for c := range h.clients {
		h.dropClient(c)
	}
}

// followEvents sends events until the client disconnects or the stream ends.
func (c *pageClient) followEvents(ctx context.Context, send func(format string, args ...any) error) {
	beat := time.NewTicker(heartbeatInterval)
	defer beat.Stop()
	for {
		select {
		case line, more := <-c.lines:
			if !more || send("data: %s\n\n", line) != nil {
				return
			}
		case <-beat.C:
			if send(":\n\n") != nil {
				return
			}
		case <-ctx.Done():
			return
		}
	}
}
