package main

import (
	"context"
	"fmt"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/plumbline-ml/plumbline/sdk/backend"
)

// BenchmarkGenerate answers the evaluation articles with a number of callers, each of which starts its next prompt when an
// answer is complete: sequences join and leave all the time.
func BenchmarkGenerate(b *testing.B) {
	for _, precision := range []string{"fp32", "int8"} {
		for _, callers := range []int{1, 8, 16} {
			b.Run(fmt.Sprintf("%s/callers=%d", precision, callers), func(b *testing.B) { generateFor(b, precision, callers, 0) })
		}
	}
}

// BenchmarkLongAnswers is BenchmarkGenerate with answers of 256 tokens, beside which the prompts are short.
func BenchmarkLongAnswers(b *testing.B) {
	for _, callers := range []int{1, 8} {
		b.Run(fmt.Sprintf("fp32/callers=%d", callers), func(b *testing.B) { generateFor(b, "fp32", callers, 256) })
	}
}

// generateFor makes every answer of exactly length tokens, where that is above 0.
func generateFor(b *testing.B, precision string, callers, length int) {
	o := open(b, precision)
	g := o.generator(b, callers)
	prompts := make([]backend.Prompt, o.workload.Len())
	for i := range prompts {
		prompts[i] = o.prompt(b, i)
		if length > 0 {
			prompts[i].MinNewTokens, prompts[i].MaxNewTokens = length, length
		}
	}
	jobs := make(chan backend.Prompt)
	var mu sync.Mutex
	var all meter
	var running sync.WaitGroup
	b.ReportAllocs()
	b.ResetTimer()
	for range callers {
		running.Go(func() {
			for p := range jobs {
				m := meter{start: time.Now()}
				if err := g.Generate(b.Context(), p, &m); err != nil {
					b.Error(err)
				}
				mu.Lock()
				all.add(m)
				mu.Unlock()
			}
		})
	}
	for i := range b.N {
		jobs <- prompts[i%len(prompts)]
	}
	close(jobs)
	running.Wait()
	all.report(b)
}

// meter is a sink that measures.
type meter struct {
	start  time.Time
	ttft   []time.Duration
	tokens int
}

func (m *meter) FirstToken(backend.Tokens) { m.ttft = append(m.ttft, time.Since(m.start)) }
func (m *meter) Complete(t backend.Tokens) { m.tokens += t.N }
func (m *meter) add(o meter)               { m.ttft, m.tokens = append(m.ttft, o.ttft...), m.tokens+o.tokens }

func (m *meter) report(b *testing.B) {
	b.ReportMetric(float64(m.tokens)/b.Elapsed().Seconds(), "tokens/s")
	slices.Sort(m.ttft)
	b.ReportMetric(float64(m.ttft[len(m.ttft)*99/100].Microseconds()), "ttft-p99-us")
}

// BenchmarkBareLoop is what BenchmarkGenerate is held against: prompts of one length run as one batch, then steps of the
// whole batch with present and past in two buffers each, for as many tokens as answers have; nothing is searched.
func BenchmarkBareLoop(b *testing.B) {
	for _, precision := range []string{"fp32", "int8"} {
		for _, rows := range []int{1, 8, 16} {
			b.Run(fmt.Sprintf("%s/rows=%d", precision, rows), func(b *testing.B) { bareLoop(b, precision, rows) })
		}
	}
}

// The length of prompts and answers in the bare loop: about the means of the evaluation articles.
const (
	barePrompt = 76
	bareAnswer = 37
)

func bareLoop(b *testing.B, precision string, rows int) {
	s := open(b, precision).session
	defer s.Close()
	l := newBare(s, rows)
	b.ReportAllocs()
	b.ResetTimer()
	for range b.N {
		for n := range bareAnswer {
			if err := l.run(n); err != nil {
				b.Fatal(err)
			}
		}
	}
	b.ReportMetric(float64(b.N*rows*bareAnswer)/b.Elapsed().Seconds(), "tokens/s")
}

// bare holds the tensors of a loop.
type bare struct {
	session    backend.Session
	rows       int64
	in, out    []backend.Tensor
	ones, ids  []int64
	even, odd  [][]byte // caches
	logits     []byte
	head, wide int64
}

func newBare(s backend.Session, rows int) *bare {
	most := int64(barePrompt + bareAnswer)
	past := s.Inputs()[3]
	l := &bare{session: s, rows: int64(rows), head: past.Shape[1], wide: past.Shape[3]}
	l.ones, l.ids = make([]int64, l.rows*most), make([]int64, l.rows*most)
	for i := range l.ones {
		l.ones[i], l.ids[i] = 1, int64(3+i%500)
	}
	l.logits = make([]byte, 4*l.rows*barePrompt*s.Outputs()[0].Shape[2])
	for range len(s.Inputs()) - 3 {
		n := l.rows * l.head * most * l.wide * 4
		l.even, l.odd = append(l.even, make([]byte, n)), append(l.odd, make([]byte, n))
	}
	l.in, l.out = make([]backend.Tensor, len(s.Inputs())), make([]backend.Tensor, len(s.Outputs()))
	return l
}

// run takes step n; step 0 is the prompts.
func (l *bare) run(n int) error {
	tokens, past := int64(1), int64(barePrompt+n-1)
	if n == 0 {
		tokens, past = barePrompt, 0
	}
	total := past + tokens
	ints := func(i int, v []int64, width int64) {
		l.in[i] = backend.Tensor{DType: backend.Int64, Shape: []int64{l.rows, width}, Data: backend.Bytes(v[:l.rows*width])}
	}
	ints(0, l.ids, tokens)
	ints(1, l.ones, total)
	ints(2, l.ids, tokens)
	old, now := l.even, l.odd
	if n%2 == 1 {
		old, now = now, old
	}
	for i := range old {
		l.in[3+i] = l.cache(old[i], past)
		l.out[1+i] = l.cache(now[i], total)
	}
	vocabulary := l.session.Outputs()[0].Shape[2]
	l.out[0] = backend.Tensor{DType: backend.Float32, Shape: []int64{l.rows, tokens, vocabulary}, Data: l.logits[:4*l.rows*tokens*vocabulary]}
	return l.session.Run(context.Background(), l.in, l.out)
}

func (l *bare) cache(data []byte, width int64) backend.Tensor {
	n := l.rows * l.head * width * l.wide * 4
	return backend.Tensor{DType: backend.Float32, Shape: []int64{l.rows, l.head, width, l.wide}, Data: data[:n]}
}
