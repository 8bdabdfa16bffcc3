package host_test

import (
	"context"
	"encoding/binary"
	"math"
	"strconv"
	"sync"
	"testing"

	"github.com/plumbline-ml/plumbline/loadgen"
	"github.com/plumbline-ml/plumbline/sdk"
)

// checked forwards calls to a SUT of the null benchmark and checks every payload.
type checked struct {
	loadgen.SUT
	size int
	to   loadgen.Responder

	mu     sync.Mutex
	issued map[loadgen.ResponseID]loadgen.SampleIndex
	right  int
	wrong  []loadgen.SampleIndex
}

func (c *checked) IssueQuery(ctx context.Context, q loadgen.Query, r loadgen.Responder) error {
	c.mu.Lock()
	c.to = r
	for _, s := range q.Samples {
		c.issued[s.ID] = s.Index
	}
	c.mu.Unlock()
	return c.SUT.IssueQuery(ctx, q, c)
}

func (c *checked) QuerySamplesComplete(rs []loadgen.QuerySampleResponse) {
	c.mu.Lock()
	for _, r := range rs {
		if i := c.issued[r.ID]; isIndex(r.Data, i, c.size) {
			c.right++
		} else {
			c.wrong = append(c.wrong, i)
		}
	}
	c.mu.Unlock()
	c.to.QuerySamplesComplete(rs)
}

func (c *checked) FirstTokenComplete(rs []loadgen.QuerySampleResponse) { c.to.FirstTokenComplete(rs) }

// isIndex reports whether data is the index as a float32, repeated to size bytes.
func isIndex(data []byte, i loadgen.SampleIndex, size int) bool {
	want := math.Float32bits(float32(i))
	for at := 0; at+4 <= len(data); at += 4 {
		if binary.LittleEndian.Uint32(data[at:]) != want {
			return false
		}
	}
	return len(data) == size
}

// A payload of a segmentation is a volume, far larger than a frame. It must arrive complete in every scenario.
func TestLargePayloads(t *testing.T) {
	const volume, small = 96 << 20, 3 << 20
	p := launch(t)
	for _, c := range []struct {
		scenario    loadgen.Scenario
		count, size int
	}{
		{loadgen.SingleStream, 1, volume}, {loadgen.Offline, 3, volume / 4}, {loadgen.MultiStream, 16,
			small}, {loadgen.Server, 20, small},
	} {
		t.Run(c.scenario.String(), func(t *testing.T) {
			ctx, cancel := p.Context(t.Context())
			defer cancel()
			w, err := p.Open(ctx, sdk.Options{Scenario: c.scenario, Count: c.count, Batch: 1,
				Params: map[string]string{"payload": strconv.Itoa(c.size)}})
			if err != nil {
				t.Fatal(err)
			}
			s := settings(c.scenario)
			s.Mode = loadgen.AccuracyOnly
			sut := &checked{SUT: w.SUT(), size: c.size, issued: map[loadgen.ResponseID]loadgen.SampleIndex{}}
			if _, err := loadgen.StartTest(ctx, sut, w.QSL(), s, loadgen.LogSettings{}); err != nil {
				t.Fatal(err)
			}
			if sut.right != c.count || len(sut.wrong) > 0 {
				t.Errorf("%d right payloads, want %d; wrong ones of samples %v", sut.right, c.count, sut.wrong)
			}
			if err := w.Close(); err != nil {
				t.Fatal(err)
			}
		})
	}
}

// The plugin answers a part of a query that fills the ring before it accepts the rest. The issuing goroutine must
// therefore not be the one that reads the answers.
func TestAQueryOfMoreSamplesThanTheRingHolds(t *testing.T) {
	p := launch(t)
	w, err := p.Open(t.Context(), sdk.Options{Scenario: loadgen.MultiStream, Count: 1})
	if err != nil {
		t.Fatal(err)
	}
	if err := w.QSL().LoadSamplesToRAM(t.Context(), []loadgen.SampleIndex{0}); err != nil {
		t.Fatal(err)
	}
	const n = 3 << 20
	query := make([]loadgen.QuerySample, n)
	for i := range query {
		query[i].ID = loadgen.ResponseID(i)
	}
	ctx, cancel := context.WithTimeout(t.Context(), 5*patience)
	defer cancel()
	all := newCounter(n)
	if err := w.SUT().IssueQuery(ctx, loadgen.Query{Samples: query}, all); err != nil {
		t.Fatal(err)
	}
	select {
	case <-all.done:
	case <-ctx.Done():
		t.Errorf("%d of %d samples are answered", all.n.Load(), n)
	}
	if err := w.Close(); err != nil {
		t.Error(err)
	}
}
