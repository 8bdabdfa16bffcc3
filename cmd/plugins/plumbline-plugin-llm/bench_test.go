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

// BenchmarkGenerate answers the evaluation articles with a number of callers. Each starts its next prompt when an
// answer is complete, so sequences join and leave continuously.
func BenchmarkGenerate(b *testing.B) {
	for _, precision := range []string{"fp32", "int8"} {
		for _, callers := range []int{1, 8, 16} {
			b.Run(fmt.Sprintf("%s/callers=%d", precision, callers), func(b *testing.B) { generateFor(b, precision, callers, 0) })
		}
	}
}

// BenchmarkLongAnswers is BenchmarkGenerate with answers of 256 tokens, which are long in comparison with the prompts.
func BenchmarkLongAnswers(b *testing.B) {
	for _, callers := range []int{1, 8} {
		b.Run(fmt.Sprintf("fp32/callers=%d", callers), func(b *testing.B) { generateFor(b, "fp32", callers, 256) })
	}
}

// generateFor makes every answer exactly length tokens long if length is above 0.
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

// BenchmarkBareLoop is a bare loop for comparison with BenchmarkGenerate: prompts of one length run as one batch,
// followed by steps of the whole batch with the cache in place, without a search.
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

// bare contains the tensors of a loop.
type bare struct {
	session      backend.Session
	rows         int64
	in, out      []backend.Tensor
	ids          []int64
	starts, ends []int64
}

func newBare(s backend.Session, rows int) *bare {
	l := &bare{session: s, rows: int64(rows), starts: make([]int64, rows), ends: make([]int64, rows),
		ids: make([]int64, rows*barePrompt)}
	for i := range l.ids {
		l.ids[i] = int64(3 + i%500)
	}
	for _, info := range s.Inputs() {
		l.in = append(l.in, backend.Tensor{Name: info.Name, DType: info.DType, Shape: []int64{l.rows}})
	}
	for _, info := range s.Outputs() {
		l.out = append(l.out, l.memory(info))
	}
	copy(l.in[cached:], l.out[1:])
	l.in[1].Data, l.in[2].Data = backend.Bytes(l.starts), backend.Bytes(l.ends)
	return l
}

// cached is the index of the model's first key or value input, after input_ids, write_indices and nonpad_kv_seqlen.
const cached = 3

// memory returns a tensor for logits of one token of each row, or for keys or values of the maximum length.
func (l *bare) memory(info backend.TensorInfo) backend.Tensor {
	shape := slices.Clone(info.Shape)
	shape[0] = l.rows
	if len(shape) == 4 {
		shape[2] = barePrompt + bareAnswer
	}
	return backend.Tensor{Name: info.Name, DType: info.DType, Shape: shape, Data: make([]byte, 4*backend.Elements(shape))}
}

// run executes step n; step 0 processes the prompts.
func (l *bare) run(n int) error {
	start, tokens := barePrompt+n-1, 1
	if n == 0 {
		start, tokens = 0, barePrompt
	}
	for row := range l.starts {
		l.starts[row], l.ends[row] = int64(start), int64(start+tokens)
	}
	l.in[0].Shape = []int64{l.rows, int64(tokens)}
	l.in[0].Data = backend.Bytes(l.ids[:int(l.rows)*tokens])
	return l.session.Run(context.Background(), l.in, l.out)
}
