package client

import (
	"fmt"
	"net/http/httptest"
	"testing"

	"github.com/plumbline-ml/plumbline/backends/openai"
	"github.com/plumbline-ml/plumbline/internal/testkit/openaitest"

	"github.com/plumbline-ml/plumbline/internal/serving/engine"
	"github.com/plumbline-ml/plumbline/serving/arrival"
	"github.com/plumbline-ml/plumbline/serving/prompts"
)

// BenchmarkMeasure is a request of so many tokens, streamed, of 32 users at a server in this process that answers at
// once: what one costs at the server is in it.
func BenchmarkMeasure(b *testing.B) {
	for _, tokens := range []int{32, 128} {
		b.Run(fmt.Sprintf("tokens=%d", tokens), func(b *testing.B) {
			server := httptest.NewServer(openaitest.New(openaitest.Options{Owner: "vllm", IDs: true}))
			defer server.Close()
			wire, err := openai.Backend{}.Client(b.Context(), map[string]string{"url": server.URL})
			if err != nil {
				b.Fatal(err)
			}
			defer func() { _ = wire.Close() }() // nothing is written
			asks := make(engine.AskList, 256)
			for i := range asks {
				asks[i] = prompts.Ask{
					API: prompts.Completions, IDs: []int32{1, 2, int32(i)}, MaxTokens: tokens, Exact: true, Row: i,
				}
			}
			users := arrival.Pattern{Kind: arrival.Users, Users: 32, Requests: b.N}
			b.ReportAllocs()
			b.ResetTimer()
			p, err := engine.Measure(b.Context(), &Client{Wire: wire}, engine.PointPlan{Asks: asks, Load: users})
			if err != nil || len(p.Requests) != b.N {
				b.Fatalf("%d requests, error %v", len(p.Requests), err)
			}
			b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "requests/s")
		})
	}
}
